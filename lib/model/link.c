/* SPDX-License-Identifier: BSD-2-Clause */
#include "link.h"

#include <stdlib.h>

enum { CAPACITY_FIRST = 16 };

static void drop_sent(struct model_link *l, int64_t now_ps)
{
	while (l->count > 0 && l->end[l->first] <= now_ps) {
		l->first = (l->first + 1) & (l->capacity - 1);
		l->count--;
	}
}

static bool grow(struct model_link *l)
{
	const size_t capacity = l->capacity == 0 ? CAPACITY_FIRST : 2 * l->capacity;
	int64_t *end = malloc(capacity * sizeof *end);
	if (end == NULL)
		return false;
	for (size_t i = 0; i < l->count; i++)
		end[i] = l->end[(l->first + i) & (l->capacity - 1)];
	free(l->end);
	l->end = end;
	l->first = 0;
	l->capacity = capacity;
	return true;
}

int64_t model_link_send(struct model_link *l, int64_t now_ps, int64_t duration_ps)
{
	drop_sent(l, now_ps);
	if (l->count == l->capacity && !grow(l))
		return -1;
	l->free_ps = (now_ps > l->free_ps ? now_ps : l->free_ps) + duration_ps;
	l->end[(l->first + l->count++) & (l->capacity - 1)] = l->free_ps;
	return l->free_ps;
}

int64_t model_link_pass(struct model_link *l, int64_t now_ps)
{
	drop_sent(l, now_ps);
	return l->count > 0 ? l->end[l->first] : now_ps;
}

void model_link_free(struct model_link *l)
{
	free(l->end);
}
