/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls: faces without rims, how they move, and when a body in free flight meets them. */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "event/event.h"
#include "event/root.h"
#include "model/owner.h"

/* ---- motion ---- */

mrn_vec3 mrn_event_wall_place(const mrn_event_way *w, double t)
{
    mrn_vec3 x = mrn_axpy(t - w->t, w->velocity, w->x);
    return w->shakes ? mrn_axpy(sin(w->omega * t + w->phase) - w->sine, w->amplitude, x) : x;
}

mrn_vec3 mrn_event_wall_velocity(const mrn_event_way *w, mrn_vec3 p, double t)
{
    mrn_vec3 v = w->velocity;
    if (w->shakes)
        v = mrn_axpy(w->omega * cos(w->omega * t + w->phase), w->amplitude, v);
    return mrn_add(v, mrn_cross(w->spin, mrn_sub(p, w->about)));
}

static mrn_vec3 moved(const mrn_event *e, const mrn_event_surface *f, double t)
{
    const mrn_event_way *w = &e->way[f->wall];
    return mrn_add(f->shape.at, mrn_sub(mrn_event_wall_place(w, t), w->x));
}

/* ---- which walls ---- */

static mrn_status refuse(const mrn_scene *scene, int w, const char *key, const char *what,
                         const char *expected, mrn_message *msg)
{
    mrn_owner o = mrn_owner_of(scene, msg, "wall", scene->wall[w].name, "walls.%d", w);
    mrn_owner_say(&o, key, "wall '%s': %s", scene->wall[w].name, what);
    return mrn_fail_expected(msg, "%s", expected);
}

static bool is_zero(mrn_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

static bool are_parallel(mrn_vec3 a, mrn_vec3 b)
{
    return mrn_norm(mrn_cross(a, b)) <= 1e-9 * mrn_norm(a) * mrn_norm(b);
}

/* A motion after which a face lies where it lay, but for its way along the normal. */
static const char *face_cannot(const mrn_rimless *r, mrn_vec3 wall, const mrn_motion *m)
{
    bool plane = r->kind == MRN_RIMLESS_PLANE, tube = r->kind == MRN_RIMLESS_CYLINDER;
    bool shakes = m->kind == MRN_MOTION_SHAKE && !is_zero(m->amplitude);
    if (shakes && !plane && !(tube && are_parallel(m->amplitude, r->direction)))
        return "a round wall shakes along its axis alone";
    if (is_zero(m->spin))
        return NULL;
    mrn_vec3 arm = m->has_about ? mrn_sub(m->about, r->at) : mrn_sub(wall, r->at);
    if (m->has_about && (!is_zero(m->velocity) || shakes))
        return "a wall that turns about a fixed point does not travel";
    if (r->kind == MRN_RIMLESS_BALL && mrn_norm(arm) > 1e-9 * r->radius)
        return "a ball turns about its centre alone";
    if (r->kind != MRN_RIMLESS_BALL && !are_parallel(m->spin, r->direction))
        return plane ? "a plane turns about its normal alone"
                     : "a cylinder turns about its axis "
                       "alone";
    if (tube && mrn_norm(mrn_cross(arm, r->direction)) > 1e-9 * r->radius)
        return "a cylinder turns about its axis alone";
    return NULL;
}

static mrn_status check_motion(const mrn_scene *scene, int w, const mrn_rimless *r, mrn_vec3 x,
                               mrn_message *msg)
{
    const mrn_motion *m = &scene->wall[w].motion;
    if (m->kind == MRN_MOTION_PATH)
        return refuse(scene, w, "motion", "method event has no walls along a given path",
                      "a steady velocity, a spin, or a shake", msg);
    const char *cannot = face_cannot(r, x, m);
    return cannot == NULL
               ? MRN_OK
               : refuse(scene, w, "motion", cannot,
                        "a motion that turns no face out of itself, under method event", msg);
}

static mrn_rimless placed(const mrn_rimless *r, mrn_vec3 x, mrn_quat q)
{
    mrn_rimless p = *r;
    p.at = mrn_add(x, mrn_rotate(q, r->at));
    p.direction = mrn_rotate(q, r->direction);
    return p;
}

/* The faces of a wall that stands at x, turned by q. */
static mrn_status faces_of(const mrn_scene *scene, int w, mrn_vec3 x, mrn_quat q, mrn_rimless *face,
                           int *n, mrn_message *msg)
{
    const mrn_shape *s = &scene->shape[scene->wall[w].shape];
    int32_t number[MRN_EVENT_SURFACES];
    int all = s->type->features(s, mrn_v3(0, 0, 0), INFINITY, number, MRN_EVENT_SURFACES);
    *n = 0;
    for (int k = 0; k < all; k++) {
        mrn_rimless r;
        if (k >= MRN_EVENT_SURFACES || s->type->rimless == NULL ||
            !s->type->rimless(s, number[k], &r))
            return refuse(scene, w, "shape", "method event meets no edges",
                          "an infinite plane, a closed box around the grains, a closed or infinite "
                          "cylinder around them, an infinite rod or a ball",
                          msg);
        face[(*n)++] = placed(&r, x, q);
        mrn_status st = check_motion(scene, w, &face[*n - 1], x, msg);
        if (st != MRN_OK)
            return st;
    }
    return MRN_OK;
}

mrn_status mrn_event_check_walls(const mrn_scene *scene, mrn_message *msg)
{
    mrn_rimless face[MRN_EVENT_SURFACES];
    for (int w = 0; w < scene->n_walls; w++) {
        int n;
        mrn_status st = faces_of(scene, w, scene->wall[w].x, scene->wall[w].q, face, &n, msg);
        if (st != MRN_OK)
            return st;
    }
    return MRN_OK;
}

static void add_surface(mrn_event *e, int32_t w, const mrn_rimless *r)
{
    const mrn_event_way *way = &e->way[w];
    double swing = fabs(mrn_dot(way->amplitude, r->direction));
    mrn_event_surface *f = &e->surface[e->n_surfaces++];
    *f = (mrn_event_surface){.shape = *r,
                             .wall = w,
                             .material = e->scene->wall[w].material,
                             .shakes = way->shakes && r->kind == MRN_RIMLESS_PLANE &&
                                       swing > 1e-15 * mrn_norm(way->amplitude),
                             .drifts = way->velocity};
    f->bound = way->omega * way->omega * swing - mrn_dot(e->g, r->direction);
}

mrn_status mrn_event_surfaces(mrn_event *e, mrn_message *msg)
{
    const mrn_scene *scene = e->scene;
    e->n_surfaces = 0;
    for (int32_t w = 0; w < e->state->body.n_walls; w++) {
        mrn_rimless face[MRN_EVENT_SURFACES];
        int n;
        if (e->state->body.flags[w] & MRN_BODY_ABSENT)
            continue;
        mrn_status st = faces_of(scene, w, e->way[w].x, e->way[w].q, face, &n, msg);
        if (st == MRN_OK && e->n_surfaces + n > MRN_EVENT_SURFACES)
            st = refuse(scene, w, NULL, "the walls of the scene have too many faces",
                        "at most 64 faces in all, under method event", msg);
        if (st != MRN_OK)
            return st;
        for (int k = 0; k < n; k++)
            add_surface(e, w, &face[k]);
    }
    return MRN_OK;
}

/* ---- gaps ---- */

/* From the axis, or the centre. */
static mrn_vec3 arm_from(const mrn_rimless *r, mrn_vec3 d)
{
    return r->kind == MRN_RIMLESS_CYLINDER ? mrn_axpy(-mrn_dot(d, r->direction), r->direction, d)
                                           : d;
}

double mrn_event_gap(const mrn_event *e, int k, mrn_vec3 x, double r, double t, mrn_vec3 *normal)
{
    const mrn_event_surface *f = &e->surface[k];
    mrn_vec3 d = mrn_sub(x, moved(e, f, t));
    *normal = f->shape.direction;
    if (f->shape.kind == MRN_RIMLESS_PLANE)
        return mrn_dot(d, f->shape.direction) - r;
    mrn_vec3 arm = arm_from(&f->shape, d);
    double l = mrn_norm(arm), side = f->shape.hollow ? -1 : 1;
    *normal = l > 0 ? mrn_scale(side / l, arm) : mrn_v3(1, 0, 0);
    return side * (l - f->shape.radius) - r;
}

double mrn_event_sunk(const mrn_event *e, int k, mrn_vec3 v)
{
    const mrn_rimless *s = &e->surface[k].shape;
    double t = e->collapse_time;
    return s->kind == MRN_RIMLESS_PLANE ? e->sinks
                                        : e->sinks + 2 * mrn_dot(v, v) * t * t / s->radius;
}

/* ---- meeting a plane ---- */

/* Gap g, rate u, constant acceleration a: the time at which it closes. A grain that rests may have
   sunk in a little (see rest_of) and be pushed further: then it is now. */
static double plane_meets(double g, double u, double a)
{
    double root = u * u - 2 * a * g;
    if (u < 0 && g <= 0)
        return 0;
    if (a < 0 && u >= 0)
        return root > 0 ? (u + sqrt(root)) / -a : 0;
    if (u >= 0 || root < 0)
        return INFINITY;
    return 2 * g / (sqrt(root) - u);
}

typedef struct shaken {
    const mrn_event_way *way;
    double g, u, a, swing; /* gap, rate, acceleration and amplitude along the normal */
    double t, angle;       /* of the beginning                                       */
} shaken;

static double shaken_gap(const void *user, double s, double *rate)
{
    const shaken *p = user;
    double turn = p->angle + p->way->omega * s;
    *rate = p->u + p->a * s - p->swing * p->way->omega * cos(turn);
    return p->g + s * (p->u + 0.5 * p->a * s) - p->swing * (sin(turn) - sin(p->angle));
}

/* ---- meeting a round wall ---- */

typedef struct circled {
    mrn_vec3 d, w, g;
    double reach; /* R - r of a hollow wall, R + r of a solid one */
    bool hollow;
} circled;

/* Of hollow walls (reach^2 - d^2) / (2 reach), which is near the gap where it closes. */
static double circled_gap(const void *user, double s, double *rate)
{
    const circled *c = user;
    mrn_vec3 d = mrn_axpy(s, c->w, mrn_axpy(0.5 * s * s, c->g, c->d));
    mrn_vec3 w = mrn_axpy(s, c->g, c->w);
    double dw = mrn_dot(d, w), l;
    if (c->hollow) {
        *rate = -dw / c->reach;
        return (c->reach * c->reach - mrn_dot(d, d)) / (2 * c->reach);
    }
    l = mrn_norm(d);
    *rate = l > 0 ? dw / l : 0;
    return l - c->reach;
}

static double circle_meets(const circled *c)
{
    double dw = mrn_dot(c->d, c->w), ww = mrn_dot(c->w, c->w);
    double rest = mrn_dot(c->d, c->d) - c->reach * c->reach, root = dw * dw - ww * rest;
    if (!(ww > 0) || root < 0 || (!c->hollow && dw >= 0))
        return INFINITY;
    if (!c->hollow)
        return rest > 0 ? rest / (sqrt(root) - dw) : 0;
    if (dw <= 0)
        return (sqrt(root) - dw) / ww;
    return rest < 0 ? -rest / (sqrt(root) + dw) : 0;
}

/* Inside, speed is bounded by the energy there is: it cannot fall farther than the diameter. */
static double circle_bound(const circled *c)
{
    double g = mrn_norm(c->g);
    return c->hollow ? (mrn_dot(c->w, c->w) + 4 * g * c->reach) / c->reach + g : g;
}

/* ---- all ---- */

static void begin_plane(const mrn_event *e, int32_t i, const mrn_event_surface *f, shaken *p)
{
    const mrn_flight *b = &e->grain[i].flight;
    mrn_vec3 n = f->shape.direction, normal;
    *p = (shaken){.way = &e->way[f->wall], .t = b->t};
    p->g = mrn_event_gap(e, (int)(f - e->surface), mrn_load3(b->x), e->grain[i].flyer.radius, b->t,
                         &normal);
    p->u = mrn_dot(mrn_sub(mrn_load3(b->v), f->drifts), n);
    p->a = mrn_dot(e->g, n);
    p->swing = f->shakes ? mrn_dot(p->way->amplitude, n) : 0;
    p->angle = p->way->omega * b->t + p->way->phase;
}

static void begin_circle(const mrn_event *e, int32_t i, const mrn_event_surface *f, circled *c)
{
    const mrn_flight *b = &e->grain[i].flight;
    mrn_vec3 d = mrn_sub(mrn_load3(b->x), moved(e, f, b->t));
    *c = (circled){.d = arm_from(&f->shape, d),
                   .w = arm_from(&f->shape, mrn_sub(mrn_load3(b->v), f->drifts)),
                   .g = arm_from(&f->shape, e->g),
                   .reach = f->shape.radius + (f->shape.hollow ? -1 : 1) * e->grain[i].flyer.radius,
                   .hollow = f->shape.hollow};
}

/* A body and a wall that have just collided do not meet again within the collapse time: grains that
   rest on a wall would collide without end. What they sink in meanwhile, g t^2/2 at most, they come
   up again with the same energy. */
static double rest_of(const mrn_event *e, int32_t i, int k)
{
    return e->grain[i].flyer.hit == k ? e->collapse_time : 0;
}

/* What a collision with the surface takes for touch. */
static double touch_of(const mrn_event *e, int32_t i, int k)
{
    return MRN_EVENT_TOUCH * e->grain[i].flyer.radius +
           mrn_event_sunk(e, k, mrn_load3(e->grain[i].flight.v));
}

double mrn_event_meets_surface(const mrn_event *e, int32_t i, int k, double until)
{
    const mrn_event_surface *f = &e->surface[k];
    double t = e->grain[i].flight.t, rest = rest_of(e, i, k), s, rate, end = until - t;
    double tolerance = mrn_event_rounding(e, i);
    if (e->ignores &&
        e->scene->pair_of[e->grain[i].flyer.material * e->scene->n_materials + f->material] < 0)
        return INFINITY;
    if (f->shape.kind == MRN_RIMLESS_PLANE) {
        shaken p;
        begin_plane(e, i, f, &p);
        if (rest > 0 && shaken_gap(&p, rest, &rate) <= 0)
            return t + rest;
        s = f->shakes ? mrn_event_root(shaken_gap, &p, rest, end, fmax(f->bound, 0), tolerance,
                                       touch_of(e, i, k))
                      : plane_meets(p.g, p.u, p.a);
    } else {
        circled c;
        begin_circle(e, i, f, &c);
        if (rest > 0 && circled_gap(&c, rest, &rate) <= 0)
            return t + rest;
        s = mrn_dot(c.g, c.g) > 0 ? mrn_event_root(circled_gap, &c, rest, end, circle_bound(&c),
                                                   tolerance, touch_of(e, i, k))
                                  : circle_meets(&c);
    }
    return t + fmax(s, rest);
}
