/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speed of the block engine: references per second of CPU time of each policy, of the exact curve
 * and of SHARDS, in alternation with a floor: a flat hash table with an LRU list and nothing else.
 *
 *	simulate [REFERENCES [DISTINCT [CAPACITY [ROUNDS]]]]
 *
 * Keys follow Zipf's law with exponent 0.9. Prints the median of the rounds and the ratio to the
 * floor of the same round.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/thread.h"
#include "lib/simulate/engine.h"
#include "lib/simulate/future.h"
#include "lib/simulate/mrc.h"

#include "median.h"
#include "zipf.h"

enum { BATCH = 4096, ROUNDS_MAX = 64, ROWS = CACHE_POLICIES + 3 };

struct bench {
	size_t references, distinct, capacity, rounds;
	uint64_t *key;
	uint8_t *how, *result;
	struct future future;
};

static double cpu_seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Keys */

static bool make_keys(struct bench *b)
{
	b->key = zipf_keys(b->references, b->distinct);
	b->how = calloc(b->references, 1);
	b->result = calloc(b->references, 1);
	return b->key != NULL && b->how != NULL && b->result != NULL;
}

/* The floor */

struct floor_node {
	uint64_t key;
	uint32_t prev, next;
};

struct floor_lru {
	struct floor_node *nodes; /* node 0 is both ends of the list */
	uint32_t *slots, mask, used;
	unsigned shift;
};

static inline uint32_t floor_home(const struct floor_lru *f, uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15U >> f->shift);
}

static void floor_unhash(struct floor_lru *f, uint32_t node)
{
	uint32_t hole = floor_home(f, f->nodes[node].key);
	while (f->slots[hole] != node)
		hole = (hole + 1) & f->mask;
	for (uint32_t i = (hole + 1) & f->mask; f->slots[i] != 0; i = (i + 1) & f->mask) {
		const uint32_t home = floor_home(f, f->nodes[f->slots[i]].key);
		if (((i - home) & f->mask) < ((i - hole) & f->mask))
			continue;
		f->slots[hole] = f->slots[i];
		hole = i;
	}
	f->slots[hole] = 0;
}

static inline void floor_unlink(struct floor_node *n, uint32_t e)
{
	n[n[e].prev].next = n[e].next;
	n[n[e].next].prev = n[e].prev;
}

static inline void floor_push(struct floor_node *n, uint32_t e)
{
	n[e].prev = n[0].prev;
	n[e].next = 0;
	n[n[e].prev].next = e;
	n[0].prev = e;
}

static inline bool floor_refer(struct floor_lru *f, uint64_t key, size_t capacity)
{
	struct floor_node *n = f->nodes;
	uint32_t i = floor_home(f, key), e;
	while ((e = f->slots[i]) != 0 && n[e].key != key)
		i = (i + 1) & f->mask;
	if (e != 0) {
		if (n[0].prev != e) {
			floor_unlink(n, e);
			floor_push(n, e);
		}
		return true;
	}
	if (f->used < capacity)
		e = ++f->used;
	else {
		e = n[0].next;
		floor_unlink(n, e);
		floor_unhash(f, e);
		for (i = floor_home(f, key); f->slots[i] != 0;)
			i = (i + 1) & f->mask;
	}
	f->slots[i] = e;
	n[e].key = key;
	floor_push(n, e);
	return false;
}

static double time_floor(const struct bench *b)
{
	struct floor_lru f = {.used = 0};
	size_t slots = 16, hits = 0;
	while (slots < 2 * b->capacity)
		slots *= 2;
	f.mask = (uint32_t)slots - 1;
	f.shift = 64 - (unsigned)__builtin_ctzll(slots);
	f.nodes = calloc(b->capacity + 1, sizeof *f.nodes);
	f.slots = calloc(slots, sizeof *f.slots);
	if (f.nodes == NULL || f.slots == NULL)
		exit(1);
	const double begin = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < b->references; i++) {
		if (i + 16 < b->references)
			__builtin_prefetch(&f.slots[floor_home(&f, b->key[i + 16])]);
		if (i + 8 < b->references)
			__builtin_prefetch(&f.nodes[f.slots[floor_home(&f, b->key[i + 8])]]);
		hits += b->result[i] = floor_refer(&f, b->key[i], b->capacity);
	}
	const double end = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
	free(f.nodes);
	free(f.slots);
	return hits <= b->references ? end - begin : 0;
}

/* What is measured */

static double time_policy(const struct bench *b, enum cache_policy policy, uint64_t *hits)
{
	struct cache *c = cache_new(policy, b->capacity, &b->future.references);
	if (c == NULL)
		exit(1);
	const double begin = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < b->references; i += BATCH) {
		const size_t n = b->references - i < BATCH ? b->references - i : BATCH;
		cache_refer(c, b->key + i, b->how + i, n, b->result + i);
	}
	const double end = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
	*hits = 0;
	for (size_t i = 0; i < b->references; i++)
		*hits += b->result[i] & CACHE_HIT;
	cache_free(c);
	return end - begin;
}

/* The next batch of the keys, as records of one block each; see engine.h. */
struct source {
	const struct bench *bench;
	size_t at;
};

static int fill(void *context, struct reference_batch *r)
{
	struct source *s = context;
	const struct bench *b = s->bench;
	const size_t left = b->references - s->at,
		     n = left < REFERENCES_MAX ? left : REFERENCES_MAX;
	memcpy(r->key, b->key + s->at, n * sizeof *r->key);
	memset(r->how, 0, n);
	for (uint32_t i = 0; i < n; i++)
		r->run[i] = (struct reference_run){
		    .first = i, .count = 1, .blocks = 1, .flags = RUN_BEGINS | RUN_ENDS};
	r->count = r->runs = (uint32_t)n;
	r->actions = 0;
	s->at += n;
	return s->at < b->references;
}

static double time_curve(const struct bench *b, enum mrc_method method)
{
	const struct mrc_options options = {.method = method, .rate = 0.01, .memory = UINT64_MAX};
	struct mrc *m = mrc_new(&options);
	struct reference_batch *r = calloc(1, sizeof *r);
	struct source s = {.bench = b};
	double seconds = 0;
	if (m == NULL || r == NULL)
		exit(1);
	for (int more = 1; more > 0;) {
		more = fill(&s, r);
		const double begin = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
		if (mrc_add(m, r) != IOT_OK)
			exit(1);
		seconds += cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
	mrc_free(m);
	free(r);
	return seconds;
}

/* Results */

static void print_row(const struct bench *b, const char *name, double seconds[][ROUNDS_MAX],
		      size_t row, const char *more)
{
	double ratio[ROUNDS_MAX], own[ROUNDS_MAX];
	for (size_t i = 0; i < b->rounds; i++) {
		ratio[i] = seconds[0][i] / seconds[row][i];
		own[i] = seconds[row][i];
	}
	printf("%-14s %8.1f %8.2f  %s\n", name,
	       (double)b->references / median(own, b->rounds) / 1e6, median(ratio, b->rounds),
	       more);
}

static void measure(struct bench *b)
{
	static double seconds[ROWS][ROUNDS_MAX];
	uint64_t hits[CACHE_POLICIES] = {0};
	char more[80];
	for (size_t i = 0; i < b->rounds; i++) {
		seconds[0][i] = time_floor(b);
		for (unsigned p = 0; p < CACHE_POLICIES; p++)
			seconds[p + 1][i] = time_policy(b, (enum cache_policy)p, &hits[p]);
		seconds[CACHE_POLICIES + 1][i] = time_curve(b, MRC_EXACT);
		seconds[CACHE_POLICIES + 2][i] = time_curve(b, MRC_SHARDS);
	}
	printf("%-14s %8s %8s\n", "", "M refs/s", "of floor");
	print_row(b, "floor", seconds, 0, "");
	for (unsigned p = 0; p < CACHE_POLICIES; p++) {
		const enum cache_policy policy = (enum cache_policy)p;
		snprintf(more, sizeof more, "hit ratio %.4f, %.1f bytes for each cached block",
			 (double)hits[p] / (double)b->references,
			 (double)cache_bytes(policy, b->capacity,
					     policy == CACHE_OPT ? b->references : 0) /
			     (double)b->capacity);
		print_row(b, cache_policy_name(policy), seconds, p + 1, more);
	}
	print_row(b, "exact curve", seconds, CACHE_POLICIES + 1, "");
	print_row(b, "SHARDS 0.01", seconds, CACHE_POLICIES + 2, "");
}

/*
 * Four sizes of three policies in one pass. `longest` is the CPU time of the thread that works the
 * longest: what the run takes if each thread has a processor of its own.
 */
struct engine_time {
	double wall, longest;
};

static struct engine_time time_engine(const struct bench *b, unsigned threads)
{
	static const enum cache_policy policies[] = {CACHE_LRU, CACHE_ARC, CACHE_S3FIFO};
	struct simulation *simulations[12];
	const struct engine_options options = {
	    .threads = threads, .distinct_memory = UINT64_MAX, .block = 1};
	struct source s = {.bench = b};
	for (size_t i = 0; i < 12; i++) {
		const struct simulation_options o = {
		    .policy = policies[i / 4], .capacity = b->capacity >> i % 4, .block = 4096};
		if ((simulations[i] = simulation_new(&o)) == NULL)
			exit(1);
	}
	struct engine *e = engine_new(&options, simulations, 12);
	const double begin = cpu_seconds(CLOCK_MONOTONIC),
		     cpu = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID),
		     own = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
	if (e == NULL || engine_run(e, fill, &s) != IOT_OK)
		exit(1);
	const double caller = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - own,
		     other = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu - caller;
	const struct engine_time t = {cpu_seconds(CLOCK_MONOTONIC) - begin,
				      caller > other ? caller : other};
	engine_free(e);
	for (size_t i = 0; i < 12; i++)
		simulation_free(simulations[i]);
	return t;
}

/* One thread and two, in alternation. */
static void measure_threads(const struct bench *b)
{
	double wall[ROUNDS_MAX], longest[ROUNDS_MAX], one_wall[ROUNDS_MAX];
	for (size_t i = 0; i < b->rounds; i++) {
		const struct engine_time one = time_engine(b, 1), two = time_engine(b, 2);
		one_wall[i] = one.wall;
		wall[i] = one.wall / two.wall;
		longest[i] = one.longest / two.longest;
	}
	printf("12 simulations: %.2f s on one thread; on two %.2f times as fast (wall), %.2f times "
	       "with a processor for each\n",
	       median(one_wall, b->rounds), median(wall, b->rounds), median(longest, b->rounds));
}

int main(int argc, char **argv)
{
	size_t values[] = {10000000, 1000000, 102400, 5};
	for (int i = 1; i < argc && i <= 4; i++)
		values[i - 1] = strtoul(argv[i], NULL, 10);
	struct bench b = {.references = values[0],
			  .distinct = values[1],
			  .capacity = values[2],
			  .rounds = values[3] < ROUNDS_MAX ? values[3] : ROUNDS_MAX};
	if (b.references == 0 || b.distinct == 0 || b.capacity == 0 || b.rounds == 0)
		return 2;
	if (!make_keys(&b) || future_add(&b.future, b.key, b.references) != IOT_OK ||
	    future_finish(&b.future) != IOT_OK)
		return 1;
	printf("%zu references to %zu keys, cache of %zu blocks, %zu rounds, %u processors\n",
	       b.references, b.distinct, b.capacity, b.rounds, cpu_count());
	measure(&b);
	measure_threads(&b);
	future_free(&b.future);
	free(b.key);
	free(b.how);
	free(b.result);
	return 0;
}
