/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of growth beyond the last simulated cycle. Each is put to the test first: fitted to the
   first tenth of the cycles, how far does it miss the last one, a decade later? */
#include <math.h>
#include <string.h>

#include "cycles.h"

/* The law fitted to the points up to N = from; what it says of the last point. */
static double foretold(const mrn_cycle_fits *f, const char *law, double from)
{
    mrn_growth g;
    mrn_message why = {0};
    int n = 0;
    while (n < f->points && f->at[n] <= from)
        n++;
    if (mrn_growth_fit(law, n, f->at, f->y, &g, &why) != MRN_OK)
        return NAN;
    return mrn_growth_value(g.law, g.x, f->at[f->points - 1]);
}

mrn_status mrn_cycles_extrapolate(const mrn_cycles *c, const mrn_cycle_fits *f, double to,
                                  mrn_cycle_beyond *out, mrn_message *msg)
{
    double last = c->cycle[c->n - 1].at;
    *out = (mrn_cycle_beyond){.to = to, .from = last / 10};
    if (!(to > last)) {
        mrn_fail(msg, MRN_ERR_INPUT, "--extrapolate %g: %g cycles were simulated", to, last);
        return mrn_fail_hint(msg, "what was simulated needs no law: name a larger number");
    }
    for (int i = 0; i < f->n; i++) {
        out->value[i] = out->missed[i] = NAN;
        if (f->failed[i])
            continue;
        out->value[i] = mrn_growth_extrapolate(&f->fit[i], f->points, f->at, to, out->interval[i]);
        out->missed[i] = f->y[f->points - 1] - foretold(f, f->fit[i].law->name, out->from);
    }
    return MRN_OK;
}

static void show_rows(mrn_cli_out *o, const mrn_cycle_fits *f, const mrn_cycle_beyond *b,
                      double lo_hi[2])
{
    static const char *const head[] = {"law", ">extrapolated", ">95 %, if the law holds",
                                       ">missed a decade by"};
    mrn_app_table t;
    mrn_app_table_begin(&t, 4, head);
    for (int i = 0; i < f->n; i++) {
        if (f->failed[i])
            continue;
        char value[40], range[80], missed[40] = "–";
        snprintf(value, sizeof value, "%.4g", b->value[i]);
        if (isfinite(b->interval[i][0]))
            snprintf(range, sizeof range, "%.4g to %.4g", b->interval[i][0], b->interval[i][1]);
        else
            snprintf(range, sizeof range, "not determined");
        if (isfinite(b->missed[i]))
            snprintf(missed, sizeof missed, "%.2g", b->missed[i]);
        const char *row[] = {f->fit[i].law->name, value, range, missed};
        mrn_app_table_row(&t, row);
        lo_hi[0] = fmin(lo_hi[0], b->value[i]);
        lo_hi[1] = fmax(lo_hi[1], b->value[i]);
    }
    mrn_cli_table(o, NULL, &t);
}

void mrn_cycles_show_beyond(mrn_cli_out *o, const mrn_cycles *c, const mrn_cycle_fits *f,
                            const mrn_cycle_beyond *b)
{
    double span[2] = {INFINITY, -INFINITY}, last = c->cycle[c->n - 1].at;
    char title[80];
    snprintf(title, sizeof title, "Extrapolated to N = %g", b->to);
    mrn_cli_section(o, title);
    show_rows(o, f, b, span);
    mrn_cli_words(
        o,
        "Simulated: %g cycles. All of this table is extrapolated, by %.1f decades, and no "
        "grain was moved for it. The interval is that of one observation if the law holds "
        "there. The laws among themselves say from %.4g to %.4g.",
        last, log10(b->to / last), span[0], span[1]);
    bool tried = false;
    for (int i = 0; i < f->n; i++)
        tried = tried || (!f->failed[i] && isfinite(b->missed[i]));
    if (tried)
        mrn_cli_words(o,
                      "Missed: the last simulated cycle less what the law says of it when it is "
                      "fitted to N up to %g alone: what one decade costs.",
                      floor(b->from));
    else
        mrn_cli_words(o, "Too few cycles to try the laws on the first tenth of them.");
}

json_t *mrn_cycles_beyond_json(const mrn_cycle_fits *f, const mrn_cycle_beyond *b)
{
    json_t *list = json_array();
    for (int i = 0; i < f->n; i++)
        if (!f->failed[i])
            json_array_append_new(
                list,
                json_pack("{s:s, s:o, s:[o,o], s:o}", "law", f->fit[i].law->name, "value",
                          mrn_cli_real(b->value[i]), "interval", mrn_cli_real(b->interval[i][0]),
                          mrn_cli_real(b->interval[i][1]), "missed", mrn_cli_real(b->missed[i])));
    return json_pack("{s:o, s:o}", "to", mrn_cli_real(b->to), "laws", list);
}
