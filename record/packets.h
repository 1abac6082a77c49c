/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transport RECORD_PACKETS: records wait in the rings of this process until one of its threads
 * sends all of them through the pipe of the recording. The packets have the procstat format.
 *
 * The pipe has a descriptor with a high number, which wrappers protect from the program. A program
 * that replaces it without libc does not receive packets in its place: the descriptor is compared
 * with the pipe before each write.
 */
#ifndef RECORD_PACKETS_H
#define RECORD_PACKETS_H

#include "producer.h"

/* Opens the pipe. Returns false if that is impossible. */
bool packets_init(void);
/* In a child of fork: what the parent has not sent is the parent's. */
void packets_forked(void);
/*
 * Counts a record that is about to be added to the ring, after it has sent earlier ones if these
 * are many or old. Returns false if the ring and the pipe are full and the record is dropped.
 */
bool packets_reserve(struct producer *p, uint64_t size);
/* Sends the records of all threads, except those that a full pipe does not take. */
void packets_send(struct producer *p);
/* Sends all records before the program ends or is replaced, and waits if the pipe is full. */
void packets_finish(struct producer *p);
/* Gives the pipe another descriptor, as the program is about to use this number. */
void packets_move(void);

static inline bool packets_owns(int fd)
{
	return fd >= 0 && fd == recording.pipe;
}

#endif
