/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clocks of a sender: the system's, or a function of the caller. Reading the CPU clock costs
 * twenty times as much as reading the wall clock, so I/Os repeat a recent value of it.
 */
#ifndef LIB_PACKETS_SENDER_CLOCK_H
#define LIB_PACKETS_SENDER_CLOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include <iotrace/packets.h>

struct sender_clock {
	iot_clock_fn *read; /* NULL: the system's clocks */
	void *context;
	pthread_mutex_t lock; /* calls of `read` do not overlap */
	int64_t epoch_ns;
	uint64_t cpu_every_ns; /* age from which the CPU clock is read again */
	_Atomic int64_t cpu_ns, cpu_read_ns;
};

/* Returns false if out of resources. */
bool sender_clock_init(struct sender_clock *c);
void sender_clock_free(struct sender_clock *c);
/* Sets the epoch of the system's clocks. */
void sender_clock_open(struct sender_clock *c);
/* The CPU clock of a forked child begins at 0. */
void sender_clock_forked(struct sender_clock *c);

/* Reads both clocks now. */
void sender_clock_read(struct sender_clock *c, int64_t *wall_ns, int64_t *cpu_ns);
/* Reads the clocks for the start of an I/O. */
void sender_clock_start(struct sender_clock *c, int64_t *wall_ns, int64_t *cpu_ns);
int64_t sender_clock_wall(struct sender_clock *c);

#endif
