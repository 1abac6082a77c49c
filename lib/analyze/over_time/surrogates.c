/* SPDX-License-Identifier: BSD-2-Clause */
#include "surrogates.h"

#include <math.h>
#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"

/* splitmix64 */
static uint64_t next_random(struct surrogates *s)
{
	uint64_t z = s->random += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* In [0, limit). */
static uint64_t random_below(struct surrogates *s, uint64_t limit)
{
	return (uint64_t)((uint128)next_random(s) * limit >> 64);
}

/* About normal, with mean 0 and variance 1: the sum of four numbers of 16 bits. */
static double random_normal(struct surrogates *s)
{
	const uint64_t r = next_random(s);
	const uint64_t sum = (r & 0xffff) + (r >> 16 & 0xffff) + (r >> 32 & 0xffff) + (r >> 48);
	return ((double)sum - 131070) / 37837.227103384336;
}

static void measure_idle(struct surrogates *s)
{
	double sum = 0;
	size_t count = 0, at = 0;
	for (size_t b = 0; b <= s->burst_count; b++) {
		const size_t end = b < s->burst_count ? s->bursts[b].begin : s->n;
		for (; at < end; at++, count++)
			sum += s->bins[at];
		at = b < s->burst_count ? s->bursts[b].end : at;
	}
	s->idle_mean = count > 0 ? sum / (double)count : 0;
}

static void measure_noise(struct surrogates *s)
{
	double sum = 0, squares = 0, products = 0;
	for (size_t i = 0; i < s->n; i++)
		sum += s->bins[i];
	s->mean = sum / (double)s->n;
	for (size_t i = 0; i < s->n; i++) {
		const double d = s->bins[i] - s->mean;
		squares += d * d;
		products += i + 1 < s->n ? d * (s->bins[i + 1] - s->mean) : 0;
	}
	s->deviation = sqrt(squares / (double)s->n);
	s->persistence = squares > 0 ? products / squares : 0;
}

void surrogates_begin(struct surrogates *s)
{
	s->random = 1;
	if (s->dense)
		measure_noise(s);
	else
		measure_idle(s);
}

static void noise(struct surrogates *s, double *bins)
{
	const double step = s->deviation * sqrt(1 - s->persistence * s->persistence);
	double d = s->deviation * random_normal(s);
	for (size_t i = 0; i < s->n; i++) {
		bins[i] = s->mean + d;
		d = s->persistence * d + step * random_normal(s);
	}
}

static int by_value(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

/* Puts bursts in a random order, and divides the other bins at random cuts. */
static void shuffle(struct surrogates *s)
{
	const size_t m = s->burst_count;
	size_t idle = s->n;
	for (size_t i = 0; i < m; i++) {
		s->order[i] = (uint32_t)i;
		idle -= s->bursts[i].end - s->bursts[i].begin;
	}
	for (size_t i = m; i > 1; i--) {
		const size_t k = random_below(s, i);
		const uint32_t moved = s->order[i - 1];
		s->order[i - 1] = s->order[k];
		s->order[k] = moved;
	}
	for (size_t i = 0; i < m; i++)
		s->cuts[i] = random_below(s, idle + 1);
	qsort(s->cuts, m, sizeof *s->cuts, by_value);
}

static void bursts_again(struct surrogates *s, double *bins)
{
	size_t at = 0, idle = 0;
	shuffle(s);
	for (size_t i = 0; i < s->burst_count; i++) {
		const struct burst *b = &s->bursts[s->order[i]];
		for (; idle < s->cuts[i]; idle++)
			bins[at++] = s->idle_mean;
		for (size_t k = b->begin; k < b->end; k++)
			bins[at++] = s->bins[k];
	}
	while (at < s->n)
		bins[at++] = s->idle_mean;
}

void surrogates_next(struct surrogates *s, double *bins)
{
	if (s->dense)
		noise(s, bins);
	else
		bursts_again(s, bins);
}
