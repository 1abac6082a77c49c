/* SPDX-License-Identifier: BSD-2-Clause */
/* Norms of the residual and of the error, and their comparison with published ones. */
#include <math.h>
#include <string.h>

#include "bt.h"

/*
 * Computes the root mean square of each value over the points of the interior; on the boundary all
 * are 0.
 */
static void root_mean_square(const struct bt *bt, const double *field, double norm[BT_M])
{
	memset(norm, 0, BT_M * sizeof(double));
	for (size_t i = 0; i < bt_size(bt); i++)
		norm[i % BT_M] += field[i] * field[i];
	for (int m = 0; m < BT_M; m++)
		norm[m] = sqrt(norm[m] / pow(bt->n - 2, 3));
}

void bt_norms(struct bt *bt, double residual[BT_M], double error[BT_M])
{
	double *const u = bt->u;
	bt_rhs(bt);
	root_mean_square(bt, bt->rhs, residual);
	bt->u = bt->rhs;
	bt_set_exact(bt);
	bt->u = u;
	for (size_t i = 0; i < bt_size(bt); i++)
		bt->rhs[i] -= u[i];
	root_mean_square(bt, bt->rhs, error);
}

/* A residual that is not a number is infinitely far from any other. */
static double relative_difference(double computed, double published)
{
	return isfinite(computed) ? fabs(computed / published - 1) : INFINITY;
}

double bt_difference(struct bt *bt, const struct bt_class *of)
{
	double residual[BT_M], error[BT_M], largest = 0;
	bt_norms(bt, residual, error);
	for (int m = 0; m < BT_M; m++) {
		largest = fmax(largest, relative_difference(residual[m], of->residual[m]));
		largest = fmax(largest, relative_difference(error[m], of->error[m]));
	}
	return largest;
}
