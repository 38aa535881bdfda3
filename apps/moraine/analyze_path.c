/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The path of a contact network in `moraine analyze --path`: small displacements, no contact made,
   from the forces that are there to where the network gives way. */
#include "path_route.h"

#include <math.h>
#include <string.h>

enum { TABLE_ROWS = 20, Q = 0, SLIDING = 1, LOST = 2, FIRST = 3, LEAST_STRIDES = 250 };
static const double usual_increment = 0.02, usual_end = 5, usual_balance = 1e-4;
static const double large_strain = 0.01;
static const double most_gap = 1e-3; /* of limit analysis that is stated all the same */

/* What is known at each increment: q, sliding and lost in percent, then stress (load) and strain
   (displacement) of every global. */
typedef struct track {
    const mrn_net *net;
    const mrn_route *route;
    int width;
    double *row;
    int64_t n, room;
    bool full; /* no memory for more */
} track;

typedef struct result {
    mrn_follow way;
    mrn_status status; /* of the path: MRN_OK, or it gave way */
    mrn_message said;
    mrn_path_facts facts;
    double q;
    double slope;      /* Pa or N/m: elastic, of the first component that is driven */
    double limit, gap; /* of limit analysis; NAN: not asked for, or not found */
    track track;
} result;

/* ---- along the way ---- */

static bool note(void *user, double q, const mrn_path_facts *f)
{
    track *t = user;
    const mrn_net *net = t->net;
    const double *u = f->u + net->n_unknowns - net->n_globals;
    double stress[6], all = (double)net->n_contacts;
    if (mrn_grow(&t->row, &t->room, (t->n + 1) * t->width, sizeof *t->row) != MRN_OK) {
        t->full = true;
        return false;
    }
    double *x = t->row + t->n++ * t->width;
    mrn_net_stress(net, f->force, stress);
    x[Q] = q;
    x[SLIDING] = 100 * (double)f->sliding / all;
    x[LOST] = 100 * (double)f->open / all;
    for (int k = 0; k < t->route->n; k++) {
        const mrn_way *w = &t->route->way[k];
        x[FIRST + 2 * k] = w->wall ? w->load + q * w->slope : stress[w->component];
        x[FIRST + 2 * k + 1] = w->at >= 0 ? u[w->at] / w->scale : 0;
    }
    return true;
}

static const double *last_row(const track *t)
{
    return t->row + (t->n - 1) * t->width;
}

/* ---- what can be said before ---- */

/* Elastic: the first increment is that of springs where nothing is about to slide. `answer`: Pa by
   which the stress that answers strains most changes per unit of the parameter. */
static mrn_status elastic(mrn_path *path, const mrn_route *r, const mrn_net *net, result *x,
                          double *answer, mrn_message *msg)
{
    double *u = mrn_alloc((size_t)net->n_unknowns * sizeof *u);
    double *force = mrn_alloc(((size_t)net->n_globals + 1) * sizeof *force);
    mrn_status st = u != NULL && force != NULL ? mrn_path_elastic(path, &x->way, u, force, msg)
                                               : mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    x->slope = NAN;
    *answer = 0;
    for (int k = 0; st == MRN_OK && k < r->n; k++) {
        const mrn_way *w = &r->way[k];
        if (w->role != MRN_ROLE_LOADED && w->role != MRN_ROLE_STRAINED)
            continue;
        double strain = u[net->n_unknowns - net->n_globals + w->at] / w->scale;
        double load = w->role == MRN_ROLE_LOADED ? w->slope : force[w->at];
        double per = w->wall ? load : load * w->scale / r->volume;
        *answer = fmax(*answer, fabs(per));
        if (r->driven == w)
            x->slope = per / strain;
    }
    if (st == MRN_NOT_CONVERGED) { /* the path itself will say so */
        *msg = (mrn_message){0};
        st = MRN_OK;
    }
    mrn_free(u);
    mrn_free(force);
    return st;
}

/* Increments of stress: a part of the pressure. Of strain: such that springs would answer with that
   part. */
static mrn_status choose_strides(const mrn_path_choice *o, const mrn_route *r, double answer,
                                 mrn_follow *way, mrn_message *msg)
{
    way->increment = o->increment > 0 ? o->increment : usual_increment;
    if (o->increment <= 0 && r->by_strain) {
        if (!(answer > 0) || !(r->pressure > 0)) {
            mrn_fail(msg, MRN_ERR_INPUT,
                     "--path: no stress answers this strain, so that no "
                     "increment of it can be chosen");
            return mrn_fail_hint(msg, "give one: --increment 1e-6");
        }
        way->increment = usual_increment * r->pressure / answer;
    }
    way->up_to = o->up_to > 0   ? o->up_to
                 : r->by_strain ? LEAST_STRIDES * way->increment
                                : fmax(usual_end, way->increment);
    if (way->up_to / way->increment > 1e6) {
        mrn_fail(msg, MRN_ERR_INPUT, "--increment %g makes %.3g increments up to %g, more than 1e6",
                 way->increment, way->up_to / way->increment, way->up_to);
        return mrn_fail_hint(msg, "take larger ones, or a smaller --up-to");
    }
    return MRN_OK;
}

static mrn_status bound(const mrn_net *net, const mrn_route *r, result *x, mrn_message *msg)
{
    mrn_limit l = {0};
    mrn_limit_options opt = {.change = r->change, .fixed = true};
    x->limit = x->gap = NAN;
    if (r->by_strain)
        return MRN_OK;
    mrn_status st = mrn_limit_of(net, &opt, &l, msg);
    if (st >= 0 && l.gap <= most_gap) {
        x->limit = l.factor;
        x->gap = l.gap;
    }
    mrn_limit_release(&l);
    if (st == MRN_ERR_MEMORY)
        return st;
    *msg = (mrn_message){0}; /* what limit analysis cannot tell stays open */
    return MRN_OK;
}

/* ---- following ---- */

static mrn_status follow(const mrn_path_choice *o, const mrn_route *r, const mrn_net *net,
                         mrn_path *path, result *x, mrn_message *msg)
{
    double answer = 0;
    x->track = (track){.net = net, .route = r, .width = FIRST + 2 * r->n};
    x->way = (mrn_follow){.change = r->change, .move = r->move, .each = note, .user = &x->track};
    mrn_status st = elastic(path, r, net, x, &answer, msg);
    if (st == MRN_OK)
        st = choose_strides(o, r, answer, &x->way, msg);
    if (st == MRN_OK)
        st = bound(net, r, x, msg);
    if (st != MRN_OK)
        return st;
    x->status = mrn_path_follow(path, &x->way, &x->q, &x->said);
    x->facts = mrn_path_facts_of(path);
    if (x->track.full)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    if (x->status < 0)
        *msg = x->said;
    return x->status < 0 ? x->status : MRN_OK;
}

/* ---- what is stated ---- */

static const char *reason(mrn_path_end end)
{
    switch (end) {
    case MRN_PATH_UNSTABLE:
        return "no equilibrium is near, though forces within Coulomb's cones exist that would bear "
               "more";
    case MRN_PATH_UNSUPPORTED:
        return "no forces within Coulomb's cones bear more with these contacts";
    case MRN_PATH_UNDECIDED:
        return "no equilibrium is near; whether any forces would bear more is not known";
    default:
        return "without giving way";
    }
}

static const char *end_key(mrn_path_end end)
{
    static const char *const key[] = {[MRN_PATH_OK] = "up-to",
                                      [MRN_PATH_UNSTABLE] = "unstable",
                                      [MRN_PATH_UNSUPPORTED] = "unsupported",
                                      [MRN_PATH_UNDECIDED] = "undecided"};
    return key[end];
}

/* " by q P", " by -0.5 q P" */
static size_t tell_rate(const mrn_way *w, char *buf, size_t size)
{
    const char *unit = w->role == MRN_ROLE_STRAINED ? "q" : w->wall ? "q of its load" : "q P";
    if (w->rate == 1)
        return (size_t)snprintf(buf, size, " by %s", unit);
    return (size_t)snprintf(buf, size, " by %g %s", w->rate, unit);
}

static void tell_role(mrn_sheet *s, const mrn_route *r, mrn_role role, const char *key,
                      const char *label)
{
    char text[400] = "";
    size_t used = 0;
    json_t *list = json_object();
    for (int k = 0; k < r->n; k++) {
        const mrn_way *w = &r->way[k];
        bool changes = role == MRN_ROLE_LOADED || role == MRN_ROLE_STRAINED;
        if (w->role != role)
            continue;
        json_object_set_new(list, w->name, json_real(w->rate));
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                                     w->name);
        if (changes && used < sizeof text)
            used += tell_rate(w, text + used, sizeof text - used);
    }
    json_object_set_new(s->section, key, list);
    if (used > 0)
        mrn_sheet_row(s, label, text);
}

static void tell_way(mrn_sheet *s, const mrn_path_choice *o, const mrn_route *r, const result *x)
{
    char label[MRN_NAME + 32];
    mrn_sheet_section(s, "path");
    mrn_sheet_words(s, "rule", "flow rule", o->rule);
    json_object_set_new(s->section, "parameter", json_string(r->by_strain ? "strain" : "stress"));
    tell_role(s, r, MRN_ROLE_LOADED, "stress-changes",
              r->driven->wall ? "load changes" : "stress changes");
    tell_role(s, r, MRN_ROLE_STRAINED, "strain-changes", "strain changes");
    tell_role(s, r, MRN_ROLE_FREE, "free", "free, stress stays");
    tell_role(s, r, MRN_ROLE_HELD, "held", "held, strain stays");
    if (r->volume > 0)
        mrn_sheet_number(s, "pressure", "mean pressure P", "Pa", r->pressure);
    snprintf(label, sizeof label, "elastic slope of %s", r->driven->name);
    mrn_sheet_number(s, "elastic-slope", label, r->driven->wall ? "N/m" : "Pa", x->slope);
    mrn_sheet_number(s, "increment", "increment of q", "", x->way.increment);
    mrn_sheet_number(s, "up-to", "at most to q", "", x->way.up_to);
}

/* Where strains are imposed, stress may rise, fall or stay: the largest, and where. */
static void tell_peak(mrn_sheet *s, const mrn_route *r, const result *x)
{
    char label[MRN_NAME + 32];
    const track *t = &x->track;
    int64_t column = FIRST + 2 * (r->driven - r->way), best = 0;
    for (int64_t k = 1; k < t->n; k++)
        if (fabs(t->row[k * t->width + column]) > fabs(t->row[best * t->width + column]))
            best = k;
    snprintf(label, sizeof label, "largest stress of %s", r->driven->name);
    mrn_sheet_number(s, "peak", label, "Pa", t->row[best * t->width + column]);
    mrn_sheet_number(s, "peak-q", "at q", "", t->row[best * t->width + Q]);
}

static void tell_large(mrn_sheet *s, const mrn_route *r, const double *last)
{
    double largest = 0;
    for (int k = 0; k < r->n; k++)
        if (!r->way[k].wall)
            largest = fmax(largest, fabs(last[FIRST + 2 * k + 1]));
    if (largest > large_strain)
        mrn_sheet_words(s, "note", "note",
                        "strains above 1 %: displacements count as small and no contact is made; "
                        "the load at the end means more than its strains");
}

static void tell_end(mrn_sheet *s, const mrn_route *r, const result *x)
{
    char text[320];
    const double *last = last_row(&x->track);
    bool way = x->status == MRN_NOT_CONVERGED;
    snprintf(text, sizeof text, way ? "gives way at q = %.5g: %s" : "up to q = %.5g %s", x->q,
             reason(x->facts.end));
    mrn_sheet_words(s, "verdict", "verdict", text);
    json_object_set_new(s->section, "gives-way", json_boolean(way));
    json_object_set_new(s->section, "end", json_string(end_key(x->facts.end)));
    json_object_set_new(s->section, "message", json_string(x->said.text));
    mrn_sheet_number(s, "q", "q at the end", "", x->q);
    if (r->by_strain)
        tell_peak(s, r, x);
    else {
        mrn_sheet_number(s, "limit", "limit analysis: q at most", "", x->limit);
        mrn_sheet_number(s, "limit-gap", "sure to (duality gap)", "", x->gap);
    }
    mrn_sheet_count(s, "increments", "increments made", x->track.n - 1);
    mrn_sheet_count(s, "iterations", "elastic solutions", x->facts.iterations);
    mrn_sheet_number(s, "sliding-percent", "contacts that slide, %", "", last[SLIDING]);
    mrn_sheet_number(s, "lost-percent", "contacts lost, %", "", last[LOST]);
    for (int k = 0; k < r->n; k++) {
        const mrn_way *w = &r->way[k];
        char key[MRN_NAME + 32], label[MRN_NAME + 32];
        if (w->role == MRN_ROLE_HELD)
            continue;
        snprintf(key, sizeof key, "%s.%s", w->wall ? "displacement" : "strain", w->name);
        snprintf(label, sizeof label, "%s of %s there", w->wall ? "displacement" : "strain",
                 w->name);
        mrn_sheet_number(s, key, label, w->wall ? "m" : "", last[FIRST + 2 * k + 1]);
    }
    tell_large(s, r, last);
}

/* ---- rows ---- */

/* Name and unit of a column. */
static void column(const void *owner, int i, char *name, size_t size, const char **unit)
{
    const track *t = owner;
    static const char *const plain[] = {"q", "sliding-percent", "lost-percent"};
    *unit = "";
    if (i < FIRST) {
        snprintf(name, size, "%s", plain[i]);
        return;
    }
    const mrn_way *w = &t->route->way[(i - FIRST) / 2];
    bool strain = (i - FIRST) % 2 == 1;
    snprintf(name, size, "%s.%s",
             w->wall  ? strain ? "displacement" : "load"
             : strain ? "strain"
                      : "stress",
             w->name);
    *unit = w->wall ? strain ? " [m]" : " [N]" : strain ? "" : " [Pa]";
}

static mrn_path_rows rows_of(const track *t)
{
    return (mrn_path_rows){t, column, t->width, t->row, t->n};
}

/* Columns of the table: q, stresses and strains of what is not held (normal stresses always),
   percents. Returns how many. */
static int pick_columns(const track *t, int pick[MRN_APP_CELLS])
{
    int n = 0;
    pick[n++] = Q;
    for (int strain = 0; strain < 2; strain++)
        for (int k = 0; k < t->route->n && n < MRN_APP_CELLS - 2; k++) {
            const mrn_way *w = &t->route->way[k];
            bool normal = !w->wall && w->component <= MRN_ZZ;
            if (w->role != MRN_ROLE_HELD || (normal && strain == 0))
                pick[n++] = FIRST + 2 * k + strain;
        }
    pick[n++] = SLIDING;
    pick[n++] = LOST;
    return n;
}

/* What rounding leaves where nothing moves is shown as nothing. */
static double noise(const track *t)
{
    double largest = 0;
    for (int k = 0; k < t->route->n; k++)
        largest = fmax(largest, fabs(last_row(t)[FIRST + 2 * k + 1]));
    return 1e-9 * largest;
}

static void print_row(mrn_app_table *table, const track *t, int64_t k, const int *pick, int n)
{
    char text[MRN_APP_CELLS][32];
    const char *cell[MRN_APP_CELLS];
    for (int i = 0; i < n; i++) {
        double v = t->row[k * t->width + pick[i]];
        if (pick[i] >= FIRST && (pick[i] - FIRST) % 2 == 1 && fabs(v) < noise(t))
            v = 0;
        snprintf(text[i], sizeof text[i], pick[i] == SLIDING || pick[i] == LOST ? "%.2f" : "%.5g",
                 v);
        cell[i] = text[i];
    }
    mrn_app_table_row(table, cell);
}

static void print_rows(FILE *f, const track *t)
{
    int pick[MRN_APP_CELLS], n = pick_columns(t, pick);
    char name[MRN_APP_CELLS][MRN_NAME + 40];
    const char *head[MRN_APP_CELLS], *unit;
    mrn_app_table table;
    if (f == NULL)
        return;
    for (int i = 0; i < n; i++) {
        name[i][0] = '>';
        column(t, pick[i], name[i] + 1, sizeof name[i] - 10, &unit);
        strcat(name[i], unit);
        head[i] = pick[i] == SLIDING ? ">sliding %" : pick[i] == LOST ? ">lost %" : name[i];
    }
    mrn_app_table_begin(&table, n, head);
    int64_t rows = t->n < TABLE_ROWS ? t->n : TABLE_ROWS;
    for (int64_t k = 0; k < rows; k++)
        print_row(&table, t, rows > 1 ? k * (t->n - 1) / (rows - 1) : 0, pick, n);
    fputc('\n', f);
    mrn_app_table_print(&table, f);
}

static mrn_status write_mode(mrn_sheet *s, const char *path, const mrn_net *net, const result *x,
                             mrn_message *msg)
{
    const char *name[1] = {"gives way"};
    if (path == NULL)
        return MRN_OK;
    if (x->status == MRN_NOT_CONVERGED)
        return mrn_modes_write(path, net, 1, x->facts.mode, name, msg);
    mrn_sheet_row(s, "--modes", "it does not give way: there is no mode to write");
    return MRN_OK;
}

static mrn_status tell(mrn_sheet *s, const mrn_network_choice *o, const mrn_route *r,
                       const mrn_net *net, const result *x, mrn_message *msg)
{
    tell_way(s, &o->path, r, x);
    tell_end(s, r, x);
    mrn_path_rows rows = rows_of(&x->track);
    mrn_path_rows_put(s, &rows);
    mrn_status st = write_mode(s, o->modes, net, x, msg);
    print_rows(s->f, &x->track);
    if (st == MRN_OK && o->path.csv != NULL)
        st = mrn_path_rows_write(o->path.csv, &rows, msg);
    return st;
}

/* ---- the start ---- */

/* As strict as a run of method quasistatic: stresses and loads may be off by ten times as much, as
   the path begins with those that are there. */
static mrn_status check_balance(const mrn_equilibrium *q, double balanced, mrn_message *msg)
{
    double off = fmax(fmax(q->force, q->moment), fmax(0.1 * q->global, q->worst_coulomb - 1));
    if (off <= balanced && q->pulling == 0)
        return MRN_OK;
    mrn_fail(msg, MRN_NOT_CONVERGED,
             "--path: the state is not in equilibrium: net forces up to %.2g of the mean force, "
             "moments %.2g, walls and cell %.2g, friction up to %.6g of its limit",
             q->force, q->moment, q->global, q->worst_coulomb);
    mrn_fail_expected(msg, "%g at most, walls and cell %g", balanced, 10 * balanced);
    return mrn_fail_hint(msg,
                         "prepare it: a last stage with  damping: {local: 0.7}  and  until: "
                         "{unbalanced-force-ratio: 1e-6}; or --balanced %.0e takes it as it is",
                         pow(10, ceil(log10(off))));
}

static mrn_status prepare(const mrn_sample *sample, const mrn_path_choice *o,
                          const mrn_net_options *opt, mrn_net *net, mrn_route *r, mrn_message *msg)
{
    mrn_equilibrium q;
    mrn_status st = mrn_net_of(&sample->scene, &sample->state, sample->at, opt, net, msg);
    if (st != MRN_OK)
        return st;
    if (net->n == 0) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "--path: no grain bears a force: there is no network to follow");
        if (o->rule != NULL && strcmp(o->rule, "rigid") == 0)
            mrn_fail_hint(msg, "--rule rigid takes friction away: the packing must have been "
                               "prepared without it");
        return MRN_ERR_INPUT;
    }
    mrn_net_equilibrium(net, &q);
    st = mrn_route_make(sample, o, net, r, msg);
    return st == MRN_OK ? check_balance(&q, o->balanced > 0 ? o->balanced : usual_balance, msg)
                        : st;
}

mrn_status mrn_analyze_path(mrn_sheet *s, const mrn_sample *sample, const mrn_network_choice *o,
                            const mrn_net_options *opt, mrn_message *msg)
{
    mrn_net net = {0};
    mrn_route route = {0};
    mrn_path *path = NULL;
    result x = {0};
    mrn_path_options how = mrn_path_default();
    how.rule = strcmp(o->path.rule, "associated") == 0 ? MRN_FLOW_ASSOCIATED : MRN_FLOW_COULOMB;
    bool rigid = strcmp(o->path.rule, "rigid") == 0;
    mrn_net_options choice = *opt;
    choice.frictionless = opt->frictionless || rigid;
    mrn_status st = prepare(sample, &o->path, &choice, &net, &route, msg);
    if (st == MRN_OK && rigid)
        st = mrn_analyze_rigid(s, &o->path, &route, &net, msg);
    if (st == MRN_OK && !rigid)
        st = mrn_path_create(&net, &how, &path, msg);
    if (st == MRN_OK && !rigid)
        st = follow(&o->path, &route, &net, path, &x, msg);
    if (st == MRN_OK && !rigid)
        st = tell(s, o, &route, &net, &x, msg);
    mrn_free(x.track.row);
    mrn_path_destroy(&path);
    mrn_route_release(&route);
    mrn_net_release(&net);
    return st;
}
