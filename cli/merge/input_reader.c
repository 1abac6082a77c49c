/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the trace of an input, and refuses one that is not in order. */
#include "merge.h"

#include <stdio.h>
#include <string.h>

#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "lib/base/interrupt.h"

enum {
	FIRST_EVENTS = IOT_BATCH_EVENTS - 1,
	READ_ALL = 4 << 20, /* total bytes of buffers of all inputs ... */
	READ_MIN = 32 << 10,
	READ_MAX = 256 << 10,
	VERIFY_ALL = 256 << 20 /* total bytes of unverified intervals of all inputs */
};

static void warn(void *context, const char *sentence)
{
	const struct merge_operand *in = context;
	if (!in->merge->options->read.quiet)
		message_print("warning: %s", sentence);
}

static int set_up(const struct merge_command *m, struct iot_reader *r)
{
	const struct trace_in_options *o = &m->options->read;
	size_t open = m->count < m->open_max ? m->count : m->open_max;
	uint64_t read_size = READ_ALL / (open > 0 ? open : 1);
	read_size = read_size < READ_MIN ? READ_MIN : read_size;
	read_size = read_size > READ_MAX ? READ_MAX : read_size;
	int status = iot_reader_set(r, IOT_SET_READ_SIZE, read_size);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_VERIFY, o->no_verify ? 0 : 1);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_VERIFIED, 1);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_LIMIT_HELD, VERIFY_ALL / (open > 0 ? open : 1));
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_RECOVER, o->recover ? 1 : 0);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_ALLOW_EMPTY, o->allow_empty ? 1 : 0);
	if (status == IOT_OK && o->base != NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_BASE, o->base);
	if (status == IOT_OK && o->tick_ns != NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_TICK_NS, o->tick_ns);
	return status;
}

/* No file of an input may be the output. */
static int check_files(struct merge_operand *in, struct iot_stream *self)
{
	struct merge_command *m = in->merge;
	struct same_file_set files = {.command = m->options->command};
	enum exit_status status = EXIT_OK;
	const char *path;
	same_file_add(&files, ROLE_TRACE, m->options->write.path);
	for (size_t i = 0; status == EXIT_OK && (path = iot_source_file(in->source, i)); i++)
		status = same_file_check_member(&files, path);
	same_file_free(&files);
	if (status == EXIT_OK)
		return IOT_OK;
	m->reported = m->refused = true;
	return iot_stream_fail(self, IOT_EUSAGE, "");
}

static int open_source(struct merge_operand *in, struct iot_stream *self)
{
	const struct merge_command *m = in->merge;
	struct source_in_options o = m->options->read.source;
	o.memory = m->options->memory / (m->count < m->open_max ? m->count : m->open_max);
	if (in->source == NULL)
		in->source = iot_source_new();
	if (in->source == NULL)
		return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
	const int status = source_in_start(in->source, in->path, &o, true);
	in->cut = source_in_cut(in->source);
	if (in->cut)
		return iot_stream_fail(self, IOT_ETRUNCATED, "interrupted");
	char text[1024];
	if (status != IOT_OK)
		return iot_stream_fail(
		    self, status,
		    source_in_sentence(in->source, "--in-format", NULL, text, sizeof text));
	in->is_log = !source_in_is_trace(in->source);
	return in->is_log && m->opening ? check_files(in, self) : IOT_OK;
}

static int open_reader(struct merge_operand *in, struct iot_stream *self)
{
	int status = open_source(in, self);
	if (status != IOT_OK)
		return status;
	in->reader = iot_reader_new();
	if (in->reader == NULL)
		return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
	iot_reader_on_warning(in->reader, warn, in);
	status = set_up(in->merge, in->reader);
	if (status == IOT_OK)
		status = iot_source_open_reader(in->source, in->reader);
	if (status == IOT_OK)
		return IOT_OK;
	const char *sentence = iot_reader_error(in->reader);
	return iot_stream_fail(self, status,
			       *sentence != '\0' ? sentence : iot_source_error(in->source));
}

/*
 * The source of a pipe is freed later: another thread may cancel it. So is the source of a log, for
 * its warnings.
 */
void merge_close_trace(void *context)
{
	struct merge_operand *in = context;
	iot_reader_free(in->reader);
	in->reader = NULL;
	if (in->once || (in->is_log && in->is_whole))
		return;
	iot_source_free(in->source);
	in->source = NULL;
}

/* Reads the input again, event by event, up to a record that starts before its predecessor. */
static uint64_t find_line(const struct merge_operand *in)
{
	const struct trace_in_options *o = &in->merge->options->read;
	struct iot_event ev;
	int64_t last_ns = 0;
	uint64_t line = 0;
	struct iot_reader *r = iot_reader_new();
	if (r == NULL)
		return 0;
	(void)iot_reader_set(r, IOT_SET_VERIFY, 0);
	(void)iot_reader_set(r, IOT_SET_RECOVER, o->recover ? 1 : 0);
	if (o->base != NOT_GIVEN)
		(void)iot_reader_set(r, IOT_SET_BASE, o->base);
	ssize_t n = iot_reader_open(r, in->path);
	while (n >= 0 && (n = iot_reader_events(r, &ev, 1)) > 0) {
		if (ev.kind == IOT_RECORD && ev.rec.start_ns < last_ns) {
			line = iot_reader_fact(r, IOT_FACT_LINE);
			break;
		}
		if (ev.kind == IOT_RECORD)
			last_ns = ev.rec.start_ns;
	}
	iot_reader_free(r);
	return line;
}

/* line: of the record, or of a later one. */
static int refuse_order(const struct merge_operand *in, struct iot_stream *self, uint64_t line,
			bool exact)
{
	char why[512];
	uint64_t found = exact ? line : 0;
	if (!exact && in->again)
		found = find_line(in);
	snprintf(why, sizeof(why),
		 "%s:%s%llu: a record starts before the one before it; --reorder sorts",
		 in->display_name, found > 0 ? "" : " before line ",
		 (unsigned long long)(found > 0 ? found : line + 1));
	in->merge->unordered = true;
	return iot_stream_fail(self, IOT_EUSAGE, why);
}

/* lines: of the events from `first` on, the last of which is `line`. */
static int check_order(struct merge_operand *in, struct iot_stream *self, const struct iot_batch *b,
		       size_t first, uint64_t lines, uint64_t line)
{
	for (size_t i = first; i < b->count; i++) {
		if (b->events[i].kind != IOT_RECORD)
			continue;
		if (b->events[i].rec.start_ns < in->last_ns)
			return refuse_order(in, self, line - (b->count - 1 - i),
					    lines == b->count - first);
		in->last_ns = b->events[i].rec.start_ns;
	}
	return 1;
}

/* If a signal ends a pipe, a file that is read with it ends as well; a pipe handles this itself. */
static bool is_asked_to_end(struct merge_operand *in)
{
	struct interrupt *interrupt = signals_interrupt();
	if (in->once || interrupt->request == INTERRUPT_NONE)
		return false;
	atomic_store(&interrupt->cut, true);
	in->cut = true;
	return true;
}

/* The end of an input: regular, or damage. */
static int end_input(struct merge_operand *in, struct iot_stream *self, int status)
{
	in->lossy = iot_reader_fact(in->reader, IOT_FACT_LOST) > 0;
	in->cut = source_in_cut(in->source) || in->cut;
	in->is_whole = true;
	if (in->cut)
		return iot_stream_fail(self, IOT_ETRUNCATED, "interrupted");
	return status < 0 ? iot_stream_fail(self, status, iot_reader_error(in->reader)) : 0;
}

/* Adds events to the batch. Returns 1, 0 at the end, or a negative status. */
static int add_events(struct merge_operand *in, struct iot_stream *self, struct iot_batch *b,
		      size_t max)
{
	const uint64_t line = iot_reader_fact(in->reader, IOT_FACT_LINE);
	const size_t first = b->count;
	const ssize_t n = iot_reader_events(in->reader, b->events + first, max - first);
	in->tick_ns = iot_reader_fact(in->reader, IOT_FACT_TICK_NS);
	if (n <= 0)
		return first > 0 ? 0 : end_input(in, self, (int)n);
	const uint64_t now = iot_reader_fact(in->reader, IOT_FACT_LINE);
	b->count += (size_t)n;
	return in->merge->options->reorder ? 1 : check_order(in, self, b, first, now - line, now);
}

/*
 * The `next` of the stage that reads the trace. The first batch has a fixed number of events,
 * because new ids depend on it, and the reader delivers fewer events before damage.
 */
int merge_read_trace(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct merge_operand *in = context;
	int status = in->reader == NULL ? open_reader(in, self) : IOT_OK;
	if (status != IOT_OK)
		return status;
	if (is_asked_to_end(in))
		return end_input(in, self, IOT_ETRUNCATED);
	const bool first = iot_reader_fact(in->reader, IOT_FACT_INDEX) == 0;
	status = add_events(in, self, b, first ? FIRST_EVENTS : b->capacity);
	while (status > 0 && first && b->count < FIRST_EVENTS) {
		if (iot_batch_keep_text(b) != IOT_OK)
			return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
		status = add_events(in, self, b, FIRST_EVENTS);
	}
	(void)iot_reader_progress(in->reader, &b->bytes_done, &b->bytes_total);
	return status < 0 ? status : b->count > 0;
}
