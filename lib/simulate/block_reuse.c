/* SPDX-License-Identifier: BSD-2-Clause */
#include "block_reuse.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"

#include "curve.h"
#include "distances.h"

/* Counts of (row, bin of struct curve): rows use few of the bins. */
struct sparse_bins {
	struct idmap map;
	uint64_t *count;
	size_t capacity;
};

/* Most blocks have one row; the row of the first reference is here. */
struct reuse_block {
	int64_t last_ns; /* start of the last record; REFERENCE_TIME_UNKNOWN */
	uint32_t row;    /* of the first reference; 0: none */
	bool repeated, repeated_in_row;
};

struct block_reuse {
	uint64_t memory;
	bool failed;
	struct distances distances; /* its keys number the blocks */
	struct reuse_block *blocks;
	size_t block_capacity;
	struct idmap pairs;  /* of a further row and the number of a block */
	bool *pair_repeated; /* of each */
	size_t pair_capacity;
	struct sparse_bins distance_bins, time_bins;
	struct block_reuse_row *rows; /* the whole trace, then row 0, 1, ... */
	size_t row_capacity;
};

struct block_reuse *block_reuse_new(uint64_t memory)
{
	struct block_reuse *r = calloc(1, sizeof *r);
	if (r == NULL)
		return NULL;
	r->memory = memory;
	r->distances.keeps_dropped = true;
	return r;
}

static void bins_free(struct sparse_bins *b)
{
	idmap_free(&b->map);
	free(b->count);
	*b = (struct sparse_bins){.count = NULL};
}

static void release(struct block_reuse *r)
{
	distances_free(&r->distances);
	idmap_free(&r->pairs);
	free(r->blocks);
	free(r->pair_repeated);
	r->blocks = NULL;
	r->pair_repeated = NULL;
	r->block_capacity = r->pair_capacity = 0;
	bins_free(&r->distance_bins);
	bins_free(&r->time_bins);
}

void block_reuse_free(struct block_reuse *r)
{
	if (r == NULL)
		return;
	release(r);
	free(r->rows);
	free(r);
}

/* References */

static bool bins_add(struct sparse_bins *b, uint32_t row, uint64_t value)
{
	const size_t i = idmap_number(&b->map, idmap_pair(row, (uint32_t)curve_bin(value)));
	if (!array_reserve_index(&b->count, &b->capacity, i, sizeof *b->count))
		return false;
	b->count[i]++;
	return true;
}

/* A row other than the row of the first reference refers to the block with this number. */
static bool count_pair(struct block_reuse *r, uint32_t row, size_t block)
{
	const size_t known = r->pairs.count,
		     i = idmap_number(&r->pairs, idmap_pair(row, (uint32_t)block));
	if (!array_reserve_index(&r->pair_repeated, &r->pair_capacity, i, sizeof(bool)))
		return false;
	if (i == known)
		r->rows[row].blocks++;
	else if (!r->pair_repeated[i])
		r->rows[row].repeated++;
	r->pair_repeated[i] = i != known;
	return true;
}

/* The row refers to the block with this number. */
static bool count_block(struct block_reuse *r, uint32_t row, size_t block)
{
	struct reuse_block *b = &r->blocks[block];
	if (b->row == 0) {
		b->row = row;
		r->rows[0].blocks++;
		r->rows[row].blocks++;
		return true;
	}
	r->rows[0].repeated += !b->repeated;
	b->repeated = true;
	if (b->row != row)
		return count_pair(r, row, block);
	r->rows[row].repeated += !b->repeated_in_row;
	b->repeated_in_row = true;
	return true;
}

static bool count_reuse(struct block_reuse *r, uint32_t row, uint64_t distance, int64_t last_ns,
			int64_t start_ns)
{
	const bool timed = last_ns != REFERENCE_TIME_UNKNOWN && start_ns != REFERENCE_TIME_UNKNOWN;
	const uint64_t time_ns =
	    timed && start_ns > last_ns ? (uint64_t)start_ns - (uint64_t)last_ns : 0;
	r->rows[row].reuses++;
	r->rows[row].timed += timed;
	return bins_add(&r->distance_bins, row, distance) &&
	       /* bins begin at 1 */
	       (!timed || bins_add(&r->time_bins, row, time_ns + 1));
}

static bool add_reference(struct block_reuse *r, uint64_t key, uint32_t row, int64_t start_ns)
{
	const uint64_t distance = distances_refer(&r->distances, key);
	const size_t block = idmap_number(&r->distances.keys, key);
	if (distance == DISTANCE_FAILED ||
	    !array_reserve_index(&r->blocks, &r->block_capacity, block, sizeof *r->blocks) ||
	    !array_reserve_index(&r->rows, &r->row_capacity, row, sizeof *r->rows))
		return false;
	const int64_t last_ns = r->blocks[block].last_ns;
	r->blocks[block].last_ns = start_ns;
	return count_block(r, row, block) &&
	       (distance == DISTANCE_NONE || (count_reuse(r, 0, distance, last_ns, start_ns) &&
					      count_reuse(r, row, distance, last_ns, start_ns)));
}

static bool add_run(struct block_reuse *r, const struct reference_batch *b, uint32_t run)
{
	enum { AHEAD = 16, FOUND = 8 };
	const uint32_t first = b->run[run].first, end = first + b->run[run].count;
	for (uint32_t i = first; i < end; i++) {
		if (i + AHEAD < b->count)
			distances_prefetch(&r->distances, b->key[i + AHEAD]);
		if (i + FOUND < b->count)
			idmap_prefetch_found(&r->distances.keys, b->key[i + FOUND]);
		if (!add_reference(r, b->key[i], b->run[run].row + 1, b->start_ns[run]))
			return false;
	}
	return true;
}

static bool apply(struct block_reuse *r, const struct reference_action *a)
{
	return !a->drop || distances_drop(&r->distances, a->first, a->last);
}

static uint64_t bytes_of(const struct block_reuse *r)
{
	return distances_bytes(&r->distances) + idmap_bytes(&r->pairs) +
	       idmap_bytes(&r->distance_bins.map) + idmap_bytes(&r->time_bins.map) +
	       r->block_capacity * sizeof *r->blocks + r->pair_capacity * sizeof(bool) +
	       (r->distance_bins.capacity + r->time_bins.capacity) * sizeof(uint64_t) +
	       r->row_capacity * sizeof *r->rows;
}

/* The actions of a batch split its runs. */
void block_reuse_add(struct block_reuse *r, const struct reference_batch *b)
{
	uint32_t action = 0;
	for (uint32_t i = 0; i < b->runs && !r->failed; i++) {
		for (; action < b->actions && b->action[action].before <= b->run[i].first; action++)
			r->failed |= !apply(r, &b->action[action]);
		r->failed |= !add_run(r, b, i);
	}
	for (; action < b->actions && !r->failed; action++)
		r->failed |= !apply(r, &b->action[action]);
	r->failed |= bytes_of(r) > r->memory;
	if (r->failed)
		release(r);
}

/* Medians */

struct bin {
	uint64_t key, count; /* key: of the row and the bin */
};

static int compare_bins(const void *a, const void *b)
{
	const uint64_t x = ((const struct bin *)a)->key, y = ((const struct bin *)b)->key;
	return (x > y) - (x < y);
}

/* Returns the bins in order of row and value; NULL if out of memory. */
static struct bin *sorted(const struct sparse_bins *b)
{
	struct bin *bins = malloc((b->map.count + 1) * sizeof *bins);
	for (size_t i = 0; bins != NULL && i < b->map.count; i++)
		bins[i] = (struct bin){b->map.keys[i], b->count[i]};
	if (bins != NULL)
		qsort(bins, b->map.count, sizeof *bins, compare_bins);
	return bins;
}

/*
 * Calls set for each row that has bins, with the end of the bin of its lower median. Returns false
 * if out of memory.
 */
static bool for_medians(struct block_reuse *r, const struct sparse_bins *b,
			void (*set)(struct block_reuse_row *, uint64_t median))
{
	struct bin *bins = sorted(b);
	for (size_t first = 0, end; bins != NULL && first < b->map.count; first = end) {
		const uint64_t row = bins[first].key >> 32;
		uint64_t all = 0, sum = 0;
		for (end = first; end < b->map.count && bins[end].key >> 32 == row; end++)
			all += bins[end].count;
		size_t i = first;
		while ((sum += bins[i].count) < (all + 1) / 2)
			i++;
		set(&r->rows[row], curve_end((uint32_t)bins[i].key));
	}
	free(bins);
	return bins != NULL;
}

static void set_distance(struct block_reuse_row *row, uint64_t median)
{
	row->distance = median;
}

static void set_time(struct block_reuse_row *row, uint64_t median)
{
	row->time_ns = median - 1;
}

void block_reuse_finish(struct block_reuse *r)
{
	r->failed = r->failed || !for_medians(r, &r->distance_bins, set_distance) ||
		    !for_medians(r, &r->time_bins, set_time);
	release(r);
}

bool block_reuse_row(const struct block_reuse *r, size_t row, struct block_reuse_row *out)
{
	const size_t i = row == REUSE_TOTAL ? 0 : row + 1;
	*out = i < r->row_capacity ? r->rows[i] : (struct block_reuse_row){.blocks = 0};
	return !r->failed;
}
