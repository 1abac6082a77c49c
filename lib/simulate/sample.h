/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keys with the smallest hashes. The rate is the share of all keys whose hashes are below the
 * threshold; it falls when there are too many keys, but not below its minimum.
 */
#ifndef LIB_SIMULATE_SAMPLE_H
#define LIB_SIMULATE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "references.h"

struct sample_key {
	uint64_t hash, key;
};

struct key_sample {
	struct sample_key *heap; /* the largest hash first */
	size_t count, capacity;
	uint64_t max;       /* keys; 0: no limit */
	uint64_t threshold; /* hashes are below it */
	uint64_t lowest;    /* the threshold of the minimum rate */
	double rate;
};

/* With a limit the rate starts at 1; without, it is `rate`, from 0 to 1. */
void sample_init(struct key_sample *s, double rate, uint64_t max);
/* Returns false if out of memory. */
bool sample_push(struct key_sample *s, struct sample_key key);
/* Removes a key that is beyond the limit or the threshold. Returns false if there is none. */
bool sample_pop(struct key_sample *s, struct sample_key *key);
void sample_free(struct key_sample *s);

/*
 * Copies to an empty batch the references to a sample of the keys, those with hashes below
 * rate * 2^64, and all actions. Parts of records become runs of their own.
 */
void sample_batch(struct reference_batch *to, const struct reference_batch *from, double rate,
		  uint64_t seed);

#endif
