/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of `iotrace mrc`, and their forms. */
#ifndef CLI_SIMULATE_MRC_RESULTS_H
#define CLI_SIMULATE_MRC_RESULTS_H

#include "lib/simulate/mrc.h"

#include "results.h"

struct mrc_results {
	/* input, options, rows in order, output; the simulations if the policy is not lru */
	struct simulate_results simulate;
	enum cache_policy policy;
	struct mrc_options options;
	struct mrc *mrc; /* NULL if the policy is not lru */
	uint64_t *size;  /* blocks, ascending */
	size_t size_count;
	uint64_t distinct;
	uint64_t points; /* requested; 0: all sizes at which the misses change */
	/*
	 * Simulations of a sample: its share of the blocks, and their number; 0 and 0 without
	 * sample.
	 */
	double sample;
	uint64_t sampled;
};

/* Returns the misses at size i, of all references or of a row's. */
struct mrc_point mrc_point_of(const struct mrc_results *m, size_t row, size_t i);
uint64_t mrc_references_of(const struct mrc_results *m, size_t row);
/* Returns 0 if whole is 0. */
double mrc_ratio(double part, uint64_t whole);
const char *mrc_method_name(const struct mrc_results *m);
static inline bool mrc_has_bounds(const struct mrc_results *m)
{
	return m->mrc != NULL && m->options.method == MRC_SHARDS;
}

/* Prints what the curves are of, and how they were computed, as lines of text. */
void mrc_print_head(struct mrc_results *m);
enum exit_status mrc_write_svg(struct mrc_results *m, const char *path);

#endif
