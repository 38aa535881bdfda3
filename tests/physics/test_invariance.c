/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random small worlds under random laws and methods, looked at from outside: what must be kept is
   kept (momentum, energy that only falls), and what must not matter does not (where the origin is,
   how the axes lie, how fast the observer goes, a mirror, the units, the order of bodies in the
   file). Grains in free space, so that nothing but contacts acts. MRN_FUZZ=N tries N worlds. */
#include "run/helper.h"

enum { GRAINS = 6, VALUES = 3 };

typedef struct grain {
    double r;
    mrn_vec3 x, v, w;
} grain;

/* A law with its numbers and their powers of mass, length and time. */
typedef struct law_case {
    const char *method, *text;
    double low[VALUES], high[VALUES];
    int power[VALUES][3];
} law_case;

static const law_case laws[] = {
    {"smooth",
     "law: linear, restitution: %.17g, friction: %.17g, normal-stiffness: %.17g N/m",
     {0.2, 0, 1e4},
     {0.95, 1, 4e4},
     {{0}, {0}, {1, 0, -2}}},
    {"smooth",
     "law: hertz-mindlin, restitution: %.17g, friction: %.17g",
     {0.2, 0},
     {0.95, 1},
     {{0}}},
    {"smooth",
     "law: hertz-mindlin-deresiewicz, restitution: %.17g, friction: %.17g",
     {0.2, 0.1},
     {0.95, 1},
     {{0}}},
    {"smooth",
     "law: hertz-mindlin-rolling, restitution: %.17g, friction: %.17g, rolling-friction: %.17g",
     {0.2, 0, 0.01},
     {0.95, 1, 0.2},
     {{0}}},
    {"smooth",
     "law: jkr, restitution: %.17g, friction: %.17g, surface-energy: %.17g J/m2",
     {0.2, 0, 0.001},
     {0.95, 1, 0.02},
     {{0}, {0}, {1, 0, -2}}},
    {"smooth", "law: zheng, eta1: %.17g Pa s, friction: %.17g", {20, 0}, {200, 1}, {{1, -1, -1}}},
    {"nonsmooth", "law: rigid, restitution: %.17g, friction: %.17g", {0.2, 0}, {0.95, 1}, {{0}}},
    {"event", "law: rigid, restitution: %.17g, friction: %.17g", {0.2, 0}, {0.95, 1}, {{0}}},
};
enum { LAWS = sizeof laws / sizeof laws[0] };

typedef struct world_case {
    const law_case *law;
    double value[VALUES], density, young, step, end;
    grain g[GRAINS];
} world_case;

static double between(mrn_rng *r, double a, double b)
{
    return a + (b - a) * mrn_rng_uniform(r);
}

static mrn_vec3 random_in(mrn_rng *r, double s)
{
    double x = between(r, -s, s), y = between(r, -s, s), z = between(r, -s, s);
    return mrn_v3(x, y, z);
}

/* Grains on the corners of an octahedron, thrown at the middle. */
static world_case draw(uint64_t seed)
{
    static const mrn_vec3 at[GRAINS] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                        {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    mrn_rng r = mrn_rng_seed(seed, 9);
    world_case c = {.law = &laws[seed % LAWS], .density = 2500, .young = 5e6, .end = 40e-3};
    c.step = c.law->method[0] == 's' ? 2e-6 : 2e-5;
    for (int k = 0; k < VALUES; k++)
        c.value[k] = between(&r, c.law->low[k], c.law->high[k]);
    for (int i = 0; i < GRAINS; i++) {
        double radius = between(&r, 3e-3, 5e-3);
        mrn_vec3 aside = random_in(&r, 1e-3), v = random_in(&r, 0.1), w = random_in(&r, 50);
        c.g[i] = (grain){radius, mrn_axpy(9e-3, at[i], aside), mrn_axpy(-0.5, at[i], v), w};
    }
    return c;
}

/* ---- a world that is run ---- */

typedef struct outcome {
    mrn_vec3 x[GRAINS], v[GRAINS], w[GRAINS]; /* by their place in the case */
    mrn_vec3 momentum, spin;
    double energy_before, energy, lost;
} outcome;

static void put_scene(const world_case *c, const int *order, char *out, size_t size)
{
    char law[400], step[60] = "";
    snprintf(law, sizeof law, c->law->text, c->value[0], c->value[1], c->value[2]);
    if (c->law->method[0] != 'e')
        snprintf(step, sizeof step, "time-step: %.17g s\n", c->step);
    int n = snprintf(out, size,
                     "moraine: 1\nmethod: %s\n"
                     "materials: {g: {density: %.17g kg/m3, young: %.17g Pa, poisson: 0.25}}\n"
                     "interactions: [{between: any, %s}]\n%s"
                     "stages: [{until: {time: %.17g s}}]\n",
                     c->law->method, c->density, c->young, law, step, c->end);
    if (c->law->method[0] == 'n') /* to rounding, so that what is left of symmetries is rounding */
        n += snprintf(out + n, size - (size_t)n, "nonsmooth: {tolerance: 1e-12}\n");
    n += snprintf(out + n, size - (size_t)n, "bodies:\n");
    for (int k = 0; k < GRAINS; k++) {
        const grain *g = &c->g[order[k]];
        n += snprintf(out + n, size - (size_t)n,
                      "  - {name: g%d, shape: {sphere: {radius: %.17g}}, place: {list: [{position: "
                      "[%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g], spin: [%.17g, "
                      "%.17g, %.17g]}]}}\n",
                      order[k], g->r, g->x.x, g->x.y, g->x.z, g->v.x, g->v.y, g->v.z, g->w.x,
                      g->w.y, g->w.z);
    }
}

static double energy_of(const mrn_state *s)
{
    double e = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        mrn_vec3 v = mrn_load3(s->body.v + 3 * (size_t)i), w = mrn_load3(s->body.w + 3 * (size_t)i);
        double r = s->body.radius[i], m = s->body.mass[i];
        e += 0.5 * m * mrn_dot(v, v) + 0.5 * 0.4 * m * r * r * mrn_dot(w, w);
    }
    return e;
}

static void take(const int *order, const mrn_state *s, outcome *o)
{
    o->momentum = o->spin = mrn_v3(0, 0, 0);
    for (int32_t i = 0; i < s->body.n; i++) {
        int k = order[s->body.id[i] - (int32_t)s->body.n_walls];
        double m = s->body.mass[i], r = s->body.radius[i];
        o->x[k] = mrn_load3(s->body.x + 3 * (size_t)i);
        o->v[k] = mrn_load3(s->body.v + 3 * (size_t)i);
        o->w[k] = mrn_load3(s->body.w + 3 * (size_t)i);
        o->momentum = mrn_axpy(m, o->v[k], o->momentum);
        o->spin = mrn_add(
            o->spin, mrn_axpy(0.4 * m * r * r, o->w[k], mrn_scale(m, mrn_cross(o->x[k], o->v[k]))));
    }
}

static outcome go(const world_case *c, const int *order)
{
    static const int plain[GRAINS] = {0, 1, 2, 3, 4, 5};
    order = order != NULL ? order : plain;
    char text[8192];
    mrn_scene scene;
    mrn_message msg = {0};
    mrn_world *w = NULL;
    outcome o = {0};
    put_scene(c, order, text, sizeof text);
    ok(mrn_scene_read_text(text, "invariance", NULL, 0, &scene, &msg), &msg);
    ok(mrn_world_create(&scene, &w, &msg), &msg);
    o.energy_before = energy_of(mrn_world_state(w));
    ok(mrn_world_advance(w, c->end, &msg), &msg);
    take(order, mrn_world_state(w), &o);
    o.energy = energy_of(mrn_world_state(w));
    mrn_world_destroy(&w);
    mrn_scene_destroy(&scene);
    return o;
}

/* ---- what must not matter ---- */

static double farthest(const outcome *a, const outcome *b)
{
    double most = 0;
    for (int k = 0; k < GRAINS; k++) {
        most = fmax(most, mrn_norm(mrn_sub(a->v[k], b->v[k])));
        most = fmax(most, 4e-3 * mrn_norm(mrn_sub(a->w[k], b->w[k])));
    }
    return most;
}

typedef mrn_vec3 (*map)(mrn_vec3 a, bool axial);

static mrn_vec3 turned(mrn_vec3 a, bool axial)
{
    (void)axial;
    mrn_quat q = mrn_quat_unit((mrn_quat){0.3, 0.5, -0.7, 0.2});
    return mrn_rotate(q, a);
}

static mrn_vec3 mirrored(mrn_vec3 a, bool axial)
{
    return axial ? mrn_v3(a.x, -a.y, -a.z) : mrn_v3(-a.x, a.y, a.z);
}

static world_case mapped(const world_case *c, map f)
{
    world_case m = *c;
    for (int k = 0; k < GRAINS; k++) {
        m.g[k].x = f(c->g[k].x, false);
        m.g[k].v = f(c->g[k].v, false);
        m.g[k].w = f(c->g[k].w, true);
    }
    return m;
}

static outcome mapped_outcome(const outcome *o, map f)
{
    outcome m = *o;
    for (int k = 0; k < GRAINS; k++) {
        m.v[k] = f(o->v[k], false);
        m.w[k] = f(o->w[k], true);
    }
    return m;
}

static world_case moved(const world_case *c, mrn_vec3 by, mrn_vec3 boost)
{
    world_case m = *c;
    for (int k = 0; k < GRAINS; k++) {
        m.g[k].x = mrn_add(c->g[k].x, by);
        m.g[k].v = mrn_add(c->g[k].v, boost);
    }
    return m;
}

/* The same world in other units of mass, length and time. Powers of four: roots are exact. */
#define MASS   1024.0
#define LENGTH 16.0
#define TIME   64.0

static world_case in_units(const world_case *c)
{
    world_case m = *c;
    for (int k = 0; k < VALUES; k++)
        m.value[k] *= pow(MASS, c->law->power[k][0]) * pow(LENGTH, c->law->power[k][1]) *
                      pow(TIME, c->law->power[k][2]);
    m.density *= MASS / (LENGTH * LENGTH * LENGTH);
    m.young *= MASS / (LENGTH * TIME * TIME);
    m.step *= TIME;
    m.end *= TIME;
    for (int k = 0; k < GRAINS; k++) {
        m.g[k].r *= LENGTH;
        m.g[k].x = mrn_scale(LENGTH, c->g[k].x);
        m.g[k].v = mrn_scale(LENGTH / TIME, c->g[k].v);
        m.g[k].w = mrn_scale(1 / TIME, c->g[k].w);
    }
    return m;
}

static outcome from_units(const outcome *o)
{
    outcome m = *o;
    for (int k = 0; k < GRAINS; k++) {
        m.v[k] = mrn_scale(TIME / LENGTH, o->v[k]);
        m.w[k] = mrn_scale(TIME, o->w[k]);
    }
    return m;
}

static void worlds(void **state)
{
    (void)state;
    const char *many = getenv("MRN_FUZZ");
    int n = many != NULL ? atoi(many) : LAWS;
    for (int i = 0; i < n; i++) {
        double most[5] = {0};
        world_case c = draw((uint64_t)i);
        outcome a = go(&c, NULL), b, e;
        /* conserved, to rounding: what one gets the other loses */
        double p = 0, l = 0;
        mrn_vec3 p0 = {0}, l0 = {0};
        for (int k = 0; k < GRAINS; k++) {
            double r = c.g[k].r, m = c.density * 4.0 / 3 * 3.14159265358979323846 * r * r * r;
            p0 = mrn_axpy(m, c.g[k].v, p0);
            l0 = mrn_add(l0, mrn_axpy(0.4 * m * r * r, c.g[k].w,
                                      mrn_scale(m, mrn_cross(c.g[k].x, c.g[k].v))));
            p += m * mrn_norm(c.g[k].v);
            l += m * mrn_norm(c.g[k].v) * mrn_norm(c.g[k].x);
        }
        double off_p = mrn_norm(mrn_sub(a.momentum, p0)) / p;
        double off_l = mrn_norm(mrn_sub(a.spin, l0)) / l;
        assert_true(off_p < 1e-11);
        /* both grains have the lever of one point: rounding again, of places and some ten impacts
         */
        assert_true(off_l < 1e-10);
        /* dissipative laws make no energy (of an explicit scheme: to its order) */
        assert_true(a.energy < a.energy_before * (1 + 1e-6));
        assert_true(a.energy < 0.999 * a.energy_before); /* they met */

        world_case d = mapped(&c, turned);
        b = go(&d, NULL), e = mapped_outcome(&a, turned);
        most[0] = fmax(most[0], farthest(&b, &e));
        d = mapped(&c, mirrored);
        b = go(&d, NULL), e = mapped_outcome(&a, mirrored);
        most[1] = fmax(most[1], farthest(&b, &e));
        mrn_vec3 boost = mrn_v3(0.25, -0.5, 0.125);
        d = moved(&c, mrn_v3(0.5, -0.25, 1), boost);
        b = go(&d, NULL);
        for (int k = 0; k < GRAINS; k++)
            b.v[k] = mrn_sub(b.v[k], boost);
        most[2] = fmax(most[2], farthest(&a, &b));
        static const int other[GRAINS] = {3, 0, 5, 1, 4, 2};
        b = go(&c, other);
        most[3] = fmax(most[3], farthest(&a, &b));
        d = in_units(&c);
        b = go(&d, NULL), b = from_units(&b);
        most[4] = fmax(most[4], farthest(&a, &b));
        printf("%2d %-9s %.13s: momentum %.2g, spin %.2g, energy %.3f; turned %.2g, mirrored %.2g, "
               "moved "
               "%.2g, in another order %.2g, in other units %.2g m/s\n",
               i, c.law->method, c.law->text + 5, off_p, off_l, a.energy / a.energy_before, most[0],
               most[1], most[2], most[3], most[4]);
        /* Rounding differs (1e-16 of coordinates of 1 m in overlaps of 1e-5 m is 1e-11 of a force),
           and each of some ten collisions of round grains spreads it by free path over radius, ten
           at most. */
        for (int k = 0; k < 4; k++)
            assert_true(most[k] < 1e-6);
        /* nothing is rounded in another way but cube roots (JKR): a number with a unit that stands
           in the code would show at once */
        assert_true(most[4] < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
