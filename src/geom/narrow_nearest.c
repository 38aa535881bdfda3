/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shortest line between two convex polyhedra: the method of Gilbert, Johnson and Keerthi (1988)
   on the set of differences C - A, whose point nearest to zero is the shortest line as a vector. */
#include "geom/narrow_parts.h"

enum { TURNS = 64 };

/* Up to four corners of C - A, and the weights that make the point nearest to zero of their hull.
 */
typedef struct simplex {
    int n;
    mrn_vec3 w[4];
    int corner[4][2];
    double weight[4];
    mrn_vec3 v; /* that point */
} simplex;

static void keep(simplex *s, int n, const int *which, const double *weight)
{
    simplex old = *s;
    s->n = n;
    for (int k = 0; k < n; k++) {
        s->w[k] = old.w[which[k]];
        s->corner[k][0] = old.corner[which[k]][0];
        s->corner[k][1] = old.corner[which[k]][1];
        s->weight[k] = weight[k];
    }
}

/* What is nearest to zero in a subset: its corners that count. */
typedef struct nearest_in {
    int n, which[3];
    double weight[3];
    mrn_vec3 v;
} nearest_in;

static nearest_in on_point(const simplex *s, int i)
{
    return (nearest_in){.n = 1, .which = {i}, .weight = {1}, .v = s->w[i]};
}

/* What rounding leaves of v along the segment is taken out: next to touching it would turn v. */
static nearest_in on_segment(const simplex *s, int i, int j)
{
    mrn_vec3 a = s->w[i], e = mrn_sub(s->w[j], a);
    double ee = mrn_dot(e, e), t = -mrn_dot(a, e);
    if (t <= 0)
        return on_point(s, i);
    if (t >= ee)
        return on_point(s, j);
    t /= ee;
    mrn_vec3 v = mrn_axpy(t, e, a);
    v = mrn_axpy(-mrn_dot(v, e) / ee, e, v);
    return (nearest_in){.n = 2, .which = {i, j}, .weight = {1 - t, t}, .v = v};
}

static nearest_in better(nearest_in a, nearest_in b)
{
    return mrn_dot(b.v, b.v) < mrn_dot(a.v, a.v) ? b : a;
}

/* Inside the triangle the point is taken along its normal: exact in direction however short. */
static nearest_in on_triangle(const simplex *s, int i, int j, int k)
{
    mrn_vec3 a = s->w[i], b = s->w[j], c = s->w[k];
    mrn_vec3 n = mrn_cross(mrn_sub(b, a), mrn_sub(c, a));
    double nn = mrn_dot(n, n);
    double wa = mrn_dot(n, mrn_cross(b, c)), wb = mrn_dot(n, mrn_cross(c, a)),
           wc = mrn_dot(n, mrn_cross(a, b));
    if (nn > 0 && wa > 0 && wb > 0 && wc > 0) {
        double sum = wa + wb + wc;
        return (nearest_in){.n = 3,
                            .which = {i, j, k},
                            .weight = {wa / sum, wb / sum, wc / sum},
                            .v = mrn_scale(mrn_dot(n, a) / nn, n)};
    }
    return better(better(on_segment(s, i, j), on_segment(s, j, k)), on_segment(s, i, k));
}

/* Volume over the product of three edges at a corner below which it is rounding alone. */
static const double FLAT = 1e-14;

/* A face of a tetrahedron: its corners and the fourth. */
static const int face_of[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};

/* Whether zero and the fourth corner are not on the same side of a face; where that cannot be
   told (a flat tetrahedron, zero on the face) the face may be the nearest. */
static bool outside_face(const simplex *s, const int *k)
{
    mrn_vec3 a = s->w[k[0]], b = mrn_sub(s->w[k[1]], a), c = mrn_sub(s->w[k[2]], a);
    mrn_vec3 d = mrn_sub(s->w[k[3]], a), n = mrn_cross(b, c);
    double zero = -mrn_dot(n, a), other = mrn_dot(n, d);
    double least = FLAT * FLAT * mrn_dot(b, b) * mrn_dot(c, c) * mrn_dot(d, d);
    return zero * other <= 0 || other * other <= least || zero * zero <= least;
}

/* False: zero lies inside the tetrahedron; the nearest face is given all the same. */
static bool on_tetrahedron(const simplex *s, nearest_in *out)
{
    bool counts[4], any = false, first = true;
    for (int f = 0; f < 4; f++) {
        counts[f] = outside_face(s, face_of[f]);
        any = any || counts[f];
    }
    for (int f = 0; f < 4; f++) {
        const int *k = face_of[f];
        if (any && !counts[f])
            continue;
        nearest_in p = on_triangle(s, k[0], k[1], k[2]);
        *out = first ? p : better(*out, p);
        first = false;
    }
    return any;
}

/* Down to what is nearest to zero; false: zero lies inside. */
static bool reduce(simplex *s)
{
    nearest_in p = {0};
    bool outside = true;
    if (s->n == 1)
        p = on_point(s, 0);
    else if (s->n == 2)
        p = on_segment(s, 0, 1);
    else if (s->n == 3)
        p = on_triangle(s, 0, 1, 2);
    else
        outside = on_tetrahedron(s, &p);
    keep(s, p.n, p.which, p.weight);
    s->v = p.v;
    return outside;
}

/* The corner of C - A lowest along n goes in; false: it is in already. */
static bool extend(simplex *s, const mrn_posed *c, const mrn_posed *a, mrn_vec3 n, double *low)
{
    double in_c, in_a;
    int kc = mrn_posed_lowest(c, n, &in_c), ka = mrn_posed_lowest(a, mrn_scale(-1, n), &in_a);
    *low = in_c + in_a;
    for (int k = 0; k < s->n; k++)
        if (s->corner[k][0] == kc && s->corner[k][1] == ka)
            return false;
    s->w[s->n] = mrn_sub(mrn_posed_point(c, kc), mrn_posed_point(a, ka));
    s->corner[s->n][0] = kc;
    s->corner[s->n][1] = ka;
    s->weight[s->n] = 1;
    s->n++;
    return true;
}

static mrn_nearest result(const simplex *s, const mrn_posed *c, const mrn_posed *a, mrn_nearest out)
{
    out.n = s->n;
    for (int k = 0; k < s->n; k++) {
        out.corner[k][0] = s->corner[k][0];
        out.corner[k][1] = s->corner[k][1];
        out.point[0] = mrn_axpy(s->weight[k], mrn_posed_point(c, s->corner[k][0]), out.point[0]);
        out.point[1] = mrn_axpy(s->weight[k], mrn_posed_point(a, s->corner[k][1]), out.point[1]);
    }
    return out;
}

/* Every turn has a lower bound (the gap along v) and an upper one (|v|): it ends when no new corner
   shows up or the two agree to rounding, whatever came before; TURNS guards against rounding alone.
   The bound kept is the best seen with its own direction, so it is true also when the search ends
   early. */
mrn_nearest mrn_narrow_nearest(const mrn_posed *c, const mrn_posed *a, mrn_vec3 start,
                               double enough)
{
    double size = c->scale * c->shape->bound + a->scale * a->shape->bound, low, last = INFINITY;
    mrn_nearest out = {.bound = -INFINITY, .normal = start};
    simplex s = {0};
    extend(&s, c, a, start, &low);
    reduce(&s);
    for (int turn = 0; turn < TURNS; turn++) {
        double length = mrn_norm(s.v);
        if (!(length > 1e-16 * size))
            return result(&s, c, a, (mrn_nearest){.bound = -INFINITY, .normal = start});
        mrn_vec3 n = mrn_scale(1 / length, s.v);
        simplex before = s;
        bool more = extend(&s, c, a, n, &low);
        if (low > out.bound) {
            out.bound = low;
            out.normal = n;
        }
        out.apart = out.bound > 0;
        out.distance = length;
        if (!more || out.bound >= enough || length - low <= 4e-16 * size || length >= last)
            return result(&before, c, a, out);
        last = length;
        if (!reduce(&s)) {
            out.apart = false;
            return result(&s, c, a, out);
        }
    }
    return result(&s, c, a, out);
}
