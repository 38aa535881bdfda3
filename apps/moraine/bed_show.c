/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bed beneath a loaded body, for people: pressure along its underside, map of the solid
   fraction, force chains, displacements, a film. */
#include <math.h>
#include <string.h>

#include "bed.h"
#include "moraine/draw.h"

static char axis_name(int k)
{
    return k == 0 ? 'x' : k == 1 ? 'y' : 'z';
}

static void show_table(mrn_cli_out *o, const mrn_bed *b)
{
    static const char *const head[] = {
        ">from the middle, m", ">to", ">pressure, kPa", ">least", ">largest", ">over the mean"};
    mrn_app_table t;
    double mean = b->load / b->area;
    mrn_app_table_begin(&t, 6, head);
    for (int k = 0; k < b->bins; k++) {
        const mrn_bed_bin *x = &b->bin[k];
        double v[6] = {x->from,         x->to,          1e-3 * x->mean,
                       1e-3 * x->least, 1e-3 * x->most, x->mean / mean};
        mrn_readable text[6];
        const char *row[6];
        for (int c = 0; c < 6; c++) {
            text[c] = mrn_cli_number(v[c], 3);
            row[c] = text[c].s;
        }
        mrn_app_table_row(&t, row);
    }
    mrn_cli_table(o, NULL, &t);
}

static void show_words(mrn_cli_out *o, const mrn_bed *b)
{
    int bare = 0;
    double most = 0;
    for (int k = 0; k < b->bins; k++) {
        bare += b->bin[k].mean < 0.01 * b->load / b->area;
        most = fmax(most, b->bin[k].mean);
    }
    mrn_cli_words(o,
                  "Means over the %lld of %lld stored frames in which %s bears at least 0.8 of the "
                  "largest load among them: %.4g N on %.4g m2, %.4g kPa. The largest part has %.3g "
                  "times that, %d of %d parts have next to nothing; the load acts %.3g m from the "
                  "middle.",
                  (long long)b->loaded, (long long)b->frames, b->body, b->load, b->area,
                  1e-3 * b->load / b->area, most * b->area / b->load, bare, b->bins, b->centre);
    mrn_cli_words(o,
                  "Solid fraction of the %.3g m beneath it: %.4f in the first frame of the stage, "
                  "%.4f in the last (by points; other bodies of one kind, such as sleepers, count "
                  "as empty space).",
                  b->depth, b->below[0], b->below[1]);
}

static void plot_pressure(mrn_cli_out *o, const mrn_bed *b)
{
    mrn_cli_chart c;
    double x[MRN_BED_BINS_MAX], y[3][MRN_BED_BINS_MAX];
    char label[80];
    for (int k = 0; k < b->bins; k++) {
        x[k] = 0.5 * (b->bin[k].from + b->bin[k].to);
        y[0][k] = 1e-3 * b->bin[k].mean;
        y[1][k] = 1e-3 * b->bin[k].early;
        y[2][k] = 1e-3 * b->bin[k].late;
    }
    snprintf(label, sizeof label, "%c from the middle, m", axis_name(b->axis));
    mrn_cli_chart_begin(&c, "Pressure on the underside", label, "pressure, kPa");
    mrn_cli_chart_add(&c, "mean under load", MRN_SERIES_BARS, 0, b->bins, x, y[0], NULL);
    mrn_cli_chart_add(&c, "first third", MRN_SERIES_LINE, 1, b->bins, x, y[1], NULL);
    mrn_cli_chart_add(&c, "last third", MRN_SERIES_LINE, 2, b->bins, x, y[2], NULL);
    mrn_cli_chart_end(&c, o, "pressure", MRN_PAGE_FULL, "Contacts by parts of the length");
}

static void write_pressure(mrn_cli_out *o, const mrn_bed *b)
{
    char path[1200];
    mrn_atomic_file a;
    snprintf(path, sizeof path, "%.1100s/pressure.csv", o->folder);
    if (o->status == MRN_OK)
        o->status = mrn_atomic_open(path, &a, &o->msg);
    if (o->status != MRN_OK)
        return;
    fprintf(a.f, "from [m],to [m],pressure [Pa],least [Pa],largest [Pa],first third [Pa],last "
                 "third [Pa]\n");
    for (int k = 0; k < b->bins; k++) {
        const mrn_bed_bin *x = &b->bin[k];
        fprintf(a.f, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", x->from, x->to, x->mean,
                x->least, x->most, x->early, x->late);
    }
    o->status = mrn_atomic_commit(&a, &o->msg);
}

/* Maps are drawn as a file; the page takes its pixels. */
static void plot_map(mrn_cli_out *o, const mrn_bed *b)
{
    char path[1200], label[40];
    mrn_map map = {.nx = b->nx,
                   .ny = b->ny,
                   .x = {b->x[0], b->x[1]},
                   .y = {b->y[0], b->y[1]},
                   .value = b->map,
                   .label = "solid fraction"};
    mrn_plot plot = mrn_plot_default();
    snprintf(label, sizeof label, "%c, m", axis_name(b->axis));
    plot.map = &map;
    plot.x_label = label;
    plot.y_label = b->up == 1 ? "y, m" : "z, m";
    plot.width = 900;
    plot.height = 360;
    if (b->nx < 1 || o->status != MRN_OK)
        return;
    snprintf(path, sizeof path, "%.1100s/solid-fraction.png", o->folder);
    o->status = mrn_plot_write(&plot, path, &o->msg);
    if (o->status == MRN_OK && o->page != NULL)
        mrn_page_image(o->page, MRN_PAGE_FULL, path, plot.width, plot.height,
                       "Solid fraction in the last frame, cells of one and a half grains");
}

void mrn_bed_show(mrn_cli_out *o, const mrn_bed *b)
{
    char title[120];
    snprintf(title, sizeof title, "Beneath %.60s", b->body);
    mrn_cli_section(o, title);
    show_table(o, b);
    show_words(o, b);
    plot_pressure(o, b);
    write_pressure(o, b);
    plot_map(o, b);
}

json_t *mrn_bed_json(const mrn_bed *b)
{
    json_t *bins = json_array();
    for (int k = 0; k < b->bins; k++)
        json_array_append_new(
            bins, json_pack("{s:o, s:o, s:o}", "from", mrn_cli_real(b->bin[k].from), "to",
                            mrn_cli_real(b->bin[k].to), "pressure", mrn_cli_real(b->bin[k].mean)));
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:[o,o], s:o}", "body", b->body, "frames",
                     (json_int_t)b->loaded, "load", mrn_cli_real(b->load), "area",
                     mrn_cli_real(b->area), "mean_pressure", mrn_cli_real(b->load / b->area),
                     "centre", mrn_cli_real(b->centre), "solid_fraction_below",
                     mrn_cli_real(b->below[0]), mrn_cli_real(b->below[1]), "bins", bins);
}

/* ---- pictures ---- */

typedef struct pictures {
    mrn_trajectory *t;
    mrn_header h;
    mrn_look look;
    mrn_cli_out *o;
} pictures;

static mrn_status draw(pictures *p, int64_t k, mrn_picture *out, mrn_message *msg)
{
    mrn_frame f = {0};
    mrn_status st = mrn_trajectory_read(p->t, k, &f, msg);
    if (st == MRN_OK)
        st = mrn_draw(&p->look, &p->h, &f, out, msg);
    mrn_frame_destroy(&f);
    return st;
}

static mrn_status one(pictures *p, int64_t k, const char *name, const char *caption,
                      mrn_message *msg)
{
    char path[1200];
    mrn_picture picture = {0};
    mrn_status st = draw(p, k, &picture, msg);
    snprintf(path, sizeof path, "%.1100s/%s.png", p->o->folder, name);
    if (st == MRN_OK)
        st = mrn_png_write(path, &picture, msg);
    if (st == MRN_OK && p->o->page != NULL)
        mrn_page_picture(p->o->page, MRN_PAGE_FULL, &picture, caption);
    mrn_picture_destroy(&picture);
    return st;
}

/* At most FILM frames of the stage, evenly. */
static mrn_status film(pictures *p, const mrn_bed *b, mrn_message *msg)
{
    enum { FILM = 40 };
    char path[1200];
    mrn_apng *a = NULL;
    int64_t all = b->last - b->first + 1;
    int n = (int)(all < FILM ? all : FILM);
    snprintf(path, sizeof path, "%.1100s/film.png", p->o->folder);
    mrn_status st = mrn_apng_create(path, p->look.width, p->look.height, n, 0.15, &a, msg);
    for (int i = 0; i < n && st == MRN_OK; i++) {
        mrn_picture picture = {0};
        st = draw(p, b->first + (n > 1 ? i * (all - 1) / (n - 1) : 0), &picture, msg);
        if (st == MRN_OK)
            st = mrn_apng_add(a, &picture, msg);
        mrn_picture_destroy(&picture);
    }
    mrn_message late = {0};
    mrn_status closed = mrn_apng_close(&a, st != MRN_OK ? &late : msg);
    st = st != MRN_OK ? st : closed;
    if (st == MRN_OK && p->o->page != NULL)
        mrn_page_image(p->o->page, MRN_PAGE_FULL, path, p->look.width, p->look.height,
                       "Film of the stage, coloured by what has moved since its first frame");
    return st;
}

static mrn_status draw_all(pictures *p, const mrn_bed *b, mrn_message *msg)
{
    mrn_frame start = {0};
    p->look = mrn_look_default(p->h.dimension);
    p->look.width = 960, p->look.height = 480;
    p->look.force_chains = true;
    p->look.colour_by = "radius";
    mrn_status st = one(p, b->peak, "chains", "Force chains in the frame of the largest load", msg);
    p->look.force_chains = false;
    p->look.colour_by = "displacement";
    if (st == MRN_OK)
        st = mrn_trajectory_read(p->t, b->first, &start, msg);
    p->look.reference = &start;
    if (st == MRN_OK)
        st = one(p, b->last, "displacement", "What has moved since the stage began", msg);
    p->look.width = 640, p->look.height = 320;
    p->look.supersample = 1;
    if (st == MRN_OK)
        st = mrn_look_fit(&p->look, &p->h, p->t, msg);
    p->look.has_target = false; /* of this stage: stones fell from above before it */
    p->look.extent = 0;
    if (st == MRN_OK)
        st = film(p, b, msg);
    p->look.reference = NULL;
    mrn_frame_destroy(&start);
    return st;
}

mrn_status mrn_bed_pictures(mrn_cli_out *o, const char *dir, const mrn_bed *b, mrn_message *msg)
{
    pictures p = {.o = o};
    mrn_status st = mrn_trajectory_open(dir, &p.t, msg);
    if (st == MRN_OK)
        st = mrn_trajectory_header(p.t, &p.h, msg);
    if (st == MRN_OK) {
        mrn_cli_section(o, "Pictures");
        st = draw_all(&p, b, msg);
    }
    mrn_header_destroy(&p.h);
    mrn_trajectory_close(&p.t, NULL);
    return st;
}
