/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid disks and spheres without friction, from one isostatic network to the next (Combe & Roux
   2000; Roux & Combe 2010, section 3.3). No stiffness, no time, no other parameter than geometry.

   Forces. As many contacts as unknowns and G square: Gᵀ f + F = 0 has one solution, linear in the
   parameter q of the load. The network holds until a force comes to zero.

   Motion. Contact k opens. G u = e_k is the one motion that keeps all others; it is followed by its
   opening s, h_k = s and h_j = 0 for j != k, with Newton's corrections at every step, until a gap
   closes. The load works along it, F.u = -N_k > 0. Then the new contact takes the place of k.

   Choice. Where forces of the new network pull, the one that pulls most opens, and so on: what the
   simplex method does for the linear problem of small displacements (the load works most, no gap
   is negative; forces are its multipliers). Grains with fewer contacts than can hold them stay with
   those they have, which bear nothing.

   G is solved by GᵀG (Cholesky), with one refinement: singular values of isostatic networks go down
   to 1/N of the largest, their squares are far from rounding for thousands of grains. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/sparse.h"
#include "quasistatic/net.h"

/* What stands: planes and balls that grains may touch. */
typedef struct obstacle {
    bool plane;
    mrn_vec3 x, n; /* a point of it or its centre; normal */
    double radius;
    int global; /* the wall's, -1: it does not move */
    int32_t body;
} obstacle;

/* A pair that may touch: C a node, A a node or n + the number of an obstacle. */
typedef struct pair {
    int32_t c, a;
} pair;

typedef struct place {
    double *x;      /* 3 per node                                     */
    double size[3]; /* of the cell                                    */
    double *moved;  /* per global: m, or logarithmic strain           */
} place;

typedef struct rigid {
    const mrn_net *net;
    mrn_rigid_options opt;
    int n_obstacles;
    obstacle *obstacle;
    int64_t m;       /* unknowns that count, contacts */
    int64_t *column; /* per unknown of the net: its column; -1: held, the whole cannot go there */
    pair *contact;   /* m                         */
    place now, before;
    double *stress;           /* per global of the cell: Pa when q = 0, and per unit of q */
    double *f0, *f1, *n;      /* m: forces at q = 0, per unit of q, now */
    double *h, *u, *w, *load; /* m */
    double *step;             /* n_unknowns of the net */
    mrn_sparse g, k;
    mrn_llt llt;
    bool have_llt;
    double length, room; /* mean radius; largest radius */
    mrn_rigid_facts facts;
} rigid;

/* ---- geometry ---- */

typedef struct touch {
    mrn_vec3 n, l; /* from A to C; branch */
    double gap;
} touch;

static touch touch_of(const rigid *r, const place *p, pair k)
{
    const mrn_net *net = r->net;
    mrn_vec3 c = mrn_load3(p->x + 3 * (size_t)k.c);
    double radius = net->radius[k.c];
    if (k.a >= net->n) {
        const obstacle *o = &r->obstacle[k.a - net->n];
        mrn_vec3 at = o->x;
        if (o->global >= 0)
            at = mrn_axpy(p->moved[o->global], net->global[o->global].direction, at);
        mrn_vec3 d = mrn_sub(c, at);
        if (o->plane)
            return (touch){o->n, d, mrn_dot(d, o->n) - radius};
        double far = mrn_norm(d);
        return (touch){mrn_scale(1 / far, d), d, far - radius - o->radius};
    }
    mrn_vec3 d = mrn_sub(c, mrn_load3(p->x + 3 * (size_t)k.a));
    double *of[3] = {&d.x, &d.y, &d.z};
    for (int a = 0; a < 3; a++)
        if (net->periodic[a])
            *of[a] -= p->size[a] * rint(*of[a] / p->size[a]);
    double far = mrn_norm(d);
    return (touch){mrn_scale(1 / far, d), d, far - radius - net->radius[k.a]};
}

static double component(mrn_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* What a global's unknown adds to the rate of a gap. */
static double of_global(const rigid *r, pair k, const touch *t, int g)
{
    const mrn_global *x = &r->net->global[g];
    if (x->kind == MRN_GLOBAL_CELL)
        return k.a < r->net->n
                   ? component(t->n, x->component) * component(t->l, x->component) / x->scale
                   : 0;
    bool its = k.a >= r->net->n && r->obstacle[k.a - r->net->n].global == g;
    return its ? -mrn_dot(t->n, x->direction) / x->scale : 0;
}

/* Rate of the gap of a pair in a motion (n_unknowns of the net). */
static double rate_of(const rigid *r, pair k, const touch *t, const double *u)
{
    const mrn_net *net = r->net;
    double rate = 0;
    for (int d = 0; d < net->dimension; d++) {
        rate += component(t->n, d) * u[mrn_net_unknown(net, k.c, d)];
        if (k.a < net->n)
            rate -= component(t->n, d) * u[mrn_net_unknown(net, k.a, d)];
    }
    for (int g = 0; g < net->n_globals; g++)
        rate += of_global(r, k, t, g) * u[mrn_net_global_unknown(net, g)];
    return rate;
}

/* Bodies, cell and walls go by u. */
static void go(const rigid *r, const double *u, place *p)
{
    const mrn_net *net = r->net;
    double strain[3] = {0};
    for (int g = 0; g < net->n_globals; g++) {
        const mrn_global *x = &net->global[g];
        double by = u[mrn_net_global_unknown(net, g)] / x->scale;
        if (x->kind == MRN_GLOBAL_CELL) {
            strain[x->component] = by;
            p->moved[g] += log1p(by);
        } else
            p->moved[g] += by;
    }
    for (int32_t i = 0; i < net->n; i++)
        for (int d = 0; d < net->dimension; d++) {
            double *x = p->x + 3 * (size_t)i + d;
            *x += u[mrn_net_unknown(net, i, d)] + strain[d] * *x;
        }
    for (int d = 0; d < 3; d++)
        p->size[d] *= 1 + strain[d];
}

static void copy_place(const rigid *r, const place *from, place *to)
{
    memcpy(to->x, from->x, 3 * (size_t)r->net->n * sizeof *to->x);
    memcpy(to->size, from->size, sizeof to->size);
    if (r->net->n_globals > 0)
        memcpy(to->moved, from->moved, (size_t)r->net->n_globals * sizeof *to->moved);
}

static double volume_of(const rigid *r, const place *p)
{
    double v = r->net->volume;
    for (int d = 0; d < 3; d++)
        if (r->net->periodic[d])
            v *= p->size[d] / r->net->cell[d];
    return v;
}

/* ---- the matrix ---- */

static mrn_status assemble(rigid *r, mrn_message *msg)
{
    const mrn_net *net = r->net;
    mrn_triplets t = {0}, square = {0};
    mrn_status st = mrn_triplets_reserve(&t, r->m * (2 * net->dimension + net->n_globals), msg);
    for (int64_t k = 0; st == MRN_OK && k < r->m; k++) {
        touch at = touch_of(r, &r->now, r->contact[k]);
        r->h[k] = at.gap;
        for (int side = 0; side < 2; side++) {
            int32_t i = side == 0 ? r->contact[k].c : r->contact[k].a;
            for (int d = 0; i < net->n && d < net->dimension; d++) {
                int64_t c = r->column[mrn_net_unknown(net, i, d)];
                if (c >= 0)
                    mrn_triplets_add(&t, k, c, (side == 0 ? 1 : -1) * component(at.n, d));
            }
        }
        for (int g = 0; g < net->n_globals; g++) {
            int64_t c = r->column[mrn_net_global_unknown(net, g)];
            mrn_triplets_add(&t, k, c, of_global(r, r->contact[k], &at, g));
        }
    }
    mrn_sparse_release(&r->g);
    if (st == MRN_OK)
        st = mrn_triplets_make(&t, r->m, r->m, &r->g, msg);
    mrn_triplets_release(&t);
    mrn_sparse rows = {0}; /* G by rows */
    if (st == MRN_OK)
        st = mrn_sparse_transpose(&r->g, &rows, msg);
    int64_t most = r->m; /* GᵀG, lower triangle, contact by contact */
    for (int64_t k = 0; st == MRN_OK && k < r->m; k++) {
        int64_t n = rows.start[k + 1] - rows.start[k];
        most += n * (n + 1) / 2;
    }
    if (st == MRN_OK)
        st = mrn_triplets_reserve(&square, most, msg);
    for (int64_t i = 0; st == MRN_OK && i < r->m; i++)
        mrn_triplets_add(&square, i, i, 0);
    for (int64_t k = 0; st == MRN_OK && k < r->m; k++)
        for (int64_t a = rows.start[k]; a < rows.start[k + 1]; a++)
            for (int64_t b = rows.start[k]; b <= a; b++)
                mrn_triplets_add(&square, rows.row[a], rows.row[b], rows.value[a] * rows.value[b]);
    mrn_sparse_release(&r->k);
    if (st == MRN_OK)
        st = mrn_triplets_make(&square, r->m, r->m, &r->k, msg);
    mrn_triplets_release(&square);
    mrn_sparse_release(&rows);
    return st;
}

/* The matrix of now, factorised; `fresh`: contacts are others than those of the last one. */
static mrn_status factorise(rigid *r, bool fresh, mrn_message *msg)
{
    mrn_status st = assemble(r, msg);
    if (st == MRN_OK && (fresh || !r->have_llt)) {
        if (r->have_llt)
            mrn_llt_release(&r->llt);
        st = mrn_llt_make(&r->k, &r->llt, msg);
        r->have_llt = st == MRN_OK;
    }
    if (st == MRN_OK)
        st = mrn_llt_numeric(&r->llt, &r->k, 0, msg);
    if (st == MRN_ERR_RANGE)
        return mrn_fail(msg, MRN_NOT_CONVERGED,
                        "the rigid network has a mechanism beside the one it moves along: two "
                        "contacts are lost at once, or the motion has turned back");
    return st;
}

/* u with G u = b, b of the contacts; once refined. */
static mrn_status motion(rigid *r, const double *b, double *u, mrn_message *msg)
{
    mrn_sparse_times_t(&r->g, b, r->w);
    mrn_status st = mrn_llt_solve(&r->llt, 1, r->w, u, msg);
    if (st != MRN_OK)
        return st;
    mrn_sparse_times(&r->g, u, r->n);
    for (int64_t k = 0; k < r->m; k++)
        r->n[k] = b[k] - r->n[k];
    mrn_sparse_times_t(&r->g, r->n, r->w);
    st = mrn_llt_solve(&r->llt, 1, r->w, r->n, msg);
    for (int64_t k = 0; st == MRN_OK && k < r->m; k++)
        u[k] += r->n[k];
    return st;
}

/* f with Gᵀ f = -load, once refined. */
static mrn_status balance(rigid *r, const double *load, double *f, mrn_message *msg)
{
    mrn_status st = mrn_llt_solve(&r->llt, 1, load, r->w, msg);
    if (st != MRN_OK)
        return st;
    mrn_sparse_times(&r->g, r->w, f);
    mrn_sparse_times_t(&r->g, f, r->w); /* = load, to rounding */
    for (int64_t k = 0; k < r->m; k++)
        r->w[k] = load[k] - r->w[k], f[k] = -f[k];
    st = mrn_llt_solve(&r->llt, 1, r->w, r->w, msg);
    if (st != MRN_OK)
        return st;
    mrn_sparse_times(&r->g, r->w, r->u);
    for (int64_t k = 0; k < r->m; k++)
        f[k] -= r->u[k];
    return MRN_OK;
}

/* Load of now: at q = 0 (`change` false) or per unit of q. Stresses of the cell are what is given:
   their load goes with its volume. */
static void load_of(rigid *r, bool change, double *out)
{
    const mrn_net *net = r->net;
    double volume = volume_of(r, &r->now);
    for (int64_t i = 0; i < net->n_unknowns; i++)
        if (r->column[i] >= 0)
            out[r->column[i]] = change ? r->opt.change[i] : net->load[i];
    for (int g = 0; g < net->n_globals; g++)
        if (net->global[g].kind == MRN_GLOBAL_CELL)
            out[r->column[mrn_net_global_unknown(net, g)]] =
                -volume * r->stress[2 * g + change] / net->global[g].scale;
}

static mrn_status forces(rigid *r, mrn_message *msg)
{
    load_of(r, false, r->load);
    mrn_status st = balance(r, r->load, r->f0, msg);
    load_of(r, true, r->load);
    return st == MRN_OK ? balance(r, r->load, r->f1, msg) : st;
}

static void spread(const rigid *r, const double *u, double *to)
{
    for (int64_t i = 0; i < r->net->n_unknowns; i++)
        to[i] = r->column[i] >= 0 ? u[r->column[i]] : 0;
}

/* ---- the start ---- */

static mrn_status refuse(mrn_message *msg, const char *what, const char *hint)
{
    mrn_fail(msg, MRN_ERR_INPUT, "rigid: %s", what);
    return mrn_fail_hint(msg, "%s", hint);
}

static mrn_status check_net(const mrn_net *net, mrn_message *msg)
{
    if (net->rotations)
        return refuse(
            msg, "the network has friction, or grains that are no balls",
            "rigid grains without friction are isostatic, others are not: --frictionless");
    for (int32_t i = 0; i < net->n; i++)
        if (!net->ball[i])
            return refuse(msg, "a grain is neither disk nor sphere", "take disks or spheres");
    for (int g = 0; g < net->n_globals; g++)
        if (net->global[g].kind == MRN_GLOBAL_CELL && net->global[g].component > MRN_ZZ)
            return refuse(msg, "the cell may shear", "hold its shear: strain.xy=0");
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        if (c->shape != MRN_NET_ROUND && !(c->shape == MRN_NET_FACE_A && c->a < 0))
            return refuse(msg, "a contact is one of corners", "take disks, spheres, planes");
    }
    return MRN_OK;
}

/* The obstacle of a contact with what stands: one for each body, or for each place of a body with
   several faces. */
static int obstacle_of(rigid *r, int64_t k)
{
    const mrn_net *net = r->net;
    const mrn_net_element *e = &net->element[k];
    mrn_vec3 n = mrn_load3(net->contact.normal + 3 * k);
    mrn_vec3 c = mrn_load3(net->x + 3 * (size_t)e->c);
    obstacle o = {.plane = !(e->curve_a > 0) || e->shape == MRN_NET_FACE_A,
                  .n = n,
                  .radius = e->curve_a > 0 ? 1 / e->curve_a : 0,
                  .global = e->global,
                  .body = net->contact.body_a[k]};
    double far = net->radius[e->c] + net->contact.gap[k] + (o.plane ? 0 : o.radius);
    o.x = mrn_axpy(-far, n, c);
    double near = 1e-3 * r->length;
    for (int i = 0; i < r->n_obstacles; i++) {
        const obstacle *p = &r->obstacle[i];
        mrn_vec3 d = mrn_sub(p->x, o.x);
        bool same = o.plane ? mrn_dot(p->n, n) > 1 - 1e-9 && fabs(mrn_dot(d, n)) < near
                            : mrn_norm(d) < near && fabs(p->radius - o.radius) < near;
        if (p->plane == o.plane && p->global == o.global && p->body == o.body && same)
            return i;
    }
    r->obstacle[r->n_obstacles] = o;
    return r->n_obstacles++;
}

/* Columns: all unknowns but those of the first node along axes that the whole is free to go. */
static mrn_status number_columns(rigid *r, mrn_message *msg)
{
    const mrn_net *net = r->net;
    bool ground = false;
    int64_t n = 0;
    for (int64_t k = 0; k < net->n_contacts; k++)
        ground |= net->element[k].a < 0;
    for (int64_t i = 0; i < net->n_unknowns; i++) {
        bool whole = !ground && i < net->dimension && net->periodic[i];
        r->column[i] = whole ? -1 : n++;
    }
    if (n == r->m)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT,
             "rigid: the network is not isostatic: %lld contacts, %lld unknowns", (long long)r->m,
             (long long)n);
    mrn_fail_expected(msg, "as many of one as of the other");
    return mrn_fail_hint(msg, r->m > n ? "stiff grains under little load have no more: press less"
                                       : "it has mechanisms: let it come to rest under its load");
}

static mrn_status take_contacts(rigid *r, mrn_message *msg)
{
    const mrn_net *net = r->net;
    r->m = 0;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *e = &net->element[k];
        int32_t a = e->a < 0 ? net->n + obstacle_of(r, k) : e->a;
        if (e->status != MRN_NET_OPEN)
            r->contact[r->m++] = (pair){e->c, a};
    }
    return number_columns(r, msg);
}

static mrn_status take_arrays(rigid *r, mrn_message *msg)
{
    const mrn_net *net = r->net;
    int64_t n = net->n_unknowns > net->n_contacts ? net->n_unknowns : net->n_contacts;
    double **const numbers[] = {&r->f0, &r->f1, &r->n, &r->h, &r->u, &r->w, &r->load, &r->step};
    mrn_status st = mrn_array(&r->obstacle, net->n_contacts, sizeof *r->obstacle, msg);
    if (st == MRN_OK)
        st = mrn_array(&r->contact, net->n_contacts, sizeof *r->contact, msg);
    if (st == MRN_OK)
        st = mrn_array(&r->column, net->n_unknowns, sizeof *r->column, msg);
    if (st == MRN_OK)
        st = mrn_array(&r->stress, 2 * (int64_t)net->n_globals, sizeof *r->stress, msg);
    for (size_t k = 0; st == MRN_OK && k < sizeof numbers / sizeof *numbers; k++)
        st = mrn_array(numbers[k], n, sizeof(double), msg);
    for (int k = 0; st == MRN_OK && k < 2; k++) {
        place *p = k == 0 ? &r->now : &r->before;
        st = mrn_array(&p->x, 3 * (int64_t)net->n, sizeof *p->x, msg);
        if (st == MRN_OK)
            st = mrn_array(&p->moved, net->n_globals, sizeof *p->moved, msg);
    }
    return st;
}

static void release(rigid *r)
{
    double *all[] = {r->f0,        r->f1,       r->n,           r->h,      r->u,
                     r->w,         r->load,     r->step,        r->stress, r->now.x,
                     r->now.moved, r->before.x, r->before.moved};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        mrn_free(all[k]);
    mrn_free(r->obstacle);
    mrn_free(r->contact);
    mrn_free(r->column);
    mrn_sparse_release(&r->g);
    mrn_sparse_release(&r->k);
    if (r->have_llt)
        mrn_llt_release(&r->llt);
}

static void place_start(rigid *r)
{
    const mrn_net *net = r->net;
    memcpy(r->now.x, net->x, 3 * (size_t)net->n * sizeof *r->now.x);
    for (int d = 0; d < 3; d++)
        r->now.size[d] = net->cell[d];
    for (int32_t i = 0; i < net->n; i++) {
        r->length += net->radius[i] / net->n;
        r->room = fmax(r->room, net->radius[i]);
    }
    for (int g = 0; g < net->n_globals; g++) {
        const mrn_global *x = &net->global[g];
        int64_t i = mrn_net_global_unknown(net, g);
        if (x->kind != MRN_GLOBAL_CELL)
            continue;
        r->stress[2 * g] = -net->load[i] * x->scale / net->volume;
        r->stress[2 * g + 1] = -r->opt.change[i] * x->scale / net->volume;
    }
}

/* ---- motion ---- */

/* All gaps of contacts zero but that of `driver` (-1: none), which is s. Newton; the matrix is that
   of the place found. */
static mrn_status close_gaps(rigid *r, int64_t driver, double s, bool fresh, mrn_message *msg)
{
    for (int iteration = 0; iteration < 20; iteration++) {
        double worst = 0;
        mrn_status st = factorise(r, fresh && iteration == 0, msg);
        if (st != MRN_OK)
            return st;
        for (int64_t k = 0; k < r->m; k++) {
            r->h[k] = (k == driver ? s : 0) - r->h[k];
            worst = fmax(worst, fabs(r->h[k]));
        }
        if (worst <= 1e-13 * r->length)
            return MRN_OK;
        if (!(worst < r->length))
            break;
        st = motion(r, r->h, r->u, msg);
        if (st != MRN_OK)
            return st;
        spread(r, r->u, r->step);
        go(r, r->step, &r->now);
        if (worst <= 1e-12 * r->length && iteration > 0) /* rounding of coordinates */
            return factorise(r, false, msg);
    }
    return mrn_fail(msg, MRN_NOT_CONVERGED,
                    "the rigid network cannot be followed: its contacts "
                    "cannot all be kept");
}

static bool is_contact(const rigid *r, pair p)
{
    for (int64_t k = 0; k < r->m; k++) {
        pair x = r->contact[k];
        if ((x.c == p.c && x.a == p.a) || (x.c == p.a && x.a == p.c))
            return true;
    }
    return false;
}

/* Of all pairs that are no contacts the one with the smallest `gap` (u NULL), or that closes first
   in the motion u: how far that is in *value. */
static pair nearest(const rigid *r, const double *u, double *value)
{
    const mrn_net *net = r->net;
    pair best = {-1, -1};
    double reach = 4 * r->room;
    *value = INFINITY;
    for (int32_t c = 0; c < net->n; c++)
        for (int32_t a = c + 1; a < net->n + r->n_obstacles; a++) {
            pair p = {c, a};
            touch t = touch_of(r, &r->now, p);
            if (t.gap > reach)
                continue;
            double rate = u != NULL ? rate_of(r, p, &t, u) : 0;
            double v = u == NULL ? t.gap : rate < 0 ? fmax(t.gap, 0) / -rate : INFINITY;
            if (v < *value && !is_contact(r, p)) {
                *value = v;
                best = p;
            }
        }
    return best;
}

static double largest_move(const rigid *r, const double *u)
{
    double most = 0;
    for (int64_t i = 0; i < r->net->n_unknowns; i++)
        most = fmax(most, fabs(u[i]));
    return most;
}

static double strain_made(const rigid *r)
{
    double most = 0;
    for (int g = 0; g < r->net->n_globals; g++) {
        bool cell = r->net->global[g].kind == MRN_GLOBAL_CELL;
        most = fmax(most, fabs(r->now.moved[g]) / (cell ? 1 : r->length));
    }
    for (int32_t i = 0; r->net->n_globals == 0 && i < 3 * r->net->n; i++)
        most = fmax(most, fabs(r->now.x[i] - r->net->x[i]) / r->length);
    return most;
}

/* The opening at which the gap of p is zero, between s (open) and s + ds (closed): regula falsi by
   Illinois, each place solved from that at s. */
static mrn_status meet(rigid *r, int64_t k, pair p, double s, double ds, mrn_message *msg)
{
    double a = 0, b = ds, ha = touch_of(r, &r->before, p).gap, hb = touch_of(r, &r->now, p).gap;
    mrn_status st = MRN_OK;
    for (int i = 0; i < 60 && st == MRN_OK && fabs(hb) > 1e-13 * r->length && ha != hb; i++) {
        double c = b - hb * (b - a) / (hb - ha);
        copy_place(r, &r->before, &r->now);
        st = close_gaps(r, k, s + c, false, msg);
        double hc = touch_of(r, &r->now, p).gap;
        if ((hc < 0) != (hb < 0))
            a = b, ha = hb;
        else
            ha *= 0.5;
        b = c, hb = hc;
    }
    return st;
}

/* Contact k opens until a gap closes; that pair takes its place. MRN_INTERRUPTED: it goes farther
   than was allowed. */
static mrn_status open_contact(rigid *r, int64_t k, mrn_message *msg)
{
    double s = 0, most = r->opt.step * r->length;
    for (;;) {
        double far;
        memset(r->h, 0, (size_t)r->m * sizeof *r->h);
        r->h[k] = 1;
        mrn_status st = motion(r, r->h, r->u, msg);
        if (st != MRN_OK)
            return st;
        spread(r, r->u, r->step);
        nearest(r, r->step, &far);
        double scale = largest_move(r, r->step);
        double ds = fmin(most / scale, far > 0 ? 1.5 * far : most / scale);
        if (!(ds > 1e-16 * r->length))
            ds = 1e-16 * r->length;
        copy_place(r, &r->now, &r->before);
        st = close_gaps(r, k, s + ds, false, msg);
        if (st != MRN_OK)
            return st;
        double gap;
        pair p = nearest(r, NULL, &gap);
        r->facts.steps++;
        if (gap < 0) {
            st = meet(r, k, p, s, ds, msg);
            r->contact[k] = p;
            return st;
        }
        s += ds;
        if (strain_made(r) > r->opt.most)
            return MRN_INTERRUPTED;
    }
}

/* ---- from network to network ---- */

static void show(rigid *r)
{
    r->facts.contacts = r->m;
    r->facts.x = r->now.x;
    r->facts.moved = r->now.moved;
    memcpy(r->facts.cell, r->now.size, sizeof r->facts.cell);
    r->facts.force = r->n;
}

static bool tell(rigid *r)
{
    for (int64_t k = 0; k < r->m; k++)
        r->n[k] = r->f0[k] + r->facts.q * r->f1[k];
    show(r);
    return r->opt.each == NULL || r->opt.each(r->opt.user, &r->facts);
}

/* The contact that pulls most at q; -1: none does. Contacts of grains that bear nothing have forces
   of the size of rounding. */
static int64_t pulls(const rigid *r, double q)
{
    double mean = 0, most = 0;
    int64_t worst = -1;
    for (int64_t k = 0; k < r->m; k++)
        mean += fabs(r->f0[k] + q * r->f1[k]) / (double)r->m;
    for (int64_t k = 0; k < r->m; k++) {
        double n = r->f0[k] + q * r->f1[k];
        if (n < -1e-8 * mean && n < most) {
            most = n;
            worst = k;
        }
    }
    return worst;
}

/* How far the network holds: the first force to vanish as q grows; INFINITY: none does. */
static double holds_to(const rigid *r, double q, int64_t *which)
{
    double first = INFINITY, mean = 0;
    *which = -1;
    for (int64_t k = 0; k < r->m; k++)
        mean += fabs(r->f1[k]) / (double)r->m;
    for (int64_t k = 0; k < r->m; k++) {
        if (!(r->f1[k] < -1e-9 * mean))
            continue;
        double at = fmax(-r->f0[k] / r->f1[k], q);
        if (at < first) {
            first = at;
            *which = k;
        }
    }
    return first;
}

static mrn_status follow(rigid *r, mrn_message *msg)
{
    mrn_status st = close_gaps(r, -1, 0, true, msg);
    bool enough = false;
    while (st == MRN_OK && !enough) {
        st = forces(r, msg);
        if (st != MRN_OK)
            return st;
        int64_t k = pulls(r, r->facts.q);
        if (k < 0) { /* it holds */
            r->facts.networks++;
            enough = !tell(r);
            double q = holds_to(r, r->facts.q, &k);
            bool last = q >= r->opt.up_to;
            r->facts.q = fmin(q, r->opt.up_to);
            enough = enough || !tell(r) || last;
        }
        if (enough)
            break;
        if (r->facts.events >= r->opt.max_events) {
            r->facts.end = MRN_RIGID_EVENTS;
            return MRN_OK;
        }
        st = open_contact(r, k, msg);
        r->facts.events++;
        if (st == MRN_INTERRUPTED || (st == MRN_OK && strain_made(r) > r->opt.most)) {
            r->facts.end = MRN_RIGID_FLOWS;
            show(r);
            return MRN_OK;
        }
        if (st == MRN_OK)
            st = factorise(r, true, msg);
    }
    return st;
}

mrn_rigid_options mrn_rigid_default(void)
{
    return (mrn_rigid_options){.up_to = 1, .step = 0.01, .most = 0.1, .max_events = 100000};
}

mrn_status mrn_rigid_follow(const mrn_net *net, const mrn_rigid_options *opt, mrn_rigid_facts *out,
                            mrn_message *msg)
{
    rigid r = {.net = net, .opt = *opt};
    mrn_status st = check_net(net, msg);
    *out = (mrn_rigid_facts){0};
    if (st == MRN_OK && (opt->change == NULL || !(opt->up_to > 0) || !(opt->step > 0)))
        st = mrn_fail(msg, MRN_ERR_RANGE, "rigid: a path needs a change of load, a length, a step");
    if (st == MRN_OK)
        st = take_arrays(&r, msg);
    if (st == MRN_OK) {
        place_start(&r);
        st = take_contacts(&r, msg);
    }
    if (st == MRN_OK)
        st = follow(&r, msg);
    *out = r.facts;
    out->x = out->moved = out->force = NULL; /* of `each` alone */
    release(&r);
    return st;
}
