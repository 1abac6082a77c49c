/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipe of a recording with RECORD_PACKETS. Its packets become the ring records that they stand
 * for, so that one decoder checks both. A traced program can write anything to the pipe.
 */
#ifndef CLI_RECORD_PACKET_PIPE_H
#define CLI_RECORD_PACKET_PIPE_H

#include "lib/packets/packet.h"
#include "record/ring.h"

enum { PACKET_PIPE_BUFFER = 1 << 16, PACKET_PIPE_RECORDS_MAX = 1 << 14 };

struct packet_pipe {
	int fd;        /* -1: the transport is another one */
	size_t unread; /* bytes that the pipe had when packet_pipe_begin() was called */
	struct packet_scan scan;
	size_t at, have;
	unsigned char data[PACKET_PIPE_BUFFER];
};

/*
 * Creates the pipe in a directory. Returns a descriptor for reading, which keeps what programs
 * write to it; -1 with errno set on failure.
 */
int packet_pipe_create(int directory);
/* fd: of packet_pipe_create(); -1: none. It remains the caller's. */
void packet_pipe_init(struct packet_pipe *s, int fd);

/* Begins to read what is in the pipe now. */
void packet_pipe_begin(struct packet_pipe *s);
/*
 * Returns the next packet, valid until the next call; false if none is left. s->scan.bad counts
 * bytes before it that are no packets; the caller sets it to 0.
 */
bool packet_pipe_next(struct packet_pipe *s, struct packet *p);

/*
 * Stores the ring records of a packet of kind data, open or close. Returns their size in bytes; 0
 * if it has none.
 */
size_t packet_pipe_records(const struct packet *p, unsigned char out[PACKET_PIPE_RECORDS_MAX]);

#endif
