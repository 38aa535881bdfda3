#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Proves that every check can fail: plants one breach at a time in a small tree and expects the check to
# name it; the tree without a breach must pass.
set -uo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d /tmp/moraine-XXXXXX)
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 1
tests=0 bad=0
spdx='/* SPDX-License-Identifier: GPL-3.0-or-later */'

fresh_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p include/moraine src/base src/model src/run src/laws tools
    cp "$tools/layers.txt" tools/
    cp "$tools/../.clang-format" .
    echo 'raw-memory src/base/memory.c it is the allocator' >tools/exceptions.txt
    printf '%s\n' "$spdx" '/* Public. */' '#ifndef MORAINE_A_H' '#define MORAINE_A_H' \
        '#define MRN_API __attribute__((visibility("default")))' \
        '/* How many; MRN_API in a comment; counts for nothing. */' 'MRN_API int mrn_count(int n);' '#endif' \
        >include/moraine/a.h
    printf '%s\n' "$spdx" '/* Inner. */' '#ifndef MRN_MODEL_M_H' '#define MRN_MODEL_M_H' \
        '#include "moraine/a.h"' 'int mrn_inner(int n);' '#endif' >src/model/m.h
    printf '%s\n' "$spdx" '/* Counts: printf("exit(1)") in a comment harms nobody. */' '#include "model/m.h"' '' \
        'int mrn_count(int n)' '{' '    static const char *const text[] = {"free(malloc(1))", "abort()"};' \
        "    return mrn_inner(text[0][0] == '\"' ? n : n + 1);" '}' >src/run/count.c
    printf '%s\n' "$spdx" '/* Inner part. */' '#include "model/m.h"' '' \
        'int mrn_inner(int n)' '{' '    return 2 * n;' '}' >src/model/inner.c
    printf '%s\n' "$spdx" '/* The allocator. */' '#include <stdlib.h>' '' '#include "moraine/a.h"' '' \
        'void *mrn_take(int n);' 'void *mrn_take(int n)' '{' '    return malloc((unsigned)n);' '}' \
        >src/base/memory.c
}

# NAME  CHECK  PATTERN of the message ('' = must pass)  COMMAND that plants the breach
try() {
    local name=$1 check=$2 pattern=$3 output status
    shift 3
    fresh_tree
    "$@"
    output=$($check 2>&1)
    status=$?
    tests=$((tests + 1))
    if [ -z "$pattern" ]; then
        [ $status -eq 0 ] && return
    elif [ $status -ne 0 ] && grep -qE "$pattern" <<<"$output"; then
        return
    fi
    bad=$((bad + 1))
    printf 'NOT AS EXPECTED: %s (exit %d, wanted %s)\n%s\n' "$name" $status "${pattern:-to pass}" "$output"
}
nothing() { :; }
add() { printf '%s\n' "$2" >>"$1"; }
at_line() { sed -i "$2i\\$3" "$1"; }

layers="$tools/check-layers.sh $tree"
try "clean layers" "$layers" '' nothing
try "upward include" "$layers" 'src/base/memory\.c:6: .*base is below model' at_line src/base/memory.c 6 '#include "model/m.h"'
try "own room is fine" "$layers" '' at_line src/model/inner.c 4 '#include "model/m.h"'
try "dots in the path" "$layers" 'src/run/count\.c:4: .*dots' at_line src/run/count.c 4 '#include "../model/m.h"'
try "bare name" "$layers" 'src/model/inner\.c:4: .*room/file' at_line src/model/inner.c 4 '#include "m.h"'
try "unknown room" "$layers" 'room "attic" is not' eval 'mkdir src/attic; echo "int a;" >src/attic/a.c'
try "library uses a program" "$layers" 'knows nothing of apps' at_line src/run/count.c 4 '#include "apps/moraine/app.h"'
try "public uses inner" "$layers" 'include/moraine/a\.h:5: .*public header' at_line include/moraine/a.h 5 '#include "base/base.h"'

names="$tools/check-names.sh $tree"
two_types() {
    printf '%s\n' 'typedef struct mrn_flow {' '    int n;' '} mrn_flow;' | tee -a src/model/m.h >>src/run/count.c
}
try "clean names" "$names" '' nothing
try "one type, two rooms" "$names" 'src/run/count\.c:[0-9]+: type mrn_flow: there is one in src/model/m\.h' two_types
try "one static function, two rooms" "$names" 'function mrn_twice' eval 'echo "static int mrn_twice(int n) {" | tee -a src/model/m.h >>src/run/count.c'
try "a private word" "$names" 'count\.c:7: .*mrn_grasp' at_line src/run/count.c 7 '    mrn_grasp g;'
try "a word in a longer one is fine" "$names" '' at_line src/run/count.c 7 '    mrn_formula g; mrn_contact_point p;'

source="$tools/check-source.sh $tree"
try "clean source" "$source" '' nothing
in_code() { at_line src/run/count.c 7 "    $1"; }
try "exit" "$source" 'src/run/count\.c:7: no-exit' in_code 'exit(1);'
try "abort" "$source" 'count\.c:7: no-exit' in_code 'abort();'
try "assert" "$source" 'count\.c:7: no-exit' in_code 'assert (n > 0);'
try "malloc" "$source" 'count\.c:7: raw-memory' in_code 'char *p = malloc(3);'
try "free" "$source" 'count\.c:7: raw-memory' in_code 'free(p);'
try "strdup" "$source" 'count\.c:7: raw-memory' in_code 'char *p = strdup("a");'
try "mrn_free is fine" "$source" '' in_code 'mrn_free(0);'
try "table.free is fine" "$source" '' in_code 'table->free(0), table.free(0);'
try "printf" "$source" 'count\.c:7: no-print' in_code 'printf("%d", n);'
try "fprintf to stderr" "$source" 'count\.c:7: no-print' in_code 'fprintf(stderr, "%d", n);'
try "fprintf and snprintf are fine" "$source" '' in_code 'fprintf(out, "stderr"); snprintf(b, 3, "%d", n);'
try "sprintf" "$source" 'count\.c:7: unsafe-call' in_code 'sprintf(b, "%d", n);'
try "getenv" "$source" 'count\.c:7: no-surroundings' in_code 'const char *home = getenv("HOME");'
try "sum by reduction" "$source" 'count\.c:7: sum-order' in_code '#pragma omp parallel for reduction(+ : sum)'
try "simd sum" "$source" 'count\.c:7: sum-order' in_code '#pragma omp simd reduction(+:sum)'
try "greatest by reduction is fine" "$source" '' in_code '#pragma omp parallel for reduction(max : most)'
try "integer sum is fine" "$source" '' in_code '#pragma omp parallel for reduction(+ : n) /* integer */'
try "code after a comment" "$source" 'count\.c:7: no-exit' in_code '/* why */ exit(1);'
try "code after a long comment" "$source" 'count\.c:8: no-exit' in_code '/* why\n   not */ exit(1);'
try "long line" "$source" 'count\.c:7: line-length' in_code "/* $(printf '%099d' 0) */"
try "letters are counted, not bytes" "$source" '' in_code "/* $(printf 'é%.0s' {1..80}) */"
try "unfinished" "$source" 'count\.c:7: unfinished' in_code '/* TODO: later */'
try "unfinished in a page" "$source" 'page\.md:1: unfinished' add page.md 'FIXME this'
try "any folder" "$source" 'examples/demo/README\.md:1: unfinished' eval 'mkdir -p examples/demo; add examples/demo/README.md "TODO"'
try "but not what is built" "$source" '' eval 'mkdir -p build out demo; add build/page.md TODO; add out/page.md TODO; add demo/page.md TODO'
try "mkdtemp pattern is fine" "$source" '' in_code 'mkdtemp("moraine-XXXXXX");'
try "dead code" "$source" 'count\.c:7: dead-code' in_code '#if 0'
try "tab" "$source" 'count\.c:7: tab' at_line src/run/count.c 7 '    int\ta;'
try "space at the end" "$source" 'count\.c:7: space' at_line src/run/count.c 7 'int a; '
try "carriage return" "$source" 'count\.c:10: line-end' add src/run/count.c $'int a;\r'
try "no licence" "$source" 'count\.c:3: licence' sed -i 1s/GPL/MIT/ src/run/count.c
try "no file head" "$source" 'count\.c:2: file-head' sed -i 2d src/run/count.c
try "workplace" "$source" 'page\.md:1: self' add page.md 'see /work/main'
try "idle exception" "$source" 'exceptions\.txt:2: .*excuses nothing' add tools/exceptions.txt 'no-exit src/run/count.c because'
try "exception without a reason" "$source" 'exceptions\.txt:2: .*reason' add tools/exceptions.txt 'raw-memory src/base/memory.c'
try "exception is needed" "$source" 'memory\.c:10: raw-memory' sed -i d tools/exceptions.txt
long_function() {
    { printf '%s\n' "$spdx" '/* Long. */' 'void mrn_long(void)' '{' && printf '    ;%.0s\n' {1..90} && echo '}'; } >src/run/long.c
    $source | grep -q 'long\.c:4: note: a function of 90 lines' || echo 'exit(1)' >>src/run/long.c
}
try "long function is noted only" "$source" '' long_function

format="$tools/check-format.sh $tree"
if command -v clang-format >/dev/null; then
    try "clean layout" "$format" '' nothing
    try "layout" "$format" 'count\.c:[0-9]+:.*format' add src/run/count.c 'int  a ;'
fi

headers="$tools/check-headers.sh $tree"
try "clean headers" "$headers" '' nothing
try "header leans on others" "$headers" 'model/m\.h: does not compile' at_line src/model/m.h 6 'int mrn_size(size_t n);'
try "public header needs extensions" "$headers" 'moraine/a\.h: does not compile' at_line include/moraine/a.h 7 'typedef struct { int n; int a[0]; } mrn_t;'
if command -v "${CXX:-g++}" >/dev/null; then
    try "public header is not C++" "$headers" 'moraine/a\.h: does not compile as C\+\+' at_line include/moraine/a.h 7 'typedef struct { int class; } mrn_t;'
fi

formula() { # of a law: its text
    printf '%s\n' "$spdx" '/* A law. */' '#ifndef MRN_LAWS_NORMAL_A_H' '#define MRN_LAWS_NORMAL_A_H' \
        'typedef struct mrn_a {' '    double x;' '} mrn_a;' 'static inline mrn_a mrn_f(double x)' '{' "    $1" '}' \
        '#endif' >src/laws/normal_a.h
}
try "formula of a law" "$headers" '' formula 'mrn_a a = {x}; return a;'
try "formula that is C alone" "$headers" 'normal_a\.h: does not compile as C\+\+' formula 'return (mrn_a){.x = x};'

build_and_check_calls() {
    local source
    for source in src/*/*.c; do
        mkdir -p "objects/$(basename "$(dirname "$source")")"
        "${CC:-gcc}" -O1 -Iinclude -Isrc -c "$source" -o "objects/${source#src/}.o" || return 99
    done
    "$tools/check-layers.sh" --calls objects "$tree"
}
try "calls go down" build_and_check_calls '' nothing
try "upward call" build_and_check_calls 'src/base/memory\.c: calls mrn_count of run' at_line src/base/memory.c 10 '    if (mrn_count(n) < 0) return 0;'

build_and_check() {
    local object objects=()
    rm -f "$tree"/lib.a
    for object in src/*/*.c; do
        "${CC:-gcc}" -O1 -fPIC -fvisibility=hidden -Iinclude -Isrc -c "$object" -o "$object.o" || return 99
        objects+=("$object.o")
    done
    ar rcs "$tree/lib.a" "${objects[@]}" && "$tools/check-symbols.sh" "$tree/lib.a" "$tree"
}
try "clean symbols" build_and_check '' nothing
try "global without prefix" build_and_check 'count\.c\.o: global symbol helper' add src/run/count.c 'int helper(void) { return 1; }'
try "exported without prefix" build_and_check 'loud: exported, but does not start' add src/run/count.c '__attribute__((visibility("default"))) int loud(void) { return 1; }'
try "exported but not declared" build_and_check 'mrn_secret: exported, but not declared' add src/run/count.c '__attribute__((visibility("default"))) int mrn_secret(void) { return 1; }'
try "declared but not defined" build_and_check 'mrn_more: declared MRN_API' at_line include/moraine/a.h 7 'MRN_API int *mrn_more(int a,\n                      int b); /* more */'
try "a name in a comment declares nothing" build_and_check '' at_line include/moraine/a.h 7 '/* MRN_API int mrn_gone(int a); */'
try "mutable state" build_and_check 'count\.c: variable calls' in_code 'static int calls; calls++;'
try "excused state" build_and_check '' eval 'in_code "static int calls; calls++;"; add tools/exceptions.txt "mutable-state count.c:calls it counts"'
try "idle state exception" build_and_check 'excuses nothing' add tools/exceptions.txt 'mutable-state count.c:calls it counts'

# a page of the validation with one part, made and then spoilt by the arguments
page() {
    mkdir -p docs/validation tests/validate
    printf '%s\n' '# V' '' '<!-- summary -->' '' '<!-- part: a -->' >tests/validate/page.md
    printf 'known-1900\tK (1900)\n' >tests/validate/publications.tsv
    echo 'say(r, "<!-- published: known-1900 -->");' >tests/validate/a.c
    echo '#' >tests/validate/b.sh
    printf '%s\n' '<!-- published: known-1900 -->' '| q | published | ours |' '|---|--:|--:|' '| x | 1.5 | 1.4 |' \
        '| y | 2.5† | 2.4 |' '| 3 | | 3.1 |' >docs/validation/a.md
    printf 'check\tok\tx\t1\t0\t2\nend\t1\t0\t0\nexit\t0\t1\tv\n' >docs/validation/a.tsv
    "$tools/validate-page.sh" "$tree" || return
    "$@"
}
counted() { # numbers, recalled
    "$tools/validate-page.sh" --check "$tree" && grep -q "^$1 published numbers from 1 .* $2 of the numbers are" docs/validation.md
}
pages="$tools/validate-page.sh --check $tree"
try "page as its parts make it" "$pages" '' page nothing
try "numbers counted, and those recalled" 'counted 2 1' '' page nothing
try "number changed on the page" "$pages" 'is not what its parts make' page sed -i 's/1\.4/1.5/' docs/validation.md
try "verdict changed on the page" "$pages" 'is not what its parts make' page sed -i 's/| a | 1 | 0 | pass/| a | 1 | 1 | fail/' docs/validation.md
try "counted without its program" "$pages" 'counts numbers of known-1900' page sed -i s/known/other/ tests/validate/a.c

# NAME of the object  OPTIONS: y = a b + c, or an addition of vectors
object() {
    printf '%s\n' 'double mrn_f(double a, double b, double c) { return a * b + c; }' \
        'void mrn_g(double *a, const double *b) { for (int i = 0; i < 64; i++) a[i] += b[i]; }' >"$tree/f.c"
    "${CC:-gcc}" -O3 ${2:-} -c "$tree/f.c" -o "$tree/$1.c.o"
}
if [ "$(uname -m)" = x86_64 ]; then
    fused="eval $tools/check-fused.sh $tree/*.o"
    try "sum and product" "$fused" '' object a '-mavx2 -ffp-contract=off'
    try "fused" "$fused" 'a\.c\.o: mrn_f: fused' object a '-mfma -ffp-contract=fast'
    try "first object for any processor" "$fused" '' object cpu
    try "first object for some" "$fused" 'cpu\.c\.o: mrn_g: vmov.*runs before' object cpu -mavx2
    try "nothing to look at" "$tools/check-fused.sh" 'nothing to look at' nothing
fi

law() { # body of the loop
    printf '%s\n' "$spdx" '/* A law. */' 'void mrn_law(int n, double *a, const double *b, const int *c);' \
        'void mrn_law(int n, double *a, const double *b, const int *c)' '{' '#pragma omp simd' \
        '    for (int i = 0; i < n; i++)' "        $1" '    (void)c;' '}' >"$tree/law.c"
}
vectorised="$tools/check-vectorised.sh $tree/law.c"
if [ "$(basename "${CC:-gcc}")" = gcc ] || "${CC:-gcc}" --version | grep -q 'Free Software'; then
    try "vectorised loop" "$vectorised" '' law 'a[i] = b[i] > 0 ? 2 * b[i] : 0;'
    try "loop with a call" "$vectorised" 'law\.c:7: .*not vectorised' law '{ extern double mrn_f(double); a[i] = mrn_f(b[i]); }'
    hidden() {
        printf '%s\n' "$spdx" '/* A law. */' 'double mrn_f(double);' 'void mrn_law(int n, double *a, const double *b);' \
            'static void part(int n, double *a, const double *b)' '{' '#pragma omp simd' \
            '    for (int i = 0; i < n; i++)' '        a[i] = mrn_f(b[i]);' '}' \
            'void mrn_law(int n, double *restrict a, const double *restrict b)' '{' '    part(n, a, b);' \
            '    for (int i = 0; i < n; i++)' '        a[i] += b[i];' '}' >"$tree/law.c"
    }
    try "beside a loop that is, in a function inlined" "$vectorised" 'law\.c:8: .*not vectorised' hidden
    try "no marked loop" "$vectorised" 'no loop marked' eval 'echo "int mrn_a;" >law.c'
fi

shown() { # lines of the page, below a command that prints one and two
    printf '%s\n' '```text' '$ moraine count' "$@" '```' >"$tree/page.md"
    printf '%s\n' '#!/bin/sh' 'echo one' 'echo two' >"$tree/moraine" && chmod +x "$tree/moraine"
}
pages="$tools/check-docs.sh $tree/moraine $tree/page.md count"
try "page shows what is printed" "$pages" '' shown one … two
try "page shows more" "$pages" 'not printed: three' shown one two three
try "page shows another order" "$pages" 'not printed: one' shown two one
behind() { # the language of a block before that of a command which is refused
    printf '%s\n' "\`\`\`$1" 'a: 1' '```' 'Then:' '```sh' 'moraine schema scene' '```' >"$tree/page.md"
    printf '%s\n' '#!/bin/sh' '[ "$1" != schema ]' >"$tree/moraine" && chmod +x "$tree/moraine"
}
try "a command is refused" "$pages" 'moraine schema scene' behind sh
try "behind a block of another language" "$pages" 'moraine schema scene' behind yaml
warned() { # the run that is shown, of a command that warns of everything
    printf '%s\n' '```' "moraine run examples/demo/scene.yaml$1" '```' >"$tree/page.md"
    printf '%s\n' '#!/bin/sh' 'echo "  warning       soft"' >"$tree/moraine" && chmod +x "$tree/moraine"
}
try "an example warns" "$pages" 'an example as it is warns' warned ''
try "an example that was changed may warn" "$pages" '' warned ' --set seed=3'

echo "$((tests - bad)) of $tests plants found as expected"
[ $bad -eq 0 ]
