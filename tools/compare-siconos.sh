#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Our solvers beside those of Siconos, into docs/solvers/siconos.md: once to equal residual, once each by its own
# criterion. Wants libsiconos-numerics-dev, the problems in ../shared/data/fclib, a quiet machine, and about an hour.
#   tools/compare-siconos.sh [BUILD] [options of bench-siconos]     BUILD: a configured build folder (build)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
shift || true
out=$root/docs/solvers/siconos.md
part=$(mktemp -d)
trap 'rm -rf "$part"' EXIT

cmake --build "$build" --target bench-siconos
"$build/bench/bench-siconos" --same-residual --markdown "$part/equal.md" "$@"
"$build/bench/bench-siconos" --markdown "$part/own.md" "$@"

mkdir -p "$(dirname "$out")"
{
    echo "# Beside Siconos"
    echo
    echo "Written by tools/compare-siconos.sh; do not edit. The residual err_v is that of \`moraine solve\`."
    echo
    echo "## To equal residual"
    echo
    cat "$part/equal.md"
    echo
    echo "## Each by its own criterion"
    echo
    cat "$part/own.md"
} > "$out"
echo "$out written"
