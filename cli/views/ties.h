/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of ties, which %counter directives state, as a member of results and as text. */
#ifndef CLI_VIEWS_TIES_H
#define CLI_VIEWS_TIES_H

#include <iotrace/result.h>

#include "cli/ui/output.h"
#include "lib/result/row.h"
#include "lib/ties/sums.h"

/* The source of all tables. */
struct ties_view {
	const struct tie_sums *sums; /* sorted */
	struct iot_reader *reader;   /* knows the paths of objects; NULL: none */
	size_t top;                  /* files to print as text */
	struct tie_row all;          /* the sums of all files */
	char label[4096];
	struct iot_table kinds, total, files, table;
};

void ties_view(struct ties_view *v, const struct tie_sums *sums, struct iot_reader *reader,
	       uint64_t top);
/* Sets the column `ties`, which is absent if the trace has none. */
void ties_view_set(struct iot_row *to, const struct ties_view *v);
/* Prints the files and the kinds of ties, if there are any. */
void ties_view_print(struct output *o, struct ties_view *v);

#endif
