/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures of the contact network: coordination, rattlers, balance of forces. Walks the neighbour
   list, where `touch` marks the contacts of the last step. */
#include "measure/measure.h"

/* Is there a list, and does it speak of the bodies there are? */
static bool has_list(const mrn_state *s)
{
    return s->pair.row != NULL && s->pair.wall_row != NULL && s->pair.back_row != NULL &&
           s->pair.rows == s->body.n;
}

static int touching(const mrn_pairs *p, int64_t begin, int64_t end)
{
    int n = 0;
    for (int64_t k = begin; k < end; k++)
        n += p->touch[k] != 0;
    return n;
}

int mrn_contacts_of(const mrn_state *s, int32_t i)
{
    const mrn_pairs *p = &s->pair;
    if (!has_list(s))
        return 0;
    int n = touching(p, p->row[i], p->row[i + 1]) + touching(p, p->wall_row[i], p->wall_row[i + 1]);
    for (int64_t k = p->back_row[i]; k < p->back_row[i + 1]; k++)
        n += p->touch[p->back[k]] != 0;
    return n;
}

enum { GRAINS, CONTACTS, BEARING, BEARING_CONTACTS, N_COUNTS };

static void count_contacts(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    (void)scene;
    if (!mrn_is_free(s, i))
        return;
    int z = mrn_contacts_of(s, i);
    sum[GRAINS] += 1;
    sum[CONTACTS] += z;
    sum[BEARING] += z >= 2;
    sum[BEARING_CONTACTS] += z >= 2 ? z : 0;
}

double mrn_coordination(const mrn_scene *scene, const mrn_state *s)
{
    double sum[N_COUNTS];
    mrn_sum_grains(scene, s, N_COUNTS, count_contacts, sum);
    return sum[GRAINS] > 0 ? sum[CONTACTS] / sum[GRAINS] : 0;
}

/* Thornton, Géotechnique 50, 43 (2000): (2 Nc - N1) / (N - N1 - N0), that is the mean over the
   grains with two contacts or more. */
double mrn_coordination_mechanical(const mrn_scene *scene, const mrn_state *s)
{
    double sum[N_COUNTS];
    mrn_sum_grains(scene, s, N_COUNTS, count_contacts, sum);
    return sum[BEARING] > 0 ? sum[BEARING_CONTACTS] / sum[BEARING] : 0;
}

double mrn_rattlers(const mrn_scene *scene, const mrn_state *s)
{
    double sum[N_COUNTS];
    mrn_sum_grains(scene, s, N_COUNTS, count_contacts, sum);
    return sum[GRAINS] > 0 ? 1 - sum[BEARING] / sum[GRAINS] : 0;
}

/* ---- forces ---- */

enum { FORCE, N, N_FORCES };

static void add_forces(const mrn_pairs *p, int64_t begin, int64_t end, double *sum)
{
    for (int64_t k = begin; k < end; k++)
        if (p->touch[k]) {
            sum[FORCE] += mrn_norm(mrn_load3(p->force + 3 * (size_t)k));
            sum[N] += 1;
        }
}

/* Each contact once: it belongs to the row of one grain. */
static void contact_forces(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    (void)scene;
    const mrn_pairs *p = &s->pair;
    add_forces(p, p->row[i], p->row[i + 1], sum);
    add_forces(p, p->wall_row[i], p->wall_row[i + 1], sum);
}

static void net_force(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    (void)scene;
    if (!mrn_is_free(s, i))
        return;
    sum[FORCE] += mrn_norm(mrn_load3(s->body.f + 3 * (size_t)i));
    sum[N] += 1;
}

double mrn_mean_contact_force(const mrn_scene *scene, const mrn_state *s)
{
    double sum[N_FORCES] = {0, 0};
    if (has_list(s) && s->pair.force != NULL)
        mrn_sum_grains(scene, s, N_FORCES, contact_forces, sum);
    return sum[N] > 0 ? sum[FORCE] / sum[N] : 0;
}

double mrn_unbalanced(const mrn_scene *scene, const mrn_state *s)
{
    double net[N_FORCES];
    mrn_sum_grains(scene, s, N_FORCES, net_force, net);
    if (!(net[FORCE] > 0))
        return 0; /* nothing pulls at all: balanced */
    double mean = mrn_mean_contact_force(scene, s);
    return mean > 0 ? net[FORCE] / net[N] / mean : INFINITY;
}
