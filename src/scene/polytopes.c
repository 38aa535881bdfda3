/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains with corners: from `polygon` and `polyhedron` of a scene to its polytopes. Orientations
   are distinguished from the frame in which corners were given; bodies turn in their principal
   axes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"

/* Corners as read, all parts one after another. */
typedef struct corners {
    int n_parts;
    mrn_corners *part;
    double *point;
} corners;

static void release(corners *c)
{
    mrn_free(c->part);
    mrn_free(c->point);
}

/* A polytope that could not be made: the message, at the place of what it was made from. */
static mrn_status fail_polytope(mrn_reader *r, const mrn_node *at, mrn_status s)
{
    mrn_message *msg = r->check.msg;
    if (s == MRN_ERR_MEMORY)
        return s;
    if (strcmp(at->key->text, "file") == 0 && msg->hint[0] == '\0')
        mrn_fail_hint(msg, "files are sought in the folder of the scene");
    if (msg->expected[0] == '\0' && msg->hint[0] == '\0')
        mrn_fail_expected(msg, "corners that span a %s",
                          r->check.dimension == 2 ? "polygon" : "polyhedron");
    msg->file[0] = '\0';
    msg->line = msg->column = 0;
    mrn_tree_place(r->check.tree, at, msg);
    msg->status = MRN_ERR_INPUT;
    return MRN_ERR_INPUT;
}

/* Room for one more polytope of the group, which must be the last of the scene. */
static mrn_status next_polytope(mrn_reader *r, const mrn_node *at, mrn_group *g, mrn_polytope **out)
{
    mrn_scene *s = r->scene;
    if (s->n_polytopes >= 65535)
        return mrn_check_fail(&r->check, at->key, "fewer variants",
                              "more than 65535 forms in a scene");
    if (mrn_grow(&s->polytope, &r->polytope_capacity, s->n_polytopes + 1, sizeof *s->polytope) !=
        MRN_OK)
        return mrn_fail_memory(r->check.msg);
    *out = &s->polytope[s->n_polytopes];
    memset(*out, 0, sizeof **out);
    *r->check.msg = (mrn_message){0};
    g->polytope = g->n_polytopes == 0 ? s->n_polytopes : g->polytope;
    return MRN_OK;
}

static mrn_status take(mrn_reader *r, const mrn_node *at, mrn_group *g, mrn_status made)
{
    if (made != MRN_OK)
        return fail_polytope(r, at, made);
    r->scene->n_polytopes++;
    g->n_polytopes++;
    return MRN_OK;
}

/* ---- from corners ---- */

static mrn_status make(mrn_reader *r, const mrn_node *at, const corners *c, mrn_group *g,
                       mrn_made_polytope *out)
{
    mrn_polytope *polytope = NULL;
    mrn_vec3 shift;
    mrn_status s = next_polytope(r, at, g, &polytope);
    if (s != MRN_OK)
        return s;
    s = mrn_polytope_make(g->name, r->check.dimension, c->n_parts, c->part, polytope, &out->turn,
                          &shift, &out->radius, r->check.msg);
    return take(r, at, g, s);
}

static const mrn_node *points_of(const mrn_node *part)
{
    return part->kind == MRN_NODE_MAP ? mrn_node_get(part, "points") : part;
}

/* `points` is one part, `parts` is a list of them. */
static mrn_status read_corners(mrn_reader *r, const mrn_node *n, bool one, corners *out)
{
    const mrn_node *first = one ? n : n->first;
    int64_t total = 0;
    for (const mrn_node *p = first; p != NULL; p = one ? NULL : p->next)
        total += points_of(p)->n;
    mrn_status s = mrn_array(&out->point, 3 * total, sizeof *out->point, r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&out->part, one ? 1 : n->n, sizeof *out->part, r->check.msg);
    double *at = out->point;
    for (const mrn_node *p = first; p != NULL && s == MRN_OK; p = one ? NULL : p->next) {
        const mrn_node *list = points_of(p);
        out->part[out->n_parts++] = (mrn_corners){list->n, at};
        for (const mrn_node *x = list->first; x != NULL && s == MRN_OK; x = x->next, at += 3) {
            mrn_vec3 v;
            s = mrn_read_vector(&r->check, x, "m", &v);
            if (s == MRN_OK)
                memcpy(at, (double[3]){v.x, v.y, v.z}, 3 * sizeof *at);
        }
    }
    return s;
}

static mrn_status from_corners(mrn_reader *r, const mrn_node *n, mrn_group *g,
                               mrn_made_polytope *out)
{
    corners c = {0};
    mrn_status s = read_corners(r, n, strcmp(n->key->text, "points") == 0, &c);
    if (s == MRN_OK)
        s = make(r, n, &c, g, out);
    release(&c);
    out->sized = true;
    return s;
}

static mrn_status box(mrn_reader *r, const mrn_node *at, mrn_vec3 side, mrn_group *g,
                      mrn_made_polytope *out)
{
    double point[24];
    int n = r->check.dimension == 2 ? 4 : 8;
    for (int k = 0; k < n; k++) {
        point[3 * k] = k & 1 ? 0.5 * side.x : -0.5 * side.x;
        point[3 * k + 1] = k & 2 ? 0.5 * side.y : -0.5 * side.y;
        point[3 * k + 2] = r->check.dimension == 2 ? 0 : k & 4 ? 0.5 * side.z : -0.5 * side.z;
    }
    mrn_corners part = {n, point};
    return make(r, at, &(corners){1, &part, NULL}, g, out);
}

static mrn_status from_box(mrn_reader *r, const mrn_node *n, mrn_group *g, mrn_made_polytope *out)
{
    mrn_vec3 side;
    out->sized = true;
    mrn_status s = mrn_read_vector(&r->check, n, "m", &side);
    return s == MRN_OK ? box(r, n, side, g, out) : s;
}

/* Corners counted so that the polygon stands on a side. */
static mrn_status from_sides(mrn_reader *r, const mrn_node *n, mrn_group *g, mrn_made_polytope *out)
{
    corners c = {0};
    int sides = (int)mrn_read_integer(&r->check, n);
    mrn_corners part = {.n = sides};
    mrn_status s = mrn_array(&c.point, 3 * (int64_t)sides, sizeof *c.point, r->check.msg);
    for (int k = 0; k < sides && s == MRN_OK; k++) {
        double angle = MRN_PI * ((2 * k + 1.0) / sides - 0.5);
        c.point[3 * k] = cos(angle);
        c.point[3 * k + 1] = sin(angle);
    }
    part.point = c.point;
    if (s == MRN_OK)
        s = make(r, n, &(corners){1, &part, NULL}, g, out);
    release(&c);
    return s;
}

/* ---- from generators ---- */

static mrn_status from_regular(mrn_reader *r, const mrn_node *n, mrn_group *g,
                               mrn_made_polytope *out)
{
    mrn_polytope *polytope = NULL;
    if (strcmp(n->text, "cube") == 0) /* unturned its faces stand across the axes */
        return box(r, n, mrn_v3(1, 1, 1), g, out);
    mrn_status s = next_polytope(r, n, g, &polytope);
    return s == MRN_OK ? take(r, n, g, mrn_polytope_regular(n->text, polytope, r->check.msg)) : s;
}

static mrn_status from_file(mrn_reader *r, const mrn_node *n, mrn_group *g, mrn_made_polytope *out)
{
    (void)out;
    char path[1024];
    mrn_polytope *polytope = NULL;
    mrn_status s = mrn_check_path(&r->check, n, path, sizeof path);
    if (s == MRN_OK)
        s = next_polytope(r, n, g, &polytope);
    return s == MRN_OK ? take(r, n, g, mrn_polytope_read(path, polytope, r->check.msg)) : s;
}

static mrn_status read_share(mrn_reader *r, const mrn_node *map, const char *key, double *out)
{
    const mrn_node *n = mrn_node_get(map, key);
    return n != NULL ? mrn_read_quantity(&r->check, n, "1", out) : MRN_OK;
}

/* Seeds of a scene, its groups and their variants all differ, and a group more leaves those before
   as they were. */
static uint64_t polytope_seed(const mrn_reader *r, int variant)
{
    mrn_rng rng = mrn_rng_seed(r->scene->seed, 0x466f726d00000000u + (uint64_t)r->scene->n_groups);
    uint64_t seed = mrn_rng_next(&rng);
    for (int k = 0; k < variant; k++)
        seed = mrn_rng_next(&rng);
    return seed;
}

static mrn_status from_random(mrn_reader *r, const mrn_node *n, mrn_group *g,
                              mrn_made_polytope *out)
{
    (void)out;
    const mrn_node *points = mrn_node_get(n, "points"), *many = mrn_node_get(n, "variants");
    bool crushed = strcmp(n->key->text, "crushed") == 0;
    int variants = many != NULL ? (int)mrn_read_integer(&r->check, many) : 20;
    double usual = crushed ? 0.7 : 0.8;
    mrn_random_polytope p = {.elongation = usual, .flatness = usual, .angularity = 0.5};
    p.points = points != NULL ? (int)mrn_read_integer(&r->check, points) : 0;
    mrn_status s = read_share(r, n, "elongation", &p.elongation);
    if (s == MRN_OK)
        s = read_share(r, n, "flatness", &p.flatness);
    if (s == MRN_OK)
        s = read_share(r, n, "angularity", &p.angularity);
    for (int k = 0; k < variants && s == MRN_OK; k++) {
        mrn_polytope *polytope = NULL;
        p.seed = polytope_seed(r, k);
        s = next_polytope(r, n, g, &polytope);
        if (s == MRN_OK && crushed)
            s = take(r, n, g, mrn_polytope_crushed(&p, polytope, r->check.msg));
        else if (s == MRN_OK)
            s = take(r, n, g, mrn_polytope_random(r->check.dimension, &p, polytope, r->check.msg));
    }
    return s;
}

/* ---- all ---- */

/* The sieve size that sizes are drawn for, over the radius. Variants that are equally likely have
   1/s_k^d of the volume at one sieve size: the mean that keeps the volume of a fill is that of this
   power, and a sieve curve by mass stays what it is, for the variants of every size are the same.
   Where sizes follow a sieve curve a fill scales each variant to its sieve (generate/fill.c); else
   it is the mean. */
static double common_sieve(const mrn_scene *s, const mrn_group *g, bool curve)
{
    double power = curve ? -s->dimension : 1, sum = 0;
    for (int k = 0; k < g->n_polytopes; k++)
        sum += pow(mrn_polytope_sieve(&s->polytope[g->polytope + k]), power);
    return pow(sum / g->n_polytopes, 1 / power);
}

/* `sieve-size` is a sieve curve, of its own or of a category. */
static bool is_curve(const mrn_node *size)
{
    return size->kind == MRN_NODE_MAP &&
           (mrn_node_get(size, "sieve") != NULL || mrn_node_get(size, "category") != NULL);
}

mrn_status mrn_build_polytopes(mrn_reader *r, const mrn_node *shape, mrn_group *g,
                               mrn_made_polytope *out)
{
    static const struct {
        const char *key;
        mrn_status (*make)(mrn_reader *, const mrn_node *, mrn_group *, mrn_made_polytope *);
    } source[] = {{"sides", from_sides},   {"box", from_box},       {"points", from_corners},
                  {"parts", from_corners}, {"file", from_file},     {"regular", from_regular},
                  {"random", from_random}, {"crushed", from_random}};
    *out = (mrn_made_polytope){.turn = mrn_quat_identity()};
    mrn_status s = MRN_OK;
    for (size_t i = 0; i < sizeof source / sizeof *source && s == MRN_OK; i++) {
        const mrn_node *n = mrn_node_get(shape, source[i].key);
        if (n != NULL)
            s = source[i].make(r, n, g, out);
    }
    const mrn_node *size = mrn_node_get(shape, "sieve-size");
    if (s == MRN_OK && size != NULL)
        out->sieve = common_sieve(r->scene, g, is_curve(size));
    return s;
}
