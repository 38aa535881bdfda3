#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every header compiles alone; the public ones in strict C17 too, with no feature macro set, and as
# C++17 where there is a compiler for it; those of the contact laws as C++ too, which compilers for
# other devices are made of.
#   tools/check-headers.sh [ROOT]    exit 1 and the compiler's messages
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
cc=${CC:-gcc}
flags=(-fsyntax-only -x c -Wall -Wextra -Werror -Iinclude -isystem /usr/include/suitesparse)
for package in hdf5 udunits2; do # headers in folders of their own on Debian
    for folder in /usr/include/$package "/usr/include/$package/serial"; do
        [ -d "$folder" ] && flags+=(-isystem "$folder")
    done
done
mapfile -t more < <(pkg-config --cflags-only-I cairo yaml-0.1 jansson 2>/dev/null | tr ' ' '\n' | grep . || true)
bad=0
try() { # header flags…
    local header=$1
    shift
    printf '#include "%s"\n' "$header" | "$cc" "${flags[@]}" "${more[@]}" "$@" - || {
        echo "$header: does not compile by itself"
        bad=1
    }
}
for header in include/moraine/*.h; do
    try "${header#include/}" -std=c17 -pedantic
done
cxx=${CXX:-g++}
for header in include/moraine/*.h; do
    command -v "$cxx" >/dev/null || break
    printf '#include "%s"\n' "${header#include/}" |
        "$cxx" -fsyntax-only -x c++ -std=c++17 -Wall -Wextra -Werror -Iinclude - || {
        echo "${header#include/}: does not compile as C++"
        bad=1
    }
done
for header in src/*/*.h; do
    [ -e "$header" ] && try "${header#src/}" -std=gnu17 -D_GNU_SOURCE -Isrc -fopenmp
done
for header in src/laws/{normal,tangential,rolling,twisting,cohesion}_*.h; do
    [ -e "$header" ] || continue
    printf '#include "%s"\n' "${header#src/}" |
        g++ -fsyntax-only -x c++ -std=c++17 -pedantic -Wall -Wextra -Werror -Iinclude -Isrc - || {
        echo "$header: does not compile as C++: formulas of laws are the text of other devices too"
        bad=1
    }
done
exit $bad
