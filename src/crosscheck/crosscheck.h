/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share. */
#ifndef MRN_CROSSCHECK_CROSSCHECK_H
#define MRN_CROSSCHECK_CROSSCHECK_H

#include "moraine/crosscheck.h"

/* ---- figure.c ---- */
/* The probes of all figures, each once: *probe (n of them; mrn_free), and for each figure
   which they are. */
typedef struct mrn_figure_probes {
    int n;
    char (*name)[128];
    int (*of)[MRN_FIGURE_PROBES];
} mrn_figure_probes;
mrn_status mrn_figure_gather(const mrn_figure *q, int n, mrn_figure_probes *out, mrn_message *msg);
void mrn_figure_probes_release(mrn_figure_probes *p);
/* At an instant, from the values of the probes. */
double mrn_figure_now(const mrn_figure *q, const int *of, const double *value);

/* ---- trial.c ---- */
/* Room for y; what the trial was before is gone. */
mrn_status mrn_trial_clear(const mrn_trials *t, mrn_trial *r, mrn_message *msg);
void mrn_trial_release(mrn_trial *r);

/* ---- trial_network.c: what the contacts of the last state say ---- */
mrn_status mrn_trial_network(const mrn_scene *scene, const mrn_state *s, mrn_trial *r);

/* ---- translate.c ---- */
typedef enum mrn_law_target {
    MRN_LAWS_AS_THEY_ARE,
    MRN_LAWS_RIGID,
    MRN_LAWS_LINEAR
} mrn_law_target;
/* Changes that put laws of another kind in the place of those of the scene, with words on how.
   MRN_ERR_INPUT: something has no counterpart; the message tells. */
mrn_status mrn_translate_laws(const mrn_scene *scene, mrn_law_target to, mrn_variant *v,
                              mrn_message *msg);
/* What laws with a stiffness count as where grains are rigid, in words. */
mrn_status mrn_translate_tell(const mrn_scene *scene, mrn_variant *v, mrn_message *msg);

#endif
