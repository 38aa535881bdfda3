/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of many frames in bins. A bin is what lies between two values of each coordinate, so its
   volume is known exactly in all systems; what is in it is counted by points, into which grains and
   contacts are dissolved. Sums go frame by frame and body by body in the order of the file: the
   same bits always. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "measure/measure.h"
#include "moraine/average.h"

#define IN_SPHERE 48
#define IN_DISK   24
#define ON_BRANCH 8
#define GOLDEN    2.39996322972865332 /* angle between points that follow each other */

const char *mrn_average_name(const mrn_average_def *def, int k)
{
    static const char *const names[][3] = {
        {"x", "y", "z"}, {"r", "angle", "axial"}, {"s", "distance", ""}, {"x", "y", "z"}};
    return def->coordinates == MRN_COORDINATES_DEPTH && k == def->vertical
               ? "depth"
               : names[def->coordinates][k];
}

/* ---- coordinates ---- */

/* Three directions of which the first is along `a`. */
static void frame_along(mrn_vec3 a, mrn_vec3 e[3])
{
    e[0] = mrn_unit(a);
    mrn_vec3 t = fabs(e[0].z) < 0.9 ? mrn_v3(0, 0, 1) : mrn_v3(1, 0, 0);
    e[1] = mrn_unit(mrn_axpy(-mrn_dot(t, e[0]), e[0], t));
    e[2] = mrn_cross(e[0], e[1]);
}

/* The free surface: the highest point of a grain in columns two mean diameters wide. */
typedef struct surface {
    int k[2]; /* horizontal coordinates */
    int n[2];
    double lo[2], width[2];
    double *top, *bottom; /* of the grains, upwards; -INFINITY: nothing is there */
} surface;

typedef struct place {
    const mrn_average_def *def;
    int dimension;
    mrn_vec3 e[3]; /* of axis and line: along, across, across */
    const surface *top;
} place;

static place place_of(const mrn_average_def *def, int dimension, const surface *top)
{
    place p = {.def = def, .dimension = dimension, .top = top};
    mrn_vec3 along = def->direction;
    if (def->coordinates == MRN_COORDINATES_AXIS && dimension == 2)
        along = mrn_v3(0, 0, 1);
    if (mrn_norm(along) > 0)
        frame_along(along, p.e);
    if (def->coordinates == MRN_COORDINATES_AXIS && fabs(p.e[0].z) > 0.9) {
        /* angles from x, anticlockwise seen from the tip of the axis */
        p.e[1] = mrn_unit(mrn_axpy(-p.e[0].x, p.e[0], mrn_v3(1, 0, 0)));
        p.e[2] = mrn_cross(p.e[0], p.e[1]);
    }
    return p;
}

static double upwards(const mrn_average_def *d, mrn_vec3 x)
{
    const double at[3] = {x.x, x.y, x.z};
    return d->down ? -at[d->vertical] : at[d->vertical];
}

static int64_t column_of(const surface *s, mrn_vec3 x)
{
    const double at[3] = {x.x, x.y, x.z};
    int64_t i[2];
    for (int k = 0; k < 2; k++) {
        double t = floor((at[s->k[k]] - s->lo[k]) / s->width[k]);
        if (!(t >= 0 && t < s->n[k]))
            return -1;
        i[k] = (int64_t)t;
    }
    return i[0] + s->n[0] * i[1];
}

/* Height of the surface there, linear between the middles of columns; columns without grains give
   way to those that have some. -INFINITY: none is near. */
static double surface_at(const surface *s, mrn_vec3 x)
{
    const double at[3] = {x.x, x.y, x.z};
    int i[2][2];
    double share[2][2], sum = 0, weight = 0;
    for (int k = 0; k < 2; k++) {
        double u = (at[s->k[k]] - s->lo[k]) / s->width[k] - 0.5, low = floor(u);
        for (int e = 0; e < 2; e++) {
            i[k][e] = (int)fmin(fmax(low + e, 0), s->n[k] - 1);
            share[k][e] = e == 1 ? u - low : 1 - (u - low);
        }
    }
    for (int e = 0; e < 4; e++) {
        double w = share[0][e & 1] * share[1][e >> 1],
               top = s->top[i[0][e & 1] + (int64_t)s->n[0] * i[1][e >> 1]];
        if (isfinite(top) && w > 0) {
            sum += w * top;
            weight += w;
        }
    }
    return weight > 0 ? sum / weight : -INFINITY;
}

/* The coordinates of a place; false: it has none. */
static bool coordinates(const place *p, mrn_vec3 x, double c[3])
{
    mrn_vec3 d = mrn_sub(x, p->def->point);
    if (p->dimension == 2) /* one bin from 0 to 1 */
        x.z = 0.5;
    c[0] = x.x, c[1] = x.y, c[2] = x.z;
    if (p->def->coordinates == MRN_COORDINATES_AXIS) {
        double u = mrn_dot(d, p->e[1]), v = mrn_dot(d, p->e[2]);
        double angle = atan2(v, u) * (180 / MRN_PI);
        c[0] = sqrt(u * u + v * v);
        c[1] = angle < 0 ? angle + 360 : angle;
        c[2] = p->dimension == 3 ? mrn_dot(d, p->e[0]) : 0.5;
    } else if (p->def->coordinates == MRN_COORDINATES_LINE) {
        c[0] = mrn_dot(d, p->e[0]);
        c[1] = mrn_norm(mrn_axpy(-c[0], p->e[0], d));
        c[2] = 0.5;
    } else if (p->def->coordinates == MRN_COORDINATES_DEPTH) {
        double top = surface_at(p->top, x);
        if (!isfinite(top))
            return false;
        /* what stands out of it belongs to it */
        c[p->def->vertical] = fmax(top - upwards(p->def, x), 0);
    }
    return true;
}

/* Directions of velocities and stress there. */
static void axes_at(const place *p, mrn_vec3 x, mrn_vec3 axis[3])
{
    if (p->def->coordinates == MRN_COORDINATES_AXIS) {
        mrn_vec3 d = mrn_sub(x, p->def->point);
        mrn_vec3 across = mrn_axpy(-mrn_dot(d, p->e[0]), p->e[0], d);
        axis[0] = mrn_norm(across) > 0 ? mrn_unit(across) : p->e[1];
        axis[1] = mrn_cross(p->e[0], axis[0]);
        axis[2] = p->e[0];
    } else {
        axis[0] = mrn_v3(1, 0, 0), axis[1] = mrn_v3(0, 1, 0), axis[2] = mrn_v3(0, 0, 1);
    }
}

/* ---- bins ---- */

static int bins(const mrn_average_def *d, int k)
{
    return d->n[k] > 0 ? d->n[k] : 1;
}

static double edge(const mrn_average_def *d, int k, int i)
{
    return d->lo[k] + (d->hi[k] - d->lo[k]) * i / bins(d, k);
}

static int64_t bin_of(const mrn_average_def *d, const double c[3])
{
    int64_t at = 0, stride = 1;
    for (int k = 0; k < 3; k++) {
        double t = floor((c[k] - d->lo[k]) / (d->hi[k] - d->lo[k]) * bins(d, k));
        if (!(t >= 0 && t < bins(d, k)))
            return -1;
        at += stride * (int64_t)t;
        stride *= bins(d, k);
    }
    return at;
}

static void split(const mrn_average *a, int64_t b, int i[3])
{
    for (int k = 0; k < 3; k++) {
        i[k] = (int)(b % bins(&a->def, k));
        b /= bins(&a->def, k);
    }
}

double mrn_average_middle(const mrn_average *a, int64_t b, int k)
{
    int i[3];
    split(a, b, i);
    return 0.5 * (edge(&a->def, k, i[k]) + edge(&a->def, k, i[k] + 1));
}

/* Volume of a bin; DEPTH has other means (add_ground). */
static double bin_volume(const mrn_average *a, int64_t b)
{
    const mrn_average_def *d = &a->def;
    int i[3];
    double lo[3], hi[3];
    split(a, b, i);
    for (int k = 0; k < 3; k++) {
        lo[k] = edge(d, k, i[k]);
        hi[k] = edge(d, k, i[k] + 1);
    }
    double third = a->dimension == 3 ? hi[2] - lo[2] : 1;
    switch (d->coordinates) {
    case MRN_COORDINATES_AXIS:
        return 0.5 * (hi[0] * hi[0] - lo[0] * lo[0]) * (hi[1] - lo[1]) * (MRN_PI / 180) * third;
    case MRN_COORDINATES_LINE:
        return (hi[0] - lo[0]) *
               (a->dimension == 3 ? MRN_PI * (hi[1] * hi[1] - lo[1] * lo[1]) : 2 * (hi[1] - lo[1]));
    default:
        return (hi[0] - lo[0]) * (hi[1] - lo[1]) * third;
    }
}

/* ---- the surface of a frame ---- */

static bool counts(const mrn_frame *f, int32_t i)
{
    return !(f->flags[i] & (MRN_BODY_WALL | MRN_BODY_ABSENT));
}

/* Columns two mean diameters wide, or nearly, so that whole ones fill every bin. */
static mrn_status lay_columns(const mrn_average *a, const mrn_frame *f, surface *s,
                              mrn_message *msg)
{
    const mrn_average_def *d = &a->def;
    double sum = 0, n = 0;
    int m = 0;
    for (int32_t i = f->n_walls; i < f->n; i++)
        if (counts(f, i)) {
            sum += 2 * f->radius[i];
            n += 1;
        }
    for (int k = 0; k < 3; k++) {
        if (k == d->vertical)
            continue;
        double bin = (d->hi[k] - d->lo[k]) / bins(d, k);
        int each =
            k == 2 && a->dimension == 2 ? 1 : (int)fmax(1, fmin(rint(0.5 * bin * n / sum), 4096));
        s->k[m] = k;
        s->lo[m] = d->lo[k];
        s->n[m] = n > 0 ? each * bins(d, k) : 1;
        s->width[m] = (d->hi[k] - d->lo[k]) / s->n[m];
        m++;
    }
    int64_t all = (int64_t)s->n[0] * s->n[1];
    mrn_status st = mrn_array(&s->top, all, sizeof *s->top, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->bottom, all, sizeof *s->bottom, msg);
    for (int64_t i = 0; st == MRN_OK && i < all; i++)
        s->top[i] = -INFINITY, s->bottom[i] = INFINITY;
    return st;
}

static mrn_status make_surface(const mrn_average *a, const mrn_frame *f, surface *s,
                               mrn_message *msg)
{
    mrn_status st = lay_columns(a, f, s, msg);
    for (int32_t i = f->n_walls; st == MRN_OK && i < f->n; i++) {
        mrn_vec3 x = mrn_load3(f->x + 3 * (int64_t)i);
        if (a->dimension == 2)
            x.z = 0.5;
        int64_t column = counts(f, i) ? column_of(s, x) : -1;
        if (column < 0)
            continue;
        s->top[column] = fmax(s->top[column], upwards(&a->def, x) + f->radius[i]);
        s->bottom[column] = fmin(s->bottom[column], upwards(&a->def, x) - f->radius[i]);
    }
    return st;
}

/* Bins of DEPTH grow by the area of columns that have a grain, times the part of their height that
   lies above the lowest of its grains. */
static void add_ground(mrn_average *a, const surface *s)
{
    const mrn_average_def *d = &a->def;
    for (int64_t i = 0; i < (int64_t)s->n[0] * s->n[1]; i++) {
        double c[3] = {0};
        if (!isfinite(s->top[i]))
            continue;
        c[s->k[0]] = s->lo[0] + ((double)(i % s->n[0]) + 0.5) * s->width[0];
        c[s->k[1]] = s->lo[1] + ((double)(i / s->n[0]) + 0.5) * s->width[1];
        for (int b = 0; b < bins(d, d->vertical); b++) {
            c[d->vertical] = 0.5 * (edge(d, d->vertical, b) + edge(d, d->vertical, b + 1));
            int64_t at = bin_of(d, c);
            double part = fmin(edge(d, d->vertical, b + 1), s->top[i] - s->bottom[i]) -
                          edge(d, d->vertical, b);
            if (at >= 0 && part > 0)
                a->volume[at] += s->width[0] * s->width[1] * part;
        }
    }
}

/* ---- reach ---- */

static void widen(double *lo, double *hi, double a, double b)
{
    *lo = fmin(*lo, a);
    *hi = fmax(*hi, b);
}

void mrn_average_reach(const mrn_average_def *def, int dimension, const mrn_frame *f, double lo[3],
                       double hi[3])
{
    bool boxed =
        def->coordinates == MRN_COORDINATES_BOX || def->coordinates == MRN_COORDINATES_DEPTH;
    place p = place_of(def, dimension, NULL);
    double low = INFINITY, high = -INFINITY; /* of DEPTH */
    for (int32_t i = f->n_walls; i < f->n; i++) {
        double c[3], r = f->radius[i];
        mrn_vec3 x = mrn_load3(f->x + 3 * (int64_t)i);
        if (!counts(f, i))
            continue;
        if (def->coordinates == MRN_COORDINATES_DEPTH) {
            c[0] = x.x, c[1] = x.y, c[2] = x.z;
            widen(&low, &high, c[def->vertical] - r, c[def->vertical] + r);
        } else {
            coordinates(&p, x, c);
        }
        for (int k = 0; k < 3; k++)
            widen(&lo[k], &hi[k], c[k] - r, c[k] + r);
    }
    for (int k = 0; boxed && k < 3; k++)
        if (f->periodic[k])
            lo[k] = f->cell_origin[k], hi[k] = f->cell_origin[k] + f->cell_size[k];
    if (def->coordinates == MRN_COORDINATES_DEPTH)
        lo[def->vertical] = 0, hi[def->vertical] = fmax(high - low, 0);
    if (def->coordinates == MRN_COORDINATES_AXIS)
        lo[0] = 0, lo[1] = 0, hi[1] = 360;
    if (def->coordinates == MRN_COORDINATES_LINE)
        lo[1] = 0;
    if (dimension == 2 || def->coordinates == MRN_COORDINATES_LINE)
        lo[2] = 0, hi[2] = 1;
}

/* ---- sums ---- */

mrn_status mrn_average_begin(const mrn_average_def *def, int dimension, mrn_average *out,
                             mrn_message *msg)
{
    *out = (mrn_average){.def = *def, .dimension = dimension};
    mrn_average_def *d = &out->def;
    if (dimension == 2 || d->coordinates == MRN_COORDINATES_LINE)
        d->lo[2] = 0, d->hi[2] = 1, d->n[2] = 1;
    out->n = (int64_t)bins(d, 0) * bins(d, 1) * bins(d, 2);
    for (int k = 0; k < 3; k++)
        if (!(d->hi[k] > d->lo[k]) || !isfinite(d->lo[k]) || !isfinite(d->hi[k]))
            return mrn_fail(msg, MRN_ERR_RANGE, "no room between %s = %g and %g",
                            mrn_average_name(d, k), d->lo[k], d->hi[k]);
    if (out->n > 20000000)
        return mrn_fail(msg, MRN_ERR_RANGE, "%lld bins are too many", (long long)out->n);
    struct {
        double **slot;
        int width;
    } part[] = {{&out->volume, 1},         {&out->count, 1},         {&out->solid_fraction, 1},
                {&out->density, 1},        {&out->velocity, 3},      {&out->temperature, 1},
                {&out->contact_stress, 6}, {&out->kinetic_stress, 6}};
    mrn_status st = MRN_OK;
    for (size_t k = 0; st == MRN_OK && k < sizeof part / sizeof part[0]; k++)
        st = mrn_array(part[k].slot, part[k].width * out->n, sizeof(double), msg);
    if (st != MRN_OK)
        mrn_average_destroy(out);
    return st;
}

/* Back into the cell, along its edges. */
static mrn_vec3 wrap(const mrn_frame *f, mrn_vec3 x)
{
    for (int k = 2; k >= 0; k--) {
        const double at[3] = {x.x, x.y, x.z};
        if (f->periodic[k] && f->cell_size[k] > 0)
            x = mrn_axpy(-floor((at[k] - f->cell_origin[k]) / f->cell_size[k]),
                         mrn_frame_edge(f, k), x);
    }
    return x;
}

static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};

/* Adds a part of a grain: share 1 is the whole. */
static void add_point(mrn_average *a, const place *p, const mrn_frame *f, int32_t i, mrn_vec3 x,
                      double share)
{
    double c[3], r = f->radius[i], m = share * f->mass[i];
    if (!coordinates(p, x, c))
        return;
    int64_t b = bin_of(&a->def, c);
    if (b < 0)
        return;
    mrn_vec3 axis[3], v = mrn_load3(f->v + 3 * (int64_t)i);
    axes_at(p, x, axis);
    const double u[3] = {mrn_dot(v, axis[0]), mrn_dot(v, axis[1]), mrn_dot(v, axis[2])};
    a->count[b] += share;
    a->solid_fraction[b] +=
        share * (a->dimension == 2 ? MRN_PI * r * r : 4.0 / 3 * MRN_PI * r * r * r);
    a->density[b] += m;
    for (int k = 0; k < 3; k++)
        a->velocity[3 * b + k] += m * u[k];
    for (int k = 0; k < 6; k++)
        a->kinetic_stress[6 * b + k] += m * u[first[k]] * u[second[k]];
}

/* Points that fill a ball or disk of radius 1 evenly: equal shares of volume from the centre out,
   turned by the golden angle, heights evenly spread in an order of their own. */
static mrn_vec3 inner_point(int dimension, int k)
{
    if (dimension == 2) {
        double r = sqrt((k + 0.5) / IN_DISK);
        return mrn_v3(r * cos(GOLDEN * k), r * sin(GOLDEN * k), 0);
    }
    double r = cbrt((k + 0.5) / IN_SPHERE), z = (2 * ((k * 29) % IN_SPHERE) + 1.0) / IN_SPHERE - 1;
    double flat = sqrt(1 - z * z);
    return mrn_v3(r * flat * cos(GOLDEN * k), r * flat * sin(GOLDEN * k), r * z);
}

static void add_grains(mrn_average *a, const place *p, const mrn_frame *f)
{
    mrn_vec3 inner[IN_SPHERE];
    int m = a->dimension == 2 ? IN_DISK : IN_SPHERE;
    for (int k = 0; k < m; k++)
        inner[k] = inner_point(a->dimension, k);
    for (int32_t i = f->n_walls; i < f->n; i++) {
        mrn_vec3 x = mrn_load3(f->x + 3 * (int64_t)i);
        for (int k = 0; counts(f, i) && k < m; k++)
            add_point(a, p, f, i, wrap(f, mrn_axpy(f->radius[i], inner[k], x)), 1.0 / m);
    }
}

static void add_contact(mrn_average *a, const place *p, const mrn_frame *f, int64_t k)
{
    mrn_vec3 to = mrn_load3(f->x + 3 * (int64_t)f->contacts.c[k]);
    mrn_vec3 force = mrn_load3(f->contacts.force + 3 * k),
             l = mrn_load3(f->contacts.branch + 3 * k);
    for (int q = 0; q < ON_BRANCH; q++) {
        mrn_vec3 axis[3], x = wrap(f, mrn_axpy(-(q + 0.5) / ON_BRANCH, l, to));
        double c[3];
        int64_t b = coordinates(p, x, c) ? bin_of(&a->def, c) : -1;
        if (b < 0)
            continue;
        axes_at(p, x, axis);
        double F[3], L[3];
        for (int e = 0; e < 3; e++) {
            F[e] = mrn_dot(force, axis[e]);
            L[e] = mrn_dot(l, axis[e]);
        }
        for (int e = 0; e < 6; e++)
            a->contact_stress[6 * b + e] +=
                0.5 * (F[first[e]] * L[second[e]] + F[second[e]] * L[first[e]]) / ON_BRANCH;
    }
}

/* Bins that strain with the cell; the limits told at the end are means. */
static void follow_cell(mrn_average *a, const mrn_frame *f)
{
    for (int k = 0; k < 3; k++)
        if (a->def.cell[k] && f->periodic[k]) {
            a->def.lo[k] = f->cell_origin[k];
            a->def.hi[k] = f->cell_origin[k] + f->cell_size[k];
            a->cell_sum[0][k] += a->def.lo[k];
            a->cell_sum[1][k] += a->def.hi[k];
        }
}

mrn_status mrn_average_add(mrn_average *a, const mrn_frame *f, mrn_message *msg)
{
    surface s = {0};
    bool depth = a->def.coordinates == MRN_COORDINATES_DEPTH;
    follow_cell(a, f);
    mrn_status st = depth ? make_surface(a, f, &s, msg) : MRN_OK;
    if (st != MRN_OK) {
        mrn_free(s.top);
        mrn_free(s.bottom);
        return st;
    }
    place p = place_of(&a->def, a->dimension, depth ? &s : NULL);
    if (depth)
        add_ground(a, &s);
    else
        for (int64_t b = 0; b < a->n; b++)
            a->volume[b] += bin_volume(a, b);
    add_grains(a, &p, f);
    for (int64_t k = 0; k < f->contacts.n; k++)
        if (f->contacts.c[k] >= 0 && f->contacts.c[k] < f->n)
            add_contact(a, &p, f, k);
    a->has_contacts = a->has_contacts || f->contacts.n > 0;
    a->time[a->frames > 0 ? 1 : 0] = f->time;
    a->time[1] = f->time;
    a->frames++;
    mrn_free(s.top);
    mrn_free(s.bottom);
    return MRN_OK;
}

void mrn_average_end(mrn_average *a)
{
    for (int k = 0; k < 3; k++)
        if (a->def.cell[k] && a->frames > 0) {
            a->def.lo[k] = a->cell_sum[0][k] / (double)a->frames;
            a->def.hi[k] = a->cell_sum[1][k] / (double)a->frames;
        }
    for (int64_t b = 0; b < a->n; b++) {
        double volume = a->volume[b], mass = a->density[b], trace = 0;
        double *v = a->velocity + 3 * b, *kinetic = a->kinetic_stress + 6 * b;
        bool room = volume > 0, known = mass > 0;
        a->count[b] /= a->frames > 0 ? (double)a->frames : 1;
        a->volume[b] /= a->frames > 0 ? (double)a->frames : 1;
        a->solid_fraction[b] = room ? a->solid_fraction[b] / volume : NAN;
        a->density[b] = room ? mass / volume : NAN;
        for (int k = 0; k < 3; k++)
            v[k] = known ? v[k] / mass : NAN;
        for (int k = 0; k < 6; k++) {
            double part = known ? kinetic[k] - mass * v[first[k]] * v[second[k]] : 0;
            part = k < 3 ? fmax(part, 0) : part; /* rounding */
            trace += k < a->dimension ? part : 0;
            kinetic[k] = room ? part / volume : NAN;
            a->contact_stress[6 * b + k] =
                room && a->has_contacts ? a->contact_stress[6 * b + k] / volume : NAN;
        }
        a->temperature[b] = known ? trace / (a->dimension * mass) : NAN;
    }
}

void mrn_average_destroy(mrn_average *a)
{
    mrn_free(a->volume);
    mrn_free(a->count);
    mrn_free(a->solid_fraction);
    mrn_free(a->density);
    mrn_free(a->velocity);
    mrn_free(a->temperature);
    mrn_free(a->contact_stress);
    mrn_free(a->kinetic_stress);
    *a = (mrn_average){0};
}
