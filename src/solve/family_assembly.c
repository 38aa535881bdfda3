/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies and contact points of a generated problem, and what a time step makes of them: Ht, M⁻¹,
   q. Rows of Ht are written in place, two blocks at most for a contact: no sorting, linear. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "solve/families.h"

mrn_assembly mrn_assembly_begin(const mrn_value *option)
{
    mrn_assembly y = {.step = option[MRN_OPT_STEP].number};
    y.kind = option[MRN_OPT_DIMENSION].number > 0 ? MRN_CONTACT_3D : MRN_CONTACT_2D;
    y.gravity = mrn_assembly_at(&y, 0, 0, -option[MRN_OPT_GRAVITY].number);
    return y;
}

void mrn_assembly_release(mrn_assembly *y)
{
    mrn_free(y->body);
    mrn_free(y->contact);
    *y = (mrn_assembly){0};
}

static bool is_flat(const mrn_assembly *y)
{
    return mrn_contact_layout_of(y->kind)->dimension == 2;
}

mrn_vec3 mrn_assembly_at(const mrn_assembly *y, double x, double depth, double height)
{
    return is_flat(y) ? mrn_v3(x, height, 0) : mrn_v3(x, depth, height);
}

mrn_status mrn_assembly_add_body(mrn_assembly *y, const mrn_assembly_body *b, mrn_message *msg)
{
    if (mrn_grow(&y->body, &y->body_capacity, y->n_bodies + 1, sizeof *b) != MRN_OK)
        return mrn_fail_memory(msg);
    y->body[y->n_bodies++] = *b;
    return MRN_OK;
}

mrn_status mrn_assembly_add_contact(mrn_assembly *y, const mrn_assembly_contact *c,
                                    mrn_message *msg)
{
    if (y->n_contacts >= MRN_FAMILY_CONTACTS)
        return mrn_fail(msg, MRN_ERR_INPUT, "a generated problem has %d contacts at most",
                        MRN_FAMILY_CONTACTS);
    if (mrn_grow(&y->contact, &y->contact_capacity, y->n_contacts + 1, sizeof *c) != MRN_OK)
        return mrn_fail_memory(msg);
    y->contact[y->n_contacts++] = *c;
    return MRN_OK;
}

mrn_assembly_body mrn_assembly_ball(const mrn_assembly *y, mrn_vec3 x, double radius,
                                    double density)
{
    mrn_assembly_body b = {.x = x};
    double r2 = radius * radius, k = is_flat(y) ? 0.5 : 0.4;
    b.mass = density * MRN_PI * r2 * (is_flat(y) ? 1 : 4.0 / 3 * radius);
    b.inertia = mrn_v3(k * b.mass * r2, k * b.mass * r2, k * b.mass * r2);
    return b;
}

mrn_assembly_body mrn_assembly_box(const mrn_assembly *y, mrn_vec3 x, const double edge[3],
                                   double density)
{
    mrn_assembly_body b = {.x = x};
    double xx = edge[0] * edge[0], dd = edge[1] * edge[1], hh = edge[2] * edge[2];
    b.mass = density * edge[0] * edge[2] * (is_flat(y) ? 1 : edge[1]);
    double m = b.mass / 12;
    b.inertia = is_flat(y) ? mrn_v3(0, 0, m * (xx + hh))
                           : mrn_v3(m * (dd + hh), m * (xx + hh), m * (xx + dd));
    return b;
}

void mrn_assembly_frame(bool flat, mrn_vec3 n, mrn_vec3 *t, mrn_vec3 *s)
{
    if (flat) {
        *t = mrn_v3(-n.y, n.x, 0);
        *s = mrn_v3(0, 0, 1);
        return;
    }
    mrn_vec3 e = fabs(n.x) > 0.8 ? mrn_v3(0, 1, 0) : mrn_v3(1, 0, 0);
    *t = mrn_unit(mrn_axpy(-mrn_dot(e, n), n, e));
    *s = mrn_cross(n, *t);
}

/* Row `row` of a block of Ht: velocity along e of the point of the body with that arm. */
static void row_of_velocity(bool flat, int block, int row, mrn_vec3 e, mrn_vec3 arm, double sign,
                            double *value)
{
    mrn_vec3 turn = mrn_cross(arm, e);
    double all[6] = {e.x, e.y, e.z, turn.x, turn.y, turn.z};
    if (flat)
        all[2] = turn.z;
    for (int k = 0; k < (flat ? 3 : 6); k++)
        value[k * block + row] = sign * all[k];
}

/* Row of an angular velocity about e. */
static void row_of_turning(bool flat, int block, int row, mrn_vec3 e, double sign, double *value)
{
    int first = flat ? 2 : 3;
    double all[3] = {flat ? 1 : e.x, e.y, e.z};
    for (int k = 0; k < (flat ? 1 : 3); k++)
        value[(first + k) * block + row] = sign * all[k];
}

static void block_of(mrn_contact_kind kind, const mrn_assembly_contact *c, mrn_vec3 x, double sign,
                     double *value)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(kind);
    bool flat = lay->dimension == 2;
    mrn_vec3 t, s, arm = mrn_sub(c->point, x);
    mrn_assembly_frame(flat, c->normal, &t, &s);
    row_of_velocity(flat, lay->block, 0, c->normal, arm, sign, value);
    row_of_velocity(flat, lay->block, 1, t, arm, sign, value);
    if (!flat)
        row_of_velocity(flat, lay->block, 2, s, arm, sign, value);
    if (lay->groups > MRN_ROLLING)
        row_of_turning(flat, lay->block, lay->first[MRN_ROLLING], t, sign, value);
    if (lay->groups > MRN_ROLLING && !flat)
        row_of_turning(flat, lay->block, lay->first[MRN_ROLLING] + 1, s, sign, value);
    if (lay->groups > MRN_PIVOTING)
        row_of_turning(flat, lay->block, lay->first[MRN_PIVOTING], c->normal, sign, value);
}

static mrn_status fill_ht(const mrn_assembly *y, mrn_bsr *h, mrn_message *msg)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(y->kind);
    int n = (int)y->n_contacts, dof = lay->dimension == 2 ? 3 : 6, size = lay->block * dof;
    int64_t blocks = 0;
    for (int i = 0; i < n; i++)
        blocks += y->contact[i].b >= 0 ? 2 : 1;
    h->rows = n, h->cols = (int)y->n_bodies, h->br = lay->block, h->bc = dof;
    mrn_status st = mrn_array(&h->start, n + 1, sizeof *h->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&h->col, blocks, sizeof *h->col, msg);
    if (st == MRN_OK)
        st = mrn_array(&h->value, blocks * size + MRN_BSR_PADDING, sizeof(double), msg);
    if (st != MRN_OK)
        return st;
    for (int i = 0; i < n; i++) {
        const mrn_assembly_contact *c = &y->contact[i];
        int64_t k = h->start[i];
        bool swap = c->b >= 0 && c->b < c->a;
        int64_t ka = swap ? k + 1 : k, kb = swap ? k : k + 1;
        h->start[i + 1] = k + (c->b >= 0 ? 2 : 1);
        h->col[ka] = c->a;
        block_of(y->kind, c, y->body[c->a].x, 1, h->value + ka * size);
        if (c->b < 0)
            continue;
        h->col[kb] = c->b;
        block_of(y->kind, c, y->body[c->b].x, -1, h->value + kb * size);
    }
    return MRN_OK;
}

static mrn_status fill_minv(const mrn_assembly *y, int dof, mrn_problem *p, mrn_message *msg)
{
    if (mrn_array(&p->minv, y->n_bodies * dof * dof, sizeof(double), msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t i = 0; i < y->n_bodies; i++) {
        const mrn_assembly_body *b = &y->body[i];
        double m[6] = {b->mass, b->mass, b->mass, b->inertia.x, b->inertia.y, b->inertia.z};
        if (dof == 3)
            m[2] = b->inertia.z;
        for (int k = 0; k < dof; k++) {
            p->minv[i * dof * dof + k * dof + k] = 1 / m[k];
            if (!(m[k] > 0) || !isfinite(m[k]) || !isfinite(1 / m[k]))
                return mrn_fail(msg, MRN_ERR_INPUT, "these options give body %lld the mass %g kg",
                                (long long)i, b->mass);
        }
    }
    return MRN_OK;
}

/* Velocities of all bodies: before the step (`h` = 0) or after it without contacts. */
static void velocities(const mrn_assembly *y, int dof, double h, double *v)
{
    for (int64_t i = 0; i < y->n_bodies; i++) {
        const mrn_assembly_body *b = &y->body[i];
        mrn_vec3 a = mrn_axpy(1 / b->mass, b->force, y->gravity), u = mrn_axpy(h, a, b->v);
        double all[6] = {u.x, u.y, u.z, b->w.x, b->w.y, b->w.z};
        if (dof == 3)
            all[2] = b->w.z;
        memcpy(v + i * dof, all, (size_t)dof * sizeof *v);
    }
}

/* q = Hᵀ(v + h M⁻¹ f) + what drives the fixed side + e times the approach before. */
static mrn_status fill_q(const mrn_assembly *y, mrn_problem *p, mrn_message *msg)
{
    int dof = p->Ht.bc, block = p->Ht.br;
    double *v = NULL, *before = NULL;
    mrn_status s = mrn_array(&v, y->n_bodies * dof, sizeof *v, msg);
    if (s == MRN_OK)
        s = mrn_array(&before, y->n_contacts * block, sizeof *before, msg);
    if (s == MRN_OK) {
        velocities(y, dof, 0, v);
        mrn_bsr_times(&p->Ht, v, false, before);
        velocities(y, dof, y->step, v);
        mrn_bsr_times(&p->Ht, v, false, p->q);
        for (int64_t i = 0; i < y->n_contacts; i++) {
            p->q[i * block] -= y->contact[i].drive;
            p->q[i * block] += y->restitution * fmin(before[i * block] - y->contact[i].drive, 0);
        }
    }
    mrn_free(v);
    mrn_free(before);
    return s;
}

static mrn_status fill_laws(const mrn_assembly *y, mrn_problem *p, mrn_message *msg)
{
    bool any = false;
    for (int i = 0; i < p->n; i++) {
        any = any || y->contact[i].law != MRN_UNILATERAL;
        for (int g = 0; g < MRN_FRICTION_GROUPS; g++)
            if (p->mu[g] != NULL)
                p->mu[g][i] = y->contact[i].mu[g];
    }
    if (!any)
        return MRN_OK;
    if (mrn_array(&p->law, p->n, sizeof *p->law, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int i = 0; i < p->n; i++)
        p->law[i] = (uint8_t)y->contact[i].law;
    return MRN_OK;
}

/* Blocks of W counted body by body: an upper bound, every pair of contacts of a body. */
static mrn_status count_blocks(const mrn_bsr *h, double *blocks, mrn_message *msg)
{
    int32_t *contacts = NULL;
    if (mrn_array(&contacts, h->cols, sizeof *contacts, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t k = 0; k < h->start[h->rows]; k++)
        contacts[h->col[k]]++;
    *blocks = 0;
    for (int i = 0; i < h->cols; i++)
        *blocks += (double)contacts[i] * contacts[i];
    mrn_free(contacts);
    return MRN_OK;
}

/* W if stored is "yes" or (auto) small enough. */
static mrn_status delassus(double stored, mrn_problem *p, mrn_message *msg)
{
    double blocks = 0, most = 256.0 * 1024 * 1024;
    if (stored == 2)
        return MRN_OK;
    if (stored == 0 && count_blocks(&p->Ht, &blocks, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    if (blocks * p->Ht.br * p->Ht.br * sizeof(double) > most)
        return MRN_OK;
    return mrn_problem_assemble(p, msg);
}

mrn_status mrn_assembly_finish(const mrn_assembly *y, const mrn_problem_family *f,
                               const mrn_value *option, int stored_option, uint64_t seed,
                               mrn_problem *out, mrn_message *msg)
{
    mrn_status s = mrn_problem_create(y->kind, (int)y->n_contacts, out, msg);
    if (s != MRN_OK)
        return s;
    s = fill_ht(y, &out->Ht, msg);
    if (s == MRN_OK)
        s = fill_minv(y, out->Ht.bc, out, msg);
    if (s == MRN_OK)
        s = fill_q(y, out, msg);
    if (s == MRN_OK)
        s = fill_laws(y, out, msg);
    if (s == MRN_OK)
        s = delassus(option[stored_option].number, out, msg);
    mrn_family_describe(f, option, seed, out);
    if (s != MRN_OK)
        mrn_problem_release(out);
    return s;
}
