/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the slice. */
#include "slice.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ui/piped.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"

/* Time zero of the slice: --from, or the earliest time up to its first record. */
static void choose_zero(struct slice_run *r, size_t n)
{
	r->shift.zero_ns = r->slice.from_ns;
	if (r->from.kind != TIME_NOT_GIVEN)
		return;
	int64_t zero_ns = INT64_MAX;
	bool found = false;
	for (size_t i = 0; i < n && !found; i++) {
		found = r->head->events[i].kind == IOT_RECORD;
		if ((found || (r->head->events[i].has & IOT_HAS_TIME)) &&
		    r->head->events[i].rec.start_ns < zero_ns)
			zero_ns = r->head->events[i].rec.start_ns;
	}
	if (zero_ns == INT64_MAX)
		zero_ns = (int64_t)iot_reader_fact(r->in.reader, IOT_FACT_LAST_NS);
	r->shift.zero_ns = zero_ns;
}

/* Seeks to the start of the slice. Returns the number of events in r->ev. */
static size_t enter(struct slice_run *r, size_t n, bool head_is_whole)
{
	struct iot_slice_options *s = &r->slice;
	const bool by_time = s->from_ns > r->span.first_ns && !r->unsorted;
	const bool anywhere = trace_in_seekable(&r->in);
	if (!anywhere || (!by_time && s->first == 0 && head_is_whole))
		return n;
	if (by_time || s->first > 0)
		s->flags |= IOT_SLICE_NO_TRACE;
	if (by_time && !trace_in_seek(&r->in, IOT_SEEK_TIME_NS, (uint64_t)s->from_ns))
		return 0;
	if ((!by_time || iot_reader_fact(r->in.reader, IOT_FACT_INDEX) < s->first) &&
	    !trace_in_seek(&r->in, IOT_SEEK_RECORD, s->first))
		return 0;
	s->index = iot_reader_fact(r->in.reader, IOT_FACT_INDEX);
	return trace_in_events(&r->in, r->head->events, TRACE_IN_BATCH);
}

/* Reads a file again, to find the first and the last record even if it is long. */
static void read_contents(struct slice_run *r)
{
	struct contents *s = &r->contents;
	struct trace_in_options o = r->read;
	struct trace_in in;
	ssize_t n;
	o.recover = o.quiet = true;
	o.progress = PROGRESS_NEVER;
	if (trace_in_open(&in, piped_name_again(r->path), &o, r->command) == EXIT_OK) {
		while (contents_wants_more(s) &&
		       (n = iot_reader_events(in.reader, r->head->events, TRACE_IN_BATCH)) > 0)
			contents_events(s, r->head->events, (size_t)n);
		if (!contents_wants_more(s) &&
		    iot_reader_seek(in.reader, IOT_SEEK_TIME_NS, UINT64_MAX) == IOT_OK) {
			s->records = iot_reader_fact(in.reader, IOT_FACT_INDEX);
			s->last_ns = (int64_t)iot_reader_fact(in.reader, IOT_FACT_LAST_NS);
		}
	}
	trace_in_close(&in);
}

static void report_empty(struct slice_run *r)
{
	const bool wall = r->from.kind == TIME_WALL || r->to.kind == TIME_WALL;
	message_print("warning: there are no records in the slice");
	if (trace_in_seekable(&r->in))
		read_contents(r);
	const char *shown = strcmp(r->path, "-") == 0 ? "standard input" : r->in.path;
	contents_report(&r->contents, shown, wall && r->span.has_epoch ? &r->span.epoch_ns : NULL,
			r->of_processes || r->of_paths);
	if (r->of_ranks && r->contents.ranks.count == 0 && contents_wants_more(&r->contents))
		message_print("%s: none of its processes has a rank", shown);
}

/* Passes the first events, and then IN. */
static int next_events(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct slice_run *r = context;
	(void)self;
	b->count = r->count;
	if (r->count > 0)
		memcpy(b->events, r->head->events, r->count * sizeof *r->head->events);
	else
		b->count = trace_in_events(&r->in, b->events, b->capacity);
	r->count = 0;
	if (!trace_in_seekable(&r->in) && iot_writer_fact(r->writer, IOT_FACT_RECORDS) == 0)
		contents_events(&r->contents, b->events, b->count);
	return b->count > 0;
}

/* Passes the %trace that precede the slice, and then the slice. */
static int next_after_traces(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct slice_run *r = context;
	if (r->trace_count == r->traces_passed)
		return iot_stream_next(iot_stream_upstream(self), b);
	for (; r->traces_passed < r->trace_count && b->count < b->capacity; r->traces_passed++) {
		const char *text = r->traces[r->traces_passed];
		struct iot_event ev = {.text = {text, strlen(text)}};
		if (iot_directive_parse(&ev, NULL) == IOT_OK)
			b->events[b->count++] = ev;
	}
	return 1;
}

static struct iot_stream *new_pipeline(struct slice_run *r)
{
	static const struct iot_stage input = {.next = next_events};
	static const struct iot_stage traces = {.next = next_after_traces};
	struct iot_stream *s = iot_stream_slice(iot_stream_new(NULL, &input, r), &r->slice);
	if (s != NULL && (r->slice.flags & IOT_SLICE_NO_TRACE))
		s = iot_stream_new(s, &traces, r);
	r->shift.size = sizeof r->shift;
	r->shift.early = &r->before_zero;
	if (r->moves_zero)
		s = iot_stream_shift(s, &r->shift);
	return iot_stream_count_rounding(s, &r->rounding);
}

static enum exit_status copy(struct slice_run *r)
{
	struct iot_stream *s = new_pipeline(r);
	const int written = s != NULL ? iot_stream_write(s, r->writer) : IOT_ENOMEM;
	iot_stream_free(s);
	const enum exit_status status = trace_in_finish(&r->in, r->writer, &r->write, written);
	if (iot_writer_fact(r->writer, IOT_FACT_COMPLETE) != 0) {
		const bool empty = iot_writer_fact(r->writer, IOT_FACT_RECORDS) == 0;
		if (empty && r->in.status == IOT_OK && !r->read.quiet)
			report_empty(r);
		trace_out_report_rounding(&r->rounding);
	}
	if (status != EXIT_OK || r->before_zero == 0)
		return status;
	message_print("%ju times lie before time zero of the slice and became 0; give --from",
		      (uintmax_t)r->before_zero);
	return EXIT_DAMAGED;
}

static enum exit_status slice(struct slice_run *r)
{
	bool failed = false, whole;
	const size_t n = slice_read_head(r, &whole, &failed);
	if (failed)
		return message_no_memory();
	enum exit_status status = trace_in_exit(&r->in, false);
	if (n == 0 && status != EXIT_OK)
		return status;
	status = slice_resolve_times(r);
	if (status != EXIT_OK)
		return status;
	r->count = enter(r, n, whole);
	choose_zero(r, r->count);
	r->slice.names = r->in.reader;
	trace_in_keep_framing(&r->in, &r->write);
	status = trace_out_open(r->writer, &r->write, r->command);
	r->rounding = trace_out_rounding(r->writer, r->verbose && !r->read.quiet);
	return status == EXIT_OK ? copy(r) : status;
}

enum exit_status slice_run(struct slice_run *r, const struct command_spec *command,
			   const char *path)
{
	r->command = command;
	r->path = path;
	enum exit_status status = same_file_check_two(r->command, r->write.path, r->path);
	if (status != EXIT_OK)
		return status;
	r->write.framed = !r->write.bare;
	r->slice.size = sizeof r->slice;
	r->slice.selection = r->selection;
	r->slice.flags = (r->unsorted ? (unsigned)IOT_SLICE_UNSORTED : 0U) |
			 (r->op == 1 ? (unsigned)IOT_SLICE_READS : 0U) |
			 (r->op == 2 ? (unsigned)IOT_SLICE_WRITES : 0U);
	trace_in_catch_signals(r->path, &r->read, r->write.path);
	status = trace_in_open(&r->in, r->path, &r->read, r->command);
	if (status == EXIT_OK) {
		r->writer = iot_writer_new();
		if (r->writer != NULL)
			status = slice(r);
		else
			status = message_no_memory();
	}
	iot_writer_free(r->writer);
	trace_in_close(&r->in);
	signals_restore();
	return status;
}
