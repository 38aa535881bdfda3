/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After an explosion: from the last good state the run is repeated step by step to the first bad
   step; the grains of the worst contact, and all that touch them, are followed back to where they
   met. The repetition works on copies: the run's own state stays as it ended. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "run/postmortem.h"

/* Overlap over the effective radius that no grain should ever have. */
#define BAD_OVERLAP 0.5
/* Energy out of nothing since the good state, as part of all there is and went through. */
#define BAD_ENERGY 0.1
/* Part of its radius that a grain may travel in a step and still be seen in every contact; with a
   step below this part of the stability limit it is the law that lets it through, not the step. */
#define BAD_TRAVEL    0.2
#define STEP_IS_SHORT 0.1
/* Overlap of grains at rest at the begin that drives them apart. */
#define BAD_START 0.2
/* Longest repetition: a checkpoint may be old. */
#define MOST_STEPS 100000

/* ---- repeating ---- */

typedef bool visit(const mrn_scene *scene, const mrn_state *s, mrn_status status, void *user);

/* From the good state on, to step `to` at most, until `look` says stop (true) or a step fails. It
   is also shown the state at the begin. */
static mrn_status repeat(const mrn_postmortem *p, int64_t to, visit *look, void *user, mrn_state *s,
                         mrn_message *msg)
{
    mrn_engine engine = {0};
    mrn_status status = mrn_state_copy(p->good, s, msg);
    if (status == MRN_OK)
        status = mrn_engine_create(p->scene, s, NULL, &engine, msg);
    bool stop = status == MRN_OK && look(p->scene, s, MRN_OK, user);
    for (int64_t k = 0; status == MRN_OK && !stop && s->step < to && k < MOST_STEPS; k++) {
        status = mrn_engine_step(&engine, 1, msg);
        if (status < 0)
            break;
        stop = look(p->scene, s, status, user);
    }
    mrn_engine_destroy(&engine);
    return status < 0 ? status : MRN_OK;
}

/* ---- the first bad step ---- */

static double turnover(const mrn_energies *e, const mrn_ledger *l)
{
    return e->kinetic + e->rotational + fabs(e->elastic) + fabs(e->dissipated) +
           fabs(l->wall_work) + fabs(l->cell_work) + fabs(l->drive_work) +
           1e-9 * (fabs(e->gravity) + fabs(l->start));
}

static bool find_bad(const mrn_scene *scene, const mrn_state *s, mrn_status status, void *user)
{
    mrn_story *t = user;
    mrn_energies e = mrn_measure_energies(scene, s);
    bool begin = s->step == t->good_step;
    if (begin) {
        t->before = e;
        t->ledger_before = s->ledger;
        t->start_overlap = s->max_overlap;
    }
    double created = e.residual - t->before.residual;
    t->sign = MRN_SIGN_NONE;
    if (!isfinite(e.kinetic + e.rotational) || !isfinite(s->max_overlap))
        t->sign = MRN_SIGN_NOT_FINITE;
    else if (!begin && status == MRN_EXPLODED && scene->method->continuous)
        t->sign = MRN_SIGN_EVENTS;
    else if (!begin && (status == MRN_EXPLODED || s->max_overlap > BAD_OVERLAP))
        t->sign = MRN_SIGN_OVERLAP;
    else if (!begin && created > BAD_ENERGY * turnover(&e, &s->ledger))
        t->sign = MRN_SIGN_ENERGY;
    t->after = e;
    t->ledger_after = s->ledger;
    t->solver = mrn_solving_of(scene, s);
    t->step = s->step;
    t->time = s->time;
    return t->sign != MRN_SIGN_NONE;
}

/* ---- who ---- */

static mrn_vec3 at3(const double *a, int32_t i)
{
    return mrn_load3(a + 3 * (size_t)i);
}

static bool finite_body(const mrn_state *s, int32_t i)
{
    mrn_vec3 x = at3(s->body.x, i), v = at3(s->body.v, i), w = at3(s->body.w, i);
    return isfinite(x.x + x.y + x.z + v.x + v.y + v.z + w.x + w.y + w.z);
}

/* The grain a story is about when it is not the deepest contact's: the first one that is not
   finite, or the one that has most of the energy. -1: the deepest contact decides. */
static int32_t suspect(const mrn_story *t, const mrn_state *s)
{
    int32_t best = -1;
    double most = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (t->sign == MRN_SIGN_NOT_FINITE && !finite_body(s, i) &&
            (best < 0 || s->body.id[i] < s->body.id[best]))
            best = i;
        double v = mrn_norm(at3(s->body.v, i)), e = s->body.mass[i] * v * v;
        if (t->sign == MRN_SIGN_ENERGY && e > most)
            most = e, best = i;
    }
    return best;
}

static double effective_radius(const mrn_state *s, int32_t c, int32_t a)
{
    double rc = s->body.radius[c], ra = s->body.radius[a];
    return a < s->body.n_walls ? rc : rc * ra / (rc + ra);
}

/* The deepest contact, of grain `of` (-1: of all); its index, -1 when there is none. */
static int64_t deepest(const mrn_state *s, const mrn_contacts *n, int32_t of)
{
    int64_t best = -1;
    double most = -INFINITY;
    for (int64_t k = 0; k < n->n; k++) {
        double depth = -n->gap[k] / effective_radius(s, n->c[k], n->a[k]);
        if ((of < 0 || n->c[k] == of || n->a[k] == of) && depth > most)
            most = depth, best = k;
    }
    return best;
}

static void add_witness(mrn_story *t, const mrn_state *s, int32_t i)
{
    for (int k = 0; k < t->n_witnesses; k++)
        if (t->witness[k].id == s->body.id[i])
            return;
    if (i < s->body.n_walls || t->n_witnesses == MRN_WITNESSES)
        return;
    t->witness[t->n_witnesses++] =
        (mrn_witness){.id = s->body.id[i],
                      .group = s->body.group[i],
                      .material = s->body.material[i],
                      .radius = s->body.radius[i],
                      .mass = s->body.mass[i],
                      .fixed = (s->body.flags[i] & MRN_BODY_FIXED) != 0,
                      .member = (s->body.flags[i] & MRN_BODY_MEMBER) != 0,
                      .speed = mrn_norm(at3(s->body.v, i))};
}

static void add_face(mrn_story *t, const mrn_state *s, const mrn_contacts *n, int64_t k)
{
    if (n->a[k] >= s->body.n_walls || t->n_faces == MRN_FACES)
        return;
    mrn_vec3 point = mrn_load3(n->point + 3 * k), arm = mrn_sub(point, at3(s->body.x, n->a[k]));
    t->face[t->n_faces++] = (mrn_suspect){
        .wall = n->a[k],
        .grain = s->body.id[n->c[k]],
        .point = point,
        .normal = mrn_load3(n->normal + 3 * k),
        .velocity = mrn_add(at3(s->body.v, n->a[k]), mrn_cross(at3(s->body.w, n->a[k]), arm))};
}

static bool is_witness(const mrn_story *t, int32_t id)
{
    for (int k = 0; k < t->n_witnesses; k++)
        if (t->witness[k].id == id)
            return true;
    return false;
}

/* The two of the worst contact, then all that touch one of them, then the walls they touch. */
static void name_witnesses(mrn_story *t, const mrn_state *s, const mrn_contacts *n, int64_t worst)
{
    int32_t c = n->c[worst], a = n->a[worst];
    t->wall = a < s->body.n_walls;
    t->grain = s->body.id[c];
    t->other = t->wall ? a : s->body.id[a];
    t->overlap = -n->gap[worst] / effective_radius(s, c, a);
    add_witness(t, s, c);
    add_witness(t, s, a);
    for (int64_t k = 0; k < n->n; k++) {
        bool near = n->c[k] == c || n->a[k] == c || (!t->wall && (n->c[k] == a || n->a[k] == a));
        if (near) {
            add_witness(t, s, n->c[k]);
            add_witness(t, s, n->a[k]);
        }
    }
    for (int64_t k = 0; k < n->n; k++)
        if (is_witness(t, s->body.id[n->c[k]]))
            add_face(t, s, n, k);
}

/* A story without a contact is about one grain. */
static void name_alone(mrn_story *t, const mrn_state *s, int32_t who)
{
    who = who >= 0 ? who : s->body.n_walls;
    t->grain = t->other = s->body.id[who];
    add_witness(t, s, who);
}

static mrn_status find_witnesses(mrn_story *t, const mrn_state *s, int32_t who, mrn_message *msg)
{
    mrn_contacts n = {0};
    if (s->body.n == s->body.n_walls)
        return MRN_OK;
    mrn_status status = mrn_contacts_collect(t->scene, s, 0, &n, msg);
    if (status == MRN_OK) {
        int64_t worst = deepest(s, &n, who);
        worst = worst >= 0 ? worst : deepest(s, &n, -1);
        if (worst >= 0)
            name_witnesses(t, s, &n, worst);
        else
            name_alone(t, s, who);
    }
    mrn_contacts_destroy(&n);
    return status;
}

/* ---- back to where they met ---- */

static mrn_vec3 nearest(const mrn_scene *scene, const mrn_state *s, mrn_vec3 d)
{
    double v[3];
    mrn_store3(v, d);
    for (int k = 2; k >= 0; k--) { /* the upper faces first: they carry the tilt */
        if (!scene->cell.periodic[k] || !(s->cell_size[k] > 0))
            continue;
        double n = round(v[k] / s->cell_size[k]);
        v[k] -= n * s->cell_size[k];
        if (k == 1)
            v[0] -= n * s->cell_tilt[0];
        if (k == 2) {
            v[0] -= n * s->cell_tilt[1];
            v[1] -= n * s->cell_tilt[2];
        }
    }
    return mrn_v3(v[0], v[1], v[2]);
}

/* What the far side of the cell moves by, for an image at distance `shift`. */
static mrn_vec3 image_velocity(const mrn_state *s, mrn_vec3 shift)
{
    const double *g = s->cell_rate;
    return mrn_v3(g[MRN_XX] * shift.x + g[MRN_XY] * shift.y + g[MRN_XZ] * shift.z,
                  g[MRN_YY] * shift.y + g[MRN_YZ] * shift.z, g[MRN_ZZ] * shift.z);
}

static void take_down(mrn_story *t, const mrn_scene *scene, const mrn_state *s)
{
    mrn_vec3 centre = mrn_v3(0, 0, 0);
    for (int k = 0; k < t->n_witnesses; k++) {
        mrn_witness *w = &t->witness[k];
        int32_t i = w->id < s->body.n_ids ? s->body.index_of[w->id] : -1;
        if (i < 0)
            continue;
        mrn_vec3 x = at3(s->body.x, i);
        centre = k == 0 ? x : centre;
        w->x = mrn_add(centre, nearest(scene, s, mrn_sub(x, centre)));
        w->v = mrn_add(at3(s->body.v, i), image_velocity(s, mrn_sub(w->x, x)));
        w->w = at3(s->body.w, i);
    }
    t->begin_step = s->step;
    t->begin_time = s->time;
    t->gravity = mrn_load3(s->gravity);
    t->h = s->h;
}

/* Whether the two of the worst contact are apart. A wall: seen from its tangent plane. */
static bool apart(const mrn_story *t, const mrn_scene *scene, const mrn_state *s)
{
    int32_t c = t->grain < s->body.n_ids ? s->body.index_of[t->grain] : -1;
    if (c < 0)
        return false;
    mrn_vec3 x = at3(s->body.x, c);
    if (t->wall) {
        for (int k = 0; k < t->n_faces; k++) {
            const mrn_suspect *f = &t->face[k];
            mrn_vec3 p = mrn_axpy(s->time - t->time, f->velocity, f->point);
            double d = mrn_dot(f->normal, nearest(scene, s, mrn_sub(x, p)));
            if (f->grain == t->grain && f->wall == t->other)
                return d > s->body.radius[c];
        }
        return false;
    }
    int32_t a = t->other < s->body.n_ids ? s->body.index_of[t->other] : -1;
    if (a < 0)
        return false;
    mrn_vec3 d = nearest(scene, s, mrn_sub(x, at3(s->body.x, a)));
    return mrn_norm(d) > s->body.radius[c] + s->body.radius[a];
}

static bool follow(const mrn_scene *scene, const mrn_state *s, mrn_status status, void *user)
{
    mrn_story *t = user;
    (void)status;
    if (s->step == t->good_step || (s->step < t->step && apart(t, scene, s)))
        take_down(t, scene, s);
    return s->step >= t->step;
}

/* How fast the two of the worst contact came together when the scene begins. */
static double closing_speed(const mrn_story *t)
{
    if (t->n_witnesses == 0)
        return 0;
    const mrn_witness *c = &t->witness[0];
    if (!t->wall && t->n_witnesses > 1) {
        mrn_vec3 n = mrn_unit(mrn_sub(t->witness[1].x, c->x));
        return mrn_dot(n, mrn_sub(c->v, t->witness[1].v));
    }
    for (int k = 0; k < t->n_faces; k++)
        if (t->face[k].grain == t->grain)
            return -mrn_dot(t->face[k].normal, mrn_sub(c->v, t->face[k].velocity));
    return mrn_norm(c->v);
}

/* ---- why ---- */

static mrn_status add_body(const mrn_state *s, int32_t i, mrn_state *to, mrn_message *msg)
{
    mrn_body_def d = mrn_body_default();
    d.x = at3(s->body.x, i);
    d.v = at3(s->body.v, i);
    d.w = at3(s->body.w, i);
    const double *q = s->body.q + 4 * (size_t)i;
    d.q = (mrn_quat){q[0], q[1], q[2], q[3]};
    d.radius = s->body.radius[i];
    d.mass = s->body.mass[i];
    d.inertia = s->body.inertia[i];
    d.shape = s->body.shape[i];
    d.material = s->body.material[i];
    d.group = s->body.group[i];
    d.flags = s->body.flags[i] & (MRN_BODY_WALL | MRN_BODY_FIXED | MRN_BODY_ABSENT);
    return mrn_body_add(to, &d, NULL, msg);
}

/* The stability limit of the witnesses with the walls, at the first bad step. */
static mrn_status local_limit(const mrn_story *t, const mrn_state *s, double *critical,
                              mrn_message *msg)
{
    mrn_state few = {.h = s->h, .time = s->time, .stage = s->stage, .stage_time = s->stage_time};
    memcpy(few.cell_origin, s->cell_origin, sizeof few.cell_origin);
    memcpy(few.cell_size, s->cell_size, sizeof few.cell_size);
    memcpy(few.cell_tilt, s->cell_tilt, sizeof few.cell_tilt);
    mrn_engine engine = {0};
    mrn_status status = MRN_OK;
    for (int32_t w = 0; status == MRN_OK && w < s->body.n_walls; w++)
        status = add_body(s, w, &few, msg);
    for (int k = 0; status == MRN_OK && k < t->n_witnesses; k++) {
        int32_t i = s->body.index_of[t->witness[k].id];
        if (i >= 0)
            status = add_body(s, i, &few, msg);
    }
    if (status == MRN_OK)
        status = mrn_engine_create(t->scene, &few, NULL, &engine, msg);
    if (status == MRN_OK)
        *critical = mrn_engine_step_limit(t->scene, &few).critical;
    mrn_engine_destroy(&engine);
    mrn_state_destroy(&few);
    return status < 0 ? status : MRN_OK;
}

static void name_channel(mrn_story *t)
{
    const mrn_ledger *b = &t->ledger_before, *a = &t->ledger_after;
    const struct {
        const char *name;
        double moved;
    } channel[] = {{"normal damping", a->lost_normal - b->lost_normal},
                   {"friction and tangential damping", a->lost_tangential - b->lost_tangential},
                   {"global and local damping", a->lost_damping - b->lost_damping},
                   {"time scheme", a->lost_scheme - b->lost_scheme},
                   {"walls", a->wall_work - b->wall_work},
                   {"straining cell", a->cell_work - b->cell_work},
                   {"gravity, forces, inlets and outlets", a->drive_work - b->drive_work}};
    double most = fabs(t->after.residual - t->before.residual);
    t->channel = "none of the channels: it is not booked";
    for (size_t k = 0; k < sizeof channel / sizeof channel[0]; k++)
        if (fabs(channel[k].moved) > most)
            most = fabs(channel[k].moved), t->channel = channel[k].name;
}

/* Gravity of the step that was not made. */
static bool finite_gravity(const mrn_story *t)
{
    bool finite = true;
    for (int k = 0; k < 3; k++) {
        const mrn_signal *s = &t->scene->gravity_of[k];
        mrn_instant at = {.t = t->time + t->h, .s = t->time + t->h};
        finite = finite && isfinite(mrn_signal_value(s, at, NULL));
    }
    return finite;
}

static void judge(mrn_story *t)
{
    t->closing = closing_speed(t);
    t->travel = 0;
    for (int k = 0; k < t->n_witnesses; k++)
        t->travel = fmax(t->travel, mrn_norm(t->witness[k].v) * t->h / t->witness[k].radius);
    /* by component: the norm of what is finite may not be */
    mrn_vec3 g = t->gravity;
    if (!isfinite(g.x) || !isfinite(g.y) || !isfinite(g.z) || !finite_gravity(t))
        t->cause = MRN_CAUSE_SIGNAL;
    else if (t->good_step == 0 && t->begin_step == 0 && t->start_overlap > BAD_START)
        t->cause = MRN_CAUSE_START;
    else if (t->scene->method->continuous)
        t->cause = MRN_CAUSE_EVENTS;
    else if (t->h > t->critical)
        t->cause = MRN_CAUSE_STEP;
    else if (t->travel > BAD_TRAVEL &&
             (mrn_rigid_contacts(t->scene) || t->h > STEP_IS_SHORT * t->critical))
        t->cause = MRN_CAUSE_FAST;
    else if (mrn_rigid_contacts(t->scene))
        t->cause = t->solver.unsolved > 0 ? MRN_CAUSE_UNSOLVED : MRN_CAUSE_LEDGER;
    else
        t->cause = t->sign == MRN_SIGN_OVERLAP || t->sign == MRN_SIGN_NONE ? MRN_CAUSE_SOFT
                                                                           : MRN_CAUSE_LEDGER;
    name_channel(t);
}

static bool stop_at(const mrn_scene *scene, const mrn_state *s, mrn_status status, void *user)
{
    (void)scene, (void)status;
    return s->step >= *(int64_t *)user;
}

static mrn_status investigate(const mrn_postmortem *p, mrn_story *t, mrn_message *msg)
{
    mrn_state s = {0};
    mrn_status status = repeat(p, p->bad->step, find_bad, t, &s, msg);
    if (t->sign == MRN_SIGN_NONE && t->scene->method->continuous)
        t->sign = MRN_SIGN_EVENTS; /* farther from the good state than is repeated */
    int32_t who = status == MRN_OK ? suspect(t, &s) : -1;
    if (status == MRN_OK && t->sign == MRN_SIGN_NOT_FINITE && t->step > t->good_step) {
        /* who it was is seen in the bad state, whom he touched in the one before */
        int32_t id = who >= 0 ? s.body.id[who] : -1;
        int64_t before = t->step - 1;
        mrn_state_destroy(&s);
        status = repeat(p, before, stop_at, &before, &s, msg);
        who = status == MRN_OK && id >= 0 && id < s.body.n_ids ? s.body.index_of[id] : -1;
    }
    if (status == MRN_OK)
        status = find_witnesses(t, &s, who, msg);
    t->critical = INFINITY;
    if (status == MRN_OK && t->n_witnesses > 0 && !mrn_rigid_contacts(t->scene))
        status = local_limit(t, &s, &t->critical, msg);
    mrn_state_destroy(&s);
    if (status == MRN_OK)
        status = repeat(p, t->step, follow, t, &s, msg);
    mrn_state_destroy(&s);
    if (status == MRN_OK)
        judge(t);
    return status;
}

mrn_status mrn_postmortem_write(mrn_postmortem *p, mrn_message *msg)
{
    char dir[MRN_RUN_PATH], path[MRN_RUN_PATH];
    mrn_story t = {.scene = p->scene,
                   .good_step = p->good->step,
                   .good_time = p->good->time,
                   .largest_overlap = p->bad->max_overlap};
    mrn_folder_path(p->dir, "postmortem", dir);
    if (strlen(dir) + 32 > sizeof path)
        return mrn_fail(msg, MRN_ERR_RANGE, "the name of the output folder is too long");
    mrn_status status = investigate(p, &t, msg);
    if (status == MRN_OK && mkdir(dir, 0777) != 0 && errno != EEXIST)
        status = mrn_fail(msg, MRN_ERR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
    if (status == MRN_OK)
        status = mrn_story_write_scene(&t, dir, msg);
    if (status == MRN_OK)
        status = mrn_story_write_json(&t, dir, msg);
    if (status == MRN_OK)
        status = mrn_story_write_report(&t, dir, msg);
    mrn_folder_path(dir, "last-good.h5", path);
    if (status == MRN_OK)
        status = mrn_checkpoint_write(path, p->scene, p->good, msg);
    if (status != MRN_OK)
        return status;
    char text[512];
    mrn_story_cause(&t, text, sizeof text);
    mrn_fail(msg, MRN_OK, "%s", text);
    mrn_story_cure(&t, text, sizeof text);
    mrn_fail_hint(msg, "%s", text);
    return MRN_OK;
}
