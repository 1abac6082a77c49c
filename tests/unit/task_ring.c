/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>

#include "lib/base/task_ring.h"

enum { SLOTS = 8, TASKS = 5, ROUNDS = 20000 };

struct sums {
	unsigned value[SLOTS];
	unsigned long sum[TASKS]; /* depends on the order */
	unsigned seen[TASKS], fails_at;
};

static bool add(void *context, unsigned task, size_t slot)
{
	struct sums *s = context;
	s->sum[task] = s->sum[task] * 31 + s->value[slot] + task;
	return ++s->seen[task] != s->fails_at;
}

static struct task_ring *begin(struct sums *s, size_t threads)
{
	const struct task_ring_options options = {add, s, TASKS, SLOTS};
	struct task_ring *r = task_ring_new(&options, threads);
	cr_assert_not_null(r);
	return r;
}

static void fill(struct task_ring *r, struct sums *s, unsigned from, unsigned to)
{
	for (; from < to; from++) {
		s->value[task_ring_slot(r)] = from * from;
		task_ring_publish(r);
	}
}

Test(task_ring, every_task_processes_all_slots_in_order)
{
	for (size_t threads = 1; threads <= 3; threads++) {
		struct sums s = {.fails_at = 0};
		struct task_ring *r = begin(&s, threads);
		fill(r, &s, 0, ROUNDS / 2);
		task_ring_drain(r);
		for (unsigned t = 0; t < TASKS; t++)
			cr_assert_eq(s.seen[t], ROUNDS / 2);
		fill(r, &s, ROUNDS / 2, ROUNDS);
		task_ring_drain(r);
		cr_assert(!task_ring_failed(r));
		task_ring_free(r);
		for (unsigned t = 0; t < TASKS; t++) {
			unsigned long sum = 0;
			for (unsigned i = 0; i < ROUNDS; i++)
				sum = sum * 31 + i * i + t;
			cr_assert_eq(s.seen[t], ROUNDS);
			cr_assert_eq(s.sum[t], sum);
		}
	}
}

Test(task_ring, a_failure_ends_the_work_and_is_reported)
{
	struct sums s = {.fails_at = 100};
	struct task_ring *r = begin(&s, 2);
	fill(r, &s, 0, ROUNDS);
	task_ring_drain(r);
	cr_assert(task_ring_failed(r));
	task_ring_free(r);
	for (unsigned t = 0; t < TASKS; t++)
		cr_assert_leq(s.seen[t], 100);
}

Test(task_ring, ends_with_slots_that_are_not_processed)
{
	struct sums s = {.fails_at = 0};
	struct task_ring *r = begin(&s, 2);
	fill(r, &s, 0, SLOTS);
	task_ring_free(r);
	task_ring_free(NULL);
	for (unsigned t = 0; t < TASKS; t++)
		cr_assert_leq(s.seen[t], SLOTS);
}
