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
 * fails (IOT_SORTER_ANEW) when the promise of a watermark was broken or when more than the memory
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

struct iot_sorter;

#define IOT_SORTER_ANEW 1

enum iot_sorter_mode { IOT_SORTER_STREAM, IOT_SORTER_HOLD, IOT_SORTER_LIVE };

/*
 * memory: bytes for events and for merging (at least 64 KiB), beside 128 KiB of buffers and the
 * longest single text. NULL when out of memory. Temporary files go to $TMPDIR or /tmp.
 */
struct iot_sorter *iot_sorter_new(size_t memory, enum iot_sorter_mode mode);
void iot_sorter_free(struct iot_sorter *s);

/* Of equal starts the lower rec.process comes first, not what was added first. Before any add. */
void iot_sorter_by_process(struct iot_sorter *s);

/*
 * How many of the events need no sorting, as nothing is held, all are in order, and these lie before
 * the watermark. They count as handed out; the others are to be added.
 */
size_t iot_sorter_pass(struct iot_sorter *s, const struct iot_event *ev, size_t n,
		       int64_t watermark_ns);
/* Copies the events, text included. IOT_OK, IOT_SORTER_ANEW (a stream only), or an error. */
int iot_sorter_add(struct iot_sorter *s, const struct iot_event *ev, size_t n);
/* The caller promises that no event earlier than this will be added. Never goes back. */
int iot_sorter_release(struct iot_sorter *s, int64_t watermark_ns);
int iot_sorter_end(struct iot_sorter *s);

/*
 * The next events in order, at most max; 0: none for now, or after iot_sorter_end the end. Text
 * lives until the next call on this sorter.
 */
ssize_t iot_sorter_events(struct iot_sorter *s, struct iot_event *out, size_t max);

/* Live: records that were added after later events had been handed out; by how much, the worst. */
uint64_t iot_sorter_late(const struct iot_sorter *s);
uint64_t iot_sorter_late_by(const struct iot_sorter *s); /* ns */
uint64_t iot_sorter_runs(const struct iot_sorter *s);    /* runs written */
uint64_t iot_sorter_spilled(const struct iot_sorter *s); /* bytes written to the temporary file */
const struct iot_error *iot_sorter_error(const struct iot_sorter *s);

#endif
