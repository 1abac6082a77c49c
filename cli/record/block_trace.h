/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces all disks with the kernel's tracer of block devices, into a file in the format of
 * blktrace(8) with times of CLOCK_MONOTONIC. Needs CAP_SYS_ADMIN. The kernel has one such tracer:
 * its settings are restored at the end, by a child if this process is killed. Thread safety: none.
 */
#ifndef CLI_RECORD_BLOCK_TRACE_H
#define CLI_RECORD_BLOCK_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { BLOCK_SETTINGS = 4, BLOCK_DISKS_MAX = 256, BLOCK_VALUE_MAX = 256 };

struct block_trace {
	int dir;  /* the file system of tracers; -1: not open */
	int pipe; /* the actions that have not been read; -1: not tracing */
	int out;
	bool created; /* the file */
	char old[BLOCK_SETTINGS]
		[BLOCK_VALUE_MAX];      /* settings to restore, in order; "": unchanged */
	char disk[BLOCK_DISKS_MAX][64]; /* names of those that are traced */
	int disks;
	pid_t guard;    /* the child that restores the tracer if this process is killed; 0: none */
	int guard_pipe; /* which it reads */
	uint64_t bytes; /* of actions in the file */
	uint64_t lost;  /* actions that the kernel dropped; set at the end */
};

#define BLOCK_TRACE_INIT                                                                           \
	{                                                                                          \
		.dir = -1, .pipe = -1, .out = -1, .guard_pipe = -1                                 \
	}

/*
 * Creates the file, which begins with a pair of equal times on CLOCK_MONOTONIC and since 1970, and
 * begins to trace. Returns NULL, or why not, with errno or 0 in *errnum. Call block_trace_end in
 * every case.
 */
const char *block_trace_begin(struct block_trace *b, const char *path, uint64_t monotonic_ns,
			      uint64_t wall_ns, int *errnum);
/*
 * Copies what the kernel has gathered; call it several times per second. Returns 0, or an errno if
 * the file cannot be written.
 */
int block_trace_drain(struct block_trace *b);
/* Ends tracing, copies the rest and closes the file. Returns an errno as block_trace_drain. */
int block_trace_end(struct block_trace *b);

#endif
