/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The periodic cell of a scene and how it is driven: rates of strain and stresses, component by
   component or by the name of a test. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"

static const char *const axes[] = {"x", "y", "z", NULL};
static const char *const components[] = {"xx", "yy", "zz", "xy", "xz", "yz", NULL};
/* the directions that must be periodic for a component */
static const int first_of[MRN_STRAINS] = {0, 1, 2, 0, 0, 1};
static const int second_of[MRN_STRAINS] = {0, 1, 2, 1, 2, 2};

/* ---- control ---- */

static mrn_status check_component(mrn_reader *r, const mrn_node *at, int k)
{
    const mrn_cell *cell = &r->scene->cell;
    int a = first_of[k], b = second_of[k];
    if (r->check.dimension == 2 && b == 2)
        return mrn_check_fail(&r->check, at, "xx, yy, xy", "a 2D cell has no component %s",
                              components[k]);
    if (cell->periodic[a] && cell->periodic[b])
        return MRN_OK;
    const char *missing = axes[cell->periodic[a] ? b : a];
    mrn_check_fail(&r->check, at, NULL, "the cell is not periodic in %s: %s cannot be driven",
                   missing, components[k]);
    return mrn_fail_hint(r->check.msg, "add %s to `periodic`", missing);
}

/* The place of a value in messages: its key, where it has one. */
static const mrn_node *place_of(const mrn_node *n)
{
    return n->key != NULL ? n->key : n;
}

static mrn_status set_component(mrn_reader *r, const mrn_node *value, const mrn_node *at, int k,
                                mrn_control_kind kind, mrn_cell_control *out)
{
    mrn_status s = check_component(r, at, k);
    out->kind[k] = kind;
    if (s != MRN_OK)
        return s;
    return mrn_read_signal(&r->check, value, kind == MRN_CONTROL_RATE ? "1/s" : "Pa",
                           &out->target[k]);
}

/* Rates of the edges; a 0 may stand for a direction that is not periodic. */
static mrn_status read_rates(mrn_reader *r, const mrn_node *n, mrn_cell_control *out)
{
    mrn_status s = mrn_read_signals(&r->check, n, "1/s", out->target);
    const mrn_node *x = n->first;
    for (int k = 0; x != NULL && s == MRN_OK; x = x->next, k++)
        if (!mrn_signal_is_zero(&out->target[k]))
            s = check_component(r, x, k);
    return s;
}

static mrn_status read_isotropic(mrn_reader *r, const mrn_node *n, mrn_cell_control *out)
{
    mrn_status s = MRN_OK;
    for (int k = 0; k < 3 && s == MRN_OK; k++)
        if (r->scene->cell.periodic[k])
            s = set_component(r, n, place_of(n), k, MRN_CONTROL_STRESS, out);
    return s;
}

static mrn_status read_triaxial(mrn_reader *r, const mrn_node *n, int dimension,
                                mrn_cell_control *out)
{
    const mrn_node *axis = mrn_node_get(n, "axis");
    int loaded = mrn_read_word(axis, axes);
    if (r->check.dimension != dimension)
        return mrn_check_fail(&r->check, n->key, dimension == 3 ? "biaxial" : "triaxial",
                              "a %s test needs %d dimensions", n->key->text, dimension);
    if (loaded >= dimension)
        return mrn_check_fail(&r->check, axis, "x, y", "a 2D scene has no direction z");
    mrn_status s = MRN_OK;
    for (int k = 0; k < dimension && s == MRN_OK; k++)
        s = k == loaded
                ? set_component(r, mrn_node_get(n, "rate"), n->key, k, MRN_CONTROL_RATE, out)
                : set_component(r, mrn_node_get(n, "confining"), n->key, k, MRN_CONTROL_STRESS,
                                out);
    return s;
}

static mrn_status read_shear(mrn_reader *r, const mrn_node *n, mrn_cell_control *out)
{
    const mrn_node *plane = mrn_node_get(n, "plane"), *pressure = mrn_node_get(n, "pressure");
    int k = mrn_read_word(plane, components);
    mrn_status s = set_component(r, mrn_node_get(n, "rate"), plane, k, MRN_CONTROL_RATE, out);
    if (s != MRN_OK || pressure == NULL)
        return s;
    return set_component(r, pressure, plane, second_of[k], MRN_CONTROL_STRESS, out);
}

static mrn_status read_component(mrn_reader *r, const mrn_node *n, int k, mrn_cell_control *out)
{
    const mrn_node *rate = mrn_node_get(n, "rate");
    return set_component(r, rate != NULL ? rate : mrn_node_get(n, "stress"), n->key, k,
                         rate != NULL ? MRN_CONTROL_RATE : MRN_CONTROL_STRESS, out);
}

/* A test says all components: none may stand beside it. */
static mrn_status check_alone(mrn_reader *r, const mrn_node *n, const mrn_node *test)
{
    for (const mrn_node *x = n->first; x != NULL; x = x->next)
        if (mrn_read_word(x->key, components) >= 0)
            return mrn_check_fail(&r->check, x->key, "a test, or components",
                                  "'%s' cannot stand together with '%s'", x->key->text,
                                  test->key->text);
    return MRN_OK;
}

static mrn_status read_entry(mrn_reader *r, const mrn_node *n, const mrn_node *x,
                             mrn_cell_control *out)
{
    const char *key = x->key->text;
    int k = mrn_read_word(x->key, components);
    if (k >= 0)
        return read_component(r, x, k, out);
    if (mrn_key_find(&mrn_schema_control, key)->member != MRN_MEMBER_NONE)
        return MRN_OK; /* has a row */
    mrn_status s = check_alone(r, n, x);
    if (s != MRN_OK)
        return s;
    if (strcmp(key, "isotropic") == 0)
        return read_isotropic(r, x, out);
    if (strcmp(key, "simple-shear") == 0)
        return read_shear(r, x, out);
    return read_triaxial(r, x, strcmp(key, "triaxial") == 0 ? 3 : 2, out);
}

mrn_status mrn_build_control(mrn_reader *r, const mrn_node *n, mrn_cell_control *out)
{
    const mrn_node *rate = mrn_node_get(n, "rate"), *control = mrn_node_get(n, "control");
    mrn_status s = rate != NULL ? read_rates(r, rate, out) : MRN_OK;
    const mrn_node *x = control != NULL ? control->first : NULL;
    for (; x != NULL && s == MRN_OK; x = x->next)
        s = read_entry(r, control, x, out);
    return s == MRN_OK ? mrn_read_keys(&r->check, &mrn_schema_control, control, out) : s;
}

/* ---- the cell ---- */

static mrn_status build_edge(mrn_reader *r, const mrn_node *word, mrn_cell *cell)
{
    const mrn_check *c = &r->check;
    int k = word->text[0] - 'x';
    if (k == 2 && c->dimension == 2)
        return mrn_check_fail(c, word, "x, y", "a 2D scene has no direction z");
    if (cell->periodic[k])
        return mrn_check_fail(c, word, "each direction once", "the direction %s stands twice",
                              word->text);
    if (cell->size[k] <= 0) {
        const mrn_node *size = mrn_node_get(mrn_node_get(r->root, "cell"), "size");
        return mrn_check_fail(c, size, "a positive size in each periodic direction",
                              "the cell is periodic in %s, but its size there is %g m", word->text,
                              cell->size[k]);
    }
    cell->periodic[k] = true;
    return MRN_OK;
}

/* Left out, it is that of the run that the bodies come from; given, grains that came from a period
   must find the same one. */
static mrn_status match_size(mrn_reader *r, const mrn_node *n, mrn_cell *cell)
{
    const mrn_node *size = mrn_node_get(n, "size");
    const mrn_from_cell *from = &r->from;
    if (size == NULL && from->at == NULL)
        return mrn_check_fail_lacks(&r->check, &mrn_schema_cell, n,
                                    mrn_key_find(&mrn_schema_cell, "size"));
    for (int k = 0; size == NULL && k < 3; k++) {
        cell->size[k] = from->size[k];
        if (mrn_node_get(n, "origin") == NULL)
            cell->origin[k] = from->origin[k];
    }
    for (const mrn_node *x = mrn_node_get(n, "periodic")->first; x != NULL; x = x->next) {
        int k = x->text[0] - 'x';
        if (from->at == NULL || !from->periodic[k] || cell->size[k] == from->size[k])
            continue;
        mrn_check_fail(&r->check, size, NULL,
                       "the bodies of line %d come from a cell of %.17g m along %s", from->at->line,
                       from->size[k], x->text);
        mrn_fail_expected(r->check.msg, "the same size: grains touch across its faces");
        return mrn_fail_hint(r->check.msg, "leave out `size` to take it over, or cut the packing "
                                           "with `inside`");
    }
    return MRN_OK;
}

mrn_status mrn_build_cell(mrn_reader *r)
{
    const mrn_node *n = mrn_node_get(r->root, "cell");
    mrn_cell *cell = &r->scene->cell;
    if (n == NULL)
        return MRN_OK;
    mrn_status s = mrn_read_keys(&r->check, &mrn_schema_cell, n, cell);
    if (s == MRN_OK)
        s = match_size(r, n, cell);
    const mrn_node *x = mrn_node_get(n, "periodic")->first;
    for (; x != NULL && s == MRN_OK; x = x->next)
        s = build_edge(r, x, cell);
    return s == MRN_OK ? mrn_build_control(r, n, &cell->control) : s;
}
