/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of methods. */
#include <string.h>

#include "engine/methods.h"

#define MRN_METHOD(x, summary) extern const mrn_method mrn_method_##x;
#include "moraine/methods.def"
#undef MRN_METHOD

#define MRN_METHOD(x, summary) &mrn_method_##x,
static const mrn_method *const methods[] = {
#include "moraine/methods.def"
};
#undef MRN_METHOD

static const char *const summaries[] = {
#define MRN_METHOD(x, summary) summary,
#include "moraine/methods.def"
#undef MRN_METHOD
};

const char *mrn_method_summary(const mrn_method *m)
{
    for (int i = 0; i < mrn_method_count(); i++)
        if (methods[i] == m)
            return summaries[i];
    return "";
}

int mrn_method_count(void)
{
    return (int)(sizeof methods / sizeof *methods);
}

const mrn_method *mrn_method_at(int i)
{
    return i >= 0 && i < mrn_method_count() ? methods[i] : NULL;
}

const mrn_method *mrn_method_find_in(const mrn_method *const *list, int n, const char *name)
{
    for (int i = 0; name != NULL && i < n; i++)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

const mrn_method *mrn_method_of(const mrn_scene *scene)
{
    return scene->method != NULL ? scene->method : methods[0];
}

const mrn_method *mrn_method_find(const char *name)
{
    return mrn_method_find_in(methods, mrn_method_count(), name);
}
