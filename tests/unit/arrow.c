/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of Arrow: values, nulls, dictionaries, and errors. */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/arrow_valid.h"

#include "arrow_tools.h"

static void check(struct ArrowArrayStream *s, const struct ArrowArray *a)
{
	struct ArrowSchema schema;
	cr_assert_eq(s->get_schema(s, &schema), 0);
	cr_assert_null(arrow_valid_schema(&schema));
	const char *broken = arrow_valid_batch(&schema, a);
	cr_assert(broken == NULL, "%s", broken);
	schema.release(&schema);
	cr_assert(schema.release == NULL);
}

static uint64_t number(const struct ArrowArray *column, int64_t row)
{
	return ((const uint64_t *)column->buffers[1])[row];
}

Test(arrow, values_nulls_and_names_are_those_of_csv)
{
	struct iot_event ev[6] = {
	    directive("%file process=1 id=3 path=/a%20b%FF"), record(3, UINT64_MAX), record(4, 0),
	    record(3, 1), directive("%op name=stat time=4 process=1 path=/c result=ENOENT")};
	ev[2].rec.flags = IOT_OFFSET_UNKNOWN | IOT_START_UNKNOWN;
	ev[3].rec.type = IOT_WRITE;
	ev[3].rec.offset = UINT64_MAX / 2;
	struct ArrowArrayStream s =
	    table(given(ev, 5, IOT_OK), "start_ns,offset,op,kind,path,result,duration_ns", 0);
	struct ArrowArray a;
	cr_assert_eq(s.get_next(&s, &a), 0);
	check(&s, &a);
	cr_assert_eq(a.length, 4);
	cr_assert_eq(number(a.children[0], 0), 5);
	cr_assert(arrow_is_null(a.children[0], 1));
	cr_assert_eq(number(a.children[1], 0), UINT64_MAX);
	cr_assert(arrow_is_null(a.children[1], 1), "an unknown offset");
	cr_assert(arrow_is_null(a.children[1], 2), "a disk's, beyond 64 bits");
	check_text(a.children[2], 0, "write");
	check_text(a.children[2], 3, "stat");
	check_text(a.children[3], 2, "disk");
	check_text(a.children[3], 3, "op");
	check_text(a.children[4], 0, "/a b%FF");
	check_text(a.children[4], 1, NULL);
	check_text(a.children[4], 3, "/c");
	check_text(a.children[5], 0, NULL);
	check_text(a.children[5], 3, "ENOENT");
	cr_assert_eq(a.children[6]->null_count, 1);
	a.release(&a);
	cr_assert_eq(s.get_next(&s, &a), 0);
	cr_assert(a.release == NULL, "the end");
	cr_assert_null(s.get_last_error(&s));
	s.release(&s);
}

Test(arrow, timestamps_count_from_1970_if_there_is_an_epoch)
{
	const struct iot_event ev[] = {directive("%trace epoch=1000 lacks=cpu"), record(1, 1)};
	struct ArrowArrayStream s = table(given(ev, 2, IOT_OK), "start_ns", 0);
	struct ArrowSchema schema;
	struct ArrowArray a;
	cr_assert_eq(s.get_schema(&s, &schema), 0);
	cr_assert_str_eq(schema.children[0]->format, "tsn:UTC");
	schema.release(&schema);
	cr_assert_eq(s.get_next(&s, &a), 0);
	cr_assert_eq(number(a.children[0], 0), 1005);
	a.release(&a);
	s.release(&s);
	s = table(given(ev + 1, 1, IOT_OK), "start_ns", 0);
	cr_assert_eq(s.get_schema(&s, &schema), 0);
	cr_assert_str_eq(schema.children[0]->format, "l");
	schema.release(&schema);
	s.release(&s);
}

/* Columns of every batch size have as many rows as there are records. */
Test(arrow, batches_have_the_rows_that_were_asked_for)
{
	static const size_t totals[] = {0, 1, 65535, 65536, 65537};
	struct iot_event *ev = calloc(65537, sizeof *ev);
	cr_assert_not_null(ev);
	for (size_t i = 0; i < 65537; i++) {
		ev[i] = record((uint32_t)i % 5, i);
		ev[i].rec.operation = i % 3 == 0 ? 0 : 7;
	}
	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
		struct ArrowArrayStream s =
		    table(given(ev, totals[i], IOT_OK), "offset,operation", 0);
		struct ArrowArray a;
		uint64_t rows = 0;
		while (s.get_next(&s, &a) == 0 && a.release != NULL) {
			cr_assert_leq(a.length, 65536);
			check(&s, &a);
			for (int64_t row = 0; row < a.length; row++, rows++) {
				cr_assert_eq(number(a.children[0], row), rows);
				cr_assert_eq(arrow_is_null(a.children[1], row), rows % 3 == 0);
			}
			a.release(&a);
		}
		cr_assert_eq(rows, totals[i]);
		s.release(&s);
	}
	free(ev);
}

Test(arrow, errors_follow_the_rows_before_them)
{
	const struct iot_event ev[] = {record(1, 1), record(1, 2)};
	struct ArrowArrayStream s = table(given(ev, 2, IOT_EFORMAT), NULL, 0);
	struct ArrowArray a;
	cr_assert_eq(s.get_next(&s, &a), 0);
	cr_assert_eq(a.length, 2);
	a.release(&a);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(s.get_next(&s, &a), EBADMSG);
		cr_assert(a.release == NULL);
		cr_assert_str_eq(s.get_last_error(&s), "no more events");
	}
	s.release(&s);
}

Test(arrow, a_loss_is_an_error_at_the_end)
{
	const struct iot_event ev[] = {record(1, 1), directive("%lost records=1"), record(1, 2)};
	struct ArrowArrayStream s = table(given(ev, 3, IOT_OK), NULL, 0);
	struct ArrowArray a;
	cr_assert_eq(s.get_next(&s, &a), 0);
	cr_assert_eq(a.length, 2);
	a.release(&a);
	cr_assert_eq(s.get_next(&s, &a), ENODATA);
	cr_assert_not_null(strstr(s.get_last_error(&s), "1 lost interval"));
	s.release(&s);
	const struct iot_arrow_options o = {.size = sizeof o, .incomplete = 1};
	cr_assert_eq(iot_stream_arrow(given(ev, 3, IOT_OK), &o, &s), IOT_OK);
	cr_assert_eq(s.get_next(&s, &a), 0);
	a.release(&a);
	cr_assert_eq(s.get_next(&s, &a), 0);
	s.release(&s);
}

Test(arrow, what_is_wrong_is_refused)
{
	const struct iot_event ev[] = {record(1, 1)};
	struct iot_arrow_options o = {.size = sizeof o, .columns = "offset,unknown"};
	struct ArrowArrayStream s;
	cr_assert_eq(iot_stream_arrow(given(ev, 1, IOT_OK), &o, &s), IOT_EUSAGE);
	cr_assert(s.release == NULL);
	o = (struct iot_arrow_options){.size = 0};
	cr_assert_eq(iot_stream_arrow(given(ev, 1, IOT_OK), &o, &s), IOT_EUSAGE);
	cr_assert_eq(iot_stream_arrow(NULL, NULL, &s), IOT_ENOMEM);
	cr_assert(s.release == NULL);
}
