/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clipping of convex bodies and the thickness of what is left. The surface of the region consists
   of the faces of each body, clipped by the other one; its integrals follow from that surface. */
#include "geom/overlap_region.h"

#include "base/base.h"
#include "geom/clip.h"

/* Faces that lie in one plane to this part of the size of the bodies are one face. */
#define SAME_PLANE 1e-12

/* ---- room ---- */

void mrn_overlap_region_release(mrn_overlap_region *r)
{
    mrn_free(r->block);
    *r = (mrn_overlap_region){0};
}

/* The next n things in a block; NULL while bytes are only counted. */
static void *carve(char *block, size_t *at, int64_t n, size_t size)
{
    void *here = block != NULL ? block + *at : NULL;
    *at += ((size_t)n * size + 15) / 16 * 16;
    return here;
}

static size_t lay_out(mrn_overlap_region *r, char *block)
{
    size_t at = 0;
    mrn_posed_faces *solid[2] = {&r->c, &r->a};
    for (int k = 0; k < 2; k++) {
        solid[k]->plane = carve(block, &at, 4 * r->room.faces, sizeof(double));
        solid[k]->start = carve(block, &at, r->room.faces + 1, sizeof(int32_t));
        solid[k]->corner = carve(block, &at, r->room.corners, sizeof(mrn_vec3));
        solid[k]->point = carve(block, &at, r->room.points, sizeof(mrn_vec3));
    }
    r->facet = carve(block, &at, r->facet_room, sizeof(mrn_facet));
    r->corner = carve(block, &at, r->corner_room, sizeof(mrn_vec3));
    for (int k = 0; k < 2; k++)
        r->poly[k] = carve(block, &at, r->poly_room, sizeof(mrn_vec3));
    return at;
}

/* A face clipped by f planes has at most f corners more: by the faces of another body, or by the
   plane and the up to four sides of a slab. The sides of slabs are cut by the faces of the body. */
mrn_status mrn_overlap_region_reserve(mrn_overlap_region *r, const mrn_overlap_room *room,
                                      mrn_message *msg)
{
    const mrn_overlap_room *had = &r->room;
    if (r->block != NULL && had->faces >= room->faces && had->corners >= room->corners &&
        had->points >= room->points && had->slab_faces >= room->slab_faces &&
        had->slab_corners >= room->slab_corners)
        return MRN_OK;
    mrn_overlap_region_release(r);
    r->room = *room;
    int64_t faces = room->faces, pair = 2 * (room->corners + faces * faces);
    r->facet_room = 2 * faces > room->slab_faces ? 2 * faces : room->slab_faces;
    r->corner_room = pair > room->slab_corners ? pair : room->slab_corners;
    r->poly_room = room->corners + faces + 8;
    mrn_status st = mrn_array((char **)&r->block, (int64_t)lay_out(r, NULL), 1, msg);
    if (st == MRN_OK)
        lay_out(r, r->block);
    else
        *r = (mrn_overlap_region){0};
    return st;
}

void mrn_posed_faces_make(mrn_posed_faces *s, const mrn_posed *p, mrn_vec3 origin)
{
    const mrn_convex *k = p->shape;
    mrn_posed from = *p;
    from.x = mrn_sub(p->x, origin);
    s->n_faces = k->n_faces;
    s->n_points = k->n_points;
    for (int i = 0; i < k->n_points; i++)
        s->point[i] = mrn_posed_point(&from, i);
    for (int f = 0; f <= k->n_faces; f++)
        s->start[f] = k->face_start[f];
    for (int i = 0; i < k->face_start[k->n_faces]; i++)
        s->corner[i] = s->point[k->corner[i]];
    for (int f = 0; f < k->n_faces; f++) {
        mrn_vec3 n = mrn_posed_turn(p, mrn_load3(k->plane + 4 * f));
        mrn_store3(s->plane + 4 * f, n);
        s->plane[4 * f + 3] = mrn_dot(n, s->corner[s->start[f]]);
    }
}

/* ---- clipping ---- */

void mrn_overlap_region_begin(mrn_overlap_region *r, int dimension)
{
    r->dimension = dimension;
    r->n_facets = r->n_corners = 0;
}

static void add_facet(mrn_overlap_region *r, const mrn_vec3 *poly, int n, mrn_vec3 normal,
                      bool of_c)
{
    if (n < r->dimension || r->n_facets >= r->facet_room || r->n_corners + n > r->corner_room)
        return;
    r->facet[r->n_facets++] = (mrn_facet){r->n_corners, n, normal, of_c};
    for (int i = 0; i < n; i++)
        r->corner[r->n_corners++] = poly[i];
}

/* A polygon cut by planes on the way to become a facet. */
typedef struct cut {
    mrn_overlap_region *r;
    int n, now;
} cut;

static cut cut_begin(mrn_overlap_region *r, const mrn_vec3 *poly, int n)
{
    for (int i = 0; i < n; i++)
        r->poly[0][i] = poly[i];
    return (cut){r, n, 0};
}

static bool cut_by(cut *c, mrn_vec3 normal, double d)
{
    mrn_overlap_region *r = c->r;
    c->n = mrn_clip(r->dimension, r->poly[c->now], c->n, normal, d, r->poly[1 - c->now]);
    c->now = 1 - c->now;
    return c->n >= r->dimension;
}

/* Is every corner of the polygon within `hair` of the plane? */
static bool lies_in(const mrn_vec3 *poly, int n, mrn_vec3 normal, double d, double hair)
{
    for (int i = 0; i < n; i++)
        if (fabs(mrn_dot(normal, poly[i]) - d) > hair)
            return false;
    return true;
}

static double size_of(const mrn_posed_faces *s)
{
    double most = 0;
    for (int i = 1; i < s->n_points; i++)
        most = fmax(most, mrn_norm(mrn_sub(s->point[i], s->point[0])));
    return most;
}

/* Faces of one body inside the other; most end at the plane `first`. Of two faces in one plane that
   look the same way, that of A stands for both. */
static void add_faces(mrn_overlap_region *r, const mrn_posed_faces *of, const mrn_posed_faces *in,
                      bool of_c, int first, double hair)
{
    for (int f = 0; f < of->n_faces; f++) {
        mrn_vec3 normal = mrn_load3(of->plane + 4 * f);
        int from = of->start[f], n = of->start[f + 1] - from;
        cut c = cut_begin(r, of->corner + from, n);
        bool some = true;
        for (int k = 0; some && k < in->n_faces; k++) {
            int g = k + first < in->n_faces ? k + first : k + first - in->n_faces;
            mrn_vec3 m = mrn_load3(in->plane + 4 * g);
            double d = in->plane[4 * g + 3];
            if (mrn_dot(m, normal) > 0 && lies_in(of->corner + from, n, m, d, hair))
                some = !of_c;
            else
                some = cut_by(&c, m, d);
        }
        if (some)
            add_facet(r, r->poly[c.now], c.n, normal, of_c);
    }
}

/* A face of s with all of t before it? *nearest: the face that t goes through least. */
static bool apart(const mrn_posed_faces *s, const mrn_posed_faces *t, int *nearest)
{
    double best = -INFINITY;
    for (int f = 0; f < s->n_faces; f++) {
        mrn_vec3 n = mrn_load3(s->plane + 4 * f);
        double lowest = INFINITY, from = best + s->plane[4 * f + 3];
        for (int i = 0; lowest > from && i < t->n_points; i++)
            lowest = fmin(lowest, mrn_dot(n, t->point[i]));
        if (!(lowest > from))
            continue;
        best = lowest - s->plane[4 * f + 3];
        *nearest = f;
        if (best >= 0)
            return true;
    }
    return false;
}

void mrn_overlap_region_add_pair(mrn_overlap_region *r)
{
    int of_a = 0, of_c = 0;
    if (apart(&r->a, &r->c, &of_a) || apart(&r->c, &r->a, &of_c))
        return;
    double hair = SAME_PLANE * fmin(size_of(&r->c), size_of(&r->a));
    add_faces(r, &r->c, &r->a, true, of_a, hair);
    add_faces(r, &r->a, &r->c, false, of_c, hair);
}

/* Outward direction of side k of an outline. */
static mrn_vec3 side_normal(int dimension, mrn_vec3 n, const mrn_vec3 *outline, int n_outline,
                            int k)
{
    if (dimension == 2)
        return mrn_unit(mrn_sub(outline[k], outline[1 - k]));
    return mrn_unit(mrn_cross(mrn_sub(outline[(k + 1) % n_outline], outline[k]), n));
}

/* The sides of the slab under an outline, as deep as the body goes. */
static void add_sides(mrn_overlap_region *r, mrn_vec3 n, const mrn_vec3 *outline, int n_outline,
                      double depth)
{
    mrn_vec3 down = mrn_scale(-depth, n);
    for (int k = 0; k < n_outline; k++) {
        mrn_vec3 p = outline[k], q = outline[(k + 1) % n_outline];
        mrn_vec3 side[4] = {p, mrn_add(p, down), mrn_add(q, down), q};
        cut c = cut_begin(r, side, r->dimension == 2 ? 2 : 4);
        bool some = true;
        for (int f = 0; some && f < r->c.n_faces; f++)
            some = cut_by(&c, mrn_load3(r->c.plane + 4 * f), r->c.plane[4 * f + 3]);
        if (some)
            add_facet(r, r->poly[c.now], c.n, side_normal(r->dimension, n, outline, n_outline, k),
                      false);
    }
}

void mrn_overlap_region_add_slab(mrn_overlap_region *r, mrn_vec3 n, double d,
                                 const mrn_vec3 *outline, int n_outline)
{
    const mrn_posed_faces *s = &r->c;
    double lowest = INFINITY;
    for (int i = 0; i < s->n_points; i++)
        lowest = fmin(lowest, mrn_dot(n, s->point[i]) - d);
    if (!(lowest < 0))
        return;
    for (int f = 0; f < s->n_faces; f++) {
        cut c = cut_begin(r, s->corner + s->start[f], s->start[f + 1] - s->start[f]);
        bool some = cut_by(&c, n, d);
        for (int k = 0; some && k < n_outline; k++) {
            mrn_vec3 m = side_normal(r->dimension, n, outline, n_outline, k);
            some = cut_by(&c, m, mrn_dot(m, outline[k]));
        }
        if (some)
            add_facet(r, r->poly[c.now], c.n, mrn_load3(s->plane + 4 * f), true);
    }
    if (n_outline > 0)
        add_sides(r, n, outline, n_outline, -2 * lowest);
}

/* ---- integrals ---- */

/* Axes of the contact: z along the push, which is where digits are needed. */
typedef struct frame {
    mrn_vec3 o, x, y, z;
} frame;

static mrn_vec3 into(const frame *f, mrn_vec3 p)
{
    mrn_vec3 d = mrn_sub(p, f->o);
    return mrn_v3(mrn_dot(f->x, d), mrn_dot(f->y, d), mrn_dot(f->z, d));
}

static mrn_vec3 turn_into(const frame *f, mrn_vec3 d)
{
    return mrn_v3(mrn_dot(f->x, d), mrn_dot(f->y, d), mrn_dot(f->z, d));
}

static mrn_vec3 turn_out(const frame *f, mrn_vec3 d)
{
    return mrn_axpy(d.x, f->x, mrn_axpy(d.y, f->y, mrn_scale(d.z, f->z)));
}

/* In 2D local y is the axis out of the plane, where nothing happens. */
static void set_axes(int dimension, frame *f)
{
    if (dimension == 2) {
        f->y = mrn_v3(0, 0, 1);
    } else {
        mrn_vec3 a = fabs(f->z.x) < 0.6 ? mrn_v3(1, 0, 0) : mrn_v3(0, 1, 0);
        f->y = mrn_unit(mrn_cross(f->z, a));
    }
    f->x = mrn_cross(f->y, f->z);
}

static mrn_vec3 area_vector(const mrn_overlap_region *r, const mrn_facet *f)
{
    const mrn_vec3 *p = r->corner + f->start;
    if (r->dimension == 2)
        return mrn_scale(mrn_norm(mrn_sub(p[1], p[0])), f->normal);
    mrn_vec3 sum = {0, 0, 0};
    for (int i = 2; i < f->n; i++)
        sum = mrn_add(sum, mrn_cross(mrn_sub(p[i - 1], p[0]), mrn_sub(p[i], p[0])));
    return mrn_scale(0.5 * mrn_dot(sum, f->normal), f->normal);
}

/* Somewhere in the region, with z against the surface of C. */
static bool find_frame(const mrn_overlap_region *r, frame *f)
{
    mrn_vec3 sum = {0, 0, 0}, middle = {0, 0, 0};
    int n = 0;
    for (int k = 0; k < r->n_facets; k++) {
        const mrn_facet *t = &r->facet[k];
        if (!t->of_c)
            continue;
        sum = mrn_sub(sum, area_vector(r, t));
        for (int i = 0; i < t->n; i++, n++)
            middle = mrn_add(middle, r->corner[t->start + i]);
    }
    double size = mrn_norm(sum);
    if (n == 0 || !(size > 0))
        return false;
    f->o = mrn_scale(1.0 / n, middle);
    f->z = mrn_scale(1 / size, sum);
    set_axes(r->dimension, f);
    return true;
}

/* Volume, first and second moments about the origin of the frame. */
typedef struct sums {
    double v;
    mrn_vec3 first;
    double xx, yy, zz, xy, xz, yz;
} sums;

static void add_square(sums *s, double w, mrn_vec3 a)
{
    s->xx += w * a.x * a.x, s->yy += w * a.y * a.y, s->zz += w * a.z * a.z;
    s->xy += w * a.x * a.y, s->xz += w * a.x * a.z, s->yz += w * a.y * a.z;
}

/* The cone from the origin over a triangle (3D) or a line (2D): `d` is twice its area or six times
   its volume. */
static void add_cone(sums *s, int dimension, double d, mrn_vec3 a, mrn_vec3 b, mrn_vec3 c)
{
    mrn_vec3 all = mrn_add(a, b);
    if (dimension == 3)
        all = mrn_add(all, c);
    double v = dimension == 3 ? d / 6 : d / 2, one = v / (dimension + 1);
    double square = one / (dimension + 2);
    s->v += v;
    s->first = mrn_axpy(one, all, s->first);
    add_square(s, square, a);
    add_square(s, square, b);
    if (dimension == 3)
        add_square(s, square, c);
    add_square(s, square, all);
}

static sums integrate(const mrn_overlap_region *r, const frame *f)
{
    sums s = {0};
    for (int k = 0; k < r->n_facets; k++) {
        const mrn_facet *t = &r->facet[k];
        const mrn_vec3 *p = r->corner + t->start;
        mrn_vec3 n = turn_into(f, t->normal), a = into(f, p[0]), b = into(f, p[1]);
        if (r->dimension == 2) {
            add_cone(&s, 2, mrn_dot(a, n) * mrn_norm(mrn_sub(b, a)), a, b, b);
            continue;
        }
        for (int i = 2; i < t->n; i++) {
            mrn_vec3 c = into(f, p[i]);
            /* twice the area along n: corners of a clipped face may be out of order by rounding */
            double area = mrn_dot(mrn_cross(mrn_sub(b, a), mrn_sub(c, a)), n);
            add_cone(&s, 3, mrn_dot(a, n) * area, a, b, c);
            b = c;
        }
    }
    return s;
}

/* ---- thickness ---- */

/* Inverse of the covariance, and what of it the thickness and its gradient need. */
typedef struct polytope {
    mrn_vec3 c;                    /* centre in the frame            */
    double xx, yy, zz, xy, xz, yz; /* K^-2                           */
    double trace;                  /* of K^-1                        */
    sums k;                        /* K itself                       */
} polytope;

static bool invert_2d(const sums *k, polytope *o)
{
    double det = k->xx * k->zz - k->xz * k->xz;
    if (!(det > 0))
        return false;
    double a = k->zz / det, b = k->xx / det, c = -k->xz / det;
    o->trace = a + b;
    o->xx = a * a + c * c, o->zz = b * b + c * c, o->xz = c * (a + b);
    o->yy = o->xy = o->yz = 0;
    return true;
}

static bool invert_3d(const sums *k, polytope *o)
{
    double a = k->yy * k->zz - k->yz * k->yz, b = k->xz * k->yz - k->xy * k->zz;
    double c = k->xy * k->yz - k->xz * k->yy, det = k->xx * a + k->xy * b + k->xz * c;
    if (!(det > 0) || !(a > 0))
        return false;
    double xx = a / det, xy = b / det, xz = c / det;
    double yy = (k->xx * k->zz - k->xz * k->xz) / det;
    double yz = (k->xy * k->xz - k->xx * k->yz) / det;
    double zz = (k->xx * k->yy - k->xy * k->xy) / det;
    o->trace = xx + yy + zz;
    o->xx = xx * xx + xy * xy + xz * xz, o->yy = xy * xy + yy * yy + yz * yz;
    o->zz = xz * xz + yz * yz + zz * zz;
    o->xy = xx * xy + xy * yy + xz * yz, o->xz = xx * xz + xy * yz + xz * zz;
    o->yz = xy * xz + yy * yz + yz * zz;
    return yy > 0 && zz > 0;
}

static bool find_polytope(int dimension, const sums *s, polytope *o)
{
    if (!(s->v > 0))
        return false;
    mrn_vec3 c = o->c = mrn_scale(1 / s->v, s->first);
    sums k = {.xx = s->xx / s->v - c.x * c.x,
              .yy = s->yy / s->v - c.y * c.y,
              .zz = s->zz / s->v - c.z * c.z,
              .xy = s->xy / s->v - c.x * c.y,
              .xz = s->xz / s->v - c.x * c.z,
              .yz = s->yz / s->v - c.y * c.z};
    o->k = k;
    bool good = dimension == 2 ? invert_2d(&k, o) : invert_3d(&k, o);
    return good && isfinite(o->trace) && o->trace > 0;
}

/* By how much the thickness grows per volume added at p, times 24 V / d^3. */
static double weight(const polytope *o, mrn_vec3 p)
{
    mrn_vec3 a = mrn_sub(p, o->c);
    return o->xx * a.x * a.x + o->yy * a.y * a.y + o->zz * a.z * a.z +
           2 * (o->xy * a.x * a.y + o->xz * a.x * a.z + o->yz * a.y * a.z) - o->trace;
}

typedef struct wrench {
    mrn_vec3 force, torque; /* torque about the origin of the frame */
} wrench;

static void press(wrench *w, double weight_of, mrn_vec3 at, mrn_vec3 n)
{
    mrn_vec3 f = mrn_scale(weight_of, n);
    w->force = mrn_add(w->force, f);
    w->torque = mrn_add(w->torque, mrn_cross(at, f));
}

/* Exact for polynomials of degree three, which is what the torque asks for. */
static void press_line(wrench *w, const polytope *o, mrn_vec3 a, mrn_vec3 b, mrn_vec3 n)
{
    double l = mrn_norm(mrn_sub(b, a)), off = 0.5 / sqrt(3.0);
    for (int k = -1; k <= 1; k += 2) {
        mrn_vec3 p = mrn_axpy(0.5 + k * off, mrn_sub(b, a), a);
        press(w, 0.5 * l * weight(o, p), p, n);
    }
}

static void press_triangle(wrench *w, const polytope *o, mrn_vec3 a, mrn_vec3 b, mrn_vec3 c,
                           mrn_vec3 n)
{
    double area = 0.5 * mrn_dot(mrn_cross(mrn_sub(b, a), mrn_sub(c, a)), n);
    mrn_vec3 sum = mrn_add(a, mrn_add(b, c)), middle = mrn_scale(1.0 / 3, sum);
    mrn_vec3 corner[3] = {a, b, c};
    press(w, -27.0 / 48 * area * weight(o, middle), middle, n);
    for (int k = 0; k < 3; k++) {
        mrn_vec3 p = mrn_axpy(0.4, corner[k], mrn_scale(0.2, sum));
        press(w, 25.0 / 48 * area * weight(o, p), p, n);
    }
}

static wrench gradient(const mrn_overlap_region *r, const frame *f, const polytope *o)
{
    wrench w = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < r->n_facets; k++) {
        const mrn_facet *t = &r->facet[k];
        if (!t->of_c)
            continue;
        const mrn_vec3 *p = r->corner + t->start;
        mrn_vec3 n = turn_into(f, t->normal), a = into(f, p[0]), b = into(f, p[1]);
        if (r->dimension == 2)
            press_line(&w, o, a, b, n);
        for (int i = 2; i < t->n && r->dimension == 3; i++) {
            mrn_vec3 c = into(f, p[i]);
            press_triangle(&w, o, a, b, c, n);
            b = c;
        }
    }
    return w;
}

/* K in the axes outside. */
static void turn_spread(const frame *f, const sums *k, double out[6])
{
    const double x[3] = {f->x.x, f->x.y, f->x.z}, y[3] = {f->y.x, f->y.y, f->y.z};
    const double z[3] = {f->z.x, f->z.y, f->z.z};
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int n = 0; n < 6; n++) {
        int a = at[n][0], b = at[n][1];
        out[n] = k->xx * x[a] * x[b] + k->yy * y[a] * y[b] + k->zz * z[a] * z[b] +
                 k->xy * (x[a] * y[b] + y[a] * x[b]) + k->xz * (x[a] * z[b] + z[a] * x[b]) +
                 k->yz * (y[a] * z[b] + z[a] * y[b]);
    }
}

bool mrn_overlap_thickness(mrn_overlap_region *r, const mrn_vec3 *on, const mrn_vec3 *n,
                           mrn_thickness *out)
{
    frame f;
    polytope o;
    if (r->n_facets == 0 || !find_frame(r, &f))
        return false;
    if (n != NULL) {
        /* cones over the face that is left out have no volume when they begin in its plane */
        f.z = *n;
        f.o = mrn_axpy(-mrn_dot(*n, mrn_sub(f.o, *on)), *n, f.o);
        set_axes(r->dimension, &f);
    }
    sums s = integrate(r, &f);
    if (!find_polytope(r->dimension, &s, &o))
        return false;
    double delta = sqrt(12 / o.trace), scale = delta * delta * delta / (24 * s.v);
    wrench w = gradient(r, &f, &o);
    mrn_vec3 force = turn_out(&f, mrn_scale(-scale, w.force));
    mrn_vec3 torque = turn_out(&f, mrn_scale(-scale, w.torque));
    *out = (mrn_thickness){.delta = delta,
                           .push = force,
                           .twist = mrn_add(torque, mrn_cross(f.o, force)),
                           .centre = mrn_add(f.o, turn_out(&f, o.c)),
                           .volume = s.v};
    turn_spread(&f, &o.k, out->spread);
    return isfinite(mrn_norm(out->push)) && isfinite(mrn_norm(out->twist));
}
