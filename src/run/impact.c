/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two grains of a scene collided head-on, with the scene's law, engine and time step: what
   restitution, contact time and overlap the user really gets. */
#include <string.h>

#include "moraine/run.h"

#define MOST_STEPS                                                                                 \
    20000 /* a contact lasts tens to hundreds of steps; one that sticks is cut here */

/* The lightest grain of a material, -1 when there is none: the hardest to integrate. */
static int32_t lightest(const mrn_state *s, int material)
{
    int32_t best = -1;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (s->body.material[i] == material && (best < 0 || s->body.mass[i] < s->body.mass[best]))
            best = i;
    }
    return best;
}

static double asked_restitution(const mrn_interaction *x)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(x->model, param);
    for (int k = 0; k < n; k++) {
        if (strcmp(param[k]->name, "restitution") == 0 && x->value[k].given)
            return x->value[k].number;
    }
    return NAN;
}

/* A copy of grain i at x, moving along the x axis. */
static mrn_status add_copy(const mrn_state *s, int32_t i, double x, double v, mrn_state *to,
                           mrn_message *msg)
{
    mrn_body_def d = mrn_body_default();
    d.x.x = x;
    d.v.x = v;
    d.radius = s->body.radius[i];
    d.mass = s->body.mass[i];
    d.inertia = s->body.inertia[i];
    d.shape = s->body.shape[i];
    d.material = s->body.material[i];
    d.group = s->body.group[i];
    return mrn_body_add(to, &d, NULL, msg);
}

/* Steps until the two have met and parted. */
static mrn_status collide(mrn_smooth *engine, const mrn_state *t, double speed, mrn_impact *out,
                          mrn_message *msg)
{
    int64_t touching = 0;
    for (int64_t k = 0; k < MOST_STEPS && (touching == 0 || t->contacts > 0); k++) {
        mrn_status status = mrn_smooth_step(engine, 1, msg);
        if (status != MRN_OK)
            return status;
        touching += t->contacts > 0;
        out->overlap = fmax(out->overlap, t->max_overlap);
    }
    out->tried = touching > 0;
    out->contact_time = (double)touching * t->h;
    /* bodies may have changed places in memory: apart means the right one moves to the right */
    double apart = (t->body.v[3] - t->body.v[0]) * (t->body.x[3] > t->body.x[0] ? 1 : -1);
    out->restitution = fmax(apart, 0) / speed;
    return MRN_OK;
}

mrn_status mrn_run_impact(const mrn_scene *scene, const mrn_state *s, int interaction, double speed,
                          mrn_impact *out, mrn_message *msg)
{
    const mrn_interaction *x = &scene->interaction[interaction];
    *out = (mrn_impact){.asked = asked_restitution(x), .speed = speed};
    int32_t a = lightest(s, x->a), b = lightest(s, x->b);
    if (a < 0 || b < 0 || !(speed > 0) || !(s->h > 0))
        return MRN_OK;
    mrn_scene empty = *scene; /* borrows all but walls, cell and gravity */
    empty.gravity = mrn_v3(0, 0, 0);
    empty.cell = (mrn_cell){0};
    empty.n_walls = 0;
    mrn_state t = {.h = s->h};
    mrn_smooth *engine = NULL;
    double ma = s->body.mass[a], mb = s->body.mass[b];
    double gap = 2 * speed * s->h, touch = s->body.radius[a] + s->body.radius[b];
    mrn_status status = add_copy(s, a, 0, speed * mb / (ma + mb), &t, msg);
    if (status == MRN_OK)
        status = add_copy(s, b, touch + gap, -speed * ma / (ma + mb), &t, msg);
    if (status == MRN_OK)
        status = mrn_smooth_create(&empty, &t, &engine, msg);
    if (status == MRN_OK)
        status = collide(engine, &t, speed, out, msg);
    mrn_smooth_destroy(&engine);
    mrn_state_destroy(&t);
    /* squeezed flat: an answer, not a failure of the caller */
    return status > 0 ? MRN_OK : status;
}
