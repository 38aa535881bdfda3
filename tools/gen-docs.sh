#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes docs/reference from the program's own tables, so that it cannot disagree with the program.
#   tools/gen-docs.sh            writes
#   tools/gen-docs.sh --check    exit 1 and the difference if a page is out of date
set -euo pipefail
cd "$(dirname "$0")/.."
moraine=${MORAINE:-build/release/moraine}
[ -x "$moraine" ] || { echo "gen-docs: no command at $moraine; run make docs" >&2 && exit 2; }
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

"$moraine" schema >"$fresh/scene.schema.json"
"$moraine" reference >"$fresh/scene.md"
"$moraine" laws --markdown >"$fresh/laws.md"
"$moraine" shapes --markdown >"$fresh/shapes.md"

if [ "${1:-}" = --check ]; then
    for page in "$fresh"/*; do
        diff -u "docs/reference/${page##*/}" "$page" ||
            { echo "docs/reference/${page##*/} is out of date: run make docs" >&2 && exit 1; }
    done
    exit 0
fi
mkdir -p docs/reference
chmod 644 "$fresh"/*
for page in "$fresh"/*; do
    [ -s "$page" ] || { echo "gen-docs: ${page##*/} came out empty" >&2 && exit 1; }
done
cp "$fresh"/* docs/reference/
echo "docs/reference: $(cd "$fresh" && echo *)"
