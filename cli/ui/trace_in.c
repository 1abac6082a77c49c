/* SPDX-License-Identifier: BSD-2-Clause */
/* Input traces: a reader with command line messages. */
#include "trace_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/thread.h"
#include "signals.h"

#include "being_written.h"
#include "file_content.h"
#include "foreign_file.h"
#include "piped.h"
#include "same_file.h"
#include "source_warnings.h"

enum { THREADS_MIN = 3, THREADS_MAX = 8 };

static void warn(void *context, const char *sentence)
{
	struct trace_in *in = context;
	if (in->quiet)
		return;
	progress_clear(&in->progress);
	message_print("warning: %s", sentence);
}

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

/* The number of records, delivered or not, of the damaged interval. */
static void report_unverified(const struct trace_in *in)
{
	const uintmax_t records = iot_reader_fact(in->reader, IOT_FACT_UNVERIFIED);
	if (records == 0)
		return;
	if (in->verified)
		message_print(
		    "%s: %ju records before the damage cannot be verified and are left out; "
		    "--no-verify includes them",
		    in->path, records);
	else
		message_print("%s: %ju records between the last %%sync and the damage are not "
			      "verified",
			      in->path, records);
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

static enum exit_status fail(struct trace_in *in, int status)
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

/*
 * Uses the available processors: with two, a thread that decompresses ahead is faster than parallel
 * decoding, whose records pass through memory once more, unless they are only counted.
 */
static unsigned threads(bool counted)
{
	const unsigned n = cpu_count();
	if (n < THREADS_MIN && !counted)
		return 1;
	return n < THREADS_MAX ? n : THREADS_MAX;
}

static int apply(struct iot_reader *r, const struct trace_in_options *o)
{
	int status = iot_reader_set(r, IOT_SET_VERIFY, o->no_verify ? 0 : 1);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_VERIFIED, o->verified ? 1 : 0);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_RECOVER, o->recover ? 1 : 0);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_ALLOW_EMPTY, o->allow_empty ? 1 : 0);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_NAMES, !o->no_names);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_READ_AHEAD, !o->probes);
	if (status == IOT_OK && (o->side_by_side || o->threads > 0))
		status = iot_reader_set(r, IOT_SET_THREADS,
					o->threads > 0 ? o->threads : threads(o->counted));
	if (status == IOT_OK && o->read_size > 0)
		status = iot_reader_set(r, IOT_SET_READ_SIZE, o->read_size);
	if (status == IOT_OK && o->base != NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_BASE, o->base);
	if (status == IOT_OK && o->tick_ns != NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_TICK_NS, o->tick_ns);
	return status;
}

void trace_in_catch_signals(const char *path, struct trace_in_options *o, const char *out)
{
	o->interruptible = true;
	o->out = out;
	signals_catch(piped_detect(path) ? SIGNALS_PIPE : SIGNALS_FILES, out, o->quiet);
}

static void show_reading(void *context, uint64_t done, uint64_t total, uint64_t records)
{
	struct trace_in *in = context;
	progress_show(&in->progress, done, total, records);
}

/* No file of IN may be the one that is written. */
static enum exit_status check_files(const struct trace_in *in, const struct trace_in_options *o,
				    const struct command_spec *cmd)
{
	struct same_file_set files = {.command = cmd};
	enum exit_status status = EXIT_OK;
	const char *path;
	if (in->log == NULL || o->out == NULL)
		return EXIT_OK;
	same_file_add(&files, ROLE_TRACE, o->out);
	for (size_t i = 0; status == EXIT_OK && (path = iot_source_file(in->source, i)); i++)
		status = same_file_check_member(&files, path);
	same_file_free(&files);
	return status;
}

/* A range that does not match the input is an error of the plan, not damage. */
static enum exit_status limit_to_range(struct trace_in *in, const struct trace_in_options *o)
{
	const int status = iot_reader_set_range(in->reader, o->range, o->alone);
	if (status == IOT_OK) {
		in->alone_bytes = o->alone ? o->range->part.to - o->range->part.from : 0;
		return EXIT_OK;
	}
	in->status = status;
	in->opened = false;
	message_print("%s", iot_reader_error(in->reader));
	return EXIT_FAILED;
}

static enum exit_status open_reader(struct trace_in *in, const struct trace_in_options *o)
{
	in->reader = iot_reader_new();
	if (in->reader == NULL)
		return fail(in, IOT_ENOMEM);
	iot_reader_on_warning(in->reader, warn, in);
	int status = apply(in->reader, o);
	if (status == IOT_OK)
		status = iot_source_open_reader(in->source, in->reader);
	in->opened = status == IOT_OK;
	if (status == IOT_OK && o->range != NULL)
		return limit_to_range(in, o);
	return status == IOT_OK ? EXIT_OK : fail(in, status);
}

/* Returns physical if the events have records, all of which are physical. */
static enum record_layer layer_of(const struct iot_event *ev, size_t n)
{
	enum record_layer layer = LAYER_DEFAULT;
	for (size_t i = 0; i < n && layer != LAYER_LOGICAL; i++)
		if (ev[i].kind == IOT_RECORD)
			layer = ev[i].rec.type & IOT_LOGICAL ? LAYER_LOGICAL : LAYER_PHYSICAL;
	return layer == LAYER_PHYSICAL ? layer : LAYER_LOGICAL;
}

static void report_physical(const struct trace_in_options *o, const char *why)
{
	if (!o->quiet || !o->shows_layer)
		message_print("%s: physical ones are used (--layer=physical)", why);
}

/* Copies the text of an event, which the next pull invalidates. */
static bool keep_text(struct trace_in *in, struct iot_event *ev)
{
	in->held_text = malloc(ev->text.size + 1);
	if (in->held_text == NULL)
		return false;
	if (ev->text.size > 0)
		memcpy(in->held_text, ev->text.data, ev->text.size);
	ev->text.data = in->held_text;
	return true;
}

/*
 * Determines the layer from the first events, which are held, as the input is read once. The
 * reader itself loads a state, so only its first line is held.
 */
static enum exit_status peek_layer(struct trace_in *in, const struct trace_in_options *o)
{
	struct iot_event *ev = malloc(TRACE_IN_BATCH * sizeof *ev);
	in->held = ev;
	size_t n = ev != NULL ? trace_in_events(in, ev, 1) : 0;
	if (ev == NULL || (n > 0 && !keep_text(in, ev)))
		return fail(in, IOT_ENOMEM);
	if (n > 0 && !file_content_is_state(ev))
		n += trace_in_events(in, ev + 1, TRACE_IN_BATCH - 1);
	in->held_count = n;
	in->filter.layer = layer_of(in->held, in->held_count);
	if (in->filter.layer == LAYER_PHYSICAL)
		report_physical(o, "the first records are physical");
	return EXIT_OK;
}

enum record_layer trace_in_layer(const struct trace_in *in)
{
	return in->filter.layer;
}

bool trace_in_is_physical(const struct trace_in *in)
{
	return in->filter.layer == LAYER_PHYSICAL;
}

enum exit_status trace_in_open(struct trace_in *in, const char *path,
			       const struct trace_in_options *o, const struct command_spec *cmd)
{
	memset(in, 0, sizeof *in);
	if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
		return options_wrong(cmd, "standard input is a terminal; name a trace");
	in->quiet = o->quiet;
	in->verified = o->verified;
	in->interruptible = o->interruptible;
	in->names_input = o->names_input;
	in->probes = o->probes;
	in->growing = o->growing;
	in->filter.layer = o->layer;
	in->filters = (o->layer == LAYER_POSIX || o->layer == LAYER_MPIIO) && !o->mixes_layers;
	in->operand = path;
	escape_text(in->path, sizeof in->path, path, strlen(path));
	progress_begin(&in->progress, o->progress, o->quiet, o->out);
	struct source_in_options source = o->source;
	if (o->range != NULL || (o->trace != NULL && strcmp(o->trace, path) == 0))
		source.format = "iotrace"; /* the first bytes need not be read to detect it */
	enum exit_status status = source_in_open(&in->source, path, &source, o->interruptible, cmd);
	if (status != EXIT_OK) {
		in->status = IOT_EIO;
		return status;
	}
	in->log = source_in_is_trace(in->source) ? NULL : iot_source_name(in->source);
	if (in->progress.on && in->log != NULL)
		iot_source_on_progress(in->source, show_reading, in);
	status = check_files(in, o, cmd);
	if (status == EXIT_OK)
		status = open_reader(in, o);
	if (status == EXIT_OK && o->selects_layer && o->layer == LAYER_DEFAULT)
		status = peek_layer(in, o);
	return status;
}

/* Returns false at a logical record. */
static bool search_layer(const struct iot_record *rec, size_t n, enum record_layer *layer)
{
	for (size_t i = 0; i < n && *layer != LAYER_LOGICAL; i++)
		*layer = rec[i].type & IOT_LOGICAL ? LAYER_LOGICAL : LAYER_PHYSICAL;
	return *layer != LAYER_LOGICAL;
}

bool trace_in_find_layer(struct trace_in *in, const struct trace_in_options *o)
{
	struct iot_record rec[TRACE_IN_BATCH];
	enum record_layer layer = LAYER_DEFAULT;
	ssize_t n;
	in->quiet = true; /* what is read again warns then */
	while ((n = iot_reader_records(in->reader, rec, TRACE_IN_BATCH)) > 0 &&
	       search_layer(rec, (size_t)n, &layer) && in->filter.layer == LAYER_DEFAULT)
		;
	in->quiet = o->quiet;
	if (n < 0 && iot_reader_seek(in->reader, IOT_SEEK_RECORD, 0) != IOT_OK)
		in->status = (int)n; /* choosing the range reports it */
	if (in->filter.layer != LAYER_DEFAULT)
		return layer != LAYER_DEFAULT;
	in->filter.layer = layer == LAYER_DEFAULT ? LAYER_LOGICAL : layer;
	if (layer == LAYER_PHYSICAL)
		report_physical(o, "no logical records");
	return layer != LAYER_DEFAULT;
}

/*
 * The same of events, of which samples of hosts count as logical: a trace of samples would be read
 * twice otherwise.
 */
static bool search_events(const struct iot_event *ev, size_t n, enum record_layer *layer)
{
	static const char sample[] = "%sample ";
	for (size_t i = 0; i < n && *layer != LAYER_LOGICAL; i++)
		if (ev[i].kind == IOT_RECORD)
			(void)search_layer(&ev[i].rec, 1, layer);
		else if (ev[i].text.size >= sizeof sample - 1 &&
			 memcmp(ev[i].text.data, sample, sizeof sample - 1) == 0)
			*layer = LAYER_LOGICAL;
	return *layer != LAYER_LOGICAL;
}

/* Reads an input up to a logical record. Stores whether it has one, or has physical ones only. */
static enum exit_status probe_layer(const char *path, const struct trace_in_options *o,
				    const struct command_spec *cmd, enum record_layer *layer,
				    bool *is_trace)
{
	struct iot_record rec[TRACE_IN_BATCH];
	struct iot_event ev[TRACE_IN_BATCH];
	struct trace_in in;
	const enum exit_status status = trace_in_open(&in, path, o, cmd);
	const bool opened = in.opened, reported = in.reader == NULL;
	*is_trace = opened && in.log == NULL;
	size_t n = opened ? trace_in_events(&in, ev, TRACE_IN_BATCH) : 0;
	bool searches = n > 0 && search_events(ev, n, layer);
	while (searches && (n = trace_in_records(&in, rec, TRACE_IN_BATCH)) > 0)
		searches = search_layer(rec, n, layer);
	trace_in_close(&in);
	return reported ? status : EXIT_OK;
}

enum exit_status trace_in_choose_layer(struct trace_in_options *o, char **paths, size_t n,
				       const struct command_spec *cmd)
{
	struct trace_in_options probe = *o;
	enum record_layer layer = LAYER_DEFAULT;
	enum exit_status status = EXIT_OK;
	bool is_trace = false;
	o->selects_layer = true;
	static char standard_input[] = "-"; /* o->trace may refer to it */
	char *none[] = {standard_input};
	if (o->layer != LAYER_DEFAULT)
		return EXIT_OK;
	if (n == 0) {
		paths = none;
		n = 1;
	}
	probe.quiet = probe.probes = probe.allow_empty = true;
	for (size_t i = 0; i < n && status == EXIT_OK && layer != LAYER_LOGICAL; i++) {
		if (!piped_begins_file(paths[i])) {
			o->layer = n > 1 ? LAYER_LOGICAL : LAYER_DEFAULT;
			return EXIT_OK;
		}
		status = probe_layer(piped_name_again(paths[i]), &probe, cmd, &layer, &is_trace);
	}
	o->trace = n == 1 && is_trace ? paths[0] : NULL;
	o->layer = layer == LAYER_DEFAULT ? LAYER_LOGICAL : layer;
	if (layer == LAYER_PHYSICAL && status == EXIT_OK)
		report_physical(o, "no logical records");
	return status;
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
		fail(in, (int)got);
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
		fail(in, status);
}

static size_t take_held(struct trace_in *in, struct iot_event *ev, size_t max)
{
	const size_t left = in->held_count - in->held_at, n = left < max ? left : max;
	memcpy(ev, in->held + in->held_at, n * sizeof *ev);
	in->held_at += n;
	return n;
}

/* Returns the events of the layer, which can be none of n. */
static size_t filter(struct trace_in *in, struct iot_event *ev, size_t n)
{
	const size_t kept = layer_filter_events(&in->filter, ev, n);
	if (kept != SIZE_MAX)
		return kept;
	fail(in, IOT_ENOMEM);
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
		fail(in, status);
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

void trace_in_keep_framing(const struct trace_in *in, struct trace_out_options *o)
{
	const bool framed = iot_reader_fact(in->reader, IOT_FACT_FRAMED) != 0;
	if (o->tick_ns == NOT_GIVEN)
		o->tick_ns = iot_reader_fact(in->reader, IOT_FACT_TICK_NS);
	if (o->base == NOT_GIVEN)
		o->base = iot_reader_fact(in->reader, IOT_FACT_BASE);
	if (o->sync == NOT_GIVEN && framed && in->log == NULL)
		o->sync = iot_reader_fact(in->reader, IOT_FACT_SYNC);
	if (o->version == NOT_GIVEN && framed && in->log == NULL)
		o->version = iot_reader_fact(in->reader, IOT_FACT_VERSION);
	if (!framed && !o->framed)
		o->bare = true;
	if (!in->quiet)
		trace_out_note_bare(o);
}

int trace_in_mark_lost(const struct trace_in *in, struct iot_writer *w)
{
	char memory[128];
	const bool cut = trace_in_cut(in);
	const char *why = cut                            ? "interrupted"
			  : in->status == IOT_ETRUNCATED ? "truncated"
							 : "damaged";
	struct iot_builder b;
	struct iot_event ev;
	/* A reader that recovers has reported the gap that reaches the end of the input. */
	const bool marked =
	    in->ends_with_lost &&
	    (in->log != NULL || (!cut && iot_reader_fact(in->reader, IOT_FACT_LOST) > 0));
	if (in->status == IOT_OK || marked)
		return IOT_OK;
	iot_directive_begin(&b, memory, sizeof memory, "lost");
	if (cut)
		iot_directive_number(&b, "time", iot_writer_fact(w, IOT_FACT_LAST_NS));
	iot_directive_text(&b, "why", why, strlen(why));
	int status = iot_directive_end(&b, &ev);
	return status == IOT_OK ? iot_writer_events(w, &ev, 1) : status;
}

enum exit_status trace_in_finish(struct trace_in *in, struct iot_writer *w,
				 const struct trace_out_options *o, int status)
{
	/* Out of memory is not an error of the trace: the output is discarded. */
	if (signals_pending() != 0)
		trace_out_report_discarded(o->path);
	if (in->status == IOT_ENOMEM || in->partial || signals_pending() != 0)
		return EXIT_FAILED;
	if (status == IOT_OK)
		status = trace_in_mark_lost(in, w);
	if (status == IOT_OK)
		status = trace_out_close(w);
	progress_clear(&in->progress);
	if (status == IOT_OK && trace_in_cut(in))
		trace_out_report_cut(o->path);
	if (status == IOT_ENOMEM)
		return message_no_memory();
	return status == IOT_OK ? trace_in_exit(in, true) : trace_out_error(w, o);
}

static enum exit_status copy(struct trace_in *in, struct iot_stream *s, struct iot_batch *b,
			     struct iot_writer *w, const struct trace_out_options *options,
			     const struct command_spec *cmd)
{
	struct trace_out_options o = *options;
	/* The first events precede the properties of the framing. */
	int got = iot_stream_next(s, b);
	enum exit_status status = got < 0    ? message_no_memory()
				  : got == 0 ? trace_in_exit(in, false)
					     : EXIT_OK;
	if (status != EXIT_OK)
		return status;
	trace_in_keep_framing(in, &o);
	status = trace_out_open(w, &o, cmd);
	if (status != EXIT_OK)
		return status;
	int written = IOT_OK;
	for (; got > 0 && written == IOT_OK; got = iot_stream_next(s, b))
		written = iot_writer_events(w, b->events, b->count);
	status = trace_in_finish(in, w, &o, written == IOT_OK ? got : written);
	in->copied = iot_writer_fact(w, IOT_FACT_COMPLETE) != 0;
	return status;
}

enum exit_status trace_in_copy(struct trace_in *in, struct iot_stream *s,
			       const struct trace_out_options *o, const struct command_spec *cmd)
{
	struct iot_batch *b = iot_batch_new(TRACE_IN_BATCH);
	struct iot_writer *w = iot_writer_new();
	const enum exit_status status =
	    s != NULL && b != NULL && w != NULL ? copy(in, s, b, w, o, cmd) : message_no_memory();
	iot_writer_free(w);
	iot_batch_free(b);
	iot_stream_free(s);
	return status;
}

int trace_in_descriptor(const char *path, struct stat *st)
{
	const int fd =
	    strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	const bool fine = fd >= 0 && fstat(fd, st) == 0;
	if (fine && !S_ISDIR(st->st_mode))
		return fd;
	char why[128];
	snprintf(why, sizeof why, "cannot be %s: %s", fine ? "read" : "opened",
		 strerror(fine ? EISDIR : errno));
	if (fd > STDIN_FILENO)
		(void)close(fd);
	message_print_about(path, "%s", why);
	return -1;
}
