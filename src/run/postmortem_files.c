/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a post-mortem: a report to read, the same as JSON, and a scene that repeats it with
   no more grains than it takes. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/json.h"
#include "run/postmortem.h"

/* ---- in words ---- */

/* "grains 3 and 17", "grain 3 and wall 'floor'" */
static void name_pair(const mrn_story *t, char *buf, size_t size)
{
    if (t->wall)
        snprintf(buf, size, "grain %d and wall '%s'", (int)t->grain, t->scene->wall[t->other].name);
    else if (t->grain != t->other)
        snprintf(buf, size, "grains %d and %d", (int)t->grain, (int)t->other);
    else
        snprintf(buf, size, "grain %d", (int)t->grain);
}

void mrn_story_sign(const mrn_story *t, char *buf, size_t size)
{
    char pair[160];
    name_pair(t, pair, sizeof pair);
    switch (t->sign) {
    case MRN_SIGN_NOT_FINITE:
        snprintf(buf, size, "a number of %s is not finite", pair);
        return;
    case MRN_SIGN_OVERLAP:
        snprintf(buf, size, "%s overlap by %.0f %% of their effective radius", pair,
                 100 * t->overlap);
        return;
    case MRN_SIGN_ENERGY:
        snprintf(buf, size, "%.3g J came out of nothing; %s move most",
                 t->after.residual - t->before.residual, pair);
        return;
    case MRN_SIGN_EVENTS:
        snprintf(buf, size, "%s collide%s without time going on", pair,
                 t->wall || t->grain != t->other ? "" : "s");
        return;
    case MRN_SIGN_NONE:
        break;
    }
    snprintf(buf, size, "the worst contact is that of %s, %.0f %% of the effective radius", pair,
             100 * t->overlap);
}

void mrn_story_cause(const mrn_story *t, char *buf, size_t size)
{
    switch (t->cause) {
    case MRN_CAUSE_STEP:
        snprintf(buf, size, "the time step %.3g s is above the %.3g s that these contacts can bear",
                 t->h, t->critical);
        return;
    case MRN_CAUSE_FAST:
        snprintf(buf, size, "a grain travels %.0f %% of its radius in one time step of %.3g s",
                 100 * t->travel, t->h);
        return;
    case MRN_CAUSE_START:
        snprintf(buf, size, "grains overlapped by %.0f %% of the effective radius at the start",
                 100 * t->start_overlap);
        return;
    case MRN_CAUSE_SOFT:
        snprintf(buf, size,
                 "grains come together at %.3g m/s, too fast or too heavily loaded for a law so "
                 "soft",
                 t->closing);
        return;
    case MRN_CAUSE_UNSOLVED:
        snprintf(buf, size,
                 "%.0f contact problems were not solved before, the worst to a residual of %.2g",
                 t->solver.unsolved, t->solver.worst);
        return;
    case MRN_CAUSE_SIGNAL:
        snprintf(buf, size, "gravity is not a finite number");
        return;
    case MRN_CAUSE_EVENTS:
        snprintf(buf, size,
                 "hard spheres collide more often than time has room for, or come closer than it "
                 "is rounded");
        return;
    case MRN_CAUSE_LEDGER:
        break;
    }
    if (mrn_rigid_contacts(t->scene)) {
        snprintf(buf, size,
                 "neither speed nor an unsolved step explains it: a drive, a joint or the place of "
                 "a grain may ask for what cannot be");
        return;
    }
    snprintf(
        buf, size,
        "energy appears although the step is short enough: a law or a drive does not book what "
        "it puts in");
}

void mrn_story_cure(const mrn_story *t, char *buf, size_t size)
{
    /* the energy of an impact goes with the overlap to the 5/2 in Hertz's law, to the square in a
       linear one */
    double softer = pow(fmax(t->overlap, 0.5) / 0.1, 2.5);
    switch (t->cause) {
    case MRN_CAUSE_STEP:
        snprintf(buf, size, "use a time step of at most %.2g s, or leave it out",
                 0.5 * t->critical);
        return;
    case MRN_CAUSE_FAST:
        snprintf(
            buf, size,
            "look for what makes it so fast (a drive, a wall, grains placed in overlap), or use "
            "a time step of %.2g s",
            0.02 * t->h / t->travel);
        return;
    case MRN_CAUSE_START:
        snprintf(buf, size, "place the grains apart: use 'fill', or check positions and radii");
        return;
    case MRN_CAUSE_SOFT:
        snprintf(buf, size,
                 "make the grains about %.0f times stiffer (the time step shrinks by the root), or "
                 "the load and speeds smaller",
                 fmin(softer, 1e6));
        return;
    case MRN_CAUSE_UNSOLVED:
        snprintf(buf, size,
                 "give the solver more iterations, another solver, or a step halved when it fails "
                 "(%s)",
                 t->solver.cure);
        return;
    case MRN_CAUSE_SIGNAL:
        snprintf(buf, size,
                 "its expression has no value from then on: end the stage before, or hold it with "
                 "min, max or step");
        return;
    case MRN_CAUSE_EVENTS:
        snprintf(buf, size,
                 "give a collapse-time under event:, or a larger one; let coordinates and times "
                 "begin near 0");
        return;
    case MRN_CAUSE_LEDGER:
        break;
    }
    if (mrn_rigid_contacts(t->scene)) {
        snprintf(buf, size,
                 "look at drives, joints and loads at this instant; halve the time step");
        return;
    }
    snprintf(buf, size,
             "halve the time step; if the residual stays, please report it with the scene "
             "of the post-mortem");
}

/* ---- report.txt ---- */

static void report_grains(const mrn_story *t, FILE *f)
{
    fprintf(f, "\nGrains that took part (speeds at the first bad step)\n");
    fprintf(f, "  %8s  %-16s %-16s %12s %12s %12s\n", "id", "group", "material", "radius [m]",
            "mass [kg]", "speed [m/s]");
    for (int k = 0; k < t->n_witnesses; k++) {
        const mrn_witness *w = &t->witness[k];
        fprintf(f, "  %8d  %-16.16s %-16.16s %12.5g %12.5g %12.5g%s%s\n", (int)w->id,
                t->scene->group[w->group].name, t->scene->material[w->material].name, w->radius,
                w->mass, w->speed, w->fixed ? "  fixed" : "", w->member ? "  of a cluster" : "");
    }
    for (int k = 0; k < t->n_faces; k++)
        fprintf(f, "  grain %d touches wall '%s' at [%.6g, %.6g, %.6g] m\n", (int)t->face[k].grain,
                t->scene->wall[t->face[k].wall].name, t->face[k].point.x, t->face[k].point.y,
                t->face[k].point.z);
}

static void report_energy(const mrn_story *t, FILE *f)
{
    const mrn_energies *b = &t->before, *a = &t->after;
    const mrn_ledger *m = &t->ledger_before, *l = &t->ledger_after;
    const struct {
        const char *name;
        double before, after;
    } row[] = {{"kinetic", b->kinetic, a->kinetic},
               {"rotational", b->rotational, a->rotational},
               {"elastic", b->elastic, a->elastic},
               {"gravity", b->gravity, a->gravity},
               {"lost: normal damping", m->lost_normal, l->lost_normal},
               {"lost: friction, tangential", m->lost_tangential, l->lost_tangential},
               {"lost: global, local damping", m->lost_damping, l->lost_damping},
               {"lost: time scheme", m->lost_scheme, l->lost_scheme},
               {"put in: walls", m->wall_work, l->wall_work},
               {"put in: straining cell", m->cell_work, l->cell_work},
               {"put in: gravity, forces, inlets", m->drive_work, l->drive_work},
               {"residual: out of nothing", b->residual, a->residual}};
    fprintf(f, "\nEnergy [J]%40s %14s %14s\n", "last good", "first bad", "change");
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++)
        fprintf(f, "  %-34s %13.6g %14.6g %14.3g\n", row[k].name, row[k].before, row[k].after,
                row[k].after - row[k].before);
    fprintf(f, "  what moved most: %s\n", t->channel);
}

static void report(const mrn_story *t, FILE *f)
{
    char text[512];
    fprintf(f, "Post-mortem\n\n");
    mrn_story_sign(t, text, sizeof text);
    fprintf(f, "  first bad step  %" PRId64 " (t = %.9g s): %s\n", t->step, t->time, text);
    mrn_story_cause(t, text, sizeof text);
    fprintf(f, "  likely cause    %s\n", text);
    mrn_story_cure(t, text, sizeof text);
    fprintf(f, "  cure            %s\n", text);
    fprintf(f, "\n  last good state step %" PRId64 " (t = %.9g s), kept as last-good.h5\n",
            t->good_step, t->good_time);
    if (isfinite(t->critical))
        fprintf(f, "  time step       %.6g s; these grains are stable below %.6g s: %.2g of it\n",
                t->h, t->critical, t->h / t->critical);
    else
        fprintf(f, "  time step       %.6g s; %.0f of %.0f contact problems not solved\n", t->h,
                t->solver.unsolved, t->solver.solves);
    fprintf(f, "  approach        %.6g m/s at step %" PRId64 ", where scene.yaml begins\n",
            t->closing, t->begin_step);
    fprintf(f, "  travel          %.2g of a radius per step, of the fastest of them\n", t->travel);
    report_grains(t, f);
    report_energy(t, f);
    fprintf(f,
            "\nscene.yaml holds these grains alone, as they were at step %" PRId64 ":\n"
            "  moraine run scene.yaml --out again\n",
            t->begin_step);
    if (t->h > t->critical)
        fprintf(f, "It is refused with the same reason: its step is above the stability limit.\n");
}

/* ---- writing ---- */

static mrn_status commit(mrn_atomic_file *file, const char *path, mrn_message *msg)
{
    if (!ferror(file->f))
        return mrn_atomic_commit(file, msg);
    mrn_atomic_abandon(file);
    return mrn_fail(msg, MRN_ERR_IO, "cannot write %s: %s", path, strerror(errno));
}

static mrn_status write_with(void (*write)(const mrn_story *, FILE *), const mrn_story *t,
                             const char *dir, const char *name, mrn_message *msg)
{
    char path[MRN_RUN_PATH];
    mrn_folder_path(dir, name, path);
    mrn_atomic_file file;
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    write(t, file.f);
    return commit(&file, path, msg);
}

mrn_status mrn_story_write_report(const mrn_story *t, const char *dir, mrn_message *msg)
{
    return write_with(report, t, dir, "report.txt", msg);
}

/* ---- report.json ---- */

static json_t *vector(mrn_vec3 v)
{
    json_t *a = json_array();
    json_array_append_new(a, mrn_json_number(v.x));
    json_array_append_new(a, mrn_json_number(v.y));
    json_array_append_new(a, mrn_json_number(v.z));
    return a;
}

static json_t *grains_json(const mrn_story *t)
{
    json_t *list = json_array();
    for (int k = 0; k < t->n_witnesses; k++) {
        const mrn_witness *w = &t->witness[k];
        json_t *o = json_object();
        mrn_json_put(o, "id", json_integer(w->id));
        mrn_json_put(o, "group", json_string(t->scene->group[w->group].name));
        mrn_json_put(o, "material", json_string(t->scene->material[w->material].name));
        mrn_json_put_number(o, "radius", w->radius);
        mrn_json_put_number(o, "mass", w->mass);
        mrn_json_put_number(o, "speed", w->speed);
        mrn_json_put(o, "position", vector(w->x));
        mrn_json_put(o, "velocity", vector(w->v));
        mrn_json_put(o, "spin", vector(w->w));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *ledger_json(const mrn_energies *e, const mrn_ledger *l)
{
    json_t *o = json_object();
    mrn_json_put_energies(o, e);
    mrn_json_put_ledger(o, l);
    mrn_json_put_number(o, "residual", e->residual);
    return o;
}

static void write_json(const mrn_story *t, FILE *f)
{
    static const char *const signs[] = {"not-finite", "overlap", "energy", "events", "none"};
    static const char *const causes[] = {"time-step", "fast",   "start",  "soft",
                                         "unsolved",  "signal", "events", "ledger"};
    char text[512];
    json_t *o = json_object();
    mrn_json_put(o, "step", json_integer(t->step));
    mrn_json_put_number(o, "time", t->time);
    mrn_json_put(o, "sign", json_string(signs[t->sign]));
    mrn_json_put(o, "cause", json_string(causes[t->cause]));
    mrn_story_cause(t, text, sizeof text);
    mrn_json_put(o, "cause-text", json_string(text));
    mrn_story_cure(t, text, sizeof text);
    mrn_json_put(o, "cure", json_string(text));
    mrn_json_put(o, "grain", json_integer(t->grain));
    mrn_json_put(o, t->wall ? "wall" : "other",
                 t->wall ? json_string(t->scene->wall[t->other].name) : json_integer(t->other));
    mrn_json_put_number(o, "overlap", t->overlap);
    mrn_json_put_number(o, "closing-speed", t->closing);
    mrn_json_put_number(o, "time-step", t->h);
    mrn_json_put_number(o, "critical", t->critical);
    mrn_json_put_number(o, "travel", t->travel);
    mrn_json_put(o, "last-good-step", json_integer(t->good_step));
    mrn_json_put(o, "scene-begins-at-step", json_integer(t->begin_step));
    mrn_json_put(o, "grains", grains_json(t));
    mrn_json_put(o, "before", ledger_json(&t->before, &t->ledger_before));
    mrn_json_put(o, "after", ledger_json(&t->after, &t->ledger_after));
    mrn_json_put(o, "channel", json_string(t->channel));
    json_dumpf(o, f, JSON_INDENT(2));
    fputc('\n', f);
    json_decref(o);
}

mrn_status mrn_story_write_json(const mrn_story *t, const char *dir, mrn_message *msg)
{
    return write_with(write_json, t, dir, "report.json", msg);
}

/* ---- scene.yaml ---- */

static void yaml_vector(FILE *f, const mrn_story *t, const char *key, mrn_vec3 v)
{
    fprintf(f, "%s: [%.17g, %.17g", key, v.x, v.y);
    if (t->scene->dimension == 3)
        fprintf(f, ", %.17g", v.z);
    fputc(']', f);
}

/* Text between quotes, so that no name is taken for a number. */
static void yaml_text(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\')
            fputc('\\', f);
        fputc(*s, f);
    }
    fputc('"', f);
}

static bool concerns(const mrn_story *t, int material)
{
    for (int k = 0; k < t->n_witnesses; k++)
        if (t->witness[k].material == material)
            return true;
    for (int k = 0; k < t->n_faces; k++)
        if (t->scene->wall[t->face[k].wall].material == material)
            return true;
    return false;
}

static void yaml_materials(const mrn_story *t, FILE *f)
{
    fprintf(f, "materials:\n");
    for (int i = 0; i < t->scene->n_materials; i++) {
        const mrn_material *m = &t->scene->material[i];
        if (!concerns(t, i))
            continue;
        fprintf(f, "  %s: {density: %.17g", m->name, m->density);
        if (m->young > 0)
            fprintf(f, ", young: %.17g, poisson: %.17g", m->young, m->poisson);
        fprintf(f, "}\n");
    }
}

static void yaml_law(const mrn_interaction *x, FILE *f)
{
    if (mrn_law_model_find(x->model.name) != NULL) {
        fprintf(f, "law: %s", x->model.name);
        return;
    }
    fprintf(f, "law: {");
    for (int k = 0, n = 0; k < MRN_LAW_KINDS; k++)
        if (x->model.part[k] != NULL)
            fprintf(f, "%s%s: %s", n++ > 0 ? ", " : "", mrn_law_kind_name((mrn_law_kind)k),
                    x->model.part[k]->name);
    fputc('}', f);
}

static void yaml_value(const mrn_param *p, const mrn_value *v, FILE *f)
{
    if (!v->given)
        return;
    if (p->kind == MRN_P_NUMBER && isfinite(v->number))
        fprintf(f, ", %s: %.17g", p->name, v->number);
    else if (p->kind == MRN_P_FLAG)
        fprintf(f, ", %s: %s", p->name, v->flag ? "true" : "false");
    else if (p->kind == MRN_P_CHOICE && p->choices != NULL)
        fprintf(f, ", %s: %s", p->name, p->choices[(int)v->number]);
}

static void yaml_interactions(const mrn_story *t, FILE *f)
{
    fprintf(f, "interactions:\n");
    for (int i = 0; i < t->scene->n_interactions; i++) {
        const mrn_interaction *x = &t->scene->interaction[i];
        const mrn_param *param[MRN_PARAM_MAX];
        int n = mrn_law_model_params(&x->model, param);
        if (!concerns(t, x->a) || !concerns(t, x->b))
            continue;
        fprintf(f, "  - {between: [%s, %s], ", t->scene->material[x->a].name,
                t->scene->material[x->b].name);
        yaml_law(x, f);
        for (int k = 0; k < n; k++)
            yaml_value(param[k], &x->value[k], f);
        fprintf(f, "}\n");
    }
}

/* Witnesses are round: spheres of clusters too. */
static const char *round_name(const mrn_scene *scene, int g)
{
    const mrn_shape_type *t = scene->shape[scene->group[g].shape].type;
    bool round = strcmp(t->name, "sphere") == 0 || strcmp(t->name, "disk") == 0;
    return round ? t->name : scene->dimension == 2 ? "disk" : "sphere";
}

static void yaml_group(const mrn_story *t, int g, bool fixed, FILE *f)
{
    bool any = false;
    for (int k = 0; k < t->n_witnesses; k++) {
        const mrn_witness *w = &t->witness[k];
        if (w->group != g || w->fixed != fixed)
            continue;
        if (!any) {
            fprintf(f, "  - name: %s%s\n    material: %s\n%s", t->scene->group[g].name,
                    fixed ? "-fixed" : "", t->scene->material[w->material].name,
                    fixed ? "    fixed: true\n" : "");
            fprintf(f, "    shape: {%s: {}}\n    place:\n      list:\n", round_name(t->scene, g));
        }
        any = true;
        fprintf(f, "        - {");
        yaml_vector(f, t, "position", w->x);
        yaml_vector(f, t, ", velocity", w->v);
        if (t->scene->dimension == 2)
            fprintf(f, ", spin: %.17g", w->w.z);
        else
            yaml_vector(f, t, ", spin", w->w);
        fprintf(f, ", radius: %.17g} # %d\n", w->radius, (int)w->id);
    }
}

/* Planes where the walls were touched, moving as the wall does there. */
static void yaml_walls(const mrn_story *t, FILE *f)
{
    for (int k = 0; k < t->n_faces; k++) {
        const mrn_suspect *w = &t->face[k];
        mrn_vec3 p = mrn_axpy(t->begin_time - t->time, w->velocity, w->point);
        fprintf(f, "%s  - {name: face-%d, material: %s, plane: {", k == 0 ? "walls:\n" : "", k + 1,
                t->scene->material[t->scene->wall[w->wall].material].name);
        yaml_vector(f, t, "point", p);
        yaml_vector(f, t, ", normal", w->normal);
        fputc('}', f);
        if (mrn_norm(w->velocity) > 0) {
            yaml_vector(f, t, ", motion: {velocity", w->velocity);
            fputc('}', f);
        }
        fprintf(f, "} # of '%s'\n", t->scene->wall[w->wall].name);
    }
}

static void write_scene(const mrn_story *t, FILE *f)
{
    static const char *const integrator[] = {"verlet", "euler", "gear"};
    const mrn_scene *s = t->scene;
    char title[320], text[512];
    mrn_story_cause(t, text, sizeof text);
    fprintf(f, "# Only the grains of the first bad step, from where they met: %s.\n", text);
    snprintf(title, sizeof title, "Post-mortem of %.250s",
             s->title[0] != '\0' ? s->title : "a run");
    fprintf(f, "moraine: 1\ntitle: ");
    yaml_text(f, title);
    fprintf(f, "\ndimension: %d\n", s->dimension);
    const mrn_method *m = mrn_method_family(mrn_method_of(s)); /* what moves by forces */
    if (m != mrn_method_at(0))
        fprintf(f, "method: %s\n", m->name);
    if (s->polytopes)
        fprintf(f, "# Polygons and polyhedra stand here as disks and spheres of equal volume.\n");
    yaml_materials(t, f);
    yaml_interactions(t, f);
    fprintf(f, "bodies:\n");
    for (int g = 0; g < s->n_groups; g++) {
        yaml_group(t, g, false, f);
        yaml_group(t, g, true, f);
    }
    yaml_walls(t, f);
    yaml_vector(f, t, "gravity", t->gravity);
    fprintf(f, "\ntime-step: %.17g\n", t->h);
    if (s->integrator != MRN_VERLET)
        fprintf(f, "integrator: %s\n", integrator[s->integrator]);
    int64_t steps = t->step - t->begin_step;
    fprintf(f, "stages: [{name: again, until: {steps: %" PRId64 "}}]\n", steps + steps / 5 + 20);
    fprintf(f, "output: {every: %.6g}\n", fmax(1, (double)(steps / 50)) * t->h);
}

mrn_status mrn_story_write_scene(const mrn_story *t, const char *dir, mrn_message *msg)
{
    return write_with(write_scene, t, dir, "scene.yaml", msg);
}
