/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the frames of a viewer come from: a trajectory, which may grow while it is looked at, or a
   run in this process. Of a run frames are kept in memory up to a limit; when it is reached every
   second one is given up and from then on only half as many are taken, so that what is kept always
   spans the whole run evenly. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/parts.h"
#include "store/files.h"
#include "view/view.h"

#define KEPT_BYTES (256.0 * 1024 * 1024)
#define SHORTEST   0.04 /* s between two frames of a run                         */
#define SHARE      120  /* what a frame costs, so many times, passes between two */

/* ---- files ---- */

static bool plain_file(const char *path, struct stat *info)
{
    return lstat(path, info) == 0 && S_ISREG(info->st_mode);
}

bool mrn_view_name(const mrn_viewer *v, const char *name, char out[MRN_VIEW_PATH])
{
    size_t n = strlen(v->dir);
    if (n == 0 || n + strlen(name) + 2 > MRN_VIEW_PATH)
        return false;
    memcpy(out, v->dir, n);
    out[n] = '/';
    memcpy(out + n + 1, name, strlen(name) + 1);
    return true;
}

bool mrn_view_has(const mrn_viewer *v, const char *name)
{
    char path[MRN_VIEW_PATH];
    struct stat info;
    return mrn_view_name(v, name, path) && plain_file(path, &info);
}

static char *read_whole(const char *path, int64_t most)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = NULL;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= most)
        text = mrn_alloc((size_t)info.st_size + 1);
    int64_t got = 0, n = 1;
    while (text != NULL && got < info.st_size && n > 0) {
        n = read(fd, text + got, (size_t)(info.st_size - got));
        got += n > 0 ? n : 0;
    }
    if (text != NULL)
        text[got] = '\0';
    close(fd);
    return text;
}

char *mrn_view_file(const mrn_viewer *v, const char *name, int64_t most)
{
    char path[MRN_VIEW_PATH];
    if (strcmp(name, "modes.json") == 0 && v->modes[0] != '\0')
        return read_whole(v->modes, most);
    return mrn_view_name(v, name, path) ? read_whole(path, most) : NULL;
}

/* ---- stored frames ---- */

static mrn_status open_file(mrn_viewer *v, mrn_message *msg)
{
    struct stat info;
    mrn_trajectory *t = NULL;
    if (lstat(v->file, &info) == 0 && S_ISLNK(info.st_mode)) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s is a link", v->file);
        return mrn_fail_hint(msg, "name the file that it leads to");
    }
    mrn_status st = mrn_trajectory_open(v->file, &t, msg);
    if (st == MRN_OK && v->t == NULL)
        st = mrn_trajectory_header(t, &v->header, msg);
    if (st != MRN_OK) {
        mrn_trajectory_close(&t, NULL);
        return st;
    }
    mrn_trajectory_close(&v->t, NULL);
    v->t = t;
    v->file_size = info.st_size;
    v->file_time = info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    return MRN_OK;
}

static void empty_slots(mrn_viewer *v)
{
    for (int i = 0; i < MRN_VIEW_CACHED; i++) {
        mrn_frame_destroy(&v->slot[i].frame);
        v->slot[i] = (mrn_view_slot){.k = -1};
    }
}

void mrn_view_refresh(mrn_viewer *v)
{
    struct stat info;
    mrn_message msg;
    if (v->live || !plain_file(v->file, &info))
        return;
    int64_t time = info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    if (info.st_size == v->file_size && time == v->file_time)
        return;
    int64_t before = mrn_trajectory_frames(v->t);
    double last = before > 0 ? mrn_trajectory_time(v->t, before - 1) : 0;
    /* a run that writes just now is tried again later */
    if (open_file(v, &msg) != MRN_OK)
        return;
    bool same = before > 0 && mrn_trajectory_frames(v->t) >= before &&
                mrn_trajectory_time(v->t, before - 1) == last;
    if (!same) { /* begun anew */
        v->epoch++;
        empty_slots(v);
        mrn_frame_destroy(&v->first);
        v->has_first = v->has_extent = false;
    }
}

/* The place of frame k, or one to be filled with it. */
static mrn_view_slot *slot_for(mrn_viewer *v, int64_t k)
{
    mrn_view_slot *oldest = &v->slot[0];
    for (int i = 0; i < MRN_VIEW_CACHED; i++) {
        if (v->slot[i].k == k)
            return &v->slot[i];
        if (v->slot[i].used < oldest->used)
            oldest = &v->slot[i];
    }
    return oldest;
}

mrn_status mrn_view_frame(mrn_viewer *v, int64_t k, const mrn_frame **out, mrn_message *msg)
{
    if (k < 0 || k >= mrn_view_frames(v))
        return mrn_fail(msg, MRN_ERR_RANGE, "there is no frame %lld", (long long)k);
    if (v->live) {
        *out = &v->kept[k];
        return MRN_OK;
    }
    mrn_view_slot *s = slot_for(v, k);
    s->used = ++v->uses;
    *out = &s->frame;
    if (s->k == k)
        return MRN_OK;
    mrn_frame_destroy(&s->frame);
    s->k = -1;
    mrn_status st = mrn_trajectory_read(v->t, k, &s->frame, msg);
    if (st == MRN_OK)
        s->k = k;
    return st;
}

const mrn_frame *mrn_view_first(mrn_viewer *v)
{
    if (v->live)
        return v->n_kept > 0 ? &v->kept[0] : NULL;
    if (!v->has_first && mrn_trajectory_frames(v->t) > 0)
        v->has_first = mrn_trajectory_read(v->t, 0, &v->first, NULL) == MRN_OK;
    return v->has_first ? &v->first : NULL;
}

int64_t mrn_view_frames(const mrn_viewer *v)
{
    return v->live ? v->n_kept : mrn_trajectory_frames(v->t);
}

double mrn_view_time(const mrn_viewer *v, int64_t k)
{
    return v->live ? v->kept[k].time : mrn_trajectory_time(v->t, k);
}

/* A run writes its summary at its end, and removes that of an earlier one when it begins. */
bool mrn_view_running(const mrn_viewer *v)
{
    return v->live ||
           (v->dir[0] != '\0' && mrn_view_has(v, "scene.yaml") && !mrn_view_has(v, "summary.json"));
}

/* ---- opening ---- */

static mrn_viewer *make(mrn_message *msg)
{
    mrn_viewer *v = NULL;
    if (mrn_array(&v, 1, sizeof *v, msg) != MRN_OK)
        return NULL;
    pthread_mutex_init(&v->lock, NULL);
    for (int i = 0; i < MRN_VIEW_CACHED; i++)
        v->slot[i].k = -1;
    v->every = 1;
    return v;
}

/* DIR or FILE into file and folder. A trajectory under another name stands alone. */
static mrn_status name_files(mrn_viewer *v, const char *path, mrn_message *msg)
{
    struct stat info;
    size_t n = strlen(path), tail = strlen("/trajectory.h5");
    if (stat(path, &info) != 0)
        return mrn_fail_file(msg, path, "nothing to look at here", errno);
    if (n + tail >= sizeof v->dir)
        return mrn_fail_file(msg, path, "nothing to look at here", ENAMETOOLONG);
    if (S_ISDIR(info.st_mode)) {
        snprintf(v->dir, sizeof v->dir, "%s", path);
        mrn_view_name(v, "trajectory.h5", v->file);
        return MRN_OK;
    }
    snprintf(v->file, sizeof v->file, "%s", path);
    if (strcmp(path, "trajectory.h5") == 0)
        snprintf(v->dir, sizeof v->dir, ".");
    else if (n > tail && strcmp(path + n - tail, "/trajectory.h5") == 0)
        snprintf(v->dir, sizeof v->dir, "%.*s", (int)(n - tail), path);
    return MRN_OK;
}

mrn_status mrn_viewer_open(const char *path, const char *modes, mrn_viewer **out, mrn_message *msg)
{
    struct stat info;
    mrn_viewer *v = make(msg);
    *out = NULL;
    if (v == NULL)
        return MRN_ERR_MEMORY;
    mrn_status st = name_files(v, path, msg);
    if (st == MRN_OK && modes != NULL) {
        snprintf(v->modes, sizeof v->modes, "%s", modes);
        if (!plain_file(modes, &info))
            st = mrn_fail(msg, MRN_ERR_INPUT, "%s is no file of modes", modes);
    }
    if (st == MRN_OK)
        st = open_file(v, msg);
    if (st == MRN_OK && mrn_trajectory_frames(v->t) == 0) {
        st = mrn_fail(msg, MRN_ERR_INPUT, "%s holds no frame yet", v->file);
    }
    if (st != MRN_OK)
        mrn_viewer_close(&v);
    *out = v;
    return st;
}

/* ---- a run in progress ---- */

static double frame_bytes(const mrn_frame *f)
{
    double body = 0;
    for (int i = 0; i < mrn_frame_field_count(); i++)
        body += (double)mrn_frame_field_size(mrn_frame_field_at(i));
    return body * f->n + 200.0 * (double)f->contacts.n;
}

static void thin_out(mrn_viewer *v)
{
    int64_t n = 0;
    v->kept_bytes = 0;
    for (int64_t k = 0; k < v->n_kept; k++) {
        if (k % 2 == 0) {
            v->kept_bytes += frame_bytes(&v->kept[k]);
            v->kept[n++] = v->kept[k];
        } else {
            mrn_frame_destroy(&v->kept[k]);
        }
    }
    v->n_kept = n;
    v->every *= 2;
    v->epoch++;
}

static void keep(mrn_viewer *v, const mrn_scene *scene, const mrn_state *s)
{
    mrn_contacts contacts = {0};
    mrn_frame frame = {0};
    bool made = mrn_contacts_collect(scene, s, 0, &contacts, NULL) == MRN_OK &&
                mrn_frame_from_state(scene, s, &contacts, &frame, NULL) == MRN_OK;
    mrn_contacts_destroy(&contacts);
    if (made && v->n_kept > 2 && v->kept_bytes + frame_bytes(&frame) > KEPT_BYTES)
        thin_out(v);
    if (made && mrn_grow(&v->kept, &v->kept_room, v->n_kept + 1, sizeof *v->kept) == MRN_OK) {
        v->kept_bytes += frame_bytes(&frame);
        v->kept[v->n_kept++] = frame;
    } else {
        mrn_frame_destroy(&frame);
    }
}

void mrn_viewer_publish(mrn_viewer *v, const mrn_scene *scene, const mrn_state *s)
{
    double now = mrn_clock();
    if (!v->live || now - v->last_clock < fmax(SHORTEST, SHARE * v->cost) ||
        pthread_mutex_trylock(&v->lock) != 0)
        return;
    bool later = v->n_kept == 0 || s->time > v->kept[v->n_kept - 1].time;
    if (later && v->offered++ % v->every == 0)
        keep(v, scene, s);
    pthread_mutex_unlock(&v->lock);
    v->last_clock = mrn_clock();
    v->cost = fmax(0.5 * v->cost, v->last_clock - now);
}

mrn_status mrn_viewer_live(const mrn_scene *scene, const mrn_state *s, const char *dir,
                           mrn_viewer **out, mrn_message *msg)
{
    mrn_viewer *v = make(msg);
    *out = NULL;
    if (v == NULL)
        return MRN_ERR_MEMORY;
    v->live = true;
    v->last_clock = -INFINITY;
    if (dir != NULL) {
        snprintf(v->dir, sizeof v->dir, "%s", dir);
        mrn_view_name(v, "trajectory.h5", v->file);
    }
    mrn_status st = mrn_header_from_scene(scene, mrn_outputs_extent(scene, s), &v->header, msg);
    if (st != MRN_OK) {
        mrn_viewer_close(&v);
        return st;
    }
    mrn_viewer_publish(v, scene, s);
    *out = v;
    return MRN_OK;
}

static void drop_kept(mrn_viewer *v)
{
    for (int64_t k = 0; k < v->n_kept; k++)
        mrn_frame_destroy(&v->kept[k]);
    mrn_free(v->kept);
    v->kept = NULL;
    v->n_kept = v->kept_room = 0;
}

mrn_status mrn_viewer_settle(mrn_viewer *v, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    pthread_mutex_lock(&v->lock);
    if (v->live && v->file[0] != '\0') {
        mrn_header header = v->header;
        v->header = (mrn_header){0};
        st = open_file(v, msg);
        if (st == MRN_OK) {
            mrn_header_destroy(&header);
            drop_kept(v);
            v->live = v->has_extent = false;
            v->epoch++;
        } else {
            mrn_header_destroy(&v->header);
            v->header = header;
        }
    }
    pthread_mutex_unlock(&v->lock);
    return st;
}

void mrn_view_release(mrn_viewer *v)
{
    drop_kept(v);
    empty_slots(v);
    mrn_frame_destroy(&v->first);
    mrn_header_destroy(&v->header);
    mrn_trajectory_close(&v->t, NULL);
    pthread_mutex_destroy(&v->lock);
    mrn_free(v);
}
