/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants of the equations, and the coefficients of differences, which the right-hand side and
 * the matrices share.
 */
#ifndef NHT1_BT_MATH_H
#define NHT1_BT_MATH_H

#include "bt.h"

#define BT_C1    1.4 /* The ratio of specific heats. */
#define BT_C2    0.4
#define BT_C3C4  0.1
#define BT_C1C5  (1.4 * 1.4)
#define BT_THIRD (1.0 / 3.0)
#define BT_DAMP  0.25 /* Dissipation of fourth order: a quarter of the largest diffusion. */

/* Diffusion of second order along a direction, the same for all values. */
static inline double bt_diffusion(int direction)
{
	return direction == 2 ? 1.0 : 0.75;
}

/* The distance of neighbours of a direction in an array of the field. */
static inline size_t bt_stride(const struct bt *bt, int direction)
{
	const size_t n = (size_t)bt->n;
	return direction == 0 ? BT_M : direction == 1 ? BT_M * n : BT_M * n * n;
}

#endif
