/* SPDX-License-Identifier: BSD-2-Clause */
/* The lag that repeats most requests. */
#include <stdlib.h>

#include "lib/result/names.h"

#include "repetition.h"

struct lag_count {
	uint64_t lag, count, before; /* before: the sum of the counts of smaller lags */
};

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Moves lags to another list, in the order of a digit, and else in their order. */
static void sort_by_digit(const struct lag_count *from, struct lag_count *to, size_t n,
			  unsigned shift)
{
	size_t next[DIGITS + 1] = {0};
	for (size_t i = 0; i < n; i++)
		next[(from[i].lag >> shift) % DIGITS + 1]++;
	for (size_t digit = 1; digit < DIGITS; digit++)
		next[digit] += next[digit - 1];
	for (size_t i = 0; i < n; i++)
		to[next[(from[i].lag >> shift) % DIGITS]++] = from[i];
}

/* Sorts two lists of which the first has n lags; returns the one that is sorted. */
static struct lag_count *sort_digits(struct lag_count *lags, struct lag_count *spare, size_t n)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < n; i++)
		bits |= lags[i].lag;
	for (unsigned shift = 0; shift < 64 && bits >> shift != 0; shift += DIGIT_BITS) {
		sort_by_digit(lags, spare, n, shift);
		struct lag_count *const sorted = spare;
		spare = lags;
		lags = sorted;
	}
	return lags;
}

/* Adds equal lags, which are in order. Returns the number of different ones. */
static size_t combine_lags(struct lag_count *lags, size_t all)
{
	size_t n = 0;
	for (size_t i = 0; i < all; i++) {
		if (n > 0 && lags[n - 1].lag == lags[i].lag)
			lags[n - 1].count += lags[i].count;
		else
			lags[n++] = lags[i];
	}
	for (size_t i = 1; i < n; i++)
		lags[i].before = lags[i - 1].before + lags[i - 1].count;
	return n;
}

/* The lag that covers most requests with its neighbours within 1 %; returns what it covers. */
static uint64_t find_best(const struct lag_count *lags, size_t n, uint64_t *lag)
{
	uint64_t covered = 0, count = 0;
	size_t first = 0, end = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t near = lags[i].lag / 100;
		while (lags[first].lag < lags[i].lag - near)
			first++;
		while (end < n && lags[end].lag <= lags[i].lag + near)
			end++;
		const uint64_t sum =
		    lags[end - 1].before + lags[end - 1].count - lags[first].before;
		if (sum < covered || (sum == covered && lags[i].count <= count))
			continue;
		covered = sum;
		count = lags[i].count;
		*lag = lags[i].lag;
	}
	return covered;
}

/* Finds the best lag, and stores the requests that it covers. Returns false if out of memory. */
static bool find_lag(const struct repetition_table *t, uint64_t *lag, uint64_t *covered)
{
	const size_t all = t->lag_map.count;
	struct lag_count *lists = malloc((2 * all + 1) * sizeof *lists);
	if (lists == NULL)
		return false;
	for (size_t i = 0; i < all; i++)
		lists[i] =
		    (struct lag_count){t->lag_map.keys[i] / REPETITION_LEVELS, t->lags[i], 0};
	struct lag_count *sorted = sort_digits(lists, lists + all, all);
	*covered = find_best(sorted, combine_lags(sorted, all), lag);
	free(lists);
	return true;
}

static bool table_values(const struct repetition_table *t, const char *name, struct values *v)
{
	uint64_t requests = 0, lag = 0, covered;
	if (!find_lag(t, &lag, &covered))
		return false;
	for (unsigned level = t->level; level < REPETITION_LEVELS; level++)
		requests += t->requests[level];
	values_number(v, name, "tokens", "", requests);
	if (t->level > 0)
		values_note(v, "a sample of the tokens, uniform by hash");
	values_number(v, name, "covered", "", covered);
	if (covered > 0)
		values_number(v, name, "lag", "", lag);
	else
		values_unknown(v, name, "lag", "", "no request has the token of an earlier one");
	if (requests > 0)
		values_number(v, name, "repetitive", "", 2 * covered >= requests);
	else
		values_unknown(v, name, "repetitive", "", "no request has a known offset");
	return true;
}

bool repetition_values(const struct repetition *r, bool sampled, struct values *v)
{
	if (r->inexact) {
		values_unknown(v, NAME_OF(repetition), NULL, "", v->inexact);
		values_unknown(v, NAME_OF(repetition_any_file), NULL, "", v->inexact);
		return true;
	}
	if (sampled)
		values_unknown(v, NAME_OF(repetition), NULL, "", VALUES_SAMPLED);
	return (sampled || table_values(&r->of[0], "repetition", v)) &&
	       table_values(&r->of[1], "repetition_any_file", v);
}
