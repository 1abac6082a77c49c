/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace slice: extracts a part of a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <iotrace/filter.h>

#include "lib/base/idmap.h"
#include "lib/base/number.h"

#include "cli/ui/trace_time.h"
#include "cli/ui/piped.h"
#include "cli/ui/printable.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "cli/ui/trace_in.h"

enum {
	READ_SIZE = 1 << 17, /* small reads waste little at both ends of the slice */
	TRACES_MAX = 256,    /* %trace before the first record */
};

/* A survey of a trace explains an empty slice, so that the user need not guess the next one. */

enum {
	SURVEY_SHOWN = 5,            /* names of each kind */
	SURVEY_EVENTS_MAX = 1 << 20, /* events examined for names */
	SURVEY_NAME_SIZE = 160,
	SURVEY_LIST_SIZE = 1024,
	NS_PER_S = 1000000000,
};

struct survey_names {
	struct idmap ids;
	char *name[SURVEY_SHOWN]; /* printable */
	size_t named;
};

struct survey {
	uint64_t records, events;
	int64_t first_ns, last_ns; /* starts */
	bool any_start;
	bool failed; /* out of memory */
	struct survey_names processes, files;
	struct idmap ranks;
	uint64_t first_rank, last_rank;
};

struct slice_run {
	const struct command_spec *command;
	const char *path;
	struct trace_in in;
	struct trace_in_options read;
	struct trace_out_options write;
	struct trace_time from, to;
	struct trace_time_span span;
	struct iot_slice_options slice;
	struct iot_selection *selection;
	bool of_processes, of_ranks, of_paths; /* what the selection is about */
	int op;                                /* all, reads or writes */
	bool unsorted;
	struct iot_shift_options shift;
	uint64_t before_zero;
	bool moves_zero;
	bool no_starts; /* lacks=start */
	struct iot_writer *writer;
	struct iot_rounding rounding;
	bool verbose;
	struct iot_batch *head; /* the first events from which on IN is read */
	size_t count;           /* of them */
	char *traces[TRACES_MAX];
	size_t trace_count, traces_passed;
	struct survey survey; /* of IN if it is a pipe */
};

static const char notes[] =
    "T is a time of the trace (250ms, 90s, 5m, 1.5h, 2d; seconds without a unit), a share of it\n"
    "(50%, from the first record's start to the last's), or a wall clock time if the trace states "
    "its\n"
    "epoch (07:40:14, the first one in the trace or, of --to, after --from; 2026-11-21T10:00:00;\n"
    "both local or followed by Z or +01:00; @1700000000).\n"
    "Records are counted from 0; --from is inclusive, --to exclusive; A to B inclusive.\n"
    "Directives are selected by their time; comments go with the record that follows. --op and\n"
    "--every choose among records alone, --every last of all. LIST is numbers, ranges and names:\n"
    "7,9-12,mpi*; of ranks without names. In GLOB and names * ? [...] match anything, '/' too;\n"
    "without a '/' in it the last part of a path is enough.\n"
    "Reading starts at the %sync before the slice and ends at the first %sync after it; the\n"
    "intervals in between are verified, the rest of the file is not read. CPU times count from\n"
    "the previous record of the process, in the slice or not. IN must be sorted by start\n"
    "(reorder), unless --all-of-it is given.\n";

static const char examples[] =
    "  iotrace slice --from=90s --to=2m -o part.iot.zst t.iot.zst   half a minute\n"
    "  iotrace slice --from=99% t.iot.zst | iotrace stat            the last of it\n"
    "  iotrace slice --records=1000000-1000099 t.iot.zst            a hundred records\n"
    "  iotrace slice --from=2026-11-21T10:00:00Z --rebase t.iot.zst\n"
    "  iotrace slice --from=07:40:14 --to=07:41 t.iot.zst           by the clock on the wall\n"
    "  iotrace slice --process=7,9-12 --file='*.db' --op=write t.iot.zst\n"
    "  iotrace slice --rank=0 t.iot.zst | iotrace stat              what rank 0 did\n"
    "  iotrace slice --every=100 -o sample.iot.zst t.iot.zst        one I/O of a hundred\n";

/* Survey */

static bool is_named(const struct survey_names *n, const char *name)
{
	for (size_t i = 0; i < n->named; i++)
		if (strcmp(n->name[i], name) == 0)
			return true;
	return false;
}

/* Counts a new id; keeps its name if it is one of the first. */
static void add_name(struct survey *s, struct survey_names *n, uint64_t id, const char *name)
{
	const size_t count = n->ids.count;
	const size_t number = idmap_number(&n->ids, id);
	if (number == SIZE_MAX)
		s->failed = true;
	if (number != count || n->named == SURVEY_SHOWN || is_named(n, name))
		return;
	n->name[n->named] = strdup(name);
	if (n->name[n->named] == NULL)
		s->failed = true;
	else
		n->named++;
}

/* The value of a key, decoded and printable; returns false if there is none. */
static bool printable_value(struct survey *s, const struct iot_event *ev, const char *key,
			    char *text, size_t size)
{
	const struct iot_text value = iot_directive_get(ev, key);
	if (value.data == NULL)
		return false;
	char *decoded = malloc(value.size + 1);
	if (decoded == NULL) {
		s->failed = true;
		return false;
	}
	printable(text, size, decoded, iot_percent_decode(value, decoded, NULL));
	free(decoded);
	return true;
}

static void survey_rank(struct survey *s, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "rank");
	uint64_t rank;
	if (text.data == NULL || !number_decimal(text.data, text.size, &rank))
		return;
	if (s->ranks.count == 0 || rank < s->first_rank)
		s->first_rank = rank;
	if (s->ranks.count == 0 || rank > s->last_rank)
		s->last_rank = rank;
	if (idmap_number(&s->ranks, rank) == SIZE_MAX)
		s->failed = true;
}

static void survey_process(struct survey *s, const struct iot_event *ev)
{
	char name[SURVEY_NAME_SIZE] = "", text[SURVEY_NAME_SIZE + 16];
	const bool named = printable_value(s, ev, "name", name, sizeof name);
	snprintf(text, sizeof text, "%u%s%s", ev->rec.process, named ? " " : "", name);
	add_name(s, &s->processes, ev->rec.process, text);
	survey_rank(s, ev);
}

/* FNV-1a: files are counted by path. */
static uint64_t hash_of(struct iot_text text)
{
	uint64_t hash = 0xcbf29ce484222325U;
	for (size_t i = 0; i < text.size; i++)
		hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3U;
	return hash;
}

static void survey_file(struct survey *s, const struct iot_event *ev)
{
	char path[SURVEY_NAME_SIZE];
	if (!(ev->has & IOT_HAS_DISK) && printable_value(s, ev, "path", path, sizeof path))
		add_name(s, &s->files, hash_of(iot_directive_get(ev, "path")), path);
}

static void survey_record(struct survey *s, const struct iot_record *rec)
{
	char id[16];
	s->records++;
	if ((rec->flags & IOT_START_UNKNOWN) == 0) {
		if (!s->any_start || rec->start_ns < s->first_ns)
			s->first_ns = rec->start_ns;
		if (!s->any_start || rec->start_ns > s->last_ns)
			s->last_ns = rec->start_ns;
		s->any_start = true;
	}
	if (s->processes.ids.count > 0 && s->processes.ids.last_key == rec->process)
		return;
	snprintf(id, sizeof id, "%u", rec->process);
	add_name(s, &s->processes, rec->process, id);
}

/* Whether following events would still be examined for names. */
static bool survey_wants_more(const struct survey *s)
{
	return s->events < SURVEY_EVENTS_MAX && !s->failed;
}

static void survey_events(struct survey *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD)
			survey_record(s, &ev[i].rec);
		else if (ev[i].kind == IOT_PROCESS && survey_wants_more(s))
			survey_process(s, &ev[i]);
		else if (ev[i].kind == IOT_FILE && survey_wants_more(s))
			survey_file(s, &ev[i]);
		s->events++;
	}
}

static void report_names(const char *shown, const char *kind, const struct survey_names *n)
{
	char list[SURVEY_LIST_SIZE] = "";
	size_t used = 0;
	for (size_t i = 0; i < n->named && used < sizeof list; i++) {
		const int more = snprintf(list + used, sizeof list - used, "%s%s",
					  i > 0 ? ", " : "", n->name[i]);
		used += more > 0 ? (size_t)more : 0;
	}
	if (n->named == 0)
		return;
	if (n->ids.count > n->named)
		message_print("%s: its %s: %s, and %zu more", shown, kind, list,
			      n->ids.count - n->named);
	else
		message_print("%s: its %s: %s", shown, kind, list);
}

static void report_ranks(const struct survey *s, const char *shown)
{
	if (s->ranks.count == 0)
		return;
	if (s->first_rank == s->last_rank)
		message_print("%s: its rank: %ju", shown, (uintmax_t)s->first_rank);
	else
		message_print("%s: its ranks: %zu, from %ju to %ju", shown, s->ranks.count,
			      (uintmax_t)s->first_rank, (uintmax_t)s->last_rank);
}

static const char *clock_of(char *text, size_t size, uint64_t ns)
{
	struct tm tm;
	const time_t seconds = (time_t)(ns / NS_PER_S);
	const size_t n =
	    gmtime_r(&seconds, &tm) != NULL ? strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm) : 0;
	snprintf(text + n, size - n, ".%06uZ", (unsigned)(ns % NS_PER_S / 1000));
	return text;
}

static void report_clock(const struct survey *s, const char *shown, uint64_t epoch_ns)
{
	char first[64], last[64];
	message_print("%s: these are %s to %s", shown,
		      clock_of(first, sizeof first, epoch_ns + (uint64_t)s->first_ns),
		      clock_of(last, sizeof last, epoch_ns + (uint64_t)s->last_ns));
}

/*
 * Prints messages: the span, also as wall-clock times if epoch_ns is not NULL; with names, also the
 * processes, files and ranks. shown: the trace's name.
 */
static void survey_report(const struct survey *s, const char *shown, const uint64_t *epoch_ns,
			  bool names)
{
	if (s->records == 0)
		message_print("%s: there are no records in it", shown);
	else if (s->any_start)
		message_print("%s: %ju records, which start from %.6f to %.6f s", shown,
			      (uintmax_t)s->records, (double)s->first_ns / NS_PER_S,
			      (double)s->last_ns / NS_PER_S);
	else
		message_print("%s: %ju records, whose starts are not known", shown,
			      (uintmax_t)s->records);
	if (s->any_start && epoch_ns != NULL)
		report_clock(s, shown, *epoch_ns);
	if (!names)
		return;
	report_names(shown, "processes", &s->processes);
	report_names(shown, "files", &s->files);
	report_ranks(s, shown);
}

static void free_names(struct survey_names *n)
{
	for (size_t i = 0; i < n->named; i++)
		free(n->name[i]);
	idmap_free(&n->ids);
}

static void survey_free(struct survey *s)
{
	free_names(&s->processes);
	free_names(&s->files);
	idmap_free(&s->ranks);
	*s = (struct survey){.records = 0};
}

/* Properties of the head */

static bool keep_trace(struct slice_run *r, const struct iot_event *ev)
{
	if (r->trace_count == TRACES_MAX)
		return true;
	char *text = malloc(ev->text.size + 1);
	if (text == NULL)
		return false;
	memcpy(text, ev->text.data, ev->text.size);
	text[ev->text.size] = '\0';
	r->traces[r->trace_count++] = text;
	return true;
}

static void take_epoch(struct slice_run *r, const struct iot_event *ev)
{
	const struct iot_text epoch = iot_directive_get(ev, "epoch");
	uint64_t ns;
	if (epoch.data != NULL && !r->span.has_epoch &&
	    number_decimal(epoch.data, epoch.size, &ns)) {
		r->span.has_epoch = true;
		r->span.epoch_ns = ns;
	}
}

/* Returns true if the first record is among the events, or if out of memory. */
static bool look_at_head(struct slice_run *r, size_t begin, size_t end, bool *failed)
{
	unsigned lacks;
	for (size_t i = begin; i < end && !*failed; i++) {
		if (r->head->events[i].kind == IOT_RECORD) {
			r->span.first_ns = r->head->events[i].rec.start_ns;
			return true;
		}
		if (r->head->events[i].kind != IOT_TRACE)
			continue;
		take_epoch(r, &r->head->events[i]);
		if (iot_directive_lacks(&r->head->events[i], &lacks))
			r->no_starts = (lacks & IOT_START_UNKNOWN) != 0;
		*failed = !keep_trace(r, &r->head->events[i]);
	}
	return *failed;
}

/* Times */

/* Start of the last record, from a separate reader: damage there may not matter. */
static enum exit_status find_last(struct slice_run *r)
{
	struct trace_in_options o = r->read;
	struct trace_in in;
	o.recover = o.quiet = true;
	o.progress = PROGRESS_NEVER;
	enum exit_status status = trace_in_open(&in, piped_name_again(r->path), &o, r->command);
	if (status == EXIT_OK) {
		const int sought = iot_reader_seek(in.reader, IOT_SEEK_TIME_NS, UINT64_MAX);
		r->span.last_ns = (int64_t)iot_reader_fact(in.reader, IOT_FACT_LAST_NS);
		if (sought == IOT_ENOMEM || sought == IOT_EIO) {
			message_print("%s", iot_reader_error(in.reader));
			status = EXIT_FAILED;
		}
	}
	trace_in_close(&in);
	return status;
}

static enum exit_status resolve(struct slice_run *r)
{
	struct iot_slice_options *s = &r->slice;
	const bool share = r->from.kind == TIME_SHARE || r->to.kind == TIME_SHARE;
	const char *missing = NULL;
	if (r->no_starts && (r->from.kind != TIME_NOT_GIVEN || r->to.kind != TIME_NOT_GIVEN))
		return options_wrong(r->command, "the trace does not say when its I/Os started; "
						 "--records chooses by number");
	if (share && !trace_in_seekable(&r->in) && (r->in.log == NULL || piped_detect(r->path)))
		return options_wrong(
		    r->command,
		    "a share (%%) needs a seekable file: the length of a pipe is not known");
	if (share && find_last(r) != EXIT_OK)
		return EXIT_FAILED;
	r->span.after_ns = r->span.first_ns;
	if (r->from.kind != TIME_NOT_GIVEN)
		missing = trace_time_resolve(&r->from, &r->span, &s->from_ns);
	if (r->from.kind != TIME_NOT_GIVEN)
		r->span.after_ns = s->from_ns;
	if (r->to.kind != TIME_NOT_GIVEN && missing == NULL)
		missing = trace_time_resolve(&r->to, &r->span, &s->to_ns);
	if (missing != NULL)
		return options_wrong(r->command, "%s", missing);
	if (s->from_ns >= s->to_ns)
		return options_wrong(r->command, "--to must be later than --from");
	return EXIT_OK;
}

/* Output */

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

/* Reading */

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
static void survey_again(struct slice_run *r)
{
	struct survey *s = &r->survey;
	struct trace_in_options o = r->read;
	struct trace_in in;
	ssize_t n;
	o.recover = o.quiet = true;
	o.progress = PROGRESS_NEVER;
	if (trace_in_open(&in, piped_name_again(r->path), &o, r->command) == EXIT_OK) {
		while (survey_wants_more(s) &&
		       (n = iot_reader_events(in.reader, r->head->events, TRACE_IN_BATCH)) > 0)
			survey_events(s, r->head->events, (size_t)n);
		if (!survey_wants_more(s) &&
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
		survey_again(r);
	const char *shown = strcmp(r->path, "-") == 0 ? "standard input" : r->in.path;
	survey_report(&r->survey, shown, wall && r->span.has_epoch ? &r->span.epoch_ns : NULL,
		      r->of_processes || r->of_paths);
	if (r->of_ranks && r->survey.ranks.count == 0 && survey_wants_more(&r->survey))
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
		survey_events(&r->survey, b->events, b->count);
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

/*
 * Reads up to the first record; the events of a pipe or log are kept, as they cannot be read again.
 * Returns the number of events in the head; *whole: it begins with the first one.
 */
static size_t read_head(struct slice_run *r, bool *whole, bool *failed)
{
	size_t n = 0, begin = 0, got;
	bool found = false;
	*whole = true;
	while (!found && !*failed && n < TRACE_IN_BATCH) {
		begin = trace_in_seekable(&r->in) ? 0 : n;
		r->head->count = begin;
		*failed = iot_batch_keep_text(r->head) != IOT_OK;
		got = trace_in_events(&r->in, r->head->events + begin, TRACE_IN_BATCH - begin);
		if (got == 0)
			break;
		n = begin + got;
		found = look_at_head(r, begin, n, failed);
		if (!found && trace_in_seekable(&r->in)) {
			*whole = false;
			n = 0;
		}
	}
	return n;
}

static enum exit_status slice(struct slice_run *r)
{
	bool failed = false, whole;
	const size_t n = read_head(r, &whole, &failed);
	if (failed)
		return message_no_memory();
	enum exit_status status = trace_in_exit(&r->in, false);
	if (n == 0 && status != EXIT_OK)
		return status;
	status = resolve(r);
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

static enum exit_status run(struct slice_run *r, const struct command_spec *command,
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

/* Options */

static const char *take_time(const struct option *opt, const char *value)
{
	return trace_time_parse(value, opt->target);
}

static const char *take_records(const struct option *opt, const char *value)
{
	static const char expected[] = "numbers of records: A-B, A-, -B or A";
	struct iot_slice_options *s = opt->target;
	const char *dash = strchr(value, '-');
	const size_t n = dash != NULL ? (size_t)(dash - value) : strlen(value);
	uint64_t last = UINT64_MAX;
	s->first = 0;
	if (value[0] == '\0' || strcmp(value, "-") == 0)
		return expected;
	if (n > 0 && !number_decimal(value, n, &s->first))
		return expected;
	if (dash == NULL)
		last = s->first;
	else if (dash[1] != '\0' && !number_decimal(dash + 1, strlen(dash + 1), &last))
		return expected;
	s->end = last + 1; /* 0 is not an end */
	return s->first <= last ? NULL : expected;
}

static const char *select_list(struct slice_run *r, enum iot_select what, const char *list)
{
	static const char *const expected[] = {
	    [IOT_SELECT_PROCESSES] = "numbers, ranges and names with commas between them: "
				     "7,9-12,mpi*",
	    [IOT_SELECT_RANKS] = "numbers and ranges with commas between them: 0,4-7",
	    [IOT_SELECT_PATHS] = "a path"};
	const int status = iot_selection_add(r->selection, what, list);
	r->of_processes = r->of_processes || what != IOT_SELECT_PATHS;
	r->of_ranks = r->of_ranks || what == IOT_SELECT_RANKS;
	r->of_paths = r->of_paths || what == IOT_SELECT_PATHS;
	if (status == IOT_OK)
		return NULL;
	return status == IOT_EFORMAT  ? expected[what]
	       : status == IOT_ELIMIT ? "at most 1024 of them"
				      : option_no_memory;
}

static const char *take_ranks(const struct option *opt, const char *value)
{
	return select_list(opt->target, IOT_SELECT_RANKS, value);
}

static const char *take_processes(const struct option *opt, const char *value)
{
	return select_list(opt->target, IOT_SELECT_PROCESSES, value);
}

static const char *take_file(const struct option *opt, const char *value)
{
	return select_list(opt->target, IOT_SELECT_PATHS, value);
}

static enum exit_status parse_and_run(struct slice_run *r, int argc, char **argv)
{
	const struct option options[] = {
	    CALL("from", "T", &r->from, "from time T on", take_time),
	    CALL("to", "T", &r->to, "up to, but not including, time T", take_time),
	    CALL("records", "A-B", &r->slice, "records A to B, counted from 0", take_records),
	    CALL("process", "LIST", r, "I/O of these processes", take_processes),
	    CALL("rank", "LIST", r, "I/O of the processes of these MPI ranks", take_ranks),
	    CALL("file", "GLOB", r, "I/O on files whose path matches GLOB; repeatable", take_file),
	    OPTION(CHOICE, 0, "op", "all|read|write", &r->op, "reads or writes alone"),
	    RANGE(NUMBER, 0, "every", "N", &r->slice.every,
		  "of the selected records, the first and every Nth", 1, UINT64_MAX),
	    OPTION(FLAG, 0, "rebase", NULL, &r->moves_zero,
		   "move time zero to --from, or else to the beginning of the slice"),
	    OPTION(FLAG, 0, "all-of-it", NULL, &r->unsorted,
		   "IN is not sorted by start: read all of it"),
	    OPTION_OUTPUT(r->write),
	    OPTION(FLAG, 'v', "verbose", NULL, &r->verbose, "report what a coarser tick rounds"),
	    OPTION_QUIET(r->read.quiet, r->read.progress),
	    GROUP("Reading"),
	    OPTION_READING(r->read),
	    GROUP("Writing"),
	    OPTION_TICK(r->write, "that of IN"),
	    OPTION_BASE_OF_IN(r->write),
	    OPTION_WRITING(r->write),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "slice",
	    .summary = "Take a part of a trace",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	return run(r, &command, count > 0 ? argv[0] : "-");
}

enum exit_status cmd_slice(int argc, char **argv)
{
	struct slice_run *r = calloc(1, sizeof *r);
	if (r == NULL)
		return message_no_memory();
	r->read = (struct trace_in_options)TRACE_IN_OPTIONS_INIT;
	r->read.read_size = READ_SIZE;
	r->read.verified = true;
	r->write = (struct trace_out_options)TRACE_OUT_OPTIONS_INIT;
	r->slice.to_ns = INT64_MAX;
	r->slice.every = 1;
	r->selection = iot_selection_new();
	r->head = iot_batch_new(TRACE_IN_BATCH);
	const enum exit_status status = r->selection != NULL && r->head != NULL
					    ? parse_and_run(r, argc, argv)
					    : message_no_memory();
	iot_selection_free(r->selection);
	iot_batch_free(r->head);
	survey_free(&r->survey);
	for (size_t i = 0; i < r->trace_count; i++)
		free(r->traces[i]);
	free(r);
	return status;
}
