/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A registry (of laws, of shapes) shown as a list, as pages, as Markdown and as JSON. */
#ifndef MORAINE_CATALOGUE_H
#define MORAINE_CATALOGUE_H

#include "app.h"

typedef struct mrn_catalogue {
    const char *command, *noun; /* "laws", "law" */
    const char *tells;          /* what a page shows; NULL: parameters and formulas */
    int (*count)(void);
    const char *(*name)(int i);
    void (*list)(bool markdown);
    void (*page)(int i, bool markdown);
    json_t *(*json)(int i);
    /* Where entries fall into groups that can be asked for by name (else NULL). */
    const char *(*group)(int i);
    void (*list_group)(const char *group, bool markdown);
} mrn_catalogue;

/* The whole subcommand: options, the list or one page; returns the exit code. */
int mrn_catalogue_show(const mrn_catalogue *c, const mrn_app_page *page, int argc, char **argv);

void mrn_catalogue_heading(const char *name, const char *summary, bool markdown);
void mrn_catalogue_paragraph(const char *text, bool markdown);
/* Parameters with unit, range, default and meaning. */
void mrn_catalogue_params(const mrn_param *const *params, int n, bool markdown);
json_t *mrn_catalogue_params_json(const mrn_param *const *params, int n);

#endif
