/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is the equilibrium stable? Yes when the second-order work u . K(u) . u is positive for every
   motion u but those that cost nothing, i.e. when no eigenvalue of the symmetric part is negative
   (M. R. Kuhn and C. S. Chang 2006).

   All unknowns are lengths (rotations times the mean radius, strains times their scale), so that
   eigenvalues are stiffnesses and are given over the mean kn. Another choice of lengths would
   change their values but not how many of them are negative, zero and positive (Sylvester).

   Contacts at Coulomb's limit have two forms of stiffness, and which one holds depends on the
   motion. Two numbers enclose the smallest second-order work then. From above: motions u found by
   turns: statuses, their lowest eigenvectors, the statuses that these motions ask for (in either
   sense, the worse counts), until statuses repeat; what is reported is the work that a motion costs
   with the statuses it asks for itself. From below: a stiffness that is under that of all choices
   (stability_status.c), and where that leaves the answer open and the network is not too large,
   under that of parts of them (stability_bound.c). All choices being stable is also what makes the
   answer to any small change of load unique (S. McNamara and H. J. Herrmann 2006).

   Tolerance. Eigenvalues are computed to 1e-12 of |K|, which is some ten mean kn, and rounding in
   the sums of K is of 1e-15 of it: 1e-9 is well above both and far below what grains have: the
   geometric part, the smallest thing that can matter, is of F / (R kn), 1e-3 to 1e-6. The residual
   of every eigenpair is measured and, should one be larger, the tolerance is raised to it: an
   eigenvalue lies within its residual. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/stability.h"

#define MOST_ROUNDS 20
#define MOST_RIGID  6

typedef struct pairs {
    mrn_eigen e;   /* values in N/m, ascending; with contacts at the limit: the work achieved     */
    bool *trivial; /* a motion of the whole                                                       */
    double lowest; /* of those that are not trivial; INFINITY: all are                            */
    bool fixed;    /* the lowest asks for the very statuses of the matrix                         */
} pairs;

typedef struct study {
    const mrn_net *net;
    bool geometric, weak; /* weak: eigenvalues that did not converge                              */
    int64_t n;            /* unknowns                                                             */
    int want;
    double tolerance, kn;
    double slack; /* over kn: what a missing equilibrium can add to the work of a rigid motion */
    double *rigid, *room;
    int n_rigid;
    char rigid_name[MOST_RIGID][64];
    mrn_critical critical;
    mrn_net_status *status;
    mrn_sparse elastic; /* contacts at the limit sticking                                         */
    bool *slides, *best_slides;
    int rounds;
    uint64_t seen[MOST_ROUNDS];
    pairs found;
    double bound; /* N/m */
} study;

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void release_pairs(pairs *p)
{
    mrn_eigen_release(&p->e);
    mrn_free(p->trivial);
    *p = (pairs){0};
}

static void release_study(study *s)
{
    mrn_free(s->rigid);
    mrn_free(s->room);
    mrn_critical_release(&s->critical);
    mrn_free(s->status);
    mrn_sparse_release(&s->elastic);
    mrn_free(s->slides);
    mrn_free(s->best_slides);
    release_pairs(&s->found);
}

/* ---- motions of the whole ---- */

/* The motions given are unit vectors, not orthogonal in general. */
static void find_rigid(study *s)
{
    int n = mrn_net_rigid_motions(s->net, s->rigid, s->rigid_name);
    for (int j = 0; j < n; j++) {
        double *r = s->rigid + j * s->n;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < s->n_rigid; i++) {
                const double *q = s->rigid + i * s->n;
                double c = dot(s->n, q, r);
                for (int64_t k = 0; k < s->n; k++)
                    r[k] -= c * q[k];
            }
        double length = sqrt(dot(s->n, r, r));
        if (length < 1e-6)
            continue; /* not another one: rotations of grains on a line */
        double *to = s->rigid + s->n_rigid * s->n;
        for (int64_t k = 0; k < s->n; k++)
            to[k] = r[k] / length;
        if (s->n_rigid != j)
            memcpy(s->rigid_name[s->n_rigid], s->rigid_name[j], sizeof s->rigid_name[j]);
        s->n_rigid++;
    }
}

/* Part of a unit motion in those of the whole, 0…1; `which`: the one it is most like. */
static double rigid_part(const study *s, const double *u, int *which)
{
    double sum = 0, most = -1;
    for (int j = 0; j < s->n_rigid; j++) {
        double c = dot(s->n, s->rigid + j * s->n, u);
        sum += c * c;
        if (c * c > most)
            most = c * c, *which = j;
    }
    return sum;
}

/* Where forces do not balance, turning the whole by an angle a works up to a^2 sum |R| |x|, R the
   residual and x from the centre, on a motion of length a |x|: at most |R| / |x| per unit. Twice
   that is let pass: such a motion is an eigenvector only nearly. */
static mrn_status measure_slack(study *s, mrn_message *msg)
{
    const mrn_net *net = s->net;
    double *f = NULL, mean[3] = {0}, spread = 0;
    mrn_status st = mrn_array(&f, net->n_rows, sizeof *f, msg);
    if (st != MRN_OK)
        return st;
    mrn_net_forces(net, f);
    mrn_net_residual(net, f, s->room);
    mrn_free(f);
    for (int64_t i = 0; i < 3 * (int64_t)net->n; i++)
        mean[i % 3] += net->x[i] / net->n;
    for (int64_t i = 0; i < 3 * (int64_t)net->n; i++)
        spread += (net->x[i] - mean[i % 3]) * (net->x[i] - mean[i % 3]);
    spread += net->rotations ? net->n * net->length * net->length : 0;
    s->slack = spread > 0 ? 2 * sqrt(dot(s->n, s->room, s->room) / spread) / s->kn : 0;
    return MRN_OK;
}

/* ---- eigenpairs ---- */

/* An eigenvalue lies within |K v - lambda v| of lambda. */
static void measure_accuracy(study *s, const mrn_sparse *k, const pairs *p)
{
    for (int j = 0; j < p->e.n; j++) {
        const double *v = p->e.vector + j * s->n;
        double sum = 0;
        mrn_sparse_times_symmetric(k, v, s->room);
        for (int64_t i = 0; i < s->n; i++) {
            double r = s->room[i] - p->e.value[j] * v[i];
            sum += r * r;
        }
        s->tolerance = fmax(s->tolerance, sqrt(sum) / s->kn);
    }
}

/* q (m x m, by columns): its first `t` columns are orthonormal; makes the others so, each from the
   unit vector that has most left. */
static void complete(int m, int t, double *q)
{
    for (int c = t; c < m; c++) {
        int pick = 0;
        double most = -1;
        for (int i = 0; i < m; i++) {
            double left = 1;
            for (int k = 0; k < c; k++)
                left -= q[k * m + i] * q[k * m + i];
            if (left > most)
                most = left, pick = i;
        }
        double *v = q + c * m;
        for (int i = 0; i < m; i++)
            v[i] = i == pick;
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < c; k++) {
                double d = dot(m, q + k * m, v);
                for (int i = 0; i < m; i++)
                    v[i] -= d * q[k * m + i];
            }
        double length = sqrt(dot(m, v, v));
        for (int i = 0; i < m; i++)
            v[i] /= length;
    }
}

/* Columns of q: motions of the whole in terms of the m vectors z. Those less than half in their
   span are not among them. Returns how many there are. */
static int rigid_within(const study *s, int m, const double *z, double *q)
{
    int t = 0;
    for (int j = 0; j < s->n_rigid && t < m; j++) {
        double *c = q + t * m;
        for (int i = 0; i < m; i++)
            c[i] = dot(s->n, z + i * s->n, s->rigid + j * s->n);
        for (int k = 0; k < t; k++) {
            double d = dot(m, q + k * m, c);
            for (int i = 0; i < m; i++)
                c[i] -= d * q[k * m + i];
        }
        double length = sqrt(dot(m, c, c));
        for (int i = 0; i < m; i++)
            c[i] /= length > 0 ? length : 1;
        t += length * length > 0.5;
    }
    return t;
}

/* Eigenvectors of what costs nothing are any basis of that space: turned so that motions of the
   whole come first and the rest is free of them. Their values, zero within the tolerance all of
   them, stay as they are. */
static mrn_status separate(study *s, pairs *p, mrn_message *msg)
{
    int from = 0, to;
    while (from < p->e.n && p->e.value[from] < -s->tolerance * s->kn)
        from++;
    for (to = from; to < p->e.n && p->e.value[to] <= s->tolerance * s->kn;)
        to++;
    int m = to - from, t;
    double *q = NULL, *z = p->e.vector + from * s->n;
    mrn_status st = mrn_array(&q, (int64_t)m * (m + 1), sizeof *q, msg);
    if (st != MRN_OK || m == 0) {
        mrn_free(q);
        return st;
    }
    t = rigid_within(s, m, z, q);
    complete(m, t, q);
    double *row = q + m * m;
    for (int64_t i = 0; i < s->n; i++) {
        for (int k = 0; k < m; k++)
            row[k] = z[k * s->n + i];
        for (int k = 0; k < m; k++)
            z[k * s->n + i] = dot(m, row, q + k * m);
    }
    for (int k = 0; k < t; k++)
        p->trivial[from + k] = true;
    mrn_free(q);
    return MRN_OK;
}

static mrn_status find_pairs(study *s, const mrn_sparse *k, pairs *p, mrn_message *msg)
{
    int which;
    *p = (pairs){.lowest = INFINITY};
    mrn_status st = mrn_eigen_smallest(k, NULL, s->want, 1e-12, &p->e, msg);
    if (st < 0)
        return st;
    s->weak = s->weak || st == MRN_NOT_CONVERGED;
    st = mrn_array(&p->trivial, p->e.n, sizeof *p->trivial, msg);
    if (st != MRN_OK)
        return st;
    measure_accuracy(s, k, p);
    st = separate(s, p, msg);
    for (int j = 0; st == MRN_OK && j < p->e.n; j++) {
        bool small = fabs(p->e.value[j]) <= fmax(s->slack, s->tolerance) * s->kn;
        if (!p->trivial[j] && small && rigid_part(s, p->e.vector + j * s->n, &which) > 0.9)
            p->trivial[j] = true;
        if (!p->trivial[j])
            p->lowest = fmin(p->lowest, p->e.value[j]);
    }
    return st;
}

static mrn_status assemble(const study *s, mrn_sparse *out, mrn_message *msg)
{
    const mrn_stiffness_options opt = {.geometric = s->geometric, .sliding = true};
    return mrn_net_stiffness_matrix(s->net, &opt, s->status, out, msg);
}

/* ---- contacts at the limit ---- */

/* Work of a mode in the worse of its two senses, with the statuses it asks for; the mode is turned
   into that sense. */
static double achieved(study *s, double *u)
{
    mrn_sparse_times_symmetric(&s->elastic, u, s->room);
    double base = dot(s->n, u, s->room);
    double forth = mrn_critical_work(s->net, &s->critical, u, 1, NULL);
    double back = mrn_critical_work(s->net, &s->critical, u, -1, s->slides);
    if (back < forth) {
        for (int64_t i = 0; i < s->n; i++)
            u[i] = -u[i];
        return base + back;
    }
    mrn_critical_work(s->net, &s->critical, u, 1, s->slides);
    return base + forth;
}

/* Replaces eigenvalues by the work achieved; statuses of the lowest go to best_slides. */
static void judge(study *s, pairs *p)
{
    p->lowest = INFINITY;
    for (int j = 0; j < p->e.n; j++) {
        if (p->trivial[j])
            continue;
        double before = p->e.value[j], now = achieved(s, p->e.vector + j * s->n);
        p->e.value[j] = now;
        if (!(now < p->lowest))
            continue;
        p->lowest = now;
        p->fixed = fabs(now - before) <= s->tolerance * s->kn;
        memcpy(s->best_slides, s->slides, (size_t)s->critical.n * sizeof *s->slides);
    }
}

static bool seen_before(study *s)
{
    uint64_t h =
        mrn_hash(MRN_HASH_START, s->status, (size_t)s->net->n_contacts * sizeof *s->status);
    for (int k = 0; k < s->rounds; k++)
        if (s->seen[k] == h)
            return true;
    s->seen[s->rounds] = h;
    return false;
}

static mrn_status one_round(study *s, mrn_message *msg)
{
    mrn_sparse k = {0};
    pairs p = {0};
    mrn_status st = assemble(s, &k, msg);
    if (st == MRN_OK)
        st = find_pairs(s, &k, &p, msg);
    if (st == MRN_OK) {
        judge(s, &p);
        if (s->found.e.value == NULL || p.lowest < s->found.lowest) {
            pairs keep = s->found;
            s->found = p, p = keep;
        }
    }
    mrn_sparse_release(&k);
    release_pairs(&p);
    return st;
}

/* From all of them sliding (or sticking) until statuses repeat. */
static mrn_status follow(study *s, mrn_net_status start, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int64_t i = 0; i < s->critical.n; i++)
        s->status[s->critical.contact[i]] = start;
    while (st == MRN_OK && s->rounds < MOST_ROUNDS && !seen_before(s)) {
        s->rounds++;
        st = one_round(s, msg);
        for (int64_t i = 0; i < s->critical.n; i++)
            s->status[s->critical.contact[i]] = s->best_slides[i] ? MRN_NET_SLIDES : MRN_NET_STICKS;
    }
    return st;
}

/* Sharpening the bound takes many eigenproblems: as many as large networks leave time for. */
static int affordable(const study *s)
{
    int64_t most = 200000 / s->n;
    return (int)(most < 256 ? most : 256);
}

static mrn_status find_bound(study *s, int most, mrn_message *msg)
{
    mrn_status st = mrn_critical_bound(s->net, &s->critical, &s->elastic, s->tolerance * s->kn,
                                       most, &s->bound, msg);
    s->weak = s->weak || st == MRN_NOT_CONVERGED;
    return st < 0 ? st : MRN_OK;
}

/* ---- the answer ---- */

static void swap_modes(study *s, int a, int b)
{
    pairs *p = &s->found;
    double x = p->e.value[a], *u = p->e.vector + a * s->n, *v = p->e.vector + b * s->n;
    bool t = p->trivial[a];
    p->e.value[a] = p->e.value[b], p->e.value[b] = x;
    p->trivial[a] = p->trivial[b], p->trivial[b] = t;
    for (int64_t i = 0; i < s->n; i++)
        x = u[i], u[i] = v[i], v[i] = x;
}

static void sort_modes(study *s)
{
    for (int a = 0; a < s->found.e.n; a++) {
        int least = a;
        for (int b = a + 1; b < s->found.e.n; b++)
            if (s->found.e.value[b] < s->found.e.value[least])
                least = b;
        if (least != a)
            swap_modes(s, a, least);
    }
}

/* Grains that move by more than a hundredth of the one that moves most. */
static int32_t moving(const mrn_net *net, const double *u, int32_t *most)
{
    double top = -1;
    int32_t n = 0;
    *most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < net->n; i++) {
            double size =
                dot(net->dofs, u + mrn_net_unknown(net, i, 0), u + mrn_net_unknown(net, i, 0));
            if (pass == 0 && size > top)
                top = size, *most = i;
            n += pass == 1 && size > 1e-4 * top;
        }
    return n;
}

static void say_unstable(const study *s, mrn_stability *out)
{
    int k = 0, which = 0;
    while (s->found.trivial[k])
        k++;
    const double *u = out->mode + k * s->n;
    int32_t most, n = moving(s->net, u, &most);
    int at = snprintf(out->verdict, sizeof out->verdict,
                      "unstable: negative second-order work along mode %d, %.3g of the mean normal "
                      "stiffness: ",
                      k, out->value[k]);
    if (rigid_part(s, u, &which) > 0.9)
        snprintf(out->verdict + at, sizeof out->verdict - (size_t)at, "the whole moves (%s)",
                 s->rigid_name[which]);
    else
        snprintf(out->verdict + at, sizeof out->verdict - (size_t)at,
                 "%d of %d grains move, body %d most", (int)n, (int)s->net->n,
                 s->net->n > 0 ? (int)s->net->body[most] : -1);
}

/* Where all that was found costs nothing there may be more, and motions of the whole are then mixed
   with others: as many as there are of them are taken off. */
static void say_mechanisms(const study *s, bool more, const mrn_stability *out, char *to,
                           size_t size)
{
    int64_t rigid = more ? s->n_rigid : 0;
    for (int k = 0; !more && k < out->n; k++)
        rigid += s->found.trivial[k];
    int64_t n = out->zero - rigid;
    if (n > 0)
        snprintf(to, size, "; %s%lld mechanism%s nothing", more ? "at least " : "", (long long)n,
                 n == 1 ? " costs" : "s cost");
}

static void say_stable(const study *s, mrn_stability *out)
{
    int first = 0;
    while (first < out->n && (s->found.trivial[first] || fabs(out->value[first]) <= out->tolerance))
        first++;
    int at = snprintf(out->verdict, sizeof out->verdict, "stable: no negative second-order work%s",
                      out->geometric ? "" : " (without the geometric part)");
    if (out->critical > 0)
        at += snprintf(out->verdict + at, sizeof out->verdict - (size_t)at,
                       ", whichever of %lld contact%s at the limit slide", (long long)out->critical,
                       out->critical == 1 ? "" : "s");
    if (first < out->n)
        at += snprintf(out->verdict + at, sizeof out->verdict - (size_t)at,
                       "; the smallest is %.3g of the mean normal stiffness", out->value[first]);
    say_mechanisms(s, first == out->n && out->n < s->n, out, out->verdict + at,
                   sizeof out->verdict - (size_t)at);
}

static void say(const study *s, mrn_stability *out)
{
    if (out->negative > 0)
        say_unstable(s, out);
    else if (out->stable)
        say_stable(s, out);
    else if (s->weak)
        snprintf(out->verdict, sizeof out->verdict,
                 "cannot tell: only %d of %d eigenvalues converged", out->n, s->want);
    else
        snprintf(out->verdict, sizeof out->verdict,
                 "cannot tell: %lld contact%s; the smallest second-order work is between %.3g and "
                 "%.3g of the mean normal stiffness",
                 (long long)out->critical, out->critical == 1 ? " slides" : "s slide", out->bound,
                 isfinite(s->found.lowest) ? s->found.lowest / s->kn : 0.0);
}

static void count(const study *s, mrn_stability *out)
{
    for (int k = 0; k < out->n; k++) {
        bool zero = s->found.trivial[k] || fabs(out->value[k]) <= out->tolerance;
        out->zero += zero;
        out->negative += !zero && out->value[k] < 0;
    }
    /* motions of the whole stand for themselves: their noise is not an instability */
    double least = fmin(out->bound, out->n > 0 ? out->value[0] : 0);
    bool below = out->critical > 0 && least < -fmax(out->tolerance, s->slack);
    out->stable = out->negative == 0 && !below && !s->weak;
}

/* Values and modes change hands; those beyond what was asked for are let go. */
static void hand_over(study *s, int asked, mrn_stability *out)
{
    mrn_eigen *e = &s->found.e;
    out->tolerance = s->tolerance;
    out->critical = s->critical.n;
    out->worst = out->critical > 0 && s->found.fixed;
    out->n = e->n;
    out->value = e->value, out->mode = e->vector;
    e->value = NULL, e->vector = NULL;
    for (int k = 0; k < out->n; k++)
        out->value[k] /= s->kn;
    out->bound = out->critical > 0 ? s->bound / s->kn : out->n > 0 ? out->value[0] : 0;
    count(s, out);
    say(s, out);
    if (asked > 0 && asked < out->n)
        out->n = asked;
    double *less = mrn_realloc(out->mode, (size_t)(out->n * s->n) * sizeof *less);
    out->mode = less != NULL ? less : out->mode;
}

static mrn_status prepare(study *s, int asked, mrn_message *msg)
{
    mrn_status st = mrn_array(&s->rigid, MOST_RIGID * s->n, sizeof *s->rigid, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->room, s->n, sizeof *s->room, msg);
    if (st == MRN_OK)
        st = mrn_critical_of(s->net, &s->critical, msg);
    if (st == MRN_OK)
        st = mrn_net_sticking(s->net, &s->status, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->slides, s->critical.n, sizeof *s->slides, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->best_slides, s->critical.n, sizeof *s->best_slides, msg);
    if (st != MRN_OK)
        return st;
    find_rigid(s);
    int64_t want = asked > 0 ? asked : 6 + s->n_rigid;
    want = want > s->n_rigid ? want : s->n_rigid + 1; /* one at least that is not of the whole */
    s->want = (int)(want < s->n ? want : s->n);
    if (s->geometric && s->n_rigid > 0)
        st = measure_slack(s, msg);
    return st == MRN_OK ? assemble(s, &s->elastic, msg) : st;
}

static mrn_status solve(study *s, mrn_message *msg)
{
    if (s->critical.n == 0)
        return find_pairs(s, &s->elastic, &s->found, msg);
    mrn_status st = find_bound(s, 1, msg);
    if (st == MRN_OK)
        st = follow(s, MRN_NET_SLIDES, msg);
    /* nothing can be below the bound: no need to look from the other side */
    if (st == MRN_OK && s->found.lowest > s->bound + s->tolerance * s->kn)
        st = follow(s, MRN_NET_STICKS, msg);
    bool open = s->bound < -s->tolerance * s->kn && s->found.lowest >= -s->tolerance * s->kn;
    if (st == MRN_OK && open && affordable(s) > 2)
        st = find_bound(s, affordable(s), msg);
    if (st == MRN_OK)
        sort_modes(s);
    return st;
}

static mrn_status check(const mrn_net *net, bool geometric, double kn, mrn_message *msg)
{
    if (!(kn > 0) || !isfinite(kn))
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "the mean normal stiffness of the contacts is %g N/m: no stiffness matrix",
                        kn);
    if (geometric && !net->forces_known) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "the geometric stiffness needs contact forces, which are not "
                 "known in this network");
        return mrn_fail_hint(msg, "leave the geometric part out");
    }
    return MRN_OK;
}

static mrn_status nothing(mrn_stability *out)
{
    out->stable = true;
    snprintf(out->verdict, sizeof out->verdict, "nothing to judge: no contact bears a force");
    return MRN_OK;
}

mrn_status mrn_stability_of(const mrn_net *net, const mrn_stability_options *opt,
                            mrn_stability *out, mrn_message *msg)
{
    const mrn_stability_options o = opt != NULL ? *opt : (mrn_stability_options){0};
    study s = {.net = net, .geometric = o.geometric, .n = net->n_unknowns};
    memset(out, 0, sizeof *out);
    out->geometric = o.geometric;
    out->tolerance = s.tolerance = o.tolerance > 0 ? o.tolerance : 1e-9;
    s.kn = mrn_net_mean_kn(net);
    bool bears = false;
    for (int64_t k = 0; k < net->n_contacts; k++)
        bears = bears || net->element[k].status != MRN_NET_OPEN;
    if (net->n_unknowns == 0 || !bears)
        return nothing(out);
    mrn_status st = check(net, o.geometric, s.kn, msg);
    if (st == MRN_OK)
        st = prepare(&s, o.want, msg);
    if (st == MRN_OK)
        st = solve(&s, msg);
    if (st == MRN_OK) {
        hand_over(&s, o.want, out);
        if (s.weak)
            st = mrn_fail(msg, MRN_NOT_CONVERGED, "%s", out->verdict);
    }
    release_study(&s);
    return st;
}

void mrn_stability_release(mrn_stability *s)
{
    if (s == NULL)
        return;
    mrn_free(s->value);
    mrn_free(s->mode);
    memset(s, 0, sizeof *s);
}
