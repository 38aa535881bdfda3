/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the shapes share: values, frames, the plain search through few features. */
#include <stdarg.h>
#include <stdio.h>

#include "geom/geom.h"

mrn_status mrn_fail_value(mrn_message *msg, const mrn_value *v, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mrn_fail(msg, MRN_ERR_INPUT, "%s", text);
    mrn_fail_at(msg, "", v->line, v->column);
    return MRN_ERR_INPUT;
}

static bool is_finite(mrn_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

mrn_status mrn_read_point(const mrn_value *v, const char *name, int dimension, mrn_vec3 *out,
                          mrn_message *msg)
{
    if (!is_finite(v->a))
        return mrn_fail_value(msg, v, "`%s` is not a finite point", name);
    *out = dimension == 2 ? mrn_v3(v->a.x, v->a.y, 0) : v->a;
    return MRN_OK;
}

mrn_status mrn_read_direction(const mrn_value *v, const char *name, int dimension, mrn_vec3 *out,
                              mrn_message *msg)
{
    mrn_vec3 d = {0};
    mrn_status s = mrn_read_point(v, name, dimension, &d, msg);
    if (s != MRN_OK)
        return s;
    /* scaled by the largest component first: neither overflow nor underflow in the length */
    double top = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
    if (top == 0)
        return mrn_fail_value(msg, v, "`%s` has length zero: it gives no direction", name);
    *out = mrn_unit(mrn_v3(d.x / top, d.y / top, d.z / top));
    return MRN_OK;
}

mrn_status mrn_read_length(const mrn_value *v, const char *name, bool zero_ok, double *out,
                           mrn_message *msg)
{
    if (!isfinite(v->number) || v->number < 0 || (v->number == 0 && !zero_ok))
        return mrn_fail_value(msg, v, "`%s` is %g m, it must be %s", name, v->number,
                              zero_ok ? "zero or more" : "above zero");
    *out = v->number;
    return MRN_OK;
}

mrn_quat mrn_quat_from_axes(mrn_vec3 ex, mrn_vec3 ez)
{
    mrn_vec3 ey = mrn_cross(ez, ex);
    /* Shepperd (1978): start from the largest component, so that nothing is divided by a small one
     */
    double t[4] = {ex.x + ey.y + ez.z, ex.x - ey.y - ez.z, ey.y - ex.x - ez.z, ez.z - ex.x - ey.y};
    int k = 0;
    for (int i = 1; i < 4; i++)
        k = t[i] > t[k] ? i : k;
    mrn_quat q;
    if (k == 0)
        q = (mrn_quat){1 + t[0], ey.z - ez.y, ez.x - ex.z, ex.y - ey.x};
    else if (k == 1)
        q = (mrn_quat){ey.z - ez.y, 1 + t[1], ex.y + ey.x, ez.x + ex.z};
    else if (k == 2)
        q = (mrn_quat){ez.x - ex.z, ex.y + ey.x, 1 + t[2], ey.z + ez.y};
    else
        q = (mrn_quat){ex.y - ey.x, ez.x + ex.z, ey.z + ez.y, 1 + t[3]};
    return mrn_quat_unit(q);
}

mrn_vec3 mrn_across(mrn_vec3 ez)
{
    /* within a thousandth of a degree of the x axis the projection of x would be noise */
    bool along_x = ez.y * ez.y + ez.z * ez.z < 3e-10;
    mrn_vec3 start = along_x ? mrn_v3(0, 1, 0) : mrn_v3(1, 0, 0);
    mrn_vec3 ex = mrn_unit(mrn_axpy(-mrn_dot(start, ez), ez, start));
    return mrn_unit(mrn_axpy(-mrn_dot(ex, ez), ez, ex)); /* once more: right angles to round-off */
}

mrn_status mrn_read_axis(const mrn_value *from, const mrn_value *to, mrn_vec3 *x, mrn_quat *q,
                         double *half_length, mrn_message *msg)
{
    mrn_vec3 a = {0}, b = {0};
    mrn_status st = mrn_read_point(from, "from", 3, &a, msg);
    if (st == MRN_OK)
        st = mrn_read_point(to, "to", 3, &b, msg);
    if (st != MRN_OK)
        return st;
    mrn_vec3 along = mrn_sub(b, a);
    double length = mrn_norm(along);
    if (!(length > 0) || isinf(length))
        return mrn_fail_value(msg, to, "`from` and `to` are %s",
                              length > 0 ? "too far apart" : "the same point: there is no axis");
    mrn_vec3 e = mrn_scale(1 / length, along);
    *x = mrn_axpy(0.5, along, a);
    *q = mrn_quat_from_axes(mrn_across(e), e);
    *half_length = 0.5 * length;
    return MRN_OK;
}

int mrn_features_scan(const mrn_shape *s, int n, mrn_vec3 c, double reach, int32_t *out, int max)
{
    int found = 0;
    for (int f = 0; f < n; f++) {
        mrn_vec3 point, normal;
        if (s->type->closest(s, f, c, &point, &normal) > reach)
            continue;
        if (found < max)
            out[found] = f;
        found++;
    }
    return found;
}
