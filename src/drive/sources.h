/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inlets and outlets: what their files share. */
#ifndef MRN_DRIVE_SOURCES_H
#define MRN_DRIVE_SOURCES_H

#include "drive/drive.h"

/* The place of an inlet group in the memory of the drives; -1: no inlet, or one too many. */
int mrn_inlet_order(const mrn_scene *scene, int group);

/* Energy that goes with a body: kinetic, rotational, of gravity. */
double mrn_source_energy(const mrn_scene *scene, const mrn_state *s, int32_t i);

/* Lets in what is due. */
mrn_status mrn_inlets_open(const mrn_scene *scene, mrn_state *s, bool *changed, mrn_message *msg);
/* Removes what has left. */
mrn_status mrn_outlets_open(const mrn_scene *scene, mrn_state *s, bool *changed, mrn_message *msg);

#endif
