/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys and numbers, and the arrays that follow them. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "lib/base/idmap.h"

Test(idmap, numbers_keys_in_the_order_in_which_they_come)
{
	struct idmap m = {0};
	cr_assert_eq(idmap_number(&m, 7), 0);
	cr_assert_eq(idmap_number(&m, 0), 1);
	cr_assert_eq(idmap_number(&m, UINT64_MAX), 2);
	cr_assert_eq(idmap_number(&m, 7), 0);
	cr_assert_eq(idmap_number(&m, 0), 1);
	cr_assert_eq(m.count, 3);
	idmap_free(&m);
	cr_assert_eq(m.count, 0);
}

Test(idmap, a_key_that_has_not_come_is_not_found)
{
	struct idmap m = {0};
	cr_assert_eq(idmap_find(&m, 7), SIZE_MAX);
	cr_assert_eq(idmap_number(&m, 7), 0);
	cr_assert_eq(idmap_find(&m, 7), 0);
	cr_assert_eq(idmap_find(&m, 0), SIZE_MAX);
	cr_assert_eq(m.count, 1);
	idmap_free(&m);
}

Test(idmap, finds_every_key_again_after_growing)
{
	struct idmap m = {0};
	const uint64_t step = (uint64_t)1 << 40 | 512;
	for (uint64_t i = 0; i < 100000; i++)
		cr_assert_eq(idmap_number(&m, i * step), i);
	for (uint64_t i = 0; i < 100000; i++)
		cr_assert_eq(idmap_number(&m, i * step), i);
	cr_assert_eq(m.count, 100000);
	idmap_free(&m);
}

Test(idmap, a_removed_key_is_unknown_and_its_number_is_used_again)
{
	struct idmap m = {0};
	cr_assert_eq(idmap_remove(&m, 7), SIZE_MAX);
	for (uint64_t key = 0; key < 10; key++)
		cr_assert_eq(idmap_number(&m, key), key);
	cr_assert_eq(idmap_remove(&m, 9), 9);
	cr_assert_eq(idmap_remove(&m, 9), SIZE_MAX);
	cr_assert_eq(idmap_remove(&m, 3), 3);
	cr_assert_eq(idmap_find(&m, 3), SIZE_MAX);
	cr_assert_eq(idmap_number(&m, 77), 3);
	cr_assert_eq(idmap_number(&m, 9), 9);
	cr_assert_eq(idmap_number(&m, 3), 10);
	cr_assert_eq(idmap_find(&m, 77), 3);
	idmap_free(&m);
}

Test(idmap, agrees_with_an_array_after_many_removals)
{
	enum { KEYS = 512, STEPS = 200000 };
	static size_t number[KEYS];
	struct idmap m = {0};
	uint32_t random = 1;
	memset(number, 0xff, sizeof number);
	for (int step = 0; step < STEPS; step++) {
		random = random * 1664525 + 1013904223;
		const uint64_t key = random >> 16 & (KEYS - 1);
		if (random & 1 << 30) {
			cr_assert_eq(idmap_remove(&m, key), number[key]);
			number[key] = SIZE_MAX;
		} else {
			const size_t got = idmap_number(&m, key);
			cr_assert(number[key] == SIZE_MAX || number[key] == got);
			number[key] = got;
		}
		cr_assert_eq(idmap_find(&m, key ^ 1), number[key ^ 1]);
	}
	cr_assert_leq(m.count, KEYS);
	idmap_free(&m);
}

Test(idmap, keeps_the_keys_that_a_caller_moves_to_the_front)
{
	enum { KEYS = 1000 };
	struct idmap m = {.keys = NULL};
	size_t kept = 0;
	for (uint64_t key = 0; key < KEYS; key++)
		cr_assert_eq(idmap_number(&m, key), key);
	for (size_t i = 0; i < KEYS; i++)
		if (i % 3 == 0)
			m.keys[kept++] = m.keys[i];
	idmap_renumber(&m, kept);
	for (uint64_t key = 0; key < KEYS; key++)
		cr_assert_eq(idmap_find(&m, key), key % 3 == 0 ? key / 3 : SIZE_MAX);
	cr_assert_eq(idmap_number(&m, KEYS), kept);
	idmap_renumber(&m, 0);
	cr_assert_eq(idmap_find(&m, 0), SIZE_MAX);
	cr_assert_eq(idmap_number(&m, 7), 0);
	idmap_free(&m);
}

Test(idmap, arrays_grow_with_zeros)
{
	size_t capacity = 0;
	uint64_t *array = NULL;
	for (size_t i = 0; i < 5000; i++) {
		cr_assert(array_reserve_index(&array, &capacity, i, sizeof *array));
		cr_assert_lt(i, capacity);
		cr_assert_eq(array[i], 0);
		array[i] = i + 1;
	}
	for (size_t i = 0; i < 5000; i++)
		cr_assert_eq(array[i], i + 1);
	free(array);
}

Test(idmap, refuses_what_no_trace_needs)
{
	size_t capacity = 0;
	uint64_t *array = NULL;
	cr_assert_not(array_reserve_index(&array, &capacity, SIZE_MAX - 1, sizeof *array));
	cr_assert_not(array_reserve_index(&array, &capacity, SIZE_MAX, sizeof *array));
	cr_assert_null(array);
	cr_assert_eq(capacity, 0);
}
