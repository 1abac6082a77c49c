/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the events of a trace to an analysis. */
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/number.h"
#include "lib/format/directive.h"
#include "lib/format/lacks.h"

#include "analyze_internal.h"
#include "batches.h"
#include "sample.h"

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
	batches_add(a, ev, count);
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
	analyze_keep(a, job_define(&a->job, ev));
	t->lacks |= lacks_of(ev);
	t->lengths_requested |= text_equals(iot_directive_get(ev, "lengths"), "requested");
}

/* To all layers: the operations of a process belong to each. */
static void add_op_to_layers(struct iot_analyze *a, const struct op *op)
{
	const struct request_operation numbers = requests_operation(&a->requests, op);
	if (numbers.process != SIZE_MAX && analyze_needs(a, NEED_BUSY | NEED_BINS | REQUESTS_ROWS))
		batches_add_operation(a, numbers, op);
}

static void add_op(struct iot_analyze *a, const struct iot_event *ev)
{
	if (a->options.physical)
		return;
	const struct op op = operation_of(ev);
	if (op.kind == OPERATION_NAMES && analyze_needs(a, NEED_CLASSES))
		analyze_keep(a, row_names_rename(&a->names, ev));
	a->trace.operations = true;
	a->trace.opens += op.opens;
	a->trace.created += op.creates;
	if ((a->options.sections & IOT_ANALYZE_METADATA) != 0)
		metadata_add(&a->metadata, &op);
	if (analyze_needs(a, IOT_ANALYZE_FINDINGS))
		analyze_keep(a, places_add(&a->places, &op));
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
	if (analyze_needs(a, NEED_CLASSES))
		analyze_keep(a, row_names_define_file(&a->names, ev, value[PATH]));
}

/* Counters replace requests in all sections if there are none; then they alone name the files. */
static void add_counter(struct iot_analyze *a, const struct iot_event *ev)
{
	const struct iot_text path = iot_directive_get(ev, "path");
	uint64_t object;
	unseen_add(&a->unseen, ev);
	analyze_keep(a,
		     counters_add(&a->counters, &a->requests, ev) && tie_sums_event(&a->ties, ev));
	if (analyze_needs(a, NEED_CLASSES) && path.data != NULL &&
	    number_of(ev, "object", &object) && object > 0 && object <= UINT32_MAX)
		analyze_keep(a, row_names_set(&a->names, NAME_OBJECT, object, path));
}

static void define_process(struct iot_analyze *a, const struct iot_event *ev)
{
	unseen_add(&a->unseen, ev);
	requests_define_process(&a->requests, ev);
	if (analyze_needs(a, NEED_BUSY | IOT_ANALYZE_FILES))
		analyze_keep(a, row_names_define_process(&a->names, ev));
}

/* To the first layer: samples are of hosts, not of layers. */
static void add_sample(struct iot_analyze *a, const struct iot_event *ev)
{
	struct layer *l = analyze_layer(a, 0);
	if ((ev->has & IOT_HAS_TIME) != 0)
		add_time(&a->trace, &ev->rec, (ev->has & IOT_HAS_TOOK) != 0);
	analyze_keep(a, l != NULL && layer_add_sample(l, ev, a->trace.epoch_ns));
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
	analyze_keep(a, row_names_define_trace(&a->names, ev));
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
	analyze_keep(a, true);
}

/*
 * Loads where the %file of the events [*from, to) will be looked up: of many files it is far away.
 */
static void load_files(const struct iot_analyze *a, const struct iot_event *ev, size_t *from,
		       size_t to)
{
	const struct idmap *ids = &a->requests.file_ids.map,
			   *objects = &a->names.of[NAME_OBJECT].map;
	for (; *from < to; ++*from) {
		const struct iot_record *rec = &ev[*from].rec;
		if (ev[*from].kind != IOT_FILE)
			continue;
		idmap_prefetch(ids, idmap_pair(rec->process, rec->file));
		if (rec->object != 0)
			idmap_prefetch(objects, rec->object);
	}
}

int analyze_add(struct iot_analyze *a, const struct iot_event *ev, size_t n)
{
	size_t loaded = 0;
	for (size_t i = 0; i < n && a->status == IOT_OK;) {
		if (ev[i].kind == IOT_RECORD) {
			i += add_records(a, ev + i, n - i < REQUESTS_RUN ? n - i : REQUESTS_RUN);
			continue;
		}
		batches_pass(a);
		load_files(a, ev, &loaded, n - i < AHEAD_STEPS ? n : i + AHEAD_STEPS);
		add_directive(a, &ev[i++]);
	}
	return a->status;
}

static void keep(struct iot_analyze *a, const struct iot_event *ev, size_t n)
{
	struct kept_events *k = &a->kept;
	int status = IOT_OK;
	for (size_t i = 0; i < n && k->on && status >= 0; i++)
		status = kept_add(k, &ev[i]);
	analyze_keep(a, status >= 0);
	if (!k->on)
		kept_drop(k);
}

int iot_analyze_events(struct iot_analyze *a, const struct iot_event *ev, size_t n)
{
	if (a->finished || a->job.more > 0 || a->whole)
		return IOT_EUSAGE;
	if (a->kept.on)
		keep(a, ev, n);
	return analyze_add(a, ev, n);
}
