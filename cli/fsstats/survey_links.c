/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey_links.h"

#include <stdlib.h>

#include "lib/base/array.h"

static size_t shorter(size_t a, size_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* A file that changes during the walk has the values of its last change. */
static void merge(struct survey_link *to, const struct survey_link *more)
{
	const size_t name = shorter(to->file.name, more->file.name);
	const int64_t used_s = to->file.time_s[SURVEY_ACCESSED];
	if (more->file.time_s[SURVEY_CHANGED] > to->file.time_s[SURVEY_CHANGED])
		to->file = more->file;
	if (used_s > to->file.time_s[SURVEY_ACCESSED])
		to->file.time_s[SURVEY_ACCESSED] = used_s;
	if (more->file.time_s[SURVEY_ACCESSED] > to->file.time_s[SURVEY_ACCESSED])
		to->file.time_s[SURVEY_ACCESSED] = more->file.time_s[SURVEY_ACCESSED];
	to->file.name = name;
	to->found += more->found;
}

const struct survey_link *survey_add_link(struct fs_survey *s, uint64_t id,
					  const struct survey_link *link,
					  struct survey_link_change *change)
{
	const size_t before = s->link_ids.count, i = idmap_number(&s->link_ids, id);
	if (!array_reserve_index(&s->link, &s->links_capacity, i, sizeof *s->link)) {
		s->no_memory = true;
		return NULL;
	}
	struct survey_link *to = &s->link[i];
	change->is_known = i < before;
	if (change->is_known)
		merge(to, link);
	else
		*to = *link;
	change->is_whole = !to->counted && to->found >= to->file.links;
	to->counted |= change->is_whole;
	return to;
}

static int by_id(const void *left, const void *right, void *context)
{
	const uint64_t *id = context;
	const uint64_t a = id[*(const uint32_t *)left], b = id[*(const uint32_t *)right];
	return a < b ? -1 : a > b;
}

uint32_t *survey_open_links(const struct fs_survey *s, size_t *count)
{
	uint32_t *number = malloc((s->link_ids.count + 1) * sizeof *number);
	*count = 0;
	for (size_t i = 0; number != NULL && i < s->link_ids.count && i < s->links_capacity; i++)
		if (!s->link[i].counted)
			number[(*count)++] = (uint32_t)i;
	if (number != NULL && *count > 0)
		qsort_r(number, *count, sizeof *number, by_id, s->link_ids.keys);
	return number;
}
