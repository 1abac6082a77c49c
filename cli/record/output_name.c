/* SPDX-License-Identifier: BSD-2-Clause */
#include "output_name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first variable that is set. The rank in SLURM_PROCID is that of a step of a job only. */
static const char *rank_of_job(void)
{
	static const char *const names[] = {
	    "PMIX_RANK",   "PMI_RANK",    "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
	    "PALS_RANKID", "ALPS_APP_PE", "FLUX_TASK_RANK"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]) != NULL)
			return getenv(names[i]);
	return getenv("SLURM_STEP_ID") != NULL ? getenv("SLURM_PROCID") : NULL;
}

static const char *number_of_job(void)
{
	static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID",
					    "FLUX_JOB_ID"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]) != NULL)
			return getenv(names[i]);
	return NULL;
}

struct name_values {
	char pid[16], host[HOST_NAME_MAX + 1];
	const char *rank, *job;
};

static const char *value_of(const struct name_values *v, char letter)
{
	switch (letter) {
	case 'p':
		return v->pid;
	case 'h':
		return v->host;
	case 'r':
		return v->rank;
	case 'j':
		return v->job;
	case '%':
		return "%";
	default:
		return NULL;
	}
}

static const char *refuse(char letter, char why[128])
{
	if (letter == 'r')
		return "%r: no variable of the environment has the rank in an MPI job";
	if (letter == 'j')
		return "%j: no variable of the environment has the number of a batch job";
	(void)snprintf(why, 128, "-o has %%%c, expected %%p, %%h, %%r, %%j or %%%%", letter);
	return why;
}

const char *output_name_expand(const char *pattern, pid_t pid, char *out, size_t capacity,
			       char why[128])
{
	struct name_values v = {.rank = rank_of_job(), .job = number_of_job()};
	size_t n = 0;
	(void)snprintf(v.pid, sizeof(v.pid), "%ld", (long)pid);
	if (gethostname(v.host, sizeof(v.host) - 1) != 0)
		return "the name of the host is unknown";
	for (const char *p = pattern; *p != '\0'; p++) {
		const char letter[2] = {*p, '\0'};
		const char *text = letter;
		if (*p == '%') {
			text = value_of(&v, p[1]);
			if (text == NULL)
				return refuse(p[1], why);
			p++;
		}
		const size_t size = strlen(text);
		if (size >= capacity - n)
			return "the name of the trace is too long";
		memcpy(out + n, text, size + 1);
		n += size;
	}
	return n > 0 ? NULL : "the name of the trace is empty";
}
