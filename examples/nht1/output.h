/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes vectors to one file, one after the other, or each to a file of its own, without headers
 * and padding. The bytes do not depend on the method. A failed call ends the program and removes
 * the files.
 */
#ifndef NHT1_OUTPUT_H
#define NHT1_OUTPUT_H

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

enum io { IO_WRITE, IO_PWRITE, IO_WRITEV, IO_MMAP, IO_DIRECT, IO_ASYNC };
enum sync { SYNC_END, SYNC_VECTOR, SYNC_NONE };

extern const char *const io_words[], *const sync_words[];

struct output {
	/* Set by the caller. */
	const char *
	    path; /* With a file for each vector: followed by a dot and the number of the vector. */
	enum io io;
	enum sync sync;
	size_t request; /* Bytes of a call; 0: the whole vector. */
	int file_per_vector;
	/* The rest begins as 0. */
	int fd, vectors;
	const char *open_path;
	off_t offset;
	char *block; /* Bytes that wait for a direct write of a whole block. */
	size_t waiting;
	char *copy; /* The vector that the thread of IO_ASYNC writes. */
	size_t copy_size;
	pthread_t writer;
	int writing;
};

void output_open(struct output *o);
void output_vector(struct output *o, const void *vector, size_t size);

/*
 * Completes all transfers. Without SYNC_NONE, the data is on disk afterwards. The caller keeps the
 * files.
 */
void output_close(struct output *o);

#endif
