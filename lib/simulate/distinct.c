/* SPDX-License-Identifier: BSD-2-Clause */
#include "distinct.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"

struct candidate {
	uint64_t key;
	uint32_t row;
	bool write;
};

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
	uint32_t count;
	struct candidate candidate[REFERENCES_MAX];
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

void distinct_collect(struct distinct *d, const struct reference_batch *b, const uint8_t *results)
{
	d->count = 0;
	if (d->failed)
		return;
	for (uint32_t i = 0; i < b->runs; i++) {
		const struct reference_run *run = &b->run[i];
		for (uint32_t j = run->first; j < run->first + run->count; j++) {
			d->candidate[d->count] =
			    (struct candidate){b->key[j], run->row, (run->flags & RUN_WRITE) != 0};
			d->count += results == NULL || results[j] != CACHE_HIT;
		}
	}
}

/* The map doubles its memory when it is full, and has both copies meanwhile. */
static bool may_grow(const struct distinct *d)
{
	return d->keys.count < d->keys.capacity || 3 * idmap_bytes(&d->keys) <= d->memory;
}

static bool add(struct distinct *d, const struct candidate *c)
{
	const size_t known = d->keys.count;
	if (!may_grow(d))
		return false;
	const size_t number = idmap_number(&d->keys, c->key);
	if (number == SIZE_MAX ||
	    !array_reserve_index(&d->rows, &d->row_capacity, c->row, sizeof *d->rows))
		return false;
	d->references[c->write] += number == known;
	d->rows[c->row].references[c->write] += number == known;
	return true;
}

void distinct_count(struct distinct *d)
{
	enum { AHEAD = 16 };
	for (uint32_t i = 0; i < d->count && !d->failed; i++) {
		if (i + AHEAD < d->count)
			idmap_prefetch(&d->keys, d->candidate[i + AHEAD].key);
		d->failed = !add(d, &d->candidate[i]);
	}
	if (d->failed)
		idmap_free(&d->keys);
	d->count = 0;
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
