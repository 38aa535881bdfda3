/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of ellipses in the plane. An ellipse is known by its support, h(n) = max of n.p over it:
   with e, e' its axes, h² = a² (n.e)² + b² (n.e')²; the point there is (a² (n.e) e + b² (n.e')
   e')/h, its radius of curvature a² b²/h³.

   Two ellipses. s(n) = n.(x_C - x_A) - h_C(n) - h_A(n) is the width of the strip across n that lies
   between them; its largest value is the distance of their surfaces, or, where they overlap, less
   the shortest way that parts them: the gap, with its common normal n from A to C. Contact forces
   act along n, which does not go through the centres, and turn with the curvatures there. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "detect/kinematics.h"
#include "quasistatic/net_parts.h"

/* Support in the direction n, its derivatives by the angle of n. */
typedef struct support {
    double h, d1, d2;
} support;

static support support_of(const mrn_ellipse *e, double angle)
{
    double t = angle - e->angle, c = cos(t), s = sin(t), aa = e->a * e->a, bb = e->b * e->b;
    support p;
    p.h = sqrt(aa * c * c + bb * s * s);
    double slope = (bb - aa) * s * c; /* h h' */
    p.d1 = slope / p.h;
    p.d2 = ((bb - aa) * (c * c - s * s) - p.d1 * p.d1) / p.h;
    return p;
}

static mrn_vec3 point_of(const mrn_ellipse *e, double angle)
{
    double t = angle - e->angle, c = cos(t), s = sin(t), h = support_of(e, angle).h;
    double u = e->a * e->a * c / h, v = e->b * e->b * s / h;
    double ce = cos(e->angle), se = sin(e->angle);
    return mrn_v3(u * ce - v * se, u * se + v * ce, 0);
}

static double curvature_of(const mrn_ellipse *e, double angle)
{
    double h = support_of(e, angle).h;
    return h * h * h / (e->a * e->a * e->b * e->b);
}

/* s(n) of a distance d of the centres, and its derivatives. */
static support strip(const mrn_ellipse *c, const mrn_ellipse *a, mrn_vec3 d, double angle)
{
    support p = support_of(c, angle), q = support_of(a, angle);
    double nx = cos(angle), ny = sin(angle), along = nx * d.x + ny * d.y;
    return (support){along - p.h - q.h, -ny * d.x + nx * d.y - p.d1 - q.d1, -along - p.d2 - q.d2};
}

/* The angle of the largest s: from the best of 64, by Newton's steps, halved where they lead down.
 */
static double best_angle(const mrn_ellipse *c, const mrn_ellipse *a, mrn_vec3 d)
{
    enum { ANGLES = 64 };
    double best = 0, most = -INFINITY;
    for (int k = 0; k < ANGLES; k++) {
        double s = strip(c, a, d, 2 * MRN_PI * k / ANGLES).h;
        if (s > most) {
            most = s;
            best = 2 * MRN_PI * k / ANGLES;
        }
    }
    for (int k = 0; k < 60; k++) {
        support s = strip(c, a, d, best);
        double step = s.d2 < 0 ? -s.d1 / s.d2 : copysign(0.5 / ANGLES, s.d1);
        step = fmax(-2.0 / ANGLES, fmin(step, 2.0 / ANGLES));
        while (fabs(step) > 1e-17 && strip(c, a, d, best + step).h < s.h)
            step *= 0.5;
        best += step;
        if (fabs(step) < 1e-15)
            break;
    }
    return best;
}

mrn_ellipse_touch mrn_ellipse_touch_of(const mrn_ellipse *c, const mrn_ellipse *a)
{
    mrn_vec3 d = mrn_v3(c->x - a->x, c->y - a->y, 0);
    double angle = best_angle(c, a, d);
    mrn_ellipse_touch t = {.n = mrn_v3(cos(angle), sin(angle), 0),
                           .gap = strip(c, a, d, angle).h,
                           .curve_c = curvature_of(c, angle),
                           .curve_a = curvature_of(a, angle)};
    /* the point divides the gap as that of two circles with these curvatures does */
    double share = t.curve_a / (t.curve_c + t.curve_a);
    t.arm_c = mrn_scale(-1, mrn_axpy(share * t.gap, t.n, point_of(c, angle)));
    t.arm_a = mrn_axpy((1 - share) * t.gap, t.n, point_of(a, angle));
    return t;
}

/* ---- networks ---- */

static mrn_status check(int32_t n, const mrn_ellipse *e, const mrn_contacts *at, mrn_message *msg)
{
    for (int32_t i = 0; i < n; i++)
        if (!(e[i].a > 0) || !(e[i].b > 0) || !isfinite(e[i].a + e[i].b) ||
            !isfinite(e[i].x + e[i].y + e[i].angle))
            return mrn_fail(msg, MRN_ERR_RANGE,
                            "ellipse %d has half axes %g m and %g m at (%g %g) m, angle %g", (int)i,
                            e[i].a, e[i].b, e[i].x, e[i].y, e[i].angle);
    mrn_status st = MRN_OK;
    for (int64_t k = 0; st == MRN_OK && k < at->n; k++)
        st = mrn_net_check_contact(n, at, k, msg);
    return st;
}

/* Centres nearest to each other; A moves to its image. */
static mrn_ellipse image_of(const mrn_net *net, const mrn_ellipse *c, const mrn_ellipse *a)
{
    mrn_ellipse out = *a;
    if (net->periodic[0])
        out.x += net->cell[0] * rint((c->x - a->x) / net->cell[0]);
    if (net->periodic[1])
        out.y += net->cell[1] * rint((c->y - a->y) / net->cell[1]);
    return out;
}

static void place(mrn_net *net, const mrn_ellipse *e, int64_t k, mrn_vec3 n, double gap)
{
    mrn_net_element *x = &net->element[k];
    const mrn_ellipse *c = &e[x->c];
    mrn_vec3 arm_a = {0}, arm_c, branch;
    x->shape = MRN_NET_ROUND;
    if (x->a < 0) {
        n = mrn_unit(n);
        double angle = atan2(n.y, n.x);
        arm_c = mrn_scale(-1, mrn_axpy(gap, n, point_of(c, angle)));
        branch = mrn_scale(-1, arm_c);
        x->curve_c = curvature_of(c, angle);
    } else {
        mrn_ellipse a = image_of(net, c, &e[x->a]);
        mrn_ellipse_touch t = mrn_ellipse_touch_of(c, &a);
        n = t.n, gap = t.gap, arm_c = t.arm_c, arm_a = t.arm_a;
        branch = mrn_v3(c->x - a.x, c->y - a.y, 0);
        x->curve_c = t.curve_c, x->curve_a = t.curve_a;
    }
    net->contact.gap[k] = gap;
    mrn_net_put_geometry(net, k, n, arm_c, arm_a, branch);
    mrn_vec3 t = mrn_contact_tangent(2, n);
    mrn_net_frame(net, k, mrn_axpy(x->force[1], t, mrn_scale(x->force[0], n)), mrn_v3(0, 0, 0));
}

static void copy_grains(const mrn_ellipse *e, mrn_net *net)
{
    for (int32_t i = 0; i < net->n; i++) {
        double m = MRN_PI * e[i].a * e[i].b;
        mrn_net_put_grain(net, i, mrn_v3(e[i].x, e[i].y, 0), sqrt(e[i].a * e[i].b), m,
                          0.25 * m * (e[i].a * e[i].a + e[i].b * e[i].b), false);
    }
}

static mrn_status fill(const mrn_ellipse *e, const mrn_contacts *from,
                       const mrn_net_element *element, const double *load, bool frictionless,
                       mrn_net *net, mrn_message *msg)
{
    mrn_status st = mrn_net_make_room(net, msg);
    if (st != MRN_OK)
        return st;
    copy_grains(e, net);
    for (int64_t k = 0; k < net->n_contacts; k++) {
        mrn_net_put_contact(net, k, from, element);
        bool ground = net->element[k].a < 0;
        place(net, e, k, ground ? mrn_load3(from->normal + 3 * k) : mrn_v3(0, 0, 0),
              from->gap != NULL ? from->gap[k] : 0);
        mrn_net_finish_contact(net, k, frictionless);
    }
    mrn_net_cell_globals(net);
    mrn_net_number(net);
    mrn_net_scale_globals(net);
    if (net->periodic[0] && net->periodic[1])
        net->volume = net->cell[0] * net->cell[1];
    return mrn_net_set_loads(net, load, msg);
}

mrn_status mrn_net_make_ellipses(int32_t n, const mrn_ellipse *ellipse, const mrn_contacts *contact,
                                 const mrn_net_element *element, const double *cell,
                                 const double *load, bool frictionless, mrn_net *out,
                                 mrn_message *msg)
{
    memset(out, 0, sizeof *out);
    mrn_status st = check(n, ellipse, contact, msg);
    if (st != MRN_OK)
        return st;
    mrn_net_start(out, 2, n, contact->n, cell);
    st = fill(ellipse, contact, element, load, frictionless, out, msg);
    if (st != MRN_OK)
        mrn_net_release(out);
    return st;
}
