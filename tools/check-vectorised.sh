#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every loop marked `#pragma omp simd` in the contact laws is really vectorised by gcc: laws per block
# cost no more than a fused law only then.
#   tools/check-vectorised.sh [FILE…]    default: src/laws/normal_*.c tangential_*.c and their kin
set -euo pipefail
cd "$(dirname "$0")/.."
cc=${CC:-gcc}
# One instruction set for all machines, so that the answer is the same everywhere.
arch=native
[ "$(uname -m)" = x86_64 ] && arch=x86-64-v3
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
    shopt -s nullglob
    files=(src/laws/normal_*.c src/laws/tangential_*.c src/laws/rolling_*.c src/laws/twisting_*.c
           src/laws/cohesion_*.c)
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT
bad=0 loops=0
for file in "${files[@]}"; do
    "$cc" -std=gnu17 -O3 -march=$arch -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math \
        -D_GNU_SOURCE -Iinclude -Isrc -fopt-info-vec-optimized="$report" -c "$file" -o /dev/null
    found=$(awk -v file="$file" '
        FILENAME == ARGV[1] { if (/loop vectorized/) { split($0, f, ":"); done[f[1] ":" f[2]] = 1 } next }
        FNR == 1 { pragma = 0 }
        /#[ \t]*pragma[ \t]+omp([ \t]+[a-z]+)*[ \t]+simd/ { pragma = FNR; next }
        pragma && /(^|[^a-z_])for[ \t]*\(/ {
            n++
            # gcc names the loop by its pragma, its for or the first line of its body
            if (!(file ":" pragma in done) && !(file ":" FNR in done) && !(file ":" (FNR + 1) in done))
                print file ":" FNR ": marked `omp simd`, but not vectorised" > "/dev/stderr"
            else
                good++
            pragma = 0
        }
        END { print n + 0, good + 0 }' "$report" "$file")
    : >"$report"
    loops=$((loops + ${found% *}))
    [ "${found% *}" = "${found#* }" ] || bad=1
done
if [ "$loops" -eq 0 ]; then
    echo "check-vectorised: no loop marked \`omp simd\` in: ${files[*]:-src/laws}" >&2
    bad=1
fi
[ $bad -ne 0 ] || echo "$loops loops, all vectorised ($arch)"
exit $bad
