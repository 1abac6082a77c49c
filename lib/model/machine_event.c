/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine.h"

void machine_add_event(struct machine *m, enum machine_event kind, uint32_t node, uint32_t compute,
		       int64_t time_ps)
{
	const uint64_t number = (uint64_t)kind << 44 | (uint64_t)node << 32 | compute;
	const struct queue_event event = {time_ps, number, 0};
	m->no_memory |= !event_queue_add(&m->events, event);
}
