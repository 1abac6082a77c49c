/* SPDX-License-Identifier: BSD-2-Clause */
/* Surveys from files: states, csv forms, and lists of other walkers. */
#ifndef CLI_FSSTATS_SURVEY_IN_H
#define CLI_FSSTATS_SURVEY_IN_H

#include "cli/cmd.h"

#include "list_in.h"

struct survey_in {
	struct fs_survey *survey; /* the sum of all files */
	char *csv;                /* the text, if the only file has the csv form; else NULL */
	size_t csv_size;
	const struct list_columns *columns; /* columns, if the files are lists; else NULL */
	bool drops_ages; /* files differ in the time of the walk, so ages are unknown */
	bool quiet;
};

/*
 * Adds files to in->survey, which is empty; for lists, the caller sets its by, depth and now_s.
 * Returns EXIT_OK, or after a message EXIT_DAMAGED if lines were left out, or EXIT_FAILED.
 */
enum exit_status survey_in_read(struct survey_in *in, char *const *paths, size_t count);
void survey_in_free(struct survey_in *in);

#endif
