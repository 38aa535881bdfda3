/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes of the things of a scene: OWNERS.NAME.QUANTITY for walls, groups, inlets and outlets,
   bodies.GROUP/NUMBER.QUANTITY for one grain, with .from.NAME before the forces of one partner, and
   OWNERS.GROUP.GROUP for pairs of groups. Names of things may hold dots. And the deposit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/probes.h"

static const mrn_quantity of_wall[] = {
    {"force.x", "N"},    {"force.y", "N"},    {"force.z", "N"},    {"torque.x", "N m"},
    {"torque.y", "N m"}, {"torque.z", "N m"}, {"position.x", "m"}, {"position.y", "m"},
    {"position.z", "m"}, {"pressure", "Pa"}};
static const mrn_quantity of_group[] = {{"count", "1"},  {"mean-x", "m"},       {"mean-y", "m"},
                                        {"mean-z", "m"}, {"mean-speed", "m/s"}, MRN_OF_BODIES};
static const mrn_quantity of_grain[] = {MRN_OF_BODIES};
static const mrn_quantity of_outlet[] = {{"count", "1"}, {"mass", "kg"}};
static const mrn_quantity of_inlet[] = {{"count", "1"}, {"mass", "kg"}, {"debt", "1"}};
enum { WALL_PRESSURE = 9, MOST_QUANTITIES = 24 };

/* ---- things by kind ---- */

static int walls(const mrn_scene *scene)
{
    return scene->n_walls;
}
static const char *wall_name(const mrn_scene *scene, int i)
{
    return scene->wall[i].name;
}
static int groups(const mrn_scene *scene)
{
    return scene->n_groups;
}
static const char *group_name(const mrn_scene *scene, int i)
{
    return scene->group[i].name;
}
static int outlets(const mrn_scene *scene)
{
    return scene->n_outlets;
}
static const char *outlet_name(const mrn_scene *scene, int i)
{
    return scene->outlet[i].name;
}
/* Inlets are groups; the n-th of them. */
static const char *inlet_name(const mrn_scene *scene, int n)
{
    for (int i = 0; i < scene->n_groups; i++)
        if (scene->group[i].place == MRN_PLACE_INLET && n-- == 0)
            return scene->group[i].name;
    return "";
}
static int inlets(const mrn_scene *scene)
{
    int n = 0;
    for (int i = 0; i < scene->n_groups; i++)
        n += scene->group[i].place == MRN_PLACE_INLET;
    return n;
}

/* ---- values ---- */

/* Of a servo wall: what the grains press with against its direction, over its area. */
static double wall_pressure(const mrn_scene *scene, const mrn_state *s, int wall)
{
    const mrn_motion *m = &scene->wall[wall].motion;
    if (m->kind != MRN_MOTION_SERVO)
        return NAN;
    double area = m->servo_area, n[3];
    mrn_store3(n, m->servo_direction);
    if (!(area > 0)) { /* the cross-section of the cell */
        area = 1;
        for (int k = 0; k < scene->dimension; k++)
            area *= fabs(n[k]) > 0.7 ? 1 : s->cell_size[k];
    }
    double f = -mrn_dot(m->servo_direction, mrn_load3(s->body.f + 3 * (size_t)wall));
    return area > 0 ? f / area : NAN;
}

static double wall_value(mrn_gauge *g, const mrn_some *who, int k)
{
    int wall = who->group;
    const mrn_state *s = g->s;
    const double *field[3] = {s->body.f, s->body.t, s->body.x};
    if (wall >= s->body.n_walls)
        return NAN;
    return k == WALL_PRESSURE ? wall_pressure(g->scene, s, wall)
                              : field[k / 3][3 * (size_t)wall + k % 3];
}

static double group_value(mrn_gauge *g, const mrn_some *who, int k)
{
    int group = who->group;
    if (k >= MRN_MEANS)
        return mrn_body_value(g, who, k - MRN_MEANS);
    const mrn_state *s = g->s;
    double sum[MRN_MEANS] = {0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (s->body.group[i] == group && mrn_is_grain(s, i))
            mrn_add_mean(g->scene, s, i, sum);
    if (k == MRN_COUNT)
        return sum[MRN_COUNT];
    return sum[MRN_COUNT] > 0 ? sum[k] / sum[MRN_COUNT] : NAN;
}

static double outlet_value(mrn_gauge *g, const mrn_some *who, int k)
{
    int i = who->group;
    const mrn_drive_memory *d = &g->s->drive;
    return i >= MRN_OUTLET_MAX ? NAN : k == 0 ? d->outlet_count[i] : d->outlet_mass[i];
}

static double inlet_value(mrn_gauge *g, const mrn_some *who, int k)
{
    int i = who->group;
    const mrn_drive_memory *d = &g->s->drive;
    const double *field[3] = {d->inlet_made, d->inlet_mass, d->inlet_debt};
    return i < MRN_INLET_MAX ? field[k][i] : NAN;
}

/* ---- kinds ---- */

typedef struct kind {
    const char *owners, *what; /* "walls", "wall" */
    int (*count)(const mrn_scene *scene);
    const char *(*name)(const mrn_scene *scene, int i);
    const mrn_quantity *quantity;
    int n_quantities;
    double (*value)(mrn_gauge *g, const mrn_some *who, int k);
} kind;

static const kind kinds[] = {
    {"walls", "wall", walls, wall_name, of_wall, 10, wall_value},
    {"groups", "group", groups, group_name, of_group, MRN_MEANS + MRN_BODY_QUANTITIES, group_value},
    {"bodies", "group", groups, group_name, of_grain, MRN_BODY_QUANTITIES, mrn_body_value},
    {"outlets", "outlet", outlets, outlet_name, of_outlet, 2, outlet_value},
    {"inlets", "inlet", inlets, inlet_name, of_inlet, 3, inlet_value},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* Pairs of groups. */
static const struct {
    const char *name, *unit;
} pair_kinds[] = {{"mixing", "1"}, {"segregation", "1"}, {"separation", "m"}};
enum { N_PAIRS = 3 };

/* What a composed name says; owner or quantity -1 where it is unknown. */
typedef struct composed {
    const kind *kind;
    int pair; /* of pair_kinds; -1: none */
    int owner, quantity;
    char name[128]; /* of the owner, as far as it can be stated */
    char rest[128]; /* the quantity  */
    char grain[32]; /* of bodies: what stands behind the slash; "": nothing   */
    char from[128]; /* whose contacts are meant; "": nobody's in particular   */
    mrn_some some;
} composed;

static bool is_group(const kind *k)
{
    return k->count == groups;
}

/* Of a group or a grain: the number of its row of MRN_OF_BODIES; negative: a row before them. */
static int body_row(const composed *c)
{
    return c->kind->quantity == of_group ? c->quantity - MRN_MEANS : c->quantity;
}

/* "GROUP/3.from.WALL", the owner as it stands before its quantity: cut into its parts. */
static void read_some(const mrn_scene *scene, composed *c)
{
    c->some = (mrn_some){.grain = -1, .partner = MRN_ANYBODY};
    char *from = strstr(c->name, ".from.");
    if (from != NULL) {
        snprintf(c->from, sizeof c->from, "%s", from + strlen(".from."));
        *from = '\0';
        int wall = mrn_scene_find_wall(scene, c->from),
            group = mrn_scene_find_group(scene, c->from);
        c->some.wall = wall >= 0;
        c->some.partner = wall >= 0 && group >= 0 ? MRN_ANYBODY : wall >= 0 ? wall : group;
    }
    char *slash = c->kind->quantity == of_grain ? strrchr(c->name, '/') : NULL;
    if (slash != NULL) {
        snprintf(c->grain, sizeof c->grain, "%.31s", slash + 1);
        *slash = '\0';
        size_t digits = strspn(c->grain, "0123456789");
        if (digits > 0 && digits < 10 && c->grain[digits] == '\0')
            c->some.grain = atoi(c->grain);
    }
}

static int find_owner(const mrn_scene *scene, const kind *k, const char *name)
{
    for (int i = 0; i < k->count(scene); i++)
        if (strcmp(k->name(scene, i), name) == 0)
            return i;
    return -1;
}

/* What follows "WORD." in `name`; NULL when it does not begin so. */
static const char *after(const char *name, const char *word)
{
    size_t n = strlen(word);
    return strncmp(name, word, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

static void cut_at(const char *text, size_t cut, composed *c)
{
    snprintf(c->name, sizeof c->name, "%.*s", (int)cut, text);
    snprintf(c->rest, sizeof c->rest, "%s", text[cut] == '.' ? text + cut + 1 : "");
}

/* A quantity that is known ends the name; else an owner that is known begins it; else the first
   word is taken as the owner. */
static void read_quantity(const mrn_scene *scene, const char *text, composed *c)
{
    size_t length = strlen(text);
    for (int q = 0; q < c->kind->n_quantities; q++) {
        size_t n = strlen(c->kind->quantity[q].name);
        if (length <= n || text[length - n - 1] != '.' ||
            strcmp(text + length - n, c->kind->quantity[q].name) != 0)
            continue;
        c->quantity = q;
        cut_at(text, length - n - 1, c);
        if (is_group(c->kind))
            read_some(scene, c);
        c->owner = c->some.group = find_owner(scene, c->kind, c->name);
        return;
    }
    for (int i = 0; i < c->kind->count(scene); i++) {
        const char *rest = after(text, c->kind->name(scene, i));
        if (rest == NULL)
            continue;
        cut_at(text, (size_t)(rest - text) - 1, c);
        c->owner = i;
        return;
    }
    cut_at(text, strcspn(text, "."), c);
    c->owner = find_owner(scene, c->kind, c->name);
}

/* GROUP.GROUP: the first dot that leaves two names. */
static void read_pair(const mrn_scene *scene, const char *text, composed *c)
{
    cut_at(text, strcspn(text, "."), c);
    for (const char *dot = strchr(text, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        composed try = {.owner = -1};
        cut_at(text, (size_t)(dot - text), &try);
        int a = mrn_scene_find_group(scene, try.name), b = mrn_scene_find_group(scene, try.rest);
        if (a >= 0 || b >= 0) {
            memcpy(c->name, try.name, sizeof c->name);
            memcpy(c->rest, try.rest, sizeof c->rest);
            c->owner = a;
            c->quantity = b;
        }
        if (a >= 0 && b >= 0)
            return;
    }
}

static composed read_name(const mrn_scene *scene, const char *name)
{
    composed c = {.pair = -1, .owner = -1, .quantity = -1};
    const char *rest;
    if (strlen(name) >= sizeof c.name)
        return c;
    for (int k = 0; k < N_KINDS && c.kind == NULL; k++)
        if ((rest = after(name, kinds[k].owners)) != NULL) {
            c.kind = &kinds[k];
            read_quantity(scene, rest, &c);
        }
    for (int k = 0; k < N_PAIRS && c.kind == NULL && c.pair < 0; k++)
        if ((rest = after(name, pair_kinds[k].name)) != NULL) {
            c.pair = k;
            read_pair(scene, rest, &c);
        }
    return c;
}

/* deposit.x, .y, .z: for the asking, since finding what hangs together takes as long as all others.
   The axis; -1: another name. */
static int deposit_axis(const char *name)
{
    const char *axis = after(name, "deposit");
    return axis != NULL && axis[0] >= 'x' && axis[0] <= 'z' && axis[1] == '\0' ? axis[0] - 'x' : -1;
}

/* Every part that stands there is understood. */
static bool sound_some(const composed *c)
{
    bool one = c->kind->quantity != of_grain || c->some.grain >= 0;
    bool whose = c->from[0] == '\0' || c->some.partner != MRN_ANYBODY;
    int row = body_row(c);
    return one && whose && (c->from[0] == '\0' || (row >= 0 && row < MRN_BODY_LOADS));
}

double mrn_named_value(mrn_gauge *g, const char *name)
{
    int axis = deposit_axis(name);
    if (axis >= 0)
        return mrn_gauge_deposit(g)[axis];
    composed c = read_name(g->scene, name);
    mrn_mixing m;
    if (c.owner < 0 || c.quantity < 0)
        return NAN;
    if (c.kind != NULL && is_group(c.kind) && !sound_some(&c))
        return NAN;
    if (c.kind != NULL)
        return c.kind->value(g, &c.some, c.quantity);
    mrn_status st = mrn_mixing_of(g->scene, g->s, c.owner, c.quantity, &m, g->msg);
    if (st != MRN_OK) {
        g->status = st;
        return NAN;
    }
    const double value[N_PAIRS] = {m.lacey, m.intensity, m.separation};
    return value[c.pair];
}

/* ---- checking ---- */

/* The closest to `word` of n names. Takes no memory: winners of batches meet in the next batch. */
const char *mrn_closest_of(const char *word, int n, const char *(*name)(const void *user, int i),
                           const void *user)
{
    const char *names[65], *best = NULL;
    for (int i = 0, filled = 0; i < n; i++) {
        names[filled++] = name(user, i);
        if (filled < 64 && i < n - 1)
            continue;
        best = mrn_closest_word(word, names, filled);
        filled = 0;
        if (best != NULL)
            names[filled++] = best;
    }
    return best;
}

typedef struct owners {
    const mrn_scene *scene;
    const kind *k;
} owners;

static const char *owner_name(const void *user, int i)
{
    const owners *o = user;
    return o->k->name(o->scene, i);
}

static const char *closest_owner(const mrn_scene *scene, const kind *k, const char *word)
{
    const owners all = {scene, k};
    return mrn_closest_of(word, k->count(scene), owner_name, &all);
}

static void expect_quantities(const kind *k, mrn_message *msg)
{
    char text[400] = "";
    size_t used = 0;
    for (int i = 0; i < k->n_quantities && used < sizeof text; i++) {
        int wrote = snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? ", " : "",
                             k->quantity[i].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    mrn_fail_expected(msg, "%s", text);
}

static mrn_status unknown_owner(const mrn_scene *scene, const char *name, const composed *c,
                                mrn_message *msg)
{
    const kind *k = c->kind;
    const char *best = closest_owner(scene, k, c->name);
    mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': there is no %s called '%s'", name, k->what, c->name);
    if (best != NULL)
        mrn_fail_hint(msg, "did you mean '%s.%s.%s'?", k->owners, best,
                      c->quantity >= 0 ? c->rest : k->quantity[0].name);
    return MRN_ERR_INPUT;
}

static mrn_status unknown_quantity(const char *name, const composed *c, mrn_message *msg)
{
    const kind *k = c->kind;
    const char *words[MOST_QUANTITIES];
    for (int i = 0; i < k->n_quantities; i++)
        words[i] = k->quantity[i].name;
    const char *best = mrn_closest_word(c->rest, words, k->n_quantities);
    mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': there is no '%s' of %ss", name, c->rest, k->what);
    expect_quantities(k, msg);
    if (best != NULL)
        mrn_fail_hint(msg, "did you mean '%s.%s.%s'?", k->owners, c->name, best);
    return MRN_ERR_INPUT;
}

static mrn_status unknown_pair(const mrn_scene *scene, const char *name, const composed *c,
                               mrn_message *msg)
{
    const kind *group = &kinds[1]; /* of groups */
    const char *a = c->owner >= 0 ? c->name : closest_owner(scene, group, c->name);
    const char *b = c->quantity >= 0 ? c->rest : closest_owner(scene, group, c->rest);
    const char *wrong = c->owner >= 0 ? c->rest : c->name;
    mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': there is no group called '%s'", name, wrong);
    mrn_fail_expected(msg, "%s.GROUP.GROUP", pair_kinds[c->pair].name);
    if (a != NULL && b != NULL)
        mrn_fail_hint(msg, "did you mean '%s.%s.%s'?", pair_kinds[c->pair].name, a, b);
    return MRN_ERR_INPUT;
}

/* Only a servo has an area, now or in a stage to come. */
static bool is_servo(const mrn_scene *scene, int wall)
{
    if (scene->wall[wall].motion.kind == MRN_MOTION_SERVO)
        return true;
    for (int k = 0; k < scene->n_stages; k++)
        for (int i = 0; i < scene->stage[k].n_motions; i++)
            if (scene->stage[k].motion_wall[i] == wall &&
                scene->stage[k].motion[i].kind == MRN_MOTION_SERVO)
                return true;
    return false;
}

/* Partners in contact: groups and walls. */
static int partners(const mrn_scene *scene)
{
    return scene->n_groups + scene->n_walls;
}
static const char *partner_name(const mrn_scene *scene, int i)
{
    return i < scene->n_groups ? scene->group[i].name : scene->wall[i - scene->n_groups].name;
}
static const kind partner_kind = {
    .owners = "from", .what = "group or wall", .count = partners, .name = partner_name};

static mrn_status unknown_partner(const mrn_scene *scene, const char *name, const composed *c,
                                  mrn_message *msg)
{
    const char *best = closest_owner(scene, &partner_kind, c->from);
    int row = body_row(c);
    if (row < 0 || row >= MRN_BODY_LOADS) {
        mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': 'from' goes with forces and moments", name);
        return mrn_fail_expected(msg, "force.x|y|z, moment.x|y|z");
    }
    if (mrn_scene_find_wall(scene, c->from) >= 0 && mrn_scene_find_group(scene, c->from) >= 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': both a wall and a group are called '%s'",
                        name, c->from);
    mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': there is no group or wall called '%s'", name,
             c->from);
    if (best != NULL)
        mrn_fail_hint(msg, "did you mean '%s.%s%s%s.from.%s.%s'?", c->kind->owners, c->name,
                      c->grain[0] != '\0' ? "/" : "", c->grain, best, c->rest);
    return MRN_ERR_INPUT;
}

static mrn_status check_some(const mrn_scene *scene, const char *name, const composed *c,
                             mrn_message *msg)
{
    const mrn_group *g = &scene->group[c->owner];
    bool listed = g->place == MRN_PLACE_LIST || g->place == MRN_PLACE_CSV;
    int64_t most = listed ? g->n_grains : g->place == MRN_PLACE_FILL ? g->count : 0;
    bool one = c->kind->quantity == of_grain;
    mrn_quat start;
    if (one && (c->some.grain < 0 || (most > 0 && c->some.grain >= most))) {
        mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': which grain of the group '%s'?", name, g->name);
        return most > 0 ? mrn_fail_expected(msg, "bodies.%s/0 to bodies.%s/%lld", g->name, g->name,
                                            (long long)most - 1)
                        : mrn_fail_expected(msg, "bodies.%s/0, bodies.%s/1, …", g->name, g->name);
    }
    if (!sound_some(c))
        return unknown_partner(scene, name, c, msg);
    if (body_row(c) >= MRN_BODY_TURNS &&
        !mrn_orientation_listed(scene, c->owner, one ? c->some.grain : 0, &start)) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "probe '%s': how the grains of '%s' stood at the start is not in the scene", name,
                 g->name);
        return mrn_fail_expected(msg, "grains that are listed with their orientation, or that "
                                      "come from another run");
    }
    return MRN_OK;
}

static mrn_status check_composed(const mrn_scene *scene, const char *name, const composed *c,
                                 const char **unit, mrn_message *msg)
{
    bool known = c->owner >= 0 && c->quantity >= 0;
    if (c->kind == NULL) {
        *unit = pair_kinds[c->pair].unit;
        return known ? MRN_OK : unknown_pair(scene, name, c, msg);
    }
    if (!known)
        return c->owner < 0 ? unknown_owner(scene, name, c, msg) : unknown_quantity(name, c, msg);
    *unit = c->kind->quantity[c->quantity].unit;
    if (is_group(c->kind))
        return check_some(scene, name, c, msg);
    if (c->kind->quantity == of_wall && c->quantity == WALL_PRESSURE &&
        !is_servo(scene, c->owner)) {
        mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': only a servo wall has a pressure", name);
        mrn_fail_hint(msg, "use walls.%s.force.x|y|z and divide by the area", c->name);
        return MRN_ERR_INPUT;
    }
    return MRN_OK;
}

bool mrn_probe_composed(const mrn_scene *scene, const char *name, const char **unit,
                        mrn_status *status, mrn_message *msg)
{
    *status = MRN_OK;
    if (deposit_axis(name) >= 0) {
        *unit = "m";
        return true;
    }
    composed c = read_name(scene, name);
    if (c.kind == NULL && c.pair < 0)
        return false;
    *status = check_composed(scene, name, &c, unit, msg);
    return true;
}
