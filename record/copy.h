/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies: a read of one file and a write of another, with the same start. */
#ifndef RECORD_COPY_H
#define RECORD_COPY_H

#include "call.h"

struct copy {
	struct data_call in, out;
	const off_t *in_offset, *out_offset; /* NULL: the position; else the call advances it */
};

static inline void copy_begin(struct copy *c, struct producer *p, int in, const off_t *in_offset,
			      int out, const off_t *out_offset)
{
	call_begin_of(&c->in, p, in);
	call_begin_of(&c->out, p, out);
	if (c->in.d.kind == DESCRIPTOR_FILE)
		c->out.start = c->in.start;
	c->in_offset = in_offset;
	c->out_offset = out_offset;
}

static inline void side_end(const struct data_call *c, int64_t result, const off_t *offset,
			    unsigned bits)
{
	if (offset == NULL || result < 0)
		call_moved(c, result, bits);
	else
		call_at(c, result, *offset - result, bits);
}

/* The mark of the second call is the outer one of the first, so the ends are in reverse order. */
static inline ssize_t copy_end(struct copy *c, ssize_t result)
{
	const uint64_t outer = c->in.outer;
	if (c->in.d.kind == DESCRIPTOR_FILE && c->out.d.kind == DESCRIPTOR_FILE)
		c->in.outer = c->out.outer;
	side_end(&c->in, result, c->in_offset, 0);
	if (c->in.d.kind == DESCRIPTOR_FILE)
		c->out.outer = outer;
	side_end(&c->out, result, c->out_offset, RECORD_WRITE);
	return result;
}

/* The kernel does not count what it moves between a pipe and a file. */
static inline ssize_t splice_end(struct copy *c, ssize_t result)
{
	if (result > 0 && c->in.d.kind != DESCRIPTOR_UNKNOWN)
		call_uncounted(result, 0);
	if (result > 0 && c->out.d.kind != DESCRIPTOR_UNKNOWN)
		call_uncounted(result, RECORD_WRITE);
	return copy_end(c, result);
}

#endif
