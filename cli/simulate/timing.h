/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace simulate --time: reads the inputs, runs the timing model, and prints the results. */
#ifndef CLI_SIMULATE_TIMING_H
#define CLI_SIMULATE_TIMING_H

#include "cli/ui/output.h"
#include "cli/ui/trace_in.h"
#include "row_name.h"
#include "timing_options.h"

/* One run, with a policy and a size of the cache. */
struct timing_point {
	struct timing_options options;
	struct timing_result result;
	struct error error;
};

struct print_form;

struct timing_command {
	struct timing_flags flags;
	struct trace_in_options read;
	const struct command_spec *command;
	const enum cache_policy *policies;
	const struct size_list *sizes;
	size_t policy_count, cache_count;
	uint64_t block, request_max, memory, threads; /* threads 0: as many as CPUs */
	enum world_unknown unknown;
	enum breakdown_by by;
	uint64_t top;                  /* rows to print; NOT_GIVEN: all */
	const struct print_form *form; /* NULL: text */
	const char *output, *svg;      /* svg NULL: none */
};

struct timing_input {
	const char *path;
	struct trace_in in; /* open until rows have their names */
	bool opened;
	enum record_layer layer; /* of its records */
	struct world world;
	size_t row_base; /* of its rows in a result */
	enum exit_status status;
};

struct timing_report {
	const struct timing_command *command;
	struct timing_input *inputs;
	size_t input_count;
	struct timing_point *points;
	size_t point_count;
};

/* Runs the command on n inputs. */
enum exit_status timing_simulate(const struct timing_command *c, char **paths, size_t n);

/* Prints the counts of the inputs as lines of text. */
void timing_print_inputs(struct output *out, const struct timing_report *r);
/* timing_svg.c: rates over time with --rate, else idle time or latency over the size. */
enum exit_status timing_write_svg(const struct timing_report *r, const char *path);

/* Returns the share of busy time in the time of all CPUs; 1 if no time passed. */
static inline double timing_utilisation(const struct timing_point *p)
{
	const double all = (double)p->result.wall_ns * (double)p->options.cpus;
	return all > 0 ? 1 - (double)p->result.idle_ns / all : 1;
}

/* Returns a quantile of the latencies of arrivals, of which there is at least one. */
static inline uint64_t timing_latency(const struct timing_result *r, double quantile)
{
	const size_t at = (size_t)(quantile * (double)(r->latency_count - 1) + 0.5);
	return r->latencies[at];
}

#endif
