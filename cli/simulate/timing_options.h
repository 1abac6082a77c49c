/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of iotrace simulate --time. */
#ifndef CLI_SIMULATE_TIMING_OPTIONS_H
#define CLI_SIMULATE_TIMING_OPTIONS_H

#include "cli/ui/options.h"
#include "lib/timing/timing.h"
#include "lists.h"

enum timing_system { SYSTEM_MILLER, SYSTEM_LINUX };

/* Values of options; NOT_GIVEN, or -1 for choices: the value of the system. */
/* It has no padding, as timing_only_device() compares its bytes. */
struct timing_flags {
	bool time, share, unused[2];
	int system, queue, think, write, arrive;
	uint64_t copies, cpus, quantum_ns, switch_ns, syscall_ns, interrupt_ns;
	uint64_t copy_call_ns, copy_kib_ns;
	uint64_t read_ahead, window; /* enum timing_read_ahead */
	uint64_t dirty_background, dirty_limit, writeback_interval_ns, dirty_expire_ns;
	uint64_t process_limit; /* bytes */
	uint64_t rate_ns;
	const char *device, *direct;
};

extern const struct timing_flags timing_flags_default;

option_fn timing_take_time, timing_take_read_ahead, timing_take_copy, timing_take_device,
    timing_take_rate;

/* Elements of an array of options, for a struct timing_flags. */
/* clang-format off */
#define OPTION_TIMING(t)                                                                          \
	GROUP("Timing model"),                                                                   \
	OPTION(FLAG, 'T', "time", NULL, &(t).time,                                             \
		   "simulate time: processes on CPUs, the cache and a device"),                     \
	OPTION(CHOICE, 0, "system", "miller|linux", &(t).system,                               \
		   "defaults of a system of 1990, or of Linux (default: miller)"),                  \
	OPTION(CHOICE, 0, "arrive", "trace", &(t).arrive,                                      \
		   "let records arrive at their start times, without CPUs"),                        \
	OPTION(CHOICE, 0, "think", "auto|cpu|wall|none", &(t).think,                           \
		   "computation between I/Os: from CPU clocks, else from wall time"),               \
	RANGE(NUMBER, 0, "copies", "N", &(t).copies, "run every IN N times (default: 1)",       \
		  1, TIMING_COPIES_MAX),                                                            \
	OPTION(FLAG, 0, "share", NULL, &(t).share, "copies use the same files"),               \
	RANGE(NUMBER, 0, "cpus", "N", &(t).cpus, "number of CPUs (default: 1)",                 \
		  1, TIMING_CPUS_MAX),                                                              \
	CALL("quantum", "TIME", &(t).quantum_ns, "time slice (default: 100ms)",                 \
		 timing_take_time),                                                                 \
	CALL("switch", "TIME", &(t).switch_ns, "CPU time of a process switch (default: 10us)",  \
		 timing_take_time),                                                                 \
	CALL("syscall", "TIME", &(t).syscall_ns, "CPU time of a call (default: 25us)",          \
		 timing_take_time),                                                                 \
	CALL("interrupt", "TIME", &(t).interrupt_ns,                                            \
		 "CPU time at the end of a device I/O (default: 10us)", timing_take_time),          \
	CALL("hit-cost", "COST", &(t).copy_call_ns,                                             \
		 "CPU time to copy blocks: 0, ssd1990, or CALL,KIB (default: 0)",                   \
		 timing_take_copy),                                                                 \
	CALL("device", "DEVICE", &(t).device,                                                   \
		 "disk1990, hdd, ssd, nvme, or KEY=VALUE,... (default: disk1990; linux: "          \
		 "ssd); without --time: estimate its time",      \
		 timing_take_device),                                                               \
	OPTION(CHOICE, 0, "queue", "none|fifo", &(t).queue,                                    \
		   "any number of I/Os at once, or the device's queue (linux)"),                    \
	CALL("read-ahead", "HOW", &(t).read_ahead,                                              \
		 "none, request, or window[:SIZE] (default: request; linux: window:128K)",          \
		 timing_take_read_ahead),                                                           \
	OPTION(CHOICE, 0, "write-behind", "none|immediate|delayed", &(t).write,                \
		   "when writes are issued, and whether processes wait for them (default: "         \
		   "immediate; linux: delayed)"),                                                   \
	OPTION(SIZE, 0, "process-limit", "SIZE", &(t).process_limit,                            \
	       "cache that one process may own (default: no limit)"),                               \
	RANGE(NUMBER, 0, "dirty-background", "PERCENT", &(t).dirty_background,                  \
		  "dirty share of the cache that starts writing (default: 10)", 1, 100),            \
	RANGE(NUMBER, 0, "dirty", "PERCENT", &(t).dirty_limit,                                  \
		  "... at which writers wait (default: 20)", 1, 100),                               \
	CALL("writeback-interval", "TIME", &(t).writeback_interval_ns,                          \
		 "write expired dirty blocks every TIME (default: 5s)", timing_take_time),          \
	CALL("dirty-expire", "TIME", &(t).dirty_expire_ns,                                      \
		 "age at which dirty blocks expire (default: 30s)", timing_take_time),              \
	OPTION(STRING, 0, "direct", "GLOB", &(t).direct,                                       \
		   "files whose I/O bypasses the cache"),                                           \
	CALL("rate", "[=SECONDS]", &(t).rate_ns,                                                \
		 "print a row for each interval (default: 1 s)", timing_take_rate)
/* clang-format on */

/* The device that the flags select. */
struct device_options timing_device(const struct timing_flags *flags);
/* Returns whether no flag is set, except the flag of the device. */
bool timing_only_device(const struct timing_flags *flags);
/*
 * Sets the options of a run, except policy, sizes and blocks, which are set before. Returns NULL,
 * or the reason why the flags are wrong.
 */
const char *timing_resolve(const struct timing_flags *flags, struct timing_options *o);

#endif
