/* SPDX-License-Identifier: BSD-2-Clause */
/* Times and selections as people write them. tests/cli/slice*.t tests slices. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#include "cli/filter/slice.h"
#include "cli/ui/parse_time.h"

static void check_time(const char *text, enum time_kind kind, uint64_t value)
{
	struct trace_time t = {0};
	cr_assert_null(time_parse(text, &t), "%s", text);
	cr_assert_eq(t.kind, kind, "%s", text);
	cr_assert_eq(t.value, value, "%s: %llu", text, (unsigned long long)t.value);
}

Test(slice, times_since_zero)
{
	check_time("90s", TIME_SINCE_ZERO, 90000000000);
	check_time("90", TIME_SINCE_ZERO, 90000000000);
	check_time("1.5h", TIME_SINCE_ZERO, 5400000000000);
	check_time("250ms", TIME_SINCE_ZERO, 250000000);
	check_time("0.25us", TIME_SINCE_ZERO, 250);
	check_time("7ns", TIME_SINCE_ZERO, 7);
	check_time("7.9ns", TIME_SINCE_ZERO, 7);
	check_time(".5m", TIME_SINCE_ZERO, 30000000000);
	check_time("2d", TIME_SINCE_ZERO, 172800000000000);
	check_time("0", TIME_SINCE_ZERO, 0);
	check_time("9223372036854775807ns", TIME_SINCE_ZERO, INT64_MAX);
}

Test(slice, shares)
{
	check_time("50%", TIME_SHARE, 500000000);
	check_time("33.25%", TIME_SHARE, 332500000);
	check_time("100%", TIME_SHARE, 1000000000);
}

Test(slice, wall_clocks)
{
	setenv("TZ", "UTC", 1);
	tzset();
	check_time("@1700000000", TIME_WALL, 1700000000000000000);
	check_time("@1700000000.5", TIME_WALL, 1700000000500000000);
	check_time("2023-11-14T22:13:20", TIME_WALL, 1700000000000000000);
	check_time("2023-11-14 22:13:20.25Z", TIME_WALL, 1700000000250000000);
	check_time("2023-11-14T23:13:20+01:00", TIME_WALL, 1700000000000000000);
	check_time("2023-11-14T21:13:20-0100", TIME_WALL, 1700000000000000000);
	check_time("2023-11-14T22:13", TIME_WALL, 1699999980000000000);
	check_time("2023-11-14", TIME_WALL, 1699920000000000000);
}

Test(slice, what_is_no_time_is_refused)
{
	static const char *const wrong[] = {"",
					    "s",
					    "x",
					    "1x",
					    "1.2.3s",
					    "-1s",
					    "101%",
					    "%",
					    "@",
					    "@x",
					    "1h2m",
					    "1e3s",
					    "24:00",
					    "10:61",
					    "10:00:",
					    "10:00+",
					    "10:00:00.",
					    "2023-13-01",
					    "2023-11-14T22:13:20+x",
					    "300000000h",
					    "9223372036854775808ns",
					    "99999999999999999999"};
	struct trace_time t;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert_not_null(time_parse(wrong[i], &t), "%s", wrong[i]);
}

Test(slice, times_in_a_trace)
{
	const struct time_span span = {
	    .first_ns = 1000, .last_ns = 3000, .has_epoch = true, .epoch_ns = 5000};
	const struct time_span no_epoch = {.first_ns = 0, .last_ns = INT64_MAX};
	struct trace_time t = {.kind = TIME_SHARE, .value = 500000000};
	int64_t ns;
	cr_assert_null(time_resolve(&t, &span, &ns));
	cr_assert_eq(ns, 2000);
	t.value = 1000000000;
	cr_assert_null(time_resolve(&t, &span, &ns));
	cr_assert_eq(ns, 3001);
	cr_assert_null(time_resolve(&t, &no_epoch, &ns));
	cr_assert_eq(ns, INT64_MAX);
	t = (struct trace_time){.kind = TIME_WALL, .value = 7000};
	cr_assert_null(time_resolve(&t, &span, &ns));
	cr_assert_eq(ns, 2000);
	t.value = 4000;
	cr_assert_null(time_resolve(&t, &span, &ns));
	cr_assert_eq(ns, 0);
	cr_assert_not_null(time_resolve(&t, &no_epoch, &ns));
}

static int64_t resolved(const char *text, struct time_span span)
{
	struct trace_time t = {0};
	int64_t ns;
	cr_assert_null(time_parse(text, &t), "%s", text);
	cr_assert_eq(t.kind, TIME_OF_DAY);
	cr_assert_null(time_resolve(&t, &span, &ns), "%s", text);
	return ns / 1000000;
}

/* 1700000000 is 2023-11-14T22:13:20Z. */
Test(slice, a_time_of_day_is_the_first_one_in_the_trace)
{
	struct time_span span = {.has_epoch = true, .epoch_ns = 1700000000500000000};
	struct trace_time t = {0};
	int64_t ns;
	setenv("TZ", "UTC", 1);
	tzset();
	cr_expect_eq(resolved("22:13:21", span), 500);
	cr_expect_eq(resolved("22:13:20", span), 0);
	cr_expect_eq(resolved("22:13", span), 0);
	cr_expect_eq(resolved("22:13:20.75", span), 250);
	cr_expect_eq(resolved("22:13:20.25", span), 86400000 - 250);
	cr_expect_eq(resolved("22:13:19", span), 86400000 - 1500);
	cr_expect_eq(resolved("00:00:00", span), 6399500);
	cr_expect_eq(resolved("23:13:21+01:00", span), 500);
	cr_expect_eq(resolved("0:13:21+0200", span), 500);
	cr_expect_eq(resolved("12:13:21-10:00", span), 500);
	span.after_ns = 86400000000000;
	cr_expect_eq(resolved("22:13:21Z", span), 86400000 + 500);
	span.after_ns = 0;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	cr_expect_eq(resolved("23:13:21", span), 500);
	cr_expect_eq(resolved("22:13:21Z", span), 500);
	cr_expect_eq(resolved("00:13:21", span), 3600500);
	setenv("TZ", "UTC", 1);
	tzset();
	span.epoch_ns = INT64_MAX;
	cr_assert_null(time_parse("07:40", &t));
	cr_expect_not_null(time_resolve(&t, &span, &ns));
	span.has_epoch = false;
	cr_expect_not_null(time_resolve(&t, &span, &ns));
}

Test(slice, processes_by_number_range_and_name)
{
	struct slice_filter *c = calloc(1, sizeof *c);
	cr_assert_not_null(c);
	cr_assert(slice_filter_has_process(c, 5, NULL));
	cr_assert_null(slice_filter_add_processes(c, "7,9-12,mpi*,4294967295"));
	cr_assert(slice_filter_of_processes(c));
	cr_assert(slice_filter_has_process(c, 7, NULL));
	cr_assert(slice_filter_has_process(c, 12, "x"));
	cr_assert(slice_filter_has_process(c, UINT32_MAX, NULL));
	cr_assert(slice_filter_has_process(c, 1, "mpirun"));
	cr_assert_not(slice_filter_has_process(c, 1, "openmpi"));
	cr_assert_not(slice_filter_has_process(c, 8, NULL));
	cr_assert_not_null(slice_filter_add_processes(c, "1,,2"));
	cr_assert_not_null(slice_filter_add_processes(c, ""));
	slice_filter_free(c);
	free(c);
}

Test(slice, processes_by_rank)
{
	struct slice_filter *c = calloc(1, sizeof *c);
	cr_assert_not_null(c);
	cr_assert_not(slice_filter_has_rank(c, 0));
	cr_assert_null(slice_filter_add_ranks(c, "0,4-7"));
	cr_assert(slice_filter_of_processes(c));
	cr_assert(slice_filter_has_rank(c, 0));
	cr_assert(slice_filter_has_rank(c, 7));
	cr_assert_not(slice_filter_has_rank(c, 8));
	cr_assert_not(slice_filter_has_process(c, 7, NULL));
	cr_assert_not_null(slice_filter_add_ranks(c, "mpi*"));
	cr_assert_not_null(slice_filter_add_ranks(c, "7-4"));
	cr_assert_not_null(slice_filter_add_ranks(c, ""));
	slice_filter_free(c);
	free(c);
}

Test(slice, files_by_path)
{
	struct slice_filter *c = calloc(1, sizeof *c);
	cr_assert_not_null(c);
	cr_assert(slice_filter_has_path(c, NULL));
	cr_assert_null(slice_filter_add_file(c, "*.db"));
	cr_assert_null(slice_filter_add_file(c, "/etc/[a-c]*"));
	cr_assert(slice_filter_has_path(c, "/data/x/y.db"));
	cr_assert(slice_filter_has_path(c, "/etc/conf"));
	cr_assert_not(slice_filter_has_path(c, "/etc/passwd"));
	cr_assert_not(slice_filter_has_path(c, NULL));
	slice_filter_free(c);
	free(c);
}
