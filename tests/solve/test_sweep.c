/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One sweep: what it solves, what it counts, colours. */
/* ctest-labels: threads */
#include <stdlib.h>

#include "base/base.h"
#include "solve/problems.h"

#include "solve/sweep.h"

typedef struct made {
    mrn_problem p;
    mrn_solve_control control;
    mrn_workspace work;
    mrn_system s;
    mrn_sweeper w;
    double *r;
} made;

static void make_folded(made *m, mrn_problem p, bool fold, bool exchange, mrn_sweep_order order)
{
    mrn_message msg = {0};
    *m = (made){.p = p, .control = mrn_solve_control_default()};
    ok(mrn_system_make(&m->p, &m->control, fold, &m->work, &m->s, &msg), &msg);
    ok(mrn_sweeper_make(&m->s, exchange, order, &m->w, &msg), &msg);
    m->r = mrn_work(&m->work, (int64_t)p.n * m->s.b + MRN_BSR_PADDING, sizeof *m->r);
    assert_non_null(m->r);
    mrn_sweeper_refresh(&m->w, m->r);
}

static void make(made *m, mrn_problem p, bool exchange, mrn_sweep_order order)
{
    make_folded(m, p, false, exchange, order);
}

/* Every contact but each third gets a compliance: a column of its own at the end of H. */
static mrn_problem giving(mrn_problem p)
{
    mrn_message msg = {0};
    int b = p.Ht.br, d = p.Ht.bc, cols = p.Ht.cols, blocks = (int)p.Ht.start[p.n];
    mrn_bsr h = {.rows = p.n, .cols = cols, .br = b, .bc = d};
    double *minv = NULL;
    ok(mrn_array(&h.start, p.n + 1, sizeof *h.start, &msg), &msg);
    ok(mrn_array(&h.col, blocks + p.n, sizeof *h.col, &msg), &msg);
    ok(mrn_array(&h.value, (int64_t)(blocks + p.n) * b * d + MRN_BSR_PADDING, sizeof *h.value,
                 &msg),
       &msg);
    ok(mrn_array(&minv, (int64_t)(cols + p.n) * d * d, sizeof *minv, &msg), &msg);
    memcpy(minv, p.minv, (size_t)(cols * d * d) * sizeof *minv);
    int64_t m = 0;
    for (int i = 0; i < p.n; i++) {
        int64_t k = p.Ht.start[i], links = p.Ht.start[i + 1] - k;
        h.start[i] = m;
        memcpy(h.col + m, p.Ht.col + k, (size_t)links * sizeof *h.col);
        memcpy(h.value + m * b * d, p.Ht.value + k * b * d,
               (size_t)(links * b * d) * sizeof *h.value);
        m += links;
        if (i % 3 == 2)
            continue;
        for (int c = 0; c < b; c++) {
            h.value[m * b * d + c * b + c] = 1;
            minv[(h.cols * d + c) * d + c] = 0.1 * (c + 1) * p.minv[0];
        }
        h.col[m++] = h.cols++;
    }
    h.start[p.n] = m;
    mrn_bsr_release(&p.W); /* without compliances */
    mrn_bsr_release(&p.Ht);
    mrn_free(p.minv);
    p.Ht = h, p.minv = minv;
    return p;
}

static void done(made *m)
{
    mrn_workspace_release(&m->work);
    mrn_problem_release(&m->p);
}

/* Right after its update a contact satisfies its laws; the last one of the order still does at the
   end of the sweep. Local solvers are exact to 1e-13 of |q| + |W| |r|. */
static void the_last_contact_is_solved(void **state)
{
    (void)state;
    for (int kind = 0; kind < MRN_CONTACT_KINDS; kind++)
        for (int reverse = 0; reverse < 2; reverse++) {
            made m;
            mrn_sweep_sums sums;
            make(&m, backwards((mrn_contact_kind)kind, 12, 4, 0, NULL, NULL), false, false);
            mrn_sweep(&m.w, reverse, m.r, &sums);
            assert_int_equal(sums.failed, 0);
            int64_t b = m.s.b, last = reverse ? 0 : 11;
            double *u = mrn_work(&m.work, 12 * b + MRN_BSR_PADDING, sizeof *u), f[6];
            mrn_system_velocity(&m.s, m.r, u);
            assert_true(sqrt(mrn_natural_map(m.s.lay, m.s.mu + last * 3, MRN_UNILATERAL, 1,
                                             m.r + last * b, u + last * b, f)) <= 1e-12);
            done(&m);
        }
}

/* Sums from the definitions, with the impulses before and after. */
static void sums_are_their_definitions(void **state)
{
    (void)state;
    made m;
    mrn_sweep_sums sums;
    make(&m, family("lattice", "across=6 layers=5 agitation=0.1", 2), false, false);
    m.w.energies = true;
    double *old = vector_of(&m.p), change = 0, violation = 0, worst = 0, reference = 0;
    double gain = 0, v[MRN_VIOLATIONS];
    int64_t active = 0;
    assert_true(m.s.n > 300); /* more than one chunk */
    for (int sweep = 0; sweep < 3; sweep++) {
        memcpy(old, m.r, (size_t)m.s.n * 3 * sizeof *old);
        mrn_sweep(&m.w, sweep == 1, m.r, &sums);
    }
    for (int64_t i = 0; i < m.s.n; i++) {
        double term = 0, all = reference;
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) {
                const double *x = m.r + 3 * i, *y = old + 3 * i;
                double w = m.s.diag[(i * 3 + c) * 3 + a];
                term += (x[a] - y[a]) * w * (x[c] - y[c]);
                reference += 0.5 * (x[a] * w * x[c] + y[a] * w * y[c]);
                gain += 0.5 * (x[a] * w * x[c] - y[a] * w * y[c]);
                change += a == c ? (x[a] - y[a]) * (x[a] - y[a]) : 0;
            }
        violation += term;
        worst = fmax(worst, term);
        active += reference > all;
    }
    assert_true(sums.change > 0 && fabs(sums.change - change) <= 1e-12 * change);
    assert_true(fabs(sums.violation - violation) <= 1e-12 * violation);
    assert_true(fabs(sums.worst - worst) <= 1e-12 * worst);
    assert_true(fabs(sums.reference - reference) <= 1e-12 * reference);
    mrn_sweep_violations(&sums, v);
    assert_true(fabs(v[0] - violation / reference) <= 1e-12 * v[0]);
    assert_true(fabs(v[1] - sqrt(violation / reference)) <= 1e-12 * v[1]);
    assert_true(active > 0 && active < m.s.n);
    assert_true(fabs(v[2] - worst / (reference / (double)active)) <= 1e-12 * v[2]);
    assert_true(fabs(v[3] - gain / reference) <= 1e-12);
    assert_true(v[2] >= v[0] && fabs(v[3]) <= v[1]);
    mrn_free(old);
    done(&m);
}

/* Colours: a permutation; within a colour no two contacts share a body or a block of W. */
static void check_colours(const made *m)
{
    const mrn_sweeper *w = &m->w;
    bool *seen = mrn_alloc((size_t)m->s.n);
    int *colour_of = mrn_alloc((size_t)m->s.n * sizeof *colour_of);
    assert_int_equal(w->colour[w->colours + 1], m->s.n);
    for (int c = 0; c <= w->colours; c++)
        for (int64_t k = w->colour[c]; k < w->colour[c + 1]; k++) {
            assert_false(seen[w->order[k]]);
            seen[w->order[k]] = true;
            colour_of[w->order[k]] = c;
        }
    for (int64_t i = 0; i < m->s.n; i++) {
        assert_true(seen[i]);
        for (int64_t k = m->s.has_W ? m->s.start[i] : 0; m->s.has_W && k < m->s.start[i + 1]; k++)
            assert_true(colour_of[m->s.col[k]] != colour_of[i] || colour_of[i] == w->colours);
    }
    mrn_free(seen), mrn_free(colour_of);
}

static void colours_share_nothing(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"lattice", "across=6 layers=6"}, {"packing", "spheres=200"},
        {"wall", "bricks=4 courses=5"},   {"plate", "contacts=100"},
        {"chain", "spheres=50"},          {"joints", "rods=9"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int bodies = 0; bodies < 2; bodies++) {
            made m;
            mrn_problem p = family(cases[k][0], cases[k][1], 1);
            if (!bodies)
                mrn_bsr_release(&p.Ht);
            make(&m, p, false, true);
            assert_true(m.s.has_bodies == (bodies == 1));
            check_colours(&m);
            if (strcmp(cases[k][0], "chain") == 0)
                assert_int_equal(m.w.colours, 2);
            if (strcmp(cases[k][0], "plate") == 0) /* one body: every contact its own colour, and
                                                      what finds none comes last */
                assert_true(m.w.colours == 64 && m.w.colour[65] - m.w.colour[64] == 100 - 64);
            done(&m);
        }
}

/* A pattern that is not symmetric hides neighbours: no colours then. */
static void one_sided_patterns_get_no_colours(void **state)
{
    (void)state;
    double W[36] = {0};
    mrn_problem p;
    mrn_message msg = {0};
    made m;
    ok(mrn_problem_create(MRN_CONTACT_2D, 3, &p, &msg), &msg);
    for (int k = 0; k < 6; k++)
        W[k * 7] = 1;
    W[2 * 6] = 1e-3; /* block (1, 0) without (0, 1) */
    p.W = blocks_of(W, 3, 3, 2, 2, false);
    p.q[0] = p.q[2] = -1;
    make(&m, p, false, true);
    assert_int_equal(m.w.colours, 0);
    done(&m);
}

/* W that is not that of H and M (fed by hand, or another matrix of iteration): its blocks decide.
 */
static void blocks_overrule_bodies(void **state)
{
    (void)state;
    made m;
    mrn_problem p = family("chain", "spheres=10", 1),
                full = backwards(MRN_CONTACT_3D, 10, 1, 0, NULL, NULL);
    mrn_bsr_release(&p.W);
    p.W = full.W;
    full.W = (mrn_bsr){0};
    mrn_problem_release(&full);
    make(&m, p, false, true);
    assert_true(m.s.has_W && m.s.has_bodies);
    assert_int_equal(m.w.colours, 10); /* everyone is everyone's neighbour */
    check_colours(&m);
    done(&m);
}

/* Slabs: a permutation; contacts that share a body that moves, or a block of W, are in one slab or
   in two that follow each other, so that those which go side by side share nothing. */
static void check_slabs(const made *m)
{
    const mrn_sweeper *w = &m->w;
    const mrn_system *s = &m->s;
    bool *seen = mrn_alloc((size_t)s->n);
    int *slab_of = mrn_alloc((size_t)s->n * sizeof *slab_of);
    assert_true(w->slabs >= 4 && w->even_slabs == (w->slabs + 1) / 2);
    assert_true(w->slab[0] == 0 && w->slab[w->slabs] == s->n);
    for (int c = 0; c < w->slabs; c++)
        for (int64_t k = w->slab[c]; k < w->slab[c + 1]; k++) {
            assert_false(seen[w->order[k]]);
            seen[w->order[k]] = true;
            slab_of[w->order[k]] = c < w->even_slabs ? 2 * c : 2 * (c - w->even_slabs) + 1;
            assert_true(k == w->slab[c] || w->order[k] > w->order[k - 1]);
        }
    for (int64_t i = 0; i < s->n; i++) {
        assert_true(seen[i]);
        for (int64_t k = s->has_W ? s->start[i] : 0; s->has_W && k < s->start[i + 1]; k++)
            assert_true(abs(slab_of[s->col[k]] - slab_of[i]) <= 1);
        for (int64_t j = 0; s->has_bodies && j < i; j++)
            for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
                for (int64_t l = s->body_start[j]; l < s->body_start[j + 1]; l++)
                    assert_true(s->body[k] != s->body[l] ||
                                s->minv[(int64_t)s->body[k] * 36] == 0 ||
                                abs(slab_of[j] - slab_of[i]) <= 1);
    }
    mrn_free(seen), mrn_free(slab_of);
}

static void slabs_share_with_neighbours_only(void **state)
{
    (void)state;
    const char *const cases[][2] = {{"lattice", "across=8 layers=12"},
                                    {"packing", "spheres=700"},
                                    {"wall", "bricks=10 courses=14"},
                                    {"chain", "spheres=900"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int bodies = 0; bodies < 2; bodies++) {
            made m;
            mrn_problem p = family(cases[k][0], cases[k][1], 1);
            if (!bodies)
                mrn_bsr_release(&p.Ht);
            make(&m, p, false, MRN_ORDER_SLABS);
            assert_true(m.s.has_bodies == (bodies == 1) && m.s.has_W);
            check_slabs(&m);
            done(&m);
        }
    /* everyone is everyone's neighbour: nothing to cut */
    made m;
    make(&m, family("plate", "contacts=400", 1), false, MRN_ORDER_SLABS);
    assert_int_equal(m.w.slabs, 0);
    done(&m);
}

/* Stored blocks and exchanged velocities: the same sweep to rounding, in all orders. */
static void exchange_is_the_same_sweep(void **state)
{
    (void)state;
    for (int order = 0; order < 3; order++) {
        made a, c;
        bool given = order == MRN_ORDER_GIVEN;
        make(&a, family("packing", "spheres=300 agitation=0.2", 2), false, (mrn_sweep_order)order);
        make(&c, family("packing", "spheres=300 agitation=0.2 stored=no", 2), true,
             (mrn_sweep_order)order);
        assert_true(c.w.through_bodies && a.w.slabs == c.w.slabs);
        assert_true((order == MRN_ORDER_SLABS) == (a.w.slabs > 0));
        a.w.energies = c.w.energies = true;
        for (int sweep = 0; sweep < 20; sweep++) {
            mrn_sweep_sums x, y;
            mrn_sweep(&a.w, given && sweep % 2, a.r, &x);
            mrn_sweep(&c.w, given && sweep % 2, c.r, &y);
            int64_t size = (int64_t)a.s.n * 3;
            /* rounding, grown by sweeps of a map whose slope is near 1 */
            assert_true(distance(size, a.r, c.r) <= 1e-11 * norm_of(size, a.r));
            assert_true(fabs(x.violation - y.violation) <= 1e-9 * x.reference);
        }
        /* the velocities kept current are those of the impulses */
        int64_t m = (int64_t)c.s.n * 3;
        double *u = mrn_work(&c.work, m + MRN_BSR_PADDING, sizeof *u);
        double *kept = mrn_work(&c.work, m + MRN_BSR_PADDING, sizeof *kept);
        mrn_system_velocity(&c.s, c.r, u);
        mrn_sweeper_velocity(&c.w, c.r, kept);
        assert_true(distance(m, u, kept) <= 1e-12 * norm_of(m, u));
        mrn_sweeper_refresh(&c.w, c.r);
        mrn_sweeper_velocity(&c.w, c.r, kept);
        assert_true(distance(m, u, kept) <= 1e-14 * norm_of(m, u));
        done(&a), done(&c);
    }
}

/* A sweep at half the step goes half the way from the same state (first contact only: the others
   see what it did). */
static void relaxation_is_a_share_of_the_step(void **state)
{
    (void)state;
    made a, c;
    mrn_sweep_sums sums;
    make(&a, backwards(MRN_CONTACT_3D, 4, 6, 0, NULL, NULL), false, false);
    make(&c, backwards(MRN_CONTACT_3D, 4, 6, 0, NULL, NULL), false, false);
    c.w.relaxation = 0.5;
    mrn_sweep(&a.w, true, a.r, &sums);
    mrn_sweep(&c.w, true, c.r, &sums);
    for (int k = 9; k < 12; k++)
        assert_true(fabs(c.r[k] - 0.5 * a.r[k]) <= 1e-15);
    c.w.relaxation = 1.5; /* kept inside the cone */
    for (int k = 0; k < 20; k++) {
        mrn_sweep(&c.w, false, c.r, &sums);
        for (int i = 0; i < 4; i++)
            assert_true(hypot(c.r[3 * i + 1], c.r[3 * i + 2]) <=
                        c.s.mu[3 * i] * c.r[3 * i] + 1e-15);
    }
    done(&a), done(&c);
}

/* A compliance as a number of its contact is one as a body of its own: the same diagonal to the
   bit, products and sweeps but for the rounding of some tens of terms; bodies are those that are
   bodies. In 3D the sweep is then that through bodies, which the other cannot be. */
static void compliances_are_folded(void **state)
{
    (void)state;
    static const char *const words[] = {
        "contacts=30 bodies=20", "contacts=30 bodies=20 dimension=2",
        "contacts=30 bodies=20 dimension=2 rolling=rolling",
        "contacts=30 bodies=20 rolling=rolling", "contacts=30 bodies=20 rolling=pivoting"};
    for (int k = 0; k < 5; k++) {
        made a, b;
        mrn_sweep_sums sums;
        make_folded(&a, giving(family("random", words[k], 3)), true, true, MRN_ORDER_GIVEN);
        make_folded(&b, giving(family("random", words[k], 3)), false, true, MRN_ORDER_GIVEN);
        int64_t size = (int64_t)a.s.n * a.s.b;
        assert_int_equal(a.s.n_bodies, 20);
        assert_int_equal(b.s.n_bodies, 40);
        assert_non_null(a.s.compliance);
        assert_true(a.w.through_bodies == (k == 0) && !b.w.through_bodies);
        assert_memory_equal(a.s.diag, b.s.diag, (size_t)(size * a.s.b) * sizeof *a.s.diag);
        double *x = mrn_work(&a.work, size + MRN_BSR_PADDING, sizeof *x);
        double *u = mrn_work(&a.work, size + MRN_BSR_PADDING, sizeof *u);
        double *v = mrn_work(&b.work, size + MRN_BSR_PADDING, sizeof *v);
        for (int sweep = 0; sweep < 5; sweep++) {
            mrn_sweep(&a.w, false, a.r, &sums);
            mrn_sweep(&b.w, false, b.r, &sums);
        }
        mrn_sweeper_velocity(&a.w, a.r, u);
        mrn_system_velocity(&a.s, a.r, x);
        mrn_system_velocity(&b.s, b.r, v);
        double largest = 0, off = 0;
        for (int64_t i = 0; i < size; i++) {
            largest = fmax(largest, fabs(a.r[i]));
            off =
                fmax(off, fmax(fabs(a.r[i] - b.r[i]), fmax(fabs(u[i] - v[i]), fabs(x[i] - v[i]))));
        }
        assert_true(largest > 0.01 && off <= 1e-12 * (1 + largest));
        done(&a), done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_contact_is_solved),
        cmocka_unit_test(sums_are_their_definitions),
        cmocka_unit_test(colours_share_nothing),
        cmocka_unit_test(one_sided_patterns_get_no_colours),
        cmocka_unit_test(blocks_overrule_bodies),
        cmocka_unit_test(slabs_share_with_neighbours_only),
        cmocka_unit_test(exchange_is_the_same_sweep),
        cmocka_unit_test(compliances_are_folded),
        cmocka_unit_test(relaxation_is_a_share_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
