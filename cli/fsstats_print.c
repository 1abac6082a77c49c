/* SPDX-License-Identifier: BSD-2-Clause */
/* The outputs of iotrace fsstats. */
#include <string.h>

#include "cli/fsstats/survey_links.h"
#include "cli/fsstats/survey_share.h"
#include "cli/fsstats_run.h"
#include "cli/ui/message.h"
#include "cli/views/fsstats.h"

static bool print_survey(const struct fsstats_run *r, struct output *out, struct fs_survey *s)
{
	const struct fsstats_shown shown = {
	    .survey = s, .top = r->out.top, .min_count = r->min_count};
	if (r->form.chosen != NULL)
		return fsstats_print(out, &shown, r->form.chosen);
	return fsstats_print_text(out, &shown);
}

static bool print_change(const struct fsstats_run *r, struct output *out, struct fs_survey *s,
			 struct fs_survey *earlier)
{
	const struct fsstats_change c = {earlier, s, r->reach, r->out.top};
	if (r->form.chosen != NULL)
		return fsstats_print_change(out, &c, r->form.chosen);
	return fsstats_print_change_text(out, &c);
}

static enum exit_status write_html(const struct fsstats_run *r, struct fs_survey *s)
{
	struct fsstats_shown shown = {.survey = s, .top = r->out.top, .min_count = r->min_count};
	struct output out;
	if (r->out.html == NULL)
		return EXIT_OK;
	enum exit_status status = survey_out_without(&r->out, s, &shown.without);
	if (status == EXIT_OK)
		status = output_open(&out, r->out.html, 0);
	if (status != EXIT_OK)
		return status;
	if (!fsstats_write_html(&out, &shown)) {
		output_abandon(&out);
		return message_no_memory();
	}
	return output_close(&out);
}

static bool is_stdout(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

/* earlier: the survey to compare with, or NULL. */
static enum exit_status print(const struct fsstats_run *r, struct fs_survey *s,
			      struct fs_survey *earlier)
{
	struct output out;
	if (is_stdout(r->out.csv) || is_stdout(r->out.state) || is_stdout(r->out.html))
		return EXIT_OK;
	const enum exit_status status = output_open(&out, "-", 0);
	if (status != EXIT_OK)
		return status;
	if (earlier != NULL ? !print_change(r, &out, s, earlier) : !print_survey(r, &out, s)) {
		output_abandon(&out);
		return message_no_memory();
	}
	return output_close(&out);
}

static enum exit_status warn(const struct fsstats_run *r, const struct fs_survey *s)
{
	const uint64_t errors = survey_errors(s);
	if (s->touched > 0 && !r->quiet)
		message_print("warning: reading may have changed the access times of %ju "
			      "directories of other users",
			      (uintmax_t)s->touched);
	if (survey_find_sums(s, SURVEY_OTHER) != NULL && !r->quiet)
		message_print("warning: more than %d owners, groups or directories: the rest is "
			      "\"other\"",
			      SURVEY_KEYS_MAX);
	if (errors == 0)
		return EXIT_OK;
	message_print("incomplete: %ju directories not read, %ju errors", (uintmax_t)s->unread,
		      (uintmax_t)errors);
	return EXIT_DAMAGED;
}

/* Removes ids and names of keys, and single files, of which a state would have links. */
static bool hide(struct fsstats_run *r, struct fs_survey *s)
{
	unsigned char *secret = r->out.key != NULL ? r->secret : NULL;
	survey_count_links(s);
	return !s->no_memory && survey_hide_keys(s, secret) && survey_coarsen(s, r->min_count);
}

enum exit_status fsstats_write(struct fsstats_run *r, const struct survey_in *in,
			       struct fs_survey *earlier)
{
	if (in->survey->no_memory ||
	    (r->share && (!hide(r, in->survey) || (earlier != NULL && !hide(r, earlier)))))
		return message_no_memory();
	enum exit_status status = survey_out_write(&r->out, in);
	status = exit_status_worse(status, warn(r, in->survey));
	status = exit_status_worse(status, write_html(r, in->survey));
	return exit_status_worse(status, print(r, in->survey, earlier));
}
