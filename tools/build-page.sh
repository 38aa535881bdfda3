#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bundles the page of `moraine view` (web/) with npm and writes it as C: tools/build-page.sh OUT.c
# All builds share build/web; what is there and up to date is taken as it is. Where npm is missing or
# cannot reach its registry, OUT.c holds no page, one line says so, and the build goes on.
#   MRN_PAGE=off    do without the page
set -uo pipefail
out=${1:?where to write the C source}
cd "$(dirname "$0")/.." || exit 1
top=$PWD work=$PWD/build/web page=$PWD/build/web/viewer.html
mkdir -p "$work"
exec 9>"$work/lock"
flock 9 2>/dev/null || true

as_c() { # gzip file or nothing, to C; written only when it changes
    {
        echo '/* SPDX-License-Identifier: GPL-3.0-or-later */'
        echo '/* The page of the viewer, gzip; made by tools/build-page.sh. */'
        echo '#include <stddef.h>'
        echo 'extern const unsigned char mrn_view_page[];'
        echo 'extern const size_t mrn_view_page_bytes;'
        if [ -n "$1" ]; then
            echo 'const unsigned char mrn_view_page[] = {'
            od -An -v -tu1 "$1" | sed 's/  */,/g; s/^,//; s/$/,/'
            echo '};'
            echo 'const size_t mrn_view_page_bytes = sizeof mrn_view_page;'
        else
            echo 'const unsigned char mrn_view_page[] = {0};'
            echo 'const size_t mrn_view_page_bytes = 0;'
        fi
    } >"$out.new"
    if cmp -s "$out.new" "$out"; then rm "$out.new"; else mv "$out.new" "$out"; fi
}
without() {
    echo "moraine view: built without its page: $1" >&2
    as_c ''
    exit 0
}

[ "${MRN_PAGE:-}" = off ] && without "MRN_PAGE=off"
mark=$(cat web/package-lock.json web/build.mjs web/src/* | cksum)
if [ "$(cat "$work/mark" 2>/dev/null)" != "$mark" ] || [ ! -s "$page.gz" ]; then
    command -v npm >/dev/null && command -v node >/dev/null ||
        without "npm is not installed (tools/install-deps.sh --page)"
    # a registry that was out of reach is not asked again by every build
    [ -n "$(find "$work/failed" -mmin -10 2>/dev/null)" ] && without "$(cat "$work/failed")"
    packages=$(cksum <web/package-lock.json)
    if [ "$(cat "$work/packages" 2>/dev/null)" != "$packages" ]; then
        cp web/package.json web/package-lock.json "$work/"
        if ! (cd "$work" && timeout 180 npm ci --prefer-offline --no-audit --no-fund \
            --ignore-scripts --fetch-retries=1 --loglevel=error) >"$work/npm.log" 2>&1; then
            echo "npm could not fetch its packages ($work/npm.log)" >"$work/failed"
            without "$(cat "$work/failed")"
        fi
        echo "$packages" >"$work/packages"
    fi
    if ! (cd "$work" && node "$top/web/build.mjs" "$page") >"$work/bundle.log" 2>&1; then
        without "bundling failed ($work/bundle.log)"
    fi
    gzip -9 -n -c "$page" >"$page.gz"
    rm -f "$work/failed"
    echo "$mark" >"$work/mark"
fi
as_c "$page.gz"
