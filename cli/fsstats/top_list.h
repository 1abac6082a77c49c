/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The largest files or directories of a survey, with their paths. The lists of disjoint sets of
 * entries add up exactly, in any order.
 */
#ifndef CLI_FSSTATS_TOP_LIST_H
#define CLI_FSSTATS_TOP_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOP_LIST_MAX = 100, TOP_PATH_MAX = 4096 };

struct top_entry {
	uint64_t value;
	/*
	 * The identity of a file with several links, which has the least of its paths; else zeros.
	 */
	uint64_t device, inode;
	char *path; /* escaped */
};

/* By value, descending, then by path. All zeros: empty. */
struct top_list {
	struct top_entry entry[TOP_LIST_MAX];
	size_t count;
};

/* Returns whether an entry with this value could be in the list. */
static inline bool top_list_wants(const struct top_list *l, uint64_t value)
{
	return l->count < TOP_LIST_MAX || value >= l->entry[TOP_LIST_MAX - 1].value;
}

/* Adds an entry with a copy of its path. Returns false if out of memory. */
bool top_list_add(struct top_list *l, const struct top_entry *entry);
/* Adds the entries of another list. Returns false if out of memory. */
bool top_list_join(struct top_list *l, const struct top_list *more);
void top_list_free(struct top_list *l);

#endif
