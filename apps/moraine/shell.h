/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion for shells and man pages from the tables of options. */
#ifndef MORAINE_SHELL_H
#define MORAINE_SHELL_H

#include "app.h"

/* The part of one subcommand, when the word is --help=bash, --help=zsh, --help=fish or --help=man;
   false: it is none of them. */
bool mrn_shell_part(const char *word, const char *command, const mrn_app_page *page,
                    const mrn_app_option *options, int n);
/* What comes before and after the parts: n subcommands with their summaries. */
void mrn_shell_bash_begin(const char *const *commands, const char *const *summaries, int n);
void mrn_shell_bash_end(void);
void mrn_shell_zsh_begin(const char *const *commands, const char *const *summaries, int n);
void mrn_shell_zsh_end(void);
void mrn_shell_fish_begin(const char *const *commands, const char *const *summaries, int n);
void mrn_shell_man_overview(const char *const *commands, const char *const *summaries, int n);

#endif
