/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Gaussian process behind one output of a surrogate.

   Outputs are z = (y - shift) / scale, inputs u in the unit box. z = beta + a process of variance
   `signal` and correlation R + noise:
       C = signal (R + jitter 1) + diag(noise) = L Lᵀ,   beta = 1ᵀ C⁻¹ z / 1ᵀ C⁻¹ 1. */
#ifndef MRN_INFERENCE_SURROGATE_H
#define MRN_INFERENCE_SURROGATE_H

#include "moraine/lab.h"

/* What is known of the noise. */
typedef enum mrn_noise { MRN_NOISE_FOUND, MRN_NOISE_GIVEN, MRN_NOISE_NONE } mrn_noise;

typedef struct mrn_process {
    int n;
    int64_t count;        /* points                                             */
    bool plain;           /* a constant, of variance `signal`; no L             */
    mrn_noise kind;       /* of noise                                           */
    double shift, scale;  /* of y                                               */
    double spread;        /* of y: standard deviation                           */
    double *u, *z, *d;    /* count * n; count; count: variances of noise, of z  */
    double *length;       /* n                                                  */
    double signal, noise; /* variances; `noise`: mean of d                      */
    double jitter;
    double *row;   /* L by rows, packed: row i begins at i (i + 1) / 2   */
    double *h, hh; /* L⁻¹ 1 and its square                               */
    double beta;   /* mean                                               */
    double *alpha; /* C⁻¹ (z - beta)                                     */
    double miss;   /* leave-one-out: root mean square, in units of z     */
    double within; /* share of the points left out in their 95 % bands   */
    char words[600];
} mrn_process;

struct mrn_surrogate {
    int n, m;
    int64_t count;
    mrn_parameter *p; /* n */
    double *u;        /* count * n: all runs */
    mrn_process *of;  /* m */
};

/* Room for `count` points; u, z, d are then to be filled. */
mrn_status mrn_process_make(int n, int64_t count, mrn_process *out, mrn_message *msg);
void mrn_process_release(mrn_process *g);
/* Lengths, signal and noise of largest likelihood, then all that prediction needs. At least two
   points. */
mrn_status mrn_process_fit(mrn_process *g, mrn_message *msg);
/* What is made least of there, minus log likelihood and prior but for a constant, and its slope, at
   logarithms of the n lengths and of noise over signal (noise found) or signal (noise given). */
mrn_status mrn_process_likelihood(mrn_process *g, const double *at, double *f, double *slope,
                                  mrn_message *msg);
/* Mean and variance at u, in units of y. */
void mrn_process_at(const mrn_process *g, const double *u, double *mean, double *variance);
/* One more point, at which the output is as predicted: the variance falls, the mean stays. There
   must be room for it in u, row, h and alpha. */
void mrn_process_believe(mrn_process *g, const double *u);
/* Covariances of the process at u with it at all points: `count`. */
void mrn_process_covary(const mrn_process *g, const double *u, double *t);
/* Matern 5/2 of a distance², in lengths. */
double mrn_matern(double square);

/* Lengths, signals and noise as likely as the runs make them: a walk from those of largest
   likelihood, and a copy of the process that has them. freedom: of the noise that was given;
   INFINITY: it is known. Not for a process that is plain; it must outlive the walk. */
typedef struct mrn_wander mrn_wander;
mrn_status mrn_wander_create(const mrn_process *g, double freedom, mrn_wander **out,
                             mrn_message *msg);
void mrn_wander_destroy(mrn_wander **w);
/* Goes on; to: n lengths, the signal, the noise's variance over that given. Allocates nothing. */
void mrn_wander_step(mrn_wander *w, mrn_rng *rng, double *to);
/* The copy, which takes what a step gave. */
void mrn_wander_take(mrn_wander *w, const double *at);
const mrn_process *mrn_wander_process(const mrn_wander *w);

/* ---- surrogate_draw.c ---- */
/* A function that the runs of a process allow. The process must outlive it. */
typedef struct mrn_drawn {
    const mrn_process *of;
    double *wave, *phase, *weight; /* of the path: frequencies along the inputs, …    */
    double *alpha, beta;           /* of what takes the path to the runs: as the process' */
} mrn_drawn;
mrn_status mrn_drawn_make(const mrn_process *g, mrn_drawn *out, mrn_message *msg);
void mrn_drawn_release(mrn_drawn *d);
/* Another one; allocates nothing. Before the first there is none. */
void mrn_drawn_draw(mrn_drawn *d, mrn_rng *rng);
/* Its value at u, in units of y. */
double mrn_drawn_at(const mrn_drawn *d, const double *u);

#endif
