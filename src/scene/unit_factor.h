/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The factor between two units, as udunits2 knows it or a library built without it. */
#ifndef MRN_SCENE_UNIT_FACTOR_H
#define MRN_SCENE_UNIT_FACTOR_H

typedef enum mrn_unit_verdict {
    MRN_UNIT_GOOD,
    MRN_UNIT_UNKNOWN,    /* `from` is no unit                            */
    MRN_UNIT_OTHER_KIND, /* it does not measure what `to` does           */
    MRN_UNIT_NO_DATABASE /* the file of units cannot be read             */
} mrn_unit_verdict;

/* *system: NULL before the first call, kept by the caller for the next, given to mrn_unit_forget at
   the end. Radians are no pure numbers; turns are converted to Hz, Hz not to angular velocities. */
mrn_unit_verdict mrn_unit_factor(void **system, const char *from, const char *to, double *factor);
void mrn_unit_forget(void *system);

#endif
