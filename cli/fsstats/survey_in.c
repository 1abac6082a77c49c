/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey_in.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ui/message.h"

#include "csv_read.h"
#include "survey_share.h"
#include "survey_state.h"

enum { CSV_MAX = 16 << 20, BEGIN = 64 };

static enum exit_status failed(const char *path, const char *text)
{
	message_print_about(path, "%s", text);
	return EXIT_FAILED;
}

/* csv */

static void report_kept(const struct survey_in *in, const char *path, const struct csv_kept *kept)
{
	if (kept->lines > 0 && !in->quiet)
		message_print_about(path,
				    "%ju lines and %ju histograms are not known, from line %ju on",
				    (uintmax_t)(kept->lines - kept->histograms),
				    (uintmax_t)kept->histograms, (uintmax_t)kept->first);
}

static enum exit_status read_csv(struct survey_in *in, struct fs_survey *s, const char *path,
				 struct bufreader *from)
{
	struct csv_kept kept = {0, 0, 0};
	struct error e = {0};
	size_t have = 0;
	const char *text = bufreader_peek(from, CSV_MAX, &have);
	if (bufreader_status(from) != IOT_OK)
		return failed(path, bufreader_error(from)->text);
	if (have >= CSV_MAX)
		return failed(path, "larger than 16 MiB, not a csv form of a survey");
	if (csv_read(s, text, have, &kept, &e) != IOT_OK)
		return failed(path, e.text);
	report_kept(in, path, &kept);
	free(in->csv);
	in->csv = malloc(have + 1);
	in->csv_size = have;
	if (in->csv == NULL)
		return message_no_memory();
	memcpy(in->csv, text, have);
	return EXIT_OK;
}

/* States */

static enum exit_status read_state(struct fs_survey *s, const char *path)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_event first;
	struct error e = {0};
	enum exit_status status = EXIT_OK;
	if (r == NULL)
		return message_no_memory();
	const bool opened =
	    iot_reader_open(r, path) == IOT_OK && iot_reader_events(r, &first, 1) == 1;
	if (!opened || !survey_state_begins(&first))
		status = failed(path, "neither a directory, nor a state or a csv form of a survey");
	else if (survey_load(s, r, &first, &e) != IOT_OK)
		status = failed(path, *iot_reader_error(r) != '\0' ? iot_reader_error(r) : e.text);
	iot_reader_free(r);
	return status;
}

/* Lists */

static enum exit_status read_list(struct survey_in *in, const char *path, struct bufreader *from)
{
	struct list_report report = {0, 0, 0};
	const int status = list_read(in->survey, from, in->columns, &report);
	if (status == IOT_ENOMEM)
		return message_no_memory();
	if (status != IOT_OK)
		return failed(path, bufreader_error(from)->text);
	if (report.wrong == 0)
		return EXIT_OK;
	message_print_about(path, "%ju of %ju lines do not have the columns, the first is line %ju",
			    (uintmax_t)report.wrong, (uintmax_t)report.lines,
			    (uintmax_t)report.first_wrong);
	return report.wrong < report.lines ? EXIT_DAMAGED : EXIT_FAILED;
}

/* Sums */

static enum exit_status join(struct survey_in *in, struct fs_survey *more, const char *path)
{
	struct fs_survey *s = in->survey;
	const bool same_time = s->knows_now && more->knows_now && s->now_s == more->now_s;
	if (root_list_overlaps(&s->roots, &more->roots))
		return failed(path, "contains files of another survey");
	if (s->by != more->by || s->depth != more->depth)
		return failed(path, "was made with another --by or --depth");
	if (survey_why_other_keys(s, more) != NULL)
		return failed(path, survey_why_other_keys(s, more));
	if (!same_time && !in->drops_ages)
		return failed(path, "ages are of another time; --allow-ages leaves them out");
	if (!same_time) {
		s->knows_now = false;
		survey_drop_ages(s);
		survey_drop_ages(more);
	}
	survey_join(s, more);
	if (s->no_memory || !root_list_join(&s->roots, &more->roots))
		return message_no_memory();
	return EXIT_OK;
}

static enum exit_status read_one(struct survey_in *in, const char *path, struct fs_survey *s)
{
	const struct bufreader_options options = {.buffer_max = CSV_MAX + 1};
	struct bufreader *from = bufreader_new(path, &options);
	size_t have = 0;
	if (from == NULL)
		return message_no_memory();
	enum exit_status status = EXIT_OK;
	const char *text = NULL;
	if (bufreader_open(from, path) != IOT_OK)
		status = failed(path, bufreader_error(from)->text);
	else if (in->columns != NULL)
		status = read_list(in, path, from);
	else
		text = bufreader_peek(from, BEGIN, &have);
	if (text != NULL && have > 0 && csv_begins(text, have))
		status = read_csv(in, s, path, from);
	else if (status == EXIT_OK && in->columns == NULL)
		status = read_state(s, path);
	bufreader_free(from);
	return status;
}

/* The first file is read into the sum itself. */
static enum exit_status add_file(struct survey_in *in, const char *path, bool first)
{
	if (first || in->columns != NULL)
		return read_one(in, path, in->survey);
	struct fs_survey *more = calloc(1, sizeof *more);
	if (more == NULL)
		return message_no_memory();
	enum exit_status status = read_one(in, path, more);
	if (status == EXIT_OK)
		status = join(in, more, path);
	survey_free(more);
	return status;
}

enum exit_status survey_in_read(struct survey_in *in, char *const *paths, size_t count)
{
	enum exit_status status = EXIT_OK;
	if (in->columns != NULL)
		list_set_unknown(in->survey, in->columns);
	for (size_t i = 0; i < count && status != EXIT_FAILED; i++)
		status = exit_status_worse(status, add_file(in, paths[i], i == 0));
	if (count > 1) {
		free(in->csv);
		in->csv = NULL;
	}
	return status;
}

void survey_in_free(struct survey_in *in)
{
	survey_free(in->survey);
	free(in->csv);
}
