#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the built library shows to others. Exit 1 and a message for each breach.
#   tools/check-symbols.sh LIBRARY [ROOT]      libmoraine.a or libmoraine.so
# 1 every global symbol, exported or internal, starts with mrn_
# 2 a shared library exports exactly what include/moraine declares MRN_API: nothing more, nothing missing
# 3 no variable that can change at file scope (exceptions, with reasons: tools/exceptions.txt)
set -euo pipefail
library=$(realpath "${1:?the library to look at}")
cd "${2:-$(dirname "$0")/..}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() { # lines on stdin, with a prefix
    local lines
    lines=$(cat)
    [ -z "$lines" ] && return
    printf '%s\n' "$lines"
    bad=1
}

shared=$library
if [ "${library##*.}" = a ]; then
    nm -A -g --defined-only "$library" | awk -F: '
        { split($NF, f, " "); if (f[3] !~ /^mrn_/) print $2 ": global symbol " f[3] ": start it with mrn_, or make it static" }' \
        >"$work/names"
    complain <"$work/names"
    # the exports a shared library of these objects would have; undefined names are of no interest here
    shared=$work/all.so
    "${CC:-gcc}" -shared -nostdlib -Wl,--unresolved-symbols=ignore-all -o "$shared" \
        -Wl,--whole-archive "$library" -Wl,--no-whole-archive

    objdump -t "$library" | awk '
        FILENAME != "-" && FILENAME != "" { if ($1 == "mutable-state") excuse[$2] = FNR; next }
        /file format/ { object = $1; sub(/\.o:$/, "", object) }
        # "address flags section size name"; constant tables with pointers are in .data.rel.ro
        / O / {
            for (i = 1; i <= NF && $i != "O"; i++)
                ;
            section = $(i + 1)
            if (section !~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ || section ~ /^\.data\.rel\.ro/)
                next
            name = $NF
            sub(/\.[0-9]+$/, "", name)
            if ((object ":" name) in excuse)
                used[object ":" name] = 1
            else
                print object ": variable " name ": no mutable state outside the state (tools/exceptions.txt)"
        }
        END {
            for (key in excuse)
                if (!(key in used))
                    print "tools/exceptions.txt:" excuse[key] ": \"" key "\" excuses nothing; remove it"
        }' tools/exceptions.txt - >"$work/state"
    complain <"$work/state"
fi

nm -D --defined-only "$shared" | awk '{ print $3 }' | sort -u >"$work/exported"
grep -v '^mrn_' "$work/exported" | sed 's/$/: exported, but does not start with mrn_/' >"$work/foreign" || true
complain <"$work/foreign"
# what MRN_API stands before, after the preprocessor
(cd include && printf '#include "%s"\n' moraine/*.h) | "${CC:-gcc}" -E -P -Iinclude - | tr '\n' ' ' |
    sed 's/__attribute__ *((visibility("default")))/\nMRN_API /g' | sed -n 's/^MRN_API //p' |
    awk 'match($0, /[A-Za-z_][A-Za-z_0-9]* *[(;[]/) { name = substr($0, RSTART, RLENGTH - 1); gsub(/ /, "", name); print name }' |
    sort -u >"$work/declared"
comm -13 "$work/exported" "$work/declared" |
    sed 's|$|: declared MRN_API in include/moraine, defined nowhere|' >"$work/undefined"
complain <"$work/undefined"
comm -23 "$work/exported" "$work/declared" | { grep '^mrn_' || true; } |
    sed 's|$|: exported, but not declared MRN_API in include/moraine|' >"$work/undeclared"
complain <"$work/undeclared"
exit $bad
