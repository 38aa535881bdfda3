/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reader of the project as a function of bytes, for programs that try bad ones: libFuzzer and
   AFL++ (fuzz_main.c), and the short replay of `make test` (test_replay.c). A reader may refuse,
   with a message; it must not crash, hang, or leave memory behind. Files are given as files in
   memory. */
#ifndef MRN_TESTS_FUZZ_TARGETS_H
#define MRN_TESTS_FUZZ_TARGETS_H

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "fuzz/recipes.h"
#include "geom/mesh.h"
#include "geom/stl.h"
#include "moraine/moraine.h"
#include "scene/read.h"
#include "scene/units.h"

static const char fuzz_scene[] =
    "moraine: 1\n"
    "materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 0.6, friction: 0.5}]\n"
    "bodies: [{name: stones, shape: {sphere: {diameter: 1 cm}}, count: 3,\n"
    "  place: {fill: {box: [[0, 0, 0], [3 cm, 3 cm, 3 cm]]}}}]\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "gravity: [0, 0, -9.81]\n"
    "stages: [{name: fall, until: {time: 20 ms}}]\n";

/* A file with the given bytes. HDF5 wants one with a name that leads back to it: none of those that
   are only in memory will do. */
typedef struct fuzz_file {
    int fd;
    char path[64];
} fuzz_file;

static inline fuzz_file fuzz_open(const uint8_t *data, size_t n)
{
    static const char *folder;
    if (folder == NULL)
        folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    fuzz_file f;
    snprintf(f.path, sizeof f.path, "%s/moraine-fuzz-%ld", folder, (long)getpid());
    f.fd = open(f.path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (f.fd < 0 || (n > 0 && write(f.fd, data, n) != (ssize_t)n))
        abort();
    return f;
}

static inline void fuzz_close(const fuzz_file *f)
{
    close(f->fd);
    unlink(f->path);
}

/* A text with its end; without zeros, which no file of ours has. */
static inline char *fuzz_text(const uint8_t *data, size_t n)
{
    char *t = malloc(n + 1);
    if (t == NULL)
        abort();
    memcpy(t, data, n);
    t[n] = '\0';
    return t;
}

/* A text whose word BASES is the folder of the files that seeds name. */
static inline char *fuzz_text_with_bases(const uint8_t *data, size_t n)
{
    static const char folder[] = MRN_TEST_SOURCE "/tests/fuzz/bases";
    char *text = fuzz_text(data, n), *at = strstr(text, "BASES");
    if (at == NULL)
        return text;
    size_t size = strlen(text) + sizeof folder;
    char *out = malloc(size);
    if (out == NULL)
        abort();
    snprintf(out, size, "%.*s%s%s", (int)(at - text), text, folder, at + 5);
    free(text);
    return out;
}

/* A scene, with the table of units read once: it takes longer than all else. */
static inline mrn_units *fuzz_shared_units(void)
{
    static mrn_units *units;
    if (units == NULL && mrn_units_open(&units, NULL) != MRN_OK)
        abort();
    return units;
}

/* Each tells whether what it was given was taken: a reader that refuses its own seeds is not tried
   at all by what is made of them. */
static inline bool fuzz_read_scene(const char *text, const char *set)
{
    mrn_scene_text in = {
        .text = text, .n = strlen(text), .name = "fuzz", .set = &set, .n_set = set != NULL ? 1 : 0};
    mrn_scene scene;
    mrn_message msg = {0};
    if (mrn_scene_read_bytes(&in, fuzz_shared_units(), &scene, &msg) != MRN_OK)
        return false;
    mrn_scene_destroy(&scene);
    return true;
}

static inline bool fuzz_scene_text(const uint8_t *data, size_t n)
{
    char *text = fuzz_text(data, n);
    bool taken = fuzz_read_scene(text, NULL);
    free(text);
    return taken;
}

static inline bool fuzz_set(const uint8_t *data, size_t n)
{
    char *text = fuzz_text(data, n);
    bool taken = fuzz_read_scene(fuzz_scene, text);
    free(text);
    return taken;
}

static inline bool fuzz_experiment(const uint8_t *data, size_t n)
{
    char *text = fuzz_text_with_bases(data, n);
    mrn_experiment e;
    mrn_message msg = {0};
    bool taken = mrn_experiment_read_text(text, "fuzz", NULL, 0, &e, &msg) == MRN_OK;
    if (taken)
        mrn_experiment_destroy(&e);
    free(text);
    return taken;
}

static inline bool fuzz_calibration(const uint8_t *data, size_t n)
{
    char *text = fuzz_text_with_bases(data, n);
    fuzz_file f = fuzz_open((const uint8_t *)text, strlen(text));
    mrn_calibration c;
    mrn_message msg = {0};
    bool taken = mrn_calibration_read(f.path, NULL, 0, &c, &msg) == MRN_OK;
    if (taken)
        mrn_calibration_destroy(&c);
    fuzz_close(&f);
    free(text);
    return taken;
}

static inline bool fuzz_stl(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    double *soup;
    int64_t triangles;
    mrn_message msg = {0};
    bool taken = mrn_stl_read(f.path, &soup, &triangles, &msg) == MRN_OK;
    if (taken) {
        mrn_mesh *mesh = NULL;
        if (triangles < 10000 && mrn_mesh_create(soup, triangles, &mesh, &msg) == MRN_OK)
            mrn_mesh_destroy(&mesh);
        mrn_free(soup);
    }
    fuzz_close(&f);
    return taken;
}

/* Its name tells what it is. */
static inline bool fuzz_obj(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    char path[80];
    snprintf(path, sizeof path, "%s.obj", f.path);
    if (rename(f.path, path) != 0)
        abort();
    mrn_polytope p;
    mrn_message msg = {0};
    bool taken = mrn_polytope_read(path, &p, &msg) == MRN_OK;
    if (taken)
        mrn_polytope_release(&p);
    unlink(path);
    fuzz_close(&f);
    return taken;
}

static inline bool fuzz_csv(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    char set[2][160];
    snprintf(set[0], sizeof set[0], "bodies=[{name: s, shape: {sphere: {}}, place: {csv: %s}}]",
             f.path);
    snprintf(set[1], sizeof set[1], "gravity=[0, 0, {table: %s}]", f.path);
    bool taken = false;
    for (int k = 0; k < 2; k++)
        taken = fuzz_read_scene(fuzz_scene, set[k]) || taken;
    fuzz_close(&f);
    return taken;
}

static inline bool fuzz_dump(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    mrn_import_options opt = mrn_import_default();
    mrn_packing p;
    mrn_message msg = {0};
    bool taken = mrn_import_read(f.path, &opt, &p, &msg) == MRN_OK;
    if (taken)
        mrn_packing_release(&p);
    fuzz_close(&f);
    return taken;
}

static inline bool fuzz_read_fclib(const char *path)
{
    mrn_problem p;
    mrn_fclib_notes notes;
    mrn_message msg = {0};
    if (mrn_fclib_read(path, &p, &notes, &msg) != MRN_OK)
        return false;
    mrn_problem_release(&p);
    mrn_fclib_notes_release(&notes);
    return true;
}

static inline bool fuzz_fclib(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    bool taken = fuzz_read_fclib(f.path);
    fuzz_close(&f);
    return taken;
}

/* Bytes behind the seal are what is tried: the seal is put right, so that they are looked at. */
static inline void fuzz_seal(uint8_t *bytes, size_t n)
{
    memset(bytes, 0, 512);
    snprintf((char *)bytes, 512, "moraine checkpoint\n%016" PRIx64 "\n",
             mrn_hash(MRN_HASH_START, bytes + 512, n - 512));
}

/* Methods whose checkpoints are tried, with the files that are edited. */
typedef struct fuzz_method {
    const char *base, *set[2];
} fuzz_method;

static const fuzz_method fuzz_methods[] = {
    {"seeds/checkpoint/three.h5", {NULL}},
    {"bases/rigid.h5",
     {"method=nonsmooth", "interactions=[{between: any, law: rigid, friction: 0.5}]"}},
    {"bases/flights.h5",
     {"method=event", "interactions=[{between: any, law: rigid, friction: 0.5}]"}},
};

static inline bool fuzz_read_checkpoint(const char *path, const fuzz_method *m)
{
    mrn_scene scene;
    mrn_state s = {0};
    mrn_message msg = {0};
    mrn_scene_text in = {.text = fuzz_scene,
                         .n = sizeof fuzz_scene - 1,
                         .name = "fuzz",
                         .set = m->set,
                         .n_set = m->set[0] != NULL ? 2 : 0};
    if (mrn_scene_read_bytes(&in, fuzz_shared_units(), &scene, &msg) != MRN_OK)
        abort();
    bool taken = mrn_checkpoint_read(path, &scene, &s, &msg) == MRN_OK;
    if (taken) {
        mrn_frame frame;
        if (mrn_frame_from_state(&scene, &s, NULL, &frame, &msg) == MRN_OK)
            mrn_frame_destroy(&frame);
        mrn_state_destroy(&s);
    }
    mrn_scene_destroy(&scene);
    return taken;
}

static inline bool fuzz_checkpoint(const uint8_t *data, size_t n)
{
    if (n < 512)
        return false;
    uint8_t *copy = (uint8_t *)fuzz_text(data, n);
    fuzz_seal(copy, n);
    fuzz_file f = fuzz_open(copy, n);
    bool taken = fuzz_read_checkpoint(f.path, &fuzz_methods[0]);
    fuzz_close(&f);
    free(copy);
    return taken;
}

/* What is taken is looked at and handed on: by numbers of groups, materials, forms and contacts. */
static inline void fuzz_use_frame(const mrn_header *head, const mrn_frame *frame)
{
    mrn_look look = mrn_look_default(head->dimension);
    look.width = look.height = 24;
    look.supersample = 1;
    look.force_chains = true;
    look.legend = look.axes = look.caption = false;
    look.colour_by = frame->step % 2 == 0 ? "group" : "speed";
    mrn_picture picture;
    if (mrn_draw(&look, head, frame, &picture, NULL) == MRN_OK)
        mrn_picture_destroy(&picture);
}

static inline void fuzz_export(mrn_trajectory *t, const char *path)
{
    for (int i = 0; i < mrn_export_format_count(); i++)
        if (strcmp(mrn_export_format_at(i)->name, "vtk") != 0) { /* writes a folder */
            char out[80];
            snprintf(out, sizeof out, "%s.out", path);
            mrn_export_format_at(i)->write(t, 0, -1, 1, out, NULL);
            unlink(out);
        }
}

static inline bool fuzz_read_trajectory(const char *path)
{
    mrn_trajectory *t = NULL;
    mrn_message msg = {0};
    mrn_header head;
    if (mrn_trajectory_open(path, &t, &msg) != MRN_OK)
        return false;
    bool has_header = mrn_trajectory_header(t, &head, &msg) == MRN_OK, taken = has_header;
    for (int64_t k = 0; k < mrn_trajectory_frames(t) && k < 4; k++) {
        mrn_frame frame;
        if (mrn_trajectory_read(t, k, &frame, &msg) != MRN_OK) {
            taken = false;
            continue;
        }
        if (has_header)
            fuzz_use_frame(&head, &frame);
        mrn_frame_destroy(&frame);
    }
    if (has_header) {
        fuzz_export(t, path);
        mrn_header_destroy(&head);
    }
    mrn_trajectory_close(&t, NULL);
    return taken;
}

static inline bool fuzz_trajectory(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    bool taken = fuzz_read_trajectory(f.path);
    fuzz_close(&f);
    return taken;
}

/* ---- whole files that say nonsense: recipes.h ---- */

static inline fuzz_file fuzz_base(const char *name)
{
    char path[1000];
    static uint8_t data[1 << 18];
    snprintf(path, sizeof path, "%s/tests/fuzz/%s", MRN_TEST_SOURCE, name);
    FILE *f = fopen(path, "rb");
    size_t n = f != NULL ? fread(data, 1, sizeof data, f) : 0;
    if (n == 0 || fclose(f) != 0)
        abort();
    return fuzz_open(data, n);
}

static inline bool fuzz_edited_trajectory(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_base("seeds/trajectory/three.h5");
    recipe_cook(f.path, data + 1, n > 0 ? n - 1 : 0);
    bool taken = fuzz_read_trajectory(f.path);
    fuzz_close(&f);
    return taken;
}

static inline bool fuzz_edited_fclib(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_base("seeds/fclib/chain.hdf5");
    recipe_cook(f.path, data + 1, n > 0 ? n - 1 : 0);
    bool taken = fuzz_read_fclib(f.path);
    fuzz_close(&f);
    return taken;
}

/* The first byte chooses the method; of other files it says nothing. */
static inline bool fuzz_edited_checkpoint(const uint8_t *data, size_t n)
{
    const fuzz_method *m = &fuzz_methods[n > 0 ? data[0] % 3 : 0];
    fuzz_file f = fuzz_base(m->base);
    recipe_cook(f.path, data + 1, n > 0 ? n - 1 : 0);
    off_t size = lseek(f.fd, 0, SEEK_END);
    uint8_t *bytes = malloc((size_t)size);
    if (bytes == NULL || size < 512 || pread(f.fd, bytes, (size_t)size, 0) != size)
        abort();
    fuzz_seal(bytes, (size_t)size);
    if (pwrite(f.fd, bytes, 512, 0) != 512)
        abort();
    free(bytes);
    bool taken = fuzz_read_checkpoint(f.path, m);
    fuzz_close(&f);
    return taken;
}

static inline bool fuzz_expression(const uint8_t *data, size_t n)
{
    char *text = fuzz_text(data, n);
    mrn_signal s = {0};
    mrn_message msg = {0};
    bool taken = mrn_signal_expression(text, &s, &msg) == MRN_OK;
    if (taken) {
        double rate;
        mrn_signal_value(&s, (mrn_instant){0.5, 0.25}, &rate);
        mrn_signal_release(&s);
    }
    free(text);
    return taken;
}

static inline bool fuzz_units(const uint8_t *data, size_t n)
{
    static const char *const unit[] = {"1", "m", "J", "Pa"};
    char *text = fuzz_text(data, n);
    mrn_reading reading;
    mrn_message msg = {0};
    bool taken = false;
    for (size_t k = 0; k < sizeof unit / sizeof *unit; k++)
        taken =
            mrn_units_read(fuzz_shared_units(), text, unit[k], &reading, &msg) == MRN_OK || taken;
    free(text);
    return taken;
}

typedef struct fuzz_target {
    const char *name;
    bool (*run)(const uint8_t *data, size_t n);
    bool text;   /* words and lines are what it is made of            */
    bool closed; /* its library crashes on bad bytes: see security.md */
    bool recipe; /* bytes are edits of a whole file: recipes.h        */
} fuzz_target;

static const fuzz_target fuzz_targets[] = {
    {"scene", fuzz_scene_text, .text = true},
    {"set", fuzz_set, .text = true},
    {"experiment", fuzz_experiment, .text = true},
    {"calibration", fuzz_calibration, .text = true},
    {"stl", fuzz_stl, .text = false},
    {"obj", fuzz_obj, .text = true},
    {"csv", fuzz_csv, .text = true},
    {"dump", fuzz_dump, .text = true},
    {"expression", fuzz_expression, .text = true},
    {"units", fuzz_units, .text = true},
    {"fclib", fuzz_fclib, .closed = true},
    {"checkpoint", fuzz_checkpoint, .closed = true},
    {"trajectory", fuzz_trajectory, .text = false},
    {"edited-checkpoint", fuzz_edited_checkpoint, .recipe = true},
    {"edited-trajectory", fuzz_edited_trajectory, .recipe = true},
    {"edited-fclib", fuzz_edited_fclib, .recipe = true},
};
enum { FUZZ_TARGETS = sizeof fuzz_targets / sizeof fuzz_targets[0] };

/* ---- mutations, for texts by words and lines ---- */

static inline const char *fuzz_word(mrn_rng *r)
{
    static const char *const words[] = {"0",
                                        "-1",
                                        "1e308",
                                        "-1e-320",
                                        "nan",
                                        "inf",
                                        "1e18",
                                        "18446744073709551616",
                                        "true",
                                        "[]",
                                        "{}",
                                        "[0, 0, 0]",
                                        "\"\"",
                                        "~",
                                        "*a",
                                        "&a",
                                        "!!str",
                                        "|",
                                        "- ",
                                        ": ",
                                        "#",
                                        "1 mm",
                                        "1e400 s",
                                        "m/s2/s2",
                                        "sin(t)",
                                        "1/0",
                                        "sqrt(-1)",
                                        "((((((((",
                                        "smooth",
                                        "nonsmooth",
                                        "event",
                                        "quasistatic",
                                        "rigid",
                                        "linear",
                                        "dimension: 2",
                                        "polygon: {sides: 5}",
                                        "box",
                                        "mesh",
                                        "csv",
                                        "table",
                                        "servo",
                                        "periodic",
                                        "moraine: 2",
                                        "facet normal",
                                        "vertex",
                                        "f 1 2 3",
                                        "v 0 0 0",
                                        "ITEM: ATOMS",
                                        "ITEM: NUMBER OF ATOMS",
                                        "x,y,z,radius",
                                        "time,value",
                                        ",,,,",
                                        "\t",
                                        "\r\n",
                                        "\xff\xfe",
                                        "\xc3\xa9",
                                        "stages",
                                        "until",
                                        "count",
                                        "fill",
                                        "diameter"};
    return words[(size_t)(mrn_rng_uniform(r) * (double)(sizeof words / sizeof *words))];
}

/* ---- texts as trees of lines: a line and all that is indented below it is a block ---- */

static inline size_t fuzz_line_start(const uint8_t *data, size_t at)
{
    while (at > 0 && data[at - 1] != '\n')
        at--;
    return at;
}

static inline size_t fuzz_indent(const uint8_t *data, size_t n, size_t line)
{
    size_t k = line;
    while (k < n && (data[k] == ' ' || data[k] == '-'))
        k++;
    return k - line;
}

/* End of the block that begins with the line at `line`. */
static inline size_t fuzz_block_end(const uint8_t *data, size_t n, size_t line)
{
    size_t depth = fuzz_indent(data, n, line), k = line;
    do {
        while (k < n && data[k] != '\n')
            k++;
        k += k < n;
    } while (k < n && fuzz_indent(data, n, k) > depth);
    return k;
}

/* A block goes, comes twice, or moves to before another line, indented as that one is or as it was.
 */
static inline size_t fuzz_mutate_block(uint8_t *data, size_t n, size_t most, mrn_rng *r)
{
    static uint8_t block[1 << 16];
    size_t from = fuzz_line_start(data, (size_t)(mrn_rng_uniform(r) * (double)n));
    size_t end = fuzz_block_end(data, n, from), size = end - from;
    double kind = mrn_rng_uniform(r);
    if (size == 0 || size > sizeof block)
        return n;
    memcpy(block, data + from, size);
    if (kind < 0.6) { /* goes; comes back elsewhere below 0.4 */
        memmove(data + from, data + end, n - end);
        n -= size;
    }
    if (kind >= 0.4 && kind < 0.6)
        return n;
    size_t to = fuzz_line_start(data, (size_t)(mrn_rng_uniform(r) * (double)n));
    size_t was = fuzz_indent(block, size, 0), now = fuzz_indent(data, n, to);
    size_t more = now > was && mrn_rng_uniform(r) < 0.7 ? now - was : 0;
    if (n + size + more > most)
        return n;
    memmove(data + to + more + size, data + to, n - to);
    memset(data + to, ' ', more);
    memcpy(data + to + more, block, size);
    return n + size + more;
}

/* Two values (what follows ": " up to a comma, a bracket or the end of a line) change places. */
static inline size_t fuzz_swap_values(uint8_t *data, size_t n, mrn_rng *r)
{
    size_t at[2], size[2];
    for (int k = 0; k < 2; k++) {
        size_t i = n > 2 ? (size_t)(mrn_rng_uniform(r) * (double)(n - 2)) : n;
        while (i + 2 < n && (data[i] != ':' || data[i + 1] != ' '))
            i++;
        at[k] = i + 2, size[k] = 0;
        while (at[k] + size[k] < n && strchr(",]}\n", data[at[k] + size[k]]) == NULL)
            size[k]++;
    }
    int a = at[0] <= at[1] ? 0 : 1, b = 1 - a;
    if (at[b] >= n || at[a] + size[a] > at[b] || size[a] > 200 || size[b] > 200)
        return n;
    uint8_t first[200], second[200];
    memcpy(first, data + at[a], size[a]);
    memcpy(second, data + at[b], size[b]);
    size_t between = at[b] - at[a] - size[a];
    memmove(data + at[a] + size[b], data + at[a] + size[a], between);
    memcpy(data + at[a], second, size[b]);
    memcpy(data + at[a] + size[b] + between, first, size[a]);
    return n;
}

/* Changes the n bytes at `data` (room for `most`); returns how many there are then. */
static inline size_t fuzz_mutate(uint8_t *data, size_t n, size_t most, bool text, mrn_rng *r)
{
    int times = 1 + (int)(4 * mrn_rng_uniform(r));
    for (int i = 0; i < times; i++) {
        if (text && n > 0 && mrn_rng_uniform(r) < 0.4) {
            n = mrn_rng_uniform(r) < 0.5 ? fuzz_mutate_block(data, n, most, r)
                                         : fuzz_swap_values(data, n, r);
            continue;
        }
        size_t at = n > 0 ? (size_t)(mrn_rng_uniform(r) * (double)n) : 0;
        double kind = mrn_rng_uniform(r);
        if (n > 0 && (!text ? kind < 0.6 : kind < 0.15)) { /* one bit, one byte, eight bytes */
            data[at] ^= (uint8_t)(1 << (int)(8 * mrn_rng_uniform(r)));
            if (kind < 0.05)
                memset(data + at, kind < 0.02 ? 0xff : 0, n - at < 8 ? n - at : 8);
        } else if (n > 1 && kind < 0.35) { /* a piece goes */
            size_t cut = 1 + (size_t)(mrn_rng_uniform(r) * (text ? 12 : 600));
            cut = cut < n - at ? cut : n - at;
            memmove(data + at, data + at + cut, n - at - cut);
            n -= cut;
        } else if (n > 1 && kind < 0.5) { /* a piece comes twice */
            size_t piece = 1 + (size_t)(mrn_rng_uniform(r) * 60);
            piece = piece < n - at ? piece : n - at;
            if (n + piece > most)
                continue;
            memmove(data + at + piece, data + at, n - at);
            n += piece;
        } else { /* a word, in the place of another or between two */
            const char *word = fuzz_word(r);
            size_t size = strlen(word), old = kind < 0.8 ? size : 0;
            old = old < n - at ? old : n - at;
            if (n - old + size > most)
                continue;
            memmove(data + at + size, data + at + old, n - at - old);
            memcpy(data + at, word, size);
            n = n - old + size;
        }
    }
    return n;
}

/* Edits of a recipe come, go and change as a whole. */
static inline size_t fuzz_mutate_recipe(uint8_t *data, size_t n, size_t most, mrn_rng *r)
{
    size_t edits = n > 0 ? (n - 1) / RECIPE_EDIT : 0, at = 1;
    double kind = mrn_rng_uniform(r);
    if (edits > 0)
        at += RECIPE_EDIT * (size_t)(mrn_rng_uniform(r) * (double)edits);
    if (edits == 0 || (kind < 0.3 && n + RECIPE_EDIT <= most)) { /* comes, at the end */
        at = n = 1 + RECIPE_EDIT * edits;
        n += RECIPE_EDIT;
    } else if (kind < 0.5 && edits > 1) { /* goes */
        memmove(data + at, data + at + RECIPE_EDIT, n - at - RECIPE_EDIT);
        return n - RECIPE_EDIT;
    }
    for (int k = 0; k < RECIPE_EDIT; k++)
        data[at + (size_t)k] = (uint8_t)(256 * mrn_rng_uniform(r));
    if (mrn_rng_uniform(r) < 0.2)
        data[0] = (uint8_t)(256 * mrn_rng_uniform(r));
    return n;
}

/* A changed input for a reader. */
static inline size_t fuzz_change(const fuzz_target *t, uint8_t *data, size_t n, size_t most,
                                 mrn_rng *r)
{
    if (!t->recipe)
        return fuzz_mutate(data, n, most, t->text, r);
    for (int times = 1 + (int)(3 * mrn_rng_uniform(r)); times > 0 && most > RECIPE_EDIT; times--)
        n = fuzz_mutate_recipe(data, n, most, r);
    return n;
}

#endif
