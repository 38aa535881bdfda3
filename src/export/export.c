/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of export formats, and what they share: which frames, in which order, numbers as text.
 */
#include <stdlib.h>
#include <string.h>

#include "export/export.h"

static const mrn_export_format *const format[] = {
#define MRN_EXPORT(name) &mrn_export_##name,
#include "export/formats.def"
};
#define N_FORMATS ((int)(sizeof format / sizeof *format))

int mrn_export_format_count(void)
{
    return N_FORMATS;
}

const mrn_export_format *mrn_export_format_at(int i)
{
    return i >= 0 && i < N_FORMATS ? format[i] : NULL;
}

const mrn_export_format *mrn_export_format_find(const char *name)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (strcmp(format[i]->name, name) == 0)
            return format[i];
    return NULL;
}

mrn_status mrn_export_range(mrn_trajectory *t, int64_t *first, int64_t *last, int64_t stride,
                            mrn_message *msg)
{
    int64_t n = mrn_trajectory_frames(t);
    if (n == 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "the trajectory has no frames yet");
    int64_t begin = *first < 0 ? n + *first : *first, end = *last < 0 ? n + *last : *last;
    if (begin < 0 || end < begin || end >= n || stride < 1) {
        mrn_fail(msg, MRN_ERR_RANGE, "frames %lld to %lld in steps of %lld", (long long)*first,
                 (long long)*last, (long long)stride);
        mrn_fail_expected(msg,
                          "the first not after the last, both between 0 and %lld (or counted from "
                          "the end: -1 is the last one), and a step of 1 or more",
                          (long long)n - 1);
        return MRN_ERR_RANGE;
    }
    *first = begin;
    *last = end;
    return MRN_OK;
}

static int by_id(const void *a, const void *b, void *id)
{
    int32_t x = ((const int32_t *)id)[*(const int32_t *)a];
    int32_t y = ((const int32_t *)id)[*(const int32_t *)b];
    return (x > y) - (x < y);
}

mrn_status mrn_export_order(const mrn_frame *f, int32_t **order, mrn_message *msg)
{
    int32_t n = f->n - f->n_walls;
    if (mrn_array(order, n, sizeof **order, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int32_t i = 0; i < n; i++)
        (*order)[i] = f->n_walls + i;
    qsort_r(*order, (size_t)n, sizeof **order, by_id, f->id);
    return MRN_OK;
}

void mrn_export_bounds(const mrn_header *c, const mrn_frame *f, double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = f->n > f->n_walls ? INFINITY : -0.5;
        hi[k] = f->n > f->n_walls ? -INFINITY : 0.5;
        for (int32_t i = f->n_walls; i < f->n; i++) {
            double x = f->x[3 * (size_t)i + (size_t)k], r = mrn_frame_bound(c, f, i);
            lo[k] = x - r < lo[k] ? x - r : lo[k];
            hi[k] = x + r > hi[k] ? x + r : hi[k];
        }
    }
}

char *mrn_number_text(double v, char *buf)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, 32, "%.*g", digits, v);
        if (strtod(buf, NULL) == v)
            break;
    }
    return buf;
}

/* ---- frames as text ---- */

static mrn_status put_frame(const mrn_export_text *how, FILE *out, const mrn_header *header,
                            mrn_trajectory *t, int64_t k, mrn_message *msg)
{
    mrn_frame f = {0};
    int32_t *order = NULL;
    mrn_status st = mrn_trajectory_read(t, k, &f, msg);
    if (st == MRN_OK)
        st = mrn_export_order(&f, &order, msg);
    if (st == MRN_OK)
        how->put(out, header, &f, order);
    mrn_free(order);
    mrn_frame_destroy(&f);
    return st;
}

mrn_status mrn_export_write_text(const mrn_export_text *how, mrn_trajectory *t, int64_t first,
                                 int64_t last, int64_t stride, const char *path, mrn_message *msg)
{
    mrn_header header = {0};
    mrn_atomic_file file = {0};
    mrn_status st = mrn_export_range(t, &first, &last, stride, msg);
    if (st == MRN_OK)
        st = mrn_trajectory_header(t, &header, msg);
    if (st == MRN_OK)
        st = mrn_atomic_open(path, &file, msg);
    if (st == MRN_OK && how->begin != NULL)
        how->begin(file.f, &header);
    for (int64_t k = first; st == MRN_OK && k <= last; k += stride)
        st = put_frame(how, file.f, &header, t, k, msg);
    if (st == MRN_OK)
        st = mrn_atomic_commit(&file, msg);
    mrn_atomic_abandon(&file);
    mrn_header_destroy(&header);
    return st;
}
