/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jacobi's method for symmetric matrices: sweeps over all pairs until none is left to turn. */
#include "linalg/jacobi.h"

#include <stdbool.h>

/* A few sweeps are enough (the last ones converge with the square); matrices of rounding alone end
   here. */
#define SWEEPS 50

/* a becomes Jᵀ a J, v becomes v J. */
static void rotate(int n, double *a, double *v, int p, int q)
{
    double c, s;
    mrn_jacobi_angle(a[p * n + p], a[q * n + q], a[p * n + q], &c, &s);
    mrn_jacobi_turn(n, n, a, p, q, c, s);
    for (int k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
    }
    mrn_jacobi_turn(n, n, v, p, q, c, s);
}

/* All pairs once; returns how many were turned. */
static int sweep_pairs(int n, double *a, double least, double relative, double *v)
{
    int turns = 0;
    for (int p = 0; p < n; p++)
        for (int q = p + 1; q < n; q++) {
            double off = fabs(a[p * n + q]), size = sqrt(fabs(a[p * n + p] * a[q * n + q]));
            if (!(off > least) || off <= relative * size)
                continue;
            rotate(n, a, v, p, q);
            turns++;
        }
    return turns;
}

static void begin(int n, double *v)
{
    for (int i = 0; i < n * n; i++)
        v[i] = i % (n + 1) == 0;
}

static bool is_diagonal(int n, const double *a)
{
    double off = 0, all = 0;
    for (int i = 0; i < n * n; i++) {
        all += a[i] * a[i];
        off += i % (n + 1) != 0 ? a[i] * a[i] : 0;
    }
    return !(off > 1e-34 * all); /* or not a number */
}

void mrn_jacobi_eigen(int n, double *a, double *v)
{
    begin(n, v);
    for (int k = 0; k < SWEEPS && !is_diagonal(n, a); k++)
        sweep_pairs(n, a, 0, 0, v);
}

void mrn_jacobi_pairs(int n, double *a, double least, double relative, double *v)
{
    begin(n, v);
    for (int k = 0; k < SWEEPS; k++)
        if (sweep_pairs(n, a, least, relative, v) == 0)
            return;
}
