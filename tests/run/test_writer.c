/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames written by a thread of their own: the same file as without it, while another checkpoint is
   written and read; what goes wrong is told with the next frame, or at the end, once. */
/* ctest-labels: threads */
#include "store/files_helper.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "run/job.h"

enum { FRAMES = 12 };

static mrn_trajectory *create(void)
{
    mrn_trajectory *t = NULL;
    mrn_header c = sample_cast(3);
    mrn_message msg = {0};
    ok(mrn_trajectory_create(test_dir, &c, NAN, &t, &msg), &msg);
    mrn_header_destroy(&c);
    return t;
}

/* Everything between the first frame and the end of the file. */
static void write_all(bool beside)
{
    mrn_writer *w = NULL;
    mrn_message msg = {0};
    mrn_trajectory *t = create();
    ok(mrn_writer_create(t, beside, &w, &msg), &msg);
    for (int k = 0; k < FRAMES; k++) {
        mrn_frame f = sample_frame(k, 2000, 500);
        ok(mrn_writer_put(w, &f, &msg), &msg);
        assert_true(f.x == NULL && f.n == 0);
        if (k % 3 == 0) { /* HDF5 is asked by two at a time */
            mrn_scene scene = sample_scene();
            mrn_state s = {0};
            ok(mrn_checkpoint_write(in_dir("checkpoint.h5"), &scene, &s, &msg), &msg);
            mrn_scene_destroy(&scene);
        }
    }
    ok(mrn_writer_destroy(&w, &msg), &msg);
    assert_int_equal(mrn_trajectory_frames(t), FRAMES);
    ok(mrn_trajectory_close(&t, &msg), &msg);
}

static void same_file(void **unused)
{
    (void)unused;
    size_t alone, both, before = mrn_bytes_in_use();
    write_all(false);
    char *a = slurp(in_dir("trajectory.h5"), &alone);
    write_all(true);
    char *b = slurp(in_dir("trajectory.h5"), &both);
    assert_int_equal(alone, both);
    mrn_trajectory *t = NULL;
    mrn_message msg = {0};
    ok(mrn_trajectory_open(test_dir, &t, &msg), &msg);
    for (int k = 0; k < FRAMES; k++) {
        mrn_frame f = sample_frame(k, 2000, 500), g = {0};
        ok(mrn_trajectory_read(t, k, &g, &msg), &msg);
        same_frame(&f, &g);
        mrn_frame_destroy(&f);
        mrn_frame_destroy(&g);
    }
    mrn_trajectory_close(&t, &msg);
    free(a);
    free(b);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* In a child with a limit on file sizes: 0 if the full disk was told as it should be. */
static int fill_disk(bool beside)
{
    mrn_writer *w = NULL;
    mrn_message msg = {0};
    mrn_trajectory *t = create();
    mrn_frame f = sample_frame(0, 50000, 0), g = sample_frame(1, 50, 0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, RLIM_INFINITY});
    if (mrn_writer_create(t, beside, &w, &msg) != MRN_OK)
        return 1;
    mrn_status first = mrn_writer_put(w, &f, &msg);
    mrn_status next = beside ? mrn_writer_put(w, &g, &msg) : first;
    bool told = (beside ? first == MRN_OK : true) && next == MRN_ERR_IO &&
                strstr(msg.hint, "ulimit") != NULL && (beside ? g.n == 0 : g.n > 0);
    mrn_message none = {0};
    told = told && mrn_writer_wait(w, &none) == MRN_OK; /* once */
    mrn_frame_destroy(&g);
    bool ended = mrn_writer_destroy(&w, &none) == MRN_OK && w == NULL;
    mrn_trajectory_close(&t, &none);
    return told && ended ? 0 : 2;
}

static void disk_full(void **unused)
{
    (void)unused;
    for (int beside = 0; beside < 2; beside++) {
        pid_t child = fork();
        if (child == 0)
            _exit(fill_disk(beside != 0));
        int how;
        waitpid(child, &how, 0);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_file, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(disk_full, make_dir, remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
