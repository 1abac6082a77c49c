/* SPDX-License-Identifier: BSD-2-Clause */
/* States of iotrace analyze as files, and the beginnings of inputs that say how to join them. */
#ifndef CLI_ANALYZE_STATES_H
#define CLI_ANALYZE_STATES_H

#include <iotrace/analyze.h>

#include "cli/ui/trace_in.h"

/* Whether the first event of an input is one of a state. */
bool analyze_state_begins(const struct iot_event *first);
/* The same for a file, which is opened; false for "-". */
bool analyze_is_state(const char *path);

/* The kind of an input, detected from its first bytes. */
struct analyze_head {
	char *path;
	char *job; /* that %trace declares; NULL: none; the caller frees it */
	bool is_state;
	/* Of a state: the trace, and the part of it; stored 0: the whole trace. */
	uint64_t trace, from, to, stored;
};
/* Returns EXIT_OK, or the exit status after a message. */
enum exit_status analyze_head_read(struct analyze_head *head, char *path,
				   const struct trace_in_options *read,
				   const struct command_spec *command);

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
