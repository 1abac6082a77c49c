/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speed of a simulation from a trace, compared with the speed of its parts: a reader without a
 * simulation, and a cache whose references are in memory.
 *
 *	simulate_trace FILE [REFERENCES [DISTINCT [CAPACITY [ROUNDS]]]]
 *
 * Writes a trace of records of one block each to FILE, which it removes at the end. Keys follow
 * Zipf's law with exponent 0.9, the policy is LRU. Prints nanoseconds per record, medians of the
 * rounds, and the share of the slower of reader and cache in the time of each simulation, of the
 * same round. "longest" is the CPU time of the thread that works the longest: what the run takes if
 * each thread has a processor of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/simulate/engine.h"

#include "median.h"
#include "zipf.h"

enum { BATCH = 4096, ROUNDS_MAX = 64, BLOCK = 4096 };

enum row { READER, CACHE, ONE_THREAD, TWO_THREADS, ROWS };

static const char *const names[ROWS] = {"reader", "cache", "simulation, 1 thread",
					"simulation, 2 threads"};

struct bench {
	const char *path;
	size_t references, distinct, capacity, rounds;
	uint64_t *key;
	uint8_t *how, *result;
};

/* Seconds. */
struct usage {
	double wall, cpu, longest;
};

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct watch {
	double wall, process, thread;
};

static struct watch watch_begin(void)
{
	return (struct watch){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID),
			      seconds(CLOCK_THREAD_CPUTIME_ID)};
}

static struct usage watch_end(const struct watch *from)
{
	const struct watch to = watch_begin();
	const double process = to.process - from->process, own = to.thread - from->thread,
		     other = process - own;
	return (struct usage){to.wall - from->wall, process, own > other ? own : other};
}

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "simulate_trace: %s\n", what);
	exit(1);
}

static void write_trace(const struct bench *b)
{
	struct iot_writer *w = iot_writer_new();
	check(w != NULL && iot_writer_open(w, b->path) == IOT_OK, "the trace cannot be opened");
	for (size_t i = 0; i < b->references; i++) {
		const struct iot_record rec = {.type = IOT_LOGICAL,
					       .start_ns = (int64_t)i * 1000,
					       .duration_ns = 1000,
					       .offset = b->key[i] * BLOCK,
					       .length = BLOCK,
					       .process = 1,
					       .file = 1,
					       .flags = IOT_CPU_UNKNOWN};
		check(iot_writer_records(w, &rec, 1) == IOT_OK, iot_writer_error(w));
	}
	check(iot_writer_close(w) == IOT_OK, iot_writer_error(w));
	iot_writer_free(w);
}

/* As iotrace simulate opens a trace. */
static struct iot_reader *open_trace(const struct bench *b)
{
	struct iot_reader *r = iot_reader_new();
	check(r != NULL && iot_reader_set(r, IOT_SET_READ_AHEAD, 1) == IOT_OK &&
		  iot_reader_open(r, b->path) == IOT_OK,
	      "the trace cannot be opened");
	return r;
}

static struct usage time_reader(const struct bench *b)
{
	static struct iot_record rec[1024];
	const struct watch begin = watch_begin();
	struct iot_reader *r = open_trace(b);
	uint64_t records = 0;
	ssize_t n;
	while ((n = iot_reader_records(r, rec, 1024)) > 0)
		records += (uint64_t)n;
	check(n == 0 && records == b->references, iot_reader_error(r));
	iot_reader_free(r);
	return watch_end(&begin);
}

static struct usage time_cache(const struct bench *b)
{
	struct cache *c = cache_new(CACHE_LRU, b->capacity, NULL);
	check(c != NULL, "out of memory");
	const struct watch begin = watch_begin();
	for (size_t i = 0; i < b->references; i += BATCH) {
		const size_t n = b->references - i < BATCH ? b->references - i : BATCH;
		cache_refer(c, b->key + i, b->how + i, n, b->result + i);
	}
	const struct usage u = watch_end(&begin);
	cache_free(c);
	return u;
}

/* A simulation from the trace */

struct source {
	struct iot_reader *reader;
	struct references *references;
	struct iot_event ev[1024];
	ssize_t count;
	size_t used;
};

/* An engine_fill_fn. */
static int fill(void *context, struct reference_batch *b)
{
	struct source *s = context;
	size_t used = 0;
	do {
		if (s->used == (size_t)s->count) {
			s->count = iot_reader_events(s->reader, s->ev, 1024);
			s->used = 0;
		}
		check(s->count >= 0, iot_reader_error(s->reader));
		check(references_add(s->references, b, s->ev + s->used, (size_t)s->count - s->used,
				     &used) == IOT_OK,
		      references_error(s->references));
		s->used += used;
	} while (s->used == (size_t)s->count && s->count > 0);
	return s->used < (size_t)s->count;
}

/* Includes the time to open the trace, and to create and free the cache. */
static struct usage time_simulation(const struct bench *b, unsigned threads)
{
	static struct source s;
	const struct watch begin = watch_begin();
	struct simulation *simulation = simulation_new(&(struct simulation_options){
	    .policy = CACHE_LRU, .capacity = b->capacity, .block = BLOCK});
	struct engine *e = engine_new(&(struct engine_options){.threads = threads,
							       .distinct_memory = (uint64_t)1 << 30,
							       .block = BLOCK},
				      &simulation, 1);
	s = (struct source){.references = references_new(&(struct references_options){
				.block = BLOCK, .request_max = (uint64_t)1 << 34})};
	check(simulation != NULL && e != NULL && s.references != NULL, "out of memory");
	s.reader = open_trace(b);
	check(engine_run(e, fill, &s) == IOT_OK &&
		  references_counts(s.references)->all.references[0] == b->references,
	      "the simulation failed");
	engine_free(e);
	simulation_free(simulation);
	references_free(s.references);
	iot_reader_free(s.reader);
	return watch_end(&begin);
}

/* Results */

static double slower(double a, double b)
{
	return a > b ? a : b;
}

/*
 * Prints one row: nanoseconds per record, and the share of the slower of reader and cache in them.
 */
static void print_row(const struct bench *b, struct usage used[][ROUNDS_MAX], enum row row)
{
	double ns[3][ROUNDS_MAX], share[3][ROUNDS_MAX];
	for (size_t i = 0; i < b->rounds; i++) {
		const struct usage *u = &used[row][i], *reader = &used[READER][i],
				   *cache = &used[CACHE][i];
		const double per_record = 1e9 / (double)b->references;
		ns[0][i] = u->wall * per_record;
		ns[1][i] = u->cpu * per_record;
		ns[2][i] = u->longest * per_record;
		share[0][i] = slower(reader->wall, cache->wall) / u->wall;
		share[1][i] = slower(reader->cpu, cache->cpu) / u->cpu;
		share[2][i] = slower(reader->cpu, cache->cpu) / u->longest;
	}
	printf("%-22s", names[row]);
	for (int i = 0; i < 3; i++)
		printf(" %8.1f %5.2f", median(ns[i], b->rounds), median(share[i], b->rounds));
	putchar('\n');
}

static void measure(const struct bench *b)
{
	static struct usage used[ROWS][ROUNDS_MAX];
	for (size_t i = 0; i < b->rounds; i++) {
		used[READER][i] = time_reader(b);
		used[CACHE][i] = time_cache(b);
		used[ONE_THREAD][i] = time_simulation(b, 1);
		used[TWO_THREADS][i] = time_simulation(b, 2);
	}
	printf("%-22s %8s %5s %8s %5s %8s %5s\n", "ns per record", "wall", "", "CPU", "", "longest",
	       "");
	for (enum row row = READER; row < ROWS; row++)
		print_row(b, used, row);
}

int main(int argc, char **argv)
{
	size_t values[] = {4000000, 1000000, 102400, 5};
	for (int i = 2; i < argc && i <= 5; i++)
		values[i - 2] = strtoul(argv[i], NULL, 10);
	struct bench b = {.path = argc > 1 ? argv[1] : "",
			  .references = values[0],
			  .distinct = values[1],
			  .capacity = values[2],
			  .rounds = values[3] < ROUNDS_MAX ? values[3] : ROUNDS_MAX};
	if (argc < 2 || b.references == 0 || b.distinct == 0 || b.capacity == 0 || b.rounds == 0)
		return 2;
	b.key = zipf_keys(b.references, b.distinct);
	b.how = calloc(b.references, 1);
	b.result = calloc(b.references, 1);
	check(b.key != NULL && b.how != NULL && b.result != NULL, "out of memory");
	write_trace(&b);
	printf("%zu records of one block, %zu blocks, cache of %zu blocks, %zu rounds\n",
	       b.references, b.distinct, b.capacity, b.rounds);
	measure(&b);
	unlink(b.path);
	free(b.key);
	free(b.how);
	free(b.result);
	return 0;
}
