/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes what the buffers of a mount contain: sorts it, and converts it as iotrace record does. */
#ifndef CLI_MOUNT_TRACE_H
#define CLI_MOUNT_TRACE_H

#include "buffers.h"
#include "cli/record/ring_events.h"

struct mount_trace;

/* Makes a trace. The arguments must outlive it. Returns NULL if out of memory. */
struct mount_trace *mount_trace_new(struct iot_writer *w, struct clock_map *clock,
				    const struct ring_events_options *options);
void mount_trace_free(struct mount_trace *t);
/* Adds the records of a full buffer, and writes those before its watermark. Returns a status. */
int mount_trace_add(struct mount_trace *t, const struct buffer *full);
/* Releases processes that have ended. Returns a status. */
int mount_trace_look_for_ends(struct mount_trace *t);
/* Reports records that were dropped so far. Returns a status. */
int mount_trace_dropped(struct mount_trace *t, uint64_t dropped);
/* See ring_events_keep(). */
int mount_trace_keep(struct mount_trace *t, bool keep);
/* Writes the rest. Returns a status. */
int mount_trace_end(struct mount_trace *t);
/* Returns the message of the error; "" if there was no error, or the writer has the message. */
const char *mount_trace_error(const struct mount_trace *t);
const struct ring_events_totals *mount_trace_totals(const struct mount_trace *t);

#endif
