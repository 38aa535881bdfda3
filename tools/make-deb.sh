#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the Debian source package and the binary packages of it: command, library, headers, Python.
#   tools/make-deb.sh            into build/deb, from the last commit
#   tools/make-deb.sh --source   the source package alone
#   tools/make-deb.sh --pack DIR packs a finished build (a build folder): to try the packing
# DEB_OUT: another folder than build/deb.
# Install them with  apt install ./build/deb/*.deb
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
for tool in dpkg-buildpackage dpkg-source git; do
    command -v $tool > /dev/null || { echo "make-deb: no $tool; install dpkg-dev and git" >&2 && exit 2; }
done
version=$(sed -n 's/^#define MRN_VERSION *"\(.*\)".*/\1/p' include/moraine/base.h)
stamp=$(git log -1 --format=%ct)
out=${DEB_OUT:-$top/build/deb} tree=$out/moraine-$version
rm -rf "$out"
mkdir -p "$tree"
git archive HEAD | tar -x -C "$tree"
cp -r "$tree/tools/debian" "$tree/debian"
mkdir -p "$tree/debian/source"
echo '3.0 (native)' > "$tree/debian/source/format"
printf 'moraine (%s) unstable; urgency=medium\n\n  * Release %s; see CHANGELOG.md.\n\n -- Moraine developers <moraine@localhost>  %s\n' \
    "$version" "$version" "$(date -R -u -d "@$stamp")" > "$tree/debian/changelog"
cd "$tree"
case "${1:-}" in
--source) dpkg-buildpackage -S -us -uc -d ;;
--pack) BUILD=$(realpath "$top/$2" 2> /dev/null || realpath "$2") debian/rules pack ;;
'') dpkg-buildpackage -us -uc ;;
*) echo "make-deb: what is $1?" >&2 && exit 2 ;;
esac
cd "$out"
find . -maxdepth 1 -name '*.deb' -o -maxdepth 1 -name '*.dsc' | sort | sed "s|^\.|$out|"
