/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/ui/printable.h"
#include "timing_columns.h"

static void print_point(struct output *out, const struct timing_point *p)
{
	output_printf(out, "%s\t%ju\t%ju", cache_policy_name(p->options.policy),
		      (uintmax_t)p->options.cache_blocks,
		      (uintmax_t)(p->options.cache_blocks * p->options.block));
}

static void print_points(struct output *out, const struct timing_report *r)
{
	output_text(out, "policy\tcache_blocks\tcache_bytes");
	for (const struct timing_column *c = timing_columns; c->name != NULL; c++)
		output_printf(out, "\t%s", c->name);
	output_text(out, "\tlatencies\tlatency_p50_ns\tlatency_p90_ns\tlatency_p99_ns"
			 "\tlatency_max_ns\n");
	for (size_t i = 0; i < r->point_count; i++) {
		const struct timing_result *result = &r->points[i].result;
		print_point(out, &r->points[i]);
		for (const struct timing_column *c = timing_columns; c->name != NULL; c++)
			output_printf(out, "\t%ju", (uintmax_t)timing_column_value(c, result));
		output_printf(out, "\t%zu", result->latency_count);
		const double quantiles[] = {0.5, 0.9, 0.99, 1};
		for (size_t q = 0; q < 4; q++)
			if (result->latency_count > 0)
				output_printf(out, "\t%ju",
					      (uintmax_t)timing_latency(result, quantiles[q]));
			else
				output_text(out, "\t");
		output_text(out, "\n");
	}
}

static void print_rates(struct output *out, const struct timing_report *r)
{
	output_text(out, "policy\tcache_blocks\tcache_bytes\tstart_ns\tdevice_read\tdevice_written"
			 "\tcache_read\tcache_written\tidle_ns\n");
	for (size_t i = 0; i < r->point_count; i++) {
		const struct timing_point *p = &r->points[i];
		for (size_t row = 0; row < p->result.rate_count; row++) {
			const struct timing_rate *rate = &p->result.rates[row];
			print_point(out, p);
			output_printf(out, "\t%ju\t%ju\t%ju\t%ju\t%ju\t%ju\n",
				      (uintmax_t)(row * p->options.rate_ns),
				      (uintmax_t)rate->device_read, (uintmax_t)rate->device_written,
				      (uintmax_t)rate->cache_read, (uintmax_t)rate->cache_written,
				      (uintmax_t)rate->idle_ns);
		}
	}
}

void timing_print_tsv(struct output *out, const struct timing_report *r)
{
	if (r->command->flags.rate_ns > 0)
		print_rates(out, r);
	else
		print_points(out, r);
}
