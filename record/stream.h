/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls on streams. libc transfers their data with internal calls, which are found afterwards: the
 * kernel's position of the descriptor has moved. It is asked only if the buffer does not show that
 * the call was served from it.
 */
#ifndef RECORD_STREAM_H
#define RECORD_STREAM_H

#include <stdio.h>

#include "wrap.h"

struct stream_call {
	struct data_call c; /* c.p is NULL if the call is not recorded */
	FILE *stream;
	int64_t pending; /* bytes that wait in the buffer to be written */
	int64_t unread;  /* bytes that wait in the buffer to be read */
	int64_t back;    /* libc moves the position back by these bytes before it writes */
	int64_t logical; /* position of the stream; known in the view of calls */
	bool had_offset; /* libc knew the position */
	char *read_end;
};

static inline int64_t stream_unread(const FILE *s)
{
	return s->_IO_read_end - s->_IO_read_ptr;
}

static inline int64_t stream_pending(const FILE *s)
{
	return s->_IO_write_ptr > s->_IO_write_base ? s->_IO_write_ptr - s->_IO_write_base : 0;
}

/* Returns the bytes that can be written to the buffer without a call to the kernel. */
static inline int64_t stream_space(const FILE *s)
{
	return s->_IO_write_end - s->_IO_write_ptr;
}

/*
 * Returns true if the call has to be followed: it may transfer data, or the view is of calls.
 * Then stream_end() has to follow the call.
 */
bool stream_begin(struct stream_call *c, FILE *stream, bool may_transfer);
/*
 * The call moved `n` bytes between program and stream; -1 if that is unknown. bits: RECORD_WRITE
 * for output.
 */
void stream_end(struct stream_call *c, int64_t n, unsigned bits);
/* The call flushed the stream, or, if `seeks`, changed its position. */
void stream_end_seek(struct stream_call *c, bool seeks);
/* Before the process ends: writes what waits in the buffers of all streams. */
void streams_flush(void);

#endif
