/* SPDX-License-Identifier: BSD-2-Clause */
/* Sequence numbers: packets that are missing, duplicate or late. */
#include <criterion/criterion.h>

#include "lib/packets/sequence.h"

static struct sequence l;
static struct packet_process *who;

static void begin(void)
{
	sequence_init(&l);
}

static void end(void)
{
	sequence_free(&l);
}

TestSuite(packet_sequence, .init = begin, .fini = end);

static int enter_kind(unsigned kind, uint32_t process, uint64_t sequence, uint64_t wall)
{
	struct packet p = {.kind = kind,
			   .process = process,
			   .sequence = sequence,
			   .wall = wall,
			   .crc = (uint32_t)wall,
			   .tick_ps = 1000};
	return (int)sequence_accept(&l, &p, &who);
}

static int enter(uint32_t process, uint64_t sequence)
{
	return enter_kind(PACKET_DATA, process, sequence, 100);
}

static uint64_t lost_of(uint32_t process)
{
	struct packet_range r;
	uint64_t n = 0;
	while (sequence_pop_lost(&l, &r))
		n += r.number == process ? r.count : 0;
	return n;
}

Test(packet_sequence, numbers_in_a_row_are_all_there)
{
	for (uint64_t i = 0; i < 1000; i++)
		cr_assert_eq(enter(1, i), SEQUENCE_NEW);
	sequence_end(&l);
	cr_expect_eq(lost_of(1), 0);
}

Test(packet_sequence, a_number_that_never_comes_is_lost_after_a_while)
{
	enter(1, 0);
	enter(1, 3);
	cr_expect_eq(sequence_missing(&l, who), 1);
	for (uint64_t i = 0; i < SEQUENCE_WINDOW - 2; i++)
		enter(2, i);
	cr_expect_eq(lost_of(1), 0);
	enter(2, SEQUENCE_WINDOW);
	cr_expect_eq(lost_of(1), 2);
	cr_expect_eq(l.lost, 2);
	cr_expect_eq(lost_of(1), 0, "told once");
}

Test(packet_sequence, numbers_that_come_late_fill_the_hole)
{
	enter(1, 9);
	cr_expect_eq(enter(1, 4), SEQUENCE_NEW);
	cr_expect_eq(enter(1, 4), SEQUENCE_DUPLICATE);
	cr_expect_eq(enter(1, 0), SEQUENCE_NEW);
	cr_expect_eq(enter(1, 8), SEQUENCE_NEW);
	cr_expect_eq(sequence_missing(&l, who), 1);
	sequence_end(&l);
	cr_expect_eq(lost_of(1), 6);
	cr_expect_eq(l.duplicates, 1);
}

Test(packet_sequence, what_was_lost_may_still_be_found)
{
	enter(1, 1);
	sequence_end(&l);
	cr_expect_eq(lost_of(1), 1);
	cr_expect_eq(enter(1, 0), SEQUENCE_NEW);
	cr_expect_eq(l.lost, 0);
	cr_expect_eq(l.found, 1);
}

Test(packet_sequence, a_process_restarts_with_a_start_packet)
{
	cr_expect_eq(enter_kind(PACKET_START, 1, 0, 10), SEQUENCE_BEGINS);
	enter(1, 1);
	cr_expect_eq(enter_kind(PACKET_START, 1, 0, 10), SEQUENCE_DUPLICATE);
	cr_expect_eq(enter_kind(PACKET_START, 1, 0, 200), SEQUENCE_BEGINS);
	cr_expect_eq(who->id, 1, "by exec it stays the same process");
	cr_expect_eq(enter_kind(PACKET_DATA, 1, 1, 210), SEQUENCE_NEW);
}

Test(packet_sequence, a_number_used_again_is_another_process)
{
	enter_kind(PACKET_START, 1, 0, 10);
	sequence_end_process(&l, who);
	cr_expect_eq(enter_kind(PACKET_START, 1, 0, 200), SEQUENCE_BEGINS);
	cr_expect_neq(who->id, 1);
	cr_expect_eq(l.processes, 2);
}

Test(packet_sequence, a_life_whose_start_was_lost_is_noticed)
{
	enter_kind(PACKET_START, 1, 0, 10);
	for (uint64_t i = 1; i < 10; i++)
		enter_kind(PACKET_DATA, 1, i, 10 + i);
	cr_expect_eq(enter_kind(PACKET_DATA, 1, 1, 300), SEQUENCE_BEGINS);
	sequence_end(&l);
	cr_expect_eq(lost_of(1), 1);
}

Test(packet_sequence, holes_without_end_take_no_memory)
{
	for (uint64_t i = 0; i < 20000; i++) {
		enter(1 + (uint32_t)(i % 3), i / 3 * 2 + 1);
		if (i % 1000 == 0)
			(void)lost_of(1);
		cr_assert_leq(l.ranges, SEQUENCE_RANGES);
	}
	sequence_end(&l);
	cr_expect_eq(l.lost, 20000);
	cr_expect_eq(l.waiting, 0);
}

Test(packet_sequence, processes_that_have_ended_are_forgotten)
{
	for (uint32_t i = 1; i < 4 * SEQUENCE_COMPACT_AT; i++) {
		cr_assert_eq(enter_kind(PACKET_START, i, 0, i), SEQUENCE_BEGINS);
		sequence_end_process(&l, who);
	}
	cr_expect_leq(l.count, 2 * SEQUENCE_COMPACT_AT);
}

Test(packet_sequence, more_processes_at_a_time_than_the_limit_are_refused)
{
	for (uint32_t i = 1; i <= SEQUENCE_PROCESSES; i++)
		cr_assert_eq(enter(i, 0), SEQUENCE_NEW);
	cr_expect_eq(enter(SEQUENCE_PROCESSES + 1, 0), SEQUENCE_FULL);
	cr_expect_eq(enter(7, 1), SEQUENCE_NEW);
	cr_expect_eq(l.count, SEQUENCE_PROCESSES);
}
