/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The examples: each passes `moraine check`, can start, has a page and a picture, and is in the
   index; experiments of the lab and calibrations are read, have a page and are in the index; the
   list of `moraine examples` is the list of their folders. */
/* ctest-labels: slow */
/* ctest-timeout: 200 */
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/wait.h>

#include "run/helper.h"

#define FOLDER        MRN_TEST_SOURCE "/examples"
#define MOST          64
#define MOST_PICTURE  300000 /* bytes: pages of examples load quickly */
#define LEAST_PICTURE 2048   /* less is an empty image */

static folder work;
static char *name[MOST]; /* scenes */
static int n_names;
static char *lab[MOST]; /* experiments */
static int n_labs;
static char *bulk[MOST]; /* calibrations */
static int n_bulks;

static bool is_example(const char *entry)
{
    char dir[1024];
    snprintf(dir, sizeof dir, "%s/%s", FOLDER, entry);
    struct stat st;
    /* in C and in Python: tools/test-embedding.sh, tools/test-python.sh */
    bool program = strcmp(entry, "embedding") == 0 || strcmp(entry, "python") == 0;
    return entry[0] != '.' && !program && stat(dir, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_lab(const char *entry)
{
    return strncmp(entry, "lab-", 4) == 0;
}

static bool is_bulk(const char *entry)
{
    return strncmp(entry, "calibrate-", 10) == 0;
}

static int set_up(void **unused)
{
    (void)unused;
    work = make_folder();
    setenv("MORAINE_EXAMPLES", FOLDER, 1);
    DIR *dir = opendir(FOLDER);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL && n_names < MOST && n_labs < MOST;) {
        if (is_example(e->d_name) && is_lab(e->d_name))
            lab[n_labs++] = strdup(e->d_name);
        else if (is_example(e->d_name) && is_bulk(e->d_name) && n_bulks < MOST)
            bulk[n_bulks++] = strdup(e->d_name);
        else if (is_example(e->d_name))
            name[n_names++] = strdup(e->d_name);
    }
    closedir(dir);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    while (n_names > 0)
        free(name[--n_names]);
    while (n_labs > 0)
        free(lab[--n_labs]);
    while (n_bulks > 0)
        free(bulk[--n_bulks]);
    remove_tree(work.path);
    return 0;
}

/* Runs the command in the work folder, stdout and stderr into output.txt; its exit code. */
static int moraine(char *const *argv)
{
    pid_t child = fork();
    if (child == 0) {
        int out =
            chdir(work.path) == 0 ? open("output.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
        if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
            _exit(120);
        execv(argv[0], argv);
        _exit(121);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void expect(int code, int wanted, const char *what, const char *example)
{
    if (code == wanted)
        return;
    char *text = slurp(work.path, "output.txt");
    fail_msg("%s: %s: exit code %d, not %d: %.1500s", example, what, code, wanted, text);
}

static void test_there_are_examples(void **unused)
{
    (void)unused;
    static const char *const promised[] = {"demo",
                                           "bouncing-ball",
                                           "two-sphere-impact",
                                           "settling-box",
                                           "rotating-drum",
                                           "column-collapse",
                                           "hopper-discharge",
                                           "triaxial",
                                           "simple-shear",
                                           "silo-with-inlet",
                                           "clusters-in-a-drum",
                                           "wet-sand-heap",
                                           "vibrated-segregation",
                                           "block-wall",
                                           "arch",
                                           "dominoes",
                                           "machine",
                                           "ballast-box",
                                           "moduli-of-a-packing",
                                           "biaxial-quasistatic",
                                           "granular-gas",
                                           "vibrated-layer"};
    for (size_t k = 0; k < sizeof promised / sizeof promised[0]; k++) {
        bool found = false;
        for (int i = 0; i < n_names; i++)
            found = found || strcmp(name[i], promised[k]) == 0;
        if (!found)
            fail_msg("examples/%s is missing", promised[k]);
    }
}

/* `check` builds the world and chooses the time step; no trial, to be quick. An example sets one:
   it warns of nothing. */
static void check_scene(char *scene)
{
    char *argv[] = {MRN_TEST_COMMAND, "check", scene, "--trial", "0", NULL};
    expect(moraine(argv), 0, "check", scene);
    char *text = slurp(work.path, "output.txt"), *warning = strstr(text, "\n  warning");
    if (warning != NULL)
        fail_msg("%s: %.*s", scene, (int)strcspn(warning + 1, "\n"), warning + 1);
    free(text);
}

static void test_each_is_good(void **unused)
{
    (void)unused;
    for (int i = 0; i < n_names; i++) {
        char scene[1024];
        snprintf(scene, sizeof scene, "%s/%s/scene.yaml", FOLDER, name[i]);
        check_scene(scene);
    }
}

/* A few steps of each: the engine takes it, and the probes it asks for exist. */
static void test_each_starts(void **unused)
{
    (void)unused;
    for (int i = 0; i < n_names; i++) {
        char scene[1024];
        snprintf(scene, sizeof scene, "%s/%s/scene.yaml", FOLDER, name[i]);
        char *argv[] = {MRN_TEST_COMMAND, "run", scene, "--out", name[i], "--quiet", "-t", "1",
                        "--max-steps",    "20",  NULL};
        expect(moraine(argv), 0, "run", name[i]);
        char dir[1024];
        snprintf(dir, sizeof dir, "%s/%s", work.path, name[i]);
        assert_true(there_is(dir, "probes.csv"));
    }
}

static void expect_word(const char *text, const char *word, const char *where)
{
    if (strstr(text, word) == NULL)
        fail_msg("%s does not mention \"%s\"", where, word);
}

static void test_each_has_a_page_and_a_picture(void **unused)
{
    (void)unused;
    char *index = slurp(FOLDER, "README.md");
    for (int i = 0; i < n_names; i++) {
        char dir[512], path[1024], command[600];
        snprintf(dir, sizeof dir, "%s/%s", FOLDER, name[i]);
        snprintf(command, sizeof command, "moraine run examples/%s/scene.yaml", name[i]);
        char *page = slurp(dir, "README.md");
        expect_word(page, command, name[i]);
        expect_word(page, "picture.png", name[i]);
        expect_word(page, "--set", name[i]);
        expect_word(index, name[i], "examples/README.md");
        free(page);
        snprintf(path, sizeof path, "%s/picture.png", dir);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        assert_in_range(st.st_size, LEAST_PICTURE, MOST_PICTURE);
    }
    free(index);
}

static void read_experiment(const char *path)
{
    mrn_experiment e;
    mrn_message msg = {0};
    if (mrn_experiment_read(path, NULL, 0, &e, &msg) != MRN_OK)
        fail_msg("%s:%d:%d: %s", path, msg.line, msg.column, msg.text);
    assert_true(e.title[0] != '\0' && e.measured.source[0] != '\0');
    mrn_experiment_destroy(&e);
}

/* Every file of the lab in the folder of an experiment is read, and says where it comes from. */
static void test_each_experiment(void **unused)
{
    (void)unused;
    char *index = slurp(FOLDER, "README.md");
    assert_true(n_labs >= 4);
    for (int i = 0; i < n_labs; i++) {
        char dir[512], path[1024];
        snprintf(dir, sizeof dir, "%s/%s", FOLDER, lab[i]);
        char *page = slurp(dir, "README.md");
        expect_word(page, lab[i], lab[i]);
        expect_word(page, "--set", lab[i]);
        expect_word(index, lab[i], "examples/README.md");
        free(page);
        assert_true(there_is(dir, "experiment.yaml"));
        DIR *list = opendir(dir);
        for (struct dirent *e; (e = readdir(list)) != NULL;)
            if (strstr(e->d_name, ".yaml") != NULL) {
                snprintf(path, sizeof path, "%s/%.255s", dir, e->d_name);
                read_experiment(path);
            }
        closedir(list);
    }
    free(index);
}

static void read_calibration(const char *dir)
{
    char path[1024];
    mrn_calibration c;
    mrn_message msg = {0};
    snprintf(path, sizeof path, "%s/calibration.yaml", dir);
    if (mrn_calibration_read(path, NULL, 0, &c, &msg) != MRN_OK)
        fail_msg("%s:%d:%d: %s", path, msg.line, msg.column, msg.text);
    for (int k = 0; k < c.n_tests; k++)
        check_scene(c.test[k].path);
    assert_true(c.title[0] != '\0' && c.from[0] != '\0');
    mrn_calibration_destroy(&c);
}

/* Calibrations are read, with their scenes, and say where their measurements come from. */
static void test_each_calibration(void **unused)
{
    (void)unused;
    char *index = slurp(FOLDER, "README.md");
    assert_true(n_bulks >= 1);
    for (int i = 0; i < n_bulks; i++) {
        char dir[512], command[600];
        snprintf(dir, sizeof dir, "%s/%s", FOLDER, bulk[i]);
        snprintf(command, sizeof command, "moraine calibrate examples/%s/calibration.yaml",
                 bulk[i]);
        char *page = slurp(dir, "README.md");
        expect_word(page, command, bulk[i]);
        expect_word(page, "--set", bulk[i]);
        expect_word(index, bulk[i], "examples/README.md");
        free(page);
        read_calibration(dir);
    }
    free(index);
}

/* `moraine examples --json` lists exactly the folders, each with a title; experiments of the lab
   and calibrations stand there too. */
static void test_list(void **unused)
{
    (void)unused;
    char *argv[] = {MRN_TEST_COMMAND, "examples", "--json", NULL};
    expect(moraine(argv), 0, "list", "examples");
    char *text = slurp(work.path, "output.txt");
    json_t *list = json_loads(text, 0, NULL);
    assert_non_null(list);
    size_t k;
    json_t *entry;
    int scenes = 0;
    json_array_foreach(list, k, entry)
    {
        assert_true(strlen(json_string_value(json_object_get(entry, "title"))) > 0);
        bool scene = json_object_get(entry, "scene") != NULL;
        assert_true(scene != (json_object_get(entry, "experiment") != NULL ||
                              json_object_get(entry, "calibration") != NULL));
        scenes += scene;
    }
    assert_int_equal(scenes, n_names);
    assert_int_equal(json_array_size(list), n_names + n_labs + n_bulks);
    json_decref(list);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_are_examples),
        cmocka_unit_test(test_each_is_good),
        cmocka_unit_test(test_each_starts),
        cmocka_unit_test(test_each_has_a_page_and_a_picture),
        cmocka_unit_test(test_each_experiment),
        cmocka_unit_test(test_each_calibration),
        cmocka_unit_test(test_list),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
