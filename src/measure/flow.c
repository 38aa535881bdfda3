/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motion of the grains as a whole, and what is left when it is taken away: mean velocity, velocity
   gradient, kinetic stress, granular temperature.

   The gradient along an axis that ends (no period) is the least-squares fit of an affine velocity
   to all free grains, by mass; along a periodic axis only the cell itself can have one. */
#include <string.h>

#include "measure/measure.h"

/* Fewer grains say more about themselves than about a flow: no gradient is fitted. */
#define FIT_LEAST 20

enum {
    N,
    MASS,
    VOLUME,
    RADIUS,
    VELOCITY,
    PLACE = VELOCITY + 3,
    PLACES = PLACE + 3, /* x x, six  */
    CROSS = PLACES + 6, /* v x, nine */
    N_SUMS = CROSS + 9
};

typedef struct frame {
    const mrn_scene *scene;
    mrn_vec3 origin; /* near the grains: keeps differences of large numbers out */
    const mrn_bulk *bulk;
    const mrn_bulk_motion *flow;
} frame;

static void add_motion(const void *what, const mrn_state *s, int32_t i, double *sum)
{
    const frame *f = what;
    if (!mrn_is_free(s, i))
        return;
    mrn_vec3 d = mrn_sub(mrn_load3(s->body.x + 3 * (size_t)i), f->origin);
    const double x[3] = {d.x, d.y, d.z}, *v = s->body.v + 3 * (size_t)i, m = s->body.mass[i];
    static const int a[6] = {0, 1, 2, 0, 0, 1}, b[6] = {0, 1, 2, 1, 2, 2};
    sum[N] += 1;
    sum[MASS] += m;
    sum[VOLUME] += mrn_volume_of(f->scene, s, i);
    sum[RADIUS] += s->body.radius[i];
    for (int k = 0; k < 3; k++) {
        sum[VELOCITY + k] += m * v[k];
        sum[PLACE + k] += m * x[k];
    }
    for (int k = 0; k < 6; k++)
        sum[PLACES + k] += m * x[a[k]] * x[b[k]];
    for (int k = 0; k < 9; k++)
        sum[CROSS + k] += m * v[k / 3] * x[k % 3];
}

/* Solves g A = b for the axes in use by elimination; an axis along which nothing spreads keeps 0.
   A is symmetric and not negative, so that pivots on the diagonal serve. */
static void solve(double A[3][3], double b[3][3], const bool use[3], double *g)
{
    double spread = fmax(A[0][0], fmax(A[1][1], A[2][2]));
    bool in[3];
    for (int k = 0; k < 3; k++) {
        in[k] = use[k] && A[k][k] > 1e-9 * spread;
        for (int r = 0; in[k] && r < 3; r++) {
            double factor = A[r][k] / A[k][k];
            if (r == k)
                continue;
            for (int c = 0; c < 3; c++)
                A[r][c] -= factor * A[k][c];
            for (int c = 0; c < 3; c++)
                b[c][r] -= factor * b[c][k];
        }
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            g[3 * i + k] = in[k] ? b[i][k] / A[k][k] : 0;
}

/* Axes that are not in use must not take part in the elimination. */
static void fit_gradient(const mrn_scene *scene, const double *sum, mrn_bulk_motion *out)
{
    double A[3][3], b[3][3], m = sum[MASS];
    bool use[3];
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    if (sum[N] < FIT_LEAST || !(m > 0))
        return;
    for (int k = 0; k < 3; k++)
        use[k] = k < scene->dimension && !scene->cell.periodic[k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            bool both = use[i] && use[k];
            A[i][k] = both ? sum[PLACES + at[i][k]] - sum[PLACE + i] * sum[PLACE + k] / m : 0;
            b[i][k] = use[k] ? sum[CROSS + 3 * i + k] - sum[VELOCITY + i] * sum[PLACE + k] / m : 0;
        }
    solve(A, b, use, out->fit);
}

/* The cell's part, and the shear rate of the sum. */
static void total_gradient(const mrn_scene *scene, const mrn_state *s, mrn_bulk_motion *out)
{
    static const int place[6] = {0, 4, 8, 1, 2, 5};
    memcpy(out->gradient, out->fit, sizeof out->gradient);
    for (int k = 0; k < 6; k++)
        out->gradient[place[k]] += s->cell_rate[k];
    const double *g = out->gradient;
    double d[6] = {g[0], g[4], g[8], 0.5 * (g[1] + g[3]), 0.5 * (g[2] + g[6]), 0.5 * (g[5] + g[7])};
    double mean = mrn_tensor_mean(d, scene->dimension), sum = 0;
    for (int k = 0; k < scene->dimension; k++)
        sum += (d[k] - mean) * (d[k] - mean);
    for (int k = 3; k < 6; k++)
        sum += 2 * d[k] * d[k];
    out->rate = sqrt(2 * sum);
}

static mrn_vec3 peculiar(const mrn_bulk_motion *f, mrn_vec3 x, mrn_vec3 v)
{
    mrn_vec3 d = mrn_sub(x, mrn_load3(f->centre));
    const double *g = f->fit;
    mrn_vec3 flow = {g[0] * d.x + g[1] * d.y + g[2] * d.z, g[3] * d.x + g[4] * d.y + g[5] * d.z,
                     g[6] * d.x + g[7] * d.y + g[8] * d.z};
    return mrn_sub(mrn_sub(v, mrn_load3(f->mean)), flow);
}

static void add_fluctuation(const void *what, const mrn_state *s, int32_t i, double *sum)
{
    const frame *f = what;
    if (!mrn_is_free(s, i))
        return;
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i);
    mrn_vec3 v = peculiar(f->flow, x, mrn_load3(s->body.v + 3 * (size_t)i));
    double m = s->body.mass[i];
    sum[6] += m * mrn_dot(v, v);
    if (!mrn_in_bulk(f->bulk, x))
        return;
    const double add[6] = {v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z};
    for (int k = 0; k < 6; k++)
        sum[k] += m * add[k];
}

void mrn_bulk_motion_of(const mrn_scene *scene, const mrn_state *s, const mrn_bulk *bulk,
                        mrn_bulk_motion *out)
{
    double sum[N_SUMS], left[7];
    *out = (mrn_bulk_motion){0};
    frame f = {scene, {0, 0, 0}, bulk, out};
    if (s->body.n > s->body.n_walls)
        f.origin = mrn_load3(s->body.x + 3 * (size_t)s->body.n_walls);
    mrn_sum_bodies(&f, s, N_SUMS, add_motion, sum);
    out->n = sum[N], out->mass = sum[MASS], out->volume = sum[VOLUME], out->radius = sum[RADIUS];
    double m = sum[MASS] > 0 ? sum[MASS] : 1;
    for (int k = 0; k < 3; k++)
        out->mean[k] = sum[VELOCITY + k] / m;
    mrn_vec3 centre = {sum[PLACE] / m, sum[PLACE + 1] / m, sum[PLACE + 2] / m};
    mrn_store3(out->centre, mrn_add(f.origin, centre));
    fit_gradient(scene, sum, out);
    total_gradient(scene, s, out);
    mrn_sum_bodies(&f, s, 7, add_fluctuation, left);
    memcpy(out->kinetic, left, sizeof out->kinetic);
    out->temperature = left[6] / (scene->dimension * m);
}
