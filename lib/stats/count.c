/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the events of a trace. */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>

#include "lib/base/number.h"
#include "lib/format/directive.h"
#include "lib/format/lacks.h"

static uint32_t find_row(struct iot_stats *s, const struct iot_record *rec, uint32_t own)
{
	if (by_process(s))
		return stats_group_row(s, rec->process);
	if (by_object(s) && rec->object != 0)
		return stats_group_row(s, rec->object);
	return own ? own : stats_add_row(s, rec->process, rec->file, rec->object);
}

/* The row of a record or of a directive about a file; *opened is its file. */
static struct stats_row *row_of(struct iot_stats *s, const struct iot_record *rec,
				struct opened **opened)
{
	struct opened *o = opened_of(s, rec->process, rec->file);
	if (!o)
		return NULL;
	bool fresh = o->row == 0;
	if (fresh || (rec->object != 0 && o->object != rec->object)) {
		o->row = find_row(s, rec, s->options.by == IOT_STATS_BY_FILE ? o->row : 0);
		o->object = rec->object;
	}
	if (o->row == 0)
		return NULL;
	struct stats_row *row = &s->rows[o->row - 1];
	row->values.files += fresh;
	if (fresh)
		o->first_row = o->row;
	if (s->options.by == IOT_STATS_BY_FILE)
		row->values.object = o->object;
	*opened = o;
	return row;
}

static unsigned size_class(uint64_t length)
{
	unsigned k = length == 0 ? 0 : 64U - (unsigned)__builtin_clzll(length);
	return k < IOT_SIZE_CLASSES ? k : IOT_SIZE_CLASSES - 1;
}

static void extend_end(struct iot_stats *s, const struct iot_record *rec)
{
	const bool timed = (rec->flags & IOT_DURATION_UNKNOWN) == 0;
	const int64_t end = rec->start_ns + (timed ? (int64_t)rec->duration_ns : 0);
	s->end_ns = end > s->end_ns ? end : s->end_ns;
}

static void count_record(struct iot_stats *s, const struct iot_record *rec)
{
	const bool unknown = (rec->flags & IOT_OFFSET_UNKNOWN) != 0;
	bool physical = (rec->type & IOT_LOGICAL) == 0;
	struct opened *o;
	if (physical != (s->options.physical != 0)) {
		s->left_out++;
		return;
	}
	operations_record(&s->operations, rec);
	struct stats_row *row = by_samples(s) ? NULL : row_of(s, rec, &o);
	if (!row)
		return;
	struct iot_stats_row *f = &row->values;
	uint64_t bytes = physical ? rec->length * IOT_BLOCK_SIZE : rec->length;
	bool write = (rec->type & IOT_WRITE) != 0;
	if ((rec->flags & IOT_START_UNKNOWN) == 0) {
		stats_extend_span(f, rec->start_ns, rec->start_ns);
		extend_end(s, rec);
	}
	f->reads += !write;
	f->writes += write;
	f->read_bytes += write ? 0 : bytes;
	f->written_bytes += write ? bytes : 0;
	if ((rec->flags & IOT_DURATION_UNKNOWN) == 0) {
		f->timed++;
		f->io_ns += rec->duration_ns;
		histogram_add(&s->durations[write], rec->duration_ns);
	}
	if (o->active)
		stats_count_follower(f, o, rec->offset, rec->length, unknown);
	s->failed |= !size_counts_add(&row->sizes, size_class(bytes), 1);
	if (!o->active) {
		o->first_io_row = o->row & FIRST_IO_ROW_MASK;
		o->first_offset = rec->offset;
		o->first_length = rec->length;
		o->first_unknown = unknown;
	}
	o->active = true;
	o->unknown = unknown;
	o->end = rec->offset + rec->length;
	o->length = rec->length;
}

/* An %op names its file only if no %file does. */
static void keep_name(struct iot_stats *s, struct stats_row *row, const struct iot_event *ev,
		      const char *key)
{
	if (ev->kind == IOT_OP && (row->values.has & IOT_STATS_NAME_DEFINED))
		return;
	const struct iot_text value = iot_directive_get(ev, key);
	if (value.data == NULL)
		return;
	stats_row_name_encoded(s, row, value);
	row->values.has |= ev->kind != IOT_OP ? (unsigned)IOT_STATS_NAME_DEFINED : 0U;
}

/* A successful open. If its file has no other name, the path becomes the name. */
static void count_op(struct iot_stats *s, const struct iot_event *ev)
{
	struct opened *o;
	if (s->options.physical)
		return;
	const struct op op = operation_of(ev);
	operations_op(&s->operations, &op);
	if (!op.opens || by_samples(s))
		return;
	struct stats_row *row = row_of(s, &ev->rec, &o);
	if (!row)
		return;
	row->values.opens++;
	if (stats_names_files(s, row))
		keep_name(s, row, ev, "path");
}

static void count_file(struct iot_stats *s, const struct iot_event *ev)
{
	struct opened *o;
	bool disk = (ev->has & IOT_HAS_DISK) != 0;
	const bool counts = !by_samples(s) && disk == (s->options.physical != 0);
	struct stats_row *row = counts ? row_of(s, &ev->rec, &o) : NULL;
	if (row && stats_names_files(s, row))
		keep_name(s, row, ev, "path");
}

/* A program that was not seen has no row: what it did is unknown, not 0. */
static void count_process(struct iot_stats *s, const struct iot_event *ev)
{
	const struct iot_text traced = iot_directive_get(ev, "traced");
	const bool seen = traced.size != 2 || memcmp(traced.data, "no", 2) != 0;
	const size_t row = by_process(s) && seen ? stats_group_row(s, ev->rec.process) : 0;
	const struct iot_text text = iot_directive_get(ev, "rank");
	uint64_t rank;
	if (row > 0)
		keep_name(s, &s->rows[row - 1], ev,
			  s->options.by == IOT_STATS_BY_HOST ? "host" : "name");
	if (text.data != NULL && number_decimal(text.data, text.size, &rank) && rank < UINT64_MAX)
		stats_set_rank(s, ev->rec.process, rank + 1);
}

static void set_trace_host(struct iot_stats *s, struct iot_text host)
{
	char *name = host.data != NULL && s->trace_host == NULL ? malloc(host.size + 1) : NULL;
	if (name == NULL) {
		s->failed |= host.data != NULL && s->trace_host == NULL;
		return;
	}
	s->trace_host_size = iot_percent_decode(host, name, NULL);
	s->trace_host = name;
}

static void count_trace(struct iot_stats *s, const struct iot_event *ev)
{
	if (s->options.by == IOT_STATS_BY_HOST)
		set_trace_host(s, iot_directive_get(ev, "host"));
	const struct iot_text layer = iot_directive_get(ev, "layer");
	if (layer.data != NULL && memchr(layer.data, ',', layer.size) != NULL)
		s->layers = true;
	const struct iot_text epoch = iot_directive_get(ev, "epoch");
	uint64_t epoch_ns;
	if (s->epoch_ns == 0 && epoch.data != NULL &&
	    number_decimal(epoch.data, epoch.size, &epoch_ns) && epoch_ns <= INT64_MAX)
		s->epoch_ns = epoch_ns;
	unsigned lacks;
	if (iot_directive_lacks(ev, &lacks))
		s->no_offsets = (lacks & IOT_OFFSET_UNKNOWN) != 0;
	s->no_results |= (lacks_of(ev) & LACK_RESULTS) != 0;
}

static void count_counter(struct iot_stats *s, const struct iot_event *ev)
{
	s->counters++;
	s->file_counters += (ev->has & (IOT_HAS_FILE | IOT_HAS_OBJECT)) != 0 ||
			    iot_directive_get(ev, "path").data != NULL;
}

int iot_stats_events(struct iot_stats *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD)
			count_record(s, &ev[i].rec);
		else if (ev[i].kind == IOT_OP)
			count_op(s, &ev[i]);
		else if (ev[i].kind == IOT_FILE)
			count_file(s, &ev[i]);
		else if (ev[i].kind == IOT_PROCESS)
			count_process(s, &ev[i]);
		else if (ev[i].kind == IOT_TRACE)
			count_trace(s, &ev[i]);
		else if (ev[i].kind == IOT_COUNTER)
			count_counter(s, &ev[i]);
		else if (directive_is_sample(&ev[i]))
			stats_count_sample(s, &ev[i]);
	}
	return stats_result(s);
}
