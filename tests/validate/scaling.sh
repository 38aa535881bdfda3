#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cost of a step from 10^3 to 10^6 spheres in a settled bed: linear, within the promised memory and speed.
# About a minute on one idle core; needs 1 GiB.
set -euo pipefail
cmake --build "$BUILD" --target bench-smooth >/dev/null
table=$("$BUILD/bench/bench-smooth" 1000000 1)
echo "$table"
# columns: grains, million body-steps/s, range, bytes per body, coordination, shares
echo "$table" | awk '
    $1 ~ /^[0-9]+$/ { rate[$1] = $2; bytes[$1] = $4; n++ }
    function check(text, ok) { printf "  %-60s %s\n", text, ok ? "ok" : "NOT OK"; bad += !ok }
    END {
        # a larger bed may leave the caches, once: a factor of 2 in cost per body, where quadratic cost would give 1000
        check("cost per body at 10^6 within twice that at 10^3", n == 4 && rate[1000] < 2 * rate[1000000])
        check("at least 3 million body-steps/s at every size", n == 4 && rate[1000] > 3 && rate[10000] > 3 && rate[100000] > 3 && rate[1000000] > 3)
        check("at most 600 bytes per sphere from 10^4 on", bytes[10000] <= 600 && bytes[100000] <= 600 && bytes[1000000] <= 600)
        exit bad > 0
    }'
