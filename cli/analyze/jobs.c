/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/jobs/job_list.h"
#include "lib/base/array.h"
#include "lib/result/names.h"

#include "shown.h"

const char *const analyze_sum_names[ANALYZE_SUMS] = {
    NAME_OF(reads),          NAME_OF(writes),        NAME_OF(requests),
    NAME_OF(read_bytes),     NAME_OF(written_bytes), NAME_OF(bytes),
    NAME_OF(files),          NAME_OF(created),       NAME_OF(asynchronous_requests),
    NAME_OF(unknown_offsets)};

const struct group_column analyze_group_columns[ANALYZE_GROUP_COLUMNS] = {
    {VALUE(time, node_bytes_per_s), "MiB/s/CN", 1.0 / (1 << 20)},
    {VALUE(time, io_share), "in I/O %", 100},
    {VALUE(time, operation_share), "metad. %", 100},
    {VALUE(processes, files_per_process), "files/P", 1},
    {VALUE(processes, created_per_process), "creat./P", 1},
    {VALUE(order, ascending_share), "sequen.%", 100},
    {VALUE(sizes, aligned_share), "aligned%", 100},
    {VALUE(processes, bytes_per_process), "MiB/P", 1.0 / (1 << 20)}};

static void free_job(struct analyze_job *job)
{
	for (unsigned i = 0; i < ANALYZE_GROUP_LEVELS; i++)
		free(job->group[i]);
	free(job->name);
	free(job->path);
	free(job);
}

static void fill_sums(struct analyze_job *job, const struct iot_analyze *a)
{
	for (size_t i = 0; i < ANALYZE_SUMS; i++) {
		const struct iot_analyze_value *v =
		    iot_analyze_find(a, SECTION_OF(totals), analyze_sum_names[i], NULL);
		job->is_known[i] = v != NULL && v->kind == IOT_VALUE_NUMBER;
		job->sum[i] = job->is_known[i] ? v->number : 0;
	}
}

/* Returns false if out of memory. */
static bool fill_job(struct analyze_job *job, const struct analyze_jobs *j,
		     const struct analyze_job_of *of)
{
	job->name = strdup(of->name);
	job->path = strdup(of->path);
	job->listed = of->listed;
	memcpy(job->value, of->value, member_values_count * sizeof *job->value);
	fill_sums(job, of->analysis);
	bool done = job->name != NULL && job->path != NULL;
	for (unsigned i = 0; i < j->grouping.levels && done; i++)
		done = analyze_group_of(&job->group[i], j->grouping.by[i], of);
	return done;
}

static struct analyze_job *new_job(const struct analyze_jobs *j, const struct analyze_job_of *of)
{
	struct analyze_job *job = calloc(1, sizeof *job + member_values_count * sizeof *job->value);
	if (job == NULL || fill_job(job, j, of))
		return job;
	free_job(job);
	return NULL;
}

int analyze_jobs_add(void *jobs, const struct analyze_job_of *of)
{
	struct analyze_jobs *j = jobs;
	if (j->count == ANALYZE_JOBS_MAX)
		return IOT_ELIMIT;
	if (!array_reserve(&j->job, &j->capacity, j->count + 1, sizeof(struct analyze_job *)))
		return IOT_ENOMEM;
	struct analyze_job *job = new_job(j, of);
	if (job == NULL)
		return IOT_ENOMEM;
	j->job[j->count++] = job;
	return j->has_workflow ? analyze_workflow_add(&j->workflow, of->analysis) : IOT_OK;
}

void analyze_jobs_free(struct analyze_jobs *j)
{
	for (size_t i = 0; i < j->count; i++)
		free_job(j->job[i]);
	free(j->job);
	analyze_workflow_free(&j->workflow);
	*j = (struct analyze_jobs){.job = NULL};
}

/* Populations */

struct job_group analyze_jobs_all(const struct analyze_jobs *j)
{
	return (struct job_group){.job = j->job, .count = j->count};
}

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;
	return a < b ? -1 : a > b;
}

void analyze_group_collect(const struct job_group *g, size_t value, struct population *p)
{
	p->n = 0;
	for (size_t i = 0; i < g->count; i++)
		if (!isnan(g->job[i]->value[value]))
			p->value[p->n++] = g->job[i]->value[value];
	if (p->n > 0)
		qsort(p->value, p->n, sizeof *p->value, by_value);
}

struct analyze_sum analyze_group_sum(const struct job_group *g, size_t i)
{
	struct analyze_sum s = {0};
	for (size_t k = 0; k < g->count; k++) {
		s.known += g->job[k]->is_known[i];
		s.unknown += !g->job[k]->is_known[i];
		if (__builtin_add_overflow(s.sum, g->job[k]->sum[i], &s.sum))
			s.sum = UINT64_MAX;
	}
	return s;
}

uint64_t analyze_jobs_sum(const struct analyze_jobs *j, const char *name)
{
	const struct job_group all = analyze_jobs_all(j);
	size_t i = 0;
	while (strcmp(analyze_sum_names[i], name) != 0)
		i++;
	return analyze_group_sum(&all, i).sum;
}

/* Order */

static double bytes_of(const struct analyze_job *job)
{
	enum { BYTES = 5 };
	return (double)job->sum[BYTES];
}

static int by_bytes(const void *left, const void *right)
{
	const struct analyze_job *a = *(struct analyze_job *const *)left,
				 *b = *(struct analyze_job *const *)right;
	if (bytes_of(a) != bytes_of(b))
		return bytes_of(a) > bytes_of(b) ? -1 : 1;
	return strcmp(a->name, b->name);
}

void analyze_jobs_sort(struct analyze_jobs *j)
{
	if (j->count > 0)
		qsort(j->job, j->count, sizeof(struct analyze_job *), by_bytes);
}

static int compare_groups(const struct analyze_job *a, const struct analyze_job *b)
{
	int order = 0;
	for (unsigned i = 0; i < ANALYZE_GROUP_LEVELS && order == 0; i++)
		order = analyze_group_compare(a->group[i], b->group[i]);
	return order;
}

static int by_group(const void *left, const void *right)
{
	const struct analyze_job *a = *(struct analyze_job *const *)left,
				 *b = *(struct analyze_job *const *)right;
	const int order = compare_groups(a, b);
	return order != 0 ? order : strcmp(a->name, b->name);
}

static int by_group_bytes(const void *left, const void *right)
{
	const struct job_group *a = left, *b = right;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return compare_groups(a->job[0], b->job[0]);
}

static void add_hours(double *sum, double hours)
{
	if (!isnan(hours))
		*sum = isnan(*sum) ? hours : *sum + hours;
}

/* Adds the listed jobs to the groups, which are sorted by their names. */
static void add_listed(const struct analyze_jobs *j, struct job_group *group, size_t n)
{
	const enum analyze_group_by by = j->grouping.by[0];
	const enum listed_text which = by == ANALYZE_GROUP_USER ? LISTED_USER : LISTED_ACCOUNT;
	if (j->list == NULL || j->grouping.levels != 1 ||
	    (by != ANALYZE_GROUP_USER && by != ANALYZE_GROUP_ACCOUNT))
		return;
	for (size_t i = 0; i < j->list->count; i++) {
		const struct listed_job *job = &j->list->job[i];
		size_t from = 0, to = n;
		while (from < to) {
			const size_t middle = from + (to - from) / 2;
			if (analyze_group_compare(group[middle].job[0]->group[0],
						  job->text[which]) < 0)
				from = middle + 1;
			else
				to = middle;
		}
		if (from == n ||
		    analyze_group_compare(group[from].job[0]->group[0], job->text[which]) != 0)
			continue;
		group[from].listed++;
		add_hours(&group[from].listed_core_hours, listed_core_hours(job));
	}
}

size_t analyze_jobs_group(struct analyze_jobs *j, struct job_group *group)
{
	size_t n = 0;
	if (j->count > 0)
		qsort(j->job, j->count, sizeof(struct analyze_job *), by_group);
	for (size_t i = 0; i < j->count; i++) {
		if (i == 0 || compare_groups(j->job[i - 1], j->job[i]) != 0)
			group[n++] = (struct job_group){.job = &j->job[i],
							.core_hours = (double)NAN,
							.listed_core_hours = (double)NAN};
		group[n - 1].count++;
		group[n - 1].bytes += bytes_of(j->job[i]);
		if (j->job[i]->listed != NULL)
			add_hours(&group[n - 1].core_hours, listed_core_hours(j->job[i]->listed));
	}
	add_listed(j, group, n);
	if (n > 0)
		qsort(group, n, sizeof *group, by_group_bytes);
	return n;
}
