/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module of --analyze: a process that gets the events of a recording through a pipe, also those
 * that are not kept. It ends without harm to the recording.
 */
#ifndef CLI_RECORD_ANALYSIS_H
#define CLI_RECORD_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <iotrace/iotrace.h>

#include "cli/ui/control.h"

/* All zeros: none. */
struct analysis {
	pid_t pid;
	int fd, commands;
	struct iot_writer *writer; /* NULL: none, or it has ended */
	bool drops;                /* leave out records if the pipe is full */
	size_t capacity;           /* of the pipe */
	uint64_t missed;           /* records left out that no %lost has declared */
	uint64_t given, flushed;   /* records for the module; of them, records in the pipe */
};

/*
 * Starts the process, before this one has threads, and waits until it has loaded the module. It
 * answers requests through `control`. first: the first member of the array of `a`, in which the
 * earlier ones have started. Returns false after a message.
 */
bool analysis_start(struct analysis *a, const char *module, const struct control *control,
		    bool drops, const struct analysis *first);
/* Pass events to the module. If `drops`, records are left out while the pipe is full. */
void analysis_events(struct analysis *a, const struct iot_event *ev, size_t n);
void analysis_operations(struct analysis *a, const struct iot_operation *op, size_t n);
/* Passes all events to the pipe. */
void analysis_flush(struct analysis *a);
/* Lets it answer a request, after the events in the pipe. Returns false if it has ended. */
bool analysis_ask(struct analysis *a, const struct control_request *q);
/* Waits for its last report. If the process failed, it has printed a message. */
void analysis_end(struct analysis *a);

#endif
