/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands: each parses argv (argv[0] is its name), works, and returns the exit status. */
#ifndef IOT_CLI_CMD_H
#define IOT_CLI_CMD_H

enum iot_exit { IOT_EXIT_OK = 0, IOT_EXIT_FAULT = 1, IOT_EXIT_USAGE = 2 };

int iot_cmd_anonymize(int argc, char **argv);
int iot_cmd_cat(int argc, char **argv);
int iot_cmd_check(int argc, char **argv);
int iot_cmd_convert(int argc, char **argv);
int iot_cmd_procstat(int argc, char **argv);
int iot_cmd_info(int argc, char **argv);
int iot_cmd_merge(int argc, char **argv);
int iot_cmd_reorder(int argc, char **argv);
int iot_cmd_slice(int argc, char **argv);
int iot_cmd_stat(int argc, char **argv);

#endif
