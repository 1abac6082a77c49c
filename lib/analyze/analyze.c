/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handle: splits events into runs of records, selects the requests of a run, and passes them to
 * each group of statistics. The state holds integers only; values are computed at the end.
 */
#include <iotrace/analyze.h>

#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/base/options.h"
#include "lib/format/directive.h"
#include "lib/result/names.h"

#include "analyze_internal.h"
#include "batches.h"
#include "cycle_values.h"
#include "host_values.h"
#include "io_time.h"
#include "map.h"
#include "requests_join.h"
#include "sample.h"
#include "saturate.h"
#include "time.h"

static void keep(struct iot_analyze *a, bool done)
{
	if (!done || a->requests.failed)
		a->status = IOT_ENOMEM;
}

static bool needs(const struct iot_analyze *a, unsigned sections)
{
	return (a->options.sections & sections) != 0;
}

/* Ends streams that were replaced or evicted because of the stream limit. */
static void end_streams(struct iot_analyze *a)
{
	for (size_t i = 0; i < a->requests.ended_count; i++)
		batches_end_stream(a, a->requests.ended[i].stream);
	requests_end_replaced(&a->requests);
}

static void flush(struct iot_analyze *a)
{
	batches_add(a);
	requests_limit_streams(&a->requests);
	end_streams(a);
	if (!sample_is_due(a))
		return;
	batches_drain(a);
	keep(a, sample_limit(a));
}

/* Extends the time of the trace. */
static inline void add_time(struct totals_trace *t, const struct iot_record *rec, bool has_duration)
{
	int64_t end;
	if (!has_duration || __builtin_add_overflow(rec->start_ns, (int64_t)rec->duration_ns, &end))
		end = rec->start_ns;
	t->begin_ns = !t->timed || rec->start_ns < t->begin_ns ? rec->start_ns : t->begin_ns;
	t->end_ns = !t->timed || end > t->end_ns ? end : t->end_ns;
	t->first_ns = t->timed ? t->first_ns : rec->start_ns;
	t->out_of_order += t->timed && rec->start_ns < t->last_ns;
	t->last_ns = rec->start_ns;
	t->timed = true;
}

/* Extends it by the records up to the first other event; returns their number. */
static size_t add_times(struct totals_trace *trace, const struct iot_event *ev, size_t n)
{
	struct totals_trace t = *trace;
	size_t i = 0;
	for (; i < n && ev[i].kind == IOT_RECORD; i++) {
		const struct iot_record *rec = &ev[i].rec;
		if ((rec->flags & IOT_START_UNKNOWN) == 0)
			add_time(&t, rec, (rec->flags & IOT_DURATION_UNKNOWN) == 0);
	}
	*trace = t;
	return i;
}

/* Adds the records up to the first other event; returns their number. */
static size_t add_records(struct iot_analyze *a, const struct iot_event *ev, size_t n)
{
	const size_t count = add_times(&a->trace, ev, n);
	requests_add(&a->requests, ev, count);
	flush(a);
	return count;
}

static bool number_of(const struct iot_event *ev, const char *key, uint64_t *value)
{
	const struct iot_text text = iot_directive_get(ev, key);
	return text.data != NULL && number_decimal(text.data, text.size, value);
}

/* Seconds with up to nine decimals, in nanoseconds. Returns 0 if it is none. */
static uint64_t moment_of(const struct iot_event *ev, const char *key)
{
	const struct iot_text text = iot_directive_get(ev, key);
	const char *at = text.data, *end = at != NULL ? at + text.size : at;
	uint64_t seconds, ns = 0, scale = 1000000000;
	if (at == NULL || !number_scan(&at, end, 10, &seconds) || seconds > INT64_MAX / scale)
		return 0;
	if (at < end && *at == '.')
		for (at++; at < end && scale > 1 && number_digit(*at) < 10; at++)
			ns = ns + (scale /= 10) * number_digit(*at);
	return at == end ? seconds * 1000000000 + ns : 0;
}

/*
 * Whether opens that may create the file are `create`, as the source does not show whether they
 * did.
 */
static bool lacks_created(const struct iot_event *trace)
{
	struct iot_text rest = iot_directive_get(trace, "lacks");
	static const char created[] = "created";
	const char *at = rest.data;
	for (size_t left = rest.size; left > 0;) {
		const char *comma = memchr(at, ',', left);
		const size_t size = comma != NULL ? (size_t)(comma - at) : left;
		if (text_equals((struct iot_text){at, size}, created))
			return true;
		left -= size + (comma != NULL);
		at += size + 1;
	}
	return false;
}

static void add_trace(struct iot_analyze *a, const struct iot_event *ev)
{
	struct totals_trace *t = &a->trace;
	const uint64_t start = moment_of(ev, "job-start"), end = moment_of(ev, "job-end");
	uint64_t ranks, epoch;
	if (number_of(ev, "ranks", &ranks))
		t->ranks = ranks;
	if (t->epoch_ns == 0 && !t->timed && !a->options.part && number_of(ev, "epoch", &epoch) &&
	    epoch <= INT64_MAX)
		t->epoch_ns = epoch;
	if (start != 0 && end != 0) {
		t->job_start_ns = start;
		t->job_end_ns = end;
	}
	keep(a, job_define(&a->job, ev));
	t->lacks_created |= lacks_created(ev);
	t->lengths_requested |= text_equals(iot_directive_get(ev, "lengths"), "requested");
}

/* To all layers: the operations of a process belong to each. */
static void add_op_to_layers(struct iot_analyze *a, const struct op *op)
{
	const struct request_operation numbers = requests_operation(&a->requests, op);
	if (numbers.process != SIZE_MAX && needs(a, NEED_BUSY | NEED_BINS | REQUESTS_ROWS))
		batches_add_operation(a, numbers, op);
}

static void add_op(struct iot_analyze *a, const struct iot_event *ev)
{
	if (a->options.physical)
		return;
	const struct op op = operation_of(ev);
	if (op.kind == OPERATION_NAMES && needs(a, NEED_CLASSES))
		keep(a, row_names_rename(&a->names, ev));
	a->trace.operations = true;
	a->trace.opens += op.opens;
	a->trace.created += op.creates;
	if ((a->options.sections & IOT_ANALYZE_METADATA) != 0)
		metadata_add(&a->metadata, &op);
	if (needs(a, IOT_ANALYZE_FINDINGS))
		keep(a, places_add(&a->places, &op));
	if ((ev->has & IOT_HAS_TIME) != 0)
		add_time(&a->trace, &ev->rec, (ev->has & IOT_HAS_TOOK) != 0);
	add_op_to_layers(a, &op);
	const uint32_t stream = requests_close(&a->requests, ev);
	if (stream != 0)
		batches_end_stream(a, stream - 1);
}

static void add_lost(struct iot_analyze *a, const struct iot_event *ev)
{
	uint64_t records;
	a->trace.lost_count++;
	if (number_of(ev, "records", &records))
		a->trace.lost = saturate_add(a->trace.lost, records);
}

static void define_file(struct iot_analyze *a, const struct iot_event *ev)
{
	enum { LAYER, FLAGS, PATH, KEYS };
	static const struct iot_text keys[KEYS] = {
	    [LAYER] = TEXT_OF("layer"), [FLAGS] = TEXT_OF("flags"), [PATH] = TEXT_OF("path")};
	struct iot_text value[KEYS];
	directive_values(ev, keys, KEYS, value);
	requests_define_file(&a->requests, ev, value[LAYER], value[FLAGS]);
	if (needs(a, NEED_CLASSES))
		keep(a, row_names_define_file(&a->names, ev, value[PATH]));
}

/* Counters replace requests in all sections if there are none; then they alone name the files. */
static void add_counter(struct iot_analyze *a, const struct iot_event *ev)
{
	const struct iot_text path = iot_directive_get(ev, "path");
	uint64_t object;
	unseen_add(&a->unseen, ev);
	keep(a, counters_add(&a->counters, &a->requests, ev) && tie_sums_event(&a->ties, ev));
	if (needs(a, NEED_CLASSES) && path.data != NULL && number_of(ev, "object", &object) &&
	    object > 0 && object <= UINT32_MAX)
		keep(a, row_names_set(&a->names, NAME_OBJECT, object, path));
}

static void define_process(struct iot_analyze *a, const struct iot_event *ev)
{
	unseen_add(&a->unseen, ev);
	requests_define_process(&a->requests, ev);
	if (needs(a, NEED_BUSY | IOT_ANALYZE_FILES))
		keep(a, row_names_define_process(&a->names, ev));
}

/* To the first layer: samples are of hosts, not of layers. */
static void add_sample(struct iot_analyze *a, const struct iot_event *ev)
{
	struct layer *l = analyze_layer(a, 0);
	if ((ev->has & IOT_HAS_TIME) != 0)
		add_time(&a->trace, &ev->rec, (ev->has & IOT_HAS_TOOK) != 0);
	keep(a, l != NULL && layer_add_sample(l, ev, a->trace.epoch_ns));
}

static void declare_interval(struct iot_analyze *a, const struct iot_event *trace)
{
	uint64_t interval_ns;
	struct layer *l;
	if (number_of(trace, "interval", &interval_ns) && (l = analyze_layer(a, 0)) != NULL &&
	    l->host_samples.interval_ns == 0)
		l->host_samples.interval_ns = interval_ns;
}

static void define_trace(struct iot_analyze *a, const struct iot_event *ev)
{
	add_trace(a, ev);
	declare_interval(a, ev);
	keep(a, row_names_define_trace(&a->names, ev));
}

static void add_directive(struct iot_analyze *a, const struct iot_event *ev)
{
	if (ev->kind == IOT_OP)
		add_op(a, ev);
	else if (ev->kind == IOT_FILE)
		define_file(a, ev);
	else if (ev->kind == IOT_PROCESS)
		define_process(a, ev);
	else if (ev->kind == IOT_TRACE)
		define_trace(a, ev);
	else if (ev->kind == IOT_LOST)
		add_lost(a, ev);
	else if (ev->kind == IOT_COUNTER)
		add_counter(a, ev);
	else if (directive_is_sample(ev))
		add_sample(a, ev);
	keep(a, true);
}

/*
 * Loads where the %file of the events [*from, to) will be looked up: of many files it is far away.
 */
static void load_files(const struct iot_analyze *a, const struct iot_event *ev, size_t *from,
		       size_t to)
{
	const struct idmap *ids = &a->requests.id_map, *objects = &a->names.of[NAME_OBJECT].map;
	for (; *from < to; ++*from) {
		const struct iot_record *rec = &ev[*from].rec;
		if (ev[*from].kind != IOT_FILE)
			continue;
		idmap_prefetch(ids, idmap_pair(rec->process, rec->file));
		if (rec->object != 0)
			idmap_prefetch(objects, rec->object);
	}
}

int iot_analyze_events(struct iot_analyze *a, const struct iot_event *ev, size_t n)
{
	size_t loaded = 0;
	if (a->finished || a->job.more > 0 || a->whole)
		return IOT_EUSAGE;
	for (size_t i = 0; i < n && a->status == IOT_OK;) {
		if (ev[i].kind == IOT_RECORD) {
			i += add_records(a, ev + i, n - i < REQUESTS_MAX ? n - i : REQUESTS_MAX);
			continue;
		}
		load_files(a, ev, &loaded, n - i < AHEAD_STEPS ? n : i + AHEAD_STEPS);
		add_directive(a, &ev[i++]);
	}
	return a->status;
}

/* Parts */

static void join_layer(struct iot_analyze *a, unsigned i, const struct requests_map *map,
		       struct layer *part)
{
	struct layer *l = a->layers[i] != NULL || part != NULL ? analyze_layer(a, i) : NULL;
	const struct statistic_map numbers = {.numbers = map,
					      .file_keys = a->requests.file_keys,
					      .clocks = a->requests.clocks,
					      .clock_capacity = a->requests.clock_capacity};
	keep(a, l == NULL || layer_join(l, part, &numbers));
}

bool analyze_same_options(const struct iot_analyze *a, const struct iot_analyze *part)
{
	struct iot_analyze_options same = part->options;
	same.part = a->options.part;
	same.epoch_ns = a->options.epoch_ns;
	same.trace_id = a->options.trace_id;
	same.from = a->options.from;
	same.to = a->options.to;
	same.stored = a->options.stored;
	same.first = a->options.first;
	same.last = a->options.last;
	same.parts = a->options.parts;
	same.top = a->options.top;
	same.nodes = a->options.nodes;
	same.offsets = a->options.offsets;
	same.threads = a->options.threads;
	return memcmp(&same, &a->options, sizeof same) == 0;
}

/* Parts of stored traces state their bytes. */
static bool follows(const struct iot_analyze_options *a, const struct iot_analyze_options *part)
{
	return a->stored == 0 || part->stored == 0 ||
	       (part->trace_id == a->trace_id && part->stored == a->stored && part->from == a->to);
}

/* Adds the stored bytes of a part, which may have other neighbours if the trace was cut again. */
static void add_stored(struct iot_analyze_options *a, const struct iot_analyze_options *part)
{
	if (part->stored == 0)
		return;
	a->to = part->to;
	if (a->parts == part->parts && part->last > a->last)
		a->last = part->last;
	else
		a->first = a->last = a->parts = 0;
}

/* Returns NULL if the part can be joined, else why it cannot. */
static const char *why_separate(const struct iot_analyze *a, const struct iot_analyze *part)
{
	if (a->finished || part->finished)
		return "an analysis is finished";
	if (a->job.more > 0 || part->job.more > 0)
		return "an analysis of several traces, which no part follows";
	if (a->whole)
		return "the state of a whole trace, which no part follows";
	if (!part->options.part)
		return "the second analysis is no part that follows another one";
	if (!analyze_same_options(a, part))
		return "the options of the parts differ";
	if (!follows(&a->options, &part->options))
		return "the parts are not neighbours in one trace";
	return NULL;
}

/* A layer that only the part has begins with the heads of what precedes it. */
static void add_heads(struct iot_analyze *a, unsigned i, bool needed)
{
	struct layer *l = a->layers[i] != NULL || needed ? analyze_layer(a, i) : NULL;
	keep(a, l == NULL || layer_add_heads(l, &a->requests));
}

int iot_analyze_join(struct iot_analyze *a, struct iot_analyze *part)
{
	struct requests_map map = {.links = NULL};
	const char *why = why_separate(a, part);
	if (why != NULL)
		return error_refuse(&a->error, why);
	batches_end(a);
	batches_end(part);
	if (a->status == IOT_OK)
		a->status = part->status;
	for (unsigned i = 0; i < LAYERS && a->status == IOT_OK; i++)
		add_heads(a, i, part->layers[i] != NULL);
	map.out_of_order = part->trace.out_of_order > 0;
	if (a->status == IOT_OK)
		keep(a, requests_join(&a->requests, &part->requests, &map));
	for (unsigned i = 0; i < LAYERS && a->status == IOT_OK; i++)
		join_layer(a, i, &map, part->layers[i]);
	requests_limit_streams(&a->requests);
	end_streams(a);
	batches_drain(a);
	keep(a, sample_join(a));
	if (a->status == IOT_OK)
		keep(a, requests_join_clocks(&a->requests, &part->requests, &map));
	if (a->status == IOT_OK)
		keep(a, row_names_join(&a->names, &part->names) && job_join(&a->job, &part->job));
	if (a->status == IOT_OK)
		keep(a, counters_join(&a->counters, &part->counters, map.file));
	totals_join_trace(&a->trace, &part->trace);
	keep(a, tie_sums_join(&a->ties, &part->ties));
	unseen_join(&a->unseen, &part->unseen);
	metadata_join(&a->metadata, &part->metadata);
	keep(a, places_join(&a->places, &part->places));
	add_stored(&a->options, &part->options);
	a->options.offsets &= part->options.offsets;
	requests_map_free(&map);
	iot_analyze_free(part);
	return a->status;
}

int iot_analyze_skip(struct iot_analyze *a, uint64_t to)
{
	static const char lost[] = "%lost why=missing";
	const struct iot_event ev = {.kind = IOT_LOST, .text = {lost, sizeof lost - 1}};
	if (a->finished || a->whole || to <= a->options.to || to > a->options.stored)
		return error_refuse(&a->error, "no bytes of a stored trace to pass over");
	a->options.to = to;
	return iot_analyze_events(a, &ev, 1);
}

/* Results */

static uint64_t requests_of(const struct layer *l)
{
	return l != NULL ? l->totals.io.count[0] + l->totals.io.count[1] : 0;
}

/* The counters that replace requests, if there are none. */
static const struct counters_totals *counted_of(const struct iot_analyze *a)
{
	const bool any = requests_of(a->layers[0]) > 0 || requests_of(a->layers[1]) > 0;
	return any || a->options.physical ? NULL : a->counters.of[COUNTERS_POSIX];
}

/* The samples that replace requests, if there are neither requests nor counters. */
static const struct host_samples *samples_of(const struct iot_analyze *a)
{
	const bool any = requests_of(a->layers[0]) > 0 || requests_of(a->layers[1]) > 0 ||
			 a->counters.of[COUNTERS_POSIX] != NULL;
	return any || a->layers[0] == NULL || a->layers[0]->host_samples.count == 0
		   ? NULL
		   : &a->layers[0]->host_samples;
}

/* The layer to report. */
static unsigned chosen_layer(const struct iot_analyze *a)
{
	if (a->options.layer != IOT_LAYER_LOWEST)
		return a->options.layer - IOT_LAYER_POSIX;
	return requests_of(a->layers[0]) == 0 && requests_of(a->layers[1]) > 0;
}

/*
 * From the start to the end of the job if these are declared and comparable with other times; else
 * the run time that the user states, if that is longer than the trace.
 */
static struct time_span span_of(const struct iot_analyze *a)
{
	const struct totals_trace *t = &a->trace;
	const bool declared = t->epoch_ns != 0 && t->job_start_ns < t->job_end_ns;
	struct time_span span = {
	    .begin_ns = declared ? t->job_start_ns : t->epoch_ns + (uint64_t)t->begin_ns,
	    .end_ns = declared ? t->job_end_ns : t->epoch_ns + (uint64_t)t->end_ns,
	    .runtime_ns = totals_runtime(t, &a->requests),
	    .processes = totals_processes(t, &a->requests),
	    .interval_ns = a->options.interval_ns};
	if (!declared && a->options.runtime_ns > span.end_ns - span.begin_ns)
		span.end_ns = saturate_add(span.begin_ns, a->options.runtime_ns);
	return span;
}

static struct view_source view_of(const struct iot_analyze *a, const struct layer *l)
{
	const struct host_samples *h = samples_of(a);
	if (h != NULL)
		return host_samples_view(h, span_of(a), false);
	return (struct view_source){.cells = &l->cells, .series = &l->series, .span = span_of(a)};
}

static void traces_value(struct iot_analyze *a)
{
	a->values.section = SECTION_OF(traces);
	values_number(&a->values, NAME_OF(traces), NULL, "", a->job.more + 1);
}

static void add_io_time_values(struct iot_analyze *a, const struct layer *l)
{
	const bool counts =
	    !a->trace.operations && !a->options.physical && a->counters.of[COUNTERS_POSIX] != NULL;
	struct io_time_source from = {.busy = &l->busy,
				      .latency = &l->latency,
				      .totals = &l->totals,
				      .counted = counted_of(a),
				      .counters = counts ? &a->counters : NULL,
				      .mpiio = chosen_layer(a) == 1,
				      .runtime_ns = totals_runtime(&a->trace, &a->requests),
				      .processes = totals_processes(&a->trace, &a->requests),
				      .nodes = a->options.nodes};
	if (from.nodes == 0)
		keep(a, row_names_hosts(&a->names, &a->requests, &from.nodes));
	io_time_values(&from, &a->values);
}

static bool add_time_values(struct iot_analyze *a, struct layer *l)
{
	const struct view_source from = view_of(a, l);
	add_io_time_values(a, l);
	const size_t first = a->values.count;
	const bool done = time_values(&from, &a->values);
	if (samples_of(a) != NULL)
		values_note_since(&a->values, first, HOST_SAMPLES_NOTE);
	if (!l->series.any)
		return done;
	arrival_values(&l->arrival, a->job.more == 0, &a->values);
	keep(a, concurrency_end(&l->concurrency));
	concurrency_values(&l->concurrency, from.span.end_ns - from.span.begin_ns,
			   from.span.runtime_ns, io_time_is_unknown(&l->totals, &l->latency),
			   &a->values);
	keep(a, file_users_values(&l->file_users, &a->requests,
				  totals_processes(&a->trace, &a->requests), &a->values));
	return done;
}

static bool add_cycle_values(struct iot_analyze *a, const struct layer *l)
{
	const struct view_source from = view_of(a, l);
	return cycle_values(&from, a->options.threads, &a->values);
}

/* The values of rows, which point into the state. */
static void add_row_values(struct iot_analyze *a, const struct layer *l)
{
	const size_t top = (size_t)a->options.top;
	const struct table_source from = {.layer = chosen_layer(a),
					  .requests = &a->requests,
					  .rows = &l->rows,
					  .busy = &l->busy,
					  .order = &l->order,
					  .reuse = &l->reuse,
					  .classes = &a->classes,
					  .names = &a->names,
					  .counted = counted_of(a),
					  .samples = samples_of(a),
					  .metadata =
					      needs(a, IOT_ANALYZE_METADATA) ? &a->metadata : NULL,
					  .processes = totals_processes(&a->trace, &a->requests),
					  .shows_opens = a->trace.opens > 0,
					  .shows_operations = a->trace.operations};
	keep(a, table_make(&a->table, &from));
	a->table.values.inexact = a->values.inexact;
	if (a->status == IOT_OK && needs(a, IOT_ANALYZE_FILES))
		keep(a, sharing_values(&a->table, top, &a->values));
	if (a->status == IOT_OK && needs(a, IOT_ANALYZE_PROCESSES))
		keep(a, balance_values(&a->table, top, &a->values));
}

static void add_reuse_values(struct iot_analyze *a, const struct layer *l)
{
	const struct iot_analyze_value *time =
	    iot_analyze_find(a, VALUE(totals, running_time_s), NULL);
	const double running_s = time != NULL ? time->real : 0;
	if (needs(a, NEED_CLASSES))
		keep(a, classes_find(&a->classes, &a->requests, &l->reuse, &a->names));
	if (counted_of(a) != NULL)
		return; /* counters do not contain offsets */
	if (needs(a, IOT_ANALYZE_REUSE))
		reuse_values(&l->reuse, &a->values);
	if (needs(a, IOT_ANALYZE_REUSE) && a->options.dependencies)
		keep(a, dependencies_values(&l->dependencies, &a->requests, (size_t)a->options.top,
					    &a->values));
	if (needs(a, IOT_ANALYZE_REUSE) && a->options.working_set)
		keep(a, working_set_values(&l->working_set, span_of(a).begin_ns, &a->values));
	if (a->status == IOT_OK && needs(a, IOT_ANALYZE_CLASSES))
		classes_values(&a->classes, &l->reuse, running_s, &a->values);
}

uint32_t iot_analyze_section_bit(const char *name, size_t size)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} sections[] = {
#define SECTION(name, bit) {#name, bit},
#include "lib/result/section_list.h"
#undef SECTION
	};
	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
		if (strlen(sections[i].name) == size && memcmp(name, sections[i].name, size) == 0)
			return sections[i].bit;
	return 0;
}

/* Other values, such as values of section `trace`, are always shown. */
static bool is_shown(const char *section, unsigned sections)
{
	const uint32_t bit = iot_analyze_section_bit(section, strlen(section));
	return bit == 0 || bit == IOT_ANALYZE_TOTALS || (sections & bit) != 0;
}

static void add_map(struct iot_analyze *a)
{
	struct map_source from = {.small = a->options.small};
	for (unsigned i = 0; i < LAYERS; i++)
		if (a->layers[i] != NULL)
			memcpy(from.requests[i], a->layers[i]->totals.io.count,
			       sizeof from.requests[i]);
	if (needs(a, IOT_ANALYZE_MAP))
		map_values(&from, &a->values);
}

static void add_findings(struct iot_analyze *a, const struct layer *l)
{
	const struct findings_source from = {.values = &a->values,
					     .table = &a->table,
					     .counters = &a->counters,
					     .options = &a->options,
					     .metadata = &a->metadata,
					     .op_times = &l->op_times,
					     .slow_calls = &l->slow_calls,
					     .concurrency = &l->concurrency,
					     .places = &a->places};
	if (a->status != IOT_OK || !needs(a, IOT_ANALYZE_FINDINGS))
		return;
	findings_find(&a->findings, &from);
	findings_values(&a->findings, &a->values);
}

/* Nothing if no limit was reached. */
static void add_limit_values(struct iot_analyze *a, const struct layer *l)
{
	a->values.section = SECTION_OF(limits);
	if (a->requests.sample_bits > 0)
		values_number(&a->values, NAME_OF(files), NULL, "",
			      (uint64_t)1 << a->requests.sample_bits);
	if (a->requests.streams_limited > 0)
		values_number(&a->values, NAME_OF(streams), NULL, "", a->requests.streams_limited);
	if (a->requests.operations_limited > 0)
		values_number(&a->values, NAME_OF(operations), NULL, "",
			      a->requests.operations_limited);
	if (l->reuse.round > 0)
		values_number(&a->values, NAME_OF(ranges), NULL, "bytes",
			      (uint64_t)1 << l->reuse.round);
	if (l->file_users.coarser > 0)
		values_number(&a->values, NAME_OF(file_bins), NULL, "",
			      (uint64_t)1 << l->file_users.coarser);
	if (a->names.omitted > 0)
		values_number(&a->values, NAME_OF(names), NULL, "", a->names.omitted);
}

static void add_metadata_values(struct iot_analyze *a, const struct layer *l)
{
	const struct counters_totals *counted = counted_of(a);
	const uint64_t *n = counted != NULL ? &counted->sum[COUNTERS_REQUESTS] : NULL;
	metadata_values(&a->metadata, a->trace.opens,
			counted != NULL ? counters_files(counted)
					: totals_files(&l->totals, &a->requests, chosen_layer(a)),
			n != NULL ? saturate_add(n[0], n[1]) : requests_of(l),
			a->options.physical ? NULL : a->counters.of[COUNTERS_POSIX], &a->values);
}

static void add_totals(struct iot_analyze *a, const struct layer *l)
{
	const struct host_samples *h = samples_of(a);
	const struct totals_io io = h != NULL ? host_samples_io(h) : l->totals.io;
	totals_values(&l->totals, &a->trace, &a->requests, chosen_layer(a), counted_of(a),
		      h != NULL ? &io : NULL, &a->values);
}

static void add_size_values(struct iot_analyze *a, const struct layer *l)
{
	const struct host_samples *h = samples_of(a);
	const size_t first = a->values.count;
	sizes_values(h != NULL ? &h->sizes : &l->sizes, &a->options, counted_of(a), &a->values);
	if (h != NULL)
		values_note_since(&a->values, first, HOST_SIZES_NOTE);
}

/* Section samples, also beside requests. */
static void add_sample_values(struct iot_analyze *a)
{
	const struct layer *l = a->layers[0];
	if (samples_of(a) != NULL)
		host_samples_forget(&a->values);
	if (a->status == IOT_OK && l != NULL && l->host_samples.count > 0)
		keep(a, host_samples_values(&l->host_samples, span_of(a), &a->values));
	if (samples_of(a) != NULL)
		host_samples_correct(samples_of(a), &a->values);
}

int iot_analyze_finish(struct iot_analyze *a)
{
	if (a->finished)
		return IOT_EUSAGE;
	a->finished = true;
	batches_end(a);
	const unsigned chosen = chosen_layer(a);
	a->trace.left_out = requests_of(a->layers[!chosen]);
	a->values.inexact = a->job.more > 0 ? VALUES_UNORDERED : VALUES_INEXACT;
	struct layer *l = analyze_layer(a, chosen);
	if (a->status != IOT_OK)
		return a->status;
	keep(a, layer_end(l) && sample_end(a) && layer_settle(l));
	sample_mark(a);
	keep(a, row_names_follow(&a->names));
	row_names_values(&a->names, &a->values);
	job_values(&a->job, &a->values);
	unseen_values(&a->unseen, &a->values);
	add_totals(a, l);
	if (a->job.more > 0)
		traces_value(a);
	if (a->options.sections & IOT_ANALYZE_SIZES)
		add_size_values(a, l);
	if (needs(a, IOT_ANALYZE_ORDER)) {
		order_values(&l->order, counted_of(a), &a->values);
		keep(a, repetition_values(&l->repetition, &a->values));
	}
	if (a->status == IOT_OK && needs(a, IOT_ANALYZE_TIME))
		keep(a, add_time_values(a, l));
	if (a->status == IOT_OK && needs(a, IOT_ANALYZE_CYCLES))
		keep(a, add_cycle_values(a, l));
	if (a->options.sections & IOT_ANALYZE_METADATA)
		add_metadata_values(a, l);
	if (needs(a, IOT_ANALYZE_COUNTERS))
		counters_values(&a->counters, &a->values);
	add_reuse_values(a, l);
	add_row_values(a, l);
	add_sample_values(a);
	tie_values(&a->ties, &a->names, (size_t)a->options.top, &a->values);
	add_limit_values(a, l);
	sample_note(a);
	add_map(a);
	add_findings(a, l);
	if (a->shown != 0)
		values_filter(&a->values, is_shown, a->shown);
	keep(a, !a->values.failed);
	return a->status;
}

const struct iot_analyze_value *iot_analyze_value(const struct iot_analyze *a, size_t i)
{
	return i < a->values.count ? &a->values.value[i] : NULL;
}

const struct iot_analyze_value *iot_analyze_find(const struct iot_analyze *a, const char *section,
						 const char *name, const char *key)
{
	return values_find(&a->values, section, name, key);
}

static unsigned section_of(enum iot_analyze_by by)
{
	return by == IOT_ANALYZE_BY_FILE || by == IOT_ANALYZE_BY_DIRECTORY ? IOT_ANALYZE_FILES
	       : by == IOT_ANALYZE_BY_OPERATION                            ? IOT_ANALYZE_METADATA
									   : IOT_ANALYZE_PROCESSES;
}

ssize_t iot_analyze_rows(struct iot_analyze *a, enum iot_analyze_by by)
{
	const bool known = a->finished && a->status == IOT_OK && needs(a, section_of(by));
	return known ? table_sort(&a->table, by) : 0;
}

int iot_analyze_row(struct iot_analyze *a, size_t i, struct iot_analyze_row *row)
{
	return table_row(&a->table, i, row);
}

/*
 * Cells have the numbers of processes, or of hosts; the result has the ids of processes, or the
 * positions of hosts. Returns false if out of memory.
 */
static bool set_process_ids(struct iot_analyze *a, size_t count)
{
	const struct host_samples *h = samples_of(a);
	uint32_t *position = h != NULL ? host_samples_order(h) : NULL;
	const bool done = h == NULL || position != NULL;
	for (size_t i = 0; i < count && done; i++) {
		struct iot_analyze_cell *cell = &a->over_time.cells[i];
		cell->process = h != NULL ? position[cell->process]
					  : (uint32_t)a->requests.process_map.keys[cell->process];
	}
	free(position);
	return done;
}

int iot_analyze_timeline(struct iot_analyze *a, size_t max, struct iot_analyze_timeline *to)
{
	if (!a->finished || a->status != IOT_OK || !needs(a, IOT_ANALYZE_TIME))
		return IOT_EUSAGE;
	const struct layer *l = a->layers[chosen_layer(a)];
	const struct view_source from = view_of(a, l);
	if (!over_time_make(&a->over_time, &from, max, to) || !set_process_ids(a, to->cell_count))
		return IOT_ENOMEM;
	to->has_epoch = a->trace.epoch_ns != 0;
	to->epoch_ns = a->trace.epoch_ns;
	return IOT_OK;
}

static int by_table_rank(const void *left, const void *right)
{
	return table_precedes(left, right) ? -1 : table_precedes(right, left);
}

/* Stores the number of the file with offsets that is i-th by bytes. Returns an enum iot_status. */
static int offsets_file(const struct iot_analyze *a, const struct offsets *o, size_t i,
			size_t *file)
{
	struct table_rank *ranks = malloc((o->file_capacity + 1) * sizeof *ranks);
	size_t count = 0;
	if (ranks == NULL)
		return IOT_ENOMEM;
	for (size_t k = 0; k < o->file_capacity; k++) {
		if (o->files[k].rows == NULL)
			continue;
		ranks[count] = table_file_rank(&a->table, k);
		ranks[count++].first = o->files[k].bytes;
	}
	qsort(ranks, count, sizeof *ranks, by_table_rank);
	if (i < count)
		*file = ranks[i].number;
	free(ranks);
	return i < count ? IOT_OK : IOT_EUSAGE;
}

int iot_analyze_offsets(struct iot_analyze *a, size_t i, struct iot_analyze_offsets *to)
{
	const struct offsets_map *map = &a->offsets;
	size_t file;
	if (!a->finished || a->status != IOT_OK || !a->options.offsets)
		return IOT_EUSAGE;
	const struct layer *l = a->layers[chosen_layer(a)];
	const uint64_t begin_ns = span_of(a).begin_ns;
	const int status = offsets_file(a, &l->offsets, i, &file);
	if (status != IOT_OK)
		return status;
	if (!offsets_map(&l->offsets, file, &a->offsets))
		return IOT_ENOMEM;
	const struct file_key *key = &a->requests.file_keys[file];
	table_file_key(a->offsets_key, key);
	*to = (struct iot_analyze_offsets){.key = {a->offsets_key, strlen(a->offsets_key)},
					   .path = row_names_path(&a->names, key),
					   .width_s = map->width_s,
					   .begin_s = over_time_seconds(begin_ns, map->first_ns),
					   .bins = map->bins,
					   .block_bytes = map->block_bytes,
					   .count = map->count,
					   .cells = map->cells,
					   .sampled =
					       l->offsets.level > 0 || a->requests.sample_bits > 0};
	return IOT_OK;
}

/* Handles */

bool analyze_options_are_valid(const struct iot_analyze_options *o)
{
	return (o->sections & ~(unsigned)SECTIONS) == 0 && o->physical <= 1 &&
	       o->layer <= IOT_LAYER_MPIIO && o->per_thread <= 1 && o->part <= 1 &&
	       o->working_set <= 1 && o->dependencies <= 1 && o->offsets <= 1 &&
	       (o->part == 1 || o->epoch_ns == 0) && o->epoch_ns <= INT64_MAX &&
	       (o->alignment & (o->alignment - 1)) == 0;
}

static void set_defaults(struct iot_analyze_options *o)
{
	o->sections = o->sections != 0 ? o->sections : SECTIONS;
	o->small = o->small != 0 ? o->small : 1 << 20;
	o->large = o->large != 0 ? o->large : 4 << 20;
	o->alignment = o->alignment != 0 ? o->alignment : 4096;
	o->top = o->top != 0 ? o->top : 10;
}

struct iot_analyze *iot_analyze_new(const struct iot_analyze_options *options)
{
	struct iot_analyze *a = calloc(1, sizeof *a);
	if (a == NULL)
		return NULL;
	if (!options_copy(&a->options, sizeof a->options, options) ||
	    !analyze_options_are_valid(&a->options)) {
		free(a);
		return NULL;
	}
	a->shown = a->options.sections;
	a->options.sections |= needs(a, IOT_ANALYZE_FINDINGS) ? SECTIONS
			       : needs(a, IOT_ANALYZE_MAP)    ? MAP_REFERS
							      : 0;
	set_defaults(&a->options);
	a->requests.options = a->options;
	a->trace.epoch_ns = a->options.epoch_ns;
	if (batches_new(a))
		return a;
	iot_analyze_free(a);
	return NULL;
}

void iot_analyze_free(struct iot_analyze *a)
{
	if (a == NULL)
		return;
	batches_free(a);
	for (unsigned i = 0; i < LAYERS; i++)
		layer_free(a->layers[i]);
	requests_free(&a->requests);
	row_names_free(&a->names);
	job_free(&a->job);
	counters_free(&a->counters);
	tie_sums_free(&a->ties);
	table_free(&a->table);
	classes_free(&a->classes);
	findings_free(&a->findings);
	places_free(&a->places);
	over_time_free(&a->over_time);
	free(a->offsets.cells);
	values_free(&a->values);
	free(a);
}
