/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a futex that traced programs wake readable for poll(2): a thread waits for it. While the
 * collector waits for the reader of its output, the thread continues the heartbeat, so that
 * programs wait as well instead of dropping records.
 */
#ifndef CLI_RECORD_DOORBELL_H
#define CLI_RECORD_DOORBELL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct doorbell {
	_Atomic uint32_t *futex;     /* shared with programs, which may store anything in it */
	_Atomic uint64_t *heartbeat; /* CLOCK_MONOTONIC, ns */
	_Atomic uint32_t stopped;
	int fd; /* readable after a ring; -1: without a doorbell */
	pthread_t thread;
};

/* The memory of `d` must not move until doorbell_stop(). */
void doorbell_start(struct doorbell *d, _Atomic uint32_t *futex, _Atomic uint64_t *heartbeat);
/* Makes the descriptor unreadable until the next ring. */
void doorbell_answer(const struct doorbell *d);
void doorbell_stop(struct doorbell *d);

#endif
