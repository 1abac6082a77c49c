/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NHT1_BT_LINES_H
#define NHT1_BT_LINES_H

#include "bt.h"

enum { BT_N_MAX = 102 };

/* Works on the line of a direction that begins at an offset in the arrays of the field. */
typedef void bt_line_fn(struct bt *bt, int direction, size_t offset);

/*
 * Calls the function for all lines of a direction in the interior, with threads for groups of
 * planes.
 */
void bt_lines(struct bt *bt, int direction, bt_line_fn *call);

/* Copies the points of a line to or from consecutive memory. */
void bt_line_load(const struct bt *bt, const double *field, int direction, size_t offset,
		  double line[][BT_M]);

#endif
