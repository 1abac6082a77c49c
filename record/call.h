/* SPDX-License-Identifier: BSD-2-Clause */
/* One call of a wrapped function, from its beginning to its record. */
#ifndef RECORD_CALL_H
#define RECORD_CALL_H

#include <sys/single_threaded.h>

#include "enter.h"

/*
 * A transfer. After call_begin() or call_begin_at() one of the functions call_moved() and call_at()
 * has to follow.
 */
struct data_call {
	struct producer *p;
	struct record_ring *ring;
	union descriptor d; /* kind 0: the call is not recorded */
	int fd;
	uint32_t resyncs; /* of the description, before the call */
	uint64_t start, outer;
	int64_t before; /* the position */
};

/* Counts a call that is not recorded. */
void call_unrecorded(int fd);
/* Returns the position of a description that other processes can move. */
int64_t call_shared_position(const struct data_call *c);

/* Finds the descriptor. Returns false if the call becomes no record. */
static inline bool call_find(struct data_call *c, struct producer *p, int fd)
{
	c->d.word = 0;
	c->p = p;
	if (__builtin_expect(c->p == NULL, 0)) {
		call_unrecorded(fd);
		return false;
	}
	c->fd = fd;
	c->ring = c->p->ring;
	c->d = descriptor_get(c->p, fd);
	if (c->d.has_slot)
		descriptor_update_append(&c->d, fd);
	return c->d.kind == DESCRIPTOR_FILE;
}

/* A transfer at the position of the descriptor. p: of this thread; NULL: not recorded. */
static inline void call_begin_of(struct data_call *c, struct producer *p, int fd)
{
	if (!call_find(c, p, fd))
		return;
	if (c->d.has_slot) {
		const struct record_description *const s = descriptor_slot(c->d);
		c->before = atomic_load_explicit(&s->position, memory_order_relaxed);
		if (__builtin_expect(atomic_load_explicit(&s->shared, memory_order_relaxed), 0))
			c->before = call_shared_position(c);
		c->resyncs = atomic_load_explicit(&s->resyncs, memory_order_relaxed);
	}
	c->start = producer_begin(c->p, &c->outer, false);
}

/* A transfer at an offset that the caller specifies. */
static inline void call_begin_at_of(struct data_call *c, struct producer *p, int fd)
{
	if (call_find(c, p, fd))
		c->start = producer_begin(c->p, &c->outer, false);
}

/* Counts bytes of a transfer that the kernel's counters of the process do not have. */
static inline void call_uncounted(int64_t bytes, unsigned bits)
{
	recording_count((bits & RECORD_WRITE) != 0 ? RECORD_COUNTER_UNCOUNTED_WRITTEN
						   : RECORD_COUNTER_UNCOUNTED_READ,
			(uint64_t)bytes);
}

/* Counts a transfer of a descriptor that is not a file. */
void call_count(const struct data_call *c, int64_t result, unsigned bits);
/* Returns the offset of an append, which ended at the end of the file. */
int64_t call_append_offset(const struct data_call *c, int64_t length, bool moves);
/* Returns the offset of a transfer at the position, which the kernel has to be asked for. */
int64_t call_ask_offset(const struct data_call *c, int64_t length);

/*
 * The position of a description that other processes can move has been advanced. Returns where it
 * was: `offset` if the kernel agrees; RECORD_OFFSET_UNKNOWN if another process moved it unseen.
 */
int64_t call_confirm(const struct data_call *c, int64_t offset, int64_t length);

/* Advances the position of the description, and returns where it was. */
static inline int64_t call_offset(const struct data_call *c, int64_t length, unsigned *bits)
{
	struct record_description *s = descriptor_slot(c->d);
	if (c->d.append && (*bits & RECORD_WRITE) != 0)
		return call_append_offset(c, length, true);
	if (!c->d.has_slot)
		return call_ask_offset(c, length);
	if (!c->d.moved)
		descriptor_mark_moved(c->d, c->fd);
	/* in or after a signal handler, the kernel may have another order */
	const bool interrupts = producer_has_transfer(c->outer);
	if (!interrupts && __libc_single_threaded &&
	    atomic_load_explicit(&s->shared, memory_order_relaxed) == 0 &&
	    producer_replace((uint64_t *)&s->position, (uint64_t)c->before,
			     (uint64_t)(c->before + length)))
		return c->before;
	const int64_t offset =
	    atomic_fetch_add_explicit(&s->position, length, memory_order_relaxed);
	if (offset != c->before || interrupts) {
		*bits |= RECORD_AMBIGUOUS;
		recording_count(RECORD_COUNTER_AMBIGUOUS, 1);
	}
	if (atomic_load_explicit(&s->shared, memory_order_relaxed) == 0)
		return offset;
	return call_confirm(c, offset, length);
}

static inline void call_record(const struct data_call *c, int64_t offset, int64_t length,
			       uint64_t end, unsigned bits)
{
	const uint64_t cpu = producer_cpu(c->p, c->start);
	struct record_transfer *r = producer_reserve(c->p, sizeof *r);
	if (r == NULL) {
		atomic_fetch_add(&c->ring->dropped, 1);
		atomic_fetch_add(&c->ring->dropped_bytes, (uint64_t)length);
		return;
	}
	*r = (struct record_transfer){.head = {.size = sizeof *r,
					       .kind = RECORD_TRANSFER,
					       .code = (uint8_t)bits,
					       .description = c->d.number},
				      .offset = offset,
				      .length = (uint64_t)length,
				      .start = c->start,
				      .end = end,
				      .cpu = cpu};
	producer_publish(c->p);
}

/* Returns true if the result of the call becomes a record. If so, call_end() has to follow. */
static inline bool call_has_record(const struct data_call *c, int64_t result, unsigned bits)
{
	if (__builtin_expect(c->d.kind != DESCRIPTOR_FILE, 0)) {
		if (c->d.kind != DESCRIPTOR_UNKNOWN)
			call_count(c, result, bits);
		return false;
	}
	if (c->p->ring != c->ring) /* a signal handler has called fork: this is the child */
		return false;
	if (result >= 0)
		return true;
	producer_end(c->p, c->outer);
	return false;
}

/* A transfer at the position of the descriptor. Returns its result. */
static inline int64_t call_moved(const struct data_call *c, int64_t result, unsigned bits)
{
	if (call_has_record(c, result, bits)) {
		const uint64_t end = clock_now();
		const int64_t offset = call_offset(c, result, &bits);
		call_record(c, offset, result, end, bits);
		producer_end(c->p, c->outer);
	}
	return result;
}

/* A transfer at an offset that the caller specified. Returns its result. */
static inline int64_t call_at(const struct data_call *c, int64_t result, int64_t offset,
			      unsigned bits)
{
	if (call_has_record(c, result, bits)) {
		const uint64_t end = clock_now();
		if (c->d.append && (bits & RECORD_WRITE) != 0)
			offset = call_append_offset(c, result, false);
		call_record(c, offset, result, end, bits);
		producer_end(c->p, c->outer);
	}
	return result;
}

/* An operation without data. */
struct operation_call {
	struct producer *p;
	struct record_ring *ring;
	struct event event;
	uint64_t outer;
};

/* Returns false if the call is not recorded. p: of this thread; NULL: not recorded. */
bool operation_begin_of(struct operation_call *o, struct producer *p, enum record_op op);
/* Records the call with the result of the kernel: -errno if it failed. */
void operation_returns(struct operation_call *o, int64_t result);
/* operation_begin_of() of a call that opens a path; NULL: its arguments do not include the path. */
bool operation_opens_of(struct operation_call *o, struct producer *p, int directory,
			const char *path, unsigned flags);
/* operation_returns() of such a call. */
void operation_returns_opened(struct operation_call *o, int64_t fd);
/* A call closed the descriptor `fd`, of which descriptor_remove() had returned the entry. */
void operation_returns_closed(struct operation_call *o, union descriptor d, int fd, int64_t result);

static inline void operation_on_path(struct operation_call *o, int directory, const char *path)
{
	o->event.directory = directory;
	o->event.path = path;
}

static inline void operation_on(struct operation_call *o, int fd)
{
	const union descriptor d = descriptor_get(o->p, fd);
	o->event.description = d.number;
}

#endif
