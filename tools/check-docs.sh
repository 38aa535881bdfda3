#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages show what the command prints: the quick blocks of the pages below are run in an empty folder, and every line shown
# must be printed, in this order. What depends on the machine (times, speeds, how often a run tells of
# itself) is left out, and so are commands of minutes.
#   tools/check-docs.sh [MORAINE [PAGE COMMANDS]]    exit 1 and the lines that are not printed; PAGE: that one alone, what
#                                                    matches COMMANDS
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
moraine=$(realpath "${1:-$top/build/release/moraine}")
[ -x "$moraine" ] || { echo "$moraine is not there; build it, or name another" >&2 && exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/at"
ln -s "$moraine" "$work/bin/moraine"
ln -s "$top/examples" "$work/at/examples"
export PATH=$work/bin:$PATH MORAINE_EXAMPLES=$top/examples OMP_NUM_THREADS=1
cd "$work/at"

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
        file != "" && $0 != "" && $0 !~ /^ *…$/ && $0 !~ /wall time|  speed |pixels,|threads work|^ *[0-9.]+ [nµm]*s  +[0-9]/ {
            sub(/ +$/, ""); print > (file ".lines") }' "$1"
}
bad=0 n=0
check() { # page, commands that are quick
    rm -f "$work"/block.*
    scenes "$1"
    commands "$1"
    for block in "$work"/block.???; do
        grep -Eq "$2" "$block" || continue
        n=$((n + 1))
        touch "$block.lines"
        bash "$block" 2>&1 | sed 's/ *$//' >"$work/printed" || true
        awk 'NR == FNR { out[++n] = $0; next }
             { for (k = p + 1; k <= n && out[k] != $0; k++) {}
               if (k > n) print; else p = k }' "$work/printed" "$block.lines" >"$work/missing"
        [ -s "$work/missing" ] || continue
        bad=1
        echo "${1#"$top/"}: $(cat "$block")"
        sed 's/^/    not printed: /' "$work/missing"
    done
}
if [ $# -gt 1 ]; then
    check "$2" "$3"
else
    check "$top/docs/tutorial.md" 'ball\.yaml|disks|diff press'
    check "$top/README.md" 'matrials|block-wall'
    check "$top/docs/lab.md" 'kharaz/experiment.yaml --|examples copy|sensitivity|--plan'
    check "$top/docs/solvers.md" 'problems wall'
    check "$top/docs/how-to-add-a-shape.md" 'shapes ball'
    [ $n -ge 12 ] || { echo "$n blocks found: the pages or this script have changed" && exit 1; }
fi
[ $bad = 1 ] || echo "$n blocks of the pages are what is printed"
exit $bad
