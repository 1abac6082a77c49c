/* SPDX-License-Identifier: BSD-2-Clause */
#include "estimate.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "clock.h"

static bool is_waited_for(const struct estimate *e, enum estimate_cause cause)
{
	return cause == ESTIMATE_SYNCED ||
	       (!e->async && (cause == ESTIMATE_READ || cause == ESTIMATE_WRITE));
}

static void issue(struct estimate *e, enum estimate_cause cause)
{
	struct estimate_run *run = &e->run[cause];
	const uint64_t mask = ((uint64_t)1 << CACHE_BLOCK_BITS) - 1;
	if (run->first == run->end)
		return;
	const struct device_io io = {.offset = (run->first & mask) * e->block,
				     .length = (run->end - run->first) * e->block,
				     .object = (uint32_t)(run->first >> CACHE_BLOCK_BITS),
				     .write =
					 cause != ESTIMATE_READ && cause != ESTIMATE_PREFETCHED};
	const uint64_t ns = (uint64_t)device_issue(&e->device, 0, &io);
	e->device_ns += ns;
	e->waited_ns += is_waited_for(e, cause) ? ns : 0;
	*run = (struct estimate_run){0, 0};
}

void estimate_add(struct estimate *e, enum estimate_cause cause, uint64_t key)
{
	struct estimate_run *run = &e->run[cause];
	if (run->end != key || run->first == run->end ||
	    key % ((uint64_t)1 << CACHE_BLOCK_BITS) == 0)
		issue(e, cause);
	if (run->first == run->end)
		run->first = key;
	run->end = key + 1;
}

void estimate_end(struct estimate *e)
{
	for (enum estimate_cause cause = 0; cause < ESTIMATE_CAUSES; cause++)
		issue(e, cause);
}

/* Dirty blocks */

struct dirty_keys {
	uint64_t *key;
	size_t count, capacity;
	bool failed;
};

static void collect(void *context, struct cache *c, uint32_t entry)
{
	struct dirty_keys *d = context;
	if (!cache_is_dirty(c, entry))
		return;
	if (!array_reserve(&d->key, &d->capacity, d->count + 1, sizeof *d->key))
		d->failed = true;
	else
		d->key[d->count++] = cache_key(c, entry);
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

bool estimate_dirty(struct estimate *e, enum estimate_cause cause, struct cache *c, uint64_t first,
		    uint64_t last)
{
	struct dirty_keys d = {.key = NULL};
	if (cache_counts(c)->dirty > 0)
		cache_visit(c, first, last, collect, &d);
	if (d.count > 0)
		qsort(d.key, d.count, sizeof *d.key, compare_keys);
	for (size_t i = 0; i < d.count; i++)
		estimate_add(e, cause, d.key[i]);
	free(d.key);
	estimate_end(e);
	return !d.failed;
}
