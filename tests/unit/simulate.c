/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "lib/simulate/block_reuse.h"
#include "lib/simulate/breakdown.h"
#include "lib/simulate/cache.h"
#include "lib/simulate/distinct.h"
#include "lib/simulate/estimate.h"
#include "lib/simulate/mrc.h"
#include "lib/simulate/sample.h"
#include "lib/simulate/simulation.h"

enum { MS = 1000000 };

/* A batch of records of one block each. */
static struct reference_batch *new_batch(void)
{
	struct reference_batch *b = calloc(1, sizeof *b);
	cr_assert_not_null(b);
	return b;
}

static void add(struct reference_batch *b, uint64_t key, uint32_t row, int64_t start_ns,
		unsigned flags)
{
	b->start_ns[b->runs] = start_ns;
	b->run[b->runs++] = (struct reference_run){.first = b->count,
						   .count = 1,
						   .blocks = 1,
						   .row = row,
						   .flags = flags | RUN_BEGINS | RUN_ENDS};
	b->how[b->count] = flags & RUN_WRITE ? CACHE_WRITE : 0;
	b->key[b->count++] = key;
}

/* Policies */

static unsigned refer(struct cache *c, uint64_t key, unsigned times)
{
	struct cache_victim victim;
	unsigned result = 0;
	for (unsigned i = 0; i < times; i++)
		result = cache_refer_one(c, key, 0, &victim);
	return result;
}

/* 16 counts fill the memory that LFU has at first; a hit then takes the only count that is free. */
Test(cache, lfu_has_memory_for_a_miss_after_a_hit_with_a_new_count)
{
	struct cache *c = cache_new(CACHE_LFU, 40, NULL);
	cr_assert_not_null(c);
	for (uint64_t key = 1; key <= 15; key++)
		refer(c, key, 1);
	for (uint64_t key = 15; key > 0; key--)
		refer(c, key, 2 * (unsigned)key); /* counts 3, 5, ..., 31 */
	refer(c, 16, 1);
	refer(c, 3, 2);  /* 9, as key 4: a count is free */
	refer(c, 16, 1); /* 2: no block has a count of 1 */
	refer(c, 4, 1);  /* 10: no count is free */
	cr_assert_eq(refer(c, 17, 1), 0U);
	cr_assert_eq(refer(c, 17, 1), (unsigned)CACHE_HIT);
	cache_free(c);
}

/* Key k has a share of references in proportion to 1 / (k + 1). */
static uint64_t zipf_key(uint64_t *random, const double *sums, size_t keys)
{
	size_t low = 0, high = keys - 1;
	*random = *random * 6364136223846793005 + 1442695040888963407;
	const double at = (double)(*random >> 11) * 0x1p-53 * sums[keys - 1];
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (sums[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* LRU misses 39 %; a sketch with a quarter of the counters, 31.2 %. */
Test(cache, wtinylfu_separates_frequent_keys_from_others)
{
	enum { KEYS = 20000, REFERENCES = 400000, CAPACITY = 1000 };
	double *sums = calloc(KEYS, sizeof *sums);
	struct cache *c = cache_new(CACHE_WTINYLFU, CAPACITY, NULL);
	uint64_t random = 1, misses = 0;
	cr_assert(sums != NULL && c != NULL);
	for (size_t i = 0; i < KEYS; i++)
		sums[i] = (i > 0 ? sums[i - 1] : 0) + 1 / (double)(i + 1);
	for (size_t i = 0; i < REFERENCES; i++)
		misses += refer(c, zipf_key(&random, sums, KEYS), 1) == 0;
	cr_expect_lt(misses, REFERENCES / 100 * 31, "%ju misses", (uintmax_t)misses);
	cache_free(c);
	free(sums);
}

/* Reuse */

Test(block_reuse, rows_share_blocks_and_count_their_own_references)
{
	struct reference_batch *b = new_batch();
	struct block_reuse *r = block_reuse_new(1 << 20);
	struct block_reuse_row row;
	add(b, 1, 0, 0, 0);
	add(b, 2, 0, 1 * MS, 0);
	add(b, 1, 1, 100 * MS, 0); /* the other row, after 100 ms and 2 blocks */
	add(b, 1, 1, REFERENCE_TIME_UNKNOWN, 0);
	block_reuse_add(r, b);
	block_reuse_finish(r);
	cr_assert(block_reuse_row(r, 0, &row));
	cr_assert_eq(row.blocks, 2U);
	cr_assert_eq(row.repeated, 0U);
	cr_assert_eq(row.reuses, 0U);
	cr_assert(block_reuse_row(r, 1, &row));
	cr_assert_eq(row.blocks, 1U);
	cr_assert_eq(row.repeated, 1U);
	cr_assert_eq(row.reuses, 2U);
	cr_assert_eq(row.distance, 1U); /* the lower one of 1 and 2 */
	cr_assert_eq(row.timed, 1U);
	cr_assert(row.time_ns >= 100 * MS && row.time_ns < 102 * MS, "%lu",
		  (unsigned long)row.time_ns);
	cr_assert(block_reuse_row(r, REUSE_TOTAL, &row));
	cr_assert_eq(row.blocks, 2U);
	cr_assert_eq(row.repeated, 1U);
	cr_assert(block_reuse_row(r, 7, &row), "a row without references");
	cr_assert_eq(row.blocks, 0U);
	block_reuse_free(r);
	free(b);
}

Test(block_reuse, is_unknown_beyond_its_memory)
{
	struct reference_batch *b = new_batch();
	struct block_reuse *r = block_reuse_new(1 << 12);
	struct block_reuse_row row;
	for (uint64_t key = 0; key < REFERENCES_MAX; key++)
		add(b, key, 0, 0, 0);
	block_reuse_add(r, b);
	block_reuse_add(r, b);
	block_reuse_finish(r);
	cr_assert_not(block_reuse_row(r, 0, &row));
	block_reuse_free(r);
	free(b);
}

/* References of records */

/* A record that is plain, or differs from a plain one in one way. */
static struct iot_event random_record(uint64_t *state, int64_t *start_ns)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	const uint64_t bits = *state >> 20;
	*start_ns += (int64_t)(bits % 8);
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.type = (uint8_t)(IOT_LOGICAL | (bits & IOT_WRITE)),
				       .start_ns = *start_ns,
				       .offset = bits % 100000,
				       .length = 1 + (bits >> 20) % 3000,
				       .process = 1 + (uint32_t)(bits % 3),
				       .file = (uint32_t)(bits >> 4) % 70,
				       .object = (uint32_t)(bits >> 8) % 5}};
	switch ((bits >> 12) % 16) {
	case 0:
		ev.rec.flags = IOT_OFFSET_UNKNOWN;
		break;
	case 1:
		ev.rec.flags = IOT_START_UNKNOWN;
		break;
	case 2:
		ev.rec.start_ns -= 5;
		break;
	case 3:
		ev.rec.type |= (uint8_t)(1 + bits % 3); /* a kind */
		break;
	case 4:
		ev.rec.type |= bits & 1 ? IOT_CACHE_MISS : IOT_READ_AHEAD_HIT;
		break;
	case 5:
		ev.rec.type ^= IOT_LOGICAL;
		break;
	case 6:
		ev.rec.length = bits & 1 ? 0 : 5000000; /* more than a batch */
		break;
	case 7:
		ev.rec.type |= IOT_ASYNC;
		break;
	case 8:
		ev.rec.offset += (uint64_t)1 << 48;
		break;
	default:
		break;
	}
	return ev;
}

/* With rows, no record is plain: the references are the same nevertheless. */
Test(references, plain_records_refer_to_the_same_blocks)
{
	enum { EVENTS = 512, ROUNDS = 40 };
	static struct iot_event ev[EVENTS];
	struct references_options options = {.block = 512, .request_max = (uint64_t)1 << 34};
	struct reference_batch *b[2] = {new_batch(), new_batch()};
	struct references *r[2];
	uint64_t state = 1;
	int64_t start_ns = 100;
	r[0] = references_new(&options);
	options.by = BREAKDOWN_OBJECT;
	r[1] = references_new(&options);
	cr_assert(r[0] != NULL && r[1] != NULL);
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < EVENTS; i++)
			ev[i] = random_record(&state, &start_ns);
		for (size_t at = 0, used[2]; at < EVENTS || references_pending(r[0]);
		     at += used[0]) {
			for (size_t i = 0; i < 2; i++) {
				b[i]->count = b[i]->runs = b[i]->actions = 0;
				cr_assert_eq(
				    references_add(r[i], b[i], ev + at, EVENTS - at, &used[i]),
				    IOT_OK, "%s", references_error(r[i]));
			}
			cr_assert_eq(used[0], used[1]);
			cr_assert_eq(b[0]->count, b[1]->count);
			cr_assert_eq(b[0]->runs, b[1]->runs);
			for (uint32_t i = 0; i < b[0]->runs; i++) {
				b[1]->run[i].row = 0;
				cr_assert_eq(
				    memcmp(&b[0]->run[i], &b[1]->run[i], sizeof b[0]->run[i]), 0);
			}
			cr_assert_eq(memcmp(b[0]->key, b[1]->key, b[0]->count * sizeof(uint64_t)),
				     0);
			cr_assert_eq(memcmp(b[0]->how, b[1]->how, b[0]->count), 0);
		}
	}
	cr_assert_eq(memcmp(references_counts(r[0]), references_counts(r[1]),
			    sizeof(struct references_counts)),
		     0);
	cr_assert_gt(references_counts(r[0])->traced_misses, 0U);
	for (size_t i = 0; i < 2; i++) {
		references_free(r[i]);
		free(b[i]);
	}
}

/* First references */

/* A record of blocks [key, key + count), without the first and last bytes of 100. */
static void add_record(struct reference_batch *b, uint64_t key, uint32_t count, unsigned flags)
{
	b->run[b->runs++] = (struct reference_run){.first = b->count,
						   .count = count,
						   .skipped_at_begin = 1,
						   .skipped_at_end = 2,
						   .flags = flags | RUN_BEGINS | RUN_ENDS};
	for (uint32_t i = 0; i < count; i++)
		b->key[b->count++] = key + i;
}

/*
 * Compares the counts with an array that has an element for each block. With results of a
 * cache, a part of the known blocks hit, and a part of the others are prefetched.
 */
static void check_distinct(bool with_results, uint32_t longest)
{
	enum { BLOCKS = 60000, FAR_APART = 1000, BATCHES = 60 };
	struct reference_batch *b = new_batch();
	struct distinct *d = distinct_new(1 << 26, 100);
	bool *seen = calloc(2 * BLOCKS, 1);
	uint8_t result[REFERENCES_MAX];
	struct reference_totals expected;
	uint64_t state = 1;
	cr_assert(d != NULL && seen != NULL);
	memset(&expected, 0, sizeof expected);
	for (int batch = 0; batch < BATCHES; batch++) {
		for (b->count = b->runs = 0; b->count < REFERENCES_MAX - 300;) {
			state = state * 6364136223846793005U + 1442695040888963407U;
			const uint32_t n = state >> 62 != 0 ? 1
							    : 1 + (uint32_t)(state >> 32) % longest,
				       first = (uint32_t)(state >> 40) % (BLOCKS - n);
			const unsigned write = state >> 33 & 1;
			/* a part of the blocks have a group of their own */
			const bool far = n == 1 && first % 2 == 0;
			uint64_t firsts = 0, bytes = 0;
			add_record(b, far ? (uint64_t)(first + BLOCKS) * FAR_APART : first | 1, n,
				   write ? RUN_WRITE : 0);
			for (uint32_t i = 0; i < n; i++) {
				bool *block = &seen[far ? BLOCKS + first : (first | 1) + i];
				bytes +=
				    *block ? 0 : 100U - (i == 0 ? 1 : 0) - (i + 1 == n ? 2 : 0);
				firsts += !*block;
				result[b->count - n + i] = (state >> (i + 5) % 60 & 1) == 0 ? 0
							   : *block ? CACHE_HIT
								    : CACHE_HIT | CACHE_PREFETCHED;
				*block = true;
			}
			expected.references[write] += firsts;
			expected.bytes[write] += bytes;
			expected.records[write] += firsts > 0;
		}
		distinct_add(d, b, with_results ? result : NULL);
	}
	const struct engine_firsts firsts = distinct_firsts(d);
	cr_assert(firsts.known);
	cr_assert_eq(memcmp(&firsts.count, &expected, sizeof expected), 0);
	distinct_free(d);
	free(seen);
	free(b);
}

Test(distinct, counts_the_first_references_of_records_of_any_length)
{
	check_distinct(false, 300);
	check_distinct(true, 300);
	check_distinct(false, 1);
	check_distinct(true, 1);
}

Test(distinct, is_unknown_beyond_its_memory)
{
	struct reference_batch *b = new_batch();
	struct distinct *d = distinct_new(1 << 16, 4096);
	for (uint64_t i = 0; i < REFERENCES_MAX; i++)
		add_record(b, i << 20, 1, 0);
	distinct_add(d, b, NULL);
	cr_assert_not(distinct_firsts(d).known);
	distinct_add(d, b, NULL);
	cr_assert_not(distinct_row_firsts(d, 0).known);
	distinct_free(d);
	free(b);
}

/* Estimates: an I/O takes 1 ms, and 1 ms more unless it begins where the preceding one ended. */

static struct estimate new_estimate(void)
{
	return (struct estimate){
	    .block = 4096,
	    .device = {.options = {.near_ns = MS,
				   .far_ns = MS,
				   .read_latency_ns = MS,
				   .write_latency_ns = MS}},
	};
}

Test(estimate, adjacent_blocks_are_one_io)
{
	struct estimate e = new_estimate();
	estimate_add(&e, ESTIMATE_READ, 10);
	estimate_add(&e, ESTIMATE_READ, 11);
	cr_assert_eq(e.device_ns, 0U);
	estimate_add(&e, ESTIMATE_READ, 13);
	cr_assert_eq(e.device_ns, 2U * MS);
	estimate_end(&e);
	cr_assert_eq(e.device_ns, 4U * MS);
	estimate_add(&e, ESTIMATE_READ, 14); /* continues the one before */
	estimate_end(&e);
	cr_assert_eq(e.device_ns, 5U * MS);
	cr_assert_eq(e.waited_ns, 5U * MS);
}

Test(estimate, blocks_of_two_objects_are_not_adjacent)
{
	struct estimate e = new_estimate();
	const uint64_t last = cache_key_of(0, ((uint64_t)1 << CACHE_BLOCK_BITS) - 1);
	estimate_add(&e, ESTIMATE_READ, last);
	estimate_add(&e, ESTIMATE_READ, last + 1);
	estimate_end(&e);
	cr_assert_eq(e.device_ns, 4U * MS);
}

Test(estimate, processes_wait_for_synchronous_ios_only)
{
	struct estimate e = new_estimate();
	estimate_add(&e, ESTIMATE_EVICTED, 1);
	estimate_add(&e, ESTIMATE_PREFETCHED, 3);
	estimate_end(&e);
	cr_assert_eq(e.waited_ns, 0U);
	e.async = true;
	estimate_add(&e, ESTIMATE_WRITE, 5);
	estimate_end(&e);
	cr_assert_eq(e.waited_ns, 0U);
	estimate_add(&e, ESTIMATE_SYNCED, 7);
	estimate_end(&e);
	cr_assert_eq(e.waited_ns, 2U * MS);
	cr_assert_eq(e.device_ns, 8U * MS);
}

Test(estimate, a_simulation_writes_dirty_blocks_at_the_end)
{
	const struct device_options device = {.read_latency_ns = MS, .write_latency_ns = 3 * MS};
	const struct simulation_options o = {
	    .policy = CACHE_LRU, .capacity = 2, .block = 4096, .device = &device};
	struct reference_batch *b = new_batch();
	struct simulation *s = simulation_new(&o);
	cr_assert_not_null(s);
	add(b, 1, 0, 0, RUN_WRITE);
	add(b, 2, 0, 0, RUN_WRITE);
	add(b, 3, 0, 0, 0); /* evicts block 1 */
	cr_assert_eq(simulation_run(s, b), IOT_OK);
	cr_assert_eq(simulation_counts(s).device_ns, 4U * MS);
	cr_assert_eq(simulation_finish(s), IOT_OK);
	cr_assert_eq(simulation_counts(s).device_ns, 7U * MS);
	cr_assert_eq(simulation_counts(s).waited_ns, 1U * MS);
	cr_assert_eq(simulation_counts(s).device_writes, 2U);
	simulation_free(s);
	free(b);
}

/* Samples */

Test(sample, a_batch_keeps_all_references_to_some_keys)
{
	struct reference_batch *all = new_batch(), *half = new_batch();
	size_t kept[64] = {0}, keys = 0;
	for (unsigned i = 0; i < 256; i++)
		add(all, i % 64, 0, 0, i % 2 ? RUN_WRITE : 0);
	all->action[all->actions++] = (struct reference_action){.before = 100, .last = 5};
	all->action[all->actions++] = (struct reference_action){.before = 256, .last = 6};
	sample_batch(half, all, 0.5, 7);
	for (uint32_t i = 0; i < half->count; i++)
		kept[half->key[i]]++;
	for (unsigned i = 0; i < 64; i++) {
		cr_assert(kept[i] == 0 || kept[i] == 4);
		keys += kept[i] > 0;
	}
	cr_assert(keys > 16 && keys < 48, "%zu keys", keys);
	cr_assert_eq(half->runs, half->count);
	cr_assert_eq(half->actions, 2U);
	cr_assert_eq(half->action[1].before, half->count);
	uint32_t before = 0;
	for (uint32_t i = 0; i < 100; i++)
		before += kept[all->key[i]] > 0;
	cr_assert_eq(half->action[0].before, before);
	free(all);
	free(half);
}

/* Curves */

Test(mrc, reads_and_writes_have_curves_of_their_own)
{
	const struct mrc_options o = {.method = MRC_EXACT, .memory = 1 << 24};
	struct reference_batch *b = new_batch();
	struct mrc *m = mrc_new(&o);
	add(b, 1, 0, 0, 0);
	add(b, 2, 0, 0, RUN_WRITE);
	add(b, 1, 0, 0, RUN_WRITE); /* at distance 2 */
	cr_assert_eq(mrc_add(m, b), IOT_OK);
	cr_assert_eq(mrc_finish(m), IOT_OK);
	cr_assert_eq(mrc_misses(m, MRC_READS, 1).misses, 1.0);
	cr_assert_eq(mrc_misses(m, MRC_WRITES, 1).misses, 2.0);
	cr_assert_eq(mrc_misses(m, MRC_WRITES, 2).misses, 1.0);
	cr_assert_eq(mrc_references(m, MRC_WRITES), 2U);
	mrc_free(m);
	free(b);
}

static struct mrc *curve_of_keys(enum mrc_method method, uint64_t samples)
{
	const struct mrc_options o = {.method = method,
				      .rate = samples > 0 ? 1e-9 : 1,
				      .samples = samples,
				      .memory = 1 << 24};
	struct reference_batch *b = new_batch();
	struct mrc *m = mrc_new(&o);
	for (uint64_t i = 0; i < REFERENCES_MAX; i++)
		add(b, i % 7 == 0 ? i % 500 : 1000 + i % 611, 0, 0, i % 3 == 0 ? RUN_WRITE : 0);
	b->action[b->actions++] = (struct reference_action){2000, true, 0, 100};
	cr_assert_eq(mrc_add(m, b), IOT_OK);
	cr_assert_eq(mrc_finish(m), IOT_OK);
	free(b);
	return m;
}

static void check_exact(struct mrc *exact, struct mrc *sampled)
{
	static const size_t rows[] = {MRC_TOTAL, MRC_READS, MRC_WRITES};
	cr_assert_eq(mrc_distinct(sampled), mrc_distinct(exact));
	for (uint64_t size = 1; size < 1200; size++)
		for (size_t i = 0; i < 3; i++) {
			const struct mrc_point p = mrc_misses(sampled, rows[i], size);
			const double misses = mrc_misses(exact, rows[i], size).misses;
			cr_assert(p.misses == misses && p.low == misses && p.high == misses,
				  "size %ju, row %zu: %g (%g to %g), expected %g", (uintmax_t)size,
				  i, p.misses, p.low, p.high, misses);
		}
	mrc_free(sampled);
}

Test(mrc, a_sample_of_all_keys_is_exact)
{
	struct mrc *exact = curve_of_keys(MRC_EXACT, 0);
	check_exact(exact, curve_of_keys(MRC_SHARDS, 0));
	check_exact(exact, curve_of_keys(MRC_SHARDS, 5000)); /* more than there are */
	mrc_free(exact);
}

/* Breakdowns */

Test(breakdown, an_operation_belongs_to_a_row_that_a_record_has)
{
	struct breakdown b = {.by = BREAKDOWN_PROCESS};
	const struct iot_record rec = {.process = 5, .file = 2}, other = {.process = 6};
	cr_assert_eq(breakdown_find(&b, &rec, 0), SIZE_MAX);
	cr_assert_eq(breakdown_row(&b, &rec, 0, (struct breakdown_name){0}), 0U);
	cr_assert_eq(breakdown_find(&b, &rec, SIZE_MAX), 0U);
	cr_assert_eq(breakdown_find(&b, &other, SIZE_MAX), SIZE_MAX);
	cr_assert_eq(b.names[0].process, 5U);
	breakdown_free(&b);
	b.by = BREAKDOWN_OPERATION;
	cr_assert_eq(breakdown_row(&b, &rec, 0, (struct breakdown_name){0}), 0U);
	cr_assert_eq(breakdown_find(&b, &rec, 0), SIZE_MAX, "an operation is no read");
	breakdown_free(&b);
}

/* Blocks of a record */

static void check_blocks(struct iot_record rec, uint32_t block_size, int status, uint64_t first,
			 uint64_t count)
{
	uint64_t found_first, found_count;
	cr_assert_eq(iot_blocks_of(&rec, block_size, &found_first, &found_count), status);
	cr_assert_eq(found_first, first);
	cr_assert_eq(found_count, count);
}

Test(blocks_of, a_record_refers_to_all_blocks_that_its_bytes_are_in)
{
	check_blocks((struct iot_record){.type = IOT_LOGICAL, .offset = 4095, .length = 2}, 4096,
		     IOT_OK, 0, 2);
	check_blocks((struct iot_record){.type = IOT_LOGICAL, .offset = 8192, .length = 4096}, 4096,
		     IOT_OK, 2, 1);
	check_blocks((struct iot_record){.type = IOT_LOGICAL, .offset = 8192}, 4096, IOT_OK, 0, 0);
	check_blocks((struct iot_record){.offset = 7, .length = 2}, 4096, IOT_OK, 0, 2);
	check_blocks((struct iot_record){.type = IOT_LOGICAL, .offset = UINT64_MAX, .length = 1}, 1,
		     IOT_OK, UINT64_MAX, 1);
}

Test(blocks_of, offsets_that_are_unknown_or_too_large_have_no_blocks)
{
	check_blocks((struct iot_record){.type = IOT_LOGICAL, .length = 1}, 0, IOT_EUSAGE, 0, 0);
	check_blocks(
	    (struct iot_record){.type = IOT_LOGICAL, .length = 1, .flags = IOT_OFFSET_UNKNOWN},
	    4096, IOT_EUSAGE, 0, 0);
	check_blocks((struct iot_record){.type = IOT_LOGICAL, .offset = UINT64_MAX, .length = 2},
		     4096, IOT_ELIMIT, 0, 0);
	check_blocks((struct iot_record){.offset = UINT64_MAX / 2, .length = 1}, 4096, IOT_ELIMIT,
		     0, 0);
}
