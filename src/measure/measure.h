/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the measures share: which bodies count, sums in a fixed order, contacts from whatever
   source, and the gauge, which measures every part at most once. */
#ifndef MRN_MEASURE_MEASURE_H
#define MRN_MEASURE_MEASURE_H

#include "base/sum.h"
#include "detect/detect.h"
#include "moraine/measure.h"

#define MRN_TERMS 40 /* most quantities summed at once */

/* Adds the share of body i to `sum`. */
typedef void (*mrn_term)(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum);

/* Sums over all grains (not walls), the same bits for any number of threads and any order of bodies
   in memory. `width` numbers, at most MRN_TERMS. */
void mrn_sum_grains(const mrn_scene *scene, const mrn_state *s, int width, mrn_term term,
                    double *sum);
/* The same with something more to know. */
typedef void (*mrn_term_of)(const void *what, const mrn_state *s, int32_t i, double *sum);
void mrn_sum_bodies(const void *what, const mrn_state *s, int width, mrn_term_of term, double *sum);
/* Adds `width` numbers to as many sums. */
void mrn_terms_add(mrn_sum *sum, const double *term, int width);
/* The largest value over all grains, -INFINITY without grains. */
typedef double (*mrn_grain_value)(const mrn_scene *scene, const mrn_state *s, int32_t i);
double mrn_max_grains(const mrn_scene *scene, const mrn_state *s, mrn_grain_value value);

/* The account of energies for those of the bodies: kinetic, rotational and of gravity
   (measure/body_energy.h). */
mrn_energies mrn_account_energies(const mrn_state *s, const double sum[3]);

/* A grain: a sphere, disk, polygon or polyhedron of its own, or a cluster as a whole. */
static inline bool mrn_is_grain(const mrn_state *s, int32_t i)
{
    return !(s->body.flags[i] & (MRN_BODY_WALL | MRN_BODY_ABSENT | MRN_BODY_MEMBER));
}
/* A grain that moves by its forces. */
static inline bool mrn_is_free(const mrn_state *s, int32_t i)
{
    return mrn_is_grain(s, i) && !(s->body.flags[i] & MRN_BODY_FIXED);
}
/* Volume (area in 2D, 1 m thick); exact for polytopes, whose radius is that of the sphere (disk) of
   equal volume; of a cluster: of the sphere (disk) it is measured by. */
static inline double mrn_volume_of(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    double r = s->body.radius[i];
    return scene->dimension == 2 ? MRN_PI * r * r : 4.0 / 3.0 * MRN_PI * r * r * r;
}

/* All that was dissipated since the account was opened (energy.c). */
double mrn_ledger_lost(const mrn_ledger *l);
/* Angular momentum of a grain about its own centre, world frame (energy.c). */
mrn_vec3 mrn_spin_momentum(const mrn_scene *scene, const mrn_state *s, int32_t i);

/* The way up: against gravity as it acts now; without gravity z, y in 2D. And the axis nearest to
 * it. */
mrn_vec3 mrn_up(const mrn_scene *scene, const mrn_state *s);
int mrn_vertical(const mrn_scene *scene, const mrn_state *s);

/* ---- contacts (visit.c) ---- */

typedef struct mrn_contact_view mrn_contact_view;

/* One contact of the network with what it belongs to (grains instead of spheres of clusters): made
   for a visit, never kept. */
typedef struct mrn_contact_entry {
    int64_t k;                /* its place in the network of the view                          */
    int32_t c, a;             /* bodies in touch: grains, members of clusters, or a = a wall   */
    int32_t grain_c, grain_a; /* the grains they belong to; the wall                           */
    bool wall;
    double gap;
    mrn_vec3 to;     /* centre of grain_c                                                      */
    mrn_vec3 branch; /* to it from the centre of grain_a; from the contact point on a wall     */
    mrn_vec3 normal, force; /* n from A to C, force on C                                       */
} mrn_contact_entry;
/* Torque of the contact about the centre of grain_c, or (on_c false) on grain_a about its own. */
mrn_vec3 mrn_contact_turn(const mrn_contact_view *v, const mrn_contact_entry *t, bool on_c);

#define MRN_VIEW_FRICTIONS 16 /* interactions whose friction is looked up once */

/* A contact network as measures read it, whatever columns it has: that of a state, whose slots may
   follow the neighbour list, or one that is given. */
struct mrn_contact_view {
    const mrn_scene *scene;
    const mrn_state *s;
    const mrn_contacts *network;
    bool given;        /* it is not the state's own                  */
    bool follows_list; /* slot k belongs to pair k of the list       */
    bool known;        /* there is a network at all                  */
    mrn_images images;
    double friction[MRN_VIEW_FRICTIONS];
};
mrn_contact_view mrn_view_of(const mrn_scene *scene, const mrn_state *s,
                             const mrn_contacts *contacts);

typedef void (*mrn_contact_visit)(const mrn_contact_view *v, const mrn_contact_entry *t,
                                  void *user);
/* All contacts, one after another: of the list by persistent numbers, else in the order of the
   source. */
void mrn_contacts_each(const mrn_contact_view *v, mrn_contact_visit visit, void *user);
/* Sums over all contacts, the same bits for any number of threads and any order of contacts. */
typedef void (*mrn_contact_term)(const void *what, const mrn_contact_view *v,
                                 const mrn_contact_entry *t, double *sum);
void mrn_sum_contacts(const mrn_contact_view *v, const void *what, int width, mrn_contact_term term,
                      double *sum);
/* Friction of a contact; 0: none; NAN: cohesion joins in, so that mu N is not the limit. */
double mrn_contact_friction(const mrn_contact_view *v, const mrn_contact_entry *t);

static inline double mrn_contact_normal_force(const mrn_contact_entry *t)
{
    return mrn_dot(t->force, t->normal);
}

/* ---- sums over contacts (stress.c) ---- */

typedef struct mrn_contact_sums {
    double contacts, between; /* all; between grains                                         */
    double force, force_n, force_t, force_n2;
    double pressed;   /* contacts with f_n > 0: those of force_n, force_n2          */
    double stress[6]; /* sum of f (x) branch in the bulk, J                          */
    double fabric[6]; /* sum of n (x) n, contacts between grains                     */
    double mobilised, frictional, sliding;
    double ends; /* contacts per grain, summed over free grains                 */
} mrn_contact_sums;
void mrn_contact_sums_of(const mrn_contact_view *v, const mrn_bulk *bulk, mrn_contact_sums *out);
/* Sum of n (x) n over contacts between grains with f_n (or |f|) above a limit, and how many. */
void mrn_fabric_above(const mrn_contact_view *v, double limit, bool normal, double fabric[6],
                      double *n);

/* ---- motion (flow.c) ---- */

typedef struct mrn_bulk_motion {
    double n, mass, volume, radius; /* free grains: count, sums of mass, volume, radius       */
    double mean[3], centre[3];      /* velocity and place, by mass                            */
    double fit[9];                  /* velocity gradient along axes that end; 0 in others     */
    double gradient[9];             /* with the cell's                                        */
    double rate;                    /* sqrt(2 D':D')                                          */
    double kinetic[6];              /* sum of m v' v' in the bulk                             */
    double temperature;
} mrn_bulk_motion;
void mrn_bulk_motion_of(const mrn_scene *scene, const mrn_state *s, const mrn_bulk *bulk,
                        mrn_bulk_motion *out);

/* ---- network (network.c) ---- */

/* A contact is a touch; where grains with corners touch, all points of a pair are one contact (they
   count each where it is asked whether a grain is held). */
typedef struct mrn_network {
    int64_t grains, bearing; /* free grains; with two contacts or more                      */
    int64_t points, contacts, with_walls; /* touches; contacts; of these with walls         */
    int64_t folds[3]; /* contacts of grains with corners at 1, 2, 3 or more points          */
    double ends, bearing_ends, neighbours;
    int64_t rattlers, divalent;
    double backbone_ends;
} mrn_network;
/* `mean_force`: contacts below MRN_BEARING of it bear nothing. With `all`: neighbours too. */
mrn_status mrn_network_of(const mrn_contact_view *v, double mean_force, bool all, mrn_network *out,
                          mrn_message *msg);
double mrn_unbalanced(const mrn_scene *scene, const mrn_state *s, double mean_contact_force);

/* ---- packing (packing.c) ---- */

double mrn_height(const mrn_scene *scene, const mrn_state *s);
/* Volume of grains over that of the bulk; *density: their mass over it. */
double mrn_solid_fraction(const mrn_scene *scene, const mrn_state *s, const mrn_bulk *bulk,
                          double *density);
bool mrn_in_bulk(const mrn_bulk *b, mrn_vec3 x);
/* How far body i reaches from its centre along a unit vector: its radius, or its farthest corner.
 */
double mrn_reach(const mrn_scene *scene, const mrn_state *s, int32_t i, mrn_vec3 along);
/* The same along axis k, forwards or backwards. */
double mrn_reach_axis(const mrn_scene *scene, const mrn_state *s, int32_t i, int k, double sign);
/* Volume of a sphere (disk) of radius r between two planes at distances lo < hi of its centre. */
double mrn_slice(int dimension, double r, double lo, double hi);

/* ---- the gauge (gauge.c) ---- */

/* Some bodies: a group, or one grain of it; and whom they touch. */
typedef struct mrn_some {
    int group;
    int grain;   /* its number in the group; -1: all of them                          */
    int partner; /* of their contacts: MRN_ANYBODY, the index of a group, or of a wall */
    bool wall;   /* the partner is one                                                 */
} mrn_some;
enum { MRN_ANYBODY = -1 };

/* Measures of one state, each part taken when first asked for. */
typedef struct mrn_gauge {
    const mrn_scene *scene;
    const mrn_state *s;
    mrn_contact_view view;
    unsigned done;
    mrn_status status; /* of what was taken so far */
    mrn_message *msg;
    mrn_energies energies;
    mrn_bulk bulk;
    mrn_contact_sums sums;
    mrn_bulk_motion flow;
    mrn_network network;
    mrn_mixing mixing;
    double solid_fraction, bulk_density, repose;
    double stress[6];
    double mean[8], momentum[6]; /* sums of the probes of motion */
    double deposit[3];
    mrn_some some; /* the bodies looked at last, where they are and what presses on them */
    bool some_motion, some_load;
    double motion[12], load[6];
} mrn_gauge;
enum {
    MRN_GAUGE_ENERGIES = 1,
    MRN_GAUGE_BULK = 2,
    MRN_GAUGE_SUMS = 4,
    MRN_GAUGE_FLOW = 8,
    MRN_GAUGE_NETWORK = 16,
    MRN_GAUGE_MIXING = 32,
    MRN_GAUGE_SOLID = 64,
    MRN_GAUGE_REPOSE = 128,
    MRN_GAUGE_STRESS = 256,
    MRN_GAUGE_MEAN = 512,
    MRN_GAUGE_MOMENTUM = 1024,
    MRN_GAUGE_DEPOSIT = 2048,
};
/* True the first time a part is asked for. */
static inline bool mrn_gauge_take(mrn_gauge *g, unsigned part)
{
    bool first = !(g->done & part);
    g->done |= part;
    return first;
}
mrn_gauge mrn_gauge_of(const mrn_scene *scene, const mrn_state *s, const mrn_contacts *contacts,
                       mrn_message *msg);
/* Whether the probe `name` follows from the energies of now alone: then *value. */
bool mrn_probe_of_energies(const mrn_scene *scene, const mrn_state *s, const mrn_energies *e,
                           const char *name, double *value);
const mrn_energies *mrn_gauge_energies(mrn_gauge *g);
const mrn_bulk *mrn_gauge_bulk(mrn_gauge *g);
const mrn_contact_sums *mrn_gauge_sums(mrn_gauge *g);
const mrn_bulk_motion *mrn_gauge_flow(mrn_gauge *g);
const mrn_network *mrn_gauge_network(mrn_gauge *g);
const mrn_mixing *mrn_gauge_mixing(mrn_gauge *g); /* the first two groups, or small and large */
const double *mrn_gauge_stress(mrn_gauge *g);
double mrn_gauge_solid_fraction(mrn_gauge *g);
double mrn_gauge_bulk_density(mrn_gauge *g);
double mrn_gauge_repose(mrn_gauge *g);
double mrn_gauge_surface(mrn_gauge *g);
const double *mrn_gauge_deposit(mrn_gauge *g);
double mrn_gauge_inertial(mrn_gauge *g);
double mrn_gauge_mean_force(mrn_gauge *g);
/* Strain of the cell since the start: ln(L/L0) per direction, sum of the shear rates over time. */
void mrn_cell_strain(const mrn_scene *scene, const mrn_state *s, double strain[6]);

#endif
