/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact laws. A law is one part of the answer to "two grains overlap: what force?":
   a normal, a tangential, a rolling, a twisting or a cohesion law. A model names one of each
   ("hertz-mindlin" is normal `tsuji` with tangential `mindlin`); a scene may mix its own. Laws
   never see bodies: they receive a block of at most MRN_BLOCK contacts, one array per quantity, and
   loop over it without branches so that it vectorises.

   Signs: n points from A to C; delta > 0 is overlap; rate = d(delta)/dt > 0 while approaching;
   u = tangential velocity of C relative to A at the contact point; forces are those on C. */
#ifndef MORAINE_LAW_H
#define MORAINE_LAW_H

#include "moraine/param.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MRN_BLOCK     /* a device takes contacts one by one */
#define MRN_BLOCK 264 /* not a power of two: rows would share places of the cache */
#endif
#define MRN_COEF_MAX    16 /* coefficients a law prepares per material pair */
#define MRN_HISTORY_MAX 64 /* doubles a contact remembers, all laws of a model together */

typedef enum mrn_law_kind {
    MRN_LAW_NORMAL,
    MRN_LAW_TANGENTIAL,
    MRN_LAW_ROLLING,
    MRN_LAW_COHESION,
    MRN_LAW_TWISTING,
    MRN_LAW_KINDS
} mrn_law_kind;

/* What a contact remembers. `vector`: three numbers that turn with the contact plane;
   `odd`: changes sign when C and A change places. */
typedef struct mrn_history {
    const char *name, *unit;
    bool vector, odd;
    const char *doc;
} mrn_history;

/* What a law may know of the two materials that meet. */
typedef struct mrn_material_pair {
    double young[2], poisson[2], density[2];
    double e_star; /* 1/E* = (1-nu_a^2)/E_a + (1-nu_b^2)/E_b */
    double g_star; /* 1/G* = (2-nu_a)/G_a + (2-nu_b)/G_b     */
    double kappa;  /* k_t/k_n of elastic spheres, theory of Mindlin (M1 parameters) */
} mrn_material_pair;

/* A block of contacts in touch. Inputs first; laws fill the results, normal law first, then
   cohesion, tangential, rolling and twisting. Entries beyond n are unspecified but finite, so loops
   may run over them. Only a model with a range (liquid bridges, adhesion) sees contacts that have
   lost touch: there delta and rate are 0 for all laws but the cohesion law, which reads gap and
   closing. */
typedef struct mrn_law_block {
    int n;
    bool old; /* none is in its first step: `fresh` is 0 for all; false says nothing */
    double h; /* time step, s */
    /* inputs */
    double delta[MRN_BLOCK];   /* overlap, m, not negative         */
    double rate[MRN_BLOCK];    /* d(delta)/dt, m/s                 */
    double gap[MRN_BLOCK];     /* only with a range: distance, negative in overlap, m        */
    double closing[MRN_BLOCK]; /* only with a range: -d(gap)/dt, also out of touch, m/s      */
    double nx[MRN_BLOCK], ny[MRN_BLOCK], nz[MRN_BLOCK]; /* unit normal, A to C              */
    double ux[MRN_BLOCK], uy[MRN_BLOCK], uz[MRN_BLOCK]; /* tangential velocity of C rel. A  */
    /* With `mean`: how the contact went through the step that ends now. Springs without a dashpot
       beside them are carried by it and kept at the step itself: the scheme is then neutral on
       them, whereas velocities predicted to the end of the step feed them (h w)^3 pi/2 of their
       energy per period, which the least damping outweighs. `whole` says that the law which is
       asked keeps its spring so. */
    bool mean, whole;
    double px[MRN_BLOCK], py[MRN_BLOCK], pz[MRN_BLOCK]; /* normal half-way (mrn_passage)    */
    double vx[MRN_BLOCK], vy[MRN_BLOCK], vz[MRN_BLOCK]; /* sliding velocity there, carried  */
    double ax[MRN_BLOCK], ay[MRN_BLOCK], az[MRN_BLOCK]; /* angular velocity of C minus A    */
    double pivot[MRN_BLOCK];                            /* mean of both along the normal    */
    double wx[MRN_BLOCK], wy[MRN_BLOCK], wz[MRN_BLOCK]; /* angular velocity of C minus A    */
    double r_eff[MRN_BLOCK];                            /* 1/R = 1/R_C + 1/R_A, m           */
    double m_eff[MRN_BLOCK];                            /* 1/m = 1/m_C + 1/m_A, kg          */
    /* With `geared`: the same of the bodies alone. At corners a contact feels another mass, m_eff,
       which changes while it lasts; damping follows that. A stiffness that follows a mass follows
       this one (mrn_block_own_mass): a spring whose stiffness changes has no energy. */
    bool geared;
    double m_own[MRN_BLOCK];
    double fresh[MRN_BLOCK];                    /* 1 on the first step of a contact, else 0 */
    double history[MRN_HISTORY_MAX][MRN_BLOCK]; /* in and out; 0 when fresh         */
    double spin[MRN_BLOCK]; /* mean angular velocity of C and A along n: turns vector history */
    /* results, set by the normal law */
    double fn[MRN_BLOCK];       /* normal force on C along n, N     */
    double energy_n[MRN_BLOCK]; /* stored by the normal law, J      */
    double loss_n[MRN_BLOCK];   /* power it dissipates, W           */
    double k_n[MRN_BLOCK];     /* elastic tangent stiffness dF/d(delta), N/m                      */
    double gamma_n[MRN_BLOCK]; /* what multiplies the rate in fn at this step, N s/m              */
    /* the force that presses the surfaces together, for Coulomb's limit: |fn| after the normal law;
       a cohesion law that pulls raises it back to what the solids bear, N */
    double press[MRN_BLOCK];
    /* a^2/R of the contact radius a, the overlap of a Hertz contact as wide: `delta`, or the row of
       a cohesion law that widens the contact */
    const double *wide;
    double width[MRN_BLOCK];
    double jump[MRN_BLOCK]; /* energy lost at once in this step, J; 0 before the laws, see `jumps`
                             */
    /* results, 0 before the tangential law */
    double tx[MRN_BLOCK], ty[MRN_BLOCK], tz[MRN_BLOCK]; /* tangential force on C, N         */
    double energy_t[MRN_BLOCK]; /* stored by tangential and rolling laws, J */
    double power_t[MRN_BLOCK];  /* power they take from the bodies: -T.u, W */
    double work_t[MRN_BLOCK];   /* with `mean`, instead of power_t: work taken in this step, J,
                                   of the mean force along the way; exact for springs */
    double slip[MRN_BLOCK];     /* 1 where Coulomb's limit is met   */
    /* results, 0 before the rolling and twisting laws, which ADD; used only when the model has one;
       their stored energy and power (-M.w) are added to energy_t and power_t */
    double mx[MRN_BLOCK], my[MRN_BLOCK], mz[MRN_BLOCK]; /* moment on C (minus on A), N m    */
} mrn_law_block;

struct mrn_rigid;
struct mrn_law_lanes;
typedef struct mrn_law {
    const char *name;
    mrn_law_kind kind;
    const char *summary; /* one line                                            */
    const char *doc;     /* formulas, assumptions, source                       */
    const mrn_param *params;
    int n_params;
    const mrn_history *history;
    int n_history;
    /* From materials and parameters (in the order of `params`) to size-independent coefficients.
       Called when the scene is built, never in the step. */
    mrn_status (*prepare)(const mrn_material_pair *mat, const mrn_value *value, double *coef,
                          mrn_message *msg);
    /* One step for a block; `hist` is the first of this law's rows of block->history. */
    void (*evaluate)(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK]);
    /* Tangent stiffness dF/d(delta) (tangential laws: dF/d(xi); rolling and twisting laws:
       dM/d(angle) / r_eff^2) at overlap `delta`, N/m, and damping dF/d(rate), N s/m: for the time
       step. `of_normal` is what the normal law answered (normal laws get 0). May be NULL. */
    double (*stiffness)(const double *coef, double r_eff, double m_eff, double delta,
                        double of_normal);
    double (*damping)(const double *coef, double r_eff, double m_eff, double delta,
                      double of_normal);
    /* Tangential, rolling and twisting laws: whether their spring has no dashpot beside it, the
       normal law's damping being `of_normal` (of one contact: there at every size or at none);
       `evaluate` then looks at `whole`. NULL: there is one always, or no spring. */
    bool (*undamped)(const double *coef, double of_normal);
    /* Normal laws: duration (s) of an impact at relative speed v. NULL otherwise. */
    double (*contact_time)(const double *coef, double r_eff, double m_eff, double v);
    /* Normal laws whose restitution depends on speed and size, through one number alone: that
       number (0: elastic, rising with the speed), and restitution as a function of it. NULL:
       restitution is a constant, or not known. */
    double (*impact_number)(const double *coef, double r_eff, double m_eff, double v);
    double (*impact_restitution)(const double *coef, double number);
    /* Cohesion laws that act at a distance: gap (m) up to which a contact, once made by touching,
       lives on. NULL: contacts end at zero overlap. */
    double (*range)(const double *coef, double r_eff);
    /* Cohesion laws that widen the contact: a^2/R at an overlap, negative in a neck. NULL: the
       contact is Hertz's. */
    double (*wide)(const double *coef, double r_eff, double delta);
    bool jumps;   /* fills `jump` */
    bool spheres; /* its formula is that of balls, not of a slice 1 m thick: refused between disks
                     and polygons of a 2D scene */
    bool rigid_only; /* normal laws: for rigid grains, complete without other parts; there is
                        nothing to evaluate, and method smooth refuses it */
    /* What the law is to rigid grains, as far as it goes beyond what its parameter names say; see
       mrn_law_rigid. NULL: nothing beyond (a cohesion law: it has no meaning for them). */
    mrn_status (*rigid)(const mrn_material_pair *mat, const mrn_value *value, struct mrn_rigid *out,
                        mrn_message *msg);
    /* Tangential, rolling and twisting laws with a spring: fills the law's history such that a
       contact at rest, of this overlap and normal stiffness, answers with `force` on C (rolling: a
       moment; twisting: its component along n, in force.x). For methods that find forces by other
       means than motion. */
    void (*hold)(const double *coef, double r_eff, double delta, double k_n, mrn_vec3 force,
                 double *hist);
    /* Names of the normal laws this one can join; NULL: any. */
    const char *const *with_normal;
    /* Many contacts at an instant, each with coefficients of its own (laws/lanes.h): collisions of
       the lab are quicker with it. NULL: they ask `evaluate`. */
    const struct mrn_law_lanes *lanes;
} mrn_law;

#define MRN_LAW_NAME 96
/* A combination of laws, what a scene asks for by `law:`. All but the normal part may be NULL. */
typedef struct mrn_law_model {
    char name[MRN_LAW_NAME]; /* "hertz-mindlin"; of a mixture: "tsuji+mindlin+jkr" */
    const char *summary, *doc;
    const mrn_law *part[MRN_LAW_KINDS];
} mrn_law_model;

/* Parameters of a model: those of its parts, one after another, a name shared by two parts once.
   Fills at most MRN_PARAM_MAX pointers; returns the count. */
MRN_API int mrn_law_model_params(const mrn_law_model *m, const mrn_param **out);
/* Doubles of history a model needs; `offset[kind]` is where each part's rows start. */
MRN_API int mrn_law_model_history(const mrn_law_model *m, int offset[MRN_LAW_KINDS]);

/* For each double of history, whether it changes sign when C and A change places; returns the
 * count. */
MRN_API int mrn_law_model_odd(const mrn_law_model *m, bool odd[MRN_HISTORY_MAX]);

/* Every law there is (see laws/parts.def). */
MRN_API int mrn_law_count(void);
MRN_API const mrn_law *mrn_law_at(int i);
MRN_API const mrn_law *mrn_law_find(mrn_law_kind kind, const char *name);
MRN_API const char *mrn_law_kind_name(mrn_law_kind kind); /* "normal", "tangential", … */
/* A model of these parts (NULL: none), named after them. MRN_ERR_INPUT, with the reason, when there
   is no normal part or two parts do not go together. */
MRN_API mrn_status mrn_law_mix(const mrn_law *const part[MRN_LAW_KINDS], mrn_law_model *out,
                               mrn_message *msg);

/* The list of all named models (see laws/models.def). */
MRN_API int mrn_law_model_count(void);
MRN_API const mrn_law_model *mrn_law_model_at(int i);
MRN_API const mrn_law_model *mrn_law_model_find(const char *name);

/* An interaction ready for the step. */
typedef struct mrn_prepared {
    const mrn_law *part[MRN_LAW_KINDS];
    int history;               /* doubles per contact                          */
    bool moments;              /* has a rolling or twisting law                */
    bool range;                /* has a law that acts at a distance            */
    bool jumps;                /* has a law that loses energy at once          */
    bool undamped;             /* a spring has no dashpot: wants what `mean` stands for … */
    bool whole[MRN_LAW_KINDS]; /* … and which */
    int offset[MRN_LAW_KINDS];
    double coef[MRN_LAW_KINDS][MRN_COEF_MAX];
} mrn_prepared;

/* What an interaction is to rigid grains (non-smooth engine): restitution and friction of any law
   by the names of its parameters; stiffness does not count. */
typedef struct mrn_rigid {
    double restitution, restitution_t; /* e_N, e_T                                          */
    double friction;
    double rolling, pivoting; /* |moment| <= this times r_eff times R_N (moments in N m s): a
                                 dimensionless coefficient, times r_eff of the contact      */
    double pull_force;        /* N, cohesion: pull-off force, plus …                         */
    double pull_per_radius;   /* N/m: … this times r_eff                                     */
    double compliance;        /* m/N, elastic repulsion; 0: rigid                            */
    double viscosity;         /* N s/m, beside the elastic repulsion: R = max(0, -k g - v u)  */
    double viscosity_t;       /* N s/m, regularised friction: R_T = -v u_T up to the limit; 0:
                                 Coulomb's                                                   */
    double compliance_t;      /* m/N, of sticking friction: dR_T = -k_t du_T up to the limit;
                                 0: it sticks rigidly                                        */
    /* Restitution is that of the normal law at the speed of each impact (mrn_law.impact_number);
       `restitution` is 1. */
    bool varies;
} mrn_rigid;
/* From a prepared interaction's model and values (in the order of mrn_law_model_params). Laws whose
   restitution depends on speed give that of their reference speed, or MRN_ERR_INPUT with a hint. */
MRN_API mrn_status mrn_law_rigid(const mrn_law_model *m, const mrn_material_pair *mat,
                                 const mrn_value *value, mrn_rigid *out, mrn_message *msg);

/* The same for methods that ask for restitution impact by impact: a normal law that knows it at
   every speed `varies`. */
MRN_API mrn_status mrn_law_rigid_varying(const mrn_law_model *m, const mrn_material_pair *mat,
                                         const mrn_value *value, mrn_rigid *out, mrn_message *msg);

MRN_API mrn_material_pair mrn_material_pair_mix(double young_a, double poisson_a, double density_a,
                                                double young_b, double poisson_b, double density_b);
/* `value` in the order of mrn_law_model_params. */
MRN_API mrn_status mrn_law_prepare(const mrn_law_model *m, const mrn_material_pair *mat,
                                   const mrn_value *value, mrn_prepared *out, mrn_message *msg);
/* a^2/R of the contact radius at an overlap: what a tangential law's `stiffness` and `hold` take.
 */
MRN_API double mrn_law_wide(const mrn_prepared *p, double r_eff, double delta);
/* All parts in their order on one block. */
MRN_API void mrn_law_evaluate(const mrn_prepared *p, mrn_law_block *b);

#ifdef __cplusplus
}
#endif

#endif
