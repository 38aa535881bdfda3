#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every command on the pages, run for real: what it prints is what the page shows. Quick ones are in `make test`.
set -uo pipefail
top=$(dirname "$(realpath "$0")")/../..
. "$top/tools/validate-lib.sh" documents
# pages that passed with a command of the same answers are not run again
export DONE=${DONE:-$BUILD/validate/pages}
"$top/tools/check-docs.sh" --long "$MORAINE"
check "commands on the pages that print something else" "$?" 0 0
"$top/tools/try-howto.py"
check "steps of the how-to pages that end otherwise" "$?" 0 0
finish
