/* SPDX-License-Identifier: BSD-2-Clause */
#include "timing_columns.h"

#define COLUMN(name)                                                                               \
	{                                                                                          \
#name, offsetof(struct timing_result, name)                                        \
	}

const struct timing_column timing_columns[] = {
    COLUMN(wall_ns),
    COLUMN(idle_ns),
    COLUMN(think_ns),
    COLUMN(syscall_ns),
    COLUMN(copy_ns),
    COLUMN(switch_ns),
    COLUMN(interrupt_ns),
    COLUMN(calls),
    COLUMN(switches),
    COLUMN(preemptions),
    COLUMN(interrupts),
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
    {NULL, 0},
};
