/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace fsstats: what trees of files contain. */
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/fsstats/held.h"
#include "cli/fsstats_run.h"
#include "cli/ui/options.h"
#include "cli/ui/trace_time.h"
#include "lib/base/number.h"

enum {
	THREADS_MAX = 64,
	THREADS_PER_PROCESSOR = 2,
	OPEN_MIN = 4, /* descriptors of a thread: one of them held, and one paused */
	OPEN_DEFAULT_MAX = 4096,
	OPEN_MAX = 1 << 20, /* the default of fs.nr_open */
	TOP = 10,
	MIN_COUNT = 5,
	MEMORY = 512 << 20,
};

static uint64_t default_open(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 4 > OPEN_DEFAULT_MAX)
		return OPEN_DEFAULT_MAX;
	return limit.rlim_cur / 4 > OPEN_MIN ? limit.rlim_cur / 4 : OPEN_MIN;
}

/* A thread needs two descriptors to open a directory; the others stay open for later. */
static void share_descriptors(struct walk_options *w, uint64_t threads, uint64_t open)
{
	uint64_t n = 1;
	while (n < threads && (n + 1) * OPEN_MIN <= open)
		n++;
	const uint64_t held = open / n - 3;
	w->threads = (unsigned)n;
	w->held_max = held < HELD_MAX ? held : HELD_MAX;
	w->paused_max = open - n * (w->held_max + 2);
}

static void set_defaults(struct fsstats_run *r)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	if (r->threads == 0)
		r->threads = (uint64_t)(processors > 0 ? processors : 1) * THREADS_PER_PROCESSOR;
	if (r->threads > THREADS_MAX)
		r->threads = THREADS_MAX;
	share_descriptors(&r->walk, r->threads, r->open != 0 ? r->open : default_open());
	if (r->now_s == NOT_GIVEN)
		r->now_s = (uint64_t)time(NULL);
	r->walk.exclude = r->excluded;
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
	if (r->walk.exclude_count == FSSTATS_EXCLUDED_MAX)
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
				.walk.memory = MEMORY,
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
	    RANGE(NUMBER, 0, "open", "N", &r.open,
		  "keep at most N directories open (a quarter of the limit)", OPEN_MIN, OPEN_MAX),
	    RANGE(SIZE, 0, "memory", "SIZE", &r.walk.memory,
		  "read directories in parts if those that wait need more (512M)", 0, 0),
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
	return status == EXIT_OK ? fsstats_run(&r, argv, count) : status;
}
