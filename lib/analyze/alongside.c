/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds a trace of other processes of the same job. Their requests have no common order with those
 * that were added before, so statistics of the order of all requests become unknown; values of each
 * process, and sums, equal the values of the merged trace.
 */
#include <stdlib.h>

#include "lib/analyze/containers/interval.h"

#include "analyze_internal.h"
#include "batches.h"
#include "renumber.h"
#include "requests_join.h"
#include "sample.h"

/* Ends a trace: nothing can follow it then. */

static bool end_trace(struct iot_analyze *a)
{
	bool ended = true;
	for (unsigned i = 0; i < LAYERS && ended; i++) {
		struct layer *l = a->layers[i];
		if (l == NULL)
			continue;
		ended = layer_settle(l) && layer_end(l);
		layer_forget(l);
	}
	ended = ended && sample_end(a);
	requests_forget(&a->requests);
	a->options.part = a->requests.options.part = 0;
	a->options.from = a->options.to = a->options.stored = 0;
	a->options.first = a->options.last = a->options.parts = 0;
	return ended;
}

/* Times */

/* Times then count from an earlier epoch; times of bins count from 1970. */
static void shift(struct iot_analyze *a, uint64_t by)
{
	a->trace.begin_ns = interval_end(a->trace.begin_ns, by);
	a->trace.end_ns = interval_end(a->trace.end_ns, by);
	a->trace.epoch_ns -= by;
	file_sums_shift(&a->requests.file_sums, by);
	for (unsigned i = 0; i < LAYERS; i++)
		if (a->layers[i] != NULL)
			layer_shift(a->layers[i], by);
}

static void align(struct iot_analyze *a, struct iot_analyze *more)
{
	const uint64_t epoch = a->trace.epoch_ns, other = more->trace.epoch_ns;
	if (epoch > other)
		shift(a, epoch - other);
	else
		shift(more, other - epoch);
}

/* Joins */

static bool add_layer(struct iot_analyze *a, unsigned i, const struct requests_map *map,
		      struct layer *more)
{
	struct layer *l = more != NULL ? analyze_layer(a, i) : NULL;
	return more == NULL ||
	       (l != NULL &&
		layer_add_trace(l, more,
				&(struct statistic_map){.numbers = map,
							.file_keys = a->requests.files.keys,
							.trace = a->job.more}));
}

static bool add(struct iot_analyze *a, struct iot_analyze *more)
{
	struct requests_map map = {.links = NULL};
	bool added = requests_join(&a->requests, &more->requests, &map);
	for (unsigned i = 0; i < LAYERS && added; i++)
		added = add_layer(a, i, &map, more->layers[i]);
	added = added && row_names_join(&a->names, &more->names) && job_join(&a->job, &more->job);
	added = added && counters_join(&a->counters, &more->counters, map.file) &&
		tie_sums_join(&a->ties, &more->ties);
	a->job.more++;
	totals_join_job(&a->trace, &more->trace);
	unseen_join(&a->unseen, &more->unseen);
	metadata_join(&a->metadata, &more->metadata);
	added = added && places_join(&a->places, &more->places);
	a->options.offsets &= more->options.offsets;
	requests_map_free(&map);
	return added;
}

static const char *why_separate(const struct iot_analyze *a, const struct iot_analyze *more)
{
	if (a->finished || more->finished)
		return "an analysis is finished";
	if (!analyze_same_options(a, more))
		return "the options of the traces differ";
	if ((a->options.sections & IOT_ANALYZE_FILES) == 0)
		return "without the section files, the files of several traces are not known";
	if ((a->trace.epoch_ns == 0) != (more->trace.epoch_ns == 0))
		return "only one of the traces declares an epoch, so their times cannot be "
		       "compared";
	if (a->names.omitted > 0 || more->names.omitted > 0)
		return "paths of more than 8192 bytes, or beyond 256 MiB, are not known, so files "
		       "cannot be compared";
	return NULL;
}

int iot_analyze_join_trace(struct iot_analyze *a, struct iot_analyze *more)
{
	const char *why = why_separate(a, more);
	if (why != NULL)
		return error_refuse(&a->error, why);
	batches_end(a);
	batches_end(more);
	kept_drop(&a->kept);
	a->status = a->status == IOT_OK ? more->status : a->status;
	if (a->status == IOT_OK && (!end_trace(a) || !end_trace(more)))
		a->status = IOT_ENOMEM;
	if (a->status == IOT_OK &&
	    !row_names_give_hosts(&a->names, &a->requests, &more->names, &more->requests))
		a->status = IOT_ENOMEM;
	if (a->status == IOT_OK)
		a->status =
		    renumber((struct renumbered){&more->requests, &more->names, &more->ties},
			     (struct renumbered){&a->requests, &a->names, &a->ties});
	if (a->status == IOT_ELIMIT)
		error_set(&a->error, a->status, "the traces have no ids left");
	align(a, more);
	if (a->status == IOT_OK && (!add(a, more) || !sample_limit(a)))
		a->status = IOT_ENOMEM;
	iot_analyze_free(more);
	return a->status;
}
