/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stiffness and limits of contacts from the laws of the scene.

   Stiffness is what the laws answer for the time step: tangent stiffness at the overlap there is.
   Rigid grains have no overlap: their contacts are taken at the overlap at which the elastic part
   of the normal law bears the force they carry. The force that Coulomb's limit counts is the one
   that presses the solids together (`press` of laws); what it exceeds the normal force by is the
   cohesion of the contact, `pull`. */
#include "quasistatic/net_law.h"

#include <string.h>

#include "base/base.h"

/* Stiffness against rolling over k_n (mu_r R)^2 where only a stiffness of contacts is given: that
   of the elastic-plastic law by default (Ai et al. 2011). */
#define ROLLING 2.25

/* What two grains in contact, or a grain and a wall, make together. */
typedef struct effective {
    double r, m; /* effective radius, mass */
} effective;

/* ---- limits ---- */

/* Friction and limits of moments by the names of the parameters. Normal and cohesion laws are left
   out: here their restitution and their pull do not matter. */
static mrn_status limits_of(const mrn_interaction *x, mrn_rigid *out, mrn_message *msg)
{
    const mrn_param *all[MRN_PARAM_MAX], *some[MRN_PARAM_MAX];
    mrn_value value[MRN_PARAM_MAX] = {0};
    mrn_material_pair none = {0};
    mrn_law_model m = x->model;
    m.part[MRN_LAW_NORMAL] = m.part[MRN_LAW_COHESION] = NULL;
    int n_all = mrn_law_model_params(&x->model, all), n = mrn_law_model_params(&m, some);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_all; k++)
            if (strcmp(some[i]->name, all[k]->name) == 0)
                value[i] = x->value[k];
    return mrn_law_rigid(&m, &none, value, out, msg);
}

mrn_status mrn_net_laws_open(const mrn_scene *scene, const mrn_state *s, const mrn_net_options *opt,
                             mrn_net_laws *out, mrn_message *msg)
{
    *out = (mrn_net_laws){.scene = scene, .s = s, .opt = opt};
    mrn_status st = mrn_array(&out->limit, scene->n_interactions, sizeof *out->limit, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->block, 1, sizeof *out->block, msg);
    for (int k = 0; st == MRN_OK && k < scene->n_interactions; k++) {
        if (mrn_rigid_contacts(scene))
            out->limit[k] = scene->interaction[k].rigid;
        else
            st = limits_of(&scene->interaction[k], &out->limit[k], msg);
    }
    return st;
}

void mrn_net_laws_release(mrn_net_laws *l)
{
    mrn_free(l->limit);
    mrn_free(l->block);
    memset(l, 0, sizeof *l);
}

/* ---- forces at rest ---- */

/* Normal force of the solids (and of cohesion where asked for) at rest at an overlap; *press: what
   presses them. */
static double force_at(const mrn_net_laws *l, const mrn_prepared *law, effective w, double delta,
                       bool cohesion, double *press)
{
    mrn_law_block *b = l->block;
    const mrn_law *part[2] = {law->part[MRN_LAW_NORMAL],
                              cohesion ? law->part[MRN_LAW_COHESION] : NULL};
    const mrn_law_kind kind[2] = {MRN_LAW_NORMAL, MRN_LAW_COHESION};
    b->n = 1, b->h = 0, b->mean = false;
    b->delta[0] = fmax(delta, 0), b->rate[0] = 0, b->gap[0] = -delta, b->closing[0] = 0;
    b->nx[0] = 1, b->ny[0] = b->nz[0] = 0;
    b->r_eff[0] = w.r, b->m_eff[0] = w.m, b->fresh[0] = 1, b->jump[0] = 0;
    for (int k = 0; k < MRN_HISTORY_MAX; k++)
        b->history[k][0] = 0;
    for (int k = 0; k < 2; k++)
        if (part[k] != NULL)
            part[k]->evaluate(law->coef[kind[k]], b, &b->history[law->offset[kind[k]]]);
    *press = b->press[0];
    return b->fn[0];
}

/* Overlap at which the solids bear a force: by bisection, for force grows with overlap. */
static double overlap_under(const mrn_net_laws *l, const mrn_prepared *law, effective w,
                            double force)
{
    double lo = 0, hi = w.r, press;
    if (!(force > 0))
        return 0;
    for (int k = 0; k < 100 && hi - lo > 1e-14 * hi; k++) {
        double mid = 0.5 * (lo + hi);
        if (force_at(l, law, w, mid, false, &press) < force)
            lo = mid;
        else
            hi = mid;
    }
    return 0.5 * (lo + hi);
}

/* ---- stiffness ---- */

static double ask(const mrn_prepared *law, mrn_law_kind kind, effective w, double delta,
                  double normal)
{
    const mrn_law *part = law->part[kind];
    return part != NULL && part->stiffness != NULL
               ? part->stiffness(law->coef[kind], w.r, w.m, delta, normal)
               : 0;
}

static void stiffness_of_law(const mrn_prepared *law, effective w, double delta, mrn_net_element *c)
{
    double kn = ask(law, MRN_LAW_NORMAL, w, delta, 0);
    c->kn = kn + ask(law, MRN_LAW_COHESION, w, delta, kn);
    c->kt =
        c->friction > 0 ? ask(law, MRN_LAW_TANGENTIAL, w, mrn_law_wide(law, w.r, delta), kn) : 0;
    c->kr[0] = ask(law, MRN_LAW_ROLLING, w, delta, kn) * w.r * w.r;
    c->kr[1] = ask(law, MRN_LAW_TWISTING, w, delta, kn) * w.r * w.r;
}

static void stiffness_given(const mrn_net_laws *l, double kn, mrn_net_element *c)
{
    double ratio = l->opt->kt_ratio > 0 ? l->opt->kt_ratio : 1;
    c->kn = kn;
    c->kt = c->friction > 0 ? ratio * kn : 0;
    for (int k = 0; k < 2; k++)
        c->kr[k] = ROLLING * kn * c->roll_limit[k] * c->roll_limit[k];
}

/* What the law says of its own tangential stiffness counts where the options say nothing. */
static void stiffness_of_compliance(const mrn_net_laws *l, const mrn_rigid *r, mrn_net_element *c)
{
    stiffness_given(l, 1 / r->compliance, c);
    if (r->compliance_t > 0 && c->friction > 0 && !(l->opt->kt_ratio > 0))
        c->kt = 1 / r->compliance_t;
}

static mrn_status no_stiffness(const mrn_interaction *x, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "law '%s' is for rigid grains: its contacts have no stiffness",
             x->model.name);
    mrn_fail_expected(msg, "a law with a stiffness, or a stiffness for all contacts");
    return mrn_fail_hint(msg,
                         "give the normal stiffness of contacts (kn, N/m) in the options of the "
                         "network, or use a law such as hertz-mindlin");
}

/* Rigid grains: the stiffness given; else the compliance of the law, or its elasticity. */
static mrn_status stiffness_of_rigid(const mrn_net_laws *l, const mrn_interaction *x, effective w,
                                     double normal, mrn_net_element *c, mrn_message *msg)
{
    const mrn_law *law = x->ready.part[MRN_LAW_NORMAL];
    if (l->opt->kn > 0)
        stiffness_given(l, l->opt->kn, c);
    else if (x->rigid.compliance > 0)
        stiffness_of_compliance(l, &x->rigid, c);
    else if (law == NULL || law->rigid_only || law->stiffness == NULL)
        return no_stiffness(x, msg);
    else
        stiffness_of_law(&x->ready, w, overlap_under(l, &x->ready, w, normal), c);
    return MRN_OK;
}

/* ---- one contact ---- */

static bool is_held(const mrn_state *s, int32_t i)
{
    return i < s->body.n_walls || (s->body.flags[i] & MRN_BODY_FIXED);
}

static effective effective_pair(const mrn_state *s, int32_t c, int32_t a)
{
    double rc = s->body.radius[c], ra = s->body.radius[a];
    double mc = s->body.mass[c], ma = s->body.mass[a];
    return (effective){.r = a < s->body.n_walls ? rc : rc * ra / (rc + ra),
                       .m = is_held(s, a)   ? mc
                            : is_held(s, c) ? ma
                                            : mc * ma / (mc + ma)};
}

static bool has_corners(const mrn_state *s, int32_t c, int32_t a)
{
    return ((s->body.flags[c] | s->body.flags[a]) & MRN_BODY_POLYTOPE) != 0;
}

static void set_limits(const mrn_rigid *limit, bool rigid, effective w, mrn_net_element *c)
{
    c->friction = limit->friction;
    c->roll_limit[0] = limit->rolling * w.r;
    c->roll_limit[1] = limit->pivoting * w.r;
    c->pull = rigid ? limit->pull_force + limit->pull_per_radius * w.r : 0;
}

mrn_status mrn_net_laws_fill(const mrn_net_laws *l, mrn_contacts *at, int64_t k,
                             mrn_net_element *element, mrn_message *msg)
{
    const mrn_scene *scene = l->scene;
    const uint16_t *material = l->s->body.material;
    int32_t c = at->c[k], a = at->a[k];
    double normal = mrn_dot(mrn_load3(at->force + 3 * k), mrn_load3(at->normal + 3 * k)), press;
    int between = scene->pair_of == NULL
                      ? -1
                      : scene->pair_of[material[c] * scene->n_materials + material[a]];
    at->interaction[k] = between;
    if (between < 0)
        return MRN_OK;
    const mrn_interaction *x = &scene->interaction[between];
    effective w = effective_pair(l->s, c, a);
    set_limits(&l->limit[between], mrn_rigid_contacts(scene), w, element);
    if (mrn_rigid_contacts(scene))
        return stiffness_of_rigid(l, x, w, normal, element, msg);
    /* grains with corners: overlaps of laws are not to be had from places alone */
    double delta = has_corners(l->s, c, a) ? overlap_under(l, &x->ready, w, normal) : -at->gap[k];
    if (x->ready.part[MRN_LAW_COHESION] != NULL) {
        double fn = force_at(l, &x->ready, w, delta, true, &press);
        element->pull = fmax(0, press - fn);
    }
    stiffness_of_law(&x->ready, w, fmax(delta, 0), element);
    return MRN_OK;
}
