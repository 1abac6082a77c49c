/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream.h"

#include "raw.h"

static enum record_stdio view(void)
{
	return recording.control->stdio;
}

bool stream_begin(struct stream_call *c, FILE *stream, bool may_transfer)
{
	c->c = (struct data_call){.p = thread_enter()};
	if (c->c.p == NULL || (!may_transfer && view() != RECORD_STDIO_CALLS) ||
	    stream->_fileno < 0)
		return false;
	c->stream = stream;
	c->pending = stream_pending(stream);
	c->unread = stream_unread(stream);
	c->back = c->pending > 0 ? stream->_IO_read_end - stream->_IO_write_base : 0;
	c->had_offset = stream->_offset >= 0;
	c->read_end = stream->_IO_read_end;
	call_begin(&c->c, stream->_fileno);
	c->logical = c->c.before + c->pending - c->unread;
	return c->c.p != NULL;
}

/* The kernel's position becomes the position of the description. Returns the former one. */
static int64_t position_exchange(const struct data_call *c, int64_t now)
{
	return atomic_exchange(&descriptor_slot(c->d)->position, now);
}

/* As RECORD_TRANSFER of the view of transfers. */
static void transferred(struct stream_call *c, int64_t offset, int64_t length, unsigned bits)
{
	if (length <= 0)
		return;
	recording_count(RECORD_COUNTER_STDIO_JOINED, 1);
	if (view() == RECORD_STDIO_TRANSFERS)
		call_record(&c->c, offset, length, clock_now(), bits | RECORD_STREAM);
	else if (view() == RECORD_STDIO_OFF)
		recording_count(RECORD_COUNTER_STDIO_CALLS, 1);
}

/*
 * Returns the bytes that left the buffer for the kernel, if the call wrote n bytes to the stream.
 */
static int64_t drained(const struct stream_call *c, int64_t n)
{
	const int64_t bytes = c->pending + n - stream_pending(c->stream);
	return bytes > 0 ? bytes : 0;
}

/* Bytes between a process and something other than a file. */
static void count_bytes(struct stream_call *c, int64_t n, unsigned bits)
{
	int64_t bytes;
	if ((bits & RECORD_WRITE) != 0)
		bytes = drained(c, n > 0 ? n : 0);
	else
		bytes = n + stream_unread(c->stream) - c->unread;
	if (bytes > 0)
		call_count(&c->c, bytes, bits);
}

/*
 * Returns whether other processes can move the position, so that it does not show what this call
 * moved.
 */
static bool is_shared(const struct stream_call *c)
{
	return atomic_load_explicit(&descriptor_slot(c->c.d)->shared, memory_order_relaxed) != 0;
}

/*
 * Returns whether the buffer holds bytes of the file: the buffer of a wide stream holds characters.
 */
static bool has_bytes(const struct stream_call *c)
{
	return c->stream->_mode <= 0;
}

/* Records a transfer. Its offset is unknown if another process has moved the position, too. */
static void transferred_shared(struct stream_call *c, int64_t now, int64_t bytes, unsigned bits)
{
	const bool alone = now - c->c.before == bytes - c->back;
	if (bytes > 0 && !alone)
		recording_count(RECORD_COUNTER_AMBIGUOUS, 1);
	transferred(c, alone ? c->c.before - c->back : RECORD_OFFSET_UNKNOWN, bytes, bits);
}

/* The position has moved from `before` to `now`. */
static void moved(struct stream_call *c, int64_t before, int64_t now, int64_t n, unsigned bits)
{
	int64_t from = before;
	const bool writes = (bits & RECORD_WRITE) != 0, turns = !writes && c->pending > 0;
	if (is_shared(c) && has_bytes(c) && n >= 0 && !c->c.d.append && !turns) {
		const int64_t read = n + stream_unread(c->stream) - c->unread;
		transferred_shared(c, now, writes ? drained(c, n) : read, bits);
		return;
	}
	if (c->c.d.append && n >= 0 && (bits & RECORD_WRITE) != 0) {
		from = now - drained(c, n);
	} else if ((bits & RECORD_WRITE) == 0 && c->pending > 0) {
		transferred(c, before - c->back, c->pending, RECORD_WRITE);
		from += c->pending - c->back;
	} else if ((bits & RECORD_WRITE) != 0 && (c->unread > 0 || c->back > 0) && n >= 0) {
		from = now - drained(c, n); /* libc went back to the position of the stream */
	}
	transferred(c, from, now - from, bits);
}

/* Tests a flag of libc's streams that its headers do not name. */
static bool is_unreadable(const FILE *s)
{
	enum { IO_NO_READS = 4 };
	return (s->_flags & IO_NO_READS) != 0;
}

static bool follows_file(const struct stream_call *c)
{
	return c->c.d.kind == DESCRIPTOR_FILE && c->c.p->ring == c->c.ring;
}

void stream_end(struct stream_call *c, int64_t n, unsigned bits)
{
	if (!follows_file(c)) {
		if (c->c.d.kind >= DESCRIPTOR_PIPE)
			count_bytes(c, n, bits);
		return;
	}
	const int64_t now = c->c.d.has_slot ? raw_lseek(c->c.fd, 0, SEEK_CUR) : -1;
	if (now >= 0) {
		const int64_t before = position_exchange(&c->c, now);
		/* a write that first went back can end where the position was */
		const bool wrote = (bits & RECORD_WRITE) != 0 && n >= 0 && drained(c, n) > 0;
		if (now != before || wrote)
			moved(c, before, now, n, bits);
	}
	if (view() == RECORD_STDIO_CALLS && n >= 0)
		call_record(&c->c, c->c.d.has_slot ? c->logical : RECORD_OFFSET_UNKNOWN, n,
			    clock_now(), bits | RECORD_STREAM);
	producer_end(c->c.p, c->c.outer);
}

static int64_t file_size(int fd)
{
	struct stat s;
	return raw_call(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) == 0 ? s.st_size : -1;
}

/*
 * A seek reads the block of its target: into the buffer, from the beginning of the block, if the
 * target lies in the file; otherwise what it reads is discarded.
 */
static void filled_by_seek(struct stream_call *c, int64_t before, int64_t now)
{
	const FILE *const s = c->stream;
	const int64_t filled = s->_IO_read_end - s->_IO_read_base;
	const int64_t size = s->_IO_buf_end - s->_IO_buf_base;
	if (filled > 0) {
		if (!c->had_offset || now != before || c->pending > 0 ||
		    s->_IO_read_end != c->read_end)
			transferred(c, now - filled, filled, 0);
	} else if (c->had_offset && size > 0 && now % size != 0 && !is_unreadable(s)) {
		const int64_t block = now & -size, left = file_size(c->c.fd) - block;
		if (left < now - block)
			transferred(c, block, left, 0);
	}
}

/* Bytes that a flush wrote: if it failed, what it left of the buffer is lost, and not written. */
static int64_t flushed(const struct stream_call *c, int64_t before, int64_t now)
{
	const int64_t bytes = drained(c, 0), passed = now - before + c->back;
	if (c->c.d.append || is_shared(c))
		return bytes;
	return has_bytes(c) && bytes < passed ? bytes : passed;
}

void stream_end_seek(struct stream_call *c, bool seeks)
{
	if (!follows_file(c)) {
		if (c->c.d.kind >= DESCRIPTOR_PIPE)
			count_bytes(c, 0, RECORD_WRITE);
		return;
	}
	const int64_t now = c->c.d.has_slot ? raw_lseek(c->c.fd, 0, SEEK_CUR) : -1;
	if (now >= 0) {
		const int64_t before = position_exchange(&c->c, now);
		const int64_t written = seeks ? drained(c, 0) : flushed(c, before, now);
		if (!seeks && is_shared(c) && !c->c.d.append)
			transferred_shared(c, now, written, RECORD_WRITE);
		else
			transferred(c, c->c.d.append ? now - written : before - c->back, written,
				    RECORD_WRITE);
		if (seeks)
			filled_by_seek(c, before, now);
	}
	producer_end(c->c.p, c->c.outer);
}
