/* SPDX-License-Identifier: BSD-2-Clause */
/* The components of the simulated system, and their state. */
#ifndef LIB_MODEL_MACHINE_H
#define LIB_MODEL_MACHINE_H

#include "lib/timing/event_queue.h"

#include "link.h"
#include "model.h"
#include "transfers.h"

/*
 * The events of an I/O node. If several happen at one time, the order of this list decides, then
 * the order of I/O nodes, then the order of compute nodes.
 */
enum machine_event {
	EVENT_RELEASE,   /* the next log begins */
	EVENT_SHARED,    /* data of a write is at the link that all compute nodes share */
	EVENT_BUFFERED,  /* data of a write is in the buffer of the CIOD */
	EVENT_REQUESTED, /* a read is at the bypass */
	EVENT_AT_DISK,   /* the read that the bypass admitted is at the disk */
	EVENT_RECEIVED,  /* the data of a read is at the bypass */
	EVENT_SENT,      /* the write that the bypass admitted is at the server */
	EVENT_WRITTEN,   /* the oldest write of the disk link is at the disk */
	EVENT_ACK,       /* the acknowledgement of a write is at the server */
	EVENT_ACK_DONE,  /* the acknowledgement is at the bypass */
	EVENT_BURST,     /* a write is in the burst buffer */
	EVENT_END,       /* a request ends at its compute node */
	EVENT_KINDS,
};

struct compute_node {
	uint64_t next; /* its next request in log `log` */
	uint64_t size; /* of the request in progress */
	uint32_t log;
	uint32_t current; /* the log of the request in progress */
	bool busy, is_write;
};

struct io_node {
	const struct model_node *in;
	struct model_outcome *out;
	int64_t (*disk_end_ps)[2]; /* or NULL */
	struct compute_node *compute;
	uint32_t compute_count;
	size_t released; /* logs */
	size_t interval; /* whose counters change */
	uint64_t pool_used, burst_used;
	struct model_link up, down; /* the shared link of the tree */
	struct model_transfers
	    requests; /* at the bypass: reads, and writes unless there is a burst buffer */
	struct model_transfers drains;         /* at the bypass, from the burst buffer */
	struct model_transfers entering;       /* the burst buffer */
	struct model_transfers written;        /* on their way to the disk and back */
	struct model_transfer admitted, burst; /* in progress, if busy */
	bool busy, burst_busy;
	int64_t net_begin_ps, net_end_ps; /* when the data of the last read uses the network */
	uint64_t in_progress;
	int64_t io_since_ps, io_ps;
	bool waits_for_job;
	uint32_t next_waiting; /* another node that waits for the same job, + 1 */
};

/* The start of a job on all its I/O nodes. */
struct job_start {
	uint32_t nodes, waiting; /* I/O nodes that have the job, and that wait for it */
	uint32_t first_waiting;  /* + 1 */
	int64_t latest_ps;
};

struct machine {
	const struct model_system *system;
	const struct model_input *input;
	const struct model_result *base;
	struct model_result *result;
	struct io_node *node;
	struct job_start *job; /* by number; with base only */
	bool **first_of_job;   /* by node and log; with base only */
	struct event_queue events;
	struct model_link disk_up, disk_down; /* of the server, shared by all */
	int64_t now_ps;
	bool no_memory;
};

static inline struct io_node *machine_node(struct machine *m, uint32_t i)
{
	return &m->node[i];
}

void machine_add_event(struct machine *m, enum machine_event kind, uint32_t node, uint32_t compute,
		       int64_t time_ps);
/* Handles an event other than EVENT_RELEASE. */
void machine_handle(struct machine *m, enum machine_event kind, uint32_t node, uint32_t compute);
/* Begins the next log of a node now: its compute nodes send the requests that they can. */
void machine_release(struct machine *m, uint32_t node);
/* Handles the end of a log; with a base, schedules the next log of the node. */
void schedule_after(struct machine *m, uint32_t node, size_t log);
/* Schedules the first logs. */
void schedule_first(struct machine *m);
/* Begins a job whose nodes would wait forever. Returns false if no node waits. */
bool schedule_stuck(struct machine *m);
/* Prepares m->job and m->first_of_job. Returns false if out of memory. */
bool schedule_jobs(struct machine *m);

#endif
