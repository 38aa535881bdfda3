/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files: scenes in, results out. Every writer writes beside and renames, so that no file is ever
   half written under its final name (the trajectory is flushed frame by frame instead). */
#ifndef MORAINE_IO_H
#define MORAINE_IO_H

#include <stdio.h>

#include "moraine/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scene files (io/scene_*.c) ---- */

/* Reads, checks and prepares a scene. `set` holds n_set texts "path=value"
   ("walls.0.material=steel", "interactions.0.friction=0.3", "bodies.beads.count=200": list items by
   number or by their name), applied before checking. On error nothing is left in *scene and msg
   names file, line, column, what was expected and a cure. */
MRN_API mrn_status mrn_scene_read(const char *path, const char *const *set, int n_set,
                                  mrn_scene *scene, mrn_message *msg);
/* The same from a text in memory; `name` stands for the file in messages. */
MRN_API mrn_status mrn_scene_read_text(const char *text, const char *name, const char *const *set,
                                       int n_set, mrn_scene *scene, mrn_message *msg);
/* The format as JSON Schema (draft 2020-12) and as a Markdown reference, both from the reader's
 * tables. */
MRN_API mrn_status mrn_scene_schema(FILE *out);
MRN_API mrn_status mrn_scene_reference(FILE *out);
/* The same of the files of the lab (lab.h). */
MRN_API mrn_status mrn_lab_schema(FILE *out);
MRN_API mrn_status mrn_lab_reference(FILE *out);
/* And of calibrations. */
MRN_API mrn_status mrn_calibration_schema(FILE *out);
MRN_API mrn_status mrn_calibration_reference(FILE *out);
/* A quantity with unit to SI: mrn_quantity("2 mm", "m", &v). Bare numbers are SI. */
MRN_API mrn_status mrn_quantity(const char *text, const char *unit, double *value,
                                mrn_message *msg);

/* ---- frames: one instant of a run, as stored (store/trajectory.c) ---- */

typedef struct mrn_frame {
    double time;
    int64_t step;
    int32_t n, n_walls;        /* bodies, walls first                              */
    double *x, *v, *w, *q, *f; /* 3, 3, 3, 4 (w x y z), 3 per body                  */
    double *t;                 /* torque, 3                                         */
    double *radius, *mass;
    int32_t *id, *image; /* 1, 3                                              */
    uint16_t *material, *group, *flags;
    int32_t *parent; /* persistent number of the cluster a sphere belongs to; -1: none  */
    uint16_t *part;  /* of a body with MRN_BODY_POLYTOPE: which polytope of the header (else: which
                        sphere of  its cluster). NULL: no polytopes  */
    bool periodic[3];
    double cell_origin[3], cell_size[3];
    double cell_tilt[3];   /* xy, xz, yz of a sheared cell, see mrn_state             */
    mrn_contacts contacts; /* n = 0 when the run did not store them             */
} mrn_frame;
MRN_API void mrn_frame_destroy(mrn_frame *f);
/* Edge k of the periodic cell; 0 where the direction has no period. */
static inline mrn_vec3 mrn_frame_edge(const mrn_frame *f, int k)
{
    const double *size = f->cell_size, *tilt = f->cell_tilt;
    double x = f->periodic[0] ? 1 : 0, y = f->periodic[1] ? 1 : 0;
    if (!f->periodic[k])
        return mrn_v3(0, 0, 0);
    return k == 0   ? mrn_v3(size[0], 0, 0)
           : k == 1 ? mrn_v3(x * tilt[0], size[1], 0)
                    : mrn_v3(x * tilt[1], y * tilt[2], size[2]);
}
/* Whole cells away: a edges along the first direction, b along the second, c along the third. */
static inline mrn_vec3 mrn_frame_shift(const mrn_frame *f, double a, double b, double c)
{
    return mrn_axpy(a, mrn_frame_edge(f, 0),
                    mrn_axpy(b, mrn_frame_edge(f, 1), mrn_scale(c, mrn_frame_edge(f, 2))));
}
/* A frame of the state as it is now (contacts may be NULL). Of a cluster it has the spheres, not
   the body that carries them: what can be seen, and each thing once. */
MRN_API mrn_status mrn_frame_from_state(const mrn_scene *scene, const mrn_state *s,
                                        const mrn_contacts *contacts, mrn_frame *out,
                                        mrn_message *msg);

/* What a run shows besides its frames: stored once in the trajectory. */
typedef struct mrn_header {
    int dimension;
    char title[256];
    int n_walls, n_groups, n_materials;
    char (*wall_name)[MRN_NAME], (*group_name)[MRN_NAME], (*material_name)[MRN_NAME];
    mrn_triangles *wall; /* per wall, in its body's frame                     */
    bool *wall_endless;  /* per wall: infinite, its triangles only a part; NULL: not known; mrn_free
                          */
    int n_polytopes;
    mrn_polytope *polytope; /* polygons and polyhedra: those of the scene, by the same numbers */
} mrn_header;
/* The polytope of body i of a frame; NULL: a sphere, disk or wall. */
static inline const mrn_polytope *mrn_frame_polytope(const mrn_header *c, const mrn_frame *f,
                                                     int32_t i)
{
    bool has = f->part != NULL && f->flags != NULL && (f->flags[i] & MRN_BODY_POLYTOPE) &&
               f->part[i] < c->n_polytopes;
    return has ? &c->polytope[f->part[i]] : NULL;
}
/* Radius of the ball about its centre that holds body i of a frame. */
static inline double mrn_frame_bound(const mrn_header *c, const mrn_frame *f, int32_t i)
{
    const mrn_polytope *polytope = mrn_frame_polytope(c, f, i);
    return polytope != NULL ? f->radius[i] * polytope->bound : f->radius[i];
}
/* Infinite walls are cut at `extent` from their centre. */
MRN_API mrn_status mrn_header_from_scene(const mrn_scene *scene, double extent, mrn_header *out,
                                         mrn_message *msg);
MRN_API void mrn_header_destroy(mrn_header *c);

typedef struct mrn_trajectory mrn_trajectory; /* DIR/trajectory.h5 with DIR/trajectory.xdmf beside
                                                 it */
/* `resume_time`: NAN starts a new file; else frames later than it are cut off and writing goes on.
 */
MRN_API mrn_status mrn_trajectory_create(const char *dir, const mrn_header *header,
                                         double resume_time, mrn_trajectory **out,
                                         mrn_message *msg);
MRN_API mrn_status mrn_trajectory_append(mrn_trajectory *t, const mrn_frame *f, mrn_message *msg);
/* Opens for reading (DIR or the .h5 file). */
MRN_API mrn_status mrn_trajectory_open(const char *path, mrn_trajectory **out, mrn_message *msg);
MRN_API int64_t mrn_trajectory_frames(const mrn_trajectory *t);
MRN_API double mrn_trajectory_time(const mrn_trajectory *t, int64_t k);
MRN_API mrn_status mrn_trajectory_read(mrn_trajectory *t, int64_t k, mrn_frame *out,
                                       mrn_message *msg);
MRN_API mrn_status mrn_trajectory_header(mrn_trajectory *t, mrn_header *out, mrn_message *msg);
/* Closes a written or read trajectory; writing errors that came late are stated here. */
MRN_API mrn_status mrn_trajectory_close(mrn_trajectory **t, mrn_message *msg);

/* ---- probes.csv read back (store/probe_table.c) ---- */

typedef struct mrn_probe_column {
    char name[160], unit[64]; /* "kinetic-energy", "J"; unit "1": a pure number */
    double *value;            /* NAN: not known; of column `stage`: number of the stage's name */
} mrn_probe_column;
typedef struct mrn_probe_table {
    int64_t n; /* rows */
    int n_columns, n_stages;
    mrn_probe_column *column;
    int64_t stage_room;
    char (*stage)[MRN_NAME];
} mrn_probe_table;
/* A row that is not ended (a run writes it just now) is left out. Links are not followed. */
MRN_API mrn_status mrn_probe_table_read(const char *path, mrn_probe_table *t, mrn_message *msg);
/* NULL: no column of that name. */
MRN_API const mrn_probe_column *mrn_probe_table_find(const mrn_probe_table *t, const char *name);
MRN_API void mrn_probe_table_release(mrn_probe_table *t);

/* ---- checkpoints (store/checkpoint.c) ---- */

/* All saved fields, the contact network, ledger, stage, scene source: enough to go on
   bit for bit. Atomic: DIR/checkpoint.h5 is either the old or the new one. */
MRN_API mrn_status mrn_checkpoint_write(const char *path, const mrn_scene *scene,
                                        const mrn_state *s, mrn_message *msg);
/* `scene` must be the same scene (its source text is compared; only stages' end conditions and
   output may differ). Fills *s ({0} before). Of the smooth engine the network holds the contacts by
   persistent numbers: the caller builds the neighbour list from x_list (mrn_pairs_build), which
   gives each its slot back. */
MRN_API mrn_status mrn_checkpoint_read(const char *path, const mrn_scene *scene, mrn_state *s,
                                       mrn_message *msg);
/* The same, where the user wants some things to be different from here on: `change` are names of
   the list below. Laws may have other numbers; another law remembers other things of a contact and
   is refused. */
MRN_API mrn_status mrn_checkpoint_read_changed(const char *path, const mrn_scene *scene,
                                               const char *const *change, int n_change,
                                               mrn_state *s, mrn_message *msg);
/* "interactions", "gravity", …; NULL behind the last one. */
MRN_API const char *mrn_checkpoint_change_at(int i);

/* ---- export (io/export_*.c) ---- */

/* Formats: "vtk" (DIR of .vtu + .vtp walls + .pvd), "csv", "lammps" (dump), "gsd". One descriptor
   each. Frames first, first + stride, … up to last; negative numbers count from the end (-1: the
   last frame). */
typedef struct mrn_export_format {
    const char *name, *extension, *summary, *doc;
    mrn_status (*write)(mrn_trajectory *t, int64_t first, int64_t last, int64_t stride,
                        const char *out_path, mrn_message *msg);
} mrn_export_format;
MRN_API int mrn_export_format_count(void);
MRN_API const mrn_export_format *mrn_export_format_at(int i);
MRN_API const mrn_export_format *mrn_export_format_find(const char *name);

/* ---- modes of a network (export/modes_vtk.c) ---- */

struct mrn_net;
/* Motions of the grains of a network, `n` of them with n_unknowns numbers each, as arrows and turns
   on the grains: one VTK file (.vtu) for ParaView, with vectors NAME and NAME.turn per motion; or,
   by the ending .json, for `moraine view`. */
MRN_API mrn_status mrn_modes_write(const char *path, const struct mrn_net *net, int n,
                                   const double *mode, const char *const *name, mrn_message *msg);

/* ---- small helpers ---- */
/* Opens PATH.part for writing; commit closes and renames it to PATH, abandon removes it. A device
   or a pipe is written to directly (part is then empty); a link is followed. */
typedef struct mrn_atomic_file {
    FILE *f;
    char path[1024], part[1040];
} mrn_atomic_file;
MRN_API mrn_status mrn_atomic_open(const char *path, mrn_atomic_file *out, mrn_message *msg);
MRN_API mrn_status mrn_atomic_commit(mrn_atomic_file *a, mrn_message *msg);
MRN_API void mrn_atomic_abandon(mrn_atomic_file *a);

#ifdef __cplusplus
}
#endif

#endif
