#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ten thousand spheres settle: weight on the floor, solid fraction, coordination, energy ledger and its order.
# About 15 minutes on one core.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
out=$(mktemp -d /tmp/moraine-settling-XXXXXX)
trap 'rm -rf "$out"' EXIT
[ -n "${KEEP:-}" ] && trap - EXIT && echo "results stay in $out"

# run NAME FRACTION [more arguments]
run() {
    "$MORAINE" run "$here/settling.yaml" --out "$out/$1" --set "time-step.fraction=$2" --quiet "${@:3}"
}
# value NAME COLUMN [TIME]: a probe at the row nearest TIME (default: last row)
value() {
    awk -F, -v column="$2" -v time="${3:-1e99}" '
        NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); if ($i == column) c = i }; next }
        { d = $1 < time ? time - $1 : $1 - time }
        best == "" || d <= best { best = d; v = $c }
        END { print v }' "$out/$1/probes.csv"
}
# check TEXT VALUE LOW HIGH
failed=0
check() {
    local verdict
    verdict=$(awk -v v="$2" -v lo="$3" -v hi="$4" 'BEGIN { print (v >= lo && v <= hi) ? "ok" : "NOT OK" }')
    printf '  %-52s %12.6g   in [%g, %g]: %s\n' "$1" "$2" "$3" "$4" "$verdict"
    [ "$verdict" = ok ] || failed=1
}

cut=(--set "stages.settle.until.time=0.2 s" --set "stages.rest.until.time=10 us")
run fine 0.05 "${cut[@]}"
run full 0.1

mass=$("$MORAINE" check "$here/settling.yaml" --json | awk -F'[:,]' '/"mass":/ { m += $2 } END { print m }')
force=$(value full walls.floor.force.z)
ratio=$(awk -v f="$force" -v m="$mass" 'BEGIN { print -f / (9.81 * m) }')
check "force on the floor / weight" "$ratio" 0.999 1.001
check "solid fraction" "$(value full solid-fraction)" 0.58 0.64
check "coordination number" "$(value full coordination)" 4.5 6
check "unbalanced force / mean contact force" "$(value full unbalanced-force-ratio)" 0 1e-3
check "ledger residual / dissipated, step 0.1 of critical" "$(value full energy-residual-ratio)" -1e-3 1e-3
for t in 0.1 0.15 0.2; do
    m=$(value full energy-residual $t) f=$(value fine energy-residual $t)
    printf '  residual at %s s: %.3g J, %.3g J for steps 0.1, 0.05 of critical\n' $t "$m" "$f"
done
# second order: a quarter per halving; the trajectories part after the first impacts, hence the room. (Steps of 0.2 do not stay
# what they are: contacts stiffen as grains land, and the run shortens them.)
check "residual(0.1) / residual(0.05) at 0.2 s" "$(awk -v a="$m" -v b="$f" 'BEGIN { print a / b }')" 3 5.5
exit $failed
