#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Data goes one way: checks every #include of src/ and include/ against tools/layers.txt.
#   tools/check-layers.sh [ROOT]     exit 1 and file:line: message for each wrong include
set -euo pipefail
root=${1:-$(dirname "$0")/..}
cd "$root"

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
