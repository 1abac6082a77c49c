/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings of this process: a ring whose thread has ended is used again. */
#ifndef RECORD_RINGS_H
#define RECORD_RINGS_H

#include "recording.h"

/*
 * Returns a ring whose thread has ended, with the bytes of data that have memory; NULL if there is
 * none.
 */
struct record_ring *rings_reuse(uint64_t *populated);
/* Returns false if there are too many. */
bool rings_remember(struct record_ring *r);
/* The thread has ended. Returns false if the ring will not be used again. */
bool rings_release(struct record_ring *r, uint64_t populated);
/* Returns a ring by its index from 0, NULL after the last one. */
struct record_ring *rings_get(int index);
/* In a child of fork: unmaps the rings of the parent. */
void rings_forget(void);

#endif
