#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of the library that tests run: a build with gcov, the tests (all, or those of -L LABELS), and
# a table by room.
#   tools/coverage.sh [-L LABELS] [-R NAMES]    as ctest has them
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
build=build/coverage
cmake --preset debug -B $build -DCMAKE_C_FLAGS_DEBUG='-O1 -g0' -DCMAKE_C_FLAGS='--coverage -fprofile-update=atomic' \
    -DMRN_WERROR=OFF >/dev/null || exit 2
cmake --build $build -j "$jobs" || exit 2
find $build -name '*.gcda' -delete
ctest --test-dir $build -j "$jobs" "$@" | tail -3
find $build/CMakeFiles/mrn_objects.dir -name '*.gcda' -print0 | xargs -0 -n 40 gcov -n 2>/dev/null |
    awk '/^File .*\/src\/.*\.c/ { gsub("\x27", ""); split($2, p, "/src/"); split(p[2], q, "/"); room = q[1]; next }
         /^File/ { room = "" }
         /^Lines executed/ && room != "" { split($0, a, /[:% ]+/); hit[room] += a[3] * a[5] / 100; all[room] += a[5]; room = "" }
         END { for (r in all) { printf "%-12s %7d lines %6.1f %%\n", r, all[r], 100 * hit[r] / all[r]; h += hit[r]; n += all[r] }
               printf "%-12s %7d lines %6.1f %%\n", "all", n, n ? 100 * h / n : 0 }' | sort
