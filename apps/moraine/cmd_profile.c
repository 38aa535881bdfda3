/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine profile: fields of a run averaged over time: profiles and grids, along axes and lines,
   about an axis, below the free surface. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "moraine/plot.h"
#include "profiling.h"

static const mrn_app_page page = {
    .usage = "profile DIR [options]",
    .doc =
        "Averages the frames of a run, over time and over bins: solid fraction, density, "
        "velocity,\n"
        "granular temperature and, where the run stored its contacts (output: {contacts: true}),\n"
        "stress. Coordinates are x, y, z; with --about AXIS r, angle (degrees) and axial; with\n"
        "--line FROM:TO s (along it) and distance (from it); `depth` in place of the vertical one\n"
        "counts from the free surface, the highest grain of each column. One coordinate gives a\n"
        "profile, two or three a grid: --over x:30,z:20. --where keeps to a region.\n"
        "A velocity is momentum over mass, a stress is positive in compression and holds contacts\n"
        "and velocity fluctuations.",
    .examples = "moraine profile out/beads --over z --csv profile.csv\n"
                "moraine profile out/drum --stage turn --over depth --where x=-1cm:1cm    # of its "
                "surface\n"
                "moraine profile out/drum --from 1 --about y --over r:20 --plot velocity.angle\n"
                "moraine profile out/silo --over x:30,z:40 --plot speed --vti flow.vti\n"
                "moraine profile out/chute --line 0,0,0:0.1,0,0.05 --bins 30 --plot velocity.along",
};

typedef struct options {
    const char *dir, *over, *about, *line, *stage, *csv, *vti, *plot, *out, *title;
    mrn_app_list where;
    double from, to;
    int64_t bins;
    bool json;
} options;

static int parse(int argc, char **argv, options *o)
{
    const mrn_app_option table[] = {
        {.name = "over",
         .kind = MRN_OPT_TEXT,
         .target = &o->over,
         .arg = "LIST",
         .doc = "Coordinates, with their bins: z, z:40, x:30,z:20, r:20,angle:36, depth. Else the "
                "vertical one, r or s."},
        {.name = "about",
         .kind = MRN_OPT_TEXT,
         .target = &o->about,
         .arg = "AXIS[@POINT]",
         .doc = "An axis: x, y, z or a direction DX,DY,DZ, through a point (else the origin)."},
        {.name = "line",
         .kind = MRN_OPT_TEXT,
         .target = &o->line,
         .arg = "FROM:TO",
         .doc = "A line between two points X,Y,Z; what is nearer than a mean diameter counts, "
                "unless --where distance=0:R says otherwise."},
        {.name = "where",
         .kind = MRN_OPT_LIST,
         .target = &o->where,
         .arg = "COORDINATE=LO:HI",
         .doc = "Only what lies between (\"-1 cm:1 cm\"; m, angles in degrees; either may be "
                "empty). May be given many times."},
        {.name = "stage",
         .kind = MRN_OPT_TEXT,
         .target = &o->stage,
         .arg = "NAME",
         .doc = "Frames of this stage alone."},
        {.name = "from",
         .kind = MRN_OPT_NUMBER,
         .target = &o->from,
         .arg = "T",
         .doc = "Frames from this time on, s."},
        {.name = "to",
         .kind = MRN_OPT_NUMBER,
         .target = &o->to,
         .arg = "T",
         .doc = "Frames up to this time, s."},
        {.name = "bins",
         .kind = MRN_OPT_INTEGER,
         .target = &o->bins,
         .arg = "N",
         .min = 1,
         .max = 1e6,
         .doc = "Bins of coordinates that --over gives none (40; of a grid 20 each)."},
        {.name = "csv",
         .kind = MRN_OPT_TEXT,
         .target = &o->csv,
         .arg = "FILE",
         .doc = "Write all bins and quantities as a table."},
        {.name = "vti",
         .kind = MRN_OPT_TEXT,
         .target = &o->vti,
         .arg = "FILE.vti",
         .doc = "Write a grid of x, y, z for ParaView."},
        {.name = "plot",
         .kind = MRN_OPT_TEXT,
         .target = &o->plot,
         .arg = "QUANTITY",
         .doc = "Draw a column of the table, as velocity.x or solid-fraction: a profile (several "
                "with commas between), or a grid over two coordinates as a map in colours."},
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &o->out,
         .arg = "FILE",
         .doc = "Where the plot goes, .png or .svg; else profile.png in DIR."},
        {.name = "title",
         .kind = MRN_OPT_TEXT,
         .target = &o->title,
         .arg = "TEXT",
         .doc = "Above the plot."},
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &o->json, .doc = "Print JSON."},
    };
    int n, code = mrn_app_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &o->dir,
                                1, &n);
    if (code < 0 && n == 0)
        return mrn_app_usage("profile", "which run? Name its folder");
    if (code < 0 && o->about != NULL && o->line != NULL)
        return mrn_app_usage("profile", "--about and --line are two systems of coordinates");
    if (code < 0 && o->out != NULL && o->plot == NULL)
        return mrn_app_usage("profile", "--out is for --plot QUANTITY; a table goes to --csv FILE");
    return code;
}

/* ---- what comes out ---- */

static void print_table(const mrn_average *a, const mrn_profile_table *t)
{
    enum { SHOWN = 8, ROWS = 60 };
    static const char *const wanted[] = {"solid-fraction", "velocity.", "speed", "pressure"};
    const char *head[SHOWN], *row[SHOWN];
    int column[SHOWN], n = 0;
    char text[SHOWN][100], cell[SHOWN][32];
    mrn_app_table out;
    for (int c = 0; c < t->n_columns && n < SHOWN; c++) {
        bool show = c < t->n_coordinates;
        for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++)
            show = show || strncmp(t->name[c], wanted[w], strlen(wanted[w])) == 0;
        if (!show)
            continue;
        snprintf(text[n], sizeof text[n], strcmp(t->unit[c], "1") == 0 ? ">%s" : ">%s [%s]",
                 t->name[c], t->unit[c]);
        head[n] = text[n];
        column[n++] = c;
    }
    mrn_app_table_begin(&out, n, head);
    for (int64_t b = 0; b < a->n && b < ROWS; b++) {
        for (int c = 0; c < n; c++) {
            double v = mrn_profile_value(a, t, b, column[c]);
            snprintf(cell[c], sizeof cell[c], isfinite(v) ? "%.4g" : "-", v);
            row[c] = cell[c];
        }
        mrn_app_table_row(&out, row);
    }
    mrn_app_table_print(&out, stdout);
    if (a->n > ROWS)
        printf("… %lld bins in all: --csv FILE has them\n", (long long)a->n);
}

static mrn_status write_csv(const char *path, const mrn_average *a, const mrn_profile_table *t,
                            mrn_message *msg)
{
    mrn_atomic_file file;
    mrn_status st = mrn_atomic_open(path, &file, msg);
    if (st != MRN_OK)
        return st;
    for (int c = 0; c < t->n_columns; c++)
        fprintf(file.f, strcmp(t->unit[c], "1") == 0 ? "%s%s" : "%s%s [%s]", c > 0 ? "," : "",
                t->name[c], t->unit[c]);
    fputc('\n', file.f);
    for (int64_t b = 0; b < a->n; b++) {
        for (int c = 0; c < t->n_columns; c++) {
            double v = mrn_profile_value(a, t, b, c);
            fprintf(file.f, isfinite(v) ? "%s%.9g" : "%s", c > 0 ? "," : "", v);
        }
        fputc('\n', file.f);
    }
    return mrn_atomic_commit(&file, msg);
}

static json_t *as_json(const mrn_average *a, const mrn_profile_table *t)
{
    json_t *root = json_pack("{s:I, s:f, s:f}", "frames", (json_int_t)a->frames, "from", a->time[0],
                             "to", a->time[1]),
           *columns = json_object();
    for (int c = 0; c < t->n_columns; c++) {
        json_t *list = json_array();
        for (int64_t b = 0; b < a->n; b++) {
            double v = mrn_profile_value(a, t, b, c);
            json_array_append_new(list, isfinite(v) ? json_real(v) : json_null());
        }
        json_object_set_new(columns, t->name[c],
                            json_pack("{s:s, s:o}", "unit", t->unit[c], "value", list));
    }
    json_object_set_new(root, "columns", columns);
    return root;
}

static void label_of(const mrn_profile_table *t, int c, char *text, size_t size)
{
    snprintf(text, size, strcmp(t->unit[c], "1") == 0 ? "%s" : "%s [%s]", t->name[c], t->unit[c]);
}

static mrn_status write_plot(const options *o, mrn_plot *plot, mrn_message *msg)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1100s/profile.png", o->dir);
    plot->title = o->title != NULL ? o->title : "";
    mrn_status st = mrn_plot_write(plot, o->out != NULL ? o->out : path, msg);
    if (st == MRN_OK && !o->json)
        printf("%s\n", o->out != NULL ? o->out : path);
    return st;
}

static mrn_status draw_lines(const options *o, const mrn_average *a, const mrn_profile_table *t,
                             const int *column, int n, mrn_message *msg)
{
    char x_label[160], y_label[160] = "";
    mrn_series series[MRN_PROFILE_COLUMNS];
    double *v = mrn_alloc((size_t)(n + 1) * (size_t)a->n * sizeof *v);
    if (v == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int64_t b = 0; b < a->n; b++)
        for (int c = 0; c <= n; c++)
            v[c * a->n + b] = mrn_profile_value(a, t, b, c < n ? column[c] : 0);
    for (int c = 0; c < n; c++)
        series[c] = (mrn_series){.label = n > 1 ? t->name[column[c]] : NULL,
                                 .colour = c,
                                 .n = (int)a->n,
                                 .x = v + n * a->n,
                                 .y = v + c * a->n};
    label_of(t, 0, x_label, sizeof x_label);
    if (n == 1)
        label_of(t, column[0], y_label, sizeof y_label);
    else if (strcmp(t->unit[column[0]], "1") != 0)
        snprintf(y_label, sizeof y_label, "[%s]", t->unit[column[0]]);
    mrn_plot plot = mrn_plot_default();
    plot.x_label = x_label;
    plot.y_label = y_label;
    plot.n = n;
    plot.series = series;
    mrn_status st = write_plot(o, &plot, msg);
    mrn_free(v);
    return st;
}

/* From where to where coordinate c of the table reaches; its bins, and from one to the next. */
static int reach(const mrn_average *a, const mrn_profile_table *t, int c, double ends[2],
                 int64_t *stride)
{
    *stride = 1;
    for (int k = 0; k < t->k[c]; k++)
        *stride *= a->def.n[k] > 0 ? a->def.n[k] : 1;
    int n = a->def.n[t->k[c]] > 0 ? a->def.n[t->k[c]] : 1;
    double first = mrn_profile_value(a, t, 0, c);
    double last = mrn_profile_value(a, t, (n - 1) * *stride, c);
    double half = n > 1 ? 0.5 * (last - first) / (n - 1) : 0.5;
    ends[0] = first - half;
    ends[1] = last + half;
    return n;
}

/* Lengths across and up are drawn to one scale, within what a page holds. */
static void shape_plot(const mrn_map *m, mrn_plot *plot)
{
    double ratio = (m->x[1] - m->x[0]) / (m->y[1] - m->y[0]);
    double inside = fmin(fmax(480 / ratio, 160), 900);
    double across = fmin(fmax(inside * ratio, 160), 480);
    plot->width = (int)lround(across) + 190;
    plot->height = (int)lround(inside) + 78;
}

static mrn_status draw_map(const options *o, const mrn_average *a, const mrn_profile_table *t,
                           int column, mrn_message *msg)
{
    char x_label[160], y_label[160], label[160];
    int64_t across, up;
    mrn_map map = {.label = label};
    map.nx = reach(a, t, 0, map.x, &across);
    map.ny = reach(a, t, 1, map.y, &up);
    double *v = mrn_alloc((size_t)a->n * sizeof *v);
    if (v == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int j = 0; j < map.ny; j++)
        for (int i = 0; i < map.nx; i++)
            v[j * map.nx + i] = mrn_profile_value(a, t, i * across + j * up, column);
    map.value = v;
    label_of(t, 0, x_label, sizeof x_label);
    label_of(t, 1, y_label, sizeof y_label);
    label_of(t, column, label, sizeof label);
    mrn_plot plot = mrn_plot_default();
    plot.x_label = x_label;
    plot.y_label = y_label;
    plot.map = &map;
    if (strcmp(t->unit[0], t->unit[1]) == 0)
        shape_plot(&map, &plot);
    mrn_status st = write_plot(o, &plot, msg);
    mrn_free(v);
    return st;
}

static mrn_status draw(const options *o, const mrn_average *a, const mrn_profile_table *t,
                       mrn_message *msg)
{
    char names[400];
    int column[MRN_PROFILE_COLUMNS], n = 0;
    snprintf(names, sizeof names, "%s", o->plot);
    char *rest = names, *s;
    for (; n < MRN_PROFILE_COLUMNS && (s = strtok_r(rest, ",", &rest)) != NULL; n++)
        if (mrn_profile_find(t, s, &column[n], msg) != MRN_OK)
            return msg->status;
    if (n == 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "--plot names no column of the table");
    if (t->n_coordinates == 1)
        return draw_lines(o, a, t, column, n, msg);
    if (t->n_coordinates == 2 && n == 1)
        return draw_map(o, a, t, column[0], msg);
    if (t->n_coordinates == 2) {
        mrn_fail(msg, MRN_ERR_INPUT, "--plot draws one quantity of a grid, and was given %d", n);
        return mrn_fail_hint(msg, "draw them one by one, each with an --out of its own");
    }
    mrn_fail(msg, MRN_ERR_INPUT, "--plot draws over one coordinate or two");
    return mrn_fail_hint(msg, "a grid of three goes to --csv FILE or --vti FILE.vti; --where keeps "
                              "to a slice of one that --over leaves out");
}

/* A grid of x, y and z as ParaView's image; coordinates that --over leaves out have one box. */
static mrn_status write_vti(const options *o, const mrn_average *a, mrn_message *msg)
{
    mrn_fields f = {.dimension = a->dimension,
                    .time = 0.5 * (a->time[0] + a->time[1]),
                    .has_contacts = a->has_contacts,
                    .density = a->density,
                    .solid_fraction = a->solid_fraction,
                    .velocity = a->velocity,
                    .temperature = a->temperature,
                    .contact_stress = a->contact_stress,
                    .kinetic_stress = a->kinetic_stress};
    if (a->def.coordinates != MRN_COORDINATES_BOX)
        return mrn_fail(msg, MRN_ERR_INPUT, "--vti holds grids of x, y and z alone");
    for (int k = 0; k < 3; k++) {
        f.n[k] = a->def.n[k] > 0 ? a->def.n[k] : 1;
        f.origin[k] = a->def.lo[k];
        f.spacing[k] = (a->def.hi[k] - a->def.lo[k]) / f.n[k];
    }
    return mrn_fields_write(o->vti, &f, msg);
}

static mrn_status show(const options *o, const mrn_average *a, const mrn_profile_table *t,
                       mrn_message *msg)
{
    mrn_status st = MRN_OK;
    if (!o->json) {
        char from[80];
        snprintf(from, sizeof from, "%s", mrn_readable_si(a->time[0], "s").s);
        printf("%lld frame%s, %s to %s\n", (long long)a->frames, a->frames == 1 ? "" : "s", from,
               mrn_readable_si(a->time[1], "s").s);
        print_table(a, t);
    }
    if (o->csv != NULL)
        st = write_csv(o->csv, a, t, msg);
    if (st == MRN_OK && o->vti != NULL)
        st = write_vti(o, a, msg);
    if (st == MRN_OK && o->plot != NULL)
        st = draw(o, a, t, msg);
    return st;
}

int mrn_cmd_profile(int argc, char **argv)
{
    options o = {.from = -INFINITY, .to = INFINITY};
    mrn_message msg = {0};
    mrn_average a = {0};
    mrn_profile_table t;
    int code = parse(argc, argv, &o);
    if (code >= 0)
        return code;
    mrn_profile_wish w = {.dir = o.dir,
                          .over = o.over,
                          .about = o.about,
                          .line = o.line,
                          .stage = o.stage,
                          .where = o.where.item,
                          .n_where = o.where.n,
                          .from = o.from,
                          .to = o.to,
                          .bins = (int)o.bins};
    mrn_status st = mrn_profile_take(&w, &a, &t, &msg);
    if (st == MRN_OK)
        st = show(&o, &a, &t, &msg);
    if (st == MRN_OK && o.json)
        code = mrn_app_json(as_json(&a, &t));
    mrn_average_destroy(&a);
    return st != MRN_OK ? mrn_app_report(&msg) : code >= 0 ? code : MRN_EXIT_OK;
}
