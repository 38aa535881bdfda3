/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The global forms of the FCLIB format: M v = H r + G λ + f, Gᵀ v + b = 0, u = Hᵀ v + w. A mass of
   blocks per body and no constraints stay as Hᵀ and M⁻¹; all else is eliminated into W and q. */
#include <string.h>

#include "fclib/fclib.h"

typedef struct global {
    const mrn_fclib_form *form;
    mrn_fclib_matrix M, H, G;
    double *f, *b;
    bool constraints;
} global;

static void global_release(global *g)
{
    mrn_fclib_matrix_release(&g->M);
    mrn_fclib_matrix_release(&g->H);
    mrn_fclib_matrix_release(&g->G);
    mrn_free(g->f);
    mrn_free(g->b);
}

static mrn_fclib_name name_of(const global *g, const char *name)
{
    return mrn_fclib_join(g->form->group, name);
}

static void read_matrices(mrn_h5 *h, global *g)
{
    mrn_fclib_read_matrix(h, name_of(g, "M").text, &g->M);
    mrn_fclib_read_matrix(h, name_of(g, "H").text, &g->H);
    if (mrn_fclib_has(h, name_of(g, "G").text))
        mrn_fclib_read_matrix(h, name_of(g, "G").text, &g->G);
    g->constraints = g->G.n > 0;
    if (h->status != MRN_OK)
        return;
    if (g->M.m != g->M.n || g->M.n == 0)
        mrn_fclib_refuse(h, name_of(g, "M").text, "a square matrix", "is %d x %d", (int)g->M.m,
                         (int)g->M.n);
    if (g->H.m != g->M.n)
        mrn_fclib_refuse(h, name_of(g, "H").text, "as many rows as M", "has %d rows, M has %d",
                         (int)g->H.m, (int)g->M.n);
    if (g->constraints && g->G.m != g->M.n)
        mrn_fclib_refuse(h, name_of(g, "G").text, "as many rows as M", "has %d rows, M has %d",
                         (int)g->G.m, (int)g->M.n);
    if (g->G.n > INT32_MAX - g->M.n)
        mrn_fclib_refuse(h, name_of(g, "G").text, NULL, "has %d columns: too many", (int)g->G.n);
}

/* w goes to q at once; what comes from f and b is added to it. */
static void read_vectors(mrn_h5 *h, global *g, mrn_problem *p)
{
    mrn_fclib_expect(h, name_of(g, "vectors/f").text, g->M.n);
    if (g->constraints)
        mrn_fclib_expect(h, name_of(g, "vectors/b").text, g->G.n);
    mrn_h5_room(h, &g->f, g->M.n, sizeof *g->f);
    mrn_h5_room(h, &g->b, g->G.n, sizeof *g->b);
    if (h->status != MRN_OK)
        return;
    mrn_fclib_reals(h, name_of(g, "vectors/f").text, g->M.n, g->f);
    mrn_fclib_reals(h, name_of(g, "vectors/w").text, g->H.n, p->q);
    if (g->constraints)
        mrn_fclib_reals(h, name_of(g, "vectors/b").text, g->G.n, g->b);
    mrn_fclib_read_friction(h, g->form, p);
}

/* ---- bodies ---- */

/* Numbers of motion of a body: 6 in space, 3 in the plane; 0 when M is not made of such blocks. */
static int body_side(const global *g, const mrn_problem *p)
{
    int dof = mrn_contact_layout_of(p->kind)->dimension == 3 ? 6 : 3;
    if (g->M.n % dof != 0)
        return 0;
    for (int64_t k = 0; k < g->M.nnz; k++)
        if (g->M.row[k] / dof != g->M.col[k] / dof && g->M.x[k] != 0)
            return 0;
    return dof;
}

static void invert_mass(mrn_h5 *h, const global *g, int dof, double *minv)
{
    int64_t area = (int64_t)dof * dof;
    for (int64_t k = 0; k < g->M.nnz; k++) {
        int r = g->M.row[k], c = g->M.col[k];
        if (r / dof == c / dof)
            minv[r / dof * area + (c % dof) * dof + r % dof] += g->M.x[k];
    }
    for (int body = 0; body < g->M.n / dof && h->status == MRN_OK; body++) {
        double m[36];
        memcpy(m, minv + body * area, (size_t)area * sizeof *m);
        if (!mrn_fclib_definite(dof, m) || !mrn_fclib_invert(dof, m, minv + body * area))
            mrn_fclib_refuse(h, name_of(g, "M").text, "a mass that is positive definite",
                             "the block of body %d (rows %d to %d) is not positive definite", body,
                             body * dof, body * dof + dof - 1);
    }
}

/* q += Hᵀ M⁻¹ f */
static void add_free_velocity(mrn_h5 *h, const global *g, int dof, mrn_problem *p)
{
    double *v = NULL;
    mrn_h5_room(h, &v, g->M.n, sizeof *v);
    for (int body = 0; body < g->M.n / dof && h->status == MRN_OK; body++)
        for (int c = 0; c < dof; c++)
            for (int r = 0; r < dof; r++)
                v[body * dof + r] +=
                    p->minv[((int64_t)body * dof + c) * dof + r] * g->f[body * dof + c];
    if (h->status == MRN_OK)
        mrn_bsr_times(&p->Ht, v, true, p->q);
    mrn_free(v);
}

static void keep_bodies(mrn_h5 *h, const global *g, int dof, mrn_problem *p)
{
    int b = mrn_contact_layout_of(p->kind)->block, bodies = g->M.n / dof;
    mrn_h5_room(h, &p->minv, (int64_t)bodies * dof * dof, sizeof *p->minv);
    if (h->status != MRN_OK)
        return;
    invert_mass(h, g, dof, p->minv);
    if (h->status == MRN_OK)
        h->status = mrn_bsr_from_entries(p->n, bodies, b, dof, g->H.nnz, g->H.col, g->H.row, g->H.x,
                                         &p->Ht, h->msg);
    if (h->status == MRN_OK)
        add_free_velocity(h, g, dof, p);
}

/* ---- elimination ---- */

/* [M -G; Gᵀ 0], whose unknowns are (v, λ). */
static mrn_status with_constraints(const global *g, mrn_fclib_matrix *K, mrn_message *msg)
{
    int32_t n = g->M.n;
    K->m = K->n = n + g->G.n;
    mrn_status st = mrn_fclib_matrix_room(K, g->M.nnz + 2 * g->G.nnz, msg);
    for (int64_t k = 0; st == MRN_OK && k < g->M.nnz; k++)
        st = mrn_fclib_matrix_add(K, g->M.row[k], g->M.col[k], g->M.x[k], msg);
    for (int64_t k = 0; st == MRN_OK && k < g->G.nnz; k++) {
        st = mrn_fclib_matrix_add(K, g->G.row[k], n + g->G.col[k], -g->G.x[k], msg);
        if (st == MRN_OK)
            st = mrn_fclib_matrix_add(K, n + g->G.col[k], g->G.row[k], g->G.x[k], msg);
    }
    return st;
}

/* W = Hᵀ K⁻¹ H and q += Hᵀ K⁻¹ (f, -b), taking the part of v. */
static void compute_w(mrn_h5 *h, const global *g, mrn_problem *p)
{
    mrn_fclib_matrix K = {0}, W = {0};
    /* Hᵀ without a copy: rows and columns change their roles */
    mrn_fclib_matrix T = {
        .m = g->H.n, .n = g->M.n, .nnz = g->H.nnz, .row = g->H.col, .col = g->H.row, .x = g->H.x};
    double *rhs = NULL;
    int b = mrn_contact_layout_of(p->kind)->block;
    if (h->status == MRN_OK)
        h->status = with_constraints(g, &K, h->msg);
    mrn_h5_room(h, &rhs, K.n, sizeof *rhs);
    if (h->status == MRN_OK) {
        memcpy(rhs, g->f, (size_t)g->M.n * sizeof *rhs);
        for (int32_t k = 0; k < g->G.n; k++)
            rhs[g->M.n + k] = -g->b[k];
        T.n = K.n;
        mrn_fclib_name m = name_of(g, "M"), constrained = name_of(g, "M with G");
        h->status = mrn_fclib_condense(&K, &T, rhs, 1, g->constraints ? constrained.text : m.text,
                                       &W, p->q, h->msg);
        if (h->status == MRN_ERR_INPUT)
            mrn_fail_at(h->msg, h->path, 0, 0);
    }
    if (h->status == MRN_OK)
        h->status = mrn_fclib_blocks(p->n, b, &W, &p->W, h->msg);
    mrn_free(rhs);
    mrn_fclib_matrix_release(&K);
    mrn_fclib_matrix_release(&W);
}

void mrn_fclib_read_global(mrn_h5 *h, const mrn_fclib_form *form, mrn_problem *p,
                           mrn_fclib_notes *notes)
{
    global g = {.form = form};
    read_matrices(h, &g);
    mrn_fclib_begin_problem(h, form, g.H.n, "H/n", p);
    read_vectors(h, &g, p);
    if (h->status == MRN_OK) {
        int dof = body_side(&g, p);
        notes->dense_mass = dof == 0;
        notes->condensed = g.constraints;
        if (g.M.triplet || g.H.triplet)
            mrn_fclib_remark(notes, "matrices stored as triplets: i taken as rows, p as columns");
        if (dof != 0 && !g.constraints)
            keep_bodies(h, &g, dof, p);
        else
            compute_w(h, &g, p);
    }
    global_release(&g);
}
