/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots as SVG and PNG: the files are whole, circles are circles, whatever data comes is drawn or
   left out, and what cannot be written is said. */
/* ctest-needs: png */
#include "draw/draw_scenes.h"

#include <math.h>
#include <png.h>
#include <sys/stat.h>

#include "moraine/plot.h"

static const double xs[] = {1, 2, 3, 4}, ys[] = {10, 1000, 30, 7}, errors[] = {1, 5, 40, NAN};

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(n + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, n, f), n);
    text[n] = '\0';
    fclose(f);
    return text;
}

/* Glyphs are defined first, with curves and lines of their own; what is drawn comes after. */
static const char *drawn(const char *svg)
{
    const char *end = svg, *next;
    while ((next = strstr(end, "</defs>")) != NULL)
        end = next + 1;
    return end;
}

/* Outlines of drawn paths that have this command, and not that one ('\0': whatever else). */
static int count_paths(const char *svg, char with, char without)
{
    int n = 0;
    for (const char *p = drawn(svg); (p = strstr(p, " d=\"")) != NULL;) {
        p += 4;
        const char *end = strchr(p, '"');
        assert_non_null(end);
        size_t len = (size_t)(end - p);
        n += memchr(p, with, len) != NULL && (without == '\0' || memchr(p, without, len) == NULL);
    }
    return n;
}

static int count_words(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p++)
        n++;
    return n;
}

/* Writes the plot as SVG and gives its text; every number in it is finite. */
static char *svg_of(const mrn_plot *p)
{
    char dir[64], path[96];
    mrn_message msg = {0};
    make_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/plot.svg", dir);
    assert_int_equal(mrn_plot_write(p, path, &msg), MRN_OK);
    char *text = read_text(path);
    assert_non_null(strstr(text, "<svg"));
    assert_non_null(strstr(text, "</svg>"));
    assert_null(strstr(drawn(text), "nan"));
    assert_null(strstr(drawn(text), "inf"));
    remove(path);
    rmdir(dir);
    return text;
}

/* Points on a line, points with bars, a plain and a dashed line; all in the legend but the last.
   The circle of the second has text before it in the legend. */
static mrn_plot full_plot(mrn_series s[4])
{
    for (int k = 0; k < 4; k++)
        s[k] = (mrn_series){.n = 4, .x = xs, .y = ys, .colour = k - 1};
    s[0].style = MRN_SERIES_BOTH, s[0].label = "computed";
    s[1].style = MRN_SERIES_POINTS, s[1].label = "measured", s[1].error = errors;
    s[2].style = MRN_SERIES_LINE, s[2].label = "told";
    s[3].style = MRN_SERIES_DASHED, s[3].label = "";
    mrn_plot p = mrn_plot_default();
    p.title = "Title", p.x_label = "time", p.y_label = "force";
    p.n = 4, p.series = s;
    return p;
}

/* A circle is curves alone: a line in its path runs to it from where the last text ended. Four
   points and a sample in the legend, of two series. */
static void circles_are_circles(void **state)
{
    (void)state;
    mrn_series s[4];
    for (int log = 0; log < 2; log++) {
        mrn_plot p = full_plot(s);
        p.y_log = log != 0;
        char *text = svg_of(&p);
        assert_int_equal(count_paths(text, 'C', '\0'), 10);
        assert_int_equal(count_paths(text, 'C', 'L'), 10);
        assert_int_equal(count_words(text, "stroke-dasharray"), 1);
        free(text);
    }
}

/* The picture has twice the pixels that were asked for, and ink on it. */
static void png_has_ink(void **state)
{
    (void)state;
    char dir[64], path[96];
    mrn_series s[4];
    mrn_plot p = full_plot(s);
    make_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/plot.png", dir);
    for (int k = 0; k < 2; k++) {
        p.width = k == 0 ? 0 : 300, p.height = k == 0 ? 0 : 200;
        assert_int_equal(mrn_plot_write(&p, path, NULL), MRN_OK);
        png_image image = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&image, path));
        image.format = PNG_FORMAT_RGB;
        assert_int_equal(image.width, k == 0 ? 2 * 720 : 2 * 300);
        assert_int_equal(image.height, k == 0 ? 2 * 460 : 2 * 200);
        uint8_t *rgb = malloc(PNG_IMAGE_SIZE(image));
        assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
        size_t dark = 0, blue = 0;
        for (size_t i = 0; i < PNG_IMAGE_SIZE(image); i += 3) {
            dark += rgb[i] < 80 && rgb[i + 1] < 80 && rgb[i + 2] < 80;
            blue += rgb[i] < 40 && rgb[i + 2] > 150; /* the first colour of the palette */
        }
        assert_true(dark > 200 && blue > 100);
        free(rgb);
    }
    remove(path);
    rmdir(dir);
}

/* Red of every pixel of the plot as PNG; the first colour of the palette has none. */
static uint8_t *reds_of(const mrn_plot *p, size_t *width, size_t *height)
{
    char dir[64], path[96];
    make_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/plot.png", dir);
    assert_int_equal(mrn_plot_write(p, path, NULL), MRN_OK);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    uint8_t *rgb = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
    *width = image.width, *height = image.height;
    for (size_t i = 0; i < *width * *height; i++)
        rgb[i] = rgb[3 * i];
    remove(path);
    rmdir(dir);
    return rgb;
}

/* Two polygons beside each other, and the left one once more: as large an area is covered twice as
   once, the former darker, and no white shows between the two. */
static void areas_lie_on_each_other(void **state)
{
    (void)state;
    const double x[] = {0, 1.03, 1.03, 0, NAN, 1.03, 2.06, 2.06, 1.03},
                 y[] = {0, 0, 1, 1, NAN, 0, 0, 1, 1};
    const mrn_series s[] = {{.style = MRN_SERIES_AREA, .n = 9, .x = x, .y = y},
                            {.style = MRN_SERIES_AREA, .n = 4, .x = x, .y = y}};
    size_t w, h, once = 0, twice = 0, lo = SIZE_MAX, hi = 0, seam = 0;
    mrn_plot p = mrn_plot_default();
    p.n = 2, p.series = s;
    p.x_lo = -0.1, p.x_hi = 2.2, p.y_lo = -0.1, p.y_hi = 1.1;
    uint8_t *red = reds_of(&p, &w, &h);
    for (size_t i = 0; i < w * h; i++) {
        bool single = abs(red[i] - 209) <= 1; /* 255 (1 - 0.18), and that once more */
        bool twofold = abs(red[i] - 171) <= 1;
        once += single;
        twice += twofold;
        if ((single || twofold) && i / w == h / 2) { /* a line across the middle */
            lo = i % w < lo ? i % w : lo;
            hi = i % w;
        }
    }
    for (size_t k = lo; k < hi; k++)
        seam += red[h / 2 * w + k] > 212;
    free(red);
    assert_true(once > w * h / 5);
    assert_true(fabs((double)once - (double)twice) < 0.05 * (double)once);
    assert_int_equal(seam, 0);
}

/* What has no place on an axis is left out, and breaks a line: of five points three are drawn. On a
   logarithmic axis zero and less have none either. */
static void what_has_no_place(void **state)
{
    (void)state;
    const double x[] = {1, 2, NAN, 4, 5}, y[] = {1, INFINITY, 1, 4, 5}, low[] = {1, 0, -3, 4, 5};
    mrn_series s = {.style = MRN_SERIES_POINTS, .n = 5, .x = x, .y = y};
    mrn_plot p = mrn_plot_default();
    p.n = 1, p.series = &s;
    char *text = svg_of(&p);
    assert_int_equal(count_paths(text, 'C', 'L'), 3);
    free(text);
    const double up[] = {1, 2, 3, 4, 5};
    s.x = up, s.y = low, p.y_log = true;
    text = svg_of(&p);
    assert_int_equal(count_paths(text, 'C', 'L'), 3);
    free(text);
    /* an error as large as the value reaches below the axis: the bar is drawn to its end */
    const double same[] = {1, 1, 3, 4, 5};
    s.error = same;
    free(svg_of(&p));
}

/* Nothing to draw, a single point, many equal ones, ranges set by hand and upside down. */
static void little_data(void **state)
{
    (void)state;
    const double one[] = {5}, zero[] = {0}, same[] = {2, 2, 2}, none[] = {NAN};
    const mrn_series given[] = {{.n = 0},
                                {.n = 1, .x = one, .y = one},
                                {.n = 1, .x = zero, .y = zero},
                                {.n = 3, .x = same, .y = same},
                                {.n = 1, .x = none, .y = one}};
    const int circles[2][5] = {{0, 1, 1, 3, 0}, {0, 1, 0, 3, 0}};
    for (int k = 0; k < 5; k++)
        for (int log = 0; log < 2; log++) {
            mrn_series s = given[k];
            s.style = MRN_SERIES_POINTS;
            mrn_plot p = mrn_plot_default();
            p.n = 1, p.series = &s, p.x_log = p.y_log = log != 0;
            char *text = svg_of(&p);
            assert_int_equal(count_paths(text, 'C', '\0'), circles[log][k]);
            free(text);
            p.x_lo = 3, p.x_hi = 2, p.y_lo = p.y_hi = 0;
            free(svg_of(&p));
        }
    mrn_plot bare = mrn_plot_default();
    free(svg_of(&bare));
}

static void bad_ending(void **state)
{
    (void)state;
    const char *names[] = {"plot.pdf", "plot", ".svg", "", "plot.SVG", "svg"};
    mrn_series s[4];
    mrn_plot p = full_plot(s);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        mrn_message msg = {0};
        assert_int_equal(mrn_plot_write(&p, names[k], &msg), MRN_ERR_INPUT);
        assert_non_null(strstr(msg.text, "cannot be written to"));
        assert_non_null(strstr(msg.text, names[k]));
        assert_non_null(strstr(msg.expected, ".svg or .png"));
        assert_int_equal(mrn_plot_write(&p, names[k], NULL), MRN_ERR_INPUT);
    }
}

/* A folder that does not exist, a folder in the place of the file, and a disk without room. */
static void not_writable(void **state)
{
    (void)state;
    const char *ending[] = {"svg", "png"};
    char dir[64], path[3][96];
    mrn_series s[4];
    mrn_plot p = full_plot(s);
    make_folder(dir, sizeof dir);
    for (int k = 0; k < 2; k++) {
        snprintf(path[0], sizeof path[0], "%s/no-such/plot.%s", dir, ending[k]);
        snprintf(path[1], sizeof path[1], "%s/folder.%s", dir, ending[k]);
        snprintf(path[2], sizeof path[2], "%s/full.%s", dir, ending[k]);
        assert_int_equal(mkdir(path[1], 0777), 0);
        assert_int_equal(symlink("/dev/full", path[2]), 0);
        for (int i = 0; i < 3; i++) {
            mrn_message msg = {0};
            assert_int_equal(mrn_plot_write(&p, path[i], &msg), MRN_ERR_IO);
            assert_non_null(strstr(msg.text, path[i]));
        }
        rmdir(path[1]);
        unlink(path[2]);
    }
    rmdir(dir);
}

/* The colour of a pixel, 0xRRGGBB. */
static unsigned colour_at(const char *path, double across, double down)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_int_not_equal(png_image_begin_read_from_file(&image, path), 0);
    image.format = PNG_FORMAT_RGB;
    unsigned char *p = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(p);
    assert_int_not_equal(png_image_finish_read(&image, NULL, p, 0, NULL), 0);
    size_t at = 3 * ((size_t)(down * image.height) * image.width + (size_t)(across * image.width));
    unsigned c = (unsigned)p[at] << 16 | (unsigned)p[at + 1] << 8 | p[at + 2];
    free(p);
    return c;
}

/* Each bin has the colour of its value in its place, the first row below; what is missing is white.
   A paper of 720 x 460: the map from 78 to 609.5 across and from 413.2 up to 31.2. */
static void maps(void **state)
{
    (void)state;
    static const double value[] = {0, 1, 2, NAN, 3, 4}, both[] = {-1, 0, 1, 2, -2, 0};
    mrn_map map = {.nx = 3, .ny = 2, .x = {0, 3}, .y = {10, 12}, .value = value, .label = "speed"};
    mrn_plot p = mrn_plot_default();
    p.map = &map;
    p.x_label = "x", p.y_label = "z";
    mrn_message msg = {0};
    assert_int_equal(mrn_plot_write(&p, "map.png", &msg), MRN_OK);
    const double left = 0.23, middle = 0.477, right = 0.72, low = 0.69, high = 0.28;
    assert_int_equal(colour_at("map.png", left, low), 0x440154); /* the ends of viridis */
    assert_int_equal(colour_at("map.png", right, high), 0xfde725);
    assert_int_equal(colour_at("map.png", right, low), 0x21918c); /* and its middle      */
    assert_int_equal(colour_at("map.png", left, high), 0xffffff);
    assert_int_not_equal(colour_at("map.png", middle, low), colour_at("map.png", middle, high));
    map.value = both; /* zero is the middle of the other palette */
    assert_int_equal(mrn_plot_write(&p, "map.png", &msg), MRN_OK);
    assert_int_equal(colour_at("map.png", middle, low), 0xeeeae6);
    assert_int_equal(colour_at("map.png", left, high), 0xa6262d);
    assert_int_equal(colour_at("map.png", middle, high), 0x2f5aa8);
    assert_int_equal(mrn_plot_write(&p, "map.svg", &msg), MRN_OK);
    remove("map.png"), remove("map.svg");
}

/* Two series of bars over two names: each as high as its value, from zero, beside the other, the
   missing one not there. The paper's axes are those of the maps, x from -0.5 to 1.5, but to 700.5
   across; a group is 0.8 of the way between names. */
static void bars_side_by_side(void **state)
{
    (void)state;
    const char *const name[] = {"en", "omega"};
    const double at[] = {0, 1}, first[] = {3, -2}, second[] = {1, NAN};
    const mrn_series s[] = {{.style = MRN_SERIES_BARS, .colour = 6, .n = 2, .x = at, .y = first},
                            {.style = MRN_SERIES_BARS, .colour = 2, .n = 2, .x = at, .y = second}};
    mrn_plot p = mrn_plot_default();
    p.n = 2, p.series = s, p.n_names = 2, p.x_name = name;
    p.y_lo = -4, p.y_hi = 4;
    assert_int_equal(mrn_plot_write(&p, "bars.png", NULL), MRN_OK);
    const unsigned black = 0x000000, green = 0x009e73, white = 0xffffff;
    const struct {
        double x, y; /* of the axes */
        unsigned colour;
    } look[] = {{-0.2, 2.9, black},  {-0.2, 0.1, black}, {-0.2, 3.1, white}, {-0.2, -0.1, white},
                {0.2, 0.9, green},   {0.2, 1.1, white},  {0.8, -1.9, black}, {0.8, -2.1, white},
                {0.8, 0.1, white},   {1.2, 0.5, white},  {1.2, -0.5, white}, {-0.45, 1, white},
                {-0.38, 1.5, black}, {0.38, 0.5, green}, {0.45, 0.5, white}, {0.02, 0.5, green},
                {-0.02, 0.5, black}};
    for (size_t k = 0; k < sizeof look / sizeof *look; k++) {
        double across = (78 + (look[k].x + 0.5) / 2 * 622.5) / 720;
        double down = (413.2 - (look[k].y + 4) / 8 * 382) / 460;
        assert_int_equal(colour_at("bars.png", across, down), look[k].colour);
    }
    p.y_lo = NAN; /* zero is shown though no bar ends there */
    const double high[] = {8, 9};
    const mrn_series tall = {.style = MRN_SERIES_BARS, .colour = 6, .n = 2, .x = at, .y = high};
    p.n = 1, p.series = &tall, p.y_hi = 10;
    assert_int_equal(mrn_plot_write(&p, "bars.png", NULL), MRN_OK);
    double across = (78 + 0.25 * 622.5) / 720;
    assert_int_equal(colour_at("bars.png", across, (413.2 - 0.79 * 382) / 460), black);
    assert_int_equal(colour_at("bars.png", across, (413.2 - 0.81 * 382) / 460), white);
    p.y_log = true;
    assert_int_equal(mrn_plot_write(&p, "bars.png", NULL), MRN_OK);
    remove("bars.png");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps),
        cmocka_unit_test(circles_are_circles),
        cmocka_unit_test(png_has_ink),
        cmocka_unit_test(areas_lie_on_each_other),
        cmocka_unit_test(what_has_no_place),
        cmocka_unit_test(little_data),
        cmocka_unit_test(bad_ending),
        cmocka_unit_test(not_writable),
        cmocka_unit_test(bars_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
