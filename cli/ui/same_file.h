/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of one command, compared by identity and not by the spelling of their paths, so that no
 * output replaces an input, a key or another output.
 *
 * The identity of a regular file is its device and inode, which links share; the identity of a
 * file to be created is its directory and name. FIFOs, terminals and devices equal nothing: data
 * written to them replaces no file. But two inputs cannot be one pipe, whose data is read only
 * once.
 */
#ifndef CLI_UI_SAME_FILE_H
#define CLI_UI_SAME_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/*
 * Two inputs may be the same file, unless it is a pipe; otherwise a file has only one role.
 * A trace may replace any file, a state any file but a trace, an export (data in the format of
 * another tool) any file but a trace or a state. All others do not replace a log, either.
 */
enum role {
	ROLE_INPUT,
	ROLE_KEY,
	ROLE_TRACE,
	ROLE_STATE,
	ROLE_EXPORT,
	ROLE_OUTPUT,
	ROLE_REPORT,
	ROLE_MAP
};

struct file_used;

/* Initialize with the command only. */
struct same_file_set {
	const struct command_spec *command;
	struct file_used *used;
	size_t count, capacity;
	bool failed;            /* out of memory */
	bool reads_directories; /* an input may be a directory, of which all files are read */
	/* For a warning of an input that is named twice: "the output has ..."; NULL: none. */
	const char *if_twice;
};

/* `path` is copied. "-" is standard input or, for every role except ROLE_INPUT, standard output. */
void same_file_add(struct same_file_set *f, enum role role, const char *path);
/* The same for an output; `option`, such as "--html", is a constant. */
void same_file_add_output(struct same_file_set *f, enum role role, const char *option,
			  const char *path);
/* Adds all inputs, or standard input if count is 0. */
void same_file_add_inputs(struct same_file_set *f, char *const *inputs, size_t count);
/*
 * Returns EXIT_OK, or the exit status if two are the same file, two inputs are the same pipe, a
 * file to be replaced is in a directory that is an input, or an output would replace a file that
 * its role does not allow; a message names them. Examines the file system again on each call.
 */
enum exit_status same_file_check(struct same_file_set *f);
/* The same for a file that was found in an input, compared with every file that is not an input. */
enum exit_status same_file_check_member(const struct same_file_set *f, const char *path);
void same_file_free(struct same_file_set *f);

/* The complete check for inputs alone, or standard input if count is 0. */
enum exit_status same_file_check_inputs(const struct command_spec *cmd, char *const *inputs,
					size_t count, const char *if_twice);
/* The complete check for one input and the output trace. */
enum exit_status same_file_check_two(const struct command_spec *cmd, const char *out,
				     const char *in);
/* The complete check for inputs, or standard input if count is 0, -o and --svg, or NULL. */
enum exit_status same_file_check_outputs(const struct command_spec *cmd, char *const *inputs,
					 size_t count, const char *out, const char *svg);

#endif
