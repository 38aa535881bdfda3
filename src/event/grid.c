/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid: who may be near whom. Cells are at least as wide as the largest grain, so that two that
   touch are in neighbouring cells. A body leaves its cell at a time that is known, and then looks
   at those cells that are new to it. */
#include <math.h>

#include "base/base.h"
#include "event/event.h"

/* About: fewer cells mean more candidates, more cells more crossings. */
#define GRAINS_PER_CELL 0.55
#define MOST_CELLS      (INT64_C(1) << 30)

static void span(const mrn_event *e, double lo[3], double hi[3])
{
    for (int d = 0; d < 3; d++)
        lo[d] = INFINITY, hi[d] = -INFINITY;
    for (int32_t i = 0; i < e->n; i++) {
        double x[3];
        mrn_store3(x, mrn_event_position(e, i, e->now));
        for (int d = 0; d < 3; d++) {
            lo[d] = fmin(lo[d], x[d] - e->grain[i].flyer.radius);
            hi[d] = fmax(hi[d], x[d] + e->grain[i].flyer.radius);
        }
    }
}

/* Periods as they are; along other directions the space that the grains take up. */
static void measure(mrn_event *e, double lo[3], double size[3])
{
    mrn_event_grid *g = &e->grid;
    double hi[3];
    span(e, lo, hi);
    for (int d = 0; d < 3; d++) {
        bool periodic = e->scene->cell.periodic[d];
        g->period[d] = periodic ? e->state->cell_size[d] : 0;
        if (periodic)
            lo[d] = e->state->cell_origin[d];
        size[d] = periodic ? g->period[d] : e->n > 0 ? hi[d] - lo[d] : 1;
        if (d == 2 && e->scene->dimension == 2)
            size[d] = 0;
    }
}

static double cell_width(const mrn_event *e, const double size[3])
{
    double volume = 1;
    int dimension = e->scene->dimension;
    for (int d = 0; d < dimension; d++)
        volume *= fmax(size[d], 2 * e->largest);
    double each = GRAINS_PER_CELL * volume / fmax(e->n, 1);
    return fmax(dimension == 2 ? sqrt(each) : cbrt(each), 2 * e->largest * (1 + 1e-9));
}

static bool plane_is_near(const mrn_event *e, const mrn_event_surface *f, const double lo[3],
                          const double hi[3])
{
    double n[3], d = 0;
    mrn_store3(n, f->shape.direction);
    mrn_vec3 at = f->shape.at;
    const double p[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; k++) { /* the corner that is deepest */
        double x = n[k] > 0 ? lo[k] : hi[k];
        d += n[k] != 0 ? n[k] * (x - p[k]) : 0;
    }
    double swing = f->shakes ? 2 * fabs(mrn_dot(e->way[f->wall].amplitude, f->shape.direction)) : 0;
    return mrn_dot(f->drifts, f->shape.direction) != 0 ||
           !(d > e->largest + swing + 1e-9 * e->scale);
}

static bool round_is_near(const mrn_event *e, const mrn_event_surface *f, const double lo[3],
                          const double hi[3])
{
    mrn_vec3 a = mrn_load3(lo), b = mrn_load3(hi), middle = mrn_scale(0.5, mrn_add(a, b));
    double half = 0.5 * mrn_norm(mrn_sub(b, a));
    bool still = f->drifts.x == 0 && f->drifts.y == 0 && f->drifts.z == 0;
    if (!still || !isfinite(half))
        return true;
    mrn_vec3 d = mrn_sub(middle, f->shape.at);
    if (f->shape.kind == MRN_RIMLESS_CYLINDER)
        d = mrn_axpy(-mrn_dot(d, f->shape.direction), f->shape.direction, d);
    double l = mrn_norm(d), reach = e->largest + 1e-9 * e->scale;
    return f->shape.hollow ? l + half > f->shape.radius - reach
                           : l - half < f->shape.radius + reach;
}

/* Where cells end; those at an open border reach to infinity. */
static mrn_status make_edges(mrn_event_grid *g, int d, mrn_message *msg)
{
    bool open = !(g->period[d] > 0);
    int32_t n = g->n[d];
    mrn_status st = mrn_array(&g->edge[d], n + 1, sizeof *g->edge[d], msg);
    if (st != MRN_OK)
        return st;
    for (int32_t c = 0; c < n; c++)
        g->edge[d][c] = g->lo[d] + c * g->width[d];
    g->edge[d][n] = g->lo[d] + g->period[d]; /* the same for any number of cells */
    if (open) {
        g->edge[d][0] = -INFINITY;
        g->edge[d][n] = INFINITY;
    }
    return MRN_OK;
}

static mrn_status make_beside(mrn_event_grid *g, mrn_message *msg)
{
    int32_t n = g->n[g->last], stride = g->stride[g->last];
    mrn_status st = mrn_array(&g->beside, n, sizeof *g->beside, msg);
    for (int32_t c = 0; c < n && st == MRN_OK; c++) {
        mrn_event_beside *b = &g->beside[c];
        for (int32_t at = c - 1; at <= c + 1; at++)
            if (g->period[g->last] > 0 || (at >= 0 && at < n))
                b->at[b->n++] = ((at + n) % n - c) * stride;
    }
    return st;
}

/* What is known of each cell, whoever is in there. */
static void mark_cell(mrn_event *e, const int32_t at[3])
{
    mrn_event_grid *g = &e->grid;
    int32_t cell = mrn_event_cell_of(g, at), held = 0;
    double lo[3], hi[3];
    for (int d = 0; d < 3; d++) {
        lo[d] = g->edge[d][at[d]], hi[d] = g->edge[d][at[d] + 1];
        if (g->period[d] > 0 && (at[d] == 0 || at[d] == g->n[d] - 1))
            held |= MRN_EVENT_BORDER | (d < g->last ? MRN_EVENT_IMAGES : 0);
    }
    g->cell[cell].held = held;
    for (int k = 0; k < e->n_surfaces; k++) {
        const mrn_event_surface *f = &e->surface[k];
        bool near = f->shape.kind == MRN_RIMLESS_PLANE ? plane_is_near(e, f, lo, hi)
                                                       : round_is_near(e, f, lo, hi);
        g->near[cell] |= (uint64_t)near << k;
    }
}

static void mark_cells(mrn_event *e)
{
    const int32_t *n = e->grid.n;
    int32_t at[3];
    for (at[2] = 0; at[2] < n[2]; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++)
                mark_cell(e, at);
}

/* Places in memory: all cells, and those beyond the border. */
static void lay_out(mrn_event_grid *g)
{
    g->cells = 1;
    for (int d = 0; d < 3; d++) {
        g->beyond[d] = d < g->last;
        g->stride[d] = g->cells < MOST_CELLS ? (int32_t)g->cells : 1;
        g->inverse[d] = 1.0 / g->stride[d];
        g->cells *= g->n[d] + 2 * g->beyond[d];
    }
}

mrn_status mrn_event_grid_make(mrn_event *e, mrn_message *msg)
{
    mrn_event_grid *g = &e->grid;
    double size[3];
    mrn_event_grid_release(g);
    measure(e, g->lo, size);
    double width = cell_width(e, size);
    for (int d = 0; d < 3; d++) {
        double n = fmin(fmax(floor(size[d] / width), 1), 1e5);
        g->n[d] = (int32_t)n;
        g->width[d] = size[d] > 0 ? size[d] / n : 1;
        /* two cells apart is less than half of a period of five: the nearest image is the one */
        g->narrow |= g->period[d] > 0 && g->n[d] < 5;
    }
    g->last = e->scene->dimension - 1;
    lay_out(g);
    if (g->cells > MOST_CELLS)
        return mrn_fail(msg, MRN_ERR_RANGE, "the grid would have %lld cells", (long long)g->cells);
    mrn_status st = mrn_array(&g->cell, g->cells, sizeof *g->cell, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->more, g->cells, sizeof *g->more, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->near, g->cells, sizeof *g->near, msg);
    for (int d = 0; d < 3 && st == MRN_OK; d++)
        st = make_edges(g, d, msg);
    if (st == MRN_OK)
        st = make_beside(g, msg);
    if (st != MRN_OK)
        return st;
    mark_cells(e);
    return MRN_OK;
}

void mrn_event_grid_release(mrn_event_grid *g)
{
    mrn_free(g->cell);
    for (int d = 0; d < 3; d++)
        mrn_free(g->edge[d]);
    mrn_free(g->beside);
    mrn_free(g->more);
    mrn_free(g->near);
    *g = (mrn_event_grid){0};
}

size_t mrn_event_grid_bytes(const mrn_event_grid *g)
{
    return (size_t)g->cells * (sizeof *g->cell + sizeof *g->more + sizeof *g->near);
}

/* ---- bodies in cells ---- */

/* The cells with which a body of this one stands. */
static inline mrn_event_beside cells_of(const mrn_event_grid *g, int32_t cell)
{
    mrn_event_beside b = {{cell}, 1};
    if (g->narrow)
        return b;
    const mrn_event_beside *way = &g->beside[(int32_t)((cell + 0.5) * g->inverse[g->last])];
    for (int k = 0; k < 3; k++)
        b.at[k] = cell + way->at[k];
    b.n = way->n;
    return b;
}

/* From a cell to its image beyond the border of direction d. */
static int32_t way_to_image(const mrn_event_grid *g, const int32_t at[3], int d)
{
    if (d >= g->last || !(g->period[d] > 0))
        return 0;
    int32_t period = g->n[d] * g->stride[d];
    return at[d] == 0 ? period : at[d] == g->n[d] - 1 ? -period : 0;
}

static void show_images(const mrn_event_grid *g, int32_t cell)
{
    int32_t at[3];
    mrn_event_cell_at(g, cell, at);
    int32_t x = way_to_image(g, at, 0), y = way_to_image(g, at, 1);
    mrn_event_cell *c = &g->cell[cell];
    if (x != 0)
        c[x] = *c;
    if (y != 0)
        c[y] = *c;
    if (x != 0 && y != 0)
        c[x + y] = *c;
}

static void has_changed(const mrn_event_grid *g, int32_t cell)
{
    if (g->cell[cell].held & MRN_EVENT_IMAGES && !g->narrow)
        show_images(g, cell);
}

static void put_with(mrn_event *e, int32_t i, int32_t link, int32_t cell)
{
    mrn_event_cell *c = &e->grid.cell[cell];
    int held = c->held & MRN_EVENT_SLOTS;
    if (held < MRN_EVENT_SLOTS) {
        c->body[held] = i;
        c->held++;
        has_changed(&e->grid, cell);
        return;
    }
    e->next[link] = c->held & MRN_EVENT_MORE ? e->grid.more[cell] : -1;
    e->grid.more[cell] = link;
    c->held |= MRN_EVENT_MORE;
    has_changed(&e->grid, cell);
}

static void link_in(mrn_event *e, int32_t i, int32_t cell)
{
    mrn_event_beside b = cells_of(&e->grid, cell);
    e->grain[i].flyer.cell = cell;
    for (int k = 0; k < b.n; k++)
        put_with(e, i, 3 * i + k, b.at[k]);
}

/* Takes out of the list of a cell what *at, a link of it, leads to. */
static int32_t unlink_at(mrn_event *e, int32_t cell, int32_t *at)
{
    int32_t link = *at;
    *at = e->next[link];
    if (e->grid.more[cell] < 0)
        e->grid.cell[cell].held -= MRN_EVENT_MORE;
    return link / 3;
}

static void take_from(mrn_event *e, int32_t i, int32_t link, int32_t cell)
{
    int32_t *more = &e->grid.more[cell];
    mrn_event_cell *c = &e->grid.cell[cell];
    int held = c->held & MRN_EVENT_SLOTS, at = 0;
    while (at < held && c->body[at] != i)
        at++;
    if (at == held) {
        while (*more != link)
            more = &e->next[*more];
        unlink_at(e, cell, more);
    } else if (c->held & MRN_EVENT_MORE)
        c->body[at] = unlink_at(e, cell, more);
    else {
        c->body[at] = c->body[held - 1];
        c->body[held - 1] = 0; /* what asks memory for all slots finds somebody (predict.c) */
        c->held--;
    }
    has_changed(&e->grid, cell);
}

static void link_out(mrn_event *e, int32_t i)
{
    mrn_event_beside b = cells_of(&e->grid, e->grain[i].flyer.cell);
    for (int k = 0; k < b.n; k++)
        take_from(e, i, 3 * i + k, b.at[k]);
}

mrn_event_dweller mrn_event_first_in(const mrn_event *e, int32_t cell)
{
    mrn_event_dweller d = {.cell = cell, .body = -1, .link = -1, .at = -1};
    mrn_event_next_in(e, &d);
    return d;
}

void mrn_event_next_in(const mrn_event *e, mrn_event_dweller *d)
{
    const mrn_event_cell *c = &e->grid.cell[d->cell];
    int held = c->held & MRN_EVENT_SLOTS;
    d->at++;
    if (d->at < held) {
        d->body = c->body[d->at];
        return;
    }
    if (d->at == held)
        d->link = c->held & MRN_EVENT_MORE ? e->grid.more[d->cell] : -1;
    else
        d->link = e->next[d->link];
    d->body = d->link >= 0 ? d->link / 3 : -1;
}

void mrn_event_settle(mrn_event *e, int32_t i)
{
    const mrn_event_grid *g = &e->grid;
    double x[3];
    int32_t at[3];
    mrn_store3(x, mrn_event_position(e, i, e->now));
    for (int d = 0; d < 3; d++) {
        double c = floor((x[d] - g->lo[d]) / g->width[d]);
        at[d] = (int32_t)fmin(fmax(c, 0), g->n[d] - 1);
    }
    link_in(e, i, mrn_event_cell_of(g, at));
}

bool mrn_event_grid_is_narrow(const mrn_event *e)
{
    const mrn_event_grid *g = &e->grid;
    int64_t out = 0;
    for (int32_t i = 0; i < e->n; i++) {
        double x[3];
        mrn_store3(x, mrn_event_position(e, i, e->now));
        for (int d = 0; d < e->scene->dimension; d++)
            out += !(g->period[d] > 0) &&
                   (x[d] < g->lo[d] - g->width[d] || x[d] > g->lo[d] + (g->n[d] + 1) * g->width[d]);
    }
    return 50 * out > e->n;
}

/* ---- crossings ---- */

/* The edge ahead, at constant speed. */
static inline double reaches(double way, double v)
{
    double t = way / v;
    return v != 0 ? t : INFINITY;
}

/* When x(s) = x + v s + a s^2/2 leaves [lo, hi], and by which side; `s` is the present. With an
   acceleration the side behind which it pulls is reached in any case, the other only on the way
   there. */
static double leaves(double x, double v, double a, double lo, double hi, double s, int *upper)
{
    double sign = a > 0 ? -1 : 1; /* as if it pulled down */
    double top = a > 0 ? x - lo : hi - x, bottom = a > 0 ? x - hi : lo - x;
    double up = sign * v, g = fabs(a), root = up * up - 2 * g * top;
    if (up - g * s > 0 && root > 0 && isfinite(top)) {
        *upper = a < 0;
        return 2 * top / (up + sqrt(root));
    }
    *upper = a > 0;
    if (!isfinite(bottom))
        return INFINITY;
    root = sqrt(fmax(up * up - 2 * g * bottom, 0));
    return up > 0 ? (up + root) / g : -2 * bottom / (root - up);
}

/* The same along straight lines in all directions. */
static double leaves_straight(const mrn_event_grid *g, const mrn_flight *f, const int32_t at[3],
                              int dimension, int *side)
{
    double t[3];
    int to[3];
    for (int d = 0; d < 3; d++) {
        to[d] = f->v[d] > 0;
        t[d] = d < dimension ? reaches(g->edge[d][at[d] + to[d]] - f->x[d], f->v[d]) : INFINITY;
    }
    int first = t[1] < t[0];
    double least = first ? t[1] : t[0];
    first = t[2] < least ? 2 : first;
    *side = 2 * first + to[first];
    return t[2] < least ? t[2] : least;
}

void mrn_event_predict_crossing(mrn_event *e, int32_t i)
{
    const mrn_event_grid *g = &e->grid;
    const mrn_flight *f = &e->grain[i].flight;
    mrn_flyer *b = &e->grain[i].flyer;
    double a[3], least = INFINITY, s = e->now - f->t;
    int side = 0, dimension = e->scene->dimension;
    mrn_store3(a, mrn_event_pull(e, i));
    int32_t at[3];
    mrn_event_cell_at(g, b->cell, at);
    if (!e->falls) {
        least = leaves_straight(g, f, at, dimension, &side);
        dimension = 0;
    }
    for (int d = 0; d < dimension; d++) {
        const double *edge = g->edge[d] + at[d];
        int upper = f->v[d] > 0;
        double t = a[d] == 0 ? reaches(edge[upper] - f->x[d], f->v[d])
                             : leaves(f->x[d], f->v[d], a[d], edge[0], edge[1], s, &upper);
        side = t < least ? 2 * d + upper : side;
        least = t < least ? t : least;
    }
    b->side = (uint8_t)side;
    b->crosses = f->t + least > e->now ? f->t + least : e->now;
}

bool mrn_event_cross(mrn_event *e, int32_t i)
{
    const mrn_event_grid *g = &e->grid;
    int d = e->grain[i].flyer.side / 2, step = e->grain[i].flyer.side % 2 == 0 ? -1 : 1;
    int32_t cell = e->grain[i].flyer.cell, at[3];
    mrn_event_cell_at(g, cell, at);
    int32_t to = at[d] + step;
    bool around = to < 0 || to >= g->n[d];
    link_out(e, i);
    if (around) {
        to -= step * g->n[d];
        e->grain[i].flight.x[d] -= step * g->period[d];
        e->image[3 * (size_t)i + d] += step;
        mrn_event_show(e, i);
    }
    link_in(e, i, cell + (to - at[d]) * g->stride[d]);
    return around;
}
