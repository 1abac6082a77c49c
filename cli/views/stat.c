/* SPDX-License-Identifier: BSD-2-Clause */
#include "stat.h"

#include <stdio.h>
#include <string.h>

#include "cli/print/text.h"
#include "lib/format/operation_kind.h"
#include "stat_values.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

/* Values */

static void set_size(struct iot_row *to, void *source)
{
	static const char bar[] = "########################################";
	const struct stat_view *v = source;
	const unsigned k = v->class[to->number];
	const uint64_t n = iot_stats_size(v->row, k);
	const size_t length = (size_t)((double)n / (double)v->largest * (double)(sizeof bar - 1));
	row_number(to, &metrics.size_from, stat_class_floor(k));
	row_number(to, &metrics.ios, n);
	row_text(to, &metrics.bar, bar, length > 0 ? length : 1);
}

static void find_classes(struct stat_view *v)
{
	v->sizes.rows = 0;
	v->largest = 0;
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
		const uint64_t n = iot_stats_size(v->row, k);
		v->largest = n > v->largest ? n : v->largest;
		if (n > 0)
			v->class[v->sizes.rows++] = k;
	}
}

#define PARTIAL "some durations are not known"

static void set_share(struct iot_row *to, const struct iot_metric *m, uint64_t part, uint64_t whole)
{
	row_real(to, m, (double)part / (double)whole);
}

/* Sums of samples. Each may be unknown. */
static void set_sampled(struct iot_row *to, const struct iot_stats_row *f)
{
	row_number(to, &metrics.sample_count, f->samples);
	if ((f->has & IOT_STATS_HAS_READS) != 0)
		row_number_of(to, &metrics.requests, IOT_READS, f->reads);
	if ((f->has & IOT_STATS_HAS_WRITES) != 0)
		row_number_of(to, &metrics.requests, IOT_WRITES, f->writes);
	if ((f->has & IOT_STATS_HAS_READ_BYTES) != 0)
		row_number_of(to, &metrics.bytes, IOT_READS, f->read_bytes);
	if ((f->has & IOT_STATS_HAS_WRITTEN_BYTES) != 0)
		row_number_of(to, &metrics.bytes, IOT_WRITES, f->written_bytes);
}

void stat_set_counters(struct iot_row *to, void *source)
{
	struct stat_view *v = source;
	const struct iot_stats_row *f = v->row;
	const uint64_t requests[2] = {f->reads, f->writes},
		       bytes[2] = {f->read_bytes, f->written_bytes};
	row_known(to, &metrics.opens, stat_knows_opens(f), f->opens);
	if ((f->has & IOT_STATS_SAMPLED) != 0)
		set_sampled(to, f);
	if (row_cell(to, &metrics.sizes, IOT_BOTH) != NULL)
		find_classes(v);
	row_table(to, &metrics.sizes, &v->sizes);
	if (stat_knows_times(v->results, f))
		row_bounded(to, &metrics.io_ns, f->io_ns,
			    f->timed < f->reads + f->writes ? PARTIAL : NULL);
	row_known(to, &metrics.sequential, stat_knows_order(v->results, f), f->sequential);
	set_share(to, &metrics.sequential_share, f->sequential, f->located);
	set_share(to, &metrics.same_size_share, f->same_size, f->followers);
	if (!stat_knows_ios(v->results, f))
		return;
	row_counts(to, &metrics.requests, requests);
	row_counts(to, &metrics.bytes, bytes);
	row_number(to, &metrics.timed, f->timed);
	row_number(to, &metrics.followers, f->followers);
	row_number(to, &metrics.located, f->located);
	row_number(to, &metrics.same_size, f->same_size);
}

/* A number, or nothing if the row cannot have it. */
static void set_id(struct iot_row *to, const struct iot_metric *m, bool has, uint64_t id)
{
	if (has)
		row_number(to, m, id);
	else
		row_absent(to, m);
}

static void set_first_name(struct iot_row *to, const struct stat_results *s,
			   const struct iot_stats_row *f)
{
	const struct iot_text first = stat_first_name(s, f);
	if (first.data != NULL)
		row_text(to, &metrics.first_path, first.data, first.size);
	else
		row_absent(to, &metrics.first_path);
}

void stat_set_values(struct iot_row *to, void *source)
{
	struct stat_view *v = source;
	const struct stat_results *s = v->results;
	const struct iot_stats_row *f = v->row;
	const bool file =
	    s->by == IOT_STATS_BY_FILE || (s->by == IOT_STATS_BY_OBJECT && f->object == 0);
	size_t size = 0;
	const char *name = stat_name(s, f, &size);
	set_id(to, &metrics.process, s->by == IOT_STATS_BY_PROCESS || file, f->process);
	set_id(to, &metrics.file, file, f->file);
	set_id(to, &metrics.object, f->object != 0, f->object);
	set_id(to, &metrics.rank, (f->has & IOT_STATS_HAS_RANK) != 0, f->rank);
	row_text(to, &metrics.name, name, size);
	set_first_name(to, s, f);
	row_word(to, &metrics.input, stat_input(s, f));
	stat_set_counters(to, v);
	if ((f->has & IOT_STATS_HAS_TIMES) == 0)
		return;
	row_number(to, &metrics.first_ns, (uint64_t)f->first_ns);
	row_number(to, &metrics.last_ns, (uint64_t)f->last_ns);
}

static void set_row(struct iot_row *to, void *source)
{
	struct stat_view *v = source;
	v->row = stat_row_at(v->results, to->number);
	stat_set_values(to, v);
}

static void set_total(struct iot_row *to, void *source)
{
	struct stat_view *v = source;
	v->row = iot_stats_total(v->results->stats);
	stat_set_counters(to, v);
}

/* Durations: row 0 of reads, row 1 of writes */
static void set_durations(struct iot_row *to, const struct stat_view *v, int write)
{
	struct iot_stats_latency l;
	iot_stats_latency(v->results->stats, write, &l);
	row_word(to, &metrics.label, write ? "writes" : "reads");
	if (l.count == 0)
		return;
	row_number(to, &metrics.duration_min_ns, l.min_ns);
	row_real(to, &metrics.duration_mean_ns, l.mean_ns);
	row_real(to, &metrics.duration_p50_ns, l.median_ns);
	row_real(to, &metrics.duration_p99_ns, l.p99_ns);
	row_number(to, &metrics.duration_max_ns, l.max_ns);
}

void stat_set_calls(struct iot_row *to, const struct iot_stats_operation *o, bool results)
{
	const struct iot_text name = {o->name, strlen(o->name)};
	row_word(to, &metrics.name, o->name);
	row_word(to, &metrics.operation_kind, operation_kind_name(name));
	row_number(to, &metrics.calls, o->calls);
	if (results)
		row_number(to, &metrics.failed, o->failed);
	row_number(to, &metrics.timed, o->timed);
	if (o->timed > 0)
		row_bounded(to, &metrics.operation_ns, o->ns, o->timed < o->calls ? PARTIAL : NULL);
}

/* The calls of an operation; the last row counts the operations that are not listed. */
static void set_operation(struct iot_row *to, void *source)
{
	const struct stat_view *v = source;
	const struct iot_stats_operation *o = stat_operation_at(v->results, to->number);
	if (o != NULL) {
		stat_set_calls(to, o, iot_stats_fact(v->results->stats, IOT_STATS_NO_RESULTS) == 0);
		return;
	}
	row_number(to, &metrics.calls, iot_stats_fact(v->results->stats, IOT_STATS_OTHER_OPS));
	row_word(to, &metrics.name, "others");
}

static size_t operations_shown(const struct stat_results *s)
{
	size_t n = 0;
	while (stat_operation_at(s, n) != NULL)
		n++;
	return n;
}

/* With the row of those that are not listed, if there are any. */
static size_t operation_rows(const struct stat_results *s)
{
	return operations_shown(s) + (iot_stats_fact(s->stats, IOT_STATS_OTHER_OPS) > 0);
}

static size_t rows_shown(const struct stat_results *s)
{
	const uint64_t rows = iot_stats_fact(s->stats, IOT_STATS_ROWS);
	if (s->by == STAT_BY_OPERATION)
		return 0;
	return (size_t)(rows < s->top ? rows : s->top);
}

struct iot_table stat_sizes_table(struct stat_view *v)
{
	static const struct iot_column columns[] = COLUMN_LIST(COLUMN(size_from), COLUMN(ios));
	return (struct iot_table)TABLE_MAP(columns, 0, set_size, v);
}

/* TSV */

static const struct iot_column of_samples[] =
    COLUMN_LIST(COLUMN(name), COLUMN(sample_count), COLUMN(opens),
		COLUMN_READ_AS(requests, "reads"), COLUMN_WRITE_AS(requests, "writes"),
		COLUMN_READ_AS(bytes, "read_bytes"), COLUMN_WRITE_AS(bytes, "written_bytes"));

/* TSV has ids of all rows. */
static void set_tsv_row(struct iot_row *to, void *source)
{
	const struct stat_view *v = source;
	set_row(to, source);
	row_number(to, &metrics.process, v->row->process);
	row_number(to, &metrics.file, v->row->file);
	row_number(to, &metrics.object, v->row->object);
}

static void print_flat(struct stat_results *s, const struct print_form *form)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(process), COLUMN(file), COLUMN(object), COLUMN(opens),
	    COLUMN_READ_AS(requests, "reads"), COLUMN_WRITE_AS(requests, "writes"),
	    COLUMN_READ_AS(bytes, "read_bytes"), COLUMN_WRITE_AS(bytes, "written_bytes"),
	    COLUMN(io_ns), COLUMN(followers), COLUMN(sequential), COLUMN(same_size), COLUMN(sizes),
	    COLUMN(name), COLUMN(rank), COLUMN(timed), COLUMN(located), COLUMN(first_ns),
	    COLUMN(last_ns), COLUMN(input));
	static const struct iot_column operations[] =
	    COLUMN_LIST(COLUMN(name), COLUMN(calls), COLUMN(failed), COLUMN(timed),
			COLUMN(operation_ns), COLUMN(operation_kind));
	struct stat_view v = {.results = s, .sizes = stat_sizes_table(&v)};
	struct iot_table rows = TABLE_ROWS(columns, rows_shown(s), set_tsv_row, &v);
	const struct iot_table sampled = TABLE_ROWS(of_samples, rows_shown(s), set_row, &v);
	const struct iot_table calls = TABLE_ROWS(operations, operation_rows(s), set_operation, &v);
	rows.columns -= s->input_count <= 1; /* the last column is the input */
	if (stat_has_samples(s))
		rows = sampled;
	form->print(&s->out, s->by == STAT_BY_OPERATION ? &calls : &rows, NULL);
}

/* JSON */

const char *stat_by_name(int by)
{
	static const char *const names[] = {"file", "process", "object", "rank", "host",
					    "dir",  "input",   "target", "job",  "op"};
	return names[by];
}

#define COUNTERS                                                                                   \
	COLUMN(opens), COLUMN_READ_AS(requests, "reads"), COLUMN_WRITE_AS(requests, "writes"),     \
	    COLUMN_READ_AS(bytes, "read_bytes"), COLUMN_WRITE_AS(bytes, "written_bytes"),          \
	    COLUMN(io_ns), COLUMN(timed), COLUMN(followers), COLUMN(located), COLUMN(sequential),  \
	    COLUMN(same_size), COLUMN(sizes)

struct iot_table stat_counters_table(stat_fill *fill, void *source)
{
	static const struct iot_column columns[] = COLUMN_LIST(COUNTERS);
	return (struct iot_table)TABLE_RECORD(columns, fill, source);
}

struct iot_table stat_values_table(size_t rows, stat_fill *fill, void *source, bool top)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(process), COLUMN(file), COLUMN(object), COLUMN(rank), COLUMN(name),
			COLUMN(first_path), COLUMN(input), COUNTERS, COLUMN(first_ns),
			COLUMN(last_ns), COLUMN(interval));
	struct iot_table t = TABLE_ROWS(columns, rows, fill, source);
	t.columns -= !top;
	return t;
}

struct iot_table stat_calls_table(size_t rows, stat_fill *fill, void *source, bool top)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(name), COLUMN(operation_kind), COLUMN(calls), COLUMN(failed),
			COLUMN(timed), COLUMN(operation_ns), COLUMN(interval));
	struct iot_table t = TABLE_ROWS(columns, rows, fill, source);
	t.columns -= !top;
	return t;
}

static bool knows_durations(const struct iot_stats *stats, int write)
{
	struct iot_stats_latency l;
	iot_stats_latency(stats, write, &l);
	return l.count > 0;
}

static void set_read_durations(struct iot_row *to, void *source)
{
	set_durations(to, source, 0);
}

static void set_write_durations(struct iot_row *to, void *source)
{
	set_durations(to, source, 1);
}

static void set_document(struct iot_row *to, void *source)
{
	const struct stat_view *v = source;
	const struct iot_stats *stats = v->results->stats;
	const uint64_t span = iot_stats_fact(stats, IOT_STATS_SPAN_NS);
	row_word(to, &metrics.by, stat_by_name(v->results->by));
	row_word(to, &metrics.layer, v->results->layer);
	row_table(to, &metrics.rows, &v->rows);
	row_table(to, &metrics.total, &v->total);
	if (knows_durations(stats, 0))
		row_table(to, &metrics.read_durations, &v->direction[0]);
	if (knows_durations(stats, 1))
		row_table(to, &metrics.write_durations, &v->direction[1]);
	row_known(to, &metrics.span_ns, span > 0, span);
	row_table(to, &metrics.operation_list, &v->operations);
	unseen_view_set(to, &v->unseen);
	ties_view_set(to, &v->ties);
}

static void print_nested(struct stat_results *s, const struct print_form *form)
{
	static const struct iot_column document[] =
	    COLUMN_LIST(COLUMN(by), COLUMN(layer), COLUMN(rows), COLUMN(total),
			COLUMN(read_durations), COLUMN(write_durations), COLUMN(span_ns),
			COLUMN(operation_list), COLUMN(unseen), COLUMN(ties));
	static const struct iot_column durations[] =
	    COLUMN_LIST(COLUMN(duration_min_ns), COLUMN(duration_mean_ns), COLUMN(duration_p50_ns),
			COLUMN(duration_p99_ns), COLUMN(duration_max_ns));
	struct stat_view v = {
	    .results = s,
	    .sizes = stat_sizes_table(&v),
	    .total = stat_counters_table(set_total, &v),
	    .direction = {TABLE_RECORD(durations, set_read_durations, &v),
			  TABLE_RECORD(durations, set_write_durations, &v)},
	    .rows = stat_values_table(rows_shown(s), set_row, &v, false),
	    .operations = stat_calls_table(operation_rows(s), set_operation, &v, false),
	};
	if (stat_has_samples(s)) {
		v.total = (struct iot_table)TABLE_RECORD(of_samples, set_total, &v);
		v.rows = (struct iot_table)TABLE_ROWS(of_samples, rows_shown(s), set_row, &v);
	}
	unseen_view(&v.unseen, &s->unseen);
	ties_view(&v.ties, &s->ties, s->in.reader, s->top);
	const struct iot_table table = TABLE_RECORD(document, set_document, &v);
	form->print(&s->out, &table, metrics.rows.name);
}

void stat_print(struct stat_results *s, const struct print_form *form)
{
	(form->is_nested ? print_nested : print_flat)(s, form);
}

/* Text */

static void set_text_row(struct iot_row *to, void *source)
{
	struct stat_view *v = source;
	if (to->number == 0) {
		set_total(to, v);
		row_word(to, &metrics.label, "total");
		return;
	}
	v->row = stat_row_at(v->results, to->number - 1);
	stat_set_counters(to, v);
	row_word(to, &metrics.label, stat_label(v->results, v->row, v->label));
}

static void print_rows(struct stat_results *s, struct stat_view *v)
{
	static const char *const by[] = {"process:file", "process", "file",   "rank", "host",
					 "directory",    "input",   "target", "job",  "all"};
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(opens, 8, 0), TEXT_READ(requests, 9, 0), TEXT_WRITE(requests, 9, 0),
			TEXT_READ(bytes, 10, 0), TEXT_WRITE(bytes, 10, 0), TEXT(io_ns, 11, 6),
			TEXT_UNIT(sequential_share, NULL, 5, 0, TEXT_SIGN),
			TEXT_UNIT(same_size_share, NULL, 5, 0, TEXT_SIGN), TEXT(label, 0, 0));
	static const struct text_column sampled[] =
	    COLUMN_LIST(TEXT(sample_count, 9, 0), TEXT(opens, 8, 0), TEXT_READ(requests, 9, 0),
			TEXT_WRITE(requests, 9, 0), TEXT_READ(bytes, 10, 0),
			TEXT_WRITE(bytes, 10, 0), TEXT(label, 0, 0));
	const uint64_t rows =
	    s->by == STAT_BY_OPERATION ? 0 : iot_stats_fact(s->stats, IOT_STATS_ROWS);
	const struct iot_table table = TABLE_FILLED(1 + rows_shown(s), set_text_row, v);
	if (stat_has_samples(s))
		print_text(&s->out, sampled, COLUMN_COUNT(sampled), by[s->by], &table);
	else
		print_text(&s->out, columns, COLUMN_COUNT(columns), by[s->by], &table);
	if (rows > s->top)
		output_printf(&s->out, "  ... and %ju more; see --top\n",
			      (uintmax_t)(rows - s->top));
}

/* Reads and writes, those that there are. */
static void set_direction(struct iot_row *to, void *source)
{
	const struct stat_view *v = source;
	const bool reads = iot_stats_total(v->results->stats)->reads > 0;
	set_durations(to, v, to->number == 1 || !reads);
}

static void print_durations(struct stat_results *s, struct stat_view *v)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(duration_min_ns, 11, 6), TEXT(duration_mean_ns, 11, 6),
			TEXT(duration_p50_ns, 11, 6), TEXT(duration_p99_ns, 11, 6),
			TEXT(duration_max_ns, 11, 6), TEXT(label, 0, 0));
	const struct iot_stats_row *total = iot_stats_total(s->stats);
	const size_t directions = (size_t)(total->reads > 0) + (total->writes > 0);
	const struct iot_table table = TABLE_FILLED(directions, set_direction, v);
	if (total->timed == 0)
		return;
	output_text(&s->out, "\n");
	print_text(&s->out, columns, COLUMN_COUNT(columns), "duration in s", &table);
}

/* The classes of sizes that occur, each with a bar. */
static void print_sizes(struct stat_results *s, struct stat_view *v)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(size_from, 11, 0), TEXT(ios, 10, 0), TEXT(bar, 0, 0));
	v->row = iot_stats_total(s->stats);
	find_classes(v);
	if (v->sizes.rows == 0)
		return;
	output_text(&s->out, "\n");
	print_text(&s->out, columns, COLUMN_COUNT(columns), NULL, &v->sizes);
}

/* Shows which calls cost the time. */
static void print_operations(struct stat_results *s, struct stat_view *v)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(calls, 9, 0), TEXT(failed, 9, 0), TEXT(operation_ns, 11, 6),
			TEXT(operation_kind, 11, 0), TEXT(name, 0, 0));
	const struct iot_table table = TABLE_FILLED(operation_rows(s), set_operation, v);
	print_text(&s->out, columns, COLUMN_COUNT(columns), "operation", &table);
}

void stat_print_text(struct stat_results *s)
{
	struct stat_view v = {.results = s, .sizes = stat_sizes_table(&v)};
	const bool first = s->by == STAT_BY_OPERATION;
	stat_print_unseen(s);
	if (first) {
		print_operations(s, &v);
		output_text(&s->out, "\n");
	}
	print_rows(s, &v);
	stat_print_unknown(s);
	stat_print_rates(s);
	print_durations(s, &v);
	print_sizes(s, &v);
	if (!first && iot_stats_fact(s->stats, IOT_STATS_OPS) > 0) {
		output_text(&s->out, "\n");
		print_operations(s, &v);
	}
	ties_view(&v.ties, &s->ties, s->in.reader, s->top);
	ties_view_print(&s->out, &v.ties);
}
