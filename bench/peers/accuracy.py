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

Writes a file per part, accuracy.md (the tables) and step-and-error.svg into --out. --rates gives million body-steps/s of the codes
(bench/peers/compare.sh prints them) for the cost of a simulated second.
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


# with a wall in a periodic cell its runs did not end once spheres had left its skin (why was not found out): a wide skin, and impacts alone
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


# ---- report ----

def load(name):
    """What a part found, now or in an earlier call; None: nothing yet."""
    path = os.path.join(ARGS.out, name + ".json")
    return json.load(open(path)) if os.path.exists(path) else None


def at(errors, fraction, which):
    """Error at any fraction between those measured: straight between logarithms."""
    f = sorted((float(k), v[which]) for k, v in errors.items() if k not in ("e_n", "e_t"))
    for (f0, e0), (f1, e1) in zip(f, f[1:]):
        if f0 <= fraction <= f1:
            return math.exp(math.log(e0) + (math.log(e1) - math.log(e0)) * math.log(fraction / f0) / math.log(f1 / f0))
    return float("nan")


def fraction_for(errors, error, which):
    """The largest fraction measured up to which the error stays below; between two by logarithms, nan outside."""
    f = sorted((float(k), v[which]) for k, v in errors.items() if k not in ("e_n", "e_t"))
    for (f0, e0), (f1, e1) in zip(f, f[1:]):
        if e0 <= error <= e1:
            return math.exp(math.log(f0) + (math.log(f1) - math.log(f0)) * math.log(error / e0) / math.log(e1 / e0))
    return float("nan")


def impacts_table(impacts, unit, rayleigh, lasts, rates, say):
    names = list(impacts)
    say("| of 2 sqrt(m/k) | steps in a contact | of the Rayleigh time | " + " | ".join(names) + " |")
    say("|--:|--:|--:|" + "--:|" * len(names))
    for f in FRACTIONS:
        cells = ["%.1e, %.1e" % tuple(impacts[n][str(f)]) for n in names]
        say("| %g | %.0f | %.2f | %s |" % (f, lasts / (f * unit), f * unit / rayleigh, " | ".join(cells)))
    say("")
    say("At a tenth of the Rayleigh time, and the step with which Moraine errs as much:")
    say("")
    say("| code | e_n, e_t off by | Moraine's fraction for that e_n | for that e_t | cost of a simulated second, theirs over Moraine's, at equal e_n | at equal e_t |")
    say("|---|--:|--:|--:|--:|--:|")
    usual = 0.1 * rayleigh / unit
    for n in names[1:]:
        err = [at(impacts[n], usual, k) for k in (0, 1)]
        ours = [fraction_for(impacts["moraine"], e, k) for k, e in enumerate(err)]
        cost = [rates["moraine"] / rates[n] * o / usual if n in rates else float("nan") for o in ours]
        show = ["%.2f" % v if math.isfinite(v) else "above %g" % max(FRACTIONS) for v in ours]
        gain = ["%.1f" % v if math.isfinite(v) else "more" for v in cost]
        say("| %s | %.1e, %.1e | %s | %s | %s | %s |" % (n, *err, *show, *gain))


def plot(impacts, unit, rates, path):
    """Error against the processor time of a simulated second, logarithms on both axes."""
    colours = ["#1b5e9e", "#c0392b", "#2e7d32", "#e08e0b", "#6a3d9a"]
    width, height, left, top, gap = 380, 300, 64, 34, 70
    points = {n: [(float(f), unit, v) for f, v in e.items() if f not in ("e_n", "e_t")] for n, e in impacts.items()}
    cost = {n: [1e-6 / (f * u * rates[n]) for f, u, _ in p] for n, p in points.items() if n in rates}
    x0, x1 = (g(math.log10(c) for cs in cost.values() for c in cs) for g in (min, max))
    x0, x1, y0, y1 = x0 - 0.1, x1 + 0.1, -4, 0
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">' %
           (2 * (width + gap) + left, height + 130), '<rect width="100%" height="100%" fill="white"/>']
    for k, title in enumerate(("restitution e_n", "tangential restitution e_t")):
        ox = left + k * (width + gap)
        px = lambda c: ox + (math.log10(c) - x0) / (x1 - x0) * width
        py = lambda e: top + (y1 - math.log10(e)) / (y1 - y0) * height
        out.append('<rect x="%g" y="%g" width="%g" height="%g" fill="none" stroke="#444"/>' % (ox, top, width, height))
        out.append('<text x="%g" y="20" font-size="14">error of the %s</text>' % (ox, title))
        for d in range(math.ceil(x0), math.floor(x1) + 1):
            out.append('<line x1="%g" x2="%g" y1="%g" y2="%g" stroke="#ddd"/>' % (px(10 ** d), px(10 ** d), top, top + height))
            out.append('<text x="%g" y="%g" text-anchor="middle">%g</text>' % (px(10 ** d), top + height + 18, 10 ** d))
        for d in range(y0, y1 + 1):
            out.append('<line x1="%g" x2="%g" y1="%g" y2="%g" stroke="#ddd"/>' % (ox, ox + width, py(10 ** d), py(10 ** d)))
            out.append('<text x="%g" y="%g" text-anchor="end">1e%d</text>' % (ox - 6, py(10 ** d) + 4, d))
        for (n, p), colour in zip(points.items(), colours):
            if n in cost:
                dots = [(px(c), py(v[k])) for c, (_, _, v) in zip(cost[n], p)]
                out.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>' % (colour, " ".join("%.1f,%.1f" % d for d in dots)))
                out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (*d, colour) for d in dots]
        out.append('<text x="%g" y="%g" text-anchor="middle">processor seconds for a sphere and a simulated second</text>' %
                   (ox + width / 2, top + height + 38))
    for i, ((n, _), colour) in enumerate(zip(points.items(), colours)):
        out.append('<rect x="%g" y="%g" width="14" height="4" fill="%s"/>' % (left + 160 * i, top + height + 62, colour))
        out.append('<text x="%g" y="%g">%s</text>' % (left + 160 * i + 20, top + height + 68, n))
    with open(path, "w") as f:
        f.write("\n".join(out + ["</svg>"]) + "\n")


def report(unit, rayleigh, lasts):
    rates = {k: float(v) for k, v in (pair.split("=") for pair in ARGS.rates.split(",") if pair)}
    lines = []
    say = lines.append
    found = load("impacts")
    if found:
        impacts_table(found["impacts"], unit, rayleigh, lasts, rates, say)
        plot(found["impacts"], unit, rates, os.path.join(ARGS.out, "step-and-error.svg"))
    found = load("ledger")
    if found:
        say("")
        say("| accuracy | steps | ledger lacks, of the dissipated |")
        say("|---|--:|--:|")
        lines.extend("| %s | %d | %.1e |" % (w, v[1], v[0]) for w, v in found["ledger"].items())
    for part, head, cell in (("energy", "change of energy, lossless spheres", lambda v: "%+.1e" % v),
                             ("bed", "height (mm), contacts of a sphere", lambda v: "%.2f, %.2f" % (1e3 * v[0], v[1]))):
        found = load(part)
        if found:
            steps = sorted({float(f) for v in found[part].values() for f in v}, reverse=True)
            say("")
            say("| %s | " % head + " | ".join("%g" % f for f in steps) + " |")
            say("|---|" + "--:|" * len(steps))
            lines.extend("| %s | " % n + " | ".join(cell(v[str(f)]) for f in steps) + " |" for n, v in found[part].items())
    with open(os.path.join(ARGS.out, "accuracy.md"), "w") as f:
        f.write("\n".join(lines) + "\n")
    print("\n".join(lines))


def main():
    unit, rayleigh, lasts = unit_step()
    print("2 sqrt(m/k) %.4g s, Rayleigh %.4g s, contact at %g m/s %.4g s" % (unit, rayleigh, SPEED, lasts), flush=True)
    for name, make in (("impacts", impacts), ("ledger", ledger), ("energy", energy), ("bed", bed)):
        if name in ARGS.parts.split(","):
            with open(os.path.join(ARGS.out, name + ".json"), "w") as f:
                json.dump({name: make(unit)}, f, indent=1)
    report(unit, rayleigh, lasts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moraine", default=os.path.join(HERE, "../../build/release/moraine"))
    parser.add_argument("--out", default="accuracy")
    parser.add_argument("--codes", default="")
    parser.add_argument("--parts", default="impacts,ledger,energy,bed", help="'' writes the report of what is there")
    parser.add_argument("--rates", default="moraine=11.19,liggghts=5.12,lammps-granular=4.53,lammps-hertz=7.55,yade=0.79",
                        help="million body-steps/s of the codes, as compare.sh printed them for 10 000 spheres")
    ARGS = parser.parse_args()
    ARGS.out, ARGS.moraine = os.path.realpath(ARGS.out), os.path.realpath(ARGS.moraine)
    os.makedirs(ARGS.out, exist_ok=True)
    main()
