/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that run numbered tasks, each of them once, together with the caller. */
#ifndef LIB_SIMULATE_WORKERS_H
#define LIB_SIMULATE_WORKERS_H

#include <stddef.h>

struct workers;

typedef void worker_fn(void *context, size_t task);

/*
 * threads: the caller's, too. If threads cannot be created, the caller does their work. Returns
 * NULL if out of memory.
 */
struct workers *workers_new(unsigned threads);
void workers_free(struct workers *w); /* NULL is ignored */
/* Starts tasks 0 .. count - 1 on the other threads. */
void workers_start(struct workers *w, worker_fn *fn, void *context, size_t count);
/* Runs the tasks that no thread has begun, and waits for the others. */
void workers_finish(struct workers *w);

#endif
