/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader -> sorter -> writer. All of the trace is held, or, with a window, what starts later than
 * the latest start less the window. %process and %file go with the records they are about
 * (lib/retold.h), undated comments with the record that follows them. A thread reads ahead, and when
 * all is held another one merges ahead of the writer.
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

/* How a step ends, beside IOT_EXIT_...: all is well. */
enum { GO_ON = -1 };

struct reorder {
	const struct iot_reorder_options *options;
	struct iot_reorder_report *report;
	struct iot_write_options write;
	struct iot_in in;
	struct iot_writer *writer;
	struct iot_sorter *sorter;
	struct iot_retold retold;
	struct iot_undated undated;
	struct iot_error error; /* of retold */
	struct iot_event *ev;   /* the batch that was read */
	struct iot_event *head; /* the first one */
	struct iot_event *out;  /* live */
	int64_t latest_ns;      /* start */
	bool live, piped, begun, write_failed;
	char fault[sizeof(((struct iot_error *)0)->text)];
};

/* Said at the end, when no thread is at work any more. */
static int tell(struct reorder *r, const char *sentence)
{
	if (r->fault[0] == '\0')
		snprintf(r->fault, sizeof(r->fault), "%s", sentence);
	return IOT_EXIT_FAULT;
}

static int write_fault(struct reorder *r)
{
	r->write_failed = true;
	return IOT_EXIT_FAULT;
}

static void tell_now(struct reorder *r)
{
	iot_progress_clear(&r->in.progress);
	if (iot_signal_pending() != 0)
		return;
	if (r->fault[0] != '\0')
		iot_message("%s", r->fault);
	else if (r->write_failed)
		(void)iot_write_fault(r->writer, &r->write);
}

/* Out */

static int put(void *context, const struct iot_event *ev, size_t n)
{
	struct reorder *r = context;
	return iot_writer_events(r->writer, ev, n);
}

static ssize_t merge(void *context, struct iot_event *ev, size_t max)
{
	struct reorder *r = context;
	return iot_sorter_events(r->sorter, ev, max);
}

static int write_sorted(struct reorder *r, struct iot_event *ev, size_t n)
{
	if (iot_retold_out(&r->retold, ev, n, put, r) == IOT_OK)
		return iot_signal_pending() != 0 ? IOT_EXIT_FAULT : GO_ON;
	return r->error.status != IOT_OK ? tell(r, r->error.text) : write_fault(r);
}

static int sorter_fault(struct reorder *r)
{
	return tell(r, iot_sorter_error(r->sorter)->text);
}

/* All that may be written by now. */
static int drain(struct reorder *r)
{
	ssize_t n;
	int status = GO_ON;
	while (status == GO_ON && (n = iot_sorter_events(r->sorter, r->out, IOT_IN_BATCH)) != 0)
		status = n > 0 ? write_sorted(r, r->out, (size_t)n) : sorter_fault(r);
	return status;
}

static int drain_at_end(struct reorder *r)
{
	struct iot_event *ev;
	ssize_t n = 0;
	int status = GO_ON;
	struct iot_relay *merging = iot_relay_new(merge, r, false);
	while (merging != NULL && status == GO_ON && (n = iot_relay_next(merging, &ev)) > 0) {
		status = write_sorted(r, ev, (size_t)n);
		iot_progress_show_written(&r->in.progress,
					  iot_writer_fact(r->writer, IOT_FACT_RECORDS),
					  iot_reader_fact(r->in.reader, IOT_FACT_RECORDS));
	}
	iot_relay_free(merging);
	if (merging == NULL || n == IOT_ENOMEM)
		return tell(r, "out of memory for sorting");
	return n < 0 ? sorter_fault(r) : status;
}

/* Somebody may be waiting for what has come so far, where nothing more is there to be read. */
static int flush_if_idle(struct reorder *r)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	if (!r->piped || poll(&in, 1, 0) != 0)
		return GO_ON;
	return iot_writer_flush(r->writer) == IOT_OK ? GO_ON : write_fault(r);
}

/* In */

static int add(struct reorder *r, const struct iot_event *ev, size_t n)
{
	if (iot_sorter_add(r->sorter, ev, n) != IOT_OK)
		return sorter_fault(r);
	return GO_ON;
}

static int add_undated(struct reorder *r, int64_t next_ns, int64_t record_ns)
{
	const struct iot_event *ev;
	size_t n = iot_undated_take(&r->undated, next_ns, record_ns, &ev);
	return n > 0 ? add(r, ev, n) : GO_ON;
}

/* %trace comes first wherever the first record goes. */
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

/* Keeps n events for the next record, but for a %trace that stands at the head. */
static int keep(struct reorder *r, const struct iot_event *ev, size_t n)
{
	int status = GO_ON;
	for (size_t i = 0; i < n && status == GO_ON; i++) {
		if (ev[i].rec.start_ns == INT64_MIN)
			status = add(r, &ev[i], 1);
		else if (!iot_undated_keep(&r->undated, &ev[i], 1))
			status = tell(r, "out of memory");
	}
	if (status == GO_ON && iot_undated_full(&r->undated))
		status = add_undated(r, r->latest_ns, r->latest_ns);
	return status;
}

/* The place of what stands behind the last record of a batch depends on the next record. */
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
	iot_undated_place(r->ev, end, INT64_MAX, INT64_MAX);
	int status = add_undated(r, r->ev[next].rec.start_ns, r->ev[first].rec.start_ns);
	if (status == GO_ON)
		status = add(r, r->ev, end);
	return status == GO_ON ? keep(r, r->ev + end, n - end) : status;
}

static int take(struct reorder *r, size_t n)
{
	begin(r, n);
	count(r, n);
	if (iot_retold_in(&r->retold, r->ev, n) != IOT_OK)
		return tell(r, r->error.text);
	int status = sort(r, n);
	if (status != GO_ON || !r->live)
		return status;
	const int64_t window = (int64_t)r->options->window_ns;
	if (iot_sorter_release(r->sorter, r->latest_ns - window) != IOT_OK)
		return sorter_fault(r);
	status = drain(r);
	return status == GO_ON ? flush_if_idle(r) : status;
}

/* All of it */

static ssize_t read_on(void *context, struct iot_event *ev, size_t max)
{
	struct reorder *r = context;
	return (ssize_t)iot_in_events(&r->in, ev, max);
}

static int take_rest(struct reorder *r)
{
	ssize_t n;
	int status = GO_ON;
	/* A thread could not be told to leave a pipe. */
	struct iot_relay *reading = iot_relay_new(read_on, r, r->piped);
	while (reading != NULL && status == GO_ON && (n = iot_relay_next(reading, &r->ev)) != 0) {
		status = n > 0 ? take(r, (size_t)n) : IOT_EXIT_FAULT;
		if (iot_signal_pending() != 0)
			status = IOT_EXIT_FAULT;
	}
	iot_relay_free(reading);
	return reading != NULL ? status : tell(r, "out of memory");
}

static int sort_all(struct reorder *r, size_t n)
{
	int status = n > 0 ? take(r, n) : GO_ON;
	if (status == GO_ON && n > 0)
		status = take_rest(r);
	if (status == GO_ON)
		status = add_undated(r, INT64_MAX, INT64_MAX);
	if (status == GO_ON && iot_sorter_end(r->sorter) != IOT_OK)
		status = sorter_fault(r);
	return status == GO_ON ? drain_at_end(r) : status;
}

static int finish(struct reorder *r)
{
	/* What memory did not suffice for is not the fault of the trace: nothing is kept. */
	if (r->in.status == IOT_ENOMEM)
		return IOT_EXIT_FAULT;
	if (iot_in_mark_lost(&r->in, r->writer) != IOT_OK || iot_write_close(r->writer) != IOT_OK)
		return write_fault(r);
	iot_progress_clear(&r->in.progress);
	if (iot_in_cut(&r->in))
		iot_tell_cut(r->write.path);
	r->report->kept = true;
	r->report->written = iot_writer_fact(r->writer, IOT_FACT_BYTES_STORED);
	return iot_in_exit(&r->in);
}

static int make(struct reorder *r)
{
	r->ev = r->head = malloc(IOT_IN_BATCH * sizeof(*r->ev));
	r->out = malloc(IOT_IN_BATCH * sizeof(*r->out));
	r->writer = iot_writer_new();
	r->sorter =
	    iot_sorter_new((size_t)r->options->memory, r->live ? IOT_SORTER_LIVE : IOT_SORTER_HOLD);
	if (iot_retold_init(&r->retold, &r->error) != IOT_OK || r->ev == NULL || r->out == NULL ||
	    r->writer == NULL || r->sorter == NULL)
		return tell(r, "out of memory");
	return GO_ON;
}

static int work(struct reorder *r)
{
	int status = make(r);
	if (status != GO_ON)
		return status;
	/* The first events come before the facts about framing are known. */
	size_t n = iot_in_events(&r->in, r->ev, IOT_IN_BATCH);
	if (n == 0 && iot_in_exit(&r->in) != IOT_EXIT_OK)
		return IOT_EXIT_FAULT;
	iot_in_keep_framing(&r->in, &r->write);
	status = iot_write_open(r->writer, &r->write, r->options->command);
	if (status != IOT_EXIT_OK)
		return status;
	status = sort_all(r, n);
	return status == GO_ON ? finish(r) : status;
}

static void report(struct reorder *r)
{
	r->report->records = iot_reader_fact(r->in.reader, IOT_FACT_RECORDS);
	if (r->sorter == NULL)
		return;
	r->report->late = iot_sorter_late(r->sorter);
	r->report->late_by_ns = iot_sorter_late_by(r->sorter);
	r->report->runs = iot_sorter_runs(r->sorter);
	r->report->spilled = iot_sorter_spilled(r->sorter);
}

int iot_reorder(const struct iot_reorder_options *o, const char *in, struct iot_reorder_report *rep)
{
	struct reorder r = {.options = o,
			    .report = rep,
			    .write = o->write,
			    .latest_ns = 0,
			    .live = o->window_ns != IOT_NOT_GIVEN,
			    .piped = iot_is_piped(in)};
	*rep = (struct iot_reorder_report){.records = 0};
	struct iot_read_options read = o->read;
	read.verified = true;
	iot_in_catch_signals(in, &read, o->write.path);
	int status = iot_in_open(&r.in, in, &read, o->command);
	if (status == IOT_EXIT_OK) {
		status = work(&r);
		report(&r);
		tell_now(&r);
	}
	iot_in_close(&r.in);
	iot_writer_free(r.writer);
	iot_sorter_free(r.sorter);
	iot_retold_free(&r.retold);
	iot_undated_free(&r.undated);
	free(r.head);
	free(r.out);
	iot_signals_restore();
	return status;
}
