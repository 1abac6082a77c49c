/* SPDX-License-Identifier: BSD-2-Clause */
#include "burst_runs.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"

static int by_value(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

uint64_t burst_runs_middle(uint64_t *values, size_t n)
{
	qsort(values, n, sizeof *values, by_value);
	return n > 0 ? values[(n - 1) / 2] : 0;
}

uint64_t burst_runs_median(const uint64_t *bins, size_t n, uint64_t *scratch)
{
	size_t positive = 0;
	for (size_t i = 0; i < n; i++)
		if (bins[i] > 0)
			scratch[positive++] = bins[i];
	return burst_runs_middle(scratch, positive);
}

static size_t find_runs(const uint64_t *bins, size_t n, uint64_t usual, struct burst *runs)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		if ((uint128)bins[i] * 10 <= usual)
			continue;
		if (count == 0 || runs[count - 1].end < i)
			runs[count++].begin = i;
		runs[count - 1].end = i + 1;
	}
	return count;
}

static size_t join_runs(struct burst *runs, size_t count, uint64_t *gaps)
{
	size_t used = 0;
	for (size_t i = 1; i < count; i++)
		gaps[i - 1] = runs[i].begin - runs[i - 1].end;
	const uint64_t usual = count > 1 ? burst_runs_middle(gaps, count - 1) : 0;
	for (size_t i = 0; i < count; i++) {
		if (used > 0 && 5 * (runs[i].begin - runs[used - 1].end) < usual)
			runs[used - 1].end = runs[i].end;
		else
			runs[used++] = runs[i];
	}
	return used;
}

size_t burst_runs_find(const uint64_t *bins, size_t n, uint64_t *scratch, struct burst *runs)
{
	const uint64_t usual = burst_runs_median(bins, n, scratch);
	return join_runs(runs, find_runs(bins, n, usual, runs), scratch);
}

static uint64_t amount_of(const uint64_t *bins, const struct burst *b)
{
	uint64_t sum = 0;
	for (size_t i = b->begin; i < b->end; i++)
		sum = saturate_add(sum, bins[i]);
	return sum;
}

/* Returns the least value up to which there is half of the sum. Sorts the values. */
static uint64_t middle_of_sum(uint64_t *values, size_t n)
{
	uint128 all = 0, sum = 0;
	size_t i = 0;
	for (size_t k = 0; k < n; k++)
		all += values[k];
	qsort(values, n, sizeof *values, by_value);
	while (i < n && (sum += values[i]) * 2 < all)
		i++;
	return i < n ? values[i] : 0;
}

size_t burst_runs_trim(const uint64_t *bins, struct burst *runs, size_t count, uint64_t *scratch)
{
	size_t first = 0;
	for (size_t i = 0; i < count; i++)
		scratch[i] = amount_of(bins, &runs[i]);
	const uint64_t min = middle_of_sum(scratch, count) / 2;
	while (first < count && amount_of(bins, &runs[first]) < min)
		first++;
	while (count > first && amount_of(bins, &runs[count - 1]) < min)
		count--;
	memmove(runs, runs + first, (count - first) * sizeof *runs);
	return count - first;
}
