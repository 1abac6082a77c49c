/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model of a system whose compute nodes do I/O through I/O nodes, as a simulation of events. The
 * input is what counters logged: the bytes and requests of each I/O node in intervals.
 * docs/model.md describes the components.
 *
 * Times are in picoseconds, from the begin of the first interval. Results depend on the order of
 * I/O nodes, which the caller sorts by name.
 */
#ifndef LIB_MODEL_MODEL_H
#define LIB_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

enum {
	MODEL_NODES_MAX = 4096,
	MODEL_COMPUTE_MAX = 1 << 20, /* compute nodes of all I/O nodes */
	MODEL_JOBS_MAX = 1 << 22,
};

#define MODEL_PS_PER_S     INT64_C(1000000000000)
#define MODEL_SPAN_MAX     (INT64_C(8640000) * MODEL_PS_PER_S) /* 100 days */
#define MODEL_BYTES_MAX    (UINT64_C(1) << 50)                 /* of one interval */
#define MODEL_REQUESTS_MAX UINT64_C(0xffffffff)
#define MODEL_NO_DELAY     UINT64_C(0) /* a bandwidth */

/* Bandwidths are in bytes per second. */
struct model_system {
	uint32_t io_nodes;
	uint32_t compute_nodes; /* of each I/O node, except of the last `few_nodes` */
	uint32_t few_nodes, few_compute_nodes;
	uint64_t request_max; /* longer requests are split */
	uint64_t ciod_buffer; /* of each compute node */
	uint64_t page_pool;
	uint64_t tree, network, server, internal;
	bool tree_shared;      /* besides its own link, a compute node uses one that all share */
	uint64_t burst_buffer; /* bytes; 0: none */
	uint64_t burst_internal, burst_external;
};

enum model_direction { MODEL_READ, MODEL_WRITE };

/* What an I/O node did in an interval. */
struct model_log {
	int64_t start_ps, took_ps;
	uint64_t bytes[2];
	uint32_t requests[2];
	uint32_t job;  /* 0: none */
	uint32_t node; /* its I/O node, for the caller */
};

/* The outcome of a log in a simulation. */
struct model_outcome {
	int64_t start_ps;  /* of its I/O */
	int64_t end_ps;    /* of its last request; a write ends when it is first acknowledged */
	uint64_t bytes[2]; /* counted in the interval, whichever log they belong to */
	uint32_t requests[2];
	uint32_t left; /* requests that have not ended */
};

struct model_node {
	const struct model_log *log; /* in order of start */
	size_t count;
};

struct model_input {
	const struct model_node *node;
	size_t nodes;
	uint32_t jobs;       /* numbers of jobs are 1 .. jobs */
	bool wants_disk_end; /* see struct model_result */
	/*
	 * Called for each request that ends, unless NULL. compute: the number of its compute node.
	 */
	void (*ended)(void *context, size_t node, uint32_t compute, uint32_t log, int64_t time_ps);
	void *context;
};

struct model_result {
	struct model_outcome **outcome; /* by node and log */
	int64_t *io_ps;                 /* by node: with requests in progress */
	/*
	 * By node and log, if the input wants it: when the counters of its last request changed.
	 */
	int64_t (**disk_end_ps)[2];
	size_t nodes;
	uint64_t requests, splits;         /* splits: requests more than were logged */
	uint64_t generated[2], at_disk[2]; /* bytes */
	uint64_t late_requests;            /* counted after the last interval of their node */
	uint64_t unsynchronized_jobs;      /* whose hosts wait for each other in a circle */
};

/*
 * Simulates the logs. Without a base, logs start when they did. base is the result of the same logs
 * in the original system; with it, computation between logs keeps its duration, and the hosts of a
 * job start it together. Returns an enum iot_status; free the result in any case.
 */
int model_simulate(const struct model_system *s, const struct model_input *in,
		   const struct model_result *base, struct model_result *result);
void model_result_free(struct model_result *r);

/* Returns the time that bytes take at a bandwidth, rounded to the nearest picosecond. */
int64_t model_duration_ps(uint64_t bytes, uint64_t bandwidth);
/* Returns the number of requests of one direction, after long ones are split. */
uint64_t model_request_count(const struct model_system *s, const struct model_log *l,
			     enum model_direction d);
/* Checks the system and the sizes of the input. Returns an enum iot_status. */
int model_check(const struct model_system *s, const struct model_input *in, struct error *e);
/* Returns the number of compute nodes of I/O node i of n. */
uint32_t model_compute_nodes(const struct model_system *s, size_t i, size_t n);

#endif
