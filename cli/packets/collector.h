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

enum { IOT_PIPES_MAX = 256 };

struct iot_pipe_in {
	const char *name;
	unsigned char *data;
	size_t have; /* bytes of a packet that is not whole yet */
	struct iot_packet_scan scan;
};

struct iot_collector {
	struct iot_pipe_in pipe[IOT_PIPES_MAX];
	struct pollfd poll[IOT_PIPES_MAX]; /* fd -1: its writers have gone */
	size_t pipes;
	int out;
	const char *out_name; /* escaped */
	bool appends;         /* there was something in the file before */
	const volatile sig_atomic_t *stop;
	const sigset_t *open_to; /* the mask while writing to what is no file; or NULL */
	struct iot_ledger ledger;
	uint64_t bytes, records, damaged, before;
	struct iot_error error;
};

/* Everything but pipes has been set by the caller. */
void iot_collector_init(struct iot_collector *c);
/* fd belongs to the collector from now on. False: see the error. */
bool iot_collector_add(struct iot_collector *c, int fd, const char *name);
/*
 * Until all writers have gone, or *stop is set and what was in the pipes has been read. The signals
 * that set it are to be blocked, but not in `waiting`, the mask while waiting. False: the error.
 */
bool iot_collector_run(struct iot_collector *c, const sigset_t *waiting);
void iot_collector_free(struct iot_collector *c);

#endif
