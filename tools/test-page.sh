#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of `moraine view` in Chromium without a screen: tools/test-page.sh MORAINE
# Exit 77, which CTest counts as skipped, where the browser, Node.js or the page is missing.
set -uo pipefail
moraine=${1:?the command}
top=$(cd "$(dirname "$0")/.." && pwd)
skip() {
    echo "skipped: $1"
    exit 77
}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "no Chromium here (tools/install-deps.sh --browser installs it)"
command -v node >/dev/null || skip "no Node.js here (tools/install-deps.sh --page installs it)"
[ -d "$top/build/web/node_modules/playwright-core" ] ||
    skip "the packages of the page are not there (build/web/npm.log)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$moraine" run "$top/web/test/scene.yaml" --out "$folder/one" --max-steps 1 --quiet
case $("$moraine" view "$folder/one" --export "$folder/one.html" 2>&1) in
*'without the page'*) skip "built without the page" ;;
esac
node "$top/web/test/page.mjs" "$moraine" "$top/build/web" "$browser" "$folder"
