/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the command speaks: numbers with SI prefixes, aligned tables, wrapped text, colours on a
   terminal only, messages and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"

/* ---- terminal ---- */

bool mrn_app_is_terminal(FILE *f)
{
    const char *term = getenv("TERM");
    return isatty(fileno(f)) && (term == NULL || strcmp(term, "dumb") != 0);
}

const char *mrn_app_style_code(FILE *f, mrn_app_style style)
{
    static const char *const code[] = {
        [MRN_PLAIN] = "\033[0m",   [MRN_BOLD] = "\033[1m",   [MRN_DIM] = "\033[2m",
        [MRN_RED] = "\033[1;31m",  [MRN_GREEN] = "\033[32m", [MRN_YELLOW] = "\033[33m",
        [MRN_BLUE] = "\033[1;34m",
    };
    const char *off = getenv("NO_COLOR");
    if ((off != NULL && off[0] != '\0') || !mrn_app_is_terminal(f))
        return "";
    return code[style];
}

int mrn_app_columns(FILE *f)
{
    struct winsize size;
    if (isatty(fileno(f)) && ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
        return size.ws_col;
    return isatty(fileno(f)) ? 80 : 100;
}

/* ---- numbers ---- */

mrn_readable mrn_app_bytes(double bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int k = 0;
    for (; bytes >= 1024 && k < 4; k++)
        bytes /= 1024;
    mrn_readable t;
    snprintf(t.s, sizeof t.s, k == 0 ? "%.0f %s" : "%.3g %s", bytes, unit[k]);
    return t;
}

mrn_readable mrn_app_duration(double seconds)
{
    mrn_readable t;
    if (!isfinite(seconds)) {
        snprintf(t.s, sizeof t.s, "unknown");
    } else if (seconds < 59.95) {
        snprintf(t.s, sizeof t.s, seconds < 9.995 ? "%.2f s" : "%.1f s", seconds);
    } else {
        long s = lround(seconds);
        if (s < 3600)
            snprintf(t.s, sizeof t.s, "%ld min %02ld s", s / 60, s % 60);
        else if (s < 48 * 3600)
            snprintf(t.s, sizeof t.s, "%ld h %02ld min", s / 3600, s % 3600 / 60);
        else
            snprintf(t.s, sizeof t.s, "%.1f days", seconds / 86400);
    }
    return t;
}

/* ---- text ---- */

int mrn_app_width(const char *text)
{
    int columns = 0;
    for (const char *p = text; *p != '\0'; p++)
        columns += ((unsigned char)*p & 0xC0) != 0x80;
    return columns;
}

void mrn_app_pad(FILE *f, const char *text, int width, bool right)
{
    int space = width - mrn_app_width(text);
    if (space < 0)
        space = 0;
    if (right)
        fprintf(f, "%*s%s", space, "", text);
    else
        fprintf(f, "%s%*s", text, space, "");
}

void mrn_app_wrap(FILE *f, const char *text, int indent, int width)
{
    int column = indent;
    bool first = true;
    for (const char *p = text; *p != '\0';) {
        if (*p == '\n') {
            fprintf(f, "\n%*s", indent, "");
            column = indent;
            first = true;
            p++;
            continue;
        }
        if (*p == ' ') {
            p++;
            continue;
        }
        int bytes = (int)strcspn(p, " \n"), columns = 0;
        for (int i = 0; i < bytes; i++)
            columns += ((unsigned char)p[i] & 0xC0) != 0x80;
        if (!first && column + 1 + columns > width) {
            fprintf(f, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        fprintf(f, "%s%.*s", first ? "" : " ", bytes, p);
        column += columns + !first;
        first = false;
        p += bytes;
    }
    fputc('\n', f);
}

/* ---- tables ---- */

void mrn_app_table_begin(mrn_app_table *t, int columns, const char *const *head)
{
    *t = (mrn_app_table){.columns = columns < MRN_APP_CELLS ? columns : MRN_APP_CELLS};
    const char *cell[MRN_APP_CELLS];
    for (int i = 0; i < t->columns; i++) {
        t->right[i] = head[i][0] == '>';
        cell[i] = head[i] + t->right[i];
    }
    mrn_app_table_row(t, cell);
}

void mrn_app_table_row(mrn_app_table *t, const char *const *cells)
{
    if (t->rows == t->capacity) {
        int capacity = t->capacity == 0 ? 16 : 2 * t->capacity;
        char **bigger = realloc(t->cell, (size_t)(capacity * t->columns) * sizeof *bigger);
        if (bigger == NULL)
            return;
        t->cell = bigger;
        t->capacity = capacity;
    }
    for (int i = 0; i < t->columns; i++)
        t->cell[t->rows * t->columns + i] = strdup(cells[i] != NULL ? cells[i] : "");
    t->rows++;
}

static const char *cell_at(const mrn_app_table *t, int row, int column)
{
    const char *text = t->cell[row * t->columns + column];
    return text != NULL ? text : "";
}

static void table_free(mrn_app_table *t)
{
    for (int i = 0; i < t->rows * t->columns; i++)
        free(t->cell[i]);
    free(t->cell);
    *t = (mrn_app_table){0};
}

static void print_row(const mrn_app_table *t, FILE *f, int row, const int *width)
{
    int at = 2;
    fputs("  ", f);
    for (int i = 0; i + 1 < t->columns; i++) {
        mrn_app_pad(f, cell_at(t, row, i), width[i], t->right[i]);
        fputs("  ", f);
        at += width[i] + 2;
    }
    int last = t->columns - 1, room = mrn_app_columns(f);
    if (t->right[last]) {
        mrn_app_pad(f, cell_at(t, row, last), width[last], true);
        fputc('\n', f);
    } else {
        mrn_app_wrap(f, cell_at(t, row, last), at, room > at + 30 ? room : at + 30);
    }
}

void mrn_app_table_print(mrn_app_table *t, FILE *f)
{
    int width[MRN_APP_CELLS] = {0};
    for (int r = 0; f != NULL && r < t->rows; r++) {
        for (int i = 0; i < t->columns; i++) {
            int w = mrn_app_width(cell_at(t, r, i));
            width[i] = w > width[i] ? w : width[i];
        }
    }
    for (int r = 0; f != NULL && r < t->rows; r++) {
        fputs(r == 0 ? mrn_app_style_code(f, MRN_BOLD) : "", f);
        print_row(t, f, r, width);
        fputs(r == 0 ? mrn_app_style_code(f, MRN_PLAIN) : "", f);
    }
    table_free(t);
}

void mrn_app_table_markdown(mrn_app_table *t, FILE *f)
{
    for (int r = 0; r < t->rows; r++) {
        for (int i = 0; i < t->columns; i++) {
            fputs(i == 0 ? "| " : " | ", f);
            for (const char *p = cell_at(t, r, i); *p != '\0'; p++) {
                if (*p == '|')
                    fputc('\\', f);
                fputc(*p == '\n' ? ' ' : *p, f);
            }
        }
        fputs(" |\n", f);
        for (int i = 0; r == 0 && i < t->columns; i++)
            fprintf(f, "%s%s%s", i == 0 ? "|" : "", t->right[i] ? "---:|" : "---|",
                    i + 1 == t->columns ? "\n" : "");
    }
    table_free(t);
}

/* ---- messages and JSON ---- */

int mrn_app_exit_code(mrn_status s)
{
    switch (s) {
    case MRN_OK:
    case MRN_AT_MOST:
        return MRN_EXIT_OK;
    case MRN_ERR_INPUT:
    case MRN_ERR_RANGE:
    case MRN_ERR_IO:
        return MRN_EXIT_USAGE;
    default:
        return MRN_EXIT_FAILED;
    }
}

int mrn_app_report(const mrn_message *msg)
{
    char text[4096];
    mrn_message_format(msg, text, sizeof text);
    fflush(stdout);
    fprintf(stderr, "%s%s%s", mrn_app_style_code(stderr, msg->status < 0 ? MRN_RED : MRN_YELLOW),
            text, mrn_app_style_code(stderr, MRN_PLAIN));
    return mrn_app_exit_code(msg->status);
}

int mrn_app_json(json_t *root)
{
    int failed = root == NULL || json_dumpf(root, stdout, JSON_INDENT(2)) != 0;
    json_decref(root);
    return failed || putchar('\n') == EOF ? MRN_EXIT_FAILED : MRN_EXIT_OK;
}

bool mrn_app_is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

json_t *mrn_app_read_json(const char *path)
{
    return mrn_app_is_file(path) ? json_load_file(path, 0, NULL) : NULL;
}

int mrn_app_write_page(mrn_status (*write)(FILE *), const char *path)
{
    mrn_message msg = {0};
    mrn_status status;
    if (path == NULL) {
        status = write(stdout);
    } else {
        mrn_atomic_file file;
        status = mrn_atomic_open(path, &file, &msg);
        if (status != MRN_OK)
            return mrn_app_report(&msg);
        status = write(file.f);
        if (status == MRN_OK)
            status = mrn_atomic_commit(&file, &msg);
        else
            mrn_atomic_abandon(&file);
    }
    if (status == MRN_OK)
        return MRN_EXIT_OK;
    if (msg.status == MRN_OK)
        mrn_fail(&msg, status, "cannot write the page: %s", mrn_status_text(status));
    return mrn_app_report(&msg);
}
