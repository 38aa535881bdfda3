/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run prints: a head that says what will happen, a table of the quantities people watch, a
   bar with an estimate of the end on a terminal, and a closing block with the cost. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

/* Least progress and longest silence between two rows of the table. */
#define ROW_FRACTION 0.04
#define ROW_SECONDS  20.0
#define BAR_SECONDS  0.1

/* ---- head ---- */

static void label(FILE *f, const char *name)
{
    fprintf(f, "  %s%-11s%s", mrn_app_style_code(f, MRN_DIM), name,
            mrn_app_style_code(f, MRN_PLAIN));
}

static void head_bodies(FILE *f, const mrn_scene *scene, const mrn_state *s)
{
    const mrn_bodies *b = &s->body;
    label(f, "bodies");
    fprintf(f, "%s grain%s", mrn_readable_count(b->n - b->n_walls).s,
            b->n - b->n_walls == 1 ? "" : "s");
    for (int g = 0; g < scene->n_groups; g++) {
        int64_t n = 0;
        for (int32_t i = b->n_walls; i < b->n; i++)
            n += b->group[i] == g;
        fprintf(f, "%s%s: %s", g == 0 ? " (" : ", ", scene->group[g].name, mrn_readable_count(n).s);
    }
    fprintf(f, "%s, %d wall%s, %dD", scene->n_groups > 0 ? ")" : "", b->n_walls,
            b->n_walls == 1 ? "" : "s", scene->dimension);
    for (int k = 0, n = 0; k < 3; k++) {
        if (scene->cell.periodic[k])
            fprintf(f, "%s%c", n++ == 0 ? ", periodic in " : ", ", 'x' + k);
    }
    fputc('\n', f);
}

static void head_stages(FILE *f, const mrn_scene *scene)
{
    label(f, "stages");
    for (int k = 0; k < scene->n_stages; k++) {
        const mrn_stage *g = &scene->stage[k];
        fprintf(f, "%s%s", k > 0 ? " → " : "", g->name);
        if (isfinite(g->at_most))
            fprintf(f, " (at most %s)", mrn_readable_si(g->at_most, "s").s);
    }
    fputc('\n', f);
}

/* "0.5 asked for": how far an impact may be from it without a word. */
#define IMPACT_ERROR 0.01

static void head_impact(FILE *f, const mrn_scene *scene, const mrn_impact_row *row, bool first)
{
    const mrn_interaction *x = &scene->interaction[row->interaction];
    const mrn_impact *i = &row->impact;
    label(f, first ? "impacts" : "");
    fprintf(f, "%s on %s, %s, at %s: ", scene->material[x->a].name, scene->material[x->b].name,
            mrn_impact_kind_name(row->kind), mrn_readable_si(i->speed, "m/s").s);
    if (i->stuck)
        fprintf(f, "they stick");
    else
        fprintf(f, "restitution %.3g", i->restitution);
    if (isfinite(i->asked))
        fprintf(f, " (%.3g asked for)", i->asked);
    fprintf(f, ", contact %s, overlap %.2g %%\n", mrn_readable_si(i->contact_time, "s").s,
            100 * i->overlap);
}

/* Asked for and obtained: the first of each interaction, and those that are off. The whole table
   stands in summary.json and in `moraine check`. */
static void head_impacts(FILE *f, const mrn_scene *scene, const mrn_state *s, double speed)
{
    mrn_impact_row *row = NULL;
    int n = 0, last = -1;
    bool first = true;
    if (s->step > 0 || mrn_run_impacts(scene, s, speed, &row, &n, NULL) != MRN_OK)
        return;
    for (int k = 0; k < n; k++) {
        bool off = fabs(row[k].impact.restitution - row[k].impact.asked) > IMPACT_ERROR;
        if (row[k].interaction == last && !off)
            continue;
        head_impact(f, scene, &row[k], first);
        first = false;
        last = row[k].interaction;
    }
    mrn_free(row);
}

static void head_method(FILE *f, const mrn_scene *scene)
{
    char text[160];
    if (scene->method->headline == NULL)
        return;
    scene->method->headline(scene, text, sizeof text);
    label(f, "method");
    fprintf(f, "%s: %s\n", scene->method->name, text);
}

/* Where the step follows the accuracy: which, and what it gives. */
static void head_accuracy(FILE *f, const mrn_scene *scene, const mrn_step_limit *limit)
{
    const mrn_accuracy_level *a = mrn_accuracy_of(scene->accuracy);
    if (scene->time_step > 0 || scene->time_step_fraction > 0 || !isfinite(limit->critical))
        return;
    label(f, "accuracy");
    fprintf(f, "%s: %g of 2 sqrt(m/k); restitution to about %g\n", a->name, a->fraction,
            a->restitution);
}

static void print_head(mrn_console *c, const mrn_progress *p)
{
    FILE *f = c->f;
    const mrn_scene *scene = p->scene;
    mrn_step_limit limit = {0};
    mrn_run_step_limit(scene, p->state, &limit, NULL);
    fprintf(f, "%sMoraine %s%s%s%s\n", mrn_app_style_code(f, MRN_BOLD), MRN_VERSION,
            mrn_app_style_code(f, MRN_PLAIN), scene->title[0] != '\0' ? " · " : "", scene->title);
    label(f, "scene");
    fprintf(f, "%s\n", c->session->scene_path);
    head_bodies(f, scene, p->state);
    head_stages(f, scene);
    head_method(f, scene);
    c->stepless = scene->method->continuous;
    label(f, "time step");
    if (c->stepless)
        fprintf(f, "none: events at their own times; outputs to the nearest %s\n",
                mrn_readable_si(p->state->h, "s").s);
    else
        fprintf(f, "%s%s; %s\n", mrn_readable_si(p->state->h, "s").s,
                scene->time_step > 0 ? " (given)" : "", limit.reason);
    head_accuracy(f, scene, &limit);
    head_impacts(f, scene, p->state, limit.speed);
    label(f, "output");
    fprintf(f, "%s", c->session->out);
    if (scene->output.every > 0)
        fprintf(f, ", a frame every %s", mrn_readable_si(scene->output.every, "s").s);
    fprintf(f, "; %d thread%s\n", mrn_threads(), mrn_threads() == 1 ? "" : "s");
    if (p->state->step > 0) {
        label(f, "resumed");
        if (!c->stepless)
            fprintf(f, "at step %s, ", mrn_readable_count(p->state->step).s);
        fprintf(f, "%s%s\n", c->stepless ? "at " : "", mrn_readable_si(p->state->time, "s").s);
    }
    fputc('\n', f);
}

/* ---- table ---- */

/* For which scenes a column is worth its room. */
typedef enum wanted {
    ALWAYS,
    STILL_CELL,
    DRIVEN_CELL,
    SHEARED_CELL,
    SOURCES,
    STEPPED,     /* time goes in steps, and contacts last */
    PLAIN_METHOD /* it brings no columns of its own */
} wanted;

/* Without a probe: of the state itself. */
typedef struct column {
    mrn_method_column is;
    wanted when;
    int spare; /* left out first (1), second, … where a row would be too wide; 0: never */
} column;

static const column columns[] = {
    {{"time", NULL, "s", 8, NULL}, ALWAYS, 0},
    {{"step", NULL, "", 11, NULL}, STEPPED, 0},
    {{"contacts", NULL, "", 9, NULL}, STEPPED, 0},
    {{"grains", "bodies", "", 9, NULL}, SOURCES, 0},
    {{"coord.", "coordination", "1", 7, NULL}, STEPPED, 1},
    {{"pressure", "pressure", "Pa", 10, NULL}, DRIVEN_CELL, 0},
    {{"q/p", "stress-ratio", "1", 8, NULL}, DRIVEN_CELL, 0},
    {{"solid", "solid-fraction", "1", 7, NULL}, DRIVEN_CELL, 0},
    {{"inertial", "inertial-number", "1", 9, NULL}, SHEARED_CELL, 0},
    {{"kinetic E", "kinetic-energy", "J", 10, NULL}, ALWAYS, 3},
    {{"unbal.", "unbalanced-force-ratio", "1", 8, NULL}, PLAIN_METHOD, 0},
    {{"dissip.", "dissipated-energy", "J", 9, NULL}, STILL_CELL, 2},
    {{"residual", "energy-residual", "J", 9, NULL}, PLAIN_METHOD, 4},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0], SPARE = 4, ROW = 80, STAGE_LEAST = 6 };

static bool has_sources(const mrn_scene *scene)
{
    bool any = scene->n_outlets > 0;
    for (int g = 0; g < scene->n_groups; g++)
        any = any || scene->group[g].place == MRN_PLACE_INLET;
    return any;
}

/* Whether components from … to-1 of a cell are strained or held by stress. */
static bool drives(const mrn_cell_control *c, int from, int to)
{
    for (int k = from; k < to; k++)
        if (c->kind[k] == MRN_CONTROL_STRESS || !mrn_signal_is_zero(&c->target[k]))
            return true;
    return false;
}

/* In some stage: the columns of a table do not change. */
static bool cell_driven(const mrn_scene *scene, int from, int to)
{
    bool any = drives(&scene->cell.control, from, to);
    for (int k = 0; k < scene->n_stages; k++)
        any = any || (scene->stage[k].has_control && drives(&scene->stage[k].control, from, to));
    return any;
}

/* Column i of the table, its own ones and then those that the method brings; NULL: not of this
   scene. */
static const mrn_method_column *column_of(int i, const mrn_scene *scene)
{
    const mrn_method *m = scene->method;
    const mrn_method_column *c = i < N_COLUMNS ? &columns[i].is : &m->column[i - N_COLUMNS];
    bool shown = c->shown == NULL || c->shown(scene);
    if (c->probe != NULL && mrn_probe_check(scene, c->probe, NULL, NULL) != MRN_OK)
        return NULL;
    switch (i < N_COLUMNS ? columns[i].when : ALWAYS) {
    case ALWAYS:
        break;
    case STILL_CELL:
        shown = !cell_driven(scene, 0, MRN_STRAINS);
        break;
    case DRIVEN_CELL:
        shown = cell_driven(scene, 0, MRN_STRAINS);
        break;
    case SHEARED_CELL:
        shown = cell_driven(scene, MRN_XY, MRN_STRAINS);
        break;
    case SOURCES:
        shown = has_sources(scene);
        break;
    case STEPPED:
        shown = shown && !m->continuous;
        break;
    case PLAIN_METHOD:
        shown = m->n_columns == 0;
    }
    return shown ? c : NULL;
}

static int column_count(const mrn_scene *scene)
{
    return N_COLUMNS + scene->method->n_columns;
}

/* So many kinds of columns are left out that a row, with some room for the name of a stage, is not
   wider than 80. */
static int spared(const mrn_scene *scene)
{
    for (int left_out = 0; left_out < SPARE; left_out++) {
        int width = 2 + STAGE_LEAST;
        for (int i = 0; i < column_count(scene); i++) {
            const mrn_method_column *c = column_of(i, scene);
            bool out = i < N_COLUMNS && columns[i].spare > 0 && columns[i].spare <= left_out;
            width += c != NULL && !out ? c->width : 0;
        }
        if (width <= ROW)
            return left_out;
    }
    return SPARE;
}

static const mrn_method_column *column_at(int i, const mrn_scene *scene, int left_out)
{
    bool out = i < N_COLUMNS && columns[i].spare > 0 && columns[i].spare <= left_out;
    return out ? NULL : column_of(i, scene);
}

static void print_column_heads(FILE *f, const mrn_scene *scene)
{
    fputs(mrn_app_style_code(f, MRN_BOLD), f);
    for (int i = 0; i < column_count(scene); i++) {
        const mrn_method_column *c = column_at(i, scene, spared(scene));
        if (c != NULL)
            mrn_app_pad(f, c->head, c->width, true);
    }
    fprintf(f, "  stage%s\n", mrn_app_style_code(f, MRN_PLAIN));
}

static mrn_readable cell(int i, const mrn_method_column *c, const mrn_progress *p)
{
    const mrn_state *s = p->state;
    if (i == 0)
        return mrn_readable_si(s->time, "s");
    if (i == 1)
        return mrn_readable_count(s->step);
    if (i == 2)
        return mrn_readable_count(s->contacts);
    double v = mrn_probe_value(p->scene, s, c->probe);
    mrn_readable t;
    if (!isfinite(v))
        snprintf(t.s, sizeof t.s, "-");
    else if (c->unit[0] == '\0')
        t = mrn_readable_count((int64_t)v);
    else if (strcmp(c->unit, "1") == 0)
        snprintf(t.s, sizeof t.s, fabs(v) < 0.001 && v != 0 ? "%.1e" : "%.3g", v);
    else
        t = mrn_readable_si(v, c->unit);
    if (mrn_app_width(t.s) >= c->width && fabs(v) < 1) /* beyond the prefixes */
        snprintf(t.s, sizeof t.s, "%.0e %s", v, c->unit);
    return t;
}

static void clear_bar(const mrn_console *c)
{
    if (c->bar)
        fputs("\r\033[K", c->f);
}

static void cut(char *text, int room);

static void print_row(mrn_console *c, const mrn_progress *p)
{
    clear_bar(c);
    if (c->rows++ == 0)
        print_column_heads(c->f, p->scene);
    int left_out = spared(p->scene), room = ROW - 2;
    for (int i = 0; i < column_count(p->scene); i++) {
        const mrn_method_column *col = column_at(i, p->scene, left_out);
        room -= col != NULL ? col->width : 0;
        if (col != NULL)
            mrn_app_pad(c->f, cell(i, col, p).s, col->width, true);
    }
    char name[MRN_NAME];
    snprintf(name, sizeof name, "%s", p->scene->stage[p->stage].name);
    cut(name, room);
    fprintf(c->f, "  %s\n", name);
    fflush(c->f);
    c->stage = p->stage;
    c->row_fraction = p->fraction;
    c->row_clock = p->wall_seconds;
    c->row_step = p->state->step;
}

/* Rows come at output instants, but not more than a page of them per stage. */
static bool row_wanted(const mrn_console *c, const mrn_progress *p)
{
    bool finished = p->state->stage >= p->scene->n_stages;
    if (p->state->step == c->row_step && c->stage >= 0)
        return false;
    if (c->stage != p->stage || finished || p->wall_seconds - c->row_clock > ROW_SECONDS)
        return true;
    bool known = isfinite(p->fraction) && isfinite(c->row_fraction);
    return p->row && (known ? p->fraction - c->row_fraction >= ROW_FRACTION
                            : p->wall_seconds - c->row_clock > 2);
}

/* ---- bar ---- */

/* Whether the end of the stage is known, not only a limit. */
static bool ends_by_time(const mrn_progress *p)
{
    const mrn_stage *g = &p->scene->stage[p->stage];
    for (int i = 0; i < g->n_until; i++) {
        if (strncmp(g->until[i].probe, "time", 4) != 0 &&
            strncmp(g->until[i].probe, "steps", 5) != 0)
            return false;
    }
    return true;
}

/* Cut to so many columns, between two characters. */
static void cut(char *text, int room)
{
    char *p = text;
    for (; *p != '\0'; p++)
        if (((unsigned char)*p & 0xC0) != 0x80 && room-- <= 0)
            break;
    *p = '\0';
}

/* One line, never wider than the terminal: one that wraps cannot be wiped out again. */
static void print_bar(mrn_console *c, const mrn_progress *p)
{
    c->bar_clock = p->wall_seconds;
    double fraction = isfinite(p->fraction) ? p->fraction : 0;
    char bar[200] = "", text[256];
    int n = snprintf(text, sizeof text, " %3.0f %%  %s  %s", 100 * fraction,
                     p->scene->stage[p->stage].name, mrn_readable_si(p->state->time, "s").s);
    if (isfinite(p->remaining))
        snprintf(text + n, sizeof text - (size_t)n, "  %s %s left",
                 ends_by_time(p) ? "about" : "at most", mrn_app_duration(p->remaining).s);
    int room = mrn_app_columns(c->f) - 1, width = room - mrn_app_width(text);
    width = width > 28 ? 28 : width < 0 ? 0 : width;
    int full = (int)(fraction * width + 0.5);
    for (int i = 0; i < width; i++)
        strcat(bar, i < full ? "█" : "░");
    cut(text, room - width);
    clear_bar(c);
    fprintf(c->f, "%s%s%s%s", mrn_app_style_code(c->f, MRN_BLUE), bar,
            mrn_app_style_code(c->f, MRN_PLAIN), text);
    fflush(c->f);
}

void mrn_console_progress(const mrn_progress *p, void *console)
{
    mrn_console *c = console;
    bool first = !c->begun;
    c->begun = true;
    mrn_session_clear_long_work();
    if (c->quiet)
        return;
    if (first)
        print_head(c, p);
    bool row = row_wanted(c, p);
    if (row)
        print_row(c, p);
    bool finished = p->state->stage >= p->scene->n_stages;
    if (c->bar && !finished && (row || p->wall_seconds - c->bar_clock > BAR_SECONDS))
        print_bar(c, p);
}

/* ---- closing block ---- */

static void close_stages(FILE *f, const json_t *summary, bool stepless)
{
    size_t i;
    json_t *o;
    json_array_foreach(json_object_get(summary, "stages"), i, o)
    {
        label(f, i == 0 ? "stages" : "");
        int64_t steps = json_integer_value(json_object_get(o, "step-end")) -
                        json_integer_value(json_object_get(o, "step-begin"));
        fprintf(f, "%s: %s … %s", json_string_value(json_object_get(o, "name")),
                mrn_readable_si(json_number_value(json_object_get(o, "time-begin")), "s").s,
                mrn_readable_si(json_number_value(json_object_get(o, "time-end")), "s").s);
        if (!stepless)
            fprintf(f, ", %s steps", mrn_readable_count(steps).s);
        fprintf(f, "; %s\n", json_string_value(json_object_get(o, "reason")));
    }
}

/* What the methods say of their steps. */
static void close_methods(FILE *f, const mrn_run_result *r)
{
    for (int i = 0; i < r->n_lines; i++) {
        label(f, r->line[i].label);
        fprintf(f, "%s\n", r->line[i].text);
    }
}

/* Parts of the steps as the summary has them: those of the methods in use. */
static void close_times(FILE *f, const mrn_run_result *r, const json_t *summary)
{
    const json_t *parts = json_object_get(json_object_get(summary, "cost"), "seconds");
    double whole = r->wall_seconds > 0 ? r->wall_seconds : 1, rest = r->wall_seconds;
    label(f, "wall time");
    fprintf(f, "%s: ", mrn_app_duration(r->wall_seconds).s);
    for (int k = 0; k < MRN_STEP_PARTS; k++) {
        double seconds = mrn_step_part_seconds(&r->times, (mrn_step_part)k);
        if (json_object_get(parts, mrn_step_part_key((mrn_step_part)k)) != NULL)
            fprintf(f, "%s %.0f %%, ", mrn_step_part_name((mrn_step_part)k), 100 * seconds / whole);
        rest -= seconds;
    }
    rest -= r->output_seconds;
    fprintf(f, "output %.0f %%, other %.0f %%\n", 100 * r->output_seconds / whole,
            100 * fmax(rest, 0) / whole);
}

static void close_energy(FILE *f, const mrn_energies *e)
{
    label(f, "energy");
    fprintf(f, "%s left, %s dissipated, %s put in; residual %s", mrn_readable_si(e->total, "J").s,
            mrn_readable_si(e->dissipated, "J").s, mrn_readable_si(e->input, "J").s,
            mrn_readable_si(e->residual, "J").s);
    if (e->dissipated > 0)
        fprintf(f, " (%.1e of the dissipated)", fabs(e->residual) / e->dissipated);
    fputc('\n', f);
}

/* A command to copy: words with blanks or signs that a shell takes for its own stand in quotes. */
static void put_word(FILE *f, const char *before, const char *word, const char *after)
{
    bool plain = strpbrk(word, " \t\n\"'\\$`!&;|<>()[]{}*?#~=%") == NULL;
    fprintf(f, "%s%s", before, plain ? "" : "'");
    for (const char *p = word; *p != '\0'; p++)
        *p == '\'' ? fputs("'\\''", f) : fputc(*p, f);
    fprintf(f, "%s%s", after, plain ? "" : "'");
}

static void close_hints(FILE *f, const mrn_console *c, const mrn_run_result *r)
{
    const char *out = c->session->out, *me = mrn_app_own_name();
    fprintf(f, "\nWhat to try next:\n");
    if (r->status == MRN_INTERRUPTED) {
        fprintf(f, "  %s run ", me);
        put_word(f, "", c->session->scene_path, "");
        put_word(f, " --out ", out, "");
        fputs(" --resume", f);
        for (int i = 0; i < c->session->n_set; i++)
            put_word(f, " --set ", c->session->set[i], "");
        fputc('\n', f);
    }
    fprintf(f, "  %s picture ", me);
    put_word(f, "", out, "");
    fprintf(f, "\n  %s view ", me);
    put_word(f, "", out, "");
    if (mrn_app_has_command("paraview"))
        put_word(f, "\n  paraview ", out, "/trajectory.xdmf");
    else {
        fprintf(f, "\n  %s export ", me);
        put_word(f, "", out, "");
        fputs(" --format vtk", f);
    }
    fputc('\n', f);
}

/* The files that are there: after an error there may be no checkpoint. */
static void close_files(FILE *f, const char *out, int64_t frames)
{
    static const char *const name[] = {"summary.json",  "probes.csv", "trajectory.h5",
                                       "checkpoint.h5", "fields",     "problems",
                                       "unsolved",      "postmortem"};
    const char *comma = ": ";
    label(f, "files");
    fputs(out, f);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", out, name[i]);
        if (access(path, F_OK) != 0)
            continue;
        fprintf(f, "%s%s", comma, name[i]);
        if (strcmp(name[i], "trajectory.h5") == 0)
            fprintf(f, " (%lld frame%s)", (long long)frames, frames == 1 ? "" : "s");
        comma = ", ";
    }
    fputc('\n', f);
}

/* A computed step follows the contacts: that is its task. One that was given where nothing can
   become unstable is a choice. */
bool mrn_app_is_note(const char *kind)
{
    return strcmp(kind, "time-step-shrunk") == 0 || strcmp(kind, "time-step-long") == 0;
}

static void close_warnings(FILE *f, const mrn_run_result *r)
{
    for (int i = 0; i < r->n_warnings; i++) {
        const mrn_warning *w = &r->warning[i];
        if (mrn_app_is_note(w->kind))
            label(f, "note");
        else
            fprintf(f, "  %swarning%s    ", mrn_app_style_code(f, MRN_YELLOW),
                    mrn_app_style_code(f, MRN_PLAIN));
        fputs(w->text, f);
        if (w->count > 1)
            fprintf(f, " (and %s time%s more)", mrn_readable_count(w->count - 1).s,
                    w->count == 2 ? "" : "s");
        fputc('\n', f);
    }
}

void mrn_console_close(mrn_console *c, const mrn_run_result *r, const json_t *summary)
{
    FILE *f = c->f;
    if (c->quiet)
        return;
    clear_bar(c);
    bool good = r->status == MRN_OK || r->status == MRN_AT_MOST;
    fprintf(f, "\n%s%s%s", mrn_app_style_code(f, good ? MRN_GREEN : MRN_YELLOW),
            good ? "Done" : "Stopped", mrn_app_style_code(f, MRN_PLAIN));
    fprintf(f, ": %s simulated", mrn_readable_si(r->time, "s").s);
    if (!c->stepless)
        fprintf(f, ", %s steps", mrn_readable_count(r->steps).s);
    fprintf(f, r->status == MRN_OK ? "\n" : " (%s)\n", mrn_status_text(r->status));
    close_stages(f, summary, c->stepless);
    close_methods(f, r);
    close_times(f, r, summary);
    if (r->body_steps > 0) {
        label(f, "speed");
        fprintf(f, "%.3g million body-steps/s\n", 1e-6 * r->body_steps_per_second);
    }
    label(f, "memory");
    fprintf(f, "%s at most\n", mrn_app_bytes((double)r->bytes_peak).s);
    close_energy(f, &r->energies);
    label(f, "state hash");
    fprintf(f, "%016" PRIx64 "\n", r->hash);
    close_files(f, c->session->out, r->frames);
    close_warnings(f, r);
    if (!c->session->no_hints)
        close_hints(f, c, r);
}
