/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scene to bodies: walls in the order of the scene, then the grains of each group. */
#include "base/base.h"
#include "generate/generate.h"
#include "model/model.h"

/* What a grain takes of the space that is filled: in a plane the area of its section. */
double mrn_maker_volume(const mrn_maker *m, double radius)
{
    double volume, inertia;
    if (m->scene->dimension == 2)
        return MRN_PI * radius * radius;
    mrn_shape_measure(m->scene->shape[m->group->shape].type, m->scene->dimension, radius, &volume,
                      &inertia);
    return volume;
}

mrn_status mrn_maker_reserve(mrn_maker *m, int64_t more, mrn_message *msg)
{
    mrn_crop *c = m->crop;
    int64_t n = c->n + more;
    bool got = mrn_grow(&c->grain, &c->capacity, n, sizeof *c->grain) == MRN_OK &&
               mrn_grow(&c->bound, &c->bound_capacity, n, sizeof *c->bound) == MRN_OK &&
               mrn_grow(&c->polytope, &c->polytope_capacity, n, sizeof *c->polytope) == MRN_OK;
    return got ? MRN_OK : mrn_fail_memory(msg);
}

mrn_status mrn_maker_add(mrn_maker *m, mrn_grain g, int polytope, mrn_message *msg)
{
    mrn_crop *c = m->crop;
    mrn_status st = mrn_maker_reserve(m, 1, msg);
    if (st != MRN_OK)
        return st;
    c->bound[c->n] = mrn_generate_reach_of(m->scene, m->index, polytope) * g.radius;
    c->polytope[c->n] = polytope;
    c->grain[c->n++] = g;
    return MRN_OK;
}

static double wrap(double x, double origin, double size)
{
    double y = x - size * floor((x - origin) / size);
    /* rounding may leave it on the upper face, which is the lower one */
    return y >= origin + size || y < origin ? origin : y;
}

mrn_vec3 mrn_cell_wrap(const mrn_cell *cell, mrn_vec3 x)
{
    if (cell->periodic[0])
        x.x = wrap(x.x, cell->origin[0], cell->size[0]);
    if (cell->periodic[1])
        x.y = wrap(x.y, cell->origin[1], cell->size[1]);
    if (cell->periodic[2])
        x.z = wrap(x.z, cell->origin[2], cell->size[2]);
    return x;
}

/* ---- walls ---- */

/* Velocity of a wall's centre at t = 0. */
static mrn_vec3 wall_velocity(const mrn_wall *w)
{
    const mrn_motion *m = &w->motion;
    mrn_vec3 v = m->velocity;
    if (m->has_about)
        v = mrn_add(v, mrn_cross(m->spin, mrn_sub(w->x, m->about)));
    if (m->kind == MRN_MOTION_SHAKE)
        v = mrn_axpy(2 * MRN_PI * m->frequency * cos(m->phase), m->amplitude, v);
    return v;
}

static mrn_status add_walls(const mrn_scene *scene, mrn_state *s, mrn_message *msg)
{
    for (int i = 0; i < scene->n_walls; i++) {
        const mrn_wall *w = &scene->wall[i];
        mrn_body_def d = mrn_body_default();
        d.x = w->x;
        d.q = w->q;
        d.shape = w->shape;
        d.material = w->material;
        d.group = i;
        /* mass 0 stands for infinitely heavy: nothing moves a wall but its motion */
        d.flags = MRN_BODY_WALL;
        if (w->motion.kind != MRN_MOTION_NONE) {
            d.v = wall_velocity(w);
            d.w = w->motion.spin;
        }
        mrn_status st = mrn_body_add(s, &d, NULL, msg);
        if (st != MRN_OK)
            return st;
    }
    return MRN_OK;
}

/* ---- groups ---- */

static mrn_status check_motion(const mrn_maker *m, mrn_message *msg)
{
    const mrn_group *g = m->group;
    bool flat = m->scene->dimension == 2;
    bool moves = mrn_norm(g->velocity) > 0 || mrn_norm(g->spin) > 0 || g->velocity_spread > 0;
    if (flat && (g->velocity.z != 0 || g->spin.x != 0 || g->spin.y != 0)) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s' move out of the plane of a 2D scene", g->name);
        mrn_fail_expected(msg, "velocity in x and y, spin about z");
        return MRN_ERR_INPUT;
    }
    if (g->fixed && moves) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s' are fixed and have a velocity", g->name);
        mrn_fail_hint(msg, "leave out `fixed`, or velocity and spin");
        return MRN_ERR_INPUT;
    }
    if (!(g->velocity_spread >= 0) || !isfinite(g->velocity_spread)) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': velocity spread %g m/s", g->name,
                 g->velocity_spread);
        mrn_fail_expected(msg, "a number that is not negative");
        return MRN_ERR_INPUT;
    }
    return MRN_OK;
}

static void set_velocities(const mrn_maker *m)
{
    const mrn_group *g = m->group;
    mrn_rng rng = mrn_maker_rng(m, MRN_FOR_VELOCITIES);
    for (int64_t i = m->crop->first[m->index]; i < m->crop->n; i++) {
        mrn_grain *p = &m->crop->grain[i];
        /* listed grains came with their own, or the group's where they have none */
        if (g->place == MRN_PLACE_FILL || g->place == MRN_PLACE_LATTICE) {
            p->v = g->velocity;
            p->w = g->spin;
        }
        if (!(g->velocity_spread > 0))
            continue;
        p->v.x += g->velocity_spread * mrn_rng_normal(&rng);
        p->v.y += g->velocity_spread * mrn_rng_normal(&rng);
        if (m->scene->dimension == 3)
            p->v.z += g->velocity_spread * mrn_rng_normal(&rng);
    }
}

/* Clusters and grains with corners that do not come with an orientation get one at random. */
static void set_turns(const mrn_maker *m)
{
    if (!mrn_group_is_turned(m->scene, m->group))
        return;
    mrn_rng rng = mrn_maker_rng(m, MRN_FOR_TURNS);
    for (int64_t i = m->crop->first[m->index]; i < m->crop->n; i++) {
        mrn_quat turn = mrn_generate_turn(m->scene->dimension, &rng), *q = &m->crop->grain[i].q;
        if (q->w == 0 && q->x == 0 && q->y == 0 && q->z == 0)
            *q = turn;
    }
}

static mrn_status make_group(const mrn_scene *scene, int index, mrn_crop *crop, mrn_message *msg)
{
    mrn_maker m = {scene, &scene->group[index], index, crop, mrn_generate_reach(scene, index)};
    mrn_status st = check_motion(&m, msg);
    if (st != MRN_OK)
        return st;
    switch (m.group->place) {
    case MRN_PLACE_FILL:
        st = mrn_make_fill(&m, msg);
        break;
    case MRN_PLACE_LATTICE:
        st = mrn_make_lattice(&m, msg);
        break;
    case MRN_PLACE_LIST:
    case MRN_PLACE_CSV:
        st = mrn_make_list(&m, msg);
        break;
    case MRN_PLACE_INLET: /* grains enter while the run goes on */
        return MRN_OK;
    default:
        st = mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': no place", m.group->name);
    }
    if (st == MRN_OK) {
        set_velocities(&m);
        set_turns(&m);
    }
    return st;
}

static mrn_status add_grains(const mrn_scene *scene, int index, const mrn_crop *crop, mrn_state *s,
                             mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int64_t i = crop->first[index]; st == MRN_OK && i < crop->first[index + 1]; i++)
        st = mrn_generate_add_polytope(scene, index, crop->polytope[i], &crop->grain[i], s, msg);
    return st;
}

/* Bodies that the grains of the crop become: a cluster is one, and one per sphere. */
static int64_t count_bodies(const mrn_scene *scene, const mrn_crop *crop)
{
    int64_t n = scene->n_walls;
    for (int k = 0; k < scene->n_groups; k++) {
        int64_t grains = crop->first[k + 1] - crop->first[k];
        bool cluster = mrn_group_is_cluster(scene, &scene->group[k]);
        n += grains * (cluster ? 1 + scene->cluster[scene->group[k].cluster].n : 1);
    }
    return n;
}

static mrn_status make_bodies(const mrn_scene *scene, mrn_crop *crop, mrn_state *s,
                              mrn_message *msg)
{
    mrn_status st = mrn_array(&crop->first, scene->n_groups + 1, sizeof *crop->first, msg);
    for (int k = 0; st == MRN_OK && k < scene->n_groups; k++) {
        st = make_group(scene, k, crop, msg);
        crop->first[k + 1] = crop->n;
    }
    if (st == MRN_OK)
        st = mrn_bodies_reserve(s, count_bodies(scene, crop), msg);
    if (st == MRN_OK)
        st = add_walls(scene, s, msg);
    for (int k = 0; st == MRN_OK && k < scene->n_groups; k++)
        st = add_grains(scene, k, crop, s, msg);
    return st;
}

static mrn_status check_cell(const mrn_scene *scene, mrn_message *msg)
{
    for (int k = 0; k < 3; k++)
        if (scene->cell.periodic[k] &&
            (!(scene->cell.size[k] > 0) || !isfinite(scene->cell.size[k]))) {
            mrn_fail(msg, MRN_ERR_INPUT, "the cell is periodic in %c, but its size there is %g m",
                     'x' + k, scene->cell.size[k]);
            mrn_fail_expected(msg, "a positive size in each periodic direction");
            return MRN_ERR_INPUT;
        }
    return MRN_OK;
}

/* A scene that is not prepared has no signals yet. */
static mrn_vec3 gravity_at_start(const mrn_scene *scene)
{
    bool given = false;
    for (int k = 0; k < 3; k++)
        given |= !mrn_signal_is_zero(&scene->gravity_of[k]);
    return given ? mrn_gravity_at(scene->gravity_of, (mrn_instant){0, 0}) : scene->gravity;
}

/* The account opened here holds motion and height; an engine that finds grains in contact at the
   start opens it anew once it has the first forces. */
mrn_status mrn_world_build(const mrn_scene *scene, mrn_state *s, mrn_message *msg)
{
    mrn_crop crop = {0};
    mrn_status st = check_cell(scene, msg);
    if (st == MRN_OK)
        st = make_bodies(scene, &crop, s, msg);
    mrn_free(crop.grain);
    mrn_free(crop.bound);
    mrn_free(crop.polytope);
    mrn_free(crop.first);
    if (st != MRN_OK) {
        if (st == MRN_ERR_INPUT && scene->path != NULL)
            mrn_fail_at(msg, scene->path, 0, 0);
        mrn_state_destroy(s);
        return st;
    }
    for (int k = 0; k < 3; k++) {
        s->cell_origin[k] = scene->cell.origin[k];
        s->cell_size[k] = scene->cell.size[k];
    }
    mrn_store3(s->gravity, gravity_at_start(scene));
    s->time = 0;
    s->step = 0;
    mrn_ledger_open(scene, s);
    return MRN_OK;
}
