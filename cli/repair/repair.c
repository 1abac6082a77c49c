/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repair reads twice: once to find out which intervals hold and where they belong, and then what of
 * them is kept, which goes through a reader into a writer.
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
	const struct iot_repair_options *options;
	const char *path;
	char shown[256]; /* the path, escaped */
	int fd;
	off_t begin;
	uint64_t total_bytes;
	struct iot_progress progress;
	struct iot_verdict verdict;
	struct iot_intervals intervals;
	uint64_t tick_ns;

	size_t told; /* intervals up to here: their gaps have been told in the output */
	uint64_t done, kept, lost, gaps;
	char held[256]; /* text of the event held back */
	struct iot_event held_event;
	bool lost_end; /* nobody knows how many at the end */
};

static void show_progress(void *context, uint64_t stored, uint64_t records)
{
	struct repair *r = context;
	iot_progress_show(&r->progress, stored, 2 * r->total_bytes, records);
}

static int open_input(struct repair *r)
{
	struct stat st;
	r->fd = iot_in_descriptor(r->path, &st);
	if (r->fd < 0)
		return IOT_EXIT_FAULT;
	r->begin = S_ISREG(st.st_mode) ? lseek(r->fd, 0, SEEK_CUR) : -1;
	if (r->begin < 0)
		return iot_fault(r->path, "--repair reads twice, so it needs a file");
	r->total_bytes = (uint64_t)st.st_size;
	return IOT_EXIT_OK;
}

static int survey(struct repair *r)
{
	struct iot_error error;
	const struct iot_verify_options options = {
	    .base = r->options->base == IOT_NOT_GIVEN ? 0 : r->options->base,
	    .tick_ns =
		r->options->tick_ns == IOT_NOT_GIVEN ? IOT_TICK_DEFAULT_NS : r->options->tick_ns,
	    .memory_max = (uint64_t)1 << 30,
	    .progress = show_progress,
	    .progress_context = r,
	    .intervals = &r->intervals,
	};
	if (iot_verify(r->fd, r->path, &options, &r->verdict, &error) == IOT_OK)
		return IOT_EXIT_OK;
	iot_progress_clear(&r->progress);
	iot_message("%s", error.text);
	return IOT_EXIT_FAULT;
}

/* Whether something can be kept, and with which tick */

static bool is_usual_tick(uint64_t tick_ns)
{
	while (tick_ns % 10 == 0)
		tick_ns /= 10;
	return tick_ns == 1;
}

/* A proven interval begins where the header's sync= says that one should. */
static bool sync_is_confirmed(const struct repair *r)
{
	const uint64_t sync = r->verdict.sync;
	for (size_t i = 0; i < r->intervals.count; i++) {
		const struct iot_interval *e = &r->intervals.entry[i];
		if (e->fate == IOT_FATE_KEPT && e->record > 0 && sync > 0 && e->record % sync == 0)
			return true;
	}
	return false;
}

/* The line that tells the tick may itself be damaged, in a way that still can be read. */
static bool tick_is_certain(const struct repair *r)
{
	const struct iot_verdict *d = &r->verdict;
	const struct iot_interval *first = r->intervals.count > 0 ? r->intervals.entry : NULL;
	if (r->options->tick_ns != IOT_NOT_GIVEN || !d->framed)
		return true;
	if (!d->has_header)
		return false;
	if (first != NULL && first->at_start && first->proof != IOT_PROOF_NONE)
		return true;
	return !d->header_odd && is_usual_tick(d->tick_ns) &&
	       (sync_is_confirmed(r) || r->options->keep_unverified);
}

static int decide(struct repair *r)
{
	bool any = false;
	iot_intervals_settle(&r->intervals, r->options->keep_unverified);
	for (size_t i = 0; i < r->intervals.count; i++)
		any |= iot_feed_keeps(&r->intervals.entry[i]);
	if (r->verdict.records + r->verdict.comments == 0) {
		if (iot_foreign_tell(r->path) != IOT_FOREIGN_NOT)
			return IOT_EXIT_FAULT;
		if (!any)
			return iot_fault(r->path,
					 "nothing in it can be verified, or read as a trace");
	}
	if (!any)
		return iot_fault(r->path, r->options->keep_unverified
					      ? "nothing in it can be verified, or kept"
					      : "nothing in it can be verified; "
						"--keep-unverified keeps what can be read");
	if (!tick_is_certain(r)) {
		iot_message("%s: its %%iotrace is damaged, so that nobody knows the tick of its "
			    "times; tell it with --in-tick=NS (1000 is usual)",
			    r->shown);
		return IOT_EXIT_FAULT;
	}
	r->tick_ns =
	    r->options->tick_ns != IOT_NOT_GIVEN ? r->options->tick_ns : r->verdict.tick_ns;
	return IOT_EXIT_OK;
}

/* What is lost */

/* Why something is missing between two kept intervals: damage of the first, or behind it. */
static const struct iot_interval *first_damage(const struct repair *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (r->intervals.entry[i].why != NULL)
			return &r->intervals.entry[i];
	return NULL;
}

static int write_lost(struct iot_writer *w, const struct iot_interval *lost, uint64_t time_ns,
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

/* The next interval that is kept, from i. */
static size_t next_kept(const struct repair *r, size_t i)
{
	while (i < r->intervals.count && !iot_feed_keeps(&r->intervals.entry[i]))
		i++;
	return i;
}

static bool is_at(const struct repair *r, const struct iot_event *ev, uint64_t time)
{
	return (uint64_t)ev->rec.start_ns == time * r->tick_ns;
}

/*
 * Whether a %lost is the reader's, at the gap before a kept interval: that is written as we know it.
 * Behind what was not verified a %sync may only tell another time, and nothing is missing.
 */
static bool is_gap(struct repair *r, struct iot_writer *w, const struct iot_event *ev, int *status)
{
	uint64_t done = r->done, missing = 0;
	bool unverified = false;
	size_t i = next_kept(r, r->told);
	for (; i < r->intervals.count; i = next_kept(r, i + 1)) {
		const struct iot_interval *e = &r->intervals.entry[i];
		missing = e->record > done ? e->record - done : 0;
		done = e->record + e->records;
		if ((missing > 0 || unverified) && missing == records_of(ev) &&
		    is_at(r, ev, e->time))
			break;
		unverified = e->fate == IOT_FATE_UNVERIFIED;
		if (missing > 0)
			return false;
	}
	if (i == r->intervals.count)
		return false;
	if (missing > 0)
		*status =
		    write_lost(w, first_damage(r, r->told, i), (uint64_t)ev->rec.start_ns, missing);
	/* this one may be what is not verified */
	r->told = i;
	r->done = r->intervals.entry[i].record;
	return true;
}

/* The text that is fed has no %end, so the reader ends it with a %lost; others may look the same. */
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

/* What is lost, counted from the intervals; and behind the last of them it is told, too. */
static int finish(struct repair *r, struct iot_writer *w)
{
	const struct iot_verdict *d = &r->verdict;
	uint64_t done = 0, time = 0;
	size_t behind = 0;
	for (size_t i = next_kept(r, 0); i < r->intervals.count; i = next_kept(r, i + 1)) {
		const struct iot_interval *e = &r->intervals.entry[i];
		r->gaps += e->record > done;
		r->lost += e->record - done;
		done = e->record + e->records;
		time = e->time + (uint64_t)e->ticks;
		behind = i;
	}
	const uint64_t missing = d->any_end && d->end_records > done ? d->end_records - done : 0;
	const struct iot_interval *lost = first_damage(r, behind, r->intervals.count);
	r->lost_end = missing == 0 && !d->ended && (d->framed || lost != NULL);
	if (missing == 0 && !r->lost_end)
		return IOT_OK;
	r->lost += missing;
	r->gaps++;
	return write_lost(w, lost, time * r->tick_ns, missing);
}

/* Writing */

static int copy(struct repair *r, struct iot_reader *in, struct iot_writer *w)
{
	struct iot_event ev[IOT_IN_BATCH];
	ssize_t n = 0;
	int status = IOT_OK;
	while (status == IOT_OK && iot_signal_pending() == 0 &&
	       (n = iot_reader_events(in, ev, IOT_IN_BATCH)) > 0) {
		status = write_events(r, w, ev, (size_t)n);
		show_progress(r, r->total_bytes, r->kept);
	}
	iot_progress_clear(&r->progress);
	if (iot_signal_pending() != 0)
		return IOT_EXIT_FAULT;
	/* the text that is fed has no %end */
	if (status == IOT_OK && n < 0 && n != IOT_ETRUNCATED) {
		iot_message("%s", iot_reader_error(in));
		return IOT_EXIT_FAULT;
	}
	if (status == IOT_OK)
		status = finish(r, w);
	if (status == IOT_OK)
		status = iot_write_close(w);
	return status == IOT_OK ? IOT_EXIT_OK : iot_write_fault(w, &r->options->write);
}

static bool open_feed(struct repair *r, struct iot_reader *in, struct iot_feed *feed)
{
	*feed = (struct iot_feed){.intervals = &r->intervals,
				  .header = {r->tick_ns, r->verdict.sync},
				  .base = (unsigned)r->verdict.base};
	if (lseek(r->fd, r->begin, SEEK_SET) < 0)
		return false;
	feed->raw = iot_rawtext_new(r->fd, r->path);
	return feed->raw != NULL && iot_reader_set(in, IOT_SET_VERIFY, 0) == IOT_OK &&
	       iot_reader_set(in, IOT_SET_RECOVER, 1) == IOT_OK &&
	       iot_reader_set(in, IOT_SET_BASE, r->verdict.base) == IOT_OK &&
	       iot_reader_open_callback(in, iot_feed_read, feed, r->path) == IOT_OK;
}

static int write_kept(struct repair *r, const struct iot_command *command)
{
	struct iot_write_options o = r->options->write;
	struct iot_feed feed = {0};
	struct iot_reader *in = iot_reader_new();
	struct iot_writer *w = iot_writer_new();
	int status = IOT_EXIT_FAULT;
	o.tick_ns = r->tick_ns;
	if (o.base == IOT_NOT_GIVEN)
		o.base = r->verdict.base;
	if (o.sync == IOT_NOT_GIVEN && r->verdict.has_header)
		o.sync = r->verdict.sync;
	if (in == NULL || w == NULL || !open_feed(r, in, &feed)) {
		iot_message("%s: cannot be read again", r->shown);
		goto out;
	}
	status = iot_write_open(w, &o, command);
	if (status == IOT_EXIT_OK)
		status = copy(r, in, w);
out:
	iot_reader_free(in);
	iot_writer_free(w);
	iot_rawtext_free(feed.raw);
	return status;
}

static uint64_t unverified_records(const struct repair *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->intervals.count; i++)
		if (r->intervals.entry[i].fate == IOT_FATE_UNVERIFIED)
			n += r->intervals.entry[i].records;
	return n;
}

static void tell(const struct repair *r)
{
	const uintmax_t unverified = unverified_records(r);
	uintmax_t repeated = 0;
	for (size_t i = 0; i < r->intervals.count; i++)
		repeated += r->intervals.entry[i].fate == IOT_FATE_REPEATED;
	if (r->verdict.second_line > 0)
		iot_message("%s: a second %%iotrace on line %ju: what belongs to another trace is "
			    "not kept",
			    r->shown, (uintmax_t)r->verdict.second_line);
	if (repeated > 0)
		iot_message("%s: intervals that were there twice: %ju", r->shown, repeated);
	if (unverified > 0)
		iot_message("%s: records kept that are not verified: %ju", r->shown, unverified);
	if (r->lost_end && r->lost == 0)
		iot_message("%s: records kept: %ju, lost: nobody knows how many (gaps: %ju)",
			    r->shown, (uintmax_t)r->kept, (uintmax_t)r->gaps);
	else
		iot_message("%s: records kept: %ju, lost: %s%ju (gaps: %ju)", r->shown,
			    (uintmax_t)r->kept, r->lost_end ? "at least " : "", (uintmax_t)r->lost,
			    (uintmax_t)r->gaps);
}

static bool is_whole(const struct repair *r)
{
	return r->gaps == 0 && unverified_records(r) == 0 && r->verdict.second_line == 0;
}

int iot_repair(const char *path, const struct iot_repair_options *o,
	       const struct iot_command *command)
{
	struct repair r = {.options = o, .path = path, .fd = -1};
	iot_escape(r.shown, sizeof(r.shown), path, strlen(path));
	iot_progress_begin(&r.progress, o->progress, o->quiet, o->write.path);
	int status = open_input(&r);
	if (status == IOT_EXIT_OK)
		status = survey(&r);
	iot_progress_clear(&r.progress);
	if (status == IOT_EXIT_OK)
		status = decide(&r);
	if (status == IOT_EXIT_OK) {
		iot_signals_catch(IOT_SIGNALS_FILES, o->write.path, o->quiet);
		status = write_kept(&r, command);
		iot_signals_restore();
	}
	if (status == IOT_EXIT_OK) {
		if (!o->quiet)
			tell(&r);
		status = is_whole(&r) ? IOT_EXIT_OK : IOT_EXIT_FAULT;
	}
	iot_intervals_free(&r.intervals);
	if (r.fd > STDIN_FILENO)
		close(r.fd);
	return status;
}
