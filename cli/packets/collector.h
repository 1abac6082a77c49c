/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects packets from pipes into one file, as they arrive, and counts them. Packets of several
 * pipes are never interleaved: only complete packets and damaged bytes are forwarded, and the rest
 * of a packet is waited for.
 */
#ifndef CLI_PACKETS_COLLECTOR_H
#define CLI_PACKETS_COLLECTOR_H

#include <poll.h>
#include <signal.h>

#include "lib/base/error.h"
#include "lib/packets/packet.h"
#include "lib/packets/sequence.h"

enum { COLLECTOR_PIPES_MAX = 256 };

struct collector_pipe {
	const char *name;
	unsigned char *data;
	size_t have; /* bytes of an incomplete packet */
	struct packet_scan scan;
};

struct collector {
	struct collector_pipe pipe[COLLECTOR_PIPES_MAX];
	struct pollfd poll[COLLECTOR_PIPES_MAX]; /* fd -1: its writers have closed it */
	size_t pipes;
	int out;
	const char *out_name; /* escaped */
	bool appends;         /* the file was not empty before */
	const volatile sig_atomic_t *stop;
	const sigset_t *open_to; /* the signal mask for writes to pipes and devices; or NULL */
	struct sequence sequence;
	uint64_t bytes, records, damaged, before;
	struct error error;
};

/* The caller has set all members except pipes. */
void collector_init(struct collector *c);
/* The collector owns fd from now on. Returns false after setting the error. */
bool collector_add(struct collector *c, int fd, const char *name);
/*
 * Runs until all writers have closed, or *stop is set and the contents of the pipes have been read.
 * Block the signals that set it, except in `waiting`, the mask while waiting. Returns false on
 * errors.
 */
bool collector_run(struct collector *c, const sigset_t *waiting);
void collector_free(struct collector *c);

#endif
