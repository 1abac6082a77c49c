/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey_out.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ui/same_file.h"
#include "cli/ui/trace_out.h"

#include "csv.h"
#include "plots.h"
#include "survey_links.h"
#include "survey_state.h"

static enum exit_status write_csv(const struct survey_out *o, const struct survey_in *in)
{
	struct output out;
	if (o->csv == NULL)
		return EXIT_OK;
	const enum exit_status status = output_open(&out, o->csv, 0);
	if (status != EXIT_OK)
		return status;
	if (in->csv != NULL)
		output_write(&out, in->csv, in->csv_size);
	else
		csv_write(&out, in->survey);
	return output_close(&out);
}

static enum exit_status write_state(const struct survey_out *o, struct fs_survey *s)
{
	struct trace_out_options t = TRACE_OUT_OPTIONS_INIT;
	struct error e = {0};
	if (o->state == NULL)
		return EXIT_OK;
	struct iot_writer *w = iot_writer_new();
	if (w == NULL)
		return message_no_memory();
	t.path = o->state;
	enum exit_status status = trace_out_open(w, &t, o->command);
	if (status == EXIT_OK && survey_save(s, w, &e) != IOT_OK)
		status = message_error(o->state, e.text);
	else if (status == EXIT_OK && trace_out_close(w) != IOT_OK)
		status = trace_out_error(w, &t);
	iot_writer_free(w);
	return status;
}

enum exit_status survey_out_without(const struct survey_out *o, const struct fs_survey *s,
				    const struct key_sums **sums)
{
	char name[64];
	size_t count;
	*sums = NULL;
	if (o->without == NULL)
		return EXIT_OK;
	struct survey_key_row *rows = survey_key_rows(s, &count);
	if (rows == NULL)
		return message_no_memory();
	for (size_t i = 0; i < count; i++)
		if (strcmp(survey_key_name(&rows[i], name, sizeof name), o->without) == 0)
			*sums = rows[i].sums;
	free(rows);
	if (*sums == NULL)
		return message_error(o->without,
				     "no such owner, group, project or directory (see --by)");
	return EXIT_OK;
}

static enum exit_status write_plots(const struct survey_out *o, const struct fs_survey *s)
{
	struct survey_plots shown = {.top = o->top};
	if (o->plots == NULL)
		return EXIT_OK;
	const enum exit_status status = survey_out_without(o, s, &shown.without);
	return status == EXIT_OK ? survey_plots_write(s, o->plots, &shown) : status;
}

enum exit_status survey_out_write(const struct survey_out *o, const struct survey_in *in)
{
	enum exit_status status = write_state(o, in->survey);
	survey_count_links(in->survey);
	if (in->survey->no_memory)
		return message_no_memory();
	status = exit_status_worse(status, write_csv(o, in));
	return exit_status_worse(status, write_plots(o, in->survey));
}

enum exit_status survey_out_check(const struct survey_out *o, const char *checkpoint)
{
	struct same_file_set files = {.command = o->command};
	if (o->key != NULL)
		same_file_add(&files, ROLE_KEY, o->key);
	if (o->csv != NULL)
		same_file_add_output(&files, ROLE_OUTPUT, "--csv", o->csv);
	if (o->state != NULL)
		same_file_add_output(&files, ROLE_STATE, "--state", o->state);
	if (o->html != NULL)
		same_file_add_output(&files, ROLE_OUTPUT, "--html", o->html);
	if (checkpoint != NULL)
		same_file_add_output(&files, ROLE_OUTPUT, "--checkpoint", checkpoint);
	if (o->plots != NULL)
		survey_plots_add_files(&files, o->plots);
	const enum exit_status status = same_file_check(&files);
	same_file_free(&files);
	return status;
}
