/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law mindlin: the stiffness 8 G* sqrt(R delta) follows the contact radius. When the
   load grows the force is kept (new area carries none yet), when it falls the force falls with the
   area. Either way no energy is made by the coupling, the flaw of the two other rules, there to
   compare with codes that use them. */
#ifndef MRN_LAWS_TANGENTIAL_MINDLIN_H
#define MRN_LAWS_TANGENTIAL_MINDLIN_H

#include "laws/tangent.h"

typedef struct mrn_tangential_mindlin {
    double kt; /* 8 G* */
    double mu, ratio;
    double growing, falling; /* 1: the force is kept while the load grows, falls */
    double rule;             /* mrn_slip_rule                                    */
} mrn_tangential_mindlin;

typedef struct mrn_tangential_mindlin_contact {
    double k; /* over the root of the overlap */
    double ratio, mu, kt, r;
} mrn_tangential_mindlin_contact;

MRN_FORMULA mrn_tangential_mindlin_contact mrn_tangential_mindlin_of(mrn_tangential_mindlin c,
                                                                     double r)
{
    mrn_tangential_mindlin_contact t = {c.kt * sqrt(r), c.ratio, c.mu, c.kt, r};
    return t;
}

/* What the time step is given. */
MRN_FORMULA double mrn_tangential_mindlin_k(double kt, double r, double delta)
{
    return kt * sqrt(r * delta);
}
MRN_FORMULA double mrn_tangential_mindlin_g(double ratio, double gamma_n)
{
    return ratio * gamma_n;
}

/* What is kept of an elongation when the root of the overlap changes from `old`. */
MRN_FORMULA double mrn_tangential_mindlin_keep(mrn_tangential_mindlin c, double old, double root)
{
    double change = old / (root > 0 ? root : 1);
    double keep_up = c.growing * change + (1 - c.growing);
    double keep_down = c.falling * change + (1 - c.falling);
    return old < root ? keep_up : keep_down;
}

/* In a plane, at an instant: force on C of the spring s at the velocity u. */
MRN_FORMULA double mrn_tangential_mindlin_at(mrn_tangential_mindlin_contact c, double root,
                                             double gamma_n, double press, double s, double u)
{
    double g = mrn_tangential_mindlin_g(c.ratio, gamma_n);
    return mrn_tangential_plane(c.k * root, s, g, u, c.mu * press);
}

/* root_r: of the effective radius; old: root of the overlap at the last step. */
MRN_FORMULA mrn_loaded mrn_tangential_mindlin_loaded(mrn_tangential_mindlin c, mrn_sliding at,
                                                     double root_r, double root, double gamma_n,
                                                     double press, mrn_vec3 s, double old)
{
    double keep = mrn_tangential_mindlin_keep(c, old, root);
    double g = mrn_tangential_mindlin_g(c.ratio, gamma_n);
    return mrn_tangent_loaded(at, mrn_scale(keep, s), c.kt * root_r * root, g, c.mu * press);
}
MRN_FORMULA mrn_tangential mrn_tangential_mindlin_step(mrn_tangential_mindlin c, mrn_sliding at,
                                                       double r, double root, double gamma_n,
                                                       double press, mrn_vec3 s, double old)
{
    return mrn_tangential_go(
        at, mrn_tangential_mindlin_loaded(c, at, sqrt(r), root, gamma_n, press, s, old));
}

/* Without a dashpot. */
MRN_FORMULA mrn_tangential mrn_tangential_mindlin_kept(mrn_tangential_mindlin c, mrn_passage at,
                                                       double r, double root, double press,
                                                       mrn_vec3 s, double old)
{
    mrn_tangential_mindlin_contact t = mrn_tangential_mindlin_of(c, r);
    double keep = mrn_tangential_mindlin_keep(c, old, root), keep_safe = keep > 0 ? keep : 1;
    double before = t.k * old / keep_safe; /* the spring is scaled by keep */
    return mrn_tangential_kept(at, mrn_scale(keep, s), t.k * root, c.mu * press, before);
}

/* With one, and a spring that is reset when it slides. */
MRN_FORMULA mrn_tangential mrn_tangential_mindlin_reset(mrn_tangential_mindlin c, mrn_passage at,
                                                        mrn_vec3 u, double r, double root,
                                                        double gamma_n, double press, mrn_vec3 s,
                                                        double old)
{
    mrn_tangential_mindlin_contact t = mrn_tangential_mindlin_of(c, r);
    double keep = mrn_tangential_mindlin_keep(c, old, root), keep_safe = keep > 0 ? keep : 1;
    double before = t.k * old / keep_safe, g = mrn_tangential_mindlin_g(c.ratio, gamma_n);
    return mrn_tangential_reset(at, mrn_scale(keep, s), u, t.k * root, g, c.mu * press, before,
                                c.rule - (double)MRN_SLIP_RESET);
}

#endif
