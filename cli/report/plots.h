/* SPDX-License-Identifier: BSD-2-Clause */
/* All plots, as files of a directory. */
#ifndef CLI_REPORT_PLOTS_H
#define CLI_REPORT_PLOTS_H

#include "cli/ui/same_file.h"

#include "plot.h"

/* The plots of a trace, and of several jobs, in the order of the report; NULL ends them. */
extern const struct plot *const trace_plots[], *const job_plots[];

/*
 * Writes NAME.svg and NAME.tsv of each of the plots that has data to a directory, which is made if
 * it does not exist. png: NAME.png, too, by rsvg-convert. how: as of output_open. Returns EXIT_OK,
 * or EXIT_FAILED after a message.
 */
enum exit_status plots_write(const struct plot *const *plots, const struct plot_data *d,
			     const char *directory, bool png, unsigned how);

/* Adds the files that plots_write may write. */
void plots_add_files(struct same_file_set *files, const char *directory, bool png);

#endif
