#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes docs/reference from the program's own tables, so that it cannot disagree with the program.
#   tools/gen-docs.sh            writes
#   tools/gen-docs.sh --check    exit 1 and the difference if a page is out of date or nobody's
set -euo pipefail
cd "$(dirname "$0")/.."
moraine=${MORAINE:-build/release/moraine}
[ -x "$moraine" ] || { echo "gen-docs: no command at $moraine; run make docs" >&2 && exit 2; }
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

# The pages of `moraine help`, subcommand by subcommand, in the order of its list.
commands() {
    printf '# Commands\n\n```text\n'
    "$moraine" help
    printf '```\n'
    "$moraine" help | awk '/^  [a-z]+ +[A-Z]/ && $1 != "help" { print $1 }' | while read -r name; do
        printf '\n## moraine %s\n\n```text\n' "$name"
        "$moraine" help "$name"
        printf '```\n'
    done
}

# One table per macro of fields.def: MRN_BODY_FIELD(type, name, width, unit, saved, doc); contacts have a stage too.
fields() {
    printf '# Arrays of the state\n\nFrom `include/moraine/fields.def`. A program reads them under these names'
    printf ' in `mrn_state.body`,\n`mrn_state.pair` and `mrn_contacts`. "Saved" arrays stand in checkpoints; the others follow from them.\n'
    for kind in BODY PAIR; do
        [ $kind = BODY ] && printf '\n## One entry per body\n\n' ||
            printf '\n## One entry per candidate pair of the neighbour list\n\n'
        printf '| array | numbers | type | unit | saved | meaning |\n|---|---|---|---|---|---|\n'
        sed -nE 's/^MRN_'$kind'_FIELD\(([a-z0-9]+), ([a-z_]+), ([0-9]+), "([^"]*)", ([012]), "(.*)"\)$/| `\2` | \3 | \1 | \4 | \5 | \6 |/p' \
            include/moraine/fields.def | sed -E 's/ \| 1 \| ([^|]*) \|$/ | yes | \1 |/; s/ \| 0 \| ([^|]*) \|$/ | no | \1 |/; s/ \| 2 \| ([^|]*) \|$/ | yes, when an integrator needs it | \1 |/'
    done
    printf '\n## One entry per contact\n\nA network has the columns that its method or reader uses (`src/model/contacts.c`); the others are NULL.\n'
    printf 'Numbers: HISTORY as many as the laws of the scene remember, IMPULSE as many as its contact problem has\n'
    printf 'per contact. Filled by: LIST, the neighbour list; GEOMETRY, the narrow phase; FORCE, the law or the solver.\n\n'
    printf '| array | numbers | type | unit | saved | filled by | meaning |\n|---|---|---|---|---|---|---|\n'
    sed -nE 's/^MRN_CONTACT_FIELD\(([a-z0-9]+), ([a-z_]+), ([0-9A-Z]+), "([^"]*)", ([01]), ([A-Z]+), "(.*)"\)$/| `\2` | \3 | \1 | \4 | \5 | \6 | \7 |/p' \
        include/moraine/fields.def | sed -E 's/ \| 1 \| ([A-Z]+ \| [^|]*) \|$/ | yes | \1 |/; s/ \| 0 \| ([A-Z]+ \| [^|]*) \|$/ | no | \1 |/'
}

"$moraine" schema >"$fresh/scene.schema.json"
"$moraine" reference >"$fresh/scene.md"
"$moraine" schema lab >"$fresh/lab.schema.json"
"$moraine" reference lab >"$fresh/lab.md"
"$moraine" schema calibration >"$fresh/calibration.schema.json"
"$moraine" reference calibration >"$fresh/calibration.md"
"$moraine" methods --markdown >"$fresh/methods.md"
"$moraine" laws --markdown >"$fresh/laws.md"
"$moraine" shapes --markdown >"$fresh/shapes.md"
"$moraine" solvers --markdown >"$fresh/solvers.md"
"$moraine" problems --markdown >"$fresh/problems.md"
{ printf '# Probes\n\n' && "$moraine" probes --markdown; } >"$fresh/probes.md"
commands >"$fresh/commands.md"
fields >"$fresh/fields.md"
for page in "$fresh"/*; do
    [ -s "$page" ] || { echo "gen-docs: ${page##*/} came out empty" >&2 && exit 1; }
done
declared=$(grep -cE '^MRN_(BODY|PAIR|CONTACT)_FIELD\(' include/moraine/fields.def)
[ "$declared" -eq "$(grep -c '^| `' "$fresh/fields.md")" ] ||
    { echo "gen-docs: a line of fields.def is not understood" >&2 && exit 1; }

# the mechanical part of the Python package, from the same tables and the headers
python() {
    command -v python3 >/dev/null || return 0
    python3 tools/gen-python.py --moraine "$moraine" "$@"
}
if [ "${1:-}" = --check ]; then
    diff -ruN docs/reference "$fresh" ||
        { echo "docs/reference is out of date: run make docs" >&2 && exit 1; }
    python --check
    exit
fi
mkdir -p docs/reference
chmod 644 "$fresh"/*
rm -f docs/reference/*
cp "$fresh"/* docs/reference/
echo "docs/reference: $(cd "$fresh" && echo *)"
python
