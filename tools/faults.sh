#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What happens to runs when things go wrong: kill -9 at random moments, disks that fill at every
# k-th write, folders that cannot be written or vanish, damaged files, two runs in one folder,
# signals, a clock that jumps. A run either ends with the bits of one that nothing happened to, or
# says what is wrong; its files are whole. Prints a table; exit 1 at the first breach.
#   tools/faults.sh [--short] [--kills N] [--step N] [--method NAME]…    default 200 kills per method,
#                       every 7th write, all methods; MORAINE names the command
set -uo pipefail
cd "$(dirname "$0")/.."
kills=200 step=7 methods=()
while [ $# -gt 0 ]; do
    case $1 in
    --short) kills=1 step=80 ;;
    --kills) kills=${2:?a number} && shift ;;
    --step) step=${2:?a number} && shift ;;
    --method) methods+=("${2:?a name}") && shift ;;
    *) sed -n '7s/^# //p' "$0" >&2 && exit 2 ;;
    esac
    shift
done
moraine=$(realpath "${MORAINE:-build/release/moraine}")
layer_source=$(realpath tools/faults/layer.c)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
${CC:-cc} -D_GNU_SOURCE -shared -fPIC -O1 -o layer.so "$layer_source" -ldl || exit 2

breach() { printf 'BREACH: %s\n' "$*" >&2 && exit 1; }
row() { printf '%-34s %6d tried   %s\n' "$1" "$2" "$3"; }
hash_of() { sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' "$1/summary.json" 2>/dev/null | head -1; }

scene() { # method, law, shape, extra
    cat <<EOF
moraine: 1
method: $1
materials: {stone: {density: 2600 kg/m3, young: 5 MPa, poisson: 0.25}}
interactions: [{between: any, $2}]
bodies:
  - {name: stones, shape: {$3}, count: 40, place: {fill: {box: [[0, 0, 0], [4 cm, 4 cm, 6 cm]]}}}
walls: [{name: box, box: {corners: [[0, 0, 0], [4 cm, 4 cm, 8 cm]]}}]
gravity: [0, 0, -9.81]
stages: [{name: fall, until: {time: $4}}]
output: {every: 5 ms, contacts: true, checkpoint-every: 2 ms, probes: [kinetic-energy]}
$5
EOF
}
scene smooth 'law: hertz-mindlin, restitution: 0.6, friction: 0.5' 'sphere: {diameter: 8 mm}' \
    '60 ms' '' >smooth.yaml
scene nonsmooth 'law: rigid, restitution: 0.3, friction: 0.5' \
    'polyhedron: {regular: cube, diameter: 8 mm}' '100 ms' 'time-step: 0.2 ms' >nonsmooth.yaml
scene event 'law: rigid, restitution: 0.9, friction: 0.1' 'sphere: {diameter: 6 mm}' '60 ms' '' \
    >event.yaml
# sixteen disks in a cell, pressed to and fro without inertia
cat >quasistatic.yaml <<EOF
moraine: 1
dimension: 2
method: quasistatic
materials: {disk: {density: 2500 kg/m3}}
interactions: [{between: any, law: linear, normal-stiffness: 1e4 N/m, stiffness-ratio: 0.5, restitution: 0.5, friction: 0.3}]
cell: {periodic: [x, y], size: [39.9 mm, 34.555 mm], control: {xx: {stress: 45 Pa}, yy: {stress: "45*(1 + 0.2*sin(2*pi*s))"}}}
stages: [{at-most: 1 s, quasistatic: {increments: 400}}]
bodies: [{name: disks, shape: {disk: {diameter: 1 cm}}, place: {list: [
  $(for y in 4.3 21.5775; do
    for x in 2.5 12.475 22.45 32.425; do printf '[%s mm, %s mm], ' $x $y; done
done
for y in 12.93875 30.21625; do
    for x in 7.4875 17.4625 27.4375 37.4125; do printf '[%s mm, %s mm], ' $x $y; done
done)]}}]
output: {every: 50 ms, contacts: true, checkpoint-every: 20 ms, probes: [stress.yy]}
EOF
[ ${#methods[@]} -gt 0 ] || methods=(smooth nonsmooth event quasistatic)
declare -A right
for m in "${methods[@]}"; do
    "$moraine" run $m.yaml --out ref-$m -q || breach "the reference run of $m"
    right[$m]=$(hash_of ref-$m)
    [ -n "${right[$m]}" ] || breach "no hash of $m"
done

# To the end, by as many resumes as it takes.
go_on() { # method, folder
    local how=--force
    [ -f "$2/checkpoint.h5" ] && how=--resume
    "$moraine" run "$1.yaml" --out "$2" -q $how >log 2>&1 || breach "$1: resume: $(head -3 log)"
    [ "$(hash_of "$2")" = "${right[$1]}" ] || breach "$1: other bits after a resume"
    "$moraine" export "$2" --format csv --out table.csv >log 2>&1 ||
        breach "$1: the trajectory after a resume: $(head -3 log)"
}

n=0
for m in "${methods[@]}"; do
    for ((i = 0; i < kills; i++)); do
        rm -rf k
        "$moraine" run $m.yaml --out k -q 2>/dev/null &
        pid=$!
        sleep "0.$(printf '%03d' $((RANDOM % 400)))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        go_on $m k
        n=$((n + 1))
    done
done
row 'kill -9, then resume' $n 'same bits, files whole'

n=0
for m in "${methods[@]}"; do
    for error in 28 5; do # ENOSPC, EIO
        for ((k = 1; k < 200; k += step)); do
            rm -rf d
            LD_PRELOAD=$work/layer.so MRN_FAIL_WRITE=$k MRN_FAIL_ERRNO=$error \
                "$moraine" run $m.yaml --out d -q >log 2>&1
            code=$?
            [ $code -le 2 ] || breach "$m: writes fail from $k on: code $code"
            [ $code -ne 0 ] || [ "$(hash_of d)" = "${right[$m]}" ] || breach "$m: $k: wrong success"
            [ $code -eq 0 ] || [ -s log ] || breach "$m: $k: not a word"
            [ $code -eq 0 ] || [ $error -ne 28 ] || grep -q 'No space' log ||
                breach "$m: $k: not told that the disk is full: $(head -2 log)"
            [ -f d/checkpoint.h5 ] && go_on $m d
            n=$((n + 1))
        done
    done
done
row 'writes fail from the k-th on' $n 'told; goes on with the same bits'

n=0
mkdir ro && chmod 555 ro
nobody=() # to root every folder can be written
[ "$(id -u)" -ne 0 ] || nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if command -v "${nobody[0]:-true}" >/dev/null; then
    chmod 755 .
    cp "$moraine" ./moraine # where it lies others may not go
    "${nobody[@]}" ./moraine run smooth.yaml --out ro/x -q 2>log
    [ $? -eq 2 ] && grep -q 'Permission denied' log || breach "a folder that cannot be written: $(head -2 log)"
    cp -r ref-smooth locked && chmod -R a+rX,a-w locked
    "${nobody[@]}" ./moraine run smooth.yaml --out locked -q --force 2>log
    [ $? -eq 2 ] && cmp -s locked/checkpoint.h5 ref-smooth/checkpoint.h5 || breach "a run that cannot be written: $(head -2 log)"
    n=2
fi
"$moraine" run smooth.yaml --out gone -q --set 'time-step=1 us' >log 2>&1 &
pid=$!
while [ ! -f gone/trajectory.h5 ]; do sleep 0.01; done
rm -rf gone 2>/dev/null || rm -rf gone
wait $pid
[ $? -ne 0 ] || breach 'the folder vanished and the run ended well'
row 'folders read-only, vanishing' $((n + 1)) 'told, nothing lost'

[ "${methods[0]}" = smooth ] || exit 0 # what follows is the same for all
n=0
size=$(stat -c %s ref-smooth/checkpoint.h5)
for ((at = 0; at < size; at += size / (600 / step) + 1)); do
    rm -rf f && cp -r ref-smooth f
    head -c $at ref-smooth/checkpoint.h5 >f/checkpoint.h5
    "$moraine" analyze f >log 2>&1
    [ $? -eq 2 ] || breach "a checkpoint cut at $at"
    cp ref-smooth/checkpoint.h5 f/ && chmod u+w f/checkpoint.h5
    printf '\x5a\xa5' | dd of=f/checkpoint.h5 bs=1 seek=$at conv=notrunc status=none
    "$moraine" analyze f >log 2>&1
    [ $? -le 2 ] || breach "a checkpoint changed at $at"
    cp ref-smooth/trajectory.h5 f/
    printf '\x5a\xa5' | dd of=f/trajectory.h5 bs=1 seek=$at conv=notrunc status=none
    timeout 30 "$moraine" export f --format csv --out table.csv >log 2>&1
    [ $? -le 2 ] || breach "a trajectory changed at $at"
    n=$((n + 3))
done
row 'cut and changed files' $n 'refused, no crash'

"$moraine" run smooth.yaml --out two -q --set 'time-step=1 us' 2>/dev/null &
pid=$!
while [ ! -f two/trajectory.h5 ]; do sleep 0.01; done
for how in --force --resume; do
    "$moraine" run smooth.yaml --out two -q $how 2>log
    [ $? -eq 2 ] || breach "a second run with $how"
done
kill -TERM $pid
wait $pid
[ $? -eq 1 ] && [ -f two/checkpoint.h5 ] || breach 'SIGTERM'
row 'two runs in one folder' 2 'the second refused'
n=0
for s in INT TERM HUP XCPU; do
    rm -rf s
    # under nohup, or in the background, a signal may come in ignored
    env --default-signal=INT,TERM,HUP,XCPU "$moraine" run smooth.yaml --out s -q --set 'time-step=1 us' \
        2>/dev/null &
    pid=$!
    while [ ! -f s/trajectory.h5 ]; do sleep 0.01; done
    kill -$s $pid
    wait $pid
    code=$?
    { [ $code -eq 1 ] && [ -f s/checkpoint.h5 ]; } || breach "SIG$s: code $code"
    n=$((n + 1))
done
row 'signals' $n 'checkpoint, exit 1'
n=0
for m in "${methods[@]}"; do
    LD_PRELOAD=$work/layer.so MRN_FAIL_CLOCK=1 timeout 60 "$moraine" run $m.yaml --out c-$m -q \
        >log 2>&1 || breach "$m: a clock that jumps: $(head -2 log)"
    [ "$(hash_of c-$m)" = "${right[$m]}" ] || breach "$m: other bits when the clock jumps"
    n=$((n + 1))
done
row 'a clock that jumps by hours' $n 'same bits'
