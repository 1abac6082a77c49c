/* SPDX-License-Identifier: BSD-2-Clause */
#include "job.h"

#include <stddef.h>
#include <stdlib.h>

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

/* Without a batch system, Open MPI numbers the runs of mpirun. */
const char *job_number(void)
{
	static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID",      "LSB_JOBID",
					    "FLUX_JOB_ID",  "PMIX_NAMESPACE", NULL};
	return first_of(names);
}

/* The rank in SLURM_PROCID is that of a step of a job only. */
const char *job_rank(void)
{
	static const char *const names[] = {
	    "PMIX_RANK",   "PMI_RANK",    "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
	    "PALS_RANKID", "ALPS_APP_PE", "FLUX_TASK_RANK",       NULL};
	const char *rank = first_of(names);
	return rank == NULL && getenv("SLURM_STEP_ID") != NULL ? getenv("SLURM_PROCID") : rank;
}
