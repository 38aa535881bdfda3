/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outlets: regions in which (or outside of which) grains vanish. */
#include "base/base.h"
#include "base/sum.h"
#include "drive/sources.h"
#include "generate/generate.h"

/* The outlet through which body i goes, or -1. A cluster goes as a whole, by its centre; a fixed
   grain stays where it is. */
static int outlet_of(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    if (s->body.flags[i] & (MRN_BODY_MEMBER | MRN_BODY_FIXED))
        return -1;
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i);
    for (int k = 0; k < scene->n_outlets && k < MRN_OUTLET_MAX; k++) {
        const mrn_outlet *o = &scene->outlet[k];
        if ((o->group < 0 || o->group == s->body.group[i]) &&
            mrn_region_holds(&o->region, scene->dimension, x) != o->outside)
            return k;
    }
    return -1;
}

/* What went through one outlet in one call. */
typedef struct passage {
    mrn_sum mass, energy;
    int64_t count;
} passage;

static mrn_status let_go(const mrn_scene *scene, mrn_state *s, int32_t i, passage *p,
                         mrn_message *msg)
{
    double energy = mrn_source_energy(scene, s, i), mass = s->body.mass[i];
    mrn_status st = mrn_body_remove(s, mrn_body_handle(s, i), msg);
    if (st != MRN_OK)
        return st;
    p->count++;
    mrn_sum_add(&p->mass, mass);
    mrn_sum_add(&p->energy, energy);
    return MRN_OK;
}

/* By persistent numbers, which stay while bodies change places in memory. */
mrn_status mrn_outlets_open(const mrn_scene *scene, mrn_state *s, bool *changed, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    passage gone[MRN_OUTLET_MAX] = {{.count = 0}};
    if (scene->n_outlets == 0)
        return MRN_OK;
    for (int32_t id = 0; st == MRN_OK && id < s->body.n_ids; id++) {
        int32_t i = s->body.index_of[id];
        int outlet = i >= s->body.n_walls ? outlet_of(scene, s, i) : -1;
        if (outlet < 0)
            continue;
        st = let_go(scene, s, i, &gone[outlet], msg);
        *changed = true;
    }
    for (int k = 0; k < MRN_OUTLET_MAX; k++) {
        s->drive.outlet_count[k] += (double)gone[k].count;
        s->drive.outlet_mass[k] += mrn_sum_value(&gone[k].mass);
        s->ledger.drive_work -= mrn_sum_value(&gone[k].energy);
    }
    return st;
}
