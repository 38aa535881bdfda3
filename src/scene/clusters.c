/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates of clusters: spheres one by one, from a table, or a ready-made form. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"

enum { DIMER, TRIMER, TETRAHEDRON, ROD, CROSS, FORMS };
static const char *const forms[] = {"dimer", "trimer", "tetrahedron", "rod", "cross", NULL};
static const double default_aspect[FORMS] = {1.5, 1.5, 1.5, 3, 3};

/* Spheres in the making: centres and radii side by side. */
typedef struct pile {
    int n;
    double *centre, *radius;
} pile;

static void release(pile *p)
{
    mrn_free(p->centre);
    mrn_free(p->radius);
}

static mrn_status room(mrn_reader *r, pile *p, int64_t n)
{
    mrn_status s = mrn_array(&p->centre, 3 * n, sizeof *p->centre, r->check.msg);
    return s == MRN_OK ? mrn_array(&p->radius, n, sizeof *p->radius, r->check.msg) : s;
}

static void add(pile *p, double x, double y, double z, double radius)
{
    mrn_store3(p->centre + 3 * p->n, mrn_v3(x, y, z));
    p->radius[p->n++] = radius;
}

/* ---- ready-made forms, of spheres of radius 1 ---- */

/* Spheres along one axis, at most a radius apart; `middle`: the one at the centre too. */
static void add_rod(pile *p, double length, int axis, bool middle)
{
    int parts = (int)ceil(length - 1e-9);
    parts += parts % 2 != 0 && middle ? 1 : 0;
    for (int i = 0; i <= parts; i++) {
        double at[3] = {0, 0, 0};
        if (2 * i == parts && axis > 0)
            continue; /* the arm before has it */
        at[axis] = length * ((double)i / parts - 0.5);
        add(p, at[0], at[1], at[2], 1);
    }
}

static void add_form(pile *p, int form, double aspect)
{
    double d = 2 * (aspect - 1); /* between outer centres: length = d + 2, thickness = 2 */
    double h = d * sqrt(3) / 2;
    switch (form) {
    case ROD:
        add_rod(p, d, 0, false);
        return;
    case CROSS:
        add_rod(p, d, 0, true);
        add_rod(p, d, 1, true);
        return;
    case TETRAHEDRON:
        add(p, 0, h / 3, d * sqrt(2.0 / 3), 1);
        /* fall through */
    case TRIMER:
        add(p, 0, h, 0, 1);
        /* fall through */
    default:
        add(p, -0.5 * d, 0, 0, 1);
        add(p, 0.5 * d, 0, 0, 1);
    }
}

static mrn_status make_form(mrn_reader *r, const mrn_node *at, int form, const mrn_node *aspect,
                            pile *p)
{
    double ratio = default_aspect[form];
    mrn_status s = aspect != NULL ? mrn_read_quantity(&r->check, aspect, "1", &ratio) : MRN_OK;
    if (s != MRN_OK)
        return s;
    if (form == TETRAHEDRON && r->check.dimension == 2)
        return mrn_check_fail(&r->check, at, "dimer, trimer, rod, cross",
                              "there is no tetrahedron in 2 dimensions");
    if (form < ROD && ratio > 2)
        return mrn_check_fail(&r->check, aspect, "at most 2, where the spheres just touch",
                              "a %s of aspect %g falls apart", forms[form], ratio);
    s = room(r, p, 100);
    if (s == MRN_OK)
        add_form(p, form, ratio);
    return s;
}

/* ---- spheres of the scene ---- */

static mrn_status read_row(mrn_reader *r, const mrn_node *row, pile *p)
{
    double v[4] = {0};
    int i = 0, wanted = r->check.dimension + 1;
    mrn_status s = MRN_OK;
    if (row->n != wanted)
        return mrn_check_fail(&r->check, row, wanted == 3 ? "[x, y, radius]" : "[x, y, z, radius]",
                              "a %s with %d numbers", wanted == 3 ? "disk" : "sphere", row->n);
    for (const mrn_node *x = row->first; x != NULL && s == MRN_OK; x = x->next)
        s = mrn_read_quantity(&r->check, x, "m", &v[i++]);
    if (s == MRN_OK && !(v[wanted - 1] > 0))
        return mrn_check_fail(&r->check, row->last, "more than 0", "a radius of %s",
                              row->last->text);
    add(p, v[0], v[1], wanted == 3 ? 0 : v[2], v[wanted - 1]);
    return s;
}

static mrn_status read_rows(mrn_reader *r, const mrn_node *n, pile *p)
{
    bool disks = strcmp(n->key->text, "disks") == 0;
    if (disks != (r->check.dimension == 2))
        return mrn_check_fail(&r->check, n->key, disks ? "spheres" : "disks",
                              "a cluster in %d dimensions has no %s", r->check.dimension,
                              n->key->text);
    mrn_status s = room(r, p, n->n);
    for (const mrn_node *row = n->first; row != NULL && s == MRN_OK; row = row->next)
        s = read_row(r, row, p);
    return s;
}

static mrn_status read_file(mrn_reader *r, const mrn_node *n, pile *p)
{
    mrn_group g = {0};
    mrn_status s = mrn_build_csv(r, n, &g);
    if (s == MRN_OK && isnan(g.grain[0].radius))
        s = mrn_check_fail(&r->check, n, "the columns x, y, z, radius",
                           "the table '%.80s' has no radius", n->text);
    if (s == MRN_OK && g.n_grains > 10000)
        s = mrn_check_fail(&r->check, n, "at most 10000 spheres", "the table '%.80s' has %lld rows",
                           n->text, (long long)g.n_grains);
    if (s == MRN_OK)
        s = room(r, p, g.n_grains);
    for (int64_t i = 0; i < g.n_grains && s == MRN_OK; i++)
        add(p, g.grain[i].x.x, g.grain[i].x.y, g.grain[i].x.z, g.grain[i].radius);
    mrn_free(g.grain);
    return s;
}

/* ---- templates ---- */

static mrn_status finish(mrn_reader *r, const mrn_node *at, const char *name, const pile *p,
                         int64_t samples)
{
    mrn_scene *scene = r->scene;
    mrn_message *msg = r->check.msg;
    *msg = (mrn_message){0};
    mrn_status s =
        mrn_cluster_make(name, r->check.dimension, p->n, p->centre, p->radius, samples,
                         &scene->cluster[scene->n_clusters], &r->turn[scene->n_clusters], msg);
    if (s == MRN_OK)
        scene->n_clusters++;
    else if (s != MRN_ERR_MEMORY) {
        mrn_tree_place(r->check.tree, at, msg);
        msg->status = s = MRN_ERR_INPUT;
        if (msg->expected[0] == '\0' && msg->hint[0] == '\0')
            mrn_fail_expected(msg, "spheres that hang together");
    }
    return s;
}

static mrn_status build_template(mrn_reader *r, const mrn_node *n)
{
    const mrn_node *spheres = mrn_node_get(n, "spheres"), *disks = mrn_node_get(n, "disks");
    const mrn_node *file = mrn_node_get(n, "file"), *form = mrn_node_get(n, "form");
    const mrn_node *aspect = mrn_node_get(n, "aspect"), *samples = mrn_node_get(n, "samples");
    pile p = {0};
    mrn_status s;
    if (aspect != NULL && form == NULL)
        return mrn_check_fail(&r->check, aspect->key, "form: rod, with aspect: 3",
                              "'aspect' has no meaning without 'form'");
    if (form != NULL)
        s = make_form(r, form, mrn_read_word(form, forms), aspect, &p);
    else if (file != NULL)
        s = read_file(r, file, &p);
    else
        s = read_rows(r, spheres != NULL ? spheres : disks, &p);
    if (s == MRN_OK)
        s = finish(r, n->key, n->key->text, &p,
                   samples != NULL ? (int64_t)mrn_read_integer(&r->check, samples) : 0);
    release(&p);
    return s;
}

mrn_status mrn_build_clusters(mrn_reader *r)
{
    const mrn_node *table = mrn_node_get(r->root, "clusters");
    int n = (table != NULL ? table->n : 0) + FORMS;
    mrn_status s = mrn_array(&r->scene->cluster, n, sizeof *r->scene->cluster, r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&r->turn, n, sizeof *r->turn, r->check.msg);
    for (const mrn_node *x = table != NULL ? table->first : NULL; x != NULL && s == MRN_OK;
         x = x->next)
        s = build_template(r, x);
    return s;
}

static mrn_status fail_template(mrn_reader *r, const mrn_node *of)
{
    const char *names[256 + FORMS];
    int n = 0;
    for (; n < r->scene->n_clusters && n < 256; n++)
        names[n] = r->scene->cluster[n].name;
    for (int i = 0; i < FORMS; i++)
        names[n++] = forms[i];
    return mrn_check_fail_word(&r->check, of, "cluster", of->text, names, n);
}

mrn_status mrn_build_find_cluster(mrn_reader *r, const mrn_node *of, int *out)
{
    const mrn_scene *scene = r->scene;
    for (*out = 0; *out < scene->n_clusters; ++*out)
        if (strcmp(scene->cluster[*out].name, of->text) == 0)
            return MRN_OK;
    int form = mrn_read_word(of, forms);
    if (form < 0)
        return fail_template(r, of);
    pile p = {0};
    mrn_status s = make_form(r, of, form, NULL, &p);
    if (s == MRN_OK)
        s = finish(r, of, forms[form], &p, 0);
    release(&p);
    return s;
}

static bool taken(const mrn_scene *s, const char *name)
{
    for (int i = 0; i < s->n_clusters; i++)
        if (strcmp(s->cluster[i].name, name) == 0)
            return true;
    return false;
}

mrn_status mrn_build_add_cluster(mrn_reader *r, const mrn_cluster *c, int *out)
{
    mrn_scene *s = r->scene;
    size_t room = (size_t)s->n_clusters + 1 + FORMS; /* forms may still come */
    mrn_cluster *clusters = mrn_realloc(s->cluster, room * sizeof *clusters);
    s->cluster = clusters != NULL ? clusters : s->cluster;
    mrn_quat *turn = mrn_realloc(r->turn, room * sizeof *turn);
    r->turn = turn != NULL ? turn : r->turn;
    if (clusters == NULL || turn == NULL)
        return mrn_fail_memory(r->check.msg);
    mrn_cluster *to = &s->cluster[s->n_clusters];
    mrn_status st = mrn_cluster_copy(c, to, r->check.msg);
    if (st != MRN_OK)
        return st;
    for (int k = 2; taken(s, to->name); k++)
        snprintf(to->name, sizeof to->name, "%.40s-%d", c->name, k);
    r->turn[s->n_clusters] = mrn_quat_identity();
    *out = s->n_clusters++;
    return MRN_OK;
}
