#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages show what the command prints, and every command on them is accounted for: run here, run in `make validate` (--long),
# or not run, with the reason, which is printed. A command that is none of these is an error. Blocks of "$ command" and what it prints are run in the order of the page, in a
# folder of its own, and every line shown must be printed, in this order; what depends on the machine (times, speeds, how
# often a run tells of itself) is left out. Blocks of commands alone must be accepted: here runs are checked, not made
# (`moraine check`), and what reads their files is left to --long.
#   tools/check-docs.sh [MORAINE]             quick blocks of all pages: seconds each; exit 1 and the lines not printed
#   tools/check-docs.sh --long [MORAINE] [PAGE…]   all blocks, an hour; in `make validate`. With DONE=FOLDER a page that
#       passed is marked there, and not run again until the page, an example it names, or what the command answers is another
#   tools/check-docs.sh MORAINE PAGE COMMANDS   that page alone: of commands with output what matches COMMANDS
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
long=0
[ "${1:-}" = --long ] && long=1 && shift
moraine=$(realpath "${1:-$top/build/release/moraine}")
[ -x "$moraine" ] || { echo "$moraine is not there; build it, or name another" >&2 && exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$moraine" "$work/bin/moraine"
export PATH=$work/bin:$PATH MORAINE_EXAMPLES=$top/examples OMP_NUM_THREADS=1
# An empty folder with what a clone has, as the reader of a page begins.
begin() {
    rm -rf "$work/at" && mkdir -p "$work/at/tests" && cd "$work/at"
    ln -s "$top/examples" examples
    ln -s "$top/tests/validate" tests/validate
    rm -f "$work"/block.*
}

# Scenes of a page: a block of YAML that begins with "moraine: 1", called as the last name in backticks before it.
scenes() {
    awk '/^```/ { if (inside) { inside = 0 } else if ($0 == "```yaml") { inside = 1; first = 1 }; next }
         inside { if (first && $0 == "moraine: 1" && name != "") file = name; else if (first) file = ""
                  first = 0; if (file != "") print > file; next }
         { while (match($0, /`[a-z-]+\.yaml`/)) { name = substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }' "$1"
}
# Commands of a page, one file each, with the lines shown below them.
commands() {
    awk -v at="$work/block" '
        /^```/ { inside = $0 == "```text" && !inside; more = 0; file = ""; next }
        !inside { next }
        more { sub(/^ +/, ""); more = sub(/\\$/, ""); printf "%s%s", $0, more ? "" : "\n" > file; next }
        /^\$ / { file = sprintf("%s.%03d", at, ++n); sub(/^\$ /, ""); more = sub(/\\$/, "")
                 printf "%s%s", $0, more ? "" : "\n" > file; next }
        file != "" && $0 != "" && $0 !~ /^ *…$/ && $0 !~ /wall time|^  memory |^  factorisation |  speed |pixels,|threads work|^ *[0-9.]+ [nµm]*s  +[0-9]/ {
            sub(/ +$/, ""); print > (file ".lines") }' "$1"
}
# Commands of blocks that show no output, a line each: those of sh and of blocks without a language. "…" and words in
# capitals (SCENE, FILE.yaml, NAME) stand for something: such lines are no commands to be run. What looks at runs is
# tried by tests/app/test_looking.c: on pages the runs are the reader's, and a viewer waits. A command that ends with 1, as
# its remark says ("# … exit code 1"), is marked with "! ".
plain_commands() {
    awk '/^```/ { fenced = !fenced; inside = fenced && ($0 == "```sh" || $0 == "```"); more = 0; next }
         !inside { next }
         more { sub(/^ +/, " "); more = sub(/\\$/, ""); printf "%s%s", $0, more ? "" : "\n"; next }
         /^(moraine|make|cmake|cc|python3?|pip|ninja|git|apt(-get)?|tools\/[a-z.-]+|[A-Z_]+=[^ ]+|\/usr\/bin\/[a-z0-9]+) / {
             if (/ # .*exit code 1/) printf "! "
             more = sub(/\\$/, ""); sub(/ +# .*/, ""); printf "%s%s", $0, more ? "" : "\n" }' "$1"
}
# Why a command is not run by this script, in either way; nothing: it is.
reason() { # page, command
    case "$1 $2" in
    *' '*[[:space:]]SCENE* | *FILE.yaml* | *' scene.yaml'* | *' NAME'* | */NAME* | *out/scene* | *out/packing* | *' list them') echo 'stands for a file of the reader' ;;
    *'moraine view '* | *' --view') echo 'waits for a browser: tools/test-page.sh, tests/app/test_looking.c' ;;
    *docs/viewing.md' moraine '[pr]*) echo 'looks at runs of the reader: tests/app/test_looking.c' ;;
    *' make demo' | *' moraine demo') echo 'tests/app/test_examples.c; from an empty machine by hand' ;;
    *' make '*) echo 'is what runs this' ;;
    *' cc '* | *examples/embedding*' cmake '*) echo 'tools/test-embedding.sh' ;;
    *examples/python/README.md' '* | *docs/python.md' '*) echo 'tools/test-python.sh' ;;
    *how-to-add-a-law.md' '* | *how-to-add-a-solver.md' '* | *how-to-add-a-shape.md'  '*mill.yaml*) echo 'code that the page adds: tools/try-howto.py in make validate' ;;
    *how-to-add-a-shape.md*mill.yaml*) echo 'stands for a file of the reader' ;;
    *docs/solvers.md*problems/* | *docs/solvers.md*box.hdf5* | *docs/solvers.md*--repeat*) echo 'problems of other codes, or times of a machine: tools/compare-siconos.sh, tests/app/test_solve.c' ;;
    *docs/quasistatic.md*'import dump'* | *docs/quasistatic.md*'analyze pack '*) echo 'a file of another program: tests/app/test_import.c' ;;
    *) ;;
    esac
}
bad=0 n=0 earlier=0
complain() { # page, command, lines on stdin
    bad=1
    echo "${1#"$top/"}: $2"
    sed 's/^/    /'
}
check() { # page, commands that are quick
    begin
    scenes "$1"
    commands "$1"
    # runs that a page takes for granted
    for name in $(cat "$work"/block.??? 2>/dev/null | grep -oE 'analyze out/moduli-of-a-packing' | sort -u | sed 's/.*out.//'); do
        [ $long = 0 ] || moraine run "examples/$name/scene.yaml" -q
    done
    for block in "$work"/block.???; do
        [ -f "$block" ] || continue
        if [ $long = 0 ]; then
            grep -Eq "$2" "$block" || continue
        elif [ -n "$(reason "${1#"$top/"}" "$(cat "$block")")" ]; then
            continue
        fi
        n=$((n + 1))
        touch "$block.lines"
        bash "$block" 2>&1 | sed 's/ *$//' >"$work/printed" || true
        [ -z "${KEEP:-}" ] || { cat "$block" "$work/printed" >"$KEEP/$(tr / - <<<"${1#"$top/"}").${block##*.}"; }
        awk 'NR == FNR { out[++n] = $0; next }
             { for (k = p + 1; k <= n && out[k] != $0; k++) {}
               if (k > n) print "not printed: " $0; else p = k }' "$work/printed" "$block.lines" >"$work/missing"
        [ ! -s "$work/missing" ] || complain "$1" "$(cat "$block")" <"$work/missing"
    done
}
# Does the run of an example, as it is, warn of something?
warns() { # command
    [[ $1 =~ ^moraine\ (run|check\ --trial\ 0)\ examples/[a-z0-9-]+/[a-z]+\.yaml$ ]] && grep -q '^  warning' "$work/printed"
}
# A run is checked instead of made; other commands are tried where they need no run.
accept() { # page
    begin
    scenes "$1"
    plain_commands "$1" >"$work/plain"
    while read -r line; do
        ends=0
        [[ $line != '! '* ]] || { line=${line#! } ends=$long; }
        [ -z "$(reason "${1#"$top/"}" "$line")" ] || continue
        if [ $long = 0 ]; then
            case $line in
            'moraine run '*) line=$(sed -E "s/^moraine run/moraine check --trial 0/; s/ --method ([a-z]+)/ --set method=\1/; s/ --out [^ ]+//; s/ -q( |$)/ /; s/ --fclib-at [^ ]+//" <<<"$line") ;;
            'moraine collide '* | 'moraine schema '* | 'moraine track '* | 'moraine sieve '* | *' --plan') ;;
            *) continue ;;
            esac
        fi
        n=$((n + 1))
        code=0
        bash -c "$line" >"$work/printed" 2>&1 </dev/null || code=$?
        [ $code = $ends ] || complain "$1" "$line" < <(tail -5 "$work/printed" && echo "exit code $code, not $ends")
        ! warns "$line" || complain "$1" "$line" < <(grep '^  warning' "$work/printed" && echo 'an example as it is warns of nothing')
    done <"$work/plain"
}
# What the command answers: hashes of states after the first steps of every example and law, and what collide prints of
# every experiment. A command that was only built anew, made faster or given another text keeps the marks; one that computes
# something else does not. What comes up only later in a run (a warning at its end) is not seen by this: a run of the whole
# from the beginning (without RESUME) takes the marks away.
answers() {
    local scene
    begin
    for scene in examples/*/scene.yaml "$top/tests/bits/laws.yaml"; do
        moraine run "$scene" --max-steps 1000 --quiet --force --out "$work/answer" >"$work/printed" 2>&1 || true
        echo "${scene#"$top/"} $(sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$work/answer/summary.json" 2>/dev/null || tail -1 "$work/printed")"
        rm -rf "$work/answer"
    done
    for scene in examples/*/experiment.yaml; do
        moraine collide "$scene" 2>&1 | grep -v ' s$' || true
    done
}
# What the outcome of a page hangs on: these answers, the page, the examples it names (a page of an example: its folder).
key_of() { # page
    {
        echo "$answered"
        cat "$top/$1"
        { grep -oE 'examples/[a-z0-9-]+' "$top/$1" || true; grep -oE '^examples/[a-z0-9-]+' <<<"$1" || true; } | sort -u |
            while read -r folder; do
                find "$top/$folder" -type f ! -name '*.png' ! -name README.md -exec sha256sum {} + | sed 's/ .*//' | sort
            done
    } | sha256sum | cut -d' ' -f1
}
pages() {
    local wanted=("$@") key mark before began
    [ $long = 0 ] || [ -z "${DONE:-}" ] || answered=$(answers | sha256sum)
    [ ${#wanted[@]} -gt 0 ] || wanted=("${all[@]}")
    for page in "${wanted[@]}"; do
        [ -f "$top/$page" ] || { complain "$page" "no such page" </dev/null && continue; }
        if [ $long = 1 ] && [ -n "${DONE:-}" ]; then
            key=$(key_of "$page") mark=$DONE/$(tr / - <<<"$page")
            if [ "$(head -1 "$mark" 2>/dev/null)" = "$key" ]; then
                n=$((n + $(tail -1 "$mark"))) earlier=$((earlier + 1))
                continue
            fi
        fi
        before=$n wrong=$bad bad=0 began=$SECONDS
        check "$top/$page" "$(quick "$page")" && accept "$top/$page"
        [ -z "${mark:-}" ] || [ $bad = 1 ] || { mkdir -p "$DONE" && printf '%s\n%d\n' "$key" $((n - before)) >"$mark"; }
        [ $long = 0 ] || echo "-- $page: $((n - before)) blocks, $((SECONDS - began)) s$([ $bad = 0 ] || echo ', NOT AS SHOWN')"
        bad=$((bad | wrong))
    done
    return 0
}
# Of commands whose output is shown: those that take seconds.
quick() { # page
    case $1 in
    docs/tutorial.md) echo 'ball\.yaml|disks|diff press' ;;
    README.md) echo 'matrials|block-wall' ;;
    docs/lab.md) echo 'kharaz/experiment.yaml --|examples copy|sensitivity|--plan' ;;
    docs/solvers.md) echo 'problems wall' ;;
    docs/how-to-add-a-shape.md) echo 'shapes ball' ;;
    *) echo '^never$' ;;
    esac
}
# Every command of every page, and what becomes of it.
account() {
    local page line why n=0 here=0 later=0
    : >"$work/reasons"
    for page in "${all[@]}"; do
        begin
        commands "$top/$page"
        { for block in "$work"/block.???; do [ ! -f "$block" ] || { printf 'S ' && cat "$block"; }; done
          plain_commands "$top/$page" | sed 's/^! //; s/^/P /'; } >"$work/lines"
        while read -r kind line; do
            n=$((n + 1))
            why=$(reason "$page" "$line")
            case $kind$line in
            *) [ -z "$why" ] || { echo "$why" >>"$work/reasons" && continue; } ;;&
            [SP]moraine\ *) ;;
            *) complain "$page" "$line" <<<'neither run nor left out for a reason (reason() in tools/check-docs.sh)' && continue ;;
            esac
            if [ "$kind" = S ] && grep -Eq "$(quick "$page")" <<<"$line"; then
                here=$((here + 1))
            elif [ "$kind" = P ] && grep -Eq '^moraine (run|collide|schema|track|sieve) | --plan$' <<<"$line"; then
                here=$((here + 1))
            else
                later=$((later + 1))
            fi
        done <"$work/lines"
    done
    echo "$n commands on ${#all[@]} pages: $here run here (runs of scenes checked), $later in \`make validate\` with all of these, $(wc -l <"$work/reasons") not run:"
    sort "$work/reasons" | uniq -c | sort -rn | sed 's/^ *\([0-9]*\) /  \1  /'
}
cd "$top"
all=(README.md docs/*.md examples/README.md examples/*/README.md)
if [ $long = 0 ] && [ $# -gt 1 ]; then
    check "$2" "$3"
    accept "$2"
else
    [ $# = 0 ] || shift
    [ $# -gt 0 ] || account
    [ $# -gt 0 ] || "$top/tools/try-howto.py" --shown || bad=1
    pages "$@"
    [ $# -gt 0 ] || [ $n -ge 60 ] || { echo "$n blocks found: the pages or this script have changed" && exit 1; }
fi
[ $earlier = 0 ] || echo "$earlier pages had passed before, with a command of the same answers"
[ $bad = 1 ] || echo "$n blocks of the pages are what is printed"
exit $bad
