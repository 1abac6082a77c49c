/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_ids.h"

/* The fileIds that are not in the cache. */
static size_t find_rare(const struct file_ids *ids, const struct iot_event *ev, size_t n,
			uint64_t key[FILE_IDS_AHEAD])
{
	uint64_t last = 0;
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t of = idmap_pair(ev[i].rec.process, ev[i].rec.file);
		if (of != last && ids->recent[file_ids_recent_of(of)].key != of)
			key[count++] = last = of;
	}
	return count;
}

/* Each step is done for all fileIds, so that their memory is loaded at the same time. */
size_t file_ids_load(struct file_ids *ids, const struct iot_event *ev, size_t n,
		     uint32_t number[FILE_IDS_AHEAD])
{
	uint64_t key[FILE_IDS_AHEAD];
	size_t known = 0;
	const size_t count = find_rare(ids, ev, n, key);
	for (size_t i = 0; i < count; i++)
		idmap_prefetch(&ids->map, key[i]);
	for (size_t i = 0; i < count; i++)
		idmap_prefetch_found(&ids->map, key[i]);
	for (size_t i = 0; i < count; i++) {
		const size_t found = idmap_find(&ids->map, key[i]);
		if (found == SIZE_MAX)
			continue;
		const size_t at = file_ids_recent_of(key[i]);
		ids->recent[at].key = key[i];
		ids->recent[at].number = found + 1;
		number[known++] = (uint32_t)found;
	}
	return known;
}

void file_ids_forget_recent(struct file_ids *ids)
{
	for (size_t i = 0; i < FILE_IDS_RECENT; i++)
		ids->recent[i].number = 0;
}

void file_ids_free(struct file_ids *ids)
{
	idmap_free(&ids->map);
	file_ids_forget_recent(ids);
}
