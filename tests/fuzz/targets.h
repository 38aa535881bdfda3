/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reader of the project as a function of bytes, for programs that try bad ones: libFuzzer and
   AFL++ (fuzz_main.c), and the short replay of `make test` (test_replay.c). A reader may refuse,
   with a message; it must not crash, hang, or leave memory behind. Files are given as files in
   memory. */
#ifndef MRN_TESTS_FUZZ_TARGETS_H
#define MRN_TESTS_FUZZ_TARGETS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
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

/* A file in memory; its path. */
typedef struct fuzz_file {
    int fd;
    char path[64];
} fuzz_file;

static inline fuzz_file fuzz_open(const uint8_t *data, size_t n)
{
    fuzz_file f = {.fd = memfd_create("fuzz", 0)};
    if (f.fd < 0 || (n > 0 && write(f.fd, data, n) != (ssize_t)n))
        abort();
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    return f;
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

/* A scene, with the table of units read once: it takes longer than all else. */
static inline mrn_units *fuzz_shared_units(void)
{
    static mrn_units *units;
    if (units == NULL && mrn_units_open(&units, NULL) != MRN_OK)
        abort();
    return units;
}

static inline void fuzz_read_scene(const char *text, const char *set)
{
    mrn_scene_text in = {
        .text = text, .n = strlen(text), .name = "fuzz", .set = &set, .n_set = set != NULL ? 1 : 0};
    mrn_scene scene;
    mrn_message msg = {0};
    if (mrn_scene_read_bytes(&in, fuzz_shared_units(), &scene, &msg) == MRN_OK)
        mrn_scene_destroy(&scene);
}

static inline void fuzz_scene_text(const uint8_t *data, size_t n)
{
    char *text = fuzz_text(data, n);
    fuzz_read_scene(text, NULL);
    free(text);
}

static inline void fuzz_set(const uint8_t *data, size_t n)
{
    char *text = fuzz_text(data, n);
    fuzz_read_scene(fuzz_scene, text);
    free(text);
}

static inline void fuzz_experiment(const uint8_t *data, size_t n)
{
    char *text = fuzz_text(data, n);
    mrn_experiment e;
    mrn_message msg = {0};
    if (mrn_experiment_read_text(text, "fuzz", NULL, 0, &e, &msg) == MRN_OK)
        mrn_experiment_destroy(&e);
    free(text);
}

static inline void fuzz_calibration(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    mrn_calibration c;
    mrn_message msg = {0};
    if (mrn_calibration_read(f.path, NULL, 0, &c, &msg) == MRN_OK)
        mrn_calibration_destroy(&c);
    close(f.fd);
}

static inline void fuzz_stl(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    double *soup;
    int64_t triangles;
    mrn_message msg = {0};
    if (mrn_stl_read(f.path, &soup, &triangles, &msg) == MRN_OK) {
        mrn_mesh *mesh = NULL;
        if (triangles < 10000 && mrn_mesh_create(soup, triangles, &mesh, &msg) == MRN_OK)
            mrn_mesh_destroy(&mesh);
        mrn_free(soup);
    }
    close(f.fd);
}

/* Its name tells what it is. */
static inline void fuzz_obj(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    char path[64];
    snprintf(path, sizeof path, "/tmp/moraine-fuzz-%ld.obj", (long)getpid());
    if (symlink(f.path, path) != 0)
        abort();
    mrn_polytope p;
    mrn_message msg = {0};
    if (mrn_polytope_read(path, &p, &msg) == MRN_OK)
        mrn_polytope_release(&p);
    unlink(path);
    close(f.fd);
}

static inline void fuzz_csv(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    char set[2][160];
    snprintf(set[0], sizeof set[0], "bodies=[{name: s, shape: {sphere: {}}, place: {csv: %s}}]",
             f.path);
    snprintf(set[1], sizeof set[1], "gravity=[0, 0, {table: %s}]", f.path);
    for (int k = 0; k < 2; k++)
        fuzz_read_scene(fuzz_scene, set[k]);
    close(f.fd);
}

static inline void fuzz_dump(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    mrn_import_options opt = mrn_import_default();
    mrn_packing p;
    mrn_message msg = {0};
    if (mrn_import_read(f.path, &opt, &p, &msg) == MRN_OK)
        mrn_packing_release(&p);
    close(f.fd);
}

static inline void fuzz_fclib(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    mrn_problem p;
    mrn_fclib_notes notes;
    mrn_message msg = {0};
    if (mrn_fclib_read(f.path, &p, &notes, &msg) == MRN_OK)
        mrn_problem_release(&p);
    close(f.fd);
}

/* Bytes behind the seal are what is tried: the seal is put right, so that they are looked at. */
static inline void fuzz_checkpoint(const uint8_t *data, size_t n)
{
    if (n < 512)
        return;
    uint8_t *copy = (uint8_t *)fuzz_text(data, n);
    memset(copy, 0, 512);
    snprintf((char *)copy, 512, "moraine checkpoint\n%016" PRIx64 "\n",
             mrn_hash(MRN_HASH_START, copy + 512, n - 512));
    fuzz_file f = fuzz_open(copy, n);
    mrn_scene scene;
    mrn_state s = {0};
    mrn_message msg = {0};
    if (mrn_scene_read_text(fuzz_scene, "fuzz", NULL, 0, &scene, &msg) != MRN_OK)
        abort();
    if (mrn_checkpoint_read(f.path, &scene, &s, &msg) == MRN_OK)
        mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    close(f.fd);
    free(copy);
}

static inline void fuzz_trajectory(const uint8_t *data, size_t n)
{
    fuzz_file f = fuzz_open(data, n);
    mrn_trajectory *t = NULL;
    mrn_message msg = {0};
    mrn_header head;
    if (mrn_trajectory_open(f.path, &t, &msg) == MRN_OK) {
        if (mrn_trajectory_header(t, &head, &msg) == MRN_OK)
            mrn_header_destroy(&head);
        for (int64_t k = 0; k < mrn_trajectory_frames(t) && k < 4; k++) {
            mrn_frame frame;
            if (mrn_trajectory_read(t, k, &frame, &msg) == MRN_OK)
                mrn_frame_destroy(&frame);
        }
        mrn_trajectory_close(&t, NULL);
    }
    close(f.fd);
}

static inline void fuzz_expression(const uint8_t *data, size_t n)
{
    char *text = fuzz_text(data, n);
    mrn_signal s = {0};
    mrn_message msg = {0};
    if (mrn_signal_expression(text, &s, &msg) == MRN_OK) {
        double rate;
        mrn_signal_value(&s, (mrn_instant){0.5, 0.25}, &rate);
        mrn_signal_release(&s);
    }
    free(text);
}

static inline void fuzz_units(const uint8_t *data, size_t n)
{
    char *text = fuzz_text(data, n), set[600];
    double value;
    mrn_units_number(fuzz_shared_units(), text, &value);
    snprintf(set, sizeof set, "time-step=%.400s", text);
    fuzz_read_scene(fuzz_scene, set);
    free(text);
}

typedef struct fuzz_target {
    const char *name;
    void (*run)(const uint8_t *data, size_t n);
    bool text;   /* words and lines are what it is made of            */
    bool closed; /* its library crashes on bad bytes: see security.md */
} fuzz_target;

static const fuzz_target fuzz_targets[] = {
    {"scene", fuzz_scene_text, true, false},
    {"set", fuzz_set, true, false},
    {"experiment", fuzz_experiment, true, false},
    {"calibration", fuzz_calibration, true, false},
    {"stl", fuzz_stl, false, false},
    {"obj", fuzz_obj, true, false},
    {"csv", fuzz_csv, true, false},
    {"dump", fuzz_dump, true, false},
    {"expression", fuzz_expression, true, false},
    {"units", fuzz_units, true, false},
    {"fclib", fuzz_fclib, false, true},
    {"checkpoint", fuzz_checkpoint, false, true},
    {"trajectory", fuzz_trajectory, false, false},
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

/* Changes the n bytes at `data` (room for `most`); returns how many there are then. */
static inline size_t fuzz_mutate(uint8_t *data, size_t n, size_t most, bool text, mrn_rng *r)
{
    int times = 1 + (int)(4 * mrn_rng_uniform(r));
    for (int i = 0; i < times; i++) {
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

#endif
