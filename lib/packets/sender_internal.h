/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files sender*.c share: the state of a sender, its lock and its packets. */
#ifndef LIB_PACKETS_SENDER_INTERNAL_H
#define LIB_PACKETS_SENDER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include <iotrace/packets.h>

#include "lib/base/error.h"
#include "sender_batch.h"
#include "sender_clock.h"
#include "sender_lane.h"
#include "sender_pipe.h"

/* When all files are sent, and I/Os since and time of the last watermark. */
struct flush_policy {
	uint64_t every, every_ns;
	uint64_t unflushed;
	_Atomic int64_t flushed_ns;
};

struct fork_in_progress {
	int pipe[2]; /* from the child to the parent; -1: none */
	int64_t start_ns;
};

struct iot_sender {
	pthread_mutex_t lock;
	struct error error;
	bool is_open, ended, owns_fd;
	atomic_bool ready; /* sender_is_ready(), for threads without the lock */
	int fd;

	uint32_t process, parent, tick_ps, files_max;
	bool process_given, parent_given, physical;
	enum full_pipe full;
	struct sender_clock clock;
	struct flush_policy flush;

	struct sender_lane *lanes;
	struct sender_batches batches;
	/* a pending I/O of another generation belongs to the parent, from before fork */
	uint64_t generation;
	uint64_t sequence, records, dropped;
	uint32_t files;
	uint64_t watermark_max; /* in ticks */

	struct fork_in_progress fork;
	char program[256];
	size_t program_size;
	unsigned char packet[PACKET_MAX];
};

static inline uint64_t sender_ticks(const struct iot_sender *s, int64_t ns)
{
	if (s->tick_ps == PACKET_TICK_PS_PER_NS)
		return (uint64_t)ns;
	return packet_ticks_from_ns((uint64_t)ns, s->tick_ps);
}

static inline bool sender_is_ready(const struct iot_sender *s)
{
	return s->is_open && !s->ended && s->error.status == IOT_OK;
}

/* Calls that use more than their lane hold the lock. */
static inline void sender_lock(struct iot_sender *s)
{
	(void)pthread_mutex_lock(&s->lock);
}

static inline int sender_unlock(struct iot_sender *s, int status)
{
	s->ready = sender_is_ready(s);
	(void)pthread_mutex_unlock(&s->lock);
	return status;
}

/* Returns the status of a call on a sender that failed, is not open, or has sent its exit. */
static inline int sender_not_ready(const struct iot_sender *s)
{
	return s->error.status != IOT_OK ? s->error.status : IOT_EUSAGE;
}

/* Returns IOT_OK if the sender is ready; without the lock. */
static inline int sender_status(struct iot_sender *s)
{
	if (s->ready)
		return IOT_OK;
	sender_lock(s);
	return sender_unlock(s, sender_is_ready(s) ? IOT_OK : sender_not_ready(s));
}

/* sender_packets.c */

/* Returns the address for the payload of the next packet. */
unsigned char *sender_payload(struct iot_sender *s);
/* Writes text as whole words, padded with zeros; returns their number. */
uint32_t sender_write_text(unsigned char *to, const char *text, size_t size);
/* These return the status of the sender. */
int sender_send(struct iot_sender *s, enum packet_kind kind, uint32_t file, uint32_t words,
		uint32_t entries);
int sender_send_batch(struct iot_sender *s, struct sender_batch *b);
int sender_send_all(struct iot_sender *s);
int sender_send_watermark(struct iot_sender *s, int64_t wall_ns);
int sender_send_start(struct iot_sender *s);

/* sender_io.c */

/* A lane is full when its I/Os make a flush due. */
uint32_t sender_lane_limit(const struct flush_policy *f);
/*
 * Ends a pending I/O, without the lane's lock. Returns false if it was not pending, or belongs to
 * the parent process.
 */
bool sender_end_alone(const struct iot_sender *s, struct iot_pending_io *io);
/* Sets start, CPU clock and elapsed time, in ticks. */
void sender_set_times(const struct iot_sender *s, struct packet_entry *e,
		      const struct iot_pending_io *io, int64_t end_ns);
/* Empties all lanes. Returns the start of the oldest pending I/O, or INT64_MAX. */
int64_t sender_drain_all(struct iot_sender *s);

#endif
