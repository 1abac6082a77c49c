/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Saves and loads an analysis: its events, if few have been kept, or the tables of all statistics,
 * in a fixed order. See state.h.
 *
 * A part always has the events that it kept, for a whole trace that has them all. This one has what
 * is smaller: nothing can be joined to it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/format/directive.h"

#include "analyze_internal.h"
#include "batches.h"
#include "events_state.h"
#include "sample.h"
#include "state.h"

enum {
	STATE_VERSION = 18,
	SMALL_TEXT = 192 << 10 /* bytes, which are less than 64 KiB when they are compressed */
};

/* The bytes [0, 0) of 0 are the whole trace. */
static void header_state(struct state *s, struct iot_analyze_options *o)
{
	uint64_t version = STATE_VERSION;
	bool part = o->part != 0;
	size_t rows = 0;
	for (; state_list(s, "header", rows == 0 && state_saves(s)); rows++) {
		state_number(s, "version", &version);
		state_check(s, version == STATE_VERSION, "version=18");
		state_number(s, "trace", &o->trace_id);
		state_flag(s, "part", &part);
		state_number(s, "from", &o->from);
		state_number(s, "to", &o->to);
		state_number(s, "stored", &o->stored);
		state_number(s, "first", &o->first);
		state_number(s, "last", &o->last);
		state_number(s, "parts", &o->parts);
	}
	state_check(s, rows == 1, "kind=header first");
	state_check(s, o->from <= o->to && o->to <= o->stored, "bytes of the trace");
	state_check(s, o->first <= o->last && o->last <= o->parts, "parts of the trace");
	o->part = part;
}

static bool is_whole(const struct iot_analyze_options *o)
{
	return o->part == 0 && o->trace_id != 0 && o->to == o->stored;
}

static void options_state(struct state *s, struct iot_analyze_options *o)
{
	size_t i;
	while (state_each(s, "options", 1, &i)) {
		state_small(s, "sections", &o->sections, UINT32_MAX);
		state_small(s, "physical", &o->physical, 1);
		state_small(s, "layers", &o->layer, IOT_LAYER_MPIIO);
		state_small(s, "per_thread", &o->per_thread, 1);
		state_number(s, "small", &o->small);
		state_number(s, "large", &o->large);
		state_number(s, "alignment", &o->alignment);
		state_number(s, "runtime", &o->runtime_ns);
		state_number(s, "interval", &o->interval_ns);
		state_number(s, "top", &o->top);
		state_number(s, "nodes", &o->nodes);
		state_number(s, "offsets", &o->offsets);
	}
}

/* Those that are seldom given. */
static void extra_options_state(struct state *s, struct iot_analyze_options *o)
{
	size_t i;
	const bool any = o->working_set != 0 || o->dependencies != 0 || !state_saves(s);
	while (state_each(s, "options.extra", any, &i)) {
		state_small(s, "working_set", &o->working_set, 1);
		state_small(s, "dependencies", &o->dependencies, 1);
	}
}

static void layers_state(struct state *s, struct iot_analyze *a)
{
	size_t i;
	while (state_each(s, "layers", LAYERS, &i)) {
		bool any = a->layers[i] != NULL;
		state_flag(s, "any", &any);
		if (any && analyze_layer(a, (unsigned)i) == NULL)
			state_no_memory(s);
	}
	for (unsigned k = 0; k < LAYERS && !state_failed(s); k++) {
		s->layer = (int)k;
		if (a->layers[k] != NULL)
			layer_state(s, a->layers[k], &a->requests);
	}
	s->layer = -1;
}

/* A state that was cut, and is not framed, lacks its last line. */
static void end_state(struct state *s)
{
	uint64_t version = STATE_VERSION;
	size_t rows = 0;
	for (; state_list(s, "end", rows == 0 && state_saves(s)); rows++)
		state_number(s, "version", &version);
	state_check(s, rows == 1 && (state_saves(s) || state_ends(s)),
		    "kind=end, and nothing after it");
}

static void statistics_state(struct state *s, struct iot_analyze *a)
{
	requests_state(s, &a->requests);
	file_sums_state(s, &a->requests.file_sums);
	totals_trace_state(s, &a->trace);
	unseen_state(s, &a->unseen);
	metadata_state(s, &a->metadata);
	places_state(s, &a->places);
	counters_state(s, &a->counters);
	tie_state(s, &a->ties);
	row_names_state(s, &a->names);
	layers_state(s, a);
}

static int add_events(void *analysis, const struct iot_event *ev, size_t n)
{
	return iot_analyze_events(analysis, ev, n);
}

/*
 * Saving: if the state has events; loading: returns whether it has. The hashes of traces that begin
 * alike differ.
 */
static bool events_head_state(struct state *s, struct iot_analyze *a, bool saved)
{
	uint64_t hash = saved ? events_hash(&a->kept) : 0, records = a->kept.records;
	size_t rows = 0;
	for (; state_list(s, "events", saved && rows == 0); rows++) {
		state_limited(s, "epoch", &a->options.epoch_ns, INT64_MAX);
		state_number(s, "records", &records);
		state_number(s, "hash", &hash);
	}
	state_check(s, rows <= 1, "kind=events once");
	return rows > 0;
}

/* Loading: the analysis is done again, as it was. */
static void begin_events(struct state *s, struct iot_analyze *a)
{
	state_check(s, a->job.more == 0 && analyze_options_are_valid(&a->options),
		    "events of one trace");
	batches_end(a);
	a->trace.epoch_ns = a->options.epoch_ns;
	kept_begin(&a->kept);
}

static void all_state(struct state *s, struct iot_analyze *a, bool events)
{
	job_state(s, &a->job);
	events = events_head_state(s, a, events);
	if (events && !state_saves(s))
		begin_events(s, a);
	if (events)
		events_state(s, &a->kept, add_events, a);
	else
		statistics_state(s, a);
	end_state(s);
}

/* Keeps the first error. */
static int end(struct iot_analyze *a, struct state *s)
{
	if (state_failed(s))
		a->error = s->error;
	state_free(s);
	return a->error.status;
}

static bool settle(struct iot_analyze *a)
{
	bool done = sample_clear(a);
	for (unsigned i = 0; i < LAYERS && done; i++)
		done = a->layers[i] == NULL ||
		       (layer_settle(a->layers[i]) && layer_add_heads(a->layers[i], &a->requests));
	return done;
}

static int save(struct iot_analyze *a, struct iot_writer *w, bool events)
{
	struct iot_analyze_options o = a->options;
	struct state s = {.writer = w, .whole = is_whole(&o), .layer = -1, .direction = -1};
	if (o.part == 0 && o.to == o.stored)
		o.from = o.to = o.stored = o.first = o.last = o.parts = 0;
	if (!state_begin(&s) || (!events && !settle(a)))
		state_no_memory(&s);
	header_state(&s, &o);
	options_state(&s, &o);
	extra_options_state(&s, &o);
	all_state(&s, a, events);
	return end(a, &s);
}

static ssize_t write_within(void *left, const void *buffer, size_t size)
{
	size_t *bytes = left;
	(void)buffer;
	if (size > *bytes) {
		errno = EFBIG;
		return -1;
	}
	*bytes -= size;
	return (ssize_t)size;
}

/* Returns whether the statistics take up to `limit` bytes, before they are compressed. */
static bool statistics_fit(struct iot_analyze *a, size_t limit)
{
	struct iot_writer *w = iot_writer_new();
	int status =
	    w != NULL ? iot_writer_open_callback(w, write_within, &limit, "size") : IOT_ENOMEM;
	if (status == IOT_OK)
		status = save(a, w, false);
	if (status == IOT_OK)
		status = iot_writer_close(w);
	iot_writer_free(w);
	if (status == IOT_EIO)
		error_clear(&a->error);
	if (status == IOT_ENOMEM)
		a->status = status;
	return status == IOT_OK;
}

static bool saves_events(struct iot_analyze *a)
{
	const size_t cost = (size_t)a->kept.cost;
	return a->kept.on && (!is_whole(&a->options) ||
			      !statistics_fit(a, cost > SMALL_TEXT ? cost : SMALL_TEXT));
}

int iot_analyze_save(struct iot_analyze *a, struct iot_writer *w)
{
	batches_end(a);
	if (a->finished || a->status != IOT_OK)
		return a->finished ? IOT_EUSAGE : a->status;
	const bool events = saves_events(a);
	return a->status == IOT_OK ? save(a, w, events) : a->status;
}

static bool is_new(const struct iot_analyze *a)
{
	return !a->finished && a->status == IOT_OK && a->layers[0] == NULL &&
	       a->layers[1] == NULL && a->requests.processes.map.count == 0;
}

int iot_analyze_load(struct iot_analyze *a, struct iot_reader *r, const struct iot_event *first)
{
	struct iot_analyze_options o = {.size = sizeof o};
	const bool member = text_equals(iot_directive_get(first, "kind"), "member");
	struct state s = {.reader = r,
			  .line = *first,
			  .has_line = !member,
			  .member = member,
			  .layer = -1,
			  .direction = -1};
	if (!is_new(a))
		return IOT_EUSAGE;
	if (!state_begin(&s))
		state_no_memory(&s);
	header_state(&s, &o);
	s.whole = is_whole(&o);
	options_state(&s, &o);
	extra_options_state(&s, &o);
	state_check(&s, analyze_options_are_valid(&o) && o.sections != 0, "valid options");
	o.top = a->options.top;
	o.nodes = a->options.nodes;
	a->options = a->requests.options = o;
	kept_drop(&a->kept);
	if (!state_failed(&s))
		all_state(&s, a, false);
	a->whole = s.whole;
	a->status = end(a, &s);
	return a->status;
}

const char *iot_analyze_error(const struct iot_analyze *a)
{
	return a->error.text;
}
