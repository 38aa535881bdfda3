/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coarse-grained fields on a grid (Goldhirsch, Granular Matter 12, 239 (2010)).

   Every grain is smeared out with Lucy's function (Lucy, Astron. J. 82, 1013 (1977)),
   phi(q) = A (1 + 3q)(1 - q)^3 for q = r/c < 1, which has two continuous derivatives; its range c
   is twice the width, as in Weinhart, Hartkamp, Thornton and Luding, Phys. Fluids 25, 070605
   (2013). Contact stress is force times branch times the integral of phi along the branch, taken
   with Gauss' rule: contacts become a few points on the line between the centres (for walls: from
   the contact point to the centre; of grains with several contact points each point has the branch
   of its pair). A grain is smeared about its centre of mass, whatever its polytope. All that is
   smeared is thus a list of points with weights. Each plane of the grid is filled by one thread
   from the whole list in its order: the same bits for any number of threads. */
#include <string.h>

#include "base/base.h"
#include "measure/measure.h"

enum { MASS, VOLUME, MOMENTUM, MOTION = MOMENTUM + 3, N_GRAIN = MOTION + 6, N_CONTACT = 6 };
enum { GAUSS = 4 };

/* Points of one kind, all with `width` numbers to smear. */
typedef struct cloud {
    int width;
    int64_t n, capacity;
    double *x; /* 3 */
    double *weight;
    bool full;
} cloud;

static double *new_point(cloud *c, mrn_vec3 x)
{
    int64_t places = 3 * c->capacity, weights = c->width * c->capacity;
    if (c->n == c->capacity) {
        int64_t more = c->capacity + c->capacity / 2 + 64;
        if (mrn_grow(&c->x, &places, 3 * more, sizeof *c->x) != MRN_OK ||
            mrn_grow(&c->weight, &weights, c->width * more, sizeof *c->weight) != MRN_OK) {
            c->full = true;
            return NULL;
        }
        c->capacity = places / 3 < weights / c->width ? places / 3 : weights / c->width;
    }
    mrn_store3(c->x + 3 * c->n, x);
    return c->weight + c->width * c->n++;
}

/* ---- grid and images ---- */

typedef struct grid {
    mrn_fields *f;
    double range;
    double size[3], tilt[3]; /* of the cell; size 0: no period */
} grid;

static void lay_axis(const mrn_scene *scene, const mrn_state *s, int k, double spacing, grid *g)
{
    mrn_fields *f = g->f;
    double lo = INFINITY, hi = -INFINITY;
    if (scene->cell.periodic[k]) {
        lo = s->cell_origin[k];
        hi = lo + s->cell_size[k];
        f->n[k] = (int)fmax(rint(fmin((hi - lo) / spacing, 1e6)), 1);
        f->origin[k] = lo;
        f->spacing[k] = (hi - lo) / f->n[k];
        return;
    }
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (mrn_is_grain(s, i)) {
            lo = fmin(lo, s->body.x[3 * (size_t)i + k]);
            hi = fmax(hi, s->body.x[3 * (size_t)i + k]);
        }
    /* in whole steps around the middle: all that the smoothing reaches */
    f->n[k] = (int)ceil(fmin((hi - lo + 2 * g->range) / spacing, 1e6));
    f->origin[k] = 0.5 * (lo + hi) - 0.5 * f->n[k] * spacing;
    f->spacing[k] = spacing;
}

static mrn_status lay_grid(const mrn_scene *scene, const mrn_state *s, double spacing, grid *g,
                           mrn_message *msg)
{
    mrn_fields *f = g->f;
    f->n[2] = 1, f->origin[2] = -0.5, f->spacing[2] = 1;
    for (int k = 0; k < scene->dimension; k++)
        lay_axis(scene, s, k, spacing, g);
    double boxes = (double)f->n[0] * f->n[1] * f->n[2];
    if (boxes > 2e8) {
        mrn_fail(msg, MRN_ERR_RANGE, "the grid has %.3g boxes, %d x %d x %d", boxes, f->n[0],
                 f->n[1], f->n[2]);
        mrn_fail_hint(msg, "take a larger spacing than %.3g m; a grain far away is costly too",
                      spacing);
        return MRN_ERR_RANGE;
    }
    mrn_images im = mrn_images_of(scene, s);
    memcpy(g->size, im.size, sizeof g->size);
    memcpy(g->tilt, im.tilt, sizeof g->tilt);
    return MRN_OK;
}

/* ---- smearing ---- */

static double lucy(int dimension, double range)
{
    return dimension == 2 ? 5 / (MRN_PI * range * range)
                          : 105 / (16 * MRN_PI * range * range * range);
}

/* Adds one point, where it stands, to the plane of boxes number `plane`. */
static void smear(const grid *g, const double at[3], const double *weight, int width, int plane,
                  double *out)
{
    const mrn_fields *f = g->f;
    double c2 = g->range * g->range, norm = lucy(f->dimension, g->range);
    double dz = f->dimension == 3 ? f->origin[2] + (plane + 0.5) * f->spacing[2] - at[2] : 0;
    double left = c2 - dz * dz;
    if (left <= 0)
        return;
    double reach = sqrt(left), h0 = f->spacing[0], h1 = f->spacing[1];
    int y0 = (int)fmax(ceil((at[1] - reach - f->origin[1]) / h1 - 0.5), 0);
    int y1 = (int)fmin(floor((at[1] + reach - f->origin[1]) / h1 - 0.5), f->n[1] - 1);
    for (int y = y0; y <= y1; y++) {
        double dy = f->origin[1] + (y + 0.5) * h1 - at[1], rest = left - dy * dy;
        double along = sqrt(fmax(rest, 0));
        int x0 = (int)fmax(ceil((at[0] - along - f->origin[0]) / h0 - 0.5), 0);
        int x1 = (int)fmin(floor((at[0] + along - f->origin[0]) / h0 - 0.5), f->n[0] - 1);
        for (int x = x0; x <= x1; x++) {
            double dx = f->origin[0] + (x + 0.5) * h0 - at[0];
            double q = sqrt((dx * dx + dy * dy + dz * dz) / c2), p = 1 - q;
            double phi = p > 0 ? norm * (1 + 3 * q) * p * p * p : 0;
            double *to = out + (size_t)width * ((size_t)y * (size_t)f->n[0] + (size_t)x);
            for (int k = 0; k < width; k++)
                to[k] += phi * weight[k];
        }
    }
}

/* Which multiples of a period bring `x` within reach of [lo, hi]. */
static void shifts(double x, double lo, double hi, double range, double period, int *from, int *to)
{
    *from = *to = 0;
    if (period > 0) {
        *from = (int)ceil((lo - range - x) / period);
        *to = (int)floor((hi + range - x) / period);
    }
}

/* A point and its images. Edges of the cell: (Lx, 0, 0), (xy, Ly, 0), (xz, yz, Lz). */
static void smear_images(const grid *g, const double *x, const double *weight, int width, int plane,
                         double *out)
{
    const mrn_fields *f = g->f;
    int a0, a1, b0, b1, c0, c1;
    double top[3], z = f->origin[2] + (plane + 0.5) * f->spacing[2];
    for (int k = 0; k < 3; k++)
        top[k] = f->origin[k] + f->n[k] * f->spacing[k];
    shifts(x[2], z, z, g->range, g->size[2], &c0, &c1);
    for (int c = c0; c <= c1; c++) {
        double at[3] = {0, 0, x[2] + c * g->size[2]}, x1 = x[1] + c * g->tilt[2];
        if (f->dimension == 3 && fabs(at[2] - z) >= g->range)
            continue;
        shifts(x1, f->origin[1], top[1], g->range, g->size[1], &b0, &b1);
        for (int b = b0; b <= b1; b++) {
            double x0 = x[0] + c * g->tilt[1] + b * g->tilt[0];
            at[1] = x1 + b * g->size[1];
            shifts(x0, f->origin[0], top[0], g->range, g->size[0], &a0, &a1);
            for (int a = a0; a <= a1; a++) {
                at[0] = x0 + a * g->size[0];
                smear(g, at, weight, width, plane, out);
            }
        }
    }
}

/* Most points are far from most planes. The nearest image tells for all. */
static bool near_plane(const grid *g, double z, int plane)
{
    const mrn_fields *f = g->f;
    double d = z - f->origin[2] - (plane + 0.5) * f->spacing[2], period = g->size[2];
    if (period > 0)
        d -= period * rint(d / period);
    return f->dimension == 2 || fabs(d) < g->range;
}

static void smear_cloud(const grid *g, const cloud *c, double *out)
{
    const mrn_fields *f = g->f;
    size_t stride = (size_t)c->width * (size_t)f->n[0] * (size_t)f->n[1];
#pragma omp parallel for schedule(dynamic) if (f->n[2] > 1 && c->n > 64)
    for (int plane = 0; plane < f->n[2]; plane++)
        for (int64_t i = 0; i < c->n; i++)
            if (near_plane(g, c->x[3 * i + 2], plane))
                smear_images(g, c->x + 3 * i, c->weight + c->width * i, c->width, plane,
                             out + (size_t)plane * stride);
}

/* ---- grains ---- */

static void put_grains(const mrn_scene *scene, const mrn_state *s, cloud *c)
{
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (!mrn_is_grain(s, i))
            continue;
        double *w = new_point(c, mrn_load3(s->body.x + 3 * (size_t)i)), m = s->body.mass[i];
        mrn_vec3 v = mrn_load3(s->body.v + 3 * (size_t)i);
        if (w == NULL)
            return;
        w[MASS] = m;
        w[VOLUME] = mrn_volume_of(scene, s, i);
        mrn_store3(w + MOMENTUM, mrn_scale(m, v));
        const double motion[6] = {v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z};
        for (int k = 0; k < 6; k++)
            w[MOTION + k] = m * motion[k];
    }
}

/* From sums to fields. Kinetic stress about the local velocity: <m v v> - rho V V. */
static void resolve_grains(const double *sum, int64_t n, mrn_fields *f)
{
    static const int a[6] = {0, 1, 2, 0, 0, 1}, b[6] = {0, 1, 2, 1, 2, 2};
    for (int64_t i = 0; i < n; i++, sum += N_GRAIN) {
        double rho = sum[MASS], trace = 0, *v = f->velocity + 3 * i;
        f->density[i] = rho;
        f->solid_fraction[i] = sum[VOLUME];
        for (int k = 0; k < 3; k++)
            v[k] = rho > 0 ? sum[MOMENTUM + k] / rho : 0;
        for (int k = 0; k < 6; k++) {
            double part = sum[MOTION + k] - rho * v[a[k]] * v[b[k]];
            /* a square of rounding errors may come out below zero */
            f->kinetic_stress[6 * i + k] = k < 3 ? fmax(part, 0) : part;
            trace += k < f->dimension ? f->kinetic_stress[6 * i + k] : 0;
        }
        f->temperature[i] = rho > 0 ? trace / (f->dimension * rho) : 0;
    }
}

/* ---- contacts ---- */

static void put_contact(const mrn_contact_view *v, const mrn_contact_entry *t, void *user)
{
    static const double at[GAUSS] = {0.0694318442029737, 0.3300094782075719, 0.6699905217924281,
                                     0.9305681557970263};
    static const double share[GAUSS] = {0.1739274225687269, 0.3260725774312731, 0.3260725774312731,
                                        0.1739274225687269};
    (void)v;
    cloud *c = user;
    mrn_vec3 F = t->force, l = t->branch;
    const double product[6] = {F.x * l.x,
                               F.y * l.y,
                               F.z * l.z,
                               0.5 * (F.x * l.y + F.y * l.x),
                               0.5 * (F.x * l.z + F.z * l.x),
                               0.5 * (F.y * l.z + F.z * l.y)};
    for (int k = 0; k < GAUSS && !c->full; k++) {
        double *w = new_point(c, mrn_axpy(-at[k], l, t->to));
        for (int i = 0; w != NULL && i < 6; i++)
            w[i] = share[k] * product[i];
    }
}

/* ---- all ---- */

void mrn_fields_destroy(mrn_fields *f)
{
    mrn_free(f->density);
    mrn_free(f->solid_fraction);
    mrn_free(f->velocity);
    mrn_free(f->temperature);
    mrn_free(f->contact_stress);
    mrn_free(f->kinetic_stress);
    *f = (mrn_fields){0};
}

static mrn_status make_room(mrn_fields *f, int64_t n, mrn_message *msg)
{
    struct {
        double **slot;
        int width;
    } part[] = {{&f->density, 1},     {&f->solid_fraction, 1}, {&f->velocity, 3},
                {&f->temperature, 1}, {&f->contact_stress, 6}, {&f->kinetic_stress, 6}};
    mrn_status st = MRN_OK;
    for (size_t k = 0; st == MRN_OK && k < sizeof part / sizeof part[0]; k++)
        st = mrn_array(part[k].slot, part[k].width * n, sizeof(double), msg);
    return st;
}

static mrn_status fill_grains(const mrn_scene *scene, const mrn_state *s, const grid *g, int64_t n,
                              mrn_message *msg)
{
    cloud c = {.width = N_GRAIN};
    double *sum = NULL;
    mrn_status st = mrn_array(&sum, N_GRAIN * n, sizeof *sum, msg);
    if (st == MRN_OK) {
        put_grains(scene, s, &c);
        st = c.full ? mrn_fail_memory(msg) : MRN_OK;
    }
    if (st == MRN_OK) {
        smear_cloud(g, &c, sum);
        resolve_grains(sum, n, g->f);
    }
    mrn_free(sum);
    mrn_free(c.x);
    mrn_free(c.weight);
    return st;
}

static mrn_status fill_contacts(const mrn_contact_view *v, const grid *g, mrn_message *msg)
{
    cloud c = {.width = N_CONTACT};
    mrn_contacts_each(v, put_contact, &c);
    mrn_status st = c.full ? mrn_fail_memory(msg) : MRN_OK;
    if (st == MRN_OK)
        smear_cloud(g, &c, g->f->contact_stress);
    mrn_free(c.x);
    mrn_free(c.weight);
    return st;
}

static double mean_diameter(const mrn_state *s)
{
    mrn_sum sum = {0};
    double n = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (mrn_is_grain(s, i)) {
            mrn_sum_add(&sum, 2 * s->body.radius[i]);
            n += 1;
        }
    return n > 0 ? mrn_sum_value(&sum) / n : 0;
}

mrn_status mrn_fields_compute(const mrn_scene *scene, const mrn_state *s,
                              const mrn_contacts *contacts, double width, double spacing,
                              mrn_fields *out, mrn_message *msg)
{
    mrn_contact_view v = mrn_view_of(scene, s, contacts);
    width = width > 0 ? width : mean_diameter(s);
    spacing = spacing > 0 ? spacing : width;
    *out = (mrn_fields){
        .dimension = scene->dimension, .width = width, .time = s->time, .has_contacts = v.known};
    if (!(width > 0))
        return mrn_fail(msg, MRN_ERR_RANGE, "fields of no grains");
    grid g = {.f = out, .range = 2 * width};
    mrn_status st = lay_grid(scene, s, spacing, &g, msg);
    int64_t n = (int64_t)out->n[0] * out->n[1] * out->n[2];
    if (st == MRN_OK)
        st = make_room(out, n, msg);
    if (st == MRN_OK)
        st = fill_grains(scene, s, &g, n, msg);
    if (st == MRN_OK)
        st = fill_contacts(&v, &g, msg);
    if (st != MRN_OK)
        mrn_fields_destroy(out);
    return st;
}

mrn_status mrn_fields_check(const mrn_scene *scene, const mrn_state *s, double width,
                            double spacing, mrn_message *msg)
{
    width = width > 0 ? width : mean_diameter(s);
    mrn_fields f = {.dimension = scene->dimension, .width = width};
    if (!(width > 0)) /* grains may come later */
        return MRN_OK;
    grid g = {.f = &f, .range = 2 * width};
    return lay_grid(scene, s, spacing > 0 ? spacing : width, &g, msg);
}
