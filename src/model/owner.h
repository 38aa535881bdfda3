/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who a check of a scene speaks of, in words and as a path, so that its message has a place whether
   the scene came from a file or from a program. */
#ifndef MRN_MODEL_OWNER_H
#define MRN_MODEL_OWNER_H

#include "moraine/scene.h"

typedef struct mrn_owner {
    const mrn_scene *scene;
    mrn_message *msg; /* may be NULL                                       */
    const char *what; /* "wall"                                            */
    const char *name; /* 'lid'; NULL or "": has none                       */
    char path[160];   /* "walls.2": of its mapping in a scene file; "": the whole */
} mrn_owner;

mrn_owner mrn_owner_of(const mrn_scene *s, mrn_message *msg, const char *what, const char *name,
                       const char *path, ...) MRN_PRINTF(5, 6);
/* The owner of the mapping of a key: named as the one above it, or by the key where that has no
   name. */
mrn_owner mrn_owner_inner(const mrn_owner *o, const char *key);
/* "wall 'lid': TEXT", bad input at the key of the owner's mapping (NULL: the mapping itself, or a
   key further down, "motion.servo"). `expected` may be NULL. */
mrn_status mrn_owner_fail(const mrn_owner *o, const char *key, const char *text,
                          const char *expected);
/* The same with words of its own in place of the owner's. */
mrn_status mrn_owner_say(const mrn_owner *o, const char *key, const char *fmt, ...)
    MRN_PRINTF(3, 4);

/* Returns the status of a call when it is an error: lets a list of checks read as a list. */
#define MRN_CHECK(call)                                                                            \
    do {                                                                                           \
        mrn_status check_st = (call);                                                              \
        if (check_st != MRN_OK)                                                                    \
            return check_st;                                                                       \
    } while (0)

#endif
