/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "lib/base/array.h"

#include "list_reader.h"

void list_drop(struct list_reader *r, enum job_list_drop why)
{
	if (r->list->dropped[why]++ == 0)
		r->list->first_line[why] = r->list->lines;
}

void list_add(struct list_reader *r, struct listed_job *job, struct iot_text text[LISTED_TEXTS])
{
	struct job_list *l = r->list;
	if (text[LISTED_ID].size == 0 || job->start_ns == JOB_TIME_UNKNOWN ||
	    job->end_ns < job->start_ns) {
		list_drop(r, text[LISTED_ID].size == 0           ? JOB_DROP_ID
			     : job->start_ns == JOB_TIME_UNKNOWN ? JOB_DROP_START
								 : JOB_DROP_REVERSED);
		return;
	}
	for (size_t i = 0; i < LISTED_TEXTS; i++) {
		if (text[i].size == 0)
			continue;
		char terminated[JOB_LINE_MAX + 1];
		memcpy(terminated, text[i].data, text[i].size);
		terminated[text[i].size] = '\0';
		struct iot_text copy = {terminated, text[i].size + 1};
		r->no_memory |= !text_blocks_copy(&l->texts, &copy);
		job->text[i] = copy.data;
	}
	r->no_memory |= !array_reserve(&l->job, &l->capacity, l->count + 1, sizeof *l->job);
	if (r->no_memory)
		return;
	r->last_id = job->text[LISTED_ID];
	l->job[l->count++] = *job;
}
