/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles: periods of series, and the shape of their cycles. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "lib/analyze/over_time/cycle_shape.h"
#include "lib/analyze/over_time/cycles.h"

enum { BINS = 4096 };

static uint64_t bins[BINS];

static void add_burst(size_t from, size_t width, uint64_t bytes)
{
	for (size_t i = from; i < from + width && i < BINS; i++)
		bins[i] += bytes;
}

static void add_bursts(size_t first, size_t period, size_t width)
{
	memset(bins, 0, sizeof bins);
	for (size_t at = first; at < BINS; at += period)
		add_burst(at, width, 1000);
}

static struct cycle find(void)
{
	struct cycle c;
	cr_assert(cycle_find(&c, bins, BINS, UINT64_MAX));
	return c;
}

Test(cycles, even_bursts_are_periodic)
{
	add_bursts(30, 170, 20);
	const struct cycle c = find();
	cr_assert_eq(c.method, CYCLE_AUTOCORRELATION);
	cr_assert(c.is_significant);
	cr_assert_float_eq(c.period, 170, 0.2);
	cr_assert_eq(c.bursts, 24);
}

Test(cycles, high_bursts_at_the_ends_do_not_hide_a_period)
{
	add_bursts(30, 170, 20);
	add_burst(0, 60, 10000);
	add_burst(BINS - 60, 60, 10000);
	cr_assert_float_eq(find().period, 170, 2);
}

Test(cycles, alternating_bins_have_a_period_of_few_bins)
{
	add_bursts(3, 7, 1);
	cr_assert_float_eq(find().period, 7, 0.01);
}

Test(cycles, lags_within_an_event_are_no_period)
{
	struct cycle c;
	memset(bins, 0, sizeof bins);
	for (size_t i = 0; i < 24; i++)
		for (size_t k = 0; k < 12; k++)
			add_burst(30 + i * 170 + k * 5, 2, 1000);
	cr_assert(cycle_find(&c, bins, BINS, UINT64_MAX));
	cr_assert_float_eq(c.period, 5, 0.1);
	cr_assert(cycle_find(&c, bins, BINS, 24));
	cr_assert_float_eq(c.period, 170, 0.1);
}

Test(cycles, the_period_is_the_mean_of_jittering_intervals)
{
	static const unsigned jitter[5] = {0, 11, 4, 14, 7};
	memset(bins, 0, sizeof bins);
	size_t at = 100, last = 0;
	for (size_t i = 0; i < 12; at += 300 + jitter[i++ % 5])
		add_burst(last = at, 40 + 3 * (i % 7), 1000);
	cr_assert_float_eq(find().period, (double)(last - 100) / 11, 0.01);
}

Test(cycles, four_even_bursts_are_few_but_enough)
{
	add_bursts(100, 1024, 5);
	cr_assert_float_eq(find().period, 1024, 1);
	memset(bins + 3000, 0, 1000 * sizeof *bins);
	const struct cycle c = find();
	cr_assert_eq(c.method, CYCLE_NONE);
	cr_assert_str_eq(c.reason, "fewer than 4 bursts");
}

Test(cycles, constant_and_empty_series_have_none)
{
	memset(bins, 0, sizeof bins);
	cr_assert_eq(find().method, CYCLE_NONE);
	add_burst(0, BINS, 5);
	cr_assert_eq(find().method, CYCLE_NONE);
	cr_assert(find().dense);
}

Test(cycles, even_requests_at_the_start_are_no_period_of_the_series)
{
	memset(bins, 0, sizeof bins);
	for (size_t i = 0; i < 50; i++)
		add_burst(4 * i, 1, 1000);
	add_burst(BINS - 10, 10, 1000);
	cr_assert_eq(find().method, CYCLE_NONE);
}

Test(cycles, the_largest_values_do_not_overflow)
{
	add_bursts(0, 128, 16);
	for (size_t i = 0; i < BINS; i++)
		bins[i] = bins[i] > 0 ? UINT64_MAX : 0;
	cr_assert_float_eq(find().period, 128, 0.5);
}

Test(cycles, a_series_may_be_shorter_than_the_method_needs)
{
	struct cycle c;
	for (size_t n = 0; n < 64; n++) {
		add_bursts(0, 8, 2);
		cr_assert(cycle_find(&c, bins, n, UINT64_MAX));
		cr_assert(n >= CYCLE_BINS_MIN || c.method == CYCLE_NONE);
	}
}

Test(cycles, equal_cycles_have_similarity_1)
{
	struct cycle_shape s;
	add_bursts(0, 128, 32);
	cr_assert(cycle_shape_make(&s, bins, BINS, &(struct cycle_span){0, BINS / 128, 128}));
	cr_assert_eq(s.cycles, 32);
	cr_assert_float_eq(s.similarity, 1, 1e-12);
	/* 95 % of 16 equal phases are 16 phases */
	cr_assert_float_eq(s.duty, 0.25, 1e-12);
	cr_assert_float_eq(s.mean[0], 2000, 1e-9);
	cr_assert_float_eq(s.high[15], 2000, 1e-9);
	cr_assert_float_eq(s.low[16], 0, 1e-9);
}

Test(cycles, a_window_may_include_the_start_of_the_cycle)
{
	struct cycle_shape s;
	memset(bins, 0, sizeof bins);
	for (size_t at = 0; at < BINS; at += 128) {
		add_burst(at, 8, 1000);
		add_burst(at + 120, 8, 1000);
	}
	cr_assert(cycle_shape_make(&s, bins, BINS, &(struct cycle_span){0, BINS / 128, 128}));
	cr_assert_float_eq(s.duty, 0.125, 1e-12);
}

Test(cycles, quartiles_are_values_of_cycles)
{
	struct cycle_shape s;
	struct cycle_amount a;
	memset(bins, 0, sizeof bins);
	for (size_t i = 0; i < 8; i++)
		add_burst(i * 512, 8, (i * 5) % 8);
	cr_assert(cycle_shape_make(&s, bins, BINS, &(struct cycle_span){0, BINS / 512, 512}));
	cr_assert_float_eq(s.low[0], 8, 1e-12);
	cr_assert_float_eq(s.high[0], 40, 1e-12);
	cr_assert(cycle_amount_make(&a, bins, BINS, &(struct cycle_span){0, BINS / 512, 512}));
	cr_assert_float_eq(a.mean, 28, 1e-12);
	cr_assert_float_eq(a.variation, sqrt(5.25) / 3.5, 1e-12);
}

/* 5 steps are 5, wherever the first one begins and the series ends. */
Test(cycles, cycles_are_those_with_bursts)
{
	for (size_t first = 0; first < 1200; first += 100) {
		memset(bins, 0, sizeof bins);
		for (size_t i = 0; i < 5; i++)
			add_burst(first + i * 700 + i % 2, 9, 1000);
		const struct cycle c = find();
		struct cycle_amount a;
		cr_assert_neq(c.method, CYCLE_NONE);
		cr_assert_eq(c.span.cycles, 5);
		cr_assert(cycle_amount_make(&a, bins, BINS, &c.span));
		cr_assert_float_eq(a.mean, 9000, 1e-9);
		cr_assert_float_eq(a.variation, 0, 1e-9);
	}
}

Test(cycles, the_start_of_a_program_is_not_a_cycle)
{
	add_bursts(200, 200, 9);
	add_burst(0, 9, 400);
	const struct cycle c = find();
	cr_assert_eq(c.span.cycles, 20);
	cr_assert_eq(c.span.origin, 200 - 95);
}

Test(cycles, a_cycle_of_two_bursts_counts_once)
{
	memset(bins, 0, sizeof bins);
	for (size_t i = 0; i < 10; i++) {
		add_burst(100 + i * 400, 20, 1000);
		add_burst(300 + i * 400, 5, 5000);
	}
	const struct cycle c = find();
	cr_assert_eq(c.span.cycles, (size_t)(3800 / c.period + 1.25));
}
