/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include "cli/ui/message.h"
#include "lib/result/names.h"

#include "html.h"

/* The problems and their places come first; values that need study are folded. */
static int write_sections(const struct html_report *r)
{
	int status = IOT_OK;
	if (!(plot_number(r->data, VALUE(totals, requests), NULL) > 0) &&
	    !r->data->processes.hosts) {
		report_samples(r);
		html_paragraph(r->html, "The trace has no requests.");
		return report_metadata(r);
	}
	report_findings(r);
	report_samples(r);
	report_times(r);
	report_rate(r);
	report_heat(r);
	report_offsets(r);
	if (status == IOT_OK)
		status = report_files(r);
	report_ties(r);
	if (status == IOT_OK)
		status = report_processes(r);
	if (status == IOT_OK)
		status = report_metadata(r);
	report_time(r);
	report_sizes(r);
	report_order(r);
	report_cycles(r);
	report_reuse(r);
	report_map(r);
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
