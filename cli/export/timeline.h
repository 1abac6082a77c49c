/* SPDX-License-Identifier: BSD-2-Clause */
/* What the formats for timelines have in common: slices in lanes, and rates. */
#ifndef CLI_EXPORT_TIMELINE_H
#define CLI_EXPORT_TIMELINE_H

#include "export.h"
#include "lanes.h"

/* A slice of a timeline: a record, or an operation. */
struct timeline_slice {
	uint32_t process;
	unsigned lane; /* from 1; the lanes of disks follow LANES_MAX */
	bool new_lane;
	bool instant; /* its duration is unknown */
	uint64_t start_ns, duration_ns;
};

/* Bytes per second of a process from a time on. */
struct rate {
	uint32_t process;
	uint64_t start_ns, read, written;
};
typedef void rate_write(struct export *x, const struct rate *r);

enum { RATE_PERIOD_NS = 10000000 };

struct timeline {
	struct lanes lanes;
	struct idmap processes;
	struct rate *rate; /* of the current period, in bytes, by number in processes */
	size_t capacity;
	rate_write *write_rate;
};

/* Returns true with *s set if the event has a place in the timeline; otherwise counts why not. */
bool timeline_place(struct export *x, struct timeline *t, const struct iot_event *ev,
		    struct timeline_slice *s);
/* Returns the path that an operation names, or the path of its file; NULL text if unknown. */
struct name timeline_op_path(struct export *x, const struct iot_event *ev);
/* With --counters: adds the bytes of a record; writes the rates of periods that are over. */
void timeline_count(struct export *x, struct timeline *t, const struct iot_record *rec);
/* Writes the last rates. */
void timeline_end(struct export *x, struct timeline *t);
void timeline_free(struct timeline *t);
/* Writes the name of a lane: "I/O 1", "disk I/O 1". */
void timeline_lane_name(char *text, size_t capacity, unsigned lane);

#endif
