#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Puts docs/validation.md together: tests/validate/page.md with what each part wrote (docs/validation/PART.md), its
# checks with value, bounds and verdict (docs/validation/PART.tsv), how it ended, and at the head a count of it all.
# Published numbers are counted where a program said whose they are: "<!-- published: KEY -->" before a table, KEY being
# one of tests/validate/publications.tsv. Of that table count the cells that are numbers in columns whose head has the
# word published, theirs, printed or measured, and in rows whose first cell has the word published or measured; a column
# "points" holds how many points of a figure were compared, which are counted apart. Several KEYs are those of the rows.
# A cell "1 to 2" holds two. A number that stands in two tables of one publication counts once; a table that shows
# published numbers again in another rounding, or what a published law makes of a size, has no such line before it.
# Numbers with a dagger were not read where they were published; how many these are stands beside the count. A line
# "<!-- published: KEY -->" on a page whose program does not write it is an error: the next run would take it away.
#   tools/validate-page.sh [--check] [TOP]     the project (default: where this is); --check: exit 1 where the page is
#                                              not what its parts, their rows and page.md make
set -euo pipefail
check=false
[ "${1:-}" = --check ] && check=true && shift
cd "${1:-$(dirname "$0")/..}"
dir=docs/validation out=docs/validation.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# what is counted was written by the program of its part
for page in "$dir"/*.md; do
    part=$(basename "$page" .md)
    while IFS= read -r mark; do
        # in C a long line may go on in the next: every word of it has to be there
        for key in $mark; do
            grep -qswF -- "$key" tests/validate/"$part".[ch] tests/validate/"$part".sh && continue
            echo "validate-page: $page counts numbers of $key, and the program of part $part does not say so" >&2
            exit 1
        done
    done < <(sed -n 's/^<!-- published: \(.*\) -->$/\1/p' "$page")
done

# how a part ended, in words, and its checks
verdict() { # PART
    local rows="$dir/$1.tsv"
    if [ ! -f "$rows" ]; then
        if [ -f "$dir/$1.md" ]; then
            echo "*Part \`$1\`: its numbers are from a run before values of checks were kept; it has not been run since.*"
        else
            echo "*Part \`$1\` has not been run.*"
        fi
        return
    fi
    awk -F'\t' -v part="$1" '
        function cell(t) { gsub(/\|/, "\\|", t); return t }
        $1 == "check" { n++; bad += $2 != "ok"; row[n] = $0; next }
        $1 == "why" { why[n] = $2; next }
        $1 == "end" { ended = 1; kept = $4; next } # seconds of pieces that were kept from an earlier call
        $1 == "exit" { code = $2; seconds = $3 + kept; version = $4; left = 1 }
        END {
            if (!ended && n == 0 && left) state = (code == 0 ? "passes" : "**fails** (exit " code ")") ", without rows of its checks"
            else if (!ended) state = "**aborted**: what stands here is not whole"
            else if (bad) state = "**" bad " of " n " checks fail**"
            else if (left && code != 0) state = "**fails** (exit " code ")"
            else state = n == 1 ? "the check passes" : "all " n " checks pass"
            took = left ? sprintf(", %d s, version %s", seconds, version) : ""
            printf "*Part `%s`: %s%s.*\n\n", part, state, took
            if (n == 0) exit
            print "<details><summary>Checks: value, bounds, verdict</summary>\n"
            print "| check | value | asked | |\n|---|--:|---|---|"
            for (i = 1; i <= n; i++) {
                split(row[i], f, "\t")
                lo = f[5] + 0; hi = f[6] + 0
                asked = f[5] == "-inf" ? "at most " f[6] : f[6] == "inf" ? "at least " f[5] : f[5] " … " f[6]
                printf "| %s | %s | %s | %s |\n", cell(f[3]), f[4], asked,
                       f[2] == "ok" ? "pass" : "**FAIL**" (i in why ? ": " cell(why[i]) : "")
            }
            print "\n</details>"
        }' "$rows"
}

line() { # PART: a row of the table at the head
    local rows="$dir/$1.tsv"
    [ -f "$rows" ] || [ ! -f "$dir/$1.md" ] || { echo "| $1 | | | not run since values of checks are kept | |"; return; }
    [ -f "$rows" ] || { echo "| $1 | | | not run | |"; return; }
    awk -F'\t' -v part="$1" '
        $1 == "check" { n++; if ($2 != "ok") { bad++; names = names (names == "" ? "" : "; ") $3 } }
        $1 == "end" { ended = 1; kept = $4 }
        $1 == "exit" { code = $2; seconds = $3 + kept; left = 1 }
        END {
            gsub(/\|/, "\\|", names)
            word = !ended && n == 0 && left ? (code == 0 ? "pass" : "**fail**") : !ended ? "**aborted**" : bad ? "**fail**: " names : left && code != 0 ? "**fail**" : "pass"
            printf "| %s | %d | %d | %s | %s |\n", part, n, bad, word, left ? seconds " s" : ""
        }' "$rows"
}

while IFS= read -r text; do
    if [[ $text =~ ^'<!-- part: '([a-z_0-9]+)' -->'$ ]]; then
        part=${BASH_REMATCH[1]}
        echo "$part" >> "$work/parts"
        if [ -s "$dir/$part.md" ]; then cat "$dir/$part.md"; else echo "*(not run yet: \`make validate\`)*"; fi
        echo
        verdict "$part"
    else
        printf '%s\n' "$text"
    fi
done < tests/validate/page.md > "$work/body"

awk -F'\t' -v table="$work/body" '
    function numbers(line, columns, key,   cell, m, i, c, text, two) {
        m = split(line, cell, /\|/)
        c = 0
        for (i = 2; i < m; i++)
            if ((columns[i] || tolower(cell[2]) ~ /published|measured/) && cell[i] ~ /^ *\**([-+<>~≈]|−|about )*[0-9]/ && i > 2 - columns[2]) {
                text = cell[i]
                gsub(/[ *]|†/, "", text)
                if ((key, text) in seen && seen[key, text] != table_number) continue
                seen[key, text] = table_number
                two = cell[i] ~ /[0-9] to [-+−]?[0-9]/ ? 2 : 1
                c += two
                if (cell[i] ~ /†/) recalled[key] += two
            }
        return c
    }
    NR == FNR { if ($1 !~ /^#/ && NF >= 2) { order[++k] = $1; full[$1] = $2 } next }
    /^<!-- published: / { split($0, w, / +/); state = 1; row = 0; table_number++
        for (keys = 0; w[3 + keys] != "-->" && w[3 + keys] != ""; keys++) {
            name[keys] = w[3 + keys]
            if (!(name[keys] in full)) { printf "validate-page: publication %s is not in publications.tsv\n", name[keys] > "/dev/stderr"; bad = 1 }
        }
        next }
    state == 1 && /^\|/ {
        delete mark; points = 0
        m = split(tolower($0), head, /\|/)
        for (i = 2; i < m; i++) { mark[i] = head[i] ~ /published|theirs|printed|measured/; if (head[i] ~ /^ *points *$/) points = i }
        state = 2; next }
    state == 2 && /^\|/ {
        if ($0 ~ /^\|[-:| ]+\|$/) next
        key = name[row < keys ? row : keys - 1]; row++
        count[key] += numbers($0, mark, key)
        if (points) { split($0, cell, /\|/); figure[key] += cell[points] }
        next }
    state == 2 { state = 0 }
    END {
        if (bad) exit 1
        for (i = 1; i <= k; i++) if (count[order[i]] + figure[order[i]] > 0) { sum += count[order[i]]; drawn += figure[order[i]]; memory += recalled[order[i]]; n++ }
        printf "%d published numbers from %d publications stand beside ours on this page, each counted once, and %d points read off published figures (closed forms apart). %d of the numbers are marked † and recalled: they are as usually quoted, not read where they were published.\n\n", sum, n, drawn, memory
        print "| publication | numbers | recalled | points of figures |\n|---|--:|--:|--:|"
        for (i = 1; i <= k; i++) if (count[order[i]] + figure[order[i]] > 0)
            printf "| %s | %d | %s | %s |\n", full[order[i]], count[order[i]], (recalled[order[i]] > 0 ? recalled[order[i]] : ""), (figure[order[i]] > 0 ? figure[order[i]] : "")
    }' tests/validate/publications.tsv "$work/body" > "$work/counts"
{
    echo "| part | checks | failed | | time |"
    echo "|---|--:|--:|---|--:|"
    for name in $(basename -a tests/validate/*.c tests/validate/*.sh | sed 's/\.[a-z]*$//'); do line "$name"; done
    echo
    cat "$work/counts"
} > "$work/head"
awk -v head="$work/head" '/^<!-- summary -->$/ { while ((getline l < head) > 0) print l; next } !/^<!-- published: / { print }' \
    "$work/body" > "$work/page"
if $check; then
    cmp -s "$work/page" "$out" && exit 0
    echo "$out is not what its parts make (tools/validate.sh --page):" >&2
    diff "$out" "$work/page" | head -n 20 >&2
    exit 1
fi
cp "$work/page" "$out.new" && mv "$out.new" "$out"
