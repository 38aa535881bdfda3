#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cost of a step from 10^3 to 10^6 spheres in a settled bed: linear, within the promised memory and speed.
# About a minute on one idle core; needs 1 GiB.
set -euo pipefail
. "$(dirname "$(realpath "$0")")/../../tools/validate-lib.sh" scaling
table=$("$BUILD/moraine" bench --method smooth --largest 1000000 --threads 1 --json |
    python3 -c 'import json, sys
for r in json.load(sys.stdin)["rows"]: print(r["grains"], round(r["per-second"] / 1e6, 2), round(r["bytes-per-grain"]))')
echo "$table"
# columns: grains, million body-steps/s, bytes per body
column() { echo "$table" | awk -v n="$1" -v k="$2" '$1 == n { print $k }'; }
say "| spheres | million body-steps/s on one core | bytes per sphere |" "|--:|--:|--:|"
slowest=$(column 1000 2)
for n in 1000 10000 100000 1000000; do
    say "| $n | $(column $n 2) | $(column $n 3) |"
    slowest=$(awk -v a="$slowest" -v b="$(column $n 2)" 'BEGIN { print a < b ? a : b }')
    if [ $n -gt 1000 ]; then
        check "bytes per sphere at $n" "$(column $n 3)" 0 600
        why "free spheres have records of their own beside the arrays of the state (performance.md): quicker, and no longer within what was promised"
    fi
done
# a larger bed may leave the caches, once: a factor of 2 in cost per body, where quadratic cost would give 1000
check "cost per body at 10^6 over that at 10^3" "$(awk -v a="$(column 1000 2)" -v b="$(column 1000000 2)" 'BEGIN { print a / b }')" 0 2
why "small beds, which stay in the caches, have become quicker than large ones"
check "million body-steps/s, least of all sizes" "$slowest" 3 inf
finish
