/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scene of an imported packing: its grains as tables, one per type, and either a scene of the
   user's with other bodies or a small one made from numbers. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/base.h"
#include "export/export.h"
#include "import/import.h"
#include "scene/build.h"

/* What is taken where nothing is given: glass beads. */
#define GLASS_DENSITY  2500.0
#define GLASS_YOUNG    70e9
#define GLASS_POISSON  0.25
#define GLASS_FRICTION 0.5
#define RESTITUTION    0.5

#define ENTRY 512 /* bytes of the text of one group */

typedef struct kind {
    char group[MRN_NAME], material[MRN_NAME], table[MRN_NAME + 16];
    int32_t first, end; /* grains              */
    double radius;      /* mean                */
    double density;     /* NAN: not given       */
} kind;

typedef struct maker {
    const mrn_packing *p;
    const mrn_import_options *opt;
    const char *dir;
    kind *kinds; /* one per type */
    mrn_import_facts *facts;
    mrn_message *msg;
} maker;

void mrn_import_note(mrn_import_facts *facts, const char *fmt, ...)
{
    if (facts->n_notes == (int)(sizeof facts->note / sizeof facts->note[0]))
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(facts->note[facts->n_notes++], sizeof facts->note[0], fmt, args);
    va_end(args);
}

/* ---- types ---- */

static bool is_name(const char *s)
{
    size_t n = strlen(s);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && s[i] != '-' && s[i] != '_')
            return false;
    return n > 0 && n < MRN_NAME && strspn(s, "0123456789") < n;
}

static void name_kind(const mrn_packing *p, int type, char out[MRN_NAME])
{
    const char *label = p->type[type];
    if (is_name(label))
        snprintf(out, MRN_NAME, "%s", label);
    else if (label[0] == '\0')
        snprintf(out, MRN_NAME, "grains");
    else if (strspn(label, "0123456789") == strlen(label) && strlen(label) < 10)
        snprintf(out, MRN_NAME, "type-%s", label);
    else
        snprintf(out, MRN_NAME, "kind-%d", type + 1);
}

static double volume_of(const mrn_packing *p, double r)
{
    return p->dimension == 2 ? MRN_PI * r * r : 4 * MRN_PI / 3 * r * r * r;
}

static void measure_kind(const mrn_packing *p, kind *k)
{
    double mass = 0, volume = 0, radius = 0;
    for (int32_t i = k->first; i < k->end; i++) {
        mass += p->grain[i].mass; /* NAN where one is not given */
        volume += volume_of(p, p->grain[i].radius);
        radius += p->grain[i].radius;
    }
    k->radius = radius / (double)(k->end - k->first);
    k->density = mass / volume;
}

/* A scene has one density per material; digits of a file make no difference. */
static void tell_spread(const maker *m, const kind *k)
{
    double worst = 0;
    for (int32_t i = k->first; i < k->end; i++) {
        const mrn_import_grain *g = &m->p->grain[i];
        worst = fmax(worst, fabs(g->mass / (k->density * volume_of(m->p, g->radius)) - 1));
    }
    if (worst > 1e-3)
        mrn_import_note(m->facts,
                        "densities of '%s' differ by up to %.2g %%: scene.yaml has one, the state "
                        "has the masses of the file",
                        k->group, 100 * worst);
}

static void find_kinds(maker *m)
{
    const mrn_packing *p = m->p;
    for (int t = 0, i = 0; t < p->n_types; t++) {
        kind *k = &m->kinds[t];
        k->first = i;
        while (i < p->n && p->grain[i].type == t)
            i++;
        k->end = i;
        name_kind(p, t, k->group);
        if (p->n_types > 1)
            snprintf(k->table, sizeof k->table, "grains-%d.csv", t + 1);
        else
            snprintf(k->table, sizeof k->table, "grains.csv");
        measure_kind(p, k);
        tell_spread(m, k);
    }
}

/* ---- tables ---- */

/* A scene has no slanted cell: its grains are those of the cell sheared back. */
static mrn_vec3 sheared_back(const mrn_packing *p, mrn_vec3 x)
{
    const double *o = p->origin, *l = p->size, *tilt = p->tilt;
    double c = p->periodic[2] ? (x.z - o[2]) / l[2] : 0;
    double b = p->periodic[1] ? (x.y - o[1] - c * tilt[2]) / l[1] : 0;
    return mrn_v3(x.x - b * tilt[0] - c * tilt[1], x.y - c * tilt[2], x.z);
}

static bool is_sheared(const mrn_packing *p)
{
    return p->tilt[0] != 0 || p->tilt[1] != 0 || p->tilt[2] != 0;
}

static void put_numbers(FILE *f, const double *v, int n)
{
    char text[32];
    for (int i = 0; i < n; i++)
        fprintf(f, ",%s", mrn_number_text(v[i], text));
}

static void put_grain(FILE *f, const mrn_packing *p, const mrn_import_grain *g)
{
    char text[32];
    bool flat = p->dimension == 2;
    mrn_vec3 x = is_sheared(p) ? sheared_back(p, g->x) : g->x;
    const double place[] = {x.y, x.z}, v[] = {g->v.x, g->v.y, g->v.z},
                 w[] = {g->w.x, g->w.y, g->w.z};
    fputs(mrn_number_text(x.x, text), f);
    put_numbers(f, place, flat ? 1 : 2);
    put_numbers(f, &g->radius, 1);
    if (p->moves) {
        put_numbers(f, v, flat ? 2 : 3);
        put_numbers(f, flat ? w + 2 : w, flat ? 1 : 3);
    }
    fputc('\n', f);
}

static mrn_status open_in(const maker *m, const char *name, mrn_atomic_file *file)
{
    char path[1024];
    snprintf(path, sizeof path, "%.900s/%.100s", m->dir, name);
    return mrn_atomic_open(path, file, m->msg);
}

static mrn_status write_table(const maker *m, const kind *k)
{
    mrn_atomic_file file = {0};
    bool flat = m->p->dimension == 2;
    mrn_status st = open_in(m, k->table, &file);
    if (st != MRN_OK)
        return st;
    fprintf(file.f, "%s%s\n", flat ? "x,y,radius" : "x,y,z,radius",
            !m->p->moves ? ""
            : flat       ? ",vx,vy,wz"
                         : ",vx,vy,vz,wx,wy,wz");
    for (int32_t i = k->first; i < k->end; i++)
        put_grain(file.f, m->p, &m->p->grain[i]);
    return mrn_atomic_finish(&file, false, m->msg);
}

/* ---- a scene from numbers ---- */

static void put_vector(FILE *f, const double *v, int n)
{
    char text[32];
    for (int i = 0; i < n; i++)
        fprintf(f, "%s%s", i > 0 ? ", " : "[", mrn_number_text(v[i], text));
    fputc(']', f);
}

static double taken(const maker *m, double given, double glass, const char *what,
                    const char *option)
{
    if (!isnan(given))
        return given;
    mrn_import_note(m->facts, "%s is not given: %g taken, as of glass beads (--%s)", what, glass,
                    option);
    return glass;
}

/* One material for all types unless their densities differ. */
static void name_materials(const maker *m, double fallback)
{
    bool same = true;
    for (int t = 0; t < m->p->n_types; t++) {
        kind *k = &m->kinds[t];
        k->density = isnan(k->density) ? fallback : k->density;
        same = same && fabs(k->density - m->kinds[0].density) <= 1e-9 * k->density;
    }
    for (int t = 0; t < m->p->n_types; t++)
        snprintf(m->kinds[t].material, MRN_NAME, "%s", same ? "grain" : m->kinds[t].group);
}

static bool needs_density(const maker *m)
{
    for (int t = 0; t < m->p->n_types; t++)
        if (isnan(m->kinds[t].density))
            return true;
    return false;
}

static void put_materials(const maker *m, FILE *f)
{
    const mrn_import_options *o = m->opt;
    char text[32], elastic[96] = "";
    double fallback = o->density;
    if (needs_density(m))
        fallback = taken(m, o->density, GLASS_DENSITY, "the density (kg/m3)", "density");
    name_materials(m, fallback);
    int n = 0;
    if (isnan(o->kn))
        n = snprintf(elastic, sizeof elastic, ", young: %.17g",
                     taken(m, o->young, GLASS_YOUNG, "Young's modulus (Pa)", "young"));
    if (isnan(o->kn) || !isnan(o->poisson))
        snprintf(elastic + n, sizeof elastic - (size_t)n, ", poisson: %.17g",
                 taken(m, o->poisson, GLASS_POISSON, "Poisson's ratio", "poisson"));
    fputs("materials:\n", f);
    for (int t = 0; t < m->p->n_types; t++) {
        const kind *k = &m->kinds[t];
        if (t > 0 && strcmp(k->material, m->kinds[0].material) == 0)
            continue;
        fprintf(f, "  %s: {density: %s%s}\n", k->material, mrn_number_text(k->density, text),
                elastic);
    }
}

/* N/m, of two like cylinders 1 m long: a quarter of pi times the effective modulus (the load
   changes it by a logarithm alone). */
static double line_stiffness(const mrn_import_options *o)
{
    double young = isnan(o->young) ? GLASS_YOUNG : o->young;
    double poisson = isnan(o->poisson) ? GLASS_POISSON : o->poisson;
    return MRN_PI / 8 * young / (1 - poisson * poisson);
}

static void put_law(const maker *m, FILE *f)
{
    const mrn_import_options *o = m->opt;
    double mu = taken(m, o->friction, GLASS_FRICTION, "the coefficient of friction", "friction");
    fputs("\ninteractions:\n  - {between: any, ", f);
    if (isnan(o->kn) && m->p->dimension == 2) /* slices 1 m thick touch along a line */
        fprintf(f, "law: linear, normal-stiffness: %.17g", line_stiffness(o));
    else if (isnan(o->kn))
        fputs("law: hertz-mindlin", f);
    else
        fprintf(f, "law: linear, normal-stiffness: %.17g", o->kn);
    if (!isnan(o->kt))
        fprintf(f, ", stiffness-ratio: %.17g", o->kt / o->kn);
    fprintf(f, ", restitution: %g, friction: %.17g}\n", RESTITUTION, mu);
}

static void put_group(const maker *m, const kind *k, char out[ENTRY])
{
    snprintf(out, ENTRY, "{name: %s, material: %s, shape: {%s: {radius: %.17g}}, place: {csv: %s}}",
             k->group, k->material, m->p->dimension == 2 ? "disk" : "sphere", k->radius, k->table);
}

static void put_cell(const maker *m, FILE *f)
{
    const mrn_packing *p = m->p;
    if (!p->periodic[0] && !p->periodic[1] && !p->periodic[2])
        return;
    fputs("\ncell:\n  periodic: [", f);
    for (int k = 0, n = 0; k < 3; k++)
        if (p->periodic[k])
            fprintf(f, "%s%c", n++ > 0 ? ", " : "", 'x' + k);
    fputs("]\n  origin: ", f);
    put_vector(f, p->origin, p->dimension);
    fputs("\n  size: ", f);
    put_vector(f, p->size, p->dimension);
    fputc('\n', f);
}

/* The name of the file, fit for a text in quotes. */
static void put_title(const mrn_packing *p, FILE *f)
{
    const char *slash = strrchr(p->file, '/'), *name = slash != NULL ? slash + 1 : p->file;
    fputs("title: \"Imported from ", f);
    for (int i = 0; i < 100 && name[i] != '\0'; i++)
        fputc(isalnum((unsigned char)name[i]) || strchr("._-+ ", name[i]) != NULL ? name[i] : '_',
              f);
    if (p->step >= 0)
        fprintf(f, ", step %lld", (long long)p->step);
    fputs("\"\n", f);
}

static mrn_status write_scene(const maker *m)
{
    mrn_atomic_file file = {0};
    char entry[ENTRY];
    mrn_status st = open_in(m, "scene.yaml", &file);
    if (st != MRN_OK)
        return st;
    fputs("moraine: 1\n", file.f);
    put_title(m->p, file.f);
    fprintf(file.f, "dimension: %d\n\n", m->p->dimension);
    put_materials(m, file.f);
    put_law(m, file.f);
    fputs("\nbodies:\n", file.f);
    for (int t = 0; t < m->p->n_types; t++) {
        put_group(m, &m->kinds[t], entry);
        fprintf(file.f, "  - %s\n", entry);
    }
    put_cell(m, file.f);
    fputs("\nstages:\n  - {name: go-on, until: {time: 10 ms}}\n\noutput:\n  every: 1 ms\n"
          "  contacts: true\n",
          file.f);
    return mrn_atomic_finish(&file, false, m->msg);
}

/* ---- a scene of the user's ---- */

static int group_for(const mrn_scene *base, const mrn_packing *p, int type)
{
    int found = mrn_scene_find_group(base, p->type[type]), seen = 0, k;
    if (found >= 0)
        return found;
    for (k = 0; k < base->n_groups; k++)
        if (base->group[k].place != MRN_PLACE_INLET && seen++ == type)
            return p->n_types <= base->n_groups ? k : -1;
    return -1;
}

/* Types take the names and materials of the groups of the scene: those called alike, else in their
   order; types beyond them the material called like them, or the only one. */
static mrn_status cast_kinds(const maker *m, const mrn_scene *base)
{
    for (int t = 0; t < m->p->n_types; t++) {
        kind *k = &m->kinds[t];
        int g = group_for(base, m->p, t), at = mrn_scene_find_material(base, m->p->type[t]);
        if (g >= 0) {
            at = base->group[g].material;
            snprintf(k->group, MRN_NAME, "%s", base->group[g].name);
        }
        at = at < 0 && base->n_materials == 1 ? 0 : at;
        if (at < 0) {
            mrn_fail(m->msg, MRN_ERR_INPUT, "which material is type '%s' made of?", m->p->type[t]);
            mrn_fail_at(m->msg, m->opt->scene, 0, 0);
            return mrn_fail_hint(m->msg, "call a material or a group of bodies of the scene so");
        }
        snprintf(k->material, MRN_NAME, "%s", base->material[at].name);
        double given = base->material[at].density;
        if (!isnan(k->density) && fabs(k->density - given) > 1e-6 * given)
            mrn_import_note(m->facts,
                            "'%s' has density %.6g kg/m3 in the file, %.6g in the scene: the state "
                            "has the masses of the file",
                            k->group, k->density, given);
    }
    return MRN_OK;
}

static size_t bodies_room(const maker *m)
{
    return (size_t)(ENTRY + 2) * (size_t)(m->p->n_types + 1);
}

/* "bodies=[…]", then what the packing says of the cell: n texts. */
static int make_sets(const maker *m, char *bodies, char other[4][256])
{
    const mrn_packing *p = m->p;
    size_t room = bodies_room(m), at = (size_t)snprintf(bodies, room, "bodies=[");
    for (int t = 0; t < p->n_types; t++) {
        char entry[ENTRY];
        put_group(m, &m->kinds[t], entry);
        at += (size_t)snprintf(bodies + at, room - at, "%s%s", t > 0 ? ", " : "", entry);
    }
    snprintf(bodies + at, room - at, "]");
    snprintf(other[0], 256, "output.contacts=true");
    if (!p->periodic[0] && !p->periodic[1] && !p->periodic[2])
        return 1;
    int n = snprintf(other[1], 256, "cell.periodic=[");
    for (int k = 0, seen = 0; k < 3; k++)
        if (p->periodic[k])
            n += snprintf(other[1] + n, 256 - (size_t)n, "%s%c", seen++ > 0 ? ", " : "", 'x' + k);
    snprintf(other[1] + n, 256 - (size_t)n, "]");
    for (int i = 0; i < 2; i++) {
        const double *v = i == 0 ? p->size : p->origin;
        n = snprintf(other[2 + i], 256, "cell.%s=[%.17g, %.17g", i == 0 ? "size" : "origin", v[0],
                     v[1]);
        snprintf(other[2 + i] + n, 256 - (size_t)n, p->dimension == 3 ? ", %.17g]" : "]", v[2]);
    }
    return 4;
}

static mrn_status save_source(const maker *m, const mrn_scene *scene)
{
    mrn_atomic_file file = {0};
    mrn_status st = open_in(m, "scene.yaml", &file);
    if (st != MRN_OK)
        return st;
    fputs(scene->source, file.f);
    return mrn_atomic_finish(&file, false, m->msg);
}

static mrn_status fill_scene(const maker *m, char *bodies, mrn_scene *scene)
{
    char other[4][256], name[1024], *text = NULL;
    size_t n;
    int n_other = make_sets(m, bodies, other);
    const char *set[5] = {bodies, other[0], other[1], other[2], other[3]};
    snprintf(name, sizeof name, "%.900s/scene.yaml", m->dir);
    mrn_status st = mrn_file_load(m->opt->scene, (size_t)1 << 26, &text, &n, m->msg);
    if (st == MRN_OK)
        st = mrn_scene_read_text(text, name, set, 1 + n_other, scene, m->msg);
    mrn_free(text);
    if (st == MRN_OK)
        st = save_source(m, scene);
    mrn_scene_destroy(scene);
    *scene = (mrn_scene){0};
    return st;
}

static mrn_status adapt_scene(const maker *m)
{
    mrn_scene scene = {0};
    char *bodies = NULL;
    mrn_status st = mrn_scene_read(m->opt->scene, NULL, 0, &scene, m->msg);
    if (st == MRN_OK)
        st = cast_kinds(m, &scene);
    mrn_scene_destroy(&scene);
    if (st == MRN_OK)
        st = mrn_array(&bodies, (int64_t)bodies_room(m), 1, m->msg);
    if (st == MRN_OK) {
        scene = (mrn_scene){0};
        st = fill_scene(m, bodies, &scene);
    }
    mrn_free(bodies);
    return st;
}

mrn_status mrn_import_scene(const mrn_packing *p, const mrn_import_options *opt, const char *dir,
                            mrn_scene *scene, mrn_import_facts *facts, mrn_message *msg)
{
    maker m = {.p = p, .opt = opt, .dir = dir, .facts = facts, .msg = msg};
    char path[1024];
    mrn_status st = mrn_array(&m.kinds, p->n_types, sizeof *m.kinds, msg);
    if (st != MRN_OK)
        return st;
    find_kinds(&m);
    for (int t = 0; st == MRN_OK && t < p->n_types; t++)
        st = write_table(&m, &m.kinds[t]);
    if (st == MRN_OK)
        st = opt->scene != NULL ? adapt_scene(&m) : write_scene(&m);
    mrn_free(m.kinds);
    snprintf(path, sizeof path, "%.900s/scene.yaml", dir);
    if (st == MRN_OK)
        st = mrn_scene_read(path, NULL, 0, scene, msg);
    if (st == MRN_OK && is_sheared(p))
        mrn_import_note(facts, "the cell is slanted: scene.yaml starts from the packing sheared "
                               "back, the frame and the checkpoint have it as it is");
    return st;
}
