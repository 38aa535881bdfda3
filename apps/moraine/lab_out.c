/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words, tables and plots of the lab on their way to the terminal, the report and the folder. */
#include <stdarg.h>
#include <string.h>

#include "lab_parts.h"

enum { LABEL = 11 };

void mrn_cli_failed(mrn_cli_out *o, mrn_status status, const mrn_message *msg)
{
    if (o->status != MRN_OK)
        return;
    o->status = status;
    o->msg = *msg;
}

/* ---- words ---- */

void mrn_cli_title(mrn_cli_out *o, const char *title)
{
    if (o->f == NULL)
        return;
    fprintf(o->f, "%sMoraine %s%s%s%s\n", mrn_app_style_code(o->f, MRN_BOLD), MRN_VERSION,
            mrn_app_style_code(o->f, MRN_PLAIN), title[0] != '\0' ? " · " : "", title);
}

void mrn_cli_line(mrn_cli_out *o, const char *label, const char *fmt, ...)
{
    char text[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (o->f == NULL)
        return;
    fprintf(o->f, "  %s%-*s%s", mrn_app_style_code(o->f, MRN_DIM), LABEL, label,
            mrn_app_style_code(o->f, MRN_PLAIN));
    mrn_app_wrap(o->f, text, LABEL + 2, mrn_app_columns(o->f));
}

void mrn_cli_section(mrn_cli_out *o, const char *title)
{
    if (o->f != NULL)
        fprintf(o->f, "\n%s%s%s\n", mrn_app_style_code(o->f, MRN_BOLD), title,
                mrn_app_style_code(o->f, MRN_PLAIN));
    if (o->page != NULL)
        mrn_page_section(o->page, title);
}

void mrn_cli_words(mrn_cli_out *o, const char *fmt, ...)
{
    char text[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (o->f != NULL) {
        fputs("  ", o->f);
        mrn_app_wrap(o->f, text, 2, mrn_app_columns(o->f));
    }
    if (o->page != NULL)
        mrn_page_text(o->page, text);
}

void mrn_cli_note(mrn_cli_out *o, mrn_tone tone, const char *fmt, ...)
{
    static const mrn_app_style style[] = {MRN_PLAIN, MRN_GREEN, MRN_YELLOW, MRN_RED};
    char text[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (o->f != NULL) {
        fprintf(o->f, "  %s", mrn_app_style_code(o->f, style[tone]));
        mrn_app_wrap(o->f, text, 2, mrn_app_columns(o->f));
        fputs(mrn_app_style_code(o->f, MRN_PLAIN), o->f);
    }
    if (o->page != NULL)
        mrn_page_note(o->page, tone, text);
}

void mrn_cli_table(mrn_cli_out *o, const char *caption, mrn_app_table *t)
{
    if (o->page != NULL)
        mrn_page_table(o->page, caption, t->columns, t->rows, t->cell, t->right);
    if (o->f != NULL && caption != NULL && caption[0] != '\0')
        fprintf(o->f, "\n  %s%s%s\n", mrn_app_style_code(o->f, MRN_DIM), caption,
                mrn_app_style_code(o->f, MRN_PLAIN));
    mrn_app_table_print(t, o->f);
}

/* ---- plots ---- */

void mrn_cli_chart_begin(mrn_cli_chart *c, const char *title, const char *x_label,
                         const char *y_label)
{
    *c = (mrn_cli_chart){.plot = mrn_plot_default()};
    snprintf(c->title, sizeof c->title, "%s", title);
    snprintf(c->x_label, sizeof c->x_label, "%s", x_label);
    snprintf(c->y_label, sizeof c->y_label, "%s", y_label);
}

static double *copied(const double *from, int n)
{
    double *to = from != NULL ? mrn_alloc((size_t)(n > 0 ? n : 1) * sizeof *to) : NULL;
    if (to != NULL && n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

void mrn_cli_chart_add(mrn_cli_chart *c, const char *label, mrn_series_style style, int colour,
                       int n, const double *x, const double *y, const double *error)
{
    if (c->n == (int)(sizeof c->series / sizeof *c->series))
        return;
    mrn_series *s = &c->series[c->n++];
    *s = (mrn_series){.style = style,
                      .colour = colour,
                      .n = n,
                      .label = mrn_strdup(label != NULL ? label : ""),
                      .x = copied(x, n),
                      .y = copied(y, n),
                      .error = copied(error, n)};
    c->failed = c->failed || s->label == NULL || s->x == NULL || s->y == NULL ||
                (error != NULL && s->error == NULL);
}

static void chart_free(mrn_cli_chart *c)
{
    for (int i = 0; i < c->n; i++) {
        mrn_free((void *)c->series[i].label);
        mrn_free((void *)c->series[i].x);
        mrn_free((void *)c->series[i].y);
        mrn_free((void *)c->series[i].error);
    }
    c->n = 0;
}

static void write_plot(mrn_cli_out *o, const mrn_plot *p, const char *path)
{
    mrn_message msg = {0};
    mrn_status status = mrn_plot_write(p, path, &msg);
    if (status != MRN_OK)
        mrn_cli_failed(o, status, &msg);
}

/* "sweep.svg" and "en" to "sweep-en.svg". */
static void plot_path(const char *plot, const char *name, char *path, size_t size)
{
    const char *dot = strrchr(plot, '.');
    int n = dot != NULL ? (int)(dot - plot) : (int)strlen(plot);
    snprintf(path, size, "%.*s-%s%s", n, plot, name, dot != NULL ? dot : ".svg");
}

/* Names that files put together may hold anything. */
static void file_name(const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s", name);
    for (char *p = out; *p != '\0'; p++)
        if ((unsigned char)*p <= ' ' || strchr("/\\:*?\"<>|'", *p) != NULL)
            *p = '-';
}

void mrn_cli_chart_end(mrn_cli_chart *c, mrn_cli_out *o, const char *called, mrn_page_width width,
                       const char *caption)
{
    char path[1200], name[240];
    file_name(called, name, sizeof name);
    mrn_plot p = c->plot;
    p.title = c->title, p.x_label = c->x_label, p.y_label = c->y_label;
    p.n = c->n, p.series = c->series;
    if (c->failed) {
        mrn_message msg = {0};
        mrn_fail(&msg, MRN_ERR_MEMORY, "out of memory");
        mrn_cli_failed(o, MRN_ERR_MEMORY, &msg);
    }
    if (!c->failed && o->page != NULL)
        mrn_page_plot(o->page, width, &p, caption);
    if (!c->failed && o->folder != NULL) {
        snprintf(path, sizeof path, "%s/%s.svg", o->folder, name);
        write_plot(o, &p, path);
    }
    if (!c->failed && o->plot != NULL) {
        plot_path(o->plot, name, path, sizeof path);
        write_plot(o, &p, path);
        if (o->plots++ == 0)
            snprintf(o->first, sizeof o->first, "%.1099s", path);
    }
    chart_free(c);
}
