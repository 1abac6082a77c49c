/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_RECORD_OUTPUT_NAME_H
#define CLI_RECORD_OUTPUT_NAME_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Replaces %p by the pid, %h by the name of the host, %r by the rank in an MPI job, %j by the
 * number of the batch job and %% by %. Returns NULL, or a sentence that says what is wrong, which
 * may be in `why`.
 */
const char *output_name_expand(const char *pattern, pid_t pid, char *out, size_t capacity,
			       char why[128]);
/* "PROGRAM.PID.iot.zst", or "PROGRAM.PID.2.iot.zst", .. if that exists. */
void output_name_default(const char *program, pid_t pid, char *out, size_t capacity);

#endif
