/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of grains: sizes, regions, places; spheres and disks, clusters, polygons and polyhedra. */
#include <string.h>

#include "compose/compose.h"

/* ---- sizes and regions ---- */

mrn_size mrn_size_constant(double radius)
{
    return (mrn_size){.kind = MRN_SIZE_CONSTANT, .mean = radius};
}

mrn_size mrn_size_uniform(double least, double most)
{
    return (mrn_size){.kind = MRN_SIZE_UNIFORM, .lo = least, .hi = most};
}

mrn_region mrn_region_box(mrn_vec3 lo, mrn_vec3 hi)
{
    return (mrn_region){.kind = MRN_REGION_BOX, .lo = lo, .hi = hi};
}

mrn_region mrn_region_cylinder(mrn_vec3 from, mrn_vec3 to, double radius)
{
    return (mrn_region){.kind = MRN_REGION_CYLINDER, .lo = from, .hi = to, .radius = radius};
}

mrn_region mrn_region_sphere(mrn_vec3 centre, double radius)
{
    return (mrn_region){.kind = MRN_REGION_SPHERE, .lo = centre, .radius = radius};
}

/* ---- groups ---- */

mrn_group mrn_group_fill(mrn_region region, int64_t count, mrn_size size)
{
    return (mrn_group){.place = MRN_PLACE_FILL, .region = region, .count = count, .size = size};
}

mrn_group mrn_group_lattice(mrn_region region, mrn_lattice_kind kind, double spacing, mrn_size size)
{
    return (mrn_group){.place = MRN_PLACE_LATTICE,
                       .region = region,
                       .lattice = kind,
                       .spacing = spacing,
                       .size = size};
}

mrn_group mrn_group_list(int64_t n, mrn_grain *grain)
{
    return (mrn_group){.place = MRN_PLACE_LIST, .n_grains = n, .grain = grain};
}

mrn_group mrn_group_empty(void)
{
    return (mrn_group){.place = MRN_PLACE_LIST};
}

static mrn_status unknown_shape(const mrn_scene *s, const char *name, mrn_message *msg)
{
    const char *word[128];
    int n = 0;
    word[n++] = s->dimension == 2 ? "disk" : "sphere";
    for (int i = 0; i < s->n_clusters && n < 64; i++)
        word[n++] = s->cluster[i].name;
    for (int i = 0; i < s->n_polytopes && n < 128; i++)
        word[n++] = s->polytope[i].name;
    return mrn_compose_unknown("shape of grains", name, word, n, msg);
}

/* The type of shape behind a name; cluster and polytope of the group are set. */
static const mrn_shape_type *resolve(const mrn_scene *s, const char *name, mrn_group *g)
{
    for (int i = 0; i < s->n_clusters; i++)
        if (strcmp(s->cluster[i].name, name) == 0) {
            g->cluster = i;
            return mrn_shape_type_find("cluster");
        }
    for (int i = 0; i < s->n_polytopes; i++)
        if (strcmp(s->polytope[i].name, name) == 0) {
            g->polytope = i;
            g->n_polytopes = g->n_polytopes > 1 ? g->n_polytopes : 1;
            return mrn_shape_type_find(s->dimension == 2 ? "polygon" : "polyhedron");
        }
    const mrn_shape_type *t = mrn_shape_type_find(name);
    bool round = strcmp(name, "sphere") == 0 || strcmp(name, "disk") == 0;
    return t != NULL && round ? t : NULL;
}

/* Shapes of grains say nothing but their type: one of each is enough. */
static mrn_status shape_of(mrn_scene *s, const mrn_shape_type *t, int *shape, mrn_message *msg)
{
    for (int i = 0; i < s->n_shapes; i++)
        if (s->shape[i].type == t) {
            *shape = i;
            return MRN_OK;
        }
    mrn_shape fresh = {.type = t, .dimension = s->dimension};
    *shape = s->n_shapes;
    return mrn_compose_append(&s->shape, &s->n_shapes, sizeof fresh, &fresh, msg);
}

/* Arrays and indices that a copy, or the generator, would follow. */
static mrn_status check_counts(const mrn_scene *s, const mrn_shape_type *t, mrn_group *g,
                               mrn_message *msg)
{
    if (g->n_grains < 0 || (g->n_grains > 0 && g->grain == NULL))
        return mrn_fail(msg, MRN_ERR_INPUT, "a list of %lld grains%s", (long long)g->n_grains,
                        g->grain == NULL ? " without an array" : "");
    if (t->kind != MRN_GRAIN_POLYTOPE)
        g->n_polytopes = 0;
    else if (g->n_polytopes > s->n_polytopes - g->polytope)
        return mrn_fail(msg, MRN_ERR_INPUT, "%d polytopes from '%s' on, the scene has %d",
                        g->n_polytopes, s->polytope[g->polytope].name,
                        s->n_polytopes - g->polytope);
    return MRN_OK;
}

mrn_status mrn_scene_add_grains(mrn_scene *s, const char *name, const char *material,
                                const char *shape, const mrn_group *g, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_group own = *g;
    mrn_names materials = MRN_NAMES("material", s->material, s->n_materials);
    mrn_status st =
        mrn_compose_check_new(MRN_NAMES("group of grains", s->group, s->n_groups), name, msg);
    int m = st == MRN_OK ? mrn_compose_find(materials, material, msg) : -1;
    if (m < 0)
        return MRN_ERR_INPUT;
    shape = shape != NULL ? shape : s->dimension == 2 ? "disk" : "sphere";
    const mrn_shape_type *t = resolve(s, shape, &own);
    if (t == NULL)
        return unknown_shape(s, shape, msg);
    st = check_counts(s, t, &own, msg);
    if (st != MRN_OK)
        return st;
    mrn_compose_name(own.name, name);
    own.material = m;
    int shapes = s->n_shapes;
    st = mrn_group_copy(&own, &own, msg);
    if (st == MRN_OK)
        st = shape_of(s, t, &own.shape, msg);
    if (st == MRN_OK)
        st = mrn_compose_append(&s->group, &s->n_groups, sizeof own, &own, msg);
    if (st == MRN_OK) {
        mrn_compose_changed(s);
        return MRN_OK;
    }
    mrn_group_release(&own);
    s->n_shapes = shapes; /* one that was added owns nothing */
    return st;
}

/* ---- shapes of their own ---- */

mrn_status mrn_scene_add_cluster(mrn_scene *s, mrn_cluster *c, mrn_message *msg)
{
    mrn_cluster own = *c;
    *c = (mrn_cluster){0};
    mrn_status st = mrn_compose_failed(msg) ? msg->status : MRN_OK;
    if (st == MRN_OK)
        st = mrn_compose_check_new(MRN_NAMES("cluster", s->cluster, s->n_clusters), own.name, msg);
    if (st == MRN_OK)
        st = mrn_compose_append(&s->cluster, &s->n_clusters, sizeof own, &own, msg);
    if (st != MRN_OK)
        mrn_cluster_release(&own);
    return st;
}

mrn_status mrn_scene_add_polytope(mrn_scene *s, mrn_polytope *p, mrn_message *msg)
{
    mrn_polytope own = *p;
    *p = (mrn_polytope){0};
    mrn_status st = mrn_compose_failed(msg) ? msg->status : MRN_OK;
    if (st == MRN_OK)
        st = mrn_compose_check_new(MRN_NAMES("polygon or polyhedron", s->polytope, s->n_polytopes),
                                   own.name, msg);
    if (st == MRN_OK)
        st = mrn_compose_append(&s->polytope, &s->n_polytopes, sizeof own, &own, msg);
    if (st != MRN_OK)
        mrn_polytope_release(&own);
    return st;
}
