#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step costs and how true it is: Moraine beside LIGGGHTS, LAMMPS (two styles) and YADE on the same impacts and the same bed.

    bench/peers/accuracy.py [--moraine PATH] [--out DIR] [--rates CODE=R,…] [--parts impacts,ledger,energy,bed]

Peers that are not installed are left out (Debian: liggghts, lammps, yade). Grains, moduli, friction and gravity are those of
bench/tile.h. Steps are parts of 2 sqrt(m/k) of the stiffest contact at 0.6 m/s, as `time-step: {fraction: …}` has them.

impacts  two free spheres at 0.6 m/s under 0, 15, 30, 45, 60 degrees, each with 16 gaps at the start so that the first touch falls
         anywhere in a step. Error: root mean square over these 80 of what e_n and e_t differ from those of the same code
         with a step 100 times smaller than the smallest here (laws differ a little between codes: each is held to its own).
energy   300 spheres without friction and loss fall on the floor: kinetic, gravitational and Hertz's stored energy, computed here from
         places and velocities, against those at the start.
ledger   of Moraine alone: the same spheres with friction and loss; what the ledger cannot explain over what was dissipated.
bed      1000 spheres fall and settle: solid height and mean number of contacts after 0.25 s.

Writes accuracy.csv and accuracy.md (the tables) and folders that `moraine plot` draws into --out. --rates gives million body-steps/s of
the codes (bench/peers/compare.sh prints them) for the cost of a simulated second.
"""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
YOUNG, POISSON, DENSITY, RADIUS = 5e7, 0.25, 2500.0, 1e-3
SPEED, ANGLES, PHASES = 0.6, (0, 15, 30, 45, 60), 16
FRACTIONS = (0.4, 0.28, 0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025)
REFERENCE = 0.00025
MATERIAL = """moraine: 1
materials: {glass: {density: 2500 kg/m3, young: 50 MPa, poisson: 0.25}}
interactions: [{between: [glass, glass], law: hertz-mindlin, restitution: %(e)g, friction: %(mu)g}]
"""


def command(args, **more):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit("accuracy: %s failed:\n%s" % (args[0], done.stdout[-2000:]))
    return done.stdout


class Grains:
    """Places, radii, velocities and spins at the start, and the periodic box."""

    def __init__(self, side, height, rows):
        self.side, self.height, self.rows = side, height, rows

    def write(self, stem):
        with open(stem + ".csv", "w") as f:
            f.write("x,y,z,radius,vx,vy,vz,wx,wy,wz\n")
            f.writelines(",".join("%.17g" % v for v in r) + "\n" for r in self.rows)
        with open(stem + ".xyzr", "w") as f:
            f.write("# %.17g %.17g\n" % (self.side, self.side))
            f.writelines(" ".join("%.17g" % v for v in r) + "\n" for r in self.rows)
        with open(stem + ".data", "w") as f:
            f.write("grains\n\n%d atoms\n1 atom types\n\n0 %.17g xlo xhi\n0 %.17g ylo yhi\n-0.001 %.17g zlo zhi\n\nAtoms\n\n" %
                    (len(self.rows), self.side, self.side, self.height))
            f.writelines("%d 1 %.17g %g %.17g %.17g %.17g\n" % (i + 1, 2 * r[3], DENSITY, r[0], r[1], r[2])
                         for i, r in enumerate(self.rows))
            f.write("\nVelocities\n\n")
            f.writelines("%d %s\n" % (i + 1, " ".join("%.17g" % v for v in r[4:])) for i, r in enumerate(self.rows))


def table(path, columns):
    """Columns of an exported table, rows by the number of the body."""
    with open(path) as f:
        head = [name.split(" [")[0] for name in f.readline().strip().split(",")]
        at = [head.index(k) for k in columns]
        return sorted([float(row[k]) for k in at] for row in (line.strip().split(",") for line in f))


def run_moraine(job, stem, steps, h, e, mu, g, step=None):
    """`step`: what the scene says of it in place of h."""
    scene = MATERIAL % {"e": e, "mu": mu} + """bodies: {name: beads, shape: {sphere: {radius: 1 mm}}, place: {csv: %s}}
walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}, name: floor}]
cell: {periodic: [x, y], size: [%.17g, %.17g, 1]}
gravity: [0, 0, %.17g]
%s
stages: [{until: {time: %.17g}}]
output: {every: %.17g}
""" % (os.path.basename(stem) + ".csv", job.side, job.side, -g, step or "time-step: %.17g" % h, h * (steps - 0.5), h * steps)
    with open(stem + ".yaml", "w") as f:
        f.write(scene)
    shutil.rmtree(stem + ".run", ignore_errors=True)
    command([ARGS.moraine, "run", stem + ".yaml", "--out", stem + ".run", "-q", "-t", "1"])
    command([ARGS.moraine, "export", stem + ".run", "-f", "csv", "--first", "-1", "-o", stem + ".end"])
    return [r[1:] for r in table(stem + ".end", ("id", "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"))][-len(job.rows):]


def run_lammps(job, stem, steps, h, e, mu, g, program, script):
    more = ["-var", "c", "0" if e == 1 else "1e9"] if script == "lammps-hertz" else ["-var", "e", "%g" % e]
    with open(stem + ".more", "w") as f:
        f.write("dump end all custom %d %s.dump id x y z vx vy vz omegax omegay omegaz\n" % (steps, stem))
        f.write('dump_modify end format "%d' + 9 * " %.17g" + '"\n' if program == "liggghts" else "dump_modify end format float %.17g\n")
    command([program, "-var", "data", stem + ".data", "-var", "h", "%.17g" % h, "-var", "steps", str(steps), "-var", "gx", "0", "-var",
             "gz", "-1", "-var", "g", "%.17g" % g, "-var", "mu", "%g" % mu, "-var", "more", stem + ".more", *more, "-in",
             os.path.join(HERE, script + ".in")], cwd=os.path.dirname(stem))
    with open(stem + ".dump") as f:
        text = f.read().split("ITEM: ATOMS")[-1].split("\n")[1:]
    return [r[1:] for r in sorted([float(v) for v in line.split()] for line in text if line.strip())]


# its collider does not come back from its second sorting with a wall in a periodic cell: a wide skin, and impacts alone
def run_yade(job, stem, steps, h, e, mu, g):
    env = dict(os.environ, PEER_DATA=stem + ".xyzr", PEER_STEPS=str(steps), PEER_H="%.17g" % h, PEER_GX="0", PEER_GZ="-1",
               PEER_E="%g" % e, PEER_MU="%g" % mu, PEER_G="%.17g" % g, PEER_OUT=stem + ".yade",
               PEER_SKIN="1e-3")
    command(["yade", "-j1", "-n", "-x", os.path.join(HERE, "yade.py")], env=env)
    with open(stem + ".yade") as f:
        return [r[1:] for r in sorted([float(v) for v in line.split()] for line in f)]


def codes(falling=False):
    all_codes = [("moraine", None, run_moraine)]
    if shutil.which("liggghts"):
        all_codes.append(("liggghts", None, lambda *a: run_lammps(*a, "liggghts", "liggghts")))
    if shutil.which("lmp"):
        for style in ("lammps-granular", "lammps-hertz"):
            all_codes.append((style, None, lambda *a, s=style: run_lammps(*a, "lmp", s)))
    if shutil.which("yade") and not falling:
        all_codes.append(("yade", None, run_yade))
    return [(name, run) for name, _, run in all_codes if not ARGS.codes or name in ARGS.codes.split(",")]


# ---- steps ----

def unit_step():
    """2 sqrt(m/k) of the stiffest contact at SPEED, as Moraine has it, and the Rayleigh and the contact time."""
    stem = os.path.join(ARGS.out, "unit")
    with open(stem + ".yaml", "w") as f:
        f.write(MATERIAL % {"e": 0.5, "mu": 0.4} + """bodies: [{name: a, shape: {sphere: {radius: 1 mm}}, place: {list: [[0, 0, 0]]}},
         {name: b, shape: {sphere: {radius: 1 mm}}, place: {list: [[3 mm, 0, 0]]}, velocity: [-%g, 0, 0]}]
time-step: {fraction: 0.1}
stages: [{until: {time: 1 ms}}]
""" % SPEED)
    step = json.loads(command([ARGS.moraine, "check", stem + ".yaml", "--json", "--trial", "0"]))["time-step"]
    return step["advised"] / 0.1, step["rayleigh"], step["contact-time"]


# ---- impacts ----

def impact_grains(h):
    rows = []
    for a in ANGLES:
        vn, vt = SPEED * math.cos(math.radians(a)), SPEED * math.sin(math.radians(a))
        for p in range(PHASES):
            x, y, z = 3e-3 + 8e-3 * p, 3e-3 + 8e-3 * ANGLES.index(a), 5e-3
            gap = vn * h * (1 + (p + 0.5) / PHASES)
            rows.append([x, y, z, RADIUS, 0, 0, 0, 0, 0, 0])
            rows.append([x + 2 * RADIUS + gap, y, z, RADIUS, -vn, vt, 0, 0, 0, 0])
    return Grains(8e-3 * PHASES, 0.1, rows)


def rebounds(job, end):
    """e_n and e_t of each pair, of the relative velocity where they touch, along the line of their centres at the start."""
    out = []
    for k in range(0, len(end), 2):
        a, b, before = end[k], end[k + 1], job.rows[k + 1]
        normal = (b[3] - a[3]) / before[4]
        sliding = (b[4] - a[4]) - RADIUS * (a[8] + b[8])
        out.append((-normal, -sliding / before[5] if before[5] else 0.0))
    return out


def impacts(unit):
    def of(run, fraction, stem):
        h = fraction * unit
        job = impact_grains(h)
        job.write(stem)
        return rebounds(job, run(job, stem, int(math.ceil(5e-4 / h)), h, 0.5, 0.4, 0.0))

    result = {}
    for name, run in codes():
        stem = os.path.join(ARGS.out, "impacts-" + name)
        exact = of(run, REFERENCE, stem)
        result[name] = {"e_n": exact[0][0], "e_t": [exact[PHASES * k][1] for k in range(len(ANGLES))]}
        for fraction in FRACTIONS:
            got = of(run, fraction, stem)
            square = [sum((g[c] - x[c]) ** 2 for g, x in zip(got, exact)) for c in (0, 1)]
            result[name][fraction] = (math.sqrt(square[0] / len(got)), math.sqrt(square[1] / (len(got) - PHASES)))
            print("impacts %-16s %6g  e_n %.2e  e_t %.2e" % (name, fraction, *result[name][fraction]), flush=True)
    return result


# ---- energy ----

def start_of_bed(count, height):
    """The tile of bench/tile.h as it is filled: the same places for all codes."""
    stem = os.path.join(ARGS.out, "start-%d" % count)
    with open(stem + ".yaml", "w") as f:
        f.write(MATERIAL % {"e": 0.5, "mu": 0.4} + """bodies:
  - {name: beads, shape: {sphere: {diameter: {uniform: [1.8 mm, 2.2 mm]}}}, count: %d,
     place: {fill: {box: [[0, 0, 0], [16 mm, 16 mm, %g]]}}}
walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}, name: floor}]
cell: {periodic: [x, y], size: [16 mm, 16 mm, 1 m]}
gravity: [0, 0, -9.81]
stages: [{until: {steps: 1}}]
output: {every: 1}
""" % (count, height))
    shutil.rmtree(stem + ".run", ignore_errors=True)
    command([ARGS.moraine, "run", stem + ".yaml", "--out", stem + ".run", "-q"])
    command([ARGS.moraine, "export", stem + ".run", "-f", "csv", "--first", "0", "--last", "0", "-o", stem + ".end"])
    rows = table(stem + ".end", ("id", "x", "y", "z", "radius"))[-count:]
    return Grains(0.016, 0.3, [[r[1] % 0.016, r[2] % 0.016, r[3], r[4], 0, 0, 0, 0, 0, 0] for r in rows])


def contacts(job, end):
    """Overlaps with partners (radius of both) and with the floor, found in cells of one largest diameter."""
    side, found = job.side, []
    n = int(side / (2.2e-3))
    cell = {}
    for i, b in enumerate(end):
        key = (int((b[0] % side) / side * n) % n, int((b[1] % side) / side * n) % n, int(b[2] // 2.2e-3))
        cell.setdefault(key, []).append(i)
        if b[2] < job.rows[i][3]:
            found.append((job.rows[i][3] - b[2], job.rows[i][3]))
    near = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
    for (cx, cy, cz), members in cell.items():
        for x, y, z in near:
            for j in cell.get(((cx + x) % n, (cy + y) % n, cz + z), ()):
                for i in members:
                    if i < j:
                        d = [end[j][k] - end[i][k] for k in range(3)]
                        d[0] -= side * round(d[0] / side)
                        d[1] -= side * round(d[1] / side)
                        ri, rj = job.rows[i][3], job.rows[j][3]
                        delta = ri + rj - math.sqrt(sum(v * v for v in d))
                        if delta > 0:
                            found.append((delta, ri * rj / (ri + rj)))
    return found


def energy_of(job, end):
    total = 0.0
    for b, r in zip(end, job.rows):
        m = DENSITY * 4 / 3 * math.pi * r[3] ** 3
        total += 0.5 * m * (b[3] ** 2 + b[4] ** 2 + b[5] ** 2) + 0.2 * m * r[3] ** 2 * (b[6] ** 2 + b[7] ** 2 + b[8] ** 2)
        total += 9.81 * m * b[2]
    modulus = YOUNG / (2 * (1 - POISSON ** 2))
    return total + sum(8 / 15 * modulus * math.sqrt(r) * d ** 2.5 for d, r in contacts(job, end))


def energy(unit):
    job = start_of_bed(300, 0.012)
    first = energy_of(job, [r[:3] + r[4:] for r in job.rows])
    rest = DENSITY * 4 / 3 * math.pi * 9.81 * sum(r[3] ** 4 for r in job.rows)  # all on the floor: what could fall
    result = {}
    for name, run in codes(falling=True):
        result[name] = {}
        stem = os.path.join(ARGS.out, "energy-" + name)
        job.write(stem)
        for fraction in (0.2, 0.1, 0.05, 0.025):
            h = fraction * unit
            end = run(job, stem, int(0.1 / h), h, 1.0, 0.0, 9.81)
            got = energy_of(job, end)
            result[name][fraction] = (got - first) / (first - rest)
            print("energy %-16s %6g  %+.2e" % (name, fraction, result[name][fraction]), flush=True)
    return result


def ledger(unit):
    """The 300 spheres with restitution 0.5 and friction 0.4, at the step that each accuracy computes."""
    job = start_of_bed(300, 0.012)
    stem = os.path.join(ARGS.out, "ledger")
    job.write(stem)
    result = {}
    for word in ("quick", "normal", "fine"):
        run_moraine(job, stem, 100, 1e-3, 0.5, 0.4, 9.81, "accuracy: " + word)
        with open(stem + ".run/summary.json") as f:
            summary = json.load(f)
        e, took = summary["energies"], summary["step"]
        result[word] = (abs(e["residual"]) / e["dissipated"], took)
        print("ledger %-8s %8d steps  %.2e of the dissipated" % (word, took, result[word][0]), flush=True)
    return result


# ---- bed ----

def bed(unit):
    job = start_of_bed(1000, 0.036)
    result = {}
    for name, run in codes(falling=True):
        result[name] = {}
        stem = os.path.join(ARGS.out, "bed-" + name)
        job.write(stem)
        for fraction in (0.14, 0.1, 0.05):
            h = fraction * unit
            end = run(job, stem, int(0.25 / h), h, 0.5, 0.4, 9.81)
            found = contacts(job, end)
            mass = sum(r[3] ** 3 for r in job.rows)
            height = 2 * sum(b[2] * r[3] ** 3 for b, r in zip(end, job.rows)) / mass
            pairs = sum(2 for d, r in found if r < 0.6e-3)
            result[name][fraction] = (height, pairs / len(end))
            print("bed %-16s %6g  height %.5f mm  contacts %.3f" % (name, fraction, 1e3 * height, pairs / len(end)), flush=True)
    return result


def main():
    unit, rayleigh, lasts = unit_step()
    print("2 sqrt(m/k) %.4g s, Rayleigh %.4g s, contact at %g m/s %.4g s" % (unit, rayleigh, SPEED, lasts), flush=True)
    parts = ARGS.parts.split(",")
    found = {"unit": unit, "rayleigh": rayleigh, "contact-time": lasts}
    for name, make in (("impacts", impacts), ("ledger", ledger), ("energy", energy), ("bed", bed)):
        if name in parts:
            found[name] = make(unit)
            with open(os.path.join(ARGS.out, name + ".json"), "w") as f:
                json.dump(dict(found, **{}), f, indent=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moraine", default=os.path.join(HERE, "../../build/release/moraine"))
    parser.add_argument("--out", default="accuracy")
    parser.add_argument("--codes", default="")
    parser.add_argument("--parts", default="impacts,ledger,energy,bed")
    ARGS = parser.parse_args()
    ARGS.out = os.path.realpath(ARGS.out)
    os.makedirs(ARGS.out, exist_ok=True)
    main()
