/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact problem of a step of Bullet as Bullet has it (bodies, normals, levers, velocities,
   the impulses it starts from), and the residual of impulses for it. */
#ifndef MORAINE_BENCH_BULLET_PROBLEM_H
#define MORAINE_BENCH_BULLET_PROBLEM_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <btBulletDynamicsCommon.h>
#include <moraine/moraine.h>

inline double clock_now()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

inline double median(std::vector<double> x)
{
    if (x.empty())
        return NAN;
    std::sort(x.begin(), x.end());
    size_t n = x.size();
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

inline void need(mrn_status s, const mrn_message &msg)
{
    if (s == MRN_OK || s == MRN_NOT_CONVERGED)
        return;
    char text[4096];
    mrn_message_format(&msg, text, sizeof text);
    std::fprintf(stderr, "%s", text);
    std::exit(1);
}

/* While it solves (between solveGroupCacheFriendlySetup and …Finish) it tells its problem. */
class problem_solver : public btSequentialImpulseConstraintSolver
{
  protected:
    /* Bullet's rows: a normal, then two directions of friction. */
    const btSolverConstraint &row(int contact, int component) const
    {
        const btSolverConstraint &normal = m_tmpSolverContactConstraintPool[contact];
        return component == 0 ? normal
                              : m_tmpSolverContactFrictionConstraintPool[normal.m_frictionIndex +
                                                                         component - 1];
    }

    std::vector<double> impulses() const
    {
        int n = m_tmpSolverContactConstraintPool.size();
        std::vector<double> r(3 * (size_t)n);
        for (int i = 0; i < 3 * n; i++)
            r[(size_t)i] = row(i / 3, i % 3).m_appliedImpulse;
        return r;
    }

    static double rate(const btSolverBody &b, const btVector3 &along, const btVector3 &about)
    {
        return along.dot(b.m_linearVelocity + b.m_externalForceImpulse) +
               about.dot(b.m_angularVelocity + b.m_externalTorqueImpulse);
    }

    void add_half(int contact, int component, int body, const btVector3 &along,
                  const btVector3 &about)
    {
        const btSolverBody &b = m_tmpSolverBodyPool[body];
        if (b.m_originalBody == NULL || b.m_invMass.x() == 0)
            return;
        for (int c = 0; c < 6; c++) {
            at_row.push_back(3 * contact + component);
            at_col.push_back(6 * body + c);
            value.push_back(c < 3 ? along[c] : about[c - 3]);
        }
    }

    mrn_problem take_problem(const btContactSolverInfo &info)
    {
        int n = m_tmpSolverContactConstraintPool.size(), bodies = m_tmpSolverBodyPool.size();
        mrn_message msg = {};
        mrn_problem p;
        need(mrn_problem_create(MRN_CONTACT_3D, n, &p, &msg), msg);
        at_row.clear(), at_col.clear(), value.clear();
        for (int i = 0; i < 3 * n; i++) {
            const btSolverConstraint &c = row(i / 3, i % 3);
            const int a = c.m_solverBodyIdA, b = c.m_solverBodyIdB;
            add_half(i / 3, i % 3, a, c.m_contactNormal1, c.m_relpos1CrossNormal);
            add_half(i / 3, i % 3, b, c.m_contactNormal2, c.m_relpos2CrossNormal);
            p.q[i] = rate(m_tmpSolverBodyPool[a], c.m_contactNormal1, c.m_relpos1CrossNormal) +
                     rate(m_tmpSolverBodyPool[b], c.m_contactNormal2, c.m_relpos2CrossNormal);
            if (i % 3 == 0) { /* a gap may close within the step */
                const btManifoldPoint *at = (const btManifoldPoint *)c.m_originalContactPoint;
                p.q[i] += std::max(0.0, (double)at->getDistance()) / info.m_timeStep;
                p.mu[MRN_SLIDING][i / 3] = row(i / 3, 1).m_friction;
            }
        }
        need(mrn_bsr_from_entries(n, bodies, 3, 6, (int64_t)value.size(), at_row.data(),
                                  at_col.data(), value.data(), &p.Ht, &msg),
             msg);
        p.minv = (double *)mrn_alloc(36 * (size_t)bodies * sizeof *p.minv);
        for (int b = 0; b < bodies; b++)
            set_minv(m_tmpSolverBodyPool[b], p.minv + 36 * (size_t)b);
        return p;
    }

    static void set_minv(const btSolverBody &b, double *m)
    {
        bool fixed = b.m_originalBody == NULL || b.m_invMass.x() == 0;
        for (int c = 0; c < 6; c++)
            m[7 * c] = fixed ? 1 : c < 3 ? (double)b.m_invMass[c] : 0;
        for (int r = 0; !fixed && r < 3; r++)
            for (int c = 0; c < 3; c++)
                m[6 * (3 + c) + 3 + r] = b.m_originalBody->getInvInertiaTensorWorld()[r][c];
    }

    static double residual(const mrn_problem &p, const std::vector<double> &r)
    {
        mrn_message msg = {};
        mrn_measures m;
        need(mrn_measure_answer(&p, r.data(), NULL, &m, &msg), msg);
        return m.natural;
    }

  private:
    std::vector<int32_t> at_row, at_col;
    std::vector<double> value;
};

#endif
