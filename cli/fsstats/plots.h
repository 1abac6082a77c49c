/* SPDX-License-Identifier: BSD-2-Clause */
/* Plots of a survey: shares of files and bytes, cumulative over size and age, and by key. */
#ifndef CLI_FSSTATS_PLOTS_H
#define CLI_FSSTATS_PLOTS_H

#include "cli/ui/output.h"
#include "cli/ui/same_file.h"
#include "survey.h"

struct survey_plots {
	const struct key_sums *without; /* sizes gets another line without its files; or NULL */
	size_t top;                     /* keys with bars */
};

/*
 * Writes sizes, atime and mtime, and bars of the keys, as owners, groups, directories or projects:
 * as .svg, and their points as .tsv, to a directory that is made if it does not exist. Returns
 * EXIT_OK, or EXIT_FAILED after a message.
 */
enum exit_status survey_plots_write(const struct fs_survey *s, const char *directory,
				    const struct survey_plots *shown);
/* Writes the same plots as elements of a page. Returns false if out of memory. */
bool survey_plots_embed(const struct fs_survey *s, const struct survey_plots *shown,
			struct output *o);
/* Adds the files that survey_plots_write() may write. */
void survey_plots_add_files(struct same_file_set *files, const char *directory);

#endif
