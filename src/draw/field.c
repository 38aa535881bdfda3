/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers that colour grains: one table of fields, the automatic range, and the way from a body
   to its colour. */
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static double norm3(const double *a, int32_t i)
{
    return a ? mrn_norm(mrn_load3(a + 3 * (int64_t)i)) : NAN;
}
static double part(const double *a, int32_t i, int k)
{
    return a ? a[3 * (int64_t)i + k] : NAN;
}

static double speed(const mrn_field_source *s, int32_t i)
{
    return norm3(s->frame->v, i);
}
static double spin(const mrn_field_source *s, int32_t i)
{
    return norm3(s->frame->w, i);
}
static double force(const mrn_field_source *s, int32_t i)
{
    return norm3(s->frame->f, i);
}
static double torque(const mrn_field_source *s, int32_t i)
{
    return norm3(s->frame->t, i);
}
static double px(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->x, i, 0);
}
static double py(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->x, i, 1);
}
static double pz(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->x, i, 2);
}
static double vx(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->v, i, 0);
}
static double vy(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->v, i, 1);
}
static double vz(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->v, i, 2);
}
static double wx(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->w, i, 0);
}
static double wy(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->w, i, 1);
}
static double wz(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->w, i, 2);
}
static double height(const mrn_field_source *s, int32_t i)
{
    return part(s->frame->x, i, s->header->dimension == 2 ? 1 : 2);
}
static double radius(const mrn_field_source *s, int32_t i)
{
    return s->frame->radius[i];
}
static double diameter(const mrn_field_source *s, int32_t i)
{
    return 2 * s->frame->radius[i];
}
static double mass(const mrn_field_source *s, int32_t i)
{
    return s->frame->mass ? s->frame->mass[i] : NAN;
}
static double kinetic(const mrn_field_source *s, int32_t i)
{
    double v = speed(s, i);
    return 0.5 * mass(s, i) * v * v;
}
static double group(const mrn_field_source *s, int32_t i)
{
    return s->frame->group ? s->frame->group[i] : 0;
}
static double material(const mrn_field_source *s, int32_t i)
{
    return s->frame->material ? s->frame->material[i] : 0;
}
static double id(const mrn_field_source *s, int32_t i)
{
    return s->frame->id ? s->frame->id[i] : i;
}
static double load(const mrn_field_source *s, int32_t i)
{
    return s->load ? s->load[i] : 0;
}
static double coordination(const mrn_field_source *s, int32_t i)
{
    return s->degree ? s->degree[i] : 0;
}

/* Position with the cells it has crossed, so that a wrap is no jump. */
static mrn_vec3 unwrapped(const mrn_frame *f, int32_t i)
{
    mrn_vec3 x = mrn_load3(f->x + 3 * (int64_t)i);
    const int32_t *n = f->image ? f->image + 3 * (int64_t)i : NULL;
    return n ? mrn_add(x, mrn_frame_shift(f, n[0], n[1], n[2])) : x;
}

static double displacement(const mrn_field_source *s, int32_t i)
{
    if (!s->reference_of)
        return 0;
    int32_t j = s->reference_of[i];
    return j < 0 ? NAN : mrn_norm(mrn_sub(unwrapped(s->frame, i), unwrapped(s->reference, j)));
}
static double plain(const mrn_field_source *s, int32_t i)
{
    (void)s, (void)i;
    return 0;
}

#define NUMBER MRN_PAINT_NUMBER
static const mrn_paint_field fields[] = {
    {"speed", "Speed", "m/s", NUMBER, true, speed},
    {"vx", "Velocity x", "m/s", NUMBER, false, vx},
    {"vy", "Velocity y", "m/s", NUMBER, false, vy},
    {"vz", "Velocity z", "m/s", NUMBER, false, vz},
    {"spin", "Spin", "rad/s", NUMBER, true, spin},
    {"wx", "Spin x", "rad/s", NUMBER, false, wx},
    {"wy", "Spin y", "rad/s", NUMBER, false, wy},
    {"wz", "Spin z", "rad/s", NUMBER, false, wz},
    {"x", "x", "m", NUMBER, false, px},
    {"y", "y", "m", NUMBER, false, py},
    {"z", "z", "m", NUMBER, false, pz},
    {"height", "Height", "m", NUMBER, false, height},
    {"displacement", "Displacement", "m", NUMBER, true, displacement},
    {"radius", "Radius", "m", NUMBER, false, radius},
    {"diameter", "Diameter", "m", NUMBER, false, diameter},
    {"mass", "Mass", "kg", NUMBER, false, mass},
    {"kinetic-energy", "Kinetic energy", "J", NUMBER, true, kinetic},
    {"force", "Net force", "N", NUMBER, true, force},
    {"torque", "Net torque", "N m", NUMBER, true, torque},
    {"load", "Contact load", "N", NUMBER, true, load},
    {"coordination", "Contacts", "", NUMBER, true, coordination},
    {"id", "Number", "", NUMBER, false, id},
    {"group", "Group", "", MRN_PAINT_CLASS, false, group},
    {"material", "Material", "", MRN_PAINT_CLASS, false, material},
    {"none", "", "", MRN_PAINT_PLAIN, false, plain},
};
static const char *const names[] = {"speed",
                                    "vx",
                                    "vy",
                                    "vz",
                                    "spin",
                                    "wx",
                                    "wy",
                                    "wz",
                                    "x",
                                    "y",
                                    "z",
                                    "height",
                                    "displacement",
                                    "radius",
                                    "diameter",
                                    "mass",
                                    "kinetic-energy",
                                    "force",
                                    "torque",
                                    "load",
                                    "coordination",
                                    "id",
                                    "group",
                                    "material",
                                    "none"};
_Static_assert(COUNT(names) == COUNT(fields), "every field has its name in the list");

int mrn_paint_field_names(const char *const **out)
{
    *out = names;
    return COUNT(names);
}

const mrn_paint_field *mrn_paint_field_find(const char *name)
{
    for (int i = 0; name && i < COUNT(fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

const mrn_paint_field *mrn_paint_field_of(const mrn_look *look)
{
    const mrn_paint_field *f = mrn_paint_field_find(look->colour_by);
    return f != NULL ? f : &fields[0];
}

/* Squares and quotients of what is drawn are numbers; a frame from elsewhere may hold anything. */
#define FARTHEST 1e100
static bool can_be_shown(double x)
{
    return fabs(x) < FARTHEST; /* NAN: no */
}

bool mrn_grain_visible(const mrn_frame *f, int32_t i)
{
    const double *x = f->x + 3 * (int64_t)i;
    double r = f->radius[i];
    bool present = !f->flags || !(f->flags[i] & MRN_BODY_ABSENT);
    return present && can_be_shown(x[0]) && can_be_shown(x[1]) && can_be_shown(x[2]) &&
           r > 1 / FARTHEST && can_be_shown(r);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sorted_quantile(const double *a, int64_t n, double p)
{
    if (n == 0)
        return NAN;
    double s = p * (double)(n - 1);
    int64_t k = (int64_t)s;
    return k + 1 < n ? a[k] + (s - (double)k) * (a[k + 1] - a[k]) : a[n - 1];
}

double mrn_quantile(double *a, int64_t n, double p)
{
    qsort(a, (size_t)n, sizeof *a, ascending);
    return sorted_quantile(a, n, p);
}

void mrn_paint_range(const mrn_look *look, const mrn_paint_field *field, double *value, int64_t n,
                     double *lo, double *hi)
{
    /* with few grains the extremes are what one wants to see */
    double cut = look->robust && n >= 50 ? 0.02 : 0;
    double a = mrn_quantile(value, n, cut), b = sorted_quantile(value, n, 1 - cut);
    if (n == 0)
        a = 0, b = 1;
    if (field->from_zero && a >= 0 && a < 0.25 * b)
        a = 0;
    if (!(b - a > 1e-9 * fabs(b))) { /* all the same: its colour is that of the middle */
        double pad = b != 0 ? 0.1 * fabs(b) : 1;
        if (field->from_zero && b >= 0)
            a = 0, b = b > 0 ? b : 1;
        else
            a -= pad, b += pad;
    }
    *lo = isfinite(look->lo) ? look->lo : a;
    *hi = isfinite(look->hi) ? look->hi : b;
    if (!(*hi > *lo)) { /* a given end beyond the data: a range all the same */
        double pad = *lo != 0 ? fabs(*lo) : 1;
        if (isfinite(look->hi))
            *lo = *hi - pad;
        else
            *hi = *lo + pad;
    }
}

/* Where each body of the frame stands in the reference, by id. */
static mrn_status match_reference(const mrn_frame *f, const mrn_frame *ref, int32_t **out,
                                  mrn_message *msg)
{
    int32_t top = -1, *place = NULL;
    for (int32_t j = 0; j < ref->n; j++)
        if (ref->id[j] > top)
            top = ref->id[j];
    mrn_status s = mrn_array(out, f->n, sizeof **out, msg);
    if (!s)
        s = mrn_array(&place, (int64_t)top + 1, sizeof *place, msg);
    if (s) {
        mrn_free(*out);
        *out = NULL;
        return s;
    }
    for (int32_t j = ref->n_walls; j < ref->n; j++)
        if (ref->id[j] >= 0)
            place[ref->id[j]] = j + 1; /* 0: not there */
    for (int32_t i = 0; i < f->n; i++)
        (*out)[i] = f->id[i] >= 0 && f->id[i] <= top ? place[f->id[i]] - 1 : -1;
    mrn_free(place);
    return MRN_OK;
}

/* In touch: they overlap or press on each other (rigid grains do so without overlap). */
static bool in_touch(const mrn_contacts *c, int64_t k, double *fn)
{
    double f = c->force && c->normal
                   ? mrn_dot(mrn_load3(c->force + 3 * k), mrn_load3(c->normal + 3 * k))
                   : 0;
    *fn = fabs(f);
    return !(c->gap && c->gap[k] > 0 && !(f > 0));
}

/* The points of a pair of grains with corners follow each other only by chance: a pair counts where
   its key comes first among the sorted ones. */
static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool has_corners(const mrn_frame *f, int32_t i)
{
    return f->flags && f->flags[i] & MRN_BODY_POLYTOPE;
}

static void count_pairs(uint64_t *key, int64_t n, int32_t *degree)
{
    qsort(key, (size_t)n, sizeof *key, by_key);
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || key[k] != key[k - 1]) {
            degree[key[k] >> 32]++;
            degree[key[k] & UINT32_MAX]++;
        }
}

static mrn_status sum_contacts(const mrn_frame *f, double **load_out, int32_t **degree_out,
                               mrn_message *msg)
{
    const mrn_contacts *c = &f->contacts;
    uint64_t *key = NULL;
    int64_t n = 0;
    mrn_status s = mrn_array(load_out, f->n, sizeof **load_out, msg);
    if (!s)
        s = mrn_array(degree_out, f->n, sizeof **degree_out, msg);
    if (!s)
        s = mrn_array(&key, c->n, sizeof *key, msg);
    for (int64_t k = 0; !s && k < c->n; k++) {
        double fn;
        int32_t end[2] = {c->c[k], c->a[k]};
        bool there[2] = {end[0] >= 0 && end[0] < f->n, end[1] >= 0 && end[1] < f->n};
        if (!in_touch(c, k, &fn))
            continue;
        bool pair = there[0] && there[1] && (has_corners(f, end[0]) || has_corners(f, end[1]));
        if (pair)
            key[n++] = end[0] < end[1] ? (uint64_t)end[0] << 32 | (uint32_t)end[1]
                                       : (uint64_t)end[1] << 32 | (uint32_t)end[0];
        for (int e = 0; e < 2; e++)
            if (there[e]) {
                (*load_out)[end[e]] += fn;
                (*degree_out)[end[e]] += !pair;
            }
    }
    if (key != NULL) /* all three arrays are there */
        count_pairs(key, n, *degree_out);
    mrn_free(key);
    return s;
}

/* Values of all grains, and a packed copy of the finite ones for the range. */
static void evaluate(const mrn_field_source *src, const mrn_paint_field *field, double *value,
                     double *packed, int64_t *n_packed)
{
    *n_packed = 0;
    for (int32_t i = 0; i < src->frame->n; i++) {
        bool grain = i >= src->frame->n_walls && mrn_grain_visible(src->frame, i);
        value[i] = grain ? field->value(src, i) : NAN;
        if (isfinite(value[i]))
            packed[(*n_packed)++] = value[i];
    }
}

static int classes(const mrn_header *header, const mrn_paint_field *field)
{
    return strcmp(field->name, "material") == 0 ? header->n_materials : header->n_groups;
}

mrn_status mrn_paint_make(const mrn_look *look, const mrn_header *header, const mrn_frame *frame,
                          mrn_paint *out, mrn_message *msg)
{
    *out = (mrn_paint){.field = mrn_paint_field_of(look),
                       .palette = mrn_palette_find(look->palette),
                       .plain = mrn_theme_of(look).plain};
    out->n_classes = classes(header, out->field);
    int32_t *reference_of = NULL, *degree = NULL;
    double *sum = NULL, *packed = NULL;
    int64_t n_packed = 0;
    mrn_status s = mrn_array(&out->value, frame->n, sizeof *out->value, msg);
    if (!s)
        s = mrn_array(&packed, frame->n, sizeof *packed, msg);
    if (!s && out->field->value == displacement && look->reference && look->reference->id &&
        frame->id)
        s = match_reference(frame, look->reference, &reference_of, msg);
    if (!s && (out->field->value == load || out->field->value == coordination))
        s = sum_contacts(frame, &sum, &degree, msg);
    if (!s) {
        mrn_field_source src = {header, frame, look->reference, reference_of, sum, degree};
        evaluate(&src, out->field, out->value, packed, &n_packed);
        mrn_paint_range(look, out->field, packed, n_packed, &out->lo, &out->hi);
    } else {
        mrn_paint_release(out);
    }
    mrn_free(reference_of);
    mrn_free(degree);
    mrn_free(sum);
    mrn_free(packed);
    return s;
}

void mrn_paint_release(mrn_paint *p)
{
    mrn_free(p->value);
    *p = (mrn_paint){0};
}

mrn_rgb mrn_paint_colour(const mrn_paint *p, int32_t body)
{
    double v = p->value[body];
    if (p->field->kind == MRN_PAINT_CLASS)
        return mrn_palette_class((int)v);
    if (p->field->kind == MRN_PAINT_PLAIN || !isfinite(v))
        return p->plain;
    return mrn_palette_colour(p->palette, (v - p->lo) / (p->hi - p->lo));
}
