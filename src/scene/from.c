/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies of another run: read from its checkpoint or a frame, turned, moved, cut by regions, made
   of materials of this scene. Every group of that run becomes a group with listed grains. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "generate/generate.h"
#include "scene/build.h"
#include "store/grains.h"

/* What the scene says about the packing. */
typedef struct packing {
    const mrn_node *entry, *from; /* of `bodies`; its `from`                     */
    const mrn_node *map;          /* `from` as a mapping; NULL: a path alone     */
    mrn_left left;
    mrn_quat turn;
    bool turned, at_rest;
    mrn_vec3 about, move;
    const mrn_node *cut[2]; /* inside, outside */
    mrn_region region[2];
} packing;

/* ---- what is said ---- */

static mrn_status fail_beside(mrn_reader *r, const mrn_node *n)
{
    mrn_check_fail(&r->check, n->key, NULL, "'%s' has no meaning with 'from'", n->key->text);
    return mrn_fail_hint(r->check.msg, "remove it: shapes, sizes and places are those of that run");
}

static mrn_status check_beside(mrn_reader *r, const mrn_node *entry)
{
    static const char *const never[] = {"shape",    "count", "solid-fraction", "orientation",
                                        "rotation", "spin",  "velocity"};
    for (size_t k = 0; k < sizeof never / sizeof *never; k++) {
        const mrn_node *n = mrn_node_get(entry, never[k]);
        if (n != NULL)
            return fail_beside(r, n);
    }
    return MRN_OK;
}

static mrn_status read_motion(mrn_reader *r, packing *p)
{
    const mrn_node *turn = mrn_node_get(p->map, "rotation"), *at = mrn_node_get(p->map, "about");
    const mrn_node *move = mrn_node_get(p->map, "move"), *rest = mrn_node_get(p->map, "at-rest");
    mrn_status s = MRN_OK;
    p->turn = mrn_quat_identity();
    p->turned = turn != NULL;
    p->at_rest = rest != NULL && mrn_read_flag(rest);
    if (turn != NULL)
        s = mrn_build_rotation(r, turn, &p->turn);
    if (s == MRN_OK && at != NULL)
        s = mrn_read_vector(&r->check, at, "m", &p->about);
    if (s == MRN_OK && move != NULL)
        s = mrn_read_vector(&r->check, move, "m", &p->move);
    return s;
}

static mrn_status read_cuts(mrn_reader *r, packing *p)
{
    static const char *const keys[] = {"inside", "outside"};
    mrn_status s = MRN_OK;
    for (int k = 0; k < 2 && s == MRN_OK; k++) {
        p->cut[k] = mrn_node_get(p->map, keys[k]);
        if (p->cut[k] != NULL)
            s = mrn_build_region(r, p->cut[k], &p->region[k]);
    }
    return s;
}

/* The file that is read is noted as the input, so that a run keeps a copy of it. */
static mrn_status open_run(mrn_reader *r, packing *p)
{
    const mrn_node *run = p->map != NULL ? mrn_node_get(p->map, "run") : p->from;
    const mrn_node *frame = mrn_node_get(p->map, "frame");
    char path[1024];
    int64_t number = 0;
    if (frame != NULL) {
        double value;
        mrn_status st = mrn_read_quantity(&r->check, frame, "1", &value);
        if (st != MRN_OK)
            return st;
        number = (int64_t)value;
    }
    mrn_status s = mrn_check_run_path(&r->check, run, frame != NULL, path, sizeof path);
    if (s == MRN_OK)
        s = mrn_left_read(path, frame != NULL ? &number : NULL, &p->left, r->check.msg);
    if (s == MRN_OK || s == MRN_ERR_MEMORY)
        return s;
    mrn_message *msg = r->check.msg;
    if (msg->file[0] != '\0' && strstr(msg->text, msg->file) == NULL) {
        char text[sizeof msg->text];
        snprintf(text, sizeof text, "%.300s: %.600s", msg->file, msg->text);
        memcpy(msg->text, text, sizeof text);
    }
    msg->file[0] = '\0';
    msg->line = msg->column = 0;
    msg->status = MRN_ERR_INPUT;
    return mrn_tree_place(r->check.tree, run, msg);
}

/* ---- which grains ---- */

static const mrn_node *first_wanted(const mrn_node *groups)
{
    return groups == NULL ? NULL : groups->kind == MRN_NODE_LIST ? groups->first : groups;
}

static bool wanted(const mrn_node *groups, const char *name)
{
    for (const mrn_node *n = first_wanted(groups); n != NULL; n = n->next) {
        if (strcmp(n->text, name) == 0)
            return true;
        if (groups->kind != MRN_NODE_LIST)
            break;
    }
    return groups == NULL;
}

static mrn_status check_wanted(mrn_reader *r, const packing *p, const mrn_node *groups)
{
    const mrn_header *h = &p->left.header;
    const char *names[128];
    int count = h->n_groups < 128 ? h->n_groups : 128;
    for (int i = 0; i < count; i++)
        names[i] = h->group_name[i];
    for (const mrn_node *n = first_wanted(groups); n != NULL; n = n->next) {
        bool found = false;
        for (int i = 0; i < h->n_groups; i++)
            found = found || strcmp(h->group_name[i], n->text) == 0;
        if (!found)
            return mrn_check_fail_word(&r->check, n, "group", n->text, names, count);
        if (groups->kind != MRN_NODE_LIST)
            break;
    }
    return MRN_OK;
}

/* A slip of the pen in `materials` would leave grains what they were. */
static mrn_status check_materials(mrn_reader *r, const packing *p)
{
    const mrn_header *h = &p->left.header;
    const mrn_node *table = mrn_node_get(p->map, "materials");
    const char *names[128];
    int count = h->n_materials < 128 ? h->n_materials : 128;
    for (int i = 0; i < count; i++)
        names[i] = h->material_name[i];
    for (const mrn_node *n = table != NULL ? table->first : NULL; n != NULL; n = n->next) {
        bool found = false;
        int material;
        for (int i = 0; i < h->n_materials; i++)
            found = found || strcmp(h->material_name[i], n->key->text) == 0;
        mrn_status s = found ? mrn_build_find_material(r, n, &material)
                             : mrn_check_fail_word(&r->check, n->key, "material of that run",
                                                   n->key->text, names, count);
        if (s != MRN_OK)
            return s;
    }
    return MRN_OK;
}

static void put(const packing *p, mrn_left_grain *g)
{
    if (p->turned) {
        g->x = mrn_add(p->about, mrn_rotate(p->turn, mrn_sub(g->x, p->about)));
        g->v = mrn_rotate(p->turn, g->v);
        g->w = mrn_rotate(p->turn, g->w);
        g->q = mrn_quat_mul(p->turn, g->q);
    }
    g->x = mrn_add(g->x, p->move);
    if (p->at_rest)
        g->v = g->w = mrn_v3(0, 0, 0);
}

static bool kept(const packing *p, int dimension, const mrn_left_grain *g)
{
    return (p->cut[0] == NULL || mrn_region_holds(&p->region[0], dimension, g->x)) &&
           (p->cut[1] == NULL || !mrn_region_holds(&p->region[1], dimension, g->x));
}

/* Leaves the grains that are wanted, where they are wanted. */
static mrn_status choose(mrn_reader *r, packing *p)
{
    const mrn_node *groups = mrn_node_get(p->map, "groups");
    mrn_status s = check_wanted(r, p, groups);
    if (s == MRN_OK)
        s = check_materials(r, p);
    int64_t n = 0;
    for (int64_t i = 0; s == MRN_OK && i < p->left.n; i++) {
        mrn_left_grain g = p->left.grain[i];
        put(p, &g);
        if (wanted(groups, p->left.header.group_name[g.group]) && kept(p, r->check.dimension, &g))
            p->left.grain[n++] = g;
    }
    p->left.n = n;
    if (s == MRN_OK && n == 0)
        return mrn_check_fail(&r->check, p->from->key, "some grains of that run",
                              "no grain is left of %s", p->left.file);
    return s;
}

/* ---- groups ---- */

static mrn_status find_material(mrn_reader *r, const packing *p, const char *was, int *out)
{
    const mrn_node *all = mrn_node_get(p->entry, "material");
    const mrn_node *table = mrn_node_get(p->map, "materials");
    const mrn_node *own = mrn_node_get(table, was);
    if (all != NULL || own != NULL)
        return mrn_build_find_material(r, all != NULL ? all : own, out);
    *out = mrn_scene_find_material(r->scene, was);
    if (*out >= 0)
        return MRN_OK;
    mrn_check_fail(&r->check, p->from->key, NULL,
                   "grains of that run are of '%s', a material that this scene does not have", was);
    return mrn_fail_hint(r->check.msg, "material: %s, or in `from` materials: {%s: %s}",
                         r->scene->material[0].name, was, r->scene->material[0].name);
}

/* Polytope `part` of that run as one of the group; grains of one form share it. */
static mrn_status share_polytope(mrn_reader *r, const packing *p, int32_t *place, int part,
                                 mrn_group *g)
{
    mrn_scene *s = r->scene;
    if (place[part] > 0)
        return MRN_OK;
    if (s->n_polytopes >= 65535)
        return mrn_check_fail(&r->check, p->from->key, "fewer different grains",
                              "more than 65535 forms in a scene");
    if (mrn_grow(&s->polytope, &r->polytope_capacity, s->n_polytopes + 1, sizeof *s->polytope) !=
        MRN_OK)
        return mrn_fail_memory(r->check.msg);
    mrn_status st = mrn_polytope_copy(&p->left.header.polytope[part], &s->polytope[s->n_polytopes],
                                      r->check.msg);
    if (st != MRN_OK)
        return st;
    g->polytope = g->n_polytopes == 0 ? s->n_polytopes : g->polytope;
    s->n_polytopes++;
    place[part] = ++g->n_polytopes;
    return MRN_OK;
}

static mrn_status add_grain(mrn_reader *r, const packing *p, int32_t *place,
                            const mrn_left_grain *from, mrn_group *g)
{
    bool corners = (from->flags & MRN_BODY_POLYTOPE) != 0;
    mrn_status s = corners ? share_polytope(r, p, place, from->part, g) : MRN_OK;
    mrn_grain *to = &g->grain[g->n_grains++];
    *to = (mrn_grain){.x = from->x, .v = from->v, .w = from->w, .radius = from->radius};
    to->q = from->q;
    to->polytope = corners ? place[from->part] : 0;
    if (g->fixed)
        to->v = to->w = mrn_v3(0, 0, 0);
    g->size.mean = fmax(g->size.mean, from->radius);
    return s;
}

static const char *shape_name(const mrn_reader *r, unsigned flags)
{
    bool flat = r->check.dimension == 2;
    if (flags & MRN_BODY_CLUSTER)
        return "cluster";
    if (flags & MRN_BODY_POLYTOPE)
        return flat ? "polygon" : "polyhedron";
    return flat ? "disk" : "sphere";
}

/* The grains of one group of that run, which are all of one shape and material. */
static mrn_status fill_group(mrn_reader *r, const packing *p, int of, int64_t count, mrn_group *g)
{
    const mrn_left *left = &p->left;
    int32_t *place = NULL;
    mrn_status s = mrn_array(&g->grain, count, sizeof *g->grain, r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&place, left->header.n_polytopes + 1, sizeof *place, r->check.msg);
    for (int64_t i = 0; i < left->n && s == MRN_OK; i++)
        if (left->grain[i].group == of)
            s = add_grain(r, p, place, &left->grain[i], g);
    mrn_free(place);
    return s;
}

static mrn_status build_group(mrn_reader *r, const packing *p, int of, int64_t count,
                              const mrn_left_grain *like)
{
    const mrn_left *left = &p->left;
    mrn_group *g = NULL;
    mrn_status s = mrn_build_next_group(r, &g);
    if (s != MRN_OK)
        return s;
    mrn_keys_default(&mrn_schema_body, g);
    const mrn_node *name = mrn_node_get(p->entry, "name");
    snprintf(g->name, sizeof g->name, "%s",
             name != NULL ? name->text : left->header.group_name[of]);
    s = find_material(r, p, left->header.material_name[like->material], &g->material);
    if (s == MRN_OK)
        s = mrn_read_keys(&r->check, &mrn_schema_body, p->entry, g);
    if (s == MRN_OK)
        s = mrn_build_held(r, p->entry, g);
    if (s != MRN_OK)
        return s;
    if (mrn_node_get(p->entry, "fixed") == NULL)
        g->fixed = (like->flags & MRN_BODY_FIXED) != 0;
    g->place = MRN_PLACE_LIST;
    g->shape = mrn_build_shape_index(r, mrn_shape_type_find(shape_name(r, like->flags)));
    g->size = (mrn_size){.kind = MRN_SIZE_CONSTANT};
    if (like->flags & MRN_BODY_CLUSTER)
        s = mrn_build_add_cluster(r, &left->cluster[left->cluster_of[of]], &g->cluster);
    return s == MRN_OK ? fill_group(r, p, of, count, g) : s;
}

static mrn_status build_groups(mrn_reader *r, const packing *p)
{
    const mrn_left *left = &p->left;
    const mrn_node *name = mrn_node_get(p->entry, "name");
    int made = 0;
    mrn_status s = MRN_OK;
    for (int of = 0; of < left->header.n_groups && s == MRN_OK; of++) {
        const mrn_left_grain *like = NULL;
        int64_t count = 0;
        for (int64_t i = left->n - 1; i >= 0; i--)
            if (left->grain[i].group == of) {
                like = &left->grain[i];
                count++;
            }
        if (count > 0 && made++ > 0 && name != NULL) {
            mrn_check_fail(&r->check, name, NULL, "that run has several groups, and one name");
            return mrn_fail_hint(r->check.msg,
                                 "leave out `name`, or choose one of the groups: "
                                 "from: {run: …, groups: %s}",
                                 left->header.group_name[of]);
        }
        if (count > 0)
            s = build_group(r, p, of, count, like);
    }
    return s;
}

/* ---- the cell ---- */

/* Kept for the cell of the scene, where nothing was cut away or turned. */
static mrn_status note_cell(mrn_reader *r, const packing *p)
{
    const mrn_left *left = &p->left;
    bool periodic = left->periodic[0] || left->periodic[1] || left->periodic[2];
    if (!periodic || p->cut[0] != NULL || p->turned || r->from.at != NULL)
        return MRN_OK;
    if (left->tilt[0] != 0 || left->tilt[1] != 0 || left->tilt[2] != 0) {
        mrn_check_fail(&r->check, p->from->key, "a box, or a part of the packing: inside: {box: …}",
                       "the cell of that run is sheared, and a scene begins with a box");
        return MRN_ERR_INPUT;
    }
    double move[3];
    mrn_store3(move, p->move);
    r->from.at = p->from->key;
    for (int k = 0; k < 3; k++) {
        r->from.periodic[k] = left->periodic[k];
        r->from.origin[k] = left->origin[k] + move[k];
        r->from.size[k] = left->size[k];
    }
    return MRN_OK;
}

mrn_status mrn_build_from(mrn_reader *r, const mrn_node *n)
{
    packing p = {.entry = n, .from = mrn_node_get(n, "from")};
    p.map = p.from->kind == MRN_NODE_MAP ? p.from : NULL;
    mrn_status s = check_beside(r, n);
    if (s == MRN_OK)
        s = read_motion(r, &p);
    if (s == MRN_OK)
        s = read_cuts(r, &p);
    if (s == MRN_OK)
        s = open_run(r, &p);
    if (s == MRN_OK && p.left.header.dimension != r->check.dimension)
        s = mrn_check_fail(&r->check, p.from->key, "a run of the same dimension",
                           "that run is %dD, this scene %dD", p.left.header.dimension,
                           r->check.dimension);
    if (s == MRN_OK)
        s = choose(r, &p);
    if (s == MRN_OK)
        s = note_cell(r, &p);
    if (s == MRN_OK)
        s = build_groups(r, &p);
    mrn_left_release(&p.left);
    return s;
}
