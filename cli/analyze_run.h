/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of iotrace analyze: its settings, and what its files share. */
#ifndef CLI_ANALYZE_RUN_H
#define CLI_ANALYZE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <iotrace/analyze.h>

#include "cli/analyze/option_values.h"
#include "cli/analyze/results.h"
#include "cli/analyze/several.h"
#include "cli/jobs/job_list.h"
#include "cli/print/form.h"
#include "cli/report/report_jobs.h"
#include "cli/ui/options.h"
#include "cli/ui/plan.h"
#include "cli/ui/trace_in.h"

enum { NS_PER_S = 1000000000, NOT_BY = -1, BY_JOB = 6, NOT_SHARED = -1 };
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
	int strategy; /* enum strategy of the jobs that share samples, or NOT_SHARED */
	struct print_choice form;
	struct where where;
	struct picks picks;
	bool incomplete; /* parts of the trace are missing or damaged */
	bool allow_gaps, per_thread, one_job, no_fsync, png, working_set, dependencies;
};

/* One of several inputs. */
struct one_input {
	struct analyze_run *run;
	const struct command_spec *command;
};

static inline bool analyze_run_has_pictures(const struct analyze_run *a)
{
	return a->plots != NULL || a->html != NULL;
}

/* analyze_settings.c */

/* Returns EXIT_OK if the options go together. */
enum exit_status analyze_run_check(const struct analyze_run *a, char **paths, size_t count,
				   const struct command_spec *command);
/* Stores what the settings imply in a->options and a->results. */
void analyze_run_set_options(struct analyze_run *a);
/* No output may replace an input or another output. */
enum exit_status analyze_run_check_files(const struct analyze_run *a, char **paths, size_t count,
					 const struct command_spec *command);

/* analyze_report.c */

/* Prints the report, or writes the state. */
enum exit_status analyze_run_report(struct analyze_run *a, const struct command_spec *command);
/* Writes the report of several jobs as HTML, and plots. */
enum exit_status analyze_run_job_pictures(const struct analyze_run *a, struct report_jobs *jobs,
					  bool incomplete);

/* analyze_trace.c */

enum exit_status analyze_run_trace(struct analyze_run *a, const char *path,
				   const struct command_spec *command);
/* context: struct one_input */
enum exit_status analyze_run_one(void *context, const char *path, struct iot_analyze **to);
/* Analyzes the run to compare with; a damaged one is analyzed up to the damage. */
enum exit_status analyze_run_before(struct analyze_run *a, const struct command_spec *command);
/* Prints periods of a trace that is still growing, perhaps. */
enum exit_status analyze_run_periods(struct analyze_run *a, const char *path,
				     const struct command_spec *command);

/* analyze_inputs.c */

/* Options that apply to jobs, even to a single one. */
bool analyze_run_selects_jobs(const struct analyze_run *a);
enum exit_status analyze_run_inputs(struct analyze_run *a, char **paths, size_t count,
				    const struct command_spec *command);

/* analyze_shared.c */

/* Shares the samples of the input among the jobs of the list, and adds each job. */
enum exit_status analyze_run_shared(struct analyze_run *a, struct analyze_inputs *inputs);

/* analyze_plan.c */

/* Writes a state of each line of the plan to one file. */
enum exit_status analyze_run_lines(struct analyze_run *a, const struct command_spec *command);
/* Reads the line of --part; its traces replace missing operands. */
enum exit_status analyze_run_choose_line(struct analyze_run *a, char ***paths, size_t *count,
					 const struct command_spec *command);

#endif
