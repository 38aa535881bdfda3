/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of HTML that stand alone: sections, paragraphs, tables, plots, files as they are. */
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "draw/draw.h"
#include "moraine/io.h"
#include "store/files.h"

static void page_free(mrn_page *p)
{
    mrn_free(p->body.s);
    mrn_free(p->contents.s);
    mrn_free(p->title);
    mrn_free(p->subtitle);
    mrn_free(p);
}

mrn_status mrn_page_create(const char *title, const char *subtitle, mrn_page **out,
                           mrn_message *msg)
{
    mrn_page *p = mrn_alloc(sizeof *p);
    *out = NULL;
    if (p == NULL)
        return mrn_fail_memory(msg);
    p->title = mrn_strdup(title);
    p->subtitle = mrn_strdup(subtitle != NULL ? subtitle : "");
    if (p->title == NULL || p->subtitle == NULL) {
        page_free(p);
        return mrn_fail_memory(msg);
    }
    *out = p;
    return MRN_OK;
}

/* ---- structure ---- */

static void end_plots(mrn_page *p)
{
    if (p->in_plots)
        mrn_buffer_raw(&p->body, "</div>\n");
    p->in_plots = false;
}

static void end_section(mrn_page *p)
{
    end_plots(p);
    if (p->in_section)
        mrn_buffer_raw(&p->body, "</section>\n");
    p->in_section = false;
}

static void element(mrn_buffer *t, const char *open, const char *text, const char *close)
{
    mrn_buffer_raw(t, open);
    mrn_buffer_escaped(t, text);
    mrn_buffer_raw(t, close);
}

void mrn_page_section(mrn_page *p, const char *title)
{
    end_section(p);
    p->sections++;
    p->in_section = true;
    mrn_buffer_put(&p->contents, "<a href=\"#s%d\">", p->sections);
    element(&p->contents, "", title, "</a>\n");
    mrn_buffer_put(&p->body, "<section id=\"s%d\">\n", p->sections);
    element(&p->body, "<h2>", title, "</h2>\n");
}

void mrn_page_heading(mrn_page *p, const char *title)
{
    end_plots(p);
    element(&p->body, "<h3>", title, "</h3>\n");
}

void mrn_page_text(mrn_page *p, const char *text)
{
    end_plots(p);
    element(&p->body, "<p>", text, "</p>\n");
}

void mrn_page_note(mrn_page *p, mrn_tone tone, const char *text)
{
    static const char *const name[] = {"note", "note good", "note doubt", "note bad"};
    end_plots(p);
    mrn_buffer_put(&p->body, "<div class=\"%s\">", name[tone]);
    element(&p->body, "", text, "</div>\n");
}

/* ---- tables ---- */

/* A mark of the best becomes type instead. */
static void put_cell(mrn_buffer *t, const char *tag, const char *text, bool right)
{
    size_t n = strlen(text);
    bool best = n > 2 && strcmp(text + n - 2, " *") == 0;
    char part[512];
    const char *shown = text;
    if (best && n - 2 < sizeof part) {
        snprintf(part, sizeof part, "%.*s", (int)(n - 2), text);
        shown = part;
    }
    const char *name =
        best ? (right ? " class=\"n best\"" : " class=\"best\"") : (right ? " class=\"n\"" : "");
    mrn_buffer_put(t, "<%s%s>", tag, name);
    mrn_buffer_escaped(t, shown);
    mrn_buffer_put(t, "</%s>", tag);
}

static void put_row(mrn_buffer *t, const char *tag, int columns, char *const *cell,
                    const bool *right)
{
    mrn_buffer_raw(t, "<tr>");
    for (int k = 0; k < columns; k++)
        put_cell(t, tag, cell[k] != NULL ? cell[k] : "", right != NULL && right[k]);
    mrn_buffer_raw(t, "</tr>\n");
}

/* Above a table, not in it: a narrow one would break it into pieces. */
static void put_caption(mrn_buffer *t, const char *caption)
{
    if (caption != NULL && caption[0] != '\0')
        element(t, "<p class=\"caption\">", caption, "</p>\n");
}

void mrn_page_table(mrn_page *p, const char *caption, int columns, int rows, char *const *cell,
                    const bool *right)
{
    mrn_buffer *t = &p->body;
    end_plots(p);
    put_caption(t, caption);
    mrn_buffer_raw(t, "<div class=\"wide\"><table>\n<thead>");
    if (rows > 0)
        put_row(t, "th", columns, cell, right);
    mrn_buffer_raw(t, "</thead>\n<tbody>\n");
    for (int r = 1; r < rows; r++)
        put_row(t, "td", columns, cell + (size_t)r * (size_t)columns, right);
    mrn_buffer_raw(t, "</tbody>\n</table></div>\n");
}

void mrn_page_facts(mrn_page *p, int n, const char *const *text)
{
    end_plots(p);
    mrn_buffer_raw(&p->body, "<dl>\n");
    for (int i = 0; i < n; i++) {
        element(&p->body, "<dt>", text[2 * i], "</dt>");
        element(&p->body, "<dd>", text[2 * i + 1], "</dd>\n");
    }
    mrn_buffer_raw(&p->body, "</dl>\n");
}

static double percent(double v, double full)
{
    double share = full > 0 && isfinite(v) ? v / full : 0;
    return 100 * (share < 0 ? 0 : share > 1 ? 1 : share);
}

void mrn_page_bars(mrn_page *p, const char *caption, int n, const char *const *name,
                   const double *value, const double *error, double full)
{
    mrn_buffer *t = &p->body;
    end_plots(p);
    put_caption(t, caption);
    mrn_buffer_raw(t, "<div class=\"wide\"><table class=\"bars\">\n<tbody>\n");
    for (int i = 0; i < n; i++) {
        element(t, "<tr><td>", name[i], "</td>");
        mrn_buffer_put(t, "<td><div class=\"track\"><i style=\"width:%.1f%%\"></i></div></td>",
                       percent(value[i], full));
        mrn_buffer_put(t, "<td class=\"n\">");
        if (isfinite(value[i]))
            mrn_buffer_put(t, "%.3f", fabs(value[i]) < 5e-4 ? 0 : value[i]);
        if (error != NULL && isfinite(error[i]))
            mrn_buffer_put(t, " ± %.3f", error[i]);
        mrn_buffer_raw(t, "</td></tr>\n");
    }
    mrn_buffer_raw(t, "</tbody>\n</table></div>\n");
}

/* ---- plots and files ---- */

static void begin_figure(mrn_page *p, mrn_page_width width)
{
    mrn_buffer *t = &p->body;
    if (width == MRN_PAGE_FULL)
        end_plots(p);
    else if (!p->in_plots)
        mrn_buffer_raw(t, "<div class=\"plots\">\n");
    p->in_plots = width == MRN_PAGE_HALF;
    mrn_buffer_raw(t, width == MRN_PAGE_FULL ? "<figure class=\"full\">" : "<figure>");
}

static void end_figure(mrn_page *p, const char *caption)
{
    if (caption != NULL && caption[0] != '\0')
        element(&p->body, "<figcaption>", caption, "</figcaption>");
    mrn_buffer_raw(&p->body, "</figure>\n");
}

void mrn_page_plot(mrn_page *p, mrn_page_width width, const mrn_plot *plot, const char *caption)
{
    mrn_buffer *t = &p->body;
    begin_figure(p, width);
    if (plot->title != NULL && plot->title[0] != '\0')
        element(t, "<b>", plot->title, "</b>");
    mrn_report_legend(t, plot);
    mrn_report_svg(t, plot, ++p->plots);
    end_figure(p, caption);
}

static void put_stream(mrn_buffer *t, FILE *f)
{
    char part[3 * 4096]; /* whole groups of three: base64 without a seam */
    size_t n;
    rewind(f);
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        mrn_buffer_base64(t, part, (int64_t)n);
}

/* Through a file without a name: the writer of PNG wants a stream. Returns an error of the system,
   or 0. */
static int put_png(mrn_buffer *t, const mrn_picture *picture)
{
    FILE *f = tmpfile();
    if (f == NULL)
        return errno;
    mrn_message msg = {0};
    errno = 0;
    mrn_status status = mrn_png_put(f, picture, &msg);
    bool good = status == MRN_OK && fflush(f) == 0;
    int error = good ? 0 : status == MRN_ERR_MEMORY ? ENOMEM : errno != 0 ? errno : EIO;
    if (good)
        put_stream(t, f);
    fclose(f);
    return error;
}

static int put_file(mrn_buffer *t, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return errno;
    put_stream(t, f);
    int error = ferror(f) ? EIO : 0;
    fclose(f);
    return error;
}

/* Of pixels, or without them of the file at `path`; pixels have what they are called there. */
static void put_image(mrn_page *p, mrn_page_width place, const mrn_picture *picture,
                      const char *path, int width, int height, const char *caption)
{
    mrn_buffer *t = &p->body;
    begin_figure(p, place);
    mrn_buffer_raw(t, "<img src=\"data:image/png;base64,");
    int error = picture != NULL ? put_png(t, picture) : put_file(t, path);
    if (error != 0 && p->error == 0) {
        p->error = error;
        snprintf(p->missing, sizeof p->missing, "%s", path);
    }
    mrn_buffer_put(t, "\" width=\"%d\" height=\"%d\" alt=\"", width, height);
    mrn_buffer_escaped(t, caption != NULL ? caption : "");
    mrn_buffer_raw(t, "\">");
    end_figure(p, caption);
}

void mrn_page_picture(mrn_page *p, mrn_page_width width, const mrn_picture *picture,
                      const char *caption)
{
    put_image(p, width, picture, "a picture", picture->width, picture->height, caption);
}

void mrn_page_image(mrn_page *p, mrn_page_width place, const char *path, int width, int height,
                    const char *caption)
{
    put_image(p, place, NULL, path, width, height, caption);
}

void mrn_page_code(mrn_page *p, const char *caption, const char *text, bool folded)
{
    mrn_buffer *t = &p->body;
    end_plots(p);
    if (folded)
        element(t, "<details><summary>", caption != NULL ? caption : "", "</summary>");
    else if (caption != NULL && caption[0] != '\0')
        element(t, "<p>", caption, "</p>");
    /* a line end after <pre> is swallowed, so one is given */
    element(t, "<pre>\n", text, "</pre>");
    mrn_buffer_raw(t, folded ? "</details>\n" : "\n");
}

/* ---- the file ---- */

static void assemble(mrn_page *p, mrn_buffer *t)
{
    mrn_buffer_raw(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n");
    mrn_buffer_put(t, "<meta name=\"generator\" content=\"Moraine %s\">\n", MRN_VERSION);
    element(t, "<title>", p->title, "</title>\n");
    mrn_buffer_raw(t, mrn_report_style);
    element(t, "</head>\n<body>\n<header>\n<h1>", p->title, "</h1>\n");
    if (p->subtitle[0] != '\0')
        element(t, "<p class=\"lead\">", p->subtitle, "</p>\n");
    mrn_buffer_raw(t, "</header>\n<nav>\n");
    mrn_buffer_raw(t, p->contents.s != NULL ? p->contents.s : "");
    mrn_buffer_raw(t, "</nav>\n<main>\n");
    mrn_buffer_raw(t, p->body.s != NULL ? p->body.s : "");
    mrn_buffer_put(t, "</main>\n<footer>Moraine %s</footer>\n</body>\n</html>\n", MRN_VERSION);
}

static mrn_status write_text(const mrn_buffer *t, const char *path, mrn_message *msg)
{
    mrn_atomic_file file;
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    fwrite(t->s, 1, (size_t)t->n, file.f); /* a failure stays with the stream; commit tells it */
    return mrn_atomic_commit(&file, msg);
}

mrn_status mrn_page_close(mrn_page **page, const char *path, mrn_message *msg)
{
    mrn_page *p = *page;
    mrn_status status = MRN_OK;
    *page = NULL;
    if (p == NULL)
        return MRN_OK;
    end_section(p);
    if (path != NULL) {
        mrn_buffer whole = {0};
        assemble(p, &whole);
        if (p->body.failed || p->contents.failed || whole.failed || p->error == ENOMEM)
            status = mrn_fail_memory(msg);
        else if (p->error != 0)
            status = mrn_fail_file(msg, p->missing, "cannot put it into the page", p->error);
        else
            status = write_text(&whole, path, msg);
        mrn_free(whole.s);
    }
    page_free(p);
    return status;
}
