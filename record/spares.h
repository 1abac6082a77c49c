/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of processes and rings that were made before a process changed its user, its root or its
 * namespaces. Its children use them, and new threads, as they may be unable to make files.
 */
#ifndef RECORD_SPARES_H
#define RECORD_SPARES_H

#include <stdbool.h>

#include "ring.h"

enum { SPARE_PROCESSES = 8, SPARE_RINGS = 12, SPARE_MAKERS_MAX = 64 };

/* The files, which children of fork inherit. */
struct spares {
	_Atomic uint32_t made;
	struct record_process *process[SPARE_PROCESSES];
	struct record_ring *ring[SPARE_RINGS];
};

extern struct spares spares;

/* Return a file that no other process uses; NULL if there is none. */
struct record_process *spares_claim_process(void);
struct record_ring *spares_claim_ring(void);

#endif
