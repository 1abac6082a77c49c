/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace stat: counts the I/O of files or processes, by kind. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/stat/results.h"
#include "cli/ui/plan.h"
#include "cli/ui/same_file.h"
#include "cli/views/stat.h"
#include "lib/base/text.h"

enum { TOP_ON_TERMINAL = 20, NAMES_MAX = 1 << 28 /* bytes */ };

struct stat_run {
	struct stat_results results;
	struct iot_stats_options options;
	struct trace_in_options read;
	struct plan_options plan;
	const struct command_spec *command;
	int sort; /* enum iot_stats_sort */
	struct print_choice form;
	bool cut;                     /* an input could not be read whole */
	uintmax_t gaps;               /* %lost in the inputs */
	uint32_t trace;               /* the number of the input that is read; 0: the only one */
	bool no_memory;               /* for a first name */
	enum exit_status read_status; /* EXIT_DAMAGED also if an input says that it is incomplete */
};

/* Parts, see iot_reader_fold */

struct stat_part {
	struct iot_stats *stats;
	struct unseen unseen;
	uintmax_t gaps;
	struct tie_sums ties;
};

static void drop_part(void *context, void *part)
{
	struct stat_part *p = part;
	(void)context;
	iot_stats_free(p->stats);
	tie_sums_free(&p->ties);
	free(p);
}

static void *begin_part(void *context)
{
	const struct stat_run *s = context;
	struct stat_part *p = calloc(1, sizeof *p);
	if (p == NULL)
		return NULL;
	p->stats = iot_stats_new(&s->options);
	if (p->stats != NULL)
		return p;
	free(p);
	return NULL;
}

static bool count_directive(struct stat_part *p, const struct iot_event *ev)
{
	unseen_add(&p->unseen, ev);
	p->gaps += ev->kind == IOT_LOST;
	return tie_sums_event(&p->ties, ev);
}

static int count_events(void *part, const struct iot_event *ev, size_t n)
{
	struct stat_part *p = part;
	for (size_t i = 0; i < n; i++)
		if (ev[i].kind != IOT_RECORD && !count_directive(p, &ev[i]))
			return IOT_ENOMEM;
	return iot_stats_events(p->stats, ev, n);
}

static int join_part(void *context, void *part)
{
	struct stat_run *s = context;
	struct stat_part *p = part;
	int status = iot_stats_join(s->results.stats, p->stats);
	/* objects of several inputs have no common numbers */
	if (status == IOT_OK && s->results.input_count == 1 &&
	    !tie_sums_join(&s->results.ties, &p->ties))
		status = IOT_ENOMEM;
	unseen_join(&s->results.unseen, &p->unseen);
	s->gaps += p->gaps;
	drop_part(s, part);
	trace_in_show_progress(&s->results.in);
	return status;
}

static void warn(const struct stat_run *s)
{
	const struct iot_stats *stats = s->results.stats;
	const uintmax_t left_out = iot_stats_fact(stats, IOT_STATS_LEFT_OUT);
	const uintmax_t unnamed = iot_stats_fact(stats, IOT_STATS_UNNAMED);
	if (s->gaps > 0 && !s->cut) /* damage has been reported */
		message_print("warning: %ju %%lost: the trace is incomplete", s->gaps);
	if (left_out > 0)
		message_print("warning: %ju %s records are left out; see --layer", left_out,
			      s->results.physical ? "logical" : "physical");
	if (stat_has_samples(&s->results) && iot_stats_total(stats)->samples == 0)
		message_print(
		    "warning: the trace has no samples, and only samples have targets and jobs");
	else if (s->results.counters_only && iot_stats_fact(stats, IOT_STATS_SAMPLES) > 0)
		message_print("warning: there are no I/Os to count, but %ju samples of counters, "
			      "which 'iotrace analyze' evaluates; see --by=host",
			      (uintmax_t)iot_stats_fact(stats, IOT_STATS_SAMPLES));
	else if (s->results.by == IOT_STATS_BY_HOST && !stat_has_samples(&s->results) &&
		 iot_stats_fact(stats, IOT_STATS_SAMPLES) > 0)
		message_print("warning: %ju samples are left out, because there are I/Os",
			      (uintmax_t)iot_stats_fact(stats, IOT_STATS_SAMPLES));
	else if (s->results.counters_only)
		message_print(
		    "warning: there are no I/Os to count, but %ju %%counter with figures, "
		    "which 'iotrace cat' shows",
		    (uintmax_t)iot_stats_fact(stats, IOT_STATS_COUNTERS));
	else if (iot_stats_fact(stats, IOT_STATS_COUNTER_TRACES) > 0)
		message_print("warning: %ju inputs have no I/Os to count, but %%counter with "
			      "figures, which 'iotrace cat' shows",
			      (uintmax_t)iot_stats_fact(stats, IOT_STATS_COUNTER_TRACES));
	if (iot_stats_fact(stats, IOT_STATS_UNALIGNED) != 0)
		message_print("warning: not all inputs declare an epoch, so all of them start at "
			      "the same time");
	if (iot_stats_fact(stats, IOT_STATS_LAYERS) != 0)
		message_print(
		    "warning: this trace has the I/O of several layers: what one hands to "
		    "the other counts twice; see --layer of 'iotrace convert'");
	if (unnamed > 0)
		message_print(
		    "warning: %ju names are not shown: there are more than %d MiB of them", unnamed,
		    NAMES_MAX >> 20);
}

/* The reader of one of several inputs is closed before the results are printed. */
static void keep_first_name(struct stat_run *s, uint32_t object, struct iot_text last)
{
	struct iot_text first = {NULL, 0};
	first.data = iot_reader_first_name(s->results.in.reader, object, &first.size);
	if (first.data != NULL && !text_same(first, last))
		s->no_memory |= !first_names_add(&s->results.first_names, s->trace, object, first);
}

static const char *object_name(void *context, uint32_t object, size_t *size)
{
	struct stat_run *s = context;
	struct iot_reader *reader = s->results.in.reader;
	const char *path = reader != NULL ? iot_reader_name(reader, object, size) : NULL;
	if (path != NULL && s->trace > 0)
		keep_first_name(s, object, (struct iot_text){path, *size});
	return path;
}

/* Returns EXIT_OK also if the input could not be read whole. */
static enum exit_status count_input(struct stat_run *s, const char *path)
{
	const struct iot_fold fold = {s, begin_part, count_events, join_part, drop_part};
	s->results.stats = NULL;
	const enum exit_status status = trace_in_open(&s->results.in, path, &s->read, s->command);
	if (status != EXIT_OK)
		return status;
	s->results.layer = layer_name(trace_in_layer(&s->results.in));
	s->results.physical = trace_in_is_physical(&s->results.in);
	s->options.physical = s->results.physical;
	s->results.stats = iot_stats_new(&s->options);
	if (s->results.stats == NULL)
		return message_no_memory();
	trace_in_fold(&s->results.in, &fold);
	progress_clear(&s->results.in.progress);
	s->cut |= s->results.in.status != IOT_OK;
	if (s->results.in.grows && !s->read.quiet)
		message_print("%s: is being written: %ju records so far", s->results.in.path,
			      (uintmax_t)iot_reader_fact(s->results.in.reader, IOT_FACT_RECORDS));
	const enum exit_status read = trace_in_exit(&s->results.in, s->results.in.delivered);
	s->read_status = exit_status_worse(s->read_status, read);
	return read == EXIT_FAILED ? EXIT_FAILED : EXIT_OK;
}

/* A single input stays open, because its reader knows the paths of objects. */
static enum exit_status count_several(struct stat_run *s)
{
	struct iot_stats *all = iot_stats_new(&s->options);
	enum exit_status status = all == NULL ? message_no_memory() : EXIT_OK;
	for (size_t i = 0; i < s->results.input_count && status == EXIT_OK; i++) {
		s->trace = (uint32_t)i + 1;
		status = count_input(s, s->results.inputs[i]);
		if (status == EXIT_OK &&
		    (iot_stats_join_trace(all, s->results.stats) != IOT_OK || s->no_memory))
			status = message_no_memory();
		iot_stats_free(s->results.stats);
		s->results.stats = NULL; /* the next input may not open */
		trace_in_close(&s->results.in);
	}
	s->results.stats = all;
	return status;
}

static enum exit_status count(struct stat_run *s)
{
	s->options = (struct iot_stats_options){.size = sizeof s->options,
						.by = (uint32_t)s->results.by,
						.sort = (uint32_t)s->sort,
						.physical = s->read.layer == LAYER_PHYSICAL,
						.names_max = NAMES_MAX,
						.object_name = object_name,
						.context = s};
	s->read_status = EXIT_OK;
	if (s->results.by == STAT_BY_OPERATION)
		s->options.by = IOT_STATS_BY_PROCESS;
	const enum exit_status status =
	    s->results.input_count > 1 ? count_several(s) : count_input(s, s->results.inputs[0]);
	if (status != EXIT_OK)
		return status;
	if (iot_stats_finish(s->results.stats) != IOT_OK)
		return message_no_memory();
	tie_sums_sort(&s->results.ties);
	s->results.counters_only = stat_has_only_counters(s->results.stats);
	return EXIT_OK;
}

static enum exit_status run(struct stat_run *s)
{
	enum exit_status status =
	    trace_in_choose_layer(&s->read, s->results.inputs, s->results.input_count, s->command);
	if (status == EXIT_OK)
		status = count(s);
	if (status == EXIT_OK)
		status = output_open(&s->results.out, "-", 0);
	if (status != EXIT_OK)
		goto out;
	if (!s->read.quiet)
		warn(s);
	const bool nothing = s->cut && iot_stats_fact(s->results.stats, IOT_STATS_ROWS) == 0;
	if (nothing) /* which differs from counts of zero */
		s->read_status = EXIT_FAILED;
	else if (s->form.chosen != NULL)
		stat_print(&s->results, s->form.chosen);
	else
		stat_print_text(&s->results);
	status = exit_status_worse(s->read_status, output_close(&s->results.out));
out:
	iot_stats_free(s->results.stats);
	tie_sums_free(&s->results.ties);
	trace_in_close(&s->results.in);
	first_names_free(&s->results.first_names);
	return status;
}

static const char notes[] =
    "object: a file in the whole trace, whoever opens it, or one fileId if the trace does\n"
    "not define objects. file: one fileId of a process, which is one open. dir: the directories\n"
    "of objects. op: operations by name, most time first. target, job: the sums of %sample, as of\n"
    "a host without I/Os. Rows without a rank, host, path, target or job are one row \"-\". Other\n"
    "rows are in order of --sort, largest first; the total precedes them.\n"
    "opens: %op open and create that succeeded, created the file or not.\n"
    "in I/O: the sum of all durations. seq: I/Os that begin where the previous one in the same\n"
    "fileId of the same process ended; same: I/Os of the size of the previous one; both as a\n"
    "share of the I/Os that have a previous one (followers). Sizes are classes of powers of two.\n"
    "A figure that the source did not know is \"-\" (tsv: empty, json: null), never 0. In I/O "
    "with\n"
    "a \">\" is the sum of the durations that are known, of which there are \"timed\"; seq is of "
    "the\n"
    "followers whose distance from the one before is known (\"placed\").\n"
    "tsv: process, file, object, opens, reads, writes, read_bytes, written_bytes, io_ns,\n"
    "followers, sequential, same_size, sizes, name, rank (of a process that has one), timed,\n"
    "placed, first_ns, last_ns (starts of the first and the last I/O); process, file and object\n"
    "are 0 in rows that combine several; sizes is a list of\n"
    "FROM:COUNT; in name control characters and '%' are %XX; no total.\n"
    "tsv --by=op: operation, calls, failed, timed, ns. tsv of samples: name, samples, opens, "
    "reads,\n"
    "writes, read_bytes, written_bytes.\n"
    "json: {\"by\", \"layer\", \"rows\": [...], \"total\"} with the same names, \"latency_ns\" "
    "(min, mean, "
    "p50,\n"
    "p99 and max of reads and of writes), \"span_ns\" (first start to last end), \"operations\".\n"
    "If the trace has %op, a table of all operations follows, most time first.\n"
    "Several inputs are counted together: objects with the same path are one, and so are equal\n"
    "ranks, hosts and directories. Rows with ids name the input that these are of (tsv: a last\n"
    "column; json: a member input). input: a row for each of them.\n";

static const char examples[] =
    "  iotrace stat t.iot.zst                            files, most bytes first\n"
    "  iotrace stat --by=process t.iot.zst               I/O by process\n"
    "  iotrace stat --by=dir --top=5 t.iot.zst           the directories with most bytes\n"
    "  iotrace stat --by=rank --sort=time t.iot.zst      the slowest ranks\n"
    "  iotrace stat --by=op t.iot.zst                    calls and time by operation\n"
    "  iotrace stat --by=input rank*.iot.zst             the totals, and a row for each trace\n"
    "  iotrace stat --tsv t.iot.zst | cut -f 7,8,14      bytes read and written, path\n"
    "  iotrace stat --json t.iot.zst | jq '.total.reads'\n";

enum exit_status cmd_stat(int argc, char **argv)
{
	struct stat_run s = {.read = TRACE_IN_COUNTED_INIT,
			     .results = {.by = IOT_STATS_BY_OBJECT, .top = NOT_GIVEN}};
	const struct option options[] = {
	    OPTION(CHOICE, 'b', "by", "file|process|object|rank|host|dir|input|target|job|op",
		   &s.results.by, "group rows by (default: object)"),
	    OPTION(CHOICE, 0, "sort", "bytes|ios|time|opens|reads|writes|read|written", &s.sort,
		   "order of rows, largest first (default: bytes)"),
	    RANGE(NUMBER, 0, "top", "N", &s.results.top,
		  "print N rows (default: 20 as text on a terminal, otherwise all)", 0, 0),
	    OPTION_FORMS(s.form, "", "columns"),
	    OPTION_LAYER(s.read.layer),
	    OPTION_QUIET(s.read.quiet, s.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(s.read),
	    OPTION_PLAN(s.plan),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "stat",
	    .summary = "Count opens, I/Os and bytes by file or process",
	    .synopsis = "[OPTION]... [IN]...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	};
	size_t count_operands;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count_operands, &status))
		return status;
	if (!print_choice_valid(&s.form, &command))
		return EXIT_FAILED;
	if (s.results.top == NOT_GIVEN && s.form.chosen == NULL && isatty(STDOUT_FILENO))
		s.results.top = TOP_ON_TERMINAL;
	char standard[] = "-", *alone[] = {standard};
	s.command = &command;
	s.read.growing = true;
	const char *path = count_operands > 0 ? argv[0] : NULL;
	if (count_operands > 1 && s.plan.file != NULL)
		return options_wrong(&command, "--plan is of one trace");
	status = plan_choose(&s.plan, &path, &s.read, &command);
	if (status != EXIT_OK)
		return status;
	if (count_operands == 0 && path != NULL)
		alone[0] = s.plan.part.traces->path;
	s.results.inputs = count_operands > 0 ? argv : alone;
	s.results.input_count = count_operands > 0 ? count_operands : 1;
	s.read.names_input = count_operands > 1;
	s.read.shows_layer = print_choice_is_nested(&s.form);
	status = same_file_check_inputs(&command, s.results.inputs, s.results.input_count,
					s.read.quiet ? NULL : "its I/O is counted twice");
	if (status == EXIT_OK)
		status = run(&s);
	plan_part_free(&s.plan.part);
	return status;
}
