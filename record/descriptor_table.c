/* SPDX-License-Identifier: BSD-2-Clause */
#include "descriptor_table.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "raw.h"

enum { DESCRIPTORS_MAX = 1 << 20 };

struct descriptors descriptors;

bool descriptors_init(void)
{
	struct rlimit limit = {.rlim_max = 1024};
	raw_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0, 0);
	const uint64_t count = limit.rlim_max < DESCRIPTORS_MAX ? limit.rlim_max : DESCRIPTORS_MAX;
	descriptors.entry = raw_map(NULL, count * sizeof *descriptors.entry, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	descriptors.count = descriptors.entry == NULL ? 0 : count;
	return descriptors.entry != NULL;
}

bool entry_replace(int fd, union descriptor old, union descriptor d)
{
	const uint64_t at = (uint64_t)(unsigned)fd;
	uint64_t used = atomic_load(&descriptors.used);
	if (at >= descriptors.count ||
	    !atomic_compare_exchange_strong(&descriptors.entry[at], &old.word, d.word))
		return false;
	while (used <= at && !atomic_compare_exchange_weak(&descriptors.used, &used, at + 1))
		continue;
	return true;
}
