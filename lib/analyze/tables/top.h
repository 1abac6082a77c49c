/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of the files or processes with most bytes, requests and time. */
#ifndef LIB_ANALYZE_TABLES_TOP_H
#define LIB_ANALYZE_TABLES_TOP_H

#include "tables.h"

enum top_by { TOP_BYTES, TOP_REQUESTS, TOP_TIME, TOP_LISTS };

struct top_lists {
	size_t size; /* of a list */
	struct top_list {
		struct table_rank *rank; /* in order */
		size_t count, capacity;
	} of[TOP_LISTS];
	bool failed; /* out of memory */
};

void top_init(struct top_lists *top, size_t size);
void top_add(struct top_lists *top, struct table_rank rank, const struct row_sums *sums,
	     uint64_t ns);
/* As values of the current section, with the paths of files. */
void top_values(const struct top_lists *top, const struct row_table *t, bool files,
		struct values *v);
void top_free(struct top_lists *top);

#endif
