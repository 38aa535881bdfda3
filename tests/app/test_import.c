/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine import as a user meets it: what export wrote comes back as the same packing; the folder
   serves analyze, picture, check and run --resume; refusals leave nothing behind. */
/* ctest-labels: slow */
/* ctest-timeout: 200 */
#include "command.h"

static const char scene_text[] =
    "moraine: 1\n"
    "materials: {stone: {density: 2600 kg/m3}, chalk: {density: 2200 kg/m3}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 2e4 N/m, restitution: 0.3, "
    "friction: 0.4}]\n"
    "bodies:\n"
    "  - {name: stones, material: stone, shape: {sphere: {diameter: {uniform: [8 mm, 12 mm]}}},\n"
    "     count: 60, place: {fill: {box: [[0, 0, 0], [4 cm, 4 cm, 6 cm]]}}}\n"
    "  - {name: crumbs, material: chalk, shape: {sphere: {diameter: 6 mm}}, count: 30,\n"
    "     place: {fill: {box: [[0, 0, 0], [4 cm, 4 cm, 6 cm]]}}}\n"
    "cell: {periodic: [x, y, z], size: [4 cm, 4 cm, 6 cm], control: {zz: {rate: -12 1/s},\n"
    "  xy: {rate: 4 1/s}}}\n"
    "stages: [{name: squeeze, until: {time: 50 ms}}]\n"
    "output: {every: 10 ms, contacts: true}\n";

static int set_up(void **unused)
{
    (void)unused;
    work = make_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/scene.yaml", work.path);
    FILE *f = fopen(path, "w");
    fputs(scene_text, f);
    fclose(f);
    setenv("NO_COLOR", "1", 1);
    moraine(0, "run", "scene.yaml", "--out", "first", "--quiet", NULL);
    return 0;
}

static mrn_frame last_frame(const char *name)
{
    char path[256];
    mrn_trajectory *t = NULL;
    mrn_frame f = {0};
    mrn_message msg = {0};
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    ok(mrn_trajectory_open(path, &t, &msg), &msg);
    ok(mrn_trajectory_read(t, mrn_trajectory_frames(t) - 1, &f, &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    return f;
}

/* Place of each id in a frame without walls. */
static void places(const mrn_frame *f, int32_t *place)
{
    for (int32_t i = 0; i < f->n; i++)
        place[f->id[i]] = i;
}

static int64_t pair_key(const mrn_frame *f, int64_t k)
{
    int32_t c = f->id[f->contacts.c[k]], a = f->id[f->contacts.a[k]];
    return c < a ? (int64_t)c << 32 | a : (int64_t)a << 32 | c;
}

static int by_key(const void *a, const void *b)
{
    const int64_t *p = a, *q = b;
    return *p < *q ? -1 : *p > *q;
}

static int64_t *sorted_pairs(const mrn_frame *f)
{
    int64_t *key = malloc((size_t)f->contacts.n * sizeof *key);
    for (int64_t k = 0; k < f->contacts.n; k++)
        key[k] = pair_key(f, k);
    qsort(key, (size_t)f->contacts.n, sizeof *key, by_key);
    return key;
}

/* Exports tell all digits: positions, velocities and radii are the same bits, and so is who touches
   whom. The order of types is that of the groups, so that numbers agree too. */
static void expect_same(const char *name)
{
    mrn_frame a = last_frame("first"), b = last_frame(name);
    int32_t *at = calloc((size_t)a.n, sizeof *at), *to = calloc((size_t)a.n, sizeof *to);
    assert_int_equal(a.n, 90);
    assert_int_equal(b.n, a.n);
    places(&a, at);
    places(&b, to);
    for (int32_t id = 0; id < a.n; id++) {
        size_t i = (size_t)at[id], j = (size_t)to[id];
        assert_memory_equal(a.x + 3 * i, b.x + 3 * j, 3 * sizeof(double));
        assert_memory_equal(a.v + 3 * i, b.v + 3 * j, 3 * sizeof(double));
        assert_memory_equal(a.w + 3 * i, b.w + 3 * j, 3 * sizeof(double));
        assert_memory_equal(a.image + 3 * i, b.image + 3 * j, 3 * sizeof(int32_t));
        assert_true(a.radius[i] == b.radius[j]);
        assert_true(fabs(a.mass[i] / b.mass[j] - 1) < 1e-15);
        assert_int_equal(a.group[i], b.group[j]);
    }
    for (int k = 0; k < 3; k++) { /* the far corner is a sum */
        assert_true(fabs(a.cell_size[k] - b.cell_size[k]) < 1e-16);
        assert_true(fabs(a.cell_tilt[k] - b.cell_tilt[k]) < 1e-16);
    }
    int64_t *p = sorted_pairs(&a), *q = sorted_pairs(&b);
    assert_true(a.contacts.n > 50);
    assert_int_equal(a.contacts.n, b.contacts.n);
    assert_memory_equal(p, q, (size_t)a.contacts.n * sizeof *p);
    free(p), free(q), free(at), free(to);
    mrn_frame_destroy(&a);
    mrn_frame_destroy(&b);
}

static void test_round_trip(void **unused)
{
    (void)unused;
    moraine(0, "export", "first", "--format", "lammps", "--out", "all.dump", NULL);
    outcome *o = moraine(0, "import", "all.dump", "--kn", "20 kN/m", "--friction", "0.4", "--out",
                         "second", "--json", NULL);
    json_t *root = parse(o->out);
    assert_int_equal(json_integer_value(json_object_get(root, "grains")), 90);
    assert_int_equal(json_integer_value(json_object_get(root, "types")), 2);
    assert_true(json_is_true(json_object_get(root, "checkpoint")));
    json_decref(root);
    expect_same("second");
    moraine(0, "check", "second/scene.yaml", NULL);
    o = moraine(0, "analyze", "second", NULL);
    expect_text(o->out, "checkpoint.h5");
    moraine(0, "picture", "second", "--out", "second.png", NULL);
    assert_true(there_is(work.path, "second.png"));
    moraine(0, "run", "second/scene.yaml", "--out", "second", "--resume", "--quiet", "--max-steps",
            "20", NULL);
}

/* The same by way of a scene: its materials and its cell, groups by their names. */
static void test_scene(void **unused)
{
    (void)unused;
    moraine(0, "export", "first", "--format", "csv", "--out", "all.csv", NULL);
    moraine(0, "export", "first", "--format", "lammps", "--out", "last.dump", "--first", "-1",
            NULL);
    outcome *o = moraine(0, "import", "last.dump", "--scene", "scene.yaml", "--out", "third", NULL);
    expect_text(o->out, "90 grains in 3D");
    expect_text(o->out, "slanted");
    expect_same("third");
    moraine(0, "run", "third/scene.yaml", "--out", "third", "--resume", "--quiet", "--max-steps",
            "20", NULL);
    /* a table has no cell: the scene's is that of the start, and contacts across it are others */
    o = moraine(0, "import", "all.csv", "--periodic", "none", "--out", "fourth", NULL);
    expect_text(o->out, "csv, 2 types, frame 5 of 0 to 5");
    char *text = slurp(work.path, "fourth/scene.yaml");
    expect_text(text, "name: stones");
    free(text);
}

/* Contacts with their forces: what is analysed are those. */
static void test_contacts(void **unused)
{
    (void)unused;
    char path[256];
    mrn_frame f = last_frame("first");
    snprintf(path, sizeof path, "%s/pairs.csv", work.path);
    FILE *out = fopen(path, "w");
    fprintf(out, "id1,id2,fx,fy,fz\n");
    for (int64_t k = 0; k < f.contacts.n; k++) {
        const double *v = f.contacts.force + 3 * k;
        fprintf(out, "%d,%d,%.17g,%.17g,%.17g\n", f.id[f.contacts.c[k]] + 1,
                f.id[f.contacts.a[k]] + 1, v[0], v[1], v[2]);
    }
    fclose(out);
    mrn_frame_destroy(&f);
    moraine(0, "export", "first", "--format", "lammps", "--out", "end.dump", "--first", "-1", NULL);
    outcome *o =
        moraine(0, "import", "end.dump", "--contacts", "pairs.csv", "--out", "fifth", NULL);
    expect_text(o->out, "as in the file");
    assert_false(there_is(work.path, "fifth/checkpoint.h5"));
    json_t *a = parse(moraine(0, "analyze", "first", "--frame", "last", "--json", NULL)->out);
    json_t *b = parse(moraine(0, "analyze", "fifth", "--json", NULL)->out);
    json_t *pa = json_object_get(json_object_get(a, "stress"), "pressure");
    json_t *pb = json_object_get(json_object_get(b, "stress"), "pressure");
    double p = json_number_value(pa), q = json_number_value(pb);
    /* sums of the same forces and branches in another order */
    if (!(p > 0) || !(fabs(p - q) < 1e-12 * p))
        fail_msg("pressure %.17g, not %.17g", q, p);
    json_decref(a);
    json_decref(b);
}

static void test_refusals(void **unused)
{
    (void)unused;
    char path[256];
    snprintf(path, sizeof path, "%s/bad.csv", work.path);
    FILE *f = fopen(path, "w");
    fputs("id,x,y,z,radius\n1,0,0,0,1\n2,3,zero,0,1\n", f);
    fclose(f);
    outcome *o = moraine(2, "import", "bad.csv", "--out", "none", NULL);
    expect_text(o->err, "bad.csv:3:5: error: not a number: 'zero'");
    expect_text(o->err, "expected: a finite number");
    assert_false(there_is(work.path, "none"));
    o = moraine(2, "import", "bad.csv", "--out", "none", "--json", NULL);
    json_t *root = parse(o->out);
    assert_int_equal(json_integer_value(json_object_get(root, "line")), 3);
    json_decref(root);
    expect_text(moraine(2, "import", NULL)->err, "which file");
    expect_text(moraine(2, "import", "bad.csv", NULL)->err, "--out DIR");
    expect_text(moraine(2, "import", "missing.csv", "--out", "none", NULL)->err,
                "cannot be opened");
    expect_text(moraine(2, "import", "bad.csv", "--young", "5 m", "--out", "none", NULL)->err,
                "--young");
    expect_text(moraine(2, "import", "bad.csv", "--length-unit", "kg", "--out", "none", NULL)->err,
                "--length-unit");
    expect_text(moraine(2, "import", "bad.csv", "--forces", "maybe", "--out", "none", NULL)->err,
                "maybe");
    assert_false(there_is(work.path, "none"));
    /* an earlier run is not replaced unasked */
    moraine(0, "export", "first", "--format", "lammps", "--out", "one.dump", "--first", "-1", NULL);
    expect_text(moraine(2, "import", "one.dump", "--out", "first", NULL)->err, "earlier run");
    assert_true(there_is(work.path, "first/summary.json"));
    moraine(0, "import", "one.dump", "--out", "sixth/deep/down/", NULL);
    moraine(0, "import", "one.dump", "--out", "sixth/deep/down", "--force", NULL);
    assert_true(there_is(work.path, "sixth/deep/down/checkpoint.h5"));
    expect_text(moraine(0, "import", "--list", NULL)->out, "yade");
    json_decref(parse(moraine(0, "import", "--list", "--json", NULL)->out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_scene),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
