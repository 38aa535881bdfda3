/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks whose motion is known: rocking, jamming rods, arches, stacks and rows of dominoes. As
   rigid_cases.h. */
#ifndef MRN_TESTS_NONSMOOTH_RIGID_BLOCKS_H
#define MRN_TESTS_NONSMOOTH_RIGID_BLOCKS_H

#include "nonsmooth/rigid_cases.h"

/* ---- a block that rocks (Housner 1963) ---- */

/* A rectangle of half diagonal `size`, slenderness angle alpha = atan(width/height), g = 10 m/s2,
   standing on its right lower corner at the origin, turned by tilt (towards toppling), spinning at
   `spin` about that corner (positive: towards toppling). */
typedef struct rocker {
    double size, alpha, tilt, spin;
} rocker;

static inline void rocker_open(fixture *y, const rocker *b, double h)
{
    words w = {0};
    double a = b->alpha - b->tilt;
    mrn_vec3 x = {-b->size * sin(a), b->size * cos(a), 0};
    put_plain(&w, 2, "tolerance: 1e-12, max-iterations: 10000", "friction: 5");
    put(&w,
        "gravity: [0, -10]\nbodies: [{name: block, material: m, shape: {polygon: {box: "
        "[%.17g, %.17g]}}, place: {list: [{position: [%.17g, %.17g], rotation: %.17g, "
        "velocity: [%.17g, %.17g], spin: %.17g}]}}]\n",
        2 * b->size * sin(b->alpha), 2 * b->size * cos(b->alpha), x.x, x.y, -b->tilt, b->spin * x.y,
        -b->spin * x.x, -b->spin);
    fixture_open(y, w.text, h);
}

/* Frequency parameter p: theta'' = -p2 sin(alpha - theta) about the corner. */
static inline double rocker_p2(const rocker *b)
{
    return 0.75 * 10 / b->size;
}

/* Time from rest at the tilt to upright, by Runge-Kutta with steps of 1e-5 s, and the spin then. */
static inline double rocker_quarter(const rocker *b, double *spin)
{
    double t = 0, s = b->tilt, v = 0, p2 = rocker_p2(b), h = 1e-5;
    for (; s > 0; t += h) {
        double k1 = v, l1 = -p2 * sin(b->alpha - s);
        double k2 = v + h / 2 * l1, l2 = -p2 * sin(b->alpha - s - h / 2 * k1);
        double k3 = v + h / 2 * l2, l3 = -p2 * sin(b->alpha - s - h / 2 * k2);
        double k4 = v + h * l3, l4 = -p2 * sin(b->alpha - s - h * k3);
        s += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    *spin = v;
    return t - s / v;
}

typedef struct rocking {
    double quarter; /* s, when it comes down                                          */
    double spin;    /* rad/s, before that                                             */
    double ratio;   /* spin after over spin before                                    */
    double ever;    /* largest energy after a step less that before, J                */
} rocking;

/* The impact takes up to two steps: one in which the gap closes and one in which contact begins.
   From the first of them on the weight turns the block about the new corner, so that spins are
   carried back to its beginning with the rate that gives. */
static inline rocking rock(const rocker *b, double h)
{
    fixture y;
    rocker_open(&y, b, h);
    rocking r = {.ever = -INFINITY};
    double last = 0, energy = energies_of(&y).total, rate = rocker_p2(b) * sin(b->alpha);
    for (int after = 0; after < 3 && y.state.time < 10;) {
        fixture_step(&y, 1);
        double spin = w_of(&y, 0).z, now = energies_of(&y).total;
        r.ever = fmax(r.ever, now - energy);
        energy = now;
        if (after == 0 && spin < last) {
            r.quarter = y.state.time - h;
            r.spin = last;
        }
        after += r.quarter > 0;
        r.ratio = (spin + rate * after * h) / r.spin;
        last = spin;
    }
    fixture_close(&y);
    return r;
}

/* Does a block that is set spinning about its corner topple? */
static inline bool topples(const rocker *b, double h)
{
    fixture y;
    rocker_open(&y, b, h);
    bool over = false, back = false;
    while (!over && !back && y.state.time < 100) {
        fixture_step(&y, 1);
        mrn_vec3 x = x_of(&y, 0);
        over = x.x > 0.05 * b->size;
        back = w_of(&y, 0).z > 0;
    }
    fixture_close(&y);
    return over;
}

/* The spin that brings the centre over the corner: half I0 w2 = m g size (1 - cos alpha). */
static inline double critical_spin(const rocker *b)
{
    return sqrt(1.5 * 10 * (1 - cos(b->alpha)) / b->size);
}

/* By bisection, over the exact one, to 2^-bits of 4 per cent about it. */
static inline double critical_ratio(rocker b, double h, int bits)
{
    double lo = 0.98, hi = 1.02, exact = critical_spin(&b);
    for (int k = 0; k < bits; k++) {
        double mid = 0.5 * (lo + hi);
        b.spin = mid * exact;
        *(topples(&b, h) ? &hi : &lo) = mid;
    }
    return 0.5 * (lo + hi);
}

/* ---- a rod that jams (Painlevé 1895) ---- */

typedef struct rod_step {
    double before[3], after[3]; /* normal and tangential velocity of the tip, spin       */
    double want[3];             /* by hand, without spin                                 */
    double margin;              /* W_NN - mu |W_NT| over W_NN; below 0: the paradox       */
    double ever;                /* largest energy after a step less that before over a second,
                                   over the energy at the start                          */
    double kept;                /* energy after the first step over that before          */
    double unsolved;            /* steps */
    double deepest;             /* m */
} rod_step;

/* A rod of length 1 m and thickness 2 cm under an angle to the floor, its tip on it, moving
   sideways at v and turning at spin such that the tip does not lift; g = 10, friction mu. */
static inline rod_step rod(double mu, double angle, double v, double spin, double h)
{
    const double l = 0.5, t = 0.01;
    mrn_vec3 arm = {-l * cos(angle) + t * sin(angle), -l * sin(angle) - t * cos(angle), 0};
    words w = {0};
    fixture y;
    char law[48];
    snprintf(law, sizeof law, "friction: %.17g", mu);
    put_plain(&w, 2, "tolerance: 1e-12, max-iterations: 100000", law);
    put(&w,
        "gravity: [0, -10]\nbodies: [{name: rod, material: m, shape: {polygon: {box: [1, "
        "0.02]}}, place: {list: [{position: [0, %.17g], rotation: %.17g, velocity: [%.17g, "
        "%.17g], spin: %.17g}]}}]\n",
        -arm.y, angle, v + spin * arm.y, -spin * arm.x, spin);
    fixture_open(&y, w.text, h);
    double start = energies_of(&y).total, energy = start;
    double i = (1 + 4 * t * t) / 12; /* moment of inertia over mass */
    double wnn = 1 + arm.x * arm.x / i, wtt = 1 + arm.y * arm.y / i, wnt = -arm.x * arm.y / i;
    rod_step r = {.before = {0, v, spin}, .margin = (wnn - mu * fabs(wnt)) / wnn};
    r.ever = -INFINITY;
    /* impulses that stop the tip, if they are within the cone; else sliding goes on */
    double qn = -10 * h, qt = v, det = wnn * wtt - wnt * wnt;
    double rn = -(wtt * qn - wnt * qt) / det, rt = -(wnn * qt - wnt * qn) / det;
    if (rn < 0 || fabs(rt) > mu * rn) {
        double side = v > 0 ? -mu : mu;
        rn = fmax(0, -qn / (wnn + side * wnt));
        rt = side * rn;
    }
    r.want[0] = qn + wnn * rn + wnt * rt;
    r.want[1] = qt + wnt * rn + wtt * rt;
    r.want[2] = spin + (arm.x * rn - arm.y * rt) / i;
    for (int k = 0; k < (int)(1 / h); k++) {
        fixture_step(&y, 1);
        double now = energies_of(&y).total;
        r.ever = fmax(r.ever, (now - energy) / start);
        energy = now;
        if (k > 0)
            continue;
        mrn_vec3 u = v_of(&y, 0);
        r.after[2] = w_of(&y, 0).z;
        r.after[0] = u.y + r.after[2] * arm.x;
        r.after[1] = u.x - r.after[2] * arm.y;
        r.kept = now / start;
    }
    r.unsolved = y.state.nonsmooth.unsolved;
    r.deepest = y.state.nonsmooth.overlap_ever;
    fixture_close(&y);
    return r;
}

/* ---- a semicircular arch ---- */

/* n blocks with plane joints between radii 1 - t/2 and 1 + t/2, corners on the circles. */
typedef struct arch {
    int n;
    double t, mu;
} arch;

/* Corner k of the joint at angle j pi/n from the right springing; outer: k = 1. */
static inline mrn_vec3 arch_corner(const arch *a, int j, int outer)
{
    double r = 1 + (outer ? 0.5 : -0.5) * a->t, angle = MRN_PI * j / a->n;
    return mrn_v3(r * cos(angle), j == 0 || j == a->n ? 0 : r * sin(angle), 0);
}

/* Area and centre of block j. */
static inline double arch_block(const arch *a, int j, mrn_vec3 corner[4], mrn_vec3 *centre)
{
    corner[0] = arch_corner(a, j, 0), corner[1] = arch_corner(a, j, 1);
    corner[2] = arch_corner(a, j + 1, 1), corner[3] = arch_corner(a, j + 1, 0);
    double area = 0;
    *centre = mrn_v3(0, 0, 0);
    for (int k = 0; k < 4; k++) {
        mrn_vec3 p = corner[k], q = corner[(k + 1) % 4];
        double c = 0.5 * (p.x * q.y - p.y * q.x);
        area += c;
        *centre = mrn_axpy(c / 3, mrn_add(p, q), *centre);
    }
    *centre = mrn_scale(1 / area, *centre);
    return area;
}

/* Limit analysis, independent of any dynamics (Heyman 1966): does a line of thrust exist within the
   joints, with no pull and friction mu? Cut at the crown, where by symmetry the thrust H is
   horizontal, at a height with moment M = H y; at every joint the resultant must lie between its
   corners and within the cone. All is linear in (H, M): feasible when some crossing of two of these
   lines fulfils all others. Odd n: the crown is inside a block. Weights are areas. */
static inline bool arch_stands(const arch *a)
{
    enum { MOST = 200 };
    double line[MOST][3]; /* p H + q M <= r */
    int lines = 0;
    for (int j = 0; 2 * j < a->n; j++) { /* joint j carries all from it up to the crown */
        double weight = 0, moment = 0;
        for (int k = j; 2 * k < a->n; k++) {
            mrn_vec3 corner[4], c;
            double w = arch_block(a, k, corner, &c);
            if (2 * k + 1 == a->n) { /* half of the crown's block */
                mrn_vec3 p = corner[0], q = corner[1];
                /* by symmetry the half's centre: trapezium from x = 0 */
                double top = q.y, low = p.y, xi = p.x, xo = q.x;
                double area = 0.5 * (xi + xo) * (top - low);
                double first = (top - low) * (xi * xi + xi * xo + xo * xo) / 6;
                weight += area, moment += first;
                continue;
            }
            weight += w, moment += w * c.x;
        }
        double angle = MRN_PI * j / a->n, s = sin(angle), c = cos(angle);
        for (int side = 0; side < 2; side++) {
            /* moment about the corner of H (to the right, at height M/H) and the weights */
            mrn_vec3 p = arch_corner(a, j, side);
            double sign = side ? -1 : 1; /* thrust passes outside the inner corner, inside the other
                                          */
            line[lines][0] = sign * p.y, line[lines][1] = -sign;
            line[lines++][2] = sign * (moment - weight * p.x);
        }
        /* pressed by N = H s + W c across the joint, T = H c - W s along it, outwards */
        for (int side = -1; side < 2; side += 2) {
            line[lines][0] = side * c - a->mu * s, line[lines][1] = 0;
            line[lines++][2] = weight * (side * s + a->mu * c);
        }
    }
    for (int i = 0; i < lines; i++)
        for (int k = 0; k < i; k++) {
            double det = line[i][0] * line[k][1] - line[i][1] * line[k][0];
            if (fabs(det) < 1e-12)
                continue;
            double h = (line[i][2] * line[k][1] - line[i][1] * line[k][2]) / det;
            double m = (line[i][0] * line[k][2] - line[i][2] * line[k][0]) / det;
            bool fits = true;
            for (int l = 0; l < lines && fits; l++)
                fits = line[l][0] * h + line[l][1] * m <= line[l][2] + 1e-12;
            if (fits)
                return true;
        }
    return false;
}

/* Least thickness at which the arch stands, by limit analysis; and least friction. */
static inline double arch_thickness(int n, double mu)
{
    double lo = 0.01, hi = 0.5;
    while (hi - lo > 1e-9) {
        arch a = {n, 0.5 * (lo + hi), mu};
        *(arch_stands(&a) ? &hi : &lo) = a.t;
    }
    return hi;
}

static inline double arch_friction(int n, double t)
{
    double lo = 0.01, hi = 2;
    while (hi - lo > 1e-9) {
        arch a = {n, t, 0.5 * (lo + hi)};
        *(arch_stands(&a) ? &hi : &lo) = a.mu;
    }
    return hi;
}

typedef struct arch_run {
    double moved;    /* m, farthest way of a block's centre */
    double speed;    /* m/s, fastest at the end             */
    double unsolved; /* steps */
    double deepest;  /* m */
    double sweeps;   /* per step */
} arch_run;

static inline arch_run arch_let_go(const arch *a, double time, double h, const char *options)
{
    words w = {0};
    fixture y;
    char law[48];
    snprintf(law, sizeof law, "friction: %.17g", a->mu);
    put_plain(&w, 2, options, law);
    put(&w, "gravity: [0, -10]\nbodies:\n");
    for (int j = 0; j < a->n; j++) {
        mrn_vec3 c[4], x;
        arch_block(a, j, c, &x);
        put(&w, "  - {name: b%d, material: m, shape: {polygon: {points: [", j);
        for (int k = 0; k < 4; k++)
            put(&w, "%s[%.17g, %.17g]", k > 0 ? ", " : "", c[k].x, c[k].y);
        put(&w, "]}}, rotation: 0, place: {list: [{position: [%.17g, %.17g]}]}}\n", x.x, x.y);
    }
    fixture_open(&y, w.text, h);
    mrn_vec3 start[64];
    for (int j = 0; j < a->n; j++)
        start[j] = x_of(&y, j);
    int64_t steps = (int64_t)(time / h + 0.5);
    fixture_step(&y, steps);
    arch_run r = {.unsolved = y.state.nonsmooth.unsolved,
                  .deepest = y.state.nonsmooth.overlap_ever,
                  .sweeps = y.state.nonsmooth.sweeps / (double)steps};
    for (int j = 0; j < a->n; j++) {
        r.moved = fmax(r.moved, mrn_norm(mrn_sub(x_of(&y, j), start[j])));
        r.speed = fmax(r.speed, mrn_norm(v_of(&y, j)));
    }
    fixture_close(&y);
    return r;
}

/* ---- a stack ---- */

typedef struct stack_run {
    double sunk, aside;      /* m: way of the top box down and sideways */
    double turned;           /* rad, of any box */
    double deepest;          /* m, overlap ever */
    double unsolved, sweeps; /* steps; per step */
    double energy; /* largest energy after a step less that before, over m g side of a box */
} stack_run;

/* n cubes of 10 cm on each other, friction 1/2, for so many steps. */
static inline stack_run stack(int n, int steps, double h, const char *options)
{
    words w = {0};
    fixture y;
    put_plain(&w, 3, options, "friction: 0.5");
    put(&w, "gravity: [0, 0, -10]\nbodies: [{name: boxes, material: m, shape: {polyhedron: {box: "
            "[10 cm, 10 cm, 10 cm]}}, orientation: [1, 0, 0, 0], place: {list: [");
    for (int k = 0; k < n; k++)
        put(&w, "%s{position: [0, 0, %.17g]}", k > 0 ? ", " : "", 0.05 + 0.1 * k);
    put(&w, "]}}]\n");
    fixture_open(&y, w.text, h);
    mrn_quat q0 = q_of(&y, 0);
    double energy = energies_of(&y).total;
    stack_run r = {.energy = -INFINITY};
    for (int k = 0; k < steps; k++) {
        fixture_step(&y, 1);
        double now = energies_of(&y).total;
        r.energy = fmax(r.energy, (now - energy) / (2.5 * 10 * 0.1));
        energy = now;
    }
    mrn_vec3 top = x_of(&y, n - 1);
    r.sunk = 0.05 + 0.1 * (n - 1) - top.z;
    r.aside = hypot(top.x, top.y);
    for (int k = 0; k < n; k++) {
        mrn_quat d = mrn_quat_mul(q_of(&y, k), mrn_quat_conj(q0));
        r.turned = fmax(r.turned, 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z));
    }
    r.deepest = y.state.nonsmooth.overlap_ever;
    r.unsolved = y.state.nonsmooth.unsolved;
    r.sweeps = y.state.nonsmooth.sweeps / steps;
    fixture_close(&y);
    return r;
}

/* ---- dominoes ---- */

enum { DOMINOES = 20 };

/* Height 1, thickness and gap between neighbours as parts of it, g = 10. The first is set turning
   about its foot. */
typedef struct dominoes {
    double thickness, gap, spin;
} dominoes;

/* Turn of the domino that leans on one turned by a, and its rate per rate of that: its corner is on
   the other's face, sin(a' - a) = pitch cos a - thickness. */
static inline double domino_leans(const dominoes *d, double a, double *rate)
{
    double pitch = d->gap + d->thickness, s = asin(fmin(1, pitch * cos(a) - d->thickness));
    *rate = 1 - pitch * sin(a) / cos(s);
    return a + s;
}

/* Twice the potential over m g: height of the centre of a turned domino. */
static inline double domino_height(const dominoes *d, double a)
{
    return cos(a) + d->thickness * sin(a);
}

/* The model of van Leeuwen (Am. J. Phys. 78, 721, 2010) without friction between dominoes: feet
   that do not slip, dominoes that lean on each other after an impact without rebound, so that the
   foremost one's turn tells all others; energy is kept between impacts, and at one the momentum
   along the new motion. t[k]: when domino k is hit. */
static inline void domino_model(const dominoes *d, double t[DOMINOES])
{
    const double g = 10, inertia = (1 + d->thickness * d->thickness) / 3; /* about the foot, over m
                                                                           */
    double spin = d->spin, time = 0, h = 1e-5, first = asin(d->gap); /* turn at which it hits */
    t[0] = 0;
    for (int n = 0; n + 1 < DOMINOES; n++) {
        double a = 0, rate, chain[DOMINOES], energy = NAN;
        for (;; a += h * spin, time += h) {
            double x = a, part = 1, sum = 0, height = 0;
            for (int k = n; k >= 0; k--) {
                chain[k] = part;
                sum += part * part;
                height += 0.5 * domino_height(d, x);
                x = domino_leans(d, x, &rate);
                part *= rate;
            }
            if (isnan(energy))
                energy = 0.5 * inertia * sum * spin * spin + g * height;
            spin = sqrt(fmax(0, 2 * (energy - g * height) / (inertia * sum)));
            if (a >= first || !(spin > 0))
                break;
        }
        t[n + 1] = time - (a - first) / spin;
        /* the new one at rest takes over: all rates follow its turn */
        double x = 0, part = 1, along = 0, sum = 0;
        for (int k = n + 1; k >= 0; k--) {
            sum += part * part;
            along += k <= n ? part * chain[k] * spin : 0;
            x = domino_leans(d, x, &rate);
            part *= rate;
        }
        spin = along / sum;
    }
}

typedef struct domino_run {
    double t[DOMINOES]; /* s, when each begins to turn */
    double unsolved, deepest;
} domino_run;

/* Friction `mu` between dominoes, feet that do not slip. */
static inline domino_run domino_fall(const dominoes *d, double mu, double h)
{
    words w = {0};
    fixture y;
    double t = d->thickness;
    put_head(&w, 2, "tolerance: 1e-6, solver: hybrid");
    put(&w,
        "materials: {m: {density: 1000 kg/m3}, table: {density: 1000 kg/m3}}\n"
        "interactions: [{between: [m, m], law: rigid, friction: %.17g}, {between: [m, table], "
        "law: rigid, friction: 20}, {between: [table, table], law: rigid, friction: 0}]\n"
        "walls: [{name: table, plane: {point: [0, 0], normal: [0, 1]}, material: table}]\n"
        "gravity: [0, -10]\nbodies: [{name: dominoes, material: m, shape: {polygon: {box: "
        "[%.17g, 1]}}, rotation: 0, place: {list: [",
        mu, t);
    for (int k = 0; k < DOMINOES; k++)
        put(&w, "%s{position: [%.17g, 0.5], velocity: [%.17g, %.17g], spin: %.17g}",
            k > 0 ? ", " : "", k * (t + d->gap), k == 0 ? 0.5 * d->spin : 0,
            k == 0 ? 0.5 * t * d->spin : 0, k == 0 ? -d->spin : 0);
    put(&w, "]}}]\n");
    fixture_open(&y, w.text, h);
    domino_run r = {.unsolved = 0};
    int next = 1;
    while (next < DOMINOES && y.state.time < 20) {
        fixture_step(&y, 1);
        while (next < DOMINOES && w_of(&y, next).z < -0.05)
            r.t[next++] = y.state.time - h;
    }
    r.unsolved = y.state.nonsmooth.unsolved;
    r.deepest = y.state.nonsmooth.overlap_ever;
    fixture_close(&y);
    return r;
}

/* Speed between dominoes `from` and the last over sqrt(g height). */
static inline double domino_speed(const dominoes *d, const double t[DOMINOES], int from)
{
    int to = DOMINOES - 1;
    return (to - from) * (d->gap + d->thickness) / (t[to] - t[from]) / sqrt(10.0);
}

#endif
