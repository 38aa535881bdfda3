#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every loop marked `#pragma omp simd` (contact laws, their kinematics, the lab's collisions) is really
# vectorised by gcc: laws per block cost no more than a fused law only then.
#   tools/check-vectorised.sh [FILE…]    default: all files of src/ that have such a loop
set -euo pipefail
cd "$(dirname "$0")/.."
cc=${CC:-gcc}
# The instruction sets that are chosen from (src/base/dispatch.h), so that the answer is the same on all
# machines.
archs=(native)
[ "$(uname -m)" = x86_64 ] && archs=(x86-64-v3 x86-64-v4)
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
    mapfile -t files < <(grep -lE '#[[:space:]]*pragma[[:space:]]+omp([[:space:]]+[a-z]+)*[[:space:]]+simd' src/*/*.c || true)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What gcc tells of the loops of a file.
compile() { # file report
    : >"$2"
    "$cc" -std=gnu17 -O3 -march=$arch -DMRN_DISPATCHED= -fopenmp -ffp-contract=off -fno-math-errno \
        -fno-trapping-math -D_GNU_SOURCE -Iinclude -Isrc -fopt-info-vec-note-optimized="$2" -c "$1" \
        -o /dev/null
}
vectorised() { awk 'match($0, /vectorized [0-9]+ loops in/) { split(substr($0, RSTART), f, " "); n += f[2] } END { print n + 0 }' "$1"; }

# Line of each marked loop, and whether gcc names it: by its pragma, its for or the next line.
# A loop whose body comes from an inline function it names by a line of that function, or not at all.
marked() { # file report
    awk -v file="$1" '
        FILENAME == ARGV[1] { if (/loop vectorized/) { split($0, f, ":"); done[f[1] ":" f[2]] = 1 } next }
        /#[ \t]*pragma[ \t]+omp([ \t]+[a-z]+)*[ \t]+simd/ { pragma = FNR; next }
        pragma && /(^|[^a-z_])for[ \t]*\(/ {
            print FNR, file ":" pragma in done || file ":" FNR in done || file ":" (FNR + 1) in done
            pragma = 0
        }' "$2" "$1"
}
# Of those: with this loop made unfit for vectors, fewer loops of the file are vectorised.
counts() { # file line loops-vectorised
    awk -v line="$2" '
        FNR < line && /#[ \t]*pragma[ \t]+omp([ \t]+[a-z]+)*[ \t]+simd/ { last = FNR }
        { text[FNR] = $0 }
        END {
            text[last] = ""
            at = index(text[line], ";") # of the loop: what ends it
            text[line] = substr(text[line], 1, at) " ({ __asm__ volatile(\"\"); 1; }) &&" substr(text[line], at + 1)
            for (i = 1; i <= FNR; i++) print text[i]
        }' "$1" >"$work/unfit.c"
    compile "$work/unfit.c" "$work/unfit"
    [ "$(vectorised "$work/unfit")" -lt "$3" ]
}

bad=0
declare -A before=() # loops of a file vectorised for the instruction set before, when all of its marked ones were
check_file() {
    compile "$1" "$work/report"
    local all line named sound=1
    all=$(vectorised "$work/report")
    while read -r line named; do
        loops=$((loops + 1))
        # a loop that is not named is looked for by a second compilation, once: wider vectors that make as many loops
        # of the file do so of the same ones
        if [ "$named" = 0 ] && [ "${before[$1]:--1}" != "$all" ] && ! counts "$1" "$line" "$all"; then
            echo "$1:$line: marked \`omp simd\`, but not vectorised ($arch)" >&2
            bad=1 sound=0
        fi
    done < <(marked "$1" "$work/report")
    [ $sound = 0 ] || before[$1]=$all
}
for arch in "${archs[@]}"; do
    loops=0
    for file in "${files[@]}"; do
        check_file "$file"
    done
done
if [ "$loops" -eq 0 ]; then
    echo "check-vectorised: no loop marked \`omp simd\` in: ${files[*]:-src}" >&2
    bad=1
fi
[ $bad -ne 0 ] || echo "$loops loops, all vectorised (${archs[*]})"
exit $bad
