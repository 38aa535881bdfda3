#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A sleeper on ballast, made by `moraine track`: no creep under a constant load, settlement against tolerance, step, load,
# frequency and compaction (2D, coarse stones). Minutes on a quiet core. FULL=1 adds the long ones: 2D 500 polygons and
# more over 1e4 cycles, 3D 1000 stones over 1000 cycles and 3000 over 200 (days; go on where they were stopped).
# RUNS keeps the runs; those that are there are not made again.
set -uo pipefail
runs=${RUNS:-/tmp/moraine-ballast}
page=$(dirname "$(realpath "$0")")/../../docs/validation/ballast.md
mkdir -p "$runs" && cd "$runs" || exit
failed=0

# run NAME [more arguments]: NAME.yaml, once
run() {
    local n=$1; shift
    [ -e "$n.done" ] && return
    /usr/bin/time -f %U -o "$n.time" "$MORAINE" run "$n.yaml" --out "$n" --threads 1 --force --quiet "$@" &&
        "$MORAINE" settle "$n" --frequency "${hertz:-20}" --quiet --stage load && touch "$n.done"
}
# at NAME COLUMN WHEN: of stage load, WHEN seconds after its first row (a large number: its last row)
at() {
    awk -F, -v column="$2" -v when="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); if ($i == column) c = i; if ($i == "stage") s = i }; next }
        $s == "load" { if (first == "") first = $1; if ($1 - first <= when + 1e-9) v = $c }
        END { printf "%.9g", v }' "$1/probes.csv"
}
# cycle NAME N: settlement after N cycles, m
cycle() { awk -F, -v n="$2" '$1 == n { printf "%.9g", $2 }' "$1/settle/cycles.csv"; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }
check() { # TEXT EXPRESSION
    if awk "BEGIN { exit !($2) }"; then echo "  ok      $1 ($2)"; else echo "  NOT OK  $1 ($2)"; failed=1; fi
}
seconds() { tail -n 1 "$1.time"; }
unsolved() { calc %d "$(at "$1" unsolved 1e9) - $(at "$1" unsolved 0)"; }

size=(--dimension 2 --depth 0.35 --half-length 0.84 --coarse 1.4 --cycles 15 --force)
usual=(--set stages.load.nonsmooth.tolerance=1e-4)
"$MORAINE" track ref.yaml "${size[@]}" --max-load 20 --frequency 20 >/dev/null || exit
"$MORAINE" track const.yaml "${size[@]}" --max-load 20 --load constant >/dev/null || exit
for k in 3 4 ${FULL:+5 6}; do
    cp ref.yaml tol$k.yaml && run tol$k --set stages.load.nonsmooth.tolerance=1e-$k
done
for k in 3 4 ${FULL:+5}; do
    cp const.yaml const$k.yaml && run const$k --set stages.load.nonsmooth.tolerance=1e-$k
done
[ -z "${FULL:-}" ] || { cp ref.yaml h2.yaml && run h2 "${usual[@]}" --set stages.load.time-step=1.25e-3; }
"$MORAINE" track high.yaml "${size[@]}" --max-load 30 --frequency 20 >/dev/null && run high "${usual[@]}"
"$MORAINE" track fast.yaml "${size[@]}" --max-load 20 --frequency 40 >/dev/null && hertz=40 run fast "${usual[@]}"
"$MORAINE" track comp.yaml "${size[@]}" --max-load 20 --frequency 20 --compact 2 >/dev/null && run comp "${usual[@]}"

level=groups.sleeper.mean-y
{
    cat <<EOF
**At rest under a constant load.** The sleeper of \`moraine track --load constant\` (2D, $("$MORAINE" sieve const.yaml | awk "NR == 1 { print \$1 }") polygons, stones 1.4 times as large as
category E) bears 20 kN on half a sleeper, after 0.2 s of growing. How far it goes down from 0.5 s to 2 s:

| tolerance | from 0.5 s to 2 s | steps not solved | processor time |
|--:|--:|--:|--:|
EOF
    for k in 3 4 ${FULL:+5}; do
        printf '| 1e-%s | %s µm | %s | %s s |\n' $k "$(calc %.3g "1e6 * ($(at const$k $level 0.5) - $(at const$k $level 1e9))")" \
            "$(unsolved const$k)" "$(seconds const$k)"
    done
    cat <<EOF

**Which tolerance keeps the settlement curve.** The same bed under 15 cycles from 2 to 20 kN at 20 Hz (growing over the first four), 20
steps of a cycle:

| tolerance | step | after 5 cycles | after 15 | in the last five | steps not solved | processor time |
|--:|--:|--:|--:|--:|--:|--:|
EOF
    for n in tol3 tol4 ${FULL:+tol5 tol6 h2}; do
        case $n in h2) t=1e-4 h=1.25 ;; *) t=1e-${n#tol} h=2.5 ;; esac
        printf '| %s | %s ms | %s mm | %s mm | %s µm | %s | %s s |\n' $t $h "$(calc %.3f "1e3 * $(cycle $n 5)")" \
            "$(calc %.3f "1e3 * $(cycle $n 15)")" "$(calc %.3g "1e6 * ($(cycle $n 15) - $(cycle $n 10))")" "$(unsolved $n)" "$(seconds $n)"
    done
    cat <<EOF

**What moves it.** Tolerance 1e-4:

| | after 5 cycles | after 15 | in the last five |
|---|--:|--:|--:|
EOF
    for n in "tol4:2 to 20 kN, 20 Hz" "high:2 to 30 kN, 20 Hz" "fast:2 to 20 kN, 40 Hz" "comp:2 to 20 kN, 20 Hz, bed shaken before (Γ 2, 35 Hz, 1 s)"; do
        f=${n%%:*}
        printf '| %s | %s mm | %s mm | %s µm |\n' "${n#*:}" "$(calc %.3f "1e3 * $(cycle $f 5)")" "$(calc %.3f "1e3 * $(cycle $f 15)")" \
            "$(calc %.3g "1e6 * ($(cycle $f 15) - $(cycle $f 10))")"
    done
    echo
    echo "One packing and one run each: a single slip sends such a bed another way."
} > "$page.new" && mv "$page.new" "$page"

# Below a micrometre in 1.5 s a settlement of hundredths of a millimetre per cycle can be told from creep.
for k in 4 ${FULL:+5}; do
    check "constant load, 1e-$k: µm in 1.5 s below 1" "1e6 * ($(at const$k $level 0.5) - $(at const$k $level 1e9)) < 1"
    check "constant load, 1e-$k: all steps solved" "$(unsolved const$k) == 0"
done
check "cycles, 1e-4: all steps solved" "$(unsolved tol4) == 0"
check "concave: less in cycles 10 to 15 than in 5 to 10" "$(cycle tol4 15) - $(cycle tol4 10) < $(cycle tol4 10) - $(cycle tol4 5)"
check "more with the load" "$(cycle high 15) > $(cycle tol4 15)"
check "more with the frequency" "$(cycle fast 15) > $(cycle tol4 15)"
check "less after compaction" "$(cycle comp 15) < $(cycle tol4 15)"

if [ -n "${FULL:-}" ]; then
    "$MORAINE" track long2d.yaml --dimension 2 --depth 0.4 --half-length 0.84 --cycles 10000 --max-load 20 --force >/dev/null && run long2d
    "$MORAINE" track long3d.yaml --slice 0.4 --cycles 1000 --max-load 15 --force >/dev/null && run long3d
    "$MORAINE" track wide3d.yaml --slice 1.1 --cycles 200 --max-load 30 --force >/dev/null && run wide3d
    for n in long2d long3d wide3d; do
        check "$n: all steps solved" "$(unsolved $n) == 0"
        r2=$(awk -F'[:,]' '/"law": "log"/ { on = 1 } on && /"r2"/ { print $2; exit }' $n/settle/settle.json)
        check "$n: log law, R2" "$r2 > 0.9"
    done
fi
exit $failed
