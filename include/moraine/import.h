/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packings of other codes: grains and contacts as they wrote them, and a folder made of them that
   reads like that of a run (scene.yaml, trajectory.h5, checkpoint.h5). */
#ifndef MORAINE_IMPORT_H
#define MORAINE_IMPORT_H

#include "moraine/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of a format; detected by content where none is named. */
typedef struct mrn_import_format {
    const char *name, *summary, *doc;
} mrn_import_format;
MRN_API int mrn_import_format_count(void);
MRN_API const mrn_import_format *mrn_import_format_at(int i);

typedef enum mrn_import_forces {
    MRN_IMPORT_AUTO,        /* those of the file of contacts, else as the law has them          */
    MRN_IMPORT_LAW,         /* from overlaps by the contact law; nothing tangential             */
    MRN_IMPORT_EQUILIBRIUM, /* within Coulomb's cones, in balance with the load                 */
} mrn_import_forces;

typedef struct mrn_import_options {
    const char *format;   /* NULL: detected                                                     */
    int64_t frame;        /* of several in the file; negative from the end                      */
    double length_unit;   /* m per unit of length of the files (velocities: per second)         */
    double radius;        /* m, of all grains; NAN: as in the file                              */
    int dimension;        /* 2, 3; 0: that of the scene, else 2 where all z are equal           */
    const char *periodic; /* "x,y,z", "none"; NULL: as in the scene, else as in the file        */
    const char *box;      /* "xlo,xhi,ylo,yhi,zlo,zhi" in the unit of length; NULL: of the file */
    const char *contacts; /* file of contacts; NULL: none                                       */
    const char *columns;  /* names of its columns; NULL: as it says itself, or the usual ones   */
    int force_on;         /* 1, 2: body of each pair that the forces act on; 0: so that they push */
    bool skip_unknown;    /* contacts with grains that are not there (walls) are left out       */
    mrn_import_forces forces;
    double gap;      /* m: grains closer than this count as touching for MRN_IMPORT_EQUILIBRIUM;
                        NAN: 1e-5 of the smallest radius, for the digits of the file            */
    double pressure; /* Pa: load of a periodic cell for MRN_IMPORT_EQUILIBRIUM; NAN: the scene's */
    /* what the grains are made of: a scene whose bodies are replaced, or (NULL) these; NAN: a
       value of glass beads is taken and given */
    const char *scene;
    double density, young, poisson, friction; /* kg/m3, Pa, 1, 1                               */
    double kn, kt;                            /* N/m: the linear law instead of Hertz-Mindlin's */
    bool overwrite; /* a folder with an earlier run may be replaced                             */
} mrn_import_options;
MRN_API mrn_import_options mrn_import_default(void);

typedef struct mrn_import_grain {
    int64_t id; /* in the file                                                             */
    int type;   /* index into mrn_packing.type                                             */
    int line;
    mrn_vec3 x, v, w;    /* SI; x inside the periodic cell                                */
    double radius, mass; /* mass NAN: not given                                            */
    int32_t image[3];    /* cells it has crossed                                          */
} mrn_import_grain;

/* A packing as read: checked, in SI units, grains in the order of their types and then their ids.
 */
typedef struct mrn_packing {
    char file[512], format[16];
    int dimension;
    int64_t step;          /* as the file counts; -1: not given                             */
    double time;           /* s; NAN: not given                                             */
    int64_t frame, frames; /* which one of how many                                        */
    int32_t n;
    mrn_import_grain *grain;
    int n_types;
    char (*type)[MRN_NAME]; /* as they are called in the file; "" where it has none         */
    bool has_ids, has_masses, moves;
    bool periodic[3];
    double origin[3], size[3], tilt[3]; /* of the cell                                      */
    mrn_contacts contact; /* c and a: places in `grain`; normal, branch, gap, force         */
    bool has_contacts, has_forces; /* a file of contacts was read; it held forces           */
    int64_t skipped;               /* contacts with unknown grains that were left out       */
    int force_on;                  /* 1 or 2: as asked for or found                         */
} mrn_packing;

/* Reads and checks; on error nothing is left in *out and msg names file, line and column. */
MRN_API mrn_status mrn_import_read(const char *path, const mrn_import_options *opt,
                                   mrn_packing *out, mrn_message *msg);
MRN_API void mrn_packing_release(mrn_packing *p);

typedef struct mrn_import_facts {
    int64_t contacts;   /* of the frame written                                           */
    bool forces;        /* they have forces                                               */
    bool checkpoint;    /* one was written: `run --resume` and `analyze` start from it    */
    double max_overlap; /* over the smaller radius                                        */
    double unbalanced;  /* EQUILIBRIUM: largest residual over the mean force; else NAN    */
    int n_notes;
    char note[8][256]; /* what a user should know: values taken, things left out           */
} mrn_import_facts;
/* Makes the folder: scene.yaml with the grains as tables beside it, ids.csv, trajectory.h5 with one
   frame, and checkpoint.h5 where the forces are those of the law. All or nothing. */
MRN_API mrn_status mrn_import_write(const mrn_packing *p, const mrn_import_options *opt,
                                    const char *dir, mrn_import_facts *facts, mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
