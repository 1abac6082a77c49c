/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds a trace of other processes of the same job. Their requests have no common order with those
 * that were added before, so statistics of the order of all requests become unknown; those of each
 * process, and sums, are those of the merged trace.
 */
#include <stdlib.h>

#include "analyze_internal.h"
#include "batches.h"
#include "interval.h"
#include "renumber.h"
#include "requests_join.h"
#include "sample.h"

/* Ends a trace: nothing can follow it then. */

static bool end_layer(struct layer *l)
{
	const bool ended =
	    sizes_settle(&l->sizes) && cells_settle(&l->cells) && order_end_all(&l->order);
	arrival_settle(&l->arrival);
	series_settle(&l->series);
	file_users_settle(&l->file_users);
	order_forget(&l->order);
	busy_forget(&l->busy);
	busy_forget(&l->op_times.busy);
	busy_forget(&l->rows.busy);
	arrival_forget(&l->arrival);
	concurrency_forget(&l->concurrency);
	return ended;
}

static bool end_trace(struct iot_analyze *a)
{
	bool ended = true;
	for (unsigned i = 0; i < LAYERS && ended; i++)
		ended = a->layers[i] == NULL || end_layer(a->layers[i]);
	ended = ended && sample_end(a);
	requests_forget(&a->requests);
	a->options.part = a->requests.options.part = 0;
	a->options.from = a->options.to = a->options.stored = 0;
	return ended;
}

/* Times */

static void shift_sums(struct row_sums *s, uint64_t by)
{
	s->first_ns = interval_end(s->first_ns, by);
	s->last_ns = interval_end(s->last_ns, by);
}

static void shift_layer(struct layer *l, uint64_t by)
{
	for (size_t i = 0; i < l->rows.process_capacity; i++)
		shift_sums(&l->rows.processes[i], by);
	for (size_t i = 0; i < l->rows.pair_capacity; i++)
		shift_sums(&l->rows.pairs[i].sums, by);
	reuse_shift(&l->reuse, by);
}

/* Times then count from an earlier epoch; those of bins count from 1970. */
static void shift(struct iot_analyze *a, uint64_t by)
{
	a->trace.begin_ns = interval_end(a->trace.begin_ns, by);
	a->trace.end_ns = interval_end(a->trace.end_ns, by);
	a->trace.epoch_ns -= by;
	file_sums_shift(&a->requests.file_sums, by);
	for (unsigned i = 0; i < LAYERS; i++)
		if (a->layers[i] != NULL)
			shift_layer(a->layers[i], by);
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
	const struct totals_map totals = {map->file, map->thread, NULL, 0};
	if (more == NULL)
		return true;
	if (l == NULL)
		return false;
	latency_join(&l->latency, &more->latency);
	concurrency_add_trace(&l->concurrency, &more->concurrency);
	l->working_set.unordered = true;
	dependencies_add_trace(&l->dependencies);
	return totals_add_trace(&l->totals, &more->totals, &totals) &&
	       sizes_join(&l->sizes, &more->sizes, map->pair) &&
	       order_join(&l->order, &more->order, map->file) &&
	       cells_join(&l->cells, &more->cells, map->process) &&
	       busy_add_trace(&l->busy, &more->busy, map->process) &&
	       op_times_add_trace(&l->op_times, &more->op_times) &&
	       series_join(&l->series, &more->series) &&
	       offsets_join(&l->offsets, &more->offsets, map->file) &&
	       arrival_add_trace(&l->arrival, &more->arrival, map->process, map->file) &&
	       repetition_add_trace(&l->repetition, &more->repetition, map->process,
				    a->job.more + 1) &&
	       reuse_add_trace(&l->reuse, &more->reuse, map->file) &&
	       file_users_join(&l->file_users, &more->file_users, map->pair) &&
	       rows_add_trace(&l->rows, &more->rows, map->process, map->pair);
}

static bool add(struct iot_analyze *a, struct iot_analyze *more)
{
	struct requests_map map = {.links = NULL};
	bool added = requests_join(&a->requests, &more->requests, &map);
	for (unsigned i = 0; i < LAYERS && added; i++)
		added = add_layer(a, i, &map, more->layers[i]);
	added = added && row_names_join(&a->names, &more->names) && job_join(&a->job, &more->job);
	added = added && counters_join(&a->counters, &more->counters, map.file);
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
	a->status = a->status == IOT_OK ? more->status : a->status;
	if (a->status == IOT_OK && (!end_trace(a) || !end_trace(more)))
		a->status = IOT_ENOMEM;
	if (a->status == IOT_OK)
		a->status = renumber((struct renumbered){&more->requests, &more->names},
				     (struct renumbered){&a->requests, &a->names});
	if (a->status == IOT_ELIMIT)
		error_set(&a->error, a->status, "the traces have no ids left");
	align(a, more);
	if (a->status == IOT_OK && (!add(a, more) || !sample_limit(a)))
		a->status = IOT_ENOMEM;
	iot_analyze_free(more);
	return a->status;
}
