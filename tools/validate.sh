#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the parts of the validation and writes docs/validation.md with their numbers and plots.
# A part is tests/validate/PART.c (a program that writes docs/validation/PART.md and its plots) or
# tests/validate/PART.sh; it gets MORAINE (the command), BUILD (the build folder) and PAGES (where it writes) in its
# environment. Each writes its checks as rows of docs/validation/PART.tsv (validate.h, tools/validate-lib.sh); a part
# passes when it exits 0 with all rows good and its last row there. The page is tests/validate/page.md with every line
# "<!-- part: PART -->" replaced by what PART wrote last, its checks with their bounds, and how it ended
# (tools/validate-page.sh).
#   tools/validate.sh [PART…]            default: all parts
#   tools/validate.sh --resume [PART…]   leaves out those that ended since the last start from the beginning, and of
#                                        long parts the pieces that were done when they were interrupted
#   tools/validate.sh --page             only puts the page together
set -uo pipefail
cd "$(dirname "$0")/.." || exit
here=tests/validate
[ "${1:-}" = --page ] && exec tools/validate-page.sh
resume=false
[ "${1:-}" = --resume ] && resume=true && shift

BUILD=$(realpath "${BUILD:-build/release}")
MORAINE=$(realpath "${MORAINE:-$BUILD/moraine}")
PAGES=$(realpath docs/validation)
export BUILD MORAINE PAGES
# as the command does: a BLAS that does not know the processor takes kernels that round in another way
case $(grep -m 1 ^flags /proc/cpuinfo 2>/dev/null) in
*avx2*fma* | *fma*avx2*) export OPENBLAS_CORETYPE="${OPENBLAS_CORETYPE:-Haswell}" ;;
esac
# threads that spin while they wait crawl on a busy machine
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
[ -x "$MORAINE" ] || { echo "validate: no command at $MORAINE; run make validate" >&2 && exit 2; }
mkdir -p docs/validation "$BUILD/validate"
cmake --build "$BUILD" --target validate-programs >/dev/null || exit

shopt -s nullglob
parts=("$@")
if [ $# -eq 0 ]; then
    for file in $here/*.c $here/*.sh; do
        name=$(basename "$file")
        parts+=("${name%.*}")
    done
    $resume || rm -rf "$BUILD"/validate/*.ended "$BUILD/validate/pages"
fi
version=$(git describe --always --dirty 2>/dev/null || echo unknown)
passed=0 failed=() began=$SECONDS
for name in "${parts[@]}"; do
    if $resume && [ -f "$BUILD/validate/$name.ended" ]; then
        echo "== $name: ended before"
        [ "$(cat "$BUILD/validate/$name.ended")" = 0 ] && passed=$((passed + 1)) || failed+=("$name")
        continue
    fi
    echo "== $name"
    start=$SECONDS
    rm -f "docs/validation/$name.tsv" "$BUILD/validate/$name.ended"
    $resume || rm -f "$BUILD/validate/$name".*.piece "$BUILD/validate/$name.rows"
    if [ -f "$here/$name.c" ]; then
        "$BUILD/tests/validate/validate-$name" docs/validation
    elif [ -x "$here/$name.sh" ]; then
        "$here/$name.sh"
    else
        echo "validate: there is no part '$name'" >&2 && false
    fi
    code=$?
    [ -f "$here/$name.c" ] || [ -f "$here/$name.sh" ] &&
        printf 'exit\t%d\t%d\t%s\n' "$code" $((SECONDS - start)) "$version" >> "docs/validation/$name.tsv"
    [ "$code" -lt 128 ] && echo "$code" > "$BUILD/validate/$name.ended"
    if [ "$code" -eq 0 ]; then
        echo "-- $name: pass ($((SECONDS - start)) s)"
        passed=$((passed + 1))
    else
        echo "-- $name: FAIL ($((SECONDS - start)) s)"
        failed+=("$name")
    fi
    tools/validate-page.sh # what there is stands on the page, whatever happens next
done
echo
echo "validation: $passed of ${#parts[@]} parts pass${failed[*]:+; failed: ${failed[*]}}; $((SECONDS - began)) s"
[ ${#parts[@]} -gt 0 ] && [ ${#failed[@]} -eq 0 ]
