/* SPDX-License-Identifier: BSD-2-Clause */
#include "picks.h"

#include <string.h>

#include "cli/jobs/job_list.h"
#include "cli/print/text.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

static void set_pick(struct iot_row *to, void *source)
{
	const struct pick *p = &((const struct picks *)source)->pick[to->number];
	row_text(to, &metrics.pick, p->text, strlen(p->text));
	if (p->job == NULL)
		return;
	row_word(to, &metrics.job, p->job->name);
	row_real(to, &metrics.value, p->job->value[p->value]);
	row_word(to, &metrics.input, p->job->path);
	if (p->job->listed == NULL)
		return;
	row_word(to, &metrics.user, p->job->listed->text[LISTED_USER]);
	row_word(to, &metrics.account, p->job->listed->text[LISTED_ACCOUNT]);
}

static void set_picks(struct iot_row *to, void *source)
{
	row_table(to, &metrics.picks, source);
}

void picks_print(struct output *out, struct picks *p, const struct print_form *form)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(pick), COLUMN(job), COLUMN(value), COLUMN(user), COLUMN(account), COLUMN(input));
	static const struct text_column shown[] =
	    COLUMN_LIST(TEXT(pick, -24, 0), TEXT(job, -12, 0), TEXT_AS(value, "value", 10, -4),
			TEXT(user, 10, 0), TEXT(account, 10, 0), TEXT(input, 0, 0));
	static const struct iot_column lists[] = COLUMN_LIST(COLUMN(picks));
	const struct iot_table table = TABLE_ROWS(columns, p->count, set_pick, p);
	const struct iot_table document = TABLE_RECORD(lists, set_picks, (void *)&table);
	if (form != NULL)
		print_in_form(form, out, &document, &table);
	else
		print_text(out, shown, COLUMN_COUNT(shown), "input", &table);
}
