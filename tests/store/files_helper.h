/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the tests of frames, trajectories, checkpoints and exports: a folder that comes and
   goes, a small scene made by hand, frames filled with numbers that depend on everything. */
#ifndef MRN_TESTS_STORE_FILES_HELPER_H
#define MRN_TESTS_STORE_FILES_HELPER_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "moraine/io.h"

/* Set after fork: a failure then ends the child instead of jumping back into the tests. */
static bool in_child;

static inline void ok(mrn_status s, const mrn_message *msg)
{
    if (s == MRN_OK)
        return;
    if (in_child)
        _exit(9);
    char text[4096];
    mrn_message_format(msg, text, sizeof text);
    fail_msg("%s", text);
}

/* ---- folders and files ---- */

static char test_dir[64];

static inline const char *in_dir(const char *name)
{
    static char path[4][512];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, 512, "%s/%s", test_dir, name);
    return p;
}

static inline int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

static inline int make_dir(void **state)
{
    (void)state;
    strcpy(test_dir, "/tmp/moraine-XXXXXX");
    return mkdtemp(test_dir) != NULL ? 0 : -1;
}

static inline int remove_dir(void **state)
{
    (void)state;
    return nftw(test_dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, f), *size);
    text[*size] = '\0';
    fclose(f);
    return text;
}

static inline void spill(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* No unfinished file may be left in a folder. */
static inline void no_parts(const char *path)
{
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (strlen(e->d_name) > 5 && strcmp(e->d_name + strlen(e->d_name) - 5, ".part") == 0)
            fail_msg("%s was left behind", e->d_name);
    closedir(d);
}

/* ---- a header: a square and a triangle as walls, two groups ---- */

static inline mrn_header sample_cast(int dimension)
{
    mrn_header c = {.dimension = dimension, .n_walls = 2, .n_groups = 2, .n_materials = 1};
    strcpy(c.title, "Two walls & some \"grains\"");
    c.wall_name = mrn_alloc(2 * MRN_NAME);
    c.group_name = mrn_alloc(2 * MRN_NAME);
    c.material_name = mrn_alloc(MRN_NAME);
    c.wall = mrn_alloc(2 * sizeof *c.wall);
    strcpy(c.wall_name[0], "floor");
    strcpy(c.wall_name[1], "gate");
    strcpy(c.group_name[0], "sand");
    strcpy(c.group_name[1], "stones, large");
    strcpy(c.material_name[0], "glass");
    static const double square[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    static const int32_t corner[6] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 2; i++) {
        c.wall[i] =
            (mrn_triangles){4 - i, 2 - i, mrn_alloc(sizeof square), mrn_alloc(sizeof corner)};
        memcpy(c.wall[i].point, square, (size_t)(4 - i) * 24);
        memcpy(c.wall[i].corner, corner, (size_t)(2 - i) * 12);
    }
    return c;
}

/* ---- frames ---- */

static inline double *fill_doubles(size_t n, double seed)
{
    double *v = mrn_alloc(n * sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < n; i++)
        v[i] = sin(seed + 0.7 * (double)i) / 3;
    return v;
}

/* Frame number k of a run with two walls (the second one moves) and n_grains; ids in shuffled
 * order. */
static inline mrn_frame sample_frame(int k, int n_grains, int n_contacts)
{
    int32_t n = n_grains + 2;
    size_t m = (size_t)n;
    mrn_frame f = {.time = 0.1 * k, .step = 100 * k, .n = n, .n_walls = 2};
    f.periodic[0] = true;
    f.cell_origin[0] = -0.5;
    f.cell_size[0] = 1 + 1e-3 * k;
    f.cell_tilt[1] = 0.1 * k; /* of no effect here: only one direction is periodic */
    double *field[6];
    for (int i = 0; i < 6; i++)
        field[i] = fill_doubles((i == 3 ? 4 : 3) * m, k + 0.1 * i);
    f.x = field[0], f.v = field[1], f.w = field[2], f.q = field[3], f.f = field[4], f.t = field[5];
    f.radius = fill_doubles(m, 1);
    f.mass = fill_doubles(m, 2);
    f.id = mrn_alloc(m * 4);
    f.image = mrn_alloc(m * 12);
    f.material = mrn_alloc(m * 2);
    f.group = mrn_alloc(m * 2);
    f.flags = mrn_alloc(m * 2);
    f.parent = mrn_alloc(m * 4);
    for (int32_t i = 0; i < n; i++) {
        bool wall = i < 2;
        f.parent[i] = wall || i % 3 ? -1 : 5 * i;
        f.radius[i] = wall ? 0 : 0.01 + 0.001 * (i % 7);
        f.mass[i] = wall ? 0 : 1e-3 * (1 + i);
        f.id[i] = wall ? i : 2 + (i - 2 + k) % n_grains;
        f.image[3 * i] = i % 5 - 2;
        f.group[i] = (uint16_t)(wall ? i : f.id[i] % 2);
        f.flags[i] = wall ? MRN_BODY_WALL : 0;
    }
    /* the floor stands still, the gate rises and turns */
    for (int i = 0; i < 2; i++) {
        memcpy(f.x + 3 * i, (double[3]){0, 0, i * 0.05 * k}, 24);
        memcpy(f.q + 4 * i, (double[4]){cos(i * 0.1 * k), 0, 0, sin(i * 0.1 * k)}, 32);
    }
    mrn_contacts *c = &f.contacts;
    if (n_contacts > 0) {
        size_t nc = (size_t)n_contacts;
        *c = (mrn_contacts){.n = n_contacts, .capacity = n_contacts};
        c->c = mrn_alloc(nc * 4), c->a = mrn_alloc(nc * 4), c->feature = mrn_alloc(nc * 8);
        c->point = fill_doubles(3 * nc, k), c->normal = fill_doubles(3 * nc, k + 1);
        c->force = fill_doubles(3 * nc, k + 2), c->branch = fill_doubles(3 * nc, k + 3);
        c->gap = fill_doubles(nc, k + 4);
        for (int i = 0; i < n_contacts; i++) {
            c->c[i] = 2 + i % n_grains;
            c->a[i] = i % n;
            c->feature[i] = i % 3;
        }
    }
    return f;
}

#define SAME(a, b, n, width)                                                                       \
    assert_memory_equal((a), (b), (size_t)(n) * (size_t)(width) * sizeof *(a))

static inline void same_frame(const mrn_frame *a, const mrn_frame *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->n_walls, b->n_walls);
    assert_true(a->time == b->time && a->step == b->step);
    SAME(a->x, b->x, a->n, 3), SAME(a->v, b->v, a->n, 3), SAME(a->w, b->w, a->n, 3);
    SAME(a->q, b->q, a->n, 4), SAME(a->f, b->f, a->n, 3), SAME(a->t, b->t, a->n, 3);
    SAME(a->radius, b->radius, a->n, 1), SAME(a->mass, b->mass, a->n, 1);
    SAME(a->id, b->id, a->n, 1), SAME(a->image, b->image, a->n, 3);
    SAME(a->material, b->material, a->n, 1), SAME(a->group, b->group, a->n, 1);
    SAME(a->flags, b->flags, a->n, 1), SAME(a->parent, b->parent, a->n, 1);
    assert_memory_equal(a->periodic, b->periodic, sizeof a->periodic);
    assert_memory_equal(a->cell_origin, b->cell_origin, sizeof a->cell_origin);
    assert_memory_equal(a->cell_size, b->cell_size, sizeof a->cell_size);
    assert_memory_equal(a->cell_tilt, b->cell_tilt, sizeof a->cell_tilt);
    const mrn_contacts *c = &a->contacts, *d = &b->contacts;
    assert_int_equal(c->n, d->n);
    if (c->n == 0)
        return;
    SAME(c->c, d->c, c->n, 1), SAME(c->a, d->a, c->n, 1), SAME(c->feature, d->feature, c->n, 1);
    SAME(c->point, d->point, c->n, 3), SAME(c->normal, d->normal, c->n, 3);
    SAME(c->gap, d->gap, c->n, 1), SAME(c->force, d->force, c->n, 3);
    SAME(c->branch, d->branch, c->n, 3);
}

/* ---- a scene and a state ---- */

static inline mrn_scene sample_scene(void)
{
    mrn_scene s = mrn_scene_default();
    strcpy(s.title, "by hand");
    s.source = mrn_strdup("moraine: 1\ntitle: by hand\n");
    s.dimension = 3;
    s.n_materials = 2;
    s.material = mrn_alloc(2 * sizeof *s.material);
    s.material[0] = (mrn_material){"glass", 2500, 70e9, 0.22};
    s.material[1] = (mrn_material){"steel", 7800, 210e9, 0.3};
    s.n_interactions = 3;
    s.interaction = mrn_alloc(3 * sizeof *s.interaction);
    for (int i = 0; i < 3; i++) {
        s.interaction[i].a = i / 2;
        s.interaction[i].b = i - i / 2;
        s.interaction[i].model = *mrn_law_model_at(0);
        s.interaction[i].value[0].number = 1 + i;
    }
    s.n_shapes = 2;
    s.shape = mrn_alloc(2 * sizeof *s.shape);
    s.shape[0] = (mrn_shape){.type = mrn_shape_type_find("sphere"), .dimension = 3};
    s.shape[1] = (mrn_shape){.type = mrn_shape_type_find("plane"), .dimension = 3};
    s.n_walls = 1;
    s.wall = mrn_alloc(sizeof *s.wall);
    s.wall[0] = (mrn_wall){.name = "floor", .shape = 1, .q = mrn_quat_identity()};
    s.n_groups = 1;
    s.group = mrn_alloc(sizeof *s.group);
    strcpy(s.group[0].name, "beads");
    s.n_stages = 2;
    s.stage = mrn_alloc(2 * sizeof *s.stage);
    strcpy(s.stage[0].name, "settle");
    strcpy(s.stage[1].name, "shear");
    s.gravity = mrn_v3(0, 0, -9.81);
    s.cell.periodic[1] = true;
    s.cell.size[1] = 2;
    s.history = 4;
    return s;
}

#endif
