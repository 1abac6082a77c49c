/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of plots of several jobs. */
#ifndef CLI_REPORT_JOBS_PLOT_H
#define CLI_REPORT_JOBS_PLOT_H

#include "job_set.h"
#include "plot.h"

typedef bool jobs_plot_is_drawn(const struct set_job *job);

/* The number of jobs that are drawn; s may be NULL. */
size_t jobs_plot_count(const struct job_set *s, jobs_plot_is_drawn *is_drawn);
/*
 * Writes below the title the number of jobs, and of those that are not drawn because a value is
 * unknown, and a further remark unless `more` is NULL.
 */
void jobs_plot_note(const struct job_set *s, jobs_plot_is_drawn *is_drawn, const char *more,
		    struct output *o);
/* Writes the cell of a group, whose name is NULL if it is unknown. */
void jobs_plot_group(const struct job_set *s, const char *name, struct tsv *t);
/* A row for each job, with its group if there are any, and two values of these names. */
void jobs_plot_write(const struct job_set *s, const char *const names[2],
		     const enum compared_value values[2], struct tsv *t);

#endif
