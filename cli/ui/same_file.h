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
enum role { ROLE_INPUT, ROLE_OUTPUT, ROLE_REPORT, ROLE_KEY, ROLE_MAP };

struct file_used;

/* Start with the command alone. */
struct files {
	const struct command_spec *command;
	struct file_used *used;
	size_t count, capacity;
	bool failed;            /* out of memory */
	bool reads_directories; /* an input may be a directory, of which all files are read */
};

/* `path` is copied. "-" is standard input or, of every role but ROLE_INPUT, standard output. */
void files_add(struct files *f, enum role role, const char *path);
/*
 * OPTIONS_GO_ON, or the exit status: two are the same file, or a file to be replaced lies in a
 * directory that is an input; a message names both. Looks at the file system anew each time.
 */
int files_check(struct files *f);
/* The same for a file that was found in an input, against every file that is no input. */
int files_check_member(const struct files *f, const char *path);
void files_free(struct files *f);

/* All of it for one input and one output. */
int refuse_same_file(const struct command_spec *cmd, const char *out, const char *in);

#endif
