/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine check: what a scene comes to before it is run. Everything is resolved, the world is made,
   a short trial on a throw-away state tells how long the run will take. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "check.h"
#include "session.h"

typedef struct findings {
    mrn_state s;
    mrn_step_limit limit;
    double build_seconds;
    double seconds_per_step; /* of the trial; NAN: no trial                          */
    int64_t trial_steps;
    double steps;  /* of the whole run at most; NAN: no limit              */
    double frames; /* at most; NAN: no limit                               */
    double frame_bytes;
    double state_bytes;
    double engine_bytes; /* non-smooth engine: contacts, problem, solver; or of a device */
    mrn_impact *impact;  /* per interaction */
} findings;

/* ---- finding out ---- */

/* Longest simulated time of a stage with step h; NAN when only a condition ends it. */
static double duration(const mrn_stage *g, double h)
{
    double d = g->at_most;
    if (g->n_until == 1 && g->until[0].above && strcmp(g->until[0].probe, "time-in-stage") == 0)
        d = fmin(d, g->until[0].value);
    if (g->n_until == 1 && g->until[0].above && strcmp(g->until[0].probe, "steps") == 0)
        d = fmin(d, g->until[0].value * h);
    return isfinite(d) ? d : NAN;
}

static mrn_status trial(mrn_scene *scene, double seconds, findings *f, mrn_message *msg)
{
    mrn_engine engine = {0};
    mrn_status status = mrn_engine_create(scene, &f->s, NULL, &engine, msg);
    double begin = mrn_clock(), now = begin;
    for (int64_t n = 1; status == MRN_OK && now - begin < seconds; n *= 2) {
        double left = seconds - (now - begin);
        double each = f->trial_steps > 0 ? (now - begin) / (double)f->trial_steps : 0;
        int64_t chunk = each > 0 && left / each < (double)n ? (int64_t)(left / each) + 1 : n;
        status = mrn_engine_step(&engine, chunk, msg);
        f->trial_steps += chunk;
        now = mrn_clock();
    }
    f->seconds_per_step = f->trial_steps > 0 ? (now - begin) / (double)f->trial_steps : NAN;
    f->state_bytes = (double)mrn_state_bytes(&f->s);
    f->engine_bytes = (double)mrn_engine_bytes(&engine);
    mrn_engine_destroy(&engine);
    return status;
}

/* Numbers of a frame per body and per contact, as stored: see mrn_frame and mrn_contacts. */
static double frame_bytes(const mrn_scene *scene, const mrn_state *s)
{
    double body = (3 + 3 + 3 + 4 + 3 + 3 + 2) * 8 + 4 * 4 + 3 * 2;
    double contact = (3 + 3 + 1 + 3 + 3) * 8 + 3 * 4;
    /* a settled bed has about three contacts per grain */
    double contacts = scene->output.contacts ? 3.0 * s->body.n : 0;
    return body * s->body.n + contact * contacts;
}

static mrn_status find_out(mrn_scene *scene, double trial_seconds, bool all_threads, findings *f,
                           mrn_message *msg)
{
    double begin = mrn_clock();
    mrn_session_tell_long_work(false);
    mrn_status status = mrn_run_prepare(scene, &f->s, &f->limit, msg);
    mrn_session_clear_long_work();
    f->build_seconds = mrn_clock() - begin;
    f->seconds_per_step = NAN;
    if (status != MRN_OK)
        return status;
    if (!all_threads)
        mrn_threads_set(mrn_run_threads(scene, &f->s));
    double time = 0;
    for (int k = 0; k < scene->n_stages; k++)
        time += duration(&scene->stage[k], f->s.h);
    f->steps = time / f->s.h;
    f->frames = 2 + (scene->output.every > 0 ? floor(time / scene->output.every) : 0);
    f->frame_bytes = frame_bytes(scene, &f->s);
    f->impact = mrn_alloc((size_t)scene->n_interactions * sizeof *f->impact);
    for (int k = 0; f->impact != NULL && k < scene->n_interactions && status == MRN_OK; k++)
        status = mrn_run_impact(scene, &f->s, k, f->limit.speed, &f->impact[k], msg);
    if (status != MRN_OK || f->impact == NULL)
        return status != MRN_OK ? status : mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    /* without inertia a trial would look for an equilibrium first, which is the run itself */
    return !scene->method->physical_time ? MRN_OK : trial(scene, trial_seconds, f, msg);
}

/* ---- telling ---- */

void mrn_check_title(const char *text)
{
    printf("\n%s%s%s\n", mrn_app_style_code(stdout, MRN_BOLD), text,
           mrn_app_style_code(stdout, MRN_PLAIN));
}

static void show_materials(const mrn_scene *scene)
{
    mrn_app_table t;
    mrn_check_title("Materials");
    mrn_app_table_begin(&t, 4, (const char *[]){"name", ">density", ">Young", ">Poisson"});
    for (int i = 0; i < scene->n_materials; i++) {
        const mrn_material *m = &scene->material[i];
        mrn_readable density, poisson, young = mrn_readable_si(m->young, "Pa");
        snprintf(density.s, sizeof density.s, "%g kg/m3", m->density);
        snprintf(poisson.s, sizeof poisson.s, "%g", m->poisson);
        bool elastic = m->young > 0;
        mrn_app_table_row(&t, (const char *[]){m->name, density.s, elastic ? young.s : "-",
                                               elastic ? poisson.s : "-"});
    }
    mrn_app_table_print(&t, stdout);
}

/* "restitution 0.9, friction 0.5": all parameters, defaults included. */
static void list_parameters(const mrn_interaction *x, char *buf, size_t size)
{
    const mrn_param *params[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, params);
    buf[0] = '\0';
    for (int k = 0; k < n; k++) {
        size_t at = strlen(buf);
        const mrn_value *v = &x->value[k];
        if (params[k]->kind == MRN_P_NUMBER && !isnan(v->number))
            snprintf(buf + at, size - at, "%s%s %s", at > 0 ? ", " : "", params[k]->name,
                     mrn_readable_si(v->number, params[k]->unit).s);
        else if (params[k]->kind == MRN_P_CHOICE && params[k]->choices != NULL)
            snprintf(buf + at, size - at, "%s%s %s", at > 0 ? ", " : "", params[k]->name,
                     params[k]->choices[(int)v->number]);
    }
}

static void show_interactions(const mrn_scene *scene)
{
    mrn_app_table t;
    mrn_check_title("Interactions");
    mrn_app_table_begin(&t, 3, (const char *[]){"between", "law", "parameters"});
    for (int i = 0; i < scene->n_interactions; i++) {
        const mrn_interaction *x = &scene->interaction[i];
        char pair[2 * MRN_NAME + 4], values[512];
        snprintf(pair, sizeof pair, "%s, %s", scene->material[x->a].name,
                 scene->material[x->b].name);
        list_parameters(x, values, sizeof values);
        mrn_app_table_row(&t, (const char *[]){pair, x->model.name, values});
    }
    mrn_app_table_print(&t, stdout);
}

static void show_walls(const mrn_scene *scene)
{
    if (scene->n_walls == 0)
        return;
    mrn_app_table t;
    mrn_check_title("Walls");
    mrn_app_table_begin(&t, 4, (const char *[]){"name", "shape", "material", "motion"});
    for (int i = 0; i < scene->n_walls; i++) {
        const mrn_wall *w = &scene->wall[i];
        char motion[256];
        mrn_check_motion_text(&w->motion, motion, sizeof motion);
        mrn_app_table_row(&t, (const char *[]){w->name, scene->shape[w->shape].type->name,
                                               scene->material[w->material].name, motion});
    }
    mrn_app_table_print(&t, stdout);
}

typedef struct group_sums {
    int64_t n;
    double lo, hi, mass;
} group_sums;

static group_sums sum_group(const mrn_state *s, int g)
{
    group_sums r = {.lo = INFINITY, .hi = 0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (s->body.group[i] != g || (s->body.flags[i] & MRN_BODY_MEMBER))
            continue; /* a cluster counts, not its spheres */
        r.n++;
        r.lo = fmin(r.lo, s->body.radius[i]);
        r.hi = fmax(r.hi, s->body.radius[i]);
        r.mass += s->body.mass[i];
    }
    return r;
}

static void show_bodies(const mrn_scene *scene, const mrn_state *s)
{
    mrn_app_table t;
    mrn_check_title("Bodies");
    mrn_app_table_begin(
        &t, 6, (const char *[]){"group", "material", "shape", ">made", ">diameter", ">mass"});
    for (int g = 0; g < scene->n_groups; g++) {
        group_sums r = sum_group(s, g);
        mrn_readable lo = mrn_readable_si(2 * r.lo, "m"), hi = mrn_readable_si(2 * r.hi, "m"), size,
                     mass;
        if (r.hi - r.lo > 1e-9 * r.hi)
            snprintf(size.s, sizeof size.s, "%.28s … %.28s", lo.s, hi.s);
        else
            size = hi;
        snprintf(mass.s, sizeof mass.s, "%.4g kg", r.mass);
        mrn_app_table_row(&t, (const char *[]){scene->group[g].name,
                                               scene->material[scene->group[g].material].name,
                                               scene->shape[scene->group[g].shape].type->name,
                                               mrn_readable_count(r.n).s, r.n > 0 ? size.s : "-",
                                               mass.s});
    }
    mrn_app_table_print(&t, stdout);
}

static void stage_end(const mrn_stage *g, char *buf, size_t size)
{
    buf[0] = '\0';
    for (int i = 0; i < g->n_until; i++) {
        size_t at = strlen(buf);
        snprintf(buf + at, size - at, "%s%s %s %g", at > 0 ? " and " : "", g->until[i].probe,
                 g->until[i].above ? ">=" : "<=", g->until[i].value);
    }
}

static void show_stages(const mrn_scene *scene)
{
    mrn_app_table t;
    mrn_check_title("Stages");
    mrn_app_table_begin(&t, 4, (const char *[]){"name", ">at most", "until", "changes"});
    for (int k = 0; k < scene->n_stages; k++) {
        const mrn_stage *g = &scene->stage[k];
        char until[512], changes[256];
        stage_end(g, until, sizeof until);
        mrn_check_changes_text(g, changes, sizeof changes);
        mrn_app_table_row(
            &t, (const char *[]){
                    g->name, isfinite(g->at_most) ? mrn_readable_si(g->at_most, "s").s : "no limit",
                    until[0] != '\0' ? until : "its time is over", changes});
    }
    mrn_app_table_print(&t, stdout);
}

void mrn_check_line(const char *name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    printf("  %-14s", name);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
}

/* Without a stability limit the step is a matter of how far grains fall and go in it. */
static void show_free_step(const mrn_scene *scene, const findings *f)
{
    mrn_check_line("in use", "%s%s; rigid grains have no stability limit",
                   mrn_readable_si(f->s.h, "s").s, scene->time_step > 0 ? " (given)" : "");
    mrn_check_line("advised", "%s: %s", mrn_readable_si(f->limit.advised, "s").s, f->limit.reason);
}

static void show_line(void *user, const mrn_report_item *item)
{
    (void)user;
    if (item->kind == MRN_REPORT_LINE)
        mrn_check_line(item->key, "%s", item->text);
}

/* What the method has to say of its choices. */
static void show_method(const mrn_scene *scene, const findings *f)
{
    const mrn_report_sink to = {show_line, NULL};
    if (scene->method->choices == NULL)
        return;
    mrn_check_title(scene->method->choices_title);
    scene->method->choices(scene, &f->s, &to);
}

/* What the accuracy costs and gives, beside the others. */
static void show_accuracy(const mrn_scene *scene)
{
    const mrn_accuracy_level *in_use = mrn_accuracy_of(scene->accuracy);
    if (scene->time_step > 0 || scene->time_step_fraction > 0) {
        mrn_check_line("accuracy", "the step is given%s",
                       scene->time_step > 0 ? "" : " as a part of the critical one");
        return;
    }
    mrn_app_table t;
    mrn_app_table_begin(&t, 5,
                        (const char *[]){"accuracy", ">of 2 sqrt(m/k)", ">time",
                                         ">error of restitution", ">energy unexplained"});
    for (mrn_accuracy a = 0; a < MRN_ACCURACIES; a++) {
        const mrn_accuracy_level *l = mrn_accuracy_of(a);
        char name[32], part[32], cost[32], error[32], lacks[32];
        snprintf(name, sizeof name, "%s%s", l->name, l == in_use ? " (in use)" : "");
        snprintf(part, sizeof part, "%g", l->fraction);
        snprintf(cost, sizeof cost, "%.3g", in_use->fraction / l->fraction);
        snprintf(error, sizeof error, "%g", l->restitution);
        snprintf(lacks, sizeof lacks, "%g %%", 100 * l->unexplained);
        mrn_app_table_row(&t, (const char *[]){name, part, cost, error, lacks});
    }
    mrn_app_table_print(&t, stdout);
}

static void show_smooth_step(const mrn_scene *scene, const findings *f)
{
    mrn_check_line("in use", "%s%s, %.2g of the stability limit", mrn_readable_si(f->s.h, "s").s,
                   scene->time_step > 0 ? " (given)" : "", f->s.h / f->limit.critical);
    mrn_check_line("stable below", "%s: %s", mrn_readable_si(f->limit.critical, "s").s,
                   f->limit.reason);
    mrn_check_line("advised", "%s", mrn_readable_si(f->limit.advised, "s").s);
    if (isfinite(f->limit.contact_time))
        mrn_check_line("contact lasts", "%s at %s: %.0f steps",
                       mrn_readable_si(f->limit.contact_time, "s").s,
                       mrn_readable_si(f->limit.speed, "m/s").s, f->limit.contact_time / f->s.h);
    if (isfinite(f->limit.rayleigh))
        mrn_check_line("Rayleigh time", "%s", mrn_readable_si(f->limit.rayleigh, "s").s);
    show_accuracy(scene);
}

static void show_step(const mrn_scene *scene, const findings *f)
{
    mrn_check_title("Time step");
    if (!scene->method->physical_time)
        mrn_check_line("increments", "of %s each: %s", mrn_readable_si(f->s.h, "s").s,
                       f->limit.reason);
    else if (!isfinite(f->limit.critical))
        show_free_step(scene, f);
    else
        show_smooth_step(scene, f);
    if (scene->time_step > f->limit.advised) /* a choice, where nothing becomes unstable */
        mrn_check_line(isfinite(f->limit.critical) ? "warning" : "note",
                       "the given step is above the advised one");
}

static void show_impacts(const mrn_scene *scene, const findings *f)
{
    mrn_app_table t;
    int tried = 0;
    mrn_app_table_begin(&t, 6,
                        (const char *[]){"between", ">speed", ">restitution", ">asked for",
                                         ">contact", ">overlap"});
    for (int k = 0; k < scene->n_interactions; k++) {
        const mrn_interaction *x = &scene->interaction[k];
        char pair[2 * MRN_NAME + 4];
        mrn_readable e, asked, overlap;
        const mrn_impact *i = &f->impact[k];
        if (!i->tried)
            continue;
        tried++;
        snprintf(pair, sizeof pair, "%s, %s", scene->material[x->a].name,
                 scene->material[x->b].name);
        snprintf(e.s, sizeof e.s, "%.4g", i->restitution);
        snprintf(asked.s, sizeof asked.s, "%.4g", i->asked);
        snprintf(overlap.s, sizeof overlap.s, "%.2g %%", 100 * i->overlap);
        mrn_app_table_row(&t, (const char *[]){pair, mrn_readable_si(i->speed, "m/s").s, e.s,
                                               isfinite(i->asked) ? asked.s : "-",
                                               mrn_readable_si(i->contact_time, "s").s, overlap.s});
    }
    if (tried > 0)
        mrn_check_title("Impacts of the lightest grains, as integrated");
    mrn_app_table_print(&t, tried > 0 ? stdout : NULL);
    for (int k = 0; k < scene->n_interactions; k++)
        if (f->impact[k].tried && f->impact[k].overlap > MRN_SOFT_CONTACT)
            mrn_check_line("warning",
                           "%s and %s overlap by %.0f %% of the effective radius at %s: use a "
                           "stiffer law, or softer loads",
                           scene->material[scene->interaction[k].a].name,
                           scene->material[scene->interaction[k].b].name,
                           100 * f->impact[k].overlap,
                           mrn_readable_si(f->impact[k].speed, "m/s").s);
}

static void show_estimates(const mrn_scene *scene, const findings *f)
{
    mrn_check_title("Estimates");
    double grains = f->s.body.n - f->s.body.n_walls;
    if (isfinite(f->steps))
        mrn_check_line("steps", "%s at most", mrn_readable_count((int64_t)f->steps).s);
    else
        mrn_check_line("steps", "unknown: a stage has no time limit (give it at-most)");
    mrn_check_line("memory", "%s for the state now (%.0f bytes per grain)",
                   mrn_app_bytes(f->state_bytes).s, grains > 0 ? f->state_bytes / grains : 0);
    if (f->engine_bytes > 0 && scene->device != MRN_DEVICE_CPU)
        mrn_check_line("", "%s on the device (%.0f bytes per grain)",
                       mrn_app_bytes(f->engine_bytes).s, grains > 0 ? f->engine_bytes / grains : 0);
    else if (f->engine_bytes > 0)
        mrn_check_line("", "%s for the contact problem and its solver (%.0f bytes per point)",
                       mrn_app_bytes(f->engine_bytes).s,
                       f->s.contact.n > 0 ? f->engine_bytes / (double)f->s.contact.n : 0);
    if (isfinite(f->frames))
        mrn_check_line("disk", "%s at most: %.0f frames of %s before compression",
                       mrn_app_bytes(f->frames * f->frame_bytes).s, f->frames,
                       mrn_app_bytes(f->frame_bytes).s);
    if (isnan(f->seconds_per_step))
        return;
    mrn_check_line(
        "speed", "%s per step, %.3g million body-steps/s with %d thread%s (trial of %s steps)",
        mrn_readable_si(f->seconds_per_step, "s").s, 1e-6 * grains / f->seconds_per_step,
        mrn_threads(), mrn_threads() == 1 ? "" : "s", mrn_readable_count(f->trial_steps).s);
    if (isfinite(f->steps))
        mrn_check_line(
            "time", "%s at the speed of the first steps; once grains touch, each step takes longer",
            mrn_app_duration(f->steps * f->seconds_per_step).s);
}

static void show(const char *path, const mrn_scene *scene, const findings *f)
{
    printf("%s%s%s: the scene is good%s%s\n", mrn_app_style_code(stdout, MRN_GREEN), path,
           mrn_app_style_code(stdout, MRN_PLAIN), scene->title[0] != '\0' ? ": " : "",
           scene->title);
    mrn_check_title("World");
    mrn_check_line("dimension", "%d", scene->dimension);
    char gravity[256];
    mrn_check_gravity_text(scene, gravity, sizeof gravity);
    mrn_check_line("gravity", "%s", gravity);
    for (int k = 0; k < 3; k++) {
        if (scene->cell.periodic[k])
            mrn_check_line("periodic", "in %c, %s", 'x' + k,
                           mrn_readable_si(scene->cell.size[k], "m").s);
    }
    mrn_check_world(scene);
    show_materials(scene);
    show_interactions(scene);
    show_walls(scene);
    mrn_check_clusters(scene);
    show_bodies(scene, &f->s);
    mrn_check_drives(scene);
    show_stages(scene);
    show_step(scene, f);
    show_method(scene, f);
    show_impacts(scene, f);
    show_estimates(scene, f);
}

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *groups_json(const mrn_scene *scene, const mrn_state *s)
{
    json_t *list = json_array();
    for (int g = 0; g < scene->n_groups; g++) {
        group_sums r = sum_group(s, g);
        json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:o, s:o, s:o}", "name",
                                              scene->group[g].name, "material",
                                              scene->material[scene->group[g].material].name,
                                              "count", (json_int_t)r.n, "radius-min", number(r.lo),
                                              "radius-max", number(r.hi), "mass", number(r.mass)));
    }
    return list;
}

static json_t *impacts_json(const mrn_scene *scene, const findings *f)
{
    json_t *list = json_array();
    for (int k = 0; k < scene->n_interactions; k++) {
        const mrn_interaction *x = &scene->interaction[k];
        const mrn_impact *i = &f->impact[k];
        if (i->tried)
            json_array_append_new(
                list, json_pack("{s:[s, s], s:o, s:o, s:o, s:o, s:o}", "between",
                                scene->material[x->a].name, scene->material[x->b].name, "speed",
                                number(i->speed), "restitution", number(i->restitution), "asked",
                                number(i->asked), "contact-time", number(i->contact_time),
                                "overlap", number(i->overlap)));
    }
    return list;
}

static json_t *step_json(const mrn_scene *scene, const findings *f)
{
    const mrn_step_limit *l = &f->limit;
    return json_pack("{s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:s}", "seconds", number(f->s.h), "given",
                     scene->time_step > 0, "accuracy", mrn_accuracy_of(scene->accuracy)->name,
                     "critical", number(l->critical), "advised", number(l->advised), "rayleigh",
                     number(l->rayleigh), "contact-time", number(l->contact_time), "reason",
                     l->reason);
}

static json_t *estimate_json(const findings *f)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "steps", number(f->steps),
                     "seconds-per-step", number(f->seconds_per_step), "seconds",
                     number(f->steps * f->seconds_per_step), "state-bytes", number(f->state_bytes),
                     "engine-bytes", number(f->engine_bytes), "disk-bytes",
                     number(f->frames * f->frame_bytes));
}

static json_t *findings_json(const char *path, const mrn_scene *scene, const findings *f)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "status",
                          "ok", "scene", path, "title", scene->title, "method", scene->method->name,
                          "dimension", scene->dimension, "walls", scene->n_walls, "laws",
                          mrn_check_laws_json(scene), "clusters", mrn_check_clusters_json(scene),
                          "groups", groups_json(scene, &f->s), "time-step", step_json(scene, f),
                          "impacts", impacts_json(scene, f), "estimate", estimate_json(f));
    char *report = mrn_run_report(scene, &f->s);
    json_t *sections = report != NULL ? json_loads(report, 0, NULL) : NULL;
    json_object_update(o, sections);
    json_decref(sections);
    mrn_free(report);
    return o;
}

static int check(const char *path, const mrn_app_list *set, double trial_seconds, bool all_threads,
                 bool json)
{
    mrn_message msg = {0};
    mrn_scene scene = {0};
    if (mrn_scene_read(path, set->item, set->n, &scene, &msg) != MRN_OK)
        return mrn_session_fail(&msg, json);
    findings f = {0};
    mrn_status status = find_out(&scene, trial_seconds, all_threads, &f, &msg);
    int code = MRN_EXIT_OK;
    if (status != MRN_OK) {
        code = mrn_session_fail(&msg, json);
        code = status == MRN_TOO_STIFF ? MRN_EXIT_USAGE : code;
    } else if (json) {
        code = mrn_app_json(findings_json(path, &scene, &f));
    } else {
        show(path, &scene, &f);
    }
    mrn_free(f.impact);
    mrn_state_destroy(&f.s);
    mrn_scene_destroy(&scene);
    return code;
}

static void show_value(void *context, const char *path, const char *value, bool usual)
{
    (void)context;
    printf("%-32s %s%s\n", path, value, usual ? "   (default)" : "");
}

/* The values in force, without a trial. */
static int show_values(const char *path, const mrn_app_list *set)
{
    mrn_message msg = {0};
    mrn_scene scene = {0};
    if (mrn_scene_read(path, set->item, set->n, &scene, &msg) != MRN_OK)
        return mrn_session_fail(&msg, false);
    mrn_scene_values(&scene, show_value, NULL);
    mrn_scene_destroy(&scene);
    return MRN_EXIT_OK;
}

int mrn_cmd_check(int argc, char **argv)
{
    const mrn_app_page page = {.usage = "check SCENE [options]",
                               .doc = "Reads and checks the scene, makes its bodies, chooses the "
                                      "time step and steps a throw-away copy for a\n"
                                      "second to estimate the time. Writes nothing. Exit code 2 "
                                      "and a message with file, line and\n"
                                      "column when something is wrong.",
                               .examples = "moraine check settle.yaml\nmoraine check settle.yaml "
                                           "--set bodies.beads.count=1000000"};
    mrn_app_list set = {0};
    int64_t threads = 0;
    double seconds = 1;
    bool json = false, values = false;
    const char *path = NULL, *device = NULL;
    char word[64];
    const mrn_app_option options[] = {
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &set,
         .arg = "PATH=VALUE",
         .doc = "Change the scene before it is checked; may be given many times."},
        {.name = "device",
         .kind = MRN_OPT_CHOICE,
         .target = &device,
         .arg = "NAME",
         .choices = mrn_app_devices,
         .n_choices = MRN_APP_DEVICES,
         .doc = "What makes the steps of method smooth: cpu, cuda or emulated."},
        {.name = "values",
         .kind = MRN_OPT_FLAG,
         .target = &values,
         .doc = "List the values in force, defaults too, by the paths that --set takes; no trial."},
        {.name = "trial",
         .kind = MRN_OPT_NUMBER,
         .target = &seconds,
         .arg = "SECONDS",
         .min = 0,
         .max = 3600,
         .doc = "Length of the trial by the clock; 0: none. Default 1."},
        {.name = "threads",
         .letter = 't',
         .kind = MRN_OPT_INTEGER,
         .target = &threads,
         .arg = "N",
         .min = 1,
         .max = MRN_THREADS_MOST,
         .doc = "Threads of the trial; else as a run would use."},
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &json, .doc = "Print JSON."},
    };
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof options[0], argc, argv,
                                &path, 1, &n);
    if (code >= 0)
        return code;
    if (n == 0)
        return mrn_app_usage("check", "which scene? Name its file");
    if (device != NULL && set.n < MRN_APP_LIST_MAX) {
        snprintf(word, sizeof word, "device=%s", device);
        set.item[set.n++] = word;
    }
    if (threads > 0)
        mrn_threads_set((int)threads);
    return values ? show_values(path, &set) : check(path, &set, seconds, threads > 0, json);
}
