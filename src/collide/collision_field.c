/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collisions in a plane as a differential equation: kinematics, what the laws answer, and what the
   laws do, found by asking them. Laws are asked lane by lane where they can be (laws/lanes.h),
   else as the one block of contacts that they know. */
#include <math.h>
#include <string.h>

#include "base/dispatch.h"
#include "collide/collision_flow.h"
#include "detect/kinematics.h"

typedef mrn_lane_row row;

/* ---- which collisions, and what their laws do ---- */

static int find_row(const mrn_law *law, const char *name)
{
    int at = 0;
    for (int i = 0; i < law->n_history; i++) {
        if (strcmp(law->history[i].name, name) == 0)
            return at;
        at += law->history[i].vector ? 3 : 1;
    }
    return -1;
}

bool mrn_collision_path_suits(const mrn_encounter *e)
{
    const mrn_law *t = e->law->part[MRN_LAW_TANGENTIAL];
    for (int k = 0; k < 2; k++)
        if (e->spin[k][0] != 0 || e->spin[k][2] != 0)
            return false;
    if (e->law->moments || e->law->offset[MRN_LAW_TANGENTIAL] > MRN_MEMORY)
        return false;
    if (t == NULL || t->n_history == 0)
        return t == NULL;
    if (e->reset) /* the path has spring and dashpot in series with the slider */
        return false;
    bool root = t->n_history == 2 && find_row(t, "root-overlap") == 3;
    const mrn_law *c = e->law->part[MRN_LAW_COHESION];
    if (root && c != NULL && c->wide != NULL) /* its root is not that of the overlap */
        return false;
    return find_row(t, "spring") == 0 && (t->n_history == 1 || root);
}

bool mrn_collision_path_lanes(const mrn_law *const part[MRN_LAW_KINDS])
{
    const mrn_law *n = part[MRN_LAW_NORMAL], *t = part[MRN_LAW_TANGENTIAL];
    return n != NULL && n->lanes != NULL && t != NULL && t->lanes != NULL &&
           part[MRN_LAW_COHESION] == NULL;
}

/* Of the law that is asked for its traits. */
static mrn_reply ask_first(mrn_collision_path *f, const mrn_question *q)
{
    mrn_law_block *b = f->block;
    double r_eff = b->r_eff[0], m_eff = b->m_eff[0]; /* of a lane */
    b->n = 1;
    b->delta[0] = q->delta, b->rate[0] = q->rate;
    b->gap[0] = -q->delta, b->closing[0] = q->rate;
    b->r_eff[0] = q->r, b->m_eff[0] = q->m;
    b->ux[0] = 0;
    for (int r = 0; r < f->law->history; r++)
        b->history[r][0] = 0;
    if (f->of.spring)
        b->history[f->of.row][0] = q->s;
    if (f->of.spring && f->of.root >= 0)
        b->history[f->of.root][0] = q->old;
    mrn_law_evaluate(f->law, b);
    b->r_eff[0] = r_eff, b->m_eff[0] = m_eff;
    return (mrn_reply){b->fn[0],    b->k_n[0], b->gamma_n[0],
                       b->press[0], b->tx[0],  b->history[f->of.spring ? f->of.row : 0][0]};
}

/* Coefficients of lane i. */
void mrn_collision_path_load(mrn_collision_path *f, int i, const mrn_prepared *law, double r_eff,
                             double m_eff)
{
    double c[MRN_LANE_COEFS] = {0};
    f->l.r_eff[i] = r_eff, f->l.m_eff[i] = m_eff;
    if (f->normal == NULL)
        return;
    f->normal->load(law->coef[MRN_LAW_NORMAL], r_eff, m_eff, c);
    for (int k = 0; k < MRN_LANE_COEFS; k++)
        f->l.normal[k][i] = c[k];
    f->tangential->load(law->coef[MRN_LAW_TANGENTIAL], r_eff, m_eff, c);
    for (int k = 0; k < MRN_LANE_COEFS; k++)
        f->l.tangential[k][i] = c[k];
}

/* In a lane beyond all. */
mrn_reply mrn_collision_path_ask(mrn_collision_path *f, const mrn_question *q)
{
    const mrn_lanes *l = &f->l;
    const int i = MRN_LANES;
    if (f->normal == NULL)
        return ask_first(f, q);
    mrn_collision_path_load(f, i, f->law, q->r, q->m);
    l->delta[i] = q->delta, l->rate[i] = q->rate, l->ut[i] = 0;
    l->spring[i] = q->s, l->root[i] = sqrt(q->delta);
    f->normal->answer(&f->l, i, i + 1);
    f->tangential->answer(&f->l, i, i + 1);
    double s = f->tangential->keep(f->law->coef[MRN_LAW_TANGENTIAL], q->delta, q->s, q->old);
    return (mrn_reply){l->fn[i], l->k_n[i], l->gamma_n[i], l->press[i], l->tx[i], s};
}

/* What the tangential law does with a spring. */
static void probe_spring(mrn_collision_path *f, mrn_question q)
{
    mrn_traits *of = &f->of;
    double far = MRN_BEYOND * q.r, little = 1e-12 * q.r, root = q.old;
    q.rate = 0, q.s = far;
    mrn_reply a = mrn_collision_path_ask(f, &q);
    of->mu = fabs(a.tx) / a.press;
    of->cut = a.s < 0.5 * far;
    of->reach = a.s / q.delta;
    of->spring = of->mu > 0;
    if (of->root < 0)
        return;
    q.s = little, q.old = 0.5 * root;
    of->growing = mrn_collision_path_ask(f, &q).s < 0.75 * little ? 1 : 0;
    q.old = 2 * root;
    of->falling = mrn_collision_path_ask(f, &q).s > 1.5 * little ? 1 : 0;
}

/* Asked of one contact of usual size: the answers, to the last bit, must not depend on which
   collision of a batch comes first. */
void mrn_collision_path_probe(mrn_collision_path *f, const mrn_prepared *law)
{
    const mrn_law *t = law->part[MRN_LAW_TANGENTIAL];
    mrn_traits *of = &f->of;
    const double delta = 1e-6;
    mrn_question q = {.r = 1e-3, .m = 1e-6, .delta = delta, .rate = 1, .old = sqrt(delta)};
    f->law = law;
    *of = (mrn_traits){.row = law->offset[MRN_LAW_TANGENTIAL], .root = -1, .spring = t != NULL};
    of->pulls = law->part[MRN_LAW_COHESION] != NULL;
    of->memory = law->part[MRN_LAW_NORMAL]->n_history > 0;
    if (of->spring && f->rooted)
        of->root = of->row + find_row(t, "root-overlap");
    mrn_reply large = mrn_collision_path_ask(f, &q);
    q.delta = 1e-3 * delta;
    mrn_reply small = mrn_collision_path_ask(f, &q);
    of->even = large.k_n == small.k_n && large.gamma_n == small.gamma_n && !of->pulls;
    q.rate = -1e6;
    of->tension = mrn_collision_path_ask(f, &q).fn < 0;
    q.delta = delta;
    if (of->spring)
        probe_spring(f, q);
}

/* ---- the right-hand side ---- */

/* Kinematics of the lanes at the state y. On planes the normal stays, to the same bits; `rooted`:
   one over the root is asked for. */
MRN_FORMULA void place_lanes(mrn_collision_path *f, row *y, int from, int to, bool flat,
                             bool rooted)
{
    double *restrict delta = f->l.delta, *restrict l_rate = f->l.rate, *restrict l_ut = f->l.ut;
    double *restrict l_root = f->l.root, *restrict spring = f->l.spring;
    const double *restrict r_eff = f->l.r_eff;
#pragma omp simd
    for (int i = from; i < to; i++) {
        double qx = y[QX][i], qz = y[QZ][i], vx = y[VX][i], vz = y[VZ][i], c = f->curve[i];
        double nx = 0, nz = 1, d = -qz;
        if (!flat) {
            double dx = c * qx, dz = 1 + c * qz, length = sqrt(dx * dx + dz * dz), inv = 1 / length;
            nx = dx * inv, nz = dz * inv;
            d = -(2 * qz + c * (qx * qx + qz * qz)) / (1 + length);
        }
        double in = d > 0 ? d : 0, scale = 1 - f->shrink[i] * d, root = sqrt(in);
        mrn_in_plane u = mrn_plane_velocity(scale, nx, nz, vx, vz, y[SW][i]);
        double rate = flat ? -vz : -u.n, ut = flat ? vx - scale * y[SW][i] : u.t;
        double free = y[SP][i];
        if (rooted) {
            double inv_root = root > 0 ? 1 / root : 0;
            free = f->root[i] > 0 ? free * inv_root : free;
            f->per_sqrt[i] = inv_root;
        }
        double far = f->side[i] * MRN_BEYOND * r_eff[i];
        f->nx[i] = nx, f->nz[i] = nz;
        f->delta[i] = d, f->scale[i] = scale;
        delta[i] = in, l_rate[i] = rate, l_ut[i] = ut, l_root[i] = root;
        spring[i] = f->slip[i] > 0 ? far : free;
    }
}

MRN_DISPATCHED static void place(mrn_collision_path *f, row *y, int from, int to)
{
    if (f->flat && f->rooted)
        place_lanes(f, y, from, to, true, true);
    else if (f->flat)
        place_lanes(f, y, from, to, true, false);
    else
        place_lanes(f, y, from, to, false, true);
}

/* The lanes are a block of their one law. The memory of a normal law is as the last step left it;
   contacts held at a distance have no rate. */
static void ask_block(mrn_collision_path *f, int n)
{
    mrn_law_block *b = f->block;
    for (int r = 0; r < mrn_collision_path_memory(f); r++)
        memcpy(b->history[r], f->memory[r], (size_t)n * sizeof(double));
    bool range = f->law->range;
    for (int i = 0; i < n; i++) {
        b->gap[i] = -f->delta[i];
        b->rate[i] = range && !(f->delta[i] > 0) ? 0 : b->closing[i];
    }
    b->n = n;
    mrn_law_evaluate(f->law, b);
}

MRN_FORMULA void derive_lanes(mrn_collision_path *f, row *y, row *k, int from, int to, bool flat,
                              bool rooted)
{
    const double *restrict l_fn = f->l.fn, *restrict l_tx = f->l.tx, *restrict l_ut = f->l.ut;
    const double *restrict l_root = f->l.root, *restrict l_rate = f->l.rate;
#pragma omp simd
    for (int i = from; i < to; i++) {
        double fn = l_fn[i], tx = l_tx[i], nx = f->nx[i], nz = f->nz[i], ut = l_ut[i];
        k[QX][i] = y[VX][i];
        k[QZ][i] = y[VZ][i];
        mrn_on_axes a = mrn_plane_force(nx, nz, fn, tx);
        k[VX][i] = (flat ? tx : a.x) * f->inv_m[i];
        k[VZ][i] = (flat ? fn : a.y) * f->inv_m[i];
        k[SW][i] = -f->scale[i] * tx * f->inverse_inertia[i];
        double grow = rooted ? mrn_spring_rate(y[SP][i], ut, l_root[i], f->per_sqrt[i], l_rate[i],
                                               f->root[i], f->growing[i], f->falling[i])
                             : ut;
        k[SP][i] = f->slip[i] > 0 ? 0 : f->any[i] * grow;
    }
}

MRN_DISPATCHED static void derive(mrn_collision_path *f, row *y, row *k, int from, int to)
{
    if (f->flat && f->rooted)
        derive_lanes(f, y, k, from, to, true, true);
    else if (f->flat)
        derive_lanes(f, y, k, from, to, true, false);
    else
        derive_lanes(f, y, k, from, to, false, true);
}

void mrn_collision_path_evaluate(mrn_collision_path *f, row *y, row *k, int from, int to)
{
    place(f, y, from, to);
    if (f->normal != NULL) {
        f->normal->answer(&f->l, from, to);
        f->tangential->answer(&f->l, from, to);
    } else {
        ask_block(f, to);
    }
    derive(f, y, k, from, to);
}

void mrn_collision_path_look(mrn_collision_path *f, row *y)
{
    place(f, y, 0, f->wide);
    if (f->normal != NULL)
        f->normal->answer(&f->l, 0, f->wide);
    else
        ask_block(f, f->wide);
}

/* ---- springs in slip ---- */

/* Stiffness and dashpot of the lanes, as just evaluated. */
static void ask_hold(mrn_collision_path *f, int from, int to, double *k, double *g)
{
    const mrn_law *t = f->law->part[MRN_LAW_TANGENTIAL];
    const double *c = f->law->coef[MRN_LAW_TANGENTIAL];
    const mrn_lanes *l = &f->l;
    if (f->tangential != NULL)
        f->tangential->spring(l, from, to, k, g);
    else if (t != NULL)
        for (int i = from; i < to; i++) {
            k[i] = t->stiffness(c, l->r_eff[i], l->m_eff[i], l->delta[i], l->k_n[i]);
            g[i] = t->damping(c, l->r_eff[i], l->m_eff[i], l->delta[i], l->gamma_n[i]);
        }
}

/* The limit and what holds against it. */
MRN_DISPATCHED static void find_springs(mrn_collision_path *f, int from, int to,
                                        mrn_spring_states *out)
{
    const double *restrict press = f->l.press, *restrict l_delta = f->l.delta;
    const double *restrict l_rate = f->l.rate;
    double *restrict k = out->k, *restrict g = out->g, *restrict raw = out->raw;
    if (f->of.cut) {
        for (int i = from; i < to; i++) {
            k[i] = raw[i] = 1, g[i] = 0;
            out->l[i] = f->reach[i] * l_delta[i];
        }
        return;
    }
    ask_hold(f, from, to, raw, g);
#pragma omp simd
    for (int i = from; i < to; i++) {
        double rate = l_rate[i], delta = l_delta[i];
        double with = rate > 0 ? f->growing[i] : f->falling[i];
        double change = delta > 0 ? 0.5 * rate / delta : 0;
        k[i] = raw[i] + g[i] * change * with;
        out->l[i] = f->mu[i] * press[i];
    }
}

void mrn_collision_path_springs(mrn_collision_path *f, int from, int to, mrn_spring_states *out)
{
    find_springs(f, from, to, out);
}

/* ---- how a law is asked ---- */

/* Where the rows of `l` stand: in the block of a law that is asked so. */
static void lay_out(mrn_collision_path *f)
{
    mrn_law_block *b = f->normal == NULL ? f->block : NULL;
    const mrn_traits *of = &f->of;
    mrn_lanes *l = &f->l;
    const struct {
        double **at, *in_block;
    } all[] = {{&l->r_eff, b ? b->r_eff : NULL},
               {&l->m_eff, b ? b->m_eff : NULL},
               {&l->delta, b ? b->delta : NULL},
               {&l->rate, b ? b->closing : NULL},
               {&l->ut, b ? b->ux : NULL},
               {&l->fn, b ? b->fn : NULL},
               {&l->k_n, b ? b->k_n : NULL},
               {&l->gamma_n, b ? b->gamma_n : NULL},
               {&l->press, b ? b->press : NULL},
               {&l->tx, b ? b->tx : NULL},
               {&l->spring, b && of->spring ? b->history[of->row] : NULL},
               {&l->root, b && of->spring && of->root >= 0 ? b->history[of->root] : NULL}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        *all[k].at = all[k].in_block != NULL ? all[k].in_block : f->own[k];
    for (int r = 1; b != NULL && of->spring && r < 3; r++) /* across the plane nothing moves */
        memset(b->history[of->row + r], 0, sizeof b->history[of->row + r]);
}

/* How forces are asked of this law, and those like it. */
void mrn_collision_path_adapt(mrn_collision_path *f, const mrn_prepared *law)
{
    const mrn_law *const *part = law->part, *t = part[MRN_LAW_TANGENTIAL];
    bool lanes = mrn_collision_path_lanes(part);
    f->normal = lanes ? part[MRN_LAW_NORMAL]->lanes : NULL;
    f->tangential = lanes ? t->lanes : NULL;
    f->rooted = t != NULL && find_row(t, "root-overlap") > 0;
    lay_out(f);
    mrn_collision_path_probe(f, law);
    lay_out(f); /* now that its history is known */
}
