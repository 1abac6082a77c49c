/* SPDX-License-Identifier: BSD-2-Clause */
/* The inputs of iotrace fsstats: trees, and files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "cli/fsstats/survey_links.h"
#include "cli/fsstats/survey_share.h"
#include "cli/fsstats_run.h"
#include "cli/ui/message.h"
#include "cli/ui/options.h"
#include "cli/ui/signals.h"
#include "lib/base/clock.h"

enum { MESSAGES_MAX = 20 };

static void report(void *context, const char *path, int error)
{
	struct fsstats_run *r = context;
	progress_clear(&r->progress);
	if (!r->quiet && r->messages++ < MESSAGES_MAX)
		message_print("%s: %s", path, strerror(error));
}

static bool wants_progress(void *context)
{
	struct fsstats_run *r = context;
	r->says_progress = signals_progress_requested();
	return r->says_progress || progress_due(&r->progress, &r->progress.last_ns);
}

static void report_progress(void *context, const struct walk_progress *p)
{
	struct fsstats_run *r = context;
	const double s = (double)(clock_monotonic_ns() - r->started_ns) / 1e9;
	if (!r->says_progress) {
		progress_show_walk(&r->progress, p->entries, p->waiting, p->errors);
		return;
	}
	progress_clear(&r->progress);
	message_print(
	    "%ju entries in %.1f s, %.0f per second; %ju directories wait, the deepest was at "
	    "level %ju; %ju errors",
	    (uintmax_t)p->entries, s, (double)p->entries / s, (uintmax_t)p->waiting,
	    (uintmax_t)p->deepest, (uintmax_t)p->errors);
}

static void report_checkpoint(void *context, const char *reason)
{
	(void)context;
	message_print("%s", reason);
}

static enum exit_status walk(struct fsstats_run *r, struct fs_survey *s, char **roots, size_t count)
{
	size_t bad = 0;
	if (r->walk.checkpoint != NULL) {
		signals_catch(SIGNALS_COLLECT, "-", r->quiet);
		r->walk.interrupt = signals_interrupt();
	}
	signals_catch_progress();
	r->walk.failed = report;
	r->walk.failed_checkpoint = report_checkpoint;
	r->walk.wants_progress = wants_progress;
	r->walk.progress = report_progress;
	r->walk.context = r;
	r->walk.kept = &r->kept;
	r->started_ns = clock_monotonic_ns();
	progress_begin(&r->progress, r->progress_how, r->quiet, NULL);
	const enum walk_status status = walk_trees(s, roots, count, &r->walk, &bad);
	progress_clear(&r->progress);
	switch (status) {
	case WALK_OK:
		return EXIT_OK;
	case WALK_BAD_ROOT:
		return message_error(roots[bad], errno == EEXIST ? "is part of another directory"
								 : strerror(errno));
	case WALK_INTERRUPTED:
		message_print("interrupted; --resume=%s continues", r->walk.checkpoint);
		atomic_store(&r->walk.interrupt->cut, true);
		return EXIT_FAILED;
	case WALK_BAD_CHECKPOINT:
		return EXIT_FAILED;
	case WALK_NO_MEMORY:
		break;
	}
	return message_no_memory();
}

static bool is_directory(const char *path)
{
	struct stat st;
	return stat(path, &st) != 0 || S_ISDIR(st.st_mode);
}

static enum exit_status read_all(struct fsstats_run *r, struct survey_in *in, char **paths,
				 size_t count)
{
	size_t directories = 0;
	for (size_t i = 0; i < count && in->columns == NULL; i++)
		directories += is_directory(paths[i]);
	if (directories > 0 && directories < count)
		return options_wrong(r->out.command, "directories and files exclude each other");
	if (directories == 0)
		return survey_in_read(in, paths, count);
	return walk(r, in->survey, paths, count);
}

static enum exit_status read_earlier(const struct fsstats_run *r, struct survey_in *in)
{
	char *path = (char *)(uintptr_t)r->against;
	if (r->against == NULL)
		return EXIT_OK;
	in->survey = calloc(1, sizeof *in->survey);
	if (in->survey == NULL)
		return message_no_memory();
	const enum exit_status status = survey_in_read(in, &path, 1);
	survey_count_links(in->survey);
	return in->survey->no_memory ? message_no_memory() : status;
}

static enum exit_status check_keys(const struct fsstats_run *r, const struct fs_survey *s,
				   const struct fs_survey *earlier)
{
	const char *why = earlier != NULL ? survey_why_other_keys(s, earlier) : NULL;
	if (why == NULL)
		return EXIT_OK;
	message_print_about(r->against, "%s", why);
	return EXIT_FAILED;
}

enum exit_status fsstats_run(struct fsstats_run *r, char **paths, size_t count)
{
	struct survey_in in = {.quiet = r->quiet, .drops_ages = r->allow_ages}, earlier = in;
	in.survey = calloc(1, sizeof *in.survey);
	if (in.survey == NULL)
		return message_no_memory();
	const bool walks = is_directory(paths[0]) || r->from != FROM_NONE;
	in.columns = r->from != FROM_NONE ? &r->list : NULL;
	if (walks) {
		in.survey->knows_now = true;
		in.survey->now_s = (int64_t)r->now_s;
		in.survey->names = r->names;
		in.survey->by = (enum survey_by)r->by;
		in.survey->depth = r->by == SURVEY_BY_DIRECTORY ? (uint32_t)r->depth : 0;
	}
	enum exit_status status = read_earlier(r, &earlier);
	if (status != EXIT_FAILED && r->out.key != NULL &&
	    !key_read(r->secret, r->out.key, r->new_key))
		status = EXIT_FAILED;
	else if (status != EXIT_FAILED)
		status = exit_status_worse(status, read_all(r, &in, paths, count));
	if (status != EXIT_FAILED)
		status = exit_status_worse(status, check_keys(r, in.survey, earlier.survey));
	if (status != EXIT_FAILED)
		status = exit_status_worse(status, fsstats_write(r, &in, earlier.survey));
	if (status != EXIT_FAILED && (r->kept || r->resume != NULL))
		(void)unlink(r->walk.checkpoint);
	survey_in_free(&in);
	survey_in_free(&earlier);
	sodium_memzero(r->secret, sizeof r->secret);
	return status;
}
