/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a page of HTML is well formed: every element closed in its order, every attribute in
   quotes, every & the beginning of an entity. */
#ifndef MRN_TESTS_APP_MARKUP_H
#define MRN_TESTS_APP_MARKUP_H

#include <ctype.h>
#include <string.h>

#include "run/helper.h"

enum { MARKUP_DEPTH = 64, MARKUP_NAME = 24 };

typedef struct markup {
    char open[MARKUP_DEPTH][MARKUP_NAME];
    int depth, elements;
} markup;

static inline bool markup_void(const char *name)
{
    return strcmp(name, "meta") == 0 || strcmp(name, "br") == 0 || strcmp(name, "hr") == 0 ||
           strcmp(name, "img") == 0;
}

/* Behind the '>' of a tag; quotes may hold one. */
static inline const char *markup_end(const char *p)
{
    char quote = '\0';
    for (; *p != '\0'; p++) {
        if (quote != '\0')
            quote = *p == quote ? '\0' : quote;
        else if (*p == '"' || *p == '\'')
            quote = *p;
        else if (*p == '<')
            fail_msg("a < within a tag: %.80s", p);
        else if (*p == '>')
            return p + 1;
    }
    fail_msg("a tag that does not end");
    return p;
}

static inline const char *markup_tag(markup *m, const char *p)
{
    bool closes = p[1] == '/';
    char name[MARKUP_NAME] = "";
    const char *from = p + 1 + closes;
    int n = 0;
    while (isalnum((unsigned char)from[n]) && n < MARKUP_NAME - 1)
        n++;
    snprintf(name, sizeof name, "%.*s", n, from);
    const char *end = markup_end(from);
    if (n == 0)
        fail_msg("no name behind <: %.80s", p);
    m->elements++;
    if (closes) {
        if (m->depth == 0 || strcmp(m->open[m->depth - 1], name) != 0)
            fail_msg("</%s> closes <%s>: %.80s", name,
                     m->depth > 0 ? m->open[m->depth - 1] : "nothing", p);
        m->depth--;
        return end;
    }
    if (end[-2] == '/' || markup_void(name))
        return end;
    assert_true(m->depth < MARKUP_DEPTH);
    snprintf(m->open[m->depth++], MARKUP_NAME, "%s", name);
    if (strcmp(name, "style") == 0) {
        end = strstr(end, "</style>");
        assert_non_null(end);
    }
    return end;
}

static inline void markup_entity(const char *p)
{
    size_t n = strspn(p + 1, "#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    if (n == 0 || p[1 + n] != ';')
        fail_msg("a bare &: %.60s", p);
}

/* Fails the test where the page is not well formed; returns the number of its tags. */
static inline int expect_markup(const char *text)
{
    markup m = {.depth = 0};
    assert_ptr_equal(strstr(text, "<!DOCTYPE html>"), text);
    for (const char *p = text + strlen("<!DOCTYPE html>"); *p != '\0';) {
        if (*p == '<') {
            p = markup_tag(&m, p);
            continue;
        }
        if (*p == '&')
            markup_entity(p);
        p++;
    }
    if (m.depth != 0)
        fail_msg("<%s> is not closed", m.open[m.depth - 1]);
    return m.elements;
}

/* Nothing that runs, nothing from elsewhere. */
static inline void expect_alone(const char *text)
{
    static const char *const bad[] = {"<script", "http:",   "https:",   "<link",       "<img",
                                      "<iframe", "@import", "url(http", "javascript:", "onload="};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strstr(text, bad[i]) != NULL)
            fail_msg("the page holds \"%s\"", bad[i]);
}

#endif
