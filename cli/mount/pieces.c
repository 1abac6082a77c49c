/* SPDX-License-Identifier: BSD-2-Clause */
#include "pieces.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "cli/record/proc_file.h"

enum {
	REQUEST_MAX = 1 << 20, /* bytes; buffers that do not begin at a page have a page less */
	PAGE = 1 << 12,
	PIPE = 1 << 16, /* sendfile moves this much at a time, or as much as its pipe holds */
	BUFFERS = 256,  /* of a vector; a request has the data of 256 at most */
};

/* Buffers of a vector seldom add up to whole pages, which are the sizes of most other calls. */
bool pieces_may_begin(uint64_t size)
{
	return size > REQUEST_MAX - PAGE || size == PIPE || (size >= BUFFERS && size % PAGE != 0);
}

/* The call of a thread: its number and arguments. */
struct waiting_call {
	long number;
	unsigned long argument[6];
};

static bool read_call(uint32_t tid, struct waiting_call *c)
{
	char line[256];
	(void)proc_file_read(tid, "syscall", line, sizeof(line));
	char *rest, *at = line;
	*c = (struct waiting_call){.number = strtol(at, &rest, 10)};
	for (size_t i = 0; i < 6 && rest > at; i++) {
		at = rest;
		c->argument[i] = strtoul(at, &rest, 16);
	}
	return rest > at;
}

/* Returns the sum of the lengths of a vector in the memory of a thread, 0 if unreadable. */
static uint64_t vector_size(uint32_t tid, unsigned long address, unsigned long count)
{
	struct iovec vector[IOV_MAX];
	if (count > IOV_MAX)
		return 0;
	const size_t bytes = count * sizeof(vector[0]);
	const struct iovec to = {vector, bytes}, from = {(void *)address, bytes};
	uint64_t size = 0;
	if (process_vm_readv((pid_t)tid, &to, 1, &from, 1, 0) != (ssize_t)bytes)
		return 0;
	for (size_t i = 0; i < count; i++)
		size += vector[i].iov_len;
	return size;
}

uint64_t pieces_call_size(uint32_t tid)
{
	struct waiting_call c;
	if (!read_call(tid, &c))
		return 0;
	switch (c.number) {
	case SYS_read:
	case SYS_pread64:
	case SYS_write:
	case SYS_pwrite64:
		return c.argument[2];
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
		return vector_size(tid, c.argument[1], c.argument[2]);
	case SYS_sendfile:
		return c.argument[3];
	case SYS_copy_file_range:
	case SYS_splice:
		return c.argument[4];
	default:
		return 0;
	}
}

/* Called with the mutex. */
static struct piece *find(struct pieces *p, struct buffered who, const struct record_transfer *t)
{
	for (size_t i = 0; i < atomic_load(&p->count); i++)
		if (p->piece[i].who.tid == who.tid &&
		    p->piece[i].transfer.head.description == t->head.description &&
		    p->piece[i].transfer.head.code == t->head.code)
			return &p->piece[i];
	return NULL;
}

/* Called with the mutex: a record that has not been appended holds the watermark back. */
static void hold(struct pieces *p, struct buffer_pair *b)
{
	uint64_t oldest = 0;
	for (size_t i = 0; i < atomic_load(&p->count); i++)
		if (oldest == 0 || p->piece[i].transfer.start < oldest)
			oldest = p->piece[i].transfer.start;
	atomic_store(&b->held, oldest);
}

/* Called with the mutex. */
static void complete(struct pieces *p, struct buffer_pair *b, struct appender *a,
		     struct piece *done)
{
	(void)buffers_append(b, a, done->who, &done->transfer, sizeof(done->transfer));
	*done = p->piece[atomic_load(&p->count) - 1];
	atomic_fetch_sub(&p->count, 1);
}

/* Called with the mutex. Returns whether the transfer is the first piece of a longer call. */
static bool begin(struct pieces *p, struct buffered who, const struct record_transfer *t,
		  uint64_t asked, uint64_t call_size)
{
	const size_t n = atomic_load(&p->count);
	if (t->length < asked || call_size <= t->length || n == PIECES_MAX)
		return false;
	p->piece[n] = (struct piece){who, *t, call_size - t->length};
	atomic_store(&p->count, n + 1);
	return true;
}

static bool continues(const struct piece *before, const struct record_transfer *t)
{
	const struct record_transfer *b = &before->transfer;
	return (uint64_t)b->offset + b->length == (uint64_t)t->offset && t->length <= before->left;
}

bool pieces_take(struct pieces *p, struct buffer_pair *b, struct appender *a, struct buffered who,
		 const struct record_transfer *t, uint64_t asked, uint64_t call_size)
{
	bool taken = false;
	(void)pthread_mutex_lock(&p->mutex);
	struct piece *before = find(p, who, t);
	if (before != NULL && continues(before, t)) {
		before->transfer.length += t->length;
		before->transfer.end = t->end;
		before->left -= t->length;
		atomic_fetch_add(&p->joined, 1);
		if (t->length < asked || before->left == 0)
			complete(p, b, a, before);
		taken = true;
	} else {
		if (before != NULL)
			complete(p, b, a, before);
		taken = begin(p, who, t, asked, call_size);
	}
	hold(p, b);
	(void)pthread_mutex_unlock(&p->mutex);
	return taken;
}

void pieces_end(struct pieces *p, struct buffer_pair *b, struct appender *a, uint32_t description)
{
	(void)pthread_mutex_lock(&p->mutex);
	for (size_t i = atomic_load(&p->count); i-- > 0;)
		if (p->piece[i].transfer.head.description == description)
			complete(p, b, a, &p->piece[i]);
	hold(p, b);
	(void)pthread_mutex_unlock(&p->mutex);
}
