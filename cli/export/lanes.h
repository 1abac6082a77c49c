/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lanes: viewers of timelines draw the slices of a thread nested, so overlapping I/Os of a process
 * are placed in different lanes, each the first one that is free.
 */
#ifndef CLI_EXPORT_LANES_H
#define CLI_EXPORT_LANES_H

#include "lib/base/idmap.h"

enum { LANES_MAX = 1024 };

struct lane_group {
	uint64_t *end_ns; /* of the last slice of each lane */
	size_t count, capacity;
};

struct lanes {
	struct idmap groups;
	struct lane_group *group; /* by number in groups */
	size_t capacity;
};

enum { LANE_NONE = -1, LANE_NO_MEMORY = -2 };

/*
 * Returns the lane, from 0, of a slice in a group; *is_new if the lane is used for the first time.
 * Returns LANE_NONE if LANES_MAX lanes are in use. Start with {0}.
 */
int lanes_place(struct lanes *l, uint64_t group, uint64_t start_ns, uint64_t end_ns, bool *is_new);
void lanes_free(struct lanes *l);

#endif
