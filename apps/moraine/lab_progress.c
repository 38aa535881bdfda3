/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A long estimation on a terminal: phase, share done, the best objective so far; Ctrl-C. */
#include <math.h>
#include <string.h>

#include "lab_parts.h"

#define BAR_SECONDS 0.1
#define BAR_WIDTH   24

/* As wide as the terminal leaves room for. */
void mrn_cli_bar(FILE *f, double share, const char *text)
{
    int room = mrn_app_columns(f) - mrn_app_width(text) - 8;
    int width = room < 0 ? 0 : room < BAR_WIDTH ? room : BAR_WIDTH;
    fprintf(f, "\r\033[K%s", mrn_app_style_code(f, MRN_BLUE));
    for (int i = 0; i < width; i++)
        fputs(i < (int)(share * width + 0.5) ? "█" : "░", f);
    fprintf(f, "%s %3.0f %%  %s", mrn_app_style_code(f, MRN_PLAIN), 100 * share, text);
}

/* Batches may come from several threads. */
static mrn_status predict(void *user, int64_t count, const double *x, double *y, bool *bad,
                          mrn_message *msg)
{
    mrn_cli_progress *p = user;
    __atomic_fetch_add(&p->evaluations, count, __ATOMIC_RELAXED);
    return p->model.predict(p->model.user, count, x, y, bad, msg);
}

mrn_predictor mrn_cli_counted(mrn_cli_progress *p, const mrn_predictor *model)
{
    p->model = *model;
    return (mrn_predictor){.n = model->n, .m = model->m, .predict = predict, .user = p};
}

bool mrn_cli_tick(void *progress, const char *phase, double done, double objective)
{
    mrn_cli_progress *p = progress;
    double now = mrn_clock();
    bool stop = p->stop != NULL && *p->stop;
    if (p->f == NULL || stop || now - p->clock < BAR_SECONDS)
        return stop;
    p->clock = now;
    char bar[4 * BAR_WIDTH + 1] = "";
    double share = isfinite(done) ? fmin(fmax(done, 0), 1) : 0;
    for (int i = 0; i < BAR_WIDTH; i++)
        strcat(bar, i < (int)(share * BAR_WIDTH + 0.5) ? "█" : "░");
    int64_t n = __atomic_load_n(&p->evaluations, __ATOMIC_RELAXED);
    fprintf(p->f, "\r\033[K%s%s%s %3.0f %%  %s  %s evaluations", mrn_app_style_code(p->f, MRN_BLUE),
            bar, mrn_app_style_code(p->f, MRN_PLAIN), 100 * share, phase, mrn_readable_count(n).s);
    if (isfinite(objective))
        fprintf(p->f, "  F = %.6g", objective);
    fflush(p->f);
    return false;
}

void mrn_cli_progress_end(mrn_cli_progress *p)
{
    if (p->f != NULL && p->clock > 0)
        fputs("\r\033[K", p->f);
}
