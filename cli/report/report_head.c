/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of the report: the trace, and whether it is complete. Its end: the method. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/analyze/shown.h"
#include "cli/ui/markup.h"
#include "lib/result/names.h"

#include "html.h"
#include "report.h"

static const struct iot_analyze_value *value_of(const struct html_report *r, const char *section,
						const char *name)
{
	return iot_analyze_find(r->data->analysis, section, name, NULL);
}

static uint64_t number_of(const struct html_report *r, const char *section, const char *name)
{
	const struct iot_analyze_value *v = plot_value(r->data, section, name, NULL);
	return v != NULL && v->kind == IOT_VALUE_NUMBER ? v->number : 0;
}

static void term(const struct html_report *r, const char *name)
{
	output_text(r->html->out, "<dt>");
	markup_text(r->html->out, name);
	output_text(r->html->out, "</dt><dd>");
}

static void term_end(const struct html_report *r)
{
	output_text(r->html->out, "</dd>\n");
}

static void term_text(const struct html_report *r, const char *name, const char *text)
{
	term(r, name);
	markup_text(r->html->out, text);
	term_end(r);
}

static void term_name(const struct html_report *r, const char *name, const char *value)
{
	const struct iot_analyze_value *v = plot_value(r->data, SECTION_OF(trace), value, NULL);
	if (v == NULL)
		return;
	term(r, name);
	html_name(r->html, v->text);
	term_end(r);
}

static void term_value(const struct html_report *r, const char *name, enum html_form form,
		       const char *section, const char *value, const char *unit)
{
	char text[HTML_VALUE];
	const struct iot_analyze_value *v = value_of(r, section, value);
	if (v == NULL)
		return;
	term(r, name);
	markup_text(r->html->out, html_value(text, form, v));
	markup_text(r->html->out, unit);
	if (v->kind == IOT_VALUE_UNKNOWN && v->note != NULL) {
		output_text(r->html->out, ": ");
		markup_text(r->html->out, v->note);
	}
	term_end(r);
}

/* When the trace begins, if it declares an epoch. */
static void term_begin(const struct html_report *r)
{
	struct tm tm;
	char text[64];
	const uint64_t ns = r->data->begin_ns;
	const time_t s = (time_t)(ns / 1000000000);
	if (!r->data->has_epoch || gmtime_r(&s, &tm) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
		return;
	term_text(r, "begins", text);
}

/* "yes", but for what the tracer could not see. */
static void term_unseen(const struct html_report *r, const struct unseen *u)
{
	char sentence[UNSEEN_TEXT];
	term(r, "complete");
	output_text(r->html->out, unseen_state_name(u) + strlen("complete "));
	output_text(r->html->out, ": ");
	markup_text(r->html->out, unseen_sentence(u, sentence));
	output_text(r->html->out, "; ");
	markup_text(r->html->out, unseen_remedy(u));
	term_end(r);
}

static void term_complete(const struct html_report *r)
{
	const uint64_t lost = number_of(r, VALUE(trace, gaps)),
		       records = number_of(r, VALUE(trace, lost_records));
	char text[160];
	struct unseen unseen;
	shown_unseen(r->data->analysis, &unseen);
	if (r->options->damaged)
		snprintf(text, sizeof text, "no: the trace is damaged, or parts of it are missing");
	else if (lost > 0)
		snprintf(text, sizeof text, "no: records are lost at %ju %s%s", (uintmax_t)lost,
			 lost == 1 ? "place" : "places",
			 records > 0 ? "" : ", their number is unknown");
	else
		snprintf(text, sizeof text, "yes");
	if (text[0] == 'y' && unseen_any(&unseen))
		term_unseen(r, &unseen);
	else
		term_text(r, "complete", text);
	if (records > 0)
		term_value(r, "records lost", HTML_COUNT, VALUE(trace, lost_records), " at least");
}

/* Numbers of requests and records that the values lack. */
static void term_exceptions(const struct html_report *r)
{
	static const struct {
		const char *section, *name, *text;
	} exceptions[] = {
	    {VALUE(totals, unknown_offsets), "requests of unknown offset"},
	    {VALUE(totals, out_of_order), "records out of order"},
	    {VALUE(trace, left_out), "requests of another layer, left out"},
	    {VALUE(trace, left_out_physical), "physical records, left out"},
	    {VALUE(trace, left_out_logical), "logical records, left out"},
	};
	for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
		if (number_of(r, exceptions[i].section, exceptions[i].name) > 0)
			term_value(r, exceptions[i].text, HTML_COUNT, exceptions[i].section,
				   exceptions[i].name, "");
	if (number_of(r, VALUE(trace, lengths_requested)) > 0)
		term_text(r, "lengths", "as requested, not as transferred");
}

/* Returns whether a value repeats one of another section, with its note. */
static bool is_copy(const struct iot_analyze_value *v)
{
	return strcmp(v->section, SECTION_OF(map)) == 0;
}

/* Unknown values, by reason: the names of each. */
static void write_unknown_of(const struct html_report *r, size_t first)
{
	const struct iot_analyze_value *v = iot_analyze_value(r->data->analysis, first), *next;
	const char *last = NULL;
	output_text(r->html->out, "<dt>");
	markup_text(r->html->out, v->note);
	output_text(r->html->out, "</dt><dd>");
	for (size_t i = first; (next = iot_analyze_value(r->data->analysis, i)) != NULL; i++) {
		if (next->kind != IOT_VALUE_UNKNOWN || next->note == NULL || is_copy(next) ||
		    strcmp(next->note, v->note) != 0 ||
		    (last != NULL && strcmp(last, next->name) == 0))
			continue;
		output_printf(r->html->out, "%s%s.%s", last != NULL ? ", " : "", next->section,
			      next->name);
		last = next->name;
	}
	output_text(r->html->out, "</dd>\n");
}

static bool is_first_of_reason(const struct html_report *r, size_t i)
{
	const char *note = iot_analyze_value(r->data->analysis, i)->note;
	for (size_t k = 0; k < i; k++) {
		const struct iot_analyze_value *v = iot_analyze_value(r->data->analysis, k);
		if (v->kind == IOT_VALUE_UNKNOWN && v->note != NULL && strcmp(v->note, note) == 0)
			return false;
	}
	return true;
}

static void write_unknown(const struct html_report *r)
{
	const struct iot_analyze_value *v;
	bool any = false;
	for (size_t i = 0; (v = iot_analyze_value(r->data->analysis, i)) != NULL; i++) {
		if (v->kind != IOT_VALUE_UNKNOWN || v->note == NULL || is_copy(v) ||
		    !is_first_of_reason(r, i))
			continue;
		if (!any)
			output_text(r->html->out, "<details><summary>Unknown values, by reason"
						  "</summary><dl>\n");
		any = true;
		write_unknown_of(r, i);
	}
	if (any)
		output_text(r->html->out, "</dl></details>\n");
}

void report_head(const struct html_report *r)
{
	const struct iot_analyze_value *command = plot_value(r->data, VALUE(trace, command), NULL);
	static const char title[] = "I/O report";
	html_begin(r->html, title, sizeof title - 1);
	output_text(r->html->out,
		    command != NULL ? "<header>\n<h1>I/O of " : "<header>\n<h1>I/O report");
	if (command != NULL)
		html_name(r->html, command->text);
	output_text(r->html->out, "</h1>\n<dl>\n");
	term_name(r, "recorded by", NAME_OF(source));
	term_name(r, "on host", NAME_OF(host));
	term_begin(r);
	term_value(r, "run time", HTML_REAL, VALUE(trace, run_time_s), " s");
	term_value(r, "processes", HTML_COUNT, VALUE(trace, processes), "");
	term_value(r, "files", HTML_COUNT, VALUE(totals, files), "");
	term_value(r, "data size", HTML_BYTES, VALUE(totals, extent_bytes), "");
	term_complete(r);
	term_exceptions(r);
	output_text(r->html->out, "</dl>\n");
	write_unknown(r);
	output_text(r->html->out, "</header>\n<main>\n");
}

/* Returns the section with the plot that shows a cause; NULL if there is none. */
static const char *section_of(const struct html_report *r, struct iot_text cause)
{
	static const struct {
		const char *causes, *id;
		const struct plot *plot;
	} shown[] = {{" sync lock_wait slow_calls seek metadata_lookup namespace_churn open_close "
		      "small_files "
		      "imbalance_bytes imbalance_time serial ",
		      "times", &plot_kinds},
		     {" shared_file random_access misaligned redundant_reads truncation_waste ",
		      "offsets", &plot_offset},
		     {" small_requests ", "sizes", &plot_sizes}};
	char word[64];
	snprintf(word, sizeof word, " %.*s ", (int)cause.size, cause.data);
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
		if (strstr(shown[i].causes, word) != NULL)
			return shown[i].plot->has_data(r->data) ? shown[i].id : NULL;
	return plot_rate.has_data(r->data) ? "rate" : NULL;
}

static void link_plot(const struct html_report *r, const char *key)
{
	const struct iot_analyze_value *cause = plot_value(r->data, VALUE(findings, cause), key);
	const char *id = cause != NULL ? section_of(r, cause->text) : NULL;
	if (id != NULL)
		output_printf(r->html->out, " <a href=\"#%s\">plot</a>", id);
}

/* One sentence each, with its plot, and a remedy to try. */
void report_findings(const struct html_report *r)
{
	const struct iot_analyze_value *v;
	bool any = false;
	for (size_t i = 0; (v = plot_next(r->data, &i, VALUE(findings, sentence))) != NULL;) {
		const struct iot_analyze_value *remedy =
		    plot_value(r->data, VALUE(findings, remedy), v->key);
		if (!any)
			html_section(r->html, SECTION_OF(findings), "Findings");
		any = true;
		output_text(r->html->out, "<p class=\"finding\">");
		html_text(r->html, v->text);
		link_plot(r, v->key);
		if (remedy != NULL) {
			output_text(r->html->out, "<br><span class=\"soft\">");
			html_text(r->html, remedy->text);
			output_text(r->html->out, "</span>");
		}
		output_text(r->html->out, "</p>\n");
	}
	if (any)
		html_section_end(r->html);
}

/* Notes on known values: what limits their accuracy. */
static void write_notes(const struct html_report *r)
{
	const struct iot_analyze_value *v;
	const char *last = NULL;
	bool any = false;
	for (size_t i = 0; (v = iot_analyze_value(r->data->analysis, i)) != NULL; i++) {
		if (v->kind == IOT_VALUE_UNKNOWN || v->note == NULL || v->note == last ||
		    is_copy(v))
			continue;
		if (!any)
			output_text(r->html->out, "<p>Notes on values:</p>\n<ul>\n");
		any = true;
		last = v->note;
		output_printf(r->html->out, "<li>%s.%s: ", v->section, v->name);
		markup_text(r->html->out, v->note);
		output_text(r->html->out, "</li>\n");
	}
	if (any)
		output_text(r->html->out, "</ul>\n");
}

void report_method(const struct html_report *r)
{
	html_details(r->html, "method", "Method");
	html_paragraph(
	    r->html, "A request is a record of a read or write of file data. Rates are per second "
		     "of CPU time if the trace has CPU clocks, else of run time, unless they are "
		     "over time. iotrace-analyze(1) defines all values; 'iotrace analyze --tsv' "
		     "prints them, and '--plots' these plots and more, with their data.");
	output_text(r->html->out, "<dl>\n");
	term_value(r, "bins over time", HTML_REAL, VALUE(time, bin_width_s), " s");
	output_printf(r->html->out, "<dt>version</dt><dd>iotrace %s</dd>\n</dl>\n", iot_version());
	write_notes(r);
	html_details_end(r->html);
	output_text(r->html->out, "</main>\n");
}
