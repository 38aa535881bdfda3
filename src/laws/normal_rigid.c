/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law of rigid grains for the non-smooth engine: no force as a function of overlap, hence nothing
   to evaluate; friction, rolling and cohesion are its own parameters. */
#include "laws/params.h"

enum {
    E,
    E_T,
    MU,
    ROLLING,
    PIVOTING,
    PULL,
    PULL_R,
    STIFFNESS,
    VISCOSITY,
    VISCOSITY_T,
    STIFFNESS_T
};

#define COEFFICIENT(key, sign, least, most, text)                                                  \
    {                                                                                              \
        .name = key, .symbol = sign, .unit = "1", .min = least, .max = most, .doc = text           \
    }

static const mrn_param params[] = {
    [E] = COEFFICIENT("restitution", "e", 0, 1,
                      "Normal restitution: speed of parting over speed of approach (Newton). "
                      "Approaches below the threshold of `nonsmooth:` do not rebound."),
    [E_T] = COEFFICIENT("tangential-restitution", "e_t", -1, 1,
                        "Tangential restitution, where friction can hold it; with 0 a contact that "
                        "sticks does not slide back."),
    [MU] = MRN_PARAM_FRICTION,
    [ROLLING] = COEFFICIENT("rolling-friction", "mu_r", 0, 10,
                            "Largest rolling moment over R F_n, R the effective radius "
                            "1/(1/R_a + 1/R_b), as in the rolling laws."),
    [PIVOTING] = COEFFICIENT("pivoting-friction", "mu_w", 0, 10,
                             "Largest moment about the normal over R F_n (3D), as "
                             "`twisting-friction` of the twisting laws."),
    [PULL] = {.name = "cohesion-force",
              .symbol = "F_c",
              .unit = "N",
              .min = 0,
              .max = INFINITY,
              .doc = "Force that parts two grains in touch, the same at every size."},
    [PULL_R] = {.name = "cohesion-per-radius",
                .symbol = "F_c / R",
                .unit = "N/m",
                .min = 0,
                .max = INFINITY,
                .doc = "Force that parts two grains in touch over their effective radius, added to "
                       "cohesion-force: 3/2 pi W after JKR, 2 pi W after DMT, "
                       "4 pi gamma cos(theta) of a liquid bridge."},
    [STIFFNESS] = {.name = "stiffness",
                   .symbol = "k_n",
                   .unit = "N/m",
                   .min = 0,
                   .min_open = true,
                   .max = INFINITY,
                   .fallback = NAN,
                   .doc = "Elastic repulsion of the contact, solved implicitly: any stiffness at "
                          "any time step. Left out: rigid."},
    [VISCOSITY] = {.name = "viscosity",
                   .symbol = "v_n",
                   .unit = "N s/m",
                   .min = 0,
                   .max = INFINITY,
                   .doc = "Beside a stiffness: the contact presses with max(0, k_n delta + v_n "
                          "ddelta/dt), solved implicitly."},
    [VISCOSITY_T] = {.name = "tangential-viscosity",
                     .symbol = "v_t",
                     .unit = "N s/m",
                     .min = 0,
                     .min_open = true,
                     .max = INFINITY,
                     .fallback = NAN,
                     .doc = "Regularised friction, solved implicitly: a contact resists sliding "
                            "with v_t u_T up to Coulomb's limit. It never sticks. Left out: "
                            "Coulomb's law itself."},
    [STIFFNESS_T] = {.name = "tangential-stiffness",
                     .symbol = "k_t",
                     .unit = "N/m",
                     .min = 0,
                     .min_open = true,
                     .max = INFINITY,
                     .fallback = NAN,
                     .doc = "A contact that sticks gives way along its face by F_T/k_t, as elastic "
                            "grains do, solved implicitly: any stiffness at any time step. Left "
                            "out: it sticks rigidly."},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat, (void)v, (void)coef, (void)msg;
    return MRN_OK;
}

static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    (void)mat;
    if (v[VISCOSITY].number > 0 && !v[STIFFNESS].given) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "a viscosity without a stiffness: grains would sink into each "
                 "other for ever");
        if (v[VISCOSITY].line > 0)
            mrn_fail_at(msg, "", v[VISCOSITY].line, v[VISCOSITY].column);
        mrn_fail_expected(msg, "stiffness and viscosity, or neither");
        return mrn_fail_hint(msg, "stiffness: 1e5 N/m, viscosity: 10 N s/m");
    }
    if (v[STIFFNESS_T].given && v[VISCOSITY_T].given) {
        mrn_fail(msg, MRN_ERR_INPUT, "friction cannot be both elastic and viscous");
        if (v[STIFFNESS_T].line > 0)
            mrn_fail_at(msg, "", v[STIFFNESS_T].line, v[STIFFNESS_T].column);
        mrn_fail_expected(msg, "tangential-stiffness or tangential-viscosity");
        return mrn_fail_hint(msg,
                             "leave tangential-viscosity out: it creeps, a stiffness does not");
    }
    *out = (mrn_rigid){.restitution = v[E].number,
                       .restitution_t = v[E_T].number,
                       .friction = v[MU].number,
                       .rolling = v[ROLLING].number,
                       .pivoting = v[PIVOTING].number,
                       .pull_force = v[PULL].number,
                       .pull_per_radius = v[PULL_R].number,
                       .compliance = v[STIFFNESS].given ? 1 / v[STIFFNESS].number : 0,
                       .viscosity = v[VISCOSITY].number,
                       .viscosity_t = v[VISCOSITY_T].given ? v[VISCOSITY_T].number : 0,
                       .compliance_t = v[STIFFNESS_T].given ? 1 / v[STIFFNESS_T].number : 0};
    return MRN_OK;
}

const mrn_law mrn_law_normal_rigid = {
    .name = "rigid",
    .kind = MRN_LAW_NORMAL,
    .summary = "rigid grains: restitution, friction, cohesion (method nonsmooth only)",
    .doc = "Signorini's condition in velocity: contacts do not approach, do not pull (beyond their "
           "cohesion), and a contact that opens bears nothing; Coulomb's friction, "
           "|r_T| <= mu (r_N + c), c the cohesion over the step; Newton's restitution, "
           "u_N+ = -e u_N-, and u_T+ = -e_t u_T- where friction suffices; rolling and pivoting "
           "moments bounded by mu_r R (r_N + c) and mu_w R (r_N + c). Cohesion acts on contacts in "
           "touch and ends with them. With a stiffness the contact gives way by F/k_n, with a "
           "viscosity beside it F = max(0, k_n delta + v_n ddelta/dt); with a tangential viscosity "
           "friction is regularised, F_T = -v_t u_T up to mu F_n; with a tangential stiffness what "
           "sticks gives way elastically, dF_T/dt = -k_t u_T up to mu F_n. Complete in itself: no "
           "other part joins it. Sources: Moreau 1988; Jean 1999; Radjai & Richefeu "
           "2009 (cohesion).",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .prepare = prepare,
    .rigid = rigid,
    .rigid_only = true,
};
