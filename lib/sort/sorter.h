/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts events by rec.start_ns; equal ones stay in the order of arrival (records, directives and
 * comments alike: for an event without a time of its own the caller sets a sort key). Memory is
 * bounded: the excess is written as sorted runs to an unlinked temporary file.
 *
 *	add ... set_watermark ... add ... set_watermark ... end, then events until 0  (hold)
 *	the same with events after each set_watermark                         (stream, live)
 *
 * A stream sorter returns events before the watermark immediately and needs no file; it fails
 * (SORTER_RESTART) if an event arrives after later ones were returned, or if it would exceed its
 * memory: then the caller restarts with a holding sorter. A holding sorter accepts any order and
 * ignores watermarks. A live sorter fails in neither case: the excess goes to the file until the
 * watermark passes it, and an event that arrives after later ones were returned is counted as late
 * and returned next.
 */
#ifndef LIB_SORT_SORTER_H
#define LIB_SORT_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

struct sorter;

/* SORTER_FAILED: see sorter_error. */
enum sorter_result { SORTER_OK, SORTER_RESTART, SORTER_FAILED };

enum sorter_mode { SORTER_STREAM, SORTER_HOLD, SORTER_LIVE };

/*
 * memory: bytes for events and for merging (at least 64 KiB), in addition to 128 KiB of buffers and
 * the longest single text. Returns NULL if out of memory. Temporary files go to $TMPDIR or /tmp.
 */
struct sorter *sorter_new(size_t memory, enum sorter_mode mode);
void sorter_free(struct sorter *s);

/* Orders events of equal start by rec.process instead of by arrival. Call it before any add. */
void sorter_tiebreak_by_process(struct sorter *s);

/*
 * Returns the number of leading events that need no sorting, because the sorter is empty, all n
 * events are in order, and these start before the watermark. They count as returned; the caller
 * adds the others.
 */
size_t sorter_passthrough(struct sorter *s, const struct iot_event *ev, size_t n,
			  int64_t watermark_ns);
/*
 * Copies the events with their text and tags, any numbers that sorter_events returns with them;
 * NULL: all are 0. Only a stream sorter returns SORTER_RESTART.
 */
enum sorter_result sorter_add(struct sorter *s, const struct iot_event *ev, const uint32_t *tag,
			      size_t n);
/*
 * Declares that no event earlier than this will be added after the next sorter_add. The watermark
 * never decreases.
 */
int sorter_set_watermark(struct sorter *s, int64_t watermark_ns);
/* Ends the input. Returns the status. */
int sorter_end(struct sorter *s);

/*
 * Returns up to max next events in order, and their tags unless `tag` is NULL; 0 if none is
 * available, or, after sorter_end, at the end. Text is valid until the next call on this sorter.
 */
ssize_t sorter_events(struct sorter *s, struct iot_event *out, uint32_t *tag, size_t max);

/* Live sorter: number of records added after later events had been returned. */
uint64_t sorter_late(const struct sorter *s);
uint64_t sorter_late_by(const struct sorter *s); /* the largest delay in ns */
uint64_t sorter_runs(const struct sorter *s);    /* runs written to the file */
uint64_t sorter_spilled(const struct sorter *s); /* bytes written to the temporary file */
const struct error *sorter_error(const struct sorter *s);

#endif
