/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of iotrace record: from the settings to the complete trace. */
#ifndef CLI_RECORD_RUN_H
#define CLI_RECORD_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <iotrace/iotrace.h>

#include "cli/ui/rotation.h"
#include "block_trace.h"
#include "clock_map.h"
#include "collector.h"
#include "join.h"
#include "launch.h"
#include "recording.h"
#include "spool.h"

struct command_spec;

enum { SEEN_AUTO = RECORD_TRAPS + 1 }; /* beyond enum record_seen */

enum { CONVERT_WHILE, CONVERT_AFTER, CONVERT_AUTO };

enum { CLOCK_AUTO, CLOCK_TSC_ONLY, CLOCK_MONOTONIC_ONLY };

enum { VARIABLES_MAX = 64 };

struct variables {
	const char *name[VARIABLES_MAX];
	size_t count;
};

struct record_job {
	const char *out, *pid, *join_name, *resume, *blktrace;
	struct block_trace disks; /* of --blktrace */
	int disk_errnum;          /* its file could not be written */
	bool quiet, follow, no_follow, check;
	int stdio, cpu, clock_choice, full, ops, transport, seen, convert;
	uint64_t spool_limit;
	struct spool spool;
	struct spool_begin begin;
	char *texts;      /* that follow `begin` */
	char **arguments; /* of this command */
	struct variables variables;
	struct collector_options collector;
	struct live_control live;
	const struct command_spec *command;
	char **argv;
	int signals; /* descriptor of signals_receive() */
	struct launch launch;
	char library[PATH_MAX]; /* that programs load */
	struct recording recording;
	struct join join;
	struct iot_writer *writer;
	char name[PATH_MAX]; /* of the trace, or of its current part */
	struct rotation rotation;
	char first[PATH_MAX]; /* name of the first part; "": the trace has one part */
	bool part_failed;     /* the next part could not be begun, and a message says why */
	pid_t consumer;       /* of -o '|COMMAND'; 0: none */
	int consumer_fd;
	uint64_t epoch_ns;
	struct clock_map clock;       /* its first sample is time zero of the trace */
	uint64_t flushed_ns, flushed; /* when, and the events at that time */
	bool interrupted;
	struct ring_events_totals totals;
	uint64_t late; /* records */
};

/* Returns whether the settings fit each other; otherwise prints a message. count: operands */
bool run_check(struct record_job *j, size_t count);
/* Stores what the settings imply for the collector. */
void run_settle(struct record_job *j);
/* Runs the program of j->argv. Returns the exit status of the command. */
int run_program(struct record_job *j);
/*
 * Applies the options of the interrupted command, except --output and --quiet, and ends its trace.
 */
int run_resume(struct record_job *j, size_t operands);

#endif
