/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volume and moments of any union of balls (disks) by counting points of an additive sequence with
   the generalised golden ratio (Kronecker sequence of low discrepancy; M. Roberts' choice of its
   steps) in the box around the union. Points are taken in parts whose sums are added in order, so
   that threads change no bit; the scatter of the parts is an upper estimate of the error, because
   the points of different parts fill each other's gaps. */
#include "base/base.h"
#include "geom/cluster.h"

enum { PARTS = 64 };

static const double step_2d[3] = {0.7548776662466927, 0.5698402909980532, 0};
static const double step_3d[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};

typedef struct box {
    double lo[3], size[3], volume;
} box;

static box box_of(const mrn_balls *b)
{
    box o = {.volume = 1};
    for (int k = 0; k < b->dimension; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < b->n; i++) {
            lo = fmin(lo, b->centre[3 * i + k] - b->radius[i]);
            hi = fmax(hi, b->centre[3 * i + k] + b->radius[i]);
        }
        o.lo[k] = lo, o.size[k] = hi - lo;
        o.volume *= hi - lo;
    }
    return o;
}

static bool inside(const mrn_balls *b, const double x[3])
{
    for (int i = 0; i < b->n; i++) {
        const double *c = b->centre + 3 * i;
        double dx = x[0] - c[0], dy = x[1] - c[1], dz = x[2] - c[2];
        if (dx * dx + dy * dy + dz * dz < b->radius[i] * b->radius[i])
            return true;
    }
    return false;
}

static double fraction(double x)
{
    return x - floor(x);
}

static void add_point(mrn_moments *m, const double x[3])
{
    m->volume += 1;
    m->first = mrn_add(m->first, mrn_load3(x));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            m->second[i][j] += x[i] * x[j];
}

static mrn_moments sample_part(const mrn_balls *b, const box *o, int64_t begin, int64_t end)
{
    const double *step = b->dimension == 2 ? step_2d : step_3d;
    mrn_moments m = {0};
    for (int64_t n = begin; n < end; n++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = o->lo[k] + o->size[k] * fraction(0.5 + (double)(n + 1) * step[k]);
        if (inside(b, x))
            add_point(&m, x);
    }
    return m;
}

static mrn_moments sum(const mrn_moments *part, double weight)
{
    mrn_moments m = {0};
    double squares = 0;
    for (int k = 0; k < PARTS; k++) {
        m.volume += part[k].volume;
        squares += part[k].volume * part[k].volume;
        m.first = mrn_add(m.first, part[k].first);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= i; j++)
                m.second[i][j] += part[k].second[i][j];
    }
    double mean = m.volume / PARTS, variance = fmax(squares / PARTS - mean * mean, 0);
    m.error = mean > 0 ? sqrt(variance / (PARTS - 1)) / mean : 0;
    m.volume *= weight;
    m.first = mrn_scale(weight, m.first);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            m.second[j][i] = m.second[i][j] *= weight;
    return m;
}

mrn_status mrn_balls_sample(const mrn_balls *b, int64_t samples, mrn_moments *out, mrn_message *msg)
{
    /* the default keeps even a cluster of a thousand spheres below a fraction of a second */
    int64_t few = (int64_t)(2e8 / b->n);
    if (samples <= 0)
        samples = few > 4000000 ? 4000000 : few < 100000 ? 100000 : few;
    int64_t each = (samples + PARTS - 1) / PARTS;
    box o = box_of(b);
    mrn_moments *part;
    if (mrn_array(&part, PARTS, sizeof *part, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
#pragma omp parallel for schedule(static) if (samples > 20000)
    for (int k = 0; k < PARTS; k++)
        part[k] = sample_part(b, &o, k * each, (k + 1) * each);
    *out = sum(part, o.volume / (double)(PARTS * each));
    mrn_free(part);
    return MRN_OK;
}
