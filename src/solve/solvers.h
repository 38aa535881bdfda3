/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The solvers that solvers.def lists. */
#ifndef MRN_SOLVE_SOLVERS_H
#define MRN_SOLVE_SOLVERS_H

#include "moraine/solve.h"

#define MRN_SOLVER(symbol) extern const mrn_solver symbol;
#include "solve/solvers.def"
#undef MRN_SOLVER

/* Bits of mrn_solver.kinds. */
#define MRN_ALL_KINDS ((1u << MRN_CONTACT_KINDS) - 1)
#define MRN_KIND(k)   (1u << (k))

#endif
