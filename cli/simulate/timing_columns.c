/* SPDX-License-Identifier: BSD-2-Clause */
#include "timing_columns.h"

/* clang-format off */
#define OF_RESULT(name)  offsetof(struct timing_result, name)
#define COLUMN(name)     { #name, OF_RESULT(name), false, NOT_OF_ROWS }
#define COLUMN_ROW(name) { #name, OF_RESULT(name), false, offsetof(struct timing_row, name) }
#define COLUMN_CPU(name) { #name, OF_RESULT(name), true, NOT_OF_ROWS }
/* clang-format on */

const struct timing_column timing_columns[] = {
    COLUMN(wall_ns),
    COLUMN_CPU(idle_ns),
    {"think_ns", OF_RESULT(think_ns), true, offsetof(struct timing_row, think_ns)},
    COLUMN_CPU(syscall_ns),
    COLUMN(copy_ns),
    COLUMN_CPU(switch_ns),
    COLUMN_CPU(interrupt_ns),
    COLUMN(calls),
    COLUMN_CPU(switches),
    COLUMN_CPU(preemptions),
    COLUMN_CPU(interrupts),
    COLUMN_ROW(stalls),
    COLUMN_ROW(throttled),
    COLUMN_ROW(reads),
    COLUMN_ROW(writes),
    COLUMN_ROW(read_bytes),
    COLUMN_ROW(written_bytes),
    COLUMN_ROW(read_hit_blocks),
    COLUMN_ROW(read_prefetched_blocks),
    COLUMN_ROW(read_miss_blocks),
    COLUMN_ROW(write_hit_blocks),
    COLUMN_ROW(write_miss_blocks),
    COLUMN(direct_read_bytes),
    COLUMN(direct_written_bytes),
    COLUMN_ROW(device_reads),
    COLUMN_ROW(device_writes),
    COLUMN_ROW(device_read_bytes),
    COLUMN_ROW(device_written_bytes),
    COLUMN(partial_reads),
    COLUMN_ROW(prefetched_blocks),
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
    {NULL, 0, false, 0},
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
