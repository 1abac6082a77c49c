/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that the kernel made of one call become one record. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "cli/mount/pieces.h"
#include "mount_tools.h"

enum { PIECE = 1 << 20 };

static const struct buffered who = {7, 9}, another = {7, 10};
static struct record_transfer found[2 * PIECES_MAX];
static struct mount_buffers b;
static struct pieces pieces;

static void begin(void)
{
	mount_buffers_init(&b, false);
}

static void end(void)
{
	buffers_free(&b.pair);
}

static bool take(struct buffered thread, const struct record_transfer *t, uint64_t call_size)
{
	return pieces_take(&pieces, &b.pair, &b.appender, thread, t, PIECE, call_size);
}

static bool take_piece(int64_t number, uint64_t length, uint64_t call_size)
{
	const struct record_transfer t = mount_transfer(1, number * PIECE, length);
	return take(who, &t, call_size);
}

static size_t appended(void)
{
	buffers_swap(&b.pair);
	return mount_take(&b.pair, found, 2 * PIECES_MAX);
}

TestSuite(mount_pieces, .init = begin, .fini = end);

Test(mount_pieces, a_call_of_one_request_is_not_taken)
{
	cr_expect(!take_piece(0, PIECE, PIECE));
	cr_expect(!take_piece(0, PIECE, 0), "the size of the call is unknown");
	cr_expect(!take_piece(0, PIECE - 1, 2 * PIECE), "a short transfer ends the call");
	cr_expect_eq(appended(), 0);
}

Test(mount_pieces, pieces_of_a_call_become_one_record)
{
	cr_assert(take_piece(0, PIECE, 3 * PIECE));
	cr_assert(take_piece(1, PIECE, 3 * PIECE));
	cr_expect_eq(appended(), 0);
	cr_assert(take_piece(2, PIECE, 3 * PIECE));
	cr_assert_eq(appended(), 1);
	cr_expect_eq(found[0].offset, 0);
	cr_expect_eq(found[0].length, 3 * PIECE);
	cr_expect_eq(found[0].start, 1);
	cr_expect_eq(found[0].end, 2 * PIECE + 2);
	cr_expect_eq(atomic_load(&pieces.joined), 2);
	cr_expect_eq(atomic_load(&b.pair.held), 0);
}

Test(mount_pieces, a_call_that_follows_is_another_record)
{
	for (int64_t i = 0; i < 4; i++)
		cr_assert(take_piece(i, PIECE, 2 * PIECE));
	cr_assert_eq(appended(), 2);
	cr_expect_eq(found[0].length, 2 * PIECE);
	cr_expect_eq(found[1].offset, 2 * PIECE);
	cr_expect_eq(found[1].length, 2 * PIECE);
}

Test(mount_pieces, a_short_piece_ends_the_call)
{
	cr_assert(take_piece(0, PIECE, 3 * PIECE));
	cr_assert(take_piece(1, 5, 3 * PIECE));
	cr_assert_eq(appended(), 1);
	cr_expect_eq(found[0].length, PIECE + 5);
}

Test(mount_pieces, a_request_longer_than_the_rest_is_another_call)
{
	cr_assert(take_piece(0, PIECE, PIECE + 5));
	cr_expect(!take_piece(1, PIECE, PIECE));
	cr_assert_eq(appended(), 1);
	cr_expect_eq(found[0].length, PIECE);
	cr_expect_eq(atomic_load(&pieces.joined), 0);
}

Test(mount_pieces, a_gap_begins_another_call)
{
	cr_assert(take_piece(0, PIECE, 3 * PIECE));
	cr_assert(take_piece(5, PIECE, 2 * PIECE));
	cr_assert_eq(appended(), 1);
	cr_expect_eq(found[0].length, PIECE);
	cr_assert(take_piece(6, PIECE, 2 * PIECE));
	cr_assert_eq(appended(), 1);
	cr_expect_eq(found[0].offset, 5 * PIECE);
	cr_expect_eq(found[0].length, 2 * PIECE);
}

Test(mount_pieces, threads_files_and_directions_are_apart)
{
	struct record_transfer t = mount_transfer(1, 0, PIECE);
	cr_assert(take(who, &t, 2 * PIECE));
	cr_assert(take(another, &t, 2 * PIECE));
	t.head.description = 2;
	cr_assert(take(who, &t, 2 * PIECE));
	t.head.code = RECORD_WRITE;
	cr_assert(take(who, &t, 2 * PIECE));
	cr_expect_eq(atomic_load(&pieces.count), 4);
	t.offset = PIECE;
	cr_assert(take(who, &t, 2 * PIECE));
	cr_assert_eq(appended(), 1);
	cr_expect_eq(found[0].head.code, RECORD_WRITE);
	cr_expect_eq(found[0].length, 2 * PIECE);
	cr_expect_eq(atomic_load(&pieces.joined), 1);
}

Test(mount_pieces, closing_appends_what_has_arrived)
{
	struct record_transfer t = mount_transfer(1, 0, PIECE);
	cr_assert(take(who, &t, 3 * PIECE));
	cr_assert(take(another, &t, 3 * PIECE));
	t.head.description = 2;
	cr_assert(take(who, &t, 3 * PIECE));
	pieces_end(&pieces, &b.pair, &b.appender, 1);
	cr_expect_eq(appended(), 2);
	cr_expect_eq(atomic_load(&pieces.count), 1);
	pieces_end(&pieces, &b.pair, &b.appender, 2);
	cr_expect_eq(appended(), 1);
	cr_expect_eq(atomic_load(&b.pair.held), 0);
}

Test(mount_pieces, the_oldest_call_holds_the_watermark_back)
{
	struct record_transfer t = mount_transfer(1, 0, PIECE);
	t.start = clock_map_now(&b.clock);
	const uint64_t oldest = t.start;
	cr_assert(take(who, &t, 2 * PIECE));
	t.start += 5;
	cr_assert(take(another, &t, 2 * PIECE));
	cr_expect_eq(atomic_load(&b.pair.held), oldest);
	cr_assert(mount_append(&b.pair, &b.appender, 9, 1));
	buffers_swap(&b.pair);
	cr_expect_leq(buffers_take(&b.pair)->watermark, oldest);
}

Test(mount_pieces, calls_beyond_the_limit_are_not_joined)
{
	struct record_transfer t = mount_transfer(1, 0, PIECE);
	for (uint32_t tid = 1; tid <= PIECES_MAX; tid++)
		cr_assert(take((struct buffered){7, tid}, &t, 2 * PIECE));
	cr_expect(!take((struct buffered){7, PIECES_MAX + 1}, &t, 2 * PIECE));
	t.offset = PIECE;
	for (uint32_t tid = 1; tid <= PIECES_MAX; tid++)
		cr_assert(take((struct buffered){7, tid}, &t, 2 * PIECE));
	cr_expect_eq(appended(), PIECES_MAX);
	cr_expect(take((struct buffered){7, PIECES_MAX + 1}, &t, 4 * PIECE));
}

/* A thread that waits in a read of a pipe. */
struct waiting {
	int pipe[2];
	bool vector;
	ssize_t got;
	_Atomic uint32_t tid;
};

static void *wait_in_read(void *waiting)
{
	struct waiting *w = waiting;
	char byte, other;
	const struct iovec parts[] = {{&byte, 1}, {&other, 1}, {&other, 1}};
	atomic_store(&w->tid, (uint32_t)syscall(SYS_gettid));
	w->got = w->vector ? readv(w->pipe[0], parts, 3) : read(w->pipe[0], &byte, 1);
	return NULL;
}

/* Returns the size of the call in which a thread waits. */
static uint64_t size_of_waiting(bool vector)
{
	struct waiting w = {.vector = vector};
	const struct timespec pause = {.tv_nsec = 1000000};
	pthread_t id;
	uint64_t size = 0;
	cr_assert_eq(pipe2(w.pipe, O_CLOEXEC), 0);
	cr_assert_eq(pthread_create(&id, NULL, wait_in_read, &w), 0);
	for (int i = 0; i < 5000 && size == 0; i++) {
		(void)nanosleep(&pause, NULL);
		size = atomic_load(&w.tid) != 0 ? pieces_call_size(atomic_load(&w.tid)) : 0;
	}
	cr_assert_eq(write(w.pipe[1], "ab", 2), 2);
	(void)pthread_join(id, NULL);
	cr_expect_eq(w.got, vector ? 2 : 1);
	(void)close(w.pipe[0]);
	(void)close(w.pipe[1]);
	return size;
}

Test(mount_pieces, the_size_of_a_call_is_its_length_or_the_sum_of_its_vector)
{
	if (access("/proc/self/syscall", R_OK) != 0)
		return; /* the kernel does not show system calls */
	cr_expect_eq(size_of_waiting(false), 1);
	cr_expect_eq(size_of_waiting(true), 3);
	cr_expect_eq(pieces_call_size(0x7fffffff), 0, "no such thread");
}
