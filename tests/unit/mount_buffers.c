/* SPDX-License-Identifier: BSD-2-Clause */
/* The two buffers of a mount: order, full buffers, and losses. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "mount_tools.h"

enum { MANY = BUFFERS_SIZE_MIN / (int)sizeof(struct record_transfer), THREADS = 4, EACH = 20000 };

static struct record_transfer found[MANY];

Test(mount_buffers, returns_records_in_the_order_of_a_thread)
{
	struct mount_buffers b;
	mount_buffers_init(&b, false);
	cr_expect_null(buffers_take(&b.pair));
	for (uint64_t i = 0; i < 500; i++)
		cr_assert(mount_append(&b.pair, &b.appender, 9, i));
	cr_expect_null(buffers_take(&b.pair), "a buffer that is not full stays with the threads");
	buffers_swap(&b.pair);
	cr_assert_eq(mount_take(&b.pair, found, MANY), 500);
	for (int64_t i = 0; i < 500; i++)
		cr_assert_eq(found[i].offset, i);
	buffers_swap(&b.pair);
	cr_expect_null(buffers_take(&b.pair), "an empty buffer is not swapped");
	buffers_free(&b.pair);
}

Test(mount_buffers, appends_to_the_other_buffer_while_the_reader_has_one)
{
	struct mount_buffers b;
	mount_buffers_init(&b, false);
	cr_assert(mount_append(&b.pair, &b.appender, 9, 1));
	buffers_swap(&b.pair);
	struct buffer *full = buffers_take(&b.pair);
	cr_assert_not_null(full);
	cr_assert(mount_append(&b.pair, &b.appender, 9, 2));
	buffers_swap(&b.pair);
	cr_expect_eq(buffers_take(&b.pair), full, "no swap while the reader has the other buffer");
	buffers_return(&b.pair, full);
	buffers_swap(&b.pair);
	cr_assert_eq(mount_take(&b.pair, found, MANY), 1);
	cr_expect_eq(found[0].offset, 2);
	buffers_free(&b.pair);
}

Test(mount_buffers, keeps_a_record_larger_than_a_chunk)
{
	static _Alignas(8) unsigned char record[RECORD_SIZE_MAX];
	struct mount_buffers b;
	struct buffered who;
	size_t at = 0, used = 0, size;
	mount_buffers_init(&b, false);
	memset(record, 'x', sizeof(record));
	const struct record_head head = {.size = sizeof(record), .kind = RECORD_OPERATION};
	memcpy(record, &head, sizeof(head));
	cr_assert(mount_append(&b.pair, &b.appender, 9, 1));
	cr_assert(
	    buffers_append(&b.pair, &b.appender, (struct buffered){7, 9}, record, sizeof(record)));
	buffers_swap(&b.pair);
	struct buffer *full = buffers_take(&b.pair);
	cr_assert_not_null(buffers_next(full, &at, &used, &who, &size));
	const unsigned char *large = buffers_next(full, &at, &used, &who, &size);
	cr_assert_eq(size, sizeof(record));
	cr_expect_eq(memcmp(large, record, sizeof(record)), 0);
	cr_expect_null(buffers_next(full, &at, &used, &who, &size));
	buffers_free(&b.pair);
}

Test(mount_buffers, counts_each_record_that_is_dropped)
{
	struct mount_buffers b;
	uint64_t kept = 0, refused = 0;
	mount_buffers_init(&b, true);
	for (uint64_t i = 0; i < 4 * MANY; i++)
		if (mount_append(&b.pair, &b.appender, 9, i))
			kept++;
		else
			refused++;
	cr_expect_gt(refused, 0);
	cr_expect_eq(atomic_load(&b.pair.dropped), refused);
	uint64_t n = mount_take(&b.pair, found, MANY);
	cr_expect_eq(found[0].offset, 0);
	buffers_swap(&b.pair);
	n += mount_take(&b.pair, found, MANY);
	cr_expect_eq(n, kept);
	cr_expect(mount_append(&b.pair, &b.appender, 9, 0), "empty buffers accept records again");
	buffers_free(&b.pair);
}

Test(mount_buffers, watermark_is_not_after_a_request_in_flight)
{
	struct mount_buffers b;
	mount_buffers_init(&b, false);
	const uint64_t start = buffers_begin(&b.pair, &b.appender);
	struct appender other = {.next = NULL};
	buffers_join(&b.pair, &other);
	cr_assert(mount_append(&b.pair, &other, 10, 1));
	buffers_swap(&b.pair);
	struct buffer *full = buffers_take(&b.pair);
	cr_expect_leq(full->watermark, start);
	buffers_return(&b.pair, full);
	buffers_end(&b.appender);
	const uint64_t ended = clock_map_now(&b.clock);
	cr_assert(mount_append(&b.pair, &other, 10, 2));
	buffers_swap(&b.pair);
	cr_expect_geq(buffers_take(&b.pair)->watermark, ended);
	buffers_free(&b.pair);
}

/* Threads that append, and how many records of each have been read. */
struct load {
	struct mount_buffers b;
	_Atomic unsigned running;
	struct load_thread {
		struct load *load;
		struct appender appender;
		uint32_t number;
		uint64_t refused, read;
		int64_t last;
	} thread[THREADS];
};

static void *append_each(void *thread)
{
	struct load_thread *t = thread;
	for (uint64_t i = 0; i < EACH; i++)
		t->refused += !mount_append(&t->load->b.pair, &t->appender, t->number, i);
	atomic_fetch_sub(&t->load->running, 1);
	return NULL;
}

static bool read_full(struct load *l)
{
	struct buffer *full = buffers_take(&l->b.pair);
	const unsigned char *record;
	struct record_transfer t;
	struct buffered who;
	size_t at = 0, used = 0, size;
	if (full == NULL)
		return false;
	while ((record = buffers_next(full, &at, &used, &who, &size)) != NULL) {
		struct load_thread *of = &l->thread[who.tid];
		memcpy(&t, record, sizeof(t));
		cr_assert_gt(t.offset, of->last, "records of a thread keep their order");
		of->last = t.offset;
		of->read++;
	}
	buffers_return(&l->b.pair, full);
	return true;
}

static void run_load(struct load *l, bool drop)
{
	pthread_t id[THREADS];
	mount_buffers_init(&l->b, drop);
	atomic_store(&l->running, THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		l->thread[i] = (struct load_thread){.load = l, .number = i, .last = -1};
		buffers_join(&l->b.pair, &l->thread[i].appender);
		cr_assert_eq(pthread_create(&id[i], NULL, append_each, &l->thread[i]), 0);
	}
	while (atomic_load(&l->running) > 0)
		(void)read_full(l);
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(id[i], NULL);
	do
		buffers_swap(&l->b.pair);
	while (read_full(l));
	buffers_free(&l->b.pair);
}

Test(mount_buffers, threads_that_wait_lose_nothing)
{
	static struct load l;
	run_load(&l, false);
	for (int i = 0; i < THREADS; i++) {
		cr_expect_eq(l.thread[i].read, EACH);
		cr_expect_eq(l.thread[i].refused, 0);
	}
	cr_expect_eq(atomic_load(&l.b.pair.dropped), 0);
}

Test(mount_buffers, threads_that_drop_count_what_they_lose)
{
	static struct load l;
	uint64_t refused = 0;
	run_load(&l, true);
	for (int i = 0; i < THREADS; i++) {
		cr_expect_eq(l.thread[i].read + l.thread[i].refused, EACH);
		refused += l.thread[i].refused;
	}
	cr_expect_eq(atomic_load(&l.b.pair.dropped), refused);
}
