/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free spheres, many steps in a call: the idea stands in stream.h. */
#include "smooth/stream.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/base.h"
#include "base/columns.h"
#include "base/dispatch.h"
#include "smooth/motion.h"
#include "smooth/sphere_pair.h"

/* ---- room ---- */

enum { LINE = 64 }; /* bytes of a line of the cache */

/* Where n entries of `size` bytes go in a block of which `used` bytes are taken; they begin a line.
 */
static size_t claim(size_t *used, int64_t n, size_t size)
{
    size_t at = *used;
    *used += ((size_t)n * size + LINE - 1) / LINE * LINE;
    return at;
}

static void give_back(mrn_stream *s, int which)
{
    mrn_free(s->memory[which]);
    s->memory[which] = NULL;
    s->room[which] = 0;
}

/* A block that begins a line, and a line more, for what is read together with the last entries;
   what stood there is lost. One block for all bodies and one for all contacts: they lie in large
   pages where arrays by themselves would be too short for these. A little more than is needed: the
   next list is about as long. */
static char *room_for(mrn_stream *s, int which, size_t bytes)
{
    int64_t need = (int64_t)bytes + 2 * LINE;
    if (need > s->room[which]) {
        give_back(s, which); /* not to be copied: first */
        s->room[which] = need + need / 32;
        s->memory[which] = mrn_realloc(NULL, (size_t)s->room[which]);
    }
    if (s->memory[which] == NULL) {
        s->room[which] = 0;
        return NULL;
    }
    return (char *)(((uintptr_t)s->memory[which] + LINE - 1) & ~(uintptr_t)(LINE - 1));
}

enum { ROOM_BODIES, ROOM_CONTACTS, ROOM_LINES };

static bool take_bodies(mrn_stream *s, int64_t n)
{
    size_t used = 0;
    size_t place = claim(&used, n, 4 * sizeof *s->place);
    size_t motion = claim(&used, n, 8 * sizeof *s->motion);
    size_t pull = claim(&used, n, 8 * sizeof *s->pull);
    size_t ready = claim(&used, n, sizeof *s->ready);
    size_t term_row = claim(&used, n + 1, sizeof *s->term_row);
    char *all = room_for(s, ROOM_BODIES, used);
    if (all == NULL)
        return false;
    s->place = (double *)(void *)(all + place);
    s->motion = (double *)(void *)(all + motion);
    s->pull = (double *)(void *)(all + pull);
    s->ready = (int32_t *)(void *)(all + ready);
    s->term_row = (int32_t *)(void *)(all + term_row);
    return true;
}

static bool take_contacts(mrn_stream *s, int64_t n)
{
    int64_t blocks = (n + MRN_STREAM_BLOCK - 1) / MRN_STREAM_BLOCK,
            many = blocks * MRN_STREAM_BLOCK;
    size_t used = 0;
    size_t ends = claim(&used, many, 2 * sizeof *s->ends);
    size_t slot = claim(&used, many, sizeof *s->slot);
    size_t line = claim(&used, many, sizeof *s->line);
    size_t kept = claim(&used, many, (size_t)s->columns * sizeof *s->kept);
    size_t alive = claim(&used, many, sizeof *s->alive);
    size_t term = claim(&used, many, 2 * sizeof *s->term);
    size_t ready_row = claim(&used, blocks + 2, sizeof *s->ready_row);
    size_t far_row = claim(&used, blocks + 1, sizeof *s->far_row);
    char *all = room_for(s, ROOM_CONTACTS, used);
    if (all == NULL)
        return false;
    s->n = n;
    s->blocks = blocks;
    s->ends = (int32_t *)(void *)(all + ends);
    s->slot = (int32_t *)(void *)(all + slot);
    s->line = (int32_t *)(void *)(all + line);
    s->kept = (double *)(void *)(all + kept);
    s->alive = (uint8_t *)(all + alive);
    s->term = (int32_t *)(void *)(all + term);
    s->ready_row = (int32_t *)(void *)(all + ready_row);
    s->far_row = (int32_t *)(void *)(all + far_row);
    return true;
}

void mrn_stream_release(mrn_stream *s)
{
    for (int k = 0; k < (int)(sizeof s->memory / sizeof *s->memory); k++)
        give_back(s, k);
    memset(s, 0, sizeof *s);
}

/* ---- whether ---- */

static bool one_material(const mrn_state *s, int *material)
{
    const mrn_bodies *b = &s->body;
    *material = b->n > b->n_walls ? b->material[b->n_walls] : 0;
    for (int32_t i = b->n_walls; i < b->n; i++)
        if (b->material[i] != *material)
            return false;
    return true;
}

static bool all_free(const mrn_bodies *b)
{
    unsigned any = 0;
    for (int32_t i = b->n_walls; i < b->n; i++)
        any |= b->flags[i];
    return (any & (MRN_BODY_FIXED | MRN_BODY_MEMBER | MRN_BODY_CLUSTER | MRN_BODY_POLYTOPE)) == 0;
}

bool mrn_stream_fits(const mrn_smooth *e)
{
    const mrn_scene *scene = e->scene;
    const mrn_state *s = e->state;
    int material;
    bool plain = scene->integrator == MRN_VERLET && !(scene->damping.global > 0) &&
                 !(scene->damping.local > 0) && e->drive.load == NULL && !e->drive.strains &&
                 !e->drive.varying_gravity && !e->drive.sources && !mrn_cell_flow_of(s).on;
    if (!plain || scene->polytopes || scene->moments || scene->range || e->any_fixed ||
        e->n_clusters > 0 || e->undamped || s->body.n == s->body.n_walls)
        return false;
    if (!one_material(s, &material) || !all_free(&s->body))
        return false;
    int ia = scene->pair_of[material * scene->n_materials + material];
    return ia >= 0 && mrn_stream_law_of(&scene->interaction[ia].ready) != NULL;
}

/* ---- bodies in and out ---- */

static void bodies_in(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    const mrn_bodies *b = &e->state->body;
    double h = e->state->h;
#pragma omp parallel for schedule(static) num_threads(e->threads) if (b->n > 4096)
    for (int32_t i = b->n_walls; i < b->n; i++) {
        size_t k = (size_t)i;
        double *x = s->place + 4 * k, *v = s->motion + 8 * k, *f = s->pull + 8 * k;
        for (size_t c = 0; c < 3; c++) {
            x[c] = b->x[3 * k + c];
            v[c] = b->v[3 * k + c], v[4 + c] = b->w[3 * k + c];
            f[c] = b->f[3 * k + c], f[4 + c] = b->t[3 * k + c];
        }
        x[3] = b->radius[i], v[3] = b->mass[i], v[7] = b->inertia[i];
        f[3] = h / b->mass[i], f[7] = h / b->inertia[i];
    }
    s->least_radius = INFINITY;
    for (int32_t i = b->n_walls; i < b->n; i++)
        s->least_radius = fmin(s->least_radius, b->radius[i]);
}

static void places_out(mrn_smooth *e)
{
    const mrn_stream *s = e->stream;
    mrn_bodies *b = &e->state->body;
#pragma omp parallel for schedule(static) num_threads(e->threads) if (b->n > 4096)
    for (int32_t i = b->n_walls; i < b->n; i++)
        memcpy(b->x + 3 * (size_t)i, s->place + 4 * (size_t)i, 3 * sizeof(double));
}

static void motion_out(const mrn_stream *s, mrn_bodies *b, size_t k)
{
    memcpy(b->x + 3 * k, s->place + 4 * k, 3 * sizeof(double));
    memcpy(b->v + 3 * k, s->motion + 8 * k, 3 * sizeof(double));
    memcpy(b->w + 3 * k, s->motion + 8 * k + 4, 3 * sizeof(double));
}

static void bodies_out(mrn_smooth *e)
{
    const mrn_stream *s = e->stream;
    mrn_bodies *b = &e->state->body;
#pragma omp parallel for schedule(static) num_threads(e->threads) if (b->n > 4096)
    for (int32_t i = b->n_walls; i < b->n; i++) {
        size_t k = (size_t)i;
        motion_out(s, b, k);
        memcpy(b->f + 3 * k, s->pull + 8 * k, 3 * sizeof(double));
        memcpy(b->t + 3 * k, s->pull + 8 * k + 4, 3 * sizeof(double));
    }
}

/* ---- contacts in and out ---- */

static double *kept_of(const mrn_stream *s, int64_t k)
{
    int64_t block = k / MRN_STREAM_BLOCK;
    return s->kept + block * s->columns * MRN_STREAM_BLOCK + k % MRN_STREAM_BLOCK;
}

/* Three numbers become 0; those that are it are not written: their page need not be there. */
static void clear3(double *x)
{
    static const double none[3] = {0, 0, 0};
    if (memcmp(x, none, sizeof none) != 0)
        memset(x, 0, sizeof none);
}

/* What contacts remember goes back to their slots. Forces of those in touch stand there since the
   last step that did not go on, or are those of the step to come. */
static void contacts_out(mrn_smooth *e)
{
    const mrn_stream *s = e->stream;
    mrn_contacts *c = &e->state->contact;
    int width = c->history_width;
#pragma omp parallel for schedule(static) num_threads(e->threads) if (s->n > 4096)
    for (int64_t k = 0; k < s->n; k++) {
        int64_t at = s->slot[k];
        const double *kept = kept_of(s, k);
        c->flags[at] = s->alive[k] ? MRN_CONTACT_ALIVE : 0;
        for (int h = 0; h < width; h++)
            c->history[at * width + h] = kept[h * MRN_STREAM_BLOCK];
        if (s->alive[k])
            continue;
        clear3(c->force + 3 * at);
        clear3(c->lever + 3 * at);
    }
}

/* ---- what the general way needs ---- */

static void wake(mrn_stream *s, int what)
{
    mrn_waken(s->rested[what]);
    s->rested[what] = 0;
}

/* Rows of grains, `width` numbers each. */
static size_t rest_rows(const mrn_bodies *b, double *rows, size_t width)
{
    return mrn_rest(rows + width * (size_t)b->n_walls,
                    (size_t)(b->n - b->n_walls) * width * sizeof *rows);
}

/* Where nothing but the end of the steps looks at them. Walls, whose rows come first, and pairs
   with walls, whose slots come last, keep theirs. */
static void rest_bodies(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    mrn_bodies *b = &e->state->body;
    wake(s, MRN_REST_BODIES);
    s->rested[MRN_REST_BODIES] = rest_rows(b, b->x, 3) + rest_rows(b, b->v, 3) +
                                 rest_rows(b, b->w, 3) + rest_rows(b, b->f, 3) +
                                 rest_rows(b, b->t, 3);
}

static void rest_answers(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    const mrn_contacts *c = &e->state->contact;
    size_t slots = (size_t)e->state->pair.n_grain, three = 3 * sizeof(double);
    wake(s, MRN_REST_FORCES);
    wake(s, MRN_REST_LEVERS);
    s->rested[MRN_REST_FORCES] = mrn_rest(c->force, slots * three);
    s->rested[MRN_REST_LEVERS] =
        mrn_rest(c->lever, slots * three) + mrn_rest(e->owner, slots * sizeof *e->owner);
}

static void rest_history(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    const mrn_contacts *c = &e->state->contact;
    size_t row = (size_t)c->history_width * sizeof *c->history;
    wake(s, MRN_REST_HISTORY);
    s->rested[MRN_REST_HISTORY] = mrn_rest(c->history, (size_t)e->state->pair.n_grain * row);
}

/* All is there again, as soon as it is written. */
static void wake_all(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    for (int k = 0; k < MRN_RESTS; k++)
        wake(s, k);
    if (s->rests)
        mrn_forces_name_owners(e);
    s->rests = false;
}

/* ---- the short list ---- */

/* What it is made with: contacts that each body owns, those of which it is the other side, the
   block after which all of them are known; where each pair stands in the short list (-1: nowhere);
   how many of its bodies have taken a force. */
typedef struct making {
    int32_t *row, *back_row, *back, *last, *entry, *free;
    uint8_t *taken;
} making;

static void making_release(making *m)
{
    mrn_free(m->row);
    mrn_free(m->back_row);
    mrn_free(m->back);
    mrn_free(m->last);
    mrn_free(m->entry);
    mrn_free(m->free);
    mrn_free(m->taken);
}

static bool making_of(const mrn_smooth *e, making *m)
{
    int64_t n = e->state->body.n, pairs = e->state->pair.n_grain;
    mrn_message msg;
    *m = (making){0};
    bool got = mrn_array(&m->row, n + 1, sizeof *m->row, &msg) == MRN_OK &&
               mrn_array(&m->back_row, n + 1, sizeof *m->back_row, &msg) == MRN_OK &&
               mrn_array(&m->last, n, sizeof *m->last, &msg) == MRN_OK &&
               mrn_array(&m->entry, pairs, sizeof *m->entry, &msg) == MRN_OK;
    if (got && pairs > 0)
        memset(m->entry, -1, (size_t)pairs * sizeof *m->entry);
    return got;
}

static bool making_contacts(making *m, int64_t n)
{
    mrn_message msg;
    return mrn_array(&m->back, n, sizeof *m->back, &msg) == MRN_OK &&
           mrn_array(&m->free, n, sizeof *m->free, &msg) == MRN_OK &&
           mrn_array(&m->taken, n, sizeof *m->taken, &msg) == MRN_OK;
}

/* Pairs of row i that belong to the short list; with `to` they are written there. */
static int32_t near_pairs(const mrn_smooth *e, int32_t i, int32_t at, bool write, int32_t *entry)
{
    const mrn_stream *s = e->stream;
    const mrn_pairs *p = &e->state->pair;
    const mrn_contacts *c = &e->state->contact;
    const double *xi = s->place + 4 * (size_t)i;
    int32_t n = 0;
    for (int32_t k = p->row[i]; k < p->row[i + 1]; k++) {
        int32_t j = p->other[k];
        const double *xj = s->place + 4 * (size_t)j;
        mrn_vec3 d =
            mrn_images_nearest(&e->images, mrn_v3(xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]));
        double far = xi[3] + xj[3] + s->reach;
        if (!mrn_contact_alive(c, k) && !(mrn_dot(d, d) < far * far))
            continue;
        if (write) {
            s->ends[2 * (at + n)] = i, s->ends[2 * (at + n) + 1] = j;
            s->slot[at + n] = k;
            entry[k] = at + n;
        }
        n++;
    }
    return n;
}

/* What laws know of a pair, with the formulas of mrn_sphere_contact_of. */
static void known_in(const mrn_smooth *e, int64_t k, double *to)
{
    const mrn_stream *s = e->stream;
    const mrn_bodies *b = &e->state->body;
    const mrn_prepared *law = &e->scene->interaction[s->interaction].ready;
    int32_t c = s->ends[2 * k], a = s->ends[2 * k + 1];
    double rc = b->radius[c], ra = b->radius[a], mc = b->mass[c], ma = b->mass[a];
    s->life(law->coef[MRN_LAW_NORMAL], mrn_effective(rc, ra), mrn_effective(mc, ma), to,
            to + MRN_STREAM_BLOCK);
}

/* What contacts remember; nothing where they do not touch. */
static void memory_in(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    const mrn_contacts *c = &e->state->contact;
    int width = c->history_width;
#pragma omp parallel for schedule(static) num_threads(e->threads) if (s->n > 4096)
    for (int64_t k = 0; k < s->blocks * MRN_STREAM_BLOCK; k++) {
        double *kept = kept_of(s, k);
        bool alive = k < s->n && mrn_contact_alive(c, s->slot[k]);
        s->alive[k] = alive;
        for (int h = 0; h < width; h++)
            kept[h * MRN_STREAM_BLOCK] = alive ? c->history[s->slot[k] * (int64_t)width + h] : 0;
        if (k >= s->n)
            s->ends[2 * k] = s->ends[2 * k + 1] = e->state->body.n_walls, s->slot[k] = -1;
        known_in(e, k, kept + width * MRN_STREAM_BLOCK);
    }
}

static int64_t part_begin(const mrn_stream *s, int part, int parts)
{
    return s->blocks * part / parts;
}

/* The block after which all contacts of body i are known; the number of blocks where these are of
   several threads. */
static int32_t last_block(const mrn_stream *s, const making *made, int32_t i, int parts)
{
    int64_t low = made->row[i], high = made->row[i + 1] - 1;
    if (high < low) /* owns none: goes with its neighbours in memory */
        low = high = low < s->n ? low : s->n - 1;
    for (int32_t m = made->back_row[i]; m < made->back_row[i + 1]; m++) {
        low = made->back[m] < low ? made->back[m] : low;
        high = made->back[m] > high ? made->back[m] : high;
    }
    if (s->n == 0)
        return 0;
    low /= MRN_STREAM_BLOCK, high /= MRN_STREAM_BLOCK;
    for (int part = 1; part < parts; part++) {
        int64_t begin = part_begin(s, part, parts);
        if (low < begin && high >= begin)
            return (int32_t)s->blocks;
    }
    return (int32_t)high;
}

static int32_t terms_of(const making *m, int32_t i)
{
    return m->row[i + 1] - m->row[i] + m->back_row[i + 1] - m->back_row[i];
}

/* Those that end with one block by the number of their contacts: a loop whose length is that of the
   one before is foretold right. */
static void sort_ready(const making *made, int32_t *ready, int32_t n)
{
    for (int32_t k = 1; k < n; k++) {
        int32_t moved = ready[k], key = terms_of(made, moved), at = k;
        for (; at > 0 && terms_of(made, ready[at - 1]) > key; at--)
            ready[at] = ready[at - 1];
        ready[at] = moved;
    }
}

/* Bodies by their last blocks. */
static void list_ready(mrn_smooth *e, making *made)
{
    enum { LONGEST = 256 }; /* beyond, order costs more than it saves */
    mrn_stream *s = e->stream;
    const mrn_bodies *b = &e->state->body;
    int32_t *at = s->ready_row;
    memset(at, 0, (size_t)(s->blocks + 2) * sizeof *at);
#pragma omp parallel for schedule(static) num_threads(e->threads) if (b->n > 4096)
    for (int32_t i = b->n_walls; i < b->n; i++)
        made->last[i] = last_block(s, made, i, e->threads);
    for (int32_t i = b->n_walls; i < b->n; i++)
        at[made->last[i] + 1]++;
    for (int64_t k = 0; k <= s->blocks; k++)
        at[k + 1] += at[k];
    for (int32_t i = b->n_walls; i < b->n; i++)
        s->ready[at[made->last[i]]++] = i;
    for (int64_t k = s->blocks + 1; k > 0; k--)
        at[k] = at[k - 1];
    at[0] = 0;
    s->late = at[s->blocks];
#pragma omp parallel for schedule(static) num_threads(e->threads) if (b->n > 4096)
    for (int64_t k = 0; k < s->blocks; k++)
        for (int32_t from = at[k]; from < at[k + 1]; from += LONGEST)
            sort_ready(made, s->ready + from,
                       at[k + 1] - from < LONGEST ? at[k + 1] - from : LONGEST);
}

/* A body takes the force of contact k: the second lets go of its line. */
static int32_t let_go(const mrn_stream *s, making *made, int32_t k, int32_t n_free)
{
    if (++made->taken[k] == 2)
        made->free[n_free++] = s->line[k];
    return n_free;
}

/* Lines of forces, as many as are in use at a time, those let go last first: they are still in a
   cache. Each part of the work has its own. */
static void list_lines(mrn_smooth *e, making *made)
{
    mrn_stream *s = e->stream;
    int32_t lines = 0;
    for (int part = 0; part < e->threads; part++) {
        int32_t n_free = 0;
        for (int64_t k = part_begin(s, part, e->threads); k < part_begin(s, part + 1, e->threads);
             k++) {
            for (int64_t c = k * MRN_STREAM_BLOCK; c < (k + 1) * MRN_STREAM_BLOCK; c++)
                s->line[c] = n_free > 0 ? made->free[--n_free] : lines++;
            for (int32_t m = s->ready_row[k]; m < s->ready_row[k + 1]; m++) {
                int32_t i = s->ready[m];
                for (int32_t c = made->back_row[i]; c < made->back_row[i + 1]; c++)
                    n_free = let_go(s, made, made->back[c], n_free);
                for (int32_t c = made->row[i]; c < made->row[i + 1]; c++)
                    n_free = let_go(s, made, c, n_free);
            }
        }
    }
    s->lines = lines;
}

/* What acts on each body, in the order of sums of the general way (`gather` in bodies.c). */
static void list_terms(mrn_smooth *e, const making *made)
{
    mrn_stream *s = e->stream;
    const mrn_pairs *p = &e->state->pair;
    int32_t n = e->state->body.n - e->state->body.n_walls, m = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t i = s->ready[k];
        s->term_row[k] = m;
        for (int32_t c = made->back_row[i]; c < made->back_row[i + 1]; c++)
            s->term[m++] = 2 * s->line[made->back[c]] + 1;
        for (int32_t c = made->row[i]; c < made->row[i + 1]; c++)
            s->term[m++] = 2 * s->line[c];
        if (p->wall_row[i] < p->wall_row[i + 1])
            s->ready[k] = ~i;
    }
    s->term_row[n] = m;
}

/* Partners of a block that stand far from its first body, each once. */
static int32_t far_partners(const mrn_stream *s, int64_t block, int32_t found[MRN_STREAM_BLOCK])
{
    const int32_t *ends = s->ends + 2 * block * MRN_STREAM_BLOCK;
    int32_t n = 0;
    for (int k = 0; k < MRN_STREAM_BLOCK; k++) {
        int32_t other = ends[2 * k + 1], way = other - ends[0], m = 0;
        if (-MRN_STREAM_NEAR < way && way < MRN_STREAM_NEAR)
            continue;
        while (m < n && found[m] != other)
            m++;
        if (m == n)
            found[n++] = other;
    }
    return n;
}

static void count_far(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    int32_t none[MRN_STREAM_BLOCK];
    memset(s->far_row, 0, (size_t)(s->blocks + 1) * sizeof *s->far_row);
    if (e->state->body.n < MRN_STREAM_WIDE)
        return;
#pragma omp parallel for schedule(static) num_threads(e->threads) private(none) if (s->n > 4096)
    for (int64_t k = 0; k < s->blocks; k++)
        s->far_row[k + 1] = far_partners(s, k, none);
    for (int64_t k = 0; k < s->blocks; k++)
        s->far_row[k + 1] += s->far_row[k];
}

static void list_far(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    int32_t found[MRN_STREAM_BLOCK];
#pragma omp parallel for schedule(static) num_threads(e->threads) private(found) if (s->n > 4096)
    for (int64_t k = 0; k < s->blocks; k++)
        if (s->far_row[k] < s->far_row[k + 1]) {
            int32_t n = far_partners(s, k, found);
            memcpy(s->far + s->far_row[k], found, (size_t)n * sizeof *s->far);
        }
}

static bool take_lines(mrn_stream *s)
{
    size_t used = 0, force = claim(&used, s->lines, 8 * sizeof *s->force);
    size_t far = claim(&used, s->far_row[s->blocks], sizeof *s->far);
    char *all = room_for(s, ROOM_LINES, used);
    if (all == NULL)
        return false;
    s->force = (double *)(void *)(all + force);
    s->far = (int32_t *)(void *)(all + far);
    return true;
}

/* Who is near whom, from the neighbour list and the places of now. */
static bool find_near(mrn_smooth *e, making *made)
{
    mrn_stream *s = e->stream;
    const mrn_pairs *p = &e->state->pair;
    const mrn_bodies *b = &e->state->body;
#pragma omp parallel for schedule(static) num_threads(e->threads) if (b->n > 4096)
    for (int32_t i = b->n_walls; i < b->n; i++)
        made->row[i + 1] = near_pairs(e, i, 0, false, NULL);
    int64_t n = 0;
    for (int32_t i = 0; i <= b->n_walls; i++)
        made->row[i] = 0;
    for (int32_t i = b->n_walls; i < b->n; i++)
        made->row[i + 1] = (int32_t)(n += made->row[i + 1]);
    if (!take_contacts(s, n) || !making_contacts(made, s->blocks * MRN_STREAM_BLOCK))
        return false;
#pragma omp parallel for schedule(static) num_threads(e->threads) if (b->n > 4096)
    for (int32_t i = b->n_walls; i < b->n; i++)
        near_pairs(e, i, made->row[i], true, made->entry);
    int32_t m = 0;
    for (int32_t i = 0; i < b->n; i++) {
        made->back_row[i] = m;
        for (int32_t k = p->back_row[i]; i >= b->n_walls && k < p->back_row[i + 1]; k++)
            if (made->entry[p->back[k]] >= 0)
                made->back[m++] = made->entry[p->back[k]];
    }
    made->back_row[b->n] = m;
    return true;
}

/* The short list, from the neighbour list and the places of now. */
static bool make_list(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    making made;
    bool got = making_of(e, &made) && find_near(e, &made);
    if (got) {
        memory_in(e);
        list_ready(e, &made);
        list_lines(e, &made);
        list_terms(e, &made);
        count_far(e);
        got = take_lines(s);
        if (got)
            list_far(e);
    }
    making_release(&made);
    s->gone = 0;
    s->made_at = e->state->step;
    if (got && s->rests)
        rest_history(e);
    return got;
}

/* The gap up to which pairs come into the short list: as much as lasts some steps. */
static void choose_reach(mrn_smooth *e)
{
    enum { FEW = 20, MANY = 200 };
    mrn_stream *s = e->stream;
    double skin = e->state->pair.skin;
    int64_t lasted = e->state->step - s->made_at;
    if (!(s->reach > 0))
        s->reach = 0.1 * skin;
    else if (lasted < FEW)
        s->reach *= 2;
    else if (lasted > MANY)
        s->reach *= 0.5;
    s->reach = fmin(skin, fmax(s->reach, 0.02 * skin));
}

/* ---- enter, leave ---- */

/* Servo walls look at the grains on them, in the state's arrays. */
static void wall_grains_out(mrn_smooth *e, int64_t chunk)
{
    const mrn_pairs *p = &e->state->pair;
    mrn_bodies *b = &e->state->body;
    int32_t first = b->n_walls + (int32_t)chunk * MRN_CHUNK_ROWS;
    int32_t last = first + MRN_CHUNK_ROWS < p->rows ? first + MRN_CHUNK_ROWS : p->rows;
    for (int32_t i = first; i < last; i++)
        if (p->wall_row[i] < p->wall_row[i + 1])
            motion_out(e->stream, b, (size_t)i);
}

bool mrn_stream_enter(mrn_smooth *e, double far, int64_t left)
{
    mrn_stream *s = e->stream;
    const mrn_state *state = e->state;
    int material;
    one_material(state, &material);
    s->interaction = e->scene->pair_of[material * e->scene->n_materials + material];
    s->loop = mrn_stream_law_of(&e->scene->interaction[s->interaction].ready);
    s->life = mrn_stream_life_of(&e->scene->interaction[s->interaction].ready);
    s->columns = e->scene->history + 2;
    e->images = mrn_images_of(e->scene, state);
    bool many = left >= MRN_STREAM_REST || (e->stays && s->stayed >= MRN_STREAM_STAY);
    s->rests = many && state->body.n >= MRN_STREAM_MANY && !e->drive.servo_walls;
    if (s->rests) /* this step finds them anew, whichever way it goes */
        rest_answers(e);
    if (!take_bodies(s, state->body.n)) {
        wake_all(e);
        return false;
    }
    bodies_in(e);
    choose_reach(e);
    if (s->rests)
        rest_bodies(e);
    if (!make_list(e)) {
        wake_all(e);
        bodies_out(e);
        return false;
    }
    s->gone_list = sqrt(far);
    s->way = 0;
    s->deepest = INFINITY;
    s->entered_at = state->step;
    s->on = true;
    return true;
}

/* One thing after the other, so that little is there twice. */
static void leave(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    bool rests = s->rests;
    wake(s, MRN_REST_HISTORY);
    contacts_out(e);
    if (rests)
        give_back(s, ROOM_CONTACTS), give_back(s, ROOM_LINES);
    wake(s, MRN_REST_BODIES);
    bodies_out(e);
    if (rests)
        give_back(s, ROOM_BODIES);
    s->on = false;
}

size_t mrn_stream_leave_for_list(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    if (!s->on)
        return 0;
    leave(e);
    size_t answers = s->rested[MRN_REST_FORCES] + s->rested[MRN_REST_LEVERS];
    s->rested[MRN_REST_FORCES] = s->rested[MRN_REST_LEVERS] = 0;
    s->rests = false;
    return answers;
}

void mrn_stream_leave(mrn_smooth *e)
{
    if (!e->stream->on)
        return;
    leave(e);
    wake_all(e);
    e->stream->stayed = e->state->step - e->stream->entered_at;
}

void mrn_stream_look(mrn_smooth *e)
{
    const mrn_stream *s = e->stream;
    mrn_bodies *b = &e->state->body;
    if (!s->on)
        return;
    wake(e->stream, MRN_REST_BODIES);
#pragma omp parallel for schedule(static) num_threads(e->threads) if (b->n > 4096)
    for (int32_t i = b->n_walls; i < b->n; i++)
        motion_out(s, b, (size_t)i);
}

void mrn_stream_go_on(mrn_smooth *e)
{
    if (!e->stream->on || !e->stream->rests)
        return;
    rest_bodies(e);
    rest_answers(e);
}

/* ---- contacts of a block ---- */

typedef int64_t four_bits __attribute__((vector_size(32), aligned(8), may_alias));

/* Four rows of place and radius as columns, in registers. */
#define FOUR_COLUMNS(of, x, y, z, r)                                                               \
    mrn_four x, y, z, r;                                                                           \
    mrn_to_columns4(s->place + 4 * (size_t)(of)[0], s->place + 4 * (size_t)(of)[2],                \
                    s->place + 4 * (size_t)(of)[4], s->place + 4 * (size_t)(of)[6], (double *)&x,  \
                    (double *)&y, (double *)&z, (double *)&r)

/* Branches before images are looked for, radii, and which touch, four contacts at a time. Whether
   there may be nearer images: bit 0; whether a contact began or ended: bit 1. */
MRN_DISPATCHED static int fetch(const mrn_stream *s, const mrn_images *im, int64_t k0,
                                mrn_stream_block *b)
{
    const int32_t *ends = s->ends + 2 * k0;
    const uint8_t *alive = s->alive + k0;
    double most[3];
    for (int c = 0; c < 3; c++)
        most[c] = im->inv[c] * im->size[c] > 0 ? 0.49 * im->size[c] : INFINITY;
    const mrn_four mx = {most[0], most[0], most[0], most[0]};
    const mrn_four my = {most[1], most[1], most[1], most[1]};
    const mrn_four mz = {most[2], most[2], most[2], most[2]};
    four_bits near = {-1, -1, -1, -1}, changed = {0, 0, 0, 0};
    for (int k = 0; k < b->n; k += 4) {
        FOUR_COLUMNS(ends + 2 * k, cx, cy, cz, cr);
        FOUR_COLUMNS(ends + 2 * k + 1, ax, ay, az, ar);
        mrn_four dx = cx - ax, dy = cy - ay, dz = cz - az, sum = cr + ar;
        near &= (dx < mx) & (-dx < mx) & (dy < my) & (-dy < my) & (dz < mz) & (-dz < mz);
        four_bits touch = (four_bits)(dx * dx + dy * dy + dz * dz < sum * sum) & 1;
        four_bits was = {alive[k], alive[k + 1], alive[k + 2], alive[k + 3]};
        changed |= touch ^ was;
        *(mrn_four *)&b->d[0][k] = dx, *(mrn_four *)&b->d[1][k] = dy;
        *(mrn_four *)&b->d[2][k] = dz;
        *(mrn_four *)&b->xc[k] = cr, *(mrn_four *)&b->xa[k] = ar;
        *(four_bits *)&b->touch[k] = touch;
    }
    bool all = (near[0] & near[1] & near[2] & near[3]) != 0;
    return (all ? 0 : 1) | ((changed[0] | changed[1] | changed[2] | changed[3]) != 0 ? 2 : 0);
}

MRN_DISPATCHED static void nearest(const mrn_images *im, mrn_stream_block *b)
{
    double lx = im->size[0], ly = im->size[1], lz = im->size[2];
    double ix = im->inv[0], iy = im->inv[1], iz = im->inv[2];
    double txy = im->tilt[0], txz = im->tilt[1], tyz = im->tilt[2];
    int n = b->n;
#pragma omp simd
    for (int k = 0; k < n; k++) {
        double dx = b->d[0][k], dy = b->d[1][k], dz = b->d[2][k];
        double cz = rint(dz * iz);
        dz -= lz * cz, dy -= tyz * cz, dx -= txz * cz;
        double cy = rint(dy * iy);
        dy -= ly * cy, dx -= txy * cy;
        dx -= lx * rint(dx * ix);
        b->d[0][k] = dx, b->d[1][k] = dy, b->d[2][k] = dz;
    }
}

/* Which touch; whether any began or ended. */
MRN_DISPATCHED static bool touches(const uint8_t *alive, mrn_stream_block *b)
{
    int64_t changed = 0;
    int n = b->n;
#pragma omp simd reduction(| : changed)
    for (int k = 0; k < n; k++) {
        double dx = b->d[0][k], dy = b->d[1][k], dz = b->d[2][k], sum = b->xc[k] + b->xa[k];
        int64_t touch = dx * dx + dy * dy + dz * dz < sum * sum ? 1 : 0;
        b->touch[k] = touch;
        changed |= touch ^ (int64_t)alive[k];
    }
    return changed != 0;
}

static void begin_and_end(uint8_t *alive, mrn_stream_block *b)
{
    for (int k = 0; k < b->n; k++) {
        b->fresh[k] = b->touch[k] && !alive[k] ? 1 : 0;
        alive[k] = b->touch[k] != 0;
    }
}

/* Forces of n contacts go to their slots, for others to look at; levers, which the general way
   finds anew before it sums them, where their pages are there. */
static void show(mrn_contacts *c, const int32_t *slot, const mrn_stream_block *b, int n,
                 bool levers)
{
    for (int k = 0; k < n; k++)
        for (int l = 0; l < 3; l++)
            c->force[3 * (size_t)slot[k] + (size_t)l] = b->answer[l][k];
    for (int k = 0; levers && k < n; k++)
        for (int l = 0; l < 3; l++)
            c->lever[3 * (size_t)slot[k] + (size_t)l] = b->answer[3 + l][k];
}

/* What is asked for while a block is computed: bodies in the order of memory, well before the
   contacts of the first of them; what contacts remember, some blocks ahead, for its columns are too
   short for a processor to foresee the next; partners of the next block. */
static mrn_stream_ahead look_ahead(const mrn_smooth *e, int64_t block, mrn_stream_scratch *w)
{
    enum { AHEAD = 3 };
    const mrn_stream *s = e->stream;
    if (block + AHEAD >= s->blocks)
        return (mrn_stream_ahead){.on = false};
    int64_t from = w->fetched, end = s->ends[2 * block * MRN_STREAM_BLOCK] + MRN_STREAM_AHEAD;
    end = end < e->state->body.n ? end : e->state->body.n;
    w->fetched = end > from ? end : from;
    int length = s->columns * MRN_STREAM_BLOCK;
    return (mrn_stream_ahead){.place = s->place,
                              .motion = s->motion,
                              .pull = s->pull,
                              .q = e->state->body.q,
                              .from = from,
                              .to = w->fetched,
                              .kept = s->kept + (block + AHEAD) * length,
                              .length = length,
                              .far = s->far + s->far_row[block + 1],
                              .n_far = s->far_row[block + 2] - s->far_row[block + 1],
                              .alive = s->alive + (block + AHEAD) * MRN_STREAM_BLOCK,
                              .ready_row = s->ready_row + block + AHEAD,
                              .ready = s->ready + s->ready_row[block + 1],
                              .term_row = s->term_row + s->ready_row[block + 1],
                              .on = true};
}

MRN_DISPATCHED static void count(const mrn_stream_block *b, int n, mrn_tally_part *t)
{
    int64_t touch = 0, sliding = 0;
    int whole = b->n; /* what is beyond the last does not touch */
    for (int k = 0; k < whole; k++) {
        touch += b->touch[k];
        sliding += b->slip[k] > 0;
    }
    t->n += b->n;
    t->contacts += touch;
    t->sliding += sliding;
    for (int k = 0; b->above && k < n; k++) {
        double o = b->delta[k] / mrn_effective(b->xc[k], b->xa[k]);
        t->max_overlap = b->touch[k] && o > t->max_overlap ? o : t->max_overlap;
    }
}

static void block_forces(mrn_smooth *e, int64_t block, double h, bool last, mrn_scratch *w)
{
    mrn_stream *s = e->stream;
    mrn_stream_block *b = &w->stream->block;
    int64_t k0 = block * MRN_STREAM_BLOCK, left = s->n - k0;
    int n = left < MRN_STREAM_BLOCK ? (int)left : MRN_STREAM_BLOCK;
    b->n = (n + 15) / 16 * 16;
    b->motion = s->motion, b->ends = s->ends + 2 * k0;
    b->force = s->force, b->line = s->line + k0;
    b->ahead = look_ahead(e, block, w->stream);
    int found = fetch(s, &e->images, k0, b);
    if ((found & 1) != 0 || n < b->n) {
        nearest(&e->images, b);
        for (int k = n; k < b->n; k++) /* beyond the last: out of touch */
            b->d[0][k] = 4 * b->xc[k];
        found = touches(s->alive + k0, b) ? 2 : 0;
    }
    b->old = (found & 2) == 0;
    if (!b->old)
        begin_and_end(s->alive + k0, b);
    mrn_tally_room(&w->tally, b->n);
    double *kept = s->kept + block * s->columns * MRN_STREAM_BLOCK;
    b->life = kept + (s->columns - 2) * MRN_STREAM_BLOCK;
    s->loop(&e->scene->interaction[s->interaction].ready, e->state->cell_rate, h, b, kept,
            &w->tally);
    if (last)
        show(&e->state->contact, s->slot + k0, b, n, !s->rests);
    count(b, n, &w->tally);
}

/* ---- bodies ---- */

typedef int64_t eight_bits __attribute__((vector_size(64), aligned(8), may_alias));

/* a where the bits of m are set, b elsewhere. */
#define CHOOSE(m, a, b) ((mrn_eight)(((m) & (eight_bits)(a)) | (~(m) & (eight_bits)(b))))

typedef struct push {
    double h;
    mrn_vec3 gravity;
    bool flat, kick, drift;
} push;

/* Forces and levers of walls on body i: they come before those of grains. */
static void wall_terms(const mrn_pairs *p, const mrn_contacts *c, int32_t i, double sum[8])
{
    for (int32_t m = p->wall_row[i]; m < p->wall_row[i + 1]; m++)
        for (int l = 0; l < 3; l++) {
            sum[l] += c->force[3 * (size_t)m + (size_t)l];
            sum[4 + l] += c->lever[3 * (size_t)m + (size_t)l];
        }
}

/* Kick and drift of n bodies; `turn` gets half the angles by which they turn, in its numbers 4 to
   6, `most` the longest ways along the axes as bits of numbers (a NAN is the largest). */
MRN_DISPATCHED static void push_rows(const mrn_stream *s, const mrn_pairs *p, const mrn_contacts *c,
                                     push o, int64_t from, int n, double (*turn)[8],
                                     eight_bits *most)
{
    const int64_t all = -1;
    const eight_bits moves = {all, all, all, 0, all, all, all, 0};
    const eight_bits force = {all, all, all, all, 0, 0, 0, 0};
    static const int64_t side[2][8] __attribute__((aligned(64))) = {
        {0}, {INT64_MIN, INT64_MIN, INT64_MIN, 0, 0, 0, 0, 0}}; /* signs: on C, on A */
    const int64_t z = o.flat ? 0 : all;
    const eight_bits plane = {all, all, z, all, z, z, all, all};
    const mrn_eight weight = {o.gravity.x, o.gravity.y, o.gravity.z, 0, 0, 0, 0, 0};
    const double h = o.h, hh = 0.5 * o.h;
    const mrn_eight step = {h, h, h, h, hh, hh, hh, hh};
    const int32_t *body = s->ready + from, *row = s->term_row + from;
    eight_bits top = *most;
    for (int k = 0; k < n; k++) {
        bool wall = body[k] < 0;
        size_t i = (size_t)(wall ? ~body[k] : body[k]);
        mrn_eight v = *(const mrn_eight *)(s->motion + 8 * i);
        mrn_eight f = *(const mrn_eight *)(s->pull + 8 * i);
        mrn_eight rate = __builtin_shufflevector(f, f, 3, 3, 3, 3, 7, 7, 7, 7);
        rate = (mrn_eight)((eight_bits)rate & moves);
        if (o.kick) {
            double r = -s->place[4 * i + 3];
            mrn_eight sum = {0, 0, 0, 0, 0, 0, 0, 0}, arm = {r, r, r, r, r, r, r, r};
            if (wall) {
                double terms[8] = {0};
                wall_terms(p, c, (int32_t)i, terms);
                sum = *(const mrn_eight *)terms;
            }
            for (int32_t m = row[k]; m < row[k + 1]; m++) {
                size_t of = (uint32_t)s->term[m];
                const double *one = s->force + 8 * (of >> 1);
                sum += (mrn_eight)(*(const eight_bits *)one ^ *(const eight_bits *)side[of & 1]);
            }
            mrn_eight mass = __builtin_shufflevector(v, v, 3, 3, 3, 3, 3, 3, 3, 3);
            mrn_eight pushed = mass * weight + sum, turned = arm * sum;
            mrn_eight now = CHOOSE(force, pushed, turned);
            now = (mrn_eight)((eight_bits)now & plane);
            now = CHOOSE(moves, now, f);
            v = 0.5 * rate * (now - f) + v;
            f = now;
            *(mrn_eight *)(s->pull + 8 * i) = f;
        }
        if (o.drift) {
            mrn_eight dv = rate * f, d = step * (v + 0.5 * dv);
            v = v + dv;
            d = (mrn_eight)((eight_bits)d & moves);
            eight_bits size = (eight_bits)d & INT64_MAX, larger = size > top;
            top = (larger & size) | (~larger & top);
            mrn_four *x = (mrn_four *)(s->place + 4 * i);
            *x = *x + __builtin_shufflevector(d, d, 0, 1, 2, 3);
            *(mrn_eight *)turn[k] = d;
        }
        *(mrn_eight *)(s->motion + 8 * i) = v;
    }
    *most = top;
}

/* Orientations of n bodies, four at a time; beyond the last the last again. */
static void turn_rows(double *q, const int32_t *body, int n, double (*turn)[8],
                      double (*c)[MRN_BLOCK])
{
    double *row[MRN_STREAM_BLOCK + MRN_QUAD];
    int whole = (n + MRN_QUAD - 1) / MRN_QUAD * MRN_QUAD;
    for (int k = 0; k < whole; k++) {
        int32_t i = body[k < n ? k : n - 1];
        row[k] = q + 4 * (size_t)(i < 0 ? ~i : i);
    }
    for (int k = 0; k < whole; k += MRN_QUAD) {
        const double *t[MRN_QUAD];
        for (int l = 0; l < MRN_QUAD; l++)
            t[l] = turn[k + l < n ? k + l : n - 1] + 4;
        mrn_to_columns4(row[k], row[k + 1], row[k + 2], row[k + 3], &c[0][k], &c[1][k], &c[2][k],
                        &c[3][k]);
        mrn_to_columns3(t[0], t[1], t[2], t[3], &c[4][k], &c[5][k], &c[6][k]);
    }
    mrn_turn_quats(c, whole);
    for (int k = 0; k < whole; k += MRN_QUAD)
        mrn_to_rows4(&c[0][k], &c[1][k], &c[2][k], &c[3][k], row[k], row[k + 1], row[k + 2],
                     row[k + 3]);
}

/* n bodies of the list of those that are ready. */
static void push_bodies(mrn_smooth *e, push o, int64_t from, int64_t n, mrn_scratch *w)
{
    eight_bits most;
    memcpy(&most, w->stream->most, sizeof most);
    for (int64_t k = from; k < from + n; k += MRN_STREAM_BLOCK) {
        int some = from + n - k < MRN_STREAM_BLOCK ? (int)(from + n - k) : MRN_STREAM_BLOCK;
        push_rows(e->stream, &e->state->pair, &e->state->contact, o, k, some, w->stream->turn,
                  &most);
        if (o.drift)
            turn_rows(e->state->body.q, e->stream->ready + k, some, w->stream->turn, w->column);
    }
    memcpy(w->stream->most, &most, sizeof most);
}

static push push_of(const mrn_smooth *e, double h, bool kick, bool drift)
{
    return (push){h, mrn_load3(e->state->gravity), e->scene->dimension == 2, kick, drift};
}

static void begin_ways(mrn_smooth *e)
{
    for (int t = 0; t < e->threads; t++)
        memset(e->scratch[t]->stream->most, 0, sizeof e->scratch[t]->stream->most);
}

/* The longest way of this step, from the longest along each axis. */
static void end_ways(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    double way[3] = {0, 0, 0}; /* NAN stays */
    for (int t = 0; t < e->threads; t++)
        for (int c = 0; c < 3; c++) {
            double d;
            memcpy(&d, &e->scratch[t]->stream->most[c], sizeof d);
            way[c] = d <= way[c] ? way[c] : d;
        }
    s->way = 1.000001 * sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    s->gone += s->way;
    s->gone_list += s->way;
}

/* Contacts with walls. */
static void do_walls(mrn_smooth *e, int64_t k, double h, mrn_scratch *w)
{
    if (e->drive.servo_walls)
        wall_grains_out(e, k);
    mrn_forces_wall_chunk(e, k, h, w);
}

/* Of the rows of bodies that are searched for walls together, those [from, to) that belong to one
   part of the work, whose bodies nobody else moves. */
typedef struct wall_rows {
    int64_t from, to;
} wall_rows;

static int64_t wall_chunk_of(const mrn_smooth *e, int32_t body)
{
    return (body - e->state->body.n_walls) / MRN_CHUNK_ROWS;
}

/* Those of which both sides of the begin of a part have some. */
static wall_rows rows_between(const mrn_smooth *e, int part)
{
    const mrn_stream *s = e->stream;
    int64_t contact = part_begin(s, part, e->threads) * MRN_STREAM_BLOCK;
    return (wall_rows){wall_chunk_of(e, s->ends[2 * contact - 2]),
                       wall_chunk_of(e, s->ends[2 * contact]) + 1};
}

static wall_rows rows_of_part(const mrn_smooth *e, int part)
{
    int64_t from = part > 0 ? rows_between(e, part).to : 0;
    bool last = part + 1 == e->threads;
    int64_t to = last ? e->wall_chunks : rows_between(e, part + 1).from;
    return (wall_rows){from, to < e->wall_chunks ? to : e->wall_chunks};
}

/* Walls of all bodies that may be ready after block k: these are in the cache by now. */
static int64_t walls_until(mrn_smooth *e, int64_t k, wall_rows rows, double h, mrn_scratch *w)
{
    const mrn_stream *s = e->stream;
    int64_t next = (k + 1) * MRN_STREAM_BLOCK;
    int64_t to = next < s->n ? wall_chunk_of(e, s->ends[2 * next]) + 1 : rows.to;
    to = to < rows.to ? to : rows.to;
    for (; rows.from < to; rows.from++)
        do_walls(e, rows.from, h, w);
    return rows.from;
}

/* Contacts of the blocks of one part of the work, those of its bodies with walls, and the bodies
   that need no others. */
static void do_part(mrn_smooth *e, int part, wall_rows rows, double h, push o, mrn_scratch *w)
{
    const mrn_stream *s = e->stream;
    int64_t begin = part_begin(s, part, e->threads), end = part_begin(s, part + 1, e->threads);
    if (begin < end)
        w->stream->fetched = s->ends[2 * begin * MRN_STREAM_BLOCK];
    for (int64_t k = begin; k < end; k++) {
        block_forces(e, k, h, !o.drift, w);
        rows.from = walls_until(e, k, rows, h, w);
        push_bodies(e, o, s->ready_row[k], s->ready_row[k + 1] - s->ready_row[k], w);
    }
    for (; rows.from < rows.to; rows.from++)
        do_walls(e, rows.from, h, w);
}

bool mrn_stream_renew(mrn_smooth *e)
{
    mrn_stream *s = e->stream;
    if (2 * s->gone < s->reach)
        return true;
    wake(s, MRN_REST_HISTORY);
    contacts_out(e);
    choose_reach(e);
    if (make_list(e))
        return true;
    wake_all(e);
    bodies_out(e);
    s->on = false;
    return false;
}

/* Threads are woken where there is enough for each. */
static bool is_shared(const mrn_smooth *e)
{
    return e->threads > 1 && e->stream->blocks >= 4 * e->threads;
}

/* Piece k of the bodies in the list of those that are ready, from `first` on. */
static void push_piece(mrn_smooth *e, push o, int64_t first, int64_t k, mrn_scratch *w)
{
    int64_t left = e->state->body.n - e->state->body.n_walls - first - k * MRN_STREAM_BLOCK;
    push_bodies(e, o, first + k * MRN_STREAM_BLOCK,
                left < MRN_STREAM_BLOCK ? left : MRN_STREAM_BLOCK, w);
}

static void step_shared(mrn_smooth *e, double h, push o, int64_t pieces)
{
#pragma omp parallel num_threads(e->threads)
    {
        mrn_scratch *w = e->scratch[omp_get_thread_num()];
#pragma omp for schedule(static, 1)
        for (int part = 1; part < e->threads; part++) {
            int64_t done = part > 1 ? rows_between(e, part - 1).to : 0;
            wall_rows rows = rows_between(e, part);
            for (int64_t k = rows.from > done ? rows.from : done; k < rows.to && k < e->wall_chunks;
                 k++)
                do_walls(e, k, h, w);
        }
#pragma omp for schedule(static, 1)
        for (int part = 0; part < e->threads; part++)
            do_part(e, part, rows_of_part(e, part), h, o, w);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < pieces; k++)
            push_piece(e, o, e->stream->late, k, w);
    }
}

/* The same on one thread, which meets nobody and so need not ask the system (mrn_smooth_share).
   Where it stands for several, their parts are small. */
static void step_alone(mrn_smooth *e, double h, push o, int64_t pieces)
{
    wall_rows rows = {0, e->wall_chunks};
    for (; e->threads > 1 && rows.from < rows.to; rows.from++)
        do_walls(e, rows.from, h, e->scratch[0]);
    for (int part = 0; part < e->threads; part++)
        do_part(e, part, rows, h, o, e->scratch[0]);
    for (int64_t k = 0; k < pieces; k++)
        push_piece(e, o, e->stream->late, k, e->scratch[0]);
}

mrn_tally mrn_stream_step(mrn_smooth *e, double h, bool on)
{
    mrn_stream *s = e->stream;
    push o = push_of(e, h, true, on);
    mrn_forces_begin(e);
    begin_ways(e);
    if (!on) /* forces are shown */
        wake(s, MRN_REST_FORCES);
    int64_t late = e->state->body.n - e->state->body.n_walls - s->late;
    (is_shared(e) ? step_shared : step_alone)(e, h, o,
                                              (late + MRN_STREAM_BLOCK - 1) / MRN_STREAM_BLOCK);
    if (on)
        end_ways(e);
    mrn_tally t = mrn_forces_total(e);
    s->deepest = t.max_overlap;
    return t;
}

static void drift_piece(mrn_smooth *e, const void *with, int64_t k, mrn_scratch *w)
{
    push_piece(e, *(const push *)with, 0, k, w);
}

void mrn_stream_drift(mrn_smooth *e, double h)
{
    push o = push_of(e, h, false, true);
    int64_t n = e->state->body.n - e->state->body.n_walls;
    int64_t pieces = (n + MRN_STREAM_BLOCK - 1) / MRN_STREAM_BLOCK;
    begin_ways(e);
    mrn_smooth_share(e, pieces, is_shared(e), drift_piece, &o);
    end_ways(e);
}

/* ---- how far, and where ---- */

double mrn_stream_far(mrn_smooth *e, double allowed)
{
    mrn_stream *s = e->stream;
    const mrn_bodies *b = &e->state->body;
    double bound = s->gone_list * s->gone_list, far = 0;
    if (bound < allowed)
        return bound;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        const double *x = s->place + 4 * (size_t)i, *o = b->x_list + 3 * (size_t)i;
        double dx = x[0] - o[0], dy = x[1] - o[1], dz = x[2] - o[2];
        double d2 = dx * dx + dy * dy + dz * dz;
        far = d2 > far || d2 != d2 ? d2 : far; /* a NAN stays */
    }
    s->gone_list = 1.000001 * sqrt(far);
    return far;
}

bool mrn_stream_inside(const mrn_smooth *e)
{
    const mrn_stream *s = e->stream;
    const mrn_state *state = e->state;
    const mrn_images im = mrn_images_of(e->scene, state);
    const double slack = 1e-9; /* of an edge: nearer to a face than that counts as out */
    if (im.tilt[0] != 0 || im.tilt[1] != 0 || im.tilt[2] != 0)
        return false;
    double low[3], high[3];
    for (int c = 0; c < 3; c++) {
        low[c] = im.inv[c] != 0 ? state->cell_origin[c] + slack * im.size[c] : -INFINITY;
        high[c] = im.inv[c] != 0 ? state->cell_origin[c] + (1 - slack) * im.size[c] : INFINITY;
    }
    int out = 0;
    for (int32_t i = state->body.n_walls; i < state->body.n; i++) {
        const double *x = s->place + 4 * (size_t)i;
        for (int c = 0; c < 3; c++)
            out |= !(x[c] > low[c]) | !(x[c] < high[c]);
    }
    return out == 0;
}

void mrn_stream_wrap(mrn_smooth *e)
{
    const mrn_bodies *b = &e->state->body;
    places_out(e);
    mrn_bodies_wrap(e->scene, e->state);
    for (int32_t i = b->n_walls; i < b->n; i++)
        memcpy(e->stream->place + 4 * (size_t)i, b->x + 3 * (size_t)i, 3 * sizeof(double));
    if (e->stream->rests)
        rest_bodies(e);
}

bool mrn_stream_safe(const mrn_smooth *e)
{
    /* two grains come nearer by both ways, their effective radius is half of the least or more */
    const mrn_stream *s = e->stream;
    return s->deepest + 8 * (s->way + e->wall_way) / s->least_radius < 0.9;
}
