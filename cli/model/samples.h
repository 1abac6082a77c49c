/* SPDX-License-Identifier: BSD-2-Clause */
/* The %sample directives of traces, as logs of the system model. */
#ifndef CLI_MODEL_SAMPLES_H
#define CLI_MODEL_SAMPLES_H

#include "cli/ui/trace_in.h"
#include "cli/ui/wrong_samples.h"
#include "lib/base/idmap.h"
#include "lib/model/model.h"

struct samples {
	struct model_log *log; /* by I/O node and time, after samples_finish() */
	size_t count, capacity;
	int64_t begin_ns;   /* the time that start_ps is relative to */
	bool is_too_long;   /* it has samples of more than MODEL_SPAN_MAX */
	char **host, **job; /* by number; jobs from 1 */
	size_t hosts, host_capacity, jobs, job_capacity;
	struct idmap host_ids, job_ids; /* by a hash of the name */
	uint64_t gaps, incomplete;      /* samples that are left out */
	struct wrong_samples wrong;
	char *trace;             /* the text of the first %trace; or NULL */
	struct model_node *node; /* made by samples_finish(), in the order of the names of hosts */
};

/* Adds the samples of a trace. Returns EXIT_OK, or the exit status after a message. */
enum exit_status samples_read(struct samples *s, const char *path,
			      const struct trace_in_options *options,
			      const struct command_spec *command);
/*
 * Sorts hosts and samples. If a host has samples of several targets in one interval, they become
 * one log. Returns EXIT_OK, or EXIT_FAILED after a message.
 */
enum exit_status samples_finish(struct samples *s);
struct model_input samples_input(const struct samples *s);
void samples_free(struct samples *s);

#endif
