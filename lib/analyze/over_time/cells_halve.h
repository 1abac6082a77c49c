/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides the pieces of cells among their bins; see cells.h. */
#ifndef LIB_ANALYZE_OVER_TIME_CELLS_HALVE_H
#define LIB_ANALYZE_OVER_TIME_CELLS_HALVE_H

#include "cells.h"

/*
 * Sets the bins of all rows, which are sorted, and their number; returns false if out of memory. It
 * stops after the row that exceeds CELLS_MAX.
 *
 * A piece with n bytes leaves n / 2, rounded down, to its first half and the rest to its second
 * one, after the halves of the pieces that contain it were added. So the bins depend on the sums
 * alone, not on how parts of a trace were joined.
 */
bool cells_halve(struct cells *c);

#endif
