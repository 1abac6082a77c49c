/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace fsstats: what trees of files contain. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/fsstats/csv.h"
#include "cli/fsstats/walk.h"
#include "cli/ui/message.h"
#include "cli/ui/options.h"
#include "cli/ui/same_file.h"
#include "cli/views/fsstats.h"

enum { MESSAGES_MAX = 20, THREADS_MAX = 64, THREADS_PER_PROCESSOR = 2 };

struct fsstats_run {
	struct walk_options walk;
	uint64_t threads, now_s, messages;
	const char *csv;
	bool json, tsv, quiet;
};

static void report(void *context, const char *path, int error)
{
	struct fsstats_run *r = context;
	if (!r->quiet && r->messages++ < MESSAGES_MAX)
		message_print("%s: %s", path, strerror(error));
}

static enum exit_status write_csv(const struct fsstats_run *r, const struct fs_survey *s)
{
	struct output out;
	if (r->csv == NULL)
		return EXIT_OK;
	const enum exit_status status = output_open(&out, r->csv, 0);
	if (status != EXIT_OK)
		return status;
	csv_write(&out, s);
	return output_close(&out);
}

static enum exit_status print(const struct fsstats_run *r, struct fs_survey *s)
{
	struct output out;
	if (r->csv != NULL && strcmp(r->csv, "-") == 0)
		return EXIT_OK;
	const enum exit_status status = output_open(&out, "-", 0);
	if (status != EXIT_OK)
		return status;
	if (r->json)
		fsstats_print_json(&out, s);
	else if (r->tsv)
		fsstats_print_tsv(&out, s);
	else
		fsstats_print_text(&out, s);
	return output_close(&out);
}

static enum exit_status warn(const struct fsstats_run *r, const struct fs_survey *s)
{
	const uint64_t errors = survey_errors(s);
	if (s->touched > 0 && !r->quiet)
		message_print("warning: reading may have changed the access times of %ju "
			      "directories of other users",
			      (uintmax_t)s->touched);
	if (errors == 0)
		return EXIT_OK;
	message_print("incomplete: %ju directories not read, %ju errors", (uintmax_t)s->unread,
		      (uintmax_t)errors);
	return EXIT_DAMAGED;
}

static enum exit_status walk(struct fsstats_run *r, struct fs_survey *s, char **roots, size_t count)
{
	size_t bad = 0;
	switch (walk_trees(s, roots, count, &r->walk, &bad)) {
	case WALK_OK:
		return EXIT_OK;
	case WALK_BAD_ROOT:
		return message_error(roots[bad], errno == EEXIST ? "is part of another directory"
								 : strerror(errno));
	case WALK_NO_MEMORY:
		break;
	}
	return message_no_memory();
}

static enum exit_status run(struct fsstats_run *r, char **roots, size_t count)
{
	struct fs_survey *s = calloc(1, sizeof *s);
	if (s == NULL)
		return message_no_memory();
	enum exit_status status = walk(r, s, roots, count);
	if (status == EXIT_OK) {
		status = warn(r, s);
		status = exit_status_worse(status, write_csv(r, s));
		status = exit_status_worse(status, print(r, s));
	}
	free(s);
	return status;
}

static void set_defaults(struct fsstats_run *r)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t max = (uint64_t)(processors > 0 ? processors : 1) * THREADS_PER_PROCESSOR;
	if (r->threads == 0)
		r->threads = max < THREADS_MAX ? max : THREADS_MAX;
	r->walk.threads = (unsigned)r->threads;
	r->walk.now_s = r->now_s == NOT_GIVEN ? (int64_t)time(NULL) : (int64_t)r->now_s;
	r->walk.failed = report;
	r->walk.context = r;
}

static const char notes[] =
    "Nothing is opened but directories; no link is followed; access times do not change\n"
    "where the system permits it. A file with several links counts once. The directories\n"
    "that are given are not counted themselves. Ages are whole days before the begin of the\n"
    "walk. Shares of sizes include the limit. No output contains names of files.\n"
    "tsv: the bins of all histograms. csv: the form of published surveys (fsstats 1.4).\n"
    "The exit status is 1 if something could not be read.\n";

static const char examples[] =
    "  iotrace fsstats /home                      sizes and ages of files\n"
    "  iotrace fsstats --csv=home.csv /home       a survey that can be published\n"
    "  iotrace fsstats --json /home | jq '.regular_files'\n";

/* The csv must not replace a trace, a state or a log. */
static enum exit_status check_csv(const struct command_spec *cmd, const char *path)
{
	struct same_file_set files = {.command = cmd};
	if (path == NULL)
		return EXIT_OK;
	same_file_add_output(&files, ROLE_OUTPUT, "--csv", path);
	const enum exit_status status = same_file_check(&files);
	same_file_free(&files);
	return status;
}

enum exit_status cmd_fsstats(int argc, char **argv)
{
	struct fsstats_run r = {.now_s = NOT_GIVEN};
	const struct option options[] = {
	    OPTION(STRING, 0, "csv", "FILE", &r.csv, "write the csv form of published surveys"),
	    OPTION(FLAG, 'j', "json", NULL, &r.json, "print JSON"),
	    OPTION(FLAG, 't', "tsv", NULL, &r.tsv, "print histograms as columns separated by tabs"),
	    OPTION(FLAG, 'q', "quiet", NULL, &r.quiet, "no warnings, no paths of errors"),
	    GROUP("Walking"),
	    RANGE(NUMBER, 0, "threads", "N", &r.threads, "use N threads (default: 2 per processor)",
		  1, THREADS_MAX),
	    RANGE(NUMBER, 0, "now", "SECONDS", &r.now_s,
		  "ages are relative to this time since 1970 (default: the begin)", 0, INT64_MAX),
	    OPTION(FLAG, 0, "cross", NULL, &r.walk.cross, "enter other file systems"),
	    OPTION(FLAG, 0, "snapshots", NULL, &r.walk.snapshots, "enter directories of snapshots"),
	    OPTION(FLAG, 0, "sync", NULL, &r.walk.force_sync,
		   "ask servers for the exact sizes of open files"),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "fsstats",
	    .summary = "Show the sizes and ages of the files in trees of directories",
	    .synopsis = "[OPTION]... DIR...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if (r.json && r.tsv)
		return options_wrong(&command, "--json and --tsv exclude each other");
	status = check_csv(&command, r.csv);
	if (status != EXIT_OK)
		return status;
	set_defaults(&r);
	return run(&r, argv, count);
}
