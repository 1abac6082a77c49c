/* SPDX-License-Identifier: BSD-2-Clause */
/* The rank whose call comes next, compared with a linear search. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "converters/recorder/recorder.h"

static struct recorder_order order;
static struct recorder_rank rank[RECORDER_GROUP_RANKS];
static struct recorder_call coming[RECORDER_GROUP_RANKS];
static unsigned left[RECORDER_GROUP_RANKS]; /* calls */

static void begin(uint32_t ranks, unsigned calls)
{
	for (uint32_t i = 0; i < ranks; i++) {
		coming[i].start_ns = rand() % 50;
		rank[i] = (struct recorder_rank){.rank = 10 + i, .coming = &coming[i]};
		left[i] = calls + i % 3;
		recorder_order_add(&order, &rank[i]);
	}
	recorder_order_begin(&order);
}

static const struct recorder_rank *earliest(uint32_t ranks)
{
	const struct recorder_rank *first = NULL;
	for (uint32_t i = 0; i < ranks; i++)
		if (left[i] > 0 &&
		    (first == NULL || rank[i].coming->start_ns < first->coming->start_ns))
			first = &rank[i];
	return first;
}

static void run(uint32_t ranks, unsigned calls)
{
	begin(ranks, calls);
	while (order.open > 0) {
		struct recorder_rank *k = recorder_first(&order);
		cr_assert_eq(k, earliest(ranks), "%u ranks: %p is first", ranks, (void *)k);
		if (--left[k - rank] == 0) {
			recorder_order_ended(&order);
			continue;
		}
		coming[k - rank].start_ns += rand() % 20 - 2; /* times of threads may decrease */
		recorder_order_moved(&order);
	}
	cr_expect_null(earliest(ranks));
}

Test(recorder_order, the_earliest_call_comes_first_and_of_equal_ones_the_lowest_rank)
{
	srand(1);
	for (uint32_t ranks = 1; ranks <= RECORDER_GROUP_RANKS; ranks++)
		run(ranks, 20);
}

Test(recorder_order, calls_at_the_end_of_time_are_calls)
{
	begin(3, 1);
	for (int i = 0; i < 2; i++) {
		coming[recorder_first(&order) - rank].start_ns = INT64_MAX;
		recorder_order_moved(&order);
	}
	cr_expect_eq(recorder_first(&order)->coming->start_ns < INT64_MAX, true);
	recorder_order_ended(&order);
	for (uint32_t i = 2; i > 0; i--) {
		cr_expect_eq(order.open, i);
		cr_expect_not_null(recorder_first(&order));
		recorder_order_ended(&order);
	}
}
