/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands: each parses argv (argv[0] is its name), runs, and returns the exit status. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

enum exit_status { EXIT_OK = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

int cmd_anonymize(int argc, char **argv);
int cmd_cat(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_procstat(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_reorder(int argc, char **argv);
int cmd_slice(int argc, char **argv);
int cmd_stat(int argc, char **argv);

#endif
