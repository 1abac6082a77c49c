/* SPDX-License-Identifier: BSD-2-Clause */
#include "against.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/analyze/against.h"
#include "cli/ui/printable.h"
#include "lib/result/columns.h"
#include "lib/result/names.h"
#include "lib/result/row.h"

#include "values.h"

enum { NAME_CAPACITY = 96, PATH_CAPACITY = 512 };

struct against_view {
	struct analyze_differences differences;
	const char *path; /* of the run to compare with */
	struct iot_table table;
	struct value_texts texts;
};

/* Text: a section at a time */

/* Values; key NULL: any key. */
struct named {
	const char *section, *name, *key;
};

/* A table of the text has one line of each kind; others are in JSON and TSV. */
static bool is_main(const struct iot_analyze_value *v)
{
	static const struct named keyed[] = {
	    {VALUE(findings, cost_share), NULL},
	    {VALUE(metadata, calls), NULL},
	    {VALUE(classes, reason_bytes), NULL},
	    {VALUE(time, intensity), "1048576"},
	    {VALUE(time, burstiness), "1048576"},
	    {VALUE(time, parallel_intensity_normalised), "1048576"},
	    {VALUE(time, read_latency_ns), "mean"},
	    {VALUE(time, write_latency_ns), "mean"},
	    {VALUE(time, read_latency_ns), "max"},
	    {VALUE(time, write_latency_ns), "max"},
	    {VALUE(time, read_latency_quantile_ns), "0.5"},
	    {VALUE(time, write_latency_quantile_ns), "0.5"},
	    {VALUE(time, idle_without_io), "share"},
	    {VALUE(sizes, read_size_quantile), "0.5"},
	    {VALUE(sizes, write_size_quantile), "0.5"},
	    {VALUE(files, class_files), NULL},
	    {VALUE(processes, imbalance_bytes), "spread"},
	    {VALUE(processes, imbalance_io_time), "spread"}};
	if (v->key[0] == '\0')
		return strcmp(v->section, SECTION_OF(counters)) != 0;
	for (size_t i = 0; i < sizeof keyed / sizeof keyed[0]; i++)
		if (strcmp(v->section, keyed[i].section) == 0 &&
		    strcmp(v->name, keyed[i].name) == 0 &&
		    (keyed[i].key == NULL || strcmp(v->key, keyed[i].key) == 0))
			return true;
	return false;
}

static void text_field(struct output *out, const struct iot_analyze_value *v)
{
	char text[ANALYZE_TEXT_MAX], path[PATH_CAPACITY], field[SHOWN_FIELD];
	if (analyze_is_known(v) && v->kind == IOT_VALUE_TEXT)
		output_printf(out, " %15s",
			      printable(path, sizeof path, text, analyze_decode(text, v->text)));
	else if (analyze_is_known(v) && strcmp(v->unit, "ns") == 0)
		output_printf(out, " %15s", shown_time(field, v));
	else if (analyze_is_known(v) && v->kind == IOT_VALUE_REAL &&
		 strncmp(v->unit, "bytes", 5) != 0)
		output_printf(out, " %15.6g", v->real);
	else
		output_printf(
		    out, " %15s",
		    shown_value(field, v != NULL && v->unit[0] == 'b' ? SHOWN_BYTES : SHOWN_COUNT,
				v));
}

/* A finding that only one of the runs has. */
static void text_finding(struct output *out, const struct iot_analyze *a, const char *label,
			 const char *key)
{
	const struct iot_analyze_value *v = iot_analyze_find(a, VALUE(findings, sentence), key);
	char text[ANALYZE_TEXT_MAX], sentence[2 * PATH_CAPACITY];
	if (v != NULL && v->kind == IOT_VALUE_TEXT)
		output_printf(
		    out, "  %s: %s\n", label,
		    printable(sentence, sizeof sentence, text, analyze_decode(text, v->text)));
}

/* The rest of a unit whose number is shown with a unit of its own. */
static const char *unit_left(const char *unit)
{
	static const char per_second[] = "/s";
	if (strcmp(unit, "bytes/s") == 0)
		return per_second;
	return strcmp(unit, "bytes") == 0 || strcmp(unit, "ns") == 0 ? "" : unit;
}

static void text_row(struct output *out, const struct analyze_difference *p)
{
	const struct iot_analyze_value *v = analyze_either(p);
	char name[NAME_CAPACITY];
	snprintf(name, sizeof name, "%s%s%s", v->name, v->key[0] != '\0' ? " " : "", v->key);
	output_printf(out, "  %-32s", name);
	text_field(out, p->before);
	text_field(out, p->now);
	if (isnan(analyze_ratio(p)))
		output_printf(out, " %8s", "-");
	else
		output_printf(out, " %8.3g", analyze_ratio(p));
	const char *unit = unit_left(v->unit);
	output_printf(out, "%s%s\n", unit[0] != '\0' ? " " : "", unit);
}

static void text_difference(struct output *out, const struct analyze_differences *d,
			    const struct analyze_difference *p)
{
	const struct iot_analyze_value *v = analyze_either(p);
	const bool is_finding = strcmp(v->section, SECTION_OF(findings)) == 0;
	if (is_finding && p->before == NULL)
		text_finding(out, d->now, "new", v->key);
	else if (is_finding && p->now == NULL)
		text_finding(out, d->before, "gone", v->key);
	else
		text_row(out, p);
}

static void print_text(struct output *out, const struct against_view *view)
{
	const struct analyze_differences *d = &view->differences;
	char name[PATH_CAPACITY];
	const char *section = "";
	size_t left_out = 0;
	output_printf(out, "compared with %s\n",
		      printable(name, sizeof name, view->path, strlen(view->path)));
	output_printf(out, "%-34s %15s %15s %8s\n", "", "that run", "this run", "ratio");
	for (size_t i = 0; i < d->count; i++) {
		const struct iot_analyze_value *v = analyze_either(&d->pair[i]);
		if (!is_main(v)) {
			left_out++;
			continue;
		}
		if (strcmp(section, v->section) != 0)
			output_printf(out, "%s\n", v->section);
		section = v->section;
		text_difference(out, d, &d->pair[i]);
	}
	output_printf(out, "%zu of %zu values differ by 10 %% or more", d->count, d->compared);
	if (left_out > 0)
		output_printf(out, "; %zu of them in --json and --tsv only", left_out);
	output_text(out, "\n");
}

/* Tables */

static void set_difference(struct iot_row *to, void *source)
{
	struct against_view *view = source;
	const struct analyze_difference *p = &view->differences.pair[to->number];
	view->texts.used = 0;
	value_set_name(to, analyze_either(p));
	value_set(to, &metrics.before, p->before, &view->texts);
	value_set(to, &metrics.now, p->now, &view->texts);
	row_real(to, &metrics.ratio, analyze_ratio(p));
}

static void set_document(struct iot_row *to, void *source)
{
	const struct against_view *view = source;
	row_word(to, &metrics.against, view->path);
	row_table(to, &metrics.value_differences, &view->table);
	row_number(to, &metrics.compared, view->differences.compared);
}

static void print(struct against_view *view, struct output *out, const struct print_form *form)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(section), COLUMN(name), COLUMN_AS(value_key, "key"), COLUMN(unit),
			COLUMN(before), COLUMN(now), COLUMN(ratio));
	static const struct iot_column document_columns[] =
	    COLUMN_LIST(COLUMN(against), COLUMN(value_differences), COLUMN(compared));
	const struct iot_table document = TABLE_RECORD(document_columns, set_document, view);
	view->table =
	    (struct iot_table)TABLE_ROWS(columns, view->differences.count, set_difference, view);
	if (form != NULL)
		print_in_form(form, out, &document, &view->table);
	else
		print_text(out, view);
}

int analyze_against_print(struct output *out, const struct iot_analyze *now,
			  const struct iot_analyze *before, const char *path,
			  const struct print_form *form)
{
	struct against_view view = {.path = path};
	const int status = analyze_compare(&view.differences, now, before);
	if (status == IOT_OK)
		print(&view, out, form);
	analyze_differences_free(&view.differences);
	return status;
}
