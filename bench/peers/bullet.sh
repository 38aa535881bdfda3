#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds bullet.cpp against Debian's libbullet-dev (double precision) and the library of a build, and runs it: Bullet's contact
# solver and ours on the same contact problems, one thread.
#   bench/peers/bullet.sh [-b BUILD] [KIND GRAINS [PROBLEMS [FRICTION]]]      default: build/release; spheres 2000, boxes 2000, polyhedra 500
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$here/../../build/release
while getopts b: o; do
    case $o in b) build=$OPTARG ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
build=$(realpath "$build")
pkg-config --exists bullet-float64 || { echo "bullet.sh: Bullet in double precision is not installed (Debian: libbullet-dev)" >&2 && exit 2; }
[ -e "$build/libmoraine.so" ] || { echo "bullet.sh: no $build/libmoraine.so; run  make bench" >&2 && exit 2; }
program=$build/bench/bullet
mkdir -p "$build/bench"
# shellcheck disable=SC2046
g++ -std=c++17 -O3 -march=x86-64-v3 -ffp-contract=off "$here/bullet.cpp" -o "$program" -I"$here/../../include" -isystem /usr/include/bullet \
    $(pkg-config --cflags bullet-float64) -L"$build" -Wl,-rpath,"$build" -lmoraine -lBulletDynamics-float64 -lBulletCollision-float64 -lLinearMath-float64
export OMP_NUM_THREADS=1
if [ $# -gt 0 ]; then
    "$program" "$@"
else
    "$program" spheres 2000 && "$program" boxes 2000 && "$program" polyhedra 500
fi
