/* SPDX-License-Identifier: BSD-2-Clause */
/* The report: one HTML 5 file without scripts or references, with plots. */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include "plot.h"

struct report_options {
	const char *path; /* "-": standard output */
	unsigned how;     /* as of output_open */
	size_t rows;      /* of tables of files and processes */
	bool damaged;     /* the trace is damaged, or parts of it are missing */
};

/* Returns EXIT_OK, or EXIT_FAILED after a message. */
enum exit_status report_write(const struct plot_data *d, const struct report_options *options);

/* Parts of the report, in files of their own. */
struct html;
struct html_report {
	struct html *html;
	const struct plot_data *data;
	const struct report_options *options;
};
bool report_has(const struct html_report *r, const char *section);
/* The plot, if it has data. */
void report_plot(const struct html_report *r, const struct plot *p);
void report_head(const struct html_report *r);
void report_findings(const struct html_report *r);
void report_method(const struct html_report *r);
/* Plots and values, each under a heading. */
void report_times(const struct html_report *r);
void report_rate(const struct html_report *r);
void report_samples(const struct html_report *r);
void report_heat(const struct html_report *r);
void report_offsets(const struct html_report *r);
void report_ties(const struct html_report *r);
void report_map(const struct html_report *r);
void report_time(const struct html_report *r);
void report_cycles(const struct html_report *r);
void report_sizes(const struct html_report *r);
void report_order(const struct html_report *r);
void report_reuse(const struct html_report *r);
/* Tables with a row for each file, process or operation. Return an enum iot_status. */
int report_files(const struct html_report *r);
int report_processes(const struct html_report *r);
int report_metadata(const struct html_report *r);

#endif
