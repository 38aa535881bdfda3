#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The example program in C, built from an installed tree as a user would: with pkg-config (plain and
# --static), as C++ and with CMake. What it prints must be what its page shows.
#   tools/test-embedding.sh BUILD-FOLDER    exit 1 and the difference
set -euo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "embedding: $*" >&2 && exit 1; }

cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || { tail "$work/log"; fail "cannot be installed"; }
example=$work/prefix/share/moraine/examples/embedding
[ -f "$example/main.c" ] || fail "the example is not installed"
sed -n '/^```text$/,/^```$/p' "$example/README.md" | grep -v '^```' >"$work/expected"
[ -s "$work/expected" ] || fail "the page of the example shows no output"
[ "$(wc -l <"$example/main.c")" -le 40 ] || fail "main.c has more than 40 lines"

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name moraine.pc)")
libraries=$(dirname "$(find "$work/prefix" -name 'libmoraine.*' | head -1)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
run() { # way, program
    mkdir -p "$work/$1" && cd "$work/$1"
    "$2" >printed || fail "$1: the program failed"
    diff "$work/expected" printed || fail "$1: it prints something else than its page"
    [ -s world.png ] || fail "$1: there is no picture"
}

read -ra plain <<<"$(pkg-config --cflags --libs moraine)"
read -ra static <<<"$(pkg-config --static --cflags --libs moraine)"
${CC:-gcc} -std=c17 -Wall -Wextra -Werror -pedantic "$example/main.c" "${plain[@]}" -o "$work/plain" ||
    fail "pkg-config --libs does not link"
${CC:-gcc} -std=c17 "$example/main.c" "${static[@]}" -o "$work/static" || fail "pkg-config --static does not link"
run by-pkg-config "$work/plain"

# C++ sees the same functions
if command -v "${CXX:-g++}" >/dev/null; then
    printf '#include <moraine/moraine.h>\nint main() { return mrn_threads() > 0 ? 0 : 1; }\n' >"$work/some.cpp"
    "${CXX:-g++}" -std=c++17 -Wall -Wextra -Werror "$work/some.cpp" "${plain[@]}" -o "$work/some" ||
        fail "does not compile or link as C++"
    "$work/some" || fail "the C++ program failed"
fi

cmake -S "$example" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="${CC:-gcc}" \
    >"$work/log" 2>&1 || { tail -20 "$work/log"; fail "find_package(moraine) failed"; }
cmake --build "$work/cmake" >"$work/log" 2>&1 || { tail -20 "$work/log"; fail "does not build with CMake"; }
run by-cmake "$work/cmake/embedding"
echo "embedding  ok"
