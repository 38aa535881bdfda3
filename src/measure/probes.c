/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named scalars of the state: the table of those that every scene has. A method brings more in its
   descriptor; names made of a wall, a group or another thing of the scene are in probe_names.c. */
#include <string.h>

#include "measure/probes.h"

/* Each takes the gauge, which measures what several share once, and a number that tells apart the
   components of a vector or tensor. */
#define VALUE(name) static double name(mrn_gauge *g, int k)

/* ---- numbers of the state itself ---- */

enum {
    TIME,
    STEP,
    STAGE_TIME,
    STAGE_STEPS,
    TIME_STEP,
    CONTACTS,
    SLIDING,
    OVERLAP,
    ELASTIC,
    LOST_NORMAL,
    LOST_TANGENTIAL,
    LOST_DAMPING,
    DISSIPATED,
    WALL_WORK,
    CELL_WORK,
    DRIVE_WORK,
    INPUT
};

VALUE(of_ledger)
{
    const mrn_ledger *l = &g->s->ledger;
    switch (k) {
    case LOST_NORMAL:
        return l->lost_normal;
    case LOST_TANGENTIAL:
        return l->lost_tangential;
    case LOST_DAMPING:
        return l->lost_damping;
    case DISSIPATED:
        return mrn_ledger_lost(l);
    case WALL_WORK:
        return l->wall_work;
    case CELL_WORK:
        return l->cell_work;
    case DRIVE_WORK:
        return l->drive_work;
    default:
        return l->wall_work + l->cell_work + l->drive_work;
    }
}

VALUE(of_state)
{
    const mrn_state *s = g->s;
    switch (k) {
    case TIME:
        return s->time;
    case STEP:
        return (double)s->step;
    case STAGE_TIME:
        return s->time - s->stage_time;
    case STAGE_STEPS:
        return (double)(s->step - s->stage_step);
    case TIME_STEP:
        return s->h;
    case CONTACTS:
        return (double)s->contacts;
    case SLIDING:
        return s->contacts > 0 ? (double)s->sliding / (double)s->contacts : 0;
    case OVERLAP:
        return s->max_overlap;
    default:
        return s->elastic;
    }
}

VALUE(bodies)
{
    (void)k;
    int64_t n = 0;
    for (int32_t i = g->s->body.n_walls; i < g->s->body.n; i++)
        n += mrn_is_grain(g->s, i);
    return (double)n;
}

/* ---- energy ---- */

enum { KINETIC, ROTATIONAL, GRAVITY, TOTAL, RESIDUAL, RESIDUAL_RATIO };

VALUE(energy)
{
    const mrn_energies *e = mrn_gauge_energies(g);
    switch (k) {
    case KINETIC:
        return e->kinetic;
    case ROTATIONAL:
        return e->rotational;
    case GRAVITY:
        return e->gravity;
    case TOTAL:
        return e->total;
    case RESIDUAL:
        return e->residual;
    default:
        return e->dissipated > 0 ? e->residual / e->dissipated : 0;
    }
}

static bool anything_pulled(const mrn_state *s)
{
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (mrn_is_free(s, i) && mrn_norm(mrn_load3(s->body.f + 3 * (size_t)i)) > 0)
            return true;
    return false;
}

/* Before anything has moved the ratio is 0/0. It is 1 while grains are about to move (a net force,
   or no step made yet), so that "until it falls below" waits; it is 0 when all rest and nothing
   pulls. */
VALUE(kinetic_ratio)
{
    (void)k;
    const mrn_energies *e = mrn_gauge_energies(g);
    const mrn_state *s = g->s;
    double now = e->kinetic + e->rotational, peak = fmax(s->kinetic_peak, now);
    if (peak > 0)
        return now / peak;
    return s->step == s->stage_step || anything_pulled(s) ? 1 : 0;
}

/* ---- motion ---- */

static double speed_of(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    (void)scene;
    return mrn_is_free(s, i) ? mrn_norm(mrn_load3(s->body.v + 3 * (size_t)i)) : 0;
}

VALUE(max_speed)
{
    (void)k;
    return fmax(mrn_max_grains(g->scene, g->s, speed_of), 0);
}

void mrn_add_mean(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    mrn_vec3 x = mrn_unwrapped(scene, s, i);
    sum[MRN_COUNT] += 1;
    sum[MRN_MEAN_X] += x.x;
    sum[MRN_MEAN_Y] += x.y;
    sum[MRN_MEAN_Z] += x.z;
    sum[MRN_MEAN_SPEED] += mrn_norm(mrn_load3(s->body.v + 3 * (size_t)i));
}

static void add_free(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    if (mrn_is_free(s, i))
        mrn_add_mean(scene, s, i, sum);
}

VALUE(mean)
{
    if (mrn_gauge_take(g, MRN_GAUGE_MEAN))
        mrn_sum_grains(g->scene, g->s, MRN_MEANS, add_free, g->mean);
    if (g->mean[MRN_COUNT] > 0)
        return g->mean[k] / g->mean[MRN_COUNT];
    return k == MRN_MEAN_SPEED ? 0 : NAN;
}

enum { P_X, P_Y, P_Z, L_X, L_Y, L_Z, N_MOMENTA };

static void add_momentum(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    if (!mrn_is_free(s, i))
        return;
    mrn_vec3 p = mrn_scale(s->body.mass[i], mrn_load3(s->body.v + 3 * (size_t)i));
    mrn_vec3 l = mrn_cross(mrn_unwrapped(scene, s, i), p);
    l = mrn_add(l, mrn_spin_momentum(scene, s, i));
    double add[N_MOMENTA] = {p.x, p.y, p.z, l.x, l.y, l.z};
    for (int k = 0; k < N_MOMENTA; k++)
        sum[k] += add[k];
}

VALUE(momentum)
{
    if (mrn_gauge_take(g, MRN_GAUGE_MOMENTUM))
        mrn_sum_grains(g->scene, g->s, N_MOMENTA, add_momentum, g->momentum);
    return g->momentum[k];
}

VALUE(inertial_number)
{
    (void)k;
    return mrn_gauge_inertial(g);
}
VALUE(temperature)
{
    (void)k;
    return mrn_gauge_flow(g)->temperature;
}
VALUE(shear_rate)
{
    (void)k;
    return mrn_gauge_flow(g)->rate;
}

/* ---- contacts ---- */

VALUE(coordination)
{
    (void)k;
    double n = mrn_gauge_flow(g)->n;
    if (g->scene->polytopes) /* points of one pair are one contact */
        return n > 0 ? mrn_gauge_network(g)->ends / n : 0;
    return n > 0 ? mrn_gauge_sums(g)->ends / n : 0;
}

enum { MECHANICAL, RATTLERS, BACKBONE, BACKBONE_PART, DIVALENT };

VALUE(network)
{
    const mrn_network *n = mrn_gauge_network(g);
    double grains = (double)n->grains, backbone = (double)(n->grains - n->rattlers);
    if (g->status != MRN_OK)
        return NAN;
    switch (k) {
    case MECHANICAL:
        return n->bearing > 0 ? n->bearing_ends / (double)n->bearing : 0;
    case RATTLERS:
        return grains > 0 ? 1 - (double)n->bearing / grains : 0;
    case BACKBONE:
        return backbone > 0 ? n->backbone_ends / backbone : 0;
    case BACKBONE_PART:
        return grains > 0 ? backbone / grains : 0;
    default:
        return grains > 0 ? (double)n->divalent / grains : 0;
    }
}

VALUE(mean_contact_force)
{
    (void)k;
    return mrn_gauge_mean_force(g);
}
VALUE(unbalanced)
{
    (void)k;
    return mrn_unbalanced(g->scene, g->s, mrn_gauge_mean_force(g));
}

enum { MOBILISED, SLIDING_SHARE, FORCE_SPREAD };

VALUE(contact_share)
{
    const mrn_contact_sums *c = mrn_gauge_sums(g);
    if (k == FORCE_SPREAD)
        return c->force_n > 0 ? c->force_n2 * c->pressed / (c->force_n * c->force_n) : 0;
    if (!(c->frictional > 0))
        return 0;
    return (k == MOBILISED ? c->mobilised : c->sliding) / c->frictional;
}

/* ---- tensors ---- */

VALUE(stress)
{
    return mrn_gauge_stress(g)[k];
}
VALUE(pressure)
{
    (void)k;
    return mrn_tensor_mean(mrn_gauge_stress(g), g->scene->dimension);
}
VALUE(deviator)
{
    (void)k;
    return mrn_tensor_deviator(mrn_gauge_stress(g), g->scene->dimension);
}
VALUE(stress_ratio)
{
    double p = pressure(g, k);
    return p > 0 ? deviator(g, k) / p : 0;
}

VALUE(fabric)
{
    const mrn_contact_sums *c = mrn_gauge_sums(g);
    return c->between > 0 ? c->fabric[k] / c->between : 0;
}
VALUE(fabric_deviator)
{
    double t[6];
    for (k = 0; k < 6; k++)
        t[k] = fabric(g, k);
    return mrn_tensor_deviator(t, g->scene->dimension);
}

VALUE(strain)
{
    double e[6];
    mrn_cell_strain(g->scene, g->s, e);
    return e[k];
}
VALUE(volumetric_strain)
{
    (void)k;
    double e[6];
    mrn_cell_strain(g->scene, g->s, e);
    return e[0] + e[1] + e[2];
}
VALUE(cell_size)
{
    return g->s->cell_size[k];
}
VALUE(cell_rate)
{
    return g->s->cell_rate[k];
}

/* ---- packing ---- */

VALUE(height)
{
    (void)k;
    return mrn_height(g->scene, g->s);
}
VALUE(solid_fraction)
{
    (void)k;
    return mrn_gauge_solid_fraction(g);
}
VALUE(void_ratio)
{
    (void)k;
    double f = mrn_gauge_solid_fraction(g);
    return f > 0 ? (1 - f) / f : INFINITY;
}
VALUE(repose_angle)
{
    (void)k;
    return mrn_gauge_repose(g);
}
VALUE(bulk_density)
{
    (void)k;
    return mrn_gauge_bulk_density(g);
}
VALUE(surface_angle)
{
    (void)k;
    return mrn_gauge_surface(g);
}
VALUE(mixing_index)
{
    (void)k;
    return mrn_gauge_mixing(g)->lacey;
}

/* ---- the table ---- */

typedef struct entry {
    mrn_probe probe;
    double (*value)(mrn_gauge *g, int k);
    int k;
} entry;

static const entry table[] = {
    {{"time", "s", "Simulated time."}, of_state, TIME},
    {{"step", "1", "Steps made since the start of the run."}, of_state, STEP},
    {{"time-in-stage", "s", "Simulated time since the stage began."}, of_state, STAGE_TIME},
    {{"steps", "1", "Steps made since the stage began."}, of_state, STAGE_STEPS},
    {{"time-step", "s", "Time step in use."}, of_state, TIME_STEP},
    {{"bodies", "1",
      "Grains in the world, fixed ones included; a cluster is one grain; walls do not count."},
     bodies,
     0},
    {{"contacts", "1", "Contacts between grains and of grains with walls at the last step."},
     of_state,
     CONTACTS},
    {{"sliding-fraction", "1", "Part of the contacts that slide: friction at Coulomb's limit."},
     of_state,
     SLIDING},
    {{"coordination", "1",
      "Mean number of contacts of a free grain: a contact between two free grains counts for both, "
      "one with a wall or a fixed grain once."},
     coordination,
     0},
    {{"mechanical-coordination", "1",
      "Mean number of contacts of the free grains that have two or more (Thornton 2000)."},
     network,
     MECHANICAL},
    {{"rattler-fraction", "1", "Part of the free grains with fewer than two contacts."},
     network,
     RATTLERS},
    {{"backbone-coordination", "1",
      "Mean number of bearing contacts of a grain of the backbone: what is left when grains that "
      "cannot be held are taken away again and again (fewer than two contacts where one has "
      "friction, fewer than dimension + 1 where none has; contacts below 1e-4 of the mean force "
      "bear nothing)."},
     network,
     BACKBONE},
    {{"backbone-fraction", "1", "Part of the free grains in the backbone: 1 less the rattlers."},
     network,
     BACKBONE_PART},
    {{"divalent-fraction", "1", "Part of the free grains in the backbone with two contacts only."},
     network,
     DIVALENT},
    {{"mean-contact-force", "N", "Mean size of the contact forces."}, mean_contact_force, 0},
    {{"force-spread", "1",
      "Mean square over squared mean of the normal forces: 1 when all are equal, 2 when they fall "
      "off exponentially."},
     contact_share,
     FORCE_SPREAD},
    {{"mobilised-friction", "1",
      "Mean of |T| / (mu N) over the contacts pressed together with friction and without "
      "cohesion."},
     contact_share,
     MOBILISED},
    {{"sliding-share", "1",
      "Part of the contacts with friction and without cohesion whose |T| is at 0.999 mu N or "
      "above."},
     contact_share,
     SLIDING_SHARE},
    {{"unbalanced-force-ratio", "1",
      "Mean size of the resultant force on a free grain (contacts and gravity) over the mean size "
      "of a contact force. 0 at rest; infinite without contacts; 0 when no force acts at all."},
     unbalanced,
     0},
    {{"max-overlap", "1", "Largest overlap of a contact over its effective radius."},
     of_state,
     OVERLAP},
    {{"kinetic-energy", "J", "Energy of translation of the free grains."}, energy, KINETIC},
    {{"rotational-energy", "J", "Energy of rotation of the free grains."}, energy, ROTATIONAL},
    {{"elastic-energy", "J", "Energy stored in contacts."}, of_state, ELASTIC},
    {{"gravity-energy", "J",
      "Potential energy of the free grains in the gravity of now, 0 at the origin of the "
      "coordinates."},
     energy,
     GRAVITY},
    {{"total-energy", "J", "Sum of kinetic, rotational, elastic and gravity energy."},
     energy,
     TOTAL},
    {{"dissipated-energy", "J",
      "Lost since the start: in contacts (damping and friction), by global and local damping, and "
      "by the time scheme of the non-smooth engine."},
     of_ledger,
     DISSIPATED},
    {{"energy-lost-normal", "J", "Lost by the normal laws since the start."},
     of_ledger,
     LOST_NORMAL},
    {{"energy-lost-tangential", "J", "Lost by friction and tangential damping since the start."},
     of_ledger,
     LOST_TANGENTIAL},
    {{"energy-lost-damping", "J", "Lost by global and local damping since the start."},
     of_ledger,
     LOST_DAMPING},
    {{"input-energy", "J", "Work of walls, cell and drives on the grains since the start."},
     of_ledger,
     INPUT},
    {{"wall-work", "J", "Work of the walls on the grains since the start."}, of_ledger, WALL_WORK},
    {{"cell-work", "J", "Work of the straining cell since the start."}, of_ledger, CELL_WORK},
    {{"drive-work", "J",
      "Energy from changes of gravity, forces on bodies and inlets less outlets since the start."},
     of_ledger,
     DRIVE_WORK},
    {{"energy-residual", "J",
      "Total plus dissipated minus input minus the total at the start: 0 but for the error of the "
      "integration."},
     energy,
     RESIDUAL},
    {{"energy-residual-ratio", "1",
      "Residual over dissipated energy; 0 before anything is dissipated."},
     energy,
     RESIDUAL_RATIO},
    {{"kinetic-energy-ratio", "1",
      "Kinetic and rotational energy over its peak in the stage. Before anything has moved: 1 "
      "while a net force acts, 0 when all rest in balance."},
     kinetic_ratio,
     0},
    {{"max-speed", "m/s", "Largest speed of a free grain."}, max_speed, 0},
    {{"mean-speed", "m/s", "Mean speed of the free grains."}, mean, MRN_MEAN_SPEED},
    {{"mean-x", "m", "Mean x of the free grains, crossings of the periodic cell counted."},
     mean,
     MRN_MEAN_X},
    {{"mean-y", "m", "Mean y of the free grains, crossings of the periodic cell counted."},
     mean,
     MRN_MEAN_Y},
    {{"mean-z", "m", "Mean z of the free grains, crossings of the periodic cell counted."},
     mean,
     MRN_MEAN_Z},
    {{"height", "m",
      "Highest point of a grain, as a coordinate against gravity (along z, y in 2D, when there is "
      "none)."},
     height,
     0},
    {{"solid-fraction", "1",
      "Volume of grains (area in 2D) over that of the bulk they fill: the whole cell in periodic "
      "directions; from 10 % to 90 % of the bed's height, which is twice that of its centre; the "
      "middle two thirds between the outermost grains elsewhere, clear of walls."},
     solid_fraction,
     0},
    {{"void-ratio", "1",
      "Volume of the voids over that of the grains, in the same bulk; infinite without grains."},
     void_ratio,
     0},
    {{"bulk-density", "kg/m3",
      "Mass of grains over the volume of the bulk they fill, as for solid-fraction (in 2D grains "
      "are 1 m thick)."},
     bulk_density,
     0},
    {{"repose-angle", "degree",
      "Angle of repose of a heap: slope of its free surface between 20 % and 80 % of its height, "
      "medians over rings around its top (or along its ridge). Empty where no flank is to be "
      "seen."},
     repose_angle,
     0},
    {{"surface-angle", "degree",
      "Angle between the free surface of a bed and the plane across gravity, whichever way it "
      "falls (a drum, a chute; a heap falls to both sides: repose-angle). Median of the slopes in "
      "the middle two thirds of the bed along each axis. Empty where grains are too few."},
     surface_angle,
     0},
    {{"mixing-index", "1",
      "Lacey's index of the first two groups (of a single group: of its smaller and larger "
      "grains): 0 apart, 1 mixed at random, on a grid with 20 grains per cell. Empty where all "
      "grains are alike."},
     mixing_index,
     0},
    {{"stress.xx", "Pa",
      "Stress xx of the bulk (as for solid-fraction), contacts and velocity fluctuations, "
      "compression positive: (sum of force times branch + sum of m v' v') / volume."},
     stress,
     MRN_XX},
    {{"stress.yy", "Pa", "Stress yy of the bulk."}, stress, MRN_YY},
    {{"stress.zz", "Pa", "Stress zz of the bulk."}, stress, MRN_ZZ},
    {{"stress.xy", "Pa", "Stress xy of the bulk."}, stress, MRN_XY},
    {{"stress.xz", "Pa", "Stress xz of the bulk."}, stress, MRN_XZ},
    {{"stress.yz", "Pa", "Stress yz of the bulk."}, stress, MRN_YZ},
    {{"pressure", "Pa", "Mean of the normal stresses of the bulk."}, pressure, 0},
    {{"deviator", "Pa",
      "Deviator q of the stress: sqrt(3/2 s:s), in a triaxial test the difference of axial and "
      "radial stress; in 2D half the difference of the principal stresses: sigma_1 - sigma_3 of "
      "a biaxial test is twice this, and stress-ratio is the sine of the mobilised friction "
      "angle."},
     deviator,
     0},
    {{"stress-ratio", "1", "Deviator over pressure, q/p; 0 without pressure."}, stress_ratio, 0},
    {{"fabric.xx", "1",
      "Fabric xx: mean of n n over the contacts between grains, all in the world."},
     fabric,
     MRN_XX},
    {{"fabric.yy", "1", "Fabric yy."}, fabric, MRN_YY},
    {{"fabric.zz", "1", "Fabric zz."}, fabric, MRN_ZZ},
    {{"fabric.xy", "1", "Fabric xy."}, fabric, MRN_XY},
    {{"fabric.xz", "1", "Fabric xz."}, fabric, MRN_XZ},
    {{"fabric.yz", "1", "Fabric yz."}, fabric, MRN_YZ},
    {{"fabric-deviator", "1",
      "Deviator of the fabric, formed as that of the stress: 0 when contacts point everywhere "
      "alike."},
     fabric_deviator,
     0},
    {{"strain.xx", "1",
      "Strain of the periodic cell since the start, ln(L/L0) along x, positive when it grows."},
     strain,
     MRN_XX},
    {{"strain.yy", "1",
      "Strain of the periodic cell since the start, ln(L/L0) along y, positive when it grows."},
     strain,
     MRN_YY},
    {{"strain.zz", "1",
      "Strain of the periodic cell since the start, ln(L/L0) along z, positive when it grows."},
     strain,
     MRN_ZZ},
    {{"strain.xy", "1", "Shear of the periodic cell since the start: sum of d(v_x)/dy over time."},
     strain,
     MRN_XY},
    {{"strain.xz", "1", "Shear of the periodic cell since the start: sum of d(v_x)/dz over time."},
     strain,
     MRN_XZ},
    {{"strain.yz", "1", "Shear of the periodic cell since the start: sum of d(v_y)/dz over time."},
     strain,
     MRN_YZ},
    {{"volumetric-strain", "1", "ln(V/V0) of the periodic cell, positive when it grows."},
     volumetric_strain,
     0},
    {{"cell.size.x", "m", "Size of the periodic cell along x now."}, cell_size, 0},
    {{"cell.size.y", "m", "Size of the periodic cell along y now."}, cell_size, 1},
    {{"cell.size.z", "m", "Size of the periodic cell along z now."}, cell_size, 2},
    {{"cell.rate.xx", "1/s", "Rate of strain of the cell along x now."}, cell_rate, MRN_XX},
    {{"cell.rate.yy", "1/s", "Rate of strain of the cell along y now."}, cell_rate, MRN_YY},
    {{"cell.rate.zz", "1/s", "Rate of strain of the cell along z now."}, cell_rate, MRN_ZZ},
    {{"cell.rate.xy", "1/s", "Shear rate d(v_x)/dy of the cell now."}, cell_rate, MRN_XY},
    {{"cell.rate.xz", "1/s", "Shear rate d(v_x)/dz of the cell now."}, cell_rate, MRN_XZ},
    {{"cell.rate.yz", "1/s", "Shear rate d(v_y)/dz of the cell now."}, cell_rate, MRN_YZ},
    {{"shear-rate", "1/s",
      "sqrt(2 D':D') of the velocity gradient: the cell's, and along axes without a period the "
      "best fit to all free grains."},
     shear_rate,
     0},
    {{"inertial-number", "1",
      "Shear rate times mean diameter times sqrt(density of the grains / pressure); infinite "
      "without pressure."},
     inertial_number,
     0},
    {{"granular-temperature", "m2/s2",
      "Mean square of the velocity of the free grains, by mass, on top of their mean and affine "
      "motion, over the dimension."},
     temperature,
     0},
    {{"momentum-x", "kg m/s", "Momentum of the free grains along x."}, momentum, P_X},
    {{"momentum-y", "kg m/s", "Momentum of the free grains along y."}, momentum, P_Y},
    {{"momentum-z", "kg m/s", "Momentum of the free grains along z."}, momentum, P_Z},
    {{"angular-momentum-x", "kg m2/s", "Angular momentum of the free grains about the x axis."},
     momentum,
     L_X},
    {{"angular-momentum-y", "kg m2/s", "Angular momentum of the free grains about the y axis."},
     momentum,
     L_Y},
    {{"angular-momentum-z", "kg m2/s", "Angular momentum of the free grains about the z axis."},
     momentum,
     L_Z},
    /* of the non-smooth engine alone, from here on */
};
enum { N_TABLE = sizeof table / sizeof table[0] };

int mrn_probe_general_count(void)
{
    return N_TABLE;
}

const mrn_probe *mrn_probe_general(int i)
{
    return i >= 0 && i < N_TABLE ? &table[i].probe : NULL;
}

/* ---- values ---- */

static double value_of(mrn_gauge *g, const char *name)
{
    const mrn_method *m = g->scene->method;
    for (int i = 0; i < N_TABLE; i++)
        if (strcmp(table[i].probe.name, name) == 0)
            return table[i].value(g, table[i].k);
    for (int i = 0; m != NULL && i < m->n_probes; i++)
        if (strcmp(m->probe[i].probe.name, name) == 0)
            return m->probe[i].value(g->scene, g->s, m->probe[i].k);
    return mrn_named_value(g, name);
}

bool mrn_probe_of_energies(const mrn_scene *scene, const mrn_state *s, const mrn_energies *e,
                           const char *name, double *value)
{
    mrn_gauge g = mrn_gauge_of(scene, s, NULL, NULL);
    mrn_gauge_take(&g, MRN_GAUGE_ENERGIES);
    g.energies = *e;
    for (int i = 0; i < N_TABLE; i++) {
        /* while nothing has moved the ratio asks for forces */
        bool ratio = table[i].value == kinetic_ratio && s->kinetic_peak > 0;
        if ((table[i].value != energy && !ratio) || strcmp(table[i].probe.name, name) != 0)
            continue;
        *value = table[i].value(&g, table[i].k);
        return true;
    }
    return false;
}

double mrn_probe_value(const mrn_scene *scene, const mrn_state *s, const char *name)
{
    mrn_gauge g = mrn_gauge_of(scene, s, NULL, NULL);
    double value = value_of(&g, name);
    return g.status == MRN_OK ? value : NAN;
}

mrn_status mrn_probe_values(const mrn_scene *scene, const mrn_state *s, int n, char (*name)[128],
                            double *value, mrn_message *msg)
{
    mrn_gauge g = mrn_gauge_of(scene, s, NULL, msg);
    for (int i = 0; i < n; i++)
        value[i] = value_of(&g, name[i]);
    return g.status;
}
