/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes: names, units, suggestions, and values known in closed form. */
#include "generate/kit.h"
#include "measure/measure.h"

static double value(const kit *k, const mrn_state *s, const char *name)
{
    return mrn_probe_value(&k->scene, s, name);
}

static void near_to(const kit *k, const mrn_state *s, const char *name, double expected)
{
    double v = value(k, s, name);
    if (!(fabs(v - expected) <= 1e-12 * fmax(fabs(expected), 1)))
        fail_msg("%s is %.17g, expected %.17g", name, v, expected);
}

static mrn_grain four[4];

/* Three free grains of radius 0.1 in a row along z on the floor, a fixed one above; touching in a
 * chain. */
static void chain(kit *k, mrn_state *s)
{
    kit_begin(k, 3);
    k->scene.gravity = mrn_v3(0, 0, -10);
    kit_plane(k, "floor", mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    kit_plane(k, "left.side", mrn_v3(-1, 0, 0), mrn_v3(1, 0, 0));
    for (int i = 0; i < 4; i++)
        four[i] = (mrn_grain){.x = {0, 0, 0.1 + 0.2 * i}, .radius = 0.1};
    mrn_group *g = kit_group(k, "beads", 0.1);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 3;
    g->grain = four;
    g = kit_group(k, "top", 0.1);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 1;
    g->grain = four + 3;
    g->fixed = true;
    kit_build(k, s);
    mrn_store3(s->gravity, k->scene.gravity);
    mrn_ledger_open(&k->scene, s);
}

/* A neighbour list by hand: bodies 2, 3, 4 free, 5 fixed. Grain pairs 2-3, 3-4, 4-5 and one that
   does not touch, 2-4; wall pair 2-floor. Owners: the lower number. */
static int32_t row[] = {0, 0, 0, 2, 3, 4, 4}, wall_row[] = {4, 4, 4, 5, 5, 5, 5};
static int32_t back_row[] = {0, 0, 0, 0, 1, 3, 4}, back[] = {0, 1, 2, 3};
static int32_t other[] = {3, 4, 4, 5, 0};
static uint8_t touch[] = {1, 0, 1, 1, 1};
static double floor_point[3];
static double force[] = {0, 0, 4, 9, 9, 9, 0, 3, 0, 0, 0, 2, 3, 0, 0};

static void put_list(mrn_state *s)
{
    s->pair = (mrn_pairs){.n = 5,
                          .n_grain = 4,
                          .rows = 6,
                          .changes = s->body.changes,
                          .row = row,
                          .wall_row = wall_row,
                          .back_row = back_row,
                          .back = back,
                          .other = other};
    s->contact = (mrn_contacts){.n = 5,
                                .first = 4,
                                .columns = mrn_contacts_columns(MRN_CONTACTS_SLOTS),
                                .tail = MRN_COLUMN(point),
                                .flags = touch,
                                .force = force,
                                .point = floor_point};
    memcpy(floor_point, s->body.x + 3 * 2, sizeof floor_point);
}

static void take_list(mrn_state *s)
{
    s->pair = (mrn_pairs){0};
    s->contact = (mrn_contacts){0};
}

static void coordination(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    chain(&k, &s);
    near_to(&k, &s, "coordination", 0); /* no list yet */
    put_list(&s);
    /* contacts of the three free grains: floor and 3; 2 and 4; 3 and the fixed one */
    near_to(&k, &s, "coordination", 2);
    near_to(&k, &s, "mechanical-coordination", 2);
    near_to(&k, &s, "rattler-fraction", 0);
    touch[4] = 0; /* off the floor: one contact left for the lowest */
    near_to(&k, &s, "coordination", 5.0 / 3);
    near_to(&k, &s, "mechanical-coordination", 2);
    near_to(&k, &s, "rattler-fraction", 1.0 / 3);
    touch[4] = 1;
    take_list(&s);
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void balance_of_forces(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    chain(&k, &s);
    near_to(&k, &s, "unbalanced-force-ratio", 0); /* no force at all */
    s.body.f[3 * 2 + 2] = 3;
    s.body.f[3 * 3 + 1] = 6;
    s.body.f[3 * 5 + 2] = 1000; /* the fixed one does not count */
    assert_true(value(&k, &s, "unbalanced-force-ratio") == INFINITY);
    put_list(&s);
    /* contact forces 4, 3, 2, 3: mean 3; resultants 3, 6, 0: mean 3 */
    near_to(&k, &s, "mean-contact-force", 3);
    near_to(&k, &s, "unbalanced-force-ratio", 1);
    take_list(&s);
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void kinetic_ratio(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    chain(&k, &s);
    near_to(&k, &s, "kinetic-energy-ratio", 1); /* no step yet */
    s.step = 10;
    near_to(&k, &s, "kinetic-energy-ratio", 0); /* at rest, nothing pulls */
    s.body.f[3 * 3] = 1e-9;
    near_to(&k, &s, "kinetic-energy-ratio", 1); /* about to move */
    s.body.v[3 * 3] = 2;
    near_to(&k, &s, "kinetic-energy-ratio", 1); /* the peak is now, even if not noted yet */
    double now = value(&k, &s, "kinetic-energy");
    s.kinetic_peak = 4 * now;
    near_to(&k, &s, "kinetic-energy-ratio", 0.25);
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void motion(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    chain(&k, &s);
    double m = s.body.mass[2], I = s.body.inertia[2];
    s.body.v[3 * 2] = 3;     /* at z = 0.1, along x */
    s.body.v[3 * 3 + 1] = 4; /* at z = 0.3, along y */
    s.body.w[3 * 4 + 2] = 5;
    near_to(&k, &s, "momentum-x", 3 * m);
    near_to(&k, &s, "momentum-y", 4 * m);
    near_to(&k, &s, "momentum-z", 0);
    near_to(&k, &s, "angular-momentum-x", -0.3 * 4 * m); /* x cross p: y z' - z y' */
    near_to(&k, &s, "angular-momentum-y", 0.1 * 3 * m);
    near_to(&k, &s, "angular-momentum-z", 5 * I);
    near_to(&k, &s, "max-speed", 4);
    near_to(&k, &s, "mean-speed", 7.0 / 3);
    near_to(&k, &s, "mean-z", 0.3);
    near_to(&k, &s, "mean-x", 0);
    near_to(&k, &s, "height", 0.8); /* top of the fixed grain at 0.7 */
    mrn_store3(s.gravity, mrn_v3(10, 0, 0));
    near_to(&k, &s, "height", 0.1); /* up is now -x */
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void numbers_of_the_state(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    chain(&k, &s);
    s.time = 3;
    s.stage_time = 1;
    s.step = 300;
    s.stage_step = 100;
    s.h = 0.01;
    s.contacts = 4;
    s.sliding = 1;
    s.max_overlap = 0.02;
    s.elastic = 7;
    s.ledger.lost_tangential = 2;
    s.ledger.wall_work = 3;
    near_to(&k, &s, "time", 3);
    near_to(&k, &s, "time-in-stage", 2);
    near_to(&k, &s, "step", 300);
    near_to(&k, &s, "steps", 200);
    near_to(&k, &s, "time-step", 0.01);
    near_to(&k, &s, "bodies", 4);
    near_to(&k, &s, "contacts", 4);
    near_to(&k, &s, "sliding-fraction", 0.25);
    near_to(&k, &s, "max-overlap", 0.02);
    near_to(&k, &s, "elastic-energy", 7);
    near_to(&k, &s, "dissipated-energy", 2);
    near_to(&k, &s, "input-energy", 3);
    near_to(&k, &s, "energy-residual", 7 + 2 - 3);
    near_to(&k, &s, "energy-residual-ratio", 3);
    mrn_energies e = mrn_measure_energies(&k.scene, &s);
    near_to(&k, &s, "total-energy", e.total);
    near_to(&k, &s, "gravity-energy", e.gravity);
    near_to(&k, &s, "rotational-energy", 0);
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void walls_and_groups(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    chain(&k, &s);
    s.body.f[2] = -42;
    s.body.t[3 * 1 + 1] = 6;
    s.body.v[3 * 2] = 3;
    near_to(&k, &s, "walls.floor.force.z", -42);
    near_to(&k, &s, "walls.left.side.torque.y", 6); /* a name with a dot */
    near_to(&k, &s, "walls.left.side.position.x", -1);
    near_to(&k, &s, "groups.beads.count", 3);
    near_to(&k, &s, "groups.beads.mean-z", 0.3);
    near_to(&k, &s, "groups.beads.mean-speed", 1);
    near_to(&k, &s, "groups.top.mean-z", 0.7);
    assert_true(isnan(value(&k, &s, "walls.ceiling.force.z")));
    assert_true(isnan(value(&k, &s, "walls.floor.force.q")));
    assert_true(isnan(value(&k, &s, "groups.")));
    assert_true(isnan(value(&k, &s, "nonsense")));
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void sources_and_pairs(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    chain(&k, &s);
    mrn_outlet hole[2] = {{.name = "hole"}, {.name = "rim.1"}};
    k.scene.outlet = hole;
    k.scene.n_outlets = 2;
    kit_group(&k, "rain", 0.1)->place = MRN_PLACE_INLET;
    s.drive.outlet_count[1] = 7;
    s.drive.outlet_mass[1] = 0.5;
    s.drive.inlet_made[0] = 4;
    s.drive.inlet_debt[0] = 2;
    near_to(&k, &s, "outlets.rim.1.count", 7);
    near_to(&k, &s, "outlets.rim.1.mass", 0.5);
    near_to(&k, &s, "outlets.hole.mass", 0);
    near_to(&k, &s, "inlets.rain.count", 4);
    near_to(&k, &s, "inlets.rain.debt", 2);
    near_to(&k, &s, "separation.top.beads", 0.4);
    assert_true(isnan(value(&k, &s, "inlets.beads.count"))); /* a group, no inlet */
    s.cell_size[1] = 3;
    s.cell_rate[MRN_XY] = 0.25;
    s.ledger.lost_damping = 5;
    near_to(&k, &s, "cell.size.y", 3);
    near_to(&k, &s, "cell.rate.xy", 0.25);
    near_to(&k, &s, "energy-lost-damping", 5);
    near_to(&k, &s, "dissipated-energy", 5);
    assert_true(isnan(value(&k, &s, "walls.floor.pressure"))); /* no servo */
    k.wall[0].motion.kind = MRN_MOTION_SERVO;
    k.wall[0].motion.servo_direction = mrn_v3(0, 0, 1);
    k.wall[0].motion.servo_area = 0.5;
    s.body.f[2] = -3;
    near_to(&k, &s, "walls.floor.pressure", 6);
    mrn_state_destroy(&s);
    kit_end(&k);
}

/* All at once gives what one by one does, to the last bit. */
static void many_at_once(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    chain(&k, &s);
    put_list(&s);
    s.body.v[3 * 3] = 2;
    int n = mrn_probe_count();
    char(*name)[128] = mrn_alloc((size_t)(n + 2) * sizeof *name);
    double *v = mrn_alloc((size_t)(n + 2) * sizeof *v);
    for (int i = 0; i < n; i++)
        snprintf(name[i], sizeof name[i], "%s", mrn_probe_at(i)->name);
    snprintf(name[n], sizeof name[n], "groups.beads.count");
    snprintf(name[n + 1], sizeof name[n + 1], "mixing.beads.top");
    assert_int_equal(mrn_probe_values(&k.scene, &s, n + 2, name, v, &k.msg), MRN_OK);
    for (int i = 0; i < n + 2; i++) {
        double one = value(&k, &s, name[i]);
        assert_memory_equal(&one, &v[i], sizeof one);
    }
    mrn_alloc_fail_at(1);
    assert_int_equal(mrn_probe_values(&k.scene, &s, n + 2, name, v, &k.msg), MRN_ERR_MEMORY);
    mrn_alloc_fail_at(0);
    mrn_free(name);
    mrn_free(v);
    take_list(&s);
    mrn_state_destroy(&s);
    kit_end(&k);
}

/* ---- solid fraction ---- */

/* Simple cubic: pi/6; fcc: pi/sqrt(18); triangular: pi/sqrt(12). All periodic: exact. */
static void solid_fraction_of_crystals(void **state)
{
    (void)state;
    const mrn_lattice_kind kind[] = {MRN_LATTICE_CUBIC, MRN_LATTICE_FCC, MRN_LATTICE_HEX};
    const double fraction[] = {MRN_PI / 6, MRN_PI / sqrt(18), MRN_PI / sqrt(12)};
    for (int c = 0; c < 3; c++) {
        kit k;
        mrn_state s;
        int dimension = c < 2 ? 3 : 2;
        kit_begin(&k, dimension);
        double a = c == 1 ? sqrt(2) : 1;
        mrn_vec3 size = mrn_scale(0.02 * 4 * a, mrn_v3(1, c == 2 ? sqrt(3) : 1, 1));
        kit_periodic(&k, 0, 0, size.x);
        kit_periodic(&k, 1, 0, size.y);
        if (dimension == 3)
            kit_periodic(&k, 2, 0, size.z);
        mrn_group *g = kit_fill_box(&k, "x", 0.01, mrn_v3(0, 0, 0), size);
        g->place = MRN_PLACE_LATTICE;
        g->lattice = kind[c];
        kit_build(&k, &s);
        near_to(&k, &s, "solid-fraction", fraction[c]);
        mrn_state_destroy(&s);
    }
}

/* One grain: the bulk is the box of +-2/3 r across and +-0.8 r up. What of the grain is in it, by
   counting points: the error of a count of m^d points is below about 1/m. */
static double counted(int dimension, int m)
{
    int64_t in = 0, all = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int l = 0; l < (dimension == 3 ? m : 1); l++) {
                double x = 2.0 / 3 * ((2 * i + 1.0) / m - 1);
                double y = (dimension == 3 ? 2.0 / 3 : 0.8) * ((2 * j + 1.0) / m - 1);
                double z = dimension == 3 ? 0.8 * ((2 * l + 1.0) / m - 1) : 0;
                in += x * x + y * y + z * z <= 1;
                all++;
            }
    return (double)in / (double)all;
}

static void solid_fraction_of_one_grain(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        kit k;
        mrn_state s;
        mrn_grain one = {.x = {3, 4, dimension == 3 ? 5 : 0}, .radius = 0.1};
        kit_begin(&k, dimension);
        k.scene.gravity = dimension == 3 ? mrn_v3(0, 0, -1) : mrn_v3(0, -1, 0);
        mrn_group *g = kit_group(&k, "one", 0.1);
        g->place = MRN_PLACE_LIST;
        g->n_grains = 1;
        g->grain = &one;
        kit_build(&k, &s);
        mrn_store3(s.gravity, k.scene.gravity);
        int m = dimension == 3 ? 100 : 800;
        assert_true(fabs(value(&k, &s, "solid-fraction") - counted(dimension, m)) < 2e-3);
        mrn_state_destroy(&s);
    }
}

/* A bed periodic in x and y, free above: ten layers of a cubic crystal, and one grain in the air
   that changes its centre by 1/401 of its distance only. The slab cuts layers, so that its fraction
   differs from pi/6 by at most the part of one layer in eight. */
static void solid_fraction_of_a_bed(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 3);
    k.scene.gravity = mrn_v3(0, 0, -10);
    kit_periodic(&k, 0, 0, 0.4);
    kit_periodic(&k, 1, 0, 0.4);
    mrn_group *g = kit_fill_box(&k, "bed", 0.01, mrn_v3(0, 0, 0), mrn_v3(0.4, 0.4, 0.2));
    g->place = MRN_PLACE_LATTICE;
    mrn_grain flying = {.x = {0.2, 0.2, 1}, .radius = 0.01};
    g = kit_group(&k, "flying", 0.01);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 1;
    g->grain = &flying;
    kit_build(&k, &s);
    mrn_store3(s.gravity, k.scene.gravity);
    assert_int_equal(s.body.n, 4001);
    assert_true(fabs(value(&k, &s, "solid-fraction") - MRN_PI / 6) < 0.01);
    near_to(&k, &s, "height", 1.01);
    mrn_state_destroy(&s);
}

/* ---- names ---- */

static void table_is_complete(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    chain(&k, &s);
    assert_true(mrn_probe_count() >= 30);
    for (int i = 0; i < mrn_probe_count(); i++) {
        const mrn_probe *p = mrn_probe_at(i);
        const char *unit = NULL;
        assert_true(p->doc[0] != '\0' && p->unit[0] != '\0');
        assert_int_equal(mrn_probe_check(&k.scene, p->name, &unit, NULL), MRN_OK);
        assert_string_equal(unit, p->unit);
        /* no heap is there, and four grains lie in one cell of the grid */
        bool missing = strcmp(p->name, "repose-angle") == 0 || strcmp(p->name, "mixing-index") == 0;
        missing = missing || strcmp(p->name, "surface-angle") == 0;
        missing = missing || mrn_probe_method(i) != NULL; /* another method steps here */
        assert_int_equal(isnan(value(&k, &s, p->name)) != 0, missing);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(p->name, mrn_probe_at(j)->name);
    }
    assert_null(mrn_probe_at(-1));
    assert_null(mrn_probe_at(mrn_probe_count()));
    mrn_state_destroy(&s);
    kit_end(&k);
}

/* An empty world has numbers too, but for a place where nothing is. */
static void empty_world(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    kit_begin(&k, 3);
    for (int i = 0; i < mrn_probe_count(); i++) {
        const char *name = mrn_probe_at(i)->name;
        bool place = strncmp(name, "mean-", 5) == 0 && strlen(name) == 6;
        place = place || strcmp(name, "height") == 0;
        place = place || strcmp(name, "repose-angle") == 0 || strcmp(name, "mixing-index") == 0;
        place = place || strcmp(name, "surface-angle") == 0;
        place = place || mrn_probe_method(i) != NULL;
        assert_int_equal(isnan(value(&k, &s, name)) != 0, place);
    }
}

/* What the non-smooth engine reports, and points counted where they touch or bear. */
static void nonsmooth_report(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    kit_begin(&k, 3);
    k.scene.method = mrn_method_find("nonsmooth");
    for (int i = 0; i < mrn_probe_count(); i++)
        if (mrn_probe_method(i) == k.scene.method)
            assert_true(value(&k, &s, mrn_probe_at(i)->name) == 0);
    s.nonsmooth = (mrn_nonsmooth_report){.unsolved = 2,
                                         .last_sweeps = 31,
                                         .last_residual = 1e-5,
                                         .last_mean = 1e-6,
                                         .last_max = 1e-4,
                                         .overlap_max = 3e-6,
                                         .overlap_mean = 1e-6,
                                         .projected = 0.25,
                                         .asleep = 7};
    s.ledger.lost_scheme = -0.5;
    s.ledger.lost_normal = 2;
    double gap[] = {-1e-6, 1e-6, 1e-6}, impulse[] = {0, 0, 0, 0, 0, 0, 1e-3, 0, 0};
    s.contact = (mrn_contacts){.n = 3, .impulse_width = 3, .gap = gap, .impulse = impulse};
    near_to(&k, &s, "contact-points", 2);
    near_to(&k, &s, "sweeps", 31);
    near_to(&k, &s, "residual", 1e-5);
    near_to(&k, &s, "violation-mean", 1e-6);
    near_to(&k, &s, "violation-max", 1e-4);
    near_to(&k, &s, "unsolved", 2);
    near_to(&k, &s, "overlap-max", 3e-6);
    near_to(&k, &s, "overlap-mean", 1e-6);
    near_to(&k, &s, "asleep", 7);
    near_to(&k, &s, "projected-energy", 0.25);
    near_to(&k, &s, "energy-lost-scheme", -0.5);
    near_to(&k, &s, "dissipated-energy", 1.5);
    near_to(&k, &s, "energy-residual", 1.5); /* nothing else is there */
}

/* What the quasi-static method reports: known under it, and under no other method of its family. */
static void quasistatic_report(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    kit_begin(&k, 3);
    k.scene.method = mrn_method_find("quasistatic");
    s.quasistatic =
        (mrn_quasistatic_report){.last_iterations = 6, .residual = 2e-7, .instabilities = 3};
    near_to(&k, &s, "increment-iterations", 6);
    near_to(&k, &s, "increment-residual", 2e-7);
    near_to(&k, &s, "instabilities", 3);
    k.scene.method = mrn_method_find("smooth");
    assert_true(isnan(value(&k, &s, "instabilities")));
}

/* General probes first, then those of each method in its order, each with the method's name on it:
   a method that brings probes is known by them alone. */
static void probes_of_methods(void **state)
{
    (void)state;
    int next = mrn_probe_count();
    for (int m = mrn_method_count() - 1; m >= 0; m--)
        for (int k = mrn_method_at(m)->n_probes - 1; k >= 0; k--) {
            next--;
            assert_ptr_equal(mrn_probe_at(next), &mrn_method_at(m)->probe[k].probe);
            assert_ptr_equal(mrn_probe_method(next), mrn_method_at(m));
        }
    assert_true(next > 30);
    for (int i = 0; i < next; i++)
        assert_null(mrn_probe_method(i));
    assert_null(mrn_probe_method(-1));
    assert_null(mrn_probe_method(mrn_probe_count()));
}

/* ---- one way of reading ---- */

typedef struct visited {
    int n;
    mrn_contact_entry entry[8];
} visited;

static void keep_entry(const mrn_contact_view *v, const mrn_contact_entry *t, void *user)
{
    (void)v;
    visited *all = user;
    assert_true(all->n < 8);
    all->entry[all->n++] = *t;
}

static void same_vector(mrn_vec3 a, mrn_vec3 b)
{
    assert_true(mrn_norm(mrn_sub(a, b)) <= 1e-15);
}

static void same_entries(const mrn_contact_view *v, const visited *expected)
{
    visited seen = {0};
    mrn_contacts_each(v, keep_entry, &seen);
    assert_int_equal(seen.n, expected->n);
    for (int i = 0; i < seen.n; i++) {
        const mrn_contact_entry *a = &seen.entry[i], *b = &expected->entry[i];
        assert_true(a->c == b->c && a->a == b->a && a->wall == b->wall && a->gap == b->gap);
        assert_int_equal(a->k, i + 1); /* the first of these networks is not in touch */
        same_vector(a->normal, b->normal);
        same_vector(a->branch, b->branch);
        same_vector(a->force, b->force);
    }
}

/* The contacts of a list again as a snapshot, and as contact points with impulses: whatever columns
   a network has, the same is read; and each contact knows its place in the network it is read
   from. */
static void networks_are_read_alike(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    visited seen = {0};
    chain(&k, &s);
    put_list(&s);
    floor_point[2] = 0;
    mrn_contact_view own = mrn_view_of(&k.scene, &s, NULL);
    mrn_contacts_each(&own, keep_entry, &seen);
    assert_int_equal(seen.n, 4);
    int32_t c[5] = {2}, a[5] = {3}, id_c[5] = {0}, id_a[5] = {0};
    double gap[5] = {1}, normal[15] = {0, 0, 1}, branch[15], pull[15] = {0}, point[15];
    double tangent[15], impulse[15] = {0};
    id_c[0] = s.body.id[2], id_a[0] = s.body.id[3];
    for (int i = 0; i < 4; i++) {
        const mrn_contact_entry *t = &seen.entry[i];
        same_vector(t->force, mrn_load3(s.contact.force + 3 * t->k));
        mrn_vec3 across = mrn_sub(t->force, mrn_scale(mrn_dot(t->force, t->normal), t->normal));
        c[i + 1] = t->c, a[i + 1] = t->a, gap[i + 1] = t->gap;
        id_c[i + 1] = s.body.id[t->c], id_a[i + 1] = s.body.id[t->a];
        mrn_store3(normal + 3 * i + 3, t->normal);
        mrn_store3(branch + 3 * i + 3, t->branch);
        mrn_store3(pull + 3 * i + 3, t->force);
        mrn_store3(point + 3 * i + 3, mrn_sub(t->to, t->branch));
        mrn_store3(tangent + 3 * i + 3, mrn_norm(across) > 0 ? mrn_unit(across) : mrn_v3(1, 0, 0));
        impulse[3 * i + 3] = 0.5 * mrn_dot(t->force, t->normal);
        impulse[3 * i + 4] = 0.5 * mrn_norm(across);
        if (gap[i + 1] >= 0 && !(impulse[3 * i + 3] > 0)) /* it only hangs together in the list */
            gap[i + 1] = seen.entry[i].gap = -1e-9;
    }
    mrn_contacts given = {
        .n = 5, .c = c, .a = a, .gap = gap, .normal = normal, .branch = branch, .force = pull};
    mrn_contact_view frame = mrn_view_of(&k.scene, &s, &given);
    same_entries(&frame, &seen);
    s.contact = (mrn_contacts){.n = 5,
                               .id_c = id_c,
                               .id_a = id_a,
                               .gap = gap,
                               .normal = normal,
                               .tangent = tangent,
                               .point = point,
                               .impulse = impulse,
                               .impulse_width = 3};
    s.nonsmooth.last_h = 0.5;
    k.scene.method = mrn_method_find("nonsmooth");
    mrn_contact_view points = mrn_view_of(&k.scene, &s, NULL);
    same_entries(&points, &seen);
    take_list(&s);
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void suggests(kit *k, const char *name, const char *meant)
{
    assert_int_equal(mrn_probe_check(&k->scene, name, NULL, &k->msg), MRN_ERR_INPUT);
    if (strstr(k->msg.hint, meant) == NULL)
        fail_msg("%s: %s / %s", name, k->msg.text, k->msg.hint);
}

static void names_are_checked(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    const char *unit;
    chain(&k, &s);
    assert_int_equal(mrn_probe_check(&k.scene, "walls.floor.torque.x", &unit, NULL), MRN_OK);
    assert_string_equal(unit, "N m");
    assert_int_equal(mrn_probe_check(&k.scene, "groups.beads.mean-speed", &unit, NULL), MRN_OK);
    assert_string_equal(unit, "m/s");
    suggests(&k, "kinetic-enrgy", "'kinetic-energy'");
    suggests(&k, "walls.flor.force.z", "'walls.floor.force.z'");
    suggests(&k, "walls.floor.forces.z", "'walls.floor.force.z'");
    suggests(&k, "groups.bead.count", "'groups.beads.count'");
    suggests(&k, "groups.beads.mean-speeed", "'groups.beads.mean-speed'");
    suggests(&k, "mixing.bead.top", "'mixing.beads.top'");
    suggests(&k, "separation.beads.tob", "'separation.beads.top'");
    assert_int_equal(mrn_probe_check(&k.scene, "separation.beads.top", &unit, NULL), MRN_OK);
    assert_string_equal(unit, "m");
    suggests(&k, "stress.xz2", "'stress.xz'");
    suggests(&k, "walls.floor.pressure", "walls.floor.force"); /* no servo: no area */
    assert_int_equal(mrn_probe_check(&k.scene, "outlets.hole.count", NULL, &k.msg), MRN_ERR_INPUT);
    assert_int_equal(mrn_probe_check(&k.scene, "zzz", NULL, &k.msg), MRN_ERR_INPUT);
    assert_true(k.msg.hint[0] == '\0' && k.msg.expected[0] != '\0');
    const char *broken[] = {
        "",        "walls",        "walls.",        "walls..", "walls.floor",  "walls.floor.force",
        "groups.", "groups.beads", "groups.beads.", "mixing.", "mixing.beads", "mixing.beads."};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        assert_int_equal(mrn_probe_check(&k.scene, broken[i], NULL, NULL), MRN_ERR_INPUT);
    char lengthy[400];
    memset(lengthy, 'x', sizeof lengthy);
    memcpy(lengthy, "walls.", 6);
    lengthy[399] = '\0';
    assert_int_equal(mrn_probe_check(&k.scene, lengthy, NULL, &k.msg), MRN_ERR_INPUT);
    mrn_state_destroy(&s);
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordination),
        cmocka_unit_test(balance_of_forces),
        cmocka_unit_test(kinetic_ratio),
        cmocka_unit_test(motion),
        cmocka_unit_test(numbers_of_the_state),
        cmocka_unit_test(walls_and_groups),
        cmocka_unit_test(sources_and_pairs),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(solid_fraction_of_crystals),
        cmocka_unit_test(solid_fraction_of_one_grain),
        cmocka_unit_test(solid_fraction_of_a_bed),
        cmocka_unit_test(table_is_complete),
        cmocka_unit_test(empty_world),
        cmocka_unit_test(nonsmooth_report),
        cmocka_unit_test(quasistatic_report),
        cmocka_unit_test(probes_of_methods),
        cmocka_unit_test(networks_are_read_alike),
        cmocka_unit_test(names_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
