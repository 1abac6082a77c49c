/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "cli/ui/printable.h"
#include "timing_columns.h"
#include "timing_rows.h"

static void print_point(struct output *out, const struct timing_point *p)
{
	output_printf(out, "%s\t%ju\t%ju", cache_policy_name(p->options.policy),
		      (uintmax_t)p->options.cache_blocks,
		      (uintmax_t)(p->options.cache_blocks * p->options.block));
}

/* A number, or nothing if it is unknown. */
static void print_known(struct output *out, bool known, uint64_t value)
{
	if (known)
		output_printf(out, "\t%ju", (uintmax_t)value);
	else
		output_text(out, "\t");
}

static void print_latencies(struct output *out, const struct timing_result *r)
{
	static const double quantiles[] = {0.5, 0.9, 0.99, 1};
	const bool known = r->latency_count > 0;
	print_known(out, known, r->latency_count);
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
		print_known(out, known, known ? timing_latency(r, quantiles[i]) : 0);
}

/* The columns that rows have; the others are empty. */
static void print_row(struct output *out, const struct timing_report *r,
		      const struct timing_point *p, const struct timing_row_ref *row)
{
	char name[ROW_NAME_CAPACITY];
	print_point(out, p);
	for (const struct timing_column *c = timing_columns; c->name != NULL; c++) {
		const bool known = c->row != NOT_OF_ROWS && (!c->of_cpus || !p->options.arrivals);
		print_known(out, known, known ? timing_column_of_row(c, row->row) : 0);
	}
	output_printf(out, "\t\t\t\t\t\t%zu\t", row->input);
	for (const char *c = timing_row_name(r, row, name); *c != '\0'; c++)
		output_write(out, *c == '\t' || *c == '\n' ? " " : c, 1);
	output_printf(out, "\t%ju\n", (uintmax_t)row->row->wait_ns);
}

static void print_rows(struct output *out, const struct timing_report *r,
		       const struct timing_point *p)
{
	size_t count;
	struct timing_row_ref *rows = timing_rows(r, &p->result, &count);
	for (size_t i = 0; rows != NULL && i < count; i++)
		print_row(out, r, p, &rows[i]);
	free(rows);
}

static void print_points(struct output *out, const struct timing_report *r)
{
	output_text(out, "policy\tcache_blocks\tcache_bytes");
	for (const struct timing_column *c = timing_columns; c->name != NULL; c++)
		output_printf(out, "\t%s", c->name);
	output_text(out, "\tlatencies\tlatency_p50_ns\tlatency_p90_ns\tlatency_p99_ns"
			 "\tlatency_max_ns\tinput\trow\twait_ns\n");
	for (size_t i = 0; i < r->point_count; i++) {
		const struct timing_result *result = &r->points[i].result;
		print_point(out, &r->points[i]);
		for (const struct timing_column *c = timing_columns; c->name != NULL; c++)
			print_known(out, !c->of_cpus || !r->points[i].options.arrivals,
				    timing_column_value(c, result));
		print_latencies(out, result);
		output_text(out, "\t\t\t\n");
		if (r->command->by != BREAKDOWN_NONE)
			print_rows(out, r, &r->points[i]);
	}
}

static void print_intervals(struct output *out, const struct timing_report *r)
{
	output_text(out, "policy\tcache_blocks\tcache_bytes\tstart_ns\tdevice_read\tdevice_written"
			 "\tcache_read\tcache_written\tidle_ns\n");
	for (size_t i = 0; i < r->point_count; i++) {
		const struct timing_point *p = &r->points[i];
		for (size_t row = 0; row < p->result.rate_count; row++) {
			const struct timing_rate *rate = &p->result.rates[row];
			print_point(out, p);
			const uint64_t values[] = {row * p->options.rate_ns, rate->device_read,
						   rate->device_written, rate->cache_read,
						   rate->cache_written};
			for (size_t k = 0; k < sizeof values / sizeof *values; k++)
				print_known(out, true, values[k]);
			print_known(out, !p->options.arrivals, rate->idle_ns);
			output_text(out, "\n");
		}
	}
}

void timing_print_tsv(struct output *out, const struct timing_report *r)
{
	if (r->command->flags.rate_ns > 0)
		print_intervals(out, r);
	else
		print_points(out, r);
}
