# SPDX-License-Identifier: GPL-3.0-or-later
"""One function per object of a scene file; each gives a dict. Keys with hyphens have underscores here. Made by tools/gen-python.py: do not edit."""

from typing import Any, Mapping, Optional, Sequence, Union

Quantity = Union[float, str]  # SI, or a text with a unit: 2e-3 or "2 mm"

RENAMED = {"from_": "from", "in_": "in", "is_": "is", "global_": "global"}


def _given(arguments: dict) -> dict:
    return {RENAMED.get(k, k).replace("_", "-"): v for k, v in arguments.items() if v is not None}


def scene(
    *,
    materials: Mapping,
    interactions: Sequence,
    bodies: Any,
    stages: Sequence,
    title: Optional[str] = None,
    dimension: Optional[int] = None,
    method: Optional[str] = None,
    nonsmooth: Optional[Mapping] = None,
    quasistatic: Optional[Mapping] = None,
    event: Optional[Mapping] = None,
    seed: Optional[int] = None,
    gravity: Any = None,
    damping: Optional[Mapping] = None,
    integrator: Optional[str] = None,
    device: Optional[str] = None,
    precision: Optional[str] = None,
    clusters: Optional[Mapping] = None,
    walls: Optional[Sequence] = None,
    joints: Optional[Sequence] = None,
    forces: Any = None,
    outlets: Optional[Sequence] = None,
    cell: Optional[Mapping] = None,
    time_step: Any = None,
    accuracy: Optional[str] = None,
    output: Optional[Mapping] = None,
) -> dict:
    """A scene file: materials, what they do to each other, grains, walls and the stages of a run. Give it to
        moraine.Scene.

    materials: Materials by name.
    interactions: A law for every two materials that may meet.
    bodies: Groups of grains: a list, or a single one. `{from: out/packing}` takes them from another run.
    stages: The parts of the run, one after another.
    title: What the scene shows.
    dimension: 3: spheres in space; 2: disks in the plane, vectors have two components. Default: 3.
    method: How contacts are resolved. smooth: explicit dynamics of elastic grains with contact laws.
        nonsmooth: contact dynamics of rigid grains, with steps that do not depend on stiffness; of laws it
        takes restitution, friction and cohesion. event: hard spheres from collision to collision: gases and
        shaken grains, no steps; of laws it takes restitution and friction. quasistatic: no inertia: from
        equilibrium to equilibrium by increments of the load. Default: smooth.
    nonsmooth: Choices of method nonsmooth. Default: the defaults.
    quasistatic: Choices of method quasistatic. Default: the defaults.
    event: Choices of method event. Default: the defaults.
    seed: Seed of all random numbers: same seed, same bits. Default: 1.
    gravity: Acceleration of gravity. Default: none.
    damping: Artificial damping, to prepare a state. Default: none.
    integrator: verlet: second order, energy kept; euler: explicit, first order, to repeat published runs;
        gear: predictor-corrector of higher order, for studies. Default: verlet.
    device: What makes the steps of method smooth: the processor, a GPU (cuda), or the processor in place of a
        GPU (emulated: slow, to test one). Results have the same bits. Default: cpu.
    precision: What a device keeps: all numbers in double precision, or (mixed) velocities, forces,
        orientations and what contacts remember in single, places in double; a step is computed in double.
        Mixed takes less memory and time, and has other bits. Default: double.
    clusters: Templates of clusters, by name. Default: none.
    walls: Walls. Default: none.
    joints: What holds bodies together (method nonsmooth). Default: none.
    forces: Forces and torques on bodies. Default: none.
    outlets: Regions in which grains vanish. Default: none.
    cell: Periodic directions. Default: not periodic.
    time_step: A time, or a part of the critical time step. Best left out: computed from what is there.
        Default: computed, by accuracy.
    accuracy: How finely method smooth resolves impacts where `time-step` does not say: the step is 0.2
        (quick), 0.1 (normal) or 0.05 (fine) of 2 sqrt(m/k) of the stiffest single contact. Half the step
        costs twice the time. Measured: restitution 0.5 is off by 0.008, 0.003, 0.001; of the energy lost in a
        settling bed the ledger lacks 0.25, 0.06, 0.013 %. Other methods do not look at it. Default: normal.
    output: What is written, and how often. Default: the final state only.
    """
    return _given(locals())


def nonsmooth(
    *,
    theta: Optional[Quantity] = None,
    form: Optional[str] = None,
    solver: Any = None,
    fallback: Optional[str] = None,
    tolerance: Optional[Quantity] = None,
    criterion: Optional[str] = None,
    max_iterations: Optional[int] = None,
    check_every: Optional[int] = None,
    unsolved: Optional[str] = None,
    cycle: Optional[Quantity] = None,
    alert: Optional[Quantity] = None,
    threshold: Optional[Quantity] = None,
    projection: Optional[bool] = None,
    slop: Optional[Quantity] = None,
    sleep: Optional[bool] = None,
    sleep_speed: Optional[Quantity] = None,
    storage: Optional[str] = None,
) -> dict:
    """Choices of method nonsmooth. They may stand, and do nothing, under method smooth, so that one word
        switches.

    theta: Weight of the end of the step: 0.5 keeps energy, 1 is the most stable. Default: 0.5.
    form: When contacts take part. mixed: those that will rebound do so in the step in which they close, all
        others close without overlap; velocity: when they touch, restitution on velocities; closing: within
        the alert distance, gaps close exactly and nothing rebounds in the step in which it closes. Default:
        mixed.
    solver: How the contact problem of a step is solved; `moraine solvers` describes them. Default: nlgs.
    fallback: The solver that tries when `unsolved` is switch. Default: hybrid.
    tolerance: What the criterion must fall to in each step. 1e-3 suits flows; at 1e-3 packings at rest creep,
        small settlements under repeated loads need 1e-5 or less, see the page on the method. Default: 1e-4.
    criterion: What is compared with the tolerance. natural: residual of the natural map; contact: change of
        every contact's impulse in two sweeps; mean, quadratic, max, signed: what a sweep changes, as an
        energy (`moraine solvers`). At one tolerance natural and contact ask for far more than the energies
        do. All but natural need a solver that sweeps (nlgs, nlgs-exchange). The natural residual is reported
        in any case. Default: natural.
    max_iterations: Iterations or sweeps in a step at most. Default: the solver's own; 500 where another one
        waits (unsolved: switch).
    check_every: Sweeps between two looks at the criterion. Default: the solver decides.
    unsolved: When a step does not reach the tolerance. go-on: with the best impulses found, counted and
        reported; halve: the step is made again in halves; switch: the fallback solver tries, and goes on as
        go-on where it fails too; stop: the run ends. Default: switch.
    cycle: Time after which the load comes back. The impulses of one cycle ago are then a second guess to
        begin a step from, the better of the two being taken: hyperstatic packings under many cycles need a
        fraction of the sweeps. What counts as solved stays the same. Taken to whole steps, 10000 at most.
        Default: none.
    alert: Distance from which pairs are looked at as contacts to come. Default: 0.05 of the mean radius.
    threshold: Approaches slower than this do not rebound: grains come to rest. Default: 2 |g| h.
    projection: Overlaps beyond `slop` are taken out by moving grains, without giving them speed; the energy
        of this has its own account. Default: true.
    slop: Overlap that the projection leaves. Default: 0.001 of the mean radius.
    sleep: Groups of grains in touch that have come to rest are left out until something disturbs them.
        Default: false.
    sleep_speed: Speed (for spins: times the radius) below which grains may fall asleep. Default: chosen.
    storage: stored: the blocks of the problem are kept in memory where the solver needs them or is quicker
        with them (disks); exchange: never, contacts meet through the velocities of their bodies, which takes
        less memory. Default: stored.
    """
    return _given(locals())


def solver(
    *,
    hybrid: Optional[Mapping] = None,
    nlgs: Optional[Mapping] = None,
    nlgs_exchange: Optional[Mapping] = None,
    interior_point: Optional[Mapping] = None,
    newton: Optional[Mapping] = None,
    apgd: Optional[Mapping] = None,
    cpg: Optional[Mapping] = None,
    admm: Optional[Mapping] = None,
    alternating: Optional[Mapping] = None,
    global_: Optional[Mapping] = None,
) -> dict:
    """A solver of contact problems with its options: `{nlgs: {relaxation: 1.2}}`.

    hybrid: Sweeps and gradients in turns, Newton and interior points when quicker.
    nlgs: Non-linear Gauss-Seidel on stored blocks of W.
    nlgs_exchange: Non-linear Gauss-Seidel through body velocities: no W in memory.
    interior_point: Interior points in the second-order cone, friction not associated.
    newton: Generalised Newton on the whole problem with proximal points.
    apgd: Accelerated projected gradient with restart.
    cpg: Projected conjugate gradient on frozen friction discs.
    admm: Alternating directions with one factorisation and Anderson's mixing.
    alternating: Normal and tangential impulses in turns.
    global_: Uncondensed: velocities of bodies by Newton's method.
    """
    return _given(locals())


def solver_hybrid(
) -> dict:
    """Sweeps of non-linear Gauss-Seidel and accelerated projected gradients take turns, the one that gained
        more for its cost being preferred, as long as they promise an end sooner than factorisations would
        cost. Else Newton's steps with proximal points and interior points that start from the best iterate
        are tried, whichever costs less; iterates of interior points are cleaned by a few sweeps, and by
        Newton's steps where they are close or slow. A method that no longer halves its residual ends, and is
        tried again when turns have come clearly nearer; where neither gains any more both start elsewhere,
        with growing patience, Newton's steps from where those of the try before ended. Where H and M are
        given, matrices are those of the bodies and W is not made. Choices rest on counted operations, so that
        the result is the same in every run.

    """
    return _given(locals())


def solver_nlgs(
    *,
    order: Optional[str] = None,
    relaxation: Optional[Quantity] = None,
    local: Optional[str] = None,
    seed: Optional[Quantity] = None,
) -> dict:
    """For every contact in turn, with the impulses of all others frozen at their newest values, u_i = (q_i +
        sum over j != i of W_ij r_j) + W_ii r_i is solved with the laws of the contact; a sweep visits all
        contacts, sweeps go on until the criterion is met (Jean 1999; Moreau 1999). The blocks of W are
        stored; a contact reads its row.

    order: Order of the contacts in a sweep: as given, there and back in turn, shuffled anew for every sweep,
        by colours (contacts of a colour share no body and run on all threads), or by slabs (neighbours in
        space follow each other, every second slab runs on all threads). auto: by slabs from 1500 contacts on
        where contacts meet through bodies, else as given.
    relaxation: Share of the change that a contact really makes; above 1 over-relaxation, projected on the
        cone.
    local: Solver of one contact: auto is exact in 2D, and in 3D a Newton iteration on the direction of
        sliding alone.
    seed: Of the shuffled order.
    """
    return _given(locals())


def solver_nlgs_exchange(
    *,
    order: Optional[str] = None,
    relaxation: Optional[Quantity] = None,
    local: Optional[str] = None,
    seed: Optional[Quantity] = None,
) -> dict:
    """For every contact in turn, with the impulses of all others frozen at their newest values, u_i = (q_i +
        sum over j != i of W_ij r_j) + W_ii r_i is solved with the laws of the contact; a sweep visits all
        contacts, sweeps go on until the criterion is met (Jean 1999; Moreau 1999). W is never formed:
        velocities of bodies are kept current, a contact reads those of its bodies and changes them (local-
        global exchange). The iterates are those of nlgs but for rounding.

    order: Order of the contacts in a sweep: as given, there and back in turn, shuffled anew for every sweep,
        by colours (contacts of a colour share no body and run on all threads), or by slabs (neighbours in
        space follow each other, every second slab runs on all threads). auto: by slabs from 1500 contacts on
        where contacts meet through bodies, else as given.
    relaxation: Share of the change that a contact really makes; above 1 over-relaxation, projected on the
        cone.
    local: Solver of one contact: auto is exact in 2D, and in 3D a Newton iteration on the direction of
        sliding alone.
    seed: Of the shuffled order.
    """
    return _given(locals())


def solver_interior_point(
) -> dict:
    """With x = (r_N, r_T/mu) and y = (u_N + mu |u_T|, mu u_T) the central path x o y = gap e of the second-
        order cone is followed with the scaling of Nesterov and Todd and Mehrotra's predictor-corrector; the
        term mu |u_T| of De Saxce, which makes Coulomb's law non-associated, is linearised with the rest. One
        block LU factorisation of W with changed diagonal blocks per iteration. Steps that become short are
        mended in two ways: alpha is added to the diagonal of W in the matrix, not in the residual, more of it
        after short steps and less after long ones; and up to five correctors after Gondzio (1996) bring
        products x o y that would leave the neighbourhood of the path back into it, with the same
        factorisation. An iterate that is near but slow is finished by Newton's steps with proximal points.
        Usually 5 to 40 iterations whatever the conditioning, hundreds in dense piles with much sliding
        (compare Acary, Armand, Nguyen and Shpakovych 2023).

    """
    return _given(locals())


def solver_newton(
    *,
    function: Optional[str] = None,
    linear: Optional[str] = None,
    regularisation: Optional[Quantity] = None,
    line_search: Optional[str] = None,
    sweeps: Optional[Quantity] = None,
) -> dict:
    """Every contact gets an equation F(r, u) = 0 that is equivalent to its laws and has a derivative almost
        everywhere (Alart and Curnier 1991; natural map; Fischer and Burmeister on the second-order cone,
        Fukushima, Luo and Tseng 2002). With A = dF/dr and C = dF/du a step is -(A + C (W + alpha 1))^-1 F:
        one sparse block LU factorisation, or a GMRES iteration. The velocity is u = W r + q + alpha (r -
        centre), whose last term vanishes in the end: steps for one centre give the next (proximal points).
        alpha shrinks as long as the steps find their way and grows, after some Gauss-Seidel sweeps, when they
        do not.

    function: Function whose zeros are the contact laws: Alart and Curnier's, the natural map of De Saxce's
        form, or Fischer and Burmeister's on the second-order cone.
    linear: Linear solver: a sparse block LU factorisation, or GMRES with the diagonal blocks as
        preconditioner, which needs less memory.
    regularisation: The first alpha, and every one near the answer, is c times the residual (in units of the
        mean diagonal of W): a singular W is then no obstacle. Around 1 is robust, 0.01 quicker near the
        answer.
    line_search: Steps are taken whole, or halved until |F|^2 falls as Armijo demands: below its value at the
        last iterate, or below the largest of the last eight (non-monotone). A search makes the function fall
        and the whole usually slower.
    sweeps: Gauss-Seidel sweeps before the first step, and whenever the steps did not find their way.
    """
    return _given(locals())


def solver_apgd(
    *,
    shift: Optional[str] = None,
    inner_accuracy: Optional[Quantity] = None,
    step_growth: Optional[Quantity] = None,
    restart: Optional[bool] = None,
    scaling: Optional[bool] = None,
) -> dict:
    """With a frozen shift s = g(u) the contact problem is that of least energy, min 1/2 r.W r + (q + s).r
        over the cones. Nesterov's method: r⁺ = P_K(y - t D⁻¹ (W y + q + s)), y⁺ = r⁺ + beta (r⁺ - r), with D
        the mean diagonal of each contact's own block (one factor per contact: the cone stays a cone) and a
        step t that grows slowly and is cut when d.W d > d.D d / t for d = r⁺ - y (Beck and Teboulle 2009).
        The momentum is dropped when (y - r⁺).D (r⁺ - r) > 0 (O'Donoghue and Candès 2015); for granular matter
        Mazhar, Heyn, Negrut and Tasora 2015. One product with W per iteration: that of y is a combination of
        those of iterates. Coulomb's law is not associated, so s depends on the answer. Renewed in every
        iteration, the method is quickest, but nothing ensures that it converges and with much sliding it can
        hover. Renewed in an outer loop it is a fixed-point iteration on s, slower and more reliable. `auto`
        begins with the former and takes the latter once the residual was not halved in 400 iterations.

    shift: When the shift g(u) is renewed: in every iteration, in an outer loop around associated problems, or
        in every iteration until that makes no more progress and in the loop from then on.
    inner_accuracy: The outer loop renews the shift when the residual of the associated problem is below this
        share of the residual.
    step_growth: Factor by which the step grows in an iteration, until a step is refused.
    restart: Forget the momentum when it points uphill.
    scaling: Measure the impulses of each contact by the mean diagonal of its own block.
    """
    return _given(locals())


def solver_cpg(
    *,
    inner_accuracy: Optional[Quantity] = None,
) -> dict:
    """With discs of radius mu r_N frozen, the contact problem is that of least energy 1/2 r.W r + q.r over
        half-lines r_N >= 0 and discs |r_T| <= mu r_N (Tresca's friction). It is solved by conjugate gradients
        projected on the tangent cone of the constraints at r (Renouf and Alart 2005): w = -u without what
        would leave an open contact or a disc, z = w over a diagonal preconditioner with one weight for the
        normal and one for each group, d = z + beta d_old with Polak and Ribière's beta, r⁺ = P(r + t d) with
        the exact t. Sliding contacts move along the edge of a disc; its curvature adds |u_T|/(mu r_N) to the
        second derivative there, in t and in the preconditioner, without which most steps go astray. A step
        that does not lower the energy is replaced by a projected gradient step with a checked length. When
        the frozen problem is solved well enough, discs are renewed: a fixed point of that is a solution.

    inner_accuracy: The discs are renewed when the residual of the problem with frozen discs is below this
        share of the residual.
    """
    return _given(locals())


def solver_admm(
    *,
    penalty: Optional[Quantity] = None,
    relaxation: Optional[Quantity] = None,
    memory: Optional[Quantity] = None,
    penalty_rule: Optional[str] = None,
) -> dict:
    """The impulse is held twice, r free and z in the cone, and the two are brought together (Glowinski and
        Marrocco 1975; Boyd et al. 2011; for friction Acary, Brémond and Huber 2018, Tasora, Mangoni, Benatti
        and Garziera 2021): (W + rho) r = rho z + lambda - q - g(lambda), z⁺ = P_K(z - lambda/rho + alpha (r -
        z)), lambda⁺ = what the projection cut off times rho: the velocity u + g(u) in the dual cone. De
        Saxcé's shift g is renewed in every iteration. All is scaled by the mean diagonal of each contact, one
        factor per contact. The matrix is factorised once (sparse L D Lᵀ, minimum-degree order); when W is
        asymmetric, that of its symmetric part, and the equation is written as a correction of z with the true
        W z on its right: the answer is that of W, and the iteration contracts as long as the skew part is
        small beside rho. The state x = z - lambda/rho follows a fixed-point iteration x <- x + f(x), which
        Anderson's mixing of the last steps extrapolates; a proposal with a longer f is taken back, and the
        next may reach less far. When the residual stays ten times above its best for 500 iterations, the
        penalty rho is doubled.

    penalty: Weight of r = z at the beginning, relative to the mean diagonal of W. Smaller is quicker where it
        converges; 0.03 to 0.3 is sensible.
    relaxation: Above 1: over-relaxation of the splitting.
    memory: Steps that Anderson's mixing remembers; 0: plain alternating directions.
    penalty_rule: fixed; raised when the residual stays far above its best (raise); or led by the ratio of the
        primal to the dual residual as well (balance). Every change costs a factorisation; there are at most
        eight.
    """
    return _given(locals())


def solver_alternating(
    *,
    sweeps: Optional[Quantity] = None,
) -> dict:
    """The normal impulses with frozen tangential ones (Signorini), then the tangential ones with bounds mu
        r_N of frozen normal ones (Tresca), each by some projected Gauss-Seidel sweeps, and so on
        (Panagiotopoulos 1975; Haslinger, Hlavacek and Necas 1996).

    sweeps: Gauss-Seidel sweeps over all contacts for each half before the other has its turn.
    """
    return _given(locals())


def solver_global(
    *,
    penalty: Optional[Quantity] = None,
    steps: Optional[Quantity] = None,
) -> dict:
    """The unknowns are the velocities v of the bodies, not the impulses: with multipliers r an impulse is R_N
        = max(0, r_N - rho u_N), R_T = r_T - rho u_T cut at mu R_N, and M v = H R(v) is solved by Newton's
        method with a sparse LU factorisation of the matrix of all bodies, 1 + M^-1 H (-dR/du) Ht; then r =
        R(v), until the laws hold (Alart and Curnier 1991). W is never formed.

    penalty: rho of a contact over the inverse of its diagonal of W: larger ones need fewer multipliers and
        more of Newton's steps for each, which from some hundred on lose their way.
    steps: Newton's steps for one set of multipliers, at most.
    """
    return _given(locals())


def quasistatic(
    *,
    rule: Optional[str] = None,
    increments: Optional[int] = None,
    tolerance: Optional[Quantity] = None,
    max_iterations: Optional[int] = None,
    new_contacts: Optional[bool] = None,
    unstable: Optional[str] = None,
    balanced: Optional[Quantity] = None,
    max_steps: Optional[int] = None,
) -> dict:
    """Choices of method quasistatic. They may stand, and do nothing, under another method.

    rule: How contacts slide. coulomb: without opening, the normal force stays. associated, along the normal
        of the cone, is refused in runs: `moraine analyze STATE --path LIST --rule associated` has it.
        Default: coulomb.
    increments: Increments of a stage, when its duration is known and no time step is given: time is the
        parameter of the load, and a step of it one increment. Default: 100.
    tolerance: Largest net force on a grain over the mean contact force. Default: 1e-6.
    max_iterations: Iterations of an increment at most, before it is cut in parts. Default: chosen.
    new_contacts: Grains that come to touch are contacts from then on. false: the network may only lose
        contacts; how far it goes by itself is seen. Default: true.
    unstable: Where no equilibrium is near any more. stop: the run ends and says so; smooth: explicit dynamics
        under the load reached finds the next equilibrium, and increments go on from there. Default: stop.
    balanced: Largest net force on a grain, over the mean contact force, at which dynamics has found an
        equilibrium (with unstable: smooth, and before the first increment). Default: 1e-4.
    max_steps: Steps of dynamics for one equilibrium at most. Default: 2e6.
    """
    return _given(locals())


def event(
    *,
    collapse_time: Optional[Quantity] = None,
) -> dict:
    """Choices of method event. They may stand, and do nothing, under another method.

    collapse_time: A collision of a body that collided less than this before is elastic and without friction
        (TC model), which ends inelastic collapse; 0: never. Default: 1e-4 of the time in which a grain falls
        its radius; without gravity 1e-5 of the time in which it flies it at the mean speed of the start.
    """
    return _given(locals())


def signal(
    *,
    sine: Optional[Mapping] = None,
    haversine: Optional[Mapping] = None,
    vibration: Optional[Mapping] = None,
    train: Optional[Mapping] = None,
    expression: Optional[str] = None,
    table: Optional[str] = None,
    column: Optional[str] = None,
    unit: Optional[str] = None,
    scale: Optional[Quantity] = None,
) -> dict:
    """A value that depends on time. Wherever a signal may stand, a quantity (`2 mm`), an expression of time
        in SI (`5e-3*sin(2*pi*50*t)`) or this mapping will do.

    sine: A sine of the time in the stage.
    haversine: Pulses of load.
    vibration: A shaken table with a given acceleration; for `path` of a wall, or gravity in its frame.
    train: Load of a sleeper beneath trains.
    expression: Numbers, t (time of the run), s (time in the stage), pi, e, + - * / ^, sin, cos, tan, asin,
        acos, atan, atan2, sinh, cosh, tanh, exp, log, sqrt, abs, min, max, floor, step(x) (0 before 0, then
        1), ramp(a, b, x) (0 below a, 1 above b) and beam(x) (exp(-|x|) (cos |x| + sin |x|): a rail on its
        foundation under a wheel at 0).
    table: A table with a header line: times (s, of the run) in the first column, values in the second. Linear
        between rows, constant before the first and after the last.
    column: The column of the table that holds the values. Default: the second.
    unit: Unit of the values. Default: SI.
    scale: A factor on all values. Default: 1.
    """
    return _given(locals())


def sine(
    *,
    amplitude: Quantity,
    frequency: Quantity,
    mean: Optional[Quantity] = None,
    phase: Optional[Quantity] = None,
) -> dict:
    """mean + amplitude sin(2 pi frequency s + phase), s the time in the stage.

    amplitude: How far it goes to each side.
    frequency: Cycles per second.
    mean: Value about which it goes. Default: 0.
    phase: Phase at the begin of the stage. Default: 0.
    """
    return _given(locals())


def haversine(
    *,
    max: Quantity,
    frequency: Quantity,
    min: Optional[Quantity] = None,
    cycles: Optional[int] = None,
    grow: Optional[Quantity] = None,
) -> dict:
    """min + (max - min) (1 - cos(2 pi frequency s))/2: pulses from `min` to `max` and back, as laboratories
        load ballast.

    max: Value at the peaks.
    frequency: Cycles per second.
    min: Value between the pulses; a cycle begins and ends with it. Default: 0.
    cycles: Afterwards it stays at `min`. Default: without end.
    grow: The first cycles, over which the peaks grow evenly to `max`. Default: 0.
    """
    return _given(locals())


def vibration(
    *,
    gamma: Quantity,
    frequency: Quantity,
) -> dict:
    """As a signal in m: the displacement of a shaken table by its acceleration, amplitude gamma g/(2 pi
        frequency)^2, a sine of the time in the stage. As a component of gravity: what is felt on that table,
        -9.81 m/s2 (1 - gamma sin(2 pi frequency s)), with the table at rest: the same motion, and contacts
        that stay closed then lose nothing (a wall that speeds up within a step of `nonsmooth` takes m (a
        h)^2/2 from each grain it carries).

    gamma: Largest acceleration over that of gravity, 9.81 m/s2. 0: at rest.
    frequency: Cycles per second.
    """
    return _given(locals())


def train(
    *,
    axle_load: Quantity,
    axles: Sequence,
    speed: Quantity,
    cars: Optional[int] = None,
    car_length: Optional[Quantity] = None,
    spacing: Optional[Quantity] = None,
    rail: Optional[Quantity] = None,
    foundation: Optional[Quantity] = None,
    at: Optional[Quantity] = None,
    passes: Optional[int] = None,
    interval: Optional[Quantity] = None,
) -> dict:
    """The force (a signal in N, positive: downwards on the sleeper; `scale: -1` for a force along -z, 0.5 for
        one rail seat) that a sleeper bears while trains pass at a steady speed. Rails are beams on an elastic
        foundation (Winkler, Zimmermann): an axle Q at distance x gives Q spacing/(2 L) beam(x/L), L = (4
        rail/foundation)^(1/4); axles add up, and where the rail would lift the sleeper the load is 0. Nothing
        dynamic is added: no unevenness, no waves. At s = 0 the first axle is 5 L before the place x = 0.

    axle_load: Force of each axle on the track (half of it on each rail).
    axles: Where the axles of a car are, from its first one on, rising.
    speed: Speed of the train.
    cars: How many cars. Default: 1.
    car_length: Distance from car to car. Default: needed with several cars.
    spacing: Distance of sleepers: what one bears is the foundation's pressure times this. Default: 0.6 m.
    rail: Bending stiffness E I of one rail (UIC 60: 6.4e6 N m2). Default: 6.4e6 N m2.
    foundation: Track modulus: force per length and deflection beneath one rail. Default: 30 MPa.
    at: Where along the track the sleeper is: one at 0.6 m bears the same, later. Default: 0.
    passes: How many trains pass. Default: 1.
    interval: Time from train to train. Default: as soon as the one before has passed.
    """
    return _given(locals())


def gravity(
    *,
    magnitude: Any = None,
    tilt: Any = None,
    about: Optional[str] = None,
) -> dict:
    """Gravity by its size and the tilt of the scene, instead of components.

    magnitude: Its size. Default: 9.81 m/s2.
    tilt: As if the scene were turned by this angle about the axis, the right-handed way: a positive tilt
        about y sends grains towards +x. At 0 gravity points down the last axis (-z, in 2D -y). An expression
        tilts slowly: `ramp(0, 60, s)*0.5`. Default: 0.
    about: The axis. Default: y, in 2D z.
    """
    return _given(locals())


def damping(
    *,
    global_: Optional[Quantity] = None,
    local: Optional[Quantity] = None,
) -> dict:
    """Damping that is not physics, to prepare a state quickly. It has its own account in the energy ledger; 0
        switches it off.

    global_: Force -global m v on every body, and likewise on its rotation. Default: 0.
    local: Each component of the resultant force is lowered by this part of it where it drives the motion and
        raised where it brakes (Cundall). Default: 0.
    """
    return _given(locals())


def material(
    *,
    density: Quantity,
    young: Optional[Quantity] = None,
    poisson: Optional[Quantity] = None,
) -> dict:
    """What grains and walls are made of.

    density: Density of the grain itself, not of the packing (in 2D: of a disk 1 m thick).
    young: Young's modulus. Needed by laws that come from elasticity, such as hertz-mindlin. Default: not
        given.
    poisson: Poisson's ratio. Default: 0.25.
    """
    return _given(locals())


def interaction(
    *,
    between: Any,
    law: Any,
    normal_stiffness: Optional[Quantity] = None,
    contact_time: Optional[Quantity] = None,
    restitution: Optional[Quantity] = None,
    normal_damping: Optional[Quantity] = None,
    end_of_contact: Optional[str] = None,
    friction: Optional[Quantity] = None,
    stiffness_ratio: Optional[Quantity] = None,
    damping_ratio: Optional[Quantity] = None,
    slip_rule: Optional[str] = None,
    friction_angle: Optional[Quantity] = None,
    damping: Optional[Quantity] = None,
    shear_stiffness: Optional[str] = None,
    load_coupling: Optional[str] = None,
    relaxation_time: Optional[Quantity] = None,
    restitution_speed: Optional[Quantity] = None,
    restitution_radius: Optional[Quantity] = None,
    eta1: Optional[Quantity] = None,
    eta2: Optional[Quantity] = None,
    unloading_stiffness: Optional[Quantity] = None,
    unloading_slope: Optional[Quantity] = None,
    eta1_over_young: Optional[Quantity] = None,
    eta2_over_eta1: Optional[Quantity] = None,
    factor: Optional[str] = None,
    factor_at_zero_eta2: Optional[Quantity] = None,
    modulus: Optional[str] = None,
    tangential_factor: Optional[str] = None,
    rolling_friction: Optional[Quantity] = None,
    rolling_stiffness: Optional[str] = None,
    rolling_stiffness_ratio: Optional[Quantity] = None,
    rolling_damping: Optional[Quantity] = None,
    work_of_adhesion: Optional[Quantity] = None,
    surface_energy: Optional[Quantity] = None,
    surface_tension: Optional[Quantity] = None,
    liquid_volume: Optional[Quantity] = None,
    liquid_share: Optional[Quantity] = None,
    contact_angle: Optional[Quantity] = None,
    liquid_viscosity: Optional[Quantity] = None,
    lubrication_cut_off: Optional[Quantity] = None,
    tangential_restitution: Optional[Quantity] = None,
    pivoting_friction: Optional[Quantity] = None,
    cohesion_force: Optional[Quantity] = None,
    cohesion_per_radius: Optional[Quantity] = None,
    stiffness: Optional[Quantity] = None,
    viscosity: Optional[Quantity] = None,
    tangential_viscosity: Optional[Quantity] = None,
    tangential_stiffness: Optional[Quantity] = None,
    rolling_viscosity: Optional[Quantity] = None,
    twisting_friction: Optional[Quantity] = None,
    twisting_stiffness_ratio: Optional[Quantity] = None,
    twisting_damping: Optional[Quantity] = None,
    cohesion_energy_density: Optional[Quantity] = None,
    cohesion_area: Optional[str] = None,
) -> dict:
    """What happens when two materials touch: a law and its parameters.

    between: The two materials, in any order. `any` stands for every material; an entry that names a pair goes
        before `[glass, any]`, and that before `any`.
    law: The contact law, or a mixture of parts; the parameters stand beside it.
    normal_stiffness: Spring stiffness. Give this or contact-time.
    contact_time: Half period of the damped spring, the same for every pair of grains: the stiffness then
        grows with the mass. Give this or normal-stiffness.
    restitution: Normal restitution: speed of parting over speed of approach (Newton). Approaches below the
        threshold of `nonsmooth:` do not rebound.
    normal_damping: Dashpot constant. Give this or restitution.
    end_of_contact: force: a contact ends when its force returns to zero, never pulls (default); overlap: it
        ends at zero overlap and may pull for a moment before.
    friction: Coulomb's coefficient of friction.
    stiffness_ratio: k_t / k_n. Default: that of elastic spheres of the two materials, 2 (1 - nu) / (2 - nu)
        when they are alike.
    damping_ratio: Tangential over normal dashpot constant.
    slip_rule: What becomes of spring and dashpot at Coulomb's limit. series: both stand in series with the
        slider, as a mechanical model does (default; the limit of small steps is reached in second order);
        reset: the spring alone is held against the limit and reset to F_t / k_t, the dashpot acts only while
        it sticks (LIGGGHTS, YADE); reset-total: spring and dashpot together are held against it and the
        spring is reset to what the dashpot leaves, (F_t - gamma_t v_t) / k_t (LAMMPS, MFiX). Without a
        dashpot all three are one.
    friction_angle: The angle of friction, instead of `friction`.
    damping: Tsuji's alpha. Give this or restitution.
    shear_stiffness: two-body: both grains yield, 8 G* sqrt(R delta) (default); particle: one alone, 8 G/(2 -
        nu) sqrt(R delta) with the material that yields more. That is twice as much for like materials; only
        for comparison with published runs that take it.
    load_coupling: What a change of the normal load does to the tangential force. rescale: kept while the load
        grows, shrinks with the contact radius while it falls (default; never makes energy); total: always
        stiffness times elongation; incremental: never changes. The last two make energy on some paths; many
        codes and published runs use them.
    relaxation_time: Relaxation time of the material. Give this, or restitution with its speed and radius, or
        eta1 and eta2.
    restitution_speed: Relative speed of the impact at which restitution was measured.
    restitution_radius: Radius of both spheres when restitution was measured; their density is the mean of the
        two materials'. For a sphere that fell on a plane give its radius and half its speed.
    eta1: Viscosity of the material in shear. Give this or eta1-over-young.
    eta2: Viscosity of the material in compression. Give this or eta2-over-eta1; default 0.
    unloading_stiffness: Stiffness of unloading and reloading, not below normal-stiffness. Give this,
        restitution or unloading-slope.
    unloading_slope: Unloading stiffens with the largest force borne, k_2 = k_1 + S F_max: restitution falls
        with speed. Give this, restitution or unloading-stiffness.
    eta1_over_young: eta1 over Young's modulus; published range 1e-8 s to 1e-5 s, reference 1e-6 s. Materials
        that differ count with the modulus 2 (1 - nu^2) E* of two alike ones, nu their mean. Give this or
        eta1.
    eta2_over_eta1: eta2 over eta1; published range 0 to 10. Give this or eta2; default 0.
    factor: published: the factor (0.8 + 26 nu^3) (eta2/eta1)^(-1/2) (delta/R)^0.04 on the viscous force
        (default); none: factor 1, which is the viscoelastic law with this A; rigorous: factor 1 and the A of
        law viscoelastic, found from eta1 and eta2 without the assumption that stresses follow from strains at
        rest (Brilliantov, Pimenova & Goldobin 2015): no modulus to choose, and eta2 may be 0.
    factor_at_zero_eta2: What stands for the published factor where eta2 is 0, and it infinite.
    modulus: Which modulus divides the viscosities in A. young: E, as the formula is printed (default);
        effective: E*, as in a program whose fits were published: it damps 2 (1 - nu^2) times as much between
        like bodies.
    tangential_factor: Correction of the viscous term. published: h = 1 - 0.4 q with q = eta1 |d(xi)/dt|/(2 G
        xi_max), not below 0 (default); none: h = 1.
    rolling_friction: Largest rolling moment over R F_n, R the effective radius 1/(1/R_a + 1/R_b), as in the
        rolling laws.
    rolling_stiffness: Stiffness against rolling. ai: k_r = 2.25 k_n (mu_r R)^2 (default); iwashita-oda: k_r =
        k_t R^2, k_t = kappa k_n with kappa of elastic spheres of the two materials.
    rolling_stiffness_ratio: Stiffness against rolling, given as a number in place of rolling-stiffness.
    rolling_damping: Damping over that which is critical for a grain that rolls on a wall, 2 sqrt(7/5 m R^2
        k_r); between equal grains half of this share.
    work_of_adhesion: Energy to part a unit area of the two surfaces. Give this or surface-energy.
    surface_energy: Energy of a unit area of one free surface, W = 2 gamma (like materials). Give this or
        work-of-adhesion.
    surface_tension: Surface tension of the liquid; water 0.072 N/m.
    liquid_volume: Volume of each bridge. Give this or liquid-share.
    liquid_share: Volume of each bridge over that of one grain of radius 2 R, R the effective radius: the
        volume of a grain when both are alike. Give this or liquid-volume.
    contact_angle: Angle at which the liquid meets the grains.
    liquid_viscosity: Viscosity of the liquid; 0: capillary force only.
    lubrication_cut_off: Distance below which the lubrication force grows no more: the roughness of the
        grains. Default R/1000.
    tangential_restitution: Tangential restitution, where friction can hold it; with 0 a contact that sticks
        does not slide back.
    pivoting_friction: Largest moment about the normal over R F_n (3D), as `twisting-friction` of the twisting
        laws.
    cohesion_force: Force that parts two grains in touch, the same at every size.
    cohesion_per_radius: Force that parts two grains in touch over their effective radius, added to cohesion-
        force: 3/2 pi W after JKR, 2 pi W after DMT, 4 pi gamma cos(theta) of a liquid bridge.
    stiffness: Elastic repulsion of the contact, solved implicitly: any stiffness at any time step. Left out:
        rigid.
    viscosity: Beside a stiffness: the contact presses with max(0, k_n delta + v_n ddelta/dt), solved
        implicitly.
    tangential_viscosity: Regularised friction, solved implicitly: a contact resists sliding with v_t u_T up
        to Coulomb's limit. It never sticks. Left out: Coulomb's law itself.
    tangential_stiffness: A contact that sticks gives way along its face by F_T/k_t, as elastic grains do,
        solved implicitly: any stiffness at any time step. Left out: it sticks rigidly.
    rolling_viscosity: Rolling moment over R F_n per speed R |w|, R the effective radius.
    twisting_friction: Largest twisting moment over R F_n, R the effective radius 1/(1/R_a + 1/R_b).
    twisting_stiffness_ratio: Stiffness against twisting. Default 2.25 mu_w^2, as elastic-plastic rolling has
        it.
    twisting_damping: Damping over that which is critical for a grain that spins on a wall, 2 sqrt(2/5 m R^2
        k_w); between equal grains half of this share.
    cohesion_energy_density: Pull per contact area, 1 Pa = 1 J/m3.
    cohesion_area: hertz: A = pi R delta, the area of an elastic contact (default); overlap: A = 2 pi R delta,
        the circle where the two spheres intersect.
    """
    return _given(locals())


def mixture(
    *,
    model: Optional[str] = None,
    normal: Optional[str] = None,
    tangential: Optional[str] = None,
    rolling: Optional[str] = None,
    twisting: Optional[str] = None,
    cohesion: Optional[str] = None,
) -> dict:
    """A law put together from parts. `moraine laws` lists models and parts.

    model: A law whose parts are taken where no other is named. Default: no part.
    normal: The normal part. Default: that of the model.
    tangential: The tangential part; `none` removes it. Default: that of the model.
    rolling: The resistance to rolling; `none` removes it. Default: that of the model.
    twisting: The resistance to twisting; `none` removes it. Default: that of the model.
    cohesion: What draws grains together; `none` removes it. Default: that of the model.
    """
    return _given(locals())


def cluster_template(
    *,
    spheres: Optional[Sequence] = None,
    disks: Optional[Sequence] = None,
    file: Optional[str] = None,
    form: Optional[str] = None,
    aspect: Optional[Quantity] = None,
    samples: Optional[int] = None,
) -> dict:
    """A rigid cluster of overlapping spheres (disks in 2D), as a template. Its size comes from the shape of
        the bodies: radius or diameter of the sphere of equal volume.

    spheres: Rows x, y, z, radius in any frame and scale (3D).
    disks: Rows x, y, radius in any frame and scale (2D).
    file: The same from a table with a header line: x, y[, z], radius.
    form: A ready-made one; these names may also be used without a template.
    aspect: Of a form: length over thickness; at most 2 for dimer, trimer and tetrahedron, where the spheres
        just touch. Default: 1.5; of rod and cross 3.
    samples: Points of the Monte Carlo integration of mass and inertia, where three or more spheres share a
        point; else the integration is exact. Default: 4e6.
    """
    return _given(locals())


def body_group(
    *,
    name: Optional[str] = None,
    material: Optional[str] = None,
    from_: Any = None,
    shape: Optional[Mapping] = None,
    count: Optional[int] = None,
    solid_fraction: Optional[Quantity] = None,
    place: Optional[Mapping] = None,
    velocity: Optional[Sequence] = None,
    spin: Any = None,
    velocity_spread: Optional[Quantity] = None,
    fixed: Optional[bool] = None,
    orientation: Optional[Sequence] = None,
    rotation: Any = None,
    hold: Optional[Sequence] = None,
    drive: Optional[Mapping] = None,
) -> dict:
    """A group of grains of one material and shape.

    name: To refer to the group in probes, pictures and `--set`. Default: bodies-1, bodies-2, ….
    material: What the grains are made of. Default: the material, when there is only one.
    from_: The grains of another run in place of shape and place: its folder, or a mapping that says more.
        Every group of that run becomes one of this scene, by the same name; `name` renames a single one.
    shape: Shape and size.
    count: How many grains: exactly so many in a filled region, at most in a lattice or through an inlet.
    solid_fraction: How many grains to fill in: until their volume is this part of the region.
    place: Where the grains are at the start.
    velocity: Velocity at the start, or on entering. Default: 0.
    spin: Angular velocity at the start; in 2D one quantity. Default: 0.
    velocity_spread: Standard deviation of a random part added to each component of the velocity. Default: 0.
    fixed: The grains do not move: a rough bottom, an obstacle. Default: false.
    orientation: Orientation as a quaternion w, x, y, z (3D). Of all listed grains that have none of their
        own. Default: at random.
    rotation: Orientation as a rotation about an axis; in 2D one angle. Of all listed grains that have none of
        their own. Default: at random.
    hold: Degrees of freedom that stay at rest: displacements x, y, z and rotations rx, ry, rz about the axes
        of space (method nonsmooth). Default: all degrees of freedom are free.
    drive: Degrees of freedom that move as imposed (method nonsmooth). Default: none.
    """
    return _given(locals())


def from_(
    *,
    run: str,
    frame: Optional[int] = None,
    groups: Any = None,
    rotation: Any = None,
    about: Optional[Sequence] = None,
    move: Optional[Sequence] = None,
    inside: Optional[Mapping] = None,
    outside: Optional[Mapping] = None,
    materials: Optional[Mapping] = None,
    at_rest: Optional[bool] = None,
) -> dict:
    """Grains of another run, as it left them: shapes, sizes, places and motion, each group with its name.
        Contacts begin anew: they remember nothing of that run.

    run: The folder of the run (its checkpoint; without one, its last frame), or a checkpoint.h5 or
        trajectory.h5, as seen from the folder of this scene.
    frame: A frame of its trajectory instead: 0 is the first, -1 the last. Default: the checkpoint.
    groups: Its groups that are taken, by name. Default: all.
    rotation: Orientation as a rotation about an axis; in 2D one angle. Of the whole packing about `about`,
        before it is moved. Default: not turned.
    about: The point about which the packing is turned. Default: the origin.
    move: Displacement of the whole packing. Default: not moved.
    inside: Grains are kept whose centre lies in this region, after turning and moving. Default: all.
    outside: Grains whose centre lies in this region, after turning and moving, are left out. Default: none
        are left out.
    materials: Materials of that run, each with the one of this scene that takes its place; `material` of the
        group is for all grains. Default: materials of the same name.
    at_rest: Velocities and spins are set to 0; else they are those of that run, turned with the packing.
        Default: false.
    """
    return _given(locals())


def rotation(
    *,
    axis: Sequence,
    angle: Quantity,
) -> dict:
    """A rotation about an axis (3D).

    axis: The axis.
    angle: The angle, the right-handed way.
    """
    return _given(locals())


def cut(
    *,
    box: Optional[Sequence] = None,
    cylinder: Optional[Mapping] = None,
    sphere: Optional[Mapping] = None,
) -> dict:
    """Where grains are kept or left out.

    box: Two corners, the lower one first.
    cylinder: A cylinder (3D).
    sphere: A sphere, in 2D a circle.
    """
    return _given(locals())


def cylinder_region(
    *,
    from_: Sequence,
    to: Sequence,
    radius: Optional[Quantity] = None,
    diameter: Optional[Quantity] = None,
) -> dict:
    """A cylinder as a region (3D).

    from_: One end of the axis.
    to: The other end.
    radius: Radius.
    diameter: Diameter.
    """
    return _given(locals())


def sphere_region(
    *,
    centre: Sequence,
    radius: Optional[Quantity] = None,
    diameter: Optional[Quantity] = None,
) -> dict:
    """A sphere as a region, a circle in 2D.

    centre: Centre.
    radius: Radius.
    diameter: Diameter.
    """
    return _given(locals())


def shape(
    *,
    sphere: Optional[Mapping] = None,
    disk: Optional[Mapping] = None,
    cluster: Optional[Mapping] = None,
    polygon: Optional[Mapping] = None,
    polyhedron: Optional[Mapping] = None,
) -> dict:
    """The shape of grains, with radius or diameter: `sphere: {diameter: 2 mm}`.

    sphere: a ball, the grain of a 3D scene; in 2D its centre stays in the plane
    disk: a disk of 1 m thickness, the grain of a 2D scene
    cluster: a rigid grain of overlapping spheres (disks in 2D)
    polygon: a grain with corners of a 2D scene, 1 m thick
    polyhedron: a grain with flat faces, edges and corners
    """
    return _given(locals())


def shape_sphere(
    *,
    radius: Any = None,
    diameter: Any = None,
) -> dict:
    """A homogeneous ball. Its size is given by `radius` or `diameter`: one quantity, or a size distribution.
        Volume 4/3 pi r^3, moment of inertia 2/5 m r^2. In 2D the centre stays in the x-y plane and the ball
        turns about z: forces are those of single balls, as contact laws of spheres (Hertz, Mindlin, JKR, ...)
        need it; stresses are forces per metre of the plane, and solid fractions those of the areas pi r^2.

    radius: Radius, or a distribution of radii.
    diameter: Diameter, or a distribution of diameters.
    """
    return _given(locals())


def size(
    *,
    uniform: Optional[Sequence] = None,
    normal: Optional[Mapping] = None,
    log_normal: Optional[Mapping] = None,
    category: Optional[str] = None,
    sieve: Optional[Sequence] = None,
) -> dict:
    """A distribution of grain sizes instead of one size.

    uniform: Evenly between two sizes, by number.
    normal: Normal, by number.
    log_normal: Log-normal, by number.
    category: Railway ballast of a category of EN 13450 (A, B, C: 31.5 to 50 mm, D, E, F: 31.5 to 63 mm): the
        middle of its limits (`moraine sieve --category` prints them), from 0 at 22.4 mm. The limits are
        recalled from the standard: compare them with your copy.
    sieve: A sieve curve: rows of size and percent passing by mass, from 0 to 100, both rising.
    """
    return _given(locals())


def normal(
    *,
    mean: Quantity,
    deviation: Quantity,
    min: Optional[Quantity] = None,
    max: Optional[Quantity] = None,
) -> dict:
    """A normal distribution of sizes, by number, cut at both ends.

    mean: Mean.
    deviation: Standard deviation.
    min: Smaller sizes are drawn again. Default: mean less 3 deviations.
    max: Larger sizes are drawn again. Default: mean and 3 deviations.
    """
    return _given(locals())


def log_normal(
    *,
    median: Quantity,
    sigma: Quantity,
    min: Optional[Quantity] = None,
    max: Optional[Quantity] = None,
) -> dict:
    """A log-normal distribution of sizes, by number, cut at both ends.

    median: Median size.
    sigma: Standard deviation of the logarithm of the size.
    min: Smaller sizes are drawn again. Default: median divided by exp(3 sigma).
    max: Larger sizes are drawn again. Default: median times exp(3 sigma).
    """
    return _given(locals())


def shape_disk(
    *,
    radius: Any = None,
    diameter: Any = None,
) -> dict:
    """A homogeneous disk in the x-y plane that turns about z. Its size is given by `radius` or `diameter`:
        one quantity, or a size distribution. Masses and forces are per metre of thickness: volume pi r^2 x 1
        m, moment of inertia 1/2 m r^2. Contact laws of spheres would press a slice 1 m thick with the
        stiffness of a ball and are refused: take shape sphere for balls in a plane.

    radius: Radius, or a distribution of radii.
    diameter: Diameter, or a distribution of diameters.
    """
    return _given(locals())


def shape_cluster(
    *,
    of: str,
    radius: Any = None,
    diameter: Any = None,
) -> dict:
    """Spheres (disks in 2D) that overlap or touch and move as one rigid grain. Material that several of them
        share counts once. Its size is given by `radius` or `diameter` of the sphere (disk) of equal volume:
        one quantity, or a size distribution; its form by the spheres, in any scale. Volume, centre of mass
        and principal moments of inertia are exact when no three spheres share a point, else they are measured
        with some million points; the error is stated.

    of: A template of `clusters`, or dimer, trimer, tetrahedron, rod, cross.
    radius: Radius, or a distribution of radii.
    diameter: Diameter, or a distribution of diameters.
    """
    return _given(locals())


def shape_polygon(
    *,
    sides: Optional[int] = None,
    box: Optional[Sequence] = None,
    points: Optional[Sequence] = None,
    parts: Optional[Sequence] = None,
    random: Optional[Mapping] = None,
    sieve_size: Any = None,
    radius: Any = None,
    diameter: Any = None,
) -> dict:
    """A rigid polygon in the x-y plane, convex or of convex parts stuck together. Its size is given by
        `radius` or `diameter` of the disk of equal area: one quantity, or a size distribution. Its form, in
        any scale, is given in one of these ways:  - `sides: 5`: a regular polygon, standing on a side. -
        `box: [2, 1]`: a rectangle of these proportions. - `points: [[0, 0], [2, 0], [1, 1]]`: the convex hull
        of these points. - `parts: [{points: …}, {points: …}]`: several hulls that touch or overlap and move
        as one grain; what they share counts once. - `random: {points: 8, elongation: 0.7, angularity: 0.5,
        variants: 20}`: random convex polygons. `elongation` is breadth over length; `points` is the number of
        corners, or left out: 24 at angularity 0 down to 4 at angularity 1. The grains of the group are drawn
        from so many variants.  Area, centre of mass and moment of inertia are exact.

    sides: A regular polygon; unturned it stands on a side.
    box: Lengths of its sides along the axes. In metres they tell the size too; with a size beside them only
        their ratios count.
    points: Corners in any order; the grain is their convex hull. In metres they tell the size too; with a
        size beside them only the form counts.
    parts: A grain that is not convex: convex parts that touch or overlap, each by its corners. What several
        share counts once. Sizes as for `points`.
    random: Random convex polygons of given elongation and angularity.
    sieve_size: Side of the smallest square hole that grains pass (2D: the smaller width), or a distribution;
        of a filled sieve curve each grain exactly, else of several variants the mean.
    radius: Radius, or a distribution of radii.
    diameter: Diameter, or a distribution of diameters.
    """
    return _given(locals())


def part_of_a_grain(
    *,
    points: Sequence,
) -> dict:
    """A convex part of a grain that is not convex, by its corners.

    points: Its corners, in any order.
    """
    return _given(locals())


def random_polygon(
    *,
    points: Optional[int] = None,
    elongation: Optional[Quantity] = None,
    angularity: Optional[Quantity] = None,
    variants: Optional[int] = None,
) -> dict:
    """Random convex polygons.

    points: Corners wanted. Default: by the angularity.
    elongation: Width over length of the rectangle that the grain fills. Default: 0.8.
    angularity: 0: rounded, many corners; 1: sharp, few. Default: 0.5.
    variants: So many different forms are made, by the seed of the scene; each grain is one of them. Default:
        20.
    """
    return _given(locals())


def shape_polyhedron(
    *,
    regular: Optional[str] = None,
    box: Optional[Sequence] = None,
    points: Optional[Sequence] = None,
    parts: Optional[Sequence] = None,
    file: Optional[str] = None,
    random: Optional[Mapping] = None,
    crushed: Optional[Mapping] = None,
    sieve_size: Any = None,
    radius: Any = None,
    diameter: Any = None,
) -> dict:
    """A rigid polyhedron, convex or of convex parts stuck together. Its size is given by `radius` or
        `diameter` of the sphere of equal volume: one quantity, or a size distribution. Its form, in any
        scale, is given in one of these ways:  - `regular: cube`: tetrahedron, cube, octahedron, dodecahedron,
        icosahedron, truncated-octahedron, truncated-icosahedron, or prism-N with N sides, as high as a side
        is long. - `box: [2, 1, 1]`: a box of these proportions. - `points: [[0, 0, 0], [1, 0, 0], …]`: the
        convex hull of these points. - `file: stone.obj`: the convex hull of the points of an OBJ or STL file.
        - `parts: [{points: …}, {points: …}]`: several hulls that touch or overlap and move as one grain; what
        they share counts once. - `random: {elongation: 0.7, flatness: 0.8, angularity: 0.5, variants: 20}`:
        random convex grains with corners on an ellipsoid. With L >= I >= S the sides of the box along its
        principal axes of inertia, elongation is I / L and flatness S / I; `points` is the number of corners,
        or left out: 60 at angularity 0 down to 6 at angularity 1. The grains of the group are drawn from so
        many variants. - `crushed: {elongation: 0.7, flatness: 0.7, angularity: 0.5, variants: 20}`: stones as
        a crusher makes them, such as railway ballast: blocks cut by random planes, with about 24 faces at
        angularity 0 and 14 at angularity 1; elongation and flatness vary about the values given.  Volume,
        centre of mass and moments of inertia are exact.

    regular: tetrahedron, cube, octahedron, dodecahedron, icosahedron, truncated-octahedron, truncated-
        icosahedron, or prism-N with N sides.
    box: Lengths of its sides along the axes. In metres they tell the size too; with a size beside them only
        their ratios count.
    points: Corners in any order; the grain is their convex hull. In metres they tell the size too; with a
        size beside them only the form counts.
    parts: A grain that is not convex: convex parts that touch or overlap, each by its corners. What several
        share counts once. Sizes as for `points`.
    file: The convex hull of the points of an OBJ or STL file.
    random: Random convex polyhedra of given elongation, flatness and angularity.
    crushed: Stones as a crusher makes them, such as railway ballast.
    sieve_size: Side of the smallest square hole that grains pass (2D: the smaller width), or a distribution;
        of a filled sieve curve each grain exactly, else of several variants the mean.
    radius: Radius, or a distribution of radii.
    diameter: Diameter, or a distribution of diameters.
    """
    return _given(locals())


def random_polyhedron(
    *,
    points: Optional[int] = None,
    elongation: Optional[Quantity] = None,
    flatness: Optional[Quantity] = None,
    angularity: Optional[Quantity] = None,
    variants: Optional[int] = None,
) -> dict:
    """Random convex polyhedra.

    points: Corners wanted. Default: by the angularity.
    elongation: Middle over longest side of the box that the grain fills. Default: 0.8.
    flatness: Shortest over middle side of the box that the grain fills. Default: 0.8.
    angularity: 0: rounded, many faces; 1: sharp, few. Default: 0.5.
    variants: So many different forms are made, by the seed of the scene; each grain is one of them. Default:
        20.
    """
    return _given(locals())


def crushed_stone(
    *,
    elongation: Optional[Quantity] = None,
    flatness: Optional[Quantity] = None,
    angularity: Optional[Quantity] = None,
    variants: Optional[int] = None,
) -> dict:
    """Stones as a crusher makes them: blocks with their edges and corners cut.

    elongation: Middle over longest side, about which stones vary. Default: 0.7.
    flatness: Shortest over middle side, about which stones vary. Default: 0.7.
    angularity: How little is cut away: 0 well rounded, 1 fresh from the crusher. Default: 0.5.
    variants: So many different forms are made, by the seed of the scene; each grain is one of them. Default:
        20.
    """
    return _given(locals())


def place(
    *,
    fill: Optional[Mapping] = None,
    lattice: Optional[Mapping] = None,
    list: Optional[Sequence] = None,
    csv: Optional[str] = None,
    inlet: Optional[Mapping] = None,
) -> dict:
    """Where the grains are at the start.

    fill: At random, without overlaps, as many as `count` or `solid-fraction` say.
    lattice: In a regular lattice.
    list: One by one: positions, or mappings with position, velocity, spin and size.
    csv: From a table with a header line: x, y[, z][, radius or diameter][, vx, vy, vz, wx, wy, wz], all SI.
        Orientations of all but spheres: qw, qx, qy, qz (3D) or angle (2D).
    inlet: Not at the start: they enter while the run goes on.
    """
    return _given(locals())


def fill(
    *,
    box: Optional[Sequence] = None,
    cylinder: Optional[Mapping] = None,
    sphere: Optional[Mapping] = None,
) -> dict:
    """Random places without overlaps in a region. Grains stay inside it as a whole, except across the faces
        of a periodic cell.

    box: Two corners, the lower one first.
    cylinder: A cylinder (3D).
    sphere: A sphere, in 2D a circle.
    """
    return _given(locals())


def lattice(
    *,
    kind: str,
    box: Sequence,
    spacing: Optional[Quantity] = None,
) -> dict:
    """A regular arrangement.

    kind: cubic (2D: square), hexagonal (2D: triangular; 3D: close packed) or fcc (3D).
    box: Grains that fit whole into this box are made.
    spacing: Distance of neighbours. Default: the largest diameter: grains touch.
    """
    return _given(locals())


def grain(
    *,
    position: Sequence,
    velocity: Optional[Sequence] = None,
    spin: Any = None,
    radius: Optional[Quantity] = None,
    diameter: Optional[Quantity] = None,
    orientation: Optional[Sequence] = None,
    rotation: Any = None,
) -> dict:
    """One grain of an explicit list; a bare position will do.

    position: Centre of mass.
    velocity: Velocity at the start. Default: that of the group.
    spin: Angular velocity at the start; in 2D one quantity. Default: that of the group.
    radius: Radius of this grain. Default: from the shape.
    diameter: Diameter of this grain. Default: from the shape.
    orientation: Orientation as a quaternion w, x, y, z (3D). From the frame in which its template, corners or
        box were given. Default: that of the group; else clusters at random, polygons and polyhedra as their
        form is given.
    rotation: Orientation as a rotation about an axis; in 2D one angle. From the frame in which its template,
        corners or box were given. Default: that of the group; else clusters at random, polygons and polyhedra
        as their form is given.
    """
    return _given(locals())


def inlet(
    *,
    box: Optional[Sequence] = None,
    cylinder: Optional[Mapping] = None,
    sphere: Optional[Mapping] = None,
    rate: Any = None,
    mass_rate: Any = None,
    from_: Optional[Quantity] = None,
    until: Optional[Quantity] = None,
) -> dict:
    """A region in which grains appear while the run goes on, at random free places, with the velocity of
        their group. What finds no room waits. `count` is the most that may enter; stages open and close
        inlets.

    box: Two corners, the lower one first.
    cylinder: A cylinder (3D).
    sphere: A sphere, in 2D a circle.
    rate: Grains per second.
    mass_rate: Mass per second.
    from_: Time of the run at which grains begin to enter. Default: 0.
    until: Time of the run at which they cease to. Default: the end of the run.
    """
    return _given(locals())


def drive(
    *,
    x: Any = None,
    y: Any = None,
    z: Any = None,
    rx: Any = None,
    ry: Any = None,
    rz: Any = None,
) -> dict:
    """Velocities that are imposed on grains, along and about the axes of space (method nonsmooth). Other
        degrees of freedom stay free.

    x: Velocity along x.
    y: Velocity along y.
    z: Velocity along z.
    rx: Angular velocity about x.
    ry: Angular velocity about y.
    rz: Angular velocity about z.
    """
    return _given(locals())


def wall(
    *,
    name: Optional[str] = None,
    material: Optional[str] = None,
    motion: Any = None,
    plane: Optional[Mapping] = None,
    box: Optional[Mapping] = None,
    cylinder: Optional[Mapping] = None,
    cone: Optional[Mapping] = None,
    ball: Optional[Mapping] = None,
    mesh: Optional[Mapping] = None,
) -> dict:
    """A wall is a body that moves as imposed: one shape, a material, a motion. Forces and torques on it are
        probes.

    name: To refer to the wall in stages, probes and `--set`. Default: plane-1, box-2, ….
    material: What the wall is made of. Default: the material, when there is only one.
    motion: How the wall moves. Default: none.
    plane: an infinite plane, or a thin plate with `length`
    box: a container with six faces (four in 2D), or a solid block
    cylinder: a drum, silo or tube around the grains, or a solid rod; a circle in 2D
    cone: a hopper or funnel: the thin shell of a truncated cone, open at both ends
    ball: the inside of a sphere around the grains, or a solid ball
    mesh: a wall of triangles from an STL file
    """
    return _given(locals())


def motion(
    *,
    velocity: Optional[Sequence] = None,
    spin: Any = None,
    about: Optional[Sequence] = None,
    shake: Optional[Mapping] = None,
    path: Optional[Sequence] = None,
    angle: Any = None,
    axis: Optional[Sequence] = None,
    servo: Optional[Mapping] = None,
) -> dict:
    """The imposed motion of a wall; `none` stops it.

    velocity: Steady velocity. Default: 0.
    spin: Steady angular velocity; in 2D one quantity. Default: 0.
    about: A fixed point of the axis of `spin` and `angle`. Default: the wall's own centre.
    shake: A sinusoidal motion on top.
    path: Displacement as a function of time, added to the steady motion. The wall moves by its changes: what
        it is at the start does not matter.
    angle: Rotation about `axis` as a function of time, added to the steady motion.
    axis: The axis of `angle` (3D). Default: z in 2D.
    servo: Moves the wall until it bears a load; stands alone.
    """
    return _given(locals())


def shake(
    *,
    amplitude: Sequence,
    frequency: Quantity,
    phase: Optional[Quantity] = None,
) -> dict:
    """A sinusoidal motion, added to the steady one.

    amplitude: Largest displacement, with its direction.
    frequency: Oscillations per second.
    phase: Phase at the start: the displacement is amplitude sin(2 pi frequency t + phase). Default: 0.
    """
    return _given(locals())


def servo(
    *,
    direction: Sequence,
    pressure: Any = None,
    force: Any = None,
    area: Optional[Quantity] = None,
    max_speed: Optional[Quantity] = None,
) -> dict:
    """A wall that moves until the grains bear what is asked for. Its speed is the error over the measured
        stiffness of its contacts.

    direction: Where the wall pushes the grains; it moves along this line only.
    pressure: The pressure that the grains shall bear.
    force: The force that the grains shall bear.
    area: The area that a pressure acts on (2D: width times 1 m). Default: the section of the periodic cell.
    max_speed: The wall never moves faster. Default: from size and stiffness.
    """
    return _given(locals())


def shape_plane(
    *,
    point: Sequence,
    normal: Sequence,
    length: Optional[Quantity] = None,
    width: Optional[Quantity] = None,
    along: Optional[Sequence] = None,
) -> dict:
    """Without `length` the wall is the whole half-space behind the plane: grains stay on the side the normal
        points to. With `length` it is a thin plate that grains meet from both sides and at its edges. In 2D
        the normal lies in the plane of the scene and a plate is a line.

    point: A point of the plane; the centre of a plate.
    normal: Direction from the wall to the grains, of any length. Grains below an infinite plane are pushed
        out along it.
    length: Makes the plane a thin plate of this length, solid from both sides. Default: infinite.
    width: Width of the plate, at right angles to its length (3D only). Default: the length.
    along: Direction of the plate's length (3D only); its part along the normal is dropped. Default: the x
        axis, or the y axis for a normal along x.
    """
    return _given(locals())


def shape_box(
    *,
    corners: Sequence,
    inside: Optional[bool] = None,
    open: Optional[str] = None,
) -> dict:
    """A box along the axes of the scene. As a container each face is a wall of its own and grains in a corner
        touch all that meet there. With `open` some faces are left out and the others are thin plates that end
        at the rim. With `inside: false` the box is a solid obstacle.

    corners: Two opposite corners of the box.
    inside: true: the grains are inside, the box is a container. false: the box is a solid block.
    open: Faces left out of a container. The others become thin plates as large as the box, so that grains can
        leave over the rim. Top is +z (+y in 2D); `x` and `y` leave out both faces across that axis. With
        `none` no grain can leave.
    """
    return _given(locals())


def shape_cylinder(
    *,
    radius: Quantity,
    from_: Optional[Sequence] = None,
    to: Optional[Sequence] = None,
    point: Optional[Sequence] = None,
    axis: Optional[Sequence] = None,
    inside: Optional[bool] = None,
    open: Optional[str] = None,
) -> dict:
    """Between `from` and `to`, or infinite through `point` along `axis`. As a container it has a lateral
        surface and, when finite, two flat ends; `open` leaves ends out and makes the rest a thin shell that
        ends at the rim. With `inside: false` it is a solid rod with flat ends. In 2D it is a circle about
        `point`.

    radius: Radius of the cylinder.
    from_: One end of the axis (3D). Give `from` and `to`, or `point` and `axis`.
    to: The other end of the axis (3D).
    point: A point of the axis of an infinite cylinder; in 2D the centre of the circle.
    axis: Direction of the axis of an infinite cylinder (3D), of any length.
    inside: true: the grains are inside (drum, silo, tube). false: the cylinder is a solid rod.
    open: Ends left out of a container between `from` and `to`. The rest becomes a thin shell that ends at the
        rim, so that grains can leave. With `none` no grain can leave.
    """
    return _given(locals())


def shape_cone(
    *,
    from_: Sequence,
    from_radius: Quantity,
    to: Sequence,
    to_radius: Quantity,
) -> dict:
    """The shell between a circle at `from` and a circle at `to`, solid from both sides and at its rims. Equal
        radii give an open tube. A grain touches it at one point, the closest one: an opening narrower than a
        grain, which would hold it on a whole ring, is better made as a mesh.

    from_: One end of the axis.
    from_radius: Radius at `from`; 0 for a pointed cone.
    to: The other end of the axis.
    to_radius: Radius at `to`; 0 for a pointed cone.
    """
    return _given(locals())


def shape_ball(
    *,
    centre: Sequence,
    radius: Quantity,
    inside: Optional[bool] = None,
) -> dict:
    """As a container grains stay within `radius` of `centre`, and everything outside is solid. With `inside:
        false` it is a solid ball among the grains.

    centre: Centre of the sphere.
    radius: Radius of the sphere.
    inside: true: the grains are inside (mill, cell). false: the wall is a solid ball.
    """
    return _given(locals())


def shape_mesh(
    *,
    file: str,
    scale: Optional[Quantity] = None,
    translate: Optional[Sequence] = None,
) -> dict:
    """Any surface from an STL file, thin and solid from both sides; it need not be closed. Points that are
        one but for rounding (1e-6 of the mesh's size) are joined and triangles without area are left out. A
        grain that rolls over edges of a flat or convex part has one contact throughout; in grooves and
        corners it has one with each side.

    file: STL file, ASCII or binary. Its normals are not used: both sides are solid.
    scale: Metres per unit of the file: 0.001 for a file in millimetres.
    translate: Where the origin of the file goes. This point is the wall's centre, about which it turns.
    """
    return _given(locals())


def joint(
    *,
    name: Optional[str] = None,
    fixed: Optional[Mapping] = None,
    hinge: Optional[Mapping] = None,
    ball: Optional[Mapping] = None,
    slider: Optional[Mapping] = None,
    spring: Optional[Mapping] = None,
) -> dict:
    """What holds two bodies together (method nonsmooth). Points and axes are given as they are at the start
        and go with the bodies.

    name: To refer to the joint in messages and `--set`. Default: joint-1, joint-2, ….
    fixed: Two bodies that move as one.
    hinge: Two bodies that turn about a common axis, with or without a motor.
    ball: Two bodies that turn about a common point (in 2D a hinge).
    slider: Two bodies that slide along a common axis and do not turn, with or without a motor.
    spring: A spring and dashpot between a point of one body and a point of the other.
    """
    return _given(locals())


def fixed_joint(
    *,
    between: Sequence,
    point: Optional[Sequence] = None,
) -> dict:
    """Two bodies that move as one.

    between: The two bodies, of which the second moves relative to the first: `ground`, the name of a wall,
        the name of a group (its first grain), or `group/3` (grain 3 of it, counted from 0).
    point: Where it acts, at the start. Default: the place of the second body, or of the first.
    """
    return _given(locals())


def hinge_joint(
    *,
    between: Sequence,
    point: Sequence,
    axis: Optional[Sequence] = None,
    motor: Optional[Mapping] = None,
) -> dict:
    """Two bodies that turn about a common axis, with or without a motor.

    between: The two bodies, of which the second moves relative to the first: `ground`, the name of a wall,
        the name of a group (its first grain), or `group/3` (grain 3 of it, counted from 0).
    point: A point of its axis, at the start.
    axis: The axis, at the start (3D). Default: z in 2D.
    motor: Keeps a speed as long as its strength suffices. Default: none.
    """
    return _given(locals())


def motor_of_a_hinge(
    *,
    speed: Any,
    limit: Optional[Quantity] = None,
) -> dict:
    """A motor that turns a hinge.

    speed: Angular velocity of the second body relative to the first.
    limit: Largest moment. Default: whatever it takes.
    """
    return _given(locals())


def ball_joint(
    *,
    between: Sequence,
    point: Sequence,
) -> dict:
    """Two bodies that turn about a common point (in 2D a hinge).

    between: The two bodies, of which the second moves relative to the first: `ground`, the name of a wall,
        the name of a group (its first grain), or `group/3` (grain 3 of it, counted from 0).
    point: The point about which the bodies turn, at the start.
    """
    return _given(locals())


def slider_joint(
    *,
    between: Sequence,
    axis: Sequence,
    point: Optional[Sequence] = None,
    motor: Optional[Mapping] = None,
) -> dict:
    """Two bodies that slide along a common axis and do not turn, with or without a motor.

    between: The two bodies, of which the second moves relative to the first: `ground`, the name of a wall,
        the name of a group (its first grain), or `group/3` (grain 3 of it, counted from 0).
    axis: Direction of sliding, at the start.
    point: Where it acts, at the start. Default: the place of the second body, or of the first.
    motor: Keeps a speed as long as its strength suffices. Default: none.
    """
    return _given(locals())


def motor_of_a_slider(
    *,
    speed: Any,
    limit: Optional[Quantity] = None,
) -> dict:
    """A motor that pushes a slider.

    speed: Velocity of the second body relative to the first, along the axis.
    limit: Largest force. Default: whatever it takes.
    """
    return _given(locals())


def spring_joint(
    *,
    between: Sequence,
    from_: Sequence,
    to: Sequence,
    stiffness: Optional[Quantity] = None,
    damping: Optional[Quantity] = None,
    rest: Optional[Quantity] = None,
) -> dict:
    """A spring and dashpot between a point of one body and a point of the other.

    between: The two bodies, of which the second moves relative to the first: `ground`, the name of a wall,
        the name of a group (its first grain), or `group/3` (grain 3 of it, counted from 0).
    from_: Its end on the first body, at the start.
    to: Its end on the second body, at the start.
    stiffness: Stiffness, solved implicitly: any value at any time step. Default: 0.
    damping: Dashpot beside the spring. Default: 0.
    rest: Length without force. Default: the distance at the start.
    """
    return _given(locals())


def force(
    *,
    name: Optional[str] = None,
    group: Optional[str] = None,
    force: Optional[Sequence] = None,
    acceleration: Optional[Sequence] = None,
    torque: Any = None,
) -> dict:
    """A force, an acceleration or a torque on every body of a group.

    name: Shown by `moraine check`, and for `--set`. Default: force-1, force-2, ….
    group: The group of bodies it acts on, or `all`. Default: all.
    force: Force on each body, at its centre.
    acceleration: Force as mass times this acceleration.
    torque: Torque on each body; in 2D one signal.
    """
    return _given(locals())


def outlet(
    *,
    name: Optional[str] = None,
    box: Optional[Sequence] = None,
    cylinder: Optional[Mapping] = None,
    sphere: Optional[Mapping] = None,
    below: Optional[Mapping] = None,
    above: Optional[Mapping] = None,
    outside: Optional[bool] = None,
    group: Optional[str] = None,
) -> dict:
    """A region in which grains vanish, as soon as their centre is in it.

    name: To refer to the outlet in probes and `--set`. Default: outlet-1, outlet-2, ….
    box: Two corners, the lower one first.
    cylinder: A cylinder (3D).
    sphere: A sphere, in 2D a circle.
    below: All that lies below a level.
    above: All that lies above a level.
    outside: Grains vanish outside of the region instead. Default: false.
    group: Only grains of this group vanish, or `all`. Default: all.
    """
    return _given(locals())


def level(
    *,
    axis: str,
    value: Quantity,
) -> dict:
    """A plane across an axis that bounds an outlet.

    axis: The direction.
    value: The level.
    """
    return _given(locals())


def cell(
    *,
    periodic: Sequence,
    size: Optional[Sequence] = None,
    origin: Optional[Sequence] = None,
    rate: Optional[Sequence] = None,
    control: Optional[Mapping] = None,
) -> dict:
    """A periodic cell: a box at the start, which may strain and shear.

    periodic: Directions in which the world repeats.
    size: Edges of the cell; only the periodic directions count. Default: that of the run that `bodies` come
        from.
    origin: Lowest corner of the cell. Default: 0; where `size` is left out, that of the run that `bodies`
        come from.
    rate: Rate of strain of each edge, (dL/dt)/L: positive grows. Default: 0.
    control: Strain and stress, component by component or as a test. Default: the cell keeps its shape.
    """
    return _given(locals())


def control(
    *,
    xx: Optional[Mapping] = None,
    yy: Optional[Mapping] = None,
    zz: Optional[Mapping] = None,
    xy: Optional[Mapping] = None,
    xz: Optional[Mapping] = None,
    yz: Optional[Mapping] = None,
    isotropic: Any = None,
    triaxial: Optional[Mapping] = None,
    biaxial: Optional[Mapping] = None,
    simple_shear: Optional[Mapping] = None,
    max_rate: Optional[Quantity] = None,
    response: Optional[Quantity] = None,
) -> dict:
    """How the cell is driven, component by component (what is not mentioned keeps its shape), or by the name
        of a test.

    xx: Edge along x. Default: {rate: 0}.
    yy: Edge along y. Default: {rate: 0}.
    zz: Edge along z (3D). Default: {rate: 0}.
    xy: Shear d(v_x)/dy. Default: {rate: 0}.
    xz: Shear d(v_x)/dz (3D). Default: {rate: 0}.
    yz: Shear d(v_y)/dz (3D). Default: {rate: 0}.
    isotropic: The same stress in all periodic directions.
    triaxial: Triaxial test (3D).
    biaxial: Biaxial test (2D).
    simple_shear: Simple shear.
    max_rate: Largest rate of strain of a component held by stress. Default: chosen.
    response: Time in which an error of the stress is taken out. Default: chosen.
    """
    return _given(locals())


def component(
    *,
    rate: Any = None,
    stress: Any = None,
) -> dict:
    """One component of the cell's velocity gradient: imposed, or found from the stress.

    rate: Rate of strain; a positive normal component grows the cell.
    stress: Stress that the cell is strained to reach, compression positive.
    """
    return _given(locals())


def triaxial(
    *,
    axis: str,
    rate: Any,
    confining: Any,
) -> dict:
    """One direction strained at a rate, the others held at a stress.

    axis: The loaded direction.
    rate: Its rate of strain; negative compresses.
    confining: Stress across it.
    """
    return _given(locals())


def simple_shear(
    *,
    plane: str,
    rate: Any,
    pressure: Any = None,
) -> dict:
    """Homogeneous shear, at constant volume or at constant normal stress.

    plane: xy: the velocity points along x and changes along y.
    rate: Shear rate, d(v_x)/dy.
    pressure: Normal stress on the sheared planes; the cell breathes to keep it. Default: the volume stays.
    """
    return _given(locals())


def time_step(
    *,
    fraction: Quantity,
) -> dict:
    """The time step as a part of the critical one, instead of a time.

    fraction: Part of the critical step 2 sqrt(m/k) of the stiffest single contact: how finely an impact is
        resolved, in place of `accuracy`. The step never exceeds 0.7 of the stability limit.
    """
    return _given(locals())


def stage(
    *,
    name: Optional[str] = None,
    until: Any = None,
    at_most: Optional[Quantity] = None,
    gravity: Any = None,
    interactions: Optional[Sequence] = None,
    walls: Optional[Mapping] = None,
    bodies: Optional[Mapping] = None,
    remove: Any = None,
    cell: Optional[Mapping] = None,
    forces: Any = None,
    inlets: Optional[Mapping] = None,
    damping: Optional[Mapping] = None,
    nonsmooth: Optional[Mapping] = None,
    method: Optional[str] = None,
    quasistatic: Optional[Mapping] = None,
    event: Optional[Mapping] = None,
    fixed_contacts: Optional[bool] = None,
    output: Optional[Mapping] = None,
    time_step: Any = None,
    accuracy: Optional[str] = None,
) -> dict:
    """A part of the run. When it begins it may change gravity, forces, inlets, laws, walls, cell, damping,
        output and time step; changes stay in force afterwards. It needs an end: `until`, `at-most`, or both.

    name: Shown while running, and for `--set`. Default: stage-1, stage-2, ….
    until: The end condition.
    at_most: The stage ends after this simulated time in any case. Default: no limit.
    gravity: A new gravity. Default: unchanged.
    interactions: Laws and parameters that change. Default: unchanged.
    walls: Walls that change, by name. Default: unchanged.
    bodies: Body groups, by name, whose imposed degrees of freedom change; `hold: none` frees them. Default:
        unchanged.
    remove: Names of walls to take away.
    cell: A new strain or control. Default: unchanged.
    forces: New forces on bodies, in place of all there were; `none` ends them. Default: unchanged.
    inlets: Inlets to open or close, by the name of their body group. Default: unchanged.
    damping: Keys given here change; the others stay. Default: unchanged.
    nonsmooth: Keys given here change; the others stay. Default: unchanged.
    method: From here on contacts are resolved so; by a method that remembers the same of contacts as the
        scene's: smooth and quasistatic do. Default: unchanged.
    quasistatic: Keys given here change; the others stay. Default: unchanged.
    event: Keys given here change; the others stay. Default: unchanged.
    fixed_contacts: true: no contact but those that are there when the stage begins. They may open, and close
        again; other grains pass through each other. How far a network goes by itself, with inertia (method
        smooth) or without (quasistatic). Default: unchanged; false before.
    output: Keys given here change; the others stay. Default: unchanged.
    time_step: A new time step. Default: unchanged.
    accuracy: A computed step of this accuracy from here on, in place of a step given before. Default:
        unchanged.
    """
    return _given(locals())


def condition(
    *,
    time: Optional[Quantity] = None,
    steps: Optional[int] = None,
    kinetic_energy_ratio: Optional[Quantity] = None,
    unbalanced_force_ratio: Optional[Quantity] = None,
    probe: Optional[Mapping] = None,
) -> dict:
    """When a stage ends. Several keys, or a list of such mappings: when all hold at once.

    time: Simulated time in the stage reaches this.
    steps: Steps in the stage reach this.
    kinetic_energy_ratio: Kinetic energy falls to this part of its peak in the stage.
    unbalanced_force_ratio: Mean resultant force on a grain falls to this part of the mean contact force.
    probe: Any probe crosses a value.
    """
    return _given(locals())


def crossing(
    *,
    name: str,
    above: Optional[Quantity] = None,
    below: Optional[Quantity] = None,
) -> dict:
    """A probe that crosses a value.

    name: The probe.
    above: Holds when the probe is at least this, in the probe's unit.
    below: Holds when the probe is at most this, in the probe's unit.
    """
    return _given(locals())


def change_of_interaction(
    *,
    between: Any,
    law: Any = None,
    normal_stiffness: Optional[Quantity] = None,
    contact_time: Optional[Quantity] = None,
    restitution: Optional[Quantity] = None,
    normal_damping: Optional[Quantity] = None,
    end_of_contact: Optional[str] = None,
    friction: Optional[Quantity] = None,
    stiffness_ratio: Optional[Quantity] = None,
    damping_ratio: Optional[Quantity] = None,
    slip_rule: Optional[str] = None,
    friction_angle: Optional[Quantity] = None,
    damping: Optional[Quantity] = None,
    shear_stiffness: Optional[str] = None,
    load_coupling: Optional[str] = None,
    relaxation_time: Optional[Quantity] = None,
    restitution_speed: Optional[Quantity] = None,
    restitution_radius: Optional[Quantity] = None,
    eta1: Optional[Quantity] = None,
    eta2: Optional[Quantity] = None,
    unloading_stiffness: Optional[Quantity] = None,
    unloading_slope: Optional[Quantity] = None,
    eta1_over_young: Optional[Quantity] = None,
    eta2_over_eta1: Optional[Quantity] = None,
    factor: Optional[str] = None,
    factor_at_zero_eta2: Optional[Quantity] = None,
    modulus: Optional[str] = None,
    tangential_factor: Optional[str] = None,
    rolling_friction: Optional[Quantity] = None,
    rolling_stiffness: Optional[str] = None,
    rolling_stiffness_ratio: Optional[Quantity] = None,
    rolling_damping: Optional[Quantity] = None,
    work_of_adhesion: Optional[Quantity] = None,
    surface_energy: Optional[Quantity] = None,
    surface_tension: Optional[Quantity] = None,
    liquid_volume: Optional[Quantity] = None,
    liquid_share: Optional[Quantity] = None,
    contact_angle: Optional[Quantity] = None,
    liquid_viscosity: Optional[Quantity] = None,
    lubrication_cut_off: Optional[Quantity] = None,
    tangential_restitution: Optional[Quantity] = None,
    pivoting_friction: Optional[Quantity] = None,
    cohesion_force: Optional[Quantity] = None,
    cohesion_per_radius: Optional[Quantity] = None,
    stiffness: Optional[Quantity] = None,
    viscosity: Optional[Quantity] = None,
    tangential_viscosity: Optional[Quantity] = None,
    tangential_stiffness: Optional[Quantity] = None,
    rolling_viscosity: Optional[Quantity] = None,
    twisting_friction: Optional[Quantity] = None,
    twisting_stiffness_ratio: Optional[Quantity] = None,
    twisting_damping: Optional[Quantity] = None,
    cohesion_energy_density: Optional[Quantity] = None,
    cohesion_area: Optional[str] = None,
) -> dict:
    """A change of law or parameters when a stage begins.

    between: The two materials, in any order. `any` stands for every material; an entry that names a pair goes
        before `[glass, any]`, and that before `any`.
    law: A new contact law, with all its parameters. Without it the law stays and only the parameters given
        here change. Default: the law in force.
    normal_stiffness: Spring stiffness. Give this or contact-time.
    contact_time: Half period of the damped spring, the same for every pair of grains: the stiffness then
        grows with the mass. Give this or normal-stiffness.
    restitution: Normal restitution: speed of parting over speed of approach (Newton). Approaches below the
        threshold of `nonsmooth:` do not rebound.
    normal_damping: Dashpot constant. Give this or restitution.
    end_of_contact: force: a contact ends when its force returns to zero, never pulls (default); overlap: it
        ends at zero overlap and may pull for a moment before.
    friction: Coulomb's coefficient of friction.
    stiffness_ratio: k_t / k_n. Default: that of elastic spheres of the two materials, 2 (1 - nu) / (2 - nu)
        when they are alike.
    damping_ratio: Tangential over normal dashpot constant.
    slip_rule: What becomes of spring and dashpot at Coulomb's limit. series: both stand in series with the
        slider, as a mechanical model does (default; the limit of small steps is reached in second order);
        reset: the spring alone is held against the limit and reset to F_t / k_t, the dashpot acts only while
        it sticks (LIGGGHTS, YADE); reset-total: spring and dashpot together are held against it and the
        spring is reset to what the dashpot leaves, (F_t - gamma_t v_t) / k_t (LAMMPS, MFiX). Without a
        dashpot all three are one.
    friction_angle: The angle of friction, instead of `friction`.
    damping: Tsuji's alpha. Give this or restitution.
    shear_stiffness: two-body: both grains yield, 8 G* sqrt(R delta) (default); particle: one alone, 8 G/(2 -
        nu) sqrt(R delta) with the material that yields more. That is twice as much for like materials; only
        for comparison with published runs that take it.
    load_coupling: What a change of the normal load does to the tangential force. rescale: kept while the load
        grows, shrinks with the contact radius while it falls (default; never makes energy); total: always
        stiffness times elongation; incremental: never changes. The last two make energy on some paths; many
        codes and published runs use them.
    relaxation_time: Relaxation time of the material. Give this, or restitution with its speed and radius, or
        eta1 and eta2.
    restitution_speed: Relative speed of the impact at which restitution was measured.
    restitution_radius: Radius of both spheres when restitution was measured; their density is the mean of the
        two materials'. For a sphere that fell on a plane give its radius and half its speed.
    eta1: Viscosity of the material in shear. Give this or eta1-over-young.
    eta2: Viscosity of the material in compression. Give this or eta2-over-eta1; default 0.
    unloading_stiffness: Stiffness of unloading and reloading, not below normal-stiffness. Give this,
        restitution or unloading-slope.
    unloading_slope: Unloading stiffens with the largest force borne, k_2 = k_1 + S F_max: restitution falls
        with speed. Give this, restitution or unloading-stiffness.
    eta1_over_young: eta1 over Young's modulus; published range 1e-8 s to 1e-5 s, reference 1e-6 s. Materials
        that differ count with the modulus 2 (1 - nu^2) E* of two alike ones, nu their mean. Give this or
        eta1.
    eta2_over_eta1: eta2 over eta1; published range 0 to 10. Give this or eta2; default 0.
    factor: published: the factor (0.8 + 26 nu^3) (eta2/eta1)^(-1/2) (delta/R)^0.04 on the viscous force
        (default); none: factor 1, which is the viscoelastic law with this A; rigorous: factor 1 and the A of
        law viscoelastic, found from eta1 and eta2 without the assumption that stresses follow from strains at
        rest (Brilliantov, Pimenova & Goldobin 2015): no modulus to choose, and eta2 may be 0.
    factor_at_zero_eta2: What stands for the published factor where eta2 is 0, and it infinite.
    modulus: Which modulus divides the viscosities in A. young: E, as the formula is printed (default);
        effective: E*, as in a program whose fits were published: it damps 2 (1 - nu^2) times as much between
        like bodies.
    tangential_factor: Correction of the viscous term. published: h = 1 - 0.4 q with q = eta1 |d(xi)/dt|/(2 G
        xi_max), not below 0 (default); none: h = 1.
    rolling_friction: Largest rolling moment over R F_n, R the effective radius 1/(1/R_a + 1/R_b), as in the
        rolling laws.
    rolling_stiffness: Stiffness against rolling. ai: k_r = 2.25 k_n (mu_r R)^2 (default); iwashita-oda: k_r =
        k_t R^2, k_t = kappa k_n with kappa of elastic spheres of the two materials.
    rolling_stiffness_ratio: Stiffness against rolling, given as a number in place of rolling-stiffness.
    rolling_damping: Damping over that which is critical for a grain that rolls on a wall, 2 sqrt(7/5 m R^2
        k_r); between equal grains half of this share.
    work_of_adhesion: Energy to part a unit area of the two surfaces. Give this or surface-energy.
    surface_energy: Energy of a unit area of one free surface, W = 2 gamma (like materials). Give this or
        work-of-adhesion.
    surface_tension: Surface tension of the liquid; water 0.072 N/m.
    liquid_volume: Volume of each bridge. Give this or liquid-share.
    liquid_share: Volume of each bridge over that of one grain of radius 2 R, R the effective radius: the
        volume of a grain when both are alike. Give this or liquid-volume.
    contact_angle: Angle at which the liquid meets the grains.
    liquid_viscosity: Viscosity of the liquid; 0: capillary force only.
    lubrication_cut_off: Distance below which the lubrication force grows no more: the roughness of the
        grains. Default R/1000.
    tangential_restitution: Tangential restitution, where friction can hold it; with 0 a contact that sticks
        does not slide back.
    pivoting_friction: Largest moment about the normal over R F_n (3D), as `twisting-friction` of the twisting
        laws.
    cohesion_force: Force that parts two grains in touch, the same at every size.
    cohesion_per_radius: Force that parts two grains in touch over their effective radius, added to cohesion-
        force: 3/2 pi W after JKR, 2 pi W after DMT, 4 pi gamma cos(theta) of a liquid bridge.
    stiffness: Elastic repulsion of the contact, solved implicitly: any stiffness at any time step. Left out:
        rigid.
    viscosity: Beside a stiffness: the contact presses with max(0, k_n delta + v_n ddelta/dt), solved
        implicitly.
    tangential_viscosity: Regularised friction, solved implicitly: a contact resists sliding with v_t u_T up
        to Coulomb's limit. It never sticks. Left out: Coulomb's law itself.
    tangential_stiffness: A contact that sticks gives way along its face by F_T/k_t, as elastic grains do,
        solved implicitly: any stiffness at any time step. Left out: it sticks rigidly.
    rolling_viscosity: Rolling moment over R F_n per speed R |w|, R the effective radius.
    twisting_friction: Largest twisting moment over R F_n, R the effective radius 1/(1/R_a + 1/R_b).
    twisting_stiffness_ratio: Stiffness against twisting. Default 2.25 mu_w^2, as elastic-plastic rolling has
        it.
    twisting_damping: Damping over that which is critical for a grain that spins on a wall, 2 sqrt(2/5 m R^2
        k_w); between equal grains half of this share.
    cohesion_energy_density: Pull per contact area, 1 Pa = 1 J/m3.
    cohesion_area: hertz: A = pi R delta, the area of an elastic contact (default); overlap: A = 2 pi R delta,
        the circle where the two spheres intersect.
    """
    return _given(locals())


def change_of_wall(
    *,
    motion: Any = None,
    remove: Optional[bool] = None,
) -> dict:
    """What a stage changes about a wall.

    motion: A new motion; `none` stops the wall. Default: unchanged.
    remove: Take the wall away. Default: false.
    """
    return _given(locals())


def change_of_bodies(
    *,
    hold: Any = None,
    drive: Any = None,
) -> dict:
    """What a stage imposes on a body group, in place of all that was imposed on it before (method nonsmooth).

    hold: Degrees of freedom that stay at rest from here on. Default: none.
    drive: Degrees of freedom that move as imposed from here on. Default: none.
    """
    return _given(locals())


def change_of_cell(
    *,
    rate: Optional[Sequence] = None,
    control: Optional[Mapping] = None,
) -> dict:
    """What a stage changes about the periodic cell.

    rate: New rate of strain of each edge; shear ends.
    control: A new control, in place of all that was imposed before.
    """
    return _given(locals())


def output(
    *,
    every: Optional[Quantity] = None,
    probes: Optional[Sequence] = None,
    probes_every: Optional[Quantity] = None,
    checkpoint_every: Optional[Quantity] = None,
    contacts: Optional[bool] = None,
    fields: Any = None,
) -> dict:
    """What a run writes, and how often.

    every: Simulated time between frames of the trajectory; 0: none. Default: no pictures.
    probes: Columns of probes.csv besides time, step and stage: probes by name; `PROBE.rate`, the change of a
        probe from row to row per second (`outlets.NAME.rate`: kg/s); `stress.*`, `fabric.*`, `strain.*`,
        `cell.*`; `usual`: energies, contacts, speeds, height, solid fraction, in periodic cells stress and
        strain, and what the method brings; `all`. Default: [usual].
    probes_every: Simulated time between rows of probes.csv. Default: as every.
    checkpoint_every: Simulated time between checkpoints. Default: at the end only.
    contacts: Store the contact network with each frame: force chains, analysis. Default: false.
    fields: Write coarse-grained fields for ParaView into the folder `fields`. Default: false.
    """
    return _given(locals())


def fields(
    *,
    width: Optional[Quantity] = None,
    spacing: Optional[Quantity] = None,
    every: Optional[Quantity] = None,
) -> dict:
    """Coarse-grained fields: density, velocity, stress, granular temperature on a grid.

    width: Width of the smoothing function. Default: the mean diameter.
    spacing: Spacing of the grid. Default: the width.
    every: Simulated time between files. Default: as every.
    """
    return _given(locals())
