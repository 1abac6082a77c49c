/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by analyze.c, which adds and joins, and analyze_state.c, which saves and loads. */
#ifndef LIB_ANALYZE_ANALYZE_INTERNAL_H
#define LIB_ANALYZE_ANALYZE_INTERNAL_H

#include <iotrace/analyze.h>

#include "lib/base/error.h"

#include "arrival.h"
#include "busy.h"
#include "cells.h"
#include "classes.h"
#include "concurrency.h"
#include "counters.h"
#include "dependencies.h"
#include "file_users.h"
#include "findings.h"
#include "job.h"
#include "latency.h"
#include "metadata.h"
#include "offsets.h"
#include "op_times.h"
#include "places.h"
#include "order.h"
#include "repetition.h"
#include "reuse.h"
#include "row_names.h"
#include "rows.h"
#include "series.h"
#include "sizes.h"
#include "tables.h"
#include "over_time.h"
#include "totals.h"
#include "unseen_values.h"
#include "working_set.h"

enum {
	SECTIONS = IOT_ANALYZE_TOTALS | IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER | IOT_ANALYZE_TIME |
		   IOT_ANALYZE_METADATA | IOT_ANALYZE_FILES | IOT_ANALYZE_PROCESSES |
		   IOT_ANALYZE_REUSE | IOT_ANALYZE_CYCLES | IOT_ANALYZE_CLASSES |
		   IOT_ANALYZE_COUNTERS | IOT_ANALYZE_FINDINGS | IOT_ANALYZE_MAP,
	/* what the values of several sections need */
	NEED_BUSY = IOT_ANALYZE_TIME | IOT_ANALYZE_PROCESSES,
	NEED_BINS = IOT_ANALYZE_TIME | IOT_ANALYZE_CYCLES,
	NEED_ORDER = IOT_ANALYZE_ORDER | IOT_ANALYZE_FILES,
	NEED_CLASSES = IOT_ANALYZE_CLASSES | IOT_ANALYZE_FILES,
	NEED_REUSE = IOT_ANALYZE_REUSE | NEED_CLASSES,
	/* what others refer to */
	MAP_REFERS = IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER | IOT_ANALYZE_TIME | IOT_ANALYZE_CYCLES |
		     IOT_ANALYZE_METADATA | IOT_ANALYZE_FILES | IOT_ANALYZE_CLASSES |
		     IOT_ANALYZE_COUNTERS
};

/*
 * The statistics of one layer: join_layer() joins each, or makes its values unknown; layer_state()
 * saves and loads each.
 */
struct layer {
	struct totals totals;
	struct request_sizes sizes;
	struct order order;
	struct repetition repetition;
	struct cells cells;
	struct series series;
	struct offsets offsets;
	struct busy busy;
	struct op_times op_times;
	struct latency latency;
	struct arrival arrival;
	struct concurrency concurrency;
	struct rows rows;
	struct file_users file_users;
	struct reuse reuse;
	struct working_set working_set;   /* if the options have it */
	struct dependencies dependencies; /* likewise */
};

struct iot_analyze {
	struct iot_analyze_options options;
	struct batches *batches; /* see batches.h */
	struct requests requests;
	struct totals_trace trace;
	struct metadata metadata;
	struct places places;
	struct row_names names;
	struct job job;
	struct unseen unseen;
	struct counters counters;
	struct layer *layers[LAYERS]; /* NULL: no requests yet */
	struct values values;
	struct row_table table; /* after finish */
	struct classes classes; /* likewise */
	struct findings findings;
	unsigned shown; /* sections with values in the results; 0: all computed ones */
	struct over_time over_time;
	struct offsets_map offsets; /* of iot_analyze_offsets */
	char offsets_key[VALUE_KEY];
	struct error error;
	int status; /* enum iot_status */
	bool finished;
};

/* The statistics of a layer, new ones if it has none; NULL if out of memory. */
struct layer *analyze_layer(struct iot_analyze *a, unsigned i);
void analyze_layer_free(struct layer *l); /* NULL is ignored */
/* Whether values of both have the same meaning. */
bool analyze_same_options(const struct iot_analyze *a, const struct iot_analyze *b);
bool analyze_options_are_valid(const struct iot_analyze_options *o);

#endif
