/* SPDX-License-Identifier: BSD-2-Clause */
#include "job_set.h"

#include <stdlib.h>
#include <string.h>

#include "cli/analyze/shown.h"
#include "lib/base/array.h"
#include "lib/result/names.h"

static const struct {
	const char *section, *name, *key;
} sources[JOB_VALUES] = {
    [JOB_PROCESSES] = {VALUE(trace, processes), NULL},
    [JOB_FILES] = {VALUE(totals, files), NULL},
    [JOB_READ] = {VALUE(totals, read_bytes), NULL},
    [JOB_WRITTEN] = {VALUE(totals, written_bytes), NULL},
    [JOB_INTENSITY_R] = {VALUE(time, read_intensity), "1048576"},
    [JOB_INTENSITY_W] = {VALUE(time, write_intensity), "1048576"},
    [JOB_BURSTINESS_R] = {VALUE(time, read_burstiness), "1048576"},
    [JOB_BURSTINESS_W] = {VALUE(time, write_burstiness), "1048576"},
    [JOB_PARALLEL_R] = {VALUE(time, read_parallel_intensity_normalised), "1048576"},
    [JOB_PARALLEL_W] = {VALUE(time, write_parallel_intensity_normalised), "1048576"},
    [JOB_NODE_RATE] = {VALUE(time, node_bytes_per_s), NULL},
    [JOB_RATE] = {VALUE(time, slowest_bytes_per_s), NULL},
};

const char *const job_class_names[JOB_CLASSES] = {"0-100",   "100-1K", "1K-10K", "10K-100K",
						  "100K-1M", "1M-4M",  "4M-10M", "10M-100M",
						  "100M-1G", "1G+"};

static void count_classes(struct set_job *job, const struct iot_analyze *a)
{
	static const char *const names[2] = {NAME_OF(read_size_classes),
					     NAME_OF(write_size_classes)};
	for (unsigned w = 0; w < 2; w++)
		for (unsigned k = 0; k < JOB_CLASSES; k++) {
			const struct iot_analyze_value *v =
			    iot_analyze_find(a, SECTION_OF(sizes), names[w], job_class_names[k]);
			if (v != NULL && v->kind == IOT_VALUE_NUMBER)
				job->class_count[w][k] = v->number;
		}
}

int job_set_add(void *set, const struct analyze_job_of *of)
{
	struct job_set *s = set;
	if (s->count == ANALYZE_GROUPED_MAX)
		return IOT_ELIMIT;
	if (!array_reserve(&s->job, &s->capacity, s->count + 1, sizeof *s->job))
		return IOT_ENOMEM;
	struct set_job *job = &s->job[s->count];
	*job = (struct set_job){.name = strdup(of->name)};
	if (job->name == NULL)
		return IOT_ENOMEM;
	s->count++;
	if (s->by != JOB_NOT_GROUPED &&
	    !analyze_group_of(&job->group, (enum analyze_group_by)s->by, of))
		return IOT_ENOMEM;
	for (size_t i = 0; i < JOB_VALUES; i++)
		job->value[i] = shown_known(iot_analyze_find(of->analysis, sources[i].section,
							     sources[i].name, sources[i].key));
	count_classes(job, of->analysis);
	return IOT_OK;
}

static int by_group(const void *left, const void *right)
{
	const struct set_job *a = left, *b = right;
	const int order = analyze_group_compare(a->group, b->group);
	return order != 0 ? order : strcmp(a->name, b->name);
}

bool job_set_sort(struct job_set *s)
{
	s->group = calloc(s->count + 1, sizeof *s->group);
	if (s->group == NULL)
		return false;
	if (s->count > 0)
		qsort(s->job, s->count, sizeof *s->job, by_group);
	s->groups = analyze_groups_find(s->job, s->count, sizeof *s->job, s->group);
	return true;
}

const char *job_set_group_name(const struct job_set *s, const struct analyze_group *group)
{
	return s->by == JOB_NOT_GROUPED ? "all jobs" : group->name != NULL ? group->name : "-";
}

const char *job_set_by(const struct job_set *s)
{
	return s->by == JOB_NOT_GROUPED ? "group" : analyze_group_names[s->by];
}

void job_set_free(struct job_set *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->job[i].group);
		free(s->job[i].name);
	}
	free(s->job);
	free(s->group);
	*s = (struct job_set){.by = s->by};
}
