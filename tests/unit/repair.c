/* SPDX-License-Identifier: BSD-2-Clause */
/* Which intervals are kept, and where they belong. */
#include <criterion/criterion.h>

#include "lib/verify/intervals.h"

#include <iotrace/iotrace.h>

enum { N = 100, TICKS = 1000 }; /* records and ticks of each interval */

static struct position mark(uint64_t k)
{
	return (struct position){true, k * N, k * TICKS};
}

/* The k-th interval of a trace as it should be. */
static struct interval interval(uint64_t k)
{
	struct interval e = {.from = k * 5000 + 50,
			     .to = (k + 1) * 5000,
			     .open = mark(k),
			     .close = mark(k + 1),
			     .at_start = k == 0,
			     .follows = k > 0,
			     .proof = PROOF_HASH,
			     .records = N,
			     .ticks = TICKS,
			     .hash = 7000 + k};
	return e;
}

static struct interval last(uint64_t k)
{
	struct interval e = interval(k);
	e.is_last = true;
	e.close.time = 0;
	return e;
}

/* Text before damage: not proven, and ended by whatever follows. */
static struct interval damaged(uint64_t k)
{
	struct interval e = interval(k);
	e.proof = PROOF_NONE;
	e.why = "damage";
	e.why_line = 1;
	return e;
}

static void add(struct intervals *t, struct interval e)
{
	cr_assert_eq(intervals_add(t, &e), IOT_OK);
}

static void expect(const struct intervals *t, size_t i, enum disposition disposition, uint64_t k)
{
	cr_assert_lt(i, t->count);
	cr_expect_eq(t->entry[i].disposition, disposition, "entry %zu: disposition %d", i,
		     (int)t->entry[i].disposition);
	if (disposition != DISPOSITION_KEPT)
		return;
	cr_expect_eq(t->entry[i].record, k * N, "entry %zu: record %lu", i,
		     (unsigned long)t->entry[i].record);
	cr_expect_eq(t->entry[i].time, k * TICKS, "entry %zu: time %lu", i,
		     (unsigned long)t->entry[i].time);
}

Test(repair, perfect_neighbours_are_one_entry)
{
	struct intervals t = {0};
	for (uint64_t k = 0; k < 1000; k++)
		add(&t, interval(k));
	add(&t, last(1000));
	cr_assert_eq(t.count, 2);
	cr_expect_eq(t.entry[0].records, 1000 * N);
	intervals_settle(&t, false);
	expect(&t, 0, DISPOSITION_KEPT, 0);
	expect(&t, 1, DISPOSITION_KEPT, 1000);
	intervals_free(&t);
}

Test(repair, around_a_damaged_interval_the_syncs_agree)
{
	struct intervals t = {0};
	add(&t, interval(0));
	add(&t, damaged(1));
	add(&t, interval(2));
	add(&t, last(3));
	intervals_settle(&t, false);
	expect(&t, 0, DISPOSITION_KEPT, 0);
	expect(&t, 1, DISPOSITION_READABLE, 0);
	expect(&t, 2, DISPOSITION_KEPT, 2);
	expect(&t, 3, DISPOSITION_KEPT, 3);
	intervals_free(&t);
}

Test(repair, a_sync_with_a_damaged_number_is_outvoted)
{
	struct intervals t = {0};
	struct interval before = interval(1), after = interval(2);
	before.close.time = after.open.time = 77;
	add(&t, interval(0));
	add(&t, before);
	add(&t, after);
	add(&t, last(3));
	intervals_settle(&t, false);
	expect(&t, 1, DISPOSITION_KEPT, 1);
	expect(&t, 2, DISPOSITION_KEPT, 2);
	expect(&t, 3, DISPOSITION_KEPT, 3);
	intervals_free(&t);
}

Test(repair, an_end_does_not_decide_which_of_two_times_is_right)
{
	struct intervals t = {0};
	struct interval before = interval(2), end = last(3);
	before.close.time = end.open.time = 77;
	add(&t, interval(0));
	add(&t, damaged(1));
	add(&t, before);
	add(&t, end);
	intervals_settle(&t, false);
	expect(&t, 0, DISPOSITION_KEPT, 0);
	expect(&t, 2, DISPOSITION_READABLE, 0);
	expect(&t, 3, DISPOSITION_READABLE, 0);
	intervals_free(&t);
}

Test(repair, text_removed_after_a_sync_does_not_move_what_follows)
{
	struct intervals t = {0};
	struct interval e = interval(3);
	e.open = mark(2); /* interval 2 and the %sync after it are missing */
	add(&t, interval(0));
	add(&t, interval(1));
	add(&t, e);
	add(&t, interval(4));
	add(&t, last(5));
	intervals_settle(&t, false);
	expect(&t, 1, DISPOSITION_KEPT, 3);
	expect(&t, 2, DISPOSITION_KEPT, 4);
	intervals_free(&t);
}

Test(repair, without_a_witness_such_an_interval_is_lost)
{
	struct intervals t = {0};
	struct interval e = interval(3);
	e.open = mark(2);
	add(&t, interval(0));
	add(&t, interval(1));
	add(&t, e);
	add(&t, damaged(4));
	intervals_settle(&t, false);
	expect(&t, 1, DISPOSITION_READABLE, 0);
	intervals_free(&t);
}

Test(repair, a_frame_ties_its_sync_to_its_text)
{
	struct intervals t = {0};
	struct interval e = interval(1);
	e.proof = PROOF_FRAME;
	e.open_proven = true;
	e.close = mark(9); /* the following text is something else */
	add(&t, interval(0));
	add(&t, e);
	intervals_settle(&t, false);
	expect(&t, 1, DISPOSITION_KEPT, 1);
	intervals_free(&t);
}

Test(repair, intervals_that_are_there_twice_are_kept_once)
{
	struct intervals t = {0};
	struct interval again = interval(1), tail = interval(2);
	again.open_proven = tail.open_proven = true;
	tail.proof = PROOF_FRAME;
	tail.close = mark(1);
	add(&t, interval(0));
	add(&t, interval(1));
	add(&t, tail);
	add(&t, again);
	for (uint64_t k = 2; k < 9; k++)
		add(&t, interval(k));
	add(&t, last(9));
	intervals_settle(&t, false);
	uint64_t kept = 0;
	for (size_t i = 0; i < t.count; i++)
		kept += t.entry[i].disposition == DISPOSITION_KEPT ? t.entry[i].records : 0;
	cr_expect_eq(kept, 10 * N);
	intervals_free(&t);
}

Test(repair, another_trace_after_it_is_not_kept)
{
	struct intervals t = {0};
	struct interval other = interval(0);
	other.at_start = false;
	other.from_header = true;
	other.hash = 1;
	add(&t, interval(0));
	add(&t, damaged(1));
	add(&t, other);
	for (uint64_t k = 1; k < 9; k++)
		add(&t, interval(k));
	intervals_settle(&t, false);
	expect(&t, 1, DISPOSITION_READABLE, 0);
	for (size_t i = 2; i < t.count; i++)
		expect(&t, i, DISPOSITION_LOST, 0);
	intervals_free(&t);
}

Test(repair, what_is_not_proven_is_kept_on_demand_where_it_fits)
{
	struct intervals t = {0};
	struct interval part = damaged(1), too_much = damaged(3);
	part.records = 30;
	too_much.records = N + 1;
	add(&t, interval(0));
	add(&t, part);
	add(&t, interval(2));
	add(&t, too_much);
	add(&t, last(4));
	intervals_settle(&t, true);
	expect(&t, 1, DISPOSITION_UNVERIFIED, 0);
	cr_expect_eq(t.entry[1].record, N);
	expect(&t, 2, DISPOSITION_KEPT, 2);
	expect(&t, 3, DISPOSITION_LOST, 0);
	expect(&t, 4, DISPOSITION_KEPT, 4);
	intervals_free(&t);
}

Test(repair, there_is_a_limit_to_damaged_places)
{
	struct intervals t = {0};
	const struct interval e = damaged(1);
	int status = IOT_OK;
	for (size_t i = 0; i <= INTERVALS_MAX && status == IOT_OK; i++)
		status = intervals_add(&t, &e);
	cr_expect_eq(status, IOT_ELIMIT);
	cr_expect_leq(t.capacity, INTERVALS_MAX);
	intervals_settle(&t, true);
	intervals_free(&t);
}
