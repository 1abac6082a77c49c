/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets: valid ones are accepted, others rejected, and the next valid one in a damaged stream is
 * found.
 */
#include <criterion/criterion.h>

#include "lib/packets/packet.h"
#include "lib/packets/sender_batch.h"

enum { HEADER = PACKET_WORD_SIZE * PACKET_HEADER };

/* Seals a packet of these words; returns its size. */
static size_t make(unsigned char *data, unsigned kind, uint32_t entries, const uint64_t *word,
		   uint32_t words)
{
	struct packet p = {.kind = kind,
			   .words = words,
			   .process = 7,
			   .file = kind == PACKET_DATA ? 3 : 0,
			   .tick_ps = 1000,
			   .entries = entries,
			   .sequence = 5,
			   .wall = 1000,
			   .cpu = 10};
	for (uint32_t i = 0; i < words; i++)
		packet_word_put(data + HEADER + PACKET_WORD_SIZE * i, word[i]);
	packet_seal(data, &p);
	return packet_size(&p);
}

static size_t make_mark(unsigned char *data, uint64_t mark)
{
	return make(data, PACKET_WATERMARK, 0, &mark, 1);
}

static int check(const unsigned char *data, size_t size)
{
	struct packet p;
	const char *why;
	return packet_check(data, size, 0, &p, &why);
}

Test(packet, comes_back_as_it_was_sealed)
{
	unsigned char data[PACKET_MAX];
	struct packet p;
	const char *why;
	size_t size = make_mark(data, 900);
	cr_assert_eq(packet_check(data, size, 1000, &p, &why), PACKET_GOOD);
	cr_assert_eq(p.kind, PACKET_WATERMARK);
	cr_assert_eq(p.process, 7);
	cr_assert_eq(p.sequence, 5);
	cr_assert_eq(p.wall, 1000);
	cr_assert_eq(p.cpu, 10);
	cr_assert_eq(packet_word(&p, 0), 900);
}

Test(packet, every_bit_matters)
{
	unsigned char data[PACKET_MAX];
	size_t size = make_mark(data, 900);
	for (size_t bit = 0; bit < 8 * size; bit++) {
		data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		cr_expect_neq(check(data, size), PACKET_GOOD, "bit %zu", bit);
		data[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	cr_expect_eq(check(data, size), PACKET_GOOD);
}

Test(packet, part_of_one_may_become_one)
{
	unsigned char data[PACKET_MAX];
	size_t size = make_mark(data, 900);
	for (size_t i = 0; i < size; i++)
		cr_expect_eq(check(data, i), PACKET_SHORT);
}

Test(packet, another_tick_is_bad)
{
	unsigned char data[PACKET_MAX];
	struct packet p;
	const char *why;
	size_t size = make_mark(data, 900);
	cr_expect_eq(packet_check(data, size, 6000, &p, &why), PACKET_BAD);
}

Test(packet, entries_have_to_add_up)
{
	const uint64_t both = PACKET_ENTRY_OFFSET | PACKET_ENTRY_LENGTH, type = UINT64_C(0x80)
										<< 56;
	unsigned char data[PACKET_MAX];
	uint64_t good[8] = {type | both | 5, 100, 0, 4096, 512, type | 5, 110, 0}, w[8];
	cr_assert_eq(check(data, make(data, PACKET_DATA, 2, good, 8)), PACKET_GOOD);
	cr_expect_eq(check(data, make(data, PACKET_DATA, 1, good, 8)), PACKET_BAD);
	cr_expect_eq(check(data, make(data, PACKET_DATA, 3, good, 8)), PACKET_BAD);
	cr_expect_eq(check(data, make(data, PACKET_DATA, 2, good, 7)), PACKET_BAD);
	const struct {
		size_t word;
		uint64_t value;
	} spoilt[] = {{0, type | PACKET_ENTRY_OFFSET | 5},
		      {0, type | both | UINT64_C(1) << 50},
		      {0, UINT64_C(0xff) << 56 | both},
		      {0, both}, /* physical: blocks of 512 */
		      {1, (uint64_t)INT64_MAX},
		      {3, UINT64_MAX}};
	for (size_t i = 0; i < sizeof(spoilt) / sizeof(*spoilt); i++) {
		memcpy(w, good, sizeof(w));
		w[spoilt[i].word] = spoilt[i].value;
		if (i == 3)
			w[3] = 100;
		cr_expect_eq(check(data, make(data, PACKET_DATA, 2, w, 8)), PACKET_BAD, "%zu", i);
	}
}

Test(packet, entries_continue_and_repeat)
{
	const uint64_t both = PACKET_ENTRY_OFFSET | PACKET_ENTRY_LENGTH, type = UINT64_C(0x80)
										<< 56;
	unsigned char data[PACKET_MAX];
	uint64_t w[9] = {
	    type | both | 5, 100, 1, 4096, 512, type | PACKET_ENTRY_LENGTH | 6, 110, 2, 9};
	struct packet p;
	struct packet_entry e = {0};
	const char *why;
	size_t size = make(data, PACKET_DATA, 2, w, 9);
	cr_assert_eq(packet_check(data, size, 0, &p, &why), PACKET_GOOD);
	struct packet_entries all = {.packet = &p};
	cr_assert(packet_entry_next(&all, &e));
	cr_expect_eq(e.offset, 4096);
	cr_expect_eq(e.length, 512);
	cr_assert(packet_entry_next(&all, &e));
	cr_expect_eq(e.offset, 4608);
	cr_expect_eq(e.length, 9);
	cr_expect_eq(e.elapsed, 6);
	cr_expect_eq(e.cpu, 2);
	cr_expect_not(packet_entry_next(&all, &e));
}

Test(packet, ticks_are_converted_without_overflow)
{
	cr_expect_eq(packet_ticks_to_ns(7, 6000), 42);
	cr_expect_eq(packet_ticks_to_ns(3, 1500), 4);
	cr_expect_eq(packet_ticks_to_ns(UINT64_C(1) << 60, 1000), INT64_C(1) << 60);
	cr_expect_eq(packet_ticks_to_ns(UINT64_MAX, 1), (int64_t)(UINT64_MAX / 1000));
	cr_expect_eq(packet_ticks_to_ns(UINT64_MAX, UINT32_MAX), INT64_MAX);
	cr_expect_eq(packet_ticks_from_ns(INT64_MAX, 1000), (uint64_t)INT64_MAX);
	cr_expect_eq(packet_ticks_from_ns(UINT64_MAX, 1), UINT64_MAX);
}

/* Damage */

static size_t find_all(const unsigned char *data, size_t size, size_t step, uint64_t *bad)
{
	struct packet_scan scan = {.tick_ps = 0};
	struct packet p;
	size_t at = 0, shown = 0, used, found = 0;
	*bad = 0;
	while (at < size) {
		shown = shown + step < size ? shown + step : size;
		while (packet_find(&scan, data + at, shown - at, shown == size, &used, &p)) {
			at += used;
			found++;
			*bad += scan.bad;
			scan.bad = 0;
		}
		at += used;
	}
	*bad += scan.bad;
	return found;
}

Test(packet, good_ones_are_found_between_damage)
{
	unsigned char data[4 * PACKET_MAX];
	size_t size = 0;
	uint64_t bad;
	memset(data, 'x', 13);
	size += 13;
	size += make_mark(data + size, 1);
	memcpy(data + size, "IOTPKT01IOTPKT", 14);
	size += 14;
	size += make_mark(data + size, 2);
	size_t cut = size;
	size += make_mark(data + size, 3);
	data[cut + 70] ^= 1;
	size += make_mark(data + size, 4);
	size += make_mark(data + size, 5) - 5;
	for (size_t step = 1; step < 200; step += 3) {
		cr_expect_eq(find_all(data, size, step, &bad), 3, "step %zu", step);
		cr_expect_eq(bad, 13 + 14 + 72 + 67, "step %zu: %zu", step, (size_t)bad);
	}
}

/* Batches */

Test(packet, a_batch_keeps_entries_in_order_of_start)
{
	static struct sender_batch b;
	static unsigned char data[PACKET_MAX];
	const uint64_t start[] = {50, 10, 30, 30, 20};
	struct packet p = {.kind = PACKET_DATA, .process = 1, .tick_ps = 1000};
	const char *why;
	for (size_t i = 0; i < 5; i++)
		cr_assert(sender_batch_add(
		    &b, &(struct packet_entry){
			    .start = start[i], .type = 0x80, .offset = i, .length = 1}));
	p.words = b.words;
	p.entries = b.entries;
	sender_batch_write(&b, data + HEADER);
	packet_seal(data, &p);
	cr_assert_eq(packet_check(data, packet_size(&p), 0, &p, &why), PACKET_GOOD);
	struct packet_entries all = {.packet = &p};
	struct packet_entry e = {0};
	const uint64_t offset[] = {1, 4, 2, 3, 0};
	for (size_t i = 0; i < 5; i++) {
		cr_assert(packet_entry_next(&all, &e));
		cr_expect_eq(e.offset, offset[i]);
	}
}

Test(packet, a_batch_is_full_when_a_packet_is)
{
	static struct sender_batch b;
	struct packet_entry e = {.type = 0x80, .length = 8};
	while (sender_batch_add(&b, &e)) {
		e.offset += 8;
		e.start++;
	}
	cr_expect_eq(b.entries, PACKET_ENTRIES_MAX);
	cr_expect_leq(b.words, PACKET_PAYLOAD_MAX);
	b.entries = b.words = 0;
	while (sender_batch_add(&b, &e)) {
		e.offset = e.offset * 3 + 1000;
		e.length += 5;
	}
	cr_expect_eq(b.entries, PACKET_PAYLOAD_MAX / PACKET_ENTRY_MAX);
}
