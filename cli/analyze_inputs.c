/* SPDX-License-Identifier: BSD-2-Clause */
/* Several inputs: states and traces of one job, or of several. */
#include "analyze_run.h"

#include <malloc.h>

#include "cli/analyze/inputs.h"
#include "cli/analyze/members.h"
#include "cli/ui/message.h"

enum { KEPT_BLOCK_MAX = 16 << 20, KEPT_FREE_MAX = 32 << 20 };

bool analyze_run_selects_jobs(const struct analyze_run *a)
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

static enum exit_status join(struct analyze_run *a, struct analyze_inputs *inputs,
			     struct iot_analyze **all)
{
	return a->strategy != NOT_SHARED ? analyze_run_shared(a, inputs)
					 : analyze_inputs_join(inputs, all);
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
		status = join(a, inputs, &all);
	iot_analyze_free(all);
	return status;
}

/*
 * Each state is loaded into the memory of the previous one: returning it takes a sixth of the time.
 */
static void keep_memory(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, KEPT_BLOCK_MAX);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT_FREE_MAX);
}

enum exit_status analyze_run_inputs(struct analyze_run *a, char **paths, size_t count,
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
					.analyze = analyze_run_one,
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
		return options_wrong(command, "--part needs exactly one trace");
	if (count > 1 && a->options.sections != 0) {
		a->results.hides_files = (a->options.sections & IOT_ANALYZE_FILES) == 0;
		a->options.sections |= IOT_ANALYZE_FILES;
	}
	if (analyze_run_has_pictures(a)) {
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
	inputs.by_job |= analyze_run_selects_jobs(a);
	keep_memory();
	struct iot_analyze *all = NULL;
	enum exit_status status = read_list(a);
	if (status == EXIT_OK)
		status = join(a, &inputs, &all);
	if (status == EXIT_OK && several.as == ANALYZE_AS_PICKS)
		status = maps_picks ? map_picks(a, &inputs, &several) : choose_picks(a, &several);
	a->results.analysis = all;
	a->in.quiet = a->read.quiet;
	a->in.status = IOT_OK;
	a->incomplete = inputs.incomplete;
	if (status == EXIT_OK && all != NULL)
		status = analyze_run_report(a, command);
	else if (status == EXIT_OK && a->state != NULL)
		status = analyze_members_close(&members);
	else if (status == EXIT_OK && inputs.added && analyze_run_has_pictures(a))
		status = analyze_run_job_pictures(a, &pictures, inputs.incomplete);
	else if (status == EXIT_OK && inputs.added)
		status = analyze_several_print(&several, a->form.chosen, a->top);
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
