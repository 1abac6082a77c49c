/* SPDX-License-Identifier: BSD-2-Clause */
/* Handlers of system calls, by number. Each makes the call and returns the result of the kernel. */
#ifndef RECORD_STUB_CALLS_H
#define RECORD_STUB_CALLS_H

#include "raw.h"
#include "stubs.h"

enum { STUB_NUMBERS = 512 };

typedef long stub_handler(const struct stub_frame *f);

/* Makes a call that may cancel the thread. */
long stub_pass_cancel(const struct stub_frame *f);

/* Makes the call, without a record. */
static inline long stub_pass(const struct stub_frame *f)
{
	const long *const a = f->argument;
	if (__builtin_expect(f->cancel != NULL, 0))
		return stub_pass_cancel(f);
	return raw_call(f->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static inline int stub_fd(const struct stub_frame *f)
{
	return (int)f->argument[0];
}

/* Begins a usual transfer, which the stub makes, and sets f->end. Returns false if it is none. */
bool stub_transfer_begins(struct stub_frame *f);
/*
 * Return the handler of a number, NULL if this file has none. Tables of functions would have to be
 * relocated at the start of each program.
 */
stub_handler *stub_transfer(long number);
stub_handler *stub_descriptor(long number);
/* Is called when a file has been mapped as code. */
typedef void stub_mapped(uint64_t at, int fd, uint64_t offset);
extern stub_mapped *stub_code_mapped;
/* Makes and records a call that neither has; it may be none on names or attributes. */
long stub_operation(const struct stub_frame *f);

#endif
