/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Miss-ratio curves: the misses of LRU caches of all sizes, in one pass. Exact ones count stack
 * distances (Mattson 1970). SHARDS (Waldspurger et al. 2015) counts the distances of a sample of
 * the keys. AET (Hu et al. 2016) estimates them from the times between references to the same key.
 */
#ifndef LIB_SIMULATE_MRC_H
#define LIB_SIMULATE_MRC_H

#include "references.h"

enum mrc_method { MRC_EXACT, MRC_SHARDS, MRC_AET };

struct mrc_options {
	enum mrc_method method;
	/* MRC_SHARDS: the share of the keys that are sampled, or the lowest one with `samples` */
	double rate;
	uint64_t samples; /* keys; more lower the rate as far as it may go. 0: no limit */
	uint64_t seed;
	bool rows;       /* curves of rows, too */
	uint64_t memory; /* bytes */
};

struct mrc;

/* Returns NULL if out of memory. */
struct mrc *mrc_new(const struct mrc_options *options);
void mrc_free(struct mrc *m); /* NULL is ignored */
/* Returns IOT_OK; IOT_ENOMEM; IOT_ELIMIT if more than options.memory is needed. */
int mrc_add(struct mrc *m, const struct reference_batch *b);
/* After all references. Returns IOT_OK or IOT_ENOMEM. */
int mrc_finish(struct mrc *m);

/* In place of a row: all references, references of reads, references of writes. */
#define MRC_TOTAL  SIZE_MAX
#define MRC_READS  (SIZE_MAX - 1)
#define MRC_WRITES (SIZE_MAX - 2)

struct mrc_point {
	double misses;
	double low, high; /* of a sample: with 95 % confidence; otherwise equal to misses */
};

/*
 * The misses of an LRU cache, of all references or of some. Those of rows and of reads and writes,
 * and estimates, are exact at sizes that mrc_size_up_to() returns and from the largest distance on,
 * and elsewhere equal the values at the next smaller such size.
 */
struct mrc_point mrc_misses(const struct mrc *m, size_t row, uint64_t capacity);
uint64_t mrc_size_up_to(uint64_t size);
uint64_t mrc_size_above(uint64_t size); /* the next one */

/* Returns whether mrc_misses() is exact at all sizes: the method is, or its sample has all keys. */
bool mrc_is_exact(const struct mrc *m);

uint64_t mrc_references(const struct mrc *m, size_t row);
/* Distinct blocks: all sizes from here on have the same misses. SHARDS: an estimate. */
uint64_t mrc_distinct(const struct mrc *m);
/* MRC_SHARDS: the keys kept, and their share at the end. */
uint64_t mrc_kept(const struct mrc *m);
double mrc_rate(const struct mrc *m);

#endif
