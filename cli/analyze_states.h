/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace analyze on states: of which part of a trace each is, and their join. */
#ifndef CLI_ANALYZE_STATES_H
#define CLI_ANALYZE_STATES_H

#include <iotrace/analyze.h>

#include "cli/ui/trace_in.h"

/* Whether the first event of an input is one of a state. */
bool analyze_state_begins(const struct iot_event *first);
/* The same for a file, which is opened; false for "-". */
bool analyze_is_state(const char *path);
/*
 * Joins the states of neighbouring parts, in the order of the trace, whatever the order of paths,
 * and stores the result. *complete: they are the whole trace. Returns EXIT_OK, or the exit status
 * after a message.
 */
struct analyze_states {
	char **paths;
	size_t count;
	const struct trace_in_options *read;
	const struct command_spec *command;
	bool complete;
};
enum exit_status analyze_states_join(struct analyze_states *s, struct iot_analyze **a);
/* Reads the state of an input of which the first event has been read. */
enum exit_status analyze_state_load(struct iot_analyze *a, struct trace_in *in,
				    const struct iot_event *first);
/* Writes a state. Returns EXIT_OK, or the exit status after a message. */
enum exit_status analyze_state_save(struct iot_analyze *a, const char *path, bool no_fsync,
				    const struct command_spec *command);

#endif
