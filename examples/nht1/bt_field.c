/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steady solution, a polynomial, and the field before the first step, which blends its values
 * on the faces.
 */
#include "bt_math.h"

/* For each value: the constant, then the coefficients of x, y, z, of x^2, y^2, z^2, and so on. */
static const double coefficient[BT_M][13] = {
    {2, 0, 0, 4, 5, 3, .5, .02, .01, .03, .5, .4, .3},
    {1, 0, 0, 0, 1, 2, 3, .01, .03, .02, .4, .3, .5},
    {2, 2, 0, 0, 0, 2, 3, .04, .03, .05, .3, .5, .4},
    {2, 2, 0, 0, 0, 2, 3, .03, .05, .04, .2, .1, .3},
    {5, 4, 3, 2, .1, .4, .3, .05, .04, .03, .1, .3, .2},
};

void bt_exact(const double at[3], double u[BT_M])
{
	for (int m = 0; m < BT_M; m++) {
		const double *c = coefficient[m];
		u[m] = c[0];
		for (int d = 0; d < 3; d++)
			u[m] +=
			    at[d] * (c[1 + d] +
				     at[d] * (c[4 + d] + at[d] * (c[7 + d] + at[d] * c[10 + d])));
	}
}

/* Interpolates the solution between the two faces of a direction. */
static void between_faces(const double at[3], int d, double u[BT_M])
{
	double low[BT_M], high[BT_M], face[3] = {at[0], at[1], at[2]};
	face[d] = 0;
	bt_exact(face, low);
	face[d] = 1;
	bt_exact(face, high);
	for (int m = 0; m < BT_M; m++)
		u[m] = at[d] * high[m] + (1 - at[d]) * low[m];
}

/*
 * The report's transfinite interpolation is the sum of the three, less their products, as 1 -
 * (1-a)(1-b)(1-c).
 */
static void blend(const double at[3], double u[BT_M])
{
	double of[3][BT_M];
	for (int d = 0; d < 3; d++)
		between_faces(at, d, of[d]);
	for (int m = 0; m < BT_M; m++)
		u[m] = 1 - (1 - of[0][m]) * (1 - of[1][m]) * (1 - of[2][m]);
}

static void set_points(struct bt *bt, int first, void (*value)(const double at[3], double u[BT_M]))
{
	const double h = 1.0 / (bt->n - 1);
	for (int k = first; k < bt->n - first; k++)
		for (int j = first; j < bt->n - first; j++)
			for (int i = first; i < bt->n - first; i++) {
				const int at[3] = {i, j, k};
				size_t offset = 0;
				for (int d = 0; d < 3; d++)
					offset += (size_t)at[d] * bt_stride(bt, d);
				value((const double[]){i * h, j * h, k * h}, bt->u + offset);
			}
}

void bt_set_exact(struct bt *bt)
{
	set_points(bt, 0, bt_exact);
}

/* The solution stays on the boundary. */
void bt_blend(struct bt *bt)
{
	bt_set_exact(bt);
	set_points(bt, 1, blend);
}
