/* SPDX-License-Identifier: BSD-2-Clause */
/* Records other than transfers. */
#ifndef RECORD_EVENTS_H
#define RECORD_EVENTS_H

#include <sys/stat.h>

#include "producer.h"

/* An operation that is to be recorded. Members that it has not are 0. */
struct event {
	enum record_op op;
	uint32_t description;
	uint64_t start, end;
	int64_t result;
	int64_t size;   /* of truncate */
	uint32_t flags; /* of open */
	bool is_absent; /* O_CREAT: the file did not exist before the call */
	int directory;  /* that path is relative to, or AT_FDCWD */
	int to_directory;
	const char *path, *to;
};

void event_operation(struct producer *p, const struct event *e);
/*
 * Counts an lseek of a description. A program may call it more often than it transfers
 * data, so several calls become one record.
 */
void event_seek(struct producer *p, uint32_t description, uint64_t start);
/* Records the calls that were added. */
void event_seeks_flush(struct producer *p);

/* What fstat shows of an open descriptor. */
struct event_file {
	struct statx stat; /* stx_mask 0: unknown */
	int64_t position;
	int fd; /* names the file if event.path is NULL */
};

void event_open(struct producer *p, const struct event *e, const struct event_file *file);
/* A child, and the program that it runs; NULL: unknown. */
struct event_child {
	enum record_child_code how;
	uint32_t pid;
	int directory; /* that program is relative to; -1: PATH is searched */
	const char *program;
	enum record_exec why; /* 0, or why the program is not going to record */
};

void event_child(struct producer *p, const struct event_child *e);

/* Counters of /proc/self/io, in its order, and `loader`. */
struct event_io {
	uint64_t rchar, wchar, syscr, syscw, read_bytes, write_bytes;
	uint64_t loader; /* of rchar: bytes that were read before this program ran */
	bool is_known;   /* the counters could be read; else they are 0 */
};

/* Reads the counters, without the library's own reads. */
struct event_io event_io_read(void);
/* arguments: each with its NUL */
void event_start(struct producer *p, const struct event_io *io, int64_t rank, const char *arguments,
		 size_t size);
void event_exit(struct producer *p);

static inline uint64_t event_device(uint32_t major, uint32_t minor)
{
	return (uint64_t)(major & 0xfffff000) << 32 | (uint64_t)(major & 0xfff) << 8 |
	       (uint64_t)(minor & 0xffffff00) << 12 | (minor & 0xff);
}

#endif
