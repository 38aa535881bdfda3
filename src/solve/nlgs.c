/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Non-linear Gauss-Seidel: the work horse of contact dynamics. Two solvers that differ in how a
   contact learns of the others: from stored blocks of W, or from body velocities. */
#include "base/base.h"
#include "solve/solvers.h"
#include "solve/sweep.h"

static const char *const orders[] = {"auto",     "given", "alternate", "random",
                                     "coloured", "slabs", NULL};
enum { AUTO, GIVEN, ALTERNATE, RANDOM, COLOURED, SLABS };
static const char *const methods[] = {"auto",       "newton",         "quartic",
                                      "projection", "one-projection", NULL};

enum { OPT_ORDER, OPT_RELAXATION, OPT_LOCAL, OPT_SEED };
static const mrn_param params[] = {
    {.name = "order",
     .kind = MRN_P_CHOICE,
     .unit = "1",
     .choices = orders,
     .fallback = AUTO,
     .doc = "Order of the contacts in a sweep: as given, there and back in turn, shuffled anew for "
            "every sweep, by colours (contacts of a colour share no body and run on all "
            "threads), or by slabs (neighbours in space follow each other, every second slab runs "
            "on all threads). auto: by slabs from 1500 contacts on where "
            "contacts meet through bodies, else as given."},
    {.name = "relaxation",
     .symbol = "omega",
     .kind = MRN_P_NUMBER,
     .unit = "1",
     .min = 0,
     .max = 2,
     .min_open = true,
     .fallback = 1,
     .doc = "Share of the change that a contact really makes; above 1 over-relaxation, projected "
            "on the cone."},
    {.name = "local",
     .kind = MRN_P_CHOICE,
     .unit = "1",
     .choices = methods,
     .fallback = MRN_LOCAL_AUTO,
     .doc = "Solver of one contact: auto is exact in 2D, and in 3D a Newton iteration on the "
            "direction of sliding alone."},
    {.name = "seed",
     .kind = MRN_P_NUMBER,
     .unit = "count",
     .min = 0,
     .max = 4294967295.0,
     .fallback = 1,
     .doc = "Of the shuffled order."},
};

typedef struct nlgs {
    mrn_sweeper sweeper;
    mrn_rng rng;
    int order;
    int64_t next_check; /* sweep at which the residual is evaluated next        */
    double last_ratio;  /* residual over change of the sweep, when last looked  */
    int64_t in_a_row;   /* contacts verified one after another                  */
} nlgs;

static void shuffle(mrn_rng *rng, int32_t *order, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(mrn_rng_next(rng) % (uint64_t)(i + 1));
        int32_t x = order[i];
        order[i] = order[j], order[j] = x;
    }
}

/* The criterion per contact: more than 2 n verified in a row, over the ends of sweeps. */
static bool enough_in_a_row(nlgs *g, bool reverse)
{
    int64_t n = g->sweeper.s->n;
    bool enough = false;
    for (int64_t k = 0; k < n; k++) {
        int32_t i = g->sweeper.order[reverse ? n - 1 - k : k];
        g->in_a_row = g->sweeper.verified[i] ? g->in_a_row + 1 : 0;
        enough = enough || g->in_a_row > 2 * n;
    }
    return enough;
}

/* The residual costs as much as a good part of a sweep. It is evaluated when the change of a sweep
   says that it may be met, and else ever more rarely, so that its share stays small. */
static bool worth_checking(const nlgs *g, const mrn_system *s, int64_t sweep, double change)
{
    const mrn_solve_control *c = s->control;
    if (sweep < c->min_iterations)
        return false;
    if (c->check_every > 0)
        return sweep % c->check_every == 0;
    return sweep >= g->next_check || change * g->last_ratio <= c->tolerance;
}

static bool after_sweep(nlgs *g, mrn_progress_log *log, const mrn_sweep_sums *sums, bool reverse,
                        double *r)
{
    mrn_system *s = g->sweeper.s;
    const char *phase = g->sweeper.exchange ? "nlgs-exchange" : "nlgs";
    double violation[MRN_VIOLATIONS], change = sqrt(sums->change);
    bool by_contact = s->control->criterion == MRN_STOP_CONTACT && enough_in_a_row(g, reverse);
    bool cheap = s->control->criterion >= MRN_STOP_MEAN;
    bool last = log->iterations >= log->limit;
    if (!by_contact && !last && !(cheap && s->control->check_every == 0) &&
        !worth_checking(g, s, log->iterations, change))
        return false;
    mrn_sweep_violations(sums, violation);
    for (int k = 0; !g->sweeper.energies && k < MRN_VIOLATIONS; k++)
        violation[k] = NAN;
    mrn_sweeper_velocity(&g->sweeper, r, log->scratch);
    double natural = mrn_system_residual(s, r, log->scratch, NULL);
    if (g->sweeper.through_bodies && natural <= 1.01 * s->control->tolerance) {
        /* near the end from the impulses themselves, without what sweeps have rounded */
        mrn_sweeper_refresh(&g->sweeper, r);
        mrn_sweeper_velocity(&g->sweeper, r, log->scratch);
        natural = mrn_system_residual(s, r, log->scratch, NULL);
    }
    if (s->control->watch != NULL)
        log->energy = mrn_system_energy(s, r, log->scratch);
    g->last_ratio = change > 0 ? natural / change : g->last_ratio;
    g->next_check = log->iterations + 1 + log->iterations / 8;
    return mrn_log_known(s, log, phase, r, natural, violation, by_contact);
}

static mrn_status prepare(mrn_system *s, const mrn_value *option, bool exchange, nlgs *g,
                          mrn_message *msg)
{
    *g = (nlgs){.order = (int)option[OPT_ORDER].number, .last_ratio = 1};
    /* rows of W are not packed in the order of slabs, which costs a quarter of the time on one
       thread: there the choice is left to the user */
    bool slabs = g->order == SLABS || (g->order == AUTO && exchange && s->n >= MRN_SLABS_FROM);
    mrn_sweep_order order = g->order == COLOURED ? MRN_ORDER_COLOURS
                            : slabs              ? MRN_ORDER_SLABS
                                                 : MRN_ORDER_GIVEN;
    mrn_status st = mrn_sweeper_make(s, exchange, order, &g->sweeper, msg);
    if (st != MRN_OK)
        return st;
    g->rng = mrn_rng_seed((uint64_t)option[OPT_SEED].number, 0);
    g->sweeper.method = (mrn_local_method)option[OPT_LOCAL].number;
    g->sweeper.by_contact = g->order == RANDOM;
    g->sweeper.relaxation = option[OPT_RELAXATION].number;
    /* violations cost about a third of a sweep: only where somebody looks at them */
    g->sweeper.energies = s->control->criterion >= MRN_STOP_MEAN || s->control->violations;
    if (s->control->criterion == MRN_STOP_CONTACT) {
        g->sweeper.verified = mrn_work(s->work, s->n, sizeof *g->sweeper.verified);
        if (g->sweeper.verified == NULL)
            return mrn_fail_memory(msg);
        /* the tolerance is relative to the root mean square of q, whose norm is 1 here */
        g->sweeper.threshold = s->control->tolerance / sqrt((double)s->n * s->b);
    }
    return MRN_OK;
}

/* Sweeps until the log says stop. */
typedef struct sweeping {
    nlgs *g;
    double *r;
    mrn_progress_log *log;
} sweeping;

static void sweep_on(void *of, mrn_crew *crew)
{
    const sweeping *w = of;
    nlgs *g = w->g;
    mrn_system *s = g->sweeper.s;
    mrn_sweep_sums sums;
    s->crew = crew;
    mrn_sweeper_refresh(&g->sweeper, w->r);
    for (bool stop = false; !stop;) {
        if (g->order == RANDOM)
            shuffle(&g->rng, g->sweeper.order, s->n);
        bool reverse = g->order == ALTERNATE && w->log->iterations % 2 == 1;
        mrn_sweep(&g->sweeper, reverse, w->r, &sums);
        w->log->iterations++;
        w->log->updates += s->n;
        stop = after_sweep(g, w->log, &sums, reverse, w->r);
    }
    s->crew = NULL;
}

static mrn_status solve(mrn_system *s, const mrn_value *option, bool exchange, double *r,
                        mrn_progress_log *log, mrn_message *msg)
{
    nlgs g;
    sweeping w = {&g, r, log};
    mrn_status st = prepare(s, option, exchange, &g, msg);
    if (st != MRN_OK)
        return st;
    if (g.sweeper.slabs > 0) /* all loops of all sweeps with threads that are woken once */
        mrn_crew_gather(sweep_on, &w);
    else
        sweep_on(&w, NULL);
    return MRN_OK;
}

static mrn_status solve_stored(mrn_system *s, const mrn_value *option, double *r,
                               mrn_progress_log *log, mrn_message *msg)
{
    return solve(s, option, false, r, log, msg);
}

static mrn_status solve_exchange(mrn_system *s, const mrn_value *option, double *r,
                                 mrn_progress_log *log, mrn_message *msg)
{
    return solve(s, option, true, r, log, msg);
}

#define METHOD                                                                                     \
    "For every contact in turn, with the impulses of all others frozen at their newest values, "   \
    "u_i = (q_i + sum over j != i of W_ij r_j) + W_ii r_i is solved with the laws of the "         \
    "contact; "                                                                                    \
    "a sweep visits all contacts, sweeps go on until the criterion is met (Jean 1999; Moreau "     \
    "1999). "

const mrn_solver mrn_solver_nlgs = {
    .name = "nlgs",
    .summary = "Non-linear Gauss-Seidel on stored blocks of W.",
    .doc = METHOD "The blocks of W are stored; a contact reads its row.",
    .advice = "Robust for every law and the quickest way to low accuracy; convergence is linear, "
              "and slow for hyperstatic or badly conditioned problems (walls of blocks, long "
              "chains, large mass ratios). Order `slabs`, chosen by itself for large problems, "
              "uses all threads.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .kinds = MRN_ALL_KINDS,
    .wants_W = true,
    .bilateral = true,
    .sweeps = true,
    .max_iterations = 100000,
    .solve = solve_stored,
};

const mrn_solver mrn_solver_nlgs_exchange = {
    .name = "nlgs-exchange",
    .summary = "Non-linear Gauss-Seidel through body velocities: no W in memory.",
    .doc = METHOD "W is never formed: velocities of bodies are kept current, a contact reads those "
                  "of its bodies and changes them (local-global exchange). The iterates are those "
                  "of nlgs but for rounding.",
    .advice = "Little memory: for very large problems, and for bodies with very many contacts, "
              "whose W would be full. Needs a problem with H and M.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .kinds = MRN_ALL_KINDS,
    .wants_bodies = true,
    .bilateral = true,
    .sweeps = true,
    .max_iterations = 100000,
    .solve = solve_exchange,
};
