/* SPDX-License-Identifier: BSD-2-Clause */
#include "job_coverage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/jobs/job_list.h"
#include "cli/print/text.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

enum { NAMED = 10 };

/* Counting */

static int by_account(const void *left, const void *right)
{
	const struct listed_job *a = *(const struct listed_job *const *)left,
				*b = *(const struct listed_job *const *)right;
	const int order = strcmp(a->text[LISTED_ACCOUNT], b->text[LISTED_ACCOUNT]);
	return order != 0 ? order : b->has_log - a->has_log;
}

/* Counts different accounts, of which the jobs with a log are first. Returns false if out of
 * memory. */
static bool count_accounts(struct job_coverage *c)
{
	const struct job_list *l = c->jobs->list;
	const struct listed_job **job = calloc(l->count + 1, sizeof(struct listed_job *));
	size_t n = 0;
	if (job == NULL)
		return false;
	for (size_t i = 0; i < l->count; i++)
		if (l->job[i].text[LISTED_ACCOUNT] != NULL)
			job[n++] = &l->job[i];
	if (n > 0)
		qsort(job, n, sizeof(struct listed_job *), by_account);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 &&
		    strcmp(job[i - 1]->text[LISTED_ACCOUNT], job[i]->text[LISTED_ACCOUNT]) == 0)
			continue;
		c->accounts++;
		c->logged_accounts += job[i]->has_log;
	}
	free(job);
	return true;
}

static void count_jobs(struct job_coverage *c)
{
	const struct job_list *l = c->jobs->list;
	for (size_t i = 0; i < l->count; i++) {
		const double hours = listed_core_hours(&l->job[i]);
		c->listed++;
		c->logged += l->job[i].has_log;
		if (isnan(hours))
			continue;
		c->listed_core_hours = isnan(c->listed_core_hours) ? 0 : c->listed_core_hours;
		c->core_hours = isnan(c->core_hours) ? 0 : c->core_hours;
		c->listed_core_hours += hours;
		c->core_hours += l->job[i].has_log ? hours : 0;
	}
	for (size_t i = 0; i < c->jobs->count; i++)
		c->unlisted += c->jobs->job[i]->listed == NULL;
}

/* Tables */

/* Returns the id of a job, with the number of the run after the first one. */
static const char *run_name(const struct listed_job *job)
{
	static char text[512];
	if (job->run == 1)
		return job->text[LISTED_ID];
	snprintf(text, sizeof text, "%.500s#%u", job->text[LISTED_ID], job->run);
	return text;
}

static bool is_named(const struct job_coverage *c, bool listed, size_t i)
{
	return listed ? !c->jobs->list->job[i].has_log : c->jobs->job[i]->listed == NULL;
}

/* Returns the number of the job in row `row` of a list of names; rows are read in order. */
static size_t named_job(struct job_coverage *c, bool listed, size_t row)
{
	if (row != c->next_row[listed])
		c->next_row[listed] = c->next[listed] = 0;
	size_t i = c->next[listed];
	for (size_t left = row - c->next_row[listed]; left > 0 || !is_named(c, listed, i); i++)
		left -= is_named(c, listed, i);
	c->next_row[listed] = row + 1;
	c->next[listed] = i + 1;
	return i;
}

static void set_without_log(struct iot_row *to, void *source)
{
	struct job_coverage *c = source;
	const size_t i = named_job(c, true, to->number);
	row_word(to, &metrics.key, run_name(&c->jobs->list->job[i]));
}

static void set_not_listed(struct iot_row *to, void *source)
{
	struct job_coverage *c = source;
	row_word(to, &metrics.key, c->jobs->job[named_job(c, false, to->number)]->name);
}

static void set_coverage(struct iot_row *to, void *source)
{
	const struct job_coverage *c = source;
	row_number(to, &metrics.listed_jobs, c->listed);
	row_number(to, &metrics.logged_jobs, c->logged);
	row_number(to, &metrics.unlisted_jobs, c->unlisted);
	row_real(to, &metrics.core_hours, c->core_hours);
	row_real(to, &metrics.listed_core_hours, c->listed_core_hours);
	row_real(to, &metrics.core_hours_share, c->core_hours / c->listed_core_hours);
	row_known(to, &metrics.listed_accounts, c->accounts > 0, c->accounts);
	row_known(to, &metrics.logged_accounts, c->accounts > 0, c->logged_accounts);
	row_table(to, &metrics.jobs_without_log, &c->without_log);
	row_table(to, &metrics.jobs_not_listed, &c->not_listed);
}

static void set_condition(struct iot_row *to, void *source)
{
	const struct where *w = ((const struct job_coverage *)source)->jobs->where;
	const bool all = to->number == w->conditions;
	const struct where_kept *kept = all ? &w->kept : &w->condition[to->number].kept;
	row_word(to, &metrics.condition, all ? "all" : w->condition[to->number].text);
	row_number(to, &metrics.jobs, kept->jobs);
	row_real(to, &metrics.job_share, (double)kept->jobs / (double)w->all.jobs);
	row_real(to, &metrics.job_time_share, kept->run_time_s / w->all.run_time_s);
	row_real(to, &metrics.node_time_share, kept->node_s / w->all.node_s);
	row_real(to, &metrics.job_bytes_share, kept->bytes / w->all.bytes);
}

static const struct iot_column name_columns[] = COLUMN_LIST(COLUMN(key));
static const struct iot_column coverage_columns[] =
    COLUMN_LIST(COLUMN(listed_jobs), COLUMN(logged_jobs), COLUMN(unlisted_jobs), COLUMN(core_hours),
		COLUMN(listed_core_hours), COLUMN(core_hours_share), COLUMN(listed_accounts),
		COLUMN(logged_accounts), COLUMN(jobs_without_log), COLUMN(jobs_not_listed));
static const struct iot_column condition_columns[] =
    COLUMN_LIST(COLUMN(condition), COLUMN(jobs), COLUMN(job_share), COLUMN(job_time_share),
		COLUMN(node_time_share), COLUMN(job_bytes_share));

static size_t lesser(uint64_t a, uint64_t b)
{
	return (size_t)(a < b ? a : b);
}

bool job_coverage_make(struct job_coverage *c, const struct analyze_jobs *jobs, uint64_t top)
{
	*c = (struct job_coverage){.jobs = jobs,
				   .top = top == UINT64_MAX ? NAMED : (size_t)top,
				   .core_hours = (double)NAN,
				   .listed_core_hours = (double)NAN};
	if (jobs->where != NULL && jobs->where->conditions > 0)
		c->selection = (struct iot_table)TABLE_ROWS(
		    condition_columns, jobs->where->conditions + 1, set_condition, c);
	if (jobs->list == NULL)
		return true;
	count_jobs(c);
	c->coverage = (struct iot_table)TABLE_RECORD(coverage_columns, set_coverage, c);
	c->without_log = (struct iot_table)TABLE_LIST(
	    name_columns, lesser(c->listed - c->logged, c->top), set_without_log, c);
	c->not_listed = (struct iot_table)TABLE_LIST(name_columns, lesser(c->unlisted, c->top),
						     set_not_listed, c);
	return count_accounts(c);
}

/* Text */

static void print_names(struct output *out, const char *what, struct iot_table *names, uint64_t all)
{
	char text[QUANTITY_TEXT];
	if (names->rows == 0)
		return;
	output_text(out, what);
	for (size_t i = 0; i < names->rows; i++) {
		struct iot_cell cell;
		iot_table_row(names, i, &cell);
		output_printf(
		    out, "%s %s", i > 0 ? "," : "",
		    quantity_text(text, IOT_NAME, (struct text_form){0, TEXT_DEFAULT}, &cell));
	}
	output_text(out, names->rows < all ? ", ...\n" : "\n");
}

void job_coverage_text(struct output *out, struct job_coverage *c)
{
	static const struct text_column kept[] = COLUMN_LIST(
	    TEXT(jobs, 10, 0), TEXT(job_share, 10, 1), TEXT(job_time_share, 10, 1),
	    TEXT(node_time_share, 12, 1), TEXT(job_bytes_share, 10, 1), TEXT(condition, 0, 0));
	static const struct text_column covered[] = COLUMN_LIST(
	    TEXT(listed_jobs, 11, 0), TEXT(logged_jobs, 10, 0), TEXT(unlisted_jobs, 10, 0),
	    TEXT(core_hours, 12, 1), TEXT(listed_core_hours, 12, 1), TEXT(core_hours_share, 8, 1),
	    TEXT(listed_accounts, 9, 0), TEXT(logged_accounts, 10, 0));
	if (c->coverage.columns > 0) {
		print_text(out, covered, COLUMN_COUNT(covered), NULL, &c->coverage);
		print_names(out, "without a log:", &c->without_log, c->listed - c->logged);
		print_names(out, "not in the list:", &c->not_listed, c->unlisted);
		output_text(out, "\n");
	}
	if (c->selection.columns > 0) {
		print_text(out, kept, COLUMN_COUNT(kept), "kept by", &c->selection);
		output_text(out, "\n");
	}
}
