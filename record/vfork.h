/* SPDX-License-Identifier: BSD-2-Clause */
/* A child that runs in the memory of its parent until it calls exec. */
#ifndef RECORD_VFORK_H
#define RECORD_VFORK_H

#include "producer.h"

/* Before the call that creates it: the state of the thread is set aside. */
void vfork_begin(void);
/* In the parent, after the call. */
void vfork_returns(long result);
/*
 * The thread has no ring because of vfork: the child takes the ring of its parent, or the parent
 * takes it back. Returns the state of the thread; NULL if its calls are not recorded.
 */
struct producer *vfork_here(void);
/* The innermost child has called exec or has ended. */
void vfork_ends(void);

#endif
