/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames and headers made by hand for the tests of the renderer. */
#ifndef MRN_TESTS_DRAW_SCENES_H
#define MRN_TESTS_DRAW_SCENES_H

/* cmocka wants these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "moraine/draw.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_LEAK_CHECK
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(WITH_LEAK_CHECK)
/* fontconfig holds its patterns by offsets, which the leak checker cannot follow */
MRN_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}
#endif

static inline void *scene_array(size_t n, size_t size)
{
    void *p = mrn_alloc(n * size);
    assert_non_null(p);
    return p;
}

/* n bodies, the first n_walls of them walls; unit orientation, radius 1 for grains, all at the
 * origin. */
static inline mrn_frame scene_frame(int32_t n, int32_t n_walls)
{
    mrn_frame f = {.n = n, .n_walls = n_walls};
    size_t m = (size_t)n;
    f.x = scene_array(3 * m, sizeof *f.x);
    f.v = scene_array(3 * m, sizeof *f.v);
    f.w = scene_array(3 * m, sizeof *f.w);
    f.q = scene_array(4 * m, sizeof *f.q);
    f.f = scene_array(3 * m, sizeof *f.f);
    f.t = scene_array(3 * m, sizeof *f.t);
    f.radius = scene_array(m, sizeof *f.radius);
    f.mass = scene_array(m, sizeof *f.mass);
    f.id = scene_array(m, sizeof *f.id);
    f.image = scene_array(3 * m, sizeof *f.image);
    f.material = scene_array(m, sizeof *f.material);
    f.group = scene_array(m, sizeof *f.group);
    f.flags = scene_array(m, sizeof *f.flags);
    f.parent = scene_array(m, sizeof *f.parent);
    memset(f.parent, 0xff, m * sizeof *f.parent); /* none: -1 */
    for (int32_t i = 0; i < n; i++) {
        f.q[4 * i] = 1;
        f.id[i] = i;
        f.mass[i] = 1;
        f.radius[i] = i < n_walls ? 0 : 1;
        f.flags[i] = i < n_walls ? MRN_BODY_WALL : 0;
    }
    return f;
}

static inline mrn_header scene_cast(int dimension, int n_walls)
{
    mrn_header c = {.dimension = dimension, .n_walls = n_walls, .n_groups = 2, .n_materials = 1};
    snprintf(c.title, sizeof c.title, "Test");
    c.wall = scene_array((size_t)n_walls, sizeof *c.wall);
    c.wall_name = scene_array((size_t)n_walls, sizeof *c.wall_name);
    c.group_name = scene_array(2, sizeof *c.group_name);
    c.material_name = scene_array(1, sizeof *c.material_name);
    strcpy(c.group_name[0], "coarse");
    strcpy(c.group_name[1], "fine");
    strcpy(c.material_name[0], "glass");
    return c;
}

static inline void scene_quad(mrn_triangles *t, const double (*p)[3])
{
    static const int32_t corner[6] = {0, 1, 2, 0, 2, 3};
    for (int k = 0; k < 6; k++)
        t->corner[3 * t->n_triangles + k] = t->n_points + corner[k];
    memcpy(t->point + 3 * t->n_points, p, 12 * sizeof(double));
    t->n_points += 4;
    t->n_triangles += 2;
}

/* A box of half widths h; in 2D its outline, extruded. */
static inline void scene_box(mrn_header *c, int wall, double hx, double hy, double hz)
{
    mrn_triangles *t = &c->wall[wall];
    t->point = scene_array(72, sizeof(double));
    t->corner = scene_array(36, sizeof(int32_t));
    const double h[3] = {hx, hy, hz};
    for (int k = 0; k < c->dimension; k++)
        for (int side = -1; side <= 1; side += 2) {
            double p[4][3];
            int u = (k + 1) % 3, v = (k + 2) % 3;
            for (int e = 0; e < 4; e++) {
                p[e][k] = side * h[k];
                p[e][u] = (e == 1 || e == 2 ? 1 : -1) * h[u];
                p[e][v] = (e >= 2 ? 1 : -1) * h[v];
            }
            scene_quad(t, (const double(*)[3])p);
        }
}

/* A horizontal square plane. */
static inline void scene_floor(mrn_header *c, int wall, double half)
{
    mrn_triangles *t = &c->wall[wall];
    t->point = scene_array(12, sizeof(double));
    t->corner = scene_array(6, sizeof(int32_t));
    const double p[4][3] = {{-half, -half, 0}, {half, -half, 0}, {half, half, 0}, {-half, half, 0}};
    scene_quad(t, p);
}

/* A lattice of grains in a box, every third pair of neighbours in contact with a force. */
static inline mrn_frame scene_lattice(int dimension, int side, double spacing)
{
    int nz = dimension == 2 ? 1 : side, n = side * side * nz;
    mrn_frame f = scene_frame(n + 1, 1);
    for (int i = 0; i < n; i++) {
        double *x = f.x + 3 * (i + 1);
        x[0] = spacing * (i % side - 0.5 * (side - 1));
        x[1] = spacing * (i / side % side - 0.5 * (side - 1));
        x[2] = dimension == 2 ? 0 : spacing * (i / side / side - 0.5 * (side - 1));
        f.radius[i + 1] = 0.5 * spacing;
        f.v[3 * (i + 1)] = 0.01 * i;
        f.group[i + 1] = (uint16_t)(i & 1);
    }
    return f;
}

static inline void scene_contacts(mrn_frame *f)
{
    mrn_contacts *c = &f->contacts;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_FRAME), .n = f->n};
    assert_int_equal(mrn_contacts_make(c, &def, NULL), MRN_OK);
    for (int32_t i = f->n_walls; i + 1 < f->n; i++) {
        int64_t k = c->n++;
        c->c[k] = i + 1, c->a[k] = i;
        mrn_vec3 d = mrn_sub(mrn_load3(f->x + 3 * (i + 1)), mrn_load3(f->x + 3 * i));
        mrn_store3(c->branch + 3 * k, d);
        mrn_store3(c->normal + 3 * k, mrn_unit(d));
        mrn_store3(c->force + 3 * k, mrn_scale(1 + i % 5, mrn_unit(d)));
        c->gap[k] = -1e-6;
    }
}

static inline const uint8_t *picture_at(const mrn_picture *p, int x, int y)
{
    assert_in_range(x, 0, p->width - 1);
    assert_in_range(y, 0, p->height - 1);
    return p->rgb + 3 * ((int64_t)y * p->width + x);
}

/* A small picture without writing on it. */
static inline mrn_look bare_look(int dimension, int width, int height)
{
    mrn_look l = mrn_look_default(dimension);
    l.width = width;
    l.height = height;
    l.legend = l.axes = l.caption = false;
    l.supersample = 2;
    return l;
}

static inline void make_folder(char *path, size_t size)
{
    snprintf(path, size, "/tmp/moraine-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static inline void remove_folder(const char *path)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", path);
    assert_int_equal(system(command), 0);
}

#endif
