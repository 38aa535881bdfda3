/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Broken FCLIB files: each is a good one with one thing changed, and is refused with a message that
   names the dataset. Cut and garbled files end in an error or a problem, never in a crash. */
#include "fclib/fclib_helper.h"

#include <sys/wait.h>

#define GARBLED 300

static mrn_message msg;

/* Good files to break: local with constraints and answers, global with constraints, rolling. */
static mrn_problem base_local, base_global;

static void write_good(const char *path, char form)
{
    double r[12] = {1, 2, 3};
    mrn_fclib_save save = {.guess = r, .answer = r, .global = form == 'g', .overwrite = true};
    ok(mrn_fclib_write(path, form == 'g' ? &base_global : &base_local, &save, &msg), &msg);
    hid_t f = open_file(path, false);
    if (form == 'v') {
        const double V[12] = {1, 0, 2}, R[1] = {1}, s[1] = {1};
        put_matrix(f, "/fclib_local/V", 12, 1, V, BY_ROWS, false);
        put_matrix(f, "/fclib_local/R", 1, 1, R, TRIPLETS, false);
        put_reals(f, "/fclib_local/vectors/s", 1, s);
    }
    H5Fclose(f);
}

/* A copy of the good file of a form. */
static void make_good(const char *path, char form)
{
    char name[] = {'g', 'o', 'o', 'd', '-', form, '\0'};
    size_t size;
    char *bytes = slurp(in_dir(name), &size);
    spill(path, bytes, size);
    free(bytes);
}

/* What is done to a good file. */
typedef enum change {
    INTEGER, /* a whole number or a list of one                */
    FIRST,   /* the first number of a list of whole numbers    */
    LAST,    /* the last one                                   */
    FIRST_REAL,
    LONGER,  /* one more entry                                 */
    SHORTER, /* one fewer                                      */
    MISSING,
    AS_REALS,  /* whole numbers become reals                     */
    AS_INTS,   /* reals become whole numbers                     */
    AS_TABLE,  /* a list becomes a table of one column           */
    AS_GROUP,  /* a dataset becomes an empty group               */
    UNWRITTEN, /* sizes without numbers                          */
    HUGE_LIST, /* 2^40 entries that were never written           */
    WIDE,      /* 64-bit whole numbers, one of which needs them  */
} change;

typedef struct list {
    hid_t type;
    hsize_t n;
    int32_t *whole;
    double *real;
} list;

static list read_list(hid_t f, const char *name)
{
    list l = {0};
    hid_t d = H5Dopen2(f, name, H5P_DEFAULT), space = H5Dget_space(d), type = H5Dget_type(d);
    H5Sget_simple_extent_dims(space, &l.n, NULL);
    bool whole = H5Tget_class(type) == H5T_INTEGER;
    l.type = whole ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE;
    l.whole = calloc(l.n + 1, sizeof *l.whole);
    l.real = calloc(l.n + 1, sizeof *l.real);
    assert_true(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, l.real) >= 0);
    if (whole)
        assert_true(H5Dread(d, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, l.whole) >= 0);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(d);
    return l;
}

static void put_list(hid_t f, const char *name, hid_t type, hsize_t n, const list *l)
{
    put(f, name, type, 1, &n,
        type == H5T_NATIVE_INT32 ? (const void *)l->whole : (const void *)l->real);
}

static void put_wide(hid_t f, const char *name, const list *l)
{
    int64_t *wide = calloc(l->n, sizeof *wide);
    for (hsize_t k = 0; k < l->n; k++)
        wide[k] = l->whole[k];
    wide[0] = INT64_C(1) << 40;
    put(f, name, H5T_NATIVE_INT64, 1, &l->n, wide);
    free(wide);
}

static void apply(hid_t f, const char *name, change what, double value)
{
    if (what == INTEGER) {
        put_int(f, name, (int32_t)value);
        return;
    }
    list l = read_list(f, name);
    hid_t other = l.type == H5T_NATIVE_INT32 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
    if (what == FIRST)
        l.whole[0] = (int32_t)value;
    if (what == LAST)
        l.whole[l.n - 1] = (int32_t)value;
    if (what == FIRST_REAL)
        l.real[0] = value;
    if (what <= FIRST_REAL)
        put_list(f, name, l.type, l.n, &l);
    else if (what == LONGER || what == SHORTER)
        put_list(f, name, l.type, what == LONGER ? l.n + 1 : l.n - 1, &l);
    else if (what == MISSING || what == AS_GROUP)
        assert_true(H5Ldelete(f, name, H5P_DEFAULT) >= 0);
    else if (what == AS_REALS || what == AS_INTS)
        put_list(f, name, other, l.n, &l);
    else if (what == AS_TABLE)
        put(f, name, l.type, 2, (hsize_t[]){l.n, 1},
            l.type == H5T_NATIVE_INT32 ? (void *)l.whole : (void *)l.real);
    else if (what == WIDE)
        put_wide(f, name, &l);
    else
        put(f, name, l.type, 1, (hsize_t[]){what == UNWRITTEN ? l.n : (hsize_t)1 << 40}, NULL);
    if (what == AS_GROUP)
        H5Gclose(H5Gcreate2(f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    free(l.whole);
    free(l.real);
}

#define L "/fclib_local/"
#define G "/fclib_global/"
typedef struct broken {
    char form; /* l: local, v: local with constraints, g: global */
    const char *name;
    change what;
    double value;
    const char *told; /* NULL: the name of what was changed */
} broken;

static const broken breaks[] = {
    {'l', L "spacedim", INTEGER, 4, NULL},
    {'l', L "spacedim", INTEGER, 2, L "vectors/mu"},
    {'l', L "spacedim", INTEGER, -3, NULL},
    {'l', L "spacedim", INTEGER, 0, NULL},
    {'l', L "spacedim", AS_REALS, 0, NULL},
    {'l', L "spacedim", LONGER, 0, NULL},
    {'l', L "spacedim", MISSING, 0, NULL},
    {'l', L "W/m", INTEGER, -1, NULL},
    {'l', L "W/m", INTEGER, 11, L "W/p"},
    {'l', L "W/m", INTEGER, INT32_MAX, L "W/p"},
    {'l', L "W/m", INTEGER, 0, L "W/p"},
    {'l', L "W/m", MISSING, 0, NULL},
    {'l', L "W/n", INTEGER, -12, NULL},
    {'l', L "W/n", INTEGER, 3, L "W/i"},
    {'l', L "W/n", INTEGER, 15, L "W: is 12 x 15"},
    {'l', L "W/nz", INTEGER, -3, NULL},
    {'l', L "W/nz", INTEGER, 5, L "W/p"},
    {'l', L "W/nz", INTEGER, 1000000, NULL},
    {'l', L "W/nzmax", INTEGER, -1, NULL},
    {'l', L "W/nzmax", INTEGER, 4, L "W/i"},
    {'l', L "W/nzmax", WIDE, 0, NULL},
    {'l', L "W/p", FIRST, 1, NULL},
    {'l', L "W/p", FIRST, -1, NULL},
    {'l', L "W/p", LAST, 100000, NULL},
    {'l', L "W/p", LAST, -1, NULL},
    {'l', L "W/p", LONGER, 0, NULL},
    {'l', L "W/p", SHORTER, 0, NULL},
    {'l', L "W/p", MISSING, 0, NULL},
    {'l', L "W/p", AS_REALS, 0, NULL},
    {'l', L "W/p", AS_TABLE, 0, NULL},
    {'l', L "W/p", HUGE_LIST, 0, NULL},
    {'l', L "W/i", FIRST, -1, NULL},
    {'l', L "W/i", LAST, 12, NULL},
    {'l', L "W/i", SHORTER, 0, L "W/x"},
    {'l', L "W/i", WIDE, 0, NULL},
    {'l', L "W/i", AS_GROUP, 0, NULL},
    {'l', L "W/i", UNWRITTEN, 0, NULL},
    {'l', L "W/x", FIRST_REAL, NAN, NULL},
    {'l', L "W/x", FIRST_REAL, INFINITY, NULL},
    {'l', L "W/x", SHORTER, 0, NULL},
    {'l', L "W/x", LONGER, 0, NULL},
    {'l', L "W/x", AS_INTS, 0, NULL},
    {'l', L "W/x", MISSING, 0, NULL},
    {'l', L "W/x", AS_TABLE, 0, NULL},
    {'l', L "W/x", HUGE_LIST, 0, NULL},
    {'l', L "vectors/q", SHORTER, 0, NULL},
    {'l', L "vectors/q", LONGER, 0, NULL},
    {'l', L "vectors/q", FIRST_REAL, NAN, NULL},
    {'l', L "vectors/q", MISSING, 0, NULL},
    {'l', L "vectors/q", AS_GROUP, 0, NULL},
    {'l', L "vectors/mu", FIRST_REAL, -0.1, NULL},
    {'l', L "vectors/mu", FIRST_REAL, INFINITY, NULL},
    {'l', L "vectors/mu", SHORTER, 0, NULL},
    {'l', L "vectors/mu", AS_INTS, 0, NULL},
    {'l', L "vectors/mu", MISSING, 0, NULL},
    {'l', "/guesses/1/r", SHORTER, 0, NULL},
    {'l', "/guesses/1/r", FIRST_REAL, NAN, NULL},
    {'l', "/guesses/number_of_guesses", AS_REALS, 0, NULL},
    {'l', "/solution/r", LONGER, 0, NULL},
    {'l', "/solution/r", AS_INTS, 0, NULL},
    {'v', L "vectors/s", MISSING, 0, NULL},
    {'v', L "vectors/s", LONGER, 0, NULL},
    {'v', L "R/x", FIRST_REAL, 0, L "R: singular"},
    {'v', L "R/m", INTEGER, 2, L "R: is 2 x 1"},
    {'v', L "R/nz", INTEGER, 2, NULL},
    {'v', L "R/i", FIRST, 1, NULL},
    {'v', L "R/p", FIRST, 1, NULL},
    {'v', L "V/n", INTEGER, 2, L "V: is 12 x 2"},
    {'v', L "V/m", INTEGER, 9, L "V/p"},
    {'g', G "M/n", INTEGER, 24, G "M/p"},
    {'g', G "M/n", INTEGER, 36, G "M: is 30 x 36"},
    {'g', G "M/m", INTEGER, INT32_MAX, G "M: is"},
    {'g', G "M/i", LAST, 30, NULL},
    {'g', G "M/p", FIRST, -2, NULL},
    {'g', G "M/x", FIRST_REAL, -5, G "M: the block of body 0"},
    {'g', G "M/x", MISSING, 0, NULL},
    {'g', G "H/m", INTEGER, 36, G "H: has 36 rows"},
    {'g', G "H/n", INTEGER, 13, G "H/n"},
    {'g', G "H/n", INTEGER, 1999999998, G "vectors/mu"},
    {'g', G "H/nz", INTEGER, 7, G "H/p"},
    {'g', G "vectors/f", SHORTER, 0, NULL},
    {'g', G "vectors/f", FIRST_REAL, NAN, NULL},
    {'g', G "vectors/w", LONGER, 0, NULL},
    {'g', G "vectors/mu", AS_TABLE, 0, NULL},
};

/* Refused, with the reason and the file, and nothing kept. */
static void refused(const char *path, mrn_status status, const char *told)
{
    mrn_problem p;
    mrn_fclib_notes notes;
    size_t before = mrn_bytes_in_use();
    mrn_status st = mrn_fclib_read(path, &p, &notes, &msg);
    if (st != status)
        fail_msg("%s: %s instead of %s (%s)", told, mrn_status_text(st), mrn_status_text(status),
                 msg.text);
    expect_text(msg.text, told);
    assert_string_equal(msg.file, path);
    assert_true(mrn_bytes_in_use() == before);
    assert_null(p.q);
    assert_null(notes.form);
}

static void test_breaks(void **state)
{
    (void)state;
    for (int k = 0; k < (int)(sizeof breaks / sizeof *breaks); k++) {
        const broken *b = &breaks[k];
        make_good(in_dir("b.hdf5"), b->form);
        hid_t f = open_file(in_dir("b.hdf5"), false);
        apply(f, b->name, b->what, b->value);
        H5Fclose(f);
        refused(in_dir("b.hdf5"), MRN_ERR_INPUT, b->told != NULL ? b->told : b->name);
    }
}

/* The same files unbroken are read: the refusals above are due to the change alone. */
static void test_good(void **state)
{
    (void)state;
    for (const char *form = "lvg"; *form != '\0'; form++) {
        mrn_problem p;
        make_good(in_dir("good.hdf5"), *form);
        ok(mrn_fclib_read(in_dir("good.hdf5"), &p, NULL, &msg), &msg);
        assert_int_equal(p.n, 4);
        mrn_problem_release(&p);
    }
}

static void test_other_files(void **state)
{
    (void)state;
    hid_t f = open_file(in_dir("o.hdf5"), true);
    put_int(f, "/something/else", 1);
    H5Fclose(f);
    refused(in_dir("o.hdf5"), MRN_ERR_INPUT, "not a contact problem");
    f = open_file(in_dir("o.hdf5"), true);
    put_int(f, "/fclib_local", 1);
    H5Fclose(f);
    refused(in_dir("o.hdf5"), MRN_ERR_INPUT, "/fclib_local/W/nzmax");
    refused(in_dir("none.hdf5"), MRN_ERR_IO, "cannot open");
    refused(test_dir, MRN_ERR_IO, "directory");
    spill(in_dir("o.hdf5"), "", 0);
    refused(in_dir("o.hdf5"), MRN_ERR_IO, "not an HDF5 file");
    spill(in_dir("o.hdf5"), "Hello", 5);
    refused(in_dir("o.hdf5"), MRN_ERR_IO, "not an HDF5 file");
}

/* Reads damaged files in a process of its own: HDF5 keeps some of its memory when it meets damage,
   which is neither ours nor a fault of what is tested here. */
static void in_a_child(void (*work)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        in_child = true;
        work();
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void must(bool good)
{
    if (!good)
        _exit(9);
}

/* An error or a problem; whatever was made of the file can be released, and no file stays open. */
static mrn_status survives(const char *path)
{
    mrn_problem p;
    mrn_fclib_notes notes;
    size_t before = mrn_bytes_in_use();
    mrn_status st = mrn_fclib_read(path, &p, &notes, &msg);
    must(st == MRN_OK || st == MRN_ERR_INPUT || st == MRN_ERR_IO);
    mrn_problem_release(&p);
    mrn_fclib_notes_release(&notes);
    must(mrn_bytes_in_use() == before);
    must(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
    return st;
}

static void cut(void)
{
    size_t size;
    char *whole = slurp(in_dir("good-l"), &size);
    for (int k = 0; k < 60; k++) {
        spill(in_dir("c.hdf5"), whole, size * (size_t)k / 60);
        must(survives(in_dir("c.hdf5")) != MRN_OK);
    }
    free(whole);
}

static void test_cut(void **state)
{
    (void)state;
    in_a_child(cut);
}

/* Bytes changed at random, in the numbers and in the structure of the file. */
static void garble(void)
{
    mrn_rng g = mrn_rng_seed(77, 0);
    const char *good[] = {"good-l", "good-v", "good-g"};
    int read = 0;
    for (int k = 0; k < GARBLED; k++) {
        size_t size;
        char *bytes = slurp(in_dir(good[k % 3]), &size);
        for (int e = 0; e < 1 + k % 20; e++) {
            size_t at = mrn_rng_next(&g) % size;
            bytes[at] = (char)mrn_rng_next(&g);
        }
        spill(in_dir("r.hdf5"), bytes, size);
        free(bytes);
        read += survives(in_dir("r.hdf5")) == MRN_OK;
    }
    must(read > 0 && read < GARBLED); /* the damage is neither always fatal nor never felt */
}

static void test_garbled(void **state)
{
    (void)state;
    in_a_child(garble);
}

/* HDF5 says nothing by itself, and prints again afterwards if it did before. */
static void test_silent(void **state)
{
    (void)state;
    fflush(stderr);
    int kept = dup(2), pipe_of[2];
    assert_int_equal(pipe(pipe_of), 0);
    dup2(pipe_of[1], 2);
    mrn_problem p;
    make_good(in_dir("b.hdf5"), 'l');
    hid_t f = open_file(in_dir("b.hdf5"), false);
    apply(f, L "W/i", AS_GROUP, 0);
    H5Fclose(f);
    mrn_status st = mrn_fclib_read(in_dir("b.hdf5"), &p, NULL, &msg);
    spill(in_dir("b.hdf5"), "\211HDF\r\n\032\n and nothing more", 24);
    mrn_status st2 = mrn_fclib_read(in_dir("b.hdf5"), &p, NULL, &msg);
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    close(pipe_of[1]);
    char byte;
    assert_int_equal(read(pipe_of[0], &byte, 1), 0);
    close(pipe_of[0]);
    assert_int_equal(st, MRN_ERR_INPUT);
    assert_int_equal(st2, MRN_ERR_IO);
}

static int set_up(void **state)
{
    base_local = local_problem(MRN_CONTACT_3D, 4, 70);
    base_global = global_problem(MRN_CONTACT_3D, 4, 71);
    if (make_dir(state) != 0)
        return -1;
    write_good(in_dir("good-l"), 'l');
    write_good(in_dir("good-v"), 'v');
    write_good(in_dir("good-g"), 'g');
    return 0;
}

static int tear_down(void **state)
{
    mrn_problem_release(&base_local);
    mrn_problem_release(&base_global);
    return remove_dir(state);
}

/* Headers of heaps that say what cannot be: HDF5 1.10 copies as many bytes as they tell (a length
   of -1 ended the program), so that they are refused before it sees them. */
static void test_heaps(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint64_t value;
    } lie[] = {{8, UINT64_MAX}, {8, 1 << 30},         {8, 8},
               {16, 1 << 20},   {24, UINT64_MAX - 7}, {24, 1 << 30}};
    for (size_t k = 0; k < sizeof lie / sizeof *lie; k++) {
        size_t size, at = 0;
        make_good(in_dir("heap"), 'l');
        char *bytes = slurp(in_dir("heap"), &size);
        while (at + 32 <= size && memcmp(bytes + at, "HEAP", 5) != 0)
            at += 8;
        assert_true(at + 32 <= size);
        memcpy(bytes + at + lie[k].at, &lie[k].value, 8);
        spill(in_dir("heap"), bytes, size);
        free(bytes);
        mrn_problem p;
        msg = (mrn_message){0};
        assert_int_equal(mrn_fclib_read(in_dir("heap"), &p, NULL, &msg), MRN_ERR_IO);
        assert_non_null(strstr(msg.text, "names at byte"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),        cmocka_unit_test(test_breaks),
        cmocka_unit_test(test_other_files), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_garbled),     cmocka_unit_test(test_heaps),
        cmocka_unit_test(test_silent),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
