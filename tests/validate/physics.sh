#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Closed forms, orders and conservation as the tests of the engine measure them: the numbers are those the tests print, with
# the bounds that stand in their sources.
set -uo pipefail
top=$(dirname "$(realpath "$0")")/../..
. "$top/tools/validate-lib.sh" physics
for name in impact motion conservation turning mindlin engine; do
    program="test-physics-$name"
    cmake --build "$BUILD" --target "$program" > /dev/null || exit 1
    text=$(OMP_NUM_THREADS=2 "$BUILD/tests/$program" 2>&1)
    code=$?
    say "### \`physics/$name\`" ""
    # the sentence at the head of the source says what is tested; lines in brackets are the framework's
    say "$(sed -n '2,/\*\//p' "$top/tests/physics/test_$name.c" | sed -e 's|/\* *||; s| *\*/||; s|^ *\* *||; s|^ *||' | grep -v '^ctest' | tr '\n' ' ' | sed 's/  */ /g; s/ $//')" ""
    say '```text' "$(printf '%s\n' "$text" | grep -Ev '^\[|^ *[0-9]+ FAILED|^$')" '```' ""
    ran=$(printf '%s\n' "$text" | grep -cE '^\[ +OK +\]')
    bad=$(printf '%s\n' "$text" | grep -cE '^\[ +FAILED +\] [a-z_]+$')
    [ "$code" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
    check "physics/$name: tests that hold" "$ran" 1 inf
    check "physics/$name: tests that fail" "$bad" 0 0
done
finish
