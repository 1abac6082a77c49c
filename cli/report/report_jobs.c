/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/markup.h"
#include "cli/ui/message.h"
#include "cli/ui/printable.h"
#include "lib/base/significant.h"
#include "lib/result/names.h"

#include "html.h"
#include "plots.h"

int report_jobs_add(void *jobs, const struct analyze_job_of *of)
{
	struct report_jobs *r = jobs;
	int status = job_set_add(&r->set, of);
	if (r->set.by != JOB_NOT_GROUPED)
		r->jobs.grouping = (struct analyze_grouping){{(enum analyze_group_by)r->set.by}, 1};
	if (status == IOT_OK)
		status = analyze_jobs_add(&r->jobs, of);
	return status;
}

bool report_jobs_data(struct report_jobs *r, struct plot_data *d)
{
	*d = (struct plot_data){.jobs = &r->set};
	return job_set_sort(&r->set);
}

void report_jobs_free(struct report_jobs *r)
{
	job_set_free(&r->set);
	analyze_jobs_free(&r->jobs);
}

/* Cells */

static void cell_count(struct html *h, uint64_t number)
{
	const struct iot_analyze_value v = {.kind = IOT_VALUE_NUMBER, .number = number};
	html_cell(h, HTML_COUNT, &v);
}

static void cell_number(struct html *h, double number)
{
	char text[SIGNIFICANT];
	html_cell_text(h, isnan(number) ? "-" : significant(text, number, 4));
}

static void cell_bytes(struct html *h, double bytes)
{
	char text[HTML_VALUE] = "-";
	if (!isnan(bytes) && bytes < 0x1p63)
		printable_bytes(text, sizeof text, (uint64_t)bytes);
	html_cell_text(h, text);
}

static void row_of(struct html *h, const char *name)
{
	output_text(h->out, "<tr><td class=\"n\">");
	markup_shortened(h->out, name, strlen(name), HTML_NAME_MAX);
	output_text(h->out, "</td>");
}

/* Parts */

static void term(struct html *h, const char *name, const char *text)
{
	output_printf(h->out, "<dt>%s</dt><dd>", name);
	markup_text(h->out, text);
	output_text(h->out, "</dd>\n");
}

static void write_head(struct html *h, const struct report_jobs *r, bool incomplete)
{
	static const char title[] = "I/O of several jobs";
	char text[HTML_VALUE];
	html_begin(h, title, sizeof title - 1);
	output_printf(h->out, "<header>\n<h1>I/O of %zu job%s</h1>\n<dl>\n", r->jobs.count,
		      r->jobs.count == 1 ? "" : "s");
	snprintf(text, sizeof text, "%ju",
		 (uintmax_t)analyze_jobs_sum(&r->jobs, NAME_OF(requests)));
	term(h, "requests", text);
	term(h, "bytes read",
	     printable_bytes(text, sizeof text, analyze_jobs_sum(&r->jobs, NAME_OF(read_bytes))));
	term(
	    h, "bytes written",
	    printable_bytes(text, sizeof text, analyze_jobs_sum(&r->jobs, NAME_OF(written_bytes))));
	term(h, "complete",
	     incomplete ? "no: parts of a trace are missing or damaged"
			: "every trace was read to its end");
	output_text(h->out, "</dl>\n</header>\n<main>\n");
}

static void write_plot(struct html *h, const struct plot_data *d, const struct plot *p)
{
	if (!p->has_data(d))
		return;
	output_text(h->out, "<figure>\n");
	plot_write(p, d, h->out, PLOT_EMBEDDED);
	output_text(h->out, "</figure>\n");
}

/* A value in its unit, unless the label has it. */
static void cell_value(struct html *h, double value, const char *unit)
{
	char text[HTML_VALUE], number[SIGNIFICANT];
	if (strncmp(unit, "bytes", 5) == 0 && value >= 0 && value < 0x1p63) {
		printable_bytes(text, sizeof text, (uint64_t)value);
		if (strcmp(unit, "bytes/s") == 0)
			snprintf(text + strlen(text), 3, "/s");
		html_cell_text(h, text);
	} else if (strcmp(unit, "s") == 0 && !isnan(value)) {
		snprintf(text, sizeof text, "%s s", significant(number, value, 4));
		html_cell_text(h, text);
	} else {
		cell_number(h, value);
	}
}

/* Lowest, quartiles and highest. */
static void write_populations(struct html *h, const struct report_jobs *r, struct population *p)
{
	static const char *const headings[] = {"of each job", "jobs",     "lowest",  "quartile",
					       "median",      "quartile", "highest", NULL};
	static const unsigned permille[] = {0, 250, 500, 750, 1000};
	const struct job_group all = analyze_jobs_all(&r->jobs);
	html_table(h, NULL, headings);
	for (size_t i = 0; i < member_values_count; i++) {
		if (member_values[i].label == NULL)
			continue;
		analyze_group_collect(&all, i, p);
		html_row(h, member_values[i].label);
		cell_count(h, p->n);
		for (size_t q = 0; q < sizeof permille / sizeof permille[0]; q++) {
			cell_value(h, p->n > 0 ? population_quantile(p, permille[q]) : (double)NAN,
				   member_values[i].unit);
		}
		html_row_end(h);
	}
	html_table_end(h);
}

/* Means of the jobs of each group. */
static void write_groups(struct html *h, struct report_jobs *r, struct population *p, size_t rows)
{
	struct job_group *group = calloc(r->jobs.count + 1, sizeof *group);
	const char *headings[ANALYZE_GROUP_COLUMNS + 3] = {job_set_by(&r->set), "jobs"};
	if (group == NULL) {
		h->out->status = IOT_ENOMEM;
		return;
	}
	const size_t n = analyze_jobs_group(&r->jobs, group);
	for (size_t i = 0; i < ANALYZE_GROUP_COLUMNS; i++)
		headings[i + 2] = analyze_group_columns[i].heading;
	html_table(h, "means of the jobs of each group, most bytes first", headings);
	for (size_t k = 0; k < n && k < rows; k++) {
		const char *name = group[k].job[0]->group[0];
		row_of(h, name != NULL ? name : "-");
		cell_count(h, group[k].count);
		for (size_t i = 0; i < ANALYZE_GROUP_COLUMNS; i++) {
			const struct group_column *c = &analyze_group_columns[i];
			analyze_group_collect(&group[k], member_value_number(c->section, c->name),
					      p);
			cell_number(h, p->n > 0 ? c->scale * population_mean(p) : (double)NAN);
		}
		html_row_end(h);
	}
	html_table_end(h);
	if (n > rows)
		output_printf(h->out, "<p class=\"soft\">%zu more groups; see --top</p>\n",
			      n - rows);
	free(group);
}

static double bytes_of(const struct set_job *job)
{
	return job->value[JOB_READ] + job->value[JOB_WRITTEN];
}

static int by_bytes(const void *left, const void *right)
{
	const struct set_job *a = *(const struct set_job *const *)left,
			     *b = *(const struct set_job *const *)right;
	if (bytes_of(a) != bytes_of(b))
		return bytes_of(a) > bytes_of(b) ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void write_jobs(struct html *h, const struct job_set *s, size_t rows)
{
	static const char *const headings[] = {
	    "job", VALUE(processes, files), "read", "written", "bytes/s", NULL};
	const struct set_job **job = calloc(s->count + 1, sizeof(struct set_job *));
	if (job == NULL) {
		h->out->status = IOT_ENOMEM;
		return;
	}
	for (size_t i = 0; i < s->count; i++)
		job[i] = &s->job[i];
	if (s->count > 0)
		qsort(job, s->count, sizeof(struct set_job *), by_bytes);
	html_section(h, "jobs", "Jobs with most bytes");
	html_table(h, NULL, headings);
	for (size_t i = 0; i < s->count && i < rows; i++) {
		row_of(h, job[i]->name);
		cell_number(h, job[i]->value[JOB_PROCESSES]);
		cell_number(h, job[i]->value[JOB_FILES]);
		cell_bytes(h, job[i]->value[JOB_READ]);
		cell_bytes(h, job[i]->value[JOB_WRITTEN]);
		cell_bytes(h, job[i]->value[JOB_RATE]);
		html_row_end(h);
	}
	html_table_end(h);
	if (s->count > rows)
		output_printf(h->out, "<p class=\"soft\">%zu more jobs; see --top</p>\n",
			      s->count - rows);
	html_section_end(h);
	free(job);
}

static void write_sections(struct html *h, struct report_jobs *r, const struct plot_data *d,
			   struct population *p, size_t rows)
{
	html_section(h, "values", "Values of the jobs");
	write_populations(h, r, p);
	html_section_end(h);
	if (r->set.by != JOB_NOT_GROUPED) {
		html_section(h, "groups", "Groups");
		write_groups(h, r, p, rows);
		html_section_end(h);
	}
	html_section(h, "plots", "Comparison of the jobs");
	for (size_t i = 0; job_plots[i] != NULL; i++)
		write_plot(h, d, job_plots[i]);
	html_section_end(h);
	write_jobs(h, &r->set, rows);
	html_section(h, "method", "Method");
	html_paragraph(
	    h, "Traces that declare the same job are one job, others are jobs of their own. "
	       "A value of a job comes from its analysis alone; a job of which it is unknown "
	       "does not count in its quantiles. iotrace-analyze(1) defines all values; "
	       "'iotrace analyze --by=job --tsv' prints the values of each job.");
	output_printf(h->out, "<dl>\n<dt>version</dt><dd>iotrace %s</dd>\n</dl>\n", iot_version());
	html_section_end(h);
	output_text(h->out, "</main>\n");
}

enum exit_status report_jobs_write(struct report_jobs *r, const struct plot_data *d,
				   const struct report_options *options)
{
	struct output out = {.status = IOT_OK};
	struct html html = {.out = &out};
	struct population p = {.value = calloc(r->jobs.count + 1, sizeof *p.value)};
	enum exit_status status =
	    p.value != NULL ? output_open(&out, options->path, options->how) : message_no_memory();
	if (status == EXIT_OK) {
		write_head(&html, r, options->damaged);
		write_sections(&html, r, d, &p, options->rows);
		html_end(&html);
		status = output_close(&out);
	}
	free(p.value);
	return status;
}
