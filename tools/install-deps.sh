#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the Debian packages Moraine needs. Silent when all are there.
#   tools/install-deps.sh            everything: build, tests, sanitizers, checks
#   tools/install-deps.sh --demo     what building and running takes, no test tools
#   tools/install-deps.sh --page     Node.js and npm, for the page of `moraine view`
#   tools/install-deps.sh --browser  Chromium, for the tests of that page
#   tools/install-deps.sh --shells   zsh and fish, for the tests of their completion
#   tools/install-deps.sh --fuzz     AFL++, the second fuzzer of `make fuzz`
#   tools/install-deps.sh --analyze  cppcheck, clang-tidy and valgrind, for `make analyze`
#   tools/install-deps.sh --list     the table: package, needed by, reason
# Exit: 0 all there; 2 wrong usage; 3 packages are missing and could not be installed.
set -euo pipefail

# package | demo: needed to build and run, test: for tests and checks, the others: on request | reason
packages() {
    cat <<'TABLE'
build-essential   | demo | gcc 12, libc headers, make; gcc brings OpenMP (libgomp)
cmake             | demo | configures the build, runs the tests (CTest)
ninja-build       | demo | builds, using all cores
pkg-config        | demo | finds the libraries below
libyaml-dev       | demo | reads scene files
libudunits2-dev   | demo | converts units: "2 mm", "70 GPa"
libhdf5-dev       | demo | trajectories and checkpoints
libsuitesparse-dev | demo | factorises sparse matrices (CHOLMOD, UMFPACK, SuiteSparseQR)
liblapack-dev     | demo | eigenvalues of dense matrices; the BLAS under the factorisations
libopenblas0-pthread | demo | a BLAS many times as fast as the plain one of liblapack-dev
libnlopt-dev      | demo | searches for the parameters of contact laws (CRS2, BOBYQA)
libgsl-dev        | demo | distributions of chance: chi-square, Student, normal
libjansson-dev    | demo | summary.json and --json output
libcairo2-dev     | demo | text, legends and disks in pictures
fonts-dejavu-core | demo | the font of the pictures
zlib1g-dev        | demo | compresses pictures
libmicrohttpd-dev | demo | the server of `moraine view`, on this machine alone
libpng-dev        | test | an independent reader of our PNG pictures
libfclib-dev      | test | an independent reader and writer of contact problems
libqhull-dev      | test | an independent answer to what a convex hull is
libccd-dev        | test | an independent answer to where two polyhedra touch
libcmocka-dev     | test | the frame of the test programs
python3-numpy     | test | arrays of the Python package
python3-pip       | test | installs it, with the next two
python3-setuptools | test | builds it
python3-wheel     | test | packs it
python3-venv      | test | a place to install it to
g++               | test | programs in C++ that use the library
clang             | test | second compiler; thread sanitizer
libclang-rt-dev   | test | the sanitizer runtime of clang
libomp-dev        | test | OpenMP for clang, with Archer: explains OpenMP to the thread sanitizer
clang-format      | test | layout of the source
nodejs            | page | bundles the page of `moraine view`
npm               | page | fetches what the page is made of: three.js, uPlot
chromium          | browser | the tests of the page, where it is installed
zsh               | shells | the test of its completion, where it is installed
fish              | shells | likewise
afl++             | fuzz | readers under a second fuzzer, where it is installed
cppcheck          | analyze | a first look at sources, where it is installed
clang-tidy        | analyze | a second one
valgrind          | analyze | short tests, memory watched
TABLE
}

usage() { sed -n '3,12s/^# \{0,1\}//p' "$0"; }

want='demo|test'
case "${1:-}" in
'') ;;
--demo | --runtime) want='demo' ;;
--page)
    want='page'
    # Node.js from elsewhere serves as well
    command -v node >/dev/null && command -v npm >/dev/null && exit 0
    ;;
--browser) want='browser' ;;
--shells) want='shells' ;;
--fuzz) want='fuzz' ;;
--analyze) want='analyze' ;;
--list)
    packages
    exit 0
    ;;
-h | --help)
    usage
    exit 0
    ;;
*)
    usage >&2
    exit 2
    ;;
esac

mapfile -t names < <(packages | awk -F'|' -v want="^($want)\$" '
    { gsub(/ /, "", $1); gsub(/ /, "", $2) } $2 ~ want { print $1 }')

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    # Not Debian: the tools can be checked, the libraries are checked by CMake.
    absent=()
    for tool in cc cmake ninja pkg-config; do
        command -v "$tool" >/dev/null || absent+=("$tool")
    done
    [ ${#absent[@]} -eq 0 ] && exit 0
    {
        echo "install-deps: this is not a Debian system; please install (Debian's names):"
        packages
        echo "Not found here: ${absent[*]}"
    } >&2
    exit 3
fi

missing() {
    # dpkg-query fails when it has never heard of one of the names: just what we ask about
    { dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null || true; } |
        awk '$1 == "installed" { print $2 }' | sort -u >"$have"
    printf '%s\n' "${names[@]}" | sort | comm -23 - "$have"
}
have=$(mktemp)
trap 'rm -f "$have"' EXIT
mapfile -t todo < <(missing)
[ ${#todo[@]} -eq 0 ] && exit 0

as_root=()
install_line="apt-get install -y --no-install-recommends ${todo[*]}"
give_up() {
    {
        echo "install-deps: $1"
        echo "Missing packages:"
        packages | awk -F'|' -v names=" ${todo[*]} " '
            { name = $1; gsub(/ /, "", name) } index(names, " " name " ") { print "  " $1 "-" $3 }'
        echo "To install them, as root or with sudo:"
        echo "  apt-get update && $install_line"
    } >&2
    exit 3
}
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || give_up "not root, and sudo is not installed."
    as_root=(sudo)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y "$@"; }
install() { apt install --no-install-recommends "${todo[@]}"; }

echo "install-deps: installing ${todo[*]}"
# The package lists may be fresh enough; if not (a new machine has none), fetch them and try again.
if ! apt -qq install --no-install-recommends --simulate "${todo[@]}" >/dev/null 2>&1 || ! install; then
    apt -qq update || give_up "apt-get update failed: no network, or no package source?"
    install || give_up "apt-get install failed: no network, or no package source?"
fi
mapfile -t todo < <(missing)
[ ${#todo[@]} -eq 0 ] || give_up "apt-get ended well, but packages are still missing."
