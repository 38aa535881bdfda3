#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The same bits from every compiler, level of optimisation and instruction set: builds the command several times, runs scenes of
# every method, shape, law and drive for some steps, and compares the hashes of their final states; then the forty scenes
# of tests/run/test_bits.c in each build, whose hashes are stored (`make test` has these in three builds).
#   tools/same-bits.sh [-k FOLDER] [-s STEPS] [CONFIGURATION…]     default: all; exit 1 where a hash differs
# Builds stay in FOLDER (default build/same-bits). About four minutes per build on two cores, two for its scenes.
# JOBS: compilers at once.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=build/same-bits steps=1500
while getopts k:s: o; do
    case $o in k) folder=$OPTARG ;; s) steps=$OPTARG ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
# name: compiler, flags, MRN_ARCH. "plain": no clones for newer processors, what an old one would run. x86-64-v4 has
# no build of its own: it is v3 with AVX-512, which is turned off for its fused instructions; "native" and the clones
# that are chosen at start (base/dispatch.h) are what such a processor runs.
declare -A cc=([gcc-O3-v3]=gcc [gcc-O3-plain]=gcc [gcc-O0]=gcc [gcc-O1-native]=gcc [gcc-O2-v2]=gcc [clang-O3-v3]=clang [clang-O1]=clang)
declare -A flags=([gcc-O3-v3]="-O3" [gcc-O3-plain]="-O3 -DMRN_DISPATCHED=" [gcc-O0]="-O0" [gcc-O1-native]="-O1" [gcc-O2-v2]="-O2 -march=x86-64-v2" [clang-O3-v3]="-O3" [clang-O1]="-O1")
declare -A arch=([gcc-O3-v3]=x86-64-v3 [gcc-O3-plain]=baseline [gcc-O0]=baseline [gcc-O1-native]=native [gcc-O2-v2]=baseline [clang-O3-v3]=x86-64-v3 [clang-O1]=baseline)
names=("$@") && [ $# -gt 0 ] || names=(gcc-O3-v3 gcc-O3-plain gcc-O0 gcc-O1-native gcc-O2-v2 clang-O3-v3 clang-O1)
mkdir -p "$folder"
folder=$(realpath "$folder")

build() { # name
    local errors=OFF
    [ "$1" != gcc-O3-v3 ] || errors=ON # the preset `release` to the letter, which a compiler cache has
    cmake -S . -B "$folder/$1" -G Ninja -DCMAKE_C_COMPILER="${cc[$1]}" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE="${flags[$1]} -DNDEBUG" -DMRN_ARCH="${arch[$1]}" -DMRN_WERROR=$errors -DMRN_TESTS=ON >"$folder/$1.log" 2>&1 &&
        ninja -C "$folder/$1" -j "${JOBS:-$(nproc)}" moraine-command test-run-bits >>"$folder/$1.log" 2>&1
}

# The stored hashes: "same", "not tried" (another mathematical library than that of the table), or what differs.
stored() { # name
    local log=$folder/$1-stored.txt
    OMP_NUM_THREADS=1 "$folder/$1/tests/test-run-bits" >"$log" 2>&1 || { echo differ && return 1; }
    grep -q 'SKIPPED.* 1 test' "$log" && echo 'not tried' || echo same
}

# hash COMMAND LABEL SCENE OPTIONS…
hash() {
    local command=$1 label=$2 scene=$3 out
    shift 3
    out=$(mktemp -d "$folder/run-XXXXXX")
    if OMP_NUM_THREADS=1 "$command" run "$scene" --out "$out/o" --max-steps "$steps" --quiet "$@" >"$out/log" 2>&1 || [ -f "$out/o/summary.json" ]; then
        printf '%s %s\n' "$label" "$(sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$out/o/summary.json" | tail -1)"
    else
        printf '%s failed: %s\n' "$label" "$(head -1 "$out/log" | tr ' ' '_')"
    fi
    rm -rf "$out"
}

# A law in the place of that of tests/bits/laws.yaml.
law() { # command law parameters
    hash "$1" "law:$2" tests/bits/laws.yaml --set "interactions=[{between: [stuff, stuff], law: $2, $3}]"
}

all_hashes() { # command
    local c=$1 s
    for s in examples/*/*.yaml; do
        grep -q '^stages:' "$s" && hash "$c" "${s#examples/}" "$s"
    done
    law "$c" linear 'normal-stiffness: 2e3, restitution: 0.6, friction: 0.3'
    law "$c" elastic 'normal-stiffness: 2e3, friction: 0.3'
    law "$c" elastic-viscous 'normal-stiffness: 2e3, restitution: 0.6, friction: 0.3'
    law "$c" hertz 'friction: 0.3'
    law "$c" hertz-mindlin 'restitution: 0.6, friction: 0.3'
    law "$c" viscoelastic 'relaxation-time: 2e-6, friction: 0.3'
    law "$c" walton-braun 'normal-stiffness: 2e3, restitution: 0.6, friction: 0.3'
    law "$c" hertz-mindlin-deresiewicz 'restitution: 0.6, friction: 0.3'
    law "$c" zheng 'eta1: 50, eta2: 20, friction: 0.3'
    law "$c" hertz-mindlin-rolling 'restitution: 0.6, friction: 0.3, rolling-friction: 0.1'
    law "$c" linear-rolling 'normal-stiffness: 2e3, restitution: 0.6, friction: 0.3, rolling-friction: 0.1'
    law "$c" jkr 'restitution: 0.6, friction: 0.3, surface-energy: 0.05'
    law "$c" dmt 'restitution: 0.6, friction: 0.3, surface-energy: 0.05'
    law "$c" liquid-bridge 'restitution: 0.6, friction: 0.3, surface-tension: 0.07, liquid-volume: 1e-12'
    for s in walls drives cell joints; do
        hash "$c" "$s" "tests/bits/$s.yaml"
    done
    hash "$c" walls:nonsmooth tests/bits/walls.yaml --method nonsmooth --set 'time-step=0.2 ms'
    hash "$c" method:event tests/bits/laws.yaml --method event
    hash "$c" method:nonsmooth tests/bits/laws.yaml --method nonsmooth
    hash "$c" integrator:gear tests/bits/laws.yaml --set integrator=gear
    hash "$c" integrator:euler tests/bits/laws.yaml --set integrator=euler
}

first= bad=0
for name in "${names[@]}"; do
    command -v "${cc[$name]}" >/dev/null || { echo "$name: ${cc[$name]} is not installed" && continue; }
    build "$name" || { echo "$name: not built ($folder/$name.log)" && bad=1 && continue; }
    table=$(stored "$name") || bad=1
    [ "$table" != differ ] || sed -n 's/^.*: hash/    &/p' "$folder/$name-stored.txt"
    all_hashes "$folder/$name/moraine" >"$folder/$name.txt"
    if [ -z "$first" ]; then
        first=$name
        printf '%-14s %d scenes, %d without a hash; stored hashes: %s\n' "$name" "$(wc -l <"$folder/$name.txt")" \
            "$(grep -c failed "$folder/$name.txt")" "$table"
        continue
    fi
    differ=$(diff "$folder/$first.txt" "$folder/$name.txt" | grep -c '^>')
    printf '%-14s %d scenes, %d with other bits than %s; stored hashes: %s\n' "$name" "$(wc -l <"$folder/$name.txt")" "$differ" "$first" "$table"
    [ "$differ" -eq 0 ] || { diff "$folder/$first.txt" "$folder/$name.txt" | sed -n 's/^> /    /p' && bad=1; }
done
exit $bad
