#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the parts of the validation and writes docs/validation.md with their numbers and plots.
# A part is tests/validate/PART.c (a program that writes docs/validation/PART.md and its plots) or
# tests/validate/PART.sh; it gets MORAINE (the command) and BUILD (the build folder) in its environment
# and passes when it exits 0. The page is tests/validate/page.md with every line "<!-- part: PART -->"
# replaced by what PART wrote last.
#   tools/validate.sh [PART…]     default: all parts
#   tools/validate.sh --page      only puts the page together
set -uo pipefail
cd "$(dirname "$0")/.." || exit
here=tests/validate

page() {
    awk -v dir=docs/validation '
        /^<!-- part: / {
            name = $3; file = dir "/" name ".md"; found = 0
            while ((getline line < file) > 0) { print line; found = 1 }
            close(file)
            if (!found) print "*(not run yet: `make validate`)*"
            next
        }
        { print }' $here/page.md > docs/validation.md.new && mv docs/validation.md.new docs/validation.md
}
[ "${1:-}" = --page ] && { page; exit; }

BUILD=$(realpath "${BUILD:-build/release}")
MORAINE=$(realpath "${MORAINE:-$BUILD/moraine}")
export BUILD MORAINE
# threads that spin while they wait crawl on a busy machine
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
[ -x "$MORAINE" ] || { echo "validate: no command at $MORAINE; run make validate" >&2 && exit 2; }
mkdir -p docs/validation
cmake --build "$BUILD" --target validate-programs >/dev/null || exit

shopt -s nullglob
parts=("$@")
if [ $# -eq 0 ]; then
    for file in $here/*.c $here/*.sh; do
        name=$(basename "$file")
        parts+=("${name%.*}")
    done
fi
passed=0 failed=()
for name in "${parts[@]}"; do
    echo "== $name"
    start=$SECONDS
    if [ -f "$here/$name.c" ]; then
        "$BUILD/tests/validate/validate-$name" docs/validation
    elif [ -x "$here/$name.sh" ]; then
        "$here/$name.sh"
    else
        echo "validate: there is no part '$name'" >&2 && false
    fi
    if [ $? -eq 0 ]; then
        echo "-- $name: pass ($((SECONDS - start)) s)"
        passed=$((passed + 1))
    else
        echo "-- $name: FAIL"
        failed+=("$name")
    fi
done
page
echo
echo "validation: $passed of ${#parts[@]} parts pass${failed[*]:+; failed: ${failed[*]}}"
[ ${#parts[@]} -gt 0 ] && [ ${#failed[@]} -eq 0 ]
