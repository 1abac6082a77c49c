/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys and numbers, and the arrays that follow them. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "lib/base/idmap.h"

Test(map, numbers_keys_in_the_order_in_which_they_come)
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

Test(map, a_key_that_has_not_come_is_not_found)
{
	struct idmap m = {0};
	cr_assert_eq(idmap_find(&m, 7), SIZE_MAX);
	cr_assert_eq(idmap_number(&m, 7), 0);
	cr_assert_eq(idmap_find(&m, 7), 0);
	cr_assert_eq(idmap_find(&m, 0), SIZE_MAX);
	cr_assert_eq(m.count, 1);
	idmap_free(&m);
}

Test(map, finds_every_key_again_after_growing)
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

Test(map, arrays_grow_with_zeros)
{
	size_t capacity = 0;
	uint64_t *array = NULL;
	for (size_t i = 0; i < 5000; i++) {
		uint64_t *fitted = idmap_reserve(array, &capacity, i, sizeof *array);
		cr_assert_not_null(fitted);
		array = fitted;
		cr_assert_lt(i, capacity);
		cr_assert_eq(array[i], 0);
		array[i] = i + 1;
	}
	for (size_t i = 0; i < 5000; i++)
		cr_assert_eq(array[i], i + 1);
	free(array);
}

Test(map, refuses_what_no_trace_needs)
{
	size_t capacity = 0;
	cr_assert_null(idmap_reserve(NULL, &capacity, SIZE_MAX - 1, 8));
	cr_assert_eq(capacity, 0);
}
