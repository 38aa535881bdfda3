/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures: numbers that runs are compared by, made of probes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "crosscheck/crosscheck.h"

mrn_status mrn_figure_probe(const mrn_scene *scene, const char *probe, mrn_figure *out,
                            mrn_message *msg)
{
    const char *unit = "";
    mrn_status s = mrn_probe_check(scene, probe, &unit, msg);
    if (s != MRN_OK)
        return s;
    *out = (mrn_figure){.kind = MRN_FIGURE_PROBE, .n = 1};
    snprintf(out->name, sizeof out->name, "%s", probe);
    snprintf(out->unit, sizeof out->unit, "%s", strcmp(unit, "1") == 0 ? "" : unit);
    snprintf(out->probe[0], sizeof out->probe[0], "%s", probe);
    return MRN_OK;
}

/* ---- the usual ones ---- */

typedef struct chooser {
    const mrn_scene *scene;
    mrn_figure *out;
    int n, max;
} chooser;

static mrn_figure *add(chooser *c, mrn_figure_kind kind, const char *name, const char *unit)
{
    static const mrn_figure none;
    if (c->n == c->max)
        return NULL;
    mrn_figure *q = &c->out[c->n++];
    *q = none;
    q->kind = kind;
    snprintf(q->name, sizeof q->name, "%s", name);
    snprintf(q->unit, sizeof q->unit, "%s", unit);
    return q;
}

static void add_probe(mrn_figure *q, const char *fmt, char axis)
{
    if (q == NULL || q->n == MRN_FIGURE_PROBES)
        return;
    char *name = q->probe[q->n++];
    snprintf(name, sizeof q->probe[0], "%s", fmt);
    for (char *p = name; *p != '\0'; p++)
        if (*p == '*')
            *p = axis;
}

static void plain(chooser *c, const char *probe)
{
    mrn_message unread;
    mrn_figure q;
    if (c->n < c->max && mrn_figure_probe(c->scene, probe, &q, &unread) == MRN_OK)
        c->out[c->n++] = q;
}

static void of_contacts(chooser *c, const char *probe)
{
    int before = c->n;
    plain(c, probe);
    if (c->n > before)
        c->out[before].contacts = true;
}

/* The axis of gravity, 0 … 2; -1: none, or along no axis; -2: there is no gravity. */
static int vertical_axis(const mrn_scene *s)
{
    const double g[3] = {s->gravity.x, s->gravity.y, s->gravity.z};
    int axis = -2;
    for (int k = 0; k < 3; k++)
        if (g[k] != 0)
            axis = axis == -2 ? k : -1;
    return axis;
}

static void stresses(chooser *c, int vertical)
{
    mrn_figure *v = add(c, MRN_FIGURE_PROBE, "stress, vertical", "Pa");
    mrn_figure *h = add(c, MRN_FIGURE_MEAN, "stress, horizontal", "Pa");
    mrn_figure *r = add(c, MRN_FIGURE_RATIO, "horizontal over vertical stress", "");
    char up = (char)('x' + vertical);
    add_probe(v, "stress.**", up);
    for (int k = 0; k < c->scene->dimension; k++)
        if (k != vertical) {
            add_probe(h, "stress.**", (char)('x' + k));
            add_probe(r, "stress.**", (char)('x' + k));
        }
    add_probe(r, "stress.**", up);
}

static void shape_of_heap(chooser *c, int vertical)
{
    plain(c, "height");
    for (int k = 0; k < c->scene->dimension; k++) {
        char name[16];
        snprintf(name, sizeof name, "deposit.%c", 'x' + k);
        if (k != vertical && !c->scene->cell.periodic[k])
            plain(c, name);
    }
}

static void energies(chooser *c)
{
    static const struct {
        mrn_figure_kind kind;
        const char *name, *probe;
    } list[] = {
        {MRN_FIGURE_PEAK, "kinetic energy, largest", "kinetic-energy"},
        {MRN_FIGURE_WHOLE, "kinetic energy, mean over time", "kinetic-energy"},
        {MRN_FIGURE_PROBE, "kinetic energy, end", "kinetic-energy"},
        {MRN_FIGURE_PROBE, "dissipated energy", "dissipated-energy"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        mrn_figure *q = add(c, list[i].kind, list[i].name, "J");
        add_probe(q, list[i].probe, ' ');
        if (q != NULL)
            q->motion = q->energy = true;
    }
}

int mrn_figure_usual(const mrn_scene *scene, mrn_figure *out, int max)
{
    chooser c = {.scene = scene, .out = out, .max = max};
    int vertical = vertical_axis(scene);
    plain(&c, "solid-fraction");
    of_contacts(&c, "coordination");
    of_contacts(&c, "backbone-coordination");
    of_contacts(&c, "backbone-fraction");
    if (vertical >= 0) {
        stresses(&c, vertical);
        shape_of_heap(&c, vertical);
    } else {
        plain(&c, "pressure");
        plain(&c, "stress-ratio");
    }
    of_contacts(&c, "mean-contact-force");
    of_contacts(&c, "force-spread");
    mrn_figure *tail = add(&c, MRN_FIGURE_TAIL, "force tail", "");
    if (tail != NULL)
        tail->contacts = true;
    of_contacts(&c, "mobilised-friction");
    energies(&c);
    return c.n;
}

/* ---- from probes ---- */

static int find(mrn_figure_probes *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->name[i], name) == 0)
            return i;
    snprintf(p->name[p->n], sizeof p->name[0], "%s", name);
    return p->n++;
}

mrn_status mrn_figure_gather(const mrn_figure *q, int n, mrn_figure_probes *out, mrn_message *msg)
{
    *out = (mrn_figure_probes){0};
    mrn_status s = mrn_array(&out->name, n * MRN_FIGURE_PROBES + 1, sizeof *out->name, msg);
    if (s == MRN_OK)
        s = mrn_array(&out->of, n + 1, sizeof *out->of, msg);
    for (int i = 0; i < n && s == MRN_OK; i++)
        for (int k = 0; k < q[i].n; k++)
            out->of[i][k] = find(out, q[i].probe[k]);
    return s;
}

void mrn_figure_probes_release(mrn_figure_probes *p)
{
    mrn_free(p->name);
    mrn_free(p->of);
    *p = (mrn_figure_probes){0};
}

double mrn_figure_now(const mrn_figure *q, const int *of, const double *value)
{
    int mean_of = q->kind == MRN_FIGURE_RATIO ? q->n - 1 : q->n;
    double sum = 0;
    if (q->n == 0)
        return NAN;
    for (int k = 0; k < mean_of; k++)
        sum += value[of[k]];
    sum /= mean_of;
    return q->kind == MRN_FIGURE_RATIO ? sum / value[of[q->n - 1]] : sum;
}
