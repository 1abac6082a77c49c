/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer of a ring of record/ring.h, and the decoder of its records. A traced program can
 * write to its rings, so every value is read once and checked.
 *
 * A transfer becomes a record, whose file is the number of the description. Any other ring record
 * becomes an event of kind RING_RAW, whose text is a copy of its bytes: ring_events.h interprets it
 * when all events have been sorted. Times are by the recording's clock, less `zero`.
 */
#ifndef CLI_RECORD_RING_H
#define CLI_RECORD_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "record/ring.h"

enum { RING_RAW = IOT_DIRECTIVE, RING_BATCH = 1024 };

/* Whose calls the records of a ring are: indexes of a process, and of a thread or its process. */
struct ring_user {
	uint32_t process, thread;
};

/* What the decoder knows of a ring. */
struct ring_decoder {
	uint64_t zero, now; /* time zero of the trace, and the present, of the recording's clock */
	uint64_t skew;      /* by which times of the past may be later, or before their start */
	uint64_t until;     /* decode records that start before this time; 0: all */
	struct ring_user user; /* stored in rec.process and rec.object */
	uint8_t flags;         /* enum iot_flag of its records */
};

/*
 * Decodes up to RING_BATCH records from n bytes, and stores the bytes used in *used. Texts refer to
 * the data. Returns the number of events, fewer than the records if some become no event; -1 if
 * the first record is invalid. A batch ends before an invalid record, before a record of who uses
 * the ring from then on, and before one that is not to be decoded: *used is 0 if that is the first.
 */
int ring_decode(const struct ring_decoder *d, const unsigned char *data, size_t n,
		struct iot_event out[RING_BATCH], size_t *used);

/*
 * Returns the bytes of the record that n bytes begin with, without a look at its contents; 0 if it
 * is invalid.
 */
size_t ring_record_size(const unsigned char *data, size_t n);
/* Returns whether the first record states who uses the ring from then on. */
bool ring_states_user(const unsigned char *data, size_t n, struct record_thread *user);
/* Returns whether n bytes are one valid ring record, with all of its texts. */
bool ring_record_is_valid(const void *record, size_t n);

struct ring {
	struct record_ring *header;
	const unsigned char *data; /* twice in succession; NULL: only the process has it */
	uint32_t size, pid;
	uint64_t start; /* of the process */
	uint64_t tail;  /* end of the bytes that have been read */
	uint64_t checked,
	    newest; /* end of the bytes known to be in order of start; the last start */
	uint64_t dropped, dropped_bytes, dropped_others; /* reported so far */
	uint32_t process;                                /* index of the one that made the ring */
	struct ring_user user;
	uint32_t serial; /* in the spool; 0: none */
	bool failed;     /* contains an invalid record */
};

/* Opens and maps a ring. Returns NULL, or why it cannot be used. */
const char *ring_open(struct ring *r, int directory, const char *name);
void ring_close(struct ring *r);

/* The bytes from r->tail to the producer's head. Sets r->failed if the head is invalid. */
size_t ring_available(struct ring *r);
/*
 * Returns whether the n bytes from r->tail on are valid records in order of start. Each byte is
 * looked at once.
 */
bool ring_in_order(struct ring *r, size_t n);
/*
 * Returns the bytes before r->tail to the producer, and wakes it if it waits. Also restores what a
 * program may have damaged.
 */
void ring_release(struct ring *r);

/*
 * Makes a program unable to end the collector with SIGBUS by truncating a mapped file: pages that
 * have lost their file read as zeros. Ignores a SIGBUS that a process sends.
 */
void ring_survive_truncation(void);

#endif
