/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command as a user meets it: help, exit codes, messages with a place, JSON that parses,
   nothing left half written, Ctrl-C. */
/* ctest-labels: slow */
/* ctest-timeout: 200 */
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>

#include "run/helper.h"

#define MOST_ARGS 24

/* What a command came to. */
typedef struct outcome {
    int code;
    char out[1 << 20], err[16384];
} outcome;

static folder work; /* current folder of every command */

static void read_into(const char *name, char *buf, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    buf[fread(buf, 1, size - 1, f)] = '\0';
    fclose(f);
}

static pid_t start(char *const *argv)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    if (chdir(work.path) != 0)
        _exit(120);
    signal(SIGINT, SIG_DFL); /* a shell that runs tests in the background has it ignored */
    signal(SIGHUP, SIG_DFL); /* and nohup this */
    int out = open("stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int err = open("stderr.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(out, 1);
    dup2(err, 2);
    execv(argv[0], argv);
    _exit(121);
}

static outcome *finish(pid_t child)
{
    static outcome o;
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_into("stdout.txt", o.out, sizeof o.out);
    read_into("stderr.txt", o.err, sizeof o.err);
    return &o;
}

/* moraine ARGS…, the last one NULL. */
static outcome *moraine(const char *first, ...)
{
    char *argv[MOST_ARGS + 2] = {(char *)MRN_TEST_COMMAND};
    int n = 1;
    va_list args;
    va_start(args, first);
    for (const char *a = first; a != NULL && n < MOST_ARGS; a = va_arg(args, const char *))
        argv[n++] = (char *)a;
    va_end(args);
    return finish(start(argv));
}

static void expect_code(const outcome *o, int code)
{
    if (o->code != code)
        fail_msg("exit code %d, not %d; stdout: %.500s stderr: %.800s", o->code, code, o->out,
                 o->err);
}

static void expect_text(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in: %.800s", part, text);
}

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    if (root == NULL)
        fail_msg("not JSON: %s at line %d: %.300s", error.text, error.line, text);
    return root;
}

/* ---- a scene ---- */

static const char scene_text[] =
    "moraine: 1\n"
    "title: Three stones\n"
    "dimension: 3\n"
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: [stone, stone], law: hertz-mindlin, restitution: 0.6, friction: "
    "0.5}]\n"
    "bodies:\n"
    "  - {name: stones, material: stone, shape: {sphere: {diameter: 1 cm}}, count: 3,\n"
    "     place: {fill: {box: [[0, 0, 0], [3 cm, 3 cm, 3 cm]]}}}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}]\n"
    "gravity: [0, 0, -9.81]\n"
    "stages: [{name: fall, until: {time: 20 ms}}]\n"
    "output: {every: 5 ms}\n";

static int set_up(void **unused)
{
    (void)unused;
    work = make_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/stones.yaml", work.path);
    FILE *f = fopen(path, "w");
    fputs(scene_text, f);
    fclose(f);
    setenv("NO_COLOR", "1", 1);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    remove_tree(work.path);
    return 0;
}

static bool has_ended(pid_t child)
{
    siginfo_t gone = {0};
    return waitid(P_PID, (id_t)child, &gone, WEXITED | WNOHANG | WNOWAIT) == 0 && gone.si_pid != 0;
}

static bool made(const char *name)
{
    return there_is(work.path, name);
}

/* ---- help ---- */

static const char *const subcommands[] = {
    "run",      "check",  "demo",    "picture", "export",    "laws",    "shapes", "probes",
    "examples", "schema", "version", "help",    "reference", "analyze", "diff",   "methods"};
enum { N_SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

static void test_help(void **unused)
{
    (void)unused;
    outcome *o = moraine(NULL);
    expect_code(o, 0);
    for (int i = 0; i < N_SUBCOMMANDS; i++)
        expect_text(o->out, subcommands[i]);
    for (int i = 0; i < N_SUBCOMMANDS; i++) {
        char usage[64];
        snprintf(usage, sizeof usage, "usage: moraine %s", subcommands[i]);
        o = moraine(subcommands[i], "--help", NULL);
        expect_code(o, 0);
        expect_text(o->out, usage);
        expect_text(o->out, "--help");
        o = moraine("help", subcommands[i], NULL);
        expect_code(o, 0);
        expect_text(o->out, usage);
    }
    expect_code(moraine("--help", NULL), 0);
    o = moraine("--version", NULL);
    expect_code(o, 0);
    expect_text(o->out, MRN_VERSION);
}

static void test_bad_usage(void **unused)
{
    (void)unused;
    outcome *o = moraine("rnu", NULL);
    expect_code(o, 2);
    expect_text(o->err, "did you mean \"run\"");
    expect_code(moraine("zzzzzz", NULL), 2);
    expect_code(moraine("run", NULL), 2);
    expect_code(moraine("check", NULL), 2);
    expect_code(moraine("export", NULL), 2);
    expect_code(moraine("help", "nothing", NULL), 2);
    expect_text(moraine("methods", "nonsmoth", NULL)->err, "did you mean \"nonsmooth\"?");
    expect_text(moraine("methods", "x", NULL)->err,
                "there are: smooth, nonsmooth, event, quasistatic");
    expect_text(moraine("export", ".", "--format", "vtx", NULL)->err, "did you mean \"vtk\"?");
    expect_text(moraine("export", ".", "--format", "x", NULL)->err, "there are: ");
    o = moraine("run", "stones.yaml", "--trheads", "2", NULL);
    expect_code(o, 2);
    expect_text(o->err, "--threads");
    expect_code(moraine("run", "stones.yaml", "more.yaml", NULL), 2);
    expect_code(moraine("run", "stones.yaml", "--threads", "two", NULL), 2);
    expect_code(moraine("run", "stones.yaml", "--threads", "0", NULL), 2);
    expect_code(moraine("run", "stones.yaml", "--threads", NULL), 2);
    expect_code(moraine("run", "stones.yaml", "--quiet=1", NULL), 2);
    expect_code(moraine("run", "stones.yaml", "--method", "smoth", NULL), 2);
    expect_code(moraine("laws", "herz-mindlin", NULL), 2);
    expect_text(moraine("laws", "herz-mindlin", NULL)->err, "hertz-mindlin");
    expect_code(moraine("examples", "copy", NULL), 2);
    expect_code(moraine("examples", "move", "x", NULL), 2);
    assert_false(made("out"));
}

/* ---- lists ---- */

static void test_lists(void **unused)
{
    (void)unused;
    outcome *o = moraine("laws", NULL);
    expect_code(o, 0);
    for (int i = 0; i < mrn_law_model_count(); i++)
        expect_text(o->out, mrn_law_model_at(i)->name);
    for (int i = 0; i < mrn_law_model_count(); i++) {
        const mrn_param *p[MRN_PARAM_MAX];
        int n = mrn_law_model_params(mrn_law_model_at(i), p);
        o = moraine("laws", mrn_law_model_at(i)->name, NULL);
        expect_code(o, 0);
        for (int k = 0; k < n; k++)
            expect_text(o->out, p[k]->name);
        expect_code(moraine("laws", mrn_law_model_at(i)->name, "--markdown", NULL), 0);
    }
    o = moraine("laws", "rolling", NULL); /* all parts of a kind, and no others */
    expect_code(o, 0);
    for (int i = 0; i < mrn_law_count(); i++)
        if (mrn_law_at(i)->kind == MRN_LAW_ROLLING)
            expect_text(o->out, mrn_law_at(i)->name);
    assert_null(strstr(o->out, "tsuji"));
    o = moraine("laws", "tsuji", NULL); /* one part */
    expect_code(o, 0);
    expect_text(o->out, "normal law tsuji");
    o = moraine("laws", "mindl", NULL);
    expect_code(o, 2);
    expect_text(o->err, "mindlin");
    o = moraine("shapes", NULL);
    expect_code(o, 0);
    for (int i = 0; i < mrn_shape_type_count(); i++)
        expect_text(o->out, mrn_shape_type_at(i)->name);
    o = moraine("probes", NULL);
    expect_code(o, 0);
    for (int i = 0; i < mrn_probe_count(); i++)
        expect_text(o->out, mrn_probe_at(i)->name);
    o = moraine("export", "--list", NULL);
    expect_code(o, 0);
    for (int i = 0; i < mrn_export_format_count(); i++)
        expect_text(o->out, mrn_export_format_at(i)->name);
    expect_code(moraine("laws", "--markdown", NULL), 0);
    expect_code(moraine("shapes", "--markdown", NULL), 0);
    expect_code(moraine("probes", "--markdown", NULL), 0);
    o = moraine("reference", NULL);
    expect_code(o, 0);
    expect_text(o->out, "stages");
}

/* The table of abilities as the descriptors have it. */
static void test_methods(void **unused)
{
    (void)unused;
    outcome *o = moraine("methods", NULL);
    expect_code(o, 0);
    expect_text(o->out, "smooth (default)");
    for (int a = 0; a < MRN_ABILITIES; a++)
        expect_text(o->out, mrn_ability_name((mrn_ability)a));
    for (int i = 0; i < mrn_method_count(); i++) {
        o = moraine("methods", mrn_method_at(i)->name, NULL);
        expect_code(o, 0);
        expect_text(o->out, mrn_method_summary(mrn_method_at(i)));
        expect_text(o->out, "Can: ");
    }
    expect_text(moraine("methods", "quasistatic", NULL)->out, "of the same run: smooth.");
    o = moraine("methods", "--markdown", NULL);
    expect_code(o, 0);
    expect_text(o->out, "\n| joints | - | yes | - | - |\n");
    json_t *root = parse(moraine("methods", "--json", NULL)->out);
    assert_int_equal(json_array_size(root), mrn_method_count());
    for (int i = 0; i < mrn_method_count(); i++) {
        json_t *can = json_object_get(json_array_get(root, (size_t)i), "can");
        for (int a = 0; a < MRN_ABILITIES; a++)
            assert_int_equal(json_is_true(json_object_get(can, mrn_ability_name((mrn_ability)a))),
                             mrn_method_can(mrn_method_at(i), (mrn_ability)a));
    }
    json_decref(root);
    o = moraine("methods", "nonsmoth", NULL);
    expect_code(o, 2);
    expect_text(o->err, "nonsmooth");
}

static void test_json(void **unused)
{
    (void)unused;
    json_t *root = parse(moraine("laws", "--json", NULL)->out);
    assert_int_equal(json_array_size(root), mrn_law_model_count() + mrn_law_count());
    json_decref(root);
    root = parse(moraine("shapes", "--json", NULL)->out);
    assert_int_equal(json_array_size(root), mrn_shape_type_count());
    json_decref(root);
    root = parse(moraine("probes", "--json", NULL)->out);
    assert_int_equal(json_array_size(root), mrn_probe_count());
    json_decref(root);
    json_decref(parse(moraine("version", "--json", NULL)->out));
    json_decref(parse(moraine("shapes", "plane", "--json", NULL)->out));
    outcome *o = moraine("schema", NULL);
    expect_code(o, 0);
    if (strlen(o->out) < sizeof o->out - 1) {
        root = parse(o->out);
        assert_non_null(json_object_get(root, "$schema"));
        json_decref(root);
    }
    expect_code(moraine("schema", "--out", "scene.schema.json", NULL), 0);
    assert_true(made("scene.schema.json"));
}

/* ---- scenes that are wrong ---- */

/* Each broken scene: exit code 2, file:line:column (file alone where the file as a whole is wrong),
 * nothing made. */
static void test_broken_scenes(void **unused)
{
    (void)unused;
    const char *folder_name = MRN_TEST_SOURCE "/tests/scenes/broken";
    DIR *dir = opendir(folder_name);
    assert_non_null(dir);
    struct dirent *entry;
    int n = 0;
    while ((entry = readdir(dir)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || strcmp(end, ".yaml") != 0)
            continue;
        char path[1024], place[1100];
        snprintf(path, sizeof path, "%s/%s", folder_name, entry->d_name);
        outcome *o = moraine("run", path, "--out", "broken-out", NULL);
        if (o->code != 2)
            fail_msg("%s: exit code %d: %.500s", entry->d_name, o->code, o->err);
        snprintf(place, sizeof place, "%s:", path);
        const char *at = strstr(o->err, place);
        int line, column;
        if (at == NULL || sscanf(at + strlen(place), "%d:%d:", &line, &column) != 2)
            fail_msg("%s: no file:line:column in: %.500s", entry->d_name, o->err);
        if (made("broken-out"))
            fail_msg("%s: a folder was made", entry->d_name);
        n++;
    }
    closedir(dir);
    assert_true(n >= 40);
}

static void test_bad_input(void **unused)
{
    (void)unused;
    outcome *o = moraine("run", "nowhere.yaml", NULL);
    expect_code(o, 2);
    expect_text(o->err, "nowhere.yaml");
    expect_code(moraine("check", "nowhere.yaml", NULL), 2);
    o = moraine("run", "stones.yaml", "--set", "interactions.0.frction=0.3", NULL);
    expect_code(o, 2);
    expect_text(o->err, "friction");
    expect_code(moraine("run", "stones.yaml", "--set", "gravity", NULL), 2);
    expect_code(moraine("run", "stones.yaml", "--set", "interactions.7.friction=0.3", NULL), 2);
    expect_code(moraine("run", "stones.yaml", "--set", "materials.stone.density=2 m", NULL), 2);
    o = moraine("run", "stones.yaml", "--set", "time-step=1 s", NULL);
    expect_code(o, 2);
    expect_text(o->err, "stability limit");
    o = moraine("run", "stones.yaml", "--out", "/proc/none/run", NULL);
    expect_code(o, 2);
    expect_text(o->err, "/proc/none/run");
    o = moraine("run", "stones.yaml", "--resume", "--out", "nothing", NULL);
    expect_code(o, 2);
    expect_text(o->err, "nothing to resume");
    o = moraine("run", "stones.yaml", "--json", "--set", "materials.stone.density=-1", NULL);
    expect_code(o, 2);
    json_t *root = parse(o->out);
    assert_non_null(json_object_get(root, "message"));
    json_decref(root);
    expect_code(moraine("export", "nowhere", "--format", "csv", NULL), 2);
    assert_false(made("out"));
    assert_false(made("nothing"));
}

/* ---- a run and what can be done with it ---- */

static void test_check(void **unused)
{
    (void)unused;
    outcome *o = moraine("check", "stones.yaml", "--trial", "0.05", NULL);
    expect_code(o, 0);
    expect_text(o->out, "the scene is good");
    expect_text(o->out, "hertz-mindlin");
    expect_text(o->out, "Time step");
    o = moraine("check", "stones.yaml", "--trial", "0", "--json", "--set", "bodies.stones.count=5",
                NULL);
    expect_code(o, 0);
    json_t *root = parse(o->out), *group = json_array_get(json_object_get(root, "groups"), 0);
    assert_int_equal(json_integer_value(json_object_get(group, "count")), 5);
    json_t *step = json_object_get(root, "time-step");
    assert_true(json_number_value(json_object_get(step, "seconds")) > 0);
    assert_int_equal(json_array_size(json_object_get(root, "impacts")), 1);
    json_decref(root);
    /* a run stores its beginning and its end, also when it is to store nothing in between */
    o = moraine("check", "stones.yaml", "--trial", "0", "--set", "output.every=0 s", NULL);
    expect_code(o, 0);
    expect_text(o->out, " at most: 2 frames of ");
    /* an impact that squeezes grains is warned of, as the run would */
    o = moraine("check", "stones.yaml", "--trial", "0", NULL);
    assert_null(strstr(o->out, "of the effective radius"));
    o = moraine("check", "stones.yaml", "--trial", "0", "--set", "materials.stone.young=20 kPa",
                NULL);
    expect_code(o, 0);
    expect_text(o->out, "of the effective radius");
    assert_false(made("out"));
}

static void test_run(void **unused)
{
    (void)unused;
    outcome *o = moraine("run", "stones.yaml", NULL);
    expect_code(o, 0);
    expect_text(o->out, "Three stones");
    expect_text(o->out, "Done");
    expect_text(o->out, "million body-steps/s");
    expect_text(o->out, "out/stones");
    assert_true(made("out/stones/summary.json"));
    o = moraine("run", "stones.yaml", NULL);
    expect_code(o, 2);
    expect_text(o->err, "--force");
    o = moraine("run", "stones.yaml", "--force", "--json", NULL);
    expect_code(o, 0);
    json_t *root = parse(o->out);
    assert_string_equal(json_string_value(json_object_get(root, "status")), "ok");
    assert_int_equal(strlen(json_string_value(json_object_get(root, "hash"))), 16);
    json_decref(root);
    o = moraine("run", "stones.yaml", "--quiet", "--out", "silent", NULL);
    expect_code(o, 0);
    assert_string_equal(o->out, "");
    assert_string_equal(o->err, "");
}

/* A run that fails: exit code 1, the cause on stderr and in the summary. */
static void test_explosion(void **unused)
{
    (void)unused;
    outcome *o = moraine("run", "stones.yaml", "--out", "soft", "--set",
                         "materials.stone.young=1 Pa", "--set", "stages.0.until.time=2 s", NULL);
    expect_code(o, 1);
    expect_text(o->err, "hint:");
    assert_true(made("soft/summary.json"));
}

static void test_export(void **unused)
{
    (void)unused;
    expect_code(moraine("run", "stones.yaml", "--quiet", "--force", "--out", "exported", NULL), 0);
    for (int i = 0; i < mrn_export_format_count(); i++) {
        const char *name = mrn_export_format_at(i)->name;
        outcome *o = moraine("export", "exported", "--format", name, NULL);
        expect_code(o, 0);
        expect_text(o->out, "5 frames");
        char path[128];
        snprintf(path, sizeof path, "as-%s", name);
        o = moraine("export", "exported", "--format", name, "--out", path, "--first", "-1",
                    "--json", NULL);
        expect_code(o, 0);
        json_t *root = parse(o->out);
        assert_int_equal(json_integer_value(json_object_get(root, "frames")), 1);
        json_decref(root);
        assert_true(made(path));
    }
    outcome *o = moraine("export", "exported", "--format", "vtkk", NULL);
    expect_code(o, 2);
    expect_text(o->err, "vtk");
    expect_code(moraine("export", "exported", "--format", "csv", "--first", "99", NULL), 2);
    expect_code(moraine("export", "exported", "--format", "csv", "--stride", "0", NULL), 2);
}

static char *hash_in(const char *dir)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/summary.json", work.path, dir);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    char *hash = strdup(json_string_value(json_object_get(root, "hash")));
    json_decref(root);
    return hash;
}

static void same_hash(const char *a, const char *b)
{
    char *x = hash_in(a), *y = hash_in(b);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static void test_max_steps_and_resume(void **unused)
{
    (void)unused;
    expect_code(moraine("run", "stones.yaml", "-q", "--out", "whole", NULL), 0);
    expect_code(moraine("run", "stones.yaml", "-q", "--out", "parts", "--max-steps", "57", NULL),
                0);
    expect_code(moraine("run", "stones.yaml", "-q", "--out", "parts", "--resume", NULL), 0);
    same_hash("whole", "parts");
}

/* As the help page says: a limit of a stage is a warning, and no failure. */
static void test_exit_code_of_a_limit(void **unused)
{
    (void)unused;
    const outcome *o = moraine("run", "stones.yaml", "--out", "limit", "--set",
                               "stages.0.until={kinetic-energy-ratio: 1e-30}", "--set",
                               "stages.0.at-most=2 ms", NULL);
    expect_code(o, 0);
    expect_text(o->out, "met its limit at-most 0.002 s");
    o = moraine("run", "--help", NULL);
    expect_text(o->out, "0 done (a run also when a stage met its limit, with a warning)");
}

/* A step that was chosen long where nothing becomes unstable is a choice: a note, and no warning.
 */
static void test_note_is_no_warning(void **unused)
{
    (void)unused;
    const outcome *o = moraine("run", "stones.yaml", "-m", "nonsmooth", "--out", "long", "--set",
                               "time-step=2 ms", "--set", "stages.0.until.time=60 ms", NULL);
    expect_code(o, 0);
    expect_text(o->out, "\n  note       the time step 0.002 s is above the advised");
    assert_null(strstr(o->out, "warning    the time step"));
    o = moraine("check", "stones.yaml", "--trial", "0", "--set", "time-step=2 ms", "--set",
                "method=nonsmooth", NULL);
    expect_code(o, 0);
    expect_text(o->out, "\n  note          the given step is above the advised one");
    assert_null(strstr(o->out, "warning"));
    o = moraine("check", "stones.yaml", "--trial", "0", "--set", "time-step=100 us", NULL);
    expect_code(o, 0);
    expect_text(o->out, "\n  warning       the given step is above the advised one");
}

/* Ctrl-C, as soon as the run has its files: exit 1, a checkpoint, and the rest later gives the same
 * bits. */
static void test_interrupt(void **unused)
{
    (void)unused;
    /* long enough to be caught: a hundred thousand small steps */
    const char *slow = "time-step=0.2 us";
    char out[32] = "";
    char *argv[] = {(char *)MRN_TEST_COMMAND,
                    "run",
                    "stones.yaml",
                    "--out",
                    out,
                    "-q",
                    "--set",
                    (char *)slow,
                    NULL};
    outcome *o = NULL;
    for (int tries = 0; tries < 20 && (o == NULL || o->code == 0); tries++) {
        /* a busy machine may not look before the run has ended: then once more */
        char file[64];
        snprintf(out, sizeof out, "caught-%d", tries);
        snprintf(file, sizeof file, "%s/trajectory.h5", out);
        pid_t child = start(argv);
        while (!made(file) && !has_ended(child))
            usleep(1000);
        kill(child, SIGINT);
        o = finish(child);
    }
    expect_code(o, 1);
    expect_code(moraine("run", "stones.yaml", "--out", out, "-q", "--resume", "--set", slow, NULL),
                0);
    expect_code(moraine("run", "stones.yaml", "--out", "free", "-q", "--set", slow, NULL), 0);
    same_hash(out, "free");
}

/* What is printed to be copied can be copied, and only files that are there are named. */
static void test_closing_block(void **unused)
{
    (void)unused;
    const outcome *o = moraine("run", "stones.yaml", "--out", "it's mine", "--max-steps", "3",
                               "--set", "gravity=[0, 0, -1.62]", NULL);
    expect_code(o, 0);
    expect_text(o->out, "--out 'it'\\''s mine' --resume --set 'gravity=[0, 0, -1.62]'");
    expect_text(o->out, "trajectory.h5 (1 frame), checkpoint.h5");
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return; /* its runtime maps its own memory from files and dies by a bus error under the limit
               below */
#endif
#endif
    /* a limit on the size of files that the first frames go beyond */
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && ulimit -f 200 && %s run stones.yaml --out full --set 'output.every=10 us' "
             ">full.txt 2>full.err",
             work.path, MRN_TEST_COMMAND);
    int status = system(command);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    char text[16384];
    read_into("full.txt", text, sizeof text);
    expect_text(text, "file error");
    assert_null(strstr(text, "checkpoint.h5"));
    read_into("full.err", text, sizeof text);
    expect_text(text, "ulimit -f");
    o = moraine("run", "stones.yaml", "--out", "full", NULL);
    expect_code(o, 2);
    assert_null(strstr(o->err, "--resume"));
}

static void test_resume_of_another_scene(void **unused)
{
    (void)unused;
    expect_code(moraine("run", "stones.yaml", "--out", "other", "--max-steps", "3", "-q", NULL), 0);
    const outcome *o =
        moraine("run", "stones.yaml", "--out", "other", "-r", "-s", "bodies.stones.count=2", NULL);
    expect_code(o, 2);
    expect_text(o->err, "other groups of bodies");
}

static void test_examples(void **unused)
{
    (void)unused;
    char examples[1024], path[1100];
    snprintf(examples, sizeof examples, "%s/shelf", work.path);
    mkdir(examples, 0777);
    snprintf(path, sizeof path, "%s/stones", examples);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/stones/scene.yaml", examples);
    FILE *f = fopen(path, "w");
    fputs(scene_text, f);
    fclose(f);
    setenv("MORAINE_EXAMPLES", examples, 1);
    outcome *o = moraine("examples", NULL);
    expect_code(o, 0);
    expect_text(o->out, "Three stones");
    json_t *root = parse(moraine("examples", "--json", NULL)->out);
    assert_int_equal(json_array_size(root), 1);
    json_decref(root);
    expect_code(moraine("examples", "copy", "stones", "mine", NULL), 0);
    assert_true(made("mine/scene.yaml"));
    expect_code(moraine("examples", "copy", "stones", "mine", NULL), 2); /* never replaced */
    o = moraine("examples", "copy", "stone", NULL);
    expect_code(o, 2);
    expect_text(o->err, "stones");
    setenv("MORAINE_EXAMPLES", "/nowhere", 1);
    expect_code(moraine("examples", NULL), 1);
    unsetenv("MORAINE_EXAMPLES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_broken_scenes),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_explosion),
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_max_steps_and_resume),
        cmocka_unit_test(test_exit_code_of_a_limit),
        cmocka_unit_test(test_note_is_no_warning),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_closing_block),
        cmocka_unit_test(test_resume_of_another_scene),
        cmocka_unit_test(test_examples),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
