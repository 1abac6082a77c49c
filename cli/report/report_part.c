/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that several parts of the report share. */
#include <string.h>

#include "lib/result/names.h"

#include "html.h"
#include "report.h"

/* Returns whether the trace has samples of counters, but no I/Os. */
static bool is_sampled(const struct iot_analyze *a)
{
	const struct iot_analyze_value *processes =
	    iot_analyze_find(a, SECTION_OF(trace), NAME_OF(processes), NULL);
	return iot_analyze_find(a, SECTION_OF(samples), NAME_OF(sample_count), NULL) != NULL &&
	       processes != NULL && processes->kind == IOT_VALUE_UNKNOWN;
}

/* Samples leave out sections of which they show nothing. */
bool report_has(const struct html_report *r, const char *section)
{
	const struct iot_analyze_value *v;
	const bool sampled = is_sampled(r->data->analysis);
	for (size_t i = 0; (v = iot_analyze_value(r->data->analysis, i)) != NULL; i++)
		if (strcmp(v->section, section) == 0 && (!sampled || v->kind != IOT_VALUE_UNKNOWN))
			return true;
	return false;
}

void report_plot(const struct html_report *r, const struct plot *p)
{
	if (!p->has_data(r->data))
		return;
	output_text(r->html->out, "<figure>\n");
	plot_write(p, r->data, r->html->out, PLOT_EMBEDDED);
	output_text(r->html->out, "</figure>\n");
}
