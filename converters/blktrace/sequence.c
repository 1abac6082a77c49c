/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Missing sequence numbers. The kernel numbers the records of a device on each CPU from 1; 0 stands
 * for none, as in notifications and in records from the kernel's tracer.
 */
#include "blktrace.h"

uint32_t blktrace_sequence_missing(struct blktrace *b, const struct blktrace_action_record *r)
{
	struct blktrace_sequences *s = &b->sequences;
	const uint32_t cpu = s->by_device ? 0 : r->cpu;
	if (r->sequence == 0)
		return 0;
	const size_t i = idmap_number(&s->counters, idmap_pair(r->device, cpu));
	if (i >= BLKTRACE_PROCESSES_MAX ||
	    !array_reserve_index(&s->last, &s->capacity, i, sizeof *s->last)) {
		(void)blktrace_no_memory(b);
		return 0;
	}
	const uint32_t last = s->last[i], step = r->sequence - last;
	if (step > UINT32_MAX / 2) { /* out of order, or a new trace */
		b->backwards++;
		if (r->sequence == 1)
			s->last[i] = 1;
		return 0;
	}
	s->last[i] = r->sequence;
	if (last == 0 || step <= 1)
		return 0;
	s->gaps++;
	s->missing += step - 1;
	return step - 1;
}
