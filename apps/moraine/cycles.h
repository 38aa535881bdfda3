/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run cut into the cycles of its load: what a probe has done at the end of each, what it cost. */
#ifndef MORAINE_CYCLES_H
#define MORAINE_CYCLES_H

#include "lab_parts.h"
#include "moraine/growth.h"

typedef struct mrn_cycle_request {
    const char *probe; /* NULL: the lowest-standing sleeper, plate or group found       */
    const char *load;  /* a force, for the stiffness; NULL: none                        */
    const char *stage; /* NULL: the last one                                            */
    double period;     /* s                                                             */
    double skip;       /* cycles left out at the begin                                  */
    const char *as;    /* "settlement": how far it went down; "value": as it is; NULL   */
} mrn_cycle_request;

/* What is not known is NAN. */
typedef struct mrn_cycle {
    double at;                 /* N: cycles done                                        */
    double value;              /* at its end                                            */
    double normal, tangential; /* J lost in it: by normal laws (impacts), by friction   */
    double other;              /* J lost in it otherwise: damping, scheme               */
    double stiffness;          /* N/m, between its least and largest load               */
} mrn_cycle;

typedef struct mrn_cycles {
    char probe[160], unit[64], stage[MRN_NAME];
    bool settlement; /* value: how far the probe went down since the begin */
    double begin, period;
    int64_t n;
    mrn_cycle *cycle;
} mrn_cycles;

mrn_status mrn_cycles_read(const char *dir, const mrn_cycle_request *q, mrn_cycles *out,
                           mrn_message *msg);
void mrn_cycles_release(mrn_cycles *c);

/* Fits of one set of cycles by all laws that suit it, or those named. */
enum { MRN_CYCLE_FITS = 8, MRN_CYCLE_POINTS = 40 };
typedef struct mrn_cycle_fits {
    int n;
    mrn_growth fit[MRN_CYCLE_FITS];
    bool failed[MRN_CYCLE_FITS];
    char why[MRN_CYCLE_FITS][200];
    int points; /* that the laws were fitted to */
    double at[MRN_CYCLE_POINTS], y[MRN_CYCLE_POINTS];
} mrn_cycle_fits;
mrn_status mrn_cycles_fit(const mrn_cycles *c, const mrn_app_list *laws, mrn_cycle_fits *out,
                          mrn_message *msg);
void mrn_cycles_show_fits(mrn_cli_out *o, const mrn_cycles *c, const mrn_cycle_fits *f);
json_t *mrn_cycles_fits_json(const mrn_cycle_fits *f);

/* A body pushed sideways in a stage: force over way, as table, plot and files (cycles_push.c);
   the exit code. `stage` and `body` may be NULL: push, sleeper. */
int mrn_push_show(const char *dir, const char *out, const char *stage, const char *body, bool json,
                  bool quiet);

/* The laws beyond the cycles that were simulated, with what each would have missed. */
typedef struct mrn_cycle_beyond {
    double to, from; /* N extrapolated to; N up to which laws are fitted for the trial */
    double value[MRN_CYCLE_FITS], interval[MRN_CYCLE_FITS][2]; /* at `to`                 */
    double missed[MRN_CYCLE_FITS]; /* last cycle: simulated less foretold from the first ones */
} mrn_cycle_beyond;
/* MRN_ERR_INPUT: `to` is not beyond the last cycle. */
mrn_status mrn_cycles_extrapolate(const mrn_cycles *c, const mrn_cycle_fits *f, double to,
                                  mrn_cycle_beyond *out, mrn_message *msg);
void mrn_cycles_show_beyond(mrn_cli_out *o, const mrn_cycles *c, const mrn_cycle_fits *f,
                            const mrn_cycle_beyond *b);
json_t *mrn_cycles_beyond_json(const mrn_cycle_fits *f, const mrn_cycle_beyond *b);

#endif
