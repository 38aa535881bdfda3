/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tangential spring, once for all laws that have one. Beside a dashpot the elongation is kept
   half a step ahead (as leap-frog keeps velocities), so force and energy are of second order in the
   step: the spring at step n is what was kept plus h/2 u. A spring without a dashpot is kept at the
   step itself and carried from one to the next by what can be undone (`mrn_passage`): nothing else
   would take from it what such a scheme feeds to it. A contact that began within the step has lived
   only since its overlap was zero. */
#ifndef MRN_LAWS_TANGENT_H
#define MRN_LAWS_TANGENT_H

#include <float.h>

#include "laws/begin.h"

/* The functions take and return values, never pointers: that is what lets the loops around them
 * vectorise. */

/* Spring s turned by the angle `turn` about n and brought into the plane across n, keeping its
 * length. */
MRN_FORMULA mrn_vec3 mrn_tangent_turn(mrn_vec3 n, double turn, mrn_vec3 s)
{
    double before = mrn_dot(s, s);
    s = mrn_axpy(turn, mrn_cross(n, s), s);
    s = mrn_axpy(-mrn_dot(s, n), n, s);
    double after = mrn_dot(s, s);
    double scale = sqrt(before / (after > 0 ? after : 1));
    return mrn_scale(after > 0 ? scale : 1, s);
}

/* Time the spring grows before it is read: half a step, or since the contact began. */
MRN_FORMULA double mrn_tangent_lead(double fresh, double h, double delta, double rate)
{
    MRN_UNLESS(fresh > 0, 0.5 * h);
    double reach = rate * h;
    double since = delta < reach ? delta / reach : 1;
    return fresh > 0 ? since * h : 0.5 * h;
}

/* The same for springs that are kept at the step and not half a step ahead. */
MRN_FORMULA double mrn_tangent_whole(double fresh, double h, double delta, double rate)
{
    double lead = mrn_tangent_lead(fresh, h, delta, rate);
    return fresh > 0 ? lead : 2 * lead;
}

/* What moves the tangential spring of one contact over a step. */
typedef struct mrn_sliding {
    mrn_vec3 n, u;                /* normal; tangential velocity of C relative to A          */
    double turn;                  /* angle about n                                           */
    double delta, rate, fresh, h; /* of the block: overlap, its rate, 1 on the first step, s */
} mrn_sliding;

/* What a tangential law answers. */
typedef struct mrn_tangential {
    mrn_vec3 force; /* taken from C: the force on C is minus this */
    mrn_vec3 ahead; /* the spring that is kept                    */
    double energy, power, work, slip;
} mrn_tangential;

typedef struct mrn_tangent {
    mrn_vec3 force;  /* taken from C: the force on C is minus this */
    mrn_vec3 spring; /* at the step                                */
    mrn_vec3 ahead;  /* half a step later: what is kept            */
    double slide;    /* 1 at Coulomb's limit                       */
} mrn_tangent;

/* A contact that sticks: the spring s that was kept has grown with velocity u for the time `lead`,
   and goes on to the end of `span`. */
MRN_FORMULA mrn_tangent mrn_tangent_stick(mrn_vec3 s, mrn_vec3 u, double k, double g, double lead,
                                          double span)
{
    mrn_vec3 now = mrn_axpy(lead, u, s), f = mrn_axpy(k, now, mrn_scale(g, u));
    mrn_tangent r = {f, now, mrn_axpy(span - lead, u, now), 0};
    return r;
}

/* s: the spring kept (half a step before, or zero at the beginning); it has grown with velocity
   u for the time `lead` since if the contact sticks. The whole vector k s + g u is cut at the limit
   mu fn. While sliding, spring and dashpot stand in series with the slider: k s + g ds/dt = limit,
   a relaxation with time g/k, by the midpoint rule over `span` (from the value kept to the next
   one). Its factor is bounded at -1/2, so that it still decays when g/k is shorter than the step.
   Setting the spring to (f - g u)/k or to f/k instead, as is often done, leaves a trace of the step
   in it: such schemes are of first order or worse. */
MRN_FORMULA mrn_tangent mrn_tangent_force(mrn_vec3 s, mrn_vec3 u, double k, double g, double limit,
                                          double lead, double span)
{
    mrn_tangent r = mrn_tangent_stick(s, u, k, g, lead, span);
    mrn_vec3 f = r.force;
    double size = sqrt(mrn_dot(f, f));
    MRN_UNLESS(size > limit, r);
    double slide = size > limit ? 1 : 0;
    double cut = size > limit ? limit / size : 1;
    double inv = k > 0 ? 1 / k : 0;
    double half = 0.5 * k * span, den = g + half;
    double factor = (g - half) / den, bounded = factor > -0.5 ? factor : -0.5;
    double keep = den > 0 ? bounded : 1;
    f = mrn_scale(cut, f);
    mrn_vec3 rest = mrn_scale(inv, f);
    mrn_vec3 next = mrn_axpy(keep, mrn_sub(s, rest), rest);
    r.force = f, r.slide = slide;
    r.ahead.x = slide > 0 ? next.x : r.ahead.x;
    r.ahead.y = slide > 0 ? next.y : r.ahead.y;
    r.ahead.z = slide > 0 ? next.z : r.ahead.z;
    r.spring.x = slide > 0 ? 0.5 * (s.x + next.x) : r.spring.x;
    r.spring.y = slide > 0 ? 0.5 * (s.y + next.y) : r.spring.y;
    r.spring.z = slide > 0 ? 0.5 * (s.z + next.z) : r.spring.z;
    return r;
}

/* Whether a contact that would bear f if it stuck may slide at this limit: no root is taken. Where
   it says no, the root of the square of f, rounded, is not above the limit: there is room for the
   rounding of both squares. */
MRN_FORMULA double mrn_tangent_may_slide(mrn_vec3 f, double limit)
{
    const double room = 1 - 16 * DBL_EPSILON;
    return mrn_dot(f, f) < room * (limit * limit) ? 0 : 1;
}

/* What a law answers of such a spring. */
MRN_FORMULA mrn_tangential mrn_tangential_of(mrn_tangent t, mrn_vec3 u, double k)
{
    mrn_tangential r;
    r.force = t.force, r.ahead = t.ahead;
    r.energy = 0.5 * k * mrn_dot(t.spring, t.spring);
    r.power = mrn_dot(t.force, u);
    r.work = 0;
    r.slip = t.slide;
    return r;
}

/* A spring on its way into a step: turned with its contact; its stiffness, dashpot and limit. */
typedef struct mrn_loaded {
    mrn_vec3 s;
    double k, g, limit;
} mrn_loaded;

MRN_FORMULA mrn_loaded mrn_tangent_loaded(mrn_sliding at, mrn_vec3 s, double k, double g,
                                          double limit)
{
    mrn_loaded r = {mrn_tangent_turn(at.n, at.turn, s), k, g, limit};
    return r;
}

MRN_FORMULA mrn_tangential mrn_tangential_go(mrn_sliding at, mrn_loaded a)
{
    double lead = mrn_tangent_lead(at.fresh, at.h, at.delta, at.rate), span = lead + 0.5 * at.h;
    return mrn_tangential_of(mrn_tangent_force(a.s, at.u, a.k, a.g, a.limit, lead, span), at.u,
                             a.k);
}

/* One step of a spring k, a dashpot g and Coulomb's limit. */
MRN_FORMULA mrn_tangential mrn_tangential_spring(mrn_sliding at, mrn_vec3 s, double k, double g,
                                                 double limit)
{
    return mrn_tangential_go(at, mrn_tangent_loaded(at, s, k, g, limit));
}

/* ---- springs without a dashpot: kept at the step, carried reversibly ---- */

/* From the last step to this one. The normal goes from n_0 over the middle one m, half-way between
   them, to n; velocities are those of the middle of the step. Spring and way are carried from plane
   to plane by the smallest turn that takes the normals into each other, and turned by the mean spin
   of the bodies about the normal, half before the way is added and half after:
       s = P T(n_0, n) s_0 + P^(1/2) T(m, n) h u_m.
   Seen backwards in time it is the same map, so a contact that sticks is neither fed nor robbed,
   however far it turns (docs/theory.md, "Friction"). */
typedef struct mrn_passage {
    mrn_vec3 n;      /* normal now                                                     */
    mrn_vec3 middle; /* and half-way: a unit vector along n_0 + n                      */
    mrn_vec3 way;    /* P^(1/2) T(m, n) h u_m: what C has slid on A, in the plane of n */
    double turn;     /* angle about the normal, whose P is a turn by 2 atan(turn/2)    */
} mrn_passage;

/* Half-way between two normals; n where they are opposite. */
MRN_FORMULA mrn_vec3 mrn_passage_middle(mrn_vec3 before, mrn_vec3 n)
{
    mrn_vec3 both = mrn_add(before, n);
    double square = mrn_dot(both, both), inv = 1 / sqrt(square > 1e-6 ? square : 1);
    mrn_vec3 m = mrn_scale(inv, both);
    m.x = square > 1e-6 ? m.x : n.x;
    m.y = square > 1e-6 ? m.y : n.y;
    m.z = square > 1e-6 ? m.z : n.z;
    return m;
}

/* P^(1/2) T(m, n) of the part of u across m; no trigonometry: the half of a turn by 2 atan(t/2)
   has the tangent t/2. */
MRN_FORMULA mrn_vec3 mrn_passage_velocity(mrn_vec3 m, mrn_vec3 n, double turn, mrn_vec3 u)
{
    u = mrn_axpy(-mrn_dot(u, m), m, u);
    u = mrn_axpy(-mrn_dot(u, n) / (1 + mrn_dot(m, n)), mrn_add(m, n), u);
    double t = 0.5 * turn, inv = 1 / sqrt(1 + t * t);
    return mrn_scale(inv, mrn_axpy(t, mrn_cross(n, u), u));
}

/* P T(n_0, n) s. Two reflections make a turn: across n_0, which leaves s, and across m. What
   round-off has left along n goes. */
MRN_FORMULA mrn_vec3 mrn_passage_carry(mrn_passage at, mrn_vec3 s)
{
    s = mrn_axpy(-2 * mrn_dot(s, at.middle), at.middle, s);
    s = mrn_axpy(-mrn_dot(s, at.n), at.n, s);
    double t = at.turn, g = 1 / (1 + 0.25 * t * t);
    return mrn_axpy(g * t, mrn_cross(at.n, s), mrn_scale(1 - 0.5 * g * t * t, s));
}

/* A spring k that slides at `limit`: it grows by the way and is cut to the limit of now (radial
   return), and so follows a falling limit without a lag. `before` is the stiffness that it was kept
   with. The work is that of the mean force along the way, as the step does it; what of it the
   spring does not hold is lost, and never less than nothing: with p the part of the way that slid,
   k/2 (s + s') . p, see mrn_slider_step. */
typedef struct mrn_kept {
    mrn_vec3 force, spring; /* taken from C; what is kept */
    double energy, work, slide;
} mrn_kept;

MRN_FORMULA mrn_kept mrn_kept_spring(mrn_passage at, mrn_vec3 s, double k, double limit,
                                     double before)
{
    s = mrn_passage_carry(at, s);
    mrn_vec3 trial = mrn_add(s, at.way);
    double size = k * sqrt(mrn_dot(trial, trial));
    double cut = size > limit ? limit / size : 1;
    mrn_kept r;
    r.spring = mrn_scale(cut, trial);
    r.force = mrn_scale(k, r.spring);
    r.energy = 0.5 * mrn_dot(r.force, r.spring);
    r.work = 0.5 * mrn_dot(mrn_axpy(before, s, r.force), at.way);
    r.slide = size > limit ? 1 : 0;
    return r;
}

MRN_FORMULA mrn_tangential mrn_tangential_kept(mrn_passage at, mrn_vec3 s, double k, double limit,
                                               double before)
{
    mrn_kept t = mrn_kept_spring(at, s, k, limit, before);
    mrn_tangential r = {t.force, t.spring, t.energy, 0, t.work, t.slide};
    return r;
}

/* ---- springs that are reset: what published codes do ---- */

/* What becomes of spring and dashpot at Coulomb's limit. */
typedef enum mrn_slip_rule {
    MRN_SLIP_SERIES,      /* both in series with the slider: mrn_tangent_force above */
    MRN_SLIP_RESET,       /* the spring alone is held against the limit and shortened to it; the
                             dashpot acts while it sticks, whatever the sum (LIGGGHTS, YADE)     */
    MRN_SLIP_RESET_TOTAL, /* the sum is held against the limit, and the spring set to what the
                             dashpot leaves of it (LAMMPS, MFiX)                                 */
} mrn_slip_rule;

/* A spring k beside a dashpot g at the velocity u, kept at the step, since a spring that is set
   anew has no half step ahead. The work is that of the spring alone; the dashpot's is its power. */
MRN_FORMULA mrn_tangential mrn_tangential_reset(mrn_passage at, mrn_vec3 s, mrn_vec3 u, double k,
                                                double g, double limit, double before, double total)
{
    s = mrn_passage_carry(at, s);
    mrn_vec3 trial = mrn_add(s, at.way), drag = mrn_scale(g, u), pull = mrn_scale(k, trial);
    mrn_vec3 held = mrn_axpy(total, drag, pull);
    double size = sqrt(mrn_dot(held, held)), slide = size > limit ? 1 : 0;
    double cut = size > limit ? limit / size : 1, inv = k > 0 ? 1 / k : 0;
    mrn_vec3 kept = mrn_axpy(-total, drag, mrn_scale(cut, held)); /* of the spring, when it slides
                                                                   */
    pull.x = slide > 0 ? kept.x : pull.x;
    pull.y = slide > 0 ? kept.y : pull.y;
    pull.z = slide > 0 ? kept.z : pull.z;
    double acts = slide > 0 ? total : 1; /* what of the dashpot does */
    mrn_tangential r;
    r.ahead = mrn_scale(inv, pull);
    r.force = mrn_axpy(acts, drag, pull);
    r.energy = 0.5 * mrn_dot(pull, r.ahead);
    r.power = acts * mrn_dot(drag, u);
    r.work = 0.5 * mrn_dot(mrn_axpy(before, s, pull), at.way);
    r.slip = slide;
    return r;
}

/* ---- in a plane, at an instant: vectors are numbers ---- */

/* A force no larger than the limit. */
MRN_FORMULA double mrn_cut_plane(double f, double limit)
{
    double size = fabs(f);
    return (size > limit ? limit / size : 1) * f;
}

/* Force on C of the spring k s and the dashpot g u. */
MRN_FORMULA double mrn_tangential_plane(double k, double s, double g, double u, double limit)
{
    return -mrn_cut_plane(k * s + g * u, limit);
}

/* ---- springs that slide by themselves ---- */

typedef struct mrn_slider {
    mrn_vec3 force;  /* of the spring, the mean over the step: k times `spring` */
    mrn_vec3 spring; /* at the step                                             */
    mrn_vec3 ahead;  /* half a step later: what is kept                         */
    double slide;    /* 1 at the limit                                          */
} mrn_slider;

MRN_FORMULA mrn_vec3 mrn_cut(mrn_vec3 a, double limit)
{
    double size = sqrt(mrn_dot(a, a));
    return mrn_scale(size > limit ? limit / size : 1, a);
}

/* A spring without dashpot, `move` being the way over one step, from half a step before to half a
   step after; k s never beyond `limit`. Never makes energy, whatever limit and way: with s' the
   spring ahead, p = s + move - s' what slid, and the force k (s + s')/2, the work is
       force . move = k/2 (s'^2 - s^2) + k/2 (s + s') . p,
   and the last term is not negative because p is along s' and neither s nor s' is longer than the
   limit. A dashpot g u joined to the sum of such springs and the whole cut again at a limit only
   takes more: the cut is the nearest point of a ball, a monotone map. */
MRN_FORMULA mrn_slider mrn_slider_step(mrn_vec3 s, mrn_vec3 move, double k, double limit)
{
    double most = k > 0 ? limit / k : 0;
    s = mrn_cut(s, most);
    mrn_vec3 trial = mrn_add(s, move);
    double slide = mrn_dot(trial, trial) > most * most ? 1 : 0;
    mrn_vec3 ahead = mrn_cut(trial, most), mid = mrn_scale(0.5, mrn_add(s, ahead));
    mrn_slider r = {mrn_scale(k, mid), mid, ahead, slide};
    return r;
}

/* What is kept of an elongation when the stiffness changes from `old` to k: when it grows the force
   stays (what is new carries nothing yet), when it falls the force falls with it. Neither makes
   energy. */
MRN_FORMULA double mrn_stiffness_keep(double old, double k)
{
    return old < k ? old / k : 1;
}

/* ---- micro-slip as one closed form ---- */

/* Share of Coulomb's limit that an elongation x (over that of full sliding) mobilises in the first
   loading of a Hertz contact: 1 - (1 - x)^(3/2). */
MRN_FORMULA double mrn_microslip(double x)
{
    double rest = x < 1 ? 1 - x : 0;
    return 1 - rest * sqrt(rest);
}

/* Its integral from 0 to x. */
MRN_FORMULA double mrn_microslip_energy(double x)
{
    double rest = x < 1 ? 1 - x : 0, to = x < 1 ? x : 1;
    return to - 0.4 * (1 - rest * rest * sqrt(rest));
}

/* Laws that follow that curve: the spring at the step and what is kept of it, never longer than
   `most`, the elongation of full sliding. */
typedef struct mrn_curve {
    mrn_vec3 now, ahead;
    double size, slide; /* length of `now`; 1 where all of the contact slides */
} mrn_curve;

MRN_FORMULA mrn_curve mrn_curve_step(mrn_sliding at, mrn_vec3 s, double most)
{
    s = mrn_tangent_turn(at.n, at.turn, s);
    double lead = mrn_tangent_lead(at.fresh, at.h, at.delta, at.rate);
    mrn_curve c;
    c.now = mrn_axpy(lead, at.u, mrn_cut(s, most));
    c.ahead = mrn_cut(mrn_axpy(0.5 * at.h, at.u, c.now), most);
    c.size = sqrt(mrn_dot(c.now, c.now));
    c.slide = c.size > most ? 1 : 0;
    return c;
}

/* The same for springs that are kept at the step. */
MRN_FORMULA mrn_curve mrn_curve_kept(mrn_passage at, mrn_vec3 s, double most)
{
    mrn_vec3 trial = mrn_add(mrn_passage_carry(at, mrn_cut(s, most)), at.way);
    mrn_curve c;
    c.now = c.ahead = mrn_cut(trial, most);
    c.size = sqrt(mrn_dot(c.now, c.now));
    c.slide = mrn_dot(trial, trial) > most * most ? 1 : 0;
    return c;
}

/* Their answer: `pull` times the spring and `drag` times the velocity, cut at the limit; x is the
   elongation over `most`. */
MRN_FORMULA mrn_tangential mrn_curve_force(mrn_sliding at, mrn_curve c, double pull, double drag,
                                           double x, double most, double limit)
{
    mrn_tangential r;
    r.force = mrn_cut(mrn_axpy(drag, at.u, mrn_scale(pull, c.now)), limit);
    r.ahead = c.ahead;
    r.energy = limit * most * mrn_microslip_energy(x);
    r.power = mrn_dot(r.force, at.u);
    r.work = 0;
    r.slip = c.slide;
    return r;
}

#endif
