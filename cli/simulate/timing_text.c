/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/printable.h"
#include "timing_columns.h"
#include "timing_rows.h"

enum { FIELD = 32 };

static void print_input(struct output *out, const struct timing_input *input)
{
	const struct world_counts *n = &input->world.counts;
	char path[256], read[FIELD], written[FIELD];
	printable(path, sizeof path, input->path, strlen(input->path));
	output_printf(out, "%s: processes %zu, files %zu, records %ju, read %s, written %s\n", path,
		      input->world.process_ids.count, input->world.object_count,
		      (uintmax_t)n->records, printable_bytes(read, FIELD, n->read_bytes),
		      printable_bytes(written, FIELD, n->written_bytes));
	if (n->unknown > 0)
		output_printf(out, "%s: records with an unknown offset %ju (%s)\n", path,
			      (uintmax_t)n->unknown,
			      printable_bytes(read, FIELD, n->unknown_bytes));
	if (n->other_layer + n->read_ahead > 0)
		output_printf(out,
			      "%s: left out: records of the other layer %ju, of read-ahead %ju\n",
			      path, (uintmax_t)n->other_layer, (uintmax_t)n->read_ahead);
	if (n->from_wall > 0)
		output_printf(out,
			      "%s: computations from wall time %ju, which includes sleeping and "
			      "waiting for others\n",
			      path, (uintmax_t)n->from_wall);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* Blocks that were present or prefetched, of all blocks that were read. */
static double hit_percent(const struct timing_result *r)
{
	const uint64_t hits = r->read_hit_blocks + r->read_prefetched_blocks;
	const uint64_t all = hits + r->read_miss_blocks;
	return all > 0 ? 100 * (double)hits / (double)all : 0;
}

static void print_point_start(struct output *out, const struct timing_point *p)
{
	char size[FIELD];
	output_printf(out, "%-8s %10s", cache_policy_name(p->options.policy),
		      printable_bytes(size, FIELD, p->options.cache_blocks * p->options.block));
}

static void print_point_end(struct output *out, const struct timing_point *p)
{
	const struct timing_result *r = &p->result;
	char read[FIELD], written[FIELD];
	if (r->read_hit_blocks + r->read_prefetched_blocks + r->read_miss_blocks > 0)
		output_printf(out, " %6.1f", hit_percent(r));
	else
		output_printf(out, " %6s", "-");
	output_printf(out, " %11s %11s", printable_bytes(read, FIELD, r->device_read_bytes),
		      printable_bytes(written, FIELD, r->device_written_bytes));
}

/* What is written after the end, and how long that takes. */
static void print_pending(struct output *out, const struct timing_result *r)
{
	char size[FIELD];
	output_printf(out, " %10s %7.3f\n", printable_bytes(size, FIELD, r->pending_bytes),
		      seconds(r->pending_ns));
}

static void print_closed(struct output *out, const struct timing_report *r)
{
	output_printf(out, "%-8s %10s %6s %11s %11s %11s %11s %11s %7s %9s %10s %7s\n", "policy",
		      "cache", "hit %", "dev. read", "written", "wall s", "busy s", "idle s",
		      "used %", "stalls", "unwritten", "in s");
	for (size_t i = 0; i < r->point_count; i++) {
		const struct timing_point *p = &r->points[i];
		print_point_start(out, p);
		print_point_end(out, p);
		output_printf(out, " %11.3f %11.3f %11.3f %7.2f %9ju", seconds(p->result.wall_ns),
			      seconds(timing_busy_ns(&p->result)), seconds(p->result.idle_ns),
			      100 * timing_utilisation(p),
			      (uintmax_t)(p->result.stalls + p->result.throttled));
		print_pending(out, &p->result);
	}
}

static void print_latency(struct output *out, const struct timing_result *r, double quantile)
{
	if (r->latency_count > 0)
		output_printf(out, " %10.3f", (double)timing_latency(r, quantile) / 1e6);
	else
		output_printf(out, " %10s", "-");
}

static void print_open(struct output *out, const struct timing_report *r)
{
	output_printf(out, "%-8s %10s %6s %11s %11s %10s %10s %10s %10s %7s %7s %6s %10s %7s\n",
		      "policy", "cache", "hit %", "dev. read", "written", "p50 ms", "p90 ms",
		      "p99 ms", "max ms", "used %", "depth", "max", "unwritten", "in s");
	for (size_t i = 0; i < r->point_count; i++) {
		const struct timing_point *p = &r->points[i];
		const struct timing_result *q = &p->result;
		print_point_start(out, p);
		print_point_end(out, p);
		print_latency(out, q, 0.5);
		print_latency(out, q, 0.9);
		print_latency(out, q, 0.99);
		print_latency(out, q, 1);
		output_printf(out, " %7.2f %7.2f %6ju",
			      q->wall_ns > 0 ? 100 * (double)q->device_busy_ns / (double)q->wall_ns
					     : 0,
			      q->depth_mean, (uintmax_t)q->depth_max);
		print_pending(out, q);
	}
}

static double megabytes(uint64_t bytes, uint64_t ns)
{
	return (double)bytes / 1e6 / seconds(ns);
}

static void print_rates(struct output *out, const struct timing_point *p)
{
	const uint64_t width = p->options.rate_ns;
	output_text(out, "\n");
	print_point_start(out, p);
	output_printf(out, "\n%11s %11s %11s %11s %11s %7s   MB/s\n", "time s", "dev. read",
		      "written", "cache read", "written", "idle %");
	for (size_t i = 0; i < p->result.rate_count; i++) {
		const struct timing_rate *rate = &p->result.rates[i];
		/* the last interval may be shorter */
		const uint64_t left =
		    p->result.wall_ns > i * width ? p->result.wall_ns - i * width : width;
		const uint64_t ns = left < width ? left : width;
		output_printf(out, "%11.3f %11.3f %11.3f %11.3f %11.3f", seconds(i * width),
			      megabytes(rate->device_read, ns), megabytes(rate->device_written, ns),
			      megabytes(rate->cache_read, ns), megabytes(rate->cache_written, ns));
		if (p->options.arrivals)
			output_printf(out, " %7s\n", "-");
		else
			output_printf(out, " %7.2f\n",
				      100 * (double)rate->idle_ns / (double)(ns * p->options.cpus));
	}
}

static void print_row(struct output *out, const struct timing_report *r,
		      const struct timing_point *p, const struct timing_row_ref *ref)
{
	char name[ROW_NAME_CAPACITY], read[FIELD], written[FIELD], path[256];
	const struct timing_row *row = ref->row;
	const uint64_t hits = row->read_hit_blocks + row->read_prefetched_blocks,
		       blocks = hits + row->read_miss_blocks;
	output_printf(out, "%11.3f", seconds(row->wait_ns));
	if (p->options.arrivals)
		output_printf(out, " %11s", "-");
	else
		output_printf(out, " %11.3f", seconds(row->think_ns));
	output_printf(out, " %9ju %9ju", (uintmax_t)row->reads, (uintmax_t)row->writes);
	if (blocks > 0)
		output_printf(out, " %6.1f", 100 * (double)hits / (double)blocks);
	else
		output_printf(out, " %6s", "-");
	output_printf(out, " %11s %11s  ", printable_bytes(read, FIELD, row->device_read_bytes),
		      printable_bytes(written, FIELD, row->device_written_bytes));
	if (r->input_count > 1)
		output_printf(out, "%s: ",
			      printable(path, sizeof path, r->inputs[ref->input].path,
					strlen(r->inputs[ref->input].path)));
	output_printf(out, "%s\n", timing_row_name(r, ref, name));
}

/* The rows for which processes wait longest. */
static void print_rows(struct output *out, const struct timing_report *r,
		       const struct timing_point *p)
{
	size_t count;
	struct timing_row_ref *rows = timing_rows(r, &p->result, &count);
	output_text(out, "\n");
	print_point_start(out, p);
	output_printf(out, "\n%11s %11s %9s %9s %6s %11s %11s  by %s\n",
		      p->options.arrivals ? "latency s" : "wait s", "compute s", "reads", "writes",
		      "hit %", "dev. read", "written", row_by_name(r->command->by));
	for (size_t i = 0; rows != NULL && i < count; i++)
		print_row(out, r, p, &rows[i]);
	if (count < p->result.row_count)
		output_printf(out, "%zu further rows; see --top\n", p->result.row_count - count);
	free(rows);
}

void timing_print_text(struct output *out, const struct timing_report *r)
{
	for (size_t i = 0; i < r->input_count; i++)
		print_input(out, &r->inputs[i]);
	output_text(out, "\n");
	if (r->points[0].options.arrivals)
		print_open(out, r);
	else
		print_closed(out, r);
	for (size_t i = 0; i < r->point_count; i++)
		if (r->points[i].options.rate_ns > 0)
			print_rates(out, &r->points[i]);
	for (size_t i = 0; i < r->point_count && r->command->by != BREAKDOWN_NONE; i++)
		print_rows(out, r, &r->points[i]);
}
