/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of the lab that the tests of its commands share. */
#ifndef MRN_TESTS_APP_LAB_FILES_H
#define MRN_TESTS_APP_LAB_FILES_H

#include "app/command.h"

/* A title that would run if it were not escaped. */
#define LAB_TITLE "Ball <script>alert(1)</script> & \\\"plate\\\""

#define LAB_HEAD                                                                                   \
    "moraine: 1\n"                                                                                 \
    "title: \"" LAB_TITLE "\"\n"                                                                   \
    "source: Nobody & Sons (2001)\n"                                                               \
    "materials:\n"                                                                                 \
    "  steel: {density: 7800 kg/m3, young: 210 GPa, poisson: 0.3}\n"                               \
    "collision:\n"                                                                                 \
    "  ball: {material: steel, diameter: 20 mm}\n"                                                 \
    "  target: {plane: steel}\n"                                                                   \
    "  speed: 2 m/s\n"

#define LAB_LAWS                                                                                   \
    "laws:\n"                                                                                      \
    "  soft: {law: linear, normal-stiffness: 1e6 N/m, restitution: 0.9, friction: 0.1}\n"          \
    "  elastic: {law: hertz-mindlin, restitution: 0.8, friction: 0.2}\n"

static inline void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", work.path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static inline int lab_set_up(void **unused)
{
    (void)unused;
    work = make_folder();
    setenv("NO_COLOR", "1", 1);
    return 0;
}

static inline int lab_tear_down(void **unused)
{
    (void)unused;
    remove_tree(work.path);
    return 0;
}

static inline double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v))
        fail_msg("\"%s\" is no number", key);
    return json_number_value(v);
}

/* An SVG with something drawn in it. */
static inline void expect_svg(const char *name)
{
    char *text = slurp(work.path, name);
    expect_text(text, "<svg");
    expect_text(text, "<path");
    expect_text(text, "</svg>");
    free(text);
}

#endif
