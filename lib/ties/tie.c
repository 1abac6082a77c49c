/* SPDX-License-Identifier: BSD-2-Clause */
#include "tie.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/error.h"
#include "lib/base/tempfile.h"
#include "lib/base/text.h"
#include "lib/format/directive.h"

#include "sectors.h"
#include "sums.h"

enum tie_phase { PHASE_KEEP, PHASE_EVENTS, PHASE_COUNTERS };

struct tie_stage {
	struct error error;
	enum tie_phase phase;
	int fd; /* all events; -1: not opened */
	struct iot_reader *reader;
	struct tie_match match;
	struct idmap operations; /* logical records that are tied; the id is the number + 1 */
	uint32_t next_id;        /* of physical records without a tie */
	size_t physical;         /* records so far, in the last pass */
	uint32_t logical;
	struct tie_kind_sum kind[TIE_KINDS];
	struct idmap processes; /* those that a %process has defined */
	uint8_t *keys;          /* of its definition with the most keys */
	size_t keys_capacity;
	size_t counter;                /* the next one */
	char (*text)[TIE_COUNTER_MAX]; /* of the counters of a batch */
	size_t texts;
};

static int fail_io(struct tie_stage *t)
{
	return error_set(&t->error, IOT_EIO, "a temporary file in %s: %s", tempfile_directory(),
			 strerror(errno));
}

static int fail(struct tie_stage *t, int status, const char *sentence)
{
	return error_set(&t->error, status, "%s", sentence);
}

static int fail_match(struct tie_stage *t, int status)
{
	return status == IOT_ELIMIT
		   ? fail(t, status, "more records or mapped blocks than can be tied")
		   : fail(t, status, "out of memory");
}

/* First pass: keep all events, and collect extents */

static int keep_batch(struct tie_stage *t, struct iot_writer *w, const struct iot_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		const int status = b->events[i].kind == IOT_DIRECTIVE
				       ? extents_add(&t->match.extents, &b->events[i])
				       : 0;
		if (status == IOT_EFORMAT)
			return fail(
			    t, status,
			    "an %extent needs object=, offset=, length=, device= and sector=");
		if (status < 0)
			return fail_match(t, status);
	}
	if (iot_writer_events(w, b->events, b->count) != IOT_OK)
		return fail(t, IOT_EIO, iot_writer_error(w));
	return IOT_OK;
}

static int open_kept(struct tie_stage *t, struct iot_writer *w)
{
	t->fd = tempfile_open();
	if (t->fd < 0)
		return fail_io(t);
	int status = iot_writer_set(w, IOT_SET_TICK_NS, 1);
	if (status == IOT_OK)
		status = iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1);
	if (status == IOT_OK)
		status = iot_writer_open_fd(w, t->fd, "temporary file");
	return status == IOT_OK ? IOT_OK : fail(t, status, iot_writer_error(w));
}

/* Returns IOT_OK at the end of the upstream. */
static int keep_events(struct tie_stage *t, struct iot_stream *upstream, struct iot_batch *b)
{
	struct iot_writer *w = iot_writer_new();
	int got = 1, status = w != NULL ? open_kept(t, w) : fail(t, IOT_ENOMEM, "out of memory");
	while (status == IOT_OK && (got = iot_stream_next(upstream, b)) > 0) {
		status = keep_batch(t, w, b);
		b->count = 0;
	}
	if (status == IOT_OK && got < 0)
		status = fail(t, got, iot_stream_error(upstream));
	if (status == IOT_OK && iot_writer_close(w) != IOT_OK)
		status = fail(t, IOT_EIO, iot_writer_error(w));
	iot_writer_free(w);
	if (status == IOT_OK && extents_sort(&t->match.extents) != IOT_OK)
		status = fail(t, IOT_ENOMEM, "out of memory");
	return status;
}

static int open_reader(struct tie_stage *t)
{
	iot_reader_free(t->reader);
	t->reader = iot_reader_new();
	if (t->reader == NULL)
		return fail(t, IOT_ENOMEM, "out of memory");
	if (lseek(t->fd, 0, SEEK_SET) != 0)
		return fail_io(t);
	const int status = iot_reader_open_fd(t->reader, t->fd, "temporary file");
	return status == IOT_OK ? IOT_OK : fail(t, status, iot_reader_error(t->reader));
}

/* Second pass: match */

static int match_events(struct tie_stage *t, struct iot_batch *b)
{
	ssize_t n = 0;
	int status = open_reader(t);
	while (status == IOT_OK && (n = iot_reader_events(t->reader, b->events, b->capacity)) > 0)
		for (ssize_t i = 0; i < n && status == IOT_OK; i++)
			status = tie_match_event(&t->match, &b->events[i]);
	if (status != IOT_OK)
		return t->error.status != IOT_OK ? status : fail_match(t, status);
	if (n < 0)
		return fail(t, (int)n, iot_reader_error(t->reader));
	tie_match_end(&t->match);
	return IOT_OK;
}

/* Numbers the logical records that are tied, and adds up the physical ones of each file. */
static int number_operations(struct tie_stage *t)
{
	for (size_t i = 0; i < t->match.ties; i++) {
		const struct tie *tie = &t->match.tie[i];
		if (tie->logical != 0 && idmap_number(&t->operations, tie->logical) == SIZE_MAX)
			return fail_match(t, IOT_ELIMIT);
		if (tie->logical != 0 && tie->merged)
			t->match.row[tie->row].merged++;
	}
	t->next_id = (uint32_t)t->operations.count;
	if (t->match.ties > UINT32_MAX - t->operations.count)
		return fail_match(t, IOT_ELIMIT);
	return IOT_OK;
}

/* Third pass: deliver */

static void tie_physical(struct tie_stage *t, struct iot_record *rec)
{
	const struct tie *tie = &t->match.tie[t->physical++];
	const int d = rec->type & IOT_WRITE ? TIE_WRITE : TIE_READ;
	const uint64_t tied = sectors_credit(&t->match, rec, tie);
	t->kind[tie->kind].records[d]++;
	t->kind[tie->kind].bytes[d] += tied;
	t->kind[TIE_NONE].bytes[d] += rec->length * IOT_BLOCK_SIZE - tied;
	if (tie->kind == TIE_NONE) {
		rec->operation = ++t->next_id;
		return;
	}
	rec->operation = (uint32_t)idmap_find(&t->operations, tie->logical) + 1;
}

static void tie_logical(struct tie_stage *t, struct iot_record *rec)
{
	const size_t n = idmap_find(&t->operations, ++t->logical);
	rec->operation = n != SIZE_MAX ? (uint32_t)n + 1 : 0;
}

static size_t count_keys(struct iot_text text)
{
	struct iot_text token;
	size_t n = 0;
	while (word_next(&text, &token))
		n++;
	return n;
}

/*
 * Stores whether a %process adds nothing: a trace of disks knows only names of processes, and must
 * not replace a definition that knows more. Returns false if out of memory.
 */
static bool is_poorer(struct tie_stage *t, const struct iot_event *ev, bool *poorer)
{
	enum { ID_AND_NAME = 3 }; /* tokens, with %process */
	const size_t n = idmap_number(&t->processes, ev->rec.process);
	const size_t keys = count_keys(ev->text);
	if (!array_reserve_index(&t->keys, &t->keys_capacity, n, sizeof *t->keys))
		return false;
	*poorer = keys <= ID_AND_NAME && t->keys[n] >= keys;
	if (keys > t->keys[n])
		t->keys[n] = keys < UINT8_MAX ? (uint8_t)keys : UINT8_MAX;
	return true;
}

/* Counters of ties that were made before. */
static bool is_replaced(const struct iot_event *ev)
{
	const struct iot_text source =
	    ev->kind == IOT_COUNTER ? iot_directive_get(ev, "source") : (struct iot_text){NULL, 0};
	return source.data != NULL && text_equals(source, "ties");
}

/* Sets the operationIds of the events, and drops some. Returns false if out of memory. */
static bool tie_events(struct tie_stage *t, struct iot_batch *b)
{
	size_t kept = 0;
	for (size_t i = 0; i < b->count; i++) {
		struct iot_event *ev = &b->events[i];
		bool poorer = false;
		if (ev->kind == IOT_RECORD && ev->rec.type & IOT_LOGICAL)
			tie_logical(t, &ev->rec);
		else if (ev->kind == IOT_RECORD)
			tie_physical(t, &ev->rec);
		else if (ev->kind == IOT_PROCESS && !is_poorer(t, ev, &poorer))
			return false;
		if (!poorer && !is_replaced(ev))
			b->events[kept++] = *ev;
	}
	b->count = kept;
	return true;
}

/* Counters */

static bool is_reported(const struct tie_row *row)
{
	return row->mapped || row->physical[TIE_READ] > 0 || row->physical[TIE_WRITE] > 0;
}

/* Builds the next counter. Returns 1, 0 after the last one, or a negative status. */
static int build_counter(struct tie_stage *t, char *text, struct iot_event *ev)
{
	struct iot_builder b;
	while (t->counter >= TIE_KINDS && t->counter - TIE_KINDS < t->match.rows.count &&
	       !is_reported(&t->match.row[t->counter - TIE_KINDS]))
		t->counter++;
	if (t->counter >= TIE_KINDS && t->counter - TIE_KINDS >= t->match.rows.count)
		return 0;
	if (t->counter < TIE_KINDS)
		tie_counter_of_kind(&b, text, (enum tie_kind)t->counter, &t->kind[t->counter]);
	else
		tie_counter_of_row(&b, text, &t->match.row[t->counter - TIE_KINDS]);
	t->counter++;
	const int status = iot_directive_end(&b, ev);
	return status == IOT_OK ? 1 : fail(t, status, "a counter is too long");
}

static int deliver_counters(struct tie_stage *t, struct iot_batch *b)
{
	int got = 1;
	if (!array_reserve(&t->text, &t->texts, b->capacity, sizeof *t->text))
		return fail(t, IOT_ENOMEM, "out of memory");
	while (b->count < b->capacity &&
	       (got = build_counter(t, t->text[b->count], &b->events[b->count])) > 0)
		b->count++;
	return got < 0 ? got : b->count > 0;
}

static int deliver_events(struct tie_stage *t, struct iot_batch *b)
{
	const ssize_t n = iot_reader_events(t->reader, b->events, b->capacity);
	if (n < 0)
		return fail(t, (int)n, iot_reader_error(t->reader));
	if (n == 0) {
		t->phase = PHASE_COUNTERS;
		return deliver_counters(t, b);
	}
	b->count = (size_t)n;
	return tie_events(t, b) ? 1 : fail(t, IOT_ENOMEM, "out of memory");
}

static int begin(struct tie_stage *t, struct iot_stream *upstream, struct iot_batch *b)
{
	int status = keep_events(t, upstream, b);
	if (status == IOT_OK)
		status = match_events(t, b);
	if (status == IOT_OK)
		status = number_operations(t);
	if (status == IOT_OK)
		status = open_reader(t);
	t->phase = PHASE_EVENTS;
	b->count = 0;
	return status;
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct tie_stage *t = context;
	int status = IOT_OK;
	if (t->phase == PHASE_KEEP)
		status = begin(t, iot_stream_upstream(self), b);
	if (status == IOT_OK)
		status = t->phase == PHASE_EVENTS ? deliver_events(t, b) : deliver_counters(t, b);
	return status < 0 ? iot_stream_fail(self, status, t->error.text) : status;
}

static void close_stage(void *context)
{
	struct tie_stage *t = context;
	iot_reader_free(t->reader);
	if (t->fd >= 0)
		(void)close(t->fd);
	tie_match_free(&t->match);
	idmap_free(&t->operations);
	idmap_free(&t->processes);
	free(t->keys);
	free(t->text);
	free(t);
}

struct iot_stream *tie_stream(struct iot_stream *upstream)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	struct tie_stage *t = upstream != NULL ? calloc(1, sizeof *t) : NULL;
	if (t == NULL) {
		iot_stream_free(upstream);
		return NULL;
	}
	t->fd = -1;
	return iot_stream_new(upstream, &stage, t);
}
