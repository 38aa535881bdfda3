/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a convex part meets a thin flat piece of a wall: a plate, the side of an open box, a
   triangle of a mesh. The piece pushes towards the side where the middle of the part is.

   Three kinds of points.

   1. Corners of the part on the face of the piece. On a flat mesh they are what the plane would
   give: the corner belongs to one triangle only. Between two triangles it is the plane through
   their edge and halfway between their normals that divides, computed from both with the same bits:
   a corner is on one side of it, or exactly on it and then goes to the triangle with the lower
   number. At a ridge a corner in the material belongs to the face along whose normal the part as a
   whole overlaps less: the other one would push along a worse normal. (Overlaps that are large
   along both, as of a slab across a step, tell nothing: then the same plane divides.) In a valley
   faces do not share: a corner there touches both. A free end takes the corners that are deeper
   below the face than away from the end. Whether a neighbour faces the part counts too. A ridge to
   a piece that is turned away (a block on the top of a mesh box, seen from the top) ends the face,
   no more. A piece whose neighbour, facing the other way, stands between it and the part (the sides
   of that box, seen from their inner side) takes no corners: the neighbour pushes them out the
   short way.

   2. Edges of the part across a ridge or a free end, and 3. corners of the piece on faces of the
   part. A normal w is good there when the mesh around the point lies behind it (w in the normal
   cone of the edge or corner) and the part before it, and when no face of the mesh there overlaps
   less: the separation of two convex bodies is largest along the best normal. Flat and inner edges
   have no such points: where the wall is flat or hollow the corners of the part come first. Edges
   belong to the triangle with the lower number, corners of the mesh to the one of lowest number
   with a ridge or free end there. */
#include "geom/mesh.h"
#include "geom/narrow_parts.h"
#include "geom/narrow_wall.h"

#define AROUND  32   /* triangles at a corner of a mesh that are looked at                      */
#define FLAT    1e-3 /* angle below which an edge is flat: corners on either face do as well    */
#define CONE    1e-3 /* likewise for normals at the border of a cone                            */
#define ALIKE   0.98 /* cosine between normals of one side, 11 degrees                           */
#define NEAR    0.05 /* of the part's size: overlaps that are small                            */
#define MUCH    3    /* times the shortest way out of a corner of the wall                      */
#define DEEP    0.25 /* of alert: overlaps that are worth a second look                         */
#define SHALLOW 0.01 /* of alert: overlaps that differ by less are equal                        */

/* What a flat piece has at one of its sides, as seen from the side where the grain is. */
typedef enum rim {
    FAR,    /* the grain does not reach it                                  */
    FREE,   /* nothing: the piece ends                                      */
    LEVEL,  /* another piece in the same plane                              */
    RIDGE,  /* another piece falling away                                   */
    VALLEY, /* another piece rising                                         */
    HIDDEN  /* another piece rising that stands between this one and the grain */
} rim;

typedef struct side {
    mrn_vec3 start, along; /* 3D: from corner to corner                                  */
    mrn_vec3 m;            /* outward, in the plane of the piece, unit                   */
    enum rim rim;
    /* what divides at flat edges and ridges: positive on the own side */
    mrn_vec3 divide, from;
    bool own;        /* points on the dividing plane itself, and those of the edge       */
    mrn_vec3 n2, m2; /* RIDGE: normal of the other piece, and its outward direction      */
    bool faces;      /* the other piece faces the part                                   */
    bool looked;     /* FREE: `ended` is known                                           */
    double ended;    /* the best gap along a normal of this end                          */
    int better;      /* RIDGE: 1 this, -1 the other overlaps less with the whole part    */
    double crossed;  /* the gap of the best edge across it                               */
} side;

typedef struct query {
    const mrn_posed *c;
    const mrn_flat *f;
    mrn_vec3 middle; /* of the part      */
    mrn_vec3 n;      /* towards the part */
    side s[4];
    mrn_point_list *out;
    double equal; /* gaps that differ by less are the same */
} query;

static double lowest(const mrn_posed *c, mrn_vec3 at, mrn_vec3 n)
{
    double h;
    mrn_posed_lowest(c, n, &h);
    return h - mrn_dot(n, at);
}

/* ---- what is at the sides ---- */

static int32_t corner_number(const mrn_mesh *m, int32_t t, int k)
{
    return m->corner[3 * (size_t)t + (size_t)(k % 3)];
}

static mrn_vec3 mesh_point(const mrn_mesh *m, int32_t p)
{
    return mrn_load3(m->point + 3 * (size_t)p);
}

/* The corner of t that is neither p nor q; -1 where t does not have both. */
static int32_t third(const mrn_mesh *m, int32_t t, int32_t p, int32_t q)
{
    int32_t other = -1;
    int both = 0;
    for (int k = 0; k < 3; k++) {
        int32_t c = corner_number(m, t, k);
        if (c == p || c == q)
            both++;
        else
            other = c;
    }
    return both == 2 ? other : -1;
}

/* A piece at the other side of an edge: how it lies to this one. */
typedef struct across {
    int32_t triangle; /* -1: none                                        */
    mrn_vec3 away;    /* from the edge into it, at right angles, unit    */
    double rise, out; /* of `away`, along the normal and outwards        */
} across;

/* The triangle at side k that rises most towards the part. */
static across neighbour(const query *e, const side *s, int k)
{
    const mrn_mesh *m = e->f->mesh;
    int32_t t = e->f->triangle, p = corner_number(m, t, k), q = corner_number(m, t, k + 1);
    int32_t near[AROUND];
    double length = mrn_norm(s->along), highest = -INFINITY;
    int n = mrn_mesh_near(m, mrn_axpy(0.5, s->along, s->start), 1e-6 * length, near, AROUND);
    across best = {.triangle = -1};
    for (int i = 0; i < n && i < AROUND; i++) {
        int32_t r = near[i] == t ? -1 : third(m, near[i], p, q);
        if (r < 0)
            continue;
        mrn_vec3 d = mrn_sub(mesh_point(m, r), s->start);
        d = mrn_axpy(-mrn_dot(d, s->along) / (length * length), s->along, d);
        d = mrn_unit(d);
        across a = {near[i], d, mrn_dot(e->n, d), mrn_dot(s->m, d)};
        double angle = atan2(a.rise, a.out);
        if (angle > highest) {
            highest = angle;
            best = a;
        }
    }
    return best;
}

/* The plane through the edge halfway between the two triangles, positive on the side of `t`. Both
   triangles find the same plane to the last bit, with opposite signs. */
static void set_divide(const query *e, side *s, int32_t p, int32_t q, int32_t other, int32_t own)
{
    const mrn_mesh *m = e->f->mesh;
    mrn_vec3 a = mesh_point(m, p < q ? p : q), b = mesh_point(m, p < q ? q : p);
    mrn_vec3 n1 = mrn_load3(m->normal + 3 * (size_t)e->f->triangle);
    mrn_vec3 n2 = mrn_load3(m->normal + 3 * (size_t)other);
    /* seen from the part both normals come towards it */
    bool turned = (mrn_dot(n1, e->n) < 0) != (mrn_dot(n2, s->n2) < 0);
    mrn_vec3 middle = turned ? mrn_sub(n1, n2) : mrn_add(n1, n2);
    s->divide = mrn_cross(mrn_sub(b, a), middle);
    s->from = a;
    if (mrn_dot(s->divide, mrn_sub(mesh_point(m, own), a)) < 0)
        s->divide = mrn_scale(-1, s->divide);
}

/* Which of the two faces at a ridge the part as a whole is nearer to leaving, if it is near to. */
static int compare(const query *e, const side *s)
{
    double size = e->out->size;
    double own = lowest(e->c, s->start, e->n), other = lowest(e->c, s->start, s->n2);
    if (fmax(own, other) < -NEAR * size || fabs(own - other) < 1e-9 * size)
        return 0;
    return own > other ? 1 : -1;
}

static void look_across(const query *e, side *s, int k)
{
    const mrn_mesh *m = e->f->mesh;
    int32_t t = e->f->triangle, p = corner_number(m, t, k), q = corner_number(m, t, k + 1);
    across a = neighbour(e, s, k);
    if (a.triangle < 0)
        return;
    s->m2 = mrn_scale(-1, a.away);
    /* the other normal, turned as this one is turned about the edge */
    s->n2 = mrn_axpy(a.out, e->n, mrn_scale(-a.rise, s->m));
    s->faces = mrn_dot(s->n2, mrn_sub(e->middle, s->start)) >= 0;
    s->own = t < a.triangle || !s->faces;
    if (fabs(a.rise) <= FLAT && a.out > 0)
        s->rim = LEVEL;
    else if (a.rise > 0)
        s->rim = s->faces ? VALLEY : HIDDEN;
    else
        s->rim = RIDGE;
    if (s->rim == LEVEL || s->rim == RIDGE)
        set_divide(e, s, p, q, a.triangle, corner_number(m, t, k + 2));
    if (s->rim == RIDGE && s->faces)
        s->better = compare(e, s);
}

/* The side of a thin box that meets another one: hollow from within. */
static void look_round_box(const query *e, side *s)
{
    if (mrn_dot(e->n, e->f->normal) < 0)
        return;
    s->n2 = mrn_scale(-1, s->m);
    s->rim = mrn_dot(s->m, mrn_sub(e->middle, s->start)) > 0 ? HIDDEN : VALLEY;
}

static void set_side(const query *e, side *s, int k)
{
    const mrn_flat *f = e->f;
    mrn_vec3 a = f->p[k], b = f->p[k + 1 < f->n ? k + 1 : 0];
    *s = (side){.start = a, .rim = FREE, .own = true};
    if (f->dimension == 2) {
        s->m = mrn_unit(mrn_sub(a, b));
    } else {
        s->along = mrn_sub(b, a);
        s->m = mrn_unit(mrn_cross(s->along, f->normal));
    }
}

/* The range of heights of a part's points beyond a side. */
typedef struct range {
    double lo, hi;
} range;

static void widen(range *r, double h)
{
    r->lo = fmin(r->lo, h);
    r->hi = fmax(r->hi, h);
}

#define MOST 128 /* corners for which the range of the low part is worth the trouble */

/* How far the part reaches across each side. In 3D only what is below the alert distance counts:
   points of contact are all there. */
static void find_ranges(const query *e, range *r)
{
    const mrn_convex *shape = e->c->shape;
    const mrn_posed *c = e->c;
    double gap[MOST], at[4], over = mrn_dot(e->n, mrn_sub(c->x, e->f->p[0])) - e->out->alert;
    bool low_only = e->f->dimension == 3 && shape->n_points <= MOST;
    mrn_vec3 n = mrn_scale(c->scale, mrn_posed_unturn(c, e->n)), m[4];
    for (int i = 0; i < e->f->n; i++) {
        m[i] = mrn_scale(c->scale, mrn_posed_unturn(c, e->s[i].m));
        at[i] = mrn_dot(e->s[i].m, mrn_sub(c->x, e->s[i].start));
        r[i] = (range){INFINITY, -INFINITY};
    }
    for (int k = 0; k < shape->n_points; k++) {
        mrn_vec3 p = mrn_load3(shape->point + 3 * (size_t)k);
        double g = over + mrn_dot(n, p);
        if (low_only)
            gap[k] = g;
        for (int i = 0; i < e->f->n && (g < 0 || !low_only); i++)
            widen(&r[i], at[i] + mrn_dot(m[i], p));
    }
    for (int k = 0; k < shape->n_edges && low_only; k++) {
        const int32_t *edge = shape->edge + 4 * (size_t)k;
        double a = gap[edge[0]], b = gap[edge[1]];
        if ((a < 0) == (b < 0))
            continue;
        mrn_vec3 p = mrn_load3(shape->point + 3 * (size_t)edge[0]);
        mrn_vec3 q = mrn_load3(shape->point + 3 * (size_t)edge[1]);
        p = mrn_axpy(a / (a - b), mrn_sub(q, p), p);
        for (int i = 0; i < e->f->n; i++)
            widen(&r[i], at[i] + mrn_dot(m[i], p));
    }
}

/* False: the part is beyond one of the sides. */
static bool look_round(query *e)
{
    range r[4];
    double alert = e->out->alert;
    for (int k = 0; k < e->f->n; k++)
        set_side(e, &e->s[k], k);
    find_ranges(e, r);
    for (int k = 0; k < e->f->n; k++)
        if (!(r[k].lo < alert))
            return false;
    for (int k = 0; k < e->f->n; k++) {
        if (r[k].hi < -alert)
            e->s[k].rim = FAR;
        else if (e->f->mesh != NULL)
            look_across(e, &e->s[k], k);
        else if (e->f->joined[k])
            look_round_box(e, &e->s[k]);
    }
    return true;
}

/* The normal of triangle t towards the part. */
static mrn_vec3 facing(const query *e, int32_t t)
{
    const mrn_mesh *m = e->f->mesh;
    mrn_vec3 n = mrn_load3(m->normal + 3 * (size_t)t);
    double h = mrn_dot(n, mrn_sub(e->middle, mesh_point(m, corner_number(m, t, 0))));
    return h < 0 ? mrn_scale(-1, n) : n;
}

/* ---- 1: corners of the part ---- */

static double best_end(query *e, int i);

static bool takes(query *e, int i, mrn_vec3 p, double gap)
{
    const side *s = &e->s[i];
    if (s->rim == FAR)
        return true;
    if (s->rim == HIDDEN)
        return false;
    double out = mrn_dot(s->m, mrn_sub(p, s->start));
    if (s->rim == VALLEY && gap < 0 && out < 0.1 * e->out->size &&
        mrn_dot(s->n2, mrn_sub(p, s->start)) < 0)
        return true; /* behind both faces, beyond the edge of either */
    if (s->rim == VALLEY)
        return out <= 0;
    if (s->rim == FREE && (out > 0 || gap >= 0 || out <= gap))
        return out <= 0;
    if (s->rim == FREE)
        return lowest(e->c, s->start, e->n) >= best_end(e, i);
    if (s->rim == RIDGE && !s->faces)
        return out <= 0 || gap >= 0;
    if (s->better != 0 && gap < e->equal && mrn_dot(s->n2, mrn_sub(p, s->start)) < e->equal)
        return s->better > 0;
    double d = mrn_dot(s->divide, mrn_sub(p, s->from));
    return d > 0 || (d == 0 && s->own);
}

/* A corner over the face, or over a ridge at its side: there the normal turns with it. */
static void add_corner(const query *e, int k, mrn_vec3 p, double gap)
{
    bool beyond = false;
    for (int i = 0; i < e->f->n && gap > 0; i++)
        beyond = beyond ||
                 (e->s[i].rim == RIDGE && mrn_dot(e->s[i].m, mrn_sub(p, e->s[i].start)) > e->equal);
    mrn_vec3 n = e->n, on;
    if (beyond)
        gap = mrn_mesh_closest(e->f->mesh, e->f->triangle, p, &on, &n);
    mrn_point_list_add(e->out, p, n, gap, MRN_POINT_CORNER | (uint32_t)k);
}

/* Does the line from p to q go through triangle t? */
static bool pierces(const mrn_mesh *m, int32_t t, mrn_vec3 p, mrn_vec3 q)
{
    mrn_vec3 n = mrn_load3(m->normal + 3 * (size_t)t), d = mrn_sub(q, p);
    mrn_vec3 a = mrn_sub(mesh_point(m, corner_number(m, t, 0)), p);
    mrn_vec3 b = mrn_sub(mesh_point(m, corner_number(m, t, 1)), p);
    mrn_vec3 c = mrn_sub(mesh_point(m, corner_number(m, t, 2)), p);
    double at_p = mrn_dot(n, a), at_q = at_p - mrn_dot(n, d), sign = at_p < 0 ? -1 : 1;
    return at_p * at_q <= 0 && sign * mrn_dot(d, mrn_cross(a, b)) >= 0 &&
           sign * mrn_dot(d, mrn_cross(b, c)) >= 0 && sign * mrn_dot(d, mrn_cross(c, a)) >= 0;
}

/* Did a corner behind the piece come through the mesh? The line to it from the middle of the part
   goes through the plane of the piece where there is mesh, or at an edge through a piece next to
   it; else it passed beside it, and the piece only looks as if it were between because its plane
   is. At a free end the line may pass by as much as the corner is deep. */
static bool went_through(const query *e, mrn_vec3 p, double gap)
{
    bool better = false; /* at a ridge the part as a whole is nearest to this face: proof enough */
    bool ends = false;
    for (int i = 0; i < e->f->n; i++) {
        better = better || e->s[i].better > 0;
        ends = ends || e->s[i].rim == FREE;
    }
    if (e->f->mesh == NULL || gap >= -e->equal || better)
        return true;
    double h = mrn_dot(e->n, mrn_sub(e->middle, e->f->p[0])), size = e->out->size;
    mrn_vec3 way = mrn_scale(-gap / (h - gap), mrn_sub(e->middle, p)), at = mrn_add(p, way);
    int32_t near[AROUND];
    if (mrn_mesh_near(e->f->mesh, at, e->equal, near, 1) > 0)
        return true;
    if (gap <= -NEAR * size)
        return false;
    int n = mrn_mesh_near(e->f->mesh, p, fmax(2 * mrn_norm(way), NEAR * size), near, AROUND);
    if (ends || n > AROUND)
        return mrn_mesh_near(e->f->mesh, at, e->equal - 2 * gap, near, 1) > 0;
    for (int i = 0; i < n; i++)
        if (pierces(e->f->mesh, near[i], p, e->middle))
            return true;
    return false;
}

/* Is triangle t on the other side of a ridge, facing the part, which is nearer to leaving it? p is
   then behind both, and less behind t. */
static bool leaves_by(const query *e, int32_t t, mrn_vec3 p, double gap)
{
    const mrn_mesh *m = e->f->mesh;
    mrn_vec3 n = facing(e, t), on = mesh_point(m, corner_number(m, t, 0));
    double h = mrn_dot(n, mrn_sub(p, on));
    bool ridge = h < 0 && h > gap + e->equal && mrn_dot(n, e->n) < ALIKE;
    for (int k = 0; k < 3 && ridge; k++) {
        mrn_vec3 d = mrn_sub(mesh_point(m, corner_number(m, t, k)), e->f->p[0]);
        ridge = mrn_dot(e->n, d) <= e->equal && mrn_dot(n, mrn_sub(e->f->p[k], on)) <= e->equal;
    }
    return ridge && lowest(e->c, on, n) > lowest(e->c, e->f->p[0], e->n) + e->equal;
}

/* A corner deep below this piece that another one pushes out by a shorter way. The sides know that
   of the pieces next to this one; here pieces are looked for beyond those in the same plane. */
static bool pushed_better(const query *e, mrn_vec3 p, double gap)
{
    if (e->f->mesh == NULL || gap > -DEEP * e->out->alert)
        return false;
    int32_t near[AROUND];
    int n = mrn_mesh_near(e->f->mesh, p, -gap, near, AROUND);
    for (int i = 0; i < n && i < AROUND; i++)
        if (near[i] != e->f->triangle && leaves_by(e, near[i], p, gap))
            return true;
    return false;
}

static void add_corners(query *e)
{
    const mrn_convex *shape = e->c->shape;
    for (int k = 0; k < shape->n_points; k++) {
        mrn_vec3 p = mrn_posed_point(e->c, k);
        double gap = mrn_dot(e->n, mrn_sub(p, e->f->p[0]));
        bool taken = gap < e->out->alert;
        for (int i = 0; i < e->f->n && taken; i++)
            taken = takes(e, i, p, gap);
        if (taken && went_through(e, p, gap) && !pushed_better(e, p, gap))
            add_corner(e, k, p, gap);
    }
}

/* ---- 2: edges across edges ---- */

static bool is_sharp(const side *s)
{
    return s->rim == FREE || s->rim == RIDGE;
}

/* Is w a normal of the piece at this side? */
static bool in_cone(const side *s, mrn_vec3 w)
{
    bool good = mrn_dot(w, s->m) >= -CONE; /* at a free end from one side round to the other */
    return good && (s->rim == FREE || mrn_dot(w, s->m2) >= -CONE);
}

/* Is the part before w at its edge k (direction f)? */
static bool is_before(const mrn_posed *c, int k, mrn_vec3 f, mrn_vec3 w)
{
    const int32_t *edge = c->shape->edge + 4 * (size_t)k;
    mrn_vec3 left = mrn_cross(mrn_posed_normal(c, edge[2]), f);
    mrn_vec3 right = mrn_cross(f, mrn_posed_normal(c, edge[3]));
    double margin = -CONE * mrn_norm(f);
    return mrn_dot(w, left) >= margin && mrn_dot(w, right) >= margin;
}

typedef struct crossing {
    mrn_vec3 at, w;
    double gap;
} crossing;

/* Edge k of the part across a side. */
static bool find_crossing(const query *e, const side *s, int k, crossing *out)
{
    const int32_t *edge = e->c->shape->edge + 4 * (size_t)k;
    mrn_vec3 p = mrn_posed_point(e->c, edge[0]), q = mrn_posed_point(e->c, edge[1]);
    mrn_vec3 f = mrn_sub(q, p), d = s->along, r = mrn_sub(p, s->start), w = mrn_cross(d, f);
    double dd = mrn_dot(d, d), ff = mrn_dot(f, f), ww = mrn_dot(w, w);
    if (!(ww > 1e-12 * dd * ff))
        return false;
    double along = mrn_dot(mrn_cross(r, f), w) / ww, on = mrn_dot(mrn_cross(r, d), w) / ww;
    if (along < 0 || along > 1 || on < 0 || on > 1)
        return false;
    w = mrn_scale(1 / sqrt(ww), w);
    double towards = mrn_dot(w, s->rim == RIDGE ? mrn_add(e->n, s->n2) : s->m);
    if (s->rim == FREE && fabs(towards) < CONE) /* along the face: the part's side of it */
        towards = mrn_dot(w, e->n);
    if (towards < 0)
        w = mrn_scale(-1, w);
    *out = (crossing){mrn_axpy(on, f, p), w, mrn_dot(w, r)};
    return in_cone(s, w) && is_before(e->c, k, f, w);
}

/* All edges across side i with nearly the normal of the best: two edges of a face that lies on the
   side, but not the ones around a corner next to it. */
static void add_crossings(query *e, int i)
{
    side *s = &e->s[i];
    s->crossed = -INFINITY;
    if (!is_sharp(s))
        return;
    mrn_vec3 last = s->rim == RIDGE ? s->n2 : s->m;
    double least = fmax(lowest(e->c, s->start, e->n), lowest(e->c, s->start, last)) - e->equal;
    if (least >= e->out->alert)
        return;
    crossing best = {.gap = -INFINITY}, x;
    for (int k = 0; k < e->c->shape->n_edges; k++)
        if (find_crossing(e, s, k, &x) && x.gap > best.gap)
            best = x;
    s->crossed = best.gap;
    double deepest = s->rim == FREE ? least : fmax(least, -NEAR * e->out->size);
    if (!s->own || best.gap < deepest || best.gap >= e->out->alert)
        return;
    for (int k = 0; k < e->c->shape->n_edges; k++)
        if (find_crossing(e, s, k, &x) && x.gap >= least && mrn_dot(x.w, best.w) > ALIKE)
            mrn_point_list_add(e->out, x.at, x.w, x.gap,
                               MRN_POINT_EDGE | ((uint32_t)k << 2 & 0xfffffff) | (uint32_t)i);
}

/* ---- 3: corners of the piece ---- */

/* The triangles at a corner of the piece, or the piece itself. */
typedef struct star {
    int n;
    int32_t t[AROUND];
} star;

/* Whether t has a ridge or free end that begins at corner v. */
static bool begins_sharp(const query *e, const star *around, int32_t t, int32_t v)
{
    const mrn_mesh *m = e->f->mesh;
    for (int k = 0; k < 3; k++) {
        if (corner_number(m, t, k) != v)
            continue;
        int32_t q = corner_number(m, t, k + 1);
        mrn_vec3 n = facing(e, t);
        for (int j = 0; j < around->n; j++) {
            int32_t r = around->t[j] == t ? -1 : third(m, around->t[j], v, q);
            if (r < 0)
                continue;
            mrn_vec3 d = mrn_sub(mesh_point(m, r), mesh_point(m, v));
            return mrn_dot(n, d) < -FLAT * mrn_norm(d);
        }
        return true;
    }
    return false;
}

/* Finds the triangles at corner k; false: another triangle deals with it, or it is not sharp. */
static bool owns_spike(const query *e, int k, star *around)
{
    const mrn_flat *f = e->f;
    around->n = 0;
    if (f->mesh == NULL)
        return true;
    double size = mrn_norm(mrn_sub(f->p[(k + 1) % 3], f->p[k]));
    int32_t near[AROUND], v = corner_number(f->mesh, f->triangle, k);
    int n = mrn_mesh_near(f->mesh, f->p[k], 1e-6 * size, near, AROUND);
    for (int i = 0; i < n && i < AROUND; i++)
        if (corner_number(f->mesh, near[i], 0) == v || corner_number(f->mesh, near[i], 1) == v ||
            corner_number(f->mesh, near[i], 2) == v)
            around->t[around->n++] = near[i];
    for (int i = 0; i < around->n; i++) /* ascending */
        if (begins_sharp(e, around, around->t[i], v))
            return around->t[i] == f->triangle;
    return false;
}

static bool lies_behind(mrn_vec3 w, mrn_vec3 v, mrn_vec3 p)
{
    mrn_vec3 d = mrn_sub(p, v);
    return mrn_dot(w, d) <= CONE * mrn_norm(d);
}

/* Is w a normal of the wall at corner v of the piece? */
static bool in_spike(const query *e, const star *around, mrn_vec3 v, mrn_vec3 w)
{
    bool good = e->f->mesh != NULL || mrn_dot(w, e->n) >= -CONE;
    for (int k = 0; k < e->f->n && good; k++)
        good = lies_behind(w, v, e->f->p[k]);
    for (int i = 0; i < around->n && good; i++)
        for (int k = 0; k < 3 && good; k++)
            good = lies_behind(w, v,
                               mesh_point(e->f->mesh, corner_number(e->f->mesh, around->t[i], k)));
    return good;
}

/* The face of the part that corner v, inside it, leaves it through along a good normal. */
static bool way_out(const query *e, const star *around, mrn_vec3 v, mrn_vec3 *w, double *gap)
{
    const mrn_convex *s = e->c->shape;
    mrn_vec3 local = mrn_posed_local(e->c, v);
    bool found = false;
    *gap = -INFINITY;
    for (int f = 0; f < s->n_faces; f++) {
        double h = e->c->scale * mrn_plane_height(s, f, local);
        mrn_vec3 n = mrn_scale(-1, mrn_posed_normal(e->c, f));
        if (h > *gap && in_spike(e, around, v, n)) {
            *gap = h;
            *w = n;
            found = true;
        }
    }
    return found;
}

/* The largest separation along the faces at the corner. */
static double separation(const query *e, const star *around, mrn_vec3 v)
{
    double most = lowest(e->c, v, e->n);
    for (int i = 0; i < around->n; i++) {
        most = fmax(most, lowest(e->c, v, facing(e, around->t[i])));
    }
    return most;
}

/* `other`: the largest gap along a normal of the sides there. */
static void add_spike(const query *e, int k, double other)
{
    mrn_vec3 v = e->f->p[k], w;
    mrn_contact_point m;
    star around;
    if (mrn_narrow_ball(v, 0, e->c, e->out->alert, &m) == 0 || !owns_spike(e, k, &around))
        return;
    double gap = m.gap;
    w = mrn_scale(-1, m.normal);
    if (gap > 0 ? !in_spike(e, &around, v, w) : !way_out(e, &around, v, &w, &gap))
        return;
    /* A way out much longer than the shortest is not this corner's. A little longer it may be: the
       shortest goes through a face of the part that looks away from the wall's corner. */
    if (gap < fmax(MUCH * fmin(m.gap, 0), fmax(other, separation(e, &around, v))) - e->equal)
        return;
    mrn_point_list_add(e->out, mrn_axpy(gap, w, v), w, gap, MRN_POINT_SPIKE | (uint32_t)k);
}

/* The gap along the best normal of free end i: of an edge of the part across it, or of one of its
   corners in the part. Where a face does as well, or better, the corners of the part are its. */
static double best_end(query *e, int i)
{
    side *s = &e->s[i];
    if (s->looked)
        return s->ended;
    s->looked = true;
    s->ended = -INFINITY;
    crossing x;
    for (int k = 0; k < e->c->shape->n_edges && e->f->dimension == 3; k++)
        if (find_crossing(e, s, k, &x))
            s->ended = fmax(s->ended, x.gap);
    for (int k = i; k < i + (e->f->dimension == 3 ? 2 : 1); k++) {
        mrn_vec3 v = e->f->p[k % e->f->n], w;
        star around = {0};
        mrn_contact_point m;
        double gap;
        if (mrn_narrow_ball(v, 0, e->c, e->out->alert, &m) > 0 && way_out(e, &around, v, &w, &gap))
            s->ended = fmax(s->ended, gap);
    }
    return s->ended;
}

void mrn_narrow_flat(const mrn_posed *c, const mrn_flat *flat, mrn_point_list *out)
{
    query e = {.c = c, .f = flat, .n = flat->normal, .middle = mrn_posed_ball(c), .out = out};
    if (mrn_dot(e.n, mrn_sub(e.middle, flat->p[0])) < 0)
        e.n = mrn_scale(-1, e.n);
    e.equal = SHALLOW * out->alert + 1e-9 * out->size;
    if (lowest(c, flat->p[0], e.n) >= out->alert || !look_round(&e))
        return;
    add_corners(&e);
    for (int k = 0; k < flat->n && flat->dimension == 3; k++)
        add_crossings(&e, k);
    for (int k = 0; k < flat->n; k++) {
        const side *s = &e.s[k], *t = &e.s[k > 0 ? k - 1 : flat->n - 1];
        bool reached = flat->dimension == 2 ? s->rim != FAR : s->rim != FAR && t->rim != FAR;
        if (reached)
            add_spike(&e, k, flat->dimension == 2 ? -INFINITY : fmax(s->crossed, t->crossed));
    }
}
