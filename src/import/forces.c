/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces that balance the load of a packing of which only the places are known: first those of
   least norm, whatever their signs; where these leave the friction cones, those that the cones' own
   programme finds. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "import/import.h"
#include "moraine/quasistatic.h"

typedef struct balance {
    const mrn_scene *scene;
    const mrn_state *s;
    const mrn_import_options *opt;
    mrn_contacts *contacts;
    mrn_import_facts *facts;
    mrn_message *msg;
    mrn_net net;
    double *f, *rest; /* n_rows; n_unknowns */
} balance;

/* ---- the load ---- */

/* How many directions of the cell a stress holds, and how many a rate tells. */
static void count_control(const mrn_scene *scene, int *held, int *given)
{
    *held = *given = 0;
    for (int k = 0; k < 3; k++) {
        bool stress = scene->cell.control.kind[k] == MRN_CONTROL_STRESS;
        *held += scene->cell.periodic[k] && stress;
        *given += scene->cell.periodic[k] && !stress;
    }
}

static mrn_status choose_options(const balance *b, mrn_net_options *out)
{
    int held, given;
    count_control(b->scene, &held, &given);
    *out = mrn_net_default();
    out->keep_rattlers = true;
    out->cell = held > 0 || !isnan(b->opt->pressure);
    if (mrn_rigid_contacts(b->scene)) /* stiffness plays no part, but a network has one */
        out->kn = 1, out->kt_ratio = 1;
    if (!isnan(b->opt->pressure) && held + given == 0) {
        mrn_fail(b->msg, MRN_ERR_INPUT, "--pressure: there is no periodic cell to press on");
        return mrn_fail_hint(b->msg, "--periodic and --box make one");
    }
    if (isnan(b->opt->pressure) && held > 0 && given > 0) {
        mrn_fail(b->msg, MRN_ERR_INPUT,
                 "the scene holds a stress in some directions of the cell only: the load along the "
                 "others is not known");
        return mrn_fail_hint(b->msg, "--pressure P loads all of them alike");
    }
    return MRN_OK;
}

/* The load of the cell: the pressure asked for, else the stresses of the scene; no shear stress
   where none is given. */
static void press(const balance *b, mrn_net *net)
{
    bool asked = !isnan(b->opt->pressure);
    for (int k = 0; k < net->n_globals; k++) {
        mrn_global *g = &net->global[k];
        if (g->kind != MRN_GLOBAL_CELL)
            continue;
        bool normal = g->component <= MRN_ZZ;
        if (!asked && b->scene->cell.control.kind[g->component] == MRN_CONTROL_STRESS)
            continue;
        g->load = normal && asked ? -net->volume * b->opt->pressure / g->scale : 0;
        net->load[net->n_unknowns - net->n_globals + k] = g->load;
    }
}

static double norm(const double *v, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static mrn_status make_net(balance *b)
{
    mrn_net_options o;
    mrn_contacts *c = b->contacts;
    mrn_status st = choose_options(b, &o);
    /* all that is listed counts as touching, also with a gap of the digits of the file */
    for (int64_t k = 0; k < c->n; k++)
        memcpy(c->force + 3 * k, c->normal + 3 * k, 3 * sizeof(double));
    if (st == MRN_OK)
        st = mrn_net_of(b->scene, b->s, c, &o, &b->net, b->msg);
    if (st != MRN_OK)
        return st;
    press(b, &b->net);
    if (norm(b->net.load, b->net.n_unknowns) > 0)
        return MRN_OK;
    mrn_fail(b->msg, MRN_ERR_INPUT, "there is no load that forces could balance");
    return mrn_fail_hint(b->msg, "give gravity or the stress of the cell in a scene (--scene), or "
                                 "--pressure P for a periodic cell");
}

/* ---- least norm ---- */

/* f = G y with GᵀG y = -F by conjugate gradients: of all forces that balance, the least. GᵀG may be
   singular; what of the load it cannot bear stays in `rest`. Room: 3 n_unknowns + n_rows. */
static void least_norm(balance *b, double *room)
{
    const mrn_net *net = &b->net;
    int64_t n = net->n_unknowns;
    double *p = room, *ap = room + n, *r = room + 2 * n, *u = room + 3 * n;
    for (int64_t i = 0; i < n; i++)
        p[i] = r[i] = -net->load[i];
    memset(b->f, 0, (size_t)net->n_rows * sizeof *b->f);
    double size = norm(r, n), rr = size * size;
    for (int64_t k = 0; k < 4 * n + 100 && sqrt(rr) > 1e-12 * size; k++) {
        mrn_net_relative(net, p, u);
        mrn_net_resultant(net, u, ap);
        double curve = norm(u, net->n_rows), step = curve > 0 ? rr / (curve * curve) : 0;
        if (!(step > 0))
            break;
        for (int64_t i = 0; i < net->n_rows; i++)
            b->f[i] += step * u[i];
        for (int64_t i = 0; i < n; i++)
            r[i] -= step * ap[i];
        double next = norm(r, n) * norm(r, n), beta = next / rr;
        rr = next;
        for (int64_t i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
    }
}

/* Length of rows from … to - 1 of a contact that it has. */
static double length_of(const mrn_net_element *c, const double *f, int from, int to)
{
    double sum = 0;
    for (int i = from; i < to && i < c->rows; i++)
        sum += f[c->row + i] * f[c->row + i];
    return sqrt(sum);
}

/* Rows: along n, friction, then (with moments) rolling and pivoting. */
static bool inside(const mrn_net *net, const mrn_net_element *c, const double *f, double slack)
{
    int rolling = net->dimension, pivoting = net->dimension == 2 ? 3 : 5;
    double n = f[c->row] + c->pull;
    return n >= -slack && length_of(c, f, 1, rolling) <= c->friction * n + slack &&
           length_of(c, f, rolling, pivoting) <= c->roll_limit[0] * n / net->length + slack &&
           length_of(c, f, pivoting, c->rows) <= c->roll_limit[1] * n / net->length + slack;
}

static bool all_inside(const balance *b)
{
    const mrn_net *net = &b->net;
    double slack = 1e-12 * norm(b->f, net->n_rows);
    for (int64_t k = 0; k < net->n_contacts; k++)
        if (!inside(net, &net->element[k], b->f, slack))
            return false;
    return true;
}

/* ---- within the cones ---- */

static mrn_status not_supportable(const balance *b, const mrn_limit *l)
{
    if (!l->converged) {
        mrn_fail(b->msg, MRN_ERR_INPUT,
                 "no forces were found that balance the load: the search did not converge");
        return mrn_fail_hint(b->msg, "--forces law takes those of the overlaps");
    }
    mrn_fail(
        b->msg, MRN_ERR_INPUT,
        "no contact forces within the friction cones balance the load: %.4g of it can be borne",
        l->factor);
    return mrn_fail_hint(b->msg, "are contacts missing (gaps from few digits), is the friction too "
                                 "low, or does a grain touch nothing?");
}

static mrn_status by_programme(balance *b)
{
    mrn_limit l = {0};
    mrn_limit_options o = {0};
    mrn_status st = mrn_limit_of(&b->net, &o, &l, b->msg);
    if (st == MRN_OK || st == MRN_NOT_CONVERGED)
        st = l.supportable ? MRN_OK : not_supportable(b, &l);
    if (st == MRN_OK) {
        double share = isfinite(l.factor) && l.factor > 1 ? 1 / l.factor : 1;
        for (int64_t i = 0; i < b->net.n_rows; i++)
            b->f[i] = share * l.force[i];
    }
    mrn_limit_release(&l);
    return st;
}

/* ---- back ---- */

static mrn_vec3 world_force(const mrn_net *net, int64_t k, const double *f)
{
    const mrn_net_element *e = &net->element[k];
    mrn_vec3 n = mrn_load3(net->contact.normal + 3 * k);
    mrn_vec3 t = mrn_load3(net->contact.tangent + 3 * k), out = mrn_scale(f[e->row], n);
    if (e->rows >= 2)
        out = mrn_axpy(f[e->row + 1], t, out);
    if (e->rows >= 3 && net->dimension == 3)
        out = mrn_axpy(f[e->row + 2], mrn_cross(n, t), out);
    return out;
}

/* The network has the contacts in their order, less those it left out. */
static mrn_status put_forces(const balance *b)
{
    const mrn_net *net = &b->net;
    mrn_contacts *to = b->contacts;
    int64_t at = 0;
    memset(to->force, 0, 3 * (size_t)to->n * sizeof(double));
    for (int64_t k = 0; k < net->n_contacts; k++, at++) {
        while (at < to->n &&
               (to->c[at] != net->contact.body_c[k] || to->a[at] != net->contact.body_a[k]))
            at++;
        if (at == to->n)
            return mrn_fail(b->msg, MRN_ERR_INTERNAL, "contact %lld of the network is not known",
                            (long long)k);
        mrn_store3(to->force + 3 * at, world_force(net, k, b->f));
    }
    return MRN_OK;
}

static void tell(balance *b, bool least)
{
    const mrn_net *net = &b->net;
    double mean = 0, worst = 0;
    mrn_net_residual(net, b->f, b->rest);
    for (int64_t k = 0; k < net->n_contacts; k++)
        mean += fabs(b->f[net->element[k].row]) / (double)net->n_contacts;
    for (int64_t i = 0; i < net->n_unknowns - net->n_globals; i++)
        worst = fmax(worst, fabs(b->rest[i]));
    b->facts->unbalanced = mean > 0 ? worst / mean : 0;
    mrn_import_note(b->facts,
                    least ? "forces: the least that balance the load (largest residual %.1e of the "
                            "mean normal force)"
                          : "forces: some that balance the load within the friction cones (largest "
                            "residual %.1e of the mean normal force); the least ones would leave "
                            "the cones",
                    b->facts->unbalanced);
}

static mrn_status solve(balance *b)
{
    const mrn_net *net = &b->net;
    double *room = NULL;
    mrn_status st = mrn_array(&b->f, net->n_rows, sizeof *b->f, b->msg);
    if (st == MRN_OK)
        st = mrn_array(&b->rest, net->n_unknowns, sizeof *b->rest, b->msg);
    if (st == MRN_OK)
        st = mrn_array(&room, 3 * net->n_unknowns + net->n_rows, sizeof *room, b->msg);
    if (st != MRN_OK)
        return st;
    least_norm(b, room);
    mrn_free(room);
    mrn_net_residual(net, b->f, b->rest);
    bool balanced = norm(b->rest, net->n_unknowns) <= 1e-8 * norm(net->load, net->n_unknowns);
    bool least = balanced && all_inside(b);
    if (!least)
        st = by_programme(b);
    if (st == MRN_OK)
        st = put_forces(b);
    if (st == MRN_OK)
        tell(b, least);
    return st;
}

mrn_status mrn_import_balance(const mrn_scene *scene, const mrn_state *s,
                              const mrn_import_options *opt, mrn_contacts *contacts,
                              mrn_import_facts *facts, mrn_message *msg)
{
    balance b = {
        .scene = scene, .s = s, .opt = opt, .contacts = contacts, .facts = facts, .msg = msg};
    mrn_status st = make_net(&b);
    if (st == MRN_OK && b.net.n_contacts == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "no grains touch: nothing can bear the load");
        st = mrn_fail_hint(msg, "are the radii diameters, or the digits too few?");
    }
    if (st == MRN_OK)
        st = solve(&b);
    mrn_free(b.f);
    mrn_free(b.rest);
    mrn_net_release(&b.net);
    return st;
}
