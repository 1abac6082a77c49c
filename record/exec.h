/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls by which a process runs another program. */
#ifndef RECORD_EXEC_H
#define RECORD_EXEC_H

#include "call.h"

/*
 * Publishes the call before it is made, as it does not return. Returns whether it is recorded. p:
 * of this thread; NULL: no state. directory: AT_FDCWD, or -1 if PATH is searched.
 */
bool exec_begin(struct operation_call *o, struct producer *p, int directory, const char *path,
		char *const *envp);
/* The call has failed with this result of the kernel. */
void exec_returns(struct operation_call *o, bool recorded, int64_t result);

#endif
