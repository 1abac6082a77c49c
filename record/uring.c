/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs submit requests by stores to a ring in memory, and may enter the kernel by instructions
 * of their own, so the only number of all requests is the tail of the submission queue. It is read
 * from a mapping that exists for that moment, because a mapping keeps a ring alive.
 */
#include "uring.h"

#include <linux/io_uring.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "descriptors.h"
#include "raw.h"
#include "text.h"

/* As the kernel reports it to each program that creates a ring. */
static _Atomic uint32_t tail_at = 4;

static uint32_t requests_of(int fd)
{
	const uint32_t at = atomic_load(&tail_at);
	void *const ring =
	    raw_map(NULL, RECORD_PAGE, PROT_READ, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	if (ring == NULL)
		return 0;
	const _Atomic uint32_t *const tail = (const void *)((const char *)ring + at);
	const uint32_t n = atomic_load(tail);
	raw_unmap(ring, RECORD_PAGE);
	return n;
}

/* A child of fork has the descriptor, too: the creator counts. */
static union descriptor ring_of_this_process(void)
{
	return (union descriptor){.kind = DESCRIPTOR_URING, .slot = recording.pid & 0xffff};
}

static bool is_own(int fd)
{
	return entry_load(fd).word == ring_of_this_process().word;
}

static void add_ring(int fd)
{
	recording_count(RECORD_COUNTER_URING_RINGS, 1);
	descriptor_reset(fd);
	entry_replace(fd, (union descriptor){0}, ring_of_this_process());
}

void uring_opened(int fd, const void *params)
{
	const struct io_uring_params *const p = params;
	if (fd < 0)
		return;
	if (p != NULL && p->sq_off.tail % 4 == 0 && p->sq_off.tail < RECORD_PAGE)
		atomic_store(&tail_at, p->sq_off.tail);
	add_ring(fd);
}

void uring_closes(int fd)
{
	if (producer_self.child == 0 && is_own(fd))
		recording_count(RECORD_COUNTER_URING_REQUESTS, requests_of(fd));
}

/* A ring that no wrapped function created: its inode is anonymous, of no type. */
static bool is_unknown_ring(int fd)
{
	static const char target[] = "anon_inode:[io_uring]";
	char name[64], text[sizeof target];
	struct stat s = {.st_mode = 0};
	if (raw_call(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) != 0 || (s.st_mode & S_IFMT) != 0)
		return false;
	struct text t = text_in(name, sizeof name);
	text_add(&t, "/proc/self/fd/");
	text_add_number(&t, (uint64_t)fd);
	const long n =
	    raw_call(SYS_readlinkat, AT_FDCWD, (long)name, (long)text, sizeof text, 0, 0);
	return n == (long)sizeof target - 1 && memcmp(text, target, sizeof target - 1) == 0;
}

/* Asks the kernel, with a single call, which numbers are open descriptors. */
static void poll_unknown(struct pollfd *p, int first, int count)
{
	for (int i = 0; i < count; i++) {
		const unsigned kind = entry_load(first + i).kind;
		const bool unknown = kind == DESCRIPTOR_UNKNOWN || kind == DESCRIPTOR_OTHER;
		p[i] = (struct pollfd){.fd = unknown ? first + i : -1};
	}
	raw_call(SYS_poll, (long)p, count, 0, 0, 0, 0);
}

/*
 * Looks at the numbers that the process has used, and some after them: a list of all descriptors
 * would take longer than the rest of the end of a process. A child of fork may have inherited rings
 * that it does not know.
 */
static void find_unknown(void)
{
	enum { MORE = 64, NUMBERS_MAX = 1 << 16 };
	const uint64_t last = atomic_load(&descriptors_here()->used) + MORE;
	const int count = last < NUMBERS_MAX ? (int)last : NUMBERS_MAX;
	struct pollfd polled[MORE];
	for (int fd = 0; fd < count && !recording.process->forked; fd++) {
		if (fd % MORE == 0)
			poll_unknown(polled, fd, count - fd < MORE ? count - fd : MORE);
		const struct pollfd *const p = &polled[fd % MORE];
		if (p->fd >= 0 && (p->revents & POLLNVAL) == 0 && is_unknown_ring(fd))
			add_ring(fd);
	}
}

void uring_ends(void)
{
	find_unknown();
	for (uint64_t i = 0; i < atomic_load(&descriptors_here()->used); i++)
		uring_closes((int)i);
}

void uring_continues(void)
{
	for (uint64_t i = 0; i < atomic_load(&descriptors_here()->used); i++)
		if (is_own((int)i))
			recording_count(RECORD_COUNTER_URING_REQUESTS,
					-(uint64_t)requests_of((int)i));
}
