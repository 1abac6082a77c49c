/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace fsstats: what trees of files contain. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "cli/fsstats/survey_in.h"
#include "cli/fsstats/survey_links.h"
#include "cli/fsstats/survey_out.h"
#include "cli/fsstats/survey_share.h"
#include "cli/fsstats/walk.h"
#include "cli/ui/key.h"
#include "cli/ui/message.h"
#include "cli/ui/options.h"
#include "cli/ui/progress.h"
#include "cli/ui/signals.h"
#include "cli/ui/trace_time.h"
#include "cli/views/fsstats.h"
#include "lib/base/clock.h"
#include "lib/base/number.h"

enum {
	MESSAGES_MAX = 20,
	THREADS_MAX = 64,
	THREADS_PER_PROCESSOR = 2,
	DESCRIPTORS_PER_THREAD = 8,
	EXCLUDED_MAX = 64,
	TOP = 10,
	MIN_COUNT = 5,
};

enum { FROM_NONE = -1, FROM_FIND, FROM_LIST };

struct fsstats_run {
	struct walk_options walk;
	uint64_t threads, now_s, messages, depth, reach, min_count;
	struct survey_out out;
	const char *against, *resume, *columns;
	const char *excluded[EXCLUDED_MAX];
	int by, from;
	struct print_choice form;
	bool quiet, share, new_key, names, allow_ages, kept;
	unsigned char secret[KEY_SECRET_SIZE]; /* of pseudonyms, if out.key is given */
	struct list_columns list;
	int progress_how; /* PROGRESS_... */
	struct progress progress;
	uint64_t started_ns;
	bool says_progress; /* by a message, after SIGUSR1 */
};

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

/* Outputs */

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

static enum exit_status write_all(struct fsstats_run *r, const struct survey_in *in,
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

/* Inputs */

static enum exit_status walk(struct fsstats_run *r, struct fs_survey *s, char **roots, size_t count)
{
	size_t bad = 0;
	if (r->walk.checkpoint != NULL) {
		signals_catch(SIGNALS_COLLECT, "-", r->quiet);
		r->walk.interrupt = signals_interrupt();
	}
	signals_catch_progress();
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

static enum exit_status run(struct fsstats_run *r, char **paths, size_t count)
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
		status = exit_status_worse(status, write_all(r, &in, earlier.survey));
	if (status != EXIT_FAILED && (r->kept || r->resume != NULL))
		(void)unlink(r->walk.checkpoint);
	survey_in_free(&in);
	survey_in_free(&earlier);
	sodium_memzero(r->secret, sizeof r->secret);
	return status;
}

/* Options */

/* Each thread holds a few descriptors. */
static uint64_t threads_max(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return THREADS_MAX;
	const uint64_t n = limit.rlim_cur / DESCRIPTORS_PER_THREAD;
	return n == 0 ? 1 : n < THREADS_MAX ? n : THREADS_MAX;
}

static void set_defaults(struct fsstats_run *r)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t max = threads_max();
	if (r->threads == 0)
		r->threads = (uint64_t)(processors > 0 ? processors : 1) * THREADS_PER_PROCESSOR;
	r->walk.threads = (unsigned)(r->threads < max ? r->threads : max);
	if (r->now_s == NOT_GIVEN)
		r->now_s = (uint64_t)time(NULL);
	r->walk.failed = report;
	r->walk.failed_checkpoint = report_checkpoint;
	r->walk.wants_progress = wants_progress;
	r->walk.progress = report_progress;
	r->walk.context = r;
	r->walk.exclude = r->excluded;
	r->walk.kept = &r->kept;
	r->walk.resumes = r->resume != NULL;
	if (r->resume != NULL)
		r->walk.checkpoint = r->resume;
}

static const char *set_part(const struct option *opt, const char *value)
{
	struct walk_options *o = opt->target;
	const char *slash = strchr(value, '/');
	uint64_t part, parts;
	if (slash == NULL || !number_decimal(value, (size_t)(slash - value), &part) ||
	    !number_decimal(slash + 1, strlen(slash + 1), &parts) || part < 1 || part > parts ||
	    parts > ROOT_PARTS_MAX)
		return "K/N, the K-th of N parts, such as 3/64";
	o->part = (uint32_t)part;
	o->parts = (uint32_t)parts;
	return NULL;
}

static const char *add_excluded(const struct option *opt, const char *value)
{
	struct fsstats_run *r = opt->target;
	if (r->walk.exclude_count == EXCLUDED_MAX)
		return "at most 64 patterns";
	r->excluded[r->walk.exclude_count++] = value;
	return NULL;
}

static const char notes[] =
    "Nothing is opened but directories; no link is followed; access times do not change\n"
    "where the system permits it. A file with several links counts once. The directories\n"
    "that are given are not counted themselves. No output contains names, except of the\n"
    "directories of --by=dir, and checkpoints.\n"
    "The exit status is 1 if something could not be read.\n";

static const char examples[] =
    "  iotrace fsstats /home                      sizes and ages of files\n"
    "  iotrace fsstats --csv=home.csv /home       a survey that can be published\n"
    "  iotrace fsstats --by=owner -s now.state.zst /home\n"
    "  iotrace fsstats --against=may.state.zst now.state.zst\n"
    "  find /home -printf \"FORMAT\" | iotrace fsstats --from=find -\n";

/* Returns EXIT_OK, or the exit status of options that exclude each other. */
static enum exit_status check_options(struct fsstats_run *r)
{
	if (!print_choice_valid(&r->form, r->out.command))
		return EXIT_FAILED;
	if (r->names && r->share)
		return options_wrong(r->out.command, "--names and --share exclude each other");
	if (r->out.key != NULL && !r->share)
		return options_wrong(r->out.command, "--key requires --share");
	if (r->out.key == NULL && r->new_key)
		return options_wrong(r->out.command, "--new-key requires --key");
	if (r->out.key == NULL && r->share && r->against != NULL)
		return options_wrong(r->out.command, "--share requires --key with --against");
	if (r->from == FROM_NONE && r->columns != NULL)
		return options_wrong(r->out.command, "--columns requires --from=list");
	if (r->from == FROM_LIST && r->columns == NULL)
		return options_wrong(r->out.command, "--from=list requires --columns");
	if (r->from == FROM_NONE)
		return survey_out_check(&r->out, r->resume == NULL ? r->walk.checkpoint : NULL);
	const char *expected =
	    list_columns_parse(&r->list, r->columns != NULL ? r->columns : list_find_columns);
	if (expected != NULL)
		return options_wrong(r->out.command, "--columns is '%s', expected %s", r->columns,
				     expected);
	return survey_out_check(&r->out, r->resume == NULL ? r->walk.checkpoint : NULL);
}

enum exit_status cmd_fsstats(int argc, char **argv)
{
	struct fsstats_run r = {.now_s = NOT_GIVEN,
				.depth = 1,
				.out.top = TOP,
				.min_count = MIN_COUNT,
				.from = FROM_NONE,
				.walk.checkpoint_ns = UINT64_C(600000000000)};
	const struct option options[] = {
	    OPTION(STRING, 's', "state", "FILE", &r.out.state,
		   "write a state, which can be read, added and compared later"),
	    OPTION(STRING, 0, "csv", "FILE", &r.out.csv, "write the csv form of published surveys"),
	    OPTION_FORMS(r.form, "", "keys, or else histograms, as columns"),
	    OPTION(STRING, 0, "html", "FILE", &r.out.html,
		   "write a report with tables and plots to FILE"),
	    OPTION(STRING, 0, "plots", "DIR", &r.out.plots,
		   "write plots to DIR, with their points"),
	    OPTION_QUIET(r.quiet, r.progress_how),
	    GROUP("Tables"),
	    OPTION(CHOICE, 0, "by", "none|owner|group|dir|project", &r.by,
		   "count files by owner, group, directory or project, too"),
	    RANGE(NUMBER, 0, "depth", "N", &r.depth, "levels of directories for --by=dir (1)", 0,
		  UINT32_MAX),
	    RANGE(NUMBER, 0, "top", "N", &r.out.top, "print the N largest of these (10)", 1, 0),
	    OPTION(FLAG, 0, "names", NULL, &r.names,
		   "list the largest files and directories, with their paths"),
	    OPTION(FLAG, 0, "share", NULL, &r.share, "replace ids and names of these by numbers"),
	    OPTION(STRING, 'k', "key", "FILE", &r.out.key,
		   "... by pseudonyms, with the secret key in FILE"),
	    OPTION(FLAG, 0, "new-key", NULL, &r.new_key,
		   "create FILE first, readable only by you; it must not exist"),
	    RANGE(NUMBER, 0, "min-count", "N", &r.min_count,
		  "merge cells of the table of sizes and ages with fewer files (5)", 1, 0),
	    OPTION(STRING, 0, "without", "KEY", &r.out.without,
		   "plot sizes without the files of KEY, too"),
	    OPTION(STRING, 0, "against", "FILE", &r.against,
		   "show the growth since an earlier state or csv"),
	    OPTION(NUMBER, 0, "reach", "N", &r.reach, "... and when there will be N files"),
	    GROUP("Inputs that are files"),
	    OPTION(FLAG, 0, "allow-ages", NULL, &r.allow_ages,
		   "add surveys of different times, without ages"),
	    OPTION(CHOICE, 0, "from", "find|list", &r.from,
		   "lists of other walkers, with a line for each file"),
	    OPTION(STRING, 0, "columns", "LIST", &r.columns,
		   "of a list: size,blocks,type,mtime,..., - for others"),
	    GROUP("Walking"),
	    RANGE(NUMBER, 0, "threads", "N", &r.threads, "use N threads (default: 2 per processor)",
		  1, THREADS_MAX),
	    RANGE(NUMBER, 0, "now", "SECONDS", &r.now_s,
		  "ages are relative to this time since 1970 (default: the begin)", 0, INT64_MAX),
	    OPTION(FLAG, 0, "cross", NULL, &r.walk.cross, "enter other file systems"),
	    OPTION(FLAG, 0, "snapshots", NULL, &r.walk.snapshots, "enter directories of snapshots"),
	    OPTION(FLAG, 0, "sync", NULL, &r.walk.force_sync,
		   "ask servers for the exact sizes of open files"),
	    OPTION(CHOICE, 0, "sort", "default|none|inode", &r.walk.order,
		   "order in large directories (inode, except over a network)"),
	    CALL("exclude", "GLOB", &r, "ignore entries with such names; may be repeated",
		 add_excluded),
	    RANGE(NUMBER, 0, "rate", "N", &r.walk.rate, "look at N entries per second at most", 1,
		  0),
	    CALL("part", "K/N", &r.walk, "walk the K-th of N parts, whose states can be added",
		 set_part),
	    OPTION(STRING, 0, "checkpoint", "FILE", &r.walk.checkpoint,
		   "keep what is left in FILE, from time to time and when interrupted"),
	    CALL("every", "TIME", &r.walk.checkpoint_ns, "time between checkpoints (10m)",
		 option_duration),
	    OPTION(STRING, 0, "resume", "FILE", &r.resume, "continue with a checkpoint"),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "fsstats",
	    .summary = "Show the sizes and ages of the files in trees of directories",
	    .synopsis = "[OPTION]... DIR...\n[OPTION]... STATE|CSV...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	r.out.command = &command;
	set_defaults(&r);
	status = check_options(&r);
	return status == EXIT_OK ? run(&r, argv, count) : status;
}
