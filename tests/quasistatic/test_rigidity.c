/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank, mechanisms and self-stress of networks where they are known: triangles, lattices, chains,
   random networks against dense elimination; forces taken apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "by_hand.h"
#include "moraine/quasistatic.h"
#include "quasistatic/net.h"
#include "quasistatic/rigidity.h"

/* ---- networks ---- */

enum { GRAINS = 512, CONTACTS = 3000 };

typedef struct draft {
    int dimension;
    int32_t n;
    int64_t m;
    double x[3 * GRAINS], radius[GRAINS];
    hand_contact contact[CONTACTS];
    double cell[3];
    bool periodic, frictionless;
} draft;

static draft *new_draft(int dimension, bool frictionless)
{
    draft *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->dimension = dimension;
    d->frictionless = frictionless;
    return d;
}

static int32_t put(draft *d, double x, double y, double z, double r)
{
    assert_true(d->n < GRAINS);
    double *at = d->x + 3 * d->n;
    at[0] = x, at[1] = y, at[2] = z;
    d->radius[d->n] = r;
    return d->n++;
}

static hand_contact *touch(draft *d, int32_t c, int32_t a)
{
    assert_true(d->m < CONTACTS);
    hand_contact *k = &d->contact[d->m++];
    *k = (hand_contact){.c = c, .a = a, .global = -1, .kn = 1};
    k->kt = d->frictionless ? 0 : 1;
    k->friction = d->frictionless ? 0 : 0.5;
    k->force[0] = 1;
    return k;
}

/* The ground, which lies against n. */
static hand_contact *ground(draft *d, int32_t c, double nx, double ny, double nz)
{
    hand_contact *k = touch(d, c, -1);
    k->n = mrn_unit(mrn_v3(nx, ny, nz));
    return k;
}

/* All pairs that touch, to a tolerance of 1e-6 of the diameter. */
static void touch_all(draft *d)
{
    for (int32_t i = 0; i < d->n; i++)
        for (int32_t j = 0; j < i; j++) {
            double sum = 0;
            for (int k = 0; k < d->dimension; k++) {
                double l = d->x[3 * i + k] - d->x[3 * j + k];
                if (d->periodic)
                    l -= d->cell[k] * rint(l / d->cell[k]);
                sum += l * l;
            }
            if (sqrt(sum) < (d->radius[i] + d->radius[j]) * (1 + 1e-6))
                touch(d, i, j);
        }
}

/* `strains`: those of the cell are unknowns. */
static mrn_net make(draft *d, bool strains)
{
    mrn_net net;
    mrn_message msg = {0};
    mrn_status st = hand_make(d->dimension, d->n, d->x, d->radius, d->m, d->contact,
                              d->periodic ? d->cell : NULL, NULL, d->frictionless, &net, &msg);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    if (!strains) {
        net.n_unknowns -= net.n_globals;
        net.n_globals = 0;
    }
    return net;
}

/* ---- checks ---- */

/* Rank by elimination with full pivoting; pivots of these small networks are above 1e-6 or below
   1e-12, 1e-9 lies between. */
static int64_t dense_rank(int64_t rows, int64_t cols, double *a)
{
    int64_t rank = 0;
    for (; rank < rows && rank < cols; rank++) {
        int64_t br = rank, bc = rank;
        for (int64_t c = rank; c < cols; c++)
            for (int64_t r = rank; r < rows; r++)
                if (fabs(a[c * rows + r]) > fabs(a[bc * rows + br]))
                    br = r, bc = c;
        double pivot = a[bc * rows + br];
        if (fabs(pivot) < 1e-9)
            break;
        for (int64_t c = 0; c < cols; c++) {
            double x = a[c * rows + br];
            a[c * rows + br] = a[c * rows + rank], a[c * rows + rank] = x;
        }
        for (int64_t r = 0; r < rows; r++) {
            double x = a[bc * rows + r];
            a[bc * rows + r] = a[rank * rows + r], a[rank * rows + r] = x;
        }
        for (int64_t c = rank + 1; c < cols; c++) {
            double s = a[c * rows + rank] / pivot;
            for (int64_t r = rank; s != 0 && r < rows; r++)
                a[c * rows + r] -= s * a[rank * rows + r];
        }
    }
    return rank;
}

static int64_t rank_of_net(const mrn_net *net)
{
    mrn_sparse g;
    assert_int_equal(mrn_net_matrix(net, &g, NULL), MRN_OK);
    double *a = calloc((size_t)(g.rows * g.cols) + 1, sizeof *a);
    for (int64_t j = 0; j < g.cols; j++)
        for (int64_t e = g.start[j]; e < g.start[j + 1]; e++)
            a[j * g.rows + g.row[e]] += g.value[e];
    int64_t rank = dense_rank(g.rows, g.cols, a);
    free(a);
    mrn_sparse_release(&g);
    return rank;
}

static double length_of(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* All modes are unit vectors that no contact feels, and independent. The motions of chains of ten
   grains are exact to 1e-12; eigenvectors of GᵀG to the root of rounding. */
static void check_modes(const mrn_net *net, const mrn_rigidity *r)
{
    int64_t n = net->n_unknowns;
    double most = r->by_eigenvalues ? 1e-6 : 1e-9;
    double *rel = calloc((size_t)net->n_rows + 1, sizeof *rel);
    double *copy = calloc((size_t)(n * r->n_modes) + 1, sizeof *copy);
    assert_int_equal(r->n_modes, r->hypostatic);
    bool seen = false;
    for (int k = 0; k < r->n_modes; k++) {
        const mrn_mechanism *m = &r->mechanism[k];
        assert_ptr_equal(m->u, r->modes + k * n);
        assert_true(fabs(length_of(n, m->u) - 1) < 1e-9);
        mrn_net_relative(net, m->u, rel);
        if (length_of(net->n_rows, rel) > most)
            fail_msg("'%s' is felt by contacts: %g", m->what, length_of(net->n_rows, rel));
        assert_true(strlen(m->what) > 0);
        seen = seen || m->trivial;
        assert_true(m->trivial == seen); /* the others come first */
    }
    if (n * r->n_modes > 0)
        memcpy(copy, r->modes, (size_t)(n * r->n_modes) * sizeof *copy);
    assert_int_equal(dense_rank(n, r->n_modes, copy), r->n_modes);
    free(rel);
    free(copy);
}

static void check_self(const mrn_net *net, const mrn_rigidity *r)
{
    double *sum = calloc((size_t)net->n_unknowns + 1, sizeof *sum);
    assert_int_equal(r->n_self, r->hyperstatic);
    for (int k = 0; k < r->n_self; k++) {
        const double *s = r->self + k * r->rows;
        mrn_net_resultant(net, s, sum);
        assert_true(length_of(net->n_unknowns, sum) < 1e-9);
        for (int l = 0; l <= k; l++) {
            double dot = 0;
            for (int64_t i = 0; i < r->rows; i++)
                dot += s[i] * r->self[l * r->rows + i];
            assert_true(fabs(dot - (k == l)) < 1e-10);
        }
    }
    free(sum);
}

static mrn_rigidity_options everything(void)
{
    mrn_rigidity_options opt = mrn_rigidity_default();
    opt.most_modes = opt.most_self = 10000;
    return opt;
}

static mrn_rigidity analyse(const mrn_net *net, const mrn_rigidity_options *opt)
{
    mrn_rigidity r;
    mrn_message msg = {0};
    mrn_status st = mrn_rigidity_of(net, opt, &r, &msg);
    if (st != MRN_OK)
        fail_msg("%s", msg.text);
    assert_int_equal(r.unknowns + r.hyperstatic, r.rows + r.hypostatic);
    assert_int_equal(r.unknowns, net->n_unknowns);
    assert_int_equal(r.rows, net->n_rows);
    return r;
}

/* The whole analysis, by QR and by eigenvalues, against k and the dense rank (slow ones: not). */
static void expect(const mrn_net *net, int64_t k, int64_t trivial, bool dense)
{
    mrn_rigidity_options opt = everything();
    mrn_rigidity r = analyse(net, &opt);
    if (r.hypostatic != k)
        fail_msg("%lld mechanisms, expected %lld", (long long)r.hypostatic, (long long)k);
    assert_int_equal(r.trivial, trivial);
    if (dense)
        assert_int_equal(r.rank, rank_of_net(net));
    assert_false(r.by_eigenvalues);
    check_modes(net, &r);
    check_self(net, &r);
    opt.qr_limit = 1;
    mrn_rigidity e = analyse(net, &opt);
    assert_int_equal(e.rank, r.rank);
    assert_int_equal(e.divalent, r.divalent);
    assert_true(e.by_eigenvalues || net->n_rows == 0);
    check_modes(net, &e);
    if (net->n_rows > 0) {
        assert_true(e.smallest_in > 10 * e.tolerance);
        assert_true(e.largest_out < 0.1 * e.tolerance);
    }
    /* self-stress from its basis, and by conjugate gradients */
    if (net->forces_known)
        assert_true(fabs(e.self_part - r.self_part) < 1e-7);
    mrn_rigidity_release(&e);
    mrn_rigidity_release(&r);
}

static const mrn_mechanism *named(const mrn_rigidity *r, const char *what)
{
    for (int k = 0; k < r->n_modes; k++)
        if (strcmp(r->mechanism[k].what, what) == 0)
            return &r->mechanism[k];
    for (int k = 0; k < r->n_modes; k++)
        print_message("has '%s'\n", r->mechanism[k].what);
    fail_msg("no mechanism is called '%s'", what);
    return NULL;
}

/* ---- known networks ---- */

static void put_triangle(draft *d, double x, double y)
{
    put(d, x, y, 0, 0.5);
    put(d, x + 1, y, 0, 0.5);
    put(d, x + 0.5, y + sqrt(0.75), 0, 0.5);
}

static void triangle(void **state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        draft *d = new_draft(2, smooth);
        put_triangle(d, 0, 0);
        touch_all(d);
        mrn_net net = make(d, false);
        assert_int_equal(net.n_unknowns, smooth ? 6 : 9);
        assert_int_equal(net.n_rows, smooth ? 3 : 6);
        expect(&net, 3, 3, true);
        mrn_rigidity r = analyse(&net, NULL);
        assert_int_equal(r.hyperstatic, 0);
        named(&r, "translation along x");
        named(&r, "translation along y");
        named(&r, "rotation about z");
        /* the forces are their own answer to the load that balances them */
        assert_true(r.residual < 1e-12 && fabs(r.admissible - 1) < 1e-12);
        assert_true(r.self_part < 1e-12 && r.unsupported < 1e-12);
        mrn_rigidity_release(&r);
        mrn_net_release(&net);
        free(d);
    }
}

/* Four balls in free space: all six motions of the whole, and nothing else. */
static void tetrahedron(void **state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        draft *d = new_draft(3, smooth);
        put_triangle(d, 0, 0);
        put(d, 0.5, sqrt(0.75) / 3, sqrt(2.0 / 3), 0.5);
        touch_all(d);
        mrn_net net = make(d, false);
        expect(&net, 6, 6, true);
        mrn_rigidity r = analyse(&net, NULL);
        assert_int_equal(r.hyperstatic, net.n_rows + 6 - net.n_unknowns);
        named(&r, "translation along z");
        named(&r, "rotation about x");
        mrn_rigidity_release(&r);
        mrn_net_release(&net);
        free(d);
    }
}

static draft *square_lattice(int n, bool smooth)
{
    draft *d = new_draft(2, smooth);
    d->periodic = true;
    d->cell[0] = d->cell[1] = n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            put(d, i, j, 0, 0.5);
    touch_all(d);
    assert_int_equal(d->m, 2 * n * n);
    return d;
}

/* Without friction each row and each column slides by itself. With it none does; where rows have an
   even number of disks, all can turn, neighbours against each other. */
static void square(void **state)
{
    (void)state;
    for (int n = 3; n <= 6; n++) {
        draft *d = square_lattice(n, true);
        mrn_net net = make(d, false);
        expect(&net, 2 * n, 2, true);
        mrn_net_release(&net);
        net = make(d, true); /* xx and yy are held by the rows, xy by nothing */
        expect(&net, 2 * n + 1, 2, true);
        mrn_rigidity r = analyse(&net, NULL);
        named(&r, "cell.xy is not held");
        mrn_rigidity_release(&r);
        mrn_net_release(&net);
        free(d);
        d = square_lattice(n, false);
        net = make(d, false);
        expect(&net, n % 2 == 0 ? 3 : 2, 2, true);
        mrn_net_release(&net);
        free(d);
    }
}

/* Rows of disks, each shifted by half a diameter against the one below; n even. */
static draft *triangular_lattice(int n, bool smooth)
{
    draft *d = new_draft(2, smooth);
    d->periodic = true;
    d->cell[0] = n, d->cell[1] = n * sqrt(0.75);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            put(d, i + 0.5 * (j % 2), j * sqrt(0.75), 0, 0.5);
    touch_all(d);
    assert_int_equal(d->m, 3 * n * n);
    return d;
}

static void triangular(void **state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++)
        for (int strains = 0; strains < 2; strains++) {
            draft *d = triangular_lattice(6, smooth);
            mrn_net net = make(d, strains);
            expect(&net, 2, 2, true);
            mrn_net_release(&net);
            free(d);
        }
}

static void fcc(void **state)
{
    (void)state;
    static const double at[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    int n = 2;
    for (int smooth = 0; smooth < 2; smooth++) {
        draft *d = new_draft(3, smooth);
        d->periodic = true;
        d->cell[0] = d->cell[1] = d->cell[2] = n;
        for (int c = 0; c < n * n * n; c++)
            for (int k = 0; k < 4; k++)
                put(d, c % n + at[k][0], c / n % n + at[k][1], c / n / n + at[k][2], sqrt(0.125));
        touch_all(d);
        assert_int_equal(d->m, 24 * n * n * n);
        mrn_net net = make(d, true);
        expect(&net, 3, 3, true);
        mrn_net_release(&net);
        free(d);
    }
}

/* ---- single grains ---- */

static void sphere_between_two(void **state)
{
    (void)state;
    draft *d = new_draft(3, false);
    put(d, 0, 0, 0, 0.5);
    ground(d, 0, 1, 0, 0.5);
    ground(d, 0, -1, 0.1, 0.5);
    mrn_net net = make(d, false);
    expect(&net, 1, 0, true);
    mrn_rigidity r = analyse(&net, NULL);
    assert_int_equal(r.divalent, 1);
    assert_int_equal(r.hyperstatic, 1);
    assert_string_equal(r.mechanism[0].what, "grain 0 turns between its two contacts");
    assert_true(r.mechanism[0].share == 1);
    mrn_rigidity_release(&r);
    mrn_net_release(&net);
    ground(d, 0, 0, -1, 0.2); /* a third one holds it */
    net = make(d, false);
    expect(&net, 0, 0, true);
    mrn_net_release(&net);
    d->m = 2; /* so does resistance to rolling: it would turn about its second normal as well */
    d->contact[1].kr[0] = d->contact[1].kr[1] = 1;
    net = make(d, false);
    expect(&net, 0, 0, true);
    r = analyse(&net, NULL);
    assert_int_equal(r.divalent, 0);
    mrn_rigidity_release(&r);
    mrn_net_release(&net);
    free(d);
}

/* Disks in a row between two walls: they bear a thrust, and nothing across it. */
static draft *chain(int n, bool smooth)
{
    draft *d = new_draft(2, smooth);
    for (int i = 0; i < n; i++)
        put(d, i, 0, 0, 0.5);
    ground(d, 0, 1, 0, 0);
    for (int i = 1; i < n; i++)
        touch(d, i, i - 1);
    ground(d, n - 1, -1, 0, 0);
    return d;
}

static void chain_between_walls(void **state)
{
    (void)state;
    draft *d = chain(5, true);
    mrn_net net = make(d, false);
    /* no contact feels y: two combinations of it move the whole, along y and about z */
    expect(&net, 5, 2, true);
    mrn_rigidity r = analyse(&net, NULL);
    assert_int_equal(r.hyperstatic, 1);
    assert_int_equal(r.n_self, 1);
    assert_true(fabs(r.self_part - 1) < 1e-12);
    assert_true(r.residual < 1e-12);
    named(&r, "translation along y");
    /* K2 of a compressed chain: -N/r between disks r apart, 2 of them, over N/R */
    double before = 0;
    for (int k = 0; k < r.n_modes; k++)
        before = fmin(before, r.mechanism[k].second);
    assert_true(fabs(before + 1) < 1e-12);
    mrn_rigidity_release(&r);
    /* a load across is borne by nothing */
    for (int64_t i = 0; i < net.n_unknowns; i++)
        net.load[i] = i % 2;
    r = analyse(&net, NULL);
    assert_true(fabs(r.unsupported - 1) < 1e-12);
    assert_true(r.residual < 1e-12);
    /* along the chain it is: f = 1 on disk 2 has forces (3, 3, 3, -3, -3, -3)/6 added to 1 */
    memset(net.load, 0, (size_t)net.n_unknowns * sizeof *net.load);
    mrn_rigidity_release(&r);
    net.load[4] = 1;
    r = analyse(&net, NULL);
    assert_true(r.unsupported < 1e-12);
    assert_true(fabs(r.residual - 0.5) < 1e-12);
    assert_true(fabs(r.admissible - sqrt(1.25)) < 1e-12);
    mrn_rigidity_release(&r);
    mrn_net_release(&net);
    free(d);
    d = chain(5, false); /* disks that roll on each other: 15 unknowns, 12 rows */
    net = make(d, false);
    expect(&net, 15 - rank_of_net(&net), 0, true);
    mrn_net_release(&net);
    free(d);
}

static void floating_grain(void **state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        draft *d = new_draft(2, smooth);
        put_triangle(d, 0, 0);
        touch_all(d);
        put(d, 7, 3, 0, 0.5);
        mrn_net net = make(d, false);
        expect(&net, smooth ? 5 : 6, 3, true);
        mrn_rigidity r = analyse(&net, NULL);
        assert_true(named(&r, "grain 3 is not held along x")->share == 0.25);
        named(&r, "grain 3 is not held along y");
        if (!smooth)
            named(&r, "grain 3 is free to turn about z");
        mrn_rigidity_release(&r);
        mrn_net_release(&net);
        free(d);
    }
}

/* A triangle of disks that the ground holds, a pair that floats and a disk that rolls on the
   ground: two sets that move, in one null space. */
static mrn_net pair_and_roller(void)
{
    draft *d = new_draft(2, false);
    put_triangle(d, 0, 0);
    touch_all(d);
    ground(d, 0, 0, 1, 0);
    ground(d, 1, 0, 1, 0);
    int32_t a = put(d, 9, 9, 0, 0.5), b = put(d, 10, 9, 0, 0.5);
    touch(d, b, a);
    ground(d, put(d, -5, 5, 0, 0.5), 0, 1, 0);
    mrn_net net = make(d, false);
    free(d);
    return net;
}

/* Vectors that move the pair alone, and those that move the roller alone. */
static void count_sets(int n, const double *u, int *pair, int *alone)
{
    *pair = *alone = 0;
    for (int k = 0; k < n; k++, u += 18) {
        *pair += length_of(9, u) == 0 && length_of(3, u + 15) == 0 && length_of(6, u + 9) > 0.5;
        *alone += length_of(15, u) == 0 && length_of(3, u + 15) > 0.5;
    }
}

static void sets_apart(void **state)
{
    (void)state;
    mrn_net net = pair_and_roller();
    expect(&net, 5, 0, true);
    mrn_rigidity r = analyse(&net, NULL);
    int pair, alone;
    count_sets(r.n_modes, r.modes, &pair, &alone);
    assert_int_equal(pair, 4); /* three as one body, one of rolling */
    assert_int_equal(alone, 1);
    named(&r, "several grains: 3, 4");
    named(&r, "grain 5 alone");
    mrn_rigidity_release(&r);
    mrn_net_release(&net);
}

/* However a basis of the null space mixes the sets, they are found. */
static void sets_unmixed(void **state)
{
    (void)state;
    mrn_net net = pair_and_roller();
    mrn_rigidity r = analyse(&net, NULL);
    mrn_rng rng = mrn_rng_seed(3, 0);
    mrn_sparse g;
    mrn_known known;
    double mixed[5 * 18] = {0};
    int pair, alone;
    for (int c = 0; c < 5; c++)
        for (int k = 0; k < 5; k++) {
            double part = mrn_rng_normal(&rng);
            for (int i = 0; i < 18; i++)
                mixed[18 * c + i] += part * r.modes[18 * k + i];
        }
    assert_int_equal(mrn_orthonormalise(18, 5, mixed, 1e-3), 5);
    count_sets(5, mixed, &pair, &alone);
    assert_true(pair == 0 && alone == 0);
    assert_int_equal(mrn_net_matrix(&net, &g, NULL), MRN_OK);
    assert_int_equal(mrn_known_make(&net, &g, &known, NULL), MRN_OK);
    assert_int_equal(mrn_rigidity_split(&net, &g, &known, 5, mixed, 1e-7, NULL), MRN_OK);
    count_sets(5, mixed, &pair, &alone);
    assert_int_equal(pair, 4);
    assert_int_equal(alone, 1);
    mrn_known_release(&known);
    mrn_sparse_release(&g);
    mrn_rigidity_release(&r);
    mrn_net_release(&net);
}

/* With the whole free, what moves is distinguished from the body that most grains make. */
static void sets_apart_from_body(void **state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        draft *d = triangular_lattice(4, smooth);
        put(d, 50, 50, 0, 0.5); /* no cell for this one: its contact is given by hand */
        d->contact[d->m] = (hand_contact){0};
        hand_contact *k = touch(d, 16, 0);
        k->n = mrn_unit(mrn_v3(1, 2, 0));
        mrn_net net = make(d, false);
        /* smooth: it slides around; else it rolls */
        expect(&net, 3, 2, true);
        mrn_rigidity r = analyse(&net, NULL);
        assert_string_equal(r.mechanism[0].what, "grain 16 alone");
        assert_true(fabs(r.mechanism[0].share - 1.0 / 17) < 1e-12);
        mrn_rigidity_release(&r);
        mrn_net_release(&net);
        free(d);
    }
}

static void nothing(void **state)
{
    (void)state;
    draft *d = new_draft(2, false);
    mrn_net net = make(d, false);
    expect(&net, 0, 0, false);
    mrn_net_release(&net);
    for (int i = 0; i < 4; i++)
        put(d, i, i * i, 0, 0.5);
    net = make(d, false); /* no contact: every unknown is a mechanism */
    expect(&net, net.n_unknowns, 3, false);
    mrn_rigidity r = analyse(&net, NULL);
    assert_int_equal(r.rank, 0);
    assert_true(isnan(r.residual) && isnan(r.self_part) && r.unsupported == 0);
    assert_true(isnan(r.mechanism[0].second));
    mrn_rigidity_release(&r);
    net.load[1] = 2; /* nothing bears that */
    r = analyse(&net, NULL);
    assert_true(r.unsupported == 1);
    mrn_rigidity_release(&r);
    mrn_net_release(&net);
    d->n = 1; /* one disk: all of its motions are those of the whole */
    net = make(d, false);
    expect(&net, net.n_unknowns, net.n_unknowns, false);
    mrn_net_release(&net);
    free(d);
}

/* ---- random networks ---- */

static draft *random_draft(mrn_rng *rng)
{
    double pick[5];
    for (int k = 0; k < 5; k++)
        pick[k] = mrn_rng_uniform(rng);
    int dimension = pick[0] < 0.5 ? 2 : 3, n = 5 + (int)((dimension == 2 ? 35 : 15) * pick[1]);
    draft *d = new_draft(dimension, pick[2] < 0.4);
    d->periodic = pick[3] < 0.4;
    d->cell[0] = d->cell[1] = d->cell[2] = 10;
    for (int i = 0; i < n; i++) {
        double at[4];
        for (int k = 0; k < 4; k++)
            at[k] = mrn_rng_uniform(rng);
        put(d, 10 * at[0], 10 * at[1], dimension == 2 ? 0 : 10 * at[2], 0.5 + at[3]);
    }
    int contacts = (int)(n * (0.5 + 2.5 * pick[4]));
    for (int k = 0; k < contacts; k++) {
        double at[4];
        for (int l = 0; l < 4; l++)
            at[l] = mrn_rng_uniform(rng);
        int32_t c = (int32_t)(at[0] * n), a = (int32_t)(at[1] * n);
        if (at[2] < 0.1)
            ground(d, c, at[1] - 0.5, at[3] - 0.5, dimension == 2 ? 0 : at[2] - 0.05);
        else if (c != a)
            touch(d, c, a)->force[0] = at[3];
    }
    return d;
}

static void random_networks(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(20, 0);
    int64_t hyper = 0, hypo = 0, divalent = 0;
    for (int trial = 0; trial < 100; trial++) {
        draft *d = random_draft(&rng);
        mrn_net net = make(d, trial % 2 == 0);
        mrn_rigidity r = analyse(&net, NULL);
        int64_t k = net.n_unknowns - rank_of_net(&net);
        expect(&net, k, r.trivial, false);
        hyper += r.hyperstatic > 0, hypo += r.hypostatic > r.trivial, divalent += r.divalent;
        /* the load balances the forces: nothing is left over */
        if (net.forces_known) {
            assert_true(r.residual < 1e-9 && fabs(r.admissible - 1) < 1e-9);
            assert_true(r.unsupported < 1e-9);
        }
        mrn_rigidity_release(&r);
        mrn_net_release(&net);
        free(d);
    }
    /* the sample has all kinds */
    assert_true(hyper > 20 && hypo > 20 && divalent > 5);
}

/* Forces that bear the load plus G x: the second part is what is left over, since it is orthogonal
   to all self-stress and the first part is hence the closest that bears the load. */
static void forces_apart(void **state)
{
    (void)state;
    draft *d = triangular_lattice(6, false);
    mrn_net net = make(d, true);
    mrn_rng rng = mrn_rng_seed(5, 0);
    double *u = calloc((size_t)net.n_unknowns, sizeof *u);
    double *extra = calloc((size_t)net.n_rows, sizeof *extra);
    double *f = calloc((size_t)net.n_rows, sizeof *f);
    mrn_net_forces(&net, f);
    double first = length_of(net.n_rows, f), self[2];
    for (int64_t i = 0; i < net.n_unknowns; i++)
        u[i] = 0.01 * mrn_rng_normal(&rng);
    mrn_net_relative(&net, u, extra);
    for (int64_t k = 0; k < net.n_contacts; k++)
        for (int r = 0; r < net.element[k].rows; r++)
            net.element[k].force[r] += extra[net.element[k].row + r];
    mrn_net_forces(&net, f);
    double size = length_of(net.n_rows, f);
    mrn_rigidity_options opt = everything();
    for (int pass = 0; pass < 2; pass++) {
        mrn_rigidity r = analyse(&net, &opt);
        /* conjugate gradients end at 1e-12 of the residual; the condition is below 1e3 */
        assert_true(fabs(r.residual - length_of(net.n_rows, extra) / size) < 1e-9);
        assert_true(fabs(r.admissible - first / size) < 1e-9);
        assert_true(r.unsupported < 1e-9);
        self[pass] = r.self_part;
        mrn_rigidity_release(&r);
        opt.most_self = 0;
    }
    /* from the basis and without it. Equal forces on all bonds of the lattice are the stress of the
       cell, G times an isotropic strain: no self-stress, and G x adds none */
    assert_true(fabs(self[0] - self[1]) < 1e-9 && self[0] < 1e-9);
    net.element[0].force[0] += 0.2; /* one force of its own has some */
    opt = everything();
    for (int pass = 0; pass < 2; pass++) {
        mrn_rigidity r = analyse(&net, &opt);
        self[pass] = r.self_part;
        mrn_rigidity_release(&r);
        opt.most_self = 0;
    }
    assert_true(fabs(self[0] - self[1]) < 1e-9 && self[0] > 1e-3);
    free(u);
    free(extra);
    free(f);
    mrn_net_release(&net);
    free(d);
}

/* A wall that moves along x takes the place of one end of the ground. */
static void moving_wall(void **state)
{
    (void)state;
    for (int touched = 0; touched < 2; touched++) {
        draft *d = chain(3, true);
        d->m -= !touched;
        mrn_net net = make(d, false);
        if (touched)
            net.element[net.n_contacts - 1].global = 0;
        net.global[0] = (mrn_global){.kind = MRN_GLOBAL_WALL, .name = "lid", .scale = 1};
        net.global[0].direction = mrn_v3(1, 0, 0);
        net.n_globals = 1;
        net.n_unknowns++;
        mrn_free(net.load);
        net.load = mrn_alloc((size_t)net.n_unknowns * sizeof *net.load);
        net.load[net.n_unknowns - 1] = -1; /* it presses on the chain */
        mrn_rigidity_options opt = everything();
        mrn_rigidity r = analyse(&net, &opt);
        assert_int_equal(r.hyperstatic, 0);
        assert_int_equal(r.hypostatic, touched ? 3 : 4);
        assert_int_equal(r.rank, rank_of_net(&net));
        check_modes(&net, &r);
        if (!touched)
            named(&r, "lid is not held");
        assert_true(fabs(r.unsupported - !touched) < 1e-12);
        mrn_rigidity_release(&r);
        mrn_net_release(&net);
        free(d);
    }
}

/* ---- limits, trouble ---- */

static void bases_not_asked_for(void **state)
{
    (void)state;
    draft *d = square_lattice(4, true);
    mrn_net net = make(d, false);
    mrn_rigidity_options opt = mrn_rigidity_default();
    opt.most_modes = 7, opt.most_self = 0, opt.decompose = false;
    mrn_rigidity r = analyse(&net, &opt);
    assert_int_equal(r.hypostatic, 8);
    assert_int_equal(r.hyperstatic, 8);
    assert_int_equal(r.trivial, 2);
    assert_true(r.n_modes == 0 && r.modes == NULL && r.n_self == 0 && r.self == NULL);
    assert_true(isnan(r.residual) && isnan(r.self_part));
    mrn_rigidity_release(&r);
    mrn_rigidity_release(&r); /* twice is once */
    mrn_message msg = {0};
    opt.tolerance = -1;
    assert_int_equal(mrn_rigidity_of(&net, &opt, &r, &msg), MRN_ERR_RANGE);
    assert_true(strlen(msg.text) > 0);
    mrn_rigidity_release(&r);
    mrn_net_release(&net);
    free(d);
}

/* A tolerance in the middle of the singular values: the answer says that it is none. */
static void no_gap(void **state)
{
    (void)state;
    draft *d = triangular_lattice(6, false);
    mrn_net net = make(d, false);
    mrn_rigidity_options opt = everything();
    mrn_rigidity r;
    mrn_message msg = {0};
    opt.tolerance = 0.4;
    assert_int_equal(mrn_rigidity_of(&net, &opt, &r, &msg), MRN_NOT_CONVERGED);
    assert_non_null(strstr(msg.text, "not certain"));
    assert_non_null(strstr(msg.text, "smallest counted in"));
    assert_int_equal(r.unknowns + r.hyperstatic, r.rows + r.hypostatic);
    mrn_rigidity_release(&r);
    assert_int_equal(mrn_rigidity_of(&net, &opt, &r, NULL), MRN_NOT_CONVERGED);
    mrn_rigidity_release(&r);
    mrn_net_release(&net);
    free(d);
}

/* Networks of more than some hundred unknowns go through Lanczos in batches: 26 mechanisms. */
static void many_mechanisms(void **state)
{
    (void)state;
    draft *d = square_lattice(13, true);
    mrn_net net = make(d, false);
    mrn_rigidity_options opt = mrn_rigidity_default();
    opt.qr_limit = 1;
    mrn_rigidity r = analyse(&net, &opt);
    assert_int_equal(r.hypostatic, 26);
    assert_int_equal(r.hyperstatic, 26);
    check_modes(&net, &r);
    mrn_rigidity_release(&r);
    mrn_net_release(&net);
    free(d);
}

/* The same bits for any number of threads. */
static void threads(void **state)
{
    (void)state;
    draft *d = square_lattice(13, true);
    mrn_net net = make(d, true);
    mrn_rigidity r[2];
    size_t bytes = 0;
    for (int way = 0; way < 2; way++) {
        mrn_rigidity_options opt = everything();
        opt.qr_limit = way;
        for (int k = 0; k < 2; k++) {
            mrn_threads_set(k + 1);
            r[k] = analyse(&net, &opt);
        }
        mrn_threads_set(0);
        bytes = (size_t)(net.n_unknowns * r[0].n_modes) * sizeof(double);
        assert_true(r[0].n_modes == 27 && r[1].n_modes == 27);
        assert_memory_equal(r[0].modes, r[1].modes, bytes);
        assert_true(r[0].self_part == r[1].self_part && r[0].residual == r[1].residual);
        mrn_rigidity_release(&r[0]);
        mrn_rigidity_release(&r[1]);
    }
    mrn_net_release(&net);
    free(d);
}

static void every_allocation(void **state)
{
    (void)state;
    draft *d = new_draft(3, false);
    put(d, 0, 0, 0, 0.5);
    put(d, 1, 0, 0, 0.5);
    put(d, 2, 0, 0.2, 0.5);
    put(d, 5, 5, 5, 0.5);
    touch(d, 1, 0);
    touch(d, 2, 1);
    mrn_net net = make(d, false);
    for (int way = 0; way < 2; way++) {
        mrn_rigidity_options opt = everything();
        opt.qr_limit = way;
        size_t before = mrn_bytes_in_use();
        int64_t k = 1;
        for (;; k++) {
            mrn_rigidity r;
            mrn_message msg = {0};
            mrn_alloc_fail_at(k);
            mrn_status st = mrn_rigidity_of(&net, &opt, &r, &msg);
            mrn_alloc_fail_at(0);
            if (st == MRN_OK) {
                check_modes(&net, &r);
                mrn_rigidity_release(&r);
                break;
            }
            if (st != MRN_ERR_MEMORY)
                fail_msg("allocation %lld: %d %s", (long long)k, st, msg.text);
            assert_true(strlen(msg.text) > 0);
            assert_int_equal(mrn_bytes_in_use(), before);
        }
        assert_int_equal(mrn_bytes_in_use(), before);
        assert_true(k > 20);
    }
    mrn_net_release(&net);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangle),
        cmocka_unit_test(tetrahedron),
        cmocka_unit_test(square),
        cmocka_unit_test(triangular),
        cmocka_unit_test(fcc),
        cmocka_unit_test(sphere_between_two),
        cmocka_unit_test(chain_between_walls),
        cmocka_unit_test(floating_grain),
        cmocka_unit_test(sets_apart),
        cmocka_unit_test(sets_unmixed),
        cmocka_unit_test(sets_apart_from_body),
        cmocka_unit_test(nothing),
        cmocka_unit_test(random_networks),
        cmocka_unit_test(forces_apart),
        cmocka_unit_test(moving_wall),
        cmocka_unit_test(bases_not_asked_for),
        cmocka_unit_test(no_gap),
        cmocka_unit_test(many_mechanisms),
        cmocka_unit_test(threads),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
