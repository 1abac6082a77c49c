/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions of processes and files for a slice: see slice.h. */
#include <stdlib.h>

#include "slice.h"

static struct slice_definition *element(struct slice_definitions *n, struct idmap *map,
					uint64_t key, struct slice_definition **array,
					size_t *capacity)
{
	const size_t i = idmap_number(map, key);
	if (!array_reserve_index(array, capacity, i, sizeof **array)) {
		n->failed = true;
		return NULL;
	}
	return &(*array)[i];
}

struct slice_definition *slice_define_process(struct slice_definitions *n, uint32_t process)
{
	return element(n, &n->process_map, process, &n->processes, &n->process_capacity);
}

struct slice_definition *slice_define_file(struct slice_definitions *n,
					   const struct iot_record *rec, bool disk)
{
	const uint64_t key = idmap_pair(rec->process, rec->file);
	if (disk)
		return element(n, &n->disk_map, key, &n->disks, &n->disk_capacity);
	return element(n, &n->file_map, key, &n->files, &n->file_capacity);
}

static void free_array(struct slice_definition *array, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(array[i].text);
	free(array);
}

void slice_definitions_free(struct slice_definitions *n)
{
	/* out of memory may leave an element in a map, but not in its array */
	free_array(n->processes, n->process_map.count < n->process_capacity ? n->process_map.count
									    : n->process_capacity);
	free_array(n->files,
		   n->file_map.count < n->file_capacity ? n->file_map.count : n->file_capacity);
	free_array(n->disks,
		   n->disk_map.count < n->disk_capacity ? n->disk_map.count : n->disk_capacity);
	idmap_free(&n->process_map);
	idmap_free(&n->file_map);
	idmap_free(&n->disk_map);
	*n = (struct slice_definitions){.failed = false};
}
