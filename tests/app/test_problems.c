/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine problems as a user meets it: the list, a page, files that read back as what was made,
   refusals that leave no file behind. */
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

static char folder[64];

/* Runs `moraine problems ARGS` in the folder; output and messages go to files there. */
static int problems(const char *args)
{
    char line[1024];
    snprintf(line, sizeof line, "cd %s && %s problems %s >out.txt 2>err.txt", folder,
             MRN_TEST_COMMAND, args);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *text_of(const char *name)
{
    static char buf[1 << 18];
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    buf[fread(buf, 1, sizeof buf - 1, f)] = '\0';
    fclose(f);
    return buf;
}

static void expect(const char *args, int code, const char *file, const char *part)
{
    int got = problems(args);
    if (got != code || strstr(text_of(file), part) == NULL)
        fail_msg("problems %s: exit code %d, not %d, or no \"%s\" in: %.600s", args, got, code,
                 part, text_of(file));
}

static bool there(const char *name)
{
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &info) == 0;
}

static void lists(void **state)
{
    (void)state;
    for (int markdown = 0; markdown < 2; markdown++) {
        assert_int_equal(problems(markdown ? "--markdown" : ""), 0);
        for (int i = 0; i < mrn_problem_family_count(); i++) {
            const mrn_problem_family *f = mrn_problem_family_at(i);
            assert_non_null(strstr(text_of("out.txt"), f->name));
            assert_true(!markdown ||
                        strstr(text_of("out.txt"), f->params[f->n_params - 1].name) != NULL);
        }
    }
    expect("packing", 0, "out.txt", "size-spread");
    assert_int_equal(problems("wall --json"), 0);
    json_t *o = json_loads(text_of("out.txt"), 0, NULL);
    assert_non_null(o);
    assert_string_equal(json_string_value(json_object_get(o, "name")), "wall");
    assert_true(json_array_size(json_object_get(o, "parameters")) > 5);
    json_decref(o);
    expect("--help", 0, "out.txt", "--overwrite");
}

static void read_back(const char *name, mrn_problem *p, mrn_fclib_notes *notes)
{
    char path[128];
    mrn_message msg = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ok(mrn_fclib_read(path, p, notes, &msg), &msg);
}

/* Both polytopes hold the problem that the family makes, and its answer. */
static void writes(void **state)
{
    (void)state;
    expect("wall --out w.hdf5 --set bricks=3 --set courses=4 --seed 5", 0, "out.txt", "contacts");
    assert_int_equal(problems("wall -o g.hdf5 -s bricks=3 -s courses=4 --global --json"), 0);
    json_t *o = json_loads(text_of("out.txt"), 0, NULL);
    int contacts = (int)json_integer_value(json_object_get(o, "contacts"));
    assert_string_equal(json_string_value(json_object_get(o, "form")), "global");
    json_decref(o);

    const mrn_problem_family *f = mrn_problem_family_find("wall");
    mrn_value option[MRN_PARAM_MAX];
    mrn_message msg = {0};
    mrn_params_defaults(f->params, f->n_params, option);
    ok(mrn_params_set(f->params, f->n_params, option, "wall", "bricks", "3", &msg), &msg);
    ok(mrn_params_set(f->params, f->n_params, option, "wall", "courses", "4", &msg), &msg);
    mrn_problem made, read[2];
    mrn_fclib_notes notes[2] = {0};
    ok(f->make(option, 5, &made, &msg), &msg);
    assert_int_equal(made.n, contacts);
    read_back("w.hdf5", &read[0], &notes[0]);
    read_back("g.hdf5", &read[1], &notes[1]);
    double *r = mrn_alloc((size_t)(3 * made.n) * sizeof *r);
    ok(f->answer(option, 5, &made, r, &msg), &msg);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(read[k].n, made.n);
        assert_non_null(notes[k].answer);
        for (int i = 0; i < 3 * made.n; i++) {
            /* 1e-15: q of the global form passes through M⁻¹ f and back */
            assert_close(read[k].q[i], made.q[i], 1e-15);
            assert_true(notes[k].answer[i] == r[i]);
        }
        mrn_fclib_notes_release(&notes[k]);
        mrn_problem_release(&read[k]);
    }
    mrn_free(r);
    mrn_problem_release(&made);
}

static void refuses(void **state)
{
    (void)state;
    expect("wal", 2, "err.txt", "did you mean \"wall\"");
    expect("wal --out x.hdf5", 2, "err.txt", "did you mean \"wall\"");
    expect("qqqqqq --out x.hdf5", 2, "err.txt", "no family");
    expect("--out x.hdf5", 2, "err.txt", "needs the name");
    expect("wall --set bricks=3", 2, "err.txt", "--out");
    expect("wall --out x.hdf5 --set brics=3", 2, "err.txt", "did you mean \"bricks\"");
    expect("wall --out x.hdf5 --set bricks=0", 2, "err.txt", "out of range");
    expect("wall --out x.hdf5 --set bricks=2.5", 2, "err.txt", "whole");
    expect("wall --out x.hdf5 --set bricks", 2, "err.txt", "option=value");
    expect("wall --out x.hdf5 --set bricks=1e5 --set courses=1e5", 2, "err.txt", "contacts");
    expect("plate --out x.hdf5 --set contacts=5000", 2, "err.txt", "--global");
    expect("plate --out x.hdf5 --set stored=no", 2, "err.txt", "stored=yes");
    assert_false(there("x.hdf5"));
    assert_int_equal(problems("joints --out j.hdf5"), 0); /* joints are the format's constraints */
    assert_int_equal(problems("chain --out y.hdf5"), 0);
    assert_int_not_equal(problems("chain --out y.hdf5"), 0);
    assert_int_equal(problems("chain --out y.hdf5 --overwrite"), 0);
    assert_int_not_equal(problems("chain --out no/such/folder/y.hdf5"), 0);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/moraine-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(writes),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
