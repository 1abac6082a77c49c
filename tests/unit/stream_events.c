/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader on a stream delivers what a reader of a file with these events delivers. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include <iotrace/stream.h>

#include "lib/base/array.h"

enum { EVENTS_MAX = 64, TEXT_MAX = 4096, TICK_NS = 1000 };

/* A stage that delivers events in batches of `step`. */
struct given {
	struct iot_event ev[EVENTS_MAX];
	size_t count, next, step;
};

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct given *g = context;
	(void)self;
	while (b->count < g->step && g->next < g->count)
		b->events[b->count++] = g->ev[g->next++];
	return b->count > 0;
}

static void add_text(struct given *g, const char *text)
{
	g->ev[g->count++] = (struct iot_event){.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&g->ev[g->count - 1], NULL), IOT_OK);
}

static void add_record(struct given *g, int64_t start_ns, uint32_t file, uint8_t flags)
{
	g->ev[g->count++] = (struct iot_event){.kind = IOT_RECORD,
					       .rec = {.start_ns = start_ns,
						       .duration_ns = 700,
						       .cpu_ns = start_ns / 2,
						       .offset = 4096 * (uint64_t)file,
						       .length = 512,
						       .process = 7,
						       .file = file,
						       .flags = flags,
						       .type = IOT_LOGICAL}};
}

static struct given sample(size_t step)
{
	struct given g = {.step = step};
	add_text(&g, "%trace source=test");
	add_text(&g, "%process id=7 name=a");
	add_text(&g, "%file process=7 id=1 object=11 path=%2fa%20b");
	add_record(&g, 1234, 1, 0);
	add_text(&g, "%op name=stat time=2345 took=1777 process=7 path=/x");
	add_record(&g, 3999, 1, IOT_OFFSET_UNKNOWN);
	add_text(&g, "%file process=7 id=1 object=11 path=%2fa%20b offset=unknown");
	add_record(&g, 4000, 2, IOT_DURATION_UNKNOWN);
	add_record(&g, 5100, 1, IOT_OFFSET_UNKNOWN);
	add_text(&g, "a comment");
	add_text(&g, "%op name=close time=6001 process=7 file=1");
	add_record(&g, 7000, 1, 0);
	return g;
}

static struct iot_reader *reader_of(struct given *g)
{
	static const struct iot_stage stage = {.next = next};
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_reader_set(r, IOT_SET_TICK_NS, TICK_NS), IOT_OK);
	cr_assert_eq(iot_reader_open_stream(r, iot_stream_new(NULL, &stage, g)), IOT_OK);
	return r;
}

struct memory {
	char *data;
	size_t size, capacity;
};

static ssize_t append(void *context, const void *data, size_t size)
{
	struct memory *m = context;
	cr_assert(array_reserve(&m->data, &m->capacity, m->size + size, 1));
	memcpy(m->data + m->size, data, size);
	m->size += size;
	return (ssize_t)size;
}

/* Writes the events to a trace in memory, and opens a reader on it. */
static struct iot_reader *reader_of_file(const struct given *g, struct memory *m)
{
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_set(w, IOT_SET_TICK_NS, TICK_NS), IOT_OK);
	cr_assert_eq(iot_writer_open_callback(w, append, m, "memory"), IOT_OK);
	cr_assert_eq(iot_writer_events(w, g->ev, g->count), IOT_OK);
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	iot_writer_free(w);
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_reader_open_memory(r, m->data, m->size, "memory"), IOT_OK);
	return r;
}

static void expect_equal(const struct iot_event *a, const struct iot_event *b)
{
	cr_expect_eq(a->kind, b->kind);
	cr_expect_eq(a->rec.start_ns, b->rec.start_ns, "%.*s", (int)a->text.size, a->text.data);
	cr_assert_eq(a->text.size, b->text.size);
	if (a->text.size > 0)
		cr_expect_eq(memcmp(a->text.data, b->text.data, a->text.size), 0, "%.*s is %.*s",
			     (int)a->text.size, a->text.data, (int)b->text.size, b->text.data);
	if (a->kind != IOT_RECORD)
		return;
	cr_expect_eq(a->rec.duration_ns, b->rec.duration_ns);
	cr_expect_eq(a->rec.cpu_ns, b->rec.cpu_ns);
	cr_expect_eq(a->rec.offset, b->rec.offset);
	cr_expect_eq(a->rec.object, b->rec.object);
	cr_expect_eq(a->rec.flags, b->rec.flags);
}

/* One event at a time, so that untimed events have the same start in both. */
static void expect_equal_readers(struct iot_reader *a, struct iot_reader *b)
{
	struct iot_event x, y;
	ssize_t n;
	while ((n = iot_reader_events(a, &x, 1)) == 1) {
		cr_assert_eq(iot_reader_events(b, &y, 1), 1, "%s", iot_reader_error(b));
		expect_equal(&x, &y);
	}
	cr_expect_eq(n, 0, "%s", iot_reader_error(a));
	cr_expect_eq(iot_reader_events(b, &y, 1), 0);
	static const enum iot_fact facts[] = {
	    IOT_FACT_TICK_NS, IOT_FACT_RECORDS, IOT_FACT_COMMENTS, IOT_FACT_COMPLETE,
	    IOT_FACT_INDEX,   IOT_FACT_LAST_NS, IOT_FACT_FRAMED};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		cr_expect_eq(iot_reader_fact(a, facts[i]), iot_reader_fact(b, facts[i]), "fact %d",
			     (int)facts[i]);
	size_t size = 0, other = 1;
	const char *name = iot_reader_name(a, 11, &size), *same = iot_reader_name(b, 11, &other);
	cr_assert_eq(size, other);
	cr_expect_arr_eq(name, same, size);
}

Test(stream_events, equal_those_of_a_file)
{
	for (size_t step = 1; step < 16; step++) {
		struct given g = sample(step);
		struct memory m = {0};
		struct iot_reader *a = reader_of(&g), *b = reader_of_file(&g, &m);
		expect_equal_readers(a, b);
		iot_reader_free(a);
		iot_reader_free(b);
		free(m.data);
	}
}

static size_t read_records(struct iot_reader *r, struct iot_record *rec)
{
	size_t n = 0;
	ssize_t got;
	while ((got = iot_reader_records(r, rec + n, 1)) == 1)
		n++;
	cr_expect_eq(got, 0, "%s", iot_reader_error(r));
	return n;
}

static void expect_records_after_seek(enum iot_seek what, uint64_t value)
{
	struct given g = sample(5);
	struct memory m = {0};
	struct iot_record x[EVENTS_MAX], y[EVENTS_MAX];
	struct iot_reader *a = reader_of(&g), *b = reader_of_file(&g, &m);
	cr_assert_eq(iot_reader_seek(a, what, value), IOT_OK);
	cr_assert_eq(iot_reader_seek(b, what, value), IOT_OK);
	const size_t n = read_records(a, x);
	cr_assert_eq(read_records(b, y), n, "value %ju", (uintmax_t)value);
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(x[i].start_ns, y[i].start_ns);
		cr_expect_eq(x[i].cpu_ns, y[i].cpu_ns, "value %ju, record %zu: %jd instead of %jd",
			     (uintmax_t)value, i, (intmax_t)x[i].cpu_ns, (intmax_t)y[i].cpu_ns);
		cr_expect_eq(x[i].object, y[i].object);
		cr_expect_eq(x[i].flags, y[i].flags);
	}
	cr_expect_eq(iot_reader_fact(a, IOT_FACT_RECORDS), (uint64_t)n);
	cr_expect_eq(iot_reader_fact(a, IOT_FACT_INDEX), iot_reader_fact(b, IOT_FACT_INDEX));
	iot_reader_free(a);
	iot_reader_free(b);
	free(m.data);
}

Test(stream_events, seek_as_those_of_a_file)
{
	for (uint64_t record = 0; record < 7; record++)
		expect_records_after_seek(IOT_SEEK_RECORD, record);
	for (uint64_t ns = 0; ns < 9000; ns += 500)
		expect_records_after_seek(IOT_SEEK_TIME_NS, ns);
}

Test(stream_events, have_the_current_definitions_after_a_seek)
{
	struct given g = sample(3);
	struct iot_event ev;
	struct iot_reader *r = reader_of(&g);
	cr_assert_eq(iot_reader_seek(r, IOT_SEEK_TIME_NS, 5000), IOT_OK);
	cr_expect_eq(iot_reader_seek(r, IOT_SEEK_TIME_NS, 5000), IOT_EUSAGE, "it was read");
	static const enum iot_kind kinds[] = {IOT_PROCESS, IOT_FILE, IOT_FILE, IOT_RECORD};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		cr_assert_eq(iot_reader_events(r, &ev, 1), 1);
		cr_expect_eq(ev.kind, kinds[i], "event %zu", i);
	}
	cr_expect_eq(ev.rec.start_ns, 5000);
	iot_reader_free(r);
}

Test(stream_events, an_invalid_record_ends_them)
{
	struct given g = {.step = 4};
	struct iot_record rec[4];
	add_record(&g, 5000, 1, 0);
	add_record(&g, -1, 1, 0);
	struct iot_reader *r = reader_of(&g);
	cr_expect_eq(iot_reader_records(r, rec, 4), 1);
	cr_expect_eq(iot_reader_records(r, rec, 4), IOT_EUSAGE);
	cr_expect_str_eq(iot_reader_error(r), "record 1: a start before the trace's zero");
	iot_reader_free(r);
}
