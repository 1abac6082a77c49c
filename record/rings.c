/* SPDX-License-Identifier: BSD-2-Clause */
#include "rings.h"

enum { RINGS = 1024 };

/* Slots are claimed by compare and exchange. */
static struct {
	_Atomic(struct record_ring *) ring;
	uint64_t populated;
} rings[RINGS];

struct record_ring *rings_get(int index)
{
	return index < RINGS ? atomic_load(&rings[index].ring) : NULL;
}

struct record_ring *rings_reuse(uint64_t *populated)
{
	struct record_ring *r;
	for (int i = 0; (r = rings_get(i)) != NULL; i++) {
		uint32_t ended = 1;
		if (atomic_compare_exchange_strong(&r->ended, &ended, 0)) {
			*populated = rings[i].populated;
			return r;
		}
	}
	return NULL;
}

bool rings_remember(struct record_ring *r)
{
	for (int i = 0; i < RINGS; i++) {
		struct record_ring *none = NULL;
		if (atomic_compare_exchange_strong(&rings[i].ring, &none, r))
			return true;
	}
	return false;
}

bool rings_release(struct record_ring *r, uint64_t populated)
{
	int i = 0;
	while (i < RINGS && atomic_load(&rings[i].ring) != r)
		i++;
	if (i < RINGS)
		rings[i].populated = populated;
	atomic_store(&r->ended, 1);
	return i < RINGS;
}

void rings_forget(void)
{
	struct record_ring *r;
	for (int i = 0; (r = rings_get(i)) != NULL; i++) {
		recording_ring_unmap(r);
		atomic_store(&rings[i].ring, NULL);
	}
}
