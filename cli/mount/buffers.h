/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two buffers of a traced file system. The threads that serve requests append ring records
 * (record/ring.h) to one of them; when it is full, they continue in the other one, and a reader
 * takes the full one and returns it empty.
 *
 * A thread reserves a chunk of a buffer at a time, so that threads touch the shared position once
 * in dozens of records. Appending takes no lock, except to reserve the chunk that fills a buffer.
 */
#ifndef CLI_MOUNT_BUFFERS_H
#define CLI_MOUNT_BUFFERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/record/clock_map.h"

enum { BUFFERS_SIZE_MIN = 1 << 16 };

/* Precedes each ring record. tid: the thread that made the request; pid: its process */
struct buffered {
	uint32_t pid, tid;
};

struct buffer_chunk {
	uint32_t size, used; /* bytes, without this header */
};

/* What a thread needs to append. Start with {0}. */
struct appender {
	struct appender *next;
	_Atomic uint64_t in_flight; /* a time that is not after the start of the request; 0: none */
	_Atomic uint32_t busy;      /* 1: appends */
	uint32_t generation;        /* of the buffers when the chunk was reserved */
	struct buffer_chunk *chunk;
};

struct buffer {
	unsigned char *data;
	_Atomic size_t position;
	uint64_t watermark; /* no record that is appended later starts before this time */
	bool full;          /* the reader has to empty it */
};

struct buffer_pair {
	struct buffer buffer[2];
	size_t size;
	bool drop; /* if both are full, drops records instead of waiting */
	const struct clock_map *clock;
	int wake; /* eventfd: a buffer is full */
	_Atomic uint32_t active, generation;
	_Atomic(struct appender *) appenders;
	pthread_mutex_t mutex; /* protects `full`, and the change of `active` */
	pthread_cond_t emptied;
	_Atomic uint64_t held; /* in_flight of requests that arrive in pieces; 0: none */
	/* statistics */
	_Atomic uint64_t swaps, waits, waited_ns, dropped;
};

/* Returns false with errno set. The clock outlives the buffers. */
bool buffers_init(struct buffer_pair *b, size_t size, bool drop, const struct clock_map *clock);
void buffers_free(struct buffer_pair *b);
/* Adds the appender of a thread. It must exist as long as the buffers. */
void buffers_join(struct buffer_pair *b, struct appender *a);
/* Declares that a request begins. Returns its start. */
uint64_t buffers_begin(struct buffer_pair *b, struct appender *a);
/* Declares that the records of the request have been appended. */
void buffers_end(struct appender *a);
/* Appends a ring record. Returns false if it was dropped. */
bool buffers_append(struct buffer_pair *b, struct appender *a, struct buffered who,
		    const void *record, size_t size);
/* Makes the active buffer the full one if it has records and the other one is empty. */
void buffers_swap(struct buffer_pair *b);
/* Returns the full buffer once no thread appends to it; NULL: none is full. */
struct buffer *buffers_take(struct buffer_pair *b);
/* Empties a buffer that was taken. */
void buffers_return(struct buffer_pair *b, struct buffer *full);
/*
 * Stores the next record of a taken buffer. *at begins as 0. Returns the ring record of *size
 * bytes, NULL at the end.
 */
const unsigned char *buffers_next(const struct buffer *full, size_t *at, size_t *used,
				  struct buffered *who, size_t *size);

#endif
