/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exports, read back by small readers of their own: CSV, LAMMPS dump, GSD, VTK. */
#include "moraine/quasistatic.h"
#include "store/files_helper.h"

#include <jansson.h>
#include <zlib.h>

#define FRAMES   4
#define N_GRAINS 7

/* The last wall is taken away in the last frame; contacts in frames 1 to 3. */
static mrn_frame frame_of_run(int k)
{
    mrn_frame f = sample_frame(k, N_GRAINS, k);
    if (k == FRAMES - 1)
        f.flags[1] |= MRN_BODY_ABSENT;
    return f;
}

static mrn_trajectory *run(int dimension)
{
    mrn_message msg = {0};
    mrn_header c = sample_cast(dimension);
    mrn_trajectory *t = NULL;
    ok(mrn_trajectory_create(test_dir, &c, NAN, &t, &msg), &msg);
    mrn_header_destroy(&c);
    for (int k = 0; k < FRAMES; k++) {
        mrn_frame f = frame_of_run(k);
        ok(mrn_trajectory_append(t, &f, &msg), &msg);
        mrn_frame_destroy(&f);
    }
    ok(mrn_trajectory_close(&t, &msg), &msg);
    ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
    return t;
}

static char *export(const char *format, int64_t first, int64_t last, int64_t stride, size_t *size)
{
    mrn_message msg = {0};
    mrn_trajectory *t = run(3);
    const mrn_export_format *e = mrn_export_format_find(format);
    assert_non_null(e);
    char path[512];
    snprintf(path, sizeof path, "%s.%s", in_dir("out"), e->extension);
    ok(e->write(t, first, last, stride, path, &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    no_parts(test_dir);
    struct stat info;
    stat(path, &info);
    return S_ISDIR(info.st_mode) ? NULL : slurp(path, size);
}

/* The place in memory of the grain with a given id. */
static int place_of(const mrn_frame *f, int id)
{
    for (int i = 2; i < f->n; i++)
        if (f->id[i] == id)
            return i;
    fail_msg("no grain %d", id);
    return -1;
}

static void formats(void **unused)
{
    (void)unused;
    assert_int_equal(mrn_export_format_count(), 4);
    for (int i = 0; i < mrn_export_format_count(); i++) {
        const mrn_export_format *e = mrn_export_format_at(i);
        assert_ptr_equal(mrn_export_format_find(e->name), e);
        assert_true(strlen(e->summary) > 10 && strlen(e->doc) > 100 && e->write != NULL);
    }
    assert_null(mrn_export_format_at(-1));
    assert_null(mrn_export_format_at(4));
    assert_null(mrn_export_format_find("xyz"));
}

/* ---- CSV ---- */

static void csv(void **unused)
{
    (void)unused;
    size_t size;
    char *text = export("csv", 0, -1, 1, &size), *save, *line = strtok_r(text, "\n", &save);
    assert_non_null(strstr(line, "time [s],step,id,group,material,radius [m],mass [kg],x [m]"));
    int columns = 1, rows = 0;
    for (char *p = line; *p != '\0'; p++)
        columns += *p == ',';
    assert_int_equal(columns, 30);
    for (int k = 0; k < FRAMES; k++) {
        mrn_frame f = frame_of_run(k);
        for (int id = 2; id < 2 + N_GRAINS; id++, rows++) {
            line = strtok_r(NULL, "\n", &save);
            assert_non_null(line);
            int i = place_of(&f, id), n = 0;
            assert_true(strtod(line, &line) == f.time);
            assert_int_equal(strtol(line + 1, &line, 10), f.step);
            assert_int_equal(strtol(line + 1, &line, 10), id);
            const char *names = f.group[i] == 0 ? ",sand,glass," : ",\"stones, large\",glass,";
            assert_int_equal(strncmp(line, names, strlen(names)), 0);
            line += strlen(names);
            double v[25];
            for (; n < 25; n++, line += *line == ',')
                v[n] = strtod(line, &line);
            assert_int_equal(*line, '\0');
            /* numbers come back bit for bit */
            assert_true(v[0] == f.radius[i] && v[1] == f.mass[i] && v[5] == f.image[3 * i]);
            assert_true(v[24] == f.parent[i]);
            for (int c = 0; c < 3; c++)
                assert_true(v[2 + c] == f.x[3 * i + c] && v[8 + c] == f.v[3 * i + c] &&
                            v[15 + c] == f.w[3 * i + c] && v[18 + c] == f.f[3 * i + c] &&
                            v[21 + c] == f.t[3 * i + c]);
            for (int c = 0; c < 4; c++)
                assert_true(v[11 + c] == f.q[4 * i + c]);
        }
        mrn_frame_destroy(&f);
    }
    assert_null(strtok_r(NULL, "\n", &save));
    free(text);
}

/* ---- sheared cells ---- */

/* One frame of a sheared cell, grains in it and beyond; 2D: sheared in the plane only. */
static mrn_frame sheared_frame(int dimension)
{
    mrn_frame f = sample_frame(1, N_GRAINS, 0);
    double size[] = {1, 0.8, 0.6}, tilt[] = {0.45, -0.3, 0.25};
    for (int k = 0; k < dimension; k++) {
        f.periodic[k] = true;
        f.cell_origin[k] = -0.2 * k;
        f.cell_size[k] = size[k];
        f.cell_tilt[k] = dimension == 3 || k == 0 ? tilt[k] : 0;
    }
    for (int i = 2; i < f.n; i++)
        for (int k = 0; k < 3; k++) {
            f.x[3 * i + k] = k < dimension ? 2.1 * sin(3.0 * i + k) : 0;
            f.image[3 * i + k] = k < dimension ? (i + k) % 3 - 1 : 0;
        }
    return f;
}

static char *export_sheared(const char *format, int dimension, size_t *size)
{
    mrn_message msg = {0};
    mrn_header c = sample_cast(dimension);
    mrn_frame f = sheared_frame(dimension);
    mrn_trajectory *t = NULL;
    ok(mrn_trajectory_create(test_dir, &c, NAN, &t, &msg), &msg);
    ok(mrn_trajectory_append(t, &f, &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
    char path[512];
    snprintf(path, sizeof path, "%s.x", in_dir("sheared"));
    ok(mrn_export_format_find(format)->write(t, 0, 0, 1, path, &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    mrn_header_destroy(&c);
    mrn_frame_destroy(&f);
    return slurp(path, size);
}

/* The bounds of a slanted box are those of its eight corners. */
static void lammps_sheared(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        size_t size;
        char *text = export_sheared("lammps", dimension, &size);
        mrn_frame f = sheared_frame(dimension);
        char *box = strstr(text, "ITEM: BOX BOUNDS xy xz yz pp pp pp\n");
        assert_non_null(box);
        double v[9];
        box += strlen("ITEM: BOX BOUNDS xy xz yz pp pp pp\n");
        for (int k = 0; k < 9; k++)
            v[k] = strtod(box, &box);
        double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int corner = 0; corner < 8; corner++) {
            double p[3];
            mrn_store3(p, mrn_add(mrn_load3(f.cell_origin),
                                  mrn_frame_shift(&f, corner & 1, corner >> 1 & 1, corner >> 2)));
            for (int k = 0; k < 3; k++)
                lo[k] = fmin(lo[k], p[k]), hi[k] = fmax(hi[k], p[k]);
        }
        for (int k = 0; k < 3; k++) {
            assert_true(v[3 * k + 2] == f.cell_tilt[k]);
            /* sums of a few numbers of order 1, in another order */
            if (k < dimension)
                assert_true(fabs(v[3 * k] - lo[k]) < 1e-15 && fabs(v[3 * k + 1] - hi[k]) < 1e-15);
        }
        free(text);
        mrn_frame_destroy(&f);
    }
}

/* ---- LAMMPS ---- */

static void lammps(void **unused)
{
    (void)unused;
    size_t size;
    char *text = export("lammps", -3, 3, 2, &size); /* frames 1 and 3 */
    FILE *in = fmemopen(text, size, "r");
    for (int k = 1; k <= 3; k += 2) {
        mrn_frame f = frame_of_run(k);
        long long step;
        int n;
        double lo[3], hi[3];
        assert_int_equal(fscanf(in, "ITEM: TIMESTEP %lld ITEM: NUMBER OF ATOMS %d ", &step, &n), 2);
        assert_true(step == f.step && n == N_GRAINS);
        char pbc[3][4];
        assert_int_equal(fscanf(in, "ITEM: BOX BOUNDS %3s %3s %3s", pbc[0], pbc[1], pbc[2]), 3);
        assert_string_equal(pbc[0], "pp");
        assert_string_equal(pbc[1], "ff");
        for (int c = 0; c < 3; c++)
            assert_int_equal(fscanf(in, "%lf %lf ", &lo[c], &hi[c]), 2);
        assert_true(lo[0] == -0.5 && hi[0] == -0.5 + f.cell_size[0]);
        char columns[256];
        assert_non_null(fgets(columns, sizeof columns, in));
        assert_string_equal(columns, "ITEM: ATOMS id type x y z ix iy iz vx vy vz omegax omegay "
                                     "omegaz radius mass fx fy fz mol\n");
        for (int a = 0; a < n; a++) {
            int id, type;
            double v[18];
            assert_int_equal(fscanf(in, "%d %d", &id, &type), 2);
            for (int c = 0; c < 18; c++)
                assert_int_equal(fscanf(in, "%lf", &v[c]), 1);
            assert_int_equal(id, 3 + a);
            int i = place_of(&f, id - 1);
            assert_true(type == f.group[i] + 1 && v[12] == f.radius[i] && v[13] == f.mass[i]);
            assert_true(v[17] == f.parent[i] + 1);
            for (int c = 0; c < 3; c++) {
                assert_true(v[c] == f.x[3 * i + c] && v[3 + c] == f.image[3 * i + c] &&
                            v[6 + c] == f.v[3 * i + c] && v[9 + c] == f.w[3 * i + c] &&
                            v[14 + c] == f.f[3 * i + c]);
                assert_true(c == 0 || (v[c] - v[12] >= lo[c] && v[c] + v[12] <= hi[c]));
            }
        }
        (void)fscanf(in, " ");
        mrn_frame_destroy(&f);
    }
    assert_int_equal(fgetc(in), EOF);
    fclose(in);
    free(text);
}

/* ---- GSD ---- */

typedef struct gsd_entry {
    uint64_t frame, n;
    int64_t location;
    uint32_t m;
    uint16_t id;
    uint8_t type, flags;
} gsd_entry;

typedef struct gsd_file {
    char *data;
    size_t size;
    uint64_t head[5];
    uint32_t version[2];
    const gsd_entry *index;
    uint64_t n_index;
    const char *name[64];
    int n_names;
} gsd_file;

static size_t gsd_type_size(int type)
{
    static const size_t size[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
    assert_true(type >= 1 && type <= 10);
    return size[type];
}

/* Reads the layout by its description, and checks what readers insist on. */
static gsd_file gsd_open(char *data, size_t size)
{
    gsd_file g = {.data = data, .size = size};
    assert_true(size > 256);
    memcpy(g.head, data, 40);
    memcpy(g.version, data + 40, 8);
    assert_true(g.head[0] == UINT64_C(0x65DF65DF65DF65DF));
    assert_int_equal(g.version[0], 0x00010004);
    assert_int_equal(g.version[1], 0x00020000);
    assert_string_equal(data + 48 + 64, "hoomd");
    assert_true(g.head[1] + 32 * g.head[2] <= size && g.head[3] + 64 * g.head[4] <= size);
    for (const char *p = data + g.head[3]; *p != '\0'; p += strlen(p) + 1)
        g.name[g.n_names++] = p;
    g.index = (const gsd_entry *)(data + g.head[1]);
    while (g.n_index < g.head[2] && g.index[g.n_index].location != 0)
        g.n_index++;
    assert_true(g.n_index < g.head[2]);
    for (uint64_t i = 0; i < g.n_index; i++) {
        const gsd_entry *e = &g.index[i];
        assert_true(e->id < g.n_names && e->flags == 0 && e->m > 0 && e->frame < g.head[2]);
        assert_true((size_t)e->location + e->n * e->m * gsd_type_size(e->type) <= size);
        if (i > 0) /* sorted by frame, then name */
            assert_true(e[-1].frame < e->frame || (e[-1].frame == e->frame && e[-1].id < e->id));
    }
    return g;
}

static const void *gsd_chunk(const gsd_file *g, uint64_t frame, const char *name, int type,
                             uint64_t n, uint32_t m)
{
    for (uint64_t i = 0; i < g->n_index; i++) {
        const gsd_entry *e = &g->index[i];
        if (e->frame != frame || strcmp(g->name[e->id], name) != 0)
            continue;
        assert_int_equal(e->type, type);
        assert_true(n == 0 || (e->n == n && (m == 0 || e->m == m)));
        char *copy = malloc(e->n * e->m * gsd_type_size(e->type) + 1); /* aligned; leaked to `keep`
                                                                        */
        memcpy(copy, g->data + e->location, e->n * e->m * gsd_type_size(e->type));
        return copy;
    }
    return NULL;
}

/* One value of a chunk, as a number. */
static double gsd_number(const gsd_file *g, uint64_t frame, const char *name, int type, uint64_t n,
                         uint32_t m, size_t at)
{
    void *v = (void *)gsd_chunk(g, frame, name, type, n, m);
    assert_non_null(v);
    double x = type == 9                ? ((float *)v)[at]
               : type == 10             ? ((double *)v)[at]
               : type == 7 || type == 3 ? ((int32_t *)v)[at]
               : type == 4              ? (double)((uint64_t *)v)[at]
                                        : ((int8_t *)v)[at];
    free(v);
    return x;
}

static void check_shapes(const gsd_file *g, uint64_t frame)
{
    for (uint64_t i = 0; i < g->n_index; i++) {
        const gsd_entry *e = &g->index[i];
        if (e->frame != frame || strcmp(g->name[e->id], "particles/type_shapes") != 0)
            continue;
        assert_true(e->n == 4 && e->type == 5);
        for (int k = 0; k < 4; k++) {
            const char *text = g->data + e->location + (size_t)k * e->m;
            assert_non_null(memchr(text, '\0', e->m));
            json_error_t error;
            json_t *j = json_loads(text, 0, &error);
            assert_non_null(j);
            const char *type = json_string_value(json_object_get(j, "type"));
            assert_string_equal(type, k < 2 ? "Sphere" : "Mesh");
            if (k < 2)
                assert_true(json_real_value(json_object_get(j, "diameter")) > 0.02);
            if (k == 2) {
                assert_int_equal(json_array_size(json_object_get(j, "vertices")), 4);
                assert_int_equal(json_array_size(json_object_get(j, "indices")), 2);
            }
            json_decref(j);
        }
        return;
    }
    fail_msg("no shapes in frame %d", (int)frame);
}

/* GSD counts the tilt in sizes of the second direction; positions are in the slanted box about 0,
   in single precision too, and lead with their images to where the grains are. */
static void gsd_sheared(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        size_t size;
        char *data = export_sheared("gsd", dimension, &size);
        gsd_file g = gsd_open(data, size);
        mrn_frame f = sheared_frame(dimension);
        uint64_t n = N_GRAINS + 2;
        double box[6];
        for (size_t c = 0; c < 6; c++)
            box[c] = gsd_number(&g, 0, "configuration/box", 9, 6, 1, c);
        assert_true(box[0] == (float)f.cell_size[0] && box[1] == (float)f.cell_size[1]);
        double size_z = dimension == 3 ? f.cell_size[2] : 1;
        assert_true(box[3] == (float)(f.cell_tilt[0] / f.cell_size[1]));
        assert_true(box[4] == (float)(f.cell_tilt[1] / size_z));
        assert_true(box[5] == (float)(f.cell_tilt[2] / size_z));
        mrn_vec3 middle = mrn_add(mrn_load3(f.cell_origin), mrn_frame_shift(&f, 0.5, 0.5, 0.5));
        if (dimension == 2)
            middle.z = 0;
        for (uint64_t a = 2; a < n; a++) {
            int i = place_of(&f, (int)gsd_number(&g, 0, "log/particles/id", 7, n, 1, a));
            double x[3], image[3];
            for (size_t c = 0; c < 3; c++) {
                x[c] = gsd_number(&g, 0, "particles/position", 9, n, 3, 3 * a + c);
                image[c] = gsd_number(&g, 0, "particles/image", 7, n, 3, 3 * a + c);
            }
            double y = x[1] - box[5] * x[2], along = x[0] - box[3] * y - box[4] * x[2];
            assert_true(along >= -0.5 * box[0] && along < 0.5 * box[0]);
            assert_true(y >= -0.5 * box[1] && y < 0.5 * box[1]);
            assert_true(dimension == 2 || (x[2] >= -0.5 * box[2] && x[2] < 0.5 * box[2]));
            const int32_t *was = f.image + 3 * i;
            mrn_vec3 want = mrn_sub(
                mrn_add(mrn_load3(f.x + 3 * i), mrn_frame_shift(&f, was[0], was[1], was[2])),
                middle);
            mrn_vec3 got = mrn_add(mrn_load3(x), mrn_frame_shift(&f, image[0], image[1], image[2]));
            /* single precision has 6e-8 of the numbers at hand, which are below 3 */
            assert_true(mrn_norm(mrn_sub(got, want)) < 1e-6);
            assert_int_equal((int)gsd_number(&g, 0, "log/particles/cluster", 7, n, 1, a),
                             f.parent[i]);
        }
        mrn_frame_destroy(&f);
        free(data);
    }
}

static void gsd(void **unused)
{
    (void)unused;
    size_t size;
    char *data = export("gsd", 0, -1, 1, &size);
    gsd_file g = gsd_open(data, size);
    for (int k = 0; k < FRAMES; k++) {
        mrn_frame f = frame_of_run(k);
        uint64_t n = k == FRAMES - 1 ? N_GRAINS + 1 : N_GRAINS + 2; /* a wall is gone at the end */
        uint64_t walls = n - N_GRAINS;
        assert_true(gsd_number(&g, k, "configuration/step", 4, 1, 1, 0) == (double)f.step);
        assert_true(gsd_number(&g, k, "configuration/dimensions", 1, 1, 1, 0) == 3);
        assert_true(gsd_number(&g, k, "particles/N", 3, 1, 1, 0) == (double)n);
        assert_true(gsd_number(&g, k, "log/time", 10, 1, 1, 0) == f.time);
        float box[3];
        for (size_t c = 0; c < 3; c++)
            box[c] = (float)gsd_number(&g, k, "configuration/box", 9, 6, 1, c);
        assert_true(box[0] == (float)f.cell_size[0]);
        for (uint64_t a = 0; a < n; a++) {
            int id = (int)gsd_number(&g, k, "log/particles/id", 7, n, 1, a);
            bool wall = a < walls;
            int i = wall ? (int)a : place_of(&f, id);
            assert_int_equal(id, wall ? (int)a : (int)(2 + a - walls));
            assert_int_equal((int)gsd_number(&g, k, "particles/typeid", 3, n, 1, a),
                             wall ? 2 + (int)a : f.group[i]);
            assert_true(gsd_number(&g, k, "particles/diameter", 9, n, 1, a) ==
                        (wall ? 2 : (float)(2 * f.radius[i])));
            for (size_t c = 0; c < 3; c++) {
                double x = gsd_number(&g, k, "particles/position", 9, n, 3, 3 * a + c);
                double image = gsd_number(&g, k, "particles/image", 7, n, 3, 3 * a + c);
                assert_true(x >= -0.5 * box[c] && x < 0.5 * box[c]);
                /* unwrapped: x + image L, from the middle of the cell; single precision has 6e-8 of
                   the numbers at hand, which are below 3 */
                double middle = c == 0 ? -0.5 + 0.5 * f.cell_size[0] : 0;
                double cells = c == 0 ? f.cell_size[0] : 0;
                assert_true(fabs(x + image * cells -
                                 (f.x[3 * i + (int)c] + f.image[3 * i + (int)c] * cells - middle)) <
                            1e-6);
                assert_true(gsd_number(&g, k, "particles/velocity", 9, n, 3, 3 * a + c) ==
                            (float)f.v[3 * i + (int)c]);
            }
            /* scalar first, as in moraine */
            for (size_t c = 0; c < 4; c++)
                assert_true(gsd_number(&g, k, "particles/orientation", 9, n, 4, 4 * a + c) ==
                            (float)f.q[4 * i + (int)c]);
        }
        mrn_frame_destroy(&f);
    }
    char *types = (char *)gsd_chunk(&g, 0, "particles/types", 5, 4, MRN_NAME);
    assert_string_equal(types + MRN_NAME, "stones, large");
    assert_string_equal(types + 3 * MRN_NAME, "gate");
    free(types);
    check_shapes(&g, 0);
    check_shapes(&g, FRAMES - 1); /* another number of particles: nothing is inherited from frame 0
                                   */
    assert_null(gsd_chunk(&g, 1, "particles/types", 5, 0, 0));
    free(data);
}

/* ---- VTK ---- */

static int letter_value(char c)
{
    const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *p = strchr(letters, c);
    assert_true(c != '\0' && p != NULL);
    return (int)(p - letters);
}

static size_t decode64(const char *text, size_t n, unsigned char *out)
{
    size_t used = 0;
    assert_int_equal(n % 4, 0);
    for (size_t i = 0; i < n; i += 4) {
        int pad = (text[i + 3] == '=') + (text[i + 2] == '=');
        unsigned v = 0;
        for (size_t k = 0; k < 4; k++)
            v = v << 6 | (unsigned)(k >= 4 - (size_t)pad ? 0 : letter_value(text[i + k]));
        for (int k = 0; k < 3 - pad; k++)
            out[used++] = (unsigned char)(v >> (16 - 8 * k));
    }
    return used;
}

/* The numbers of an array of a VTK file; *bytes gets their size. */
static void *vtk_array(const char *text, const char *name, const char *type, size_t *bytes)
{
    char mark[128];
    snprintf(mark, sizeof mark, "<DataArray type=\"%s\" Name=\"%s\"", type, name);
    const char *p = strstr(text, mark);
    if (p == NULL)
        fail_msg("no %s", mark);
    const char *begin = strchr(p, '>') + 1, *stop = strchr(begin, '<');
    unsigned char head[32];
    uint64_t n[4];
    decode64(begin, 32, head); /* 24 bytes: blocks, size, last */
    memcpy(n, head, 24);
    size_t head_letters = (8 * (3 + n[0]) + 2) / 3 * 4;
    unsigned char *table = malloc(8 * (3 + n[0]) + 3), *packed = malloc((size_t)(stop - begin) + 3);
    decode64(begin, head_letters, table);
    size_t n_packed = decode64(begin + head_letters, (size_t)(stop - begin) - head_letters, packed);
    *bytes = n[0] == 0 ? 0 : (n[0] - 1) * n[1] + (n[2] > 0 ? n[2] : n[1]);
    unsigned char *out = malloc(*bytes + 1), *from = packed;
    size_t done = 0;
    for (uint64_t i = 0; i < n[0]; i++) {
        uint64_t length;
        memcpy(&length, table + 8 * (3 + i), 8);
        uLongf room = *bytes - done;
        assert_int_equal(uncompress(out + done, &room, from, length), Z_OK);
        assert_true(i + 1 == n[0] || room == n[1]);
        done += room;
        from += length;
    }
    assert_true(done == *bytes && from == packed + n_packed);
    free(table);
    free(packed);
    return out;
}

static void check_grains(const char *text, const mrn_frame *f)
{
    static const char *const name[] = {"Points", "velocity", "angular velocity", "force", "torque"};
    const double *want[] = {f->x, f->v, f->w, f->f, f->t};
    size_t bytes;
    for (int a = 0; a < 5; a++) {
        double *got = vtk_array(text, name[a], "Float64", &bytes);
        assert_int_equal(bytes, N_GRAINS * 24);
        for (int g = 0; g < N_GRAINS; g++)
            SAME(got + 3 * g, want[a] + 3 * place_of(f, 2 + g), 1, 3);
        free(got);
    }
    int32_t *offsets = vtk_array(text, "offsets", "Int32", &bytes);
    assert_int_equal(bytes, N_GRAINS * 4);
    assert_true(offsets[0] == 1 && offsets[N_GRAINS - 1] == N_GRAINS);
    free(offsets);
    uint8_t *types = vtk_array(text, "types", "UInt8", &bytes);
    assert_true(bytes == N_GRAINS && types[0] == 1);
    free(types);
    uint16_t *group = vtk_array(text, "group", "UInt16", &bytes);
    assert_true(bytes == 2 * N_GRAINS && group[0] == 0 && group[1] == 1);
    free(group);
    assert_non_null(strstr(text, "</VTKFile>"));
}

static void vtk(void **unused)
{
    (void)unused;
    size_t size, bytes;
    assert_null(export("vtk", 0, -1, 1, &size));
    char *pvd = slurp(in_dir("out.vtk/trajectory.pvd"), &size);
    int listed = 0;
    for (char *p = pvd; (p = strstr(p, " file=\"")) != NULL; listed++) {
        char file[64], path[128];
        assert_int_equal(sscanf(p, " file=\"%63[^\"]\"", file), 1);
        snprintf(path, sizeof path, "out.vtk/%s", file);
        assert_int_equal(access(in_dir(path), R_OK), 0);
        p += 7;
    }
    assert_int_equal(listed, 4 + 4 + 3); /* grains, walls, contacts */
    free(pvd);
    for (int k = 0; k < FRAMES; k++) {
        char path[64];
        mrn_frame f = frame_of_run(k);
        snprintf(path, sizeof path, "out.vtk/grains_%06d.vtu", k);
        char *text = slurp(in_dir(path), &size);
        check_grains(text, &f);
        free(text);
        mrn_frame_destroy(&f);
    }
    /* the gate moves: a file per frame; it is gone in the last one */
    char *walls = slurp(in_dir("out.vtk/walls_000002.vtp"), &size);
    double *point = vtk_array(walls, "Points", "Float64", &bytes);
    assert_int_equal(bytes, 7 * 24);
    assert_true(point[3 * 4 + 2] == 0.05 * 2); /* first corner of the gate, raised */
    free(point);
    free(walls);
    walls = slurp(in_dir("out.vtk/walls_000003.vtp"), &size);
    free(vtk_array(walls, "connectivity", "Int32", &bytes));
    assert_int_equal(bytes, 6 * 4);
    free(walls);
    mrn_frame f = frame_of_run(3);
    char *lines = slurp(in_dir("out.vtk/contacts_000003.vtp"), &size);
    double *fn = vtk_array(lines, "normal force", "Float64", &bytes);
    assert_int_equal(bytes, 3 * 8);
    double want = mrn_dot(mrn_load3(f.contacts.force + 3), mrn_load3(f.contacts.normal + 3));
    assert_true(fn[1] == want);
    free(fn);
    free(lines);
    mrn_frame_destroy(&f);
}

/* Many grains: more than one block. */
static void vtk_blocks(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_header c = sample_cast(3);
    mrn_trajectory *t = NULL;
    ok(mrn_trajectory_create(test_dir, &c, NAN, &t, &msg), &msg);
    mrn_frame f = sample_frame(0, 8192, 0); /* 8192 radii fill one block exactly */
    ok(mrn_trajectory_append(t, &f, &msg), &msg);
    ok(mrn_export_format_find("vtk")->write(t, 0, 0, 1, in_dir("v"), &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    size_t size, bytes;
    char *text = slurp(in_dir("v/grains_000000.vtu"), &size);
    double *x = vtk_array(text, "Points", "Float64", &bytes);
    assert_int_equal(bytes, 8192 * 24);
    assert_true(x[3 * 8191] == f.x[3 * place_of(&f, 2 + 8191)]);
    free(x);
    free(vtk_array(text, "radius", "Float64", &bytes));
    assert_int_equal(bytes, 8192 * 8);
    free(text);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&c);
}

/* ---- failures ---- */

static void bad_requests(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_trajectory *t = run(2);
    static const int64_t range[][3] = {{-5, 3, 1}, {0, 4, 1}, {3, 2, 1}, {0, -9, 1}, {0, 3, 0}};
    for (int i = 0; i < mrn_export_format_count(); i++) {
        const mrn_export_format *e = mrn_export_format_at(i);
        for (size_t k = 0; k < sizeof range / sizeof *range; k++) {
            assert_int_equal(e->write(t, range[k][0], range[k][1], range[k][2], in_dir("x"), &msg),
                             MRN_ERR_RANGE);
            assert_non_null(strstr(msg.expected, "between 0 and 3"));
        }
        assert_int_equal(e->write(t, 0, 3, 1, in_dir("no/such/place"), &msg), MRN_ERR_IO);
        assert_non_null(strstr(msg.text, "No such file"));
    }
    assert_int_not_equal(access(in_dir("x"), F_OK), 0);
    ok(mrn_trajectory_close(&t, &msg), &msg);
}

static void no_memory(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_trajectory *t = run(3);
    for (int i = 0; i < mrn_export_format_count(); i++) {
        const mrn_export_format *e = mrn_export_format_at(i);
        size_t before = mrn_bytes_in_use();
        mrn_status st = MRN_ERR_MEMORY;
        int64_t k = 1;
        for (; st != MRN_OK; k++) {
            mrn_alloc_fail_at(k);
            st = e->write(t, 1, 1, 1, in_dir(e->name), &msg);
            mrn_alloc_fail_at(0);
            assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
            assert_int_equal(mrn_bytes_in_use(), before);
            no_parts(test_dir);
            /* the list of a folder comes last */
            if (st != MRN_OK)
                assert_int_not_equal(access(in_dir("vtk/trajectory.pvd"), F_OK), 0);
        }
        assert_true(k > 20);
        unlink(in_dir("vtk/trajectory.pvd"));
    }
    no_parts(in_dir("vtk"));
    ok(mrn_trajectory_close(&t, &msg), &msg);
}

/* ---- modes ---- */

/* Modes of a network as the viewer takes them: names in quotes whatever is in them, places of each
   node, rotations left out, zeros for the third axis in 2D. */
static void modes_for_the_viewer(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    int32_t id[] = {7, 3};
    const double mode[] = {1, 2, 9, -3, 4e-9, 9, 0.5, 0, 0, 0, 0, 0};
    static const char *const name[] = {"soft \"one\" \\ \x1b[31m", "second"};
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_net net = {.dimension = dimension, .n = 2, .id = id, .dofs = 3, .n_unknowns = 6};
        ok(mrn_modes_write(in_dir("modes.json"), &net, 2, mode, name, &msg), &msg);
        size_t size;
        char *text = slurp(in_dir("modes.json"), &size);
        json_t *root = json_loadb(text, size, 0, NULL), *list = json_object_get(root, "modes");
        assert_int_equal(json_array_size(list), 2);
        json_t *m = json_array_get(list, 0), *u = json_object_get(m, "u");
        assert_string_equal(json_string_value(json_object_get(m, "name")), "soft \"one\" \\ [31m");
        assert_int_equal(json_integer_value(json_array_get(json_object_get(m, "id"), 1)), 3);
        const double want[] = {1, 2, 9, -3, 4e-9, 9};
        assert_int_equal(json_array_size(u), 6);
        for (size_t k = 0; k < 6; k++)
            assert_true(json_number_value(json_array_get(u, k)) ==
                        (dimension == 2 && k % 3 == 2 ? 0 : want[k]));
        json_decref(root);
        free(text);
    }
    assert_int_equal(mrn_modes_write(in_dir("none/modes.json"), &(mrn_net){0}, 0, mode, name, &msg),
                     MRN_ERR_IO);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(formats),
        TEST(csv),
        TEST(lammps),
        TEST(gsd),
        TEST(vtk),
        TEST(vtk_blocks),
        TEST(bad_requests),
        TEST(no_memory),
        TEST(lammps_sheared),
        TEST(gsd_sheared),
        TEST(modes_for_the_viewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
