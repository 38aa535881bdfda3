#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Layout of the C sources as .clang-format has it; lists (*.def) keep their own.
#   tools/check-format.sh [ROOT]          exit 1 and the places that differ
#   tools/check-format.sh --fix [ROOT]    rewrites the files
set -euo pipefail
mode=(--dry-run -Werror)
if [ "${1:-}" = --fix ]; then
    mode=(-i)
    shift
fi
cd "${1:-$(dirname "$0")/..}"
folders=()
for folder in include src apps tests bench tools; do
    [ -d "$folder" ] && folders+=("$folder")
done
find "${folders[@]}" -name '*.[ch]' -print0 | sort -z | xargs -0 -r clang-format --style=file "${mode[@]}"
