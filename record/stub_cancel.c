/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that is cancelled leaves by unwinding: in_flight stays until it ends or calls again. */
#include <stdatomic.h>

#include "stub_calls.h"

/* One for each libc in the process. */
static _Atomic(stub_cancellable *) functions[STUBS_CANCEL];

static inline long record(stub_cancellable *function, void *state, long number, long a, long b,
			  long c, long d, long e, long f)
{
	struct stub_cancel cancel = {function, state};
	struct stub_frame frame;
	const long arguments[] = {a, b, c, d, e, f};
	for (int i = 0; i < 6; i++)
		frame.argument[i] = arguments[i];
	frame.number = number;
	frame.cancel = &cancel;
	const long result = stub_begin(&frame);
	return frame.end == NULL ? result : frame.end(&frame, stub_pass(&frame));
}

#define CANCELLABLE(n)                                                                             \
	static long cancellable_##n(void *state, long number, long a, long b, long c, long d,      \
				    long e, long f)                                                \
	{                                                                                          \
		return record(functions[n], state, number, a, b, c, d, e, f);                      \
	}

CANCELLABLE(0)
CANCELLABLE(1)
CANCELLABLE(2)
CANCELLABLE(3)

stub_cancellable *stub_cancel_take(stub_cancellable *function)
{
	static stub_cancellable *const stubs[STUBS_CANCEL] = {cancellable_0, cancellable_1,
							      cancellable_2, cancellable_3};
	for (int i = 0; i < STUBS_CANCEL; i++) {
		stub_cancellable *old = NULL;
		if (atomic_compare_exchange_strong(&functions[i], &old, function) ||
		    old == function)
			return stubs[i];
	}
	return NULL;
}
