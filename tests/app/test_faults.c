/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens around a run: closed streams, a second run in the same folder, signals, steps that
   make no numbers, memory over many checkpoints. */
/* ctest-timeout: 120 */
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/command.h"

static const char scene_text[] =
    "moraine: 1\n"
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.6, friction: 0.5}]\n"
    "bodies:\n"
    "  - {name: stones, shape: {sphere: {diameter: 1 cm}}, count: 3,\n"
    "     place: {fill: {box: [[0, 0, 0], [3 cm, 3 cm, 3 cm]]}}}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "gravity: [0, 0, -9.81]\n"
    "stages: [{name: fall, until: {time: 20 ms}}]\n"
    "output: {every: 5 ms, probes: [kinetic-energy]}\n";

static int set_up(void **unused)
{
    (void)unused;
    return make_folder_with("stones.yaml", scene_text);
}

/* Lines of a table are as long as its head, whatever else was said. */
static void expect_table(const char *name)
{
    char text[16384];
    read_into(name, text, sizeof text);
    int commas = -1, lines = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
        int n = 0;
        for (const char *p = line; *p != '\0'; p++)
            n += *p == ',';
        assert_true(commas < 0 || n == commas);
        commas = n;
    }
    assert_int_equal(lines, 6); /* head, five instants */
}

/* The first file that a run opens is not to become its terminal. */
static void closed_streams(void **unused)
{
    (void)unused;
    static const char *const closed[] = {">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"};
    for (size_t k = 0; k < sizeof closed / sizeof *closed; k++) {
        char command[2048];
        snprintf(command, sizeof command, "cd '%s' && %s run stones.yaml --out closed --force %s",
                 work.path, MRN_TEST_COMMAND, closed[k]);
        int status = system(command);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        expect_table("closed/probes.csv");
        moraine(0, "export", "closed", "--format", "csv", "--out", "table.csv", NULL);
    }
}

/* A run that nothing but a signal will end, under way. */
static pid_t start_long(const char *out)
{
    char *argv[] = {
        (char *)MRN_TEST_COMMAND, "run", "stones.yaml", "--out", (char *)out, "-q", "--set",
        "time-step=0.1 ns",       NULL};
    char file[64];
    snprintf(file, sizeof file, "%s/trajectory.h5", out);
    pid_t child = start(argv);
    await_file(child, file);
    assert_true(there_is(work.path, file));
    return child;
}

static void one_run_per_folder(void **unused)
{
    (void)unused;
    pid_t first = start_long("shared");
    static const char *const how[] = {"--force", "--resume", "-q"};
    for (int k = 0; k < 3; k++) {
        /* start() truncates the files that the first writes its words to: it has none, -q */
        const outcome *o =
            moraine(2, "run", "stones.yaml", "--out", "shared", how[k], "--json", NULL);
        expect_text(o->err, "another run is writing in the folder shared");
    }
    kill(first, SIGINT);
    assert_int_equal(finish(first)->code, 1);
    moraine(0, "run", "stones.yaml", "--out", "shared", "--resume", "-q", "--max-steps", "10",
            "--set", "time-step=0.1 ns", NULL);
}

/* `timeout` sends its signal to the program and once more to the group: one request. Sent while it
   is stopped they all come at once, however busy the machine is. */
static void signals_that_come_together(void **unused)
{
    (void)unused;
    static const int number[] = {SIGTERM, SIGINT, SIGXCPU, SIGHUP};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        char out[32], file[64];
        snprintf(out, sizeof out, "signal-%d", (int)k);
        snprintf(file, sizeof file, "%s/checkpoint.h5", out);
        pid_t child = start_long(out);
        kill(child, SIGSTOP);
        for (size_t i = 0; i < 3; i++) /* of one kind they would become one */
            kill(child, number[(k + i) % (sizeof number / sizeof *number)]);
        kill(child, SIGCONT);
        assert_int_equal(finish(child)->code, 1);
        assert_true(there_is(work.path, file));
    }
}

/* The command with a terminal in the place of stderr; *terminal: what it shows there. */
static pid_t start_on_terminal(char *const *argv, int *terminal)
{
    *terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(*terminal >= 0);
    assert_int_equal(grantpt(*terminal), 0);
    assert_int_equal(unlockpt(*terminal), 0);
    pid_t child = fork();
    if (child != 0)
        return child;
    setenv("TERM", "xterm", 1);
    int other = open(ptsname(*terminal), O_RDWR | O_NOCTTY), none = open("/dev/null", O_WRONLY);
    if (chdir(work.path) != 0 || dup2(other, 2) < 0 || dup2(none, 1) < 0)
        _exit(122);
    signal(SIGINT, SIG_DFL);
    execv(argv[0], argv);
    _exit(121);
}

/* Grains that find no place because a wall takes all of their region: whoever waits sees that
   something is done before the first step, and ends it with Ctrl-C. */
static void long_before_the_first_step(void **unused)
{
    (void)unused;
    static const char *const walls =
        "walls=[{name: far, plane: {point: [0, 0, 9 cm], normal: [0, 0, 1]}}]";
    static const char *const bodies =
        "bodies=[{name: stones, shape: {sphere: {diameter: 2 mm}}, count: 30000, "
        "place: {fill: {box: [[0, 0, 0], [6 cm, 6 cm, 15 cm]]}}}]";
    char *argv[] = {(char *)MRN_TEST_COMMAND,
                    "run",
                    "stones.yaml",
                    "--out",
                    "never",
                    "--set",
                    (char *)walls,
                    "--set",
                    (char *)bodies,
                    NULL};
    int terminal, status;
    char text[4096] = "";
    size_t n = 0;
    pid_t child = start_on_terminal(argv, &terminal);
    while (strstr(text, "grains") == NULL && n < sizeof text - 1) {
        ssize_t got = read(terminal, text + n, sizeof text - 1 - n);
        if (got <= 0)
            fail_msg("ended, and showed \"%s\"", text);
        n += (size_t)got;
    }
    kill(child, SIGINT);
    struct rusage used;
    assert_int_equal(wait4(child, &status, 0, &used), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_true(used.ru_utime.tv_sec < 60); /* of the processor, not of a busy machine's clock */
    close(terminal);
}

/* No place and no speed in a frame of a run is inf or nan. */
static void expect_numbers(const char *run)
{
    moraine(0, "export", run, "--format", "csv", "--out", "frames.csv", NULL);
    char *text = slurp(work.path, "frames.csv");
    if (strstr(text, "inf") != NULL || strstr(text, "nan") != NULL)
        fail_msg("no numbers in a frame of %s: %.900s", run, text);
    free(text);
}

/* A step so long that nothing is a number after it ends as a failure, of every method, and leaves
   no checkpoint of it. */
static void steps_beyond_numbers(void **unused)
{
    (void)unused;
    static const char *const law =
        "interactions=[{between: any, law: rigid, restitution: 0.4, friction: 0.5}]";
    const outcome *o = moraine(1, "run", "stones.yaml", "--out", "nan", "--set", "method=nonsmooth",
                               "--set", law, "--set", "time-step=1e300 s", NULL);
    expect_text(o->err, "is not finite");
    assert_false(there_is(work.path, "nan/checkpoint.h5"));
    char text[16384];
    read_into("nan/summary.json", text, sizeof text);
    assert_null(strstr(text, "\"completed\": true"));
    expect_numbers("nan");
    /* however seldom the state is looked at: frames and checkpoints are more frequent here, and the
       last checkpoint is one to go on from */
    moraine(1, "run", "stones.yaml", "--out", "often", "-q", "--set", "method=nonsmooth", "--set",
            law, "--set", "gravity=[0, 0, \"-9.81*sqrt(0.0045 - t)\"]", "--set", "time-step=0.1 ms",
            "--set", "output={every: 0.1 ms, checkpoint-every: 0.1 ms}", NULL);
    expect_numbers("often");
    moraine(0, "run", "stones.yaml", "--out", "often", "-q", "--resume", "--change", "gravity",
            "--set", "method=nonsmooth", "--set", law, "--set", "time-step=0.1 ms", "--set",
            "output={every: 0.1 ms, checkpoint-every: 0.1 ms}", NULL);
}

/* A step that vanishes beside the time it is added to: the stage made none, and never ended. Told
   as the stage begins, and another step goes on from there. */
static void steps_lost_in_time(void **unused)
{
    (void)unused;
    static const char *const stages[] = {
        ("stages=[{name: fall, until: {time: 5 ms}}, {name: on, until: {time: 1 ms}, time-step: "
         "1e-25 s}]"),
        "stages=[{name: fall, until: {time: 5 ms}}, {name: on, until: {time: 1 ms}}]",
        "stages=[{name: fall, until: {time: 5 ms}}, {name: on, until: {time: 1e-300 s}}]"};
    expect_text(
        moraine(1, "run", "stones.yaml", "--out", "lost", "-q", "--set", stages[0], NULL)->err,
        "is lost in a time of");
    moraine(0, "run", "stones.yaml", "--out", "lost", "-q", "--resume", "--set", stages[1], NULL);
    moraine(0, "run", "stones.yaml", "--out", "lost", "-q", "--force", "--set", stages[2], NULL);
}

/* A number beyond all exponents is 0 or refused, not undefined. */
static void exponents_beyond_integers(void **unused)
{
    (void)unused;
    static const char *const step[] = {"time-step=1e-2147483648 ms", "time-step=1e2147483647 ms",
                                       "time-step=1e99999999999999999999 ms"};
    for (int k = 0; k < 3; k++)
        expect_text(moraine(2, "check", "stones.yaml", "--set", step[k], NULL)->err, "time-step");
}

/* The heap after many checkpoints beside an open trajectory is what it was after a few. */
static void memory_of_many_checkpoints(void **unused)
{
    (void)unused;
#ifdef __GLIBC__
    char path[1100], out[1100];
    snprintf(path, sizeof path, "%s/stones.yaml", work.path);
    snprintf(out, sizeof out, "%s/long", work.path);
    size_t heap[2] = {0};
    static const char *const many[] = {"output.every=100 us", "output.checkpoint-every=200 us"};
    for (int part = 0; part < 2; part++) {
        mrn_scene scene;
        mrn_message msg = {0};
        assert_int_equal(mrn_scene_read(path, many, 2, &scene, &msg), MRN_OK);
        mrn_run_options opt = mrn_run_default();
        opt.out = out;
        opt.overwrite = true;
        mrn_run_result r;
        assert_int_equal(mrn_run(&scene, &opt, &r, &msg), MRN_OK);
        assert_true(r.frames > 190);
        mrn_scene_destroy(&scene);
        heap[part] = mallinfo2().arena;
    }
    /* a hundred checkpoints more; each took 256 KiB once */
    assert_true(heap[1] < heap[0] + (1 << 20));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_streams),
        cmocka_unit_test(one_run_per_folder),
        cmocka_unit_test(signals_that_come_together),
        cmocka_unit_test(long_before_the_first_step),
        cmocka_unit_test(steps_beyond_numbers),
        cmocka_unit_test(steps_lost_in_time),
        cmocka_unit_test(exponents_beyond_integers),
        cmocka_unit_test(memory_of_many_checkpoints),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
