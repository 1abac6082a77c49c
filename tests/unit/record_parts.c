/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a recording: merged with their ids, they are the trace that the same events make
 * without parts, byte for byte.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/filter.h>

#include "cli/record/ring.h"
#include "cli/record/ring_events.h"

enum { PROCESSES = 3, FILES = 4, EVENTS = 400, PARTS_MAX = 64 };

/* A recording that is written as one trace, and again in parts. */
struct recording_run {
	struct processes processes;
	struct clock_map clock;
	struct ring_events_options options;
	struct ring_events *events;
	struct iot_writer *writer[PARTS_MAX];
	size_t parts;
	uint64_t random, now;
	uint64_t cpu[PROCESSES];
	bool open[PROCESSES][FILES], ended[PROCESSES];
};

static unsigned pick(struct recording_run *r, unsigned n)
{
	r->random = r->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(r->random >> 33) % n;
}

static struct iot_writer *new_writer(void)
{
	static const char text[] = "%trace source=record epoch=1700000000000000000";
	const struct iot_event trace = {.kind = IOT_TRACE, .text = {text, sizeof(text) - 1}};
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_set(w, IOT_SET_TICK_NS, 1), IOT_OK);
	cr_assert_eq(iot_writer_open_memory(w), IOT_OK);
	cr_assert_eq(iot_writer_events(w, &trace, 1), IOT_OK);
	return w;
}

static void add(struct recording_run *r, uint32_t process, const void *record, size_t size)
{
	const struct iot_event ev = {
	    .kind = RING_RAW,
	    .rec = {.process = process, .object = process, .start_ns = (int64_t)r->now},
	    .text = {record, size}};
	cr_assert_eq(ring_events_add(r->events, &ev), IOT_OK);
}

static void add_start(struct recording_run *r, uint32_t process, uint32_t parent)
{
	_Alignas(8) char bytes[sizeof(struct record_start) + 8] = "";
	struct record_start *s = (void *)bytes;
	*s = (struct record_start){.head = {.size = sizeof(bytes), .kind = RECORD_START},
				   .time = r->now,
				   .pid = r->processes.process[process].pid,
				   .parent = parent,
				   .rank = -1,
				   .command_size = 6};
	(void)snprintf(s->text, 8, "name%u", (unsigned)(process % 10));
	add(r, process, s, sizeof(bytes));
}

static uint32_t description(uint32_t process, unsigned file)
{
	return process * FILES + file + 1;
}

static void add_open(struct recording_run *r, uint32_t process, unsigned file)
{
	_Alignas(8) char bytes[sizeof(struct record_open) + 8] = "";
	struct record_open *o = (void *)bytes;
	*o = (struct record_open){.head = {.size = sizeof(bytes),
					   .kind = RECORD_OPEN,
					   .code = RECORD_OP_OPEN,
					   .description = description(process, file)},
				  .start = r->now,
				  .end = r->clock.sample[0].ticks + r->now + 5,
				  .inode = file + 1,
				  .mode = 0100644,
				  .text_size = 4};
	(void)snprintf(o->text, 8, "/f%u", file % 10);
	add(r, process, o, sizeof(bytes));
	r->open[process][file] = true;
}

static void add_close(struct recording_run *r, uint32_t process, unsigned file)
{
	const struct record_operation o = {.head = {.size = sizeof(o),
						    .kind = RECORD_OPERATION,
						    .code = RECORD_OP_CLOSE,
						    .description = description(process, file)},
					   .start = r->now,
					   .end = r->clock.sample[0].ticks + r->now + 3};
	add(r, process, &o, sizeof(o));
	r->open[process][file] = false;
}

static void add_transfer(struct recording_run *r, uint32_t process, unsigned file)
{
	const struct iot_event ev = {.kind = IOT_RECORD,
				     .rec = {.type = IOT_LOGICAL | (pick(r, 2) ? IOT_WRITE : 0),
					     .process = process,
					     .object = process,
					     .file = description(process, file),
					     .offset = pick(r, 1 << 20),
					     .length = pick(r, 4096),
					     .cpu_ns = (int64_t)(r->cpu[process] += pick(r, 50)),
					     .start_ns = (int64_t)r->now,
					     .duration_ns = pick(r, 1000)}};
	cr_assert_eq(ring_events_add(r->events, &ev), IOT_OK);
}

static void add_end(struct recording_run *r, uint32_t process)
{
	uint64_t counter[RECORD_COUNTER_COUNT] = {1, 2, 3};
	const struct record_exit x = {
	    .head = {.size = sizeof(x), .kind = RECORD_EXIT}, .time = r->now, .rchar = 7};
	const struct iot_event ended = {
	    .kind = RING_ENDED,
	    .rec = {.process = process, .object = process, .start_ns = (int64_t)r->now},
	    .text = {(const char *)counter, sizeof(counter)}};
	add(r, process, &x, sizeof(x));
	cr_assert_eq(ring_events_add(r->events, &ended), IOT_OK);
	r->ended[process] = true;
}

/* A program with processes 1 and 2 as its children, which end before it. */
static void add_some_event(struct recording_run *r, int i)
{
	const uint32_t process = pick(r, PROCESSES);
	const unsigned file = pick(r, FILES);
	r->now += 1 + pick(r, 100);
	if (r->ended[process])
		return;
	if (!r->open[process][file])
		add_open(r, process, file);
	else if (pick(r, 10) == 0)
		add_close(r, process, file);
	else if (i > EVENTS / 2 && process > 0 && pick(r, 20) == 0)
		add_end(r, process);
	else
		add_transfer(r, process, file);
}

static void begin_part(struct recording_run *r)
{
	cr_assert_lt(r->parts, PARTS_MAX);
	cr_assert_eq(ring_events_flush(r->events), IOT_OK);
	cr_assert_eq(iot_writer_close(r->writer[r->parts - 1]), IOT_OK);
	r->writer[r->parts] = new_writer();
	ring_events_begin_part(r->events, r->writer[r->parts++]);
}

/* The decisions about events and those about parts are independent. */
static void record(struct recording_run *r, uint64_t seed, int part_every)
{
	uint64_t parts_random = seed;
	*r = (struct recording_run){.random = seed};
	clock_map_start(&r->clock, RECORD_MONOTONIC);
	r->clock.sample[1] = (struct clock_sample){r->clock.sample[0].ticks + 1000000000,
						   r->clock.sample[0].ns + 1000000000};
	r->clock.count = 2;
	for (uint32_t i = 0; i < PROCESSES; i++)
		cr_assert_eq(processes_expect(&r->processes, 100 + i, i > 0 ? 100 : 0, 0), i);
	r->writer[r->parts++] = new_writer();
	r->events = ring_events_new(r->writer[0], &r->processes, &r->clock, &r->options);
	for (uint32_t i = 0; i < PROCESSES; i++)
		add_start(r, i, i > 0 ? 100 : 0);
	for (int i = 0; i < EVENTS; i++) {
		add_some_event(r, i);
		parts_random = parts_random * 6364136223846793005u + 1442695040888963407u;
		if (part_every > 0 && (parts_random >> 33) % (unsigned)part_every == 0 &&
		    r->parts < PARTS_MAX && ring_events_part_has_times(r->events))
			begin_part(r);
	}
	cr_assert_eq(ring_events_flush(r->events), IOT_OK);
	cr_assert_eq(iot_writer_close(r->writer[r->parts - 1]), IOT_OK);
}

static void discard(struct recording_run *r)
{
	for (size_t i = 0; i < r->parts; i++)
		iot_writer_free(r->writer[i]);
	ring_events_free(r->events);
	processes_free(&r->processes);
}

/* Reading the parts */

static int next_events(void *context, struct iot_stream *self, struct iot_batch *b)
{
	const ssize_t n = iot_reader_events(context, b->events, b->capacity);
	if (n < 0)
		return iot_stream_fail(self, (int)n, iot_reader_error(context));
	b->count = (size_t)n;
	return n > 0;
}

static void close_reader(void *context)
{
	iot_reader_free(context);
}

static struct iot_stream *stream_of(const struct iot_writer *w)
{
	static const struct iot_stage stage = {.next = next_events, .close = close_reader};
	size_t size;
	const void *data = iot_writer_memory(w, &size);
	struct iot_reader *reader = iot_reader_new();
	cr_assert_eq(iot_reader_open_memory(reader, data, size, "part"), IOT_OK);
	return iot_stream_new(NULL, &stage, reader);
}

static struct iot_writer *merged(const struct recording_run *r)
{
	const struct iot_merge_options o = {.size = sizeof(o), .keep_ids = 1};
	struct iot_stream *inputs[PARTS_MAX];
	struct iot_writer *w = iot_writer_new();
	for (size_t i = 0; i < r->parts; i++)
		inputs[i] = stream_of(r->writer[i]);
	struct iot_stream *s = iot_stream_merge(inputs, r->parts, &o);
	cr_assert_eq(iot_writer_set(w, IOT_SET_TICK_NS, 1), IOT_OK);
	cr_assert_eq(iot_writer_open_memory(w), IOT_OK);
	cr_assert_eq(iot_stream_write(s, w), IOT_OK, "%s", iot_stream_error(s));
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	iot_stream_free(s);
	return w;
}

static void expect_equal(const struct iot_writer *a, const struct iot_writer *b, uint64_t seed)
{
	size_t a_size, b_size;
	const char *a_data = iot_writer_memory(a, &a_size), *b_data = iot_writer_memory(b, &b_size);
	cr_assert(a_size == b_size && memcmp(a_data, b_data, a_size) == 0,
		  "seed %llu:\n%.*s\n---\n%.*s", (unsigned long long)seed, (int)a_size, a_data,
		  (int)b_size, b_data);
}

Test(record_parts, merge_to_the_trace_without_parts)
{
	static struct recording_run whole, parts;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		record(&whole, seed, 0);
		record(&parts, seed, 1 + (int)(seed % 40));
		struct iot_writer *w = merged(&parts);
		expect_equal(whole.writer[0], w, seed);
		iot_writer_free(w);
		discard(&whole);
		discard(&parts);
	}
}

/* Without an earlier part, each part names the processes and files of its records. */
Test(record_parts, each_part_defines_what_its_records_use)
{
	static struct recording_run parts;
	record(&parts, 7, 20);
	cr_assert_gt(parts.parts, 5);
	for (size_t i = 0; i < parts.parts; i++) {
		struct iot_event ev[64];
		struct iot_reader *reader = iot_reader_new();
		size_t size, name_size;
		const void *data = iot_writer_memory(parts.writer[i], &size);
		cr_assert_eq(iot_reader_open_memory(reader, data, size, "part"), IOT_OK);
		ssize_t n;
		while ((n = iot_reader_events(reader, ev, 64)) > 0)
			for (ssize_t e = 0; e < n; e++)
				cr_expect(ev[e].kind != IOT_RECORD ||
					      (ev[e].rec.object != 0 &&
					       iot_reader_name(reader, ev[e].rec.object,
							       &name_size) != NULL),
					  "part %zu", i);
		cr_expect_eq(n, 0);
		iot_reader_free(reader);
	}
	discard(&parts);
}
