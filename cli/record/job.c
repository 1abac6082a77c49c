/* SPDX-License-Identifier: BSD-2-Clause */
#include "job.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the value of the first variable that is set and not empty. */
static const char *first_of(const char *const *names)
{
	for (; *names != NULL; names++) {
		const char *value = getenv(*names);
		if (value != NULL && *value != '\0')
			return value;
	}
	return NULL;
}

/* The elements of an array of LSF share LSB_JOBID; LSB_JOBINDEX is 0 in other jobs. */
static const char *lsf_number(char number[JOB_NUMBER])
{
	const char *job = getenv("LSB_JOBID"), *element = getenv("LSB_JOBINDEX");
	if (element == NULL || *element == '\0' || strcmp(element, "0") == 0)
		return job;
	const int n = snprintf(number, JOB_NUMBER, "%s.%s", job, element);
	return n < JOB_NUMBER ? number : job;
}

/* Without a batch system, Open MPI numbers the runs of mpirun. */
const char *job_number(char number[JOB_NUMBER])
{
	static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID",      "LSB_JOBID",
					    "FLUX_JOB_ID",  "PMIX_NAMESPACE", NULL};
	const char *job = first_of(names);
	return job != NULL && job == getenv("LSB_JOBID") ? lsf_number(number) : job;
}

/* SLURM_PROCID is a rank in a step of a job only. */
const char *job_rank(void)
{
	static const char *const names[] = {
	    "PMIX_RANK",   "PMI_RANK",    "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
	    "PALS_RANKID", "ALPS_APP_PE", "FLUX_TASK_RANK",       NULL};
	const char *rank = first_of(names);
	return rank == NULL && getenv("SLURM_STEP_ID") != NULL ? getenv("SLURM_PROCID") : rank;
}
