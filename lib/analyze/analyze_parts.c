/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins an analysis of a part of a trace to the analysis of what precedes it: adds its events, if
 * both have kept few, else joins the statistics.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze_internal.h"
#include "batches.h"
#include "requests_join.h"
#include "sample.h"

static void join_layer(struct iot_analyze *a, unsigned i, const struct requests_map *map,
		       struct layer *part)
{
	struct layer *l = a->layers[i] != NULL || part != NULL ? analyze_layer(a, i) : NULL;
	const struct statistic_map numbers = {.numbers = map,
					      .file_keys = a->requests.files.keys,
					      .clocks = a->requests.clocks,
					      .clock_capacity = a->requests.clock_capacity};
	analyze_keep(a, l == NULL || layer_join(l, part, &numbers));
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
		return "the second analysis begins its trace: it cannot follow another part";
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
	analyze_keep(a, l == NULL || layer_add_heads(l, &a->requests));
}

static void join_statistics(struct iot_analyze *a, struct iot_analyze *part)
{
	struct requests_map map = {.links = NULL};
	kept_drop(&a->kept);
	for (unsigned i = 0; i < LAYERS && a->status == IOT_OK; i++)
		add_heads(a, i, part->layers[i] != NULL);
	map.out_of_order = part->trace.out_of_order > 0;
	if (a->status == IOT_OK)
		analyze_keep(a, requests_join(&a->requests, &part->requests, &map));
	for (unsigned i = 0; i < LAYERS && a->status == IOT_OK; i++)
		join_layer(a, i, &map, part->layers[i]);
	batches_limit_streams(a);
	batches_drain(a);
	analyze_keep(a, sample_join(a));
	if (a->status == IOT_OK)
		analyze_keep(a, requests_join_clocks(&a->requests, &part->requests, &map));
	if (a->status == IOT_OK)
		analyze_keep(a, row_names_join(&a->names, &part->names) &&
				    job_join(&a->job, &part->job));
	if (a->status == IOT_OK)
		analyze_keep(a, counters_join(&a->counters, &part->counters, map.file));
	totals_join_trace(&a->trace, &part->trace);
	analyze_keep(a, tie_sums_join(&a->ties, &part->ties));
	unseen_join(&a->unseen, &part->unseen);
	metadata_join(&a->metadata, &part->metadata);
	analyze_keep(a, places_join(&a->places, &part->places));
	requests_map_free(&map);
}

/* CPU clocks of a part count from its beginning. */
struct clocks_before {
	struct request_clock *of; /* by number of the process */
	size_t count;
};

static bool copy_clocks(struct clocks_before *to, const struct requests *r)
{
	const size_t size = r->clock_capacity * sizeof *to->of;
	to->of = malloc(size + 1);
	to->count = to->of != NULL ? r->clock_capacity : 0;
	if (to->count > 0)
		memcpy(to->of, r->clocks, size);
	return to->of != NULL;
}

static void continue_clock(const struct clocks_before *c, const struct requests *r,
			   struct iot_record *rec)
{
	const size_t n = c->count > 0 ? idmap_find(&r->processes.map, rec->process) : SIZE_MAX;
	if (n < c->count && c->of[n].known)
		rec->cpu_ns = (int64_t)((uint64_t)rec->cpu_ns + (uint64_t)c->of[n].ns);
}

/* The next event of a part that is not a definition that `a` has. Returns false at the end. */
static bool next_event(struct iot_analyze *a, const struct clocks_before *clocks,
		       struct kept_cursor *from, struct iot_event *ev)
{
	int status = 1;
	while (status == 1 && kept_step(from)) {
		*ev = from->ev;
		if (ev->kind == IOT_RECORD)
			continue_clock(clocks, &a->requests, &ev->rec);
		status = kept_add(&a->kept, ev);
	}
	analyze_keep(a, status >= 0);
	return status == IOT_OK;
}

static void join_events(struct iot_analyze *a, const struct iot_analyze *part)
{
	enum { BATCH = 64 };
	struct kept_cursor from = {.of = &part->kept};
	struct iot_event ev[BATCH];
	struct clocks_before clocks;
	size_t n = BATCH;
	analyze_keep(a, copy_clocks(&clocks, &a->requests));
	while (a->status == IOT_OK && n == BATCH) {
		for (n = 0; n < BATCH && next_event(a, &clocks, &from, &ev[n]);)
			n++;
		a->status = a->status == IOT_OK ? analyze_add(a, ev, n) : a->status;
	}
	if (!a->kept.on)
		kept_drop(&a->kept);
	free(clocks.of);
}

int iot_analyze_join(struct iot_analyze *a, struct iot_analyze *part)
{
	const char *why = why_separate(a, part);
	if (why != NULL)
		return error_refuse(&a->error, why);
	batches_end(a);
	batches_end(part);
	if (a->status == IOT_OK)
		a->status = part->status;
	if (a->kept.on && part->kept.on)
		join_events(a, part);
	else
		join_statistics(a, part);
	add_stored(&a->options, &part->options);
	a->options.offsets &= part->options.offsets;
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
