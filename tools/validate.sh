#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every part of the validation, tests/validate/*.sh, each with MORAINE (the command) and BUILD
# (the build folder) in its environment; a part passes when it exits 0.
#   tools/validate.sh [PART…]     default: all parts; PART is a file name without .sh
set -uo pipefail
cd "$(dirname "$0")/.." || exit
BUILD=$(realpath "${BUILD:-build/release}")
MORAINE=$(realpath "${MORAINE:-$BUILD/moraine}")
export BUILD MORAINE
[ -x "$MORAINE" ] || { echo "validate: no command at $MORAINE; run make validate" >&2 && exit 2; }

shopt -s nullglob
parts=()
if [ $# -gt 0 ]; then
    for name in "$@"; do
        parts+=("tests/validate/${name%.sh}.sh")
    done
else
    parts=(tests/validate/*.sh)
fi
passed=0 failed=()
for part in "${parts[@]}"; do
    name=$(basename "$part" .sh)
    [ -x "$part" ] || { echo "-- $name: $part is not an executable script" && failed+=("$name") && continue; }
    echo "== $name"
    start=$SECONDS
    if "$part"; then
        echo "-- $name: pass ($((SECONDS - start)) s)"
        passed=$((passed + 1))
    else
        echo "-- $name: FAIL (exit $?)"
        failed+=("$name")
    fi
done
echo
echo "validation: $passed of ${#parts[@]} parts pass${failed[*]:+; failed: ${failed[*]}}"
[ ${#parts[@]} -gt 0 ] || { echo "validate: nothing in tests/validate" >&2 && exit 1; }
[ ${#failed[@]} -eq 0 ]
