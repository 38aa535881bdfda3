/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of disks and spheres given by hand. What is not given follows as in a packing: branch
   and contact point from the centres, a frame with t along the tangential force, rows from the laws
   of the contact, loads that balance the forces.

   Frame. n as given; where it is zero, along the branch. The force given is along n, t, n x t of
   the contact given; where its t is zero, t is z x n in 2D, and in 3D the part perpendicular to n
   of the axis on which n is smallest. The contact made has t along the tangential force (force[1]
   >= 0, force[2] = 0), or, without such a force, t as above. w = n x t always: in 2D it is z or -z.

   Rows. 1 where the network or the contact is frictionless (no friction and no tangential
   stiffness); else as many as there are dimensions; and those of moments (2D: 1, 3D: 3) where the
   contact has a stiffness, a limit or a value of moments. Moments come with the tangential rows. */
#include <string.h>

#include "base/base.h"
#include "detect/kinematics.h"
#include "quasistatic/net_parts.h"

mrn_net_options mrn_net_default(void)
{
    return (mrn_net_options){.cell = true, .walls = true};
}

void mrn_net_release(mrn_net *net)
{
    if (net == NULL)
        return;
    mrn_free(net->body);
    mrn_free(net->id);
    mrn_free(net->node);
    mrn_free(net->x);
    mrn_free(net->radius);
    mrn_free(net->mass);
    mrn_free(net->inertia);
    mrn_free(net->ball);
    mrn_free(net->global);
    mrn_contacts_destroy(&net->contact);
    mrn_free(net->element);
    mrn_free(net->load);
    memset(net, 0, sizeof *net);
}

/* ---- parts shared with networks of states ---- */

mrn_status mrn_net_reserve(mrn_net *net, mrn_message *msg)
{
    mrn_status st = mrn_array(&net->body, net->n, sizeof *net->body, msg);
    if (st == MRN_OK)
        st = mrn_array(&net->id, net->n, sizeof *net->id, msg);
    if (st == MRN_OK && net->node == NULL)
        st = mrn_array(&net->node, net->n_bodies, sizeof *net->node, msg);
    if (st == MRN_OK)
        st = mrn_array(&net->x, 3 * (int64_t)net->n, sizeof *net->x, msg);
    if (st == MRN_OK)
        st = mrn_array(&net->radius, net->n, sizeof *net->radius, msg);
    if (st == MRN_OK)
        st = mrn_array(&net->mass, net->n, sizeof *net->mass, msg);
    if (st == MRN_OK)
        st = mrn_array(&net->inertia, 3 * (int64_t)net->n, sizeof *net->inertia, msg);
    if (st == MRN_OK)
        st = mrn_array(&net->ball, net->n, sizeof *net->ball, msg);
    if (st == MRN_OK && net->contact.columns == 0) {
        mrn_contacts_def def = {.columns = MRN_NET_COLUMNS, .n = net->n_contacts};
        st = mrn_contacts_make(&net->contact, &def, msg);
        net->contact.n = st == MRN_OK ? net->n_contacts : 0;
    }
    if (st == MRN_OK && net->element == NULL)
        st = mrn_array(&net->element, net->n_contacts, sizeof *net->element, msg);
    return st;
}

void mrn_net_frame(mrn_net *net, int64_t k, mrn_vec3 force, mrn_vec3 moment)
{
    mrn_net_element *c = &net->element[k];
    mrn_vec3 n = mrn_load3(net->contact.normal + 3 * k);
    c->force[0] = mrn_dot(force, n);
    mrn_vec3 t = mrn_axpy(-c->force[0], n, force);
    if (net->dimension == 2)
        t.z = 0;
    c->force[1] = mrn_norm(t), c->force[2] = 0;
    /* a tangential force of the size of rounding has no direction */
    if (c->force[1] > 1e-14 * fabs(c->force[0])) {
        t = mrn_scale(1 / c->force[1], t);
        t = mrn_unit(mrn_axpy(-mrn_dot(t, n), n, t));
    } else {
        c->force[1] = 0;
        t = mrn_contact_tangent(net->dimension, n);
    }
    c->moment[0] = net->dimension == 2 ? 0 : mrn_dot(moment, n);
    c->moment[1] = net->dimension == 2 ? 0 : mrn_dot(moment, t);
    c->moment[2] = mrn_dot(moment, mrn_cross(n, t));
    mrn_store3(net->contact.tangent + 3 * k, t);
    mrn_store3(net->contact.force + 3 * k, force);
    mrn_store3(net->contact.moment + 3 * k, moment);
}

static bool has_moments(const mrn_net_element *c)
{
    return c->kr[0] > 0 || c->kr[1] > 0 || c->roll_limit[0] > 0 || c->roll_limit[1] > 0 ||
           c->moment[0] != 0 || c->moment[1] != 0 || c->moment[2] != 0;
}

/* What a contact without friction cannot have. */
static void smooth_contact(mrn_net_element *c)
{
    c->rows = 1;
    c->friction = c->kt = 0;
    c->force[1] = c->force[2] = 0;
    for (int k = 0; k < 2; k++)
        c->kr[k] = c->roll_limit[k] = 0;
    for (int k = 0; k < 3; k++)
        c->moment[k] = 0;
}

void mrn_net_count_rows(const mrn_net *net, bool frictionless, mrn_net_element *c)
{
    bool moments = has_moments(c);
    if (frictionless || (c->friction == 0 && c->kt == 0 && !moments))
        smooth_contact(c);
    else
        c->rows = net->dimension + (!moments ? 0 : net->dimension == 2 ? 1 : 3);
}

mrn_net_status mrn_net_status_of(const mrn_net_element *c)
{
    double limit = c->friction * (c->force[0] + c->pull);
    double t = hypot(c->force[1], c->force[2]);
    return c->rows > 1 && limit > 0 && t >= (1 - 1e-6) * limit ? MRN_NET_SLIDES : MRN_NET_STICKS;
}

void mrn_net_number(mrn_net *net)
{
    double sum = 0, pressed = 0, radius = 0;
    net->n_rows = 0;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        mrn_net_element *c = &net->element[k];
        c->row = net->n_rows;
        net->n_rows += c->rows;
        net->rotations = net->rotations || c->rows > 1;
        net->forces_known = net->forces_known || c->force[0] != 0;
        if (c->force[0] > 0)
            sum += c->force[0], pressed++;
    }
    for (int32_t i = 0; i < net->n; i++) {
        net->rotations = net->rotations || !net->ball[i];
        radius += net->radius[i];
    }
    net->mean_force = pressed > 0 ? sum / pressed : 0;
    net->length = net->n > 0 ? radius / net->n : 1;
    net->dofs = !net->rotations ? net->dimension : net->dimension == 2 ? 3 : 6;
    net->n_unknowns = (int64_t)net->n * net->dofs + net->n_globals;
}

void mrn_net_cell_globals(mrn_net *net)
{
    static const char *const name[6] = {"cell.xx", "cell.yy", "cell.zz",
                                        "cell.xy", "cell.xz", "cell.yz"};
    static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        if (!net->periodic[first[k]] || !net->periodic[second[k]])
            continue;
        mrn_global *g = &net->global[net->n_globals++];
        *g = (mrn_global){.kind = MRN_GLOBAL_CELL, .wall = -1, .component = k};
        strcpy(g->name, name[k]);
    }
}

void mrn_net_scale_globals(mrn_net *net)
{
    double many = net->n_contacts > 0 ? (double)net->n_contacts : 1;
    for (int g = 0; g < net->n_globals; g++)
        net->global[g].scale =
            net->global[g].kind == MRN_GLOBAL_CELL ? net->length * sqrt(many) : 1;
}

/* ---- by hand ---- */

mrn_status mrn_net_check_contact(int32_t n, const mrn_contacts *at, int64_t k, mrn_message *msg)
{
    if (at->c[k] < 0 || at->c[k] >= n || at->a[k] < -1 || at->a[k] >= n)
        return mrn_fail(msg, MRN_ERR_RANGE, "contact %lld is between grains %d and %d of %d",
                        (long long)k, (int)at->c[k], (int)at->a[k], (int)n);
    if (at->a[k] < 0 && !(mrn_norm(mrn_load3(at->normal + 3 * k)) > 0))
        return mrn_fail(msg, MRN_ERR_RANGE, "contact %lld with the ground has no normal",
                        (long long)k);
    return MRN_OK;
}

static mrn_status check(int dimension, int32_t n, const double *x, const double *radius,
                        const mrn_contacts *at, mrn_message *msg)
{
    if (dimension != 2 && dimension != 3)
        return mrn_fail(msg, MRN_ERR_RANGE, "a network has 2 or 3 dimensions, not %d", dimension);
    if (n < 0 || at->n < 0)
        return mrn_fail(msg, MRN_ERR_RANGE, "a network cannot have %d grains and %lld contacts",
                        (int)n, (long long)at->n);
    for (int32_t i = 0; i < n; i++)
        if (!(radius[i] > 0) || !isfinite(radius[i]) || !isfinite(x[3 * i]) ||
            !isfinite(x[3 * i + 1]) || !isfinite(x[3 * i + 2]))
            return mrn_fail(msg, MRN_ERR_RANGE, "grain %d has radius %g m at (%g %g %g) m", (int)i,
                            radius[i], x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    mrn_status st = MRN_OK;
    for (int64_t k = 0; st == MRN_OK && k < at->n; k++)
        st = mrn_net_check_contact(n, at, k, msg);
    return st;
}

/* Volume of the cell; along axes that are not periodic, as far as the grains reach. */
static double volume_of(const mrn_net *net)
{
    double volume = 1;
    for (int k = 0; k < net->dimension; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int32_t i = 0; i < net->n; i++) {
            lo = fmin(lo, net->x[3 * (size_t)i + (size_t)k] - net->radius[i]);
            hi = fmax(hi, net->x[3 * (size_t)i + (size_t)k] + net->radius[i]);
        }
        volume *= net->periodic[k] ? net->cell[k] : net->n > 0 ? hi - lo : 1;
    }
    return volume;
}

void mrn_net_put_grain(mrn_net *net, int32_t i, mrn_vec3 x, double radius, double mass,
                       double inertia, bool ball)
{
    net->body[i] = net->id[i] = net->node[i] = i;
    mrn_store3(net->x + 3 * (size_t)i, x);
    net->radius[i] = radius;
    net->mass[i] = mass;
    net->total_mass += mass;
    for (int k = 0; k < 3; k++)
        net->inertia[3 * (size_t)i + (size_t)k] = inertia;
    net->ball[i] = ball;
}

/* Grains of unit density. */
static void copy_grains(const double *x, const double *radius, mrn_net *net)
{
    for (int32_t i = 0; i < net->n; i++) {
        double r = radius[i], m = MRN_PI * r * r * (net->dimension == 2 ? 1 : 4 * r / 3);
        mrn_net_put_grain(net, i, mrn_load3(x + 3 * (size_t)i), r, m,
                          (net->dimension == 2 ? 0.5 : 0.4) * m * r * r, true);
    }
}

static double nearest(const mrn_net *net, int k, double d)
{
    return net->periodic[k] ? d - net->cell[k] * rint(d / net->cell[k]) : d;
}

/* The image of A that lies where the normal points: in cells of two grains and fewer there are
   several about as near. */
static mrn_vec3 branch_of(const mrn_net *net, int32_t c, int32_t a, mrn_vec3 n)
{
    mrn_vec3 d = mrn_sub(mrn_load3(net->x + 3 * (size_t)c), mrn_load3(net->x + 3 * (size_t)a));
    double way = net->radius[c] + net->radius[a];
    mrn_vec3 from = mrn_norm(n) > 0 ? mrn_scale(way, mrn_unit(n)) : mrn_v3(0, 0, 0);
    d = mrn_sub(d, from);
    d = mrn_v3(nearest(net, 0, d.x), nearest(net, 1, d.y),
               net->dimension == 2 ? 0 : nearest(net, 2, d.z));
    return mrn_add(d, from);
}

void mrn_net_put_geometry(mrn_net *net, int64_t k, mrn_vec3 n, mrn_vec3 arm_c, mrn_vec3 arm_a,
                          mrn_vec3 branch)
{
    mrn_store3(net->contact.normal + 3 * k, n);
    mrn_store3(net->contact.arm_c + 3 * k, arm_c);
    mrn_store3(net->contact.arm_a + 3 * k, arm_a);
    mrn_store3(net->contact.branch + 3 * k, branch);
}

/* The contact point divides the branch as the radii do; with the ground it is on C. */
static void place_contact(mrn_net *net, int64_t k, mrn_vec3 n, double gap)
{
    mrn_net_element *e = &net->element[k];
    double r = net->radius[e->c];
    e->curve_c = 1 / r;
    net->contact.gap[k] = gap;
    if (e->a < 0) {
        n = mrn_unit(n);
        mrn_net_put_geometry(net, k, n, mrn_scale(-r, n), mrn_v3(0, 0, 0), mrn_scale(r, n));
        return;
    }
    double ra = net->radius[e->a], sum = r + ra;
    mrn_vec3 branch = branch_of(net, e->c, e->a, n);
    mrn_net_put_geometry(net, k, mrn_unit(mrn_norm(n) > 0 ? n : branch),
                         mrn_scale(-r / sum, branch), mrn_scale(ra / sum, branch), branch);
    net->contact.gap[k] = mrn_norm(branch) - sum;
    e->curve_a = 1 / ra;
}

/* `tangent`: as given, or zero. */
static void frame_given(mrn_net *net, int64_t k, mrn_vec3 tangent)
{
    mrn_net_element *e = &net->element[k];
    bool given = mrn_norm(tangent) > 0;
    mrn_vec3 n = mrn_load3(net->contact.normal + 3 * k);
    mrn_vec3 t = given ? mrn_unit(tangent) : mrn_contact_tangent(net->dimension, n);
    mrn_vec3 w = mrn_cross(n, t);
    mrn_vec3 force = mrn_scale(e->force[0], n), moment = mrn_scale(e->moment[0], n);
    force = mrn_axpy(e->force[2], w, mrn_axpy(e->force[1], t, force));
    moment = mrn_axpy(e->moment[2], w, mrn_axpy(e->moment[1], t, moment));
    mrn_net_frame(net, k, force, moment);
    if (given && e->force[1] == 0) {
        mrn_store3(net->contact.tangent + 3 * k, t);
        e->moment[1] = net->dimension == 2 ? 0 : mrn_dot(moment, t);
        e->moment[2] = mrn_dot(moment, w);
    }
}

void mrn_net_put_contact(mrn_net *net, int64_t k, const mrn_contacts *from,
                         const mrn_net_element *element)
{
    mrn_contacts *to = &net->contact;
    mrn_net_element *e = &net->element[k];
    *e = element[k];
    e->c = to->c[k] = to->body_c[k] = from->c[k];
    e->a = to->a[k] = to->body_a[k] = from->a[k];
    e->global = to->interaction[k] = -1;
    to->slot[k] = k;
}

void mrn_net_finish_contact(mrn_net *net, int64_t k, bool frictionless)
{
    mrn_net_element *e = &net->element[k];
    mrn_net_count_rows(net, frictionless, e);
    if (e->status != MRN_NET_OPEN)
        e->status = mrn_net_status_of(e);
}

static void copy_contacts(const mrn_contacts *from, const mrn_net_element *element,
                          bool frictionless, mrn_net *net)
{
    for (int64_t k = 0; k < net->n_contacts; k++) {
        mrn_net_put_contact(net, k, from, element);
        place_contact(net, k, mrn_load3(from->normal + 3 * k),
                      from->gap != NULL ? from->gap[k] : 0);
        frame_given(net, k,
                    from->tangent != NULL ? mrn_load3(from->tangent + 3 * k) : mrn_v3(0, 0, 0));
        mrn_net_finish_contact(net, k, frictionless);
    }
}

mrn_status mrn_net_balance(mrn_net *net, mrn_message *msg)
{
    double *f = NULL;
    mrn_status st = mrn_array(&f, net->n_rows, sizeof *f, msg);
    if (st != MRN_OK)
        return st;
    mrn_net_forces(net, f);
    mrn_net_resultant(net, f, net->load);
    for (int64_t i = 0; i < net->n_unknowns; i++)
        net->load[i] = -net->load[i];
    mrn_free(f);
    return MRN_OK;
}

mrn_status mrn_net_set_loads(mrn_net *net, const double *load, mrn_message *msg)
{
    mrn_status st = mrn_array(&net->load, net->n_unknowns, sizeof *net->load, msg);
    if (st == MRN_OK && load != NULL)
        memcpy(net->load, load, (size_t)net->n_unknowns * sizeof *load);
    else if (st == MRN_OK)
        st = mrn_net_balance(net, msg);
    for (int g = 0; st == MRN_OK && g < net->n_globals; g++)
        net->global[g].load = net->load[mrn_net_global_unknown(net, g)];
    return st;
}

mrn_status mrn_net_make_room(mrn_net *net, mrn_message *msg)
{
    mrn_status st = mrn_net_reserve(net, msg);
    return st == MRN_OK ? mrn_array(&net->global, MRN_NET_GLOBALS, sizeof *net->global, msg) : st;
}

static mrn_status fill(const double *x, const double *radius, const mrn_contacts *contact,
                       const mrn_net_element *element, const double *load, bool frictionless,
                       mrn_net *net, mrn_message *msg)
{
    mrn_status st = mrn_net_make_room(net, msg);
    if (st != MRN_OK)
        return st;
    copy_grains(x, radius, net);
    copy_contacts(contact, element, frictionless, net);
    mrn_net_cell_globals(net);
    mrn_net_number(net);
    mrn_net_scale_globals(net);
    if (net->periodic[0] || net->periodic[1] || net->periodic[2])
        net->volume = volume_of(net);
    return mrn_net_set_loads(net, load, msg);
}

void mrn_net_start(mrn_net *net, int dimension, int32_t n, int64_t n_contacts, const double *cell)
{
    net->dimension = dimension;
    net->n = net->n_bodies = n;
    net->n_contacts = n_contacts;
    for (int k = 0; cell != NULL && k < dimension; k++) {
        net->periodic[k] = cell[k] > 0;
        net->cell[k] = cell[k] > 0 ? cell[k] : 0;
    }
}

mrn_status mrn_net_make(int dimension, int32_t n, const double *x, const double *radius,
                        const mrn_contacts *contact, const mrn_net_element *element,
                        const double *cell, const double *load, bool frictionless, mrn_net *out,
                        mrn_message *msg)
{
    memset(out, 0, sizeof *out);
    mrn_status st = check(dimension, n, x, radius, contact, msg);
    if (st != MRN_OK)
        return st;
    mrn_net_start(out, dimension, n, contact->n, cell);
    st = fill(x, radius, contact, element, load, frictionless, out, msg);
    if (st != MRN_OK)
        mrn_net_release(out);
    return st;
}
