/* SPDX-License-Identifier: BSD-2-Clause */
#include "spares.h"

struct spares spares;

struct record_process *spares_claim_process(void)
{
	for (int i = 0; i < SPARE_PROCESSES; i++) {
		struct record_process *const p = spares.process[i];
		uint32_t spare = RECORD_SPARE;
		if (p != NULL && atomic_compare_exchange_strong(&p->state, &spare, RECORD_RUNNING))
			return p;
	}
	return NULL;
}

struct record_ring *spares_claim_ring(void)
{
	for (int i = 0; i < SPARE_RINGS; i++) {
		struct record_ring *const r = spares.ring[i];
		uint32_t none = 0;
		if (r == NULL || !atomic_compare_exchange_strong(&r->tid, &none, 1))
			continue;
		spares.ring[i] = NULL; /* a child will unmap it */
		return r;
	}
	return NULL;
}
