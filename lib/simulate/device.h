/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device as the time that each I/O takes. Completion is known when an I/O is issued: slots and
 * the pipe serve I/Os in the order in which they are issued.
 */
#ifndef LIB_SIMULATE_DEVICE_H
#define LIB_SIMULATE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_DEPTH_MAX = 65536 };

struct device_options {
	/*
	 * Position: 0 at the end of the previous I/O, far_ns in another object; otherwise near_ns
	 * and a part of the difference that grows with the square root of the distance, up to
	 * `span` bytes.
	 */
	uint64_t near_ns, far_ns, span;
	uint64_t read_latency_ns, write_latency_ns; /* in addition, of every I/O */
	uint64_t read_rate, write_rate;             /* bytes per second; 0: infinite */
	uint64_t depth;                             /* I/Os at once; 0: any number, and no pipe */
};

struct device_io {
	uint64_t offset, length; /* bytes */
	uint32_t object;
	bool write;
};

struct device {
	struct device_options options;
	bool used;
	uint32_t object; /* of the I/O issued last, and its end */
	uint64_t end;
	int64_t pipe_free_ns;
	int64_t *slots; /* the times at which they become free, in order of use */
	size_t slot;
};

/* Sets the options of a preset: disk1990, hdd, ssd, nvme. Returns false if the name is unknown. */
bool device_preset(struct device_options *o, const char *name, size_t n);

/* Returns false if out of memory. */
bool device_init(struct device *d, const struct device_options *o);
void device_free(struct device *d);
/* Issues an I/O; returns the time of its completion. */
int64_t device_issue(struct device *d, int64_t now_ns, const struct device_io *io);

#endif
