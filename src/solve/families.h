/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the families of problems share: options, bodies and contact points gathered in a assembly
   and turned into H, M⁻¹ and q as a time step would. */
#ifndef MRN_SOLVE_FAMILIES_H
#define MRN_SOLVE_FAMILIES_H

#include "moraine/solve.h"

#define MRN_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))
/* Most contacts of one problem: indices of bodies and contacts stay far from the end of int. */
#define MRN_FAMILY_CONTACTS 20000000

#define MRN_FAMILY(symbol) extern const mrn_problem_family symbol;
#include "solve/families.def"

/* ---- options ---- */

extern const char *const mrn_family_dimensions[]; /* "2", "3"            */
extern const char *const mrn_family_stored[];     /* "auto", "yes", "no" */

/* A whole number: the unit "count" says so to mrn_params_set too. */
#define MRN_OPTION_COUNT(name, symbol, least, most, value, doc)                                    \
    {                                                                                              \
        name, symbol, MRN_P_NUMBER, "count", least, most, false, false, value, NULL, doc           \
    }
#define MRN_OPTION_NUMBER(name, symbol, unit, least, most, value, doc)                             \
    {                                                                                              \
        name, symbol, MRN_P_NUMBER, unit, least, most, false, false, value, NULL, doc              \
    }
/* Greater than zero. */
#define MRN_OPTION_POSITIVE(name, symbol, unit, most, value, doc)                                  \
    {                                                                                              \
        name, symbol, MRN_P_NUMBER, unit, 0, most, true, false, value, NULL, doc                   \
    }
#define MRN_OPTION_CHOICE(name, words, value, doc)                                                 \
    {                                                                                              \
        name, "", MRN_P_CHOICE, "", 0, 0, false, false, value, words, doc                          \
    }
#define MRN_OPTION_FLAG(name, value, doc)                                                          \
    {                                                                                              \
        name, "", MRN_P_FLAG, "", 0, 0, false, false, value, NULL, doc                             \
    }

#define MRN_OPTION_DIMENSION MRN_OPTION_CHOICE("dimension", mrn_family_dimensions, 1, "Of space.")
#define MRN_OPTION_FRICTION(value)                                                                 \
    MRN_OPTION_NUMBER("friction", "mu", "1", 0, 1e3, value, "Coefficient of friction.")
#define MRN_OPTION_STORED                                                                          \
    MRN_OPTION_CHOICE("stored", mrn_family_stored, 0,                                              \
                      "Whether the blocks of W are computed beside H and M⁻¹; auto: when they " \
                      "take less than 256 MiB.")

/* The options with which the families of real time steps begin. */
enum {
    MRN_OPT_DIMENSION,
    MRN_OPT_FRICTION,
    MRN_OPT_GRAVITY,
    MRN_OPT_STEP,
    MRN_OPT_DENSITY,
    MRN_OPT_SIZE,
    MRN_OPT_STORED,
    MRN_OPT_OWN
};
#define MRN_OPTIONS_OF_A_STEP(mu, size, size_doc)                                                  \
    MRN_OPTION_DIMENSION, MRN_OPTION_FRICTION(mu),                                                 \
        MRN_OPTION_NUMBER("gravity", "g", "m/s2", 0, 1e6, 9.81, "Acceleration downwards."),        \
        MRN_OPTION_POSITIVE("time-step", "h", "s", 1e3, 1e-3, "Length of the time step."),         \
        MRN_OPTION_POSITIVE("density", "rho", "kg/m3", 1e9, 2600,                                  \
                            "Of the material; in 2D bodies are 1 m thick."),                       \
        MRN_OPTION_POSITIVE("size", "a", "m", 1e6, size, size_doc), MRN_OPTION_STORED

/* Options in range and whole where they count; MRN_ERR_INPUT with the name of the family. */
mrn_status mrn_family_check(const mrn_problem_family *f, const mrn_value *option, mrn_message *msg);
/* MRN_ERR_INPUT when a problem would have more contacts than MRN_FAMILY_CONTACTS. */
mrn_status mrn_family_fits(const mrn_problem_family *f, double contacts, mrn_message *msg);

/* ---- bodies and contact points ---- */

/* In 2D bodies live in the plane x, y and turn about z; up is y. In 3D up is z. Inertia is that
   about the axes of space: bodies here are balls, or boxes along the axes. */
typedef struct mrn_assembly_body {
    mrn_vec3 x;
    double mass;
    mrn_vec3 inertia;
    mrn_vec3 v, w;  /* before the step                  */
    mrn_vec3 force; /* beside gravity, at the centre, N */
} mrn_assembly_body;

/* u is the velocity of a minus that of b at the point; the normal points from b to a. */
typedef struct mrn_assembly_contact {
    int32_t a, b; /* b = -1: fixed */
    mrn_vec3 point, normal;
    double mu[MRN_FRICTION_GROUPS];
    double drive; /* velocity along the normal with which the fixed side comes towards a */
    mrn_contact_law law;
} mrn_assembly_contact;

typedef struct mrn_assembly {
    mrn_contact_kind kind;
    double step;
    mrn_vec3 gravity;
    double restitution; /* Newton's, on contacts that approach before the step */
    int64_t n_bodies, body_capacity, n_contacts, contact_capacity;
    mrn_assembly_body *body;
    mrn_assembly_contact *contact;
} mrn_assembly;

/* An empty assembly from the options of a step. */
mrn_assembly mrn_assembly_begin(const mrn_value *option);
/* Point or direction by x, depth (3D only) and height. */
mrn_vec3 mrn_assembly_at(const mrn_assembly *y, double x, double depth, double height);
mrn_status mrn_assembly_add_body(mrn_assembly *y, const mrn_assembly_body *b, mrn_message *msg);
mrn_status mrn_assembly_add_contact(mrn_assembly *y, const mrn_assembly_contact *c,
                                    mrn_message *msg);
/* A ball (disk) or a box of given edges (x, depth, height), centre at x, at rest. */
mrn_assembly_body mrn_assembly_ball(const mrn_assembly *y, mrn_vec3 x, double radius,
                                    double density);
mrn_assembly_body mrn_assembly_box(const mrn_assembly *y, mrn_vec3 x, const double edge[3],
                                   double density);
/* Contacts of all bodies as balls of `radius`, with planes (fixed, normal towards the balls) and
   with each other, where the gap is at most `tolerance`. Linear in the number of balls. */
typedef struct mrn_assembly_plane {
    mrn_vec3 point, normal;
} mrn_assembly_plane;
mrn_status mrn_assembly_find_contacts(mrn_assembly *y, const double *radius, double tolerance,
                                      const mrn_assembly_plane *plane, int n_planes,
                                      const mrn_assembly_contact *like, mrn_message *msg);
/* The frame at a contact: tangent as near to the x axis as can be (y when the normal is near x);
   in 2D the normal turned by 90 degrees. */
void mrn_assembly_frame(bool flat, mrn_vec3 normal, mrn_vec3 *t, mrn_vec3 *s);
/* The problem: Ht, M⁻¹, q = Hᵀ(v + h M⁻¹ f), friction, laws, W as `option[stored]` says. The
   assembly is left as it is; `out` is empty when it fails. */
mrn_status mrn_assembly_finish(const mrn_assembly *y, const mrn_problem_family *f,
                               const mrn_value *option, int stored_option, uint64_t seed,
                               mrn_problem *out, mrn_message *msg);
void mrn_assembly_release(mrn_assembly *y);
/* Title and the options in words. */
void mrn_family_describe(const mrn_problem_family *f, const mrn_value *option, uint64_t seed,
                         mrn_problem *p);

#endif
