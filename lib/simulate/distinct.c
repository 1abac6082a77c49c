/* SPDX-License-Identifier: BSD-2-Clause */
#include "distinct.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "block_set.h"

/* A run whose blocks are looked up. */
struct selected {
	uint64_t first; /* key */
	uint32_t run;
};

struct distinct {
	struct block_set blocks; /* that were referenced */
	uint64_t memory;
	uint32_t block;
	bool failed;       /* the blocks need more than the memory */
	bool record_first; /* the current record has a first reference so far */
	struct reference_totals *rows;
	size_t row_capacity;
	struct selected selected[REFERENCES_MAX]; /* of the batch */
};

struct distinct *distinct_new(uint64_t memory, uint32_t block)
{
	struct distinct *d = calloc(1, sizeof *d);
	if (d == NULL || !block_set_init(&d->blocks)) {
		free(d);
		return NULL;
	}
	d->memory = memory;
	d->block = block;
	return d;
}

void distinct_free(struct distinct *d)
{
	if (d == NULL)
		return;
	block_set_free(&d->blocks);
	free(d->rows);
	free(d);
}

static inline bool count_run(struct distinct *d, const struct reference_run *run, uint64_t firsts,
			     uint64_t bytes)
{
	const unsigned write = (run->flags & RUN_WRITE) != 0;
	/* Without branches: whether there is a first reference cannot be predicted. */
	d->record_first = (firsts > 0) | (d->record_first & ((run->flags & RUN_BEGINS) == 0));
	const bool record = d->record_first & ((run->flags & RUN_ENDS) != 0);
	if (!array_reserve_index(&d->rows, &d->row_capacity, run->row, sizeof *d->rows))
		return false;
	struct reference_totals *row = &d->rows[run->row];
	row->references[write] += firsts;
	row->bytes[write] += bytes;
	row->records[write] += record;
	return true;
}

/* Returns the blocks of a group among [first, last] that were not referenced before. */
static uint64_t add_group(uint64_t *seen, uint64_t group, uint64_t first, uint64_t last)
{
	uint64_t added = ~UINT64_C(0);
	if (group == first >> BLOCK_GROUP_BITS)
		added <<= first % BLOCK_GROUP;
	if (group == last >> BLOCK_GROUP_BITS)
		added &= ~UINT64_C(0) >> (BLOCK_GROUP - 1 - last % BLOCK_GROUP);
	added &= ~*seen;
	*seen |= added;
	return added;
}

static bool has_block(uint64_t blocks, uint64_t group, uint64_t block)
{
	return group == block >> BLOCK_GROUP_BITS && (blocks >> block % BLOCK_GROUP & 1) != 0;
}

static bool add_block(struct distinct *d, uint64_t block, const struct reference_run *run)
{
	const uint64_t bit = UINT64_C(1) << block % BLOCK_GROUP;
	uint64_t *seen = block_set_group(&d->blocks, block >> BLOCK_GROUP_BITS, d->memory);
	if (seen == NULL)
		return false;
	const bool is_first = (*seen & bit) == 0;
	*seen |= bit;
	return count_run(d, run, is_first,
			 (uint64_t)is_first *
			     (d->block - run->skipped_at_begin - run->skipped_at_end));
}

/* The blocks of a run are adjacent. */
static bool add_run(struct distinct *d, uint64_t first, const struct reference_run *run)
{
	const uint64_t last = first + (run->count - 1);
	uint64_t firsts = 0, skipped = 0;
	for (uint64_t group = first >> BLOCK_GROUP_BITS; group <= last >> BLOCK_GROUP_BITS;
	     group++) {
		uint64_t *seen = block_set_group(&d->blocks, group, d->memory);
		if (seen == NULL)
			return false;
		const uint64_t added = add_group(seen, group, first, last);
		if (added == 0)
			continue;
		firsts += (uint64_t)__builtin_popcountll(added);
		skipped += has_block(added, group, first) ? run->skipped_at_begin : 0;
		skipped += has_block(added, group, last) ? run->skipped_at_end : 0;
	}
	return count_run(d, run, firsts, firsts * d->block - skipped);
}

/* Returns whether a hit proves that the block of a reference was referenced before. */
static bool is_known(const uint8_t *result, uint32_t reference)
{
	return result != NULL && (result[reference] & (CACHE_HIT | CACHE_PREFETCHED)) == CACHE_HIT;
}

static bool all_known(const uint8_t *result, const struct reference_run *run)
{
	uint32_t i = run->first;
	while (i < run->first + run->count && is_known(result, i))
		i++;
	return i == run->first + run->count;
}

/*
 * Collects the runs that may have a first reference, or continue a record that may have one: the
 * first and the last run of a batch may be parts of records.
 */
static uint32_t select_runs(struct distinct *d, const struct reference_batch *b,
			    const uint8_t *result)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->runs; i++) {
		const struct reference_run *run = &b->run[i];
		const bool edge = i == 0 || i + 1 == b->runs;
		d->selected[n] = (struct selected){b->key[run->first], i};
		n += edge || !all_known(result, run);
	}
	return n;
}

/* The same for a batch in which each run has one reference, without reading all runs. */
static uint32_t select_references(struct distinct *d, const struct reference_batch *b,
				  const uint8_t *result)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->runs; i++) {
		d->selected[n] = (struct selected){b->key[i], i};
		n += !is_known(result, i) | (i == 0) | (i + 1 == b->runs);
	}
	return n;
}

void distinct_add(struct distinct *d, const struct reference_batch *b, const uint8_t *result)
{
	enum { AHEAD = 16 };
	const uint32_t n = d->failed             ? 0
			   : b->runs == b->count ? select_references(d, b, result)
						 : select_runs(d, b, result);
	for (uint32_t i = 0; i < n && !d->failed; i++) {
		const struct selected *at = &d->selected[i];
		const struct reference_run *run = &b->run[at->run];
		if (i + AHEAD < n)
			block_set_prefetch(&d->blocks, at[AHEAD].first >> BLOCK_GROUP_BITS);
		d->failed =
		    run->count == 1 ? !add_block(d, at->first, run) : !add_run(d, at->first, run);
	}
	if (d->failed)
		block_set_free(&d->blocks);
}

struct engine_firsts distinct_firsts(const struct distinct *d)
{
	if (d->failed)
		return (struct engine_firsts){.known = false};
	struct engine_firsts all = {.known = true};
	for (size_t i = 0; i < d->row_capacity; i++)
		for (unsigned way = 0; way < 2; way++) {
			all.count.references[way] += d->rows[i].references[way];
			all.count.records[way] += d->rows[i].records[way];
			all.count.bytes[way] += d->rows[i].bytes[way];
		}
	return all;
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
