/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our solvers beside those of Siconos. Usage: bench-siconos [options] [problem.hdf5 …]; without
   files, those of ../shared/data/fclib if it is there, and a few generated problems.

   --markdown FILE     the tables, beside standard output
   --tolerance T       may be repeated; default 1e-4 and 1e-8
   --limit S           seconds per solve; default 20, and 60 from 900 contacts on
   --limit-of NAME S   another limit for problems whose name holds NAME
   --ours A,B,…        only these of ours (the default solver always); --theirs A,B,… likewise
   --generated yes|no  with or without generated problems
   --same-residual     Siconos with a tolerance that gives the err_v of ours */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"

enum { SUBJECTS_MAX = 200, TOLERANCES_MAX = 8 };

typedef struct choices {
    const char *markdown, *ours, *theirs, *generated;
    double limit;      /* 0: by size */
    const char *slow;  /* part of a name … */
    double slow_limit; /* … and the limit of these */
    double tolerance[TOLERANCES_MAX];
    int tolerances;
    bool same_residual;
    const char *file[SUBJECTS_MAX];
    int files;
} choices;

static void give_up(const char *what, const char *name, const mrn_message *msg)
{
    char text[4096] = "";
    if (msg != NULL)
        mrn_message_format(msg, text, sizeof text);
    fprintf(stderr, "bench-siconos: %s %s\n%s", what, name, text);
    exit(1);
}

/* ---- problems ---- */

/* Names and values of options of a family. */
static const struct {
    const char *name, *family, *option[8];
} to_generate[] = {
    {"chain of 300", "chain", {"spheres", "300"}},
    {"wall 12 x 8", "wall", {"bricks", "12", "courses", "8"}},
    {"tower of 20", "tower", {"boxes", "20"}},
    {"lattice 8 x 8 x 8", "lattice", {"across", "8", "layers", "8", "agitation", "0.01"}},
    {"packing of 500", "packing", {"spheres", "500"}},
    {"packing of 3000", "packing", {"spheres", "3000"}},
};

static double diagonal_mean(const mrn_problem *p)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t k = mrn_bsr_find(&p->W, i, i);
        if (k >= 0)
            sum += p->W.value[9 * k] + p->W.value[9 * k + 4] + p->W.value[9 * k + 8];
    }
    return sum / (3.0 * p->n);
}

static const char *why_not(const mrn_problem *p)
{
    if (p->kind != MRN_CONTACT_3D)
        return "not 3D";
    if (p->cohesion != NULL)
        return "cohesion";
    for (int i = 0; p->law != NULL && i < p->n; i++)
        if (p->law[i] != MRN_UNILATERAL)
            return "bilateral contacts";
    return p->n > 0 ? NULL : "no contacts";
}

/* W' = rho W, r' = r / rho: u and q stay as they are. */
static void scale(mrn_problem *p)
{
    double rho = 1 / diagonal_mean(p);
    for (int64_t k = 0; k < 9 * p->W.start[p->W.rows]; k++)
        p->W.value[k] *= rho;
    for (int64_t k = 0; p->minv != NULL && k < (int64_t)p->Ht.cols * p->Ht.bc * p->Ht.bc; k++)
        p->minv[k] *= rho;
}

static double limit_of(const choices *o, const subject *s)
{
    if (o->slow != NULL && strstr(s->name, o->slow) != NULL)
        return o->slow_limit;
    return o->limit > 0 ? o->limit : s->p.n < 900 ? 20 : 60;
}

static bool accept(subject *s, const choices *o)
{
    mrn_message msg = {0};
    const char *reason = why_not(&s->p);
    if (reason != NULL) {
        fprintf(stderr, "%s left out: %s\n", s->name, reason);
        mrn_problem_release(&s->p);
        return false;
    }
    if (mrn_problem_assemble(&s->p, &msg) != MRN_OK)
        give_up("no W for", s->name, &msg);
    scale(&s->p);
    s->limit = limit_of(o, s);
    return true;
}

static int read_files(const choices *o, subject *s)
{
    int n = 0;
    mrn_message msg = {0};
    for (int i = 0; i < o->files && n < SUBJECTS_MAX; i++) {
        const char *slash = strrchr(o->file[i], '/');
        memset(s + n, 0, sizeof *s);
        snprintf(s[n].name, sizeof s->name, "%s", slash != NULL ? slash + 1 : o->file[i]);
        s[n].name[strcspn(s[n].name, ".")] = '\0';
        if (mrn_fclib_read(o->file[i], &s[n].p, NULL, &msg) != MRN_OK)
            give_up("cannot read", o->file[i], &msg);
        n += accept(s + n, o);
    }
    return n;
}

static int generate(const choices *o, subject *s, int room)
{
    int n = 0;
    mrn_message msg = {0};
    mrn_value option[MRN_PARAM_MAX];
    for (size_t i = 0; i < sizeof to_generate / sizeof *to_generate && n < room; i++) {
        const mrn_problem_family *f = mrn_problem_family_find(to_generate[i].family);
        if (f == NULL)
            give_up("no family", to_generate[i].family, NULL);
        mrn_params_defaults(f->params, f->n_params, option);
        memset(s + n, 0, sizeof *s);
        s[n].generated = true;
        snprintf(s[n].name, sizeof s->name, "%s", to_generate[i].name);
        const char *const *word = to_generate[i].option;
        mrn_status st = MRN_OK;
        for (; word[0] != NULL && st == MRN_OK; word += 2)
            st = mrn_params_set(f->params, f->n_params, option, f->name, word[0], word[1], &msg);
        if (st != MRN_OK || f->make(option, 1, &s[n].p, &msg) != MRN_OK)
            give_up("cannot make", to_generate[i].name, &msg);
        n += accept(s + n, o);
    }
    return n;
}

static int by_size(const void *a, const void *b)
{
    const subject *x = a, *y = b;
    if (x->generated != y->generated)
        return x->generated - y->generated;
    return x->p.n != y->p.n ? x->p.n - y->p.n : strcmp(x->name, y->name);
}

/* ---- measuring ---- */

static int rounds_of(const cell *x)
{
    if (x->verdict != SOLVED || x->round[0] >= 5)
        return 1;
    return x->round[0] < 0.2 ? ROUNDS_MAX : 3;
}

/* How much smaller err_sic is than err_v near the answer. */
static double stricter(const comparison *c, int t, int s)
{
    const cell *ours = cell_of(c, t, s, c->theirs);
    bool known = ours->last.runs > 0 && ours->last.natural > 0;
    return c->same_residual && known ? ours->last.siconos / ours->last.natural : 1;
}

/* The largest tolerance, to a factor of two or so, at which a method of Siconos reaches the err_v
   asked for: its own criterion differs from err_v by a factor that hangs on problem and method, and
   some of its methods test a proxy and stop early. Begun where ours would stop by theirs; then in
   the proportion that was missing, a little more at each try. What stops twice as well as asked is
   tried once more with a looser one. */
enum { TRIES = 8 };

static verdict search(const comparison *c, int t, int s, int m, outcome *o)
{
    cell *x = cell_of(c, t, s, m);
    double wanted = c->tolerance[t], tolerance = wanted * stricter(c, t, s), spent = 0;
    outcome best = {0};
    verdict found = FAILED;
    for (x->searched = 0; x->searched < TRIES; x->searched++) {
        verdict v = solve_apart(c->subject + s, c->method + m, tolerance, o);
        spent += o->runs > 0 ? o->seconds[0] : 0;
        bool met = v == SOLVED && o->natural <= wanted;
        if (met &&
            (found != SOLVED || median(o->seconds, o->runs) < median(best.seconds, best.runs)))
            best = *o, found = SOLVED, x->tolerance = tolerance;
        if (v == TOO_LONG || (found == SOLVED && !met))
            return *o = best, found == SOLVED ? SOLVED : v;
        if (met && (o->natural > 0.5 * wanted || x->searched > 0 || !(o->natural > 0)))
            break;
        double missing = v == SOLVED && o->natural > 0 ? wanted / o->natural : 0.1;
        tolerance *= met ? fmin(0.8 * missing, 10) : fmax(1e-3, fmin(0.5, 0.7 * missing));
        if (!(tolerance > 1e-16) || spent > c->subject[s].limit)
            break;
    }
    *o = best;
    return found;
}

static void measure(const comparison *c, int t, int s, int m)
{
    cell *x = cell_of(c, t, s, m);
    const method *how = c->method + m;
    double wanted = c->tolerance[t], reached;
    if (how->left_out)
        return;
    /* what took too long stays too long when more is asked */
    if (t > 0 && c->tolerance[t] < c->tolerance[t - 1] &&
        cell_of(c, t - 1, s, m)->verdict == TOO_LONG) {
        x->verdict = TOO_LONG;
        return;
    }
    if (how->ours == NULL && c->same_residual && x->tolerance == 0)
        x->verdict = search(c, t, s, m, &x->last);
    else
        x->verdict =
            solve_apart(c->subject + s, how, x->tolerance > 0 ? x->tolerance : wanted, &x->last);
    if (x->verdict != SOLVED)
        return;
    bool by_natural = how->ours != NULL || c->same_residual;
    reached = by_natural ? x->last.natural : x->last.siconos;
    if (!(reached <= wanted * 1.001))
        x->verdict = x->last.seconds[0] >= c->subject[s].limit ? TOO_LONG : FAILED;
    x->round[x->rounds++] = median(x->last.seconds, x->last.runs);
}

static void finish(cell *x)
{
    double sorted[ROUNDS_MAX];
    memcpy(sorted, x->round, sizeof sorted);
    if (x->rounds > 0)
        x->seconds = median(sorted, x->rounds);
}

/* All methods in turn, again and again: what else the machine does meets all of them. */
static void compare(const comparison *c, int t, int s)
{
    fprintf(stderr, "%g %s:", c->tolerance[t], c->subject[s].name);
    for (int k = 0; k < ROUNDS_MAX; k++)
        for (int i = 0; i < c->methods; i++) {
            int m = (i + c->theirs) % c->methods; /* ours first: theirs may need its residual */
            cell *x = cell_of(c, t, s, m);
            if (k > 0 && k >= rounds_of(x))
                continue;
            measure(c, t, s, m);
            if (k == 0 && !c->method[m].left_out)
                fprintf(stderr, " %s %.3g", c->method[m].name,
                        x->verdict == SOLVED ? x->round[0] : NAN);
        }
    fprintf(stderr, "\n");
    for (int m = 0; m < c->methods; m++)
        finish(cell_of(c, t, s, m));
}

/* ---- what is compared ---- */

/* Whether `name` is one of the words between commas; NULL: all are. */
static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; p != NULL; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0'))
            return true;
    }
    return list == NULL;
}

/* Theirs, of which those not wanted leave their columns empty, then ours: the default first and
   plain Gauss-Seidel second. */
static int choose_methods(const choices *o, method *m)
{
    int n = n_siconos_methods;
    memcpy(m, siconos_methods, (size_t)n * sizeof *m);
    for (int i = 0; i < n; i++)
        m[i].left_out = !listed(o->theirs, m[i].name);
    const mrn_solver *first = mrn_solver_at(0), *nlgs = mrn_solver_find("nlgs");
    m[n++] = (method){.name = first->name, .ours = first};
    if (nlgs != NULL && nlgs != first && listed(o->ours, "nlgs"))
        m[n++] = (method){.name = nlgs->name, .ours = nlgs};
    for (int i = 1; i < mrn_solver_count() && n < METHODS_MAX; i++) {
        const mrn_solver *s = mrn_solver_at(i);
        if (s != nlgs && !s->wants_bodies && listed(o->ours, s->name))
            m[n++] = (method){.name = s->name, .ours = s};
    }
    return n;
}

static void folder_files(const char *folder, choices *o)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    while (d != NULL && (e = readdir(d)) != NULL && o->files < SUBJECTS_MAX) {
        size_t n = strlen(e->d_name), size = n + strlen(folder) + 2;
        if (n < 5 || strcmp(e->d_name + n - 5, ".hdf5") != 0)
            continue;
        char *path = malloc(size);
        if (path == NULL)
            give_up("out of memory", "", NULL);
        snprintf(path, size, "%s/%s", folder, e->d_name);
        o->file[o->files++] = path;
    }
    if (d != NULL)
        closedir(d);
}

static choices read_arguments(int argc, char **argv)
{
    choices o = {.generated = NULL};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        const char **text = strcmp(a, "--markdown") == 0    ? &o.markdown
                            : strcmp(a, "--ours") == 0      ? &o.ours
                            : strcmp(a, "--theirs") == 0    ? &o.theirs
                            : strcmp(a, "--generated") == 0 ? &o.generated
                                                            : NULL;
        if (text != NULL)
            *text = value, i++;
        else if (strcmp(a, "--limit") == 0)
            o.limit = atof(value), i++;
        else if (strcmp(a, "--limit-of") == 0 && i + 2 < argc)
            o.slow = value, o.slow_limit = atof(argv[i + 2]), i += 2;
        else if (strcmp(a, "--tolerance") == 0 && o.tolerances < TOLERANCES_MAX)
            o.tolerance[o.tolerances++] = atof(value), i++;
        else if (strcmp(a, "--same-residual") == 0)
            o.same_residual = true;
        else if (a[0] == '-')
            give_up("unknown option", a, NULL);
        else if (o.files < SUBJECTS_MAX)
            o.file[o.files++] = a;
    }
    return o;
}

/* The linear algebra of Siconos reads its number of threads when it is loaded: set it and begin
   again. */
static void one_thread(char **argv)
{
    if (getenv("OPENBLAS_NUM_THREADS") == NULL) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    mrn_threads_set(1);
}

static void write_report(const comparison *c, const char *markdown)
{
    report(c, stdout);
    if (markdown == NULL)
        return;
    FILE *f = fopen(markdown, "w");
    if (f == NULL)
        give_up("cannot write", markdown, NULL);
    report(c, f);
    fclose(f);
}

int main(int argc, char **argv)
{
    one_thread(argv);
    static subject subjects[SUBJECTS_MAX];
    method methods[METHODS_MAX];
    choices o = read_arguments(argc, argv);
    bool everything = o.files == 0;
    if (everything)
        folder_files(MRN_BENCH_SOURCE "/../shared/data/fclib", &o);
    if (o.tolerances == 0)
        o.tolerance[0] = 1e-4, o.tolerance[1] = 1e-8, o.tolerances = 2;
    int n = read_files(&o, subjects);
    if (o.generated != NULL ? strcmp(o.generated, "yes") == 0 : everything)
        n += generate(&o, subjects + n, SUBJECTS_MAX - n);
    qsort(subjects, (size_t)n, sizeof *subjects, by_size);
    comparison c = {.method = methods,
                    .methods = choose_methods(&o, methods),
                    .theirs = n_siconos_methods,
                    .subject = subjects,
                    .subjects = n,
                    .tolerance = o.tolerance,
                    .tolerances = o.tolerances,
                    .same_residual = o.same_residual};
    c.cell = calloc((size_t)c.tolerances * (size_t)n * (size_t)c.methods + 1, sizeof *c.cell);
    if (c.cell == NULL)
        give_up("out of memory", "", NULL);
    for (int t = 0; t < c.tolerances; t++)
        for (int s = 0; s < n; s++)
            compare(&c, t, s);
    write_report(&c, o.markdown);
    for (int s = 0; s < n; s++)
        mrn_problem_release(&subjects[s].p);
    free(c.cell);
    return 0;
}
