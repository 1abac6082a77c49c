/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers fileIds, each of a process, in the order of their first use. A small cache of recent ones
 * saves most lookups in the map.
 */
#ifndef LIB_ENTITIES_FILE_IDS_H
#define LIB_ENTITIES_FILE_IDS_H

#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"

enum {
	FILE_IDS_RECENT = 256,
	FILE_IDS_AHEAD = 64, /* records whose fileIds are loaded together */
};

/* All zeros: empty. */
struct file_ids {
	struct idmap map; /* idmap_pair(process, file) */
	struct {
		uint64_t key;
		size_t number;     /* + 1; 0: none */
	} recent[FILE_IDS_RECENT]; /* by hash */
};

static inline size_t file_ids_recent_of(uint64_t key)
{
	return ((uint32_t)(key >> 32) * 31 + (uint32_t)key) % FILE_IDS_RECENT;
}

/* SIZE_MAX if out of memory. */
static inline size_t file_ids_number(struct file_ids *ids, uint32_t process, uint32_t file)
{
	const uint64_t key = idmap_pair(process, file);
	const size_t at = file_ids_recent_of(key);
	if (ids->map.last != 0 && ids->map.last_key == key)
		return ids->map.last - 1;
	if (ids->recent[at].key == key && ids->recent[at].number != 0)
		return ids->recent[at].number - 1;
	const size_t i = idmap_number(&ids->map, key);
	ids->recent[at].key = key;
	ids->recent[at].number = i + 1;
	return i;
}

/* SIZE_MAX if it has no number. */
static inline size_t file_ids_find(const struct file_ids *ids, uint32_t process, uint32_t file)
{
	return idmap_find(&ids->map, idmap_pair(process, file));
}

/*
 * Loads the fileIds of n records, up to FILE_IDS_AHEAD, into the cache of recent ones. Stores the
 * numbers of those that were not in it, and returns their count.
 */
size_t file_ids_load(struct file_ids *ids, const struct iot_event *ev, size_t n,
		     uint32_t number[FILE_IDS_AHEAD]);
/* Empties the cache of recent fileIds. */
void file_ids_forget_recent(struct file_ids *ids);
void file_ids_free(struct file_ids *ids);

#endif
