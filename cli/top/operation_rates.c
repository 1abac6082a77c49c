/* SPDX-License-Identifier: BSD-2-Clause */
#include "operation_rates.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

/* The last results of an operation, which are zero if it is new; NULL if out of memory. */
static struct iot_stats_operation *find_before(struct operation_rates *r, const char *name)
{
	for (size_t i = 0; i < r->before_count; i++)
		if (strcmp(r->before[i].name, name) == 0)
			return &r->before[i];
	if (!array_reserve(&r->before, &r->before_capacity, r->before_count + 1, sizeof *r->before))
		return NULL;
	return memset(&r->before[r->before_count++], 0, sizeof *r->before);
}

static void set_row(struct operation_rate *row, const struct iot_stats_operation *all,
		    struct iot_stats_operation *before, bool has_results)
{
	*row = (struct operation_rate){.all = all, .recent = *all, .has_results = has_results};
	row->recent.calls -= before->calls;
	row->recent.failed -= before->failed;
	row->recent.timed -= before->timed;
	row->recent.ns -= before->ns;
	*before = *all;
}

static int max_time_first(const void *left, const void *right)
{
	const struct operation_rate *a = left, *b = right;
	if (a->recent.ns != b->recent.ns)
		return a->recent.ns < b->recent.ns ? 1 : -1;
	if (a->recent.calls != b->recent.calls)
		return a->recent.calls < b->recent.calls ? 1 : -1;
	/* Operations are elements of one array, most time first. */
	return (a->all > b->all) - (a->all < b->all);
}

bool operation_rates_next(struct operation_rates *r, const struct iot_stats *results)
{
	const bool has_results = iot_stats_fact(results, IOT_STATS_NO_RESULTS) == 0;
	const struct iot_stats_operation *all;
	for (r->count = 0; (all = iot_stats_operation(results, r->count)) != NULL; r->count++) {
		struct iot_stats_operation *before = find_before(r, all->name);
		if (before == NULL ||
		    !array_reserve(&r->rows, &r->row_capacity, r->count + 1, sizeof *r->rows))
			return false;
		set_row(&r->rows[r->count], all, before, has_results);
	}
	if (r->count > 0)
		qsort(r->rows, r->count, sizeof *r->rows, max_time_first);
	return true;
}

void operation_rates_free(struct operation_rates *r)
{
	free(r->before);
	free(r->rows);
}
