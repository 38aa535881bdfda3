/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collisions as people read them (a page for one, a table for many), as JSON and as CSV. */
#include <math.h>
#include <string.h>

#include "lab_collide.h"

#define DEG (180 / 3.14159265358979323846)

/* ---- one column of a table ---- */

typedef struct column {
    const char *field, *head, *unit; /* unit: with an SI prefix, or °; "": a plain number */
    double scale;
    int digits;
} column;

static const column columns[] = {
    {"en", ">en", "", 1, 5},
    {"et", ">et", "", 1, 5},
    {"omega", ">ω, rad/s", "", 1, 5},
    {"rebound_angle", ">rebound", "°", DEG, 4},
    {"rebound_angle_contact", ">contact", "°", DEG, 4},
    {"psi1", ">ψ1", "", 1, 4},
    {"psi2", ">ψ2", "", 1, 4},
    {"contact_time", ">time", "s", 1, 0},
    {"max_force", ">force", "N", 1, 0},
    {"max_overlap", ">overlap", "m", 1, 0},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static mrn_readable cell(const column *c, const mrn_rebound *r)
{
    const mrn_rebound_field *f = mrn_rebound_field_find(c->field);
    double v = f != NULL ? mrn_rebound_value(r, f) * c->scale : NAN;
    if (c->digits == 0 && isfinite(v))
        return mrn_readable_si(v, c->unit);
    mrn_readable t = mrn_cli_number(v == 0 ? 0 : v, c->digits); /* no minus before a zero */
    if (c->digits > 0 && isfinite(v))
        strcat(t.s, c->unit);
    return t;
}

/* "" where all is well. */
static const char *remark(const mrn_rebound *r, mrn_status status)
{
    return r->stuck ? "stuck" : status == MRN_NOT_CONVERGED ? "not converged" : "";
}

static bool any_remark(const mrn_impacts *x, int law)
{
    int n = x->lab->e.at.n;
    for (int i = law * n; i < (law + 1) * n; i++)
        if (remark(&x->rebound[i], x->status[i])[0] != '\0')
            return true;
    return false;
}

/* ---- many ---- */

static void show_table(mrn_cli_out *o, const mrn_impacts *x, int law)
{
    const mrn_conditions *at = &x->lab->e.at;
    const char *text[MRN_APP_CELLS];
    mrn_readable store[MRN_APP_CELLS];
    mrn_app_table t;
    bool remarks = any_remark(x, law);
    int most = MRN_APP_CELLS - COLUMNS - 2, m = at->n_conditions < most ? at->n_conditions : most;
    for (int k = 0; k < m; k++) {
        store[k].s[0] = '>';
        snprintf(store[k].s + 1, sizeof store[k].s - 1, "%.60s",
                 mrn_cli_heading(at->factor[k].name, at->unit[k]).s);
        text[k] = store[k].s;
    }
    for (int k = 0; k < COLUMNS; k++)
        text[m + k] = columns[k].head;
    text[m + COLUMNS] = ">error";
    text[m + COLUMNS + 1] = "";
    int count = m + COLUMNS + 1 + remarks;
    mrn_app_table_begin(&t, count, text);
    for (int i = 0; i < at->n; i++) {
        const mrn_rebound *r = &x->rebound[law * at->n + i];
        for (int k = 0; k < m; k++)
            store[k] = mrn_cli_number(at->value[i * at->n_conditions + k] /
                                          mrn_cli_unit(at->unit[k], at->factor[k].unit),
                                      6);
        for (int k = 0; k < COLUMNS; k++)
            store[m + k] = cell(&columns[k], r);
        store[m + COLUMNS] = mrn_cli_number(r->error, 1);
        snprintf(store[m + COLUMNS + 1].s, sizeof store[0].s, "%s",
                 remark(r, x->status[law * at->n + i]));
        for (int k = 0; k < count; k++)
            text[k] = store[k].s;
        mrn_app_table_row(&t, text);
    }
    mrn_cli_table(o, "", &t);
}

/* ---- one ---- */

static void show_single(mrn_cli_out *o, const mrn_impacts *x, int law)
{
    static const char *const name[COLUMNS] = {"normal restitution en",
                                              "tangential restitution et",
                                              "spin after it, about y",
                                              "rebound angle, of the centre",
                                              "rebound angle, of the contact point",
                                              "psi1, before",
                                              "psi2, after",
                                              "contact time",
                                              "largest force",
                                              "largest overlap"};
    const mrn_rebound *r = &x->rebound[law];
    const char *head[] = {"response", ">value"};
    mrn_app_table t;
    mrn_app_table_begin(&t, 2, head);
    for (int k = 0; k < COLUMNS; k++) {
        char text[128];
        snprintf(text, sizeof text, "%s%s", cell(&columns[k], r).s,
                 strstr(columns[k].head, "rad/s") != NULL ? " rad/s" : "");
        mrn_app_table_row(&t, (const char *[]){name[k], text});
    }
    mrn_app_table_row(
        &t, (const char *[]){"share of the energy lost", mrn_cli_number(r->energy_lost, 4).s});
    char text[200];
    snprintf(text, sizeof text, "%s in %s steps", mrn_cli_number(r->error, 2).s,
             mrn_readable_count(r->steps).s);
    mrn_app_table_row(&t, (const char *[]){"estimated error", r->steps > 0 ? text : "exact"});
    mrn_cli_table(o, "", &t);
    if (r->stuck)
        mrn_cli_note(o, MRN_TONE_DOUBT,
                     "They did not part: what is above is when it was given up.");
}

/* Said where it matters: a degree moves et by hundredths. */
#define TURN_TOLD 1.0

static void show_turn(mrn_cli_out *o, const mrn_impacts *x)
{
    int n = x->lab->n_laws * x->lab->e.at.n;
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, x->rebound[i].normal_turn * DEG);
    if (!(most > TURN_TOLD))
        return;
    bool end = x->lab->e.candidate[0].collision.about_end;
    mrn_cli_note(o, MRN_TONE_DOUBT,
                 "The normal turned by up to %.3g° while they touched: en, et, psi2 and angles are "
                 "about the normal %s. `normal: %s` in `collision` takes that %s.",
                 most, end ? "of the moment when they parted" : "at first touch",
                 end ? "touch" : "end", end ? "at first touch" : "of the moment when they parted");
}

void mrn_collide_show(mrn_cli_out *o, const mrn_impacts *x)
{
    const mrn_cli *lab = x->lab;
    for (int k = 0; k < lab->n_laws && (o->f != NULL || o->page != NULL); k++) {
        const mrn_candidate *c = &lab->e.candidate[lab->law[k]];
        char head[200], law[1600];
        bool same = c->name[0] == '\0' || strcmp(c->name, c->collision.model.name) == 0;
        snprintf(head, sizeof head, same ? "%.60s%s" : "%.60s (%s)",
                 same ? c->collision.model.name : c->name, same ? "" : c->collision.model.name);
        mrn_cli_section(o, head);
        mrn_cli_law_text(&c->collision, law, sizeof law);
        mrn_cli_words(o, "%s", law);
        if (lab->e.at.n == 1)
            show_single(o, x, k);
        else
            show_table(o, x, k);
    }
    show_turn(o, x);
}

/* ---- JSON ---- */

void mrn_collide_placed(const mrn_impacts *x, int law, int row, mrn_collision *out)
{
    const mrn_experiment *e = &x->lab->e;
    mrn_cli_place(&e->candidate[x->lab->law[law]].collision, &e->at,
                  e->at.value + (size_t)row * (size_t)e->at.n_conditions, out, NULL);
}

static json_t *history_json(const mrn_history_of *h)
{
    json_t *list = json_array();
    for (int i = 0; i < h->n; i++) {
        const mrn_collision_row *r = &h->row[i];
        json_array_append_new(
            list,
            json_pack("{s:f, s:f, s:f, s:f, s:[f,f], s:[f,f,f], s:[f,f,f], s:[f,f], s:o, s:o}",
                      "time", r->time, "overlap", r->overlap, "rate", r->rate, "fn", r->fn, "ft",
                      r->ft[0], r->ft[1], "velocity", r->velocity[0], r->velocity[1],
                      r->velocity[2], "spin", r->spin[0], r->spin[1], r->spin[2], "slip",
                      r->slip[0], r->slip[1], "stored", mrn_cli_real(r->stored), "lost",
                      mrn_cli_real(r->lost)));
    }
    return list;
}

static json_t *impact_json(const mrn_impacts *x, int law, int row)
{
    const mrn_experiment *e = &x->lab->e;
    const mrn_candidate *c = &e->candidate[x->lab->law[law]];
    int i = law * e->at.n + row;
    const mrn_rebound *r = &x->rebound[i];
    mrn_collision used;
    json_t *o = json_object();
    mrn_collide_placed(x, law, row, &used);
    json_object_set_new(o, "law", json_string(c->name));
    json_object_set_new(o, "model", json_string(used.model.name));
    json_object_set_new(o, "angle", mrn_cli_real(used.angle));
    json_object_set_new(o, "speed", mrn_cli_real(used.speed));
    json_object_set_new(o, "spin", mrn_cli_real(used.spin[0][1]));
    for (int k = 0; k < e->at.n_conditions; k++)
        json_object_set_new(o, e->at.factor[k].name,
                            mrn_cli_real(e->at.value[row * e->at.n_conditions + k]));
    for (int k = 0; k < mrn_rebound_field_count(); k++) {
        const mrn_rebound_field *f = mrn_rebound_field_at(k);
        json_object_set_new(o, f->name, mrn_cli_real(mrn_rebound_value(r, f)));
    }
    json_object_set_new(o, "error", mrn_cli_real(r->error));
    json_object_set_new(o, "steps", json_integer(r->steps));
    json_object_set_new(o, "stuck", json_boolean(r->stuck));
    json_object_set_new(o, "status", json_string(mrn_status_text(x->status[i])));
    json_object_set_new(o, "parameters", mrn_cli_law_json(&used));
    if (x->history != NULL)
        json_object_set_new(o, "history", history_json(&x->history[i]));
    return o;
}

static json_t *units_json(const mrn_experiment *e)
{
    json_t *o = json_pack("{s:s, s:s, s:s}", "angle", "rad", "speed", "m/s", "spin", "rad/s");
    for (int k = 0; k < e->at.n_conditions; k++)
        json_object_set_new(o, e->at.factor[k].name, json_string(e->at.factor[k].unit));
    for (int k = 0; k < mrn_rebound_field_count(); k++)
        json_object_set_new(o, mrn_rebound_field_at(k)->name,
                            json_string(mrn_rebound_field_at(k)->unit));
    return o;
}

json_t *mrn_collide_json(const mrn_impacts *x)
{
    const mrn_experiment *e = &x->lab->e;
    json_t *list = json_array();
    for (int k = 0; k < x->lab->n_laws; k++)
        for (int i = 0; i < e->at.n; i++)
            json_array_append_new(list, impact_json(x, k, i));
    return json_pack("{s:s, s:s, s:s, s:f, s:o, s:o}", "version", MRN_VERSION, "title", e->title,
                     "file", e->path, "accuracy", e->accuracy, "units", units_json(e), "impacts",
                     list);
}

/* ---- CSV ---- */

/* Names hold no line ends; commas and quotes are written for spreadsheets their way. */
static void put_text(FILE *f, const char *text)
{
    if (strpbrk(text, ",\"") == NULL) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (const char *p = text; *p != '\0'; p++)
        fprintf(f, *p == '"' ? "\"\"" : "%c", *p);
    fputc('"', f);
}

static void put_number(FILE *f, double v)
{
    if (isfinite(v))
        fprintf(f, ",%.17g", v);
    else
        fputc(',', f);
}

static bool usual(const char *name)
{
    return strcmp(name, "angle") == 0 || strcmp(name, "speed") == 0 || strcmp(name, "spin") == 0;
}

static void csv_head(const mrn_impacts *x, FILE *f)
{
    const mrn_conditions *at = &x->lab->e.at;
    fputs("law,angle [rad],speed [m/s],spin [rad/s]", f);
    for (int k = 0; k < at->n_conditions; k++)
        if (!usual(at->factor[k].name))
            fprintf(f, ",%s [%s]", at->factor[k].name, at->factor[k].unit);
    for (int k = 0; k < mrn_rebound_field_count(); k++)
        fprintf(f, ",%s [%s]", mrn_rebound_field_at(k)->name, mrn_rebound_field_at(k)->unit);
    fputs(",error [1],steps [1],stuck\n", f);
}

static void csv_row(const mrn_impacts *x, int law, int row, FILE *f)
{
    const mrn_experiment *e = &x->lab->e;
    const mrn_conditions *at = &e->at;
    int i = law * at->n + row;
    mrn_collision used;
    mrn_collide_placed(x, law, row, &used);
    put_text(f, e->candidate[x->lab->law[law]].name);
    put_number(f, used.angle);
    put_number(f, used.speed);
    put_number(f, used.spin[0][1]);
    for (int k = 0; k < at->n_conditions; k++)
        if (!usual(at->factor[k].name))
            put_number(f, at->value[row * at->n_conditions + k]);
    for (int k = 0; k < mrn_rebound_field_count(); k++)
        put_number(f, mrn_rebound_value(&x->rebound[i], mrn_rebound_field_at(k)));
    put_number(f, x->rebound[i].error);
    fprintf(f, ",%lld,%s\n", (long long)x->rebound[i].steps,
            x->rebound[i].stuck ? "true" : "false");
}

mrn_status mrn_collide_csv(const mrn_impacts *x, const char *path, mrn_message *msg)
{
    mrn_atomic_file file;
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    csv_head(x, file.f);
    for (int k = 0; k < x->lab->n_laws; k++)
        for (int i = 0; i < x->lab->e.at.n; i++)
            csv_row(x, k, i, file.f);
    return mrn_atomic_commit(&file, msg);
}

static void history_rows(const mrn_history_of *h, const char *law, int impact, FILE *f)
{
    for (int i = 0; i < h->n; i++) {
        const mrn_collision_row *r = &h->row[i];
        const double list[] = {r->time,        r->overlap, r->rate,        r->fn,
                               r->ft[0],       r->ft[1],   r->velocity[0], r->velocity[1],
                               r->velocity[2], r->spin[0], r->spin[1],     r->spin[2],
                               r->slip[0],     r->slip[1], r->stored,      r->lost};
        put_text(f, law);
        fprintf(f, ",%d", impact);
        for (size_t k = 0; k < sizeof list / sizeof *list; k++)
            put_number(f, list[k]);
        fputc('\n', f);
    }
}

mrn_status mrn_collide_history_csv(const mrn_impacts *x, const char *path, mrn_message *msg)
{
    const mrn_experiment *e = &x->lab->e;
    mrn_atomic_file file;
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    fputs("law,impact,time [s],overlap [m],rate [m/s],fn [N],ft_x [N],ft_y [N],"
          "velocity_x [m/s],velocity_y [m/s],velocity_z [m/s],spin_x [rad/s],spin_y [rad/s],"
          "spin_z [rad/s],slip_x [m/s],slip_y [m/s],stored [J],lost [J]\n",
          file.f);
    for (int k = 0; k < x->lab->n_laws; k++)
        for (int i = 0; i < e->at.n; i++)
            history_rows(&x->history[k * e->at.n + i], e->candidate[x->lab->law[k]].name, i,
                         file.f);
    return mrn_atomic_commit(&file, msg);
}
