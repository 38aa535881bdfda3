/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collisions per second of the lab: the three laws of the comparison of steel on steel (M1, M2, M3,
   the last also with its second viscosity, which brings a power) as a fit asks for them (seven
   angles of many sets of parameters, or of one set alone) and as a sweep does (one set, many angles
   and speeds). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moraine/lab.h"

#define ANGLES 7

static void set(mrn_collision *c, const char *name, double value)
{
    mrn_factor f;
    mrn_message msg;
    if (mrn_factor_find(c, name, &f, &msg) != MRN_OK) {
        fprintf(stderr, "%s: %s\n", name, msg.text);
        exit(1);
    }
    mrn_factor_set(c, &f, value);
}

/* A ball of 44.45 mm on a plate, both steel, 4.2 m/s. */
static void steel(int model, mrn_collision *c)
{
    static const char *const law[] = {"linear", "hertz-mindlin", "zheng", "zheng"};
    const mrn_param *param[MRN_PARAM_MAX];
    memset(c, 0, sizeof *c);
    c->model = *mrn_law_model_find(law[model]);
    int n = mrn_law_model_params(&c->model, param);
    for (int i = 0; i < n; i++)
        c->value[i].number = param[i]->fallback;
    c->radius[0] = 22.225e-3, c->radius[1] = INFINITY;
    for (int k = 0; k < 2; k++)
        c->young[k] = 210e9, c->poisson[k] = 0.3, c->density[k] = 7766;
    c->speed = 4.2;
    set(c, "friction", 0.091);
    if (model == 0) {
        set(c, "normal-stiffness", 7.1863e6);
        set(c, "normal-damping", 1.4188);
    } else {
        set(c, model == 1 ? "damping" : "eta1", model == 1 ? 0.015 : 3.15769e5);
    }
    if (model == 3)
        set(c, "eta2-over-eta1", 0.17);
}

/* Seven angles of each of many sets. */
static void like_fit(mrn_collision *c, int n, int model)
{
    static const char *const free[] = {"normal-damping", "damping", "eta1", "eta1"};
    mrn_factor f;
    mrn_factor_find(c, free[model], &f, NULL);
    double base = mrn_factor_get(c, &f);
    for (int i = 1; i < n; i++)
        memcpy(&c[i], c, sizeof *c);
    for (int i = 0; i < n; i++) {
        mrn_factor_set(&c[i], &f, base * (0.5 + (double)(i / ANGLES) / (n / ANGLES)));
        c[i].angle = 10 * (i % ANGLES) * M_PI / 180;
    }
}

/* Angles and speeds of one set. */
static void like_sweep(mrn_collision *c, int n)
{
    for (int i = 1; i < n; i++)
        memcpy(&c[i], c, sizeof *c);
    for (int i = 0; i < n; i++) {
        c[i].angle = 80.0 * (i % 64) / 64 * M_PI / 180;
        c[i].speed = 0.5 + 8.0 * i / n;
    }
}

static void measure(mrn_collision *c, int n, double accuracy, const char *name)
{
    mrn_rebound *out = calloc((size_t)n, sizeof *out);
    mrn_message msg;
    for (int threads = 1; out != NULL && threads >= 0; threads--) {
        int used = mrn_threads_set(threads);
        double best = INFINITY, steps = 0, error = 0;
        mrn_status s = MRN_OK;
        for (int k = 0; k < 40; k++) { /* short and many: the best is one that nobody disturbed */
            double t = mrn_clock();
            s = mrn_collide(c, n, accuracy, out, NULL, &msg);
            best = fmin(best, mrn_clock() - t);
        }
        for (int i = 0; i < n; i++) {
            steps += (double)out[i].steps / n;
            error = fmax(error, out[i].error);
        }
        printf("  %-26s %6.0e  %2d thread%s %10.0f impacts/s  %5.0f steps  error %.1e%s\n", name,
               accuracy, used, used > 1 ? "s" : " ", n / best, steps, error,
               s == MRN_OK ? "" : "  (not all converged)");
    }
    free(out);
}

int main(void)
{
    static const char *const name[] = {"M1", "M2", "M3", "M3 with eta2 = 0.17 eta1"};
    const int n = ANGLES * 40;
    mrn_collision *c = calloc((size_t)n, sizeof *c);
    if (c == NULL)
        return 1;
    for (int model = 0; model < 4; model++) {
        printf("%s\n", name[model]);
        for (int k = 0; k < 2; k++) {
            double accuracy = k == 0 ? 1e-6 : 1e-8;
            steel(model, c);
            like_fit(c, n, model);
            measure(c, n, accuracy, "7 angles x 40 sets");
            measure(c, ANGLES, accuracy, "7 angles, one set");
            steel(model, c);
            like_sweep(c, n);
            measure(c, n, accuracy, "280 angles and speeds");
        }
    }
    free(c);
    return 0;
}
