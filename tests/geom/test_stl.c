/* SPDX-License-Identifier: GPL-3.0-or-later */
/* STL files: what exporters write is read, what is damaged is refused with its place, and nothing
 * crashes. */
#include "geom/helper.h"

#include <unistd.h>

#include "geom/mesh.h"
#include "geom/stl.h"

static char folder[64], path[96];

static int open_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/moraine-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/wall.stl", folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void write_file(const void *data, size_t size)
{
    unlink(path); /* some file systems flush a file that is cut to nothing and written anew: slow */
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static mrn_status read_text(const char *text, double **soup, int64_t *n, mrn_message *msg)
{
    write_file(text, strlen(text));
    return mrn_stl_read(path, soup, n, msg);
}

#define TRIANGLE                                                                                   \
    "facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 1 0\n endloop\n"     \
    "endfacet\n"

static void reads(const char *text, int64_t expected)
{
    double *soup = NULL;
    int64_t n = 0;
    mrn_message msg = {0};
    if (read_text(text, &soup, &n, &msg) != MRN_OK)
        fail_msg("%s:%d: %s", msg.file, msg.line, msg.text);
    assert_int_equal(n, expected);
    assert_near(soup[3], 1, 0);
    assert_near(soup[7], 1, 0);
    mrn_free(soup);
}

static void ascii_as_exporters_write_it(void **state)
{
    (void)state;
    reads("solid a name with facet in it\n" TRIANGLE "endsolid a name\n", 1);
    reads("solid\n" TRIANGLE TRIANGLE "endsolid", 2);
    reads("solid\n" TRIANGLE, 1); /* no endsolid */
    reads("solid a\n" TRIANGLE "endsolid a\nsolid b\n" TRIANGLE "endsolid b\n", 2);
    reads("\xEF\xBB\xBF \n\tSOLID X\r\nFacet NORMAL 0 0 1\r\nOuter\tLoop\r\nVERTEX 0 0 0\r\n"
          "Vertex +1.0E+0 0 0\r\nvertex 0 1 0\r\nEndLoop\r\nEndFacet\r\nEndSolid X\r\n",
          1);
    reads("solid x\rfacet normal 0 0 1\router loop\rvertex 0 0 0\rvertex 1 0 0\rvertex 0 1 0\r"
          "endloop\rendfacet\rendsolid\r",
          1); /* lone CR */
    reads("solid x facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop "
          "endfacet endsolid",
          1); /* one line */
    reads("solid x\nfacet normal nan nan nan\nouter loop\nvertex 0 0 0 vertex 1 0 0 vertex 0 1. 0\n"
          "endloop endfacet",
          1); /* normals are not used */
}

static void refuses(const char *text, int line, int column, const char *part)
{
    double *soup = NULL;
    int64_t n = 0;
    mrn_message msg = {0};
    size_t before = mrn_bytes_in_use();
    assert_int_equal(read_text(text, &soup, &n, &msg), MRN_ERR_INPUT);
    assert_null(soup);
    assert_int_equal(mrn_bytes_in_use(), before);
    assert_string_equal(msg.file, path);
    if (strstr(msg.text, part) == NULL)
        fail_msg("'%s' does not mention '%s'", msg.text, part);
    assert_int_equal(msg.line, line);
    assert_int_equal(msg.column, column);
    assert_int_equal(mrn_stl_read(path, &soup, &n, NULL), MRN_ERR_INPUT);
}

static void ascii_errors_have_a_place(void **state)
{
    (void)state;
    refuses("solid\n" TRIANGLE "facet normal 0 0 1\nouter loop\nvertex 0 0 0\n", 12, 1,
            "ends within");
    refuses("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n", 4, 12, "'zero'");
    refuses("solid\r\nfacet normal 0 0 1\r\nouter loop\r\n  vertex 0 nan 0\r\n", 4, 12,
            "not a finite");
    refuses("solid\rfacet normal 0 0 1\router loop\rvertex 0 0 inf", 4, 12, "not a finite");
    refuses("solid\n" TRIANGLE "fact normal 0 0 1\n", 9, 1, "'fact'");
    refuses("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\n"
            "vertex 0 1 0\nendloop\n",
            7, 1, "'vertex'"); /* a quadrangle */
    refuses("solid\nfacet normal 0 0 1 0 0 0 0\nouter loop\n", 2, 20, "'0'");
    refuses("solid\nendsolid\n", 0, 0, "no triangles");
    refuses("hello", 0, 0, "not an STL file");
    write_file("", 0);
    double *soup;
    int64_t n;
    mrn_message msg = {0};
    assert_int_equal(mrn_stl_read(path, &soup, &n, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "empty"));
    assert_int_equal(mrn_stl_read(folder, &soup, &n, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "directory"));
    assert_int_equal(mrn_stl_read("/nonexistent/x.stl", &soup, &n, &msg), MRN_ERR_IO);
}

/* ---- binary ---- */

enum { N = 40, SIZE = 84 + 50 * N };

/* N random triangles, binary; `numbers` gets their coordinates. */
static void binary(unsigned char *file, float *numbers, const char *header)
{
    mrn_rng r = mrn_rng_seed(1, 0);
    memset(file, ' ', SIZE);
    memcpy(file, header, strlen(header));
    uint32_t n = N;
    memcpy(file + 80, &n, 4); /* tests run on little-endian machines */
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 9; k++)
            numbers[9 * i + k] = (float)between(&r, -10, 10);
        memset(file + 84 + 50 * i, 0, 12);
        memcpy(file + 84 + 50 * i + 12, numbers + 9 * i, 36);
    }
}

static void binary_equals_ascii(void **state)
{
    (void)state;
    static unsigned char file[SIZE];
    static float numbers[9 * N];
    const char *headers[] = {"exported by a program", "solid but binary all the same"};
    for (int h = 0; h < 2; h++) {
        binary(file, numbers, headers[h]);
        write_file(file, SIZE);
        double *soup = NULL, *text_soup = NULL;
        int64_t n;
        mrn_message msg;
        assert_int_equal(mrn_stl_read(path, &soup, &n, &msg), MRN_OK);
        assert_int_equal(n, N);
        static char text[400 * N];
        int at = sprintf(text, "solid test\n");
        for (int i = 0; i < N; i++) {
            at += sprintf(text + at, "facet normal 0 0 0\nouter loop\n");
            for (int k = 0; k < 9; k++) /* 9 digits give a single precision number back */
                at += sprintf(text + at, "%s %.9g%s", k % 3 ? "" : "vertex",
                              (double)numbers[9 * i + k], k % 3 == 2 ? "\n" : "");
            at += sprintf(text + at, "endloop\nendfacet\n");
        }
        assert_int_equal(read_text(text, &text_soup, &n, &msg), MRN_OK);
        assert_int_equal(n, N);
        for (int i = 0; i < 9 * N; i++) {
            assert_true(soup[i] == (double)numbers[i]);
            assert_true((float)text_soup[i] == numbers[i]);
        }
        mrn_free(soup);
        mrn_free(text_soup);
    }
}

static void refuses_bytes(const void *data, size_t size, const char *part)
{
    double *soup = NULL;
    int64_t n;
    mrn_message msg = {0};
    write_file(data, size);
    assert_int_equal(mrn_stl_read(path, &soup, &n, &msg), MRN_ERR_INPUT);
    assert_null(soup);
    assert_string_equal(msg.file, path);
    if (strstr(msg.text, part) == NULL)
        fail_msg("'%s' does not mention '%s'", msg.text, part);
}

static void damaged_binary_is_refused(void **state)
{
    (void)state;
    static unsigned char file[SIZE + 1];
    static float numbers[9 * N];
    for (int solid = 0; solid < 2; solid++) {
        const char *header = solid ? "solid" : "";
        binary(file, numbers, header);
        refuses_bytes(file, SIZE - 1,
                      "counts 40 triangles, which take 2084 bytes, but the file has 2083");
        refuses_bytes(file, SIZE + 1, "has 2085");
        refuses_bytes(file, 84, "has 84");
        memset(file + 80, 0xff, 4); /* four billion triangles: distinguished from the size, never
                                     * allocated
                                     */
        refuses_bytes(file, SIZE, "4294967295");
        memset(file + 80, 0, 4);
        refuses_bytes(file, 84, "no triangles");
        binary(file, numbers, header);
        memset(file + 84 + 50 * 6 + 12 + 4, 0xff, 4); /* nan */
        refuses_bytes(file, SIZE, "triangle 7 (byte 400)");
    }
}

/* Random damage: any outcome but a crash, a hang or a leak; what is read is finite. */
static void random_damage_never_crashes(void **state)
{
    (void)state;
    static unsigned char good[SIZE], file[SIZE];
    static float numbers[9 * N];
    mrn_rng r = mrn_rng_seed(77, 0);
    size_t before = mrn_bytes_in_use();
    int accepted = 0;
    for (int k = 0; k < 3000; k++) {
        size_t size = SIZE;
        if (k % 2 == 0) {
            binary(good, numbers, k % 4 ? "solid" : "x");
        } else {
            const char *one = "solid\n" TRIANGLE TRIANGLE TRIANGLE "endsolid\n";
            size = strlen(one);
            memcpy(good, one, size);
        }
        memcpy(file, good, size);
        for (uint64_t flips = mrn_rng_next(&r) % 6; flips > 0; flips--)
            file[mrn_rng_next(&r) % size] ^= (unsigned char)(1u << mrn_rng_next(&r) % 8);
        if (k % 3 == 0)
            size = mrn_rng_next(&r) % size + 1;
        write_file(file, size);
        double *soup = NULL;
        int64_t n = 0;
        mrn_message msg = {0};
        mrn_status s = mrn_stl_read(path, &soup, &n, &msg);
        assert_true(s == MRN_OK || s == MRN_ERR_INPUT);
        if (s == MRN_OK) {
            accepted++;
            for (int64_t i = 0; i < 9 * n; i++)
                assert_true(isfinite(soup[i]));
            mrn_mesh *m = NULL;
            if (mrn_mesh_create(soup, n, &m, &msg) == MRN_OK) {
                int32_t f[8];
                mrn_mesh_near(m, mrn_v3(0, 0, 0), 1, f, 8);
            }
            mrn_mesh_destroy(&m);
            mrn_free(soup);
        }
    }
    assert_int_equal(mrn_bytes_in_use(), before);
    assert_in_range(accepted, 300, 2700); /* the test is neither all damage nor none */
}

/* ---- as a wall ---- */

static wall mesh_wall(void)
{
    wall w = wall_of("mesh");
    snprintf(value_of(&w, "file")->text, sizeof w.value[0].text, "%s", path);
    return w;
}

static void mesh_wall_is_scaled_and_placed(void **state)
{
    (void)state;
    const char *text = "solid\n" TRIANGLE "endsolid\n";
    write_file(text, strlen(text));
    wall w = mesh_wall();
    set_number(&w, "scale", 0.001);
    set_vector(&w, "translate", 1, 2, 3);
    assert_int_equal(build(&w, 3), MRN_OK);
    assert_true(apart(w.x, mrn_v3(1, 2, 3)) == 0 && w.q.w == 1);
    mrn_vec3 lo, hi, p, n;
    w.type->bounds(&w.shape, &lo, &hi);
    assert_true(apart(lo, mrn_v3(0, 0, 0)) == 0 && apart(hi, mrn_v3(0.001, 0.001, 0)) == 0);
    assert_near(w.type->closest(&w.shape, 0, mrn_v3(0.0003, 0.0003, -0.5), &p, &n), 0.5, 0);
    assert_near(n.z, -1, 0);
    mrn_triangles t;
    assert_int_equal(w.type->triangles(&w.shape, 1, 1, &t), MRN_OK);
    assert_int_equal(t.n_points, 3);
    assert_int_equal(t.n_triangles, 1);
    mrn_free(t.point);
    mrn_free(t.corner);
    mrn_shape_release(&w.shape);
}

static void mesh_wall_errors_name_both_files(void **state)
{
    (void)state;
    const char *text = "solid\nfacet oops\n";
    write_file(text, strlen(text));
    wall w = mesh_wall();
    assert_int_equal(build(&w, 3), MRN_ERR_INPUT);
    assert_string_equal(w.msg.file, path);
    assert_non_null(strstr(w.msg.hint, "line 10, column 3"));
    snprintf(w.value[0].text, sizeof w.value[0].text, "%s", "/nonexistent.stl");
    assert_int_equal(build(&w, 3), MRN_ERR_INPUT);
    assert_string_equal(w.msg.file, ""); /* the reader puts the scene's name */
    assert_int_equal(w.msg.line, 10);
    assert_non_null(strstr(w.msg.text, "/nonexistent.stl"));
    text =
        "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 2 0 0\nendloop\n"
        "endfacet\n";
    write_file(text, strlen(text));
    w = mesh_wall();
    assert_int_equal(build(&w, 3), MRN_ERR_INPUT);
    assert_non_null(strstr(w.msg.text, "none of the 1 triangles"));
    assert_string_equal(w.msg.file, path);
    set_number(&w, "scale", 0);
    assert_int_equal(build(&w, 3), MRN_ERR_INPUT);
    assert_int_equal(build(&w, 2), MRN_ERR_INPUT);
    assert_non_null(strstr(w.msg.text, "3D"));
}

static void mesh_wall_survives_failing_memory(void **state)
{
    (void)state;
    const char *text = "solid\n" TRIANGLE TRIANGLE "endsolid\n";
    write_file(text, strlen(text));
    size_t before = mrn_bytes_in_use();
    wall w = mesh_wall();
    int k = 1;
    for (;; k++) {
        mrn_alloc_fail_at(k);
        mrn_status s = build(&w, 3);
        mrn_alloc_fail_at(0);
        if (s == MRN_OK)
            break;
        assert_int_equal(s, MRN_ERR_MEMORY);
        assert_int_equal(w.msg.status, MRN_ERR_MEMORY);
        mrn_shape_release(&w.shape);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(k > 9);
    mrn_shape_release(&w.shape);
    assert_int_equal(mrn_bytes_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_as_exporters_write_it),
        cmocka_unit_test(ascii_errors_have_a_place),
        cmocka_unit_test(binary_equals_ascii),
        cmocka_unit_test(damaged_binary_is_refused),
        cmocka_unit_test(random_damage_never_crashes),
        cmocka_unit_test(mesh_wall_is_scaled_and_placed),
        cmocka_unit_test(mesh_wall_errors_name_both_files),
        cmocka_unit_test(mesh_wall_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
