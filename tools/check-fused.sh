#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Results keep their bits for every compiler and instruction set: no object has a fused multiply-add
# (one rounding where the source has two), asked of the instructions themselves. And what runs before
# a processor is found too old has none that only newer ones know.
#   tools/check-fused.sh LIBRARY|OBJECT…    exit 1 and the function; nothing to ask but on x86-64
set -euo pipefail
[ "$(uname -m)" = x86_64 ] || exit 0
# Objects that run first: CMakeLists.txt builds them for any processor.
first='(cpu|message|main)\.c\.o'
found=$(for file in "$@"; do
    [ -n "$file" ] && objdump -d --no-show-raw-insn "$file"
done | awk -v first="^$first:?\$" '
    /file format/ { object = $1; sub(/:$/, "", object); sub(/.*\//, "", object); objects++ }
    /^[0-9a-f]+ </ { name = $2; gsub(/[<>:]/, "", name) }
    /^ +[0-9a-f]+:/ {
        if ($2 ~ /^vfn?m(add|sub)/)
            print object ": " name ": fused: " $2 ": the build must not have it (CMakeLists.txt: -mno-fma)"
        else if (object ~ first && $2 ~ /^v[a-z]/ && $2 !~ /^ver[rw]/)
            print object ": " name ": " $2 ": runs before the processor is known to have it"
    }
    END { if (!objects) print "check-fused: nothing to look at" }')
[ -z "$found" ] && exit 0
printf '%s\n' "$found" | sort -u >&2
exit 1
