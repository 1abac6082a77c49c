/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace analyze: rates, sizes and order of the requests of a trace, and its I/O over time. */
#include "analyze_run.h"

#include <stdlib.h>
#include <string.h>

#include "cli/analyze/cpu_times.h"
#include "cli/analyze/states.h"
#include "cli/jobs/list_reader.h"
#include "cli/ui/message.h"
#include "cli/ui/trace_time.h"

/* The section that each table of --by needs */
static const uint32_t table_sections[] = {IOT_ANALYZE_PROCESSES, IOT_ANALYZE_PROCESSES,
					  IOT_ANALYZE_PROCESSES, IOT_ANALYZE_FILES,
					  IOT_ANALYZE_FILES,     IOT_ANALYZE_METADATA};

/* Conditions may be on any value, and some groups are values of other sections. */
static bool needs_all_sections(const struct analyze_run *a)
{
	bool files = a->where.conditions > 0;
	for (unsigned i = 0; i < a->group.levels; i++)
		files |= a->group.by[i] == ANALYZE_GROUP_STRATEGY;
	return files;
}

static const char *option_where(const struct option *opt, const char *value)
{
	return where_parse(opt->target, value);
}

static const char *option_zone(const struct option *opt, const char *value)
{
	*(const char **)opt->target = value;
	return list_zone_exists(value) ? NULL : "a time zone, such as Europe/Berlin";
}

static enum exit_status run(struct analyze_run *a, char **paths, size_t count,
			    const struct command_spec *command)
{
	analyze_run_set_options(a);
	if (a->by != NOT_BY && a->by != BY_JOB)
		a->options.sections = table_sections[a->by];
	if (a->group.levels > 0 && !analyze_run_has_pictures(a) && !needs_all_sections(a))
		a->options.sections = ANALYZE_GROUP_SECTIONS;
	const bool by_job = a->by == BY_JOB || a->group.levels > 0 || analyze_run_selects_jobs(a);
	if (by_job && (a->state != NULL || count == 0))
		return options_wrong(
		    command, "--by=job, --group, --jobs, --where and --pick need inputs that are "
			     "files, and no --state");
	const enum exit_status before =
	    a->against != NULL ? analyze_run_before(a, command) : EXIT_OK;
	if (before != EXIT_OK && a->before == NULL)
		return before;
	const enum exit_status status =
	    count > 1 || by_job ||
		    (count == 1 && a->read.range == NULL && a->part.n == 1 &&
		     analyze_is_state(paths[0]))
		? analyze_run_inputs(a, paths, count, command)
		: analyze_run_trace(a, count == 1 ? paths[0] : "-", command);
	iot_analyze_free(a->results.analysis);
	iot_analyze_free(a->before);
	return exit_status_worse(status, before);
}

/* The requests of a state are at times of the wall clock. */
static enum exit_status refuse_states(const struct analyze_run *a, char **paths, size_t count)
{
	for (size_t i = 0; i <= count && a->clock == CLOCK_CPU; i++) {
		const char *path = i < count ? paths[i] : a->against;
		if (path == NULL || strcmp(path, "-") == 0 || !analyze_is_state(path))
			continue;
		message_print_about(path, "%s", cpu_times_of_state);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

/*
 * Decoding takes about half of the time, and decoding by a few threads delivers records more
 * slowly.
 */
static uint64_t decoding_threads(const struct analyze_run *a)
{
	const uint64_t n = a->options.threads;
	return n >= 4 ? n / 2 : n > 0;
}

static const char notes[] =
    "A request is a record of a read or write of file data. Rates are per second of CPU time if\n"
    "the trace has CPU clocks, else of wall time. Data size: the sum of the highest offsets that\n"
    "requests of each file reach. Consecutive: at the end of the previous request of the same\n"
    "direction in the same open file; patterns concern all requests of one direction in one\n"
    "open file.\n"
    "Over time: bins of one second, less in short traces, more in long ones. Burstiness: 0 if "
    "every\n"
    "bin, 1 if no bin has more than 1 MiB/s. In I/O: the union of the synchronous requests of a\n"
    "process.\n"
    "Bursts: runs of fine bins with more than a tenth of the median of the bins with bytes.\n"
    "Footprint: different bytes of files. Swapping: read again, or written and read later.\n"
    "Checkpoint: written again and again, or to files that differ by numbers, and seldom read.\n"
    "Shared: by several processes; N-1, N-M, N-N: most bytes are in files of all, several or\n"
    "one process.\n"
    "Operations: those that are no reads or writes, the sum of their times, and the most calls.\n"
    "A value that cannot be computed is \"-\" (json: null); tsv states the reason as a note.\n"
    "tsv: section, name, key, unit, value, note. json: {SECTION: {NAME: VALUE}}, or {NAME:\n"
    "{KEY: VALUE}} where a name has several values, by size or pattern.\n"
    "iotrace-analyze(1) defines all values.\n";

static const char examples[] =
    "  iotrace analyze app.iot.zst                             one screen\n"
    "  iotrace analyze --json app.iot.zst | jq .totals.bytes   one value\n"
    "  iotrace analyze --section=sizes --tsv app.iot.zst       all values of a section\n"
    "  iotrace analyze --by=file --top=5 app.iot.zst           the files with most bytes\n"
    "  iotrace analyze --html=app.html app.iot.zst             a report with plots\n"
    "  iotrace analyze --threads=4 app.iot.zst                 on four processors\n"
    "  iotrace record -o - app | iotrace analyze --every=1s -  a program while it runs\n"
    "  iotrace analyze app.darshan                             a log of another tool\n";

enum exit_status cmd_analyze(int argc, char **argv)
{
	struct analyze_run a = {.read = TRACE_IN_WHOLE_INIT,
				.part = {1, 1},
				.by = NOT_BY,
				.strategy = NOT_SHARED,
				.top = NOT_GIVEN};
	const struct option options[] = {
	    OPTION_FORMS(a.form, "all values as ", "all values as rows"),
	    OPTION(STRING, 's', "state", "FILE", &a.state,
		   "write the state to FILE instead of a report (.gz, .zst: compressed)"),
	    OPTION(STRING, 0, "html", "FILE", &a.html, "write an HTML report with plots to FILE"),
	    OPTION(STRING, 0, "plots", "DIR", &a.plots,
		   "write plots, and their data, to files in DIR"),
	    OPTION(FLAG, 0, "png", NULL, &a.png, "make PNG images of the plots, too"),
	    CALL("part", "K/N", &a.part,
		 "analyze only the K-th of N parts, cut at %syncs; with --plan K, the line",
		 analyze_option_part),
	    OPTION(STRING, 0, "plan", "FILE", &a.plan,
		   "analyze what the lines of FILE state, which 'iotrace parts' printed"),
	    WORDS("section", "LIST", &a.options.sections,
		  "compute only these: totals, sizes, order, time, cycles, metadata, files, "
		  "processes, reuse, classes, counters, map, findings",
		  analyze_option_section, analyze_section_word),
	    OPTION(CHOICE, 'b', "by", "process|rank|host|file|dir|op|job", &a.by,
		   "print a table by this instead, most bytes first; op: most time first"),
	    WORDS("group", "BY[,BY]", &a.group,
		  "print a row for each group of several jobs: by user, command, dir, account, "
		  "size, strategy or interface; two are crossed",
		  analyze_option_group, analyze_group_word),
	    OPTION(STRING, 0, "jobs", "FILE", &a.jobs,
		   "the jobs of a batch system: sacct -P, PBS accounting, or csv"),
	    OPTION(STRING, 0, "jobs-columns", "LIST", &a.list_options.columns,
		   "names of the columns of --jobs, if its first line has none"),
	    OPTION(FLAG, 0, "jobs-strict", NULL, &a.list_options.strict,
		   "refuse a list of jobs with lines that are not understood"),
	    CALL("tz", "ZONE", &a.list_options.zone,
		 "zone of times in --jobs that have none (default: UTC)", option_zone),
	    OPTION(CHOICE, 0, "strategy", "weighted|simple|discard|double", &a.strategy,
		   "share the samples of hosts among --jobs as 'iotrace match' does"),
	    CALL("where", "CONDITION", &a.where,
		 "only jobs for which this is true, such as 'run_time_s >= 1h'", option_where),
	    CALL("pick", "VALUE:max|min|median", &a.picks,
		 "the job with this value, such as S_r:max or 'T:median where P >= 64'; with "
		 "--section=map, its map",
		 analyze_option_pick),
	    OPTION(STRING, 0, "against", "RUN", &a.against,
		   "print the values that differ from this trace's or state's"),
	    RANGE(NUMBER, 0, "top", "N", &a.top,
		  "rows of the table (default: 20 on a terminal), or of lists (default: 10)", 1,
		  UINT32_MAX),
	    OPTION_LAYER(a.read.layer),
	    OPTION(FLAG, 0, "per-thread", NULL, &a.per_thread,
		   "do not add threads to their processes"),
	    OPTION(FLAG, 0, "one-job", NULL, &a.one_job,
		   "several inputs are traces of one job, even if they do not declare it"),
	    OPTION(FLAG, 0, "allow-gaps", NULL, &a.allow_gaps,
		   "join states of parts between which others are missing; exit status 1"),
	    RANGE(SIZE, 0, "small", "SIZE", &a.options.small, "largest small request (default: 1M)",
		  1, UINT64_MAX),
	    RANGE(SIZE, 0, "large", "SIZE", &a.options.large,
		  "smallest extent of a large file (default: 4M)", 1, UINT64_MAX),
	    CALL("alignment", "N", &a.options.alignment,
		 "bytes of alignment, a power of two (default: 4096)", analyze_option_alignment),
	    RANGE(NUMBER, 0, "runtime", "S", &a.runtime_s,
		  "run time of the job in seconds (default: from the trace)", 1,
		  UINT64_MAX / NS_PER_S),
	    OPTION(CHOICE, 0, "clock", "wall|cpu", &a.clock,
		   "wall: times of the trace (default); cpu: requests are at the CPU time of their "
		   "process and take none"),
	    CALL("interval", "TIME", &a.options.interval_ns,
		 "width of the bins over time, such as 30s (default: 1s, less for short runs)",
		 option_duration),
	    OPTION(FLAG, 0, "working-set", NULL, &a.working_set,
		   "estimate the distinct blocks in windows of time (section reuse)"),
	    OPTION(FLAG, 0, "dependencies", NULL, &a.dependencies,
		   "which processes read what others wrote; overwrites by other processes"),
	    CALL("every", "TIME", &a.every_ns,
		 "print totals and rates of each period of the trace's time while reading",
		 option_duration),
	    RANGE(NUMBER, 0, "nodes", "N", &a.options.nodes,
		  "nodes of the job (default: the hosts of its processes)", 1, UINT32_MAX),
	    RANGE(NUMBER, 0, "threads", "N", &a.options.threads,
		  "compute the statistics on N threads", 1, 256),
	    OPTION_NO_FSYNC(a.no_fsync),
	    OPTION_QUIET(a.read.quiet, a.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(a.read),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "analyze",
	    .summary = "Compute rates, request sizes, and the order of requests",
	    .synopsis = "[OPTION]... [IN]...\n[OPTION]... STATE...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	status = analyze_run_check(&a, argv, count, &command);
	if (status != EXIT_OK)
		return status;
	a.read.no_names = true;
	a.read.threads = decoding_threads(&a);
	a.read.mixes_layers = a.every_ns == 0; /* a state has both */
	if (a.plan != NULL && a.part.n > 0)
		return analyze_run_lines(&a, &command);
	char **paths = argv;
	status = a.plan != NULL ? analyze_run_choose_line(&a, &paths, &count, &command) : EXIT_OK;
	if (status == EXIT_OK)
		status = analyze_run_check_files(&a, paths, count, &command);
	if (status == EXIT_OK)
		status = refuse_states(&a, paths, count);
	if (status == EXIT_OK && a.plan == NULL && a.part.n == 1 &&
	    (count == 0 || !analyze_is_state(paths[0])))
		status = trace_in_choose_layer(&a.read, paths, count, &command);
	if (a.state != NULL)
		a.read.selects_layer = false;
	if (status == EXIT_OK && a.every_ns > 0)
		return analyze_run_periods(&a, count == 1 ? argv[0] : "-", &command);
	if (status == EXIT_OK)
		status = run(&a, paths, count, &command);
	if (paths != argv)
		free(paths);
	plan_part_free(&a.planned);
	return status;
}
