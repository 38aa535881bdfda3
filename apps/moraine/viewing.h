/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `view` and `run --view` share. */
#ifndef MORAINE_VIEWING_H
#define MORAINE_VIEWING_H

#include <stdio.h>

/* Opens the user's browser, where there is a screen; waits for nothing. */
void mrn_viewing_browser(const char *address);
void mrn_viewing_say(FILE *f, const char *address);

#endif
