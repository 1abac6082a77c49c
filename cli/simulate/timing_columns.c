/* SPDX-License-Identifier: BSD-2-Clause */
#include "timing_columns.h"

/* clang-format off */
#define COLUMN(name)     { #name, offsetof(struct timing_result, name), false }
#define COLUMN_CPU(name) { #name, offsetof(struct timing_result, name), true }
/* clang-format on */

const struct timing_column timing_columns[] = {
    COLUMN(wall_ns),
    COLUMN_CPU(idle_ns),
    COLUMN_CPU(think_ns),
    COLUMN_CPU(syscall_ns),
    COLUMN(copy_ns),
    COLUMN_CPU(switch_ns),
    COLUMN_CPU(interrupt_ns),
    COLUMN(calls),
    COLUMN_CPU(switches),
    COLUMN_CPU(preemptions),
    COLUMN_CPU(interrupts),
    COLUMN(stalls),
    COLUMN(throttled),
    COLUMN(reads),
    COLUMN(writes),
    COLUMN(read_bytes),
    COLUMN(written_bytes),
    COLUMN(read_hit_blocks),
    COLUMN(read_prefetched_blocks),
    COLUMN(read_miss_blocks),
    COLUMN(write_hit_blocks),
    COLUMN(write_miss_blocks),
    COLUMN(direct_read_bytes),
    COLUMN(direct_written_bytes),
    COLUMN(device_reads),
    COLUMN(device_writes),
    COLUMN(device_read_bytes),
    COLUMN(device_written_bytes),
    COLUMN(partial_reads),
    COLUMN(prefetched_blocks),
    COLUMN(wasted_blocks),
    COLUMN(dropped_blocks),
    COLUMN(cancelled_blocks),
    COLUMN(dirtied_blocks),
    COLUMN(cleaned_blocks),
    COLUMN(dirty_blocks),
    COLUMN(pending_bytes),
    COLUMN(pending_ns),
    COLUMN(device_busy_ns),
    COLUMN(depth_max),
    {NULL, 0, false},
};

double timing_utilisation(const struct timing_point *p)
{
	const double all = (double)p->result.wall_ns * (double)p->options.cpus;
	return all > 0 ? 1 - (double)p->result.idle_ns / all : 1;
}

uint64_t timing_latency(const struct timing_result *r, double quantile)
{
	const size_t at = (size_t)(quantile * (double)(r->latency_count - 1) + 0.5);
	return r->latencies[at];
}
