/* SPDX-License-Identifier: BSD-2-Clause */
/* The batch job and the MPI rank of this process, from variables that launchers set. */
#ifndef CLI_RECORD_JOB_H
#define CLI_RECORD_JOB_H

enum { JOB_NUMBER = 128 };

/* These functions return NULL if no variable of the environment declares the number. */
const char *job_number(char number[JOB_NUMBER]);
const char *job_rank(void);

#endif
