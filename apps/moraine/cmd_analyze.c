/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine analyze: what a state is like. Packing, contacts, forces, stress, fabric, flow, energy;
   and on request fields, a profile, the distribution of forces. */
#include <string.h>

#include "analyze.h"

typedef struct options {
    const char *path, *scene, *frame, *fields, *profile, *csv, *forces;
    double width, spacing, area;
    int64_t bins;
    bool json, all;
    mrn_network_choice network;
} options;
enum { MOST_OPTIONS = 40 };

static const mrn_app_page page = {
    .usage = "analyze STATE [options]",
    .doc =
        "STATE is the folder of a run, its checkpoint.h5 or its trajectory.h5. A folder means its\n"
        "checkpoint (the end of the run); --frame takes a frame of the trajectory instead, which\n"
        "knows forces only when the run stored its contacts (output: {contacts: true}).\n"
        "Stress is positive in compression and averaged over the bulk: the whole cell in periodic\n"
        "directions, the middle of the bed elsewhere. `moraine probes` says how each is defined.\n"
        "The contact network is looked at as a structure where asked for: how it can move and "
        "what\n"
        "it can bear (--rigidity, --support), how stiff it is (--moduli), whether it is stable\n"
        "(--stability), how it vibrates (--spectrum), how far it goes under a changing load\n"
        "(--path). Rattlers are left out; strains of a periodic cell and servo walls are degrees\n"
        "of freedom.",
    .examples = "moraine analyze out\n"
                "moraine analyze out --frame 10 --json\n"
                "moraine analyze out --rigidity --support --stability --modes softest.vtu\n"
                "moraine analyze out --moduli --json\n"
                "moraine analyze out --path yy --path-csv path.csv --modes way.vtu\n"
                "moraine analyze out --path yy=1,xx=-0.5 --rule associated --increment 0.01\n"
                "moraine analyze out --fields out/fields.vti --width 5e-3\n"
                "moraine analyze out --profile z --bins 40 --csv profile.csv --forces forces.csv",
};

static mrn_status no_contacts(const char *what, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT,
             "%s: the trajectory holds no contacts, so the forces are not known", what);
    return mrn_fail_hint(msg, "analyse the checkpoint, or run with  output: {contacts: true}");
}

/* ---- files on request ---- */

static mrn_status write_fields(const options *o, const mrn_sample *s, mrn_message *msg)
{
    mrn_fields f = {0};
    mrn_status st = mrn_fields_compute(&s->scene, &s->state, s->at, o->width, o->spacing, &f, msg);
    if (st == MRN_OK)
        st = mrn_fields_write(o->fields, &f, msg);
    mrn_fields_destroy(&f);
    return st;
}

static mrn_status write_profile(const options *o, const mrn_sample *s, mrn_message *msg)
{
    mrn_profile p = {0};
    mrn_atomic_file file = {0};
    const char axis = o->profile[0];
    mrn_status st =
        mrn_profile_make(&s->scene, &s->state, axis - 'x', (int)o->bins, o->area, &p, msg);
    if (st == MRN_OK)
        st = mrn_atomic_open(o->csv, &file, msg);
    if (st == MRN_OK) {
        fprintf(file.f,
                "%c [m],solid-fraction,mass [kg],velocity-x [m/s],velocity-y [m/s],"
                "velocity-z [m/s],granular-temperature [m2/s2]\n",
                axis);
        for (int b = 0; b < p.n; b++)
            fprintf(file.f, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
                    p.lo + (b + 0.5) * (p.hi - p.lo) / p.n, p.solid_fraction[b], p.mass[b],
                    p.velocity[3 * b], p.velocity[3 * b + 1], p.velocity[3 * b + 2],
                    p.temperature[b]);
        st = mrn_atomic_commit(&file, msg);
    }
    mrn_profile_destroy(&p);
    return st;
}

static mrn_status write_forces(const options *o, const mrn_sample *s, mrn_message *msg)
{
    mrn_force_table t;
    mrn_atomic_file file = {0};
    if (!s->has_contacts)
        return no_contacts("--forces", msg);
    mrn_status st = mrn_force_table_make(&s->scene, &s->state, s->at, &t, msg);
    if (st == MRN_OK)
        st = mrn_atomic_open(o->forces, &file, msg);
    if (st != MRN_OK)
        return st;
    fprintf(file.f, "force/mean-normal,P-normal,P-tangential\n");
    for (int b = 0; b < MRN_FORCE_BINS; b++)
        fprintf(file.f, "%.6g,%.9g,%.9g\n", (b + 0.5) * t.width, t.normal[b], t.tangential[b]);
    return mrn_atomic_commit(&file, msg);
}

static mrn_status write_all(const options *o, const mrn_sample *s, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    if (o->fields != NULL)
        st = write_fields(o, s, msg);
    if (st == MRN_OK && o->profile != NULL)
        st = write_profile(o, s, msg);
    if (st == MRN_OK && o->forces != NULL)
        st = write_forces(o, s, msg);
    return st;
}

/* ---- the command ---- */

static int analyze(const options *o)
{
    mrn_message msg = {0};
    mrn_sample s;
    mrn_report r;
    if (mrn_sample_open(o->path, o->scene, o->frame, &s, &msg) != MRN_OK)
        return mrn_app_report(&msg);
    mrn_status st = mrn_measure(&s.scene, &s.state, s.at, &r, &msg);
    if (st == MRN_OK)
        st = write_all(o, &s, &msg);
    json_t *root = st == MRN_OK ? mrn_analyze_json(&s, &r) : NULL;
    if (st == MRN_OK && !o->json)
        mrn_analyze_print(&s, &r, stdout);
    if (st == MRN_OK && s.has_contacts)
        st = mrn_analyze_network(&s, &o->network, root, o->json ? NULL : stdout, &msg);
    else if (st == MRN_OK && mrn_network_asked(&o->network))
        st = no_contacts("the contact network", &msg);
    int code = MRN_EXIT_OK;
    if (st == MRN_OK && o->json)
        code = mrn_app_json(json_incref(root));
    if (st != MRN_OK)
        code = mrn_app_report(&msg);
    json_decref(root);
    mrn_sample_close(&s);
    return code;
}

static int check_path(const mrn_network_choice *o)
{
    const mrn_path_choice *p = &o->path;
    const char *alone = p->rule != NULL    ? "rule"
                        : p->increment > 0 ? "increment"
                        : p->up_to > 0     ? "up-to"
                        : p->balanced > 0  ? "balanced"
                        : p->csv != NULL   ? "path-csv"
                                           : NULL;
    if (p->list == NULL && alone != NULL)
        return mrn_app_usage("analyze", "--%s belongs to --path LIST", alone);
    if (p->list != NULL && o->frictionless)
        return mrn_app_usage("analyze", "--path and --frictionless do not go together: without "
                                        "friction these forces are in no equilibrium");
    if (p->rule != NULL && strcmp(p->rule, "rigid") == 0 && p->increment > 0)
        return mrn_app_usage("analyze", "--increment and --rule rigid do not go together: rigid "
                                        "networks say themselves how far they hold");
    if (p->list != NULL && o->hold)
        return mrn_app_usage("analyze",
                             "--path and --hold do not go together: held, cell and walls "
                             "cannot be loaded; --path strain.xx=0 holds one");
    return -1;
}

static int check_options(const options *o)
{
    if (o->profile != NULL && o->csv == NULL)
        return mrn_app_usage("analyze", "--profile needs --csv FILE to write to");
    if (o->profile == NULL && o->csv != NULL)
        return mrn_app_usage("analyze", "--csv needs --profile x, y or z");
    if (o->fields == NULL && (o->width > 0 || o->spacing > 0))
        return mrn_app_usage("analyze", "--width and --spacing belong to --fields FILE.vti");
    if (o->network.modes != NULL && !o->network.rigidity && !o->network.stability &&
        o->network.path.list == NULL)
        return mrn_app_usage("analyze", "--modes needs --rigidity, --stability or --path");
    return check_path(&o->network);
}

/* ---- options ---- */

static int network_options(options *o, mrn_app_option *to)
{
    const mrn_app_option table[] = {
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &o->json, .doc = "Print JSON."},
        {.name = "rigidity",
         .kind = MRN_OPT_FLAG,
         .target = &o->network.rigidity,
         .doc = "Degrees of freedom, rank, mechanisms and self-stress of the contact network; the "
                "part of the forces that balances the load."},
        {.name = "support",
         .kind = MRN_OPT_FLAG,
         .target = &o->network.support,
         .doc = "Limit analysis: whether any forces within Coulomb's cones bear the load, and how "
                "much more of it."},
        {.name = "moduli",
         .kind = MRN_OPT_FLAG,
         .target = &o->network.moduli,
         .doc = "Elastic tensor, moduli, bounds and wave speeds; needs a periodic cell or servo "
                "walls."},
        {.name = "stability",
         .kind = MRN_OPT_FLAG,
         .target = &o->network.stability,
         .doc =
             "Smallest eigenvalues of the stiffness matrix, with and without its geometric part, "
             "contacts at the limit in their worst status."},
        {.name = "spectrum",
         .kind = MRN_OPT_INTEGER,
         .target = &o->network.spectrum,
         .arg = "N",
         .min = 0,
         .max = 1e6,
         .doc = "Frequencies of the N slowest vibrations; 0: of all, for small packings."},
        {.name = "all",
         .kind = MRN_OPT_FLAG,
         .target = &o->all,
         .doc = "--rigidity --support --moduli --stability together; moduli where they exist."},
        {.name = "modes",
         .kind = MRN_OPT_TEXT,
         .target = &o->network.modes,
         .arg = "FILE",
         .doc = "Write for ParaView (.vtu) or `moraine view` (.json) the motion in which the "
                "network gives way (with --path), else "
                "the mechanisms (with --rigidity), else the softest mode (with --stability)."},
    };
    memcpy(to, table, sizeof table);
    return (int)(sizeof table / sizeof table[0]);
}

/* How the network is taken. */
static int network_ways(options *o, mrn_app_option *to)
{
    const mrn_app_option table[] = {
        {.name = "frictionless",
         .kind = MRN_OPT_FLAG,
         .target = &o->network.frictionless,
         .doc = "Of the network, normal forces only."},
        {.name = "hold",
         .kind = MRN_OPT_FLAG,
         .target = &o->network.hold,
         .doc = "Cell and servo walls do not move: they are no degrees of freedom."},
        {.name = "geometric",
         .kind = MRN_OPT_FLAG,
         .target = &o->network.geometric,
         .doc = "Moduli and spectrum with the geometric part of the stiffness."},
        {.name = "cg",
         .kind = MRN_OPT_FLAG,
         .target = &o->network.cg,
         .doc = "Moduli by conjugate gradients instead of a factorisation: less memory."},
        {.name = "kn",
         .kind = MRN_OPT_NUMBER,
         .target = &o->network.kn,
         .arg = "N/M",
         .min = 1e-300,
         .max = 1e300,
         .doc = "Normal stiffness of contacts whose law has none (rigid grains)."},
        {.name = "kt-ratio",
         .kind = MRN_OPT_NUMBER,
         .target = &o->network.kt_ratio,
         .arg = "X",
         .min = 1e-6,
         .max = 100,
         .doc = "Their tangential stiffness over the normal one."},
    };
    memcpy(to, table, sizeof table);
    return (int)(sizeof table / sizeof table[0]);
}

static int path_options(options *o, mrn_app_option *to)
{
    static const char *const rules[] = {"coulomb", "associated", "rigid"};
    const mrn_app_option table[] = {
        {.name = "path",
         .kind = MRN_OPT_TEXT,
         .target = &o->network.path.list,
         .arg = "LIST",
         .doc = "Follow the network along a path to where it gives way. LIST: components of the "
                "cell's stress with their change per unit of the parameter q, in mean pressures "
                "(yy; yy=1,xx=-0.5; xy), or of its strain (strain.yy=-1: q is the strain), or "
                "servo walls (top=1: their load by q of itself). =0 lets the stress stay, or holds "
                "the strain; what is not named stays as the scene has it."},
        {.name = "rule",
         .kind = MRN_OPT_CHOICE,
         .target = &o->network.path.rule,
         .arg = "RULE",
         .choices = rules,
         .n_choices = 3,
         .doc = "How contacts slide along the path: without opening (coulomb, if none is said), or "
                "along the normal of the cone (associated). rigid: grains neither rub nor deform; "
                "from one isostatic network to the next, with the motions between them."},
        {.name = "increment",
         .kind = MRN_OPT_NUMBER,
         .target = &o->network.path.increment,
         .arg = "DQ",
         .min = 1e-30,
         .max = 1e30,
         .doc = "Increments of q (0.02; of strains those that springs answer by 0.02 mean "
                "pressures)."},
        {.name = "up-to",
         .kind = MRN_OPT_NUMBER,
         .target = &o->network.path.up_to,
         .arg = "Q",
         .min = 1e-30,
         .max = 1e30,
         .doc = "Where the path ends at the latest (5; of strains 250 increments)."},
        {.name = "balanced",
         .kind = MRN_OPT_NUMBER,
         .target = &o->network.path.balanced,
         .arg = "X",
         .min = 1e-15,
         .max = 0.1,
         .doc =
             "Net forces over the mean force that a path may begin with (1e-4; stresses and loads "
             "off by ten times that); they stay as a load."},
        {.name = "path-csv",
         .kind = MRN_OPT_TEXT,
         .target = &o->network.path.csv,
         .arg = "FILE",
         .doc = "Write every increment of the path as a table (CSV)."},
    };
    memcpy(to, table, sizeof table);
    return (int)(sizeof table / sizeof table[0]);
}

static int state_options(options *o, mrn_app_option *to)
{
    const mrn_app_option table[] = {
        {.name = "frame",
         .kind = MRN_OPT_TEXT,
         .target = &o->frame,
         .arg = "K",
         .doc = "A frame of the trajectory: first, last, or a number; negative from the end."},
        {.name = "scene",
         .kind = MRN_OPT_TEXT,
         .target = &o->scene,
         .arg = "FILE",
         .doc = "The scene of the run, when it is not the scene.yaml beside the state."},
    };
    memcpy(to, table, sizeof table);
    return (int)(sizeof table / sizeof table[0]);
}

static int file_options(options *o, mrn_app_option *to)
{
    static const char *const axes[] = {"x", "y", "z"};
    const mrn_app_option table[] = {
        {.name = "fields",
         .kind = MRN_OPT_TEXT,
         .target = &o->fields,
         .arg = "FILE.vti",
         .doc = "Write coarse-grained fields on a grid, for ParaView: density, solid fraction, "
                "velocity, granular temperature, stress."},
        {.name = "width",
         .kind = MRN_OPT_NUMBER,
         .target = &o->width,
         .arg = "M",
         .min = 1e-12,
         .max = 1e12,
         .doc = "Width of the smoothing of the fields, m; else the mean diameter."},
        {.name = "spacing",
         .kind = MRN_OPT_NUMBER,
         .target = &o->spacing,
         .arg = "M",
         .min = 1e-12,
         .max = 1e12,
         .doc = "Spacing of the grid of the fields, m; else the width."},
        {.name = "profile",
         .kind = MRN_OPT_CHOICE,
         .target = &o->profile,
         .arg = "AXIS",
         .choices = axes,
         .n_choices = 3,
         .doc = "A profile along an axis, written to --csv: solid fraction, mass, velocity, "
                "granular temperature."},
        {.name = "bins",
         .kind = MRN_OPT_INTEGER,
         .target = &o->bins,
         .arg = "N",
         .min = 1,
         .max = 1e6,
         .doc = "Slabs of the profile (50)."},
        {.name = "area",
         .kind = MRN_OPT_NUMBER,
         .target = &o->area,
         .arg = "M2",
         .min = 0,
         .max = 1e12,
         .doc =
             "Cross-section of the profile, m2; else that of the box around the grains, or of the "
             "cell."},
        {.name = "csv",
         .kind = MRN_OPT_TEXT,
         .target = &o->csv,
         .arg = "FILE",
         .doc = "Where the profile goes."},
        {.name = "forces",
         .kind = MRN_OPT_TEXT,
         .target = &o->forces,
         .arg = "FILE",
         .doc = "Write the distribution of contact forces as a table (CSV)."},
    };
    memcpy(to, table, sizeof table);
    return (int)(sizeof table / sizeof table[0]);
}

int mrn_cmd_analyze(int argc, char **argv)
{
    int (*const group[])(options *, mrn_app_option *) = {network_options, path_options,
                                                         network_ways, state_options, file_options};
    options o = {.bins = 50, .network.spectrum = -1};
    mrn_app_option table[MOST_OPTIONS];
    int n_options = 0, n;
    for (size_t k = 0; k < sizeof group / sizeof group[0]; k++)
        n_options += group[k](&o, table + n_options);
    int code = mrn_app_parse(&page, table, n_options, argc, argv, &o.path, 1, &n);
    if (code >= 0)
        return code;
    if (n == 0)
        return mrn_app_usage("analyze", "which state? Name the folder of a run");
    if (o.all)
        o.network.rigidity = o.network.support = o.network.stability = o.network.moduli =
            o.network.lenient = true;
    code = check_options(&o);
    if (o.network.path.rule == NULL)
        o.network.path.rule = "coulomb";
    if (code < 0 && o.network.path.list != NULL)
        code = mrn_path_read_list(&o.network.path);
    return code >= 0 ? code : analyze(&o);
}
