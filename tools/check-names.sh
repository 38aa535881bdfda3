#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One name, one thing: no type and no function of the library is defined in two rooms under one name
# (the linker sees neither types nor static functions), and words that have a better one in the field stay out.
#   tools/check-names.sh [ROOT]     exit 1 and file:line: message for each breach
set -euo pipefail
root=${1:-$(dirname "$0")/..}
cd "$root"

mapfile -t files < <(find include src apps -type f -name '*.[ch]' 2>/dev/null | sort)
LC_ALL=C awk '
function room_of(path,    part) {
    split(path, part, "/")
    return part[1] == "src" ? part[2] : part[1]
}
function defined(name, what,    room) {
    room = room_of(FILENAME)
    if ((name in home) && home[name] != room) {
        printf "%s:%d: %s %s: there is one in %s already\n", FILENAME, FNR, what, name, place[name]
        bad = 1
    } else if (!(name in home)) {
        home[name] = room
        place[name] = FILENAME ":" FNR
    }
}
# typedef struct mrn_x {   struct mrn_x {   } mrn_x;   typedef enum mrn_x {
/^(typedef )?(struct|union|enum) mrn_[a-z0-9_]+ \{/ {
    name = $0
    sub(/^(typedef )?(struct|union|enum) /, "", name)
    sub(/ .*$/, "", name)
    defined(name, "type")
}
/^\} mrn_[a-z0-9_]+;/ {
    name = substr($2, 1, length($2) - 1)
    defined(name, "type")
}
/^static .*[ *]mrn_[a-z0-9_]+\(/ {
    match($0, /mrn_[a-z0-9_]+\(/)
    defined(substr($0, RSTART, RLENGTH - 1) "()", "function")
}
# Words of our own that a paper has another one for; CONTRIBUTING.md has the glossary.
{
    line = $0
    while (match(line, /(^|[^A-Za-z0-9])mrn_(meet|meeting|grasp|lens|yard|desk|knob|bench|touch|touches|cast|form|forms|grip)(_|[^A-Za-z0-9_]|$)/)) {
        printf "%s:%d: %s: a word of the field says it (CONTRIBUTING.md, glossary)\n", FILENAME, FNR, substr(line, RSTART, RLENGTH)
        bad = 1
        line = substr(line, RSTART + RLENGTH)
    }
}
END { exit bad }
' "${files[@]}"
