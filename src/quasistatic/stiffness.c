/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stiffness: how the forces of contacts on bodies change when these move, dF = -K dU. K = K1 + K2:
   K1 = Gᵀ k G by springs at constant geometry, K2 the turning and shifting of the forces that are
   there already.

   K1. Elastic: k = diag(kn, kt, kt, moments). Rows of moments take length times an angle and give
   moments over length, so their stiffness is kr / length². Sliding: |T| = mu (N + pull) stays, and
   T stays along t but for what the transverse spring turns it. N = -kn U_n gives dT_t = mu dN =
   -mu kn U_n: the row of t is (mu kn, 0, 0), with the sign of the first row because t is along the
   tangential force on C itself. Across t the spring answers as before: turning the elongation s by
   ds_w turns T by |T| ds_w / |s| = kt ds_w.

   K2. Force on C: f = N n + T, moment on C: rc x f + M, on A: -(ra x f + M). With the numbers N and
   |T| unchanged,
       df = N dn - (T.dn) n + s n x T,   s = (w_C + w_A).n / 2:
   T is a vector of the contact plane that turns with it and with the mean spin of both bodies,
   which is what the smooth laws do with their springs. M is treated likewise. Moments change by rc
   x df + drc x f + dM, stress times volume by df (x) branch + f (x) dbranch.

   dn of round surfaces. Let hc, ha be the distances from the contact point to the centres of
   curvature, hc kc = 1 + (C's share of the gap) kc and so on, hc + ha = d the distance of the
   centres. These are points of the bodies, so that they move by v_C + hc w_C x n and
   v_A - ha w_A x n, v_C and v_A being the velocities of both bodies at the contact point. As n is
   the direction from one to the other, dn = (1 - n n) (U + (hc w_C + ha w_A) x n) / d. Two spheres:
   v_C + hc w_C x n is the velocity of the centre, and dn = (1 - n n)(du_C - du_A) / d with the true
   distance d. Multiplied by kc ka the formula also holds for a flat side (k = 0), where it becomes
   dn = w x n of the flat body. The contact point stands between two grains where their radii divide
   the line of centres, and on the surface of a wall. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/net.h"

/* ---- local stiffness ---- */

void mrn_net_local(const mrn_net *net, int64_t k, mrn_net_status status,
                   double out[MRN_NET_ROWS][MRN_NET_ROWS])
{
    const mrn_net_element *c = &net->element[k];
    int tangential = mrn_net_tangential(net, c), sliding = 1 + tangential;
    double l2 = net->length * net->length;
    memset(out, 0, MRN_NET_ROWS * sizeof *out);
    if (status == MRN_NET_OPEN)
        return;
    out[0][0] = c->kn;
    for (int r = 1; r < sliding; r++)
        out[r][r] = c->kt;
    if (status == MRN_NET_SLIDES && tangential > 0)
        out[1][0] = c->friction * c->kn, out[1][1] = 0;
    for (int r = sliding; r < c->rows; r++) {
        bool pivots = net->dimension == 3 && r == sliding;
        out[r][r] = c->kr[pivots ? 1 : 0] / l2;
    }
}

/* ---- geometric stiffness of one contact ---- */

/* What the bodies of a contact do: displacements of centres, turns, and the displacement of the
   centre of C relative to that of A with what the cell adds. */
typedef struct motion {
    mrn_vec3 uc, wc, ua, wa, d;
} motion;

/* What K2 needs of a contact. */
typedef struct pose {
    const mrn_net_element *c;
    mrn_vec3 rc, ra, branch; /* arms, and between the centres                                */
    double gap;
    mrn_vec3 n, f, t, m, mt; /* normal; force, its tangential part; moment, its part across n */
    double normal, pivot;    /* N; moment along n                                           */
    bool edges, wall;
    double by_u, by_c, by_a; /* dn = (1 - n n)(by_u U + (by_c w_C + by_a w_A) x n)            */
    int anchor;      /* the point stays with the round of: 1 C, -1 A; 2 (-2): a corner of it */
    double share, h; /* anchored body: its share of the gap, distance point - centre  */
} pose;

static void pose_round(double kc, double ka, pose *p)
{
    double flat = kc + ka, share = p->wall ? 1 : flat != 0 ? ka / flat : 0.5;
    double den = kc + ka + p->gap * kc * ka;
    if (!(fabs(den) > 1e-12 * (fabs(kc) + fabs(ka)))) { /* two flats, or a ball in its own mould */
        p->by_a = 1;
        p->anchor = 2;
        return;
    }
    p->by_u = kc * ka / den;
    p->by_c = ka * (1 + share * p->gap * kc) / den;
    p->by_a = kc * (1 + (1 - share) * p->gap * ka) / den;
    /* from the side that is curved more: the other's centre may be infinitely far */
    p->anchor = fabs(kc) >= fabs(ka) ? 1 : -1;
    p->share = p->anchor > 0 ? share : 1 - share;
    p->h = 1 / (p->anchor > 0 ? kc : ka) + p->share * p->gap;
}

static pose pose_of(const mrn_net *net, int64_t k)
{
    const mrn_net_element *c = &net->element[k];
    mrn_vec3 axis[3];
    mrn_net_axes(net, k, axis);
    pose p = {.c = c,
              .rc = mrn_load3(net->contact.arm_c + 3 * k),
              .ra = mrn_load3(net->contact.arm_a + 3 * k),
              .branch = mrn_load3(net->contact.branch + 3 * k),
              .gap = net->contact.gap[k],
              .n = axis[0],
              .normal = c->force[0],
              .pivot = c->moment[0]};
    p.t = mrn_axpy(c->force[1], axis[1], mrn_scale(c->force[2], axis[2]));
    if (mrn_net_tangential(net, c) == 0)
        p.t = mrn_v3(0, 0, 0);
    p.f = mrn_axpy(c->force[0], p.n, p.t);
    p.mt = mrn_axpy(c->moment[1], axis[1], mrn_scale(c->moment[2], axis[2]));
    p.m = mrn_axpy(c->moment[0], p.n, p.mt);
    /* the branch to a wall begins at the contact point */
    mrn_vec3 rest = mrn_add(p.branch, p.rc);
    p.wall = c->a < 0 && mrn_dot(rest, rest) <= 1e-18 * mrn_dot(p.branch, p.branch);
    p.edges = c->shape == MRN_NET_EDGES;
    bool corner_c = c->shape == MRN_NET_FACE_A && !(c->curve_c > 0);
    bool corner_a = c->shape == MRN_NET_FACE_C && !(c->curve_a > 0);
    if (corner_c)
        p.by_a = 1, p.anchor = 2;
    else if (corner_a)
        p.by_c = 1, p.anchor = -2;
    else if (!p.edges)
        pose_round(c->shape == MRN_NET_FACE_C ? 0 : c->curve_c,
                   c->shape == MRN_NET_FACE_A ? 0 : c->curve_a, &p);
    return p;
}

static mrn_vec3 across(mrn_vec3 n, mrn_vec3 a)
{
    return mrn_axpy(-mrn_dot(n, a), n, a);
}

/* n = unit(e_c x e_a) up to its sign, both edges turning with their bodies. */
static mrn_vec3 edges_turn(const pose *p, const motion *m)
{
    mrn_vec3 ec = p->c->edge_c, ea = p->c->edge_a, both = mrn_cross(ec, ea);
    mrn_vec3 change =
        mrn_add(mrn_cross(mrn_cross(m->wc, ec), ea), mrn_cross(ec, mrn_cross(m->wa, ea)));
    double size = mrn_dot(both, p->n); /* signed */
    return size != 0 ? mrn_scale(1 / size, across(p->n, change)) : mrn_v3(0, 0, 0);
}

static mrn_vec3 normal_turns(const pose *p, const motion *m, mrn_vec3 rel)
{
    if (p->edges)
        return edges_turn(p, m);
    mrn_vec3 w = mrn_axpy(p->by_c, m->wc, mrn_scale(p->by_a, m->wa));
    return across(p->n, mrn_axpy(p->by_u, rel, mrn_cross(w, p->n)));
}

/* How the arm rc to the contact point changes; ra changes by d more (both end at one point). */
static mrn_vec3 arm_changes(const pose *p, const motion *m, mrn_vec3 rel, mrn_vec3 dn)
{
    const mrn_net_element *c = p->c;
    if (p->edges) {
        /* the point runs along both edges: U = t' e_a - s' e_c + U_n n */
        mrn_vec3 side = mrn_cross(c->edge_a, p->n);
        double s = mrn_dot(c->edge_c, side), run = s != 0 ? -mrn_dot(rel, side) / s : 0;
        return mrn_axpy(run, c->edge_c, mrn_cross(m->wc, p->rc));
    }
    double grows = p->share * mrn_dot(p->n, rel);
    switch (p->anchor) {
    case 2:
        return mrn_cross(m->wc, p->rc);
    case -2:
        return mrn_sub(mrn_cross(m->wa, p->ra), m->d);
    case 1: {
        mrn_vec3 centre = mrn_axpy(p->h, p->n, p->rc); /* from the body's to the round's */
        return mrn_sub(mrn_cross(m->wc, centre), mrn_axpy(p->h, dn, mrn_scale(grows, p->n)));
    }
    default: {
        mrn_vec3 centre = mrn_axpy(-p->h, p->n, p->ra);
        mrn_vec3 dra =
            mrn_add(mrn_cross(m->wa, centre), mrn_axpy(p->h, dn, mrn_scale(grows, p->n)));
        return mrn_sub(dra, m->d);
    }
    }
}

/* What changes at constant N, |T|, M: force on C, moments on C and A (N m), branch. */
typedef struct change {
    mrn_vec3 f, mc, ma, branch;
} change;

static change turn_contact(const pose *p, const motion *m)
{
    mrn_vec3 rel = mrn_sub(mrn_add(m->d, mrn_cross(m->wc, p->rc)), mrn_cross(m->wa, p->ra));
    mrn_vec3 dn = normal_turns(p, m, rel), drc = arm_changes(p, m, rel, dn);
    mrn_vec3 dra = mrn_add(drc, m->d);
    double spin = 0.5 * mrn_dot(mrn_add(m->wc, m->wa), p->n);
    change o;
    o.f = mrn_axpy(-mrn_dot(p->t, dn), p->n, mrn_scale(spin, mrn_cross(p->n, p->t)));
    o.f = mrn_axpy(p->normal, dn, o.f);
    mrn_vec3 dm = mrn_axpy(-mrn_dot(p->mt, dn), p->n, mrn_scale(spin, mrn_cross(p->n, p->mt)));
    dm = mrn_axpy(p->pivot, dn, dm);
    o.mc = mrn_add(mrn_add(mrn_cross(p->rc, o.f), mrn_cross(drc, p->f)), dm);
    o.ma = mrn_add(mrn_add(mrn_cross(p->ra, o.f), mrn_cross(dra, p->f)), dm);
    o.ma = mrn_scale(-1, o.ma);
    o.branch = p->wall ? mrn_scale(-1, drc) : m->d;
    return o;
}

/* ---- between unknowns and vectors ---- */

static void node_motion(const mrn_net *net, const double *q, mrn_vec3 *u, mrn_vec3 *w)
{
    bool flat = net->dimension == 2;
    *u = mrn_v3(q[0], q[1], flat ? 0 : q[2]);
    *w = mrn_v3(0, 0, 0);
    if (net->rotations)
        *w = mrn_scale(1 / net->length, flat ? mrn_v3(0, 0, q[2]) : mrn_load3(q + 3));
}

/* Adds -force, -moment / length to the entries of a node: the sign of K. */
static void node_forces(const mrn_net *net, mrn_vec3 f, mrn_vec3 m, double *y, int stride)
{
    const double force[3] = {f.x, f.y, f.z}, moment[3] = {m.x, m.y, m.z};
    int dim = net->dimension, turns = net->dofs - dim;
    for (int k = 0; k < dim; k++)
        y[k * stride] -= force[k];
    for (int k = 0; k < turns; k++)
        y[(dim + k) * stride] -= moment[turns == 1 ? 2 : k] / net->length;
}

static const int strain_row[6] = {0, 1, 2, 0, 0, 1}, strain_col[6] = {0, 1, 2, 1, 2, 2};

/* Adds what a global's unknown q does. */
static void global_motion(const mrn_global *g, mrn_vec3 l, double q, motion *m)
{
    q /= g->scale;
    if (g->kind == MRN_GLOBAL_WALL) {
        m->ua = mrn_axpy(q, g->direction, m->ua);
        m->d = mrn_axpy(-q, g->direction, m->d);
        return;
    }
    const double branch[3] = {l.x, l.y, l.z};
    double add[3] = {0};
    add[strain_row[g->component]] = q * branch[strain_col[g->component]];
    m->d = mrn_add(m->d, mrn_load3(add));
}

/* The entry of K2 u for a global. */
static double global_force(const mrn_global *g, const pose *p, const change *o)
{
    if (g->kind == MRN_GLOBAL_WALL)
        return mrn_dot(o->f, g->direction) / g->scale;
    const double df[3] = {o->f.x, o->f.y, o->f.z}, f[3] = {p->f.x, p->f.y, p->f.z};
    const mrn_vec3 b = p->branch;
    const double branch[3] = {b.x, b.y, b.z}, db[3] = {o->branch.x, o->branch.y, o->branch.z};
    int r = strain_row[g->component], s = strain_col[g->component];
    return -(df[r] * branch[s] + f[r] * db[s]) / g->scale;
}

/* Globals that act on a contact, as mrn_net_rows lists them. */
static int globals_of(const mrn_net *net, const mrn_net_element *c, int *list)
{
    int n = 0;
    for (int g = 0; g < net->n_globals && n < MRN_NET_GLOBALS; g++)
        if (net->global[g].kind == MRN_GLOBAL_CELL || g == c->global)
            list[n++] = g;
    return n;
}

/* ---- the blocks ---- */

/* Which unknown of a contact: 0 … of C, then of A, then globals. */
enum { MOST = 2 * MRN_NET_DOFS + MRN_NET_GLOBALS };

static motion unit_motion(const mrn_net *net, mrn_vec3 branch, const int *global, int at)
{
    motion m = {0};
    double q[MRN_NET_DOFS] = {0};
    if (at >= 2 * MRN_NET_DOFS) {
        global_motion(&net->global[global[at - 2 * MRN_NET_DOFS]], branch, 1, &m);
        return m;
    }
    q[at % MRN_NET_DOFS] = 1;
    if (at < MRN_NET_DOFS)
        node_motion(net, q, &m.uc, &m.wc);
    else
        node_motion(net, q, &m.ua, &m.wa);
    m.d = mrn_sub(m.uc, m.ua);
    return m;
}

static void column_of_node(const mrn_net *net, const pose *p, int at, mrn_net_turn *out)
{
    bool of_c = at < MRN_NET_DOFS;
    int k = at % MRN_NET_DOFS;
    motion m = unit_motion(net, p->branch, out->global, at);
    change o = turn_contact(p, &m);
    mrn_vec3 back = mrn_scale(-1, o.f);
    if (p->c->c >= 0)
        node_forces(net, o.f, o.mc, of_c ? &out->cc[0][k] : &out->ca[0][k], MRN_NET_DOFS);
    if (p->c->a >= 0)
        node_forces(net, back, o.ma, of_c ? &out->ac[0][k] : &out->aa[0][k], MRN_NET_DOFS);
    for (int g = 0; g < out->n_globals; g++)
        *(of_c ? &out->gc[g][k] : &out->ga[g][k]) =
            global_force(&net->global[out->global[g]], p, &o);
}

static void column_of_global(const mrn_net *net, const pose *p, int k, mrn_net_turn *out)
{
    motion m = unit_motion(net, p->branch, out->global, 2 * MRN_NET_DOFS + k);
    change o = turn_contact(p, &m);
    if (p->c->c >= 0)
        node_forces(net, o.f, o.mc, &out->cg[0][k], MRN_NET_GLOBALS);
    if (p->c->a >= 0)
        node_forces(net, mrn_scale(-1, o.f), o.ma, &out->ag[0][k], MRN_NET_GLOBALS);
    for (int g = 0; g < out->n_globals; g++)
        out->gg[g][k] = global_force(&net->global[out->global[g]], p, &o);
}

void mrn_net_geometric(const mrn_net *net, int64_t k, mrn_net_turn *out)
{
    const mrn_net_element *c = &net->element[k];
    memset(out, 0, sizeof *out);
    out->n_globals = globals_of(net, c, out->global);
    pose p = pose_of(net, k);
    for (int d = 0; d < net->dofs; d++) {
        if (c->c >= 0)
            column_of_node(net, &p, d, out);
        if (c->a >= 0)
            column_of_node(net, &p, MRN_NET_DOFS + d, out);
    }
    for (int g = 0; g < out->n_globals; g++)
        column_of_global(net, &p, g, out);
}

/* ---- y = K u ---- */

static mrn_net_status status_of(const mrn_net_element *c, const mrn_stiffness_options *opt,
                                const mrn_net_status *status, int64_t k)
{
    if (status != NULL)
        return status[k];
    if (c->status == MRN_NET_OPEN || opt->sliding)
        return c->status;
    return MRN_NET_STICKS;
}

static void add_elastic(const mrn_net *net, int64_t k, mrn_net_status status, const double *uc,
                        const double *ua, const double *ug, double *yc, double *ya, double *yg)
{
    mrn_net_block b;
    double local[MRN_NET_ROWS][MRN_NET_ROWS], rel[MRN_NET_ROWS] = {0}, f[MRN_NET_ROWS] = {0};
    mrn_net_rows(net, k, &b);
    mrn_net_local(net, k, status, local);
    for (int r = 0; r < b.rows; r++) {
        for (int d = 0; d < net->dofs; d++)
            rel[r] += b.c[r][d] * uc[d] + b.a[r][d] * ua[d];
        for (int g = 0; g < b.n_globals; g++)
            rel[r] += b.g[r][g] * ug[b.global[g]];
    }
    for (int r = 0; r < b.rows; r++)
        for (int s = 0; s < b.rows; s++)
            f[r] += local[r][s] * rel[s];
    for (int r = 0; r < b.rows; r++) {
        for (int d = 0; d < net->dofs; d++)
            yc[d] += b.c[r][d] * f[r], ya[d] += b.a[r][d] * f[r];
        for (int g = 0; g < b.n_globals; g++)
            yg[b.global[g]] += b.g[r][g] * f[r];
    }
}

static void add_geometric(const mrn_net *net, int64_t k, const double *uc, const double *ua,
                          const double *ug, double *yc, double *ya, double *yg)
{
    const mrn_net_element *c = &net->element[k];
    pose p = pose_of(net, k);
    int global[MRN_NET_GLOBALS], n = globals_of(net, c, global);
    motion m;
    node_motion(net, uc, &m.uc, &m.wc);
    node_motion(net, ua, &m.ua, &m.wa);
    m.d = mrn_sub(m.uc, m.ua);
    for (int g = 0; g < n; g++)
        global_motion(&net->global[global[g]], p.branch, ug[global[g]], &m);
    change o = turn_contact(&p, &m);
    node_forces(net, o.f, o.mc, yc, 1);
    node_forces(net, mrn_scale(-1, o.f), o.ma, ya, 1);
    for (int g = 0; g < n; g++)
        yg[global[g]] += global_force(&net->global[global[g]], &p, &o);
}

/* In the order of the contacts, by one thread: each sum has one order. Bodies that are no nodes do
   not move, and what acts on them is not asked for. */
void mrn_net_stiffness(const mrn_net *net, const mrn_stiffness_options *opt, const double *u,
                       double *y)
{
    static const double rests[MRN_NET_DOFS] = {0};
    const double *ug = u + mrn_net_global_unknown(net, 0);
    double *yg = y + mrn_net_global_unknown(net, 0);
    for (int64_t i = 0; i < net->n_unknowns; i++)
        y[i] = 0;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        mrn_net_status status = status_of(c, opt, NULL, k);
        double lost[MRN_NET_DOFS] = {0};
        const double *uc = c->c >= 0 ? u + mrn_net_unknown(net, c->c, 0) : rests;
        const double *ua = c->a >= 0 ? u + mrn_net_unknown(net, c->a, 0) : rests;
        double *yc = c->c >= 0 ? y + mrn_net_unknown(net, c->c, 0) : lost;
        double *ya = c->a >= 0 ? y + mrn_net_unknown(net, c->a, 0) : lost;
        if (status == MRN_NET_OPEN)
            continue;
        add_elastic(net, k, status, uc, ua, ug, yc, ya, yg);
        if (opt->geometric)
            add_geometric(net, k, uc, ua, ug, yc, ya, yg);
    }
}

/* ---- the matrix ---- */

/* Symmetric part of K of one contact, all its unknowns without gaps: C, A, globals. Rows are as
   wide as whole vectors of the processor. */
enum { LANES = 8, WIDE = (MOST + LANES - 1) / LANES * LANES };
typedef struct piece {
    int n_globals, global[MRN_NET_GLOBALS];
    double k[MOST][WIDE];
} piece;

/* B, its columns without gaps and zeros after them; returns how wide it is. */
static int columns_of(const mrn_net *net, const mrn_net_block *b, double row[][WIDE])
{
    int dofs = net->dofs, n = 2 * dofs + b->n_globals, wide = (n + LANES - 1) / LANES * LANES;
    for (int r = 0; r < b->rows; r++) {
        for (int d = 0; d < dofs; d++)
            row[r][d] = b->c[r][d], row[r][dofs + d] = b->a[r][d];
        for (int g = 0; g < b->n_globals; g++)
            row[r][2 * dofs + g] = b->g[r][g];
        for (int j = n; j < wide; j++)
            row[r][j] = 0;
    }
    return wide;
}

static void add_times(double s, const double *from, int wide, double *to)
{
    for (int at = 0; at < wide; at += LANES)
        for (int l = 0; l < LANES; l++)
            to[at + l] += s * from[at + l];
}

/* B = [rows of C, of A, of globals]: the piece is Bᵀ k B. */
static void piece_elastic(const mrn_net *net, int64_t k, mrn_net_status status, piece *out)
{
    mrn_net_block b;
    double local[MRN_NET_ROWS][MRN_NET_ROWS], row[MRN_NET_ROWS][WIDE], by[MRN_NET_ROWS][WIDE];
    mrn_net_rows(net, k, &b);
    mrn_net_local(net, k, status, local);
    out->n_globals = b.n_globals;
    memcpy(out->global, b.global, sizeof b.global);
    int wide = columns_of(net, &b, row), n = 2 * net->dofs + b.n_globals;
    for (int r = 0; r < b.rows; r++) {
        memset(by[r], 0, (size_t)wide * sizeof *by[r]);
        for (int s = 0; s < b.rows; s++)
            if (local[r][s] != 0 || local[s][r] != 0)
                add_times(0.5 * (local[r][s] + local[s][r]), row[s], wide, by[r]);
    }
    for (int i = 0; i < n; i++) {
        memset(out->k[i], 0, (size_t)wide * sizeof *out->k[i]);
        for (int r = 0; r < b.rows; r++)
            add_times(row[r][i], by[r], wide, out->k[i]);
    }
}

/* Place of entry i of a piece among MOST, gaps included. */
static int with_gaps(const mrn_net *net, int i)
{
    if (i < net->dofs)
        return i;
    return i < 2 * net->dofs ? i - net->dofs + MRN_NET_DOFS : i - 2 * net->dofs + 2 * MRN_NET_DOFS;
}

static void piece_geometric(const mrn_net *net, int64_t k, piece *out)
{
    mrn_net_turn t;
    double full[MOST][MOST] = {{0}};
    enum { A = MRN_NET_DOFS, G = 2 * MRN_NET_DOFS };
    mrn_net_geometric(net, k, &t);
    for (int i = 0; i < MRN_NET_DOFS; i++) {
        memcpy(full[i], t.cc[i], sizeof t.cc[i]);
        memcpy(full[i] + A, t.ca[i], sizeof t.ca[i]);
        memcpy(full[i] + G, t.cg[i], sizeof t.cg[i]);
        memcpy(full[A + i], t.ac[i], sizeof t.ac[i]);
        memcpy(full[A + i] + A, t.aa[i], sizeof t.aa[i]);
        memcpy(full[A + i] + G, t.ag[i], sizeof t.ag[i]);
    }
    for (int i = 0; i < MRN_NET_GLOBALS; i++) {
        memcpy(full[G + i], t.gc[i], sizeof t.gc[i]);
        memcpy(full[G + i] + A, t.ga[i], sizeof t.ga[i]);
        memcpy(full[G + i] + G, t.gg[i], sizeof t.gg[i]);
    }
    int n = 2 * net->dofs + t.n_globals;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int p = with_gaps(net, i), q = with_gaps(net, j);
            out->k[i][j] += 0.5 * (full[p][q] + full[q][p]);
        }
}

/* The pattern by nodes: for each node the nodes after it that it touches, ascending, each once;
   whether a global acts on it. The columns of a node hold its own triangle, then the blocks of
   these nodes, then the globals: every place is known without a search through rows. */
typedef struct pattern {
    int64_t *start; /* n + 1 */
    int32_t *after;
    uint8_t *global; /* n x n_globals */
} pattern;

static void pattern_release(pattern *p)
{
    mrn_free(p->start);
    mrn_free(p->after);
    mrn_free(p->global);
}

static void note_globals(const mrn_net *net, const mrn_net_element *c, pattern *p)
{
    int global[MRN_NET_GLOBALS], n = globals_of(net, c, global);
    for (int g = 0; g < n; g++) {
        if (c->c >= 0)
            p->global[(int64_t)c->c * net->n_globals + global[g]] = 1;
        if (c->a >= 0)
            p->global[(int64_t)c->a * net->n_globals + global[g]] = 1;
    }
}

/* Sorts and drops what is double; returns how many stay. Lists are short. */
static int64_t tidy(int32_t *list, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        int32_t x = list[i];
        int64_t j = i;
        for (; j > 0 && list[j - 1] > x; j--)
            list[j] = list[j - 1];
        list[j] = x;
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

static bool joins(const mrn_net_element *c)
{
    return c->c >= 0 && c->a >= 0 && c->c != c->a;
}

static mrn_status pattern_make(const mrn_net *net, pattern *p, mrn_message *msg)
{
    int64_t n = net->n, total = 0;
    mrn_status st = mrn_array(&p->start, n + 2, sizeof *p->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->global, n * net->n_globals, sizeof *p->global, msg);
    if (st != MRN_OK)
        return st;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        note_globals(net, c, p);
        if (joins(c))
            p->start[(c->c < c->a ? c->c : c->a) + 2]++, total++;
    }
    for (int64_t i = 0; i < n; i++)
        p->start[i + 2] += p->start[i + 1];
    if ((st = mrn_array(&p->after, total, sizeof *p->after, msg)) != MRN_OK)
        return st;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        if (joins(c))
            p->after[p->start[(c->c < c->a ? c->c : c->a) + 1]++] = c->c < c->a ? c->a : c->c;
    }
    /* start[i + 1] is now where i ends; lists close up as they are tidied */
    int64_t from = 0, to = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t end = p->start[i + 1], kept = tidy(p->after + from, end - from);
        memmove(p->after + to, p->after + from, (size_t)kept * sizeof *p->after);
        p->start[i] = to;
        to += kept;
        from = end;
    }
    p->start[n] = to;
    return MRN_OK;
}

static int globals_on(const mrn_net *net, const pattern *p, int64_t i)
{
    int n = 0;
    for (int g = 0; g < net->n_globals; g++)
        n += p->global[i * net->n_globals + g];
    return n;
}

/* Columns of a node: place of row 0 of the block after the triangle, in column d, is
   start[col] + dofs - d. */
static void pattern_columns(const mrn_net *net, const pattern *p, mrn_sparse *out)
{
    int dofs = net->dofs, ng = net->n_globals;
    int64_t at = 0, first = mrn_net_global_unknown(net, 0);
    for (int32_t i = 0; i < net->n; i++)
        for (int d = 0; d < dofs; d++) {
            out->start[mrn_net_unknown(net, i, d)] = at;
            for (int r = d; r < dofs; r++)
                out->row[at++] = mrn_net_unknown(net, i, r);
            for (int64_t b = p->start[i]; b < p->start[i + 1]; b++)
                for (int r = 0; r < dofs; r++)
                    out->row[at++] = mrn_net_unknown(net, p->after[b], r);
            for (int g = 0; g < ng; g++)
                if (p->global[(int64_t)i * ng + g])
                    out->row[at++] = first + g;
        }
    for (int g = 0; g < ng; g++) {
        out->start[first + g] = at;
        for (int r = g; r < ng; r++)
            out->row[at++] = first + r;
    }
    out->start[first + ng] = at;
}

static mrn_status sparse_of(const mrn_net *net, const pattern *p, mrn_sparse *out, mrn_message *msg)
{
    int64_t dofs = net->dofs, ng = net->n_globals, total = ng * (ng + 1) / 2;
    for (int64_t i = 0; i < net->n; i++)
        total += dofs * (dofs + 1) / 2 +
                 dofs * (dofs * (p->start[i + 1] - p->start[i]) + globals_on(net, p, i));
    out->rows = out->cols = net->n_unknowns;
    mrn_status st = mrn_array(&out->start, net->n_unknowns + 1, sizeof *out->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->row, total, sizeof *out->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->value, total, sizeof *out->value, msg);
    if (st == MRN_OK)
        pattern_columns(net, p, out);
    return st;
}

/* Adds the block [from…][from…] of a piece to a node's triangle. */
static void add_triangle(const mrn_net *net, int32_t i, const piece *m, int row, int col,
                         mrn_sparse *out)
{
    for (int d = 0; d < net->dofs; d++) {
        double *to = out->value + out->start[mrn_net_unknown(net, i, d)];
        for (int r = d; r < net->dofs; r++)
            to[r - d] += m->k[row + r][col + d];
    }
}

static void add_block(const mrn_net *net, const pattern *p, int32_t low, int32_t high,
                      const piece *m, int row, int col, mrn_sparse *out)
{
    int64_t b = p->start[low];
    while (p->after[b] != high)
        b++;
    int64_t skip = (b - p->start[low]) * net->dofs;
    for (int d = 0; d < net->dofs; d++) {
        double *to = out->value + out->start[mrn_net_unknown(net, low, d)] + (net->dofs - d) + skip;
        for (int r = 0; r < net->dofs; r++)
            to[r] += m->k[row + r][col + d];
    }
}

/* The globals of a node's columns, `from` being its place in the piece. */
static void add_border(const mrn_net *net, const pattern *p, int32_t i, const piece *m, int from,
                       mrn_sparse *out)
{
    const uint8_t *on = p->global + (int64_t)i * net->n_globals;
    int64_t skip = (p->start[i + 1] - p->start[i]) * net->dofs;
    for (int g = 0; g < m->n_globals; g++) {
        int64_t place = skip;
        for (int k = 0; k < m->global[g]; k++)
            place += on[k];
        for (int d = 0; d < net->dofs; d++)
            out->value[out->start[mrn_net_unknown(net, i, d)] + (net->dofs - d) + place] +=
                m->k[2 * net->dofs + g][from + d];
    }
}

static void add_corner(const mrn_net *net, const piece *m, mrn_sparse *out)
{
    for (int g = 0; g < m->n_globals; g++)
        for (int h = g; h < m->n_globals; h++) /* lists ascend */
            out->value[out->start[mrn_net_global_unknown(net, m->global[g])] + m->global[h] -
                       m->global[g]] += m->k[2 * net->dofs + h][2 * net->dofs + g];
}

static void add_piece(const mrn_net *net, const pattern *p, const mrn_net_element *c,
                      const piece *m, mrn_sparse *out)
{
    const int a = net->dofs; /* where A begins */
    if (c->c >= 0) {
        add_triangle(net, c->c, m, 0, 0, out);
        add_border(net, p, c->c, m, 0, out);
    }
    if (c->a >= 0) {
        add_triangle(net, c->a, m, a, a, out);
        add_border(net, p, c->a, m, a, out);
    }
    if (joins(c) && c->c < c->a)
        add_block(net, p, c->c, c->a, m, a, 0, out);
    else if (joins(c))
        add_block(net, p, c->a, c->c, m, 0, a, out);
    else if (c->c >= 0 && c->c == c->a) { /* a grain and its own image */
        add_triangle(net, c->c, m, a, 0, out);
        add_triangle(net, c->c, m, 0, a, out);
    }
    add_corner(net, m, out);
}

mrn_status mrn_net_stiffness_matrix(const mrn_net *net, const mrn_stiffness_options *opt,
                                    const mrn_net_status *status, mrn_sparse *lower,
                                    mrn_message *msg)
{
    pattern p = {0};
    memset(lower, 0, sizeof *lower);
    mrn_status st = pattern_make(net, &p, msg);
    if (st == MRN_OK)
        st = sparse_of(net, &p, lower, msg);
    for (int64_t k = 0; st == MRN_OK && k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        mrn_net_status now = status_of(c, opt, status, k);
        piece m;
        if (now == MRN_NET_OPEN)
            continue;
        piece_elastic(net, k, now, &m);
        if (opt->geometric)
            piece_geometric(net, k, &m);
        add_piece(net, &p, c, &m, lower);
    }
    pattern_release(&p);
    if (st != MRN_OK)
        mrn_sparse_release(lower);
    return st;
}
