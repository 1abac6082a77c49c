/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Until the child calls exec or ends, the thread that created it waits. The child records its calls
 * in the ring of that thread, which states so before and after, and has descriptors of its own. A
 * child that only calls exec changes nothing.
 */
#include "vfork.h"

#include "descriptors.h"
#include "raw.h"

/* A signal handler may have interrupted a call of the thread, whose record comes later. */
static bool is_between_calls(const struct producer *p)
{
	return p->writing == 0 && atomic_load(&p->parked->in_flight) == 0;
}

/* The child may be killed at any moment: p->child is not 0 if there is something to undo. */
static void begin_child(struct producer *p)
{
	p->child = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	if (!descriptors_lend())
		return;
	p->ring = p->parked;
	event_seeks_flush(p);
	if (producer_state_user(p, p->child, RECORD_THREAD_VFORKED)) {
		(void)producer_cpu_slow(p, clock_now());
		return;
	}
	descriptors_return(false);
	p->ring = NULL;
}

/* The child may have been killed while it wrote a record. */
static void discard_unfinished(struct producer *p)
{
	p->writing = 0;
	p->next = atomic_load(&p->parked->head);
	p->limit = 0;
	atomic_store(&p->parked->in_flight, 0);
}

static void end_child(struct producer *p)
{
	discard_unfinished(p);
	p->ring = p->parked;
	event_seeks_flush(p);
	p->ring = NULL;
	descriptors_return(p->executed);
	p->executed = false;
}

/* The thread continues when its ring has stated so, which may drop records until then. */
static void take_back(struct producer *p)
{
	p->ring = p->parked;
	if (!producer_state_user(p, atomic_load(&p->ring->tid), RECORD_THREAD_OF_PROCESS)) {
		p->ring = NULL;
		return;
	}
	p->parked = NULL;
	p->child = 0;
	(void)producer_cpu_slow(p, clock_now());
}

struct producer *vfork_here(void)
{
	struct producer *p = &producer_self;
	p->busy = true;
	if (p->vforked == 0)
		take_back(p);
	else if (p->vforked == 1 && !recording.sends && is_between_calls(p))
		begin_child(p);
	p->busy = false;
	return p->ring != NULL ? p : NULL;
}

void vfork_ends(void)
{
	struct producer *p = &producer_self;
	p->busy = false;
	if (--p->vforked > 0) {
		p->ring = p->child != 0 ? p->parked : NULL;
	} else if (p->child != 0) {
		end_child(p);
	} else {
		p->ring = p->parked;
		p->parked = NULL;
	}
}
