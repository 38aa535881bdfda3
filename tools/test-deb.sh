#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian packages that `make deb` makes, packed from a finished build instead of one of their own: what is in each,
# what it asks for, and that the command in them runs.
#   tools/test-deb.sh BUILD
# Exit: 0 as they should be; 1 and what is not; 77 no tools for packages, or no git checkout: skipped.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "$1")
for tool in dpkg-deb dpkg-buildpackage dpkg-shlibdeps git; do
    command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
git -C "$top" rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: not a git checkout" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DEB_PACK=-Znone DEB_OUT=$work/deb "$top/tools/make-deb.sh" --pack "$build" >"$work/log" 2>&1 || { tail -20 "$work/log" && exit 1; }
bad=0
no() { bad=1 && echo "$1"; }
version=$(sed -n 's/^#define MRN_VERSION *"\(.*\)".*/\1/p' "$top/include/moraine/base.h")
holds() { # package, paths that end so
    local deb list path
    deb=$(ls "$work"/deb/"$1"_*.deb 2>/dev/null) || { no "no package $1" && return; }
    list=$(dpkg-deb --contents "$deb")
    [ "$(dpkg-deb --field "$deb" Version)" = "$version" ] || no "$1: version $(dpkg-deb --field "$deb" Version), not $version"
    for path in "${@:2}"; do
        grep -q "$path\( -> .*\)\?$" <<<"$list" || no "$1 lacks $path"
    done
}
holds moraine usr/bin/moraine man1/moraine.1.gz man1/moraine-run.1.gz bash-completion/completions/moraine \
    zsh/vendor-completions/_moraine vendor_completions.d/moraine.fish examples/demo/scene.yaml doc/moraine/copyright
holds libmoraine "libmoraine.so.$version"
holds libmoraine-dev include/moraine/moraine.h libmoraine.a libmoraine.so pkgconfig/moraine.pc moraine-config.cmake
holds python3-moraine dist-packages/moraine/__init__.py dist-packages/moraine/_abi.py
depends() { dpkg-deb --field "$work"/deb/"$1"_*.deb Depends; }
for want in "moraine libmoraine (= $version)" "moraine libc6" "libmoraine libhdf5" "python3-moraine python3-numpy" "libmoraine-dev libyaml-dev"; do
    grep -qF "${want#* }" <<<"$(depends "${want%% *}")" || no "${want%% *} does not depend on ${want#* }: $(depends "${want%% *}")"
done
# unpacked beside each other, as apt would, the command runs
for deb in "$work"/deb/*.deb; do dpkg-deb --extract "$deb" "$work/root"; done
lib=$(dirname "$(find "$work/root" -name "libmoraine.so.$version")")
LD_LIBRARY_PATH=$lib "$work/root/usr/bin/moraine" --version | grep -q "$version" || no "the packed command does not run"
[ $bad = 0 ] && echo "four packages of version $version hold what they should"
exit $bad
