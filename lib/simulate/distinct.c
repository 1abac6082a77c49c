/* SPDX-License-Identifier: BSD-2-Clause */
#include "distinct.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"

struct distinct {
	struct idmap keys;
	uint64_t memory;
	uint32_t block;
	bool failed;       /* more keys than the memory holds */
	bool record_first; /* the current record has a first reference so far */
	struct reference_totals all, *rows;
	size_t row_capacity;
};

struct distinct *distinct_new(uint64_t memory, uint32_t block)
{
	struct distinct *d = calloc(1, sizeof *d);
	if (d == NULL)
		return NULL;
	d->memory = memory;
	d->block = block;
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

enum added { ADDED_KNOWN, ADDED_FIRST, ADDED_FAILED };

static enum added add_key(struct distinct *d, uint64_t key)
{
	const size_t known = d->keys.count;
	if (!may_grow(d))
		return ADDED_FAILED;
	const size_t number = idmap_number(&d->keys, key);
	if (number == SIZE_MAX)
		return ADDED_FAILED;
	return number == known ? ADDED_FIRST : ADDED_KNOWN;
}

static void count(struct reference_totals *t, unsigned write, uint64_t references, uint64_t bytes,
		  bool record)
{
	t->references[write] += references;
	t->bytes[write] += bytes;
	t->records[write] += record;
}

static bool count_run(struct distinct *d, const struct reference_run *run, uint64_t firsts,
		      uint64_t bytes)
{
	const unsigned write = (run->flags & RUN_WRITE) != 0;
	d->record_first = firsts > 0 || (d->record_first && (run->flags & RUN_BEGINS) == 0);
	const bool record = d->record_first && (run->flags & RUN_ENDS) != 0;
	if (firsts == 0 && !record)
		return true;
	if (!array_reserve_index(&d->rows, &d->row_capacity, run->row, sizeof *d->rows))
		return false;
	count(&d->all, write, firsts, bytes, record);
	count(&d->rows[run->row], write, firsts, bytes, record);
	return true;
}

static bool add_run(struct distinct *d, const struct reference_batch *b,
		    const struct reference_run *run, const uint8_t *results)
{
	enum { AHEAD = 16 };
	uint64_t firsts = 0, bytes = 0;
	const uint32_t end = run->first + run->count;
	for (uint32_t i = run->first; i < end; i++) {
		const uint32_t ahead = i + AHEAD;
		if (ahead < b->count && (results == NULL || results[ahead] != CACHE_HIT))
			idmap_prefetch(&d->keys, b->key[ahead]);
		if (results != NULL && results[i] == CACHE_HIT)
			continue;
		const enum added added = add_key(d, b->key[i]);
		if (added == ADDED_FAILED)
			return false;
		if (added == ADDED_KNOWN)
			continue;
		firsts++;
		bytes += d->block - (i == run->first ? run->skipped_at_begin : 0) -
			 (i + 1 == end ? run->skipped_at_end : 0);
	}
	return count_run(d, run, firsts, bytes);
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
	return (struct engine_firsts){.known = true, .count = d->all};
}

struct engine_firsts distinct_row_firsts(const struct distinct *d, size_t row)
{
	if (d->failed)
		return (struct engine_firsts){.known = false};
	struct engine_firsts firsts = {.known = true};
	if (row < d->row_capacity)
		firsts.count = d->rows[row];
	return firsts;
}
