/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands: each parses argv (argv[0] is its name), runs, and returns the exit status. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

/*
 * The result of a command or a step of it, and the exit status of all commands but record, in order
 * of severity: if several apply, the largest one is returned. A function that returns another value
 * than EXIT_OK has printed the message. Functions that return int have a library status (enum
 * iot_status); their callers print the sentence.
 */
enum exit_status {
	EXIT_OK = 0,
	/* The output has been made of the valid part of an input that is damaged or incomplete. */
	EXIT_DAMAGED = 1,
	/* Usage error, or an output has not been made. */
	EXIT_FAILED = 2,
};

static inline enum exit_status exit_status_worse(enum exit_status a, enum exit_status b)
{
	return a > b ? a : b;
}

#define COMMAND(name, group, summary) enum exit_status cmd_##name(int argc, char **argv);
#include "command_list.h"
#undef COMMAND

#endif
