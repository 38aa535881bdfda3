/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of scenes, of the lab and of calibrations as Markdown pages, from the tables: every
   mapping, law, shape and probe. */
#include <string.h>

#include "moraine/engine.h"
#include "moraine/io.h"
#include "scene/format.h"
#include "scene/units.h"

#define SECTIONS_MAX 128

/* Mappings in the order in which they are first met; each becomes a section. */
typedef struct page {
    FILE *out;
    const mrn_schema *section[SECTIONS_MAX];
    int n;
    const char *laws; /* the page with the laws; "": this one */
} page;

static void print_range(FILE *out, const mrn_schema *f)
{
    if (isfinite(f->min) && f->min == -f->max)
        fprintf(out, ", within ±%.6g", f->max);
    else {
        if (isfinite(f->min))
            fprintf(out, ", %s %.6g", f->min_open ? "above" : "at least", f->min);
        if (isfinite(f->max))
            fprintf(out, ", at most %.6g", f->max);
    }
}

static void print_words(FILE *out, const mrn_schema *f)
{
    for (int i = 0; f->words[i] != NULL; i++)
        fprintf(out, "%s`%s`", i > 0 ? ", " : "", f->words[i]);
}

/* The anchor of a section, as Markdown makes it from the heading. */
static void print_link(FILE *out, const mrn_schema *f)
{
    fprintf(out, "[%s](#", f->name);
    for (const char *p = f->name; *p != '\0'; p++)
        fputc(*p == ' ' ? '-' : *p, out);
    fputc(')', out);
}

static void note_section(page *p, const mrn_schema *f)
{
    for (int i = 0; i < p->n; i++)
        if (p->section[i] == f || strcmp(p->section[i]->name, f->name) == 0)
            return;
    if (p->n < SECTIONS_MAX && f->shape == NULL && f->solver == NULL)
        p->section[p->n++] = f;
}

static void print_signal(page *p, const mrn_schema *f)
{
    note_section(p, f->map);
    fprintf(p->out, "%s(#signal) in %s",
            f->kind == MRN_SCHEMA_SIGNAL ? "[signal]" : "vector of [signals]", f->unit);
    if (f->kind == MRN_SCHEMA_SIGNAL)
        print_range(p->out, f);
    fputs(f->kind == MRN_SCHEMA_TURNS ? "; one signal in 2D" : "", p->out);
}

/* What a value looks like, in a few words. */
static void print_form(page *p, const mrn_schema *f)
{
    FILE *out = p->out;
    switch (f->kind) {
    case MRN_SCHEMA_QUANTITY:
        if (strcmp(f->unit, "1") == 0)
            fputs("number", out);
        else
            fprintf(out, "quantity in %s", f->unit);
        print_range(out, f);
        return;
    case MRN_SCHEMA_MEASURE:
        fputs("quantity", out);
        return;
    case MRN_SCHEMA_INTEGER:
        fputs("whole number", out);
        print_range(out, f);
        return;
    case MRN_SCHEMA_FLAG:
        fputs("`true` or `false`", out);
        return;
    case MRN_SCHEMA_TEXT:
        fputs("text", out);
        return;
    case MRN_SCHEMA_NAME:
        fputs("name", out);
        return;
    case MRN_SCHEMA_PROBE:
        fprintf(out, "[probe](%s#probes)", p->laws);
        return;
    case MRN_SCHEMA_WORD:
        print_words(out, f);
        return;
    case MRN_SCHEMA_LAW:
        fprintf(out, "[law](%s#laws)", p->laws);
        return;
    case MRN_SCHEMA_SOLVER:
        fputs("[solver](#solvers)", out);
        return;
    case MRN_SCHEMA_PART:
        fprintf(out, "[%s law](%s#parts-of-laws) or `none`", mrn_law_kind_name(f->part), p->laws);
        return;
    case MRN_SCHEMA_SIGNAL:
    case MRN_SCHEMA_SIGNALS:
    case MRN_SCHEMA_TURNS:
        print_signal(p, f);
        return;
    case MRN_SCHEMA_FILE:
        fputs(p->laws[0] == '\0' ? "file, relative to the scene" : "file, relative to this one",
              out);
        return;
    case MRN_SCHEMA_VECTOR:
        fprintf(out, "vector in %s", f->unit);
        return;
    case MRN_SCHEMA_SPIN:
        fprintf(out, "vector in %s; one quantity in 2D", f->unit);
        return;
    case MRN_SCHEMA_BOX:
        fputs("two corners in m", out);
        return;
    case MRN_SCHEMA_LIST:
        fputs("list of ", out);
        print_form(p, f->item);
        return;
    case MRN_SCHEMA_TABLE:
        fprintf(out, "mapping from %s to ", f->paths ? "paths" : "names");
        print_form(p, f->item);
        return;
    case MRN_SCHEMA_MAP:
        note_section(p, f);
        print_link(out, f);
        return;
    case MRN_SCHEMA_EITHER:
        for (int i = 0, n = 0; i < 3; i++) {
            const mrn_schema *of = i == 0 ? f->scalar : i == 1 ? f->list : f->map;
            if (of == NULL)
                continue;
            fputs(n++ > 0 ? ", or " : "", out);
            print_form(p, of);
        }
        return;
    }
}

/* A table cell: bars would end it. */
static void print_cell(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fputs(*text == '|' ? "\\|" : *text == '\n' ? " " : (char[]){*text, '\0'}, out);
}

static void print_default(FILE *out, const mrn_keys *keys, const mrn_key *k)
{
    const mrn_param *p = k->schema->param;
    char words[80];
    const char *usual = mrn_key_usual(k, words, sizeof words);
    if (k->required && k->unless != NULL)
        fprintf(out, "**required** without `%s`", k->unless);
    else if (k->required)
        fputs("**required**", out);
    else if (k->group != 0 && strchr(keys->one_of, k->group) != NULL)
        fputs("one of these", out);
    else if (usual != NULL)
        print_cell(out, usual);
    else if (p != NULL && p->kind == MRN_P_FLAG)
        fputs(p->fallback > 0 ? "true" : "false", out);
    else if (p != NULL && p->kind == MRN_P_CHOICE && p->fallback >= 0)
        fputs(p->choices[(int)p->fallback], out);
    else if (p != NULL && p->kind == MRN_P_NUMBER && isfinite(p->fallback))
        fprintf(out, "%.6g", p->fallback);
}

static void print_keys(page *p, const mrn_keys *keys)
{
    if (keys->n == 0)
        return;
    fputs("| key | value | default | meaning |\n|---|---|---|---|\n", p->out);
    for (int i = 0; i < keys->n; i++) {
        const mrn_key *k = &keys->key[i];
        fprintf(p->out, "| `%s` | ", k->name);
        print_form(p, k->schema);
        fputs(" | ", p->out);
        print_default(p->out, keys, k);
        fputs(" | ", p->out);
        print_cell(p->out, k->doc);
        if (k->example != NULL) {
            fputs(" Example: `", p->out);
            print_cell(p->out, k->example);
            fputc('`', p->out);
        }
        fputs(" |\n", p->out);
    }
    fputc('\n', p->out);
}

static void print_section(page *p, const mrn_schema *f)
{
    fprintf(p->out, "## %s\n\n%s\n\n", f->name, f->doc);
    mrn_keys keys;
    mrn_schema_keys(f, NULL, &keys);
    print_keys(p, &keys);
    if (f->more == MRN_MORE_LAW)
        fprintf(p->out,
                "The parameters of the law stand beside these keys: see [laws](%s#laws).\n\n",
                p->laws);
    if (f->more == MRN_MORE_GRAINS || f->more == MRN_MORE_WALLS)
        fputs("What each shape wants: see [shapes](#shapes).\n\n", p->out);
}

static void print_laws(page *p)
{
    static const mrn_schema alone = {.kind = MRN_SCHEMA_MAP, .more = MRN_MORE_LAW};
    fputs("## laws\n\n", p->out);
    for (int i = 0; i < mrn_law_model_count(); i++) {
        const mrn_law_model *m = mrn_law_model_at(i);
        mrn_keys keys;
        mrn_schema_keys(&alone, m, &keys);
        fprintf(p->out, "### law %s\n\n%s.\n\n%s\n\n", m->name, m->summary, m->doc);
        print_keys(p, &keys);
    }
}

/* One part of a law: what it is, what it wants, what it remembers. */
static void print_part(page *p, const mrn_law *law)
{
    static const mrn_schema alone = {.kind = MRN_SCHEMA_MAP, .more = MRN_MORE_LAW};
    mrn_law_model m = {.part = {[0] = NULL}};
    m.part[law->kind] = law;
    mrn_keys keys;
    mrn_schema_keys(&alone, &m, &keys);
    fprintf(p->out, "### %s law %s\n\n%s.\n\n%s\n\n", mrn_law_kind_name(law->kind), law->name,
            law->summary, law->doc);
    print_keys(p, &keys);
}

static void print_parts(page *p)
{
    fputs("## parts of laws\n\nA law is a normal part with, if wanted, a tangential, a rolling, a "
          "twisting and a cohesion part. A scene may put its own together: "
          "`law: {model: hertz-mindlin, rolling: none}`; see [mixture](#mixture).\n\n",
          p->out);
    for (int kind = 0; kind < MRN_LAW_KINDS; kind++)
        for (int i = 0; i < mrn_law_count(); i++)
            if ((int)mrn_law_at(i)->kind == kind)
                print_part(p, mrn_law_at(i));
}

static void print_shapes(page *p)
{
    fputs("## shapes\n\n", p->out);
    for (int i = 0; i < mrn_shape_type_count(); i++) {
        const mrn_shape_type *t = mrn_shape_type_at(i);
        mrn_schema schema = {.kind = MRN_SCHEMA_MAP, .more = MRN_MORE_SHAPE, .shape = t};
        mrn_keys keys;
        mrn_schema_keys(&schema, NULL, &keys);
        fprintf(p->out, "### %s\n\n", t->name); /* where links to the shape lead */
        fprintf(p->out, "%s (%s; %s%s%s).\n\n%s\n\n", t->summary, t->grain ? "grains" : "walls",
                t->in_2d ? "2D" : "", t->in_2d && t->in_3d ? ", " : "", t->in_3d ? "3D" : "",
                t->doc);
        print_keys(p, &keys);
        const mrn_param *main = mrn_shape_main_param(t);
        if (main != NULL)
            fprintf(p->out, "`%s: […]` is short for `%s: {%s: […]}`.\n\n", t->name, t->name,
                    main->name);
    }
}

static void print_solvers(page *p)
{
    fputs("## solvers\n\nOf the contact problems of method nonsmooth.\n\n", p->out);
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *solver = mrn_solver_at(i);
        mrn_schema schema = {.kind = MRN_SCHEMA_MAP, .more = MRN_MORE_SOLVER, .solver = solver};
        mrn_keys keys;
        mrn_schema_keys(&schema, NULL, &keys);
        fprintf(p->out, "### %s\n\n%s.\n\n%s\n\n%s\n\n", solver->name, solver->summary, solver->doc,
                solver->advice);
        print_keys(p, &keys);
    }
}

static void print_probes(FILE *out)
{
    fputs("## probes\n\nNumbers of the running world, for `until` and `output`.\n\n"
          "| probe | unit | meaning |\n|---|---|---|\n",
          out);
    for (int i = 0; i < mrn_probe_count(); i++) {
        const mrn_probe *probe = mrn_probe_at(i);
        fprintf(out, "| `%s` | %s | ", probe->name, probe->unit);
        print_cell(out, probe->doc);
        fputs(" |\n", out);
    }
    fputs("| `walls.NAME.force.x` … `z` | N | force of the grains on a wall |\n"
          "| `walls.NAME.torque.x` … `z` | N m | torque of the grains on a wall |\n"
          "| `walls.NAME.position.x` … `z` | m | place of a wall |\n"
          "| `groups.NAME.count`, `mean-x`, `mean-y`, `mean-z`, `mean-speed` | | of a body group "
          "|\n"
          "| `groups.NAME.position.x` … `z`, `velocity.x` … `z` | m, m/s | centre of mass of a "
          "group |\n"
          "| `groups.NAME.spin.x` … `z` | rad/s | mean angular velocity of its grains |\n"
          "| `groups.NAME.turn.x` … `z`, `tilt` | degree | rotation since the start as a vector; "
          "how far what pointed up then leans now (means; of listed grains) |\n"
          "| `groups.NAME.force.x` … `z`, `moment.x` … `z` | N, N m | of all contacts with others, "
          "moments about its centre of mass |\n"
          "| `groups.NAME.from.OTHER.force.x` … `moment.z` | N, N m | of the contacts with one "
          "other group or wall |\n"
          "| `bodies.NAME/K.position.x` … | | all these of one grain of a group, counted from 0 "
          "|\n"
          "| `deposit.x` … `z` | m | length of the largest set of free grains that hang together "
          "|\n\n",
          out);
}

static void print_intro(FILE *out)
{
    fputs(
        "# Scene files\n\n"
        "A scene is a YAML file. Unknown keys, wrong units and values out of range are errors "
        "with the "
        "place and a cure. This page is made from the tables of the reader; `moraine schema` "
        "prints them as "
        "JSON Schema, so that an editor completes and checks scenes: `moraine schema > "
        "scene.schema.json`, and as first line of a scene "
        "`# yaml-language-server: $schema=scene.schema.json`.\n\n"
        "**Quantities** are a number and a unit: `2 mm`, `70 GPa`, `30 deg`, `30 rpm`, `2500 "
        "kg/m3`, "
        "`9.81 m/s2`, `0.1 1/s`. A bare number is SI. Units are those of udunits2, plus `deg` "
        "and `rev`.\n\n"
        "**Vectors** are lists of quantities: `[0, 0, -9.81]` in 3D, `[0, -9.81]` in 2D. A "
        "rotation in 2D is "
        "one quantity, about the z axis.\n\n"
        "**Signals** are values that may depend on time: a quantity, an expression of `t` and `s` "
        "in SI (`5e-3*sin(2*pi*50*t)`), or a table from a file; see [signal](#signal).\n\n"
        "**Names** consist of letters, digits, `-` and `_`. **Files** are sought in the folder "
        "of the "
        "scene.\n\n"
        "YAML's anchors (`&a`), aliases (`*a`) and merge keys (`<<: *a`) may be used. From the "
        "command line "
        "`--set path=value` changes or adds a value before the scene is checked: "
        "`--set bodies.beads.count=200`, `--set interactions.0.friction=0.3`.\n\n",
        out);
}

mrn_status mrn_scene_reference(FILE *out)
{
    page p = {.out = out, .section = {&mrn_schema_scene}, .n = 1, .laws = ""};
    print_intro(out);
    int done = 0;
    for (; done < p.n; done++) /* sections met on the way are added at the end */
        print_section(&p, p.section[done]);
    print_laws(&p);
    print_parts(&p);
    print_shapes(&p);
    for (; done < p.n; done++) /* those that only shapes use */
        print_section(&p, p.section[done]);
    print_solvers(&p);
    print_probes(out);
    return ferror(out) ? MRN_ERR_IO : MRN_OK;
}

static void print_lab_intro(FILE *out)
{
    fputs("# Files of the lab\n\n"
          "Collisions, experiments and what is asked of them, for `moraine collide`, `compare`, "
          "`sensitivity` and `fit`. YAML, read as strictly as [scenes](scene.md): quantities have "
          "units, unknown keys are errors with the place and a cure, `--set path=value` changes a "
          "value before it is checked. `moraine schema lab` prints the format as JSON Schema.\n\n",
          out);
}

mrn_status mrn_lab_reference(FILE *out)
{
    page p = {.out = out, .section = {&mrn_schema_lab}, .n = 1, .laws = "scene.md"};
    print_lab_intro(out);
    for (int done = 0; done < p.n; done++)
        print_section(&p, p.section[done]);
    return ferror(out) ? MRN_ERR_IO : MRN_OK;
}

static void print_calibration_intro(FILE *out)
{
    fputs(
        "# Calibrations\n\n"
        "Parameters of scenes from bulk tests, for `moraine calibrate`. YAML, read as strictly as "
        "[scenes](scene.md): quantities have units, unknown keys are errors with the place and a "
        "cure, `--set path=value` changes a value before it is checked. The scenes are read too, "
        "with every parameter at its bounds, before anything is run. `moraine schema "
        "calibration` prints the format as JSON Schema.\n\n",
        out);
}

mrn_status mrn_calibration_reference(FILE *out)
{
    page p = {.out = out, .section = {&mrn_schema_calibration}, .n = 1, .laws = "scene.md"};
    print_calibration_intro(out);
    for (int done = 0; done < p.n; done++)
        print_section(&p, p.section[done]);
    return ferror(out) ? MRN_ERR_IO : MRN_OK;
}
