/* SPDX-License-Identifier: BSD-2-Clause */
/* What a tracer could not see, as a table for the documents of commands. */
#ifndef CLI_VIEWS_UNSEEN_H
#define CLI_VIEWS_UNSEEN_H

#include "lib/format/unseen.h"
#include "lib/result/row.h"

struct unseen_view {
	const struct unseen *unseen;
	enum unseen_why why[UNSEEN_WHYS]; /* those with programs */
	char name[UNSEEN_NAME];
	struct iot_table table, reasons;
};

void unseen_view(struct unseen_view *view, const struct unseen *unseen);
/* Sets a cell to the table; leaves it unknown if everything was seen. */
void unseen_view_set(struct iot_row *to, const struct unseen_view *view);

#endif
