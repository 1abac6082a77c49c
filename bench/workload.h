/* SPDX-License-Identifier: BSD-2-Clause */
/* I/Os made from a seed, in order of start. The same seed gives the same I/Os on every machine. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

/*
 * mixed       8 processes x 4 files of 1 GiB; 70 % sequential of the file's size, 15 % strided,
 *             15 % random with a new size of 4 KiB to 1 MiB, of which 5 % odd; 85 % stay on the
 *             process's last file; think time exp(120 us), duration 20 us + exp(60 us) + length /
 *             2 GB/s
 * sequential  one process, one file, one size
 * wide        4,096 processes x 64 files each: more than a table holds
 * scattered   one process, one file of 1 TiB, writes of 4 KiB to random blocks
 */
struct workload;

struct workload *
workload_new(const char *name,
	     uint64_t seed); /* Returns NULL if the name is unknown or if out of memory. */
void workload_free(struct workload *w);
void workload_next(struct workload *w, struct iot_record *out, size_t n);

#endif
