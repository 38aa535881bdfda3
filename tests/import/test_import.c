/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packings of other codes: what the samples of each format say is what is read; folders made of
   them hold the same grains, contacts and forces; memory may fail anywhere. */
#include "moraine/engine.h"
#include "moraine/import.h"
#include "moraine/measure.h"
#include "store/files_helper.h"

static const char *sample(const char *name)
{
    static char path[4][512];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, 512, "%s/tests/import/files/%s", MRN_TEST_SOURCE, name);
    return p;
}

static mrn_packing read_packing(const char *path, const mrn_import_options *o)
{
    mrn_packing p;
    mrn_message msg = {0};
    ok(mrn_import_read(path, o, &p, &msg), &msg);
    return p;
}

static mrn_packing read_text(const char *text, const mrn_import_options *o)
{
    spill(in_dir("grains.txt"), text, strlen(text));
    return read_packing(in_dir("grains.txt"), o);
}

static const mrn_import_grain *grain(const mrn_packing *p, int64_t id)
{
    for (int32_t i = 0; i < p->n; i++)
        if (p->grain[i].id == id)
            return &p->grain[i];
    fail_msg("no grain %lld", (long long)id);
    return NULL;
}

static void same3(mrn_vec3 a, double x, double y, double z)
{
    if (!(a.x == x && a.y == y && a.z == z))
        fail_msg("%.17g %.17g %.17g, not %.17g %.17g %.17g", a.x, a.y, a.z, x, y, z);
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g, not %.17g to %g", a, b, tolerance);
}

/* A folder made of a packing, opened again. */
typedef struct made {
    mrn_import_facts facts;
    mrn_scene scene;
    mrn_frame frame;
} made;

static made make(const mrn_packing *p, const mrn_import_options *o)
{
    made m = {0};
    mrn_message msg = {0};
    mrn_trajectory *t = NULL;
    char path[600];
    mrn_import_options with = *o;
    with.overwrite = true;
    ok(mrn_import_write(p, &with, in_dir("out"), &m.facts, &msg), &msg);
    snprintf(path, sizeof path, "%s/scene.yaml", in_dir("out"));
    ok(mrn_scene_read(path, NULL, 0, &m.scene, &msg), &msg);
    ok(mrn_trajectory_open(in_dir("out"), &t, &msg), &msg);
    assert_int_equal(mrn_trajectory_frames(t), 1);
    ok(mrn_trajectory_read(t, 0, &m.frame, &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    return m;
}

static void unmake(made *m)
{
    mrn_scene_destroy(&m->scene);
    mrn_frame_destroy(&m->frame);
}

/* ---- LAMMPS and LIGGGHTS ---- */

static void test_dump(void **state)
{
    (void)state;
    mrn_import_options o = mrn_import_default();
    mrn_packing p = read_packing(sample("liggghts.dump"), &o);
    assert_string_equal(p.format, "lammps");
    assert_int_equal(p.dimension, 3);
    assert_int_equal(p.frames, 2);
    assert_int_equal(p.frame, 1);
    assert_int_equal(p.step, 1000);
    assert_int_equal(p.n, 4);
    assert_int_equal(p.n_types, 2);
    assert_string_equal(p.type[0], "1");
    /* by type, then by id */
    const int64_t order[] = {4, 9, 1, 2};
    for (int i = 0; i < 4; i++)
        assert_int_equal(p.grain[i].id, order[i]);
    assert_true(p.periodic[0] && p.periodic[1] && !p.periodic[2]);
    assert_true(p.size[0] == 0.00796);
    const mrn_import_grain *g = grain(&p, 9);
    same3(g->x, 0.00498, 0.005, 0.001);
    same3(g->v, 0, 0.25, 0);
    same3(g->w, 0, 0, 2);
    assert_true(g->radius == 0.001);
    near(g->mass, 2500 * 4 * MRN_PI / 3 * 1e-9, 1e-20);
    mrn_packing_release(&p);
    o.frame = 0;
    p = read_packing(sample("liggghts.dump"), &o);
    assert_int_equal(p.step, 0);
    same3(grain(&p, 1)->x, 0.0015, 0.005, 0.001);
    mrn_packing_release(&p);
}

/* Scaled, unwrapped and scaled unwrapped positions, images, a diameter, any order of columns: all
   the same three grains. */
static void test_positions(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "radius x y z id\n.5 1 2 3 1\n.5 9.5 0 3 2\n",
        "id diameter xs ys zs\n1 1 .1 .1 .3\n2 1 .95 0 .3\n",
        "id radius xu yu zu\n1 .5 11 2 3\n2 .5 -0.5 0 3\n",
        "id radius xsu ysu zsu\n1 .5 1.1 .1 .3\n2 .5 -0.05 0 .3\n",
        "id radius x y z ix iy iz\n1 .5 1 2 3 1 0 0\n2 .5 9.5 0 3 -1 0 0\n",
    };
    mrn_import_options o = mrn_import_default();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp ff\n0 10\n0 "
                 "20\n0 10\nITEM: ATOMS %s",
                 rows[k]);
        mrn_packing p = read_text(text, &o);
        /* products with the box are rounded */
        near(grain(&p, 1)->x.x, 1, 1e-14);
        near(grain(&p, 1)->x.y, 2, 1e-14);
        near(grain(&p, 2)->x.x, 9.5, 1e-14);
        assert_true(grain(&p, 2)->radius == 0.5);
        int told = k >= 2 ? 1 : 0;
        assert_int_equal(grain(&p, 1)->image[0], told);
        assert_int_equal(grain(&p, 2)->image[0], -told);
        mrn_packing_release(&p);
    }
}

static void test_local_dump(void **state)
{
    (void)state;
    mrn_import_options o = mrn_import_default();
    o.contacts = sample("liggghts-pairs.dump");
    mrn_packing p = read_packing(sample("liggghts.dump"), &o);
    assert_int_equal(p.contact.n, 4);
    assert_true(p.has_forces);
    assert_int_equal(p.force_on, 1);
    /* the last one closes the row over the periodic face */
    assert_int_equal(p.grain[p.contact.c[3]].id, 4);
    assert_int_equal(p.grain[p.contact.a[3]].id, 1);
    near(p.contact.normal[9], -1, 0);
    near(p.contact.gap[3], -1e-5, 1e-17);
    same3(mrn_load3(p.contact.force + 9), -4, 0, 1);
    made m = make(&p, &o);
    assert_false(m.facts.checkpoint);
    assert_true(m.facts.forces);
    assert_int_equal(m.frame.contacts.n, 4);
    assert_int_equal(m.frame.n, 4);
    /* total forces: grain 1 gets -4 + 4 along x; along z its own 0.5, less the 1 of the last */
    for (int32_t i = 0; i < 4; i++)
        near(m.frame.f[3 * i], 0, 1e-15);
    for (int32_t i = 0; i < 4; i++)
        if (m.frame.id[i] == 2) /* third in the order of types */
            near(m.frame.f[3 * i + 2], 0.5 - 1, 1e-15);
    assert_int_equal(access(in_dir("out/checkpoint.h5"), F_OK), -1);
    unmake(&m);
    mrn_packing_release(&p);
}

/* The same contacts in other words: columns named, the other side, a table. */
static void test_columns(void **state)
{
    (void)state;
    static const char dump[] = "ITEM: TIMESTEP\n1000\nITEM: NUMBER OF ENTRIES\n1\nITEM: BOX BOUNDS "
                               "pp pp ff\n0 1\n0 1\n0 1\nITEM: ENTRIES c_a[1] c_a[2] c_a[3] c_a[4] "
                               "c_a[5]\n4 0 0.5 2 9\n";
    mrn_import_options o = mrn_import_default();
    spill(in_dir("pairs"), dump, strlen(dump));
    o.contacts = in_dir("pairs");
    o.columns = "fx,fy,fz,id1,id2"; /* fx = 4 on grain 2, to the left of 9: a pull, so it is on 9 */
    mrn_packing p = read_packing(sample("liggghts.dump"), &o);
    assert_int_equal(p.force_on, 2);
    same3(mrn_load3(p.contact.force), -4, 0, -0.5);
    mrn_packing_release(&p);
    o.force_on = 1;
    p = read_packing(sample("liggghts.dump"), &o);
    same3(mrn_load3(p.contact.force), 4, 0, 0.5);
    mrn_packing_release(&p);
    static const char table[] = "id1;id2;fnx;fny;fnz;ftx;fty;ftz\n2;9;-4;0;0;0;0.25;0.5\n77;2;1;0;"
                                "0;0;0;0\n";
    spill(in_dir("pairs"), table, strlen(table));
    o.columns = NULL;
    o.force_on = 0;
    o.skip_unknown = true;
    p = read_packing(sample("liggghts.dump"), &o);
    assert_int_equal(p.contact.n, 1);
    assert_int_equal(p.skipped, 1);
    same3(mrn_load3(p.contact.force), -4, 0.25, 0.5);
    mrn_packing_release(&p);
}

/* ---- a slanted cell ---- */

static void test_slanted(void **state)
{
    (void)state;
    mrn_import_options o = mrn_import_default();
    o.radius = 0.5005;
    o.kn = 1e6;
    mrn_packing p = read_packing(sample("slanted.dump"), &o);
    assert_int_equal(p.dimension, 2);
    assert_true(p.tilt[0] == 1.5);
    near(p.size[0], 3, 0);
    near(grain(&p, 9)->x.x, 2 + 1, 1e-14);
    made m = make(&p, &o);
    /* every disk of a triangular lattice has six neighbours */
    assert_int_equal(m.frame.contacts.n, 27);
    assert_true(m.facts.checkpoint);
    near(m.frame.cell_tilt[0], 1.5, 0);
    /* overlap 0.001, spring 1e6: 1000 N in each, and no grain feels a force */
    for (int64_t k = 0; k < 27; k++)
        near(mrn_norm(mrn_load3(m.frame.contacts.force + 3 * k)), 1000, 1e-6);
    for (int32_t i = 0; i < 27; i++)
        near(m.frame.f[i], 0, 1e-6);
    unmake(&m);
    mrn_packing_release(&p);
}

/* Forces in balance with a pressure: by symmetry all normal forces are equal; with the cell's area
   A = 9 h (h = sqrt 3/2, spacing 1) the pressure is sum f / (2 A) = 27 f / (18 h). */
static void test_balance(void **state)
{
    (void)state;
    mrn_import_options o = mrn_import_default();
    o.kn = 1e6;
    o.forces = MRN_IMPORT_EQUILIBRIUM;
    o.pressure = 1000;
    mrn_packing p = read_packing(sample("slanted.dump"), &o);
    made m = make(&p, &o);
    double f = 1000 * 18 * sqrt(0.75) / 27;
    assert_int_equal(m.frame.contacts.n, 27);
    assert_false(m.facts.checkpoint);
    for (int64_t k = 0; k < 27; k++) {
        mrn_vec3 n = mrn_load3(m.frame.contacts.normal + 3 * k);
        near(mrn_dot(n, mrn_load3(m.frame.contacts.force + 3 * k)), f, 1e-6);
    }
    assert_true(m.facts.unbalanced < 1e-9);
    unmake(&m);
    mrn_packing_release(&p);
}

/* ---- YADE ---- */

static void test_yade(void **state)
{
    (void)state;
    mrn_import_options o = mrn_import_default();
    o.contacts = sample("yade-contacts.txt");
    mrn_packing p = read_packing(sample("yade.txt"), &o);
    assert_string_equal(p.format, "yade");
    assert_int_equal(p.n, 4);
    assert_int_equal(p.n_types, 2);
    same3(grain(&p, 13)->x, 0.99, 0.99, 0.5);
    assert_int_equal(p.contact.n, 4);
    assert_int_equal(p.force_on, 2); /* YADE's forces act on the second */
    same3(mrn_load3(p.contact.force), -7, 0, -0.5);
    mrn_packing_release(&p);
    o.contacts = NULL;
    p = read_packing(sample("pack.txt"), &o);
    assert_true(p.periodic[0] && p.periodic[1] && p.periodic[2]);
    made m = make(&p, &o);
    assert_int_equal(m.frame.contacts.n, 2);
    unmake(&m);
    mrn_packing_release(&p);
    p = read_text("0\t0\t0\t1\n5\t0\t0\t1\n", &o);
    assert_string_equal(p.format, "yade");
    assert_int_equal(p.dimension, 2); /* all z are 0 */
    mrn_packing_release(&p);
    p = read_text("#format x_y_z_r_attrs\n0 0 1 1 7 8 9\n5 0 1 1 7 8 9\n", &o);
    assert_int_equal(p.dimension, 3);
    assert_int_equal(p.n, 2);
    mrn_packing_release(&p);
}

/* ---- tables ---- */

static void test_csv(void **state)
{
    (void)state;
    mrn_import_options o = mrn_import_default();
    o.contacts = sample("disks-contacts.csv");
    mrn_packing p = read_packing(sample("disks.csv"), &o);
    assert_int_equal(p.dimension, 2);
    same3(grain(&p, 4)->x, 0.00198, 0.00198, 0);
    assert_true(grain(&p, 4)->radius == 0.001);
    assert_true(grain(&p, 4)->mass == 0.008);
    assert_int_equal(p.contact.n, 4);
    /* 10 N along n = -x, 2 N along z x n = -y */
    near(p.contact.force[0], -10, 1e-12);
    near(p.contact.force[1], -2, 1e-12);
    made m = make(&p, &o);
    assert_string_equal(m.scene.group[0].name, "steel");
    near(m.frame.mass[0], 0.008, 1e-15);
    near(m.scene.material[0].density, 0.008 / (MRN_PI * 1e-6), 1e-9);
    unmake(&m);
    mrn_packing_release(&p);
}

/* Blanks, a header in a comment, several instants, unit of length, quotes, types by name. */
static void test_tables(void **state)
{
    (void)state;
    mrn_import_options o = mrn_import_default();
    mrn_packing p = read_text("\xef\xbb\xbf# id x y z r\n\n1 0 0 1 .5\n2 3 0 1 .5\n", &o);
    assert_int_equal(p.n, 2);
    assert_true(p.has_ids);
    mrn_packing_release(&p);
    static const char instants[] = "time [s],id,group,x,y,z,radius\n0,1,\"a, b\",0,0,1,.5\n0,2,c,3,"
                                   "0,1,.5\n0.5,1,c,0,0,2,.5\n0.5,2,c,3,0,2,.5\n";
    p = read_text(instants, &o);
    assert_int_equal(p.frames, 2);
    assert_true(grain(&p, 2)->x.z == 2);
    assert_int_equal(p.n_types, 1);
    mrn_packing_release(&p);
    o.frame = -2;
    o.length_unit = 1e-3;
    p = read_text(instants, &o);
    assert_true(grain(&p, 2)->x.z == 0.001);
    assert_int_equal(p.n_types, 2);
    assert_string_equal(p.type[0], "a, b");
    made m = make(&p, &o); /* a name that a scene cannot have */
    assert_string_equal(m.scene.group[0].name, "kind-1");
    assert_string_equal(m.scene.group[1].name, "c");
    unmake(&m);
    mrn_packing_release(&p);
}

/* ---- a scene of the user's ---- */

static const char box[] =
    "moraine: 1\ndimension: 3\n"
    "materials: {stone: {density: 2600, young: 5e6, poisson: 0.25}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.6, friction: 0.5}]\n"
    "bodies: [{name: old, material: stone, shape: {sphere: {diameter: 0.01}}, count: 3,\n"
    "  place: {fill: {box: [[0, 0, 0], [0.03, 0.03, 0.03]]}}}]\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}]\n"
    "gravity: [0, 0, -10]\nstages: [{name: rest, until: {time: 1e-3}}]\noutput: {every: 1e-3}\n";

/* A grain on a floor, a hair above it: it is held up by what it weighs. */
static void test_scene(void **state)
{
    (void)state;
    mrn_import_options o = mrn_import_default();
    spill(in_dir("box.yaml"), box, strlen(box));
    char path[512];
    snprintf(path, sizeof path, "%s", in_dir("box.yaml"));
    o.scene = path;
    mrn_packing p = read_text("id,x,y,z,radius\n3,0,0,0.01000000001,0.01\n5,1,0,0.01,0.01\n", &o);
    made m = make(&p, &o);
    assert_string_equal(m.scene.group[0].name, "old");
    assert_int_equal(m.scene.n_walls, 1);
    assert_true(m.scene.output.contacts);
    assert_true(m.facts.checkpoint);
    assert_int_equal(m.frame.id[1], 1); /* after the wall */
    unmake(&m);
    o.forces = MRN_IMPORT_EQUILIBRIUM;
    m = make(&p, &o);
    assert_int_equal(m.frame.contacts.n, 2);
    double weight = 10 * 2600 * 4 * MRN_PI / 3 * 1e-6;
    for (int k = 0; k < 2; k++)
        near(m.frame.contacts.force[3 * k + 2], weight, 1e-9 * weight);
    unmake(&m);
    mrn_packing_release(&p);
}

/* A small grain leans on a large one of twice its size: forces of least norm would hang the large
   one on the small one by friction alone. Those found balance the weights within the cones. */
static void test_cones(void **state)
{
    (void)state;
    char path[512], text[256];
    mrn_import_options o = mrn_import_default();
    snprintf(path, sizeof path, "%s", in_dir("box.yaml"));
    spill(path, box, strlen(box));
    o.scene = path;
    o.forces = MRN_IMPORT_EQUILIBRIUM;
    /* both on the floor, their surfaces in touch: distance along x is 2 sqrt(r R) */
    snprintf(text, sizeof text, "id,x,y,z,radius\n1,0,0,0.01,0.01\n2,%.17g,0,0.02,0.02\n",
             2 * sqrt(0.01 * 0.02));
    mrn_packing p = read_text(text, &o);
    made m = make(&p, &o);
    const mrn_contacts *c = &m.frame.contacts;
    assert_int_equal(c->n, 3);
    for (int64_t k = 0; k < 3; k++) {
        mrn_vec3 f = mrn_load3(c->force + 3 * k), n = mrn_load3(c->normal + 3 * k);
        double along = mrn_dot(f, n), across = mrn_norm(mrn_axpy(-along, n, f));
        assert_true(along >= 0);
        assert_true(across <= 0.5 * along + 1e-8);
    }
    /* the tolerance of the programme is 1e-6 */
    assert_true(m.facts.unbalanced < 1e-5);
    for (int i = 3; i < 9; i++)
        near(m.frame.f[i], 0, 1e-5);
    unmake(&m);
    mrn_packing_release(&p);
}

/* The same with rigid grains: the impulses of a step are the forces, and nothing moves. */
static void test_rigid(void **state)
{
    (void)state;
    char text[2048];
    mrn_import_options o = mrn_import_default();
    snprintf(text, sizeof text, "method: nonsmooth\n%s", box);
    char *law = strstr(text, "law: hertz-mindlin, restitution: 0.6");
    assert_non_null(law);
    memcpy(law, "law: rigid, restitution: 0          ", 36);
    spill(in_dir("box.yaml"), text, strlen(text));
    char path[512];
    snprintf(path, sizeof path, "%s", in_dir("box.yaml"));
    o.scene = path;
    mrn_packing p = read_text("id,x,y,z,radius\n3,0,0,0.01,0.01\n5,1,0,0.01,0.01\n", &o);
    made m = make(&p, &o);
    assert_true(m.facts.checkpoint);
    assert_int_equal(m.frame.contacts.n, 2);
    double weight = 10 * 2600 * 4 * MRN_PI / 3 * 1e-6;
    for (int k = 0; k < 2; k++)
        near(m.frame.contacts.force[3 * k + 2], weight, 1e-6 * weight);
    assert_true(m.frame.x[3 + 2] == 0.01);
    unmake(&m);
    mrn_packing_release(&p);
}

/* ---- memory ---- */

static bool leftover(void)
{
    bool found = false;
    DIR *d = opendir(test_dir);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        found = found || strstr(e->d_name, ".part") != NULL;
    closedir(d);
    return found;
}

static void remove_out(void)
{
    nftw(in_dir("memory"), remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void fail_everywhere(const char *path, const mrn_import_options *o)
{
    size_t before = mrn_bytes_in_use();
    for (int64_t k = 1;; k++) {
        mrn_packing p = {0};
        mrn_import_facts facts;
        mrn_message msg = {0};
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_import_read(path, o, &p, &msg);
        if (st == MRN_OK)
            st = mrn_import_write(&p, o, in_dir("memory"), &facts, &msg);
        mrn_alloc_fail_at(0);
        mrn_packing_release(&p);
        assert_int_equal(mrn_bytes_in_use(), before);
        assert_false(leftover());
        if (st == MRN_OK)
            break;
        assert_int_equal(st, MRN_ERR_MEMORY);
        assert_int_equal(access(in_dir("memory"), F_OK), -1);
    }
}

static void test_memory(void **state)
{
    (void)state;
    mrn_import_options o = mrn_import_default();
    o.contacts = sample("liggghts-pairs.dump");
    fail_everywhere(sample("liggghts.dump"), &o);
    remove_out();
    o = mrn_import_default();
    o.kn = 1e6;
    o.pressure = 1000;
    o.forces = MRN_IMPORT_EQUILIBRIUM;
    fail_everywhere(sample("slanted.dump"), &o);
    remove_out();
    char path[512];
    snprintf(path, sizeof path, "%s", in_dir("box.yaml"));
    spill(path, box, strlen(box));
    o = mrn_import_default();
    o.scene = path;
    fail_everywhere(sample("yade.txt"), &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dump),       cmocka_unit_test(test_positions),
        cmocka_unit_test(test_local_dump), cmocka_unit_test(test_columns),
        cmocka_unit_test(test_slanted),    cmocka_unit_test(test_balance),
        cmocka_unit_test(test_yade),       cmocka_unit_test(test_csv),
        cmocka_unit_test(test_tables),     cmocka_unit_test(test_scene),
        cmocka_unit_test(test_cones),      cmocka_unit_test(test_rigid),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
