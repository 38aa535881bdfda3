/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elastoplastic paths: a load in increments, each cut in parts where no equilibrium is found. */
#include "quasistatic/path.h"
#include "base/base.h"

#include <math.h>
#include <string.h>

enum { RESTART = 40 };

mrn_path_options mrn_path_default(void)
{
    return (mrn_path_options){.rule = MRN_FLOW_COULOMB,
                              .tolerance = 1e-6,
                              .max_iterations = 5000,
                              .min_increment = 1.0 / 256,
                              .accelerate = true};
}

static void fill_options(const mrn_path_options *opt, mrn_path_options *out)
{
    mrn_path_options standard = mrn_path_default();
    *out = opt ? *opt : standard;
    if (!(out->tolerance > 0))
        out->tolerance = standard.tolerance;
    if (out->max_iterations <= 0)
        out->max_iterations = standard.max_iterations;
    if (!(out->min_increment > 0))
        out->min_increment = standard.min_increment;
}

/* ---- what a path holds ---- */

static mrn_status make_state(const mrn_net *net, mrn_path_state *s, mrn_message *msg)
{
    mrn_status e = mrn_array(&s->u, net->n_unknowns, sizeof *s->u, msg);
    if (e >= 0)
        e = mrn_array(&s->load, net->n_unknowns, sizeof *s->load, msg);
    if (e >= 0)
        e = mrn_array(&s->f, net->n_rows, sizeof *s->f, msg);
    if (e >= 0)
        e = mrn_array(&s->s, net->n_contacts, sizeof *s->s, msg);
    if (e >= 0)
        e = mrn_array(&s->broken, net->n_contacts, sizeof *s->broken, msg);
    if (e >= 0)
        e = mrn_array(&s->fresh, net->n_contacts, sizeof *s->fresh, msg);
    if (e >= 0)
        e = mrn_array(&s->status, net->n_contacts, sizeof *s->status, msg);
    return e;
}

static void release_state(mrn_path_state *s)
{
    mrn_free(s->u);
    mrn_free(s->load);
    mrn_free(s->f);
    mrn_free(s->s);
    mrn_free(s->broken);
    mrn_free(s->fresh);
    mrn_free(s->status);
}

static void copy_state(const mrn_net *net, const mrn_path_state *from, mrn_path_state *to)
{
    size_t unknowns = (size_t)net->n_unknowns, contacts = (size_t)net->n_contacts;
    memcpy(to->u, from->u, unknowns * sizeof *to->u);
    memcpy(to->load, from->load, unknowns * sizeof *to->load);
    memcpy(to->f, from->f, (size_t)net->n_rows * sizeof *to->f);
    memcpy(to->s, from->s, contacts * sizeof *to->s);
    memcpy(to->broken, from->broken, contacts * sizeof *to->broken);
    memcpy(to->fresh, from->fresh, contacts * sizeof *to->fresh);
    memcpy(to->status, from->status, contacts * sizeof *to->status);
    to->sliding = from->sliding;
    to->open = from->open;
    to->reopened = from->reopened;
}

static mrn_status make_arrays(mrn_path *p, mrn_message *msg)
{
    const mrn_net *net = p->net;
    int64_t n = net->n_unknowns, room = mrn_gmres_room(n, RESTART);
    struct {
        double **at;
        int64_t n;
    } want[] = {{&p->k, net->n_rows},
                {&p->tangent, net->n_contacts * p->widest * p->widest},
                {&p->target, n},
                {&p->given, net->n_globals},
                {&p->d, n},
                {&p->d_try, n},
                {&p->r, n},
                {&p->delta, n},
                {&p->last, n},
                {&p->v, n},
                {&p->mode, n},
                {&p->f_try, net->n_rows},
                {&p->s_try, net->n_contacts},
                {&p->rel, net->n_rows},
                {&p->df, net->n_rows},
                {&p->gmres_room, p->opt.accelerate ? room : 0}};
    mrn_status s = MRN_OK;
    for (size_t l = 0; s >= 0 && l < sizeof want / sizeof *want; l++)
        s = mrn_array(want[l].at, want[l].n, sizeof(double), msg);
    if (s >= 0)
        s = mrn_array(&p->broken, net->n_contacts, sizeof *p->broken, msg);
    if (s >= 0)
        s = mrn_array(&p->imposed, net->n_globals, sizeof *p->imposed, msg);
    if (s >= 0)
        s = mrn_array(&p->status_try, net->n_contacts, sizeof *p->status_try, msg);
    if (s >= 0 && p->opt.accelerate)
        mrn_gmres_make(n, RESTART, p->gmres_room, &p->gmres);
    return s;
}

void mrn_path_destroy(mrn_path **at)
{
    mrn_path *p = *at;
    if (!p)
        return;
    double *all[] = {p->k,  p->tangent,    p->target, p->given, p->d,     p->d_try,
                     p->r,  p->delta,      p->mode,   p->f_try, p->s_try, p->rel,
                     p->df, p->gmres_room, p->last,   p->v};
    for (size_t l = 0; l < sizeof all / sizeof *all; l++)
        mrn_free(all[l]);
    mrn_free(p->broken);
    mrn_free(p->imposed);
    mrn_free(p->status_try);
    release_state(&p->now);
    release_state(&p->before);
    mrn_sparse_release(&p->g);
    mrn_elastic_release(&p->elastic);
    mrn_free(p);
    *at = NULL;
}

/* ---- start ---- */

static mrn_status check_contacts(const mrn_net *net, mrn_message *msg)
{
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        if (!(c->kn > 0) || !isfinite(c->kn) || !(c->kt >= 0) || !isfinite(c->kt)) {
            mrn_fail(msg, MRN_ERR_INPUT,
                     "the contact of bodies %d and %d has stiffness kn = %g N/m, kt = %g N/m",
                     (int)net->contact.body_c[k], (int)net->contact.body_a[k], c->kn, c->kt);
            return mrn_fail_hint(msg, "a path needs kn > 0: give kn where the grains are rigid");
        }
        if (!isfinite(c->force[0]) || !isfinite(c->force[1]) || !isfinite(c->force[2]))
            return mrn_fail(msg, MRN_ERR_INPUT,
                            "the force of the contact of bodies %d and %d is not finite",
                            (int)net->contact.body_c[k], (int)net->contact.body_a[k]);
    }
    return MRN_OK;
}

/* A contact that bears nothing and has a gap begins open by it; all others begin as they are. */
static void start_contact(mrn_path *p, int64_t k)
{
    const mrn_net *net = p->net;
    const mrn_net_element *c = &net->element[k];
    double local[MRN_NET_ROWS][MRN_NET_ROWS], *f = p->now.f + c->row;
    bool bears = false;
    mrn_net_local(net, k, MRN_NET_STICKS, local);
    for (int i = 0; i < c->rows; i++) {
        p->k[c->row + i] = local[i][i];
        bears |= f[i] != 0;
    }
    double gap = net->contact.gap[k];
    bool open = !bears && (gap > 0 || c->status == MRN_NET_OPEN);
    p->now.s[k] = open ? -c->kn * fmax(gap, 0) : c->force[0] + c->pull;
    p->now.broken[k] = open && c->pull > 0;
    p->now.status[k] = open ? MRN_NET_OPEN : c->status;
    p->now.fresh[k] = open;
}

static void start(mrn_path *p)
{
    const mrn_net *net = p->net;
    mrn_net_forces(net, p->now.f);
    memcpy(p->now.load, net->load, (size_t)net->n_unknowns * sizeof *net->load);
    for (int64_t k = 0; k < net->n_contacts; k++) {
        start_contact(p, k);
        p->now.sliding += p->now.status[k] == MRN_NET_SLIDES;
    }
}

/* Mean normal force of closed contacts. */
static double mean_force(const mrn_net *net, const double *f)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        double value = fabs(f[net->element[k].row]);
        sum += value;
        count += value > 0;
    }
    return count > 0 ? sum / (double)count : 0;
}

/* Forces far from equilibrium are no start: what was missing would go into the first increment. */
static mrn_status check_start(mrn_path *p, mrn_message *msg)
{
    const mrn_net *net = p->net;
    double largest = 0, scale = mean_force(net, p->now.f);
    int64_t where = 0;
    p->least_scale = scale;
    mrn_net_residual(net, p->now.f, p->r);
    for (int64_t i = 0; i < net->n_unknowns; i++)
        if (!(fabs(p->r[i]) <= largest)) {
            largest = fabs(p->r[i]);
            where = i;
        }
    p->facts.residual = scale > 0 ? largest / scale : largest > 0 ? INFINITY : 0;
    if (p->facts.residual <= 1e-2 || (scale <= 0 && largest <= 0))
        return MRN_OK;
    int64_t node = where / net->dofs;
    if (node < net->n)
        mrn_fail(msg, MRN_ERR_INPUT,
                 "the packing is not in equilibrium: body %d has a net force of %.3g mean forces",
                 (int)net->body[node], p->facts.residual);
    else
        mrn_fail(msg, MRN_ERR_INPUT,
                 "the packing is not in equilibrium: %s misses its load by %.3g mean forces",
                 net->global[node - net->n].name, p->facts.residual);
    mrn_fail_expected(msg, "at most 0.01; a good equilibrium has less than 1e-4");
    return mrn_fail_hint(msg, "let the packing come to rest under its load first");
}

static void show(mrn_path *p)
{
    p->facts.u = p->now.u;
    p->facts.force = p->now.f;
    p->facts.status = p->now.status;
    p->facts.mode = p->mode;
    p->facts.sliding = p->now.sliding;
    p->facts.open = p->now.open;
    p->facts.reopened = p->now.reopened;
}

static mrn_status build(mrn_path *p, mrn_message *msg)
{
    const mrn_net *net = p->net;
    for (int64_t k = 0; k < net->n_contacts; k++)
        p->widest = net->element[k].rows > p->widest ? net->element[k].rows : p->widest;
    mrn_status s = check_contacts(net, msg);
    if (s >= 0)
        s = make_arrays(p, msg);
    if (s >= 0)
        s = make_state(net, &p->now, msg);
    if (s >= 0)
        s = make_state(net, &p->before, msg);
    if (s < 0)
        return s;
    start(p);
    s = check_start(p, msg);
    if (s >= 0)
        s = mrn_net_matrix(net, &p->g, msg);
    /* solutions only correct displacements of which the residual is known: 1e-6 is plenty */
    mrn_elastic_options elastic = {.tolerance = 1e-6};
    if (s >= 0)
        s = mrn_elastic_make(net, &elastic, &p->elastic, msg);
    return s;
}

mrn_status mrn_path_create(const mrn_net *net, const mrn_path_options *opt, mrn_path **out,
                           mrn_message *msg)
{
    *out = NULL;
    if (net->n == 0 || net->n_contacts == 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "no grain bears a force: there is no path to follow");
    mrn_path *p = mrn_alloc(sizeof *p);
    if (!p)
        return mrn_fail_memory(msg);
    p->net = net;
    fill_options(opt, &p->opt);
    mrn_status s = build(p, msg);
    if (s < 0) {
        mrn_path_destroy(&p);
        return s;
    }
    show(p);
    *out = p;
    return MRN_OK;
}

mrn_path_facts mrn_path_facts_of(const mrn_path *p)
{
    return p->facts;
}

/* ---- increments ---- */

/* Target and imposed globals of a part of the increment. */
static void aim(mrn_path *p, const double *dload, const double *dglobal, double part)
{
    const mrn_net *net = p->net;
    for (int64_t i = 0; i < net->n_unknowns; i++)
        p->target[i] = p->now.load[i] + (dload ? part * dload[i] : 0);
    for (int g = 0; g < net->n_globals; g++) {
        p->imposed[g] = dglobal && !isnan(dglobal[g]);
        p->given[g] = p->imposed[g] ? part * dglobal[g] : 0;
    }
    memcpy(p->broken, p->now.broken, (size_t)net->n_contacts * sizeof *p->broken);
    p->force_scale = fmax(mean_force(net, p->now.f), p->least_scale);
}

static void count_contacts(mrn_path *p)
{
    mrn_path_state *s = &p->now;
    s->sliding = s->open = 0;
    for (int64_t k = 0; k < p->net->n_contacts; k++) {
        bool open = p->status_try[k] == MRN_NET_OPEN;
        if (s->status[k] == MRN_NET_OPEN && !open) {
            s->reopened++;
            s->fresh[k] = false;
        }
        s->status[k] = p->status_try[k];
        s->sliding += s->status[k] == MRN_NET_SLIDES;
        s->open += open && !s->fresh[k];
    }
}

/* The equilibrium found becomes the state. */
static void commit(mrn_path *p)
{
    const mrn_net *net = p->net;
    mrn_path_state *s = &p->now;
    for (int64_t i = 0; i < net->n_unknowns; i++)
        s->u[i] += p->d[i];
    memcpy(s->load, p->target, (size_t)net->n_unknowns * sizeof *s->load);
    memcpy(s->f, p->f_try, (size_t)net->n_rows * sizeof *s->f);
    memcpy(s->s, p->s_try, (size_t)net->n_contacts * sizeof *s->s);
    memcpy(s->broken, p->broken, (size_t)net->n_contacts * sizeof *s->broken);
    count_contacts(p);
    mrn_sparse_times_t(&p->g, s->f, p->r);
    for (int g = 0; g < net->n_globals; g++)
        if (p->imposed[g])
            s->load[mrn_net_global_unknown(net, g)] = -p->r[mrn_net_global_unknown(net, g)];
    p->facts.residual = p->residual;
    p->facts.increments++;
}

static void unit(int64_t n, double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    if (sum > 0 && isfinite(sum))
        for (int64_t i = 0; i < n; i++)
            x[i] /= sqrt(sum);
    else
        memset(x, 0, (size_t)n * sizeof *x);
}

/* The network in which imposed globals do not move: they bear whatever it takes, and are no
   unknowns. Strains of the cell are the last of the unknowns, so that the others keep their
   numbers; false: a wall is imposed, which may stand before them. `kept` has room for all globals.
 */
static bool hold_imposed(const mrn_path *p, mrn_net *net, mrn_global *kept, double *load)
{
    int n = 0;
    *net = *p->net;
    int64_t first = net->n_unknowns - net->n_globals;
    memcpy(load, p->target, (size_t)first * sizeof *load);
    for (int g = 0; g < net->n_globals; g++) {
        if (p->imposed[g] && net->global[g].kind == MRN_GLOBAL_WALL)
            return false;
        if (p->imposed[g])
            continue;
        load[first + n] = p->target[first + g];
        kept[n++] = net->global[g];
    }
    net->global = kept;
    net->n_globals = n;
    net->n_unknowns = first + n;
    net->load = load;
    return true;
}

/* Whether any forces within the cones balance the load that was not reached. */
static mrn_status why(mrn_path *p, mrn_message *msg)
{
    mrn_net net;
    mrn_global *kept = NULL;
    double *load = NULL;
    mrn_limit limit = {0};
    mrn_limit_options opt = {0};
    p->facts.end = MRN_PATH_UNDECIDED;
    mrn_status s = mrn_array(&kept, p->net->n_globals, sizeof *kept, msg);
    if (s == MRN_OK)
        s = mrn_array(&load, p->net->n_unknowns, sizeof *load, msg);
    if (s == MRN_OK && hold_imposed(p, &net, kept, load)) {
        s = mrn_limit_of(&net, &opt, &limit, msg);
        if (s >= 0 && limit.converged)
            p->facts.end = limit.supportable ? MRN_PATH_UNSTABLE : MRN_PATH_UNSUPPORTED;
        mrn_limit_release(&limit);
    }
    mrn_free(kept);
    mrn_free(load);
    return s == MRN_ERR_MEMORY ? s : MRN_OK;
}

static mrn_status give_up(mrn_path *p, double reached, mrn_message *msg)
{
    memcpy(p->mode, p->v, (size_t)p->net->n_unknowns * sizeof *p->mode);
    unit(p->net->n_unknowns, p->mode);
    if (p->mechanism) { /* the message is that of the elastic solution */
        p->facts.end = MRN_PATH_UNSUPPORTED;
        return MRN_NOT_CONVERGED;
    }
    mrn_status s = why(p, msg);
    if (s < 0)
        return s;
    show(p);
    bool none = p->facts.end == MRN_PATH_UNSUPPORTED;
    mrn_fail(msg, MRN_NOT_CONVERGED, "no equilibrium beyond %.4g of the increment: %s", reached,
             none ? "no forces within Coulomb's cones balance the load"
                  : "the contacts slide or open without end");
    return mrn_fail_hint(msg, none ? "this load needs other contacts"
                                   : "the strictly quasi-static regime ends here");
}

static mrn_status check_load(const mrn_net *net, const double *dload, const double *dglobal,
                             mrn_message *msg)
{
    for (int64_t i = 0; dload && i < net->n_unknowns; i++)
        if (!isfinite(dload[i]))
            return mrn_fail(msg, MRN_ERR_RANGE, "the load changes by %g N", dload[i]);
    for (int g = 0; dglobal && g < net->n_globals; g++)
        if (isinf(dglobal[g]))
            return mrn_fail(msg, MRN_ERR_RANGE, "%s is to move by %g", net->global[g].name,
                            dglobal[g]);
    return MRN_OK;
}

/* An equilibrium of the part that is aimed at. Where the quick way finds none of the shortest part,
   the plain iteration has the last word: it is what the end of the regime is defined by. */
static mrn_status seek(mrn_path *p, double part, mrn_message *msg)
{
    mrn_status s = mrn_path_equilibrium(p, p->opt.accelerate, msg);
    p->facts.iterations += p->spent;
    bool last = part <= p->opt.min_increment && p->opt.accelerate && !p->mechanism;
    if (s != MRN_NOT_CONVERGED || !last)
        return s;
    s = mrn_path_equilibrium(p, false, msg);
    p->facts.iterations += p->spent;
    return s;
}

/* Parts of the increment: halves where it fails; a failure is tried again from nearer by before
   the part is halved once more; beyond the last failure parts grow again. */
static mrn_status advance(mrn_path *p, const double *dload, const double *dglobal, double *reached,
                          mrn_message *msg)
{
    double part = 1, failed = INFINITY;
    while (*reached < 1) {
        bool last = *reached + part >= 1 - 1e-12;
        aim(p, dload, dglobal, last ? 1 - *reached : part);
        mrn_status s = seek(p, part, msg);
        if (s < 0)
            return s;
        if (s == MRN_OK) {
            commit(p);
            *reached = last ? 1 : *reached + part;
            if (*reached >= failed - 1e-12)
                failed = INFINITY;
            if (*reached + 2 * part <= failed)
                part = fmin(2 * part, 1 - *reached);
            continue;
        }
        failed = fmin(failed, *reached + part);
        if (p->mechanism || part <= p->opt.min_increment)
            return MRN_NOT_CONVERGED;
        part = fmax(0.5 * part, p->opt.min_increment);
    }
    return MRN_OK;
}

mrn_status mrn_path_step(mrn_path *p, const double *dload, const double *dglobal, double *reached,
                         mrn_message *msg)
{
    double made = 0;
    mrn_status s = check_load(p->net, dload, dglobal, msg);
    if (reached)
        *reached = 0;
    if (s < 0)
        return s;
    copy_state(p->net, &p->now, &p->before);
    mrn_path_facts facts = p->facts;
    s = advance(p, dload, dglobal, &made, msg);
    p->facts.end = MRN_PATH_OK;
    if (s == MRN_NOT_CONVERGED)
        s = give_up(p, made, msg);
    if (s < 0) {
        copy_state(p->net, &p->before, &p->now);
        p->facts = facts;
        made = 0;
    }
    show(p);
    if (reached)
        *reached = made;
    return s;
}
