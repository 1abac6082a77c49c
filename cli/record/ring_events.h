/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts ring events, sorted by start, to trace events, in the form that the strace converter
 * produces: %process and %file before the events that need them, %op for operations,
 * %counter for I/O without records, %lost for losses.
 */
#ifndef CLI_RECORD_RING_EVENTS_H
#define CLI_RECORD_RING_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/format/unseen.h"

#include "clock_map.h"
#include "glob_list.h"
#include "live_control.h"
#include "processes.h"

/*
 * Events that the collector adds to the events of ring_decode. Their rec.process is the index of a
 * process.
 */
enum ring_event_kind {
	/* rec.offset: records, rec.length: bytes, rec.type: ring_loss, rec.object: other events */
	RING_LOST = IOT_LOST,
	RING_ENDED = IOT_COUNTER, /* a process has ended; text: its counters, as uint64_t */
};

/*
 * RING_INTERRUPTED: the process continues after the end of the trace. RING_UNSENT: it ended with
 * records that no packet had.
 */
enum ring_loss { RING_DROPPED, RING_DAMAGED, RING_KILLED, RING_INTERRUPTED, RING_UNSENT };

enum { RING_DESCRIPTIONS_MAX = 1 << 22, RING_OBJECTS_MAX = 1 << 24 };

struct ring_events_options {
	struct glob_list paths; /* if any, only these files */
	struct glob_list skipped;
	bool data_only;            /* of operations, only opens and closes */
	bool no_follow;            /* children are not traced */
	bool extents;              /* add %extent directives at the end */
	struct live_control *live; /* NULL: all events are kept */
};

struct ring_events_totals {
	uint64_t records, processes, lost, killed, damaged;
	struct unseen unseen;
	/* bytes read and written that the kernel counted for processes that have ended, and ours */
	uint64_t compared, differing, kernel[2], traced[2];
	/* processes that differ only by what libc itself may have read, and these bytes */
	uint64_t of_libc, libc_bytes;
	uint64_t
	    unmapped; /* files with I/O that have no %extent because they could not be mapped */
};

struct ring_events;

/*
 * The arguments outlive it. Times of the trace count from the first sample of the clock. Returns
 * NULL if out of memory.
 */
struct ring_events *ring_events_new(struct iot_writer *w, const struct processes *processes,
				    const struct clock_map *clock,
				    const struct ring_events_options *options);
void ring_events_free(struct ring_events *e);
/*
 * Declares that the process will run this program: if it does not announce itself until it ends,
 * it is reported as untraced.
 */
void ring_events_expect(struct ring_events *e, uint32_t process, const char *program);
/*
 * Adds an event, in order of start, with times as ring_decode() stores them. Returns a status:
 * IOT_ENOMEM, or a status of the writer.
 */
int ring_events_add(struct ring_events *e, const struct iot_event *ev);
/*
 * From here on events are kept in the trace, or discarded: these are counted, and what was
 * discarded so far is declared. Needs options->live. Returns a status.
 */
int ring_events_keep(struct ring_events *e, bool keep);
/*
 * Adds what is only known at the end: the places of files on disks, and what was discarded. Returns
 * a status.
 */
int ring_events_end(struct ring_events *e);
/* Passes all events to the writer. Returns the status. */
int ring_events_flush(struct ring_events *e);
/*
 * The following events become the next part of the trace, in which definitions are repeated when
 * they are used. All events have been flushed to the writer of the part before.
 */
void ring_events_begin_part(struct ring_events *e, struct iot_writer *w);
/*
 * Returns whether the current part has a record or an operation: without one, it has no place in
 * time.
 */
bool ring_events_part_has_times(const struct ring_events *e);
const struct ring_events_totals *ring_events_totals(const struct ring_events *e);

#endif
