/* SPDX-License-Identifier: BSD-2-Clause */
/* The sender as shared by sender.c, sender_calls.c and sender_fork.c. */
#ifndef LIB_PACKETS_SENDER_INTERNAL_H
#define LIB_PACKETS_SENDER_INTERNAL_H

#include <pthread.h>

#include <iotrace/packets.h>

#include "lib/base/error.h"
#include "sender_batch.h"
#include "sender_pipe.h"

struct iot_sender {
	pthread_mutex_t lock;
	struct error error;
	bool is_open, ended, owns_fd;
	int fd;

	uint32_t process, parent, tick_ps, pool;
	bool process_given, parent_given, physical;
	uint64_t flush_every, flush_ns;
	enum sender_pipe_full full;
	iot_clock_fn *clock;
	void *clock_context;
	int64_t epoch_ns;

	struct sender_batches batches;
	struct iot_flight flights; /* a ring, oldest first */
	/* a flight with another value belongs to the parent, from before fork */
	uint64_t life;
	uint64_t sequence, records, dropped;
	uint64_t unflushed; /* I/Os since the last watermark */
	int64_t flushed_ns;
	uint32_t files;
	uint64_t mark_max; /* upper limit of watermarks, in ticks */

	int fork_pipe[2]; /* -1: none */
	int64_t fork_ns;
	char program[256];
	size_t program_size;
	unsigned char packet[PACKET_MAX];
};

/* Call the functions below with the lock held, or before the sender is shared. */

static inline bool sender_ready(const struct iot_sender *s)
{
	return s->is_open && !s->ended && s->error.status == IOT_OK;
}

/* Returns the address for the payload of the next packet. */
static inline unsigned char *sender_payload(struct iot_sender *s)
{
	return s->packet + PACKET_WORD_SIZE * PACKET_HEADER;
}

void sender_clock(const struct iot_sender *s, int64_t *wall_ns, int64_t *cpu_ns);
int sender_send(struct iot_sender *s, enum packet_kind kind, uint32_t file, uint32_t words,
		uint32_t entries);
int sender_send_batch(struct iot_sender *s, struct sender_batch *b);
int sender_send_all(struct iot_sender *s);
int sender_send_start(struct iot_sender *s);
int sender_send_mark(struct iot_sender *s);

#endif
