/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine analyze --path LIST --rule rigid`: grains taken as rigid and without friction, from one
   isostatic network to the next. */
#include "path_route.h"

#include <math.h>
#include <string.h>

enum { TABLE_ROWS = 20, Q = 0, EVENTS = 1, FIRST = 2 };

/* Two rows for each network that holds: q, contacts opened so far, strains or ways of globals. */
typedef struct track {
    const mrn_route *route;
    int width;
    double *row;
    int64_t n, room;
    bool full;
} track;

static bool note(void *user, const mrn_rigid_facts *f)
{
    track *t = user;
    if (mrn_grow(&t->row, &t->room, (t->n + 1) * t->width, sizeof *t->row) != MRN_OK) {
        t->full = true;
        return false;
    }
    double *x = t->row + t->n++ * t->width;
    x[Q] = f->q;
    x[EVENTS] = (double)f->events;
    for (int k = 0; k < t->route->n; k++) {
        const mrn_way *w = &t->route->way[k];
        x[FIRST + k] = w->at >= 0 ? f->moved[w->at] : 0;
    }
    return true;
}

static void column(const void *owner, int i, char *name, size_t size, const char **unit)
{
    const track *t = owner;
    *unit = "";
    if (i < FIRST) {
        snprintf(name, size, "%s", i == Q ? "q" : "opened");
        return;
    }
    const mrn_way *w = &t->route->way[i - FIRST];
    snprintf(name, size, "%s.%s", w->wall ? "displacement" : "strain", w->name);
    *unit = w->wall ? " [m]" : "";
}

static mrn_path_rows rows_of(const track *t)
{
    return (mrn_path_rows){t, column, t->width, t->row, t->n};
}

static void print_rows(FILE *f, const track *t)
{
    char name[MRN_APP_CELLS][MRN_NAME + 40], text[MRN_APP_CELLS][32];
    const char *head[MRN_APP_CELLS], *cell[MRN_APP_CELLS], *unit;
    int n = t->width < MRN_APP_CELLS ? t->width : MRN_APP_CELLS;
    mrn_app_table table;
    if (f == NULL || t->n == 0)
        return;
    for (int i = 0; i < n; i++) {
        name[i][0] = '>';
        column(t, i, name[i] + 1, sizeof name[i] - 10, &unit);
        strcat(name[i], unit);
        head[i] = name[i];
        cell[i] = text[i];
    }
    mrn_app_table_begin(&table, n, head);
    int64_t rows = t->n < TABLE_ROWS ? t->n : TABLE_ROWS;
    for (int64_t k = 0; k < rows; k++) {
        const double *x = t->row + (rows > 1 ? k * (t->n - 1) / (rows - 1) : 0) * t->width;
        for (int i = 0; i < n; i++)
            snprintf(text[i], sizeof text[i], i == EVENTS ? "%.0f" : "%.6g", x[i]);
        mrn_app_table_row(&table, cell);
    }
    fputc('\n', f);
    mrn_app_table_print(&table, f);
}

static void tell(mrn_sheet *s, const track *t, const mrn_rigid_facts *f, mrn_status st,
                 const mrn_message *said)
{
    static const char *const key[] = {"up-to", "flows", "events"};
    char text[320];
    if (st == MRN_NOT_CONVERGED)
        snprintf(text, sizeof text, "lost at q = %.5g: %.250s", f->q, said->text);
    else if (f->end == MRN_RIGID_FLOWS)
        snprintf(text, sizeof text, "flows at q = %.5g: no network holds within a strain of 0.1",
                 f->q);
    else if (f->end == MRN_RIGID_EVENTS)
        snprintf(text, sizeof text, "q = %.5g after %lld contacts that opened, and not at its end",
                 f->q, (long long)f->events);
    else
        snprintf(text, sizeof text, "up to q = %.5g", f->q);
    mrn_sheet_section(s, "path");
    mrn_sheet_words(s, "rule", "grains", "rigid, without friction");
    mrn_sheet_words(s, "verdict", "verdict", text);
    json_object_set_new(s->section, "end",
                        json_string(st == MRN_NOT_CONVERGED ? "lost" : key[f->end]));
    mrn_sheet_number(s, "q", "q at the end", "", f->q);
    mrn_sheet_number(s, "first", "first network holds to q", "",
                     t->n > 1 ? t->row[t->width + Q] : NAN);
    mrn_sheet_count(s, "networks", "networks that held", f->networks);
    mrn_sheet_count(s, "opened", "contacts that opened", f->events);
    mrn_sheet_count(s, "contacts", "contacts, always", f->contacts);
}

mrn_status mrn_analyze_rigid(mrn_sheet *s, const mrn_path_choice *o, const mrn_route *route,
                             const mrn_net *net, mrn_message *msg)
{
    track t = {.route = route, .width = FIRST + route->n};
    mrn_rigid_facts f = {0};
    mrn_message said = {0};
    mrn_rigid_options opt = mrn_rigid_default();
    if (route->by_strain) {
        mrn_fail(msg, MRN_ERR_INPUT, "--rule rigid: the path changes strains");
        return mrn_fail_hint(msg, "rigid networks are followed under stated stress: --path yy");
    }
    opt.change = route->change, opt.up_to = o->up_to > 0 ? o->up_to : 5;
    opt.each = note, opt.user = &t;
    mrn_status st = mrn_rigid_follow(net, &opt, &f, &said);
    if (st < 0) {
        *msg = said;
    } else if (t.full) {
        st = mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    } else {
        tell(s, &t, &f, st, &said);
        mrn_path_rows rows = rows_of(&t);
        mrn_path_rows_put(s, &rows);
        print_rows(s->f, &t);
        st = o->csv != NULL ? mrn_path_rows_write(o->csv, &rows, msg) : MRN_OK;
    }
    mrn_free(t.row);
    return st;
}
