/* SPDX-License-Identifier: BSD-2-Clause */
/* The beginning and end of wrappers of functions of libc. */
#ifndef RECORD_WRAP_H
#define RECORD_WRAP_H

#include <errno.h>

#include "call.h"
#include "real.h"

/* As thread_here_slow(); it may run before the constructor. */
struct producer *thread_enter_slow(void);

/* As thread_here(). */
static inline struct producer *thread_enter(void)
{
	struct producer *p = &producer_self;
	if (__builtin_expect(p->ring != NULL && *recording.joined == p->joined, 1))
		return p;
	return thread_enter_slow();
}

/* Begin a transfer. */
static inline void call_begin(struct data_call *c, int fd)
{
	call_begin_of(c, thread_enter(), fd);
}

static inline void call_begin_at(struct data_call *c, int fd)
{
	call_begin_at_of(c, thread_enter(), fd);
}

/* Operations, with the result of the function of libc. */
bool operation_begin(struct operation_call *o, enum record_op op);
/* Records the call with its result, or the error in errno if that is -1. Returns the result. */
int64_t operation_end(struct operation_call *o, int64_t result);
/* Records a call of a function that returns the error. Returns the error. */
int operation_end_error(struct operation_call *o, int error);
bool operation_opens(struct operation_call *o, int directory, const char *path, unsigned flags);
int operation_opened(struct operation_call *o, int fd);
void operation_closed(struct operation_call *o, union descriptor d, int fd, int64_t result);

/* Before a call in which libc runs a program with `environ`: counts it if it cannot record. */
void program_of_libc(void);

#endif
