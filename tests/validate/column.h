/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collapse of columns of disks: the three published cases, the run, the outline of what is left. */
#ifndef MRN_TESTS_VALIDATE_COLUMN_H
#define MRN_TESTS_VALIDATE_COLUMN_H

#include "validate/validate.h"

#define D_GRAIN 5e-3 /* m, mean diameter */

/* Staron & Hinch (2005), contact dynamics: mu = 1, restitution 0.5. */
typedef struct column_case {
    const char *name;
    double R0, H0;              /* of the column, in mean diameters      */
    double runout, height;      /* (R - R0)/R0 and H/R0 of the deposit   */
    int count;                  /* grains that give H0                   */
    double fill, settle, spill; /* m to fill; s of both stages           */
} column_case;

enum { COLUMNS = 3 };
static const column_case columns[COLUMNS] = {
    {"squat", 60.75, 29.8, 0.938, 0.490, 3797, 0.25, 0.5, 1.2},
    {"middle", 46.5, 64.8, 3.484, 0.734, 6425, 0.50, 0.6, 1.2},
    {"tall", 22.5, 134.0, 12.133, 1.210, 6380, 1.02, 0.7, 1.6},
};

/* What is left: the grains that hang together, and the highest point in bins of 1.5 diameters. */
enum { BINS = 1201 };
typedef struct profile {
    double x[BINS], h[BINS]; /* in diameters; bin BINS/2 is in the middle */
    double left, right;      /* fronts                                    */
    double top, level;       /* highest point; mean height within 0.9 R0  */
    int32_t grains;          /* in the deposit                            */
} profile;

static inline bool touch(const mrn_frame *f, int32_t i, int32_t j)
{
    double dx = f->x[3 * (size_t)i] - f->x[3 * (size_t)j];
    double dy = f->x[3 * (size_t)i + 1] - f->x[3 * (size_t)j + 1];
    double reach = f->radius[i] + f->radius[j] + 0.1 * D_GRAIN;
    return dx * dx + dy * dy < reach * reach;
}

/* Marks the grains that hang together with the one closest to the foot of the axis, neighbours
   being those less than a tenth of a diameter apart: single disks that left the heap roll on for
   ever on a flat floor and are no part of the deposit. */
static inline char *deposit_of(const mrn_frame *f)
{
    char *in = calloc((size_t)f->n, 1);
    int32_t *stack = malloc((size_t)f->n * sizeof *stack), n = 1, first = f->n_walls;
    for (int32_t i = f->n_walls; i < f->n; i++)
        if (hypot(f->x[3 * (size_t)i], f->x[3 * (size_t)i + 1]) <
            hypot(f->x[3 * (size_t)first], f->x[3 * (size_t)first + 1]))
            first = i;
    in[first] = 1;
    stack[0] = first;
    while (n > 0) {
        int32_t i = stack[--n];
        for (int32_t j = f->n_walls; j < f->n; j++)
            if (!in[j] && touch(f, i, j)) {
                in[j] = 1;
                stack[n++] = j;
            }
    }
    free(stack);
    return in;
}

static inline void make_profile(const mrn_frame *f, double R0, profile *p)
{
    char *in = deposit_of(f);
    *p = (profile){0};
    for (int i = 0; i < BINS; i++)
        p->x[i] = 1.5 * (i - BINS / 2);
    for (int32_t i = f->n_walls; i < f->n; i++) {
        double radius = f->radius[i] / D_GRAIN, x = f->x[3 * (size_t)i] / D_GRAIN;
        double h = f->x[3 * (size_t)i + 1] / D_GRAIN + radius;
        int b = (int)floor(x / 1.5 + 0.5) + BINS / 2;
        if (b >= 0 && b < BINS)
            p->h[b] = fmax(p->h[b], h);
        if (!in[i])
            continue;
        p->grains++;
        p->top = fmax(p->top, h);
        p->left = fmax(p->left, radius - x);
        p->right = fmax(p->right, x + radius);
    }
    int n = 0;
    for (int i = 0; i < BINS; i++)
        if (fabs(p->x[i]) < 0.9 * R0)
            p->level += p->h[i], n++;
    p->level /= n;
    free(in);
}

/* Profiles at the frame closest to each time. */
static inline void read_profiles(report *r, const char *as, double R0, int n, const double *time,
                                 profile *out)
{
    char path[256];
    scratch(r, as, path);
    mrn_trajectory *t = NULL;
    mrn_message msg = {0};
    if (mrn_trajectory_open(path, &t, &msg) != MRN_OK)
        give_up(path, &msg);
    for (int k = 0; k < n; k++) {
        int64_t best = 0;
        for (int64_t i = 0; i < mrn_trajectory_frames(t); i++)
            if (fabs(mrn_trajectory_time(t, i) - time[k]) <
                fabs(mrn_trajectory_time(t, best) - time[k]))
                best = i;
        mrn_frame f = {0};
        if (mrn_trajectory_read(t, best, &f, &msg) != MRN_OK)
            give_up(path, &msg);
        make_profile(&f, R0, &out[k]);
        mrn_frame_destroy(&f);
    }
    if (mrn_trajectory_close(&t, &msg) != MRN_OK)
        give_up(path, &msg);
}

/* Runs a case into the scratch folder of its name. Rigid disks are given a step of 0.1 ms, in which
   the fastest go a sixth of their radius. */
static inline void run_column(report *r, const column_case *c, bool rigid)
{
    double wall = c->R0 * D_GRAIN;
    char count[64], place[160], left[120], right[120], settle[64], spill[64];
    snprintf(count, sizeof count, "bodies.grains.count=%d", c->count);
    snprintf(place, sizeof place, "bodies.grains.place.fill.box=[[%.17g, 0], [%.17g, %g]]", -wall,
             wall, c->fill);
    snprintf(left, sizeof left, "walls.left.plane.point=[%.17g, 0.6]", -wall);
    snprintf(right, sizeof right, "walls.right.plane.point=[%.17g, 0.6]", wall);
    snprintf(settle, sizeof settle, "stages.settle.until.time=%g s", c->settle);
    snprintf(spill, sizeof spill, "stages.collapse.until.time=%g s", c->spill);
    const char *set[] = {count, place, left, right, settle, spill, NULL, NULL, NULL};
    if (rigid)
        set[6] = "method=nonsmooth", set[7] = "time-step=0.1 ms";
    run_scene(r, "flows-column", c->name, set);
}

typedef struct outline {
    int n;
    double x[BINS], h[BINS]; /* over R0 */
} outline;

static inline outline published(const column_case *c)
{
    static outline o;
    char path[512], row[256];
    size_t length = strlen(c->name);
    snprintf(path, sizeof path, "%s/tests/validate/flows-column.csv", MRN_VALIDATE_SOURCE);
    FILE *f = fopen(path, "r");
    o.n = 0;
    while (f != NULL && fgets(row, sizeof row, f) != NULL && o.n < BINS)
        if (strncmp(row, c->name, length) == 0 &&
            sscanf(row + length, ",%lf,%lf", &o.x[o.n], &o.h[o.n]) == 2) {
            o.x[o.n] /= c->R0;
            o.h[o.n++] /= c->R0;
        }
    if (f != NULL)
        fclose(f);
    return o;
}

static inline outline ours(const column_case *c, const profile *p)
{
    static outline o;
    o.n = 0;
    for (int i = 0; i < BINS; i++)
        if (p->x[i] >= -p->left - 1.5 && p->x[i] <= p->right + 1.5)
            o.x[o.n] = p->x[i] / c->R0, o.h[o.n++] = p->h[i] / c->R0;
    return o;
}

#endif
