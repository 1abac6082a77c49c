/* SPDX-License-Identifier: BSD-2-Clause */
#include "simulation.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "read_ahead.h"

struct simulation {
	struct simulation_options options;
	struct cache *cache;
	struct read_ahead *read_ahead; /* NULL: neither prefetching nor estimates */
	struct estimate estimate;
	struct simulation_counts counts;
	struct simulation_hits *rows;
	size_t row_capacity;
	bool record_hits; /* all blocks of the current record did so far */
	uint8_t result[REFERENCES_MAX];
};

uint64_t simulation_bytes(const struct simulation_options *o, uint64_t references)
{
	return sizeof(struct simulation) + cache_bytes(o->policy, o->capacity, references);
}

struct simulation *simulation_new(const struct simulation_options *options)
{
	struct simulation *s = calloc(1, sizeof *s);
	if (s == NULL)
		return NULL;
	const bool stepwise = options->prefetch != PREFETCH_NONE || options->device != NULL;
	s->options = *options;
	s->cache = cache_new(options->policy, options->capacity, options->future);
	if (options->device != NULL) {
		s->estimate.block = options->block;
		s->estimate.device.options = *options->device;
		s->estimate.device.options.depth = 0;
	}
	if (stepwise)
		s->read_ahead =
		    read_ahead_new(options, options->device != NULL ? &s->estimate : NULL);
	if (s->cache == NULL || (stepwise && s->read_ahead == NULL)) {
		simulation_free(s);
		return NULL;
	}
	return s;
}

void simulation_free(struct simulation *s)
{
	if (s == NULL)
		return;
	cache_free(s->cache);
	read_ahead_free(s->read_ahead);
	free(s->rows);
	free(s);
}

uint64_t simulation_capacity(const struct simulation *s)
{
	return s->options.capacity;
}

/* References */

static int refer_range(struct simulation *s, const struct reference_batch *b, uint32_t from,
		       uint32_t to)
{
	if (s->read_ahead != NULL)
		return read_ahead_refer(s->read_ahead, s->cache, b, from, to, s->result);
	cache_refer(s->cache, b->key + from, b->how + from, to - from, s->result + from);
	return IOT_OK;
}

static int apply(struct simulation *s, const struct reference_action *a)
{
	if (a->drop) {
		const uint64_t last =
		    s->read_ahead != NULL ? read_ahead_last(s->read_ahead, a->last) : a->last;
		cache_drop(s->cache, a->first, last);
		return IOT_OK;
	}
	const bool estimated =
	    s->options.device == NULL ||
	    estimate_dirty(&s->estimate, ESTIMATE_SYNCED, s->cache, a->first, a->last);
	s->counts.device_writes += cache_clean(s->cache, a->first, a->last);
	return estimated ? IOT_OK : IOT_ENOMEM;
}

static int refer_all(struct simulation *s, const struct reference_batch *b)
{
	uint32_t at = 0;
	int status = IOT_OK;
	for (uint32_t i = 0; i < b->actions && status == IOT_OK; i++) {
		status = refer_range(s, b, at, b->action[i].before);
		at = b->action[i].before;
		if (status == IOT_OK)
			status = apply(s, &b->action[i]);
	}
	return status == IOT_OK ? refer_range(s, b, at, b->count) : status;
}

/* Counts */

static void add_hits(struct simulation_hits *h, unsigned write, uint64_t references,
		     uint64_t record, uint64_t bytes)
{
	h->references[write] += references;
	h->records[write] += record;
	h->bytes[write] += bytes;
}

static inline bool hits(const struct simulation *s, uint32_t reference)
{
	return (s->result[reference] & CACHE_HIT) != 0;
}

/* The device reads of a run that missed: of writes, only partial blocks with --rmw. */
static uint64_t reads_of(const struct simulation *s, const struct reference_run *run,
			 uint64_t misses)
{
	const uint32_t last = run->first + run->count - 1;
	if (!(run->flags & RUN_WRITE))
		return misses;
	if (!s->options.rmw || s->options.write == REFERENCES_AROUND)
		return 0;
	const bool first_partial = run->skipped_at_begin > 0 && !hits(s, run->first),
		   last_partial = run->skipped_at_end > 0 && !hits(s, last);
	return run->count == 1 ? first_partial || last_partial
			       : (uint64_t)first_partial + last_partial;
}

/* The references of a run that hit, and the bytes of the record in their blocks. */
static inline uint64_t hits_of(const struct simulation *s, const struct reference_run *run,
			       uint64_t *bytes)
{
	const uint64_t block = s->options.block;
	uint64_t n = hits(s, run->first);
	if (run->count == 1) {
		*bytes = n * (block - run->skipped_at_begin - run->skipped_at_end);
		return n;
	}
	const uint32_t end = run->first + run->count;
	*bytes = n * run->skipped_at_begin + hits(s, end - 1) * (uint64_t)run->skipped_at_end;
	for (uint32_t i = run->first + 1; i < end; i++)
		n += s->result[i] & CACHE_HIT;
	*bytes = n * block - *bytes;
	return n;
}

static void count_runs(struct simulation *s, const struct reference_batch *b)
{
	struct simulation_hits h = s->counts.hits;
	bool record_hits = s->record_hits;
	uint64_t reads = 0, writes = 0, bytes;
	for (uint32_t i = 0; i < b->runs; i++) {
		const struct reference_run *run = &b->run[i];
		const unsigned write = (run->flags & RUN_WRITE) != 0;
		const uint64_t n = hits_of(s, run, &bytes);
		record_hits = n == run->count && (record_hits || (run->flags & RUN_BEGINS) != 0);
		const bool record = record_hits && (run->flags & RUN_ENDS) != 0;
		add_hits(&h, write, n, record, bytes);
		if (s->options.rows)
			add_hits(&s->rows[run->row], write, n, record, bytes);
		reads += reads_of(s, run, run->count - n);
		writes += write ? run->count : 0;
	}
	s->counts.hits = h;
	s->record_hits = record_hits;
	s->counts.device_reads += reads;
	if (s->options.write != REFERENCES_BACK)
		s->counts.device_writes += writes;
}

static void count_prefetched(struct simulation *s, const struct reference_batch *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		s->counts.prefetched_hits += (s->result[i] & CACHE_PREFETCHED) != 0;
}

static bool reserve_rows(struct simulation *s, const struct reference_batch *b)
{
	uint32_t last = 0;
	for (uint32_t i = 0; i < b->runs; i++)
		last = b->run[i].row > last ? b->run[i].row : last;
	return array_reserve_index(&s->rows, &s->row_capacity, last, sizeof *s->rows);
}

int simulation_run(struct simulation *s, const struct reference_batch *b)
{
	const int status = refer_all(s, b);
	if (status != IOT_OK)
		return status;
	if (s->options.rows && !reserve_rows(s, b))
		return IOT_ENOMEM;
	count_runs(s, b);
	if (s->read_ahead != NULL)
		count_prefetched(s, b);
	return IOT_OK;
}

/* The blocks that are still dirty are written. */
int simulation_finish(struct simulation *s)
{
	return s->options.device == NULL ||
		       estimate_dirty(&s->estimate, ESTIMATE_EVICTED, s->cache, 0, UINT64_MAX)
		   ? IOT_OK
		   : IOT_ENOMEM;
}

const uint8_t *simulation_results(const struct simulation *s)
{
	return s->result;
}

struct simulation_counts simulation_counts(const struct simulation *s)
{
	struct simulation_counts c = s->counts;
	c.cache = *cache_counts(s->cache);
	c.resident = cache_resident(s->cache);
	c.device_ns = s->estimate.device_ns;
	c.waited_ns = s->estimate.waited_ns;
	c.device_reads += c.cache.prefetched;
	c.device_writes += c.cache.dirty_evictions + c.cache.dirty;
	return c;
}

struct simulation_hits simulation_row(const struct simulation *s, size_t row)
{
	return row < s->row_capacity ? s->rows[row] : (struct simulation_hits){.references = {0}};
}
