/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of tables: numbers of any length to their last bit, quotes, separators, headers in
   comments, rows and texts that are too long refused with their place. */
#include "scene/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"

static char path[] = "/tmp/moraine-table-XXXXXX";

static mrn_status open_text(const char *text, mrn_text *t, mrn_message *msg)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    *msg = (mrn_message){0};
    return mrn_text_open(path, t, msg);
}

/* 0.1 and a third with hundreds of digits: not one of them is lost or cut; the last cell ends the
   file. */
static void test_long_numbers(void **state)
{
    char text[2000], tenth[600] = "0.1", third[600] = "0.", tiny[600] = "0.";
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_text t;
    mrn_message msg;
    double v;
    int n;
    (void)state;
    memset(tenth + 3, '0', 400);
    memset(third + 2, '3', 400);
    memset(tiny + 2, '0', 299);
    strcat(tiny, "1e299");
    snprintf(text, sizeof text, "%s,\"%s\";%s\n%s , %s,%s1e-400", "a", "b", "c", tenth, third,
             tiny);
    text[6] = ',';
    assert_int_equal(open_text(text, &t, &msg), MRN_OK);
    assert_true(mrn_text_next_row(&t) && mrn_text_next_row(&t));
    assert_int_equal(mrn_text_row(&t, ',', 3, cell, &n), MRN_OK);
    assert_int_equal(mrn_cell_read(&t, cell[0], "", &v), MRN_OK);
    assert_true(v == 0.1);
    assert_int_equal(mrn_cell_read(&t, cell[1], "", &v), MRN_OK);
    assert_true(v == 1.0 / 3);
    assert_int_equal(mrn_cell_read(&t, cell[2], "a number", &v), MRN_ERR_INPUT); /* two exponents */
    assert_true(msg.line == 2 && msg.column == (int)(cell[2].s - t.now.s) + 1);
    char *second = strchr(t.text, 'e');
    assert_non_null(second);
    second[4] = '\0'; /* "…1e299", the end of the text */
    t.n = (size_t)(second + 4 - t.text);
    cell[2].n = (int)(second + 4 - cell[2].s);
    assert_true(mrn_cell_number(&t, cell[2], &v) && fabs(v - 0.1) < 1e-15);
    mrn_text_close(&t);
}

static void test_cells(void **state)
{
    static const struct {
        char separator;
        const char *line;
        int n;
        const char *cell[4];
    } all[] = {
        {',', "a, b ,c", 3, {"a", "b", "c"}},
        {',', "a,,", 3, {"a", "", ""}},
        {';', "\"a;b\"; \"say \"\"no\"\"\" ;c", 3, {"a;b", "say \"no\"", "c"}},
        {'\t', "a\t\tb", 3, {"a", "", "b"}},
        {' ', "  a   \"b c\"  d ", 3, {"a", "b c", "d"}},
        {',', "5\" pipe,b", 2, {"5\" pipe", "b"}},
    };
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        mrn_text t = {.now = {.s = all[i].line, .n = (int)strlen(all[i].line)}};
        char text[16];
        int n;
        assert_int_equal(mrn_text_separator(&t), all[i].separator);
        assert_int_equal(mrn_text_row(&t, all[i].separator, 0, cell, &n), MRN_OK);
        assert_int_equal(n, all[i].n);
        for (int k = 0; k < n; k++) {
            assert_true(mrn_cell_copy(cell[k], text, sizeof text));
            assert_string_equal(text, all[i].cell[k]);
            assert_false(mrn_cell_copy(cell[k], text, strlen(all[i].cell[k])));
        }
    }
}

static void test_headers(void **state)
{
    static const char *const good[] = {"x,y\n1,2\n", "# x,y\n1,2\n", "\n# note\nx;y\n1;2\n",
                                       "\xef\xbb\xbfx y\r\n1 2\r\n", "#x\ty\n1\t2"};
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_message msg;
    mrn_text t;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char separator;
        double v;
        int n;
        assert_int_equal(open_text(good[i], &t, &msg), MRN_OK);
        assert_int_equal(mrn_text_header(&t, "x,y", cell, &n, &separator), MRN_OK);
        assert_true(n == 2 && mrn_cell_same(cell[0], "x") && mrn_cell_is(cell[1], "Y"));
        assert_true(mrn_text_next_row(&t));
        assert_int_equal(mrn_text_row(&t, separator, 2, cell, &n), MRN_OK);
        assert_true(mrn_cell_number(&t, cell[1], &v) && v == 2);
        assert_false(mrn_text_next_row(&t));
        mrn_text_close(&t);
    }
}

static void test_refused(void **state)
{
    char wide[2 * MRN_CELLS_MAX + 8] = "a";
    mrn_cell_text cell[MRN_CELLS_MAX + 1];
    mrn_message msg;
    mrn_text t;
    int n;
    (void)state;
    for (int i = 0; i < MRN_CELLS_MAX; i++)
        strcat(wide, ",a");
    assert_int_equal(open_text(wide, &t, &msg), MRN_OK);
    assert_true(mrn_text_next(&t));
    assert_int_equal(mrn_text_row(&t, ',', 0, cell, &n), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "too many columns"));
    mrn_text_close(&t);
    unlink(path);
    msg = (mrn_message){0};
    assert_int_equal(mrn_text_open(path, &t, &msg), MRN_ERR_INPUT);
    assert_true(msg.line == 0 && strstr(msg.text, "cannot be opened") != NULL);
    mrn_text_close(&t);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_refused),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
