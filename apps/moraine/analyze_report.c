/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `moraine analyze`: one list of items, printed as a table or as JSON. */
#include <math.h>
#include <string.h>

#include "analyze.h"

typedef enum item_kind { NUMBER, COUNT, TENSOR, VECTOR, GRADIENT } item_kind;

/* `unit` "": a pure number. `needs`: what must be known. */
enum { ALWAYS, CONTACTS, LEDGER };
typedef struct item {
    const char *section, *key, *label, *unit;
    item_kind kind;
    int needs;
    const void *value; /* double, int64_t, or doubles */
} item;

#define MOST_ITEMS 80
typedef struct list {
    int n;
    item item[MOST_ITEMS];
} list;

static void add(list *l, const char *section, int needs, item_kind kind, const char *key,
                const char *label, const char *unit, const void *value)
{
    if (l->n < MOST_ITEMS)
        l->item[l->n++] = (item){section, key, label, unit, kind, needs, value};
}

static void list_packing(const mrn_report *r, list *l)
{
    const char *s = "packing";
    add(l, s, ALWAYS, NUMBER, "time", "time", "s", &r->time);
    add(l, s, ALWAYS, COUNT, "grains", "grains", "", &r->packing.grains);
    add(l, s, ALWAYS, COUNT, "free", "free to move", "", &r->packing.free);
    add(l, s, ALWAYS, COUNT, "clusters", "clusters among them", "", &r->packing.clusters);
    add(l, s, ALWAYS, NUMBER, "mass", "mass", "kg", &r->packing.mass);
    add(l, s, ALWAYS, NUMBER, "diameter", "mean diameter", "m", &r->packing.diameter);
    add(l, s, ALWAYS, NUMBER, "smallest", "smallest", "m", &r->packing.smallest);
    add(l, s, ALWAYS, NUMBER, "largest", "largest", "m", &r->packing.largest);
    add(l, s, ALWAYS, NUMBER, "solid-fraction", "solid fraction", "", &r->packing.solid_fraction);
    add(l, s, ALWAYS, NUMBER, "void-ratio", "void ratio", "", &r->packing.void_ratio);
    add(l, s, ALWAYS, NUMBER, "height", "height", "m", &r->packing.height);
    add(l, s, ALWAYS, NUMBER, "repose-angle", "angle of repose", "degree", &r->packing.repose);
    add(l, s, ALWAYS, TENSOR, "strain", "strain of the cell", "", r->packing.strain);
}

static void list_contacts(const mrn_report *r, list *l)
{
    const char *s = "contacts";
    add(l, s, CONTACTS, COUNT, "contacts", "contacts", "", &r->network.contacts);
    add(l, s, CONTACTS, COUNT, "with-walls", "of them with walls", "", &r->network.with_walls);
    if (!isnan(r->network.simple)) { /* only grains with corners touch at more than one point */
        add(l, s, CONTACTS, COUNT, "contact-points", "contact points", "", &r->network.points);
        add(l, s, CONTACTS, NUMBER, "simple-contacts", "share with 1 point", "",
            &r->network.simple);
        add(l, s, CONTACTS, NUMBER, "double-contacts", "share with 2 points", "",
            &r->network.twofold);
        add(l, s, CONTACTS, NUMBER, "triple-contacts", "share with 3 or more", "",
            &r->network.threefold);
    }
    add(l, s, CONTACTS, NUMBER, "coordination", "coordination", "", &r->network.coordination);
    add(l, s, CONTACTS, NUMBER, "neighbours", "distinct neighbours", "", &r->network.neighbours);
    add(l, s, CONTACTS, NUMBER, "mechanical-coordination", "mechanical coordination", "",
        &r->network.mechanical);
    add(l, s, CONTACTS, NUMBER, "backbone-coordination", "z* of the backbone", "",
        &r->network.backbone);
    add(l, s, CONTACTS, NUMBER, "backbone-coordination-without-divalent",
        "z* without divalent grains", "", &r->network.backbone_without_divalent);
    add(l, s, CONTACTS, COUNT, "rattlers", "rattlers", "", &r->network.rattlers);
    add(l, s, CONTACTS, COUNT, "divalent", "divalent grains", "", &r->network.divalent);
    add(l, s, CONTACTS, NUMBER, "max-overlap", "largest overlap / r_eff", "",
        &r->network.max_overlap);
}

static void list_forces(const mrn_report *r, list *l)
{
    const char *s = "forces";
    add(l, s, CONTACTS, NUMBER, "mean", "mean force", "N", &r->forces.mean);
    add(l, s, CONTACTS, NUMBER, "mean-normal", "mean normal force", "N", &r->forces.mean_normal);
    add(l, s, CONTACTS, NUMBER, "mean-tangential", "mean tangential force", "N",
        &r->forces.mean_tangential);
    add(l, s, CONTACTS, NUMBER, "largest", "largest normal force", "N", &r->forces.largest);
    add(l, s, CONTACTS, NUMBER, "second-moment", "<f_n^2> / <f_n>^2", "", &r->forces.second_moment);
    add(l, s, CONTACTS, NUMBER, "strong", "share above the mean", "", &r->forces.strong);
    add(l, s, CONTACTS, NUMBER, "mobilised-friction", "mobilised friction |T|/(mu N)", "",
        &r->forces.mobilised);
    add(l, s, CONTACTS, NUMBER, "sliding-share", "share that slides", "", &r->forces.sliding);
}

static void list_tensors(const mrn_report *r, list *l)
{
    const char *s = "stress";
    add(l, s, CONTACTS, NUMBER, "volume", "volume averaged over", "m3", &r->stress.volume);
    add(l, s, CONTACTS, TENSOR, "total", "stress", "Pa", r->stress.total);
    add(l, s, CONTACTS, TENSOR, "contact", "of contacts", "Pa", r->stress.contact);
    add(l, s, ALWAYS, TENSOR, "kinetic", "of fluctuations", "Pa", r->stress.kinetic);
    add(l, s, CONTACTS, VECTOR, "principal", "principal stresses", "Pa", r->stress.principal);
    add(l, s, CONTACTS, NUMBER, "pressure", "pressure p", "Pa", &r->stress.pressure);
    add(l, s, CONTACTS, NUMBER, "deviator", "deviator q", "Pa", &r->stress.deviator);
    add(l, s, CONTACTS, NUMBER, "ratio", "stress ratio q/p", "", &r->stress.ratio);
    s = "fabric";
    add(l, s, CONTACTS, TENSOR, "all", "contacts between grains", "", r->fabric.all);
    add(l, s, CONTACTS, TENSOR, "bearing", "those that bear", "", r->fabric.bearing);
    add(l, s, CONTACTS, TENSOR, "strong", "those above the mean", "", r->fabric.strong);
    add(l, s, CONTACTS, NUMBER, "deviator", "deviator", "", &r->fabric.deviator);
    add(l, s, CONTACTS, NUMBER, "bearing-deviator", "deviator, bearing", "",
        &r->fabric.bearing_deviator);
    add(l, s, CONTACTS, NUMBER, "strong-deviator", "deviator, strong", "",
        &r->fabric.strong_deviator);
}

static void list_flow(const mrn_report *r, list *l)
{
    const char *s = "flow";
    add(l, s, ALWAYS, VECTOR, "velocity", "mean velocity", "m/s", r->flow.velocity);
    add(l, s, ALWAYS, NUMBER, "max-speed", "largest speed", "m/s", &r->flow.max_speed);
    add(l, s, ALWAYS, GRADIENT, "gradient", "velocity gradient", "1/s", r->flow.gradient);
    add(l, s, ALWAYS, NUMBER, "shear-rate", "shear rate", "1/s", &r->flow.rate);
    add(l, s, CONTACTS, NUMBER, "inertial-number", "inertial number", "", &r->flow.inertial_number);
    add(l, s, ALWAYS, NUMBER, "granular-temperature", "granular temperature", "m2/s2",
        &r->flow.temperature);
}

static void list_energy(const mrn_report *r, list *l)
{
    const char *s = "energy";
    add(l, s, ALWAYS, NUMBER, "kinetic", "kinetic", "J", &r->energy.kinetic);
    add(l, s, ALWAYS, NUMBER, "rotational", "rotational", "J", &r->energy.rotational);
    add(l, s, LEDGER, NUMBER, "elastic", "elastic", "J", &r->energy.elastic);
    add(l, s, ALWAYS, NUMBER, "gravity", "gravity", "J", &r->energy.gravity);
    add(l, s, LEDGER, NUMBER, "total", "total", "J", &r->energy.total);
    add(l, s, LEDGER, NUMBER, "lost-normal", "lost by normal laws", "J", &r->ledger.lost_normal);
    add(l, s, LEDGER, NUMBER, "lost-tangential", "lost by friction", "J",
        &r->ledger.lost_tangential);
    add(l, s, LEDGER, NUMBER, "lost-damping", "lost by damping", "J", &r->ledger.lost_damping);
    add(l, s, LEDGER, NUMBER, "wall-work", "work of walls", "J", &r->ledger.wall_work);
    add(l, s, LEDGER, NUMBER, "cell-work", "work of the cell", "J", &r->ledger.cell_work);
    add(l, s, LEDGER, NUMBER, "drive-work", "work of drives", "J", &r->ledger.drive_work);
    add(l, s, LEDGER, NUMBER, "residual", "not accounted for", "J", &r->energy.residual);
}

static bool known(const mrn_sample *s, const item *i)
{
    if (i->needs == CONTACTS)
        return s->has_contacts;
    return i->needs != LEDGER || !s->from_frame;
}

static void list_all(const mrn_sample *s, const mrn_report *r, list *l)
{
    list all = {0};
    list_packing(r, &all);
    list_contacts(r, &all);
    list_forces(r, &all);
    list_tensors(r, &all);
    list_flow(r, &all);
    list_energy(r, &all);
    l->n = 0;
    for (int i = 0; i < all.n; i++)
        if (known(s, &all.item[i]))
            l->item[l->n++] = all.item[i];
}

/* ---- as a table ---- */

static int numbers_of(const item *i)
{
    return i->kind == TENSOR ? 6 : i->kind == VECTOR ? 3 : i->kind == GRADIENT ? 9 : 1;
}

static bool all_zero(const item *i)
{
    const double *v = i->value;
    for (int k = 0; k < numbers_of(i); k++)
        if (v[k] != 0)
            return false;
    return true;
}

/* Tensors in one line: a scale in front keeps the columns short. */
static void tensor_text(const item *i, int dimension, char *out, size_t room)
{
    static const char *const six[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    static const char *const nine[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
    const double *v = i->value;
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < numbers_of(i) && used < room; k++) {
        const char *name = i->kind == TENSOR ? six[k] : i->kind == GRADIENT ? nine[k] : "";
        if (dimension == 2 && (strchr(name, 'z') != NULL || (i->kind == VECTOR && k == 2)))
            continue;
        int wrote = snprintf(out + used, room - used, "%s%s%s%.4g", used > 0 ? "  " : "", name,
                             name[0] != '\0' ? " " : "", v[k]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (i->unit[0] != '\0' && used < room)
        snprintf(out + used, room - used, "  %s", i->unit);
}

static void item_text(const item *i, int dimension, char *out, size_t room)
{
    if (i->kind == COUNT) {
        snprintf(out, room, "%s", mrn_readable_count(*(const int64_t *)i->value).s);
    } else if (i->kind != NUMBER) {
        tensor_text(i, dimension, out, room);
    } else {
        double v = *(const double *)i->value;
        if (isnan(v))
            snprintf(out, room, "-");
        else if (i->unit[0] == '\0')
            snprintf(out, room, "%.5g", v);
        else
            snprintf(out, room, "%s", mrn_readable_si(v, i->unit).s);
    }
}

static void print_head(const mrn_sample *s, FILE *f)
{
    fprintf(f, "%s", s->file);
    if (s->from_frame)
        fprintf(f, ", frame %lld of %lld", (long long)s->index, (long long)s->frames);
    fprintf(f, "\n");
    if (!s->has_contacts)
        fprintf(f, "The trajectory holds no contacts, so nothing can be said of forces, stress and "
                   "fabric\n(output: {contacts: true} stores them).\n");
}

void mrn_analyze_print(const mrn_sample *s, const mrn_report *r, FILE *f)
{
    list l;
    const char *section = "";
    char text[400];
    int width = 0;
    list_all(s, r, &l);
    print_head(s, f);
    for (int i = 0; i < l.n; i++)
        width = mrn_app_width(l.item[i].label) > width ? mrn_app_width(l.item[i].label) : width;
    for (int i = 0; i < l.n; i++) {
        const item *x = &l.item[i];
        if (strcmp(section, x->section) != 0)
            fprintf(f, "\n%s%s%s\n", mrn_app_style_code(f, MRN_BOLD), x->section,
                    mrn_app_style_code(f, MRN_PLAIN));
        section = x->section;
        bool dull = x->kind >= TENSOR && all_zero(x) &&
                    (x->kind == GRADIENT || strcmp(x->key, "strain") == 0);
        if (dull)
            continue;
        item_text(x, r->dimension, text, sizeof text);
        fputs("  ", f);
        mrn_app_pad(f, x->label, width + 2, false);
        fprintf(f, "%s\n", text);
    }
}

/* ---- as JSON ---- */

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *item_json(const item *i)
{
    if (i->kind == COUNT)
        return json_integer(*(const int64_t *)i->value);
    const double *v = i->value;
    if (i->kind == NUMBER)
        return number(*v);
    json_t *all = json_array();
    for (int k = 0; k < numbers_of(i); k++)
        json_array_append_new(all, number(v[k]));
    return all;
}

json_t *mrn_analyze_json(const mrn_sample *s, const mrn_report *r)
{
    list l;
    list_all(s, r, &l);
    json_t *root = json_pack("{s:s, s:b, s:i}", "file", s->file, "contacts-known", s->has_contacts,
                             "dimension", r->dimension);
    if (s->from_frame)
        json_object_set_new(root, "frame", json_integer(s->index));
    json_object_set_new(root, "tensor-order",
                        json_pack("[s, s, s, s, s, s]", "xx", "yy", "zz", "xy", "xz", "yz"));
    for (int i = 0; i < l.n; i++) {
        const item *x = &l.item[i];
        if (json_object_get(root, x->section) == NULL)
            json_object_set_new(root, x->section, json_object());
        json_object_set_new(json_object_get(root, x->section), x->key, item_json(x));
    }
    return root;
}
