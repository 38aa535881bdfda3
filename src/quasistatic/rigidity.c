/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a contact network can bear and how it can move: rank of G, mechanisms, self-stress. The rank
   comes from a rank-revealing QR, or for large networks from eigenvalues; mechanisms known
   beforehand are a lower bound of k that holds whatever the rounding does. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/rigidity.h"

/* Unknowns. QR of a 3D network of 64,000 takes 25 s and 1.6 GB, about as much as the factorisation
   that eigenvalues need; both grow as the square and the 4/3 power of that number. */
#define QR_LIMIT 60000
/* Eigenvalues of GᵀG are exact to 1e-16 of the largest, singular values hence to 1e-8 of it. */
#define EIGEN_TOLERANCE 1e-6
/* Motions below are rounding, in basis vectors of unit length. */
#define QR_ACCURACY    1e-7
#define EIGEN_ACCURACY 1e-5

mrn_rigidity_options mrn_rigidity_default(void)
{
    return (mrn_rigidity_options){.most_modes = 200, .most_self = 50, .decompose = true};
}

void mrn_rigidity_release(mrn_rigidity *r)
{
    mrn_free(r->modes);
    mrn_free(r->mechanism);
    mrn_free(r->self);
    *r = (mrn_rigidity){0};
}

typedef struct job {
    const mrn_net *net;
    mrn_rigidity_options opt;
    mrn_rigidity *out;
    mrn_sparse g;
    mrn_known known;
    int64_t columns; /* of the basis */
    double *basis;   /* of the null space of G, or of its part beside the known mechanisms */
    double accuracy;
    mrn_status status; /* MRN_OK, or the first thing that has to be said */
    mrn_message *msg;
} job;

/* An outcome that has to be stated does not end the analysis; the first of them is stated. */
static mrn_status note(job *j, mrn_status st, const mrn_message *said)
{
    if (st <= MRN_OK) {
        if (st < MRN_OK && j->msg != NULL)
            *j->msg = *said;
        return st;
    }
    if (j->status == MRN_OK) {
        j->status = st;
        if (j->msg != NULL)
            *j->msg = *said;
    }
    return MRN_OK;
}

/* ---- rank ---- */

static void set_rank(job *j, int64_t rank)
{
    mrn_rigidity *out = j->out;
    out->rank = rank;
    out->hypostatic = out->unknowns - rank;
    out->hyperstatic = out->rows - rank;
}

/* Largest |A v| over the columns of a basis. */
static mrn_status largest_image(const mrn_sparse *a, bool transposed, int64_t columns,
                                const double *basis, double *most, mrn_message *msg)
{
    int64_t n = transposed ? a->rows : a->cols, m = transposed ? a->cols : a->rows;
    double *image = NULL;
    mrn_status st = mrn_array(&image, m, sizeof *image, msg);
    *most = 0;
    for (int64_t c = 0; st == MRN_OK && c < columns; c++) {
        double sum = 0;
        if (transposed)
            mrn_sparse_times_t(a, basis + c * n, image);
        else
            mrn_sparse_times(a, basis + c * n, image);
        for (int64_t i = 0; i < m; i++)
            sum += image[i] * image[i];
        *most = fmax(*most, sqrt(sum));
    }
    mrn_free(image);
    return st;
}

static mrn_status uncertain(const mrn_rigidity *r, const char *what, mrn_message *msg)
{
    return mrn_fail(msg, MRN_NOT_CONVERGED,
                    "the rank of G, %lld, is not certain: %.400s (smallest counted in %.1e, "
                    "largest counted out %.1e, tolerance %.1e)",
                    (long long)r->rank, what, r->smallest_in, r->largest_out, r->tolerance);
}

/* The two bases come from two factorisations, of G and of its transpose: their sizes must fit one
   rank, and G must not see them. */
static mrn_status check_bases(const job *j, const mrn_rank *r, mrn_message *msg)
{
    double right = 0, left = 0;
    mrn_status st = largest_image(&j->g, false, r->n_right, r->right, &right, msg);
    if (st == MRN_OK)
        st = largest_image(&j->g, true, r->n_left, r->left, &left, msg);
    if (st != MRN_OK)
        return st;
    if ((r->n_right > 0 && r->n_right != j->out->hypostatic) ||
        (r->n_left > 0 && r->n_left != j->out->hyperstatic))
        return uncertain(j->out, "the null spaces of G and its transpose do not fit each other",
                         msg);
    if (fmax(right, left) > QR_ACCURACY * j->known.column)
        return uncertain(j->out, "vectors of the null spaces are not in them", msg);
    return MRN_OK;
}

static void keep_bases(job *j, mrn_rank *r)
{
    if (r->n_right > 0 && r->n_right <= j->opt.most_modes) {
        j->columns = r->n_right;
        j->basis = r->right;
        r->right = NULL;
    }
    if (r->n_left > 0 && r->n_left <= j->opt.most_self) {
        j->out->n_self = (int)r->n_left;
        j->out->self = r->left;
        r->left = NULL;
    }
}

/* Bases that cannot be small enough are not asked for: each costs a factorisation. */
static mrn_status rank_by_qr(job *j, mrn_message *msg)
{
    mrn_rank r = {0};
    mrn_rigidity *out = j->out;
    int64_t modes = j->opt.most_modes, self = j->opt.most_self, known = j->known.dimension;
    bool right = modes > 0 && known <= modes && out->unknowns - out->rows <= modes;
    bool left = self > 0 && out->rows - out->unknowns + known <= self;
    mrn_status st =
        mrn_rank_of(&j->g, j->opt.tolerance, right, left, modes > self ? modes : self, &r, msg);
    if (st >= MRN_OK) {
        set_rank(j, r.rank);
        out->tolerance = r.tolerance;
        out->smallest_in = r.smallest_in;
        out->largest_out = r.largest_out;
        j->accuracy = QR_ACCURACY;
        if (st > MRN_OK) {
            mrn_message why = *msg;
            st = note(j, uncertain(out, why.text, msg), msg);
        } else {
            st = note(j, check_bases(j, &r, msg), msg);
        }
        keep_bases(j, &r);
    }
    mrn_rank_release(&r);
    return st;
}

static mrn_status rank_by_eigenvalues(job *j, mrn_message *msg)
{
    mrn_counted found = {0};
    mrn_rigidity *out = j->out;
    out->by_eigenvalues = true;
    out->tolerance = j->opt.tolerance > 0 ? j->opt.tolerance : EIGEN_TOLERANCE;
    mrn_status st = mrn_count_by_eigenvalues(&j->g, &j->known, out->tolerance, &found, msg);
    if (st >= MRN_OK) {
        set_rank(j, out->unknowns - j->known.dimension - found.others);
        out->smallest_in = found.smallest_in;
        out->largest_out = found.largest_out;
        j->accuracy = EIGEN_ACCURACY;
        j->columns = found.others;
        j->basis = found.basis;
        found.basis = NULL;
    }
    mrn_free(found.basis);
    return note(j, st, msg);
}

static mrn_status find_rank(job *j, mrn_message *msg)
{
    mrn_rigidity *out = j->out;
    int64_t limit = j->opt.qr_limit > 0 ? j->opt.qr_limit : QR_LIMIT;
    if (out->rows == 0 || out->unknowns == 0) {
        set_rank(j, 0); /* every unknown is a mechanism, and known */
        return MRN_OK;
    }
    mrn_status st = out->unknowns <= limit ? rank_by_qr(j, msg) : rank_by_eigenvalues(j, msg);
    if (st != MRN_OK)
        return st;
    if (out->hypostatic < j->known.dimension)
        return note(j, uncertain(out, "more mechanisms are known than it leaves", msg), msg);
    if (out->hyperstatic < 0)
        return note(j, uncertain(out, "it exceeds the number of rows", msg), msg);
    return MRN_OK;
}

/* ---- the whole ---- */

static mrn_status analyse(job *j, mrn_message *msg)
{
    mrn_rigidity *out = j->out;
    mrn_status st = mrn_net_matrix(j->net, &j->g, msg);
    if (st == MRN_OK)
        st = mrn_known_make(j->net, &j->g, &j->known, msg);
    if (st != MRN_OK)
        return st;
    out->trivial = j->known.n_trivial;
    out->divalent = j->known.divalent;
    st = find_rank(j, msg);
    bool whole = out->hypostatic == j->known.dimension || j->columns > 0;
    if (st == MRN_OK && whole && out->hypostatic >= j->known.dimension &&
        out->hypostatic <= j->opt.most_modes)
        st = note(j,
                  mrn_rigidity_modes(j->net, &j->g, &j->known, j->columns, j->basis, j->accuracy,
                                     out, msg),
                  msg);
    if (st == MRN_OK && j->opt.decompose)
        st = note(j, mrn_rigidity_forces(j->net, &j->g, &j->known, out, msg), msg);
    return st;
}

mrn_status mrn_rigidity_of(const mrn_net *net, const mrn_rigidity_options *opt, mrn_rigidity *out,
                           mrn_message *msg)
{
    mrn_message said = {0};
    job j = {.net = net, .out = out, .msg = msg};
    j.opt = opt != NULL ? *opt : mrn_rigidity_default();
    *out = (mrn_rigidity){.unknowns = net->n_unknowns, .rows = net->n_rows};
    out->admissible = out->residual = out->self_part = out->unsupported = NAN;
    if (j.opt.most_modes < 0 || j.opt.most_self < 0 || j.opt.qr_limit < 0 ||
        !(j.opt.tolerance >= 0 && j.opt.tolerance < 1))
        return mrn_fail(msg, MRN_ERR_RANGE,
                        "options of the rigidity analysis: sizes are 0 or more, the tolerance is "
                        "0 (chosen) or below 1");
    mrn_status st = analyse(&j, &said);
    if (st < MRN_OK && msg != NULL)
        *msg = said;
    mrn_sparse_release(&j.g);
    mrn_known_release(&j.known);
    mrn_free(j.basis);
    if (st < MRN_OK) {
        mrn_rigidity_release(out);
        return st;
    }
    return j.status;
}
