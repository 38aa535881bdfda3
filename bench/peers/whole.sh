#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds whole.cpp against Debian's libbullet-dev (double precision) and the library of a build, and runs whole simulations:
# grains that fall into a box under Bullet and under Moraine, one thread; with -s under Siconos' mechanics too (python3-siconos).
#   bench/peers/whole.sh [-b BUILD] [-s STEPS] [KIND GRAINS [SECONDS [STEP [FRICTION [WORDS]]]]]
#   default: build/release; spheres 2000, boxes 2000, polyhedra 500
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$here/../../build/release
siconos=0
while getopts b:s: o; do
    case $o in b) build=$OPTARG ;; s) siconos=$OPTARG ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
build=$(realpath "$build")
pkg-config --exists bullet-float64 || { echo "whole.sh: Bullet in double precision is not installed (Debian: libbullet-dev)" >&2 && exit 2; }
[ -e "$build/libmoraine.so" ] || { echo "whole.sh: no $build/libmoraine.so; run  make bench" >&2 && exit 2; }
program=$build/bench/whole
mkdir -p "$build/bench"
# shellcheck disable=SC2046
g++ -std=c++17 -O3 -march=x86-64-v3 -ffp-contract=off "$here/whole.cpp" -o "$program" -I"$here/../../include" -isystem /usr/include/bullet \
    $(pkg-config --cflags bullet-float64) -L"$build" -Wl,-rpath,"$build" -lmoraine -lBulletDynamics-float64 -lBulletCollision-float64 -lLinearMath-float64
export OMP_NUM_THREADS=1
if [ $# -gt 0 ]; then
    "$program" run "$@"
else
    "$program" run spheres 2000 && "$program" run boxes 2000 && "$program" run polyhedra 500
fi
