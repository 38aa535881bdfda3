#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages show what the command prints. Blocks of "$ command" and what it prints are run in the order of the page, in a
# folder of its own, and every line shown must be printed, in this order; what depends on the machine (times, speeds, how
# often a run tells of itself) is left out. Blocks of commands alone must be accepted: here runs are checked, not made
# (`moraine check`), and what reads their files is left to --long.
#   tools/check-docs.sh [MORAINE]             quick blocks of all pages: seconds each; exit 1 and the lines not printed
#   tools/check-docs.sh --long [MORAINE] [PAGE…]   all blocks, an hour; in `make validate`
#   tools/check-docs.sh MORAINE PAGE COMMANDS   that page alone, what matches COMMANDS
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
        file != "" && $0 != "" && $0 !~ /^ *…$/ && $0 !~ /wall time|^  memory |  speed |pixels,|threads work|^ *[0-9.]+ [nµm]*s  +[0-9]/ {
            sub(/ +$/, ""); print > (file ".lines") }' "$1"
}
# Commands of blocks that show no output, a line each: those of sh and of blocks without a language. "…" and words in
# capitals (SCENE, FILE.yaml, NAME) stand for something: such lines are no commands to be run. What looks at runs is
# tried by tests/app/test_looking.c: on pages the runs are the reader's, and a viewer waits.
plain_commands() {
    awk '/^```/ { inside = !inside && ($0 == "```sh" || $0 == "```"); more = 0; next }
         !inside { next }
         more { sub(/^ +/, " "); more = sub(/\\$/, ""); printf "%s%s", $0, more ? "" : "\n"; next }
         /^moraine / { more = sub(/\\$/, ""); sub(/ +# .*/, ""); printf "%s%s", $0, more ? "" : "\n" }' "$1" |
        { grep -vE ' (SCENE|FILE\.yaml|scene\.yaml|NAME)( |$)|/NAME|out/scene|out/packing| list them$|^moraine demo$|^moraine (view|plot|report|profile) | --view$' || true; }
}
bad=0 n=0
complain() { # page, command, lines on stdin
    bad=1
    echo "${1#"$top/"}: $2"
    sed 's/^/    /'
}
check() { # page, commands that are quick, commands that are never run
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
        elif grep -Eq "${3:-^$}" "$block"; then
            continue
        fi
        n=$((n + 1))
        touch "$block.lines"
        bash "$block" 2>&1 | sed 's/ *$//' >"$work/printed" || true
        awk 'NR == FNR { out[++n] = $0; next }
             { for (k = p + 1; k <= n && out[k] != $0; k++) {}
               if (k > n) print "not printed: " $0; else p = k }' "$work/printed" "$block.lines" >"$work/missing"
        [ ! -s "$work/missing" ] || complain "$1" "$(cat "$block")" <"$work/missing"
    done
}
# A run is checked instead of made; other commands are tried where they need no run.
accept() { # page
    begin
    plain_commands "$1" >"$work/plain"
    while read -r line; do
        if [ $long = 0 ]; then
            case $line in
            'moraine run '*) line=$(sed -E "s/^moraine run/moraine check --trial 0/; s/ --method ([a-z]+)/ --set method=\1/; s/ --out [^ ]+//; s/ -q( |$)/ /; s/ --fclib-at [^ ]+//" <<<"$line") ;;
            'moraine collide '* | 'moraine schema '* | 'moraine track '* | 'moraine sieve '* | *' --plan') ;;
            *) continue ;;
            esac
        fi
        n=$((n + 1))
        bash -c "$line" >"$work/printed" 2>&1 </dev/null || complain "$1" "$line" < <(tail -5 "$work/printed")
    done <"$work/plain"
}
pages() {
    local wanted=("$@")
    want() { [ ${#wanted[@]} = 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]; }
    # page, quick commands, commands that are never run: they need files or code of the reader, or change with the machine
    want docs/tutorial.md && check "$top/docs/tutorial.md" 'ball\.yaml|disks|diff press'
    want README.md && check "$top/README.md" 'matrials|block-wall'
    want docs/lab.md && check "$top/docs/lab.md" 'kharaz/experiment.yaml --|examples copy|sensitivity|--plan'
    want docs/solvers.md && check "$top/docs/solvers.md" 'problems wall' 'problems/|box\.hdf5|--repeat'
    want docs/quasistatic.md && check "$top/docs/quasistatic.md" '^never$' 'import dump|analyze pack '
    want docs/crosscheck.md && check "$top/docs/crosscheck.md" '^never$'
    want docs/how-to-add-a-shape.md && check "$top/docs/how-to-add-a-shape.md" 'shapes ball' 'mill\.yaml'
    for page in "${all[@]}"; do
        want "$page" && accept "$top/$page"
    done
    return 0
}
cd "$top"
all=(README.md docs/*.md examples/README.md examples/*/README.md)
if [ $long = 0 ] && [ $# -gt 1 ]; then
    check "$2" "$3"
else
    [ $# = 0 ] || shift
    pages "$@"
    [ $# -gt 0 ] || [ $n -ge 60 ] || { echo "$n blocks found: the pages or this script have changed" && exit 1; }
fi
[ $bad = 1 ] || echo "$n blocks of the pages are what is printed"
exit $bad
