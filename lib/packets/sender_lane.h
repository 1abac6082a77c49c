/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lanes: the I/Os of a few threads, pending or ended, until the sender takes the ended ones. A
 * thread always uses the same lane, so its lock is rarely contended. Lanes outlive their threads.
 */
#ifndef LIB_PACKETS_SENDER_LANE_H
#define LIB_PACKETS_SENDER_LANE_H

#include <pthread.h>

#include <iotrace/packets.h>

#include "packet.h"

enum {
	LANES = 32, /* a power of 2; thread sanitizers allow 64 locks at a time */
	LANE_ENTRIES = 512,
};

struct lane_entry {
	struct packet_entry io;
	uint32_t file;
};

struct sender_lane {
	pthread_mutex_t lock;
	struct iot_pending_io pending; /* a ring, oldest first */
	uint32_t count;                /* ended I/Os */
	uint32_t limit;                /* ended I/Os after which the sender takes them */
	struct lane_entry entry[LANE_ENTRIES];
};

/* limit: of each lane. Returns false if the lanes cannot be created. */
bool sender_lanes_init(struct sender_lane *lanes, uint32_t limit);
void sender_lanes_free(struct sender_lane *lanes);

/* For fork: no I/O begins or ends in between. */
void sender_lanes_lock(struct sender_lane *lanes);
void sender_lanes_unlock(struct sender_lane *lanes);
/* Discards all I/Os; the caller holds all locks. */
void sender_lanes_clear(struct sender_lane *lanes);

/* Returns the index of the calling thread's lane. */
uint32_t sender_lane_index(void);

static inline void sender_lane_lock(struct sender_lane *lane)
{
	(void)pthread_mutex_lock(&lane->lock);
}

static inline void sender_lane_unlock(struct sender_lane *lane)
{
	(void)pthread_mutex_unlock(&lane->lock);
}

/* The following functions require the lane's lock. */

static inline void sender_lane_begin(struct sender_lane *lane, struct iot_pending_io *io)
{
	io->next = &lane->pending;
	io->previous = lane->pending.previous;
	io->previous->next = io;
	lane->pending.previous = io;
}

static inline void sender_lane_end(struct iot_pending_io *io)
{
	io->next->previous = io->previous;
	io->previous->next = io->next;
}

/* Returns the start of the oldest pending I/O, or INT64_MAX. */
static inline int64_t sender_lane_oldest(const struct sender_lane *lane)
{
	return lane->pending.next == &lane->pending ? INT64_MAX : lane->pending.next->start_ns;
}

static inline bool sender_lane_is_full(const struct sender_lane *lane)
{
	return lane->count >= lane->limit;
}

#endif
