/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a path, as JSON and as a table of commas. */
#include "path_route.h"

void mrn_path_rows_put(mrn_sheet *s, const mrn_path_rows *r)
{
    json_t *rows = json_array();
    char name[MRN_NAME + 32];
    const char *unit;
    for (int64_t k = 0; k < r->n; k++) {
        json_t *row = json_object();
        for (int i = 0; i < r->width; i++) {
            r->column(r->owner, i, name, sizeof name, &unit);
            json_object_set_new(row, name, mrn_sheet_real(r->row[k * r->width + i]));
        }
        json_array_append_new(rows, row);
    }
    json_object_set_new(s->section, "rows", rows);
}

mrn_status mrn_path_rows_write(const char *path, const mrn_path_rows *r, mrn_message *msg)
{
    mrn_atomic_file file = {0};
    char name[MRN_NAME + 32];
    const char *unit;
    mrn_status st = mrn_atomic_open(path, &file, msg);
    if (st != MRN_OK)
        return st;
    for (int i = 0; i < r->width; i++) {
        r->column(r->owner, i, name, sizeof name, &unit);
        fprintf(file.f, "%s%s%s", i > 0 ? "," : "", name, unit);
    }
    fputc('\n', file.f);
    for (int64_t k = 0; k < r->n; k++)
        for (int i = 0; i < r->width; i++)
            fprintf(file.f, "%.15g%c", r->row[k * r->width + i], i + 1 < r->width ? ',' : '\n');
    return mrn_atomic_commit(&file, msg);
}
