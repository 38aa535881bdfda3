/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signal may leave the numbers while a run goes (the root of a time that has passed): said by
   name, before grains fall through a wall that is nowhere. */
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"

static bool finite_all(const double *x, int n)
{
    double sum = 0; /* 0 times anything finite is 0 */
    for (int k = 0; k < n; k++)
        sum += 0 * x[k];
    return sum == 0;
}

static bool finite_load(const mrn_load *l)
{
    const mrn_vec3 f = l->force, t = l->torque, a = l->acceleration;
    const double all[9] = {f.x, f.y, f.z, t.x, t.y, t.z, a.x, a.y, a.z};
    return finite_all(all, 9);
}

/* The first of n signals that is not finite at this instant; NULL: none. What moves a wall has a
   speed too; of the others only the value counts. */
static const mrn_signal *culprit(const mrn_signal *s, int n, mrn_instant at, bool with_rate)
{
    for (int k = 0; k < n; k++) {
        double rate, value = mrn_signal_value(&s[k], at, &rate);
        if (!isfinite(value) || (with_rate && !isfinite(rate)))
            return &s[k];
    }
    return NULL;
}

static mrn_status fail(const char *what, const char *name, const mrn_signal *s, double time,
                       mrn_message *msg)
{
    char text[200] = "";
    if (s != NULL && s->text != NULL)
        snprintf(text, sizeof text, " ('%.150s')", s->text);
    mrn_fail(msg, MRN_EXPLODED, "%s%s%s%s%s is not a finite number at t = %g s", what,
             name[0] != '\0' ? " '" : "", name, name[0] != '\0' ? "'" : "", text, time);
    mrn_fail_hint(msg, "%s",
                  s != NULL ? "the expression has no value from then on: end the stage before, or "
                              "hold it with min, max or step"
                            : "its values have become too large: look at its signals");
    return MRN_EXPLODED;
}

static mrn_status check_wall(const mrn_scene *scene, const mrn_state *s, int32_t w, mrn_instant at,
                             mrn_message *msg)
{
    const mrn_bodies *b = &s->body;
    size_t i = (size_t)w;
    if (finite_all(b->x + 3 * i, 3) && finite_all(b->q + 4 * i, 4) && finite_all(b->v + 3 * i, 3) &&
        finite_all(b->w + 3 * i, 3))
        return MRN_OK;
    const mrn_motion *m = &scene->wall[w].motion;
    const mrn_signal *bad = culprit(m->path, 3, at, true);
    bad = bad != NULL ? bad : culprit(&m->angle, 1, at, true);
    bad = bad != NULL ? bad : culprit(&m->servo_target, 1, at, true);
    return fail("the motion of wall", scene->wall[w].name, bad, at.t, msg);
}

/* Which force it was: asked only when the sums over all of them show that one was. */
static mrn_status blame_force(const mrn_scene *scene, mrn_instant at, mrn_message *msg)
{
    for (int i = 0; i < scene->n_forces; i++) {
        const mrn_body_force *f = &scene->force[i];
        const mrn_signal *bad = culprit(f->force, 3, at, false);
        bad = bad != NULL ? bad : culprit(f->torque, 3, at, false);
        if (bad != NULL)
            return fail("force", f->name, bad, at.t, msg);
    }
    return fail("the sum of the forces", "", NULL, at.t, msg);
}

mrn_status mrn_drive_check(const mrn_scene *scene, const mrn_state *s, double time,
                           const mrn_load *load, mrn_message *msg)
{
    mrn_instant at = {time, time - s->stage_time};
    for (int32_t w = 0; w < s->body.n_walls; w++) {
        mrn_status st = check_wall(scene, s, w, at, msg);
        if (st != MRN_OK)
            return st;
    }
    if (!finite_all(s->gravity, 3))
        return fail("gravity", "", culprit(scene->gravity_of, 3, at, false), time, msg);
    if (!finite_all(s->cell_rate, 6) || !finite_all(s->cell_size, 3))
        return fail("the drive of the cell", "",
                    culprit(scene->cell.control.target, MRN_STRAINS, at, false), time, msg);
    for (int g = 0; load != NULL && g < scene->n_groups; g++)
        if (!finite_load(&load[g]))
            return blame_force(scene, at, msg);
    return MRN_OK;
}
