/* SPDX-License-Identifier: BSD-2-Clause */
#include "periods.h"

#include <stdio.h>

#include "cli/print/tsv.h"
#include "cli/top/rates.h"
#include "cli/ui/message.h"
#include "cli/ui/output.h"
#include "cli/ui/printable.h"

enum { NAME = 1024, OPENS = 24 };

struct periods {
	const struct analyze_periods_options *options;
	struct iot_stats *stats;
	struct rates rates;
	struct output out;
	struct tsv tsv;  /* in out */
	uint64_t period; /* number of the current one */
	bool begun;      /* it has a request */
	bool has_head;
	uint64_t late, untimed;
	bool failed; /* out of memory */
};

static double begin_s(const struct periods *p)
{
	return (double)p->period * ((double)p->options->every_ns / 1e9);
}

static double rate_of(const struct periods *p, uint64_t count)
{
	return (double)count / ((double)p->options->every_ns / 1e9);
}

/* Rows */

/* `unknown` if the row has no id. */
static const char *ids_of(const struct periods *p, const struct iot_stats_row *row,
			  const char *unknown, char text[NAME])
{
	if (p->options->by == IOT_STATS_BY_PROCESS)
		snprintf(text, NAME, "%u", row->process);
	else if (p->options->by == IOT_STATS_BY_RANK && (row->has & IOT_STATS_HAS_RANK) != 0)
		snprintf(text, NAME, "%ju", (uintmax_t)row->rank);
	else if (row->object != 0)
		snprintf(text, NAME, "object/%u", row->object);
	else if (p->options->by == IOT_STATS_BY_OBJECT)
		snprintf(text, NAME, "stream/%u/%u", row->process, row->file);
	else
		return unknown;
	return text;
}

/* The opens of a period; `unknown` if the trace has not shown any so far. */
static const char *opens_of(const struct rate_row *row, const char *unknown, char text[OPENS])
{
	if ((row->all->has & IOT_STATS_HAS_OPENS) == 0)
		return unknown;
	snprintf(text, OPENS, "%ju", (uintmax_t)row->recent.opens);
	return text;
}

static void write_tsv_row(struct periods *p, const struct rate_row *row)
{
	const struct interval_counts *n = &row->recent;
	struct tsv *t = &p->tsv;
	char text[NAME], opens[OPENS];
	tsv_real(t, begin_s(p));
	if (p->options->by != ANALYZE_PERIODS_TOTAL) {
		tsv_word(t, ids_of(p, row->all, "", text));
		if (row->all->name != NULL)
			tsv_name(t, row->all->name, row->all->name_size);
		else
			tsv_unknown(t);
	}
	tsv_number(t, n->reads);
	tsv_number(t, n->writes);
	tsv_number(t, n->read_bytes);
	tsv_number(t, n->written_bytes);
	tsv_word(t, opens_of(row, "", opens));
	tsv_number(t, n->io_ns);
}

static void print_text_row(struct periods *p, const struct rate_row *row)
{
	const struct interval_counts *n = &row->recent;
	char ids[NAME], name[NAME], opens[OPENS];
	output_printf(&p->out, "%12.6g %9ju %9ju %11.1f %12.3f %12.3f %7s", begin_s(p),
		      (uintmax_t)n->reads, (uintmax_t)n->writes, rate_of(p, n->reads + n->writes),
		      rate_of(p, n->read_bytes) / (1 << 20),
		      rate_of(p, n->written_bytes) / (1 << 20), opens_of(row, "-", opens));
	if (p->options->by != ANALYZE_PERIODS_TOTAL) {
		const bool named = row->all->name != NULL;
		const bool numbered = p->options->by == IOT_STATS_BY_PROCESS || !named;
		output_printf(&p->out, "  %s%s", numbered ? ids_of(p, row->all, "-", ids) : "",
			      numbered && named ? " " : "");
		if (named)
			output_text(&p->out, printable(name, sizeof name, row->all->name,
						       row->all->name_size));
	}
	output_text(&p->out, "\n");
}

static void print_row(struct periods *p, const struct rate_row *row)
{
	if (p->options->tsv)
		write_tsv_row(p, row);
	else
		print_text_row(p, row);
}

#define PERIOD_COUNTS "reads", "writes", "read_bytes", "written_bytes", "opens", "io_ns", NULL

static void write_tsv_head(struct periods *p, bool rows)
{
	static const char *const of_all[] = {"begin_s", PERIOD_COUNTS}, *const of_rows[] = {
									    "begin_s", "key",
									    "name", PERIOD_COUNTS};
	p->tsv.out = &p->out;
	tsv_begin(&p->tsv, rows ? of_rows : of_all);
}

static void print_head(struct periods *p)
{
	static const char *const headings[] = {[IOT_STATS_BY_PROCESS] = "  process",
					       [IOT_STATS_BY_RANK] = "  rank",
					       [IOT_STATS_BY_HOST] = "  host",
					       [IOT_STATS_BY_OBJECT] = "  file",
					       [IOT_STATS_BY_DIRECTORY] = "  directory"};
	const bool rows = p->options->by != ANALYZE_PERIODS_TOTAL;
	if (p->has_head)
		return;
	p->has_head = true;
	if (p->options->tsv)
		write_tsv_head(p, rows);
	else
		output_printf(&p->out, "%12s %9s %9s %11s %12s %12s %7s%s\n", "begin, s", "reads",
			      "writes", "requests/s", "read MiB/s", "write MiB/s", "opens",
			      rows ? headings[p->options->by] : "");
}

static bool has_recent(const struct interval_counts *n)
{
	return n->reads + n->writes + n->opens > 0;
}

static void print_rows(struct periods *p)
{
	const struct rates *r = &p->rates;
	print_head(p);
	if (p->options->by == ANALYZE_PERIODS_TOTAL) {
		print_row(p, &r->total);
		return;
	}
	for (size_t i = 0; i < r->count && i < p->options->top; i++)
		if (has_recent(&r->rows[i].recent))
			print_row(p, &r->rows[i]);
}

/* Prints the current period, if it has a request. */
static void end_period(struct periods *p)
{
	if (!p->begun)
		return;
	struct iot_stats *results = iot_stats_snapshot(p->stats);
	const int by =
	    p->options->by == ANALYZE_PERIODS_TOTAL ? IOT_STATS_BY_TRACE : p->options->by;
	if (results != NULL && rates_next(&p->rates, results, by, IOT_STATS_SORT_BYTES))
		print_rows(p);
	else
		p->failed = true;
	iot_stats_free(results);
	tsv_end(&p->tsv);
	output_flush(&p->out);
	p->begun = false;
}

/* Events */

/* Returns whether a record is a request; others do not count. */
static bool is_request(const struct periods *p, const struct iot_record *rec)
{
	const bool logical = (rec->type & IOT_LOGICAL) != 0;
	return p->options->physical ? !logical
				    : logical && (rec->type & IOT_DATA_KIND) == IOT_FILE_DATA;
}

/* Ends the current period if the request starts after it. */
static void begin_period(struct periods *p, const struct iot_record *rec)
{
	if ((rec->flags & IOT_START_UNKNOWN) != 0 || rec->start_ns < 0) {
		p->untimed++;
		return;
	}
	const uint64_t period = (uint64_t)rec->start_ns / p->options->every_ns;
	p->late += p->begun && period < p->period;
	if (period <= p->period && p->begun)
		return;
	end_period(p);
	p->late += period < p->period;
	p->period = period > p->period ? period : p->period;
}

static void add_events(struct periods *p, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && !p->failed; i++) {
		const bool record = ev[i].kind == IOT_RECORD;
		if (record && !is_request(p, &ev[i].rec))
			continue;
		if (record)
			begin_period(p, &ev[i].rec);
		p->begun |= record;
		p->failed |= iot_stats_events(p->stats, &ev[i], 1) != IOT_OK;
	}
}

static void warn(const struct periods *p)
{
	if (p->late > 0)
		message_print("warning: %ju requests start before the period in which they count; "
			      "see 'iotrace reorder'",
			      (uintmax_t)p->late);
	if (p->untimed > 0)
		message_print("warning: %ju requests have no known start, and count in the period "
			      "of the previous one",
			      (uintmax_t)p->untimed);
	if (iot_stats_fact(p->stats, IOT_STATS_LAYERS) != 0)
		message_print("warning: the trace has several layers: requests count in each");
}

static enum exit_status read_all(struct periods *p, struct trace_in *in)
{
	struct iot_event ev[TRACE_IN_BATCH];
	size_t n;
	while (!p->failed && (n = trace_in_events(in, ev, TRACE_IN_BATCH)) > 0)
		add_events(p, ev, n);
	progress_clear(&in->progress);
	end_period(p);
	if (in->status == IOT_OK)
		print_head(p);
	tsv_end(&p->tsv);
	if (p->failed) {
		output_abandon(&p->out);
		return message_no_memory();
	}
	if (!in->quiet)
		warn(p);
	const enum exit_status status = output_close(&p->out);
	return status != EXIT_OK ? status : trace_in_exit(in, in->delivered);
}

enum exit_status analyze_periods_print(struct trace_in *in,
				       const struct analyze_periods_options *options)
{
	const struct iot_stats_options of = {
	    .size = sizeof of,
	    .by = options->by == ANALYZE_PERIODS_TOTAL ? IOT_STATS_BY_TRACE : (uint32_t)options->by,
	    .physical = options->physical};
	struct periods p = {.options = options, .stats = iot_stats_new(&of)};
	enum exit_status status = p.stats != NULL ? EXIT_OK : message_no_memory();
	if (status == EXIT_OK)
		status = output_open(&p.out, "-", 0);
	if (status == EXIT_OK)
		status = read_all(&p, in);
	rates_free(&p.rates);
	iot_stats_free(p.stats);
	return status;
}
