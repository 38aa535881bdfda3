# SPDX-License-Identifier: GPL-3.0-or-later
# For parts of the validation that run scenes of `moraine track` (sourced after validate-lib.sh): runs in RUNS that are
# made once, and numbers of them.
runs=${RUNS:-$(mktemp -d /tmp/moraine-ballast-XXXXXX)}
mkdir -p "$runs" && cd "$runs" || exit

# run NAME [more arguments]: NAME.yaml, once
run() {
    local n=$1; shift
    [ -e "$n.done" ] && return
    /usr/bin/time -f %U -o "$n.time" "$MORAINE" run "$n.yaml" --out "$n" --threads 1 --force --quiet "$@" && touch "$n.done"
}
# cycles NAME HERTZ: its settlement, once
cycles() {
    [ -e "$1/settle/cycles.csv" ] || "$MORAINE" settle "$1" --frequency "$2" --quiet --stage load --no-pictures
}
# at NAME COLUMN WHEN [STAGE]: WHEN seconds after the first row of the stage (a large number: its last row)
at() {
    awk -F, -v column="$2" -v when="$3" -v stage="${4:-load}" '
        NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); if ($i == column) c = i; if ($i == "stage") s = i }; next }
        $s == stage { if (first == "") first = $1; if ($1 - first <= when + 1e-9) v = $c }
        END { printf "%.9g", v }' "$1/probes.csv"
}
# cycle NAME N: settlement after N cycles, m
cycle() { awk -F, -v n="$2" '$1 == n { printf "%.9g", $2 }' "$1/settle/cycles.csv"; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }
seconds() { tail -n 1 "$1.time"; }
unsolved() { calc %d "$(at "$1" unsolved 1e9) - $(at "$1" unsolved 0)"; }
steps() { at "$1" step 1e9 "${2:-load}"; }
# load_steps NAME and worst NAME: steps under load, and the largest residual left in one (runs that tell every step)
load_steps() { grep -c ',load,' "$1/probes.csv"; }
worst() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "residual") c = i; next } $3 == "load" && $c > v { v = $c } END { printf "%.1e", v }' "$1/probes.csv"; }
stones_of() { "$MORAINE" sieve "$1.yaml" | awk 'NR == 1 { print $1 }'; }
points_of() { json "$1/summary.json" contact-points; }
# mean of the sweeps in the steps under load that the table of a run tells of
mean_sweeps() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "sweeps") c = i; next } $3 == "load" { s += $c; n++ } END { printf "%.0f", s / n }' "$1/probes.csv"; }
# json FILE KEY: the first number under that key
json() { awk -F'[:,]' -v key="\"$2\"" 'index($0, key) { print $2 + 0; exit }' "$1"; }
# of FILE LAW KEY: of one law of settle.json
of() { awk -F'[:,]' -v law="\"law\": \"$2\"" -v key="\"$3\"" 'index($0, law) { on = 1 } on && index($0, key) { print $2 + 0; exit }' "$1"; }
# parameter FILE LAW NAME: its value
parameter() { awk -F'[:,]' -v law="\"law\": \"$2\"" -v name="\"$3\":" 'index($0, law) { on = 1 } on && index($0, name) { here = 1 } here && /"value"/ { print $2 + 0; exit }' "$1"; }
# gone NAME N: settlement of a long run after N cycles
gone() { awk -F, -v n="$2" '$1 == n { print $2 }' "$1-settle/cycles.csv"; }
mean() { awk 'BEGIN { for (i = 1; i < ARGC; i++) s += ARGV[i]; printf "%.6g", s / (ARGC - 1) }' "$@"; }
track() { "$MORAINE" track "$@" >/dev/null || exit; } # FILE OPTIONS
