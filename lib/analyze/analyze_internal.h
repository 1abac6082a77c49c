/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files analyze*.c share. */
#ifndef LIB_ANALYZE_ANALYZE_INTERNAL_H
#define LIB_ANALYZE_ANALYZE_INTERNAL_H

#include <iotrace/analyze.h>

#include "lib/analyze/findings/findings.h"
#include "lib/analyze/over_time/over_time.h"
#include "lib/analyze/tables/row_names.h"
#include "lib/analyze/tables/tables.h"
#include "lib/base/error.h"

#include "classes.h"
#include "counters.h"
#include "job.h"
#include "kept_events.h"
#include "layer.h"
#include "metadata.h"
#include "places.h"
#include "tie_values.h"
#include "unseen_values.h"

enum {
	SECTIONS = IOT_ANALYZE_TOTALS | IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER | IOT_ANALYZE_TIME |
		   IOT_ANALYZE_METADATA | IOT_ANALYZE_FILES | IOT_ANALYZE_PROCESSES |
		   IOT_ANALYZE_REUSE | IOT_ANALYZE_CYCLES | IOT_ANALYZE_CLASSES |
		   IOT_ANALYZE_COUNTERS | IOT_ANALYZE_FINDINGS | IOT_ANALYZE_MAP,
	/* what others refer to */
	MAP_REFERS = IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER | IOT_ANALYZE_TIME | IOT_ANALYZE_CYCLES |
		     IOT_ANALYZE_METADATA | IOT_ANALYZE_FILES | IOT_ANALYZE_CLASSES |
		     IOT_ANALYZE_COUNTERS
};

struct iot_analyze {
	struct iot_analyze_options options;
	struct batches *batches; /* see batches.h */
	struct kept_events kept; /* see kept_events.h */
	struct requests requests;
	struct totals_trace trace;
	struct metadata metadata;
	struct places places;
	struct row_names names;
	struct job job;
	struct unseen unseen;
	struct counters counters;
	struct tie_sums ties;
	struct layer *layers[LAYERS]; /* NULL: no requests yet */
	struct values values;
	struct row_table table; /* after finish */
	struct classes classes; /* likewise */
	struct findings findings;
	unsigned shown; /* sections with values in the results, also of a state; 0: all */
	struct over_time over_time;
	struct offsets_map offsets; /* of iot_analyze_offsets */
	char offsets_key[VALUE_KEY];
	struct error error;
	int status; /* enum iot_status */
	bool finished;
	bool whole; /* loaded from the state of a whole trace */
};

/* Returns the statistics of a layer, new ones if it has none; NULL if out of memory. */
static inline struct layer *analyze_layer(struct iot_analyze *a, unsigned i)
{
	if (a->layers[i] == NULL)
		a->layers[i] = layer_new(&a->options);
	if (a->layers[i] == NULL)
		a->status = IOT_ENOMEM;
	return a->layers[i];
}

/* Sets the status if something was not done, for lack of memory. */
static inline void analyze_keep(struct iot_analyze *a, bool done)
{
	if (!done || a->requests.failed)
		a->status = IOT_ENOMEM;
}

/* Returns whether any of these sections is computed. */
static inline bool analyze_needs(const struct iot_analyze *a, unsigned sections)
{
	return (a->options.sections & sections) != 0;
}

/* iot_analyze_events, but events are not kept. */
int analyze_add(struct iot_analyze *a, const struct iot_event *ev, size_t n);
/* The layer to report. */
unsigned analyze_chosen_layer(const struct iot_analyze *a);
/* The samples that replace requests, if there are neither requests nor counters. */
const struct host_samples *analyze_samples(const struct iot_analyze *a);
/*
 * From the start to the end of the job if these are declared and comparable with other times; else
 * the run time that the user states, if that is longer than the trace.
 */
struct time_span analyze_span(const struct iot_analyze *a);
/* The bins of the layer to report. */
struct view_source analyze_view(const struct iot_analyze *a, const struct layer *l);

/* Returns whether values of both have the same meaning. */
bool analyze_same_options(const struct iot_analyze *a, const struct iot_analyze *b);
bool analyze_options_are_valid(const struct iot_analyze_options *o);

#endif
