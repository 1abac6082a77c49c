/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace slice: extracts a part of a trace. */
#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/base/number.h"

#include "cli/ui/trace_in.h"
#include "cli/filter/rounding.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "cli/filter/slice.h"
#include "cli/filter/slice_survey.h"
#include "cli/ui/parse_time.h"

enum {
	READ_SIZE = 1 << 17, /* small reads waste little at both ends of the slice */
	TRACES_MAX = 256,    /* %trace before the first record */
};

struct slice_run {
	const struct command_spec *command;
	const char *path;
	struct trace_in in;
	struct read_options read;
	struct write_options write;
	struct trace_time from, to;
	struct time_span span;
	struct slice_filter choice;
	struct slice slice;
	struct time_shift rebase;
	bool moves_zero;
	bool no_starts; /* lacks=start */
	struct iot_writer *writer;
	struct rounding rounding;
	bool verbose;
	struct iot_event ev[TRACE_IN_BATCH];
	char *traces[TRACES_MAX];
	size_t trace_count;
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
static bool look_at_head(struct slice_run *r, size_t n, bool *failed)
{
	unsigned lacks;
	for (size_t i = 0; i < n && !*failed; i++) {
		if (r->ev[i].kind == IOT_RECORD) {
			r->span.first_ns = r->ev[i].rec.start_ns;
			return true;
		}
		if (r->ev[i].kind != IOT_TRACE)
			continue;
		take_epoch(r, &r->ev[i]);
		if (directive_lacks(&r->ev[i], &lacks))
			r->no_starts = (lacks & IOT_START_UNKNOWN) != 0;
		*failed = !keep_trace(r, &r->ev[i]);
	}
	return *failed;
}

/* Times */

/* Start of the last record, from a separate reader: damage there may not matter. */
static int find_last(struct slice_run *r)
{
	struct read_options o = r->read;
	struct trace_in in;
	o.recover = o.quiet = true;
	o.progress = PROGRESS_NEVER;
	int status = trace_in_open(&in, r->path, &o, r->command);
	if (status == EXIT_OK) {
		const int sought = iot_reader_seek(in.reader, IOT_SEEK_TIME_NS, UINT64_MAX);
		r->span.last_ns = (int64_t)iot_reader_fact(in.reader, IOT_FACT_LAST_NS);
		if (sought == IOT_ENOMEM || sought == IOT_EIO) {
			print_message("%s", iot_reader_error(in.reader));
			status = EXIT_FAULT;
		}
	}
	trace_in_close(&in);
	return status;
}

static int resolve(struct slice_run *r)
{
	struct slice *s = &r->slice;
	const bool share = r->from.kind == TIME_SHARE || r->to.kind == TIME_SHARE;
	const char *missing = NULL;
	if (r->no_starts && (r->from.kind != TIME_NOT_GIVEN || r->to.kind != TIME_NOT_GIVEN))
		return options_wrong(r->command, "the trace does not say when its I/Os started; "
						 "--records chooses by number");
	if (share && !trace_in_seekable(&r->in))
		return options_wrong(
		    r->command,
		    "a share (%%) needs a seekable file: the length of a pipe is not known");
	if (share && find_last(r) != EXIT_OK)
		return EXIT_FAULT;
	r->span.after_ns = r->span.first_ns;
	if (r->from.kind != TIME_NOT_GIVEN)
		missing = time_resolve(&r->from, &r->span, &s->from_ns);
	if (r->from.kind != TIME_NOT_GIVEN)
		r->span.after_ns = s->from_ns;
	if (r->to.kind != TIME_NOT_GIVEN && missing == NULL)
		missing = time_resolve(&r->to, &r->span, &s->to_ns);
	if (missing != NULL)
		return options_wrong(r->command, "%s", missing);
	if (s->from_ns >= s->to_ns)
		return options_wrong(r->command, "--to must be later than --from");
	return EXIT_OK;
}

/* Output */

static int write_slice(void *context, struct iot_event *ev, size_t n)
{
	struct slice_run *r = context;
	if (r->moves_zero && !time_shift_events(&r->rebase, ev, n))
		return IOT_ENOMEM;
	rounding_events(&r->rounding, ev, n);
	return iot_writer_events(r->writer, ev, n);
}

static int write_traces(struct slice_run *r)
{
	int status = IOT_OK;
	for (size_t i = 0; i < r->trace_count && status == IOT_OK; i++) {
		struct iot_event ev = {.text = {r->traces[i], strlen(r->traces[i])}};
		if (iot_directive_parse(&ev, NULL) == IOT_OK)
			status = write_slice(r, &ev, 1);
	}
	return status;
}

/* Time zero of the slice: --from, or the earliest time up to its first record. */
static void choose_zero(struct slice_run *r, size_t n)
{
	r->rebase.zero_ns = r->slice.from_ns;
	if (r->from.kind != TIME_NOT_GIVEN)
		return;
	int64_t zero_ns = INT64_MAX;
	bool found = false;
	for (size_t i = 0; i < n && !found; i++) {
		found = r->ev[i].kind == IOT_RECORD;
		if ((found || (r->ev[i].has & IOT_HAS_TIME)) && r->ev[i].rec.start_ns < zero_ns)
			zero_ns = r->ev[i].rec.start_ns;
	}
	if (zero_ns == INT64_MAX)
		zero_ns = (int64_t)iot_reader_fact(r->in.reader, IOT_FACT_LAST_NS);
	r->rebase.zero_ns = zero_ns;
}

/* Reading */

/* Seeks to the start of the slice. Returns the number of events in r->ev. */
static size_t enter(struct slice_run *r, size_t n, bool head_is_whole)
{
	struct slice *s = &r->slice;
	const bool by_time = s->from_ns > r->span.first_ns && !s->all_read;
	const bool anywhere = trace_in_seekable(&r->in);
	if (!anywhere || (!by_time && s->first == 0 && head_is_whole))
		return n;
	s->traces_reported = by_time || s->first > 0;
	if (by_time && !trace_in_seek(&r->in, IOT_SEEK_TIME_NS, (uint64_t)s->from_ns))
		return 0;
	if ((!by_time || iot_reader_fact(r->in.reader, IOT_FACT_INDEX) < s->first) &&
	    !trace_in_seek(&r->in, IOT_SEEK_RECORD, s->first))
		return 0;
	s->index = iot_reader_fact(r->in.reader, IOT_FACT_INDEX);
	return trace_in_events(&r->in, r->ev, TRACE_IN_BATCH);
}

/* Reads a file again, to find the first and the last record even if it is long. */
static void survey_file(struct slice_run *r)
{
	struct survey *s = &r->survey;
	struct read_options o = r->read;
	struct trace_in in;
	ssize_t n;
	o.recover = o.quiet = true;
	o.progress = PROGRESS_NEVER;
	/* The name that reopens standard input from its beginning. */
	const char *path = strcmp(r->path, "-") == 0 ? "/proc/self/fd/0" : r->path;
	if (trace_in_open(&in, path, &o, r->command) == EXIT_OK) {
		while (survey_wants_more(s) &&
		       (n = iot_reader_events(in.reader, r->ev, TRACE_IN_BATCH)) > 0)
			survey_events(s, r->ev, (size_t)n);
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
	const struct slice_filter *c = &r->choice;
	const bool wall = r->from.kind == TIME_WALL || r->to.kind == TIME_WALL;
	print_message("warning: there are no records in the slice");
	if (trace_in_seekable(&r->in))
		survey_file(r);
	const char *shown = strcmp(r->path, "-") == 0 ? "standard input" : r->in.path;
	survey_report(&r->survey, shown, wall && r->span.has_epoch ? &r->span.epoch_ns : NULL,
		      slice_filter_of_processes(c) || c->file_glob_count > 0);
	if (c->rank_count > 0 && r->survey.ranks.count == 0 && survey_wants_more(&r->survey))
		print_message("%s: none of its processes has a rank", shown);
}

static int copy(struct slice_run *r, size_t n)
{
	const bool seekable = trace_in_seekable(&r->in);
	struct slice *s = &r->slice;
	int status = s->traces_reported ? write_traces(r) : IOT_OK;
	for (; n > 0 && status == IOT_OK; n = trace_in_events(&r->in, r->ev, TRACE_IN_BATCH)) {
		if (!seekable && s->records == 0)
			survey_events(&r->survey, r->ev, n);
		status = slice_events(s, r->ev, n);
		if (s->over)
			break;
	}
	if (status == IOT_OK)
		status = slice_end(s);
	status = trace_in_finish(&r->in, r->writer, &r->write, status);
	if (s->records == 0 && iot_writer_fact(r->writer, IOT_FACT_COMPLETE) && !r->read.quiet)
		report_empty(r);
	if (iot_writer_fact(r->writer, IOT_FACT_COMPLETE))
		rounding_report(&r->rounding);
	if (status != EXIT_OK || r->rebase.before_zero == 0)
		return status;
	print_message("%ju times lie before time zero of the slice and became 0; give --from",
		      (uintmax_t)r->rebase.before_zero);
	return EXIT_FAULT;
}

static int slice(struct slice_run *r)
{
	bool failed = false;
	size_t n = trace_in_events(&r->in, r->ev, TRACE_IN_BATCH);
	bool found = look_at_head(r, n, &failed), whole = true;
	while (!found && n > 0 && trace_in_seekable(&r->in)) {
		whole = false;
		n = trace_in_events(&r->in, r->ev, TRACE_IN_BATCH);
		found = look_at_head(r, n, &failed);
	}
	if (failed)
		return out_of_memory();
	int status = trace_in_exit(&r->in);
	if (n == 0 && status != EXIT_OK)
		return status;
	status = resolve(r);
	if (status != EXIT_OK)
		return status;
	n = enter(r, n, whole);
	choose_zero(r, n);
	r->slice.reader = r->in.reader;
	trace_in_keep_framing(&r->in, &r->write);
	status = write_open(r->writer, &r->write, r->command);
	rounding_begin(&r->rounding, r->writer, r->verbose && !r->read.quiet);
	return status == EXIT_OK ? copy(r, n) : status;
}

static int run(struct slice_run *r, const struct command_spec *command, const char *path)
{
	r->command = command;
	r->path = path;
	int status = refuse_same_file(r->command, r->write.path, r->path);
	if (status != EXIT_OK)
		return status;
	r->write.framed = !r->write.bare;
	r->slice.choice = &r->choice;
	r->slice.out = write_slice;
	r->slice.context = r;
	trace_in_catch_signals(r->path, &r->read, r->write.path);
	status = trace_in_open(&r->in, r->path, &r->read, r->command);
	if (status == EXIT_OK) {
		r->writer = iot_writer_new();
		if (r->writer != NULL)
			status = slice(r);
		else
			status = out_of_memory();
	}
	iot_writer_free(r->writer);
	trace_in_close(&r->in);
	signals_restore();
	return status;
}

/* Options */

static const char *take_time(const struct option *opt, const char *value)
{
	return time_parse(value, opt->target);
}

static const char *take_records(const struct option *opt, const char *value)
{
	static const char expected[] = "numbers of records: A-B, A-, -B or A";
	struct slice *s = opt->target;
	const char *dash = strchr(value, '-');
	const size_t n = dash != NULL ? (size_t)(dash - value) : strlen(value);
	s->first = 0;
	s->last = UINT64_MAX;
	if (value[0] == '\0' || strcmp(value, "-") == 0)
		return expected;
	if (n > 0 && !number_decimal(value, n, &s->first))
		return expected;
	if (dash == NULL)
		s->last = s->first;
	else if (dash[1] != '\0' && !number_decimal(dash + 1, strlen(dash + 1), &s->last))
		return expected;
	return s->first <= s->last ? NULL : expected;
}

static const char *take_ranks(const struct option *opt, const char *value)
{
	return slice_filter_add_ranks(opt->target, value);
}

static const char *take_processes(const struct option *opt, const char *value)
{
	return slice_filter_add_processes(opt->target, value);
}

static const char *take_file(const struct option *opt, const char *value)
{
	return slice_filter_add_file(opt->target, value);
}

static int parse_and_run(struct slice_run *r, int argc, char **argv)
{
	const struct option options[] = {
	    CALL("from", "T", &r->from, "from time T on", take_time),
	    CALL("to", "T", &r->to, "up to, but not including, time T", take_time),
	    CALL("records", "A-B", &r->slice, "records A to B, counted from 0", take_records),
	    CALL("process", "LIST", &r->choice, "I/O of these processes", take_processes),
	    CALL("rank", "LIST", &r->choice, "I/O of the processes of these MPI ranks", take_ranks),
	    CALL("file", "GLOB", &r->choice, "I/O on files whose path matches GLOB; repeatable",
		 take_file),
	    OPTION(CHOICE, 0, "op", "all|read|write", &r->slice.op, "reads or writes alone"),
	    RANGE(NUMBER, 0, "every", "N", &r->slice.every,
		  "of the selected records, the first and every Nth", 1, UINT64_MAX),
	    OPTION(FLAG, 0, "rebase", NULL, &r->moves_zero,
		   "move time zero to --from, or else to the beginning of the slice"),
	    OPTION(FLAG, 0, "all-of-it", NULL, &r->slice.all_read,
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
	int status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	return run(r, &command, count > 0 ? argv[0] : "-");
}

int cmd_slice(int argc, char **argv)
{
	struct slice_run *r = calloc(1, sizeof *r);
	if (r == NULL)
		return out_of_memory();
	r->read = (struct read_options)READ_OPTIONS_INIT;
	r->read.read_size = READ_SIZE;
	r->read.verified = true;
	r->write = (struct write_options)WRITE_OPTIONS_INIT;
	r->slice.to_ns = INT64_MAX;
	r->slice.last = UINT64_MAX;
	r->slice.every = 1;
	const int status = parse_and_run(r, argc, argv);
	slice_free(&r->slice);
	slice_filter_free(&r->choice);
	time_shift_free(&r->rebase);
	survey_free(&r->survey);
	for (size_t i = 0; i < r->trace_count; i++)
		free(r->traces[i]);
	free(r);
	return status;
}
