/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorted runs in an unlinked temporary file: events are put in, run after run, and come out merged,
 * equal ones in the order they were put. Memory for writing and merging stays within a limit; with
 * too many runs for it they are merged in rounds into a second file.
 */
#ifndef IOT_LIB_RUNS_H
#define IOT_LIB_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct iot_run_file {
	int fd;
	uint64_t size;   /* written; buf[0 .. fill) comes behind it */
	uint64_t *start; /* where each run starts */
	size_t count, room;
	int64_t last; /* start_ns of the event put last */
	unsigned char *buf;
	size_t fill;
};

struct iot_cursor;
struct iot_heap_entry;

struct iot_runs {
	size_t memory;
	struct iot_error *error;
	struct iot_run_file file;
	uint64_t made, written; /* runs put, bytes written: rounds included in the bytes alone */
	/* Merging */
	struct iot_cursor *cursor;
	struct iot_heap_entry *heap;
	size_t live; /* entries of the heap */
	unsigned char *buffers;
	char *text; /* of the events handed out last */
	size_t text_used, text_room;
};

void iot_runs_init(struct iot_runs *r, size_t memory, struct iot_error *error);
void iot_runs_free(struct iot_runs *r);

/* An event that starts before the last one begins a new run. */
int iot_runs_put(struct iot_runs *r, const struct iot_event *ev, size_t n);
/* No more will be put. */
int iot_runs_end(struct iot_runs *r);
/* The next events, at most max; 0: no more. Text lives until the next call. */
ssize_t iot_runs_take(struct iot_runs *r, struct iot_event *out, size_t max);

#endif
