/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Glances in single precision are bounds: whoever is met is not passed over, nor expected later
   than met. Crowds about one body: near and far, fast, at rest beside each other, touching, grazing
   to the last digits, far from the origin, falling. */
#include "event/event.h"
#include "event/gas.h"

enum { N = 65, ROUNDS = 4000 };

typedef struct crew {
    mrn_event e;
    mrn_event_grain grain[N];
    mrn_glance glance[N];
    mrn_rng g;
} crew;

static double between(mrn_rng *g, double a, double b)
{
    return a + (b - a) * mrn_rng_uniform(g);
}

static mrn_vec3 some_vector(mrn_rng *g)
{
    return mrn_v3(between(g, -1, 1), between(g, -1, 1), between(g, -1, 1));
}

/* The flight that is at x with velocity v now, begun up to a second before. */
static void begin_at(crew *c, int k, mrn_vec3 x, mrn_vec3 v)
{
    mrn_vec3 g = c->e.falls ? c->e.g : mrn_v3(0, 0, 0);
    double s = between(&c->g, 0, 1);
    c->grain[k].flight.t = c->e.now - s;
    mrn_store3(c->grain[k].flight.x, mrn_axpy(0.5 * s * s, g, mrn_axpy(-s, v, x)));
    mrn_store3(c->grain[k].flight.v, mrn_axpy(-s, g, v));
    c->grain[k].flight.meets =
        between(&c->g, 0, 1) < 0.5 ? INFINITY : c->e.now + between(&c->g, 0, 3);
    c->grain[k].flyer.radius = between(&c->g, 0, 1) < 0.5 ? 0.5 : between(&c->g, 0.1, 0.5);
    c->grain[k].flyer.inverse_mass = 1;
}

/* Somewhere about the body at x with velocity v; some go just past it. */
static void place_about(crew *c, int k, mrn_vec3 x, mrn_vec3 v, double speed)
{
    mrn_rng *g = &c->g;
    mrn_vec3 n = mrn_unit(some_vector(g)), w = mrn_scale(speed, some_vector(g));
    double kind = between(g, 0, 1), sum = 1;
    double away = kind < 0.2 ? sum * (1 + 1e-9 * between(g, -1, 1)) : between(g, 1, 4);
    mrn_vec3 d = mrn_scale(away, n);
    if (kind > 0.6 && kind < 0.8) { /* aimed so that it touches, or misses by little */
        mrn_vec3 side = mrn_unit(mrn_cross(n, some_vector(g)));
        mrn_vec3 aim = mrn_axpy(sum * (1 + 1e-6 * between(g, -1, 1)), side, mrn_scale(-1, d));
        w = mrn_scale(speed * between(g, 1e-6, 1), aim);
    }
    if (kind > 0.9) /* beside each other */
        w = mrn_scale(between(g, 0, 1e-5), w);
    begin_at(c, k, mrn_add(x, d), mrn_add(v, w));
}

/* When k is met, from where both are now. */
static double meets(const crew *c, int k)
{
    const mrn_event *e = &c->e;
    mrn_vec3 d = mrn_sub(mrn_event_position(e, k, e->now), mrn_event_position(e, 0, e->now));
    mrn_vec3 w = mrn_sub(mrn_event_velocity(e, k, e->now), mrn_event_velocity(e, 0, e->now));
    double sum = c->grain[0].flyer.radius + c->grain[k].flyer.radius,
           gap = mrn_dot(d, d) - sum * sum;
    double dw = mrn_dot(d, w), root = dw * dw - mrn_dot(w, w) * gap;
    return dw < 0 && root >= 0 ? fmax(gap, 0) / (sqrt(root) - dw) : INFINITY;
}

/* How many were judged to be met by nobody, and how many are met. */
static void check(const crew *c, const mrn_crowd *crowd, int *never, int *met)
{
    for (int k = 1; k < N; k++) {
        double s = meets(c, k);
        int32_t key = crowd->soon[k - 1] & ~MRN_GLANCE_WHICH;
        float soon;
        memcpy(&soon, &key, sizeof soon);
        assert_int_equal(crowd->soon[k - 1] & MRN_GLANCE_WHICH, k - 1);
        *never += key >= MRN_GLANCE_NEVER;
        if (s == INFINITY || c->e.now + s > c->grain[k].flight.meets)
            continue;
        *met += 1;
        if (!(soon <= s * c->e.glance.per_time))
            fail_msg("body %d is met after %.9g spans, and was expected after %.9g", k,
                     s * c->e.glance.per_time, (double)soon);
    }
}

static void bounds_hold(double scale, double speed, bool falls)
{
    crew *c = calloc(1, sizeof *c);
    int never = 0, met = 0;
    c->g = mrn_rng_seed(11, 3);
    c->e = (mrn_event){.n = N,
                       .grain = c->grain,
                       .glance = {.of = c->glance},
                       .largest = 0.5,
                       .scale = scale,
                       .falls = falls,
                       .g = {0, 0, -10},
                       .now = 17};
    for (int round = 0; round < ROUNDS; round++) {
        mrn_vec3 x = mrn_scale(scale, some_vector(&c->g));
        mrn_vec3 v = mrn_scale(speed, some_vector(&c->g));
        mrn_crowd crowd = {.n = N - 1};
        begin_at(c, 0, x, v);
        for (int k = 1; k < N; k++) {
            place_about(c, k, x, v, speed);
            crowd.who[k - 1] = k;
        }
        double now = c->e.now, span = between(&c->g, 0.5, 2) / speed;
        c->e.now = now - between(&c->g, 0, 1) * span; /* shown some time ago */
        mrn_event_show_all(&c->e, span);
        c->e.now = now;
        mrn_event_glance(&c->e, 0, &crowd);
        check(c, &crowd, &never, &met);
        int32_t least = crowd.soon[0];
        for (int k = 1; k < N - 1; k++)
            least = crowd.soon[k] < least ? crowd.soon[k] : least;
        assert_int_equal(crowd.first, least);
    }
    assert_true(met > ROUNDS && never > 20 * ROUNDS); /* both kinds are there, and most are spared
                                                       */
    free(c);
}

static void nobody_is_passed_over(void **state)
{
    (void)state;
    bounds_hold(5, 1, false);
    bounds_hold(50, 1, true);
    bounds_hold(5000, 1e-3, false);
    bounds_hold(5, 1e3, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_is_passed_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
