/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether collisions are as exact as they say: their errors against a much finer integration and
   against closed forms, over all laws that are integrated as a flow, weakly and strongly damped. */
/* ctest-labels: slow long */
#include "lab/collisions.h"

#define ASKED 1e-6
#define FINE  5e-8 /* a twentieth of what is asked for; law jkr is slow beyond */

/* Where a choice of a law stands. */
static void choose(mrn_collision *c, const char *name, double value)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&c->model, param);
    for (int i = 0; i < n; i++)
        if (strcmp(param[i]->name, name) == 0)
            c->value[i].given = true, c->value[i].number = value;
}

/* Largest error of en, et, omega R/speed and contact time, as `error` has it: et counts as at
   0.57 deg at least, and where there is one. */
static double apart(const mrn_collision *c, const mrn_rebound *a, const mrn_rebound *b)
{
    double along = c->speed * fmax(sin(c->angle), 1e-2);
    double most = fmax(fabs(a->en - b->en), fabs(a->contact_time / b->contact_time - 1));
    if (c->angle > 0)
        most = fmax(most, fabs(a->velocity[0][0] - b->velocity[0][0]) / along);
    return fmax(most, fabs(a->omega - b->omega) * c->radius[0] / c->speed);
}

/* Decades from lo to hi. */
static double decades(mrn_rng *g, double lo, double hi)
{
    return pow(10, lo + (hi - lo) * mrn_rng_uniform(g));
}

/* Contact time of an elastic impact of the two, roughly: the scale of viscosities. */
static double elastic_time(const mrn_collision *c)
{
    double r = c->radius[0], m = mass_of(c), share = isinf(c->radius[1]) ? 1 : 0.5;
    double k = 4.0 / 3 * c->young[0] / (2 * (1 - pow(c->poisson[0], 2))) * sqrt(share * r);
    return 2.94 * pow(1.25 * share * m / k, 0.4) * pow(c->speed * cos(c->angle), -0.2);
}

/* Damping from hardly any to far beyond critical. */
static void damp(mrn_collision *c, mrn_rng *g)
{
    double weak = decades(g, -4, 1), e = 0.03 + 0.96 * mrn_rng_uniform(g);
    double ratio = decades(g, -2, 1), dashpot = decades(g, -2, 0.5);
    bool second = mrn_rng_uniform(g) < 0.5;
    const char *law = c->model.name;
    if (strcmp(law, "linear") == 0 && second)
        give(c, "normal-damping", dashpot * 3 * sqrt(1e6 * mass_of(c)));
    else if (strcmp(law, "zheng") == 0)
        give(c, "eta1-over-young", elastic_time(c) * weak);
    else if (strcmp(law, "viscoelastic") == 0)
        give(c, "relaxation-time", elastic_time(c) * weak * 0.3);
    else if (has(c, "damping"))
        give(c, "damping", dashpot);
    else if (has(c, "restitution"))
        give(c, "restitution", e);
    if (strcmp(law, "zheng") == 0 && second)
        give(c, "eta2-over-eta1", ratio);
}

static void draw(mrn_collision *c, const char *law, mrn_rng *g)
{
    ball(c, law);
    if (has(c, "normal-stiffness"))
        give(c, "normal-stiffness", 1e6);
    c->radius[0] = decades(g, -4, -2);
    double sphere = mrn_rng_uniform(g), head_on = mrn_rng_uniform(g);
    double young = decades(g, 7, 11), angle = 0.3 + 82 * mrn_rng_uniform(g);
    c->radius[1] = sphere < 0.4 ? c->radius[0] : INFINITY;
    c->young[0] = c->young[1] = young;
    c->speed = decades(g, -1.5, 1);
    c->angle = head_on < 0.15 ? 0 : angle * DEG;
    double spin = mrn_rng_uniform(g), turn = 4 * mrn_rng_uniform(g) - 2;
    c->spin[0][1] = spin < 0.3 ? turn * c->speed / c->radius[0] : 0;
    double mu = mrn_rng_uniform(g), work = decades(g, -4, -1), at = mrn_rng_uniform(g);
    give(c, "friction", 0.02 + 0.8 * mu);
    damp(c, g);
    if (has(c, "work-of-adhesion"))
        give(c, "work-of-adhesion", work);
    if (has(c, "surface-tension"))
        give(c, "surface-tension", 0.01), give(c, "liquid-share", 1e-3);
    if (at < 0.3)
        choose(c, "end-of-contact", 1);
}

typedef struct tally {
    int all, over;
    double worst;
} tally;

#define MOST 300

/* n collisions under a law: how many times what was asked for or is admitted they are off. */
static void count(const char *law, int n, mrn_rng *g, tally *t)
{
    mrn_collision *c = calloc(MOST, sizeof *c);
    mrn_rebound *r = calloc(MOST, sizeof *r), *fine = calloc(MOST, sizeof *fine);
    mrn_status s[MOST], s_fine[MOST];
    mrn_message msg = {0};
    assert_true(c != NULL && r != NULL && fine != NULL);
    for (int i = 0; i < n; i++)
        draw(&c[i], law, g);
    assert_true(mrn_collide(c, n, ASKED, r, s, &msg) >= 0);
    assert_true(mrn_collide(c, n, FINE, fine, s_fine, &msg) >= 0);
    for (int i = 0; i < n; i++) {
        assert_true((s[i] == MRN_OK) == (r[i].error <= ASKED));
        if (r[i].stuck || fine[i].stuck || fine[i].error > 1e-7)
            continue; /* when a contact is given up is nobody's truth */
        double times = apart(&c[i], &r[i], &fine[i]) / fmax(ASKED, r[i].error);
        t->all++;
        t->over += times > 3;
        t->worst = fmax(t->worst, times);
    }
    free(c), free(r), free(fine);
}

/* As the header has it: two or three times in the worst of some hundred. Of 14000 others nine were
   off by more than three times at 1e-6, and one of these by more than ten (walton-braun, with an
   overlap of a quarter of the radius); before errors knew how steeply the force falls at the end,
   one in thirty was, by up to 1e5. */
static void all_laws(void **state)
{
    (void)state;
    static const char *const many[] = {"linear", "hertz-mindlin", "zheng"};
    static const char *const few[] = {"viscoelastic", "walton-braun", "elastic", "elastic-viscous",
                                      "hertz",        "jkr",          "dmt",     "liquid-bridge"};
    mrn_rng g = mrn_rng_seed(17, 0);
    tally t = {0};
    for (int k = 0; k < 3; k++)
        count(many[k], MOST, &g, &t);
    for (int k = 0; k < 8; k++)
        count(few[k], MOST / 5, &g, &t);
    assert_true(t.all > 1000);
    assert_true(t.over <= t.all / 200);
    assert_true(t.worst < 6);
}

/* Spring and dashpot beyond critical, F = 0 where r1^2 exp(r1 t) = r2^2 exp(r2 t), with the roots
   r of m r^2 + g r + k = 0. The force comes down ever flatter: with zeta times the
   critical damping an error dv/v of the velocity then is one of 4 zeta^4/ln(2 zeta) dv/v of the
   time, 2e5 of it at the last. */
static void flat_end(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        mrn_collision c;
        ball(&c, "linear");
        double zeta = 1.1 * pow(1.3, k), stiffness = 1e6, m = mass_of(&c), w = sqrt(stiffness / m);
        double root = sqrt(zeta * zeta - 1), slow = -w / (zeta + root), fast = -w * (zeta + root);
        double time = 2 * log(fast / slow) / (slow - fast);
        double en = -(slow * exp(slow * time) - fast * exp(fast * time)) / (slow - fast);
        give(&c, "normal-stiffness", stiffness);
        give(&c, "normal-damping", 2 * zeta * m * w);
        give(&c, "friction", 0.3);
        for (double accuracy = 1e-4; accuracy > 1e-9; accuracy *= 1e-2) {
            mrn_rebound r = collide_one(&c, accuracy);
            assert_close(r.contact_time / time, 1, 3 * accuracy);
            assert_close(r.en, en, 3 * accuracy);
        }
    }
}

static void check(const mrn_collision *c)
{
    mrn_rebound r = collide_one(c, ASKED), fine = collide_one(c, FINE);
    assert_true(apart(c, &r, &fine) < 3 * ASKED);
}

/* The surfaces come to rest, and Zheng's dashpot, which acts on what is slow only, holds them: for
   a step too long it was not there at all. Rolling is 5/7. */
static void held_at_rest(void **state)
{
    (void)state;
    mrn_collision c;
    ball(&c, "zheng");
    give(&c, "eta1-over-young", 1.216e-3);
    give(&c, "friction", 0.73);
    c.radius[0] = 3.88355e-3, c.radius[1] = 1.04774e-3;
    c.young[0] = c.young[1] = 5.48208e7;
    c.poisson[0] = c.poisson[1] = 0.334024;
    c.speed = 1.25746;
    c.angle = 20.6871 * DEG;
    check(&c);
    assert_close(collide_one(&c, ASKED).et, 5.0 / 7, 1e-3);
}

/* With adhesion too nothing presses for a moment on the way out, and what sticks slips. */
static void adhesion_overlap(void **state)
{
    (void)state;
    mrn_collision c;
    ball(&c, "dmt");
    give(&c, "damping", 0.0323721);
    give(&c, "friction", 0.575537);
    give(&c, "work-of-adhesion", 0.0644429);
    choose(&c, "end-of-contact", 1);
    c.radius[0] = 7.39832e-3;
    c.young[0] = c.young[1] = 1.32242e10;
    c.poisson[0] = c.poisson[1] = 0.182659;
    c.speed = 5.51639;
    c.angle = 1.64073 * DEG;
    check(&c);
}

/* A spring that sticks until shortly before the end pulls with all its force then, not with a share
   of the normal one; at small angles that is much of et. */
static void sticks_long(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        mrn_collision c;
        ball(&c, "elastic");
        give(&c, "normal-stiffness", 4.9403e7);
        give(&c, "friction", 0.3 + 0.02 * k);
        c.radius[0] = 1.9765e-4;
        c.speed = 0.10236;
        c.angle = 0.466715 * DEG;
        check(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_laws),     cmocka_unit_test(flat_end),
        cmocka_unit_test(held_at_rest), cmocka_unit_test(adhesion_overlap),
        cmocka_unit_test(sticks_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
