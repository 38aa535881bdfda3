/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explicit grains, from the scene or a table. They may overlap (an impact in progress is a fair
   start), but not so far that one holds the centre of the other: that is a mistake in the list. */
#include "base/base.h"
#include "generate/generate.h"

static bool finite3(mrn_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static bool finite_quat(mrn_quat q)
{
    return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
}

static mrn_status bad_grain(const mrn_maker *m, int64_t i, const char *what, const char *expected,
                            mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': grain %lld %s", m->group->name, (long long)i + 1,
             what);
    mrn_fail_expected(msg, "%s", expected);
    return MRN_ERR_INPUT;
}

static mrn_status check_grain(const mrn_maker *m, int64_t i, const mrn_grain *g, mrn_message *msg)
{
    if (!finite3(g->x) || !finite3(g->v) || !finite3(g->w))
        return bad_grain(m, i, "has a position, velocity or spin that is not finite", "numbers",
                         msg);
    if (!(g->radius > 0) || !isfinite(g->radius))
        return bad_grain(m, i, "has no radius", "a positive radius", msg);
    if (m->scene->dimension == 2 && (g->x.z != 0 || g->v.z != 0))
        return bad_grain(m, i, "leaves the plane of a 2D scene", "z = 0 and no velocity along z",
                         msg);
    if (m->scene->dimension == 2 && (g->w.x != 0 || g->w.y != 0))
        return bad_grain(m, i, "turns out of the plane of a 2D scene", "a spin about z only", msg);
    if (!finite_quat(g->q))
        return bad_grain(m, i, "has an orientation that is not a rotation", "a quaternion", msg);
    if (m->scene->dimension == 2 && (g->q.x != 0 || g->q.y != 0))
        return bad_grain(m, i, "is turned out of the plane of a 2D scene", "a turn about z only",
                         msg);
    if (m->group->fixed && (mrn_norm(g->v) > 0 || mrn_norm(g->w) > 0))
        return bad_grain(m, i, "is fixed and moves", "no velocity for fixed bodies", msg);
    return MRN_OK;
}

/* The polytope that a grain says it is, else the one drawn. */
static int own_polytope(const mrn_maker *m, const mrn_grain *g, int drawn)
{
    bool says = g->polytope > 0 && g->polytope <= m->group->n_polytopes;
    return says ? m->group->polytope + g->polytope - 1 : drawn;
}

static mrn_status add_grains(mrn_maker *m, mrn_message *msg)
{
    mrn_sizer sizer;
    mrn_rng rng = mrn_maker_rng(m, MRN_FOR_SIZES), polytopes = mrn_maker_polytope_rng(m);
    mrn_status st = mrn_sizer_create(m, &sizer, msg);
    if (st == MRN_OK)
        st = mrn_maker_reserve(m, m->group->n_grains, msg);
    for (int64_t i = 0; st == MRN_OK && i < m->group->n_grains; i++) {
        mrn_grain g = m->group->grain[i];
        if (isnan(g.radius))
            g.radius = mrn_sizer_draw(&sizer, &rng);
        st = check_grain(m, i, &g, msg);
        g.x = mrn_cell_wrap(&m->scene->cell, g.x);
        int drawn = mrn_generate_polytope(m->group, &polytopes);
        if (st == MRN_OK)
            st = mrn_maker_add(m, g, own_polytope(m, &g, drawn), msg);
    }
    mrn_sizer_destroy(&sizer);
    return st;
}

/* ---- overlaps ---- */

typedef struct table {
    double *x, *radius;
    mrn_levels grid;
    int64_t near_capacity;
    int32_t *near;
} table;

static void destroy_table(table *t)
{
    mrn_free(t->x);
    mrn_free(t->radius);
    mrn_free(t->near);
    mrn_levels_destroy(&t->grid);
}

static mrn_status create_table(const mrn_maker *m, table *t, mrn_message *msg)
{
    int64_t n = m->crop->n;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (mrn_array(&t->x, 3 * n, sizeof *t->x, msg) != MRN_OK ||
        mrn_array(&t->radius, n, sizeof *t->radius, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        mrn_store3(t->x + 3 * i, m->crop->grain[i].x);
        t->radius[i] = m->crop->grain[i].radius;
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], t->x[3 * i + k]);
            hi[k] = fmax(hi[k], t->x[3 * i + k]);
        }
    }
    /* grains on one line or plane still need a grid with some thickness */
    double widest = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
    for (int k = 0; k < 3; k++)
        hi[k] = fmax(hi[k], lo[k] + 1e-3 * widest + t->radius[0]);
    mrn_status st = mrn_levels_create(m->scene, lo, hi, n, t->x, t->radius, &t->grid, msg);
    for (int64_t i = 0; st == MRN_OK && i < n; i++)
        mrn_levels_put(&t->grid, (int32_t)i);
    return st;
}

static double overlap(const table *t, int32_t i, int32_t j)
{
    const double *x = t->x + 3 * (size_t)i, *y = t->x + 3 * (size_t)j;
    const mrn_levels *g = &t->grid;
    mrn_vec3 d = {mrn_shortest(x[0] - y[0], g->periodic[0], g->size[0]),
                  mrn_shortest(x[1] - y[1], g->periodic[1], g->size[1]),
                  mrn_shortest(x[2] - y[2], g->periodic[2], g->size[2])};
    return t->radius[i] + t->radius[j] - mrn_norm(d);
}

/* How deep two listed grains may overlap. Where a cluster is, only the same place twice is surely a
   mistake: two long grains side by side come closer than the radii of their volumes. */
static double deepest(const mrn_maker *m, const table *t, int32_t i, int32_t j)
{
    const mrn_crop *c = m->crop;
    bool round = c->bound[i] == t->radius[i] && c->bound[j] == t->radius[j];
    double smaller = fmin(t->radius[i], t->radius[j]);
    return round ? smaller : t->radius[i] + t->radius[j] - 1e-3 * smaller;
}

static mrn_status too_deep(const mrn_maker *m, const table *t, int32_t i, int32_t j,
                           mrn_message *msg)
{
    int64_t first = m->crop->first[m->index];
    const char *name = m->group->name;
    int64_t other = j;
    for (int k = 0; k <= m->index; k++)
        if (j >= m->crop->first[k]) {
            name = m->scene->group[k].name;
            other = j - m->crop->first[k];
        }
    mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': grain %lld overlaps grain %lld of '%s' by %g m",
             m->group->name, (long long)(i - first) + 1, (long long)other + 1, name,
             overlap(t, i, j));
    mrn_fail_expected(msg, "an overlap below %g m", deepest(m, t, i, j));
    mrn_fail_hint(msg, "is a diameter given as a radius, or a grain listed twice?");
    return MRN_ERR_INPUT;
}

static mrn_status check_overlaps(const mrn_maker *m, table *t, mrn_message *msg)
{
    for (int64_t i = m->crop->first[m->index]; i < m->crop->n; i++) {
        int64_t n = mrn_levels_near(&t->grid, (int32_t)i, 0, t->near, t->near_capacity);
        if (n > t->near_capacity) {
            if (mrn_grow(&t->near, &t->near_capacity, n, sizeof *t->near) != MRN_OK)
                return mrn_fail_memory(msg);
            mrn_levels_near(&t->grid, (int32_t)i, 0, t->near, t->near_capacity);
        }
        for (int64_t k = 0; k < n; k++) {
            int32_t j = t->near[k];
            if (overlap(t, (int32_t)i, j) > deepest(m, t, (int32_t)i, j))
                return too_deep(m, t, (int32_t)i, j, msg);
        }
    }
    return MRN_OK;
}

mrn_status mrn_make_list(mrn_maker *m, mrn_message *msg)
{
    table t = {0};
    if (m->group->n_grains > 0 && m->group->grain == NULL)
        return mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': the list was given back by a run",
                        m->group->name);
    mrn_status st = add_grains(m, msg);
    if (st == MRN_OK && m->crop->n > 1)
        st = create_table(m, &t, msg);
    if (st == MRN_OK && m->crop->n > 1)
        st = check_overlaps(m, &t, msg);
    destroy_table(&t);
    return st;
}
