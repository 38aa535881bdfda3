/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a problem in the user's units to one without units and cohesion, and its operator. */
#include <float.h>
#include <string.h>

#include "base/base.h"
#include "linalg/small.h"
#include "solve/kernel.h"
#include "solve/system.h"

enum { CHUNK = 1024, PARALLEL = 2048 };

/* ---- scales ---- */

/* Sums of the diagonal of W: forces (N and sliding) and moments. */
static void diagonal_sums(const mrn_system *s, double sum[2], int64_t count[2])
{
    int b = s->b, forces = s->lay->dimension;
    sum[0] = sum[1] = 0, count[0] = count[1] = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int c = 0; c < b; c++) {
            int moment = c >= forces;
            sum[moment] += s->diag[(i * b + c) * b + c];
            count[moment]++;
        }
}

static void choose_scales(mrn_system *s)
{
    double sum[2];
    int64_t count[2];
    diagonal_sums(s, sum, count);
    double mean = count[0] > 0 ? sum[0] / (double)count[0] : 1;
    double turn = count[1] > 0 ? sum[1] / (double)count[1] : 0;
    s->rho = mean > 0 && isfinite(mean) ? 1 / mean : 1;
    s->length = turn > 0 && mean > 0 && isfinite(turn) ? sqrt(mean / turn) : 1;
}

/* |q| / unit with angular velocities as velocities. */
static double norm_over(const mrn_system *s, const double *q, double unit)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int c = 0; c < s->b; c++) {
            double x = q[i * s->b + c] / unit * (c >= s->lay->dimension ? s->length : 1);
            sum += x * x;
        }
    return sqrt(sum);
}

/* |q|; numbers whose squares have no place in a double are made larger or smaller first. */
static double velocity_norm(const mrn_system *s, const double *q)
{
    double norm = norm_over(s, q, 1), top = 0;
    if (norm > 1e-140 && norm < 1e150)
        return norm;
    for (int64_t k = 0; k < (int64_t)s->n * s->b; k++)
        top = fmax(top, fabs(q[k]));
    return top > 0 && isfinite(top) ? top * norm_over(s, q, top) : norm;
}

static void set_scales(mrn_system *s, double norm)
{
    for (int c = 0; c < s->b; c++) {
        double l = c >= s->lay->dimension ? s->length : 1;
        s->u_scale[c] = norm / l;
        s->r_scale[c] = norm * s->rho * l;
    }
}

/* ---- the pieces ---- */

static void *take(mrn_system *s, int64_t n, size_t size, mrn_status *st)
{
    void *p = *st == MRN_OK ? mrn_work(s->work, n, size) : NULL;
    if (p == NULL)
        *st = MRN_ERR_MEMORY;
    return p;
}

/* The same, not zeroed: for what is filled at once. */
static void *take_raw(mrn_system *s, int64_t n, size_t size, mrn_status *st)
{
    void *p = *st == MRN_OK ? mrn_work_raw(s->work, n, size) : NULL;
    if (p == NULL)
        *st = MRN_ERR_MEMORY;
    return p;
}

/* Diagonal blocks of W, as they are: the scales come from them. */
static void copy_diagonal(const mrn_problem *p, mrn_system *s)
{
    int size = s->b * s->b;
    for (int i = 0; i < p->n; i++) {
        int64_t at = mrn_bsr_find(&p->W, i, i);
        if (at >= 0)
            memcpy(s->diag + (int64_t)i * size, p->W.value + at * size,
                   (size_t)size * sizeof *s->diag);
    }
}

/* to = factor * from, number by number; false when all are zero */
static inline bool scale_block(int size, const double *factor, const double *from, double *to)
{
    bool any = false;
    for (int k = 0; k < size; k++) {
        to[k] = factor[k] * from[k];
        any |= from[k] != 0;
    }
    return any;
}

/* The other blocks, scaled in one go; those that are zero are left out. */
static mrn_status copy_blocks(const mrn_problem *p, mrn_system *s, const double *factor)
{
    int n = p->n, size = s->b * s->b;
    int64_t blocks = p->W.start[n], m = 0;
    mrn_status st = MRN_OK;
    s->start = take_raw(s, n + 1, sizeof *s->start, &st);
    s->col = take_raw(s, blocks, sizeof *s->col, &st);
    s->off = take_raw(s, blocks * size + MRN_BSR_PADDING, sizeof *s->off, &st);
    if (st != MRN_OK)
        return st;
    for (int i = 0; i < n; i++) {
        s->start[i] = m;
        for (int64_t k = p->W.start[i]; k < p->W.start[i + 1]; k++) {
            const double *w = p->W.value + k * size;
            double *to = s->off + m * size;
            if (p->W.col[k] == i)
                continue;
            bool any = size == 9   ? scale_block(9, factor, w, to)
                       : size == 4 ? scale_block(4, factor, w, to)
                                   : scale_block(size, factor, w, to);
            if (any)
                s->col[m++] = p->W.col[k];
        }
    }
    s->start[n] = m;
    memset(s->off + m * size, 0, MRN_BSR_PADDING * sizeof *s->off);
    s->has_W = true;
    return MRN_OK;
}

/* w += Ht M⁻¹ Htᵀ of one body (sizes known where it is compiled: loops are unrolled) */
static inline void add_diagonal(int b, int dof, const double *h, const double *m, double *w)
{
    for (int x = 0; x < dof; x++)
        for (int y = 0; y < dof; y++)
            for (int c = 0; m[y * dof + x] != 0 && c < b; c++)
                for (int r = 0; r < b; r++)
                    w[c * b + r] += h[x * b + r] * m[y * dof + x] * h[y * b + c];
}

/* Diagonal blocks from bodies: sum over the bodies of a contact. */
static void diagonal_of_bodies(mrn_system *s)
{
    int b = s->b, dof = s->dof;
    for (int64_t i = 0; i < s->n; i++) {
        double *w = s->diag + i * b * b;
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++) {
            const double *h = s->ht + k * b * dof;
            const double *m = s->minv + (int64_t)s->body[k] * dof * dof;
            if (b == 3 && dof == 6)
                add_diagonal(3, 6, h, m, w);
            else
                add_diagonal(b, dof, h, m, w);
        }
        for (int c = 0; s->compliance != NULL && c < b; c++)
            w[c * b + c] += s->compliance[i * b + c];
    }
}

/* ---- compliances ---- */

/* What H is without compliances. */
typedef struct fewer_links {
    int64_t *start;
    int32_t *body;
    double *ht;
} fewer_links;

/* Whether column j of Ht, met by one link alone, is a compliance: the identity on masses apart. */
static bool is_compliance(const mrn_problem *p, int32_t j, int64_t link)
{
    int b = p->Ht.br, dof = p->Ht.bc;
    const double *h = p->Ht.value + link * b * dof, *m = p->minv + (int64_t)j * dof * dof;
    for (int c = 0; c < dof; c++) {
        for (int r = 0; r < b; r++)
            if (h[c * b + r] != (c == r ? 1 : 0))
                return false;
        for (int r = 0; r < dof; r++)
            if (r != c && m[c * dof + r] != 0)
                return false;
    }
    return true;
}

/* Bodies of H: those in front of the last columns that are compliances. */
static mrn_status count_bodies(const mrn_problem *p, mrn_system *s, int *bodies)
{
    mrn_status st = MRN_OK;
    int32_t *links = take(s, p->Ht.cols, sizeof *links, &st);
    int64_t *link = take_raw(s, p->Ht.cols, sizeof *link, &st);
    if (st != MRN_OK)
        return st;
    for (int64_t k = 0; k < p->Ht.start[p->n]; k++)
        links[p->Ht.col[k]]++, link[p->Ht.col[k]] = k;
    *bodies = p->Ht.cols;
    while (*bodies > 0 && links[*bodies - 1] == 1 &&
           is_compliance(p, *bodies - 1, link[*bodies - 1]))
        (*bodies)--;
    return MRN_OK;
}

static mrn_status room_to_fold(const mrn_problem *p, mrn_system *s, fewer_links *f)
{
    int64_t links = p->Ht.start[p->n], size = (int64_t)s->b * s->dof;
    mrn_status st = MRN_OK;
    s->compliance = take(s, s->n * (int64_t)s->b, sizeof *s->compliance, &st);
    f->start = take_raw(s, s->n + 1, sizeof *f->start, &st);
    f->body = take_raw(s, links, sizeof *f->body, &st);
    f->ht = take_raw(s, links * size + MRN_BSR_PADDING, sizeof *f->ht, &st);
    return st;
}

/* Links to compliances are taken out of H, which costs a copy of it; a sweep reads two blocks of a
   contact then in place of three, and there are as many bodies as there are. */
static mrn_status fold_compliances(const mrn_problem *p, mrn_system *s)
{
    int bodies = 0, b = s->b;
    int64_t size = (int64_t)b * s->dof, m = 0;
    fewer_links f;
    mrn_status st = count_bodies(p, s, &bodies);
    if (st != MRN_OK || bodies == p->Ht.cols)
        return st;
    st = room_to_fold(p, s, &f);
    for (int64_t i = 0; st == MRN_OK && i < s->n; i++) {
        f.start[i] = m;
        for (int64_t k = p->Ht.start[i]; k < p->Ht.start[i + 1]; k++) {
            int32_t j = p->Ht.col[k];
            const double *minv = p->minv + (int64_t)j * s->dof * s->dof;
            for (int c = 0; j >= bodies && c < b; c++)
                s->compliance[i * b + c] += minv[c * s->dof + c];
            if (j >= bodies)
                continue;
            f.body[m] = j;
            memcpy(f.ht + m++ * size, p->Ht.value + k * size, (size_t)size * sizeof *f.ht);
        }
    }
    if (st != MRN_OK)
        return st;
    f.start[s->n] = m;
    memset(f.ht + m * size, 0, MRN_BSR_PADDING * sizeof *f.ht);
    s->n_bodies = bodies;
    s->body_start = f.start, s->body = f.body, s->ht = f.ht;
    return MRN_OK;
}

/* Contacts by body: threads then share the bodies when impulses are pushed on them, in the order
   in which one thread would go through the contacts. */
static mrn_status list_of_bodies(mrn_system *s)
{
    int64_t links = s->body_start[s->n];
    mrn_status st = MRN_OK;
    if (links > INT32_MAX)
        return MRN_ERR_MEMORY;
    int64_t *start = take(s, (int64_t)s->n_bodies + 2, sizeof *start, &st);
    s->of_body = take_raw(s, links, sizeof *s->of_body, &st);
    s->contact_of = take_raw(s, links, sizeof *s->contact_of, &st);
    if (st != MRN_OK)
        return st;
    for (int64_t k = 0; k < links; k++)
        start[s->body[k] + 2]++;
    for (int i = 0; i < s->n_bodies; i++)
        start[i + 2] += start[i + 1];
    for (int i = 0; i < s->n; i++)
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++) {
            s->of_body[start[s->body[k] + 1]++] = (int32_t)k;
            s->contact_of[k] = i;
        }
    s->of_body_start = start;
    return MRN_OK;
}

static mrn_status copy_bodies(const mrn_problem *p, bool folded, mrn_system *s)
{
    mrn_status st = MRN_OK;
    s->n_bodies = p->Ht.cols;
    s->dof = p->Ht.bc;
    s->body_start = p->Ht.start;
    s->body = p->Ht.col;
    s->minv = p->minv;
    s->ht = p->Ht.value;
    if (folded && fold_compliances(p, s) != MRN_OK)
        return MRN_ERR_MEMORY;
    s->body_v = take(s, (int64_t)s->n_bodies * s->dof, sizeof *s->body_v, &st);
    if (st == MRN_OK)
        st = list_of_bodies(s);
    s->has_bodies = st == MRN_OK;
    return st;
}

/* factor[c*b + r]: what an entry of W is multiplied with */
static void find_factors(const mrn_system *s, double *factor)
{
    for (int c = 0; c < s->b; c++)
        for (int r = 0; r < s->b; r++)
            factor[c * s->b + r] = s->r_scale[c] / s->u_scale[r];
}

/* W' = S_u⁻¹ Ht M⁻¹ Htᵀ S_r with S_r = S_u⁻¹ times rho norm². Where one number does for all
   components it goes to M⁻¹, which is small, and H stays where it is; with moments it is the square
   root of each component's that goes to H. */
static mrn_status scale_bodies(mrn_system *s)
{
    int b = s->b;
    double factor[MRN_CONTACT_BLOCK_MAX];
    int64_t links = s->body_start[s->n], size = (int64_t)s->n_bodies * s->dof * s->dof;
    mrn_status st = MRN_OK;
    bool one = true;
    for (int c = 0; c < b; c++) {
        factor[c] = s->r_scale[c] / s->u_scale[c];
        one = one && factor[c] == factor[0];
    }
    for (int64_t k = 0; s->compliance != NULL && k < (int64_t)s->n * b; k++)
        s->compliance[k] *= factor[k % b];
    if (one) {
        double *minv = take_raw(s, size, sizeof *minv, &st);
        for (int64_t k = 0; st == MRN_OK && k < size; k++)
            minv[k] = factor[0] * s->minv[k];
        s->minv = st == MRN_OK ? minv : s->minv;
        return st;
    }
    double *ht = take(s, links * b * s->dof + MRN_BSR_PADDING, sizeof *ht, &st);
    for (int64_t k = 0; st == MRN_OK && k < links * s->dof; k++)
        for (int c = 0; c < b; c++)
            ht[k * b + c] = s->ht[k * b + c] * sqrt(factor[c]);
    s->ht = st == MRN_OK ? ht : s->ht;
    return st;
}

/* Inverse of a 3 x 3 block by cofactors; false when it is too near to singular for that. */
static bool invert_3(const double *a, double *inv)
{
    double c0 = a[4] * a[8] - a[7] * a[5], c1 = a[7] * a[2] - a[1] * a[8];
    double c2 = a[1] * a[5] - a[4] * a[2], det = a[0] * c0 + a[3] * c1 + a[6] * c2;
    double size = (fabs(a[0]) + fabs(a[4]) + fabs(a[8])) / 3;
    if (!(fabs(det) > 1e-9 * size * size * size))
        return false;
    double d = 1 / det;
    inv[0] = d * c0, inv[1] = d * c1, inv[2] = d * c2;
    inv[3] = d * (a[6] * a[5] - a[3] * a[8]), inv[4] = d * (a[0] * a[8] - a[6] * a[2]);
    inv[5] = d * (a[3] * a[2] - a[0] * a[5]);
    inv[6] = d * (a[3] * a[7] - a[6] * a[4]), inv[7] = d * (a[6] * a[1] - a[0] * a[7]);
    inv[8] = d * (a[0] * a[4] - a[3] * a[1]);
    return true;
}

/* q' = S⁻¹ (q - W c e_N): the cohesive impulse is part of the unknown. */
static mrn_status scale_velocities(const mrn_problem *p, mrn_system *s)
{
    int b = s->b;
    mrn_status st = MRN_OK;
    double *c = NULL, pull = 0;
    if (p->cohesion != NULL) {
        c = take(s, (int64_t)s->n * b, sizeof *c, &st);
        if (st != MRN_OK)
            return st;
        for (int64_t i = 0; i < s->n; i++)
            c[i * b] = p->cohesion[i] / s->r_scale[0];
        mrn_system_times(s, c, s->q);
        pull = 0.5 * mrn_system_dot(s, c, s->q);
    }
    for (int64_t i = 0; i < s->n; i++)
        for (int k = 0; k < b; k++)
            s->q[i * b + k] = p->q[i * b + k] / s->u_scale[k] - s->q[i * b + k];
    if (c != NULL)
        s->energy_shift = -(pull + mrn_system_dot(s, c, s->q)) * s->u_scale[0] * s->r_scale[0];
    return MRN_OK;
}

static void copy_laws(const mrn_problem *p, mrn_system *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        s->law[i] = p->law != NULL ? p->law[i] : MRN_UNILATERAL;
        s->any_bilateral = s->any_bilateral || s->law[i] == MRN_BILATERAL;
        for (int g = 0; g < s->lay->groups; g++)
            s->mu[i * MRN_FRICTION_GROUPS + g] =
                g == MRN_SLIDING ? p->mu[g][i] : p->mu[g][i] / s->length;
    }
}

/* Without units, the residual of a problem that is at rest already (q = 0) is that of r = 0: 0. */
static double scale_of_velocity(const mrn_problem *p, const mrn_system *s)
{
    double norm = velocity_norm(s, p->q);
    if (!(norm > 0) && p->cohesion != NULL) {
        double sum = 0;
        for (int64_t i = 0; i < s->n; i++)
            sum += p->cohesion[i] * p->cohesion[i];
        norm = sqrt(sum) / s->rho;
    }
    return norm > 0 && isfinite(norm) ? norm : 1;
}

mrn_status mrn_system_make(const mrn_problem *p, const mrn_solve_control *control, bool fold,
                           mrn_workspace *work, mrn_system *s, mrn_message *msg)
{
    *s = (mrn_system){.lay = mrn_contact_layout_of(p->kind),
                      .kind = p->kind,
                      .n = p->n,
                      .control = control,
                      .work = work};
    s->b = s->lay->block;
    int64_t n = p->n, b = s->b;
    mrn_status st = MRN_OK;
    double factor[MRN_CONTACT_BLOCK_MAX * MRN_CONTACT_BLOCK_MAX];
    bool blocks = p->W.rows == p->n && n > 0;
    s->diag = take(s, n * b * b + MRN_BSR_PADDING, sizeof *s->diag, &st);
    s->inverse = take_raw(s, n * b * b + MRN_BSR_PADDING, sizeof *s->inverse, &st);
    s->q = take(s, n * b + MRN_BSR_PADDING, sizeof *s->q, &st);
    s->mu = take(s, n * MRN_FRICTION_GROUPS, sizeof *s->mu, &st);
    s->law = take(s, n, sizeof *s->law, &st);
    s->partial = take_raw(s, n / CHUNK + 1, sizeof *s->partial, &st);
    if (st == MRN_OK && p->Ht.rows == p->n && p->minv != NULL && n > 0)
        st = copy_bodies(p, fold && !blocks, s);
    if (st != MRN_OK)
        return mrn_fail_memory(msg);
    if (blocks)
        copy_diagonal(p, s);
    else if (s->has_bodies)
        diagonal_of_bodies(s);
    else if (n > 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "the problem has neither W nor H and M");
    choose_scales(s);
    set_scales(s, scale_of_velocity(p, s));
    find_factors(s, factor);
    if (blocks && copy_blocks(p, s, factor) != MRN_OK)
        return mrn_fail_memory(msg);
    if (s->has_bodies && scale_bodies(s) != MRN_OK)
        return mrn_fail_memory(msg);
    for (int64_t i = 0; i < n; i++) {
        double *d = s->diag + i * b * b, *inverse = s->inverse + i * b * b;
        scale_block((int)(b * b), factor, d, d);
        if (b != 3 || !invert_3(d, inverse))
            /* a direction without influence gets no impulse */
            mrn_small_invert((int)b, (int)b, d, 1e-15, INFINITY, inverse);
    }
    copy_laws(p, s);
    return scale_velocities(p, s) == MRN_OK ? MRN_OK : mrn_fail_memory(msg);
}

void mrn_system_enter(const mrn_system *s, const mrn_problem *p, const double *r, double *scaled)
{
    for (int64_t i = 0; i < s->n; i++)
        for (int c = 0; c < s->b; c++) {
            double shift = c == 0 && p->cohesion != NULL ? p->cohesion[i] : 0;
            scaled[i * s->b + c] = (r[i * s->b + c] + shift) / s->r_scale[c];
        }
}

void mrn_system_leave(const mrn_system *s, const mrn_problem *p, const double *scaled, double *r)
{
    for (int64_t i = 0; i < s->n; i++)
        for (int c = 0; c < s->b; c++) {
            double shift = c == 0 && p->cohesion != NULL ? p->cohesion[i] : 0;
            r[i * s->b + c] = scaled[i * s->b + c] * s->r_scale[c] - shift;
        }
}

/* ---- the operator ---- */

void mrn_system_push(const mrn_system *s, const double *x, double *v)
{
    int b = s->b, dof = s->dof;
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n_bodies; i++) {
        double *to = v + i * dof;
        for (int c = 0; c < dof; c++)
            to[c] = 0;
        for (int64_t p = s->of_body_start[i]; p < s->of_body_start[i + 1]; p++) {
            int64_t k = s->of_body[p];
            const double *xk = x + (int64_t)s->contact_of[k] * b, *h = s->ht + k * b * dof;
            if (b == 3 && dof == 6)
                mrn_body_push(3, 6, h, xk, to);
            else
                mrn_body_push(b, dof, h, xk, to);
        }
        mrn_body_velocity(dof, s->minv + i * dof * dof, to);
    }
}

/* Through the bodies: impulses on them, their velocities, relative velocities. */
static void times_bodies(const mrn_system *s, const double *x, double *y)
{
    int b = s->b, dof = s->dof;
    mrn_system_push(s, x, s->body_v);
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n; i++) {
        double v[MRN_CONTACT_BLOCK_MAX] = {0};
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++) {
            const double *h = s->ht + k * b * dof, *body = s->body_v + (int64_t)s->body[k] * dof;
            if (b == 3 && dof == 6)
                mrn_body_relative(3, 6, h, body, v);
            else
                mrn_body_relative(b, dof, h, body, v);
        }
        for (int c = 0; s->compliance != NULL && c < b; c++)
            v[c] += s->compliance[i * b + c] * x[i * b + c];
        memcpy(y + i * b, v, (size_t)b * sizeof *v);
    }
}

static inline void times_row(const mrn_system *s, int i, const double *x, double *y)
{
    int b = s->b;
    double v[MRN_CONTACT_BLOCK_MAX + 2] = {0};
    mrn_row_times(s, i, x, v);
    mrn_block_times(b, s->diag + (int64_t)i * b * b, x + (int64_t)i * b, v);
    memcpy(y + (int64_t)i * b, v, (size_t)b * sizeof *v);
}

void mrn_system_times(const mrn_system *s, const double *x, double *y)
{
    if (!s->has_W) {
        times_bodies(s, x, y);
        return;
    }
    if (s->n <= PARALLEL) { /* a team of one costs as much as ten contacts */
        for (int i = 0; i < s->n; i++)
            times_row(s, i, x, y);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < s->n; i++)
        times_row(s, i, x, y);
}

void mrn_system_velocity(const mrn_system *s, const double *r, double *u)
{
    int64_t m = (int64_t)s->n * s->b;
    mrn_system_times(s, r, u);
    for (int64_t k = 0; k < m; k++)
        u[k] += s->q[k];
}

double mrn_system_dot(const mrn_system *s, const double *x, const double *y)
{
    return mrn_dot_long((int64_t)s->n * s->b, x, y);
}

/* 1/2 r.Wr + q.r = 1/2 r.(u + q) */
double mrn_system_energy(const mrn_system *s, const double *r, const double *u)
{
    double twice = mrn_system_dot(s, r, u) + mrn_system_dot(s, r, s->q);
    return 0.5 * twice * s->u_scale[0] * s->r_scale[0] + s->energy_shift;
}

/* Squared residual of contact i. At r = 0 the natural map sees an approach u_N < 0 divided by
   sqrt(1 + mu²): with enormous friction every problem would be solved by no impulse at all. Beyond
   mu = LARGE_FRICTION the approach counts as it does there; below nothing changes. */
static double contact_residual(const mrn_system *s, int64_t i, const double *r, const double *u,
                               double *f)
{
    static const double LARGE_FRICTION = 10;
    const double *mu = s->mu + i * MRN_FRICTION_GROUPS;
    double square = mrn_natural_map(s->lay, mu, (mrn_contact_law)s->law[i], 1, r, u, f);
    for (int g = 0; g < s->lay->groups; g++)
        if (mu[g] > LARGE_FRICTION && s->law[i] == MRN_UNILATERAL && u[0] < 0)
            square = fmax(square, u[0] * u[0] / (1 + LARGE_FRICTION * LARGE_FRICTION));
    return square;
}

/* Sum of squared residuals of the contacts of chunk c. */
static double chunk_residual(const mrn_system *s, int64_t c, const double *r, const double *u,
                             double *f)
{
    int b = s->b;
    double part = 0, own[MRN_CONTACT_BLOCK_MAX];
    for (int64_t i = c * CHUNK; i < s->n && i < (c + 1) * CHUNK; i++)
        part += contact_residual(s, i, r + i * b, u + i * b, f != NULL ? f + i * b : own);
    return part;
}

double mrn_system_residual(const mrn_system *s, const double *r, const double *u, double *f)
{
    double total = 0, size = DBL_EPSILON * DBL_EPSILON * mrn_system_dot(s, r, r);
    int64_t chunks = (s->n + CHUNK - 1) / CHUNK;
    for (int64_t c = 0; chunks <= 2 && c < chunks; c++)
        total += chunk_residual(s, c, r, u, f);
    if (chunks <= 2)
        return sqrt(total + size);
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < chunks; c++)
        s->partial[c] = chunk_residual(s, c, r, u, f);
    for (int64_t c = 0; c < chunks; c++)
        total += s->partial[c];
    return sqrt(total + size);
}

void mrn_system_project(const mrn_system *s, const double *y, double *p)
{
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++)
        if (s->law[i] == MRN_BILATERAL)
            memmove(p + i * b, y + i * b, (size_t)b * sizeof *p);
        else
            mrn_cone_project(s->lay, s->mu + i * MRN_FRICTION_GROUPS, y + i * b, p + i * b);
}
