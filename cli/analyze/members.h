/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A state of several jobs: the states of their traces, one after another, each after a %state with
 * kind=member that has the name of its input.
 */
#ifndef CLI_ANALYZE_MEMBERS_H
#define CLI_ANALYZE_MEMBERS_H

#include <iotrace/analyze.h>

#include "states.h"
#include "cli/ui/trace_out.h"

enum { ANALYZE_MEMBERS_MAX = 1 << 20, ANALYZE_MEMBERS_OPEN = 16 };

/* Writing: set the first three. */
struct analyze_members_out {
	const char *path;
	bool no_fsync;
	const struct command_spec *command;
	struct trace_out_options options;
	struct iot_writer *writer; /* NULL: nothing has been written */
};

/* Appends the state of a trace. Returns EXIT_OK, or the exit status after a message. */
enum exit_status analyze_members_write(void *members_out, struct iot_analyze *a, const char *name);
/* Completes the file. Returns EXIT_OK, or the exit status after a message. */
enum exit_status analyze_members_close(struct analyze_members_out *m);
/* Removes the file unless it is complete. */
void analyze_members_abandon(struct analyze_members_out *m);

/* Reading; all zeros: no file is open. Members are read fastest in their order. */
struct analyze_members_in {
	struct members_file *file[ANALYZE_MEMBERS_OPEN];
	unsigned oldest;
};

/*
 * Stores the analysis of a member, which the caller frees also after a failure. options: those that
 * a state does not contain.
 */
enum exit_status analyze_member_open(struct analyze_members_in *m, struct iot_analyze **a,
				     const struct analyze_head *head,
				     const struct trace_in_options *read,
				     const struct iot_analyze_options *options,
				     const struct command_spec *command);
void analyze_members_free(struct analyze_members_in *m);

#endif
