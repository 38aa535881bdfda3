#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Data goes one way: checks every #include of src/ and include/ against tools/layers.txt.
#   tools/check-layers.sh [ROOT]                    exit 1 and file:line: message for each wrong include
#   tools/check-layers.sh --calls OBJECTS [ROOT]    the same for calls: no object of a room uses a symbol
#       that a room above defines. OBJECTS: the folder of <room>/<file>.o that a build leaves
set -euo pipefail
objects=
if [ "${1:-}" = --calls ]; then
    objects=$(realpath "${2:?the folder of the objects}")
    shift 2
fi
root=${1:-$(dirname "$0")/..}
cd "$root"
here=$PWD

if [ -n "$objects" ]; then
    (cd "$objects" && find . -name "*.o" -printf "%P\n" | sort | while read -r o; do [ -f "$here/src/${o%.o}" ] && echo "$o"; done | xargs nm -A) | LC_ALL=C awk '
    FILENAME == "tools/layers.txt" {
        if ($0 !~ /^#/ && NF)
            level[$1] = ++n_rooms
        next
    }
    # room/file.c.o:address T symbol, or room/file.c.o:          U symbol
    {
        colon = index($0, ":")
        object = substr($0, 1, colon - 1)
        sub(/\.o$/, "", object)
        room = object
        sub(/\/.*$/, "", room)
        kind = $(NF - 1)
        if (kind ~ /^[TDRBV]$/)
            home[$NF] = room
        else if (kind == "U") {
            n_used++
            user[n_used] = object
            of[n_used] = room
            symbol[n_used] = $NF
        }
    }
    END {
        for (i = 1; i <= n_used; i++) {
            to = home[symbol[i]]
            if (to != "" && level[to] > level[of[i]]) {
                printf "src/%s: calls %s of %s: %s is below it (tools/layers.txt)\n", user[i], symbol[i], to, of[i]
                bad = 1
            }
        }
        exit bad
    }
    ' tools/layers.txt -
    exit
fi

mapfile -t files < <(find include src -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.inc' \) | sort)
LC_ALL=C awk '
FILENAME == "tools/layers.txt" {
    if ($0 !~ /^#/ && NF)
        level[$1] = ++n_rooms
    next
}
function wrong(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
}
FNR == 1 {
    split(FILENAME, part, "/")
    room = part[1] == "src" ? part[2] : ""
    if (room != "" && !(room in level))
        wrong("room \"" room "\" is not in tools/layers.txt")
}
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    path = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", path)
    quoted = substr(path, 1, 1) == "\""
    path = substr(path, 2)
    sub(/[">].*$/, "", path)
    if (path ~ /^moraine\//)
        next
    if (path ~ /(^|\/)\.\.?\//) {
        wrong("include \"" path "\": name the room, \"room/file.h\", not a path with dots")
        next
    }
    target = path
    sub(/\/.*$/, "", target)
    inside = path ~ /\// && target in level
    if (path ~ /^(apps|tests|bench|src|include)\//)
        wrong("include \"" path "\": the library knows nothing of " target "/")
    else if (room == "") {
        if (quoted || inside)
            wrong("include \"" path "\": a public header includes only \"moraine/...\" and system headers")
    } else if (inside) {
        if (level[target] > level[room])
            wrong("include \"" path "\": " room " is below " target " (tools/layers.txt)")
    } else if (quoted)
        wrong("include \"" path "\": write \"room/file.h\" for a room of tools/layers.txt")
}
END { exit bad }
' tools/layers.txt "${files[@]}"
