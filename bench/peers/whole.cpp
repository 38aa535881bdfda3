/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole simulations beside Bullet: grains fall into a box and come to rest, from the same places and
   turns, with the same sizes, masses, friction and steps. Prints for Bullet and for Moraine seconds
   of the processor per simulated second (one thread), how well contact problems were solved, and what
   became of the grains, judged by one detection of contacts. Solved how well: the natural map of
   mrn_measure_answer, which has the unit of a velocity, in its root mean square over the grains and
   over g h; unlike the residual, whose scale is |q|, it does not hang on how many open contacts a code
   looks at. Medians over every 25th step of the second half, outside of the time.
   Usage: whole run KIND GRAINS [SECONDS [STEP [FRICTION [WORDS]]]]   WORDS: only runs whose name has it
          whole grains KIND GRAINS FILE        the grains, for siconos_whole.py
          whole judge KIND GRAINS FILE         places that another code has left: lines x y z qw qx qy qz
   KIND: spheres, boxes, polyhedra. */
#include <cstring>
#include <fstream>
#include <string>

#include "bullet_problem.h"

namespace {

const double DENSITY = 2600, GRAVITY = 9.81, APART = 1.35;
double friction = 0.4, h = 0.005, duration = 3;

/* ---- the grains: one scene for all ---- */

double box_side(int n)
{
    return APART * std::max(3.0, std::round(std::cbrt(n / 1.5)));
}

std::string scene_text(const std::string &kind, int n, const char *options, bool heavy)
{
    const double side = box_side(n), high = n * 0.52 / 0.2 / (side * side);
    const char *shape =
        kind == "spheres" ? "sphere: {diameter: {uniform: [0.9 m, 1.1 m]}}"
        : kind == "boxes"
            ? "polyhedron: {box: [1, 0.8, 0.7], diameter: {uniform: [0.9 m, 1.1 m]}}"
            : "polyhedron: {diameter: {uniform: [0.9 m, 1.1 m]}, random: {elongation: 0.9, "
              "flatness: 0.89, points: 16, variants: 20}}";
    char text[4096];
    std::snprintf(
        text, sizeof text,
        "moraine: 1\ndimension: 3\nmethod: nonsmooth\nseed: 1\n"
        "materials: {stone: {density: %g kg/m3}}\n"
        "interactions: [{between: [stone, stone], law: rigid, friction: %g, restitution: 0}]\n"
        "bodies: [{name: grains, shape: {%s}, count: %d, place: {fill: {box: [[0, 0, 0], [%g m, %g m, "
        "%g m]]}}}]\n"
        "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}},\n"
        "  {name: left, plane: {point: [0, 0, 0], normal: [1, 0, 0]}},\n"
        "  {name: right, plane: {point: [%g, 0, 0], normal: [-1, 0, 0]}},\n"
        "  {name: front, plane: {point: [0, 0, 0], normal: [0, 1, 0]}},\n"
        "  {name: back, plane: {point: [0, %g, 0], normal: [0, -1, 0]}}]\n"
        "gravity: [0, 0, %g]\nnonsmooth: {%s}\nstages: [{until: {time: 1 s}}]\n",
        DENSITY, friction, shape, n, side, side, high, side, side, heavy ? -GRAVITY : 0.0, options);
    return text;
}

struct scenery {
    mrn_scene scene = {};
    mrn_state state = {};
    scenery(const std::string &kind, int n, const char *options, bool heavy = true)
    {
        mrn_message msg = {};
        const std::string text = scene_text(kind, n, options, heavy);
        need(mrn_scene_read_text(text.c_str(), "whole", NULL, 0, &scene, &msg), msg);
        need(mrn_world_build(&scene, &state, &msg), msg);
    }
    ~scenery() { mrn_state_destroy(&state), mrn_scene_destroy(&scene); }
};

/* ---- what became of the grains ---- */

struct outcome {
    double height = 0, kinetic = 0;              /* mean; per grain over m g d        */
    double contacts = 0, mean = 0, most = 0, open = 0; /* per grain; overlaps over d */
};

/* Contacts in touch (gap below 1e-4 d) of grains at rest in these places, found by a step of next to
   no length without gravity. */
outcome judge(const std::string &kind, int n, const double *x, const double *q)
{
    scenery w(kind, n, "projection: false, unsolved: go-on, max-iterations: 1", false);
    mrn_message msg = {};
    mrn_nonsmooth *e = NULL;
    mrn_bodies &b = w.state.body;
    outcome o;
    for (int32_t i = b.n_walls; i < b.n; i++) {
        const size_t k = (size_t)(b.id[i] - b.n_walls);
        std::copy(x + 3 * k, x + 3 * k + 3, b.x + 3 * i);
        std::copy(q + 4 * k, q + 4 * k + 4, b.q + 4 * i);
        std::fill(b.v + 3 * i, b.v + 3 * i + 3, 0.0), std::fill(b.w + 3 * i, b.w + 3 * i + 3, 0.0);
        o.height += x[3 * k + 2] / n;
    }
    mrn_state_set_step(&w.state, 1e-9);
    need(mrn_nonsmooth_create(&w.scene, &w.state, &e, &msg), msg);
    need(mrn_nonsmooth_step(e, 1, &msg), msg);
    int overlaps = 0;
    for (int64_t k = 0; k < w.state.contact.n; k++) {
        const double gap = w.state.contact.gap[k];
        o.contacts += gap < 1e-4 ? 1.0 / n : 0;
        overlaps += gap < 0;
        o.mean += std::max(0.0, -gap), o.most = std::max(o.most, -gap);
    }
    o.mean /= std::max(1, overlaps);
    mrn_nonsmooth_destroy(&e);
    return o;
}

/* ---- one run ---- */

struct result {
    double seconds = 0;
    std::vector<double> residual, contacts;
    outcome end;
    mrn_step_times times = {};
};

double norm_of_q(const mrn_problem &p)
{
    double sum = 0;
    for (int64_t k = 0; k < 3 * (int64_t)p.n; k++)
        sum += p.q[k] * p.q[k];
    return std::sqrt(sum);
}

bool looks(int step, int steps)
{
    return 2 * step >= steps && step % 25 == 0;
}

result run_moraine(const std::string &kind, int n, const char *options)
{
    scenery w(kind, n, options);
    mrn_message msg = {};
    mrn_nonsmooth *e = NULL;
    result out;
    const int steps = (int)std::lround(duration / h);
    mrn_state_set_step(&w.state, h);
    double from = clock_now();
    need(mrn_nonsmooth_create(&w.scene, &w.state, &e, &msg), msg);
    out.seconds += clock_now() - from;
    for (int k = 1; k <= steps; k++) {
        from = clock_now();
        need(mrn_nonsmooth_step(e, 1, &msg), msg);
        out.seconds += clock_now() - from;
        if (!looks(k, steps))
            continue;
        const double *r = NULL;
        mrn_measures m = {};
        const mrn_problem *p = mrn_nonsmooth_problem(e, &r);
        if (p == NULL || p->n == 0)
            continue;
        need(mrn_measure_answer(p, r, NULL, &m, &msg), msg);
        out.residual.push_back(m.natural * norm_of_q(*p) / (std::sqrt((double)n) * GRAVITY * h));
        out.contacts.push_back(p->n);
    }
    out.times = mrn_nonsmooth_times(e);
    const mrn_bodies &b = w.state.body;
    std::vector<double> x(3 * (size_t)n), q(4 * (size_t)n);
    double kinetic = 0;
    for (int32_t i = b.n_walls; i < b.n; i++) {
        const size_t k = (size_t)(b.id[i] - b.n_walls);
        std::copy(b.x + 3 * i, b.x + 3 * i + 3, x.begin() + (long)(3 * k));
        std::copy(b.q + 4 * i, b.q + 4 * i + 4, q.begin() + (long)(4 * k));
        for (int c = 0; c < 3; c++)
            kinetic += 0.5 * b.v[3 * i + c] * b.v[3 * i + c] / (n * GRAVITY);
    }
    out.end = judge(kind, n, x.data(), q.data());
    out.end.kinetic = kinetic;
    mrn_nonsmooth_destroy(&e);
    return out;
}

/* Sums over islands make that of the step. */
class looking_solver : public problem_solver
{
public:
    bool look = false;
    double square = 0, asked = 0; /* asked: seconds that looking took */
    int contacts = 0;

    btScalar solveGroupCacheFriendlyIterations(btCollisionObject **bodies, int n_bodies,
                                               btPersistentManifold **manifold, int n_manifolds,
                                               btTypedConstraint **joint, int n_joints,
                                               const btContactSolverInfo &info,
                                               btIDebugDraw *draw) override
    {
        const bool some = look && m_tmpSolverContactConstraintPool.size() > 0;
        mrn_problem p;
        double from = clock_now();
        if (some)
            p = take_problem(info);
        asked += clock_now() - from;
        btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyIterations(
            bodies, n_bodies, manifold, n_manifolds, joint, n_joints, info, draw);
        from = clock_now();
        if (some) {
            const double e = residual(p, impulses()) * norm_of_q(p);
            square += e * e, contacts += p.n;
            mrn_problem_release(&p);
        }
        asked += clock_now() - from;
        return 0;
    }
};

btCollisionShape *shape_of(const std::string &kind, const scenery &w, int32_t i)
{
    const mrn_bodies &b = w.state.body;
    const double r = b.radius[i];
    if (kind == "spheres")
        return new btSphereShape(r);
    const mrn_convex &c = w.scene.polytope[b.part[i]].part[0];
    if (kind == "boxes") {
        btVector3 half(0, 0, 0);
        for (int k = 0; k < c.n_points; k++)
            for (int a = 0; a < 3; a++)
                half[a] = std::max(half[a], r * std::fabs(c.point[3 * k + a]));
        return new btBoxShape(half);
    }
    btConvexHullShape *hull = new btConvexHullShape();
    for (int k = 0; k < c.n_points; k++)
        hull->addPoint(btVector3(r * c.point[3 * k], r * c.point[3 * k + 1], r * c.point[3 * k + 2]),
                       k == c.n_points - 1);
    hull->setMargin(0.005);
    hull->initializePolyhedralFeatures();
    return hull;
}

btRigidBody *add(btDiscreteDynamicsWorld *world, btCollisionShape *shape, double mass,
                 const btVector3 &inertia, const btQuaternion &q, const btVector3 &x)
{
    btRigidBody *b = new btRigidBody(mass, NULL, shape, inertia);
    b->setWorldTransform(btTransform(q, x));
    b->setFriction(std::sqrt(friction)); /* Bullet multiplies the two */
    b->setRestitution(0);
    b->setActivationState(DISABLE_DEACTIVATION);
    world->addRigidBody(b);
    return b;
}

btVector3 inertia_of(const scenery &w, int32_t i)
{
    const mrn_bodies &b = w.state.body;
    if ((b.flags[i] & MRN_BODY_POLYTOPE) == 0)
        return btVector3(b.inertia[i], b.inertia[i], b.inertia[i]);
    const double *j = w.scene.polytope[b.part[i]].inertia;
    return b.mass[i] * b.radius[i] * b.radius[i] * btVector3(j[0], j[1], j[2]);
}

std::vector<btRigidBody *> fill(btDiscreteDynamicsWorld *world, const std::string &kind, int n)
{
    scenery w(kind, n, "tolerance: 1e-2");
    const mrn_bodies &b = w.state.body;
    const double side = box_side(n);
    const double planes[5][4] = {
        {0, 0, 1, 0}, {1, 0, 0, 0}, {-1, 0, 0, -side}, {0, 1, 0, 0}, {0, -1, 0, -side}};
    for (const double *p : planes)
        add(world, new btStaticPlaneShape(btVector3(p[0], p[1], p[2]), p[3]), 0, btVector3(0, 0, 0),
            btQuaternion::getIdentity(), btVector3(0, 0, 0));
    std::vector<btRigidBody *> grain((size_t)n);
    for (int32_t i = b.n_walls; i < b.n; i++) {
        const double *q = b.q + 4 * i, *x = b.x + 3 * i;
        grain[(size_t)(b.id[i] - b.n_walls)] =
            add(world, shape_of(kind, w, i), b.mass[i], inertia_of(w, i),
                btQuaternion(q[1], q[2], q[3], q[0]), btVector3(x[0], x[1], x[2]));
    }
    return grain;
}

result run_bullet(const std::string &kind, int n, int iterations)
{
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    looking_solver solver;
    btDiscreteDynamicsWorld *world = /* what it holds goes with the program */
        new btDiscreteDynamicsWorld(&dispatcher, &broadphase, &solver, &configuration);
    btContactSolverInfo &info = world->getSolverInfo();
    info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    info.m_numIterations = iterations;
    info.m_splitImpulsePenetrationThreshold = 0; /* overlaps are mended apart from velocities */
    world->setGravity(btVector3(0, 0, -GRAVITY));
    std::vector<btRigidBody *> grain = fill(world, kind, n);
    result out;
    const int steps = (int)std::lround(duration / h);
    for (int k = 1; k <= steps; k++) {
        solver.look = looks(k, steps);
        solver.square = solver.asked = 0, solver.contacts = 0;
        double from = clock_now();
        world->stepSimulation(h, 0);
        out.seconds += clock_now() - from - solver.asked;
        if (solver.look && solver.contacts > 0)
            out.residual.push_back(std::sqrt(solver.square / n) / (GRAVITY * h)),
                out.contacts.push_back(solver.contacts);
    }
    std::vector<double> x, q;
    double kinetic = 0;
    for (const btRigidBody *b : grain) {
        const btTransform at = b->getWorldTransform();
        const btQuaternion turn = at.getRotation();
        for (int c = 0; c < 3; c++)
            x.push_back(at.getOrigin()[c]);
        for (double c : {turn.w(), turn.x(), turn.y(), turn.z()})
            q.push_back(c);
        kinetic += 0.5 * b->getLinearVelocity().length2() / (n * GRAVITY);
    }
    out.end = judge(kind, n, x.data(), q.data());
    out.end.kinetic = kinetic;
    return out;
}

/* ---- the page ---- */

void print_outcome(const outcome &o)
{
    std::printf("%8.4f %9.1e %8.3f %9.1e %9.1e", o.height, o.kinetic, o.contacts, o.mean, o.most);
}

void print(const char *name, const result &r)
{
    std::printf("%-24s %8.2f %10.2e %8.0f ", name, r.seconds / duration, median(r.residual),
                median(r.contacts));
    print_outcome(r.end);
    const mrn_step_times &t = r.times;
    const double all = t.list + t.contacts + t.assembly + t.solve + t.bodies;
    if (all > 0)
        std::printf("  %5.1f  %3.0f %3.0f %3.0f %3.0f %3.0f", (double)t.sweeps / (double)t.steps,
                    100 * t.list / all, 100 * t.contacts / all, 100 * t.assembly / all,
                    100 * t.solve / all, 100 * t.bodies / all);
    std::printf("\n");
    std::fflush(stdout);
}

void run_all(const std::string &kind, int n, const std::string &words)
{
    auto wanted = [&](const char *name) { return words.empty() || std::strstr(name, words.c_str()); };
    std::printf("%d %s, friction %g, %g s in steps of %g s\n", n, kind.c_str(), friction, duration, h);
    std::printf("%-24s %8s %10s %8s %8s %9s %8s %9s %9s  sweeps list contacts assembly solve bodies, %%\n",
                "", "s/s", "e", "points", "height", "E/mgd", "touching", "overlap", "at most");
    for (int iterations : {10, 50, 250}) {
        const std::string name = "Bullet " + std::to_string(iterations);
        if (wanted(name.c_str()))
            print(name.c_str(), run_bullet(kind, n, iterations));
    }
    const char *const fixed = "tolerance: 1e-30, unsolved: go-on, check-every: %d, max-iterations: %d";
    for (int sweeps : {10, 50, 250}) {
        char options[256];
        const std::string name = "Moraine " + std::to_string(sweeps);
        std::snprintf(options, sizeof options, fixed, sweeps, sweeps);
        if (wanted(name.c_str()))
            print(name.c_str(), run_moraine(kind, n, options));
    }
    for (const char *tolerance : {"1e-1", "1e-2", "1e-3", "1e-4"}) {
        const std::string name = std::string("Moraine to ") + tolerance;
        if (wanted(name.c_str()))
            print(name.c_str(), run_moraine(kind, n, (std::string("tolerance: ") + tolerance).c_str()));
    }
}

void write_grains(const std::string &kind, int n, const char *path)
{
    scenery w(kind, n, "tolerance: 1e-2");
    const mrn_bodies &b = w.state.body;
    std::ofstream f(path);
    f.precision(17);
    f << kind << ' ' << n << ' ' << box_side(n) << ' ' << friction << '\n';
    for (int32_t id = b.n_walls; id < b.n; id++) {
        const int32_t i = b.index_of[id];
        const btVector3 j = inertia_of(w, i);
        for (int c = 0; c < 3; c++)
            f << b.x[3 * i + c] << ' ';
        for (int c = 0; c < 4; c++)
            f << b.q[4 * i + c] << ' ';
        f << b.mass[i] << ' ' << j.x() << ' ' << j.y() << ' ' << j.z() << ' ' << b.radius[i];
        if (kind != "spheres") {
            const mrn_convex &c = w.scene.polytope[b.part[i]].part[0];
            for (int k = 0; k < 3 * c.n_points; k++)
                f << ' ' << b.radius[i] * c.point[k];
        }
        f << '\n';
    }
}

void judge_file(const std::string &kind, int n, const char *path)
{
    std::ifstream f(path);
    std::vector<double> x, q;
    double v[7];
    while (f >> v[0] >> v[1] >> v[2] >> v[3] >> v[4] >> v[5] >> v[6])
        x.insert(x.end(), v, v + 3), q.insert(q.end(), v + 3, v + 7);
    if (x.size() != 3 * (size_t)n) {
        std::fprintf(stderr, "whole: %s holds %zu grains, not %d\n", path, x.size() / 3, n);
        std::exit(2);
    }
    print_outcome(judge(kind, n, x.data(), q.data()));
    std::printf("\n");
}

} // namespace

int main(int argc, char **argv)
{
    const std::string what = argc > 1 ? argv[1] : "", kind = argc > 2 ? argv[2] : "";
    const int n = argc > 3 ? std::atoi(argv[3]) : 0;
    const bool known = kind == "spheres" || kind == "boxes" || kind == "polyhedra";
    const bool file = what == "grains" || what == "judge";
    if (!known || n < 1 || !(what == "run" || (file && argc == 5))) {
        std::fprintf(stderr, "whole: run KIND GRAINS [SECONDS [STEP [FRICTION [WORDS]]]], or grains or "
                             "judge KIND GRAINS FILE; kinds: spheres, boxes, polyhedra\n");
        return 2;
    }
    mrn_threads_set(1);
    if (what == "grains") {
        write_grains(kind, n, argv[4]);
    } else if (what == "judge") {
        judge_file(kind, n, argv[4]);
    } else {
        duration = argc > 4 ? std::atof(argv[4]) : duration;
        h = argc > 5 ? std::atof(argv[5]) : h;
        friction = argc > 6 ? std::atof(argv[6]) : friction;
        run_all(kind, n, argc > 7 ? argv[7] : "");
    }
    std::fflush(stdout);
    std::_Exit(0);
}
