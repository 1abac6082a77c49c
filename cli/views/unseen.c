/* SPDX-License-Identifier: BSD-2-Clause */
#include "unseen.h"

#include <string.h>

#include "lib/result/columns.h"

static void set_reason(struct iot_row *to, void *source)
{
	struct unseen_view *view = source;
	const enum unseen_why why = view->why[to->number];
	const char *encoded = view->unseen->name[why];
	const size_t size =
	    iot_percent_decode((struct iot_text){encoded, strlen(encoded)}, view->name, NULL);
	row_word(to, &metrics.why, unseen_why_name(why));
	row_number(to, &metrics.unseen_programs, view->unseen->programs[why]);
	if (size > 0)
		row_text(to, &metrics.unseen_program, view->name, size);
}

static void set_unseen(struct iot_row *to, void *source)
{
	const struct unseen_view *view = source;
	row_number(to, &metrics.unseen_programs, unseen_programs(view->unseen));
	row_table(to, &metrics.reasons, &view->reasons);
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		row_number(to, &metrics.unseen_calls, view->unseen->calls[i]);
	row_word(to, &metrics.remedy, unseen_remedy(view->unseen));
}

enum { BEFORE = 2, COLUMNS = BEFORE + UNSEEN_CALLS + 1 };

/* Each kind of calls is a column under its own name. */
static const struct iot_column *columns(void)
{
	static struct iot_column column[COLUMNS] =
	    COLUMN_LIST(COLUMN_AS(unseen_programs, "programs"), COLUMN(reasons));
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		column[BEFORE + i] = (struct iot_column)COLUMN(unseen_calls);
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		column[BEFORE + i].name = unseen_calls_name(i);
	column[COLUMNS - 1] = (struct iot_column)COLUMN(remedy);
	return column;
}

void unseen_view(struct unseen_view *view, const struct unseen *unseen)
{
	static const struct iot_column reason[] =
	    COLUMN_LIST(COLUMN(why), COLUMN_AS(unseen_programs, "programs"),
			COLUMN_AS(unseen_program, "first"));
	size_t reasons = 0;
	view->unseen = unseen;
	for (unsigned i = 0; i < UNSEEN_WHYS; i++)
		if (unseen->programs[i] > 0)
			view->why[reasons++] = i;
	view->reasons = (struct iot_table)TABLE_ROWS(reason, reasons, set_reason, view);
	view->table = (struct iot_table){IOT_SHAPE_RECORD, COLUMNS, 1, columns(), set_unseen, view};
}

void unseen_view_set(struct iot_row *to, const struct unseen_view *view)
{
	if (unseen_possible(view->unseen))
		row_table(to, &metrics.unseen, &view->table);
}
