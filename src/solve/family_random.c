/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random problems whose answer is known because it was drawn first. */
#include "base/base.h"
#include "solve/families.h"

enum { DIMENSION, FRICTION, STORED, CONTACTS, BODIES, CONDITION, ROLLING, FIXED, OPEN, SLIDING };

static const char *const rollings[] = {"none", "rolling", "pivoting", NULL};
static const mrn_param params[] = {
    MRN_OPTION_DIMENSION,
    MRN_OPTION_FRICTION(0.5),
    MRN_OPTION_STORED,
    MRN_OPTION_COUNT("contacts", "n", 1, 5e6, 100, "Contacts."),
    MRN_OPTION_COUNT("bodies", "", 1, 5e6, 80,
                     "Bodies; many fewer than contacts make it hyperstatic, with n² / bodies "
                     "blocks in W."),
    MRN_OPTION_NUMBER("condition", "", "1", 1, 1e12, 1,
                      "Ratio of the largest mass to the smallest; masses are drawn evenly in "
                      "their logarithm."),
    MRN_OPTION_CHOICE("rolling", rollings, 0,
                      "Whether contacts resist rolling (a tenth of friction), and pivoting too (a "
                      "twentieth; 3D only)."),
    MRN_OPTION_NUMBER("fixed", "", "1", 0, 1, 0.1, "Share of contacts with something fixed."),
    MRN_OPTION_NUMBER("open", "", "1", 0, 1, 0.3, "Share of contacts that are open in the answer."),
    MRN_OPTION_NUMBER("sliding", "", "1", 0, 1, 0.3,
                      "Share of contacts that slide in the answer, of those that are not open."),
};

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg);
static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg);

const mrn_problem_family mrn_family_random = {
    .name = "random",
    .summary = "Random bodies and contacts; well- or ill-conditioned, the answer is known.",
    .doc = "Each contact joins two random bodies (or one with something fixed) at a random point "
           "with a random normal; nothing like it exists in space, and W is as general as one of "
           "that sparsity can be. Impulses r and velocities u that satisfy the laws are drawn "
           "first (open, sticking, sliding), then q = u - W r: a solution exists for any "
           "condition. Impulses are drawn in proportion to the lighter mass. Friction of each "
           "contact is drawn between 0.5 and 1.5 times the given one.",
    .params = params,
    .n_params = MRN_COUNT_OF(params),
    .make = make,
    .answer = answer,
};

static mrn_vec3 random_point(mrn_rng *rng, bool flat)
{
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = 2 * mrn_rng_uniform(rng) - 1;
    return mrn_v3(x[0], x[1], flat ? 0 : x[2]);
}

static mrn_vec3 random_direction(mrn_rng *rng, bool flat)
{
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = mrn_rng_normal(rng);
    return flat ? mrn_unit(mrn_v3(x[0], x[1] + 1e-300, 0)) : mrn_unit(mrn_v3(x[0], x[1], x[2]));
}

static mrn_status add_bodies(mrn_assembly *y, const mrn_value *option, mrn_rng *rng,
                             mrn_message *msg)
{
    bool flat = option[DIMENSION].number == 0;
    mrn_status s = MRN_OK;
    for (int i = 0; i < (int)option[BODIES].number && s == MRN_OK; i++) {
        mrn_assembly_body b = {.x = random_point(rng, flat)};
        double draw = mrn_rng_uniform(rng), k[3];
        for (int d = 0; d < 3; d++)
            k[d] = 0.2 + 0.4 * mrn_rng_uniform(rng);
        b.mass = pow(option[CONDITION].number, draw);
        b.inertia = mrn_scale(b.mass, mrn_v3(k[0], k[1], k[2]));
        s = mrn_assembly_add_body(y, &b, msg);
    }
    return s;
}

static mrn_status add_contacts(mrn_assembly *y, const mrn_value *option, mrn_rng *rng,
                               mrn_message *msg)
{
    static const double part[MRN_FRICTION_GROUPS] = {1, 0.1, 0.05};
    bool flat = option[DIMENSION].number == 0;
    int n = (int)option[BODIES].number;
    mrn_status s = MRN_OK;
    for (int i = 0; i < (int)option[CONTACTS].number && s == MRN_OK; i++) {
        double fixed = mrn_rng_uniform(rng), first = mrn_rng_uniform(rng);
        double other = mrn_rng_uniform(rng);
        mrn_assembly_contact c = {.a = (int32_t)(first * n), .b = -1};
        if (n > 1 && fixed >= option[FIXED].number)
            c.b = (int32_t)((c.a + 1 + (int64_t)(other * (n - 1))) % n);
        c.point = random_point(rng, flat);
        c.normal = random_direction(rng, flat);
        for (int g = 0; g < MRN_FRICTION_GROUPS; g++)
            c.mu[g] = part[g] * option[FRICTION].number * (0.5 + mrn_rng_uniform(rng));
        s = mrn_assembly_add_contact(y, &c, msg);
    }
    return s;
}

/* ---- the answer ---- */

static double lighter_mass(const mrn_problem *p, int i)
{
    double m = INFINITY;
    int dof = p->Ht.bc;
    for (int64_t k = p->Ht.start[i]; k < p->Ht.start[i + 1]; k++)
        m = fmin(m, 1 / p->minv[(int64_t)p->Ht.col[k] * dof * dof]);
    return m;
}

/* Impulse and velocity of one group of a closed contact: sliding, or sticking inside the cone. */
static void draw_group(int width, double room, bool slides, mrn_rng *rng, double *r, double *u)
{
    double angle = 2 * MRN_PI * mrn_rng_uniform(rng), size = 0.1 + mrn_rng_uniform(rng);
    double inside = 0.95 * mrn_rng_uniform(rng);
    double e[2] = {width == 1 ? (angle < MRN_PI ? 1 : -1) : cos(angle), sin(angle)};
    for (int k = 0; k < width; k++) {
        u[k] = slides ? size * e[k] : 0;
        r[k] = slides ? -room * e[k] : inside * room * e[k];
    }
}

/* r and u of all contacts; u may be NULL. Always the same number of draws. */
static void draw_answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                        double *u)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(p->kind);
    mrn_rng rng = mrn_rng_seed(seed, 2);
    for (int i = 0; i < p->n; i++) {
        double ri[MRN_CONTACT_BLOCK_MAX] = {0}, ui[MRN_CONTACT_BLOCK_MAX] = {0};
        bool open = mrn_rng_uniform(&rng) < option[OPEN].number;
        double size = 0.1 + mrn_rng_uniform(&rng);
        ri[0] = size * lighter_mass(p, i);
        for (int g = 0; g < lay->groups; g++) {
            bool slides = mrn_rng_uniform(&rng) < option[SLIDING].number;
            draw_group(lay->width[g], p->mu[g][i] * ri[0], slides || open, &rng, ri + lay->first[g],
                       ui + lay->first[g]);
        }
        if (open)
            ui[0] = size;
        for (int c = 0; c < lay->block; c++) {
            r[(int64_t)i * lay->block + c] = open ? 0 : ri[c];
            if (u != NULL)
                u[(int64_t)i * lay->block + c] = ui[c];
        }
    }
}

/* v -= M⁻¹ H r */
static void slow_down(const mrn_problem *p, const double *r, double *v)
{
    int dof = p->Ht.bc, block = p->Ht.br;
    for (int i = 0; i < p->n; i++)
        for (int64_t k = p->Ht.start[i]; k < p->Ht.start[i + 1]; k++) {
            int64_t body = p->Ht.col[k];
            const double *h = p->Ht.value + k * dof * block, *x = r + (int64_t)i * block;
            for (int d = 0; d < dof; d++)
                for (int c = 0; c < block; c++)
                    v[body * dof + d] -=
                        p->minv[(body * dof + d) * dof + d] * h[d * block + c] * x[c];
        }
}

/* q = u - Hᵀ M⁻¹ H r */
static mrn_status set_q(const mrn_value *option, uint64_t seed, mrn_problem *p, mrn_message *msg)
{
    double *r = NULL, *v = NULL;
    mrn_status s = mrn_array(&r, (int64_t)p->n * p->Ht.br, sizeof *r, msg);
    if (s == MRN_OK)
        s = mrn_array(&v, (int64_t)p->Ht.cols * p->Ht.bc, sizeof *v, msg);
    if (s == MRN_OK) {
        draw_answer(option, seed, p, r, p->q);
        slow_down(p, r, v);
        mrn_bsr_times(&p->Ht, v, true, p->q);
    }
    mrn_free(r);
    mrn_free(v);
    return s;
}

static mrn_status kind_of(const mrn_value *option, mrn_contact_kind *kind, mrn_message *msg)
{
    static const mrn_contact_kind flat[] = {MRN_CONTACT_2D, MRN_CONTACT_2D_ROLLING};
    static const mrn_contact_kind space[] = {MRN_CONTACT_3D, MRN_CONTACT_3D_ROLLING,
                                             MRN_CONTACT_3D_PIVOTING};
    int rolling = (int)option[ROLLING].number;
    if (option[DIMENSION].number == 0 && rolling > 1)
        return mrn_fail(msg, MRN_ERR_INPUT, "random: there is no pivoting in 2D");
    *kind = option[DIMENSION].number == 0 ? flat[rolling] : space[rolling];
    return MRN_OK;
}

static mrn_status make(const mrn_value *option, uint64_t seed, mrn_problem *out, mrn_message *msg)
{
    mrn_assembly y = {0};
    mrn_rng rng = mrn_rng_seed(seed, 1);
    *out = (mrn_problem){0};
    mrn_status s = mrn_family_check(&mrn_family_random, option, msg);
    if (s == MRN_OK)
        s = kind_of(option, &y.kind, msg);
    if (s == MRN_OK)
        s = add_bodies(&y, option, &rng, msg);
    if (s == MRN_OK)
        s = add_contacts(&y, option, &rng, msg);
    if (s == MRN_OK)
        s = mrn_assembly_finish(&y, &mrn_family_random, option, STORED, seed, out, msg);
    if (s == MRN_OK)
        s = set_q(option, seed, out, msg);
    if (s != MRN_OK)
        mrn_problem_release(out);
    mrn_assembly_release(&y);
    return s;
}

static mrn_status answer(const mrn_value *option, uint64_t seed, const mrn_problem *p, double *r,
                         mrn_message *msg)
{
    (void)msg;
    draw_answer(option, seed, p, r, NULL);
    return MRN_OK;
}
