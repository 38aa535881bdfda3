/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of grains: sizes, places, first velocities. Sizes are kept as radii, whatever the scene
 * used. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "moraine/ballast.h"
#include "scene/build.h"

/* ---- sizes ---- */

/* `radius` or `diameter` of a mapping, as a radius; *found tells whether one stands there. */
static mrn_status read_radius(mrn_reader *r, const mrn_node *map, double *out, bool *found)
{
    const mrn_node *radius = mrn_node_get(map, "radius"), *diameter = mrn_node_get(map, "diameter");
    *found = radius != NULL || diameter != NULL;
    if (radius != NULL)
        return mrn_read_quantity(&r->check, radius, "m", out);
    mrn_status s = diameter != NULL ? mrn_read_quantity(&r->check, diameter, "m", out) : MRN_OK;
    *out = diameter != NULL ? 0.5 * *out : *out;
    return s;
}

static mrn_status read_length(mrn_reader *r, const mrn_node *n, double scale, double *out)
{
    mrn_status s = n != NULL ? mrn_read_quantity(&r->check, n, "m", out) : MRN_OK;
    *out = n != NULL && s == MRN_OK ? scale * *out : *out;
    return s;
}

static mrn_status read_uniform(mrn_reader *r, const mrn_node *n, double scale, mrn_size *out)
{
    out->kind = MRN_SIZE_UNIFORM;
    mrn_status s = read_length(r, n->first, scale, &out->lo);
    if (s == MRN_OK)
        s = read_length(r, n->last, scale, &out->hi);
    if (s == MRN_OK && !(out->hi > out->lo))
        return mrn_check_fail(&r->check, n, "[smallest, largest]",
                              "'uniform': the second size must be larger than the first");
    out->mean = 0.5 * (out->lo + out->hi);
    return s;
}

/* Cuts of a bell-shaped distribution must leave its middle. */
static mrn_status check_cuts(mrn_reader *r, const mrn_node *n, const mrn_size *size)
{
    if (size->lo > 0 && size->lo <= size->mean && size->hi >= size->mean)
        return MRN_OK;
    if (size->lo <= 0) {
        mrn_check_fail(&r->check, n, NULL, "the distribution reaches sizes of 0 and below");
        return mrn_fail_hint(r->check.msg, "cut it with `min:`, or lower the deviation");
    }
    return mrn_check_fail(&r->check, n, "min, then the middle, then max",
                          "'min' and 'max' do not enclose the middle of the distribution");
}

static mrn_status read_normal(mrn_reader *r, const mrn_node *n, double scale, mrn_size *out)
{
    out->kind = MRN_SIZE_NORMAL;
    mrn_status s = read_length(r, mrn_node_get(n, "mean"), scale, &out->mean);
    if (s == MRN_OK)
        s = read_length(r, mrn_node_get(n, "deviation"), scale, &out->deviation);
    out->lo = out->mean - 3 * out->deviation;
    out->hi = out->mean + 3 * out->deviation;
    if (s == MRN_OK)
        s = read_length(r, mrn_node_get(n, "min"), scale, &out->lo);
    if (s == MRN_OK)
        s = read_length(r, mrn_node_get(n, "max"), scale, &out->hi);
    return s == MRN_OK ? check_cuts(r, n, out) : s;
}

static mrn_status read_lognormal(mrn_reader *r, const mrn_node *n, double scale, mrn_size *out)
{
    out->kind = MRN_SIZE_LOGNORMAL;
    mrn_status s = read_length(r, mrn_node_get(n, "median"), scale, &out->mean);
    if (s == MRN_OK)
        s = mrn_read_quantity(&r->check, mrn_node_get(n, "sigma"), "1", &out->deviation);
    out->lo = out->mean * exp(-3 * out->deviation);
    out->hi = out->mean * exp(3 * out->deviation);
    if (s == MRN_OK)
        s = read_length(r, mrn_node_get(n, "min"), scale, &out->lo);
    if (s == MRN_OK)
        s = read_length(r, mrn_node_get(n, "max"), scale, &out->hi);
    return s == MRN_OK ? check_cuts(r, n, out) : s;
}

static mrn_status read_sieve_row(mrn_reader *r, const mrn_node *row, double scale, mrn_size *out)
{
    int i = out->n;
    double percent = 0;
    mrn_status s = read_length(r, row->first, scale, &out->sieve_radius[i]);
    if (s == MRN_OK)
        s = mrn_read_quantity(&r->check, row->last, "percent", &percent);
    if (s != MRN_OK)
        return s;
    out->sieve_passing[i] = percent / 100;
    out->n++;
    if (out->sieve_radius[i] <= 0)
        return mrn_check_fail(&r->check, row->first, "more than 0", "a sieve of size %s",
                              row->first->text);
    if (percent < 0 || percent > 100)
        return mrn_check_fail(&r->check, row->last, "between 0 and 100",
                              "%s is not a percentage that passes", row->last->text);
    if (i > 0 && (out->sieve_radius[i] <= out->sieve_radius[i - 1] ||
                  out->sieve_passing[i] < out->sieve_passing[i - 1]))
        return mrn_check_fail(&r->check, row, "sizes and percentages that rise from row to row",
                              "the sieve curve falls here");
    return MRN_OK;
}

static mrn_status read_sieve(mrn_reader *r, const mrn_node *n, double scale, mrn_size *out)
{
    out->kind = MRN_SIZE_SIEVE;
    mrn_status s = mrn_array(&out->sieve_radius, n->n, sizeof(double), r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&out->sieve_passing, n->n, sizeof(double), r->check.msg);
    for (const mrn_node *row = n->first; row != NULL && s == MRN_OK; row = row->next)
        s = read_sieve_row(r, row, scale, out);
    if (s != MRN_OK)
        return s;
    if (out->sieve_passing[0] != 0)
        return mrn_check_fail(&r->check, n->first, "a first row with 0 percent: the smallest size",
                              "the sieve curve does not begin at 0");
    if (out->sieve_passing[out->n - 1] != 1)
        return mrn_check_fail(&r->check, n->last, "a last row with 100 percent: the largest size",
                              "the sieve curve does not end at 100");
    out->mean = 0.5 * (out->sieve_radius[0] + out->sieve_radius[out->n - 1]);
    return MRN_OK;
}

/* Up to the first sieve that all pass. */
static mrn_status read_category(mrn_reader *r, const mrn_node *n, double scale, mrn_size *out)
{
    const mrn_ballast_category *b = mrn_ballast_category_find(n->text);
    out->kind = MRN_SIZE_SIEVE;
    mrn_status s = mrn_array(&out->sieve_radius, MRN_BALLAST_SIEVES, sizeof(double), r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&out->sieve_passing, MRN_BALLAST_SIEVES, sizeof(double), r->check.msg);
    for (int i = 0; i < MRN_BALLAST_SIEVES && s == MRN_OK; i++) {
        if (out->n > 0 && out->sieve_passing[out->n - 1] == 1)
            break;
        out->sieve_radius[out->n] = scale * b->sieve[i];
        out->sieve_passing[out->n++] = i == 0 ? 0 : 0.5 * (b->least[i] + b->most[i]);
    }
    if (s == MRN_OK)
        out->mean = 0.5 * (out->sieve_radius[0] + out->sieve_radius[out->n - 1]);
    return s;
}

static mrn_status read_size(mrn_reader *r, const mrn_node *n, double scale, mrn_size *out)
{
    if (n->kind == MRN_NODE_SCALAR)
        return read_length(r, n, scale, &out->mean);
    const mrn_node *how = n->first;
    if (strcmp(how->key->text, "uniform") == 0)
        return read_uniform(r, how, scale, out);
    if (strcmp(how->key->text, "normal") == 0)
        return read_normal(r, how, scale, out);
    if (strcmp(how->key->text, "log-normal") == 0)
        return read_lognormal(r, how, scale, out);
    if (strcmp(how->key->text, "category") == 0)
        return read_category(r, how, scale, out);
    return read_sieve(r, how, scale, out);
}

/* ---- places ---- */

mrn_status mrn_build_region(mrn_reader *r, const mrn_node *n, mrn_region *out)
{
    static const char *const kinds[] = {"box", "cylinder", "sphere", NULL};
    const mrn_node *what = n->first;
    bool found;
    while (mrn_read_word(what->key, kinds) < 0)
        what = what->next; /* the tables see to it that there is one */
    if (strcmp(what->key->text, "box") == 0) {
        out->kind = MRN_REGION_BOX;
        return mrn_read_box(&r->check, what, &out->lo, &out->hi);
    }
    mrn_status s = read_radius(r, what, &out->radius, &found);
    if (s != MRN_OK)
        return s;
    if (strcmp(what->key->text, "sphere") == 0) {
        out->kind = MRN_REGION_SPHERE;
        return mrn_read_vector(&r->check, mrn_node_get(what, "centre"), "m", &out->lo);
    }
    if (r->check.dimension == 2)
        return mrn_check_fail(&r->check, what->key, "box or sphere",
                              "there is no cylinder in 2 dimensions");
    out->kind = MRN_REGION_CYLINDER;
    s = mrn_read_vector(&r->check, mrn_node_get(what, "from"), "m", &out->lo);
    if (s == MRN_OK)
        s = mrn_read_vector(&r->check, mrn_node_get(what, "to"), "m", &out->hi);
    if (s == MRN_OK && mrn_norm(mrn_sub(out->hi, out->lo)) == 0)
        return mrn_check_fail(&r->check, what, "'from' and 'to' at different points",
                              "the cylinder has no length");
    return s;
}

static mrn_status read_lattice(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    mrn_status s = mrn_read_keys(&r->check, &mrn_schema_lattice, n, g);
    g->place = MRN_PLACE_LATTICE;
    if (s != MRN_OK)
        return s;
    if (g->lattice == MRN_LATTICE_FCC && r->check.dimension == 2)
        return mrn_check_fail(&r->check, mrn_node_get(n, "kind"),
                              "cubic (square) or hexagonal (triangular)",
                              "fcc is a lattice in 3 dimensions");
    g->region.kind = MRN_REGION_BOX;
    return mrn_read_box(&r->check, mrn_node_get(n, "box"), &g->region.lo, &g->region.hi);
}

mrn_status mrn_build_rotation(mrn_reader *r, const mrn_node *n, mrn_quat *out)
{
    const mrn_check *c = &r->check;
    mrn_vec3 axis = {0, 0, 1};
    double angle = 0;
    if ((n->kind == MRN_NODE_SCALAR) != (c->dimension == 2))
        return mrn_check_fail(c, n,
                              c->dimension == 2 ? "one angle such as 45 deg, as the scene is 2D"
                                                : "{axis: [0, 1, 0], angle: 45 deg}",
                              "'rotation' cannot be %s in %d dimensions", mrn_node_kind_text(n),
                              c->dimension);
    if (n->kind == MRN_NODE_SCALAR) {
        mrn_status s = mrn_read_quantity(c, n, "rad", &angle);
        *out = mrn_quat_from_rotation(mrn_v3(0, 0, angle));
        return s;
    }
    const mrn_node *along = mrn_node_get(n, "axis");
    mrn_status s = mrn_read_vector(c, along, "1", &axis);
    if (s == MRN_OK)
        s = mrn_read_quantity(c, mrn_node_get(n, "angle"), "rad", &angle);
    if (s == MRN_OK && !(mrn_norm(axis) > 0))
        return mrn_check_fail(c, along, "a direction such as [0, 0, 1]",
                              "'axis' has no direction: it is 0");
    *out = mrn_quat_from_rotation(mrn_scale(angle / mrn_norm(axis), axis));
    return s;
}

static mrn_status read_orientation(mrn_reader *r, const mrn_node *n, mrn_quat *out)
{
    double q[4] = {0};
    int i = 0;
    mrn_status s = MRN_OK;
    if (r->check.dimension == 2)
        return mrn_check_fail(&r->check, n->key, "rotation: 45 deg",
                              "'orientation' has no meaning in 2 dimensions");
    for (const mrn_node *x = n->first; x != NULL && s == MRN_OK; x = x->next)
        s = mrn_read_quantity(&r->check, x, "1", &q[i++]);
    if (s != MRN_OK)
        return s;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1) < 0.01)) /* three digits as people write them */
        return mrn_check_fail(&r->check, n, "a quaternion [w, x, y, z] of length 1",
                              "'orientation' has length %.4g", norm);
    *out = mrn_quat_unit((mrn_quat){q[0], q[1], q[2], q[3]});
    return MRN_OK;
}

static mrn_status read_grain(mrn_reader *r, const mrn_node *n, mrn_grain *out)
{
    if (n->kind == MRN_NODE_LIST)
        return mrn_read_vector(&r->check, n, "m", &out->x);
    bool found;
    mrn_status s = mrn_read_keys(&r->check, &mrn_schema_grain, n, out);
    const mrn_node *q = mrn_node_get(n, "orientation"), *turn = mrn_node_get(n, "rotation");
    if (s == MRN_OK && q != NULL)
        s = read_orientation(r, q, &out->q);
    if (s == MRN_OK && turn != NULL)
        s = mrn_build_rotation(r, turn, &out->q);
    return s == MRN_OK ? read_radius(r, n, &out->radius, &found) : s;
}

static mrn_status read_list(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    g->place = MRN_PLACE_LIST;
    mrn_status s = mrn_array(&g->grain, n->n, sizeof *g->grain, r->check.msg);
    for (const mrn_node *x = n->first; x != NULL && s == MRN_OK; x = x->next) {
        mrn_grain *grain = &g->grain[g->n_grains++];
        *grain = (mrn_grain){.v = g->velocity, .w = g->spin, .radius = NAN};
        s = read_grain(r, x, grain);
    }
    return s;
}

static mrn_status read_inlet(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    int inlets = 0;
    for (int i = 0; i < r->scene->n_groups; i++)
        inlets += r->scene->group[i].place == MRN_PLACE_INLET;
    if (inlets == MRN_INLET_MAX)
        return mrn_check_fail(&r->check, n->key, "fewer inlets", "more than %d inlets in a scene",
                              MRN_INLET_MAX);
    g->place = MRN_PLACE_INLET;
    mrn_keys_default(&mrn_schema_inlet, &g->inlet);
    mrn_status s = mrn_build_region(r, n, &g->region);
    if (s == MRN_OK)
        s = mrn_read_keys(&r->check, &mrn_schema_inlet, n, &g->inlet);
    if (s == MRN_OK && !(g->inlet.end > g->inlet.begin))
        return mrn_check_fail(&r->check, mrn_node_get(n, "until"), "a time after 'from'",
                              "'until' comes before 'from'");
    return s;
}

/* ---- a group ---- */

static mrn_status fail_misplaced(mrn_reader *r, const mrn_node *n, const char *place)
{
    mrn_check_fail(&r->check, n->key, NULL, "'%s' has no meaning with 'place: %s'", n->key->text,
                   place);
    return mrn_fail_hint(r->check.msg, "remove it");
}

/* How many grains: each way of placing has its own rule. */
static mrn_status read_count(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    const mrn_node *count = mrn_node_get(n, "count"), *place = mrn_node_get(n, "place")->first;
    const mrn_node *fraction = mrn_node_get(n, "solid-fraction");
    if (count != NULL)
        g->count = (int64_t)mrn_read_integer(&r->check, count);
    if (g->place == MRN_PLACE_FILL) {
        if (count == NULL && fraction == NULL) {
            mrn_check_fail(&r->check, n, "count: 1000, or solid-fraction: 0.3",
                           "how many grains to fill in is not said");
            return mrn_fail_hint(r->check.msg,
                                 "add 'count' or 'solid-fraction' to this body group");
        }
        return fraction != NULL ? mrn_read_quantity(&r->check, fraction, "1", &g->solid_fraction)
                                : MRN_OK;
    }
    if (fraction != NULL)
        return fail_misplaced(r, fraction, place->key->text);
    if (g->place == MRN_PLACE_INLET) {
        g->inlet.limit = g->count;
        g->count = 0;
        return MRN_OK;
    }
    if (count != NULL && g->place != MRN_PLACE_LATTICE)
        return fail_misplaced(r, count, place->key->text);
    return MRN_OK;
}

static mrn_status read_place(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    const mrn_node *how = mrn_node_get(n, "place")->first;
    if (strcmp(how->key->text, "fill") == 0) {
        g->place = MRN_PLACE_FILL;
        return mrn_build_region(r, how, &g->region);
    }
    if (strcmp(how->key->text, "lattice") == 0)
        return read_lattice(r, how, g);
    if (strcmp(how->key->text, "list") == 0)
        return read_list(r, how, g);
    if (strcmp(how->key->text, "inlet") == 0)
        return read_inlet(r, how, g);
    g->place = MRN_PLACE_CSV;
    return mrn_build_csv(r, how, g);
}

/* Without a size in the shape every grain must bring its own. */
static mrn_status check_sized(mrn_reader *r, const mrn_node *shape, mrn_group *g)
{
    bool all = g->n_grains > 0;
    double largest = 0;
    for (int64_t i = 0; i < g->n_grains; i++) {
        all = all && !isnan(g->grain[i].radius);
        largest = fmax(largest, g->grain[i].radius);
    }
    if (!all) {
        mrn_check_fail(&r->check, shape, "radius or diameter", "the %s has no size",
                       shape->key->text);
        return mrn_fail_hint(r->check.msg, "for example %s: {diameter: 2 mm}", shape->key->text);
    }
    g->size = (mrn_size){.kind = MRN_SIZE_CONSTANT, .mean = largest};
    return MRN_OK;
}

/* Orientations are distinguished from the frame of the template; bodies turn in their principal
 * axes. */
static void turn_grains(mrn_group *g, mrn_quat turn)
{
    for (int64_t i = 0; i < g->n_grains; i++) {
        mrn_quat *q = &g->grain[i].q;
        if (q->w != 0 || q->x != 0 || q->y != 0 || q->z != 0)
            *q = mrn_quat_mul(*q, mrn_quat_conj(turn));
    }
}

static mrn_status read_cluster(mrn_reader *r, const mrn_node *shape, mrn_group *g)
{
    mrn_status s = mrn_build_find_cluster(r, mrn_node_get(shape, "of"), &g->cluster);
    if (s == MRN_OK)
        turn_grains(g, r->turn[g->cluster]);
    return s;
}

int mrn_build_shape_index(mrn_reader *r, const mrn_shape_type *t)
{
    mrn_scene *s = r->scene;
    for (int i = 0; i < s->n_shapes; i++)
        if (s->shape[i].type == t)
            return i;
    s->shape[s->n_shapes] = (mrn_shape){.type = t, .dimension = r->check.dimension};
    return s->n_shapes++;
}

/* A listed grain whose corners the user gave stands as they say where nothing else is stated. */
static void stand_as_given(mrn_group *g)
{
    for (int64_t i = 0; i < g->n_grains; i++) {
        mrn_quat *q = &g->grain[i].q;
        if (q->w == 0 && q->x == 0 && q->y == 0 && q->z == 0)
            q->w = 1;
    }
}

/* Polygons and polyhedra: the polytope, then the size, which corners may have given already. */
static mrn_status read_polytope(mrn_reader *r, const mrn_node *shape, mrn_group *g, bool unsized)
{
    const mrn_node *sieve = mrn_node_get(shape, "sieve-size");
    mrn_made_polytope made;
    mrn_status s = mrn_build_polytopes(r, shape, g, &made);
    if (s != MRN_OK)
        return s;
    stand_as_given(g);
    turn_grains(g, made.turn);
    if (!unsized)
        return MRN_OK;
    if (sieve != NULL) {
        s = read_size(r, sieve, 1 / made.sieve, &g->size);
        if (g->size.kind == MRN_SIZE_SIEVE)
            g->size.deviation = made.sieve; /* for generate/fill.c */
        return s;
    }
    if (!made.sized)
        return check_sized(r, shape, g);
    g->size = (mrn_size){.kind = MRN_SIZE_CONSTANT, .mean = made.radius};
    return MRN_OK;
}

static mrn_status read_shape(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    const mrn_node *shape = mrn_node_get(n, "shape")->first;
    const mrn_shape_type *t = mrn_shape_type_find(shape->key->text);
    const mrn_node *radius = mrn_node_get(shape, "radius");
    const mrn_node *size = radius != NULL ? radius : mrn_node_get(shape, "diameter");
    bool formed = t->kind == MRN_GRAIN_POLYTOPE;
    mrn_status s = MRN_OK;
    g->shape = mrn_build_shape_index(r, t);
    if (mrn_node_get(shape, "of") != NULL)
        s = read_cluster(r, shape, g);
    else if (formed)
        s = read_polytope(r, shape, g, size == NULL);
    if (s != MRN_OK || (formed && size == NULL))
        return s;
    if (size == NULL)
        return check_sized(r, shape, g);
    return read_size(r, size, radius != NULL ? 1 : 0.5, &g->size);
}

static mrn_status name_group(mrn_reader *r, const mrn_node *list, const mrn_node *n, mrn_group *g)
{
    mrn_status s = mrn_build_name(r, list, n, "bodies", g->name);
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): room for g was made, or s says so */
    if (s == MRN_OK && strcmp(g->name, "all") == 0)
        return mrn_check_fail(&r->check, mrn_node_get(n, "name"), "another name",
                              "'all' cannot name a body group: it stands for all of them");
    return s;
}

/* Orientation of the group: of its listed grains that have none. */
static mrn_status read_group_turn(mrn_reader *r, const mrn_node *n, mrn_group *g)
{
    const mrn_node *q = mrn_node_get(n, "orientation"), *turn = mrn_node_get(n, "rotation");
    const mrn_node *place = mrn_node_get(n, "place")->first;
    mrn_quat all = {0};
    if (q == NULL && turn == NULL)
        return MRN_OK;
    if (g->place != MRN_PLACE_LIST && g->place != MRN_PLACE_CSV)
        return fail_misplaced(r, q != NULL ? q : turn, place->key->text);
    mrn_status s = q != NULL ? read_orientation(r, q, &all) : mrn_build_rotation(r, turn, &all);
    for (int64_t i = 0; i < g->n_grains && s == MRN_OK; i++) {
        mrn_quat *own = &g->grain[i].q;
        if (own->w == 0 && own->x == 0 && own->y == 0 && own->z == 0)
            *own = all;
    }
    return s;
}

static mrn_status build_group(mrn_reader *r, const mrn_node *list, const mrn_node *n, mrn_group *g)
{
    mrn_keys_default(&mrn_schema_body, g);
    mrn_status s = name_group(r, list, n, g);
    if (s == MRN_OK)
        s = mrn_build_material_of(r, n, &g->material);
    if (s == MRN_OK)
        s = mrn_read_keys(&r->check, &mrn_schema_body, n, g);
    if (s == MRN_OK)
        s = read_place(r, n, g);
    if (s == MRN_OK && g->fixed && g->place == MRN_PLACE_INLET)
        s = fail_misplaced(r, mrn_node_get(n, "fixed"), "inlet");
    if (s == MRN_OK)
        s = read_count(r, n, g);
    if (s == MRN_OK)
        s = read_group_turn(r, n, g);
    if (s == MRN_OK)
        s = mrn_build_held(r, n, g);
    return s == MRN_OK ? read_shape(r, n, g) : s;
}

mrn_status mrn_build_next_group(mrn_reader *r, mrn_group **out)
{
    mrn_scene *s = r->scene;
    if (mrn_grow(&s->group, &r->group_capacity, s->n_groups + 1, sizeof *s->group) != MRN_OK)
        return mrn_fail_memory(r->check.msg);
    *out = &s->group[s->n_groups++];
    **out = (mrn_group){0};
    return MRN_OK;
}

/* An entry of `bodies`: one group, or those of another run. `list` is NULL for a single entry. */
static mrn_status build_entry(mrn_reader *r, const mrn_node *list, const mrn_node *n)
{
    mrn_group *g = NULL;
    if (mrn_node_get(n, "from") != NULL)
        return mrn_build_from(r, n);
    mrn_status s = mrn_build_next_group(r, &g);
    return g != NULL ? build_group(r, list, n, g) : s;
}

/* Names made by another run may meet those of this scene. */
static mrn_status check_names(mrn_reader *r, const mrn_node *entry, int first)
{
    const mrn_scene *s = r->scene;
    for (int i = first; i < s->n_groups; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(s->group[i].name, s->group[k].name) == 0) {
                mrn_check_fail(&r->check, entry, NULL, "the name '%s' is taken by other bodies",
                               s->group[i].name);
                return mrn_fail_hint(r->check.msg,
                                     "choose another with `name`, for one group "
                                     "at a time: groups: %s",
                                     s->group[i].name);
            }
    return MRN_OK;
}

mrn_status mrn_build_bodies(mrn_reader *r)
{
    const mrn_node *all = mrn_node_get(r->root, "bodies"), *walls = mrn_node_get(r->root, "walls");
    mrn_scene *scene = r->scene;
    int shapes = mrn_shape_type_count() + (walls != NULL ? walls->n : 0);
    mrn_status s = mrn_array(&scene->shape, shapes, sizeof *scene->shape, r->check.msg);
    if (s == MRN_OK && all->kind == MRN_NODE_MAP)
        return build_entry(r, NULL, all);
    for (const mrn_node *n = all->first; n != NULL && s == MRN_OK; n = n->next) {
        int first = scene->n_groups;
        s = build_entry(r, all, n);
        if (s == MRN_OK)
            s = check_names(r, n, first);
    }
    return s;
}
