/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polygons of the 2D picture as paths: their area, and their outline without the sides along which
   parts of one grain meet. */
#include <cairo/cairo.h>

#include "draw/draw.h"

#define TOUCH 1e-9 /* of the unit size: a side this near to another part lies on it */

/* A corner in pixels, moved inwards across both its sides by `inset` pixels. */
static void corner_at(const mrn_convex *c, int k, const mrn_flat_place *p, double inset, double *x,
                      double *y)
{
    int side = c->n_faces;
    const int32_t *at = c->corner + 2 * k;
    /* side k begins at the corner, the side before it ends there */
    const double *q = c->point + 3 * at[0], *n = c->plane + 4 * k;
    const double *m = c->plane + 4 * ((k + side - 1) % side);
    double d = inset / p->scale / (1 + n[0] * m[0] + n[1] * m[1]);
    double u = q[0] - d * (n[0] + m[0]), v = q[1] - d * (n[1] + m[1]);
    *x = p->x + p->scale * (p->cos * u - p->sin * v);
    *y = p->y - p->scale * (p->sin * u + p->cos * v);
}

void mrn_flat_area(cairo_t *cr, const mrn_polytope *f, const mrn_flat_place *p, double inset)
{
    cairo_new_path(cr);
    for (int i = 0; i < f->n_parts; i++) {
        for (int k = 0; k < f->part[i].n_faces; k++) {
            double x, y;
            corner_at(&f->part[i], k, p, inset, &x, &y);
            (k == 0 ? cairo_move_to : cairo_line_to)(cr, x, y);
        }
        cairo_close_path(cr);
    }
}

/* Share of the segment a + t u, 0 <= t <= 1, that lies in (or on) a part; false: none. */
static bool inside(const mrn_convex *c, const double *a, const double *u, double *from, double *to)
{
    *from = 0, *to = 1;
    for (int k = 0; k < c->n_faces; k++) {
        const double *n = c->plane + 4 * k;
        double gap = n[3] + TOUCH - n[0] * a[0] - n[1] * a[1], rate = n[0] * u[0] + n[1] * u[1];
        if (fabs(rate) < TOUCH) {
            if (gap < 0)
                return false;
        } else if (rate > 0) {
            *to = fmin(*to, gap / rate);
        } else {
            *from = fmax(*from, gap / rate);
        }
    }
    return *to > *from + TOUCH;
}

static void stretch(cairo_t *cr, const mrn_flat_place *p, const double *a, const double *u,
                    double from, double to)
{
    const double t[2] = {from, to};
    for (int e = 0; e < 2; e++) {
        double x = a[0] + t[e] * u[0], y = a[1] + t[e] * u[1];
        (e == 0 ? cairo_move_to : cairo_line_to)(cr, p->x + p->scale * (p->cos * x - p->sin * y),
                                                 p->y - p->scale * (p->sin * x + p->cos * y));
    }
}

/* A side, without what other parts cover: on from one covered stretch to the next. */
static void bare_side(cairo_t *cr, const mrn_polytope *f, int part, const double *a,
                      const double *u, const mrn_flat_place *p)
{
    double at = 0;
    while (at < 1) {
        double next = 1, end = 1, from, to;
        for (int i = 0; i < f->n_parts; i++)
            if (i != part && inside(&f->part[i], a, u, &from, &to) && to > at + TOUCH &&
                fmax(from, at) < next) {
                next = fmax(from, at);
                end = to;
            }
        if (next > at + TOUCH)
            stretch(cr, p, a, u, at, next);
        at = end;
    }
}

void mrn_flat_outline(cairo_t *cr, const mrn_polytope *f, const mrn_flat_place *p)
{
    cairo_new_path(cr);
    for (int i = 0; i < f->n_parts; i++)
        for (int k = 0; k < f->part[i].n_faces; k++) {
            const mrn_convex *c = &f->part[i];
            const double *a = c->point + 3 * c->corner[2 * k];
            const double *b = c->point + 3 * c->corner[2 * k + 1];
            const double u[2] = {b[0] - a[0], b[1] - a[1]};
            bare_side(cr, f, i, a, u, p);
        }
}
