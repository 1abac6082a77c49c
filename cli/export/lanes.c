/* SPDX-License-Identifier: BSD-2-Clause */
#include "lanes.h"

#include <stdlib.h>

#include "lib/base/array.h"

int lanes_place(struct lanes *l, uint64_t group, uint64_t start_ns, uint64_t end_ns, bool *is_new)
{
	const size_t n = idmap_number(&l->groups, group);
	if (!array_reserve_index(&l->group, &l->capacity, n, sizeof *l->group))
		return LANE_NO_MEMORY;
	struct lane_group *g = &l->group[n];
	size_t i = 0;
	while (i < g->count && g->end_ns[i] > start_ns)
		i++;
	*is_new = i == g->count;
	if (i == LANES_MAX)
		return LANE_NONE;
	if (!array_reserve(&g->end_ns, &g->capacity, i + 1, sizeof *g->end_ns))
		return LANE_NO_MEMORY;
	g->count += *is_new;
	g->end_ns[i] = end_ns;
	return (int)i;
}

void lanes_free(struct lanes *l)
{
	for (size_t i = 0; i < l->capacity; i++)
		free(l->group[i].end_ns);
	free(l->group);
	idmap_free(&l->groups);
}
