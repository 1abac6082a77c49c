/* SPDX-License-Identifier: BSD-2-Clause */
#include "vfork.h"

#include "enter.h"

void vfork_begin(void)
{
	struct producer *p = &producer_self;
	if (thread_here() != NULL)
		descriptors_share(false);
	if (p->vforked++ == 0 && p->parked == NULL)
		p->parked = p->ring;
	p->ring = NULL;
}

void vfork_returns(long result)
{
	vfork_ends();
	struct producer *const p = result < 0 ? NULL : thread_here();
	if (p != NULL)
		event_child(p, &(struct event_child){.how = RECORD_VFORK, .pid = (uint32_t)result});
}
