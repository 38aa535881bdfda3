/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moraine: granular mechanics. Data first (scene: constant, state: what changes), then verbs. */
#ifndef MORAINE_H
#define MORAINE_H

#include "moraine/average.h"
#include "moraine/base.h"
#include "moraine/crosscheck.h"
#include "moraine/draw.h"
#include "moraine/engine.h"
#include "moraine/fclib.h"
#include "moraine/import.h"
#include "moraine/io.h"
#include "moraine/lab.h"
#include "moraine/law.h"
#include "moraine/measure.h"
#include "moraine/param.h"
#include "moraine/polytope.h"
#include "moraine/quasistatic.h"
#include "moraine/run.h"
#include "moraine/scene.h"
#include "moraine/shape.h"
#include "moraine/solve.h"
#include "moraine/state.h"
#include "moraine/types.h"
#include "moraine/world.h"

#endif
