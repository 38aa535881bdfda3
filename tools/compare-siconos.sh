#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Our solvers beside those of Siconos to equal residual: the tables of docs/solvers/siconos.md, between its two marks.
# Wants libsiconos-numerics-dev and some twenty minutes of a processor; the problems are no part of this repository.
#   tools/compare-siconos.sh [BUILD] [options and files of bench-siconos]     BUILD: a configured build folder (build)
# Without options: the problems of ../shared/data/fclib, 8 s a solve, 45 s for the wall, which takes longest.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
shift || true
page=$root/docs/solvers/siconos.md
part=$(mktemp -d)
trap 'rm -rf "$part"' EXIT
[ $# -gt 0 ] || set -- --limit 8 --limit-of BoxWall 45 --generated no

cmake --build "$build" --target bench-siconos
"$build/bench/bench-siconos" --same-residual --ours nlgs --markdown "$part/tables.md" "$@"

awk -v tables="$part/tables.md" '
    /^<!-- end of tables -->/ { inside = 0 }
    !inside
    /^<!-- tables of tools\/compare-siconos.sh -->/ {
        inside = 1
        print ""
        while ((getline line < tables) > 0) print line
        print ""
    }' "$page" > "$part/page.md"
cp "$part/page.md" "$page"
echo "$page written"
