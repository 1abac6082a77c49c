/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as text: the same as printf's, for every length. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/number.h"

static void check(uint64_t v)
{
	char ours[64], theirs[64];
	*number_fast(ours, v) = '\0';
	snprintf(theirs, sizeof theirs, "%" PRIu64, v);
	cr_assert_str_eq(ours, theirs);
	cr_assert_eq(number_count(v), strlen(theirs));
	ours[number_dec(ours, v)] = '\0';
	cr_assert_str_eq(ours, theirs);
	*number_right(ours, v, 12) = '\0';
	snprintf(theirs, sizeof theirs, "%12" PRIu64, v);
	cr_assert_str_eq(ours, theirs);
}

Test(number, agree_with_printf_around_every_power_of_ten)
{
	uint64_t power = 1;
	for (int digits = 1; digits <= 20; digits++, power *= 10)
		for (uint64_t d = 0; d < 200; d++) {
			check(power + d);
			check(power - d);
		}
	check(UINT64_MAX);
}

Test(number, agree_with_printf_for_all_small_and_many_large_numbers)
{
	for (uint64_t v = 0; v < 20000; v++) {
		check(v);
		check(v * 0x9e3779b97f4a7c15U);
		check(v * 4999);
	}
}

Test(number, fixed_ones_have_zeros_in_front)
{
	char text[16];
	*number_fixed(text, 42, 9) = '\0';
	cr_assert_str_eq(text, "000000042");
	*number_fixed(text, 1234567, 3) = '\0';
	cr_assert_str_eq(text, "567");
}
