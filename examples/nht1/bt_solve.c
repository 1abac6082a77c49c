/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Solves the linear systems of a direction: 5 x 5 block-tridiagonal matrices of the linearized
 * fluxes and diffusion, by elimination along each line. The points of the boundary do not change,
 * so they are in no system.
 */
#include <string.h>

#include "bt_lines.h"
#include "bt_math.h"

typedef double block[BT_M][BT_M];

/*
 * One block row during elimination: the diagonal, the right-hand side, and the block of the next
 * point.
 */
enum { SIDE = BT_M, NEXT = BT_M + 1, WIDTH = 12 };

/* A row after elimination: the block of the next point, and the solution if that block were 0. */
struct reduced {
	double row[BT_M][BT_M + 1];
};

/* Derivatives of the flux of direction d with respect to u. */
static void flux_jacobian(int d, const double u[BT_M], double scale, block a)
{
	const double inverse = 1 / u[0], along = u[1 + d] * inverse;
	const double square = (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / 2 * inverse * inverse;
	const double energy = u[4] * inverse;
	memset(a, 0, sizeof(block));
	a[0][1 + d] = scale;
	for (int e = 1; e <= 3; e++) {
		const double velocity = u[e] * inverse;
		a[e][0] = -scale * velocity * along;
		a[e][e] = scale * along;
		a[4][e] = -scale * BT_C2 * velocity * along;
	}
	for (int e = 1; e <= 3; e++) {
		a[e][1 + d] += scale * u[e] * inverse;
		a[1 + d][e] -= scale * BT_C2 * u[e] * inverse;
	}
	a[1 + d][0] += scale * BT_C2 * square;
	a[1 + d][4] = scale * BT_C2;
	a[4][0] = scale * along * (2 * BT_C2 * square - BT_C1 * energy);
	a[4][1 + d] += scale * (BT_C1 * energy - BT_C2 * square);
	a[4][4] = scale * BT_C1 * along;
}

/* Derivatives of what diffuses along direction d with respect to u. */
static void spread_jacobian(int d, const double u[BT_M], double scale, block a)
{
	const double inverse = 1 / u[0], heat = BT_C3C4 * BT_C1C5 * scale * inverse;
	memset(a, 0, sizeof(block));
	for (int e = 1; e <= 3; e++) {
		const double velocity = u[e] * inverse;
		const double drag = BT_C3C4 * scale * inverse * (e == 1 + d ? 4 * BT_THIRD : 1);
		a[e][0] = -drag * velocity;
		a[e][e] = drag;
		a[4][e] = (drag - heat) * velocity;
		a[4][0] -= (drag - heat) * velocity * velocity;
	}
	a[4][0] -= heat * u[4] * inverse;
	a[4][4] = heat;
	for (int m = 0; m < BT_M; m++)
		a[m][m] += scale * bt_diffusion(d);
}

/*
 * The blocks that a point contributes to the rows of the points after it, of its own, and before
 * it.
 */
static void point_blocks(const struct bt *bt, int d, const double u[BT_M], block after, block own,
			 block before)
{
	const double cells = bt->n - 1;
	block flux, spread;
	flux_jacobian(d, u, bt->dt * cells / 2, flux);
	spread_jacobian(d, u, bt->dt * cells * cells, spread);
	for (int r = 0; r < BT_M; r++)
		for (int c = 0; c < BT_M; c++) {
			after[r][c] = flux[r][c] + spread[r][c];
			own[r][c] = 2 * spread[r][c] + (r == c);
			before[r][c] = flux[r][c] - spread[r][c];
		}
}

/*
 * Gauss-Jordan: the diagonal block becomes the identity. The blocks are dominated by their
 * diagonals: no pivoting.
 */
static void eliminate(double row[BT_M][WIDTH])
{
	for (int p = 0; p < BT_M; p++) {
		const double pivot = 1 / row[p][p];
		for (int c = 0; c < WIDTH; c++)
			row[p][c] *= pivot;
		for (int r = 0; r < BT_M; r++) {
			const double factor = row[r][p];
			for (int c = 0; r != p && c < WIDTH; c++)
				row[r][c] -= factor * row[p][c];
		}
	}
}

/* Adds a block times the reduced row of the point before. */
static void add_product(double row[BT_M][WIDTH], block a, const struct reduced *previous)
{
	for (int r = 0; r < BT_M; r++)
		for (int i = 0; i < BT_M; i++)
			for (int c = 0; c <= BT_M; c++)
				row[r][c] += a[r][i] * previous->row[i][c];
}

static void load_row(double row[BT_M][WIDTH], block own, const double rhs[BT_M], double scale,
		     block next)
{
	for (int r = 0; r < BT_M; r++) {
		memcpy(row[r], own[r], sizeof(own[r]));
		row[r][SIDE] = scale * rhs[r];
		memcpy(row[r] + NEXT, next[r], sizeof(next[r]));
		row[r][WIDTH - 1] = 0;
	}
}

static void store_row(double row[BT_M][WIDTH], struct reduced *to)
{
	for (int r = 0; r < BT_M; r++) {
		memcpy(to->row[r], row[r] + NEXT, BT_M * sizeof(double));
		to->row[r][BT_M] = row[r][SIDE];
	}
}

/* Computes rhs at a point from rhs at the next point. */
static void substitute(const struct reduced *row, const double next[BT_M], double rhs[BT_M])
{
	for (int r = 0; r < BT_M; r++) {
		rhs[r] = row->row[r][BT_M];
		for (int c = 0; c < BT_M; c++)
			rhs[r] -= row->row[r][c] * next[c];
	}
}

static void solve_line(struct bt *bt, int d, size_t offset)
{
	block after[BT_N_MAX], own[BT_N_MAX], before[BT_N_MAX];
	struct reduced done[BT_N_MAX];
	double u[BT_N_MAX][BT_M], row[BT_M][WIDTH];
	const size_t stride = bt_stride(bt, d);
	const int last = bt->n - 2; /* One more point follows. */
	bt_line_load(bt, bt->u, d, offset, u);
	for (int p = 1; p <= last + 1; p++)
		point_blocks(bt, d, u[p], after[p], own[p], before[p]);
	for (int p = 1; p <= last; p++) {
		load_row(row, own[p], bt->rhs + offset + (size_t)p * stride, d == 0 ? bt->dt : 1,
			 before[p + 1]);
		if (p > 1)
			add_product(row, after[p - 1], &done[p - 1]);
		eliminate(row);
		store_row(row, &done[p]);
	}
	for (int p = last; p >= 1; p--) {
		double *rhs = bt->rhs + offset + (size_t)p * stride;
		substitute(&done[p], rhs + stride, rhs);
	}
}

void bt_solve(struct bt *bt, int direction)
{
	bt_lines(bt, direction, solve_line);
}
