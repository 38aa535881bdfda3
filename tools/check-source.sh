#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# House rules that a search can check. Exit 1 and file:line: rule: message for each breach.
#   tools/check-source.sh [ROOT]     exceptions, with reasons: tools/exceptions.txt
set -euo pipefail
root=${1:-$(dirname "$0")/..}
cd "$root"

# Everything we write, but for the licence, what is built, and the two files that must name what they forbid.
mapfile -t files < <(find . \( -path ./.git -o -path ./build -o -path ./out -o -path ./demo \) -prune -o \
    -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.inc' -o -name '*.sh' -o -name '*.awk' -o -name '*.cmake' \
    -o -name '*.txt' -o -name '*.md' -o -name '*.yaml' -o -name '*.yml' -o -name '*.in' -o -name '*.json' \
    -o -name Makefile -o -path './.ci/*' \) -print |
    sed 's|^\./||' | grep -v -x -e tools/check-source.sh -e tools/test-checks.sh -e tools/exceptions.txt | sort)

LC_ALL=C awk '
function wrong(rule, text) {
    if ((rule, FILENAME) in excuse) {
        used[rule, FILENAME] = 1
        return
    }
    printf "%s:%d: %s: %s\n", FILENAME, FNR, rule, text
    bad = 1
}
function note(text) { notes[++n_notes] = text }

# The line without comments, and with strings and characters emptied; `in_comment` lasts over lines.
function code_of(s,    out, c, two) {
    out = ""
    while (s != "") {
        two = substr(s, 1, 2)
        c = substr(s, 1, 1)
        if (in_comment) {
            if (match(s, /\*\//)) {
                s = substr(s, RSTART + 2)
                in_comment = 0
            } else
                s = ""
        } else if (two == "/*") {
            in_comment = 1
            s = substr(s, 3)
        } else if (two == "//")
            s = ""
        else if (c == "\"" && match(s, /^"([^"\\]|\\.)*"/)) {
            out = out "\"\""
            s = substr(s, RLENGTH + 1)
        } else if (c == "\047" && match(s, /^\047([^\047\\]|\\.)+\047/)) {
            out = out "0"
            s = substr(s, RLENGTH + 1)
        } else {
            out = out c
            s = substr(s, 2)
        }
    }
    return out
}
function calls(code, names) { return code ~ ("(^|[^A-Za-z0-9_.>])(" names ")[ \t]*\\(") }

function check_line_of_c(line,    code, wide) {
    wide = line
    gsub(/[\200-\277]/, "", wide) # count letters, not bytes
    if (length(wide) > 100 && FILENAME !~ /\.def$/)
        wrong("line-length", length(wide) " columns; 100 at most")
    if (FNR == 2 && FILENAME ~ /\.[ch]$/ && line !~ /^\/\*/)
        wrong("file-head", "the second line says in a comment what the file is")
    code = code_of(line)
    if (line ~ /^[ \t]*#[ \t]*if[ \t]+0/)
        wrong("dead-code", "#if 0: remove it, git remembers")
    if (FILENAME ~ /^(src|apps)\// && calls(code, "sprintf|vsprintf|gets|strtok|atof|rand|srand|drand48|alloca"))
        wrong("unsafe-call", "use the bounded, checked, reentrant, seeded way (snprintf, strtod, mrn_rng, ...)")
    if (FILENAME ~ /^src\//)
        check_library(code)
    function_size(code)
}
function check_library(code) {
    if (calls(code, "exit|_exit|_Exit|quick_exit|abort|assert"))
        wrong("no-exit", "the library returns a mrn_status (mrn_fail), it never ends the program")
    if (calls(code, "malloc|calloc|realloc|reallocarray|free|strdup|strndup|aligned_alloc|posix_memalign|asprintf|vasprintf|getline"))
        wrong("raw-memory", "memory comes from mrn_alloc and goes to mrn_free: counted, and able to fail in tests")
    if (calls(code, "printf|vprintf|puts|putchar|perror") || code ~ /f(printf|puts|putc|write|flush)[ \t]*\(.*std(err|out)/ || code ~ /(^|[^A-Za-z0-9_])std(err|out)([^A-Za-z0-9_]|$)/)
        wrong("no-print", "the library prints only into a FILE * it was given")
    if (calls(code, "system|popen|setlocale|signal|fork|getenv|setenv"))
        wrong("no-surroundings", "the library leaves process and environment to the program that uses it")
    if (code ~ /#[ \t]*pragma[ \t]+omp.*reduction[ \t]*\([ \t]*[-+*]/ && raw !~ /integer/)
        wrong("sum-order", "a reduction adds in an order that depends on threads and vector width: sum in fixed blocks (or say integer in a comment on the line)")
    if (code ~ /#[ \t]*pragma[ \t]+(GCC|clang|STDC)/)
        wrong("pragma", "no compiler-specific pragma")
}
# Bodies start with { and end with } in the first column (clang-format sees to it).
function function_size(code) {
    if (code ~ /^\{/)
        start = FNR
    else if (code ~ /^\}/ && start) {
        if (FNR - start - 1 > 80 && FILENAME ~ /^(src|apps)\//)
            note(FILENAME ":" start ": note: a function of " (FNR - start - 1) " lines; talk about it above 80")
        start = 0
    }
}

FILENAME == "tools/exceptions.txt" {
    if ($0 !~ /^#/ && NF && $1 != "mutable-state")
        excuse[$1, $2] = FNR
    if (!/^#/ && NF && NF < 3)
        wrong("exceptions", "rule, place and reason, please")
}
FNR == 1 {
    in_comment = 0
    start = 0
    is_c = FILENAME ~ /\.([ch]|def|inc)$/
    wants_head = is_c || FILENAME ~ /(\.sh|\.awk|\.cmake|CMakeLists\.txt|Makefile)$/ || FILENAME ~ /^\.ci\//
    head = ""
    last_file = FILENAME
}
FNR <= 3 {
    head = head $0
    if (FNR == 3 && wants_head && head !~ /SPDX-License-Identifier: GPL-3\.0-or-later/)
        wrong("licence", "SPDX-License-Identifier: GPL-3.0-or-later in the first three lines")
}
{ raw = $0 }
# broken scenes are broken on purpose
/\t/ && FILENAME !~ /Makefile$|^tests\/scenes\// { wrong("tab", "four spaces, no tabs") }
/[ \t]$/ && FILENAME !~ /^tests\/scenes\// { wrong("space", "space at the end of the line") }
/\r/ && FILENAME !~ /^tests\/scenes\// { wrong("line-end", "lines end with a line feed alone") }
/(^|[^A-Za-z])(TODO|FIXME|XXX|HACK)([^A-Za-z]|$)/ { wrong("unfinished", "finish it, or open an issue; the tree holds no " "notes to self") }
/\/work\/|[sS]ub-?agent|[Aa][Ii] (assistant|agent|model)|[Ll]anguage model|ChatGPT|Claude|Anthropic|OpenAI|Copilot|[Aa]gentic/ {
    wrong("self", "the project speaks of granular mechanics, not of how or where it was made")
}
FILENAME ~ /\.(md|ya?ml)$/ && /(^|[^A-Za-z_])([Hh]elpers?|[Bb]riefs?|[Ss]ub-?agents?)([^A-Za-z_.]|$)/ {
    wrong("self", "the project speaks of granular mechanics, not of how or where it was made")
}
is_c { check_line_of_c($0) }
END {
    for (key in excuse)
        if (!(key in used)) {
            split(key, part, SUBSEP)
            printf "tools/exceptions.txt:%d: exceptions: \"%s %s\" excuses nothing; remove it\n", excuse[key], part[1], part[2]
            bad = 1
        }
    for (i = 1; i <= n_notes; i++)
        print notes[i]
    exit bad
}
' tools/exceptions.txt "${files[@]}"
