/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energies of the bodies now, and the account of what was lost and put in. */
#include "geom/cluster.h"
#include "measure/body_energy.h"
#include "measure/measure.h"

/* A cluster turns about its principal axes: its template says how. A polytope likewise. */
mrn_vec3 mrn_spin_momentum(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    mrn_vec3 w = mrn_load3(s->body.w + 3 * (size_t)i);
    if ((s->body.flags[i] & MRN_BODY_POLYTOPE) && s->body.part[i] < scene->n_polytopes)
        return mrn_angular_momentum(mrn_principal_moments(scene, &s->body, i),
                                    mrn_load_quat(s->body.q + 4 * (size_t)i), w);
    int group = s->body.group[i], k = group < scene->n_groups ? scene->group[group].cluster : -1;
    if (!(s->body.flags[i] & MRN_BODY_CLUSTER) || k < 0 || k >= scene->n_clusters)
        return mrn_scale(s->body.inertia[i], w);
    return mrn_cluster_momentum(scene->cluster[k].inertia, s->body.mass[i], s->body.radius[i],
                                mrn_load_quat(s->body.q + 4 * (size_t)i), w);
}

/* Fixed grains do not move and do not fall: they hold no energy. The spheres of a cluster are
   carried by it: what they have, it has. */
static void energy_of(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    if (!mrn_is_free(s, i))
        return;
    mrn_vec3 v = mrn_load3(s->body.v + 3 * (size_t)i), w = mrn_load3(s->body.w + 3 * (size_t)i);
    mrn_body_energy(s->body.mass[i], v, w, mrn_spin_momentum(scene, s, i), mrn_load3(s->gravity),
                    mrn_unwrapped(scene, s, i), sum);
}

double mrn_ledger_lost(const mrn_ledger *l)
{
    return l->lost_normal + l->lost_tangential + l->lost_damping + l->lost_scheme;
}

mrn_energies mrn_measure_energies(const mrn_scene *scene, const mrn_state *s)
{
    double sum[MRN_ENERGY_TERMS];
    mrn_sum_grains(scene, s, MRN_ENERGY_TERMS, energy_of, sum);
    return mrn_account_energies(s, sum);
}

mrn_energies mrn_account_energies(const mrn_state *s, const double sum[MRN_ENERGY_TERMS])
{
    const mrn_ledger *l = &s->ledger;
    mrn_energies e = {.kinetic = sum[MRN_ENERGY_KINETIC],
                      .rotational = sum[MRN_ENERGY_ROTATIONAL],
                      .elastic = s->elastic,
                      .gravity = sum[MRN_ENERGY_GRAVITY],
                      .dissipated = mrn_ledger_lost(l),
                      .input = l->wall_work + l->cell_work + l->drive_work};
    e.total = e.kinetic + e.rotational + e.elastic + e.gravity;
    e.residual = e.total + e.dissipated - e.input - l->start;
    return e;
}

void mrn_ledger_open(const mrn_scene *scene, mrn_state *s)
{
    mrn_ledger *l = &s->ledger;
    /* the powers and the tangential energy of the last step stay: the next sums begin from them */
    l->lost_normal = l->lost_tangential = l->lost_damping = l->lost_scheme = 0;
    l->wall_work = l->cell_work = l->drive_work = s->lost_shocks = 0;
    s->ledger.start = mrn_measure_energies(scene, s).total;
}
