/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --clock=cpu: events at the CPU times of their processes instead of at their times. A request then
 * starts at the CPU time that its process has used since its first request, and takes no time. An
 * operation has no CPU time of its own and is placed at the preceding request of its process.
 */
#ifndef CLI_ANALYZE_CPU_TIMES_H
#define CLI_ANALYZE_CPU_TIMES_H

#include <iotrace/stream.h>

#include "lib/base/idmap.h"
#include "lib/base/text_blocks.h"

/* The CPU clock of a process: of its first request, and since then. */
struct cpu_times_process {
	bool known;
	int64_t first_ns, since_ns;
};

/* All zeros at first. */
struct cpu_times {
	struct idmap numbers; /* of processes */
	struct cpu_times_process *processes;
	size_t capacity;
	struct text_blocks texts; /* of changed %trace directives */
	uint64_t records;
	bool runs;   /* a clock is not 0 */
	bool lacks;  /* a record has no CPU time, which ends the stream */
	bool states; /* the input is a state, which ends the stream */
	bool no_memory;
};

/*
 * The events of the upstream in order of CPU time, without the epoch and the times of the job. The
 * clock remains the caller's and must outlive the stream. Returns NULL if out of memory.
 */
struct iot_stream *cpu_times_stream(struct iot_stream *upstream, struct cpu_times *clock);
/* Once the stream has ended: returns NULL, or why its events have no CPU times. */
const char *cpu_times_refusal(const struct cpu_times *clock);
extern const char cpu_times_of_state[]; /* why a state is refused */
void cpu_times_free(struct cpu_times *clock);

#endif
