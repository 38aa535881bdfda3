/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid clusters on their way to a device: bodies like others in its arrays, and who carries whom.
 */
#include "base/base.h"
#include "cuda/cuda.h"

/* What goes there. */
typedef struct plan {
    int32_t *carried, *carrier;
    mrn_gpu_cluster *cluster;
    mrn_gpu_form *form;
    double *centre;
    int64_t bodies, clusters, spheres, forms, centres;
} plan;

static void release(plan *p)
{
    mrn_free(p->carried);
    mrn_free(p->carrier);
    mrn_free(p->cluster);
    mrn_free(p->form);
    mrn_free(p->centre);
}

static mrn_status take(plan *p, mrn_message *msg)
{
    mrn_status st = mrn_array(&p->carried, p->bodies, sizeof *p->carried, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->carrier, p->spheres, sizeof *p->carrier, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->cluster, p->clusters, sizeof *p->cluster, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->form, p->forms, sizeof *p->form, msg);
    return st == MRN_OK ? mrn_array(&p->centre, 3 * p->centres, sizeof *p->centre, msg) : st;
}

static void set_forms(const mrn_scene *scene, plan *p)
{
    int64_t at = 0;
    for (int k = 0; k < scene->n_clusters; at += scene->cluster[k++].n) {
        const mrn_cluster *of = &scene->cluster[k];
        p->form[k] = (mrn_gpu_form){.n = of->n, .first = at};
        for (int m = 0; m < 3; m++)
            p->form[k].inertia[m] = of->inertia[m];
        for (int m = 0; m < 3 * of->n; m++)
            p->centre[3 * at + m] = of->centre[m];
    }
}

static void set_clusters(const mrn_smooth *e, plan *p)
{
    const mrn_bodies *b = &e->state->body;
    for (int64_t i = 0; i < p->bodies; i++)
        p->carried[i] = -1;
    for (int32_t k = 0; k < (int32_t)p->clusters; k++) {
        int32_t at = e->cluster[k] - b->n_walls;
        p->carried[at] = -2 - k;
        p->cluster[k] = (mrn_gpu_cluster){.at = at,
                                          .first = (int32_t)e->member_row[k],
                                          .form = e->scene->group[b->group[e->cluster[k]]].cluster};
        for (int64_t m = e->member_row[k]; m < e->member_row[k + 1]; m++) {
            p->carrier[m] = k;
            p->carried[e->member[m] - b->n_walls] = (int32_t)m;
        }
    }
}

static mrn_status room(mrn_cuda *c, const plan *p, bool turned, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    const int64_t one = sizeof(int32_t);
    mrn_status st = mrn_cuda_room(c, MRN_ROOM_BODY_CARRIED, one * p->bodies, &g->carried, msg);
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_SPHERE, one * p->spheres, &g->sphere, msg);
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_CARRIER, one * p->spheres, &g->carrier, msg);
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_CLUSTER, p->clusters * (int64_t)sizeof *g->cluster,
                           &g->cluster, msg);
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_FORM, p->forms * (int64_t)sizeof *g->form, &g->form, msg);
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_CENTRE, 3 * p->centres * (int64_t)sizeof *g->centre,
                           &g->centre, msg);
    if (st == MRN_OK && turned)
        st = mrn_cuda_room(c, MRN_ROOM_TURNED, 4 * p->clusters * (int64_t)sizeof *g->turned,
                           &g->turned, msg);
    return st;
}

static bool put(mrn_cuda *c, const plan *p)
{
    const mrn_gpu *g = &c->g;
    const mrn_gpu_ops *ops = c->ops;
    const mrn_gpu_step s = {.at = 0};
    return ops->put(c->device, g->carried, p->carried, (size_t)p->bodies * sizeof *p->carried) &&
           ops->put(c->device, g->carrier, p->carrier, (size_t)p->spheres * sizeof *p->carrier) &&
           ops->put(c->device, g->cluster, p->cluster, (size_t)p->clusters * sizeof *p->cluster) &&
           ops->put(c->device, g->form, p->form, (size_t)p->forms * sizeof *p->form) &&
           ops->put(c->device, g->centre, p->centre, 3 * (size_t)p->centres * sizeof *p->centre) &&
           ops->run(c->device, MRN_GPU_KERNEL_find_spheres, g, &s, g->n);
}

/* The host's plan of clusters follows places in memory, which change when the device sorts. */
mrn_status mrn_cuda_enter_clusters(mrn_cuda *c, bool turned, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    mrn_smooth *e = c->host;
    mrn_status st = mrn_clusters_plan(e, msg);
    g->n_clusters = (int32_t)e->n_clusters;
    if (st != MRN_OK || g->n_clusters == 0)
        return st;
    plan p = {.bodies = g->n,
              .clusters = e->n_clusters,
              .spheres = e->member_row[e->n_clusters],
              .forms = c->scene->n_clusters};
    for (int k = 0; k < c->scene->n_clusters; k++)
        p.centres += c->scene->cluster[k].n;
    st = take(&p, msg);
    if (st == MRN_OK) {
        set_forms(c->scene, &p);
        set_clusters(e, &p);
        st = room(c, &p, turned, msg);
    }
    if (st == MRN_OK && !(put(c, &p) && c->ops->wait(c->device)))
        st = mrn_cuda_failed(c, msg);
    release(&p);
    return st;
}
