/* SPDX-License-Identifier: BSD-2-Clause */
#include "shares.h"

#include <stdlib.h>

enum { TIME_BITS = 46, CPUS_MAX = 65535 }; /* products with a value fit in 128 bits */

__extension__ typedef unsigned __int128 wide;

static int by_start(const void *left, const void *right)
{
	const struct share *a = left, *b = right;
	return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

static int by_job(const void *left, const void *right)
{
	const struct share *a = left, *b = right;
	return a->job < b->job ? -1 : a->job > b->job;
}

static bool overlap(struct share *s, size_t count)
{
	qsort(s, count, sizeof *s, by_start);
	int64_t latest_ns = s[0].to_ns;
	for (size_t i = 1; i < count; i++) {
		if (s[i].from_ns < latest_ns)
			return true;
		latest_ns = s[i].to_ns;
	}
	return false;
}

static uint64_t cpus_of(const struct share *s)
{
	return s->cpus == 0 ? 1 : s->cpus > CPUS_MAX ? CPUS_MAX : s->cpus;
}

void shares_weigh(struct share *s, size_t count)
{
	const bool shared = overlap(s, count);
	uint64_t longest_ns = 0;
	unsigned shift = 0;
	qsort(s, count, sizeof *s, by_job);
	for (size_t i = 0; i < count; i++)
		if ((uint64_t)(s[i].to_ns - s[i].from_ns) > longest_ns)
			longest_ns = (uint64_t)(s[i].to_ns - s[i].from_ns);
	while (longest_ns >> shift >> TIME_BITS != 0)
		shift++;
	for (size_t i = 0; i < count; i++) {
		s[i].weight = (uint64_t)(s[i].to_ns - s[i].from_ns) >> shift;
		s[i].weight *= shared ? cpus_of(&s[i]) : 1;
	}
}

/* Orders by fraction, the largest one first, then by job. */
static int by_fraction(const void *left, const void *right)
{
	const struct share *a = left, *b = right;
	if (a->fraction_rank != b->fraction_rank)
		return a->fraction_rank > b->fraction_rank ? -1 : 1;
	return by_job(left, right);
}

static void split_weighted(struct share *s, size_t count, uint64_t value)
{
	wide sum = 0;
	uint64_t left = value;
	unsigned shift = 0;
	for (size_t i = 0; i < count; i++)
		sum += s[i].weight;
	while (sum >> shift >> 64 != 0)
		shift++;
	for (size_t i = 0; i < count; i++) {
		const wide product = (wide)value * s[i].weight;
		s[i].value = sum > 0 ? (uint64_t)(product / sum) : 0;
		s[i].fraction_rank = sum > 0 ? (uint64_t)(product % sum >> shift) : 0;
		left -= s[i].value;
	}
	if (left == 0)
		return;
	qsort(s, count, sizeof *s, by_fraction);
	for (size_t i = 0; left > 0; i = (i + 1) % count, left--)
		s[i].value++;
	qsort(s, count, sizeof *s, by_job);
}

void shares_split(struct share *s, size_t count, enum strategy strategy, uint64_t value)
{
	if (strategy == STRATEGY_WEIGHTED && count > 1) {
		split_weighted(s, count, value);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const bool all = strategy == STRATEGY_SIMPLE    ? s[i].runs_at_end
				 : strategy == STRATEGY_DISCARD ? count == 1
								: true;
		s[i].value = all ? value : 0;
	}
}

uint64_t share_bound(const struct share *s, size_t count, uint64_t value)
{
	if (count == 1)
		return value - s->value;
	return s->value > value - s->value ? s->value : value - s->value;
}
