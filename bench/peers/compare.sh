#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Moraine beside LIGGGHTS, LAMMPS (two styles) and YADE on the same settled bed: one core, the codes one after another,
# median of the rounds, as ratios. Peers that are not installed are left out (Debian: liggghts, lammps, yade).
#   bench/peers/compare.sh [-b BUILD] [-r ROUNDS] [-h STEP] [-a DEGREES] [-w CODE] [-g] [N…]      default: build/release, 5, 3e-6 s, 0, 10000 50000 200000
# -w: without this code (YADE is slow). -a: gravity leans by so many degrees: at 30 the bed slides and flows. -g: a guard: exit 1 where Moraine over another code is less than
# 0.85 of what bench/peers/ratios.txt has (spheres, degrees, code, ratio).
# What is equal: places and radii, Hertz-Mindlin with tangential history, E, nu, density, friction, gravity, step, double
# precision, skin of about 0.1 mm. What is not: gran/hertz/history has a damping of its own, LIGGGHTS, LAMMPS and YADE keep no
# account of energy, Moraine's totals do not depend on the order of the contacts; seconds are those of the processor in the
# program itself, those of a run with 20 steps taken off (what the system does for it is left out: it clears the pages that a run
# begins with, in one run more than in the next).
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$(realpath "$here/../../build/release") rounds=5 h=3e-6 degrees=0 guard='' without=''
while getopts b:r:h:a:w:g o; do
    case $o in b) build=$OPTARG ;; r) rounds=$OPTARG ;; h) h=$OPTARG ;; a) degrees=$OPTARG ;; w) without=$OPTARG ;; g) guard=1 ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
sizes=("$@") && [ $# -gt 0 ] || sizes=(10000 50000 200000)
bed=$build/bench/bench-bed
[ -x "$bed" ] || { echo "compare: no $bed; run  ninja -C build/release bench-bed" >&2 && exit 2; }
work=$(mktemp -d /tmp/moraine-peers-XXXXXX)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1
read -r PEER_GX PEER_GZ < <(awk -v a="$degrees" 'BEGIN { a *= atan2(0, -1) / 180; printf "%.15g %.15g\n", sin(a), -cos(a) }')
export PEER_GX PEER_GZ

have() { [ "$1" != "$without" ] && command -v "$1" >/dev/null; }
codes=(moraine)
have liggghts && codes+=(liggghts)
have lmp && codes+=(lammps-granular lammps-hertz)
have yade && codes+=(yade)

# start CODE N STEPS: one run
start() {
    case $1 in
    moraine) "$bed" run "$work/tile" "$2" "$3" "$h" "$degrees" ;;
    liggghts) liggghts -var data "$work/$2.data" -var h "$h" -var steps "$3" -var gx "$PEER_GX" -var gz "$PEER_GZ" -in "$here/liggghts.in" ;;
    lammps-*) lmp -var data "$work/$2.data" -var h "$h" -var steps "$3" -var gx "$PEER_GX" -var gz "$PEER_GZ" -in "$here/$1.in" ;;
    yade) PEER_DATA=$work/$2.xyzr PEER_STEPS=$3 PEER_H=$h yade -j1 -n -x "$here/yade.py" ;;
    esac >"$work/log" 2>&1 || { echo "compare: $1 failed:" >&2 && tail -3 "$work/log" >&2; }
}
# cpu CODE N STEPS: seconds of the processor, so that what else the machine does counts little
cpu() {
    local TIMEFORMAT='%U'
    { time start "$@"; } 2>&1 | tail -1
}
# once CODE N STEPS: million body-steps/s; what a run with few steps takes (reading, the first list) is taken off
once() {
    local few=20 many=$((20 + $3))
    [ "$1" = yade ] && many=$((20 + $3 / 8))
    awk -v n="$2" -v s=$((many - few)) -v a="$(cpu "$1" "$2" $few)" -v b="$(cpu "$1" "$2" $many)" \
        'BEGIN { printf "%.4f\n", (b > a ? 1e-6 * n * s / (b - a) : 0) }'
}

cd "$work"
"$bed" settle "$work/tile"
low=0
printf '%-10s %-16s %12s %18s %8s\n' spheres code 'Mbody-step/s' range 'Moraine/'
for n in "${sizes[@]}"; do
    steps=$((8000000 / n < 200 ? 200 : 8000000 / n))
    "$bed" data "$work/tile" "$n" "$work/$n.data"
    "$bed" yade "$work/tile" "$n" "$work/$n.xyzr"
    for ((r = 0; r < rounds; r++)); do
        for c in "${codes[@]}"; do once "$c" "$n" "$steps" >>"$work/$c.$n"; done
    done
    ours=$(sort -g "$work/moraine.$n" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
    for c in "${codes[@]}"; do
        sort -g "$work/$c.$n" | awk -v n="$n" -v c="$c" -v o="$ours" '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]
            printf "%-10s %-16s %12.2f %9.2f…%-8.2f %8.2f\n", n, c, m, v[1], v[NR], (m > 0 ? o / m : 0) }'
    done
    [ -n "$guard" ] || continue
    for c in "${codes[@]}"; do
        then=$(awk -v n="$n" -v a="$degrees" -v c="$c" '$1 == n && $2 == a && $3 == c { print $4 }' "$here/ratios.txt")
        [ -n "$then" ] || continue
        now=$(sort -g "$work/$c.$n" | awk -v o="$ours" '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]; print (m > 0 ? o / m : 0) }')
        awk -v now="$now" -v then="$then" 'BEGIN { exit now < 0.85 * then }' && continue
        echo "compare: $n spheres: $now times $c, $then stored" >&2
        low=1
    done
done
exit $low
