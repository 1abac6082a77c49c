/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes: creation, the choice of a thread's lane, and what concerns all of them. */
#include "sender_lane.h"

static void clear(struct sender_lane *lane)
{
	lane->pending.next = lane->pending.previous = &lane->pending;
	lane->count = 0;
}

bool sender_lanes_init(struct sender_lane *lanes, uint32_t limit)
{
	for (uint32_t i = 0; i < LANES; i++) {
		if (pthread_mutex_init(&lanes[i].lock, NULL) != 0) {
			while (i-- > 0)
				(void)pthread_mutex_destroy(&lanes[i].lock);
			return false;
		}
		clear(&lanes[i]);
		lanes[i].limit = limit;
	}
	return true;
}

void sender_lanes_free(struct sender_lane *lanes)
{
	for (uint32_t i = 0; i < LANES; i++)
		(void)pthread_mutex_destroy(&lanes[i].lock);
}

void sender_lanes_lock(struct sender_lane *lanes)
{
	for (uint32_t i = 0; i < LANES; i++)
		sender_lane_lock(&lanes[i]);
}

void sender_lanes_unlock(struct sender_lane *lanes)
{
	for (uint32_t i = 0; i < LANES; i++)
		sender_lane_unlock(&lanes[i]);
}

void sender_lanes_clear(struct sender_lane *lanes)
{
	for (uint32_t i = 0; i < LANES; i++)
		clear(&lanes[i]);
}

/* Thread control blocks lie in stacks, megabytes apart: a product spreads them. */
uint32_t sender_lane_index(void)
{
	const uint64_t thread = (uint64_t)(uintptr_t)pthread_self();
	return (uint32_t)((thread >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % LANES;
}
