/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include "cli/ui/message.h"

#include "html.h"

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

/* Sections in their order; those without values are left out. */
static int write_sections(const struct html_report *r)
{
	int status = IOT_OK;
	report_totals(r);
	report_time(r);
	report_cycles(r);
	report_sizes(r);
	report_order(r);
	report_reuse(r);
	status = report_files(r);
	if (status == IOT_OK)
		status = report_processes(r);
	if (status == IOT_OK)
		status = report_metadata(r);
	return status;
}

enum exit_status report_write(const struct plot_data *d, const struct report_options *options)
{
	struct output out = {.status = IOT_OK};
	struct html html = {.out = &out};
	const struct html_report r = {&html, d, options};
	enum exit_status status = output_open(&out, options->path, options->how);
	if (status != EXIT_OK)
		return status;
	report_head(&r);
	if (write_sections(&r) != IOT_OK) {
		output_abandon(&out);
		return message_no_memory();
	}
	report_method(&r);
	html_end(&html);
	return output_close(&out);
}
