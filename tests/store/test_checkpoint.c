/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints: every bit comes back; damage, other scenes, full disks and lack of memory are stated
   and leave no trace. */
#include "store/files_helper.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "moraine/method.h"

#define N_GRAINS 6
#define WIDTH    4

/* A neighbour list by hand: a chain of grains, and each grain with the floor. */
static void fill_pairs(mrn_state *s)
{
    mrn_pairs *p = &s->pair;
    int32_t n = s->body.n, grain = N_GRAINS - 1;
    p->rows = n;
    p->n_grain = grain;
    p->n = p->capacity = grain + N_GRAINS;
    p->row = mrn_alloc((size_t)(n + 1) * sizeof *p->row);
    p->wall_row = mrn_alloc((size_t)(n + 1) * sizeof *p->wall_row);
    p->other = mrn_alloc((size_t)p->n * sizeof *p->other);
    p->feature = mrn_alloc(N_GRAINS * sizeof *p->feature);
    p->back_row = mrn_alloc((size_t)(n + 1) * sizeof *p->back_row);
    p->back = mrn_alloc((size_t)grain * sizeof *p->back);
    p->wall_row[0] = p->wall_row[1] = grain;
    for (int i = 0; i < N_GRAINS; i++) { /* grain i is body i + 1 */
        p->row[i + 2] = p->row[i + 1] + (i < N_GRAINS - 1);
        p->wall_row[i + 2] = p->wall_row[i + 1] + 1;
        if (i < N_GRAINS - 1)
            p->other[i] = i + 2;
        p->other[grain + i] = 0;
        p->feature[i] = 10 + i;
    }
    p->skin = 0.0125;
    p->builds = 17;
    p->built_at = 90;
    p->wall_travel = 1e-5;
    p->changes = s->body.changes;
}

/* The slots of the smooth engine for it: every second pair touches. */
static void fill_slots(mrn_state *s)
{
    const mrn_pairs *p = &s->pair;
    mrn_message msg = {0};
    mrn_contacts *c = &s->contact;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_SLOTS),
                            .tail = MRN_COLUMN(point),
                            .n = p->n,
                            .first = p->n_grain,
                            .history_width = WIDTH};
    ok(mrn_contacts_make(c, &def, &msg), &msg);
    c->n = p->n;
    for (int64_t k = 0; k < c->n; k++) {
        c->flags[k] = k % 2 == 0 ? MRN_CONTACT_ALIVE : 0;
        for (int i = 0; i < WIDTH; i++)
            c->history[k * WIDTH + i] = c->flags[k] ? 1e-9 * (double)k + 0.1 * i : 0;
    }
}

#define N_TOUCHES 5
#define N_NUMBERS 3 /* of an impulse, 3D */

/* Contact points as the non-smooth engine leaves them: of grains, on the wall, and one of a grain
   that has left (number 3); joints and sleep have something to remember. */
static void fill_contacts(mrn_state *s)
{
    static const int32_t c[N_TOUCHES] = {1, 1, 2, 4, 1}, a[N_TOUCHES] = {2, 2, 5, 0, 3};
    mrn_message msg = {0};
    mrn_contacts *t = &s->contact;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_POINTS),
                            .n = N_TOUCHES,
                            .impulse_width = N_NUMBERS};
    ok(mrn_contacts_make(t, &def, &msg), &msg);
    t->n = N_TOUCHES;
    for (int k = 0; k < N_TOUCHES; k++) {
        t->id_c[k] = c[k];
        t->id_a[k] = a[k];
        t->feature[k] = (INT64_C(1) << 40) * (k + 1) + k;
        t->gap[k] = -1e-7 * k / 3;
        for (int i = 0; i < 3; i++) {
            t->point[3 * k + i] = 0.1 * k + i / 7.0;
            t->normal[3 * k + i] = i == k % 3 ? 1 : 0;
            t->tangent[3 * k + i] = i == (k + 1) % 3 ? -1 : 0;
            t->impulse[N_NUMBERS * k + i] = 1e-3 * sin(3 * k + i);
        }
    }
    mrn_nonsmooth_memory *m = &s->memory;
    m->n_joint = 4;
    m->joint = mrn_alloc(4 * sizeof *m->joint);
    m->n_rest_steps = 3;
    m->rest_steps = mrn_alloc(3 * sizeof *m->rest_steps);
    for (int k = 0; k < 4; k++)
        m->joint[k] = 1.0 / (k + 3);
    m->rest_steps[1] = 65535;
    m->n_cycle = 3; /* of the second step nothing is known yet */
    m->cycle = mrn_alloc(3 * sizeof *m->cycle);
    for (int k = 0; k < 3; k += 2) {
        mrn_contacts_def cycle = {.columns = mrn_contacts_columns(MRN_CONTACTS_CYCLE),
                                  .n = N_TOUCHES,
                                  .impulse_width = N_NUMBERS};
        ok(mrn_contacts_make(&m->cycle[k], &cycle, &msg), &msg);
        mrn_contacts_append(&m->cycle[k], t);
        m->cycle[k].impulse[k] = 1.0 / 7;
    }
    mrn_event_memory *f = &s->flights;
    f->n_flights = 4, f->n_ways = 1;
    f->flight = mrn_alloc(4 * MRN_FLIGHT_WIDTH * sizeof *f->flight);
    f->way = mrn_alloc(MRN_WAY_WIDTH * sizeof *f->way);
    for (int k = 0; k < 4 * MRN_FLIGHT_WIDTH; k++)
        f->flight[k] = 1.0 / (k + 5);
    f->way[MRN_WAY_TIME] = 0.25;
    s->event.collisions = 7;
    mrn_contacts_def names = {.columns = mrn_contacts_columns(MRN_CONTACTS_NAMES), .n = 2};
    ok(mrn_contacts_make(&s->began, &names, &msg), &msg);
    s->began.n = 2;
    s->began.id_c[0] = 1, s->began.id_c[1] = 4, s->began.id_a[1] = 2;
    s->nonsmooth = (mrn_nonsmooth_report){.solves = 12,
                                          .unsolved = 3,
                                          .sweeps = 1e9,
                                          .worst_residual = INFINITY, /* nothing was found */
                                          .overlap_ever = 1e-6,
                                          .projected = 1 / 3.0};
}

/* One wall, grains in shuffled memory order, one removed so that numbers and generations are not
 * trivial. */
static mrn_state sample_state(void)
{
    mrn_state s = {0};
    mrn_message msg = {0};
    mrn_body_def d = mrn_body_default();
    d.flags = MRN_BODY_WALL;
    d.shape = 1;
    d.material = 1;
    ok(mrn_body_add(&s, &d, NULL, &msg), &msg);
    for (int i = 0; i < N_GRAINS + 1; i++) {
        d = mrn_body_default();
        d.x = mrn_v3(0.1 * i, 1 / 3.0, -0.0);
        d.v = mrn_v3(sin(i), cos(i), 1e-300);
        d.w = mrn_v3(i, -i, 0.1);
        d.radius = 0.1 + 0.01 * i;
        d.mass = d.inertia = 1 + i;
        d.flags = i == 2 ? MRN_BODY_FIXED : 0;
        ok(mrn_body_add(&s, &d, NULL, &msg), &msg);
    }
    ok(mrn_body_remove(&s, mrn_body_handle(&s, 3), &msg), &msg);
    for (int i = 0; i < 3 * s.body.n; i++) {
        s.body.f[i] = 0.7 * i;
        s.body.t[i] = -0.3 * i;
        s.body.image[i] = i - 5;
    }
    fill_pairs(&s);
    fill_contacts(&s);
    s.time = 0.1 + 0.2;
    s.step = INT64_C(1) << 40;
    s.h = 1e-6 / 3;
    s.stage = 1;
    s.stage_time = 0.05;
    s.stage_step = 1234567;
    s.stage_h = 1e-6 / 7;
    s.base_time = 0.04;
    s.base_step = 1234000;
    s.kinetic_peak = 3.25;
    s.servos.looks = 4;
    s.servos.off[MRN_SERVO_MAX - 1] = -1 / 3.0;
    s.cell_origin[1] = -1;
    s.cell_size[1] = 2.5;
    for (int i = 0; i < 6; i++)
        s.cell_rate[i] = 0.1 * (i + 1);
    s.cell_tilt[1] = 0.3;
    s.gravity[2] = -9.8;
    s.drive.inlet_made[1] = 12;
    s.drive.stress[3] = 1e5;
    s.drive.sheared[0] = -1;
    s.elastic = 1e-5;
    s.contacts = 6;
    s.sliding = 2;
    s.max_overlap = 1e-3;
    s.ledger.lost_normal = 1 / 7.0;
    s.ledger.start = -2;
    s.ledger.lost_scheme = -1e-9 / 3;
    return s;
}

static void same_network(const mrn_contacts *a, const mrn_contacts *b)
{
    assert_true(a->n == b->n && a->impulse_width == b->impulse_width);
    assert_true(a->history_width == b->history_width);
    for (int i = 0; i < mrn_contact_field_count(); i++) {
        const mrn_field *f = mrn_contact_field(i);
        if (f->saved && (a->columns >> i & 1))
            assert_memory_equal(mrn_field_data(a, f), mrn_field_data(b, f),
                                (size_t)a->n * mrn_contacts_size(a, f));
    }
}

static void same_memory(const mrn_nonsmooth_memory *a, const mrn_nonsmooth_memory *b)
{
    assert_true(a->n_joint == b->n_joint && a->n_rest_steps == b->n_rest_steps);
    SAME(a->joint, b->joint, a->n_joint, 1);
    SAME(a->rest_steps, b->rest_steps, a->n_rest_steps, 1);
    assert_int_equal(a->n_cycle, b->n_cycle);
    for (int k = 0; k < a->n_cycle; k++)
        same_network(&a->cycle[k], &b->cycle[k]);
}

static void same_state(const mrn_state *a, const mrn_state *b)
{
    same_network(&a->contact, &b->contact);
    same_network(&a->began, &b->began);
    same_memory(&a->memory, &b->memory);
    assert_memory_equal(&a->nonsmooth, &b->nonsmooth, sizeof a->nonsmooth);

    assert_int_equal(a->body.n, b->body.n);
    assert_int_equal(a->body.n_walls, b->body.n_walls);
    assert_int_equal(a->body.n_ids, b->body.n_ids);
    for (int i = 0; i < mrn_body_field_count(); i++) {
        const mrn_field *f = mrn_body_field(i);
        if (f->saved == 1 || (f->saved == 2 && a->body.with_derivs))
            assert_memory_equal(mrn_field_data(&a->body, f), mrn_field_data(&b->body, f),
                                (size_t)a->body.n * mrn_field_size(f));
    }
    assert_int_equal(a->body.with_derivs, b->body.with_derivs);
    SAME(a->body.index_of, b->body.index_of, a->body.n_ids, 1);
    SAME(a->body.generation, b->body.generation, a->body.n_ids, 1);
    assert_memory_equal(&a->ledger, &b->ledger, sizeof a->ledger);
    assert_true(a->time == b->time && a->step == b->step && a->h == b->h && a->stage == b->stage);
    assert_true(a->stage_time == b->stage_time && a->stage_step == b->stage_step);
    assert_true(a->stage_h == b->stage_h);
    assert_true(a->base_time == b->base_time && a->base_step == b->base_step);
    assert_memory_equal(&a->quasistatic, &b->quasistatic, sizeof a->quasistatic);
    assert_memory_equal(&a->event, &b->event, sizeof a->event);
    assert_memory_equal(a->pair.cell_list, b->pair.cell_list, sizeof a->pair.cell_list);
    assert_true(a->kinetic_peak == b->kinetic_peak && a->elastic == b->elastic);
    assert_memory_equal(&a->servos, &b->servos, sizeof a->servos);
    assert_memory_equal(a->cell_origin, b->cell_origin, sizeof a->cell_origin);
    assert_memory_equal(a->cell_size, b->cell_size, sizeof a->cell_size);
    assert_memory_equal(a->cell_tilt, b->cell_tilt, sizeof a->cell_tilt);
    assert_memory_equal(a->cell_rate, b->cell_rate, sizeof a->cell_rate);
    assert_memory_equal(a->gravity, b->gravity, sizeof a->gravity);
    assert_memory_equal(&a->drive, &b->drive, sizeof a->drive);
    assert_true(a->contacts == b->contacts && a->sliding == b->sliding);
    assert_true(a->max_overlap == b->max_overlap && a->pair.skin == b->pair.skin);
    assert_true(a->pair.builds == b->pair.builds && a->pair.built_at == b->pair.built_at);
    assert_true(a->pair.wall_travel == b->pair.wall_travel);
    assert_true(mrn_state_hash(a) == mrn_state_hash(b));
}

typedef struct sample {
    mrn_scene scene;
    mrn_state state;
    const char *path;
    char *whole; /* the file as written */
    size_t size;
} sample;

static sample begin(void)
{
    static char path[512];
    mrn_message msg = {0};
    sample t = {.scene = sample_scene(), .state = sample_state(), .path = path};
    snprintf(path, sizeof path, "%s", in_dir("checkpoint.h5"));
    t.scene.method = mrn_method_find("nonsmooth"); /* contacts of either engine are there */
    t.scene.contact_kind = MRN_CONTACT_3D;
    ok(mrn_checkpoint_write(path, &t.scene, &t.state, &msg), &msg);
    no_parts(test_dir);
    t.whole = slurp(path, &t.size);
    return t;
}

static void end(sample *t)
{
    mrn_scene_destroy(&t->scene);
    mrn_state_destroy(&t->state);
    free(t->whole);
}

/* Reads and expects an error that leaves nothing; returns the message. */
static mrn_message refuse(const sample *t, mrn_status wanted)
{
    mrn_message msg = {0};
    mrn_state s = {0};
    size_t before = mrn_bytes_in_use();
    mrn_status st = mrn_checkpoint_read(t->path, &t->scene, &s, &msg);
    if (st != wanted)
        fail_msg("status %d instead of %d: %s", st, wanted, msg.text);
    assert_true(msg.text[0] != '\0' && msg.hint[0] != '\0' && msg.file[0] != '\0');
    assert_int_equal(mrn_bytes_in_use(), before);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    return msg;
}

static void accept(const sample *t)
{
    mrn_message msg = {0};
    mrn_state s = {0};
    ok(mrn_checkpoint_read(t->path, &t->scene, &s, &msg), &msg);
    same_state(&t->state, &s);
    mrn_state_destroy(&s);
}

static void round_trip(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    sample t = begin();
    accept(&t);
    mrn_message msg = {0};
    mrn_state s = {0};
    ok(mrn_checkpoint_read(t.path, &t.scene, &s, &msg), &msg);
    /* handles of the old state are those of the new one; new bodies get the same numbers */
    mrn_body h = mrn_body_handle(&t.state, 4), fresh[2];
    assert_int_equal(mrn_body_index(&s, h), 4);
    mrn_body_def d = mrn_body_default();
    d.radius = d.mass = d.inertia = 1;
    ok(mrn_body_add(&t.state, &d, &fresh[0], &msg), &msg);
    ok(mrn_body_add(&s, &d, &fresh[1], &msg), &msg);
    assert_memory_equal(&fresh[0], &fresh[1], sizeof *fresh);
    mrn_state_destroy(&s);
    end(&t);
    assert_int_equal(mrn_bytes_in_use(), before);
}

static sample begin_smooth(void)
{
    mrn_message msg = {0};
    sample t = begin();
    t.scene.method = mrn_method_find("smooth");
    fill_slots(&t.state);
    mrn_cycle_forget(&t.state.memory); /* no impulses there */
    t.scene.history = WIDTH;
    ok(mrn_checkpoint_write(t.path, &t.scene, &t.state, &msg), &msg);
    free(t.whole);
    t.whole = slurp(t.path, &t.size);
    return t;
}

/* Of the slots of the smooth engine those in touch come back, by persistent numbers. */
static void slots_by_number(void **unused)
{
    (void)unused;
    sample t = begin_smooth();
    mrn_message msg = {0};
    mrn_state s = {0};
    ok(mrn_checkpoint_read(t.path, &t.scene, &s, &msg), &msg);
    const mrn_contacts *p = &s.contact;
    const mrn_pairs *pair = &t.state.pair;
    /* grain pairs 0, 2, 4 and wall pairs 6, 8, 10 touch */
    assert_int_equal(p->n, 6);
    assert_int_equal(p->history_width, WIDTH);
    assert_true(p->columns == mrn_contacts_columns(MRN_CONTACTS_SAVED));
    int found = 0;
    for (int64_t k = 0; k < pair->n; k += 2) {
        bool wall = k >= pair->n_grain;
        int body = (int)(wall ? k - pair->n_grain : k) + 1;
        int32_t c = t.state.body.id[body], a = t.state.body.id[pair->other[k]];
        for (int64_t i = 0; i < p->n; i++)
            if (p->id_c[i] == c && p->id_a[i] == a) {
                assert_int_equal(p->feature[i], wall ? 10 + body - 1 : 0);
                SAME(p->history + i * WIDTH, t.state.contact.history + k * WIDTH, 1, WIDTH);
                found++;
            }
    }
    assert_int_equal(found, 6);
    mrn_state_destroy(&s);
    end(&t);
}

/* Impulses of a cycle under a method that has none: no damage, and said so. */
static void cycle_without_impulses(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    sample t = begin();
    assert_true(t.state.memory.n_cycle > 0);
    t.scene.method = mrn_method_find("smooth");
    fill_slots(&t.state);
    t.scene.history = WIDTH;
    ok(mrn_checkpoint_write(t.path, &t.scene, &t.state, &msg), &msg);
    msg = refuse(&t, MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "cycle of the load, and contacts of method smooth have none"));
    end(&t);
}

/* No grains, no pairs, no history: still a state. */
static void empty_state(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_scene scene = sample_scene();
    mrn_state s = {0}, got = {0};
    scene.history = 0;
    mrn_body_def d = mrn_body_default();
    d.flags = MRN_BODY_WALL;
    ok(mrn_body_add(&s, &d, NULL, &msg), &msg);
    ok(mrn_checkpoint_write(in_dir("c.h5"), &scene, &s, &msg), &msg);
    ok(mrn_checkpoint_read(in_dir("c.h5"), &scene, &got, &msg), &msg);
    assert_int_equal(got.body.n, 1);
    assert_int_equal(got.contact.n, 0);
    mrn_state_destroy(&s);
    mrn_state_destroy(&got);
    mrn_scene_destroy(&scene);
}

/* ---- clusters, integrators ---- */

/* A cluster of two spheres among the grains, and a table of derivatives. */
static void add_cluster(mrn_scene *scene, mrn_state *s)
{
    static const double centre[] = {0, 0, 0, 1, 0, 0}, radius[] = {1, 1};
    mrn_message msg = {0};
    mrn_body cluster;
    scene->n_clusters = 1;
    scene->cluster = mrn_alloc(sizeof *scene->cluster);
    ok(mrn_cluster_make("pair", 3, 2, centre, radius, 0, scene->cluster, NULL, &msg), &msg);
    scene->shape[0].type = mrn_shape_type_find("cluster");
    mrn_body_def d = mrn_body_default();
    d.radius = d.mass = d.inertia = 1;
    d.flags = MRN_BODY_CLUSTER;
    ok(mrn_body_add(s, &d, &cluster, &msg), &msg);
    d.parent = s->body.id[mrn_body_index(s, cluster)];
    d.flags = MRN_BODY_MEMBER;
    for (d.part = 0; d.part < 2; d.part++)
        ok(mrn_body_add(s, &d, NULL, &msg), &msg);
    for (int i = 0; i < 12 * s->body.n; i++)
        s->body.derivs[i] = 0.01 * i;
}

static void clusters_and_derivatives(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    size_t before = mrn_bytes_in_use();
    sample t = {.scene = sample_scene(), .path = in_dir("clusters.h5")};
    mrn_body_def d = mrn_body_default();
    d.flags = MRN_BODY_WALL;
    t.state.body.with_derivs = true;
    ok(mrn_body_add(&t.state, &d, NULL, &msg), &msg);
    add_cluster(&t.scene, &t.state);
    ok(mrn_checkpoint_write(t.path, &t.scene, &t.state, &msg), &msg);
    accept(&t);
    int32_t *parent = &t.state.body.parent[3];
    int32_t right = *parent, wrong[] = {-1, 0, 3, 99}; /* none, a wall, itself, nobody */
    for (int i = 0; i < 4; i++) {
        *parent = wrong[i];
        ok(mrn_checkpoint_write(t.path, &t.scene, &t.state, &msg), &msg);
        msg = refuse(&t, MRN_ERR_IO);
        assert_non_null(strstr(msg.text, "body 3 belongs to a cluster that does not exist"));
    }
    *parent = right;
    t.state.body.part[3] = 2;
    ok(mrn_checkpoint_write(t.path, &t.scene, &t.state, &msg), &msg);
    refuse(&t, MRN_ERR_IO);
    t.state.body.part[3] = 1;
    ok(mrn_checkpoint_write(t.path, &t.scene, &t.state, &msg), &msg);
    t.scene.cluster[0].radius[0] *= 1.5; /* another template: another scene */
    msg = refuse(&t, MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "groups"));
    mrn_scene_destroy(&t.scene);
    mrn_state_destroy(&t.state);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* ---- damage ---- */

/* The seal covers every byte: any single change and any cut is seen, before HDF5 looks. */
static void damaged(void **unused)
{
    (void)unused;
    sample t = begin();
    size_t size = t.size;
    char *whole = t.whole;
    mrn_rng rng = mrn_rng_seed(1, 0);
    for (int i = 0; i < 300; i++) {
        size_t at = i < 64 ? (size_t)i : mrn_rng_next(&rng) % size;
        char old = whole[at];
        whole[at] ^= (char)(1 << (i % 8));
        spill(t.path, whole, size);
        whole[at] = old;
        refuse(&t, MRN_ERR_IO);
    }
    for (int i = 0; i < 60; i++) {
        spill(t.path, whole, i < 4 ? (size_t)i * 300 : mrn_rng_next(&rng) % size);
        refuse(&t, MRN_ERR_IO);
    }
    char *longer = malloc(size + 8);
    memcpy(longer, whole, size);
    memset(longer + size, 0, 8);
    spill(t.path, longer, size + 8);
    refuse(&t, MRN_ERR_IO);
    free(longer);
    spill(t.path, whole, size);
    accept(&t);
    unlink(t.path);
    mrn_message msg = refuse(&t, MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "No such file"));
    end(&t);
}

/* Puts a right seal on a changed file, as its layout says: 512 bytes of text with the hash of the
 * rest. */
static void seal_again(const char *path)
{
    size_t size;
    char *all = slurp(path, &size), block[512] = "";
    uint64_t h = mrn_hash(MRN_HASH_START, all + 512, size - 512);
    snprintf(block, sizeof block, "moraine checkpoint\n%016llx\n", (unsigned long long)h);
    memcpy(all, block, 512);
    spill(path, all, size);
    free(all);
}

/* Opens a fresh checkpoint to tamper with it. */
static hid_t tamper(const sample *t)
{
    spill(t->path, t->whole, t->size);
    hid_t file = H5Fopen(t->path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void tampered(const sample *t, hid_t file, const char *word)
{
    H5Fclose(file);
    seal_again(t->path);
    mrn_message msg = refuse(t, MRN_ERR_IO);
    if (strstr(msg.text, word) == NULL)
        fail_msg("\"%s\" does not speak of %s", msg.text, word);
}

/* Changes one number of a dataset. */
static void set_number(hid_t file, const char *path, int at, double value)
{
    hid_t d = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(d);
    int n = (int)H5Sget_simple_extent_npoints(space);
    double *v = malloc((size_t)n * sizeof *v);
    H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
    v[at] = value;
    H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
    free(v);
    H5Sclose(space);
    H5Dclose(d);
}

static void set_attribute(hid_t file, const char *group, const char *name, double value)
{
    hid_t g = H5Gopen2(file, group, H5P_DEFAULT), a = H5Aopen(g, name, H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(a);
    H5Gclose(g);
}

/* A file with a right seal and wrong content is not trusted either. */
static void wrong_content(void **unused)
{
    (void)unused;
    sample t = begin();
    static const struct {
        const char *path;
        int at;
        double value;
        const char *word;
    } number[] = {
        {"/bodies/x", 4, NAN, "not finite"},
        {"/bodies/v", 0, INFINITY, "not finite"},
        {"/bodies/id", 2, 1, "number that is taken"},
        {"/bodies/id", 2, 99, "number that is taken"},
        {"/bodies/id", 2, -1, "number that is taken"},
        {"/bodies/material", 3, 2, "fit the scene"},
        {"/bodies/group", 3, 1, "fit the scene"},
        {"/bodies/shape", 3, 2, "fit the scene"},
        {"/bodies/flags", 3, 1, "fit the scene"},
        {"/bodies/flags", 3, 128, "fit the scene"},
        {"/bodies/flags", 3, 32, "fit the scene"}, /* a polytope, and there is none */
        {"/bodies/flags", 0, 0, "fit the scene"},
        {"/bodies/radius", 2, -1, "fit the scene"},
        {"/bodies/mass", 2, 0, "fit the scene"},
        {"/contacts/id_c", 1, 99, "contact point 1"},
        {"/contacts/id_c", 1, -1, "contact point 1"},
        {"/contacts/id_c", 1, 0, "contact point 1"}, /* a wall */
        {"/contacts/id_a", 1, 8, "contact point 1"},
        {"/contacts/id_a", 1, 1, "contact point 1"}, /* itself */
        {"/contacts/normal", 6, 0.5, "contact point 2"},
        {"/contacts/tangent", 6, 0, "contact point 2"},
        {"/contacts/normal", 3, NAN, "normal of contact point 1"},
        {"/contacts/gap", 4, INFINITY, "gap of contact point 4"},
        {"/contacts/point", 14, NAN, "point of contact point 4"},
        {"/contacts/impulse", 8, NAN, "impulse of contact point 2"},
        {"/cycle/2/impulse", 8, NAN, "impulse of contact point 2"},
        {"/cycle/0/id_c", 1, 99, "contact point 1"},
        {"/began/id_a", 1, 77, "contact point 1"},
        {"/memory/joint", 3, NAN, "joints"},
        {"/flights/flight", 20, NAN, "flight"},
    };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        hid_t file = tamper(&t);
        set_number(file, number[i].path, number[i].at, number[i].value);
        tampered(&t, file, number[i].word);
    }
    static const struct {
        const char *group, *name;
        double value;
        const char *word;
    } attribute[] = {
        {"/bodies", "n", 7e8, "bodies"},
        {"/bodies", "n", -1, "bodies"},
        {"/bodies", "n", 5, "entries"},
        {"/bodies", "n_walls", 8, "bodies"},
        {"/bodies", "n_walls", 0, "walls"},
        {"/cycle", "n", 0, "steps of a cycle"},
        {"/cycle", "n", 1e9, "steps of a cycle"},
        {"/cycle", "n", 4, "cycle/3"},
        {"/state", "time", NAN, "time"},
        {"/state", "step", -4, "negative"},
        {"/state", "stage", -1, "negative"},
        {"/state", "builds", -1, "negative"},
        {"/state", "skin", -1, "negative"},
        {"/state", "sliding", -1, "negative"},
        {"/contacts", "history_width", 1e6, "history"},
        {"/contacts", "impulse_width", 2, "numbers per contact"},
        {"/contacts", "history_width", 1, "numbers per contact"},
        {"/contacts", "n", 4, "contact points"},
        {"/contacts", "n", -1, "contact points"},
        {"/", "version", 9, "layout 9"},
        {"/", "version", 7, "layout 7"}, /* of the version before */
        {"/", "version", 2, "layout 2"}, /* as written before a number of the drives was left out */
    };
    for (size_t i = 0; i < sizeof attribute / sizeof *attribute; i++) {
        hid_t file = tamper(&t);
        set_attribute(file, attribute[i].group, attribute[i].name, attribute[i].value);
        tampered(&t, file, attribute[i].word);
    }
    static const char *const gone[] = {"/bodies/q",
                                       "/began",
                                       "/state",
                                       "/handles/generation",
                                       "/scene",
                                       "/contacts",
                                       "/contacts/feature",
                                       "/memory/rest_steps",
                                       "/cycle/2",
                                       "/flights/way"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        hid_t file = tamper(&t);
        H5Ldelete(file, gone[i], H5P_DEFAULT);
        tampered(&t, file, "missing");
    }
    end(&t);
}

static void wrong_slots(void **unused)
{
    (void)unused;
    sample t = begin_smooth();
    static const struct {
        const char *path;
        int at;
        double value;
        const char *word;
    } number[] = {
        {"/contacts/id_c", 1, 99, "contact point 1"},
        {"/contacts/id_c", 1, 0, "contact point 1"},
        {"/contacts/id_a", 2, -3, "contact point 2"},
        {"/contacts/id_a", 2, 3, "contact point 2"}, /* has left */
        {"/contacts/feature", 3, -1, "contact point 3"},
        {"/contacts/flags", 3, 0, "contact point 3"},
        {"/contacts/history", 5, NAN, "history of contact point 1"},
    };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        hid_t file = tamper(&t);
        set_number(file, number[i].path, number[i].at, number[i].value);
        tampered(&t, file, number[i].word);
    }
    hid_t file = tamper(&t);
    set_attribute(file, "/contacts", "history_width", 3);
    tampered(&t, file, "history");
    end(&t);
}

/* ---- the scene ---- */

static void expect_other(const sample *t, const char *word)
{
    mrn_message msg = refuse(t, MRN_ERR_INPUT);
    if (strstr(msg.text, word) == NULL)
        fail_msg("\"%s\" does not speak of %s", msg.text, word);
}

static void other_scene(void **unused)
{
    (void)unused;
    sample t = begin();
    mrn_scene *s = &t.scene;
    s->material[1].young *= 2;
    expect_other(&t, "materials");
    s->material[1].young /= 2;
    s->interaction[1].value[0].number += 1e-9;
    expect_other(&t, "interactions");
    s->interaction[1].value[0].number = 2;
    strcpy(s->wall[0].name, "ceiling");
    expect_other(&t, "walls");
    strcpy(s->wall[0].name, "floor");
    s->wall[0].motion.velocity.x = 1;
    expect_other(&t, "motions");
    s->wall[0].motion.velocity.x = 0;
    strcpy(s->group[0].name, "pebbles");
    expect_other(&t, "groups");
    strcpy(s->group[0].name, "beads");
    s->group[0].count += 1;
    expect_other(&t, "groups");
    s->group[0].count -= 1;
    s->group[0].size.mean += 1e-9;
    expect_other(&t, "groups");
    s->group[0].size.mean -= 1e-9;
    uint64_t seed = s->seed;
    s->seed = 99;
    expect_other(&t, "seed");
    s->seed = seed;
    s->cell.periodic[0] = true;
    expect_other(&t, "cell");
    s->cell.periodic[0] = false;
    s->gravity.z = -1.62;
    expect_other(&t, "gravity");
    s->gravity.z = -9.81;
    mrn_signal *swing = &s->wall[0].motion.path[0];
    ok(mrn_signal_expression("sin(t)", swing, NULL), &(mrn_message){0});
    expect_other(&t, "motions");
    mrn_signal_release(swing);
    s->wall[0].motion.servo_area = 1;
    expect_other(&t, "motions");
    s->wall[0].motion.servo_area = 0;
    s->cell.control.kind[MRN_XY] = MRN_CONTROL_STRESS;
    expect_other(&t, "cell");
    s->cell.control.kind[MRN_XY] = MRN_CONTROL_RATE;
    s->damping.local = 0.1;
    expect_other(&t, "damping");
    s->damping.local = 0;
    s->integrator = MRN_EULER;
    expect_other(&t, "integrator");
    s->integrator = MRN_VERLET;
    s->force = mrn_alloc(sizeof *s->force);
    s->n_forces = 1;
    expect_other(&t, "forces");
    s->n_forces = 0;
    s->outlet = mrn_alloc(sizeof *s->outlet);
    s->n_outlets = 1;
    expect_other(&t, "outlets");
    s->n_outlets = 0;
    s->interaction[0].model.part[MRN_LAW_ROLLING] = mrn_law_find(MRN_LAW_NORMAL, "linear");
    expect_other(&t, "interactions");
    s->interaction[0].model.part[MRN_LAW_ROLLING] = NULL;
    s->group[0].place = MRN_PLACE_INLET;
    expect_other(&t, "groups");
    s->group[0].place = MRN_PLACE_FILL;
    accept(&t);
    s->dimension = 2;
    expect_other(&t, "dimension");
    s->dimension = 3;
    s->n_stages = 0;
    expect_other(&t, "stages");
    s->n_stages = 2;
    /* these may differ */
    s->stage[1].at_most = 7;
    s->output.every = 0.5;
    accept(&t);
    end(&t);
}

/* What the non-smooth engine computes must be the same, how it solves may differ; contacts of
   another kind do not fit. */
static void other_engine(void **unused)
{
    (void)unused;
    sample t = begin();
    mrn_scene *s = &t.scene;
    mrn_message msg = {0};
    s->contact_kind = MRN_CONTACT_3D_ROLLING;
    msg = refuse(&t, MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "3 numbers per contact"));
    s->contact_kind = MRN_CONTACT_3D;
    s->method = mrn_method_find("smooth");
    expect_other(&t, "method");
    s->method = mrn_method_find("nonsmooth");
    s->nonsmooth.theta = 0.5;
    s->nonsmooth.threshold = NAN;
    ok(mrn_checkpoint_write(t.path, s, &t.state, &msg), &msg);
    accept(&t);
    s->nonsmooth.theta = 0.7;
    expect_other(&t, "nonsmooth.theta");
    s->nonsmooth.theta = 0.5;
    s->nonsmooth.threshold = 0;
    expect_other(&t, "nonsmooth.threshold");
    s->nonsmooth.threshold = NAN;
    s->nonsmooth.tolerance = 1e-9;
    s->nonsmooth.max_iterations = 7;
    s->nonsmooth.unsolved = MRN_UNSOLVED_HALVE;
    accept(&t);
    s->joint = mrn_alloc(sizeof *s->joint);
    s->n_joints = 1;
    expect_other(&t, "joints");
    s->n_joints = 0;
    s->group[0].held = MRN_DOF_RX;
    expect_other(&t, "groups");
    s->group[0].held = 0;
    accept(&t);
    end(&t);
}

/* A stage changed gravity, a law and a motion before the checkpoint; the scene is read in its first
   state, as after reading the file, and with a further stage at its end. */
static void stages(void **unused)
{
    (void)unused;
    sample t = begin();
    mrn_scene *s = &t.scene;
    mrn_stage *g = &s->stage[1];
    mrn_message msg = {0};
    g->has_gravity = true;
    g->gravity[0] = mrn_signal_constant(1);
    g->n_interactions = 1;
    g->interaction = mrn_alloc(sizeof *g->interaction);
    g->interaction[0] = s->interaction[1];
    g->interaction[0].value[0].number = 42;
    g->n_motions = 1;
    g->motion_wall = mrn_alloc(sizeof *g->motion_wall);
    g->motion = mrn_alloc(sizeof *g->motion);
    g->motion[0].velocity.x = 3;
    g->has_control = g->has_damping = g->has_forces = true;
    g->control.target[MRN_YY] = mrn_signal_constant(-0.1);
    g->n_inlets = 1;
    g->inlet_group = mrn_alloc(sizeof *g->inlet_group);
    g->inlet_open = mrn_alloc(sizeof *g->inlet_open);
    mrn_interaction first = s->interaction[1];
    /* as mrn_scene_enter_stage does */
    s->gravity = mrn_v3(1, 0, 0);
    s->interaction[1] = g->interaction[0];
    s->wall[0].motion = g->motion[0];
    ok(mrn_checkpoint_write(t.path, s, &t.state, &msg), &msg);
    accept(&t);
    s->gravity = mrn_v3(0, 0, -9.81);
    s->interaction[1] = first;
    s->wall[0].motion = (mrn_motion){0};
    accept(&t);
    g->gravity[0].constant = 2; /* a stage that has begun must not change */
    expect_other(&t, "gravity");
    g->gravity[0].constant = 1;
    g->interaction[0].value[0].number = 43;
    expect_other(&t, "interactions");
    g->interaction[0].value[0].number = 42;
    g->control.target[MRN_YY].constant = -0.2;
    expect_other(&t, "cell");
    g->control.target[MRN_YY].constant = -0.1;
    g->damping.global = 1;
    expect_other(&t, "damping");
    g->damping.global = 0;
    g->inlet_open[0] = true;
    expect_other(&t, "inlets");
    g->inlet_open[0] = false;
    s->damping.global = 3; /* what the stage replaced does not count any more */
    s->cell.control.max_rate = 7;
    accept(&t);
    /* finished, then prolonged */
    t.state.stage = 2;
    ok(mrn_checkpoint_write(t.path, s, &t.state, &msg), &msg);
    s->stage = mrn_realloc(s->stage, 3 * sizeof *s->stage);
    s->stage[2] = (mrn_stage){.has_gravity = true};
    s->n_stages = 3;
    accept(&t);
    end(&t);
}

/* ---- full disk, no memory ---- */

static int write_without_room(const sample *t)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {4096, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    mrn_message msg = {0};
    mrn_status st = mrn_checkpoint_write(t->path, &t->scene, &t->state, &msg);
    return st == MRN_ERR_IO && strstr(msg.hint, "ulimit") != NULL ? 0 : 1;
}

static void disk_full(void **unused)
{
    (void)unused;
    sample t = begin();
    double time = t.state.time;
    pid_t child = fork();
    if (child == 0) {
        in_child = true;
        t.state.time = 99;
        int code = write_without_room(&t);
        /* a file that HDF5 still knows of would crash it when the program ends */
        _exit(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0 ? code : 8);
    }
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    no_parts(test_dir);
    assert_true(t.state.time == time);
    accept(&t); /* the old one is still there */
    mrn_message msg = {0};
    assert_int_equal(mrn_checkpoint_write(in_dir("no/folder/c.h5"), &t.scene, &t.state, &msg),
                     MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "No such file"));
    end(&t);
}

static void no_memory(void **unused)
{
    (void)unused;
    sample t = begin();
    size_t before = mrn_bytes_in_use();
    int64_t k = 0, m = 0;
    for (mrn_status st = MRN_ERR_MEMORY; st != MRN_OK;) {
        mrn_alloc_fail_at(++k);
        st = mrn_checkpoint_write(t.path, &t.scene, &t.state, NULL);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        assert_int_equal(mrn_bytes_in_use(), before);
        no_parts(test_dir);
        accept(&t);
    }
    for (mrn_status st = MRN_ERR_MEMORY; st != MRN_OK;) {
        mrn_state s = {0};
        mrn_alloc_fail_at(++m);
        st = mrn_checkpoint_read(t.path, &t.scene, &s, NULL);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        mrn_state_destroy(&s);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(k > 1 && m > mrn_body_field_count());
    end(&t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(round_trip),   TEST(slots_by_number), TEST(cycle_without_impulses),
        TEST(wrong_slots),  TEST(empty_state),     TEST(clusters_and_derivatives),
        TEST(damaged),      TEST(wrong_content),   TEST(other_scene),
        TEST(stages),       TEST(disk_full),       TEST(no_memory),
        TEST(other_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
