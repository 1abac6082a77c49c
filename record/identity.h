/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls after which a process may be unable to open the recording: they change its user, its root
 * or its namespaces. A child of fork joins before.
 */
#ifndef RECORD_IDENTITY_H
#define RECORD_IDENTITY_H

#include "call.h"

/* Before such a call. Returns whether it is recorded. */
bool identity_changes(void);
/* A call that changes the root or namespaces returned this. Names may refer to other files now. */
void identity_renamed(int64_t result);
/* unshare(2) returned this; `records`: what identity_changes() returned. */
void identity_unshared(int flags, int64_t result, bool records);

#endif
