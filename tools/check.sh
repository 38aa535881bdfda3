#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The source checks: all of them run, side by side, then exit 1 if one found something.
set -uo pipefail
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
checks=(layers names source headers format)
for check in "${checks[@]}"; do
    { "$here/check-$check.sh" >"$work/$check" 2>&1; echo $? >"$work/$check.code"; } &
done
wait
for check in "${checks[@]}"; do
    if [ "$(cat "$work/$check.code")" = 0 ]; then
        printf '%-10s ok\n' "$check"
    else
        printf '%-10s FAILED (tools/check-%s.sh)\n' "$check" "$check"
        bad=1
    fi
    sed 's/^/    /' "$work/$check"
done
exit $bad
