/* SPDX-License-Identifier: BSD-2-Clause */
/* Input traces: a reader with command line messages. */
#include "trace_in_internal.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"

#include "being_written.h"
#include "foreign_file.h"
#include "piped.h"
#include "signals.h"
#include "source_warnings.h"
#include "lib/base/plural.h"

bool trace_in_refused(const char *path, const struct iot_reader *r, int status)
{
	if ((status != IOT_EFORMAT && status != IOT_EIO && status != IOT_ELIMIT) ||
	    iot_reader_fact(r, IOT_FACT_RECORDS) > 0 || iot_reader_fact(r, IOT_FACT_COMMENTS) > 0)
		return false;
	const enum foreign_file found = foreign_file_report(path);
	/* A pipe cannot be examined again. */
	if (found == FOREIGN_NOT && status == IOT_EFORMAT && strcmp(path, "-") == 0 &&
	    piped_detect(path))
		message_print("standard input: not a trace, or its first line is damaged");
	return found == FOREIGN_KNOWN;
}

/* A signal is not an error of the input; the end of the command reports it. */
static bool is_interrupted(const struct trace_in *in)
{
	return in->interruptible && (trace_in_cut(in) || signals_pending() != 0);
}

void trace_in_report_unverified(const char *path, uint64_t records, bool left_out)
{
	if (records == 0)
		return;
	if (left_out)
		message_print("%s: %ju %s", path, (uintmax_t)records,
			      plural(records,
				     "record before the damage cannot be verified and is left out; "
				     "--no-verify includes it",
				     "records before the damage cannot be verified and are left "
				     "out; --no-verify includes them"));
	else
		message_print("%s: %ju %s not verified", path, (uintmax_t)records,
			      plural(records, "record between the last %sync and the damage is",
				     "records between the last %sync and the damage are"));
}

static void report_unverified(const struct trace_in *in)
{
	trace_in_report_unverified(in->path, iot_reader_fact(in->reader, IOT_FACT_UNVERIFIED),
				   in->verified);
}

void trace_in_suggest_repair(const char *path)
{
	char shown[256];
	if (strcmp(path, "-") != 0 && !piped_detect(path) && !source_in_is_compressed(path))
		message_print("hint: iotrace check --repair -o OUT %s keeps what is intact",
			      escape_text(shown, sizeof shown, path, strlen(path)));
}

/* Once for each trace. */
static void suggest_repair(struct trace_in *in)
{
	const bool framed = in->log == NULL && iot_reader_fact(in->reader, IOT_FACT_FRAMED) != 0;
	if (framed && !in->quiet && !in->suggested)
		trace_in_suggest_repair(in->operand);
	in->suggested = true;
}

enum exit_status trace_in_fail(struct trace_in *in, int status)
{
	progress_clear(&in->progress);
	in->status = status;
	/* an input that is probed is read again, and then reports its errors */
	if ((in->probes && in->reader != NULL) || is_interrupted(in))
		return EXIT_FAILED;
	const char *sentence = in->reader != NULL ? iot_reader_error(in->reader) : "";
	if (*sentence == '\0')
		sentence = iot_source_error(in->source);
	if (in->reader != NULL && trace_in_refused(in->operand, in->reader, status))
		return EXIT_FAILED;
	message_print("%s", *sentence != '\0' ? sentence : "out of memory");
	if (in->reader != NULL && error_in_input(status)) {
		report_unverified(in);
		suggest_repair(in);
	}
	return EXIT_FAILED;
}

enum record_layer trace_in_layer(const struct trace_in *in)
{
	return in->filter.layer;
}

bool trace_in_is_physical(const struct trace_in *in)
{
	return in->filter.layer == LAYER_PHYSICAL;
}

/* A reader in recovery mode does not fail; the damage that it skipped is reported nevertheless. */
static void report_lost(struct trace_in *in)
{
	uint64_t places = iot_reader_fact(in->reader, IOT_FACT_LOST);
	uint64_t records = iot_reader_fact(in->reader, IOT_FACT_LOST_RECORDS);
	char lost[32];
	progress_clear(&in->progress);
	if (in->probes)
		return;
	if (places > 0 && !in->reported_lost)
		message_print("%s: damaged (gaps: %ju, records lost: %s)", in->path,
			      (uintmax_t)places, message_lost(lost, sizeof lost, records));
	if (places > 0 && !in->reported_lost && in->status == IOT_OK)
		report_unverified(in);
	if (places > 0)
		suggest_repair(in);
	in->reported_lost = true;
}

void trace_in_show_progress(struct trace_in *in)
{
	uint64_t done, total;
	if (iot_reader_progress(in->reader, &done, &total) == IOT_OK)
		progress_show(&in->progress, done, total,
			      iot_reader_fact(in->reader, IOT_FACT_RECORDS));
}

bool trace_in_cut(const struct trace_in *in)
{
	return source_in_cut(in->source);
}

static void end_of_input(struct trace_in *in)
{
	in->ended = true;
	report_lost(in);
}

/* A writer that has ended since has completed the trace, or was killed. */
static bool ends_for_now(struct trace_in *in, ssize_t got)
{
	in->grows = in->growing && got == IOT_ETRUNCATED && being_written_at(in->operand);
	return in->grows;
}

/*
 * A range whose bytes come from elsewhere has to be complete: the transfer, not the trace, is the
 * cause if it is not.
 */
static void check_alone(struct trace_in *in)
{
	const uint64_t bytes = iot_reader_fact(in->reader, IOT_FACT_BYTES_STORED);
	if (in->alone_bytes == 0 || bytes == in->alone_bytes)
		return;
	message_print("%s: %ju bytes have been read of a part with %ju", in->path, (uintmax_t)bytes,
		      (uintmax_t)in->alone_bytes);
	in->partial = true;
}

static size_t take(struct trace_in *in, ssize_t got)
{
	if (ends_for_now(in, got))
		got = 0;
	if (in->interruptible && signals_pending() != 0)
		got = IOT_ETRUNCATED;
	if (got < 0)
		trace_in_fail(in, (int)got);
	else if (got == 0)
		end_of_input(in);
	if (got <= 0) {
		progress_clear(&in->progress);
		check_alone(in);
		return 0;
	}
	in->delivered = true;
	trace_in_show_progress(in);
	return (size_t)got;
}

/* All events as one part. */
static int fold_serially(struct trace_in *in, const struct iot_fold *fold)
{
	struct iot_event ev[TRACE_IN_BATCH];
	size_t n;
	int status = IOT_OK;
	void *part = fold->begin(fold->context);
	if (part == NULL)
		return IOT_ENOMEM;
	while (status == IOT_OK && (n = trace_in_events(in, ev, TRACE_IN_BATCH)) > 0)
		status = fold->events(part, ev, n);
	if (status == IOT_OK)
		return fold->join(fold->context, part);
	fold->drop(fold->context, part);
	return status;
}

void trace_in_fold(struct trace_in *in, const struct iot_fold *fold)
{
	if (in->status != IOT_OK)
		return;
	if (in->held == NULL && !in->filters) {
		take(in, iot_reader_fold(in->reader, fold));
		in->delivered = iot_reader_fact(in->reader, IOT_FACT_RECORDS) > 0 ||
				iot_reader_fact(in->reader, IOT_FACT_COMMENTS) > 0;
		return;
	}
	const int status = fold_serially(in, fold);
	if (status != IOT_OK)
		trace_in_fail(in, status);
}

static size_t take_held(struct trace_in *in, struct iot_event *ev, size_t max)
{
	const size_t left = in->held_count - in->held_at, n = left < max ? left : max;
	memcpy(ev, in->held + in->held_at, n * sizeof *ev);
	in->held_at += n;
	in->delivered = true;
	return n;
}

/* Returns the events of the layer, which can be none of n. */
static size_t filter(struct trace_in *in, struct iot_event *ev, size_t n)
{
	const size_t kept = layer_filter_events(&in->filter, ev, n);
	if (kept != SIZE_MAX)
		return kept;
	trace_in_fail(in, IOT_ENOMEM);
	return 0;
}

size_t trace_in_events(struct trace_in *in, struct iot_event *ev, size_t max)
{
	size_t n, kept = 0;
	if (in->held != NULL && in->held_at < in->held_count)
		return take_held(in, ev, max);
	do {
		if (in->status != IOT_OK)
			return 0;
		n = take(in, iot_reader_events(in->reader, ev, max));
		if (n > 0)
			in->ends_with_lost = ev[n - 1].kind == IOT_LOST;
		kept = in->filters ? filter(in, ev, n) : n;
	} while (n > 0 && kept == 0);
	return kept;
}

size_t trace_in_records(struct trace_in *in, struct iot_record *rec, size_t max)
{
	return in->status == IOT_OK ? take(in, iot_reader_records(in->reader, rec, max)) : 0;
}

static int next_events(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct trace_in *in = context;
	(void)self;
	b->count = trace_in_events(in, b->events, b->capacity);
	return b->count > 0;
}

struct iot_stream *trace_in_stream(struct trace_in *in)
{
	static const struct iot_stage stage = {.next = next_events};
	return iot_stream_new(NULL, &stage, in);
}

bool trace_in_seek(struct trace_in *in, enum iot_seek what, uint64_t value)
{
	if (in->status != IOT_OK)
		return false;
	const int status = iot_reader_seek(in->reader, what, value);
	if (status != IOT_OK)
		trace_in_fail(in, status);
	return status == IOT_OK;
}

bool trace_in_seekable(const struct trace_in *in)
{
	uint64_t done, total;
	return in->log == NULL && iot_reader_progress(in->reader, &done, &total) == IOT_OK &&
	       total > 0;
}

enum exit_status trace_in_exit(const struct trace_in *in, bool made)
{
	if (in->partial)
		return EXIT_FAILED;
	const bool unparsed = in->log != NULL && source_is_mostly_unparsed(in->source);
	if (in->status == IOT_OK && iot_reader_fact(in->reader, IOT_FACT_LOST) == 0)
		return unparsed ? EXIT_DAMAGED : EXIT_OK;
	return made && in->status != IOT_ENOMEM ? EXIT_DAMAGED : EXIT_FAILED;
}

/* A reader's thread may be waiting for a pipe. */
static void stop_waiting(struct trace_in *in)
{
	(void)trace_in_cut(in);
	for (int n = 0; n < INTERRUPT_QUIT; n++)
		iot_source_cancel(in->source);
}

void trace_in_close(struct trace_in *in)
{
	progress_clear(&in->progress);
	if (in->reader != NULL)
		stop_waiting(in);
	iot_reader_free(in->reader);
	layer_filter_free(&in->filter);
	free(in->held);
	free(in->held_text);
	if (in->opened && !in->probes && in->log != NULL && signals_pending() == 0 &&
	    (in->quiet ? in->status == IOT_OK : in->status != IOT_ENOMEM))
		source_in_warn(in->source, in->names_input ? in->operand : NULL, in->ended,
			       in->quiet);
	iot_source_free(in->source);
	memset(in, 0, sizeof *in);
}
