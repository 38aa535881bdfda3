/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine schema: the formats of scenes, of the lab and of calibrations for editors. */
#include <string.h>

#include "app.h"

int mrn_cmd_schema(int argc, char **argv)
{
    const char *out = NULL;
    const mrn_app_page page = {
        .usage = "schema [scene|lab|calibration] [--out FILE]",
        .doc =
            "Made from the tables that the reader uses, so it is never behind. Editors with a "
            "YAML language\n"
            "server complete and check scenes when the first line of the scene is\n"
            "  # yaml-language-server: $schema=moraine.schema.json\n"
            "`lab`: the format of files for collide, compare, sensitivity and fit; `calibration`: "
            "of files for calibrate.",
        .examples = "moraine schema --out moraine.schema.json\n"
                    "moraine schema lab --out lab.schema.json"};
    const mrn_app_option options[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &out,
         .arg = "FILE",
         .doc = "Write to a file instead of the terminal."},
    };
    const char *word[1] = {"scene"};
    int n, code = mrn_app_parse(&page, options, 1, argc, argv, word, 1, &n);
    if (code >= 0)
        return code;
    bool lab = strcmp(word[0], "lab") == 0, bulk = strcmp(word[0], "calibration") == 0;
    if (!lab && !bulk && strcmp(word[0], "scene") != 0)
        return mrn_app_usage("schema", "\"%s\"? There are scene, lab and calibration", word[0]);
    return mrn_app_write_page(bulk  ? mrn_calibration_schema
                              : lab ? mrn_lab_schema
                                    : mrn_scene_schema,
                              out);
}
