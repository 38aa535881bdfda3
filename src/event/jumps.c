/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collisions: two bodies that meet get the velocities of the hard-sphere jump (laws/jump.h), the
   ledger what was lost and what walls gave. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "event/event.h"
#include "laws/jump.h"

/* Restitution over z = x/(1 + x), x the impact number of a law, in steps that a parabola through
   neighbours follows to 1e-9. */
enum { NODES = 1025 };
#define Z_MOST 0.995

static mrn_status tabulate(mrn_event_law *l, mrn_message *msg)
{
    const mrn_law *law = l->of->ready.part[MRN_LAW_NORMAL];
    mrn_status st = mrn_array(&l->table, NODES, sizeof *l->table, msg);
    for (int k = 0; k < NODES && st == MRN_OK; k++) {
        double z = Z_MOST * k / (NODES - 1);
        l->table[k] =
            k == 0 ? 1 : law->impact_restitution(l->of->ready.coef[MRN_LAW_NORMAL], z / (1 - z));
    }
    return st;
}

/* Without friction, and without a spin to begin with, nobody's rotation need be looked at. */
static bool may_spin(const mrn_event *e)
{
    static const double none[3] = {0, 0, 0};
    bool spins = false;
    for (int k = 0; k < e->n_laws; k++)
        spins = spins || e->law[k].rigid.friction != 0;
    for (int32_t i = 0; i < e->n && !spins; i++)
        spins = memcmp(e->turn[i].w, none, sizeof none) != 0;
    return spins;
}

mrn_status mrn_event_laws(mrn_event *e, mrn_message *msg)
{
    const mrn_scene *scene = e->scene;
    mrn_event_laws_release(e);
    e->ignores = false;
    for (int k = 0; k < scene->n_materials * scene->n_materials; k++)
        e->ignores |= scene->pair_of[k] < 0;
    mrn_status st = mrn_array(&e->law, scene->n_interactions, sizeof *e->law, msg);
    if (st != MRN_OK)
        return st;
    e->n_laws = scene->n_interactions;
    for (int k = 0; k < e->n_laws && st == MRN_OK; k++) {
        const mrn_interaction *x = &scene->interaction[k];
        e->law[k] = (mrn_event_law){.rigid = x->rigid, .of = x};
        if (x->rigid.varies)
            st = tabulate(&e->law[k], msg);
    }
    e->spins = may_spin(e);
    return st;
}

void mrn_event_laws_release(mrn_event *e)
{
    for (int k = 0; k < e->n_laws; k++)
        mrn_free(e->law[k].table);
    mrn_free(e->law);
    e->law = NULL;
    e->n_laws = 0;
}

/* Cubic through four nodes. */
static double between(const double *y, double u)
{
    double a = y[1] - y[0], b = y[2] - y[1], c = y[3] - y[2];
    double second = b - a, third = c - 2 * b + a;
    return y[0] + u * (a + 0.5 * (u - 1) * (second + third * (u - 2) / 3));
}

static double restitution(const mrn_event_law *l, double r, double m, double v)
{
    if (l->table == NULL)
        return l->rigid.restitution;
    const mrn_law *law = l->of->ready.part[MRN_LAW_NORMAL];
    double x = law->impact_number(l->of->ready.coef[MRN_LAW_NORMAL], r, m, v), z = x / (1 + x);
    double at = fmin(z / Z_MOST, 1) * (NODES - 1);
    int k = (int)at - 1;
    k = k < 0 ? 0 : k > NODES - 4 ? NODES - 4 : k;
    return fmin(fmax(between(l->table + k, at - k), 0), 1);
}

/* ---- one collision ---- */

/* What a jump needs: normal from the partner to the body, velocity relative to it at the contact.
 */
typedef struct meeting {
    mrn_vec3 n, u;
    mrn_vec3 b; /* along n, of any length                                              */
    double m, share, r_eff;
    bool elastic;
    const mrn_event_law *law;
} meeting;

/* Change of the relative velocity, and energy lost. The jump is asked for unit mass: masses that
   are rounded the same way in every collision would make or take energy all the time. */
typedef struct push {
    mrn_vec3 kick, tangential; /* all of it, and its part by friction                  */
    double lost_n, lost_t;
} push;

static push push_of(mrn_event *e, const meeting *c)
{
    double vn = -mrn_dot(c->u, c->n);
    mrn_vec3 ut = mrn_axpy(vn, c->n, c->u);
    double size = mrn_norm(ut);
    if (!(vn > 0))
        return (push){{0, 0, 0}, {0, 0, 0}, 0, 0};
    const mrn_rigid *r = &c->law->rigid;
    double en = c->elastic ? 1 : restitution(c->law, c->r_eff, c->m, vn);
    mrn_jump j =
        mrn_jump_of(1, c->share, vn, size, en, r->restitution_t, c->elastic ? 0 : r->friction);
    /* a normal that is rounded to a length above 1 more often than below, as 1/|b| is where |b| is
       near 1, would make energy: b/b^2 has no such leaning */
    double along = -mrn_dot(c->u, c->b) / mrn_dot(c->b, c->b);
    push p = {.kick = mrn_scale(j.normal / vn * along, c->b),
              .lost_n = 0.5 * c->m * (1 - en * en) * vn * vn};
    if (size > 0 && j.tangential != 0) {
        p.tangential = mrn_scale(-j.tangential / size, ut);
        p.kick = mrn_add(p.tangential, p.kick);
        p.lost_t = c->m * j.tangential * (size - 0.5 * j.tangential / c->share);
        e->state->event.sliding += j.slides;
    }
    e->state->event.elastic += c->elastic;
    return p;
}

/* A collision too soon after the last one of this body: also that with a wall which was put off by
   just the collapse time. */
static bool is_too_soon(const mrn_event *e, int32_t i)
{
    return e->collapse_time > 0 && e->grain[i].flyer.hit != MRN_HIT_NOTHING &&
           e->now - e->grain[i].flight.t <= e->collapse_time * (1 + 1e-6);
}

static mrn_vec3 spin_of(const mrn_event *e, int32_t i)
{
    return e->spins ? mrn_load3(e->turn[i].w) : mrn_v3(0, 0, 0);
}

/* What is added to the inverse mass in the tangential direction. */
static double turning_of(const mrn_event *e, int32_t i)
{
    double r = e->grain[i].flyer.radius;
    return e->spins ? r * r * e->turn[i].inverse_inertia : 0;
}

mrn_quat mrn_event_orientation(const mrn_event *e, int32_t i, double t)
{
    const double *q = e->turn[i].q;
    mrn_quat at = {q[0], q[1], q[2], q[3]};
    mrn_vec3 w = spin_of(e, i);
    if (w.x == 0 && w.y == 0 && w.z == 0)
        return at;
    mrn_quat turn = mrn_quat_from_rotation(mrn_scale(t - e->grain[i].flight.t, w));
    return mrn_quat_unit(mrn_quat_mul(turn, at));
}

static void turn(mrn_event *e, int32_t i, mrn_vec3 lever)
{
    mrn_vec3 w = spin_of(e, i);
    mrn_turn *t = &e->turn[i];
    if (w.x != 0 || w.y != 0 || w.z != 0) {
        mrn_quat q = mrn_event_orientation(e, i, e->now);
        t->q[0] = q.w, t->q[1] = q.x, t->q[2] = q.y, t->q[3] = q.z;
    }
    mrn_store3(t->w, mrn_axpy(-e->grain[i].flyer.radius * t->inverse_inertia, lever, w));
}

/* The flight of body i begins anew here and now with velocity v; `lever` is n x J on the first of
   the two, the same for both, of the tangential J alone: without friction no spin changes. */
static void begin_flight(mrn_event *e, int32_t i, mrn_vec3 x, mrn_vec3 v, mrn_vec3 lever)
{
    mrn_flight *f = &e->grain[i].flight;
    mrn_flyer *b = &e->grain[i].flyer;
    if (b->inverse_mass == 0)
        return;
    if (e->scene->dimension == 2) /* the normal of a wall may lean out of the plane by rounding, and
                                     what leads out of it grows from collision to collision */
        v.z = 0, lever.x = 0, lever.y = 0;
    mrn_store3(f->x, x);
    mrn_store3(f->v, v);
    if (e->spins)
        turn(e, i, lever);
    f->t = e->now;
    mrn_event_show(e, i);
}

static mrn_status not_in_touch(const mrn_event *e, int32_t i, double gap, mrn_message *msg)
{
    mrn_fail(msg, MRN_EXPLODED,
             "body %d was to collide at t = %.9g s and is %.3g m from touch: rounding has outgrown "
             "the distances between bodies",
             (int)e->grain[i].flyer.id, e->now, gap);
    return mrn_fail_hint(msg, "let coordinates and times begin near 0, or give a collapse-time");
}

static mrn_vec3 nearest(const mrn_event *e, mrn_vec3 d)
{
    const double *p = e->grid.period;
    double a[3] = {d.x, d.y, d.z};
    for (int k = 0; k < 3; k++)
        if (fabs(a[k]) > 0.25 * p[k] && p[k] > 0) /* seldom: a division is spared */
            a[k] -= p[k] * round(a[k] / p[k]);
    return mrn_load3(a);
}

static void book_stress(mrn_event *e, mrn_vec3 j, mrn_vec3 branch)
{
    double *w = e->state->event.virial;
    w[MRN_XX] += j.x * branch.x;
    w[MRN_YY] += j.y * branch.y;
    w[MRN_ZZ] += j.z * branch.z;
    w[MRN_XY] += 0.5 * (j.x * branch.y + j.y * branch.x);
    w[MRN_XZ] += 0.5 * (j.x * branch.z + j.z * branch.x);
    w[MRN_YZ] += 0.5 * (j.y * branch.z + j.z * branch.y);
}

static const mrn_event_law *law_of(const mrn_event *e, int a, int b)
{
    return &e->law[e->scene->pair_of[a * e->scene->n_materials + b]];
}

/* Relative mass in the tangential direction over that along the normal. */
static double share_of(double inverse, double turning)
{
    return inverse / (inverse + turning);
}

mrn_status mrn_event_collide(mrn_event *e, int32_t i, int32_t k, mrn_message *msg)
{
    if (e->grain[k].flyer.id < e->grain[i].flyer.id) { /* the lower number is C, whoever is asked */
        int32_t other = i;
        i = k;
        k = other;
    }
    const mrn_flyer *c = &e->grain[i].flyer, *a = &e->grain[k].flyer;
    double rc = e->grain[i].flyer.radius, ra = e->grain[k].flyer.radius;
    mrn_vec3 xc = mrn_event_position(e, i, e->now), xa = mrn_event_position(e, k, e->now);
    mrn_vec3 vc = mrn_event_velocity(e, i, e->now), va = mrn_event_velocity(e, k, e->now);
    mrn_vec3 branch = nearest(e, mrn_sub(xc, xa));
    double l = mrn_norm(branch), inverse = c->inverse_mass + a->inverse_mass;
    if (!(fabs(l - rc - ra) < MRN_EVENT_TOUCH * (rc + ra)))
        return not_in_touch(e, i, l - rc - ra, msg);
    mrn_vec3 n = mrn_scale(1 / l, branch);
    mrn_vec3 both = mrn_axpy(rc, spin_of(e, i), mrn_scale(ra, spin_of(e, k)));
    meeting m = {.n = n,
                 .b = branch,
                 .u = mrn_sub(mrn_sub(vc, va), mrn_cross(both, n)),
                 .m = 1 / inverse,
                 .share = share_of(inverse, turning_of(e, i) + turning_of(e, k)),
                 .r_eff = rc * ra / (rc + ra),
                 .elastic = is_too_soon(e, i) || is_too_soon(e, k),
                 .law = law_of(e, e->grain[i].flyer.material, e->grain[k].flyer.material)};
    push p = push_of(e, &m);
    mrn_vec3 j = mrn_scale(m.m, p.kick), lever = mrn_cross(n, mrn_scale(m.m, p.tangential));
    double part = c->inverse_mass / inverse; /* of the kick, for C; the rest for A */
    begin_flight(e, i, xc, mrn_axpy(part, p.kick, vc), lever);
    begin_flight(e, k, xa, mrn_axpy(part - 1, p.kick, va), lever);
    e->grain[i].flyer.hit = e->grain[k].flyer.hit = MRN_HIT_GRAIN;
    book_stress(e, j, branch);
    e->state->ledger.lost_normal += p.lost_n;
    e->state->ledger.lost_tangential += p.lost_t;
    e->state->event.collisions++;
    e->state->event.stage_collisions++;
    return MRN_OK;
}

static void press(mrn_event *e, int32_t wall, mrn_vec3 point, mrn_vec3 j)
{
    double *sum = e->state->flights.way + (size_t)wall * MRN_WAY_WIDTH + MRN_WAY_IMPULSE;
    mrn_vec3 arm = mrn_sub(point, mrn_event_wall_place(&e->way[wall], e->now));
    mrn_vec3 turn = mrn_cross(arm, j);
    const double add[6] = {-j.x, -j.y, -j.z, -turn.x, -turn.y, -turn.z};
    for (int k = 0; k < 6; k++)
        sum[k] += add[k];
}

/* As laws take it: the curvature of a round wall is the mean of its two. */
static double effective_radius(const mrn_event *e, const mrn_rimless *s, double r)
{
    if (s->kind == MRN_RIMLESS_PLANE)
        return r;
    bool half = s->kind == MRN_RIMLESS_CYLINDER && e->scene->dimension == 3;
    return 1 / (1 / r + (s->hollow ? -1 : 1) * (half ? 0.5 : 1) / s->radius);
}

/* A grain that rests sinks in within a collapse time and comes up again with the same energy,
   unless its neighbours have taken some of that: then it would sink deeper and deeper. Where it is
   deeper than it can get within one, it leaves with the speed that takes it back to touch. How much
   faster that is than u. Once at an instant: grains that lie on it throw it back at once. */
static double lift_of(const mrn_event *e, int32_t i, double gap, double u, mrn_vec3 n)
{
    double pull = -mrn_dot(e->g, n), depth = -gap;
    if (!(depth > 0.5 * e->sinks && pull > 0 && e->now > e->grain[i].flight.t))
        return 0;
    return fmax(sqrt(2 * pull * depth) - u, 0);
}

mrn_status mrn_event_collide_surface(mrn_event *e, int32_t i, int k, mrn_message *msg)
{
    const mrn_event_surface *f = &e->surface[k];
    const mrn_flyer *c = &e->grain[i].flyer;
    double r = e->grain[i].flyer.radius;
    mrn_vec3 x = mrn_event_position(e, i, e->now), v = mrn_event_velocity(e, i, e->now), n;
    double gap = mrn_event_gap(e, k, x, r, e->now, &n);
    if (!(fabs(gap) < MRN_EVENT_TOUCH * r + mrn_event_sunk(e, k, v)))
        return not_in_touch(e, i, gap, msg);
    mrn_vec3 point = mrn_axpy(-r, n, x);
    mrn_vec3 wall = mrn_event_wall_velocity(&e->way[f->wall], point, e->now);
    mrn_vec3 at = mrn_sub(v, mrn_cross(mrn_scale(r, spin_of(e, i)), n));
    meeting m = {.n = n,
                 .b = n,
                 .u = mrn_sub(at, wall),
                 .m = 1 / c->inverse_mass,
                 .share = share_of(c->inverse_mass, turning_of(e, i)),
                 .r_eff = effective_radius(e, &f->shape, r),
                 .elastic = is_too_soon(e, i),
                 .law = law_of(e, e->grain[i].flyer.material, f->material)};
    push p = push_of(e, &m);
    mrn_vec3 j = mrn_scale(m.m, p.kick), after = mrn_add(v, p.kick);
    double lift = lift_of(e, i, gap, mrn_dot(mrn_sub(after, wall), n), n);
    if (lift > 0) {
        e->state->ledger.wall_work += m.m * lift * (mrn_dot(after, n) + 0.5 * lift);
        after = mrn_axpy(lift, n, after);
    }
    begin_flight(e, i, x, after, mrn_cross(n, mrn_scale(m.m, p.tangential)));
    e->grain[i].flyer.hit = (int8_t)k;
    press(e, f->wall, point, mrn_axpy(m.m * lift, n, j));
    e->state->ledger.lost_normal += p.lost_n;
    e->state->ledger.lost_tangential += p.lost_t;
    e->state->ledger.wall_work += mrn_dot(j, wall);
    e->state->event.at_walls++;
    e->state->event.stage_at_walls++;
    return MRN_OK;
}
