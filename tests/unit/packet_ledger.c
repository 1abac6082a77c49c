/* SPDX-License-Identifier: BSD-2-Clause */
/* Ledgers: which packets of whom are missing, come twice, or come late. */
#include <criterion/criterion.h>

#include "lib/packets/sequence.h"

static struct iot_ledger l;
static struct iot_packet_process *who;

static void begin(void)
{
	iot_ledger_init(&l);
}

static void end(void)
{
	iot_ledger_free(&l);
}

TestSuite(packet_ledger, .init = begin, .fini = end);

static int enter_kind(unsigned kind, uint32_t process, uint64_t sequence, uint64_t wall)
{
	struct iot_packet p = {.kind = kind,
			       .process = process,
			       .sequence = sequence,
			       .wall = wall,
			       .crc = (uint32_t)wall,
			       .tick_ps = 1000};
	return (int)iot_ledger_enter(&l, &p, &who);
}

static int enter(uint32_t process, uint64_t sequence)
{
	return enter_kind(IOT_PACKET_DATA, process, sequence, 100);
}

static uint64_t lost_of(uint32_t process)
{
	struct iot_packet_range r;
	uint64_t n = 0;
	while (iot_ledger_lost(&l, &r))
		n += r.number == process ? r.count : 0;
	return n;
}

Test(packet_ledger, numbers_in_a_row_are_all_there)
{
	for (uint64_t i = 0; i < 1000; i++)
		cr_assert_eq(enter(1, i), IOT_LEDGER_NEW);
	iot_ledger_end(&l);
	cr_expect_eq(lost_of(1), 0);
}

Test(packet_ledger, a_number_that_never_comes_is_lost_after_a_while)
{
	enter(1, 0);
	enter(1, 3);
	cr_expect_eq(iot_ledger_missing(&l, who), 1);
	for (uint64_t i = 0; i < IOT_LEDGER_PATIENCE - 2; i++)
		enter(2, i);
	cr_expect_eq(lost_of(1), 0);
	enter(2, IOT_LEDGER_PATIENCE);
	cr_expect_eq(lost_of(1), 2);
	cr_expect_eq(l.lost, 2);
	cr_expect_eq(lost_of(1), 0, "told once");
}

Test(packet_ledger, numbers_that_come_late_fill_the_hole)
{
	enter(1, 9);
	cr_expect_eq(enter(1, 4), IOT_LEDGER_NEW);
	cr_expect_eq(enter(1, 4), IOT_LEDGER_DUPLICATE);
	cr_expect_eq(enter(1, 0), IOT_LEDGER_NEW);
	cr_expect_eq(enter(1, 8), IOT_LEDGER_NEW);
	cr_expect_eq(iot_ledger_missing(&l, who), 1);
	iot_ledger_end(&l);
	cr_expect_eq(lost_of(1), 6);
	cr_expect_eq(l.duplicates, 1);
}

Test(packet_ledger, what_was_lost_may_still_be_found)
{
	enter(1, 1);
	iot_ledger_end(&l);
	cr_expect_eq(lost_of(1), 1);
	cr_expect_eq(enter(1, 0), IOT_LEDGER_NEW);
	cr_expect_eq(l.lost, 0);
	cr_expect_eq(l.found, 1);
}

Test(packet_ledger, a_process_begins_anew_with_a_start_packet)
{
	cr_expect_eq(enter_kind(IOT_PACKET_START, 1, 0, 10), IOT_LEDGER_BEGINS);
	enter(1, 1);
	cr_expect_eq(enter_kind(IOT_PACKET_START, 1, 0, 10), IOT_LEDGER_DUPLICATE);
	cr_expect_eq(enter_kind(IOT_PACKET_START, 1, 0, 200), IOT_LEDGER_BEGINS);
	cr_expect_eq(who->id, 1, "by exec it stays the same process");
	cr_expect_eq(enter_kind(IOT_PACKET_DATA, 1, 1, 210), IOT_LEDGER_NEW);
}

Test(packet_ledger, a_number_used_again_is_another_process)
{
	enter_kind(IOT_PACKET_START, 1, 0, 10);
	iot_ledger_end_process(&l, who);
	cr_expect_eq(enter_kind(IOT_PACKET_START, 1, 0, 200), IOT_LEDGER_BEGINS);
	cr_expect_neq(who->id, 1);
	cr_expect_eq(l.processes, 2);
}

Test(packet_ledger, a_life_whose_start_was_lost_is_noticed)
{
	enter_kind(IOT_PACKET_START, 1, 0, 10);
	for (uint64_t i = 1; i < 10; i++)
		enter_kind(IOT_PACKET_DATA, 1, i, 10 + i);
	cr_expect_eq(enter_kind(IOT_PACKET_DATA, 1, 1, 300), IOT_LEDGER_BEGINS);
	iot_ledger_end(&l);
	cr_expect_eq(lost_of(1), 1);
}

Test(packet_ledger, holes_without_end_take_no_memory)
{
	for (uint64_t i = 0; i < 20000; i++) {
		enter(1 + (uint32_t)(i % 3), i / 3 * 2 + 1);
		if (i % 1000 == 0)
			(void)lost_of(1);
		cr_assert_leq(l.ranges, IOT_LEDGER_RANGES);
	}
	iot_ledger_end(&l);
	cr_expect_eq(l.lost, 20000);
	cr_expect_eq(l.waiting, 0);
}

Test(packet_ledger, processes_that_have_ended_are_forgotten)
{
	for (uint32_t i = 1; i < 4 * IOT_LEDGER_TIDY; i++) {
		cr_assert_eq(enter_kind(IOT_PACKET_START, i, 0, i), IOT_LEDGER_BEGINS);
		iot_ledger_end_process(&l, who);
	}
	cr_expect_leq(l.count, 2 * IOT_LEDGER_TIDY);
}

Test(packet_ledger, more_processes_at_a_time_than_the_limit_are_refused)
{
	for (uint32_t i = 1; i <= IOT_LEDGER_PROCESSES; i++)
		cr_assert_eq(enter(i, 0), IOT_LEDGER_NEW);
	cr_expect_eq(enter(IOT_LEDGER_PROCESSES + 1, 0), IOT_LEDGER_FULL);
	cr_expect_eq(enter(7, 1), IOT_LEDGER_NEW);
	cr_expect_eq(l.count, IOT_LEDGER_PROCESSES);
}
