/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of a recording that runs: whether its events are kept or discarded, and the
 * module that analyzes them; and the requests of `iotrace control`.
 */
#ifndef CLI_RECORD_LIVE_CONTROL_H
#define CLI_RECORD_LIVE_CONTROL_H

#include "analyses.h"

struct live_control {
	const char *path;             /* of --control; NULL: none */
	const char *settings;         /* file of requests; NULL: none */
	bool discards;                /* events are counted, and given to the module alone */
	bool drops;                   /* a module that is slow misses records */
	uint64_t records, operations; /* discarded */
	uint64_t reported_records, reported_operations; /* of which the trace says so */
	struct control control;
	struct analyses analyses;
};

#define LIVE_CONTROL_INIT                                                                          \
	{                                                                                          \
		.control = {.fd = -1},                                                             \
	}

/* Actions of the recording for requests. Functions that return int return a status. */
struct live_calls {
	void *context;
	/* Writes all events so far. */
	int (*write)(void *context);
	int (*keep)(void *context, bool keep);
	void (*count)(void *context, void (*line)(void *to, const char *text), void *to);
};

/* Begins, before this process has threads. Returns false after a message. */
bool live_control_start(struct live_control *l);
/*
 * Fulfils the requests of the file of settings, one a line: keep, discard, module. Messages take
 * the place of answers. Returns a status.
 */
int live_control_configure(struct live_control *l, const struct live_calls *calls);
/* Answers the requests that wait. Returns a status. */
int live_control_answer(struct live_control *l, const struct live_calls *calls);
/* Waits for the last report of the module. */
void live_control_end(struct live_control *l);

#endif
