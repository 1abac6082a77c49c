/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The approximate factorization benchmark (BT) of the NAS Parallel Benchmarks, RNR-94-007, 5.2: an
 * implicit scheme for the compressible Navier-Stokes equations on a cube, written from the report.
 * Each step solves systems of 5 x 5 block-tridiagonal matrices along the lines of the three
 * directions. The results do not depend on the threads.
 */
#ifndef NHT1_BT_H
#define NHT1_BT_H

#include <stddef.h>

enum { BT_M = 5 }; /* Values at each point: density, three momenta, energy. */

/*
 * A published size of the problem, with the norms of its residual and of its error after all steps.
 */
struct bt_class {
	char letter;
	int n, steps; /* Points in each direction. */
	double dt;
	double residual[BT_M], error[BT_M];
};

struct bt {
	int n, threads;
	double dt;
	double *u, *rhs, *forcing; /* [k][j][i][m]; m varies fastest. */
};

/* The letters of the classes, for options_parse(). */
extern const char *const bt_class_words[];

/* The bytes of a number in a file, for options_parse(): 8 or 4. */
extern const char *const bt_number_words[];

/* Returns the bytes by the index of the word. */
int bt_number_bytes(int index);

/* Returns the class of a letter by its index. */
const struct bt_class *bt_class_of(int index);

/*
 * Allocates a problem and computes its forcing. Returns 0, or -1 if out of memory. bt_free() frees
 * it in both cases.
 */
int bt_init(struct bt *bt, const struct bt_class *of, int threads);
void bt_free(struct bt *bt);

/* The number of doubles in u. */
size_t bt_size(const struct bt *bt);

/* Sets u to its values before the first step. */
void bt_reset(struct bt *bt);

void bt_step(struct bt *bt);

/* Computes rhs from u, without the factor dt. */
void bt_rhs(struct bt *bt);

/*
 * Solves the systems of one direction in place: rhs becomes the change of u after the last
 * direction.
 */
void bt_solve(struct bt *bt, int direction);

/* Computes the norms of the residual and of the error of u. Changes rhs. */
void bt_norms(struct bt *bt, double residual[BT_M], double error[BT_M]);

/* Returns the largest relative difference from the published norms of the class. */
double bt_difference(struct bt *bt, const struct bt_class *of);

/* The steady solution at a point of the unit cube. */
void bt_exact(const double at[3], double u[BT_M]);

/* Sets u to blended values of the solution on the six faces; or, everywhere, to the solution. */
void bt_blend(struct bt *bt);
void bt_set_exact(struct bt *bt);

#endif
