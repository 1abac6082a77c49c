/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "input_json.h"
#include "timing_columns.h"
#include "timing_rows.h"

static void text(struct json *j, const char *key, const char *value)
{
	json_text(j, key, value, strlen(value));
}

void timing_print_device(struct json *j, const struct device_options *d)
{
	json_open(j, "device", '{');
	json_number(j, "near_ns", d->near_ns);
	json_number(j, "far_ns", d->far_ns);
	json_number(j, "span", d->span);
	json_number(j, "read_latency_ns", d->read_latency_ns);
	json_number(j, "write_latency_ns", d->write_latency_ns);
	json_number(j, "read_rate", d->read_rate);
	json_number(j, "write_rate", d->write_rate);
	json_number(j, "depth", d->depth);
	json_close(j, '}');
}

static void print_cache(struct json *j, const struct timing_options *o)
{
	static const char *const ahead[] = {"none", "request", "window"};
	static const char *const write[] = {"none", "immediate", "delayed"};
	text(j, "read_ahead", ahead[o->read_ahead]);
	json_number(j, "window", o->window);
	text(j, "write_behind", write[o->write]);
	json_number(j, "dirty_background_percent", o->dirty_background);
	json_number(j, "dirty_percent", o->dirty_limit);
	json_number(j, "writeback_interval_ns", o->writeback_interval_ns);
	json_number(j, "dirty_expire_ns", o->dirty_expire_ns);
	json_number(j, "process_limit_blocks", o->process_limit);
}

/* All that a run depends on, except policy and size, which differ by run. */
static void print_parameters(struct json *j, const struct timing_report *r)
{
	static const char *const think[] = {"auto", "cpu", "wall", "none"};
	const struct timing_options *o = &r->points[0].options;
	const struct timing_command *c = r->command;
	json_open(j, "parameters", '{');
	input_json_reading(j, &c->read);
	text(j, "arrive", o->arrivals ? "trace" : "processes");
	text(j, "think", think[c->flags.think]);
	text(j, "layer", layer_name(r->inputs[0].layer));
	text(j, "unknown", c->unknown == UNKNOWN_FRESH ? "fresh" : "skip");
	text(j, "by", row_by_name(c->by));
	json_number(j, "block", o->block);
	json_number(j, "cpus", o->cpus);
	json_number(j, "copies", o->copies);
	json_bool(j, "share", o->share);
	json_number(j, "quantum_ns", o->quantum_ns);
	json_number(j, "switch_ns", o->switch_ns);
	json_number(j, "syscall_ns", o->syscall_ns);
	json_number(j, "interrupt_ns", o->interrupt_ns);
	json_number(j, "copy_call_ns", o->copy_call_ns);
	json_number(j, "copy_kib_ns", o->copy_kib_ns);
	print_cache(j, o);
	timing_print_device(j, &o->device);
	if (c->flags.direct != NULL)
		text(j, "direct", c->flags.direct);
	json_number(j, "rate_ns", o->rate_ns);
	json_number(j, "max_request", c->request_max);
	json_number(j, "memory", c->memory);
	json_close(j, '}');
}

static void print_input(struct json *j, const struct timing_input *input)
{
	const struct world_counts *n = &input->world.counts;
	json_open(j, NULL, '{');
	text(j, "path", input->path);
	json_number(j, "processes", input->world.process_ids.count);
	json_number(j, "files", input->world.object_count);
	json_number(j, "records", n->records);
	json_number(j, "operations", n->operations);
	json_number(j, "read_bytes", n->read_bytes);
	json_number(j, "written_bytes", n->written_bytes);
	json_number(j, "other_layer", n->other_layer);
	json_number(j, "read_ahead_records", n->read_ahead);
	json_number(j, "unknown_offset", n->unknown);
	json_number(j, "unknown_offset_bytes", n->unknown_bytes);
	json_number(j, "think_from_wall", n->from_wall);
	json_number(j, "think_unknown", n->no_think);
	json_number(j, "cpu_backwards", n->cpu_backwards);
	json_number(j, "out_of_order", n->out_of_order);
	json_close(j, '}');
}

static void print_processes(struct json *j, const struct timing_result *r)
{
	if (r->process_count == 0)
		return;
	json_open(j, "processes", '[');
	for (size_t i = 0; i < r->process_count; i++) {
		const struct timing_process *p = &r->processes[i];
		json_open(j, NULL, '{');
		json_number(j, "input", p->world);
		json_number(j, "copy", p->copy);
		json_number(j, "process", p->process);
		json_number(j, "think_ns", p->think_ns);
		json_number(j, "sleep_ns", p->sleep_ns);
		json_signed(j, "end_ns", p->end_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void print_latencies(struct json *j, const struct timing_result *r)
{
	static const struct {
		const char *name;
		double quantile;
	} quantiles[] = {{"min", 0},    {"p50", 0.5},    {"p90", 0.9},
			 {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
	if (r->latency_count == 0)
		return;
	json_open(j, "latency_ns", '{');
	json_number(j, "count", r->latency_count);
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
		json_number(j, quantiles[i].name, timing_latency(r, quantiles[i].quantile));
	json_close(j, '}');
}

static void print_rates(struct json *j, const struct timing_result *r, bool cpus)
{
	if (r->rate_count == 0)
		return;
	json_open(j, "rates", '[');
	for (size_t i = 0; i < r->rate_count; i++) {
		const struct timing_rate *rate = &r->rates[i];
		json_open(j, NULL, '{');
		json_number(j, "device_read", rate->device_read);
		json_number(j, "device_written", rate->device_written);
		json_number(j, "cache_read", rate->cache_read);
		json_number(j, "cache_written", rate->cache_written);
		json_known(j, "idle_ns", cpus, rate->idle_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Counts by row, those with the longest waits first. */
static void print_rows(struct json *j, const struct timing_report *r, const struct timing_point *p)
{
	char name[ROW_NAME_CAPACITY];
	size_t count;
	struct timing_row_ref *rows = timing_rows(r, &p->result, &count);
	json_open(j, "rows", '[');
	for (size_t i = 0; rows != NULL && i < count; i++) {
		json_open(j, NULL, '{');
		json_number(j, "input", rows[i].input);
		text(j, "row", timing_row_name(r, &rows[i], name));
		json_number(j, "wait_ns", rows[i].row->wait_ns);
		for (const struct timing_column *c = timing_columns; c->name != NULL; c++)
			if (c->row != NOT_OF_ROWS)
				json_known(j, c->name, !c->of_cpus || !p->options.arrivals,
					   timing_column_of_row(c, rows[i].row));
		json_close(j, '}');
	}
	json_close(j, ']');
	free(rows);
}

static void print_point(struct json *j, const struct timing_report *r, const struct timing_point *p)
{
	json_open(j, NULL, '{');
	text(j, "policy", cache_policy_name(p->options.policy));
	json_number(j, "cache_blocks", p->options.cache_blocks);
	json_number(j, "cache_bytes", p->options.cache_blocks * p->options.block);
	for (const struct timing_column *c = timing_columns; c->name != NULL; c++)
		json_known(j, c->name, !c->of_cpus || !p->options.arrivals,
			   timing_column_value(c, &p->result));
	json_exact(j, "depth_mean", p->result.depth_mean);
	if (!p->options.arrivals)
		json_exact(j, "utilisation", timing_utilisation(p));
	print_latencies(j, &p->result);
	print_processes(j, &p->result);
	print_rates(j, &p->result, !p->options.arrivals);
	if (r->command->by != BREAKDOWN_NONE)
		print_rows(j, r, p);
	json_close(j, '}');
}

void timing_print_json(struct output *out, const struct timing_report *r)
{
	struct json j = {.out = out, .pretty = true};
	json_open(&j, NULL, '{');
	print_parameters(&j, r);
	json_open(&j, "inputs", '[');
	for (size_t i = 0; i < r->input_count; i++)
		print_input(&j, &r->inputs[i]);
	json_close(&j, ']');
	json_open(&j, "runs", '[');
	for (size_t i = 0; i < r->point_count; i++)
		print_point(&j, r, &r->points[i]);
	json_close(&j, ']');
	json_close(&j, '}');
}
