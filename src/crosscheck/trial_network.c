/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the contacts of a run's last state say: normal forces, overlaps, and how many states of
   self-stress the network has, in which forces of rigid grains are left open by statics. */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "crosscheck/crosscheck.h"
#include "moraine/quasistatic.h"

/* Unknowns up to which a rank is found in a second or so. */
#define MOST_UNKNOWNS 3000

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Forces over their mean; contacts that bear nothing are none. */
static mrn_status take_forces(const mrn_contacts *c, mrn_trial *r)
{
    double sum = 0;
    mrn_status s = mrn_array(&r->force, c->n + 1, sizeof *r->force, NULL);
    if (s != MRN_OK)
        return s;
    r->n_forces = 0;
    for (int64_t k = 0; k < c->n; k++) {
        const double *f = c->force + 3 * k, *n = c->normal + 3 * k;
        double fn = f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
        if (!(fn > 0))
            continue;
        r->force[r->n_forces++] = fn;
        sum += fn;
    }
    for (int i = 0; i < r->n_forces; i++)
        r->force[i] /= sum / r->n_forces;
    qsort(r->force, (size_t)r->n_forces, sizeof *r->force, ascending);
    return MRN_OK;
}

static double effective_radius(const mrn_state *s, int32_t c, int32_t a)
{
    double rc = s->body.radius[c], ra = a >= 0 ? s->body.radius[a] : 0;
    return ra > 0 ? rc * ra / (rc + ra) : rc;
}

static void take_overlaps(const mrn_state *s, const mrn_contacts *c, mrn_trial *r)
{
    double sum = 0;
    r->largest_overlap = 0;
    for (int64_t k = 0; k < c->n; k++) {
        double d = fmax(-c->gap[k], 0) / effective_radius(s, c->c[k], c->a[k]);
        sum += d;
        r->largest_overlap = fmax(r->largest_overlap, d);
    }
    r->overlap = c->n > 0 ? sum / (double)c->n : 0;
    r->contacts = c->n;
}

static void take_self_stress(const mrn_scene *scene, const mrn_state *s, mrn_trial *r)
{
    mrn_net net = {0};
    mrn_rigidity rigidity = {0};
    mrn_message unread;
    mrn_net_options opt = mrn_net_default();
    mrn_rigidity_options how = mrn_rigidity_default();
    opt.cell = false;
    if (mrn_rigid_contacts(scene))
        opt.kn = opt.kt_ratio = 1; /* ranks do not depend on them */
    how.most_modes = how.most_self = 0;
    how.decompose = false;
    if (mrn_net_of(scene, s, NULL, &opt, &net, &unread) == MRN_OK && net.n > 0 &&
        net.n_unknowns <= MOST_UNKNOWNS &&
        mrn_rigidity_of(&net, &how, &rigidity, &unread) == MRN_OK)
        r->self_stress = rigidity.hyperstatic;
    mrn_rigidity_release(&rigidity);
    mrn_net_release(&net);
}

mrn_status mrn_trial_network(const mrn_scene *scene, const mrn_state *s, mrn_trial *r)
{
    mrn_contacts c = {0};
    mrn_message unread = {0};
    mrn_status st = mrn_contacts_collect(scene, s, 0, &c, &unread);
    if (st == MRN_OK)
        st = take_forces(&c, r);
    if (st == MRN_OK) {
        take_overlaps(s, &c, r);
        take_self_stress(scene, s, r);
    }
    mrn_contacts_destroy(&c);
    return st;
}
