/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gathers packets from pipes into one file, as they arrive, and counts what it sees. Packets of
 * several pipes are never mixed: only whole ones, and what is damaged, are passed on; the rest of a
 * packet is waited for.
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
	size_t have; /* bytes of a packet that is not whole yet */
	struct packet_scan scan;
};

struct collector {
	struct collector_pipe pipe[COLLECTOR_PIPES_MAX];
	struct pollfd poll[COLLECTOR_PIPES_MAX]; /* fd -1: its writers have gone */
	size_t pipes;
	int out;
	const char *out_name; /* escaped */
	bool appends;         /* there was something in the file before */
	const volatile sig_atomic_t *stop;
	const sigset_t *open_to; /* the mask while writing to what is no file; or NULL */
	struct sequence sequence;
	uint64_t bytes, records, damaged, before;
	struct error error;
};

/* Everything but pipes has been set by the caller. */
void collector_init(struct collector *c);
/* fd belongs to the collector from now on. False: see the error. */
bool collector_add(struct collector *c, int fd, const char *name);
/*
 * Until all writers have gone, or *stop is set and what was in the pipes has been read. The signals
 * that set it are to be blocked, but not in `waiting`, the mask while waiting. False: the error.
 */
bool collector_run(struct collector *c, const sigset_t *waiting);
void collector_free(struct collector *c);

#endif
