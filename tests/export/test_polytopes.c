/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polygons and polyhedra in trajectories and exports: polytopes come back bit for bit, VTK cells
   have the corners and faces they should, GSD the shapes, LAMMPS and CSV orientation and polytope.
 */
#include "store/files_helper.h"

#include <hdf5.h>
#include <jansson.h>
#include <zlib.h>

#define N_GRAINS 6

/* ---- a run: a cube, an L of two boxes (3D); a triangle, a cross (2D) ---- */

static mrn_polytope *make_polytopes(int dimension)
{
    static const double l[2][24] = {
        {0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0, 0, 0, 1, 2, 0, 1, 2, 1, 1, 0, 1, 1},
        {0, 1, 0, 1, 1, 0, 1, 2, 0, 0, 2, 0, 0, 1, 1, 1, 1, 1, 1, 2, 1, 0, 2, 1}};
    static const double cross[2][12] = {{-3, -1, 0, 3, -1, 0, 3, 1, 0, -3, 1, 0},
                                        {-1, -3, 0, 1, -3, 0, 1, 3, 0, -1, 3, 0}};
    const mrn_corners solid[2] = {{8, l[0]}, {8, l[1]}}, flat[2] = {{4, cross[0]}, {4, cross[1]}};
    mrn_message msg = {0};
    mrn_polytope *f = mrn_alloc(2 * sizeof *f);
    ok(dimension == 2 ? mrn_polytope_polygon(3, &f[0], &msg)
                      : mrn_polytope_regular("cube", &f[0], &msg),
       &msg);
    ok(mrn_polytope_make("pair, stuck", dimension, 2, dimension == 2 ? flat : solid, &f[1], NULL,
                         NULL, NULL, &msg),
       &msg);
    return f;
}

/* Grains by memory order: polytopes 0 and 1 in turn, the last one a sphere. */
static mrn_frame polytope_frame(int k, int dimension)
{
    mrn_frame f = sample_frame(k, N_GRAINS, 0);
    f.part = mrn_alloc((size_t)f.n * sizeof *f.part);
    for (int i = 2; i < f.n; i++) {
        f.flags[i] = i < f.n - 1 ? MRN_BODY_POLYTOPE : 0;
        f.part[i] = (uint16_t)(i % 2);
        mrn_quat q = {f.q[4 * i], f.q[4 * i + 1], f.q[4 * i + 2], f.q[4 * i + 3]};
        if (dimension == 2)
            q.x = q.y = 0;
        q = mrn_quat_unit(q);
        memcpy(f.q + 4 * i, (double[4]){q.w, q.x, q.y, q.z}, 32);
    }
    return f;
}

static mrn_header polytope_header(int dimension)
{
    mrn_header c = sample_cast(dimension);
    c.polytope = make_polytopes(dimension);
    c.n_polytopes = 2;
    return c;
}

static mrn_trajectory *run(int dimension)
{
    mrn_message msg = {0};
    mrn_header c = polytope_header(dimension);
    mrn_trajectory *t = NULL;
    ok(mrn_trajectory_create(test_dir, &c, NAN, &t, &msg), &msg);
    mrn_header_destroy(&c);
    for (int k = 0; k < 2; k++) {
        mrn_frame f = polytope_frame(k, dimension);
        ok(mrn_trajectory_append(t, &f, &msg), &msg);
        mrn_frame_destroy(&f);
    }
    ok(mrn_trajectory_close(&t, &msg), &msg);
    ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
    return t;
}

static void export_as(const char *format, int dimension, const char *path)
{
    mrn_message msg = {0};
    mrn_trajectory *t = run(dimension);
    ok(mrn_export_format_find(format)->write(t, 0, -1, 1, path, &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
}

/* ---- trajectory ---- */

static void same_part(const mrn_convex *a, const mrn_convex *b)
{
    assert_int_equal(a->n_points, b->n_points);
    assert_int_equal(a->n_faces, b->n_faces);
    assert_int_equal(a->n_edges, b->n_edges);
    assert_int_equal(a->dimension, b->dimension);
    SAME(a->point, b->point, a->n_points, 3), SAME(a->plane, b->plane, a->n_faces, 4);
    SAME(a->face_start, b->face_start, a->n_faces + 1, 1);
    SAME(a->corner, b->corner, a->face_start[a->n_faces], 1);
    if (a->n_edges > 0)
        SAME(a->edge, b->edge, a->n_edges, 4);
    assert_int_equal(a->ring_start == NULL, b->ring_start == NULL);
    if (a->ring_start != NULL) {
        SAME(a->ring_start, b->ring_start, a->n_points + 1, 1);
        SAME(a->ring, b->ring, a->ring_start[a->n_points], 1);
    }
    assert_memory_equal(&a->centre, &b->centre, sizeof a->centre);
    assert_true(a->bound == b->bound && a->inner == b->inner);
}

static void polytopes_come_back(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_message msg = {0};
        mrn_trajectory *t = run(dimension);
        mrn_header want = polytope_header(dimension), got;
        ok(mrn_trajectory_header(t, &got, &msg), &msg);
        assert_int_equal(got.n_polytopes, 2);
        for (int i = 0; i < 2; i++) {
            const mrn_polytope *a = &want.polytope[i], *b = &got.polytope[i];
            assert_string_equal(a->name, b->name);
            assert_int_equal(a->n_parts, b->n_parts);
            assert_memory_equal(a->inertia, b->inertia, sizeof a->inertia);
            assert_memory_equal(a->length, b->length, sizeof a->length);
            assert_true(a->bound == b->bound && a->elongation == b->elongation);
            assert_true(a->sphericity == b->sphericity && a->angularity == b->angularity);
            for (int p = 0; p < a->n_parts; p++)
                same_part(&a->part[p], &b->part[p]);
        }
        for (int k = 0; k < 2; k++) {
            mrn_frame f, w = polytope_frame(k, dimension);
            ok(mrn_trajectory_read(t, k, &f, &msg), &msg);
            same_frame(&f, &w);
            SAME(f.part, w.part, f.n, 1);
            for (int i = 0; i < f.n; i++) {
                bool polytope = i >= 2 && i < f.n - 1;
                assert_ptr_equal(mrn_frame_polytope(&got, &f, i),
                                 polytope ? &got.polytope[i % 2] : NULL);
            }
            mrn_frame_destroy(&f);
            mrn_frame_destroy(&w);
        }
        ok(mrn_trajectory_close(&t, &msg), &msg);
        mrn_header_destroy(&want);
        mrn_header_destroy(&got);
    }
}

/* Reading a header with polytopes survives every failing allocation. */
static void memory_runs_out(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_trajectory *t = run(3);
    mrn_status st = MRN_ERR_MEMORY;
    size_t before = mrn_bytes_in_use();
    int k = 0;
    while (st == MRN_ERR_MEMORY) {
        mrn_header c = {0};
        mrn_alloc_fail_at(++k);
        st = mrn_trajectory_header(t, &c, &msg);
        mrn_alloc_fail_at(0);
        mrn_header_destroy(&c);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    ok(st, &msg);
    assert_true(k > 20);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    /* and so does writing one */
    mrn_header c = polytope_header(3);
    before = mrn_bytes_in_use();
    for (k = 1, st = MRN_ERR_MEMORY; st == MRN_ERR_MEMORY; k++) {
        mrn_alloc_fail_at(k);
        st = mrn_trajectory_create(test_dir, &c, NAN, &t, &msg);
        mrn_alloc_fail_at(0);
        if (st == MRN_OK)
            ok(mrn_trajectory_close(&t, &msg), &msg);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    ok(st, &msg);
    mrn_header_destroy(&c);
}

/* Overwrites the first number of an array of the polytopes. */
static void damage(const char *name, hid_t type, const void *number)
{
    char path[80];
    snprintf(path, sizeof path, "/header/polytopes/%s", name);
    hid_t file = H5Fopen(in_dir("trajectory.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    hid_t one = H5Screate(H5S_SCALAR);
    hsize_t at[2] = {0, 0}, count[2] = {1, 1};
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL) >= 0);
    assert_true(H5Dwrite(set, type, one, space, H5P_DEFAULT, number) >= 0);
    H5Sclose(one), H5Sclose(space), H5Dclose(set);
    assert_true(H5Fclose(file) >= 0);
}

/* A damaged list of polytopes is stated, not drawn. */
static void damage_is_told(void **unused)
{
    (void)unused;
    const int32_t large = 99999, less = -1;
    const double nowhere = NAN;
    const struct {
        const char *name;
        bool real;
        const void *number;
    } bad[] = {{"corner", false, &large}, {"corner", false, &less},  {"face", false, &large},
               {"edge", false, &large},   {"ring", false, &less},    {"part", false, &less},
               {"part", false, &large},   {"point", true, &nowhere}, {"plane", true, &nowhere}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mrn_message msg = {0};
        mrn_header c = {0};
        mrn_trajectory *t = run(3);
        ok(mrn_trajectory_close(&t, &msg), &msg);
        damage(bad[k].name, bad[k].real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32, bad[k].number);
        ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
        size_t before = mrn_bytes_in_use();
        if (mrn_trajectory_header(t, &c, &msg) >= 0)
            fail_msg("array %s, case %d: not told", bad[k].name, (int)k);
        assert_int_equal(mrn_bytes_in_use(), before);
        assert_non_null(strstr(msg.text, "not a sound"));
        ok(mrn_trajectory_close(&t, &msg), &msg);
    }
}

/* ---- VTK ---- */

static unsigned char *base64(const char *p, size_t *n)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *out = malloc(strlen(p) + 4);
    unsigned v = 0, bits = 0;
    assert_non_null(out);
    for (*n = 0; *p != '\0' && *p != '<'; p++) {
        const char *at = *p != '=' ? strchr(letter, *p) : NULL;
        if (at == NULL) { /* the end of one piece: the next begins anew */
            bits = 0;
            continue;
        }
        v = v << 6 | (unsigned)(at - letter);
        if ((bits += 6) >= 8)
            out[(*n)++] = (unsigned char)(v >> (bits -= 8));
    }
    return out;
}

/* One array of a file, decompressed; *n numbers of `size` bytes. */
static void *vtk_array(const char *text, const char *name, size_t size, int64_t *n)
{
    char mark[80];
    snprintf(mark, sizeof mark, "Name=\"%s\"", name);
    const char *p = strstr(text, mark);
    if (p == NULL)
        fail_msg("no array %s", name);
    p = strchr(p, '>') + 1;
    /* the header is a piece of its own: 3 + blocks words of 8 bytes */
    size_t used, raw;
    unsigned char *first = base64(p, &used);
    uint64_t blocks, last;
    memcpy(&blocks, first, 8);
    memcpy(&last, first + 16, 8);
    free(first);
    assert_int_equal(blocks, 1); /* these files are small */
    size_t letters = ((3 + blocks) * 8 + 2) / 3 * 4;
    unsigned char *packed = base64(p + letters, &raw);
    unsigned char *data = malloc(last);
    uLongf bytes = last;
    assert_non_null(data);
    assert_int_equal(uncompress(data, &bytes, packed, raw), Z_OK);
    assert_int_equal(bytes, last);
    free(packed);
    *n = (int64_t)(bytes / size);
    return data;
}

/* Volume of a polyhedral cell by its faces: they must be closed and turned outward. */
static double cell_volume(const double *point, const int32_t *face)
{
    double sum = 0;
    int32_t n = *face++;
    for (int32_t k = 0; k < n; k++) {
        int32_t m = *face++;
        mrn_vec3 a = mrn_load3(point + 3 * face[0]);
        for (int32_t e = 1; e + 1 < m; e++)
            sum += mrn_dot(
                a, mrn_cross(mrn_load3(point + 3 * face[e]), mrn_load3(point + 3 * face[e + 1])));
        face += m;
    }
    return sum / 6;
}

static double cell_area(const double *point, const int32_t *corner, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        const double *a = point + 3 * corner[k], *b = point + 3 * corner[(k + 1) % n];
        sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    return sum;
}

static void vtk(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        size_t size;
        int64_t n, cells, corners;
        mkdir(in_dir("out"), 0777);
        export_as("vtk", dimension, in_dir("out"));
        char *pvd = slurp(in_dir("out/trajectory.pvd"), &size);
        assert_non_null(strstr(pvd, "part=\"3\" name=\"shapes\" file=\"shapes_000001.vtu\""));
        free(pvd);
        char *text = slurp(in_dir("out/shapes_000001.vtu"), &size);
        double *point = vtk_array(text, "Points", 8, &n);
        int32_t *offset = vtk_array(text, "offsets", 4, &cells);
        int32_t *corner = vtk_array(text, "connectivity", 4, &corners);
        uint8_t *type = vtk_array(text, "types", 1, &n);
        int32_t *id = vtk_array(text, "id", 4, &n);
        double *radius = vtk_array(text, "radius", 8, &n);
        /* five polytopes, those with an odd place in memory of two parts */
        mrn_frame f = polytope_frame(1, dimension);
        int expected = 0;
        for (int i = 2; i < f.n - 1; i++)
            expected += 1 + i % 2;
        assert_int_equal(cells, expected);
        int32_t *face = NULL, *face_end = NULL;
        if (dimension == 3) {
            face = vtk_array(text, "faces", 4, &n);
            face_end = vtk_array(text, "faceoffsets", 4, &n);
            assert_int_equal(n, cells);
        }
        for (int64_t c = 0; c < cells; c++) {
            double r = radius[c],
                   whole = dimension == 2 ? MRN_PI * r * r : 4 * MRN_PI / 3 * r * r * r;
            bool two = (c > 0 && id[c - 1] == id[c]) || (c + 1 < cells && id[c + 1] == id[c]);
            int32_t begin = c > 0 ? offset[c - 1] : 0;
            assert_int_equal(type[c], dimension == 2 ? 7 : 42);
            assert_true(c == 0 || id[c] >= id[c - 1]);
            double size_of = dimension == 2
                                 ? cell_area(point, corner + begin, offset[c] - begin)
                                 : cell_volume(point, face + (c > 0 ? face_end[c - 1] : 0));
            /* a cross is two bars of 12 that share 4 of 20; an L two boxes of 2 and 1 */
            bool first = c + 1 < cells && id[c + 1] == id[c];
            double share = !two ? 1 : dimension == 2 ? 0.6 : first ? 2.0 / 3 : 1.0 / 3;
            assert_float_equal(size_of / whole, share, 1e-12);
        }
        mrn_frame_destroy(&f);
        free(point), free(offset), free(corner), free(type), free(id), free(radius);
        free(face), free(face_end), free(text);
    }
}

/* ---- the others ---- */

static void csv(void **unused)
{
    (void)unused;
    size_t size;
    export_as("csv", 3, in_dir("out.csv"));
    char *text = slurp(in_dir("out.csv"), &size), *save, *line = strtok_r(text, "\n", &save);
    assert_string_equal(strrchr(line, ',') + 1, "form");
    int count[3] = {0, 0, 0};
    while ((line = strtok_r(NULL, "\n", &save)) != NULL) {
        const char *end = line + strlen(line);
        count[0] += strcmp(end - 5, ",cube") == 0;
        count[1] += strcmp(end - 14, ",\"pair, stuck\"") == 0;
        count[2] += end[-1] == ',';
    }
    assert_true(count[0] == 4 || count[0] == 6);
    assert_int_equal(count[0] + count[1], 2 * (N_GRAINS - 1));
    assert_int_equal(count[2], 2);
    free(text);
}

static void lammps(void **unused)
{
    (void)unused;
    size_t size;
    export_as("lammps", 3, in_dir("out.dump"));
    char *text = slurp(in_dir("out.dump"), &size), *save, *line = strtok_r(text, "\n", &save);
    int rows = 0, polytopes = 0, column = -1;
    for (bool atoms = false; line != NULL; line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "ITEM:", 5) == 0) {
            atoms = strncmp(line, "ITEM: ATOMS", 11) == 0;
            if (atoms)
                assert_non_null(strstr(line, " mol quatw quati quatj quatk form"));
            continue;
        }
        if (!atoms)
            continue;
        double v[30], norm = 0;
        for (column = 0; *line != '\0' && column < 30; column++)
            v[column] = strtod(line, &line);
        assert_int_equal(column, 25);
        for (int k = 20; k < 24; k++)
            norm += v[k] * v[k];
        polytopes += v[24] > 0;
        if (v[24] > 0)
            assert_float_equal(norm, 1, 1e-14);
        rows++;
    }
    assert_int_equal(rows, 2 * N_GRAINS);
    assert_int_equal(polytopes, 2 * (N_GRAINS - 1));
    free(text);
}

/* Triangles are of three vertices that there are, and each vertex is of one of them. */
static void every_vertex_has_its_triangles(json_t *shape, int n)
{
    int used[16] = {0};
    json_t *triangle;
    size_t i;
    json_array_foreach(json_object_get(shape, "indices"), i, triangle)
    {
        json_int_t v[3];
        for (size_t k = 0; k < 3; k++) {
            v[k] = json_integer_value(json_array_get(triangle, k));
            assert_true(v[k] >= 0 && v[k] < n);
            used[v[k]]++;
        }
        assert_true(v[0] != v[1] && v[1] != v[2] && v[2] != v[0]);
    }
    for (int k = 0; k < n; k++)
        assert_true(used[k] > 0);
}

/* The shapes of a GSD file stand in it as texts. */
static void gsd(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        size_t size;
        export_as("gsd", dimension, in_dir("out.gsd"));
        char *data = slurp(in_dir("out.gsd"), &size);
        const char *name =
            dimension == 2 ? "{\"type\": \"Polygon\"" : "{\"type\": \"ConvexPolyhedron\"";
        const char *at = memmem(data, size, name, strlen(name));
        assert_non_null(at);
        json_t *shape = json_loads(at, 0, NULL), *corner = json_object_get(shape, "vertices");
        assert_int_equal(json_array_size(corner), dimension == 2 ? 3 : 8);
        assert_int_equal(json_array_size(json_array_get(corner, 0)), dimension);
        /* at unit size: as far from the middle as the polytope's bound */
        mrn_header c = polytope_header(dimension);
        for (size_t k = 0; k < json_array_size(corner); k++) {
            double sum = 0;
            for (int e = 0; e < dimension; e++) {
                double x = json_number_value(json_array_get(json_array_get(corner, k), (size_t)e));
                sum += x * x;
            }
            assert_float_equal(sqrt(sum), c.polytope[0].bound, 1e-8); /* nine digits are written */
        }
        json_decref(shape);
        /* the polytope that is not convex is a mesh of all its parts */
        at += strlen(at) + 1;
        while (at < data + size && *at == '\0')
            at++;
        shape = json_loads(at, 0, NULL);
        assert_string_equal(json_string_value(json_object_get(shape, "type")), "Mesh");
        assert_int_equal(json_array_size(json_object_get(shape, "vertices")),
                         dimension == 2 ? 8 : 16);
        assert_int_equal(json_array_size(json_object_get(shape, "indices")),
                         dimension == 2 ? 4 : 24);
        every_vertex_has_its_triangles(shape, dimension == 2 ? 8 : 16);
        json_decref(shape);
        mrn_header_destroy(&c);
        free(data);
    }
}

/* Texts of shapes whose lengths differ by one character: each has its zero at the end. */
static void rows_of_shapes(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_header c = {.dimension = 3, .n_groups = 2, .n_materials = 1};
    c.group_name = mrn_alloc(2 * MRN_NAME);
    c.material_name = mrn_alloc(MRN_NAME);
    strcpy(c.group_name[0], "a"), strcpy(c.group_name[1], "b"), strcpy(c.material_name[0], "m");
    mrn_frame f = sample_frame(0, 4, 0);
    f.n_walls = 0;
    for (int i = 0; i < f.n; i++) {
        f.flags[i] = 0, f.mass[i] = 1, f.parent[i] = -1, f.id[i] = i;
        f.group[i] = (uint16_t)(i % 2), f.radius[i] = i % 2 ? 0.0055 : 0.005;
    }
    mrn_trajectory *t = NULL;
    ok(mrn_trajectory_create(test_dir, &c, NAN, &t, &msg), &msg);
    ok(mrn_trajectory_append(t, &f, &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
    ok(mrn_export_format_find("gsd")->write(t, 0, -1, 1, in_dir("out.gsd"), &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    size_t size;
    char *data = slurp(in_dir("out.gsd"), &size);
    static const char want[2][40] = {"{\"type\": \"Sphere\", \"diameter\": 0.01}",
                                     "{\"type\": \"Sphere\", \"diameter\": 0.011}"};
    char *first = memmem(data, size, want[0], strlen(want[0]) + 1);
    assert_non_null(first);
    /* the rows are as wide as the longer text with its zero */
    assert_memory_equal(first + strlen(want[1]) + 1, want[1], strlen(want[1]) + 1);
    free(data);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&c);
}

/* A file of one polytope alone, the least there is. */
static void one_polytope(void **unused)
{
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_message msg = {0};
        mrn_header c = polytope_header(dimension), got;
        mrn_trajectory *t = NULL;
        mrn_polytope_release(&c.polytope[1]);
        c.n_polytopes = 1;
        ok(mrn_trajectory_create(test_dir, &c, NAN, &t, &msg), &msg);
        ok(mrn_trajectory_close(&t, &msg), &msg);
        ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
        ok(mrn_trajectory_header(t, &got, &msg), &msg);
        assert_int_equal(got.n_polytopes, 1);
        same_part(&got.polytope[0].part[0], &c.polytope[0].part[0]);
        ok(mrn_trajectory_close(&t, &msg), &msg);
        mrn_header_destroy(&got);
        mrn_header_destroy(&c);
    }
}

static void xdmf(void **unused)
{
    (void)unused;
    size_t size;
    mrn_message msg = {0};
    mrn_trajectory *t = run(3);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    char *text = slurp(in_dir("trajectory.xdmf"), &size);
    assert_non_null(strstr(text, "<Attribute Name=\"orientation\" AttributeType=\"Matrix\""));
    assert_non_null(strstr(text, "/frames/000001/grains/q"));
    assert_non_null(strstr(text, "/frames/000001/grains/part"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(polytopes_come_back, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(memory_runs_out, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(damage_is_told, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(vtk, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(csv, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(lammps, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(gsd, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(one_polytope, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(rows_of_shapes, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(xdmf, make_dir, remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
