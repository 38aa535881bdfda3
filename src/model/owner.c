/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the checks of a scene: who is spoken of, and the path to it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/owner.h"

mrn_owner mrn_owner_of(const mrn_scene *s, mrn_message *msg, const char *what, const char *name,
                       const char *path, ...)
{
    mrn_owner o = {.scene = s, .msg = msg, .what = what, .name = name};
    va_list args;
    va_start(args, path);
    vsnprintf(o.path, sizeof o.path, path, args);
    va_end(args);
    return o;
}

mrn_owner mrn_owner_inner(const mrn_owner *o, const char *key)
{
    mrn_owner in = *o;
    size_t at = strlen(in.path);
    snprintf(in.path + at, sizeof in.path - at, "%s%s", at > 0 ? "." : "", key);
    if (o->name == NULL || o->name[0] == '\0')
        in.what = key;
    return in;
}

static mrn_status place(const mrn_owner *o, const char *key)
{
    bool both = o->path[0] != '\0' && key != NULL;
    mrn_fail_path(o->msg, "%s%s%s", o->path, both ? "." : "", key != NULL ? key : "");
    if (o->scene->path != NULL)
        mrn_fail_at(o->msg, o->scene->path, 0, 0);
    return MRN_ERR_INPUT;
}

mrn_status mrn_owner_fail(const mrn_owner *o, const char *key, const char *text,
                          const char *expected)
{
    bool named = o->name != NULL && o->name[0] != '\0';
    mrn_fail(o->msg, MRN_ERR_INPUT, "%s%s%s%s: %s", o->what, named ? " '" : "",
             named ? o->name : "", named ? "'" : "", text);
    if (expected != NULL)
        mrn_fail_expected(o->msg, "%s", expected);
    return place(o, key);
}

mrn_status mrn_owner_say(const mrn_owner *o, const char *key, const char *fmt, ...)
{
    char text[sizeof o->msg->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mrn_fail(o->msg, MRN_ERR_INPUT, "%s", text);
    return place(o, key);
}
