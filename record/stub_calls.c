/* SPDX-License-Identifier: BSD-2-Clause */
#include "stub_calls.h"

#include "stub_signals.h"

static long end_unrecorded(const struct stub_frame *f, long result)
{
	(void)f;
	return result;
}

long stub_begin(struct stub_frame *f)
{
	f->end = end_unrecorded;
	if (f->number < 0 || f->number >= STUB_NUMBERS || stub_transfer_begins(f))
		return 0;
	f->end = NULL;
	stub_handler *handler = stub_transfer(f->number);
	if (handler == NULL)
		handler = stub_descriptor(f->number);
	if (handler == NULL)
		handler = stub_signal(f->number);
	return handler != NULL ? handler(f) : stub_operation(f);
}
