#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# examples/cyclic-triaxial beside the test of Sun, Indraratna and Nimbalkar (2016) at 60 kPa, 230 kPa and 5 Hz: two
# packings, three resistances to rolling, 100 cycles each: about five minutes of one core. FULL=1: 1000 cycles (ten minutes
# more). RUNS keeps the runs; those that are there are not made again.
set -uo pipefail
top=$(dirname "$(realpath "$0")")/../..
. "$top/tools/validate-lib.sh" cyclic_triaxial
runs=${RUNS:-$(mktemp -d /tmp/moraine-triaxial-XXXXXX)}
scene=$top/examples/cyclic-triaxial/scene.yaml
mkdir -p "$runs" && cd "$runs" || exit
run() { # NAME [more arguments]
    local n=$1; shift
    if [ ! -e "$n.done" ]; then
        /usr/bin/time -f %U -o "$n.time" "$MORAINE" run "$scene" --out "$n" --threads 1 --force --quiet "$@" && touch "$n.done"
    fi
    "$MORAINE" settle "$n" --frequency 5 --probe strain.zz --as settlement --no-pictures --quiet --out "$n/axial"
    "$MORAINE" settle "$n" --frequency 5 --probe volumetric-strain --as settlement --no-pictures --quiet --law log --out "$n/volumetric"
}
strain() { awk -F, -v n="$2" '$1 == n { printf "%.5f", $2 }' "$1/${3:-axial}/cycles.csv"; } # NAME N [axial|volumetric]
calc() { awk "BEGIN { printf \"$1\", $2 }"; }
column() { # NAME COLUMN: its least and largest value in the stage of cycles
    awk -F, -v column="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); if ($i == column) c = i; if ($i == "stage") s = i }; next }
        $s == "cycles" { if (lo == "" || $c + 0 < lo) lo = $c + 0; if (hi == "" || $c + 0 > hi) hi = $c + 0 }
        END { print lo, hi }' "$1/probes.csv"
}
roll=stages.rest.interactions.0.rolling-friction
run tri-1
run tri-2 --set seed=2
run tri-r06 --set $roll=0.6
run tri-r10 --set $roll=1
[ -z "${FULL:-}" ] || run tri-long --set stages.cycles.until.time=200 --set stages.cycles.output.every=10.1

# measured (Sun, Indraratna & Nimbalkar 2016, digitised): axial and volumetric strain
declare -A measured=([1]=0.0035 [10]=0.0104 [100]=0.0251 [1000]=0.0337)
{
    cat <<EOT
200 balls that resist rolling in a periodic cell, 60 kPa from all sides, axial stress from 60 to 290 kPa at 5 Hz, every cycle simulated
([examples/cyclic-triaxial](../examples/cyclic-triaxial/README.md)). Axial strain that stays after N cycles, compression positive, beside the test of Sun, Indraratna and Nimbalkar (2016):

<!-- published: sun-2016 -->
| | N = 1 | 10 | 100 | from 10 to 100 | processor time |
|---|--:|--:|--:|--:|--:|
| measured, ballast | ${measured[1]} | ${measured[10]} | ${measured[100]} | $(calc %.4f "${measured[100]} - ${measured[10]}") | |
EOT
    for n in "tri-1:rolling friction 0.8, seed 1" "tri-2:seed 2" "tri-r06:rolling friction 0.6, seed 1" "tri-r10:rolling friction 1, seed 1"; do
        f=${n%%:*}
        printf '| %s | %s | %s | %s | %s | %s s |\n' "${n#*:}" "$(strain $f 1)" "$(strain $f 10)" "$(strain $f 100)" \
            "$(calc %.5f "$(strain $f 100) - $(strain $f 10)")" "$(tail -n 1 $f.time)"
    done
    if [ -e tri-long.done ]; then
        printf '\nRolling friction 0.8 over 1000 cycles: %s at N = 1000 (measured %s), %s from 100 to 1000 (measured %s).\n' "$(strain tri-long 1000)" \
            "${measured[1000]}" "$(calc %.5f "$(strain tri-long 1000) - $(strain tri-long 100)")" "$(calc %.4f "${measured[1000]} - ${measured[100]}")"
    else
        printf '\n1000 cycles were not run here (FULL=1).\n'
    fi
    cat <<EOT

Over N from 10 to 5e5 the measured strain grows by 0.0062 per decade (fit to the digitised points, R² 0.93); in the decade simulated here it grows faster, by
$(calc %.4f "${measured[100]} - ${measured[10]}"). The sample of the scene gains $(calc %.4f "$(strain tri-1 100) - $(strain tri-1 10)") and $(calc %.4f "$(strain tri-2 100) - $(strain tri-2 10)") (seeds 1 and 2) in that decade, and does not slow down as the measured one does: more decades would have to show whether it follows log N. It grows a little looser (volumetric strain after 100 cycles $(strain tri-1 100 volumetric), compression positive), where ballast
grew denser (0.0051).

Why they differ: the resistance to rolling that stands for corners decides more than anything else (at 0.3 the sample fails in the first cycles; 0.8 was chosen when ten cycles with 0.6 and with 1 had been
seen, so the strain per decade is no prediction); real stones break at their corners and wear, which lets ballast go on settling, and these cannot; the stiffness is one number, without Hertz's law; 200 grains between periodic
faces are one small sample; the laboratory's sample was compacted in layers to another density. That the strain per decade comes near the measured one is no more than the choice of that number.
EOT
} >"$page"

# the servo: stresses reach what was asked to 5 % at the turns
read -r lo hi <<<"$(column tri-1 stress.zz)"
check "largest axial stress over 290 kPa" "$(calc %.6g "$hi / 290e3")" 0.95 1.05
check "least axial stress over 60 kPa" "$(calc %.6g "$lo / 60e3")" 0.9 1.05
for s in 1 2; do
    # Permanent strain grows, and less in the second ten cycles than in the first: concave at the begin.
    check "seed $s: strain of cycles 10 to 20 over that of the first ten" \
        "$(calc %.6g "($(strain tri-$s 20) - $(strain tri-$s 10)) / $(strain tri-$s 10)")" 0.001 0.999
    # A decade within a factor of ten of the long-run slope: what a model without breakage and with one free number can claim
    check "seed $s: strain from N = 10 to 100 over 0.0062" "$(calc %.6g "($(strain tri-$s 100) - $(strain tri-$s 10)) / 0.0062")" 0.1 10
done
check "more resistance to rolling, less strain: 1 over 0.6 at N = 100" "$(calc %.6g "$(strain tri-r10 100) / $(strain tri-r06 100)")" 0 0.999
finish
