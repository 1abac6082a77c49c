/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipe of a recording with RECORD_PACKETS. Its packets become the ring records that they stand
 * for, so that one decoder checks both. A traced program can write anything to the pipe.
 */
#ifndef CLI_RECORD_PACKETS_H
#define CLI_RECORD_PACKETS_H

#include "lib/packets/packet.h"
#include "record/ring.h"

enum { PACKETS_BUFFER = 1 << 16, PACKETS_RECORDS_MAX = 1 << 14 };

struct packets {
	int fd;        /* -1: the transport is another one */
	size_t unread; /* bytes that the pipe had when packets_begin() was called */
	struct packet_scan scan;
	size_t at, have;
	unsigned char data[PACKETS_BUFFER];
};

/*
 * Creates the pipe in a directory. Returns a descriptor for reading, which keeps what programs write
 * to it; -1 with errno set on failure.
 */
int packets_create(int directory);
/* fd: of packets_create(); -1: none. It remains the caller's. */
void packets_init(struct packets *s, int fd);

/* Begins to read what is in the pipe now. */
void packets_begin(struct packets *s);
/*
 * Returns the next packet, valid until the next call; false if none is left. s->scan.bad counts
 * bytes before it that are no packets; the caller sets it to 0.
 */
bool packets_next(struct packets *s, struct packet *p);

/*
 * Stores the ring records of a packet of kind data, open or close. Returns their size in bytes; 0
 * if it has none.
 */
size_t packets_records(const struct packet *p, unsigned char out[PACKETS_RECORDS_MAX]);

#endif
