/* SPDX-License-Identifier: BSD-2-Clause */
#include "match.h"

#include <string.h>

#include "cli/print/text.h"
#include "cli/print/tsv.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

struct match_document {
	const struct match *match;
	const size_t *jobs;
};

static void set_strategy(struct iot_row *to, void *source)
{
	static const char *const names[STRATEGIES] = {"weighted", "simple", "discard", "double"};
	const struct match *m = ((struct match_document *)source)->match;
	row_word(to, &metrics.match_strategy, names[to->number]);
	row_number(to, &metrics.matched_bytes, m->of[to->number].matched);
	row_number(to, &metrics.unmatched_bytes, m->of[to->number].unmatched);
}

static void set_kind(struct iot_row *to, void *source)
{
	static const char *const names[MATCH_KINDS] = {"none", "one", "several"};
	const struct match *m = ((struct match_document *)source)->match;
	row_word(to, &metrics.sample_jobs, names[to->number]);
	row_number(to, &metrics.matched_samples, m->samples[to->number]);
	row_number(to, &metrics.matched_bytes, m->bytes[to->number]);
}

static void set_job(struct iot_row *to, void *source)
{
	const struct match_document *d = source;
	const size_t i = d->jobs[to->number];
	const struct matched_job *job = &d->match->job[i];
	const struct listed_job *listed = &d->match->hosts->list->job[i];
	row_text(to, &metrics.job, listed->text[LISTED_ID], strlen(listed->text[LISTED_ID]));
	row_number(to, &metrics.job_run, listed->run);
	row_number(to, &metrics.matched_samples, job->samples);
	row_number(to, &metrics.matched_bytes, job->bytes);
	row_number(to, &metrics.match_bound, job->bound);
}

static const struct iot_column strategy_columns[] =
    COLUMN_LIST(COLUMN(match_strategy), COLUMN(matched_bytes), COLUMN(unmatched_bytes));
static const struct iot_column kind_columns[] =
    COLUMN_LIST(COLUMN(sample_jobs), COLUMN(matched_samples), COLUMN(matched_bytes));
static const struct iot_column job_columns[] =
    COLUMN_LIST(COLUMN(job), COLUMN(job_run), COLUMN(matched_samples), COLUMN(matched_bytes),
		COLUMN(match_bound));

void match_print_text(struct output *o, const struct match *m)
{
	static const struct text_column kinds[] =
	    COLUMN_LIST(TEXT(sample_jobs, -12, 0), TEXT(matched_samples, 10, 0),
			TEXT_AS(matched_bytes, "bytes", 14, 4));
	static const struct text_column strategies[] = COLUMN_LIST(
	    TEXT(match_strategy, -12, 0), TEXT(matched_bytes, 14, 4), TEXT(unmatched_bytes, 14, 4));
	struct match_document d = {.match = m};
	const struct iot_table by_kind = TABLE_ROWS(kind_columns, MATCH_KINDS, set_kind, &d);
	const struct iot_table by_strategy =
	    TABLE_ROWS(strategy_columns, STRATEGIES, set_strategy, &d);
	print_text(o, kinds, COLUMN_COUNT(kinds), NULL, &by_kind);
	output_text(o, "\n");
	print_text(o, strategies, COLUMN_COUNT(strategies), NULL, &by_strategy);
}

void match_print_tsv(struct output *o, const struct match *m, const size_t *jobs, size_t count)
{
	struct match_document d = {.match = m, .jobs = jobs};
	const struct iot_table table = TABLE_ROWS(job_columns, count, set_job, &d);
	print_tsv(o, &table);
}
