/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A world on its way to the device and back. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "cuda/cuda.h"
#include "cuda/limits.h"
#include "cuda/numbers.h"
#include "detect/list.h"
#include "geom/ball_measure.h"
#include "geom/geom.h"
#include "geom/mesh.h"
#include "laws/models.h"
#include "model/model.h"

/* ---- room on the device ---- */

mrn_status mrn_cuda_failed(const mrn_cuda *c, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_MACHINE, "the device (%s) has failed: %s", c->about.name,
             c->ops->error(c->device));
    return mrn_fail_hint(msg, "the last checkpoint is good: go on from it with  moraine run SCENE "
                              "--resume, on the processor with  --device cpu");
}

/* Lists change their length a little from one to the next, those of walls, which are short, by
   more: some more than is asked for, since to take room stops the device. */
static int64_t with_some_more(int which, int64_t bytes)
{
    bool wall = which == MRN_ROOM_WALL_GRAIN || which == MRN_ROOM_WALL_FORCE ||
                which == MRN_ROOM_WALL_MOMENT || which == MRN_ROOM_WALL_TERM ||
                which == MRN_ROOM_WALL_MORE || which == MRN_ROOM_RESIST || which == MRN_ROOM_POINTS;
    if (which >= MRN_ROOM_LIST)
        wall = (which - MRN_ROOM_LIST) % 10 > 4;
    bool pairs = which >= MRN_ROOM_LIST || which == MRN_ROOM_FORCE || which == MRN_ROOM_MOMENT ||
                 which == MRN_ROOM_OWNER || which == MRN_ROOM_BACK;
    return wall ? bytes + bytes / 4 + 1024 : pairs ? bytes + bytes / 32 + 1024 : bytes;
}

mrn_status mrn_cuda_room(mrn_cuda *c, int which, int64_t bytes, void *to, mrn_message *msg)
{
    if (bytes > c->bytes[which] || c->room[which] == NULL) {
        int64_t want = with_some_more(which, bytes);
        c->ops->give(c->device, c->room[which]);
        c->bytes[which] = 0;
        c->room[which] = c->ops->take(c->device, (size_t)want);
        if (c->room[which] == NULL && c->ops->error(c->device) != NULL)
            return mrn_cuda_failed(c, msg);
        if (c->room[which] == NULL) {
            mrn_fail(msg, MRN_ERR_MEMORY,
                     "the device (%s) has too little memory: %.3g MB more are needed, it holds "
                     "%.3g MB of this world already",
                     c->about.name, 1e-6 * (double)want, 1e-6 * (double)mrn_cuda_bytes(c));
            return mrn_fail_hint(msg, "run fewer grains, or on the processor: --device cpu");
        }
        c->bytes[which] = want;
    }
    memcpy(to, &c->room[which], sizeof(void *));
    return MRN_OK;
}

void mrn_cuda_shrink(mrn_cuda *c, int which, int64_t bytes)
{
    const int64_t more = which == MRN_ROOM_FORCE ? bytes / 16 : bytes / 4;
    if (c->bytes[which] <= bytes + more + 4096)
        return;
    c->ops->give(c->device, c->room[which]);
    c->room[which] = NULL;
    c->bytes[which] = 0;
}

int64_t mrn_cuda_bytes(const mrn_cuda *c)
{
    int64_t sum = 0;
    for (int k = 0; k < MRN_ROOMS; k++)
        sum += c->bytes[k];
    return sum;
}

/* What every batch tells goes straight to where it is read. */
static void lock(mrn_cuda *c, bool on)
{
    const int64_t walls = c->g.n_walls > 0 ? c->g.n_walls : 1;
    struct {
        void *at;
        size_t bytes;
    } const told[] = {{c->record, (MRN_GPU_SLOTS + 1) * sizeof *c->record},
                      {c->wall_sum, (size_t)(MRN_GPU_SLOTS * walls * 6) * sizeof *c->wall_sum}};
    if (c->ops->lock == NULL || on == c->locked)
        return;
    for (int k = 0; k < 2; k++)
        if (on)
            c->ops->lock(c->device, told[k].at, told[k].bytes);
        else
            c->ops->unlock(c->device, told[k].at);
    c->locked = on;
}

static void drop_through(mrn_cuda *c)
{
    if (c->through != NULL && c->ops->unlock != NULL)
        c->ops->unlock(c->device, c->through);
    mrn_free(c->through);
    c->through = NULL;
    c->through_size = 0;
}

/* Room for n numbers on their way from the device to the state, and a little more. It stays where
   it is, so that what comes takes no detour and no page is new. */
static mrn_status through_room(mrn_cuda *c, int64_t n, mrn_message *msg)
{
    if (c->through_size >= n)
        return MRN_OK;
    drop_through(c);
    n += n / 16;
    mrn_status st = mrn_array(&c->through, n, sizeof *c->through, msg);
    if (st != MRN_OK)
        return st;
    c->through_size = n;
    if (c->ops->lock != NULL)
        c->ops->lock(c->device, c->through, (size_t)n * sizeof *c->through);
    return MRN_OK;
}

void mrn_cuda_release(mrn_cuda *c)
{
    for (int k = 0; k < MRN_ROOMS; k++) {
        if (c->room[k] != NULL)
            c->ops->give(c->device, c->room[k]);
        c->room[k] = NULL;
        c->bytes[k] = 0;
    }
    lock(c, false);
    drop_through(c);
    mrn_free(c->pose);
    mrn_free(c->record);
    mrn_free(c->wall_sum);
    mrn_free(c->from);
    mrn_free(c->allowance);
    mrn_free(c->past);
    mrn_free(c->load);
    mrn_free(c->walls_past);
    mrn_free(c->gravities);
    mrn_free(c->more);
    mrn_free(c->mass_sum);
    mrn_free(c->strain);
    mrn_free(c->resist);
}

typedef struct array {
    int which;
    int64_t bytes;
    void *to;
} array;

static mrn_status take_all(mrn_cuda *c, const array *a, int n, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int k = 0; k < n && st == MRN_OK; k++)
        if (a[k].bytes > 0)
            st = mrn_cuda_room(c, a[k].which, a[k].bytes, a[k].to, msg);
    return st;
}

enum { D = sizeof(double), I = sizeof(int32_t) };

/* Whether contacts ask for what kept.h has. */
static bool keeps(const mrn_cuda *c)
{
    return c->model == MRN_GPU_KEPT || c->wall_model == MRN_GPU_KEPT;
}

static mrn_status body_room(mrn_cuda *c, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    int64_t n = g->n > 0 ? g->n : 1, walls = g->n_walls > 0 ? g->n_walls : 1;
    const int64_t number = mrn_gpu_bytes_of_number(g->mixed);
    const int64_t sum = (int64_t)sizeof(mrn_gpu_sum);
    bool varies = c->host->drive.varying_gravity;
    const array a[] = {
        {MRN_ROOM_PLACE, 4 * D * n, &g->place},
        {MRN_ROOM_MOTION, mrn_gpu_motion_row(g->mixed) * number * n, &g->motion},
        {MRN_ROOM_HEFT, g->mixed || g->density > 0 ? 0 : 2 * D * n, &g->heft},
        {MRN_ROOM_PULL, MRN_GPU_FORCE * number * n, &g->pull},
        {MRN_ROOM_Q, 4 * number * n, &g->q},
        {MRN_ROOM_IMAGE, g->periodic ? 3 * I * n : 0, &g->image},
        {MRN_ROOM_ID, I * n, &g->id},
        {MRN_ROOM_MATERIAL, g->one_material < 0 ? n : 0, &g->material},
        {MRN_ROOM_STILL, g->fixed ? n : 0, &g->still},
        {MRN_ROOM_GROUP, g->n_groups > 0 ? 2 * n : 0, &g->group},
        {MRN_ROOM_LOAD, MRN_GPU_SLOTS * g->n_groups * (int64_t)sizeof(mrn_load), &g->load},
        {MRN_ROOM_BACK_ROW, I * (n + 1), &g->back_row},
        {MRN_ROOM_BOUNDS, (MRN_GPU_BOUNDS + walls) * D, &g->bounds},
        {MRN_ROOM_PARTS, 2 * (1 + 2 * (n / 128 + 1)) * D, &g->parts},
        {MRN_ROOM_LAWS, (int64_t)sizeof c->law, &g->law},
        {MRN_ROOM_WALLS, walls * (int64_t)sizeof(mrn_gpu_wall), &g->walls},
        {MRN_ROOM_POSE, (MRN_GPU_SLOTS + 1) * walls * (int64_t)sizeof(mrn_gpu_pose), &g->pose},
        {MRN_ROOM_STEP, (int64_t)sizeof c->step, &g->step},
        {MRN_ROOM_RECORD, (MRN_GPU_SLOTS + 1) * (int64_t)sizeof(mrn_gpu_record), &g->record},
        {MRN_ROOM_WALL_SUM, MRN_GPU_SLOTS * walls * 6 * (int64_t)sizeof(mrn_gpu_sum), &g->wall_sum},
        {MRN_ROOM_PAST, keeps(c) ? MRN_GPU_SLOTS * walls * 6 * D : 0, &g->past},
        {MRN_ROOM_MORE, keeps(c) ? MRN_GPU_SLOTS * MRN_GPU_MORE * sum : 0, &g->more},
        {MRN_ROOM_GRAVITIES, varies ? MRN_GPU_SLOTS * 3 * D : 0, &g->gravities},
        {MRN_ROOM_MASS_SUM, varies ? (MRN_GPU_SLOTS + 1) * MRN_GPU_MOMENTS * sum : 0, &g->mass_sum},
    };
    return take_all(c, a, (int)(sizeof a / sizeof *a), msg);
}

/* Items that all of these arrays have room for. */
static int64_t least_room(const mrn_cuda *c, const array *a, int n, int64_t items)
{
    int64_t least = INT32_MAX;
    for (int k = 0; k < n; k++) {
        int64_t size = a[k].bytes / items, room = size > 0 ? c->bytes[a[k].which] / size : least;
        least = room < least ? room : least;
    }
    return least;
}

mrn_status mrn_cuda_list_room(mrn_cuda *c, int64_t n, int64_t n_wall, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    mrn_gpu_list *l = &g->list;
    int at = MRN_ROOM_LIST + 10 * c->which;
    int64_t w = g->width > 0 ? g->width : 1, some = n > 0 ? n : 1, wall = n_wall > 0 ? n_wall : 1;
    const int64_t number = mrn_gpu_bytes_of_number(g->mixed), kept = w * number * some;
    const int64_t sieve = 4 * (int64_t)sizeof *g->sieve * g->n; /* stands there in between */
    l->n = n, l->n_wall = n_wall;
    const array a[] = {
        {MRN_ROOM_LIST + 1, I * some, &l->other},
        {MRN_ROOM_LIST + 2, some, &l->alive},
        {MRN_ROOM_LIST + 3, kept > sieve ? kept : sieve, &l->kept},
        {MRN_ROOM_OWNER, I * some, &g->owner},
        {MRN_ROOM_BACK, I * some, &g->back},
    };
    const array b[] = {
        {at + 5, I * wall, &l->wall},      {at + 6, I * wall, &l->feature},
        {at + 7, wall, &l->wall_alive},    {at + 8, w * D * wall, &l->wall_kept},
        {at + 9, 3 * D * wall, &l->point}, {MRN_ROOM_WALL_GRAIN, I * wall, &g->wall_grain},
    };
    const int n_a = (int)(sizeof a / sizeof *a), n_b = (int)(sizeof b / sizeof *b);
    for (int k = 0; k < n_a; k++)
        mrn_cuda_shrink(c, a[k].which, a[k].bytes);
    mrn_status st = take_all(c, a, n_a, msg);
    if (st == MRN_OK)
        st = take_all(c, b, n_b, msg);
    g->pair_room = l->room = least_room(c, a, n_a, some);
    l->wall_room = least_room(c, b, n_b, wall);
    return st;
}

mrn_status mrn_cuda_answer_room(mrn_cuda *c, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    int64_t some = g->list.n > 0 ? g->list.n : 1, wall = g->list.n_wall > 0 ? g->list.n_wall : 1;
    const int64_t number = mrn_gpu_bytes_of_number(g->mixed);
    const array a[] = {
        {MRN_ROOM_FORCE, MRN_GPU_FORCE * number * some, &g->force},
        {MRN_ROOM_MOMENT, g->moments ? 3 * D * some : 0, &g->moment},
        {MRN_ROOM_WALL_FORCE, 6 * D * wall, &g->wall_force},
        {MRN_ROOM_WALL_MOMENT, g->moments ? 3 * D * wall : 0, &g->wall_moment},
        {MRN_ROOM_WALL_TERM, 6 * D * wall, &g->wall_term},
        {MRN_ROOM_WALL_MORE, keeps(c) ? MRN_GPU_MORE * D * wall : 0, &g->wall_more},
        {MRN_ROOM_POINTS, c->meshes ? (int64_t)sizeof *g->points * wall : 0, &g->points},
        {MRN_ROOM_RESIST, c->servo_walls ? 2 * D * wall : 0, &g->resist},
    };
    mrn_cuda_shrink(c, MRN_ROOM_FORCE, a[0].bytes); /* lists were made there */
    return take_all(c, a, (int)(sizeof a / sizeof *a), msg);
}

bool mrn_cuda_clear_forces(mrn_cuda *c)
{
    const mrn_gpu *g = &c->g;
    return c->ops->clear(c->device, g->force,
                         (size_t)(MRN_GPU_FORCE * mrn_gpu_bytes_of_number(g->mixed) * g->list.n)) &&
           (!g->moments || c->ops->clear(c->device, g->moment, (size_t)(3 * D * g->list.n)));
}

/* ---- what does not change while a stage runs ---- */

static int number_of(const mrn_law *law)
{
    static const mrn_law *const all[] = {
#define MRN_PART(id) &mrn_law_##id,
#include "laws/parts.def"
#undef MRN_PART
    };
    for (int k = 0; law != NULL && k < (int)(sizeof all / sizeof *all); k++)
        if (all[k] == law)
            return k;
    return -1;
}

static void set_laws(mrn_cuda *c)
{
    mrn_gpu *g = &c->g;
    const mrn_scene *scene = c->scene;
    g->n_materials = scene->n_materials;
    for (int k = 0; k < scene->n_materials * scene->n_materials; k++)
        g->pair_of[k] = scene->pair_of[k];
    for (int k = 0; k < scene->n_interactions; k++) {
        const mrn_prepared *p = &scene->interaction[k].ready;
        for (int m = 0; m < MRN_LAW_KINDS; m++) {
            c->law[k].part[m] = number_of(p->part[m]);
            c->law[k].offset[m] = p->offset[m];
            memcpy(c->law[k].coef[m], p->coef[m], sizeof p->coef[m]);
        }
        c->law[k].moments = p->moments;
        c->law[k].range = p->range;
        c->law[k].whole = 0;
        for (int m = 0; m < MRN_LAW_KINDS; m++)
            c->law[k].whole |= p->whole[m] << m;
    }
}

/* Whether an interaction asks for what kept.h has. */
static bool is_kept(const mrn_gpu_law *law)
{
    return law->whole || law->range ||
           law->part[MRN_LAW_TANGENTIAL] == MRN_GPU_tangential_microslip;
}

/* An interaction as one of the commonest models. */
static mrn_gpu_model model_of(const mrn_cuda *c, int ia)
{
    const mrn_gpu *g = &c->g;
    if (g->width > MRN_GPU_HISTORY || (ia >= 0 && is_kept(&c->law[ia])))
        return MRN_GPU_KEPT;
    if (ia < 0 || g->moments || c->law[ia].part[MRN_LAW_COHESION] >= 0)
        return MRN_GPU_ANY;
    int n = c->law[ia].part[MRN_LAW_NORMAL], t = c->law[ia].part[MRN_LAW_TANGENTIAL];
    if (n == MRN_GPU_normal_tsuji && t == MRN_GPU_tangential_mindlin)
        return MRN_GPU_TSUJI_MINDLIN;
    if (n == MRN_GPU_normal_viscoelastic && t == MRN_GPU_tangential_mindlin)
        return MRN_GPU_VISCOELASTIC_MINDLIN;
    return n == MRN_GPU_normal_linear && t == MRN_GPU_tangential_linear ? MRN_GPU_LINEAR
                                                                        : MRN_GPU_ANY;
}

/* The model of all pairs of grains, and that of all pairs of grains and walls. */
static void set_models(mrn_cuda *c)
{
    mrn_gpu *g = &c->g;
    const mrn_bodies *b = &c->state->body;
    mrn_gpu_model any = g->width > MRN_GPU_HISTORY ? MRN_GPU_KEPT : MRN_GPU_ANY;
    for (int k = 0; k < c->scene->n_interactions; k++)
        any = is_kept(&c->law[k]) ? MRN_GPU_KEPT : any;
    c->model = c->wall_model = any;
    g->grain_law = 0;
    if (g->one_material < 0)
        return;
    const int32_t *row = g->pair_of + (size_t)g->one_material * (size_t)g->n_materials;
    g->grain_law = row[g->one_material];
    c->model = model_of(c, g->grain_law);
    for (int32_t w = 0; w < b->n_walls; w++) {
        mrn_gpu_model m = model_of(c, row[b->material[w]]);
        if (w == 0)
            c->wall_model = m;
        else if (m != c->wall_model)
            c->wall_model = any;
    }
}

/* Features of a wall, and bits of those that it leaves out. */
static void set_wall(const mrn_scene *scene, const mrn_state *s, int32_t w, mrn_gpu_wall *to)
{
    const mrn_shape *shape = &scene->shape[s->body.shape[w]];
    const mrn_motion *m = &scene->wall[s->body.group[w]].motion;
    const mrn_shape_type *t = shape->type;
    *to = (mrn_gpu_wall){.inside = shape->inside,
                         .material = s->body.material[w],
                         .met = !(s->body.flags[w] & MRN_BODY_ABSENT),
                         .met_by_fixed = m->kind == MRN_MOTION_SERVO,
                         .features = 1,
                         .servo = m->kind == MRN_MOTION_SERVO};
    mrn_store3(to->direction, m->servo_direction);
    memcpy(to->p, shape->p, sizeof to->p);
    mrn_store3(to->middle, mrn_wall_middle(shape));
    to->shape = t == &mrn_wall_box        ? MRN_GPU_BOX
                : t == &mrn_wall_cylinder ? MRN_GPU_CYLINDER
                : t == &mrn_wall_cone     ? MRN_GPU_CONE
                : t == &mrn_wall_ball     ? MRN_GPU_BALL
                : t == &mrn_wall_mesh     ? MRN_GPU_MESH
                                          : MRN_GPU_PLANE;
    if (t == &mrn_wall_mesh)
        to->features = 0; /* its triangles: the tree finds them */
    if (t == &mrn_wall_box && shape->inside)
        to->features = 2 * shape->dimension, to->open = (int)shape->p[3];
    if (t == &mrn_wall_cylinder && shape->inside && isfinite(shape->p[1]))
        to->features = 3, to->open = (int)shape->p[2] << 1;
}

/* Arrays of meshes one after another, each from a multiple of 16 bytes on. */
typedef struct mesh_array {
    const void *from;
    int64_t bytes;
} mesh_array;

static void arrays_of(const mrn_mesh *m, mesh_array a[4])
{
    a[0] = (mesh_array){m->point, 3 * D * (int64_t)m->n_points};
    a[1] = (mesh_array){m->normal, 3 * D * (int64_t)m->n_triangles};
    a[2] = (mesh_array){m->corner, 3 * I * (int64_t)m->n_triangles};
    a[3] = (mesh_array){m->node, (int64_t)sizeof *m->node * m->n_nodes};
}

static const mrn_mesh *mesh_of(const mrn_cuda *c, int32_t w)
{
    const mrn_shape *shape = &c->scene->shape[c->state->body.shape[w]];
    return shape->type == &mrn_wall_mesh ? shape->mesh : NULL;
}

/* Where the arrays of wall w go from byte `at` on; returns the end. Without `base` nothing goes. */
static int64_t put_mesh(mrn_cuda *c, int32_t w, char *base, int64_t at, mrn_mesh_view *to, bool *ok)
{
    const mrn_mesh *m = mesh_of(c, w);
    mesh_array a[4];
    char *place[4] = {NULL, NULL, NULL, NULL};
    if (m == NULL)
        return at;
    arrays_of(m, a);
    for (int k = 0; k < 4; k++) {
        if (base != NULL) {
            place[k] = base + at;
            *ok = *ok && c->ops->put(c->device, place[k], a[k].from, (size_t)a[k].bytes);
        }
        at += (a[k].bytes + 15) / 16 * 16;
    }
    *to = (mrn_mesh_view){(const double *)place[0], (const double *)place[1],
                          (const int32_t *)place[2], (const mrn_mesh_node *)place[3], m->n_nodes};
    return at;
}

static mrn_status put_meshes(mrn_cuda *c, mrn_gpu_wall *wall, mrn_message *msg)
{
    int64_t bytes = 0, at = 0;
    char *base = NULL;
    bool ok = true;
    for (int32_t w = 0; w < c->g.n_walls; w++)
        bytes = put_mesh(c, w, NULL, bytes, &wall[w].mesh, &ok);
    if (bytes == 0)
        return MRN_OK;
    mrn_status st = mrn_cuda_room(c, MRN_ROOM_MESHES, bytes, &base, msg);
    for (int32_t w = 0; st == MRN_OK && w < c->g.n_walls; w++)
        at = put_mesh(c, w, base, at, &wall[w].mesh, &ok);
    return st == MRN_OK && !ok ? mrn_cuda_failed(c, msg) : st;
}

static mrn_status put_walls(mrn_cuda *c, mrn_message *msg)
{
    int32_t n = c->g.n_walls;
    mrn_gpu_wall *wall = NULL;
    mrn_status st = mrn_array(&wall, n, sizeof *wall, msg);
    c->turning = false;
    for (int32_t w = 0; st == MRN_OK && w < n; w++) {
        set_wall(c->scene, c->state, w, &wall[w]);
        const mrn_motion *m = &c->scene->wall[w].motion;
        c->turning |= m->kind != MRN_MOTION_NONE &&
                      (mrn_norm(m->spin) > 0 ||
                       (m->kind == MRN_MOTION_PATH && !mrn_signal_is_zero(&m->angle)));
    }
    if (st == MRN_OK)
        st = put_meshes(c, wall, msg);
    if (st == MRN_OK && n > 0 &&
        !c->ops->put(c->device, c->g.walls, wall, (size_t)n * sizeof *wall))
        st = mrn_cuda_failed(c, msg);
    mrn_free(wall);
    return st;
}

/* The density of all grains, if their masses and moments of inertia are those of balls, to the last
   bit; else 0. */
static double one_density(const mrn_scene *scene, const mrn_bodies *b)
{
    double density = 0;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        double rho = scene->material[b->material[i]].density, r = b->radius[i];
        if (i == b->n_walls)
            density = rho;
        if (rho != density || b->mass[i] != rho * mrn_ball_volume(r) ||
            b->inertia[i] != b->mass[i] * mrn_ball_inertia(r))
            return 0;
    }
    return density;
}

static void set_scene(mrn_cuda *c)
{
    mrn_gpu *g = &c->g;
    const mrn_scene *scene = c->scene;
    const mrn_state *s = c->state;
    const mrn_bodies *b = &s->body;
    g->n = b->n - b->n_walls;
    g->n_walls = b->n_walls;
    g->images = mrn_images_of(scene, s);
    g->periodic = g->images.inv[0] != 0 || g->images.inv[1] != 0 || g->images.inv[2] != 0;
    g->origin = mrn_load3(s->cell_origin);
    g->flat = scene->dimension == 2;
    g->mixed = scene->precision == MRN_PRECISION_MIXED;
    g->density = g->mixed ? 0 : one_density(scene, b);
    g->heft = NULL;
    g->width = scene->history;
    g->moments = scene->moments;
    g->one_material = g->n > 0 ? b->material[b->n_walls] : 0;
    g->fixed = 0;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        g->fixed |= (b->flags[i] & MRN_BODY_FIXED) != 0;
        if (b->material[i] != g->one_material)
            g->one_material = -1;
    }
    g->material = g->still = NULL;
    g->group = NULL;
    g->image = NULL;
    g->n_clusters = 0; /* until they are entered */
    g->carried = g->sphere = g->carrier = NULL;
    g->cluster = NULL;
    g->form = NULL;
    g->centre = g->turned = NULL;
    g->n_groups = c->host->drive.load != NULL ? scene->n_groups : 0;
    g->damp_global = scene->damping.global, g->damp_local = scene->damping.local;
    g->damped = g->damp_global > 0 || g->damp_local > 0;
    g->drift_share = scene->integrator == MRN_EULER ? 0 : 0.5;
    g->extra = g->damped || g->n_groups > 0 || c->host->drive.varying_gravity ||
               scene->integrator == MRN_EULER || c->host->n_clusters > 0;
    g->ranged = scene->range;
    g->past = g->wall_more = g->gravities = NULL;
    g->more = g->mass_sum = NULL;
    g->moment = g->wall_moment = NULL;
    g->points = NULL;
    c->meshes = false;
    for (int32_t w = 0; w < g->n_walls; w++)
        c->meshes |= scene->shape[b->shape[w]].type == &mrn_wall_mesh;
    set_laws(c);
    set_models(c);
    for (int k = 0; k < MRN_LAW_KINDS; k++)
        for (int m = 0; m < MRN_COEF_MAX; m++)
            g->single[k][m] = (float)c->law[g->grain_law].coef[k][m];
    g->grains = c->law[g->grain_law];
    c->mean_radius = mrn_list_mean_radius(s);
    c->max_radius = mrn_list_max_radius(s);
    c->range = mrn_list_range(scene, s);
}

static bool any_clusters(const mrn_scene *scene)
{
    bool any = false;
    for (int k = 0; k < scene->n_groups; k++)
        any |= mrn_group_is_cluster(scene, &scene->group[k]);
    return any;
}

/* What a device has, but not together: contacts of kept.h know nothing of triangles, nor, as
   gravity that changes and Euler's rule, of a cell that strains, and servos not how stiff they are.
 */
mrn_status mrn_cuda_fits_together(mrn_cuda *c, mrn_message *msg)
{
    const mrn_drive_survey *d = &c->host->drive;
    const char *what = NULL, *where = "in a cell that strains";
    set_scene(c);
    if (keeps(c) && (d->strains || d->servo_walls || c->meshes)) {
        what = "springs without a dashpot, micro-slip and cohesion at a distance";
        where = d->strains ? where : d->servo_walls ? "beside walls that bear a load" : "on meshes";
    } else if (d->strains && d->varying_gravity) {
        what = "gravity that changes";
    } else if (c->g.mixed && any_clusters(c->scene)) {
        what = "clusters", where = "in mixed precision";
    }
    if (what == NULL)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "%s: not on the device yet %s", what, where);
    mrn_fail_expected(msg, "one of the two, or device: cpu");
    return mrn_fail_path(msg, "device");
}

/* ---- there ---- */

/* n numbers of `row` to the device, as it keeps them; row becomes them. */
static bool put_numbers(const mrn_cuda *c, double *to, int64_t at, double *row, int64_t n)
{
    const int64_t number = mrn_gpu_bytes_of_number(c->g.mixed);
    if (c->g.mixed)
        for (int64_t k = 0; k < n; k++) { /* never written before it is read */
            float f = (float)row[k];
            memcpy((char *)row + k * number, &f, sizeof f);
        }
    return c->ops->put(c->device, (char *)to + at * number, row, (size_t)(n * number));
}

/* And back: what comes as floats is spread from its end. */
static bool get_numbers(const mrn_cuda *c, double *row, const double *from, int64_t at, int64_t n)
{
    const int64_t number = mrn_gpu_bytes_of_number(c->g.mixed);
    bool ok = c->ops->get(c->device, row, (const char *)from + at * number, (size_t)(n * number));
    for (int64_t k = c->g.mixed && ok ? n - 1 : -1; k >= 0; k--) {
        float f;
        memcpy(&f, (const char *)row + k * number, sizeof f);
        row[k] = (double)f;
    }
    return ok;
}

static bool put_bodies(mrn_cuda *c, double *row)
{
    const mrn_bodies *b = &c->state->body;
    mrn_gpu *g = &c->g;
    const mrn_gpu_ops *ops = c->ops;
    int64_t n = g->n, w = b->n_walls;
    uint8_t *byte = (uint8_t *)row;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) {
        mrn_store3(row + 4 * k, mrn_load3(b->x + 3 * (k + w)));
        row[4 * k + 3] = b->radius[k + w];
    }
    bool ok = ops->put(c->device, g->place, row, (size_t)(4 * D * n));
    const int64_t m = mrn_gpu_motion_row(g->mixed), spin = m / 2;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) {
        if (g->mixed)
            row[m * k + 3] = b->mass[k + w], row[m * k + 7] = b->inertia[k + w];
        mrn_store3(row + m * k, mrn_load3(b->v + 3 * (k + w)));
        mrn_store3(row + m * k + spin, mrn_load3(b->w + 3 * (k + w)));
    }
    ok = ok && put_numbers(c, g->motion, 0, row, m * n);
    for (int64_t k = 0; k < n && g->heft != NULL; k++)
        row[2 * k] = b->mass[k + w], row[2 * k + 1] = b->inertia[k + w];
    if (g->heft != NULL)
        ok = ok && ops->put(c->device, g->heft, row, (size_t)(2 * D * n));
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) {
        mrn_store3(row + 6 * k, mrn_load3(b->f + 3 * (k + w)));
        mrn_store3(row + 6 * k + 3, mrn_load3(b->t + 3 * (k + w)));
    }
    ok = ok && put_numbers(c, g->pull, 0, row, MRN_GPU_FORCE * n);
    memcpy(row, b->q + 4 * w, (size_t)(4 * D * n));
    ok = ok && put_numbers(c, g->q, 0, row, 4 * n);
    ok = ok && ops->put(c->device, g->id, b->id + w, (size_t)(I * n));
    if (g->periodic)
        ok = ok && ops->put(c->device, g->image, b->image + 3 * w, (size_t)(3 * I * n));
    for (int64_t k = 0; k < n; k++)
        byte[k] = (uint8_t)b->material[k + w];
    if (g->one_material < 0)
        ok = ok && ops->put(c->device, g->material, byte, (size_t)n);
    for (int64_t k = 0; k < n; k++)
        byte[k] = (b->flags[k + w] & MRN_BODY_FIXED) != 0;
    if (g->fixed)
        ok = ok && ops->put(c->device, g->still, byte, (size_t)n);
    if (g->n_groups > 0)
        ok = ok && ops->put(c->device, g->group, b->group + w, (size_t)(2 * n));
    return ok;
}

/* Columns of history from rows. */
static void to_columns(const double *rows, int64_t n, int width, int64_t room, double *to)
{
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++)
        for (int h = 0; h < width; h++)
            to[h * room + k] = rows[k * width + h];
}

static void to_rows(const double *columns, int64_t n, int width, int64_t room, double *to)
{
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++)
        for (int h = 0; h < width; h++)
            to[k * width + h] = columns[h * room + k];
}

static bool put_pairs(mrn_cuda *c, double *row, int32_t *number)
{
    const mrn_pairs *p = &c->state->pair;
    const mrn_contacts *slots = &c->state->contact;
    mrn_gpu *g = &c->g;
    mrn_gpu_list *l = &g->list;
    const mrn_gpu_ops *ops = c->ops;
    int32_t walls = g->n_walls;
    size_t rows = (size_t)(I * (g->n + 1)), n = (size_t)l->n, m = (size_t)l->n_wall;
    bool ok = ops->put(c->device, l->row, p->row + walls, rows) &&
              ops->put(c->device, g->back_row, p->back_row + walls, rows) &&
              ops->put(c->device, g->back, p->back, n * I);
    for (int64_t k = 0; k < l->n; k++)
        number[k] = p->other[k] - walls;
    ok = ok && ops->put(c->device, l->other, number, n * I);
    for (int32_t i = walls; i < p->rows; i++)
        for (int32_t k = p->row[i]; k < p->row[i + 1]; k++)
            number[k] = i - walls;
    ok = ok && ops->put(c->device, g->owner, number, n * I) &&
         ops->put(c->device, l->alive, slots->flags, n);
    if (g->width > 0) {
        to_columns(slots->history, l->n, g->width, l->room, row);
        for (int h = 0; h < g->width && ok; h++)
            ok = put_numbers(c, l->kept, h * l->room, row + h * l->room, l->n);
    }
    /* walls */
    for (int64_t k = 0; k <= g->n; k++)
        number[k] = p->wall_row[walls + k] - (int32_t)p->n_grain;
    ok = ok && ops->put(c->device, l->wall_row, number, rows);
    int32_t grains = 0;
    for (int32_t k = 0; k < g->n; k++)
        if (p->wall_row[walls + k] < p->wall_row[walls + k + 1])
            number[grains++] = k;
    g->n_wall_grains = grains;
    ok = ok && ops->put(c->device, g->wall_grain, number, (size_t)grains * I);
    ok = ok && ops->put(c->device, l->wall, p->other + p->n_grain, m * I) &&
         ops->put(c->device, l->feature, p->feature, m * I) &&
         ops->put(c->device, l->wall_alive, slots->flags + p->n_grain, m);
    if (l->n_wall > 0)
        ok = ok && ops->put(c->device, l->point, mrn_contacts_point(slots, p->n_grain), 3 * D * m);
    if (g->width > 0 && l->n_wall > 0) {
        to_columns(slots->history + p->n_grain * g->width, l->n_wall, g->width, l->wall_room, row);
        for (int h = 0; h < g->width && ok; h++)
            ok =
                ops->put(c->device, l->wall_kept + h * l->wall_room, row + h * l->wall_room, m * D);
    }
    return ok;
}

/* Rows of numbers wide enough for every array on its way. */
static int64_t widest(const mrn_cuda *c)
{
    const mrn_gpu *g = &c->g;
    int64_t w = g->width > 6 ? g->width : 6, most = 8 * (int64_t)g->n;
    most = w * g->list.room > most ? w * g->list.room : most;
    return (w * g->list.wall_room > most ? w * g->list.wall_room : most) + 8;
}

/* The longest way that a grain has gone since the host's list was made. */
static double way_of(const mrn_bodies *b)
{
    double most = 0;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        size_t k = 3 * (size_t)i;
        mrn_vec3 d = mrn_sub(mrn_load3(b->x + k), mrn_load3(b->x_list + k));
        most = fmax(most, mrn_dot(d, d));
    }
    return (1 + 1e-9) * sqrt(most);
}

mrn_status mrn_cuda_enter(mrn_cuda *c, mrn_message *msg)
{
    const mrn_pairs *p = &c->state->pair;
    mrn_gpu *g = &c->g;
    double *row = NULL;
    int32_t *number = NULL;
    set_scene(c);
    mrn_status st = body_room(c, msg);
    if (st == MRN_OK)
        st = mrn_cuda_enter_cell(c, msg);
    if (st == MRN_OK)
        st = mrn_cuda_enter_clusters(c, keeps(c), msg);
    c->which = 0;
    c->skin = p->skin;
    c->way = way_of(&c->state->body);
    c->sparse = true;
    c->bounded = false;
    c->unsorted = INT_MAX;
    g->haste = NULL;
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_LIST, I * ((int64_t)g->n + 1), &g->list.row, msg);
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_LIST + 4, I * ((int64_t)g->n + 1), &g->list.wall_row, msg);
    if (st == MRN_OK)
        st = mrn_cuda_list_room(c, p->n_grain, p->n - p->n_grain, msg);
    if (st == MRN_OK)
        st = mrn_cuda_answer_room(c, msg);
    if (st == MRN_OK)
        st = mrn_array(&row, widest(c), sizeof *row, msg);
    int64_t most = g->n + 1 > p->n ? g->n + 1 : p->n;
    if (st == MRN_OK)
        st = mrn_array(&number, most, sizeof *number, msg);
    if (st == MRN_OK)
        st = put_walls(c, msg);
    int64_t walls = g->n_walls > 0 ? g->n_walls : 1;
    if (st == MRN_OK && c->pose == NULL)
        st = mrn_array(&c->pose, (MRN_GPU_SLOTS + 1) * walls, sizeof *c->pose, msg);
    if (st == MRN_OK && c->record == NULL)
        st = mrn_array(&c->record, MRN_GPU_SLOTS + 1, sizeof *c->record, msg);
    if (st == MRN_OK && c->wall_sum == NULL)
        st = mrn_array(&c->wall_sum, MRN_GPU_SLOTS * walls * 6, sizeof *c->wall_sum, msg);
    if (st == MRN_OK && c->from == NULL)
        st = mrn_array(&c->from, 13 * walls, sizeof *c->from, msg);
    if (st == MRN_OK && c->past == NULL)
        st = mrn_array(&c->past, walls, sizeof *c->past, msg);
    if (st == MRN_OK && c->walls_past == NULL && keeps(c))
        st = mrn_array(&c->walls_past, MRN_GPU_SLOTS * walls * 6, sizeof *c->walls_past, msg);
    if (st == MRN_OK && c->more == NULL && keeps(c))
        st = mrn_array(&c->more, MRN_GPU_SLOTS * MRN_GPU_MORE, sizeof *c->more, msg);
    if (st == MRN_OK && c->gravities == NULL && c->host->drive.varying_gravity)
        st = mrn_array(&c->gravities, MRN_GPU_SLOTS * 3, sizeof *c->gravities, msg);
    if (st == MRN_OK && c->mass_sum == NULL && c->host->drive.varying_gravity)
        st = mrn_array(&c->mass_sum, (MRN_GPU_SLOTS + 1) * MRN_GPU_MOMENTS, sizeof *c->mass_sum,
                       msg);
    if (st == MRN_OK && c->load == NULL && g->n_groups > 0)
        st = mrn_array(&c->load, MRN_GPU_SLOTS * (int64_t)g->n_groups, sizeof *c->load, msg);
    if (st == MRN_OK && c->allowance == NULL)
        st = mrn_array(&c->allowance, MRN_GPU_SLOTS + 1, sizeof *c->allowance, msg);
    if (st == MRN_OK && !(c->ops->put(c->device, c->room[MRN_ROOM_LAWS], c->law, sizeof c->law) &&
                          put_bodies(c, row) && put_pairs(c, row, number) &&
                          mrn_cuda_clear_forces(c) && c->ops->wait(c->device)))
        st = mrn_cuda_failed(c, msg);
    mrn_free(row);
    mrn_free(number);
    if (st == MRN_OK)
        lock(c, true);
    c->on = st == MRN_OK;
    return st;
}

/* ---- and back ---- */

/* Bodies on the host stand where the device has put them, but for what comes from there: that is
   old until it has come. */
static mrn_status follow_order(mrn_cuda *c, int32_t *id, mrn_message *msg)
{
    mrn_state *s = c->state;
    int32_t walls = s->body.n_walls, n = s->body.n, *perm = NULL;
    bool same = true;
    int64_t changes = s->body.changes;
    if (!c->ops->get(c->device, id, c->g.id, (size_t)(I * (int64_t)c->g.n)))
        return mrn_cuda_failed(c, msg);
    mrn_status st = mrn_array(&perm, n, sizeof *perm, msg);
    for (int32_t k = 0; st == MRN_OK && k < n; k++) {
        perm[k] = k < walls ? k : s->body.index_of[id[k - walls]];
        same = same && perm[k] == k;
    }
    const mrn_bodies *b = &s->body; /* what comes from the device needs no place of its own */
    const void *const come[] = {
        b->x, b->v, b->w, b->f, b->t, b->q, b->x_list, c->g.periodic ? b->image : NULL, NULL};
    if (st == MRN_OK && !same)
        st = mrn_bodies_permute_but(s, perm, come, msg);
    s->body.changes = changes; /* nothing that others may see */
    mrn_free(perm);
    return st;
}

static bool get_bodies(mrn_cuda *c, double *row)
{
    mrn_bodies *b = &c->state->body;
    const mrn_gpu *g = &c->g;
    const mrn_gpu_ops *ops = c->ops;
    int64_t n = g->n, w = b->n_walls;
    bool ok = ops->get(c->device, row, g->place, (size_t)(4 * D * n));
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++)
        mrn_store3(b->x + 3 * (k + w), mrn_load3(row + 4 * k));
    const int64_t m = mrn_gpu_motion_row(g->mixed), spin = m / 2;
    ok = ok && get_numbers(c, row, g->motion, 0, m * n);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) {
        mrn_store3(b->v + 3 * (k + w), mrn_load3(row + m * k));
        mrn_store3(b->w + 3 * (k + w), mrn_load3(row + m * k + spin));
    }
    ok = ok && get_numbers(c, row, g->pull, 0, MRN_GPU_FORCE * n);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) {
        mrn_store3(b->f + 3 * (k + w), mrn_load3(row + 6 * k));
        mrn_store3(b->t + 3 * (k + w), mrn_load3(row + 6 * k + 3));
    }
    ok = ok && get_numbers(c, row, g->q, 0, 4 * n);
    memcpy(b->q + 4 * w, row, (size_t)(4 * D * n));
    if (g->periodic)
        ok = ok && ops->get(c->device, b->image + 3 * w, g->image, (size_t)(3 * I * n));
    return ok;
}

/* Forces and levers of the n contacts from `at` on stand in `row`, moments on the device; nothing
   where they do not touch. */
static bool get_answers(mrn_cuda *c, const double *moment, int64_t at, int64_t n, double *row)
{
    mrn_contacts *slots = &c->state->contact;
    bool ok = true;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) {
        bool alive = mrn_contact_alive(slots, at + k);
        mrn_vec3 none = {0, 0, 0};
        mrn_store3(slots->force + 3 * (at + k), alive ? mrn_load3(row + 6 * k) : none);
        mrn_store3(slots->lever + 3 * (at + k), alive ? mrn_load3(row + 6 * k + 3) : none);
    }
    if (slots->moment == NULL)
        return ok;
    ok = ok && c->ops->get(c->device, row, moment, (size_t)(3 * D * n));
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) {
        mrn_vec3 none = {0, 0, 0};
        mrn_store3(slots->moment + 3 * (at + k),
                   mrn_contact_alive(slots, at + k) ? mrn_load3(row + 3 * k) : none);
    }
    return ok;
}

static bool get_pairs(mrn_cuda *c, double *row)
{
    mrn_pairs *p = &c->state->pair;
    mrn_contacts *slots = &c->state->contact;
    const mrn_gpu *g = &c->g;
    const mrn_gpu_list *l = &g->list;
    const mrn_gpu_ops *ops = c->ops;
    int32_t walls = g->n_walls;
    size_t rows = (size_t)(I * (g->n + 1)), n = (size_t)l->n, m = (size_t)l->n_wall;
    bool ok = ops->get(c->device, p->row + walls, l->row, rows) &&
              ops->get(c->device, p->back_row + walls, g->back_row, rows) &&
              ops->get(c->device, p->back, g->back, n * I) &&
              ops->get(c->device, p->other, l->other, n * I) &&
              ops->get(c->device, p->wall_row + walls, l->wall_row, rows) &&
              ops->get(c->device, p->other + p->n_grain, l->wall, m * I) &&
              ops->get(c->device, p->feature, l->feature, m * I) &&
              ops->get(c->device, slots->flags, l->alive, n) &&
              ops->get(c->device, slots->flags + p->n_grain, l->wall_alive, m);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < l->n; k++)
        p->other[k] += walls;
    for (int32_t i = 0; i < walls; i++)
        p->row[i] = p->back_row[i] = 0, p->wall_row[i] = (int32_t)p->n_grain;
    for (int32_t i = walls; i <= p->rows; i++)
        p->wall_row[i] += (int32_t)p->n_grain;
    for (int h = 0; h < g->width && ok; h++)
        ok = get_numbers(c, row + h * l->room, l->kept, h * l->room, l->n);
    if (g->width > 0)
        to_rows(row, l->n, g->width, l->room, slots->history);
    for (int h = 0; h < g->width && ok; h++)
        ok = ops->get(c->device, row + h * l->wall_room, l->wall_kept + h * l->wall_room, m * D);
    if (g->width > 0)
        to_rows(row, l->n_wall, g->width, l->wall_room, slots->history + p->n_grain * g->width);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < p->n; k++)
        for (int h = 0; h < g->width && !mrn_contact_alive(slots, k); h++)
            slots->history[k * g->width + h] = 0;
    if (l->n_wall > 0)
        ok = ok && ops->get(c->device, mrn_contacts_point(slots, p->n_grain), l->point, 3 * D * m);
    return ok && get_numbers(c, row, g->force, 0, MRN_GPU_FORCE * l->n) &&
           get_answers(c, g->moment, 0, l->n, row) &&
           ops->get(c->device, row, g->wall_force, (size_t)(MRN_GPU_FORCE * D * l->n_wall)) &&
           get_answers(c, g->wall_moment, p->n_grain, l->n_wall, row);
}

/* The list as the host has it: made here and now, and as far-reaching as it still is. */
static void tell_way(mrn_cuda *c)
{
    mrn_bodies *b = &c->state->body;
    size_t w = 3 * (size_t)b->n_walls;
    memcpy(b->x_list + w, b->x + w, (size_t)(3 * D * (int64_t)c->g.n));
    c->state->pair.skin -= 2 * c->way + mrn_cuda_strain_travel(c);
    c->way = c->strained = 0;
    memcpy(c->state->pair.cell_list, c->state->cell_size, sizeof c->state->cell_size);
    memcpy(c->state->pair.cell_list + 3, c->state->cell_tilt, sizeof c->state->cell_tilt);
}

mrn_status mrn_cuda_leave(mrn_cuda *c, mrn_message *msg)
{
    mrn_gpu_list *l = &c->g.list;
    if (!c->on)
        return MRN_OK;
    mrn_status st = through_room(c, widest(c), msg);
    if (st == MRN_OK && !c->ops->wait(c->device))
        st = mrn_cuda_failed(c, msg);
    if (st == MRN_OK)
        st = follow_order(c, (int32_t *)c->through, msg);
    if (st == MRN_OK && !get_bodies(c, c->through))
        st = mrn_cuda_failed(c, msg);
    if (st == MRN_OK)
        st = mrn_list_room(c->scene, c->state, l->n, l->n_wall, msg);
    if (st == MRN_OK && !get_pairs(c, c->through))
        st = mrn_cuda_failed(c, msg);
    if (st == MRN_OK)
        tell_way(c);
    c->on = st == MRN_OK;
    return st;
}

/* Places and velocities go to where the host has the bodies. */
mrn_status mrn_cuda_look(mrn_cuda *c, mrn_message *msg)
{
    mrn_bodies *b = &c->state->body;
    const mrn_gpu *g = &c->g;
    int64_t n = g->n;
    /* eight numbers, a name and three turns of each body */
    mrn_status st = through_room(c, 10 * n, msg);
    if (st != MRN_OK)
        return st;
    double *row = c->through;
    int32_t *id = (int32_t *)(row + 8 * n), *image = id + n;
    bool ok = c->ops->get(c->device, id, g->id, (size_t)(I * n)) &&
              c->ops->get(c->device, row, g->place, (size_t)(4 * D * n));
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < (ok ? n : 0); k++)
        mrn_store3(b->x + 3 * (size_t)b->index_of[id[k]], mrn_load3(row + 4 * k));
    const int64_t m = mrn_gpu_motion_row(g->mixed), spin = m / 2;
    ok = ok && get_numbers(c, row, g->motion, 0, m * n) &&
         (!g->periodic || c->ops->get(c->device, image, g->image, (size_t)(3 * I * n)));
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < (ok ? n : 0); k++) {
        size_t at = 3 * (size_t)b->index_of[id[k]];
        mrn_store3(b->v + at, mrn_load3(row + m * k));
        mrn_store3(b->w + at, mrn_load3(row + m * k + spin));
        if (g->periodic)
            memcpy(b->image + at, image + 3 * k, 3 * sizeof *image);
    }
    return ok ? MRN_OK : mrn_cuda_failed(c, msg);
}
