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

enum exit_status cmd_analyze(int argc, char **argv);
enum exit_status cmd_anonymize(int argc, char **argv);
enum exit_status cmd_cat(int argc, char **argv);
enum exit_status cmd_check(int argc, char **argv);
enum exit_status cmd_control(int argc, char **argv);
enum exit_status cmd_convert(int argc, char **argv);
enum exit_status cmd_match(int argc, char **argv);
enum exit_status cmd_model(int argc, char **argv);
enum exit_status cmd_mount(int argc, char **argv);
enum exit_status cmd_mrc(int argc, char **argv);
enum exit_status cmd_fsstats(int argc, char **argv);
enum exit_status cmd_procstat(int argc, char **argv);
enum exit_status cmd_info(int argc, char **argv);
enum exit_status cmd_merge(int argc, char **argv);
enum exit_status cmd_parts(int argc, char **argv);
enum exit_status cmd_record(int argc, char **argv);
enum exit_status cmd_reorder(int argc, char **argv);
enum exit_status cmd_sample(int argc, char **argv);
enum exit_status cmd_simulate(int argc, char **argv);
enum exit_status cmd_slice(int argc, char **argv);
enum exit_status cmd_stat(int argc, char **argv);
enum exit_status cmd_top(int argc, char **argv);

#endif
