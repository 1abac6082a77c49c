/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The speed of the timing model: two copies of a program that reads and writes 56 MB in a loop,
 * with blocks of 4 KiB and caches of 32 MiB (every block is replaced before its reuse) and 128 MiB
 * (all hit). The floor is an LRU cache alone with the same references, without time.
 *
 *	simulate_time [ROUNDS]
 *
 * Floor and model run in turns; the table shows the medians of CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/timing/timing.h"

#include "median.h"

enum {
	BLOCK = 4096,
	BLOCKS = 114, /* of an I/O */
	IOS = 34904,
	CYCLE = 336,
	READS = 216, /* of a cycle */
	FILES = 6,
	SLOTS = 120,
	COPIES = 2,
	ROUNDS = 9,
	ROUNDS_MAX = 1000,
	CPU_NS = 10858354, /* before each I/O */
};

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "simulate_time: %s\n", what);
	exit(EXIT_FAILURE);
}

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The file and the first block of an I/O. */
static uint32_t place_of(unsigned i, uint64_t *block)
{
	const unsigned at = i % CYCLE, j = at < READS ? at % SLOTS : at - READS;
	*block = (uint64_t)(j / FILES) * BLOCKS;
	return j % FILES;
}

static void make_world(struct world *w)
{
	const struct world_options o = {
	    .block = BLOCK, .request_max = UINT32_MAX, .memory_max = UINT32_MAX};
	world_init(w, &o);
	for (unsigned i = 0; i < IOS; i++) {
		uint64_t block;
		struct iot_event ev = {.kind = IOT_RECORD};
		ev.rec.object = place_of(i, &block) + 1;
		ev.rec.offset = block * BLOCK;
		ev.rec.length = (uint64_t)BLOCKS * BLOCK;
		ev.rec.process = 1;
		ev.rec.cpu_ns = (int64_t)i * CPU_NS;
		ev.rec.type = i % CYCLE < READS ? IOT_LOGICAL : IOT_LOGICAL | IOT_WRITE;
		check(world_events(w, &ev, 1) == IOT_OK, w->error.text);
	}
	check(world_finish(w) == IOT_OK, w->error.text);
}

/* The copies in turns, I/O by I/O. */
static double floor_ms(uint64_t cache_blocks)
{
	struct cache *c = cache_new(CACHE_LRU, cache_blocks, NULL);
	uint64_t key[BLOCKS], block;
	uint8_t how[BLOCKS] = {0}, result[BLOCKS];
	check(c != NULL, "out of memory");
	const double start = cpu_ms();
	for (unsigned i = 0; i < IOS; i++)
		for (uint32_t copy = 0; copy < COPIES; copy++) {
			const uint32_t object = place_of(i, &block) + copy * FILES;
			for (unsigned k = 0; k < BLOCKS; k++)
				key[k] = cache_key_of(object, block + k);
			cache_refer(c, key, how, BLOCKS, result);
		}
	const double ms = cpu_ms() - start;
	cache_free(c);
	return ms;
}

static double model_ms(struct world *w, uint64_t cache_blocks)
{
	struct timing_options o = {.policy = CACHE_LRU,
				   .cache_blocks = cache_blocks,
				   .block = BLOCK,
				   .cpus = 1,
				   .copies = COPIES,
				   .quantum_ns = 100000000,
				   .switch_ns = 10000,
				   .syscall_ns = 25000,
				   .interrupt_ns = 10000,
				   .read_ahead = READ_AHEAD_REQUEST,
				   .write = WRITE_AT_ONCE};
	struct timing_result result;
	struct error error = {0};
	check(device_preset(&o.device, "disk1990", 8), "unknown device");
	const double start = cpu_ms();
	check(timing_run(&o, &w, 1, &result, &error) == IOT_OK, error.text);
	const double ms = cpu_ms() - start;
	timing_result_free(&result);
	return ms;
}

static void measure(struct world *w, uint64_t mib, size_t rounds)
{
	static double of_floor[ROUNDS_MAX], of_model[ROUNDS_MAX];
	const double touches = (double)IOS * BLOCKS * COPIES;
	for (size_t i = 0; i < rounds; i++) {
		of_floor[i] = floor_ms((mib << 20) / BLOCK);
		of_model[i] = model_ms(w, (mib << 20) / BLOCK);
	}
	const double model = median(of_model, rounds), floor = median(of_floor, rounds);
	printf("%5ju MiB %12.0f %10.1f %14.1f %14.1f %8.2f\n", (uintmax_t)mib, touches, model,
	       touches / model / 1e3, touches / floor / 1e3, model / floor);
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : ROUNDS;
	struct world w;
	check(rounds >= 1 && rounds <= ROUNDS_MAX, "expected 1 to 1000 rounds");
	make_world(&w);
	printf("%9s %12s %10s %14s %14s %8s\n", "cache", "touches", "CPU ms", "M touches/s",
	       "floor, M/s", "ratio");
	measure(&w, 32, rounds);
	measure(&w, 128, rounds);
	world_free(&w);
	return 0;
}
