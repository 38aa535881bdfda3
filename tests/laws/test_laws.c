/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two workhorses, linear and hertz-mindlin, by themselves: restitution asked and obtained,
   blocks against the formulas written out, the list of models and its tables. */
#include "laws/hertz.h"
#include "laws/linear.h"
#include "world.h"
#include <stdlib.h>

static mrn_material_pair glass(void)
{
    return mrn_material_pair_mix(1e9, 0.25, 2500, 1e9, 0.25, 2500);
}

static mrn_prepared prepared(const char *model, const char *const *names, const double *values,
                             int n)
{
    const mrn_law_model *m = mrn_law_model_find(model);
    assert_non_null(m);
    const mrn_param *p[MRN_PARAM_MAX];
    mrn_value v[MRN_PARAM_MAX] = {0};
    int count = mrn_law_model_params(m, p);
    for (int i = 0; i < count; i++) {
        v[i].number = p[i]->fallback;
        for (int k = 0; k < n; k++)
            if (strcmp(p[i]->name, names[k]) == 0)
                v[i].given = true, v[i].number = values[k];
    }
    mrn_prepared out;
    mrn_message msg = {0};
    mrn_material_pair mat = glass();
    ok(mrn_law_prepare(m, &mat, v, &out, &msg), &msg);
    return out;
}

/* ---- restitution: one impact by fourth-order Runge-Kutta, the law asked as a function ---- */

static double normal_force(const mrn_prepared *p, double r, double m, double delta, double rate)
{
    static mrn_law_block b;
    b.n = 1, b.h = 0;
    b.delta[0] = delta, b.rate[0] = rate, b.r_eff[0] = r, b.m_eff[0] = m, b.fresh[0] = 0;
    const mrn_law *law = p->part[MRN_LAW_NORMAL];
    law->evaluate(p->coef[MRN_LAW_NORMAL], &b, b.history);
    return b.fn[0];
}

/* -v'/v of an impact with unit speed v. The end is where the overlap is zero, or (no tension) where
   the force has come back to zero: from there on the velocity does not change. */
static double impact(const mrn_prepared *p, double r, double m, double v, double h)
{
    double x = 0, u = v;
    for (long n = 0; n < 2000000; n++) {
        double k[4][2], y[2] = {x, u};
        for (int s = 0; s < 4; s++) {
            double a = s == 0 ? 0 : s == 3 ? 1 : 0.5;
            double xs = y[0] + (s ? a * h * k[s - 1][0] : 0),
                   us = y[1] + (s ? a * h * k[s - 1][1] : 0);
            k[s][0] = us;
            k[s][1] = -normal_force(p, r, m, fmax(xs, 0), us) / m;
        }
        double nx = x + h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
        double nu = u + h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
        if (nx <= 0)
            return -(u + (nu - u) * x / (x - nx)) / v;
        if (nu < 0 && nu == u) /* no force any more */
            return -nu / v;
        x = nx, u = nu;
    }
    fail_msg("the impact does not end");
    return 0;
}

/* Asked within 1e-4: the step is 1/10000 of the contact; the law is not smooth at touch
 * (delta^(1/4), a dashpot that jumps) and at the end. */
static void restitution(void **state)
{
    (void)state;
    const char *models[] = {"linear", "linear", "hertz-mindlin"};
    double r = 5e-3, m = 1e-3;
    for (int k = 0; k < 3; k++)
        for (int end = 0; end < 2; end++)
            for (double e = 0.05; e <= 1; e += 0.19) {
                if (k == 1 && mrn_linear_zeta(e, end == 0) >= 1)
                    continue;
                const char *names[] = {k == 1 ? "contact-time" : "normal-stiffness", "restitution",
                                       "end-of-contact", "friction"};
                double values[] = {k == 1 ? 1e-4 : 1e5, e, end, 0.3};
                mrn_prepared p = prepared(models[k], names, values, 4);
                const mrn_law *law = p.part[MRN_LAW_NORMAL];
                double v = 0.7, t = law->contact_time(p.coef[MRN_LAW_NORMAL], r, m, v);
                assert_close(impact(&p, r, m, v, t / 10000), e, 1e-4);
            }
}

/* The closed forms and their inverses, over the whole range and through the critical damping. */
static void inverses(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        double last_l = -1, last_h = -1;
        for (double e = 1; e > 0.001; e *= 0.93) {
            double z = mrn_linear_zeta(e, f), a = mrn_hertz_alpha(e, f);
            assert_close(mrn_linear_restitution(z, f), e, 1e-9);
            assert_close(mrn_hertz_restitution(a, f), e, 1e-9);
            assert_true(z > last_l && a > last_h); /* less restitution, more damping */
            last_l = z, last_h = a;
        }
    }
    /* continuous where the oscillator becomes overdamped */
    assert_close(mrn_linear_restitution(1, true), exp(-2), 1e-15);
    for (double d = 1e-3; d > 1e-9; d *= 0.1) {
        assert_close(mrn_linear_restitution(1 - d, true), exp(-2), d);
        assert_close(mrn_linear_restitution(1 + d, true), exp(-2), d);
        double c = sqrt(5); /* 5/4 = alpha^2 / 4 */
        assert_close(mrn_hertz_restitution(c * (1 - d), true),
                     mrn_hertz_restitution(c * (1 + d), true), 2 * d);
    }
    /* ends of the range: 1 is elastic, 0 counts as 0.001 */
    assert_true(mrn_linear_zeta(1, true) == 0 && mrn_hertz_alpha(1, false) == 0);
    assert_true(mrn_linear_zeta(0, true) == mrn_linear_zeta(1e-3, true));
    assert_true(mrn_hertz_alpha(0, true) == mrn_hertz_alpha(1e-3, true));
    assert_true(isfinite(mrn_hertz_alpha(0, true)) && isfinite(mrn_linear_zeta(0, false)));
}

/* ---- blocks ---- */

static double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

/* One random contact at place k, from its own stream: the same whatever k. */
static void fill(mrn_law_block *b, int k, uint64_t which, int width)
{
    mrn_rng r = mrn_rng_seed(which, 9);
    mrn_vec3 n = mrn_unit(mrn_v3(mrn_rng_normal(&r), mrn_rng_normal(&r), mrn_rng_normal(&r)));
    mrn_vec3 u = mrn_v3(mrn_rng_normal(&r), mrn_rng_normal(&r), mrn_rng_normal(&r));
    u = mrn_scale(uniform(&r, 0, 0.1), mrn_axpy(-mrn_dot(u, n), n, u));
    mrn_vec3 s =
        mrn_scale(1e-6, mrn_v3(mrn_rng_normal(&r), mrn_rng_normal(&r), mrn_rng_normal(&r)));
    b->delta[k] = pow(10, uniform(&r, -9, -4));
    b->rate[k] = uniform(&r, -0.3, 0.3);
    b->nx[k] = n.x, b->ny[k] = n.y, b->nz[k] = n.z;
    b->ux[k] = u.x, b->uy[k] = u.y, b->uz[k] = u.z;
    b->wx[k] = b->wy[k] = b->wz[k] = 0;
    b->r_eff[k] = uniform(&r, 1e-3, 5e-3);
    b->m_eff[k] = uniform(&r, 1e-6, 1e-3);
    b->spin[k] = uniform(&r, -10, 10);
    b->fresh[k] = which % 5 == 0;
    double h[4] = {s.x, s.y, s.z, sqrt(b->delta[k]) * uniform(&r, 0.8, 1.2)};
    for (int i = 0; i < width; i++)
        b->history[i][k] = b->fresh[k] > 0 ? 0 : h[i];
}

typedef struct answer {
    double fn, en, loss, t[3], et, pt, slip, history[4];
} answer;

static answer read_answer(const mrn_law_block *b, int k, int width)
{
    answer a = {b->fn[k],       b->energy_n[k], b->loss_n[k], {b->tx[k], b->ty[k], b->tz[k]},
                b->energy_t[k], b->power_t[k],  b->slip[k],   {0}};
    for (int i = 0; i < width; i++)
        a.history[i] = b->history[i][k];
    return a;
}

static const char *const two[] = {"linear", "hertz-mindlin"};

static mrn_prepared sample(int model, int end, double mu)
{
    const char *names[] = {"normal-stiffness", "restitution", "end-of-contact", "friction"};
    double values[] = {1e5, 0.6, end, mu};
    return prepared(two[model], names, values, 4);
}

/* The same formulas written once more, plainly, for contacts that are not fresh. To rounding: some
   units of 1e-16, and where spring and dashpot cancel that of the larger one. */
static void scalar_formula(void **state)
{
    (void)state;
    mrn_law_block *b = calloc(1, sizeof *b);
    for (int model = 0; model < 2; model++)
        for (int end = 0; end < 2; end++) {
            double mu = 0.4, e = 0.6;
            mrn_prepared p = sample(model, end, mu);
            bool hertz = model == 1;
            double e_star = 0.5 * 1e9 / (1 - 0.0625), shear = 1e9 / 2.5,
                   g_star = shear / (2 * 1.75);
            for (uint64_t which = 1; which < 256; which += which % 5 == 4 ? 2 : 1) {
                b->n = 1, b->h = 1e-9; /* short: weights at begin and end of contact do not enter */
                fill(b, 0, which, p.history);
                double d = b->delta[0], rate = b->rate[0], r = b->r_eff[0], m = b->m_eff[0];
                mrn_vec3 s = {b->history[0][0], b->history[1][0], b->history[2][0]};
                mrn_vec3 n = {b->nx[0], b->ny[0], b->nz[0]}, u = {b->ux[0], b->uy[0], b->uz[0]};
                double old = hertz ? b->history[3][0] : 0, length = mrn_norm(s);
                if (d < 2e-9) /* would end within the step */
                    continue;
                mrn_law_evaluate(&p, b);
                double k = hertz ? 4.0 / 3 * e_star * sqrt(r) : 1e5;
                double spring = hertz ? k * pow(d, 1.5) : k * d;
                double g = hertz ? mrn_hertz_alpha(e, end == 0) * sqrt(m * k) * pow(d, 0.25)
                                 : 2 * mrn_linear_zeta(e, end == 0) * sqrt(m * k);
                double f = spring + g * rate, size = spring + g * fabs(rate);
                f = f < 0 && end == 0 ? 0 : f;
                assert_close(b->fn[0], f, 1e-14 * size);
                assert_close(b->energy_n[0], hertz ? 0.4 * k * pow(d, 2.5) : 0.5 * k * d * d,
                             1e-14 * spring * d);
                assert_close(b->loss_n[0], (f - spring) * rate, 1e-14 * size * fabs(rate));
                assert_true(b->loss_n[0] >= 0);
                /* tangential: the spring in the plane with its length kept (shrunk when the load
                 * grew), half a step further */
                double kt = hertz ? 8 * g_star * sqrt(r * d) : glass().kappa * k;
                double shrink = hertz && old < sqrt(d) ? old / sqrt(d) : 1;
                mrn_vec3 turned = mrn_axpy(b->h * b->spin[0], mrn_cross(n, s), s);
                mrn_vec3 flat = mrn_axpy(-mrn_dot(turned, n), n, turned);
                flat = mrn_scale(shrink * length / mrn_norm(flat), flat);
                mrn_vec3 xi = mrn_axpy(0.5 * b->h, u, flat);
                mrn_vec3 t = mrn_scale(-1, mrn_axpy(g, u, mrn_scale(kt, xi)));
                double limit = mu * fabs(f), is = mrn_norm(t);
                t = is > limit ? mrn_scale(limit / is, t) : t;
                mrn_vec3 got = {b->tx[0], b->ty[0], b->tz[0]};
                assert_close(mrn_norm(mrn_sub(got, t)), 0, 1e-13 * is);
                assert_true(mrn_norm(got) <= mu * fabs(b->fn[0]) * (1 + 1e-14));
                assert_int_equal(b->slip[0] > 0, is > limit);
                assert_close(b->power_t[0], -mrn_dot(got, u), 1e-13 * is * mrn_norm(u));
                assert_true(b->energy_t[0] >= 0);
            }
        }
    free(b);
}

/* h = 0 evaluates without moving the spring: asked twice, the same force, and the history as it was
 * (in its plane already). */
static void no_time_no_history(void **state)
{
    (void)state;
    mrn_law_block *b = calloc(1, sizeof *b);
    for (int model = 0; model < 2; model++) {
        mrn_prepared p = sample(model, 0, 5);
        for (uint64_t which = 1; which < 50; which++) {
            b->n = 1, b->h = 1e-7;
            fill(b, 0, which, p.history);
            mrn_law_evaluate(&p, b);
            b->fresh[0] = 0, b->h = 0;
            mrn_law_evaluate(&p, b);
            answer first = read_answer(b, 0, p.history);
            mrn_law_evaluate(&p, b);
            answer second = read_answer(b, 0, p.history);
            for (int k = 0; k < 3; k++) {
                double size = fabs(first.t[0]) + fabs(first.t[1]) + fabs(first.t[2]);
                assert_close(first.t[k], second.t[k], 1e-14 * size);
                assert_close(first.history[k], second.history[k], 1e-14 * 1e-5);
            }
        }
    }
    free(b);
}

/* ---- registry and tables ---- */

static void registry(void **state)
{
    (void)state;
    int n = mrn_law_model_count();
    assert_true(n >= 2);
    assert_null(mrn_law_model_at(-1));
    assert_null(mrn_law_model_at(n));
    assert_null(mrn_law_model_at(INT32_MAX));
    assert_null(mrn_law_model_find("no such law"));
    assert_null(mrn_law_model_find(""));
    assert_null(mrn_law_model_find(NULL));
    assert_null(mrn_law_model_find("Linear"));
    for (int i = 0; i < n; i++) {
        const mrn_law_model *m = mrn_law_model_at(i);
        assert_ptr_equal(mrn_law_model_find(m->name), m); /* no name twice */
        assert_true(m->summary[0] != '\0' && m->doc[0] != '\0');
        assert_non_null(m->part[MRN_LAW_NORMAL]);
        for (int kind = 0; kind < MRN_LAW_KINDS; kind++)
            if (m->part[kind] != NULL)
                assert_int_equal(m->part[kind]->kind, kind);
    }
}

static void check_param(const mrn_param *p)
{
    assert_true(p->name[0] != '\0' && p->doc[0] != '\0' && p->unit != NULL && p->symbol != NULL);
    for (const char *c = p->name; *c != '\0'; c++)
        assert_true((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-');
    assert_true(p->min <= p->max);
    if (!p->required && !isnan(p->fallback)) {
        assert_true(p->fallback >= p->min && p->fallback <= p->max);
        assert_true(!p->min_open || p->fallback > p->min);
    }
    if (p->kind != MRN_P_CHOICE)
        return;
    int n = 0;
    while (p->choices[n] != NULL)
        n++;
    assert_true(n >= 2 && p->max == n - 1);
}

static void tables(void **state)
{
    (void)state;
    for (int i = 0; i < mrn_law_model_count(); i++) {
        const mrn_law_model *m = mrn_law_model_at(i);
        const mrn_param *p[MRN_PARAM_MAX];
        int n = mrn_law_model_params(m, p), offset[MRN_LAW_KINDS], doubles = 0;
        assert_true(n > 0 && n <= MRN_PARAM_MAX);
        for (int a = 0; a < n; a++) {
            check_param(p[a]);
            for (int b = 0; b < a; b++)
                assert_string_not_equal(p[a]->name, p[b]->name);
        }
        int width = mrn_law_model_history(m, offset);
        bool odd[MRN_HISTORY_MAX];
        assert_true(width <= MRN_HISTORY_MAX);
        assert_int_equal(mrn_law_model_odd(m, odd), width);
        for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
            const mrn_law *law = m->part[kind];
            assert_int_equal(offset[kind], doubles);
            for (int h = 0; law != NULL && h < law->n_history; h++)
                for (int k = 0; k < (law->history[h].vector ? 3 : 1); k++)
                    assert_int_equal(odd[doubles++], law->history[h].odd);
            /* what two parts share under one name must be one and the same thing */
            for (int a = 0; law != NULL && a < law->n_params; a++)
                for (int b = 0; b < n; b++)
                    if (strcmp(law->params[a].name, p[b]->name) == 0)
                        assert_true(law->params[a].kind == p[b]->kind &&
                                    law->params[a].min == p[b]->min &&
                                    law->params[a].max == p[b]->max &&
                                    strcmp(law->params[a].unit, p[b]->unit) == 0);
        }
        assert_int_equal(doubles, width);
    }
}

/* What cannot be is refused with a message that says what would be right; without a message to
 * fill, too. */
static void refusals(void **state)
{
    (void)state;
    struct {
        const char *model, *give[3];
        double value[3];
        double young;
        const char *says;
    } c[] = {
        {"linear", {"restitution"}, {0.5}, 1e9, "normal-stiffness"},
        {"linear",
         {"normal-stiffness", "contact-time", "restitution"},
         {1e5, 1e-4, 0.5},
         1e9,
         "contact-time"},
        {"linear", {"normal-stiffness"}, {1e5}, 1e9, "restitution"},
        {"linear",
         {"normal-stiffness", "restitution", "normal-damping"},
         {1e5, 0.5, 1},
         1e9,
         "normal-damping"},
        {"linear", {"contact-time", "restitution"}, {1e-4, 0.01}, 1e9, "contact-time"},
        {"linear", {"contact-time", "normal-damping"}, {1e-4, 1}, 1e9, "contact-time"},
        {"hertz-mindlin", {NULL}, {0}, 1e9, "restitution"},
        {"hertz-mindlin", {"restitution", "damping"}, {0.5, 0.3}, 1e9, "damping"},
        {"hertz-mindlin", {"restitution"}, {0.5}, 0, "Young"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const mrn_law_model *m = mrn_law_model_find(c[i].model);
        const mrn_param *p[MRN_PARAM_MAX];
        mrn_value v[MRN_PARAM_MAX] = {0};
        int n = mrn_law_model_params(m, p);
        for (int k = 0; k < n; k++) {
            v[k].number = p[k]->fallback;
            v[k].line = 10 + k, v[k].column = 3;
            for (int g = 0; g < 3; g++)
                if (c[i].give[g] != NULL && strcmp(p[k]->name, c[i].give[g]) == 0)
                    v[k].given = true, v[k].number = c[i].value[g];
        }
        mrn_material_pair mat =
            mrn_material_pair_mix(c[i].young, 0.25, 2500, c[i].young, 0.25, 2500);
        mrn_prepared out;
        mrn_message msg = {0};
        assert_int_equal(mrn_law_prepare(m, &mat, v, &out, &msg), MRN_ERR_INPUT);
        assert_int_equal(msg.status, MRN_ERR_INPUT);
        assert_non_null(strstr(msg.text, c[i].says));
        assert_true(msg.expected[0] != '\0' || msg.hint[0] != '\0');
        assert_int_equal(mrn_law_prepare(m, &mat, v, &out, NULL), MRN_ERR_INPUT);
    }
}

/* Mixing is symmetric and has the known special cases. */
static void mixing(void **state)
{
    (void)state;
    mrn_material_pair a = mrn_material_pair_mix(1e9, 0.2, 2500, 70e9, 0.3, 2700);
    mrn_material_pair b = mrn_material_pair_mix(70e9, 0.3, 2700, 1e9, 0.2, 2500);
    assert_close(a.e_star / b.e_star, 1, 1e-15);
    assert_close(a.g_star / b.g_star, 1, 1e-15);
    assert_close(a.kappa / b.kappa, 1, 1e-15);
    mrn_material_pair s = mrn_material_pair_mix(1e9, 0.25, 1, 1e9, 0.25, 1);
    assert_close(s.e_star, 0.5 * 1e9 / (1 - 0.0625), 1e-6);
    assert_close(s.g_star, 1e9 / 2.5 / (2 * 1.75), 1e-6);
    assert_close(s.kappa, 2 * 0.75 / 1.75, 1e-15);
    /* k_t / k_n of a Hertz-Mindlin contact is kappa: 8 G* sqrt(R d) / (2 E* sqrt(R d)) */
    assert_close(8 * s.g_star / (2 * s.e_star), s.kappa, 1e-14);
    mrn_material_pair none = mrn_material_pair_mix(0, 0, 1, 1e9, 0.25, 1);
    assert_true(none.e_star == 0 && none.g_star == 0 && none.kappa > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restitution),    cmocka_unit_test(inverses),
        cmocka_unit_test(scalar_formula), cmocka_unit_test(no_time_no_history),
        cmocka_unit_test(registry),       cmocka_unit_test(tables),
        cmocka_unit_test(refusals),       cmocka_unit_test(mixing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
