/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact problems in files of the FCLIB format (HDF5), so that they travel between codes: local
   form (W, q, mu), global form (M, H, f, w, mu) and the rolling forms; also the text files (.dat)
   of Siconos, for reading. */
#ifndef MORAINE_FCLIB_H
#define MORAINE_FCLIB_H

#include "moraine/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a file says beside the problem. Release with mrn_fclib_notes_release. */
typedef struct mrn_fclib_notes {
    const char *form; /* "local", "global", "local rolling", "global rolling", "siconos text" */
    double *guess;    /* impulses of the first guess, n * block; NULL: none, or all zero      */
    double *answer;   /* impulses of /solution; NULL: none, or all zero (published files hold
                         zeros there by mistake)                                              */
    char math_info[256];
    bool condensed;   /* bilateral constraints (V and R, or G) were eliminated into W and q     */
    bool dense_mass;  /* M is not made of blocks per body: W was computed, H and M dropped     */
    char remark[512]; /* what a user should know: triplet order, duplicates summed, …; or ""  */
} mrn_fclib_notes;
MRN_API void mrn_fclib_notes_release(mrn_fclib_notes *notes);

/* Reads a problem; the form is found out. `notes` may be NULL. MRN_ERR_IO: no such file or not
   HDF5; MRN_ERR_INPUT: damaged or not a contact problem, with the dataset and the reason. */
MRN_API mrn_status mrn_fclib_read(const char *path, mrn_problem *out, mrn_fclib_notes *notes,
                                  mrn_message *msg);

typedef struct mrn_fclib_save {
    const double *guess;   /* written to /guesses/1/r with its velocities; may be NULL        */
    const double *answer;  /* written to /solution/r with its velocities; may be NULL        */
    const char *math_info; /* may be NULL */
    bool global;    /* as M, H, f, w (needs Ht and minv); else as W, q                      */
    bool overwrite; /* else an existing file is refused                                     */
} mrn_fclib_save;
/* Written beside and renamed: a file is whole or not there. Cohesion is not known to the format: it
   is absorbed in q (the description says so). Bilateral contacts become the constraints V, R, s of
   the local form (the global form with them is refused), which a reader eliminates: a problem read
   back has the unilateral contacts alone. `save` may be NULL. */
MRN_API mrn_status mrn_fclib_write(const char *path, const mrn_problem *p,
                                   const mrn_fclib_save *save, mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
