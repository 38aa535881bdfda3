/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What two convex polygons have in common, by cutting one with the sides of the other. Cutting by
   one half-plane after the other never has to decide whether two sides coincide: a side that lies
   along another within rounding changes the area by no more than rounding. Polygons of many corners
   are cut into fans of at most PIECE corners, whose shares add up. */
#include "detect/narrow.h"

#define PIECE 48

typedef enum source { OF_C, OF_A, INNER } source;

/* A corner and where the side that begins there comes from. */
typedef struct vertex {
    double x, y;
    source from;
} vertex;

typedef struct piece {
    int n;
    vertex v[2 * PIECE + 2];
} piece;

typedef struct sums {
    double area, x, y; /* area and its first moments                            */
    double nx, ny;     /* integral of the outward normal over the sides of A    */
    double at_x, at_y; /* any point of the region, for what is left of slivers */
} sums;

static int pieces(const mrn_convex *s)
{
    return s->n_faces <= PIECE ? 1 : (s->n_faces - 2 + PIECE - 3) / (PIECE - 2);
}

static vertex vertex_at(const mrn_posed *p, mrn_vec3 origin, int k, source from)
{
    mrn_vec3 w = mrn_sub(mrn_posed_point(p, p->shape->corner[2 * k]), origin);
    return (vertex){w.x, w.y, from};
}

/* Part i of the fan about corner 0; sides that are not of the polygon itself are INNER. */
static void take_piece(const mrn_posed *p, mrn_vec3 origin, int i, source from, piece *out)
{
    int n = p->shape->n_faces, first = 1 + i * (PIECE - 2);
    int last = n <= PIECE || first + PIECE - 2 > n - 1 ? n - 1 : first + PIECE - 2;
    out->n = 0;
    out->v[out->n++] = vertex_at(p, origin, 0, first == 1 ? from : INNER);
    for (int k = first; k <= last; k++)
        out->v[out->n++] = vertex_at(p, origin, k, k < last || last == n - 1 ? from : INNER);
}

static vertex between(vertex a, vertex b, double ha, double hb, source from)
{
    double t = ha / (ha - hb);
    return (vertex){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), from};
}

/* Keeps what is left of the line from p to q. */
static void cut(piece *poly, vertex p, vertex q)
{
    double ex = q.x - p.x, ey = q.y - p.y;
    vertex out[2 * PIECE + 2];
    int n = 0;
    /* a cut adds one corner; rounding may split a crossing, but there is room for no more */
    for (int k = 0; k < poly->n && n <= 2 * PIECE; k++) {
        vertex a = poly->v[k], b = poly->v[k + 1 < poly->n ? k + 1 : 0];
        double ha = ex * (a.y - p.y) - ey * (a.x - p.x);
        double hb = ex * (b.y - p.y) - ey * (b.x - p.x);
        if (ha >= 0)
            out[n++] = a;
        if (ha >= 0 && hb < 0)
            out[n++] = between(a, b, ha, hb, p.from); /* the cut goes on along the line */
        else if (ha < 0 && hb > 0)
            out[n++] = between(a, b, ha, hb, a.from);
    }
    poly->n = n;
    for (int k = 0; k < n; k++)
        poly->v[k] = out[k];
}

static void add(const piece *poly, sums *s)
{
    vertex o = poly->v[0];
    for (int k = 0; k < poly->n; k++) {
        vertex a = poly->v[k], b = poly->v[k + 1 < poly->n ? k + 1 : 0];
        double twice = (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
        s->area += 0.5 * twice;
        s->x += twice * (o.x + a.x + b.x) / 6;
        s->y += twice * (o.y + a.y + b.y) / 6;
        if (a.from == OF_A) {
            s->nx += b.y - a.y;
            s->ny -= b.x - a.x;
        }
    }
    s->at_x = o.x;
    s->at_y = o.y;
}

static void add_common(const piece *a, const piece *c, sums *s)
{
    piece poly;
    poly.n = c->n;
    for (int k = 0; k < c->n; k++)
        poly.v[k] = c->v[k];
    for (int k = 0; k < a->n && poly.n > 2; k++)
        cut(&poly, a->v[k], a->v[k + 1 < a->n ? k + 1 : 0]);
    if (poly.n > 2)
        add(&poly, s);
}

/* The direction when none is left: one polygon swallowed the other whole. */
static mrn_vec3 from_centres(const mrn_posed *c, const mrn_posed *a)
{
    mrn_vec3 d = mrn_sub(c->x, a->x);
    double l = hypot(d.x, d.y);
    return l > 0 ? mrn_v3(d.x / l, d.y / l, 0) : mrn_v3(1, 0, 0);
}

bool mrn_overlap_polygons(const mrn_posed *c, const mrn_posed *a, mrn_overlap *out)
{
    mrn_vec3 origin = a->x;
    sums s = {0};
    piece pa, pc;
    for (int i = 0; i < pieces(a->shape); i++) {
        take_piece(a, origin, i, OF_A, &pa);
        for (int j = 0; j < pieces(c->shape); j++) {
            take_piece(c, origin, j, OF_C, &pc);
            add_common(&pa, &pc, &s);
        }
    }
    if (!(s.area > 0))
        return false;
    double length = hypot(s.nx, s.ny), size = sqrt(s.area);
    out->volume = s.area;
    out->area = length;
    bool clear = length > 1e-12 * size;
    out->normal = clear ? mrn_v3(s.nx / length, s.ny / length, 0) : from_centres(c, a);
    /* of a sliver the moments may be rounding only */
    bool sliver = s.area < 1e-24 * (a->scale * a->scale + c->scale * c->scale);
    out->centre = sliver ? mrn_v3(s.at_x, s.at_y, 0) : mrn_v3(s.x / s.area, s.y / s.area, 0);
    out->centre = mrn_add(out->centre, origin);
    return true;
}
