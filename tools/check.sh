#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The source checks: all of them run, then exit 1 if one found something.
set -uo pipefail
here=$(dirname "$0")
bad=0
for check in layers names source headers format; do
    if output=$("$here/check-$check.sh" 2>&1); then
        printf '%-10s ok\n' "$check"
    else
        printf '%-10s FAILED (tools/check-%s.sh)\n' "$check" "$check"
        bad=1
    fi
    [ -z "$output" ] || printf '%s\n' "$output" | sed 's/^/    /'
done
exit $bad
