/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace slice: a part of a trace as a trace of its own. */
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
	READ_SIZE = 1 << 17, /* little is read in vain where a slice begins and ends */
	TRACES_MAX = 256,    /* %trace before the first record */
};

struct run {
	const struct iot_command *command;
	const char *path;
	struct iot_in in;
	struct iot_read_options read;
	struct iot_write_options write;
	struct iot_time from, to;
	struct iot_span span;
	struct iot_choice choice;
	struct iot_slice slice;
	struct iot_rebase rebase;
	bool moves_zero;
	bool no_starts; /* lacks=start */
	struct iot_writer *writer;
	struct iot_rounding rounding;
	bool verbose;
	struct iot_event ev[IOT_IN_BATCH];
	char *traces[TRACES_MAX];
	size_t trace_count;
	struct iot_survey survey; /* of IN if it is a pipe */
};

static const char notes[] =
    "T is a time of the trace (250ms, 90s, 5m, 1.5h, 2d; seconds without a unit), a share of it\n"
    "(50%, from the first record's start to the last's), or a wall clock where the trace tells "
    "its\n"
    "epoch (07:40:14, the first one in the trace or, of --to, after --from; 2026-11-21T10:00:00;\n"
    "both local or followed by Z or +01:00; @1700000000).\n"
    "Records are counted from 0; those from --from on and before --to are taken, A to B "
    "inclusive.\n"
    "Directives with a time are taken by that; comments go with the record that follows. --op and\n"
    "--every choose among records alone, --every last of all. LIST is numbers, ranges and names:\n"
    "7,9-12,mpi*; of ranks without names. In GLOB and names * ? [...] match anything, '/' too;\n"
    "without a '/' in it the last part of a path is enough.\n"
    "A file is entered at the %sync before the slice, and read no further than its end; what lies\n"
    "outside is neither read nor checked. CPU times tell what was used since the process's record\n"
    "before, in the slice or not. IN has to be in order of start (reorder); --all-of-it reads "
    "on.\n";

static const char examples[] =
    "  iotrace slice --from=90s --to=2m -o part.iot.zst t.iot.zst   half a minute\n"
    "  iotrace slice --from=99% t.iot.zst | iotrace stat            the last of it\n"
    "  iotrace slice --records=1000000-1000099 t.iot.zst            a hundred records\n"
    "  iotrace slice --from=2026-11-21T10:00:00Z --rebase t.iot.zst\n"
    "  iotrace slice --from=07:40:14 --to=07:41 t.iot.zst           by the clock on the wall\n"
    "  iotrace slice --process=7,9-12 --file='*.db' --op=write t.iot.zst\n"
    "  iotrace slice --rank=0 t.iot.zst | iotrace stat              what rank 0 did\n"
    "  iotrace slice --every=100 -o sample.iot.zst t.iot.zst        one I/O of a hundred\n";

/* What the beginning tells */

static bool keep_trace(struct run *r, const struct iot_event *ev)
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

static void take_epoch(struct run *r, const struct iot_event *ev)
{
	const struct iot_text epoch = iot_directive_get(ev, "epoch");
	uint64_t ns;
	if (epoch.data != NULL && !r->span.has_epoch &&
	    iot_number_decimal(epoch.data, epoch.size, &ns)) {
		r->span.has_epoch = true;
		r->span.epoch_ns = ns;
	}
}

/* True: the first record is among them, or there is no memory. */
static bool look_at_head(struct run *r, size_t n, bool *failed)
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
		if (iot_directive_lacks(&r->ev[i], &lacks))
			r->no_starts = (lacks & IOT_START_UNKNOWN) != 0;
		*failed = !keep_trace(r, &r->ev[i]);
	}
	return *failed;
}

/* Times */

/* Start of the last record, from a reader of its own: what is damaged there need not matter. */
static int find_last(struct run *r)
{
	struct iot_read_options o = r->read;
	struct iot_in in;
	o.recover = o.quiet = true;
	o.progress = IOT_PROGRESS_NEVER;
	int status = iot_in_open(&in, r->path, &o, r->command);
	if (status == IOT_EXIT_OK) {
		const int sought = iot_reader_seek(in.reader, IOT_SEEK_TIME_NS, UINT64_MAX);
		r->span.last_ns = (int64_t)iot_reader_fact(in.reader, IOT_FACT_LAST_NS);
		if (sought == IOT_ENOMEM || sought == IOT_EIO) {
			iot_message("%s", iot_reader_error(in.reader));
			status = IOT_EXIT_FAULT;
		}
	}
	iot_in_close(&in);
	return status;
}

static int resolve(struct run *r)
{
	struct iot_slice *s = &r->slice;
	const bool share = r->from.kind == IOT_TIME_SHARE || r->to.kind == IOT_TIME_SHARE;
	const char *missing = NULL;
	if (r->no_starts &&
	    (r->from.kind != IOT_TIME_NOT_GIVEN || r->to.kind != IOT_TIME_NOT_GIVEN))
		return iot_opts_wrong(r->command, "the trace does not say when its I/Os started; "
						  "--records chooses by number");
	if (share && !iot_in_seekable(&r->in))
		return iot_opts_wrong(r->command, "a share (%%) needs a file: of what is read only "
						  "once nobody knows how long it is");
	if (share && find_last(r) != IOT_EXIT_OK)
		return IOT_EXIT_FAULT;
	r->span.after_ns = r->span.first_ns;
	if (r->from.kind != IOT_TIME_NOT_GIVEN)
		missing = iot_time_resolve(&r->from, &r->span, &s->from_ns);
	if (r->from.kind != IOT_TIME_NOT_GIVEN)
		r->span.after_ns = s->from_ns;
	if (r->to.kind != IOT_TIME_NOT_GIVEN && missing == NULL)
		missing = iot_time_resolve(&r->to, &r->span, &s->to_ns);
	if (missing != NULL)
		return iot_opts_wrong(r->command, "%s", missing);
	if (s->from_ns >= s->to_ns)
		return iot_opts_wrong(r->command, "--to is not behind --from");
	return IOT_EXIT_OK;
}

/* Out */

static int write_slice(void *context, struct iot_event *ev, size_t n)
{
	struct run *r = context;
	if (r->moves_zero && !iot_rebase_events(&r->rebase, ev, n))
		return IOT_ENOMEM;
	iot_rounding_events(&r->rounding, ev, n);
	return iot_writer_events(r->writer, ev, n);
}

static int write_traces(struct run *r)
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
static void choose_zero(struct run *r, size_t n)
{
	r->rebase.zero_ns = r->slice.from_ns;
	if (r->from.kind != IOT_TIME_NOT_GIVEN)
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

/* Goes to where the slice begins. The number of events in r->ev. */
static size_t enter(struct run *r, size_t n, bool head_is_whole)
{
	struct iot_slice *s = &r->slice;
	const bool by_time = s->from_ns > r->span.first_ns && !s->all_read;
	const bool anywhere = iot_in_seekable(&r->in);
	if (!anywhere || (!by_time && s->first == 0 && head_is_whole))
		return n;
	s->traces_told = by_time || s->first > 0;
	if (by_time && !iot_in_seek(&r->in, IOT_SEEK_TIME_NS, (uint64_t)s->from_ns))
		return 0;
	if ((!by_time || iot_reader_fact(r->in.reader, IOT_FACT_INDEX) < s->first) &&
	    !iot_in_seek(&r->in, IOT_SEEK_RECORD, s->first))
		return 0;
	s->index = iot_reader_fact(r->in.reader, IOT_FACT_INDEX);
	return iot_in_events(&r->in, r->ev, IOT_IN_BATCH);
}

/* A file is read again. The first and the last record are found even if it is long. */
static void survey_file(struct run *r)
{
	struct iot_survey *s = &r->survey;
	struct iot_read_options o = r->read;
	struct iot_in in;
	ssize_t n;
	o.recover = o.quiet = true;
	o.progress = IOT_PROGRESS_NEVER;
	/* The name that opens standard input anew, from its beginning. */
	const char *path = strcmp(r->path, "-") == 0 ? "/proc/self/fd/0" : r->path;
	if (iot_in_open(&in, path, &o, r->command) == IOT_EXIT_OK) {
		while (iot_survey_wants_more(s) &&
		       (n = iot_reader_events(in.reader, r->ev, IOT_IN_BATCH)) > 0)
			iot_survey_events(s, r->ev, (size_t)n);
		if (!iot_survey_wants_more(s) &&
		    iot_reader_seek(in.reader, IOT_SEEK_TIME_NS, UINT64_MAX) == IOT_OK) {
			s->records = iot_reader_fact(in.reader, IOT_FACT_INDEX);
			s->last_ns = (int64_t)iot_reader_fact(in.reader, IOT_FACT_LAST_NS);
		}
	}
	iot_in_close(&in);
}

static void tell_empty(struct run *r)
{
	const struct iot_choice *c = &r->choice;
	const bool wall = r->from.kind == IOT_TIME_WALL || r->to.kind == IOT_TIME_WALL;
	iot_message("warning: there are no records in the slice");
	if (iot_in_seekable(&r->in))
		survey_file(r);
	iot_survey_tell(&r->survey, strcmp(r->path, "-") == 0 ? "standard input" : r->in.path,
			wall && r->span.has_epoch ? &r->span.epoch_ns : NULL,
			iot_choice_of_processes(c) || c->file_glob_count > 0);
}

static int copy(struct run *r, size_t n)
{
	const bool seekable = iot_in_seekable(&r->in);
	struct iot_slice *s = &r->slice;
	int status = s->traces_told ? write_traces(r) : IOT_OK;
	for (; n > 0 && status == IOT_OK; n = iot_in_events(&r->in, r->ev, IOT_IN_BATCH)) {
		if (!seekable && s->records == 0)
			iot_survey_events(&r->survey, r->ev, n);
		status = iot_slice_events(s, r->ev, n);
		if (s->over)
			break;
	}
	if (status == IOT_OK)
		status = iot_slice_end(s);
	status = iot_in_finish(&r->in, r->writer, &r->write, status);
	if (s->records == 0 && iot_writer_fact(r->writer, IOT_FACT_COMPLETE) && !r->read.quiet)
		tell_empty(r);
	if (iot_writer_fact(r->writer, IOT_FACT_COMPLETE))
		iot_rounding_tell(&r->rounding);
	if (status != IOT_EXIT_OK || r->rebase.before_zero == 0)
		return status;
	iot_message("%ju times lie before time zero of the slice and became 0; give --from",
		    (uintmax_t)r->rebase.before_zero);
	return IOT_EXIT_FAULT;
}

static int slice(struct run *r)
{
	bool failed = false;
	size_t n = iot_in_events(&r->in, r->ev, IOT_IN_BATCH);
	bool found = look_at_head(r, n, &failed), whole = true;
	while (!found && n > 0 && iot_in_seekable(&r->in)) {
		whole = false;
		n = iot_in_events(&r->in, r->ev, IOT_IN_BATCH);
		found = look_at_head(r, n, &failed);
	}
	if (failed)
		return iot_no_memory();
	int status = iot_in_exit(&r->in);
	if (n == 0 && status != IOT_EXIT_OK)
		return status;
	status = resolve(r);
	if (status != IOT_EXIT_OK)
		return status;
	n = enter(r, n, whole);
	choose_zero(r, n);
	r->slice.reader = r->in.reader;
	iot_in_keep_framing(&r->in, &r->write);
	status = iot_write_open(r->writer, &r->write, r->command);
	iot_rounding_begin(&r->rounding, r->writer, r->verbose && !r->read.quiet);
	return status == IOT_EXIT_OK ? copy(r, n) : status;
}

static int run(struct run *r, const struct iot_command *command, const char *path)
{
	r->command = command;
	r->path = path;
	int status = iot_refuse_same(r->command, r->write.path, r->path);
	if (status != IOT_OPTS_GO_ON)
		return status;
	r->write.framed = !r->write.bare;
	r->slice.choice = &r->choice;
	r->slice.out = write_slice;
	r->slice.context = r;
	iot_in_catch_signals(r->path, &r->read, r->write.path);
	status = iot_in_open(&r->in, r->path, &r->read, r->command);
	if (status == IOT_EXIT_OK) {
		r->writer = iot_writer_new();
		if (r->writer != NULL)
			status = slice(r);
		else
			status = iot_no_memory();
	}
	iot_writer_free(r->writer);
	iot_in_close(&r->in);
	iot_signals_restore();
	return status;
}

/* Options */

static const char *take_time(const struct iot_opt *opt, const char *value)
{
	return iot_time_parse(value, opt->target);
}

static const char *take_records(const struct iot_opt *opt, const char *value)
{
	static const char expected[] = "numbers of records: A-B, A-, -B or A";
	struct iot_slice *s = opt->target;
	const char *dash = strchr(value, '-');
	const size_t n = dash != NULL ? (size_t)(dash - value) : strlen(value);
	s->first = 0;
	s->last = UINT64_MAX;
	if (value[0] == '\0' || strcmp(value, "-") == 0)
		return expected;
	if (n > 0 && !iot_number_decimal(value, n, &s->first))
		return expected;
	if (dash == NULL)
		s->last = s->first;
	else if (dash[1] != '\0' && !iot_number_decimal(dash + 1, strlen(dash + 1), &s->last))
		return expected;
	return s->first <= s->last ? NULL : expected;
}

static const char *take_ranks(const struct iot_opt *opt, const char *value)
{
	return iot_choice_add_ranks(opt->target, value);
}

static const char *take_processes(const struct iot_opt *opt, const char *value)
{
	return iot_choice_add_processes(opt->target, value);
}

static const char *take_file(const struct iot_opt *opt, const char *value)
{
	return iot_choice_add_file(opt->target, value);
}

static int parse_and_run(struct run *r, int argc, char **argv)
{
	const struct iot_opt options[] = {
	    IOT_CALL("from", "T", &r->from, "from time T on", take_time),
	    IOT_CALL("to", "T", &r->to, "up to time T, which is not in it", take_time),
	    IOT_CALL("records", "A-B", &r->slice, "records A to B, counted from 0", take_records),
	    IOT_CALL("process", "LIST", &r->choice, "what these processes did", take_processes),
	    IOT_CALL("rank", "LIST", &r->choice, "what the processes of these MPI ranks did",
		     take_ranks),
	    IOT_CALL("file", "GLOB", &r->choice,
		     "what was done to files of such a path; repeatable", take_file),
	    IOT_OPTION(CHOICE, 0, "op", "all|read|write", &r->slice.op, "reads or writes alone"),
	    IOT_RANGE(NUMBER, 0, "every", "N", &r->slice.every,
		      "the first of the records chosen so far, and every Nth", 1, UINT64_MAX),
	    IOT_OPTION(FLAG, 0, "rebase", NULL, &r->moves_zero,
		       "time zero is --from, or else the beginning of the slice"),
	    IOT_OPTION(FLAG, 0, "all-of-it", NULL, &r->slice.all_read,
		       "read all of IN, as its records are not in order of start"),
	    IOT_OPT_OUTPUT(r->write),
	    IOT_OPTION(FLAG, 'v', "verbose", NULL, &r->verbose, "tell what the tick has rounded"),
	    IOT_OPT_QUIET(r->read.quiet, r->read.progress),
	    IOT_GROUP("Reading"),
	    IOT_OPT_READING(r->read),
	    IOT_GROUP("Writing"),
	    IOT_OPT_TICK(r->write, "that of IN"),
	    IOT_OPT_BASE_OF_IN(r->write),
	    IOT_OPT_WRITING(r->write),
	    IOT_OPTIONS_END,
	};
	const struct iot_command command = {
	    .name = "slice",
	    .summary = "Take a part of a trace",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	};
	size_t count;
	int status = iot_opts_parse(&command, argc, argv, &count);
	if (status != IOT_OPTS_GO_ON)
		return status;
	return run(r, &command, count > 0 ? argv[0] : "-");
}

int iot_cmd_slice(int argc, char **argv)
{
	struct run *r = calloc(1, sizeof *r);
	if (r == NULL)
		return iot_no_memory();
	r->read = (struct iot_read_options)IOT_READ_OPTIONS_INIT;
	r->read.read_size = READ_SIZE;
	r->read.verified = true;
	r->write = (struct iot_write_options)IOT_WRITE_OPTIONS_INIT;
	r->slice.to_ns = INT64_MAX;
	r->slice.last = UINT64_MAX;
	r->slice.every = 1;
	const int status = parse_and_run(r, argc, argv);
	iot_slice_free(&r->slice);
	iot_choice_free(&r->choice);
	iot_rebase_free(&r->rebase);
	iot_survey_free(&r->survey);
	for (size_t i = 0; i < r->trace_count; i++)
		free(r->traces[i]);
	free(r);
	return status;
}
