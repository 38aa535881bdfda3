# SPDX-License-Identifier: GPL-3.0-or-later
# For parts of the validation that are scripts (sourced): say TEXT… for the page, check a number, say why it fails, end the part.
#   . tools/validate-lib.sh PART
part=$1 failed=0 checks=0 rows="${PAGES:?}/$1.tsv" page="${PAGES:?}/$1.md"
: > "$rows"
: > "$page"
say() { printf '%s\n' "$@" >> "$page"; }
# check TEXT VALUE LOW HIGH
check() {
    verdict=$(awk -v v="$2" -v lo="$3" -v hi="$4" 'BEGIN { print (v != "" && v + 0 >= lo && v + 0 <= hi) ? "ok" : "NOT OK" }')
    printf '  %-64s %12.6g   in [%g, %g]: %s\n' "$1" "${2:-nan}" "$3" "$4" "$verdict"
    printf 'check\t%s\t%s\t%.6g\t%g\t%g\n' "$verdict" "$1" "${2:-nan}" "$3" "$4" >> "$rows"
    checks=$((checks + 1))
    [ "$verdict" = ok ] || failed=$((failed + 1))
}
# why TEXT: what is to be said where the last check fails; stands beside its verdict
why() { [ "$verdict" = ok ] || printf 'why\t%s\n' "$1" >> "$rows"; }
finish() {
    printf 'end\t%d\t%d\n' "$checks" "$failed" >> "$rows"
    exit $((failed > 0))
}
