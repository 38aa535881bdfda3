/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters that several laws share, each written once. `instead` names the parameter that may be
   given in its place ("normal-damping"). */
#ifndef MRN_LAWS_PARAMS_H
#define MRN_LAWS_PARAMS_H

#include "moraine/law.h"

extern const char *const mrn_end_of_contact[]; /* "force", "overlap" */
extern const char *const mrn_slip_rules[];     /* mrn_slip_rule (laws/tangent.h) */

/* Exactly one of the two is given, or a message that says so. */
mrn_status mrn_one_of(const mrn_value *a, const char *name_a, const mrn_value *b,
                      const char *name_b, mrn_message *msg);
/* Both materials have a Young's modulus; `law` begins the message: "a Hertz law". */
mrn_status mrn_needs_young(const mrn_material_pair *mat, const char *law, mrn_message *msg);
/* Young's modulus of two like bodies with the pair's E* and mean Poisson's ratio. */
double mrn_like_young(const mrn_material_pair *mat);
/* eta1 from the parameters MRN_PARAM_ETA1 and MRN_PARAM_ETA1_OVER_YOUNG, one of them given. */
mrn_status mrn_eta1(const mrn_material_pair *mat, const mrn_value *eta1, const mrn_value *ratio,
                    double *out, mrn_message *msg);

/* eta2 from MRN_PARAM_ETA2 and MRN_PARAM_ETA2_OVER_ETA1, at most one of them given; else 0. */
mrn_status mrn_eta2(const mrn_value *eta2, const mrn_value *ratio, double eta1, double *out,
                    mrn_message *msg);

/* A rolling law whose moment vanishes at rest cannot stand for rigid grains, which know a bound on
   moments alone. */
mrn_status mrn_holds_no_moment(const char *law, mrn_message *msg);
/* The law as given has no one restitution: it depends `on` "mass and speed". */
mrn_status mrn_no_restitution(const mrn_law *law, const mrn_value *value, const char *on,
                              mrn_message *msg);

#define MRN_PARAM_RESTITUTION(instead)                                                             \
    {                                                                                              \
        .name = "restitution", .symbol = "e", .unit = "1", .min = 0, .max = 1, .fallback = NAN,    \
        .doc = "Normal restitution, the same at every speed, turned into damping exactly for "     \
               "this law and its end of contact; values below 0.001 count as 0.001. Give this "    \
               "or " instead "."                                                                   \
    }

#define MRN_PARAM_END_OF_CONTACT                                                                   \
    {                                                                                              \
        .name = "end-of-contact", .symbol = "", .kind = MRN_P_CHOICE, .unit = "1", .max = 1,       \
        .fallback = 0, .choices = mrn_end_of_contact,                                              \
        .doc = "force: a contact ends when its force returns to zero, never pulls (default); "     \
               "overlap: it ends at zero overlap and may pull for a moment before."                \
    }

/* The two viscosities of a viscoelastic solid, and their usual ratios. */
#define MRN_PARAM_ETA1(more)                                                                       \
    {                                                                                              \
        .name = "eta1", .symbol = "eta_1", .unit = "Pa s", .min = 0, .max = INFINITY,              \
        .fallback = NAN, .doc = "Viscosity of the material in shear. " more                        \
    }
#define MRN_PARAM_ETA2(more)                                                                       \
    {                                                                                              \
        .name = "eta2", .symbol = "eta_2", .unit = "Pa s", .min = 0, .max = INFINITY,              \
        .fallback = NAN, .doc = "Viscosity of the material in compression. " more                  \
    }
#define MRN_PARAM_ETA1_OVER_YOUNG                                                                  \
    {                                                                                              \
        .name = "eta1-over-young", .symbol = "eta_1 / E", .unit = "s", .min = 0, .max = INFINITY,  \
        .fallback = NAN,                                                                           \
        .doc = "eta1 over Young's modulus; published range 1e-8 s to 1e-5 s, reference 1e-6 s. "   \
               "Materials that differ count with the modulus 2 (1 - nu^2) E* of two alike ones, "  \
               "nu their mean. Give this or eta1."                                                 \
    }
#define MRN_PARAM_ETA2_OVER_ETA1                                                                   \
    {                                                                                              \
        .name = "eta2-over-eta1", .symbol = "eta_2 / eta_1", .unit = "1", .min = 0,                \
        .max = INFINITY, .fallback = NAN,                                                          \
        .doc = "eta2 over eta1; published range 0 to 10. Give this or eta2; default 0."            \
    }

#define MRN_PARAM_FRICTION                                                                         \
    {                                                                                              \
        .name = "friction", .symbol = "mu", .unit = "1", .min = 0, .max = 100, .required = true,   \
        .doc = "Coulomb's coefficient of friction."                                                \
    }

#define MRN_PARAM_DAMPING_RATIO                                                                    \
    {                                                                                              \
        .name = "damping-ratio", .symbol = "gamma_t / gamma_n", .unit = "1", .min = 0, .max = 10,  \
        .fallback = 1, .doc = "Tangential over normal dashpot constant."                           \
    }

#define MRN_PARAM_SLIP_RULE                                                                        \
    {                                                                                              \
        .name = "slip-rule", .symbol = "", .kind = MRN_P_CHOICE, .unit = "1", .max = 2,            \
        .fallback = 0, .choices = mrn_slip_rules,                                                  \
        .doc = "What becomes of spring and dashpot at Coulomb's limit. series: both stand in "     \
               "series with the slider, as a mechanical model does (default; the limit of small "  \
               "steps is reached in second order); reset: the spring alone is held against the "   \
               "limit and reset to F_t / k_t, the dashpot acts only while it sticks (LIGGGHTS, "   \
               "YADE); reset-total: spring and dashpot together are held against it and the "      \
               "spring is reset to what the dashpot leaves, (F_t - gamma_t v_t) / k_t (LAMMPS, "   \
               "MFiX). Without a dashpot all three are one."                                       \
    }

#define MRN_PARAM_ROLLING_FRICTION                                                                 \
    {                                                                                              \
        .name = "rolling-friction", .symbol = "mu_r", .unit = "1", .min = 0, .max = 10,            \
        .required = true,                                                                          \
        .doc = "Largest rolling moment over R F_n, R the effective radius 1/(1/R_a + 1/R_b)."      \
    }
#define MRN_PARAM_TWISTING_FRICTION                                                                \
    {                                                                                              \
        .name = "twisting-friction", .symbol = "mu_w", .unit = "1", .min = 0, .max = 10,           \
        .required = true,                                                                          \
        .doc = "Largest twisting moment over R F_n, R the effective radius 1/(1/R_a + 1/R_b)."     \
    }

#endif
