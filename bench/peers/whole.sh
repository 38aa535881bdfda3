#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds whole.cpp against Debian's libbullet-dev (double precision) and the library of a build, and runs whole simulations:
# grains that fall into a box under Bullet and under Moraine, one thread; with -s the same grains under Siconos' mechanics instead
# (Debian: python3-siconos, python3-h5py), for SECONDS of the processor at most, without the checks of its graphs.
#   bench/peers/whole.sh [-b BUILD] [-s SECONDS] [KIND GRAINS [SIMULATED [STEP [FRICTION [WORDS]]]]]
#   default: build/release; spheres 2000, boxes 2000, polyhedra 500
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$here/../../build/release
limit=0
while getopts b:s: o; do
    case $o in b) build=$OPTARG ;; s) limit=$OPTARG ;; *) exit 2 ;; esac
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
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

under_siconos() # KIND GRAINS [SIMULATED [STEP]]
{
    local at=$build/bench/whole-$1
    "$program" grains "$1" "$2" "$at.grains"
    gcc -O2 -shared -fPIC "$here/siconos_quiet.c" -o "$build/bench/siconos_quiet.so"
    LD_PRELOAD=$build/bench/siconos_quiet.so /usr/bin/python3 -u "$here/siconos_whole.py" "$at.grains" "${3:-3}" "${4:-0.005}" 1e-3 100 \
        "$at.places" "$limit" 2> /dev/null | grep --line-buffered -E '^(t =|Siconos|# ended)' || echo "whole.sh: Siconos did not run (python3-siconos, python3-h5py)" >&2
    [ ! -e "$at.places" ] || "$program" judge "$1" "$2" "$at.places"
}

run()
{
    if [ "$limit" != 0 ]; then under_siconos "$@"; else "$program" run "$@"; fi
}

if [ $# -gt 0 ]; then
    run "$@"
else
    run spheres 2000 && run boxes 2000 && run polyhedra 500
fi
