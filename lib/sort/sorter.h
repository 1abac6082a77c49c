/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events in order of rec.start_ns, equal ones in the order they came (records, directives and
 * comments alike: who adds an event without a time of its own gives it its place). In bounded
 * memory: what does not fit is written as sorted runs to a temporary file that has no name any more
 * when it is used.
 *
 *	add ... release ... add ... release ... end, then events until 0       (hold)
 *	the same with events after each release                                (stream, live)
 *
 * A stream passes on what lies before the watermark as soon as it is released and needs no file; it
 * fails (SORTER_RESTART) when the promise of a watermark was broken or when more than the memory
 * would have to be held: then the caller starts anew with a holding sorter. A holding sorter takes
 * anything: watermarks only make its runs longer and its memory smaller. A live sorter is a stream
 * that goes on: what does not fit goes to the file until it is released, and who comes late, when
 * later events were handed out already, is counted and comes next.
 */
#ifndef LIB_SORT_SORTER_H
#define LIB_SORT_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

struct sorter;

#define SORTER_RESTART 1

enum sorter_mode { SORTER_STREAM, SORTER_HOLD, SORTER_LIVE };

/*
 * memory: bytes for events and for merging (at least 64 KiB), beside 128 KiB of buffers and the
 * longest single text. NULL when out of memory. Temporary files go to $TMPDIR or /tmp.
 */
struct sorter *sorter_new(size_t memory, enum sorter_mode mode);
void sorter_free(struct sorter *s);

/* Of equal starts the lower rec.process comes first, not what was added first. Before any add. */
void sorter_tiebreak_by_process(struct sorter *s);

/*
 * How many of the events need no sorting, as nothing is held, all are in order, and these lie before
 * the watermark. They count as handed out; the others are to be added.
 */
size_t sorter_passthrough(struct sorter *s, const struct iot_event *ev, size_t n,
			  int64_t watermark_ns);
/* Copies the events, text included. IOT_OK, SORTER_RESTART (a stream only), or an error. */
int sorter_add(struct sorter *s, const struct iot_event *ev, size_t n);
/* The caller promises that no event earlier than this will be added. Never goes back. */
int sorter_set_watermark(struct sorter *s, int64_t watermark_ns);
int sorter_end(struct sorter *s);

/*
 * The next events in order, at most max; 0: none for now, or after sorter_end the end. Text
 * lives until the next call on this sorter.
 */
ssize_t sorter_events(struct sorter *s, struct iot_event *out, size_t max);

/* Live: records that were added after later events had been handed out; by how much, the worst. */
uint64_t sorter_late(const struct sorter *s);
uint64_t sorter_late_by(const struct sorter *s); /* ns */
uint64_t sorter_runs(const struct sorter *s);    /* runs written */
uint64_t sorter_spilled(const struct sorter *s); /* bytes written to the temporary file */
const struct error *sorter_error(const struct sorter *s);

#endif
