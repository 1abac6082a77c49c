/* SPDX-License-Identifier: BSD-2-Clause */
#include "descriptor_table.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "raw.h"

enum { DESCRIPTORS_MAX = 1 << 20, TABLES = 256 };

struct descriptors descriptors = {.is_in_use = 1};
_Thread_local struct descriptors *descriptors_own __attribute__((tls_model("initial-exec")));

static bool reserve(struct descriptors *t, uint64_t count)
{
	t->entry = raw_map(NULL, count * sizeof *t->entry, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	t->count = t->entry == NULL ? 0 : count;
	return t->entry != NULL;
}

bool descriptors_init(void)
{
	struct rlimit limit = {.rlim_max = 1024};
	raw_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0, 0);
	return reserve(&descriptors,
		       limit.rlim_max < DESCRIPTORS_MAX ? limit.rlim_max : DESCRIPTORS_MAX);
}

/* Returns a table that no thread uses; NULL if out of memory. */
static struct descriptors *table_new(void)
{
	static struct descriptors tables[TABLES];
	for (int i = 0; i < TABLES; i++) {
		uint32_t unused = 0;
		if (!atomic_compare_exchange_strong(&tables[i].is_in_use, &unused, 1))
			continue;
		if (tables[i].entry == NULL && !reserve(&tables[i], descriptors.count))
			return NULL;
		tables[i].next = i > 0 ? &tables[i - 1] : NULL;
		if (descriptors.next == NULL || descriptors.next < &tables[i])
			descriptors.next = &tables[i];
		return &tables[i];
	}
	return NULL;
}

bool descriptors_copy(bool lends)
{
	const struct descriptors *const from = descriptors_here();
	struct descriptors *const to = table_new();
	if (to == NULL)
		return false;
	const uint64_t used = atomic_load(&from->used);
	for (uint64_t i = 0; i < used; i++)
		atomic_store(&to->entry[i], atomic_load(&from->entry[i]));
	atomic_store(&to->used, used);
	to->before = descriptors_own;
	to->is_lent = lends;
	atomic_signal_fence(memory_order_seq_cst); /* the child may be killed */
	descriptors_own = to;
	return true;
}

void descriptors_replace(struct descriptors *with)
{
	struct descriptors *const own = descriptors_own;
	descriptors_own = with;
	own->is_lent = false;
	atomic_store(&own->used, 0);
	atomic_store(&own->is_in_use, 0);
}

bool entry_replace(int fd, union descriptor old, union descriptor d)
{
	struct descriptors *const t = descriptors_here();
	const uint64_t at = (uint64_t)(unsigned)fd;
	uint64_t used = atomic_load(&t->used);
	if (at >= t->count || !atomic_compare_exchange_strong(&t->entry[at], &old.word, d.word))
		return false;
	while (used <= at && !atomic_compare_exchange_weak(&t->used, &used, at + 1))
		continue;
	return true;
}
