/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact network in `moraine analyze`: equilibrium always; rigidity, what it can bear, moduli,
   stability and vibrations on request. Every number goes to the table and to JSON by one line. */
#include <math.h>
#include <string.h>

#include "analyze.h"

enum { LABEL = 31, MODES_TOLD = 10, MODES_KEPT = 200, BINS = 40 };

/* Where numbers go: JSON, and a table unless f is NULL. */
typedef struct sheet {
    json_t *root, *section;
    FILE *f;
} sheet;

static void section(sheet *s, const char *key)
{
    s->section = json_object();
    json_object_set_new(s->root, key, s->section);
    if (s->f != NULL)
        fprintf(s->f, "\n%s%s%s\n", mrn_app_style_code(s->f, MRN_BOLD), key,
                mrn_app_style_code(s->f, MRN_PLAIN));
}

static void row(sheet *s, const char *label, const char *text)
{
    if (s->f == NULL)
        return;
    fputs("  ", s->f);
    mrn_app_pad(s->f, label, LABEL, false);
    fprintf(s->f, "%s\n", text);
}

static json_t *real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static void number(sheet *s, const char *key, const char *label, const char *unit, double v)
{
    char text[64];
    json_object_set_new(s->section, key, real(v));
    if (isnan(v))
        snprintf(text, sizeof text, "-");
    else if (isinf(v))
        snprintf(text, sizeof text, "no bound");
    else if (unit[0] == '\0')
        snprintf(text, sizeof text, "%.5g", v);
    else
        snprintf(text, sizeof text, "%s", mrn_app_si(v, unit).s);
    row(s, label, text);
}

static void count(sheet *s, const char *key, const char *label, int64_t v)
{
    json_object_set_new(s->section, key, json_integer(v));
    row(s, label, mrn_app_count(v).s);
}

static void flag(sheet *s, const char *key, const char *label, bool v)
{
    json_object_set_new(s->section, key, json_boolean(v));
    row(s, label, v ? "yes" : "no");
}

static void words(sheet *s, const char *key, const char *label, const char *text)
{
    json_object_set_new(s->section, key, json_string(text));
    row(s, label, text);
}

/* ---- equilibrium ---- */

static void show_equilibrium(sheet *s, const mrn_sample *sample, const mrn_net *net)
{
    mrn_equilibrium q;
    section(s, "equilibrium");
    if (net->n == 0) {
        words(s, "verdict", "verdict", "no grain bears a force: there is no network to analyse");
        return;
    }
    mrn_net_equilibrium(net, &q);
    words(s, "verdict", "verdict",
          q.good ? "good: forces, moments and stress balance to 1e-4 of the mean force"
                 : "not in equilibrium to 1e-4: what follows is of the state as it is");
    flag(s, "good", "balanced to 1e-4", q.good);
    count(s, "grains", "grains of the network", net->n);
    count(s, "rattlers", "left out: rattlers", net->rattlers);
    count(s, "contacts", "contacts", net->n_contacts);
    count(s, "dropped", "left out: idle contacts", net->dropped);
    number(s, "net-force", "largest net force / mean", "", q.force);
    number(s, "mean-net-force", "mean net force / mean", "", q.mean_force);
    number(s, "net-moment", "largest net moment / (mean d)", "", q.moment);
    number(s, "global", "walls and cell, off by", "", net->n_globals > 0 ? q.global : NAN);
    if (q.worst >= 0 && q.worst < sample->state.body.n)
        count(s, "worst-grain", "the worst is grain", sample->state.body.id[q.worst]);
    number(s, "worst-coulomb", "largest |T| / (mu N)", "", q.worst_coulomb);
    count(s, "sliding", "contacts at Coulomb's limit", q.sliding);
    count(s, "beyond", "contacts beyond it", q.beyond);
    count(s, "pulling", "contacts that pull", q.pulling);
}

/* ---- rigidity ---- */

static void tell_mechanisms(sheet *s, const mrn_rigidity *r)
{
    json_t *list = json_array();
    for (int i = 0; i < r->n_modes; i++) {
        const mrn_mechanism *m = &r->mechanism[i];
        char text[200];
        json_array_append_new(list, json_pack("{s:s, s:b, s:o, s:o}", "what", m->what, "trivial",
                                              m->trivial, "share", real(m->share), "second-order",
                                              real(m->second)));
        snprintf(text, sizeof text, "%s; %.3g %% of the grains move%s", m->what, 100 * m->share,
                 m->second < 0 ? "; forces push it on" : "");
        if (i < MODES_TOLD)
            row(s, i == 0 ? "mechanisms" : "", text);
        else if (i == MODES_TOLD)
            row(s, "", "…");
    }
    json_object_set_new(s->section, "mechanisms", list);
}

static void show_rigidity(sheet *s, const mrn_rigidity *r)
{
    char text[128];
    section(s, "rigidity");
    count(s, "unknowns", "degrees of freedom N_l", r->unknowns);
    count(s, "rows", "force components D N_c", r->rows);
    count(s, "rank", "rank of G", r->rank);
    count(s, "hypostatic", "mechanisms k", r->hypostatic);
    count(s, "trivial", "of them of the whole", r->trivial);
    count(s, "divalent", "of them divalent spheres", r->divalent);
    count(s, "hyperstatic", "self-stresses h", r->hyperstatic);
    bool same = r->unknowns + r->hyperstatic == r->rows + r->hypostatic;
    snprintf(text, sizeof text, "%lld + %lld %s %lld + %lld", (long long)r->unknowns,
             (long long)r->hyperstatic, same ? "=" : "≠", (long long)r->rows,
             (long long)r->hypostatic);
    words(s, "identity", "N_l + h = D N_c + k", text);
    words(s, "by", "rank by", r->by_eigenvalues ? "eigenvalues of GᵀG" : "sparse QR");
    number(s, "smallest-in", "smallest pivot counted", "", r->smallest_in);
    number(s, "largest-out", "largest left out", "", r->largest_out);
    number(s, "residual", "part of the forces unbalanced", "", r->residual);
    number(s, "self-part", "part of them self-stress", "", r->self_part);
    number(s, "unsupported", "part of the load on mechanisms", "", r->unsupported);
    tell_mechanisms(s, r);
}

static mrn_status do_rigidity(sheet *s, const mrn_net *net, const mrn_network_choice *o,
                              mrn_message *msg)
{
    mrn_rigidity r;
    mrn_rigidity_options opt = mrn_rigidity_default();
    opt.most_modes = MODES_KEPT;
    opt.decompose = net->forces_known;
    mrn_status st = mrn_rigidity_of(net, &opt, &r, msg);
    if (st == MRN_OK) {
        show_rigidity(s, &r);
        const char *name[MODES_KEPT];
        for (int i = 0; i < r.n_modes; i++)
            name[i] = r.mechanism[i].what;
        if (o->modes != NULL && r.n_modes > 0)
            st = mrn_modes_write(o->modes, net, r.n_modes, r.modes, name, msg);
        else if (o->modes != NULL)
            row(s, "--modes", "there is no mechanism to write");
    }
    mrn_rigidity_release(&r);
    return st;
}

/* ---- limit analysis ---- */

static void show_support(sheet *s, const mrn_limit *l, const mrn_message *why)
{
    section(s, "support");
    words(s, "verdict", "verdict",
          !l->converged    ? "not decided: the optimisation did not converge"
          : l->supportable ? "some forces within Coulomb's cones bear the load"
                           : "no forces within Coulomb's cones bear the load");
    if (!l->supportable && why->text[0] != '\0')
        words(s, "reason", "reason", why->text);
    flag(s, "supportable", "supportable", l->supportable);
    number(s, "factor", "safety factor on the load", "", l->factor);
    number(s, "gap", "sure to (duality gap)", "", l->gap);
    count(s, "iterations", "iterations", l->iterations);
}

/* Of the network alone: a rattler that leans on it would be a load that nothing opposes. */
static mrn_status do_support(sheet *s, const mrn_sample *sample, mrn_net_options net_options,
                             mrn_message *msg)
{
    mrn_net net = {0};
    mrn_limit l = {0};
    mrn_limit_options opt = {0};
    net_options.bare = true;
    mrn_status st = mrn_net_of(&sample->scene, &sample->state, sample->at, &net_options, &net, msg);
    if (st == MRN_OK)
        st = mrn_limit_of(&net, &opt, &l, msg);
    if (st == MRN_OK || st == MRN_NOT_CONVERGED) {
        show_support(s, &l, msg);
        *msg = (mrn_message){0};
        st = MRN_OK;
    }
    mrn_limit_release(&l);
    mrn_net_release(&net);
    return st;
}

/* ---- moduli ---- */

static void show_tensor(sheet *s, const mrn_moduli *m)
{
    static const char *const name[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    json_t *matrix = json_array();
    for (int i = 0; i < 6; i++) {
        json_t *line = json_array();
        char text[160] = "";
        size_t used = 0;
        for (int j = 0; j < 6; j++) {
            bool known = m->known[i] && m->known[j];
            json_array_append_new(line, known ? real(m->c[i][j]) : json_null());
            if (known && used < sizeof text)
                used += (size_t)snprintf(text + used, sizeof text - used, "%11.4g", m->c[i][j]);
        }
        json_array_append_new(matrix, line);
        char label[32];
        snprintf(label, sizeof label, "C %s, Pa", name[i]);
        if (m->known[i])
            row(s, label, text);
    }
    json_object_set_new(s->section, "c", matrix);
}

static mrn_status do_moduli(sheet *s, const mrn_net *net, const mrn_network_choice *o,
                            mrn_message *msg)
{
    mrn_moduli m;
    mrn_elastic_options opt = {.geometric = o->geometric, .cg = o->cg};
    mrn_status st = mrn_moduli_of(net, &opt, &m, msg);
    if (st == MRN_ERR_INPUT && o->lenient) {
        section(s, "moduli");
        words(s, "verdict", "verdict", msg->text);
        *msg = (mrn_message){0};
        return MRN_OK;
    }
    if (st != MRN_OK)
        return st;
    section(s, "moduli");
    show_tensor(s, &m);
    number(s, "bulk", "bulk modulus B", "Pa", m.bulk);
    number(s, "shear", "shear modulus G", "Pa", m.shear);
    number(s, "young", "Young's modulus E*", "Pa", m.young);
    number(s, "poisson", "Poisson's ratio nu*", "", m.poisson);
    number(s, "voigt-bulk", "Voigt's bound of B", "Pa", m.voigt_bulk);
    number(s, "voigt-shear", "Voigt's bound of G", "Pa", m.voigt_shear);
    number(s, "reuss-bulk", "Reuss' bound of B", "Pa", m.reuss_bulk);
    number(s, "anisotropy", "anisotropy |C - C_iso| / |C|", "", m.anisotropy);
    number(s, "density", "density", "kg/m3", m.density);
    number(s, "wave-p", "pressure waves", "m/s", m.wave_p);
    number(s, "wave-s", "shear waves", "m/s", m.wave_s);
    number(s, "symmetry", "asymmetry of C as solved", "", m.symmetry);
    count(s, "held", "motions held", m.facts.held);
    count(s, "fill", "numbers in the factor", m.facts.fill);
    number(s, "seconds-factor", "factorisation", "s", m.facts.seconds_factor);
    return MRN_OK;
}

/* ---- stability ---- */

static mrn_status one_stability(sheet *s, const mrn_net *net, const mrn_network_choice *o,
                                bool geometric, mrn_message *msg)
{
    mrn_stability q;
    mrn_stability_options opt = {.geometric = geometric};
    mrn_status st = mrn_stability_of(net, &opt, &q, msg);
    if (st == MRN_OK) {
        section(s, geometric ? "stability" : "stability-without-geometry");
        words(s, "verdict", "verdict", q.verdict);
        flag(s, "stable", "stable", q.stable);
        json_t *list = json_array();
        char text[200] = "";
        size_t used = 0;
        for (int i = 0; i < q.n; i++) {
            json_array_append_new(list, real(q.value[i]));
            if (used + 14 < sizeof text)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%.4g",
                                         i > 0 ? "  " : "", q.value[i]);
        }
        json_object_set_new(s->section, "eigenvalues", list);
        row(s, "smallest eigenvalues / k_n", text);
        count(s, "negative", "negative", q.negative);
        count(s, "zero", "zero", q.zero);
        count(s, "critical", "contacts at the limit", q.critical);
        number(s, "bound", "no status is below", "", q.bound);
        const char *name[1] = {"softest mode"};
        if (geometric && o->modes != NULL && !o->rigidity && q.n > 0)
            st = mrn_modes_write(o->modes, net, 1, q.mode, name, msg);
    }
    mrn_stability_release(&q);
    return st;
}

static mrn_status do_stability(sheet *s, const mrn_net *net, const mrn_network_choice *o,
                               mrn_message *msg)
{
    mrn_status st = one_stability(s, net, o, true, msg);
    return st == MRN_OK ? one_stability(s, net, o, false, msg) : st;
}

/* ---- vibrations ---- */

static void show_density(sheet *s, const mrn_spectrum *v)
{
    double omega[BINS], density[BINS];
    mrn_spectrum_density(v, BINS, omega, density);
    json_t *x = json_array(), *y = json_array();
    for (int b = 0; b < BINS; b++) {
        json_array_append_new(x, real(omega[b]));
        json_array_append_new(y, real(density[b]));
    }
    json_object_set_new(s->section, "density-omega", x);
    json_object_set_new(s->section, "density", y);
}

static mrn_status do_spectrum(sheet *s, const mrn_net *net, const mrn_network_choice *o,
                              mrn_message *msg)
{
    mrn_spectrum v;
    mrn_status st = mrn_spectrum_of(net, o->geometric, (int)o->spectrum, 0, &v, msg);
    if (st == MRN_OK) {
        section(s, "spectrum");
        json_t *list = json_array();
        int zero = 0;
        for (int i = 0; i < v.n; i++) {
            json_array_append_new(list, real(v.omega[i]));
            zero += v.omega[i] == 0;
        }
        count(s, "modes", v.full ? "modes, all" : "modes, the slowest", v.n);
        count(s, "zero", "of no frequency", zero);
        number(s, "scale", "sqrt(k_n / m)", "rad/s", v.scale);
        number(s, "lowest", "slowest that vibrates", "rad/s", zero < v.n ? v.omega[zero] : NAN);
        number(s, "highest", "fastest found", "rad/s", v.n > 0 ? v.omega[v.n - 1] : NAN);
        json_object_set_new(s->section, "omega", list);
        if (v.full && v.n > 0)
            show_density(s, &v);
    }
    mrn_spectrum_release(&v);
    return st;
}

/* ---- all of it ---- */

mrn_status mrn_analyze_network(const mrn_sample *sample, const mrn_network_choice *o, json_t *root,
                               FILE *f, mrn_message *msg)
{
    mrn_net net = {0};
    sheet s = {.root = root, .f = f};
    mrn_net_options opt = mrn_net_default();
    opt.frictionless = o->frictionless;
    opt.cell = opt.walls = !o->hold;
    opt.kn = o->kn;
    opt.kt_ratio = o->kt_ratio;
    bool wanted = o->rigidity || o->support || o->moduli || o->stability || o->spectrum >= 0;
    mrn_status st = mrn_net_of(&sample->scene, &sample->state, sample->at, &opt, &net, msg);
    if (st != MRN_OK && !wanted) { /* what was not asked for does not spoil the rest */
        *msg = (mrn_message){0};
        return MRN_OK;
    }
    if (st == MRN_OK)
        show_equilibrium(&s, sample, &net);
    if (st == MRN_OK && net.n == 0) {
        mrn_net_release(&net);
        return MRN_OK;
    }
    if (st == MRN_OK && o->rigidity)
        st = do_rigidity(&s, &net, o, msg);
    if (st == MRN_OK && o->support)
        st = do_support(&s, sample, opt, msg);
    if (st == MRN_OK && o->moduli)
        st = do_moduli(&s, &net, o, msg);
    if (st == MRN_OK && o->stability)
        st = do_stability(&s, &net, o, msg);
    if (st == MRN_OK && o->spectrum >= 0)
        st = do_spectrum(&s, &net, o, msg);
    mrn_net_release(&net);
    return st;
}
