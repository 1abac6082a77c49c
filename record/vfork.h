/* SPDX-License-Identifier: BSD-2-Clause */
/* A child that runs in the memory of its parent until it calls exec. */
#ifndef RECORD_VFORK_H
#define RECORD_VFORK_H

/* Before the call that creates it: the state of the thread is set aside. */
void vfork_begin(void);
/* In the parent, after the call. */
void vfork_returns(long result);

#endif
