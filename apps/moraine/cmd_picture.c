/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `moraine picture`: pictures and animations of a run, drawn by the library itself. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"
#include "moraine/draw.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_LEAK_CHECK
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(WITH_LEAK_CHECK)
/* fontconfig holds its patterns by offsets, which the leak checker cannot follow */
MRN_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}
#endif

typedef struct options {
    const char *out, *frame, *frames_dir, *colour_by, *color_by, *palette, *range, *view, *size,
        *fit, *stripes;
    double fps, zoom, opacity;
    int64_t stride, supersample, threads;
    bool animate, slice, chains, no_walls, no_legend, no_caption, dark, json;
} options;

static const mrn_app_page page = {
    .usage = "picture DIR [options]",
    .doc =
        "Draws a run: one frame as a PNG, or all of them as an animated PNG that plays in every "
        "browser.\n"
        "DIR is the folder of a run (or its trajectory.h5). Without --colour-by the colour shows "
        "the\n"
        "groups if there are several, the speed while grains move, their size or height at rest.\n"
        "A colour range that is not given goes from the 2nd to the 98th percentile of the frame "
        "drawn,\n"
        "or of all frames of an animation; below 50 grains from the smallest to the largest value.",
    .examples = "moraine picture out\n"
                "moraine picture out --frame first --view top --size 800x800\n"
                "moraine picture out --animate --fps 30 --colour-by speed --range 0:1.5\n"
                "moraine picture out --chains --dark --out chains.png",
};

static int bad(const char *fmt, const char *text)
{
    return mrn_app_usage("picture", fmt, text);
}

/* ---- reading the options ---- */

static int read_size(const char *text, mrn_look *look)
{
    int w, h, used = 0;
    if (sscanf(text, "%dx%d%n", &w, &h, &used) != 2 || text[used] || w < 16 || h < 16 ||
        w > 16384 || h > 16384)
        return bad("--size: \"%s\" is not WIDTHxHEIGHT in pixels (16 to 16384), e.g. 1280x800",
                   text);
    look->width = w;
    look->height = h;
    return -1;
}

static int read_range(const char *text, mrn_look *look)
{
    const char *colon = strchr(text, ':');
    char *end = NULL;
    bool good = colon != NULL && strlen(text) > 1;
    if (good && colon > text) {
        look->lo = strtod(text, &end);
        good = end == colon && isfinite(look->lo);
    }
    if (good && colon[1]) {
        look->hi = strtod(colon + 1, &end);
        good = *end == 0 && isfinite(look->hi);
    }
    if (!good)
        return bad("--range: \"%s\" is not LOW:HIGH in SI units, e.g. 0:1.5 (either may be empty)",
                   text);
    if (look->lo >= look->hi)
        return bad("--range: \"%s\" is empty: the low end must be below the high one", text);
    return -1;
}

static int read_view(const char *text, mrn_look *look)
{
    static const struct {
        const char *name;
        double azimuth, elevation;
    } views[] = {{"front", 0, 0}, {"side", 90, 0},    {"back", 180, 0},
                 {"top", 0, 90},  {"bottom", 0, -90}, {"iso", 45, 35.264}};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        if (strcmp(text, views[k].name) == 0) {
            look->azimuth = views[k].azimuth;
            look->elevation = views[k].elevation;
            return -1;
        }
    int used = 0;
    if (sscanf(text, "%lf,%lf%n", &look->azimuth, &look->elevation, &used) != 2 || text[used] ||
        !isfinite(look->azimuth) || !(fabs(look->elevation) <= 90))
        return bad(
            "--view: \"%s\" is not front, side, back, top, bottom, iso or AZIMUTH,ELEVATION in "
            "degrees (elevation -90 to 90)",
            text);
    return -1;
}

static int read_frame(const char *text, int64_t frames, int64_t *out)
{
    char *end;
    if (strcmp(text, "first") == 0)
        *out = 0;
    else if (strcmp(text, "last") == 0)
        *out = frames - 1;
    else {
        errno = 0;
        *out = strtoll(text, &end, 10);
        if (*text == 0 || *end || errno)
            return bad("--frame: \"%s\" is not first, last or a number", text);
        if (*out < 0)
            *out += frames;
    }
    if (*out < 0 || *out >= frames)
        return mrn_app_usage("picture", "--frame %s: the run has %lld frames, 0 to %lld", text,
                             (long long)frames, (long long)frames - 1);
    return -1;
}

static int parse(int argc, char **argv, options *o, const char **dir)
{
    static const char *const fits[] = {"frame", "all"};
    static const char *const stripes[] = {"auto", "on", "off"};
    const mrn_app_option table[] = {
        {"out", 'o', MRN_OPT_TEXT, &o->out, "FILE",
         "Where to write. Default: picture.png, or movie.png for an animation, in DIR.", 0, 0, NULL,
         0},
        {"frame", 'f', MRN_OPT_TEXT, &o->frame, "K",
         "Which frame: a number from 0 (negative: counted from the end), first, or last (the "
         "default).",
         0, 0, NULL, 0},
        {"animate", 'a', MRN_OPT_FLAG, &o->animate, NULL, "All frames, as an animated PNG.", 0, 0,
         NULL, 0},
        {"fps", 0, MRN_OPT_NUMBER, &o->fps, "N", "Frames per second of the animation. Default: 20.",
         0.02, 1000, NULL, 0},
        {"stride", 0, MRN_OPT_INTEGER, &o->stride, "N", "Every N-th frame only. Default: 1.", 1,
         1e9, NULL, 0},
        {"frames-dir", 0, MRN_OPT_TEXT, &o->frames_dir, "DIR",
         "With --animate: write frame-00000.png, frame-00001.png, … into DIR instead, for a video "
         "encoder.",
         0, 0, NULL, 0},
        {"colour-by", 'c', MRN_OPT_TEXT, &o->colour_by, "FIELD",
         "speed, vx, vy, vz, spin, wx, wy, wz, x, y, z, height, displacement (since the first "
         "frame), "
         "radius, diameter, mass, kinetic-energy, force (net), torque, load (sum of normal contact "
         "forces), coordination (of grains with corners: neighbours in touch), id, group, "
         "material, "
         "none.",
         0, 0, NULL, 0},
        {"color-by", 0, MRN_OPT_TEXT, &o->color_by, "FIELD", "The same.", 0, 0, NULL, 0},
        {"palette", 'p', MRN_OPT_TEXT, &o->palette, "NAME",
         "viridis (default), magma, inferno, plasma, cividis, batlow-like, glacier, ember, "
         "coolwarm, "
         "grey.",
         0, 0, NULL, 0},
        {"range", 'r', MRN_OPT_TEXT, &o->range, "LOW:HIGH",
         "Values at the ends of the colours, in SI units; either may be empty.", 0, 0, NULL, 0},
        {"view", 0, MRN_OPT_TEXT, &o->view, "V",
         "front, side, back, top, bottom, iso, or AZIMUTH,ELEVATION of the camera in degrees: 0,0 "
         "looks "
         "along +y with z up, azimuth turns counter-clockwise seen from above. Default: 30,20. 3D "
         "only.",
         0, 0, NULL, 0},
        {"zoom", 'z', MRN_OPT_NUMBER, &o->zoom, "X", "Magnification; 1 shows all.", 1e-3, 1e6, NULL,
         0},
        {"fit", 0, MRN_OPT_CHOICE, &o->fit, "WHAT",
         "frame: fit the view to the frame drawn (default of one picture); all: to all frames "
         "(always "
         "so in an animation).",
         0, 0, fits, 2},
        {"slice", 0, MRN_OPT_FLAG, &o->slice, NULL,
         "Cut away what is in front of the middle of the view (3D).", 0, 0, NULL, 0},
        {"chains", 0, MRN_OPT_FLAG, &o->chains, NULL,
         "Force chains: contacts as lines, thick and dark with the normal force; grains are faded. "
         "The "
         "run must have stored contacts.",
         0, 0, NULL, 0},
        {"stripes", 0, MRN_OPT_CHOICE, &o->stripes, "WHEN",
         "Two-tone spheres that show rolling (3D): on, off, or auto (up to 5000 grains).", 0, 0,
         stripes, 3},
        {"wall-opacity", 0, MRN_OPT_NUMBER, &o->opacity, "X", "0 to 1. Default: 0.45.", 0, 1, NULL,
         0},
        {"no-walls", 0, MRN_OPT_FLAG, &o->no_walls, NULL, "Leave the walls out.", 0, 0, NULL, 0},
        {"no-legend", 0, MRN_OPT_FLAG, &o->no_legend, NULL, "Leave the colour legend out.", 0, 0,
         NULL, 0},
        {"no-caption", 0, MRN_OPT_FLAG, &o->no_caption, NULL,
         "Leave title, time, axes and scale bar out.", 0, 0, NULL, 0},
        {"dark", 'd', MRN_OPT_FLAG, &o->dark, NULL, "Dark background.", 0, 0, NULL, 0},
        {"size", 's', MRN_OPT_TEXT, &o->size, "WxH", "Pixels. Default: 1280x800.", 0, 0, NULL, 0},
        {"supersample", 0, MRN_OPT_INTEGER, &o->supersample, "N",
         "Rays per pixel and direction, 1 to 4 (3D). Default: 3.", 1, 4, NULL, 0},
        {"threads", 't', MRN_OPT_INTEGER, &o->threads, "N",
         "Threads; the picture does not depend on them. Default: all cores.", 1, MRN_THREADS_MOST,
         NULL, 0},
        {"json", 0, MRN_OPT_FLAG, &o->json, NULL, "Tell what was written as JSON.", 0, 0, NULL, 0},
    };
    int n = 0;
    int code =
        mrn_app_parse(&page, table, (int)(sizeof table / sizeof table[0]), argc, argv, dir, 1, &n);
    if (code >= 0)
        return code;
    if (n < 1)
        return mrn_app_usage("picture", "which run? give its folder");
    if (o->frames_dir && !o->animate)
        return mrn_app_usage("picture", "--frames-dir goes with --animate");
    if (o->frames_dir && o->out)
        return mrn_app_usage("picture", "--out and --frames-dir exclude each other");
    return -1;
}

/* ---- the work ---- */

typedef struct job {
    options o;
    const char *dir;
    mrn_trajectory *t;
    int64_t frames, frame; /* all, and the one to draw */
    mrn_header header;
    mrn_look look;
    mrn_frame first; /* where displacement counts from */
    mrn_message msg;
} job;

static int make_look(job *j)
{
    const options *o = &j->o;
    int code = -1;
    j->look = mrn_look_default(j->header.dimension);
    mrn_look *l = &j->look;
    if (o->size)
        code = read_size(o->size, l);
    if (code < 0 && o->range)
        code = read_range(o->range, l);
    if (code < 0 && o->view)
        code = read_view(o->view, l);
    if (o->palette)
        l->palette = o->palette;
    l->zoom = o->zoom;
    l->wall_opacity = o->opacity;
    l->slice = o->slice;
    l->force_chains = o->chains;
    l->walls = !o->no_walls;
    l->legend = !o->no_legend;
    l->caption = l->axes = !o->no_caption;
    l->dark = o->dark;
    l->stripes = strcmp(o->stripes, "auto") == 0 ? -1 : strcmp(o->stripes, "on") == 0;
    if (o->supersample > 0)
        l->supersample = (int)o->supersample;
    return code;
}

static double top_speed(const mrn_frame *f)
{
    double top = 0;
    for (int32_t i = f->n_walls; i < f->n; i++)
        top = fmax(top, mrn_norm(mrn_load3(f->v + 3 * (int64_t)i)));
    return top;
}

/* What is worth seeing when nothing was asked for: groups; else speed, unless all is at rest
   compared with the run; then sizes if they differ, else height. */
static mrn_status choose_field(job *j, const mrn_frame *f)
{
    if (j->header.n_groups > 1) {
        j->look.colour_by = "group";
        return MRN_OK;
    }
    double fastest = 0, lo = INFINITY, hi = 0;
    for (int k = 0; k < 8; k++) {
        mrn_frame g = {0};
        mrn_status s = mrn_trajectory_read(j->t, k * (j->frames - 1) / 7, &g, &j->msg);
        if (s)
            return s;
        fastest = fmax(fastest, top_speed(&g));
        mrn_frame_destroy(&g);
    }
    for (int32_t i = f->n_walls; i < f->n; i++) {
        lo = fmin(lo, f->radius[i]);
        hi = fmax(hi, f->radius[i]);
    }
    bool moving = j->o.animate || !(top_speed(f) < 0.02 * fastest);
    j->look.colour_by = moving ? "speed" : hi > 1.05 * lo ? "radius" : "height";
    return MRN_OK;
}

static void default_path(const job *j, const char *name, char *out, size_t size)
{
    struct stat st;
    if (stat(j->dir, &st) == 0 && S_ISDIR(st.st_mode)) {
        snprintf(out, size, "%s/%s", j->dir, name);
        return;
    }
    const char *slash = strrchr(j->dir, '/'); /* the .h5 file: beside it */
    int n = slash ? (int)(slash - j->dir) + 1 : 0;
    snprintf(out, size, "%.*s%s", n, j->dir, name);
}

static void say_done(const job *j, const char *path, int64_t n, double seconds)
{
    const char *by = j->look.force_chains ? "normal force" : j->look.colour_by;
    if (n > 1)
        printf("%s: %lld frames of %d x %d pixels, coloured by %s (%s)\n", path, (long long)n,
               j->look.width, j->look.height, by, mrn_app_duration(seconds).s);
    else
        printf("%s: %d x %d pixels, coloured by %s (%s)\n", path, j->look.width, j->look.height, by,
               mrn_app_duration(seconds).s);
}

static int tell(const job *j, const char *path, int64_t first, int64_t n, double seconds)
{
    if (!j->o.json) {
        say_done(j, path, n, seconds);
        return MRN_EXIT_OK;
    }
    json_t *o = json_object();
    json_object_set_new(o, "file", json_string(path));
    json_object_set_new(o, "frames", json_integer(n));
    json_object_set_new(o, "first_frame", json_integer(first));
    json_object_set_new(o, "time", json_real(mrn_trajectory_time(j->t, first)));
    json_object_set_new(o, "width", json_integer(j->look.width));
    json_object_set_new(o, "height", json_integer(j->look.height));
    json_object_set_new(o, "colour_by", json_string(j->look.colour_by));
    json_object_set_new(o, "palette", json_string(j->look.palette));
    if (isfinite(j->look.lo) && isfinite(j->look.hi))
        json_object_set_new(o, "range", json_pack("[f,f]", j->look.lo, j->look.hi));
    json_object_set_new(o, "seconds", json_real(seconds));
    return mrn_app_json(o);
}

static mrn_status draw_frame(job *j, int64_t k, mrn_picture *out)
{
    mrn_frame f = {0};
    mrn_status s = mrn_trajectory_read(j->t, k, &f, &j->msg);
    if (!s)
        s = mrn_draw(&j->look, &j->header, &f, out, &j->msg);
    mrn_frame_destroy(&f);
    return s;
}

static int one_picture(job *j)
{
    char path[PATH_MAX];
    double start = mrn_clock();
    mrn_picture p = {0};
    default_path(j, "picture.png", path, sizeof path);
    mrn_status s = draw_frame(j, j->frame, &p);
    const char *out = j->o.out ? j->o.out : path;
    if (!s)
        s = mrn_png_write(out, &p, &j->msg);
    mrn_picture_destroy(&p);
    return s ? mrn_app_report(&j->msg) : tell(j, out, j->frame, 1, mrn_clock() - start);
}

static void progress(int64_t k, int64_t n)
{
    if (!mrn_app_is_terminal(stderr))
        return;
    fprintf(stderr, "\rframe %lld of %lld%s", (long long)k, (long long)n, k < n ? "" : "\r\x1b[K");
    fflush(stderr);
}

static mrn_status write_numbered(job *j, const mrn_picture *p, int64_t k)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/frame-%05lld.png", j->o.frames_dir, (long long)k);
    return mrn_png_write(path, p, &j->msg);
}

static mrn_status all_frames(job *j, mrn_apng *a, int64_t n)
{
    mrn_status s = MRN_OK;
    for (int64_t k = 0; !s && k < n; k++) {
        mrn_picture p = {0};
        s = draw_frame(j, k * j->o.stride, &p);
        if (!s)
            s = a ? mrn_apng_add(a, &p, &j->msg) : write_numbered(j, &p, k);
        mrn_picture_destroy(&p);
        progress(k + 1, n);
    }
    return s;
}

static int animation(job *j)
{
    char path[PATH_MAX];
    double start = mrn_clock();
    int64_t n = (j->frames - 1) / j->o.stride + 1;
    mrn_apng *a = NULL;
    mrn_status s = MRN_OK;
    default_path(j, "movie.png", path, sizeof path);
    const char *out = j->o.out ? j->o.out : path;
    if (n > INT_MAX)
        return mrn_app_usage("picture", "too many frames: use --stride");
    if (j->o.frames_dir) {
        out = j->o.frames_dir;
        if (mkdir(out, 0777) != 0 && errno != EEXIST)
            s = mrn_fail(&j->msg, MRN_ERR_IO, "%s cannot be made: %s", out, strerror(errno));
    } else {
        s = mrn_apng_create(out, j->look.width, j->look.height, (int)n, 1 / j->o.fps, &a, &j->msg);
    }
    if (!s)
        s = all_frames(j, a, n);
    mrn_message late = {0};
    mrn_status closed = mrn_apng_close(&a, s ? &late : &j->msg); /* the first trouble is stated */
    s = s ? s : closed;
    return s ? mrn_app_report(&j->msg) : tell(j, out, 0, n, mrn_clock() - start);
}

/* Contacts are asked for but the run did not store them: say so rather than draw nothing silently.
 */
static void warn_contacts(const job *j, const mrn_frame *f)
{
    bool wanted = j->o.chains || strcmp(j->look.colour_by, "load") == 0 ||
                  strcmp(j->look.colour_by, "coordination") == 0;
    if (wanted && f->contacts.n == 0)
        fprintf(
            stderr,
            "moraine: warning: this frame holds no contacts; if grains touch in it, run again with "
            "`output: {contacts: true}`\n");
}

static int work(job *j)
{
    mrn_frame f = {0};
    const char *field = j->o.colour_by ? j->o.colour_by : j->o.color_by;
    mrn_status s = mrn_trajectory_read(j->t, j->frame, &f, &j->msg);
    if (!s && field)
        j->look.colour_by = field;
    else if (!s)
        s = choose_field(j, &f);
    if (!s && strcmp(j->look.colour_by, "displacement") == 0) {
        s = mrn_trajectory_read(j->t, 0, &j->first, &j->msg);
        j->look.reference = &j->first;
    }
    if (!s && (j->o.animate || strcmp(j->o.fit, "all") == 0)) {
        mrn_look fitted = j->look;
        s = mrn_look_fit(&fitted, &j->header, j->t, &j->msg);
        if (!s && !j->o.animate) /* one picture: the view of all, the colours of its own */
            fitted.lo = j->look.lo, fitted.hi = j->look.hi;
        j->look = s ? j->look : fitted;
    }
    if (!s)
        warn_contacts(j, &f);
    mrn_frame_destroy(&f);
    if (s)
        return mrn_app_report(&j->msg);
    return j->o.animate ? animation(j) : one_picture(j);
}

static int open_and_work(job *j)
{
    if (mrn_trajectory_open(j->dir, &j->t, &j->msg))
        return mrn_app_report(&j->msg);
    j->frames = mrn_trajectory_frames(j->t);
    if (j->frames < 1) {
        mrn_fail(&j->msg, MRN_ERR_INPUT, "%s: this run has stored no frames", j->dir);
        mrn_fail_hint(&j->msg, "give the scene an `output: {every: …}`");
        return mrn_app_report(&j->msg);
    }
    int code = read_frame(j->o.frame, j->frames, &j->frame);
    if (code >= 0)
        return code;
    if (mrn_trajectory_header(j->t, &j->header, &j->msg))
        return mrn_app_report(&j->msg);
    code = make_look(j);
    return code >= 0 ? code : work(j);
}

int mrn_cmd_picture(int argc, char **argv)
{
    job j = {.o = {.frame = "last",
                   .fps = 20,
                   .zoom = 1,
                   .opacity = 0.45,
                   .stride = 1,
                   .fit = "frame",
                   .stripes = "auto"}};
    int code = parse(argc, argv, &j.o, &j.dir);
    if (code >= 0)
        return code;
    if (j.o.threads > 0)
        mrn_threads_set((int)j.o.threads);
    code = open_and_work(&j);
    mrn_frame_destroy(&j.first);
    mrn_header_destroy(&j.header);
    mrn_trajectory_close(&j.t, NULL);
    return code;
}
