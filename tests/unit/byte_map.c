/* SPDX-License-Identifier: BSD-2-Clause */
/* States of ranges, compared with an array that has a state for each byte. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/byte_map.h"

enum { BYTES = 20000 };

static const uint8_t odd[BYTE_STATES] = {1, 3, 1, 3, 5, 3, 5},
		     even[BYTE_STATES] = {2, 2, 2, 4, 4, 6, 6};

struct fixture {
	struct byte_maps all;
	struct byte_map map;
	uint8_t expected[BYTES];
	uint64_t touched[BYTE_STATES], counted[BYTE_STATES];
	unsigned random;
};

static unsigned next_random(struct fixture *f, unsigned n)
{
	f->random = f->random * 1103515245 + 12345;
	return f->random / 65536 % n;
}

static void change(struct fixture *f, uint64_t begin, uint64_t end, const uint8_t *next)
{
	const struct byte_change c = {begin, end, next, next == odd};
	cr_assert(byte_map_change(&f->all, &f->map, &c, f->touched));
	for (uint64_t i = begin; i < end; i++) {
		f->counted[f->expected[i]]++;
		f->expected[i] = next[f->expected[i]];
	}
}

static void compare(const struct fixture *f)
{
	struct byte_position at = {.leaf = NULL};
	struct byte_segment s;
	uint64_t end = 0;
	size_t segments = 0;
	unsigned last = BYTE_STATES;
	for (; byte_map_next(&f->map, &at, &s); end = s.end, last = s.state, segments++) {
		cr_assert_eq(s.begin, end);
		cr_assert_neq(s.state, last, "neighbours differ");
		for (uint64_t i = s.begin; i < s.end && i < BYTES; i++)
			cr_assert_eq(f->expected[i], s.state, "byte %zu", (size_t)i);
	}
	cr_assert_eq(end, UINT64_MAX);
	cr_assert_eq(f->all.segments, segments);
	cr_assert_arr_eq(f->touched, f->counted, sizeof f->touched);
}

static void change_at_random(struct fixture *f, unsigned ranges, unsigned length)
{
	for (unsigned i = 0; i < ranges; i++) {
		const unsigned begin = next_random(f, BYTES - length);
		change(f, begin, begin + next_random(f, length), next_random(f, 2) ? odd : even);
	}
}

Test(byte_map, equals_an_array_after_random_ranges)
{
	static struct fixture f = {.random = 1};
	static const unsigned lengths[] = {3, 3, 5000, 3, 50, 15000, 2, 3};
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		change_at_random(&f, 20000 / lengths[i] + 50, lengths[i]);
		compare(&f);
	}
	change(&f, 0, BYTES, odd);
	change(&f, 0, BYTES, even);
	compare(&f);
	byte_map_free(&f.all, &f.map);
	cr_assert_eq(f.all.segments, 0);
}

/* Long ranges keep the segments of most leaves, which are changed as a whole. */
Test(byte_map, equals_an_array_after_long_ranges_that_keep_segments)
{
	static const uint8_t turn[BYTE_STATES] = {1, 2, 3, 4, 5, 6, 0},
			     swap[BYTE_STATES] = {3, 2, 1, 0, 4, 6, 5};
	static struct fixture f = {.random = 3};
	for (unsigned round = 0; round < 40; round++) {
		change_at_random(&f, 200, 3);
		const unsigned begin = next_random(&f, BYTES / 2);
		change(&f, begin, BYTES - next_random(&f, BYTES / 4), round % 2 ? turn : swap);
		change(&f, 0, begin + next_random(&f, 5000), round % 3 ? swap : turn);
		if (round % 8 == 0)
			change(&f, begin, begin + 6000, odd);
		compare(&f);
	}
	byte_map_free(&f.all, &f.map);
	cr_assert_eq(f.all.segments, 0);
}

Test(byte_map, a_range_costs_little_of_what_it_covers)
{
	enum { SEGMENTS = 65536 };
	static const uint8_t swap[BYTE_STATES] = {3, 2, 1, 0, 4, 6, 5};
	struct byte_maps all = {0, 0};
	struct byte_map map = {.leaf = NULL};
	uint64_t touched[BYTE_STATES] = {0};
	for (unsigned i = 0; i < SEGMENTS; i++)
		cr_assert(byte_map_append(&all, &map, 10 * (uint64_t)i, 1 + i % 2));
	for (unsigned i = 0; i < 2; i++)
		cr_assert(byte_map_change(&all, &map, &(struct byte_change){0, UINT64_MAX, swap, 0},
					  touched));
	cr_assert_lt(all.visited, SEGMENTS / 16);
	cr_assert_eq(touched[1], touched[2]);
	cr_assert_eq(all.segments, SEGMENTS);
	byte_map_free(&all, &map);
}

Test(byte_map, sequences_of_ranges_in_both_directions_are_one_segment)
{
	static struct fixture f;
	for (unsigned i = 0; i < 1000; i++)
		change(&f, i * 10, i * 10 + 10, odd);
	for (unsigned i = 1000; i-- > 0;)
		change(&f, 10000 + i * 10, 10010 + i * 10, odd);
	cr_assert_eq(f.all.segments, 2);
	for (unsigned i = 0; i < 1000; i++) {
		change(&f, i * 10, i * 10 + 10, even);
		change(&f, 10000 + i * 10, 10000 + i * 10 + 10, odd);
	}
	compare(&f);
	byte_map_free(&f.all, &f.map);
}

Test(byte_map, bytes_up_to_the_last_offset)
{
	struct byte_maps all = {0, 0};
	struct byte_map map = {.leaf = NULL};
	uint64_t touched[BYTE_STATES] = {0};
	const struct byte_change end = {UINT64_MAX - 5, UINT64_MAX, odd, 0},
				 whole = {0, UINT64_MAX, even, 1}, none = {7, 7, even, 0};
	cr_assert(byte_map_change(&all, &map, &none, touched));
	cr_assert(byte_map_is_empty(&map));
	cr_assert(byte_map_change(&all, &map, &end, touched));
	cr_assert(byte_map_change(&all, &map, &whole, touched));
	cr_assert_eq(touched[0], UINT64_MAX);
	cr_assert_eq(touched[1], 5);
	cr_assert_eq(all.segments, 1, "states 2 and 2");
	byte_map_free(&all, &map);
}

Test(byte_map, rounding_covers_all_bytes_with_fewer_segments)
{
	static struct fixture f = {.random = 7};
	struct byte_position at = {.leaf = NULL};
	struct byte_segment s;
	change_at_random(&f, 3000, 3);
	const size_t before = f.all.segments;
	cr_assert(byte_map_round(&f.all, &f.map, 4));
	cr_assert_lt(f.all.segments, before);
	size_t segments = 0;
	while (byte_map_next(&f.map, &at, &s)) {
		segments++;
		cr_assert_eq(s.begin % 16, 0);
		for (uint64_t i = s.begin; i < s.end && i < BYTES; i++)
			cr_assert(s.state != 0 || f.expected[i] == 0, "byte %zu", (size_t)i);
	}
	cr_assert_eq(f.all.segments, segments);
	byte_map_free(&f.all, &f.map);
	cr_assert_eq(f.all.segments, 0);
}
