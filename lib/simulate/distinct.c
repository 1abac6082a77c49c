/* SPDX-License-Identifier: BSD-2-Clause */
#include "distinct.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"

struct row_firsts {
	uint64_t references[2];
};

struct distinct {
	struct idmap keys;
	uint64_t memory;
	bool failed; /* more keys than the memory holds */
	uint64_t references[2];
	struct row_firsts *rows;
	size_t row_capacity;
};

struct distinct *distinct_new(uint64_t memory)
{
	struct distinct *d = calloc(1, sizeof *d);
	if (d != NULL)
		d->memory = memory;
	return d;
}

void distinct_free(struct distinct *d)
{
	if (d == NULL)
		return;
	idmap_free(&d->keys);
	free(d->rows);
	free(d);
}

/* The map doubles its memory when it is full, and has both copies meanwhile. */
static bool may_grow(const struct distinct *d)
{
	return d->keys.count < d->keys.capacity || 3 * idmap_bytes(&d->keys) <= d->memory;
}

static bool add(struct distinct *d, uint64_t key, uint32_t row, unsigned write)
{
	const size_t known = d->keys.count;
	if (!may_grow(d))
		return false;
	const size_t number = idmap_number(&d->keys, key);
	if (number == SIZE_MAX ||
	    !array_reserve_index(&d->rows, &d->row_capacity, row, sizeof *d->rows))
		return false;
	d->references[write] += number == known;
	d->rows[row].references[write] += number == known;
	return true;
}

static bool add_run(struct distinct *d, const struct reference_batch *b,
		    const struct reference_run *run, const uint8_t *results)
{
	enum { AHEAD = 16 };
	const unsigned write = (run->flags & RUN_WRITE) != 0;
	for (uint32_t i = run->first; i < run->first + run->count; i++) {
		const uint32_t ahead = i + AHEAD;
		if (ahead < b->count && (results == NULL || results[ahead] != CACHE_HIT))
			idmap_prefetch(&d->keys, b->key[ahead]);
		if ((results == NULL || results[i] != CACHE_HIT) &&
		    !add(d, b->key[i], run->row, write))
			return false;
	}
	return true;
}

void distinct_add(struct distinct *d, const struct reference_batch *b, const uint8_t *results)
{
	for (uint32_t i = 0; i < b->runs && !d->failed; i++)
		d->failed = !add_run(d, b, &b->run[i], results);
	if (d->failed)
		idmap_free(&d->keys);
}

struct engine_firsts distinct_firsts(const struct distinct *d)
{
	if (d->failed)
		return (struct engine_firsts){.known = false};
	return (struct engine_firsts){true, {d->references[0], d->references[1]}};
}

struct engine_firsts distinct_row_firsts(const struct distinct *d, size_t row)
{
	if (d->failed)
		return (struct engine_firsts){.known = false};
	if (row >= d->row_capacity)
		return (struct engine_firsts){.known = true};
	return (struct engine_firsts){true,
				      {d->rows[row].references[0], d->rows[row].references[1]}};
}
