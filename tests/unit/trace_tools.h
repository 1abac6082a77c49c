/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of reader and writer: whole traces read into one text for comparison. */
#ifndef TESTS_TRACE_TOOLS_H
#define TESTS_TRACE_TOOLS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/iotrace.h>

struct bytes {
	char *data;
	size_t size;
};

/* How to read; zeros are the defaults. */
struct how {
	uint64_t read_size, base, tick_ns, memory;
	bool no_verify, recover, records_only;
	bool no_cpu;  /* show CPU clocks as 0: entered in the middle, they count from elsewhere */
	size_t batch; /* events at once; 0: 64 */
};

/* The result. */
struct reading {
	struct bytes text; /* a line for each event; ends in NUL */
	int status;
	char error[1024];
	uint64_t records, comments, lost, lost_records, warnings, lines, complete, tick_ns, base,
	    framed;
};

static inline void add_line(struct bytes *b, const char *line, size_t n)
{
	size_t capacity = 4096, before = 4096;
	while (capacity < b->size + n + 2)
		capacity *= 2;
	while (before < b->size + 1)
		before *= 2;
	if (b->size == 0 || capacity > before)
		b->data = realloc(b->data, capacity);
	if (b->data == NULL)
		abort();
	memcpy(b->data + b->size, line, n);
	b->size += n;
	b->data[b->size++] = '\n';
	b->data[b->size] = '\0';
}

static inline void add_record(struct bytes *b, const struct iot_record *r)
{
	char line[256];
	int n =
	    snprintf(line, sizeof(line), "%x %ld+%lu cpu %ld %lu+%lu op %u %u/%u obj %u flags %u",
		     r->type, (long)r->start_ns, (unsigned long)r->duration_ns, (long)r->cpu_ns,
		     (unsigned long)r->offset, (unsigned long)r->length, r->operation, r->process,
		     r->file, r->object, r->flags);
	add_line(b, line, (size_t)n);
}

static inline void add_event(struct bytes *b, const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		add_record(b, &ev->rec);
	else
		add_line(b, ev->text.data, ev->text.size);
}

static inline struct iot_reader *new_reader(const struct how *how)
{
	struct iot_reader *r = iot_reader_new();
	if (r == NULL)
		abort();
	if (how->read_size != 0)
		iot_reader_set(r, IOT_SET_READ_SIZE, how->read_size);
	if (how->base != 0)
		iot_reader_set(r, IOT_SET_BASE, how->base);
	if (how->tick_ns != 0)
		iot_reader_set(r, IOT_SET_TICK_NS, how->tick_ns);
	if (how->memory != 0)
		iot_reader_set(r, IOT_SET_LIMIT_MEMORY, how->memory);
	iot_reader_set(r, IOT_SET_VERIFY, !how->no_verify);
	iot_reader_set(r, IOT_SET_RECOVER, how->recover);
	return r;
}

static inline ssize_t pull(struct iot_reader *r, const struct how *how, struct bytes *text)
{
	struct iot_event ev[64];
	struct iot_record rec[64];
	size_t max = how->batch != 0 ? how->batch : 64;
	ssize_t n =
	    how->records_only ? iot_reader_records(r, rec, max) : iot_reader_events(r, ev, max);
	for (ssize_t i = 0; i < n; i++) {
		if (how->records_only && how->no_cpu)
			rec[i].cpu_ns = 0;
		if (how->records_only)
			add_record(text, &rec[i]);
		else
			add_event(text, &ev[i]);
	}
	return n;
}

/* Reads an opened reader to its end and frees it. */
static inline struct reading drain(struct iot_reader *r, int status, const struct how *how)
{
	struct reading got = {.text = {calloc(1, 1), 0}};
	ssize_t n = status;
	if (status == IOT_OK)
		while ((n = pull(r, how, &got.text)) > 0)
			;
	got.status = (int)n;
	snprintf(got.error, sizeof(got.error), "%s", iot_reader_error(r));
	got.records = iot_reader_fact(r, IOT_FACT_RECORDS);
	got.comments = iot_reader_fact(r, IOT_FACT_COMMENTS);
	got.lost = iot_reader_fact(r, IOT_FACT_LOST);
	got.lost_records = iot_reader_fact(r, IOT_FACT_LOST_RECORDS);
	got.warnings = iot_reader_fact(r, IOT_FACT_WARNINGS);
	got.lines = iot_reader_fact(r, IOT_FACT_LINE);
	got.complete = iot_reader_fact(r, IOT_FACT_COMPLETE);
	got.tick_ns = iot_reader_fact(r, IOT_FACT_TICK_NS);
	got.base = iot_reader_fact(r, IOT_FACT_BASE);
	got.framed = iot_reader_fact(r, IOT_FACT_FRAMED);
	iot_reader_free(r);
	return got;
}

static inline struct reading read_bytes(const void *data, size_t size, struct how how)
{
	struct iot_reader *r = new_reader(&how);
	return drain(r, iot_reader_open_memory(r, data, size, "t.iot"), &how);
}

static inline struct reading read_text(const char *text, struct how how)
{
	return read_bytes(text, strlen(text), how);
}

static inline void free_reading(struct reading *got)
{
	free(got->text.data);
}

/* Settings of a writer; zeros are the defaults, except that sync 0 is none and tick 0 is 1000. */
struct make {
	enum iot_compression compression;
	uint64_t sync, flush, tick_ns, base;
	bool bare, no_index;
};

static inline struct iot_writer *memory_writer(struct make how)
{
	struct iot_writer *w = iot_writer_new();
	if (w == NULL)
		abort();
	iot_writer_set(w, IOT_SET_COMPRESSION, how.compression);
	iot_writer_set(w, IOT_SET_SYNC, how.sync);
	iot_writer_set(w, IOT_SET_FLUSH, how.flush);
	iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1);
	if (how.tick_ns != 0)
		iot_writer_set(w, IOT_SET_TICK_NS, how.tick_ns);
	if (how.base != 0)
		iot_writer_set(w, IOT_SET_BASE, how.base);
	iot_writer_set(w, IOT_SET_FRAMING, !how.bare);
	iot_writer_set(w, IOT_SET_INDEX, !how.no_index);
	if (iot_writer_open_memory(w) != IOT_OK)
		abort();
	return w;
}

static inline struct iot_event comment(const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}, .kind = IOT_COMMENT};
	return ev;
}

/* Closes the writer, frees it, and returns a copy of its output, NUL-terminated. */
static inline struct bytes written(struct iot_writer *w)
{
	struct bytes b = {NULL, 0};
	if (iot_writer_close(w) != IOT_OK) {
		fprintf(stderr, "%s\n", iot_writer_error(w));
		abort();
	}
	const void *data = iot_writer_memory(w, &b.size);
	b.data = malloc(b.size + 1);
	if (b.data == NULL)
		abort();
	memcpy(b.data, data, b.size);
	b.data[b.size] = '\0';
	iot_writer_free(w);
	return b;
}

/* Reads a trace and writes it as text. */
static inline struct bytes rewritten(const void *data, size_t size, struct make how)
{
	struct iot_writer *w = memory_writer(how);
	struct iot_reader *r = iot_reader_new();
	struct iot_event ev[7];
	ssize_t n;
	if (r == NULL || iot_reader_open_memory(r, data, size, "t.iot") != IOT_OK)
		abort();
	while ((n = iot_reader_events(r, ev, 7)) > 0)
		if (iot_writer_events(w, ev, (size_t)n) != IOT_OK)
			abort();
	if (n < 0) {
		fprintf(stderr, "%s\n", iot_reader_error(r));
		abort();
	}
	iot_reader_free(r);
	return written(w);
}

/* %file for 0 to 4, of processes 1 to 3; the status. */
static inline int report_files(struct iot_writer *w)
{
	char text[100];
	int status = IOT_OK;
	for (unsigned i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "%%file process=%u id=%u object=%u path=/f%u",
			 1 + i % 3, i, 10 + i, i);
		struct iot_event ev = comment(text);
		status |= iot_writer_events(w, &ev, 1);
	}
	return status;
}

/* n records of 3 processes and 5 files, with a %file for each, an operation and a free comment. */
static inline struct bytes sample(size_t n, struct make how)
{
	struct iot_writer *w = memory_writer(how);
	int status = IOT_OK;
	struct iot_event ev = comment("%process id=1 name=one");
	status |= iot_writer_events(w, &ev, 1);
	status |= report_files(w);
	for (size_t i = 0; i < n; i++) {
		const unsigned file = (unsigned)(i * 7 % 5);
		const struct iot_record rec = {
		    .start_ns = (int64_t)i * 10000,
		    .duration_ns = 3000 + i % 7 * 1000,
		    .cpu_ns = (int64_t)i * 2000,
		    .offset = i * 4096 + i % 3,
		    .length = 4096 - i % 2,
		    .file = file,
		    .process = 1 + file % 3,
		    .type = (uint8_t)(IOT_LOGICAL | (i % 2 ? IOT_WRITE : 0))};
		if (i == 4) {
			ev = comment("%op name=stat time=41000 took=1000 process=1 path=/x");
			status |= iot_writer_events(w, &ev, 1);
			ev = comment("free text");
			status |= iot_writer_events(w, &ev, 1);
		}
		status |= iot_writer_records(w, &rec, 1);
	}
	if (status != IOT_OK)
		abort();
	return written(w);
}

#endif
