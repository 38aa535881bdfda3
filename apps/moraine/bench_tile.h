/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bed of the smooth engine's measurements (`moraine bench`, bench/peers): a thousand beads
   poured into a periodic box, tiled to any size once they rest. */
#ifndef MORAINE_BENCH_TILE_H
#define MORAINE_BENCH_TILE_H

#define MRN_BENCH_TILE                                                                             \
    "moraine: 1\n"                                                                                 \
    "materials: {glass: {density: 2500 kg/m3, young: 50 MPa, poisson: 0.25}}\n"                    \
    "interactions: [{between: [glass, glass], law: hertz-mindlin, restitution: 0.5, friction: "    \
    "0.4}]\n"                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: beads, shape: {sphere: {diameter: {uniform: [1.8 mm, 2.2 mm]}}}, count: 1000,\n"   \
    "     place: {fill: {box: [[0, 0, 0], [16 mm, 16 mm, 36 mm]]}}}\n"                             \
    "walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}, name: floor}]\n"                       \
    "cell: {periodic: [x, y], size: [16 mm, 16 mm, 1 m]}\n"                                        \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "stages: [{until: {time: 0.25 s}}]\n"

#endif
