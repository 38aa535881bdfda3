/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jammed ellipses without friction: fewer contacts than unknowns, and stable all the same, because
   the forces that are there hold what no contact feels (Donev, Connelly, Stillinger & Torquato
   2007, as cited by Roux & Combe 2010). Packings of a few ellipses in a periodic square are made
   here: sizes grow and shrink, the energy of their overlaps is minimised each time. */
#include "moraine/quasistatic.h"
#include "validate/validate.h"

enum { N = 20, PAIRS = N * (N - 1) / 2, UNKNOWNS = 3 * N };

typedef struct packing {
    mrn_ellipse e[N];
    double force[UNKNOWNS], energy, mean; /* mean overlap of contacts, over the mean half axis */
    int n_contacts;
    int32_t pair[PAIRS][2];
    double overlap[PAIRS];
} packing;

static double next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Forces of springs of stiffness 1 in a square of side 1. */
static void evaluate(packing *p)
{
    double size = 0;
    memset(p->force, 0, sizeof p->force);
    p->energy = p->mean = 0;
    p->n_contacts = 0;
    for (int i = 0; i < N; i++)
        size += 0.5 * (p->e[i].a + p->e[i].b) / N;
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            mrn_ellipse a = p->e[j];
            a.x += rint(p->e[i].x - a.x), a.y += rint(p->e[i].y - a.y);
            double far = fmax(p->e[i].a, p->e[i].b) + fmax(a.a, a.b);
            if (hypot(p->e[i].x - a.x, p->e[i].y - a.y) > far)
                continue;
            mrn_ellipse_touch t = mrn_ellipse_touch_of(&p->e[i], &a);
            if (t.gap >= 0)
                continue;
            double f = -t.gap;
            int k = p->n_contacts++;
            p->pair[k][0] = i, p->pair[k][1] = j, p->overlap[k] = f;
            p->energy += 0.5 * f * f;
            p->mean += f / size;
            p->force[3 * i] += f * t.n.x, p->force[3 * i + 1] += f * t.n.y;
            p->force[3 * j] -= f * t.n.x, p->force[3 * j + 1] -= f * t.n.y;
            p->force[3 * i + 2] += f * (t.arm_c.x * t.n.y - t.arm_c.y * t.n.x);
            p->force[3 * j + 2] -= f * (t.arm_a.x * t.n.y - t.arm_a.y * t.n.x);
        }
    p->mean /= p->n_contacts > 0 ? p->n_contacts : 1;
}

static double largest(const packing *p)
{
    double most = 0;
    for (int k = 0; k < UNKNOWNS; k++)
        most = fmax(most, fabs(p->force[k]));
    return most;
}

/* FIRE; angles count as lengths of a tenth of the side. */
static void relax(packing *p, int most, double until)
{
    static double v[UNKNOWNS];
    double dt = 0.1, alpha = 0.1;
    int since = 0;
    memset(v, 0, sizeof v);
    evaluate(p);
    for (int it = 0; it < most && largest(p) > until * fmax(p->mean, 1e-12); it++) {
        double power = 0, vv = 0, ff = 0;
        for (int k = 0; k < UNKNOWNS; k++) {
            double f = p->force[k] * (k % 3 == 2 ? 10 : 1);
            power += f * v[k], vv += v[k] * v[k], ff += f * f;
        }
        bool down = power > 0;
        double mix = down && ff > 0 ? alpha * sqrt(vv / ff) : 0;
        for (int k = 0; k < UNKNOWNS; k++) {
            double f = p->force[k] * (k % 3 == 2 ? 10 : 1);
            v[k] = down || it == 0 ? (1 - alpha) * v[k] + mix * f : 0;
            v[k] += dt * f;
        }
        since = down ? since + 1 : 0;
        if (since > 5)
            dt = fmin(1.1 * dt, 0.6), alpha *= 0.99;
        else if (!down)
            dt = fmax(0.5 * dt, 0.02), alpha = 0.1;
        for (int i = 0; i < N; i++) {
            p->e[i].x += dt * v[3 * i], p->e[i].y += dt * v[3 * i + 1];
            p->e[i].angle += 10 * dt * v[3 * i + 2];
        }
        evaluate(p);
    }
}

static double density(const packing *p)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += MRN_PI * p->e[i].a * p->e[i].b;
    return sum;
}

static void scale(packing *p, double by)
{
    for (int i = 0; i < N; i++)
        p->e[i].a *= by, p->e[i].b *= by;
}

/* Grows until it is jammed, shrinks until it is not, by ever smaller parts, to a mean overlap of
   some 1e-4 of the half axes. */
static void jam(double aspect, uint64_t seed, packing *p)
{
    const double want = 1e-4;
    double step = 0.01;
    bool grew = true;
    for (int i = 0; i < N; i++) {
        double size = i % 2 == 0 ? 1.4 : 1; /* two sizes: no crystal */
        p->e[i] = (mrn_ellipse){next(&seed), next(&seed), MRN_PI * next(&seed), size * sqrt(aspect),
                                size / sqrt(aspect)};
    }
    scale(p, sqrt(0.6 / density(p)));
    for (int k = 0; k < 200; k++) {
        relax(p, 4000, 1e-6);
        bool jammed = p->n_contacts > 0 && p->mean > 0.5 * want && p->energy > 1e-16;
        if (jammed && p->mean < 2 * want)
            break;
        if (jammed == grew)
            step *= 0.5;
        grew = !jammed;
        scale(p, 1 + (grew ? step : -step));
    }
    relax(p, 60000, 1e-9);
}

/* The backbone as a network; grains with fewer than three contacts bear nothing. */
static mrn_net net_of(const packing *p, int *nodes)
{
    int degree[N], to[N], n = 0, contacts = 0;
    bool in[N];
    for (int i = 0; i < N; i++)
        in[i] = true;
    for (bool again = true; again;) {
        again = false;
        memset(degree, 0, sizeof degree);
        for (int k = 0; k < p->n_contacts; k++)
            if (in[p->pair[k][0]] && in[p->pair[k][1]])
                degree[p->pair[k][0]]++, degree[p->pair[k][1]]++;
        for (int i = 0; i < N; i++)
            if (in[i] && degree[i] < 3)
                in[i] = false, again = true;
    }
    mrn_ellipse e[N];
    for (int i = 0; i < N; i++) {
        to[i] = in[i] ? n : -1;
        if (in[i])
            e[n++] = p->e[i];
    }
    mrn_message msg = {0};
    mrn_contacts at = {0};
    mrn_contacts_def def = {.columns = MRN_NET_COLUMNS, .n = PAIRS};
    static mrn_net_element element[PAIRS];
    mrn_net net;
    const double cell[3] = {1, 1, 0};
    if (mrn_contacts_make(&at, &def, &msg) != MRN_OK)
        give_up("contacts", &msg);
    for (int k = 0; k < p->n_contacts; k++)
        if (in[p->pair[k][0]] && in[p->pair[k][1]]) {
            at.c[contacts] = to[p->pair[k][0]], at.a[contacts] = to[p->pair[k][1]];
            element[contacts] = (mrn_net_element){.kn = 1, .force = {p->overlap[k], 0, 0}};
            contacts++;
        }
    at.n = contacts;
    const bool hold[3] = {true, true, true}; /* the cell stays as it is */
    if (mrn_net_make_ellipses(n, e, &at, element, cell, NULL, true, &net, &msg) != MRN_OK ||
        mrn_net_hold(&net, hold, &msg) != MRN_OK)
        give_up("network", &msg);
    mrn_contacts_destroy(&at);
    *nodes = n;
    return net;
}

typedef struct result {
    double z, phi, off, soft; /* contacts per grain; net force over mean; smallest eigenvalue     */
    int nodes, contacts, k, h, negative, zero;
} result;

static result look(const packing *p)
{
    result x = {.phi = density(p)};
    mrn_message msg = {0};
    mrn_net net = net_of(p, &x.nodes);
    mrn_rigidity r;
    mrn_rigidity_options how = mrn_rigidity_default();
    mrn_stability s;
    mrn_stability_options opt = {.geometric = true, .want = 12, .tolerance = 1e-10};
    x.contacts = (int)net.n_contacts;
    x.z = 2.0 * x.contacts / x.nodes;
    double most = 0;
    for (int64_t i = 0; i < net.n_unknowns; i++)
        most = fmax(most, fabs(net.load[i]));
    x.off = most / net.mean_force; /* the load is what balances the forces */
    if (mrn_rigidity_of(&net, &how, &r, &msg) < 0 || mrn_stability_of(&net, &opt, &s, &msg) < 0)
        give_up("analysis", &msg);
    x.k = (int)r.hypostatic, x.h = (int)r.hyperstatic;
    x.negative = (int)s.negative, x.zero = (int)s.zero;
    x.soft = s.n > 2 ? s.value[2] : NAN;
    mrn_rigidity_release(&r);
    mrn_stability_release(&s);
    mrn_net_release(&net);
    return x;
}

int main(int argc, char **argv)
{
    report r = report_open(argc, argv, "ellipses");
    static packing p;
    static const double aspect[] = {1.1, 1.3, 1.6, 2.0};
    enum { ASPECTS = sizeof aspect / sizeof *aspect, SAMPLES = 2 };
    int stable = 0, hypostatic = 0, all = 0, extra = 0;
    double least = INFINITY, most = 0, off = 0;
    say(&r,
        "### Jammed ellipses\n\n%d ellipses of two sizes (1 and 1.4) without friction, jammed in a "
        "periodic square that stays as it is: sizes grow and shrink, overlaps relax, to a mean "
        "overlap of some 10⁻⁴ of the half axes. Three unknowns a grain: 6 contacts per grain would "
        "be isostatic. k: mechanisms, 2 of them translations of the whole; stiffness with K2, cell "
        "held: eigenvalues below and at zero, and the third, over k_n.\n\n"
        "| aspect | sample | solid fraction | grains | contacts per grain | k | h | below 0 | at 0 "
        "| "
        "third |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        N);
    for (int a = 0; a < ASPECTS; a++)
        for (int k = 0; k < SAMPLES; k++) {
            jam(aspect[a], (uint64_t)(100 * a + k + 1), &p);
            result x = look(&p);
            printf(
                "  aspect %.1f, sample %d: phi %.4f, %d grains, %d contacts, z %.3f, k %d, h %d, "
                "below %d, at %d, third %.2e, off %.1e, overlap %.1e\n",
                aspect[a], k + 1, x.phi, x.nodes, x.contacts, x.z, x.k, x.h, x.negative, x.zero,
                x.soft, x.off, p.mean);
            fflush(stdout);
            say(&r, "| %.1f | %d | %.3f | %d | %.2f | %d | %d | %d | %d | %.1e |\n", aspect[a],
                k + 1, x.phi, x.nodes, x.z, x.k, x.h, x.negative, x.zero, x.soft);
            all++;
            stable += x.negative == 0 && x.zero == 2;
            hypostatic += x.k > 2;
            extra = x.h > extra ? x.h : extra;
            least = fmin(least, x.z), most = fmax(most, x.z);
            off = fmax(off, x.off);
        }
    say(&r,
        "\nMechanisms beyond the two of the whole exist in %d of %d packings; with the forces that "
        "are there (K2: curvatures at the contacts, which for disks would drive a mechanism on) "
        "%d of %d are stable to second order. That is the published statement, of which no number "
        "is compared.\n\n",
        hypostatic, all, stable, all);
    check(&r, "ellipses: off balance, over the mean force, most", off, 0, 1e-6);
    /* between the 4 of disks and the 6 of generic shapes; a finite packing has (2 - D)/N less */
    check(&r, "ellipses: contacts per grain, least", least, 3.5, 6);
    check(&r, "ellipses: contacts per grain, most", most, 3.5, 6);
    check(&r, "ellipses: packings with mechanisms beyond translations", hypostatic, all / 2.0, all);
    check(&r, "ellipses: packings that are stable to second order", stable, all, all);
    return report_close(&r);
}
