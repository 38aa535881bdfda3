/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the page must know besides frames, as JSON: names, forms, walls, fields and palettes from
   the tables of the library, ranges, one grain with its contacts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "view/view.h"

#define SAMPLES 5 /* frames looked at for ranges and extent */

/* ---- JSON ---- */

void mrn_view_quote(mrn_buffer *t, const char *text)
{
    mrn_buffer_raw(t, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\')
            mrn_buffer_put(t, "\\%c", *s);
        else if (*s < 32 || *s == 127 || *s == '<') /* '<': never an element, wherever it lands */
            mrn_buffer_put(t, "\\u%04x", *s);
        else
            mrn_buffer_bytes(t, s, 1);
    }
    mrn_buffer_raw(t, "\"");
}

void mrn_view_number(mrn_buffer *t, double v)
{
    if (isfinite(v))
        mrn_buffer_put(t, "%.9g", v);
    else
        mrn_buffer_raw(t, "null");
}

static void put_numbers(mrn_buffer *t, const double *v, int64_t n)
{
    mrn_buffer_raw(t, "[");
    for (int64_t i = 0; i < n; i++) {
        mrn_buffer_raw(t, i > 0 ? "," : "");
        mrn_view_number(t, v[i]);
    }
    mrn_buffer_raw(t, "]");
}

static void put_indices(mrn_buffer *t, const int32_t *v, int64_t n)
{
    mrn_buffer_raw(t, "[");
    for (int64_t i = 0; i < n; i++)
        mrn_buffer_put(t, i > 0 ? ",%d" : "%d", (int)v[i]);
    mrn_buffer_raw(t, "]");
}

static void put_names(mrn_buffer *t, const char *key, char (*name)[MRN_NAME], int n)
{
    mrn_buffer_put(t, ",\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        mrn_buffer_raw(t, i > 0 ? "," : "");
        mrn_view_quote(t, name[i]);
    }
    mrn_buffer_raw(t, "]");
}

static mrn_status finish(const mrn_buffer *t, mrn_message *msg)
{
    return t->failed ? mrn_fail_memory(msg) : MRN_OK;
}

/* ---- forms and walls ---- */

/* Faces of a polyhedron as rings of corners; a polygon is one face, its corners in order. */
static void put_faces(mrn_buffer *t, const mrn_convex *c)
{
    mrn_buffer_raw(t, ",\"faces\":[");
    for (int f = 0; c->dimension == 3 && f < c->n_faces; f++) {
        mrn_buffer_raw(t, f > 0 ? "," : "");
        put_indices(t, c->corner + c->face_start[f], c->face_start[f + 1] - c->face_start[f]);
    }
    if (c->dimension == 2) {
        mrn_buffer_raw(t, "[");
        for (int f = 0; f < c->n_faces; f++) /* a side begins where the one before ends */
            mrn_buffer_put(t, f > 0 ? ",%d" : "%d", (int)c->corner[c->face_start[f]]);
        mrn_buffer_raw(t, "]");
    }
    mrn_buffer_raw(t, "]");
}

static void put_form(mrn_buffer *t, const mrn_polytope *p)
{
    mrn_buffer_raw(t, "[");
    for (int k = 0; k < p->n_parts; k++) {
        const mrn_convex *c = &p->part[k];
        mrn_buffer_raw(t, k > 0 ? ",{\"point\":" : "{\"point\":");
        put_numbers(t, c->point, 3 * (int64_t)c->n_points);
        put_faces(t, c);
        mrn_buffer_raw(t, ",\"plane\":");
        put_numbers(t, c->plane, 4 * (int64_t)c->n_faces);
        mrn_buffer_raw(t, "}");
    }
    mrn_buffer_raw(t, "]");
}

static void put_shapes(mrn_buffer *t, const mrn_header *h)
{
    mrn_buffer_raw(t, ",\"forms\":[");
    for (int i = 0; i < h->n_polytopes; i++) {
        mrn_buffer_raw(t, i > 0 ? "," : "");
        put_form(t, &h->polytope[i]);
    }
    mrn_buffer_raw(t, "],\"walls\":[");
    for (int i = 0; i < h->n_walls; i++) {
        const mrn_triangles *w = &h->wall[i];
        mrn_buffer_raw(t, i > 0 ? ",{\"name\":" : "{\"name\":");
        mrn_view_quote(t, h->wall_name[i]);
        mrn_buffer_put(t, ",\"endless\":%s,\"point\":",
                       h->wall_endless != NULL && h->wall_endless[i] ? "true" : "false");
        put_numbers(t, w->point, 3 * (int64_t)w->n_points);
        mrn_buffer_raw(t, ",\"corner\":");
        put_indices(t, w->corner, 3 * (int64_t)w->n_triangles);
        mrn_buffer_raw(t, "}");
    }
    mrn_buffer_raw(t, "]");
}

/* ---- fields and colours ---- */

static void put_fields(mrn_buffer *t)
{
    static const char *const kinds[] = {"number", "class", "plain"};
    const char *const *names;
    int n = mrn_paint_field_names(&names);
    mrn_buffer_raw(t, ",\"fields\":[");
    for (int i = 0; i < n; i++) {
        const mrn_paint_field *f = mrn_paint_field_find(names[i]);
        mrn_buffer_put(t, "%s{\"name\":\"%s\",\"title\":\"%s\",\"unit\":\"%s\",\"kind\":\"%s\"}",
                       i > 0 ? "," : "", f->name, f->title, f->unit, kinds[f->kind]);
    }
    mrn_buffer_raw(t, "]");
}

static void put_hex(mrn_buffer *t, mrn_rgb c)
{
    mrn_buffer_put(t, "\"#%02x%02x%02x\"", (unsigned)lrint(255.0 * c.r),
                   (unsigned)lrint(255.0 * c.g), (unsigned)lrint(255.0 * c.b));
}

static void put_palettes(mrn_buffer *t)
{
    const char *const *names;
    int n = mrn_palette_names(&names);
    mrn_buffer_raw(t, ",\"palettes\":[");
    for (int i = 0; i < n; i++) {
        const mrn_palette *p = mrn_palette_find(names[i]);
        mrn_buffer_put(t, "%s{\"name\":\"%s\",\"stops\":[", i > 0 ? "," : "", p->name);
        for (int k = 0; k < p->n; k++)
            mrn_buffer_put(t, "%s\"#%06x\"", k > 0 ? "," : "", (unsigned)p->stop[k]);
        mrn_buffer_raw(t, "]}");
    }
    mrn_buffer_raw(t, "],\"classes\":[");
    for (int k = 0; k < 8; k++) {
        mrn_buffer_raw(t, k > 0 ? "," : "");
        put_hex(t, mrn_palette_class(k));
    }
    mrn_buffer_raw(t, "]");
}

/* ---- what a few frames of the run say ---- */

static int64_t sample_at(const mrn_viewer *v, int i)
{
    int64_t n = mrn_view_frames(v);
    return n <= SAMPLES ? i : (int64_t)((double)i * (double)(n - 1) / (SAMPLES - 1));
}
static int samples(const mrn_viewer *v)
{
    int64_t n = mrn_view_frames(v);
    return n < SAMPLES ? (int)n : SAMPLES;
}

/* In large frames the half percent that flies farthest is let go, as in pictures. */
static void extend(mrn_viewer *v, const mrn_frame *f, double *value, int axis)
{
    int64_t n = 0;
    double r = 0;
    for (int32_t i = f->n_walls; i < f->n; i++)
        if (mrn_grain_visible(f, i)) {
            value[n++] = f->x[3 * (int64_t)i + axis];
            r = fmax(r, mrn_frame_bound(&v->header, f, i));
        }
    if (n == 0)
        return;
    double cut = n >= 200 ? 0.005 : 0, lo = mrn_quantile(value, n, cut),
           hi = mrn_quantile(value, n, 1 - cut);
    v->lo[axis] = fmin(v->lo[axis], lo - r);
    v->hi[axis] = fmax(v->hi[axis], hi + r);
}

static void include_cell(mrn_viewer *v, const mrn_frame *f)
{
    for (int k = 0; k < 3; k++)
        if (f->periodic[k]) {
            v->lo[k] = fmin(v->lo[k], f->cell_origin[k]);
            v->hi[k] = fmax(v->hi[k], f->cell_origin[k] + f->cell_size[k]);
        }
}

/* Walls that end belong to what is seen, as far as they are not much larger than the rest. */
static void include_walls(mrn_viewer *v, const mrn_frame *f)
{
    double size[3], lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = v->lo[k], hi[k] = v->hi[k];
        size[k] = hi[k] - lo[k];
    }
    double most = fmax(size[0], fmax(size[1], size[2]));
    for (int i = 0; most > 0 && i < v->header.n_walls && i < f->n_walls; i++) {
        const mrn_triangles *w = &v->header.wall[i];
        bool endless = v->header.wall_endless != NULL && v->header.wall_endless[i];
        if (endless || f->flags[i] & MRN_BODY_ABSENT)
            continue;
        const double *q = f->q + 4 * (int64_t)i;
        mrn_quat turn = {q[0], q[1], q[2], q[3]};
        for (int p = 0; p < w->n_points; p++) {
            mrn_vec3 x = mrn_add(mrn_load3(f->x + 3 * (int64_t)i),
                                 mrn_rotate(turn, mrn_load3(w->point + 3 * (int64_t)p)));
            const double at[3] = {x.x, x.y, x.z};
            for (int k = 0; k < 3; k++) {
                v->lo[k] = fmin(v->lo[k], fmax(at[k], lo[k] - most));
                v->hi[k] = fmax(v->hi[k], fmin(at[k], hi[k] + most));
            }
        }
    }
}

static void find_extent(mrn_viewer *v)
{
    const mrn_frame *f;
    for (int k = 0; k < 3; k++)
        v->lo[k] = INFINITY, v->hi[k] = -INFINITY;
    for (int i = 0; i < samples(v); i++) {
        double *value = NULL;
        if (mrn_view_frame(v, sample_at(v, i), &f, NULL) != MRN_OK ||
            mrn_array(&value, f->n, sizeof *value, NULL) != MRN_OK)
            continue;
        for (int k = 0; k < 3; k++)
            extend(v, f, value, k);
        include_cell(v, f);
        mrn_free(value);
    }
    int last = samples(v) - 1;
    if (last >= 0 && mrn_view_frame(v, sample_at(v, last), &f, NULL) == MRN_OK)
        include_walls(v, f);
    for (int k = 0; k < 3; k++)
        if (!(v->hi[k] > v->lo[k]))
            v->lo[k] = -0.5, v->hi[k] = 0.5;
    v->has_extent = !v->live; /* a run goes on: look again */
}

/* Finite values of a field in one frame, behind those that are there. */
static mrn_status gather(mrn_viewer *v, const char *field, int64_t k, double **value, int64_t *n,
                         int64_t *room, mrn_message *msg)
{
    const mrn_frame *f;
    mrn_look look = mrn_view_look(v, field);
    mrn_paint paint;
    mrn_status st = mrn_view_frame(v, k, &f, msg);
    if (st == MRN_OK)
        st = mrn_paint_make(&look, &v->header, f, &paint, msg);
    if (st != MRN_OK)
        return st;
    if (mrn_grow(value, room, *n + f->n, sizeof **value) != MRN_OK)
        st = mrn_fail_memory(msg);
    for (int32_t i = 0; st == MRN_OK && i < f->n; i++)
        if (isfinite(paint.value[i]))
            (*value)[(*n)++] = paint.value[i];
    mrn_paint_release(&paint);
    return st;
}

mrn_status mrn_view_range(mrn_viewer *v, const char *field, mrn_buffer *out, mrn_message *msg)
{
    const mrn_paint_field *kind = mrn_paint_field_find(field);
    double lo, hi, *value = NULL;
    int64_t n = 0, room = 0;
    mrn_status st = MRN_OK;
    if (kind == NULL)
        return mrn_fail(msg, MRN_ERR_RANGE, "there is no field of that name");
    for (int i = 0; st == MRN_OK && i < samples(v); i++)
        st = gather(v, field, sample_at(v, i), &value, &n, &room, msg);
    if (st == MRN_OK) {
        mrn_look look = mrn_view_look(v, field);
        mrn_paint_range(&look, kind, value, n, &lo, &hi);
        mrn_buffer_raw(out, "{\"lo\":");
        mrn_view_number(out, lo);
        mrn_buffer_raw(out, ",\"hi\":");
        mrn_view_number(out, hi);
        mrn_buffer_raw(out, "}");
        st = finish(out, msg);
    }
    mrn_free(value);
    return st;
}

/* ---- the run ---- */

static void put_times(mrn_viewer *v, int64_t from, mrn_buffer *out)
{
    mrn_buffer_raw(out, ",\"times\":[");
    for (int64_t k = from; k < mrn_view_frames(v); k++) {
        mrn_buffer_raw(out, k > from ? "," : "");
        mrn_view_number(out, mrn_view_time(v, k));
    }
    mrn_buffer_raw(out, "]");
}

static bool stores_contacts(mrn_viewer *v)
{
    const mrn_frame *f;
    for (int i = samples(v) - 1; i >= 0; i--)
        if (mrn_view_frame(v, sample_at(v, i), &f, NULL) == MRN_OK && f->contacts.n > 0)
            return true;
    return v->live;
}

static const char *truth(bool b)
{
    return b ? "true" : "false";
}

mrn_status mrn_view_info(mrn_viewer *v, mrn_buffer *out, mrn_message *msg)
{
    const mrn_header *h = &v->header;
    if (!v->has_extent)
        find_extent(v);
    mrn_buffer_put(out, "{\"program\":\"Moraine %s\",\"dimension\":%d,\"epoch\":%lld,\"title\":",
                   MRN_VERSION, h->dimension, (long long)v->epoch);
    mrn_view_quote(out, h->title);
    mrn_buffer_put(out, ",\"running\":%s,\"contacts\":%s,\"probes\":%s,\"summary\":%s,\"modes\":%s",
                   truth(mrn_view_running(v)), truth(stores_contacts(v)),
                   truth(mrn_view_has(v, "probes.csv")), truth(mrn_view_has(v, "summary.json")),
                   truth(v->modes[0] != '\0' || mrn_view_has(v, "modes.json")));
    mrn_buffer_raw(out, ",\"extent\":{\"lo\":");
    put_numbers(out, v->lo, 3);
    mrn_buffer_raw(out, ",\"hi\":");
    put_numbers(out, v->hi, 3);
    mrn_buffer_raw(out, "}");
    put_names(out, "groups", h->group_name, h->n_groups);
    put_names(out, "materials", h->material_name, h->n_materials);
    put_fields(out);
    put_palettes(out);
    put_shapes(out, h);
    put_times(v, 0, out);
    mrn_buffer_raw(out, "}");
    return finish(out, msg);
}

mrn_status mrn_view_status(mrn_viewer *v, int64_t from, mrn_buffer *out)
{
    int64_t n = mrn_view_frames(v);
    mrn_buffer_put(out, "{\"epoch\":%lld,\"running\":%s,\"probes\":%s", (long long)v->epoch,
                   truth(mrn_view_running(v)), truth(mrn_view_has(v, "probes.csv")));
    put_times(v, from < 0 || from > n ? n : from, out);
    mrn_buffer_raw(out, "}");
    return finish(out, NULL);
}

/* ---- one grain ---- */

static mrn_status put_grain_values(mrn_viewer *v, const mrn_frame *f, int32_t i, mrn_buffer *out,
                                   mrn_message *msg)
{
    const char *const *names;
    int n = mrn_paint_field_names(&names), listed = 0;
    mrn_status st = MRN_OK;
    mrn_buffer_raw(out, "{\"values\":{");
    for (int k = 0; st == MRN_OK && k < n; k++) {
        mrn_look look = mrn_view_look(v, names[k]);
        mrn_paint paint;
        if (mrn_paint_field_find(names[k])->kind != MRN_PAINT_NUMBER)
            continue;
        st = mrn_paint_make(&look, &v->header, f, &paint, msg);
        if (st != MRN_OK)
            break;
        mrn_buffer_put(out, "%s\"%s\":", listed++ > 0 ? "," : "", names[k]);
        mrn_view_number(out, paint.value[i]);
        mrn_paint_release(&paint);
    }
    mrn_buffer_raw(out, "}");
    return st;
}

static void put_contact(mrn_viewer *v, const mrn_frame *f, int64_t k, int32_t other,
                        mrn_buffer *out)
{
    const mrn_contacts *c = &f->contacts;
    mrn_vec3 force = mrn_load3(c->force + 3 * k), n = mrn_load3(c->normal + 3 * k);
    double normal = mrn_dot(force, n);
    mrn_buffer_put(out, "{\"id\":%d,\"wall\":", (int)f->id[other]);
    if (other < f->n_walls && other < v->header.n_walls)
        mrn_view_quote(out, v->header.wall_name[other]);
    else
        mrn_buffer_raw(out, "null");
    mrn_buffer_raw(out, ",\"normal\":");
    mrn_view_number(out, normal);
    mrn_buffer_raw(out, ",\"tangential\":");
    mrn_view_number(out, mrn_norm(mrn_axpy(-normal, n, force)));
    mrn_buffer_raw(out, ",\"gap\":");
    mrn_view_number(out, c->gap != NULL ? c->gap[k] : NAN);
    mrn_buffer_raw(out, "}");
}

mrn_status mrn_view_grain(mrn_viewer *v, int64_t k, int64_t id, mrn_buffer *out, mrn_message *msg)
{
    const mrn_frame *f;
    int32_t i = 0;
    int listed = 0;
    mrn_status st = mrn_view_frame(v, k, &f, msg);
    if (st != MRN_OK)
        return st;
    for (i = f->n_walls; i < f->n && f->id[i] != id; i++)
        ;
    if (i == f->n)
        return mrn_fail(msg, MRN_ERR_RANGE, "there is no grain %lld then", (long long)id);
    st = put_grain_values(v, f, i, out, msg);
    mrn_buffer_raw(out, ",\"contacts\":[");
    for (int64_t c = 0; st == MRN_OK && c < f->contacts.n; c++) {
        if (f->contacts.c[c] != i && f->contacts.a[c] != i)
            continue;
        mrn_buffer_raw(out, listed++ > 0 ? "," : "");
        put_contact(v, f, c, f->contacts.c[c] == i ? f->contacts.a[c] : f->contacts.c[c], out);
    }
    mrn_buffer_raw(out, "]}");
    return st == MRN_OK ? finish(out, msg) : st;
}
