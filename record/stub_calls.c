/* SPDX-License-Identifier: BSD-2-Clause */
#include "stub_calls.h"

struct stub_replaced stubs_replaced[STUBS];

/* What the jump to the stub replaced. */
static void complete(struct stub_frame *f)
{
	const struct stub_replaced *const r = &stubs_replaced[f->index];
	if (r->is_argument)
		f->argument[0] = r->value;
	else
		f->number = r->value;
}

static long end_unrecorded(const struct stub_frame *f, long result)
{
	(void)f;
	return result;
}

long stub_begin(struct stub_frame *f)
{
	f->index &= UINT32_MAX;
	if (f->index < STUBS)
		complete(f);
	f->end = end_unrecorded;
	if (f->number < 0 || f->number >= STUB_NUMBERS || stub_transfer_begins(f))
		return 0;
	f->end = NULL;
	stub_handler *handler = stub_transfer(f->number);
	if (handler == NULL)
		handler = stub_descriptor(f->number);
	return handler != NULL ? handler(f) : stub_operation(f);
}
