/* SPDX-License-Identifier: BSD-2-Clause */
#include "several.h"

#include "cli/views/jobs.h"
#include "cli/views/maps.h"
#include "cli/views/picks.h"

void analyze_several_begin(struct analyze_several *s, struct analyze_inputs *inputs)
{
	s->jobs.has_workflow = s->as == ANALYZE_AS_POPULATIONS;
	inputs->add_job = s->as == ANALYZE_AS_MAPS ? analyze_maps_add : analyze_jobs_add;
	inputs->jobs = s->as == ANALYZE_AS_MAPS ? (void *)&s->maps : &s->jobs;
	inputs->by_job =
	    s->as == ANALYZE_AS_ROWS || s->as == ANALYZE_AS_GROUPS || s->as == ANALYZE_AS_PICKS;
}

/* Returns an enum iot_status. */
static int print(struct analyze_several *s, struct output *out, const struct print_form *form,
		 uint64_t top)
{
	if (s->as == ANALYZE_AS_PICKS) {
		picks_print(out, s->picks, form);
		return IOT_OK;
	}
	if (s->as == ANALYZE_AS_GROUPS)
		return jobs_print_groups(&s->jobs, out, form, top);
	if (s->as == ANALYZE_AS_ROWS)
		return jobs_print_rows(&s->jobs, out, form, top);
	if (s->as == ANALYZE_AS_POPULATIONS)
		return jobs_print(&s->jobs, out, form, top);
	maps_print(&s->maps, out, form);
	return IOT_OK;
}

enum exit_status analyze_several_print(struct analyze_several *s, const struct print_form *form,
				       uint64_t top)
{
	struct output out;
	const enum exit_status status = output_open(&out, "-", 0);
	if (status != EXIT_OK)
		return status;
	if (print(s, &out, form, top) != IOT_OK) {
		output_abandon(&out);
		return message_no_memory();
	}
	return output_close(&out);
}

void analyze_several_free(struct analyze_several *s)
{
	analyze_jobs_free(&s->jobs);
	analyze_maps_free(&s->maps);
}
