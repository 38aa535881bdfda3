/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every law and every model must keep, asked of the whole registry: a law added to parts.def
   or models.def is tested here without a further word. */
#include "kit.h"
#include <ctype.h>

static const kit_value nothing[] = {{NULL, 0}};

/* ---- every model there is, and every part joined to every normal law that accepts it ---- */

typedef void (*examine)(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v);

static void examine_one(const mrn_law_model *m, examine f)
{
    mrn_value v[MRN_PARAM_MAX];
    mrn_prepared p = kit_sample(m, nothing, v);
    f(m, &p, v);
}

/* Calls f for all named models, all normal laws alone and all pairs of a normal and another law.
   Laws for rigid grains have no force to examine: they join nothing, and see tests/laws/test_rigid.
 */
static void for_each_model(examine f)
{
    for (int i = 0; i < mrn_law_model_count(); i++)
        if (!mrn_law_model_at(i)->part[MRN_LAW_NORMAL]->rigid_only)
            examine_one(mrn_law_model_at(i), f);
    int pairs = 0, refused = 0;
    for (int i = 0; i < mrn_law_count(); i++) {
        const mrn_law *normal = mrn_law_at(i);
        for (int k = -1; normal->kind == MRN_LAW_NORMAL && k < mrn_law_count(); k++) {
            const mrn_law *part[MRN_LAW_KINDS] = {normal}, *other = k < 0 ? NULL : mrn_law_at(k);
            if (other != NULL && other->kind == MRN_LAW_NORMAL)
                continue;
            if (other != NULL)
                part[other->kind] = other;
            mrn_law_model m;
            mrn_message msg = {0};
            if (mrn_law_mix(part, &m, &msg) != MRN_OK) {
                assert_non_null(other);
                assert_true(other->with_normal != NULL || normal->rigid_only);
                assert_true(msg.text[0] != '\0' && msg.expected[0] != '\0');
                refused++;
                continue;
            }
            if (!normal->rigid_only)
                examine_one(&m, f);
            pairs++;
        }
    }
    assert_true(pairs > refused);
}

/* ---- tables ---- */

static bool spelled(const char *s)
{
    if (s == NULL || !islower((unsigned char)s[0]))
        return false;
    for (; *s != '\0'; s++)
        if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s) && *s != '-')
            return false;
    return true;
}

static void check_param(const mrn_param *p)
{
    assert_true(spelled(p->name));
    assert_true(p->symbol != NULL && p->unit != NULL && p->unit[0] != '\0');
    assert_true(p->doc != NULL && strlen(p->doc) > 10 && p->doc[strlen(p->doc) - 1] == '.');
    assert_true(p->min < p->max && !isnan(p->min));
    if (!p->required && !isnan(p->fallback))
        assert_true(p->fallback <= p->max &&
                    (p->min_open ? p->fallback > p->min : p->fallback >= p->min));
    int words = 0;
    while (p->kind == MRN_P_CHOICE && p->choices[words] != NULL)
        assert_true(spelled(p->choices[words++]));
    if (p->kind == MRN_P_CHOICE)
        assert_true(words >= 2 && p->min == 0 && p->max == words - 1);
}

static void tables(void **state)
{
    (void)state;
    assert_null(mrn_law_at(-1));
    assert_null(mrn_law_at(mrn_law_count()));
    for (int i = 0; i < mrn_law_count(); i++) {
        const mrn_law *law = mrn_law_at(i);
        assert_true(spelled(law->name) && law->kind >= 0 && law->kind < MRN_LAW_KINDS);
        assert_ptr_equal(mrn_law_find(law->kind, law->name), law); /* no name twice */
        assert_true(mrn_law_kind_name(law->kind)[0] != '\0');
        assert_true(strlen(law->summary) > 5 && strlen(law->doc) > 40);
        assert_true(law->prepare != NULL && (law->evaluate != NULL) == !law->rigid_only);
        assert_true(!law->rigid_only || (law->kind == MRN_LAW_NORMAL && law->rigid != NULL));
        assert_true((law->n_params > 0) == (law->params != NULL));
        assert_true((law->n_history > 0) == (law->history != NULL));
        bool force = law->kind == MRN_LAW_NORMAL && !law->rigid_only;
        assert_true((law->contact_time != NULL) == force);
        assert_true(!force || law->stiffness != NULL);
        assert_true(law->range == NULL || law->kind == MRN_LAW_COHESION);
        for (int k = 0; k < law->n_params; k++)
            check_param(&law->params[k]);
        for (int k = 0; k < law->n_history; k++) {
            const mrn_history *h = &law->history[k];
            assert_true(spelled(h->name) && h->unit[0] != '\0' && strlen(h->doc) > 5);
        }
        for (int k = 0; law->with_normal != NULL && law->with_normal[k] != NULL; k++)
            assert_non_null(mrn_law_find(MRN_LAW_NORMAL, law->with_normal[k]));
    }
    assert_null(mrn_law_find(MRN_LAW_NORMAL, "no such law"));
    assert_null(mrn_law_find(MRN_LAW_NORMAL, NULL));
}

static void one_model(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    (void)v;
    const mrn_param *all[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, all), offset[MRN_LAW_KINDS], sum = 0;
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++)
        sum += m->part[kind] != NULL ? m->part[kind]->n_params : 0;
    assert_true(n <= sum && sum <= MRN_PARAM_MAX);
    int width = mrn_law_model_history(m, offset);
    bool odd[MRN_HISTORY_MAX];
    assert_true(width <= MRN_HISTORY_MAX);
    assert_int_equal(mrn_law_model_odd(m, odd), width);
    assert_int_equal(p->history, width);
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++)
        assert_ptr_equal(p->part[kind], m->part[kind]);
    /* one name, one thing */
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++)
        for (int i = 0; m->part[kind] != NULL && i < m->part[kind]->n_params; i++)
            for (int k = 0; k < n; k++) {
                const mrn_param *a = &m->part[kind]->params[i], *b = all[k];
                if (strcmp(a->name, b->name) == 0)
                    assert_true(a->kind == b->kind && a->min == b->min && a->max == b->max &&
                                a->required == b->required && strcmp(a->unit, b->unit) == 0);
            }
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++)
        for (int i = 0; i < MRN_COEF_MAX; i++)
            assert_true(isfinite(p->coef[kind][i]));
}

static void models(void **state)
{
    (void)state;
    for_each_model(one_model);
}

/* No coefficient is written beyond the room there is. */
static void one_room(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    (void)p;
    const mrn_param *all[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, all);
    mrn_material_pair mat = kit_glass();
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = m->part[kind];
        double coef[2 * MRN_COEF_MAX];
        mrn_value own[MRN_PARAM_MAX];
        for (int i = 0; i < 2 * MRN_COEF_MAX; i++)
            coef[i] = -77;
        for (int i = 0; law != NULL && i < law->n_params; i++)
            for (int k = 0; k < n; k++)
                if (strcmp(law->params[i].name, all[k]->name) == 0)
                    own[i] = v[k];
        if (law == NULL)
            continue;
        assert_int_equal(law->prepare(&mat, own, coef, NULL), MRN_OK);
        for (int i = MRN_COEF_MAX; i < 2 * MRN_COEF_MAX; i++)
            assert_true(coef[i] == -77);
    }
}

static void room(void **state)
{
    (void)state;
    for_each_model(one_room);
}

/* A number that is none, infinite or out of range is refused, and the message names it. */
static void one_refusal(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    (void)p;
    const mrn_param *all[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, all);
    mrn_material_pair mat = kit_glass();
    for (int i = 0; i < n; i++) {
        const double bad[] = {NAN, INFINITY, -INFINITY, all[i]->min - 1, all[i]->max + 1};
        mrn_value keep = v[i];
        for (int k = 0; all[i]->kind == MRN_P_NUMBER && k < 5; k++) {
            v[i] = (mrn_value){.given = true, .number = bad[k], .line = 3, .column = 5};
            mrn_prepared out;
            mrn_message msg = {0};
            assert_int_equal(mrn_law_prepare(m, &mat, v, &out, &msg), MRN_ERR_INPUT);
            assert_non_null(strstr(msg.text, all[i]->name));
            assert_true(msg.expected[0] != '\0' && msg.line == 3);
        }
        v[i] = keep;
    }
}

static void refuses_nan(void **state)
{
    (void)state;
    for_each_model(one_refusal);
}

/* ---- what a law answers ---- */

static double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

static mrn_vec3 direction(mrn_rng *r)
{
    double a[3];
    for (int k = 0; k < 3; k++)
        a[k] = mrn_rng_normal(r);
    return mrn_unit(mrn_v3(a[0], a[1], a[2]));
}

/* Contact `which` at step `step` of its life, at place k: the same numbers whatever k. Overlaps
   from nothing to a hundredth of the radius; some contacts are new at their first step (just begun,
   or placed in overlap), some end; a model with a range sees some out of touch. History is left. */
static void fill(const mrn_prepared *p, mrn_law_block *b, int k, uint64_t which, int step)
{
    mrn_rng own = mrn_rng_seed(which, 3), now = mrn_rng_seed(which, 100 + (uint64_t)step);
    mrn_vec3 n = direction(&own);
    b->r_eff[k] = uniform(&own, 1e-3, 5e-3);
    b->m_eff[k] = uniform(&own, 1e-6, 1e-3);
    n = mrn_unit(mrn_axpy(1e-3 * step, direction(&now), n));
    mrn_vec3 u = direction(&now), w = direction(&now);
    u = mrn_scale(uniform(&now, 0, 0.1), mrn_axpy(-mrn_dot(u, n), n, u));
    w = mrn_scale(uniform(&now, 0, 50), w);
    b->rate[k] = uniform(&now, -0.3, 0.3);
    b->delta[k] = pow(10, uniform(&now, -9, -4.5));
    b->fresh[k] = step == 0;
    if (step == 0 && which % 3 > 0)
        b->rate[k] = fabs(b->rate[k]), b->delta[k] = uniform(&now, 0, 1) * b->rate[k] * b->h;
    if (which % 11 == 0)
        u = w = mrn_v3(0, 0, 0);
    b->gap[k] = -b->delta[k], b->closing[k] = b->rate[k];
    if (p->range && step > 0 && (which + (uint64_t)step) % 4 == 0) {
        const mrn_law *law = p->part[MRN_LAW_COHESION];
        double reach = law->range(p->coef[MRN_LAW_COHESION], b->r_eff[k]);
        b->gap[k] = uniform(&now, 0, 1) * reach;
        b->delta[k] = b->rate[k] = 0;
    }
    b->nx[k] = n.x, b->ny[k] = n.y, b->nz[k] = n.z;
    b->ux[k] = u.x, b->uy[k] = u.y, b->uz[k] = u.z;
    b->wx[k] = w.x, b->wy[k] = w.y, b->wz[k] = w.z;
    b->spin[k] = uniform(&now, -10, 10);
}

typedef struct answer {
    double normal[6], tangent[6], moment[3], jump;
    double history[MRN_HISTORY_MAX];
} answer;

static answer answer_of(const mrn_prepared *p, const mrn_law_block *b, int k)
{
    answer a = {{b->fn[k], b->energy_n[k], b->loss_n[k], b->k_n[k], b->gamma_n[k], b->press[k]},
                {b->tx[k], b->ty[k], b->tz[k], b->energy_t[k], b->power_t[k], b->slip[k]},
                {0, 0, 0},
                0,
                {0}};
    if (p->moments)
        a.moment[0] = b->mx[k], a.moment[1] = b->my[k], a.moment[2] = b->mz[k];
    if (p->jumps)
        a.jump = b->jump[k];
    for (int i = 0; i < p->history; i++)
        a.history[i] = b->history[i][k];
    return a;
}

static bool finite_all(const answer *a)
{
    const double *x = (const double *)a;
    for (size_t i = 0; i < sizeof *a / sizeof *x; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

#define STEPS 4
static const double H = 1e-6;

/* A block of any length answers, to the last bit, what each contact is answered alone, one by one:
   through the first steps of their lives, each history its own. */
static void one_block(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    (void)v;
    static mrn_law_block all, one;
    static double own[MRN_BLOCK][MRN_HISTORY_MAX];
    static const int lengths[] = {1, 2, 3, 5, 8, 31, 256};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        memset(&all, 0, sizeof all);
        memset(own, 0, sizeof own);
        all.n = lengths[l], all.h = H;
        for (int step = 0; step < STEPS; step++) {
            for (int k = 0; k < all.n; k++)
                fill(p, &all, k, (uint64_t)(k + 5 * all.n), step);
            int beyond = all.n < MRN_BLOCK ? all.n : 0; /* a place that is not of the block */
            if (beyond > 0)
                fill(p, &all, beyond, (uint64_t)step, step);
            answer before = answer_of(p, &all, beyond);
            mrn_law_evaluate(p, &all);
            answer after = answer_of(p, &all, beyond);
            if (beyond > 0 && memcmp(&before, &after, sizeof after) != 0)
                fail_msg("%s: the place after %d contacts has changed", m->name, all.n);
            for (int k = 0; k < all.n; k++) {
                one.n = 1, one.h = H;
                fill(p, &one, 0, (uint64_t)(k + 5 * all.n), step);
                for (int i = 0; i < p->history; i++)
                    one.history[i][0] = own[k][i];
                mrn_law_evaluate(p, &one);
                for (int i = 0; i < p->history; i++)
                    own[k][i] = one.history[i][0];
                answer a = answer_of(p, &all, k), b = answer_of(p, &one, 0);
                if (memcmp(&a, &b, sizeof a) != 0)
                    fail_msg("%s: contact %d of %d, step %d: block and scalar differ", m->name, k,
                             all.n, step);
                if (!finite_all(&a))
                    fail_msg("%s: contact %d of %d, step %d: not finite", m->name, k, all.n, step);
            }
        }
    }
}

static void block_equals_scalar(void **state)
{
    (void)state;
    for_each_model(one_block);
}

/* C and A change places: n, u, w and the history that is odd change sign; the force on the one is
   minus that on the other, bit by bit. */
static void swap(const mrn_prepared *p, const bool *odd, mrn_law_block *b)
{
    double *flip[] = {b->nx, b->ny, b->nz, b->ux, b->uy, b->uz, b->wx, b->wy, b->wz, b->spin};
    for (size_t i = 0; i < sizeof flip / sizeof *flip; i++)
        flip[i][0] = -flip[i][0];
    for (int i = 0; i < p->history; i++)
        b->history[i][0] = odd[i] ? -b->history[i][0] : b->history[i][0];
}

static void same(const mrn_law_model *m, double a, double b, double sign, const char *what)
{
    if (a != sign * b)
        fail_msg("%s: %s is %.17g, after the change of places %.17g", m->name, what, a, b);
}

static void one_reaction(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    (void)v;
    static mrn_law_block b, c;
    bool odd[MRN_HISTORY_MAX];
    mrn_law_model_odd(m, odd);
    for (uint64_t which = 0; which < 60; which++) {
        memset(&b, 0, sizeof b);
        b.n = 1, b.h = H;
        for (int step = 0; step < STEPS; step++) {
            fill(p, &b, 0, which, step);
            c = b;
            swap(p, odd, &c);
            mrn_law_evaluate(p, &b);
            mrn_law_evaluate(p, &c);
            answer x = answer_of(p, &b, 0), y = answer_of(p, &c, 0);
            for (int k = 0; k < 6; k++)
                same(m, x.normal[k], y.normal[k], 1, "a normal answer");
            for (int k = 0; k < 6; k++)
                same(m, x.tangent[k], y.tangent[k], k < 3 ? -1 : 1, "a tangential answer");
            for (int k = 0; k < 3; k++)
                same(m, x.moment[k], y.moment[k], -1, "a moment");
            same(m, x.jump, y.jump, 1, "the jump");
            for (int k = 0; k < p->history; k++)
                same(m, x.history[k], y.history[k], odd[k] ? -1 : 1, "history");
        }
    }
}

static void action_is_reaction(void **state)
{
    (void)state;
    for_each_model(one_reaction);
}

/* Touch without overlap or motion: no force (unless the law pulls), nothing stored, nothing lost.
 */
static void one_zero(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    (void)v;
    static mrn_law_block b;
    for (int fresh = 0; fresh < 2; fresh++) {
        memset(&b, 0, sizeof b);
        b.n = 1, b.h = H, b.nz[0] = 1, b.r_eff[0] = 1e-3, b.m_eff[0] = 1e-5, b.fresh[0] = fresh;
        mrn_law_evaluate(p, &b);
        answer a = answer_of(p, &b, 0);
        assert_true(finite_all(&a));
        for (int k = 0; k < 6; k++)
            if (a.tangent[k] != 0 || (k < 3 && a.moment[k] != 0))
                fail_msg("%s: tangential force or moment at rest", m->name);
        if (p->part[MRN_LAW_COHESION] == NULL && (a.normal[0] != 0 || a.normal[1] != 0))
            fail_msg("%s: force %g, energy %g without overlap", m->name, a.normal[0], a.normal[1]);
        assert_true(a.normal[2] == 0);
    }
}

static void zero_at_zero(void **state)
{
    (void)state;
    for_each_model(one_zero);
}

/* No pull but from cohesion or a contact that ends at zero overlap; Coulomb's limit; the normal law
   never makes energy. */
static void one_tension(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    static mrn_law_block b;
    const mrn_param *all[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, all);
    double mu = INFINITY;
    for (int i = 0; i < n; i++) {
        assert_false(strcmp(all[i]->name, "end-of-contact") == 0 && v[i].number != 0);
        mu = strcmp(all[i]->name, "friction") == 0 ? v[i].number : mu;
    }
    for (uint64_t which = 0; which < 200; which++) {
        memset(&b, 0, sizeof b);
        b.n = 1, b.h = H;
        for (int step = 0; step < STEPS; step++) {
            fill(p, &b, 0, which, step);
            mrn_law_evaluate(p, &b);
            if (p->part[MRN_LAW_COHESION] == NULL && b.fn[0] < 0)
                fail_msg("%s pulls: %g N", m->name, b.fn[0]);
            double t = sqrt(b.tx[0] * b.tx[0] + b.ty[0] * b.ty[0] + b.tz[0] * b.tz[0]);
            if (t > mu * b.press[0] * (1 + 1e-12))
                fail_msg("%s: friction %g N beyond the limit %g N", m->name, t, mu * b.press[0]);
            if (p->part[MRN_LAW_COHESION] == NULL)
                assert_true(b.loss_n[0] >= -1e-12 * fabs(b.fn[0] * b.rate[0]) &&
                            b.energy_n[0] >= 0);
            assert_true(b.energy_t[0] >= 0 && b.k_n[0] >= 0 && b.gamma_n[0] >= 0 &&
                        b.press[0] >= 0);
        }
    }
}

static void never_pulls(void **state)
{
    (void)state;
    for_each_model(one_tension);
}

/* Whatever a step can produce, also in ruin: results stay finite. */
static void one_extreme(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    (void)v;
    static mrn_law_block b;
    static const double deltas[] = {0, 1e-300, 1e-9, 1e-3},
                        rates[] = {0, 1e-300, -1e-300, 1, -1, 1e4, -1e4}, hs[] = {0, 1e-12, 1e-6};
    for (int i = 0; i < 4 * 7 * 3 * 2; i++) {
        memset(&b, 0, sizeof b);
        b.n = 1, b.h = hs[i / 28 % 3];
        for (int step = 0; step < 3; step++) {
            fill(p, &b, 0, (uint64_t)i, 0);
            b.delta[0] = deltas[i % 4], b.rate[0] = rates[i / 4 % 7];
            b.gap[0] = -b.delta[0], b.closing[0] = b.rate[0];
            b.fresh[0] = step == 0 && i / 84 > 0;
            if (step == 2)
                b.ux[0] = b.uy[0] = b.uz[0] = b.wx[0] = b.wy[0] = b.wz[0] = 0;
            mrn_law_evaluate(p, &b);
            answer a = answer_of(p, &b, 0);
            if (!finite_all(&a))
                fail_msg("%s: not finite at overlap %g, rate %g, step %g, %d", m->name, b.delta[0],
                         b.rate[0], b.h, step);
        }
    }
}

static void stays_finite(void **state)
{
    (void)state;
    for_each_model(one_extreme);
}

/* ---- normal laws: what they tell of themselves ---- */

/* stiffness is dF/d(delta) at rest, or more where loading is softer than unloading; k_n is not
   above it; damping and gamma_n are dF/d(rate). Central difference over 1e-4 of the overlap: error
   1e-8. */
static void one_normal(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    (void)v;
    static mrn_law_block b;
    const mrn_law *law = p->part[MRN_LAW_NORMAL];
    const double *c = p->coef[MRN_LAW_NORMAL];
    double r = 2e-3, mass = 1e-4, d = 1e-5, f[4];
    for (int i = 0; i < 4; i++) {
        memset(&b, 0, sizeof b);
        b.n = 1, b.h = 1e-9, b.r_eff[0] = r, b.m_eff[0] = mass;
        b.delta[0] = i < 2 ? d * (1 + 1e-4 * (2 * i - 1)) : d, b.rate[0] = i < 3 ? 0 : 0.01;
        law->evaluate(c, &b, b.history + p->offset[MRN_LAW_NORMAL]);
        f[i] = b.fn[0];
    }
    double slope = (f[1] - f[0]) / (2e-4 * d), k = law->stiffness(c, r, mass, d, 0);
    double g = law->damping != NULL ? law->damping(c, r, mass, d, 0) : 0;
    if (!(k >= slope * (1 - 1e-7)) || !(b.k_n[0] <= k * (1 + 1e-12)))
        fail_msg("%s: slope %g, stiffness %g, k_n %g", m->name, slope, k, b.k_n[0]);
    if (law->n_history == 0)
        assert_true(fabs(k / slope - 1) < 1e-7 && fabs(b.k_n[0] / k - 1) < 1e-12);
    assert_close(b.gamma_n[0], g, 1e-12 * g);
    assert_close((f[3] - f[2]) / 0.01, g, 1e-9 * (g + f[2]));
    for (double speed = 1e-4; speed < 100; speed *= 10) {
        double t = law->contact_time(c, r, mass, speed);
        assert_true(t > 0 && isfinite(t));
        assert_true(law->stiffness(c, r, mass, 0, 0) >= 0);
    }
}

static void normal_laws(void **state)
{
    (void)state;
    for_each_model(one_normal);
}

/* stiffness and damping of all other parts: finite and not negative, from touch on. */
static void one_callback(const mrn_law_model *m, const mrn_prepared *p, mrn_value *v)
{
    (void)m, (void)v;
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        const mrn_law *law = p->part[kind];
        for (double d = 0; law != NULL && d < 1e-4; d = d * 10 + 1e-9) {
            double k = law->stiffness ? law->stiffness(p->coef[kind], 1e-3, 1e-5, d, 1e5) : 0;
            double g = law->damping ? law->damping(p->coef[kind], 1e-3, 1e-5, d, 1) : 0;
            assert_true(isfinite(k) && isfinite(g) && k >= 0 && g >= 0);
        }
        if (law != NULL && law->range != NULL)
            assert_true(law->range(p->coef[kind], 1e-3) >= 0 &&
                        isfinite(law->range(p->coef[kind], 1e-3)));
    }
}

static void callbacks(void **state)
{
    (void)state;
    for_each_model(one_callback);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(models),
        cmocka_unit_test(room),
        cmocka_unit_test(refuses_nan),
        cmocka_unit_test(block_equals_scalar),
        cmocka_unit_test(action_is_reaction),
        cmocka_unit_test(zero_at_zero),
        cmocka_unit_test(never_pulls),
        cmocka_unit_test(stays_finite),
        cmocka_unit_test(normal_laws),
        cmocka_unit_test(callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
