/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include "sample.h"

#include <math.h>
#include <stdlib.h>

#include <xxhash.h>

#include "lib/base/array.h"

static uint64_t threshold_of(double rate)
{
	return rate >= 1 ? UINT64_MAX : (uint64_t)ldexp(rate, 64);
}

static void set_threshold(struct key_sample *s, uint64_t threshold)
{
	s->threshold = threshold;
	s->rate = ldexp((double)threshold, -64);
}

void sample_init(struct key_sample *s, double rate, uint64_t max)
{
	*s = (struct key_sample){.max = max, .lowest = threshold_of(rate)};
	set_threshold(s, max > 0 ? UINT64_MAX : s->lowest);
}

static void swap(struct key_sample *s, size_t i, size_t j)
{
	const struct sample_key key = s->heap[i];
	s->heap[i] = s->heap[j];
	s->heap[j] = key;
}

bool sample_push(struct key_sample *s, struct sample_key key)
{
	if (!array_reserve(&s->heap, &s->capacity, s->count + 1, sizeof *s->heap))
		return false;
	size_t i = s->count++;
	s->heap[i] = key;
	for (; i > 0 && s->heap[i].hash > s->heap[(i - 1) / 2].hash; i = (i - 1) / 2)
		swap(s, i, (i - 1) / 2);
	return true;
}

static void remove_first(struct key_sample *s)
{
	size_t i = 0;
	s->heap[0] = s->heap[--s->count];
	for (;;) {
		size_t largest = i;
		for (size_t j = 2 * i + 1; j <= 2 * i + 2 && j < s->count; j++)
			largest = s->heap[j].hash > s->heap[largest].hash ? j : largest;
		if (largest == i)
			return;
		swap(s, i, largest);
		i = largest;
	}
}

/* Beyond the limit, the largest hash becomes the threshold, which no key may reach. */
bool sample_pop(struct key_sample *s, struct sample_key *key)
{
	if (s->max == 0 || s->count == 0)
		return false;
	const uint64_t largest = s->heap[0].hash;
	if (s->count > s->max && largest < s->threshold && s->threshold > s->lowest)
		set_threshold(s, largest > s->lowest ? largest : s->lowest);
	if (largest < s->threshold)
		return false;
	*key = s->heap[0];
	remove_first(s);
	return true;
}

void sample_free(struct key_sample *s)
{
	free(s->heap);
	*s = (struct key_sample){.max = 0};
}

/* Batches */

static void copy_actions(struct reference_batch *to, const struct reference_batch *from,
			 uint32_t before)
{
	while (to->actions < from->actions && from->action[to->actions].before <= before) {
		to->action[to->actions] = from->action[to->actions];
		to->action[to->actions++].before = to->count;
	}
}

static void sample_run(struct reference_batch *to, const struct reference_batch *from, uint32_t run,
		       uint64_t threshold, uint64_t seed)
{
	const uint32_t first = from->run[run].first, end = first + from->run[run].count,
		       count = to->count;
	for (uint32_t i = first; i < end; i++) {
		to->key[to->count] = from->key[i];
		to->how[to->count] = from->how[i];
		to->count +=
		    XXH3_64bits_withSeed(&from->key[i], sizeof from->key[i], seed) < threshold;
	}
	if (to->count == count)
		return;
	to->start_ns[to->runs] = from->start_ns[run];
	to->run[to->runs] = from->run[run];
	to->run[to->runs].first = count;
	to->run[to->runs++].count = to->count - count;
}

void sample_batch(struct reference_batch *to, const struct reference_batch *from, double rate,
		  uint64_t seed)
{
	const uint64_t threshold = threshold_of(rate);
	for (uint32_t i = 0; i < from->runs; i++) {
		copy_actions(to, from, from->run[i].first);
		sample_run(to, from, i, threshold, seed);
	}
	copy_actions(to, from, from->count);
}
