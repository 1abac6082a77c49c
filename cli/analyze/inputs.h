/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several inputs of iotrace analyze: parts of one trace are appended to each other, and traces of
 * one job are added to each other; traces of several jobs are members of a population.
 */
#ifndef CLI_ANALYZE_INPUTS_H
#define CLI_ANALYZE_INPUTS_H

#include <iotrace/analyze.h>

#include "members.h"
#include "cli/ui/trace_in.h"

struct job_list;
struct listed_job;
struct where;

/* A job of several, of which the analysis is finished. */
struct analyze_job_of {
	struct iot_analyze *analysis;
	const char *name;                /* the job that its traces declare, or the path */
	const char *path;                /* its first input */
	const struct listed_job *listed; /* NULL: without --jobs, or if the list lacks the job */
	const double *value;             /* of member_values */
};

struct analyze_inputs {
	char **paths;
	size_t count;
	const struct trace_in_options *read;
	const struct iot_analyze_options *options;
	const struct command_spec *command;
	bool allow_gaps; /* parts may be missing between the given ones */
	bool one_job;    /* all inputs belong to one job, whatever they declare */
	/*
	 * Keeps one of several jobs; returns an enum iot_status. If NULL, all traces must be of one
	 * job.
	 */
	int (*add_job)(void *jobs, const struct analyze_job_of *job);
	void *jobs;
	bool by_job;                 /* also a single one is added */
	const struct job_list *list; /* of a batch system, or NULL */
	struct where *where;         /* what jobs that are added have to fulfil */
	/* Returns whether a job is analyzed; NULL: all are. */
	bool (*wants)(const void *wanted, const char *name);
	const void *wanted;
	/* Analyzes an input other than a state; *a is stored also if the trace is damaged. */
	enum exit_status (*analyze)(void *context, const char *path, struct iot_analyze **a);
	void *context;
	/*
	 * If not NULL, writes a trace of several jobs to `saved` instead; returns an exit status.
	 */
	enum exit_status (*save)(void *saved, struct iot_analyze *a, const char *name);
	void *saved;
	struct analyze_members_in members; /* all zeros at first */
	bool incomplete;                   /* result: parts are missing, or a trace is damaged */
	bool gaps;                         /* result: parts were joined over a gap */
	bool added;                        /* result: add_job has been called */
};

/*
 * Stores the analysis of all inputs, whatever the order of paths, or NULL if they have been added
 * to the jobs, or saved. Returns EXIT_OK, or the exit status after a message.
 */
enum exit_status analyze_inputs_join(struct analyze_inputs *in, struct iot_analyze **a);

/*
 * Adds a job, of which the analysis is finished, to the jobs. Returns EXIT_OK, or EXIT_FAILED after
 * a message.
 */
enum exit_status analyze_inputs_add(struct analyze_inputs *in, struct iot_analyze *a,
				    const char *name, const char *path,
				    const struct listed_job *listed);

/*
 * Returns whether an analysis that is finished contains a request, an operation or a sample, which
 * makes the valid part of a damaged trace worth reporting.
 */
bool analyze_has_activity(const struct iot_analyze *a);

#endif
