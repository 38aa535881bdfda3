/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small scenes of every method, shape of grains and way of adding and taking them away, in each of
   which many contacts act: whatever must not change the bits of a run is tried on them. */
#ifndef MRN_TESTS_RUN_SCENES_OF_METHODS_H
#define MRN_TESTS_RUN_SCENES_OF_METHODS_H

#define HEAD   "moraine: 1\nseed: 3\nstages: [{until: {time: 10 s}}]\n"
#define RIGID  "method: nonsmooth\nmaterials: {m: {density: 2500 kg/m3}}\n"
#define LINEAR "materials: {m: {density: 2500 kg/m3}}\n"
#define BOX                                                                                        \
    "walls:\n"                                                                                     \
    "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"                            \
    "  - {name: left, plane: {point: [0, 0, 0], normal: [1, 0, 0]}}\n"                             \
    "  - {name: right, plane: {point: [24 mm, 0, 0], normal: [-1, 0, 0]}}\n"                       \
    "  - {name: front, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}\n"                            \
    "  - {name: back, plane: {point: [0, 24 mm, 0], normal: [0, -1, 0]}}\n"                        \
    "gravity: [5, 0, -60]\n"

typedef struct scene_case {
    const char *name, *text;
    double h; /* s; 0: as advised */
    int steps;
} scene_case;

static const scene_case CASE[] = {
    {"bed of spheres of many sizes",
     HEAD
     "materials: {m: {density: 2500 kg/m3, young: 5 MPa, poisson: 0.25}}\n"
     "interactions: [{between: any, law: hertz-mindlin-rolling, restitution: 0.5,\n"
     "  friction: 0.4, rolling-friction: 0.1}]\n"
     "bodies: [{name: b, shape: {sphere: {diameter: {uniform: [1 mm, 5 mm]}}}, count: 350,\n"
     "  velocity: [0.3, 0.1, -0.6], place: {fill: {box: [[0, 0, 0], [24 mm, 24 mm, 40 mm]]}}}]\n"
     "damping: {global: 2 1/s}\n" BOX,
     0, 4000},
    {"sheared cell under pressure",
     HEAD LINEAR
     "interactions: [{between: any, law: linear, normal-stiffness: 2e4 N/m, restitution: 0.5,\n"
     "  friction: 0.5}]\n"
     "bodies: [{name: b, shape: {sphere: {diameter: {uniform: [6 mm, 14 mm]}}}, solid-fraction: "
     "0.57,\n"
     "  place: {fill: {box: [[0, 0, 0], [7 cm, 6 cm, 7 cm]]}}}]\n"
     "cell: {periodic: [x, y, z], size: [7 cm, 6 cm, 7 cm],\n"
     "  control: {simple-shear: {plane: xz, rate: 30 1/s, pressure: 2 kPa}}}\n"
     "time-step: {fraction: 0.1}\n",
     0, 700},
    {"clusters",
     HEAD LINEAR
     "interactions: [{between: any, law: linear, contact-time: 1 ms, restitution: 0.5, friction: "
     "0.5}]\n"
     "clusters: {pair: {form: dimer, aspect: 1.8}, four: {form: tetrahedron, aspect: 1.7}}\n"
     "bodies:\n"
     "  - {name: p, shape: {cluster: {of: pair, diameter: 4 mm}}, count: 40, velocity: [0, 0, "
     "-0.5],\n"
     "     place: {fill: {box: [[0, 0, 0], [24 mm, 24 mm, 4 cm]]}}}\n"
     "  - {name: f, shape: {cluster: {of: four, diameter: 5 mm}}, count: 30, velocity: [0.2, 0, "
     "-0.5],\n"
     "     place: {fill: {box: [[0, 0, 4 cm], [24 mm, 24 mm, 8 cm]]}}}\n" BOX
     "time-step: {fraction: 0.2}\n",
     0, 1000},
    {"polyhedra by the smooth method",
     HEAD LINEAR
     "interactions: [{between: any, law: linear, contact-time: 1 ms, restitution: 0.5, friction: "
     "0.5}]\n"
     "bodies:\n"
     "  - {name: p, shape: {polyhedron: {random: {variants: 3}, diameter: 5 mm}}, count: 25,\n"
     "     velocity: [0, 0, -0.6], place: {fill: {box: [[0, 0, 0], [24 mm, 24 mm, 3 cm]]}}}\n"
     "  - {name: s, shape: {sphere: {diameter: 4 mm}}, count: 25,\n"
     "     velocity: [0, 0, -0.9], place: {fill: {box: [[0, 0, 3 cm], [24 mm, 24 mm, 5 "
     "cm]]}}}\n" BOX "time-step: {fraction: 0.2}\n",
     0, 800},
    {"rigid disks and polygons that fall asleep",
     HEAD RIGID
     "dimension: 2\n"
     "interactions: [{between: any, law: rigid, friction: 0.5}]\n"
     "nonsmooth: {sleep: true}\n"
     "bodies:\n"
     "  - {name: d, shape: {disk: {diameter: {uniform: [2 mm, 6 mm]}}}, count: 60,\n"
     "     place: {fill: {box: [[0, 0], [4 cm, 5 cm]]}}}\n"
     "  - {name: p, shape: {polygon: {random: {variants: 3}, diameter: 5 mm}}, count: 20,\n"
     "     place: {fill: {box: [[0, 5 cm], [4 cm, 8 cm]]}}}\n"
     "walls:\n"
     "  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}}\n"
     "  - {name: left, plane: {point: [0, 0], normal: [1, 0]}}\n"
     "  - {name: right, plane: {point: [4 cm, 0], normal: [-1, 0]}}\n"
     "gravity: [0, -9.81]\n",
     1e-3, 500},
    {"rigid spheres and polyhedra",
     HEAD RIGID
     "interactions: [{between: any, law: rigid, friction: 0.4, restitution: 0.2}]\n"
     "bodies:\n"
     "  - {name: s, shape: {sphere: {diameter: {uniform: [2 mm, 6 mm]}}}, count: 80,\n"
     "     place: {fill: {box: [[0, 0, 0], [24 mm, 24 mm, 4 cm]]}}}\n"
     "  - {name: p, shape: {polyhedron: {random: {variants: 3}, diameter: 5 mm}}, count: 20,\n"
     "     place: {fill: {box: [[0, 0, 4 cm], [24 mm, 24 mm, 7 cm]]}}}\n" BOX,
     2e-4, 400},
    {"grains that enter and leave",
     HEAD LINEAR
     "interactions: [{between: any, law: linear, contact-time: 1 ms, restitution: 0.5, friction: "
     "0.4}]\n"
     "bodies:\n"
     "  - {name: b, shape: &s {sphere: {diameter: {uniform: [3 mm, 5 mm]}}}, count: 120,\n"
     "     velocity: [0, 0, -0.5], place: {fill: {box: [[0, 0, 0], [24 mm, 24 mm, 3 cm]]}}}\n"
     "  - {name: feed, shape: *s, count: 500, velocity: [0, 0, -1],\n"
     "     place: {inlet: {box: [[4 mm, 4 mm, 5 cm], [20 mm, 20 mm, 7 cm]], rate: 2000 1/s}}}\n"
     "walls:\n"
     "  - {name: plate, plane: {point: [12 mm, 12 mm, 0], normal: [0, 0, 1], length: 19 mm}}\n"
     "  - {name: left, plane: {point: [0, 0, 0], normal: [1, 0, 0]}}\n"
     "  - {name: right, plane: {point: [24 mm, 0, 0], normal: [-1, 0, 0]}}\n"
     "  - {name: front, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}\n"
     "  - {name: back, plane: {point: [0, 24 mm, 0], normal: [0, -1, 0]}}\n"
     "outlets: [{name: drain, below: {axis: z, value: -1 cm}}]\n"
     "gravity: [0, 0, -9.81]\ntime-step: {fraction: 0.2}\n",
     0, 1200},
    {"hard spheres on a shaken floor",
     HEAD
     "method: event\nmaterials: {m: {density: 2500 kg/m3}}\n"
     "interactions: [{between: any, law: rigid, restitution: 0.9, friction: 0.3}]\n"
     "bodies: [{name: b, shape: {sphere: {diameter: {uniform: [2 mm, 4 mm]}}}, count: 200,\n"
     "  velocity-spread: 0.2 m/s, place: {fill: {box: [[0, 0, 1 mm], [24 mm, 24 mm, 40 mm]]}}}]\n"
     "cell: {periodic: [x], size: [24 mm, 0, 0]}\n"
     "walls:\n"
     "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]},\n"
     "     motion: {shake: {amplitude: [0, 0, 0.5 mm], frequency: 50 Hz}}}\n"
     "  - {name: front, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}\n"
     "  - {name: back, plane: {point: [0, 24 mm, 0], normal: [0, -1, 0]}}\n"
     "gravity: [0, 0, -9.81]\n",
     1e-3, 300},
    {"compression without inertia",
     HEAD LINEAR
     "dimension: 2\nmethod: quasistatic\n"
     "interactions: [{between: any, law: linear, normal-stiffness: 1e5 N/m, stiffness-ratio: 0.5,\n"
     "  restitution: 0.3, friction: 0.3}]\n"
     "cell: {periodic: [x, y], size: [59.4000 mm, 51.4419 mm],\n"
     "  control: {xx: {stress: 1 kPa}, yy: {stress: \"1000*(1 + 4*s)\"}}}\n"
     "bodies:\n"
     "  - {name: d, shape: {disk: {diameter: {uniform: [9.7 mm, 10 mm]}}},\n"
     "     place: {list: [\n"
     "[2.48 mm, 4.29 mm], [12.38 mm, 4.29 mm], [22.28 mm, 4.29 mm], [32.18 mm, 4.29 mm], "
     "[42.08 mm, 4.29 mm], [51.98 mm, 4.29 mm], [7.43 mm, 12.86 mm], "
     "[17.32 mm, 12.86 mm], [27.23 mm, 12.86 mm], [37.12 mm, 12.86 mm], "
     "[47.02 mm, 12.86 mm], [56.93 mm, 12.86 mm], [2.48 mm, 21.43 mm], "
     "[12.38 mm, 21.43 mm], [22.28 mm, 21.43 mm], [32.18 mm, 21.43 mm], "
     "[42.08 mm, 21.43 mm], [51.98 mm, 21.43 mm], [7.43 mm, 30.01 mm], "
     "[17.32 mm, 30.01 mm], [27.23 mm, 30.01 mm], [37.12 mm, 30.01 mm], "
     "[47.02 mm, 30.01 mm], [56.93 mm, 30.01 mm], [2.48 mm, 38.58 mm], "
     "[12.38 mm, 38.58 mm], [22.28 mm, 38.58 mm], [32.18 mm, 38.58 mm], "
     "[42.08 mm, 38.58 mm], [51.98 mm, 38.58 mm], [7.43 mm, 47.16 mm], "
     "[17.32 mm, 47.16 mm], [27.23 mm, 47.16 mm], [37.12 mm, 47.16 mm], "
     "[47.02 mm, 47.16 mm], [56.93 mm, 47.16 mm]"
     "]}}\n",
     0.02, 20},
};
enum { CASES = sizeof CASE / sizeof *CASE };

#endif
