/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a policy on steps from standard input, for cache_compare.py:
 *
 *	cache_run POLICY CAPACITY BATCH <STEPS >RESULTS
 *
 * A step is three 64-bit numbers: 0 KEY 0 is a reference, 1 FIRST LAST drops the blocks from FIRST
 * to LAST. BATCH references at a time go to cache_refer; with 0, each is a cache_find, then a
 * cache_hit or cache_insert. The result of each reference is '1' for a hit, otherwise '0'; the
 * number of evictions and of resident blocks follow.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/simulate/future.h"

enum { STEP_REFER, STEP_DROP, BATCH_MAX = 4096 };

struct step {
	uint64_t kind, a, b;
};

struct run {
	struct cache *cache;
	size_t batch, count;
	uint64_t key[BATCH_MAX];
	uint8_t how[BATCH_MAX], result[BATCH_MAX];
};

static void finish_batch(struct run *r)
{
	cache_refer(r->cache, r->key, r->how, r->count, r->result);
	for (size_t i = 0; i < r->count; i++)
		putchar('0' + (r->result[i] & CACHE_HIT));
	r->count = 0;
}

static void refer(struct run *r, uint64_t key)
{
	if (r->batch > 0) {
		r->key[r->count++] = key;
		if (r->count == r->batch)
			finish_batch(r);
		return;
	}
	const uint32_t entry = cache_find(r->cache, key);
	if (entry != CACHE_NONE)
		cache_hit(r->cache, entry);
	else
		cache_insert(r->cache, key, NULL, NULL);
	putchar(entry != CACHE_NONE ? '1' : '0');
}

static struct step *read_steps(size_t *count)
{
	size_t capacity = 1 << 20;
	struct step *steps = malloc(capacity * sizeof *steps);
	*count = 0;
	for (size_t n; steps != NULL &&
		       (n = fread(steps + *count, sizeof *steps, capacity - *count, stdin)) > 0;) {
		*count += n;
		if (*count == capacity)
			steps = realloc(steps, (capacity *= 2) * sizeof *steps);
	}
	return steps;
}

static int run_steps(struct run *r, const char *policy, uint64_t capacity)
{
	struct future future = {.count = 0};
	size_t count;
	struct step *steps = read_steps(&count);
	if (steps == NULL)
		return 2;
	for (size_t i = 0; i < count; i++)
		if ((steps[i].kind == STEP_REFER
			 ? future_add(&future, &steps[i].a, 1)
			 : future_drop(&future, steps[i].a, steps[i].b)) != 0)
			return 2;
	const enum cache_policy number = cache_policy_find(policy, strlen(policy));
	if (number == CACHE_POLICIES || future_finish(&future) != 0)
		return 2;
	r->cache = cache_new(number, capacity, &future.references);
	if (r->cache == NULL)
		return 2;
	for (size_t i = 0; i < count; i++)
		if (steps[i].kind == STEP_REFER)
			refer(r, steps[i].a);
		else {
			finish_batch(r);
			cache_drop(r->cache, steps[i].a, steps[i].b);
		}
	finish_batch(r);
	printf(" %" PRIu64 " %" PRIu64 "\n", cache_counts(r->cache)->evictions,
	       cache_resident(r->cache));
	cache_free(r->cache);
	future_free(&future);
	free(steps);
	return 0;
}

int main(int argc, char **argv)
{
	static struct run run;
	if (argc != 4)
		return 2;
	run.batch = strtoul(argv[3], NULL, 10);
	if (run.batch > BATCH_MAX)
		return 2;
	return run_steps(&run, argv[1], strtoull(argv[2], NULL, 10));
}
