/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clusters of overlapping spheres or disks: checks, then the template at unit size, about the
   centre of mass, in principal axes. */
#include "geom/cluster.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "geom/geom.h"
#include "linalg/jacobi.h"

void mrn_cluster_release(mrn_cluster *c)
{
    mrn_free(c->centre);
    mrn_free(c->radius);
    *c = (mrn_cluster){0};
}

mrn_status mrn_cluster_copy(const mrn_cluster *from, mrn_cluster *to, mrn_message *msg)
{
    *to = *from;
    to->centre = to->radius = NULL;
    mrn_status st = mrn_duplicate(&to->centre, from->centre, from->n, 3 * sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->radius, from->radius, from->n, sizeof(double), msg);
    if (st != MRN_OK)
        mrn_cluster_release(to);
    return st;
}

/* ---- checks ---- */

static mrn_status check_sphere(const char *name, int dimension, int i, const double *c, double r,
                               mrn_message *msg)
{
    if (!isfinite(c[0]) || !isfinite(c[1]) || !isfinite(c[2]) || !isfinite(r) || !(r > 0)) {
        mrn_fail(msg, MRN_ERR_INPUT, "cluster '%s': sphere %d has centre %g, %g, %g and radius %g",
                 name, i + 1, c[0], c[1], c[2], r);
        return mrn_fail_expected(msg, "finite numbers, and a radius above 0");
    }
    if (dimension == 2 && c[2] != 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "cluster '%s': disk %d is out of the plane of a 2D scene",
                 name, i + 1);
        return mrn_fail_expected(msg, "z = 0");
    }
    return MRN_OK;
}

static double distance(const double *centre, int i, int j)
{
    return mrn_norm(mrn_sub(mrn_load3(centre + 3 * i), mrn_load3(centre + 3 * j)));
}

/* A sphere inside another one adds no material and is never touched first: a slip of the pen. */
static mrn_status check_inside(const char *name, const mrn_balls *b, mrn_message *msg)
{
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++) {
            bool first = b->radius[j] > b->radius[i] || (b->radius[j] == b->radius[i] && j < i);
            if (i == j || !first ||
                distance(b->centre, i, j) + b->radius[i] > b->radius[j] * (1 + 1e-12))
                continue;
            mrn_fail(msg, MRN_ERR_INPUT, "cluster '%s': sphere %d lies inside sphere %d", name,
                     i + 1, j + 1);
            return mrn_fail_hint(msg, "leave it out: it adds nothing to the grain");
        }
    return MRN_OK;
}

/* Marks what hangs together with sphere 0, directly or through others. Spheres that only touch hold
   together; a hair's breadth apart by rounding counts as touching. */
static int connected(const mrn_balls *b, uint8_t *seen, int *queue)
{
    int n = 1;
    queue[0] = 0, seen[0] = 1;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < b->n; j++) {
            double sum = b->radius[j] + b->radius[queue[k]];
            if (!seen[j] && distance(b->centre, queue[k], j) <= sum * (1 + 1e-9))
                seen[j] = 1, queue[n++] = j;
        }
    return n;
}

/* A rigid grain must hang together: two pieces moving as one without anything between them are
   hardly ever meant, and a wrong unit or sign in a list is. */
static mrn_status check_whole(const char *name, const mrn_balls *b, mrn_message *msg)
{
    uint8_t *seen = NULL;
    int *queue = NULL;
    mrn_status st = mrn_array(&seen, b->n, sizeof *seen, msg);
    if (st == MRN_OK)
        st = mrn_array(&queue, b->n, sizeof *queue, msg);
    if (st == MRN_OK && connected(b, seen, queue) < b->n) {
        int alone = 0;
        while (seen[alone])
            alone++;
        mrn_fail(msg, MRN_ERR_INPUT,
                 "cluster '%s' is in pieces: sphere %d does not hang together with sphere 1", name,
                 alone + 1);
        mrn_fail_expected(msg, "spheres that overlap or touch, directly or through others");
        st =
            mrn_fail_hint(msg, "is a diameter given as a radius, or a coordinate in another unit?");
    }
    mrn_free(seen);
    mrn_free(queue);
    return st;
}

static mrn_status check(const char *name, const mrn_balls *b, mrn_message *msg)
{
    if (b->n < 1 || b->n > UINT16_MAX) {
        mrn_fail(msg, MRN_ERR_INPUT, "cluster '%s' has %d spheres", name, b->n);
        return mrn_fail_expected(msg, "between 1 and %d", UINT16_MAX);
    }
    for (int i = 0; i < b->n; i++) {
        mrn_status st = check_sphere(name, b->dimension, i, b->centre + 3 * i, b->radius[i], msg);
        if (st != MRN_OK)
            return st;
    }
    mrn_status st = check_inside(name, b, msg);
    return st == MRN_OK ? check_whole(name, b, msg) : st;
}

/* ---- principal axes ---- */

/* Axes and moments by Jacobi's method. Every turn is by at most 45 degrees and none is made for
   what is zero but for `noise`, so that axes stay near those of the given frame, in their order and
   right-handed: a cluster listed in its principal axes is not turned at all. */
void mrn_principal_axes(double a[3][3], double noise, double v[3][3])
{
    double trace = a[0][0] + a[1][1] + a[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (i != j && fabs(a[i][j]) <= noise * trace)
                a[i][j] = 0;
    mrn_jacobi_pairs(3, &a[0][0], 1e-17 * trace, 0, &v[0][0]);
}

/* Moments of inertia about the centre of mass, over the volume, from second moments. */
void mrn_inertia_tensor(const mrn_moments *m, mrn_vec3 centre, double out[3][3])
{
    double c[3] = {centre.x, centre.y, centre.z}, q[3][3], trace = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            q[i][j] = m->second[i][j] / m->volume - c[i] * c[j];
    for (int i = 0; i < 3; i++)
        trace += q[i][i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = (i == j ? trace : 0) - q[i][j];
}

/* ---- template ---- */

/* Fills the template from the moments of balls given about any origin. */
static void fill(const mrn_balls *b, const mrn_moments *m, mrn_cluster *out, mrn_quat *turn)
{
    double a[3][3], v[3][3];
    mrn_vec3 centre = mrn_scale(1 / m->volume, m->first);
    mrn_inertia_tensor(m, centre, a);
    mrn_principal_axes(a, fmax(out->error, 1e-12), v);
    mrn_quat q = mrn_quat_conj(mrn_quat_unit(
        mrn_quat_from_axes(mrn_v3(v[0][0], v[1][0], v[2][0]), mrn_v3(v[0][2], v[1][2], v[2][2]))));
    double size = b->dimension == 2 ? sqrt(m->volume / MRN_PI) : cbrt(0.75 * m->volume / MRN_PI);
    for (int i = 0; i < b->n; i++) {
        mrn_vec3 d = mrn_sub(mrn_load3(b->centre + 3 * i), centre);
        d = mrn_scale(1 / size, mrn_rotate(q, d));
        d.z = b->dimension == 2 ? 0 : d.z;
        mrn_store3(out->centre + 3 * i, d);
        out->radius[i] = b->radius[i] / size;
        out->bound = fmax(out->bound, mrn_norm(d) + out->radius[i]);
    }
    for (int k = 0; k < 3; k++)
        out->inertia[k] = a[k][k] / (size * size);
    if (turn != NULL)
        *turn = q;
}

/* The same balls about the mean of their centres: far from the origin of their list, moments about
   it would lose all digits. */
static void move_home(const mrn_balls *b, double *centre)
{
    mrn_vec3 mean = {0, 0, 0};
    for (int i = 0; i < b->n; i++)
        mean = mrn_axpy(1.0 / b->n, mrn_load3(b->centre + 3 * i), mean);
    for (int i = 0; i < b->n; i++)
        mrn_store3(centre + 3 * i, mrn_sub(mrn_load3(b->centre + 3 * i), mean));
}

static mrn_status measure(const mrn_balls *b, int64_t samples, mrn_cluster *out, mrn_moments *m,
                          mrn_message *msg)
{
    out->exact = !mrn_balls_triple(b);
    mrn_status st = MRN_OK;
    if (out->exact)
        *m = mrn_balls_exact(b);
    else
        st = mrn_balls_sample(b, samples, m, msg);
    out->error = m->error;
    return st;
}

mrn_status mrn_cluster_make(const char *name, int dimension, int n, const double *centre,
                            const double *radius, int64_t samples, mrn_cluster *out, mrn_quat *turn,
                            mrn_message *msg)
{
    *out = (mrn_cluster){.n = n};
    snprintf(out->name, sizeof out->name, "%s", name);
    mrn_balls b = {dimension, n, centre, radius};
    double *home = NULL;
    mrn_moments m = {0};
    mrn_status st = check(name, &b, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->centre, 3 * (int64_t)n, sizeof *out->centre, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->radius, n, sizeof *out->radius, msg);
    if (st == MRN_OK)
        st = mrn_array(&home, 3 * (int64_t)n, sizeof *home, msg);
    if (st == MRN_OK) {
        move_home(&b, home);
        b.centre = home;
        st = measure(&b, samples, out, &m, msg);
    }
    if (st == MRN_OK)
        fill(&b, &m, out, turn);
    else
        mrn_cluster_release(out);
    mrn_free(home);
    return st;
}
