/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine import: a packing of another code becomes a folder that analyze, picture, export and
   run --resume understand. */
#include <math.h>
#include <string.h>

#include "app.h"
#include "session.h"

typedef struct request {
    const char *path, *out;
    /* quantities as the user wrote them; NULL: not given */
    const char *length_unit, *radius, *density, *young, *poisson, *friction, *kn, *kt, *pressure,
        *gap;
    const char *forces, *force_on;
    int64_t dimension;
    bool list, json;
    mrn_import_options o;
} request;

static const mrn_app_page page = {
    .usage = "import FILE [--contacts FILE] --out DIR [options]",
    .doc =
        "Reads grains, and contacts with their forces where --contacts names a file of them, as\n"
        "LAMMPS, LIGGGHTS, YADE or a program of your own wrote them; the format is seen from the\n"
        "content (--list tells more). DIR gets scene.yaml with the grains as tables beside it,\n"
        "ids.csv (whose number became which), trajectory.h5 with one frame and, unless forces "
        "were\n"
        "given or sought, checkpoint.h5.\n"
        "What the grains are made of stands in a scene (--scene: its bodies are replaced) or in\n"
        "options; what is not given is taken as of glass beads, and said.\n"
        "Contact forces that a file tells stand in the frame as they are: `moraine analyze DIR`\n"
        "then speaks of these. Without them the contact law has its say: overlaps give normal\n"
        "forces, tangential ones begin at zero.",
    .examples = "moraine import dump.lammps --young \"70 GPa\" --friction 0.3 --out bed\n"
                "moraine import post/grains.dump --contacts post/pairs.dump --out bed\n"
                "moraine import spheres.txt --length-unit mm --kn \"1e5 N/m\" --out pack\n"
                "moraine import grains.csv --scene box.yaml --forces equilibrium --out pack",
};

static const char *const force_words[] = {"auto", "law", "equilibrium"};
static const char *const side_words[] = {"auto", "1", "2"};

/* ---- options ---- */

static int word_of(const char *word, const char *const *words, int n)
{
    for (int i = 0; word != NULL && i < n; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return 0;
}

static mrn_status take(const char *text, const char *unit, const char *option, double *out,
                       mrn_message *msg)
{
    mrn_status st = text != NULL ? mrn_quantity(text, unit, out, msg) : MRN_OK;
    if (st != MRN_OK) {
        char what[1024];
        snprintf(what, sizeof what, "%s", msg->text);
        snprintf(msg->text, sizeof msg->text, "--%s: %.900s", option, what);
    }
    return st;
}

static mrn_status take_length_unit(request *q, mrn_message *msg)
{
    char text[64];
    if (q->length_unit == NULL)
        return MRN_OK;
    snprintf(text, sizeof text, "1 %.50s", q->length_unit);
    return take(text, "m", "length-unit", &q->o.length_unit, msg);
}

static mrn_status take_numbers(request *q, mrn_message *msg)
{
    const struct {
        const char *text, *unit, *option;
        double *out;
    } list[] = {
        {q->radius, "m", "radius", &q->o.radius},
        {q->density, "kg/m3", "density", &q->o.density},
        {q->young, "Pa", "young", &q->o.young},
        {q->poisson, "1", "poisson", &q->o.poisson},
        {q->friction, "1", "friction", &q->o.friction},
        {q->kn, "N/m", "kn", &q->o.kn},
        {q->kt, "N/m", "kt", &q->o.kt},
        {q->pressure, "Pa", "pressure", &q->o.pressure},
        {q->gap, "m", "gap", &q->o.gap},
    };
    mrn_status st = take_length_unit(q, msg);
    for (size_t i = 0; st == MRN_OK && i < sizeof list / sizeof *list; i++)
        st = take(list[i].text, list[i].unit, list[i].option, list[i].out, msg);
    q->o.dimension = (int)q->dimension;
    q->o.forces = (mrn_import_forces)word_of(q->forces, force_words, 3);
    q->o.force_on = word_of(q->force_on, side_words, 3);
    return st;
}

#define TEXT(n, t, a, d)                                                                           \
    {                                                                                              \
        .name = n, .kind = MRN_OPT_TEXT, .target = t, .arg = a, .doc = d                           \
    }

#define FLAG(n, t, d)                                                                              \
    {                                                                                              \
        .name = n, .kind = MRN_OPT_FLAG, .target = t, .doc = d                                     \
    }
#define CHOICE(n, t, a, c, d)                                                                      \
    {                                                                                              \
        .name = n, .kind = MRN_OPT_CHOICE, .target = t, .arg = a, .choices = c, .n_choices = 3,    \
        .doc = d                                                                                   \
    }

static int parse(int argc, char **argv, request *q)
{
    mrn_import_options *o = &q->o;
    const mrn_app_option options[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &q->out,
         .arg = "DIR",
         .doc = "Folder to make."},
        TEXT("format", &o->format, "NAME", "lammps, yade or csv; else seen from the content."),
        {.name = "frame",
         .kind = MRN_OPT_INTEGER,
         .target = &o->frame,
         .arg = "K",
         .doc = "Which instant of a file with several, from 0; negative from the end. Default: "
                "the last."},
        TEXT("contacts", &o->contacts, "FILE",
             "Contacts: a local dump of LIGGGHTS, or a table with columns id1, id2 and forces."),
        TEXT("columns", &o->columns, "NAMES",
             "Names of the columns of the contacts, in their order: id1,id2,-,fx,fy,fz. Unknown "
             "names are passed over."),
        CHOICE("force-on", &q->force_on, "BODY", side_words,
               "Which of the two the forces of the file act on: 1, 2, or auto: so that on the "
               "whole grains push each other."),
        FLAG("skip-unknown", &o->skip_unknown,
             "Leave out contacts with ids that no grain has (walls, facets)."),
        CHOICE("forces", &q->forces, "KIND", force_words,
               "law: from overlaps, by the contact law. equilibrium: within the friction cones, "
               "in balance with gravity and the load. auto: those of the contacts, else law."),
        TEXT("pressure", &q->pressure, "P",
             "With --forces equilibrium: isotropic load of a periodic cell."),
        TEXT("gap", &q->gap, "G",
             "With --forces equilibrium: grains closer than this count as touching. Default: 1e-5 "
             "of the smallest radius, for files of few digits."),
        TEXT("scene", &o->scene, "FILE",
             "Scene with dimension, materials, interactions, cell, walls and stages; its bodies "
             "are replaced. Types take the groups of the scene called alike, else in order."),
        {.name = "dimension",
         .kind = MRN_OPT_INTEGER,
         .target = &q->dimension,
         .arg = "D",
         .min = 2,
         .max = 3,
         .doc = "2 or 3. Default: 2 where there is no z or all are 0."},
        TEXT("density", &q->density, "RHO",
             "Of the grains, where the file tells neither density nor mass."),
        TEXT("young", &q->young, "E", "Young's modulus: Hertz-Mindlin contacts."),
        TEXT("poisson", &q->poisson, "NU", "Poisson's ratio."),
        TEXT("kn", &q->kn, "K", "Normal stiffness: linear contacts."),
        TEXT("kt", &q->kt, "K", "Tangential stiffness, with --kn."),
        TEXT("friction", &q->friction, "MU", "Coefficient of friction."),
        TEXT("periodic", &o->periodic, "AXES",
             "x,y,z or some of them, or none. Default: as the scene or the file has it."),
        TEXT("box", &o->box, "BOUNDS",
             "xlo,xhi,ylo,yhi,zlo,zhi: the periodic cell, in the unit of length of the file."),
        TEXT("length-unit", &q->length_unit, "UNIT",
             "Of the files: mm, cm, … Velocities are per second in it; all else is SI. Units in "
             "the head of a table count more."),
        TEXT("radius", &q->radius, "R", "Of all grains, whatever the file says."),
        FLAG("force", &o->overwrite, "Replace an earlier run in DIR."),
        FLAG("list", &q->list, "List the formats."),
        FLAG("json", &q->json, "Tell the outcome as JSON."),
    };
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof options[0], argc, argv,
                                &q->path, 1, &n);
    if (code < 0 && !q->list && n == 0)
        return mrn_app_usage("import", "which file? Name one with grains");
    if (code < 0 && !q->list && q->out == NULL)
        return mrn_app_usage("import", "where to? Name a folder with --out DIR");
    return code;
}

/* ---- the outcome ---- */

static int list_formats(bool json)
{
    json_t *root = json_array();
    for (int i = 0; i < mrn_import_format_count(); i++) {
        const mrn_import_format *f = mrn_import_format_at(i);
        if (json) {
            json_array_append_new(root, json_pack("{s:s, s:s, s:s}", "name", f->name, "summary",
                                                  f->summary, "doc", f->doc));
            continue;
        }
        printf("%s: %s\n  ", f->name, f->summary);
        mrn_app_wrap(stdout, f->doc, 2, mrn_app_columns(stdout));
    }
    if (json)
        return mrn_app_json(root);
    json_decref(root);
    return MRN_EXIT_OK;
}

static int tell_json(const request *q, const mrn_packing *p, const mrn_import_facts *f)
{
    json_t *notes = json_array();
    for (int i = 0; i < f->n_notes; i++)
        json_array_append_new(notes, json_string(f->note[i]));
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:i, s:I, s:i, s:I, s:I, s:b, s:b, s:f, s:I, s:I, s:o}", "out", q->out,
        "file", p->file, "format", p->format, "dimension", p->dimension, "grains", (json_int_t)p->n,
        "types", p->n_types, "contacts", (json_int_t)f->contacts, "skipped", (json_int_t)p->skipped,
        "forces", (int)f->forces, "checkpoint", (int)f->checkpoint, "max-overlap", f->max_overlap,
        "frame", (json_int_t)p->frame, "frames", (json_int_t)p->frames, "notes", notes);
    if (p->step >= 0)
        json_object_set_new(root, "step", json_integer(p->step));
    if (p->has_forces)
        json_object_set_new(root, "force-on", json_integer(p->force_on));
    if (!isnan(f->unbalanced))
        json_object_set_new(root, "unbalanced", json_real(f->unbalanced));
    return mrn_app_json(root);
}

static void tell_cell(const mrn_packing *p)
{
    const char *joint = "cell: periodic in ";
    for (int k = 0; k < 3; k++)
        if (p->periodic[k]) {
            printf("%s%c (%s)", joint, 'x' + k, mrn_readable_si(p->size[k], "m").s);
            joint = ", ";
        }
    if (joint[0] == ',')
        printf(p->tilt[0] != 0 || p->tilt[1] != 0 || p->tilt[2] != 0 ? ", slanted\n" : "\n");
}

static void tell_text(const request *q, const mrn_packing *p, const mrn_import_facts *f)
{
    printf("%s: %s grains in %dD, %s", p->file, mrn_readable_count(p->n).s, p->dimension,
           p->format);
    if (p->n_types > 1)
        printf(", %d types", p->n_types);
    if (p->frames > 1)
        printf(", frame %lld of 0 to %lld", (long long)p->frame, (long long)p->frames - 1);
    if (p->step >= 0)
        printf(", step %lld", (long long)p->step);
    printf("\n");
    tell_cell(p);
    printf("contacts: %s, largest overlap %.3g of the radius; forces: %s\n",
           mrn_readable_count(f->contacts).s, f->max_overlap,
           q->o.forces == MRN_IMPORT_EQUILIBRIUM ? "in balance with the load"
           : p->has_forces && !f->checkpoint     ? "as in the file"
           : f->forces                           ? "of the contact law"
                                                 : "none");
    if (p->skipped > 0)
        printf("left out: %s contacts with ids that no grain has\n",
               mrn_readable_count(p->skipped).s);
    for (int i = 0; i < f->n_notes; i++) {
        printf("note: ");
        mrn_app_wrap(stdout, f->note[i], 6, mrn_app_columns(stdout));
    }
    printf("\nwhat to try next:\n  %s analyze %s\n  %s picture %s\n", mrn_app_own_name(), q->out,
           mrn_app_own_name(), q->out);
    if (f->checkpoint)
        printf("  moraine run %s/scene.yaml --out %s --resume\n", q->out, q->out);
}

int mrn_cmd_import(int argc, char **argv)
{
    request q = {.o = mrn_import_default()};
    mrn_message msg = {0};
    mrn_packing packing = {0};
    mrn_import_facts facts = {0};
    int code = parse(argc, argv, &q);
    if (code >= 0)
        return code;
    if (q.list)
        return list_formats(q.json);
    mrn_status st = take_numbers(&q, &msg);
    if (st == MRN_OK)
        st = mrn_import_read(q.path, &q.o, &packing, &msg);
    if (st == MRN_OK)
        st = mrn_import_write(&packing, &q.o, q.out, &facts, &msg);
    if (st != MRN_OK)
        code = mrn_session_fail(&msg, q.json);
    else if (q.json)
        code = tell_json(&q, &packing, &facts);
    else
        tell_text(&q, &packing, &facts);
    mrn_packing_release(&packing);
    return st != MRN_OK || q.json ? code : MRN_EXIT_OK;
}
