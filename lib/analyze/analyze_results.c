/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of an analysis: each statistic adds its own. */
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/analyze/hosts/host_values.h"
#include "lib/analyze/over_time/cycle_values.h"
#include "lib/analyze/over_time/time.h"
#include "lib/format/lacks.h"
#include "lib/result/names.h"

#include "analyze_internal.h"
#include "batches.h"
#include "io_time.h"
#include "map.h"
#include "no_processes.h"
#include "sample.h"

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

const struct host_samples *analyze_samples(const struct iot_analyze *a)
{
	const bool any = requests_of(a->layers[0]) > 0 || requests_of(a->layers[1]) > 0 ||
			 a->counters.of[COUNTERS_POSIX] != NULL;
	return any || a->layers[0] == NULL || a->layers[0]->host_samples.count == 0
		   ? NULL
		   : &a->layers[0]->host_samples;
}

unsigned analyze_chosen_layer(const struct iot_analyze *a)
{
	if (a->options.layer != IOT_LAYER_LOWEST)
		return a->options.layer - IOT_LAYER_POSIX;
	return requests_of(a->layers[0]) == 0 && requests_of(a->layers[1]) > 0;
}

struct time_span analyze_span(const struct iot_analyze *a)
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

struct view_source analyze_view(const struct iot_analyze *a, const struct layer *l)
{
	const struct host_samples *h = analyze_samples(a);
	if (h != NULL)
		return host_samples_view(h, analyze_span(a), false);
	return (struct view_source){
	    .cells = &l->cells, .series = &l->series, .span = analyze_span(a)};
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
				      .mpiio = analyze_chosen_layer(a) == 1,
				      .shows_operations = a->trace.operations,
				      .lacks = a->trace.lacks,
				      .runtime_ns = totals_runtime(&a->trace, &a->requests),
				      .processes = totals_processes(&a->trace, &a->requests),
				      .nodes = a->options.nodes};
	if (from.nodes == 0)
		analyze_keep(a, row_names_hosts(&a->names, &a->requests, &from.nodes));
	io_time_values(&from, &a->values);
}

static bool add_time_values(struct iot_analyze *a, struct layer *l)
{
	const struct view_source from = analyze_view(a, l);
	add_io_time_values(a, l);
	const size_t first = a->values.count;
	const bool done = time_values(&from, a->trace.operations, &a->values);
	if (analyze_samples(a) != NULL)
		values_note_since(&a->values, first, HOST_SAMPLES_NOTE);
	if (!l->series.any)
		return done;
	const bool untimed = io_time_is_unknown(&l->totals, &l->latency);
	arrival_values(&l->arrival, a->job.more == 0, untimed, &a->values);
	analyze_keep(a, concurrency_end(&l->concurrency));
	concurrency_values(&l->concurrency, from.span.end_ns - from.span.begin_ns,
			   from.span.runtime_ns, untimed, &a->values);
	analyze_keep(a, file_users_values(&l->file_users, &a->requests,
					  totals_processes(&a->trace, &a->requests), &a->values));
	return done;
}

static bool add_cycle_values(struct iot_analyze *a, const struct layer *l)
{
	const struct view_source from = analyze_view(a, l);
	return cycle_values(&from, a->options.threads, &a->values);
}

/* The values of rows, which point into the state. */
static void add_row_values(struct iot_analyze *a, const struct layer *l)
{
	const size_t top = (size_t)a->options.top;
	const struct table_source from = {
	    .layer = analyze_chosen_layer(a),
	    .requests = &a->requests,
	    .rows = &l->rows,
	    .busy = &l->busy,
	    .order = &l->order,
	    .reuse = &l->reuse,
	    .classes = &a->classes,
	    .names = &a->names,
	    .counted = counted_of(a),
	    .samples = analyze_samples(a),
	    .metadata = analyze_needs(a, IOT_ANALYZE_METADATA) ? &a->metadata : NULL,
	    .processes = totals_processes(&a->trace, &a->requests),
	    .shows_opens = a->trace.opens > 0,
	    .shows_operations = a->trace.operations};
	analyze_keep(a, table_make(&a->table, &from));
	a->table.values.inexact = a->values.inexact;
	if (a->status == IOT_OK && analyze_needs(a, IOT_ANALYZE_FILES))
		analyze_keep(a, sharing_values(&a->table, top, &a->values));
	if (a->status == IOT_OK && analyze_needs(a, IOT_ANALYZE_PROCESSES))
		analyze_keep(a, balance_values(&a->table, top, &a->values));
}

/* The values of statistics whose state only they know. */
static void add_own_values(struct iot_analyze *a, struct layer *l)
{
	const struct statistic_values from = {.requests = &a->requests,
					      .begin_ns = analyze_span(a).begin_ns,
					      .top = (size_t)a->options.top,
					      .sampled = a->requests.files.sample_bits > 0};
	if (a->status == IOT_OK && counted_of(a) == NULL)
		analyze_keep(a, layer_values(l, &from, &a->values));
}

static void add_reuse_values(struct iot_analyze *a, const struct layer *l)
{
	const struct iot_analyze_value *time =
	    iot_analyze_find(a, VALUE(totals, running_time_s), NULL);
	const double running_s = time != NULL ? time->real : 0;
	if (analyze_needs(a, NEED_CLASSES))
		analyze_keep(a, classes_find(&a->classes, &a->requests, &l->reuse, &a->names));
	if (counted_of(a) != NULL)
		return; /* counters do not contain offsets */
	if (analyze_needs(a, IOT_ANALYZE_REUSE))
		reuse_values(&l->reuse, &a->values);
	if (a->status == IOT_OK && analyze_needs(a, IOT_ANALYZE_CLASSES))
		classes_values(&a->classes, &l->reuse, running_s, &a->values);
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
	if (analyze_needs(a, IOT_ANALYZE_MAP))
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
	if (a->status != IOT_OK || !analyze_needs(a, IOT_ANALYZE_FINDINGS))
		return;
	findings_find(&a->findings, &from);
	findings_values(&a->findings, &a->values);
}

/* Nothing if no limit was reached. */
static void add_limit_values(struct iot_analyze *a, const struct layer *l)
{
	a->values.section = SECTION_OF(limits);
	if (a->requests.files.sample_bits > 0)
		values_number(&a->values, NAME_OF(files), NULL, "",
			      (uint64_t)1 << a->requests.files.sample_bits);
	if (a->requests.streams_limited > 0)
		values_number(&a->values, NAME_OF(streams), NULL, "", a->requests.streams_limited);
	if (a->requests.files.undefined_left_out > 0)
		values_number(&a->values, NAME_OF(operations), NULL, "",
			      a->requests.files.undefined_left_out);
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
	metadata_values(&a->metadata, a->trace.opens, a->trace.lacks,
			counted != NULL
			    ? counters_files(counted)
			    : totals_files(&l->totals, &a->requests, analyze_chosen_layer(a)),
			n != NULL ? saturate_add(n[0], n[1]) : requests_of(l),
			a->options.physical ? NULL : a->counters.of[COUNTERS_POSIX], &a->values);
}

static void add_totals(struct iot_analyze *a, const struct layer *l)
{
	const struct host_samples *h = analyze_samples(a);
	const struct totals_io io = h != NULL ? host_samples_io(h) : l->totals.io;
	totals_values(&l->totals, &a->trace, &a->requests, analyze_chosen_layer(a), counted_of(a),
		      h != NULL ? &io : NULL, &a->values);
}

static void add_size_values(struct iot_analyze *a, const struct layer *l)
{
	const struct host_samples *h = analyze_samples(a);
	const size_t first = a->values.count;
	sizes_values(h != NULL ? &h->sizes : &l->sizes, &a->options, counted_of(a), &a->values);
	if (h != NULL)
		values_note_since(&a->values, first, HOST_SIZES_NOTE);
}

static void add_order_values(struct iot_analyze *a, const struct layer *l)
{
	const size_t first = a->values.count;
	order_values(&l->order, counted_of(a), &a->values);
	analyze_keep(
	    a, repetition_values(&l->repetition, a->requests.files.sample_bits > 0, &a->values));
	if (counted_of(a) != NULL)
		values_forget_plain(&a->values, first, "counters have no order of requests");
}

/* Section samples, also beside requests. */
static void add_sample_values(struct iot_analyze *a)
{
	const struct layer *l = a->layers[0];
	if (analyze_samples(a) != NULL)
		host_samples_forget(&a->values);
	if (a->status == IOT_OK && l != NULL && l->host_samples.count > 0)
		analyze_keep(a, host_samples_values(&l->host_samples, analyze_span(a), &a->values));
	if (analyze_samples(a) != NULL)
		host_samples_correct(analyze_samples(a), &a->values);
}

int iot_analyze_finish(struct iot_analyze *a)
{
	if (a->finished)
		return IOT_EUSAGE;
	a->finished = true;
	batches_end(a);
	const unsigned chosen = analyze_chosen_layer(a);
	a->trace.left_out = requests_of(a->layers[!chosen]);
	a->values.inexact = a->job.more > 0 ? VALUES_UNORDERED : VALUES_INEXACT;
	struct layer *l = analyze_layer(a, chosen);
	if (a->status != IOT_OK)
		return a->status;
	analyze_keep(a, layer_end(l) && sample_end(a) && layer_settle(l));
	analyze_keep(a, row_names_follow(&a->names));
	row_names_values(&a->names, &a->values);
	job_values(&a->job, &a->values);
	unseen_values(&a->unseen, &a->values);
	add_totals(a, l);
	if (a->job.more > 0)
		traces_value(a);
	if (a->options.sections & IOT_ANALYZE_SIZES)
		add_size_values(a, l);
	if (analyze_needs(a, IOT_ANALYZE_ORDER))
		add_order_values(a, l);
	if (a->status == IOT_OK && analyze_needs(a, IOT_ANALYZE_TIME))
		analyze_keep(a, add_time_values(a, l));
	if (a->status == IOT_OK && analyze_needs(a, IOT_ANALYZE_CYCLES))
		analyze_keep(a, add_cycle_values(a, l));
	if (a->options.sections & IOT_ANALYZE_METADATA)
		add_metadata_values(a, l);
	if (analyze_needs(a, IOT_ANALYZE_COUNTERS))
		counters_values(&a->counters, &a->values);
	add_reuse_values(a, l);
	add_own_values(a, l);
	add_row_values(a, l);
	add_sample_values(a);
	if ((a->trace.lacks & LACK_PROCESSES) != 0)
		no_processes_forget(&a->values);
	tie_values(&a->ties, &a->names, (size_t)a->options.top, &a->values);
	add_limit_values(a, l);
	sample_note(a);
	add_map(a);
	add_findings(a, l);
	if (a->shown != 0)
		values_filter(&a->values, is_shown, a->shown);
	analyze_keep(a, !a->values.failed);
	return a->status;
}
