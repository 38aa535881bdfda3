/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volume and moments of a union of balls (disks) of which no three share a point, in closed form:
   all balls, less the lens that each two of them share. A lens is two caps, and a cap is a body of
   revolution with elementary integrals. */
#include "geom/cluster.h"

/* Integrals over the part z > a of a ball of radius r about the origin: volume, first and second
   moment along z, second moment across (about one axis). */
typedef struct cap {
    double v, z, zz, xx;
} cap;

static cap cap_of_ball(double r, double a)
{
    double r2 = r * r, a2 = a * a, d1 = r - a, d3 = r * r2 - a * a2;
    double d5 = r2 * r2 * r - a2 * a2 * a, s2 = r2 - a2;
    return (cap){MRN_PI * (r2 * d1 - d3 / 3), 0.25 * MRN_PI * s2 * s2,
                 MRN_PI * (r2 * d3 / 3 - d5 / 5),
                 0.25 * MRN_PI * (r2 * r2 * d1 - 2 * r2 * d3 / 3 + d5 / 5)};
}

/* With z = r cos(phi) the integrals are those of powers of sine and cosine. */
static cap cap_of_disk(double r, double a)
{
    double phi = acos(fmin(fmax(a / r, -1), 1)), s = sqrt(fmax(r * r - a * a, 0));
    double s2 = sin(2 * phi), s4 = sin(4 * phi), r4 = r * r * r * r;
    return (cap){r * r * phi - a * s, 2.0 / 3.0 * s * s * s, 0.25 * r4 * (phi - 0.25 * s4),
                 2.0 / 3.0 * r4 * (0.375 * phi - 0.25 * s2 + s4 / 32)};
}

static double at(mrn_vec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

/* Adds `sign` times a cap of a ball about c with its axis along the unit vector e. */
static void add_cap(mrn_moments *m, int dimension, double sign, mrn_vec3 c, mrn_vec3 e, cap p)
{
    m->volume += sign * p.v;
    m->first = mrn_axpy(sign, mrn_axpy(p.v, c, mrn_scale(p.z, e)), m->first);
    for (int i = 0; i < dimension; i++)
        for (int j = 0; j < dimension; j++)
            m->second[i][j] += sign * (at(c, i) * at(c, j) * p.v +
                                       (at(c, i) * at(e, j) + at(e, i) * at(c, j)) * p.z +
                                       at(e, i) * at(e, j) * (p.zz - p.xx) + (i == j ? p.xx : 0));
}

/* Where the plane through the rim of the lens stands, from the centre of the first ball. */
static double rim_plane(double d, double r, double other)
{
    return 0.5 * (d + (r - other) * (r + other) / d);
}

mrn_moments mrn_balls_exact(const mrn_balls *b)
{
    mrn_moments m = {0};
    cap (*part)(double, double) = b->dimension == 2 ? cap_of_disk : cap_of_ball;
    for (int i = 0; i < b->n; i++) {
        mrn_vec3 c = mrn_load3(b->centre + 3 * i);
        double r = b->radius[i];
        add_cap(&m, b->dimension, 1, c, mrn_v3(1, 0, 0), part(r, -r));
        for (int j = 0; j < i; j++) {
            mrn_vec3 o = mrn_load3(b->centre + 3 * j), e = mrn_sub(o, c);
            double d = mrn_norm(e), a = rim_plane(d, r, b->radius[j]);
            if (d >= r + b->radius[j])
                continue;
            e = mrn_scale(1 / d, e);
            add_cap(&m, b->dimension, -1, c, e, part(r, a));
            add_cap(&m, b->dimension, -1, o, mrn_scale(-1, e), part(b->radius[j], d - a));
        }
    }
    return m;
}

/* Distance of the point p from the lens of balls i and j: the ball whose nearest point lies in the
   other one decides, else the rim. In the half plane of p and the line of centres. */
static double lens_distance(const mrn_balls *b, int i, int j, mrn_vec3 p)
{
    mrn_vec3 c = mrn_load3(b->centre + 3 * i), e = mrn_sub(mrn_load3(b->centre + 3 * j), c);
    double d = mrn_norm(e), r = b->radius[i], s = b->radius[j];
    mrn_vec3 q = mrn_sub(p, c);
    double z = mrn_dot(q, e) / d, rho = sqrt(fmax(mrn_dot(q, q) - z * z, 0));
    double to_i = hypot(z, rho), to_j = hypot(z - d, rho);
    if (to_i <= r && to_j <= s)
        return 0;
    /* the nearest points of each ball */
    double si = to_i > r ? r / to_i : 1, sj = to_j > s ? s / to_j : 1;
    if (hypot(z * si - d, rho * si) <= s)
        return fmax(to_i - r, 0);
    if (hypot(d + (z - d) * sj, rho * sj) <= r)
        return fmax(to_j - s, 0);
    double a = rim_plane(d, r, s);
    return hypot(z - a, rho - sqrt(fmax(r * r - a * a, 0)));
}

static bool overlap(const mrn_balls *b, int i, int j)
{
    mrn_vec3 d = mrn_sub(mrn_load3(b->centre + 3 * i), mrn_load3(b->centre + 3 * j));
    double sum = b->radius[i] + b->radius[j];
    return mrn_dot(d, d) < sum * sum * (1 - 1e-12);
}

bool mrn_balls_triple(const mrn_balls *b)
{
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < i; j++) {
            if (!overlap(b, i, j))
                continue;
            for (int k = 0; k < j; k++)
                if (overlap(b, i, k) && overlap(b, j, k) &&
                    lens_distance(b, i, j, mrn_load3(b->centre + 3 * k)) <
                        b->radius[k] * (1 - 1e-12))
                    return true;
        }
    return false;
}
