/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of all sections: one screen that says what the program did, what is wrong with it, where
 * the time went, and which files and processes did most. It needs no terms of a study; the sections
 * have those.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/printable.h"
#include "lib/result/metrics.h"
#include "lib/result/names.h"
#include "call_times.h"
#include "findings.h"
#include "print_samples.h"
#include "results.h"
#include "shown.h"
#include "text_rows.h"
#include "lib/base/plural.h"
#include "lib/base/significant.h"

enum {
	FIELD = SHOWN_FIELD,
	LINE = 100, /* columns */
	NAME = 512,
	SCREEN = 30,  /* lines */
	FINDINGS = 5, /* lines, at least */
	KINDS_SHOWN = 4,
	FILES_SHOWN = 2,
	BINS_MIN = 20 /* fewer intervals say nothing of what happened over time */
};

static const struct iot_analyze_value *find(const struct analyze_results *a, const char *section,
					    const char *name, const char *key)
{
	return iot_analyze_find(a->analysis, section, name, key);
}

/* 0 if it is unknown. */
static uint64_t number(const struct analyze_results *a, const char *section, const char *name)
{
	const struct iot_analyze_value *v = find(a, section, name, NULL);
	return v != NULL && v->kind == IOT_VALUE_NUMBER ? v->number : 0;
}

/* Returns whether sums of Darshan replace requests. */
static bool is_counted(const struct analyze_results *a)
{
	const struct iot_analyze_value *n = find(a, VALUE(totals, requests), NULL);
	return n != NULL && n->note != NULL;
}

/* What it did */

static void print_unseen(struct analyze_results *a)
{
	struct unseen u;
	char sentence[UNSEEN_TEXT];
	shown_unseen(a->analysis, &u);
	if (!unseen_any(&u))
		return;
	(void)unseen_sentence(&u, sentence);
	printable_sentence(sentence);
	output_printf(&a->out, "%s: %s; %s\n", unseen_state_name(&u), sentence, unseen_remedy(&u));
}

static void print_incomplete(struct analyze_results *a)
{
	const uint64_t gaps = number(a, VALUE(trace, gaps)),
		       records = number(a, VALUE(trace, lost_records));
	if (gaps == 0)
		return;
	output_printf(&a->out, "The trace is incomplete: %ju %s, ", (uintmax_t)gaps,
		      plural(gaps, "gap", "gaps"));
	if (records > 0)
		output_printf(&a->out, "at least %ju %s lost.\n", (uintmax_t)records,
			      plural(records, "record", "records"));
	else
		output_text(&a->out, "number of lost records unknown.\n");
}

static void print_process_count(struct analyze_results *a)
{
	const struct iot_analyze_value *processes = find(a, VALUE(trace, processes), NULL);
	const uint64_t p = number(a, VALUE(trace, processes));
	if (processes != NULL && processes->kind == IOT_VALUE_UNKNOWN)
		output_text(&a->out, "an unknown number of processes");
	else
		output_printf(&a->out, "%ju process%s", (uintmax_t)p, p == 1 ? "" : "es");
}

/* "3 processes on 2 hosts ran for 12.1 s" */
static void print_run(struct analyze_results *a)
{
	char text[SIGNIFICANT];
	const struct iot_analyze_value *run = find(a, VALUE(trace, run_time_s), NULL);
	const uint64_t traces = number(a, VALUE(traces, traces)),
		       hosts = number(a, VALUE(processes, hosts));
	if (traces > 0)
		output_printf(&a->out, "%ju traces of one job: ", (uintmax_t)traces);
	print_process_count(a);
	if (hosts > 1)
		output_printf(&a->out, " on %ju hosts", (uintmax_t)hosts);
	if (shown_known(run) > 0)
		output_printf(&a->out, " ran for %s s", significant(text, run->real, 3));
	else
		output_text(&a->out, " ran for an unknown time");
}

static void print_did(struct analyze_results *a)
{
	const uint64_t reads = number(a, VALUE(totals, reads)),
		       writes = number(a, VALUE(totals, writes)),
		       files = number(a, VALUE(totals, files));
	const struct iot_analyze_value *opens = find(a, VALUE(totals, opens), NULL);
	char bytes[2][FIELD], field[FIELD];
	print_run(a);
	output_printf(
	    &a->out, ": %ju %s of %s, %ju %s of %s,\n", (uintmax_t)reads,
	    plural(reads, "read", "reads"),
	    shown_value(bytes[0], SHOWN_BYTES, find(a, VALUE(totals, read_bytes), NULL)),
	    (uintmax_t)writes, plural(writes, "write", "writes"),
	    shown_value(bytes[1], SHOWN_BYTES, find(a, VALUE(totals, written_bytes), NULL)));
	output_printf(&a->out, "in %ju %s", (uintmax_t)files, plural(files, "file", "files"));
	if (opens->kind != IOT_VALUE_UNKNOWN)
		output_printf(&a->out, "; %s %s", shown_value(field, SHOWN_COUNT, opens),
			      plural(number(a, VALUE(totals, opens)), "open", "opens"));
	if (is_counted(a))
		output_text(&a->out, "; from counters, as the log has no single requests");
	output_text(&a->out, "\n");
}

/* Returns whether the input has no requests to analyze. */
static bool has_nothing(const struct analyze_results *a)
{
	return analyze_is_sampled(a) ||
	       (number(a, VALUE(trace, processes)) == 0 && number(a, VALUE(totals, reads)) == 0 &&
		number(a, VALUE(totals, writes)) == 0);
}

/* Where the time went: reads, writes and kinds of operations, most time first */

static void print_kind(struct analyze_results *a, const struct call_time *k, double all_ns)
{
	char time[SIGNIFICANT];
	if (isnan(k->ns)) {
		output_printf(&a->out, "%-24s %12ju %12s\n", k->name, (uintmax_t)k->calls, "-");
		return;
	}
	output_printf(&a->out, "%-24s %12ju %10s s", k->name, (uintmax_t)k->calls,
		      significant(time, k->ns / 1e9, 4));
	if (all_ns > 0)
		output_printf(&a->out, " %10.0f %%", 100 * k->ns / all_ns);
	output_text(&a->out, "\n");
}

static void print_kinds(struct analyze_results *a)
{
	struct call_time list[CALL_TIMES_MAX], rest = {"all others", 0, NAN};
	const size_t n = call_times(a->analysis, list);
	double all = 0;
	for (size_t i = 0; i < n; i++)
		all += isnan(list[i].ns) ? 0 : list[i].ns;
	output_printf(&a->out, "\n%-24s %12s %12s %12s\n", "time in calls", "calls", "time",
		      all > 0 ? "share" : "");
	for (size_t i = 0; i < n; i++) {
		if (list[i].calls == 0)
			continue;
		if (i < KINDS_SHOWN) {
			print_kind(a, &list[i], all);
			continue;
		}
		rest.calls += list[i].calls;
		if (!isnan(list[i].ns))
			rest.ns = isnan(rest.ns) ? list[i].ns : rest.ns + list[i].ns;
	}
	if (rest.calls > 0)
		print_kind(a, &rest, all);
}

/* How it read and wrote */

/* Returns the most common size if a third of the requests have it, otherwise the median. */
static const char *typical_size(const struct analyze_results *a, enum iot_direction direction,
				char text[FIELD])
{
	char name[IOT_COLUMN_NAME];
	const struct iot_analyze_value *v;
	metric_direction_name(name, NAME_OF(common_size_share), direction);
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++)
		if (strcmp(v->section, SECTION_OF(sizes)) == 0 && strcmp(v->name, name) == 0 &&
		    strcmp(v->key, "0") != 0) /* the end of a file */
			break;
	if (v != NULL && shown_known(v) > 1.0 / 3)
		return printable_bytes(text, FIELD, strtoull(v->key, NULL, 10));
	metric_direction_name(name, NAME_OF(size_quantile), direction);
	return shown_value(text, SHOWN_BYTES, find(a, SECTION_OF(sizes), name, "0.5"));
}

struct use_row {
	const char *label, *section, *name, *key;
	enum shown as;
	bool time;
};

static const char *field(const struct analyze_results *a, const struct use_row *row,
			 enum iot_direction direction, char text[FIELD])
{
	char name[IOT_COLUMN_NAME];
	metric_direction_name(name, row->name, direction);
	const struct iot_analyze_value *v = find(a, row->section, name, row->key);
	return row->time ? shown_time(text, v) : shown_value(text, row->as, v);
}

static void print_use(struct analyze_results *a)
{
	static const struct use_row rows[] = {
	    {"bytes a second", VALUE(totals, bytes_per_s), NULL, SHOWN_BYTES, false},
	    {"continue the previous", VALUE(order, consecutive_share), NULL, SHOWN_PERCENT, false},
	    {"typical duration", VALUE(time, latency_quantile_ns), "0.5", SHOWN_REAL, true},
	    {"longest duration", VALUE(time, latency_ns), "max", SHOWN_REAL, true},
	    {"bytes of disks by bytes", VALUE(ties, amplification), "total", SHOWN_REAL, false},
	    {"not tied to calls", VALUE(ties, untied_share), NULL, SHOWN_PERCENT, false},
	};
	char read[FIELD], write[FIELD];
	const bool has_ties = find(a, VALUE(ties, untied_share), NULL) != NULL;
	if (is_counted(a) ||
	    number(a, VALUE(totals, reads)) + number(a, VALUE(totals, writes)) == 0)
		return;
	output_printf(&a->out, "\n%-24s %12s %12s\n", "", "reads", "writes");
	output_printf(&a->out, "%-24s %12s %12s\n", "typical size",
		      typical_size(a, IOT_READS, read), typical_size(a, IOT_WRITES, write));
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strcmp(rows[i].section, SECTION_OF(ties)) == 0 && !has_ties)
			continue;
		output_printf(&a->out, "%-24s %12s %12s\n", rows[i].label,
			      field(a, &rows[i], IOT_READS, read),
			      field(a, &rows[i], IOT_WRITES, write));
	}
}

/* Prints the period in which the program repeats its I/O, as with checkpoints. */
static void print_cycle(struct analyze_results *a)
{
	char text[SIGNIFICANT];
	const struct iot_analyze_value *period = find(a, VALUE(cycles, period_s), NULL),
				       *cycles = find(a, VALUE(cycles, cycles), NULL);
	const double bins = shown_known(find(a, VALUE(time, bins), NULL));
	if (!(shown_known(period) > 0) || !(bins >= BINS_MIN) || !(shown_known(cycles) > 0))
		return;
	output_printf(&a->out, "The I/O repeats every %s s, %ju times.\n",
		      significant(text, period->real, 3), (uintmax_t)cycles->number);
}

/* Who did it */

/* The path of a file; its end, if it is longer than the line. */
static const char *file_name(const struct analyze_results *a, const char *key, char name[NAME])
{
	const struct iot_analyze_value *path = find(a, VALUE(files, top_path), key);
	char text[ANALYZE_TEXT_MAX];
	if (path != NULL)
		return printable(name, NAME, text, analyze_decode(text, path->text));
	if (!analyze_file_label(name, NAME, key))
		snprintf(name, NAME, "%s", key);
	return name;
}

/* "11676 sqlite3 (rank 3)" */
static const char *process_name(const struct analyze_results *a, const char *key, char name[NAME])
{
	const struct iot_analyze_value *program = find(a, VALUE(processes, top_program), key),
				       *rank = find(a, VALUE(processes, top_rank), key);
	char text[ANALYZE_TEXT_MAX], shown[NAME / 2] = "", number_of[FIELD] = "";
	if (program != NULL) {
		shown[0] = ' ';
		printable(shown + 1, sizeof shown - 1, text, analyze_decode(text, program->text));
	}
	if (rank != NULL)
		snprintf(number_of, sizeof number_of, " (rank %ju)", (uintmax_t)rank->number);
	snprintf(name, NAME, "%s%s%s", key, shown, number_of);
	return name;
}

static void print_name(struct analyze_results *a, const char *label, const char *amount,
		       const char *name, const char *more)
{
	const size_t width = printable_width(name), space = LINE - 40 - strlen(more);
	output_printf(&a->out, "%-24s %12s  %s%s%s\n", label, amount, width > space ? "..." : "",
		      width > space ? name + strlen(name) - (space - 3) : name, more);
}

static void print_files(struct analyze_results *a)
{
	const bool timed = text_list_value(a, VALUE(files, top_time_ns), 0) != NULL;
	const char *list = timed ? NAME_OF(top_time_ns) : NAME_OF(top_bytes);
	const struct iot_analyze_value *v;
	char text[FIELD], name[NAME];
	for (size_t i = 0;
	     i < FILES_SHOWN && (v = text_list_value(a, SECTION_OF(files), list, i)) != NULL; i++)
		print_name(a,
			   i > 0   ? ""
			   : timed ? "files with most time"
				   : "files with most bytes",
			   timed ? shown_time(text, v) : shown_value(text, SHOWN_BYTES, v),
			   file_name(a, v->key, name), "");
}

enum { PART = 64 };
#define ALIKE 1.1 /* times the mean */

/*
 * The share that one process has: a mean that includes idle shells does not describe the program.
 */
static void write_part(const struct analyze_results *a, const char *process, double max_to_mean,
		       char text[PART])
{
	char ratio[SIGNIFICANT];
	const double processes = (double)number(a, VALUE(trace, processes));
	const bool ranked = find(a, VALUE(processes, top_rank), process) != NULL;
	if (ranked && max_to_mean > 0 && max_to_mean < 10)
		snprintf(text, PART, ", %s times the mean", significant(ratio, max_to_mean, 3));
	else if (max_to_mean > 0 && processes > 1)
		snprintf(text, PART, ", %.0f %% of all", 100 * max_to_mean / processes);
}

static double balance(const struct analyze_results *a, const char *name)
{
	return shown_known(find(a, SECTION_OF(processes), name, "max_to_mean"));
}

/*
 * Prints the processes with the most time, bytes and requests. The time covers all calls; it is not
 * compared with a mean, as imbalance_io_time covers transfers only. None has the most bytes or
 * requests if the others have nearly as many.
 */
static void print_processes(struct analyze_results *a)
{
	static const struct {
		const char *label, *list, *balance; /* balance: may be NULL */
		enum shown as;
	} rows[] = {
	    {"process with most time", NAME_OF(top_time_ns), NULL, SHOWN_REAL},
	    {"process with most bytes", NAME_OF(top_bytes), NAME_OF(imbalance_bytes), SHOWN_BYTES},
	    {"most requests", NAME_OF(top_requests), NAME_OF(imbalance_requests), SHOWN_COUNT},
	};
	const char *before[] = {"", ""};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct iot_analyze_value *v =
		    text_list_value(a, SECTION_OF(processes), rows[i].list, 0);
		const double max_to_mean =
		    rows[i].balance != NULL ? balance(a, rows[i].balance) : 0;
		char text[FIELD], name[NAME], more[PART] = "";
		if (v == NULL || strcmp(v->key, before[0]) == 0 || strcmp(v->key, before[1]) == 0 ||
		    (max_to_mean > 0 && max_to_mean < ALIKE))
			continue;
		write_part(a, v->key, max_to_mean, more);
		print_name(a, rows[i].label,
			   rows[i].as == SHOWN_REAL ? shown_time(text, v)
						    : shown_value(text, rows[i].as, v),
			   process_name(a, v->key, name), more);
		before[i > 0] = v->key;
	}
}

/* Findings of order and reuse may come from a sample of the files; all that is above is exact. */
static void print_sample(struct analyze_results *a)
{
	const uint64_t n = number(a, VALUE(limits, files));
	if (n > 0)
		output_printf(&a->out, "Findings on order and reuse come from one in %ju files.\n",
			      (uintmax_t)n);
}

static size_t count_lines(const struct analyze_results *a)
{
	size_t lines = 0;
	for (size_t i = 0; i < a->out.used; i++)
		lines += a->out.data[i] == '\n';
	return lines;
}

static void print_rest(struct analyze_results *a)
{
	print_kinds(a);
	print_use(a);
	output_text(&a->out, "\n");
	if (!a->hides_files)
		print_files(a);
	if (number(a, VALUE(trace, processes)) > 1)
		print_processes(a);
	print_cycle(a);
	analyze_print_extras(a);
	print_sample(a);
	output_text(&a->out, "more: --by=file|process|rank|op, --section=LIST, --html=FILE\n");
}

/* Returns the number of lines that follow the findings: they are printed, and taken back. */
static size_t count_rest(struct analyze_results *a)
{
	const size_t used = a->out.used, before = count_lines(a);
	print_rest(a);
	const size_t lines = count_lines(a) - before;
	a->out.used = used;
	return lines;
}

/* The findings get the lines of a screen that the rest leaves. */
void analyze_print_summary(struct analyze_results *a)
{
	const bool nothing = has_nothing(a);
	output_flush(&a->out);
	if (analyze_has_samples(a))
		analyze_print_samples(a);
	else if (nothing)
		output_text(&a->out, "There are no requests to analyze.\n");
	if (!nothing)
		print_did(a);
	print_incomplete(a);
	print_unseen(a);
	if (nothing)
		return;
	output_text(&a->out, "\n");
	const size_t used = count_lines(a) + count_rest(a);
	analyze_findings_print(&a->out, a->analysis,
			       used + FINDINGS < SCREEN ? SCREEN - used : FINDINGS);
	print_rest(a);
}
