/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine report: a run as one page to read, print and keep. The page is made of what the folder
   holds: summary.json, probes.csv, trajectory.h5, scene.yaml. Pages of fits and calibrations are of
   the same make and written by these commands themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "moraine/draw.h"
#include "report_parts.h"

static const mrn_app_page page = {
    .usage = "report DIR [options]",
    .doc = "Writes DIR/report.html: what ran and how it ended, pictures, plots of the probes,\n"
           "warnings, the energy ledger, the cost, all parameters and the scene itself. The page\n"
           "stands alone: no scripts, nothing from the network, fit for printing. `moraine fit`,\n"
           "`calibrate`, `sweep` and `settle` (cycles of a load) write such pages themselves.",
    .examples = "moraine report out/beads\n"
                "moraine report out/triaxial --plot deviator/strain.zz --plot void-ratio\n"
                "moraine report out/beads --out beads.html --colour-by load",
};

typedef struct options {
    const char *dir, *out, *colour, *stage;
    mrn_app_list plots;
    bool no_pictures;
} options;

static int parse(int argc, char **argv, options *o)
{
    const mrn_app_option table[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &o->out,
         .arg = "FILE.html",
         .doc = "Where the page goes; else DIR/report.html."},
        {.name = "plot",
         .kind = MRN_OPT_LIST,
         .target = &o->plots,
         .arg = "PROBE[/PROBE]",
         .doc = "A plot of a probe over time, or of one against another, beside those chosen by "
                "the method. May be given many times."},
        {.name = "stage",
         .kind = MRN_OPT_TEXT,
         .target = &o->stage,
         .arg = "NAME",
         .doc = "Plots of this stage alone."},
        {.name = "colour-by",
         .kind = MRN_OPT_TEXT,
         .target = &o->colour,
         .arg = "FIELD",
         .doc = "Field of the pictures; else the group where there are several, or speed."},
        {.name = "no-pictures",
         .kind = MRN_OPT_FLAG,
         .target = &o->no_pictures,
         .doc = "Leave the pictures out."},
    };
    int n, code = mrn_app_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &o->dir,
                                1, &n);
    if (code < 0 && n == 0)
        return mrn_app_usage("report", "which run? Name its folder");
    return code;
}

static void in_folder(const options *o, const char *name, char path[1200])
{
    snprintf(path, 1200, "%.1100s/%s", o->dir, name);
}

/* ---- pictures ---- */

static mrn_status draw_one(mrn_trajectory *t, const mrn_header *h, const mrn_look *look, int64_t k,
                           mrn_page *p, const char *word, mrn_message *msg)
{
    mrn_frame f = {0};
    mrn_picture picture = {0};
    char caption[200];
    mrn_status st = mrn_trajectory_read(t, k, &f, msg);
    if (st == MRN_OK)
        st = mrn_draw(look, h, &f, &picture, msg);
    if (st == MRN_OK) {
        snprintf(caption, sizeof caption, "%s, at %s, coloured by %s", word,
                 mrn_readable_si(f.time, "s").s,
                 look->force_chains ? "normal force" : look->colour_by);
        mrn_page_picture(p, MRN_PAGE_HALF, &picture, caption);
    }
    mrn_picture_destroy(&picture);
    mrn_frame_destroy(&f);
    return st;
}

/* Begin, middle and end; force chains where contacts are stored. */
static mrn_status draw_all(mrn_trajectory *t, const options *o, mrn_page *p, mrn_message *msg)
{
    mrn_header h = {0};
    mrn_frame last = {0};
    int64_t n = mrn_trajectory_frames(t);
    mrn_status st = mrn_trajectory_header(t, &h, msg);
    if (st == MRN_OK)
        st = mrn_trajectory_read(t, n - 1, &last, msg);
    mrn_look look = mrn_look_default(h.dimension > 0 ? h.dimension : 3);
    look.width = 720, look.height = 520;
    look.colour_by = o->colour != NULL ? o->colour : h.n_groups > 1 ? "group" : "speed";
    bool contacts = last.contacts.n > 0;
    if (st == MRN_OK)
        st = mrn_look_fit(&look, &h, t, msg);
    if (st == MRN_OK && n > 1)
        st = draw_one(t, &h, &look, 0, p, "the first frame", msg);
    if (st == MRN_OK && n > 2)
        st = draw_one(t, &h, &look, n / 2, p, "in the middle", msg);
    /* grains that fell from above are seen from nearer in the end */
    look.has_target = false;
    look.extent = 0;
    if (st == MRN_OK)
        st = draw_one(t, &h, &look, n - 1, p, "the last frame", msg);
    look.force_chains = contacts;
    look.lo = look.hi = NAN;
    look.force_scale = 0;
    look.colour_by = "radius";
    if (st == MRN_OK && contacts)
        st = draw_one(t, &h, &look, n - 1, p, "force chains in the last frame", msg);
    mrn_frame_destroy(&last);
    mrn_header_destroy(&h);
    return st;
}

static mrn_status put_pictures(const options *o, mrn_page *p, mrn_message *msg)
{
    mrn_trajectory *t = NULL;
    char path[1200];
    in_folder(o, "trajectory.h5", path);
    if (o->no_pictures || access(path, R_OK) != 0)
        return MRN_OK;
    mrn_status st = mrn_trajectory_open(path, &t, msg);
    if (st != MRN_OK)
        return st;
    mrn_page_section(p, "Pictures");
    if (mrn_trajectory_frames(t) > 0)
        st = draw_all(t, o, p, msg);
    mrn_trajectory_close(&t, NULL);
    return st;
}

/* ---- the scene ---- */

enum { VALUES = 1 << 16 };

/* Appends a line "path   value   (default)" to a text of VALUES letters. */
static void tell_value(void *context, const char *path, const char *value, bool usual)
{
    char *text = context;
    size_t n = strlen(text);
    snprintf(text + n, VALUES - n, "%-36s %s%s\n", path, value, usual ? "   (default)" : "");
}

/* Every value that the run had, defaults included. */
static void put_parameters(const options *o, mrn_page *p)
{
    char path[1200];
    mrn_scene scene;
    in_folder(o, "scene.yaml", path);
    if (access(path, R_OK) != 0 || mrn_scene_read(path, NULL, 0, &scene, NULL) != MRN_OK)
        return;
    char *text = mrn_alloc(VALUES);
    if (text != NULL) {
        mrn_scene_values(&scene, tell_value, text);
        mrn_page_section(p, "Parameters");
        mrn_page_code(p, "All values of the scene, in SI units, by the names that --set knows",
                      text, strlen(text) > 2000);
    }
    mrn_free(text);
    mrn_scene_destroy(&scene);
}

static void put_scene(const options *o, mrn_page *p)
{
    char path[1200];
    in_folder(o, "scene.yaml", path);
    FILE *f = mrn_app_is_file(path) ? fopen(path, "r") : NULL;
    if (f == NULL)
        return;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *text = n >= 0 && n < (8L << 20) ? mrn_alloc((size_t)n + 1) : NULL;
    if (text != NULL && fread(text, 1, (size_t)n, f) == (size_t)n) {
        mrn_page_section(p, "Scene");
        mrn_page_code(p, "The scene as it ran", text, n > 4000);
    }
    mrn_free(text);
    fclose(f);
}

/* ---- all ---- */

/* Keeps the rows of one stage. */
static mrn_status keep_stage(const options *o, mrn_probe_table *t, mrn_message *msg)
{
    const mrn_probe_column *in = mrn_probe_table_find(t, "stage");
    int stage = -1;
    int64_t kept = 0;
    if (o->stage == NULL)
        return MRN_OK;
    for (int i = 0; i < t->n_stages; i++)
        stage = strcmp(t->stage[i], o->stage) == 0 ? i : stage;
    if (in == NULL || stage < 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "the run has no stage %s", o->stage);
    int64_t number = in - t->column;
    for (int64_t i = 0; i < t->n; i++) {
        if (t->column[number].value[i] != stage)
            continue;
        for (int c = 0; c < t->n_columns; c++)
            t->column[c].value[kept] = t->column[c].value[i];
        kept++;
    }
    t->n = kept;
    return MRN_OK;
}

static mrn_status make(const options *o, const json_t *summary, const char *out, mrn_message *msg)
{
    const char *title = json_string_value(json_object_get(summary, "title"));
    char path[1200], lead[256];
    mrn_page *p = NULL;
    mrn_probe_table probes = {0};
    snprintf(lead, sizeof lead, "A run of Moraine %s, method %s",
             mrn_summary_word(summary, "moraine"), mrn_summary_word(summary, "method"));
    mrn_status st =
        mrn_page_create(title != NULL && title[0] != '\0' ? title : "A run", lead, &p, msg);
    if (st != MRN_OK)
        return st;
    in_folder(o, "probes.csv", path);
    bool has_probes = mrn_probe_table_read(path, &probes, NULL) == MRN_OK;
    mrn_report_glance(summary, p);
    st = has_probes ? keep_stage(o, &probes, msg) : MRN_OK;
    if (st == MRN_OK)
        st = put_pictures(o, p, msg);
    if (st == MRN_OK && has_probes)
        st = mrn_report_curves(&probes, o->plots.item, o->plots.n, p, msg);
    mrn_report_energy(summary, p);
    mrn_report_trust(summary, p);
    mrn_report_cost(summary, p);
    put_parameters(o, p);
    put_scene(o, p);
    mrn_probe_table_release(&probes);
    if (st != MRN_OK) {
        mrn_page_close(&p, NULL, NULL);
        return st;
    }
    return mrn_page_close(&p, out, msg);
}

/* Pages of other commands stand in their folders already. */
static int other_page(const options *o)
{
    static const char *const made[] = {"fit.json", "calibration.json", "calibrate.json"};
    char path[1200], there[1200];
    in_folder(o, "report.html", there);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        in_folder(o, made[i], path);
        if (access(path, R_OK) == 0 && access(there, R_OK) == 0) {
            printf("%s: written by the command that made the folder\n", there);
            return MRN_EXIT_OK;
        }
    }
    return -1;
}

int mrn_cmd_report(int argc, char **argv)
{
    options o = {0};
    mrn_message msg = {0};
    char path[1200], out[1200];
    int code = parse(argc, argv, &o);
    if (code < 0)
        code = other_page(&o);
    if (code >= 0)
        return code;
    in_folder(&o, "summary.json", path);
    json_t *summary = mrn_app_read_json(path);
    if (!json_is_object(summary)) {
        mrn_fail(&msg, MRN_ERR_INPUT, "%s has no summary.json: no run has ended there", o.dir);
        mrn_fail_hint(&msg, "name the folder of a run; `moraine view` follows one that still goes");
        json_decref(summary);
        return mrn_app_report(&msg);
    }
    in_folder(&o, "report.html", out);
    const char *to = o.out != NULL ? o.out : out;
    mrn_status st = make(&o, summary, to, &msg);
    json_decref(summary);
    if (st != MRN_OK)
        return mrn_app_report(&msg);
    printf("%s\n", to);
    return MRN_EXIT_OK;
}
