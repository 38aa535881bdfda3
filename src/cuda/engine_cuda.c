/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps on a device. Batches of steps are sent off without waiting; each step leaves a record of
   what the host books: ways, overlaps, sums of energies, loads on walls. A step whose list is old,
   or after a contact as deep as its radius, does nothing, nor do those after it: the host sees in
   the records how many were made. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/bits.h"
#include "cuda/cuda.h"
#include "drive/drive.h"

/* ---- create, refresh ---- */

mrn_status mrn_cuda_create(const mrn_scene *scene, mrn_state *s, mrn_cuda **out, mrn_message *msg)
{
    *out = NULL;
    mrn_status st = mrn_cuda_fits(scene, s, msg);
    mrn_cuda *c = NULL;
    if (st == MRN_OK)
        st = mrn_array(&c, 1, sizeof *c, msg);
    if (st != MRN_OK)
        return st;
    c->ops = scene->device == MRN_DEVICE_EMULATED ? &mrn_gpu_emulated : &mrn_gpu_cuda;
    c->scene = scene;
    c->state = s;
    c->pace = c->fast = -1;
    *out = c;
    st = c->ops->open(&c->about, &c->device, msg);
    c->opened = st == MRN_OK;
    if (st == MRN_OK)
        st = mrn_smooth_create(scene, s, &c->host, msg);
    if (st == MRN_OK)
        st = mrn_cuda_fits_together(c, msg);
    if (st != MRN_OK)
        mrn_cuda_destroy(out);
    return st;
}

void mrn_cuda_destroy(mrn_cuda **out)
{
    mrn_cuda *c = *out;
    if (c == NULL)
        return;
    mrn_cuda_release(c);
    if (c->opened)
        c->ops->leave(c->device);
    mrn_smooth_destroy(&c->host);
    mrn_free(c);
    *out = NULL;
}

mrn_status mrn_cuda_refresh(mrn_cuda *c, mrn_message *msg)
{
    mrn_status st = mrn_cuda_fits(c->scene, c->state, msg);
    c->on = c->moved = false;
    if (st == MRN_OK)
        st = mrn_smooth_refresh(c->host, msg);
    return st == MRN_OK ? mrn_cuda_fits_together(c, msg) : st;
}

/* ---- walls ---- */

static void walls_out(const mrn_state *s, double *to)
{
    for (int32_t w = 0; w < s->body.n_walls; w++, to += 13) {
        size_t k = (size_t)w;
        memcpy(to, s->body.x + 3 * k, 3 * sizeof *to);
        memcpy(to + 3, s->body.q + 4 * k, 4 * sizeof *to);
        memcpy(to + 7, s->body.v + 3 * k, 3 * sizeof *to);
        memcpy(to + 10, s->body.w + 3 * k, 3 * sizeof *to);
    }
}

static void walls_in(mrn_state *s, const double *from)
{
    for (int32_t w = 0; w < s->body.n_walls; w++, from += 13) {
        size_t k = (size_t)w;
        memcpy(s->body.x + 3 * k, from, 3 * sizeof *from);
        memcpy(s->body.q + 4 * k, from + 3, 4 * sizeof *from);
        memcpy(s->body.v + 3 * k, from + 7, 3 * sizeof *from);
        memcpy(s->body.w + 3 * k, from + 10, 3 * sizeof *from);
    }
}

_Static_assert(sizeof(mrn_gpu_pose) == 13 * sizeof(double), "a pose is 13 numbers");

static double end_of(const mrn_state *s, int64_t ahead)
{
    return s->base_time + (double)(s->step + 1 + ahead - s->base_step) * s->h;
}

/* Way that grains may have gone before the list is old. */
static double allowance(const mrn_cuda *c)
{
    if (c->g.strains && !c->g.absolute)
        return 0.5 * fmax(c->state->pair.skin - mrn_cuda_strain_travel(c), 0);
    return sqrt(mrn_pairs_allowance(c->scene, c->state));
}

/* Where walls were when the step began, for springs without a dashpot. */
static void note_past(mrn_cuda *c, int k)
{
    int32_t walls = c->state->body.n_walls;
    double *to = c->walls_past + 6 * (size_t)k * (size_t)walls;
    for (int32_t w = 0; w < walls; w++, to += 6) {
        mrn_store3(to, c->host->wall_from[w].x);
        mrn_store3(to + 3, c->host->wall_from[w].w);
    }
}

/* What has been foreseen of k steps goes to the device. */
static bool put_foreseen(mrn_cuda *c, size_t k)
{
    const mrn_gpu *g = &c->g;
    const mrn_gpu_ops *ops = c->ops;
    size_t walls = (size_t)c->state->body.n_walls, groups = (size_t)g->n_groups;
    return (walls == 0 || ops->put(c->device, g->pose, c->pose, k * walls * sizeof *c->pose)) &&
           (groups == 0 || ops->put(c->device, g->load, c->load, k * groups * sizeof *c->load)) &&
           (walls == 0 || g->past == NULL ||
            ops->put(c->device, g->past, c->walls_past, 6 * k * walls * sizeof *c->walls_past)) &&
           (g->gravities == NULL ||
            ops->put(c->device, g->gravities, c->gravities, 3 * k * sizeof *c->gravities)) &&
           (!g->strains || ops->put(c->device, g->cells, c->cell, k * sizeof *c->cell));
}

/* Poses of walls, gravity, loads on bodies and allowances of the list through *n steps; walls then
   stand where they stood. Where drives go out of bounds the batch ends before; an error if at once.
 */
static mrn_status foresee(mrn_cuda *c, int *n, mrn_message *msg)
{
    mrn_state *s = c->state;
    size_t walls = (size_t)s->body.n_walls, groups = (size_t)c->g.n_groups;
    double travel = s->pair.wall_travel, time = s->time;
    const mrn_vec3 gravity = mrn_load3(s->gravity);
    int64_t step = s->step;
    mrn_status st = MRN_OK;
    mrn_cuda_past past = mrn_cuda_cell_past(c);
    int k = 0;
    walls_out(s, c->from);
    if (walls > 0)
        memcpy(c->past, c->host->wall_from, walls * sizeof *c->past); /* of a step begun */
    for (; k < *n; k++) {
        double end = end_of(s, 0);
        mrn_load *load = groups > 0 ? c->load + (size_t)k * groups : NULL;
        if (k == 0 && c->moved)
            mrn_cuda_begun_cell(c, &c->cell[k]);
        else
            mrn_cuda_begin_step(c, end, &c->cell[k]);
        if (c->g.past != NULL)
            note_past(c, k);
        if (c->g.gravities != NULL) {
            mrn_drive_gravity(c->scene, s, end);
            memcpy(c->gravities + 3 * k, s->gravity, 3 * sizeof *c->gravities);
        }
        if (load != NULL)
            mrn_drive_loads(c->scene, s, end, load);
        st = mrn_drive_check(c->scene, s, end, load, msg);
        if (st != MRN_OK)
            break;
        c->allowance[k] = k == 0 && c->moved ? INFINITY : allowance(c);
        walls_out(s, (double *)(c->pose + (size_t)k * walls));
        s->time = end;
        s->step++;
    }
    s->step = step, s->time = time, s->pair.wall_travel = travel;
    mrn_store3(s->gravity, gravity);
    walls_in(s, c->from);
    mrn_cuda_cell_return(c, &past);
    if (walls > 0)
        memcpy(c->host->wall_from, c->past, walls * sizeof *c->past);
    if (k == 0)
        return st;
    *n = k;
    return put_foreseen(c, (size_t)k) ? MRN_OK : mrn_cuda_failed(c, msg);
}

static double sum_of_levels(const mrn_gpu_sum *from, int levels)
{
    mrn_sum s = {.top = from->top, .lost = from->lost != 0};
    for (int f = 0; f < levels && from->top - 1 - f >= 0; f++)
        s.count[f] = (mrn_int128)from->high[from->top - 1 - f] * ((int64_t)1 << 32) +
                     from->low[from->top - 1 - f];
    return mrn_sum_value(&s);
}

double mrn_cuda_sum(const mrn_gpu_sum *from)
{
    return sum_of_levels(from, MRN_SUM_FOLDS);
}

/* Forces on walls of a step, as smooth/forces.c leaves them. */
static void load_walls(mrn_cuda *c, int slot)
{
    mrn_bodies *b = &c->state->body;
    for (int32_t w = 0; w < b->n_walls; w++) {
        const mrn_gpu_sum *sum = c->wall_sum + 6 * ((size_t)slot * (size_t)b->n_walls + (size_t)w);
        for (int k = 0; k < 3; k++) {
            b->f[3 * w + k] = mrn_cuda_sum(&sum[k]);
            b->t[3 * w + k] = mrn_cuda_sum(&sum[3 + k]);
        }
    }
}

/* ---- a batch ---- */

static mrn_tally tally_of(const mrn_gpu_record *r, bool mixed)
{
    const int levels = mixed ? MRN_GPU_MIXED_FOLDS : MRN_SUM_FOLDS;
    return (mrn_tally){.energy_n = sum_of_levels(&r->sum[MRN_GPU_ENERGY_N], levels),
                       .energy_t = sum_of_levels(&r->sum[MRN_GPU_ENERGY_T], levels),
                       .loss_n = sum_of_levels(&r->sum[MRN_GPU_LOSS_N], levels),
                       .power_t = sum_of_levels(&r->sum[MRN_GPU_POWER_T], levels),
                       .max_overlap = mrn_of_bits(r->overlap),
                       .contacts = r->contacts,
                       .sliding = r->sliding};
}

/* The n steps of a batch, and the pass that begins it. */
static bool plan(mrn_cuda *c, int n)
{
    int64_t step = c->state->step;
    for (int k = 0; k < n; k++)
        c->step[k] = (mrn_gpu_step){.at = k,
                                    .slot = k,
                                    .posed = k,
                                    .allowance = c->allowance[k],
                                    .kick = 1,
                                    .drift = k + 1 < n,
                                    .wrap = (step + k + 1) % MRN_WRAP_EVERY == 0};
    c->step[MRN_GPU_SLOTS] = (mrn_gpu_step){.at = MRN_GPU_SLOTS,
                                            .way = c->way,
                                            .drift = 1,
                                            .wrap = step % MRN_WRAP_EVERY == 0 && !c->wrapped};
    return c->ops->put(c->device, c->g.step, c->step, sizeof c->step);
}

static bool send_step(mrn_cuda *c, const mrn_gpu_step *s)
{
    const mrn_gpu *g = &c->g;
    return (g->turned == NULL || c->ops->turns(c->device, g, s)) &&
           (g->list.n_wall == 0 || c->ops->walls(c->device, g, s, c->wall_model)) &&
           c->ops->contacts(c->device, g, s, c->model, c->sparse) &&
           (!g->strains || c->ops->total(c->device, MRN_GPU_TOTAL_virial, g, s, true, g->list.n,
                                         g->strain[s->slot].virial)) &&
           (!c->open || c->ops->ends(c->device, g, s)) &&
           (g->mass_sum == NULL || c->ops->moments(c->device, g, s)) &&
           c->ops->bodies(c->device, g, s) &&
           (g->n_clusters == 0 || c->ops->clusters(c->device, g, s));
}

static bool send_steps(mrn_cuda *c, int n)
{
    const mrn_gpu_ops *ops = c->ops;
    int form = 4 * n + 2 * c->moved + c->sparse;
    if (ops->replay != NULL && ops->replay(c->device, &c->g, form))
        return true;
    const mrn_gpu_step *begin = &c->step[MRN_GPU_SLOTS];
    bool ok = c->moved || ((c->g.mass_sum == NULL || ops->moments(c->device, &c->g, begin)) &&
                           ops->bodies(c->device, &c->g, begin) &&
                           (c->g.n_clusters == 0 || ops->clusters(c->device, &c->g, begin)));
    for (int k = 0; k < n && ok; k++)
        ok = send_step(c, &c->step[k]);
    return (ops->close == NULL || ops->close(c->device)) && ok;
}

static bool send(mrn_cuda *c, int n)
{
    mrn_gpu *g = &c->g;
    size_t walls = (size_t)g->n_walls * 6 * sizeof *c->wall_sum;
    g->h = c->state->h;
    if (g->gravities == NULL) /* else those of the steps count */
        g->gravity = mrn_load3(c->state->gravity);
    const size_t more = (size_t)n * MRN_GPU_MORE * sizeof *g->more;
    const size_t moments = (MRN_GPU_SLOTS + 1) * MRN_GPU_MOMENTS * sizeof *g->mass_sum;
    const size_t strain = g->strains ? (size_t)n * sizeof *g->strain : 0;
    bool ok = c->ops->clear(c->device, g->record, (size_t)(n + 1) * sizeof *g->record) &&
              (strain == 0 || c->ops->clear(c->device, g->strain, strain)) &&
              (walls == 0 || c->ops->clear(c->device, g->wall_sum, (size_t)n * walls)) &&
              (g->more == NULL || c->ops->clear(c->device, g->more, more)) &&
              (g->mass_sum == NULL || c->ops->clear(c->device, g->mass_sum, moments));
    mrn_gpu_copy told[5];
    int n_told = 0;
    told[n_told++] = (mrn_gpu_copy){c->record, g->record, (size_t)(n + 1) * sizeof *g->record};
    if (walls > 0)
        told[n_told++] = (mrn_gpu_copy){c->wall_sum, g->wall_sum, (size_t)n * walls};
    if (g->more != NULL)
        told[n_told++] = (mrn_gpu_copy){c->more, g->more, more};
    if (g->mass_sum != NULL)
        told[n_told++] = (mrn_gpu_copy){c->mass_sum, g->mass_sum, moments};
    if (strain > 0)
        told[n_told++] = (mrn_gpu_copy){c->strain, g->strain, strain};
    return ok && plan(c, n) && send_steps(c, n) && c->ops->fetch(c->device, n_told, told);
}

/* First moment of mass as step k of the batch begins, before anything has moved. */
static mrn_vec3 moment_before(const mrn_cuda *c, int k)
{
    const mrn_gpu_sum *sum = c->mass_sum + MRN_GPU_MOMENTS * (k > 0 ? k - 1 : MRN_GPU_SLOTS) + 3;
    if (k == 0 && c->moved)
        return c->mass_moment;
    return mrn_v3(mrn_cuda_sum(&sum[0]), mrn_cuda_sum(&sum[1]), mrn_cuda_sum(&sum[2]));
}

/* Gravity goes to the end of step k, as in smooth/engine_smooth.c, move_under_drives. */
static void change_gravity(mrn_cuda *c, int k, double end)
{
    const mrn_gpu_sum *sum = c->mass_sum + MRN_GPU_MOMENTS * k;
    mrn_vec3 now = {mrn_cuda_sum(&sum[0]), mrn_cuda_sum(&sum[1]), mrn_cuda_sum(&sum[2])};
    mrn_vec3 both = mrn_add(moment_before(c, k), now);
    mrn_drive_change_gravity(c->scene, c->state, mrn_scale(0.5, both), end);
}

/* Books what the steps of a batch told: how many were made, and what ended them. */
static int book(mrn_cuda *c, int n, bool *deep)
{
    mrn_state *s = c->state;
    int k = 0;
    for (*deep = false; k < n && !*deep; k++) {
        const mrn_gpu_record *r = &c->record[k];
        if (!(mrn_gpu_way(r) < c->allowance[k]))
            break;
        double end = end_of(s, 0);
        mrn_tally t = tally_of(r, c->g.mixed != 0);
        mrn_body_tally b = {.damping = mrn_cuda_sum(&r->power[MRN_GPU_DAMPING]),
                            .drive = mrn_cuda_sum(&r->power[MRN_GPU_DRIVE])};
        if (!(k == 0 && c->moved))
            mrn_cuda_begin_step(c, end, NULL);
        mrn_cuda_strain_told(c, k, &t, &b);
        load_walls(c, k);
        if (c->g.more != NULL) {
            t.work_t = mrn_cuda_sum(&c->more[MRN_GPU_MORE * k + MRN_GPU_WORK_T]);
            t.jump = mrn_cuda_sum(&c->more[MRN_GPU_MORE * k + MRN_GPU_JUMP]);
        }
        if (c->g.gravities != NULL)
            change_gravity(c, k, end);
        mrn_smooth_end_step(c->host, &t, &b, end);
        c->times.steps++;
        c->times.body_steps += c->g.n;
        *deep = !(t.max_overlap < 1);
    }
    return k;
}

/* How far grains and walls go in a step, and how many pairs touch: what the next list is made for.
 */
static void note_pace(mrn_cuda *c, int made, double walls_before, double strain_before)
{
    if (made == 0)
        return;
    double way = c->record[made].way - c->record[0].way;
    double walls = c->state->pair.wall_travel - walls_before, now = fmax(way, walls) / made;
    now += 0.5 * fmax(mrn_cuda_strain_travel(c) - strain_before, 0) / made;
    c->pace = c->pace < 0 ? now : 0.5 * (c->pace + now);
    c->wall_pace = walls / made;
    c->sparse = (double)c->g.list.n > 1.4 * (double)c->record[made - 1].contacts;
    c->way = c->record[made].way;
}

bool mrn_cuda_put_poses(mrn_cuda *c)
{
    size_t walls = (size_t)c->g.n_walls;
    walls_out(c->state, (double *)c->pose);
    return walls == 0 || c->ops->put(c->device, c->g.pose + MRN_GPU_SLOTS * walls, c->pose,
                                     walls * sizeof *c->pose);
}

static mrn_status build(mrn_cuda *c, mrn_message *msg)
{
    double t0 = mrn_clock();
    if (!mrn_cuda_put_poses(c))
        return mrn_cuda_failed(c, msg);
    if (c->g.strains)
        c->g.images = mrn_images_of(c->scene, c->state);
    mrn_status st = mrn_cuda_build(c, msg);
    double took = mrn_clock() - t0;
    c->times.list += took;
    c->list_time = c->list_time > 0 ? 0.75 * c->list_time + 0.25 * took : took;
    return st;
}

/* At most n steps: those until the list is old, which is then made anew for the step begun. */
static mrn_status batch(mrn_cuda *c, int n, int *made, mrn_message *msg)
{
    bool deep;
    double t0 = mrn_clock(), travel = c->state->pair.wall_travel;
    double strain = mrn_cuda_strain_travel(c);
    *made = 0;
    mrn_status st = mrn_cuda_measure(c, msg);
    c->host->sums = &c->sums;
    if (st == MRN_OK)
        st = foresee(c, &n, msg);
    if (st == MRN_OK && !send(c, n))
        st = mrn_cuda_failed(c, msg);
    if (st != MRN_OK)
        return st;
    *made = book(c, n, &deep);
    note_pace(c, *made, travel, strain);
    if (*made < n && c->g.gravities != NULL)
        c->mass_moment = moment_before(c, *made);
    c->moved = false;
    double took = mrn_clock() - t0;
    c->times.forces += took;
    if (*made > 0)
        c->step_time = c->step_time > 0 ? 0.75 * c->step_time + 0.25 * took / *made : took / *made;
    if (deep) {
        st = mrn_cuda_leave(c, msg);
        return st == MRN_OK ? mrn_smooth_explain_overlap(c->host, msg) : st;
    }
    if (*made == n)
        return MRN_OK;
    /* the step begun: walls go where they are at its end, as grains have */
    mrn_cuda_begin_step(c, end_of(c->state, 0), NULL);
    c->moved = true;
    return build(c, msg);
}

/* Grains come and go on the host, every MRN_SOURCE_EVERY steps; then the device gets the world
 * anew. */
static mrn_status let_in_and_out(mrn_cuda *c, mrn_message *msg)
{
    bool changed = false;
    mrn_status st = MRN_OK;
    if (c->moved || !c->host->drive.sources || c->state->step % MRN_SOURCE_EVERY != 0)
        return MRN_OK;
    if (c->on)
        st = mrn_cuda_leave(c, msg);
    c->on = false;
    if (st == MRN_OK)
        st = mrn_drive_update_sources(c->scene, c->state, &c->host->drive, &changed, msg);
    return st == MRN_OK && changed ? mrn_smooth_refresh(c->host, msg) : st;
}

/* Steps that the list will last for, about: those sent off beyond do nothing, but take their time.
 */
static int64_t expected(const mrn_cuda *c)
{
    double left = 0.5 * (c->state->pair.skin - mrn_cuda_strain_travel(c)) - c->way;
    double steps = left / c->pace;
    return c->pace > 0 && steps < MRN_GPU_SLOTS ? 1 + (int64_t)fmax(steps, 0) : MRN_GPU_SLOTS;
}

/* Steps that can be sent off together. */
static int at_once(const mrn_cuda *c, int64_t n)
{
    int64_t most = expected(c);
    if (c->host->drive.sources) {
        int64_t next = MRN_SOURCE_EVERY - c->state->step % MRN_SOURCE_EVERY;
        most = next < most ? next : most;
    }
    most = c->servo ? 1 : most; /* it asks what the last step gave */
    return (int)(n < most ? n : most);
}

mrn_status mrn_cuda_step(mrn_cuda *c, int64_t n, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    if (n > 0 && !mrn_pairs_current(c->state)) { /* bodies came or went from outside */
        c->on = false;
        st = mrn_smooth_refresh(c->host, msg);
    }
    for (int made = 0; st == MRN_OK && n > 0; n -= made) {
        made = 0;
        st = let_in_and_out(c, msg);
        if (st == MRN_OK && !c->on)
            st = mrn_cuda_enter(c, msg);
        if (st == MRN_OK && mrn_cuda_too_thick(c))
            st = build(c, msg);
        if (st == MRN_OK)
            st = batch(c, at_once(c, n), &made, msg);
        c->host->sums = NULL;
    }
    c->told = 0;
    c->on = c->on && st == MRN_OK;
    return st;
}

mrn_status mrn_cuda_sync(mrn_cuda *c, bool all, bool keep, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    int want = all ? 2 : 1;
    if (c->on && c->told < want)
        st = all ? mrn_cuda_leave(c, msg) : mrn_cuda_look(c, msg);
    c->told = st == MRN_OK && want > c->told ? want : c->told;
    c->on = c->on && keep && st == MRN_OK;
    return st;
}
