/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gauge: every part of a measurement taken once, when first asked for; and the whole report. */
#include <string.h>

#include "measure/measure.h"

mrn_gauge mrn_gauge_of(const mrn_scene *scene, const mrn_state *s, const mrn_contacts *contacts,
                       mrn_message *msg)
{
    return (mrn_gauge){.scene = scene, .s = s, .view = mrn_view_of(scene, s, contacts), .msg = msg};
}

static void note(mrn_gauge *g, mrn_status st)
{
    if (g->status == MRN_OK)
        g->status = st;
}

const mrn_energies *mrn_gauge_energies(mrn_gauge *g)
{
    if (mrn_gauge_take(g, MRN_GAUGE_ENERGIES))
        g->energies = mrn_measure_energies(g->scene, g->s);
    return &g->energies;
}

const mrn_bulk *mrn_gauge_bulk(mrn_gauge *g)
{
    if (mrn_gauge_take(g, MRN_GAUGE_BULK))
        g->bulk = mrn_measure_bulk(g->scene, g->s);
    return &g->bulk;
}

const mrn_contact_sums *mrn_gauge_sums(mrn_gauge *g)
{
    if (mrn_gauge_take(g, MRN_GAUGE_SUMS))
        mrn_contact_sums_of(&g->view, mrn_gauge_bulk(g), &g->sums);
    return &g->sums;
}

const mrn_bulk_motion *mrn_gauge_flow(mrn_gauge *g)
{
    if (mrn_gauge_take(g, MRN_GAUGE_FLOW))
        mrn_bulk_motion_of(g->scene, g->s, mrn_gauge_bulk(g), &g->flow);
    return &g->flow;
}

/* ---- mean contact force: asked for often, as an end condition, and then alone ---- */

/* Sum of the contact forces, and how many: the terms of the full sums, so that the bits are those.
 */
static void contact_forces(const mrn_contacts *c, double sum[2])
{
    mrn_sum force = {0};
    int64_t n = 0;
    for (int64_t k = 0; k < c->n; k++)
        if (mrn_contact_alive(c, k)) {
            mrn_sum_add(&force, mrn_norm(mrn_load3(c->force + 3 * k)));
            n++;
        }
    sum[0] = mrn_sum_value(&force);
    sum[1] = (double)n;
}

double mrn_gauge_mean_force(mrn_gauge *g)
{
    double sum[2] = {0, 0};
    if (!g->view.follows_list || !g->view.known || (g->done & MRN_GAUGE_SUMS)) {
        sum[0] = mrn_gauge_sums(g)->force;
        sum[1] = mrn_gauge_sums(g)->contacts;
    } else {
        contact_forces(&g->s->contact, sum);
    }
    return sum[1] > 0 ? sum[0] / sum[1] : 0;
}

const mrn_network *mrn_gauge_network(mrn_gauge *g)
{
    if (mrn_gauge_take(g, MRN_GAUGE_NETWORK))
        note(g, mrn_network_of(&g->view, mrn_gauge_mean_force(g), false, &g->network, g->msg));
    return &g->network;
}

/* The first two groups that have grains; with one group the small and the large. */
const mrn_mixing *mrn_gauge_mixing(mrn_gauge *g)
{
    if (!mrn_gauge_take(g, MRN_GAUGE_MIXING))
        return &g->mixing;
    int a = 0, b = g->scene->n_groups > 1 ? 1 : 0;
    g->mixing = (mrn_mixing){.lacey = NAN, .intensity = NAN, .separation = NAN};
    if (g->scene->n_groups > 0)
        note(g, mrn_mixing_of(g->scene, g->s, a, b, &g->mixing, g->msg));
    return &g->mixing;
}

double mrn_gauge_solid_fraction(mrn_gauge *g)
{
    if (mrn_gauge_take(g, MRN_GAUGE_SOLID))
        g->solid_fraction = mrn_solid_fraction(g->scene, g->s, mrn_gauge_bulk(g), &g->bulk_density);
    return g->solid_fraction;
}

double mrn_gauge_bulk_density(mrn_gauge *g)
{
    mrn_gauge_solid_fraction(g);
    return g->bulk_density;
}

double mrn_gauge_repose(mrn_gauge *g)
{
    mrn_repose r;
    if (mrn_gauge_take(g, MRN_GAUGE_REPOSE)) {
        note(g, mrn_repose_of(g->scene, g->s, &r, g->msg));
        g->repose = r.angle;
    }
    return g->repose;
}

double mrn_gauge_surface(mrn_gauge *g)
{
    double angle;
    note(g, mrn_surface_angle(g->scene, g->s, &angle, g->msg));
    return angle;
}

const double *mrn_gauge_deposit(mrn_gauge *g)
{
    if (mrn_gauge_take(g, MRN_GAUGE_DEPOSIT))
        note(g, mrn_deposit_of(g->scene, g->s, g->deposit, g->msg));
    return g->deposit;
}

/* Hard spheres touch at instants: their collisions count as a mean since the stage began, known for
   a cell that is periodic all around, which is then the bulk. N m; 0 of methods with contacts. */
static double collisional(const mrn_gauge *g, int k)
{
    const mrn_event_report *r = &g->s->event;
    double span = g->s->time - r->since;
    if (g->scene->method == NULL || !g->scene->method->continuous)
        return 0;
    for (int d = 0; d < g->scene->dimension; d++)
        if (!g->scene->cell.periodic[d])
            return NAN;
    return span > 0 ? r->virial[k] / span : 0;
}

const double *mrn_gauge_stress(mrn_gauge *g)
{
    if (!mrn_gauge_take(g, MRN_GAUGE_STRESS))
        return g->stress;
    double volume = mrn_gauge_bulk(g)->volume;
    for (int k = 0; k < 6; k++) {
        double sum = mrn_gauge_sums(g)->stress[k] + mrn_gauge_flow(g)->kinetic[k];
        sum += collisional(g, k);
        g->stress[k] = volume > 0 ? sum / volume : 0;
    }
    return g->stress;
}

/* I = rate d sqrt(rho / P), with mean diameter and density of the grains (GDR MiDi, Eur. Phys. J. E
   14, 341 (2004)). */
double mrn_gauge_inertial(mrn_gauge *g)
{
    const mrn_bulk_motion *f = mrn_gauge_flow(g);
    double p = mrn_tensor_mean(mrn_gauge_stress(g), g->scene->dimension);
    if (!(f->n > 0) || f->rate == 0)
        return 0;
    return p > 0 ? f->rate * 2 * f->radius / f->n * sqrt(f->mass / f->volume / p) : INFINITY;
}

void mrn_cell_strain(const mrn_scene *scene, const mrn_state *s, double strain[6])
{
    for (int k = 0; k < 3; k++) {
        bool there = scene->cell.periodic[k] && scene->cell.size[k] > 0 && s->cell_size[k] > 0;
        strain[k] = there ? log(s->cell_size[k] / scene->cell.size[k]) : 0;
        strain[3 + k] = s->drive.sheared[k];
    }
}

/* ---- the report ---- */

static void count_bodies(const mrn_scene *scene, const mrn_state *s, mrn_report *r)
{
    mrn_sum diameters = {0}, mass = {0}, volume = {0};
    r->packing.smallest = INFINITY;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (!mrn_is_grain(s, i))
            continue;
        double d = 2 * s->body.radius[i];
        r->packing.grains++;
        r->packing.free += mrn_is_free(s, i);
        r->packing.clusters += (s->body.flags[i] & MRN_BODY_CLUSTER) != 0;
        mrn_sum_add(&mass, s->body.mass[i]);
        mrn_sum_add(&volume, mrn_volume_of(scene, s, i));
        r->packing.smallest = fmin(r->packing.smallest, d);
        r->packing.largest = fmax(r->packing.largest, d);
        mrn_sum_add(&diameters, d);
        if (mrn_is_free(s, i))
            r->flow.max_speed =
                fmax(r->flow.max_speed, mrn_norm(mrn_load3(s->body.v + 3 * (size_t)i)));
    }
    r->packing.mass = mrn_sum_value(&mass);
    r->packing.volume = mrn_sum_value(&volume);
    r->packing.diameter =
        r->packing.grains > 0 ? mrn_sum_value(&diameters) / (double)r->packing.grains : NAN;
    r->packing.smallest = r->packing.grains > 0 ? r->packing.smallest : NAN;
}

static void report_packing(mrn_gauge *g, mrn_report *r)
{
    count_bodies(g->scene, g->s, r);
    double solid = mrn_gauge_solid_fraction(g);
    r->packing.solid_fraction = solid;
    r->packing.void_ratio = solid > 0 ? (1 - solid) / solid : INFINITY;
    r->packing.height = mrn_height(g->scene, g->s);
    r->packing.repose = mrn_gauge_repose(g);
    mrn_cell_strain(g->scene, g->s, r->packing.strain);
}

typedef struct extremes {
    double overlap, force;
} extremes;

static void note_extremes(const mrn_contact_view *v, const mrn_contact_entry *t, void *user)
{
    extremes *e = user;
    double rc = v->s->body.radius[t->c], ra = v->s->body.radius[t->a];
    double r_eff = t->wall ? rc : rc * ra / (rc + ra);
    e->overlap = fmax(e->overlap, -t->gap / r_eff);
    e->force = fmax(e->force, mrn_contact_normal_force(t));
}

static void report_network(mrn_gauge *g, mrn_report *r)
{
    const mrn_contact_sums *c = mrn_gauge_sums(g);
    mrn_network n;
    note(g, mrn_network_of(&g->view, mrn_gauge_mean_force(g), true, &n, g->msg));
    double grains = n.grains > 0 ? (double)n.grains : NAN;
    double backbone = (double)(n.grains - n.rattlers);
    r->network.points = (int64_t)c->contacts;
    r->network.contacts = n.contacts;
    r->network.with_walls = n.with_walls;
    /* only the non-smooth engine has points */
    double pairs =
        mrn_contact_points(g->scene) ? (double)(n.folds[0] + n.folds[1] + n.folds[2]) : 0;
    r->network.simple = pairs > 0 ? (double)n.folds[0] / pairs : NAN;
    r->network.twofold = pairs > 0 ? (double)n.folds[1] / pairs : NAN;
    r->network.threefold = pairs > 0 ? (double)n.folds[2] / pairs : NAN;
    r->network.coordination = n.ends / grains;
    r->network.neighbours = n.neighbours / grains;
    r->network.mechanical = n.bearing > 0 ? n.bearing_ends / (double)n.bearing : 0;
    r->network.rattlers = n.rattlers;
    r->network.divalent = n.divalent;
    r->network.backbone = backbone > 0 ? n.backbone_ends / backbone : 0;
    double rest = backbone - (double)n.divalent;
    r->network.backbone_without_divalent =
        rest > 0 ? (n.backbone_ends - 2.0 * (double)n.divalent) / rest : 0;
}

static void report_forces(mrn_gauge *g, mrn_report *r)
{
    const mrn_contact_sums *c = mrn_gauge_sums(g);
    extremes most = {0, 0};
    mrn_contacts_each(&g->view, note_extremes, &most);
    double pressed = c->pressed > 0 ? c->pressed : NAN, mean = c->force_n / pressed;
    r->network.max_overlap = most.overlap;
    r->forces.mean_normal = mean;
    r->forces.mean_tangential = c->force_t / pressed;
    r->forces.mean = c->contacts > 0 ? c->force / c->contacts : NAN;
    r->forces.largest = most.force;
    r->forces.second_moment = c->force_n2 / pressed / (mean * mean);
    r->forces.frictional = (int64_t)c->frictional;
    r->forces.mobilised = c->frictional > 0 ? c->mobilised / c->frictional : NAN;
    r->forces.sliding = c->frictional > 0 ? c->sliding / c->frictional : NAN;
}

static void report_stress(mrn_gauge *g, mrn_report *r)
{
    int d = g->scene->dimension;
    double volume = mrn_gauge_bulk(g)->volume;
    const double *t = mrn_gauge_stress(g);
    r->stress.volume = volume;
    for (int k = 0; k < 6; k++) {
        r->stress.contact[k] = volume > 0 ? mrn_gauge_sums(g)->stress[k] / volume : 0;
        r->stress.kinetic[k] = volume > 0 ? mrn_gauge_flow(g)->kinetic[k] / volume : 0;
        r->stress.total[k] = t[k];
    }
    r->stress.pressure = mrn_tensor_mean(t, d);
    r->stress.deviator = mrn_tensor_deviator(t, d);
    r->stress.ratio = r->stress.pressure > 0 ? r->stress.deviator / r->stress.pressure : NAN;
    mrn_tensor_principal(t, d, r->stress.principal);
}

static void report_fabric(mrn_gauge *g, mrn_report *r)
{
    const mrn_contact_sums *c = mrn_gauge_sums(g);
    int d = g->scene->dimension;
    double n;
    for (int k = 0; k < 6; k++)
        r->fabric.all[k] = c->between > 0 ? c->fabric[k] / c->between : 0;
    mrn_fabric_above(&g->view, MRN_BEARING * mrn_gauge_mean_force(g), false, r->fabric.bearing, &n);
    double mean = c->pressed > 0 ? c->force_n / c->pressed : 0;
    mrn_fabric_above(&g->view, mean, true, r->fabric.strong, &n);
    r->forces.strong = c->between > 0 ? n / c->between : NAN;
    r->fabric.deviator = mrn_tensor_deviator(r->fabric.all, d);
    r->fabric.bearing_deviator = mrn_tensor_deviator(r->fabric.bearing, d);
    r->fabric.strong_deviator = mrn_tensor_deviator(r->fabric.strong, d);
}

static void report_flow(mrn_gauge *g, mrn_report *r)
{
    const mrn_bulk_motion *f = mrn_gauge_flow(g);
    memcpy(r->flow.velocity, f->mean, sizeof r->flow.velocity);
    memcpy(r->flow.gradient, f->gradient, sizeof r->flow.gradient);
    r->flow.rate = f->rate;
    r->flow.temperature = f->temperature;
    r->flow.inertial_number = g->view.known ? mrn_gauge_inertial(g) : NAN;
}

mrn_status mrn_measure(const mrn_scene *scene, const mrn_state *s, const mrn_contacts *contacts,
                       mrn_report *out, mrn_message *msg)
{
    mrn_gauge g = mrn_gauge_of(scene, s, contacts, msg);
    *out =
        (mrn_report){.time = s->time, .dimension = scene->dimension, .has_contacts = g.view.known};
    report_packing(&g, out);
    report_flow(&g, out);
    report_stress(&g, out);
    if (g.view.known) {
        report_network(&g, out);
        report_forces(&g, out);
        report_fabric(&g, out);
    }
    out->energy = *mrn_gauge_energies(&g);
    out->ledger = s->ledger;
    return g.status;
}
