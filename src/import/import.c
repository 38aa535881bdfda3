/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packings of other codes: finds out the format, reads, and settles what the columns alone do not
   say: dimension, cell, images, order. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "import/import.h"

typedef struct format {
    mrn_import_format given;
    mrn_status (*read)(mrn_raw *r);
} format;

static const format formats[] = {
    {{"lammps", "text dumps of LAMMPS and LIGGGHTS",
      "Blocks ITEM: TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS [xy xz yz] pp pp ff, ATOMS with named "
      "columns in any order: id type x y z (or xs, xu, xsu …) ix iy iz radius (or diameter) "
      "density "
      "mass vx vy vz omegax omegay omegaz; others are passed over. Contacts: ITEM: ENTRIES, the "
      "columns of compute pair/gran/local (pos, id, force): x1 y1 z1 x2 y2 z2 id1 id2 periodic fx "
      "fy fz …, unless --columns says otherwise."},
     mrn_import_lammps},
    {{"yade", "texts of YADE: export.text, export.textExt, SpherePack.save",
      "Rows x y z r [matId], with #format x_y_z_r, x_y_z_r_matId, id_x_y_z_r_matId or "
      "x_y_z_r_attrs in the first line, and ##PERIODIC:: lx ly lz where the pack has a cell. "
      "Contacts: a table with a header line, id1 id2 nx ny nz fnx fny fnz fsx fsy fsz."},
     mrn_import_yade},
    {{"csv", "tables with a header line",
      "Separated by commas, semicolons, tabs or blanks; names id, type, x, y, z, radius or "
      "diameter, density, mass, vx …, wx …, with units as in \"x [mm]\"; others are passed over. A "
      "column time or step tells instants apart. Contacts: id1,id2 and, where known, nx,ny,nz, "
      "fx,fy,fz, or fnx … and ftx …, or fn and (2D) ft."},
     mrn_import_table},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

int mrn_import_format_count(void)
{
    return N_FORMATS;
}

const mrn_import_format *mrn_import_format_at(int i)
{
    return &formats[i].given;
}

mrn_import_options mrn_import_default(void)
{
    return (mrn_import_options){.frame = -1,
                                .length_unit = 1,
                                .radius = NAN,
                                .gap = NAN,
                                .pressure = NAN,
                                .density = NAN,
                                .young = NAN,
                                .poisson = NAN,
                                .friction = NAN,
                                .kn = NAN,
                                .kt = NAN};
}

void mrn_packing_release(mrn_packing *p)
{
    mrn_free(p->grain);
    mrn_free(p->type);
    mrn_contacts_destroy(&p->contact);
    *p = (mrn_packing){0};
}

/* ---- which format ---- */

static const format *named(const char *name)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (strcmp(formats[i].given.name, name) == 0)
            return &formats[i];
    return NULL;
}

static mrn_status fail_format(mrn_raw *r, const char *name)
{
    const char *words[N_FORMATS];
    for (int i = 0; i < N_FORMATS; i++)
        words[i] = formats[i].given.name;
    const char *meant = mrn_closest_word(name, words, N_FORMATS);
    mrn_fail(r->msg, MRN_ERR_INPUT, "there is no format '%s'", name);
    mrn_fail_expected(r->msg, "lammps, yade or csv");
    return meant != NULL ? mrn_fail_hint(r->msg, "did you mean '%s'?", meant) : MRN_ERR_INPUT;
}

/* A comment that names columns: "# id x y z r". */
static bool names_places(const mrn_text *t)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    bool found[2] = {false, false};
    int n = mrn_text_split(t, ' ', cell);
    for (int i = 0; i < n; i++) {
        found[0] = found[0] || mrn_cell_is(cell[i], "x") || mrn_cell_is(cell[i], "#x");
        found[1] = found[1] || mrn_cell_is(cell[i], "y");
    }
    return found[0] && found[1];
}

/* By the first line that says something: a dump names its blocks, a table its columns, rows of
   numbers alone are a text of YADE. */
static const char *look(mrn_text *t)
{
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    const char *found = NULL;
    double number;
    bool names = false;
    while (found == NULL && mrn_text_next(t)) {
        if (mrn_text_is_blank(t))
            continue;
        if (mrn_text_begins(t, "ITEM:"))
            found = "lammps";
        else if (mrn_text_begins(t, "#format") || mrn_text_begins(t, "##PERIODIC::"))
            found = "yade";
        else if (t->now.s[0] == '#')
            names = names_places(t);
        else if (mrn_text_separator(t) == ',' || mrn_text_separator(t) == ';')
            found = "csv";
        else
            found =
                mrn_text_split(t, ' ', cell) > 0 && !names && mrn_cell_number(t, cell[0], &number)
                    ? "yade"
                    : "csv";
    }
    mrn_text_go(t, 0, 0);
    if (t->n >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0)
        t->at = 3;
    return found != NULL ? found : "csv";
}

static mrn_status read_any(mrn_raw *r)
{
    const char *name = r->opt->format != NULL ? r->opt->format : look(&r->text);
    const format *f = named(name);
    if (f == NULL)
        return fail_format(r, name);
    snprintf(r->packing->format, sizeof r->packing->format, "%s", f->given.name);
    mrn_status st = f->read(r);
    if (st == MRN_OK && r->packing->n == 0)
        st = mrn_text_fail(&r->text, NULL, "one row per grain", NULL, "the file holds no grain");
    return st;
}

/* ---- what the scene says ---- */

typedef struct frame_of_reference {
    int dimension; /* 0: not given */
    bool given;    /* there is a scene: it says what is periodic */
    mrn_cell cell; /* without its drives */
} frame_of_reference;

static mrn_status ask_scene(const mrn_import_options *opt, frame_of_reference *out,
                            mrn_message *msg)
{
    mrn_scene scene = {0};
    out->dimension = opt->dimension;
    if (opt->scene == NULL)
        return MRN_OK;
    mrn_status st = mrn_scene_read(opt->scene, NULL, 0, &scene, msg);
    if (st != MRN_OK)
        return st;
    if (opt->dimension != 0 && opt->dimension != scene.dimension)
        st = mrn_fail(msg, MRN_ERR_INPUT, "--dimension %d, but the scene %s has %d", opt->dimension,
                      opt->scene, scene.dimension);
    out->dimension = scene.dimension;
    out->given = true;
    for (int k = 0; k < 3; k++) {
        out->cell.periodic[k] = scene.cell.periodic[k];
        out->cell.origin[k] = scene.cell.origin[k];
        out->cell.size[k] = scene.cell.size[k];
    }
    mrn_scene_destroy(&scene);
    return st;
}

/* ---- dimension ---- */

static mrn_status fail_grain(const mrn_raw *r, const mrn_import_grain *g, const char *expected,
                             const char *hint, const char *what)
{
    mrn_fail(r->msg, MRN_ERR_INPUT, "grain %lld %s", (long long)g->id, what);
    mrn_fail_at(r->msg, r->packing->file, g->line, 1);
    if (hint != NULL)
        mrn_fail_hint(r->msg, "%s", hint);
    return mrn_fail_expected(r->msg, "%s", expected);
}

/* The first grain whose z differs from that of the first by more than rounding; NULL: none. */
static const mrn_import_grain *out_of_plane(const mrn_packing *p)
{
    for (int32_t i = 1; i < p->n; i++)
        if (fabs(p->grain[i].x.z - p->grain[0].x.z) > 1e-6 * p->grain[i].radius)
            return &p->grain[i];
    return NULL;
}

static mrn_status settle_dimension(mrn_raw *r, int given)
{
    mrn_packing *p = r->packing;
    const mrn_import_grain *off = r->has_z ? out_of_plane(p) : NULL;
    bool flat = !r->has_z || (off == NULL && p->grain[0].x.z == 0);
    p->dimension = given != 0 ? given : flat ? 2 : 3;
    if (p->dimension == 3 && !r->has_z) {
        mrn_fail(r->msg, MRN_ERR_INPUT, "three dimensions, but the file has no column z");
        return mrn_fail_at(r->msg, p->file, 0, 0);
    }
    if (p->dimension == 2 && off != NULL)
        return fail_grain(r, off, "all z the same", "three dimensions need --dimension 3",
                          "lies out of the plane of the others");
    for (int32_t i = 0; i < p->n && p->dimension == 2; i++) {
        mrn_import_grain *g = &p->grain[i];
        g->x.z = g->v.z = g->w.x = g->w.y = 0;
        g->image[2] = 0;
    }
    return MRN_OK;
}

static void settle_masses(mrn_raw *r)
{
    mrn_packing *p = r->packing;
    for (int32_t i = 0; i < p->n; i++) {
        mrn_import_grain *g = &p->grain[i];
        double a = g->radius,
               volume = p->dimension == 2 ? MRN_PI * a * a : 4 * MRN_PI / 3 * a * a * a;
        if (isnan(g->mass) && !isnan(r->density[i]))
            g->mass = r->density[i] * volume;
    }
}

/* ---- the cell ---- */

static mrn_status read_periodic(const char *text, bool out[3], mrn_message *msg)
{
    bool none = strcmp(text, "none") == 0;
    memset(out, 0, 3 * sizeof *out);
    for (const char *p = text; !none && *p != '\0'; p++) {
        if (*p == ',' || *p == ' ')
            continue;
        if (*p < 'x' || *p > 'z') {
            mrn_fail(msg, MRN_ERR_INPUT, "--periodic %s: '%c' is no direction", text, *p);
            return mrn_fail_expected(msg, "x,y,z or some of them, or none");
        }
        out[*p - 'x'] = true;
    }
    return MRN_OK;
}

static mrn_status read_box(mrn_raw *r)
{
    double v[6] = {0};
    int n = mrn_import_numbers(&r->text, r->opt->box, v, 6);
    bool good = n == 4 || n == 6;
    for (int k = 0; good && k < n / 2; k++)
        good = v[2 * k + 1] > v[2 * k];
    if (!good) {
        mrn_fail(r->msg, MRN_ERR_INPUT, "--box %s is not a box", r->opt->box);
        return mrn_fail_expected(r->msg, "xlo,xhi,ylo,yhi and (3D) zlo,zhi, each lo below its hi");
    }
    for (int k = 0; k < 3; k++) {
        r->lo[k] = mrn_import_scaled(v[2 * k], r->opt->length_unit);
        r->hi[k] = mrn_import_scaled(v[2 * k + 1], r->opt->length_unit);
        r->tilt[k] = 0;
    }
    r->has_box = true;
    return MRN_OK;
}

static mrn_status no_size(mrn_raw *r, int axis)
{
    mrn_fail(r->msg, MRN_ERR_INPUT,
             "the packing is periodic in %c, but its size there is not known", 'x' + axis);
    mrn_fail_at(r->msg, r->packing->file, 0, 0);
    return mrn_fail_hint(r->msg,
                         "give it with --box xlo,xhi,ylo,yhi,zlo,zhi or a scene with a cell");
}

static mrn_status settle_tilt(mrn_raw *r)
{
    static const int lower[3] = {0, 0, 1}, upper[3] = {1, 2, 2};
    mrn_packing *p = r->packing;
    for (int k = 0; k < 3; k++) {
        bool both = p->periodic[lower[k]] && p->periodic[upper[k]];
        p->tilt[k] = both ? r->tilt[k] : 0;
        if (both || r->tilt[k] == 0 || !p->periodic[upper[k]])
            continue;
        mrn_fail(r->msg, MRN_ERR_INPUT, "the box is slanted along %c, which is not periodic",
                 'x' + lower[k]);
        mrn_fail_at(r->msg, p->file, 0, 0);
        return mrn_fail_hint(r->msg, "--periodic says which directions are");
    }
    return MRN_OK;
}

static mrn_status settle_cell(mrn_raw *r, const frame_of_reference *scene)
{
    mrn_packing *p = r->packing;
    const mrn_import_options *opt = r->opt;
    mrn_status st = opt->box != NULL ? read_box(r) : MRN_OK;
    memcpy(p->periodic, scene->given ? scene->cell.periodic : r->file_periodic, sizeof p->periodic);
    if (st == MRN_OK && opt->periodic != NULL)
        st = read_periodic(opt->periodic, p->periodic, r->msg);
    if (p->dimension == 2)
        p->periodic[2] = false;
    for (int k = 0; st == MRN_OK && k < 3; k++) {
        if (!p->periodic[k])
            continue;
        p->origin[k] = r->has_box ? r->lo[k] : scene->cell.origin[k];
        p->size[k] = r->has_box ? r->hi[k] - r->lo[k] : scene->cell.size[k];
        if (!(p->size[k] > 0))
            st = no_size(r, k);
    }
    return st == MRN_OK ? settle_tilt(r) : st;
}

/* Cells between a coordinate and the cell itself; the upper face belongs to the next one. */
static double cells_off(double x, double origin, double size)
{
    double n = floor((x - origin) / size);
    return x - n * size >= origin + size ? n + 1 : n;
}

static bool wrap(const mrn_packing *p, mrn_import_grain *g)
{
    double x[3] = {g->x.x, g->x.y, g->x.z};
    const double edge[3][3] = {
        {p->size[0], 0, 0}, {p->tilt[0], p->size[1], 0}, {p->tilt[1], p->tilt[2], p->size[2]}};
    for (int k = 2; k >= 0; k--) {
        if (!p->periodic[k]) {
            g->image[k] = 0;
            continue;
        }
        /* where the slanted faces stand at this height */
        double from = p->origin[k];
        for (int j = k + 1; j < 3; j++)
            if (p->periodic[j])
                from += edge[j][k] * (x[j] - p->origin[j]) / p->size[j];
        double n = cells_off(x[k], from, p->size[k]);
        if (!(fabs(n) < 1e9))
            return false;
        for (int j = 0; j <= k && n != 0; j++)
            x[j] -= n * edge[k][j];
        g->image[k] += (int32_t)n;
    }
    g->x = mrn_load3(x);
    return true;
}

mrn_vec3 mrn_packing_nearest(const mrn_packing *p, mrn_vec3 d)
{
    if (p->periodic[2]) {
        double n = rint(d.z / p->size[2]);
        d = mrn_sub(d, mrn_scale(n, mrn_v3(p->tilt[1], p->tilt[2], p->size[2])));
    }
    if (p->periodic[1]) {
        double n = rint(d.y / p->size[1]);
        d = mrn_sub(d, mrn_scale(n, mrn_v3(p->tilt[0], p->size[1], 0)));
    }
    if (p->periodic[0])
        d.x -= p->size[0] * rint(d.x / p->size[0]);
    return d;
}

static mrn_status wrap_all(mrn_raw *r)
{
    mrn_packing *p = r->packing;
    for (int32_t i = 0; i < p->n; i++)
        if (!wrap(p, &p->grain[i]))
            return fail_grain(r, &p->grain[i], "a position in the cell or not far from it", NULL,
                              "lies more than a thousand million cells away");
    return MRN_OK;
}

/* ---- order ---- */

static bool is_number(const char *s)
{
    return s[0] != '\0' && s[strspn(s, "0123456789")] == '\0' && strlen(s) < 10;
}

static int by_id(const void *a, const void *b)
{
    const mrn_import_grain *p = a, *q = b;
    if (p->id != q->id)
        return p->id < q->id ? -1 : 1;
    return p->line < q->line ? -1 : p->line > q->line;
}

static int by_type(const void *a, const void *b)
{
    const mrn_import_grain *p = a, *q = b;
    return p->type != q->type ? (p->type < q->type ? -1 : 1) : by_id(a, b);
}

/* Types called by numbers come in the order of these, others as they were met. */
static void sort_types(mrn_packing *p, int *place)
{
    bool numbers = true;
    for (int i = 0; i < p->n_types; i++)
        numbers = numbers && is_number(p->type[i]);
    for (int i = 0; i < p->n_types; i++) {
        place[i] = numbers ? 0 : i;
        for (int j = 0; numbers && j < p->n_types; j++)
            place[i] += atol(p->type[j]) < atol(p->type[i]) ||
                        (atol(p->type[j]) == atol(p->type[i]) && j < i);
    }
}

static mrn_status order_types(mrn_raw *r)
{
    mrn_packing *p = r->packing;
    char(*sorted)[MRN_NAME] = NULL;
    int place[256] = {0};
    int n = p->n_types > 0 ? p->n_types : 1;
    mrn_status st = mrn_array(&sorted, n, sizeof *sorted, r->msg);
    if (st != MRN_OK)
        return st;
    sort_types(p, place);
    for (int i = 0; i < p->n_types; i++)
        memcpy(sorted[place[i]], p->type[i], sizeof *sorted);
    for (int32_t i = 0; i < p->n; i++)
        p->grain[i].type = place[p->grain[i].type];
    mrn_free(p->type);
    p->type = sorted;
    p->n_types = n;
    return MRN_OK;
}

static mrn_status settle_order(mrn_raw *r)
{
    mrn_packing *p = r->packing;
    mrn_status st = order_types(r);
    if (st != MRN_OK)
        return st;
    qsort(p->grain, (size_t)p->n, sizeof *p->grain, by_id);
    for (int32_t i = 1; i < p->n; i++)
        if (p->grain[i].id == p->grain[i - 1].id)
            return fail_grain(r, &p->grain[i], "each id once",
                              "several instants in one table need a column time or step",
                              "is there twice");
    qsort(p->grain, (size_t)p->n, sizeof *p->grain, by_type);
    return MRN_OK;
}

/* ---- all ---- */

static mrn_status settle(mrn_raw *r, const frame_of_reference *scene)
{
    mrn_status st = settle_dimension(r, scene->dimension);
    if (st == MRN_OK) {
        settle_masses(r);
        st = settle_cell(r, scene);
    }
    if (st == MRN_OK)
        st = wrap_all(r);
    return st == MRN_OK ? settle_order(r) : st;
}

static mrn_status check_options(const mrn_import_options *opt, mrn_message *msg)
{
    const double positive[] = {opt->length_unit, opt->radius, opt->density, opt->young,
                               opt->kn,          opt->kt,     opt->pressure};
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!isnan(positive[i]) && !(positive[i] > 0 && isfinite(positive[i])))
            return mrn_fail(msg, MRN_ERR_INPUT,
                            "units, sizes, moduli and pressures are above 0, not %g", positive[i]);
    if (opt->scene != NULL && !(isnan(opt->density) && isnan(opt->young) && isnan(opt->poisson) &&
                                isnan(opt->friction) && isnan(opt->kn) && isnan(opt->kt))) {
        mrn_fail(msg, MRN_ERR_INPUT, "a scene and, beside it, numbers for the material");
        return mrn_fail_hint(msg, "change the material in the scene %s", opt->scene);
    }
    if (isnan(opt->kn) && !isnan(opt->kt))
        return mrn_fail(msg, MRN_ERR_INPUT, "--kt without --kn: the linear law needs both or kn");
    if (!isnan(opt->kn) && !isnan(opt->young))
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "either --kn (linear springs) or --young (Hertz-Mindlin), not both");
    return MRN_OK;
}

mrn_status mrn_import_read(const char *path, const mrn_import_options *opt, mrn_packing *out,
                           mrn_message *msg)
{
    frame_of_reference scene = {0};
    mrn_raw r = {.packing = out, .opt = opt, .msg = msg};
    *out = (mrn_packing){.step = -1, .time = NAN};
    snprintf(out->file, sizeof out->file, "%s", path);
    mrn_status st = check_options(opt, msg);
    if (st == MRN_OK)
        st = ask_scene(opt, &scene, msg);
    if (st == MRN_OK)
        st = mrn_text_open(path, &r.text, msg);
    if (st == MRN_OK)
        st = read_any(&r);
    if (st == MRN_OK)
        st = settle(&r, &scene);
    mrn_text_close(&r.text);
    mrn_free(r.density);
    if (st == MRN_OK && opt->contacts != NULL)
        st = mrn_import_contacts(out, opt, msg);
    if (st != MRN_OK)
        mrn_packing_release(out);
    return st;
}
