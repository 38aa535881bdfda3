/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mass and surface of several convex parts stuck together. Material that parts share counts once:
   every part is cut by the planes of those before it into convex pieces inside and outside of them,
   exactly, and the pieces outside are summed. (Inclusion and exclusion would do with fewer cuts for
   two or three parts, but doubles its work with every further one.) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geom/convex.h"

/* Parts nearer than this (at a size of about one) touch. */
#define TOUCH 1e-6
/* Pieces of less volume or area are none: what rounding leaves between faces in one plane. */
#define NOTHING 1e-15
/* Faces of two parts in one plane cover each other also when rounding keeps them this far apart. */
#define FLUSH 1e-9

/* ---- what is left of a part while it is cut: faces as polygons, one after the other ---- */

typedef struct piece {
    int dimension;
    int32_t n_faces;
    int64_t n_points, face_room, point_room;
    int32_t *start; /* n_faces + 1 */
    mrn_vec3 *point;
} piece;

static void forget(piece *p)
{
    mrn_free(p->start);
    mrn_free(p->point);
    *p = (piece){0};
}

static mrn_status reserve(piece *p, int64_t faces, int64_t points)
{
    mrn_status st = mrn_grow(&p->start, &p->face_room, faces + 1, sizeof *p->start);
    return st == MRN_OK ? mrn_grow(&p->point, &p->point_room, points, sizeof *p->point) : st;
}

static void put(piece *p, mrn_vec3 x)
{
    p->point[p->n_points++] = x;
}

/* A face ends here; one without area is none. */
static void end_face(piece *p)
{
    if (p->n_points - p->start[p->n_faces] >= 3)
        p->start[++p->n_faces] = (int32_t)p->n_points;
    else
        p->n_points = p->start[p->n_faces];
}

static mrn_status add_face(const mrn_convex *c, int32_t f, piece *to)
{
    int32_t n = c->face_start[f + 1] - c->face_start[f];
    mrn_status st = reserve(to, to->n_faces + 1, to->n_points + n);
    if (st != MRN_OK)
        return st;
    for (int32_t k = 0; k < n; k++)
        put(to, mrn_load3(c->point + 3 * (size_t)c->corner[c->face_start[f] + k]));
    end_face(to);
    return MRN_OK;
}

/* A polygon is one face: itself. */
static mrn_status begin_piece(const mrn_convex *c, piece *to)
{
    *to = (piece){.dimension = c->dimension};
    mrn_status st = reserve(to, c->n_faces, c->n_points);
    if (st != MRN_OK)
        return st;
    to->start[0] = 0;
    if (c->dimension == 2) {
        for (int32_t i = 0; i < c->n_points; i++)
            put(to, mrn_load3(c->point + 3 * (size_t)i));
        end_face(to);
        return MRN_OK;
    }
    for (int32_t f = 0; st == MRN_OK && f < c->n_faces; f++)
        st = add_face(c, f, to);
    return st;
}

static mrn_status copy_piece(const piece *from, piece *to)
{
    *to = (piece){.dimension = from->dimension};
    mrn_status st = reserve(to, from->n_faces, from->n_points);
    if (st != MRN_OK)
        return st;
    memcpy(to->start, from->start, (size_t)(from->n_faces + 1) * sizeof *to->start);
    memcpy(to->point, from->point, (size_t)from->n_points * sizeof *to->point);
    to->n_faces = from->n_faces, to->n_points = from->n_points;
    return MRN_OK;
}

/* ---- cutting by a plane ---- */

typedef struct cut {
    mrn_vec3 n;
    double d;
} cut;

/* Where the edge from a point inside to one outside meets the plane: the same bits from both faces
   of the edge. */
static mrn_vec3 meet(mrn_vec3 in, mrn_vec3 out, double h_in, double h_out)
{
    return mrn_axpy(h_in / (h_in - h_out), mrn_sub(out, in), in);
}

/* What a plane leaves of one face; where it cuts, the points go into `rim` too. */
static void cut_face(const mrn_vec3 *x, int32_t n, const cut *c, piece *to, mrn_vec3 *rim,
                     int32_t *n_rim)
{
    for (int32_t k = 0; k < n; k++) {
        mrn_vec3 a = x[k], b = x[(k + 1) % n];
        double h = mrn_dot(c->n, a) - c->d, g = mrn_dot(c->n, b) - c->d;
        if (h <= 0)
            put(to, a);
        if ((h <= 0) == (g <= 0))
            continue;
        mrn_vec3 m = h <= 0 ? meet(a, b, h, g) : meet(b, a, g, h);
        put(to, m);
        rim[(*n_rim)++] = m;
    }
    end_face(to);
}

typedef struct angle {
    double a;
    int32_t i;
} angle;

static int by_angle(const void *a, const void *b)
{
    const angle *p = a, *q = b;
    return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->i > q->i) - (p->i < q->i);
}

/* The face a cut opens: its points, in order around their mean (it is convex). */
static mrn_status close_cut(const mrn_vec3 *rim, int32_t n, mrn_vec3 normal, piece *to)
{
    angle *order = mrn_alloc((size_t)n * sizeof *order);
    if (order == NULL)
        return MRN_ERR_MEMORY;
    mrn_vec3 mean = {0, 0, 0};
    for (int32_t k = 0; k < n; k++)
        mean = mrn_axpy(1.0 / n, rim[k], mean);
    mrn_vec3 e = fabs(normal.x) < 0.6 ? mrn_v3(1, 0, 0) : mrn_v3(0, 1, 0);
    mrn_vec3 u = mrn_unit(mrn_cross(normal, e)), v = mrn_cross(normal, u);
    for (int32_t k = 0; k < n; k++) {
        mrn_vec3 d = mrn_sub(rim[k], mean);
        order[k] = (angle){atan2(mrn_dot(d, v), mrn_dot(d, u)), k};
    }
    qsort(order, (size_t)n, sizeof *order, by_angle);
    for (int32_t k = 0; k < n; k++)
        put(to, rim[order[k].i]);
    end_face(to);
    mrn_free(order);
    return MRN_OK;
}

/* The part of `from` behind the plane; `solid`: faces enclose something, and cuts are closed. */
static mrn_status cut_piece(const piece *from, const cut *c, bool solid, piece *to)
{
    mrn_vec3 *rim = mrn_alloc((2 * (size_t)from->n_points + 1) * sizeof *rim);
    int32_t n_rim = 0;
    to->dimension = from->dimension;
    to->n_faces = 0, to->n_points = 0;
    mrn_status st =
        rim == NULL ? MRN_ERR_MEMORY : reserve(to, from->n_faces + 1, 5 * from->n_points + 1);
    if (st == MRN_OK)
        to->start[0] = 0;
    for (int32_t f = 0; st == MRN_OK && f < from->n_faces; f++) {
        int32_t first = from->start[f];
        cut_face(from->point + first, from->start[f + 1] - first, c, to, rim, &n_rim);
    }
    if (st == MRN_OK && solid && from->dimension == 3 && n_rim >= 3)
        st = close_cut(rim, n_rim, c->n, to);
    mrn_free(rim);
    return st;
}

/* The part of *p inside all planes of `c`, moved out by `reach`. */
static mrn_status cut_by(piece *p, const mrn_convex *c, double reach, bool solid)
{
    piece other = {0};
    mrn_status st = MRN_OK;
    for (int32_t f = 0; st == MRN_OK && f < c->n_faces && p->n_faces > 0; f++) {
        const double *plane = c->plane + 4 * (size_t)f;
        cut k = {mrn_load3(plane), plane[3] + reach};
        st = cut_piece(p, &k, solid, &other);
        piece swap = *p;
        *p = other, other = swap;
    }
    forget(&other);
    return st;
}

static mrn_moments moments_of(const piece *p)
{
    mrn_moments m = {0};
    for (int32_t f = 0; f < p->n_faces; f++) {
        const mrn_vec3 *x = p->point + p->start[f];
        int32_t n = p->start[f + 1] - p->start[f];
        for (int32_t k = 0; p->dimension == 2 && k < n; k++)
            mrn_moments_add(2, x[k], x[(k + 1) % n], x[0], 1, &m);
        for (int32_t k = 2; p->dimension == 3 && k < n; k++)
            mrn_moments_add(3, x[0], x[k - 1], x[k], 1, &m);
    }
    return m;
}

static double area_of(const piece *p)
{
    double sum = 0;
    for (int32_t f = 0; f < p->n_faces; f++) {
        const mrn_vec3 *x = p->point + p->start[f];
        mrn_vec3 v = {0, 0, 0};
        for (int32_t k = 2; k < p->start[f + 1] - p->start[f]; k++)
            v = mrn_add(v, mrn_cross(mrn_sub(x[k - 1], x[0]), mrn_sub(x[k], x[0])));
        sum += 0.5 * mrn_norm(v);
    }
    return sum;
}

/* ---- what is not in other parts ---- */

typedef struct sum {
    const mrn_convex *part;
    int n;
    const bool *leave_out; /* parts that do not count */
    bool solid;            /* volumes, else areas of a face outside the parts */
    mrn_union *out;
    int64_t pieces;
} sum;

static double size_of(const sum *s, const piece *p)
{
    return s->solid ? moments_of(p).volume : area_of(p);
}

static void add_piece(sum *s, const piece *p)
{
    s->pieces++;
    if (!s->solid) {
        s->out->surface += area_of(p);
        return;
    }
    mrn_moments m = moments_of(p), *to = &s->out->moments;
    to->volume += m.volume;
    to->first = mrn_add(to->first, m.first);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            to->second[r][c] += m.second[r][c];
}

static mrn_status add_outside(sum *s, const piece *p, int j);

/* Cuts *p by the planes of part j, one after the other: what is beyond a plane is outside the part,
   a convex piece that goes on to the parts after j; what is behind all planes is in the part and
   dropped. */
static mrn_status split(sum *s, piece *p, int j)
{
    const mrn_convex *c = &s->part[j];
    piece beyond = {0}, behind = {0};
    mrn_status st = MRN_OK;
    for (int32_t f = 0; st == MRN_OK && f < c->n_faces && p->n_faces > 0; f++) {
        mrn_vec3 n = mrn_load3(c->plane + 4 * (size_t)f);
        double d = c->plane[4 * (size_t)f + 3] + (s->solid ? 0 : FLUSH);
        cut away = {mrn_scale(-1, n), -d}, keep = {n, d};
        st = cut_piece(p, &away, s->solid, &beyond);
        if (st == MRN_OK)
            st = cut_piece(p, &keep, s->solid, &behind);
        if (st == MRN_OK && size_of(s, &beyond) > NOTHING)
            st = add_outside(s, &beyond, j + 1);
        piece swap = *p;
        *p = behind, behind = swap;
    }
    forget(&beyond);
    forget(&behind);
    return st;
}

/* Adds what of `p` is in none of the parts from j on. Parts that share nothing with it do not cut
   it. */
static mrn_status add_outside(sum *s, const piece *p, int j)
{
    mrn_status st = MRN_OK;
    for (; st == MRN_OK && j < s->n && s->pieces <= MRN_UNION_MAX; j++) {
        if (s->leave_out[j])
            continue;
        piece shared = {0};
        st = copy_piece(p, &shared);
        if (st == MRN_OK)
            st = cut_by(&shared, &s->part[j], s->solid ? 0 : FLUSH, s->solid);
        bool meets = st == MRN_OK && size_of(s, &shared) > NOTHING;
        forget(&shared);
        if (!meets)
            continue;
        piece rest = {0};
        st = copy_piece(p, &rest);
        if (st == MRN_OK)
            st = split(s, &rest, j);
        forget(&rest);
        return st;
    }
    if (st == MRN_OK)
        add_piece(s, p);
    return st;
}

/* A part counts with what the parts before it do not have. */
static mrn_status measure_volume(sum *s, bool *leave_out)
{
    mrn_status st = MRN_OK;
    s->solid = true;
    for (int i = 0; st == MRN_OK && i < s->n; i++) {
        piece p;
        for (int j = 0; j < s->n; j++)
            leave_out[j] = j >= i;
        st = begin_piece(&s->part[i], &p);
        if (st == MRN_OK)
            st = add_outside(s, &p, 0);
        forget(&p);
    }
    return st;
}

/* ---- surface ---- */

/* Does a face of part j lie in the same plane and look the same way? Such a shared face is counted
   with the first of its parts. */
static bool same_side(const mrn_convex *c, const double *plane)
{
    for (int32_t f = 0; f < c->n_faces; f++) {
        const double *p = c->plane + 4 * (size_t)f;
        if (mrn_norm(mrn_sub(mrn_load3(p), mrn_load3(plane))) < TOUCH &&
            fabs(p[3] - plane[3]) < TOUCH)
            return true;
    }
    return false;
}

static mrn_status add_area(sum *s, int i, int32_t f, bool *leave_out)
{
    const double *plane = s->part[i].plane + 4 * (size_t)f;
    for (int j = 0; j < s->n; j++)
        leave_out[j] = j == i || (j > i && same_side(&s->part[j], plane));
    piece p = {.dimension = 3};
    mrn_status st = reserve(&p, 1, 1);
    if (st == MRN_OK) {
        p.start[0] = 0;
        st = add_face(&s->part[i], f, &p);
    }
    if (st == MRN_OK)
        st = add_outside(s, &p, 0);
    forget(&p);
    return st;
}

typedef struct span {
    double from, to;
} span;

static int by_from(const void *a, const void *b)
{
    const span *p = a, *q = b;
    return (p->from > q->from) - (p->from < q->from);
}

/* Which stretch of the line x + t d, 0 <= t <= 1, lies in a polygon; from > to: none. */
static span inside(const mrn_convex *c, mrn_vec3 x, mrn_vec3 d)
{
    span s = {0, 1};
    for (int32_t f = 0; f < c->n_faces; f++) {
        const double *p = c->plane + 4 * (size_t)f;
        double rate = mrn_dot(mrn_load3(p), d), h = p[3] + FLUSH - mrn_dot(mrn_load3(p), x);
        if (fabs(rate) <= 1e-15 && h < 0)
            return (span){1, 0};
        if (rate > 1e-15)
            s.to = fmin(s.to, h / rate);
        else if (rate < -1e-15)
            s.from = fmax(s.from, h / rate);
    }
    return s;
}

/* The length of a polygon's side that no other part covers. */
static double bare_length(const sum *s, int i, int32_t f, span *cover)
{
    const mrn_convex *c = &s->part[i];
    mrn_vec3 x = mrn_load3(c->point + 3 * (size_t)c->corner[2 * f]);
    mrn_vec3 d = mrn_sub(mrn_load3(c->point + 3 * (size_t)c->corner[2 * f + 1]), x);
    double covered = 0, reached = 0;
    int n = 0;
    for (int j = 0; j < s->n; j++) {
        if (j == i || (j > i && same_side(&s->part[j], c->plane + 4 * (size_t)f)))
            continue;
        span k = inside(&s->part[j], x, d);
        if (k.from < k.to)
            cover[n++] = k;
    }
    qsort(cover, (size_t)n, sizeof *cover, by_from);
    for (int k = 0; k < n; k++) {
        double from = fmax(reached, cover[k].from);
        if (cover[k].to > from)
            covered += cover[k].to - from, reached = cover[k].to;
    }
    return mrn_norm(d) * fmax(0, 1 - covered);
}

static mrn_status measure_surface(sum *s, bool *leave_out)
{
    span *cover = mrn_alloc((size_t)s->n * sizeof *cover);
    mrn_status st = cover != NULL ? MRN_OK : MRN_ERR_MEMORY;
    s->solid = false;
    for (int i = 0; i < s->n && st == MRN_OK; i++)
        for (int32_t f = 0; f < s->part[i].n_faces && st == MRN_OK; f++)
            if (s->part[i].dimension == 2)
                s->out->surface += bare_length(s, i, f, cover);
            else
                st = add_area(s, i, f, leave_out);
    mrn_free(cover);
    return st;
}

/* ---- in one piece? ---- */

static mrn_status touching(const mrn_convex *a, const mrn_convex *b, bool *yes)
{
    piece p;
    *yes = false;
    if (mrn_norm(mrn_sub(a->centre, b->centre)) > a->bound + b->bound + 4 * TOUCH)
        return MRN_OK;
    mrn_status st = begin_piece(a, &p);
    if (st == MRN_OK)
        st = cut_by(&p, b, TOUCH, true);
    *yes = st == MRN_OK && p.n_faces > 0;
    forget(&p);
    return st;
}

/* Marks what hangs together with part 0; *n_seen gets how many. */
static mrn_status spread(const mrn_convex *part, int n, bool *seen, int *queue, int *n_seen)
{
    int m = 1;
    queue[0] = 0, seen[0] = true;
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++) {
            bool yes = false;
            mrn_status st = seen[j] ? MRN_OK : touching(&part[queue[k]], &part[j], &yes);
            if (st != MRN_OK)
                return st;
            if (yes)
                seen[j] = true, queue[m++] = j;
        }
    *n_seen = m;
    return MRN_OK;
}

static mrn_status check_whole(const char *name, const mrn_convex *part, int n, mrn_message *msg)
{
    bool *seen = NULL;
    int *queue = NULL, n_seen = 0, alone = 0;
    mrn_status st = mrn_array(&seen, n, sizeof *seen, msg);
    if (st == MRN_OK)
        st = mrn_array(&queue, n, sizeof *queue, msg);
    if (st == MRN_OK) {
        st = spread(part, n, seen, queue, &n_seen);
        if (st == MRN_ERR_MEMORY)
            mrn_fail_memory(msg);
    }
    if (st == MRN_OK && n_seen < n) {
        while (seen[alone])
            alone++;
        mrn_fail(msg, MRN_ERR_INPUT,
                 "form '%s' is in pieces: part %d does not hang together with part 1", name,
                 alone + 1);
        mrn_fail_expected(msg, "parts that overlap or touch, directly or through others");
        st = MRN_ERR_INPUT;
    }
    mrn_free(seen);
    mrn_free(queue);
    return st;
}

/* ---- all ---- */

mrn_status mrn_union_measure(const char *name, const mrn_convex *part, int n, mrn_union *out,
                             mrn_message *msg)
{
    *out = (mrn_union){0};
    bool *leave_out = NULL;
    mrn_status st = n > 1 ? check_whole(name, part, n, msg) : MRN_OK;
    if (st == MRN_OK)
        st = mrn_array(&leave_out, n, sizeof *leave_out, msg);
    if (st != MRN_OK)
        return st;
    sum s = {.part = part, .n = n, .leave_out = leave_out, .out = out};
    st = measure_volume(&s, leave_out);
    if (st == MRN_OK)
        st = measure_surface(&s, leave_out);
    mrn_free(leave_out);
    if (st == MRN_ERR_MEMORY)
        return mrn_fail_memory(msg);
    if (s.pieces > MRN_UNION_MAX) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "form '%s': its %d parts overlap in too many ways (they cut each other into more "
                 "than %d pieces)",
                 name, n, MRN_UNION_MAX);
        mrn_fail_hint(msg, "let parts touch or overlap with their neighbours only");
        return MRN_ERR_INPUT;
    }
    return MRN_OK;
}
