/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time that a device needs for the I/Os of a simulation, one after the other. Adjacent blocks
 * of a record in the same direction are one I/O, which is issued when a block follows that is not
 * adjacent, or at the end of the record: first evicted blocks, then the blocks of the record, then
 * prefetched ones.
 */
#ifndef LIB_SIMULATE_ESTIMATE_H
#define LIB_SIMULATE_ESTIMATE_H

#include "cache.h"
#include "device.h"

enum estimate_cause {
	ESTIMATE_EVICTED, /* a dirty block is written */
	ESTIMATE_READ,    /* a record needs the block */
	ESTIMATE_WRITE,   /* a record writes the block */
	ESTIMATE_PREFETCHED,
	ESTIMATE_SYNCED, /* a process waits until a dirty block is written */
	ESTIMATE_CAUSES,
};

/* Blocks [first, end) of one I/O that is not issued yet. */
struct estimate_run {
	uint64_t first, end; /* equal: none */
};

/* Initialize the options of the device and the size of blocks, and the rest with zeros. */
struct estimate {
	struct device device; /* without a queue */
	uint32_t block;       /* bytes */
	struct estimate_run run[ESTIMATE_CAUSES];
	bool async; /* the current record: no process waits for it */
	uint64_t device_ns;
	uint64_t waited_ns; /* of I/Os for which a process waits */
};

/* A block of an I/O. */
void estimate_add(struct estimate *e, enum estimate_cause cause, uint64_t key);
static inline void estimate_evicted(struct estimate *e, const struct cache_victim *victim)
{
	if (victim->entry != CACHE_NONE && victim->dirty)
		estimate_add(e, ESTIMATE_EVICTED, victim->key);
}
/* The current record, or a sequence of other I/Os, ends. */
void estimate_end(struct estimate *e);
/* Adds the dirty blocks of [first, last] in ascending order. Returns false if out of memory. */
bool estimate_dirty(struct estimate *e, enum estimate_cause cause, struct cache *c, uint64_t first,
		    uint64_t last);

#endif
