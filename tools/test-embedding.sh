#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The example program in C, built from an installed tree as a user would: with pkg-config (plain and
# --static) and with CMake; what it prints must be what its page shows. A program in C++ likewise, with the
# shared library and with the static one.
#   tools/test-embedding.sh BUILD-FOLDER    exit 1 and the difference
set -euo pipefail
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
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

# a shared library with its version in its name, and the static one
[ -f "$libraries/libmoraine.a" ] || fail "there is no static library"
version=$(sed -n 's/^Version: //p' "$PKG_CONFIG_PATH/moraine.pc")
readelf -d "$libraries/libmoraine.so" | grep -q "SONAME.*libmoraine.so.${version%.*}]" || fail "libmoraine.so has another soname"
[ -f "$libraries/libmoraine.so.$version" ] || fail "there is no libmoraine.so.$version"
readelf -d "$work/plain" | grep -q "NEEDED.*libmoraine.so" || fail "pkg-config --libs does not take the shared library"

# where programs find it: told after an installation that the loader does not know, not where a package is made
"$top/tools/tell-loader.sh" "$work/prefix" | grep -q "LD_LIBRARY_PATH=$libraries" || fail "nothing tells where programs find the library"
[ -z "$("$top/tools/tell-loader.sh" "$work/prefix" /somewhere)" ] || fail "tell-loader speaks while a package is made"

# completion and man pages lie where shells and man look
share=$work/prefix/share
for file in bash-completion/completions/moraine zsh/site-functions/_moraine fish/vendor_completions.d/moraine.fish \
    man/man1/moraine.1 man/man1/moraine-run.1; do
    [ -s "$share/$file" ] || fail "$file is not installed"
done
bash -n "$share/bash-completion/completions/moraine" || fail "bash does not read the completion"
complete() { # words
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _moraine; echo "${COMPREPLY[*]}"' _ \
        "$share/bash-completion/completions/moraine" "$@"
}
[ "$(complete moraine swe)" = sweep ] || fail "subcommands are not completed"
[ "$(complete moraine run --meth)" = --method ] || fail "options are not completed"
[ "$(complete moraine run --method nons)" = nonsmooth ] || fail "words of options are not completed"
[ "$(complete moraine laws hertz-mindlin-r)" = hertz-mindlin-rolling ] || fail "names of laws are not completed"
[ "$(complete moraine help swe)" = sweep ] || fail "subcommands behind help are not completed"
# the other shells, where they are there: fish tells, zsh is asked in a terminal of its own
if command -v fish >/dev/null; then
    mkdir -p "$work/fish/fish/completions" && cp "$share/fish/vendor_completions.d/moraine.fish" "$work/fish/fish/completions"
    mkdir -p "$work/bin" && ln -sf "$work/prefix/bin/moraine" "$work/bin/moraine"
    for words in 'swe sweep' 'run --meth --method' 'run --method nons nonsmooth' 'laws hertz-mindlin-r hertz-mindlin-rolling'; do
        said=$(PATH=$work/bin:$PATH XDG_CONFIG_HOME=$work/fish HOME=$work fish -c "complete -C 'moraine ${words% *}'" | cut -f1)
        [ "$said" = "${words##* }" ] || fail "fish completes 'moraine ${words% *}' to '$said'"
    done
fi
if command -v zsh >/dev/null; then
    cat >"$work/ask.zsh" <<'ZSH'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w z 'ask() { zle complete-word; print -r -- "<$BUFFER>"; zle kill-whole-line }; zle -N ask; bindkey "^T" ask; echo rea""dy'
zpty -r -m z x '*ready*'
for words in 'swe' 'run --meth' 'run --method nons' 'laws hertz-mindlin-r'; do
    zpty -w -n z "moraine $words"$'\C-t'
    zpty -r -m z x '*<*>*' && print -r -- "${${x##*<}%%>*}"
done
ZSH
    HOME=$work timeout 600 zsh -f "$work/ask.zsh" "$share/zsh/site-functions" >"$work/zsh" </dev/null || fail "zsh cannot be asked"
    diff <(printf 'moraine %s \n' sweep 'run --method' 'run --method nonsmooth' 'laws hertz-mindlin-rolling') "$work/zsh" ||
        fail "zsh completes otherwise"
fi
for page in "$share"/man/man1/*.1; do
    for part in NAME SYNOPSIS 'EXIT STATUS'; do
        [ "$part" = 'EXIT STATUS' ] && grep -q 'Exit code' "$page" && continue
        grep -q "^.SH $part" "$page" || fail "${page##*/} lacks $part"
    done
done

# C++ sees the same functions, and the version as numbers
cat >"$work/some.cpp" <<'CPP'
#include <moraine/moraine.h>
#include <cstdio>
#if MRN_VERSION_MAJOR * 10000 + MRN_VERSION_MINOR * 100 + MRN_VERSION_PATCH < 100
#error "the version is no number"
#endif
int main()
{
    mrn_message msg = {};
    mrn_scene scene = mrn_scene_default();
    mrn_scene_set_gravity(&scene, mrn_v3(0, 0, -9.81), &msg);
    mrn_scene_add_material(&scene, "glass", 2500, 70e6, 0.22, &msg);
    mrn_scene_add_law(&scene, "glass", "glass", "hertz-mindlin", &msg);
    mrn_scene_set_law(&scene, "glass", "glass", "restitution", 0.8, &msg);
    mrn_scene_set_law(&scene, "glass", "glass", "friction", 0.5, &msg);
    mrn_world *world = nullptr;
    mrn_world_create(&scene, &world, &msg);
    mrn_body ball = mrn_world_add_sphere(world, 5e-3, mrn_v3(0, 0, 1), mrn_v3(0, 0, 0), &msg);
    mrn_world_advance(world, 0.1, &msg);
    double fallen = 1 - mrn_world_position(world, ball).z; /* g t^2/2 */
    mrn_world_destroy(&world);
    mrn_scene_destroy(&scene);
    if (msg.status != MRN_OK)
        std::printf("%s\n", msg.text);
    return msg.status == MRN_OK && fallen > 0.0490 && fallen < 0.0491 ? 0 : 1;
}
CPP
cat >"$work/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(some LANGUAGES C CXX)
find_package(moraine 0.1 REQUIRED COMPONENTS static)
add_executable(shared some.cpp)
target_link_libraries(shared PRIVATE moraine::moraine)
add_executable(static some.cpp)
target_link_libraries(static PRIVATE moraine::static)
CMAKE
if command -v "${CXX:-g++}" >/dev/null; then
    "${CXX:-g++}" -std=c++17 -Wall -Wextra -Werror "$work/some.cpp" "${plain[@]}" -o "$work/some" ||
        fail "does not compile or link as C++"
    "$work/some" || fail "the C++ program failed"
    cmake -S "$work" -B "$work/cpp" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 ||
        { tail -20 "$work/log"; fail "find_package(moraine COMPONENTS static) failed in C++"; }
    cmake --build "$work/cpp" >"$work/log" 2>&1 || { tail -20 "$work/log"; fail "C++ does not build with CMake"; }
    "$work/cpp/shared" || fail "the C++ program with the shared library failed"
    "$work/cpp/static" || fail "the C++ program with the static library failed"
fi

# a library of the engines alone, of the same objects: what is left out is left out by file
small=$work/small objects=$build/CMakeFiles/mrn_objects.dir/src
mkdir "$small" && cd "$small"
parts='cairo|nlopt|gsl|udunits|microhttpd'
mapfile -t with < <(cd "$top/src" && find . -name '*_without_*.c')
mapfile -t others < <(cd "$top/src" && grep -LE "^#include <($parts)" -- */*.c | grep -v _without_ | sed 's/$/.o/')
for source in "${with[@]}"; do
    "${CC:-gcc}" -std=gnu17 -O1 -fPIC -fvisibility=hidden -fopenmp -D_GNU_SOURCE -Wall -Wextra -Werror -I"$top/include" -I"$top/src" \
        -c "$top/src/$source" -o "$(basename "$source").o" || fail "$source does not compile"
done
libs=$(sed -n 's/^Libs.private://p' "$PKG_CONFIG_PATH/moraine.pc" | tr ' ' '\n' | grep -vE "$parts" | tr '\n' ' ')
# shellcheck disable=SC2086
"${CC:-gcc}" -shared -fopenmp -Wl,--no-undefined ./*.o "${others[@]/#/$objects/}" "${objects%/src}/page.c.o" $libs -lm -o libmoraine.so 2>"$work/log" ||
    { sed 's/.*undefined/undefined/' "$work/log" | sort -u | head; fail "without $parts it does not link"; }
readelf -d libmoraine.so | grep NEEDED | grep -qE "$parts" && fail "the small library needs what was left out"
"${CC:-gcc}" -std=c17 -Wall -Wextra -Werror -I"$top/include" "$top/tools/small.c" -L. -lmoraine -Wl,-rpath,. -o small ||
    fail "a program does not link with the small library"
LD_LIBRARY_PATH=. ./small || fail "the small library does not work"
cd "$work"

cmake -S "$example" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="${CC:-gcc}" \
    >"$work/log" 2>&1 || { tail -20 "$work/log"; fail "find_package(moraine) failed"; }
cmake --build "$work/cmake" >"$work/log" 2>&1 || { tail -20 "$work/log"; fail "does not build with CMake"; }
run by-cmake "$work/cmake/embedding"
echo "embedding  ok"
