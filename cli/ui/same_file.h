/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of one command, compared by identity and not by the spelling of their paths, so that no
 * output replaces an input, a key or another output.
 *
 * Identity is device and inode of a regular file, which links share, and for a file that is still to be made the
 * directory that it will be in and its name. FIFOs, terminals and devices equal nothing: data
 * written to them replaces no file.
 */
#ifndef CLI_UI_SAME_FILE_H
#define CLI_UI_SAME_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/* Two inputs may be one file; nothing else may be a file with two roles. */
enum iot_role { IOT_ROLE_INPUT, IOT_ROLE_OUTPUT, IOT_ROLE_REPORT, IOT_ROLE_KEY, IOT_ROLE_MAP };

struct iot_file_used;

/* Start with the command alone. */
struct iot_files {
	const struct iot_command *command;
	struct iot_file_used *used;
	size_t count, room;
	bool failed;        /* out of memory */
	bool reads_folders; /* an input may be a directory, of which all files are read */
};

/* `path` is copied. "-" is standard input or, of every role but IOT_ROLE_INPUT, standard output. */
void iot_files_add(struct iot_files *f, enum iot_role role, const char *path);
/*
 * IOT_OPTS_GO_ON, or the exit status: two are the same file, or a file to be replaced lies in a
 * directory that is an input; a message names both. Looks at the file system anew each time.
 */
int iot_files_check(struct iot_files *f);
/* The same for a file that was found in an input, against every file that is no input. */
int iot_files_check_member(const struct iot_files *f, const char *path);
void iot_files_free(struct iot_files *f);

/* All of it for one input and one output. */
int iot_refuse_same(const struct iot_command *cmd, const char *out, const char *in);

#endif
