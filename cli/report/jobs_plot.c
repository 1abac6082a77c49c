/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs_plot.h"

#include <math.h>
#include <stdio.h>

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

void jobs_plot_group(const struct job_set *s, const char *name, struct tsv *t)
{
	if (s->by == JOB_NOT_GROUPED)
		tsv_word(t, "all jobs");
	else if (name != NULL)
		tsv_name(t, name, strlen(name));
	else
		tsv_unknown(t);
}

void jobs_plot_write(const struct job_set *s, const char *const names[2],
		     const enum compared_value values[2], struct tsv *t)
{
	const bool grouped = s->by != JOB_NOT_GROUPED;
	const char *const all[] = {job_set_by(s), "job", names[0], names[1], NULL};
	tsv_begin(t, grouped ? all : all + 1);
	for (size_t i = 0; i < s->count; i++) {
		const struct set_job *job = &s->job[i];
		if (grouped)
			jobs_plot_group(s, job->group, t);
		tsv_name(t, job->name, strlen(job->name));
		for (size_t k = 0; k < 2; k++)
			tsv_real(t, job->value[values[k]]);
	}
}
