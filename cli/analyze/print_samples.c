/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of the counters of hosts: what the system did, and when nobody looked. */
#include "print_samples.h"

#include <string.h>

#include "lib/result/names.h"

#include "shown.h"
#include "text_rows.h"

enum { FIELD = SHOWN_FIELD };

static const struct iot_analyze_value *find(const struct analyze_results *a, const char *name,
					    const char *key)
{
	return iot_analyze_find(a->analysis, SECTION_OF(samples), name, key);
}

bool analyze_has_samples(const struct analyze_results *a)
{
	return find(a, NAME_OF(sample_count), NULL) != NULL;
}

bool analyze_is_sampled(const struct analyze_results *a)
{
	const struct iot_analyze_value *processes =
	    iot_analyze_find(a->analysis, VALUE(trace, processes), NULL);
	return analyze_has_samples(a) && processes->kind == IOT_VALUE_UNKNOWN;
}

static void print_head(struct analyze_results *a)
{
	char text[4][FIELD];
	output_printf(&a->out, "%s samples of %s host%s, every %s s; observed for %s s",
		      shown_value(text[0], SHOWN_COUNT, find(a, NAME_OF(sample_count), NULL)),
		      shown_value(text[1], SHOWN_COUNT, find(a, NAME_OF(sampled_hosts), NULL)),
		      shown_known(find(a, NAME_OF(sampled_hosts), NULL)) == 1 ? "" : "s",
		      shown_value(text[2], SHOWN_REAL, find(a, NAME_OF(resolution_s), NULL)),
		      shown_value(text[3], SHOWN_REAL, find(a, NAME_OF(observed_s), NULL)));
	if (shown_known(find(a, NAME_OF(unobserved_s), NULL)) > 0)
		output_printf(
		    &a->out, ", not for %s s",
		    shown_value(text[0], SHOWN_REAL, find(a, NAME_OF(unobserved_s), NULL)));
	output_text(&a->out, "\n");
}

static void print_rates(struct analyze_results *a)
{
	static const struct text_row
	    totals[] = {{"requests", VALUE(totals, requests), NULL, SHOWN_COUNT, true},
			{"bytes", VALUE(totals, bytes), NULL, SHOWN_BYTES, true},
			{"mean size", VALUE(totals, size_mean), NULL, SHOWN_BYTES, true}},
	    rates[] = {
		{"highest rate, per second", VALUE(samples, bytes_per_s_max), NULL, SHOWN_BYTES,
		 true},
		{"bytes in a day, mean", VALUE(samples, bytes_per_day), "mean", SHOWN_BYTES, true}};
	output_printf(&a->out, "\n%-26s %14s %14s %14s\n", "", "reads", "writes", "all");
	if (analyze_is_sampled(a))
		text_rows_print(a, totals, sizeof totals / sizeof totals[0]);
	text_rows_print(a, rates, sizeof rates / sizeof rates[0]);
}

static void print_line(struct analyze_results *a, const char *label, enum shown as,
		       const char *name, const char *key)
{
	char text[FIELD];
	const struct iot_analyze_value *v = find(a, name, key);
	if (v != NULL)
		output_printf(&a->out, "%-40s %14s\n", label, shown_value(text, as, v));
}

static void print_lines(struct analyze_results *a)
{
	static const struct {
		const char *label, *name, *key;
		enum shown as;
	} lines[] = {
	    {"time below a third of the highest rate", NAME_OF(below_33_percent_of_peak), NULL,
	     SHOWN_PERCENT},
	    {"time below 5 % of the highest rate", NAME_OF(idle_below_5), "share", SHOWN_PERCENT},
	    {"  in periods of an hour or more", NAME_OF(idle_below_5_hours_share), NULL,
	     SHOWN_PERCENT},
	    {"  longest period, s", NAME_OF(idle_below_5_longest_s), "length", SHOWN_REAL},
	    {"time without any activity", NAME_OF(idle_without_io), "share", SHOWN_PERCENT},
	    {"samples after gaps", NAME_OF(samples_after_gaps), NULL, SHOWN_COUNT},
	    {"samples after resets", NAME_OF(samples_after_resets), NULL, SHOWN_COUNT},
	    {"doubtful samples", NAME_OF(doubtful_samples), NULL, SHOWN_COUNT},
	    {"counted twice, s", NAME_OF(overlap_s), NULL, SHOWN_REAL},
	    {"wrong samples", NAME_OF(wrong_samples), NULL, SHOWN_COUNT}};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		if (lines[i].as == SHOWN_PERCENT ||
		    shown_known(find(a, lines[i].name, lines[i].key)) > 0)
			print_line(a, lines[i].label, lines[i].as, lines[i].name, lines[i].key);
}

static void print_gaps(struct analyze_results *a)
{
	const struct iot_analyze_value *v;
	char text[3][FIELD];
	if (!(shown_known(find(a, NAME_OF(unobserved_gaps), NULL)) > 0))
		return;
	output_printf(&a->out, "\n%14s %14s %14s\n", "gap begins s", "length s", "hosts missing");
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++)
		if (strcmp(v->section, SECTION_OF(samples)) == 0 &&
		    strcmp(v->name, NAME_OF(gap_begin_s)) == 0)
			output_printf(
			    &a->out, "%14s %14s %14s\n", shown_value(text[0], SHOWN_REAL, v),
			    shown_value(text[1], SHOWN_REAL,
					find(a, NAME_OF(gap_length_s), v->key)),
			    shown_value(text[2], SHOWN_COUNT, find(a, NAME_OF(gap_hosts), v->key)));
}

void analyze_print_samples(struct analyze_results *a)
{
	print_head(a);
	if (find(a, NAME_OF(bytes_per_s_max), NULL) != NULL)
		print_rates(a);
	print_lines(a);
	print_gaps(a);
}
