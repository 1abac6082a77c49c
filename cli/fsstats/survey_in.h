/* SPDX-License-Identifier: BSD-2-Clause */
/* Surveys from files: states, csv forms, and lists of other walkers. */
#ifndef CLI_FSSTATS_SURVEY_IN_H
#define CLI_FSSTATS_SURVEY_IN_H

#include "cli/cmd.h"

#include "list_in.h"

struct survey_in {
	struct fs_survey *survey; /* the sum of all files */
	char *csv;                /* the text of a csv form that is the only file, else NULL */
	size_t csv_size;
	const struct list_columns
	    *columns;          /* files are lists with these columns; NULL: they are not */
	struct link_set links; /* of lists */
	bool drops_ages;       /* if files differ in the time of the walk */
	bool quiet;
};

/*
 * Adds files to in->survey, which is empty; of lists, its by, depth and now_s are set. Returns EXIT_OK; EXIT_DAMAGED if
 * lines were left out; or EXIT_FAILED. The last two follow a message.
 */
enum exit_status survey_in_read(struct survey_in *in, char *const *paths, size_t count);
void survey_in_free(struct survey_in *in);

#endif
