/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An imported packing as the folder of a run: made beside under another name, then put in place, so
   that an error leaves nothing behind. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "drive/drive.h"
#include "import/import.h"
#include "moraine/engine.h"

#define PATH_ROOM 900

typedef struct maker {
    const mrn_packing *p;
    const mrn_import_options *opt;
    mrn_scene scene;
    mrn_state state;
    mrn_contacts contacts;
    mrn_import_facts *facts;
    mrn_message *msg;
    bool as_law; /* the forces are those that the engine finds by itself */
} maker;

/* ---- the state ---- */

static void set_body(const mrn_packing *p, int32_t k, mrn_bodies *b)
{
    const mrn_import_grain *g = &p->grain[k];
    size_t i = (size_t)(b->n_walls + k);
    mrn_store3(b->x + 3 * i, g->x);
    memcpy(b->image + 3 * i, g->image, sizeof g->image);
    if (!isnan(g->mass) && b->mass[i] > 0) {
        b->inertia[i] *= g->mass / b->mass[i];
        b->mass[i] = g->mass;
    }
}

static void choose_step(maker *m)
{
    const mrn_scene *scene = &m->scene;
    mrn_state *s = &m->state;
    double h = scene->time_step;
    if (!(h > 0))
        h = mrn_engine_step_limit(scene, s).advised;
    if (!(h > 0) || !isfinite(h)) /* nothing can touch */
        h = 1e-3;
    mrn_state_set_step(s, h);
    s->stage_h = h;
}

static mrn_status build_state(maker *m)
{
    mrn_state *s = &m->state;
    const mrn_packing *p = m->p;
    mrn_status st = mrn_world_build(&m->scene, s, m->msg);
    if (st == MRN_OK && s->body.n - s->body.n_walls != p->n)
        st = mrn_fail(m->msg, MRN_ERR_INTERNAL, "the scene has %d grains, the packing %d",
                      (int)(s->body.n - s->body.n_walls), (int)p->n);
    for (int32_t k = 0; st == MRN_OK && k < p->n; k++)
        set_body(p, k, &s->body);
    if (st == MRN_OK)
        st = mrn_scene_enter_stage(&m->scene, 0, m->msg);
    if (st == MRN_OK)
        st = mrn_drive_enter_stage(&m->scene, 0, s);
    if (st != MRN_OK)
        return st;
    for (int k = 0; k < 3; k++) {
        double size = s->cell_size[k == 0 ? 1 : 2];
        s->cell_tilt[k] = p->tilt[k];
        s->drive.sheared[k] = size > 0 ? p->tilt[k] / size : 0;
    }
    mrn_ledger_open(&m->scene, s);
    choose_step(m);
    return MRN_OK;
}

/* Rigid grains have no forces but those of a step: it is made with a copy, whose contact points and
   impulses become those of the state. No grain moves. */
static mrn_status try_step(maker *m)
{
    mrn_state copy = {0}, *s = &m->state;
    mrn_engine engine = {0};
    mrn_status st = mrn_state_copy(s, &copy, m->msg);
    if (st == MRN_OK)
        st = mrn_engine_create(&m->scene, &copy, NULL, &engine, m->msg);
    if (st == MRN_OK)
        st = mrn_engine_step(&engine, 1, m->msg);
    if (st > 0) {
        mrn_import_note(m->facts, "the forces of a first step were not found (%s)",
                        mrn_status_text(st));
        st = MRN_OK;
    } else if (st == MRN_OK) {
        mrn_contacts old = s->contact;
        s->contact = copy.contact;
        s->nonsmooth = copy.nonsmooth;
        copy.contact = old;
    }
    mrn_engine_destroy(&engine);
    mrn_state_destroy(&copy);
    return st;
}

/* Neighbour list and, where grains are elastic, the forces of their overlaps. */
static mrn_status start_engine(maker *m)
{
    mrn_engine engine = {0};
    mrn_status st = mrn_engine_create_still(&m->scene, &m->state, &engine, m->msg);
    if (st == MRN_OK)
        mrn_ledger_open(&m->scene, &m->state);
    mrn_engine_destroy(&engine);
    return st == MRN_OK && mrn_rigid_contacts(&m->scene) ? try_step(m) : st;
}

/* ---- contacts ---- */

/* Grain k of the packing has the persistent number n_walls + k; the list may have moved it. */
static int32_t place_of(const maker *m, int32_t k)
{
    return m->state.body.index_of[m->state.body.n_walls + k];
}

static mrn_status given_contacts(maker *m)
{
    const mrn_packing *p = m->p;
    mrn_contacts *out = &m->contacts;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_SNAPSHOT),
                            .n = p->contact.n};
    mrn_status st = mrn_contacts_make(out, &def, m->msg);
    if (st == MRN_OK)
        mrn_contacts_append(out, &p->contact);
    for (int64_t k = 0; k < out->n; k++) {
        double rc = p->grain[out->c[k]].radius, ra = p->grain[out->a[k]].radius;
        out->c[k] = place_of(m, out->c[k]);
        out->a[k] = place_of(m, out->a[k]);
        mrn_vec3 x = mrn_load3(m->state.body.x + 3 * (size_t)out->c[k]);
        mrn_vec3 branch = mrn_load3(out->branch + 3 * k);
        mrn_store3(out->point + 3 * k, mrn_axpy(-rc / (rc + ra), branch, x));
    }
    return st;
}

/* Total force and moment of each grain, from the contacts of the frame and gravity. */
static void sum_forces(maker *m)
{
    mrn_bodies *b = &m->state.body;
    const mrn_contacts *c = &m->contacts;
    for (int32_t i = 0; i < b->n; i++) {
        double mass = i < b->n_walls ? 0 : b->mass[i];
        mrn_store3(b->f + 3 * (size_t)i, mrn_scale(mass, mrn_load3(m->state.gravity)));
        mrn_store3(b->t + 3 * (size_t)i, mrn_v3(0, 0, 0));
    }
    for (int64_t k = 0; k < c->n; k++) {
        double *fc = b->f + 3 * (size_t)c->c[k], *fa = b->f + 3 * (size_t)c->a[k];
        double *tc = b->t + 3 * (size_t)c->c[k], *ta = b->t + 3 * (size_t)c->a[k];
        mrn_vec3 f = mrn_load3(c->force + 3 * k), branch = mrn_load3(c->branch + 3 * k);
        mrn_vec3 rc = mrn_sub(mrn_load3(c->point + 3 * k), mrn_load3(b->x + 3 * (size_t)c->c[k]));
        mrn_vec3 ra = mrn_add(rc, branch); /* from the centre of A, by the image that touches */
        mrn_store3(fc, mrn_add(mrn_load3(fc), f));
        mrn_store3(fa, mrn_sub(mrn_load3(fa), f));
        mrn_store3(tc, mrn_add(mrn_load3(tc), mrn_cross(rc, f)));
        if (c->a[k] >= b->n_walls)
            mrn_store3(ta, mrn_sub(mrn_load3(ta), mrn_cross(ra, f)));
    }
}

static void tell_contacts(maker *m)
{
    const mrn_contacts *c = &m->contacts;
    const mrn_bodies *b = &m->state.body;
    m->facts->contacts = c->n;
    for (int64_t k = 0; k < c->n; k++) {
        double rc = b->radius[c->c[k]], ra = b->radius[c->a[k]];
        double r = c->a[k] < b->n_walls ? rc : fmin(rc, ra);
        m->facts->max_overlap = fmax(m->facts->max_overlap, -c->gap[k] / r);
        for (int i = 0; i < 3; i++)
            m->facts->forces = m->facts->forces || c->force[3 * k + i] != 0;
    }
}

/* Grains without forces of their own touch also across a gap of the digits of the file. */
static double alert_of(const maker *m)
{
    double r = INFINITY;
    if (m->opt->forces != MRN_IMPORT_EQUILIBRIUM)
        return 0;
    if (!isnan(m->opt->gap))
        return m->opt->gap;
    for (int32_t k = 0; k < m->p->n; k++)
        r = fmin(r, m->p->grain[k].radius);
    return 1e-5 * r;
}

static mrn_status find_contacts(maker *m)
{
    const mrn_packing *p = m->p;
    bool balance = m->opt->forces == MRN_IMPORT_EQUILIBRIUM;
    bool given = p->has_contacts && m->opt->forces != MRN_IMPORT_LAW;
    mrn_status st =
        given ? given_contacts(m)
              : mrn_contacts_collect(&m->scene, &m->state, alert_of(m), &m->contacts, m->msg);
    if (st == MRN_OK && balance)
        st = mrn_import_balance(&m->scene, &m->state, m->opt, &m->contacts, m->facts, m->msg);
    m->as_law = !given && !balance;
    if (st == MRN_OK && !m->as_law)
        sum_forces(m);
    if (st == MRN_OK)
        tell_contacts(m);
    if (st == MRN_OK && given && !p->has_forces && !balance)
        mrn_import_note(m->facts, "the file of contacts has no forces: --forces law takes those of "
                                  "the overlaps, --forces equilibrium such as balance the load");
    return st;
}

/* ---- files ---- */

static double extent_of(const mrn_state *s)
{
    double far = 0;
    for (size_t k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int32_t i = 0; i < s->body.n; i++) {
            lo = fmin(lo, s->body.x[3 * (size_t)i + k] - s->body.radius[i]);
            hi = fmax(hi, s->body.x[3 * (size_t)i + k] + s->body.radius[i]);
        }
        far += (hi - lo) * (hi - lo);
    }
    return far > 0 && isfinite(far) ? sqrt(far) : 1;
}

static mrn_status write_frame(maker *m, const char *dir)
{
    mrn_header header = {0};
    mrn_frame frame = {0};
    mrn_trajectory *t = NULL;
    mrn_status st = mrn_header_from_scene(&m->scene, extent_of(&m->state), &header, m->msg);
    if (st == MRN_OK)
        st = mrn_frame_from_state(&m->scene, &m->state, &m->contacts, &frame, m->msg);
    if (st == MRN_OK)
        st = mrn_trajectory_create(dir, &header, NAN, &t, m->msg);
    if (st == MRN_OK)
        st = mrn_trajectory_append(t, &frame, m->msg);
    mrn_status closed = mrn_trajectory_close(&t, st == MRN_OK ? m->msg : NULL);
    mrn_frame_destroy(&frame);
    mrn_header_destroy(&header);
    return st == MRN_OK ? closed : st;
}

static mrn_status write_ids(maker *m, const char *dir)
{
    char path[1024];
    mrn_atomic_file file = {0};
    snprintf(path, sizeof path, "%.900s/ids.csv", dir);
    mrn_status st = mrn_atomic_open(path, &file, m->msg);
    if (st != MRN_OK)
        return st;
    fputs("id,source-id,source-type\n", file.f);
    for (int32_t k = 0; k < m->p->n; k++)
        fprintf(file.f, "%d,%lld,\"%s\"\n", (int)(m->state.body.n_walls + k),
                (long long)m->p->grain[k].id, m->p->type[m->p->grain[k].type]);
    return mrn_atomic_finish(&file, false, m->msg);
}

static mrn_status fill_folder(maker *m, const char *dir)
{
    char path[1024];
    mrn_status st = mrn_import_scene(m->p, m->opt, dir, &m->scene, m->facts, m->msg);
    if (st == MRN_OK)
        st = build_state(m);
    if (st == MRN_OK)
        st = start_engine(m);
    if (st == MRN_OK)
        st = find_contacts(m);
    if (st == MRN_OK)
        st = write_frame(m, dir);
    if (st == MRN_OK)
        st = write_ids(m, dir);
    snprintf(path, sizeof path, "%.900s/checkpoint.h5", dir);
    if (st == MRN_OK && m->as_law)
        st = mrn_checkpoint_write(path, &m->scene, &m->state, m->msg);
    m->facts->checkpoint = st == MRN_OK && m->as_law;
    return st;
}

/* ---- the folder ---- */

static const char *const files[] = {"summary.json",    "checkpoint.h5", "trajectory.h5",
                                    "trajectory.xdmf", "probes.csv",    "scene.yaml"};

static mrn_status check_folder(const char *dir, bool overwrite, mrn_message *msg)
{
    char path[1200];
    struct stat info;
    if (dir[0] == '\0' || strlen(dir) > PATH_ROOM - 64)
        return mrn_fail(msg, MRN_ERR_INPUT, "the name of the output folder is %s",
                        dir[0] == '\0' ? "empty" : "too long");
    if (stat(dir, &info) == 0 && !S_ISDIR(info.st_mode)) {
        mrn_fail(msg, MRN_ERR_INPUT, "cannot make the folder %s: a file of that name is there",
                 dir);
        return mrn_fail_hint(msg, "choose another folder with --out");
    }
    for (size_t i = 0; i < sizeof files / sizeof *files && !overwrite; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        if (stat(path, &info) != 0)
            continue;
        mrn_fail(msg, MRN_ERR_INPUT, "%s holds an earlier run (%s)", dir, files[i]);
        return mrn_fail_hint(msg, "--force replaces it, --out DIR takes another folder");
    }
    return MRN_OK;
}

/* A new folder beside the one wanted. */
static mrn_status make_inner(const char *out, char *inner, size_t room, mrn_message *msg)
{
    for (int k = 0; k < 100; k++) {
        snprintf(inner, room, "%s.part-%ld-%d", out, (long)getpid(), k);
        if (mkdir(inner, 0777) == 0)
            return MRN_OK;
        if (errno != EEXIST)
            break;
    }
    return mrn_fail_file(msg, out, "cannot make the folder", errno);
}

static mrn_status make_parents(const char *dir, mrn_message *msg)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s", dir);
    for (char *p = path + 1; *p != '\0'; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return mrn_fail_file(msg, path, "cannot make the folder", errno);
        *p = '/';
    }
    return MRN_OK;
}

static void clear(const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    if (d != NULL)
        closedir(d);
    rmdir(dir);
}

/* A folder that is there keeps what else lies in it; what an earlier run left is replaced. */
static mrn_status move_into(const char *from, const char *to, mrn_message *msg)
{
    char path[1200], old[1200];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", to, files[i]);
        unlink(path);
    }
    DIR *d = opendir(from);
    mrn_status st = d != NULL ? MRN_OK : mrn_fail_file(msg, from, "cannot read", errno);
    for (struct dirent *e; st == MRN_OK && d != NULL && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(old, sizeof old, "%s/%.200s", from, e->d_name);
        snprintf(path, sizeof path, "%s/%.200s", to, e->d_name);
        if (rename(old, path) != 0)
            st = mrn_fail_file(msg, path, "cannot write", errno);
    }
    if (d != NULL)
        closedir(d);
    return st;
}

static mrn_status install(const char *from, const char *to, mrn_message *msg)
{
    if (rename(from, to) == 0) /* there is none, or an empty one */
        return MRN_OK;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return mrn_fail_file(msg, to, "cannot make the folder", errno);
    mrn_status st = move_into(from, to, msg);
    clear(from);
    return st;
}

/* Messages speak of the files that the user knows. */
static void rename_place(const maker *m, const char *inner)
{
    mrn_message *msg = m->msg;
    if (msg == NULL || strncmp(msg->file, inner, strlen(inner)) != 0)
        return;
    bool scene = m->opt->scene != NULL && strstr(msg->file, "scene.yaml") != NULL;
    snprintf(msg->file, sizeof msg->file, "%s",
             scene && msg->line > 0 ? m->opt->scene : m->p->file);
    if (!scene)
        msg->line = msg->column = 0;
}

mrn_status mrn_import_write(const mrn_packing *p, const mrn_import_options *opt, const char *dir,
                            mrn_import_facts *facts, mrn_message *msg)
{
    maker m = {.p = p, .opt = opt, .facts = facts, .msg = msg};
    char out[PATH_ROOM], inner[PATH_ROOM + 40];
    *facts = (mrn_import_facts){.unbalanced = NAN};
    mrn_status st = check_folder(dir, opt->overwrite, msg);
    if (st != MRN_OK)
        return st;
    snprintf(out, sizeof out, "%s", dir);
    for (size_t n = strlen(out); n > 1 && out[n - 1] == '/'; n--)
        out[n - 1] = '\0';
    st = make_parents(out, msg);
    if (st == MRN_OK)
        st = make_inner(out, inner, sizeof inner, msg);
    if (st != MRN_OK)
        return st;
    st = fill_folder(&m, inner);
    if (st == MRN_OK)
        st = install(inner, out, msg);
    if (st != MRN_OK) {
        rename_place(&m, inner);
        clear(inner);
    }
    mrn_contacts_destroy(&m.contacts);
    mrn_state_destroy(&m.state);
    mrn_scene_destroy(&m.scene);
    return st;
}
