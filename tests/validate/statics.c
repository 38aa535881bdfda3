/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packings without inertia: closed forms, derivatives, the rigid limit, packings with friction, and
   elastic moduli by matrix and by experiment. One piece alone by a second argument: forms,
   derivatives, rigid, friction, moduli; loose, plane and dense only make the packings of the last
   two. A third argument makes packings of so many grains, for a quick look. */
#include "validate/statics.h"

/* Net forces, moments and the error of the stress, over the mean force and the pressure: what is
   called an equilibrium in this room is 1e-4. */
#define BALANCED 9e-5

/* ---- closed forms ---- */

static draft *draft_new(int dimension, bool smooth)
{
    draft *d = calloc(1, sizeof *d);
    d->dimension = dimension;
    d->smooth = smooth;
    return d;
}

static draft *triangular(int m, bool smooth)
{
    draft *d = draft_new(2, smooth);
    d->cell[0] = m, d->cell[1] = m * sqrt(0.75);
    for (int i = 0; i < m * m; i++)
        put(d, i % m + 0.5 * (i / m % 2), sqrt(0.75) * (i / m), 0, 0.5);
    touch_all(d);
    return d;
}

static draft *square(int m, bool smooth)
{
    draft *d = draft_new(2, smooth);
    d->cell[0] = d->cell[1] = m;
    for (int i = 0; i < m * m; i++)
        put(d, i % m, i / m, 0, 0.5);
    touch_all(d);
    return d;
}

static draft *face_centred(int m, bool smooth)
{
    static const double base[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    draft *d = draft_new(3, smooth);
    double a = sqrt(2.0);
    d->cell[0] = d->cell[1] = d->cell[2] = m * a;
    for (int k = 0; k < 4 * m * m * m; k++) {
        int c = k / 4;
        const double *b = base[k % 4];
        put(d, a * (c % m + b[0]), a * (c / m % m + b[1]), a * (c / m / m + b[2]), 0.5);
    }
    touch_all(d);
    return d;
}

static draft *triangle(bool smooth)
{
    draft *d = draft_new(2, smooth);
    put(d, 0, 0, 0, 0.5);
    put(d, 1, 0, 0, 0.5);
    put(d, 0.5, sqrt(0.75), 0, 0.5);
    touch_all(d);
    return d;
}

/* m disks in a row between two walls. */
static draft *chain(int m, bool smooth)
{
    draft *d = draft_new(2, smooth);
    for (int i = 0; i < m; i++)
        put(d, i, 0, 0, 0.5);
    touch_all(d);
    touch(d, 0, -1, mrn_v3(1, 0, 0));
    touch(d, m - 1, -1, mrn_v3(-1, 0, 0));
    return d;
}

/* A sphere that two walls touch, at the given angle between the contacts. */
static draft *wedged(double angle)
{
    draft *d = draft_new(3, false);
    put(d, 0, 0, 0, 0.5);
    touch(d, 0, -1, mrn_v3(1, 0, 0));
    touch(d, 0, -1, mrn_v3(cos(angle), sin(angle), 0));
    return d;
}

typedef struct forms {
    report *r;
    double worst; /* of the moduli, relative to kn */
    int wrong;    /* counts that are not what they must be */
} forms;

static void form_row(forms *f, const char *what, double exact, double ours, double scale)
{
    double off = fabs(ours - exact) / scale;
    f->worst = fmax(f->worst, off);
    say(f->r, "| %s | %.10g | %.10g | %.1e |\n", what, exact, ours, off);
}

static void moduli_rows(forms *f, int dimension, draft *d, double kt)
{
    char what[96];
    const char *name = dimension == 2 ? "triangular lattice" : "face-centred cubic lattice";
    d->strains = true;
    mrn_net net = draft_net(d);
    mrn_moduli m = moduli_of(&net, false);
    /* C of both lattices from the sums over the bonds of a grain: see tests/quasistatic */
    double c = dimension == 2 ? sqrt(3.0) / 4 : sqrt(2.0);
    double lambda = dimension == 2 ? c * (KN - kt) : c * (KN - kt) / 2;
    double first = dimension == 2 ? c * (3 * KN + kt) : c * (KN + kt);
    double shear = dimension == 2 ? c * (KN + kt) : c * (KN + kt) / 2;
    const double exact[4] = {first, lambda, shear, (first + (dimension - 1) * lambda) / dimension};
    const double ours[4] = {m.c[MRN_XX][MRN_XX], m.c[MRN_XX][MRN_YY], m.c[MRN_XY][MRN_XY], m.bulk};
    static const char *const entry[4] = {"C_xxxx", "C_xxyy", "C_xyxy", "bulk modulus"};
    for (int i = 0; i < 4; i++) {
        snprintf(what, sizeof what, "%s, k_t = %g k_n: %s", name, kt / KN, entry[i]);
        form_row(f, what, exact[i], ours[i], KN);
    }
    mrn_net_release(&net);
    free(d);
}

static void count_row(forms *f, const char *what, draft *d, bool strains, int64_t k, int64_t h)
{
    d->strains = strains;
    mrn_net net = draft_net(d);
    mrn_rigidity g = rigidity_of(&net);
    f->wrong += g.hypostatic != k || g.hyperstatic != h;
    say(f->r, "| %s | k = %lld, h = %lld | k = %lld, h = %lld | %s |\n", what, (long long)k,
        (long long)h, (long long)g.hypostatic, (long long)g.hyperstatic,
        g.hypostatic == k && g.hyperstatic == h ? "0" : "**no**");
    mrn_rigidity_release(&g);
    mrn_net_release(&net);
}

static void counts(forms *f)
{
    enum { M = 8, LINKS = 10 };
    draft *d = triangular(M, true);
    count_row(f, "64 disks, triangular, smooth, cell held", d, false, 2, M * M + 2);
    count_row(f, "the same, strains of the cell free", d, true, 2, M * M - 1);
    free(d);
    d = square(M, true); /* every row and every column slides by itself */
    count_row(f, "64 disks, square, smooth, cell held", d, false, 2 * M, 2 * M);
    count_row(f, "the same, strains free (shear is not held)", d, true, 2 * M + 1, 2 * M - 2);
    free(d);
    d = square(M, false); /* neighbours may turn against each other, all at once */
    count_row(f, "64 disks, square, with friction, cell held", d, false, 3, M * M + 3);
    free(d);
    d = face_centred(3, true);
    count_row(f, "108 spheres, face-centred cubic, smooth, cell held", d, false, 3, 3 * 108 + 3);
    free(d);
    d = triangle(true);
    count_row(f, "triangle of disks, smooth", d, false, 3, 0);
    free(d);
    d = triangle(false);
    count_row(f, "triangle of disks, with friction", d, false, 3, 0);
    free(d);
    d = chain(LINKS, true);
    count_row(f, "chain of 10 disks between walls, smooth", d, false, LINKS, 1);
    free(d);
    d = chain(LINKS, false);
    count_row(f, "chain of 10 disks between walls, with friction", d, false, LINKS - 1, 1);
    free(d);
    d = wedged(2);
    count_row(f, "sphere between two contacts, with friction", d, false, 1, 1);
    free(d);
}

/* Grains anywhere, contacts between any two of them and with the ground. */
static draft *random_draft(mrn_rng *rng, int kind)
{
    double pick[3];
    for (int k = 0; k < 3; k++)
        pick[k] = mrn_rng_uniform(rng);
    int dimension = kind % 2 == 0 ? 2 : 3, n = 5 + (int)((dimension == 2 ? 35 : 15) * pick[0]);
    draft *d = draft_new(dimension, kind / 2 % 2 == 0);
    if (pick[1] < 0.5)
        d->cell[0] = d->cell[1] = d->cell[2] = 10;
    d->strains = kind / 4 % 2 == 0;
    for (int i = 0; i < n; i++) {
        double at[4];
        for (int k = 0; k < 4; k++)
            at[k] = mrn_rng_uniform(rng);
        put(d, 10 * at[0], 10 * at[1], dimension == 2 ? 0 : 10 * at[2], 0.5 + at[3]);
    }
    for (int k = 0; k < (int)(n * (0.5 + 2.5 * pick[2])); k++) {
        double at[5];
        for (int l = 0; l < 5; l++)
            at[l] = mrn_rng_uniform(rng);
        int32_t c = (int32_t)(at[0] * n), a = (int32_t)(at[1] * n);
        mrn_vec3 out = mrn_v3(at[3] - 0.5, at[4] - 0.5, dimension == 2 ? 0 : at[1] - 0.5);
        if (at[2] < 0.1)
            touch(d, c, -1, mrn_unit(out));
        else if (c != a)
            touch(d, c, a, mrn_unit(way(d, c, a)));
    }
    return d;
}

enum { NETWORKS = 200 };
/* k and h by sparse QR against the ranks of G and of its transpose by elimination: whether N_l + h
   = rows + k holds with k from the one and h from the other, neither of them the room's. */
static void random_networks(forms *f)
{
    mrn_rng rng = mrn_rng_seed(41, 0);
    int exact = 0, hyper = 0, hypo = 0;
    for (int i = 0; i < NETWORKS; i++) {
        draft *d = random_draft(&rng, i);
        mrn_net net = draft_net(d);
        mrn_rigidity g = rigidity_of(&net);
        int64_t k = net.n_unknowns - rank_by_hand(&net, false);
        int64_t h = net.n_rows - rank_by_hand(&net, true);
        exact += g.hypostatic == k && g.hyperstatic == h && net.n_unknowns + h == net.n_rows + k &&
                 net.n_unknowns == g.unknowns;
        hyper += h > 0, hypo += k > g.trivial;
        mrn_rigidity_release(&g);
        mrn_net_release(&net);
        free(d);
    }
    check(f->r, "random networks whose k and h are exact", exact, NETWORKS, NETWORKS);
    say(f->r,
        "\n%d random networks of 5 to 40 grains, disks and spheres, with and without friction, in "
        "cells and without: degrees of freedom and rows counted, mechanisms k by sparse QR and by "
        "elimination of G, self-stresses h by sparse QR and by elimination of Gᵀ: N_l + h = rows + "
        "k in %d of %d (%d of them with self-stress, %d with mechanisms of their own).\n\n",
        NETWORKS, exact, NETWORKS, hyper, hypo);
}

static void closed_forms(report *r)
{
    forms f = {.r = r};
    say(r, "### Closed forms\n\nLattices of grains of diameter 1 with k_n = 1000; moduli in k_n "
           "(disks) and k_n/d (spheres), “off” relative to k_n. k counts mechanisms, h "
           "self-stresses.\n\n"
           "| quantity | closed form | ours | off |\n|---|--:|--:|--:|\n");
    const double kts[2] = {0, KT};
    for (int i = 0; i < 2; i++)
        moduli_rows(&f, 2, triangular(8, i == 0), kts[i]);
    moduli_rows(&f, 3, face_centred(3, false), KT);
    counts(&f);
    /* the solver's own tolerance is 1e-10 */
    check(r, "closed forms: moduli of lattices, worst off", f.worst, 0, 1e-10);
    check(r, "closed forms: counts that are wrong", f.wrong, 0, 0);
    random_networks(&f);
}

/* ---- derivatives ---- */

static const int strain_row[6] = {0, 1, 2, 0, 0, 1}, strain_column[6] = {0, 1, 2, 1, 2, 2};

/* Branch from A to C after a displacement by s u, strains of the cell included, and the same for
   the points of both grains that were at the contact point, carried by finite rotations. */
static mrn_vec3 carried(const mrn_net *net, const hand_contact *o, const double *u, double s,
                        mrn_vec3 *apart)
{
    const double at[3] = {o->branch.x, o->branch.y, o->branch.z};
    double b[3] = {at[0], at[1], at[2]};
    bool flat = net->dimension == 2;
    for (int g = 0; g < net->n_globals; g++) {
        int k = net->global[g].component;
        double e = u[(int64_t)net->n * net->dofs + g] / net->global[g].scale;
        b[strain_row[k]] += s * e * at[strain_column[k]];
    }
    *apart = mrn_v3(0, 0, 0);
    for (int end = 0; end < 2; end++) {
        const double *v = u + (int64_t)(end ? o->a : o->c) * net->dofs;
        for (int k = 0; k < net->dimension; k++)
            b[k] += (end ? -s : s) * v[k];
        mrn_vec3 w = flat ? mrn_v3(0, 0, v[2]) : mrn_load3(v + 3);
        mrn_quat q = mrn_quat_from_rotation(mrn_scale(s / net->length, w));
        *apart = mrn_axpy(end ? -1 : 1, mrn_rotate(q, end ? o->ra : o->rc), *apart);
    }
    *apart = mrn_add(*apart, mrn_load3(b));
    return mrn_load3(b);
}

/* Largest error of G u: of its normal rows against differences of gaps, of its tangential ones
   against those of the points that touch. Second-order differences with a step of 1e-5: 1e-10
   times third derivatives, and rounding 1e-11. */
static double error_of_g(int dimension)
{
    mrn_rng rng = mrn_rng_seed(7, (uint64_t)dimension);
    draft *d = draft_new(dimension, false);
    const double s = 1e-5;
    d->strains = true;
    d->cell[0] = 7, d->cell[1] = 8, d->cell[2] = dimension == 2 ? 0 : 9;
    for (int i = 0; i < (dimension == 2 ? 40 : 200); i++) {
        double at[4];
        for (int k = 0; k < 4; k++)
            at[k] = mrn_rng_uniform(&rng);
        put(d, 7 * at[0], 8 * at[1], dimension == 2 ? 0 : 9 * at[2], 0.4 + 0.5 * at[3]);
    }
    touch_all(d);
    mrn_net net = draft_net(d);
    double *u = calloc((size_t)net.n_unknowns, sizeof *u), worst = 0;
    double *rel = calloc((size_t)net.n_rows, sizeof *rel);
    for (int64_t i = 0; i < net.n_unknowns; i++)
        u[i] = mrn_rng_normal(&rng);
    mrn_net_relative(&net, u, rel);
    for (int64_t k = 0; k < net.n_contacts; k++) {
        const hand_contact o_of = hand_of(&net, k), *o = &o_of;
        mrn_vec3 up, down, slope;
        double gap =
            mrn_norm(carried(&net, o, u, s, &up)) - mrn_norm(carried(&net, o, u, -s, &down));
        slope = mrn_scale(1 / (2 * s), mrn_sub(up, down));
        worst = fmax(worst, fabs(gap / (2 * s) - rel[o->row]));
        worst = fmax(worst, fabs(mrn_dot(slope, o->t) - rel[o->row + 1]));
        if (dimension == 3)
            worst = fmax(worst, fabs(mrn_dot(slope, o->w) - rel[o->row + 2]));
    }
    printf("    G, %dD: %lld contacts\n", dimension, (long long)net.n_contacts);
    free(u), free(rel);
    mrn_net_release(&net);
    free(d);
    return worst;
}

/* Forces on the nodes after all grains have moved by s u, as the smooth engine finds them. */
static void forces_moved(lab *l, const mrn_net *net, const double *u, double s, double *f)
{
    mrn_state t = {0};
    mrn_smooth *e = NULL;
    if (mrn_state_copy(&l->job.s, &t, &l->msg) != MRN_OK)
        give_up("copy", &l->msg);
    memset(t.body.v, 0, 3 * (size_t)t.body.n * sizeof *t.body.v);
    for (int32_t i = 0; i < net->n; i++)
        for (int k = 0; k < net->dimension; k++)
            t.body.x[3 * (size_t)net->body[i] + (size_t)k] += s * u[(int64_t)i * net->dofs + k];
    memset(t.cell_rate, 0, sizeof t.cell_rate);
    if (mrn_smooth_create(l->scene, &t, &e, &l->msg) != MRN_OK ||
        mrn_smooth_refresh(e, &l->msg) != MRN_OK)
        give_up("forces", &l->msg);
    for (int32_t i = 0; i < net->n; i++) {
        /* bodies may have been sorted in memory since */
        size_t at = 3 * (size_t)t.body.index_of[l->job.s.body.id[net->body[i]]];
        for (int k = 0; k < net->dimension; k++)
            f[(int64_t)i * net->dofs + k] = t.body.f[at + (size_t)k];
    }
    mrn_smooth_destroy(&e);
    mrn_state_destroy(&t);
}

/* Stops all grains and asks for the forces again: those of the last step had dashpots in them, and
   a contact that parts fast enough has no force, and no stiffness in the network. */
static void stop_grains(lab *l)
{
    mrn_state *s = &l->job.s;
    mrn_smooth *e = NULL;
    memset(s->body.v, 0, 3 * (size_t)s->body.n * sizeof *s->body.v);
    memset(s->body.w, 0, 3 * (size_t)s->body.n * sizeof *s->body.w);
    memset(s->cell_rate, 0, sizeof s->cell_rate);
    if (mrn_smooth_create(l->scene, s, &e, &l->msg) != MRN_OK ||
        mrn_smooth_refresh(e, &l->msg) != MRN_OK)
        give_up("forces", &l->msg);
    mrn_smooth_destroy(&e);
}

/* Error of K u with the geometric part, and without it, in a packing that comes to rest. A step of
   3e-10 m is a thirty-thousandth of the overlaps, so that no contact opens; positions of 0.4 m are
   rounded by 6e-17 m, a difference of their differences by some 1e-7 of the step. */
static void error_of_k(const char *scene, double *whole, double *first)
{
    const double s = 3e-10;
    lab *l = malloc(sizeof *l);
    mrn_net net;
    mrn_net_options opt = mrn_net_default();
    mrn_rng rng = mrn_rng_seed(3, 0);
    lab_open(l, scene, 0);
    lab_rest(l, "press3", 1e-2);
    stop_grains(l);
    opt.cell = false;
    opt.keep_rattlers = opt.frictionless = true;
    if (mrn_net_of(l->scene, &l->job.s, NULL, &opt, &net, &l->msg) != MRN_OK)
        give_up("network", &l->msg);
    size_t n = (size_t)net.n_unknowns;
    double *u = calloc(5 * n, sizeof *u), *f = u + n, *g = f + n, *all = g + n, *one = all + n;
    for (size_t i = 0; i < n; i++)
        u[i] = mrn_rng_normal(&rng);
    forces_moved(l, &net, u, s, f);
    forces_moved(l, &net, u, -s, g);
    mrn_net_stiffness(&net, &(mrn_stiffness_options){.geometric = true}, u, all);
    mrn_net_stiffness(&net, &(mrn_stiffness_options){0}, u, one);
    double size = 0;
    *whole = *first = 0;
    for (size_t i = 0; i < n; i++) {
        double k = -(f[i] - g[i]) / (2 * s);
        size = fmax(size, fabs(k));
        *whole = fmax(*whole, fabs(all[i] - k));
        *first = fmax(*first, fabs(one[i] - k));
    }
    *whole /= size, *first /= size;
    free(u);
    mrn_net_release(&net);
    lab_close(l);
    free(l);
}

static void derivatives(report *r)
{
    double g[2] = {error_of_g(2), error_of_g(3)}, whole[2], first[2];
    error_of_k("statics-disks", &whole[0], &first[0]);
    error_of_k("statics-spheres", &whole[1], &first[1]);
    /* see error_of_g; displacements are of order 1, third derivatives of gaps up to some hundred
       where two centres are near each other */
    check(r, "derivatives: G against finite differences, disks", g[0], 0, 1e-7);
    check(r, "derivatives: G against finite differences, spheres", g[1], 0, 1e-7);
    check(r, "derivatives: K against the forces of the engine, disks", whole[0], 0, 1e-6);
    check(r, "derivatives: K against the forces of the engine, spheres", whole[1], 0, 1e-6);
    say(r,
        "### Derivatives\n\nLargest error of G u for random u, against central differences of gaps "
        "and of the displacements of the points in contact carried by finite rotations, in cells "
        "that strain (u of order 1). K u against the change of the forces that method `smooth` "
        "finds when a thousand smooth grains in a packing that is being pressed are displaced by "
        "3·10⁻¹⁰ u m; relative to the largest component; without its geometric part, for "
        "comparison.\n\n"
        "| | disks | spheres | asked |\n|---|--:|--:|--:|\n"
        "| G | %.1e | %.1e | 10⁻⁷ |\n| K, with its geometric part | %.1e | %.1e | 10⁻⁶ |\n"
        "| K⁽¹⁾ alone | %.1e | %.1e | |\n\n"
        "The same with friction, rolling and twisting moments, clusters, corners, walls and "
        "strains "
        "of the cell is asserted to 10⁻⁶ in `make test` (`quasistatic/net`, "
        "`quasistatic/stiffness`).\n\n",
        g[0], g[1], whole[0], whole[1], first[0], first[1]);
}

/* ---- towards rigid grains ---- */

enum { STEPS_RIGID = 3 };
typedef struct rigid_row {
    double ratio; /* k_n / P, k_n / (P d) */
    double z, rattlers, phi, off;
    int64_t n, contacts, k, trivial, h[3]; /* of the three ways to hold the cell */
} rigid_row;

static rigid_row rigid_look(lab *l, double ratio)
{
    rigid_row o = {.ratio = ratio, .phi = lab_probe(l, "solid-fraction")};
    for (int c = CELL_HELD; c <= CELL_ALL; c++) {
        mrn_net net = lab_net(l, c, true);
        mrn_rigidity g = rigidity_of(&net);
        o.h[c] = g.hyperstatic;
        if (c == CELL_HELD)
            o.k = g.hypostatic, o.trivial = g.trivial;
        o.n = net.n, o.contacts = net.n_contacts;
        o.z = 2.0 * (double)net.n_contacts / net.n;
        o.rattlers = (double)net.rattlers / (double)(net.n + net.rattlers);
        mrn_rigidity_release(&g);
        mrn_net_release(&net);
    }
    mrn_equilibrium q = lab_equilibrium(l);
    o.off = fmax(fmax(q.force, q.moment), q.global);
    printf("    n %lld, contacts %lld, z %.4f, k %lld, h %lld %lld %lld\n", (long long)o.n,
           (long long)o.contacts, o.z, (long long)o.k, (long long)o.h[0], (long long)o.h[1],
           (long long)o.h[2]);
    return o;
}

static void rigid_scene(const char *scene, int64_t grains, rigid_row row[STEPS_RIGID])
{
    static const char *const stage[STEPS_RIGID] = {"press3", "press4", "press5"};
    lab *l = malloc(sizeof *l);
    lab_open(l, scene, grains);
    for (int i = 0; i < STEPS_RIGID; i++) {
        lab_rest(l, stage[i], BALANCED);
        row[i] = rigid_look(l, 1e3 * pow(10, i));
    }
    lab_close(l);
    free(l);
}

static void rigid_table(report *r, const char *grains, int dimension, const rigid_row *row)
{
    say(r,
        "| %s, k_n/%s | Φ | rattlers | N\\* | N_c | z\\* | k | h, cell held | h, axes free | h, "
        "all "
        "strains free | off balance |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        grains, dimension == 2 ? "P" : "(P d)");
    for (int i = 0; i < STEPS_RIGID; i++) {
        const rigid_row *o = &row[i];
        say(r,
            "| 10^%d | %.4f | %.1f %% | %lld | %lld | %.4f | %lld | %lld | %lld | %lld | %.1e |\n",
            3 + i, o->phi, 100 * o->rattlers, (long long)o->n, (long long)o->contacts, o->z,
            (long long)o->k, (long long)o->h[CELL_HELD], (long long)o->h[CELL_AXES],
            (long long)o->h[CELL_ALL], o->off);
    }
    say(r, "\n");
}

static void rigid_checks(report *r, const char *grains, int dimension, const rigid_row *row)
{
    char what[96];
    const rigid_row *last = &row[STEPS_RIGID - 1];
    /* contacts in excess fall as the root of the overlap (O'Hern et al. 2003: z - z_c = 3.6 (2D)
       and 7.7 (3D) times the root of phi - phi_c). At 1e5 overlaps of 1e-5 lift phi by 2e-5 (2D)
       and 4e-5 (3D): 0.016 and 0.05 at most */
    snprintf(what, sizeof what, "rigid limit, %s: z* at 1e5, over 2 D", grains);
    check(r, what, last->z / (2 * dimension), 1, dimension == 2 ? 1.005 : 1.01);
    for (int i = 0; i < STEPS_RIGID; i++) {
        snprintf(what, sizeof what, "rigid limit, %s: mechanisms beside those of the whole",
                 grains);
        check(r, what, (double)(row[i].k - row[i].trivial), 0, 0);
        snprintf(what, sizeof what, "rigid limit, %s: off balance by", grains);
        check(r, what, row[i].off, 0, 1e-4);
    }
    /* z* as above, halved and per contact; the strains that are free besides */
    snprintf(what, sizeof what, "rigid limit, %s: h / N_c at 1e5, axes free", grains);
    check(r, what, (double)last->h[CELL_AXES] / (double)last->contacts, 0,
          dimension == 2 ? 0.005 : 0.01);
    snprintf(what, sizeof what, "rigid limit, %s: h falls with each step", grains);
    check(r, what, row[0].h[1] > row[1].h[1] && row[1].h[1] > row[2].h[1], 1, 1);
}

static void rigid_plot(report *r, rigid_row row[2][STEPS_RIGID])
{
    double x[STEPS_RIGID], y[2][STEPS_RIGID];
    for (int i = 0; i < STEPS_RIGID; i++) {
        x[i] = row[0][i].ratio;
        for (int d = 0; d < 2; d++)
            y[d][i] = fmax((double)row[d][i].h[CELL_AXES] / (double)row[d][i].contacts, 1e-4);
    }
    mrn_series s[] = {{"disks", MRN_SERIES_BOTH, 0, STEPS_RIGID, x, y[0], NULL},
                      {"spheres", MRN_SERIES_BOTH, 1, STEPS_RIGID, x, y[1], NULL}};
    mrn_plot p = mrn_plot_default();
    p.title = "Packings without friction become isostatic";
    p.x_label = "stiffness: k_n / P, k_n / (P d)";
    p.y_label = "self-stresses per contact, h / N_c";
    p.x_log = p.y_log = true, p.series = s, p.n = 2;
    show(r, &p, "statics-rigid", "Degree of hyperstaticity per contact against stiffness");
}

static void rigid_limit(report *r, int64_t grains)
{
    rigid_row row[2][STEPS_RIGID];
    rigid_scene("statics-disks", grains, row[0]);
    rigid_scene("statics-spheres", grains, row[1]);
    say(r,
        "### The limit of rigid grains\n\n"
        "A thousand disks (diameters 7 to 13 mm) and a thousand spheres (9 to 11 mm) without "
        "friction "
        "and with linear springs, pressed from all sides in a periodic cell, then released step by "
        "step: at each pressure they come to rest under the servo until every net force, and the "
        "stress, is balanced to 10⁻⁴ of the mean (last column: the worst). N\\* grains bear "
        "forces, in N_c "
        "contacts; z\\* = 2 N_c/N\\*.\n\n"
        "What isostatic means depends on the strains that count as unknowns. With the cell held "
        "N_l "
        "= D N\\*, and a packing under stress has self-stresses: one at least. The servo holds the "
        "D "
        "stresses along the axes, so the D strains that go with them are unknowns: N_l = D N\\* + "
        "D, "
        "and N_l + h = N_c + k with k = D (translations) makes h = N_c − D N\\*: that is the "
        "column "
        "“axes free”, which goes to 0. The shears of the cell are told to be 0 and have "
        "stresses of reaction; as unknowns too they take up to D (D − 1)/2 self-stresses more. No "
        "packing has a mechanism but for the translations.\n\n");
    rigid_table(r, "disks", 2, row[0]);
    rigid_table(r, "spheres", 3, row[1]);
    rigid_plot(r, row);
    rigid_checks(r, "disks", 2, row[0]);
    rigid_checks(r, "spheres", 3, row[1]);
}

/* ---- packings with friction ---- */

typedef struct state_row {
    const char *name;
    double pressure;
    double phi, z, rattlers, divalent; /* shares; the last of the backbone                     */
    double spread;                     /* <N^2> / <N>^2                                        */
    double sliding, mobilised;         /* share at the limit; mean T / N                       */
    int64_t k, trivial, two, h;        /* cell held; two: spheres that turn between two contacts */
    double off;                        /* balance                                              */
    mrn_moduli m;
} state_row;

static void contact_facts(const mrn_net *net, state_row *o)
{
    double sum = 0, squares = 0;
    int *count = calloc((size_t)net->n, sizeof *count), two = 0;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const hand_contact c_of = hand_of(net, k), *c = &c_of;
        sum += c->force[0], squares += c->force[0] * c->force[0];
        o->mobilised += hypot(c->force[1], c->force[2]) / c->force[0];
        if (c->c >= 0)
            count[c->c]++;
        if (c->a >= 0)
            count[c->a]++;
    }
    for (int32_t i = 0; i < net->n; i++)
        two += count[i] == 2;
    double n = (double)net->n_contacts;
    o->z = 2 * n / net->n;
    o->spread = squares * n / (sum * sum);
    o->mobilised /= n;
    o->divalent = (double)two / net->n;
    o->rattlers = (double)net->rattlers / (double)(net->n + net->rattlers);
    free(count);
}

static state_row state_look(lab *l, const char *name, double pressure, bool smooth)
{
    state_row o = {.name = name, .pressure = pressure, .phi = lab_probe(l, "solid-fraction")};
    mrn_net net = lab_net(l, CELL_HELD, smooth);
    mrn_rigidity g = rigidity_of(&net);
    o.k = g.hypostatic, o.trivial = g.trivial, o.two = g.divalent, o.h = g.hyperstatic;
    contact_facts(&net, &o);
    mrn_rigidity_release(&g);
    mrn_net_release(&net);
    mrn_equilibrium q = lab_equilibrium(l);
    o.off = fmax(fmax(q.force, q.moment), q.global);
    net = lab_net(l, CELL_ALL, smooth);
    o.sliding = (double)q.sliding / (double)net.n_contacts;
    if (!smooth)
        o.m = moduli_of(&net, false);
    mrn_net_release(&net);
    printf("    %s, %g: phi %.4f, z %.4f, x0 %.3f, x2 %.4f, sliding %.4f, k %lld (%lld), h %lld, B "
           "%.4g, G %.4g\n",
           name, pressure, o.phi, o.z, o.rattlers, o.divalent, o.sliding, (long long)o.k,
           (long long)o.two, (long long)o.h, o.m.bulk, o.m.shear);
    fflush(stdout);
    return o;
}

/* ---- moduli by experiment ---- */

/* Bulk modulus and shear modulus (xy), Pa. */
typedef struct pair {
    double bulk, shear;
} pair;

/* The stress after a strain along `way`, at rest again. The strain is brought on in RAMP steps. */
enum { RAMP = 1000, PATCH = 1000, PATCHES = 60 };
static void strained(const lab *l, mrn_scene *scene, const double way[6], double strain,
                     double stress[6])
{
    static char probe[6][128] = {"stress.xx", "stress.yy", "stress.zz",
                                 "stress.xy", "stress.xz", "stress.yz"};
    static const int at[2][6] = {{0, 1, 3, 3, 3, 3}, {0, 1, 2, 3, 4, 5}};
    mrn_state t = {0};
    mrn_engine e = {0};
    mrn_message msg = {0};
    double before[6] = {0};
    if (mrn_state_copy(&l->job.s, &t, &msg) != MRN_OK ||
        mrn_engine_create(scene, &t, NULL, &e, &msg) != MRN_OK)
        give_up("strain", &msg);
    char name[6][128];
    int n = scene->dimension == 2 ? 3 : 6;
    for (int k = 0; k < n; k++)
        memcpy(name[k], probe[at[n == 6][k]], sizeof name[k]);
    for (int part = 0; part < PATCHES; part++) {
        /* a cell whose rates are all 0 is left alone, its last rate in force: so next to 0 */
        for (int k = 0; part < 2 && k < MRN_STRAINS; k++)
            scene->cell.control.target[k].constant =
                part == 0 && strain * way[k] != 0 ? way[k] * strain / (RAMP * t.h) : 1e-300;
        mrn_status st = part < 2 ? mrn_engine_refresh(&e, &msg) : MRN_OK;
        if (st == MRN_OK)
            st = mrn_engine_step(&e, part == 0 ? RAMP : PATCH, &msg);
        if (st != MRN_OK || mrn_probe_values(scene, &t, n, name, stress, &msg) != MRN_OK)
            give_up("strain", &msg);
        double change = 0, size = 0;
        for (int k = 0; k < n; k++) {
            change = fmax(change, fabs(stress[k] - before[k]));
            size = fmax(size, fabs(stress[k]));
        }
        memcpy(before, stress, sizeof before);
        /* strains of 1e-7 change the stress by 3e-4 (disks) and 7e-4 of itself */
        if (part > 2 && change < 1e-8 * size)
            break;
    }
    mrn_engine_destroy(&e);
    mrn_state_destroy(&t);
}

/* A scene of its own for the experiment: as it is in the stage named, the cell told its strain. */
static void probe_scene(const char *scene, const char *stage, mrn_scene *s)
{
    mrn_message msg = {0};
    bool found = false;
    scene_open(scene, 0, s);
    for (int k = 0; k < s->n_stages && !found; k++) {
        if (mrn_scene_enter_stage(s, k, &msg) != MRN_OK)
            give_up(scene, &msg);
        found = strcmp(s->stage[k].name, stage) == 0;
    }
    for (int k = 0; k < MRN_STRAINS; k++) {
        s->cell.control.kind[k] = MRN_CONTROL_RATE;
        mrn_signal_release(&s->cell.control.target[k]);
        s->cell.control.target[k] = mrn_signal_constant(0);
    }
}

/* Half the difference of the stresses of a strain and of its opposite, over it; `sign` +1 or -1:
   of one alone, against the packing unstrained. */
static pair experiment(const lab *l, const char *scene, const char *stage, double strain, int sign)
{
    mrn_scene s = {0};
    double up[6], down[6];
    pair out;
    probe_scene(scene, stage, &s);
    int axes = s.dimension, shear = axes == 2 ? 2 : 3;
    s.damping = s.stage[s.n_stages - 1].damping;
    const double swell[6] = {1. / axes, 1. / axes, axes == 3 ? 1. / axes : 0},
                 slide[6] = {0, 0, 0, 1};
    double a = sign == 0 ? strain : sign * strain, b = sign == 0 ? -strain : 0;
    strained(l, &s, swell, a, up);
    strained(l, &s, swell, b, down);
    out.bulk = 0;
    for (int k = 0; k < axes; k++)
        out.bulk -= (up[k] - down[k]) / (a - b) / axes;
    strained(l, &s, slide, a, up);
    if (sign == 0)
        strained(l, &s, slide, b, down);
    out.shear = -(up[shear] - down[shear]) / (a - b);
    mrn_scene_destroy(&s);
    return out;
}

typedef struct trial {
    const char *name;
    double strain;
    mrn_moduli m;
    pair elastic, as_is[2]; /* growing, shrinking */
} trial;

static trial try_strains(lab *l, const char *name, const char *scene, const char *stage,
                         double strain)
{
    trial t = {.name = name, .strain = strain};
    double begin = mrn_clock();
    mrn_net net = lab_net(l, CELL_ALL, false);
    t.m = moduli_of(&net, false);
    mrn_net_release(&net);
    t.elastic = experiment(l, scene, "probe", strain, 0);
    t.as_is[0] = experiment(l, scene, stage, strain, 1);
    t.as_is[1] = experiment(l, scene, stage, strain, -1);
    printf("    %s: B %.6g, by experiment %.6g (%.6g, %.6g); C_xyxy %.6g, by experiment %.6g "
           "(%.6g, %.6g); %.0f s\n",
           name, t.m.bulk, t.elastic.bulk, t.as_is[0].bulk, t.as_is[1].bulk, t.m.c[MRN_XY][MRN_XY],
           t.elastic.shear, t.as_is[0].shear, t.as_is[1].shear, mrn_clock() - begin);
    fflush(stdout);
    return t;
}

/* ---- the packings of both pieces ---- */

enum { DENSE = 4, LOOSE = 2 };
typedef struct library {
    bool made;
    int64_t grains; /* 0: as the scenes say */
    state_row smooth, dense[DENSE], loose[LOOSE], disks;
    trial spheres, plane;
} library;

static void make_dense(library *b)
{
    static const char *const stage[DENSE] = {"to10", "to31", "to100", "to316"};
    static const double kpa[DENSE] = {10, 31.62, 100, 316.2};
    lab *l = malloc(sizeof *l);
    lab_open(l, "statics-dense", b->grains);
    lab_rest(l, "soft", 1e-2);
    lab_rest(l, "release", 1e-2);
    lab_rest(l, "settle", BALANCED);
    b->smooth = state_look(l, "A", 10, true);
    for (int i = 0; i < DENSE; i++) {
        lab_rest(l, stage[i], BALANCED);
        b->dense[i] = state_look(l, "A", kpa[i], false);
    }
    lab_close(l);
    free(l);
}

static void make_loose(library *b)
{
    static const char *const stage[LOOSE] = {"to10", "to100"};
    static const double kpa[LOOSE] = {10, 100};
    lab *l = malloc(sizeof *l);
    lab_open(l, "statics-loose", b->grains);
    for (int i = 0; i < LOOSE; i++) {
        lab_rest(l, stage[i], i == 0 ? 1e-5 : BALANCED);
        b->loose[i] = state_look(l, "D", kpa[i], false);
        if (i == 0)
            b->spheres = try_strains(l, "spheres", "statics-loose", stage[i], 1e-7);
    }
    lab_close(l);
    free(l);
}

static void make_plane(library *b)
{
    lab *l = malloc(sizeof *l);
    lab_open(l, "statics-plane", b->grains);
    lab_rest(l, "press", BALANCED);
    b->disks = state_look(l, "disks", 0.1, false);
    b->plane = try_strains(l, "disks", "statics-plane", "press", 1e-7);
    lab_close(l);
    free(l);
}
static void make_all(library *b)
{
    if (b->made)
        return;
    make_loose(b);
    make_plane(b);
    make_dense(b);
    b->made = true;
}

/* ---- piece: packings with friction ---- */

static void state_line(report *r, const char *what, const state_row *o)
{
    say(r,
        "| %s | %.4f | %.3f | %.1f %% | %.2f %% | %.2f | %.1f %% | %.3f | %lld | %lld | %lld | "
        "%.1e "
        "|\n",
        what, o->phi, o->z, 100 * o->rattlers, 100 * o->divalent, o->spread, 100 * o->sliding,
        o->mobilised, (long long)o->k, (long long)o->two, (long long)o->h, o->off);
}

static void friction_checks(report *r, const char *name, int dimension, const state_row *o)
{
    char what[96];
    double least = dimension == 2 ? 3 : 4 - 2. / 3 * o->divalent;
    /* h cannot be negative: D N_c >= N_l - k, with k the translations, which N grains hardly see
       (z by 6 / N and 12 / N), and the spheres that turn between two contacts */
    snprintf(what, sizeof what, "%s: z* less its lower bound", name);
    check(r, what, o->z - least, -0.012, INFINITY);
    /* nothing else may move */
    snprintf(what, sizeof what, "%s: mechanisms beside the whole and divalent spheres", name);
    check(r, what, (double)(o->k - o->trivial - o->two), 0, 0);
    snprintf(what, sizeof what, "%s: off balance by", name);
    check(r, what, o->off, 0, 1e-4);
}

static void friction_piece(report *r, library *b)
{
    make_all(b);
    say(r,
        "### Packings with friction\n\n"
        "A thousand disks (linear springs, k_n/P = 10⁴, k_t = 0.8 k_n) with friction 0.3 from the "
        "start; a thousand glass spheres (Hertz-Mindlin, E = 70 GPa, ν = 0.3) assembled without "
        "friction (A) and with friction 0.3 (D), A with friction 0.3 from 10 kPa on. x₀: share of "
        "grains that bear "
        "nothing; x₂: share of the others with two contacts; sliding: share of the contacts at "
        "Coulomb's limit, to 10⁻³; T/N: its mean. k and h with the cell held: k is 2 or 3 "
        "translations and the divalent spheres, which turn freely between their contacts. "
        "Published: "
        "Agnolin & Roux, Phys. Rev. E 76, 061302 (2007); Φ and z\\* of D as in the abstract, † the "
        "other values as recalled, not read again: a guide, and not asked for. A has 1000 grains "
        "and not 4000, which lowers Φ: see above.\n\n"
        "<!-- published: agnolin-roux-2007 -->\n| packing | Φ | z\\* | x₀ | x₂ | ⟨N²⟩/⟨N⟩² | "
        "sliding | T/N | k | divalent | h | off "
        "balance |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    state_line(r, "disks", &b->disks);
    say(r, "| A, 10 kPa, published | 0.637† | 6.07† | 1.3 %%† | 0† | 1.53† | | | | | | |\n");
    state_line(r, "A, 10 kPa", &b->smooth);
    state_line(r, "A, 100 kPa", &b->dense[2]);
    say(r,
        "| D, 10 kPa, published | 0.593 | 4.5 | 11.1 %%† | 2.4 %%† | 1.58† | | 0.16† | | | | |\n");
    state_line(r, "D, 10 kPa", &b->loose[0]);
    state_line(r, "D, 100 kPa", &b->loose[1]);
    say(r,
        "\nLower bounds of z\\*, from h ≥ 0: 3 (disks: %.3f above) and 4 − ⅔ x₂ (D at 10 kPa: "
        "%.3f above).\n\n",
        b->disks.z - 3, b->loose[0].z - (4 - 2. / 3 * b->loose[0].divalent));
    friction_checks(r, "friction, disks", 2, &b->disks);
    friction_checks(r, "friction, D at 10 kPa", 3, &b->loose[0]);
    friction_checks(r, "friction, D at 100 kPa", 3, &b->loose[1]);
    /* as packings.c asks of the same states, made of four times as many grains: z* of one sample of
       N grains scatters by about 1/sqrt(N), 0.03; phi by 0.002 */
    check(r, "friction, D at 10 kPa: solid fraction", b->loose[0].phi, 0.587, 0.599);
    check(r, "friction, D at 10 kPa: z*", b->loose[0].z, 4.3, 4.7);
    check(r, "friction, A at 10 kPa: z*", b->smooth.z, 5.9, 6.15);
    check(r, "friction, A at 10 kPa: mechanisms beside the whole",
          (double)(b->smooth.k - b->smooth.trivial), 0, 0);
    check(r, "friction, A at 10 kPa: off balance by", b->smooth.off, 0, 1e-4);
}

/* ---- piece: moduli ---- */

static void trial_line(report *r, const char *what, double matrix, double elastic, double a,
                       double b)
{
    say(r, "| %s | %.5g | %.5g | %+.3f %% | %.5g | %.5g |\n", what, 1e-6 * matrix, 1e-6 * elastic,
        100 * (elastic / matrix - 1), 1e-6 * a, 1e-6 * b);
}

static void trial_part(report *r, const library *b)
{
    say(r,
        "### Elastic moduli\n\n"
        "By matrix, and by experiment: the cell of the packing of the last section is swollen or "
        "sheared by ± 10⁻⁷ in a thousand steps of method `smooth`, held, and "
        "damped until the "
        "stress rests "
        "(to 10⁻⁸ of itself). “Elastic”: no contact slides (friction 100) and tangential forces do "
        "not follow normal ones (`load-coupling: incremental`), as the matrix has it; half the "
        "difference of both senses. "
        "“As it is”: with friction 0.3 and the law of the packing, in one sense and in the "
        "other (swelling and compression; shear to either side): contacts at the limit slide at "
        "once, so that the answer is softer. MPa; disks MN/m.\n\n"
        "| | matrix | elastic | off | as it is, + | as it is, − |\n|---|--:|--:|--:|--:|--:|\n");
    const trial *t[2] = {&b->spheres, &b->plane};
    for (int i = 0; i < 2; i++) {
        char what[96];
        double shear = t[i]->m.c[MRN_XY][MRN_XY];
        snprintf(what, sizeof what, "%s: bulk modulus", i == 0 ? "D at 10 kPa" : "disks");
        trial_line(r, what, t[i]->m.bulk, t[i]->elastic.bulk, t[i]->as_is[0].bulk,
                   t[i]->as_is[1].bulk);
        snprintf(what, sizeof what, "%s: C_xyxy", i == 0 ? "D at 10 kPa" : "disks");
        trial_line(r, what, shear, t[i]->elastic.shear, t[i]->as_is[0].shear, t[i]->as_is[1].shear);
        /* the geometric stiffness, which the experiment has in it, is of the order of overlap over
           radius, 1e-4; strains of 1e-7 move 1e-3 of the overlap, to second order as both senses
           are taken; some contacts open or close. 1 % is what is asked for */
        snprintf(what, sizeof what, "moduli, %s: bulk, experiment over matrix", t[i]->name);
        check(r, what, t[i]->elastic.bulk / t[i]->m.bulk, 0.99, 1.01);
        snprintf(what, sizeof what, "moduli, %s: shear, experiment over matrix", t[i]->name);
        check(r, what, t[i]->elastic.shear / shear, 0.99, 1.01);
    }
    say(r, "\n");
}

static void bound_line(report *r, const char *what, const state_row *o)
{
    const mrn_moduli *m = &o->m;
    say(r, "| %s | %.3f | %.4g | %.4g | %.3f | %.3f | %.3f | %.3f | %.0f | %.0f |\n", what, o->z,
        1e-6 * m->bulk, 1e-6 * m->shear, m->bulk / m->voigt_bulk, m->shear / m->voigt_shear,
        m->shear / m->bulk, m->anisotropy, m->wave_p, m->wave_s);
    char text[96];
    /* a bound; the network's own factorisation is exact to 1e-10 */
    snprintf(text, sizeof text, "moduli, %s: B / Voigt", what);
    check(r, text, m->bulk / m->voigt_bulk, m->reuss_bulk / m->voigt_bulk, 1);
    snprintf(text, sizeof text, "moduli, %s: G / Voigt", what);
    check(r, text, m->shear / m->voigt_shear, 0, 1);
}

/* Voigt's bound by the formula of the mean field (Walton 1987; Agnolin & Roux 2007 III), which
   takes the mean of N^(1/3) for that of the mean force: above the bound summed over contacts. */
static double mean_field(const state_row *o)
{
    double z = o->z * (1 - o->rattlers), e = 70e9 / (1 - 0.09);
    return 0.5 * pow(z * o->phi * e / (3 * M_PI), 2. / 3) * cbrt(1e3 * o->pressure);
}

static void power_law(report *r, const library *b)
{
    double x[DENSE], y[2][DENSE], slope[2];
    for (int m = 0; m < 2; m++) {
        double sx = 0, sy = 0, sxx = 0, sxy = 0;
        for (int i = 0; i < DENSE; i++) {
            const mrn_moduli *c = &b->dense[i].m;
            x[i] = b->dense[i].pressure;
            y[m][i] = 1e-6 * (m == 0 ? c->bulk : c->shear);
            double u = log(x[i]), v = log(y[m][i]);
            sx += u, sy += v, sxx += u * u, sxy += u * v;
        }
        slope[m] = (DENSE * sxy - sx * sy) / (DENSE * sxx - sx * sx);
    }
    say(r,
        "\nPacking A, 10 to 316 kPa: B ~ P^%.3f, G ~ P^%.3f. Hertz alone gives 1/3; z\\* grows a "
        "little with the pressure, so that exponents lie slightly above (Agnolin & Roux III find "
        "the same). Voigt's bound of B of A at 10 kPa: %.4g MPa by its contacts, %.4g MPa by the "
        "mean field, ½ (z Φ Ẽ/3π)^⅔ "
        "P^⅓.\n",
        slope[0], slope[1], 1e-6 * b->dense[0].m.voigt_bulk, 1e-6 * mean_field(&b->dense[0]));
    /* 1/3, and what comes of z* growing from 6.0 to some 6.3: B ~ z^(2/3), 0.01 */
    check(r, "moduli, A: exponent of B", slope[0], 0.32, 0.38);
    mrn_series s[] = {{"A: B", MRN_SERIES_BOTH, 0, DENSE, x, y[0], NULL},
                      {"A: G", MRN_SERIES_BOTH, 1, DENSE, x, y[1], NULL},
                      {"D: B", MRN_SERIES_BOTH, 2, LOOSE, NULL, NULL, NULL},
                      {"D: G", MRN_SERIES_BOTH, 3, LOOSE, NULL, NULL, NULL}};
    double u[LOOSE], v[2][LOOSE];
    for (int i = 0; i < LOOSE; i++) {
        u[i] = b->loose[i].pressure;
        v[0][i] = 1e-6 * b->loose[i].m.bulk, v[1][i] = 1e-6 * b->loose[i].m.shear;
    }
    s[2].x = s[3].x = u, s[2].y = v[0], s[3].y = v[1];
    mrn_plot p = mrn_plot_default();
    p.title = "Elastic moduli of packings of glass beads";
    p.x_label = "pressure, kPa", p.y_label = "modulus, MPa";
    p.x_log = p.y_log = true, p.series = s, p.n = 4;
    show(r, &p, "statics-moduli", "Bulk and shear moduli of packings A and D against pressure");
}

static void moduli_piece(report *r, library *b)
{
    static const char *const dense[DENSE] = {"A, 10 kPa", "A, 31.6 kPa", "A, 100 kPa",
                                             "A, 316 kPa"};
    static const char *const loose[LOOSE] = {"D, 10 kPa", "D, 100 kPa"};
    make_all(b);
    trial_part(r, b);
    say(r,
        "Moduli of the packings (isotropic tensor closest to C), over Voigt's upper bound, "
        "which lets every grain move with the mean strain; speeds of sound.\n\n"
        "| packing | z\\* | B, MPa | G, MPa | B/B_Voigt | G/G_Voigt | G/B | anisotropy | c_p, m/s "
        "| c_s, m/s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 0; i < DENSE; i++)
        bound_line(r, dense[i], &b->dense[i]);
    for (int i = 0; i < LOOSE; i++)
        bound_line(r, loose[i], &b->loose[i]);
    bound_line(r, "disks, k_n/P = 10⁴ (MN/m)", &b->disks);
    say(r,
        "\nThe shear modulus of D, whose grains have few contacts more than they need, is "
        "anomalously low: G/G_Voigt is %.2f of that of A at 10 kPa, B/B_Voigt %.2f.\n",
        b->loose[0].m.shear / b->loose[0].m.voigt_shear /
            (b->dense[0].m.shear / b->dense[0].m.voigt_shear),
        b->loose[0].m.bulk / b->loose[0].m.voigt_bulk /
            (b->dense[0].m.bulk / b->dense[0].m.voigt_bulk));
    /* what is published: the fall of the shear modulus is that of z* over its least value, and that
       of the bulk modulus much less. No number is asked for, only that it is so */
    check(r, "moduli: G / Voigt of D over that of A, 10 kPa",
          b->loose[0].m.shear / b->loose[0].m.voigt_shear /
              (b->dense[0].m.shear / b->dense[0].m.voigt_shear),
          0, 0.9);
    check(r, "moduli: how much more G falls short of Voigt than B, D at 10 kPa",
          b->loose[0].m.shear / b->loose[0].m.voigt_shear /
              (b->loose[0].m.bulk / b->loose[0].m.voigt_bulk),
          0, 0.9);
    power_law(r, b);
}

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "statics");
    library *b = calloc(1, sizeof *b);
    const char *piece = argc > 2 ? argv[2] : "";
    bool all = argc < 3;
    b->grains = argc > 3 ? atoi(argv[3]) : 0;
    if (all || strcmp(piece, "forms") == 0)
        closed_forms(&r);
    if (all || strcmp(piece, "derivatives") == 0)
        derivatives(&r);
    if (all || strcmp(piece, "rigid") == 0)
        rigid_limit(&r, b->grains);
    if (all || strcmp(piece, "friction") == 0)
        friction_piece(&r, b);
    if (all || strcmp(piece, "moduli") == 0)
        moduli_piece(&r, b);
    if (strcmp(piece, "loose") == 0)
        make_loose(b);
    if (strcmp(piece, "plane") == 0)
        make_plane(b);
    if (strcmp(piece, "dense") == 0)
        make_dense(b);
    free(b);
    return report_close(&r);
}
