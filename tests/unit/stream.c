/* SPDX-License-Identifier: BSD-2-Clause */
/* Stages: batches, errors, prefetching. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/stream.h>

/* A source of numbered comments that ends, or fails, after `total`. */
struct numbers {
	unsigned next, total;
	int status;
	bool *closed;
	char text[IOT_BATCH_EVENTS][16];
};

static int next_numbers(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct numbers *s = context;
	for (; b->count < b->capacity && b->count < 700 && s->next < s->total; b->count++) {
		char *text = s->text[b->count];
		const int size = snprintf(text, sizeof(s->text[0]), "%u", s->next++);
		b->events[b->count] =
		    (struct iot_event){.kind = IOT_COMMENT, .text = {text, (size_t)size}};
	}
	if (b->count > 0)
		return 1;
	return s->status == IOT_OK ? 0 : iot_stream_fail(self, s->status, "no more numbers");
}

static void close_numbers(void *context)
{
	struct numbers *s = context;
	*s->closed = true;
	free(s);
}

static struct iot_stream *numbers(unsigned total, int status, bool *closed)
{
	static const struct iot_stage stage = {.next = next_numbers, .close = close_numbers};
	struct numbers *s = calloc(1, sizeof(*s));
	cr_assert_not_null(s);
	*closed = false;
	s->total = total;
	s->status = status;
	s->closed = closed;
	return iot_stream_new(NULL, &stage, s);
}

/*
 * Pulls all and returns the number of events, which must be in order; *status is the last result.
 */
static unsigned count(struct iot_stream *s, int *status)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	unsigned n = 0;
	while ((*status = iot_stream_next(s, b)) > 0) {
		cr_assert_eq(iot_batch_keep_text(b), IOT_OK);
		for (size_t i = 0; i < b->count; i++) {
			char text[16] = "";
			cr_assert_lt(b->events[i].text.size, sizeof(text));
			memcpy(text, b->events[i].text.data, b->events[i].text.size);
			cr_assert_eq(strtoul(text, NULL, 10), n++);
		}
	}
	cr_assert_eq(iot_stream_next(s, b), *status, "the result stays");
	cr_assert_eq(b->count, 0);
	iot_batch_free(b);
	return n;
}

Test(stream, delivers_all_events_then_the_end)
{
	bool closed;
	int status;
	struct iot_stream *s = numbers(5000, IOT_OK, &closed);
	cr_assert_eq(count(s, &status), 5000);
	cr_assert_eq(status, 0);
	cr_assert_str_eq(iot_stream_error(s), "");
	iot_stream_free(s);
	cr_assert(closed);
}

Test(stream, prefetch_keeps_events_texts_and_the_error)
{
	bool closed;
	int status;
	struct iot_stream *s =
	    iot_stream_prefetch(iot_stream_prefetch(numbers(100000, IOT_EFORMAT, &closed)));
	cr_assert_eq(count(s, &status), 100000);
	cr_assert_eq(status, IOT_EFORMAT);
	cr_assert_str_eq(iot_stream_error(s), "no more numbers");
	iot_stream_free(s);
	cr_assert(closed);
}

Test(stream, kept_texts_stay_where_they_are)
{
	static char source[] = "0123456789";
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	const char *kept[IOT_BATCH_EVENTS];
	for (size_t i = 0; i < b->capacity; i++) {
		source[0] = (char)('a' + i % 26);
		b->events[b->count++] = (struct iot_event){.text = {source, sizeof(source)}};
		cr_assert_eq(iot_batch_keep_text(b), IOT_OK);
		kept[i] = b->events[i].text.data;
	}
	for (size_t i = 0; i < b->count; i++) {
		cr_assert_eq(b->events[i].text.data, kept[i]);
		cr_assert_eq(kept[i][0], (char)('a' + i % 26));
	}
	iot_batch_free(b);
}

Test(stream, freed_before_its_end)
{
	bool closed;
	struct iot_batch *b = iot_batch_new(1);
	struct iot_stream *s = iot_stream_prefetch(numbers(100000, IOT_OK, &closed));
	cr_assert_eq(iot_stream_next(s, b), 1);
	iot_stream_free(s);
	cr_assert(closed);
	iot_batch_free(b);
}

Test(stream, no_upstream_makes_no_stage)
{
	cr_assert_null(iot_stream_prefetch(NULL));
	iot_stream_free(NULL);
}

Test(stream, reader_to_writer)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_writer *w = iot_writer_new();
	size_t size;
	cr_assert_eq(iot_writer_open_memory(w), IOT_OK);
	bool closed;
	struct iot_stream *s = numbers(3, IOT_OK, &closed);
	cr_assert_eq(iot_stream_write(s, w), IOT_OK);
	iot_stream_free(s);
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	const void *trace = iot_writer_memory(w, &size);
	cr_assert_eq(iot_reader_open_memory(r, trace, size, "t"), IOT_OK);
	int status;
	s = iot_stream_prefetch(iot_stream_of_reader(r));
	cr_assert_eq(count(s, &status), 3);
	cr_assert_eq(status, 0);
	iot_stream_free(s);
	iot_reader_free(r);
	iot_writer_free(w);
	r = iot_reader_new();
	cr_assert_eq(iot_reader_open_memory(r, "80 1", 4, "t"), IOT_OK);
	s = iot_stream_of_reader(r);
	cr_assert_eq(count(s, &status), 0);
	cr_assert_lt(status, 0);
	cr_assert_neq(iot_stream_error(s)[0], '\0');
	iot_stream_free(s);
	iot_reader_free(r);
}

/* Fails after it has put an event into the batch. */
static int fail_late(void *context, struct iot_stream *self, struct iot_batch *b)
{
	(void)context;
	b->events[b->count++] = (struct iot_event){.kind = IOT_COMMENT};
	return iot_stream_fail(self, IOT_EFORMAT, "late");
}

Test(stream, a_failed_pull_has_no_events)
{
	static const struct iot_stage stage = {.next = fail_late};
	struct iot_batch *b = iot_batch_new(1);
	struct iot_stream *s = iot_stream_new(NULL, &stage, NULL);
	cr_assert_eq(iot_stream_next(s, b), IOT_EFORMAT);
	cr_assert_eq(b->count, 0);
	iot_stream_free(s);
	iot_batch_free(b);
}

/* Passes the first batch of its upstream after having read all of them. */
static int read_ahead(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_batch *ahead = context;
	const int status = iot_stream_next(iot_stream_upstream(self), b);
	while (status > 0 && iot_stream_next(iot_stream_upstream(self), ahead) > 0)
		;
	return status;
}

Test(stream, an_error_is_reported_only_once_the_stream_has_failed)
{
	static const struct iot_stage stage = {.next = read_ahead};
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	struct iot_batch *ahead = iot_batch_new(IOT_BATCH_EVENTS);
	bool closed;
	struct iot_stream *s = iot_stream_new(numbers(2000, IOT_EFORMAT, &closed), &stage, ahead);
	cr_assert_eq(iot_stream_next(s, b), 1);
	cr_assert_str_eq(iot_stream_error(s), "");
	cr_assert_eq(iot_stream_next(s, b), IOT_EFORMAT);
	cr_assert_str_eq(iot_stream_error(s), "no more numbers");
	iot_stream_free(s);
	iot_batch_free(ahead);
	iot_batch_free(b);
}

Test(stream, an_error_may_be_asked_for_while_a_thread_reads)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	bool closed;
	struct iot_stream *s = iot_stream_prefetch(numbers(100000, IOT_EFORMAT, &closed));
	while (iot_stream_next(s, b) > 0)
		cr_assert_str_eq(iot_stream_error(s), "");
	cr_assert_str_eq(iot_stream_error(s), "no more numbers");
	iot_stream_free(s);
	iot_batch_free(b);
}
