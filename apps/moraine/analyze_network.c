/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact network in `moraine analyze`: equilibrium always; rigidity, what it can bear, moduli,
   stability and vibrations on request. */
#include <math.h>
#include <string.h>

#include "analyze.h"

enum { MODES_REPORTED = 10, MODES_KEPT = 200, BINS = 40 };

/* ---- equilibrium ---- */

static void show_equilibrium(mrn_sheet *s, const mrn_sample *sample, const mrn_net *net)
{
    mrn_equilibrium q;
    mrn_sheet_section(s, "equilibrium");
    if (net->n == 0) {
        mrn_sheet_words(s, "verdict", "verdict",
                        "no grain bears a force: there is no network to analyse");
        return;
    }
    mrn_net_equilibrium(net, &q);
    mrn_sheet_words(s, "verdict", "verdict",
                    q.good ? "good: forces, moments and stress balance to 1e-4 of the mean force"
                           : "not in equilibrium to 1e-4: what follows is of the state as it is");
    mrn_sheet_flag(s, "good", "balanced to 1e-4", q.good);
    mrn_sheet_count(s, "grains", "grains of the network", net->n);
    mrn_sheet_count(s, "rattlers", "left out: rattlers", net->rattlers);
    mrn_sheet_count(s, "contacts", "contacts", net->n_contacts);
    mrn_sheet_count(s, "dropped", "left out: idle contacts", net->dropped);
    mrn_sheet_number(s, "net-force", "largest net force / mean", "", q.force);
    mrn_sheet_number(s, "mean-net-force", "mean net force / mean", "", q.mean_force);
    mrn_sheet_number(s, "net-moment", "largest net moment / (mean d)", "", q.moment);
    mrn_sheet_number(s, "global", "walls and cell, off by", "",
                     net->n_globals > 0 ? q.global : NAN);
    if (q.worst >= 0 && q.worst < sample->state.body.n)
        mrn_sheet_count(s, "worst-grain", "the worst is grain", sample->state.body.id[q.worst]);
    mrn_sheet_number(s, "worst-coulomb", "largest |T| / (mu N)", "", q.worst_coulomb);
    mrn_sheet_count(s, "sliding", "contacts at Coulomb's limit", q.sliding);
    mrn_sheet_count(s, "beyond", "contacts beyond it", q.beyond);
    mrn_sheet_count(s, "pulling", "contacts that pull", q.pulling);
}

/* ---- rigidity ---- */

static void tell_mechanisms(mrn_sheet *s, const mrn_rigidity *r)
{
    json_t *list = json_array();
    for (int i = 0; i < r->n_modes; i++) {
        const mrn_mechanism *m = &r->mechanism[i];
        char text[200];
        json_array_append_new(list, json_pack("{s:s, s:b, s:o, s:o}", "what", m->what, "trivial",
                                              m->trivial, "share", mrn_sheet_real(m->share),
                                              "second-order", mrn_sheet_real(m->second)));
        snprintf(text, sizeof text, "%s; %.3g %% of the grains move%s", m->what, 100 * m->share,
                 m->second < 0 ? "; forces push it on" : "");
        if (i < MODES_REPORTED)
            mrn_sheet_row(s, i == 0 ? "mechanisms" : "", text);
        else if (i == MODES_REPORTED)
            mrn_sheet_row(s, "", "…");
    }
    json_object_set_new(s->section, "mechanisms", list);
}

static void show_rigidity(mrn_sheet *s, const mrn_rigidity *r)
{
    char text[128];
    mrn_sheet_section(s, "rigidity");
    mrn_sheet_count(s, "unknowns", "degrees of freedom N_l", r->unknowns);
    mrn_sheet_count(s, "rows", "force components D N_c", r->rows);
    mrn_sheet_count(s, "rank", "rank of G", r->rank);
    mrn_sheet_count(s, "hypostatic", "mechanisms k", r->hypostatic);
    mrn_sheet_count(s, "trivial", "of them of the whole", r->trivial);
    mrn_sheet_count(s, "divalent", "of them divalent spheres", r->divalent);
    mrn_sheet_count(s, "hyperstatic", "self-stresses h", r->hyperstatic);
    bool same = r->unknowns + r->hyperstatic == r->rows + r->hypostatic;
    snprintf(text, sizeof text, "%lld + %lld %s %lld + %lld", (long long)r->unknowns,
             (long long)r->hyperstatic, same ? "=" : "≠", (long long)r->rows,
             (long long)r->hypostatic);
    mrn_sheet_words(s, "identity", "N_l + h = D N_c + k", text);
    mrn_sheet_words(s, "by", "rank by", r->by_eigenvalues ? "eigenvalues of GᵀG" : "sparse QR");
    mrn_sheet_number(s, "smallest-in", "smallest pivot counted", "", r->smallest_in);
    mrn_sheet_number(s, "largest-out", "largest left out", "", r->largest_out);
    mrn_sheet_number(s, "residual", "part of the forces unbalanced", "", r->residual);
    mrn_sheet_number(s, "self-part", "part of them self-stress", "", r->self_part);
    mrn_sheet_number(s, "unsupported", "part of the load on mechanisms", "", r->unsupported);
    tell_mechanisms(s, r);
}

static mrn_status do_rigidity(mrn_sheet *s, const mrn_net *net, const mrn_network_choice *o,
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
        bool write = o->modes != NULL && o->path.list == NULL;
        if (write && r.n_modes > 0)
            st = mrn_modes_write(o->modes, net, r.n_modes, r.modes, name, msg);
        else if (write)
            mrn_sheet_row(s, "--modes", "there is no mechanism to write");
    }
    mrn_rigidity_release(&r);
    return st;
}

/* ---- limit analysis ---- */

static void show_support(mrn_sheet *s, const mrn_limit *l, const mrn_message *why)
{
    mrn_sheet_section(s, "support");
    mrn_sheet_words(s, "verdict", "verdict",
                    !l->converged    ? "not decided: the optimisation did not converge"
                    : l->supportable ? "some forces within Coulomb's cones bear the load"
                                     : "no forces within Coulomb's cones bear the load");
    if (!l->supportable && why->text[0] != '\0')
        mrn_sheet_words(s, "reason", "reason", why->text);
    mrn_sheet_flag(s, "supportable", "supportable", l->supportable);
    mrn_sheet_number(s, "factor", "safety factor on the load", "", l->factor);
    mrn_sheet_number(s, "gap", "sure to (duality gap)", "", l->gap);
    mrn_sheet_count(s, "iterations", "iterations", l->iterations);
}

/* Of the network alone: a rattler that leans on it would be a load that nothing opposes. */
static mrn_status do_support(mrn_sheet *s, const mrn_sample *sample, mrn_net_options net_options,
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

static void show_tensor(mrn_sheet *s, const mrn_moduli *m)
{
    static const char *const name[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    json_t *matrix = json_array();
    for (int i = 0; i < 6; i++) {
        json_t *line = json_array();
        char text[160] = "";
        size_t used = 0;
        for (int j = 0; j < 6; j++) {
            bool known = m->known[i] && m->known[j];
            json_array_append_new(line, known ? mrn_sheet_real(m->c[i][j]) : json_null());
            if (known && used < sizeof text)
                used += (size_t)snprintf(text + used, sizeof text - used, "%11.4g", m->c[i][j]);
        }
        json_array_append_new(matrix, line);
        char label[32];
        snprintf(label, sizeof label, "C %s, Pa", name[i]);
        if (m->known[i])
            mrn_sheet_row(s, label, text);
    }
    json_object_set_new(s->section, "c", matrix);
}

static mrn_status do_moduli(mrn_sheet *s, const mrn_net *net, const mrn_network_choice *o,
                            mrn_message *msg)
{
    mrn_moduli m;
    mrn_elastic_options opt = {.geometric = o->geometric, .cg = o->cg};
    mrn_status st = mrn_moduli_of(net, &opt, &m, msg);
    if (st == MRN_ERR_INPUT && o->lenient) {
        mrn_sheet_section(s, "moduli");
        mrn_sheet_words(s, "verdict", "verdict", msg->text);
        *msg = (mrn_message){0};
        return MRN_OK;
    }
    if (st != MRN_OK)
        return st;
    mrn_sheet_section(s, "moduli");
    show_tensor(s, &m);
    mrn_sheet_number(s, "bulk", "bulk modulus B", "Pa", m.bulk);
    mrn_sheet_number(s, "shear", "shear modulus G", "Pa", m.shear);
    mrn_sheet_number(s, "young", "Young's modulus E*", "Pa", m.young);
    mrn_sheet_number(s, "poisson", "Poisson's ratio nu*", "", m.poisson);
    mrn_sheet_number(s, "voigt-bulk", "Voigt's bound of B", "Pa", m.voigt_bulk);
    mrn_sheet_number(s, "voigt-shear", "Voigt's bound of G", "Pa", m.voigt_shear);
    mrn_sheet_number(s, "reuss-bulk", "Reuss' bound of B", "Pa", m.reuss_bulk);
    mrn_sheet_number(s, "anisotropy", "anisotropy |C - C_iso| / |C|", "", m.anisotropy);
    mrn_sheet_number(s, "density", "density", "kg/m3", m.density);
    mrn_sheet_number(s, "wave-p", "pressure waves", "m/s", m.wave_p);
    mrn_sheet_number(s, "wave-s", "shear waves", "m/s", m.wave_s);
    mrn_sheet_number(s, "symmetry", "asymmetry of C as solved", "", m.symmetry);
    mrn_sheet_count(s, "held", "motions held", m.facts.held);
    mrn_sheet_count(s, "fill", "numbers in the factor", m.facts.fill);
    mrn_sheet_number(s, "seconds-factor", "factorisation", "s", m.facts.seconds_factor);
    return MRN_OK;
}

/* ---- stability ---- */

static mrn_status one_stability(mrn_sheet *s, const mrn_net *net, const mrn_network_choice *o,
                                bool geometric, mrn_message *msg)
{
    mrn_stability q;
    mrn_stability_options opt = {.geometric = geometric};
    mrn_status st = mrn_stability_of(net, &opt, &q, msg);
    if (st == MRN_OK) {
        mrn_sheet_section(s, geometric ? "stability" : "stability-without-geometry");
        mrn_sheet_words(s, "verdict", "verdict", q.verdict);
        mrn_sheet_flag(s, "stable", "stable", q.stable);
        json_t *list = json_array();
        char text[200] = "";
        size_t used = 0;
        for (int i = 0; i < q.n; i++) {
            json_array_append_new(list, mrn_sheet_real(q.value[i]));
            if (used + 14 < sizeof text)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%.4g",
                                         i > 0 ? "  " : "", q.value[i]);
        }
        json_object_set_new(s->section, "eigenvalues", list);
        mrn_sheet_row(s, "smallest eigenvalues / k_n", text);
        mrn_sheet_count(s, "negative", "negative", q.negative);
        mrn_sheet_count(s, "zero", "zero", q.zero);
        mrn_sheet_count(s, "critical", "contacts at the limit", q.critical);
        mrn_sheet_number(s, "bound", "no status is below", "", q.bound);
        const char *name[1] = {"softest mode"};
        bool write = o->modes != NULL && !o->rigidity && o->path.list == NULL;
        if (geometric && write && q.n > 0)
            st = mrn_modes_write(o->modes, net, 1, q.mode, name, msg);
    }
    mrn_stability_release(&q);
    return st;
}

static mrn_status do_stability(mrn_sheet *s, const mrn_net *net, const mrn_network_choice *o,
                               mrn_message *msg)
{
    mrn_status st = one_stability(s, net, o, true, msg);
    return st == MRN_OK ? one_stability(s, net, o, false, msg) : st;
}

/* ---- vibrations ---- */

static void show_density(mrn_sheet *s, const mrn_spectrum *v)
{
    double omega[BINS], density[BINS];
    mrn_spectrum_density(v, BINS, omega, density);
    json_t *x = json_array(), *y = json_array();
    for (int b = 0; b < BINS; b++) {
        json_array_append_new(x, mrn_sheet_real(omega[b]));
        json_array_append_new(y, mrn_sheet_real(density[b]));
    }
    json_object_set_new(s->section, "density-omega", x);
    json_object_set_new(s->section, "density", y);
}

static mrn_status do_spectrum(mrn_sheet *s, const mrn_net *net, const mrn_network_choice *o,
                              mrn_message *msg)
{
    mrn_spectrum v;
    mrn_status st = mrn_spectrum_of(net, o->geometric, (int)o->spectrum, 0, &v, msg);
    if (st == MRN_OK) {
        mrn_sheet_section(s, "spectrum");
        json_t *list = json_array();
        int zero = 0;
        for (int i = 0; i < v.n; i++) {
            json_array_append_new(list, mrn_sheet_real(v.omega[i]));
            zero += v.omega[i] == 0;
        }
        mrn_sheet_count(s, "modes", v.full ? "modes, all" : "modes, the slowest", v.n);
        mrn_sheet_count(s, "zero", "of no frequency", zero);
        mrn_sheet_number(s, "scale", "sqrt(k_n / m)", "rad/s", v.scale);
        mrn_sheet_number(s, "lowest", "slowest that vibrates", "rad/s",
                         zero < v.n ? v.omega[zero] : NAN);
        mrn_sheet_number(s, "highest", "fastest found", "rad/s", v.n > 0 ? v.omega[v.n - 1] : NAN);
        json_object_set_new(s->section, "omega", list);
        if (v.full && v.n > 0)
            show_density(s, &v);
    }
    mrn_spectrum_release(&v);
    return st;
}

/* ---- all of it ---- */

bool mrn_network_asked(const mrn_network_choice *o)
{
    return o->rigidity || o->support || o->moduli || o->stability || o->spectrum >= 0 ||
           o->path.list != NULL;
}

static mrn_status do_asked(mrn_sheet *s, const mrn_sample *sample, const mrn_net *net,
                           const mrn_network_choice *o, const mrn_net_options *opt,
                           mrn_message *msg)
{
    mrn_status st = o->rigidity ? do_rigidity(s, net, o, msg) : MRN_OK;
    if (st == MRN_OK && o->support)
        st = do_support(s, sample, *opt, msg);
    if (st == MRN_OK && o->moduli)
        st = do_moduli(s, net, o, msg);
    if (st == MRN_OK && o->stability)
        st = do_stability(s, net, o, msg);
    if (st == MRN_OK && o->spectrum >= 0)
        st = do_spectrum(s, net, o, msg);
    return st;
}

mrn_status mrn_analyze_network(const mrn_sample *sample, const mrn_network_choice *o, json_t *root,
                               FILE *f, mrn_message *msg)
{
    mrn_net net = {0};
    mrn_sheet s = {.root = root, .f = f};
    mrn_net_options opt = mrn_net_default();
    opt.frictionless = o->frictionless;
    opt.cell = opt.walls = !o->hold;
    opt.kn = o->kn;
    opt.kt_ratio = o->kt_ratio;
    mrn_status st = mrn_net_of(&sample->scene, &sample->state, sample->at, &opt, &net, msg);
    if (st != MRN_OK && !mrn_network_asked(o)) { /* what was not asked for does not spoil the rest
                                                  */
        *msg = (mrn_message){0};
        return MRN_OK;
    }
    if (st == MRN_OK)
        show_equilibrium(&s, sample, &net);
    if (st == MRN_OK && net.n > 0)
        st = do_asked(&s, sample, &net, o, &opt, msg);
    if (st == MRN_OK && o->path.list != NULL)
        st = mrn_analyze_path(&s, sample, o, &opt, msg);
    mrn_net_release(&net);
    return st;
}
