/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be wrong with the drives of a scene: signals that are half filled, numbers that are not
   finite, groups that do not exist, a cell driven where it is not periodic. */
#include <string.h>

#include "model/model.h"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        mrn_status check_st = (call);                                                              \
        if (check_st != MRN_OK)                                                                    \
            return check_st;                                                                       \
    } while (0)

/* Who is spoken of: "gravity", "the motion of wall 'lid'". */
typedef struct owner {
    const mrn_scene *scene;
    const char *what, *name;
    mrn_message *msg;
} owner;

static mrn_status bad(const owner *o, const char *text, const char *expected)
{
    bool named = o->name != NULL && o->name[0] != '\0';
    mrn_fail(o->msg, MRN_ERR_INPUT, "%s%s%s%s: %s", o->what, named ? " '" : "",
             named ? o->name : "", named ? "'" : "", text);
    if (expected != NULL)
        mrn_fail_expected(o->msg, "%s", expected);
    if (o->scene->path != NULL)
        mrn_fail_at(o->msg, o->scene->path, 0, 0);
    return MRN_ERR_INPUT;
}

/* ---- numbers ---- */

static bool finite3(mrn_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool unit3(mrn_vec3 v)
{
    return finite3(v) && fabs(mrn_norm(v) - 1) < 1e-9;
}

static bool at_least_0(double v)
{
    return isfinite(v) && v >= 0;
}

bool mrn_signal_is_sound(const mrn_signal *x)
{
    if (x->kind == MRN_SIGNAL_CONSTANT)
        return isfinite(x->constant);
    if (x->kind == MRN_SIGNAL_EXPRESSION)
        return x->op != NULL && x->n_ops > 0;
    if (x->kind != MRN_SIGNAL_TABLE || x->n_rows < 1 || x->time == NULL || x->value == NULL)
        return false;
    for (int i = 0; i < x->n_rows; i++)
        if (!isfinite(x->time[i]) || !isfinite(x->value[i]) ||
            (i > 0 && !(x->time[i] > x->time[i - 1])))
            return false;
    return true;
}

static mrn_status check_signals(const owner *o, const mrn_signal *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!mrn_signal_is_sound(&x[i]))
            return bad(o, "a signal that has no value",
                       "one made by mrn_signal_constant, _expression or _table");
    return MRN_OK;
}

/* Three components that lie in the plane of a 2D scene. */
static mrn_status check_vector(const owner *o, const mrn_signal x[3])
{
    CHECK(check_signals(o, x, 3));
    if (o->scene->dimension == 2 && !mrn_signal_is_zero(&x[2]))
        return bad(o, "it points out of the plane of a 2D scene", "no component along z");
    return MRN_OK;
}

/* ---- motions ---- */

/* The section of the cell across an axis is known when all other directions are periodic. */
static bool has_section(const mrn_scene *s, mrn_vec3 direction)
{
    const double d[3] = {direction.x, direction.y, direction.z};
    for (int k = 0; k < s->dimension; k++) {
        bool across = fabs(fabs(d[k]) - 1) < 1e-12;
        for (int i = 0; i < s->dimension; i++)
            across = across && (i == k || s->cell.periodic[i]);
        if (across)
            return true;
    }
    return false;
}

static mrn_status check_servo(const owner *o, const mrn_motion *m)
{
    if (!unit3(m->servo_direction))
        return bad(o, "the direction of its servo is no unit vector", "a vector of length 1");
    if (!at_least_0(m->servo_area) || !at_least_0(m->servo_max_speed))
        return bad(o, "area or largest speed of its servo is negative", "0 or more");
    if (m->servo_pressure && m->servo_area == 0 && !has_section(o->scene, m->servo_direction))
        return bad(o, "a servo with a pressure needs the area it acts on",
                   "an area, or a cell periodic in all directions across the wall's own");
    return check_signals(o, &m->servo_target, 1);
}

static mrn_status check_motion(const mrn_scene *s, const mrn_motion *m, const char *wall,
                               mrn_message *msg)
{
    owner o = {s, "the motion of wall", wall, msg};
    if (m->kind < MRN_MOTION_NONE || m->kind > MRN_MOTION_SERVO)
        return bad(&o, "of no known kind", NULL);
    if (m->kind == MRN_MOTION_NONE)
        return MRN_OK;
    if (!finite3(m->velocity) || !finite3(m->spin) || !finite3(m->about) ||
        !finite3(m->amplitude) || !isfinite(m->frequency) || !isfinite(m->phase))
        return bad(&o, "a number is not finite", "finite numbers");
    if (m->kind == MRN_MOTION_SERVO)
        return check_servo(&o, m);
    if (m->kind != MRN_MOTION_PATH)
        return MRN_OK;
    CHECK(check_vector(&o, m->path));
    CHECK(check_signals(&o, &m->angle, 1));
    if (!mrn_signal_is_zero(&m->angle) && !unit3(m->axis))
        return bad(&o, "the axis of its angle is no unit vector", "a vector of length 1");
    return MRN_OK;
}

/* ---- the cell ---- */

static mrn_status check_control(const mrn_scene *s, const mrn_cell_control *c, const char *stage,
                                mrn_message *msg)
{
    static const int first[MRN_STRAINS] = {0, 1, 2, 0, 0, 1};
    static const int second[MRN_STRAINS] = {0, 1, 2, 1, 2, 2};
    owner o = {s, stage != NULL ? "the control of the cell in stage" : "the control of the cell",
               stage, msg};
    CHECK(check_signals(&o, c->target, MRN_STRAINS));
    if (!at_least_0(c->max_rate) || !at_least_0(c->response))
        return bad(&o, "largest rate or response is negative", "0 or more");
    for (int k = 0; k < MRN_STRAINS; k++) {
        if (c->kind[k] != MRN_CONTROL_RATE && c->kind[k] != MRN_CONTROL_STRESS)
            return bad(&o, "a component of no known kind", NULL);
        bool driven = c->kind[k] == MRN_CONTROL_STRESS || !mrn_signal_is_zero(&c->target[k]);
        if (driven && !(s->cell.periodic[first[k]] && s->cell.periodic[second[k]]))
            return bad(&o, "a component is driven in a direction that is not periodic",
                       "periodic directions for all that is driven");
    }
    return MRN_OK;
}

/* ---- forces and damping ---- */

static mrn_status check_forces(const mrn_scene *s, const mrn_body_force *f, int n, mrn_message *msg)
{
    for (int i = 0; i < n; i++) {
        owner o = {s, "force", f[i].name, msg};
        if (f[i].group < -1 || f[i].group >= s->n_groups)
            return bad(&o, "it acts on a group that does not exist", "an index, or -1 for all");
        CHECK(check_vector(&o, f[i].force));
        CHECK(check_signals(&o, f[i].torque, 3));
        if (s->dimension == 2 &&
            !(mrn_signal_is_zero(&f[i].torque[0]) && mrn_signal_is_zero(&f[i].torque[1])))
            return bad(&o, "it turns bodies out of the plane of a 2D scene",
                       "a torque along z alone");
    }
    return MRN_OK;
}

static mrn_status check_damping(const mrn_scene *s, const mrn_damping *d, const char *stage,
                                mrn_message *msg)
{
    owner o = {s, stage != NULL ? "the damping of stage" : "damping", stage, msg};
    if (!at_least_0(d->global) || !(d->local >= 0 && d->local < 1))
        return bad(&o, "a coefficient is out of range",
                   "global 0 or more, local from 0 to below 1");
    return MRN_OK;
}

/* ---- regions, inlets, outlets ---- */

static mrn_status check_region(const owner *o, const mrn_region *g, bool bounded)
{
    bool flat = o->scene->dimension == 2;
    if (g->kind == MRN_REGION_BOX) {
        bool ok = g->hi.x > g->lo.x && g->hi.y > g->lo.y && (flat || g->hi.z > g->lo.z);
        if (!ok || (bounded && !(finite3(g->lo) && finite3(g->hi))))
            return bad(o, "its box has no volume, or no end", "the lower corner first");
        return MRN_OK;
    }
    if (!(g->radius > 0) || !isfinite(g->radius) || !finite3(g->lo))
        return bad(o, "its region has no radius", "a positive number");
    if (g->kind == MRN_REGION_SPHERE)
        return MRN_OK;
    if (g->kind != MRN_REGION_CYLINDER || flat)
        return bad(o, "its region is of no known kind", "box, sphere, and in 3D cylinder");
    if (!finite3(g->hi) || !(mrn_norm(mrn_sub(g->hi, g->lo)) > 0))
        return bad(o, "its cylinder has no length", "ends at different points");
    return MRN_OK;
}

static mrn_status check_inlet(const mrn_scene *s, const mrn_group *g, mrn_message *msg)
{
    owner o = {s, "inlet", g->name, msg};
    if (g->fixed)
        return bad(&o, "grains that enter cannot be fixed", "fixed: false");
    if (!(g->inlet.begin >= 0) || !(g->inlet.end > g->inlet.begin) || g->inlet.limit < 0)
        return bad(&o, "its times or its limit are out of order", "0 <= begin < end, limit >= 0");
    CHECK(check_region(&o, &g->region, true));
    return check_signals(&o, &g->inlet.rate, 1);
}

static mrn_status check_sources(const mrn_scene *s, mrn_message *msg)
{
    owner o = {s, "the scene", s->title, msg};
    int inlets = 0;
    for (int i = 0; i < s->n_groups; i++)
        if (s->group[i].place == MRN_PLACE_INLET) {
            inlets++;
            CHECK(check_inlet(s, &s->group[i], msg));
        }
    if (inlets > MRN_INLET_MAX || s->n_outlets > MRN_OUTLET_MAX)
        return bad(&o, "too many inlets or outlets", "at most 16 of each");
    for (int i = 0; i < s->n_outlets; i++) {
        const mrn_outlet *out = &s->outlet[i];
        owner p = {s, "outlet", out->name, msg};
        if (out->group < -1 || out->group >= s->n_groups)
            return bad(&p, "it takes from a group that does not exist", "an index, or -1 for all");
        CHECK(check_region(&p, &out->region, false));
    }
    return MRN_OK;
}

/* ---- clusters ---- */

static mrn_status check_cluster(const mrn_scene *s, const mrn_cluster *c, mrn_message *msg)
{
    owner o = {s, "cluster", c->name, msg};
    if (c->n < 1 || c->centre == NULL || c->radius == NULL)
        return bad(&o, "it has no spheres", "one made by mrn_cluster_make");
    for (int k = 0; k < 3; k++)
        if ((k == 2 || s->dimension == 3) && !(c->inertia[k] > 0 && isfinite(c->inertia[k])))
            return bad(&o, "it has no inertia", "one made by mrn_cluster_make");
    if (!(c->bound > 0) || !isfinite(c->bound))
        return bad(&o, "it has no size", "one made by mrn_cluster_make");
    return MRN_OK;
}

static mrn_status check_orientations(const mrn_scene *s, const mrn_group *g, mrn_message *msg)
{
    owner o = {s, "group", g->name, msg};
    for (int64_t i = 0; i < g->n_grains; i++) {
        mrn_quat q = g->grain[i].q;
        double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (norm != 0 && !(fabs(norm - 1) < 1e-9))
            return bad(&o, "the orientation of a grain is no unit quaternion",
                       "length 1, or all 0 for none");
    }
    return MRN_OK;
}

static mrn_status check_clusters(const mrn_scene *s, mrn_message *msg)
{
    for (int i = 0; i < s->n_clusters; i++)
        CHECK(check_cluster(s, &s->cluster[i], msg));
    for (int i = 0; i < s->n_groups; i++) {
        const mrn_group *g = &s->group[i];
        owner o = {s, "group", g->name, msg};
        CHECK(check_orientations(s, g, msg));
        if (mrn_group_is_cluster(s, g) && (g->cluster < 0 || g->cluster >= s->n_clusters))
            return bad(&o, "it is made of clusters that do not exist", "an index into clusters");
    }
    return MRN_OK;
}

/* ---- all ---- */

static mrn_status check_stage(const mrn_scene *s, const mrn_stage *g, mrn_message *msg)
{
    owner o = {s, "stage", g->name, msg};
    if (g->has_gravity)
        CHECK(check_vector(&o, g->gravity));
    if (g->has_control)
        CHECK(check_control(s, &g->control, g->name, msg));
    if (g->has_damping)
        CHECK(check_damping(s, &g->damping, g->name, msg));
    if (g->has_forces)
        CHECK(check_forces(s, g->force, g->n_forces, msg));
    for (int i = 0; i < g->n_inlets; i++) {
        int k = g->inlet_group[i];
        if (k < 0 || k >= s->n_groups || s->group[k].place != MRN_PLACE_INLET)
            return bad(&o, "it opens or closes what is no inlet", "a group that is an inlet");
    }
    for (int i = 0; i < g->n_motions; i++)
        CHECK(check_motion(s, &g->motion[i], s->wall[g->motion_wall[i]].name, msg));
    return MRN_OK;
}

/* ---- walls in a periodic cell ---- */

static bool drives(const mrn_cell_control *c)
{
    for (int k = 0; k < MRN_STRAINS; k++)
        if (c->kind[k] == MRN_CONTROL_STRESS || !mrn_signal_is_zero(&c->target[k]))
            return true;
    return false;
}

static bool cell_strains(const mrn_scene *s)
{
    bool any = drives(&s->cell.control);
    for (int i = 0; i < s->n_stages; i++)
        any = any || (s->stage[i].has_control && drives(&s->stage[i].control));
    return any;
}

/* A plane without end must not cut a periodic direction: its images would fill the world. In a cell
   that strains only such planes may stand at all: the cell carries grains along them, but through
   anything else. */
static mrn_status check_wall_in_cell(const mrn_scene *s, const mrn_wall *w, bool strains,
                                     mrn_message *msg)
{
    const mrn_shape *shape = &s->shape[w->shape];
    owner o = {s, "wall", w->name, msg};
    mrn_vec3 lo, hi, n = mrn_rotate(w->q, mrn_v3(0, 0, 1));
    if (shape->type == NULL || shape->type->bounds == NULL)
        return MRN_OK; /* nothing is known of its extent */
    bool plane = strcmp(shape->type->name, "plane") == 0, cuts = false, endless = false;
    const double normal[3] = {n.x, n.y, n.z};
    for (int k = 0; k < 3; k++)
        cuts = cuts || (s->cell.periodic[k] && fabs(normal[k]) > 1e-9);
    if (plane) {
        shape->type->bounds(shape, &lo, &hi);
        endless = !isfinite(lo.x) || !isfinite(hi.x) || !isfinite(lo.y) || !isfinite(hi.y);
    }
    if (endless && cuts)
        return bad(&o, "a plane without end that cuts a periodic direction",
                   "a normal across all periodic directions, or a plate with an end");
    if (strains && (!plane || cuts))
        return bad(&o, "it stands in a periodic cell that strains, which would push grains into it",
                   "only planes across directions that are not periodic");
    return MRN_OK;
}

static mrn_status check_walls_in_cell(const mrn_scene *s, mrn_message *msg)
{
    bool any = s->cell.periodic[0] || s->cell.periodic[1] || s->cell.periodic[2];
    bool strains = any && cell_strains(s);
    for (int i = 0; i < s->n_walls && any; i++)
        CHECK(check_wall_in_cell(s, &s->wall[i], strains, msg));
    return MRN_OK;
}

mrn_status mrn_scene_check_drives(const mrn_scene *s, mrn_message *msg)
{
    owner gravity = {s, "gravity", NULL, msg}, time = {s, "the integrator", NULL, msg};
    CHECK(check_vector(&gravity, s->gravity_of));
    if (s->integrator < MRN_VERLET || s->integrator > MRN_GEAR)
        return bad(&time, "of no known kind", "verlet, euler or gear");
    CHECK(check_damping(s, &s->damping, NULL, msg));
    CHECK(check_control(s, &s->cell.control, NULL, msg));
    CHECK(check_clusters(s, msg));
    CHECK(check_sources(s, msg));
    CHECK(check_forces(s, s->force, s->n_forces, msg));
    for (int i = 0; i < s->n_walls; i++)
        CHECK(check_motion(s, &s->wall[i].motion, s->wall[i].name, msg));
    for (int i = 0; i < s->n_stages; i++)
        CHECK(check_stage(s, &s->stage[i], msg));
    return check_walls_in_cell(s, msg);
}
