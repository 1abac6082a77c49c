/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs_plot.h"

#include <math.h>
#include <stdio.h>

#include "cli/ui/printable.h"

#include "canvas.h"

size_t jobs_plot_count(const struct job_set *s, jobs_plot_is_drawn *is_drawn)
{
	size_t n = 0;
	for (size_t i = 0; s != NULL && i < s->count; i++)
		n += is_drawn(&s->job[i]);
	return n;
}

void jobs_plot_note(const struct job_set *s, jobs_plot_is_drawn *is_drawn, const char *more,
		    struct output *o)
{
	const size_t drawn = jobs_plot_count(s, is_drawn), left_out = s->count - drawn;
	char text[160];
	size_t n = (size_t)snprintf(text, sizeof text, "%zu job%s", drawn, drawn == 1 ? "" : "s");
	if (left_out > 0)
		n += (size_t)snprintf(text + n, sizeof text - n, "; %zu not drawn: values unknown",
				      left_out);
	if (more != NULL)
		snprintf(text + n, sizeof text - n, "; %s", more);
	canvas_text(o, CANVAS_LEFT, 36, "start", text);
}

void jobs_plot_number(double value, struct output *o)
{
	char text[REAL_CAPACITY];
	output_text(o, isnan(value) ? "-" : printable_real(text, value));
}

void jobs_plot_write(const struct job_set *s, const char *headings,
		     const enum compared_value *values, size_t n, struct output *o)
{
	if (s->by != JOB_NOT_GROUPED)
		output_printf(o, "%s\t", job_set_by(s));
	output_printf(o, "job\t%s\n", headings);
	for (size_t i = 0; i < s->count; i++) {
		const struct set_job *job = &s->job[i];
		if (s->by != JOB_NOT_GROUPED) {
			const char *group = job->group != NULL ? job->group : "-";
			output_encoded(o, group, strlen(group));
			output_text(o, "\t");
		}
		output_encoded(o, job->name, strlen(job->name));
		for (size_t k = 0; k < n; k++) {
			output_text(o, "\t");
			jobs_plot_number(job->value[values[k]], o);
		}
		output_text(o, "\n");
	}
}
