/* SPDX-License-Identifier: BSD-2-Clause */
/* Times as people write them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#include "cli/ui/trace_time.h"

static const struct {
	const char *text;
	enum trace_time_kind kind;
	uint64_t value;
} times[] = {
    {"90s", TIME_SINCE_ZERO, 90000000000},
    {"90", TIME_SINCE_ZERO, 90000000000},
    {"1.5h", TIME_SINCE_ZERO, 5400000000000},
    {"250ms", TIME_SINCE_ZERO, 250000000},
    {"0.25us", TIME_SINCE_ZERO, 250},
    {"7ns", TIME_SINCE_ZERO, 7},
    {"7.9ns", TIME_SINCE_ZERO, 7},
    {".5m", TIME_SINCE_ZERO, 30000000000},
    {"2d", TIME_SINCE_ZERO, 172800000000000},
    {"0", TIME_SINCE_ZERO, 0},
    {"9223372036854775807ns", TIME_SINCE_ZERO, INT64_MAX},
    {"50%", TIME_SHARE, 500000000},
    {"33.25%", TIME_SHARE, 332500000},
    {"100%", TIME_SHARE, 1000000000},
    {"@1700000000", TIME_WALL, 1700000000000000000},
    {"@1700000000.5", TIME_WALL, 1700000000500000000},
    {"2023-11-14T22:13:20", TIME_WALL, 1700000000000000000},
    {"2023-11-14 22:13:20.25Z", TIME_WALL, 1700000000250000000},
    {"2023-11-14T23:13:20+01:00", TIME_WALL, 1700000000000000000},
    {"2023-11-14T21:13:20-0100", TIME_WALL, 1700000000000000000},
    {"2023-11-14T22:13", TIME_WALL, 1699999980000000000},
    {"2023-11-14", TIME_WALL, 1699920000000000000},
};

Test(parse_time, every_spelling)
{
	struct trace_time t = {0};
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		cr_assert_null(trace_time_parse(times[i].text, &t), "%s", times[i].text);
		cr_assert_eq(t.kind, times[i].kind, "%s", times[i].text);
		cr_assert_eq(t.value, times[i].value, "%s: %ju", times[i].text, (uintmax_t)t.value);
	}
}

Test(parse_time, what_is_no_time_is_refused)
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
		cr_assert_not_null(trace_time_parse(wrong[i], &t), "%s", wrong[i]);
}

Test(parse_time, times_in_a_trace)
{
	const struct trace_time_span span = {
	    .first_ns = 1000, .last_ns = 3000, .has_epoch = true, .epoch_ns = 5000};
	const struct trace_time_span no_epoch = {.first_ns = 0, .last_ns = INT64_MAX};
	struct trace_time t = {.kind = TIME_SHARE, .value = 500000000};
	int64_t ns;
	cr_assert_null(trace_time_resolve(&t, &span, &ns));
	cr_assert_eq(ns, 2000);
	t.value = 1000000000;
	cr_assert_null(trace_time_resolve(&t, &span, &ns));
	cr_assert_eq(ns, 3001);
	cr_assert_null(trace_time_resolve(&t, &no_epoch, &ns));
	cr_assert_eq(ns, INT64_MAX);
	t = (struct trace_time){.kind = TIME_WALL, .value = 7000};
	cr_assert_null(trace_time_resolve(&t, &span, &ns));
	cr_assert_eq(ns, 2000);
	t.value = 4000;
	cr_assert_null(trace_time_resolve(&t, &span, &ns));
	cr_assert_eq(ns, 0);
	cr_assert_not_null(trace_time_resolve(&t, &no_epoch, &ns));
}

static int64_t resolved(const char *text, struct trace_time_span span)
{
	struct trace_time t = {0};
	int64_t ns;
	cr_assert_null(trace_time_parse(text, &t), "%s", text);
	cr_assert_eq(t.kind, TIME_OF_DAY);
	cr_assert_null(trace_time_resolve(&t, &span, &ns), "%s", text);
	return ns / 1000000;
}

/* 1700000000 is 2023-11-14T22:13:20Z. */
Test(parse_time, a_time_of_day_is_the_first_one_in_the_trace)
{
	struct trace_time_span span = {.has_epoch = true, .epoch_ns = 1700000000500000000};
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
	cr_assert_null(trace_time_parse("07:40", &t));
	cr_expect_not_null(trace_time_resolve(&t, &span, &ns));
	span.has_epoch = false;
	cr_expect_not_null(trace_time_resolve(&t, &span, &ns));
}
