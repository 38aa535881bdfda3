/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling and twisting laws by themselves: limits, what they hold, no work on the other motion, no
   energy made, no chatter, parity. */
#include "laws/block.h"

#define R    2e-3
#define M    1e-5
#define MU_R 0.1

typedef struct law_case {
    parts p;
    given g[5];
    bool twists, holds;
} law_case;

static const law_case cases[] = {
    {{.normal = "hertz", .rolling = "constant-torque"}, {{"rolling-friction", MU_R}}, false, false},
    {{.normal = "hertz", .rolling = "viscous-torque"}, {{"rolling-viscosity", 1}}, false, false},
    {{.normal = "hertz", .rolling = "elastic-plastic"}, {{"rolling-friction", MU_R}}, false, true},
    {{.normal = "hertz", .rolling = "elastic-plastic"},
     {{"rolling-friction", MU_R}, {"rolling-stiffness", 1}, {"rolling-damping", 0}},
     false,
     true},
    {{.normal = "hertz", .twisting = "constant"}, {{"twisting-friction", MU_R}}, true, false},
    {{.normal = "hertz", .twisting = "elastic-plastic"}, {{"twisting-friction", MU_R}}, true, true},
    /* A = R s/m: the same moment as the viscous torque above */
    {{.normal = "hertz", .rolling = "viscoelastic"}, {{"relaxation-time", R}}, false, false},
};
#define CASES ((int)(sizeof cases / sizeof *cases))

static mrn_prepared prepared_case(int k)
{
    mrn_material_pair mat = glass();
    mrn_prepared p = prepared_parts(cases[k].p, &mat, cases[k].g);
    assert_true(p.moments);
    return p;
}

static mrn_vec3 moment(const mrn_law_block *b)
{
    return mrn_v3(b->mx[0], b->my[0], b->mz[0]);
}

static void turn(mrn_law_block *b, mrn_vec3 w)
{
    b->wx[0] = w.x, b->wy[0] = w.y, b->wz[0] = w.z;
}

/* Steady turning: the moment is mu_r R F_n against it, along it alone; about the other axis there
   is none. The spring loads over 0.1 rad, thousands of steps. */
static void limits(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        mrn_prepared p = prepared_case(k);
        mrn_law_block *b = one_contact(R, M, 1e-6);
        overlap(b, 1e-3 * R, 0);
        mrn_vec3 w = cases[k].twists ? mrn_v3(40, 0, 0) : mrn_v3(0, 24, 32);
        mrn_vec3 other = cases[k].twists ? mrn_v3(0, 24, 32) : mrn_v3(40, 0, 0);
        turn(b, other);
        for (int i = 0; i < 100; i++) {
            ask(&p, b);
            assert_true(mrn_norm(moment(b)) == 0 && b->power_t[0] == 0 && b->energy_t[0] == 0);
        }
        turn(b, mrn_add(w, other));
        double full = MU_R * R * b->press[0], last = 0;
        if (k == 1 || k == 6) /* eta_r R F_n (R w), eta_r = 1 */
            full = R * b->press[0] * R * 40;
        for (int i = 0; i < 20000; i++) {
            ask(&p, b);
            double m = mrn_norm(moment(b));
            assert_true(m >= last * (1 - 1e-12) && m <= full * (1 + 1e-12));
            assert_close(mrn_dot(moment(b), w), -m * 40, 1e-9 * m * 40);
            assert_close(b->power_t[0], m * 40, 1e-9 * full * 40);
            last = m;
        }
        assert_close(last / full, 1, 1e-12);
        free(b);
    }
}

/* k_r = 2.25 k_n (mu_r R)^2, or kappa k_n R^2: moment per angle before the limit, without
   damping. */
static void stiffnesses(void **state)
{
    (void)state;
    mrn_material_pair mat = glass();
    double want[] = {2.25 * MU_R * MU_R, mat.kappa, 0.5};
    for (int k = 0; k < 3; k++) {
        given g[] = {{"rolling-friction", MU_R}, {"rolling-damping", 0}, {NULL, 0}, {NULL, 0}};
        if (k == 1)
            g[2] = (given){"rolling-stiffness", 1};
        if (k == 2)
            g[2] = (given){"rolling-stiffness-ratio", 0.5};
        mrn_prepared p =
            prepared_parts((parts){.normal = "hertz", .rolling = "elastic-plastic"}, &mat, g);
        mrn_law_block *b = one_contact(R, M, 1e-6);
        overlap(b, 1e-3 * R, 0);
        turn(b, mrn_v3(0, 1, 0));
        for (int i = 0; i < 10; i++)
            ask(&p, b);
        double kr = -b->my[0] / (9.5e-6); /* the moment of the middle of the last step */
        assert_close(kr / (want[k] * b->k_n[0] * R * R), 1, 1e-12);
        const mrn_law *law = p.part[MRN_LAW_ROLLING];
        assert_close(law->stiffness(p.coef[MRN_LAW_ROLLING], R, M, 1e-3 * R, b->k_n[0]),
                     want[k] * b->k_n[0], 1e-12 * b->k_n[0]);
        free(b);
    }
}

/* The dashpot of elastic-plastic: a part of the critical one of the spring k_r with 7/5 m R^2, what
   a sphere that rolls has about its contact; and no more than what a step can stop. */
static void damping_of_a_spring(void **state)
{
    (void)state;
    mrn_material_pair mat = glass();
    for (int k = 0; k < 2; k++) {
        const double part = k == 0 ? 1e-3 : 1, h = k == 0 ? 1e-6 : 1e-3, w = 1e-6;
        given g[] = {{"rolling-friction", MU_R},
                     {"rolling-damping", part},
                     {"rolling-stiffness-ratio", 0.5},
                     {NULL, 0}};
        mrn_prepared p =
            prepared_parts((parts){.normal = "hertz", .rolling = "elastic-plastic"}, &mat, g);
        mrn_law_block *b = one_contact(R, M, h);
        overlap(b, 1e-3 * R, 0);
        turn(b, mrn_v3(0, w, 0));
        ask(&p, b);
        double kr = 0.5 * b->k_n[0] * R * R, critical = 2 * sqrt(1.4 * M * R * R * kr);
        double dashpot = k == 0 ? part * critical : 0.1 * M * R * R / h;
        assert_true(k == 0 ? dashpot < 0.05 * M * R * R / h : part * critical > 2 * dashpot);
        assert_close(-b->my[0] / (w * (dashpot + 0.5 * h * kr)), 1, 1e-12);
        free(b);
    }
}

/* A spring without a dashpot that is carried from step to step: what it takes is the mean moment
   along the way, also where its stiffness has fallen or grown with the load between the two. */
static void work_of_a_kept_spring(void **state)
{
    (void)state;
    mrn_material_pair mat = glass();
    given g[] = {{"rolling-friction", 1},
                 {"rolling-damping", 0},
                 {"rolling-stiffness-ratio", 0.01},
                 {NULL, 0}};
    mrn_prepared p =
        prepared_parts((parts){.normal = "hertz", .rolling = "elastic-plastic"}, &mat, g);
    mrn_law_block *b = one_contact(R, M, 1e-6);
    mrn_vec3 before = {0, 0, 0};
    b->mean = true, b->px[0] = 1;
    for (int i = 0; i < 60; i++) {
        mrn_vec3 w = {0, 20 * cos(0.2 * i), 20 * sin(0.3 * i)};
        overlap(b, 1e-3 * R * (1 + 0.5 * cos(0.4 * i)), 0);
        b->ay[0] = w.y, b->az[0] = w.z;
        turn(b, w);
        ask(&p, b);
        mrn_vec3 now = moment(b), mean = mrn_scale(0.5, mrn_add(before, now));
        double work = -b->h * mrn_dot(mean, w), scale = b->h * mrn_norm(mean) * mrn_norm(w);
        assert_true(b->power_t[0] == 0);
        assert_close(b->work_t[0], work, 1e-12 * scale);
        before = now;
    }
    free(b);
}

/* Random turning and load; work less stored energy is never negative. */
static void energy_is_never_made(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        mrn_prepared p = prepared_case(k);
        double worst = 0;
        for (uint64_t seed = 1; seed <= 500; seed++) {
            mrn_rng r = mrn_rng_seed(seed, 2);
            mrn_law_block *b = one_contact(R, M, 1e-6);
            double d = 1e-3 * R, work = 0, scale = 1e-300, least = 0;
            mrn_vec3 w = {0, 0, 0};
            for (int i = 0; i < 150; i++) {
                d = fabs(d * (1 + (seed % 3 ? 0.05 : 0.5) * mrn_rng_normal(&r)));
                d = d < 0.02 * R ? d : 0.02 * R;
                overlap(b, d, 0);
                mrn_vec3 more = {mrn_rng_normal(&r), mrn_rng_normal(&r), mrn_rng_normal(&r)};
                w = mrn_axpy(0.9, w, mrn_scale(uniform(&r, 0, 300), more));
                turn(b, w);
                b->spin[0] = 1e4 * mrn_rng_normal(&r);
                ask(&p, b);
                assert_true(cases[k].holds || (b->power_t[0] >= 0 && b->energy_t[0] == 0));
                double half = 0.5 * b->h * b->power_t[0];
                scale = fmax(scale, fmax(fabs(work), b->energy_t[0]));
                least = fmin(least, work + half - b->energy_t[0]);
                work += 2 * half;
            }
            worst = fmin(worst, least / scale);
            free(b);
        }
        assert_true(worst > -1e-13); /* round-off of 150 steps */
    }
}

/* A grain on a wall that turns freely but for this moment: comes to rest and stays, no chatter. The
   angular velocity never changes sign for those without a spring, and falls for good. */
static void comes_to_rest(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        mrn_prepared p = prepared_case(k);
        mrn_law_block *b = one_contact(R, M, 1e-6);
        overlap(b, 1e-4 * R, 0);
        mrn_vec3 axis = cases[k].twists ? mrn_v3(1, 0, 0) : mrn_v3(0, 1, 0);
        double w = 100, inertia = 0.4 * M * R * R;
        for (int i = 0; i < 40000; i++) {
            turn(b, mrn_scale(w, axis));
            ask(&p, b);
            double next = w + b->h * mrn_dot(moment(b), axis) / inertia;
            assert_true(cases[k].holds || (next >= 0 && next <= w));
            w = next;
        }
        if (k == 3) { /* no dashpot: swings within what the spring can hold */
            double limit = MU_R * R * b->press[0], stiff = glass().kappa * b->k_n[0] * R * R;
            assert_true(fabs(w) < 1.01 * limit / sqrt(stiff * inertia));
        } else if (k == 1 || k == 6) { /* eta_r R F_n (R w), eta_r = 1: it never stops, by a factor
                                          a step */
            double rate = R * R * b->press[0] / inertia;
            assert_true(rate * b->h * 40000 > 0.1);
            assert_close(w / (100 * pow(1 - rate * b->h, 40000)), 1, 1e-9);
        } else {
            assert_true(fabs(w) < 1e-3);
        }
        free(b);
    }
}

/* The moment of viscoelastic balls, A F_n R w with the A of the normal law: of viscosities in every
   way to give them, between unlike materials, beside a law that has them too. */
static void viscoelastic_torque(void **state)
{
    (void)state;
    mrn_material_pair mat = mrn_material_pair_mix(1e9, 0.1, 2500, 3e9, 0.4, 2500);
    double give[2] = {(1 - 0.1 * 0.1) / 1e9, (1 - 0.4 * 0.4) / 3e9}, e1 = 1e6, e2 = 7e5;
    double a[2] = {1.1 / (1e9 * 0.9) * (2. / 3 * (1 - 0.1 + 0.01) * e1 + 0.8 * 0.8 * e2),
                   1.4 / (3e9 * 0.6) * (2. / 3 * (1 - 0.4 + 0.16) * e1 + 0.2 * 0.2 * e2)};
    double time = (give[0] * a[0] + give[1] * a[1]) / (give[0] + give[1]);
    double like = 2 * (1 - 0.25 * 0.25) / (give[0] + give[1]);
    const given way[3][5] = {{{"eta1", e1}, {"eta2", e2}},
                             {{"eta1-over-young", e1 / like}, {"eta2-over-eta1", 0.7}},
                             {{"relaxation-time", time}}};
    for (int k = 0; k < 3; k++) {
        mrn_prepared p =
            prepared_parts((parts){.normal = "hertz", .rolling = "viscoelastic"}, &mat, way[k]);
        mrn_law_block *b = one_contact(R, M, 1e-9);
        overlap(b, 1e-3 * R, 0);
        turn(b, mrn_v3(5, 3, 4));
        ask(&p, b);
        assert_close(mrn_norm(moment(b)) / (time * b->press[0] * R * 5), 1, 1e-12);
        assert_close(b->mx[0], 0, 0); /* what twists it does not see */
        free(b);
    }
    /* with zheng the viscosities are given once and count in both */
    const given shared[5] = {{"eta1", e1}, {"eta2", e2}, {"factor", 2}};
    mrn_prepared p =
        prepared_parts((parts){.normal = "zheng", .rolling = "viscoelastic"}, &mat, shared);
    double damping = p.part[0]->damping(p.coef[0], R, M, 1e-5, 0);
    assert_close(damping / (2 * p.coef[MRN_LAW_ROLLING][0] / (give[0] + give[1]) * sqrt(R * 1e-5)),
                 1, 1e-12);
}

/* A load below the limit is held by the spring, for ever; by a constant moment it is not. */
static void holds_a_load(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        mrn_prepared p = prepared_case(k);
        mrn_law_block *b = one_contact(R, M, 1e-6);
        overlap(b, 1e-3 * R, 0);
        mrn_vec3 axis = cases[k].twists ? mrn_v3(1, 0, 0) : mrn_v3(0, 1, 0);
        double w = 0, angle = 0, late = 0, inertia = 1.4 * M * R * R;
        for (int i = 0; i < 60000; i++) {
            turn(b, mrn_scale(w, axis));
            ask(&p, b);
            double load = 0.5 * MU_R * R * b->press[0];
            w += b->h * (load + mrn_dot(moment(b), axis)) / inertia;
            angle += b->h * w;
            late = i == 40000 ? angle : late;
        }
        double swing = 2 * fabs(angle);
        bool damped = k != 3;
        if (cases[k].holds)
            assert_true(damped ? fabs(angle - late) < 1e-6 * fabs(angle) : swing < 1);
        else
            assert_true(angle > late * 1.2);
        free(b);
    }
}

/* A and C change places: moment changes sign, history by its parity, to the last bit. */
static void parity(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        mrn_prepared p = prepared_case(k);
        mrn_law_model model = mixed(cases[k].p);
        bool odd[MRN_HISTORY_MAX];
        int width = mrn_law_model_odd(&model, odd);
        mrn_rng r = mrn_rng_seed(7, 7);
        mrn_law_block *b = one_contact(R, M, 1e-6), *s = one_contact(R, M, 1e-6);
        for (int i = 0; i < 300; i++) {
            mrn_vec3 n = mrn_unit(mrn_v3(1, 0.02 * i, 0.3 * sin(0.1 * i)));
            mrn_vec3 w = {mrn_rng_normal(&r), mrn_rng_normal(&r), mrn_rng_normal(&r)};
            w = mrn_scale(500, w);
            overlap(b, 1e-3 * R * (1.2 + sin(0.2 * i)), 0);
            overlap(s, b->delta[0], 0);
            b->nx[0] = n.x, b->ny[0] = n.y, b->nz[0] = n.z;
            s->nx[0] = -n.x, s->ny[0] = -n.y, s->nz[0] = -n.z;
            turn(b, w), turn(s, mrn_scale(-1, w));
            b->spin[0] = 30, s->spin[0] = -30;
            ask(&p, b), ask(&p, s);
            mrn_vec3 m = moment(b), back = moment(s);
            assert_true(m.x == -back.x && m.y == -back.y && m.z == -back.z);
            for (int h = 0; h < width; h++)
                assert_true(b->history[h][0] == (odd[h] ? -1 : 1) * s->history[h][0]);
            double along = mrn_dot(m, n), size = mrn_norm(m);
            assert_close(cases[k].twists ? size - fabs(along) : along, 0, 1e-12 * size);
        }
        free(b), free(s);
    }
}

/* Two moments add; the tangential energy and power stay. */
static void they_add(void **state)
{
    (void)state;
    mrn_material_pair mat = glass();
    given g[] = {{"friction", 0.3}, {"rolling-friction", MU_R}, {"twisting-friction", MU_R}, {0}};
    parts all = {.normal = "hertz",
                 .tangential = "mindlin",
                 .rolling = "elastic-plastic",
                 .twisting = "elastic-plastic"};
    mrn_prepared p = prepared_parts(all, &mat, g);
    mrn_law_block *b = one_contact(R, M, 1e-6);
    overlap(b, 1e-3 * R, 0);
    b->uz[0] = 1e-3;
    turn(b, mrn_v3(3, 4, 0));
    for (int i = 0; i < 5; i++)
        ask(&p, b);
    assert_true(b->mx[0] < 0 && b->my[0] < 0 && b->mz[0] == 0);
    double power = -b->tz[0] * 1e-3 - 3 * b->mx[0] - 4 * b->my[0];
    assert_close(b->power_t[0], power, 1e-13 * power);
    free(b);
}

static void refusals(void **state)
{
    (void)state;
    mrn_law_model m = mixed((parts){.normal = "hertz", .rolling = "elastic-plastic"});
    given g[] = {{"rolling-friction", MU_R},
                 {"rolling-stiffness", 1},
                 {"rolling-stiffness-ratio", 2},
                 {NULL, 0}};
    mrn_material_pair mat = glass();
    mrn_prepared out;
    mrn_message msg = {0};
    assert_int_equal(prepare_status(&m, &mat, g, &out, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "rolling-stiffness-ratio"));
    assert_int_equal(prepare_status(&m, &mat, g, &out, NULL), MRN_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),
        cmocka_unit_test(stiffnesses),
        cmocka_unit_test(damping_of_a_spring),
        cmocka_unit_test(work_of_a_kept_spring),
        cmocka_unit_test(comes_to_rest),
        cmocka_unit_test(energy_is_never_made),
        cmocka_unit_test(holds_a_load),
        cmocka_unit_test(parity),
        cmocka_unit_test(viscoelastic_torque),
        cmocka_unit_test(they_add),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
