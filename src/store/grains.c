/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains as a run left them. A checkpoint says what its numbers mean by a header like that of a
   trajectory (names, polytopes) and by the templates of its clusters, so that a packing can be used
   without its scene and the files that scene names.

   /header     as in a trajectory, without walls; attribute periodic: 3 flags
   /clusters   of: template of each group (-1: none); 0000…: name, numbers, centre, radius */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/grains.h"
#include "store/trajectory.h"

void mrn_left_release(mrn_left *x)
{
    mrn_header_destroy(&x->header);
    for (int i = 0; x->cluster != NULL && i < x->n_clusters; i++)
        mrn_cluster_release(&x->cluster[i]);
    mrn_free(x->cluster);
    mrn_free(x->cluster_of);
    mrn_free(x->grain);
    *x = (mrn_left){0};
}

/* ---- the header of a checkpoint ---- */

static bool is_cluster(const mrn_scene *scene, const mrn_group *g)
{
    return g->shape >= 0 && g->shape < scene->n_shapes && scene->shape[g->shape].type != NULL &&
           scene->shape[g->shape].type->kind == MRN_GRAIN_CLUSTER;
}

static void write_header(mrn_h5 *h, const mrn_scene *scene)
{
    /* polytopes stay the scene's: they are only read */
    mrn_header c = {.dimension = scene->dimension,
                    .n_groups = scene->n_groups,
                    .n_materials = scene->n_materials,
                    .n_polytopes = scene->n_polytopes,
                    .polytope = scene->polytope};
    snprintf(c.title, sizeof c.title, "%s", scene->title);
    mrn_h5_room(h, &c.group_name, c.n_groups, MRN_NAME);
    mrn_h5_room(h, &c.material_name, c.n_materials, MRN_NAME);
    for (int i = 0; h->status == MRN_OK && i < c.n_groups; i++)
        memcpy(c.group_name[i], scene->group[i].name, MRN_NAME);
    for (int i = 0; h->status == MRN_OK && i < c.n_materials; i++)
        memcpy(c.material_name[i], scene->material[i].name, MRN_NAME);
    if (h->status == MRN_OK)
        mrn_header_write(h, &c);
    mrn_free(c.group_name);
    mrn_free(c.material_name);
    hid_t g = mrn_h5_enter_group(h, h->file, "header");
    int32_t periodic[3];
    for (int k = 0; k < 3; k++)
        periodic[k] = scene->cell.periodic[k];
    mrn_h5_put(h, g, "periodic", MRN_H5_INT32, 3, periodic);
    mrn_h5_leave(g);
}

static void write_cluster(mrn_h5 *h, hid_t at, int number, const mrn_cluster *c)
{
    char name[32];
    mrn_number_name(number, name);
    hid_t g = mrn_h5_make_group(h, at, name);
    double value[5] = {c->inertia[0], c->inertia[1], c->inertia[2], c->bound, c->error};
    int32_t exact = c->exact;
    mrn_h5_layout centre = mrn_h5_plain(MRN_H5_DOUBLE, c->n, 3),
                  radius = mrn_h5_plain(MRN_H5_DOUBLE, c->n, 1);
    mrn_h5_put_text(h, g, "name", c->name);
    mrn_h5_put(h, g, "values", MRN_H5_DOUBLE, 5, value);
    mrn_h5_put(h, g, "exact", MRN_H5_INT32, 1, &exact);
    mrn_h5_write(h, g, "centre", &centre, c->centre);
    mrn_h5_write(h, g, "radius", &radius, c->radius);
    mrn_h5_leave(g);
}

static void write_clusters(mrn_h5 *h, const mrn_scene *scene)
{
    int32_t *of = NULL;
    hid_t g = mrn_h5_make_group(h, h->file, "clusters");
    mrn_h5_room(h, &of, scene->n_groups, sizeof *of);
    for (int i = 0; h->status == MRN_OK && i < scene->n_groups; i++)
        of[i] = is_cluster(scene, &scene->group[i]) ? scene->group[i].cluster : -1;
    mrn_h5_layout l = mrn_h5_plain(MRN_H5_INT32, scene->n_groups, 1);
    if (h->status == MRN_OK)
        mrn_h5_write(h, g, "of", &l, of);
    for (int i = 0; h->status == MRN_OK && i < scene->n_clusters; i++)
        write_cluster(h, g, i, &scene->cluster[i]);
    int32_t n = scene->n_clusters;
    mrn_h5_put(h, g, "count", MRN_H5_INT32, 1, &n);
    mrn_h5_leave(g);
    mrn_free(of);
}

void mrn_left_write(mrn_h5 *h, const mrn_scene *scene)
{
    write_header(h, scene);
    write_clusters(h, scene);
}

static void read_cluster(mrn_h5 *h, hid_t at, int number, mrn_cluster *c)
{
    char name[32];
    mrn_number_name(number, name);
    hid_t g = mrn_h5_enter_group(h, at, name);
    double value[5] = {0};
    int32_t exact = 0;
    int64_t n = mrn_h5_rows(h, g, "radius", 1);
    if (h->status == MRN_OK && (n < 1 || n > 100000))
        mrn_h5_damaged(h, "cluster %d has %lld spheres", number, (long long)n);
    mrn_h5_room(h, &c->centre, 3 * n, sizeof(double));
    mrn_h5_room(h, &c->radius, n, sizeof(double));
    mrn_h5_layout centre = mrn_h5_plain(MRN_H5_DOUBLE, n, 3),
                  radius = mrn_h5_plain(MRN_H5_DOUBLE, n, 1);
    mrn_h5_get_text(h, g, "name", c->name, sizeof c->name);
    mrn_h5_get(h, g, "values", MRN_H5_DOUBLE, 5, value);
    mrn_h5_get(h, g, "exact", MRN_H5_INT32, 1, &exact);
    mrn_h5_read(h, g, "centre", &centre, c->centre);
    mrn_h5_read(h, g, "radius", &radius, c->radius);
    mrn_h5_leave(g);
    memcpy(c->inertia, value, sizeof c->inertia);
    c->bound = value[3], c->error = value[4], c->exact = exact != 0;
    c->n = h->status == MRN_OK ? (int)n : 0;
    bool sound = c->bound > 0 && isfinite(c->bound) && value[2] > 0 && isfinite(value[2]);
    if (h->status == MRN_OK && !sound)
        mrn_h5_damaged(h, "cluster %d has no size", number);
}

static void read_clusters(mrn_h5 *h, mrn_left *out)
{
    int32_t n = 0;
    hid_t g = mrn_h5_enter_group(h, h->file, "clusters");
    mrn_h5_get(h, g, "count", MRN_H5_INT32, 1, &n);
    if (h->status == MRN_OK && (n < 0 || n > UINT16_MAX))
        mrn_h5_damaged(h, "%d templates of clusters", (int)n);
    mrn_h5_room(h, &out->cluster, n, sizeof *out->cluster);
    out->n_clusters = h->status == MRN_OK ? n : 0;
    for (int i = 0; h->status == MRN_OK && i < n; i++)
        read_cluster(h, g, i, &out->cluster[i]);
    mrn_h5_layout l = mrn_h5_plain(MRN_H5_INT32, out->header.n_groups, 1);
    mrn_h5_room(h, &out->cluster_of, out->header.n_groups, sizeof *out->cluster_of);
    mrn_h5_read(h, g, "of", &l, out->cluster_of);
    for (int i = 0; h->status == MRN_OK && i < out->header.n_groups; i++)
        if (out->cluster_of[i] < -1 || out->cluster_of[i] >= n)
            mrn_h5_damaged(h, "group %d is of a cluster that does not exist", i);
    mrn_h5_leave(g);
}

void mrn_left_read_header(mrn_h5 *h, mrn_left *out)
{
    if (h->status != MRN_OK)
        return;
    if (!mrn_h5_exists(h, h->file, "header")) {
        h->status = mrn_fail(h->msg, MRN_ERR_INPUT,
                             "this checkpoint does not say what its grains are: an earlier "
                             "version wrote it");
        mrn_fail_at(h->msg, h->path, 0, 0);
        mrn_fail_hint(h->msg, "let the run go on for a step (run --resume), or run it again");
        return;
    }
    int32_t periodic[3] = {0};
    mrn_header_read(h, &out->header);
    hid_t g = mrn_h5_enter_group(h, h->file, "header");
    mrn_h5_get(h, g, "periodic", MRN_H5_INT32, 3, periodic);
    mrn_h5_leave(g);
    for (int k = 0; k < 3; k++)
        out->periodic[k] = periodic[k] != 0;
    read_clusters(h, out);
}

/* ---- grains ---- */

/* Where the arrays of a state and of a frame agree. */
typedef struct arrays {
    const double *x, *v, *w, *q, *radius;
    const int32_t *id;
    const uint16_t *group, *material, *flags, *part;
} arrays;

static bool all_finite(const mrn_left_grain *g)
{
    const double v[] = {g->x.x, g->x.y, g->x.z, g->v.x, g->v.y, g->v.z, g->w.x,
                        g->w.y, g->w.z, g->q.w, g->q.x, g->q.y, g->q.z};
    for (size_t k = 0; k < sizeof v / sizeof *v; k++)
        if (!isfinite(v[k]))
            return false;
    return g->radius > 0 && isfinite(g->radius);
}

static bool sound(const mrn_left *x, const mrn_left_grain *g)
{
    bool cluster = (g->flags & MRN_BODY_CLUSTER) != 0;
    return g->group < x->header.n_groups && g->material < x->header.n_materials && all_finite(g) &&
           (!(g->flags & MRN_BODY_POLYTOPE) || g->part < x->header.n_polytopes) &&
           (!cluster || (x->cluster_of != NULL && x->cluster_of[g->group] >= 0));
}

static int by_id(const void *a, const void *b)
{
    int32_t i = ((const mrn_left_grain *)a)->id, j = ((const mrn_left_grain *)b)->id;
    return i < j ? -1 : i > j;
}

static mrn_left_grain grain_at(const arrays *a, int32_t i)
{
    const double *q = a->q + 4 * (size_t)i;
    return (mrn_left_grain){.id = a->id[i],
                            .group = a->group[i],
                            .material = a->material[i],
                            .flags = a->flags[i],
                            .part = a->part != NULL ? a->part[i] : 0,
                            .x = mrn_load3(a->x + 3 * (size_t)i),
                            .v = mrn_load3(a->v + 3 * (size_t)i),
                            .w = mrn_load3(a->w + 3 * (size_t)i),
                            .q = {q[0], q[1], q[2], q[3]},
                            .radius = a->radius[i]};
}

static void collect(mrn_h5 *h, const arrays *a, int32_t first, int32_t n, unsigned leave,
                    mrn_left *out)
{
    mrn_h5_room(h, &out->grain, n - first, sizeof *out->grain);
    for (int32_t i = first; h->status == MRN_OK && i < n; i++) {
        if (a->flags[i] & leave)
            continue;
        out->grain[out->n] = grain_at(a, i);
        if (!sound(out, &out->grain[out->n]))
            mrn_h5_damaged(h, "body %d is not what its header says", (int)i);
        out->n++;
    }
    if (h->status == MRN_OK && out->n > 1)
        qsort(out->grain, (size_t)out->n, sizeof *out->grain, by_id);
}

void mrn_left_collect(mrn_h5 *h, const mrn_bodies *b, mrn_left *out)
{
    const arrays a = {b->x,  b->v,     b->w,        b->q,     b->radius,
                      b->id, b->group, b->material, b->flags, b->part};
    if (h->status == MRN_OK)
        collect(h, &a, b->n_walls, b->n, MRN_BODY_WALL | MRN_BODY_ABSENT | MRN_BODY_MEMBER, out);
}

/* ---- frames ---- */

static mrn_status fail_clusters(const char *path, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "a frame holds the spheres of clusters, not the clusters");
    mrn_fail_at(msg, path, 0, 0);
    mrn_fail_expected(msg, "a checkpoint, where grains are clusters");
    return mrn_fail_hint(msg, "leave out `frame`");
}

static mrn_status take_frame(mrn_trajectory *t, const mrn_frame *f, mrn_left *out, mrn_message *msg)
{
    const arrays a = {f->x,  f->v,     f->w,        f->q,     f->radius,
                      f->id, f->group, f->material, f->flags, f->part};
    for (int32_t i = f->n_walls; i < f->n; i++)
        if (f->flags[i] & MRN_BODY_MEMBER)
            return fail_clusters(out->file, msg);
    out->time = f->time;
    for (int k = 0; k < 3; k++) {
        out->periodic[k] = f->periodic[k];
        out->origin[k] = f->cell_origin[k];
        out->size[k] = f->cell_size[k];
        out->tilt[k] = f->cell_tilt[k];
    }
    mrn_h5_begin(&t->h5, msg);
    collect(&t->h5, &a, f->n_walls, f->n, MRN_BODY_WALL | MRN_BODY_ABSENT, out);
    return mrn_h5_end(&t->h5);
}

static mrn_status read_trajectory(const char *path, const int64_t *frame, mrn_left *out,
                                  mrn_message *msg)
{
    mrn_trajectory *t;
    mrn_frame f = {0};
    mrn_status st = mrn_trajectory_open(path, &t, msg);
    if (st != MRN_OK)
        return st;
    int64_t n = mrn_trajectory_frames(t), k = frame != NULL ? *frame : -1;
    int64_t at = k < 0 ? n + k : k;
    if (at < 0 || at >= n) {
        st = mrn_fail(msg, MRN_ERR_INPUT, "there is no frame %lld", (long long)k);
        mrn_fail_at(msg, path, 0, 0);
        mrn_fail_expected(msg, "0 to %lld, or -1 for the last one", (long long)n - 1);
    }
    if (st == MRN_OK)
        st = mrn_trajectory_header(t, &out->header, msg);
    if (st == MRN_OK)
        st = mrn_trajectory_read(t, at, &f, msg);
    if (st == MRN_OK)
        st = take_frame(t, &f, out, msg);
    mrn_frame_destroy(&f);
    mrn_trajectory_close(&t, st == MRN_OK ? msg : NULL);
    return st;
}

/* ---- whichever it is ---- */

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

bool mrn_left_file(const char *path, bool frame, char *out, size_t size)
{
    if (is_file(path))
        return snprintf(out, size, "%s", path) < (int)size;
    static const char *const names[] = {"checkpoint.h5", "trajectory.h5"};
    for (int k = frame ? 1 : 0; k < 2; k++)
        if (snprintf(out, size, "%s/%s", path, names[k]) < (int)size && is_file(out))
            return true;
    return false;
}

/* Checkpoints begin with a line of text, trajectories with HDF5's own mark. */
static bool is_checkpoint(const char *path)
{
    char begin[18] = "";
    FILE *f = mrn_open_input(path);
    bool is = f != NULL && fread(begin, sizeof begin, 1, f) == 1 &&
              memcmp(begin, "moraine checkpoint", sizeof begin) == 0;
    if (f != NULL)
        fclose(f);
    return is;
}

mrn_status mrn_left_read(const char *path, const int64_t *frame, mrn_left *out, mrn_message *msg)
{
    *out = (mrn_left){0};
    struct stat info;
    if (!mrn_left_file(path, frame != NULL, out->file, sizeof out->file)) {
        mrn_fail(msg, MRN_ERR_INPUT, "no run to start from: %s", path);
        mrn_fail_expected(msg, "%s",
                          stat(path, &info) == 0 ? "a folder with checkpoint.h5 or trajectory.h5"
                                                 : "the folder of a run, or its checkpoint.h5");
        return MRN_ERR_INPUT;
    }
    bool checkpoint = is_checkpoint(out->file);
    mrn_status st;
    if (checkpoint && frame != NULL) {
        st = mrn_fail(msg, MRN_ERR_INPUT, "a checkpoint has no frames");
        mrn_fail_at(msg, out->file, 0, 0);
        mrn_fail_hint(msg, "leave out `frame`, or name trajectory.h5");
    } else {
        st = checkpoint ? mrn_checkpoint_read_grains(out->file, out, msg)
                        : read_trajectory(out->file, frame, out, msg);
    }
    if (st != MRN_OK)
        mrn_left_release(out);
    return st;
}
