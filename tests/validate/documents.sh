#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every command on the pages, run for real: what it prints is what the page shows. Quick ones are in `make test`.
exec "$(dirname "$0")/../../tools/check-docs.sh" --long "$MORAINE"
