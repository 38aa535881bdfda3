/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clusters from the generators: one body and its spheres, nothing overlaps whatever way they are
   turned, true volumes, random and given orientations. */
#include "generate/kit.h"

#include "generate/generate.h"
#include "geom/cluster.h"

typedef struct cluster_kit {
    kit k;
    mrn_cluster cluster[1];
} cluster_kit;

static void begin(cluster_kit *c, int dimension)
{
    static const double centre[] = {0, 0, 0, 1, 0, 0, 1, 1.1, 0}, radius[] = {0.7, 0.6, 0.6};
    kit_begin(&c->k, dimension);
    c->k.shape[0].type = mrn_shape_type_find("cluster");
    assert_int_equal(
        mrn_cluster_make("elbow", dimension, 3, centre, radius, 0, c->cluster, NULL, &c->k.msg),
        MRN_OK);
    assert_true(c->cluster[0].exact);
    c->k.scene.cluster = c->cluster;
    c->k.scene.n_clusters = 1;
}

static void end(cluster_kit *c, mrn_state *s)
{
    mrn_state_destroy(s);
    mrn_cluster_release(c->cluster);
    kit_end(&c->k);
}

/* Spheres stand where their cluster says and belong to it; those of different clusters are apart.
   Returns the number of clusters. */
static int check_world(const cluster_kit *c, const mrn_state *s)
{
    const mrn_bodies *b = &s->body;
    int clusters = 0, members = 0;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        clusters += (b->flags[i] & MRN_BODY_CLUSTER) != 0;
        if (!(b->flags[i] & MRN_BODY_MEMBER))
            continue;
        members++;
        int32_t p = b->index_of[b->parent[i]];
        assert_true(b->flags[p] & MRN_BODY_CLUSTER);
        assert_true(b->mass[i] == b->mass[p] && b->inertia[i] == b->inertia[p]);
        assert_true(b->radius[i] == b->radius[p] * c->cluster[0].radius[b->part[i]]);
        mrn_quat q = mrn_load_quat(b->q + 4 * p);
        mrn_vec3 arm = mrn_cluster_arm(&c->cluster[0], b->part[i], q, b->radius[p]);
        mrn_vec3 x = mrn_add(mrn_load3(b->x + 3 * p), arm);
        assert_true(mrn_norm(mrn_sub(x, mrn_load3(b->x + 3 * i))) < 1e-15);
        mrn_vec3 v = mrn_add(mrn_load3(b->v + 3 * p), mrn_cross(mrn_load3(b->w + 3 * p), arm));
        assert_true(mrn_norm(mrn_sub(v, mrn_load3(b->v + 3 * i))) < 1e-15);
        for (int32_t j = b->n_walls; j < i; j++) {
            if (!(b->flags[j] & MRN_BODY_MEMBER) || b->parent[j] == b->parent[i])
                continue;
            mrn_vec3 d = {kit_component(s, i, j, 0, &c->k.scene),
                          kit_component(s, i, j, 1, &c->k.scene),
                          kit_component(s, i, j, 2, &c->k.scene)};
            assert_true(mrn_norm(d) >= (b->radius[i] + b->radius[j]) * (1 - 1e-12));
        }
    }
    assert_int_equal(members, 3 * clusters);
    return clusters;
}

static void fill_has_no_overlaps(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        cluster_kit c;
        mrn_state s;
        begin(&c, dimension);
        kit_plane(&c.k, "floor", mrn_v3(0, 0, 0),
                  dimension == 3 ? mrn_v3(0, 0, 1) : mrn_v3(0, 1, 0));
        kit_periodic(&c.k, 0, 0, 1);
        mrn_group *g = kit_fill_box(&c.k, "a", 0.05, mrn_v3(0, 0, 0), mrn_v3(1, 1, 1));
        g->solid_fraction = dimension == 3 ? 0.08 : 0.2;
        g->velocity = mrn_v3(1, 2, 0);
        g->spin = mrn_v3(0, 0, 7);
        g = kit_fill_box(&c.k, "b", 0.03, mrn_v3(0, 0, 0), mrn_v3(1, 1, 1));
        g->count = 20;
        kit_build(&c.k, &s);
        int n = check_world(&c, &s);
        assert_int_equal(s.body.n, 1 + 4 * n);
        /* the solid fraction counts material: within half a grain */
        double volume = 0, one;
        for (int32_t i = 1; i < s.body.n; i++)
            if ((s.body.flags[i] & MRN_BODY_CLUSTER) && s.body.group[i] == 0)
                volume += s.body.mass[i] / 1000;
        one = dimension == 3 ? 4.0 / 3 * MRN_PI * 125e-6 : MRN_PI * 25e-4;
        assert_true(fabs(volume - (dimension == 3 ? 0.08 : 0.2)) <= 0.5001 * one);
        /* no sphere in the floor */
        int up = dimension == 3 ? 2 : 1;
        for (int32_t i = 1; i < s.body.n; i++)
            if (s.body.flags[i] & MRN_BODY_MEMBER)
                assert_true(s.body.x[3 * i + up] >= s.body.radius[i] * (1 - 1e-12));
        for (int32_t i = 1; dimension == 2 && i < s.body.n; i++)
            assert_true(s.body.x[3 * i + 2] == 0 && s.body.q[4 * i + 1] == 0 &&
                        s.body.q[4 * i + 2] == 0);
        end(&c, &s);
    }
}

/* What does not fit is stated in true volumes: the spheres that hold the clusters cannot be denser
   than a crystal. */
static void too_many(void **state)
{
    (void)state;
    cluster_kit c;
    mrn_state s = {0};
    begin(&c, 3);
    mrn_group *g = kit_fill_box(&c.k, "a", 0.05, mrn_v3(0, 0, 0), mrn_v3(1, 1, 1));
    g->solid_fraction = 0.6;
    assert_int_equal(mrn_world_build(&c.k.scene, &s, &c.k.msg), MRN_ERR_INPUT);
    assert_non_null(strstr(c.k.msg.text, "do not fit"));
    g->solid_fraction = 0;
    g->count = 1;
    g->size.mean = 0.45; /* the sphere that holds it is larger than the box */
    assert_int_equal(mrn_world_build(&c.k.scene, &s, &c.k.msg), MRN_ERR_INPUT);
    assert_non_null(strstr(c.k.msg.text, "does not fit"));
    end(&c, &s);
}

static void lattice_has_room(void **state)
{
    (void)state;
    cluster_kit c;
    mrn_state s;
    begin(&c, 3);
    mrn_group *g = kit_group(&c.k, "a", 0.05);
    g->place = MRN_PLACE_LATTICE;
    g->region = (mrn_region){.kind = MRN_REGION_BOX, .lo = {0, 0, 0}, .hi = {1, 1, 1}};
    kit_build(&c.k, &s);
    int along = (int)floor(1 / (0.1 * c.cluster[0].bound) + 1e-9);
    assert_int_equal(check_world(&c, &s), along * along * along);
    mrn_state_destroy(&s);
    g->spacing = 0.11; /* enough for spheres of that volume, not for the clusters */
    s = (mrn_state){0};
    assert_int_equal(mrn_world_build(&c.k.scene, &s, &c.k.msg), MRN_ERR_INPUT);
    assert_non_null(strstr(c.k.msg.text, "spacing"));
    end(&c, &s);
}

static void lists_and_orientations(void **state)
{
    (void)state;
    cluster_kit c;
    mrn_state s;
    begin(&c, 3);
    mrn_quat q = mrn_quat_from_rotation(mrn_v3(0.3, 0.4, 0.5));
    mrn_grain grain[3] = {{.x = {0, 0, 0}, .radius = 0.1, .q = q, .w = {1, 2, 3}},
                          {.x = {1, 0, 0}, .radius = 0.1},
                          {.x = {2, 0, 0}, .radius = NAN}};
    mrn_group *g = kit_group(&c.k, "a", 0.07);
    g->place = MRN_PLACE_LIST;
    g->grain = grain;
    g->n_grains = 3;
    kit_build(&c.k, &s);
    assert_int_equal(check_world(&c, &s), 3);
    assert_memory_equal(s.body.q, &q, sizeof q);
    mrn_quat second = mrn_load_quat(s.body.q + 4 * 4);
    assert_true(second.x != 0 || second.y != 0); /* drawn */
    assert_true(s.body.radius[8] == 0.07);
    /* the mean of the principal moments stands in `inertia` */
    const double *i = c.cluster[0].inertia;
    double mean = s.body.mass[0] * 0.01 * (i[0] + i[1] + i[2]) / 3;
    assert_true(fabs(s.body.inertia[0] / mean - 1) < 1e-12);
    mrn_state again;
    kit_build(&c.k, &again);
    assert_true(mrn_state_hash(&s) == mrn_state_hash(&again));
    mrn_state_destroy(&again);
    /* close side by side is fair, the same place is not */
    grain[1].x = mrn_v3(0.01, 0, 0);
    again = (mrn_state){0};
    assert_int_equal(mrn_world_build(&c.k.scene, &again, &c.k.msg), MRN_OK);
    mrn_state_destroy(&again);
    grain[1].x = grain[0].x;
    assert_int_equal(mrn_world_build(&c.k.scene, &again, &c.k.msg), MRN_ERR_INPUT);
    grain[1].x = mrn_v3(1, 0, 0);
    grain[1].q.x = NAN;
    assert_int_equal(mrn_world_build(&c.k.scene, &again, &c.k.msg), MRN_ERR_INPUT);
    end(&c, &s);
}

/* All directions alike: of n turns the mean of any body axis is below 4 / sqrt(3 n), its mean
   square along each world axis 1/3 within 4 sqrt(4/45 / n). */
static void turns_have_no_preference(void **state)
{
    (void)state;
    mrn_rng rng = mrn_rng_seed(3, 4);
    int n = 20000;
    mrn_vec3 sum = {0, 0, 0}, square = {0, 0, 0};
    for (int k = 0; k < n; k++) {
        mrn_vec3 e = mrn_rotate(mrn_generate_turn(3, &rng), mrn_v3(0, 1, 0));
        sum = mrn_axpy(1.0 / n, e, sum);
        square = mrn_add(square, mrn_v3(e.x * e.x / n, e.y * e.y / n, e.z * e.z / n));
    }
    double mean = 4 / sqrt(3.0 * n), spread = 4 * sqrt(4.0 / 45 / n);
    assert_true(fabs(sum.x) < mean && fabs(sum.y) < mean && fabs(sum.z) < mean);
    assert_true(fabs(square.x - 1.0 / 3) < spread && fabs(square.y - 1.0 / 3) < spread &&
                fabs(square.z - 1.0 / 3) < spread);
}

static void inlets_make_nothing(void **state)
{
    (void)state;
    cluster_kit c;
    mrn_state s;
    begin(&c, 3);
    kit_fill_box(&c.k, "a", 0.05, mrn_v3(0, 0, 0), mrn_v3(1, 1, 1))->place = MRN_PLACE_INLET;
    kit_build(&c.k, &s);
    assert_int_equal(s.body.n, 0);
    /* and one enters later: turned by chance, the same each time */
    mrn_grain g = {.x = {0.5, 0.5, 0.5}, .radius = 0.05};
    assert_int_equal(mrn_generate_add_grain(&c.k.scene, 0, &g, &s, &c.k.msg), MRN_OK);
    assert_int_equal(check_world(&c, &s), 1);
    mrn_quat q = mrn_load_quat(s.body.q);
    assert_int_equal(mrn_body_remove(&s, mrn_body_handle(&s, 0), &c.k.msg), MRN_OK);
    assert_int_equal(s.body.n, 0);
    assert_int_equal(mrn_generate_add_grain(&c.k.scene, 0, &g, &s, &c.k.msg), MRN_OK);
    assert_memory_equal(s.body.q, &q, sizeof q);
    s.time = 1;
    assert_int_equal(mrn_generate_add_grain(&c.k.scene, 0, &g, &s, &c.k.msg), MRN_OK);
    assert_true(s.body.q[16] != q.w);
    end(&c, &s);
}

/* Whatever allocation fails, adding a cluster is done or not done. */
static void all_or_nothing(void **state)
{
    (void)state;
    cluster_kit c;
    begin(&c, 3);
    kit_group(&c.k, "a", 0.05);
    mrn_grain g = {.x = {0.5, 0.5, 0.5}, .radius = 0.05};
    mrn_status st = MRN_ERR_MEMORY;
    mrn_state s = {0};
    for (int k = 1; k < 200 && st != MRN_OK; k++) {
        mrn_alloc_fail_at(k);
        st = mrn_generate_add_grain(&c.k.scene, 0, &g, &s, &c.k.msg);
        mrn_alloc_fail_at(0);
        assert_int_equal(s.body.n, st == MRN_OK ? 4 : 0);
    }
    assert_int_equal(st, MRN_OK);
    end(&c, &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_has_no_overlaps),     cmocka_unit_test(too_many),
        cmocka_unit_test(lattice_has_room),         cmocka_unit_test(lists_and_orientations),
        cmocka_unit_test(turns_have_no_preference), cmocka_unit_test(inlets_make_nothing),
        cmocka_unit_test(all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
