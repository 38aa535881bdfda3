/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts between grains with corners, and what a contact through a gradient is to laws and
 * bodies. */
#include "smooth/polytopes.h"

#include "base/base.h"
#include "geom/narrow_wall.h"
#include "laws/tangent.h"
#include "smooth/rotation.h"

/* A gradient shorter than this is no direction to push in. */
#define LEAST_GRADIENT 1e-6

/* ---- room ---- */

static void make_room_for(const mrn_convex *c, mrn_overlap_room *room)
{
    int64_t corners = c->face_start[c->n_faces];
    room->faces = c->n_faces > room->faces ? c->n_faces : room->faces;
    room->corners = corners > room->corners ? corners : room->corners;
    room->points = c->n_points > room->points ? c->n_points : room->points;
}

/* Walls that are solid: all of their features are. */
static void make_room_for_walls(const mrn_scene *scene, mrn_overlap_room *room)
{
    for (int w = 0; w < scene->n_walls; w++) {
        mrn_surface s;
        if (mrn_surface_of(&scene->shape[scene->wall[w].shape], 0, &s) &&
            s.kind == MRN_SURFACE_SOLID)
            make_room_for(s.solid, room);
    }
}

/* Every part may be cut by each of `group` slabs with four sides, or by a solid wall. */
mrn_status mrn_polytopes_reserve(mrn_polytope_scratch *f, const mrn_scene *scene, int64_t group,
                                 mrn_message *msg)
{
    mrn_overlap_room room = {0};
    make_room_for_walls(scene, &room);
    for (int k = 0; k < scene->n_polytopes; k++) {
        int64_t faces = 0, corners = 0;
        for (int p = 0; p < scene->polytope[k].n_parts; p++) {
            const mrn_convex *c = &scene->polytope[k].part[p];
            int64_t on_faces = c->face_start[c->n_faces], n_faces = c->n_faces;
            make_room_for(c, &room);
            faces += n_faces + 6;
            corners += on_faces + 6 * n_faces + 6 * (4 + n_faces);
        }
        room.slab_faces = faces * group > room.slab_faces ? faces * group : room.slab_faces;
        room.slab_corners =
            corners * group > room.slab_corners ? corners * group : room.slab_corners;
    }
    if (mrn_grow(&f->wall, &f->wall_room, group, sizeof *f->wall) != MRN_OK)
        return mrn_fail_memory(msg);
    return mrn_overlap_region_reserve(&f->region, &room, msg);
}

void mrn_polytopes_release(mrn_polytope_scratch *f)
{
    if (f == NULL)
        return;
    mrn_overlap_region_release(&f->region);
    mrn_free(f->wall);
    mrn_free(f);
}

/* ---- several overlaps as one ---- */

/* Parts touch in several places: d^2 is the sum of their squares, so that linear springs add up as
   if each place had its own. */
typedef struct sum {
    double square;
    mrn_vec3 push, twist, point; /* weighted by d; point by d^2                    */
    double second[6];            /* of where they touch, about the origin, by d^2 */
} sum;

static void add_place(sum *a, double delta, mrn_vec3 push, mrn_vec3 twist, mrn_vec3 point)
{
    mrn_spread_add(a->second, delta * delta, point);
    a->square += delta * delta;
    a->push = mrn_axpy(delta, push, a->push);
    a->twist = mrn_axpy(delta, twist, a->twist);
    a->point = mrn_axpy(delta * delta, point, a->point);
}

static bool finish(const sum *a, mrn_vec3 apart, mrn_polytope_contact *out)
{
    double delta = sqrt(a->square), length = mrn_norm(a->push);
    if (!(delta > 0) || !(length > LEAST_GRADIENT * delta))
        return false;
    *out = (mrn_polytope_contact){.delta = delta,
                                  .gradient = length / delta,
                                  .n = mrn_scale(1 / length, a->push),
                                  .point = mrn_scale(1 / a->square, a->point),
                                  .apart = apart,
                                  .twist = mrn_scale(1 / length, a->twist)};
    for (int k = 0; k < 6; k++)
        out->spread[k] = a->second[k] / a->square;
    mrn_spread_add(out->spread, -1, out->point);
    return true;
}

/* ---- two polytopes ---- */

static mrn_posed pose(const mrn_state *s, int32_t i, const mrn_convex *part, mrn_vec3 x)
{
    return mrn_posed_make(part, x, mrn_load_quat(s->body.q + 4 * (size_t)i), s->body.radius[i]);
}

static mrn_vec3 ball_centre(const mrn_posed *p)
{
    return mrn_axpy(p->scale, mrn_posed_turn(p, p->shape->centre), p->x);
}

static bool balls_apart(const mrn_posed *c, const mrn_posed *a)
{
    double reach = c->scale * c->shape->bound + a->scale * a->shape->bound;
    mrn_vec3 d = mrn_sub(ball_centre(c), ball_centre(a));
    return mrn_dot(d, d) >= reach * reach;
}

static bool overlap_of_polytopes(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t j,
                                 mrn_vec3 apart, mrn_overlap_region *region,
                                 mrn_polytope_contact *out)
{
    const mrn_polytope *fc = &scene->polytope[s->body.part[i]],
                       *fa = &scene->polytope[s->body.part[j]];
    mrn_vec3 zero = {0, 0, 0};
    sum all = {0};
    for (int k = 0; k < fc->n_parts; k++) {
        mrn_posed c = pose(s, i, &fc->part[k], zero);
        bool posed = false;
        for (int m = 0; m < fa->n_parts; m++) {
            mrn_posed a = pose(s, j, &fa->part[m], mrn_scale(-1, apart));
            if (balls_apart(&c, &a))
                continue;
            if (!posed)
                mrn_posed_faces_make(&region->c, &c, zero);
            posed = true;
            mrn_posed_faces_make(&region->a, &a, zero);
            mrn_thickness t;
            mrn_overlap_region_begin(region, scene->dimension);
            mrn_overlap_region_add_pair(region);
            if (!mrn_overlap_thickness(region, NULL, NULL, &t))
                continue;
            add_place(&all, t.delta, t.push, t.twist, t.centre);
            for (int n = 0; n < 6; n++)
                all.second[n] += t.delta * t.delta * t.spread[n];
        }
    }
    return finish(&all, apart, out);
}

/* ---- a ball on a polytope ---- */

enum { BALL_PLACES = 4 };

/* Puts a contact point where it belongs, the deepest first. */
static int keep_deepest(mrn_contact_point *kept, int n, const mrn_contact_point *m)
{
    int at = n < BALL_PLACES ? n : BALL_PLACES - 1;
    if (n == BALL_PLACES && kept[at].gap <= m->gap)
        return n;
    for (; at > 0 && kept[at - 1].gap > m->gap; at--)
        kept[at] = kept[at - 1];
    kept[at] = *m;
    return n < BALL_PLACES ? n + 1 : n;
}

/* The nearest point decides, overlap is the distance to it: exact for a convex polytope. Where
   parts meet in one face the ball is not held twice: a place counts as far as its normal differs
   from those of deeper ones. Arms are from the polytope at `zero`. */
static sum ball_places(const mrn_scene *scene, const mrn_state *s, int32_t polytope, mrn_vec3 x,
                       double r)
{
    const mrn_polytope *f = &scene->polytope[s->body.part[polytope]];
    mrn_contact_point kept[BALL_PLACES], m;
    int n = 0;
    sum all = {0};
    for (int k = 0; k < f->n_parts; k++) {
        mrn_posed p = pose(s, polytope, &f->part[k], mrn_v3(0, 0, 0));
        if (mrn_narrow_ball(x, r, &p, 0, &m) > 0 && m.gap < 0)
            n = keep_deepest(kept, n, &m);
    }
    for (int k = 0; k < n; k++) {
        double weight = 1;
        for (int d = 0; d < k; d++) {
            double along = fmax(0, mrn_dot(kept[k].normal, kept[d].normal));
            weight *= 1 - fmin(1, along * along);
        }
        double delta = -kept[k].gap * sqrt(fmax(0, weight));
        add_place(&all, delta, kept[k].normal, mrn_cross(kept[k].point, kept[k].normal),
                  kept[k].point);
    }
    return all;
}

bool mrn_overlap_of_grains(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t j,
                           mrn_vec3 apart, mrn_polytope_scratch *f, mrn_polytope_contact *out)
{
    bool ci = mrn_is_polytope(s, i), cj = mrn_is_polytope(s, j);
    if (ci && cj)
        return overlap_of_polytopes(scene, s, i, j, apart, &f->region, out);
    if (cj) { /* the ball is C: arms are to go from its centre */
        sum all = ball_places(scene, s, j, apart, s->body.radius[i]);
        if (!finish(&all, apart, out))
            return false;
        out->twist = mrn_sub(out->twist, mrn_cross(apart, out->n));
        out->point = mrn_sub(out->point, apart);
        return true;
    }
    sum all = ball_places(scene, s, i, mrn_scale(-1, apart), s->body.radius[j]);
    all.push = mrn_scale(-1, all.push);
    all.twist = mrn_scale(-1, all.twist);
    return finish(&all, apart, out);
}

/* ---- laws ---- */

/* Torque on A about its centre per normal force on C: the same wrench, the other way. */
static mrn_vec3 twist_of_a(const mrn_polytope_contact *g)
{
    return mrn_scale(-1, mrn_add(g->twist, mrn_cross(g->apart, g->n)));
}

static mrn_vec3 strain_velocity(const double *l, mrn_vec3 d)
{
    return mrn_v3(l[MRN_XX] * d.x + l[MRN_XY] * d.y + l[MRN_XZ] * d.z,
                  l[MRN_YY] * d.y + l[MRN_YZ] * d.z, l[MRN_ZZ] * d.z);
}

void mrn_polytope_kinematics(const mrn_state *s, const mrn_polytope_contact *g, int k,
                             mrn_scratch *w)
{
    mrn_law_block *b = &w->block;
    size_t c = 3 * (size_t)w->c[k], a = 3 * (size_t)w->a[k];
    mrn_vec3 wc = mrn_load3(s->body.w + c), wa = mrn_load3(s->body.w + a);
    mrn_vec3 vc = mrn_load3(s->body.v + c), va = mrn_load3(s->body.v + a), n = g->n;
    if (w->a[k] >= s->body.n_walls)
        vc = mrn_add(vc, strain_velocity(s->cell_rate, g->apart));
    double out = mrn_dot(n, mrn_sub(vc, va)) + mrn_dot(g->twist, wc) + mrn_dot(twist_of_a(g), wa);
    mrn_vec3 u = mrn_contact_velocity(vc, wc, g->point, va, wa, mrn_add(g->point, g->apart));
    u = mrn_scale(g->gradient, mrn_axpy(-mrn_dot(u, n), n, u));
    mrn_vec3 turn = mrn_scale(g->gradient, mrn_sub(wc, wa));
    b->delta[k] = g->delta;
    b->rate[k] = -g->gradient * out;
    b->nx[k] = n.x, b->ny[k] = n.y, b->nz[k] = n.z;
    b->ux[k] = u.x, b->uy[k] = u.y, b->uz[k] = u.z;
    b->wx[k] = turn.x, b->wy[k] = turn.y, b->wz[k] = turn.z;
    b->spin[k] = 0.5 * mrn_dot(mrn_add(wc, wa), n);
}

/* What half a step of its last acceleration has added to velocity and spin of body i. */
typedef struct half_gain {
    mrn_vec3 v, w;
} half_gain;

static half_gain half_gain_of(const mrn_smooth *e, int32_t i, double h)
{
    const mrn_bodies *b = &e->state->body;
    size_t k = (size_t)i;
    half_gain o = {{0, 0, 0}, {0, 0, 0}};
    if (i < b->n_walls || (b->flags[i] & (MRN_BODY_FIXED | MRN_BODY_MEMBER)))
        return o;
    mrn_vec3 t = mrn_scale(0.5 * h, mrn_load3(b->t + 3 * k));
    o.v = mrn_scale(0.5 * h / b->mass[i], mrn_load3(b->f + 3 * k));
    o.w = mrn_turns_unevenly(e->scene, b, i)
              ? mrn_spin_of(mrn_principal_moments(e->scene, b, i), mrn_load_quat(b->q + 4 * k), t)
              : mrn_scale(1 / b->inertia[i], t);
    return o;
}

/* Brings the springs of contact k into the plane across n. */
static void flatten_springs(const mrn_prepared *law, mrn_vec3 n, int k, mrn_law_block *b)
{
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++) {
        double(*row)[MRN_BLOCK] = b->history + law->offset[kind];
        for (int h = 0; law->whole[kind] && h < law->part[kind]->n_history; h++) {
            if (!law->part[kind]->history[h].vector) {
                row++;
                continue;
            }
            mrn_vec3 s = mrn_tangent_turn(n, 0, mrn_v3(row[0][k], row[1][k], row[2][k]));
            row[0][k] = s.x, row[1][k] = s.y, row[2][k] = s.z;
            row += 3;
        }
    }
}

void mrn_polytope_passage(const mrn_smooth *e, const mrn_polytope_contact *g,
                          const mrn_prepared *law, double h, int k, mrn_scratch *w)
{
    mrn_law_block *b = &w->block;
    half_gain c = half_gain_of(e, w->c[k], h), a = half_gain_of(e, w->a[k], h);
    mrn_vec3 gain = mrn_contact_velocity(c.v, c.w, g->point, a.v, a.w, mrn_add(g->point, g->apart));
    gain = mrn_scale(g->gradient, mrn_axpy(-mrn_dot(gain, g->n), g->n, gain));
    mrn_vec3 spin = mrn_scale(g->gradient, mrn_sub(c.w, a.w));
    mrn_vec3 v = mrn_sub(mrn_v3(b->ux[k], b->uy[k], b->uz[k]), gain);
    b->pivot[k] = b->spin[k] - 0.5 * mrn_dot(mrn_add(c.w, a.w), g->n);
    v = mrn_passage_velocity(g->n, g->n, h * b->pivot[k], v);
    b->px[k] = g->n.x, b->py[k] = g->n.y, b->pz[k] = g->n.z;
    b->vx[k] = v.x, b->vy[k] = v.y, b->vz[k] = v.z;
    b->ax[k] = b->wx[k] - spin.x, b->ay[k] = b->wy[k] - spin.y, b->az[k] = b->wz[k] - spin.z;
    flatten_springs(law, g->n, k, b);
}

void mrn_polytope_answer(const mrn_polytope_contact *g, int k, mrn_law_block *b)
{
    const double *s = g->spread;
    mrn_vec3 w = mrn_scale(1 / g->gradient, mrn_v3(b->wx[k], b->wy[k], b->wz[k]));
    mrn_vec3 a = mrn_cross(g->n, w),
             ka = {s[0] * a.x + s[3] * a.y + s[4] * a.z, s[3] * a.x + s[1] * a.y + s[5] * a.z,
                   s[4] * a.x + s[5] * a.y + s[2] * a.z};
    double damping = b->gamma_n[k] * g->gradient * g->gradient;
    mrn_vec3 m = mrn_scale(-damping, mrn_cross(ka, g->n));
    b->loss_n[k] += damping * mrn_dot(a, ka);
    b->fn[k] *= g->gradient;
    b->tx[k] *= g->gradient, b->ty[k] *= g->gradient, b->tz[k] *= g->gradient;
    b->mx[k] = b->mx[k] * g->gradient + m.x;
    b->my[k] = b->my[k] * g->gradient + m.y;
    b->mz[k] = b->mz[k] * g->gradient + m.z;
}

/* The list gives a body -radius * lever, and the moment to C, its opposite to A. Any two torques
   can be written so. On a wall, whose torque comes from the point where it is touched, the lever is
   what the point alone would give. */
void mrn_polytope_torques(mrn_state *s, const mrn_polytope_contact *g, int k, const mrn_scratch *w)
{
    const mrn_law_block *b = &w->block;
    mrn_vec3 t = {b->tx[k], b->ty[k], b->tz[k]}, m = {b->mx[k], b->my[k], b->mz[k]};
    mrn_vec3 f = mrn_axpy(b->fn[k], g->n, t), lever;
    mrn_vec3 on_c = mrn_axpy(b->fn[k], g->twist, mrn_add(m, mrn_cross(g->point, t)));
    double rc = s->body.radius[w->c[k]];
    if (w->a[k] < s->body.n_walls) {
        lever = mrn_scale(-1 / rc, mrn_cross(g->point, f));
    } else {
        mrn_vec3 on_a = mrn_scale(b->fn[k], twist_of_a(g));
        on_a = mrn_sub(on_a, mrn_add(m, mrn_cross(mrn_add(g->point, g->apart), t)));
        lever = mrn_scale(-1 / (rc + s->body.radius[w->a[k]]), mrn_add(on_c, on_a));
    }
    mrn_store3(s->contact.lever + 3 * w->pair[k], lever);
    mrn_store3(s->contact.moment + 3 * w->pair[k], mrn_axpy(rc, lever, on_c));
}
