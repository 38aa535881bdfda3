/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The periodic cell: rates of strain as imposed, or found by a servo from stress and stiffness.

   Stress is positive in compression and stress[ab] = sum f_a d_b / V (f on the grain at the end of
   the branch d), a rate is positive when the cell grows or shears forward. A positive rate then
   lowers the stress of its component, on the diagonal and off it: shearing xy forward gives a
   negative stress xy.

   The strain carries all grains at once (they move with the cell, and apart from that), so that the
   stress answers in the same step with the affine stiffness, whatever the size of the cell; then
   grains find their places and it yields to the true stiffness, in the time sound needs to cross
   the cell. A response of twice that time lets them keep up. */
#include "base/sum.h"
#include "detect/detect.h"
#include "drive/servo.h"

/* How fast a servo may strain far from its target: inertial number rate d sqrt(rho / P). */
#define INERTIAL_NUMBER 1e-2
/* A servo beside components that strain as imposed must be able to keep pace with them. */
#define KEEP_PACE 3.0
/* Affine modulus of a packing that just carries its load, over k_n / d of its mean contact: a third
   of what six contacts per grain give. */
#define FEW_CONTACTS   0.25
#define RESPONSE_STEPS 50

bool mrn_drive_strains_cell(const mrn_scene *scene)
{
    const mrn_cell_control *c = &scene->cell.control;
    for (int k = 0; k < MRN_STRAINS; k++)
        if (c->kind[k] == MRN_CONTROL_STRESS || !mrn_signal_is_zero(&c->target[k]))
            return true;
    return false;
}

double mrn_drive_volume(const mrn_scene *scene, const mrn_state *s)
{
    return mrn_drive_volume_by(scene, s, NULL);
}

double mrn_drive_volume_by(const mrn_scene *scene, const mrn_state *s, const mrn_drive_sums *sums)
{
    double v = 1;
    for (int k = 0; k < scene->dimension; k++) {
        double lo = sums != NULL ? sums->least[k] : INFINITY;
        double hi = sums != NULL ? sums->most[k] : -INFINITY;
        bool look = sums == NULL && !scene->cell.periodic[k];
        for (int32_t i = s->body.n_walls; i < s->body.n && look; i++) {
            double x = s->body.x[3 * (size_t)i + (size_t)k], r = s->body.radius[i];
            lo = x - r < lo ? x - r : lo;
            hi = x + r > hi ? x + r : hi;
        }
        v *= scene->cell.periodic[k] ? s->cell_size[k] : hi > lo ? hi - lo : 1;
    }
    return v;
}

/* A servo can act on a component only where the cell is periodic. */
static bool has_servo(const mrn_scene *scene, int k)
{
    int a = mrn_strain_row(k), b = mrn_strain_column(k);
    return scene->cell.control.kind[k] == MRN_CONTROL_STRESS && a < scene->dimension &&
           b < scene->dimension && scene->cell.periodic[a] && scene->cell.periodic[b];
}

/* ---- stiffness ---- */

static void add_pair(const mrn_stiffness_pair *g, mrn_vec3 d, double length, mrn_sum *stiff,
                     mrn_sum *viscous)
{
    double arm[3] = {d.x, d.y, d.z};
    for (int k = 0; k < MRN_STRAINS; k++) {
        mrn_sum_add(&stiff[k], mrn_resist_strain(k, arm, length, g->k_n, g->k_t));
        mrn_sum_add(&viscous[k], mrn_resist_strain(k, arm, length, g->c_n, g->c_t));
    }
}

/* The overlap at which a contact bears its force: of grains with corners, where radii do not tell
   it. The mean of logarithms converges for any power law. */
static double overlap_under(const mrn_scene *scene, const mrn_state *s, int32_t i, int32_t j,
                            const double *force)
{
    double f = mrn_norm(mrn_load3(force)), r = fmin(s->body.radius[i], s->body.radius[j]);
    double delta = 1e-3 * r;
    for (int n = 0; n < 40; n++) {
        mrn_stiffness_pair g = mrn_contact_stiffness(scene, s, i, j, delta);
        delta = g.k_n > 0 ? fmin(sqrt(delta * f / g.k_n), r) : delta;
    }
    return delta;
}

static void sum_pairs(const mrn_scene *scene, const mrn_state *s, mrn_sum *stiff, mrn_sum *viscous)
{
    const mrn_pairs *p = &s->pair;
    mrn_images im = mrn_images_of(scene, s);
    if (!mrn_contacts_follow_list(s))
        return;
    for (int32_t i = s->body.n_walls; i < p->rows; i++)
        for (int32_t n = p->row[i]; n < p->row[i + 1]; n++) {
            int32_t j = p->other[n];
            if (!mrn_contact_alive(&s->contact, n))
                continue;
            mrn_vec3 d = mrn_images_nearest(&im, mrn_sub(mrn_load3(s->body.x + 3 * (size_t)i),
                                                         mrn_load3(s->body.x + 3 * (size_t)j)));
            double length = mrn_norm(d);
            double delta = s->body.radius[i] + s->body.radius[j] - length;
            if ((s->body.flags[i] | s->body.flags[j]) & MRN_BODY_POLYTOPE)
                delta = overlap_under(scene, s, i, j, s->contact.force + 3 * (size_t)n);
            if (!(delta > 0) || !(length > 0))
                continue;
            mrn_stiffness_pair g = mrn_contact_stiffness(scene, s, i, j, delta);
            add_pair(&g, d, length, stiff, viscous);
        }
}

/* Of the grain with the lowest number: a place in memory says nothing. */
static int first_material(const mrn_state *s)
{
    for (int32_t id = 0; id < s->body.n_ids; id++)
        if (s->body.index_of[id] >= s->body.n_walls)
            return s->body.material[s->body.index_of[id]];
    return 0;
}

/* Normal stiffness of two mean grains under the force that the pressure puts on them. The overlap
   goes to its value in steps of the mean of logarithms, which converges for any power law. */
static double single_contact(const mrn_scene *scene, const mrn_state *s, double pressure)
{
    const mrn_drive_memory *d = &s->drive;
    int m = first_material(s);
    int ia = scene->pair_of[m * scene->n_materials + m];
    if (ia < 0 || scene->interaction[ia].ready.part[MRN_LAW_NORMAL]->stiffness == NULL)
        return 0;
    const mrn_prepared *law = &scene->interaction[ia].ready;
    double r = 0.5 * d->grain_radius, width = 2 * d->grain_radius, delta = 1e-3 * r, k = 0;
    double force = pressure * (scene->dimension == 3 ? width * width : width);
    for (int n = 0; n < 40; n++) {
        k = law->part[MRN_LAW_NORMAL]->stiffness(law->coef[MRN_LAW_NORMAL], r, 0.5 * d->grain_mass,
                                                 delta, 0);
        delta = k > 0 ? fmin(sqrt(delta * force / k), r) : delta;
    }
    return k;
}

static void measure(const mrn_scene *scene, mrn_state *s, double pressure,
                    const mrn_drive_sums *sums)
{
    mrn_drive_memory *d = &s->drive;
    mrn_sum stiff[MRN_STRAINS] = {{0}}, viscous[MRN_STRAINS] = {{0}};
    double v = mrn_drive_volume_by(scene, s, sums);
    double width = scene->dimension == 3 ? 2 * d->grain_radius : 1;
    if (sums == NULL)
        sum_pairs(scene, s, stiff, viscous);
    double least = width > 0 ? FEW_CONTACTS * single_contact(scene, s, pressure) / width : 0;
    for (int k = 0; k < MRN_STRAINS; k++) {
        double elastic = sums != NULL ? sums->stiff[k] : mrn_sum_value(&stiff[k]);
        d->stiffness[k] = fmax(elastic / v, least);
        d->viscosity[k] = (sums != NULL ? sums->viscous[k] : mrn_sum_value(&viscous[k])) / v;
    }
}

/* ---- rates ---- */

/* What the servos have in common in a step. */
typedef struct frame {
    mrn_instant at;
    double pressure; /* largest stress asked for or there, Pa               */
    double imposed;  /* largest rate as imposed, 1/s                           */
    double bound;    /* of the rates of servos, 1/s                         */
    double crossing; /* m sqrt(kg/m3): time of sound across the cell times the root of the modulus
                      */
    bool moving;     /* something must be followed                          */
} frame;

static frame look(const mrn_scene *scene, const mrn_state *s, mrn_instant at)
{
    const mrn_cell_control *c = &scene->cell.control;
    frame f = {.at = at, .moving = mrn_servo_flows(scene, at)};
    for (int k = 0; k < MRN_STRAINS; k++) {
        double rate, value = fabs(mrn_signal_value(&c->target[k], at, &rate));
        if (has_servo(scene, k)) {
            f.pressure = fmax(f.pressure, fmax(value, fabs(s->drive.stress[k])));
            f.moving = f.moving || rate != 0;
        } else if (c->kind[k] == MRN_CONTROL_RATE)
            f.imposed = fmax(f.imposed, value);
    }
    return f;
}

static void set_scales(const mrn_scene *scene, const mrn_state *s, const mrn_drive_sums *sums,
                       frame *f)
{
    const mrn_drive_memory *d = &s->drive;
    double width = scene->dimension == 3 ? 2 * d->grain_radius : 1, longest = 0;
    for (int k = 0; k < scene->dimension; k++)
        if (scene->cell.periodic[k])
            longest = fmax(longest, s->cell_size[k]);
    f->crossing = longest * sqrt(d->grains_mass / mrn_drive_volume_by(scene, s, sums));
    double own = d->grain_mass > 0 ? sqrt(f->pressure * width / d->grain_mass) : 0;
    f->bound = scene->cell.control.max_rate;
    if (!(f->bound > 0))
        f->bound = fmax(INERTIAL_NUMBER * own, KEEP_PACE * f->imposed);
}

static double response_of(const mrn_scene *scene, const mrn_state *s, const frame *f, int k)
{
    double least = MRN_SERVO_STEPS * s->h, asked = scene->cell.control.response;
    if (asked > 0)
        return fmax(asked, least);
    return fmax(RESPONSE_STEPS * s->h, 0.5 * f->crossing / sqrt(s->drive.stiffness[k]));
}

static double servo_rate(const mrn_scene *scene, mrn_state *s, const frame *f, int k)
{
    mrn_drive_memory *d = &s->drive;
    if (!(d->stiffness[k] > 0) || !(s->h > 0))
        return 0;
    double response = response_of(scene, s, f, k);
    double target = mrn_signal_value(&scene->cell.control.target[k], f->at, NULL);
    /* the servo's speed is that of compression: it adds to the stress */
    mrn_servo v = {.error = target - d->stress[k],
                   .resistance = d->stiffness[k] * response + 2 * d->viscosity[k],
                   .bound = f->bound,
                   .learn = f->at.t > s->time ? s->h / (MRN_SERVO_LEARN * response) : 0};
    if (!f->moving)
        d->follow[k] = 0;
    return -mrn_servo_speed(&v, f->moving ? &d->follow[k] : NULL);
}

bool mrn_drive_cell_servo(const mrn_scene *scene)
{
    bool servo = false;
    for (int k = 0; k < MRN_STRAINS; k++)
        servo = servo || has_servo(scene, k);
    return servo;
}

bool mrn_drive_cell_measures(const mrn_scene *scene, const mrn_state *s)
{
    return mrn_drive_cell_servo(scene) &&
           (s->step % MRN_SERVO_SURVEY == 0 || !(s->drive.stiffness[0] > 0));
}

void mrn_drive_cell(const mrn_scene *scene, mrn_state *s, double time)
{
    mrn_drive_cell_by(scene, s, time, NULL);
}

void mrn_drive_cell_by(const mrn_scene *scene, mrn_state *s, double time,
                       const mrn_drive_sums *sums)
{
    const mrn_cell_control *c = &scene->cell.control;
    mrn_instant at = {time, time - s->stage_time};
    double last[MRN_STRAINS];
    for (int k = 0; k < MRN_STRAINS; k++) {
        last[k] = s->cell_rate[k];
        s->cell_rate[k] =
            c->kind[k] == MRN_CONTROL_RATE ? mrn_signal_value(&c->target[k], at, NULL) : 0;
    }
    if (!mrn_drive_cell_servo(scene))
        return;
    mrn_servo_survey(s);
    frame f = look(scene, s, at);
    if (mrn_drive_cell_measures(scene, s))
        measure(scene, s, f.pressure, sums);
    set_scales(scene, s, sums, &f);
    for (int k = 0; k < MRN_STRAINS; k++)
        if (has_servo(scene, k))
            s->cell_rate[k] = mrn_servo_limited(last[k], servo_rate(scene, s, &f, k));
}

/* The cell's edges a = (Lx, 0, 0), b = (xy, Ly, 0), c = (xz, yz, Lz) move as the grains do: each is
   mapped by 1 + h L. */
void mrn_drive_strain(const mrn_scene *scene, mrn_state *s, const double rate[6], double h)
{
    const double *l = rate;
    double *t = s->cell_tilt, *size = s->cell_size;
    double xy = t[0] + h * (l[MRN_XX] * t[0] + l[MRN_XY] * size[1]);
    double xz = t[1] + h * (l[MRN_XX] * t[1] + l[MRN_XY] * t[2] + l[MRN_XZ] * size[2]);
    double yz = t[2] + h * (l[MRN_YY] * t[2] + l[MRN_YZ] * size[2]);
    t[0] = xy, t[1] = xz, t[2] = yz;
    for (int k = 0; k < 3; k++) {
        s->drive.sheared[k] += h * l[MRN_XY + k]; /* tilts are turned back by whole periods */
        if (scene->cell.periodic[k])
            size[k] *= 1 + h * l[k];
    }
}
