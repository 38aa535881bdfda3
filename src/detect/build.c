/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The neighbour list: built from the grid, kept until a body has travelled half the skin. The skin
   adapts to how often the list must be built. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/sum.h"
#include "detect/list.h"
#include "detect/order.h"

enum { ORDER_EVERY = 16, FEW_STEPS = 20, MANY_STEPS = 200 };

/* Of what touches: clusters themselves do not. */
double mrn_list_mean_radius(const mrn_state *s)
{
    mrn_sum sum = {0};
    int32_t n = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (!(s->body.flags[i] & MRN_BODY_CLUSTER)) {
            mrn_sum_add(&sum, s->body.radius[i]);
            n++;
        }
    return n > 0 ? mrn_sum_value(&sum) / n : 0;
}

double mrn_list_max_radius(const mrn_state *s)
{
    double r = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (!(s->body.flags[i] & MRN_BODY_CLUSTER))
            r = fmax(r, s->body.bound[i]);
    return r;
}

double mrn_pairs_default_skin(const mrn_state *s)
{
    return 0.1 * mrn_list_mean_radius(s);
}

double mrn_list_next_skin(const mrn_state *s, double base)
{
    if (s->pair.builds == 0 || s->pair.skin == 0)
        return base;
    int64_t lasted = s->step - s->pair.built_at;
    double skin = s->pair.skin;
    skin = lasted < FEW_STEPS ? 1.5 * skin : lasted > MANY_STEPS ? 0.7 * skin : skin;
    return fmax(base, fmin(skin, 8 * base));
}

static void release(mrn_pairs *p)
{
    mrn_free(p->row);
    mrn_free(p->wall_row);
    mrn_free(p->back_row);
    mrn_free(p->back);
#define MRN_PAIR_FIELD(type, name, width, unit, saved, doc) mrn_free(p->name);
#include "moraine/fields.def"
    mrn_free(p->ids);
    mrn_free(p->generation);
    mrn_free(p->feature);
    memset(p, 0, sizeof *p);
}

static mrn_status take_rows(mrn_pairs *p, int32_t n, mrn_message *msg)
{
    p->rows = n;
    mrn_status st = mrn_array(&p->row, (int64_t)n + 1, sizeof *p->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->wall_row, (int64_t)n + 1, sizeof *p->wall_row, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->back_row, (int64_t)n + 1, sizeof *p->back_row, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->ids, n, sizeof *p->ids, msg);
    if (st == MRN_OK)
        st = mrn_array(&p->generation, n, sizeof *p->generation, msg);
    return st;
}

static mrn_status take_pairs(mrn_pairs *p, mrn_message *msg)
{
    p->capacity = p->n;
    mrn_status st = mrn_array(&p->back, p->n_grain, sizeof *p->back, msg);
#define MRN_PAIR_FIELD(type, name, width, unit, saved, doc)                                        \
    if (st == MRN_OK)                                                                              \
        st = mrn_array(&p->name, (width)*p->n, sizeof *p->name, msg);
#include "moraine/fields.def"
    if (st == MRN_OK)
        st = mrn_array(&p->feature, p->n - p->n_grain, sizeof *p->feature, msg);
    return st;
}

/* A slot for each pair; points where there are walls, moments where laws or shapes have them. */
static mrn_status take_slots(const mrn_scene *scene, const mrn_pairs *p, mrn_contacts *c,
                             mrn_message *msg)
{
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_SLOTS),
                            .tail = MRN_COLUMN(point),
                            .n = p->n,
                            .first = p->n_grain,
                            .history_width = scene->history};
    if (scene->moments || scene->polytopes)
        def.columns |= MRN_COLUMN(moment);
    mrn_status st = mrn_contacts_make(c, &def, msg);
    c->n = st == MRN_OK ? p->n : 0;
    return st;
}

static mrn_status sum_rows(int32_t *row, int32_t n, int64_t start, int64_t *end, mrn_message *msg)
{
    int64_t at = start;
    for (int32_t i = 0; i < n; i++) {
        int32_t count = row[i];
        row[i] = (int32_t)at;
        at += count;
        if (at > INT32_MAX)
            return mrn_fail(msg, MRN_ERR_RANGE, "more than 2^31 candidate pairs");
    }
    row[n] = (int32_t)at;
    *end = at;
    return MRN_OK;
}

/* ---- order by identity ---- */

/* Sorts n items by their keys, which come from persistent numbers: what is summed along a row then
   does not depend on places in memory, threads or how the grid was cut. Rows are short, but a grain
   much larger than the rest has thousands of partners. */
typedef struct keyed {
    const int32_t *of; /* key of an item */
    int32_t *item;
} keyed;

static void sift_down(const keyed *a, int32_t at, int32_t n)
{
    int32_t moved = a->item[at], key = a->of[moved];
    for (int32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && a->of[a->item[child + 1]] > a->of[a->item[child]])
            child++;
        if (a->of[a->item[child]] <= key)
            break;
        a->item[at] = a->item[child];
    }
    a->item[at] = moved;
}

static void sort_by(const int32_t *of, int32_t *item, int32_t n)
{
    enum { FEW = 32 };
    keyed a = {of, item};
    for (int32_t k = n > FEW ? n / 2 : 0; k-- > 0;)
        sift_down(&a, k, n);
    for (int32_t last = n - 1; n > FEW && last > 0; last--) {
        int32_t top = item[0];
        item[0] = item[last];
        item[last] = top;
        sift_down(&a, 0, last);
    }
    for (int32_t k = 1; n <= FEW && k < n; k++) {
        int32_t moved = item[k], at = k;
        for (; at > 0 && of[item[at - 1]] > of[moved]; at--)
            item[at] = item[at - 1];
        item[at] = moved;
    }
}

/* For each grain, the pairs in which it is the antagonist, by the number of the other. `owner`:
   room for the number of each pair's C. */
static void list_back(const mrn_state *s, mrn_pairs *p, int32_t *owner)
{
#pragma omp parallel for schedule(static) if (s->body.n > 512)
    for (int32_t i = s->body.n_walls; i < p->rows; i++)
        for (int32_t k = p->row[i]; k < p->row[i + 1]; k++) {
            owner[k] = s->body.id[i];
#pragma omp atomic
            p->back_row[p->other[k] + 1]++;
        }
    for (int32_t i = 0; i < p->rows; i++)
        p->back_row[i + 1] += p->back_row[i];
#pragma omp parallel for schedule(static) if (s->body.n > 512)
    for (int32_t i = s->body.n_walls; i < p->rows; i++)
        for (int32_t k = p->row[i]; k < p->row[i + 1]; k++) {
            int32_t at;
#pragma omp atomic capture
            at = p->back_row[p->other[k]]++;
            p->back[at] = k;
        }
    for (int32_t i = p->rows; i > 0; i--)
        p->back_row[i] = p->back_row[i - 1];
    p->back_row[0] = 0;
#pragma omp parallel for schedule(static) if (s->body.n > 512)
    for (int32_t i = s->body.n_walls; i < p->rows; i++)
        sort_by(owner, p->back + p->back_row[i], p->back_row[i + 1] - p->back_row[i]);
}

static void name_rows(const mrn_state *s, mrn_pairs *p)
{
    for (int32_t i = 0; i < p->rows; i++) {
        p->ids[i] = s->body.id[i];
        p->generation[i] = s->body.generation[p->ids[i]];
    }
    p->changes = s->body.changes;
}

/* ---- pairs from the grid ---- */

/* What the grid found, piece by piece of the bodies: each piece is the work of one thread, and how
   many there are shows nowhere, for rows are sorted. */
typedef struct pieces {
    mrn_found_pairs *piece;
    int n;
} pieces;

static void release_pieces(pieces *f)
{
    for (int k = 0; f->piece != NULL && k < f->n; k++)
        mrn_free(f->piece[k].pair);
    mrn_free(f->piece);
    *f = (pieces){0};
}

/* ---- pairs that may touch at all ---- */

/* Where contacts are fixed: those of the network that the stage began with, by persistent numbers,
   the lower first, sorted. */
typedef struct allowed {
    bool all;
    int32_t *pair;
    int64_t n;
} allowed;

static int compare_pairs(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

static mrn_status allow(const mrn_scene *scene, const mrn_state *s, allowed *out, mrn_message *msg)
{
    const mrn_contacts *t = &s->began;
    *out = (allowed){.all = !scene->fixed_contacts || t->columns == 0, .n = t->n};
    mrn_status st = out->all ? MRN_OK : mrn_array(&out->pair, 2 * t->n, sizeof *out->pair, msg);
    if (out->all || st != MRN_OK)
        return st;
    for (int64_t k = 0; k < t->n; k++) {
        int32_t c = t->id_c[k], a = t->id_a[k];
        out->pair[2 * k] = c < a ? c : a;
        out->pair[2 * k + 1] = c < a ? a : c;
    }
    if (t->n > 0)
        qsort(out->pair, (size_t)t->n, 2 * sizeof *out->pair, compare_pairs);
    return MRN_OK;
}

static bool is_allowed(const mrn_state *s, const allowed *only, int32_t i, int32_t j)
{
    int32_t a = s->body.id[i], b = s->body.id[j], key[2] = {a < b ? a : b, a < b ? b : a};
    return only->all || (only->n > 0 && bsearch(key, only->pair, (size_t)only->n, sizeof key,
                                                compare_pairs) != NULL);
}

/* Of the pairs found from `first` on those that may be stay. */
static void keep_allowed(const mrn_state *s, const allowed *only, int64_t first,
                         mrn_found_pairs *own)
{
    int64_t n = first;
    for (int64_t m = first; !only->all && m < own->n; m++) {
        int32_t *pair = own->pair + 2 * m;
        if (!is_allowed(s, only, pair[0], pair[1]))
            continue;
        own->pair[2 * n] = pair[0];
        own->pair[2 * n + 1] = pair[1];
        n++;
    }
    own->n = only->all ? own->n : n;
}

/* A wall that moves as prescribed passes by a grain that does not move; one that a load drives
   comes to rest on it. */
static bool is_met(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t w)
{
    int wall = s->body.group[w];
    bool servo = wall < scene->n_walls && scene->wall[wall].motion.kind == MRN_MOTION_SERVO;
    return !(s->body.flags[w] & MRN_BODY_ABSENT) && (!(s->body.flags[i] & MRN_BODY_FIXED) || servo);
}

/* Features of all walls near grain i: counts them, and writes them when the list has room. */
static int32_t wall_pairs(const mrn_scene *scene, const mrn_state *s, const mrn_images *im,
                          const double *x, int32_t i, double reach, const allowed *only,
                          mrn_pairs *p, int32_t at)
{
    int32_t total = 0;
    if (s->body.flags[i] & MRN_BODY_CLUSTER)
        return 0;
    for (int32_t w = 0; w < s->body.n_walls; w++) {
        if (!is_met(scene, s, i, w) || !is_allowed(s, only, i, w))
            continue;
        const mrn_shape *shape = &scene->shape[s->body.shape[w]];
        mrn_vec3 c = mrn_wall_local(scene, s, im, w, x + 3 * (size_t)i);
        double r = s->body.bound[i] + reach;
        int32_t *to = p != NULL ? p->feature + (at - p->n_grain) + total : NULL;
        int room = p != NULL ? (int)(p->wall_row[i + 1] - at - total) : 0;
        int n = shape->type->features(shape, c, r, to, room);
        for (int k = 0; p != NULL && k < n; k++)
            p->other[at + total + k] = w;
        total += n;
    }
    return total;
}

/* Searches, and counts the pairs of each row. */
static mrn_status count_pairs(const mrn_scene *scene, const mrn_state *s, const double *x,
                              const mrn_grid *g, double reach, const allowed *only, pieces *f,
                              mrn_pairs *p, mrn_message *msg)
{
    mrn_images im = mrn_images_of(scene, s);
    int64_t first = s->body.n_walls, grains = s->body.n - first;
    f->n = grains > 512 ? mrn_threads() : 1;
    mrn_status st = mrn_array(&f->piece, f->n, sizeof *f->piece, msg);
    if (st != MRN_OK)
        return st;
#pragma omp parallel for schedule(static, 1) if (f->n > 1)
    for (int k = 0; k < f->n; k++) {
        enum { USUAL = 4 }; /* pairs of a grain in a bed */
        mrn_found_pairs own = {0};
        own.failed =
            mrn_grow(&own.pair, &own.room, USUAL * grains / f->n, 2 * sizeof *own.pair) < 0;
        for (int64_t i = first + grains * k / f->n; i < first + grains * (k + 1) / f->n; i++) {
            int64_t had = own.n;
            mrn_grid_partners(g, (int32_t)i, &own);
            keep_allowed(s, only, had, &own);
            p->wall_row[i] = wall_pairs(scene, s, &im, x, (int32_t)i, reach, only, NULL, 0);
        }
        f->piece[k] = own;
    }
    for (int k = 0; k < f->n; k++) {
        if (f->piece[k].failed)
            return mrn_fail_memory(msg);
        for (int64_t m = 0; m < f->piece[k].n; m++)
            p->row[f->piece[k].pair[2 * m]]++;
    }
    return MRN_OK;
}

/* Puts each pair into the row of its owner. `at`: per body, where its row is filled. */
static void write_pairs(const mrn_scene *scene, const mrn_state *s, const double *x, double reach,
                        const allowed *only, const pieces *f, int32_t *at, mrn_pairs *p)
{
    mrn_images im = mrn_images_of(scene, s);
    memcpy(at, p->row, (size_t)p->rows * sizeof *at);
    for (int k = 0; k < f->n; k++)
        for (int64_t m = 0; m < f->piece[k].n; m++)
            p->other[at[f->piece[k].pair[2 * m]]++] = f->piece[k].pair[2 * m + 1];
#pragma omp parallel for schedule(static) if (s->body.n > 512)
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        sort_by(s->body.id, p->other + p->row[i], p->row[i + 1] - p->row[i]);
        wall_pairs(scene, s, &im, x, i, reach, only, p, p->wall_row[i]);
    }
}

/* `reach`: gap at which features of walls are listed. The grid ends here. */
static mrn_status find_pairs(const mrn_scene *scene, const mrn_state *s, const double *x,
                             mrn_grid **g, double reach, mrn_pairs *p, mrn_message *msg)
{
    int32_t n = s->body.n, *at = NULL, *owner = NULL;
    pieces found = {0};
    allowed only = {0};
    mrn_status st = take_rows(p, n, msg);
    if (st == MRN_OK)
        st = allow(scene, s, &only, msg);
    if (st == MRN_OK) {
        name_rows(s, p);
        st = count_pairs(scene, s, x, *g, reach, &only, &found, p, msg);
    }
    mrn_grid_destroy(g); /* room for what comes */
    if (st == MRN_OK)
        st = sum_rows(p->row, n, 0, &p->n_grain, msg);
    if (st == MRN_OK)
        st = sum_rows(p->wall_row, n, p->n_grain, &p->n, msg);
    if (st == MRN_OK)
        st = take_pairs(p, msg);
    if (st == MRN_OK)
        st = mrn_array(&at, n, sizeof *at, msg);
    if (st == MRN_OK)
        st = mrn_array(&owner, p->n_grain, sizeof *owner, msg);
    if (st == MRN_OK) {
        write_pairs(scene, s, x, reach, &only, &found, at, p);
        release_pieces(&found);
        list_back(s, p, owner);
    }
    release_pieces(&found);
    mrn_free(only.pair);
    mrn_free(at);
    mrn_free(owner);
    return st;
}

/* What a list knows beside its pairs. */
static void take_over(const mrn_pairs *old, mrn_pairs *to)
{
    to->skin = old->skin;
    to->builds = old->builds;
    to->built_at = old->built_at;
    to->wall_travel = old->wall_travel;
    memcpy(to->cell_list, old->cell_list, sizeof to->cell_list);
}

static mrn_status build(const mrn_scene *scene, mrn_state *s, const double *x, double skin,
                        double range, mrn_message *msg)
{
    mrn_pairs fresh = {0};
    mrn_contacts slots = {0};
    mrn_grid *g = NULL;
    mrn_status st = mrn_grid_build(scene, s, x, skin + range, &g, msg);
    /* walls move too, and a resumed run lists them where they stand then: half a skin more */
    if (st == MRN_OK)
        st = find_pairs(scene, s, x, &g, 1.5 * skin + range, &fresh, msg);
    mrn_grid_destroy(&g);
    if (st == MRN_OK && !mrn_contact_points(scene))
        st = take_slots(scene, &fresh, &slots, msg);
    if (st == MRN_OK && !mrn_contact_points(scene))
        st = mrn_list_carry(scene, s, &fresh, &slots, msg);
    if (st != MRN_OK) {
        release(&fresh);
        mrn_contacts_destroy(&slots);
        return st;
    }
    mrn_pairs *old = &s->pair;
    take_over(old, &fresh);
    fresh.skin = skin;
    release(old);
    *old = fresh;
    /* the non-smooth engine keeps its points through a new list; slots are of one list alone */
    bool named = s->contact.columns == mrn_contacts_columns(MRN_CONTACTS_SAVED);
    if (!mrn_contact_points(scene) || s->contact.impulse_width == 0) {
        mrn_contacts_destroy(&s->contact);
        s->contact = slots;
    }
    if (named && !mrn_contact_points(scene))
        mrn_list_place_points(scene, s);
    return MRN_OK;
}

mrn_status mrn_list_room(const mrn_scene *scene, mrn_state *s, int64_t n_grain, int64_t n_wall,
                         mrn_message *msg)
{
    mrn_pairs fresh = {0};
    mrn_contacts slots = {0};
    if (n_grain + n_wall > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "more than 2^31 candidate pairs");
    mrn_status st = take_rows(&fresh, s->body.n, msg);
    fresh.n_grain = n_grain;
    fresh.n = n_grain + n_wall;
    if (st == MRN_OK) {
        name_rows(s, &fresh);
        st = take_pairs(&fresh, msg);
    }
    if (st == MRN_OK)
        st = take_slots(scene, &fresh, &slots, msg);
    if (st != MRN_OK) {
        release(&fresh);
        return st;
    }
    take_over(&s->pair, &fresh);
    release(&s->pair);
    s->pair = fresh;
    mrn_contacts_destroy(&s->contact);
    s->contact = slots;
    return MRN_OK;
}

/* The list is that of now: what was noted of the last one counts from here. */
static void note_build(mrn_state *s)
{
    mrn_pairs *p = &s->pair;
    if (s->body.n > 0)
        memcpy(s->body.x_list, s->body.x, 3 * (size_t)s->body.n * sizeof(double));
    memcpy(p->cell_list, s->cell_size, sizeof s->cell_size);
    memcpy(p->cell_list + 3, s->cell_tilt, sizeof s->cell_tilt);
    p->builds++;
    p->built_at = s->step;
    p->wall_travel = 0;
}

/* The cell as it was when the list was made changes places with the cell of now. */
static void swap_cells(mrn_state *s)
{
    double *now[6] = {&s->cell_size[0], &s->cell_size[1], &s->cell_size[2],
                      &s->cell_tilt[0], &s->cell_tilt[1], &s->cell_tilt[2]};
    for (int k = 0; k < 6; k++) {
        double then = s->pair.cell_list[k];
        s->pair.cell_list[k] = *now[k];
        *now[k] = then;
    }
}

/* The list of a checkpoint, pair by pair: sums are taken in its order, and a cell that strains or
   shears meanwhile would give another list. */
static mrn_status build_saved(const mrn_scene *scene, mrn_state *s, mrn_message *msg)
{
    double skin = s->pair.skin, range = mrn_list_range(scene, s);
    bool known = s->pair.cell_list[0] > 0 || s->pair.cell_list[1] > 0 || s->pair.cell_list[2] > 0;
    if (known)
        swap_cells(s);
    mrn_status st = mrn_list_fit_cell(scene, s, range, &skin, msg);
    if (st == MRN_OK)
        st = build(scene, s, s->body.x_list, skin, range, msg);
    if (known)
        swap_cells(s);
    return st;
}

mrn_status mrn_pairs_build(const mrn_scene *scene, mrn_state *s, bool from_saved, mrn_message *msg)
{
    mrn_status st = mrn_list_check_finite(scene, s, msg);
    if (st != MRN_OK)
        return st;
    if (from_saved)
        return build_saved(scene, s, msg);
    if (s->pair.builds == 0) /* a world just made may stand anywhere, its cell may lean far */
        mrn_bodies_wrap(scene, s);
    double skin = mrn_list_next_skin(s, mrn_pairs_default_skin(s)),
           range = mrn_list_range(scene, s);
    st = mrn_list_fit_cell(scene, s, range, &skin, msg);
    if (st != MRN_OK)
        return st;
    int32_t *to = NULL;
    int64_t changes = s->body.changes;
    if (s->pair.builds % ORDER_EVERY == 0 && s->body.n > s->body.n_walls)
        st = mrn_order_bodies(scene, s, 4 * mrn_list_mean_radius(s), &to, msg);
    if (st == MRN_OK)
        st = build(scene, s, s->body.x, skin, range, msg);
    if (st == MRN_OK)
        note_build(s);
    else if (to != NULL && mrn_bodies_permute(s, to, NULL) != MRN_OK)
        release(&s->pair); /* bodies moved in memory and cannot go back: the old list is no use */
    /* the list, new or old, knows all where they are: sorting is no change that others may see */
    if (st == MRN_OK)
        s->pair.changes = changes;
    s->body.changes = changes;
    mrn_free(to);
    return st;
}

double mrn_pairs_allowance(const mrn_scene *scene, const mrn_state *s)
{
    const mrn_pairs *p = &s->pair;
    if (!mrn_pairs_current(s) || 2 * p->wall_travel >= p->skin)
        return 0;
    double way = 0.5 * (p->skin - mrn_pairs_cell_travel(scene, s));
    return way > 0 ? way * way : 0;
}

bool mrn_pairs_stale(const mrn_scene *scene, const mrn_state *s)
{
    double limit = mrn_pairs_allowance(scene, s);
    if (!(limit > 0))
        return true;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        const double *x = s->body.x + 3 * (size_t)i, *o = s->body.x_list + 3 * (size_t)i;
        double dx = x[0] - o[0], dy = x[1] - o[1], dz = x[2] - o[2];
        if (!(dx * dx + dy * dy + dz * dz < limit))
            return true;
    }
    return false;
}
