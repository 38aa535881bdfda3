/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where two convex polyhedra touch.
   Overlapping, the direction of least overlap is a face normal of one of them or the cross product
   of an edge of each (the faces of the set of differences C - A); all are tested that can win.
   Apart, the shortest line decides. The points come from cutting the face that looks against a face
   by the sides of that face; two edges that cross give one point.
   Which body is called A does not matter but where several directions do equally well (a corner on
   a corner, equal bodies face on face): then the first of them in the order of the search is taken,
   and that order begins with A. */
#include "geom/narrow_parts.h"

/* Faces turned by less than this (sine) from the direction of least overlap or of the shortest line
   give a whole manifold with the face's normal. Grains at rest on a face rock by about their
   overlap over their size, far less than this; the normal is off by 1 degree at most and the
   smallest gap, an overlap or distance seen under that angle, by its 2e-4th. */
static const double NEARLY_FLAT = 0.02;
/* How much less (relative) an edge direction must overlap than a face, or the smaller body's face
   than the larger one's, to be preferred: positions that shake by less do not make the normal jump.
 */
static const double CLEARLY_LESS = 1e-3;
/* The same where the overlap is next to nothing, in sizes. */
static const double CLEARLY_DEEPER = 1e-6;
/* Rounding of gaps, in sizes. */
static const double ROUNDING = 1e-10;
/* Points of two edges farther than this (in sizes) from being over each other do not meet. */
static const double ASIDE = 1e-9;
/* Sine below which edges count as parallel: the axis between them is then a face's, or the overlap
   along it is within this times their length of one. */
static const double PARALLEL = 1e-9;

/* Sine of the angle within which edges that lie against each other run side by side and touch along
   a stretch, not in a point: its ends are then over each other within this times the size. */
static const double SIDE_BY_SIDE = 1e-6;

/* Edges taken at a time; more are done in groups. */
enum { GROUP = 16 };
/* Faces whose heights are computed together; corners and faces up to which edges are sifted by what
   is known of them. */
enum { FACES = 64, MOST_MARKS = 256 };

/* A pair in a frame with the world's axes and its origin at A. */
typedef struct couple {
    mrn_posed store[2];
    const mrn_posed *body[2]; /* C, A                                    */
    int first;                /* whose face counts where both would do: the larger one's, so
                                 that it does not matter which is called A; of equals A's   */
    double alert, size, sum;  /* smaller bound; sum of both              */
    mrn_vec3 origin;
} couple;

/* The gap along a face's normal. */
typedef struct face_axis {
    int side, face;
    int corner; /* of the other body, lowest over the face */
    double gap;
    mrn_vec3 out; /* outward from `side` */
} face_axis;

static face_axis measure(const couple *t, int side, int face)
{
    const mrn_posed *p = t->body[side];
    face_axis f = {.side = side, .face = face, .out = mrn_posed_normal(p, face)};
    double low;
    f.corner = mrn_posed_lowest(t->body[1 - side], f.out, &low);
    f.gap = low - (p->scale * p->shape->plane[4 * (size_t)face + 3] + mrn_dot(f.out, p->x));
    return f;
}

/* Heights of a point of the polytope's frame over all faces (a loop that vectorises). */
static void heights(const mrn_convex *s, int first, int end, mrn_vec3 q, double *h)
{
    const double *p = s->plane + 4 * (size_t)first;
    for (int k = 0; k < end - first; k++)
        h[k] = p[4 * k] * q.x + p[4 * k + 1] * q.y + p[4 * k + 2] * q.z - p[4 * k + 3];
}

/* A face to begin with: that of last time, else the one most under the corner of the other body
   that lies lowest along n. */
static face_axis begin_face(const couple *t, int side, mrn_vec3 n, const mrn_narrow_memory *memory)
{
    const mrn_posed *p = t->body[side], *o = t->body[1 - side];
    if (memory != NULL && memory->face[side] > 0 && memory->face[side] <= p->shape->n_faces)
        return measure(t, side, memory->face[side] - 1);
    double low, most = -INFINITY;
    mrn_vec3 q = mrn_posed_local(p, mrn_posed_point(o, mrn_posed_lowest(o, n, &low)));
    int first = 0;
    for (int f = 0; f < p->shape->n_faces; f++) {
        double h = mrn_plane_height(p->shape, f, q);
        if (h > most)
            most = h, first = f;
    }
    return measure(t, side, first);
}

/* The face of `side` with the largest gap, of equal ones the first; any with gap >= alert will do.
   The gap along a face is no larger than the height of any one point of the other body over it:
   with the lowest corners found on the way most faces need no search. What is left out is less by
   more than rounding, so that it does not matter where the search begins. */
static face_axis best_face(const couple *t, int side, mrn_vec3 n, mrn_narrow_memory *memory)
{
    const mrn_posed *p = t->body[side], *o = t->body[1 - side];
    const mrn_convex *s = p->shape;
    double h[FACES], margin = ROUNDING * t->size / p->scale;
    face_axis best = begin_face(t, side, n, memory);
    int begun = best.face;
    mrn_vec3 r = mrn_posed_local(p, mrn_posed_point(o, best.corner)), q = r;
    for (int at = 0; at < s->n_faces && best.gap < t->alert; at += FACES) {
        int end = at + FACES < s->n_faces ? at + FACES : s->n_faces;
        heights(s, at, end, r, h);
        for (int f = at; f < end && best.gap < t->alert; f++) {
            double need = best.gap / p->scale - margin;
            if (f == begun || h[f - at] < need || mrn_plane_height(s, f, q) < need)
                continue;
            face_axis now = measure(t, side, f);
            q = mrn_posed_local(p, mrn_posed_point(o, now.corner));
            if (now.gap > best.gap || (now.gap == best.gap && f < best.face))
                best = now;
        }
    }
    if (memory != NULL)
        memory->face[side] = best.face + 1;
    return best;
}

/* An edge with the normals of its faces, in the world's axes. */
typedef struct edge_view {
    int edge;
    mrn_vec3 p, e, left, right;
} edge_view;

static edge_view edge_at(const mrn_posed *p, int e)
{
    const int32_t *k = p->shape->edge + 4 * (size_t)e;
    mrn_vec3 from = mrn_posed_point(p, k[0]);
    return (edge_view){e, from, mrn_sub(mrn_posed_point(p, k[1]), from), mrn_posed_normal(p, k[2]),
                       mrn_posed_normal(p, k[3])};
}

/* What edges must be like to give a direction better than `gap` (<= 0), in their own frame. */
typedef struct sieve {
    mrn_vec3 n;    /* a face of the other body … */
    double within; /* … n.x at most this         */
    mrn_vec3 q;    /* a corner of the other body */
    double gap;
    bool marked;               /* what follows is known */
    uint8_t under[MOST_MARKS]; /* faces: q is deeper than `gap` */
    uint8_t near[MOST_MARKS];  /* corners: n.x at most `within` */
} sieve;

/* For all faces and corners at once: an edge then asks for four marks. */
static void mark(const mrn_convex *s, sieve *v)
{
    double h[MOST_MARKS];
    v->marked = s->n_faces <= MOST_MARKS && s->n_points <= MOST_MARKS;
    if (!v->marked)
        return;
    heights(s, 0, s->n_faces, v->q, h);
    for (int f = 0; f < s->n_faces; f++)
        v->under[f] = h[f] <= v->gap;
    for (int k = 0; k < s->n_points; k++)
        v->near[k] = mrn_dot(v->n, mrn_load3(s->point + 3 * (size_t)k)) <= v->within;
}

/* `over`: the best face of the other body; `corner`: the corner of it that goes deepest. Edges
   touch once the bodies are moved apart by the overlap, so both lie within `reach` of the other
   body: below its face plus `reach`. */
static void sieve_for(const couple *t, int side, const face_axis *over, int corner, double gap,
                      double reach, sieve *s)
{
    const mrn_posed *p = t->body[side], *o = t->body[1 - side];
    mrn_vec3 on = mrn_posed_point(o, o->shape->corner[o->shape->face_start[over->face]]);
    s->n = mrn_posed_unturn(p, over->out);
    s->within = mrn_dot(s->n, mrn_posed_local(p, on)) + reach / p->scale;
    s->q = mrn_posed_local(p, mrn_posed_point(o, corner));
    s->gap = gap / p->scale;
    mark(p->shape, s);
}

/* With n = a left + b right (a, b >= 0, a + b >= 1) the gap along n is at most that of q: if q is
   deeper than `gap` under both faces it is deeper along n. */
static bool passes(const mrn_convex *s, const sieve *v, const int32_t *edge)
{
    if (v->marked)
        return !(v->under[edge[2]] & v->under[edge[3]]) && (v->near[edge[0]] | v->near[edge[1]]);
    if (mrn_plane_height(s, edge[2], v->q) <= v->gap &&
        mrn_plane_height(s, edge[3], v->q) <= v->gap)
        return false;
    return mrn_dot(v->n, mrn_load3(s->point + 3 * (size_t)edge[0])) <= v->within ||
           mrn_dot(v->n, mrn_load3(s->point + 3 * (size_t)edge[1])) <= v->within;
}

static int gather(const mrn_posed *p, const sieve *v, int *next, edge_view *out)
{
    int n = 0;
    for (; *next < p->shape->n_edges && n < GROUP; (*next)++)
        if (passes(p->shape, v, p->shape->edge + 4 * (size_t)*next))
            out[n++] = edge_at(p, *next);
    return n;
}

typedef struct edge_axis {
    int edge[2]; /* of C, of A; -1: none */
    double gap;
    mrn_vec3 n;
} edge_axis;

/* The two make a face of C - A when the arcs between their faces' normals (C's turned round) cross
   on the sphere; where arcs only touch, the direction is a face's and has been tested. */
static void try_edges(const edge_view *c, const edge_view *a, edge_axis *best)
{
    double cl = mrn_dot(c->left, a->e), cr = mrn_dot(c->right, a->e);
    double al = mrn_dot(a->left, c->e), ar = mrn_dot(a->right, c->e);
    if (!(cl * cr < 0 && al * ar < 0 && cl * ar < 0))
        return;
    mrn_vec3 n = mrn_cross(a->e, c->e);
    double nn = mrn_dot(n, n), ee = mrn_dot(a->e, a->e);
    if (!(nn > PARALLEL * PARALLEL * ee * mrn_dot(c->e, c->e)))
        return;
    /* of edges nearly parallel the product is small and its error along them counts: taken out */
    n = mrn_unit(mrn_axpy(-mrn_dot(n, a->e) / ee, a->e, n));
    if (mrn_dot(n, mrn_add(a->left, a->right)) < 0)
        n = mrn_scale(-1, n);
    double gap = mrn_dot(n, mrn_sub(c->p, a->p));
    if (gap > best->gap)
        *best = (edge_axis){{c->edge, a->edge}, gap, n};
}

static edge_axis best_edges(const couple *t, const face_axis f[2], double gap, double reach)
{
    sieve of_c, of_a;
    sieve_for(t, 0, &f[1], f[0].corner, gap, reach, &of_c);
    sieve_for(t, 1, &f[0], f[1].corner, gap, reach, &of_a);
    edge_axis best = {{-1, -1}, gap, {0, 0, 0}};
    edge_view a[GROUP], c[GROUP];
    for (int next_a = 0; next_a < t->body[1]->shape->n_edges;) {
        int n_a = gather(t->body[1], &of_a, &next_a, a);
        for (int next_c = 0; n_a > 0 && next_c < t->body[0]->shape->n_edges;) {
            int n_c = gather(t->body[0], &of_c, &next_c, c);
            for (int i = 0; i < n_a; i++)
                for (int j = 0; j < n_c; j++)
                    try_edges(&c[j], &a[i], &best);
        }
    }
    return best;
}

static double gap_along(const mrn_posed *c, const mrn_posed *a, mrn_vec3 n)
{
    double low, high;
    mrn_posed_lowest(c, n, &low);
    mrn_posed_lowest(a, mrn_scale(-1, n), &high);
    return low + high;
}

static int far(mrn_narrow_memory *memory, mrn_vec3 axis)
{
    if (memory != NULL)
        memory->axis = axis;
    return 0;
}

static int give(const couple *t, const mrn_manifold *m, mrn_contact_point *out)
{
    for (int k = 0; k < m->n; k++) {
        out[k] = m->point[k];
        out[k].point = mrn_add(out[k].point, t->origin);
    }
    return m->n;
}

/* What touches when it is no face: gap, direction, a feature and a point of each. */
typedef struct touch {
    double gap;
    mrn_vec3 n;
    int edge[2];   /* -1: not an edge             */
    int corner[2]; /* where it is not: a corner  */
    mrn_vec3 x[2];
} touch;

/* Feature of a body among the corners that mix to its end of the shortest line. */
static void name_feature(const couple *t, const mrn_nearest *s, int side, touch *out)
{
    int first = s->corner[0][side], second = first;
    for (int k = 1; k < s->n; k++)
        if (s->corner[k][side] != first)
            second = s->corner[k][side];
    out->corner[side] = first;
    out->edge[side] = second != first ? mrn_convex_edge(t->body[side]->shape, first, second) : -1;
    out->x[side] = s->point[side];
}

/* Near zero the length of the line is known far better than its direction, and the gap along that
   suffers; the two must agree all the same. */
static double length_of(const couple *t, const mrn_nearest *s)
{
    return s->n > 0 && s->distance - s->bound <= 10 * ROUNDING * t->sum ? s->distance : s->bound;
}

static touch touch_nearest(const couple *t, const mrn_nearest *s)
{
    touch out = {.gap = length_of(t, s), .n = s->normal};
    name_feature(t, s, 0, &out);
    name_feature(t, s, 1, &out);
    return out;
}

static mrn_vec3 onto(const edge_view *e, double at)
{
    return mrn_axpy(fmin(fmax(at, 0), 1), e->e, e->p);
}
static mrn_vec3 project(const edge_view *e, mrn_vec3 x)
{
    return onto(e, mrn_dot(mrn_sub(x, e->p), e->e) / mrn_dot(e->e, e->e));
}

/* Where the bodies touch, once moved to just touch along n: a point of each, `gap` over each other.
   What is left when the features found do not meet: of directions within rounding of each other the
   best is any, and its faces or edges may lie elsewhere in the plane the bodies touch in. */
static void just_touching(const couple *t, double gap, mrn_vec3 n, mrn_vec3 x[2])
{
    mrn_posed moved = *t->body[0];
    moved.x = mrn_axpy(-gap, n, moved.x);
    mrn_nearest s = mrn_narrow_nearest(&moved, t->body[1], n, INFINITY);
    x[0] = mrn_axpy(gap, n, s.point[0]);
    x[1] = s.point[1];
}

/* Nearest points of two edges that cross, seen along n. Where they are nearly parallel the crossing
   is known badly: each point is the one right over the other all the same. */
static touch touch_edges(const couple *t, const edge_axis *b)
{
    touch out = {.gap = b->gap, .n = b->n, .edge = {b->edge[0], b->edge[1]}};
    edge_view c = edge_at(t->body[0], b->edge[0]), a = edge_at(t->body[1], b->edge[1]);
    mrn_vec3 over_a = mrn_cross(b->n, a.e);
    mrn_vec3 on_c = onto(&c, mrn_dot(mrn_sub(a.p, c.p), over_a) / mrn_dot(c.e, over_a));
    out.x[1] = project(&a, on_c);
    out.x[0] = project(&c, out.x[1]);
    mrn_vec3 aside = mrn_axpy(-b->gap, b->n, mrn_sub(out.x[0], out.x[1]));
    if (mrn_norm(aside) > ASIDE * t->size)
        just_touching(t, b->gap, b->n, out.x);
    return out;
}

/* The edge at the feature of `side` that lies most across n; -1: none does. */
static int edge_across(const couple *t, const touch *s, int side)
{
    if (s->edge[side] >= 0)
        return s->edge[side];
    const mrn_posed *p = t->body[side];
    mrn_vec3 u = mrn_posed_unturn(p, s->n);
    double least = SIDE_BY_SIDE;
    int at = -1;
    for (int e = 0; e < p->shape->n_edges; e++) {
        const int32_t *k = p->shape->edge + 4 * (size_t)e;
        if (k[0] != s->corner[side] && k[1] != s->corner[side])
            continue;
        mrn_vec3 d = mrn_sub(mrn_load3(p->shape->point + 3 * (size_t)k[1]),
                             mrn_load3(p->shape->point + 3 * (size_t)k[0]));
        double slope = fabs(mrn_dot(u, d)) / mrn_norm(d);
        if (slope < least) {
            least = slope;
            at = e;
        }
    }
    return at;
}

/* Whether the smallest gap of a manifold tells the same as the gap found. */
static bool agrees(const couple *t, const mrn_manifold *m, double gap)
{
    double scale = fmax(fabs(gap), t->alert);
    return m->n > 0 && fabs(m->least - gap) <= CLEARLY_LESS * scale + CLEARLY_DEEPER * t->size;
}

/* The manifold of a face within NEARLY_FLAT of n, if that is what touches. */
static bool nearly_flat(const couple *t, const touch *s, mrn_manifold *m)
{
    int face[2] = {mrn_posed_face_along(t->body[0], mrn_scale(-1, s->n)),
                   mrn_posed_face_along(t->body[1], s->n)};
    mrn_vec3 out[2] = {mrn_posed_normal(t->body[0], face[0]),
                       mrn_posed_normal(t->body[1], face[1])};
    double along[2] = {-mrn_dot(out[0], s->n), mrn_dot(out[1], s->n)};
    int other = 1 - t->first;
    int side = along[other] > along[t->first] + CLEARLY_DEEPER ? other : t->first;
    if (fmax(along[0], along[1]) < sqrt(1 - NEARLY_FLAT * NEARLY_FLAT))
        return false;
    double low;
    int corner = mrn_posed_lowest(t->body[1 - side], out[side], &low);
    mrn_narrow_faces(t->body, side, face[side], corner, t->alert, t->size, m);
    return m->n > 1 && agrees(t, m, s->gap);
}

static bool side_by_side(const couple *t, const touch *s, mrn_manifold *m)
{
    int edge[2] = {edge_across(t, s, 0), edge_across(t, s, 1)};
    if (edge[0] < 0 || edge[1] < 0)
        return false;
    mrn_vec3 c = edge_at(t->body[0], edge[0]).e, a = edge_at(t->body[1], edge[1]).e;
    mrn_vec3 n = mrn_cross(c, a);
    if (mrn_dot(n, n) > SIDE_BY_SIDE * SIDE_BY_SIDE * mrn_dot(c, c) * mrn_dot(a, a))
        return false;
    mrn_narrow_edges(t->body, edge, s->n, t->alert, t->size, m);
    return m->n > 1 && agrees(t, m, s->gap);
}

static int give_touch(const couple *t, const touch *s, mrn_contact_point *out)
{
    mrn_manifold m;
    if (nearly_flat(t, s, &m) || side_by_side(t, s, &m))
        return give(t, &m, out);
    uint32_t key[2];
    for (int k = 0; k < 2; k++)
        key[k] = s->edge[k] >= 0 ? mrn_feature(MRN_FEATURE_EDGE, s->edge[k])
                                 : mrn_feature(MRN_FEATURE_POINT, s->corner[k]);
    out[0] =
        (mrn_contact_point){.point = mrn_add(mrn_scale(0.5, mrn_add(s->x[0], s->x[1])), t->origin),
                            .normal = s->n,
                            .gap = s->gap,
                            .touch = true,
                            .feature = key[0] << 16 | key[1]};
    return 1;
}

/* A face whose manifold came out empty by rounding: its lowest point at any height, or where the
   bodies just touch. */
static int give_corner(const couple *t, const face_axis *f, mrn_contact_point *out)
{
    mrn_manifold m;
    mrn_narrow_faces(t->body, f->side, f->face, f->corner, INFINITY, t->size, &m);
    int at = 0;
    for (int k = 1; k < m.n; k++)
        at = m.point[k].gap < m.point[at].gap ? k : at;
    if (m.n > 0 && fabs(m.point[at].gap - f->gap) <= ROUNDING * t->size) {
        out[0] = m.point[at];
        out[0].gap = f->gap;
        out[0].point = mrn_add(out[0].point, t->origin);
        return 1;
    }
    mrn_vec3 n = f->side == 1 ? f->out : mrn_scale(-1, f->out), x[2];
    just_touching(t, f->gap, n, x);
    uint32_t face = mrn_feature(MRN_FEATURE_FACE, f->face);
    uint32_t corner = mrn_feature(MRN_FEATURE_POINT, f->corner);
    out[0] =
        (mrn_contact_point){.point = mrn_add(mrn_scale(0.5, mrn_add(x[0], x[1])), t->origin),
                            .normal = n,
                            .gap = f->gap,
                            .touch = true,
                            .feature = f->side == 1 ? corner << 16 | face : face << 16 | corner};
    return 1;
}

/* Apart: the shortest line, unless rounding hides it and it comes out shorter than `gap`, which is
   known to be free; then -1. */
static int points_apart(const couple *t, const mrn_nearest *s, double gap,
                        mrn_narrow_memory *memory, mrn_contact_point *out)
{
    double length = length_of(t, s);
    if (s->bound >= t->alert || (s->apart && length >= t->alert))
        return far(memory, s->normal);
    if (!s->apart || s->n == 0 || length < gap - ROUNDING * t->size)
        return -1;
    touch found = touch_nearest(t, s);
    return give_touch(t, &found, out);
}

/* No face keeps them apart by itself: edges may, or the overlap along them may be less. Where the
   manifold has points, the bodies are no farther apart than its smallest gap is deep; otherwise the
   shortest line tells whether they are apart at all. */
static int points_deep(const couple *t, const face_axis f[2], const face_axis *b,
                       const mrn_manifold *m, mrn_narrow_memory *memory, mrn_contact_point *out)
{
    mrn_vec3 n = b->side == 1 ? b->out : mrn_scale(-1, b->out);
    double gap = fmax(f[0].gap, f[1].gap), reach = fabs(gap) + ROUNDING * t->sum;
    if (m->n == 0) {
        mrn_nearest s = mrn_narrow_nearest(t->body[0], t->body[1], n, t->alert);
        int done = points_apart(t, &s, 0, memory, out);
        if (done >= 0)
            return done;
    } else
        reach = fmax(reach, fabs(m->least));
    edge_axis e = best_edges(t, f, gap, reach);
    if (e.edge[0] >= 0)
        e.gap = fmin(e.gap, gap_along(t->body[0], t->body[1], e.n));
    if (e.edge[0] >= 0 && e.gap >= t->alert)
        return far(memory, e.n);
    bool flat = agrees(t, m, gap);
    double better = flat ? gap - CLEARLY_LESS * gap + ROUNDING * t->size : gap;
    if (e.edge[0] >= 0 && e.gap > better) {
        if (e.gap > 0) {
            mrn_nearest s = mrn_narrow_nearest(t->body[0], t->body[1], e.n, t->alert);
            int done = points_apart(t, &s, e.gap, memory, out);
            if (done >= 0)
                return done;
        }
        touch known = touch_edges(t, &e);
        return give_touch(t, &known, out);
    }
    return flat ? give(t, m, out) : give_corner(t, b, out);
}

/* The face with the larger gap and its manifold; of nearly equal ones the first body's, unless its
   manifold does not tell that gap. */
static const face_axis *choose_face(const couple *t, const face_axis f[2], mrn_manifold *m)
{
    double gap = fmax(f[0].gap, f[1].gap);
    double less = CLEARLY_LESS * fmax(0, -gap) + CLEARLY_DEEPER * t->size;
    const face_axis *a = &f[t->first], *b = &f[1 - t->first];
    if (b->gap <= a->gap + less) {
        mrn_narrow_faces(t->body, a->side, a->face, a->corner, t->alert, t->size, m);
        double off = fabs(m->least - gap);
        if (b->gap <= a->gap || (gap > 0 ? off <= ROUNDING * t->size : agrees(t, m, gap)))
            return a;
    }
    mrn_narrow_faces(t->body, b->side, b->face, b->corner, t->alert, t->size, m);
    return b;
}

static int points_of(const couple *t, mrn_narrow_memory *memory, mrn_contact_point *out)
{
    mrn_vec3 n = mrn_unit(mrn_sub(mrn_posed_ball(t->body[0]), mrn_posed_ball(t->body[1])));
    face_axis f[2];
    for (int side = 1; side >= 0; side--) {
        f[side] = best_face(t, side, side == 1 ? n : mrn_scale(-1, n), memory);
        mrn_vec3 along = side == 1 ? f[1].out : mrn_scale(-1, f[0].out);
        if (f[side].gap >= t->alert)
            return far(memory, along);
        n = along;
    }
    mrn_manifold m;
    const face_axis *b = choose_face(t, f, &m);
    double gap = fmax(f[0].gap, f[1].gap);
    if (gap <= 0)
        return points_deep(t, f, b, &m, memory, out);
    /* a point right over the face at the height of the lowest: no line is shorter */
    if (m.n > 0 && m.least <= gap + ROUNDING * t->size)
        return give(t, &m, out);
    mrn_vec3 along = b->side == 1 ? b->out : mrn_scale(-1, b->out);
    mrn_nearest s = mrn_narrow_nearest(t->body[0], t->body[1], along, t->alert);
    int done = points_apart(t, &s, gap, memory, out);
    if (done >= 0)
        return done;
    return m.n > 0 ? give(t, &m, out) : give_corner(t, b, out);
}

/* A remembered direction must separate by more than rounding, so that it says what a full search
   would. */
static bool still_apart(const couple *t, const mrn_narrow_memory *memory)
{
    if (memory == NULL || !(mrn_dot(memory->axis, memory->axis) > 0))
        return false;
    return gap_along(t->body[0], t->body[1], memory->axis) >= t->alert + ROUNDING * t->sum;
}

int mrn_narrow_convex(const mrn_posed *c, const mrn_posed *a, double alert,
                      mrn_narrow_memory *memory, mrn_contact_point *out)
{
    if (c->shape->dimension == 2)
        return mrn_narrow_polygons(c, a, alert, out);
    double bound_c = c->scale * c->shape->bound, bound_a = a->scale * a->shape->bound;
    mrn_vec3 between = mrn_sub(mrn_posed_ball(c), mrn_posed_ball(a));
    double reach = bound_c + bound_a + alert;
    if (mrn_dot(between, between) >= reach * reach)
        return 0;
    couple t = {.store = {*c, *a},
                .first = bound_c > bound_a ? 0 : 1,
                .alert = alert,
                .size = fmin(bound_c, bound_a),
                .sum = bound_c + bound_a,
                .origin = a->x};
    t.store[0].x = mrn_sub(c->x, a->x);
    t.store[1].x = mrn_v3(0, 0, 0);
    t.body[0] = &t.store[0];
    t.body[1] = &t.store[1];
    if (still_apart(&t, memory))
        return 0;
    return points_of(&t, memory, out);
}
