/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over contacts: forces, stress, fabric, friction; and the invariants of tensors.

   Stress is that of Love and Weber: the sum of force times branch over the volume. Where the bulk
   is a part of the world, a contact counts with the part of its branch that lies in it: the average
   of the line of force over the region, which is exact for any region. Where grains with corners
   touch at several points, each has the branch of its pair: the sum of their forces times it. */
#include "measure/measure.h"

/* ---- tensors ---- */

static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};

double mrn_tensor_mean(const double t[6], int dimension)
{
    return dimension == 2 ? 0.5 * (t[0] + t[1]) : (t[0] + t[1] + t[2]) / 3;
}

double mrn_tensor_deviator(const double t[6], int dimension)
{
    if (dimension == 2)
        return hypot(0.5 * (t[0] - t[1]), t[MRN_XY]);
    double mean = mrn_tensor_mean(t, 3), sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (t[k] - mean) * (t[k] - mean) + 2 * t[3 + k] * t[3 + k];
    return sqrt(1.5 * sum);
}

/* In 3D by the angle of the third invariant (Lode), which needs no iteration. */
void mrn_tensor_principal(const double t[6], int dimension, double out[3])
{
    double mean = mrn_tensor_mean(t, dimension), q = mrn_tensor_deviator(t, dimension);
    out[0] = mean + q, out[1] = mean - q, out[2] = 0;
    if (dimension == 2)
        return;
    double a = t[0] - mean, b = t[1] - mean, c = t[2] - mean;
    double xy = t[MRN_XY], xz = t[MRN_XZ], yz = t[MRN_YZ];
    double det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
    double cosine = q > 0 ? 13.5 * det / (q * q * q) : 1;
    double angle = acos(fmin(fmax(cosine, -1), 1)) / 3;
    for (int k = 0; k < 3; k++)
        out[k] = mean + 2.0 / 3 * q * cos(angle - (k == 1 ? 4 : k == 2 ? 2 : 0) * MRN_PI / 3);
    if (out[1] < out[2]) {
        double swap = out[1];
        out[1] = out[2];
        out[2] = swap;
    }
}

/* ---- what lies in the bulk ---- */

bool mrn_in_bulk(const mrn_bulk *b, mrn_vec3 x)
{
    const double at[3] = {x.x, x.y, x.z};
    for (int k = 0; k < b->dimension; k++)
        if (at[k] < b->lo[k] || at[k] > b->hi[k])
            return false;
    return true;
}

/* Part of the branch of a contact in the bulk. */
static double part_inside(const mrn_bulk *b, const mrn_contact_entry *t)
{
    const double end[3] = {t->to.x, t->to.y, t->to.z};
    const double way[3] = {t->branch.x, t->branch.y, t->branch.z};
    double from = 0, to = 1; /* from the end, backwards along the branch */
    for (int k = 0; k < b->dimension; k++) {
        if (way[k] == 0) {
            if (end[k] < b->lo[k] || end[k] > b->hi[k])
                return 0;
            continue;
        }
        double p = (end[k] - b->lo[k]) / way[k], q = (end[k] - b->hi[k]) / way[k];
        from = fmax(from, fmin(p, q));
        to = fmin(to, fmax(p, q));
    }
    return to > from ? to - from : 0;
}

/* ---- sums ---- */

enum {
    CONTACTS,
    BETWEEN,
    FORCE,
    FORCE_N,
    FORCE_T,
    FORCE_N2,
    PRESSED,
    MOBILISED,
    FRICTIONAL,
    SLIDING,
    ENDS,
    STRESS,
    FABRIC = STRESS + 6,
    N_SUMS = FABRIC + 6
};

static void add_product(double weight, mrn_vec3 u, mrn_vec3 v, double *sum)
{
    const double a[3] = {u.x, u.y, u.z}, b[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 6; k++)
        sum[k] += 0.5 * weight * (a[first[k]] * b[second[k]] + a[second[k]] * b[first[k]]);
}

static void add_friction(const mrn_contact_view *v, const mrn_contact_entry *t, double fn,
                         double ft, double *sum)
{
    double mu = mrn_contact_friction(v, t);
    if (!(mu > 0) || !(fn > 0))
        return;
    double ratio = ft / (mu * fn);
    sum[FRICTIONAL] += 1;
    sum[MOBILISED] += fmin(ratio, 1);
    sum[SLIDING] += ratio >= 0.999;
}

static void add_contact(const void *what, const mrn_contact_view *v, const mrn_contact_entry *t,
                        double *sum)
{
    double fn = mrn_contact_normal_force(t), ft = mrn_norm(mrn_axpy(-fn, t->normal, t->force));
    sum[CONTACTS] += 1;
    sum[FORCE] += mrn_norm(t->force);
    if (fn > 0) {
        sum[PRESSED] += 1;
        sum[FORCE_N] += fn;
        sum[FORCE_T] += ft;
        sum[FORCE_N2] += fn * fn;
    }
    sum[ENDS] += mrn_is_free(v->s, t->grain_c) + (!t->wall && mrn_is_free(v->s, t->grain_a));
    add_friction(v, t, fn, ft, sum);
    add_product(part_inside(what, t), t->force, t->branch, sum + STRESS);
    if (t->wall)
        return;
    sum[BETWEEN] += 1;
    add_product(1, t->normal, t->normal, sum + FABRIC);
}

void mrn_contact_sums_of(const mrn_contact_view *v, const mrn_bulk *bulk, mrn_contact_sums *out)
{
    double sum[N_SUMS];
    mrn_sum_contacts(v, bulk, N_SUMS, add_contact, sum);
    *out = (mrn_contact_sums){.contacts = sum[CONTACTS],
                              .between = sum[BETWEEN],
                              .force = sum[FORCE],
                              .force_n = sum[FORCE_N],
                              .force_t = sum[FORCE_T],
                              .force_n2 = sum[FORCE_N2],
                              .pressed = sum[PRESSED],
                              .mobilised = sum[MOBILISED],
                              .frictional = sum[FRICTIONAL],
                              .sliding = sum[SLIDING],
                              .ends = sum[ENDS]};
    for (int k = 0; k < 6; k++) {
        out->stress[k] = sum[STRESS + k];
        out->fabric[k] = sum[FABRIC + k];
    }
}

/* ---- fabric of a part of the contacts ---- */

typedef struct limit {
    double least;
    bool normal;
} limit;

static void add_above(const void *what, const mrn_contact_view *v, const mrn_contact_entry *t,
                      double *sum)
{
    (void)v;
    const limit *l = what;
    double f = l->normal ? mrn_contact_normal_force(t) : mrn_norm(t->force);
    if (t->wall || !(f > l->least))
        return;
    sum[0] += 1;
    add_product(1, t->normal, t->normal, sum + 1);
}

void mrn_fabric_above(const mrn_contact_view *v, double least, bool normal, double fabric[6],
                      double *n)
{
    const limit l = {least, normal};
    double sum[7];
    mrn_sum_contacts(v, &l, 7, add_above, sum);
    *n = sum[0];
    for (int k = 0; k < 6; k++)
        fabric[k] = sum[0] > 0 ? sum[1 + k] / sum[0] : 0;
}

/* ---- distribution of forces ---- */

typedef struct counting {
    mrn_force_table *table;
    double scale; /* bins per newton */
} counting;

static void count_one(double *bin, double at)
{
    int k = at < MRN_FORCE_BINS ? (int)at : MRN_FORCE_BINS - 1;
    bin[k] += 1;
}

static void count_force(const mrn_contact_view *v, const mrn_contact_entry *t, void *user)
{
    (void)v;
    const counting *c = user;
    double fn = mrn_contact_normal_force(t);
    if (!(fn > 0))
        return;
    count_one(c->table->normal, fn * c->scale);
    count_one(c->table->tangential, mrn_norm(mrn_axpy(-fn, t->normal, t->force)) * c->scale);
}

mrn_status mrn_force_table_make(const mrn_scene *scene, const mrn_state *s,
                                const mrn_contacts *contacts, mrn_force_table *out,
                                mrn_message *msg)
{
    *out = (mrn_force_table){.width = 0.1};
    mrn_contact_view v = mrn_view_of(scene, s, contacts);
    if (!v.known)
        return mrn_fail(msg, MRN_ERR_RANGE, "the contact network is not known");
    mrn_bulk bulk = mrn_measure_bulk(scene, s);
    mrn_contact_sums sums;
    mrn_contact_sums_of(&v, &bulk, &sums);
    if (!(sums.pressed > 0) || !(sums.force_n > 0))
        return MRN_OK;
    out->n = (int64_t)sums.pressed;
    out->mean = sums.force_n / sums.pressed;
    out->mean_t = sums.force_t / sums.pressed;
    counting c = {out, 1 / (out->width * out->mean)};
    mrn_contacts_each(&v, count_force, &c);
    for (int k = 0; k < MRN_FORCE_BINS; k++) {
        out->normal[k] /= sums.pressed * out->width;
        out->tangential[k] /= sums.pressed * out->width;
    }
    return MRN_OK;
}
