/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals: their life and their values. Expressions are compiled in expression.c. */
#include "moraine/signal.h"

#include <string.h>

#include "base/base.h"
#include "model/expression.h"
#include "model/model.h"

mrn_signal mrn_signal_constant(double value)
{
    return (mrn_signal){.kind = MRN_SIGNAL_CONSTANT, .constant = value};
}

void mrn_signal_release(mrn_signal *s)
{
    mrn_free(s->text);
    mrn_free(s->op);
    mrn_free(s->time);
    mrn_free(s->value);
    *s = (mrn_signal){0};
}

mrn_status mrn_signal_copy(const mrn_signal *from, mrn_signal *to, mrn_message *msg)
{
    mrn_signal copy = {.kind = from->kind,
                       .constant = from->constant,
                       .n_ops = from->n_ops,
                       .n_rows = from->n_rows};
    int64_t length = from->text != NULL ? (int64_t)strlen(from->text) + 1 : 0;
    mrn_status st = mrn_duplicate(&copy.text, from->text, length, 1, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&copy.op, from->op, from->n_ops, sizeof *from->op, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&copy.time, from->time, from->n_rows, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&copy.value, from->value, from->n_rows, sizeof(double), msg);
    if (st != MRN_OK)
        mrn_signal_release(&copy);
    *to = copy;
    return st;
}

mrn_status mrn_signal_table(const double *time, const double *value, int n, mrn_signal *out,
                            mrn_message *msg)
{
    *out = (mrn_signal){0};
    for (int i = 0; i < n; i++)
        if (!isfinite(time[i]) || !isfinite(value[i]) || (i > 0 && !(time[i] > time[i - 1]))) {
            mrn_fail(msg, MRN_ERR_INPUT, "row %d of a table of times and values: %g, %g", i + 1,
                     time[i], value[i]);
            mrn_fail_expected(msg, "finite numbers, times that rise from row to row");
            return MRN_ERR_INPUT;
        }
    if (n < 1)
        return mrn_fail(msg, MRN_ERR_INPUT, "a table of times and values without rows");
    mrn_signal s = {.kind = MRN_SIGNAL_TABLE,
                    .n_rows = n,
                    .time = (double *)(uintptr_t)time,
                    .value = (double *)(uintptr_t)value};
    return mrn_signal_copy(&s, out, msg);
}

static double table_value(const mrn_signal *s, double t, double *rate)
{
    int lo = 0, hi = s->n_rows - 1;
    *rate = 0;
    if (t < s->time[0] || hi == 0)
        return s->value[0];
    if (t >= s->time[hi])
        return s->value[hi];
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (s->time[mid] <= t)
            lo = mid;
        else
            hi = mid;
    }
    *rate = (s->value[hi] - s->value[lo]) / (s->time[hi] - s->time[lo]);
    return s->value[lo] + *rate * (t - s->time[lo]);
}

double mrn_signal_value(const mrn_signal *s, mrn_instant at, double *rate)
{
    double unread, *r = rate != NULL ? rate : &unread;
    *r = 0;
    if (s->kind == MRN_SIGNAL_TABLE)
        return table_value(s, at.t, r);
    if (s->kind == MRN_SIGNAL_EXPRESSION)
        return mrn_expression_value(s, at, r);
    return s->constant;
}

bool mrn_signal_is_sound(const mrn_signal *x)
{
    if (x->kind == MRN_SIGNAL_CONSTANT)
        return isfinite(x->constant);
    if (x->kind == MRN_SIGNAL_EXPRESSION)
        return x->op != NULL && x->n_ops > 0;
    if (x->kind != MRN_SIGNAL_TABLE || x->n_rows < 1 || x->time == NULL || x->value == NULL)
        return false;
    for (int i = 0; i < x->n_rows; i++)
        if (!isfinite(x->time[i]) || !isfinite(x->value[i]) ||
            (i > 0 && !(x->time[i] > x->time[i - 1])))
            return false;
    return true;
}
