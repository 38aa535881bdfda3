/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid clusters. A cluster is a body without contacts; its spheres are bodies without a motion of
   their own. Spheres are put where their cluster carries them, contacts act on spheres as on any
   other, and each cluster gathers the forces of its own spheres in the order of its template, so
   that threads change no bit. */
#include <stdlib.h>

#include "base/base.h"
#include "smooth/carried.h"

/* Clusters per block of work. A cluster is two bodies at least, so there are never more blocks than
   blocks of bodies. */
enum { CHUNK = MRN_CHUNK_ROWS / 2 };

void mrn_clusters_release(mrn_smooth *e)
{
    mrn_free(e->cluster);
    mrn_free(e->member_row);
    mrn_free(e->member);
    mrn_free(e->turned);
}

/* ---- plan ---- */

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Lists clusters by their place in memory and makes room for their spheres. */
static mrn_status list_clusters(mrn_smooth *e, mrn_message *msg)
{
    const mrn_bodies *b = &e->state->body;
    int64_t n = 0, members = 0;
    for (int32_t i = b->n_walls; i < b->n; i++)
        n += (b->flags[i] & MRN_BODY_CLUSTER) != 0;
    if (mrn_grow(&e->cluster, &e->cluster_room, n, sizeof *e->cluster) != MRN_OK ||
        mrn_grow(&e->member_row, &e->member_row_room, n + 1, sizeof *e->member_row) != MRN_OK)
        return mrn_fail_memory(msg);
    e->n_clusters = 0;
    for (int32_t i = b->n_walls; i < b->n; i++)
        if (b->flags[i] & MRN_BODY_CLUSTER) {
            e->member_row[e->n_clusters] = members;
            e->cluster[e->n_clusters++] = i;
            members += mrn_cluster_of(e->scene, b, i)->n;
        }
    e->member_row[e->n_clusters] = members;
    if (mrn_grow(&e->member, &e->member_room, members, sizeof *e->member) != MRN_OK)
        return mrn_fail_memory(msg);
    for (int64_t k = 0; k < members; k++)
        e->member[k] = -1;
    return MRN_OK;
}

/* Puts each sphere into the row of its cluster. */
static mrn_status list_members(mrn_smooth *e, mrn_message *msg)
{
    const mrn_bodies *b = &e->state->body;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        if (!(b->flags[i] & MRN_BODY_MEMBER))
            continue;
        int32_t id = b->parent[i], at = id >= 0 && id < b->n_ids ? b->index_of[id] : -1;
        const int32_t *c = e->n_clusters == 0 ? NULL
                                              : bsearch(&at, e->cluster, (size_t)e->n_clusters,
                                                        sizeof *e->cluster, compare);
        int64_t row = c != NULL ? e->member_row[c - e->cluster] + b->part[i] : -1;
        if (c == NULL || row >= e->member_row[c - e->cluster + 1] || e->member[row] >= 0)
            return mrn_fail(msg, MRN_ERR_RANGE, "body %d is a sphere of no cluster", (int)b->id[i]);
        e->member[row] = i;
    }
    for (int64_t k = 0; k < e->member_row[e->n_clusters]; k++)
        if (e->member[k] < 0)
            return mrn_fail(msg, MRN_ERR_RANGE, "a cluster lacks one of its spheres");
    return MRN_OK;
}

static int64_t chunks(const mrn_smooth *e)
{
    return (e->n_clusters + CHUNK - 1) / CHUNK;
}

mrn_status mrn_clusters_plan(mrn_smooth *e, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    e->n_clusters = 0;
    if (e->scene->n_clusters > 0) {
        st = list_clusters(e, msg);
        if (st == MRN_OK)
            st = list_members(e, msg);
    }
    if (st == MRN_OK && e->n_clusters > 0 &&
        mrn_grow(&e->turned, &e->turned_room, 4 * (int64_t)e->state->body.n, sizeof *e->turned))
        st = mrn_fail_memory(msg);
    if (st == MRN_OK)
        mrn_clusters_place(e, 0);
    return st;
}

/* ---- spheres ---- */

/* Puts the spheres of cluster k where it is; returns the largest squared way since the list was
   built. */
static double place(mrn_smooth *e, int64_t k, const mrn_images *im, const mrn_cell_flow *flow)
{
    mrn_bodies *b = &e->state->body;
    int32_t i = e->cluster[k];
    const mrn_cluster *c = mrn_cluster_of(e->scene, b, i);
    mrn_quat q = mrn_load_quat(b->q + 4 * (size_t)i);
    mrn_vec3 x = mrn_load3(b->x + 3 * (size_t)i), v = mrn_load3(b->v + 3 * (size_t)i);
    mrn_vec3 w = mrn_load3(b->w + 3 * (size_t)i);
    double far = 0;
    for (int part = 0; part < c->n; part++) {
        size_t m = (size_t)e->member[e->member_row[k] + part];
        mrn_vec3 arm = mrn_cluster_arm(c, part, q, b->radius[i]);
        mrn_vec3 to = mrn_carried_place(im, x, arm, mrn_load3(b->x + 3 * m));
        mrn_store3(b->x + 3 * m, to);
        mrn_store3(b->v + 3 * m, mrn_carried_velocity(flow, v, w, arm));
        mrn_store3(b->w + 3 * m, w);
        mrn_store_quat(b->q + 4 * m, q);
        mrn_vec3 d = mrn_sub(to, mrn_load3(b->x_list + 3 * m));
        double d2 = mrn_dot(d, d);
        far = d2 > far || d2 != d2 ? d2 : far; /* a NAN stays */
    }
    return far;
}

/* Where the cell's images are, and what clusters meet. */
typedef struct around {
    mrn_images images;
    const mrn_surroundings *o;
} around;

static void place_chunk(mrn_smooth *e, const void *with, int64_t c, mrn_scratch *w)
{
    const around *a = with;
    (void)w;
    double most = 0;
    for (int64_t k = c * CHUNK; k < (c + 1) * CHUNK && k < e->n_clusters; k++) {
        double d = place(e, k, &a->images, &a->o->flow);
        most = d > most || d != d ? d : most;
    }
    e->far[c] = most;
}

double mrn_clusters_place(mrn_smooth *e, double far)
{
    int64_t n = chunks(e);
    const mrn_surroundings o = {.flow = mrn_cell_flow_of(e->state)};
    const around a = {mrn_images_of(e->scene, e->state), &o};
    mrn_smooth_share(e, n, n > 2, place_chunk, &a);
    for (int64_t c = 0; c < n; c++)
        far = e->far[c] > far || e->far[c] != e->far[c] ? e->far[c] : far;
    return far;
}

/* ---- the step, backwards ---- */

void mrn_clusters_turned(mrn_smooth *e, double h)
{
    const mrn_bodies *b = &e->state->body;
    for (int64_t k = 0; e->undamped && k < e->n_clusters; k++) {
        size_t i = (size_t)e->cluster[k];
        mrn_vec3 moments = mrn_principal_moments(e->scene, b, e->cluster[k]);
        mrn_quat q =
            mrn_turned_in_step(moments, mrn_load3(b->t + 3 * i), mrn_load_quat(b->q + 4 * i),
                               mrn_load3(b->w + 3 * i), b->flags[i] & MRN_BODY_FIXED ? 0 : h);
        mrn_store_quat(e->turned + 4 * i, q);
    }
}

/* ---- forces ---- */

/* Force on cluster k and torque about its centre, from those on its spheres. */
static void gather(const mrn_smooth *e, int64_t k, mrn_vec3 *force, mrn_vec3 *torque)
{
    const mrn_bodies *b = &e->state->body;
    int32_t i = e->cluster[k];
    const mrn_cluster *c = mrn_cluster_of(e->scene, b, i);
    mrn_quat q = mrn_load_quat(b->q + 4 * (size_t)i);
    *force = *torque = mrn_v3(0, 0, 0);
    for (int part = 0; part < c->n; part++) {
        size_t m = 3 * (size_t)e->member[e->member_row[k] + part];
        mrn_vec3 arm = mrn_cluster_arm(c, part, q, b->radius[i]);
        mrn_carried_pull(mrn_load3(b->f + m), mrn_load3(b->t + m), arm, force, torque);
    }
}

static void kick_chunk(mrn_smooth *e, const void *with, int64_t c, mrn_scratch *w)
{
    const around *a = with;
    for (int64_t k = c * CHUNK; k < (c + 1) * CHUNK && k < e->n_clusters; k++) {
        mrn_vec3 f, t;
        gather(e, k, &f, &t);
        mrn_body_kick(e, a->o, e->cluster[k], f, t, &w->bodies);
        if (a->o->h > 0)
            place(e, k, &a->images, &a->o->flow);
    }
    mrn_body_part_add(&w->bodies);
}

void mrn_clusters_kick(mrn_smooth *e, const mrn_surroundings *o)
{
    int64_t n = chunks(e);
    const around a = {mrn_images_of(e->scene, e->state), o};
    mrn_smooth_share(e, n, n > 2, kick_chunk, &a);
}
