/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress: one line on standard error, updated up to six times a second. */
#ifndef CLI_UI_PROGRESS_H
#define CLI_UI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool on;
	bool shown;          /* the line is visible */
	uint64_t started_ns; /* of the monotonic clock */
	uint64_t last_ns;
};

enum { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/*
 * how: PROGRESS_.... AUTO shows the line if standard error is a terminal, the command is not quiet,
 * and its data does not go to a terminal; out: the destination of the data, or NULL.
 */
void progress_begin(struct progress *p, int how, bool quiet, const char *out);
/* Cheap if called often. done of total bytes (total 0: unknown), and records so far. */
void progress_show(struct progress *p, uint64_t done, uint64_t total, uint64_t records);
/* The same after the input has been read: records written of all. */
void progress_show_written(struct progress *p, uint64_t records, uint64_t all);
/* The same for calls simulated of all. */
void progress_show_simulated(struct progress *p, uint64_t calls, uint64_t all);
/* The same for a walk of directories: entries so far, directories that wait, and errors. */
void progress_show_walk(struct progress *p, uint64_t entries, uint64_t waiting, uint64_t errors);
/* For callers with expensive values: whether *last_ns is long enough ago; it becomes now. */
bool progress_due(const struct progress *p, uint64_t *last_ns);
/* Erases the line: before any message, and at the end. */
void progress_clear(struct progress *p);

#endif
