/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces lane by lane are those of the laws, to the bit, whatever the parameters; batches that mix
   parameters have the answers of one at a time. */
/* ctest-labels: threads */
#include "collide/encounter.h"
#include "lab/collisions.h"
#include "laws/lanes.h"

#define CASES 300

static const char *const model[] = {"linear", "hertz-mindlin", "zheng"};

static double between(mrn_rng *g, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(g);
}

/* A choice of the law, if it has it. */
static void choose(mrn_collision *c, const char *name, int which)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&c->model, param);
    for (int i = 0; i < n; i++)
        if (strcmp(param[i]->name, name) == 0)
            c->value[i].given = true, c->value[i].number = which;
}

/* A law with parameters of all kinds: ends of contact, couplings, ways to give a stiffness. */
static void draw_law(mrn_collision *c, int k, mrn_rng *g)
{
    double mu = between(g, 0, 0.8), damp = between(g, 0.01, 0.5), stiff = between(g, 1e5, 1e7);
    double eta = between(g, 1e3, 1e6), ratio = between(g, 0, 4);
    int way = (int)between(g, 0, 2), end = (int)between(g, 0, 2), coupling = (int)between(g, 0, 3);
    ball(c, model[k]);
    give(c, "friction", mu);
    if (k < 2)
        give(c, "restitution", 1 - damp);
    if (k == 0)
        give(c, way ? "normal-stiffness" : "contact-time", way ? stiff : 1e-3);
    if (k == 1 && way)
        give(c, "damping", damp);
    if (k == 2)
        give(c, "eta1", eta);
    if (k == 2 && way)
        give(c, "eta2-over-eta1", ratio); /* above zero a power comes in */
    choose(c, "end-of-contact", end);
    choose(c, "load-coupling", coupling);
}

/* One contact as the law has it. */
static void ask_law(const mrn_prepared *p, mrn_law_block *b, double r, double m, double delta,
                    double rate, double ut, double s, double old)
{
    memset(b, 0, sizeof *b);
    b->n = 1;
    b->nz[0] = 1;
    b->delta[0] = delta, b->rate[0] = rate, b->ux[0] = ut;
    b->r_eff[0] = r, b->m_eff[0] = m;
    int at = p->offset[MRN_LAW_TANGENTIAL];
    b->history[at][0] = s;
    if (p->part[MRN_LAW_TANGENTIAL]->n_history == 2)
        b->history[at + 3][0] = old;
    mrn_law_evaluate(p, b);
}

typedef struct lanes {
    mrn_lanes l;
    mrn_lane_row row[12], k, g;
} lanes;

static void lay_out(lanes *o)
{
    mrn_lanes *l = &o->l;
    double **const at[] = {&l->r_eff, &l->m_eff, &l->delta, &l->rate,    &l->ut,    &l->spring,
                           &l->root,  &l->fn,    &l->k_n,   &l->gamma_n, &l->press, &l->tx};
    memset(o, 0, sizeof *o);
    for (int i = 0; i < 12; i++)
        *at[i] = o->row[i];
}

static void load(lanes *o, int i, const mrn_prepared *p)
{
    double c[MRN_LANE_COEFS] = {0};
    const mrn_law_lanes *n = p->part[MRN_LAW_NORMAL]->lanes;
    const mrn_law_lanes *t = p->part[MRN_LAW_TANGENTIAL]->lanes;
    assert_true(n != NULL && t != NULL);
    n->load(p->coef[MRN_LAW_NORMAL], o->l.r_eff[i], o->l.m_eff[i], c);
    for (int k = 0; k < MRN_LANE_COEFS; k++)
        o->l.normal[k][i] = c[k];
    t->load(p->coef[MRN_LAW_TANGENTIAL], o->l.r_eff[i], o->l.m_eff[i], c);
    for (int k = 0; k < MRN_LANE_COEFS; k++)
        o->l.tangential[k][i] = c[k];
}

/* All answers of lane i against the law's. */
static void compare(const lanes *o, int i, const mrn_prepared *p, mrn_law_block *b)
{
    const mrn_lanes *l = &o->l;
    const mrn_law *law = p->part[MRN_LAW_TANGENTIAL];
    const mrn_law_lanes *t = law->lanes;
    const double *c = p->coef[MRN_LAW_TANGENTIAL];
    double r = l->r_eff[i], m = l->m_eff[i], d = l->delta[i];
    ask_law(p, b, r, m, d, l->rate[i], l->ut[i], l->spring[i], l->root[i]);
    assert_true(l->k_n[i] == b->k_n[0] && l->gamma_n[i] == b->gamma_n[0]);
    assert_true(l->fn[i] == b->fn[0] && l->press[i] == b->press[0]);
    assert_true(l->tx[i] == b->tx[0]);
    if (t->spring != NULL) {
        assert_true(o->k[i] == law->stiffness(c, r, m, d, b->k_n[0]));
        assert_true(o->g[i] == law->damping(c, r, m, d, b->gamma_n[0]));
    }
}

/* Vectors of lanes, each with parameters of its own. */
static void same_bits(void **state)
{
    (void)state;
    mrn_rng g = mrn_rng_seed(11, 0);
    mrn_message msg = {0};
    mrn_law_block *b = malloc(sizeof *b);
    lanes *o = malloc(sizeof *o);
    assert_true(b != NULL && o != NULL);
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < CASES / MRN_WIDE; n++) {
            mrn_prepared p[MRN_WIDE];
            lay_out(o);
            for (int i = 0; i < MRN_WIDE; i++) {
                mrn_collision c;
                draw_law(&c, k, &g);
                ok(mrn_collision_prepare(&c, &p[i], &msg), &msg);
                double size = between(&g, -4, -2), depth = between(&g, -9, -2),
                       u = between(&g, -1, 1);
                double rate = between(&g, -1, 1), s = between(&g, -1, 1), far = between(&g, 0, 4);
                double r = pow(10, size), d = i == 0 ? 0 : r * pow(10, depth);
                o->l.r_eff[i] = r, o->l.m_eff[i] = 1e4 * r * r * r;
                o->l.delta[i] = d, o->l.root[i] = sqrt(d);
                o->l.rate[i] = rate, o->l.ut[i] = i == 1 ? 0 : u;
                o->l.spring[i] = i == 2 ? 1e6 * r : d * s * pow(10, -far);
                load(o, i, &p[i]);
            }
            const mrn_law_lanes *t = p[0].part[MRN_LAW_TANGENTIAL]->lanes;
            p[0].part[MRN_LAW_NORMAL]->lanes->answer(&o->l, 0, MRN_WIDE);
            t->answer(&o->l, 0, MRN_WIDE);
            if (t->spring != NULL)
                t->spring(&o->l, 0, MRN_WIDE, o->k, o->g);
            for (int i = 0; i < MRN_WIDE; i++)
                compare(o, i, &p[i], b);
        }
    free(o);
    free(b);
}

/* What is left of a short spring (none is cut at Coulomb's limit) as the load grows and falls, and
   of one that is far too long. */
static void keeps(void **state)
{
    (void)state;
    mrn_rng g = mrn_rng_seed(12, 0);
    mrn_message msg = {0};
    mrn_law_block *b = malloc(sizeof *b);
    assert_non_null(b);
    const double r = 1e-3, d = 1e-6, root = sqrt(d);
    for (int k = 0; k < CASES; k++) {
        mrn_collision c;
        mrn_prepared p;
        draw_law(&c, k % 3, &g);
        give(&c, "friction", 0.3);
        ok(mrn_collision_prepare(&c, &p, &msg), &msg);
        const mrn_law_lanes *t = p.part[MRN_LAW_TANGENTIAL]->lanes;
        int at = p.offset[MRN_LAW_TANGENTIAL];
        for (int i = 0; i < 3; i++) {
            double s = i == 2 ? 1e6 * r : 1e-12 * r, old = i == 2 ? root : root * (i ? 2 : 0.5);
            ask_law(&p, b, r, 1e-6, d, 0, 0, s, old);
            double kept = t->keep(p.coef[MRN_LAW_TANGENTIAL], d, s, old);
            assert_close(kept / b->history[at][0], 1, 1e-12);
        }
    }
    free(b);
}

/* Whoever gives a law lanes has them compared above. */
static void all_of_them(void **state)
{
    (void)state;
    for (int i = 0; i < mrn_law_count(); i++) {
        const mrn_law *law = mrn_law_at(i);
        bool compared = false;
        for (size_t k = 0; k < sizeof model / sizeof *model; k++)
            compared |= mrn_law_model_find(model[k])->part[law->kind] == law;
        assert_true(law->lanes == NULL || compared);
        if (law->lanes != NULL && law->kind == MRN_LAW_TANGENTIAL)
            assert_non_null(law->lanes->keep);
    }
}

/* Lanes that end are followed by others, of other parameters and of other laws; none knows. */
static void mixed_batch(void **state)
{
    (void)state;
    enum { N = 3 * MRN_LANES };
    mrn_rng g = mrn_rng_seed(13, 0);
    mrn_message msg = {0};
    mrn_collision *c = calloc(N, sizeof *c);
    mrn_rebound *out = calloc(N, sizeof *out), one;
    assert_true(c != NULL && out != NULL);
    for (int i = 0; i < N; i++) {
        double angle = between(&g, 0, 80), speed = between(&g, 0.1, 3),
               size = between(&g, 2e-3, 9e-3);
        draw_law(&c[i], i < N / 2 ? 0 : 1 + i / 7 % 2, &g);
        c[i].angle = angle * DEG;
        c[i].speed = speed;
        if (i % 5 == 0)
            c[i].radius[1] = size;
    }
    for (int threads = 1; threads < 4; threads += 2) {
        mrn_threads_set(threads);
        ok(mrn_collide(c, N, 1e-6, out, NULL, &msg), &msg);
        for (int i = 0; i < N; i += threads) {
            ok(mrn_collide(&c[i], 1, 1e-6, &one, NULL, &msg), &msg);
            assert_true(out[i].steps == one.steps && out[i].error == one.error);
            assert_true(out[i].en == one.en && out[i].omega == one.omega);
            assert_true(out[i].et == one.et || (isnan(out[i].et) && isnan(one.et)));
            assert_true(out[i].contact_time == one.contact_time);
        }
    }
    mrn_threads_set(0);
    free(c);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(keeps),
                                       cmocka_unit_test(all_of_them),
                                       cmocka_unit_test(mixed_batch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
