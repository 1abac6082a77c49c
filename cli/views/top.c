/* SPDX-License-Identifier: BSD-2-Clause */
#include "top.h"

#include "cli/print/json.h"
#include "cli/top/operation_line.h"
#include "lib/result/columns.h"

#include "stat.h"
#include "stat_values.h"

/* The source of all tables, and the row or operation that is read. */
struct top_view {
	const struct table *shown;
	struct stat_view stat;
	const struct interval_counts *recent;
	const struct operation_rate *calls;
	struct iot_table total, interval, recent_calls, rows, operations;
};

static void set_interval(struct iot_row *to, void *source)
{
	const struct top_view *v = source;
	const struct interval_counts *c = v->recent;
	row_known(to, &metrics.opens, stat_knows_opens(v->stat.row), c->opens);
	row_counts(to, &metrics.requests, (const uint64_t[2]){c->reads, c->writes});
	row_counts(to, &metrics.bytes, (const uint64_t[2]){c->read_bytes, c->written_bytes});
	row_number(to, &metrics.io_ns, c->io_ns);
}

static void set_recent_calls(struct iot_row *to, void *source)
{
	const struct operation_rate *row = ((const struct top_view *)source)->calls;
	const struct iot_stats_operation *o = &row->recent;
	row_number(to, &metrics.calls, o->calls);
	row_known(to, &metrics.failed, row->has_results, o->failed);
	row_number(to, &metrics.timed, o->timed);
	row_known(to, &metrics.operation_ns, operation_has_times(o), o->ns);
}

static void select_row(struct top_view *v, const struct rate_row *row)
{
	v->stat.row = row->all;
	v->recent = &row->recent;
}

static void set_row(struct iot_row *to, void *source)
{
	struct top_view *v = source;
	select_row(v, &v->shown->rates->rows[to->number]);
	stat_set_values(to, &v->stat);
	row_table(to, &metrics.interval, &v->interval);
}

static void set_operation(struct iot_row *to, void *source)
{
	struct top_view *v = source;
	const struct operation_rate *row = &v->shown->operations->rows[to->number];
	v->calls = row;
	stat_set_calls(to, row->all, row->has_results);
	row_table(to, &metrics.interval, &v->recent_calls);
}

static void set_total(struct iot_row *to, void *source)
{
	stat_set_counters(to, &((struct top_view *)source)->stat);
}

static void set_document(struct iot_row *to, void *source)
{
	struct top_view *v = source;
	const struct table *t = v->shown;
	const uint64_t span = iot_stats_fact(t->counts->stats, IOT_STATS_SPAN_NS);
	row_number(to, &metrics.ended, t->ended);
	row_known(to, &metrics.interval_ns, t->interval_ns > 0, t->interval_ns);
	row_known(to, &metrics.span_ns, span > 0, span);
	row_known(to, &metrics.processes, !t->counts->no_processes, t->counts->processes);
	row_known(to, &metrics.lost_records, t->counts->lost > 0 || !t->counts->lost_more,
		  t->counts->lost);
	row_word(to, &metrics.layer, t->results.layer);
	row_number(to, &metrics.left_out, iot_stats_fact(t->counts->stats, IOT_STATS_LEFT_OUT));
	row_table(to, &metrics.total, &v->total);
	row_table(to, &metrics.interval, &v->interval);
	row_word(to, &metrics.by, stat_by_name(t->results.by));
	if (t->results.by == STAT_BY_OPERATION) {
		row_table(to, &metrics.operation_list, &v->operations);
		row_absent(to, &metrics.rows);
	} else {
		row_table(to, &metrics.rows, &v->rows);
		row_absent(to, &metrics.operation_list);
	}
}

void top_print_json(struct output *o, const struct table *t)
{
	static const struct iot_column recent[] =
	    COLUMN_LIST(COLUMN(opens), COLUMN_READ_AS(requests, "reads"),
			COLUMN_WRITE_AS(requests, "writes"), COLUMN_READ_AS(bytes, "read_bytes"),
			COLUMN_WRITE_AS(bytes, "written_bytes"), COLUMN(io_ns));
	static const struct iot_column recent_calls[] =
	    COLUMN_LIST(COLUMN(calls), COLUMN(failed), COLUMN(timed), COLUMN(operation_ns));
	static const struct iot_column document[] =
	    COLUMN_LIST(COLUMN(ended), COLUMN(interval_ns), COLUMN(span_ns), COLUMN(processes),
			COLUMN(lost_records), COLUMN(layer), COLUMN(left_out), COLUMN(total),
			COLUMN(interval), COLUMN(by), COLUMN(rows), COLUMN(operation_list));
	struct top_view v = {
	    .shown = t,
	    .stat = {.results = &t->results, .sizes = stat_sizes_table(&v.stat)},
	    .total = stat_counters_table(set_total, &v),
	    .interval = TABLE_RECORD(recent, set_interval, &v),
	    .recent_calls = TABLE_RECORD(recent_calls, set_recent_calls, &v),
	    .rows = stat_values_table(table_rows(t), set_row, &v, true),
	    .operations = stat_calls_table(table_rows(t), set_operation, &v, true),
	};
	const struct iot_table table = TABLE_RECORD(document, set_document, &v);
	select_row(&v, &t->rates->total);
	print_json_compact(o, &table);
	output_flush(o);
}
