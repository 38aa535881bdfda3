/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gravity and forces on bodies: constant or changing with time. */
#include "drive/drive.h"

static mrn_instant instant(const mrn_state *s, double time)
{
    return (mrn_instant){time, time - s->stage_time};
}

void mrn_drive_gravity(const mrn_scene *scene, mrn_state *s, double time)
{
    mrn_store3(s->gravity, mrn_gravity_at(scene->gravity_of, instant(s, time)));
}

static mrn_vec3 vector_at(const mrn_signal f[3], mrn_instant at)
{
    return mrn_gravity_at(f, at);
}

bool mrn_drive_loads(const mrn_scene *scene, const mrn_state *s, double time, mrn_load *out)
{
    mrn_instant at = instant(s, time);
    for (int g = 0; g < scene->n_groups; g++)
        out[g] = (mrn_load){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < scene->n_forces; i++) {
        const mrn_body_force *f = &scene->force[i];
        mrn_vec3 push = vector_at(f->force, at), twist = vector_at(f->torque, at);
        for (int g = 0; g < scene->n_groups; g++) {
            if (f->group >= 0 && f->group != g)
                continue;
            mrn_vec3 *to = f->per_mass ? &out[g].acceleration : &out[g].force;
            *to = mrn_add(*to, push);
            out[g].torque = mrn_add(out[g].torque, twist);
        }
    }
    return scene->n_forces > 0;
}
