#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make test` and CI run. Stops at the first step that fails; ends with CTest's summary.
#   tools/test.sh [--quick] [--jobs N]      --quick: source checks and the gcc release build only
set -euo pipefail
cd "$(dirname "$0")/.."
quick='' jobs=$(nproc)
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=1 ;;
    --jobs) jobs=${2:?a number} && shift ;;
    *) sed -n '3,4s/^# //p' "$0" >&2 && exit 2 ;;
    esac
    shift
done

step() { printf '\n== %s (%d s so far)\n' "$1" $SECONDS; }
# preset, and a command to run CTest under
build_and_test() {
    local preset=$1 log
    shift
    mkdir -p build
    log=build/configure-$preset.log
    cmake --preset "$preset" -DMRN_TESTS=ON >"$log" 2>&1 || { cat "$log" && exit 1; }
    cmake --build --preset "$preset" -j "$jobs"
    "$@" ctest --preset "$preset" -j "$jobs"
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
build_and_test release
[ -n "$quick" ] && exit 0
step "gcc, address and undefined-behaviour sanitizers"
build_and_test asan
step "clang, thread sanitizer"
# The sanitizer needs fixed places in memory; kernels that randomise more than it expects break it.
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)
build_and_test tsan "${fixed[@]}"
step "clang, release: no warnings, same results"
build_and_test clang
