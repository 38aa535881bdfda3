#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains that fall into a box under Siconos' mechanics (Debian: python3-siconos, python3-h5py), beside whole.cpp.

    siconos_whole.py GRAINS SECONDS STEP TOLERANCE ITERATIONS PLACES [LIMIT]

GRAINS is what `whole grains KIND N FILE` writes. NSGS to TOLERANCE (Siconos' own error) with ITERATIONS at most, Moreau and Jean's
scheme, contact points by Siconos' Bullet. Prints, every 25 steps, seconds of the processor per simulated second since the last
time, contacts, sweeps and the error of the contact problem in the norm of whole.cpp; at the end the same over all. Where grains
are goes to PLACES, for `whole judge`. LIMIT: seconds of the processor after which it ends early and says so."""
import os
import sys
import tempfile
import time

import numpy as np
import siconos.kernel as sk
import siconos.numerics as sn
from siconos.io.mechanics_run import MechanicsHdf5Runner
from siconos.mechanics.collision.tools import Contactor

GRAVITY, INSIDE, THICK = 9.81, 0.005, 1.0


class Enough(Exception):
    pass


def read_grains(path):
    with open(path, encoding="ascii") as f:
        kind, n, side, friction = f.readline().split()
        return kind, int(n), float(side), float(friction), [[float(x) for x in line.split()] for line in f]


def add_grain(io, kind, k, g):
    name = f"grain{k}"
    if kind == "spheres":
        io.add_primitive_shape(name, "Sphere", [g[11]])
    elif kind == "boxes":
        half = np.abs(np.array(g[12:]).reshape(-1, 3)).max(axis=0)
        io.add_primitive_shape(name, "Box", list(2 * half), insideMargin=INSIDE, outsideMargin=0)
    else:
        io.add_convex_shape(name, np.array(g[12:]).reshape(-1, 3), insideMargin=INSIDE, outsideMargin=0)
    io.add_object(f"body{k}", [Contactor(name)], translation=g[0:3], orientation=g[3:7], velocity=[0] * 6, mass=g[7], inertia=g[8:11])


def write_scene(path, kind, side, friction, grains):
    with MechanicsHdf5Runner(io_filename=path) as io:
        io.add_Newton_impact_friction_nsl("contact", mu=friction, e=0.0)
        for k, g in enumerate(grains):
            add_grain(io, kind, k, g)
        high, half = 40.0, 0.5 * side
        io.add_primitive_shape("lying", "Box", [side + 4, side + 4, THICK], insideMargin=INSIDE, outsideMargin=0)
        io.add_primitive_shape("along-x", "Box", [THICK, side + 4, high], insideMargin=INSIDE, outsideMargin=0)
        io.add_primitive_shape("along-y", "Box", [side + 4, THICK, high], insideMargin=INSIDE, outsideMargin=0)
        io.add_object("floor", [Contactor("lying")], translation=[half, half, -0.5 * THICK])
        for name, x in (("left", -0.5 * THICK), ("right", side + 0.5 * THICK)):
            io.add_object(name, [Contactor("along-x")], translation=[x, half, 0.5 * high - THICK])
        for name, y in (("front", -0.5 * THICK), ("back", side + 0.5 * THICK)):
            io.add_object(name, [Contactor("along-y")], translation=[half, y, 0.5 * high - THICK])


def project(r, mu):
    """On Coulomb's cones; rows of three, normal first."""
    n, t = r[:, 0], np.hypot(r[:, 1], r[:, 2])
    inside, polar = t <= mu * n, mu * t <= -n
    normal = (n + mu * t) / (1 + mu * mu)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(t > 0, mu * normal / t, 0)
    out = np.column_stack((normal, scale * r[:, 1], scale * r[:, 2]))
    return np.where(inside[:, None], r, np.where(polar[:, None], 0, out))


def violation(problem, z, u):
    """|r - P(r - rho (u + mu |u_T| n))| / rho: a velocity."""
    n = problem.numberOfContacts
    rho = 3 * n / sum(sn.NM_get_value(problem.M, i, i) for i in range(3 * n))
    u, r, mu = u.reshape(-1, 3), z.reshape(-1, 3), np.asarray(problem.mu)[:n]
    u[:, 0] += mu * np.hypot(u[:, 1], u[:, 2])
    return np.linalg.norm(r - project(r - rho * u, mu)) / rho


class Watch:
    def __init__(self, h, grains, limit):
        self.step, self.h, self.unit, self.limit = 0, h, np.sqrt(grains) * GRAVITY * h, limit
        self.seconds, self.told, self.error, self.contacts, self.sweeps = 0.0, 0.0, [], [], []
        self.problem, self.since = None, time.process_time()

    def tell(self, n):
        error = violation(self.problem.frictionContactProblemPtr(), self.problem.z()[: 3 * n].copy(), self.problem.w()[: 3 * n].copy())
        self.error.append(error / self.unit)
        self.contacts.append(n)
        print(f"t = {self.step * self.h:.3f} s: {(self.seconds - self.told) / (25 * self.h):.1f} s/s, {n} contacts, "
              f"{np.mean(self.sweeps[-25:]):.0f} sweeps, e {self.error[-1]:.2e}", flush=True)
        self.told = self.seconds

    def __call__(self, io):
        self.step += 1
        self.seconds += time.process_time() - self.since
        n = self.problem.getSizeOutput() // 3
        if n > 0:
            self.sweeps.append(self.problem.numericsSolverOptions().iparam[sn.SICONOS_IPARAM_ITER_DONE])
        if self.step % 25 == 0 and n > 0:
            self.tell(n)
        if self.seconds > self.limit:
            raise Enough
        self.since = time.process_time()


def options_of(tolerance, iterations):
    o = sk.solver_options_create(sn.SICONOS_FRICTION_3D_NSGS)
    o.iparam[sn.SICONOS_IPARAM_MAX_ITER] = iterations
    o.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    return o


def main():
    path, seconds, h, tolerance, iterations, places = sys.argv[1:7]
    seconds, h = float(seconds), float(h)
    kind, n, side, friction, grains = read_grains(path)
    watch = Watch(h, n, float(sys.argv[7]) if len(sys.argv) > 7 else np.inf)
    make = sk.FrictionContact

    def kept(*a):  # the runner keeps the problem to itself
        watch.problem = make(*a)
        return watch.problem

    sk.FrictionContact = kept
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.hdf5")
        write_scene(scene, kind, side, friction, grains)
        with MechanicsHdf5Runner(mode="r+", io_filename=scene) as io:
            watch.since = time.process_time()
            try:
                io.run(t0=0, T=seconds, h=h, theta=0.50001, Newton_max_iter=1, output_frequency=1 << 60, verbose=False, verbose_progress=False,
                       solver_options=options_of(float(tolerance), int(iterations)), end_run_iteration_hook=watch)
            except Enough:
                print(f"# ended at {watch.step * h:g} s of {seconds:g} s")
            bodies = [sk.cast_NewtonEulerDS(b) for b in io._nsds.dynamicalSystemsVector()]
            kinetic = sum(0.5 * np.dot(b.twist()[:3], b.twist()[:3]) for b in bodies) / (n * GRAVITY)
            with open(places, "w", encoding="ascii") as f:
                for b in sorted(bodies, key=lambda b: b.number()):
                    f.write(" ".join(repr(float(x)) for x in b.q()) + "\n")
    simulated = max(watch.step, 1) * h
    half = len(watch.error) // 2
    print(f"Siconos to {tolerance}, {iterations} sweeps at most: {watch.seconds / simulated:.2f} s/s, e {np.median(watch.error[half:]):.2e}, "
          f"{np.median(watch.contacts[half:]):.0f} points, {np.mean(watch.sweeps):.1f} sweeps, E/mgd {kinetic:.1e}")


if __name__ == "__main__":
    main()
