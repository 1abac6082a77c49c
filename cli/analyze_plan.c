/* SPDX-License-Identifier: BSD-2-Clause */
/* --plan: the lines of a plan are the inputs. */
#include "analyze_run.h"

#include <stdlib.h>
#include <string.h>

#include "cli/analyze/members.h"
#include "cli/ui/message.h"

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
	enum exit_status status = analyze_run_check_files(a, paths, line->count, command);
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
		const enum exit_status analyzed = analyze_run_one(&one, path, &analysis);
		if (analyzed != EXIT_FAILED && analysis != NULL)
			saved = analyze_members_write(members, analysis, path);
		iot_analyze_free(analysis);
		status = exit_status_worse(status, exit_status_worse(saved, analyzed));
	}
	return status;
}

enum exit_status analyze_run_lines(struct analyze_run *a, const struct command_spec *command)
{
	struct plan_in in;
	struct plan_part line;
	bool got = true, any = false;
	struct analyze_members_out members = {
	    .path = a->state, .no_fsync = a->no_fsync, .command = command};
	enum exit_status status = plan_open(&in, a->plan);
	analyze_run_set_options(a);
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

enum exit_status analyze_run_choose_line(struct analyze_run *a, char ***paths, size_t *count,
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
