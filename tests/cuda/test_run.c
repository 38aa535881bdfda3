/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole run on a device, emulated here (MRN_TEST_DEVICE=cuda: a true one): stages, probes, frames
   and the checkpoint are those of a run on the processor; runs are resumed on the other device;
   what is missing is refused by the command with code 2. Runs of a sweep share a device. */
/* ctest-timeout: 120 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "world.h"

static const char *const SCENE =
    "moraine: 1\n"
    "materials: {glass: {density: 2500 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: 0.4}]\n"
    "bodies:\n"
    "  - {name: beads, shape: {sphere: {diameter: {uniform: [1.8 mm, 2.2 mm]}}}, count: 300,\n"
    "     place: {fill: {box: [[0, 0, 0], [12 mm, 12 mm, 24 mm]]}}}\n"
    "walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}, name: floor},\n"
    "        {cylinder: {point: [6 mm, 6 mm, 0], axis: [0, 0, 1], radius: 9 mm}, name: pot}]\n"
    "gravity: [0, 0, -9.81]\n"
    "output: {every: 10 ms, probes: [usual, walls.floor.force.z], probes-every: 2 ms}\n"
    "stages:\n"
    "  - {name: fall, until: {time: 20 ms}}\n"
    "  - name: shake\n"
    "    walls: {floor: {motion: {shake: {amplitude: [0, 0, 0.2 mm], frequency: 100 Hz}}}}\n"
    "    until: {time: 10 ms}\n"
    "  - {name: rest, until: {kinetic-energy-ratio: 0.9}, at-most: 20 ms}\n";

/* Clusters that fall on clusters that are fixed, come in and vanish. */
static const char *const RIGID =
    "moraine: 1\n"
    "materials: {glass: {density: 2500 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: 0.4}]\n"
    "clusters: {pair: {form: dimer, aspect: 1.8}}\n"
    "bodies:\n"
    "  - {name: bottom, shape: {cluster: {of: pair, diameter: 2 mm}}, count: 12, fixed: true,\n"
    "     place: {fill: {box: [[0, 0, 0], [12 mm, 12 mm, 4 mm]]}}}\n"
    "  - {name: pairs, shape: {cluster: {of: pair, diameter: 2 mm}}, count: 60,\n"
    "     velocity: [0.2, 0.1, -0.5], place: {fill: {box: [[0, 0, 4 mm], [12 mm, 12 mm, 16 "
    "mm]]}}}\n"
    "  - {name: beads, shape: {sphere: {diameter: 2 mm}}, count: 40,\n"
    "     place: {fill: {box: [[0, 0, 16 mm], [12 mm, 12 mm, 20 mm]]}}}\n"
    "  - {name: feed, shape: {cluster: {of: pair, diameter: 2 mm}}, count: 40,\n"
    "     velocity: [0, 0, -1],\n"
    "     place: {inlet: {cylinder: {from: [6 mm, 6 mm, 22 mm], to: [6 mm, 6 mm, 28 mm],\n"
    "             radius: 5 mm}, mass-rate: 0.02 kg/s}}}\n"
    "cell: {periodic: [x, y], size: [12 mm, 12 mm, 0]}\n"
    "outlets: [{name: drain, below: {axis: z, value: -1 mm}}]\n"
    "gravity: [0, 0, -9.81]\n"
    "output: {every: 5 ms, probes-every: 2 ms,\n"
    "         probes: [bodies, contacts, kinetic-energy, rotational-energy, energy-residual, "
    "height]}\n"
    "stages:\n"
    "  - {name: fall, until: {time: 12 ms}}\n"
    "  - {name: on, until: {time: 8 ms}}\n";

static char folder[64];

static int run_file(const char *path, const char *device, const char *more, const char *out)
{
    char line[2048];
    snprintf(line, sizeof line, "%s run %s --device %s --out %s/%s --quiet %s 2>%s/err",
             MRN_TEST_COMMAND, path, device, folder, out, more, folder);
    int code = system(line);
    return WEXITSTATUS(code);
}

static int run(const char *device, const char *more, const char *out)
{
    char path[128];
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    return run_file(path, device, more, out);
}

static int run_rigid(const char *device, const char *more, const char *out)
{
    char path[128];
    snprintf(path, sizeof path, "%s/rigid.yaml", folder);
    return run_file(path, device, more, out);
}

static const char *device_asked(void)
{
    const char *word = getenv("MRN_TEST_DEVICE");
    return word != NULL ? word : "emulated";
}

static char *read_all(const char *out, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s%s", folder, out, out[0] != '\0' ? "/" : "", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *text = calloc(1, 1 << 22);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 22) - 1, f) > 0);
    fclose(f);
    return text;
}

static void hash_in(const char *out, char *hash)
{
    char *text = read_all(out, "summary.json"), *at = strstr(text, "hash");
    assert_non_null(at);
    snprintf(hash, 64, "%.40s", at);
    free(text);
}

static int write_scene(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (f == NULL)
        return -1;
    fputs(text, f);
    fclose(f);
    return 0;
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/mrn-cuda-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    return write_scene("scene.yaml", SCENE) == 0 ? write_scene("rigid.yaml", RIGID) : -1;
}

static int end(void **state)
{
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

static void same_run(void **state)
{
    (void)state;
    char a[64], b[64];
    assert_int_equal(run("cpu", "", "cpu"), 0);
    assert_int_equal(run(device_asked(), "", "device"), 0);
    hash_in("cpu", a);
    hash_in("device", b);
    assert_string_equal(a, b);
    char *p = read_all("cpu", "probes.csv"), *q = read_all("device", "probes.csv");
    assert_string_equal(p, q);
    free(p);
    free(q);
}

/* Stopped on one, resumed on the other, both ways round. */
static void resumed_elsewhere(void **state)
{
    (void)state;
    char a[64], b[64];
    hash_in("cpu", a);
    assert_int_equal(run("cpu", "--max-steps 1234", "there"), 0);
    assert_int_equal(run(device_asked(), "--resume", "there"), 0);
    hash_in("there", b);
    assert_string_equal(a, b);
    assert_int_equal(run(device_asked(), "--max-steps 1234", "back"), 0);
    assert_int_equal(run("cpu", "--resume", "back"), 0);
    hash_in("back", b);
    assert_string_equal(a, b);
}

/* Grains enter and leave. */
static void sources(void **state)
{
    (void)state;
    const char *path = MRN_TEST_SOURCE "/examples/silo-with-inlet/scene.yaml";
    char a[64], b[64];
    assert_int_equal(run_file(path, "cpu", "--max-steps 1500", "silo-cpu"), 0);
    assert_int_equal(run_file(path, device_asked(), "--max-steps 1500", "silo-device"), 0);
    hash_in("silo-cpu", a);
    hash_in("silo-device", b);
    assert_string_equal(a, b);
}

/* Clusters: a run on each, and runs that change sides under way. */
static void clusters(void **state)
{
    (void)state;
    char a[64], b[64];
    assert_int_equal(run_rigid("cpu", "", "rigid-cpu"), 0);
    assert_int_equal(run_rigid(device_asked(), "", "rigid-device"), 0);
    hash_in("rigid-cpu", a);
    hash_in("rigid-device", b);
    assert_string_equal(a, b);
    char *p = read_all("rigid-cpu", "probes.csv"), *q = read_all("rigid-device", "probes.csv");
    assert_string_equal(p, q);
    free(p);
    free(q);
    assert_int_equal(run_rigid("cpu", "--max-steps 777", "rigid-there"), 0);
    assert_int_equal(run_rigid(device_asked(), "--resume", "rigid-there"), 0);
    hash_in("rigid-there", b);
    assert_string_equal(a, b);
    assert_int_equal(run_rigid(device_asked(), "--max-steps 777", "rigid-back"), 0);
    assert_int_equal(run_rigid("cpu", "--resume", "rigid-back"), 0);
    hash_in("rigid-back", b);
    assert_string_equal(a, b);
}

static int sweep(const char *device, const char *more, const char *out)
{
    char line[2048];
    snprintf(line, sizeof line,
             "cd %s && %s sweep scene.yaml --device %s --vary stages.fall.until.time=2ms,4ms,6ms "
             "-s stages.shake.until.time=2ms -s stages.rest.at-most=1ms -p kinetic-energy "
             "-p max-speed --threads 3 -o %s %s >err 2>&1",
             folder, MRN_TEST_COMMAND, device, out, more);
    int code = system(line);
    return WEXITSTATUS(code);
}

/* Runs of a sweep share a device, in threads of one program: the table is the processor's. */
static void sweeps(void **state)
{
    (void)state;
    assert_int_equal(sweep("cpu", "", "vary-cpu"), 0);
    assert_int_equal(sweep(device_asked(), "", "vary"), 0);
    char *p = read_all("vary-cpu", "sweep.csv"), *q = read_all("vary", "sweep.csv");
    assert_string_equal(p, q);
    assert_non_null(strstr(p, "\n3,1,6,")); /* all three are there */
    free(p);
    free(q);
    assert_int_equal(sweep("emulated", "-s integrator=gear", "vary-no"), 1); /* it is the device */
    p = read_all("", "err");
    assert_non_null(strstr(p, "integrator 'gear' is not on the device yet"));
    free(p);
}

static void refused(void **state)
{
    (void)state;
    assert_int_equal(run("emulated", "--set integrator=gear", "no"), 2);
    char *text = read_all("", "err");
    assert_non_null(strstr(text, "integrator 'gear' is not on the device yet"));
    free(text);
    assert_int_equal(run("emulated", "--set method=nonsmooth", "no"), 2); /* not on the CPU instead
                                                                           */
    text = read_all("", "err");
    assert_non_null(strstr(text, "method 'nonsmooth' is not on the device yet"));
    free(text);
    assert_int_equal(run_rigid("emulated", "--set precision=mixed", "no"), 2);
    text = read_all("", "err");
    assert_non_null(strstr(text, "clusters: not on the device yet in mixed precision"));
    free(text);
    if (strcmp(device_asked(), "cuda") == 0)
        return;
    assert_int_equal(run("cuda", "", "no"), 2); /* a build without CUDA, or a machine without a GPU
                                                 */
    text = read_all("", "err");
    assert_non_null(strstr(text, "CUDA"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_run), cmocka_unit_test(resumed_elsewhere),
        cmocka_unit_test(sources),  cmocka_unit_test(clusters),
        cmocka_unit_test(sweeps),   cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
