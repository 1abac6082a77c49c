/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of Arrow: values, nulls, dictionaries, errors, and who owns what for how long. */
#include <criterion/criterion.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/arrow_valid.h"

#include "lib/arrow/dictionary.h"

/* A stream of given events, which ends with a status. */
struct given {
	const struct iot_event *ev;
	size_t count, at;
	int status;
};

static int next_given(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct given *g = context;
	while (g->at < g->count && b->count < b->capacity)
		b->events[b->count++] = g->ev[g->at++];
	if (b->count > 0)
		return 1;
	return g->status == IOT_OK ? 0 : iot_stream_fail(self, g->status, "no more events");
}

static struct iot_stream *given(const struct iot_event *ev, size_t count, int status)
{
	static const struct iot_stage stage = {.next = next_given, .close = free};
	struct given *g = malloc(sizeof *g);
	cr_assert_not_null(g);
	*g = (struct given){ev, count, 0, status};
	return iot_stream_new(NULL, &stage, g);
}

static struct iot_event directive(const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	return ev;
}

static struct iot_event record(uint32_t file, uint64_t offset)
{
	return (struct iot_event){.kind = IOT_RECORD,
				  .rec = {.start_ns = 5,
					  .duration_ns = 7,
					  .offset = offset,
					  .length = 9,
					  .file = file,
					  .process = 1,
					  .type = IOT_LOGICAL | IOT_WRITE}};
}

static struct ArrowArrayStream table(struct iot_stream *from, const char *columns, uint32_t rows)
{
	struct ArrowArrayStream s;
	const struct iot_arrow_options o = {
	    .size = sizeof o, .columns = columns, .rows = rows, .all_events = 1, .timestamps = 1};
	cr_assert_eq(iot_stream_arrow(from, &o, &s), IOT_OK);
	return s;
}

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

static void check_text(const struct ArrowArray *column, int64_t row, const char *wanted)
{
	const int32_t code = ((const int32_t *)column->buffers[1])[row];
	const int32_t *offset = column->dictionary->buffers[1];
	if (wanted == NULL) {
		cr_assert(arrow_is_null(column, row));
		return;
	}
	cr_assert(!arrow_is_null(column, row));
	cr_assert_eq((size_t)(offset[code + 1] - offset[code]), strlen(wanted));
	cr_assert_eq(memcmp((const char *)column->dictionary->buffers[2] + offset[code], wanted,
			    strlen(wanted)),
		     0);
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

/* Lifetimes */

enum { FILES = 3000, BATCHES = 30 };

/* The sanitizer of addresses finds what is read after it was freed, and what is never freed. */
static void read_all(const struct ArrowArray *column)
{
	volatile uint64_t sum = 0;
	const int32_t *offset = column->dictionary->buffers[1];
	for (int64_t row = 0; row < column->length; row++)
		sum += (uint64_t)offset[((const int32_t *)column->buffers[1])[row]];
	for (int32_t i = 0; i < offset[column->dictionary->length]; i++)
		sum += ((const unsigned char *)column->dictionary->buffers[2])[i];
}

static void *read_and_release(void *context)
{
	struct ArrowArray *a = context;
	read_all(a);
	a->release(a);
	return NULL;
}

static struct iot_event *many_files(void)
{
	static char text[FILES][64];
	struct iot_event *ev = calloc(2 * (size_t)FILES, sizeof *ev);
	cr_assert_not_null(ev);
	for (uint32_t i = 0; i < FILES; i++) {
		snprintf(text[i], sizeof text[i], "%%file process=1 id=%u path=/data/%u", i + 1, i);
		ev[2 * i] = directive(text[i]);
		ev[2 * i + 1] = record(i + 1, i);
	}
	return ev;
}

Test(arrow, columns_outlive_batches_and_the_stream)
{
	struct iot_event *ev = many_files();
	struct ArrowArrayStream s =
	    table(given(ev, 2 * (size_t)FILES, IOT_OK), "offset,path", FILES / BATCHES);
	struct ArrowArray batch[BATCHES], moved[BATCHES];
	pthread_t thread[BATCHES];
	for (size_t i = 0; i < BATCHES; i++) {
		cr_assert_eq(s.get_next(&s, &batch[i]), 0);
		moved[i] = *batch[i].children[1];
		batch[i].children[1]->release = NULL;
		if (i % 2 == 0)
			batch[i].release(&batch[i]);
		if (i % 3 == 0)
			cr_assert_eq(pthread_create(&thread[i], NULL, read_and_release, &moved[i]),
				     0);
	}
	s.release(&s);
	for (size_t i = 0; i < BATCHES; i += 3)
		cr_assert_eq(pthread_join(thread[i], NULL), 0);
	check_text(&moved[1], 0, "/data/100");
	for (size_t i = BATCHES; i-- > 0;) {
		if (moved[i].release != NULL)
			read_and_release(&moved[i]);
		if (batch[i].release != NULL)
			batch[i].release(&batch[i]);
	}
	free(ev);
}

Test(arrow, the_last_dictionary_has_all_texts_under_the_same_codes)
{
	struct iot_event *ev = many_files();
	struct ArrowArrayStream s = table(given(ev, 2 * (size_t)FILES, IOT_OK), "path", 100);
	struct ArrowArray a, last = {.release = NULL};
	int64_t rows = 0;
	while (s.get_next(&s, &a) == 0 && a.release != NULL) {
		cr_assert_eq(((const int32_t *)a.children[0]->buffers[1])[0], rows);
		rows += a.length;
		cr_assert_eq(a.children[0]->dictionary->length, rows);
		if (last.release != NULL)
			last.release(&last);
		last = a;
	}
	const int32_t *offset = last.children[0]->dictionary->buffers[1];
	const char *data = last.children[0]->dictionary->buffers[2];
	cr_assert_eq(memcmp(data + offset[1], "/data/1/data/2", 14), 0);
	last.release(&last);
	s.release(&s);
	free(ev);
}

Test(arrow, a_stream_may_be_released_at_any_time)
{
	const struct iot_event ev[] = {record(1, 1), record(1, 2), record(1, 3)};
	struct ArrowArrayStream s = table(given(ev, 3, IOT_OK), NULL, 1);
	s.release(&s);
	cr_assert(s.release == NULL);
	s = table(given(ev, 3, IOT_OK), NULL, 1);
	struct ArrowArray a;
	cr_assert_eq(s.get_next(&s, &a), 0);
	s.release(&s);
	cr_assert_eq(a.length, 1);
	a.release(&a);
	cr_assert(a.release == NULL);
}
