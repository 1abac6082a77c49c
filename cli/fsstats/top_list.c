/* SPDX-License-Identifier: BSD-2-Clause */
#include "top_list.h"

#include <stdlib.h>
#include <string.h>

static bool precedes(const struct top_entry *a, const struct top_entry *b)
{
	return a->value != b->value ? a->value > b->value : strcmp(a->path, b->path) < 0;
}

static void remove_at(struct top_list *l, size_t i)
{
	free(l->entry[i].path);
	l->count--;
	memmove(&l->entry[i], &l->entry[i + 1], (l->count - i) * sizeof *l->entry);
}

/* Returns the place of another path of the same file; l->count if there is none. */
static size_t find_other_path(const struct top_list *l, const struct top_entry *e)
{
	size_t i = 0;
	if (e->device == 0 && e->inode == 0)
		return l->count;
	while (i < l->count && (l->entry[i].device != e->device || l->entry[i].inode != e->inode))
		i++;
	return i;
}

bool top_list_add(struct top_list *l, const struct top_entry *entry)
{
	const size_t other = find_other_path(l, entry);
	size_t at;
	if (other < l->count && !precedes(entry, &l->entry[other]))
		return true;
	if (other == l->count && l->count == TOP_LIST_MAX &&
	    !precedes(entry, &l->entry[TOP_LIST_MAX - 1]))
		return true;
	char *path = strdup(entry->path);
	if (path == NULL)
		return false;
	if (other < l->count)
		remove_at(l, other);
	else if (l->count == TOP_LIST_MAX)
		remove_at(l, TOP_LIST_MAX - 1);
	for (at = l->count; at > 0 && precedes(entry, &l->entry[at - 1]); at--)
		l->entry[at] = l->entry[at - 1];
	l->entry[at] = *entry;
	l->entry[at].path = path;
	l->count++;
	return true;
}

bool top_list_join(struct top_list *l, const struct top_list *more)
{
	for (size_t i = 0; i < more->count; i++)
		if (!top_list_add(l, &more->entry[i]))
			return false;
	return true;
}

void top_list_free(struct top_list *l)
{
	while (l->count > 0)
		remove_at(l, l->count - 1);
}
