/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands about ballast and shaken beds. */
#ifndef MORAINE_APP_BALLAST_H
#define MORAINE_APP_BALLAST_H

int mrn_cmd_sieve(int argc, char **argv);
int mrn_cmd_track(int argc, char **argv);
int mrn_cmd_vibrate(int argc, char **argv);
int mrn_cmd_settle(int argc, char **argv);

#endif
