/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinematics and laws in one loop give the bits of the laws part by part. A grain that is fixed,
   far from all others, makes the engine go part by part: the others must not notice. And bodies
   that begin a step as soon as the one before has ended (many steps in one call) give the bits of
   steps asked for one by one. Contacts that surely stick are answered without a root. */
#include <float.h>

#include "laws/tangent.h"
#include "world.h"

enum { SIDE = 5, GRAINS = SIDE * SIDE * SIDE, STEPS = 1500 };

typedef struct outcome {
    mrn_vec3 x[GRAINS], w[GRAINS];
    mrn_ledger ledger;
    double elastic, max_overlap;
    int64_t met, slid; /* contacts and sliding ones, summed over looks at them */
} outcome;

static double noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1 << 24) - 0.5;
}

/* A cloud that falls together: contacts begin, stick, slide, end and begin again. */
static void cloud(world *w, int dimension, mrn_body *body, bool far_fixed)
{
    uint32_t seed = 7;
    for (int k = 0; k < GRAINS; k++) {
        bool flat = dimension == 2;
        mrn_vec3 at = flat ? mrn_v3(k % 11 - 5.0, k / 11 - 5.0, 0)
                           : mrn_v3(k % SIDE - 2.0, k / SIDE % SIDE - 2.0, k / SIDE / SIDE - 2.0);
        double r = 1e-3 * (0.9 + 0.2 * noise(&seed));
        mrn_vec3 jitter = {noise(&seed), noise(&seed), flat ? 0 : noise(&seed)};
        mrn_vec3 spin = {noise(&seed), noise(&seed), noise(&seed)};
        if (flat)
            spin.x = spin.y = 0;
        mrn_vec3 x = mrn_scale(2.1e-3, mrn_axpy(0.05, jitter, at));
        body[k] =
            world_grain(w, r, x, mrn_axpy(0.1, jitter, mrn_scale(-0.15, at)), mrn_scale(200, spin));
    }
    if (far_fixed) {
        mrn_body f = world_grain(w, 1e-3, mrn_v3(0, 1, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
        w->state.body.flags[mrn_body_index(&w->state, f)] |= MRN_BODY_FIXED;
    }
}

static void begin(world *w, int dimension, const char *law)
{
    world_begin(w, dimension, law, 2500, 5e6, 0.25);
    if (strcmp(law, "linear") == 0) {
        world_law(w, "normal-stiffness", dimension == 3 ? 2e3 : 2e6);
        world_law(w, "restitution", 0.6);
    } else if (strcmp(law, "viscoelastic") == 0) {
        world_law(w, "relaxation-time", 2e-6);
    } else {
        world_law(w, "restitution", 0.6);
    }
    world_law(w, "friction", 0.3);
}

static void outcome_of(const char *law, int dimension, bool far_fixed, int64_t call, outcome *out)
{
    world w;
    mrn_body body[GRAINS];
    memset(out, 0, sizeof *out);
    begin(&w, dimension, law);
    if (dimension == 3)
        world_periodic(&w, 0, 0, 1.06e-2);
    w.scene.gravity = mrn_v3(0, -9.81, 0);
    cloud(&w, dimension, body, far_fixed);
    world_start(&w, 2e-6); /* a hundredth of an impact, or less */
    for (int64_t k = 0; k < STEPS; k += call) {
        world_steps(&w, call);
        out->met += w.state.contacts;
        out->slid += w.state.sliding;
    }
    for (int k = 0; k < GRAINS; k++)
        out->x[k] = world_x(&w, body[k]), out->w[k] = world_w(&w, body[k]);
    out->ledger = w.state.ledger;
    out->elastic = w.state.elastic, out->max_overlap = w.state.max_overlap;
    world_end(&w);
}

static void compare(const char *law, int dimension)
{
    static outcome fused, parts, single;
    outcome_of(law, dimension, false, 20, &fused);
    outcome_of(law, dimension, true, 20, &parts);
    assert_true(fused.met > 1000); /* contacts there were, and many … */
    assert_true(fused.slid > 50);  /* … that slid                     */
    assert_memory_equal(&fused, &parts, sizeof fused);
    outcome_of(law, dimension, false, 1, &single);
    single.met = fused.met, single.slid = fused.slid; /* looked at more often */
    assert_memory_equal(&fused, &single, sizeof fused);
}

static void hertz_mindlin(void **state)
{
    (void)state;
    compare("hertz-mindlin", 3);
}

static void viscoelastic(void **state)
{
    (void)state;
    compare("viscoelastic", 3);
}

static void linear(void **state)
{
    (void)state;
    compare("linear", 3);
}

static void linear_in_a_plane(void **state)
{
    (void)state;
    compare("linear", 2);
}

/* Who surely sticks is told without the root that sliding is judged by: never where that root is
   above the limit, by one unit of the last place even; and nearly always where it is below. */
static void sticking_is_sure(void **state)
{
    (void)state;
    uint32_t seed = 3;
    int64_t sure = 0, many = 0;
    for (int e = -1070; e < 1020; e += 5)
        for (int k = 0; k < 40; k++) {
            mrn_vec3 f = {ldexp(noise(&seed), e), ldexp(noise(&seed), e), ldexp(noise(&seed), e)};
            double size = sqrt(mrn_dot(f, f));
            for (int units = -40; units <= 40; units++) {
                double limit = size * (1 + units * 0.5 * DBL_EPSILON);
                bool slides = size > limit;
                if (mrn_tangent_may_slide(f, limit) > 0)
                    continue;
                if (slides)
                    fail_msg("exponent %d, %d half units: slides, and was held to stick", e, units);
            }
            bool fits = e > -450 && e < 500; /* squares are neither too small nor too large */
            many += fits;
            sure += fits && mrn_tangent_may_slide(f, size * (1 + 1e-12)) == 0;
        }
    assert_int_equal(sure, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sticking_is_sure),  cmocka_unit_test(hertz_mindlin),
        cmocka_unit_test(viscoelastic),      cmocka_unit_test(linear),
        cmocka_unit_test(linear_in_a_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
