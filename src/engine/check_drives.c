/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be wrong with the drives of a scene: signals that are half filled, numbers that are not
   finite, groups that do not exist, a cell driven where it is not periodic. */
#include <string.h>

#include "engine/scenes.h"
#include "model/keys.h"
#include "model/model.h"
#include "model/owner.h"

/* ---- numbers ---- */

static bool finite3(mrn_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool unit3(mrn_vec3 v)
{
    return finite3(v) && fabs(mrn_norm(v) - 1) < 1e-9;
}

static mrn_status check_signals(const mrn_owner *o, const char *key, const mrn_signal *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!mrn_signal_is_sound(&x[i]))
            return mrn_owner_fail(o, key, "a signal that has no value",
                                  "one made by mrn_signal_constant, _expression or _table");
    return MRN_OK;
}

/* Three components that lie in the plane of a 2D scene. */
static mrn_status check_plane(const mrn_owner *o, const char *key, const mrn_signal x[3])
{
    if (o->scene->dimension == 2 && !mrn_signal_is_zero(&x[2]))
        return mrn_owner_fail(o, key, "it points out of the plane of a 2D scene",
                              "no component along z");
    return MRN_OK;
}

static mrn_status check_vector(const mrn_owner *o, const char *key, const mrn_signal x[3])
{
    MRN_CHECK(check_signals(o, key, x, 3));
    return check_plane(o, key, x);
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

static mrn_status check_servo(const mrn_owner *o, const mrn_motion *m)
{
    if (!unit3(m->servo_direction))
        return mrn_owner_fail(o, "servo.direction", "the direction of its servo is no unit vector",
                              "a vector of length 1");
    if (m->servo_pressure && m->servo_area == 0 && !has_section(o->scene, m->servo_direction))
        return mrn_owner_fail(
            o, "servo.pressure", "a servo with a pressure needs the area it acts on",
            "an area, or a cell periodic in all directions across the wall's own");
    return MRN_OK;
}

static mrn_status check_motion(const mrn_owner *o, const mrn_motion *m)
{
    if (m->kind < MRN_MOTION_NONE || m->kind > MRN_MOTION_SERVO)
        return mrn_owner_fail(o, NULL, "of no known kind", "none, steady, shake, path or servo");
    if (m->kind == MRN_MOTION_NONE)
        return MRN_OK;
    MRN_CHECK(mrn_keys_check(o, &mrn_schema_motion_map, m));
    if (m->kind == MRN_MOTION_SERVO)
        return check_servo(o, m);
    if (m->kind != MRN_MOTION_PATH)
        return MRN_OK;
    MRN_CHECK(check_plane(o, "path", m->path));
    if (!mrn_signal_is_zero(&m->angle) && !unit3(m->axis))
        return mrn_owner_fail(o, "axis", "the axis of its angle is no unit vector",
                              "a vector of length 1");
    return MRN_OK;
}

/* ---- the cell ---- */

static mrn_status check_control(const mrn_owner *o, const mrn_cell_control *c)
{
    const mrn_cell *cell = &o->scene->cell;
    static const int first[MRN_STRAINS] = {0, 1, 2, 0, 0, 1};
    static const int second[MRN_STRAINS] = {0, 1, 2, 1, 2, 2};
    MRN_CHECK(check_signals(o, "control", c->target, MRN_STRAINS));
    mrn_owner keys = mrn_owner_inner(o, "control");
    MRN_CHECK(mrn_keys_check(&keys, &mrn_schema_control, c));
    for (int k = 0; k < MRN_STRAINS; k++) {
        if (c->kind[k] != MRN_CONTROL_RATE && c->kind[k] != MRN_CONTROL_STRESS)
            return mrn_owner_fail(o, "control", "a component of no known kind", "rate or stress");
        bool driven = c->kind[k] == MRN_CONTROL_STRESS || !mrn_signal_is_zero(&c->target[k]);
        if (driven && !(cell->periodic[first[k]] && cell->periodic[second[k]]))
            return mrn_owner_fail(o, NULL,
                                  "a component is driven in a direction that is not periodic",
                                  "periodic directions for all that is driven");
    }
    return MRN_OK;
}

/* ---- forces ---- */

/* Of the scene or of a stage, by the path of the list's owner. */
static mrn_status check_forces(const mrn_owner *of, const mrn_body_force *f, int n)
{
    const mrn_scene *s = of->scene;
    const char *dot = of->path[0] != '\0' ? "." : "";
    for (int i = 0; i < n; i++) {
        mrn_owner o =
            mrn_owner_of(s, of->msg, "force", f[i].name, "%s%sforces.%d", of->path, dot, i);
        if (f[i].group < -1 || f[i].group >= s->n_groups)
            return mrn_owner_fail(&o, "group", "it acts on a group that does not exist",
                                  "an index, or -1 for all");
        MRN_CHECK(mrn_keys_check(&o, &mrn_schema_force, &f[i]));
        MRN_CHECK(check_plane(&o, f[i].per_mass ? "acceleration" : "force", f[i].force));
        if (s->dimension == 2 &&
            !(mrn_signal_is_zero(&f[i].torque[0]) && mrn_signal_is_zero(&f[i].torque[1])))
            return mrn_owner_fail(&o, "torque", "it turns bodies out of the plane of a 2D scene",
                                  "a torque along z alone");
    }
    return MRN_OK;
}

/* ---- regions, inlets, outlets ---- */

static mrn_status check_region(const mrn_owner *o, const char *key, const mrn_region *g,
                               bool bounded)
{
    bool flat = o->scene->dimension == 2;
    if (g->kind == MRN_REGION_BOX) {
        bool ok = g->hi.x > g->lo.x && g->hi.y > g->lo.y && (flat || g->hi.z > g->lo.z);
        if (!ok || (bounded && !(finite3(g->lo) && finite3(g->hi))))
            return mrn_owner_fail(o, key, "its box has no volume, or no end",
                                  "the lower corner first");
        return MRN_OK;
    }
    if (!(g->radius > 0) || !isfinite(g->radius) || !finite3(g->lo))
        return mrn_owner_fail(o, key, "its region has no radius", "a positive number");
    if (g->kind == MRN_REGION_SPHERE)
        return MRN_OK;
    if (g->kind != MRN_REGION_CYLINDER || flat)
        return mrn_owner_fail(o, key, "its region is of no known kind",
                              "box, sphere, and in 3D cylinder");
    if (!finite3(g->hi) || !(mrn_norm(mrn_sub(g->hi, g->lo)) > 0))
        return mrn_owner_fail(o, key, "its cylinder has no length", "ends at different points");
    return MRN_OK;
}

static mrn_status check_inlet(const mrn_scene *s, int group, mrn_message *msg)
{
    const mrn_group *g = &s->group[group];
    mrn_owner o = mrn_owner_of(s, msg, "inlet", g->name, "bodies.%d", group);
    if (g->fixed)
        return mrn_owner_fail(&o, "fixed", "grains that enter cannot be fixed", "fixed: false");
    if (!(g->inlet.end > g->inlet.begin) || g->inlet.limit < 0)
        return mrn_owner_fail(&o, "place.inlet", "its times or its limit are out of order",
                              "0 <= begin < end, limit >= 0");
    MRN_CHECK(check_region(&o, "place.inlet", &g->region, true));
    mrn_owner inlet = mrn_owner_of(s, msg, "inlet", g->name, "bodies.%d.place.inlet", group);
    return mrn_keys_check(&inlet, &mrn_schema_inlet, &g->inlet);
}

static mrn_status check_sources(const mrn_scene *s, mrn_message *msg)
{
    mrn_owner o = mrn_owner_of(s, msg, "the scene", s->title, "%s", "");
    int inlets = 0;
    for (int i = 0; i < s->n_groups; i++)
        if (s->group[i].place == MRN_PLACE_INLET) {
            inlets++;
            MRN_CHECK(check_inlet(s, i, msg));
        }
    if (inlets > MRN_INLET_MAX || s->n_outlets > MRN_OUTLET_MAX)
        return mrn_owner_fail(&o, inlets > MRN_INLET_MAX ? "bodies" : "outlets",
                              "too many inlets or outlets", "at most 16 of each");
    for (int i = 0; i < s->n_outlets; i++) {
        const mrn_outlet *out = &s->outlet[i];
        mrn_owner p = mrn_owner_of(s, msg, "outlet", out->name, "outlets.%d", i);
        if (out->group < -1 || out->group >= s->n_groups)
            return mrn_owner_fail(&p, "group", "it takes from a group that does not exist",
                                  "an index, or -1 for all");
        MRN_CHECK(check_region(&p, NULL, &out->region, false));
    }
    return MRN_OK;
}

/* ---- clusters ---- */

static mrn_status check_cluster(const mrn_scene *s, const mrn_cluster *c, mrn_message *msg)
{
    mrn_owner o = mrn_owner_of(s, msg, "cluster", c->name, "clusters.%s", c->name);
    if (c->n < 1 || c->centre == NULL || c->radius == NULL)
        return mrn_owner_fail(&o, NULL, "it has no spheres", "one made by mrn_cluster_make");
    for (int k = 0; k < 3; k++)
        if ((k == 2 || s->dimension == 3) && !(c->inertia[k] > 0 && isfinite(c->inertia[k])))
            return mrn_owner_fail(&o, NULL, "it has no inertia", "one made by mrn_cluster_make");
    if (!(c->bound > 0) || !isfinite(c->bound))
        return mrn_owner_fail(&o, NULL, "it has no size", "one made by mrn_cluster_make");
    return MRN_OK;
}

static mrn_status check_orientations(const mrn_owner *o, const mrn_group *g)
{
    for (int64_t i = 0; i < g->n_grains && g->grain != NULL; i++) {
        mrn_quat q = g->grain[i].q;
        double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (norm != 0 && !(fabs(norm - 1) < 1e-9))
            return mrn_owner_fail(o, "place", "the orientation of a grain is no unit quaternion",
                                  "length 1, or all 0 for none");
    }
    return MRN_OK;
}

static mrn_status check_clusters(const mrn_scene *s, mrn_message *msg)
{
    for (int i = 0; i < s->n_clusters; i++)
        MRN_CHECK(check_cluster(s, &s->cluster[i], msg));
    for (int i = 0; i < s->n_groups; i++) {
        const mrn_group *g = &s->group[i];
        mrn_owner o = mrn_owner_of(s, msg, "group", g->name, "bodies.%d", i);
        MRN_CHECK(check_orientations(&o, g));
        if (mrn_group_is_cluster(s, g) && (g->cluster < 0 || g->cluster >= s->n_clusters))
            return mrn_owner_fail(&o, "shape.cluster", "it is made of clusters that do not exist",
                                  "an index into clusters");
    }
    return MRN_OK;
}

/* ---- all ---- */

static mrn_status check_stage_motions(const mrn_scene *s, int stage, mrn_message *msg)
{
    const mrn_stage *g = &s->stage[stage];
    for (int i = 0; i < g->n_motions; i++) {
        const char *wall = s->wall[g->motion_wall[i]].name;
        mrn_owner o = mrn_owner_of(s, msg, "the motion of wall", wall, "stages.%d.walls.%s.motion",
                                   stage, wall);
        MRN_CHECK(check_motion(&o, &g->motion[i]));
    }
    return MRN_OK;
}

static mrn_status check_stage(const mrn_scene *s, int stage, mrn_message *msg)
{
    const mrn_stage *g = &s->stage[stage];
    mrn_owner o = mrn_owner_of(s, msg, "stage", g->name, "stages.%d", stage);
    mrn_owner cell =
        mrn_owner_of(s, msg, "the control of the cell in stage", g->name, "stages.%d.cell", stage);
    if (g->has_gravity)
        MRN_CHECK(check_vector(&o, "gravity", g->gravity));
    if (g->has_control)
        MRN_CHECK(check_control(&cell, &g->control));
    if (g->has_forces)
        MRN_CHECK(check_forces(&o, g->force, g->n_forces));
    for (int i = 0; i < g->n_inlets; i++) {
        int k = g->inlet_group[i];
        if (k < 0 || k >= s->n_groups || s->group[k].place != MRN_PLACE_INLET)
            return mrn_owner_fail(&o, "inlets", "it opens or closes what is no inlet",
                                  "a group that is an inlet");
    }
    return check_stage_motions(s, stage, msg);
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
static mrn_status check_wall_in_cell(const mrn_scene *s, int wall, bool strains, mrn_message *msg)
{
    const mrn_wall *w = &s->wall[wall];
    const mrn_shape *shape = &s->shape[w->shape];
    mrn_owner o = mrn_owner_of(s, msg, "wall", w->name, "walls.%d", wall);
    mrn_vec3 lo, hi, n = mrn_rotate(w->q, mrn_v3(0, 0, 1));
    if (shape->type == NULL || shape->type->bounds == NULL)
        return MRN_OK; /* nothing is known of its extent */
    bool plane = shape->type->plane, cuts = false, endless = false;
    const double normal[3] = {n.x, n.y, n.z};
    for (int k = 0; k < 3; k++)
        cuts = cuts || (s->cell.periodic[k] && fabs(normal[k]) > 1e-9);
    if (plane) {
        shape->type->bounds(shape, &lo, &hi);
        endless = !isfinite(lo.x) || !isfinite(hi.x) || !isfinite(lo.y) || !isfinite(hi.y);
    }
    if (endless && cuts)
        return mrn_owner_fail(&o, NULL, "a plane without end that cuts a periodic direction",
                              "a normal across all periodic directions, or a plate with an end");
    if (strains && (!plane || cuts))
        return mrn_owner_fail(
            &o, NULL, "it stands in a periodic cell that strains, which would push grains into it",
            "only planes across directions that are not periodic");
    return MRN_OK;
}

static mrn_status check_walls_in_cell(const mrn_scene *s, mrn_message *msg)
{
    bool any = s->cell.periodic[0] || s->cell.periodic[1] || s->cell.periodic[2];
    bool strains = any && cell_strains(s);
    for (int i = 0; i < s->n_walls && any; i++)
        MRN_CHECK(check_wall_in_cell(s, i, strains, msg));
    return MRN_OK;
}

mrn_status mrn_scene_check_drives(const mrn_scene *s, mrn_message *msg)
{
    mrn_owner whole = mrn_owner_of(s, msg, "gravity", NULL, "%s", "");
    mrn_owner cell = mrn_owner_of(s, msg, "the control of the cell", NULL, "cell");
    MRN_CHECK(check_vector(&whole, "gravity", s->gravity_of));
    MRN_CHECK(check_control(&cell, &s->cell.control));
    MRN_CHECK(check_clusters(s, msg));
    MRN_CHECK(check_sources(s, msg));
    MRN_CHECK(check_forces(&whole, s->force, s->n_forces));
    for (int i = 0; i < s->n_walls; i++) {
        mrn_owner o =
            mrn_owner_of(s, msg, "the motion of wall", s->wall[i].name, "walls.%d.motion", i);
        MRN_CHECK(check_motion(&o, &s->wall[i].motion));
    }
    for (int i = 0; i < s->n_stages; i++)
        MRN_CHECK(check_stage(s, i, msg));
    return check_walls_in_cell(s, msg);
}
