/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of the simulating commands that have lists or units of their own. */
#ifndef CLI_SIMULATE_LISTS_H
#define CLI_SIMULATE_LISTS_H

#include "lib/simulate/simulation.h"

#include "cli/ui/options.h"

enum { LIST_MAX = 64 };

/* --unit: what a reference is to. An object is a block of one byte, as its size does not count. */
enum { UNIT_BLOCK, UNIT_OBJECT };
enum { OBJECT_BLOCK = 1 };
#define OPTION_UNIT(target)                                                                        \
	OPTION(CHOICE, 0, "unit", "block|object", &(target),                                       \
	       "a record refers to blocks, or to the object that file and offset name "            \
	       "(default: block)")

enum cache_size_unit {
	SIZE_BLOCKS, /* or objects */
	SIZE_BYTES,  /* not with UNIT_OBJECT */
	SIZE_SHARE   /* of the distinct blocks, in millionths */
};

struct cache_size {
	enum cache_size_unit unit;
	uint64_t value;
	const char *text; /* as named, up to the next comma */
};

struct size_list {
	struct cache_size size[LIST_MAX];
	size_t count;
};

struct policy_list {
	enum cache_policy policy[LIST_MAX];
	size_t count;
};

struct prefetch_option {
	enum simulation_prefetch kind;
	uint64_t value; /* next: blocks; window: bytes */
};

/* 1000b, 64MiB, 10%; the target is a struct size_list. */
option_fn option_cache_sizes;
/* lru,arc; the target is a struct policy_list. */
option_fn option_policies;
option_word_fn option_policy_word;
/* none, next:K, request, window:SIZE; the target is a struct prefetch_option. */
option_fn option_prefetch;

/* Returns whether a size is a share of the distinct blocks. */
bool sizes_need_distinct(const struct size_list *sizes);
/*
 * Stores the capacity in blocks. Returns NULL, or what is wrong with the size. distinct: used for
 * shares only.
 */
const char *size_to_blocks(const struct cache_size *size, uint32_t block, uint64_t distinct,
			   uint64_t *blocks);

#endif
