/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of things: found, refused when they are there already, suggested when they are misspelt. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "compose/compose.h"

#define WORDS_MAX 128

mrn_status mrn_compose_unknown(const char *what, const char *word, const char *const *words, int n,
                               mrn_message *msg)
{
    char list[480] = "";
    size_t at = 0;
    for (int i = 0; i < n && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "", words[i]);
    mrn_fail(msg, MRN_ERR_INPUT, "there is no %s '%.100s'", what, word);
    mrn_fail_expected(msg, "%s", n > 0 ? list : "none has been added yet");
    const char *meant = mrn_closest_word(word, words, n);
    if (meant != NULL)
        mrn_fail_hint(msg, "did you mean '%s'?", meant);
    return MRN_ERR_INPUT;
}

static const char *name_at(mrn_names names, int i)
{
    return (const char *)names.first + (size_t)i * names.stride;
}

static int find(mrn_names names, const char *name)
{
    for (int i = 0; i < names.n; i++)
        if (strcmp(name_at(names, i), name) == 0)
            return i;
    return -1;
}

int mrn_compose_find(mrn_names names, const char *name, mrn_message *msg)
{
    name = name != NULL ? name : "";
    int found = find(names, name);
    if (found >= 0)
        return found;
    const char *word[WORDS_MAX];
    int n = names.n < WORDS_MAX ? names.n : WORDS_MAX;
    for (int i = 0; i < n; i++)
        word[i] = name_at(names, i);
    mrn_compose_unknown(names.what, name, word, n, msg);
    return -1;
}

mrn_status mrn_compose_check_new(mrn_names names, const char *name, mrn_message *msg)
{
    if (name == NULL || name[0] == '\0')
        return mrn_fail(msg, MRN_ERR_INPUT, "a %s has no name", names.what);
    if (strlen(name) >= MRN_NAME)
        return mrn_fail(msg, MRN_ERR_INPUT, "the name of the %s '%.100s' is longer than %d letters",
                        names.what, name, MRN_NAME - 1);
    if (find(names, name) < 0)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "there is a %s '%s' already", names.what, name);
    return mrn_fail_hint(msg, "give it another name");
}

void mrn_compose_name(char to[MRN_NAME], const char *name)
{
    snprintf(to, MRN_NAME, "%s", name);
}

mrn_status mrn_compose_append(void *list, int *n, size_t size, const void *entry, mrn_message *msg)
{
    void *old;
    memcpy(&old, list, sizeof old);
    char *grown = mrn_realloc(old, ((size_t)*n + 1) * size);
    if (grown == NULL)
        return mrn_fail_memory(msg);
    memcpy(list, &grown, sizeof grown);
    memcpy(grown + (size_t)*n * size, entry, size);
    ++*n;
    return MRN_OK;
}

void mrn_compose_changed(mrn_scene *s)
{
    mrn_free(s->pair_of);
    s->pair_of = NULL;
}
