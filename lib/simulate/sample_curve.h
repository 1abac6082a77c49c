/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The miss-ratio curve that a sample of keys implies. The sample has more or fewer references than
 * its share of all references, whose number is known: it has too many or too few popular keys. The
 * missing references hit in caches that are large enough for popular keys, and miss in smaller
 * ones.
 *
 * The missing references are to about 1 / rate keys, since a sampled key represents that many. They
 * hit in a cache that holds a block for longer than the time between references to such a key.
 */
#ifndef LIB_SIMULATE_SAMPLE_CURVE_H
#define LIB_SIMULATE_SAMPLE_CURVE_H

#include "curve.h"

enum { SAMPLE_GROUPS = 8 };

/* Initialize to zero. */
struct sample_curve {
	struct sample_point {
		double misses;
		double error;         /* half of the interval with 95 % confidence */
		double missing_share; /* the share of the missing references that miss */
	} * bin;                      /* as in the curve, and one for larger sizes */
	size_t bins;
	uint64_t largest; /* distance */
};

/*
 * The error is the error of the mean of the groups, which are parts of the sample, and of the
 * missing references. All curves are finished, with weights scaled to all keys. Returns false if
 * out of memory.
 */
bool sample_curve_make(struct sample_curve *c, const struct curve *sample,
		       const struct curve *const group[SAMPLE_GROUPS], double rate,
		       double references);
/* capacity: 1 block or more. */
struct sample_point sample_curve_at(const struct sample_curve *c, uint64_t capacity);
void sample_curve_free(struct sample_curve *c);

#endif
