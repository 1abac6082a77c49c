/* SPDX-License-Identifier: BSD-2-Clause */
/* Times from the beginning of the trace: in records and in the text of directives. */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/filter/time_shift.h"

static struct iot_event parsed(const char *text, int64_t start_ns)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	ev.rec.start_ns = start_ns;
	return ev;
}

static void expect_text(const struct iot_event *ev, const char *text)
{
	cr_expect(ev->text.size == strlen(text) && memcmp(ev->text.data, text, ev->text.size) == 0,
		  "%.*s", (int)ev->text.size, ev->text.data);
}

Test(rebase, records_and_directives_count_from_zero)
{
	struct time_shift r = {.zero_ns = 1700000000000000000};
	struct iot_event ev[] = {
	    {.kind = IOT_RECORD, .rec.start_ns = 1700000000000000005},
	    parsed("%op name=open time=1700000000000000007 took=3 path=/time=9",
		   1700000000000000007),
	    parsed("%file process=1 id=2 path=/time=1700000000000000007", 1700000000000000008),
	};
	cr_assert(time_shift_events(&r, ev, 3));
	cr_expect_eq(ev[0].rec.start_ns, 5);
	cr_expect_eq(ev[1].rec.start_ns, 7);
	cr_expect_eq(ev[2].rec.start_ns, 8);
	expect_text(&ev[1], "%op name=open time=7 took=3 path=/time=9");
	expect_text(&ev[2], "%file process=1 id=2 path=/time=1700000000000000007");
	cr_expect_eq(r.before_zero, 0);
	time_shift_free(&r);
}

Test(rebase, epoch_of_the_trace_becomes_its_zero)
{
	struct time_shift r = {.zero_ns = 1700000000000000000};
	struct iot_event with = parsed("%trace source=x epoch=0 host=h", INT64_MIN);
	struct iot_event without = parsed("%trace source=x", INT64_MIN);
	cr_assert(time_shift_events(&r, &with, 1));
	cr_expect_eq(with.rec.start_ns, 0);
	expect_text(&with, "%trace source=x epoch=1700000000000000000 host=h");
	cr_assert(time_shift_events(&r, &without, 1));
	expect_text(&without, "%trace source=x");
	cr_expect_eq(r.before_zero, 0);
	time_shift_free(&r);
}

Test(rebase, events_before_zero_move_there_and_are_counted)
{
	struct time_shift r = {.zero_ns = 100};
	struct iot_event ev[] = {{.kind = IOT_RECORD, .rec.start_ns = 99},
				 parsed("%lost time=98 why=x", 98)};
	cr_assert(time_shift_events(&r, ev, 2));
	cr_expect_eq(ev[0].rec.start_ns, 0);
	expect_text(&ev[1], "%lost time=0 why=x");
	cr_expect_eq(r.before_zero, 2);
	time_shift_free(&r);
}

Test(rebase, a_negative_zero_adds)
{
	struct time_shift r = {.zero_ns = -INT64_MAX};
	struct iot_event ev[] = {{.kind = IOT_RECORD, .rec.start_ns = -INT64_MAX + 4},
				 {.kind = IOT_RECORD, .rec.start_ns = INT64_MAX},
				 parsed("%op name=stat time=1 time=0", 1)};
	cr_assert(time_shift_events(&r, ev, 3));
	cr_expect_eq(ev[0].rec.start_ns, 4);
	cr_expect_eq(ev[1].rec.start_ns, INT64_MAX);
	expect_text(&ev[2], "%op name=stat time=9223372036854775808 time=9223372036854775807");
	time_shift_free(&r);
}
