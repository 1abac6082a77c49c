/* SPDX-License-Identifier: BSD-2-Clause */
/* What a slice knows of processes and files: see slice.h. */
#include <stdlib.h>

#include "slice.h"

static struct iot_said *element(struct iot_said_names *n, struct iot_map *map, uint64_t key,
				struct iot_said **array, size_t *room)
{
	const size_t i = iot_map_number(map, key);
	struct iot_said *fitted =
	    i == SIZE_MAX ? NULL : iot_map_fit(*array, room, i, sizeof *fitted);
	if (fitted == NULL) {
		n->failed = true;
		return NULL;
	}
	*array = fitted;
	return &fitted[i];
}

struct iot_said *iot_said_process(struct iot_said_names *n, uint32_t process)
{
	return element(n, &n->process_map, process, &n->processes, &n->process_room);
}

struct iot_said *iot_said_file(struct iot_said_names *n, const struct iot_record *rec, bool disk)
{
	const uint64_t key = iot_map_pair(rec->process, rec->file);
	if (disk)
		return element(n, &n->disk_map, key, &n->disks, &n->disk_room);
	return element(n, &n->file_map, key, &n->files, &n->file_room);
}

static void free_array(struct iot_said *array, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(array[i].text);
	free(array);
}

void iot_said_names_free(struct iot_said_names *n)
{
	/* an element may be in a map, but for want of memory not in its array */
	free_array(n->processes,
		   n->process_map.count < n->process_room ? n->process_map.count : n->process_room);
	free_array(n->files, n->file_map.count < n->file_room ? n->file_map.count : n->file_room);
	free_array(n->disks, n->disk_map.count < n->disk_room ? n->disk_map.count : n->disk_room);
	iot_map_free(&n->process_map);
	iot_map_free(&n->file_map);
	iot_map_free(&n->disk_map);
	*n = (struct iot_said_names){.failed = false};
}
