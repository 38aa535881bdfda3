#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# examples/vibrated-box at five accelerations: flight, share of shocks, density; and two of them solved a hundred times
# tighter over nine cycles. About ten minutes on two cores.
set -uo pipefail
top=$(dirname "$(realpath "$0")")/../..
. "$top/tools/validate-lib.sh" vibrated
out=${RUNS:-$(mktemp -d /tmp/moraine-vibrated-XXXXXX)}
scene=$top/examples/vibrated-box/scene.yaml
"$MORAINE" vibrate "$scene" --gamma 0.5,0.8,1.2,1.6,2 --frequency 30 --out "$out/vib" --resume --quiet || exit
"$MORAINE" vibrate "$scene" --gamma 0.5,0.8 --frequency 30 --out "$out/tight" --resume --quiet \
    --set stages.shake.nonsmooth.tolerance=1e-6 --set stages.shake.until.time=0.3 || exit
# value GAMMA KEY [FOLDER] of vibrate.json
value() {
    awk -F'[:,]' -v g="$1" -v key="\"$2\"" '
        /"gamma"/ { on = $2 + 0 == g + 0 }
        on && index($0, key) { print $2 + 0; exit }' "$out/${3:-vib}/vibrate.json"
}
# R2 GAMMA LAW
r2() {
    awk -F'[:,]' -v g="$1" -v law="\"$2\"" '
        /"gamma"/ { on = $2 + 0 == g + 0; here = 0 }
        on && /"law"/ { here = index($0, law) > 0 }
        on && here && /"r2"/ { printf "%.4f", $2; exit }' "$out/vib/vibrate.json"
}
over() { awk "BEGIN { print $1 }"; } # EXPRESSION
# less GAMMA: what a cycle loses at 1e-6 (five are counted) over what it loses at 1e-4 (45 are)
less() { over "($(value $1 lost_normal tight) + $(value $1 lost_tangential tight)) / 5 / (($(value $1 lost_normal) + $(value $1 lost_tangential)) / 45)"; }
{
    cat <<EOF
180 polygons, friction 0.6, no rebound, 90 cycles at 30 Hz in the frame of the floor, 80 steps of a cycle, tolerance 1e-4
([examples/vibrated-box](../examples/vibrated-box/README.md)); flight and losses over the last 45 cycles.

| Γ | flight, part of a cycle | of a block without rebound | lost by shocks | by contacts that last | by friction | share of shocks | density before | after | R² inverse-log | stretched |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
EOF
    for g in 0.5 0.8 1.2 1.6 2; do
        printf '| %s | %.3f | %.3f | %.3g J | %.3g J | %.3g J | %.4f | %.4f | %.4f | %s | %s |\n' $g "$(value $g flight)" "$(value $g block_flight)" \
            "$(value $g lost_shocks)" "$(over "$(value $g lost_normal) - $(value $g lost_shocks)")" "$(value $g lost_tangential)" \
            "$(value $g shock_share)" "$(value $g density_before)" "$(value $g density_after)" "$(r2 $g inverse-log)" "$(r2 $g stretched)"
    done
    cat <<EOF

Shocks are what the normal law takes from contacts that close: those that press in a step and did not in the one before. Below Γ = 1 nothing flies and there are next to none; above it the bed flies once per cycle, nearly as long as a block that does not rebound, and the normal law takes nearly all. At Γ = 2 much of that is not counted as shocks: stones that fly together
press on each other a little, and the landing goes through contacts that count as lasting; the share of shocks is a lower bound. What is lost below Γ = 1 is little, and the normal law takes most of it, from contacts that last. Nine cycles at a tolerance of 1e-6 in place of 1e-4 (the last five of them):

| Γ | lost by shocks | by contacts that last | by friction | share of friction | lost per cycle, over that at 1e-4 |
|--:|--:|--:|--:|--:|--:|
EOF
    for g in 0.5 0.8; do
        awk -v g=$g -v s="$(value $g lost_shocks tight)" -v n="$(value $g lost_normal tight)" -v t="$(value $g lost_tangential tight)" -v less="$(less $g)" \
            'BEGIN { printf "| %s | %.2g J | %.2g J | %.2g J | %.2f | %.3f |\n", g, s, n - s, t, t / (n + t), less }'
    done
    cat <<EOF

Both parts fall with the tolerance: a bed that stays on the floor loses nothing but what the solver leaves, and which of the two laws is said to take it tells nothing of grains. That friction alone takes energy below Γ = 1, as is said of such beds, is neither seen nor contradicted by rigid grains. How much denser the bed becomes is a matter of the sample: of ten beds the gain at Γ = 2 lay between 0.002 and 0.023 ([examples/vibrated-box](../examples/vibrated-box/README.md)); this one gains $(printf %.3f "$(over "$(value 2 density_after) - $(value 2 density_before)")"). (A check that friction takes more than half at Γ = 0.8 was written before the first run of this part, and was not
met, at 1e-4 nor at 1e-6; the measure of shocks, the tighter runs and the check that losses go with the tolerance came after that.)

EOF
    for plot in flight shocks density; do
        cp "$out/vib/$plot.svg" "$top/docs/validation/vibrated-$plot.svg"
        echo "![$plot](validation/vibrated-$plot.svg)"
    done
} >"$page"
for g in 0.5 0.8; do check "flight at $g, part of a cycle" "$(value $g flight)" 0 0; done
check "flight at 1.2, part of a cycle" "$(value 1.2 flight)" 0.05 1
check "flight at 1.6 over that at 1.2" "$(over "$(value 1.6 flight) / $(value 1.2 flight)")" 1.000001 1e9
check "lost at 0.8 over lost at 2" "$(over "($(value 0.8 lost_normal) + $(value 0.8 lost_tangential)) / ($(value 2 lost_normal) + $(value 2 lost_tangential))")" 0 0.01
check "share of the normal law at 2" "$(over "$(value 2 lost_normal) / ($(value 2 lost_normal) + $(value 2 lost_tangential))")" 0.5 1
check "share of shocks at 1.2" "$(value 1.2 shock_share)" 0.5 1
for g in 1.6 2; do check "density after less before at $g" "$(over "$(value $g density_after) - $(value $g density_before)")" 1e-6 1; done
for g in 0.5 0.8; do
    # a hundredth: the bed does not leave the floor, but single stones may still find their place
    check "share of shocks at $g" "$(value $g shock_share)" 0 0.01
    # the tolerance falls a hundredfold: what is the solver's falls with it, what is the grains' does not
    check "lost per cycle at $g, tolerance 1e-6 over 1e-4" "$(less $g)" 0 0.1
done
finish
