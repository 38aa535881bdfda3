/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A planted race: neighbours write the same element. The thread sanitizer must report it. */
#include <stdio.h>

#define N 10000

int main(void)
{
    static double a[N];
#pragma omp parallel for schedule(static, 7)
    for (int i = 1; i < N; i++) {
        a[i] += 1;
        a[i - 1] += 2;
    }
    printf("%g\n", a[N / 2]);
    return 0;
}
