/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine reference: the scene format for readers. */
#include "app.h"

int mrn_cmd_reference(int argc, char **argv)
{
    const char *out = NULL;
    const mrn_app_page page = {.usage = "reference [--out FILE]",
                               .doc = "Every key of a scene with its unit, range, default and "
                                      "meaning, from the tables that the\n"
                                      "reader uses.",
                               .examples = "moraine reference | less"};
    const mrn_app_option options[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &out,
         .arg = "FILE",
         .doc = "Write to a file instead of the terminal."},
    };
    int n, code = mrn_app_parse(&page, options, 1, argc, argv, NULL, 0, &n);
    return code >= 0 ? code : mrn_app_write_page(mrn_scene_reference, out);
}
