/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands: each parses argv (argv[0] is its name), runs, and returns the exit status. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

/*
 * What a command, or a step of it, leads to. A function that returns another value than EXIT_OK has
 * printed the message: its caller cleans up and returns the same. Functions that return int have a
 * library status (enum iot_status), of which the caller prints the sentence.
 */
enum exit_status { EXIT_OK = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

enum exit_status cmd_analyze(int argc, char **argv);
enum exit_status cmd_anonymize(int argc, char **argv);
enum exit_status cmd_cat(int argc, char **argv);
enum exit_status cmd_check(int argc, char **argv);
enum exit_status cmd_convert(int argc, char **argv);
enum exit_status cmd_mrc(int argc, char **argv);
enum exit_status cmd_procstat(int argc, char **argv);
enum exit_status cmd_info(int argc, char **argv);
enum exit_status cmd_merge(int argc, char **argv);
enum exit_status cmd_record(int argc, char **argv);
enum exit_status cmd_reorder(int argc, char **argv);
enum exit_status cmd_simulate(int argc, char **argv);
enum exit_status cmd_slice(int argc, char **argv);
enum exit_status cmd_stat(int argc, char **argv);
enum exit_status cmd_top(int argc, char **argv);

#endif
