/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regular arrangements in a box: square and triangular in 2D; simple cubic, hexagonal close packed
   and face-centred cubic in 3D. Sites where a grain would stick out, or overlap a wall or earlier
   bodies, stay empty. */
#include "base/base.h"
#include "generate/generate.h"

/* A repeat unit: its edges in units of the spacing and its sites in units of the edges. */
typedef struct unit {
    double edge[3];
    int n;
    double site[4][3];
} unit;

static unit unit_of(const mrn_maker *m)
{
    static const unit square = {{1, 1, 1}, 1, {{0, 0, 0}}};
    static const unit triangular = {{1, 1.7320508075688772, 1}, 2, {{0, 0, 0}, {0.5, 0.5, 0}}};
    static const unit hexagonal = {
        {1, 1.7320508075688772, 1.6329931618554521},
        4,
        {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 1.0 / 6, 0.5}, {0, 2.0 / 3, 0.5}}};
    static const unit face_centred = {{1.4142135623730951, 1.4142135623730951, 1.4142135623730951},
                                      4,
                                      {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}};
    if (m->group->lattice == MRN_LATTICE_HEX)
        return m->scene->dimension == 2 ? triangular : hexagonal;
    return m->group->lattice == MRN_LATTICE_FCC ? face_centred : square;
}

typedef struct lattice {
    unit u;
    double edge[3], origin[3]; /* metres; place of the first site  */
    int64_t n[3];              /* units, the last one maybe cut    */
    double radius;             /* largest                          */
} lattice;

static mrn_status bad_lattice(const mrn_maker *m, const mrn_sizer *s, mrn_message *msg)
{
    const mrn_group *g = m->group;
    if (g->lattice == MRN_LATTICE_FCC && m->scene->dimension == 2) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': no fcc lattice in a 2D scene", g->name);
        mrn_fail_expected(msg, "cubic (square) or hexagonal (triangular)");
        return MRN_ERR_INPUT;
    }
    if (g->region.kind != MRN_REGION_BOX) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': a lattice needs a box", g->name);
        mrn_fail_hint(msg, "give the region as a box: two corners");
        return MRN_ERR_INPUT;
    }
    if (g->spacing != 0 &&
        !(g->spacing >= 2 * m->reach * s->hi * (1 - 1e-9) && isfinite(g->spacing))) {
        mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': spacing %g m, but grains are up to %g m wide",
                 g->name, g->spacing, 2 * m->reach * s->hi);
        mrn_fail_expected(msg,
                          "a spacing of at least the largest diameter: spacing is the distance of "
                          "centres");
        return MRN_ERR_INPUT;
    }
    return MRN_OK;
}

/* Counts units and stretches them in directions that are periodic, so that the lattice closes on
 * itself. */
static void measure(const mrn_maker *m, const mrn_space *p, double spacing, lattice *l)
{
    for (int k = 0; k < 3; k++) {
        l->edge[k] = spacing * l->u.edge[k];
        l->n[k] = 1;
        l->origin[k] = 0;
        if (k >= m->scene->dimension)
            continue;
        double width = p->hi[k] - p->lo[k], room = width * (1 + 1e-12) / l->edge[k] + 1e-9;
        if (p->open[k]) {
            l->n[k] = (int64_t)fmax(floor(room), 1);
            l->edge[k] = width / (double)l->n[k];
            l->origin[k] = p->lo[k];
        } else {
            double free = (width - 2 * l->radius) / l->edge[k] + 1e-9;
            l->n[k] = free >= 0 ? (int64_t)floor(free) + 1 : 0;
            l->origin[k] = p->lo[k] + l->radius;
        }
    }
}

/* A unit that is stretched less than 1 has no room for its grains: the period is too short. */
static mrn_status check_period(const mrn_maker *m, const mrn_space *p, const lattice *l,
                               double spacing, mrn_message *msg)
{
    for (int k = 0; k < m->scene->dimension; k++)
        if (p->open[k] && l->edge[k] < spacing * l->u.edge[k] * (1 - 1e-9)) {
            mrn_fail(msg, MRN_ERR_INPUT,
                     "bodies '%s': the cell is %g m in %c, less than one unit of "
                     "the lattice",
                     m->group->name, p->hi[k] - p->lo[k], 'x' + k);
            mrn_fail_expected(msg, "at least %g m", spacing * l->u.edge[k]);
            return MRN_ERR_INPUT;
        }
    return MRN_OK;
}

/* Free for a grain of radius r? Touching, with the rounding that it brings, counts as free. */
static mrn_status site_free(const mrn_maker *m, const mrn_space *p, const mrn_levels *earlier,
                            mrn_vec3 x, double r, mrn_wall_faces *scratch, bool *is_free,
                            mrn_message *msg)
{
    double hair = 1 - 1e-9, c[3] = {x.x, x.y, x.z};
    *is_free = mrn_space_margin(p, x, r * hair) >= -1e-9 * r &&
               !(earlier->cells > 0 && mrn_levels_clash(earlier, c, r * hair));
    return *is_free ? mrn_walls_clear(m->scene, x, r * hair, scratch, is_free, msg) : MRN_OK;
}

static mrn_vec3 site_at(const lattice *l, const int64_t i[3], const double *site)
{
    return mrn_v3(l->origin[0] + l->edge[0] * ((double)i[0] + site[0]),
                  l->origin[1] + l->edge[1] * ((double)i[1] + site[1]),
                  l->origin[2] + l->edge[2] * ((double)i[2] + site[2]));
}

/* Random numbers of a lattice. */
typedef struct luck {
    mrn_rng sizes, polytopes;
} luck;

static mrn_status add_site(mrn_maker *m, const mrn_space *p, const mrn_sizer *sizer, luck *rng,
                           const mrn_levels *earlier, mrn_vec3 x, mrn_wall_faces *scratch,
                           mrn_message *msg)
{
    bool is_free = false;
    x = mrn_cell_wrap(&m->scene->cell, x);
    x.z = m->scene->dimension == 2 ? 0 : x.z;
    double r = mrn_sizer_draw(sizer, &rng->sizes);
    int polytope = mrn_generate_polytope(m->group, &rng->polytopes);
    double bound = mrn_generate_reach_of(m->scene, m->index, polytope) * r;
    if (!(r > 0))
        return mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': the cuts of the sizes leave nothing",
                        m->group->name);
    mrn_status st = site_free(m, p, earlier, x, bound, scratch, &is_free, msg);
    if (st == MRN_OK && is_free)
        st = mrn_maker_add(m, (mrn_grain){.x = x, .radius = r}, polytope, msg);
    return st;
}

/* Unit by unit from the lowest: a count limit then fills from below (along y in 2D). */
static mrn_status add_sites(mrn_maker *m, const mrn_space *p, const mrn_sizer *sizer,
                            const lattice *l, const mrn_levels *earlier, mrn_wall_faces *scratch,
                            mrn_message *msg)
{
    luck rng = {mrn_maker_rng(m, MRN_FOR_SIZES), mrn_maker_polytope_rng(m)};
    int64_t most = m->group->count > 0 ? m->crop->n + m->group->count : INT64_MAX, i[3];
    for (i[2] = 0; i[2] < l->n[2]; i[2]++)
        for (i[1] = 0; i[1] < l->n[1]; i[1]++)
            for (i[0] = 0; i[0] < l->n[0]; i[0]++)
                for (int s = 0; s < l->u.n && m->crop->n < most; s++) {
                    mrn_vec3 x = site_at(l, i, l->u.site[s]);
                    mrn_status st = add_site(m, p, sizer, &rng, earlier, x, scratch, msg);
                    if (st != MRN_OK)
                        return st;
                }
    return MRN_OK;
}

/* A grid with all earlier grains; empty when there are none. */
static mrn_status earlier_grains(const mrn_maker *m, const mrn_space *p, double **x,
                                 double **radius, mrn_levels *g, mrn_message *msg)
{
    int64_t n = m->crop->n;
    if (n == 0)
        return MRN_OK;
    if (mrn_array(x, 3 * n, sizeof **x, msg) != MRN_OK ||
        mrn_array(radius, n, sizeof **radius, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        mrn_store3(*x + 3 * i, m->crop->grain[i].x);
        (*radius)[i] = m->crop->bound[i];
    }
    mrn_status st = mrn_levels_create(m->scene, p->lo, p->hi, n, *x, *radius, g, msg);
    for (int64_t i = 0; st == MRN_OK && i < n; i++)
        mrn_levels_put(g, (int32_t)i);
    return st;
}

static mrn_status fill_box(mrn_maker *m, const mrn_space *p, const mrn_sizer *sizer,
                           mrn_message *msg)
{
    lattice l = {.u = unit_of(m), .radius = m->reach * sizer->hi};
    double spacing = m->group->spacing > 0 ? m->group->spacing : 2 * l.radius;
    double *x = NULL, *radius = NULL;
    mrn_levels earlier = {0};
    mrn_wall_faces scratch = {0};
    int64_t before = m->crop->n;
    measure(m, p, spacing, &l);
    mrn_status st = check_period(m, p, &l, spacing, msg);
    if (st == MRN_OK && (double)l.n[0] * (double)l.n[1] * (double)l.n[2] * l.u.n > INT32_MAX)
        st = mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': more than %d sites", m->group->name,
                      INT32_MAX);
    if (st == MRN_OK)
        st = earlier_grains(m, p, &x, &radius, &earlier, msg);
    if (st == MRN_OK)
        st = add_sites(m, p, sizer, &l, &earlier, &scratch, msg);
    if (st == MRN_OK && m->crop->n == before) {
        st = mrn_fail(msg, MRN_ERR_INPUT, "bodies '%s': the region has no free lattice site",
                      m->group->name);
        mrn_fail_hint(msg,
                      "a larger region or smaller grains; walls and earlier bodies take sites");
    }
    mrn_levels_destroy(&earlier);
    mrn_wall_faces_destroy(&scratch);
    mrn_free(x);
    mrn_free(radius);
    return st;
}

mrn_status mrn_make_lattice(mrn_maker *m, mrn_message *msg)
{
    mrn_sizer sizer = {0};
    mrn_space space;
    mrn_status st = mrn_sizer_create(m, &sizer, msg);
    if (st == MRN_OK)
        st = bad_lattice(m, &sizer, msg);
    if (st == MRN_OK)
        st = mrn_space_create(m, &space, msg);
    if (st == MRN_OK)
        st = fill_box(m, &space, &sizer, msg);
    mrn_sizer_destroy(&sizer);
    return st;
}
