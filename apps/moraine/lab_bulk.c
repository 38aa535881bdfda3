/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A law from single collisions carried into a scene of many balls: a heap, or a drum that turns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab_parts.h"

/* ---- the parts that both scenes have ---- */

static void put_material(FILE *f, const char *name, const mrn_collision *c, int of)
{
    double density = isfinite(c->density[of]) ? c->density[of] : c->density[0];
    fprintf(f, "  %s: {density: %.17g kg/m3", name, density);
    if (isfinite(c->young[of]))
        fprintf(f, ", young: %.17g Pa", c->young[of]);
    if (isfinite(c->poisson[of]))
        fprintf(f, ", poisson: %.17g", c->poisson[of]);
    fputs("}\n", f);
}

/* The model by its parts, so that mixtures are said too, and what was given or found of it. */
static void put_law(FILE *f, const mrn_collision *c)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&c->model, param);
    fputs("law: {", f);
    for (int k = 0, some = 0; k < MRN_LAW_KINDS; k++)
        if (c->model.part[k] != NULL)
            fprintf(f, "%s%s: %s", some++ > 0 ? ", " : "", mrn_law_kind_name((mrn_law_kind)k),
                    c->model.part[k]->name);
    fputs("}", f);
    for (int i = 0; i < n; i++) {
        const mrn_value *v = &c->value[i];
        if (!v->given)
            continue;
        if (param[i]->kind == MRN_P_CHOICE)
            fprintf(f, ",\n     %s: %s", param[i]->name, param[i]->choices[(int)v->number]);
        else
            fprintf(f, ",\n     %s: %.17g%s%s", param[i]->name, v->number,
                    strcmp(param[i]->unit, "1") == 0 ? "" : " ",
                    strcmp(param[i]->unit, "1") == 0 ? "" : param[i]->unit);
    }
}

static void put_interactions(FILE *f, const mrn_collision *c)
{
    bool plane = isinf(c->radius[1]);
    fputs("\ninteractions:\n", f);
    fprintf(f, "  # as measured: %s\n", plane ? "a ball on a plate" : "a ball on a ball");
    fprintf(f, "  - {between: [ball, %s], ", plane ? "plate" : "ball");
    put_law(f, c);
    fprintf(f, "}\n  # not measured: the same law with the same numbers%s\n",
            plane ? " and the stiffness of two balls" : "");
    fputs("  - {between: any, ", f);
    put_law(f, c);
    fputs("}\n", f);
}

static void put_head(FILE *f, const mrn_bulk_scene *b)
{
    const mrn_collision *c = &b->collision;
    bool rigid = strcmp(c->model.part[MRN_LAW_NORMAL]->name, "rigid") == 0;
    fprintf(f,
            "# %s: law %s with the parameters that moraine fit found in %s\n"
            "#\n#   moraine run %s\n\nmoraine: 1\ntitle: %s, law %s as fitted\ndimension: 3\n"
            "seed: 1\n%s\nmaterials:\n",
            b->what, b->law, b->file, b->path, b->what, b->law, rigid ? "method: nonsmooth\n" : "");
    put_material(f, "ball", c, 0);
    put_material(f, "plate", c, isinf(c->radius[1]) ? 1 : 0);
    put_interactions(f, c);
}

/* ---- heap: a column that is set free on a rough plate ---- */

static void put_heap(FILE *f, double d)
{
    double wide = 2.8 * d, low = 0.7 * d, high = 24 * d;
    fprintf(
        f,
        "\nbodies:\n  - {name: balls, material: ball, count: 300,\n"
        "     shape: {sphere: {diameter: {uniform: [%.9g, %.9g]}}},\n"
        "     place: {fill: {cylinder: {from: [0, 0, %.9g], to: [0, 0, %.9g], radius: %.9g}}}}\n"
        "  # the plate is rough: balls that do not move\n"
        "  - {name: rough, material: plate, shape: {sphere: {diameter: %.9g}}, fixed: true,\n"
        "     place: {lattice: {kind: cubic, spacing: %.9g,\n"
        "                       box: [[%.9g, %.9g, %.9g], [%.9g, %.9g, %.9g]]}}}\n",
        0.9 * d, 1.1 * d, low, high, wide, d, 1.2 * d, -12 * d, -12 * d, -0.5 * d, 12 * d, 12 * d,
        0.5 * d);
    fprintf(f,
            "\nwalls:\n"
            "  - {name: floor, material: plate, plane: {point: [0, 0, %.9g], normal: [0, 0, 1]}}\n"
            "  - {name: tube, material: plate,\n"
            "     cylinder: {from: [0, 0, %.9g], to: [0, 0, %.9g], radius: %.9g, open: both}}\n",
            -0.5 * d, low, high + d, wide);
    double fall = sqrt(high / 9.81); /* from the top of the column, about */
    fprintf(f,
            "\ngravity: [0, 0, -9.81 m/s2]\naccuracy: quick\n\nstages:\n"
            "  - {name: settle, until: {time: %.3g s}}\n"
            "  - {name: heap, remove: [tube], until: {time: %.3g s}}\n\n"
            "output:\n  every: %.3g s\n  probes-every: %.3g s\n"
            "  probes: [usual, repose-angle, deposit.x]\n",
            2 * fall, 4 * fall, 0.2 * fall, 0.05 * fall);
}

/* ---- drum ---- */

static void put_drum(FILE *f, double d)
{
    double radius = 7 * d, spin = sqrt(0.02 * 9.81 / radius); /* Froude's number 0.02: it rolls */
    fprintf(
        f,
        "\nbodies:\n"
        "  - {name: balls, material: ball, shape: {sphere: {diameter: {uniform: [%.9g, %.9g]}}},\n"
        "     count: 260, place: {fill: {box: [[%.9g, 0, %.9g], [%.9g, %.9g, %.9g]]}}}\n"
        "\nwalls:\n  - {name: drum, material: plate, cylinder: {from: [0, 0, 0], to: [0, %.9g, 0], "
        "radius: %.9g}}\n\ngravity: [0, 0, -9.81 m/s2]\naccuracy: quick\n\nstages:\n",
        0.9 * d, 1.1 * d, -4.5 * d, -4.5 * d, 4.5 * d, 5 * d, 4.5 * d, 5 * d, radius);
    double fall = sqrt(2 * radius / 9.81), turn = 2 * 3.14159265358979 / spin;
    fprintf(
        f,
        "  - {name: settle, until: {time: %.3g s}}\n"
        "  # three quarters of a turn, at Froude's number 0.02\n"
        "  - {name: turn, walls: {drum: {motion: {spin: [0, %.9g rad/s, 0]}}}, until: {time: %.3g "
        "s}}\n\noutput:\n  every: %.3g s\n  probes-every: %.3g s\n"
        "  probes: [usual, surface-angle, walls.drum.torque.y]\n",
        2 * fall, spin, 0.75 * turn, turn / 50, turn / 200);
}

/* ---- all ---- */

/* What the reader of scenes makes of it: a law may ask for what the experiment did not have. */
static mrn_status read_back(const char *path, mrn_message *msg)
{
    mrn_scene scene;
    mrn_status status = mrn_scene_read(path, NULL, 0, &scene, msg);
    if (status == MRN_OK)
        mrn_scene_destroy(&scene);
    return status;
}

mrn_status mrn_bulk_scene_write(const mrn_bulk_scene *b, mrn_message *msg)
{
    mrn_atomic_file file;
    mrn_status status = mrn_atomic_open(b->path, &file, msg);
    if (status != MRN_OK)
        return status;
    put_head(file.f, b);
    if (strcmp(b->kind, "drum") == 0)
        put_drum(file.f, 2 * b->collision.radius[0]);
    else
        put_heap(file.f, 2 * b->collision.radius[0]);
    status = mrn_atomic_commit(&file, msg);
    return status == MRN_OK ? read_back(b->path, msg) : status;
}
