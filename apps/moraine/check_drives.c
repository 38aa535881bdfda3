/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine check, continued: what drives a scene, where grains enter and leave, what clusters are.
 */
#include <math.h>
#include <string.h>

#include "check.h"

/* "9.81 m/s2", "sin(t) (m)", "table path.csv, 12 rows". */
mrn_readable mrn_check_signal_text(const mrn_signal *x, const char *unit)
{
    mrn_readable t;
    switch (x->kind) {
    case MRN_SIGNAL_EXPRESSION:
        snprintf(t.s, sizeof t.s, "%.50s (%.8s)", x->text != NULL ? x->text : "expression", unit);
        return t;
    case MRN_SIGNAL_TABLE:
        snprintf(t.s, sizeof t.s, "table %.36s, %d rows", x->text != NULL ? x->text : "",
                 x->n_rows);
        return t;
    default:
        snprintf(t.s, sizeof t.s, "%.6g %.20s", x->constant, unit);
        return t;
    }
}

/* "[0, 0, sin(t)] m" */
static void vector_text(const mrn_signal x[3], int dimension, const char *unit, char *buf,
                        size_t size)
{
    size_t at = 0;
    buf[0] = '\0';
    for (int k = 0; k < dimension && at < size; k++) {
        mrn_readable t = mrn_check_signal_text(&x[k], "");
        if (x[k].kind == MRN_SIGNAL_CONSTANT)
            snprintf(t.s, sizeof t.s, "%.6g", x[k].constant);
        else if (x[k].kind == MRN_SIGNAL_EXPRESSION)
            snprintf(t.s, sizeof t.s, "%.60s", x[k].text != NULL ? x[k].text : "expression");
        at += (size_t)snprintf(buf + at, size - at, "%s%s", k > 0 ? ", " : "[", t.s);
    }
    if (at < size)
        snprintf(buf + at, size - at, "] %s", unit);
}

void mrn_check_gravity_text(const mrn_scene *scene, char *buf, size_t size)
{
    vector_text(scene->gravity_of, scene->dimension, "m/s2", buf, size);
}

void mrn_check_motion_text(const mrn_motion *m, char *buf, size_t size)
{
    static const char *const plain[] = {"-", "steady", "shake"};
    if (m->kind == MRN_MOTION_SERVO)
        snprintf(buf, size, "servo to %s",
                 mrn_check_signal_text(&m->servo_target, m->servo_pressure ? "Pa" : "N").s);
    else if (m->kind == MRN_MOTION_PATH && !mrn_signal_is_zero(&m->angle))
        snprintf(buf, size, "turns by %s", mrn_check_signal_text(&m->angle, "rad").s);
    else if (m->kind == MRN_MOTION_PATH)
        vector_text(m->path, 3, "m", buf, size);
    else
        snprintf(buf, size, "%s", plain[m->kind]);
}

/* "gravity, cell, 2 walls": what a stage brings. */
void mrn_check_changes_text(const mrn_stage *g, char *buf, size_t size)
{
    mrn_readable walls, laws, gone;
    snprintf(walls.s, sizeof walls.s, "%d wall%s", g->n_motions, g->n_motions == 1 ? "" : "s");
    snprintf(gone.s, sizeof gone.s, "%d wall%s removed", g->n_remove, g->n_remove == 1 ? "" : "s");
    snprintf(laws.s, sizeof laws.s, "%d law%s", g->n_interactions,
             g->n_interactions == 1 ? "" : "s");
    const struct {
        bool there;
        const char *text;
    } change[] = {
        {g->has_gravity, "gravity"},
        {g->has_control, "cell"},
        {g->has_forces, g->n_forces > 0 ? "forces" : "no forces"},
        {g->n_inlets > 0, "inlets"},
        {g->has_damping, g->damping.global > 0 || g->damping.local > 0 ? "damping" : "no damping"},
        {g->n_motions > 0, walls.s},
        {g->n_remove > 0, gone.s},
        {g->n_imposed > 0, "hold and drive"},
        {g->n_interactions > 0, laws.s},
        {g->has_output, "output"},
        {g->time_step > 0 || g->time_step_fraction > 0, "time step"},
        {g->has_accuracy, "accuracy"},
    };
    size_t at = 0;
    snprintf(buf, size, "-");
    for (size_t i = 0; i < sizeof change / sizeof *change; i++)
        if (change[i].there && at < size)
            at += (size_t)snprintf(buf + at, size - at, "%s%s", at > 0 ? ", " : "", change[i].text);
}

static const char *group_name(const mrn_scene *scene, int group)
{
    return group < 0 ? "all" : scene->group[group].name;
}

static void show_forces(const mrn_scene *scene)
{
    if (scene->n_forces == 0)
        return;
    mrn_app_table t;
    mrn_check_title("Forces on bodies");
    mrn_app_table_begin(&t, 4, (const char *[]){"name", "on", "force", "torque"});
    for (int i = 0; i < scene->n_forces; i++) {
        const mrn_body_force *f = &scene->force[i];
        char force[256], torque[256];
        vector_text(f->force, scene->dimension, f->per_mass ? "m/s2" : "N", force, sizeof force);
        vector_text(f->torque, 3, "N m", torque, sizeof torque);
        mrn_app_table_row(&t,
                          (const char *[]){f->name, group_name(scene, f->group), force, torque});
    }
    mrn_app_table_print(&t, stdout);
}

static void show_inlets(const mrn_scene *scene)
{
    mrn_app_table t;
    int n = 0;
    mrn_app_table_begin(&t, 5, (const char *[]){"inlet", "rate", ">from", ">until", ">at most"});
    for (int i = 0; i < scene->n_groups; i++) {
        const mrn_group *g = &scene->group[i];
        if (g->place != MRN_PLACE_INLET)
            continue;
        if (n++ == 0)
            mrn_check_title("Inlets");
        mrn_app_table_row(
            &t,
            (const char *[]){
                g->name, mrn_check_signal_text(&g->inlet.rate, g->inlet.by_mass ? "kg/s" : "1/s").s,
                mrn_readable_si(g->inlet.begin, "s").s,
                isfinite(g->inlet.end) ? mrn_readable_si(g->inlet.end, "s").s : "the end",
                g->inlet.limit > 0 ? mrn_readable_count(g->inlet.limit).s : "no limit"});
    }
    mrn_app_table_print(&t, n > 0 ? stdout : NULL);
}

static void region_text(const mrn_outlet *o, char *buf, size_t size)
{
    static const char *const kind[] = {"box", "cylinder", "sphere"};
    snprintf(buf, size, "%s a %s", o->outside ? "outside of" : "in", kind[o->region.kind]);
    const double lo[3] = {o->region.lo.x, o->region.lo.y, o->region.lo.z};
    const double hi[3] = {o->region.hi.x, o->region.hi.y, o->region.hi.z};
    int ends = 0, axis = 0;
    for (int k = 0; o->region.kind == MRN_REGION_BOX && k < 3; k++) {
        ends += isfinite(lo[k]) + isfinite(hi[k]);
        axis = isfinite(lo[k]) || isfinite(hi[k]) ? k : axis;
    }
    if (ends == 1 && !o->outside)
        snprintf(buf, size, "%s %c = %s", isfinite(hi[axis]) ? "below" : "above", 'x' + axis,
                 mrn_readable_si(isfinite(hi[axis]) ? hi[axis] : lo[axis], "m").s);
}

static void show_outlets(const mrn_scene *scene)
{
    if (scene->n_outlets == 0)
        return;
    mrn_app_table t;
    mrn_check_title("Outlets");
    mrn_app_table_begin(&t, 3, (const char *[]){"name", "takes", "where"});
    for (int i = 0; i < scene->n_outlets; i++) {
        const mrn_outlet *o = &scene->outlet[i];
        char where[128];
        region_text(o, where, sizeof where);
        mrn_app_table_row(&t, (const char *[]){o->name, group_name(scene, o->group), where});
    }
    mrn_app_table_print(&t, stdout);
}

static void show_control(const mrn_scene *scene)
{
    static const char *const component[MRN_STRAINS] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const mrn_cell_control *c = &scene->cell.control;
    for (int k = 0; k < MRN_STRAINS; k++) {
        bool stress = c->kind[k] == MRN_CONTROL_STRESS;
        if (stress || !mrn_signal_is_zero(&c->target[k]))
            mrn_check_line("cell control", "%s: %s %s", component[k], stress ? "stress" : "rate",
                           mrn_check_signal_text(&c->target[k], stress ? "Pa" : "1/s").s);
    }
}

void mrn_check_world(const mrn_scene *scene)
{
    static const char *const integrator[] = {"verlet", "euler", "gear"};
    show_control(scene);
    if (scene->integrator != MRN_VERLET)
        mrn_check_line("integrator", "%s", integrator[scene->integrator]);
    if (scene->damping.global > 0 || scene->damping.local > 0)
        mrn_check_line("damping", "global %g 1/s, local %g: not physics", scene->damping.global,
                       scene->damping.local);
}

void mrn_check_clusters(const mrn_scene *scene)
{
    if (scene->n_clusters == 0)
        return;
    mrn_app_table t;
    bool flat = scene->dimension == 2;
    mrn_check_title(flat ? "Clusters, for a disk of equal area of radius 1"
                         : "Clusters, for a sphere of equal volume of radius 1");
    mrn_app_table_begin(&t, 5,
                        (const char *[]){"name", flat ? ">disks" : ">spheres", ">reaches",
                                         "inertia over mass", "mass properties"});
    for (int i = 0; i < scene->n_clusters; i++) {
        const mrn_cluster *c = &scene->cluster[i];
        mrn_readable n, bound, inertia, how;
        snprintf(n.s, sizeof n.s, "%d", c->n);
        snprintf(bound.s, sizeof bound.s, "%.4g", c->bound);
        if (flat)
            snprintf(inertia.s, sizeof inertia.s, "%.4g", c->inertia[2]);
        else
            snprintf(inertia.s, sizeof inertia.s, "%.4g, %.4g, %.4g", c->inertia[0], c->inertia[1],
                     c->inertia[2]);
        if (c->exact)
            snprintf(how.s, sizeof how.s, "exact");
        else
            snprintf(how.s, sizeof how.s, "Monte Carlo, volume to %.2g %%", 100 * c->error);
        mrn_app_table_row(&t, (const char *[]){c->name, n.s, bound.s, inertia.s, how.s});
    }
    mrn_app_table_print(&t, stdout);
}

void mrn_check_drives(const mrn_scene *scene)
{
    show_forces(scene);
    show_inlets(scene);
    show_outlets(scene);
}

/* ---- JSON ---- */

json_t *mrn_check_clusters_json(const mrn_scene *scene)
{
    json_t *list = json_array();
    for (int i = 0; i < scene->n_clusters; i++) {
        const mrn_cluster *c = &scene->cluster[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:f, s:[f, f, f], s:b, s:f}", "name", c->name,
                                        "spheres", c->n, "bound", c->bound, "inertia-over-mass",
                                        c->inertia[0], c->inertia[1], c->inertia[2], "exact",
                                        c->exact, "volume-error", c->error));
    }
    return list;
}

json_t *mrn_check_laws_json(const mrn_scene *scene)
{
    json_t *list = json_array();
    for (int i = 0; i < scene->n_interactions; i++) {
        const mrn_interaction *x = &scene->interaction[i];
        json_t *parts = json_object();
        for (int k = 0; k < MRN_LAW_KINDS; k++)
            if (x->model.part[k] != NULL)
                json_object_set_new(parts, mrn_law_kind_name((mrn_law_kind)k),
                                    json_string(x->model.part[k]->name));
        json_array_append_new(
            list, json_pack("{s:[s, s], s:s, s:o}", "between", scene->material[x->a].name,
                            scene->material[x->b].name, "law", x->model.name, "parts", parts));
    }
    return list;
}
