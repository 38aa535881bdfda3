/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of dense panels: a tile of eight rows and up to six columns is kept in registers while
   the columns of A and B go by. */
#include "linalg/dense.h"

#include <stdbool.h>

typedef double v4 __attribute__((vector_size(32)));
typedef double v4_any __attribute__((vector_size(32), aligned(8), may_alias));
#define LOAD(p)  (*(const v4_any *)(p))
#define STORE(p) (*(v4_any *)(p))

enum { WIDE = 6 }; /* columns of a tile */

/* One tile of 4 * `high` rows and `wide` columns; both are constants where it is inlined. */
static inline __attribute__((always_inline)) void tile(int high, int wide, int64_t k,
                                                       const double *a, const double *b, int64_t ld,
                                                       double *c, int64_t ldc, bool subtract)
{
    v4 sum[2][WIDE] = {{{0}}};
    for (int64_t p = 0; p < k; p++, a += ld, b += ld) {
        v4 a0 = LOAD(a), a1 = high > 1 ? (v4)LOAD(a + 4) : a0;
        for (int j = 0; j < wide; j++) {
            sum[0][j] += a0 * b[j];
            if (high > 1)
                sum[1][j] += a1 * b[j];
        }
    }
    for (int j = 0; j < wide; j++) {
        double *to = c + j * ldc;
        STORE(to) = subtract ? (v4)LOAD(to) - sum[0][j] : sum[0][j];
        if (high > 1)
            STORE(to + 4) = subtract ? (v4)LOAD(to + 4) - sum[1][j] : sum[1][j];
    }
}

#define ROWS(wide)                                                                                 \
    do {                                                                                           \
        int64_t i = 0;                                                                             \
        for (; i + 4 < m; i += 8)                                                                  \
            tile(2, wide, k, a + i, b + j, ld, c + j * ldc + i, ldc, subtract);                    \
        for (; i < m; i += 4)                                                                      \
            tile(1, wide, k, a + i, b + j, ld, c + j * ldc + i, ldc, subtract);                    \
        j += wide;                                                                                 \
    } while (0)

static inline __attribute__((always_inline)) void run(int64_t m, int64_t n, int64_t k,
                                                      const double *a, const double *b, int64_t ld,
                                                      double *c, int64_t ldc, bool subtract)
{
    int64_t j = 0;
    while (n - j >= 6)
        ROWS(6);
    switch (n - j) {
    case 5:
        ROWS(5);
        break;
    case 4:
        ROWS(4);
        break;
    case 3:
        ROWS(3);
        break;
    case 2:
        ROWS(2);
        break;
    case 1:
        ROWS(1);
        break;
    default:
        break;
    }
}

void mrn_dense_product(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
                       int64_t ld, double *c, int64_t ldc)
{
    run(m, n, k, a, b, ld, c, ldc, false);
}

void mrn_dense_subtract(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
                        int64_t ld, double *c)
{
    run(m, n, k, a, b, ld, c, ld, true);
}

void mrn_dense_scale(int64_t m, int b, const double *s, double *a, int64_t ld)
{
    for (int64_t i = 0; i < m; i += 4) {
        v4 x[WIDE], y[WIDE];
        for (int c = 0; c < b; c++)
            x[c] = LOAD(a + c * ld + i);
        for (int c = 0; c < b; c++) {
            y[c] = (v4){0, 0, 0, 0};
            for (int k = 0; k < b; k++)
                y[c] += x[k] * s[c * b + k];
        }
        for (int c = 0; c < b; c++)
            STORE(a + c * ld + i) = y[c];
    }
}

double mrn_dense_dot(int64_t n, const double *x, const double *y)
{
    v4 sum = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        sum += LOAD(x + i) * LOAD(y + i);
    double rest = 0;
    for (; i < n; i++)
        rest += x[i] * y[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}
