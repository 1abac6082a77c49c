/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion of ticks to nanoseconds. */
#include <criterion/criterion.h>

#include "cli/record/clock_map.h"

static const struct clock_map made = {
    .clock = RECORD_TSC, .count = 3, .sample = {{1000, 500}, {3000, 1500}, {7000, 2500}}};

Test(clock_map, samples_convert_exactly)
{
	for (size_t i = 0; i < made.count; i++)
		cr_expect_eq(clock_map_ns(&made, made.sample[i].ticks), made.sample[i].ns);
}

Test(clock_map, times_between_samples_are_interpolated)
{
	cr_expect_eq(clock_map_ns(&made, 2000), 1000);
	cr_expect_eq(clock_map_ns(&made, 5000), 2000);
}

Test(clock_map, times_after_the_last_sample_follow_its_line)
{
	cr_expect_eq(clock_map_ns(&made, 11000), 3500);
}

Test(clock_map, impossible_times_stay_in_range)
{
	cr_expect_eq(clock_map_ns(&made, 0), 500);
	cr_expect_leq(clock_map_ns(&made, UINT64_MAX), INT64_MAX);
}

Test(clock_map, later_times_are_not_converted_to_earlier_ones)
{
	uint64_t last = 0;
	for (uint64_t t = 900; t < 9000; t++) {
		const uint64_t ns = clock_map_ns(&made, t);
		cr_assert_geq(ns, last);
		last = ns;
	}
}

Test(clock_map, monotonic_times_are_nanoseconds)
{
	static struct clock_map m;
	clock_map_start(&m, RECORD_MONOTONIC);
	clock_map_sample(&m);
	const uint64_t now = clock_map_now(&m);
	cr_expect_eq(clock_map_ns(&m, now), now);
	cr_expect_eq(clock_map_units(&m, 1000), 1000);
}

Test(clock_map, many_samples_are_thinned_out)
{
	static struct clock_map m;
	clock_map_start(&m, RECORD_TSC);
	const struct clock_sample first = m.sample[0];
	for (size_t i = 1; i < CLOCK_SAMPLES; i++)
		m.sample[i] = (struct clock_sample){first.ticks - 2 * (CLOCK_SAMPLES - i),
						    first.ns - 4000000 + i};
	m.sample[0] = (struct clock_sample){first.ticks - 2 * CLOCK_SAMPLES, first.ns - 4000000};
	m.count = CLOCK_SAMPLES;
	clock_map_sample(&m);
	cr_expect_eq(m.count, CLOCK_SAMPLES / 2 + 1);
	for (size_t i = 1; i < m.count; i++)
		cr_expect_gt(m.sample[i].ticks, m.sample[i - 1].ticks);
}
