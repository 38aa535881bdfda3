/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signal: a number that depends on time. A constant, an expression of time
   ("5e-3*sin(2*pi*50*t)") or a table of times and values read from a CSV file. Drives are made of
   them: wall paths, forces, gravity, servo targets, inlet rates. */
#ifndef MORAINE_SIGNAL_H
#define MORAINE_SIGNAL_H

#include "moraine/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mrn_signal_kind {
    MRN_SIGNAL_CONSTANT,
    MRN_SIGNAL_EXPRESSION,
    MRN_SIGNAL_TABLE, /* linear between rows, constant before the first and after the last */
} mrn_signal_kind;

typedef struct mrn_signal_op mrn_signal_op; /* one instruction of a compiled expression */

typedef struct mrn_signal {
    mrn_signal_kind kind;
    double constant;
    char *text; /* the expression or the file, for messages and fingerprints; owned */
    int n_ops;
    mrn_signal_op *op; /* EXPRESSION, owned                                                */
    int n_rows;
    double *time, *value; /* TABLE, owned                                                    */
} mrn_signal;

/* The two times an expression may use: t, since the start of the run, and s, since the start of the
   stage under way. */
typedef struct mrn_instant {
    double t, s;
} mrn_instant;

MRN_API mrn_signal mrn_signal_constant(double value);
/* Numbers, t, s, pi, e, + - * / ^, parentheses, sin cos tan asin acos atan atan2 sinh cosh tanh exp
   log sqrt abs min max floor step(x) (0 before 0, 1 after) ramp(a, b, x) (0 below a, 1 above b,
   linear between) and comparison by step. Values are SI. On error msg->column is the place (from 1)
   in the text. */
MRN_API mrn_status mrn_signal_expression(const char *text, mrn_signal *out, mrn_message *msg);
/* n rows, times strictly ascending; copied. */
MRN_API mrn_status mrn_signal_table(const double *time, const double *value, int n, mrn_signal *out,
                                    mrn_message *msg);
MRN_API void mrn_signal_release(mrn_signal *s);
MRN_API mrn_status mrn_signal_copy(const mrn_signal *from, mrn_signal *to, mrn_message *msg);
/* The value, and in *rate (may be NULL) its exact derivative with respect to time (forward-mode
   differentiation; at a corner the derivative to the right). Tables are read at t. */
MRN_API double mrn_signal_value(const mrn_signal *s, mrn_instant at, double *rate);
static inline bool mrn_signal_is_zero(const mrn_signal *s)
{
    return s->kind == MRN_SIGNAL_CONSTANT && s->constant == 0;
}

#ifdef __cplusplus
}
#endif

#endif
