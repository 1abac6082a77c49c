/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The most popular keys, found while a trace is read. A sample of keys has each of them or not,
 * which has a large effect on its curve; so they are counted apart from the sample. About every
 * 16th reference is examined, and a key that occurs there four times becomes hot. Without a free
 * number, it replaces the hot key that was used longest ago, if that is long ago.
 *
 * A key is identified by 41 bits of its hash. Whether it is hot is found without branches, which
 * would be mispredicted.
 */
#ifndef LIB_SIMULATE_HOT_KEYS_H
#define LIB_SIMULATE_HOT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOT_MAX = 512, HOT_NONE = HOT_MAX, HOT_BUCKETS = HOT_MAX, HOT_WAYS = 4 };
enum { HOT_CANDIDATES = 4096 };

struct hot_keys {
	struct hot_bucket {
		uint32_t tag[HOT_WAYS];        /* 0: free */
		uint16_t number[1 + HOT_WAYS]; /* HOT_NONE, and the number of each key */
	} bucket[HOT_BUCKETS];
	uint32_t last[HOT_MAX + 1];     /* the time of the last reference, modulo 2^32 */
	struct hot_bucket *in[HOT_MAX]; /* the bucket of each key; NULL: no key has this number */
	uint64_t key[HOT_MAX];
	unsigned count; /* numbers in use, some of them without a key */
	struct hot_candidate {
		uint64_t key, count;
	} candidate[HOT_CANDIDATES];
	uint64_t random;
	uint32_t wait; /* references until the next one that is examined */
};

void hot_init(struct hot_keys *h);

static inline uint32_t hot_tag(uint64_t hash)
{
	return (uint32_t)(hash >> 16) | 1;
}

/* Returns the number of a hot key, or HOT_NONE. */
static inline unsigned hot_number(const struct hot_keys *h, uint64_t hash)
{
	const struct hot_bucket *b = &h->bucket[hash % HOT_BUCKETS];
	const uint32_t tag = hot_tag(hash);
	const unsigned way = (b->tag[0] == tag) + 2U * (b->tag[1] == tag) +
			     3U * (b->tag[2] == tag) + 4U * (b->tag[3] == tag);
	return b->number[way];
}

/*
 * Examines a reference, at a time from 1 on, to a key that is not hot. Returns the number that it
 * has from now on, or HOT_NONE.
 */
unsigned hot_examine(struct hot_keys *h, uint64_t key, uint64_t hash, uint64_t now);
/* A pseudo-random number. */
uint64_t hot_random(struct hot_keys *h);
/* The number of hot keys with a reference between a time and now, both excluded. */
uint32_t hot_between(const struct hot_keys *h, uint64_t time, uint64_t now);
/* Removes the keys of [first, last]. */
void hot_drop(struct hot_keys *h, uint64_t first, uint64_t last);

#endif
