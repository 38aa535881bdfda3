/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A frame as bytes for the page: little-endian arrays behind a head of JSON that names them. Grains
   stand in the order of their numbers, so that what rarely changes (numbers, radii, groups) has a
   key and is left out for a reader who has it: a frame of 20,000 grains is then 320 kB. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "view/view.h"

typedef struct encoding {
    const mrn_frame *f;
    const mrn_view_wish *wish;
    mrn_buffer head, arrays;
    int32_t *order; /* rows of the frame, by number */
    int32_t n;
    int listed;
} encoding;

void mrn_view_align(mrn_buffer *t)
{
    static const char zeros[8];
    mrn_buffer_bytes(t, zeros, (size_t)(-t->n & 7));
}

void mrn_view_pack(mrn_buffer *out, const mrn_buffer *head, const mrn_buffer *arrays)
{
    /* blanks behind the JSON put the first array at a multiple of 8 */
    uint32_t pad = (uint32_t)(-(head->n + 4) & 7), size = (uint32_t)head->n + pad;
    unsigned char length[4] = {size & 255, size >> 8 & 255, size >> 16 & 255, size >> 24};
    mrn_buffer_bytes(out, length, 4);
    mrn_buffer_bytes(out, head->s, (size_t)head->n);
    mrn_buffer_bytes(out, "        ", pad);
    mrn_buffer_bytes(out, arrays->s, (size_t)arrays->n);
    out->failed = out->failed || head->failed || arrays->failed;
}

/* ---- the order of the grains ---- */

typedef struct numbered {
    int32_t id, row;
} numbered;

static int by_id(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id)
                          : (x->row > y->row) - (x->row < y->row);
}

static int32_t number_of(const mrn_frame *f, int32_t row)
{
    return f->id != NULL ? f->id[row] : row;
}

/* Numbers are few more than grains, as a rule: each row goes to its number's place. False: two have
   one number, or there is no memory for it. */
static bool place_grains(encoding *e, int32_t most)
{
    int32_t *row = NULL, n = e->n;
    if (most < 0 || most > 4LL * n + 1024 ||
        mrn_array(&row, (int64_t)most + 1, sizeof *row, NULL) != MRN_OK)
        return false;
    bool unique = true;
    for (int32_t k = 0; unique && k < n; k++) {
        int32_t id = number_of(e->f, e->order[k]);
        unique = id >= 0 && row[id] == 0;
        if (unique)
            row[id] = e->order[k] + 1;
    }
    for (int32_t id = 0, k = 0; unique && id <= most; id++)
        if (row[id] > 0)
            e->order[k++] = row[id] - 1;
    mrn_free(row);
    return unique;
}

static mrn_status compare_grains(encoding *e, mrn_message *msg)
{
    numbered *list = NULL;
    mrn_status st = mrn_array(&list, e->n, sizeof *list, msg);
    if (st != MRN_OK)
        return st;
    for (int32_t k = 0; k < e->n; k++)
        list[k] = (numbered){number_of(e->f, e->order[k]), e->order[k]};
    qsort(list, (size_t)e->n, sizeof *list, by_id);
    for (int32_t k = 0; k < e->n; k++)
        e->order[k] = list[k].row;
    mrn_free(list);
    return MRN_OK;
}

static mrn_status sort_grains(encoding *e, mrn_message *msg)
{
    const mrn_frame *f = e->f;
    int32_t most = -1;
    bool sorted = true;
    mrn_status st = mrn_array(&e->order, f->n, sizeof *e->order, msg);
    for (int32_t i = f->n_walls; st == MRN_OK && i < f->n; i++) {
        if (!mrn_grain_visible(f, i))
            continue;
        int32_t id = number_of(f, i);
        sorted = sorted && id > most;
        most = id > most ? id : most;
        e->order[e->n++] = i;
    }
    if (st != MRN_OK || sorted || place_grains(e, most))
        return st;
    return compare_grains(e, msg);
}

/* ---- arrays ---- */

/* Opens the entry of an array; what is unusual about it follows before mrn_view_closed. */
static void begin_array(encoding *e, const char *name, const char *type, int width, int64_t n)
{
    mrn_buffer_put(&e->head, "%s[", e->listed++ > 0 ? "," : "");
    mrn_view_quote(&e->head, name);
    mrn_buffer_put(&e->head, ",\"%s\",%d,%lld", type, width, (long long)n);
    mrn_view_align(&e->arrays);
}

static void end_array(encoding *e)
{
    mrn_buffer_raw(&e->head, "]");
}

/* A column of the frame in the order of the numbers. */
static void put_column(encoding *e, const char *name, const char *type, const void *data, int width,
                       size_t size)
{
    if (data == NULL)
        return;
    begin_array(e, name, type, width, e->n);
    size_t bytes = size * (size_t)width;
    char *out = mrn_buffer_room(&e->arrays, (size_t)e->n * bytes);
    for (int32_t k = 0; out != NULL && k < e->n; k++)
        memcpy(out + (size_t)k * bytes, (const char *)data + (size_t)e->order[k] * bytes, bytes);
    end_array(e);
}

static void put_reals(encoding *e, const char *name, const double *data, int width)
{
    begin_array(e, name, "f4", width, e->n);
    float *out = mrn_buffer_room(&e->arrays, sizeof *out * (size_t)e->n * (size_t)width);
    for (int32_t k = 0; out != NULL && k < e->n; k++)
        for (int c = 0; c < width; c++)
            *out++ = (float)data[(int64_t)e->order[k] * width + c];
    end_array(e);
}

/* Bounds per component; false: something is not finite. */
static bool bounds(const encoding *e, const double *data, int width, double lo[3], double step[3])
{
    for (int c = 0; c < width; c++) {
        double hi = -INFINITY;
        lo[c] = INFINITY;
        for (int32_t k = 0; k < e->n; k++) {
            double v = data[(int64_t)e->order[k] * width + c];
            if (!isfinite(v))
                return false;
            lo[c] = fmin(lo[c], v);
            hi = fmax(hi, v);
        }
        if (e->n == 0)
            lo[c] = hi = 0;
        step[c] = hi > lo[c] ? (hi - lo[c]) / 65535 : 1;
    }
    return true;
}

static void put_list(mrn_buffer *t, const char *name, const double *v, int n)
{
    mrn_buffer_put(t, "\"%s\":[", name);
    for (int c = 0; c < n; c++) {
        mrn_buffer_raw(t, c > 0 ? "," : "");
        mrn_view_number(t, v[c]);
    }
    mrn_buffer_raw(t, "]");
}

/* As whole numbers of 16 bits between the bounds: a 65,000th of the size of the whole is enough to
   see. */
static void put_small(encoding *e, const char *name, const double *data, int width)
{
    double lo[3], step[3];
    if (!e->wish->small || width > 3 || !bounds(e, data, width, lo, step)) {
        put_reals(e, name, data, width);
        return;
    }
    begin_array(e, name, "u2", width, e->n);
    mrn_buffer_raw(&e->head, ",{");
    put_list(&e->head, "lo", lo, width);
    mrn_buffer_raw(&e->head, ",");
    put_list(&e->head, "step", step, width);
    mrn_buffer_raw(&e->head, "}");
    uint16_t *out = mrn_buffer_room(&e->arrays, sizeof *out * (size_t)e->n * (size_t)width);
    for (int32_t k = 0; out != NULL && k < e->n; k++)
        for (int c = 0; c < width; c++)
            *out++ = (uint16_t)lrint((data[(int64_t)e->order[k] * width + c] - lo[c]) / step[c]);
    end_array(e);
}

static void put_turns(encoding *e)
{
    begin_array(e, "q", "i2", 4, e->n);
    int16_t *out = mrn_buffer_room(&e->arrays, sizeof *out * 4 * (size_t)e->n);
    for (int32_t k = 0; out != NULL && k < e->n; k++)
        for (int c = 0; c < 4; c++) {
            double v = e->f->q[4 * (int64_t)e->order[k] + c];
            *out++ = (int16_t)lrint(32767 * (v > -1 ? v < 1 ? v : 1 : -1));
        }
    end_array(e);
}

/* What rarely changes, and its key. */
static uint64_t key_of(const encoding *e)
{
    const mrn_frame *f = e->f;
    uint64_t h = MRN_HASH_START;
    for (int32_t k = 0; k < e->n; k++) {
        int32_t i = e->order[k];
        struct {
            double radius;
            int32_t id, parent;
            uint16_t group, material, part, flags;
        } one;
        memset(&one, 0, sizeof one);
        one.radius = f->radius[i];
        one.id = f->id[i];
        one.parent = f->parent[i];
        one.group = f->group[i];
        one.material = f->material[i];
        one.part = f->part != NULL ? f->part[i] : 0;
        one.flags = f->flags[i];
        h = mrn_hash(h, &one, sizeof one);
    }
    return h;
}

static void put_fixed(encoding *e)
{
    const mrn_frame *f = e->f;
    put_column(e, "id", "i4", f->id, 1, 4);
    put_reals(e, "radius", f->radius, 1);
    put_column(e, "parent", "i4", f->parent, 1, 4);
    put_column(e, "group", "u2", f->group, 1, 2);
    put_column(e, "material", "u2", f->material, 1, 2);
    put_column(e, "flags", "u2", f->flags, 1, 2);
    put_column(e, "part", "u2", f->part, 1, 2);
}

/* ---- values, contacts ---- */

mrn_look mrn_view_look(mrn_viewer *v, const char *field)
{
    mrn_look look = mrn_look_default(v->header.dimension);
    look.colour_by = field;
    look.lo = look.hi = NAN;
    if (strcmp(field, "displacement") == 0)
        look.reference = mrn_view_first(v);
    return look;
}

static mrn_status put_values(mrn_viewer *v, encoding *e, const char *field, const char *name,
                             mrn_message *msg)
{
    const mrn_paint_field *kind = mrn_paint_field_find(field);
    if (kind == NULL)
        return mrn_fail(msg, MRN_ERR_RANGE, "there is no field of that name");
    if (kind->kind == MRN_PAINT_PLAIN)
        return MRN_OK;
    mrn_look look = mrn_view_look(v, field);
    mrn_paint paint;
    look.lo = 0, look.hi = 1; /* the range is asked for elsewhere: none is searched */
    mrn_status st = mrn_paint_make(&look, &v->header, e->f, &paint, msg);
    if (st != MRN_OK)
        return st;
    put_small(e, name, paint.value, 1);
    mrn_paint_release(&paint);
    return MRN_OK;
}

static mrn_status put_contacts(mrn_viewer *v, encoding *e, mrn_message *msg)
{
    mrn_look look = mrn_look_default(v->header.dimension);
    mrn_link_set links;
    look.force_chains = true;
    mrn_status st = mrn_links_make(&look, e->f, &links, msg);
    if (st != MRN_OK)
        return st;
    begin_array(e, "contact.line", "f4", 6, links.n);
    float *out = mrn_buffer_room(&e->arrays, sizeof *out * 6 * (size_t)links.n);
    for (int64_t i = 0; out != NULL && i < links.n; i++) {
        const mrn_link *l = &links.link[i];
        const double end[6] = {l->a.x, l->a.y, l->a.z, l->b.x, l->b.y, l->b.z};
        for (int c = 0; c < 6; c++)
            *out++ = (float)end[c];
    }
    end_array(e);
    begin_array(e, "contact.force", "f4", 1, links.n);
    out = mrn_buffer_room(&e->arrays, sizeof *out * (size_t)links.n);
    for (int64_t i = 0; out != NULL && i < links.n; i++)
        *out++ = (float)(links.link[i].strength * links.scale);
    end_array(e);
    mrn_links_release(&links);
    return MRN_OK;
}

/* ---- the head ---- */

static void put_walls(mrn_buffer *t, const mrn_frame *f)
{
    mrn_buffer_raw(t, ",\"walls\":[");
    for (int32_t i = 0; i < f->n_walls; i++) {
        mrn_buffer_raw(t, i > 0 ? ",{" : "{");
        put_list(t, "x", f->x + 3 * (int64_t)i, 3);
        mrn_buffer_raw(t, ",");
        put_list(t, "q", f->q + 4 * (int64_t)i, 4);
        mrn_buffer_put(t, ",\"absent\":%s}", f->flags[i] & MRN_BODY_ABSENT ? "true" : "false");
    }
    mrn_buffer_raw(t, "]");
}

static void put_cell(mrn_buffer *t, const mrn_frame *f)
{
    mrn_buffer_raw(t, ",\"cell\":");
    if (!f->periodic[0] && !f->periodic[1] && !f->periodic[2]) {
        mrn_buffer_raw(t, "null");
        return;
    }
    mrn_buffer_raw(t, "{");
    put_list(t, "origin", f->cell_origin, 3);
    mrn_buffer_raw(t, ",\"edges\":[");
    for (int k = 0; k < 3; k++) {
        mrn_vec3 edge = mrn_frame_edge(f, k);
        mrn_buffer_raw(t, k > 0 ? ",[" : "[");
        mrn_view_number(t, edge.x);
        mrn_buffer_raw(t, ",");
        mrn_view_number(t, edge.y);
        mrn_buffer_raw(t, ",");
        mrn_view_number(t, edge.z);
        mrn_buffer_raw(t, "]");
    }
    mrn_buffer_raw(t, "]}");
}

static mrn_status put_all(mrn_viewer *v, encoding *e, int64_t k, mrn_message *msg)
{
    const mrn_frame *f = e->f;
    char name[64];
    uint64_t key = key_of(e);
    mrn_status st = MRN_OK;
    mrn_buffer_put(&e->head, "{\"frame\":%lld,\"step\":%lld,\"n\":%d,\"key\":\"%016llx\",\"time\":",
                   (long long)k, (long long)f->step, (int)e->n, (unsigned long long)key);
    mrn_view_number(&e->head, f->time);
    put_walls(&e->head, f);
    put_cell(&e->head, f);
    mrn_buffer_raw(&e->head, ",\"arrays\":[");
    put_small(e, "x", f->x, 3);
    if (v->header.n_polytopes > 0)
        put_turns(e);
    if (e->wish->whole || e->wish->have != key)
        put_fixed(e);
    for (int i = 0; st == MRN_OK && i < e->wish->n_fields; i++) {
        snprintf(name, sizeof name, e->wish->n_fields > 1 || e->wish->small ? "value:%s" : "value",
                 e->wish->fields[i]);
        st = put_values(v, e, e->wish->fields[i], name, msg);
    }
    if (st == MRN_OK && e->wish->contacts && f->contacts.n > 0)
        st = put_contacts(v, e, msg);
    mrn_buffer_raw(&e->head, "]}");
    return st;
}

mrn_status mrn_view_encode(mrn_viewer *v, int64_t k, const mrn_view_wish *w, mrn_buffer *out,
                           mrn_message *msg)
{
    encoding e = {.wish = w};
    mrn_status st = mrn_view_frame(v, k, &e.f, msg);
    if (st == MRN_OK)
        st = sort_grains(&e, msg);
    if (st == MRN_OK)
        st = put_all(v, &e, k, msg);
    if (st == MRN_OK)
        mrn_view_pack(out, &e.head, &e.arrays);
    if (st == MRN_OK && out->failed)
        st = mrn_fail_memory(msg);
    mrn_free(e.head.s);
    mrn_free(e.arrays.s);
    mrn_free(e.order);
    return st;
}
