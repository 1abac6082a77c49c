/* SPDX-License-Identifier: BSD-2-Clause */
/* What a match says of jobs: their ids in samples, and what none of them got. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"

#include "match.h"

enum { ID_MAX = 4096 };

size_t match_job_id(const struct listed_job *job, char id[MATCH_ID_SIZE])
{
	size_t size = strlen(job->text[LISTED_ID]);
	if (size > ID_MAX)
		size = ID_MAX;
	memcpy(id, job->text[LISTED_ID], size);
	if (job->run > 1) {
		id[size++] = '#';
		size += number_dec(id + size, job->run);
	}
	return size;
}

const struct listed_job *match_find_job(const struct job_list *list, const char *id)
{
	const char *sign = strrchr(id, '#');
	const size_t size = sign != NULL ? (size_t)(sign - id) : strlen(id);
	char first[MATCH_ID_SIZE];
	uint64_t run = 1;
	if (size >= sizeof first ||
	    (sign != NULL && !number_decimal(sign + 1, strlen(sign + 1), &run)))
		return job_list_find(list, id);
	memcpy(first, id, size);
	first[size] = '\0';
	const struct listed_job *last = job_list_find(list, first);
	return last != NULL && run >= 1 && run <= last->run ? last - (last->run - run)
							    : job_list_find(list, id);
}

static void warn_count(uint64_t count, const char *what)
{
	if (count > 0)
		message_print("warning: %ju %s", (uintmax_t)count, what);
}

static void warn(const struct match *m)
{
	warn_count(m->hosts->wrong, "jobs whose list of hosts is not understood");
	warn_count(m->hosts->without_hosts, "jobs without hosts");
	warn_count(m->gaps, "samples with gap=1 that several jobs share belong to no job");
	warn_count(m->had_job, "samples have a job already and keep it");
	warn_count(m->idle_bytes, "bytes are of hosts on which no job ran");
}

enum exit_status match_report(const struct match *m, bool quiet)
{
	if (!quiet)
		warn(m);
	const enum exit_status status = wrong_samples_report(&m->wrong);
	if (m->samples[MATCH_NO_JOB] + m->samples[MATCH_ONE_JOB] + m->samples[MATCH_CONFLICT] +
		m->had_job + m->wrong.count ==
	    0) {
		message_print("no samples: expected %%sample directives with host= and took=");
		return EXIT_FAILED;
	}
	if (!quiet && !m->has_epoch)
		warn_count(1, "trace without epoch=: its times count as times since 1970");
	return status;
}
