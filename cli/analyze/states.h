/* SPDX-License-Identifier: BSD-2-Clause */
/* States of iotrace analyze as files, and the beginnings of inputs that say how to join them. */
#ifndef CLI_ANALYZE_STATES_H
#define CLI_ANALYZE_STATES_H

#include <iotrace/analyze.h>

#include "cli/ui/trace_in.h"

/*
 * Returns whether the first event of an input is one of a state, of one trace or of several jobs.
 */
bool analyze_state_begins(const struct iot_event *first);
bool analyze_members_begin(const struct iot_event *first);
/*
 * The same for a file, which is opened; false for standard input and pipes, which are read only
 * once.
 */
bool analyze_is_state(const char *path);

/*
 * The kind of an input, detected from its first bytes; or of a member of a state of several jobs.
 */
struct analyze_head {
	char *path;            /* of a member, its name, which the caller frees */
	const char *container; /* of a member, the path of the file; else NULL */
	size_t member;         /* its number in the file */
	char *job;             /* that %trace declares; NULL: none; the caller frees it */
	bool is_state;
	/* The trace of a state, and the part of it; stored 0: the whole trace. */
	uint64_t trace, from, to, stored;
	uint64_t first, last; /* numbers of the first and last part in this state, from 1 */
	uint64_t parts;       /* number of parts in the whole trace; 0: all three are unknown */
	uint64_t text;        /* a hash of the beginning of the trace; every input has it */
	/* A hash of its times and totals, which differ if traces differ after equal beginnings. */
	uint64_t totals_hash;
};
struct analyze_heads {
	struct analyze_head *of;
	size_t count, capacity;
	bool identifies; /* traces that are no states, too, get their `trace` */
};
/*
 * Appends the head of an input, or the heads of its members. Returns an exit status, after a
 * message.
 */
enum exit_status analyze_heads_read(struct analyze_heads *heads, char *path,
				    const struct trace_in_options *read,
				    const struct command_spec *command);
void analyze_head_free(struct analyze_head *head);

/* Reads the state of an input of which the first event has been read. */
enum exit_status analyze_state_load(struct iot_analyze *a, struct trace_in *in,
				    const struct iot_event *first);
/*
 * Stores the analysis of a state, which the caller frees also after a failure. options: those that
 * a state does not contain.
 */
enum exit_status analyze_state_open(struct iot_analyze **a, const char *path,
				    const struct trace_in_options *read,
				    const struct iot_analyze_options *options,
				    const struct command_spec *command);
/* Writes a state. Returns EXIT_OK, or the exit status after a message. */
enum exit_status analyze_state_save(struct iot_analyze *a, const char *path, bool no_fsync,
				    const struct command_spec *command);

#endif
