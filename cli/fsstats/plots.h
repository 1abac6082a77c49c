/* SPDX-License-Identifier: BSD-2-Clause */
/* Plots of a survey: cumulative shares of files and bytes over their size and age. */
#ifndef CLI_FSSTATS_PLOTS_H
#define CLI_FSSTATS_PLOTS_H

#include "cli/ui/output.h"
#include "cli/ui/same_file.h"
#include "survey.h"

/*
 * Writes sizes, atime and mtime as .svg, and their points as .tsv, to a directory that is made if
 * it does not exist. without: a key; sizes gets another line, which leaves out its files. NULL: no
 * such line. Returns EXIT_OK, or EXIT_FAILED after a message.
 */
enum exit_status survey_plots_write(const struct fs_survey *s, const char *directory,
				    const struct key_sums *without);
/* Writes the same plots as elements of a page. Returns false if out of memory. */
bool survey_plots_embed(const struct fs_survey *s, const struct key_sums *without,
			struct output *o);
/* Adds the files that survey_plots_write() may write. */
void survey_plots_add_files(struct same_file_set *files, const char *directory);

#endif
