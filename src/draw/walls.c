/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls made ready for drawing: triangles in the world with smooth normals, feature edges, whether
   they stand between camera and grains, and endless planes trimmed by one another so that they meet
   in corners. */
#include <stdlib.h>

#include "draw/draw.h"

#define CREASE  0.82 /* cosine of 35 degrees: a sharper bend is a feature edge      */
#define ENDLESS 3.5  /* a flat wall this many half heights across has no end to show */
#define VOTERS  400  /* grains asked on which side of a face they are                */
#define CORNERS 24   /* most corners of a trimmed polygon                            */
#define PLATE   0.6f /* a flat plate before the grains is this much glass, no more   */

static bool finite_vec(mrn_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* One wall in the world. */
typedef struct shell {
    int n_points, n_triangles;
    mrn_vec3 *p;
    int32_t *corner;          /* 3 per triangle, points that coincide made one */
    mrn_vec3 *n;              /* per triangle, unit                            */
    int32_t *fan_start, *fan; /* triangles around each point          */
} shell;

static void shell_release(shell *s)
{
    mrn_free(s->p);
    mrn_free(s->corner);
    mrn_free(s->n);
    mrn_free(s->fan_start);
    mrn_free(s->fan);
    *s = (shell){0};
}

typedef struct sortable {
    mrn_vec3 p;
    int32_t index;
} sortable;

static int by_place(const void *a, const void *b)
{
    const sortable *s = a, *t = b;
    if (s->p.x != t->p.x)
        return s->p.x < t->p.x ? -1 : 1;
    if (s->p.y != t->p.y)
        return s->p.y < t->p.y ? -1 : 1;
    if (s->p.z != t->p.z)
        return s->p.z < t->p.z ? -1 : 1;
    return (s->index > t->index) - (s->index < t->index);
}

/* Faces of boxes and files of loose triangles repeat their points: make equal points one. */
static mrn_status weld(const mrn_triangles *t, shell *s, mrn_message *msg)
{
    sortable *order = NULL;
    int32_t *same = NULL;
    mrn_status st = mrn_array(&order, t->n_points, sizeof *order, msg);
    if (!st)
        st = mrn_array(&same, t->n_points, sizeof *same, msg);
    if (!st) {
        for (int i = 0; i < t->n_points; i++)
            order[i] = (sortable){mrn_load3(t->point + 3 * (int64_t)i), i};
        qsort(order, (size_t)t->n_points, sizeof *order, by_place);
        for (int i = 0; i < t->n_points; i++) {
            mrn_vec3 d = i ? mrn_sub(order[i].p, order[i - 1].p) : mrn_v3(1, 1, 1);
            bool equal = d.x == 0 && d.y == 0 && d.z == 0;
            same[order[i].index] = equal ? same[order[i - 1].index] : order[i].index;
        }
        for (int64_t k = 0; k < 3 * (int64_t)t->n_triangles; k++)
            s->corner[k] = same[t->corner[k]];
    }
    mrn_free(order);
    mrn_free(same);
    return st;
}

static void list_fans(shell *s)
{
    int64_t corners = 3 * (int64_t)s->n_triangles;
    for (int64_t k = 0; k < corners; k++)
        s->fan_start[s->corner[k] + 1]++;
    for (int i = 0; i < s->n_points; i++)
        s->fan_start[i + 1] += s->fan_start[i];
    for (int64_t k = corners - 1; k >= 0; k--) { /* backwards, with starts used up from their ends
                                                  */
        int32_t *end = &s->fan_start[s->corner[k] + 1];
        s->fan[--*end] = (int32_t)(k / 3);
    }
    /* now fan_start[i + 1] is where point i begins: shift down */
    for (int i = 0; i < s->n_points; i++)
        s->fan_start[i] = s->fan_start[i + 1];
    s->fan_start[s->n_points] = (int32_t)corners;
}

static mrn_status shell_make(const mrn_triangles *t, const double *x, const double *q, shell *s,
                             mrn_message *msg)
{
    *s = (shell){.n_points = t->n_points, .n_triangles = t->n_triangles};
    int64_t corners = 3 * (int64_t)t->n_triangles;
    mrn_status st = mrn_array(&s->p, t->n_points, sizeof *s->p, msg);
    if (!st)
        st = mrn_array(&s->corner, corners, sizeof *s->corner, msg);
    if (!st)
        st = mrn_array(&s->n, t->n_triangles, sizeof *s->n, msg);
    if (!st)
        st = mrn_array(&s->fan_start, (int64_t)t->n_points + 1, sizeof *s->fan_start, msg);
    if (!st)
        st = mrn_array(&s->fan, corners, sizeof *s->fan, msg);
    if (!st)
        st = weld(t, s, msg);
    if (st)
        return st;
    mrn_quat turn = {q[0], q[1], q[2], q[3]};
    for (int i = 0; i < t->n_points; i++)
        s->p[i] = mrn_add(mrn_load3(x), mrn_rotate(turn, mrn_load3(t->point + 3 * (int64_t)i)));
    for (int k = 0; k < t->n_triangles; k++) {
        const int32_t *c = s->corner + 3 * (int64_t)k;
        s->n[k] =
            mrn_unit(mrn_cross(mrn_sub(s->p[c[1]], s->p[c[0]]), mrn_sub(s->p[c[2]], s->p[c[0]])));
    }
    list_fans(s);
    return MRN_OK;
}

/* Mean normal of the triangles around a point that do not bend away from triangle k. */
static mrn_vec3 smooth_normal(const shell *s, int k, int32_t point)
{
    mrn_vec3 sum = {0, 0, 0};
    int32_t first = s->fan_start[point], last = s->fan_start[point + 1];
    if (last - first > 128)
        return s->n[k];
    for (int32_t j = first; j < last; j++) {
        mrn_vec3 m = s->n[s->fan[j]];
        if (mrn_dot(m, s->n[k]) > CREASE)
            sum = mrn_add(sum, m);
    }
    return mrn_unit(sum);
}

/* The other triangle at the edge a-b of triangle k, or -1 at a rim; the count tells of branchings.
 */
static int across_edge(const shell *s, int k, int32_t a, int32_t b, int *count)
{
    int other = -1;
    *count = 0;
    for (int32_t j = s->fan_start[a]; j < s->fan_start[a + 1]; j++) {
        const int32_t *c = s->corner + 3 * (int64_t)s->fan[j];
        if (s->fan[j] == k || (c[0] != b && c[1] != b && c[2] != b))
            continue;
        other = s->fan[j];
        ++*count;
    }
    return other;
}

/* Grains (or, without any, the middle of the walls) that tell which side of a face is inside. */
typedef struct voters {
    int n;
    mrn_vec3 p[VOTERS];
    mrn_vec3 middle, camera;
} voters;

static float between(const voters *v, mrn_vec3 centre, mrn_vec3 normal)
{
    double here = 0, all = 0;
    double side = mrn_dot(normal, mrn_sub(v->camera, centre));
    for (int i = 0; i < v->n; i++) {
        mrn_vec3 d = mrn_sub(v->p[i], centre);
        double weight = 1 / (mrn_dot(d, d) + 1e-300); /* neighbours decide: squared below */
        weight *= weight;
        if (!isfinite(weight))
            continue;
        all += weight;
        here += mrn_dot(normal, d) * side < 0 ? weight : 0;
    }
    return all > 0 ? (float)(here / all) : 0;
}

static mrn_status add_face(mrn_wall_set *w, mrn_face f, mrn_message *msg)
{
    if (mrn_grow(&w->face, &w->faces_capacity, w->n_faces + 1, sizeof *w->face))
        return mrn_fail_memory(msg);
    w->face[w->n_faces++] = f;
    return MRN_OK;
}

static mrn_status add_edge(mrn_wall_set *w, mrn_edge e, mrn_message *msg)
{
    if (mrn_grow(&w->edge, &w->edges_capacity, w->n_edges + 1, sizeof *w->edge))
        return mrn_fail_memory(msg);
    w->edge[w->n_edges++] = e;
    return MRN_OK;
}

static mrn_vec3 face_centre(const mrn_face *f)
{
    return mrn_scale(1.0 / 3, mrn_add(f->p[0], mrn_add(f->p[1], f->p[2])));
}

static mrn_status add_shell_edges(const shell *s, int64_t first_face, mrn_wall_set *w,
                                  mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int k = 0; !st && k < s->n_triangles; k++)
        for (int e = 0; !st && e < 3; e++) {
            int32_t a = s->corner[3 * (int64_t)k + e], b = s->corner[3 * (int64_t)k + (e + 1) % 3];
            int count, other = across_edge(s, k, a, b, &count);
            bool rim = count != 1;
            if (!rim && (other < k || fabs(mrn_dot(s->n[other], s->n[k])) > CREASE))
                continue;
            float near = w->face[first_face + k].near;
            if (!rim)
                near = fminf(near, w->face[first_face + other].near);
            st = add_edge(w, (mrn_edge){s->p[a], s->p[b], near, false}, msg);
        }
    return st;
}

static mrn_status add_shell(const shell *s, const voters *v, mrn_wall_set *w, mrn_message *msg)
{
    int64_t first = w->n_faces;
    for (int k = 0; k < s->n_triangles; k++) {
        mrn_face f = {.endless = false};
        for (int e = 0; e < 3; e++) {
            int32_t c = s->corner[3 * (int64_t)k + e];
            f.p[e] = s->p[c];
            f.n[e] = smooth_normal(s, k, c);
        }
        f.near = between(v, face_centre(&f), s->n[k]);
        if (s->n_triangles == 2) /* a lid or stamp is something to see, unlike the sides of a box */
            f.near = fminf(f.near, PLATE);
        mrn_status st = add_face(w, f, msg);
        if (st)
            return st;
    }
    return add_shell_edges(s, first, w, msg);
}

/* ---- endless planes ---- */

typedef struct half_space {
    mrn_vec3 p, n; /* the grains are where n (x - p) > 0 */
    int wall;      /* -1: a face of the cell             */
} half_space;

/* A plane without end: the header says so, or it is a sheet far larger than the view. */
static bool is_endless(const shell *s, const mrn_look *look, const mrn_view *view,
                       const mrn_header *header, int wall)
{
    if (s->n_triangles != 2 || fabs(mrn_dot(s->n[0], s->n[1])) < 1 - 1e-9)
        return false;
    if (header->wall_endless)
        return header->wall_endless[wall];
    mrn_vec3 lo = mrn_v3(INFINITY, INFINITY, INFINITY), hi = mrn_scale(-1, lo);
    for (int i = 0; i < s->n_points; i++) {
        mrn_vec3 p = s->p[i];
        lo = mrn_v3(fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z));
        hi = mrn_v3(fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z));
    }
    return mrn_norm(mrn_sub(hi, lo)) > ENDLESS * view->extent * look->zoom;
}

/* A sheet of the plane that reaches beyond the picture, whatever its triangles were cut to. */
static void wide_sheet(const shell *s, const mrn_look *look, const mrn_view *view, mrn_vec3 *p)
{
    mrn_vec3 n = s->n[0];
    double off = mrn_dot(n, mrn_sub(view->target, s->p[0]));
    mrn_vec3 middle = mrn_axpy(-off, n, view->target);
    double aspect = view->plot_width / view->plot_height;
    double half = 5 * view->extent * look->zoom * fmax(1, aspect);
    mrn_vec3 t = fabs(n.z) < 0.9 ? mrn_unit(mrn_v3(-n.y, n.x, 0)) : mrn_v3(1, 0, 0);
    mrn_vec3 a = mrn_scale(half, t), b = mrn_cross(n, a); /* in 2D b is along z: the extrusion */
    p[0] = mrn_sub(mrn_sub(middle, a), b);
    p[1] = mrn_sub(mrn_add(middle, a), b);
    p[2] = mrn_add(mrn_add(middle, a), b);
    p[3] = mrn_add(mrn_sub(middle, a), b);
}

/* The polygon on the inner side of h; returns its corners. */
static int trim(mrn_vec3 *p, int n, const half_space *h)
{
    mrn_vec3 out[2 * CORNERS];
    int m = 0;
    for (int i = 0; i < n; i++) {
        mrn_vec3 a = p[i], b = p[(i + 1) % n];
        double da = mrn_dot(h->n, mrn_sub(a, h->p)), db = mrn_dot(h->n, mrn_sub(b, h->p));
        if (da >= 0)
            out[m++] = a;
        if ((da < 0) != (db < 0))
            out[m++] = mrn_axpy(da / (da - db), mrn_sub(b, a), a);
    }
    m = m < CORNERS ? m : CORNERS;
    for (int i = 0; i < m; i++)
        p[i] = out[i];
    return m;
}

static mrn_status add_endless(const shell *s, const mrn_look *look, const mrn_view *view, int wall,
                              const half_space *h, int n_h, const voters *v, mrn_wall_set *w,
                              mrn_message *msg)
{
    mrn_vec3 p[CORNERS];
    int n = 4;
    wide_sheet(s, look, view, p);
    for (int k = 0; k < n_h && n > 2; k++)
        if (h[k].wall != wall && fabs(mrn_dot(h[k].n, s->n[0])) < 0.9999)
            n = trim(p, n, &h[k]);
    if (n < 3)
        return MRN_OK;
    float near = between(v, p[0], s->n[0]);
    mrn_status st = MRN_OK;
    for (int i = 0; !st && i < n; i++)
        st = add_edge(w, (mrn_edge){p[i], p[(i + 1) % n], near, true}, msg);
    for (int i = 2; !st && i < n; i++) {
        mrn_face f = {{p[0], p[i - 1], p[i]}, {s->n[0], s->n[0], s->n[0]}, near, true};
        st = add_face(w, f, msg);
    }
    return st;
}

static int cell_half_spaces(const mrn_frame *f, half_space *h)
{
    int n = 0;
    mrn_vec3 edge[3], axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++)
        edge[k] = f->periodic[k] && f->cell_size[k] > 0 ? mrn_frame_edge(f, k) : axis[k];
    for (int k = 0; k < 3; k++) {
        if (!f->periodic[k] || !isfinite(f->cell_origin[k]) || !(f->cell_size[k] > 0))
            continue;
        mrn_vec3 normal = mrn_unit(mrn_cross(edge[(k + 1) % 3], edge[(k + 2) % 3]));
        for (int e = 0; e < 2; e++) {
            double p[3] = {0, 0, 0};
            for (int d = 0; d < 3; d++)
                p[d] = f->periodic[d] ? f->cell_origin[d] : 0;
            h[n++] =
                (half_space){mrn_axpy(e, edge[k], mrn_load3(p)), mrn_scale(e ? -1 : 1, normal), -1};
        }
    }
    return n;
}

static void choose_voters(const mrn_view *view, const mrn_frame *f, voters *v)
{
    *v = (voters){.camera = mrn_axpy(view->distance, view->toward, view->target)};
    int32_t n = f->n - f->n_walls, stride = n > VOTERS ? (n + VOTERS - 1) / VOTERS : 1;
    for (int32_t i = f->n_walls; i < f->n; i += stride)
        if (mrn_grain_visible(f, i))
            v->p[v->n++] = mrn_load3(f->x + 3 * (int64_t)i);
    if (v->n == 0)
        v->p[v->n++] = view->target;
    for (int i = 0; i < v->n; i++)
        v->middle = mrn_axpy(1.0 / v->n, v->p[i], v->middle);
}

static bool shown(const mrn_header *header, const mrn_frame *f, int i)
{
    bool absent = f->flags && f->flags[i] & MRN_BODY_ABSENT;
    const double *q = f->q + 4 * (int64_t)i;
    return !absent && header->wall[i].n_triangles > 0 &&
           finite_vec(mrn_load3(f->x + 3 * (int64_t)i)) && isfinite(q[0] + q[1] + q[2] + q[3]);
}

/* All walls in turn: `h` NULL collects half-spaces into `found`, else adds faces and edges. */
static mrn_status each_wall(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                            const mrn_frame *f, const voters *v, half_space *found, int *n_found,
                            mrn_wall_set *out, mrn_message *msg)
{
    int n = header->n_walls < f->n_walls ? header->n_walls : f->n_walls;
    mrn_status st = MRN_OK;
    for (int i = 0; !st && i < n; i++) {
        if (!shown(header, f, i) || (!out && header->wall[i].n_triangles != 2))
            continue;
        shell s;
        st = shell_make(&header->wall[i], f->x + 3 * (int64_t)i, f->q + 4 * (int64_t)i, &s, msg);
        bool endless = !st && is_endless(&s, look, view, header, i);
        if (!st && !out && endless) {
            double side = mrn_dot(s.n[0], mrn_sub(v->middle, s.p[0]));
            found[(*n_found)++] = (half_space){s.p[0], mrn_scale(side < 0 ? -1 : 1, s.n[0]), i};
        } else if (!st && out && endless) {
            st = add_endless(&s, look, view, i, found, *n_found, v, out, msg);
        } else if (!st && out) {
            st = add_shell(&s, v, out, msg);
        }
        shell_release(&s);
    }
    return st;
}

mrn_status mrn_walls_make(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                          const mrn_frame *frame, mrn_wall_set *out, mrn_message *msg)
{
    *out = (mrn_wall_set){0};
    if (!look->walls)
        return MRN_OK;
    voters *v = NULL;
    half_space *h = NULL;
    mrn_status st = mrn_array(&v, 1, sizeof *v, msg);
    if (!st)
        st = mrn_array(&h, (int64_t)header->n_walls + 6, sizeof *h, msg);
    if (!st) {
        choose_voters(view, frame, v);
        int n_h = cell_half_spaces(frame, h);
        st = each_wall(look, view, header, frame, v, h, &n_h, NULL, msg);
        if (!st)
            st = each_wall(look, view, header, frame, v, h, &n_h, out, msg);
    }
    mrn_free(v);
    mrn_free(h);
    if (st)
        mrn_walls_release(out);
    return st;
}

void mrn_walls_release(mrn_wall_set *w)
{
    mrn_free(w->face);
    mrn_free(w->edge);
    *w = (mrn_wall_set){0};
}
