/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of `iotrace fsstats` share: cmd_fsstats.c parses its options. */
#ifndef CLI_FSSTATS_RUN_H
#define CLI_FSSTATS_RUN_H

#include "cli/fsstats/survey_in.h"
#include "cli/fsstats/survey_out.h"
#include "cli/fsstats/walk.h"
#include "cli/print/form.h"
#include "cli/ui/key.h"
#include "cli/ui/progress.h"

enum { FSSTATS_EXCLUDED_MAX = 64 };
enum { FROM_NONE = -1, FROM_FIND, FROM_LIST };

struct fsstats_run {
	struct walk_options walk;
	uint64_t threads, open, now_s, messages, depth, reach, min_count;
	struct survey_out out;
	const char *against, *resume, *columns;
	const char *excluded[FSSTATS_EXCLUDED_MAX];
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

/* Reads or walks what the paths name, and writes what is wanted of it. */
enum exit_status fsstats_run(struct fsstats_run *r, char **paths, size_t count);
/* Writes and prints a survey. earlier: the survey to compare it with, or NULL */
enum exit_status fsstats_write(struct fsstats_run *r, const struct survey_in *in,
			       struct fs_survey *earlier);

#endif
