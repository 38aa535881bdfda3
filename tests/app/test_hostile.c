/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input that is wrong on purpose, or by accident: nothing of it reaches the terminal raw, holds the
   program, or passes for a result. And a folder of a run that is complete. */
#include <signal.h>

#include "app/command.h"
#include "view/view.h"

static const char scene_text[] =
    "moraine: 1\n"
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.6, friction: 0.5}]\n"
    "bodies:\n"
    "  - {name: stones, shape: {sphere: {diameter: 1 cm}},\n"
    "     place: {csv: ../tables/grains.csv}}\n"
    "walls: [{name: floor, mesh: {file: floor.stl}}]\n"
    "gravity: [0, 0, -9.81]\n"
    "stages: [{name: fall, until: {time: 5 ms}}]\n"
    "output: {every: 1 ms, probes: [kinetic-energy]}\n";

static void put(const char *name, const char *text)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void shell(int code, const char *command)
{
    char line[4000];
    snprintf(line, sizeof line, "cd '%s' && %s", work.path, command);
    int status = system(line);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
}

static int set_up(void **unused)
{
    (void)unused;
    work = make_folder();
    shell(0, "mkdir scenes tables");
    put("scenes/s.yaml", scene_text);
    put("tables/grains.csv", "x,y,z,radius\n0,0,0.02,0.005\n0.02,0.001,0.02,0.005\n");
    put("scenes/floor.stl", "solid f\nfacet normal 0 0 1\nouter loop\nvertex -1 -1 0\n"
                            "vertex 1 -1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n");
    return 0;
}

/* The folder of a run is all that is needed to look at it and to go on. */
static void complete_folder(void **unused)
{
    (void)unused;
    moraine(0, "run", "scenes/s.yaml", "--out", "out", "-q", NULL);
    shell(0, "mv scenes gone && mv tables gone2 && mkdir far && mv out far/run");
    moraine(0, "analyze", "far/run", NULL);
    moraine(0, "run", "far/run/scene.yaml", "--out", "far/run", "--resume", "-q", "--set",
            "stages.0.until.time=6 ms", NULL);
    moraine(0, "check", "far/run/scene.yaml", NULL);
    shell(0, "mv gone scenes && mv gone2 tables && rm -rf far");
    /* beside its scene nothing is copied: what lies there is what counts */
    moraine(0, "run", "scenes/s.yaml", "--out", "scenes", "-q", NULL);
    assert_false(there_is(work.path, "scenes/inputs"));
    /* --force takes away copies that are not wanted any more */
    moraine(0, "run", "scenes/s.yaml", "--out", "out", "-q", NULL);
    moraine(0, "run", "scenes/s.yaml", "--out", "out", "-q", "--force", "--set",
            "walls=[{name: floor, plane: {point: [0,0,0], normal: [0,0,1]}}]", NULL);
    shell(0, "test $(ls out/inputs | wc -l) = 1");
}

static void pipes_and_devices(void **unused)
{
    (void)unused;
    shell(0, "mkfifo pipe");
    shell(2, "timeout 600 " MRN_TEST_COMMAND " check pipe 2>err.txt");
    shell(2, "timeout 600 " MRN_TEST_COMMAND " check /dev/zero 2>err.txt");
    shell(2, "timeout 600 " MRN_TEST_COMMAND " check scenes/s.yaml --set walls.0.mesh.file=../pipe "
             "2>err.txt");
    shell(2, "timeout 600 " MRN_TEST_COMMAND " check scenes/s.yaml --set "
             "bodies.0.place.csv=/dev/zero 2>err.txt");
    shell(2, "timeout 600 " MRN_TEST_COMMAND " analyze pipe 2>err.txt");
    shell(2, "timeout 600 " MRN_TEST_COMMAND " solve pipe 2>err.txt");
    shell(0, "cd scenes && cat s.yaml | " MRN_TEST_COMMAND " check /dev/stdin >/dev/null 2>&1 || "
             "test $? = 2");
}

/* A folder from elsewhere may have pipes where a run has files: nobody waits for them. */
static void pipes_in_folders(void **unused)
{
    static const char *const name[] = {"trajectory.h5", "probes.csv", "summary.json", "scene.yaml",
                                       "trajectory.h5.journal"};
    (void)unused;
    moraine(0, "run", "scenes/s.yaml", "--out", "whole", "-q", NULL);
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        char line[200];
        snprintf(line, sizeof line,
                 "rm -rf piped && cp -r whole piped && rm -f piped/%s && mkfifo piped/%s", name[k],
                 name[k]);
        shell(0, line);
        /* exit codes differ with the file that is not there: 124 is the one of time that ran out */
        shell(0, "for c in 'report piped' 'diff whole piped' 'analyze piped' 'plot piped' "
                 "'view piped --export v.html' 'run scenes/s.yaml --out piped --resume'; do "
                 "timeout 600 " MRN_TEST_COMMAND " $c >told 2>&1; test $? -le 2 || exit 1; done");
        const outcome *o = moraine(k < 4 ? 2 : 0, "run", "scenes/s.yaml", "--out", "piped",
                                   k < 4 ? "--resume" : "--force", NULL);
        if (k < 4)
            expect_text(o->err, "is a pipe or a device");
    }
}

/* No byte below a blank but the end of a line, neither on stdout nor on stderr. */
static void expect_plain(const outcome *o)
{
    const char *text[2] = {o->out, o->err};
    for (int k = 0; k < 2; k++)
        for (const char *p = text[k]; *p != '\0'; p++)
            assert_true((unsigned char)*p >= 0x20 || *p == '\n' || *p == '\t');
}

static void control_characters(void **unused)
{
    (void)unused;
    put("evil.yaml", "moraine: 1\ntitle: \"red \\e[31m \\a\"\n");
    const outcome *o = moraine(2, "check", "evil.yaml", NULL);
    expect_plain(o);
    expect_text(o->err, "control character");
    put("evil.yaml", "moraine: 1\ntitle: \"red \\x7f\"\n");
    expect_text(moraine(2, "check", "evil.yaml", NULL)->err, "control character");
    put("tables/evil.csv", "x,y,z,\x1b[31mred\n0,0,0,1\n");
    o = moraine(2, "check", "scenes/s.yaml", "--set", "bodies.0.place.csv=../tables/evil.csv",
                NULL);
    expect_plain(o);
    o = moraine(2, "check", "scenes/s.yaml", "--set", "titel=\x1b[2J", NULL);
    expect_plain(o);
    o = moraine(2, "check", "scenes/s.yaml", "--set",
                "titel=\xc2\x9b"
                "2J",
                NULL);
    expect_plain(o);
}

/* Names of files come from elsewhere as well, and of columns of a run that does. */
static void controlling_names(void **unused)
{
    (void)unused;
    shell(0, "cp scenes/s.yaml \"$(printf 'a\\033[31m.yaml')\"");
    const outcome *o = moraine(2, "check", "a\x1b[31m.yaml", NULL);
    expect_plain(o);
    expect_text(o->err, "argument 2 has a control character");
    expect_plain(moraine(2, "bo\x1bgus", NULL));
    expect_plain(moraine(2, "run", "--bo\x7fgus", NULL));
    shell(0, "mkdir -p foreign && cp scenes/s.yaml foreign/scene.yaml");
    put("foreign/probes.csv", "time [s],step,stage,le\x1b[31mvel [m\x1b]\n"
                              "0,0,a\x1b,1\n1,1,a\x1b,2\n2,2,a\x1b,2\n");
    o = moraine(0, "plot", "foreign", "--out", "foreign.svg", NULL);
    expect_plain(o);
    expect_text(o->out, "le?");
    expect_plain(moraine(2, "settle", "foreign", "--frequency", "1", "--stage", "b", NULL));
}

/* Numbers of lists, and of options without bounds, are finite. */
static void endless_numbers(void **unused)
{
    (void)unused;
    moraine(2, "sieve", "scenes/s.yaml", "--sieves", "1e400", NULL);
    moraine(2, "vibrate", "scenes/s.yaml", "--frequency", "30", "--gamma", "inf", NULL);
    expect_text(moraine(2, "plot", "foreign", "--from", "nan", NULL)->err, "is not a number");
}

/* Zeros behind a number, as many as no buffer holds, and what follows them. */
#define ZEROS      "00000000000000000000000000000000000000000000000000"
#define MANY_ZEROS ZEROS ZEROS ZEROS

/* The same frames and the same answers, however long the numbers are written: an exponent behind
   the digits would be lost first. In tables of grains, of measured data, in scenes and options. */
static void long_numbers(void **unused)
{
    static const char *const grains[] = {"x,y,z,radius\n0,0,0.02,0.005\n",
                                         "x,y,z,radius\n0,0,2." MANY_ZEROS "e-2,0.005" MANY_ZEROS
                                         "\n"};
    static const char *const measured[] = {"angle,en\n60,0.75\n",
                                           "angle,en\n6." MANY_ZEROS "e1,75." MANY_ZEROS "e-2\n"};
    static const char *const step[] = {"time-step=1 us", "time-step=10." MANY_ZEROS "e-1 us"};
    static const char *const sweep[] = {"angle=10 deg:80 deg:3",
                                        "angle=1." MANY_ZEROS "e1 deg:8." MANY_ZEROS "e1 deg:3"};
    static const char *const where[] = {"z=-1:30 cm", "z=-1." MANY_ZEROS ":3." MANY_ZEROS "e1 cm"};
    char *told[2][4];
    (void)unused;
    put("lab.yaml",
        "moraine: 1\nmaterials: {g: {density: 2500 kg/m3, young: 1 GPa, poisson: 0.3}}\n"
        "collision: {ball: {diameter: 5 mm}, target: {plane: g}, speed: 1 m/s}\n"
        "laws: {a: {law: hertz-mindlin, restitution: 0.9, friction: 0.1}}\n"
        "data:\n  file: measured.csv\n  conditions: {angle: {unit: deg}}\n"
        "  responses: {en: {error: {value: 0.01, kind: sd}}}\n");
    for (int k = 0; k < 2; k++) {
        put("tables/long.csv", grains[k]);
        put("measured.csv", measured[k]);
        moraine(0, "run", "scenes/s.yaml", "--out", "long", "--force", "-q", "--set", step[k],
                "--set", "bodies.0.place.csv=../tables/long.csv", NULL);
        moraine(0, "export", "long", "--format", "csv", "--out", "long.csv", NULL);
        told[k][0] = slurp(work.path, "long.csv");
        moraine(0, "compare", "lab.yaml", "--json", NULL);
        told[k][1] = slurp(work.path, "stdout.txt");
        moraine(0, "collide", "lab.yaml", "--sweep", sweep[k], "--json", NULL);
        told[k][2] = slurp(work.path, "stdout.txt");
        moraine(0, "profile", "long", "--where", where[k], "--json", NULL);
        told[k][3] = slurp(work.path, "stdout.txt");
    }
    for (int i = 0; i < 4; i++) {
        assert_string_equal(told[0][i], told[1][i]);
        free(told[0][i]), free(told[1][i]);
    }
}

/* What is told of a file that is no table shows nothing of it. */
static void foreign_files(void **unused)
{
    (void)unused;
    put("secret", "hunter2:x:0:0\nmore\n");
    const outcome *o =
        moraine(2, "check", "scenes/s.yaml", "--set", "bodies.0.place.csv=../secret", NULL);
    assert_null(strstr(o->err, "hunter2"));
}

static void whole_numbers(void **unused)
{
    (void)unused;
    moraine(0, "check", "scenes/s.yaml", "--set", "seed=1e18", NULL);
    expect_text(moraine(2, "check", "scenes/s.yaml", "--set", "seed=1e30", NULL)->err, "too large");
    expect_text(moraine(2, "check", "scenes/s.yaml", "--set", "seed=0.5", NULL)->err, "whole");
}

static void contradictions(void **unused)
{
    (void)unused;
    expect_text(moraine(2, "run", "scenes/s.yaml", "--out", "x", "--resume", "--force", NULL)->err,
                "--resume and --force");
    moraine(2, "run", "scenes/s.yaml", "--out", "fine", "-q", "--set",
            "output.fields={every: 1 ms, spacing: 1 nm}", NULL);
    assert_false(there_is(work.path, "fine"));
    expect_text(moraine(2, "run", "scenes/s.yaml", "--out", "light", "-q", "--set",
                        "materials.stone.density=1e-200 kg/m3", NULL)
                    ->err,
                "mass");
}

static void gravity_without_value(void **unused)
{
    (void)unused;
    const outcome *o = moraine(1, "run", "scenes/s.yaml", "--out", "root", "-q", "--set",
                               "gravity=[0,0,\"-9.81*sqrt(0.001-t)\"]", NULL);
    expect_text(o->err, "gravity");
    assert_null(strstr(o->err, "stiffer"));
    char report[8000];
    read_into("root/postmortem/report.txt", report, sizeof report);
    expect_text(report, "gravity is not a finite number");
    /* large, but finite: its square is not */
    o = moraine(1, "run", "scenes/s.yaml", "--out", "heavy", "-q", "--set", "gravity=[0,0,1e300]",
                NULL);
    assert_null(strstr(o->err, "not a finite number"));
}

static void small_stack(void **unused)
{
    (void)unused;
    shell(0, "(ulimit -S -s 64; " MRN_TEST_COMMAND " run scenes/s.yaml --out stack -q)");
    shell(2, "(ulimit -s 64; " MRN_TEST_COMMAND " run scenes/s.yaml --out stack2 -q 2>err.txt)");
}

/* Files of a run that are taken away while it writes: not a success. */
static void removed_files(void **unused)
{
    (void)unused;
    static const char *const name[] = {"trajectory.h5", "probes.csv"};
    for (int k = 0; k < 2; k++) {
        char *argv[] = {(char *)MRN_TEST_COMMAND,
                        "run",
                        "scenes/s.yaml",
                        "--out",
                        "taken",
                        "--force",
                        "-q",
                        "--set",
                        "time-step=0.05 us",
                        NULL};
        char path[1200], file[64];
        snprintf(path, sizeof path, "%s/taken/%s", work.path, name[k]);
        unlink(path);
        snprintf(file, sizeof file, "taken/%s", name[k]);
        const outcome *o = NULL;
        siginfo_t ended;
        do { /* a busy machine may let the run end before its file is taken away: once more */
            pid_t child = start(argv);
            await_file(child, file);
            usleep(20000);
            unlink(path);
            ended = (siginfo_t){0};
            waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
            o = finish(child);
        } while (ended.si_pid != 0 && o->code == 0);
        if (o->code == 0)
            fail_msg("%s was taken away, and the run ended well", name[k]);
        shell(0, "rm -rf taken");
    }
}

/* `ulimit -f`: every command that writes tells of it; none is ended by a signal. And more threads
   asked for than there can be: as if none had been. */
static void limits_of_the_system(void **unused)
{
    (void)unused;
    /* the viewer's page last: without npm the command is built without it */
    static const char *const writes[] = {"export out --format csv --out x.csv",
                                         "picture out --out x.png", "report out --out x.html",
                                         "view out --export x.html"};
    const int n = mrn_view_page_bytes > 0 ? 4 : 3;
    char line[1024];
    shell(0, "rm -rf out");
    moraine(0, "run", "scenes/s.yaml", "--out", "out", "-q", NULL);
    for (int k = 0; k < n; k++) {
        snprintf(line, sizeof line, "(ulimit -f 1; '%s' %s >/dev/null 2>err.txt)", MRN_TEST_COMMAND,
                 writes[k]);
        shell(2, line);
        shell(0, "grep -q 'File too large' err.txt");
    }
    for (int k = 0; k < n; k++) {
        snprintf(line, sizeof line, "OMP_NUM_THREADS=1000000 '%s' %s >/dev/null", MRN_TEST_COMMAND,
                 k > 0 ? writes[k] : "analyze out");
        shell(0, line);
    }
}

/* Numbers of things that take memory each: threads, sides. As an option, and in a summary from
   elsewhere. */
static void wild_counts(void **unused)
{
    (void)unused;
    static const char *const threads[] = {"1,1000000", "99999999999999,1", "1,0", "-1", "1,", "1,x",
                                          "1,2,3"};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
        expect_text(moraine(2, "diff", "scenes/s.yaml", "--threads", threads[k], NULL)->err,
                    "numbers from 1 to 4096");
    moraine(0, "diff", "scenes/s.yaml", "--threads", "1,2", "--steps", "20", NULL);
    expect_text(moraine(2, "converge", "scenes/s.yaml", "--vary", "threads", "--ratio", "1000",
                        "--levels", "5", NULL)
                    ->err,
                "1e+12 threads");
    shell(0, "mkdir -p wild && cp scenes/* wild && mv wild/s.yaml wild/scene.yaml && "
             "echo '{\"cost\": {\"threads\": 1000000}}' >wild/summary.json");
    shell(1, MRN_TEST_COMMAND " diff wild wild --steps 20 >/dev/null"); /* their hashes are missing
                                                                         */
    moraine(2, "check", "scenes/s.yaml", "--set",
            "bodies.0.shape={polyhedron: {regular: prism--4294967291, diameter: 1 cm}}", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_folder),       cmocka_unit_test(pipes_and_devices),
        cmocka_unit_test(pipes_in_folders),      cmocka_unit_test(control_characters),
        cmocka_unit_test(foreign_files),         cmocka_unit_test(controlling_names),
        cmocka_unit_test(endless_numbers),       cmocka_unit_test(long_numbers),
        cmocka_unit_test(whole_numbers),         cmocka_unit_test(contradictions),
        cmocka_unit_test(gravity_without_value), cmocka_unit_test(small_stack),
        cmocka_unit_test(removed_files),         cmocka_unit_test(limits_of_the_system),
        cmocka_unit_test(wild_counts),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
