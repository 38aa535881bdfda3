/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Correct use of every construct the library uses. The thread sanitizer must stay silent: a report
   here means that it does not understand the OpenMP runtime. */
#include <omp.h>
#include <stdio.h>

#define N 20000

static double a[N], b[N];

static void loops(double *largest)
{
    double most = 0;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < N; i++)
        b[i] = 2 * a[N - 1 - i];
#pragma omp parallel for reduction(max : most)
    for (int i = 0; i < N; i++)
        most = b[N - 1 - i] > most ? b[N - 1 - i] : most;
    *largest = most;
}

static void region(double *sum, int *count)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < N; i++)
            a[i] = b[N - 1 - i];
#pragma omp single
        b[0] = 3;
        a[omp_get_thread_num()] = b[0];
#pragma omp barrier
#pragma omp critical
        *sum += a[1 - omp_get_thread_num() % 2];
#pragma omp atomic
        *count += 1;
    }
}

int main(void)
{
    double largest = 0, sum = 0;
    int count = 0;
    for (int k = 0; k < 20; k++) {
        omp_set_num_threads(1 + k % 4);
        loops(&largest);
        region(&sum, &count);
    }
    printf("%g %g %d\n", largest, sum, count);
    return 0;
}
