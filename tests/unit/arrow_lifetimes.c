/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of Arrow: who owns what for how long, also when memory runs out. */
#include <criterion/criterion.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow_tools.h"
#include "failing_malloc.h"

enum { FILES = 3000, BATCHES = 30, SOME_FILES = 500 };

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

Test(arrow_lifetimes, columns_outlive_batches_and_the_stream)
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

Test(arrow_lifetimes, the_last_dictionary_has_all_texts_under_the_same_codes)
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

Test(arrow_lifetimes, a_stream_may_be_released_at_any_time)
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

/* Reads all texts of a schema, which names columns that were moved out of it. */
static void *read_and_release_schema(void *context)
{
	struct ArrowSchema *s = context;
	volatile size_t sum = strlen(s->format) + strlen(s->name);
	if (s->dictionary != NULL)
		sum += strlen(s->dictionary->format);
	s->release(s);
	return NULL;
}

Test(arrow_lifetimes, columns_of_a_schema_outlive_it_and_the_stream)
{
	const struct iot_event ev[] = {record(1, 1)};
	struct ArrowArrayStream s = table(given(ev, 1, IOT_OK), "path,offset", 0);
	struct ArrowSchema schema, moved[2];
	pthread_t thread;
	cr_assert_eq(s.get_schema(&s, &schema), 0);
	for (size_t i = 0; i < 2; i++) {
		moved[i] = *schema.children[i];
		schema.children[i]->release = NULL;
	}
	schema.release(&schema);
	s.release(&s);
	cr_assert_eq(pthread_create(&thread, NULL, read_and_release_schema, &moved[0]), 0);
	(void)read_and_release_schema(&moved[1]);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_assert(moved[0].release == NULL && moved[1].release == NULL);
}

static void *take_two_batches_and_release(void *context)
{
	struct ArrowArrayStream *s = context;
	struct ArrowArray a;
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(s->get_next(s, &a), 0);
		read_all(a.children[1]);
		a.release(&a);
	}
	s->release(s);
	return NULL;
}

/* Columns of two batches share a dictionary and the memory that released columns return. */
Test(arrow_lifetimes, a_stream_goes_on_in_another_thread_while_its_batches_are_released)
{
	struct iot_event *ev = many_files();
	struct ArrowArrayStream s =
	    table(given(ev, 2 * (size_t)FILES, IOT_OK), "offset,path", FILES / BATCHES);
	struct ArrowArray a, b;
	pthread_t thread;
	cr_assert_eq(s.get_next(&s, &a), 0);
	cr_assert_eq(s.get_next(&s, &b), 0);
	cr_assert_eq(pthread_create(&thread, NULL, take_two_batches_and_release, &s), 0);
	read_all(a.children[1]);
	a.release(&a);
	read_all(b.children[1]);
	b.release(&b);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_assert(s.release == NULL);
	free(ev);
}

/* Releases a batch whose columns are the offsets 0, 1, ... from `first` on. */
static void check_offsets_and_release(struct ArrowArray *batch, uint64_t first)
{
	for (int64_t i = 0; i < batch->n_children; i++) {
		const uint64_t *offset = batch->children[i]->buffers[1];
		for (int64_t row = 0; row < batch->length; row++)
			cr_assert_eq(offset[row], first + (uint64_t)row);
	}
	batch->release(batch);
}

static void *check_first_batch(void *batch)
{
	check_offsets_and_release(batch, 0);
	return NULL;
}

/* The memory of some of these batches is in common, and those that are not held are reused. */
Test(arrow_lifetimes, large_batches_are_held_while_others_are_made)
{
	enum { ROWS = 20000, HELD = 4, MADE = 8 };
	struct iot_event *ev = calloc((size_t)MADE * ROWS, sizeof *ev);
	struct ArrowArray batch[HELD], other;
	pthread_t thread;
	cr_assert_not_null(ev);
	for (size_t i = 0; i < (size_t)MADE * ROWS; i++)
		ev[i] = record(1, i);
	struct ArrowArrayStream s =
	    table(given(ev, (size_t)MADE * ROWS, IOT_OK),
		  "offset,offset,offset,offset,offset,offset,offset,offset,offset,offset,offset,"
		  "offset,offset,offset,offset,offset",
		  ROWS);
	for (size_t i = 0; i < HELD; i++)
		cr_assert_eq(s.get_next(&s, &batch[i]), 0);
	cr_assert_eq(pthread_create(&thread, NULL, check_first_batch, &batch[0]), 0);
	for (uint64_t i = HELD; i < MADE; i++) {
		cr_assert_eq(s.get_next(&s, &other), 0);
		check_offsets_and_release(&other, i * ROWS);
	}
	s.release(&s);
	for (uint64_t i = HELD; i-- > 1;)
		check_offsets_and_release(&batch[i], i * ROWS);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	free(ev);
}

/*
 * Rows of a table that was read to its end or to an error, which is in *error; the last batch
 * outlives it.
 */
static int64_t drain(struct iot_stream *from, const char **sentence, int *error)
{
	const struct iot_arrow_options o = {.size = sizeof o,
					    .columns = "start_ns,offset,operation,path,op",
					    .rows = FILES / BATCHES,
					    .timestamps = 1};
	static char text[200];
	struct ArrowArrayStream s;
	struct ArrowSchema schema;
	struct ArrowArray a, last = {.release = NULL};
	int64_t rows = 0;
	*sentence = text;
	text[0] = '\0';
	if (iot_stream_arrow(from, &o, &s) != IOT_OK) {
		cr_assert(s.release == NULL);
		*error = ENOMEM;
		return 0;
	}
	*error = s.get_schema(&s, &schema);
	if (*error == 0)
		schema.release(&schema);
	cr_assert(schema.release == NULL);
	while (*error == 0 && (*error = s.get_next(&s, &a)) == 0 && a.release != NULL) {
		rows += a.length;
		if (last.release != NULL)
			last.release(&last);
		last = a;
	}
	if (s.get_last_error(&s) != NULL)
		snprintf(text, sizeof text, "%s", s.get_last_error(&s));
	s.release(&s);
	if (last.release != NULL) {
		read_all(last.children[3]);
		last.release(&last);
	}
	return rows;
}

/* Each run has one more allocation that succeeds, until one needs no more. */
static void run_out_of_memory(bool for_ever, int status)
{
	struct iot_event *ev = many_files();
	const char *sentence;
	int error;
	long at = 0;
	do {
		const long before = failing_malloc_live();
		failing_malloc_begin(++at, for_ever);
		const int64_t rows =
		    drain(given(ev, 2 * (size_t)SOME_FILES, status), &sentence, &error);
		failing_malloc_end();
		cr_assert_eq(failing_malloc_live(), before, "allocation %ld is lost", at);
		if (error == 0)
			cr_assert_eq(rows, SOME_FILES, "allocation %ld: a short table", at);
		if (error == ENOMEM && *sentence != '\0')
			cr_assert_str_eq(sentence, "out of memory");
	} while (failing_malloc_failed());
	cr_assert_eq(error, status == IOT_OK ? 0 : EBADMSG);
	free(ev);
}

Test(arrow_lifetimes, any_one_allocation_may_fail)
{
	run_out_of_memory(false, IOT_OK);
}

Test(arrow_lifetimes, all_allocations_from_any_on_may_fail)
{
	run_out_of_memory(true, IOT_OK);
}

Test(arrow_lifetimes, an_allocation_may_fail_before_another_error)
{
	run_out_of_memory(true, IOT_EFORMAT);
}
