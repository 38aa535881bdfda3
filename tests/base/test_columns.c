/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows to columns and back: every number where it belongs, nothing else touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/columns.h"

enum { WIDE = 5 }; /* rows stand five numbers apart, so that what lies between them is seen */

static void number(double *row)
{
    for (int k = 0; k < MRN_QUAD * WIDE; k++)
        row[k] = 100 + k;
}

static void three_numbers(void **state)
{
    (void)state;
    double row[MRN_QUAD * WIDE], back[MRN_QUAD * WIDE], x[6], y[6], z[6];
    number(row);
    memset(back, 0, sizeof back);
    for (int k = 0; k < 6; k++)
        x[k] = y[k] = z[k] = -1;
    mrn_to_columns3(row, row + WIDE, row + 2 * WIDE, row + 3 * WIDE, x + 1, y + 1, z + 1);
    for (int l = 0; l < MRN_QUAD; l++) {
        assert_true(x[1 + l] == row[WIDE * l] && y[1 + l] == row[WIDE * l + 1]);
        assert_true(z[1 + l] == row[WIDE * l + 2]);
    }
    assert_true(x[0] == -1 && y[0] == -1 && z[0] == -1 && x[5] == -1 && y[5] == -1 && z[5] == -1);
    mrn_to_rows3(x + 1, y + 1, z + 1, back, back + WIDE, back + 2 * WIDE, back + 3 * WIDE);
    for (int k = 0; k < MRN_QUAD * WIDE; k++)
        assert_true(back[k] == (k % WIDE < 3 ? row[k] : 0));
}

static void four_numbers(void **state)
{
    (void)state;
    double row[MRN_QUAD * WIDE], back[MRN_QUAD * WIDE], c[4][6];
    number(row);
    memset(back, 0, sizeof back);
    for (int h = 0; h < 4; h++)
        for (int k = 0; k < 6; k++)
            c[h][k] = -1;
    mrn_to_columns4(row, row + WIDE, row + 2 * WIDE, row + 3 * WIDE, &c[0][1], &c[1][1], &c[2][1],
                    &c[3][1]);
    for (int h = 0; h < 4; h++) {
        assert_true(c[h][0] == -1 && c[h][5] == -1);
        for (int l = 0; l < MRN_QUAD; l++)
            assert_true(c[h][1 + l] == row[WIDE * l + h]);
    }
    mrn_to_rows4(&c[0][1], &c[1][1], &c[2][1], &c[3][1], back, back + WIDE, back + 2 * WIDE,
                 back + 3 * WIDE);
    for (int k = 0; k < MRN_QUAD * WIDE; k++)
        assert_true(back[k] == (k % WIDE < 4 ? row[k] : 0));
}

/* Rows that are one and the same row: what the last lanes of a block are. */
static void one_row_four_times(void **state)
{
    (void)state;
    double row[3] = {1, 2, 3}, x[4], y[4], z[4], to[3] = {0};
    mrn_to_columns3(row, row, row, row, x, y, z);
    for (int l = 0; l < MRN_QUAD; l++)
        assert_true(x[l] == 1 && y[l] == 2 && z[l] == 3);
    mrn_to_rows3(x, y, z, to, to, to, to);
    assert_true(to[0] == 1 && to[1] == 2 && to[2] == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_numbers),
                                       cmocka_unit_test(four_numbers),
                                       cmocka_unit_test(one_row_four_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
