/* SPDX-License-Identifier: BSD-2-Clause */
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/print/text.h"
#include "cli/simulate/timing_rows.h"
#include "cli/ui/printable.h"
#include "lib/result/columns.h"
#include "parameters.h"

/* The source of all tables: the run that is read and its rows, and nested tables. */
struct timing_runs {
	const struct timing_report *report;
	struct output *out;
	const struct timing_point *point;
	struct timing_row_ref *refs; /* of the run, sorted */
	char name[ROW_NAME_CAPACITY], text[2 * ROW_NAME_CAPACITY];
	struct reading_view reading;
	struct iot_table parameters, device, inputs, runs, latency, processes, rates, rows;
};

/* A value of a run that is a member of its result. */
struct run_value {
	struct iot_column column;
	size_t member;
	bool of_cpus; /* unknown for arrivals */
	size_t row;   /* the member of a row; NOT_OF_ROWS */
};

/* clang-format off */
#define NOT_OF_ROWS SIZE_MAX
#define OF(name) offsetof(struct timing_result, name)
#define OF_ROW(name) offsetof(struct timing_row, name)
#define VALUE(name) {COLUMN(name), OF(name), false, NOT_OF_ROWS}
#define VALUE_CPU(name) {COLUMN(name), OF(name), true, NOT_OF_ROWS}
#define VALUE_ROW(name) {COLUMN(name), OF(name), false, OF_ROW(name)}
/* clang-format on */

static const struct run_value values[] = COLUMN_LIST(
    VALUE(wall_ns), VALUE_CPU(idle_ns), {COLUMN(think_ns), OF(think_ns), true, OF_ROW(think_ns)},
    VALUE_CPU(syscall_ns), VALUE(copy_ns), VALUE_CPU(switch_ns), VALUE_CPU(interrupt_ns),
    VALUE(calls), VALUE_CPU(switches), VALUE_CPU(preemptions), VALUE_CPU(interrupts),
    VALUE_ROW(stalls), VALUE_ROW(throttled),
    {COLUMN_READ_AS(requests, "reads"), OF(reads), false, OF_ROW(reads)},
    {COLUMN_WRITE_AS(requests, "writes"), OF(writes), false, OF_ROW(writes)},
    {COLUMN_READ_AS(bytes, "read_bytes"), OF(read_bytes), false, OF_ROW(read_bytes)},
    {COLUMN_WRITE_AS(bytes, "written_bytes"), OF(written_bytes), false, OF_ROW(written_bytes)},
    VALUE_ROW(read_hit_blocks), VALUE_ROW(read_prefetched_blocks), VALUE_ROW(read_miss_blocks),
    VALUE_ROW(write_hit_blocks), VALUE_ROW(write_miss_blocks), VALUE(direct_read_bytes),
    VALUE(direct_written_bytes), VALUE_ROW(device_reads), VALUE_ROW(device_writes),
    VALUE_ROW(device_read_bytes), VALUE_ROW(device_written_bytes), VALUE(partial_reads),
    VALUE_ROW(prefetched_blocks), VALUE(wasted_blocks), VALUE(dropped_blocks),
    VALUE(cancelled_blocks), VALUE(dirtied_blocks), VALUE(cleaned_blocks), VALUE(dirty_blocks),
    VALUE(pending_bytes), VALUE(pending_ns), VALUE(device_busy_ns), VALUE(depth_max));

/* Appends the columns of values, only the values of rows if of_rows; returns the new count. */
static size_t add_values(struct iot_column *columns, size_t count, bool of_rows)
{
	for (size_t i = 0; i < COLUMN_COUNT(values); i++)
		if (!of_rows || values[i].row != NOT_OF_ROWS)
			columns[count++] = values[i].column;
	return count;
}

static size_t add_columns(struct iot_column *columns, size_t count, const struct iot_column *more,
			  size_t n)
{
	memcpy(columns + count, more, n * sizeof *more);
	return count + n;
}

/* row: NULL for the values of the whole run. */
static void set_values(struct iot_row *to, const struct timing_runs *s,
		       const struct timing_row *row)
{
	const bool arrivals = s->point->options.arrivals;
	const char *from = row != NULL ? (const char *)row : (const char *)&s->point->result;
	for (size_t i = 0; i < COLUMN_COUNT(values); i++) {
		const size_t member = row != NULL ? values[i].row : values[i].member;
		uint64_t value;
		if (member == NOT_OF_ROWS || (values[i].of_cpus && arrivals))
			continue;
		memcpy(&value, from + member, sizeof value);
		row_number_of(to, values[i].column.metric, values[i].column.direction, value);
	}
}

static double ratio_of(double part, double whole)
{
	return part / whole;
}

static void set_read_hits(struct iot_row *to, uint64_t hits, uint64_t misses)
{
	row_real(to, &metrics.present_ratio, ratio_of((double)hits, (double)(hits + misses)));
}

/* Latencies are known of arrivals only. */
static void set_latency(struct iot_row *to, void *source)
{
	const struct timing_runs *s = source;
	const struct timing_result *r = &s->point->result;
	const struct {
		const struct iot_metric *metric;
		double quantile;
	} quantiles[] = {{&metrics.latency_min_ns, 0},      {&metrics.latency_p50_ns, 0.5},
			 {&metrics.latency_p90_ns, 0.9},    {&metrics.latency_p99_ns, 0.99},
			 {&metrics.latency_p999_ns, 0.999}, {&metrics.latency_max_ns, 1}};
	if (r->latency_count == 0)
		return;
	row_number(to, &metrics.latencies, r->latency_count);
	for (size_t i = 0; i < COLUMN_COUNT(quantiles); i++)
		row_number(to, quantiles[i].metric, timing_latency(r, quantiles[i].quantile));
}

/* What is computed from the members of a result. */
static void set_derived(struct iot_row *to, const struct timing_runs *s)
{
	const struct timing_point *p = s->point;
	const struct timing_result *r = &p->result;
	set_read_hits(to, r->read_hit_blocks + r->read_prefetched_blocks, r->read_miss_blocks);
	row_number(to, &metrics.busy_ns, timing_busy_ns(r));
	row_number(to, &metrics.held_up, r->stalls + r->throttled);
	row_real(to, &metrics.depth_mean, r->depth_mean);
	row_real(to, &metrics.device_utilisation,
		 r->wall_ns > 0 ? ratio_of((double)r->device_busy_ns, (double)r->wall_ns) : 0);
	if (p->options.arrivals)
		row_absent(to, &metrics.utilisation);
	else
		row_real(to, &metrics.utilisation, timing_utilisation(p));
}

static void set_point(struct iot_row *to, const struct timing_point *p)
{
	row_word(to, &metrics.policy, cache_policy_name(p->options.policy));
	row_number(to, &metrics.cache_blocks, p->options.cache_blocks);
	row_number(to, &metrics.cache_bytes, p->options.cache_blocks * p->options.block);
}

/* The number of rows of a run to print. */
static size_t rows_shown(const struct timing_report *r, const struct timing_result *result)
{
	if (r->command->by == BREAKDOWN_NONE)
		return 0;
	return result->row_count < r->command->top ? result->row_count : (size_t)r->command->top;
}

/* Makes run i the one that is read, and sorts its rows. */
static void select_run(struct timing_runs *s, size_t i)
{
	const struct timing_point *p = &s->report->points[i];
	size_t count;
	if (s->point == p)
		return;
	free(s->refs);
	s->point = p;
	s->refs = timing_rows(s->report, &p->result, &count);
	if (s->refs == NULL)
		s->out->status = IOT_ENOMEM;
	s->rows.rows = s->refs != NULL ? rows_shown(s->report, &p->result) : 0;
	s->processes.rows = p->result.process_count;
	s->rates.rows = p->result.rate_count;
}

static void set_run(struct iot_row *to, void *source)
{
	struct timing_runs *s = source;
	select_run(s, to->number);
	set_point(to, s->point);
	set_values(to, s, NULL);
	set_derived(to, s);
	set_latency(to, s);
	row_table(to, &metrics.latency, s->point->result.latency_count > 0 ? &s->latency : NULL);
	row_table(to, &metrics.process_list, s->processes.rows > 0 ? &s->processes : NULL);
	row_table(to, &metrics.rates, s->rates.rows > 0 ? &s->rates : NULL);
	row_table(to, &metrics.rows, s->report->command->by != BREAKDOWN_NONE ? &s->rows : NULL);
}

/* A row of the breakdown of the run that is read. */
static void set_breakdown(struct iot_row *to, struct timing_runs *s,
			  const struct timing_row_ref *ref)
{
	const struct timing_row *row = ref->row;
	set_point(to, s->point);
	set_values(to, s, row);
	set_read_hits(to, row->read_hit_blocks + row->read_prefetched_blocks,
		      row->read_miss_blocks);
	row_number(to, &metrics.input_number, ref->input);
	row_word(to, &metrics.row, timing_row_name(s->report, ref, s->name));
	row_number(to, &metrics.wait_ns, row->wait_ns);
}

static void set_row(struct iot_row *to, void *source)
{
	struct timing_runs *s = source;
	set_breakdown(to, s, &s->refs[to->number]);
}

static void set_process(struct iot_row *to, void *source)
{
	const struct timing_runs *s = source;
	const struct timing_process *p = &s->point->result.processes[to->number];
	row_number(to, &metrics.input_number, p->world);
	row_number(to, &metrics.copy, p->copy);
	row_number(to, &metrics.process, p->process);
	row_number(to, &metrics.think_ns, p->think_ns);
	row_number(to, &metrics.sleep_ns, p->sleep_ns);
	row_signed(to, &metrics.end_ns, p->end_ns);
}

/* The last interval may be shorter. */
static uint64_t interval_ns(const struct timing_point *p, size_t i)
{
	const uint64_t width = p->options.rate_ns, start = i * width;
	const uint64_t left = p->result.wall_ns > start ? p->result.wall_ns - start : width;
	return left < width ? left : width;
}

static void set_rate(struct iot_row *to, void *source)
{
	const struct timing_runs *s = source;
	const struct timing_point *p = s->point;
	const struct timing_rate *rate = &p->result.rates[to->number];
	const uint64_t ns = interval_ns(p, to->number);
	const double seconds = (double)ns / 1e9;
	row_number(to, &metrics.start_ns, to->number * p->options.rate_ns);
	row_number(to, &metrics.device_read_bytes, rate->device_read);
	row_number(to, &metrics.device_written_bytes, rate->device_written);
	row_number(to, &metrics.cache_read_bytes, rate->cache_read);
	row_number(to, &metrics.cache_written_bytes, rate->cache_written);
	row_real(to, &metrics.device_read_rate, (double)rate->device_read / seconds);
	row_real(to, &metrics.device_written_rate, (double)rate->device_written / seconds);
	row_real(to, &metrics.cache_read_rate, (double)rate->cache_read / seconds);
	row_real(to, &metrics.cache_written_rate, (double)rate->cache_written / seconds);
	if (p->options.arrivals)
		return;
	row_number(to, &metrics.idle_ns, rate->idle_ns);
	row_real(to, &metrics.idle_share, (double)rate->idle_ns / (double)(ns * p->options.cpus));
}

/* TSV */

/* For each run a line of the whole run, and then its rows. */
static void set_line(struct iot_row *to, void *source)
{
	struct timing_runs *s = source;
	const size_t shown = rows_shown(s->report, &s->report->points[0].result);
	const size_t line = to->number % (1 + shown);
	select_run(s, to->number / (1 + shown));
	if (line > 0 && line <= s->rows.rows) {
		set_breakdown(to, s, &s->refs[line - 1]);
	} else if (line == 0) {
		set_point(to, s->point);
		set_values(to, s, NULL);
		set_latency(to, s);
	}
}

static const struct iot_column point_columns[] =
    COLUMN_LIST(COLUMN(policy), COLUMN(cache_blocks), COLUMN(cache_bytes));

static void print_points(struct timing_runs *s, const struct print_form *form)
{
	static const struct iot_column last[] =
	    COLUMN_LIST(COLUMN(latencies), COLUMN(latency_p50_ns), COLUMN(latency_p90_ns),
			COLUMN(latency_p99_ns), COLUMN(latency_max_ns), COLUMN(input_number),
			COLUMN(row), COLUMN(wait_ns));
	const struct timing_report *r = s->report;
	struct iot_column columns[PRINT_COLUMNS_MAX];
	size_t n = add_columns(columns, 0, point_columns, COLUMN_COUNT(point_columns));
	n = add_columns(columns, add_values(columns, n, false), last, COLUMN_COUNT(last));
	const struct iot_table table = {
	    IOT_SHAPE_ROWS, n,        r->point_count * (1 + rows_shown(r, &r->points[0].result)),
	    columns,        set_line, s};
	form->print(s->out, &table, NULL);
}

/* An interval of a run: the intervals of the first run, then of the next. */
static void set_interval(struct iot_row *to, void *source)
{
	struct timing_runs *s = source;
	struct iot_row interval = *to;
	size_t i = 0;
	for (; interval.number >= s->report->points[i].result.rate_count; i++)
		interval.number -= s->report->points[i].result.rate_count;
	s->point = &s->report->points[i];
	set_point(&interval, s->point);
	set_rate(&interval, s);
}

static void print_intervals(struct timing_runs *s, const struct print_form *form)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(policy), COLUMN(cache_blocks), COLUMN(cache_bytes), COLUMN(start_ns),
			COLUMN(device_read_bytes), COLUMN(device_written_bytes),
			COLUMN(cache_read_bytes), COLUMN(cache_written_bytes), COLUMN(idle_ns));
	size_t rows = 0;
	for (size_t i = 0; i < s->report->point_count; i++)
		rows += s->report->points[i].result.rate_count;
	const struct iot_table table = TABLE_ROWS(columns, rows, set_interval, s);
	form->print(s->out, &table, NULL);
}

static void print_flat(struct output *out, const struct timing_report *r,
		       const struct print_form *form)
{
	struct timing_runs s = {.report = r, .out = out};
	if (r->command->flags.rate_ns > 0)
		print_intervals(&s, form);
	else
		print_points(&s, form);
	free(s.refs);
}

/* JSON */

static void set_cache_parameters(struct iot_row *to, const struct timing_options *o)
{
	static const char *const ahead[] = {"none", "request", "window"};
	static const char *const write[] = {"none", "immediate", "delayed"};
	row_word(to, &metrics.read_ahead, ahead[o->read_ahead]);
	row_number(to, &metrics.window, o->window);
	row_word(to, &metrics.write_mode, write[o->write]);
	row_number(to, &metrics.dirty_background_percent, o->dirty_background);
	row_number(to, &metrics.dirty_percent, o->dirty_limit);
	row_number(to, &metrics.writeback_interval_ns, o->writeback_interval_ns);
	row_number(to, &metrics.dirty_expire_ns, o->dirty_expire_ns);
	row_number(to, &metrics.process_limit_blocks, o->process_limit);
}

/* All that a run depends on, except policy and size, which differ by run. */
static void set_parameters(struct iot_row *to, void *source)
{
	static const char *const think[] = {"auto", "cpu", "wall", "none"};
	const struct timing_runs *s = source;
	const struct timing_command *c = s->report->command;
	const struct timing_options *o = &s->report->points[0].options;
	row_table(to, &metrics.reading, &s->reading.table);
	row_word(to, &metrics.arrive, o->arrivals ? "trace" : "processes");
	row_word(to, &metrics.think, think[c->flags.think]);
	row_word(to, &metrics.layer, layer_name(s->report->inputs[0].layer));
	row_word(to, &metrics.unknown, c->unknown == UNKNOWN_FRESH ? "fresh" : "skip");
	row_word(to, &metrics.by, row_by_name(c->by));
	row_number(to, &metrics.block, o->block);
	row_number(to, &metrics.cpus, o->cpus);
	row_number(to, &metrics.copies, o->copies);
	row_number(to, &metrics.share, o->share);
	row_number(to, &metrics.quantum_ns, o->quantum_ns);
	row_number(to, &metrics.switch_cost_ns, o->switch_ns);
	row_number(to, &metrics.syscall_cost_ns, o->syscall_ns);
	row_number(to, &metrics.interrupt_cost_ns, o->interrupt_ns);
	row_number(to, &metrics.copy_call_ns, o->copy_call_ns);
	row_number(to, &metrics.copy_kib_ns, o->copy_kib_ns);
	set_cache_parameters(to, o);
	row_table(to, &metrics.device, &s->device);
	row_word(to, &metrics.direct, c->flags.direct);
	row_number(to, &metrics.rate_ns, o->rate_ns);
	row_number(to, &metrics.max_request, c->request_max);
	row_number(to, &metrics.memory, c->memory);
}

static void set_input(struct iot_row *to, void *source)
{
	const struct timing_runs *s = source;
	const struct timing_input *input = &s->report->inputs[to->number];
	const struct world_counts *n = &input->world.counts;
	const uint64_t bytes[2] = {n->read_bytes, n->written_bytes};
	row_word(to, &metrics.path, input->path);
	row_number(to, &metrics.processes, input->world.process_ids.count);
	row_number(to, &metrics.files, input->world.object_count);
	row_number(to, &metrics.records, n->records);
	row_number(to, &metrics.operations, n->operations);
	row_counts(to, &metrics.bytes, bytes);
	row_number(to, &metrics.other_layer_records, n->other_layer);
	row_number(to, &metrics.read_ahead_records, n->read_ahead);
	row_number(to, &metrics.unknown_offsets, n->unknown);
	row_number(to, &metrics.unknown_offset_bytes, n->unknown_bytes);
	row_number(to, &metrics.think_from_wall, n->from_wall);
	row_number(to, &metrics.think_unknown, n->no_think);
	row_number(to, &metrics.cpu_backwards, n->cpu_backwards);
	row_number(to, &metrics.out_of_order, n->out_of_order);
}

static void set_document(struct iot_row *to, void *source)
{
	const struct timing_runs *s = source;
	row_table(to, &metrics.parameters, &s->parameters);
	row_table(to, &metrics.inputs, &s->inputs);
	row_table(to, &metrics.runs, &s->runs);
}

static void print_nested(struct output *out, const struct timing_report *r,
			 const struct print_form *form)
{
	static const struct iot_column parameters[] = COLUMN_LIST(
	    COLUMN(reading), COLUMN(arrive), COLUMN(think), COLUMN(layer), COLUMN(unknown),
	    COLUMN(by), COLUMN(block), COLUMN(cpus), COLUMN(copies), COLUMN(share),
	    COLUMN(quantum_ns), COLUMN(switch_cost_ns), COLUMN(syscall_cost_ns),
	    COLUMN(interrupt_cost_ns), COLUMN(copy_call_ns), COLUMN(copy_kib_ns),
	    COLUMN(read_ahead), COLUMN(window), COLUMN(write_mode),
	    COLUMN(dirty_background_percent), COLUMN(dirty_percent), COLUMN(writeback_interval_ns),
	    COLUMN(dirty_expire_ns), COLUMN(process_limit_blocks), COLUMN(device), COLUMN(direct),
	    COLUMN(rate_ns), COLUMN(max_request), COLUMN(memory));
	static const struct iot_column inputs[] = COLUMN_LIST(
	    COLUMN(path), COLUMN(processes), COLUMN(files), COLUMN(records), COLUMN(operations),
	    COLUMN_READ_AS(bytes, "read_bytes"), COLUMN_WRITE_AS(bytes, "written_bytes"),
	    COLUMN(other_layer_records), COLUMN(read_ahead_records), COLUMN(unknown_offsets),
	    COLUMN(unknown_offset_bytes), COLUMN(think_from_wall), COLUMN(think_unknown),
	    COLUMN(cpu_backwards), COLUMN(out_of_order));
	static const struct iot_column latency[] =
	    COLUMN_LIST(COLUMN(latencies), COLUMN(latency_min_ns), COLUMN(latency_p50_ns),
			COLUMN(latency_p90_ns), COLUMN(latency_p99_ns), COLUMN(latency_p999_ns),
			COLUMN(latency_max_ns));
	static const struct iot_column processes[] =
	    COLUMN_LIST(COLUMN(input_number), COLUMN(copy), COLUMN(process), COLUMN(think_ns),
			COLUMN(sleep_ns), COLUMN(end_ns));
	static const struct iot_column rates[] =
	    COLUMN_LIST(COLUMN(device_read_bytes), COLUMN(device_written_bytes),
			COLUMN(cache_read_bytes), COLUMN(cache_written_bytes), COLUMN(idle_ns));
	static const struct iot_column nested[] =
	    COLUMN_LIST(COLUMN(depth_mean), COLUMN(utilisation), COLUMN(latency),
			COLUMN(process_list), COLUMN(rates), COLUMN(rows));
	static const struct iot_column row[] =
	    COLUMN_LIST(COLUMN(input_number), COLUMN(row), COLUMN(wait_ns));
	static const struct iot_column document[] =
	    COLUMN_LIST(COLUMN(parameters), COLUMN(inputs), COLUMN(runs));
	struct iot_column runs[PRINT_COLUMNS_MAX], rows[PRINT_COLUMNS_MAX];
	size_t n = add_columns(runs, 0, point_columns, COLUMN_COUNT(point_columns));
	n = add_columns(runs, add_values(runs, n, false), nested, COLUMN_COUNT(nested));
	const size_t row_columns =
	    add_values(rows, add_columns(rows, 0, row, COLUMN_COUNT(row)), true);
	struct timing_runs s = {
	    .report = r,
	    .out = out,
	    .parameters = TABLE_RECORD(parameters, set_parameters, &s),
	    .device = device_view(&r->points[0].options.device),
	    .inputs = TABLE_ROWS(inputs, r->input_count, set_input, &s),
	    .runs = {IOT_SHAPE_ROWS, n, r->point_count, runs, set_run, &s},
	    .latency = TABLE_RECORD(latency, set_latency, &s),
	    .processes = TABLE_ROWS(processes, 0, set_process, &s),
	    .rates = TABLE_ROWS(rates, 0, set_rate, &s),
	    .rows = {IOT_SHAPE_ROWS, row_columns, 0, rows, set_row, &s},
	};
	const struct iot_table table = TABLE_RECORD(document, set_document, &s);
	reading_view(&s.reading, &r->command->read);
	form->print(out, &table, NULL);
	free(s.refs);
}

void timing_print(struct output *out, const struct timing_report *r, const struct print_form *form)
{
	(form->is_nested ? print_nested : print_flat)(out, r, form);
}

/* Text */

static void print_runs(struct timing_runs *s, bool arrivals)
{
	static const struct text_column closed[] =
	    COLUMN_LIST(TEXT(policy, -8, 0), TEXT(cache_bytes, 10, 0), TEXT(present_ratio, 6, 1),
			TEXT(device_read_bytes, 11, 0),
			TEXT_AS(device_written_bytes, "written", 11, 0), TEXT(wall_ns, 11, 3),
			TEXT(busy_ns, 11, 3), TEXT(idle_ns, 11, 3), TEXT(utilisation, 7, 2),
			TEXT(held_up, 9, 0), TEXT(pending_bytes, 10, 0), TEXT(pending_ns, 7, 3));
	static const struct text_column open[] = COLUMN_LIST(
	    TEXT(policy, -8, 0), TEXT(cache_bytes, 10, 0), TEXT(present_ratio, 6, 1),
	    TEXT(device_read_bytes, 11, 0), TEXT_AS(device_written_bytes, "written", 11, 0),
	    TEXT_UNIT(latency_p50_ns, NULL, 10, 3, TEXT_MS),
	    TEXT_UNIT(latency_p90_ns, NULL, 10, 3, TEXT_MS),
	    TEXT_UNIT(latency_p99_ns, NULL, 10, 3, TEXT_MS),
	    TEXT_UNIT(latency_max_ns, NULL, 10, 3, TEXT_MS), TEXT(device_utilisation, 7, 2),
	    TEXT(depth_mean, 7, 2), TEXT(depth_max, 6, 0), TEXT(pending_bytes, 10, 0),
	    TEXT(pending_ns, 7, 3));
	const struct iot_table table = TABLE_FILLED(s->report->point_count, set_run, s);
	if (arrivals)
		print_text(s->out, open, COLUMN_COUNT(open), NULL, &table);
	else
		print_text(s->out, closed, COLUMN_COUNT(closed), NULL, &table);
}

/* The line that names a run before its table. */
static void print_point(struct timing_runs *s)
{
	char size[32];
	const struct timing_options *o = &s->point->options;
	output_printf(s->out, "\n%-8s %10s\n", cache_policy_name(o->policy),
		      printable_bytes(size, sizeof size, o->cache_blocks * o->block));
}

static void print_rates(struct timing_runs *s)
{
	static const struct text_column columns[] = COLUMN_LIST(
	    TEXT(start_ns, 11, 3), TEXT(device_read_rate, 11, 3), TEXT(device_written_rate, 11, 3),
	    TEXT(cache_read_rate, 11, 3), TEXT(cache_written_rate, 11, 3), TEXT(idle_share, 7, 2));
	const struct iot_table table = TABLE_FILLED(s->point->result.rate_count, set_rate, s);
	print_point(s);
	print_text(s->out, columns, COLUMN_COUNT(columns), " MB/s", &table);
}

/* With the path of the input if there are several. */
static void set_named_row(struct iot_row *to, void *source)
{
	struct timing_runs *s = source;
	const struct timing_row_ref *ref = &s->refs[to->number];
	const char *path = s->report->inputs[ref->input].path;
	char printed[256];
	set_breakdown(to, s, ref);
	if (s->report->input_count == 1)
		return;
	printable(printed, sizeof printed, path, strlen(path));
	snprintf(s->text, sizeof s->text, "%s: %s", printed, s->name);
	row_word(to, &metrics.row, s->text);
}

/* The rows for which processes wait longest. */
static void print_rows(struct timing_runs *s)
{
	const struct text_column columns[] = COLUMN_LIST(
	    TEXT_AS(wait_ns, s->point->options.arrivals ? "latency s" : "wait s", 11, 3),
	    TEXT(think_ns, 11, 3), TEXT_READ(requests, 9, 0), TEXT_WRITE(requests, 9, 0),
	    TEXT(present_ratio, 6, 1), TEXT(device_read_bytes, 11, 0),
	    TEXT_AS(device_written_bytes, "written", 11, 0), TEXT(row, 0, 0));
	const struct iot_table table = TABLE_FILLED(s->rows.rows, set_named_row, s);
	char title[32];
	snprintf(title, sizeof title, "by %s", row_by_name(s->report->command->by));
	print_point(s);
	print_text(s->out, columns, COLUMN_COUNT(columns), title, &table);
	if (s->rows.rows < s->point->result.row_count)
		output_printf(s->out, "%zu further rows; see --top\n",
			      s->point->result.row_count - s->rows.rows);
}

void timing_print_text(struct output *out, const struct timing_report *r)
{
	struct timing_runs s = {.report = r, .out = out};
	timing_print_inputs(out, r);
	output_text(out, "\n");
	print_runs(&s, r->points[0].options.arrivals);
	for (size_t i = 0; i < r->point_count; i++) {
		select_run(&s, i);
		if (s.point->options.rate_ns > 0)
			print_rates(&s);
	}
	for (size_t i = 0; i < r->point_count && r->command->by != BREAKDOWN_NONE; i++) {
		select_run(&s, i);
		print_rows(&s);
	}
	free(s.refs);
}
