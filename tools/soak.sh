#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One engine after another for a long time: memory (RSS) every ten seconds, and the ledger at the
# end. A run whose memory grows by more than a tenth after its first tenth, or whose ledger does not
# close to 1e-3 of what it lost, is a breach.
#   tools/soak.sh [--seconds N] [METHOD…]    default 3600 s each; MORAINE names the command
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=3600 methods=()
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=${2:?a number} && shift ;;
    -*) sed -n '6s/^# //p' "$0" >&2 && exit 2 ;;
    *) methods+=("$1") ;;
    esac
    shift
done
[ ${#methods[@]} -gt 0 ] || methods=(smooth nonsmooth event)
moraine=$(realpath "${MORAINE:-build/release/moraine}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
declare -A law=([smooth]='law: hertz-mindlin, restitution: 0.5, friction: 0.4'
    [nonsmooth]='law: rigid, restitution: 0.3, friction: 0.4'
    [event]='law: rigid, restitution: 0.9, friction: 0.1')
for m in "${methods[@]}"; do
    cat >"$work/$m.yaml" <<EOF
moraine: 1
method: $m
materials: {g: {density: 2500 kg/m3, young: 5 MPa, poisson: 0.25}}
interactions: [{between: any, ${law[$m]}}]
bodies: [{name: g, shape: {sphere: {diameter: 5 mm}}, count: 200,
  place: {fill: {box: [[0, 0, 0], [6 cm, 6 cm, 8 cm]]}}}]
walls:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, motion: {shake: {amplitude: [0, 0, 3 mm], frequency: 12 Hz}}}
  - {name: left, plane: {point: [0, 0, 0], normal: [1, 0, 0]}}
  - {name: right, plane: {point: [6 cm, 0, 0], normal: [-1, 0, 0]}}
  - {name: front, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
  - {name: back, plane: {point: [0, 6 cm, 0], normal: [0, -1, 0]}}
gravity: [0, 0, -9.81]
stages: [{name: shake, until: {time: 1e6 s}}]
output: {every: 1 s, checkpoint-every: 2 s, probes-every: 50 ms, probes: [kinetic-energy]}
EOF
    "$moraine" run "$work/$m.yaml" --out "$work/$m" -q >"$work/log" 2>&1 &
    pid=$! first=0 last=0 most=0
    for ((t = 0; t < seconds; t += 10)); do
        sleep $((seconds - t < 10 ? seconds - t : 10))
        rss=$(awk '/VmRSS/ { print $2 }' /proc/$pid/status 2>/dev/null || echo 0)
        [ "${rss:-0}" -gt 0 ] || break
        [ $t -gt $((seconds / 10)) ] || first=$rss
        last=$rss
        [ "$rss" -le $most ] || most=$rss
    done
    kill -TERM $pid 2>/dev/null
    wait $pid
    code=$?
    ledger=$("$moraine" analyze "$work/$m" --json 2>/dev/null | grep -o '"residual": *[-0-9.e+]*' | head -1)
    time=$(sed -n 's/.*"time": *\([0-9.e+]*\).*/\1/p' "$work/$m/summary.json" | head -1)
    printf '%-10s %6d s   simulated %s s   RSS %d → %d kB (most %d)   %s   exit %d\n' "$m" "$seconds" \
        "${time:-?}" "$first" "$last" "$most" "${ledger:-}" "$code"
    [ $code -eq 1 ] && [ "$last" -le $((first + first / 10)) ] || bad=1
done
exit $bad
