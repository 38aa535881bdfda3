/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a collision as its file says it to the numbers of its integration, with all that can be
   wrong with it said in words. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "collide/encounter.h"

static const char *const who[2] = {"ball", "target"};

static bool is_plane(const mrn_collision *c)
{
    return isinf(c->radius[1]);
}

/* ---- checks ---- */

static mrn_status check_body(const mrn_collision *c, int k, mrn_message *msg)
{
    bool plane = k == 1 && is_plane(c);
    double r = c->radius[k], d = c->density[k], e = c->young[k], nu = c->poisson[k];
    if (!plane && !(r > 0 && isfinite(r))) {
        mrn_fail(msg, MRN_ERR_INPUT, "the radius of the %s is %g m", who[k], r);
        return mrn_fail_expected(msg, k == 0 ? "a finite radius above 0"
                                             : "a radius above 0, infinite for a plane");
    }
    bool still = plane || (k == 1 && c->fixed);
    if (!still && !(d > 0 && isfinite(d))) {
        mrn_fail(msg, MRN_ERR_INPUT, "the density of the %s is not known (%g kg/m3)", who[k], d);
        return mrn_fail_expected(msg, "a density above 0: it gives the mass");
    }
    if (e > 0 && !(nu > -1 && nu <= 0.5)) {
        mrn_fail(msg, MRN_ERR_INPUT, "Poisson's ratio of the %s is %g", who[k], nu);
        return mrn_fail_expected(msg, "a number above -1 and not above 0.5");
    }
    if (!isnan(e) && !(e >= 0 && isfinite(e))) {
        mrn_fail(msg, MRN_ERR_INPUT, "Young's modulus of the %s is %g Pa", who[k], e);
        return mrn_fail_expected(msg, "a finite number above 0");
    }
    for (int i = 0; i < 3; i++)
        if (!isfinite(c->spin[k][i]) || (plane && c->spin[k][i] != 0)) {
            mrn_fail(msg, MRN_ERR_INPUT, "the spin of the %s is %g rad/s", who[k], c->spin[k][i]);
            return mrn_fail_expected(msg, plane ? "0: a plane does not move" : "a finite number");
        }
    return MRN_OK;
}

static mrn_status check_motion(const mrn_collision *c, mrn_message *msg)
{
    if (!(c->speed > 0 && isfinite(c->speed))) {
        mrn_fail(msg, MRN_ERR_INPUT, "the speed is %g m/s", c->speed);
        return mrn_fail_expected(msg, "a finite speed above 0");
    }
    if (!(c->angle >= 0 && c->angle < 0.5 * MRN_PI)) {
        mrn_fail(msg, MRN_ERR_INPUT, "the angle is %g deg from the normal",
                 c->angle * 180 / MRN_PI);
        return mrn_fail_expected(msg, "0 deg or more, below 90 deg: beyond, they do not meet");
    }
    return MRN_OK;
}

static mrn_status check_params(const mrn_collision *c, mrn_message *msg)
{
    const mrn_param *param[MRN_PARAM_MAX];
    if (c->model.part[MRN_LAW_NORMAL] == NULL) {
        mrn_fail(msg, MRN_ERR_INPUT, "the collision has no contact law");
        return mrn_fail_expected(msg, "a law model with a normal part");
    }
    int n = mrn_law_model_params(&c->model, param);
    for (int i = 0; i < n; i++) {
        if (!param[i]->required || (c->value[i].given && !isnan(c->value[i].number)))
            continue;
        mrn_fail(msg, MRN_ERR_INPUT, "law '%s' needs %s", c->model.name, param[i]->name);
        mrn_fail_expected(msg, "%s: %s", param[i]->name, param[i]->doc);
        return MRN_ERR_INPUT;
    }
    return MRN_OK;
}

/* ---- preparation ---- */

/* Materials of which nothing is known count as 0, which laws that need them refuse. */
static double known(double x)
{
    return isnan(x) ? 0 : x;
}

/* A plane need not have a density; a law that asks for it has a coefficient that is not finite. */
static mrn_status check_prepared(const mrn_collision *c, const mrn_prepared *p, mrn_message *msg)
{
    for (int k = 0; k < MRN_LAW_KINDS; k++)
        for (int i = 0; p->part[k] != NULL && i < MRN_COEF_MAX; i++)
            if (!isfinite(p->coef[k][i])) {
                mrn_fail(msg, MRN_ERR_INPUT, "law '%s' asks for a property that is not known",
                         c->model.name);
                return mrn_fail_expected(msg, "density, young and poisson of both materials");
            }
    return MRN_OK;
}

mrn_status mrn_collision_prepare(const mrn_collision *c, mrn_prepared *out, mrn_message *msg)
{
    mrn_status s = check_params(c, msg);
    if (s != MRN_OK)
        return s;
    mrn_material_pair mat =
        mrn_material_pair_mix(known(c->young[0]), known(c->poisson[0]), c->density[0],
                              known(c->young[1]), known(c->poisson[1]), c->density[1]);
    s = mrn_law_prepare(&c->model, &mat, c->value, out, msg);
    return s == MRN_OK ? check_prepared(c, out, msg) : s;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool mrn_collision_alike(const mrn_collision *a, const mrn_collision *b, int n)
{
    for (int k = 0; k < 2; k++)
        if (!same(a->young[k], b->young[k]) || !same(a->poisson[k], b->poisson[k]) ||
            !same(a->density[k], b->density[k]))
            return false;
    if (memcmp(a->model.part, b->model.part, sizeof a->model.part) != 0)
        return false;
    for (int i = 0; i < n; i++)
        if (a->value[i].given != b->value[i].given || a->value[i].flag != b->value[i].flag ||
            !same(a->value[i].number, b->value[i].number))
            return false;
    return true;
}

static double mass_of(double radius, double density)
{
    return 4.0 / 3 * MRN_PI * radius * radius * radius * density;
}

/* A damped spring that is kept at the step is one that is reset when it slides (laws/tangent.h). */
static bool is_reset(const mrn_prepared *law)
{
    const mrn_law *n = law->part[MRN_LAW_NORMAL], *t = law->part[MRN_LAW_TANGENTIAL];
    const double r = 1e-3, m = 1e-6, delta = 1e-6;
    if (!law->whole[MRN_LAW_TANGENTIAL] || t->damping == NULL || n->damping == NULL)
        return false;
    double gamma = n->damping(law->coef[MRN_LAW_NORMAL], r, m, delta, 0);
    return t->damping(law->coef[MRN_LAW_TANGENTIAL], r, m, delta, gamma) > 0;
}

void mrn_encounter_make(const mrn_collision *c, const mrn_prepared *law, mrn_encounter *e)
{
    *e = (mrn_encounter){
        .law = law, .plane = is_plane(c), .speed = c->speed, .about_end = c->about_end};
    double r = c->radius[0], m = mass_of(r, c->density[0]);
    e->radius[0] = r;
    e->mass[0] = e->m_eff = m;
    e->inverse_inertia[0] = 1 / (0.4 * m * r * r);
    e->mass[1] = INFINITY;
    e->r_eff = r;
    e->shrink = 1 / r;
    if (!e->plane) {
        double ra = c->radius[1];
        e->radius[1] = ra;
        e->r_eff = r * ra / (r + ra);
        e->curve = e->shrink = 1 / (r + ra);
    }
    if (!e->plane && !c->fixed) {
        double ra = c->radius[1], ma = mass_of(ra, c->density[1]);
        e->mass[1] = ma;
        e->inverse_inertia[1] = 1 / (0.4 * ma * ra * ra);
        e->m_eff = m * ma / (m + ma);
    }
    e->sin = sin(c->angle);
    e->cos = cos(c->angle);
    memcpy(e->spin, c->spin, sizeof e->spin);
    e->reset = is_reset(law);
    const mrn_law *normal = law->part[MRN_LAW_NORMAL], *far = law->part[MRN_LAW_COHESION];
    if (far != NULL && far->range != NULL)
        e->range = far->range(law->coef[MRN_LAW_COHESION], e->r_eff);
    if (normal->contact_time != NULL)
        e->time =
            normal->contact_time(law->coef[MRN_LAW_NORMAL], e->r_eff, e->m_eff, e->speed * e->cos);
}

/* ---- the whole question ---- */

static mrn_status check_time(const mrn_collision *c, const mrn_prepared *p, mrn_message *msg)
{
    mrn_encounter e;
    if (p->part[MRN_LAW_NORMAL]->rigid_only)
        return MRN_OK;
    mrn_encounter_make(c, p, &e);
    if (e.time > 0 && isfinite(e.time))
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "law '%s' gives no contact time for this impact (%g s)",
             c->model.name, e.time);
    return mrn_fail_expected(msg, "a stiffness above 0 and finite");
}

mrn_status mrn_collision_check_motion(const mrn_collision *c, mrn_message *msg)
{
    mrn_status s = check_body(c, 0, msg);
    if (s == MRN_OK)
        s = check_body(c, 1, msg);
    return s == MRN_OK ? check_motion(c, msg) : s;
}

mrn_status mrn_collision_check(const mrn_collision *c, mrn_message *msg)
{
    mrn_prepared p;
    mrn_outcome unread;
    mrn_status s = mrn_collision_check_motion(c, msg);
    if (s == MRN_OK)
        s = mrn_collision_prepare(c, &p, msg);
    if (s == MRN_OK && p.part[MRN_LAW_NORMAL]->rigid_only)
        s = mrn_hard_sphere(c, &unread, msg);
    return s == MRN_OK ? check_time(c, &p, msg) : s;
}
