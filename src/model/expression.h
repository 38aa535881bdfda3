/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled expressions of time: what signals are made of. */
#ifndef MRN_MODEL_EXPRESSION_H
#define MRN_MODEL_EXPRESSION_H

#include "moraine/signal.h"

struct mrn_signal_op {
    int code;      /* what to do, see expression.c */
    double number; /* a constant to push           */
};

/* The value of a compiled expression and its derivative with respect to time. */
double mrn_expression_value(const mrn_signal *s, mrn_instant at, double *rate);

#endif
