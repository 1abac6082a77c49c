/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace analyze: rates, sizes and order of the requests of a trace, and its I/O over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <iotrace/analyze.h>

#include "cli/analyze/cpu_times.h"
#include "cli/analyze/inputs.h"
#include "cli/analyze/option_values.h"
#include "cli/analyze/periods.h"
#include "cli/analyze/results.h"
#include "cli/analyze/several.h"
#include "cli/analyze/states.h"
#include "cli/jobs/job_list.h"
#include "cli/jobs/list_reader.h"
#include "cli/report/plots.h"
#include "cli/report/report.h"
#include "cli/report/report_jobs.h"
#include "cli/ui/piped.h"
#include "cli/ui/plan.h"
#include "cli/ui/same_file.h"
#include "cli/ui/trace_in.h"
#include "cli/ui/trace_time.h"
#include "cli/views/against.h"
#include "cli/views/analyze.h"
#include "cli/views/analyze_rows.h"
#include "lib/base/atomic_file.h"
#include "lib/base/number.h"

#define PART_NEEDS                                                                                 \
	"--part=K/N needs a trace in a regular file; 'iotrace parts' makes plans for --plan, "     \
	"with which a part can be standard input"

enum { NS_PER_S = 1000000000, TOP_ON_TERMINAL = 20, NOT_BY = -1, BY_JOB = 6 };
enum { CLOCK_WALL, CLOCK_CPU };

struct analyze_run {
	struct analyze_results results;
	struct iot_analyze_options options;
	struct trace_in in;
	struct trace_in_options read;
	const char *sections;
	const char *state;          /* the file to write it to; or NULL */
	const char *html, *plots;   /* the report and the directory for plots, or NULL */
	const char *against;        /* the run to compare with, or NULL */
	struct iot_analyze *before; /* its analysis, which is finished */
	struct part_of part;
	const char *plan;         /* the file that has it; or NULL */
	struct plan_part planned; /* its line */
	struct part_of of_line;   /* the part that the line states */
	uint64_t runtime_s;
	uint64_t every_ns; /* print periods of this length while reading; 0: no */
	uint64_t top;      /* rows of a table; NOT_GIVEN: all */
	int by;            /* index of table_by, or NOT_BY */
	int clock;         /* CLOCK_WALL or CLOCK_CPU */
	struct analyze_grouping group;
	const char *jobs; /* the list of a batch system, or NULL */
	struct job_list_options list_options;
	struct job_list list;
	struct where where;
	struct picks picks;
	bool incomplete; /* parts of the trace are missing or damaged */
	bool allow_gaps, per_thread, one_job, json, tsv, no_fsync, png, working_set, dependencies;
};

/* The command */

static bool has_pictures(const struct analyze_run *a)
{
	return a->plots != NULL || a->html != NULL;
}

static void warn_of(const struct analyze_run *a, const char *section, const char *name,
		    const char *sentence)
{
	const struct iot_analyze_value *v =
	    iot_analyze_find(a->results.analysis, section, name, NULL);
	if (v != NULL && v->number > 0)
		message_print("warning: %ju %s", (uintmax_t)v->number, sentence);
}

static bool has_requests(const struct iot_analyze *a)
{
	return iot_analyze_find(a, "totals", "requests", NULL)->number > 0;
}

/* A trace without requests of file data may have only others. */
static void warn_of_others(const struct iot_analyze *a)
{
	static const char *const others[][3] = {
	    {"metadata_reads", "read", "metadata"},
	    {"metadata_writes", "write", "metadata"},
	    {"read_ahead_reads", "read", "read-ahead"},
	    {"read_ahead_writes", "write", "read-ahead"},
	    {"virtual_memory_reads", "read", "virtual memory"},
	    {"virtual_memory_writes", "write", "virtual memory"},
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const struct iot_analyze_value *v =
		    iot_analyze_find(a, "trace", "other_requests", others[i][0]);
		if (v != NULL && v->number > 0)
			message_print(
			    "warning: left out: %ju %s%s of %s; only file data is analyzed",
			    (uintmax_t)v->number, others[i][1], v->number == 1 ? "" : "s",
			    others[i][2]);
	}
}

static void warn(const struct analyze_run *a)
{
	warn_of(a, "trace", "left_out_logical", "logical records are left out");
	warn_of(a, "trace", "left_out_physical", "physical records are left out; see --layer");
	warn_of(a, "trace", "left_out", "requests of another layer are left out; see --layer");
	if (!has_requests(a->results.analysis))
		warn_of_others(a->results.analysis);
	if (a->in.status == IOT_OK) /* damage has been reported */
		warn_of(a, "trace", "gaps", "%lost: the trace is incomplete");
	warn_of(a, "totals", "out_of_order",
		"records or operations start before the previous one; see 'iotrace reorder'");
}

/* Without any request, an error of the trace is all there is to report. */
static bool is_worth_reporting(const struct analyze_run *a)
{
	return a->in.status == IOT_OK || has_requests(a->results.analysis);
}

/* Passes on all events in order of CPU time. Returns an enum iot_status. */
static int add_events(struct iot_analyze *a, struct iot_stream *s, struct cpu_times *clock)
{
	struct iot_batch *b = iot_batch_new(TRACE_IN_BATCH);
	int status = s != NULL && b != NULL ? IOT_OK : IOT_ENOMEM, got = 1;
	while (status == IOT_OK && (got = iot_stream_next(s, b)) > 0 &&
	       cpu_times_refusal(clock) == NULL)
		status = iot_analyze_events(a, b->events, b->count);
	iot_batch_free(b);
	return status == IOT_OK && got < 0 ? got : status;
}

/* The same as analyze(), for --clock=cpu. */
static int analyze_by_cpu(struct analyze_run *a, const char *path)
{
	struct cpu_times clock = {.capacity = 0};
	struct iot_stream *s = cpu_times_stream(trace_in_stream(&a->in), &clock);
	int status = add_events(a->results.analysis, s, &clock);
	iot_stream_free(s);
	progress_clear(&a->in.progress);
	const char *refusal = cpu_times_refusal(&clock);
	if (status == IOT_OK && refusal != NULL) {
		message_print_about(path, "%s", refusal);
		status = IOT_EFORMAT;
	}
	cpu_times_free(&clock);
	return status;
}

/*
 * Returns a status; an error of the trace is reported, and kept in a->in.status. IOT_EFORMAT: the
 * content is refused, after a message.
 */
static int analyze(struct analyze_run *a, const char *path)
{
	struct iot_event ev[TRACE_IN_BATCH];
	size_t n;
	int status = IOT_OK;
	n = trace_in_events(&a->in, ev, 1);
	if (n == 1 && analyze_members_begin(ev)) {
		message_print_about(path, "a state of several jobs is read from a file that is "
					  "named, and by itself");
		return IOT_EFORMAT;
	}
	if (n == 1 && analyze_state_begins(ev))
		return analyze_state_load(a->results.analysis, &a->in, ev) == EXIT_OK ? IOT_OK
										      : IOT_EFORMAT;
	for (; status == IOT_OK && n > 0; n = trace_in_events(&a->in, ev, TRACE_IN_BATCH))
		status = iot_analyze_events(a->results.analysis, ev, n);
	progress_clear(&a->in.progress);
	return status;
}

/* Tables of --by, and the section that each needs. */
static const enum iot_analyze_by table_by[] = {IOT_ANALYZE_BY_PROCESS,   IOT_ANALYZE_BY_RANK,
					       IOT_ANALYZE_BY_HOST,      IOT_ANALYZE_BY_FILE,
					       IOT_ANALYZE_BY_DIRECTORY, IOT_ANALYZE_BY_OPERATION};
static const uint32_t table_sections[] = {IOT_ANALYZE_PROCESSES, IOT_ANALYZE_PROCESSES,
					  IOT_ANALYZE_PROCESSES, IOT_ANALYZE_FILES,
					  IOT_ANALYZE_FILES,     IOT_ANALYZE_METADATA};

static enum analyze_form form_of(const struct analyze_run *a)
{
	return a->json ? ANALYZE_JSON : a->tsv ? ANALYZE_TSV : ANALYZE_TEXT;
}

static int print_table(struct analyze_run *a)
{
	const enum analyze_form form = form_of(a);
	if (a->top == NOT_GIVEN && form == ANALYZE_TEXT && isatty(STDOUT_FILENO))
		a->top = TOP_ON_TERMINAL;
	return analyze_rows_print(&a->results.out, a->results.analysis, table_by[a->by], form,
				  a->top);
}

/* Returns an enum iot_status. */
static int print(struct analyze_run *a)
{
	if (!a->in.quiet)
		warn(a);
	if (a->by != NOT_BY)
		return print_table(a);
	if (a->before != NULL)
		return analyze_against_print(&a->results.out, a->results.analysis, a->before,
					     a->against, form_of(a));
	if (a->json)
		analyze_print_json(&a->results);
	else if (a->tsv)
		analyze_print_tsv(&a->results);
	else
		(a->results.shows_all ? analyze_print_summary : analyze_print_text)(&a->results);
	return IOT_OK;
}

static struct report_options html_options(const struct analyze_run *a, bool damaged)
{
	enum { ROWS = 20 };
	return (struct report_options){.path = a->html,
				       .how = a->no_fsync ? ATOMIC_FILE_NO_SYNC : 0,
				       .rows = a->top == NOT_GIVEN ? ROWS : (size_t)a->top,
				       .damaged = damaged};
}

static enum exit_status write_plots(const struct analyze_run *a, const struct plot *const *list,
				    const struct plot_data *data)
{
	return plots_write(list, data, a->plots, a->png, a->no_fsync ? ATOMIC_FILE_NO_SYNC : 0);
}

/* Writes the report as HTML, and plots. */
static enum exit_status write_pictures(struct analyze_run *a)
{
	struct plot_data data;
	enum exit_status status = EXIT_OK;
	if (iot_analyze_finish(a->results.analysis) != IOT_OK)
		return message_no_memory();
	if (!a->in.quiet)
		warn(a);
	if (!is_worth_reporting(a))
		return EXIT_FAILED;
	if (plot_data_make(&data, a->results.analysis, a->options.interval_ns != 0) != IOT_OK)
		status = message_no_memory();
	if (status == EXIT_OK && a->plots != NULL)
		status = write_plots(a, trace_plots, &data);
	if (status == EXIT_OK && a->html != NULL) {
		const struct report_options options =
		    html_options(a, a->in.status != IOT_OK || a->incomplete);
		status = report_write(&data, &options);
	}
	plot_data_free(&data);
	return status;
}

/* The same of several jobs. */
static enum exit_status write_job_pictures(const struct analyze_run *a, struct report_jobs *jobs,
					   bool incomplete)
{
	const struct report_options options = html_options(a, incomplete);
	struct plot_data data;
	enum exit_status status = report_jobs_data(jobs, &data) ? EXIT_OK : message_no_memory();
	if (status == EXIT_OK && a->plots != NULL)
		status = write_plots(a, job_plots, &data);
	if (status == EXIT_OK && a->html != NULL)
		status = report_jobs_write(jobs, &data, &options);
	return status;
}

/* Prints the report, or writes the state. */
static enum exit_status report(struct analyze_run *a, const struct command_spec *command)
{
	if (a->state != NULL)
		return analyze_state_save(a->results.analysis, a->state, a->no_fsync, command);
	if (has_pictures(a))
		return write_pictures(a);
	enum exit_status status = output_open(&a->results.out, "-", 0);
	if (status != EXIT_OK)
		return status;
	if (iot_analyze_finish(a->results.analysis) != IOT_OK) {
		output_abandon(&a->results.out);
		return message_no_memory();
	}
	if (!is_worth_reporting(a)) {
		output_abandon(&a->results.out);
		return EXIT_FAILED;
	}
	if (print(a) != IOT_OK) {
		output_abandon(&a->results.out);
		return message_no_memory();
	}
	return output_close(&a->results.out);
}

/* The values and the state of a damaged trace say so; --recover delivers a %lost itself. */
static int mark_damage(struct analyze_run *a)
{
	static const char lost[] = "%lost why=damaged";
	const struct iot_event ev = {.kind = IOT_LOST, .text = {lost, sizeof lost - 1}};
	if (a->in.status == IOT_OK || a->read.recover)
		return IOT_OK;
	return iot_analyze_events(a->results.analysis, &ev, 1);
}

/* Which bytes of a stored trace are analyzed, for the state. */
static void name_part(struct analyze_run *a, const struct iot_part *part, uint64_t epoch_ns,
		      struct part_of numbers)
{
	a->options.trace_id = part->trace_id;
	a->options.from = part->from;
	a->options.to = part->to;
	a->options.stored = part->stored;
	a->options.part = part->from > 0;
	a->options.epoch_ns = part->from > 0 ? epoch_ns : 0;
	a->options.first = a->options.last = numbers.k;
	a->options.parts = numbers.n;
}

/* Limits the input to the part, and stores which one it is. */
static enum exit_status choose_part(struct analyze_run *a, const struct command_spec *command)
{
	struct iot_range range = {.epoch_ns = 0};
	const bool whole = a->part.n == 1;
	if (a->read.range != NULL) {
		name_part(a, &a->read.range->part, a->read.range->epoch_ns, a->of_line);
		return EXIT_OK;
	}
	if (whole && a->state == NULL)
		return EXIT_OK;
	int status = whole ? iot_reader_part(a->in.reader, 1, 1, &range.part)
			   : iot_reader_find_range(a->in.reader, a->part.k, a->part.n, &range);
	if (status == IOT_OK && !whole)
		status = iot_reader_set_range(a->in.reader, &range, 0);
	if (status == IOT_EUSAGE)
		return options_wrong(command, PART_NEEDS);
	if (status != IOT_OK) {
		message_print("%s", iot_reader_error(a->in.reader));
		return EXIT_FAILED;
	}
	if (!whole && a->part.k == 1 && range.part.to == range.part.stored && !a->read.quiet)
		message_print(
		    "warning: the trace has no %%sync at which reading can begin, so all of it is "
		    "part 1; see 'iotrace cat --framed'");
	name_part(a, &range.part, range.epoch_ns, a->part);
	a->options.part = a->part.k > 1;
	return EXIT_OK;
}

/* Stores the analysis of a trace, or of what precedes its damage: then returns EXIT_DAMAGED. */
static enum exit_status analyze_trace(struct analyze_run *a, const char *path,
				      const struct command_spec *command)
{
	if (a->part.n > 1 && !piped_begins_file(path))
		return options_wrong(command, PART_NEEDS);
	enum exit_status status = trace_in_open(&a->in, path, &a->read, command);
	a->options.physical = trace_in_is_physical(&a->in);
	if (status == EXIT_OK)
		status = choose_part(a, command);
	a->results.analysis = status == EXIT_OK ? iot_analyze_new(&a->options) : NULL;
	if (status == EXIT_OK && a->results.analysis == NULL)
		status = message_no_memory();
	if (status != EXIT_OK)
		return status;
	const int analyzed = a->clock == CLOCK_CPU ? analyze_by_cpu(a, path) : analyze(a, path);
	if (analyzed == IOT_EFORMAT) {
		iot_analyze_free(a->results.analysis);
		a->results.analysis = NULL;
		return EXIT_FAILED;
	}
	if (analyzed != IOT_OK || mark_damage(a) != IOT_OK)
		return message_no_memory();
	if (a->in.partial) {
		iot_analyze_free(a->results.analysis);
		a->results.analysis = NULL;
	}
	return trace_in_exit(&a->in, true);
}

static enum exit_status run_trace(struct analyze_run *a, const char *path,
				  const struct command_spec *command)
{
	const enum exit_status analyzed = analyze_trace(a, path, command);
	const bool any = analyzed == EXIT_OK || (analyzed == EXIT_DAMAGED && a->in.delivered);
	if (a->state != NULL)
		trace_in_close(&a->in); /* a state takes memory when it is written */
	const enum exit_status status = any ? report(a, command) : EXIT_FAILED;
	trace_in_close(&a->in);
	return exit_status_worse(status, analyzed);
}

/* One of several inputs. */
struct one_input {
	struct analyze_run *run;
	const struct command_spec *command;
};

static enum exit_status analyze_one(void *context, const char *path, struct iot_analyze **to)
{
	const struct one_input *one = context;
	struct analyze_run *a = one->run;
	const enum exit_status status = analyze_trace(a, path, one->command);
	*to = a->results.analysis;
	a->results.analysis = NULL;
	trace_in_close(&a->in);
	return status;
}

/* Analyzes the run to compare with; a damaged one is analyzed up to the damage. */
static enum exit_status analyze_before(struct analyze_run *a, const struct command_spec *command)
{
	struct one_input one = {a, command};
	const bool is_state = analyze_is_state(a->against);
	const enum exit_status status =
	    is_state ? analyze_state_open(&a->before, a->against, &a->read, &a->options, command)
		     : analyze_one(&one, a->against, &a->before);
	if (status == EXIT_FAILED) {
		iot_analyze_free(a->before);
		a->before = NULL;
	}
	if (a->before != NULL && iot_analyze_finish(a->before) != IOT_OK)
		return message_no_memory();
	if (status == EXIT_DAMAGED && !has_requests(a->before)) {
		iot_analyze_free(a->before);
		a->before = NULL;
		return EXIT_FAILED;
	}
	return status;
}

/* Options that apply to jobs, even to a single one. */
static bool selects_jobs(const struct analyze_run *a)
{
	return a->jobs != NULL || a->where.conditions > 0 || a->picks.count > 0;
}

/* The form of several jobs. */
static enum analyze_several_as several_as(const struct analyze_run *a)
{
	return a->picks.count > 0                       ? ANALYZE_AS_PICKS
	       : a->group.levels > 0                    ? ANALYZE_AS_GROUPS
	       : a->by == BY_JOB                        ? ANALYZE_AS_ROWS
	       : a->options.sections == IOT_ANALYZE_MAP ? ANALYZE_AS_MAPS
							: ANALYZE_AS_POPULATIONS;
}

/* Reads the list of jobs, which several jobs need. */
static enum exit_status read_list(struct analyze_run *a)
{
	a->list_options.quiet = a->read.quiet;
	return a->jobs != NULL ? job_list_read(&a->list, a->jobs, &a->list_options) : EXIT_OK;
}

static struct analyze_jobs several_jobs(const struct analyze_run *a)
{
	return (struct analyze_jobs){.grouping = a->group,
				     .list = a->jobs != NULL ? &a->list : NULL,
				     .where = a->where.conditions > 0 ? &a->where : NULL};
}

static enum exit_status choose_picks(struct analyze_run *a, struct analyze_several *several)
{
	return picks_choose(&a->picks, &several->jobs) ? EXIT_OK : message_no_memory();
}

static bool is_picked(const void *picks, const char *name)
{
	return picks_contain(picks, name);
}

/* Analyzes the jobs that were picked once more, and keeps their maps. */
static enum exit_status map_picks(struct analyze_run *a, struct analyze_inputs *inputs,
				  struct analyze_several *several)
{
	struct iot_analyze *all = NULL;
	enum exit_status status = choose_picks(a, several);
	several->as = ANALYZE_AS_MAPS;
	analyze_several_begin(several, inputs);
	inputs->by_job = true;
	inputs->where = NULL;
	inputs->wants = is_picked;
	inputs->wanted = &a->picks;
	a->options.sections = IOT_ANALYZE_MAP | IOT_ANALYZE_FILES;
	if (status == EXIT_OK)
		status = analyze_inputs_join(inputs, &all);
	iot_analyze_free(all);
	return status;
}

static enum exit_status run_inputs(struct analyze_run *a, char **paths, size_t count,
				   const struct command_spec *command)
{
	struct one_input one = {a, command};
	struct analyze_inputs inputs = {.paths = paths,
					.count = count,
					.read = &a->read,
					.options = &a->options,
					.command = command,
					.one_job = a->one_job,
					.allow_gaps = a->allow_gaps,
					.list = a->jobs != NULL ? &a->list : NULL,
					.where = a->where.conditions > 0 ? &a->where : NULL,
					.analyze = analyze_one,
					.context = &one};
	struct analyze_members_out members = {
	    .path = a->state, .no_fsync = a->no_fsync, .command = command};
	struct analyze_several several = {.as = several_as(a), .jobs = several_jobs(a)};
	struct report_jobs pictures = {.set.by = a->group.levels > 0 ? (int)a->group.by[0]
								     : JOB_NOT_GROUPED};
	const bool maps_picks = several.as == ANALYZE_AS_PICKS && a->options.sections != 0;
	several.picks = &a->picks;
	if (several.as == ANALYZE_AS_PICKS)
		a->options.sections = 0; /* picks are by any value */
	if (a->part.n > 1 || a->read.range != NULL)
		return options_wrong(command, "--part is that of one trace");
	if (count > 1 && a->options.sections != 0) {
		a->results.hides_files = (a->options.sections & IOT_ANALYZE_FILES) == 0;
		a->options.sections |= IOT_ANALYZE_FILES;
	}
	if (has_pictures(a)) {
		inputs.add_job = report_jobs_add;
		inputs.jobs = &pictures;
		inputs.by_job = a->group.levels > 0;
	} else if (a->state == NULL && a->against == NULL && (a->by == NOT_BY || a->by == BY_JOB)) {
		analyze_several_begin(&several, &inputs);
	}
	if (a->state != NULL) {
		inputs.save = analyze_members_write;
		inputs.saved = &members;
	}
	inputs.by_job |= selects_jobs(a);
	struct iot_analyze *all = NULL;
	enum exit_status status = read_list(a);
	if (status == EXIT_OK)
		status = analyze_inputs_join(&inputs, &all);
	if (status == EXIT_OK && several.as == ANALYZE_AS_PICKS)
		status = maps_picks ? map_picks(a, &inputs, &several) : choose_picks(a, &several);
	a->results.analysis = all;
	a->in.quiet = a->read.quiet;
	a->in.status = IOT_OK;
	a->incomplete = inputs.incomplete;
	if (status == EXIT_OK && all != NULL)
		status = report(a, command);
	else if (status == EXIT_OK && a->state != NULL)
		status = analyze_members_close(&members);
	else if (status == EXIT_OK && inputs.added && has_pictures(a))
		status = write_job_pictures(a, &pictures, inputs.incomplete);
	else if (status == EXIT_OK && inputs.added)
		status = analyze_several_print(&several, form_of(a), a->top);
	analyze_members_abandon(&members);
	analyze_several_free(&several);
	report_jobs_free(&pictures);
	job_list_free(&a->list);
	picks_free(&a->picks);
	if (status == EXIT_OK && a->state != NULL && inputs.gaps)
		return EXIT_DAMAGED;
	if (status != EXIT_OK || !inputs.incomplete || a->state != NULL)
		return status;
	message_print("the report is incomplete: parts of a trace are missing or damaged");
	return EXIT_DAMAGED;
}

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

static void set_options(struct analyze_run *a)
{
	a->options.size = sizeof a->options;
	a->options.per_thread = a->per_thread;
	a->options.working_set = a->working_set;
	a->options.dependencies = a->dependencies;
	a->options.layer = a->read.layer == LAYER_POSIX   ? IOT_LAYER_POSIX
			   : a->read.layer == LAYER_MPIIO ? IOT_LAYER_MPIIO
							  : IOT_LAYER_LOWEST;
	a->options.physical = a->read.layer == LAYER_PHYSICAL;
	a->options.runtime_ns = a->runtime_s * NS_PER_S;
	a->options.top = a->top == NOT_GIVEN ? 0 : a->top;
	a->options.offsets = has_pictures(a) || a->state != NULL;
	a->results.shows_map = (a->options.sections & IOT_ANALYZE_MAP) != 0;
	a->results.shows_all = a->options.sections == 0;
}

static enum exit_status run(struct analyze_run *a, char **paths, size_t count,
			    const struct command_spec *command)
{
	set_options(a);
	if (a->by != NOT_BY && a->by != BY_JOB)
		a->options.sections = table_sections[a->by];
	if (a->group.levels > 0 && !has_pictures(a) && !needs_all_sections(a))
		a->options.sections = ANALYZE_GROUP_SECTIONS;
	const bool by_job = a->by == BY_JOB || a->group.levels > 0 || selects_jobs(a);
	if (by_job && (a->state != NULL || count == 0))
		return options_wrong(
		    command, "--by=job, --group, --jobs, --where and --pick need inputs that are "
			     "files, and no --state");
	const enum exit_status before = a->against != NULL ? analyze_before(a, command) : EXIT_OK;
	if (before != EXIT_OK && a->before == NULL)
		return before;
	const enum exit_status status =
	    count > 1 || by_job ||
		    (count == 1 && a->read.range == NULL && analyze_is_state(paths[0]))
		? run_inputs(a, paths, count, command)
		: run_trace(a, count == 1 ? paths[0] : "-", command);
	iot_analyze_free(a->results.analysis);
	iot_analyze_free(a->before);
	return exit_status_worse(status, before);
}

/* No output may replace an input or another output. */
static enum exit_status check_files(const struct analyze_run *a, char **paths, size_t count,
				    const struct command_spec *command)
{
	struct same_file_set files = {.command = command, .reads_directories = true};
	same_file_add_inputs(&files, paths, count);
	if (a->plan != NULL)
		same_file_add(&files, ROLE_INPUT, a->plan);
	if (a->state != NULL)
		same_file_add_output(&files, ROLE_STATE, "--state", a->state);
	if (a->html != NULL)
		same_file_add_output(&files, ROLE_OUTPUT, "--html", a->html);
	if (a->plots != NULL)
		plots_add_files(&files, a->plots, a->png);
	const enum exit_status status = same_file_check(&files);
	same_file_free(&files);
	return status;
}

/* Plans */

/* Applies a line of the plan to what is read. */
static void apply_line(struct analyze_run *a, const struct plan_part *line, bool alone)
{
	a->read.range = line->n > 0 ? &line->range : NULL;
	a->read.alone = alone;
	a->of_line = (struct part_of){line->k, line->n};
	a->read.layer = line->physical ? LAYER_PHYSICAL : LAYER_LOGICAL;
}

/* Appends the states of the traces of a line. Returns EXIT_DAMAGED if one of them is damaged. */
static enum exit_status run_line(struct analyze_run *a, const struct plan_part *line,
				 struct analyze_members_out *members,
				 const struct command_spec *command)
{
	char **paths = plan_paths(line);
	if (paths == NULL)
		return message_no_memory();
	enum exit_status status = check_files(a, paths, line->count, command);
	free(paths);
	if (status != EXIT_OK)
		return status;
	apply_line(a, line, false);
	if (line->n == 0 && plan_check_traces(line, &a->read, command) != EXIT_OK)
		return EXIT_FAILED;
	for (size_t i = 0; i < line->count && status != EXIT_FAILED; i++) {
		struct one_input one = {a, command};
		struct iot_analyze *analysis = NULL;
		const char *path = line->traces[i].path;
		enum exit_status saved = EXIT_FAILED;
		const enum exit_status analyzed = analyze_one(&one, path, &analysis);
		if (analyzed != EXIT_FAILED && analysis != NULL)
			saved = analyze_members_write(members, analysis, path);
		iot_analyze_free(analysis);
		status = exit_status_worse(status, exit_status_worse(saved, analyzed));
	}
	return status;
}

/* Writes a state of each line of the plan to one file. */
static enum exit_status run_lines(struct analyze_run *a, const struct command_spec *command)
{
	struct plan_in in;
	struct plan_part line;
	bool got = true, any = false;
	struct analyze_members_out members = {
	    .path = a->state, .no_fsync = a->no_fsync, .command = command};
	enum exit_status status = plan_open(&in, a->plan);
	set_options(a);
	while (status != EXIT_FAILED && got) {
		const enum exit_status read = plan_next(&in, &line, &got);
		if (read == EXIT_OK && got)
			status = exit_status_worse(status, run_line(a, &line, &members, command));
		status = exit_status_worse(status, read);
		any |= got;
		plan_part_free(&line);
	}
	plan_close(&in);
	/* A stage of pipes may have no lines for a task, which then prints no states. */
	const bool piped = strcmp(a->plan, "-") == 0 && strcmp(a->state, "-") == 0;
	if (status != EXIT_FAILED && !any && piped)
		return status;
	if (status != EXIT_FAILED && !any) {
		message_print_about(a->plan, "the plan is empty");
		status = EXIT_FAILED;
	}
	if (status != EXIT_FAILED)
		status = exit_status_worse(status, analyze_members_close(&members));
	analyze_members_abandon(&members);
	return status;
}

/* Reads the line of --part; its traces replace missing operands. */
static enum exit_status choose_line(struct analyze_run *a, char ***paths, size_t *count,
				    const struct command_spec *command)
{
	struct plan_part *line = &a->planned;
	enum exit_status status = plan_read(line, a->plan, a->part.k);
	const bool alone = *count == 1 && strcmp((*paths)[0], "-") == 0;
	if (status != EXIT_OK)
		return status;
	if (line->n == 0 && *count > 0)
		return options_wrong(command, "line %ju of the plan has whole traces: no operand",
				     (uintmax_t)a->part.k);
	apply_line(a, line, alone);
	a->part = (struct part_of){1, 1};
	if (line->n == 0)
		status = plan_check_traces(line, &a->read, command);
	if (status != EXIT_OK || *count > 0)
		return status;
	*paths = plan_paths(line);
	*count = line->count;
	return *paths != NULL ? EXIT_OK : message_no_memory();
}

/* Returns NULL if the options go together with --plan. */
static const char *why_no_plan(const struct analyze_run *a, char **paths, size_t count)
{
	if (a->plan == NULL)
		return a->part.n == 0 ? "--part=K needs --plan; without one, it is K/N" : NULL;
	const bool one = a->part.n == 0, reads = strcmp(a->plan, "-") == 0;
	if (a->part.n > 1)
		return "--plan needs --part=K, the number of a line, without /N";
	if (!one && (a->state == NULL || count > 0))
		return "--plan without --part writes a state of each line: with --state, and "
		       "without operands";
	if (count > 1 || (count == 1 && reads && strcmp(paths[0], "-") == 0))
		return "--plan reads one trace; standard input is the plan or the part, not both";
	if (a->every_ns > 0 || a->options.threads > 1 || a->against != NULL)
		return "--plan excludes --every, --threads and --against";
	return NULL;
}

/* Prints periods of a trace that is still growing, perhaps. */
static enum exit_status run_periods(struct analyze_run *a, const char *path,
				    const struct command_spec *command)
{
	static const int stats_by[] = {IOT_STATS_BY_PROCESS, IOT_STATS_BY_RANK, IOT_STATS_BY_HOST,
				       IOT_STATS_BY_OBJECT, IOT_STATS_BY_DIRECTORY};
	struct analyze_periods_options options = {.every_ns = a->every_ns,
						  .by = a->by == NOT_BY ? ANALYZE_PERIODS_TOTAL
									: stats_by[a->by],
						  .tsv = a->tsv,
						  .top = a->top};
	a->read.side_by_side = false;
	enum exit_status status = trace_in_open(&a->in, path, &a->read, command);
	options.physical = trace_in_is_physical(&a->in);
	if (status == EXIT_OK)
		status = analyze_periods_print(&a->in, &options);
	trace_in_close(&a->in);
	return status;
}

/* Returns NULL if the options go together with --every. */
static const char *why_no_periods(const struct analyze_run *a, size_t count)
{
	if (a->every_ns == 0)
		return NULL;
	if (a->json || a->options.sections != 0 || a->state != NULL || a->html != NULL ||
	    a->plots != NULL || a->against != NULL || a->part.n > 1 || a->group.levels > 0 ||
	    a->options.threads > 1)
		return "--every prints periods only: it excludes --json, --section, --state, "
		       "--html, "
		       "--plots, --against, --group, --part and --threads";
	if (a->by > 4)
		return "--every has rows by process, rank, host, file or dir";
	return count > 1 ? "--every reads one trace" : NULL;
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

/* Decoding takes about half of the time, and that of a few threads delivers records more slowly. */
static uint64_t decoding_threads(const struct analyze_run *a)
{
	const uint64_t n = a->options.threads;
	return n >= 4 ? n / 2 : n > 0;
}

static const char notes[] =
    "A request is a record of a read or write of file data. Rates are per second of CPU time if\n"
    "the trace has CPU clocks, else of wall time. Data size: the sum of the highest offsets that\n"
    "requests of each file reach. Consecutive: at the end of the previous request of the same\n"
    "direction in the same open file; patterns are those of all requests of one direction in one\n"
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
	struct analyze_run a = {
	    .read = TRACE_IN_WHOLE_INIT, .part = {1, 1}, .by = NOT_BY, .top = NOT_GIVEN};
	const struct option options[] = {
	    OPTION(FLAG, 'j', "json", NULL, &a.json, "print all values as JSON"),
	    OPTION(FLAG, 't', "tsv", NULL, &a.tsv, "print all values as rows separated by tabs"),
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
	    CALL("where", "CONDITION", &a.where,
		 "only jobs for which this is true, such as 'run_time_s >= 1h'", option_where),
	    CALL("pick", "VALUE:max|min|median", &a.picks,
		 "the job with this value, such as S_r:max or 'T:median where P >= 64'; with "
		 "--section=map, its map",
		 analyze_option_pick),
	    OPTION(STRING, 0, "against", "RUN", &a.against,
		   "print the values that differ from those of this trace or state"),
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
	if (a.by != NOT_BY && a.options.sections != 0)
		return options_wrong(&command, "--by and --section exclude each other");
	if (a.picks.count > 0 &&
	    (a.group.levels > 0 || a.by != NOT_BY || has_pictures(&a) ||
	     (a.options.sections != 0 && a.options.sections != IOT_ANALYZE_MAP)))
		return options_wrong(&command,
				     "--pick excludes --group, --by, --plots, --html, and "
				     "--section of anything but map");
	if (a.group.levels > 1 && has_pictures(&a))
		return options_wrong(&command, "--plots and --html show groups of one kind");
	if (selects_jobs(&a) && (a.against != NULL || (a.by != NOT_BY && a.by != BY_JOB)))
		return options_wrong(&command,
				     "--jobs, --where and --pick exclude --against, and --by of "
				     "anything but jobs");
	if (a.group.levels > 0 && (a.by != NOT_BY || a.options.sections != 0))
		return options_wrong(&command, "--group excludes --by and --section");
	if (a.against != NULL && (a.by != NOT_BY || a.group.levels > 0 || a.state != NULL ||
				  a.plots != NULL || a.html != NULL || a.part.n > 1))
		return options_wrong(&command,
				     "--against excludes --by, --group, --state, --plots, "
				     "--html and --part");
	if (a.json && a.tsv)
		return options_wrong(&command, "--json and --tsv exclude each other");
	if (a.state != NULL && (a.json || a.tsv))
		return options_wrong(&command, "--state writes no report: no --json or --tsv");
	if (has_pictures(&a) && (a.json || a.tsv || a.by != NOT_BY || a.state != NULL))
		return options_wrong(&command,
				     "--plots and --html exclude --json, --tsv, --by and --state");
	if (a.png && a.plots == NULL)
		return options_wrong(&command, "--png needs --plots");
	if (a.part.n > 1 && a.options.threads > 1)
		return options_wrong(&command, "--part and --threads exclude each other");
	if (a.clock == CLOCK_CPU &&
	    (a.part.n > 1 || a.state != NULL || a.every_ns > 0 || a.read.recover || a.plan != NULL))
		return options_wrong(&command,
				     "--clock=cpu needs all of a trace in order: it excludes "
				     "--part, --plan, --state, --every and --recover");
	if (why_no_plan(&a, argv, count) != NULL)
		return options_wrong(&command, "%s", why_no_plan(&a, argv, count));
	if (why_no_periods(&a, count) != NULL)
		return options_wrong(&command, "%s", why_no_periods(&a, count));
	a.read.no_names = true;
	a.read.threads = decoding_threads(&a);
	a.read.mixes_layers = a.every_ns == 0; /* a state has both */
	if (a.plan != NULL && a.part.n > 0)
		return run_lines(&a, &command);
	char **paths = argv;
	status = a.plan != NULL ? choose_line(&a, &paths, &count, &command) : EXIT_OK;
	if (status == EXIT_OK)
		status = check_files(&a, paths, count, &command);
	if (status == EXIT_OK)
		status = refuse_states(&a, paths, count);
	if (status == EXIT_OK && a.plan == NULL &&
	    (count == 0 || a.part.n > 1 || !analyze_is_state(paths[0])))
		status = trace_in_choose_layer(&a.read, paths, count, &command);
	if (a.state != NULL)
		a.read.selects_layer = false;
	if (status == EXIT_OK && a.every_ns > 0)
		return run_periods(&a, count == 1 ? argv[0] : "-", &command);
	if (status == EXIT_OK)
		status = run(&a, paths, count, &command);
	if (paths != argv)
		free(paths);
	plan_part_free(&a.planned);
	return status;
}
