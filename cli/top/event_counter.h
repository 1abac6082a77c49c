/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the events of a trace, on a thread of its own, while it grows. */
#ifndef CLI_TOP_EVENT_COUNTER_H
#define CLI_TOP_EVENT_COUNTER_H

#include <pthread.h>

#include <iotrace/filter.h>

#include "follow.h"
#include "lib/base/idmap.h"

/* Results up to a point of the trace. */
struct counts {
	struct iot_stats *stats; /* finished; free it */
	bool physical;           /* of physical records */
	uint64_t processes;      /* with an I/O or an operation */
	bool no_processes;       /* the source does not show them */
	uint64_t lost;           /* records, as far as %lost states them */
	bool lost_more;          /* a %lost does not state them */
};

struct event_counter {
	struct iot_reader *reader; /* of the thread */
	struct iot_batch *batch;
	pthread_t thread;
	bool started;
	int done;             /* eventfd: readable when the input has ended */
	pthread_mutex_t lock; /* of the following */
	struct iot_stats *stats;
	struct iot_stats
	    *physical_stats; /* NULL: there are logical records, or a layer was chosen */
	struct idmap processes;
	struct counts counts; /* without stats */
	bool any;             /* event */
	int status;           /* enum iot_status; valid when the input has ended */
};

/*
 * Returns false after a message. The input must outlive it. by_default: counts logical records, or
 * physical ones while there are no others.
 */
bool event_counter_start(struct event_counter *c, struct follow *input, const char *name,
			 const struct iot_stats_options *options, bool by_default);
/* Returns false if out of memory. */
bool event_counter_snapshot(struct event_counter *c, struct counts *counts);
/* Waits until the input has ended. Returns its status. */
int event_counter_join(struct event_counter *c);
/* Returns whether the input had any record, directive or comment; after event_counter_join. */
bool event_counter_has_events(const struct event_counter *c);
void event_counter_free(struct event_counter *c);

#endif
