/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems of our own: W = Hᵀ M⁻¹ H in both forms, known answers put into the laws, counts,
   sameness by seed, ranges, memory. */
/* ctest-labels: slow */
#include "world.h"

#include "solve/cone.h"
#include "solve/families.h"

#define OPTIONS_MAX 6

/* A family with options as a user gives them. */
typedef struct recipe {
    const char *family;
    const char *set[OPTIONS_MAX][2];
} recipe;

static const mrn_problem_family *prepare(const recipe *c, mrn_value *option)
{
    mrn_message msg = {0};
    const mrn_problem_family *f = mrn_problem_family_find(c->family);
    assert_non_null(f);
    mrn_params_defaults(f->params, f->n_params, option);
    for (int i = 0; i < OPTIONS_MAX && c->set[i][0] != NULL; i++)
        ok(mrn_params_set(f->params, f->n_params, option, f->name, c->set[i][0], c->set[i][1],
                          &msg),
           &msg);
    return f;
}

static mrn_problem make(const recipe *c, uint64_t seed)
{
    mrn_value option[MRN_PARAM_MAX];
    mrn_message msg = {0};
    mrn_problem p;
    const mrn_problem_family *f = prepare(c, option);
    ok(f->make(option, seed, &p, &msg), &msg);
    return p;
}

/* Small cases that between them go through every option. */
static const recipe cases[] = {
    {"chain", {{"spheres", "12"}}},
    {"chain", {{"spheres", "12"}, {"dimension", "2"}, {"mass-ratio", "1e6"}}},
    {"chain", {{"spheres", "9"}, {"layout", "row"}, {"agitation", "0.1"}}},
    {"wall", {{"bricks", "3"}, {"courses", "4"}}},
    {"wall", {{"bricks", "1"}, {"courses", "5"}, {"dimension", "2"}, {"pull", "2"}}},
    {"wall", {{"bricks", "4"}, {"courses", "3"}, {"sides", "false"}, {"pull", "1"}}},
    {"tower", {{"boxes", "7"}}},
    {"tower", {{"boxes", "5"}, {"dimension", "2"}, {"angle", "30"}, {"mass-ratio", "100"}}},
    {"plate", {{"contacts", "25"}, {"push", "0.7"}}},
    {"plate", {{"contacts", "8"}, {"dimension", "2"}, {"eccentricity", "0.3"}}},
    {"lattice", {{"across", "4"}, {"layers", "4"}, {"agitation", "0.1"}}},
    {"lattice", {{"across", "4"}, {"layers", "3"}, {"stacking", "hcp"}, {"friction-spread", "1"}}},
    {"lattice", {{"across", "4"}, {"layers", "9"}, {"pile", "pyramid"}}},
    {"lattice", {{"across", "5"}, {"dimension", "2"}, {"agitation", "1"}, {"restitution", "0.5"}}},
    {"lattice", {{"across", "5"}, {"dimension", "2"}, {"pile", "pyramid"}}},
    {"packing", {{"spheres", "60"}}},
    {"packing", {{"spheres", "60"}, {"dimension", "2"}, {"agitation", "1"}}},
    {"packing", {{"spheres", "40"}, {"rolling", "0.1"}, {"size-spread", "0.6"}, {"width", "3"}}},
    {"packing", {{"spheres", "40"}, {"rolling", "0.1"}, {"dimension", "2"}}},
    {"random", {{"contacts", "40"}, {"bodies", "30"}}},
    {"random", {{"contacts", "40"}, {"bodies", "30"}, {"dimension", "2"}, {"condition", "1e8"}}},
    {"random", {{"contacts", "40"}, {"bodies", "30"}, {"dimension", "2"}, {"rolling", "rolling"}}},
    {"random", {{"contacts", "40"}, {"bodies", "5"}, {"rolling", "rolling"}}},
    {"random", {{"contacts", "40"}, {"bodies", "1"}, {"rolling", "pivoting"}}},
    {"joints", {{"rods", "6"}}},
    {"joints", {{"rods", "6"}, {"layout", "bridge"}, {"dimension", "2"}, {"agitation", "1"}}},
    {"joints", {{"rods", "1"}, {"layout", "bridge"}}},
    {"jammed", {{"balls", "3"}}},
    {"jammed", {{"balls", "3"}, {"case", "wedge"}}},
    {"jammed", {{"balls", "1"}, {"case", "wedge"}, {"dimension", "2"}}},
};

static void registry(void **state)
{
    (void)state;
    assert_true(mrn_problem_family_count() >= 9);
    assert_null(mrn_problem_family_at(-1));
    assert_null(mrn_problem_family_at(mrn_problem_family_count()));
    assert_null(mrn_problem_family_find("no such"));
    for (int i = 0; i < mrn_problem_family_count(); i++) {
        const mrn_problem_family *f = mrn_problem_family_at(i);
        assert_ptr_equal(mrn_problem_family_find(f->name), f);
        assert_true(strlen(f->summary) > 10 && strlen(f->doc) > 100);
        assert_true(f->n_params <= MRN_PARAM_MAX);
        for (int k = 0; k < f->n_params; k++)
            assert_true(strlen(f->params[k].doc) > 5);
    }
}

/* y = Hᵀ M⁻¹ H x, from the definition. */
static void times_by_bodies(const mrn_problem *p, const double *x, double *y)
{
    int block = p->Ht.br, dof = p->Ht.bc;
    double *f = mrn_alloc((size_t)(p->Ht.cols * dof) * sizeof *f);
    double *v = mrn_alloc((size_t)(p->Ht.cols * dof) * sizeof *v);
    for (int i = 0; i < p->n; i++)
        for (int64_t k = p->Ht.start[i]; k < p->Ht.start[i + 1]; k++)
            for (int d = 0; d < dof; d++)
                for (int c = 0; c < block; c++)
                    f[p->Ht.col[k] * dof + d] +=
                        p->Ht.value[(k * dof + d) * block + c] * x[i * block + c];
    for (int b = 0; b < p->Ht.cols; b++)
        for (int d = 0; d < dof; d++)
            for (int c = 0; c < dof; c++)
                v[b * dof + c] += p->minv[(b * dof + d) * dof + c] * f[b * dof + d];
    mrn_bsr_times(&p->Ht, v, false, y);
    mrn_free(f);
    mrn_free(v);
}

static double *random_vector(int64_t n, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 9);
    double *x = mrn_alloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = mrn_rng_normal(&rng);
    return x;
}

static void check_structure(const mrn_problem *p)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(p->kind);
    assert_true(p->n > 0 && p->W.rows == p->n && p->W.cols == p->n && p->W.br == lay->block);
    assert_true(p->Ht.rows == p->n && p->Ht.br == lay->block);
    assert_int_equal(p->Ht.bc, lay->dimension == 2 ? 3 : 6);
    assert_true(strlen(p->title) > 0 && strlen(p->description) > 0);
    for (int i = 0; i < p->n; i++) {
        for (int64_t k = p->Ht.start[i]; k < p->Ht.start[i + 1]; k++) {
            assert_in_range(p->Ht.col[k], 0, p->Ht.cols - 1);
            assert_true(k == p->Ht.start[i] || p->Ht.col[k] > p->Ht.col[k - 1]);
        }
        for (int g = 0; g < lay->groups; g++)
            assert_true(p->mu[g][i] >= 0 && isfinite(p->mu[g][i]));
        for (int c = 0; c < lay->block; c++)
            assert_true(isfinite(p->q[i * lay->block + c]));
    }
}

/* 1e-13 of the largest term: sums of some tens of products, in another order. The scale is that of
   |W| |x|, since light and heavy bodies differ by 1e8. */
static void check_operator(const mrn_problem *p, uint64_t seed)
{
    int64_t m = (int64_t)p->n * p->W.br;
    double *x = random_vector(m, seed), *z = random_vector(m, seed + 1), largest = 0, xx = 0;
    double *wx = mrn_alloc((size_t)m * sizeof *wx), *wz = mrn_alloc((size_t)m * sizeof *wz);
    double *bx = mrn_alloc((size_t)m * sizeof *bx), power = 0, xwz = 0, zwx = 0, size = 0;
    mrn_bsr_times(&p->W, x, false, wx);
    mrn_bsr_times(&p->W, z, false, wz);
    times_by_bodies(p, x, bx);
    for (int64_t k = 0; k < p->W.start[p->n] * p->W.br * p->W.bc; k++)
        largest = fmax(largest, fabs(p->W.value[k]));
    for (int64_t i = 0; i < m; i++) {
        assert_close(wx[i], bx[i], 1e-13 * largest * sqrt((double)m) * 3);
        power += x[i] * wx[i], xwz += x[i] * wz[i], zwx += z[i] * wx[i];
        xx += x[i] * x[i], size += fabs(x[i] * wz[i]);
    }
    assert_true(power > -1e-13 * largest * xx);
    assert_true(power > 0);
    assert_close(xwz, zwx, 1e-13 * fmax(size, largest * xx));
    for (int i = 0; i < p->n; i++)
        for (int64_t k = p->W.start[i]; k < p->W.start[i + 1]; k++) {
            int64_t t = mrn_bsr_find(&p->W, p->W.col[k], i), b = p->W.br;
            assert_true(t >= 0);
            for (int64_t r = 0; r < b; r++)
                for (int64_t c = 0; c < b; c++)
                    assert_close(p->W.value[(k * b + c) * b + r], p->W.value[(t * b + r) * b + c],
                                 1e-14 * largest);
        }
    mrn_free(x), mrn_free(z), mrn_free(wx), mrn_free(wz), mrn_free(bx);
}

static void operators(void **state)
{
    (void)state;
    for (int i = 0; i < MRN_COUNT_OF(cases); i++) {
        mrn_problem p = make(&cases[i], 5);
        check_structure(&p);
        check_operator(&p, (uint64_t)i);
        mrn_problem_release(&p);
    }
}

/* |F| / (rho |q|) with rho = 1 / mean diagonal: the residual of theory. */
static double residual(const mrn_problem *p, const double *r, double *u)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(p->kind);
    int b = lay->block;
    double trace = 0, sum = 0, qq = 0, f[MRN_CONTACT_BLOCK_MAX];
    mrn_bsr_times(&p->W, r, false, u);
    for (int i = 0; i < p->n; i++) {
        int64_t d = mrn_bsr_find(&p->W, i, i);
        for (int c = 0; c < b; c++) {
            trace += p->W.value[d * b * b + c * b + c];
            u[i * b + c] += p->q[i * b + c];
            qq += p->q[i * b + c] * p->q[i * b + c];
        }
    }
    double rho = p->n * b / trace;
    for (int i = 0; i < p->n; i++) {
        double mu[MRN_FRICTION_GROUPS] = {0};
        for (int g = 0; g < lay->groups; g++)
            mu[g] = p->mu[g][i];
        sum += mrn_natural_map(lay, mu, p->law != NULL ? p->law[i] : MRN_UNILATERAL, rho, r + i * b,
                               u + i * b, f);
    }
    return sqrt(sum) / (rho * sqrt(qq));
}

typedef struct known {
    recipe c;
    double tolerance;
} known;

/* Tolerances: velocities cancel between W r and q. What remains is rounding of W r, and |W| |r|
   over |q| is about the number of bodies in a stack (weights add up, only one shows in q), the
   ratio of masses in the ill-conditioned ones. */
static const known answers[] = {
    {{"chain", {{"spheres", "100"}}}, 1e-13},
    {{"chain", {{"spheres", "100"}, {"dimension", "2"}, {"friction", "0"}}}, 1e-13},
    {{"chain", {{"spheres", "40"}, {"mass-ratio", "1e6"}}}, 1e-8},
    {{"chain", {{"spheres", "2"}, {"layout", "row"}}}, 1e-13},
    {{"chain", {{"spheres", "50"}, {"layout", "row"}, {"mass-ratio", "0.01"}}}, 1e-12},
    {{"wall", {{"bricks", "8"}, {"courses", "9"}}}, 1e-12},
    {{"wall", {{"bricks", "1"}, {"courses", "9"}, {"friction", "0"}}}, 1e-12},
    {{"wall", {{"bricks", "5"}, {"courses", "8"}, {"dimension", "2"}}}, 1e-12},
    {{"wall", {{"bricks", "5"}, {"courses", "8"}, {"sides", "false"}}}, 1e-12},
    {{"tower", {{"boxes", "10"}, {"angle", "0"}}}, 1e-12},
    {{"tower", {{"boxes", "10"}, {"angle", "20"}}}, 1e-12},
    {{"tower", {{"boxes", "10"}, {"angle", "40"}}}, 1e-12},
    {{"tower", {{"boxes", "10"}, {"angle", "40"}, {"friction", "0"}}}, 1e-12},
    {{"tower", {{"boxes", "10"}, {"angle", "25"}, {"dimension", "2"}}}, 1e-12},
    {{"tower", {{"boxes", "10"}, {"angle", "70"}, {"dimension", "2"}}}, 1e-12},
    {{"tower", {{"boxes", "6"}, {"angle", "3"}, {"mass-ratio", "1000"}}}, 1e-9},
    {{"plate", {{"contacts", "1"}}}, 1e-13},
    {{"plate", {{"contacts", "1000"}}}, 1e-12},
    {{"plate", {{"contacts", "999"}, {"push", "0.4"}}}, 1e-12},
    {{"plate", {{"contacts", "300"}, {"push", "0.9"}}}, 1e-12},
    {{"plate", {{"contacts", "33"}, {"push", "0.9"}, {"dimension", "2"}}}, 1e-12},
    {{"plate", {{"contacts", "34"}, {"push", "0.3"}, {"dimension", "2"}}}, 1e-12},
    {{"random", {{"contacts", "300"}, {"bodies", "200"}}}, 1e-13},
    {{"random", {{"contacts", "300"}, {"bodies", "20"}}}, 1e-13},
    {{"random", {{"contacts", "300"}, {"bodies", "200"}, {"condition", "1e8"}}}, 1e-9},
    {{"random", {{"contacts", "300"}, {"dimension", "2"}, {"friction", "3"}}}, 1e-13},
    {{"random", {{"contacts", "300"}, {"dimension", "2"}, {"rolling", "rolling"}}}, 1e-13},
    {{"random", {{"contacts", "300"}, {"rolling", "rolling"}}}, 1e-13},
    {{"random", {{"contacts", "300"}, {"rolling", "pivoting"}, {"sliding", "0.8"}}}, 1e-13},
    {{"random", {{"contacts", "300"}, {"friction", "0"}, {"fixed", "1"}}}, 1e-13},
    {{"joints", {{"rods", "30"}}}, 1e-12},
    {{"joints", {{"rods", "30"}, {"dimension", "2"}}}, 1e-12},
    {{"joints", {{"rods", "1"}, {"layout", "bridge"}}}, 1e-13},
    {{"jammed", {{"case", "wedge"}}}, 1e-13},
    {{"jammed", {{"case", "wedge"}, {"dimension", "2"}, {"angle", "60"}}}, 1e-13},
};

static void known_answers(void **state)
{
    (void)state;
    for (int i = 0; i < MRN_COUNT_OF(answers); i++) {
        mrn_value option[MRN_PARAM_MAX];
        mrn_message msg = {0};
        mrn_problem p;
        const mrn_problem_family *f = prepare(&answers[i].c, option);
        ok(f->make(option, 3, &p, &msg), &msg);
        size_t bytes = (size_t)p.n * (size_t)p.W.br * sizeof(double);
        double *r = mrn_alloc(bytes), *u = mrn_alloc(bytes);
        ok(f->answer(option, 3, &p, r, &msg), &msg);
        double err = residual(&p, r, u);
        if (!(err <= answers[i].tolerance))
            fail_msg("%s (answer %d): residual %.3g, at most %.3g expected", p.description, i, err,
                     answers[i].tolerance);
        /* the check can fail: an answer that is a little wrong is seen */
        for (int k = 0; k < p.n * p.W.br; k++)
            r[k] *= 1.001;
        assert_true(residual(&p, r, u) > 100 * answers[i].tolerance);
        mrn_free(r), mrn_free(u);
        mrn_problem_release(&p);
    }
}

static void unknown_answers(void **state)
{
    (void)state;
    static const recipe none[] = {
        {"chain", {{"agitation", "1"}}},    {"wall", {{"pull", "1"}}},
        {"tower", {{"boxes", "200"}}},      {"plate", {{"eccentricity", "0.1"}}},
        {"joints", {{"agitation", "0.1"}}}, {"joints", {{"layout", "bridge"}}},
        {"jammed", {{"case", "squeeze"}}},
    };
    for (int i = 0; i < MRN_COUNT_OF(none); i++) {
        mrn_value option[MRN_PARAM_MAX];
        mrn_message msg = {0};
        mrn_problem p;
        const mrn_problem_family *f = prepare(&none[i], option);
        ok(f->make(option, 3, &p, &msg), &msg);
        double *r = mrn_alloc((size_t)p.n * (size_t)p.Ht.br * sizeof(double));
        assert_int_equal(f->answer(option, 3, &p, r, &msg), MRN_ERR_RANGE);
        assert_non_null(strstr(msg.text, f->name));
        mrn_free(r);
        mrn_problem_release(&p);
    }
}

/* Numbers worked out by hand, not by the code that makes the answer. */
static void numbers_by_hand(void **state)
{
    (void)state;
    double g = 9.81, h = 1e-3;
    mrn_problem p = make(&(recipe){"chain", {{"spheres", "3"}, {"force", "0"}}}, 1);
    double m = 2600 * 4.0 / 3 * MRN_PI * 1e-6, inertia = 0.4 * m * 1e-4;
    /* the lowest ball on the floor: W_NN = 1/m, W_TT = 1/m + a²/I */
    assert_close(p.W.value[0], 1 / m, 1e-12 / m);
    assert_close(p.W.value[4], 1 / m + 1e-4 / inertia, 1e-11 / m);
    assert_close(p.W.value[8], 1 / m + 1e-4 / inertia, 1e-11 / m);
    assert_close(p.W.value[1] + p.W.value[2] + p.W.value[5], 0, 1e-12 / m);
    assert_close(p.q[0], -g * h, 1e-15);
    assert_close(p.q[3], 0, 1e-15);
    /* the next: two balls, and it turns the lower one too */
    int64_t k = mrn_bsr_find(&p.W, 1, 0), d = mrn_bsr_find(&p.W, 1, 1);
    assert_close(p.W.value[9 * d], 2 / m, 1e-12 / m);
    assert_close(p.W.value[9 * d + 4], 2 / m + 2e-4 / inertia, 1e-11 / m);
    assert_close(p.W.value[9 * k], -1 / m, 1e-12 / m);
    assert_close(p.W.value[9 * k + 4], -1 / m + 1e-4 / inertia, 1e-11 / m);
    mrn_problem_release(&p);

    /* a disk: I = m a²/2 */
    p = make(&(recipe){"chain", {{"spheres", "1"}, {"dimension", "2"}}}, 1);
    m = 2600 * MRN_PI * 1e-4;
    assert_close(p.W.value[3], 3 / m, 1e-11 / m);
    mrn_problem_release(&p);
}

/* The tower slides on the floor with g (sin a - mu cos a) and nowhere else. */
static void tower_slides(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const recipe c = {
            "tower", {{"dimension", dimension == 2 ? "2" : "3"}, {"angle", "40"}, {"boxes", "6"}}};
        mrn_value option[MRN_PARAM_MAX];
        mrn_message msg = {0};
        mrn_problem p;
        const mrn_problem_family *f = prepare(&c, option);
        ok(f->make(option, 1, &p, &msg), &msg);
        double r[6 * 4 * 3], u[6 * 4 * 3], a = 40 * MRN_PI / 180;
        double speed = 1e-3 * 9.81 * (sin(a) - 0.5 * cos(a));
        ok(f->answer(option, 1, &p, r, &msg), &msg);
        assert_true(residual(&p, r, u) < 1e-12);
        for (int i = 0; i < p.n; i++) {
            bool floor = i < (dimension == 2 ? 2 : 4);
            double along = (dimension == 2 ? -1 : 1) * u[i * dimension + 1];
            assert_close(along, floor ? speed : 0, 1e-14);
            assert_close(u[i * dimension], 0, 1e-14);
        }
        mrn_problem_release(&p);
    }
}

static void expect_contacts(recipe c, int n)
{
    mrn_problem p = make(&c, 1);
    assert_int_equal(p.n, n);
    mrn_problem_release(&p);
}

static void counts(void **state)
{
    (void)state;
    expect_contacts((recipe){"chain", {{"spheres", "17"}}}, 17);
    expect_contacts((recipe){"chain", {{"spheres", "17"}, {"layout", "row"}}}, 16);
    /* faces: 3 on the floor, 6 between each of 4 pairs of courses; sides: 2, 3, 2, 3, 2 */
    expect_contacts((recipe){"wall", {{"bricks", "3"}, {"courses", "5"}}}, 4 * (3 + 24 + 12));
    expect_contacts((recipe){"wall", {{"bricks", "3"}, {"courses", "5"}, {"dimension", "2"}}},
                    2 * (3 + 24 + 12));
    expect_contacts((recipe){"wall", {{"bricks", "3"}, {"courses", "5"}, {"sides", "no"}}}, 108);
    expect_contacts((recipe){"tower", {{"boxes", "6"}}}, 24);
    expect_contacts((recipe){"plate", {{"contacts", "77"}}}, 77);
    expect_contacts((recipe){"joints", {{"rods", "5"}}}, 5);
    expect_contacts((recipe){"joints", {{"rods", "5"}, {"layout", "bridge"}}}, 6);
    expect_contacts((recipe){"jammed", {{"balls", "5"}}}, 6);
    expect_contacts((recipe){"jammed", {{"balls", "5"}, {"case", "wedge"}}}, 10);
    /* three balls in a triangle: 3 pairs, 3 on the floor, 2 at the sides, 2 in front, 1 behind */
    expect_contacts((recipe){"lattice", {{"across", "2"}, {"layers", "1"}}}, 11);
    /* disks 4, 3, 4: pairs 3 + 2 + 3 in rows, 6 + 6 between; floor 4; walls 2 + 2 */
    expect_contacts((recipe){"lattice", {{"across", "4"}, {"layers", "3"}, {"dimension", "2"}}},
                    28);
    /* 5 + 4 + 3 + 2 + 1 disks: 10 pairs in rows, 20 between, 5 on the floor */
    expect_contacts((recipe){"lattice", {{"across", "5"}, {"dimension", "2"}, {"pile", "pyramid"}}},
                    35);
    /* 16 + 9 + 4 + 1 balls: 24 + 12 + 4 pairs in layers, 4 (9 + 4 + 1) between, 16 on the floor */
    expect_contacts((recipe){"lattice", {{"across", "4"}, {"pile", "pyramid"}}}, 40 + 56 + 16);
}

/* Inside of a close packing every ball has twelve neighbours, of either stacking: with 8 across and
   8 layers the bodies with 12 contacts are those away from walls, floor and top. */
static void twelve_neighbours(void **state)
{
    (void)state;
    for (int hcp = 0; hcp < 2; hcp++) {
        mrn_problem p = make(&(recipe){"lattice",
                                       {{"across", "8"},
                                        {"layers", "8"},
                                        {"stored", "no"},
                                        {"stacking", hcp ? "hcp" : "fcc"}}},
                             1);
        int *contacts = mrn_alloc((size_t)p.Ht.cols * sizeof *contacts), full = 0;
        for (int64_t k = 0; k < p.Ht.start[p.n]; k++)
            contacts[p.Ht.col[k]]++;
        for (int i = 0; i < p.Ht.cols; i++) {
            assert_in_range(contacts[i], 3, 12);
            full += contacts[i] == 12;
        }
        assert_true(full >= 5 * 5 * 6);
        mrn_free(contacts);
        mrn_problem_release(&p);
    }
}

/* A ball rests on 3 others (2 in 2D) or on the floor: contacts per ball stay just below that; more
   would be a tolerance too coarse, fewer balls that hang in the air. No contact may be left out: no
   ball without any. */
static void packing_is_isostatic(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_problem p = make(
            &(recipe){
                "packing",
                {{"spheres", "1500"}, {"dimension", dimension == 2 ? "2" : "3"}, {"stored", "no"}}},
            4);
        int *contacts = mrn_alloc((size_t)p.Ht.cols * sizeof *contacts);
        for (int64_t k = 0; k < p.Ht.start[p.n]; k++)
            contacts[p.Ht.col[k]]++;
        for (int i = 0; i < p.Ht.cols; i++)
            assert_true(contacts[i] >= 1);
        double per_ball = p.n / 1500.0;
        if (per_ball < dimension - 0.15 || per_ball > dimension + 0.02)
            fail_msg("%g contacts per ball in %dD", per_ball, dimension);
        mrn_free(contacts);
        mrn_problem_release(&p);
    }
}

/* Whatever the impulses, normal velocities of a squeeze sum up to -V. 1e-12: rounding of W r. */
static void squeeze_has_no_answer(void **state)
{
    (void)state;
    mrn_problem p = make(&(recipe){"jammed", {{"balls", "20"}, {"speed", "0.3"}}}, 1);
    double *r = random_vector(3 * p.n, 8), *u = mrn_alloc(3 * (size_t)p.n * sizeof *u), sum = 0;
    for (int i = 0; i < 3 * p.n; i++)
        r[i] *= 1e-2; /* impulses that change velocities by about 1 m/s */
    residual(&p, r, u);
    for (int i = 0; i < p.n; i++)
        sum += u[3 * i];
    assert_close(sum, -0.3, 1e-12);
    mrn_free(r), mrn_free(u);
    mrn_problem_release(&p);
}

/* Wedged as hard as one likes: s more on each side with s tan(alpha) downwards, while that is
   within friction. */
static void wedge_has_many(void **state)
{
    (void)state;
    const recipe c = {"jammed", {{"case", "wedge"}, {"balls", "2"}, {"angle", "20"}}};
    mrn_value option[MRN_PARAM_MAX];
    mrn_message msg = {0};
    mrn_problem p;
    const mrn_problem_family *f = prepare(&c, option);
    ok(f->make(option, 1, &p, &msg), &msg);
    double r[12], u[12], a = 20 * MRN_PI / 180;
    ok(f->answer(option, 1, &p, r, &msg), &msg);
    assert_close(r[0], 1e-3 * 9.81 * 2600 * 4 / 3 * MRN_PI * 1e-6 / (2 * sin(a)), 1e-18);
    for (int i = 0; i < 4; i++) {
        double s = 10 * r[3 * i];
        mrn_vec3 n = mrn_v3(i % 2 == 0 ? cos(a) : -cos(a), 0, sin(a)), t, b;
        mrn_assembly_frame(false, n, &t, &b);
        mrn_vec3 down = mrn_v3(i % 2 == 0 ? sin(a) : -sin(a), 0, -cos(a));
        r[3 * i] += s;
        r[3 * i + 1] = s * tan(a) * mrn_dot(t, down);
        r[3 * i + 2] = s * tan(a) * mrn_dot(b, down);
    }
    assert_true(residual(&p, r, u) < 1e-12);
    mrn_problem_release(&p);
}

/* ---- the same by seed ---- */

static uint64_t hash_problem(const mrn_problem *p)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(p->kind);
    uint64_t h = mrn_hash(MRN_HASH_START, p->q, (size_t)(p->n * lay->block) * sizeof *p->q);
    h = mrn_hash(h, p->Ht.value,
                 (size_t)(p->Ht.start[p->n] * p->Ht.br * p->Ht.bc) * sizeof(double));
    h = mrn_hash(h, p->Ht.col, (size_t)p->Ht.start[p->n] * sizeof *p->Ht.col);
    h = mrn_hash(h, p->minv, (size_t)(p->Ht.cols * p->Ht.bc * p->Ht.bc) * sizeof(double));
    h = mrn_hash(h, p->W.value, (size_t)(p->W.start[p->n] * p->W.br * p->W.bc) * sizeof(double));
    for (int g = 0; g < lay->groups; g++)
        h = mrn_hash(h, p->mu[g], (size_t)p->n * sizeof(double));
    return h;
}

static uint64_t hash_of(const recipe *c, uint64_t seed, int threads)
{
    mrn_threads_set(threads);
    mrn_problem p = make(c, seed);
    uint64_t h = hash_problem(&p);
    mrn_problem_release(&p);
    mrn_threads_set(0);
    return h;
}

static void same_by_seed(void **state)
{
    (void)state;
    for (int i = 0; i < MRN_COUNT_OF(cases); i++) {
        uint64_t h = hash_of(&cases[i], 7, 1);
        assert_true(h == hash_of(&cases[i], 7, 1));
        assert_true(h == hash_of(&cases[i], 7, 3));
    }
    static const recipe drawn[] = {{"random", {{NULL}}},
                                   {"packing", {{"spheres", "30"}}},
                                   {"chain", {{"agitation", "1"}}},
                                   {"joints", {{"agitation", "1"}}},
                                   {"lattice", {{"agitation", "1"}}},
                                   {"lattice", {{"friction-spread", "0.5"}}}};
    for (int i = 0; i < MRN_COUNT_OF(drawn); i++)
        assert_true(hash_of(&drawn[i], 1, 1) != hash_of(&drawn[i], 2, 1));
}

/* ---- what is refused ---- */

static void expect_refusal(const mrn_problem_family *f, const mrn_value *option, const char *name)
{
    mrn_problem p;
    mrn_message msg = {0};
    size_t before = mrn_bytes_in_use();
    assert_int_equal(f->make(option, 1, &p, &msg), MRN_ERR_INPUT);
    if (strstr(msg.text, f->name) == NULL || strstr(msg.text, name) == NULL)
        fail_msg("%s, %s: \"%s\"", f->name, name, msg.text);
    assert_true(mrn_bytes_in_use() == before && p.n == 0 && p.q == NULL);
}

static void every_range(void **state)
{
    (void)state;
    for (int i = 0; i < mrn_problem_family_count(); i++) {
        const mrn_problem_family *f = mrn_problem_family_at(i);
        expect_refusal(f, NULL, "options");
        for (int k = 0; k < f->n_params; k++) {
            const mrn_param *q = &f->params[k];
            mrn_value option[MRN_PARAM_MAX];
            mrn_params_defaults(f->params, f->n_params, option);
            if (q->kind == MRN_P_FLAG)
                continue;
            double bad[] = {q->kind == MRN_P_CHOICE ? -1 : q->min - 1e-3 * (1 + fabs(q->min)),
                            q->kind == MRN_P_CHOICE ? 9 : q->max * 1.001 + 1e-3, INFINITY,
                            -INFINITY, q->kind == MRN_P_CHOICE ? 0.5 : NAN};
            for (int b = 0; b < MRN_COUNT_OF(bad); b++) {
                if (isnan(bad[b]) && isnan(q->fallback))
                    continue;
                option[k].number = bad[b];
                expect_refusal(f, option, q->name);
            }
            if (strcmp(q->unit, "count") == 0) {
                option[k].number = q->min + 0.5;
                expect_refusal(f, option, q->name);
            }
        }
    }
}

static void too_large(void **state)
{
    (void)state;
    static const recipe large[] = {
        {"wall", {{"bricks", "100000"}, {"courses", "100000"}}},
        {"lattice", {{"across", "10000"}, {"layers", "10"}}},
        {"chain", {{"layout", "row"}, {"spheres", "1"}}},
        {"random", {{"dimension", "2"}, {"rolling", "pivoting"}}},
    };
    for (int i = 0; i < MRN_COUNT_OF(large); i++) {
        mrn_value option[MRN_PARAM_MAX];
        const mrn_problem_family *f = prepare(&large[i], option);
        expect_refusal(f, option, f->name);
    }
}

/* Sizes of which the mass, or its inverse, is no number any more. */
static void no_mass(void **state)
{
    (void)state;
    static const recipe odd[] = {
        {"chain", {{"size", "1e-120"}}},
        {"wall", {{"size", "1e-150"}, {"density", "1e-200"}}},
        {"chain", {{"mass-ratio", "1e-300"}, {"density", "1e-6"}, {"size", "1e-6"}}},
    };
    for (int i = 0; i < MRN_COUNT_OF(odd); i++) {
        mrn_value option[MRN_PARAM_MAX];
        mrn_problem p;
        mrn_message msg = {0};
        const mrn_problem_family *f = prepare(&odd[i], option);
        assert_int_equal(f->make(option, 1, &p, &msg), MRN_ERR_INPUT);
        assert_non_null(strstr(msg.text, "mass"));
        assert_null(p.q);
    }
}

/* W of a plate on 5000 points would take 1.8 GB. */
static void stored_or_not(void **state)
{
    (void)state;
    mrn_problem p = make(&(recipe){"plate", {{"contacts", "5000"}}}, 1);
    assert_true(p.W.rows == 0 && p.W.value == NULL && p.Ht.rows == 5000 && p.minv != NULL);
    mrn_problem_release(&p);
    p = make(&(recipe){"plate", {{"contacts", "50"}, {"stored", "no"}}}, 1);
    assert_true(p.W.rows == 0 && p.W.value == NULL);
    mrn_problem_release(&p);
    p = make(&(recipe){"plate", {{"contacts", "50"}, {"stored", "yes"}}}, 1);
    assert_true(p.W.start[50] == 2500);
    mrn_problem_release(&p);
}

/* q with restitution e is lower by e times the approach before, in the normal component alone. */
static void restitution(void **state)
{
    (void)state;
    recipe c = {"lattice", {{"across", "4"}, {"agitation", "1"}, {"gravity", "0"}}};
    mrn_problem p0 = make(&c, 6);
    c.set[3][0] = "restitution", c.set[3][1] = "0.5";
    mrn_problem p1 = make(&c, 6);
    int approaching = 0;
    for (int i = 0; i < 3 * p0.n; i++) {
        bool hits = i % 3 == 0 && p0.q[i] < 0;
        approaching += hits;
        assert_close(p1.q[i], (hits ? 1.5 : 1) * p0.q[i], 1e-14);
    }
    assert_true(approaching > p0.n / 4 && approaching < 3 * p0.n / 4);
    mrn_problem_release(&p0);
    mrn_problem_release(&p1);
}

static void bilateral(void **state)
{
    (void)state;
    mrn_problem p = make(&(recipe){"joints", {{"rods", "4"}}}, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(p.law[i], i == 0 ? MRN_UNILATERAL : MRN_BILATERAL);
    mrn_problem_release(&p);
    p = make(&(recipe){"joints", {{"rods", "4"}, {"layout", "bridge"}}}, 1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(p.law[i], i == 4 ? MRN_UNILATERAL : MRN_BILATERAL);
    mrn_problem_release(&p);
}

/* Every allocation of every case fails in turn: nothing is left behind. */
static void out_of_memory(void **state)
{
    (void)state;
    for (int i = 0; i < MRN_COUNT_OF(cases); i++) {
        mrn_value option[MRN_PARAM_MAX];
        const mrn_problem_family *f = prepare(&cases[i], option);
        mrn_status s = MRN_ERR_MEMORY;
        for (int64_t k = 1; s != MRN_OK; k++) {
            mrn_problem p;
            mrn_message msg = {0};
            size_t before = mrn_bytes_in_use();
            assert_true(k < 1000);
            mrn_alloc_fail_at(k);
            s = f->make(option, 1, &p, &msg);
            mrn_alloc_fail_at(0);
            assert_true(s == MRN_OK || s == MRN_ERR_MEMORY);
            assert_true(s == MRN_OK || p.q == NULL);
            mrn_problem_release(&p);
            assert_true(mrn_bytes_in_use() == before);
            assert_true(s != MRN_OK || k > 8);
        }
    }
}

/* Contacts of balls of any size against all pairs: small, large and scattered thinly, where the
   cells of the search are larger than a ball. */
static void contacts_of_any_size(void **state)
{
    (void)state;
    enum { N = 200 };
    static const double size[] = {0.05, 1, 20}, room[] = {8, 30};
    for (int k = 0; k < 6; k++) {
        mrn_assembly y = {.kind = MRN_CONTACT_3D};
        mrn_assembly_contact like = {.b = -1};
        mrn_message msg = {0};
        mrn_rng rng = mrn_rng_seed(17, (uint64_t)k);
        double radius[N], r = size[k % 3], l = room[k / 3] * r;
        for (int i = 0; i < N; i++) {
            double a = l * mrn_rng_uniform(&rng), b = l * mrn_rng_uniform(&rng);
            mrn_vec3 x = mrn_v3(a, b, l * mrn_rng_uniform(&rng));
            radius[i] = r * (0.5 + 0.5 * mrn_rng_uniform(&rng));
            mrn_assembly_body ball = mrn_assembly_ball(&y, x, radius[i], 1);
            ok(mrn_assembly_add_body(&y, &ball, &msg), &msg);
        }
        ok(mrn_assembly_find_contacts(&y, radius, 0, NULL, 0, &like, &msg), &msg);
        int64_t pairs = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++)
                pairs += mrn_norm(mrn_sub(y.body[i].x, y.body[j].x)) <= radius[i] + radius[j];
        assert_true(pairs > 0);
        assert_int_equal(y.n_contacts, pairs);
        mrn_assembly_release(&y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registry),
        cmocka_unit_test(contacts_of_any_size),
        cmocka_unit_test(operators),
        cmocka_unit_test(known_answers),
        cmocka_unit_test(unknown_answers),
        cmocka_unit_test(numbers_by_hand),
        cmocka_unit_test(tower_slides),
        cmocka_unit_test(counts),
        cmocka_unit_test(twelve_neighbours),
        cmocka_unit_test(packing_is_isostatic),
        cmocka_unit_test(squeeze_has_no_answer),
        cmocka_unit_test(wedge_has_many),
        cmocka_unit_test(same_by_seed),
        cmocka_unit_test(every_range),
        cmocka_unit_test(too_large),
        cmocka_unit_test(no_mass),
        cmocka_unit_test(stored_or_not),
        cmocka_unit_test(restitution),
        cmocka_unit_test(bilateral),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
