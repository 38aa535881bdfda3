/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every benchmark does when a call fails: says why, and ends. */
#ifndef MRN_BENCH_NEED_H
#define MRN_BENCH_NEED_H

#include <stdio.h>
#include <stdlib.h>

#include "moraine/moraine.h"

static mrn_message msg;

static void need(mrn_status s)
{
    if (s == MRN_OK)
        return;
    char text[4096];
    mrn_message_format(&msg, text, sizeof text);
    fprintf(stderr, "%s", text);
    exit(1);
}

#endif
