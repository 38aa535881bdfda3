/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Status names, messages with a place and a cure, and the search for the word that was meant. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

const char *mrn_version(void)
{
    return MRN_VERSION;
}

const char *mrn_status_text(mrn_status s)
{
    switch (s) {
    case MRN_ERR_MACHINE:
        return "machine cannot go on";
    case MRN_ERR_INTERNAL:
        return "internal error";
    case MRN_ERR_STALE:
        return "stale handle";
    case MRN_ERR_RANGE:
        return "out of range";
    case MRN_ERR_IO:
        return "file error";
    case MRN_ERR_INPUT:
        return "bad input";
    case MRN_ERR_MEMORY:
        return "out of memory";
    case MRN_OK:
        return "ok";
    case MRN_AT_MOST:
        return "time limit of the stage reached";
    case MRN_INTERRUPTED:
        return "interrupted";
    case MRN_EXPLODED:
        return "exploded";
    case MRN_TOO_STIFF:
        return "time step too large";
    case MRN_NOT_CONVERGED:
        return "not converged";
    }
    return "unknown status";
}

mrn_status mrn_fail(mrn_message *msg, mrn_status s, const char *fmt, ...)
{
    if (msg == NULL)
        return s;
    msg->status = s;
    msg->line = msg->column = 0;
    msg->file[0] = msg->path[0] = msg->expected[0] = msg->hint[0] = '\0';
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg->text, sizeof msg->text, fmt, args);
    va_end(args);
    return s;
}

mrn_status mrn_fail_at(mrn_message *msg, const char *file, int line, int column)
{
    if (msg == NULL)
        return MRN_ERR_INPUT; /* nowhere to tell, but an error stays an error */
    snprintf(msg->file, sizeof msg->file, "%s", file != NULL ? file : "");
    msg->line = line;
    msg->column = column;
    return msg->status;
}

mrn_status mrn_fail_path(mrn_message *msg, const char *fmt, ...)
{
    if (msg == NULL)
        return MRN_ERR_INPUT; /* nowhere to tell, but an error stays an error */
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg->path, sizeof msg->path, fmt, args);
    va_end(args);
    return msg->status;
}

mrn_status mrn_fail_expected(mrn_message *msg, const char *fmt, ...)
{
    if (msg == NULL)
        return MRN_ERR_INPUT; /* nowhere to tell, but an error stays an error */
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg->expected, sizeof msg->expected, fmt, args);
    va_end(args);
    return msg->status;
}

mrn_status mrn_fail_hint(mrn_message *msg, const char *fmt, ...)
{
    if (msg == NULL)
        return MRN_ERR_INPUT; /* nowhere to tell, but an error stays an error */
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg->hint, sizeof msg->hint, fmt, args);
    va_end(args);
    return msg->status;
}

mrn_status mrn_fail_memory(mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_MEMORY, "out of memory (%.1f MiB in use)",
             (double)mrn_bytes_in_use() / 1048576.0);
    return MRN_ERR_MEMORY;
}

/* Messages quote what files and people wrote; a terminal must not obey it. */
void mrn_hide_controls(char *text, size_t size)
{
    for (size_t k = 0; k < size && text[k] != '\0'; k++) {
        unsigned char c = (unsigned char)text[k];
        bool c1 = c == 0xc2 && k + 1 < size && ((unsigned char)text[k + 1] & 0xe0) == 0x80;
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || c1)
            text[k] = '?';
        if (c1)
            text[++k] = '?';
    }
}

int mrn_message_format(const mrn_message *msg, char *buf, size_t size)
{
    char place[sizeof msg->file + sizeof msg->path + 40] = "";
    if (msg->file[0] != '\0' && msg->line > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", msg->file, msg->line, msg->column);
    else
        snprintf(place, sizeof place, "%s%s%s%s", msg->file, msg->file[0] != '\0' ? ": " : "",
                 msg->path, msg->path[0] != '\0' ? ": " : "");
    const char *kind = msg->status > 0 ? "stopped" : "error";
    int n = snprintf(buf, size, "%s%s: %s\n%s%s%s%s%s%s", place, kind, msg->text,
                     msg->expected[0] ? "  expected: " : "", msg->expected,
                     msg->expected[0] ? "\n" : "", msg->hint[0] ? "  hint: " : "", msg->hint,
                     msg->hint[0] ? "\n" : "");
    mrn_hide_controls(buf, size);
    return n;
}

/* Damerau-Levenshtein distance (adjacent swaps count one) of words of at most 63 letters. */
static int edit_distance(const char *a, const char *b)
{
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > 63 || nb > 63)
        return 64;
    int d[3][65];
    for (int j = 0; j <= nb; j++)
        d[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = d[i % 3], *last = d[(i + 2) % 3], *before = d[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return d[na % 3][nb];
}

const char *mrn_closest_word(const char *word, const char *const *words, int n)
{
    const char *best = NULL;
    /* a third of the letters may be wrong, two at least: "frction" finds friction, "x" finds
     * nothing */
    int limit = (int)strlen(word) / 3;
    int least = (limit < 2 ? 2 : limit) + 1;
    for (int i = 0; i < n; i++) {
        int d = edit_distance(word, words[i]);
        if (d < least && d < (int)strlen(words[i])) {
            least = d;
            best = words[i];
        }
    }
    return best;
}
