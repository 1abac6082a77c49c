/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of the jobs of a batch system: the output of Slurm's sacct, accounting logs of PBS, and
 * tables of any other scheduler as CSV.
 */
#ifndef CLI_JOBS_JOB_LIST_H
#define CLI_JOBS_JOB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cmd.h"
#include "lib/base/text_blocks.h"

enum { JOB_LIST_MAX = 1 << 22, JOB_LINE_MAX = 1 << 16 /* bytes of a line */ };
#define JOB_TIME_UNKNOWN INT64_MAX

enum listed_text {
	LISTED_ID,
	LISTED_NAME,
	LISTED_USER,
	LISTED_ACCOUNT,
	LISTED_STATE,
	LISTED_CLUSTER,
	LISTED_HOSTS, /* as in Slurm: n[001-004,7],login1 */
	LISTED_TEXTS
};

/* One run of a job. */
struct listed_job {
	const char *text[LISTED_TEXTS];  /* NULL: unknown */
	int64_t start_ns, end_ns;        /* since 1970; end: JOB_TIME_UNKNOWN while it runs */
	uint64_t nodes, cpus, processes; /* 0: unknown */
	uint32_t run;                    /* among the runs of one id, from 1 */
	bool has_log;                    /* set by the user of the list */
};

/* Lines that are not jobs. */
enum job_list_drop {
	JOB_DROP_WIDTH,    /* another number of fields than the header */
	JOB_DROP_LONG,     /* longer than JOB_LINE_MAX */
	JOB_DROP_ID,       /* without an id */
	JOB_DROP_START,    /* never started */
	JOB_DROP_TIME,     /* a time that is not understood */
	JOB_DROP_NUMBER,   /* a number that is not understood */
	JOB_DROP_REVERSED, /* ends before it starts */
	JOB_DROP_SYNTAX,   /* not a line of such a list */
	JOB_DROP_REPEATED, /* the same run again */
	JOB_DROPS
};

/* All zeros: empty. */
struct job_list {
	struct listed_job *job; /* sorted by id, then by start */
	size_t count, capacity;
	struct text_blocks texts;
	uint64_t lines, steps;
	uint64_t dropped[JOB_DROPS], first_line[JOB_DROPS];
	bool assumes_utc; /* times without a zone were read as UTC, without --tz */
};

struct job_list_options {
	const char *columns; /* names of columns, separated by ','; NULL: the first line has them */
	const char *zone;    /* of times without one; NULL: UTC */
	bool strict;         /* a line that is not understood is an error */
	bool quiet;
};

/*
 * Reads a list, which may be compressed, and reports what was not understood. Returns EXIT_OK, or
 * EXIT_FAILED after a message.
 */
enum exit_status job_list_read(struct job_list *list, const char *path,
			       const struct job_list_options *options);
/*
 * Returns the run of an id, or NULL. Of several runs it is the last one. The number before the
 * first '.' of an id, as in PBS, and the name of an element of an array are ids of a job, too.
 */
struct listed_job *job_list_find(const struct job_list *list, const char *id);
/* Returns the run time in seconds; NAN while the job runs. */
double listed_run_time_s(const struct listed_job *job);
/* Returns the product of run time and CPUs in hours; NAN if one of them is unknown. */
double listed_core_hours(const struct listed_job *job);
void job_list_free(struct job_list *list);

#endif
