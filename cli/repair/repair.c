/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repair reads twice: first to determine which intervals are valid and where they belong, then to
 * pass the kept ones through a reader to a writer.
 */
#include "repair.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/verify/verify.h"

#include "cli/ui/foreign_file.h"
#include "repair_source.h"
#include "cli/ui/signals.h"

static const char cut_short[] = "cut%20short";

struct repair {
	const struct repair_options *options;
	const char *path;
	char shown[256]; /* the path, escaped */
	int fd;
	off_t begin;
	uint64_t total_bytes;
	struct progress progress;
	struct verdict verdict;
	struct intervals intervals;
	uint64_t tick_ns;

	size_t reported; /* intervals up to here: the output contains their gaps */
	uint64_t done, kept, lost, gaps;
	char held[256]; /* text of the event held back */
	struct iot_event held_event;
	bool lost_end; /* the number lost at the end is unknown */
};

static void show_progress(void *context, uint64_t stored, uint64_t records)
{
	struct repair *r = context;
	progress_show(&r->progress, stored, 2 * r->total_bytes, records);
}

static int open_input(struct repair *r)
{
	struct stat st;
	r->fd = trace_in_descriptor(r->path, &st);
	if (r->fd < 0)
		return EXIT_FAULT;
	r->begin = S_ISREG(st.st_mode) ? lseek(r->fd, 0, SEEK_CUR) : -1;
	if (r->begin < 0)
		return report_error(r->path, "--repair reads twice, so it needs a file");
	r->total_bytes = (uint64_t)st.st_size;
	return EXIT_OK;
}

static int survey(struct repair *r)
{
	struct error error;
	const struct verify_options options = {
	    .base = r->options->base == NOT_GIVEN ? 0 : r->options->base,
	    .tick_ns = r->options->tick_ns == NOT_GIVEN ? IOT_TICK_DEFAULT_NS : r->options->tick_ns,
	    .memory_max = (uint64_t)1 << 30,
	    .progress = show_progress,
	    .progress_context = r,
	    .intervals = &r->intervals,
	};
	if (verify_trace(r->fd, r->path, &options, &r->verdict, &error) == IOT_OK)
		return EXIT_OK;
	progress_clear(&r->progress);
	print_message("%s", error.text);
	return EXIT_FAULT;
}

/* Whether anything can be kept, and with which tick */

static bool is_usual_tick(uint64_t tick_ns)
{
	while (tick_ns % 10 == 0)
		tick_ns /= 10;
	return tick_ns == 1;
}

/* A proven interval starts at the distance that sync= of the header declares. */
static bool sync_is_confirmed(const struct repair *r)
{
	const uint64_t sync = r->verdict.sync;
	for (size_t i = 0; i < r->intervals.count; i++) {
		const struct interval *e = &r->intervals.entry[i];
		if (e->disposition == DISPOSITION_KEPT && e->record > 0 && sync > 0 &&
		    e->record % sync == 0)
			return true;
	}
	return false;
}

/* The line that declares the tick may itself be damaged and still readable. */
static bool tick_is_certain(const struct repair *r)
{
	const struct verdict *d = &r->verdict;
	const struct interval *first = r->intervals.count > 0 ? r->intervals.entry : NULL;
	if (r->options->tick_ns != NOT_GIVEN || !d->framed)
		return true;
	if (!d->has_header)
		return false;
	if (first != NULL && first->at_start && first->proof != PROOF_NONE)
		return true;
	return !d->header_odd && is_usual_tick(d->tick_ns) &&
	       (sync_is_confirmed(r) || r->options->keep_unverified);
}

static int decide(struct repair *r)
{
	bool any = false;
	intervals_settle(&r->intervals, r->options->keep_unverified);
	for (size_t i = 0; i < r->intervals.count; i++)
		any |= repair_source_keeps(&r->intervals.entry[i]);
	if (r->verdict.records + r->verdict.comments == 0) {
		if (foreign_report(r->path) != FOREIGN_NOT)
			return EXIT_FAULT;
		if (!any)
			return report_error(r->path,
					    "nothing in it can be verified, or read as a trace");
	}
	if (!any)
		return report_error(r->path, r->options->keep_unverified
						 ? "nothing in it can be verified, or kept"
						 : "nothing in it can be verified; "
						   "--keep-unverified keeps what can be read");
	if (!tick_is_certain(r)) {
		print_message(
		    "%s: its %%iotrace line is damaged, so the tick is unknown; specify it "
		    "with --in-tick=NS (usually 1000)",
		    r->shown);
		return EXIT_FAULT;
	}
	r->tick_ns = r->options->tick_ns != NOT_GIVEN ? r->options->tick_ns : r->verdict.tick_ns;
	return EXIT_OK;
}

/* Losses */

/* Why data is missing between two kept intervals: damage of the first, or after it. */
static const struct interval *first_damage(const struct repair *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (r->intervals.entry[i].why != NULL)
			return &r->intervals.entry[i];
	return NULL;
}

static int write_lost(struct iot_writer *w, const struct interval *lost, uint64_t time_ns,
		      uint64_t records)
{
	char memory[256], why[160];
	struct iot_builder b;
	struct iot_event ev;
	if (lost != NULL)
		snprintf(why, sizeof(why), "line %ju: %s", (uintmax_t)lost->why_line, lost->why);
	else
		snprintf(why, sizeof(why), "missing");
	iot_directive_begin(&b, memory, sizeof(memory), "lost");
	iot_directive_number(&b, "time", time_ns);
	if (records > 0)
		iot_directive_number(&b, "records", records);
	iot_directive_text(&b, "why", why, strlen(why));
	const int status = iot_directive_end(&b, &ev);
	return status == IOT_OK ? iot_writer_events(w, &ev, 1) : status;
}

static uint64_t records_of(const struct iot_event *ev)
{
	const struct iot_text value = iot_directive_get(ev, "records");
	uint64_t n = 0;
	for (size_t i = 0; i < value.size && value.data[i] >= '0' && value.data[i] <= '9'; i++)
		n = 10 * n + (uint64_t)(value.data[i] - '0');
	return n;
}

/* The next kept interval, from i. */
static size_t next_kept(const struct repair *r, size_t i)
{
	while (i < r->intervals.count && !repair_source_keeps(&r->intervals.entry[i]))
		i++;
	return i;
}

static bool is_at(const struct repair *r, const struct iot_event *ev, uint64_t time)
{
	return (uint64_t)ev->rec.start_ns == time * r->tick_ns;
}

/*
 * Whether a %lost is from the reader, at the gap before a kept interval: that one is replaced.
 * After unverified text, a %sync may only declare another time, with nothing missing.
 */
static bool is_gap(struct repair *r, struct iot_writer *w, const struct iot_event *ev, int *status)
{
	uint64_t done = r->done, missing = 0;
	bool unverified = false;
	size_t i = next_kept(r, r->reported);
	for (; i < r->intervals.count; i = next_kept(r, i + 1)) {
		const struct interval *e = &r->intervals.entry[i];
		missing = e->record > done ? e->record - done : 0;
		done = e->record + e->records;
		if ((missing > 0 || unverified) && missing == records_of(ev) &&
		    is_at(r, ev, e->time))
			break;
		unverified = e->disposition == DISPOSITION_UNVERIFIED;
		if (missing > 0)
			return false;
	}
	if (i == r->intervals.count)
		return false;
	if (missing > 0)
		*status = write_lost(w, first_damage(r, r->reported, i), (uint64_t)ev->rec.start_ns,
				     missing);
	/* this one may be in unverified text */
	r->reported = i;
	r->done = r->intervals.entry[i].record;
	return true;
}

/*
 * The text passed to the reader has no %end, so the reader ends it with a %lost; others may be
 * equal.
 */
static bool is_held(struct repair *r, struct iot_writer *w, const struct iot_event *ev, int *status)
{
	const struct iot_text why = iot_directive_get(ev, "why");
	if (why.size != strlen(cut_short) || memcmp(why.data, cut_short, why.size) != 0 ||
	    ev->text.size > sizeof(r->held))
		return false;
	if (r->held_event.text.size > 0)
		*status = iot_writer_events(w, &r->held_event, 1);
	memcpy(r->held, ev->text.data, ev->text.size);
	r->held_event = *ev;
	r->held_event.text.data = r->held;
	return true;
}

static int write_events(struct repair *r, struct iot_writer *w, const struct iot_event *ev,
			size_t n)
{
	int status = IOT_OK;
	size_t from = 0;
	for (size_t i = 0; i < n && status == IOT_OK; i++) {
		r->kept += ev[i].kind == IOT_RECORD;
		if (ev[i].kind != IOT_LOST)
			continue;
		status = iot_writer_events(w, ev + from, i - from);
		from = i;
		if (status == IOT_OK &&
		    (is_held(r, w, &ev[i], &status) || is_gap(r, w, &ev[i], &status)))
			from++;
	}
	return status == IOT_OK ? iot_writer_events(w, ev + from, n - from) : status;
}

/* Losses are computed from the intervals; the loss after the last one is reported as well. */
static int finish(struct repair *r, struct iot_writer *w)
{
	const struct verdict *d = &r->verdict;
	uint64_t done = 0, time = 0;
	size_t after = 0;
	for (size_t i = next_kept(r, 0); i < r->intervals.count; i = next_kept(r, i + 1)) {
		const struct interval *e = &r->intervals.entry[i];
		r->gaps += e->record > done;
		r->lost += e->record - done;
		done = e->record + e->records;
		time = e->time + (uint64_t)e->ticks;
		after = i;
	}
	const uint64_t missing = d->any_end && d->end_records > done ? d->end_records - done : 0;
	const struct interval *lost = first_damage(r, after, r->intervals.count);
	r->lost_end = missing == 0 && !d->ended && (d->framed || lost != NULL);
	if (missing == 0 && !r->lost_end)
		return IOT_OK;
	r->lost += missing;
	r->gaps++;
	return write_lost(w, lost, time * r->tick_ns, missing);
}

/* Output */

static int copy(struct repair *r, struct iot_reader *in, struct iot_writer *w)
{
	struct iot_event ev[TRACE_IN_BATCH];
	ssize_t n = 0;
	int status = IOT_OK;
	while (status == IOT_OK && signal_pending() == 0 &&
	       (n = iot_reader_events(in, ev, TRACE_IN_BATCH)) > 0) {
		status = write_events(r, w, ev, (size_t)n);
		show_progress(r, r->total_bytes, r->kept);
	}
	progress_clear(&r->progress);
	if (signal_pending() != 0)
		return EXIT_FAULT;
	/* the text passed to the reader has no %end */
	if (status == IOT_OK && n < 0 && n != IOT_ETRUNCATED) {
		print_message("%s", iot_reader_error(in));
		return EXIT_FAULT;
	}
	if (status == IOT_OK)
		status = finish(r, w);
	if (status == IOT_OK)
		status = write_close(w);
	return status == IOT_OK ? EXIT_OK : report_write_error(w, &r->options->write);
}

static bool open_feed(struct repair *r, struct iot_reader *in, struct repair_source *feed)
{
	*feed = (struct repair_source){.intervals = &r->intervals,
				       .header = {r->tick_ns, r->verdict.sync},
				       .base = (unsigned)r->verdict.base};
	if (lseek(r->fd, r->begin, SEEK_SET) < 0)
		return false;
	feed->raw = raw_lines_new(r->fd, r->path);
	return feed->raw != NULL && iot_reader_set(in, IOT_SET_VERIFY, 0) == IOT_OK &&
	       iot_reader_set(in, IOT_SET_RECOVER, 1) == IOT_OK &&
	       iot_reader_set(in, IOT_SET_BASE, r->verdict.base) == IOT_OK &&
	       iot_reader_open_callback(in, repair_source_read, feed, r->path) == IOT_OK;
}

static int write_kept(struct repair *r, const struct command_spec *command)
{
	struct write_options o = r->options->write;
	struct repair_source feed = {0};
	struct iot_reader *in = iot_reader_new();
	struct iot_writer *w = iot_writer_new();
	int status = EXIT_FAULT;
	o.tick_ns = r->tick_ns;
	if (o.base == NOT_GIVEN)
		o.base = r->verdict.base;
	if (o.sync == NOT_GIVEN && r->verdict.has_header)
		o.sync = r->verdict.sync;
	if (in == NULL || w == NULL || !open_feed(r, in, &feed)) {
		print_message("%s: cannot be read again", r->shown);
		goto out;
	}
	status = write_open(w, &o, command);
	if (status == EXIT_OK)
		status = copy(r, in, w);
out:
	iot_reader_free(in);
	iot_writer_free(w);
	raw_lines_free(feed.raw);
	return status;
}

static uint64_t unverified_records(const struct repair *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->intervals.count; i++)
		if (r->intervals.entry[i].disposition == DISPOSITION_UNVERIFIED)
			n += r->intervals.entry[i].records;
	return n;
}

static void report(const struct repair *r)
{
	const uintmax_t unverified = unverified_records(r);
	uintmax_t repeated = 0;
	for (size_t i = 0; i < r->intervals.count; i++)
		repeated += r->intervals.entry[i].disposition == DISPOSITION_REPEATED;
	if (r->verdict.second_line > 0)
		print_message(
		    "%s: a second %%iotrace on line %ju: what belongs to another trace is "
		    "not kept",
		    r->shown, (uintmax_t)r->verdict.second_line);
	if (repeated > 0)
		print_message("%s: intervals that were there twice: %ju", r->shown, repeated);
	if (unverified > 0)
		print_message("%s: records kept that are not verified: %ju", r->shown, unverified);
	if (r->lost_end && r->lost == 0)
		print_message("%s: records kept: %ju, lost: nobody knows how many (gaps: %ju)",
			      r->shown, (uintmax_t)r->kept, (uintmax_t)r->gaps);
	else
		print_message("%s: records kept: %ju, lost: %s%ju (gaps: %ju)", r->shown,
			      (uintmax_t)r->kept, r->lost_end ? "at least " : "",
			      (uintmax_t)r->lost, (uintmax_t)r->gaps);
}

static bool is_whole(const struct repair *r)
{
	return r->gaps == 0 && unverified_records(r) == 0 && r->verdict.second_line == 0;
}

int repair_trace(const char *path, const struct repair_options *o,
		 const struct command_spec *command)
{
	struct repair r = {.options = o, .path = path, .fd = -1};
	escape_text(r.shown, sizeof(r.shown), path, strlen(path));
	progress_begin(&r.progress, o->progress, o->quiet, o->write.path);
	int status = open_input(&r);
	if (status == EXIT_OK)
		status = survey(&r);
	progress_clear(&r.progress);
	if (status == EXIT_OK)
		status = decide(&r);
	if (status == EXIT_OK) {
		signals_catch(SIGNALS_FILES, o->write.path, o->quiet);
		status = write_kept(&r, command);
		signals_restore();
	}
	if (status == EXIT_OK) {
		if (!o->quiet)
			report(&r);
		status = is_whole(&r) ? EXIT_OK : EXIT_FAULT;
	}
	intervals_free(&r.intervals);
	if (r.fd > STDIN_FILENO)
		close(r.fd);
	return status;
}
