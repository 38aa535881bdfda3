/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment as collisions, and a candidate as a model: parameters to data. A collision is some
   kilobytes, so that many of them go through a fixed number of places, which keep all that does not
   change. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "moraine/lab.h"

#define PLACES 1024 /* collisions at once: enough for the blocks of many threads */

typedef struct mrn_places {
    int n;
    mrn_collision *collision;
    mrn_rebound *rebound;
    mrn_status *status;
} mrn_places;

struct mrn_fit_setup {
    const mrn_experiment *e;
    double accuracy;
    int n_parameters, n_conditions, n_rows;
    mrn_factor *parameter, *condition; /* as the candidate's law numbers them */
    /* outputs: a row and a response each */
    int n_outputs;
    int *row;
    const mrn_rebound_field **field;
    double *measured; /* angles are taken near these; NAN: as they are */
    /* of the fitted data */
    mrn_datum *datum;
    int *of, *response;
    int n_responses;
    int *first; /* n_rows + 1: outputs in the order of rows … */
    int *order; /* … these */
    mrn_places places;
    pthread_mutex_t lock; /* one at a time: the places are shared */
};

/* ---- places ---- */

static void release_places(mrn_places *p)
{
    mrn_free(p->collision);
    mrn_free(p->rebound);
    mrn_free(p->status);
    *p = (mrn_places){0};
}

static mrn_status make_places(const mrn_collision *base, int64_t wanted, mrn_places *p,
                              mrn_message *msg)
{
    p->n = wanted < PLACES ? (int)wanted : PLACES;
    mrn_status s = mrn_array(&p->collision, p->n, sizeof *p->collision, msg);
    if (s == MRN_OK)
        s = mrn_array(&p->rebound, p->n, sizeof *p->rebound, msg);
    if (s == MRN_OK)
        s = mrn_array(&p->status, p->n, sizeof *p->status, msg);
    for (int i = 0; i < p->n && s == MRN_OK; i++)
        p->collision[i] = *base;
    return s;
}

/* The conditions of the file, as this candidate's law numbers them. */
static mrn_status find_conditions(const mrn_experiment *e, const mrn_collision *c, mrn_factor **out,
                                  mrn_message *msg)
{
    int n = e->at.n_conditions;
    mrn_status s = mrn_array(out, n, sizeof **out, msg);
    for (int k = 0; k < n && s == MRN_OK; k++)
        s = mrn_factor_find(c, e->at.factor[k].name, &(*out)[k], msg);
    return s;
}

static void set_row(const mrn_experiment *e, const mrn_factor *condition, int64_t row,
                    mrn_collision *c)
{
    int n = e->at.n_conditions;
    for (int k = 0; k < n; k++)
        mrn_factor_set(c, &condition[k], e->at.value[row * n + k]);
}

static mrn_status check_candidate(const mrn_experiment *e, int candidate, mrn_message *msg)
{
    if (candidate >= 0 && candidate < e->n_candidates)
        return MRN_OK;
    return mrn_fail(msg, MRN_ERR_RANGE, "candidate %d of %d", candidate, e->n_candidates);
}

/* ---- all rows ---- */

/* Errors before outcomes, and the graver of two. */
static mrn_status worse(mrn_status a, mrn_status b)
{
    if (a < 0 || b < 0)
        return a < b ? a : b;
    return a > b ? a : b;
}

mrn_status mrn_experiment_collide(const mrn_experiment *e, int candidate, mrn_rebound *rebound,
                                  mrn_message *msg)
{
    mrn_places p = {0};
    mrn_factor *condition = NULL;
    mrn_status s = check_candidate(e, candidate, msg), worst = MRN_OK;
    if (s != MRN_OK)
        return s;
    const mrn_collision *base = &e->candidate[candidate].collision;
    s = find_conditions(e, base, &condition, msg);
    if (s == MRN_OK)
        s = make_places(base, e->at.n, &p, msg);
    for (int64_t from = 0; from < e->at.n && s == MRN_OK && worst != MRN_ERR_MEMORY; from += p.n) {
        int n = e->at.n - from < p.n ? (int)(e->at.n - from) : p.n;
        mrn_message own = {0};
        for (int i = 0; i < n; i++)
            set_row(e, condition, from + i, &p.collision[i]);
        mrn_status got = mrn_collide(p.collision, n, e->accuracy, rebound + from, NULL, &own);
        if (worse(got, worst) != worst && msg != NULL)
            *msg = own;
        worst = worse(got, worst);
    }
    release_places(&p);
    mrn_free(condition);
    return s == MRN_OK ? worst : s;
}

/* ---- a candidate as a model ---- */

static bool is_angle(const mrn_rebound_field *f)
{
    return strcmp(f->unit, "rad") == 0;
}

/* A response beside its measurement: whole turns are no difference. */
static double beside(double y, double measured, const mrn_rebound_field *f)
{
    return is_angle(f) && isfinite(measured) ? measured + remainder(y - measured, 2 * MRN_PI) : y;
}

static void set_place(mrn_fit_setup *b, int i, const double *x, int64_t row)
{
    mrn_collision *c = &b->places.collision[i];
    for (int k = 0; k < b->n_parameters; k++)
        mrn_factor_set(c, &b->parameter[k], x[k]);
    set_row(b->e, b->condition, row, c);
}

static void take_outputs(const mrn_fit_setup *b, int i, int row, double *y, bool *bad)
{
    const mrn_rebound *r = &b->places.rebound[i];
    bool failed = b->places.status[i] < 0;
    for (int j = b->first[row]; j < b->first[row + 1]; j++) {
        int k = b->order[j];
        y[k] =
            failed ? NAN : beside(mrn_rebound_value(r, b->field[k]), b->measured[k], b->field[k]);
        *bad = *bad || !isfinite(y[k]);
    }
}

/* Rows of all sets of parameters, one after another, through the places. */
static mrn_status predict_all(mrn_fit_setup *b, int64_t count, const double *x, double *y,
                              bool *bad, mrn_message *msg)
{
    int64_t total = count * b->n_rows;
    for (int64_t k = 0; k < count; k++)
        bad[k] = false;
    for (int64_t from = 0; from < total; from += b->places.n) {
        int n = total - from < b->places.n ? (int)(total - from) : b->places.n;
        for (int i = 0; i < n; i++)
            set_place(b, i, x + (from + i) / b->n_rows * b->n_parameters, (from + i) % b->n_rows);
        mrn_status s = mrn_collide(b->places.collision, n, b->accuracy, b->places.rebound,
                                   b->places.status, msg);
        if (s == MRN_ERR_MEMORY)
            return s;
        for (int i = 0; i < n; i++) {
            int64_t set = (from + i) / b->n_rows;
            take_outputs(b, i, (int)((from + i) % b->n_rows), y + set * b->n_outputs, &bad[set]);
        }
    }
    return MRN_OK;
}

static mrn_status predict(void *user, int64_t count, const double *x, double *y, bool *bad,
                          mrn_message *msg)
{
    mrn_fit_setup *b = user;
    pthread_mutex_lock(&b->lock);
    mrn_status s = predict_all(b, count, x, y, bad, msg);
    pthread_mutex_unlock(&b->lock);
    return s;
}

void mrn_fit_setup_destroy(mrn_fit_setup **setup)
{
    mrn_fit_setup *b = *setup;
    if (b == NULL)
        return;
    release_places(&b->places);
    mrn_free(b->parameter);
    mrn_free(b->condition);
    mrn_free(b->row);
    mrn_free(b->field);
    mrn_free(b->measured);
    mrn_free(b->datum);
    mrn_free(b->of);
    mrn_free(b->response);
    mrn_free(b->first);
    mrn_free(b->order);
    pthread_mutex_destroy(&b->lock);
    mrn_free(b);
    *setup = NULL;
}

static mrn_status begin(const mrn_experiment *e, int candidate, const mrn_factor *factor, int n,
                        mrn_fit_setup **out, mrn_message *msg)
{
    mrn_fit_setup *b = NULL;
    mrn_status s = mrn_array(&b, 1, sizeof *b, msg);
    if (s != MRN_OK)
        return s;
    pthread_mutex_init(&b->lock, NULL);
    *out = b;
    b->e = e;
    b->accuracy = e->fit_accuracy;
    b->n_parameters = n;
    b->n_conditions = e->at.n_conditions;
    b->n_rows = e->at.n;
    s = mrn_array(&b->parameter, n, sizeof *b->parameter, msg);
    if (s != MRN_OK)
        return s;
    if (n > 0)
        memcpy(b->parameter, factor, (size_t)n * sizeof *factor);
    return find_conditions(e, &e->candidate[candidate].collision, &b->condition, msg);
}

static mrn_status make_outputs(mrn_fit_setup *b, int n, mrn_message *msg)
{
    mrn_status s = mrn_array(&b->row, n, sizeof *b->row, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->field, n, sizeof *b->field, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->measured, n, sizeof *b->measured, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->order, n, sizeof *b->order, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->first, (int64_t)b->n_rows + 1, sizeof *b->first, msg);
    return s;
}

/* Outputs by row: counted, then placed. */
static void sort_outputs(mrn_fit_setup *b)
{
    for (int k = 0; k < b->n_outputs; k++)
        b->first[b->row[k] + 1]++;
    for (int i = 0; i < b->n_rows; i++)
        b->first[i + 1] += b->first[i];
    for (int k = 0; k < b->n_outputs; k++)
        b->order[b->first[b->row[k]]++] = k;
    for (int i = b->n_rows; i > 0; i--)
        b->first[i] = b->first[i - 1];
    b->first[0] = 0;
}

/* Several sets of parameters at a time go through the places, should it come to that. */
static mrn_status finish(mrn_fit_setup *b, int candidate, mrn_predictor *model, mrn_message *msg)
{
    sort_outputs(b);
    *model =
        (mrn_predictor){.n = b->n_parameters, .m = b->n_outputs, .predict = predict, .user = b};
    return make_places(&b->e->candidate[candidate].collision, PLACES, &b->places, msg);
}

/* Responses that count, numbered anew, and their data. */
static mrn_status select_data(mrn_fit_setup *b, mrn_message *msg)
{
    const mrn_measurements *m = &b->e->measured;
    int *number = NULL;
    mrn_status s = mrn_array(&number, m->n_responses, sizeof *number, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->response, m->n_responses, sizeof *b->response, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->datum, m->n, sizeof *b->datum, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->of, m->n, sizeof *b->of, msg);
    if (s == MRN_OK)
        s = make_outputs(b, m->n, msg);
    for (int i = 0; i < m->n_responses && s == MRN_OK; i++) {
        number[i] = b->n_responses;
        if (m->fitted[i])
            b->response[b->n_responses++] = i;
    }
    for (int i = 0; i < m->n && s == MRN_OK; i++) {
        int response = m->datum[i].response;
        if (!m->fitted[response])
            continue;
        b->datum[b->n_outputs] = m->datum[i];
        b->datum[b->n_outputs].response = number[response];
        b->of[b->n_outputs] = i;
        b->row[b->n_outputs] = m->row[i];
        b->field[b->n_outputs] = m->response[response];
        b->measured[b->n_outputs++] = m->datum[i].y;
    }
    mrn_free(number);
    return s;
}

mrn_status mrn_fit_setup_create(const mrn_experiment *e, int candidate, mrn_fit_setup **out,
                                mrn_predictor *model, mrn_message *msg)
{
    *out = NULL;
    mrn_status s = check_candidate(e, candidate, msg);
    if (s != MRN_OK)
        return s;
    const mrn_candidate *it = &e->candidate[candidate];
    s = begin(e, candidate, it->factor, it->n_free, out, msg);
    if (s == MRN_OK)
        s = select_data(*out, msg);
    if (s == MRN_OK)
        s = finish(*out, candidate, model, msg);
    if (s != MRN_OK)
        mrn_fit_setup_destroy(out);
    return s;
}

mrn_status mrn_fit_setup_create_rows(const mrn_experiment *e, int candidate,
                                     const mrn_factor *factor, int n_factors,
                                     const mrn_rebound_field *const *response, int n_responses,
                                     mrn_fit_setup **out, mrn_predictor *model, mrn_message *msg)
{
    *out = NULL;
    mrn_status s = check_candidate(e, candidate, msg);
    if (s == MRN_OK && (int64_t)e->at.n * n_responses > INT32_MAX / 2)
        s = mrn_fail(msg, MRN_ERR_RANGE, "%d rows with %d responses are too many", e->at.n,
                     n_responses);
    if (s != MRN_OK)
        return s;
    s = begin(e, candidate, factor, n_factors, out, msg);
    if (s == MRN_OK)
        s = make_outputs(*out, e->at.n * n_responses, msg);
    mrn_fit_setup *b = *out;
    for (int k = 0; k < e->at.n * n_responses && s == MRN_OK; k++) {
        b->row[k] = k / n_responses;
        b->field[k] = response[k % n_responses];
        b->measured[k] = NAN;
        b->n_outputs++;
    }
    if (s == MRN_OK)
        s = finish(b, candidate, model, msg);
    if (s != MRN_OK)
        mrn_fit_setup_destroy(out);
    return s;
}

mrn_fit_setup_data mrn_fit_setup_data_of(const mrn_fit_setup *b)
{
    bool any = b->datum != NULL;
    return (mrn_fit_setup_data){.n = any ? b->n_outputs : 0,
                                .n_responses = b->n_responses,
                                .datum = b->datum,
                                .of = b->of,
                                .response = b->response};
}

/* ---- deviation ---- */

mrn_status mrn_experiment_deviation(const mrn_experiment *e, const mrn_rebound *rebound,
                                    double *mean, double *largest, mrn_message *msg)
{
    const mrn_measurements *m = &e->measured;
    int *count = NULL;
    mrn_status s = mrn_array(&count, m->n_responses, sizeof *count, msg);
    if (s != MRN_OK)
        return s;
    for (int k = 0; k < m->n_responses; k++)
        mean[k] = largest[k] = 0;
    for (int i = 0; i < m->n; i++) {
        const mrn_datum *d = &m->datum[i];
        const mrn_rebound_field *f = m->response[d->response];
        double y = beside(mrn_rebound_value(&rebound[m->row[i]], f), d->y, f);
        /* an error that is not known has no interval, whatever stands for it */
        double half = d->spread == MRN_SPREAD_COMMON ? NAN : mrn_datum_half_width(d, 0.95);
        double off = fabs(y - d->y) / half;
        mean[d->response] += off;
        /* NAN stays: it is not the largest of nothing */
        largest[d->response] = off <= largest[d->response] ? largest[d->response] : off;
        count[d->response]++;
    }
    for (int k = 0; k < m->n_responses; k++) {
        mean[k] /= count[k];
        largest[k] = isnan(mean[k]) ? NAN : largest[k];
    }
    mrn_free(count);
    return MRN_OK;
}
