/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader -> sorter -> writer. Without a window, the sorter holds the whole trace; with one, it
 * holds the events that start within the window before the latest start. Definitions stay attached
 * to their records (lib/filter/scope.h), and untimed comments to the record that follows them. A
 * thread prefetches, and when all events are held another one merges ahead of the writer.
 */
#include "reorder.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/convert.h"
#include "lib/filter/scope.h"
#include "lib/sort/sorter.h"
#include "event_queue.h"
#include "cli/ui/signals.h"
#include "holdback.h"

/* How a step ends, in addition to EXIT_...: success. */
enum { GO_ON = -1 };

struct reorder {
	const struct reorder_options *options;
	struct reorder_report *report;
	struct write_options write;
	struct trace_in in;
	struct iot_writer *writer;
	struct sorter *sorter;
	struct scope_tracker scopes;
	struct holdback untimed;
	struct error error;     /* of the scope */
	struct iot_event *ev;   /* the batch that was read */
	struct iot_event *head; /* the first one */
	struct iot_event *out;  /* live */
	int64_t latest_ns;      /* start */
	bool live, piped, begun, write_failed;
	char fault[sizeof(((struct error *)0)->text)];
};

/* Printed at the end, when no other thread is running. */
static int report_failure(struct reorder *r, const char *sentence)
{
	if (r->fault[0] == '\0')
		snprintf(r->fault, sizeof(r->fault), "%s", sentence);
	return EXIT_FAULT;
}

static int write_fault(struct reorder *r)
{
	r->write_failed = true;
	return EXIT_FAULT;
}

static void report_now(struct reorder *r)
{
	progress_clear(&r->in.progress);
	if (signal_pending() != 0)
		return;
	if (r->fault[0] != '\0')
		print_message("%s", r->fault);
	else if (r->write_failed)
		(void)report_write_error(r->writer, &r->write);
}

/* Output */

static int put(void *context, const struct iot_event *ev, size_t n)
{
	struct reorder *r = context;
	return iot_writer_events(r->writer, ev, n);
}

static ssize_t merge(void *context, struct iot_event *ev, size_t max)
{
	struct reorder *r = context;
	return sorter_events(r->sorter, ev, max);
}

static int write_sorted(struct reorder *r, struct iot_event *ev, size_t n)
{
	if (scope_replay(&r->scopes, ev, n, put, r) == IOT_OK)
		return signal_pending() != 0 ? EXIT_FAULT : GO_ON;
	return r->error.status != IOT_OK ? report_failure(r, r->error.text) : write_fault(r);
}

static int sorter_fault(struct reorder *r)
{
	return report_failure(r, sorter_error(r->sorter)->text);
}

/* Writes all events that may be written now. */
static int drain(struct reorder *r)
{
	ssize_t n;
	int status = GO_ON;
	while (status == GO_ON && (n = sorter_events(r->sorter, r->out, TRACE_IN_BATCH)) != 0)
		status = n > 0 ? write_sorted(r, r->out, (size_t)n) : sorter_fault(r);
	return status;
}

static int drain_at_end(struct reorder *r)
{
	struct iot_event *ev;
	ssize_t n = 0;
	int status = GO_ON;
	struct event_queue *merging = event_queue_new(merge, r, false);
	while (merging != NULL && status == GO_ON && (n = event_queue_next(merging, &ev)) > 0) {
		status = write_sorted(r, ev, (size_t)n);
		progress_show_written(&r->in.progress, iot_writer_fact(r->writer, IOT_FACT_RECORDS),
				      iot_reader_fact(r->in.reader, IOT_FACT_RECORDS));
	}
	event_queue_free(merging);
	if (merging == NULL || n == IOT_ENOMEM)
		return report_failure(r, "out of memory for sorting");
	return n < 0 ? sorter_fault(r) : status;
}

/* A reader may be waiting for the events so far, while the input has no more data. */
static int flush_if_idle(struct reorder *r)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	if (!r->piped || poll(&in, 1, 0) != 0)
		return GO_ON;
	return iot_writer_flush(r->writer) == IOT_OK ? GO_ON : write_fault(r);
}

/* Input */

static int add(struct reorder *r, const struct iot_event *ev, size_t n)
{
	if (sorter_add(r->sorter, ev, n) != IOT_OK)
		return sorter_fault(r);
	return GO_ON;
}

static int add_untimed(struct reorder *r, int64_t next_ns, int64_t record_ns)
{
	const struct iot_event *ev;
	size_t n = holdback_take(&r->untimed, next_ns, record_ns, &ev);
	return n > 0 ? add(r, ev, n) : GO_ON;
}

/* %trace comes first, whatever the start of the first record. */
static void begin(struct reorder *r, size_t n)
{
	for (size_t i = 0; i < n && !r->begun; i++) {
		if (r->ev[i].kind == IOT_TRACE)
			r->ev[i].rec.start_ns = INT64_MIN;
		r->begun = r->ev[i].kind == IOT_RECORD;
	}
}

static void count(struct reorder *r, size_t n)
{
	int64_t latest = r->latest_ns;
	for (size_t i = 0; i < n; i++)
		if (r->ev[i].kind == IOT_RECORD && r->ev[i].rec.start_ns > latest)
			latest = r->ev[i].rec.start_ns;
	r->latest_ns = latest;
}

/* Keeps n events for the next record, except a %trace at the head. */
static int keep(struct reorder *r, const struct iot_event *ev, size_t n)
{
	int status = GO_ON;
	for (size_t i = 0; i < n && status == GO_ON; i++) {
		if (ev[i].rec.start_ns == INT64_MIN)
			status = add(r, &ev[i], 1);
		else if (!holdback_keep(&r->untimed, &ev[i], 1))
			status = report_failure(r, "out of memory");
	}
	if (status == GO_ON && holdback_full(&r->untimed))
		status = add_untimed(r, r->latest_ns, r->latest_ns);
	return status;
}

/* The sort key of events after the last record of a batch depends on the next record. */
static int sort(struct reorder *r, size_t n)
{
	size_t next = 0, first = 0, end = n;
	while (next < n && r->ev[next].rec.start_ns == INT64_MIN)
		next++;
	while (first < n && r->ev[first].kind != IOT_RECORD)
		first++;
	while (end > first && r->ev[end - 1].kind != IOT_RECORD)
		end--;
	if (first == n)
		return keep(r, r->ev, n);
	holdback_place(r->ev, end, INT64_MAX, INT64_MAX);
	int status = add_untimed(r, r->ev[next].rec.start_ns, r->ev[first].rec.start_ns);
	if (status == GO_ON)
		status = add(r, r->ev, end);
	return status == GO_ON ? keep(r, r->ev + end, n - end) : status;
}

static int take(struct reorder *r, size_t n)
{
	begin(r, n);
	count(r, n);
	if (scope_attach(&r->scopes, r->ev, n) != IOT_OK)
		return report_failure(r, r->error.text);
	int status = sort(r, n);
	if (status != GO_ON || !r->live)
		return status;
	const int64_t window = (int64_t)r->options->window_ns;
	if (sorter_set_watermark(r->sorter, r->latest_ns - window) != IOT_OK)
		return sorter_fault(r);
	status = drain(r);
	return status == GO_ON ? flush_if_idle(r) : status;
}

/* Entry point */

static ssize_t read_on(void *context, struct iot_event *ev, size_t max)
{
	struct reorder *r = context;
	return (ssize_t)trace_in_events(&r->in, ev, max);
}

static int take_rest(struct reorder *r)
{
	ssize_t n;
	int status = GO_ON;
	/* A thread that reads a pipe could not be interrupted. */
	struct event_queue *reading = event_queue_new(read_on, r, r->piped);
	while (reading != NULL && status == GO_ON && (n = event_queue_next(reading, &r->ev)) != 0) {
		status = n > 0 ? take(r, (size_t)n) : report_failure(r, "out of memory");
		if (signal_pending() != 0)
			status = EXIT_FAULT;
	}
	event_queue_free(reading);
	return reading != NULL ? status : report_failure(r, "out of memory");
}

static int sort_all(struct reorder *r, size_t n)
{
	int status = n > 0 ? take(r, n) : GO_ON;
	if (status == GO_ON && n > 0)
		status = take_rest(r);
	if (status == GO_ON)
		status = add_untimed(r, INT64_MAX, INT64_MAX);
	if (status == GO_ON && sorter_end(r->sorter) != IOT_OK)
		status = sorter_fault(r);
	return status == GO_ON ? drain_at_end(r) : status;
}

static int finish(struct reorder *r)
{
	/* Out of memory is not an error of the trace: the output is discarded. */
	if (r->in.status == IOT_ENOMEM)
		return EXIT_FAULT;
	if (trace_in_mark_lost(&r->in, r->writer) != IOT_OK || write_close(r->writer) != IOT_OK)
		return write_fault(r);
	progress_clear(&r->in.progress);
	if (trace_in_cut(&r->in))
		report_input_cut(r->write.path);
	r->report->kept = true;
	r->report->written = iot_writer_fact(r->writer, IOT_FACT_BYTES_STORED);
	return trace_in_exit(&r->in);
}

static int make(struct reorder *r)
{
	r->ev = r->head = malloc(TRACE_IN_BATCH * sizeof(*r->ev));
	r->out = malloc(TRACE_IN_BATCH * sizeof(*r->out));
	r->writer = iot_writer_new();
	r->sorter = sorter_new((size_t)r->options->memory, r->live ? SORTER_LIVE : SORTER_HOLD);
	if (scope_tracker_init(&r->scopes, &r->error) != IOT_OK || r->ev == NULL ||
	    r->out == NULL || r->writer == NULL || r->sorter == NULL)
		return report_failure(r, "out of memory");
	return GO_ON;
}

static int work(struct reorder *r)
{
	int status = make(r);
	if (status != GO_ON)
		return status;
	/* The first events precede the properties of the framing. */
	size_t n = trace_in_events(&r->in, r->ev, TRACE_IN_BATCH);
	if (n == 0 && trace_in_exit(&r->in) != EXIT_OK)
		return EXIT_FAULT;
	trace_in_keep_framing(&r->in, &r->write);
	status = write_open(r->writer, &r->write, r->options->command);
	if (status != EXIT_OK)
		return status;
	status = sort_all(r, n);
	return status == GO_ON ? finish(r) : status;
}

static void report(struct reorder *r)
{
	r->report->records = iot_reader_fact(r->in.reader, IOT_FACT_RECORDS);
	if (r->sorter == NULL)
		return;
	r->report->late = sorter_late(r->sorter);
	r->report->late_by_ns = sorter_late_by(r->sorter);
	r->report->runs = sorter_runs(r->sorter);
	r->report->spilled = sorter_spilled(r->sorter);
}

int reorder_trace(const struct reorder_options *o, const char *in, struct reorder_report *rep)
{
	struct reorder r = {.options = o,
			    .report = rep,
			    .write = o->write,
			    .latest_ns = 0,
			    .live = o->window_ns != NOT_GIVEN,
			    .piped = is_piped(in)};
	*rep = (struct reorder_report){.records = 0};
	struct read_options read = o->read;
	read.verified = true;
	trace_in_catch_signals(in, &read, o->write.path);
	int status = trace_in_open(&r.in, in, &read, o->command);
	if (status == EXIT_OK) {
		status = work(&r);
		report(&r);
		report_now(&r);
	}
	trace_in_close(&r.in);
	iot_writer_free(r.writer);
	sorter_free(r.sorter);
	scope_tracker_free(&r.scopes);
	holdback_free(&r.untimed);
	free(r.head);
	free(r.out);
	signals_restore();
	return status;
}
