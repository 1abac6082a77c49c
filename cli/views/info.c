/* SPDX-License-Identifier: BSD-2-Clause */
#include "info.h"

#include <string.h>

#include "cli/print/json.h"
#include "lib/result/columns.h"
#include "unseen.h"

struct ways_view {
	const struct ways *ways;
	bool known;
};

struct info_view {
	const char *path;
	const struct info *info;
	const struct trace_in *in;
	struct iot_table logical, physical;
	struct unseen_view unseen;
};

static void set_ways(struct iot_row *to, void *source)
{
	const struct ways_view *view = source;
	if (!view->known)
		return;
	row_counts(to, &metrics.requests, view->ways->records);
	row_counts(to, &metrics.bytes, view->ways->bytes);
}

static uint64_t fact(const struct info_view *view, enum iot_fact what)
{
	return iot_reader_fact(view->in->reader, what);
}

static void set_reported(struct iot_row *to, const struct info *f)
{
	static const struct iot_metric *const metric[KEYS] = {
	    [KEY_SOURCE] = &metrics.source,  [KEY_COMMAND] = &metrics.command,
	    [KEY_HOST] = &metrics.host,      [KEY_USER] = &metrics.user,
	    [KEY_EPOCH] = &metrics.epoch_ns, [KEY_LACKS] = &metrics.lacks,
	    [KEY_LAYER] = &metrics.layer,    [KEY_LENGTHS] = &metrics.lengths,
	    [KEY_CLOCKS] = &metrics.clocks,  [KEY_SEEN] = &metrics.seen,
	};
	uint64_t epoch;
	for (int i = 0; i < KEYS; i++)
		if (i != KEY_EPOCH)
			row_text(to, metric[i], f->reported[i].text, f->reported[i].size);
		else if (info_epoch(f, &epoch))
			row_number(to, metric[i], epoch);
		else
			row_absent(to, metric[i]);
}

static void set_span(struct iot_row *to, const struct info *f)
{
	if (f->any) {
		row_signed(to, &metrics.first_ns, f->first_ns);
		row_signed(to, &metrics.last_start_ns, f->last_ns);
	}
	if (f->any_end)
		row_signed(to, &metrics.last_end_ns, f->completed_ns);
}

static void set_counts(struct iot_row *to, const struct info_view *view)
{
	const struct info *f = view->info;
	row_number(to, &metrics.records, fact(view, IOT_FACT_RECORDS));
	row_number(to, &metrics.comments, fact(view, IOT_FACT_COMMENTS));
	row_number(to, &metrics.counters, f->counters);
	row_table(to, &metrics.logical, &view->logical);
	row_table(to, &metrics.physical, &view->physical);
	row_number(to, &metrics.unknown_offsets, f->unknown_offsets);
	row_number(to, &metrics.unknown_durations, f->unknown_durations);
	row_number(to, &metrics.unknown_cpu, f->unknown_cpu);
	row_number(to, &metrics.unknown_starts, f->unknown_starts);
	row_number(to, &metrics.traces, f->traces);
	row_number(to, &metrics.gaps, f->gaps);
	row_known(to, &metrics.lost_records, f->any_lost || f->gaps == 0, f->lost_records);
	unseen_view_set(to, &view->unseen);
	const bool known = info_has_ios(f, view->in);
	row_known(to, &metrics.processes, known && !f->no_processes, f->processes.count);
	row_known(to, &metrics.files, known, f->files.count);
	row_known(to, &metrics.objects, known, f->objects.count);
}

/* Sets how the trace is written, which does not apply to a log. */
static void set_storage(struct iot_row *to, const struct info_view *view)
{
	row_number(to, &metrics.tick_ns, fact(view, IOT_FACT_TICK_NS));
	if (view->in->log != NULL)
		return;
	row_number(to, &metrics.base, fact(view, IOT_FACT_BASE));
	row_number(to, &metrics.sync, fact(view, IOT_FACT_SYNC));
	row_word(to, &metrics.compression, info_compression(view->in));
	row_number(to, &metrics.text_bytes, fact(view, IOT_FACT_BYTES_TEXT));
	row_number(to, &metrics.stored_bytes, fact(view, IOT_FACT_BYTES_STORED));
}

static void set_info(struct iot_row *to, void *source)
{
	const struct info_view *view = source;
	const char *state = info_state(view->info, view->in);
	row_word(to, &metrics.path, view->path);
	row_word(to, &metrics.format, view->in->log);
	row_text(to, &metrics.state, state, strcspn(state, ","));
	row_known(to, &metrics.framed, view->in->log == NULL, fact(view, IOT_FACT_FRAMED) != 0);
	set_reported(to, view->info);
	set_counts(to, view);
	set_span(to, view->info);
	set_storage(to, view);
}

static const struct iot_column way_columns[] =
    COLUMN_LIST(COLUMN_READ_AS(requests, "reads"), COLUMN_WRITE_AS(requests, "writes"),
		COLUMN_READ_AS(bytes, "read_bytes"), COLUMN_WRITE_AS(bytes, "written_bytes"));

static const struct iot_column info_columns[] = COLUMN_LIST(
    COLUMN(path), COLUMN(format), COLUMN(state), COLUMN(framed), COLUMN(source), COLUMN(command),
    COLUMN(host), COLUMN(user), COLUMN(epoch_ns), COLUMN(lacks), COLUMN(layer), COLUMN(lengths),
    COLUMN(clocks), COLUMN(seen), COLUMN(records), COLUMN(comments), COLUMN(counters),
    COLUMN(logical), COLUMN(physical), COLUMN(unknown_offsets), COLUMN(unknown_durations),
    COLUMN(unknown_cpu), COLUMN(unknown_starts), COLUMN(traces), COLUMN(gaps), COLUMN(lost_records),
    COLUMN(unseen), COLUMN(processes), COLUMN(files), COLUMN(objects), COLUMN(first_ns),
    COLUMN(last_start_ns), COLUMN(last_end_ns), COLUMN(tick_ns), COLUMN(base), COLUMN(sync),
    COLUMN(compression), COLUMN(text_bytes), COLUMN(stored_bytes));

void info_print_json(struct output *o, const char *path, const struct info *f,
		     const struct trace_in *in)
{
	const bool known = info_has_ios(f, in);
	struct ways_view logical = {&f->logical, known}, physical = {&f->physical, known};
	struct info_view view = {
	    .path = path,
	    .info = f,
	    .in = in,
	    .logical = TABLE_RECORD(way_columns, set_ways, &logical),
	    .physical = TABLE_RECORD(way_columns, set_ways, &physical),
	};
	const struct iot_table table = TABLE_RECORD(info_columns, set_info, &view);
	unseen_view(&view.unseen, &f->unseen);
	print_json_compact(o, &table);
}
