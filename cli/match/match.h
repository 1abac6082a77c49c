/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches the samples of a trace with the jobs that ran on their hosts. */
#ifndef CLI_MATCH_MATCH_H
#define CLI_MATCH_MATCH_H

#include "cli/ui/trace_in.h"
#include "cli/ui/wrong_samples.h"
#include "host_jobs.h"
#include "lib/timing/event_queue.h"
#include "shares.h"

/* What a job got. */
struct matched_job {
	uint64_t samples, bytes, bound; /* bound: the largest error of `bytes` */
};

/* Bytes read and written. */
struct matched_bytes {
	uint64_t matched, unmatched;
};

enum { MATCH_NO_JOB, MATCH_ONE_JOB, MATCH_CONFLICT, MATCH_KINDS };
enum { MATCH_ID_SIZE = 4200 };
#define MATCH_DIRECTIVE UINT32_MAX

struct match {
	const struct host_jobs *hosts;
	enum strategy strategy;
	struct iot_writer *writer; /* NULL: nothing is written */
	/*
	 * In place of a writer: gets the part of a sample that a job of the list gets, and
	 * directives that are no samples, with MATCH_DIRECTIVE. Returns an enum iot_status; another
	 * one than IOT_OK ends the matching.
	 */
	int (*take)(void *taker, const struct iot_event *ev, uint32_t job);
	void *taker;
	struct matched_job *job; /* as in the list */
	struct matched_bytes of[STRATEGIES];
	uint64_t samples[MATCH_KINDS], bytes[MATCH_KINDS];
	uint64_t idle_bytes; /* bytes of hosts on which no job ever ran */
	uint64_t gaps;       /* samples with gap=1 that several jobs share, which no job gets */
	uint64_t had_job;    /* samples that have a job already */
	struct wrong_samples wrong;

	struct share *share;
	size_t shares, share_capacity;
	struct event_queue queue; /* directives that wait until all earlier samples are written */
	uint64_t number;
	int64_t epoch_ns, first_ns, last_ns; /* since 1970 */
	int64_t read_ns;                     /* start of the sample in work */
	bool has_epoch;
	char *text;
	int status; /* of the writer */
};

/* Returns EXIT_OK, or the exit status after a message; an error of the writer is in `status`. */
enum exit_status match_read(struct match *m, const char *path,
			    const struct trace_in_options *options,
			    const struct command_spec *command);
/* Prints warnings about what no job got. Returns EXIT_OK, or another status after a message. */
enum exit_status match_report(const struct match *m, bool quiet);
/* Writes the id of a job with the number of its run. Returns the size. */
size_t match_job_id(const struct listed_job *job, char id[MATCH_ID_SIZE]);
/* Returns the run that such an id names, or NULL. */
const struct listed_job *match_find_job(const struct job_list *list, const char *id);
void match_free(struct match *m);

#endif
