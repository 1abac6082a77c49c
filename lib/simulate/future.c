/* SPDX-License-Identifier: BSD-2-Clause */
#include "future.h"

#include <stdlib.h>
#include <string.h>

#include <iotrace/iotrace.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"

int future_add(struct future *f, const uint64_t *key, size_t n)
{
	if (n == 0)
		return IOT_OK;
	if (f->count + n >= CACHE_NEVER)
		return IOT_ELIMIT;
	if (!array_reserve(&f->key, &f->capacity, f->count + n, sizeof *f->key))
		return IOT_ENOMEM;
	memcpy(f->key + f->count, key, n * sizeof *key);
	f->count += n;
	return IOT_OK;
}

int future_drop(struct future *f, uint64_t first, uint64_t last)
{
	if (!array_reserve(&f->drops, &f->drop_capacity, f->drop_count + 1, sizeof *f->drops))
		return IOT_ENOMEM;
	f->drops[f->drop_count++] = (struct future_drop){f->count, first, last};
	return IOT_OK;
}

/* The next reference to each key, in a pass from the end. */
struct backward {
	struct idmap keys;
	uint32_t *next; /* of each number; CACHE_NEVER if there is none */
	size_t capacity;
};

static void forget(struct backward *b, uint64_t first, uint64_t last)
{
	if (last - first >= b->keys.count) {
		for (size_t i = 0; i < b->keys.count; i++)
			if (b->keys.keys[i] >= first && b->keys.keys[i] <= last)
				b->next[i] = CACHE_NEVER;
		return;
	}
	for (uint64_t key = first; key <= last; key++) {
		const size_t number = idmap_find(&b->keys, key);
		if (number != SIZE_MAX)
			b->next[number] = CACHE_NEVER;
	}
}

/* Stores the next reference of reference i, which becomes the next one of its key. */
static bool link_reference(struct future *f, struct backward *b, size_t i)
{
	const size_t known = b->keys.count, number = idmap_number(&b->keys, f->key[i]);
	if (!array_reserve_index(&b->next, &b->capacity, number, sizeof *b->next))
		return false;
	f->next[i] = number < known ? b->next[number] : CACHE_NEVER;
	b->next[number] = (uint32_t)i;
	return true;
}

int future_finish(struct future *f)
{
	enum { AHEAD = 16 };
	struct backward b = {.keys = {0}};
	size_t drops = f->drop_count;
	bool done = (f->next = malloc((f->count + 1) * sizeof *f->next)) != NULL;
	for (size_t i = f->count; done && i-- > 0;) {
		for (; drops > 0 && f->drops[drops - 1].before > i; drops--)
			forget(&b, f->drops[drops - 1].first, f->drops[drops - 1].last);
		if (i >= AHEAD)
			idmap_prefetch(&b.keys, f->key[i - AHEAD]);
		done = link_reference(f, &b, i);
	}
	idmap_free(&b.keys);
	free(b.next);
	f->references = (struct cache_future){f->key, f->next, f->count};
	return done ? IOT_OK : IOT_ENOMEM;
}

void future_free(struct future *f)
{
	free(f->key);
	free(f->next);
	free(f->drops);
	*f = (struct future){.count = 0};
}
