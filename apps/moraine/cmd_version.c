/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine version. */
#include "app.h"

int mrn_cmd_version(int argc, char **argv)
{
    bool json = false;
    const mrn_app_page page = {.usage = "version [--json]", .doc = ""};
    const mrn_app_option options[] = {
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &json, .doc = "Print JSON."},
    };
    int n, code = mrn_app_parse(&page, options, 1, argc, argv, NULL, 0, &n);
    if (code >= 0)
        return code;
    if (json)
        return mrn_app_json(json_pack("{s:s, s:s, s:i}", "moraine", MRN_VERSION, "compiler",
                                      __VERSION__, "threads", mrn_threads()));
    printf("moraine %s\ncompiler: %s\nthreads:  %d\nlicence:  GPL-3.0-or-later\n", MRN_VERSION,
           __VERSION__, mrn_threads());
    return MRN_EXIT_OK;
}
