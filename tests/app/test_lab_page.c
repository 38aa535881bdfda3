/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of reports: well formed whatever stands on them, nothing that runs, nothing from elsewhere,
   no memory lost when there is none. */
#include <math.h>

#include "app/markup.h"

static const char nasty[] = "<script>alert(\"1\")</script> & 'so on' </title></pre>\x01 η₁ é";

static mrn_plot make_plot(mrn_series *s)
{
    static const double x[4] = {1, 2, 3, 4}, y[4] = {1, NAN, 100, 10}, e[4] = {0.5, 1, NAN, 20};
    s[0] = (mrn_series){
        .label = nasty, .style = MRN_SERIES_POINTS, .n = 4, .x = x, .y = y, .error = e};
    s[1] = (mrn_series){
        .label = "line", .style = MRN_SERIES_DASHED, .colour = 9, .n = 4, .x = x, .y = y};
    s[2] = (mrn_series){.style = MRN_SERIES_BOTH, .colour = -1, .n = 0};
    s[3] = (mrn_series){.label = "band", .style = MRN_SERIES_AREA, .n = 4, .x = x, .y = y};
    mrn_plot p = mrn_plot_default();
    p.title = p.x_label = p.y_label = nasty;
    p.y_log = true;
    p.n = 4, p.series = s;
    return p;
}

/* One of everything. */
static mrn_status write_page(const char *path, mrn_message *msg)
{
    mrn_page *p;
    mrn_series series[4];
    mrn_plot plot = make_plot(series), empty = mrn_plot_default();
    char best[] = "0.5 *", text[64];
    snprintf(text, sizeof text, "%.60s", nasty);
    char *cell[] = {text, text, text, best, NULL, text};
    const bool right[] = {false, true};
    const char *fact[] = {nasty, nasty};
    const double value[] = {0.5, NAN}, error[] = {0.1, NAN};
    mrn_status status = mrn_page_create(nasty, nasty, &p, msg);
    if (status != MRN_OK)
        return status;
    mrn_page_text(p, nasty);
    mrn_page_section(p, nasty);
    mrn_page_heading(p, nasty);
    mrn_page_note(p, MRN_TONE_BAD, nasty);
    mrn_page_plot(p, MRN_PAGE_HALF, &plot, nasty);
    mrn_page_plot(p, MRN_PAGE_HALF, &empty, "");
    mrn_page_section(p, "Second");
    mrn_page_plot(p, MRN_PAGE_FULL, &plot, NULL);
    mrn_page_table(p, nasty, 2, 3, cell, right);
    mrn_page_table(p, NULL, 2, 0, cell, NULL);
    mrn_page_facts(p, 1, fact);
    mrn_page_bars(p, nasty, 2, fact, value, error, 1);
    mrn_page_code(p, nasty, nasty, true);
    mrn_page_code(p, NULL, nasty, false);
    return mrn_page_close(&p, path, msg);
}

static void test_well_formed(void **unused)
{
    (void)unused;
    folder f = make_folder();
    char path[128];
    mrn_message msg = {0};
    snprintf(path, sizeof path, "%s/page.html", f.path);
    ok(write_page(path, &msg), &msg);
    char *text = slurp(f.path, "page.html");
    /* two plots with axes alone make more than a hundred tags */
    assert_true(expect_markup(text) > 100);
    expect_alone(text);
    assert_non_null(
        strstr(text, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;so"));
    assert_null(strchr(text, '\x01'));
    assert_non_null(strstr(text, "η₁ é"));
    assert_non_null(strstr(text, "<a href=\"#s2\">Second</a>"));
    assert_non_null(strstr(text, "<section id=\"s2\">"));
    assert_non_null(strstr(text, "<td class=\"n best\">0.5</td>"));
    assert_non_null(strstr(text, "<path class=\"area\" d=\"M")); /* closed where it ends */
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
    remove_tree(f.path);
}

/* The same twice: the page depends on what is put on it alone. */
static void test_same_twice(void **unused)
{
    (void)unused;
    folder f = make_folder();
    char a[128], b[128];
    mrn_message msg = {0};
    snprintf(a, sizeof a, "%s/a.html", f.path);
    snprintf(b, sizeof b, "%s/b.html", f.path);
    ok(write_page(a, &msg), &msg);
    ok(write_page(b, &msg), &msg);
    char *first = slurp(f.path, "a.html"), *second = slurp(f.path, "b.html");
    assert_string_equal(first, second);
    free(first);
    free(second);
    remove_tree(f.path);
}

/* Every allocation fails once: predicted, nothing lost, no half page. */
static void test_no_memory(void **unused)
{
    (void)unused;
    folder f = make_folder();
    char path[128];
    int failures = 0;
    snprintf(path, sizeof path, "%s/page.html", f.path);
    for (int64_t k = 1; k < 1000; k++) {
        mrn_message msg = {0};
        size_t before = mrn_bytes_in_use();
        mrn_alloc_fail_at(k);
        mrn_status status = write_page(path, &msg);
        mrn_alloc_fail_at(0);
        assert_int_equal(mrn_bytes_in_use(), before);
        if (status == MRN_OK)
            break;
        failures++;
        assert_int_equal(status, MRN_ERR_MEMORY);
        assert_int_equal(msg.status, MRN_ERR_MEMORY);
        assert_false(there_is(f.path, "page.html"));
    }
    /* the page itself, its two texts, and what grows */
    assert_true(failures > 5);
    assert_true(there_is(f.path, "page.html"));
    remove_tree(f.path);
}

/* Height of the first bar after `from`, which moves behind it. */
static double bar_height(const char **from)
{
    const char *bar = strstr(*from, "<rect class=\"full-dot\"");
    assert_non_null(bar);
    const char *height = strstr(bar, "height=\"");
    *from = height;
    return atof(height + 8);
}

/* Bars on a page: one for each value that there is, as high as it, with their names below. */
static void test_bars(void **unused)
{
    (void)unused;
    const char *const name[] = {"en", "a<b"};
    const double x[2] = {0, 1}, y[2] = {1, 3}, gap[2] = {2, NAN};
    const mrn_series s[2] = {{.style = MRN_SERIES_BARS, .label = "M1", .n = 2, .x = x, .y = y},
                             {.style = MRN_SERIES_BARS, .label = "M2", .n = 2, .x = x, .y = gap}};
    folder f = make_folder();
    char path[128];
    mrn_message msg = {0};
    mrn_page *p;
    mrn_plot plot = mrn_plot_default();
    plot.n = 2, plot.series = s, plot.n_names = 2, plot.x_name = name;
    snprintf(path, sizeof path, "%s/page.html", f.path);
    ok(mrn_page_create("t", "t", &p, &msg), &msg);
    mrn_page_plot(p, MRN_PAGE_HALF, &plot, "");
    ok(mrn_page_close(&p, path, &msg), &msg);
    char *text = slurp(f.path, "page.html");
    const char *at = text;
    double h[3];
    for (int k = 0; k < 3; k++)
        h[k] = bar_height(&at);
    assert_null(strstr(at, "<rect class=\"full-dot\""));
    assert_true(fabs(h[1] / h[0] - 3) < 0.01 && fabs(h[2] / h[0] - 2) < 0.01); /* 0.1 of 100 */
    assert_non_null(strstr(text, ">a&lt;b</text>"));
    assert_true(expect_markup(text) > 20);
    free(text);
    remove_tree(f.path);
}

/* Values that differ by rounding alone: axes that end, on the page and in files. */
static void test_nearly_constant(void **unused)
{
    (void)unused;
    const double x[3] = {1, 2, 3}, y[3] = {0.9, nextafter(0.9, 1), 0.9};
    const mrn_series line = {.label = "line", .n = 3, .x = x, .y = y};
    folder f = make_folder();
    char path[128];
    mrn_message msg = {0};
    mrn_page *p;
    mrn_plot plot = mrn_plot_default();
    plot.n = 1, plot.series = &line;
    snprintf(path, sizeof path, "%s/plot.svg", f.path);
    ok(mrn_plot_write(&plot, path, &msg), &msg);
    ok(mrn_page_create("Title", NULL, &p, &msg), &msg);
    mrn_page_plot(p, MRN_PAGE_HALF, &plot, "");
    snprintf(path, sizeof path, "%s/page.html", f.path);
    ok(mrn_page_close(&p, path, &msg), &msg);
    char *text = slurp(f.path, "page.html");
    assert_true(expect_markup(text) > 20);
    free(text);
    remove_tree(f.path);
}

static void test_no_folder(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_page *none = NULL;
    assert_int_equal(write_page("/tmp/moraine-there-is-none/page.html", &msg), MRN_ERR_IO);
    char words[2048];
    mrn_message_format(&msg, words, sizeof words);
    assert_non_null(strstr(words, "moraine-there-is-none"));
    ok(write_page(NULL, &msg), &msg); /* thrown away */
    assert_int_equal(mrn_page_close(&none, NULL, NULL), MRN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_well_formed), cmocka_unit_test(test_same_twice),
        cmocka_unit_test(test_no_memory),   cmocka_unit_test(test_nearly_constant),
        cmocka_unit_test(test_bars),        cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
