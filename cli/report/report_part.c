/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that several parts of the report share. */
#include "html.h"
#include "report.h"

bool report_has(const struct html_report *r, const char *section)
{
	const struct iot_analyze_value *v;
	for (size_t i = 0; (v = iot_analyze_value(r->data->analysis, i)) != NULL; i++)
		if (strcmp(v->section, section) == 0)
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
