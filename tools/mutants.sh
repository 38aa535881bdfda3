#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How much the tests would notice: one line of a source is changed at a time (a sign, a comparison, a
# constant, a condition), the tests of its room run, and a change that none of them notices is named.
# Works in a copy of the tree (build/mutants).
#   tools/mutants.sh [--number N] [--seed S] [ROOM…]    default 200 in laws smooth nonsmooth solve store
set -uo pipefail
cd "$(dirname "$0")/.."
number=200 seed=1 rooms=()
while [ $# -gt 0 ]; do
    case $1 in
    --number) number=${2:?a number} && shift ;;
    --seed) seed=${2:?a number} && shift ;;
    -*) sed -n '7s/^# //p' "$0" >&2 && exit 2 ;;
    *) rooms+=("$1") ;;
    esac
    shift
done
[ ${#rooms[@]} -gt 0 ] || rooms=(laws smooth nonsmooth solve store)
copy=build/mutants
mkdir -p $copy
rsync -a --delete --exclude build --exclude .git ./ $copy/ 2>/dev/null || { rm -rf $copy && mkdir -p $copy && git archive HEAD | tar -x -C $copy; }
cd $copy
cmake --preset release -DMRN_WERROR=OFF >/dev/null || exit 2
killed=0 survived=0 skipped=0
for ((i = 0; i < number; i++)); do
    room=${rooms[i % ${#rooms[@]}]}
    # file, line, and the changed line, drawn at random from lines that a rule can change
    mapfile -t pick < <(awk -v seed=$((seed * 7919 + i)) '
        BEGIN { srand(seed) }
        /^ +[^\/*#]/ && !/static const|mrn_fail|snprintf|assert/ {
            n = 0; s = $0
            if (s ~ / \+ /) { n++; c[n] = s; sub(/ \+ /, " - ", c[n]) }
            if (s ~ / - /) { n++; c[n] = s; sub(/ - /, " + ", c[n]) }
            if (s ~ / < /) { n++; c[n] = s; sub(/ < /, " <= ", c[n]) }
            if (s ~ / > /) { n++; c[n] = s; sub(/ > /, " < ", c[n]) }
            if (s ~ / \* /) { n++; c[n] = s; sub(/ \* /, " / ", c[n]) }
            if (s ~ / \&\& /) { n++; c[n] = s; sub(/ \&\& /, " || ", c[n]) }
            if (s ~ / == /) { n++; c[n] = s; sub(/ == /, " != ", c[n]) }
            if (s ~ /0\.5/) { n++; c[n] = s; sub(/0\.5/, "0.25", c[n]) }
            if (n == 0) next
            seen++
            if (rand() < 1 / seen) { f = FILENAME; l = FNR; t = c[1 + int(rand() * n)] }
        }
        END { print f; print l; print t }' src/$room/*.[ch])
    file=${pick[0]} line=${pick[1]}
    cp "$file" keep
    awk -v l="$line" -v t="${pick[2]}" 'NR == l { print t; next } { print }' keep >"$file"
    if ! ninja -C build/release $(ninja -C build/release -t targets all 2>/dev/null | sed -n "s/^\(test-$room-[^:]*\):.*/\1/p") >log 2>&1; then
        skipped=$((skipped + 1))
    elif timeout 600 ctest --test-dir build/release -L "^$room$" --stop-on-failure -j 2 >log 2>&1; then
        survived=$((survived + 1))
        printf 'survivor: %s:%s:%s\n' "$file" "$line" "${pick[2]}"
    else
        killed=$((killed + 1))
    fi
    cp keep "$file"
done
printf '%d mutants: %d killed, %d survived, %d did not compile\n' $number $killed $survived $skipped
