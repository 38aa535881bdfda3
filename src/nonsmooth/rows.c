/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From contact points to rows of the problem: which take part, in which frame, with what law; and
   the impulses that are known from the last step, by contact. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "nonsmooth/nonsmooth.h"

/* ---- blocks of Ht ---- */

static void put_row(const mrn_nonsmooth *e, mrn_kinematic_row row, double *h)
{
    mrn_row_store(row, e->scene->dimension, e->dofs, h, e->width);
}

/* The block of one body. */
static void put_block(const mrn_nonsmooth *e, int64_t i, bool of_c, double *h)
{
    const mrn_contacts *p = &e->found;
    mrn_vec3 n = mrn_load3(p->normal + 3 * i), t = mrn_load3(p->tangent + 3 * i);
    mrn_vec3 s = mrn_contact_second(e->scene->dimension, n, t);
    mrn_vec3 arm = mrn_load3((of_c ? p->arm_c : p->arm_a) + 3 * i);
    double sign = of_c ? 1 : -1;
    put_row(e, mrn_row_slide(sign, n, arm), h);
    put_row(e, mrn_row_slide(sign, t, arm), h + 1);
    switch (e->kind) {
    case MRN_CONTACT_2D:
        break;
    case MRN_CONTACT_2D_ROLLING:
        put_row(e, mrn_row_spin(sign, s), h + 2);
        break;
    default:
        put_row(e, mrn_row_slide(sign, s, arm), h + 2);
    }
    if (e->kind == MRN_CONTACT_3D_ROLLING || e->kind == MRN_CONTACT_3D_PIVOTING) {
        put_row(e, mrn_row_spin(sign, t), h + 3);
        put_row(e, mrn_row_spin(sign, s), h + 4);
    }
    if (e->kind == MRN_CONTACT_3D_PIVOTING)
        put_row(e, mrn_row_spin(sign, n), h + 5);
}

/* u += h v */
static void add_velocity(const mrn_nonsmooth *e, const double *h, const double *v, double *u)
{
    for (int k = 0; k < e->dofs; k++)
        for (int m = 0; m < e->width; m++)
            u[m] += h[k * e->width + m] * v[k];
}

/* ---- which points take part ---- */

static const mrn_rigid *law_of(const mrn_nonsmooth *e, int64_t i)
{
    int32_t k = e->found.interaction[i];
    return k < 0 ? NULL : &e->scene->interaction[k].rigid;
}

static bool is_listed(const mrn_nonsmooth *e, int32_t i)
{
    return e->body.column[i] < 0;
}

/* Will it rebound? */
static bool rebounds(const mrn_nonsmooth *e, const mrn_rigid *law, double approach)
{
    return law->restitution > 0 && approach > e->threshold && law->compliance == 0;
}

/* A contact that gives: R = -k g_f - v u over the step, with the gap g_f = g + h u at its end, is
   u + r/(h (h k + v)) = -g k/(h k + v) for the impulse r = h R: a compliance and a shift of q.
   Where the gap closes within the step, the dashpot works for the part of it that is left. */
static void give_way(const mrn_rigid *law, double gap, double h, mrn_row *row)
{
    double k = 1 / law->compliance, v = law->viscosity;
    row->stiffness = k;
    row->compliance = 1 / (h * (h * k + v));
    row->shift[0] = gap > 0 ? gap / h : gap * k / (h * k + v);
}

/* Friction that gives. Regularised, R_T = -v u: u + r/(h v) = 0. Elastic, R_T = R_T0 - k h u with
   the force R_T0 of the last step: u + (r - h R_T0)/(h h k) = 0; what is left of it beyond
   Coulomb's limit is the slip, and r opposes that. R_T0 is in `hold_on`. */
static void give_way_along(const mrn_rigid *law, double h, mrn_row *row)
{
    row->drag = row->spring_t = row->held = 0;
    if (law->viscosity_t > 0)
        row->drag = 1 / (h * law->viscosity_t);
    if (law->compliance_t > 0) {
        row->spring_t = 1 / law->compliance_t;
        row->drag = law->compliance_t / (h * h);
    }
}

/* Whether a point takes part, and by how much q differs from the free velocity. The gap of a point
   that closes within the step is its velocity's limit; a point that closes, or has closed, at a
   speed to rebound from has Newton's law on both its velocities: it turns back within
   half a step's way of touching, as often a little early as a little deep. So has one that opens,
   at any speed, and is pushed together again by others in the same step: u >= -e u0 there too.
   Holding it at u >= 0 would make energy of nothing. With one e everywhere r.(u + e u0) <= 0 holds
   at every contact; with u = u0 + W r + q_g (q_g: what gravity adds in the step) the work r.(u0 +
   u)/2 of frictionless contacts is then at most -(1
   - e)/(1 + e) r.(W r + q_g)/2: never above 0 without gravity, nor above (1 - e)/(1 + e) m (g h)2/8
   with it. */
static bool takes_part(const mrn_nonsmooth *e, double gap, const mrn_rigid *law, double h,
                       mrn_row *row)
{
    mrn_gap_rule gap_rule = e->scene->nonsmooth.gap_rule;
    bool bounce = gap_rule != MRN_GAP_CLOSING && rebounds(e, law, -row->u0[0]);
    memset(row->shift, 0, sizeof row->shift);
    row->compliance = row->stiffness = 0;
    give_way_along(law, h, row);
    if (law->compliance > 0) {
        give_way(law, gap, h, row);
        return true;
    }
    bool closes = gap + 0.5 * h * row->u0[0] <= 0; /* by the middle of the step, as it goes */
    if (gap > 0 && (gap_rule == MRN_GAP_VELOCITY || (bounce && !closes)))
        return false;
    if (!bounce) {
        bool pulls = law->pull_force > 0 || law->pull_per_radius > 0; /* holds it at u = 0 then */
        double back = gap_rule != MRN_GAP_CLOSING && !pulls ? law->restitution * row->u0[0] : 0;
        row->shift[0] = fmax(fmax(0, gap) / h, back);
        return true;
    }
    row->shift[0] = law->restitution * row->u0[0];
    row->shift[1] = law->restitution_t * row->u0[1];
    if (e->dofs == 6)
        row->shift[2] = law->restitution_t * row->u0[2];
    return true;
}

/* Bodies that a joint ties together do not touch each other: where they are joined they overlap. */
static void note_ties(mrn_nonsmooth *e)
{
    int32_t body[2];
    bool driven;
    e->n_ties = 0;
    for (int k = 0; e->joints != NULL && k < e->scene->n_joints; k++) {
        if (e->scene->joint[k].kind == MRN_JOINT_SPRING ||
            !mrn_joints_link(e->joints, e->state, k, body, &driven) || body[0] < 0 || body[1] < 0)
            continue;
        int32_t *to = e->tie + 2 * e->n_ties++;
        to[0] = body[0] < body[1] ? body[0] : body[1];
        to[1] = body[0] < body[1] ? body[1] : body[0];
    }
}

bool mrn_ns_are_tied(const mrn_nonsmooth *e, int64_t contact)
{
    int32_t c = e->found.body_c[contact], a = e->found.body_a[contact];
    int32_t low = c < a ? c : a, high = c < a ? a : c;
    for (int k = 0; k < e->n_ties; k++)
        if (e->tie[2 * k] == low && e->tie[2 * k + 1] == high)
            return true;
    return false;
}

/* ---- impulses of the last step ---- */

static uint64_t key_of(int32_t c, int32_t a, int64_t feature)
{
    uint64_t k = (uint64_t)(uint32_t)c << 32 | (uint32_t)a;
    k ^= (uint64_t)feature * UINT64_C(0x9e3779b97f4a7c15);
    k *= UINT64_C(0xbf58476d1ce4e5b9);
    return k ^ k >> 29;
}

/* Contacts of a network by who meets whom where. */
typedef struct contact_index {
    const mrn_contacts *c; /* NULL: no network                                      */
    const int64_t *at;     /* places in it, one more than that; 0: empty            */
    uint64_t mask;
} contact_index;

static mrn_status make_index(mrn_nonsmooth *e, const mrn_contacts *c, int64_t **hash, int array,
                             contact_index *out, mrn_message *msg)
{
    int64_t size = 16;
    *out = (contact_index){c, NULL, 0};
    if (c == NULL)
        return MRN_OK;
    while (size < 2 * c->n)
        size *= 2;
    mrn_status st = mrn_ns_room(hash, &e->capacity[array], size, sizeof **hash, msg);
    if (st != MRN_OK)
        return st;
    out->mask = (uint64_t)size - 1;
    memset(*hash, 0, (size_t)size * sizeof **hash);
    for (int64_t k = 0; k < c->n; k++) {
        uint64_t at = key_of(c->id_c[k], c->id_a[k], c->feature[k]) & out->mask;
        while ((*hash)[at] != 0)
            at = (at + 1) & out->mask;
        (*hash)[at] = k + 1;
    }
    out->at = *hash;
    return MRN_OK;
}

/* Where contact i of this step stands in a network; -1: it does not. */
static int64_t find_in(const contact_index *x, const mrn_contacts *now, int64_t i)
{
    const mrn_contacts *t = x->c;
    if (t == NULL)
        return -1;
    int32_t c = now->id_c[i], a = now->id_a[i];
    int64_t feature = now->feature[i];
    for (uint64_t at = key_of(c, a, feature) & x->mask; x->at[at] != 0; at = (at + 1) & x->mask) {
        int64_t k = x->at[at] - 1;
        if (t->id_c[k] == c && t->id_a[k] == a && t->feature[k] == feature)
            return k;
    }
    return -1;
}

/* The impulse of contact k of a network in the frame of contact i of this step, for a step `scale`
   times as long: carried over as a vector. */
static void turn_impulse(const mrn_nonsmooth *e, const mrn_contacts *last, int64_t k, int64_t i,
                         double scale, double *r)
{
    const mrn_contacts *now = &e->found;
    const double *p = last->impulse + k * last->impulse_width;
    mrn_vec3 on = mrn_load3(last->normal + 3 * k), ot = mrn_load3(last->tangent + 3 * k);
    mrn_vec3 os = mrn_cross(on, ot);
    mrn_vec3 n = mrn_load3(now->normal + 3 * i), t = mrn_load3(now->tangent + 3 * i);
    mrn_vec3 s = mrn_contact_second(e->scene->dimension, n, t);
    bool flat = e->dofs == 3;
    mrn_vec3 j = mrn_axpy(p[0], on, mrn_scale(p[1], ot));
    if (!flat)
        j = mrn_axpy(p[2], os, j);
    r[0] = scale * mrn_dot(j, n);
    r[1] = scale * mrn_dot(j, t);
    if (flat) {
        if (e->width == 3)
            r[2] = scale * p[2];
        return;
    }
    r[2] = scale * mrn_dot(j, s);
    if (e->width < 5)
        return;
    mrn_vec3 m = mrn_axpy(p[3], ot, mrn_scale(p[4], os));
    if (e->width == 6)
        m = mrn_axpy(p[5], on, m);
    r[3] = scale * mrn_dot(m, t);
    r[4] = scale * mrn_dot(m, s);
    if (e->width == 6)
        r[5] = scale * mrn_dot(m, n);
}

/* Shift of q by the tangential force that contact k of a network ended the last step with: along
   the face, as it stood to the normal then, so that what a contact presses is no pull along it when
   it tilts. */
static void hold_on(const mrn_nonsmooth *e, const mrn_contacts *last, int64_t k, double scale,
                    mrn_row *row)
{
    int64_t i = row->contact;
    const double *p = last->impulse + k * last->impulse_width;
    mrn_vec3 on = mrn_load3(last->normal + 3 * k), ot = mrn_load3(last->tangent + 3 * k);
    mrn_vec3 n = mrn_load3(e->found.normal + 3 * i), t = mrn_load3(e->found.tangent + 3 * i);
    mrn_vec3 s = mrn_contact_second(e->scene->dimension, n, t), j = mrn_scale(p[1], ot);
    if (e->dofs == 6)
        j = mrn_axpy(p[2], mrn_cross(on, ot), j);
    row->shift[1] -= row->drag * scale * mrn_dot(j, t);
    if (e->dofs == 6)
        row->shift[2] -= row->drag * scale * mrn_dot(j, s);
    row->held = 0.5 * row->drag * scale * scale * mrn_dot(j, j);
}

/* ---- filling ---- */

static mrn_status room_for_rows(mrn_nonsmooth *e, int64_t rows, int links, bool cyclic,
                                mrn_message *msg)
{
    mrn_problem *p = &e->problem;
    int b = e->width;
    size_t block = (size_t)(b * e->dofs);
    mrn_status st = mrn_ns_room(&e->row, &e->rows_room, rows, sizeof *e->row, msg);
    /* `links` blocks of Ht per row at most: two bodies, and a compliance where there are some; each
       array has its own capacity, so that one that failed is tried again */
    struct {
        void *p;
        int64_t n;
        size_t size;
        int array;
    } want[] = {
        {&p->Ht.start, rows + 1, sizeof *p->Ht.start, MRN_NS_HT_START},
        {&p->Ht.col, links * rows, sizeof *p->Ht.col, MRN_NS_HT_COL},
        {&p->Ht.value, links * rows + 1 + MRN_BSR_PADDING, block * sizeof(double), MRN_NS_HT_VALUE},
        {&p->q, b * rows, sizeof(double), MRN_NS_Q},
        {&e->mu[0], rows, sizeof(double), MRN_NS_MU},
        {&e->mu[1], rows, sizeof(double), MRN_NS_MU + 1},
        {&e->mu[2], rows, sizeof(double), MRN_NS_MU + 2},
        {&e->cohesion, rows, sizeof(double), MRN_NS_COHESION},
        {&e->law, rows, sizeof *e->law, MRN_NS_LAW},
        {&e->r, b * rows, sizeof(double), MRN_NS_R},
        {&e->r_cycle, cyclic ? b * rows : 0, sizeof(double), MRN_NS_R_CYCLE},
        {&e->u, b * rows, sizeof(double), MRN_NS_U}};
    for (size_t k = 0; st == MRN_OK && k < sizeof want / sizeof *want; k++)
        st = mrn_ns_room(want[k].p, &e->capacity[want[k].array], want[k].n, want[k].size, msg);
    return st;
}

/* Room for columns that carry compliances, beside those of the bodies. */
static mrn_status add_columns(mrn_nonsmooth *e, int32_t more, mrn_message *msg)
{
    int32_t n = e->problem.Ht.cols + more;
    mrn_status st = mrn_ns_room(&e->problem.minv, &e->capacity[MRN_NS_MINV],
                                (int64_t)n * e->dofs * e->dofs, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_ns_room(&e->body_of_column, &e->capacity[MRN_NS_BODY_OF_COLUMN], n,
                         sizeof *e->body_of_column, msg);
    return st;
}

/* The block that makes a diagonal compliance of a body of its own: identity on it. */
static void put_compliance(mrn_nonsmooth *e, int64_t block, const double *compliance)
{
    mrn_bsr *ht = &e->problem.Ht;
    int b = e->width, d = e->dofs;
    int32_t column = ht->cols++;
    double *h = ht->value + block * b * d, *m = e->problem.minv + (int64_t)column * d * d;
    memset(h, 0, (size_t)(b * d) * sizeof *h);
    memset(m, 0, (size_t)(d * d) * sizeof *m);
    for (int k = 0; k < b; k++) {
        h[k * b + k] = 1;
        m[k * d + k] = compliance[k];
    }
    ht->col[block] = column;
    e->body_of_column[column] = -1;
}

/* Blocks of two bodies, the lower column first. Returns how many. */
static int put_bodies(mrn_nonsmooth *e, const int32_t body[2], const double *h[2], int64_t at)
{
    mrn_bsr *ht = &e->problem.Ht;
    int n = 0, size = e->width * e->dofs;
    int32_t col[2];
    for (int k = 0; k < 2; k++)
        col[k] = body[k] >= 0 ? e->body.column[body[k]] : -1;
    bool swap = col[1] >= 0 && col[1] < col[0];
    for (int k = 0; k < 2; k++) {
        int m = swap ? 1 - k : k;
        if (col[m] < 0)
            continue;
        ht->col[at + n] = col[m];
        memcpy(ht->value + (at + n) * size, h[m], (size_t)size * sizeof(double));
        n++;
    }
    return n;
}

/* Impulse c of the cohesion of a point that touches; apart nothing pulls. The slack keeps a contact
   that a pull has closed from being lost by rounding. */
static double cohesion_of(const mrn_nonsmooth *e, int64_t i, const mrn_rigid *law, double h)
{
    double pull = law->pull_force + law->pull_per_radius * e->found.r_eff[i];
    return e->found.gap[i] <= e->slop ? h * pull : 0;
}

/* Impulses that are known: of the last step, and of the same step one cycle ago. */
typedef struct known_impulses {
    contact_index last, cycle;
} known_impulses;

static mrn_status find_known(mrn_nonsmooth *e, known_impulses *out, mrn_message *msg)
{
    mrn_status st = make_index(e, &e->state->contact, &e->hash, MRN_NS_HASH, &out->last, msg);
    if (st == MRN_OK)
        st = make_index(e, mrn_ns_cycle_last(e), &e->cycle_hash, MRN_NS_CYCLE_HASH, &out->cycle,
                        msg);
    return st;
}

/* The impulses that row k of contact i may begin from. */
static void guess_impulse(mrn_nonsmooth *e, int64_t k, int64_t i, const known_impulses *known,
                          double h)
{
    const mrn_state *s = e->state;
    size_t block = (size_t)e->width * sizeof(double);
    double last_h = s->nonsmooth.last_h > 0 ? s->nonsmooth.last_h : h;
    double *r = e->r + k * e->width;
    int64_t at = find_in(&known->last, &e->found, i);
    e->row[k].lasted = at >= 0 && known->last.c->impulse[at * e->width] > 0;
    if (at >= 0)
        turn_impulse(e, known->last.c, at, i, h / last_h, r);
    else
        memset(r, 0, block);
    if (at >= 0 && e->row[k].spring_t > 0)
        hold_on(e, known->last.c, at, h / last_h, &e->row[k]);
    if (known->cycle.c == NULL)
        return;
    double *other = e->r_cycle + k * e->width;
    at = find_in(&known->cycle, &e->found, i);
    if (at >= 0)
        turn_impulse(e, known->cycle.c, at, i, h / s->h, other);
    else
        memcpy(other, r, block);
}

/* Fills row k from contact i if it takes part. */
static bool fill_contact(mrn_nonsmooth *e, int64_t k, int64_t i, const known_impulses *known,
                         double h, int64_t *block)
{
    const mrn_contacts *t = &e->found;
    const mrn_rigid *law = law_of(e, i);
    mrn_row *row = &e->row[k];
    mrn_problem *p = &e->problem;
    int b = e->width, d = e->dofs;
    int32_t c = t->body_c[i], a = t->body_a[i];
    if (law == NULL || (is_listed(e, c) && is_listed(e, a)) || mrn_ns_are_tied(e, i))
        return false;
    double of_c[MRN_CONTACT_BLOCK_MAX * MRN_DOFS_MAX], of_a[MRN_CONTACT_BLOCK_MAX * MRN_DOFS_MAX];
    row->contact = i;
    put_block(e, i, true, of_c);
    put_block(e, i, false, of_a);
    memset(row->u0, 0, sizeof row->u0);
    add_velocity(e, of_c, e->body.u0 + (int64_t)c * d, row->u0);
    add_velocity(e, of_a, e->body.u0 + (int64_t)a * d, row->u0);
    if (!takes_part(e, t->gap[i], law, h, row))
        return false;
    guess_impulse(e, k, i, known, h);
    row->imposed_c = is_listed(e, c);
    row->imposed_a = is_listed(e, a);
    double *q = p->q + k * b;
    memcpy(q, row->shift, (size_t)b * sizeof *q);
    add_velocity(e, of_c, e->body.free + (int64_t)c * d, q);
    add_velocity(e, of_a, e->body.free + (int64_t)a * d, q);
    e->mu[MRN_SLIDING][k] = law->friction;
    e->mu[MRN_ROLLING][k] = law->rolling * t->r_eff[i];
    e->mu[MRN_PIVOTING][k] = law->pivoting * t->r_eff[i];
    e->cohesion[k] = cohesion_of(e, i, law, h);
    e->law[k] = MRN_UNILATERAL;
    p->Ht.start[k] = *block;
    *block += put_bodies(e, (int32_t[2]){c, a}, (const double *[2]){of_c, of_a}, *block);
    if (row->compliance > 0 || row->drag > 0) {
        double gives[MRN_CONTACT_BLOCK_MAX] = {row->compliance, row->drag, d == 6 ? row->drag : 0};
        put_compliance(e, (*block)++, gives);
    }
    return true;
}

/* The mean inverse mass of the free bodies: the size of a diagonal entry of W. */
static double typical_w(const mrn_nonsmooth *e)
{
    const mrn_bodies *b = &e->state->body;
    mrn_sum sum = {0};
    int64_t n = 0;
    for (int32_t i = b->n_walls; i < b->n; i++)
        if (e->body.column[i] >= 0)
            mrn_sum_add(&sum, 1 / b->mass[i]), n++;
    return n > 0 ? 2 * mrn_sum_value(&sum) / (double)n : 1;
}

static void fill_joint(mrn_nonsmooth *e, int64_t k, const mrn_joint_block *j, int64_t *block)
{
    mrn_problem *p = &e->problem;
    int b = e->width;
    double *q = p->q + k * b, compliant = 0;
    memcpy(q, j->q, (size_t)b * sizeof *q);
    for (int m = 0; m < 2; m++)
        if (j->body[m] >= 0)
            add_velocity(e, j->h[m], e->body.free + (int64_t)j->body[m] * e->dofs, q);
    for (int g = 0; g < MRN_FRICTION_GROUPS; g++)
        e->mu[g][k] = 0;
    e->mu[MRN_SLIDING][k] = j->mu;
    e->cohesion[k] = j->cohesion;
    e->law[k] = j->law;
    p->Ht.start[k] = *block;
    *block += put_bodies(e, j->body, (const double *[2]){j->h[0], j->h[1]}, *block);
    for (int m = 0; m < b; m++)
        compliant += j->compliance[m];
    if (compliant > 0)
        put_compliance(e, (*block)++, j->compliance);
}

static mrn_status fill_joints(mrn_nonsmooth *e, double time, double h, int64_t *block,
                              mrn_message *msg)
{
    int n = e->joints != NULL ? mrn_joints_count(e->joints) : 0;
    if (n == 0)
        return MRN_OK;
    mrn_status st = mrn_ns_room(&e->joint_block, &e->joint_room, n, sizeof *e->joint_block, msg);
    if (st != MRN_OK)
        return st;
    mrn_joints_write(e->joints, e->state, time, h, typical_w(e), e->joint_block,
                     e->r + e->n_contacts * e->width);
    for (int k = 0; k < n; k++)
        fill_joint(e, e->n_contacts + k, &e->joint_block[k], block);
    e->n_rows += n;
    return MRN_OK;
}

/* What the problem has beside its arrays, which are larger than needed. Arrays that say nothing are
   left out: solvers are quicker then. */
static void set_heads(mrn_nonsmooth *e)
{
    mrn_problem *p = &e->problem;
    int n = (int)e->n_rows;
    bool pulls = false;
    for (int k = 0; k < e->scene->n_interactions; k++) {
        const mrn_rigid *law = &e->scene->interaction[k].rigid;
        pulls |= law->pull_force > 0 || law->pull_per_radius > 0;
    }
    for (int64_t k = e->n_contacts; k < e->n_rows; k++)
        pulls |= e->cohesion[k] > 0;
    for (int g = 0; g < MRN_FRICTION_GROUPS; g++)
        p->mu[g] = g < mrn_contact_layout_of(e->kind)->groups ? e->mu[g] : NULL;
    p->cohesion = pulls ? e->cohesion : NULL;
    p->law = e->n_rows > e->n_contacts ? e->law : NULL;
    p->kind = e->kind;
    p->n = n;
    p->Ht.rows = n;
    p->Ht.br = e->width;
    p->Ht.bc = e->dofs;
}

mrn_status mrn_ns_rows(mrn_nonsmooth *e, double time, double h, mrn_message *msg)
{
    int64_t joints = e->joints != NULL ? mrn_joints_count(e->joints) : 0, block = 0, compliant = 0;
    int64_t most = e->found.n + joints;
    known_impulses known;
    if (most > INT32_MAX / 2)
        return mrn_fail(msg, MRN_ERR_RANGE, "more than %d contact points", INT32_MAX / 2);
    for (int k = 0; k < e->scene->n_interactions; k++)
        compliant += e->scene->interaction[k].rigid.compliance > 0 ||
                     e->scene->interaction[k].rigid.viscosity_t > 0 ||
                     e->scene->interaction[k].rigid.compliance_t > 0;
    mrn_status st = find_known(e, &known, msg);
    e->cyclic = st == MRN_OK && known.cycle.c != NULL;
    if (st == MRN_OK)
        st = room_for_rows(e, most, compliant > 0 || joints > 0 ? 3 : 2, e->cyclic, msg);
    if (st == MRN_OK)
        st = add_columns(e, (int32_t)((compliant > 0 ? e->found.n : 0) + joints), msg);
    if (st != MRN_OK)
        return st;
    e->n_contacts = 0;
    note_ties(e);
    for (int64_t k = 0; k < e->found.n; k++)
        e->n_contacts += fill_contact(e, e->n_contacts, k, &known, h, &block);
    e->n_rows = e->n_contacts;
    st = fill_joints(e, time, h, &block, msg);
    if (st != MRN_OK)
        return st;
    int64_t first = e->n_contacts * e->width, of_joints = e->n_rows * e->width - first;
    if (e->cyclic && of_joints > 0)
        memcpy(e->r_cycle + first, e->r + first, (size_t)of_joints * sizeof *e->r);
    e->problem.Ht.start[e->n_rows] = block;
    set_heads(e);
    return MRN_OK;
}

/* ---- what the next step starts from ---- */

mrn_status mrn_ns_store_room(mrn_nonsmooth *e, mrn_message *msg)
{
    mrn_status st = mrn_ns_room(&e->taken, &e->taken_room, e->n_contacts, sizeof *e->taken, msg);
    if (st == MRN_OK)
        st = mrn_ns_list_kept(e, msg);
    return st == MRN_OK ? mrn_contacts_reserve(&e->found, e->n_contacts + e->n_kept, msg) : st;
}

void mrn_ns_store(mrn_nonsmooth *e, double h)
{
    mrn_state *s = e->state;
    double last_h = s->nonsmooth.last_h;
    for (int64_t k = 0; k < e->n_contacts; k++)
        e->taken[k] = e->row[k].contact;
    mrn_contacts_keep(&e->found, e->taken, e->n_contacts);
    if (e->n_contacts > 0)
        memcpy(e->found.impulse, e->r,
               (size_t)(e->n_contacts * e->width) * sizeof *e->found.impulse);
    mrn_ns_append_kept(e, last_h > 0 ? h / last_h : 1);
    mrn_contacts last = s->contact;
    s->contact = e->found;
    e->found = last;
    s->nonsmooth.last_h = h;
}
