/* SPDX-License-Identifier: BSD-2-Clause */
#include "root_list.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/array.h"

uint64_t root_list_id(const char *path, size_t n)
{
	return XXH3_64bits(path, n);
}

static int by_id(const void *left, const void *right)
{
	const struct survey_root *a = left, *b = right;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->part < b->part ? -1 : a->part > b->part;
}

bool root_list_add(struct root_list *l, const struct survey_root *root)
{
	struct survey_root copy = *root;
	if (!array_reserve(&l->root, &l->capacity, l->count + 1, sizeof *l->root))
		return false;
	copy.above = malloc((root->above_count + 1) * sizeof *copy.above);
	if (copy.above == NULL)
		return false;
	if (root->above_count > 0)
		memcpy(copy.above, root->above, root->above_count * sizeof *copy.above);
	l->root[l->count++] = copy;
	qsort(l->root, l->count, sizeof *l->root, by_id);
	return true;
}

bool root_list_add_path(struct root_list *l, const char *path, uint32_t part, uint32_t parts)
{
	uint64_t above[ROOT_DEPTH_MAX];
	const size_t size = strlen(path);
	struct survey_root r = {root_list_id(path, size), part, parts, above, 0};
	for (size_t i = 0; i < size && size > 1 && r.above_count < ROOT_DEPTH_MAX; i++)
		if (path[i] == '/')
			above[r.above_count++] = root_list_id(path, i == 0 ? 1 : i);
	return root_list_add(l, &r);
}

static bool contains(const struct survey_root *outer, const struct survey_root *inner)
{
	for (size_t i = 0; i < inner->above_count; i++)
		if (inner->above[i] == outer->id)
			return true;
	return false;
}

static bool overlap(const struct survey_root *a, const struct survey_root *b)
{
	if (a->id != b->id)
		return contains(a, b) || contains(b, a);
	return a->parts != b->parts || a->part == b->part;
}

bool root_list_overlaps(const struct root_list *a, const struct root_list *b)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t j = 0; j < b->count; j++)
			if (overlap(&a->root[i], &b->root[j]))
				return true;
	return false;
}

bool root_list_equals(const struct root_list *a, const struct root_list *b)
{
	for (size_t i = 0; i < a->count && a->count == b->count; i++)
		if (by_id(&a->root[i], &b->root[i]) != 0 || a->root[i].parts != b->root[i].parts)
			return false;
	return a->count == b->count;
}

/* Replaces the parts from index i by the whole tree if no part is missing. */
static void complete(struct root_list *l, size_t i)
{
	const uint32_t parts = l->root[i].parts;
	size_t n = 0;
	while (i + n < l->count && l->root[i + n].id == l->root[i].id)
		n++;
	if (n != parts || parts == 1)
		return;
	for (size_t k = 1; k < n; k++)
		free(l->root[i + k].above);
	memmove(l->root + i + 1, l->root + i + n, (l->count - i - n) * sizeof *l->root);
	l->count -= n - 1;
	l->root[i].part = l->root[i].parts = 1;
}

bool root_list_join(struct root_list *l, const struct root_list *more)
{
	for (size_t i = 0; i < more->count; i++)
		if (!root_list_add(l, &more->root[i]))
			return false;
	for (size_t i = 0; i < l->count; i++)
		complete(l, i);
	return true;
}

void root_list_free(struct root_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->root[i].above);
	free(l->root);
	*l = (struct root_list){NULL, 0, 0};
}
