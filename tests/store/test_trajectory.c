/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trajectories: what is written is read, a resumed file equals an uninterrupted one, a killed run
   leaves all its frames, and every failure has a message. */
#include "store/files_helper.h"

#include <hdf5.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static mrn_trajectory *create(const char *dir, double resume, int dimension)
{
    mrn_message msg = {0};
    mrn_header c = sample_cast(dimension);
    mrn_trajectory *t = NULL;
    ok(mrn_trajectory_create(dir, &c, resume, &t, &msg), &msg);
    mrn_header_destroy(&c);
    return t;
}

/* Bodies and contacts come and go between frames. */
static mrn_frame frame_of_run(int k)
{
    return sample_frame(k, 5 + k % 3, k % 4);
}

static void append_frames(mrn_trajectory *t, int first, int end)
{
    mrn_message msg = {0};
    for (int k = first; k < end; k++) {
        mrn_frame f = frame_of_run(k);
        ok(mrn_trajectory_append(t, &f, &msg), &msg);
        mrn_frame_destroy(&f);
    }
}

static void close_it(mrn_trajectory **t)
{
    mrn_message msg = {0};
    ok(mrn_trajectory_close(t, &msg), &msg);
    assert_null(*t);
}

/* The folder holds frames 0 … n-1 of the run, bit for bit. */
static void holds_frames(const char *dir, int n)
{
    mrn_message msg = {0};
    mrn_trajectory *t = NULL;
    ok(mrn_trajectory_open(dir, &t, &msg), &msg);
    assert_int_equal(mrn_trajectory_frames(t), n);
    for (int k = 0; k < n; k++) {
        mrn_frame want = frame_of_run(k), got = {0};
        assert_true(mrn_trajectory_time(t, k) == want.time);
        ok(mrn_trajectory_read(t, k, &got, &msg), &msg);
        same_frame(&want, &got);
        mrn_frame_destroy(&want);
        mrn_frame_destroy(&got);
    }
    close_it(&t);
}

static void round_trip(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_message msg = {0};
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_trajectory *t = create(test_dir, NAN, dimension);
        int n = dimension == 2 ? 5 : 70; /* 70: the file is opened anew on the way */
        append_frames(t, 0, n);
        close_it(&t);
        holds_frames(dimension == 3 ? test_dir : in_dir("trajectory.h5"), n);
    }
    mrn_trajectory *t = NULL;
    mrn_header c = {0}, want = sample_cast(3);
    mrn_frame f = {0};
    ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
    assert_int_equal(mrn_trajectory_read(t, 70, &f, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_trajectory_read(t, -1, &f, &msg), MRN_ERR_RANGE);
    assert_true(isnan(mrn_trajectory_time(t, 70)));
    assert_true(mrn_trajectory_append(t, &f, &msg) < 0); /* opened for reading */
    ok(mrn_trajectory_header(t, &c, &msg), &msg);
    assert_string_equal(c.title, want.title);
    assert_int_equal(c.n_walls, 2);
    assert_string_equal(c.wall_name[1], "gate");
    assert_string_equal(c.group_name[1], "stones, large");
    assert_string_equal(c.material_name[0], "glass");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(c.wall[i].n_points, want.wall[i].n_points);
        assert_int_equal(c.wall[i].n_triangles, want.wall[i].n_triangles);
        SAME(c.wall[i].point, want.wall[i].point, c.wall[i].n_points, 3);
        SAME(c.wall[i].corner, want.wall[i].corner, c.wall[i].n_triangles, 3);
    }
    mrn_header_destroy(&c);
    mrn_header_destroy(&want);
    close_it(&t);
    close_it(&t); /* NULL is fine */
    assert_int_equal(mrn_bytes_in_use(), before);
}

static void flip_and_read(char *whole, size_t size)
{
    mrn_trajectory *t = NULL;
    int refused = 0, frames = 0, named = 0;
    mrn_rng r = mrn_rng_seed(5, 5);
    for (int i = 0; i < 150; i++) {
        mrn_message msg = {0};
        size_t at = (size_t)(mrn_rng_uniform(&r) * (double)size);
        char was = whole[at];
        whole[at] = (char)(was ^ (1 << (int)(8 * mrn_rng_uniform(&r))));
        spill(in_dir("flip.h5"), whole, size);
        whole[at] = was;
        if (mrn_trajectory_open(in_dir("flip.h5"), &t, &msg) != MRN_OK) {
            assert_true(msg.text[0] != '\0');
            refused++;
            continue;
        }
        mrn_header head;
        if (mrn_trajectory_header(t, &head, &msg) == MRN_OK)
            mrn_header_destroy(&head);
        for (int64_t k = 0; k < mrn_trajectory_frames(t); k++) {
            mrn_frame want = frame_of_run((int)k), got = {0};
            if (mrn_trajectory_read(t, k, &got, &msg) == MRN_OK)
                same_frame(&want, &got);
            else
                named += strstr(msg.text, "frame ") == msg.text;
            frames++;
            mrn_frame_destroy(&want);
            mrn_frame_destroy(&got);
        }
        close_it(&t);
    }
    assert_true(frames > 700 && named > 8 && refused < 50);
    /* all that was opened in a damaged file is closed */
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* Bytes of a file of ten frames turned over one by one: what is read is what was written, or the
   file or the frame is refused with a word; never other numbers, never a crash. In a process of its
   own: HDF5 1.10 does not give back blocks of its own when a checksum of its structures is wrong,
   with nothing left open. */
static void flipped_bytes(void **unused)
{
    (void)unused;
    mrn_trajectory *t = create(test_dir, NAN, 3);
    append_frames(t, 0, 10);
    close_it(&t);
    size_t size;
    char *whole = slurp(in_dir("trajectory.h5"), &size);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        flip_and_read(whole, size);
        _exit(0);
    }
    int how = 1;
    waitpid(child, &how, 0);
    assert_int_equal(how, 0);
    free(whole);
}

/* Numbers of another kind, in another file, or by a link that leads there: refused. */
static void foreign_arrays(void **unused)
{
    (void)unused;
    for (int what = 0; what < 3; what++) {
        mrn_message msg = {0};
        mrn_frame got = {0};
        mrn_trajectory *t = create(test_dir, NAN, 3);
        append_frames(t, 0, 2);
        close_it(&t);
        hid_t file = H5Fopen(in_dir("trajectory.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(H5Lmove(file, "frames/000001/grains/radius", file, "old", H5P_DEFAULT,
                            H5P_DEFAULT) >= 0);
        hid_t d = H5Dopen2(file, "old", H5P_DEFAULT), space = H5Dget_space(d);
        hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), made = -1;
        if (what == 0)
            made = H5Dcreate2(file, "frames/000001/grains/radius", H5T_STD_I64LE, space,
                              H5P_DEFAULT, dcpl, H5P_DEFAULT);
        if (what == 1) {
            H5Pset_external(dcpl, "/etc/hostname", 0, H5F_UNLIMITED);
            made = H5Dcreate2(file, "frames/000001/grains/radius", H5T_IEEE_F64LE, space,
                              H5P_DEFAULT, dcpl, H5P_DEFAULT);
        }
        if (what == 2)
            made = H5Lcreate_external("other.h5", "/x", file, "frames/000001/grains/radius",
                                      H5P_DEFAULT, H5P_DEFAULT);
        assert_true(made >= 0);
        if (what < 2)
            H5Dclose(made);
        H5Pclose(dcpl), H5Sclose(space), H5Dclose(d), H5Fclose(file);
        ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
        assert_int_equal(mrn_trajectory_read(t, 1, &got, &msg), MRN_ERR_IO);
        assert_non_null(strstr(msg.text, "frame 1: "));
        ok(mrn_trajectory_read(t, 0, &got, &msg), &msg);
        mrn_frame_destroy(&got);
        close_it(&t);
    }
}

/* A number changed by HDF5 itself, with all of HDF5's own checksums in order: our sum tells, of the
   frame and of the header. */
static void edited_numbers(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_frame got = {0};
    mrn_header head;
    mrn_trajectory *t = create(test_dir, NAN, 3);
    append_frames(t, 0, 3);
    close_it(&t);
    hid_t file = H5Fopen(in_dir("trajectory.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t d = H5Dopen2(file, "frames/000001/grains/radius", H5P_DEFAULT);
    double radius[16];
    assert_true(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, radius) >= 0);
    radius[1] *= 1 + 1e-15;
    assert_true(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, radius) >= 0);
    H5Dclose(d), H5Fclose(file);
    ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
    assert_int_equal(mrn_trajectory_read(t, 1, &got, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "frame 1: "));
    assert_non_null(strstr(msg.text, "its numbers are not those that were written"));
    ok(mrn_trajectory_read(t, 0, &got, &msg), &msg);
    mrn_frame_destroy(&got);
    ok(mrn_trajectory_read(t, 2, &got, &msg), &msg);
    mrn_frame_destroy(&got);
    ok(mrn_trajectory_header(t, &head, &msg), &msg);
    mrn_header_destroy(&head);
    close_it(&t);

    file = H5Fopen(in_dir("trajectory.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t g = H5Gopen2(file, "header", H5P_DEFAULT), a = H5Aopen(g, "dimension", H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, H5T_NATIVE_INT32, &(int32_t){2}) >= 0);
    H5Aclose(a), H5Gclose(g), H5Fclose(file);
    ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
    assert_int_equal(mrn_trajectory_header(t, &head, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "its header is not the one that was written"));
    close_it(&t);
}

static void large_frame(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_trajectory *t = create(test_dir, NAN, dimension);
        mrn_frame f = sample_frame(1, 20000, 30000), got = {0};
        ok(mrn_trajectory_append(t, &f, &msg), &msg);
        close_it(&t);
        ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
        ok(mrn_trajectory_read(t, 0, &got, &msg), &msg);
        same_frame(&f, &got);
        mrn_frame_destroy(&f);
        mrn_frame_destroy(&got);
        close_it(&t);
    }
}

/* Stopped after frame 9, checkpoint at the time of frame 6, resumed: as if never stopped. */
static void resume(void **unused)
{
    (void)unused;
    mkdir(in_dir("whole"), 0777);
    mkdir(in_dir("parts"), 0777);
    mrn_trajectory *t = create(in_dir("whole"), NAN, 3);
    append_frames(t, 0, 20);
    close_it(&t);
    t = create(in_dir("parts"), NAN, 3);
    append_frames(t, 0, 10);
    close_it(&t);
    t = create(in_dir("parts"), 0.1 * 6, 3);
    assert_int_equal(mrn_trajectory_frames(t), 7);
    append_frames(t, 7, 20);
    close_it(&t);
    holds_frames(in_dir("parts"), 20);
    size_t n, m;
    char *a = slurp(in_dir("whole/trajectory.xdmf"), &n);
    char *b = slurp(in_dir("parts/trajectory.xdmf"), &m);
    assert_string_equal(a, b); /* also the same meshes in the same frames */
    free(a);
    free(b);
    /* a time before the first frame keeps nothing, one after the last keeps all */
    t = create(in_dir("parts"), 1e9, 3);
    assert_int_equal(mrn_trajectory_frames(t), 20);
    close_it(&t);
    t = create(in_dir("parts"), -1, 3);
    assert_int_equal(mrn_trajectory_frames(t), 0);
    assert_int_not_equal(access(in_dir("parts/trajectory.xdmf"), F_OK), 0);
    append_frames(t, 0, 3);
    close_it(&t);
    holds_frames(in_dir("parts"), 3);
}

/* ---- killed runs ---- */

static void ended_without_close(void **unused)
{
    (void)unused;
    pid_t child = fork();
    if (child == 0) {
        in_child = true;
        mrn_trajectory *t = create(test_dir, NAN, 3);
        append_frames(t, 0, 7);
        _exit(0);
    }
    int how;
    waitpid(child, &how, 0);
    holds_frames(test_dir, 7);
    mrn_trajectory *t = create(test_dir, 0.1 * 6, 3); /* and can go on */
    append_frames(t, 7, 9);
    close_it(&t);
    holds_frames(test_dir, 9);
}

/* Killed anywhere between two flushes. The parent waits for a number of frames to be on the disk,
   so that the moment varies and the test does not depend on the speed of the machine. */
static void killed(void **unused)
{
    (void)unused;
    for (int round = 0; round < 3; round++) {
        int pipe_end[2];
        assert_int_equal(pipe(pipe_end), 0);
        pid_t child = fork();
        if (child == 0) {
            in_child = true;
            mrn_trajectory *t = create(test_dir, NAN, 3);
            for (int k = 0;; k++) {
                append_frames(t, k, k + 1);
                (void)!write(pipe_end[1], "x", 1);
            }
        }
        close(pipe_end[1]);
        char c;
        int written = 0;
        for (int i = 0; i < 3 + 32 * round; i++)
            written += (int)read(pipe_end[0], &c, 1);
        kill(child, SIGKILL);
        int how;
        waitpid(child, &how, 0);
        close(pipe_end[0]);
        mrn_message msg = {0};
        mrn_trajectory *t = NULL;
        ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
        int n = (int)mrn_trajectory_frames(t);
        close_it(&t);
        assert_true(n >= written);
        holds_frames(test_dir, n);
    }
}

/* Killed in the middle of a commit: the file is still that of three frames, with the arrays of the
   fourth behind it, and the journal holds the rest. */
static void journal_left(void **unused)
{
    (void)unused;
    size_t na, nb;
    mrn_trajectory *t = create(test_dir, NAN, 3);
    append_frames(t, 0, 3);
    close_it(&t);
    char *a = slurp(in_dir("trajectory.h5"), &na);
    t = create(test_dir, 1e9, 3);
    append_frames(t, 3, 4);
    close_it(&t);
    char *b = slurp(in_dir("trajectory.h5"), &nb);
    assert_true(nb > na);
    uint64_t at_size[2] = {0, na}, bytes = 16 + (na + 7) / 8 * 8;
    char *journal = calloc(1, 24 + bytes);
    memcpy(journal, "mrnjrnl", 8);
    memcpy(journal + 16, &bytes, 8);
    memcpy(journal + 24, at_size, 16);
    memcpy(journal + 40, b, na);
    uint64_t hash = mrn_hash(MRN_HASH_START, journal + 24, bytes);
    memcpy(journal + 8, &hash, 8);
    memcpy(b, a, na); /* as before the commit */

    for (int round = 0; round < 3; round++) {
        if (round == 1) /* a journal that was not finished counts for nothing */
            journal[24 + bytes - 100] ^= 1;
        if (round == 2)
            journal[24 + bytes - 100] ^= 1;
        spill(in_dir("trajectory.h5"), b, nb);
        spill(in_dir("trajectory.h5.journal"), journal, 24 + bytes - (round == 2 ? 8 : 0));
        int whole = round == 0 ? 4 : 3;
        holds_frames(test_dir, whole); /* a reader leaves all as it is */
        assert_int_equal(access(in_dir("trajectory.h5.journal"), F_OK), 0);
        t = create(test_dir, 1e9, 3);
        assert_int_not_equal(access(in_dir("trajectory.h5.journal"), F_OK), 0);
        assert_int_equal(mrn_trajectory_frames(t), whole);
        append_frames(t, whole, 6);
        close_it(&t);
        holds_frames(test_dir, 6);
    }
    free(journal);
    free(a);
    free(b);
}

/* ---- failures ---- */

static void set_version(int32_t version)
{
    hid_t file = H5Fopen(in_dir("trajectory.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t a = H5Aopen(file, "version", H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_INT32, &version) >= 0);
    H5Aclose(a);
    assert_true(H5Fclose(file) >= 0);
}

static void bad_files(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_trajectory *t = NULL;
    assert_int_equal(mrn_trajectory_open(in_dir("nowhere"), &t, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "No such file"));
    assert_int_equal(mrn_trajectory_open(test_dir, &t, &msg), MRN_ERR_IO);
    spill(in_dir("text.h5"), "hello", 5);
    assert_int_equal(mrn_trajectory_open(in_dir("text.h5"), &t, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "not an HDF5 file"));
    assert_non_null(strstr(msg.file, "text.h5"));

    hid_t other = H5Fcreate(in_dir("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(other);
    assert_int_equal(mrn_trajectory_open(in_dir("other.h5"), &t, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "not a moraine trajectory"));

    t = create(test_dir, NAN, 3);
    append_frames(t, 0, 5);
    close_it(&t);
    set_version(99);
    assert_int_equal(mrn_trajectory_open(test_dir, &t, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "99"));
    assert_non_null(strstr(msg.hint, "newer"));
    assert_null(t);
    set_version(1); /* as written before the header was called so */
    assert_int_equal(mrn_trajectory_open(test_dir, &t, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "layout 1"));
    assert_non_null(strstr(msg.hint, "run again"));
    assert_null(t);
    set_version(2); /* without checksums */
    assert_int_equal(mrn_trajectory_open(test_dir, &t, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "layout 2"));
    assert_non_null(strstr(msg.hint, "run again"));
    assert_null(t);
}

/* A file cut anywhere opens with an error or reads to its end; no crash, no leak. */
static void cut_short(void **unused)
{
    (void)unused;
    mrn_trajectory *t = create(test_dir, NAN, 3);
    append_frames(t, 0, 3);
    close_it(&t);
    size_t size, before = mrn_bytes_in_use();
    char *whole = slurp(in_dir("trajectory.h5"), &size);
    for (size_t n = 0; n < size; n += size / 61) {
        mrn_message msg = {0};
        spill(in_dir("cut.h5"), whole, n);
        mrn_status st = mrn_trajectory_open(in_dir("cut.h5"), &t, &msg);
        assert_true(st == MRN_ERR_IO && msg.text[0] != '\0');
        assert_null(t);
    }
    /* nor does a writer that cannot go on with it cut it further */
    mrn_message msg = {0};
    mrn_header c = sample_cast(3);
    struct stat info;
    spill(in_dir("trajectory.h5"), whole, size / 2);
    size_t built = mrn_bytes_in_use();
    assert_int_equal(mrn_trajectory_create(test_dir, &c, 0.1, &t, &msg), MRN_ERR_IO);
    assert_null(t);
    assert_int_equal(mrn_bytes_in_use(), built);
    mrn_header_destroy(&c);
    assert_true(stat(in_dir("trajectory.h5"), &info) == 0 && (size_t)info.st_size == size / 2);
    free(whole);
    assert_int_equal(mrn_bytes_in_use(), before);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* In a child with a limit on file sizes: what happens on a full disk. */
static int fill_disk(void)
{
    mrn_message msg = {0};
    mrn_trajectory *t = create(test_dir, NAN, 3);
    append_frames(t, 0, 3);
    signal(SIGXFSZ, SIG_IGN);
    struct stat info;
    stat(in_dir("trajectory.h5"), &info);
    struct rlimit limit = {(rlim_t)info.st_size + 3000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    mrn_frame f = sample_frame(3, 20000, 0);
    mrn_status st = mrn_trajectory_append(t, &f, &msg);
    mrn_frame_destroy(&f);
    bool told = st == MRN_ERR_IO && strstr(msg.hint, "ulimit") != NULL;
    limit.rlim_cur = RLIM_INFINITY; /* somebody made room */
    setrlimit(RLIMIT_FSIZE, &limit);
    append_frames(t, 3, 4);
    close_it(&t);
    return told ? 0 : 1;
}

static void disk_full(void **unused)
{
    (void)unused;
    pid_t child = fork();
    if (child == 0) {
        in_child = true;
        _exit(fill_disk());
    }
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    holds_frames(test_dir, 4);
}

/* A frame that found no memory is not there; the next try writes it. */
static void no_memory(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_trajectory *t = create(test_dir, NAN, 3);
    int64_t tries = 0;
    for (int i = 0; i < 3; i++) {
        mrn_frame f = frame_of_run(i);
        mrn_status st = MRN_ERR_MEMORY;
        for (int64_t k = 1; st != MRN_OK; k++, tries++) {
            mrn_alloc_fail_at(k);
            st = mrn_trajectory_append(t, &f, &msg);
            mrn_alloc_fail_at(0);
            assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
            assert_int_equal(mrn_trajectory_frames(t), i + (st == MRN_OK));
        }
        mrn_frame_destroy(&f);
    }
    assert_true(tries > 8);
    close_it(&t);
    holds_frames(test_dir, 3);

    size_t before = mrn_bytes_in_use();
    mrn_status st = MRN_ERR_MEMORY;
    for (int64_t k = 1; st != MRN_OK; k++) {
        mrn_header c = {0};
        mrn_frame f = {0};
        mrn_alloc_fail_at(k);
        st = mrn_trajectory_open(test_dir, &t, &msg);
        if (st == MRN_OK)
            st = mrn_trajectory_header(t, &c, &msg);
        if (st == MRN_OK)
            st = mrn_trajectory_read(t, 2, &f, &msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        mrn_frame_destroy(&f);
        mrn_header_destroy(&c);
        mrn_trajectory_close(&t, NULL);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    st = MRN_ERR_MEMORY;
    mrn_header c = sample_cast(3);
    for (int64_t k = 1; st != MRN_OK; k++) {
        mrn_alloc_fail_at(k);
        st = mrn_trajectory_create(test_dir, &c, 0.1, &t, &msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
    }
    assert_int_equal(mrn_trajectory_frames(t), 2);
    close_it(&t);
    mrn_header_destroy(&c);
}

/* ---- XDMF ---- */

/* Every array the text speaks of exists in the HDF5 file with the size it says. */
static void xdmf_matches(void **unused)
{
    (void)unused;
    mrn_trajectory *t = create(test_dir, NAN, 3);
    append_frames(t, 0, 6);
    close_it(&t);
    size_t size;
    char *text = slurp(in_dir("trajectory.xdmf"), &size);
    hid_t file = H5Fopen(in_dir("trajectory.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    int items = 0;
    for (char *p = text; (p = strstr(p, "<DataItem ")) != NULL; p++, items++) {
        long long rows = 0, columns = 1;
        char type[16], path[128];
        int precision;
        assert_true(sscanf(strstr(p, "Dimensions="), "Dimensions=\"%lld %lld", &rows, &columns) >=
                    1);
        assert_int_equal(sscanf(strstr(p, "NumberType="),
                                "NumberType=\"%15[A-Za-z]\" Precision=\"%d", type, &precision),
                         2);
        assert_int_equal(sscanf(strchr(p, '>'), ">trajectory.h5:%127[^<]<", path), 1);
        hid_t d = H5Dopen2(file, path, H5P_DEFAULT);
        assert_true(d >= 0);
        hid_t space = H5Dget_space(d), kind = H5Dget_type(d);
        hsize_t n[2] = {0, 1};
        H5Sget_simple_extent_dims(space, n, NULL);
        assert_true((long long)n[0] == rows && (long long)n[1] == columns);
        assert_int_equal(H5Tget_class(kind), strcmp(type, "Float") == 0 ? H5T_FLOAT : H5T_INTEGER);
        assert_int_equal(H5Tget_size(kind), precision);
        H5Tclose(kind);
        H5Sclose(space);
        H5Dclose(d);
    }
    H5Fclose(file);
    /* 6 frames: grains (13 arrays) and walls (3); 4 of them have contacts (5) */
    assert_int_equal(items, 6 * 16 + 4 * 5);
    free(text);
}

/* Walls that stand still are stored once; a wall that is taken away is no longer shown. */
static void still_and_absent_walls(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_trajectory *t = create(test_dir, NAN, 3);
    for (int k = 0; k < 4; k++) {
        mrn_frame f = sample_frame(0, 3, 0);
        f.time = k;
        if (k == 3)
            f.flags[1] |= MRN_BODY_ABSENT;
        ok(mrn_trajectory_append(t, &f, &msg), &msg);
        mrn_frame_destroy(&f);
    }
    close_it(&t);
    hid_t file = H5Fopen(in_dir("trajectory.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(file, "/frames/000000/mesh", H5P_DEFAULT) > 0);
    assert_true(H5Lexists(file, "/frames/000001/mesh", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "/frames/000002/mesh", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "/frames/000003/mesh", H5P_DEFAULT) > 0);
    H5Fclose(file);
    size_t size;
    char *text = slurp(in_dir("trajectory.xdmf"), &size);
    assert_non_null(strstr(text, "\"Triangle\" NumberOfElements=\"3\""));
    assert_non_null(strstr(text, "\"Triangle\" NumberOfElements=\"2\""));
    free(text);
}

/* Memory of the whole process in use, HDF5's own included; 0 where the allocator does not tell
 * (under a sanitizer). */
static size_t heap(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* The heap does not grow with the frames that are stored, but for the index: 72 bytes each, at most
   doubled as it is made room for. HDF5 kept a note of every hole in the file: 2 kB for each frame.
   What it has for good (lists of free blocks, a cache of fixed size) is there after 200 frames: it
   came and went by 10 kB after that, of 6 MB. */
static void heap_stays(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_trajectory *t = create(test_dir, NAN, 3);
    size_t settled = 0;
    for (int k = 0; k < 600; k++) {
        mrn_frame f = sample_frame(k, 200, 400);
        ok(mrn_trajectory_append(t, &f, &msg), &msg);
        mrn_frame_destroy(&f);
        settled = k == 199 ? heap() : settled;
    }
    long long more = (long long)heap() - (long long)settled;
    close_it(&t);
    if (settled == 0)
        skip();
    if (more > 400 * 2 * 72 + 65536)
        fail_msg("%lld bytes more after 400 frames", more);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(round_trip),          TEST(flipped_bytes), TEST(foreign_arrays),
        TEST(edited_numbers),      TEST(large_frame),   TEST(resume),
        TEST(ended_without_close), TEST(killed),        TEST(journal_left),
        TEST(bad_files),           TEST(cut_short),     TEST(disk_full),
        TEST(no_memory),           TEST(xdmf_matches),  TEST(still_and_absent_walls),
        TEST(heap_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
