/* SPDX-License-Identifier: BSD-2-Clause */
#include "identity.h"

#include <sched.h>

#include "paths.h"

bool identity_changes(void)
{
	const bool records = thread_here() != NULL && producer_self.vforked == 0;
	if (records)
		recording_make_spares();
	return records;
}

void identity_renamed(int64_t result)
{
	if (result != 0 || thread_here() == NULL)
		return;
	recording_count(RECORD_COUNTER_NAMESPACES, 1);
	paths_forget();
	paths_update_directory();
}

void identity_unshared(int flags, int64_t result, bool records)
{
	if (records && result == 0 && (flags & CLONE_FILES) != 0)
		descriptors_divide();
	if ((flags & ~(CLONE_FILES | CLONE_SYSVSEM)) != 0)
		identity_renamed(result);
}
