/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trees that a survey covers, as hashes of their absolute paths, so that surveys of the same
 * files are not added. A tree can be divided into numbered parts.
 */
#ifndef CLI_FSSTATS_ROOT_LIST_H
#define CLI_FSSTATS_ROOT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROOT_PARTS_MAX = 1 << 16, ROOT_DEPTH_MAX = 1024 };

struct survey_root {
	uint64_t id;
	uint32_t part, parts; /* 1 of 1: the whole tree */
	uint64_t *above;      /* the ids of the directories that contain it, from the outermost */
	size_t above_count;
};

/* All zeros: empty. Sorted by id and part. */
struct root_list {
	struct survey_root *root;
	size_t count, capacity;
};

/* Adds a tree by its absolute path, without links. Returns false if out of memory. */
bool root_list_add_path(struct root_list *l, const char *path, uint32_t part, uint32_t parts);
/* Adds a copy. Returns false if out of memory. */
bool root_list_add(struct root_list *l, const struct survey_root *root);
/* Returns whether the trees of both lists can have files in common. */
bool root_list_overlaps(const struct root_list *a, const struct root_list *b);
bool root_list_equals(const struct root_list *a, const struct root_list *b);
/* Adds the trees of another list, and joins all parts of a tree. Returns false if out of memory. */
bool root_list_join(struct root_list *l, const struct root_list *more);
void root_list_free(struct root_list *l);
/* Returns the id of an absolute path of n bytes. */
uint64_t root_list_id(const char *path, size_t n);

#endif
