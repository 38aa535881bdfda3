/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact solver of Bullet (sequential impulses) beside Gauss-Seidel and the default here, on the
   contact problems that a simulation by Bullet meets. Grains fall into a box under Bullet; then, every
   tenth step, the problem of the step is taken as Bullet has it (bodies, normals, levers, velocities,
   the impulses it starts from), Bullet goes on to 10, 50, 250 and 1000 iterations, and Moraine gets the
   same problem with the same impulses to begin with. Answers of both are judged by one residual
   (mrn_measure_answer). One thread, seconds of the processor, medians over the problems.
   Usage: bullet [spheres|boxes|polyhedra] [number of grains] [number of problems] [friction] */
#include <cstring>

#include "bullet_problem.h"

namespace {

double friction = 0.4;
const double STEP = 0.01, SETTLED = 4;
const double PATIENCE = 20; /* s for an answer; beyond: inf */
const int ITERATIONS[] = {10, 50, 250, 1000};
const int MARKS = 4;

/* What one problem showed: Bullet at its marks, and ours with as many sweeps, and ours until it is as
   good as Bullet at that mark (by Gauss-Seidel and by the default), and to 1e-4. */
struct record {
    int contacts;
    double residual[MARKS], seconds[MARKS], own_residual[MARKS], own_seconds[MARKS];
    double as_good_nlgs[MARKS], as_good[MARKS], to_4;
};

class watched_solver : public problem_solver
{
public:
    bool sample = false;
    int most = 0; /* contacts: smaller islands are left alone */
    std::vector<record> seen;

    btScalar solveGroupCacheFriendlyIterations(btCollisionObject **bodies, int n_bodies,
                                               btPersistentManifold **manifold, int n_manifolds,
                                               btTypedConstraint **joint, int n_joints,
                                               const btContactSolverInfo &info,
                                               btIDebugDraw *draw) override
    {
        int n = m_tmpSolverContactConstraintPool.size();
        most = std::max(most, n);
        auto go_on = [&](int iterations) {
            btContactSolverInfo some = info;
            some.m_numIterations = iterations;
            btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyIterations(
                bodies, n_bodies, manifold, n_manifolds, joint, n_joints, some, draw);
        };
        if (!sample || 2 * n < most) {
            go_on(info.m_numIterations);
            return 0;
        }
        mrn_problem p = take_problem(info);
        const std::vector<double> start = impulses();
        record r = {};
        r.contacts = n;
        double spent = 0;
        for (int k = 0, done = 0; k < MARKS; done = ITERATIONS[k++]) {
            double from = clock_now();
            go_on(ITERATIONS[k] - done);
            spent += clock_now() - from;
            r.seconds[k] = spent;
            r.residual[k] = residual(p, impulses());
        }
        for (int k = 0; k < MARKS; k++)
            ours(p, start, k, &r);
        r.to_4 = until(p, start, NULL, 1e-4);
        seen.push_back(r);
        mrn_problem_release(&p);
        return 0;
    }

private:
    static double solve(const mrn_problem &p, std::vector<double> *r, const char *solver,
                        double tolerance, int sweeps)
    {
        mrn_message msg = {};
        mrn_solve_control control = mrn_solve_control_default();
        control.tolerance = tolerance;
        control.max_iterations = control.min_iterations = sweeps;
        if (sweeps > 0)
            control.check_every = sweeps;
        else
            control.max_seconds = PATIENCE;
        double from = clock_now();
        mrn_status st = mrn_solve(&p, solver != NULL ? mrn_solver_find(solver) : mrn_solver_at(0),
                                  NULL, &control, r->data(), NULL, NULL, &msg);
        need(st, msg);
        double spent = clock_now() - from;
        return sweeps == 0 && st != MRN_OK ? INFINITY : spent;
    }

    static double until(const mrn_problem &p, std::vector<double> r, const char *solver,
                        double tolerance)
    {
        return solve(p, &r, solver, tolerance, 0);
    }

    static void ours(const mrn_problem &p, const std::vector<double> &start, int k, record *to)
    {
        std::vector<double> r = start;
        to->own_seconds[k] = solve(p, &r, "nlgs", 1e-300, ITERATIONS[k]);
        to->own_residual[k] = residual(p, r);
        to->as_good_nlgs[k] = until(p, start, "nlgs", to->residual[k]);
        to->as_good[k] = until(p, start, NULL, to->residual[k]);
    }
};

/* ---- the world ---- */

double uniform()
{
    return std::rand() / (RAND_MAX + 1.0);
}

btCollisionShape *grain(const char *kind)
{
    double d = 0.9 + 0.2 * uniform();
    if (std::strcmp(kind, "spheres") == 0)
        return new btSphereShape(0.5 * d);
    if (std::strcmp(kind, "boxes") == 0)
        return new btBoxShape(btVector3(0.5 * d, 0.4 * d, 0.35 * d));
    btConvexHullShape *hull = new btConvexHullShape();
    for (int k = 0; k < 16; k++) { /* points on an ellipsoid */
        double z = 2 * uniform() - 1, a = 6.283185307179586 * uniform(), s = std::sqrt(1 - z * z);
        hull->addPoint(btVector3(0.5 * d * s * std::cos(a), 0.45 * d * s * std::sin(a), 0.4 * d * z),
                       k == 15);
    }
    hull->setMargin(0.01);
    return hull;
}

void add(btDiscreteDynamicsWorld *world, btCollisionShape *shape, const btVector3 &x, double density)
{
    btVector3 inertia(0, 0, 0), low, high;
    shape->getAabb(btTransform::getIdentity(), low, high);
    double mass = density * (high - low).x() * (high - low).y() * (high - low).z();
    if (mass > 0)
        shape->calculateLocalInertia(mass, inertia);
    btRigidBody *b = new btRigidBody(mass, NULL, shape, inertia);
    b->setWorldTransform(btTransform(btQuaternion::getIdentity(), x));
    b->setFriction(std::sqrt(friction)); /* Bullet multiplies the two */
    b->setRestitution(0);
    b->setActivationState(DISABLE_DEACTIVATION);
    world->addRigidBody(b);
}

void fill(btDiscreteDynamicsWorld *world, const char *kind, int n)
{
    int side = std::max(3, (int)std::lround(std::cbrt(n / 1.5)));
    double a = 1.35, half = 0.5 * side * a;
    const btVector3 planes[] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    for (int k = 0; k < 5; k++)
        add(world, new btStaticPlaneShape(planes[k], k == 0 ? 0 : -half), btVector3(0, 0, 0), 0);
    for (int k = 0; k < n; k++)
        add(world, grain(kind),
            btVector3((k % side + 0.5) * a - half + 0.1 * uniform(),
                      (k / side % side + 0.5) * a - half + 0.1 * uniform(),
                      (k / side / side + 0.8) * a),
            2600);
}

void print(const char *kind, int n, const std::vector<record> &seen)
{
    std::vector<double> contacts, to_4;
    for (const record &r : seen)
        contacts.push_back(r.contacts), to_4.push_back(r.to_4);
    std::printf("%d %s, %zu problems, %.0f contacts; the default here to 1e-4: %.4f s\n", n, kind,
                seen.size(), median(contacts), median(to_4));
    std::printf("%10s | %10s %9s %9s | %10s %9s %9s | %11s %11s\n", "iterations", "Bullet: e", "s",
                "ns/c.s.", "nlgs: e", "s", "ns/c.s.", "as good, s", "default, s");
    for (int k = 0; k < MARKS; k++) {
        std::vector<double> e, s, own_e, own_s, good, best, cost, own_cost;
        for (const record &r : seen) {
            e.push_back(r.residual[k]), s.push_back(r.seconds[k]);
            own_e.push_back(r.own_residual[k]), own_s.push_back(r.own_seconds[k]);
            good.push_back(r.as_good_nlgs[k]), best.push_back(r.as_good[k]);
            double more = k > 0 ? ITERATIONS[k] - ITERATIONS[k - 1] : ITERATIONS[0];
            double was = k > 0 ? r.seconds[k - 1] : 0, own_was = k > 0 ? r.own_seconds[k - 1] : 0;
            cost.push_back(1e9 * (r.seconds[k] - was) / (more * r.contacts));
            own_cost.push_back(1e9 * (r.own_seconds[k] - own_was) / (more * r.contacts));
        }
        std::printf("%10d | %10.2e %9.4f %9.1f | %10.2e %9.4f %9.1f | %11.4f %11.4f\n",
                    ITERATIONS[k], median(e), median(s), median(cost), median(own_e), median(own_s),
                    median(own_cost), median(good), median(best));
    }
}

} // namespace

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "spheres";
    int n = argc > 2 ? std::atoi(argv[2]) : 2000, problems = argc > 3 ? std::atoi(argv[3]) : 3;
    friction = argc > 4 ? std::atof(argv[4]) : friction;
    const bool known = std::strcmp(kind, "spheres") == 0 || std::strcmp(kind, "boxes") == 0 ||
                       std::strcmp(kind, "polyhedra") == 0;
    if (!known || n < 1 || problems < 1 || !(friction >= 0)) {
        std::fprintf(stderr, "bullet: %s %d grains, %d problems, friction %g: wanted spheres, boxes or "
                             "polyhedra, numbers from 1 on, friction from 0 on\n",
                     kind, n, problems, friction);
        return 2;
    }
    mrn_threads_set(1);
    std::srand(1);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    watched_solver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    btContactSolverInfo &info = world.getSolverInfo();
    info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    info.m_numIterations = 50;
    info.m_splitImpulsePenetrationThreshold = 0; /* overlaps are mended apart from velocities */
    world.setGravity(btVector3(0, 0, -9.81));
    fill(&world, kind, n);
    for (double t = 0; t < SETTLED; t += STEP)
        world.stepSimulation(STEP, 0);
    world.setGravity(btVector3(9.81 * std::sin(0.2), 0, -9.81 * std::cos(0.2))); /* it leans */
    for (int k = 0; (int)solver.seen.size() < problems && k < 20 * problems; k++) {
        solver.sample = k % 10 == 9;
        world.stepSimulation(STEP, 0);
    }
    print(kind, n, solver.seen);
    std::fflush(stdout);
    std::_Exit(0); /* what the world holds goes with the program */
}
