/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors between units by udunits2. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <udunits2.h>

#include "moraine/types.h"
#include "scene/unit_factor.h"

/* udunits2 parses with static variables inside: one caller at a time in the whole process. */
static pthread_mutex_t udunits = PTHREAD_MUTEX_INITIALIZER;

/* Names that users write and the data base lacks. */
static void add_name(ut_system *system, const char *name, const char *meaning)
{
    ut_unit *unit = ut_parse(system, meaning, UT_UTF8);
    if (unit != NULL)
        ut_map_name_to_unit(name, UT_UTF8, unit);
    ut_free(unit);
}

static ut_system *load(void)
{
    ut_system *system = ut_read_xml(NULL);
    if (system == NULL)
        return NULL;
    add_name(system, "deg", "arc_degree");
    add_name(system, "rev", "turn");
    return system;
}

/* True when the unit counts an angle: udunits takes radians for pure numbers, users do not. */
static bool has_angle(const ut_unit *unit)
{
    char text[256];
    int n = ut_format(unit, text, sizeof text, UT_DEFINITION | UT_ASCII);
    return n > 0 && n < (int)sizeof text && strstr(text, "rad") != NULL;
}

/* Factor from one unit to the other; 0 when they measure different things. */
static double factor_between(ut_unit *from, ut_unit *to, bool to_hertz)
{
    if (!ut_are_convertible(from, to))
        return 0;
    bool angle_from = has_angle(from), angle_to = has_angle(to);
    if (angle_from && !angle_to && !to_hertz)
        return 0;
    cv_converter *c = ut_get_converter(from, to);
    if (c == NULL)
        return 0;
    double zero = cv_convert_double(c, 0), one = cv_convert_double(c, 1);
    double two = cv_convert_double(c, 2);
    cv_free(c);
    if (zero != 0 || !isfinite(one) || one <= 0 || fabs(two - 2 * one) > 1e-12 * one)
        return 0; /* temperatures with an offset, decibels, dates */
    return angle_from && to_hertz ? one / (2 * MRN_PI) : one;
}

static mrn_unit_verdict convert_locked(ut_system *system, const char *from, const char *to,
                                       double *factor)
{
    ut_unit *a = ut_parse(system, from, UT_UTF8);
    if (a == NULL)
        return MRN_UNIT_UNKNOWN;
    ut_unit *b = ut_parse(system, to, UT_UTF8);
    mrn_unit_verdict v = MRN_UNIT_OTHER_KIND;
    if (b != NULL) {
        *factor = factor_between(a, b, strcmp(to, "Hz") == 0);
        /* 1 Hz is 6.28 rad/s to some and 1 rad/s to others: not accepted as an angular velocity */
        if (strcmp(to, "rad/s") == 0 && strstr(from, "Hz") != NULL)
            *factor = 0;
        v = *factor > 0 ? MRN_UNIT_GOOD : MRN_UNIT_OTHER_KIND;
    }
    ut_free(a);
    ut_free(b);
    return v;
}

mrn_unit_verdict mrn_unit_factor(void **system, const char *from, const char *to, double *factor)
{
    pthread_mutex_lock(&udunits);
    ut_error_message_handler old = ut_set_error_message_handler(ut_ignore);
    if (*system == NULL)
        *system = load();
    mrn_unit_verdict v =
        *system != NULL ? convert_locked(*system, from, to, factor) : MRN_UNIT_NO_DATABASE;
    ut_set_error_message_handler(old);
    pthread_mutex_unlock(&udunits);
    return v;
}

void mrn_unit_forget(void *system)
{
    if (system == NULL)
        return;
    pthread_mutex_lock(&udunits);
    ut_free_system(system);
    pthread_mutex_unlock(&udunits);
}
