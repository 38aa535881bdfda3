/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine schema: the formats of scenes, of the lab and of calibrations for editors. */
#include "app.h"

int mrn_cmd_schema(int argc, char **argv)
{
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
    const mrn_app_formats formats = {"schema", mrn_scene_schema, mrn_lab_schema,
                                     mrn_calibration_schema};
    return mrn_app_write_format(&formats, &page, argc, argv);
}
