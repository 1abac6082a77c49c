/* SPDX-License-Identifier: BSD-2-Clause */
/* The %sample directives of traces, as logs of the system model. */
#ifndef CLI_MODEL_SAMPLES_H
#define CLI_MODEL_SAMPLES_H

#include "cli/ui/trace_in.h"
#include "cli/ui/wrong_samples.h"
#include "lib/base/idmap.h"
#include "lib/model/model.h"

struct host_sample {
	uint32_t host;
	int64_t time_ns;
	uint64_t took_ns;
	uint64_t bytes[2];
	uint64_t requests[2];
	uint32_t job;
};

struct samples {
	struct host_sample *of;
	size_t count, capacity;
	char **host, **job; /* by number; jobs from 1 */
	size_t hosts, host_capacity, jobs, job_capacity;
	struct idmap host_ids, job_ids; /* by a hash of the name */
	uint64_t gaps;                  /* samples that are left out */
	struct wrong_samples wrong;
	char *trace; /* the text of the first %trace; or NULL */
	/* Made by samples_finish(): */
	struct model_log *log;
	struct model_node *node; /* in the order of the names of hosts */
	int64_t begin_ns;
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
