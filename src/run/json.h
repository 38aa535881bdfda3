/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON as the files of a run are written in: numbers, objects, energies and their ledger. */
#ifndef MRN_RUN_JSON_H
#define MRN_RUN_JSON_H

#include <jansson.h>
#include <math.h>

#include "base/base.h"
#include "moraine/engine.h"

/* JSON has no word for what is not finite. */
static inline json_t *mrn_json_number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

/* The JSON of a file that can be read without waiting; NULL: there is none. */
static inline json_t *mrn_json_read(const char *path)
{
    FILE *f = mrn_open_input(path);
    json_t *root = f != NULL ? json_loadf(f, 0, NULL) : NULL;
    if (f != NULL)
        fclose(f);
    return root;
}

/* Adds to an object; a value that could not be made shows in the end as a missing key. */
static inline void mrn_json_put(json_t *o, const char *key, json_t *value)
{
    json_object_set_new(o, key, value);
}

static inline void mrn_json_put_number(json_t *o, const char *key, double v)
{
    mrn_json_put(o, key, mrn_json_number(v));
}

/* What the bodies have. */
static inline void mrn_json_put_energies(json_t *o, const mrn_energies *e)
{
    mrn_json_put_number(o, "kinetic", e->kinetic);
    mrn_json_put_number(o, "rotational", e->rotational);
    mrn_json_put_number(o, "elastic", e->elastic);
    mrn_json_put_number(o, "gravity", e->gravity);
}

/* What left them and what was put in. */
static inline void mrn_json_put_ledger(json_t *o, const mrn_ledger *l)
{
    mrn_json_put_number(o, "lost-normal", l->lost_normal);
    mrn_json_put_number(o, "lost-tangential", l->lost_tangential);
    mrn_json_put_number(o, "lost-damping", l->lost_damping);
    mrn_json_put_number(o, "lost-scheme", l->lost_scheme);
    mrn_json_put_number(o, "wall-work", l->wall_work);
    mrn_json_put_number(o, "cell-work", l->cell_work);
    mrn_json_put_number(o, "drive-work", l->drive_work);
}

#endif
