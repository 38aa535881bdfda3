#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every engine for a long time, all side by side: memory (RSS) every ten seconds, and the ledger at
# the end. A breach is: memory that grows by more than a tenth and 4 MiB after the first tenth of
# the time, a ledger that does not close to 1e-3 of what was lost (smooth: the order of its scheme;
# hard grains: 1e-9), a quasi-static run whose stress is 1e-3 off, a run that ended by itself, a
# trajectory that cannot be read.
#   tools/soak.sh [--seconds N] [RUN…]    default 3600 s; runs: smooth flow nonsmooth event
#                                         quasistatic; MORAINE names the command
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=3600 runs=()
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=${2:?a number} && shift ;;
    -*) sed -n '8s/^# //p' "$0" >&2 && exit 2 ;;
    *) runs+=("$1") ;;
    esac
    shift
done
[ ${#runs[@]} -gt 0 ] || runs=(smooth flow nonsmooth event quasistatic)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# a copy: the tree may be built again meanwhile
cp "$(realpath "${MORAINE:-build/release/moraine}")" "$work/moraine"
moraine=$work/moraine
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} OMP_WAIT_POLICY=passive

shaken() { # method, interaction, output
    cat <<YAML
moraine: 1
method: $1
materials: {g: {density: 2500 kg/m3, young: 5 MPa, poisson: 0.25}}
interactions: [{between: any, $2}]
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
output: {$3, probes: [kinetic-energy]}
YAML
}
scene_smooth() {
    shaken smooth 'law: hertz-mindlin, restitution: 0.5, friction: 0.4' \
        'every: 100 ms, contacts: true, checkpoint-every: 100 ms, probes-every: 10 ms'
    # the ledger is open by the square of the step: 1.4e-3 at the default of 0.1, a quarter at half of it
    echo 'time-step: {fraction: 0.05}'
}
scene_nonsmooth() {
    shaken nonsmooth 'law: rigid, restitution: 0.3, friction: 0.4' \
        'every: 50 ms, contacts: true, checkpoint-every: 50 ms, probes-every: 10 ms'
}
scene_event() {
    shaken event 'law: rigid, restitution: 0.9, friction: 0.1' \
        'every: 10 s, checkpoint-every: 5 s, probes-every: 1 s'
}
# grains that come and go: numbers and places of bodies are used again and again
scene_flow() {
    cat <<YAML
moraine: 1
materials: {g: {density: 2500 kg/m3}}
interactions: [{between: any, law: linear, contact-time: 0.7 ms, restitution: 0.5, friction: 0.4}]
bodies:
  - {name: balls, shape: {sphere: {diameter: {uniform: [5 mm, 6 mm]}}}, count: 1000000, velocity: [0, 0, -0.8 m/s],
     place: {inlet: {box: [[0, 0, 9 cm], [5 cm, 5 cm, 11 cm]], rate: 400 1/s}}}
walls: [{name: chute, plane: {point: [0, 0, 0], normal: [0.3, 0, 1]}}]
outlets: [{name: drain, above: {axis: x, value: 12 cm}}]
gravity: [0, 0, -9.81]
time-step: {fraction: 0.025}
stages: [{name: flow, until: {time: 1e6 s}}]
output: {every: 500 ms, checkpoint-every: 100 ms, probes-every: 10 ms, probes: [groups.balls.count]}
YAML
}
scene_quasistatic() {
    cat <<YAML
moraine: 1
dimension: 2
seed: 5
materials: {steel: {density: 7800 kg/m3}}
interactions:
  - {between: any, law: linear, normal-stiffness: 1e7 N/m, stiffness-ratio: 0.5, restitution: 0.3, friction: 0}
bodies: [{name: rods, shape: {disk: {diameter: {uniform: [6 mm, 12 mm]}}}, count: 100,
  place: {fill: {box: [[0, 0], [9.2 cm, 9.2 cm]]}}}]
cell: {periodic: [x, y], size: [9.2 cm, 9.2 cm]}
time-step: {fraction: 0.2}
stages:
  - name: press
    cell: {control: {isotropic: 1 kPa, max-rate: 20 1/s}}
    damping: {local: 0.5}
    until: {probe: {name: pressure, above: 995 Pa}, unbalanced-force-ratio: 5e-3}
    at-most: 3 s
  - name: rest
    interactions: [{between: any, friction: 0.25}]
    damping: {local: 0.7}
    until: {unbalanced-force-ratio: 1e-6, probe: {name: pressure, above: 995 Pa}}
    at-most: 1 s
  - name: load
    method: quasistatic
    cell: {control: {xx: {stress: 1 kPa}, yy: {stress: "1000*(1 + 0.2*sin(2*pi*s))"}}}
    quasistatic: {increments: 4000000}
    until: {time: 100000 s}
    output: {every: 1 s, probes-every: 100 ms, checkpoint-every: 250 ms}
output: {every: 1 s, probes-every: 100 ms, probes: [stress.xx, stress.yy, strain.xx]}
YAML
}

declare -A pid first last most cpu
for r in "${runs[@]}"; do
    "scene_$r" >"$work/$r.yaml" || exit 2
    (cd "$work" && exec "$moraine" run $r.yaml --out $r -q >$r.log 2>&1) &
    pid[$r]=$! first[$r]=0 last[$r]=0 most[$r]=0 cpu[$r]=0
done
for ((begun = SECONDS, t = 0; t < seconds; t = SECONDS - begun)); do # a busy machine sleeps longer
    sleep $((seconds - t < 10 ? seconds - t : 10))
    for r in "${runs[@]}"; do
        rss=$(awk '/VmRSS/ { print $2 }' /proc/${pid[$r]}/status 2>/dev/null)
        [ "${rss:-0}" -gt 0 ] || continue
        [ $t -gt $((seconds / 10)) ] || first[$r]=$rss
        last[$r]=$rss
        cpu[$r]=$(awk '{ print int(($14 + $15) / 100) }' /proc/${pid[$r]}/stat 2>/dev/null)
        [ "$rss" -le ${most[$r]} ] || most[$r]=$rss
        [ -z "${SOAK_LOG:-}" ] || echo "$t $r $rss" >>"$SOAK_LOG"
    done
done
bad=0
for r in "${runs[@]}"; do
    kill -TERM ${pid[$r]} 2>/dev/null
    wait ${pid[$r]}
    code=$?
    "$moraine" export "$work/$r" --format csv --out "$work/table.csv" --stride 1000 >"$work/export.log" 2>&1 || code=9
    python3 - "$r" "$work/$r" "$code" "$seconds" "${first[$r]}" "${last[$r]}" "${most[$r]}" \
        "${cpu[$r]:-0}" <<'PY' || bad=1
import json, sys
run, folder, code, seconds, first, last, most, cpu = sys.argv[1:3] + [int(a) for a in sys.argv[3:]]
s = json.load(open(folder + '/summary.json'))
e = s['energies']
bound = {'smooth': 1e-3, 'flow': 1e-3, 'nonsmooth': 1e-9, 'event': 1e-9}.get(run)
if bound:
    off = abs(e['residual']) / max(abs(e['dissipated']), 1e-300)
    what = 'ledger open by %.1e of what was lost' % off
else:
    bound = 1e-3
    off = max(abs(v['relative-error']) for v in s['stages'][-1]['servos'])
    what = 'stress off by %.1e' % off
wrong = code != 1 or s['status'] != 'interrupted' or off > bound or last > first + first // 10 + 4096
print('%-12s %5d s   simulated %.6g s, %d steps, %d frames   RSS %d -> %d kB (most %d)   %s   cpu %d s   exit %d%s' % (
    run, seconds, s['time'], s['step'], s['frames'], first, last, most, what,
    cpu, code, '   BREACH' if wrong else ''))
sys.exit(wrong)
PY
done
exit $bad
