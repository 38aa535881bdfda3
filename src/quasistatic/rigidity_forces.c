/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forces there are, as forces that bear the load, self-stress and the rest. The forces closest
   to f with Gᵀ f' = -F are f + d, d the shortest with Gᵀ d = -b, b = Gᵀ f + F. Conjugate gradients
   on G Gᵀ d = -G b stay in the range of G from d = 0 on: they end in the shortest d, and leave of b
   exactly what no forces can bear, its part on mechanisms. The same with F = 0 gives the forces
   closest to f that bear nothing: its part of self-stress. Networks close to isostatic are too soft
   for conjugate gradients; they are solved again with a factorisation. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/rigidity.h"

/* Relative residual of the solution. b is known to rounding of f only, 1e-15 |f|. */
#define SOLVED  1e-12
#define ENOUGH  1e-8
#define NOTHING 1e-14
/* Shift of the factorisation, of the square of the largest column: well above rounding, so that it
   goes through, and below the softest motions. */
#define SHIFT 1e-11

enum { MOST = 4000 }; /* conjugate gradients */

typedef struct forces {
    const mrn_sparse *g;
    const mrn_known *known;
    double *f, *b, *d, *c, *along, *room;
} forces;

static double norm(int64_t n, const double *a)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static void times(void *user, const double *x, double *y)
{
    forces *w = user;
    mrn_sparse_times_t(w->g, x, w->along);
    mrn_sparse_times(w->g, w->along, y);
}

static mrn_status make(const mrn_sparse *g, forces *w, mrn_message *msg)
{
    double **rows[] = {&w->f, &w->d, &w->c}, **cols[] = {&w->b, &w->along};
    mrn_status st = mrn_array(&w->room, 4 * g->rows, sizeof(double), msg);
    w->g = g;
    for (int k = 0; st == MRN_OK && k < 3; k++)
        st = mrn_array(rows[k], g->rows, sizeof(double), msg);
    for (int k = 0; st == MRN_OK && k < 2; k++)
        st = mrn_array(cols[k], g->cols, sizeof(double), msg);
    return st;
}

static void release(forces *w)
{
    double *all[] = {w->f, w->d, w->c, w->b, w->along, w->room};
    for (int k = 0; k < 6; k++)
        mrn_free(all[k]);
}

/* ---- by a factorisation ---- */

/* x in room, with GᵀG x = b as far as possible: x grows by (H + shift)⁻¹ (b - GᵀG x), H with known
   mechanisms held, which forces that do not work on them do not feel. What remains is on other
   mechanisms, and G does not see it. Returns |G r| over |G b|; b becomes the rest r. */
static double refine(forces *w, mrn_llt *factor, mrn_status *st, mrn_message *msg)
{
    const mrn_sparse *g = w->g;
    int64_t n = g->cols;
    double *step = w->along, first = norm(g->rows, w->c), now = 1, before = INFINITY;
    for (int round = 0; round < 50 && now > SOLVED && now < 0.9 * before; round++) {
        *st = mrn_llt_solve(factor, 1, w->b, step, msg);
        if (*st != MRN_OK)
            return now;
        mrn_sparse_times(g, step, w->c);
        for (int64_t r = 0; r < g->rows; r++)
            w->d[r] -= w->c[r];
        mrn_sparse_times_t(g, w->c, step);
        for (int64_t i = 0; i < n; i++)
            w->b[i] -= step[i];
        mrn_sparse_times(g, w->b, w->c);
        before = now, now = norm(g->rows, w->c) / first;
    }
    return now;
}

/* As `shortest`, from d = 0. */
static mrn_status shortest_by_factor(forces *w, double *residual, mrn_message *msg)
{
    mrn_sparse lower = {0};
    mrn_llt factor = {0};
    int64_t n = w->g->cols;
    double column = w->known->column, *whole = NULL;
    memset(w->d, 0, (size_t)w->g->rows * sizeof *w->d);
    mrn_status st = mrn_array(&whole, n, sizeof *whole, msg);
    if (st == MRN_OK)
        st = mrn_held_square(w->g, w->known, &lower, msg);
    if (st == MRN_OK)
        st = mrn_llt_make(&lower, &factor, msg);
    if (st == MRN_OK)
        st = mrn_llt_numeric(&factor, &lower, SHIFT * column * column, msg);
    if (st == MRN_OK) {
        memcpy(whole, w->b, (size_t)n * sizeof *whole);
        mrn_known_off(w->known, w->b);
        for (int64_t i = 0; i < n; i++)
            whole[i] -= w->b[i]; /* the part on known mechanisms */
        *residual = refine(w, &factor, &st, msg);
        for (int64_t i = 0; i < n; i++)
            w->b[i] += whole[i];
    }
    mrn_llt_release(&factor);
    mrn_sparse_release(&lower);
    mrn_free(whole);
    return st;
}

/* ---- both ---- */

/* The shortest d with Gᵀ d = -b as far as possible; b becomes Gᵀ d + b. */
static mrn_status shortest(forces *w, double size, mrn_message *msg)
{
    const mrn_sparse *g = w->g;
    memset(w->d, 0, (size_t)g->rows * sizeof *w->d);
    mrn_sparse_times(g, w->b, w->c);
    for (int64_t r = 0; r < g->rows; r++)
        w->c[r] = -w->c[r];
    if (norm(g->cols, w->b) <= NOTHING * size || norm(g->rows, w->c) <= NOTHING * size)
        return MRN_OK;
    mrn_cg_report report = mrn_cg(g->rows, times, NULL, w, SOLVED, MOST, w->c, w->d, w->room);
    if (report.converged || report.residual <= ENOUGH) {
        mrn_sparse_times_t(g, w->d, w->along);
        for (int64_t i = 0; i < g->cols; i++)
            w->b[i] += w->along[i];
        return MRN_OK;
    }
    double residual = 1;
    mrn_status st = shortest_by_factor(w, &residual, msg);
    bool soft = st == MRN_ERR_RANGE; /* not positive definite in spite of the shift */
    if (!soft && (st != MRN_OK || residual <= ENOUGH))
        return st;
    return mrn_fail(msg, MRN_NOT_CONVERGED,
                    "the forces could not be decomposed: conjugate gradients left a residual of "
                    "%.1e after %d steps, a factorisation %.1e",
                    report.residual, report.iterations, residual);
}

static double sum_norm(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (a[i] + b[i]) * (a[i] + b[i]);
    return sqrt(sum);
}

/* Self-stress from its basis where there is a whole one: no iteration. */
static double self_from_basis(const mrn_rigidity *r, const double *f)
{
    double sum = 0;
    for (int c = 0; c < r->n_self; c++) {
        double part = 0;
        for (int64_t i = 0; i < r->rows; i++)
            part += r->self[c * r->rows + i] * f[i];
        sum += part * part;
    }
    return sqrt(sum);
}

static mrn_status decompose(const mrn_net *net, forces *w, mrn_rigidity *out, mrn_message *msg)
{
    int64_t rows = net->n_rows, cols = net->n_unknowns;
    mrn_net_forces(net, w->f);
    mrn_net_residual(net, w->f, w->b);
    double size = norm(rows, w->f), load = norm(cols, net->load);
    mrn_status st = shortest(w, size > 0 ? size : load, msg);
    out->unsupported = load > 0 ? norm(cols, w->b) / load : 0;
    if (size > 0) {
        out->admissible = sum_norm(rows, w->f, w->d) / size;
        out->residual = norm(rows, w->d) / size;
    }
    if (st != MRN_OK || !(size > 0))
        return st;
    if (out->n_self == out->hyperstatic) {
        out->self_part = self_from_basis(out, w->f) / size;
        return MRN_OK;
    }
    mrn_net_resultant(net, w->f, w->b);
    st = shortest(w, size, msg);
    out->self_part = sum_norm(rows, w->f, w->d) / size;
    return st;
}

mrn_status mrn_rigidity_forces(const mrn_net *net, const mrn_sparse *g, const mrn_known *known,
                               mrn_rigidity *out, mrn_message *msg)
{
    forces w = {.known = known};
    mrn_status st = make(g, &w, msg);
    if (st == MRN_OK)
        st = decompose(net, &w, out, msg);
    release(&w);
    return st;
}
