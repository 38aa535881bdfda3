/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact network as a graph: coordination, rattlers, backbone; balance of forces.

   The backbone is what is left when grains that cannot be held are taken away, again and again: a
   free grain needs two bearing contacts where one of them has friction (it can then be squeezed
   between them), and one more than the dimension where none has. A bearing contact carries more
   than MRN_BEARING of the mean contact force. Walls and fixed grains hold whatever leans on them.

   Grains with corners touch at several points. These count each where it is asked whether a grain
   is held (a face at rest on a face has three or more); for coordination they are one contact. The
   smooth engine knows the region two such grains share and no points: one contact may hold. */
#include <string.h>

#include "base/base.h"
#include "measure/measure.h"

typedef struct graph {
    const mrn_state *s;
    int64_t n, capacity;
    int32_t *end;    /* two grains per contact, smaller index first; a wall is one too          */
    uint8_t *bears;  /* the contact carries a force worth the name                              */
    int32_t *degree; /* contacts per body                                                       */
    int32_t *held;   /* bearing contacts per body, while grains are taken away                  */
    int32_t *row;    /* bodies + 1: where a body's bearing contacts begin in `edge`             */
    int32_t *edge;
    int32_t *queue;
    uint8_t *rough; /* the body has a bearing contact with friction                            */
    uint8_t *gone;
    int64_t with_walls;
    bool areas; /* grains with corners touch on areas, not at points: one may hold */
    double least;
    bool full; /* out of memory */
} graph;

static void release(graph *g)
{
    mrn_free(g->end);
    mrn_free(g->bears);
    mrn_free(g->degree);
    mrn_free(g->held);
    mrn_free(g->row);
    mrn_free(g->edge);
    mrn_free(g->queue);
    mrn_free(g->rough);
    mrn_free(g->gone);
}

static mrn_status open_graph(const mrn_contact_view *v, double mean_force, graph *g,
                             mrn_message *msg)
{
    int64_t n = v->s->body.n;
    *g = (graph){
        .s = v->s, .areas = !mrn_contact_points(v->scene), .least = MRN_BEARING * mean_force};
    mrn_status st = mrn_array(&g->degree, n, sizeof *g->degree, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->held, n, sizeof *g->held, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->row, n + 2, sizeof *g->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->queue, n, sizeof *g->queue, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->rough, n, sizeof *g->rough, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->gone, n, sizeof *g->gone, msg);
    return st;
}

/* ---- contacts into the graph ---- */

static bool room(graph *g)
{
    int64_t two = 2 * g->capacity, one = g->capacity;
    if (g->n < g->capacity)
        return true;
    if (mrn_grow(&g->end, &two, 2 * (g->n + 1), sizeof *g->end) != MRN_OK ||
        mrn_grow(&g->bears, &one, two / 2, sizeof *g->bears) != MRN_OK)
        return false;
    g->capacity = two / 2 < one ? two / 2 : one;
    return true;
}

static void put_contact(const mrn_contact_view *v, const mrn_contact_entry *t, void *user)
{
    graph *g = user;
    if (g->full || !room(g)) {
        g->full = true;
        return;
    }
    int32_t c = t->grain_c, a = t->grain_a;
    bool bears = mrn_norm(t->force) > g->least;
    g->with_walls += t->wall;
    g->end[2 * g->n] = c < a ? c : a;
    g->end[2 * g->n + 1] = c < a ? a : c;
    g->bears[g->n++] = bears;
    g->degree[c]++;
    g->degree[a]++;
    double mu = mrn_contact_friction(v, t); /* cohesion (NAN) holds as friction does */
    if (bears && !(mu <= 0))
        g->rough[c] = g->rough[a] = 1;
}

/* ---- taking away ---- */

static mrn_status link_bearing(graph *g, mrn_message *msg)
{
    int32_t n = g->s->body.n, *row = g->row;
    mrn_status st = mrn_array(&g->edge, 2 * g->n, sizeof *g->edge, msg);
    if (st != MRN_OK)
        return st;
    for (int64_t k = 0; k < 2 * g->n; k++)
        if (g->bears[k / 2])
            row[g->end[k] + 2]++;
    for (int32_t i = 0; i < n; i++) {
        g->held[i] = row[i + 2];
        row[i + 2] += row[i + 1];
    }
    for (int64_t k = 0; k < 2 * g->n; k++) /* afterwards row[i] … row[i+1] are those of i */
        if (g->bears[k / 2])
            g->edge[row[g->end[k] + 1]++] = g->end[k ^ 1];
    return MRN_OK;
}

static bool has_corners(const graph *g, int32_t i)
{
    return (g->s->body.flags[i] & MRN_BODY_POLYTOPE) != 0;
}

static bool falls(const graph *g, int dimension, int32_t i)
{
    int needed = g->areas && has_corners(g, i) ? 1 : g->rough[i] ? 2 : dimension + 1;
    return mrn_is_free(g->s, i) && !g->gone[i] && g->held[i] < needed;
}

static void take_away(graph *g, int dimension)
{
    int32_t n = g->s->body.n, last = 0;
    for (int32_t i = g->s->body.n_walls; i < n; i++)
        if (falls(g, dimension, i)) {
            g->gone[i] = 1;
            g->queue[last++] = i;
        }
    for (int32_t first = 0; first < last; first++) {
        int32_t i = g->queue[first];
        for (int32_t k = g->row[i]; k < g->row[i + 1]; k++) {
            int32_t j = g->edge[k];
            g->held[j]--;
            if (falls(g, dimension, j)) {
                g->gone[j] = 1;
                g->queue[last++] = j;
            }
        }
    }
}

/* ---- counts ---- */

static void count_grains(const graph *g, mrn_network *out)
{
    for (int32_t i = g->s->body.n_walls; i < g->s->body.n; i++) {
        if (!mrn_is_free(g->s, i))
            continue;
        int z = g->degree[i];
        out->grains++;
        out->ends += z;
        out->bearing += z >= 2;
        out->bearing_ends += z >= 2 ? z : 0;
        out->rattlers += g->gone[i];
        out->divalent += !g->gone[i] && g->held[i] == 2;
        out->backbone_ends += g->gone[i] ? 0 : g->held[i];
    }
}

/* Pairs of grains in touch, sorted: points of the same pair stand together. */
static mrn_status sort_pairs(const graph *g, uint64_t **key, mrn_message *msg)
{
    int32_t *item = NULL;
    *key = NULL;
    mrn_status st = mrn_array(key, g->n, sizeof **key, msg);
    if (st == MRN_OK)
        st = mrn_array(&item, g->n, sizeof *item, msg);
    for (int64_t k = 0; st == MRN_OK && k < g->n; k++)
        (*key)[k] = (uint64_t)g->end[2 * k] << 32 | (uint32_t)g->end[2 * k + 1];
    if (st == MRN_OK)
        st = mrn_sort_keys(*key, item, g->n, msg);
    mrn_free(item);
    return st;
}

/* `points` contact points of the pair (lower index first) become one contact. */
static void join_points(graph *g, int32_t i, int32_t j, int32_t points, mrn_network *out)
{
    if (!has_corners(g, i) && !has_corners(g, j))
        return;
    g->degree[i] -= points - 1;
    g->degree[j] -= points - 1;
    out->folds[points < 3 ? points - 1 : 2]++;
    out->contacts -= points - 1;
    out->with_walls -= i < g->s->body.n_walls ? points - 1 : 0;
}

/* Clusters may touch each other more than once: pairs of grains, sorted, tell how many differ. */
static void count_pairs(graph *g, const uint64_t *key, mrn_network *out)
{
    for (int64_t k = 0, end; k < g->n; k = end) {
        int32_t i = (int32_t)(key[k] >> 32), j = (int32_t)(key[k] & 0xffffffff);
        for (end = k + 1; end < g->n && key[end] == key[k];)
            end++;
        out->neighbours += mrn_is_free(g->s, i) + mrn_is_free(g->s, j);
        join_points(g, i, j, (int32_t)(end - k), out);
    }
}

mrn_status mrn_network_of(const mrn_contact_view *v, double mean_force, bool all, mrn_network *out,
                          mrn_message *msg)
{
    graph g;
    *out = (mrn_network){0};
    mrn_status st = open_graph(v, mean_force, &g, msg);
    if (st == MRN_OK) {
        mrn_contacts_each(v, put_contact, &g);
        st = g.full ? mrn_fail_memory(msg) : link_bearing(&g, msg);
    }
    uint64_t *key = NULL;
    out->points = out->contacts = g.n;
    out->with_walls = g.with_walls;
    if (st == MRN_OK && (all || v->scene->polytopes))
        st = sort_pairs(&g, &key, msg);
    if (st == MRN_OK) {
        take_away(&g, v->scene->dimension);
        if (key != NULL)
            count_pairs(&g, key, out);
        count_grains(&g, out);
    }
    mrn_free(key);
    release(&g);
    return st;
}

/* ---- balance ---- */

static void net_force(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    (void)scene;
    if (!mrn_is_free(s, i))
        return;
    sum[0] += mrn_norm(mrn_load3(s->body.f + 3 * (size_t)i));
    sum[1] += 1;
}

double mrn_unbalanced(const mrn_scene *scene, const mrn_state *s, double mean_contact_force)
{
    double net[2];
    mrn_sum_grains(scene, s, 2, net_force, net);
    if (!(net[0] > 0))
        return 0; /* nothing pulls at all: balanced */
    return mean_contact_force > 0 ? net[0] / net[1] / mean_contact_force : INFINITY;
}
