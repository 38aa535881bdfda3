#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make test` and CI run. Stops at the first step that fails; ends with CTest's summary.
#   tools/test.sh [--quick | --all] [--jobs N]
#       --quick: source checks and the gcc release build only; --all: sanitizers and clang run the slow tests too, an hour
set -euo pipefail
cd "$(dirname "$0")/.."
quick='' all='' jobs=$(nproc)
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=1 ;;
    --all) all=1 ;;
    --jobs) jobs=${2:?a number} && shift ;;
    *) sed -n '3,5s/^# //p' "$0" >&2 && exit 2 ;;
    esac
    shift
done

step() { printf '\n== %s (%d s so far)\n' "$1" $SECONDS; }
# preset, what --all leaves out ("-": nothing is chosen there), and a command to run CTest under
build_and_test() {
    local preset=$1 leave_out=$2 log choice=()
    shift 2
    [ -z "$all" ] || [ "$leave_out" = - ] || choice=(-DMRN_ONLY= "-DMRN_LEAVE_OUT=$leave_out")
    mkdir -p build
    log=build/configure-$preset.log
    cmake --preset "$preset" -DMRN_TESTS=ON "${choice[@]}" >"$log" 2>&1 || { cat "$log" && exit 1; }
    cmake --build --preset "$preset" -j "$jobs"
    # one more than there are cores: tests wait now and then, for a child, a disk, or one of their two threads
    "$@" ctest --preset "$preset" -j $((jobs + 1))
    tell_skipped "build/$preset/Testing/Temporary/LastTest.log"
}
# CTest counts a program as passed whose cases were skipped, for want of a locale or a library: here they are told
tell_skipped() {
    local cases
    cases=$(sed -n 's/^\[  SKIPPED \] //p' "$1" | sort -u | grep -vE '^[0-9]+ test' || true)
    [ -z "$cases" ] || printf 'skipped, not passed: %d cases: %s\n' "$(printf '%s\n' "$cases" | wc -l)" "$(printf '%s ' $cases)"
}

step "source checks"
tools/check.sh
step "gcc, release: build and all tests"
build_and_test release -
[ -n "$quick" ] && exit 0
step "gcc, address and undefined-behaviour sanitizers"
build_and_test asan "long|order"
step "clang, thread sanitizer"
# The sanitizer needs fixed places in memory; kernels that randomise more than it expects break it.
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)
build_and_test tsan "long|order|bits|scene|store|export|import|fclib|model|laws|physics" "${fixed[@]}"
step "clang, release: no warnings, same results"
build_and_test clang long
