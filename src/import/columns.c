/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables whose columns have names: which column is what, in which unit; and the grain that a row
   describes. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "import/import.h"

/* ---- numbers ---- */

double mrn_import_scaled(double v, double factor)
{
    double parts = rint(1 / factor);
    return factor < 1 && fabs(parts * factor - 1) < 1e-15 ? v / parts : v * factor;
}

int mrn_import_numbers(const mrn_text *t, const char *text, double *out, int most)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_text line = {.now = {.s = text, .n = (int)strlen(text)}};
    int n = mrn_text_split(&line, ',', cell);
    for (int i = 0; i < n && n <= most; i++)
        if (!mrn_cell_number(t, cell[i], &out[i]))
            return -1;
    return n <= most ? n : -1;
}

/* ---- names ---- */

/* A header cell "x [mm]" or "x (mm)" is a name and a unit. */
static void take_apart(mrn_cell_text c, char name[MRN_NAME], char unit[MRN_UNIT_TEXT])
{
    int n = 0, i = 0;
    for (; i < c.n && c.s[i] != '[' && c.s[i] != '(' && n < MRN_NAME - 1; i++)
        name[n++] = (char)tolower((unsigned char)c.s[i]);
    while (n > 0 && (name[n - 1] == ' ' || name[n - 1] == '_'))
        n--;
    name[n] = '\0';
    unit[0] = '\0';
    int from = i + 1, to = c.n - 1;
    if (i < c.n && to > from && (c.s[to] == ']' || c.s[to] == ')') && to - from < MRN_UNIT_TEXT) {
        memcpy(unit, c.s + from, (size_t)(to - from));
        unit[to - from] = '\0';
    }
}

static double default_factor(const char *unit, double length)
{
    bool scaled = unit != NULL && (strcmp(unit, "m") == 0 || strcmp(unit, "m/s") == 0);
    return scaled ? length : 1;
}

static mrn_status unit_factor(const mrn_text *t, mrn_cell_text c, const char *unit,
                              const char *given, double *factor)
{
    char text[MRN_UNIT_TEXT + 8];
    mrn_reading reading;
    mrn_message unread = {0}, *msg = t->msg != NULL ? t->msg : &unread;
    snprintf(text, sizeof text, "1 %s", given);
    if (mrn_units_read(t->units, text, unit, &reading, msg) != MRN_OK) {
        mrn_fail_at(msg, t->file, t->line, (int)(c.s - t->now.s) + 1);
        return msg->status;
    }
    *factor = reading.value;
    return MRN_OK;
}

static mrn_status take_column(const mrn_text *t, const mrn_column_name *names, int n_names,
                              mrn_cell_text c, double length, int at, mrn_columns *out)
{
    char name[MRN_NAME], unit[MRN_UNIT_TEXT];
    const mrn_column_name *found = NULL;
    take_apart(c, name, unit);
    for (int i = 0; i < n_names && found == NULL; i++)
        found = strcmp(names[i].name, name) == 0 ? &names[i] : NULL;
    out->kind[at] = -1;
    if (found == NULL)
        return MRN_OK;
    if (out->has[found->kind]) {
        if (found->unit == NULL) /* several ways to tell kinds apart: the first counts */
            return MRN_OK;
        return mrn_text_fail(t, c.s, "each quantity once", NULL, "a second column '%s'", name);
    }
    out->has[found->kind] = true;
    out->kind[at] = found->kind;
    out->factor[at] = default_factor(found->unit, length);
    if (unit[0] == '\0' || found->unit == NULL)
        return MRN_OK;
    return unit_factor(t, c, found->unit, unit, &out->factor[at]);
}

mrn_status mrn_columns_find(const mrn_text *t, const mrn_column_name *names, int n_names,
                            const mrn_cell_text *cells, int n, double length, mrn_columns *out)
{
    *out = (mrn_columns){.n = n};
    if (n > MRN_CELLS_MAX)
        return mrn_text_fail(t, NULL, "at most 256 columns", NULL, "too many columns");
    mrn_status st = MRN_OK;
    for (int i = 0; st == MRN_OK && i < n; i++)
        st = take_column(t, names, n_names, cells[i], length, i, out);
    return st;
}

/* ---- grains ---- */

enum {
    ID,
    TYPE,
    X,
    Y,
    Z,
    XU,
    YU,
    ZU,
    XS,
    YS,
    ZS,
    XSU,
    YSU,
    ZSU,
    IX,
    IY,
    IZ,
    RADIUS,
    DIAMETER,
    DENSITY,
    MASS,
    VX,
    VY,
    VZ,
    WX,
    WY,
    WZ,
    STEP,
    TIME,
    FORM,
    KINDS
};

static const mrn_column_name names[] = {
    {"id", ID, NULL},
    {"tag", ID, NULL},
    {"type", TYPE, NULL},
    {"group", TYPE, NULL},
    {"matid", TYPE, NULL},
    {"material", TYPE, NULL},
    {"x", X, "m"},
    {"y", Y, "m"},
    {"z", Z, "m"},
    {"xu", XU, "m"},
    {"yu", YU, "m"},
    {"zu", ZU, "m"},
    {"xs", XS, "1"},
    {"ys", YS, "1"},
    {"zs", ZS, "1"},
    {"xsu", XSU, "1"},
    {"ysu", YSU, "1"},
    {"zsu", ZSU, "1"},
    {"ix", IX, "1"},
    {"iy", IY, "1"},
    {"iz", IZ, "1"},
    {"radius", RADIUS, "m"},
    {"r", RADIUS, "m"},
    {"rad", RADIUS, "m"},
    {"diameter", DIAMETER, "m"},
    {"d", DIAMETER, "m"},
    {"diam", DIAMETER, "m"},
    {"density", DENSITY, "kg/m3"},
    {"rho", DENSITY, "kg/m3"},
    {"mass", MASS, "kg"},
    {"m", MASS, "kg"},
    {"vx", VX, "m/s"},
    {"vy", VY, "m/s"},
    {"vz", VZ, "m/s"},
    {"wx", WX, "rad/s"},
    {"wy", WY, "rad/s"},
    {"wz", WZ, "rad/s"},
    {"omegax", WX, "rad/s"},
    {"omegay", WY, "rad/s"},
    {"omegaz", WZ, "rad/s"},
    {"step", STEP, NULL},
    {"timestep", STEP, NULL},
    {"time", TIME, NULL},
    {"t", TIME, NULL},
    {"form", FORM, NULL},
};

static bool has_place(const mrn_columns *c, int axis)
{
    return c->has[X + axis] || c->has[XU + axis] || c->has[XS + axis] || c->has[XSU + axis];
}

mrn_status mrn_grains_header(mrn_raw *r, const mrn_cell_text *cells, int n)
{
    const mrn_text *t = &r->text;
    mrn_columns *c = &r->columns;
    mrn_status st =
        mrn_columns_find(t, names, sizeof names / sizeof *names, cells, n, r->opt->length_unit, c);
    if (st != MRN_OK)
        return st;
    const char *where = n > 0 ? cells[0].s : NULL;
    for (int k = 0; k < 2; k++)
        if (!has_place(c, k))
            return mrn_text_fail(t, where, "columns such as id, type, x, y, z, radius", NULL,
                                 "there is no column '%c'", 'x' + k);
    if (c->has[RADIUS] && c->has[DIAMETER])
        return mrn_text_fail(t, where, "one of them", NULL, "both radius and diameter");
    if (!c->has[RADIUS] && !c->has[DIAMETER] && isnan(r->opt->radius))
        return mrn_text_fail(t, where, "a column radius or diameter",
                             "--radius R gives all grains the same",
                             "there is no column with the sizes of the grains");
    bool scaled = !c->has[X] && !c->has[XU];
    if (scaled && !r->has_box)
        return mrn_text_fail(t, where, "x, y, z", NULL,
                             "scaled positions, but the box they are parts of is not known");
    r->has_z = r->has_z || has_place(c, 2);
    r->packing->has_ids = c->has[ID];
    r->packing->has_masses = c->has[MASS] || c->has[DENSITY];
    return MRN_OK;
}

bool mrn_grains_has_instants(const mrn_raw *r)
{
    return r->columns.has[STEP] || r->columns.has[TIME];
}

const mrn_cell_text *mrn_grains_instant(const mrn_raw *r, const mrn_cell_text *cells)
{
    const mrn_columns *c = &r->columns;
    int kind = c->has[STEP] ? STEP : TIME;
    for (int i = 0; i < c->n; i++)
        if (c->kind[i] == kind)
            return &cells[i];
    return NULL;
}

/* The number of a type; a new one where the name was not met before. */
static mrn_status type_of(mrn_raw *r, mrn_cell_text c, int *out)
{
    mrn_packing *p = r->packing;
    char name[MRN_NAME];
    snprintf(name, sizeof name, "%.*s", c.n < MRN_NAME ? c.n : MRN_NAME - 1, c.s);
    *out = r->last_type;
    if (*out < p->n_types && strcmp(p->type[*out], name) == 0)
        return MRN_OK;
    for (*out = 0; *out < p->n_types; (*out)++)
        if (strcmp(p->type[*out], name) == 0)
            break;
    r->last_type = *out;
    if (*out < p->n_types)
        return MRN_OK;
    if (p->n_types == 256)
        return mrn_text_fail(&r->text, c.s, "at most 256 types of grains", NULL,
                             "'%s' is one type too many", name);
    if (mrn_grow(&p->type, &r->types_capacity, p->n_types + 1, sizeof *p->type) != MRN_OK)
        return mrn_fail_memory(r->msg);
    memcpy(p->type[p->n_types++], name, sizeof name);
    return MRN_OK;
}

static mrn_status read_number(const mrn_raw *r, int kind, mrn_cell_text c, double *out)
{
    const mrn_text *t = &r->text;
    mrn_status st = mrn_cell_read(t, c, "a finite number", out);
    if (st != MRN_OK)
        return st;
    bool size = kind == RADIUS || kind == DIAMETER || kind == DENSITY || kind == MASS;
    if (size && !(*out > 0))
        return mrn_text_fail(t, c.s, "more than 0", NULL, "%s %.*s",
                             kind == RADIUS     ? "a radius of"
                             : kind == DIAMETER ? "a diameter of"
                             : kind == DENSITY  ? "a density of"
                                                : "a mass of",
                             mrn_cell_shown(c), c.s);
    if (kind >= IX && kind <= IZ && (*out != floor(*out) || fabs(*out) > 1e9))
        return mrn_text_fail(t, c.s, "a whole number of cells", NULL, "not an image flag: '%.*s'",
                             mrn_cell_shown(c), c.s);
    return MRN_OK;
}

static mrn_status read_id(const mrn_raw *r, mrn_cell_text c, int64_t *id)
{
    if (mrn_cell_integer(&r->text, c, id) && *id >= 0)
        return MRN_OK;
    return mrn_text_fail(&r->text, c.s, "a whole number that is not negative", NULL,
                         "not an id: '%.*s'", mrn_cell_shown(c), c.s);
}

/* Exports of moraine tell which grains have corners. */
static mrn_status check_polytope(const mrn_raw *r, mrn_cell_text c)
{
    if (c.n == 0 || mrn_cell_is(c, "0"))
        return MRN_OK;
    return mrn_text_fail(&r->text, c.s, "spheres or disks", NULL,
                         "a grain with corners: only round ones can be read");
}

static mrn_status read_cells(mrn_raw *r, const mrn_cell_text *cells, mrn_import_grain *g, double *v)
{
    mrn_status st = MRN_OK;
    for (int i = 0; st == MRN_OK && i < r->columns.n; i++) {
        int kind = r->columns.kind[i];
        if (kind == ID)
            st = read_id(r, cells[i], &g->id);
        else if (kind == TYPE)
            st = type_of(r, cells[i], &g->type);
        else if (kind == FORM)
            st = check_polytope(r, cells[i]);
        else if (kind >= 0 && kind != STEP && kind != TIME) {
            st = read_number(r, kind, cells[i], &v[kind]);
            v[kind] = mrn_import_scaled(v[kind], r->columns.factor[i]);
        }
    }
    return st;
}

/* The position of whichever kind there is; parts of the box become lengths. */
static mrn_vec3 place_of(const mrn_raw *r, const double *v)
{
    const bool *has = r->columns.has;
    if (has[X])
        return mrn_load3(&v[X]);
    if (has[XU])
        return mrn_load3(&v[XU]);
    const double *s = has[XS] ? &v[XS] : &v[XSU], *lo = r->lo, *hi = r->hi, *tilt = r->tilt;
    return mrn_v3(lo[0] + s[0] * (hi[0] - lo[0]) + s[1] * tilt[0] + s[2] * tilt[1],
                  lo[1] + s[1] * (hi[1] - lo[1]) + s[2] * tilt[2], lo[2] + s[2] * (hi[2] - lo[2]));
}

static void fill_grain(const mrn_raw *r, const double *v, mrn_import_grain *g)
{
    const bool *has = r->columns.has;
    g->line = r->text.line;
    g->x = place_of(r, v);
    g->v = mrn_load3(&v[VX]);
    g->w = mrn_load3(&v[WX]);
    g->radius = has[RADIUS] ? v[RADIUS] : has[DIAMETER] ? 0.5 * v[DIAMETER] : r->opt->radius;
    if (!isnan(r->opt->radius))
        g->radius = r->opt->radius;
    g->mass = has[MASS] ? v[MASS] : NAN;
    /* unwrapped positions tell by themselves how often a face was crossed */
    for (int k = 0; k < 3 && (has[X] || (!has[XU] && has[XS])); k++)
        g->image[k] = (int32_t)v[IX + k];
}

mrn_status mrn_grains_row(mrn_raw *r, const mrn_cell_text *cells)
{
    mrn_packing *p = r->packing;
    if (p->n == INT32_MAX / 2)
        return mrn_text_fail(&r->text, NULL, NULL, NULL, "more grains than can be counted");
    if (mrn_grow(&p->grain, &r->capacity, p->n + 1, sizeof *p->grain) != MRN_OK ||
        mrn_grow(&r->density, &r->density_capacity, p->n + 1, sizeof *r->density) != MRN_OK)
        return mrn_fail_memory(r->msg);
    double v[KINDS] = {0};
    mrn_import_grain g = {.id = p->n};
    mrn_status st = read_cells(r, cells, &g, v);
    if (st != MRN_OK)
        return st;
    fill_grain(r, v, &g);
    r->density[p->n] = r->columns.has[DENSITY] ? v[DENSITY] : NAN;
    p->moves = p->moves || mrn_norm(g.v) > 0 || mrn_norm(g.w) > 0;
    p->grain[p->n++] = g;
    return MRN_OK;
}
