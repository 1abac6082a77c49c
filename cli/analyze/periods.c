/* SPDX-License-Identifier: BSD-2-Clause */
#include "periods.h"

#include "cli/ui/message.h"
#include "cli/views/periods.h"
#include "lib/base/plural.h"

struct periods {
	const struct analyze_periods_options *options;
	struct iot_stats *stats;
	struct rates rates;
	struct output out;
	uint64_t period; /* number of the current one */
	bool begun;      /* it has a request */
	bool has_head;
	uint64_t late, untimed;
	bool failed; /* out of memory */
};

/* Rows */

static bool has_recent(const struct interval_counts *n)
{
	return n->reads + n->writes + n->opens > 0;
}

/* Moves the rows with requests or opens in the period to the front; returns their number. */
static size_t keep_recent(struct rates *r, uint64_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < r->count && n < max; i++)
		if (has_recent(&r->rows[i].recent))
			r->rows[n++] = r->rows[i];
	return n;
}

static void print_rows(struct periods *p, const struct rate_row *rows, size_t count)
{
	const struct period_rows shown = {.by = p->options->by,
					  .start_ns = p->period * p->options->every_ns,
					  .length_ns = p->options->every_ns,
					  .rows = rows,
					  .count = count,
					  .is_first = !p->has_head};
	p->has_head = true;
	period_print(&p->out, &shown, p->options->form);
}

static void print_period(struct periods *p)
{
	if (p->options->by == PERIOD_TOTAL)
		print_rows(p, &p->rates.total, 1);
	else
		print_rows(p, p->rates.rows, keep_recent(&p->rates, p->options->top));
}

/* Prints the current period, if it has a request. */
static void end_period(struct periods *p)
{
	if (!p->begun)
		return;
	struct iot_stats *results = iot_stats_snapshot(p->stats);
	const int by = p->options->by == PERIOD_TOTAL ? IOT_STATS_BY_TRACE : p->options->by;
	if (results != NULL && rates_next(&p->rates, results, by, IOT_STATS_SORT_BYTES))
		print_period(p);
	else
		p->failed = true;
	iot_stats_free(results);
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
		message_print("warning: %ju %s; see 'iotrace reorder'", (uintmax_t)p->late,
			      plural(p->late, "request starts before the period in which it counts",
				     "requests start before the period in which they count"));
	if (p->untimed > 0)
		message_print("warning: %ju %s in the period of the previous one",
			      (uintmax_t)p->untimed,
			      plural(p->untimed, "request has no known start, and counts",
				     "requests have no known start, and count"));
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
	if (in->status == IOT_OK && !p->has_head)
		print_rows(p, NULL, 0);
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
	    .by = options->by == PERIOD_TOTAL ? IOT_STATS_BY_TRACE : (uint32_t)options->by,
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
