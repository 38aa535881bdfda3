/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A load that comes back in cycles: the impulses of the same step of the last cycle. They are a
   second guess for the solver beside those of the last step. In a packing with more contacts than
   equilibrium needs, a load that changes from step to step has to be shared out anew each time,
   which takes sweeps by the thousand; once the packing has settled it is shared out as it was one
   cycle ago. A guess decides how long a solver works, not what it accepts. */
#include <math.h>

#include "base/base.h"
#include "nonsmooth/nonsmooth.h"

static int32_t steps_of_cycle(const mrn_nonsmooth *e)
{
    double cycle = e->scene->nonsmooth.cycle, h = e->state->h;
    return cycle > 0 && h > 0 ? (int32_t)fmax(1, fmin(rint(cycle / h), MRN_CYCLE_STEPS)) : 0;
}

static mrn_contacts *same_phase(const mrn_nonsmooth *e)
{
    const mrn_nonsmooth_memory *m = &e->state->memory;
    return m->n_cycle > 0 ? &m->cycle[e->state->step % m->n_cycle] : NULL;
}

/* Another length of the cycle: what is known belongs to other steps. */
static mrn_status begin_cycle(mrn_nonsmooth *e, int32_t n, mrn_message *msg)
{
    mrn_nonsmooth_memory *m = &e->state->memory;
    mrn_cycle_forget(m);
    if (n == 0)
        return MRN_OK;
    mrn_status st = mrn_array(&m->cycle, n, sizeof *m->cycle, msg);
    m->n_cycle = st == MRN_OK ? n : 0;
    return st;
}

mrn_status mrn_ns_cycle_room(mrn_nonsmooth *e, mrn_message *msg)
{
    int32_t n = steps_of_cycle(e);
    mrn_status st = n != e->state->memory.n_cycle ? begin_cycle(e, n, msg) : MRN_OK;
    mrn_contacts *c = st == MRN_OK ? same_phase(e) : NULL;
    if (c == NULL)
        return st;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_CYCLE),
                            .impulse_width = e->width};
    if (c->columns == 0 || c->impulse_width != e->width)
        st = mrn_contacts_make(c, &def, msg);
    return st == MRN_OK ? mrn_contacts_reserve(c, e->n_contacts + e->n_kept, msg) : st;
}

/* A step that was made in parts left the impulses of the last part: as of a whole step. */
void mrn_ns_cycle_keep(mrn_nonsmooth *e)
{
    const mrn_state *s = e->state;
    mrn_contacts *c = same_phase(e);
    if (c == NULL)
        return;
    double scale = s->nonsmooth.last_h > 0 ? s->h / s->nonsmooth.last_h : 1;
    c->n = 0;
    mrn_contacts_append(c, &s->contact);
    for (int64_t k = 0; scale != 1 && k < c->n * c->impulse_width; k++)
        c->impulse[k] *= scale;
}

const mrn_contacts *mrn_ns_cycle_last(const mrn_nonsmooth *e)
{
    const mrn_contacts *c = same_phase(e);
    bool known = c != NULL && c->n > 0 && c->impulse_width == e->width;
    return known && steps_of_cycle(e) == e->state->memory.n_cycle ? c : NULL;
}
