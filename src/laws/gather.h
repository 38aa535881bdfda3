/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a block of contacts to what the formula of a law is given of contact i, and its answer back
   into the block: the two ends of every law's loop. */
#ifndef MRN_LAWS_GATHER_H
#define MRN_LAWS_GATHER_H

#include "laws/cohesion.h"
#include "laws/moment.h"
#include "laws/normal.h"
#include "moraine/law.h"

/* The mass that a stiffness follows. */
MRN_FORMULA const double *mrn_block_own_mass(const mrn_law_block *b)
{
    return b->geared ? b->m_own : b->m_eff;
}

MRN_FORMULA void mrn_block_normal(mrn_law_block *b, int i, mrn_normal f)
{
    b->fn[i] = f.fn;
    b->energy_n[i] = f.energy;
    b->loss_n[i] = f.loss;
    b->k_n[i] = f.k;
    b->gamma_n[i] = f.gamma;
}

/* With the velocities of the end of the step. */
MRN_FORMULA mrn_sliding mrn_block_sliding(const mrn_law_block *b, int i)
{
    mrn_sliding at;
    at.n = mrn_v3(b->nx[i], b->ny[i], b->nz[i]);
    at.u = mrn_v3(b->ux[i], b->uy[i], b->uz[i]);
    at.turn = b->h * b->spin[i];
    at.delta = b->delta[i], at.rate = b->rate[i], at.fresh = b->fresh[i];
    at.h = b->h;
    return at;
}

/* With those of its middle. */
MRN_FORMULA mrn_passage mrn_block_passage(const mrn_law_block *b, int i)
{
    double lived = mrn_tangent_whole(b->fresh[i], b->h, b->delta[i], b->rate[i]);
    mrn_passage at;
    at.n = mrn_v3(b->nx[i], b->ny[i], b->nz[i]);
    at.middle = mrn_v3(b->px[i], b->py[i], b->pz[i]);
    at.way = mrn_scale(lived, mrn_v3(b->vx[i], b->vy[i], b->vz[i]));
    at.turn = b->h * b->pivot[i];
    return at;
}

/* The same for the rolling, whose way is an angle. */
MRN_FORMULA mrn_passage mrn_block_rolling(const mrn_law_block *b, int i)
{
    mrn_passage at = mrn_block_passage(b, i);
    mrn_vec3 w = {b->ax[i], b->ay[i], b->az[i]};
    at.way = mrn_scale(b->h, mrn_passage_velocity(at.middle, at.n, at.turn, w));
    return at;
}

/* And the twist: one number. */
MRN_FORMULA double mrn_block_twist(const mrn_law_block *b, int i)
{
    return b->h * (b->ax[i] * b->px[i] + b->ay[i] * b->py[i] + b->az[i] * b->pz[i]);
}

MRN_FORMULA void mrn_block_tangential(mrn_law_block *b, int i, mrn_tangential t)
{
    b->tx[i] = -t.force.x, b->ty[i] = -t.force.y, b->tz[i] = -t.force.z;
    b->energy_t[i] = t.energy;
    b->power_t[i] = t.power;
    b->work_t[i] = t.work;
    b->slip[i] = t.slip;
}

MRN_FORMULA mrn_turning mrn_block_turning(const mrn_law_block *b, int i)
{
    mrn_turning at;
    at.n = mrn_v3(b->nx[i], b->ny[i], b->nz[i]);
    at.w = mrn_v3(b->wx[i], b->wy[i], b->wz[i]);
    at.turn = b->h * b->spin[i], at.h = b->h;
    at.r = b->r_eff[i], at.m = b->m_eff[i];
    at.k_n = b->k_n[i], at.press = b->press[i];
    return at;
}

MRN_FORMULA void mrn_block_moment(mrn_law_block *b, int i, mrn_moment m)
{
    b->mx[i] -= m.moment.x, b->my[i] -= m.moment.y, b->mz[i] -= m.moment.z;
    b->energy_t[i] += m.energy;
    b->power_t[i] += m.power;
}

/* Of a spring that is kept at the step: work in place of power. */
MRN_FORMULA void mrn_block_moment_kept(mrn_law_block *b, int i, mrn_moment m, double work)
{
    mrn_block_moment(b, i, m);
    b->work_t[i] += work;
}

#endif
