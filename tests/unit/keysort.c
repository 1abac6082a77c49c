/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys against qsort: many or few runs, starts near each other or not, ties in any order. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "lib/sort/keysort.h"

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static int by_start_then_tie(const void *a, const void *b)
{
	const struct sort_key *l = a, *r = b;
	if (l->start != r->start)
		return l->start < r->start ? -1 : 1;
	return l->tie < r->tie ? -1 : l->tie > r->tie;
}

static void check(struct sort_key *key, size_t n, size_t done)
{
	struct sort_key *want = malloc((n + 1) * sizeof(*want));
	struct sort_key *spare = malloc((n + 1) * sizeof(*spare));
	cr_assert(want != NULL && spare != NULL);
	memcpy(want, key, n * sizeof(*key));
	qsort(want, n, sizeof(*want), by_start_then_tie);
	keysort(key, n, done, spare);
	for (size_t i = 0; i < n; i++)
		cr_assert(key[i].start == want[i].start && key[i].tie == want[i].tie, "%zu of %zu",
			  i, n);
	free(want);
	free(spare);
}

/* Starts i * step + (0 .. spread - 1) * unit from `first` on. */
static void fill(struct sort_key *key, size_t n, int64_t first, int64_t step, uint64_t spread,
		 int64_t unit)
{
	uint64_t x = 88172645463325252U;
	for (size_t i = 0; i < n; i++) {
		const int64_t some = (int64_t)(next_random(&x) % spread) * unit;
		key[i] = (struct sort_key){first + (int64_t)i * step + some, i};
	}
}

enum { MAX = 9000 };

Test(keysort, starts_near_each_other)
{
	static struct sort_key key[MAX];
	for (size_t n = 0; n < MAX; n = 2 * n + 1) {
		fill(key, n, 0, 10, 64, 10);
		check(key, n, 0);
		fill(key, n, INT64_MIN, 1, 100000, 999);
		check(key, n, 0);
		fill(key, n, INT64_MAX - 100000000, 0, 100, 1000000);
		check(key, n, 0);
		fill(key, n, -50, 0, 3, 7);
		check(key, n, 0);
	}
}

Test(keysort, starts_far_from_each_other)
{
	static struct sort_key key[MAX];
	fill(key, MAX, 0, 0, 1 << 20, (int64_t)1 << 42);
	check(key, MAX, 0);
	fill(key, MAX, INT64_MIN, 0, 2, INT64_MAX);
	check(key, MAX, 0);
	fill(key, MAX, 0, 0, 1 << 24, (int64_t)1 << 23);
	check(key, MAX, 0);
}

Test(keysort, few_long_runs)
{
	static struct sort_key key[MAX];
	fill(key, MAX, 0, 10, 1, 1);
	for (size_t i = 500; i < MAX; i += 500)
		key[i].start -= 1000;
	check(key, MAX, 0);
	for (size_t i = 0; i < MAX; i++)
		key[i] = (struct sort_key){(int64_t)(i % 3000), i};
	check(key, MAX, 3000);
}

Test(keysort, the_first_are_in_order_already)
{
	static struct sort_key key[MAX];
	fill(key, MAX, 0, 10, 1, 1);
	fill(key + 4000, MAX - 4000, 35000, 10, 900, 10);
	for (size_t i = 4000; i < MAX; i++)
		key[i].tie = i;
	check(key, MAX, 4000);
}

/* As with processes in them. */
Test(keysort, ties_in_any_order)
{
	static struct sort_key key[MAX];
	uint64_t x = 1;
	fill(key, MAX, 0, 10, 64, 10);
	for (size_t i = 0; i < MAX; i++)
		key[i].tie = (next_random(&x) % 8) << 32 | i;
	check(key, MAX, 0);
	fill(key, MAX, 0, 0, 2, 5);
	for (size_t i = 0; i < MAX; i++)
		key[i].tie = (next_random(&x) % 8) << 32 | i;
	check(key, MAX, 0);
}
