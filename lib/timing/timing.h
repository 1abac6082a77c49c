/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing model: processes on CPUs, a cache of blocks, and a device. It runs the programs of
 * one or more worlds and measures how long the CPUs are idle. iotrace-simulate(1) defines it. All
 * times are whole nanoseconds; runs are deterministic.
 */
#ifndef LIB_TIMING_TIMING_H
#define LIB_TIMING_TIMING_H

#include "lib/simulate/cache.h"
#include "lib/simulate/device.h"
#include "world.h"

enum timing_read_ahead { READ_AHEAD_NONE, READ_AHEAD_REQUEST, READ_AHEAD_WINDOW };
enum timing_write { WRITE_WAIT, WRITE_AT_ONCE, WRITE_DELAYED };

enum { TIMING_PROGRESS_CALLS = 1 << 16 };
#define TIMING_SLICES_MAX UINT64_C(10000000000) /* quanta that the programs compute */
enum { TIMING_CPUS_MAX = 1024, TIMING_COPIES_MAX = 4096, TIMING_RATES_MAX = 1 << 20 };

struct timing_options {
	enum cache_policy policy;
	uint64_t cache_blocks, block; /* size of the cache in blocks, of a block in bytes */
	uint64_t cpus, copies;
	bool share; /* copies use the same objects */
	uint64_t quantum_ns, switch_ns, syscall_ns, interrupt_ns;
	uint64_t copy_call_ns, copy_kib_ns; /* CPU time to copy blocks: per call, per KiB */
	enum timing_read_ahead read_ahead;
	uint64_t window; /* bytes, of READ_AHEAD_WINDOW */
	enum timing_write write;
	/* of WRITE_DELAYED: percentages of the cache, and times */
	uint64_t dirty_background, dirty_limit, writeback_interval_ns, dirty_expire_ns;
	uint64_t process_limit; /* blocks; 0: none */
	struct device_options device;
	bool arrivals;    /* open loop: records arrive at their start times, without CPUs */
	uint64_t rate_ns; /* width of the rows over time; 0: none */
	/* Called, unless NULL, each time that TIMING_PROGRESS_CALLS more calls were simulated. */
	void (*progress)(void *context);
	void *progress_context;
};

/* One interval of time. Bytes of the device count when their I/O completes. */
struct timing_rate {
	uint64_t device_read, device_written, cache_read, cache_written; /* bytes */
	uint64_t idle_ns;                                                /* of all CPUs */
};

struct timing_process {
	uint32_t world, copy, process; /* index of the input and of the copy; id in the trace */
	uint64_t think_ns;             /* computed */
	uint64_t sleep_ns;             /* waited for I/O */
	int64_t end_ns;                /* exited */
};

/* Results of the calls of a row of the breakdown; sizes as in struct timing_result. */
struct timing_row {
	uint64_t think_ns; /* computed before the calls */
	uint64_t wait_ns;  /* asleep in them; latency of arrivals */
	uint64_t reads, writes, read_bytes, written_bytes, stalls, throttled;
	uint64_t read_hit_blocks, read_prefetched_blocks, read_miss_blocks;
	uint64_t write_hit_blocks, write_miss_blocks, prefetched_blocks;
	/* I/Os that the calls issue, also for blocks of other rows */
	uint64_t device_reads, device_writes, device_read_bytes, device_written_bytes;
};

/* Sizes are bytes, blocks where the name says so, otherwise numbers of events. */
struct timing_result {
	uint64_t wall_ns, idle_ns; /* idle: sum over all CPUs */
	/* busy: these five add up to it */
	uint64_t think_ns, syscall_ns, copy_ns, switch_ns, interrupt_ns;
	uint64_t calls, switches, interrupts, preemptions;
	uint64_t stalls;    /* a process slept because no block could be replaced */
	uint64_t throttled; /* ... because of the limit of dirty blocks */
	uint64_t reads, writes, read_bytes, written_bytes; /* of processes */
	/* referenced blocks: present; prefetched and not used before; absent */
	uint64_t read_hit_blocks, read_prefetched_blocks, read_miss_blocks;
	uint64_t write_hit_blocks, write_miss_blocks;
	uint64_t direct_read_bytes, direct_written_bytes;
	uint64_t device_reads, device_writes, device_read_bytes, device_written_bytes;
	uint64_t partial_reads; /* blocks read because a write covers a part */
	uint64_t prefetched_blocks, wasted_blocks;
	uint64_t dropped_blocks, cancelled_blocks; /* by truncate and unlink; dirty ones */
	/* of WRITE_DELAYED: became dirty, were written or will be, are dirty at the end */
	uint64_t dirtied_blocks, cleaned_blocks, dirty_blocks;
	uint64_t pending_bytes, pending_ns; /* written after the end, and how long that takes */
	uint64_t device_busy_ns;            /* at least one I/O in flight */
	double depth_mean;                  /* I/Os in flight, while busy */
	uint64_t depth_max;
	struct timing_rate *rates;
	size_t rate_count, rate_capacity;
	struct timing_process *processes;
	size_t process_count;
	struct timing_row
	    *rows; /* rows of the first world, then of the next; all copies together */
	size_t row_count;
	uint64_t *latencies; /* of arrivals: ascending, in nanoseconds */
	size_t latency_count, latency_capacity;
};

/* Returns the bytes that a run allocates, without rows and latencies. */
uint64_t timing_bytes(const struct timing_options *o, struct world *const *worlds, size_t n);
/*
 * Runs n finished worlds, which are not changed: several runs may use them at once. Returns a
 * status, whose sentence is in *error.
 */
int timing_run(const struct timing_options *o, struct world *const *worlds, size_t n,
	       struct timing_result *result, struct error *error);
void timing_result_free(struct timing_result *r);

/* Returns the busy time of all CPUs. */
static inline uint64_t timing_busy_ns(const struct timing_result *r)
{
	return r->think_ns + r->syscall_ns + r->copy_ns + r->switch_ns + r->interrupt_ns;
}

#endif
