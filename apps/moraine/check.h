/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `moraine check`. */
#ifndef MORAINE_CHECK_H
#define MORAINE_CHECK_H

#include "app.h"

/* A heading, and a line "name  value" below it (cmd_check.c). */
void mrn_check_title(const char *text);
void mrn_check_line(const char *name, const char *fmt, ...) MRN_PRINTF(2, 3);

/* check_drives.c */
mrn_readable mrn_check_signal_text(const mrn_signal *x, const char *unit);
void mrn_check_gravity_text(const mrn_scene *scene, char *buf, size_t size);
void mrn_check_motion_text(const mrn_motion *m, char *buf, size_t size);
void mrn_check_changes_text(const mrn_stage *g, char *buf, size_t size);
void mrn_check_world(const mrn_scene *scene); /* control of the cell, integrator, damping */
void mrn_check_clusters(const mrn_scene *scene);
void mrn_check_drives(const mrn_scene *scene); /* forces, inlets, outlets */
json_t *mrn_check_clusters_json(const mrn_scene *scene);
json_t *mrn_check_laws_json(const mrn_scene *scene);

#endif
