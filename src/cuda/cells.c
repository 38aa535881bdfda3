/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells that strain and servos: what the host foresees of a cell for the steps of a batch, and what
   servos of cell and walls ask of the contacts on the device before a step begins. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/bits.h"
#include "cuda/cuda.h"
#include "measure/body_energy.h"

/* ---- the cell through a step ---- */

mrn_cuda_past mrn_cuda_cell_past(const mrn_cuda *c)
{
    const mrn_state *s = c->state;
    mrn_cuda_past p = {.drive = s->drive, .volume = c->host->volume, .strained = c->strained};
    memcpy(p.size, s->cell_size, sizeof p.size);
    memcpy(p.tilt, s->cell_tilt, sizeof p.tilt);
    memcpy(p.rate, s->cell_rate, sizeof p.rate);
    memcpy(p.list, s->pair.cell_list, sizeof p.list);
    memcpy(p.used, c->host->rate_used, sizeof p.used);
    memcpy(p.virial, c->host->virial_from, sizeof p.virial);
    return p;
}

void mrn_cuda_cell_return(mrn_cuda *c, const mrn_cuda_past *p)
{
    mrn_state *s = c->state;
    s->drive = p->drive;
    c->host->volume = p->volume;
    c->strained = p->strained;
    memcpy(s->cell_size, p->size, sizeof p->size);
    memcpy(s->cell_tilt, p->tilt, sizeof p->tilt);
    memcpy(s->cell_rate, p->rate, sizeof p->rate);
    memcpy(s->pair.cell_list, p->list, sizeof p->list);
    memcpy(c->host->rate_used, p->used, sizeof p->used);
    memcpy(c->host->virial_from, p->virial, sizeof p->virial);
}

static mrn_cell_flow flow_of(const mrn_state *s, const double rate[6])
{
    mrn_cell_flow o = {.origin = mrn_load3(s->cell_origin)};
    for (int k = 0; k < MRN_STRAINS; k++) {
        o.rate[k] = rate[k];
        o.on |= rate[k] != 0;
    }
    return o;
}

/* The cell at the end of a step. */
static void note_end(const mrn_cuda *c, mrn_gpu_cell *to)
{
    const mrn_state *s = c->state;
    to->images = mrn_images_of(c->scene, s);
    to->flow = mrn_cell_flow_of(s);
    memcpy(to->size, s->cell_size, sizeof to->size);
    memcpy(to->tilt, s->cell_tilt, sizeof to->tilt);
}

/* Two grains whose centres the flow carries come together by at most the strain times their
   distance, and by a little more for their own ways: with h L of a step, d' = (1 + h L) d +
   (1 + h L/2) (way of one - way of the other), in whatever image, for the edges of the cell go as
   grains do. Of those that are in no list none is nearer than the list reaches when it comes near.
 */
static void add_strain(mrn_cuda *c)
{
    double norm = 0, skin = fmax(c->state->pair.skin, 0);
    for (int k = 0; k < MRN_STRAINS; k++)
        norm += c->host->rate_used[k] * c->host->rate_used[k];
    c->strained += (1 + 1e-9) * c->state->h * sqrt(norm) * (2 * c->max_radius + 2 * skin);
}

double mrn_cuda_strain_travel(const mrn_cuda *c)
{
    if (!c->g.strains)
        return 0;
    return c->g.absolute ? mrn_pairs_cell_travel(c->scene, c->state) : c->strained;
}

void mrn_cuda_begin_step(mrn_cuda *c, double end, mrn_gpu_cell *to)
{
    mrn_state *s = c->state;
    mrn_leaning turning = {0, 0, 0};
    if (c->g.strains && s->step % MRN_WRAP_EVERY == 0)
        turning = mrn_cell_turn_back(c->scene, s);
    mrn_images from = mrn_images_of(c->scene, s);
    mrn_smooth_move_walls(c->host, end);
    if (!c->g.strains)
        return;
    mrn_smooth_strain_cell(c->host, end);
    add_strain(c);
    if (to == NULL)
        return;
    to->turning = turning;
    to->from = from;
    to->carry = flow_of(s, c->host->rate_used);
    note_end(c, to);
}

void mrn_cuda_begun_cell(const mrn_cuda *c, mrn_gpu_cell *to)
{
    if (c->g.strains)
        note_end(c, to);
}

/* ---- what a step told ---- */

/* The number whose bits, in order, these are. */
static double of_ordered(uint64_t u)
{
    return mrn_of_bits(u >> 63 ? u & (UINT64_MAX >> 1) : ~u);
}

void mrn_cuda_strain_told(mrn_cuda *c, int slot, mrn_tally *t, mrn_body_tally *b)
{
    const mrn_gpu_strain *r = &c->strain[slot];
    if (!c->g.strains)
        return;
    for (int k = 0; k < MRN_STRAINS; k++) {
        t->virial[k] = mrn_cuda_sum(&r->virial[k]);
        b->kinetic[k] = mrn_cuda_sum(&r->body[MRN_GPU_KINETIC + k]);
    }
    b->lift = mrn_cuda_sum(&r->body[MRN_GPU_LIFT]);
    for (int k = 0; k < 3 && c->open; k++) {
        c->sums.least[k] = of_ordered(~r->least[k]);
        c->sums.most[k] = of_ordered(r->most[k]);
    }
}

/* Ends of the grains as the state's arrays have them. */
static void find_ends(mrn_cuda *c)
{
    const mrn_bodies *b = &c->state->body;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int32_t i = b->n_walls; i < b->n; i++) {
            double x = b->x[3 * (size_t)i + (size_t)k], r = b->radius[i];
            lo = x - r < lo ? x - r : lo;
            hi = x + r > hi ? x + r : hi;
        }
        c->sums.least[k] = lo, c->sums.most[k] = hi;
    }
}

/* ---- enter ---- */

static bool is_servo(const mrn_scene *scene, int32_t w)
{
    return scene->wall[w].motion.kind == MRN_MOTION_SERVO;
}

mrn_status mrn_cuda_enter_cell(mrn_cuda *c, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    const mrn_scene *scene = c->scene;
    mrn_status st = MRN_OK;
    int64_t walls = g->n_walls > 0 ? g->n_walls : 1;
    g->strains = c->host->drive.strains;
    g->absolute = g->n_walls > 0 || g->fixed; /* the flow carries neither */
    c->open = false;
    for (int k = 0; k < scene->dimension; k++)
        c->open |= g->strains && !scene->cell.periodic[k];
    c->servo_walls = c->host->drive.servo_walls;
    c->servo = c->servo_walls || mrn_drive_cell_servo(scene);
    c->strained = g->strains ? mrn_pairs_cell_travel(scene, c->state) : 0;
    if (g->strains) {
        st = mrn_cuda_room(c, MRN_ROOM_CELLS, (MRN_GPU_SLOTS + 1) * (int64_t)sizeof *g->cells,
                           &g->cells, msg);
        if (st == MRN_OK)
            st = mrn_cuda_room(c, MRN_ROOM_STRAIN, MRN_GPU_SLOTS * (int64_t)sizeof *g->strain,
                               &g->strain, msg);
        if (st == MRN_OK && c->strain == NULL)
            st = mrn_array(&c->strain, MRN_GPU_SLOTS, sizeof *c->strain, msg);
    }
    memcpy(g->size, c->state->cell_size, sizeof g->size);
    memcpy(g->tilt, c->state->cell_tilt, sizeof g->tilt);
    if (g->strains) /* they change: of them cells tell, and the world stays as it is */
        memset(g->size, 0, sizeof g->size), memset(g->tilt, 0, sizeof g->tilt);
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_TOTAL, 12 * (int64_t)sizeof *g->total, &g->total, msg);
    if (st == MRN_OK && c->resist == NULL)
        st = mrn_array(&c->resist, 2 * walls, sizeof *c->resist, msg);
    c->sums = (mrn_drive_sums){.wall = c->resist};
    if (c->open)
        find_ends(c);
    return st;
}

/* ---- servos ---- */

/* n sums over items, from the device. */
static bool ask(mrn_cuda *c, mrn_gpu_totals which, const mrn_gpu_step *s, int64_t items, int n,
                double *to)
{
    mrn_gpu_sum sum[12];
    size_t bytes = (size_t)n * sizeof *sum;
    if (!c->ops->clear(c->device, c->g.total, bytes) ||
        !c->ops->total(c->device, which, &c->g, s, false, items, c->g.total) ||
        !c->ops->get(c->device, sum, c->g.total, bytes))
        return false;
    for (int k = 0; k < n; k++)
        to[k] = mrn_cuda_sum(&sum[k]);
    return true;
}

/* Stiffness and damping of the contacts of each servo wall along its direction. */
static bool ask_walls(mrn_cuda *c, const mrn_gpu_step *s)
{
    mrn_gpu *g = &c->g;
    int64_t n = g->list.n_wall;
    bool ok = n == 0 || c->ops->run(c->device, MRN_GPU_KERNEL_resist, g, s, g->n_wall_grains);
    for (int32_t w = 0; w < g->n_walls && ok; w++) {
        c->resist[2 * w] = c->resist[2 * w + 1] = 0;
        if (!is_servo(c->scene, w) || n == 0)
            continue;
        const mrn_gpu_step of = {.at = w};
        ok = ask(c, MRN_GPU_TOTAL_resistance, &of, n, 2, c->resist + 2 * (size_t)w);
    }
    return ok;
}

/* Bodies are put back into the cell before servos look, as on the host. */
static bool put_back(mrn_cuda *c, const mrn_gpu_step *s)
{
    c->wrapped = c->state->step % MRN_WRAP_EVERY == 0;
    return !c->wrapped || !c->g.periodic ||
           c->ops->run(c->device, MRN_GPU_KERNEL_put_back, &c->g, s, c->g.n);
}

mrn_status mrn_cuda_measure(mrn_cuda *c, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    const mrn_gpu_step s = {.posed = MRN_GPU_SLOTS};
    double pairs[12];
    bool ok = true;
    c->wrapped = false;
    if (!c->servo || c->moved)
        return MRN_OK;
    if (g->strains) {
        mrn_cuda_past past = mrn_cuda_cell_past(c);
        mrn_gpu_cell cell = {.turning = {0, 0, 0}};
        if (c->state->step % MRN_WRAP_EVERY == 0)
            cell.turning = mrn_cell_turn_back(c->scene, c->state);
        cell.from = mrn_images_of(c->scene, c->state);
        mrn_cuda_cell_return(c, &past);
        ok = c->ops->put(c->device, g->cells, &cell, sizeof cell);
    }
    ok = ok && put_back(c, &s);
    if (ok && c->servo_walls)
        ok = mrn_cuda_put_poses(c) && ask_walls(c, &s);
    if (ok && mrn_drive_cell_measures(c->scene, c->state)) {
        ok = ask(c, MRN_GPU_TOTAL_stiffness, &s, g->list.n, 12, pairs);
        memcpy(c->sums.stiff, pairs, sizeof c->sums.stiff);
        memcpy(c->sums.viscous, pairs + MRN_STRAINS, sizeof c->sums.viscous);
    }
    return ok ? MRN_OK : mrn_cuda_failed(c, msg);
}

/* ---- energies of the bodies ---- */

mrn_status mrn_cuda_energies(mrn_cuda *c, double sum[3], bool *known, mrn_message *msg)
{
    const mrn_gpu_step s = {.at = 0};
    mrn_gpu_cell now = {.turning = {0, 0, 0}};
    *known = c->on && c->told == 0;
    if (!*known)
        return MRN_OK;
    c->g.gravity = mrn_load3(c->state->gravity);
    bool ok = true;
    if (c->g.strains) {
        note_end(c, &now);
        ok = c->ops->put(c->device, c->g.cells + MRN_GPU_SLOTS, &now, sizeof now);
    }
    ok = ok && ask(c, MRN_GPU_TOTAL_energies, &s, c->g.n, MRN_ENERGY_TERMS, sum);
    return ok ? MRN_OK : mrn_cuda_failed(c, msg);
}
