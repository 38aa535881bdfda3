/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors between units in a library built without udunits2: the units of the SI with their
   prefixes, those used beside them in granular mechanics, and products, quotients and powers of
   them ("kg/m3", "N s/m", "m s-2", "mm^2"). A unit is a factor and exponents of metre, kilogram,
   second and angle. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "moraine/types.h"
#include "scene/unit_factor.h"

typedef struct unit {
    double factor;
    int m, kg, s, angle;
} unit;
typedef struct name {
    const char *text;
    unit is;
    bool prefixed;
} name;

static const name names[] = {
    {"m", {1, 1, 0, 0, 0}, true},
    {"metre", {1, 1, 0, 0, 0}, true},
    {"meter", {1, 1, 0, 0, 0}, true},
    {"g", {1e-3, 0, 1, 0, 0}, true},
    {"t", {1e3, 0, 1, 0, 0}, true},
    {"s", {1, 0, 0, 1, 0}, true},
    {"second", {1, 0, 0, 1, 0}, true},
    {"min", {60, 0, 0, 1, 0}, false},
    {"minute", {60, 0, 0, 1, 0}, false},
    {"h", {3600, 0, 0, 1, 0}, false},
    {"hour", {3600, 0, 0, 1, 0}, false},
    {"day", {86400, 0, 0, 1, 0}, false},
    {"Hz", {1, 0, 0, -1, 0}, true},
    {"N", {1, 1, 1, -2, 0}, true},
    {"Pa", {1, -1, 1, -2, 0}, true},
    {"bar", {1e5, -1, 1, -2, 0}, true},
    {"J", {1, 2, 1, -2, 0}, true},
    {"W", {1, 2, 1, -3, 0}, true},
    {"L", {1e-3, 3, 0, 0, 0}, true},
    {"l", {1e-3, 3, 0, 0, 0}, true},
    {"inch", {0.0254, 1, 0, 0, 0}, false},
    {"in", {0.0254, 1, 0, 0, 0}, false},
    {"ft", {0.3048, 1, 0, 0, 0}, false},
    {"lb", {0.45359237, 0, 1, 0, 0}, false},
    {"psi", {6894.757293168361, -1, 1, -2, 0}, false},
    {"atm", {101325, -1, 1, -2, 0}, false},
    {"rad", {1, 0, 0, 0, 1}, true},
    {"radian", {1, 0, 0, 0, 1}, true},
    {"deg", {MRN_PI / 180, 0, 0, 0, 1}, false},
    {"degree", {MRN_PI / 180, 0, 0, 0, 1}, false},
    {"arc_degree", {MRN_PI / 180, 0, 0, 0, 1}, false},
    {"\xc2\xb0", {MRN_PI / 180, 0, 0, 0, 1}, false},
    {"turn", {2 * MRN_PI, 0, 0, 0, 1}, false},
    {"rev", {2 * MRN_PI, 0, 0, 0, 1}, false},
    {"rpm", {2 * MRN_PI / 60, 0, 0, -1, 1}, false},
    {"percent", {0.01, 0, 0, 0, 0}, false},
    {"%", {0.01, 0, 0, 0, 0}, false},
    {"1", {1, 0, 0, 0, 0}, false},
};
static const struct {
    const char *text;
    double factor;
} prefixes[] = {{"G", 1e9},         {"M", 1e6},         {"k", 1e3},  {"h", 1e2},  {"d", 1e-1},
                {"c", 1e-2},        {"m", 1e-3},        {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12},
                {"\xc2\xb5", 1e-6}, {"\xce\xbc", 1e-6}, {"T", 1e12}};

static bool find_name(const char *text, size_t n, bool with_prefix, unit *out)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].text) == n && strncmp(names[i].text, text, n) == 0 &&
            (names[i].prefixed || !with_prefix)) {
            *out = names[i].is;
            return true;
        }
    return false;
}

static bool find_unit(const char *text, size_t n, unit *out)
{
    if (find_name(text, n, false, out))
        return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t k = strlen(prefixes[i].text);
        if (n > k && strncmp(text, prefixes[i].text, k) == 0 &&
            find_name(text + k, n - k, true, out)) {
            out->factor *= prefixes[i].factor;
            return true;
        }
    }
    return false;
}

static void multiply(unit *a, const unit *b, int power)
{
    a->factor *= pow(b->factor, power);
    a->m += power * b->m, a->kg += power * b->kg;
    a->s += power * b->s, a->angle += power * b->angle;
}

/* An exponent: "2", "-2", "^2", "**2"; none: 1. */
static const char *read_power(const char *p, int *power)
{
    const char *at = p + (*p == '^' ? 1 : strncmp(p, "**", 2) == 0 ? 2 : 0);
    char *end;
    long v = isdigit((unsigned char)at[*at == '-']) ? strtol(at, &end, 10) : 0;
    *power = v == 0 ? 1 : (int)v;
    return v == 0 ? p : end;
}

static bool parse(const char *p, unit *out)
{
    int sign = 1, power;
    *out = (unit){.factor = 1};
    while (*p != '\0') {
        size_t n = strcspn(p, " ./*^-0123456789");
        unit u;
        if (n == 0 && *p == '1' && (p[1] == '/' || p[1] == '\0'))
            n = 1;
        if (n == 0 || !find_unit(p, n, &u))
            return false;
        p = read_power(p + n, &power);
        multiply(out, &u, sign * power);
        sign = 1;
        p += strspn(p, " ");
        if (*p == '/')
            sign = -1;
        p += strspn(p, " ./*");
    }
    return true;
}

mrn_unit_verdict mrn_unit_factor(void **system, const char *from, const char *to, double *factor)
{
    unit a, b;
    (void)system;
    if (!parse(from, &a))
        return MRN_UNIT_UNKNOWN;
    if (!parse(to, &b) || a.m != b.m || a.kg != b.kg || a.s != b.s)
        return MRN_UNIT_OTHER_KIND;
    bool hertz = strcmp(to, "Hz") == 0;
    if ((a.angle != 0 && a.angle != b.angle && !hertz) || /* a pure number may be an angle */
        (strcmp(to, "rad/s") == 0 && strstr(from, "Hz") != NULL))
        return MRN_UNIT_OTHER_KIND;
    *factor = a.factor / b.factor / (hertz && a.angle == 1 ? 2 * MRN_PI : 1);
    return MRN_UNIT_GOOD;
}

void mrn_unit_forget(void *system)
{
    (void)system;
}
