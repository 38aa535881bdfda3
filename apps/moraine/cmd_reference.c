/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine reference: the formats of scenes, of the lab and of calibrations for readers. */
#include <string.h>

#include "app.h"

int mrn_app_write_format(const mrn_app_formats *f, const mrn_app_page *page, int argc, char **argv)
{
    const char *out = NULL, *word[1] = {"scene"};
    const mrn_app_option options[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &out,
         .arg = "FILE",
         .doc = "Write to a file instead of the terminal."},
    };
    int n, code = mrn_app_parse(page, options, 1, argc, argv, word, 1, &n);
    if (code >= 0)
        return code;
    if (strcmp(word[0], "scene") == 0)
        return mrn_app_write_page(f->scene, out);
    if (strcmp(word[0], "lab") == 0)
        return mrn_app_write_page(f->lab, out);
    if (strcmp(word[0], "calibration") == 0)
        return mrn_app_write_page(f->calibration, out);
    return mrn_app_usage(f->command, "\"%s\"? There are scene, lab and calibration", word[0]);
}

int mrn_cmd_reference(int argc, char **argv)
{
    const mrn_app_page page = {.usage = "reference [scene|lab|calibration] [--out FILE]",
                               .doc = "Every key of a scene with its unit, range, default and "
                                      "meaning, from the tables that the\n"
                                      "reader uses. `lab`: the same of files for collide, compare, "
                                      "sensitivity and fit;\n"
                                      "`calibration`: of files for calibrate.",
                               .examples =
                                   "moraine reference | less\nmoraine reference lab | less"};
    const mrn_app_formats formats = {"reference", mrn_scene_reference, mrn_lab_reference,
                                     mrn_calibration_reference};
    return mrn_app_write_format(&formats, &page, argc, argv);
}
