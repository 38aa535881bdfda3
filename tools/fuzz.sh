#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every reader under libFuzzer with address and undefined-behaviour sanitizers, one after another,
# from the seeds in tests/fuzz/seeds and what earlier nights found (build/fuzz/corpus). May be left
# alone; ends with a table: reader, hours, executions, edges covered, findings (kept in
# build/fuzz/found). Exit 1 when there is a finding.
#   tools/fuzz.sh [--seconds N] [--afl] [READER…]    default 1800 s each; --afl: AFL++ instead
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=1800 afl='' readers=()
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=${2:?a number} && shift ;;
    --afl) afl=1 ;;
    -*) sed -n '7s/^# //p' "$0" >&2 && exit 2 ;;
    *) readers+=("$1") ;;
    esac
    shift
done
[ ${#readers[@]} -gt 0 ] || readers=($(ls tests/fuzz/seeds))
jobs=${JOBS:-$(nproc)}
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
if [ -n "$afl" ]; then
    command -v afl-clang-fast >/dev/null || { echo "afl++ is not installed (Debian: afl++)" >&2 && exit 2; }
    cmake --preset fuzz -B build/afl -DCMAKE_C_COMPILER=afl-clang-fast >/dev/null || exit 2
    cmake --build build/afl -j "$jobs" --target fuzz-moraine || exit 2
    for r in "${readers[@]}"; do
        MRN_FUZZ_TARGET=$r AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
            afl-fuzz -m none -V "$seconds" -i "tests/fuzz/seeds/$r" -o "build/afl/out-$r" \
            -- build/afl/fuzz-moraine
    done
    exit
fi
cmake --preset fuzz >/dev/null && cmake --build --preset fuzz -j "$jobs" --target fuzz-moraine || exit 2
found=build/fuzz/found
mkdir -p "$found"
bad=0
printf '%-12s %8s %12s %8s %9s\n' reader hours executions edges findings >build/fuzz/table.txt
for r in "${readers[@]}"; do
    corpus=build/fuzz/corpus/$r log=build/fuzz/$r.log start=$SECONDS
    mkdir -p "$corpus"
    before=$(ls "$found" | wc -l)
    MRN_FUZZ_TARGET=$r build/fuzz/fuzz-moraine -max_total_time="$seconds" -timeout=30 -rss_limit_mb=4096 \
        -max_len=65536 -print_final_stats=1 -fork=1 -ignore_crashes=1 -artifact_prefix="$found/$r-" \
        "$corpus" "tests/fuzz/seeds/$r" >"$log" 2>&1
    # of the workers' lines "#N: cov: E ft: …"
    runs=$(sed -n 's/^#\([0-9]*\): cov:.*/\1/p' "$log" | tail -1)
    edges=$(sed -n 's/^#[0-9]*: cov: \([0-9]*\).*/\1/p' "$log" | tail -1)
    new=$(($(ls "$found" | wc -l) - before))
    [ "$new" -eq 0 ] || bad=1
    printf '%-12s %8.2f %12d %8d %9d\n' "$r" "$(awk "BEGIN { print ($SECONDS - $start) / 3600 }")" \
        "${runs:-0}" "${edges:-0}" "$new" >>build/fuzz/table.txt
done
cat build/fuzz/table.txt
exit $bad
