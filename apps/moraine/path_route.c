/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of --path: reading it, and finding what it names among the unknowns of a network. */
#include "path_route.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const component_name[MRN_STRAINS] = {"xx", "yy", "zz", "xy", "xz", "yz"};

/* ---- the list alone ---- */

/* Takes "stress.", "strain." or "cell." off the begin of a name. */
static const char *after_prefix(const char *text, int length, bool *strain)
{
    static const char *const prefix[] = {"strain.", "stress.", "cell."};
    *strain = false;
    for (int k = 0; k < 3; k++) {
        int n = (int)strlen(prefix[k]);
        if (length > n && strncmp(text, prefix[k], (size_t)n) == 0) {
            *strain = k == 0;
            return text + n;
        }
    }
    return text;
}

static int read_rate(const char *text, int length, mrn_path_item *out)
{
    char word[64], *end;
    snprintf(word, sizeof word, "%.*s", length, text);
    errno = 0;
    out->rate = strtod(word, &end);
    if (length == 0 || length >= (int)sizeof word || *end != '\0' || errno != 0 ||
        !isfinite(out->rate))
        return mrn_app_usage("analyze", "--path: \"%s\" after %s= (character %d) is not a number",
                             word, out->name, out->at);
    return -1;
}

/* [stress.|strain.]NAME[=RATE] */
static int read_item(const char *list, const char *text, int length, mrn_path_item *out)
{
    const char *equals = memchr(text, '=', (size_t)length);
    int named = equals != NULL ? (int)(equals - text) : length;
    *out = (mrn_path_item){.rate = 1, .at = (int)(text - list) + 1};
    const char *name = after_prefix(text, named, &out->strain);
    named -= (int)(name - text);
    if (named <= 0)
        return mrn_app_usage("analyze",
                             "--path: no component at character %d of \"%s\"; write it as yy, "
                             "yy=1,xx=-0.5 or strain.yy=-1",
                             out->at, list);
    snprintf(out->name, sizeof out->name, "%.*s", named, name);
    return equals != NULL ? read_rate(equals + 1, length - (int)(equals + 1 - text), out) : -1;
}

static int check_twice(const mrn_path_choice *o)
{
    for (int i = 0; i < o->n; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(o->item[i].name, o->item[k].name) == 0)
                return mrn_app_usage("analyze", "--path: %s stands twice (characters %d and %d)",
                                     o->item[i].name, o->item[k].at, o->item[i].at);
    return -1;
}

static int check_changes(const mrn_path_choice *o)
{
    const mrn_path_item *first[2] = {NULL, NULL};
    for (int i = 0; i < o->n; i++)
        if (o->item[i].rate != 0 && first[o->item[i].strain] == NULL)
            first[o->item[i].strain] = &o->item[i];
    if (first[0] == NULL && first[1] == NULL)
        return mrn_app_usage("analyze",
                             "--path: nothing changes along \"%s\"; give a component a "
                             "rate other than 0",
                             o->list);
    if (first[0] != NULL && first[1] != NULL)
        return mrn_app_usage("analyze",
                             "--path: the stress %s (character %d) and the strain %s (character "
                             "%d) cannot change together; one of them may be held: =0",
                             first[0]->name, first[0]->at, first[1]->name, first[1]->at);
    return -1;
}

int mrn_path_read_list(mrn_path_choice *o)
{
    o->n = 0;
    for (const char *text = o->list;; text++) {
        int length = (int)strcspn(text, ",");
        if (o->n == MRN_PATH_ITEMS)
            return mrn_app_usage("analyze", "--path: more than %d components", MRN_PATH_ITEMS);
        int code = read_item(o->list, text, length, &o->item[o->n++]);
        if (code >= 0)
            return code;
        text += length;
        if (*text == '\0')
            break;
    }
    int code = check_twice(o);
    return code >= 0 ? code : check_changes(o);
}

/* ---- names and unknowns ---- */

static int component_of(const char *name)
{
    for (int k = 0; k < MRN_STRAINS; k++)
        if (strcmp(component_name[k], name) == 0)
            return k;
    return -1;
}

static mrn_way *find(const mrn_route *r, const char *name)
{
    for (int k = 0; k < r->n; k++)
        if (strcmp(r->way[k].name, name) == 0)
            return &r->way[k];
    return NULL;
}

/* "there are xx, yy, xy" */
static void list_names(const mrn_route *r, char *buf, size_t size)
{
    size_t used = (size_t)snprintf(buf, size, r->n == 1 ? "there is" : "there are");
    for (int k = 0; k < r->n && used < size; k++)
        used +=
            (size_t)snprintf(buf + used, size - used, "%s %s", k > 0 ? "," : "", r->way[k].name);
}

/* Why a component of the cell is no unknown. */
static mrn_status not_of_cell(const mrn_scene *scene, const mrn_path_item *x, int k,
                              mrn_message *msg)
{
    static const int first[] = {0, 1, 2, 0, 0, 1}, second[] = {0, 1, 2, 1, 2, 2};
    const bool *p = scene->cell.periodic;
    bool cell = p[0] || p[1] || p[2];
    if (scene->dimension == 2 && second[k] == 2)
        return mrn_fail(msg, MRN_ERR_INPUT, "--path: %s (character %d): the state is 2D", x->name,
                        x->at);
    if (!cell)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "--path: %s (character %d): the state has no periodic cell", x->name,
                        x->at);
    return mrn_fail(msg, MRN_ERR_INPUT,
                    "--path: %s (character %d): the cell is not periodic along %c", x->name, x->at,
                    "xyz"[p[first[k]] ? second[k] : first[k]]);
}

static mrn_status unknown_name(const mrn_scene *scene, const mrn_route *r, const mrn_path_item *x,
                               mrn_message *msg)
{
    const char *word[MRN_STRAINS + MRN_PATH_ITEMS];
    const char turned[3] = {x->name[1], x->name[0], '\0'};
    int n = 0;
    for (int w = 0; w < scene->n_walls; w++)
        if (strcmp(scene->wall[w].name, x->name) == 0) {
            mrn_fail(msg, MRN_ERR_INPUT,
                     "--path: wall '%s' (character %d) has no servo: its load "
                     "is what the grains make it",
                     x->name, x->at);
            return mrn_fail_hint(msg, "give it a servo motion in the scene");
        }
    for (; n < r->n && n < MRN_STRAINS + MRN_PATH_ITEMS; n++)
        word[n] = r->way[n].name;
    const char *meant = strlen(x->name) == 2 && find(r, turned) != NULL
                            ? turned
                            : mrn_closest_word(x->name, word, n);
    mrn_fail(msg, MRN_ERR_INPUT, "--path: there is no '%s' (character %d)", x->name, x->at);
    return meant != NULL ? mrn_fail_hint(msg, "did you mean '%s'?", meant) : MRN_ERR_INPUT;
}

static mrn_status not_there(const mrn_scene *scene, const mrn_route *r, const mrn_path_item *x,
                            mrn_message *msg)
{
    char names[400];
    int k = component_of(x->name);
    list_names(r, names, sizeof names);
    mrn_status st = k >= 0 ? not_of_cell(scene, x, k, msg) : unknown_name(scene, r, x, msg);
    mrn_fail_expected(msg, "components of the cell or servo walls; %s", names);
    return st;
}

/* ---- roles ---- */

/* What a global does that the list does not name: stresses that the scene gives stay, and loads of
   servo walls; a strain that it tells, or a cell of fixed shape, is held. */
static mrn_role by_itself(const mrn_scene *scene, const mrn_global *g)
{
    bool stress =
        g->kind == MRN_GLOBAL_WALL || scene->cell.control.kind[g->component] == MRN_CONTROL_STRESS;
    return stress ? MRN_ROLE_FREE : MRN_ROLE_HELD;
}

static mrn_status list_globals(const mrn_scene *scene, const mrn_net *net, mrn_route *out,
                               mrn_message *msg)
{
    if (net->n_globals == 0) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "--path: the packing has neither a periodic cell nor servo walls to load it by");
        return mrn_fail_hint(msg,
                             "fixed walls hold it: give one wall of every axis a servo motion");
    }
    out->way = mrn_alloc((size_t)net->n_globals * sizeof *out->way);
    if (out->way == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    out->n = net->n_globals;
    for (int k = 0; k < out->n; k++) {
        const mrn_global *g = &net->global[k];
        mrn_way *w = &out->way[k];
        *w = (mrn_way){.wall = g->kind == MRN_GLOBAL_WALL,
                       .component = g->component,
                       .role = by_itself(scene, g),
                       .scale = g->scale};
        snprintf(w->name, sizeof w->name, "%s", w->wall ? g->name : component_name[g->component]);
    }
    return MRN_OK;
}

static mrn_status take_item(const mrn_scene *scene, const mrn_path_item *x, mrn_route *r,
                            mrn_message *msg)
{
    mrn_way *w = find(r, x->name);
    if (w == NULL)
        return not_there(scene, r, x, msg);
    if (w->wall && x->strain) {
        mrn_fail(msg, MRN_ERR_INPUT, "--path: '%s' (character %d) is a wall and has no strain",
                 x->name, x->at);
        return mrn_fail_hint(msg, "its load can change: %s=1", x->name);
    }
    w->rate = x->rate;
    w->role = x->strain      ? x->rate != 0 ? MRN_ROLE_STRAINED : MRN_ROLE_HELD
              : x->rate != 0 ? MRN_ROLE_LOADED
                             : MRN_ROLE_FREE;
    r->by_strain |= w->role == MRN_ROLE_STRAINED;
    if (r->driven == NULL && x->rate != 0)
        r->driven = w;
    return MRN_OK;
}

static mrn_status hold(mrn_route *r, mrn_net *net, mrn_message *msg)
{
    bool *held = mrn_alloc((size_t)r->n * sizeof *held);
    int stay = 0;
    if (held == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int k = 0; k < r->n; k++) {
        held[k] = r->way[k].role == MRN_ROLE_HELD;
        r->way[k].at = held[k] ? -1 : stay++;
    }
    mrn_status st = mrn_net_hold(net, held, msg);
    mrn_free(held);
    return st;
}

/* ---- how much ---- */

static mrn_status measure_pressure(const mrn_net *net, mrn_route *r, mrn_message *msg)
{
    double stress[6];
    double *f = mrn_alloc((size_t)net->n_rows * sizeof *f);
    if (f == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    mrn_net_forces(net, f);
    mrn_net_stress(net, f, stress);
    mrn_free(f);
    r->volume = net->volume;
    r->pressure = 0;
    for (int k = 0; k < net->dimension; k++)
        r->pressure += stress[k] / net->dimension;
    return MRN_OK;
}

static mrn_status measure_way(mrn_route *r, mrn_way *w, mrn_message *msg)
{
    if (w->role != MRN_ROLE_LOADED)
        return MRN_OK;
    if (w->wall && w->load == 0)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "--path: wall '%s' bears no load, of which its change could be a part",
                        w->name);
    if (!w->wall && !(r->pressure > 0))
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "--path: the mean pressure is %g Pa, and cannot be the unit of %s",
                        r->pressure, w->name);
    w->slope = w->wall ? w->rate * w->load : -r->volume * r->pressure * w->rate / w->scale;
    return MRN_OK;
}

static mrn_status measure_all(const mrn_net *net, mrn_route *r, mrn_message *msg)
{
    int64_t first = net->n_unknowns - net->n_globals;
    r->change = mrn_alloc((size_t)net->n_unknowns * sizeof *r->change);
    r->move = mrn_alloc(((size_t)net->n_globals + 1) * sizeof *r->move);
    if (r->change == NULL || r->move == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    mrn_status st = measure_pressure(net, r, msg);
    for (int k = 0; st == MRN_OK && k < r->n; k++) {
        mrn_way *w = &r->way[k];
        if (w->at < 0)
            continue;
        w->load = net->global[w->at].load;
        st = measure_way(r, w, msg);
        r->change[first + w->at] = w->slope;
        r->move[w->at] = w->role == MRN_ROLE_STRAINED ? w->rate * w->scale : NAN;
    }
    return st;
}

mrn_status mrn_route_make(const mrn_sample *sample, const mrn_path_choice *o, mrn_net *net,
                          mrn_route *out, mrn_message *msg)
{
    *out = (mrn_route){0};
    mrn_status st = list_globals(&sample->scene, net, out, msg);
    for (int k = 0; st == MRN_OK && k < o->n; k++)
        st = take_item(&sample->scene, &o->item[k], out, msg);
    if (st == MRN_OK)
        st = hold(out, net, msg);
    if (st == MRN_OK)
        st = mrn_net_settle(net, msg);
    return st == MRN_OK ? measure_all(net, out, msg) : st;
}

void mrn_route_release(mrn_route *r)
{
    mrn_free(r->way);
    mrn_free(r->change);
    mrn_free(r->move);
    *r = (mrn_route){0};
}
