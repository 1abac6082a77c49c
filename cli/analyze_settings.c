/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks which settings exclude each other, and derives others from them. */
#include "analyze_run.h"

#include <string.h>

#include "cli/report/plots.h"
#include "cli/ui/same_file.h"

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

/* Returns NULL if the options go together with --every. */
static const char *why_no_periods(const struct analyze_run *a, size_t count)
{
	if (a->every_ns == 0)
		return NULL;
	if (print_choice_is_nested(&a->form) || a->options.sections != 0 || a->state != NULL ||
	    a->html != NULL || a->plots != NULL || a->against != NULL || a->part.n > 1 ||
	    a->group.levels > 0 || a->options.threads > 1)
		return "--every prints periods only: it excludes --json, --section, --state, "
		       "--html, "
		       "--plots, --against, --group, --part and --threads";
	if (a->by > 4)
		return "--every has rows by process, rank, host, file or dir";
	return count > 1 ? "--every reads one trace" : NULL;
}

enum exit_status analyze_run_check(const struct analyze_run *a, char **paths, size_t count,
				   const struct command_spec *command)
{
	if (a->by != NOT_BY && a->options.sections != 0)
		return options_wrong(command, "--by and --section exclude each other");
	if (a->picks.count > 0 &&
	    (a->group.levels > 0 || a->by != NOT_BY || analyze_run_has_pictures(a) ||
	     (a->options.sections != 0 && a->options.sections != IOT_ANALYZE_MAP)))
		return options_wrong(command, "--pick excludes --group, --by, --plots, --html, and "
					      "--section of anything but map");
	if (a->group.levels > 1 && analyze_run_has_pictures(a))
		return options_wrong(command, "--plots and --html show groups of one kind");
	if (analyze_run_selects_jobs(a) &&
	    (a->against != NULL || (a->by != NOT_BY && a->by != BY_JOB)))
		return options_wrong(command,
				     "--jobs, --where and --pick exclude --against, and --by of "
				     "anything but jobs");
	if (a->strategy != NOT_SHARED && (a->jobs == NULL || count != 1))
		return options_wrong(command, "--strategy needs --jobs, and one trace of samples; "
					      "'iotrace merge' makes one of several");
	if (a->group.levels > 0 && (a->by != NOT_BY || a->options.sections != 0))
		return options_wrong(command, "--group excludes --by and --section");
	if (a->against != NULL && (a->by != NOT_BY || a->group.levels > 0 || a->state != NULL ||
				   a->plots != NULL || a->html != NULL || a->part.n > 1))
		return options_wrong(command, "--against excludes --by, --group, --state, --plots, "
					      "--html and --part");
	if (!print_choice_valid(&a->form, command))
		return EXIT_FAILED;
	if (a->state != NULL && a->form.chosen != NULL)
		return options_wrong(command, "--state writes no report: no --json or --tsv");
	if (analyze_run_has_pictures(a) &&
	    (a->form.chosen != NULL || a->by != NOT_BY || a->state != NULL))
		return options_wrong(command,
				     "--plots and --html exclude --json, --tsv, --by and --state");
	if (a->png && a->plots == NULL)
		return options_wrong(command, "--png needs --plots");
	if (a->part.n > 1 && a->options.threads > 1)
		return options_wrong(command, "--part and --threads exclude each other");
	if (a->clock == CLOCK_CPU && (a->part.n > 1 || a->state != NULL || a->every_ns > 0 ||
				      a->read.recover || a->plan != NULL))
		return options_wrong(command,
				     "--clock=cpu needs all of a trace in order: it excludes "
				     "--part, --plan, --state, --every and --recover");
	if (why_no_plan(a, paths, count) != NULL)
		return options_wrong(command, "%s", why_no_plan(a, paths, count));
	if (why_no_periods(a, count) != NULL)
		return options_wrong(command, "%s", why_no_periods(a, count));
	return EXIT_OK;
}
void analyze_run_set_options(struct analyze_run *a)
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
	a->options.keep_events = a->state != NULL;
	a->options.offsets = analyze_run_has_pictures(a) || a->state != NULL;
	a->results.shows_map = (a->options.sections & IOT_ANALYZE_MAP) != 0;
	a->results.shows_all = a->options.sections == 0;
}

enum exit_status analyze_run_check_files(const struct analyze_run *a, char **paths, size_t count,
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
