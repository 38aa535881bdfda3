/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine schema: the scene format for editors. */
#include "app.h"

int mrn_cmd_schema(int argc, char **argv)
{
    const char *out = NULL;
    const mrn_app_page page = {
        .usage = "schema [--out FILE]",
        .doc = "Made from the tables that the reader uses, so it is never behind. Editors with a "
               "YAML language\n"
               "server complete and check scenes when the first line of the scene is\n"
               "  # yaml-language-server: $schema=moraine.schema.json",
        .examples = "moraine schema --out moraine.schema.json"};
    const mrn_app_option options[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &out,
         .arg = "FILE",
         .doc = "Write to a file instead of the terminal."},
    };
    int n, code = mrn_app_parse(&page, options, 1, argc, argv, NULL, 0, &n);
    return code >= 0 ? code : mrn_app_write_page(mrn_scene_schema, out);
}
