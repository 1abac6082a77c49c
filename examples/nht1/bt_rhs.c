/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The right-hand side: differences of fluxes and of diffusion along the lines of each direction,
 * and dissipation. The forcing is the right-hand side of the solution with the sign changed, so
 * that the solution is stationary.
 */
#include <string.h>

#include "bt_lines.h"
#include "bt_math.h"

/* The flux of a direction, and what diffuses along it. */
static void point_terms(int d, const double u[BT_M], double flux[BT_M], double spread[BT_M])
{
	const double along = u[1 + d] / u[0], diffusion = bt_diffusion(d);
	double square = 0;
	flux[0] = u[1 + d];
	spread[0] = diffusion * u[0];
	for (int e = 1; e <= 3; e++) {
		const double velocity = u[e] / u[0];
		square += velocity * velocity / 2;
		flux[e] = u[e] * along;
		spread[e] = diffusion * u[e] + BT_C3C4 * velocity;
	}
	flux[1 + d] += BT_C2 * (u[4] - u[0] * square);
	spread[1 + d] += BT_C3C4 * BT_THIRD * along;
	flux[4] = along * (BT_C1 * u[4] - BT_C2 * u[0] * square);
	spread[4] =
	    diffusion * u[4] + BT_C3C4 * ((1 - BT_C1C5) * square + BT_THIRD / 2 * along * along +
					  BT_C1C5 * u[4] / u[0]);
}

/* The fourth difference at an inner point; next to the boundary, without the points outside. */
static double fourth_difference(const double u[][BT_M], int n, int p, int m)
{
	double sum = 6 * u[p][m];
	if (p == 1 || p == n - 2)
		sum -= u[p][m];
	if (p > 1)
		sum -= 4 * u[p - 1][m];
	if (p < n - 2)
		sum -= 4 * u[p + 1][m];
	if (p > 2)
		sum += u[p - 2][m];
	if (p < n - 3)
		sum += u[p + 2][m];
	return sum;
}

static void add_line(struct bt *bt, int d, size_t offset)
{
	double u[BT_N_MAX][BT_M], flux[BT_N_MAX][BT_M], spread[BT_N_MAX][BT_M];
	const double cells = bt->n - 1, first = cells / 2, second = cells * cells;
	const size_t stride = bt_stride(bt, d);
	const int n = bt->n;
	bt_line_load(bt, bt->u, d, offset, u);
	for (int p = 0; p < n; p++)
		point_terms(d, u[p], flux[p], spread[p]);
	for (int p = 1; p < n - 1; p++) {
		double *rhs = bt->rhs + offset + (size_t)p * stride;
		for (int m = 0; m < BT_M; m++)
			rhs[m] +=
			    second * (spread[p + 1][m] - 2 * spread[p][m] + spread[p - 1][m]) -
			    first * (flux[p + 1][m] - flux[p - 1][m]) -
			    BT_DAMP * fourth_difference((const double(*)[BT_M])u, n, p, m);
	}
}

void bt_rhs(struct bt *bt)
{
	memcpy(bt->rhs, bt->forcing, bt_size(bt) * sizeof(double));
	for (int d = 0; d < 3; d++)
		bt_lines(bt, d, add_line);
}
