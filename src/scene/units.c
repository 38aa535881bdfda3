/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities with units; the factor between two units is found by udunits2 (units_udunits.c) or, in
   a library built without it, by a table of our own. Conversions are made so that "2 mm" has the
   bits of 0.002: decimal factors are applied as decimal factors, not as whatever a chain of
   products came to. */
#include <ctype.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "moraine/io.h"
#include "scene/unit_factor.h"
#include "scene/units.h"

#define CACHE 64

typedef struct conversion {
    char from[MRN_UNIT_TEXT], to[MRN_UNIT_TEXT];
    double factor;
} conversion;

struct mrn_units {
    void *system;      /* of mrn_unit_factor: NULL until the first unit */
    locale_t c_locale; /* numbers are written with a point everywhere */
    int n;
    conversion cache[CACHE];
};

typedef struct noun {
    const char *unit, *noun, *example;
} noun;

static const noun nouns[] = {
    {"m", "a length", "2 mm"},
    {"s", "a time", "10 ms"},
    {"kg", "a mass", "5 g"},
    {"1", "a pure number", "0.5"},
    {"percent", "a percentage", "50"},
    {"rad", "an angle", "30 deg"},
    {"m/s", "a speed", "0.5 m/s"},
    {"rad/s", "an angular velocity", "30 rpm"},
    {"m/s2", "an acceleration", "9.81 m/s2"},
    {"kg/m3", "a density", "2500 kg/m3"},
    {"Pa", "a pressure or modulus", "70 GPa"},
    {"Hz", "a frequency", "50 Hz"},
    {"1/s", "a rate", "0.1 1/s"},
    {"N", "a force", "3 N"},
    {"N m", "a torque", "2 N m"},
    {"J", "an energy", "1 mJ"},
    {"J/m2", "a surface energy", "0.02 J/m2"},
    {"N/m", "a stiffness", "100 kN/m"},
    {"N s/m", "a damping coefficient", "2 N s/m"},
    {"m2", "an area", "4 mm2"},
    {"m3", "a volume", "1 cm3"},
    {"kg/s", "a mass per time", "20 g/s"},
};

static const noun *noun_of(const char *unit)
{
    for (size_t i = 0; i < sizeof nouns / sizeof nouns[0]; i++)
        if (strcmp(nouns[i].unit, unit) == 0)
            return &nouns[i];
    return NULL;
}

const char *mrn_unit_noun(const char *unit)
{
    const noun *n = noun_of(unit);
    return n != NULL ? n->noun : "a quantity of the right kind";
}

const char *mrn_unit_example(const char *unit)
{
    const noun *n = noun_of(unit);
    return n != NULL ? n->example : unit;
}

mrn_status mrn_units_open(mrn_units **out, mrn_message *msg)
{
    mrn_units *u = mrn_alloc(sizeof *u);
    *out = NULL;
    if (u == NULL)
        return mrn_fail_memory(msg);
    u->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (u->c_locale == (locale_t)0) {
        mrn_free(u);
        return mrn_fail_memory(msg);
    }
    *out = u;
    return MRN_OK;
}

void mrn_units_close(mrn_units **u)
{
    if (*u == NULL)
        return;
    mrn_unit_forget((*u)->system);
    freelocale((*u)->c_locale);
    mrn_free(*u);
    *u = NULL;
}

/* The end of the decimal number at the start of `text`, or NULL; no hexadecimal, no inf, no nan. */
static const char *number_end(const mrn_units *u, const char *text, double *value)
{
    const char *p = text + strspn(text, "+-");
    if (u == NULL || p - text > 1 ||
        !(isdigit((unsigned char)p[0]) || (p[0] == '.' && isdigit((unsigned char)p[1]))))
        return NULL;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        return NULL;
    char *end;
    *value = strtod_l(text, &end, u->c_locale);
    return end;
}

bool mrn_units_number(mrn_units *u, const char *text, double *value)
{
    return mrn_units_number_of(u, text, strlen(text), value);
}

bool mrn_units_number_of(const mrn_units *u, const char *text, size_t n, double *value)
{
    const char *end = number_end(u, text, value);
    return end == text + n && isfinite(*value);
}

/* A factor that is a short decimal number up to rounding becomes that number. */
static double tidy(const mrn_units *u, double factor)
{
    char text[32];
    snprintf(text, sizeof text, "%.12e", factor);
    char *comma = strchr(text, ','); /* the point of a foreign locale */
    if (comma != NULL)
        *comma = '.';
    double near = strtod_l(text, NULL, u->c_locale);
    return fabs(near - factor) <= 8e-16 * fabs(factor) ? near : factor;
}

static mrn_unit_verdict convert(mrn_units *u, const char *from, const char *to, double *factor)
{
    for (int i = 0; i < u->n; i++)
        if (strcmp(u->cache[i].from, from) == 0 && strcmp(u->cache[i].to, to) == 0) {
            *factor = u->cache[i].factor;
            return MRN_UNIT_GOOD;
        }
    mrn_unit_verdict v = mrn_unit_factor(&u->system, from, to, factor);
    if (v != MRN_UNIT_GOOD)
        return v;
    *factor = tidy(u, *factor);
    if (u->n < CACHE && strlen(to) < MRN_UNIT_TEXT) {
        conversion *c = &u->cache[u->n++];
        snprintf(c->from, sizeof c->from, "%s", from);
        snprintf(c->to, sizeof c->to, "%s", to);
        c->factor = *factor;
    }
    return v;
}

/* The power of ten that a factor is; INT_MIN when it is none. */
static int power_of_ten(const mrn_units *u, double factor)
{
    char text[16];
    int k = (int)lrint(log10(factor));
    snprintf(text, sizeof text, "1e%d", k);
    return strtod_l(text, NULL, u->c_locale) == factor ? k : INT_MIN;
}

/* number * factor. A power of ten moves the decimal point of what the user wrote, so that no bit is
   lost: "2.1 mm" is read as 2.1e-3. */
static double apply(const mrn_units *u, const char *text, const char *end, const mrn_reading *r)
{
    enum { FAR = 99999 }; /* beyond any number: what is left of the digits tells 0 from infinity */
    char moved[80];
    long exponent = 0;
    int k = power_of_ten(u, r->factor), digits = (int)(end - text);
    if (k == INT_MIN || digits > 60)
        return r->number * r->factor;
    const char *e = memchr(text, 'e', (size_t)digits);
    e = e != NULL ? e : memchr(text, 'E', (size_t)digits);
    if (e != NULL) {
        exponent = strtol(e + 1, NULL, 10);
        exponent = exponent > FAR ? FAR : exponent < -FAR ? -FAR : exponent;
        digits = (int)(e - text);
    }
    snprintf(moved, sizeof moved, "%.*se%ld", digits, text, exponent + k);
    return strtod_l(moved, NULL, u->c_locale);
}

/* A unit in words: short, and no second number in it. Digits are exponents ("m3", "m^3", "m-3",
   "m**3"), or the 1 of "1/s". */
static bool looks_like_unit(const char *unit)
{
    if (strlen(unit) >= MRN_UNIT_TEXT)
        return false;
    if (unit[0] == '1' && (unit[1] == '/' || unit[1] == '\0'))
        unit++;
    else if (isdigit((unsigned char)unit[0]))
        return false;
    for (const char *p = unit; *p != '\0'; p++)
        if (isdigit((unsigned char)*p) && p > unit && strchr(" ./*", p[-1]) != NULL &&
            !(p > unit + 1 && p[-1] == '*' && p[-2] == '*'))
            return false;
    if (unit[0] == '/') /* what is left of "1/s" */
        unit++;
    return strpbrk(unit, ",;:=@!?()[]{}\"'\\|<>#&~`") == NULL && strchr("+-./", unit[0]) == NULL;
}

static mrn_status fail_kind(const char *text, const char *unit, const char *why, mrn_message *msg)
{
    const noun *n = noun_of(unit);
    if (n != NULL)
        mrn_fail(msg, MRN_ERR_INPUT, "'%.80s' is not %s%s", text, n->noun, why);
    else
        mrn_fail(msg, MRN_ERR_INPUT, "'%.80s' is not a quantity in %s%s", text, unit, why);
    if (n != NULL && strcmp(unit, "1") == 0)
        mrn_fail_expected(msg, "a pure number such as %s", n->example);
    else if (n != NULL)
        mrn_fail_expected(msg, "%s such as %s", n->noun, n->example);
    else
        mrn_fail_expected(msg, "a number with a unit that converts to %s", unit);
    return MRN_ERR_INPUT;
}

static mrn_status fail_number(const char *text, const char *unit, mrn_message *msg)
{
    fail_kind(text, unit, "", msg);
    const char *p = text + strspn(text, "+-.");
    if (strncasecmp(p, "inf", 3) == 0 || strncasecmp(p, "nan", 3) == 0)
        mrn_fail_hint(msg, "only finite numbers are accepted");
    else
        mrn_fail_hint(msg, "write a number, a space and a unit; a bare number is SI");
    return MRN_ERR_INPUT;
}

static mrn_status fail_unit(mrn_unit_verdict v, const char *text, const char *unit,
                            const char *given, mrn_message *msg)
{
    if (v == MRN_UNIT_NO_DATABASE)
        return mrn_fail(msg, MRN_ERR_IO, "the data base of units (udunits2) cannot be loaded");
    if (v == MRN_UNIT_UNKNOWN) {
        char why[MRN_UNIT_TEXT + 32];
        snprintf(why, sizeof why, ": unknown unit '%.*s'", MRN_UNIT_TEXT, given);
        fail_kind(text, unit, why, msg);
        if (strchr(given, ',') != NULL)
            return mrn_fail_hint(msg, "decimals are written with a point");
        return mrn_fail_hint(msg, "units are case-sensitive: mm, kg/m3, GPa, ms, deg, rpm, N/m");
    }
    fail_kind(text, unit, "", msg);
    if (strcmp(unit, "rad/s") == 0)
        mrn_fail_hint(msg, "turns are counted in rpm or turn/s, angles in rad/s or deg/s");
    return MRN_ERR_INPUT;
}

/* "0,4" and "2,5 mm" with a point for the comma: what else could it be? Three digits behind it may
   be thousands: those are left to be refused, unless a 0 stands before. */
static const char *with_point(const char *text, char *buf, size_t size)
{
    const char *first = text + strspn(text, "+-"), *comma = first + strspn(first, "0123456789");
    if (*comma != ',' || comma == first || strlen(text) >= size)
        return text;
    size_t behind = strspn(comma + 1, "0123456789");
    const char *rest = comma + 1 + behind;
    bool thousands = behind == 3 && first[0] != '0';
    if (behind == 0 || thousands || strchr(rest, ',') != NULL)
        return text;
    snprintf(buf, size, "%s", text);
    buf[comma - text] = '.';
    return buf;
}

mrn_status mrn_units_read(mrn_units *u, const char *text, const char *unit, mrn_reading *out,
                          mrn_message *msg)
{
    char point[MRN_UNIT_TEXT + 64];
    *out = (mrn_reading){.factor = 1};
    text = with_point(text, point, sizeof point);
    const char *end = number_end(u, text, &out->number);
    if (end == NULL || !isfinite(out->number))
        return fail_number(text, unit, msg);
    const char *given = end + strspn(end, " ");
    out->value = out->number;
    if (*given == '\0')
        return MRN_OK;
    if (!looks_like_unit(given))
        return fail_unit(MRN_UNIT_UNKNOWN, text, unit, given, msg);
    snprintf(out->unit, sizeof out->unit, "%s", given);
    mrn_unit_verdict v = convert(u, given, unit, &out->factor);
    if (v != MRN_UNIT_GOOD)
        return fail_unit(v, text, unit, given, msg);
    out->value = apply(u, text, end, out);
    return isfinite(out->value) ? MRN_OK : fail_number(text, unit, msg);
}

mrn_status mrn_quantity(const char *text, const char *unit, double *value, mrn_message *msg)
{
    mrn_message own;
    mrn_units *u;
    msg = msg != NULL ? msg : &own;
    mrn_status s = mrn_units_open(&u, msg);
    if (s != MRN_OK)
        return s;
    mrn_reading r;
    s = mrn_units_read(u, text, unit, &r, msg);
    if (s == MRN_OK)
        *value = r.value;
    mrn_units_close(&u);
    return s;
}
