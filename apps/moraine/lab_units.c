/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of the lab as people read them: in the units of the file, angles in degrees. */
#include <math.h>
#include <string.h>

#include "lab_parts.h"

static double look_up(const char *unit, const char *si)
{
    char text[48];
    double v = 1;
    mrn_message msg = {0};
    snprintf(text, sizeof text, "1 %.40s", unit);
    return mrn_quantity(text, si, &v, &msg) == MRN_OK && v > 0 ? v : 1;
}

/* Looking a unit up opens the whole data base, which takes milliseconds, and a table asks for each
   of its cells: what was asked once is remembered. The command has one thread that prints. */
double mrn_cli_unit(const char *unit, const char *si)
{
    enum { KNOWN = 32 };
    static struct {
        char unit[24], si[24];
        double factor;
    } known[KNOWN];
    static int n;
    if (unit == NULL || unit[0] == '\0' || strcmp(unit, si) == 0 || strcmp(unit, "1") == 0)
        return 1;
    for (int i = 0; i < n; i++)
        if (strcmp(known[i].unit, unit) == 0 && strcmp(known[i].si, si) == 0)
            return known[i].factor;
    double factor = look_up(unit, si);
    if (n < KNOWN && strlen(unit) < sizeof known->unit && strlen(si) < sizeof known->si) {
        snprintf(known[n].unit, sizeof known->unit, "%s", unit);
        snprintf(known[n].si, sizeof known->si, "%s", si);
        known[n++].factor = factor;
    }
    return factor;
}

const char *mrn_cli_unit_sign(const char *unit)
{
    if (unit == NULL || strcmp(unit, "1") == 0)
        return "";
    if (strcmp(unit, "deg") == 0 || strcmp(unit, "degree") == 0 || strcmp(unit, "degrees") == 0)
        return "°";
    return strcmp(unit, "um") == 0 ? "µm" : strcmp(unit, "us") == 0 ? "µs" : unit;
}

void mrn_cli_short_power(char *text)
{
    char *e = strpbrk(text, "e");
    if (e == NULL || (e[1] != '+' && e[1] != '-'))
        return;
    char *to = e + 1, *from = e + 2;
    if (e[1] == '-')
        to++;
    from += strspn(from, "0");
    memmove(to, from, strlen(from) + 1);
}

mrn_readable mrn_cli_number(double v, int digits)
{
    mrn_readable t;
    if (isnan(v))
        snprintf(t.s, sizeof t.s, "–");
    else if (isinf(v))
        snprintf(t.s, sizeof t.s, v > 0 ? "∞" : "-∞");
    else
        snprintf(t.s, sizeof t.s, "%.*g", digits, v);
    mrn_cli_short_power(t.s);
    return t;
}

mrn_readable mrn_cli_chance(double p)
{
    mrn_readable t = {"< 1e-16"};
    return p < 1e-16 ? t : mrn_cli_number(p, 3);
}

/* What conversion to a unit and back leaves behind the twelfth digit is no news. */
static double tidy(double v)
{
    char text[40];
    double out = v;
    snprintf(text, sizeof text, "%.12g", v);
    sscanf(text, "%lf", &out);
    return out;
}

mrn_readable mrn_cli_value(double si, const char *unit, const char *si_unit)
{
    const char *sign = mrn_cli_unit_sign(unit);
    double v = tidy(si / mrn_cli_unit(unit, si_unit));
    mrn_readable t;
    snprintf(t.s, sizeof t.s, "%.30s%s%.20s", mrn_cli_number(v, 6).s,
             sign[0] == '\0' || strcmp(sign, "°") == 0 ? "" : " ", sign);
    return t;
}

mrn_readable mrn_cli_heading(const char *name, const char *unit)
{
    const char *sign = mrn_cli_unit_sign(unit);
    mrn_readable t;
    snprintf(t.s, sizeof t.s, "%.40s%s%.20s", name, sign[0] != '\0' ? ", " : "", sign);
    return t;
}

mrn_readable mrn_cli_row_name(const mrn_conditions *at, int row)
{
    mrn_readable t = {""};
    for (int k = 0; k < at->n_conditions; k++) {
        size_t n = strlen(t.s);
        double v = at->value[row * at->n_conditions + k];
        snprintf(t.s + n, sizeof t.s - n, "%s%.40s", n > 0 ? ", " : "",
                 mrn_cli_value(v, at->unit[k], at->factor[k].unit).s);
    }
    return t;
}

const char *mrn_cli_response_unit(const mrn_experiment *e, const mrn_rebound_field *f)
{
    for (int i = 0; i < e->measured.n_responses; i++)
        if (e->measured.response[i] == f && e->measured.unit[i][0] != '\0')
            return e->measured.unit[i];
    return strcmp(f->unit, "rad") == 0 ? "deg" : f->unit;
}

double mrn_cli_response(const mrn_experiment *e, const mrn_rebound_field *f, const mrn_rebound *r)
{
    return mrn_rebound_value(r, f) / mrn_cli_unit(mrn_cli_response_unit(e, f), f->unit);
}

int mrn_cli_responses(const mrn_experiment *e, const mrn_rebound_field **out)
{
    static const char *const usual[] = {"en", "et", "omega"};
    int n = 0;
    for (; n < e->measured.n_responses && n < MRN_CLI_RESPONSES; n++)
        out[n] = e->measured.response[n];
    for (int i = 0; e->measured.n_responses == 0 && i < 3; i++) {
        out[n] = mrn_rebound_field_find(usual[i]);
        n += out[n] != NULL;
    }
    return n;
}

json_t *mrn_cli_real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}
