/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms in a trajectory: those of the header, written as they stand, all of them in a few flat
   arrays: thousands of different stones cost no more groups than one. */
#include <string.h>

#include "store/trajectory.h"

enum { COUNTS = 7, MEASURES = 5, LIKES = 11 };

/* Lengths of a part in the flat arrays, in the order they are stored in. */
typedef struct counts {
    int32_t polytope, points, faces, corners, edges, rings, neighbours; /* rings: 0 or points + 1 */
} counts;
_Static_assert(sizeof(counts) == COUNTS * sizeof(int32_t), "a row of numbers");

/* All polytopes, one after another. */
typedef struct flat {
    int32_t n_polytopes;
    int64_t n_parts, points, faces, corners, edges, rings, neighbours;
    counts *part;
    double *measure; /* 5 per part: centre, bound, inner                                */
    double *like;    /* 11 per polytope: inertia, bound, length, elongation … angularity    */
    char (*name)[MRN_NAME];
    double *point, *plane;
    int32_t *face, *corner, *edge, *ring_start, *ring; /* face: face_start, faces + 1 per part */
} flat;

static void release(flat *t)
{
    mrn_free(t->part);
    mrn_free(t->measure);
    mrn_free(t->like);
    mrn_free(t->name);
    mrn_free(t->point);
    mrn_free(t->plane);
    mrn_free(t->face);
    mrn_free(t->corner);
    mrn_free(t->edge);
    mrn_free(t->ring_start);
    mrn_free(t->ring);
}

static counts counts_of(const mrn_convex *c, int polytope)
{
    bool rings = c->ring_start != NULL;
    return (counts){.polytope = polytope,
                    .points = c->n_points,
                    .faces = c->n_faces,
                    .corners = c->face_start[c->n_faces],
                    .edges = c->edge != NULL ? c->n_edges : 0,
                    .rings = rings ? c->n_points + 1 : 0,
                    .neighbours = rings ? c->ring_start[c->n_points] : 0};
}

static void add_counts(flat *t, const counts *c)
{
    t->points += c->points;
    t->faces += c->faces;
    t->corners += c->corners;
    t->edges += c->edges;
    t->rings += c->rings;
    t->neighbours += c->neighbours;
}

/* The arrays that `part` tells the lengths of. */
static void make_room(mrn_h5 *h, flat *t)
{
    mrn_h5_room(h, &t->point, 3 * t->points, sizeof(double));
    mrn_h5_room(h, &t->plane, 4 * t->faces, sizeof(double));
    mrn_h5_room(h, &t->face, t->faces + t->n_parts, sizeof(int32_t));
    mrn_h5_room(h, &t->corner, t->corners, sizeof(int32_t));
    mrn_h5_room(h, &t->edge, 4 * t->edges, sizeof(int32_t));
    mrn_h5_room(h, &t->ring_start, t->rings, sizeof(int32_t));
    mrn_h5_room(h, &t->ring, t->neighbours, sizeof(int32_t));
}

/* One array of a part and its place in the flat one. */
typedef struct piece {
    void *part, *flat;
    size_t n, size;
} piece;

enum { PIECES = 7 };

/* The arrays of part c, whose lengths are k, and their places in the flat ones; `at` counts what
   stood before and is moved on. */
static void pieces_of(const mrn_convex *c, const counts *k, flat *t, counts *at, piece out[PIECES])
{
    const size_t i4 = sizeof(int32_t), f8 = sizeof(double);
    out[0] = (piece){c->point, t->point + 3 * (size_t)at->points, 3 * (size_t)k->points, f8};
    out[1] = (piece){c->plane, t->plane + 4 * (size_t)at->faces, 4 * (size_t)k->faces, f8};
    /* `polytope` counts the parts before */
    out[2] = (piece){c->face_start, t->face + at->faces + at->polytope, (size_t)k->faces + 1, i4};
    out[3] = (piece){c->corner, t->corner + at->corners, (size_t)k->corners, i4};
    out[4] = (piece){c->edge, t->edge + 4 * (size_t)at->edges, 4 * (size_t)k->edges, i4};
    out[5] = (piece){c->ring_start, t->ring_start + at->rings, (size_t)k->rings, i4};
    out[6] = (piece){c->ring, t->ring + at->neighbours, (size_t)k->neighbours, i4};
    at->polytope++;
    at->points += k->points;
    at->faces += k->faces;
    at->corners += k->corners;
    at->edges += k->edges;
    at->rings += k->rings;
    at->neighbours += k->neighbours;
}

/* ---- writing ---- */

static void pack_polytope(const mrn_polytope *f, flat *t, int number, counts *at)
{
    double *like = t->like + LIKES * number;
    memcpy(t->name[number], f->name, MRN_NAME);
    memcpy(like, f->inertia, sizeof f->inertia);
    like[3] = f->bound;
    memcpy(like + 4, f->length, sizeof f->length);
    like[7] = f->elongation, like[8] = f->flatness;
    like[9] = f->sphericity, like[10] = f->angularity;
    for (int p = 0; p < f->n_parts; p++) {
        const mrn_convex *c = &f->part[p];
        double *m = t->measure + MEASURES * at->polytope;
        piece some[PIECES];
        mrn_store3(m, c->centre);
        m[3] = c->bound, m[4] = c->inner;
        pieces_of(c, &t->part[at->polytope], t, at, some);
        for (int i = 0; i < PIECES; i++)
            if (some[i].n > 0)
                memcpy(some[i].flat, some[i].part, some[i].n * some[i].size);
    }
}

static void pack(mrn_h5 *h, const mrn_header *c, flat *t)
{
    t->n_polytopes = c->n_polytopes;
    for (int i = 0; i < c->n_polytopes; i++)
        t->n_parts += c->polytope[i].n_parts;
    mrn_h5_room(h, &t->part, t->n_parts, sizeof *t->part);
    mrn_h5_room(h, &t->measure, MEASURES * t->n_parts, sizeof(double));
    mrn_h5_room(h, &t->like, LIKES * (int64_t)t->n_polytopes, sizeof(double));
    mrn_h5_room(h, &t->name, t->n_polytopes, MRN_NAME);
    if (h->status != MRN_OK)
        return;
    int64_t n = 0;
    for (int i = 0; i < c->n_polytopes; i++)
        for (int p = 0; p < c->polytope[i].n_parts; p++) {
            t->part[n] = counts_of(&c->polytope[i].part[p], i);
            add_counts(t, &t->part[n++]);
        }
    make_room(h, t);
    counts at = {0};
    for (int i = 0; h->status == MRN_OK && i < c->n_polytopes; i++)
        pack_polytope(&c->polytope[i], t, i, &at);
}

/* The datasets that belong to the parts, once. */
typedef struct dataset {
    const char *name;
    void *data;
    mrn_h5_type type;
    int64_t n;
    int width;
} dataset;

#define PART_DATA(t)                                                                               \
    {                                                                                              \
        {"point", (t)->point, MRN_H5_DOUBLE, (t)->points, 3},                                      \
            {"plane", (t)->plane, MRN_H5_DOUBLE, (t)->faces, 4},                                   \
            {"face", (t)->face, MRN_H5_INT32, (t)->faces + (t)->n_parts, 1},                       \
            {"corner", (t)->corner, MRN_H5_INT32, (t)->corners, 1},                                \
            {"edge", (t)->edge, MRN_H5_INT32, (t)->edges, 4},                                      \
            {"ring_start", (t)->ring_start, MRN_H5_INT32, (t)->rings, 1},                          \
            {"ring", (t)->ring, MRN_H5_INT32, (t)->neighbours, 1},                                 \
    }
#define HEAD_DATA(t)                                                                               \
    {                                                                                              \
        {"name", (t)->name, MRN_H5_UINT8, (t)->n_polytopes, MRN_NAME},                             \
            {"like", (t)->like, MRN_H5_DOUBLE, (t)->n_polytopes, LIKES},                           \
            {"part", (t)->part, MRN_H5_INT32, (t)->n_parts, COUNTS},                               \
            {"measure", (t)->measure, MRN_H5_DOUBLE, (t)->n_parts, MEASURES},                      \
    }

static void write_all(mrn_h5 *h, hid_t g, const dataset *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mrn_h5_layout l = mrn_h5_squeezed(d[i].type, d[i].n, d[i].width);
        mrn_h5_write(h, g, d[i].name, &l, d[i].data);
    }
}

static void read_all(mrn_h5 *h, hid_t g, const dataset *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mrn_h5_layout l = mrn_h5_plain(d[i].type, d[i].n, d[i].width);
        mrn_h5_read(h, g, d[i].name, &l, d[i].data);
    }
}

void mrn_header_write_polytopes(mrn_h5 *h, hid_t at, const mrn_header *c)
{
    if (c->n_polytopes == 0 || h->status != MRN_OK)
        return;
    flat t = {0};
    pack(h, c, &t);
    hid_t g = mrn_h5_make_group(h, at, "polytopes");
    const dataset head[] = HEAD_DATA(&t), parts[] = PART_DATA(&t);
    write_all(h, g, head, sizeof head / sizeof *head);
    write_all(h, g, parts, sizeof parts / sizeof *parts);
    mrn_h5_leave(g);
    release(&t);
}

/* ---- reading ---- */

/* Sums the lengths; false when a row makes no sense. */
static bool sound_counts(flat *t)
{
    for (int64_t k = 0; k < t->n_parts; k++) {
        const counts *c = &t->part[k];
        bool sound = c->points > 0 && c->faces > 0 && c->corners > 0 && c->edges >= 0 &&
                     c->neighbours >= 0 && (c->rings == 0 || c->rings == c->points + 1) &&
                     c->polytope >= 0 && c->polytope < t->n_polytopes &&
                     (k == 0 || c->polytope == t->part[k - 1].polytope ||
                      c->polytope == t->part[k - 1].polytope + 1);
        if (!sound || (k == 0 && c->polytope != 0))
            return false;
        add_counts(t, c);
    }
    int64_t most = INT32_MAX / 4;
    return t->n_parts > 0 && t->part[t->n_parts - 1].polytope == t->n_polytopes - 1 &&
           t->points < most && t->faces < most && t->corners < most && t->edges < most &&
           t->neighbours < most;
}

static bool all_finite(const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

static bool rises(const int32_t *start, int32_t n, int32_t end)
{
    for (int32_t i = 0; i < n; i++)
        if (start[i] > start[i + 1])
            return false;
    return start[0] == 0 && start[n] == end;
}

static bool within(const int32_t *v, int64_t n, int32_t most)
{
    for (int64_t i = 0; i < n; i++)
        if (v[i] < 0 || v[i] >= most)
            return false;
    return true;
}

/* Numbers of a part that others are looked up by. */
static bool sound_part(const mrn_convex *c, const counts *k)
{
    bool polygon = c->dimension == 2;
    bool sound = rises(c->face_start, k->faces, k->corners) &&
                 (!polygon || (k->points == k->faces && k->corners == 2 * k->faces)) &&
                 within(c->corner, k->corners, k->points) &&
                 (k->rings == 0 || (rises(c->ring_start, k->points, k->neighbours) &&
                                    within(c->ring, k->neighbours, k->points)));
    for (int32_t i = 0; sound && i < k->edges; i++)
        sound = within(c->edge + 4 * (size_t)i, 2, k->points) &&
                within(c->edge + 4 * (size_t)i + 2, 2, k->faces);
    return sound;
}

static void unpack_part(mrn_h5 *h, flat *t, counts *at, int dimension, mrn_convex *out)
{
    const counts k = t->part[at->polytope];
    const double *m = t->measure + MEASURES * at->polytope;
    *out = (mrn_convex){.dimension = dimension, .n_points = k.points, .n_faces = k.faces};
    out->n_edges = k.edges;
    out->centre = mrn_load3(m);
    out->bound = m[3], out->inner = m[4];
    mrn_h5_room(h, &out->point, 3 * (int64_t)k.points, sizeof(double));
    mrn_h5_room(h, &out->plane, 4 * (int64_t)k.faces, sizeof(double));
    mrn_h5_room(h, &out->face_start, (int64_t)k.faces + 1, sizeof(int32_t));
    mrn_h5_room(h, &out->corner, k.corners, sizeof(int32_t));
    if (k.edges > 0)
        mrn_h5_room(h, &out->edge, 4 * (int64_t)k.edges, sizeof(int32_t));
    if (k.rings > 0) {
        mrn_h5_room(h, &out->ring_start, k.rings, sizeof(int32_t));
        mrn_h5_room(h, &out->ring, k.neighbours, sizeof(int32_t));
    }
    piece some[PIECES];
    pieces_of(out, &k, t, at, some);
    for (int i = 0; h->status == MRN_OK && i < PIECES; i++)
        if (some[i].n > 0)
            memcpy(some[i].part, some[i].flat, some[i].n * some[i].size);
    if (h->status == MRN_OK && !sound_part(out, &k))
        mrn_h5_damaged(h, "a polytope has corners that do not exist");
    if (h->status == MRN_OK && !(all_finite(out->point, 3 * (int64_t)k.points) &&
                                 all_finite(out->plane, 4 * (int64_t)k.faces)))
        mrn_h5_damaged(h, "a polytope has corners that are nowhere");
}

static void unpack(mrn_h5 *h, flat *t, mrn_header *c)
{
    counts at = {0};
    for (int i = 0; h->status == MRN_OK && i < t->n_polytopes; i++) {
        mrn_polytope *f = &c->polytope[i];
        const double *like = t->like + LIKES * i;
        int n = 0;
        while (at.polytope + n < t->n_parts && t->part[at.polytope + n].polytope == i)
            n++;
        memcpy(f->name, t->name[i], MRN_NAME);
        f->name[MRN_NAME - 1] = '\0';
        f->dimension = c->dimension;
        memcpy(f->inertia, like, sizeof f->inertia);
        f->bound = like[3];
        if (!(f->bound > 0) || !isfinite(f->bound))
            mrn_h5_damaged(h, "polytope %d has no size", i);
        memcpy(f->length, like + 4, sizeof f->length);
        f->elongation = like[7], f->flatness = like[8];
        f->sphericity = like[9], f->angularity = like[10];
        mrn_h5_room(h, &f->part, n, sizeof *f->part);
        f->n_parts = h->status == MRN_OK ? n : 0;
        for (int p = 0; h->status == MRN_OK && p < n; p++)
            unpack_part(h, t, &at, c->dimension, &f->part[p]);
    }
}

void mrn_header_read_polytopes(mrn_h5 *h, hid_t at, mrn_header *c)
{
    if (h->status != MRN_OK || !mrn_h5_exists(h, at, "polytopes"))
        return;
    flat t = {0};
    hid_t g = mrn_h5_enter_group(h, at, "polytopes");
    int64_t polytopes = mrn_h5_rows(h, g, "name", MRN_NAME);
    t.n_parts = mrn_h5_rows(h, g, "part", COUNTS);
    if (h->status == MRN_OK &&
        (polytopes < 1 || polytopes > UINT16_MAX + 1 || t.n_parts > INT32_MAX / 8))
        mrn_h5_damaged(h, "%lld polytopes", (long long)polytopes);
    t.n_polytopes = h->status == MRN_OK ? (int32_t)polytopes : 0;
    mrn_h5_room(h, &t.part, t.n_parts, sizeof *t.part);
    mrn_h5_room(h, &t.measure, MEASURES * t.n_parts, sizeof(double));
    mrn_h5_room(h, &t.like, LIKES * (int64_t)t.n_polytopes, sizeof(double));
    mrn_h5_room(h, &t.name, t.n_polytopes, MRN_NAME);
    const dataset head[] = HEAD_DATA(&t);
    read_all(h, g, head, sizeof head / sizeof *head);
    if (h->status == MRN_OK && !sound_counts(&t))
        mrn_h5_damaged(h, "the list of its polytopes");
    make_room(h, &t);
    const dataset parts[] = PART_DATA(&t);
    read_all(h, g, parts, sizeof parts / sizeof *parts);
    mrn_h5_leave(g);
    mrn_h5_room(h, &c->polytope, t.n_polytopes, sizeof *c->polytope);
    c->n_polytopes = h->status == MRN_OK ? t.n_polytopes : 0;
    unpack(h, &t, c);
    release(&t);
}

/* ---- in memory ---- */

void mrn_header_release_polytopes(mrn_header *c)
{
    for (int i = 0; c->polytope != NULL && i < c->n_polytopes; i++)
        mrn_polytope_release(&c->polytope[i]);
    mrn_free(c->polytope);
    c->polytope = NULL;
    c->n_polytopes = 0;
}

mrn_status mrn_header_copy_polytopes(const mrn_polytope *from, int n, mrn_header *to,
                                     mrn_message *msg)
{
    if (n == 0)
        return MRN_OK;
    mrn_status st = mrn_array(&to->polytope, n, sizeof *to->polytope, msg);
    for (int i = 0; st == MRN_OK && i < n; i++) {
        st = mrn_polytope_copy(&from[i], &to->polytope[i], msg);
        to->n_polytopes = st == MRN_OK ? i + 1 : i;
    }
    return st;
}
