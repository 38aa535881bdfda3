/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as people read them: SI prefixes, counts in groups of three. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

mrn_readable mrn_readable_si(double v, const char *unit)
{
    static const char *const prefix[] = {"a", "f", "p", "n", "µ", "m", "", "k", "M", "G", "T"};
    mrn_readable t;
    bool pure = strcmp(unit, "1") == 0;
    if (!isfinite(v) || v == 0) {
        snprintf(t.s, sizeof t.s, "%g %s", v, pure ? "" : unit);
    } else {
        int power = (int)floor(log10(fabs(v)) / 3 + 1e-12);
        /* 999.96 would print as 1000 with three digits */
        if (fabs(v) / pow(1000, power) >= 999.5)
            power++;
        /* without a prefix: numbers beyond all of them, pure numbers below 1; and a prefix before
           a compound unit ("kg", "m2") would be read wrongly */
        if (power < -6)
            snprintf(t.s, sizeof t.s, "%.1e %s", v, pure ? "" : unit);
        else if (power > 4 || strcmp(unit, "kg") == 0 || strpbrk(unit, "0123456789") ||
                 (power < 0 && unit[0] == '\0'))
            snprintf(t.s, sizeof t.s, "%.4g %s", v, pure ? "" : unit);
        else
            snprintf(t.s, sizeof t.s, "%.3g %s%s", v / pow(1000, power), prefix[power + 6], unit);
    }
    size_t n = strlen(t.s);
    if (n > 0 && t.s[n - 1] == ' ')
        t.s[n - 1] = '\0';
    return t;
}

mrn_readable mrn_readable_count(int64_t n)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)(n < 0 ? -n : n));
    mrn_readable t;
    size_t at = 0;
    if (n < 0)
        t.s[at++] = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            t.s[at++] = ' ';
        t.s[at++] = digits[i];
    }
    t.s[at] = '\0';
    return t;
}
