#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every reader under libFuzzer (address and undefined-behaviour sanitizers), then under AFL++ (address
# sanitizer) where it is installed: one process at a time, from the seeds in tests/fuzz/seeds and what
# earlier nights found. May be left alone: a table (build/fuzz/table.txt) gets a line as each reader
# ends, and is printed at the end or when the night is cut short: hours by the clock, minutes of
# processor, executions, edges covered, findings (kept in build/fuzz/found). Exit 1: a finding. Two calls
# with a fuzzer each may run side by side.
#   tools/fuzz.sh [--seconds N] [--libfuzzer | --afl] [READER…]    default: both, 900 s each
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=900 fuzzers=(libfuzzer afl) readers=() table=build/fuzz/table.txt
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=${2:?a number} && shift ;;
    --libfuzzer | --afl) fuzzers=("${1#--}") table=build/fuzz/table-${1#--}.txt ;;
    -*) sed -n '9s/^# //p' "$0" >&2 && exit 2 ;;
    *) readers+=("$1") ;;
    esac
    shift
done
[ ${#readers[@]} -gt 0 ] || readers=($(ls tests/fuzz/seeds))
for r in "${readers[@]}"; do
    [ -d "tests/fuzz/seeds/$r" ] || { echo "no reader \"$r\"; there are: $(ls tests/fuzz/seeds | tr '\n' ' ')" >&2 && exit 2; }
done
jobs=${JOBS:-$(nproc)}
bad=0
export UBSAN_OPTIONS=print_stacktrace=1
TIMEFORMAT='%U %S'

build_libfuzzer() {
    cmake --preset fuzz >/dev/null && cmake --build --preset fuzz -j "$jobs" --target fuzz-moraine
}
# Instrumentation of its own, so a build of its own.
build_afl() {
    command -v afl-clang-fast >/dev/null || { echo "AFL++ is not installed (Debian: afl++): left out" >&2 && return 1; }
    export AFL_QUIET=1
    cmake --preset fuzz -B build/afl -DCMAKE_C_COMPILER=afl-clang-fast -DMRN_SANITIZE=address >/dev/null &&
        cmake --build build/afl -j "$jobs" --target fuzz-moraine
}

# afl-fuzz does not wait for what it starts: orphans come to this one, so that their time is known.
waiting_for_all() {
    python3 -c 'import ctypes, os, subprocess, sys
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
code = subprocess.call(sys.argv[1:])
try:
    while True:
        os.wait()
except ChildProcessError:
    sys.exit(code)' "$@"
}

# Each sets: runs, edges; puts findings into $found.
run_libfuzzer() { # reader, log
    local corpus=build/fuzz/corpus/$1 start=$SECONDS left=$seconds
    mkdir -p "$corpus"
    : >"$2"
    # it ends at a finding, and goes on with the next; children of -fork=1 would read all anew each time
    while [ "$left" -gt 0 ]; do
        ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 MRN_FUZZ_TARGET=$1 \
            build/fuzz/fuzz-moraine -max_total_time="$left" -timeout=60 -report_slow_units=60 -rss_limit_mb=4096 -max_len=65536 \
            -print_final_stats=1 -artifact_prefix="$found/$1-" "$corpus" "tests/fuzz/seeds/$1" >>"$2" 2>&1 && break
        left=$((seconds - (SECONDS - start)))
    done
    runs=$(awk '/^stat::number_of_executed_units:/ { n += $2 } END { print n + 0 }' "$2")
    edges=$(sed -n 's/^#[0-9]*.* cov: \([0-9]*\).*/\1/p' "$2" | sort -n | tail -1)
}
run_afl() {
    local out=build/afl/out-$1 stats f
    # AFL goes on where it was; counts of this night alone are wanted
    local before=0
    stats=$out/default/fuzzer_stats
    [ ! -f "$stats" ] || before=$(sed -n 's/^execs_done *: //p' "$stats")
    ASAN_OPTIONS=abort_on_error=1:symbolize=0:allocator_may_return_null=1:detect_leaks=0 MRN_FUZZ_TARGET=$1 \
        AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
        AFL_AUTORESUME=1 AFL_HANG_TMOUT=60000 \
        waiting_for_all afl-fuzz -m none -t 30000 -V "$seconds" -i "tests/fuzz/seeds/$1" -o "$out" \
        -- build/afl/fuzz-moraine >"$2" 2>&1
    runs=$(sed -n 's/^execs_done *: //p' "$stats" 2>/dev/null)
    edges=$(sed -n 's/^edges_found *: //p' "$stats" 2>/dev/null)
    runs=$((${runs:-0} - before))
    [ "$runs" -ge 0 ] || runs=$((runs + before))
    for f in "$out"/default/crashes/id* "$out"/default/hangs/id*; do
        [ ! -f "$f" ] || cp -n "$f" "$found/$1-$(basename "$f" | tr ':,' '--')"
    done
}

mkdir -p build/fuzz
printf '%-10s %-18s %6s %9s %12s %7s %9s\n' fuzzer reader hours 'cpu min' executions edges findings >"$table"
trap 'cat "$table"; exit 1' INT TERM
for fuzzer in "${fuzzers[@]}"; do
    "build_$fuzzer" || { [ "$fuzzer" = afl ] && [ ${#fuzzers[@]} -gt 1 ] && continue; exit 2; }
    found=build/fuzz/found/$fuzzer
    mkdir -p "$found"
    for r in "${readers[@]}"; do
        start=$SECONDS runs=0 edges=0 before=$(ls "$found" | wc -l)
        { time "run_$fuzzer" "$r" "build/fuzz/$fuzzer-$r.log"; } 2>"build/fuzz/time-$fuzzer.txt"
        new=$(($(ls "$found" | wc -l) - before))
        # a reader that was not tried is no good news
        [ "$new" -eq 0 ] && [ "${runs:-0}" -gt 0 ] || bad=1
        cpu=$(awk 'NF == 2 { printf "%.1f", ($1 + $2) / 60 }' "build/fuzz/time-$fuzzer.txt")
        printf '%-10s %-18s %6.2f %9s %12d %7d %9d\n' "$fuzzer" "$r" \
            "$(awk "BEGIN { print ($SECONDS - $start) / 3600 }")" "$cpu" \
            "${runs:-0}" "${edges:-0}" "$new" >>"$table"
    done
done
cat "$table"
exit $bad
