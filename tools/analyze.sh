#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Static analysis of src/ and apps/: cppcheck, clang-tidy (its checks: .clang-tidy) and gcc's
# -fanalyzer; and some tests under valgrind, which sees what libraries do with our memory as well.
# Suppressions stand here, each with its reason. Exit 1 when something is found.
#   tools/analyze.sh [cppcheck|tidy|gcc|valgrind]…    default: all that are installed
set -uo pipefail
cd "$(dirname "$0")/.."
one=()
[ "${1:-}" != --one ] || { one=("$2" "$3") && shift 3; } # for itself: one file with one tool
tools=("$@")
[ ${#tools[@]} -gt 0 ] || tools=(cppcheck tidy gcc valgrind)
jobs=${JOBS:-$(nproc)}
[ ${#one[@]} -gt 0 ] || cmake --preset release >/dev/null || exit 2
database=build/release/compile_commands.json
mapfile -t sources < <(ls src/*/*.c apps/moraine/*.c)
bad=0

run_cppcheck() {
    # unusedStructMember: members are read by offset (tables of keys and fields)
    # normalCheckLevelMaxBranches, missingIncludeSystem: remarks on cppcheck itself
    # nullPointerRedundantCheck, nullPointer: cmocka-free code checks status before use, which cppcheck
    #   does not follow through mrn_status
    # internalAstError, cppcheckError: compound literals and long constants that cppcheck 2.10 cannot read
    # legacyUninitvar: `sizeof store[k].s` is no use of it; unknownEvaluationOrder: a compound literal
    #   beside `n++` that does not mention n
    # syntaxError: rows of tables made by macros (BETWEEN, POINTS), which cppcheck 2.10 gives up on
    # arrayIndexThenCheck: `a[j] == a[i] && j < i` puts equal ones in order and bounds nothing
    # invalidPointerCast: a member read by its offset in a table; rooms of memory on the device and the bits
    #   of a mask that holds doubles, each of them written and read as the same kind
    # unknownMacro: json_object_foreach with one statement; invalidFunctionArg: log10 of an axis whose
    #   values mrn_axis_shows has looked at, which cppcheck assumes to be 0
    # ctuuninitvar, uninitvar: output parameters filled where the status is MRN_OK, likewise
    cppcheck --quiet --std=c11 -j "$jobs" --enable=warning,portability --inline-suppr \
        --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
        --suppress=internalAstError --suppress=cppcheckError --suppress=legacyUninitvar \
        --suppress=unknownEvaluationOrder --suppress=nullPointerRedundantCheck --suppress=uninitvar --suppress=ctuuninitvar \
        --suppress=preprocessorErrorDirective --suppress=syntaxError --suppress=arrayIndexThenCheck \
        --suppress=invalidPointerCast:src/model/report.c --suppress=invalidPointerCast:src/cuda/list.c \
        --suppress=invalidPointerCast:src/cuda/world.c --suppress=invalidPointerCast:src/smooth/stream.c \
        --suppress=unknownMacro:apps/moraine/report_summary.c --suppress=invalidFunctionArg:src/draw/axis.c \
        --error-exitcode=1 -DMRN_API= -Iinclude -Isrc src apps
}

# A file that was clean is not looked at again until it, a header of it or the checks change: a long
# look may be cut short and goes on where it was. once STEM COMMAND…: runs it if STEM has no mark.
marks=build/release/analyzed
mkdir -p "$marks"
once() {
    [ -e "$marks/$1" ] || { "${@:2}" && touch "$marks/$1"; }
}
# The name of a mark: the tool, and a sum of the file as the compiler sees it and of what is looked for.
mark_of() { # tool file what
    printf '%s-%s' "$1" "$( (echo "$2 $3" && cc -E -P -D_GNU_SOURCE -fopenmp -std=c17 -Iinclude -Isrc -Iapps \
        -I/usr/include/hdf5/serial -I/usr/include/suitesparse -I/usr/include/cairo "$2" 2>/dev/null) | sha256sum | cut -c1-32)"
}

# What is left out, and why: .clang-tidy. Paths through a function (clang-analyzer-*) are looked at in the
# rooms that read bytes of others: that takes seconds of processor for each file, an hour for all of them
# (ALL=1), and gcc's -fanalyzer walks the paths of every room.
tidy_one() {
    local what=()
    case $1 in
    src/scene/* | src/store/* | src/import/* | src/fclib/* | src/readers/* | src/geom/*stl* | src/geom/*obj*) ;;
    *) [ -n "${ALL:-}" ] || what=('--checks=-clang-analyzer-*') ;;
    esac
    once "$(mark_of tidy "$1" "${what[*]} $(cat .clang-tidy)")" clang-tidy --quiet "${what[@]}" -p build/release \
        --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null
}

run_tidy() {
    printf '%s\n' "${sources[@]}" | xargs -P "$jobs" -n 1 "$0" --one tidy
}

run_gcc() {
    # -Wanalyzer-malloc-leak, -use-of-uninitialized-value: gcc 12 does not follow ownership through
    #   mrn_array(&slot, …) and reports every such call
    # -Wanalyzer-file-leak, -fd-leak: likewise through structures
    # -Wmaybe-uninitialized: of -O1 alone; the build itself has it at -O3
    # MRN_DISPATCHED: clones for newer processors are the same functions once more, and gcc walks the paths of
    #   all of them together: smooth/fused.c takes 6 s without them, more than ten minutes with them
    python3 - "$database" <<'PY' | xargs -P "$jobs" -d '\n' -n 1 "$0" --one gcc
import json, shlex, sys
for e in json.load(open(sys.argv[1])):
    if '/src/' not in e['file'] or '/tests/' in e['file']:
        continue
    a = [x for x in shlex.split(e['command']) if x != 'ccache']
    a = [x for x in a if not x.endswith('.o') and x not in ('-o', '-O3')]
    print('%s cd %s && %s -O1 -DMRN_DISPATCHED= -fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-use-of-uninitialized-value '
          '-Wno-analyzer-file-leak -Wno-maybe-uninitialized -o /dev/null' % (e['file'], e['directory'], ' '.join(map(shlex.quote, a))))
PY
}

gcc_one() { # "FILE COMMAND"
    once "$(mark_of gcc "${1%% *}" "${1#* }")" bash -c "${1#* }"
}

# Short tests of every kind of memory: scenes, states, meshes, files, problems, calendars.
# Not model-copy: it knows allocated memory by its high address, which it does not have under valgrind.
run_valgrind() {
    local tests='base-memory base-util base-message model-signal model-state model-contacts geom-mesh
        geom-stl event-calendar store-frame store-checkpoint linalg-cholesky solve-problem
        measure-probes generate-places fclib-fclib run-sample' t found=0
    cmake --build --preset release -j "$jobs" --target $(printf 'test-%s ' $tests) >/dev/null || return 2
    for t in $tests; do
        OMP_NUM_THREADS=1 valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
            --suppressions=tools/valgrind.supp "build/release/tests/test-$t" >/dev/null 2>"build/release/valgrind.log" ||
            { echo "$t:" && tail -30 build/release/valgrind.log && found=1; }
    done
    return $found
}

if [ ${#one[@]} -gt 0 ]; then
    "${one[0]}_one" "${one[1]}"
    exit
fi
for t in "${tools[@]}"; do
    case $t in
    cppcheck) command -v cppcheck >/dev/null || continue ;;
    tidy) command -v clang-tidy >/dev/null || continue ;;
    gcc) ;;
    valgrind) command -v valgrind >/dev/null || continue ;;
    *) sed -n '6s/^# //p' "$0" >&2 && exit 2 ;;
    esac
    echo "== $t"
    "run_$t" || bad=1
done
exit $bad
