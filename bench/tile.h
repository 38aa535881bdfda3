/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tile of the bed that codes are compared on. */
#ifndef MRN_BENCH_TILE_H
#define MRN_BENCH_TILE_H

#include "bench_tile.h"
#include "need.h"

static const char *const TILE = MRN_BENCH_TILE;

#endif
