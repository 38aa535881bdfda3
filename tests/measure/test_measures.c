/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures against closed forms: crystals, chains, slabs, mixtures, heaps. */
#include "measure/packing_kit.h"

static mrn_report measure(kit *k, const mrn_state *s, const mrn_contacts *c)
{
    mrn_report r;
    if (mrn_measure(&k->scene, s, c, &r, &k->msg) != MRN_OK)
        fail_msg("%s", k->msg.text);
    return r;
}

/* ---- tensors ---- */

static void invariants(void **state)
{
    (void)state;
    const double triaxial[6] = {1, 1, 4, 0, 0, 0}, shear[6] = {2, 2, 2, 0.5, 0, 0};
    double p[3];
    NEAR(mrn_tensor_mean(triaxial, 3), 2, 1e-15);
    NEAR(mrn_tensor_deviator(triaxial, 3), 3, 1e-15); /* axial less radial */
    mrn_tensor_principal(triaxial, 3, p);
    NEAR(p[0], 4, 1e-7); /* twice degenerate: the angle loses half of the digits */
    NEAR(p[1], 1, 1e-7);
    NEAR(p[2], 1, 1e-7);
    NEAR(mrn_tensor_deviator(shear, 3), sqrt(3) * 0.5, 1e-15);
    mrn_tensor_principal(shear, 3, p);
    NEAR(p[0], 2.5, 1e-12);
    NEAR(p[1], 2, 1e-12);
    NEAR(p[2], 1.5, 1e-12);
    NEAR(mrn_tensor_deviator(shear, 2), 0.5, 1e-15);
    mrn_tensor_principal(shear, 2, p);
    NEAR(p[0], 2.5, 1e-15);
    NEAR(p[1], 1.5, 1e-15);
    /* a rotation does not change them: R diag(1, 2, 5) R' with R about (1, 1, 1)/sqrt 3 by 40° */
    mrn_quat q = mrn_quat_from_rotation(mrn_scale(40 * MRN_PI / 180, mrn_unit(mrn_v3(1, 1, 1))));
    mrn_vec3 e[3] = {mrn_rotate(q, mrn_v3(1, 0, 0)), mrn_rotate(q, mrn_v3(0, 1, 0)),
                     mrn_rotate(q, mrn_v3(0, 0, 1))};
    const double value[3] = {1, 2, 5};
    double t[6] = {0};
    for (int i = 0; i < 3; i++) {
        const double add[6] = {e[i].x * e[i].x, e[i].y * e[i].y, e[i].z * e[i].z,
                               e[i].x * e[i].y, e[i].x * e[i].z, e[i].y * e[i].z};
        for (int c = 0; c < 6; c++)
            t[c] += value[i] * add[c];
    }
    mrn_tensor_principal(t, 3, p);
    NEAR(p[0], 5, 1e-12);
    NEAR(p[1], 2, 1e-12);
    NEAR(p[2], 1, 1e-12);
}

/* ---- crystals ---- */

/* fcc: 12 neighbours at a/sqrt 2. Pressure of forces k delta: contacts per volume (6 per grain, 4
   grains per a^3) times force times distance over 3. */
static void face_centred(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_contacts c;
    double a = 0.01, r = 0.5 * a / sqrt(2) * 1.01, stiff = 1e4, l = a / sqrt(2);
    double force = stiff * (2 * r - l), pressure = 24 / (a * a * a) * force * l / 3;
    crystal(&k, &s, 3, a, r, true);
    find_contacts(&k, &s, stiff, &c);
    mrn_report m = measure(&k, &s, &c);
    assert_true(m.has_contacts);
    assert_int_equal(m.packing.grains, 108);
    assert_int_equal(m.network.contacts, 6 * 108);
    NEAR(m.network.coordination, 12, 1e-13);
    NEAR(m.network.neighbours, 12, 1e-13);
    NEAR(m.network.backbone, 12, 1e-13);
    assert_int_equal(m.network.rattlers, 0);
    NEAR(m.packing.solid_fraction, MRN_PI / sqrt(18) * 1.01 * 1.01 * 1.01, 1e-12);
    NEAR(m.network.max_overlap, (2 * r - l) / (r / 2), 1e-12);
    NEAR(m.forces.second_moment, 1, 1e-12);
    NEAR(m.forces.mean_normal, force, 1e-12 * force);
    for (int i = 0; i < 3; i++) {
        NEAR(m.stress.total[i], pressure, 1e-12 * pressure);
        NEAR(m.stress.total[3 + i], 0, 1e-12 * pressure);
        NEAR(m.fabric.all[i], 1.0 / 3, 1e-13);
        NEAR(m.fabric.all[3 + i], 0, 1e-13);
    }
    NEAR(m.stress.pressure, pressure, 1e-12 * pressure);
    NEAR(m.stress.ratio, 0, 1e-12);
    NEAR(m.fabric.deviator, 0, 1e-12);
    NEAR(m.flow.inertial_number, 0, 0);
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

/* Simple cubic under unequal forces: the deviator; and the kinetic part of opposite velocities. */
static void simple_cubic(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_contacts c;
    double a = 0.01;
    crystal(&k, &s, 4, a, 0.5 * a * 1.001, false);
    find_contacts(&k, &s, 1, &c);
    assert_int_equal(c.n, 3 * 64);
    for (int64_t i = 0; i < c.n; i++) { /* force 1 across x and y, 4 across z */
        mrn_vec3 n = mrn_load3(c.normal + 3 * i);
        mrn_store3(c.force + 3 * i, mrn_scale(fabs(n.z) > 0.5 ? 4 : 1, n));
    }
    mrn_report m = measure(&k, &s, &c);
    double unit = 1 / (a * a);
    NEAR(m.network.coordination, 6, 1e-13);
    NEAR(m.stress.total[MRN_XX], unit, 1e-9 * unit);
    NEAR(m.stress.total[MRN_ZZ], 4 * unit, 1e-9 * unit);
    NEAR(m.stress.deviator, 3 * unit, 1e-9 * unit);
    NEAR(m.stress.ratio, 1.5, 1e-12);
    NEAR(m.forces.mean_normal, 2, 1e-12);
    NEAR(m.forces.strong, 1.0 / 3, 1e-12);
    NEAR(m.fabric.strong[MRN_ZZ], 1, 1e-12); /* the strong ones all point along z */
    NEAR(m.fabric.strong_deviator, 1, 1e-12);
    /* half of the grains move along +x, half along -x: rho v^2 on top; a common drift adds nothing
     */
    for (int32_t i = 0; i < s.body.n; i++)
        s.body.v[3 * i] = i % 2 ? 2 : 4;
    m = measure(&k, &s, &c);
    double rho = s.body.mass[0] * 64 / pow(4 * a, 3);
    NEAR(m.stress.kinetic[MRN_XX], rho, 1e-9 * rho);
    NEAR(m.stress.kinetic[MRN_YY], 0, 1e-12 * rho);
    NEAR(m.flow.velocity[0], 3, 1e-12);
    NEAR(m.flow.temperature, 1.0 / 3, 1e-12);
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

/* ---- backbone ---- */

/* A chain of grains between two fixed ones, and one hanging on its side with another. Without
   friction (the scene has no law) every grain needs four contacts: all fall. */
static void rattlers_without_friction(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    mrn_contacts c;
    kit_begin(&k, 3);
    for (int i = 0; i < 5; i++)
        put_grain(&k, &s, mrn_v3(0.199 * i, 0, 0), 0.1, 0);
    s.body.flags[0] = s.body.flags[4] = MRN_BODY_FIXED;
    find_contacts(&k, &s, 1, &c);
    assert_int_equal(c.n, 4);
    mrn_report m = measure(&k, &s, &c);
    NEAR(m.network.coordination, 2, 0);
    NEAR(m.network.mechanical, 2, 0);
    assert_int_equal(m.network.rattlers, 3);
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

static mrn_interaction rough;

static void with_friction(kit *k, double mu)
{
    static int pair_of[1];
    const mrn_param *p[MRN_PARAM_MAX];
    rough = (mrn_interaction){.model = *mrn_law_model_find("linear")};
    int n = mrn_law_model_params(&rough.model, p);
    for (int i = 0; i < n; i++)
        if (strcmp(p[i]->name, "friction") == 0)
            rough.value[i].number = mu;
    k->scene.interaction = &rough;
    k->scene.n_interactions = 1;
    k->scene.pair_of = pair_of;
}

/* The same with friction: the chain holds, the two that hang on its side fall one after the other.
 */
static void rattlers_with_friction(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    mrn_contacts c;
    kit_begin(&k, 3);
    with_friction(&k, 0.5);
    for (int i = 0; i < 5; i++)
        put_grain(&k, &s, mrn_v3(0.199 * i, 0, 0), 0.1, 0);
    put_grain(&k, &s, mrn_v3(0.398, 0.199, 0), 0.1, 0);
    put_grain(&k, &s, mrn_v3(0.398, 0.398, 0), 0.1, 0);
    s.body.flags[0] = s.body.flags[4] = MRN_BODY_FIXED;
    find_contacts(&k, &s, 1, &c);
    assert_int_equal(c.n, 6);
    mrn_report m = measure(&k, &s, &c);
    assert_int_equal(m.packing.free, 5);
    assert_int_equal(m.network.rattlers, 2);
    assert_int_equal(m.network.divalent, 3);
    NEAR(m.network.backbone, 2, 0);
    NEAR(m.network.coordination, (2 + 3 + 2 + 2 + 1) / 5.0, 1e-14);
    /* a contact that bears nothing opens the chain, and all fall */
    for (int64_t i = 0; i < c.n; i++)
        if (c.a[i] == 0 || c.c[i] == 0)
            mrn_store3(c.force + 3 * i, mrn_v3(1e-12, 0, 0));
    assert_int_equal(measure(&k, &s, &c).network.rattlers, 5);
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

static void friction_mobilised(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    mrn_contacts c;
    kit_begin(&k, 3);
    with_friction(&k, 0.5);
    for (int i = 0; i < 3; i++)
        put_grain(&k, &s, mrn_v3(0.199 * i, 0, 0), 0.1, 0);
    find_contacts(&k, &s, 1, &c);
    mrn_store3(c.force, mrn_add(mrn_scale(4, mrn_load3(c.normal)), mrn_v3(0, 0.5, 0)));
    /* a hundredth above the limit, as solvers may leave it: it mobilises all there is, not more */
    mrn_store3(c.force + 3, mrn_add(mrn_scale(2, mrn_load3(c.normal + 3)), mrn_v3(0, 0, 1.01)));
    mrn_report m = measure(&k, &s, &c);
    NEAR(m.forces.mobilised, (0.25 + 1) / 2, 1e-12);
    NEAR(m.forces.sliding, 0.5, 1e-12);
    NEAR(m.forces.mean_tangential, 0.755, 1e-12);
    NEAR(m.forces.second_moment, 10.0 / 9, 1e-12);
    mrn_force_table t;
    assert_int_equal(mrn_force_table_make(&k.scene, &s, &c, &t, &k.msg), MRN_OK);
    double all = 0, all_t = 0;
    for (int b = 0; b < MRN_FORCE_BINS; b++) {
        all += t.normal[b] * t.width;
        all_t += t.tangential[b] * t.width;
    }
    NEAR(all, 1, 1e-12);
    NEAR(all_t, 1, 1e-12);
    NEAR(t.normal[6] * t.width, 0.5, 1e-12);  /* 2/3 of the mean */
    NEAR(t.normal[13] * t.width, 0.5, 1e-12); /* 4/3 */
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

/* Two clusters of two spheres each, lying side by side with two contacts: one pair of neighbours.
   The branch goes from centre to centre of the clusters. */
static void clusters(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    mrn_contacts c;
    kit_begin(&k, 3);
    for (int i = 0; i < 3; i++)
        kit_periodic(&k, i, -1, 2);
    put_cell(&k, &s);
    for (int i = 0; i < 2; i++) { /* clusters along x, at y = 0 and y = 0.19 */
        double y = 0.19 * i;
        put_grain(&k, &s, mrn_v3(0, y, 0), 0.12, 0);
        int32_t whole = s.body.n - 1;
        s.body.flags[whole] = MRN_BODY_CLUSTER;
        for (int part = 0; part < 2; part++) {
            put_grain(&k, &s, mrn_v3(0.2 * part - 0.1, y, 0), 0.1, 0);
            s.body.flags[s.body.n - 1] = MRN_BODY_MEMBER;
            s.body.parent[s.body.n - 1] = s.body.id[whole];
        }
    }
    find_contacts(&k, &s, 100, &c);
    int64_t kept = 0; /* those of the members of different clusters only */
    for (int64_t i = 0; i < c.n; i++) {
        int a = c.a[i], b = c.c[i];
        bool members = s.body.flags[a] == MRN_BODY_MEMBER && s.body.flags[b] == MRN_BODY_MEMBER;
        if (!members || s.body.parent[a] == s.body.parent[b])
            continue;
        c.c[kept] = b, c.a[kept] = a, c.gap[kept] = c.gap[i];
        memcpy(c.branch + 3 * kept, c.branch + 3 * i, 3 * sizeof(double));
        memcpy(c.normal + 3 * kept, c.normal + 3 * i, 3 * sizeof(double));
        memcpy(c.force + 3 * kept, c.force + 3 * i, 3 * sizeof(double));
        kept++;
    }
    c.n = kept;
    assert_int_equal(c.n, 2);
    for (int i = 0; i < 2; i++) /* a pull along x shows whether the branch is that of the wholes */
        c.force[3 * i] = 3;
    mrn_report m = measure(&k, &s, &c);
    assert_int_equal(m.packing.grains, 2);
    assert_int_equal(m.packing.clusters, 2);
    NEAR(m.network.coordination, 2, 0);
    NEAR(m.network.neighbours, 1, 0);
    NEAR(m.stress.total[MRN_YY], 2 * 1 * 0.19 / 8, 1e-12); /* force 100 (0.2 - 0.19) */
    NEAR(m.stress.total[MRN_XY], 0.5 * 2 * 3 * 0.19 / 8, 1e-12);
    NEAR(m.stress.total[MRN_XX], 0, 1e-15);
    NEAR(mrn_probe_value(&k.scene, &s, "bodies"), 2, 0);
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

/* ---- flow ---- */

/* Grains that move as v_x = 3 z, open in z: the fit finds it, the temperature is 0; with the cell
   periodic nothing can be fitted, and the cell's own rate counts. */
static void shear(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_contacts c;
    crystal(&k, &s, 4, 0.01, 0.00501, false);
    k.scene.cell.periodic[2] = false;
    for (int32_t i = 0; i < s.body.n; i++)
        s.body.v[3 * i] = 7 + 3 * s.body.x[3 * i + 2];
    find_contacts(&k, &s, 1e4, &c);
    mrn_report m = measure(&k, &s, &c);
    NEAR(m.flow.rate, 3, 1e-9);
    NEAR(m.flow.gradient[2], 3, 1e-9);
    NEAR(m.flow.temperature, 0, 1e-18);
    double d = 2 * 0.00501;
    NEAR(m.flow.inertial_number, 3 * d * sqrt(1000 / m.stress.pressure), 1e-9);
    k.scene.cell.periodic[2] = true;
    for (int32_t i = 0; i < s.body.n; i++)
        s.body.v[3 * i] = 0;
    s.cell_rate[MRN_XZ] = 5;
    s.drive.sheared[1] = 0.25;
    m = measure(&k, &s, &c);
    NEAR(m.flow.rate, 5, 1e-12);
    NEAR(m.packing.strain[MRN_XZ], 0.25, 1e-12);
    s.cell_size[0] *= 0.9;
    NEAR(mrn_probe_value(&k.scene, &s, "strain.xx"), log(0.9), 1e-12);
    NEAR(mrn_probe_value(&k.scene, &s, "volumetric-strain"), log(0.9), 1e-12);
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

/* ---- profiles ---- */

/* One sphere in ten slabs: volumes between planes, pi (h r^2 - (b^3 - a^3)/3), and their sum. */
static void slices(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        kit k;
        mrn_state s = {0};
        mrn_profile p;
        double r = 0.5;
        kit_begin(&k, dimension);
        put_grain(&k, &s, mrn_v3(3, 4, dimension == 3 ? 5 : 0), r, 0);
        s.body.v[1] = 2;
        assert_int_equal(mrn_profile_make(&k.scene, &s, 0, 10, 1, &p, &k.msg), MRN_OK);
        double all = 0, mass = 0;
        for (int b = 0; b < 10; b++) {
            double lo = -0.5 + 0.1 * b, hi = lo + 0.1;
            double ball = MRN_PI * ((hi - lo) * r * r - (hi * hi * hi - lo * lo * lo) / 3);
            double disk = hi * sqrt(fmax(r * r - hi * hi, 0)) + r * r * asin(fmin(hi / r, 1)) -
                          lo * sqrt(fmax(r * r - lo * lo, 0)) - r * r * asin(fmax(lo / r, -1));
            NEAR(p.solid_fraction[b] * 0.1, dimension == 3 ? ball : disk, 1e-12);
            NEAR(p.velocity[3 * b + 1], 2, 1e-12);
            NEAR(p.temperature[b], 0, 1e-12);
            all += p.solid_fraction[b] * 0.1;
            mass += p.mass[b];
        }
        NEAR(all, dimension == 3 ? MRN_PI / 6 : MRN_PI / 4, 1e-12);
        NEAR(mass, s.body.mass[0], 1e-9);
        mrn_profile_destroy(&p);
        assert_int_equal(mrn_profile_make(&k.scene, &s, dimension, 10, 1, &p, &k.msg),
                         MRN_ERR_RANGE);
        mrn_state_destroy(&s);
    }
}

/* A periodic crystal: slabs as thick as its layers are all alike; grains on the face count. */
static void profile_of_a_crystal(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_profile p;
    crystal(&k, &s, 4, 0.01, 0.005, true);
    assert_int_equal(mrn_profile_make(&k.scene, &s, 2, 8, 0, &p, &k.msg), MRN_OK);
    for (int b = 0; b < 8; b++)
        NEAR(p.solid_fraction[b], 4 * 4.0 / 3 * MRN_PI * 0.125, 1e-12);
    NEAR(p.area, 0.0016, 1e-15);
    mrn_profile_destroy(&p);
    mrn_state_destroy(&s);
}

/* ---- mixing ---- */

static mrn_mixing mixing(kit *k, const mrn_state *s, int a, int b)
{
    mrn_mixing m;
    assert_int_equal(mrn_mixing_of(&k->scene, s, a, b, &m, &k->msg), MRN_OK);
    return m;
}

/* A cubic crystal of 12^3: red below and blue above lie apart; dealt at random they are mixed. */
static void lacey(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    crystal(&k, &s, 12, 0.01, 0.005, false);
    kit_group(&k, "red", 0.005);
    kit_group(&k, "blue.2", 0.005);
    for (int32_t i = 0; i < s.body.n; i++) {
        s.body.group[i] = i >= s.body.n / 2;
        s.body.x[3 * i + 2] += 0.005; /* no layer on a border of the grid's cells */
    }
    mrn_mixing m = mixing(&k, &s, 0, 1);
    /* 1728/20 cells: 4 along each edge, so that none holds both */
    NEAR(m.lacey, 0, 1e-12);
    NEAR(m.intensity, 1, 1e-12);
    NEAR(m.separation, -0.06, 1e-12);
    NEAR(mrn_probe_value(&k.scene, &s, "mixing-index"), 0, 1e-12);
    NEAR(mrn_probe_value(&k.scene, &s, "segregation.red.blue.2"), 1, 1e-12);
    NEAR(mrn_probe_value(&k.scene, &s, "separation.blue.2.red"), 0.06, 1e-12);
    mrn_rng rng = mrn_rng_seed(1, 0);
    for (int32_t i = s.body.n - 1; i > 0; i--) { /* shuffle: the numbers stay */
        int32_t j = (int32_t)(mrn_rng_uniform(&rng) * (i + 1));
        uint16_t g = s.body.group[i];
        s.body.group[i] = s.body.group[j];
        s.body.group[j] = g;
    }
    m = mixing(&k, &s, 0, 1);
    /* S^2/Sr^2 is chi-squared over its 63 degrees: deviation sqrt(2/63); in M that is times
       Sr^2/S0^2 = 63/1727, so 0.0065; four of them */
    NEAR(m.lacey, 1, 0.026);
    /* by size in one group: the upper half larger */
    for (int32_t i = 0; i < s.body.n; i++) {
        s.body.group[i] = 0;
        s.body.radius[i] = i >= s.body.n / 2 ? 0.0051 : 0.004 + 1e-6 * (i % 7);
    }
    m = mixing(&k, &s, 0, 0);
    assert_int_equal(m.count[0], 864);
    NEAR(m.lacey, 0, 1e-12);
    for (int32_t i = 0; i < s.body.n; i++)
        s.body.radius[i] = 0.005;
    assert_true(isnan(mixing(&k, &s, 0, 0).lacey)); /* all alike */
    mrn_state_destroy(&s);
}

/* ---- angle of repose ---- */

/* A cone (or ridge) of angle `degrees` and height h filled with a lattice of grains, shaken by a
   third of its spacing; the surface is then rough by a grain. */
static mrn_repose heap(int dimension, double degrees, double h, mrn_vec3 up, bool one_side)
{
    kit k;
    mrn_state s = {0};
    mrn_repose r;
    mrn_rng rng = mrn_rng_seed(3, 0);
    double d = 0.01, slope = tan(degrees * MRN_PI / 180), wide = h / slope;
    kit_begin(&k, dimension);
    mrn_store3(s.gravity, mrn_scale(-9.81, up));
    int n = (int)(wide / d), m = (int)(h / d);
    for (int i = one_side ? 0 : -n; i <= n; i++)
        for (int j = dimension == 3 ? -n : 0; j <= (dimension == 3 ? n : 0); j++)
            for (int l = 0; l < m; l++) {
                double x = i * d, y = j * d, z = l * d;
                x += d * 0.3 * (mrn_rng_uniform(&rng) - 0.5);
                if (z > h - slope * hypot(x, y))
                    continue;
                z += d * 0.3 * (mrn_rng_uniform(&rng) - 0.5);
                mrn_vec3 at = dimension == 3 ? mrn_v3(1 + x, y, z * up.z) : mrn_v3(1 + x, z, 0);
                put_grain(&k, &s, at, 0.5 * d, 0);
            }
    put_grain(&k, &s, mrn_add(mrn_v3(1.1, 0, 0), mrn_scale(2, up)), 0.5 * d, 0); /* in the air */
    put_grain(&k, &s, mrn_v3(900, 0, 0), 0.5 * d, 0);                            /* far away */
    assert_int_equal(mrn_repose_of(&k.scene, &s, &r, &k.msg), MRN_OK);
    NEAR(mrn_probe_value(&k.scene, &s, "repose-angle"), r.angle, 0);
    mrn_state_destroy(&s);
    return r;
}

static void repose(void **state)
{
    (void)state;
    mrn_repose cone = heap(3, 25, 0.18, mrn_v3(0, 0, 1), false);
    NEAR(cone.angle, 25, 0.5);
    assert_false(cone.ridge);
    NEAR(cone.apex[0], 1, 0.01);
    NEAR(heap(3, 25, 0.18, mrn_v3(0, 0, -1), false).angle, 25, 0.5);
    /* in 2D a ring is two columns only: what one grain does shows; a higher heap makes up for it */
    NEAR(heap(2, 25, 1, mrn_v3(0, 1, 0), false).angle, 25, 0.5);
    NEAR(heap(2, 35, 1, mrn_v3(0, 1, 0), true).angle, 35, 0.5);
    kit k;
    mrn_state s;
    crystal(&k, &s, 8, 0.01, 0.005, false); /* a level bed has no flank */
    k.scene.cell.periodic[0] = k.scene.cell.periodic[1] = k.scene.cell.periodic[2] = false;
    assert_true(isnan(mrn_probe_value(&k.scene, &s, "repose-angle")));
    mrn_state_destroy(&s);
}

/* ---- the surface of a bed ---- */

/* A bed of grains under a plane that falls by `degrees` along x (and by half that slope along y in
   3D), shaken; the first and the last sixth stand up like grains along a drum. */
static double bed_angle(int dimension, double degrees, mrn_vec3 gravity, bool deep)
{
    kit k;
    mrn_state s = {0};
    mrn_rng rng = mrn_rng_seed(5, 0);
    double d = 0.01, slope = tan(degrees * MRN_PI / 180);
    int n = 60, m = dimension == 2 ? 1 : deep ? 20 : 2;
    kit_begin(&k, dimension);
    mrn_store3(s.gravity, gravity);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double end = i < 9 ? 9 - i : i > 50 ? i - 50 : 0;
            int top = (int)(80 - slope * i + (deep ? 0.5 * slope * j : 0) + 2 * end);
            for (int l = 0; l < top; l++) {
                double x = i * d + d * 0.3 * (mrn_rng_uniform(&rng) - 0.5), z = l * d;
                z += d * 0.3 * (mrn_rng_uniform(&rng) - 0.5);
                put_grain(&k, &s, dimension == 2 ? mrn_v3(x, z, 0) : mrn_v3(x, j * d, z), 0.5 * d,
                          0);
            }
        }
    put_grain(&k, &s, dimension == 2 ? mrn_v3(0.3, 2, 0) : mrn_v3(0.3, 0, 2), 0.5 * d, 0);
    double angle, probe = mrn_probe_value(&k.scene, &s, "surface-angle");
    assert_int_equal(mrn_surface_angle(&k.scene, &s, &angle, &k.msg), MRN_OK);
    NEAR(probe, angle, 0);
    mrn_state_destroy(&s);
    return angle;
}

/* Whole grains make steps in the surface: over forty columns the slope is good to about one in
   forty, a degree. */
static void surface(void **state)
{
    (void)state;
    mrn_vec3 y = mrn_v3(0, -9.81, 0), z = mrn_v3(0, 0, -9.81);
    NEAR(bed_angle(2, 30, y, false), 30, 1);
    NEAR(bed_angle(2, -20, y, false), 20, 1); /* whichever way it falls */
    NEAR(bed_angle(2, 0, y, false), 0, 0.7);
    NEAR(bed_angle(3, 30, z, false), 30, 1); /* two grains deep: x alone counts */
    double both = atan(hypot(1, 0.5) * tan(25 * MRN_PI / 180)) * 180 / MRN_PI;
    NEAR(bed_angle(3, 25, z, true), both, 1);
    /* a level bed whose gravity leans by 15 degrees against the fall: a chute */
    double lean = 15 * MRN_PI / 180;
    NEAR(bed_angle(2, 10, mrn_v3(9.81 * sin(lean), -9.81 * cos(lean), 0), false), 25, 1);
    NEAR(bed_angle(2, 10, mrn_v3(-9.81 * sin(lean), -9.81 * cos(lean), 0), false), 5, 1);
}

/* ---- bulk density ---- */

/* Two densities in one crystal: the mean, in the cell exactly; grains of equal volume. */
static void bulk_density(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    crystal(&k, &s, 4, 0.01, 0.005, false);
    double volume = 4.0 / 3 * MRN_PI * 0.005 * 0.005 * 0.005;
    for (int32_t i = 0; i < s.body.n; i++)
        s.body.mass[i] = (i % 2 ? 1000 : 3000) * volume;
    double solid = mrn_probe_value(&k.scene, &s, "solid-fraction");
    assert_true(solid > 0.5);
    NEAR(mrn_probe_value(&k.scene, &s, "bulk-density"), 2000 * solid, 1e-9 * 2000);
    mrn_state_destroy(&s);
}

/* ---- the deposit ---- */

static double deposit_of(kit *k, const mrn_state *s, int axis)
{
    static const char *const name[] = {"deposit.x", "deposit.y", "deposit.z"};
    double size[3], probe = mrn_probe_value(&k->scene, s, name[axis]);
    assert_int_equal(mrn_deposit_of(&k->scene, s, size, &k->msg), MRN_OK);
    NEAR(probe, size[axis], 0);
    return size[axis];
}

/* A row of 20 grains with gaps of 5 % of their diameter, a shorter row that a larger gap parts from
   it, and a fixed ground that would join them. */
static void deposit(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    double d = 0.01;
    kit_begin(&k, 2);
    s.gravity[1] = -9.81;
    for (int i = 0; i < 20; i++)
        put_grain(&k, &s, mrn_v3(1.05 * d * i, 0, 0), 0.5 * d, 0);
    for (int i = 0; i < 10; i++)
        put_grain(&k, &s, mrn_v3(1.05 * d * (i + 19) + 1.2 * d, 0, 0), 0.5 * d, 0);
    put_grain(&k, &s, mrn_v3(3 * d, 1.02 * d, 0), 0.5 * d, 0);
    for (int i = 0; i < 40; i++) {
        put_grain(&k, &s, mrn_v3(d * i, -d, 0), 0.5 * d, 0);
        s.body.flags[s.body.n - 1] |= MRN_BODY_FIXED;
    }
    NEAR(deposit_of(&k, &s, 0), (1.05 * 19 + 1) * d, 1e-12);
    NEAR(deposit_of(&k, &s, 1), 2.02 * d, 1e-12);
    NEAR(deposit_of(&k, &s, 2), 0, 0);
    /* the gap closed: all thirty; far from the origin nothing changes */
    for (int32_t i = 20; i < 30; i++)
        s.body.x[3 * (size_t)i] -= 0.12 * d;
    for (int32_t i = 0; i < s.body.n; i++)
        s.body.x[3 * (size_t)i] -= 7.3;
    NEAR(deposit_of(&k, &s, 0), (1.05 * 28 + 1.08 + 1) * d, 1e-9);
    /* through the face of a periodic cell the ends of two rows meet */
    k.scene.cell.periodic[0] = true;
    s.cell_origin[0] = -7.35;
    s.cell_size[0] = 0.5;
    for (int32_t i = 0; i < 30; i++) /* a row at the left face, a longer one at the right */
        s.body.x[3 * (size_t)i] =
            i < 12 ? -7.35 + 0.2 * d + d * i : -6.85 - 0.75 * d - d * (i - 12);
    s.body.x[3 * 30] = -7.1;
    s.body.x[3 * 30 + 1] = 1; /* the odd one, far up */
    NEAR(deposit_of(&k, &s, 0), 0.5 + 0.05 * d, 1e-9);
    mrn_state_destroy(&s);
}

/* ---- memory ---- */

/* Whichever allocation fails, the report says so and nothing is lost. */
static void out_of_memory(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_contacts c;
    mrn_report r;
    mrn_mixing m;
    crystal(&k, &s, 3, 0.01, 0.00501, true);
    kit_group(&k, "one", 0.005);
    s.body.radius[3] = 0.004;
    find_contacts(&k, &s, 1, &c);
    size_t before = mrn_bytes_in_use();
    int64_t count = mrn_alloc_count();
    assert_int_equal(mrn_measure(&k.scene, &s, &c, &r, NULL), MRN_OK);
    assert_int_equal(mrn_mixing_of(&k.scene, &s, 0, 0, &m, NULL), MRN_OK);
    count = mrn_alloc_count() - count;
    assert_true(count > 8);
    for (int64_t i = 1; i <= count; i++) {
        mrn_alloc_fail_at(i);
        mrn_status st = mrn_measure(&k.scene, &s, &c, &r, &k.msg);
        if (st == MRN_OK)
            st = mrn_mixing_of(&k.scene, &s, 0, 0, &m, &k.msg);
        mrn_alloc_fail_at(0);
        assert_int_equal(st, MRN_ERR_MEMORY);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    mrn_contacts_destroy(&c);
    mrn_state_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants),
        cmocka_unit_test(face_centred),
        cmocka_unit_test(simple_cubic),
        cmocka_unit_test(rattlers_without_friction),
        cmocka_unit_test(rattlers_with_friction),
        cmocka_unit_test(friction_mobilised),
        cmocka_unit_test(clusters),
        cmocka_unit_test(shear),
        cmocka_unit_test(slices),
        cmocka_unit_test(profile_of_a_crystal),
        cmocka_unit_test(lacey),
        cmocka_unit_test(repose),
        cmocka_unit_test(surface),
        cmocka_unit_test(bulk_density),
        cmocka_unit_test(deposit),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
