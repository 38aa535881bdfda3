/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of a stage: pressure along the underside of a loaded body, solid fraction beneath it and
   on a map. Volumes are measured by points: a grid of them, of which each lies in a grain or not.
 */
#include <math.h>
#include <string.h>

#include "bed.h"

typedef struct reading {
    mrn_trajectory *t;
    mrn_header h;
    mrn_frame f;
    int group;
    double share[MRN_BED_BINS_MAX]; /* N in the frame at hand */
    double load, moment;            /* N, N m                 */
} reading;

/* ---- the loaded body ---- */

static mrn_status find_group(const mrn_header *h, const char *name, int *out, mrn_message *msg)
{
    const char *words[256];
    int n = 0;
    for (int g = 0; g < h->n_groups; g++) {
        if (strcmp(h->group_name[g], name) == 0) {
            *out = g;
            return MRN_OK;
        }
        if (n < 256)
            words[n++] = h->group_name[g];
    }
    const char *close = mrn_closest_word(name, words, n);
    mrn_fail(msg, MRN_ERR_INPUT, "the run has no group '%s'", name);
    return close != NULL ? mrn_fail_hint(msg, "did you mean %s?", close) : MRN_ERR_INPUT;
}

/* The body of the group: its only one, or the first. */
static int32_t body_of(const reading *r)
{
    for (int32_t i = r->f.n_walls; i < r->f.n; i++)
        if (r->f.group[i] == r->group && !(r->f.flags[i] & MRN_BODY_FIXED))
            return i;
    return -1;
}

static double component(mrn_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static mrn_vec3 world_point(const mrn_frame *f, const mrn_convex *part, int32_t i, int k)
{
    const double *p = part->point + 3 * (size_t)k, *q = f->q + 4 * (size_t)i;
    mrn_quat turn = {q[0], q[1], q[2], q[3]};
    mrn_vec3 x = mrn_rotate(turn, mrn_v3(p[0], p[1], p[2]));
    return mrn_axpy(f->radius[i], x, mrn_load3(f->x + 3 * (size_t)i));
}

typedef struct extents {
    double lo[3], hi[3];
} extents;

/* Of a body in space, as it lies in the frame. */
static extents extents_of(const mrn_header *h, const mrn_frame *f, int32_t i)
{
    extents e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const mrn_polytope *p = mrn_frame_polytope(h, f, i);
    for (int m = 0; p != NULL && m < p->n_parts; m++)
        for (int k = 0; k < p->part[m].n_points; k++)
            for (int a = 0; a < 3; a++) {
                double x = component(world_point(f, &p->part[m], i, k), a);
                e.lo[a] = fmin(e.lo[a], x), e.hi[a] = fmax(e.hi[a], x);
            }
    for (int a = 0; p == NULL && a < 3; a++) {
        e.lo[a] = f->x[3 * (size_t)i + a] - f->radius[i];
        e.hi[a] = f->x[3 * (size_t)i + a] + f->radius[i];
    }
    return e;
}

static void note_shape(const reading *r, int32_t i, mrn_bed *b)
{
    extents e = extents_of(&r->h, &r->f, i);
    double dx = e.hi[0] - e.lo[0], dy = e.hi[1] - e.lo[1];
    b->up = r->h.dimension == 2 ? 1 : 2;
    b->axis = r->h.dimension == 2 || dx >= dy ? 0 : 1;
    b->area = r->h.dimension == 2 ? dx : dx * dy; /* 2D: 1 m thick */
    double length = b->axis == 0 ? dx : dy;
    for (int k = 0; k < b->bins; k++) {
        b->bin[k].from = length * ((double)k / b->bins - 0.5);
        b->bin[k].to = length * ((double)(k + 1) / b->bins - 0.5);
        b->bin[k].least = INFINITY;
        b->bin[k].most = 0;
    }
}

/* ---- pressure ---- */

/* What others press upwards with on the body, by parts of its length. */
static void press(reading *r, const mrn_bed *b, int32_t body)
{
    const mrn_contacts *c = &r->f.contacts;
    double middle = r->f.x[3 * (size_t)body + b->axis];
    memset(r->share, 0, sizeof r->share);
    r->load = r->moment = 0;
    for (int64_t k = 0; k < c->n; k++) {
        double sign = c->c[k] == body ? 1 : c->a[k] == body ? -1 : 0;
        double f = sign * c->force[3 * k + b->up];
        double at = c->point[3 * k + b->axis] - middle;
        if (!(f > 0))
            continue;
        int bin = 0;
        while (bin + 1 < b->bins && at >= b->bin[bin].to)
            bin++;
        r->share[bin] += f;
        r->load += f;
        r->moment += f * at;
    }
}

static mrn_status load_frame(reading *r, int64_t k, mrn_message *msg)
{
    mrn_frame_destroy(&r->f);
    return mrn_trajectory_read(r->t, k, &r->f, msg);
}

/* Loads of all frames of the stage, and the largest. */
static mrn_status weigh(reading *r, mrn_bed *b, double *load, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    double most = 0;
    for (int64_t k = b->first; k <= b->last && st == MRN_OK; k++) {
        st = load_frame(r, k, msg);
        int32_t i = st == MRN_OK ? body_of(r) : -1;
        load[k - b->first] = 0;
        if (i < 0 || r->f.contacts.n == 0)
            continue;
        b->frames++;
        if (b->area == 0)
            note_shape(r, i, b);
        press(r, b, i);
        load[k - b->first] = r->load;
        if (r->load > most)
            most = r->load, b->peak = k;
    }
    if (st == MRN_OK && !(most > 0)) {
        mrn_fail(msg, MRN_ERR_INPUT, "no frame of the stage tells what presses on '%s'", b->body);
        return mrn_fail_hint(msg, "contacts are stored with `output: {contacts: true}`");
    }
    for (int64_t k = 0; k <= b->last - b->first; k++)
        b->loaded += load[k] >= 0.8 * most;
    return st;
}

static mrn_status sum_pressures(reading *r, mrn_bed *b, const double *load, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    double area = b->area / b->bins, weight = 1 / (double)b->loaded, most = 0;
    int64_t n = 0, third = b->loaded > 2 ? b->loaded / 3 : 1;
    for (int64_t k = 0; k <= b->last - b->first; k++)
        most = fmax(most, load[k]);
    for (int64_t k = b->first; k <= b->last && st == MRN_OK; k++) {
        if (load[k - b->first] < 0.8 * most)
            continue;
        st = load_frame(r, k, msg);
        if (st != MRN_OK)
            break;
        press(r, b, body_of(r));
        b->load += weight * r->load;
        b->centre += weight * r->moment / r->load;
        for (int i = 0; i < b->bins; i++) {
            mrn_bed_bin *x = &b->bin[i];
            double p = r->share[i] / area;
            x->mean += weight * p;
            x->least = fmin(x->least, p), x->most = fmax(x->most, p);
            x->early += n < third ? p / (double)third : 0;
            x->late += n >= b->loaded - third ? p / (double)third : 0;
        }
        n++;
    }
    return st;
}

/* ---- solid fraction ---- */

static bool in_convex(const mrn_convex *c, mrn_vec3 x)
{
    for (int k = 0; k < c->n_faces; k++) {
        const double *p = c->plane + 4 * (size_t)k;
        if (p[0] * x.x + p[1] * x.y + p[2] * x.z > p[3])
            return false;
    }
    return true;
}

static bool in_body(const reading *r, int32_t i, mrn_vec3 x)
{
    const mrn_polytope *p = mrn_frame_polytope(&r->h, &r->f, i);
    mrn_vec3 d = mrn_sub(x, mrn_load3(r->f.x + 3 * (size_t)i));
    if (p == NULL)
        return mrn_norm(d) <= r->f.radius[i];
    const double *q = r->f.q + 4 * (size_t)i;
    mrn_quat back = mrn_quat_conj((mrn_quat){q[0], q[1], q[2], q[3]});
    d = mrn_scale(1 / r->f.radius[i], mrn_rotate(back, d));
    for (int m = 0; m < p->n_parts; m++)
        if (in_convex(&p->part[m], d))
            return true;
    return false;
}

/* A grid of points in a box; `hit` tells which lie in grains. */
typedef struct points {
    int n[3];
    double lo[3], d[3];
    uint8_t *hit;
} points;

static mrn_status make_points(const extents *box, int dimension, double spacing, points *p,
                              mrn_message *msg)
{
    int64_t all = 1;
    for (int a = 0; a < 3; a++) {
        double way = box->hi[a] - box->lo[a];
        p->n[a] = a >= dimension ? 1 : (int)fmax(1, fmin(600, ceil(way / spacing)));
        p->d[a] = a >= dimension ? 0 : way / p->n[a];
        p->lo[a] = a >= dimension ? 0 : box->lo[a] + 0.5 * p->d[a];
        all *= p->n[a];
    }
    p->hit = mrn_alloc((size_t)all);
    if (p->hit == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    memset(p->hit, 0, (size_t)all);
    return MRN_OK;
}

/* Marks the points in one grain. */
static void mark(const reading *r, int32_t i, points *p)
{
    int from[3], to[3];
    double bound = mrn_frame_bound(&r->h, &r->f, i);
    for (int a = 0; a < 3; a++) {
        double x = r->f.x[3 * (size_t)i + a], d = p->d[a] > 0 ? p->d[a] : 1;
        from[a] = p->d[a] > 0 ? (int)fmax(0, fmin(p->n[a], ceil((x - bound - p->lo[a]) / d))) : 0;
        to[a] =
            p->d[a] > 0 ? (int)fmin(p->n[a] - 1, fmax(-1, floor((x + bound - p->lo[a]) / d))) : 0;
    }
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++)
            for (int x = from[0]; x <= to[0]; x++) {
                uint8_t *hit = &p->hit[((int64_t)z * p->n[1] + y) * p->n[0] + x];
                mrn_vec3 at =
                    mrn_v3(p->lo[0] + x * p->d[0], p->lo[1] + y * p->d[1], p->lo[2] + z * p->d[2]);
                if (*hit == 0 && in_body(r, i, at))
                    *hit = 1;
            }
}

/* Grains are all bodies but the loaded one and others like it (sleepers, tines): those of groups
   that are one body. */
static bool is_grain(const reading *r, int32_t i)
{
    int32_t same = 0;
    for (int32_t k = r->f.n_walls; k < r->f.n && same < 2; k++)
        same += r->f.group[k] == r->f.group[i];
    return same > 1;
}

static mrn_status fill_points(const reading *r, const extents *box, double spacing, points *p,
                              mrn_message *msg)
{
    mrn_status st = make_points(box, r->h.dimension, spacing, p, msg);
    for (int32_t i = r->f.n_walls; i < r->f.n && st == MRN_OK; i++)
        if (is_grain(r, i))
            mark(r, i, p);
    return st;
}

/* Of all grains together, and their mean radius. */
static extents extents_of_bed(const reading *r, double *radius)
{
    extents e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    int64_t n = 0;
    *radius = 0;
    for (int32_t i = r->f.n_walls; i < r->f.n; i++) {
        if (!is_grain(r, i))
            continue;
        extents one = extents_of(&r->h, &r->f, i);
        for (int a = 0; a < 3; a++)
            e.lo[a] = fmin(e.lo[a], one.lo[a]), e.hi[a] = fmax(e.hi[a], one.hi[a]);
        *radius += r->f.radius[i];
        n++;
    }
    *radius = n > 0 ? *radius / (double)n : 0;
    return e;
}

/* Beneath the body, from the lowest grain to its underside. */
static mrn_status density_below(const reading *r, mrn_bed *b, double *out, mrn_message *msg)
{
    double radius;
    int32_t body = body_of(r);
    *out = NAN;
    extents bed = extents_of_bed(r, &radius);
    if (body < 0 || !(radius > 0))
        return MRN_OK;
    extents box = extents_of(&r->h, &r->f, body);
    b->depth = box.lo[b->up] - bed.lo[b->up];
    box.hi[b->up] = box.lo[b->up];
    box.lo[b->up] = bed.lo[b->up];
    if (!(b->depth > 0))
        return MRN_OK;
    points p = {.hit = NULL};
    mrn_status st = fill_points(r, &box, radius / (r->h.dimension == 2 ? 20 : 6), &p, msg);
    int64_t n = (int64_t)p.n[0] * p.n[1] * p.n[2], hits = 0;
    for (int64_t k = 0; k < n && st == MRN_OK; k++)
        hits += p.hit[k];
    mrn_free(p.hit);
    *out = (double)hits / (double)n;
    return st;
}

/* Cells of about a grain, each the mean of its points; seen across the longer horizontal axis. */
static void gather_map(const points *p, mrn_bed *b)
{
    static double count[MRN_BED_MAP * MRN_BED_MAP];
    memset(count, 0, sizeof count);
    memset(b->map, 0, sizeof b->map);
    for (int z = 0; z < p->n[2]; z++)
        for (int y = 0; y < p->n[1]; y++)
            for (int x = 0; x < p->n[0]; x++) {
                const int at[3] = {x, y, z};
                int i = at[b->axis] * b->nx / p->n[b->axis], j = at[b->up] * b->ny / p->n[b->up];
                b->map[j * b->nx + i] += p->hit[((int64_t)z * p->n[1] + y) * p->n[0] + x];
                count[j * b->nx + i]++;
            }
    for (int k = 0; k < b->nx * b->ny; k++) /* where nothing lies the plot stays white */
        b->map[k] = b->map[k] > 0 ? b->map[k] / count[k] : NAN;
}

static mrn_status make_map(const reading *r, mrn_bed *b, mrn_message *msg)
{
    double radius;
    extents bed = extents_of_bed(r, &radius);
    if (!(radius > 0))
        return MRN_OK;
    double wide = bed.hi[b->axis] - bed.lo[b->axis], high = bed.hi[b->up] - bed.lo[b->up];
    b->nx = (int)fmax(1, fmin(MRN_BED_MAP, wide / (3 * radius)));
    b->ny = (int)fmax(1, fmin(MRN_BED_MAP, high / (3 * radius)));
    b->x[0] = bed.lo[b->axis], b->x[1] = bed.hi[b->axis];
    b->y[0] = bed.lo[b->up], b->y[1] = bed.hi[b->up];
    points p = {.hit = NULL};
    mrn_status st = fill_points(r, &bed, radius / (r->h.dimension == 2 ? 10 : 4), &p, msg);
    if (st == MRN_OK)
        gather_map(&p, b);
    mrn_free(p.hit);
    return st;
}

/* ---- all ---- */

static mrn_status find_frames(const reading *r, double begin, double end, mrn_bed *b,
                              mrn_message *msg)
{
    int64_t n = mrn_trajectory_frames(r->t);
    double slack = 1e-6 * fmax(fabs(begin), fabs(end));
    b->first = -1;
    for (int64_t k = 0; k < n; k++) {
        double t = mrn_trajectory_time(r->t, k);
        if (t < begin - slack || t > end + slack)
            continue;
        b->first = b->first < 0 ? k : b->first;
        b->last = k;
    }
    if (b->first >= 0)
        return MRN_OK;
    return mrn_fail(msg, MRN_ERR_INPUT, "no frame was stored from %g s to %g s", begin, end);
}

static mrn_status read_all(reading *r, double begin, double end, mrn_bed *b, mrn_message *msg)
{
    mrn_status st = mrn_trajectory_header(r->t, &r->h, msg);
    if (st == MRN_OK)
        st = find_group(&r->h, b->body, &r->group, msg);
    if (st == MRN_OK)
        st = find_frames(r, begin, end, b, msg);
    if (st != MRN_OK)
        return st;
    double *load = mrn_alloc((size_t)(b->last - b->first + 1) * sizeof *load);
    if (load == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    st = weigh(r, b, load, msg);
    if (st == MRN_OK)
        st = sum_pressures(r, b, load, msg);
    mrn_free(load);
    for (int k = 0; k < 2 && st == MRN_OK; k++) {
        st = load_frame(r, k == 0 ? b->first : b->last, msg);
        if (st == MRN_OK)
            st = density_below(r, b, &b->below[k], msg);
    }
    return st == MRN_OK ? make_map(r, b, msg) : st;
}

mrn_status mrn_bed_read(const char *dir, const char *body, int bins, double begin, double end,
                        mrn_bed *out, mrn_message *msg)
{
    reading r = {.group = -1};
    *out = (mrn_bed){.bins = bins < MRN_BED_BINS_MAX ? bins : MRN_BED_BINS_MAX};
    snprintf(out->body, sizeof out->body, "%s", body);
    mrn_status st = mrn_trajectory_open(dir, &r.t, msg);
    if (st == MRN_OK)
        st = read_all(&r, begin, end, out, msg);
    mrn_frame_destroy(&r.f);
    mrn_header_destroy(&r.h);
    mrn_trajectory_close(&r.t, NULL);
    return st;
}
