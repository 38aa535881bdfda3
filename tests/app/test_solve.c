/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine solve and moraine solvers as a user meets them, on small problems made here: one run as a
   page and as JSON, many runs as a table and a profile, files written, exit codes, Ctrl-C. */
/* ctest-labels: slow */
/* ctest-timeout: 200 */
#include <hdf5.h>
#include <signal.h>
#include <time.h>

#include "app/command.h"

/* ---- problems ---- */

static const char *in_work(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    return path;
}

/* A problem of n contacts from a full matrix of (n b)² numbers, row after row. */
static mrn_problem make_problem(mrn_contact_kind kind, int n, const double *matrix, const double *q,
                                double mu)
{
    mrn_problem p;
    mrn_message msg = {0};
    ok(mrn_problem_create(kind, n, &p, &msg), &msg);
    int b = mrn_contact_layout_of(kind)->block, m = n * b, k = 0;
    int32_t row[256], col[256];
    assert_true(m * m <= 256);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++, k++)
            row[k] = i, col[k] = j;
    ok(mrn_bsr_from_entries(n, n, b, b, k, row, col, matrix, &p.W, &msg), &msg);
    memcpy(p.q, q, (size_t)m * sizeof *q);
    for (int i = 0; i < n; i++)
        p.mu[MRN_SLIDING][i] = mu;
    return p;
}

static void save_problem(const char *name, mrn_problem *p, const double *guess)
{
    mrn_message msg = {0};
    const mrn_fclib_save save = {.guess = guess, .overwrite = true};
    ok(mrn_fclib_write(in_work(name), p, &save, &msg), &msg);
    mrn_problem_release(p);
}

/* Three contacts in space, all coupled: W = (A Aᵀ + 1) / 10 with a fixed A; twist makes it
   asymmetric. Impulses are larger than velocities, so that no two residuals are the same. */
static mrn_problem three_contacts(double twist)
{
    double a[81], w[81], q[9] = {-1, 0.4, -0.3, -0.5, -0.9, 0.2, -2, 0.1, 0.7};
    mrn_rng rng = mrn_rng_seed(7, 0);
    for (int k = 0; k < 81; k++)
        a[k] = mrn_rng_uniform(&rng) - 0.5;
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            w[9 * i + j] = (i == j) + (i < j ? twist : i > j ? -twist : 0);
            for (int k = 0; k < 9; k++)
                w[9 * i + j] += a[9 * i + k] * a[9 * j + k];
            w[9 * i + j] *= 0.1;
        }
    mrn_problem p = make_problem(MRN_CONTACT_3D, 3, w, q, 0.3);
    snprintf(p.title, sizeof p.title, "Three stones");
    return p;
}

/* A block between two walls that both come nearer: what one wall gives the other takes, and no
   impulse opens both. There is no solution. */
static mrn_problem squeezed(void)
{
    const double w[16] = {1, 0, -1, 0, 0, 1, 0, 0, -1, 0, 1, 0, 0, 0, 0, 1};
    const double q[4] = {-1, 0.1, -1, 0.1};
    return make_problem(MRN_CONTACT_2D, 2, w, q, 0.5);
}

/* Two independent contacts in the plane: r_N = 1 with u_T = 0.1 stopped by r_T = -0.1 (sticks), and
   r_N = 1 with u_T = 2 slowed by r_T = -0.5 (slides). */
static mrn_problem two_disks(void)
{
    const double w[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double q[4] = {-1, 0.1, -1, 2};
    return make_problem(MRN_CONTACT_2D, 2, w, q, 0.5);
}

static void set_friction(const char *name, double mu)
{
    hid_t file = H5Fopen(in_work(name), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "/fclib_local/vectors/mu", H5P_DEFAULT);
    double value[3] = {mu, mu, mu};
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Dclose(set);
    H5Fclose(file);
}

static int set_up(void **unused)
{
    (void)unused;
    work = make_folder();
    setenv("NO_COLOR", "1", 1);
    mrn_problem p = three_contacts(0);
    save_problem("three.hdf5", &p, NULL);
    p = three_contacts(1e-3);
    save_problem("twisted.hdf5", &p, NULL);
    p = three_contacts(0);
    save_problem("negative.hdf5", &p, NULL);
    set_friction("negative.hdf5", -0.5);
    p = squeezed();
    save_problem("squeezed.hdf5", &p, NULL);
    p = two_disks();
    save_problem("disks.hdf5", &p, NULL);
    FILE *f = fopen(in_work("garbage.hdf5"), "w");
    fputs("these are not the contacts you are looking for\n", f);
    fclose(f);
    return 0;
}

/* ---- an answer, judged anew ---- */

static double norm_of(int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

static void project(double mu, double *y)
{
    double t = hypot(y[1], y[2]);
    if (mu * t <= -y[0]) {
        y[0] = y[1] = y[2] = 0;
    } else if (t > mu * y[0]) {
        double x = (mu * t + y[0]) / (1 + mu * mu), s = mu * x / t;
        y[0] = x, y[1] *= s, y[2] *= s;
    }
}

/* |F_rho| over `scale` of a problem in space, written out without the library. */
static double natural_map(const mrn_problem *p, const double *r, double rho, double scale)
{
    double u[48], f[48];
    int m = 3 * p->n;
    memcpy(u, p->q, (size_t)m * sizeof *u);
    for (int i = 0; i < p->n; i++)
        for (int64_t k = p->W.start[i]; k < p->W.start[i + 1]; k++)
            for (int c = 0; c < 3; c++)
                for (int a = 0; a < 3; a++)
                    u[3 * i + a] += p->W.value[9 * k + 3 * c + a] * r[3 * p->W.col[k] + c];
    for (int i = 0; i < p->n; i++) {
        double mu = p->mu[0][i], *ui = u + 3 * i, y[3];
        for (int c = 0; c < 3; c++)
            y[c] = r[3 * i + c] - rho * (ui[c] + (c == 0 ? mu * hypot(ui[1], ui[2]) : 0));
        project(mu, y);
        for (int c = 0; c < 3; c++)
            f[3 * i + c] = r[3 * i + c] - y[c];
    }
    return norm_of(m, f) / scale;
}

static double rho_of(const mrn_problem *p)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        for (int c = 0; c < 3; c++)
            sum += p->W.value[9 * mrn_bsr_find(&p->W, i, i) + 4 * c];
    return 3 * p->n / sum;
}

/* Reads a problem with the answer that the command wrote. */
static void read_answer(const char *name, mrn_problem *p, mrn_fclib_notes *notes)
{
    mrn_message msg = {0};
    ok(mrn_fclib_read(in_work(name), p, notes, &msg), &msg);
    assert_non_null(notes->answer);
}

static double real_of(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v))
        fail_msg("no number \"%s\"", key);
    return json_number_value(v);
}

static void expect_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* ---- one file, one solver ---- */

static void expect_keys(const json_t *o)
{
    static const char *const keys[] = {"file",
                                       "title",
                                       "contacts",
                                       "dimension",
                                       "kind",
                                       "solver",
                                       "converged",
                                       "iterations",
                                       "residual_natural",
                                       "residual_siconos",
                                       "residual_paper",
                                       "residual_fclib",
                                       "complementarity",
                                       "cone_violation",
                                       "violation_mean",
                                       "violation_quadratic",
                                       "violation_max",
                                       "violation_signed",
                                       "energy",
                                       "open",
                                       "sticking",
                                       "sliding",
                                       "seconds",
                                       "memory",
                                       "asymmetry",
                                       "words",
                                       "tolerance",
                                       "criterion",
                                       "threads"};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (json_object_get(o, keys[k]) == NULL || json_is_null(json_object_get(o, keys[k])))
            fail_msg("the JSON lacks \"%s\"", keys[k]);
}

/* The residual of the JSON is that of the impulses in the file, computed here from the definition.
   Both are differences of numbers of order 1: they agree to some roundings, 1e-14. */
static void test_json(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "solve", "three.hdf5", "--tol", "1e-6", "--json", "--out", "done.hdf5",
                         "--threads", "1", NULL);
    json_t *root = parse(o->out);
    expect_keys(root);
    assert_true(json_is_true(json_object_get(root, "converged")));
    assert_string_equal(json_string_value(json_object_get(root, "title")), "Three stones");
    assert_string_equal(json_string_value(json_object_get(root, "kind")), "3D");
    assert_string_equal(json_string_value(json_object_get(root, "solver")), mrn_solver_at(0)->name);
    assert_int_equal(real_of(root, "contacts"), 3);
    assert_int_equal(real_of(root, "dimension"), 3);
    assert_int_equal(real_of(root, "threads"), 1);
    assert_int_equal(real_of(root, "open") + real_of(root, "sticking") + real_of(root, "sliding"),
                     3);
    assert_true(real_of(root, "tolerance") == 1e-6);
    assert_true(real_of(root, "residual_natural") <= 1e-6 * (1 + 1e-9));
    assert_true(real_of(root, "asymmetry") < 1e-14);
    assert_true(real_of(root, "energy") < 0); /* r = 0 gives 0, and the answer is below it */
    mrn_problem p;
    mrn_fclib_notes notes;
    read_answer("done.hdf5", &p, &notes);
    double rho = rho_of(&p), q = norm_of(9, p.q);
    expect_close(real_of(root, "residual_natural"), natural_map(&p, notes.answer, rho, rho * q),
                 1e-14);
    double r = norm_of(9, notes.answer); /* larger than q, and u = W r + q is smaller than both */
    assert_true(r > 2 * q);
    expect_close(real_of(root, "residual_siconos"), natural_map(&p, notes.answer, 1, r), 1e-14);
    expect_close(real_of(root, "residual_paper"), natural_map(&p, notes.answer, 1, q), 1e-14);
    expect_close(real_of(root, "residual_fclib"), natural_map(&p, notes.answer, 1, 1 + sqrt(q)),
                 1e-14);
    mrn_problem_release(&p);
    mrn_fclib_notes_release(&notes);
    json_decref(root);
}

/* A problem with a solution on paper. */
static void test_known_answer(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "solve", "disks.hdf5", "--tol", "1e-10", "--out", "disks-done.hdf5",
                         "--json", NULL);
    json_t *root = parse(o->out);
    assert_int_equal(real_of(root, "dimension"), 2);
    assert_int_equal(real_of(root, "sticking"), 1);
    assert_int_equal(real_of(root, "sliding"), 1);
    assert_int_equal(real_of(root, "open"), 0);
    /* 1/2 r.r + q.r of the two */
    expect_close(real_of(root, "energy"), 0.5 * 1.01 - 1.01 + 0.5 * 1.25 - 1 - 1, 1e-8);
    json_decref(root);
    mrn_problem p;
    mrn_fclib_notes notes;
    read_answer("disks-done.hdf5", &p, &notes);
    const double exact[4] = {1, -0.1, 1, -0.5};
    for (int k = 0; k < 4; k++)
        expect_close(notes.answer[k], exact[k], 1e-8);
    mrn_problem_release(&p);
    mrn_fclib_notes_release(&notes);
}

static void test_page(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "solve", "three.hdf5", NULL);
    static const char *const parts[] = {"Three stones", "3 contacts", "3D",       "friction",
                                        "0.3",          "9 blocks",   "Solved",   "residual err_v",
                                        "of Siconos",   "sticking",   "memory",   "hyperstatic",
                                        "iterations",   "energy",     "from zero"};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        expect_text(o->out, parts[k]);
    expect_text(o->out, mrn_solver_at(0)->name);
    assert_null(strstr(o->out, "not symmetric"));
    assert_false(there_is(work.path, "three-best.hdf5"));
    o = moraine(0, "solve", "twisted.hdf5", "--solver", "nlgs", NULL);
    expect_text(o->out, "W is not symmetric (");
    expect_text(o->out, "solved as it is");
    o = moraine(0, "solve", "three.hdf5", "--quiet", NULL);
    assert_string_equal(o->out, "");
    assert_string_equal(o->err, "");
}

/* No solution: said so, with the residual; the best iterate is in a file that has that residual. */
static void test_no_solution(void **unused)
{
    (void)unused;
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *s = mrn_solver_at(i);
        if (s->wants_bodies || (s->kinds >> MRN_CONTACT_2D & 1) == 0)
            continue;
        remove(in_work("squeezed-best.hdf5"));
        outcome *o = moraine(1, "solve", "squeezed.hdf5", "--solver", s->name, "--max-iterations",
                             "300", "--json", NULL);
        json_t *root = parse(o->out);
        expect_keys(root);
        assert_true(json_is_false(json_object_get(root, "converged")));
        assert_true(real_of(root, "residual_natural") > 1e-4);
        assert_string_equal(json_string_value(json_object_get(root, "out")), "squeezed-best.hdf5");
        mrn_problem p;
        mrn_fclib_notes notes;
        mrn_message msg = {0};
        mrn_measures m;
        ok(mrn_fclib_read(in_work("squeezed-best.hdf5"), &p, &notes, &msg), &msg);
        double zero[4] = {0};
        ok(mrn_measure_answer(&p, notes.answer != NULL ? notes.answer : zero, NULL, &m, &msg),
           &msg);
        assert_true(m.natural == real_of(root, "residual_natural"));
        mrn_problem_release(&p);
        mrn_fclib_notes_release(&notes);
        json_decref(root);
    }
    outcome *o =
        moraine(1, "solve", "squeezed.hdf5", "--max-iterations", "300", "--out", "mine.hdf5", NULL);
    expect_text(o->out, "Not solved");
    expect_text(o->out, "mine.hdf5");
    assert_true(there_is(work.path, "mine.hdf5"));
}

static void test_guess(void **unused)
{
    (void)unused;
    mrn_problem p;
    mrn_fclib_notes notes;
    moraine(0, "solve", "three.hdf5", "--tol", "1e-12", "--out", "sharp.hdf5", "--quiet", NULL);
    read_answer("sharp.hdf5", &p, &notes);
    save_problem("guessed.hdf5", &p, notes.answer);
    mrn_fclib_notes_release(&notes);
    /* started at the answer, nothing is left to do; from zero there is */
    for (int k = 0; k < 3; k++) {
        const char *file = k == 1 ? "sharp.hdf5" : "guessed.hdf5";
        outcome *o = moraine(0, "solve", file, "--tol", "1e-11", "--solver", "nlgs", "--json",
                             k < 2 ? "--guess" : NULL, NULL);
        json_t *root = parse(o->out);
        assert_int_equal(json_is_true(json_object_get(root, "guess")), k < 2);
        if (k < 2)
            assert_true(real_of(root, "iterations") <= 1);
        else
            assert_true(real_of(root, "iterations") > 3);
        json_decref(root);
    }
    outcome *o = moraine(0, "solve", "three.hdf5", "--guess", NULL);
    expect_text(o->err, "no guess in the file");
}

/* ---- history and plots ---- */

static void test_history(void **unused)
{
    (void)unused;
    outcome *o =
        moraine(0, "solve", "three.hdf5", "--solver", "nlgs", "--tol", "1e-10", "--history",
                "h.csv", "--json", "--repeat", "3", "--check-every", "1", NULL);
    json_t *root = parse(o->out);
    char *text = slurp(work.path, "h.csv"), *line = strchr(text, '\n');
    assert_non_null(line);
    *line++ = '\0';
    assert_string_equal(text,
                        "phase,iteration,seconds,natural,violation_mean,violation_max,energy");
    long last = -1, lines = 0;
    double clock = 0, natural = 1;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1, lines++) {
        char phase[32], rest[200];
        long iteration;
        double seconds;
        *end = '\0';
        if (sscanf(line, "%31[^,],%ld,%lf,%lf,%199s", phase, &iteration, &seconds, &natural,
                   rest) != 5)
            fail_msg("not a line of the history: %s", line);
        assert_true(iteration > last);
        assert_true(seconds >= clock);
        last = iteration, clock = seconds;
    }
    /* one line per sweep and one for the start, of the first repetition alone */
    assert_int_equal(last, real_of(root, "iterations"));
    assert_in_range(lines, last, last + 1);
    expect_close(natural, real_of(root, "residual_natural"), 1e-14);
    json_decref(root);
    free(text);
}

static void expect_file(const char *name, const char *begins)
{
    if (!there_is(work.path, name))
        fail_msg("%s was not written", name);
    char *text = slurp(work.path, name);
    if (strncmp(text, begins, strlen(begins)) != 0)
        fail_msg("%s begins with %.20s", name, text);
    free(text);
}

static void test_plots(void **unused)
{
    (void)unused;
    moraine(0, "solve", "three.hdf5", "--tol", "1e-8", "--plot", "one.svg", NULL);
    expect_file("one.svg", "<?xml");
    moraine(0, "solve", "three.hdf5", "--plot", "one.png", "--quiet", NULL);
    expect_file("one.png", "\x89PNG");
    outcome *o = moraine(0, "solve", "three.hdf5", "disks.hdf5", "--plot", "all.svg", NULL);
    expect_file("all.svg", "<?xml");
    expect_text(o->out, "all.svg");
    char *text = slurp(work.path, "all.svg");
    expect_text(text, "<path"); /* the curve of the only solver */
    free(text);
    moraine(2, "solve", "three.hdf5", "--plot", "one.pdf", NULL);
    moraine(2, "solve", "three.hdf5", "--plot", "nowhere/one.svg", NULL);
}

/* ---- many ---- */

static void test_table(void **unused)
{
    (void)unused;
    outcome *o = moraine(1, "solve", "three.hdf5", "disks.hdf5", "squeezed.hdf5", "--solver",
                         "nlgs", "--max-iterations", "300", "--repeat", "2", NULL);
    static const char *const parts[] = {"problem", "contacts", "three", "disks", "squeezed",
                                        "nlgs",    "2 of 3",   "67 %",  "[",     "Tolerance"};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        expect_text(o->out, parts[k]);
    assert_false(there_is(work.path, "three-best.hdf5"));
    /* twice the same is once: a single run, not a table */
    o = moraine(0, "solve", "three.hdf5", "--solver", "nlgs", "--solver", "nlgs,nlgs", "--json",
                NULL);
    json_t *root = parse(o->out);
    assert_string_equal(json_string_value(json_object_get(root, "solver")), "nlgs");
    json_decref(root);
    o = moraine(0, "solve", "three.hdf5", "disks.hdf5", "--solver", "all", "--solver", "nlgs,nlgs",
                "--tol", "1e-3", NULL);
    for (int i = 0; i < mrn_solver_count(); i++)
        expect_text(o->out, mrn_solver_at(i)->name);
}

/* Seconds of a file by a solver, INFINITY where it was not solved. */
static double time_in(const json_t *runs, const char *file, const char *solver)
{
    size_t k;
    json_t *run;
    json_array_foreach(runs, k, run)
    {
        if (strcmp(json_string_value(json_object_get(run, "file")), file) == 0 &&
            strcmp(json_string_value(json_object_get(run, "solver")), solver) == 0)
            return json_is_true(json_object_get(run, "converged")) ? real_of(run, "seconds")
                                                                   : INFINITY;
    }
    fail_msg("no run of %s by %s", file, solver);
    return INFINITY;
}

static double best_in(const json_t *runs, const char *file)
{
    double best = INFINITY;
    for (int i = 0; i < mrn_solver_count(); i++)
        best = fmin(best, time_in(runs, file, mrn_solver_at(i)->name));
    return best;
}

/* Times differ from call to call; what the profile makes of them is counted here once more. */
static void test_table_json(void **unused)
{
    (void)unused;
    static const char *const file[3] = {"three.hdf5", "disks.hdf5", "squeezed.hdf5"};
    outcome *o = moraine(2, "solve", file[0], "garbage.hdf5", file[1], file[2], "--solver", "all",
                         "--max-iterations", "500", "--json", NULL);
    expect_text(o->err, "garbage.hdf5");
    json_t *root = parse(o->out), *runs = json_object_get(root, "runs"), *run, *solver;
    json_t *profile = json_object_get(root, "profile"), *tau = json_object_get(profile, "tau");
    size_t k, s;
    assert_int_equal(json_array_size(runs), 3 * mrn_solver_count());
    assert_int_equal(json_array_size(json_object_get(root, "errors")), 1);
    assert_int_equal(real_of(profile, "problems"), 3);
    json_array_foreach(runs, k, run)
    {
        if (json_is_true(json_object_get(run, "able")))
            expect_keys(run);
    }
    assert_true(json_array_size(tau) >= 4);
    json_array_foreach(json_object_get(profile, "solvers"), s, solver)
    {
        const char *name = json_string_value(json_object_get(solver, "solver"));
        json_t *share = json_object_get(solver, "share");
        assert_int_equal(json_array_size(share), json_array_size(tau));
        for (k = 0; k < json_array_size(tau); k++) {
            int n = 0;
            double factor = json_number_value(json_array_get(tau, k));
            for (int f = 0; f < 3; f++) {
                double t = time_in(runs, file[f], name);
                n += isfinite(t) && t <= factor * best_in(runs, file[f]);
            }
            expect_close(json_number_value(json_array_get(share, k)), n / 3.0, 1e-12);
        }
    }
    json_decref(root);
}

/* A solver that cannot: a dash with a note among others, an error alone. */
static void test_not_able(void **unused)
{
    (void)unused;
    const mrn_solver *needy = NULL;
    for (int i = 0; i < mrn_solver_count(); i++)
        if (mrn_solver_at(i)->wants_bodies)
            needy = mrn_solver_at(i);
    if (needy == NULL)
        skip();
    outcome *o = moraine(2, "solve", "three.hdf5", "--solver", needy->name, NULL);
    expect_text(o->err, needy->name);
    expect_text(o->err, "H and M");
    o = moraine(2, "solve", "three.hdf5", "--solver", needy->name, "--json", NULL);
    json_t *root = parse(o->out);
    expect_text(json_string_value(json_object_get(root, "message")), "H and M");
    json_decref(root);
    char both[128];
    snprintf(both, sizeof both, "nlgs,%s", needy->name);
    o = moraine(0, "solve", "three.hdf5", "--solver", both, NULL);
    expect_text(o->out, "-  ");
    expect_text(o->out, "needs H and M");
}

/* ---- what is wrong ---- */

static void test_bad_files(void **unused)
{
    (void)unused;
    outcome *o = moraine(2, "solve", "nothing.hdf5", NULL);
    expect_text(o->err, "nothing.hdf5");
    o = moraine(2, "solve", "garbage.hdf5", "--json", NULL);
    expect_text(o->err, "garbage.hdf5");
    json_t *root = parse(o->out);
    assert_non_null(json_object_get(root, "message"));
    json_decref(root);
    o = moraine(2, "solve", "negative.hdf5", NULL);
    expect_text(o->err, "negative.hdf5");
    expect_text(o->err, "-0.5");
    assert_string_equal(o->out, "");
    /* the others are still solved, and the worst code wins */
    o = moraine(2, "solve", "garbage.hdf5", "squeezed.hdf5", "three.hdf5", "--solver", "nlgs",
                "--max-iterations", "300", NULL);
    expect_text(o->out, "bad file");
    expect_text(o->out, "1 of 2");
    o = moraine(2, "solve", "garbage.hdf5", "nothing.hdf5", NULL);
    expect_text(o->err, "garbage.hdf5");
    expect_text(o->err, "nothing.hdf5");
}

static void test_bad_usage(void **unused)
{
    (void)unused;
    expect_text(moraine(2, "solve", NULL)->err, "which problem");
    outcome *o = moraine(2, "solve", "three.hdf5", "--solver", "nlsg", NULL);
    expect_text(o->err, "did you mean \"nlgs\"");
    moraine(2, "solve", "three.hdf5", "--solver", "nlgs,zzzzzzzz", NULL);
    moraine(2, "solve", "three.hdf5", "--tol", "0", NULL);
    moraine(2, "solve", "three.hdf5", "--tol", "-1e-4", NULL);
    moraine(2, "solve", "three.hdf5", "--tol", "nan", NULL);
    moraine(2, "solve", "three.hdf5", "--tol", "small", NULL);
    moraine(2, "solve", "three.hdf5", "--threads", "0", NULL);
    moraine(2, "solve", "three.hdf5", "--repeat", "0", NULL);
    moraine(2, "solve", "three.hdf5", "--max-seconds", "-1", NULL);
    o = moraine(2, "solve", "three.hdf5", "--criterion", "meen", NULL);
    expect_text(o->err, "\"mean\"");
    o = moraine(2, "solve", "three.hdf5", "--criterion", "mean", NULL); /* the default cannot */
    expect_text(o->err, "what can: nlgs");
    o = moraine(2, "solve", "three.hdf5", "--solver", "newton", "--set", "sweeps=1.5", NULL);
    expect_text(o->err, "whole number");
    o = moraine(2, "solve", "three.hdf5", "--solver", "nlgs", "--set", "relaxatoin=1", NULL);
    expect_text(o->err, "relaxation");
    o = moraine(2, "solve", "three.hdf5", "--solver", "nlgs", "--set", "relaxation=7", NULL);
    expect_text(o->err, "relaxation");
    moraine(2, "solve", "three.hdf5", "--solver", "nlgs", "--set", "relaxation", NULL);
    moraine(2, "solve", "three.hdf5", "--solver", "nlgs", "--set", "nlsg.relaxation=1", NULL);
    moraine(2, "solve", "three.hdf5", "disks.hdf5", "--out", "x.hdf5", NULL);
    moraine(2, "solve", "three.hdf5", "disks.hdf5", "--history", "x.csv", NULL);
    o = moraine(2, "solve", "three.hdf5", "--out", "three.hdf5", NULL);
    expect_text(o->err, "the problem itself");
    assert_false(there_is(work.path, "x.hdf5"));
}

/* ---- options that reach the solver ---- */

static void test_options(void **unused)
{
    (void)unused;
    double sweeps[2], residual;
    for (int k = 0; k < 2; k++) {
        outcome *o =
            moraine(0, "solve", "three.hdf5", "--solver", "nlgs", "--tol", "1e-8", "--json",
                    "--set", k == 0 ? "relaxation=1" : "nlgs.relaxation=0.3", NULL);
        json_t *root = parse(o->out);
        sweeps[k] = real_of(root, "iterations");
        json_decref(root);
    }
    assert_true(sweeps[1] > sweeps[0]); /* a third of each change takes longer */
    for (int c = 0; c < MRN_CRITERIA; c++) {
        const char *name = mrn_criterion_name((mrn_criterion)c);
        outcome *o = moraine(0, "solve", "three.hdf5", "--solver", "nlgs", "--criterion", name,
                             "--tol", "1e-7", "--json", NULL);
        json_t *root = parse(o->out);
        assert_string_equal(json_string_value(json_object_get(root, "criterion")), name);
        residual = real_of(root, "residual_natural");
        assert_true(residual < 1e-3); /* whatever decides, it is an answer */
        json_decref(root);
    }
    outcome *o = moraine(1, "solve", "three.hdf5", "--solver", "nlgs", "--max-iterations", "2",
                         "--tol", "1e-12", "--json", NULL);
    json_t *root = parse(o->out);
    assert_int_equal(real_of(root, "iterations"), 2);
    json_decref(root);
    assert_true(there_is(work.path, "three-best.hdf5"));
    remove(in_work("three-best.hdf5"));
}

/* A problem of the family "random"; contacts and bodies as texts. */
static void save_random(const char *name, const char *contacts, const char *bodies, bool global)
{
    const mrn_problem_family *f = mrn_problem_family_find("random");
    mrn_value option[MRN_PARAM_MAX];
    mrn_message msg = {0};
    mrn_problem p;
    const mrn_fclib_save save = {.global = global, .overwrite = true};
    assert_non_null(f);
    mrn_params_defaults(f->params, f->n_params, option);
    ok(mrn_params_set(f->params, f->n_params, option, f->name, "contacts", contacts, &msg), &msg);
    ok(mrn_params_set(f->params, f->n_params, option, f->name, "bodies", bodies, &msg), &msg);
    ok(f->make(option, 1, &p, &msg), &msg);
    ok(mrn_problem_assemble(&p, &msg), &msg);
    ok(mrn_fclib_write(in_work(name), &p, &save, &msg), &msg);
    mrn_problem_release(&p);
}

/* The impulses of any number of threads have the same bits: the files are equal, number by number.
   Some thousand contacts, so that threads have something to share. */
static void test_threads(void **unused)
{
    (void)unused;
    save_random("many.hdf5", "3000", "2500", false);
    double *answer[2];
    size_t n = 0;
    for (int k = 0; k < 2; k++) {
        mrn_fclib_notes notes;
        mrn_problem p;
        outcome *o = moraine(1, "solve", "many.hdf5", "--solver", "nlgs", "--set", "order=coloured",
                             "--tol", "1e-15", "--max-iterations", "20", "--threads",
                             k == 0 ? "1" : "3", "--out", "many-done.hdf5", "--json", NULL);
        json_t *root = parse(o->out);
        assert_int_equal(real_of(root, "threads"), k == 0 ? 1 : 3);
        json_decref(root);
        read_answer("many-done.hdf5", &p, &notes);
        n = (size_t)p.n * (size_t)mrn_contact_layout_of(p.kind)->block;
        answer[k] = notes.answer;
        notes.answer = NULL;
        mrn_fclib_notes_release(&notes);
        mrn_problem_release(&p);
    }
    assert_int_equal(n, 9000);
    assert_memory_equal(answer[0], answer[1], n * sizeof **answer);
    mrn_free(answer[0]);
    mrn_free(answer[1]);
}

/* A global problem: a solver without W may be asked, and what is written is global again. */
static void test_global(void **unused)
{
    (void)unused;
    save_random("global.hdf5", "40", "60", true);
    const char *name[2] = {"nlgs", "nlgs-exchange"};
    for (int k = 0; k < 2; k++) {
        outcome *o =
            moraine(0, "solve", k == 0 ? "global.hdf5" : "again.hdf5", "--solver", name[k], "--tol",
                    "1e-8", "--out", k == 0 ? "again.hdf5" : "thrice.hdf5", "--json", NULL);
        json_t *root = parse(o->out);
        assert_string_equal(json_string_value(json_object_get(root, "form")), "global");
        assert_true(real_of(root, "bodies") > 0);
        assert_true(real_of(root, "residual_natural") <= 1e-8 * (1 + 1e-9));
        json_decref(root);
    }
}

/* ---- Ctrl-C ---- */

static void test_interrupt(void **unused)
{
    (void)unused;
    char *argv[] = {(char *)MRN_TEST_COMMAND, (char *)"solve",
                    (char *)"squeezed.hdf5",  (char *)"--solver",
                    (char *)"nlgs",           (char *)"--max-iterations",
                    (char *)"1000000000000",  NULL};
    remove(in_work("squeezed-best.hdf5"));
    /* a machine may be too busy to begin so soon: then there is nothing to tell, and once more */
    outcome *o = NULL;
    for (unsigned pause = 100000; pause <= 100000 << 10 && (o == NULL || o->out[0] == '\0');
         pause *= 2) {
        pid_t child = start(argv);
        await_handler(child);
        usleep(pause);
        kill(child, SIGINT);
        o = finish(child);
        assert_int_equal(o->code, 1);
    }
    expect_text(o->out, "Stopped, not solved"); /* nothing else would have ended it */
    assert_true(there_is(work.path, "squeezed-best.hdf5"));
}

/* ---- moraine solvers ---- */

static void test_solvers(void **unused)
{
    (void)unused;
    outcome *o = moraine(0, "solvers", NULL);
    expect_text(o->out, "(default)");
    for (int i = 0; i < mrn_solver_count(); i++)
        expect_text(o->out, mrn_solver_at(i)->summary);
    for (int c = 0; c < MRN_CRITERIA; c++)
        expect_text(o->out, mrn_criterion_name((mrn_criterion)c));
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *s = mrn_solver_at(i);
        o = moraine(0, "solvers", s->name, NULL);
        expect_text(o->out, "When: ");
        for (int k = 0; k < s->n_params; k++)
            expect_text(o->out, s->params[k].name);
    }
    o = moraine(0, "solvers", "--json", NULL);
    json_t *all = parse(o->out), *one;
    size_t i;
    assert_int_equal(json_array_size(all), mrn_solver_count());
    json_array_foreach(all, i, one)
    {
        assert_string_equal(json_string_value(json_object_get(one, "name")),
                            mrn_solver_at((int)i)->name);
        assert_int_equal(json_array_size(json_object_get(one, "options")),
                         mrn_solver_at((int)i)->n_params);
        assert_true(json_array_size(json_object_get(one, "kinds")) > 0);
    }
    json_decref(all);
    o = moraine(0, "solvers", "--markdown", NULL);
    expect_text(o->out, "# Solvers");
    expect_text(o->out, "## Criteria");
    expect_text(moraine(2, "solvers", "nlsg", NULL)->err, "did you mean \"nlgs\"");
    expect_text(moraine(0, "solve", "--help", NULL)->out, "usage: moraine solve");
    expect_text(moraine(0, "help", "solvers", NULL)->out, "usage: moraine solvers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),       cmocka_unit_test(test_known_answer),
        cmocka_unit_test(test_page),       cmocka_unit_test(test_no_solution),
        cmocka_unit_test(test_guess),      cmocka_unit_test(test_history),
        cmocka_unit_test(test_plots),      cmocka_unit_test(test_table),
        cmocka_unit_test(test_table_json), cmocka_unit_test(test_not_able),
        cmocka_unit_test(test_bad_files),  cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_options),    cmocka_unit_test(test_threads),
        cmocka_unit_test(test_global),     cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_solvers)};
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
