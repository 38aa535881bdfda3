/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is this a contact problem at all? Sizes, numbers, signs, definiteness; and what it is like. */
#include <string.h>

#include "base/base.h"
#include "linalg/block_lu.h"
#include "solve/cone.h"
#include "solve/system.h"

/* ---- sizes and numbers ---- */

static mrn_status check_matrix(const mrn_bsr *a, const char *name, int rows, int cols, int br,
                               mrn_message *msg)
{
    if (a->start == NULL || a->col == NULL || a->value == NULL)
        return mrn_fail(msg, MRN_ERR_INPUT, "%s has no entries", name);
    if (a->rows != rows || a->br != br || (cols >= 0 && (a->cols != cols || a->bc != br))) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s has %d x %d blocks of %d x %d", name, a->rows, a->cols,
                 a->br, a->bc);
        return mrn_fail_expected(msg, "%d rows of blocks with %d rows each", rows, br);
    }
    for (int i = 0; i < rows; i++) {
        if (a->start[i] > a->start[i + 1] || a->start[0] != 0)
            return mrn_fail(msg, MRN_ERR_INPUT, "row %d of %s begins after its end", i, name);
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->col[k] < 0 || a->col[k] >= a->cols)
                return mrn_fail(msg, MRN_ERR_INPUT, "row %d of %s has a block in column %d of %d",
                                i, name, a->col[k], a->cols);
            else if (k > a->start[i] && a->col[k] <= a->col[k - 1])
                return mrn_fail(msg, MRN_ERR_INPUT, "columns of row %d of %s do not ascend", i,
                                name);
        for (int64_t k = a->start[i] * br * a->bc; k < a->start[i + 1] * br * a->bc; k++)
            if (!isfinite(a->value[k]))
                return mrn_fail(msg, MRN_ERR_INPUT, "%s of contact %d holds a number that is %s",
                                name, i, isnan(a->value[k]) ? "not a number" : "infinite");
    }
    return MRN_OK;
}

mrn_status mrn_problem_check_velocities(const mrn_problem *p, mrn_message *msg)
{
    int block = mrn_contact_layout_of(p->kind)->block;
    if (p->q == NULL)
        return mrn_fail(msg, MRN_ERR_INPUT, "the problem has no velocities q");
    for (int64_t k = 0; k < (int64_t)p->n * block; k++)
        if (!isfinite(p->q[k]))
            return mrn_fail(msg, MRN_ERR_INPUT, "q of contact %lld is not finite",
                            (long long)(k / block));
    return MRN_OK;
}

static mrn_status check_vectors(const mrn_problem *p, mrn_message *msg)
{
    static const char *const friction[] = {"friction", "rolling friction", "pivoting friction"};
    const mrn_contact_layout *lay = mrn_contact_layout_of(p->kind);
    mrn_status st = mrn_problem_check_velocities(p, msg);
    if (st != MRN_OK)
        return st;
    for (int g = 0; g < lay->groups; g++) {
        if (p->mu[g] == NULL)
            return mrn_fail(msg, MRN_ERR_INPUT, "the problem has no coefficients of %s",
                            friction[g]);
        for (int i = 0; i < p->n; i++)
            if (!(p->mu[g][i] >= 0) || !isfinite(p->mu[g][i])) {
                mrn_fail(msg, MRN_ERR_INPUT, "%s %g of contact %d", friction[g], p->mu[g][i], i);
                return mrn_fail_expected(msg, "a finite number that is not negative");
            }
    }
    for (int i = 0; p->cohesion != NULL && i < p->n; i++)
        if (!(p->cohesion[i] >= 0) || !isfinite(p->cohesion[i])) {
            mrn_fail(msg, MRN_ERR_INPUT, "cohesion %g of contact %d", p->cohesion[i], i);
            return mrn_fail_expected(msg, "a finite number that is not negative");
        }
    for (int i = 0; p->law != NULL && i < p->n; i++)
        if (p->law[i] > MRN_BILATERAL)
            return mrn_fail(msg, MRN_ERR_INPUT, "contact %d has the unknown law %d", i, p->law[i]);
    return MRN_OK;
}

/* ---- definiteness ---- */

/* Smallest x . A x / x . x over the pivots of a symmetric elimination of the block's symmetric
   part, relative to its trace: negative for an indefinite block. */
static double least_pivot(int b, const double *a)
{
    double m[MRN_CONTACT_BLOCK_MAX][MRN_CONTACT_BLOCK_MAX], trace = 0, least = INFINITY;
    for (int r = 0; r < b; r++) {
        for (int c = 0; c < b; c++)
            m[r][c] = 0.5 * (a[c * b + r] + a[r * b + c]);
        trace += fabs(m[r][r]);
    }
    if (!(trace > 0))
        return 0;
    for (int k = 0; k < b; k++) {
        least = fmin(least, m[k][k] / trace);
        for (int r = k + 1; m[k][k] > 0 && r < b; r++)
            for (int c = k + 1; c < b; c++)
                m[r][c] -= m[r][k] * m[k][c] / m[k][k];
    }
    return least;
}

static mrn_status check_diagonal(const mrn_problem *p, mrn_message *msg)
{
    int b = p->W.br;
    for (int i = 0; i < p->n; i++) {
        int64_t at = mrn_bsr_find(&p->W, i, i);
        const double *w = at < 0 ? NULL : p->W.value + at * b * b;
        if (w == NULL || !(w[0] > 0)) {
            mrn_fail(msg, MRN_ERR_INPUT, "W has %s for the normal direction of contact %d",
                     w == NULL ? "no diagonal block" : "no positive diagonal entry", i);
            return mrn_fail_hint(msg,
                                 "a contact between two fixed bodies has no place in a problem");
        }
        if (least_pivot(b, w) < -1e-6)
            return mrn_fail(msg, MRN_ERR_INPUT, "the diagonal block of contact %d is not positive",
                            i);
    }
    return MRN_OK;
}

static mrn_status check_masses(const mrn_problem *p, mrn_message *msg)
{
    int dof = p->Ht.bc;
    for (int64_t i = 0; i < p->Ht.cols; i++) {
        const double *m = p->minv + i * dof * dof;
        for (int k = 0; k < dof * dof; k++)
            if (!isfinite(m[k]))
                return mrn_fail(msg, MRN_ERR_INPUT, "the inverse mass of body %lld is not finite",
                                (long long)i);
        if (dof <= MRN_CONTACT_BLOCK_MAX && least_pivot(dof, m) < -1e-6)
            return mrn_fail(msg, MRN_ERR_INPUT, "the inverse mass of body %lld is not positive",
                            (long long)i);
    }
    return MRN_OK;
}

/* y = 1/2 (W + Wᵀ) x */
static void symmetric_times(const mrn_bsr *w, const double *x, double *y)
{
    int b = w->br;
    memset(y, 0, (size_t)w->rows * (size_t)b * sizeof *y);
    for (int64_t i = 0; i < w->rows; i++)
        for (int64_t k = w->start[i]; k < w->start[i + 1]; k++) {
            const double *a = w->value + k * b * b;
            int64_t j = w->col[k];
            for (int c = 0; c < b; c++)
                for (int r = 0; r < b; r++) {
                    y[i * b + r] += 0.5 * a[c * b + r] * x[j * b + c];
                    y[j * b + c] += 0.5 * a[c * b + r] * x[i * b + r];
                }
        }
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

/* Number of eigenvalues below x of a symmetric tridiagonal matrix (Sturm). */
static int below(int n, const double *a, const double *b, double x)
{
    int count = 0;
    double d = 1;
    for (int k = 0; k < n; k++) {
        d = a[k] - x - (k > 0 ? b[k - 1] * b[k - 1] / d : 0);
        if (d == 0)
            d = 1e-300;
        count += d < 0;
    }
    return count;
}

/* The k-th eigenvalue (0: least) by bisection. */
static double tridiagonal_eigenvalue(int n, const double *a, const double *b, int k)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < n; i++) {
        double off = (i > 0 ? fabs(b[i - 1]) : 0) + (i < n - 1 ? fabs(b[i]) : 0);
        lo = fmin(lo, a[i] - off), hi = fmax(hi, a[i] + off);
    }
    for (int pass = 0; pass < 100 && hi > lo; pass++) {
        double mid = lo + 0.5 * (hi - lo);
        if (below(n, a, b, mid) > k)
            hi = mid;
        else
            lo = mid;
    }
    return 0.5 * (lo + hi);
}

/* Extreme eigenvalues of the symmetric part of W by Lanczos with full orthogonalisation. Ritz
   values lie between the extremes: a negative one proves that W is indefinite. */
enum { LANCZOS = 48 };
static mrn_status find_extremes(const mrn_bsr *w, double *least, double *most, mrn_message *msg)
{
    int64_t n = (int64_t)w->rows * w->br;
    int steps = n < LANCZOS ? (int)n : LANCZOS, done = 0;
    double *v = NULL, a[LANCZOS], b[LANCZOS];
    mrn_status st = mrn_array(&v, (steps + 1) * n, sizeof *v, msg);
    if (st != MRN_OK)
        return st;
    mrn_rng rng = mrn_rng_seed(1, 0);
    for (int64_t k = 0; k < n; k++)
        v[k] = mrn_rng_normal(&rng);
    double norm = sqrt(dot(n, v, v));
    for (int64_t k = 0; k < n; k++)
        v[k] /= norm;
    for (int j = 0; j < steps; j++) {
        double *x = v + j * n, *y = v + (j + 1) * n;
        symmetric_times(w, x, y);
        a[j] = dot(n, x, y);
        done = j + 1;
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i <= j; i++) {
                double c = dot(n, v + i * n, y);
                for (int64_t k = 0; k < n; k++)
                    y[k] -= c * v[i * n + k];
            }
        b[j] = sqrt(dot(n, y, y));
        if (!(b[j] > 1e-14 * fabs(a[0])))
            break;
        for (int64_t k = 0; k < n; k++)
            y[k] /= b[j];
    }
    *least = tridiagonal_eigenvalue(done, a, b, 0);
    *most = tridiagonal_eigenvalue(done, a, b, done - 1);
    mrn_free(v);
    return MRN_OK;
}

/* ---- how many eigenvalues are zero: Sylvester's law of inertia ---- */

/* The symmetric part S of W as single numbers, the diagonal apart. Pivots that are nearly zero are
   the rule here: as numbers they do no harm, since what they multiply is nearly zero as well;
   inverted within blocks they would. */
typedef struct split {
    int64_t *start;
    int32_t *col;
    double *diag, *off;
} split;

static void split_row(const mrn_bsr *w, int i, int r, split *x, int64_t *m)
{
    int b = w->br;
    for (int64_t k = w->start[i]; k < w->start[i + 1]; k++) {
        int64_t j = w->col[k], mirror = mrn_bsr_find(w, (int)j, i);
        for (int c = 0; c < b; c++) {
            double t = mirror < 0 ? 0 : w->value[(mirror * b + r) * b + c];
            double value = 0.5 * (w->value[(k * b + c) * b + r] + t);
            if (j == i && c == r)
                x->diag[(int64_t)i * b + r] = value;
            else if (value != 0)
                x->col[*m] = (int32_t)(j * b + c), x->off[(*m)++] = value;
        }
    }
}

static mrn_status split_symmetric(const mrn_bsr *w, split *x, mrn_message *msg)
{
    int64_t n = (int64_t)w->rows * w->br, entries = w->start[w->rows] * w->br * w->br, m = 0;
    mrn_status st = mrn_array(&x->start, n + 1, sizeof *x->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&x->col, entries, sizeof *x->col, msg);
    if (st == MRN_OK)
        st = mrn_array(&x->diag, n, sizeof *x->diag, msg);
    if (st == MRN_OK)
        st = mrn_array(&x->off, entries, sizeof *x->off, msg);
    for (int i = 0; st == MRN_OK && i < w->rows; i++)
        for (int r = 0; r < w->br; r++) {
            split_row(w, i, r, x, &m);
            x->start[(int64_t)i * w->br + r + 1] = m;
        }
    return st;
}

enum { MOST_FLOPS = 1000000000, MOST_FILL = 20000000, MOST_NUMBERS = 60000 };
/* Eigenvalues of S below `shift`: as many as S - shift I has negative pivots. */
static mrn_status count_redundant(const mrn_bsr *w, double mean, int64_t *redundant,
                                  mrn_message *msg)
{
    split x = {0};
    mrn_block_lu lu = {0};
    int64_t n = (int64_t)w->rows * w->br;
    *redundant = -1;
    if (n > MOST_NUMBERS) /* even the order of elimination would take long */
        return MRN_OK;
    mrn_status st = split_symmetric(w, &x, msg);
    if (st == MRN_OK)
        st = mrn_block_lu_make_within(MOST_FILL, (int)n, 1, x.start, x.col, &lu, msg);
    bool fits = st != MRN_ERR_RANGE;
    st = fits ? st : MRN_OK;
    if (st == MRN_OK && fits && lu.flops < MOST_FLOPS) {
        for (int64_t k = 0; k < n; k++)
            x.diag[k] -= 1e-10 * mean;
        mrn_block_lu_factor(&lu, x.diag, x.off, x.start, NULL);
        *redundant = 0;
        for (int64_t k = 0; k < n; k++)
            *redundant += lu.pivot[k] < 0;
    }
    mrn_block_lu_release(&lu);
    mrn_free(x.start), mrn_free(x.col), mrn_free(x.diag), mrn_free(x.off);
    return st;
}

/* ---- what it is like ---- */

static double find_asymmetry(const mrn_bsr *w)
{
    int b = w->br;
    double most = 0, top = 0;
    for (int i = 0; i < w->rows; i++)
        for (int64_t k = w->start[i]; k < w->start[i + 1]; k++) {
            int64_t mirror = mrn_bsr_find(w, w->col[k], i);
            const double *x = w->value + k * b * b;
            const double *y = mirror < 0 ? NULL : w->value + mirror * b * b;
            for (int c = 0; c < b; c++)
                for (int r = 0; r < b; r++) {
                    double other = y != NULL ? y[r * b + c] : 0;
                    top = fmax(top, fabs(x[c * b + r]));
                    most = fmax(most, fabs(x[c * b + r] - other));
                }
        }
    return top > 0 ? most / top : 0;
}

static void count_laws(const mrn_problem *p, mrn_problem_facts *f)
{
    f->friction_min = INFINITY;
    for (int i = 0; i < p->n; i++) {
        bool bilateral = p->law != NULL && p->law[i] == MRN_BILATERAL;
        f->bilateral += bilateral;
        f->frictionless += !bilateral && p->mu[MRN_SLIDING][i] == 0;
        f->friction_min = fmin(f->friction_min, p->mu[MRN_SLIDING][i]);
        f->friction_max = fmax(f->friction_max, p->mu[MRN_SLIDING][i]);
    }
    if (p->n == 0)
        f->friction_min = 0;
}

static double diagonal_mean(const mrn_problem *p)
{
    int b = p->W.br, forces = mrn_contact_layout_of(p->kind)->dimension;
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        for (int c = 0; c < forces; c++)
            sum += p->W.value[mrn_bsr_find(&p->W, i, i) * b * b + c * b + c];
    return p->n > 0 ? sum / ((double)p->n * forces) : 0;
}

static mrn_status look(const mrn_problem *p, mrn_problem_facts *f, mrn_message *msg)
{
    int64_t unknowns = (int64_t)p->n * mrn_contact_layout_of(p->kind)->block;
    f->contacts = p->n;
    f->bodies = p->Ht.rows == p->n && p->n > 0 ? p->Ht.cols : 0;
    count_laws(p, f);
    f->redundant = -1;
    f->hyperstatic = f->bodies > 0 && unknowns > (int64_t)p->Ht.cols * p->Ht.bc;
    f->asymmetry = f->eigen_min = f->eigen_max = f->diagonal_mean = NAN;
    if (p->W.rows != p->n || p->n == 0)
        return MRN_OK;
    f->blocks = p->W.start[p->n];
    f->asymmetry = find_asymmetry(&p->W);
    f->diagonal_mean = diagonal_mean(p);
    mrn_status st = find_extremes(&p->W, &f->eigen_min, &f->eigen_max, msg);
    if (st != MRN_OK)
        return st;
    /* six digits, as some text formats keep, may make a singular W slightly indefinite */
    if (f->eigen_min < -1e-5 * f->eigen_max) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "W is indefinite: its symmetric part has an eigenvalue of %.3g or less, the "
                 "largest is %.3g",
                 f->eigen_min, f->eigen_max);
        return mrn_fail_expected(msg, "a positive semi-definite W = Hᵀ M⁻¹ H");
    }
    st = count_redundant(&p->W, f->diagonal_mean, &f->redundant, msg);
    f->hyperstatic = f->hyperstatic || f->redundant > 0;
    return st;
}

mrn_status mrn_problem_check(const mrn_problem *p, mrn_problem_facts *facts, mrn_message *msg)
{
    mrn_problem_facts own, *f = facts != NULL ? facts : &own;
    *f = (mrn_problem_facts){0};
    if (p->kind < 0 || p->kind >= MRN_CONTACT_KINDS || p->n < 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "a problem of unknown kind %d with %d contacts",
                        (int)p->kind, p->n);
    int b = mrn_contact_layout_of(p->kind)->block;
    bool blocks = p->W.rows > 0, bodies = p->Ht.rows > 0;
    if (p->n > 0 && !blocks && !bodies)
        return mrn_fail(msg, MRN_ERR_INPUT, "the problem has neither W nor H and M");
    mrn_status st = MRN_OK;
    if (p->n > 0)
        st = check_vectors(p, msg);
    if (st == MRN_OK && blocks)
        st = check_matrix(&p->W, "W", p->n, p->n, b, msg);
    if (st == MRN_OK && bodies)
        st = check_matrix(&p->Ht, "H", p->n, -1, b, msg);
    if (st == MRN_OK && bodies && p->minv == NULL)
        st = mrn_fail(msg, MRN_ERR_INPUT, "the problem has H but no inverse masses");
    if (st == MRN_OK && bodies && p->Ht.bc > MRN_CONTACT_BLOCK_MAX)
        st = mrn_fail(msg, MRN_ERR_INPUT, "bodies of %d degrees of freedom; at most %d are known",
                      p->Ht.bc, MRN_CONTACT_BLOCK_MAX);
    if (st == MRN_OK && blocks)
        st = check_diagonal(p, msg);
    if (st == MRN_OK && bodies)
        st = check_masses(p, msg);
    return st == MRN_OK ? look(p, f, msg) : st;
}
