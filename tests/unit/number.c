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

static void expect_scan(const char *text, unsigned base, uint64_t value, size_t digits)
{
	const char *at = text;
	uint64_t v = 0;
	cr_assert(number_scan(&at, text + strlen(text), base, &v), "%s", text);
	cr_assert_eq(v, value, "%s", text);
	cr_assert_eq((size_t)(at - text), digits, "%s", text);
}

Test(number, scan_stops_after_the_last_digit)
{
	expect_scan("7,", 10, 7, 1);
	expect_scan("00012345678901234567)", 10, 12345678901234567U, 20);
	expect_scan("18446744073709551615 ", 10, UINT64_MAX, 20);
	expect_scan("ffffffffffffffff", 16, UINT64_MAX, 16);
}

Test(number, scan_refuses_what_does_not_fit)
{
	static const char *const texts[] = {"18446744073709551616", "99999999999999999999", "",
					    "x"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const char *at = texts[i];
		uint64_t v;
		cr_assert_not(number_scan(&at, at + strlen(at), 10, &v), "%s", texts[i]);
		cr_assert_eq(at, texts[i]);
	}
}

Test(number, eight_characters_at_once_as_one_at_a_time)
{
	for (unsigned other = 0; other < 256; other++)
		for (unsigned n = 0; n <= 8; n++) {
			char text[] = "1234567890";
			if (n < 8)
				text[n] = (char)other;
			unsigned digits = 0;
			while (digits < 8 && text[digits] >= '0' && text[digits] <= '9')
				digits++;
			const uint64_t bytes = number_load(text);
			cr_assert_eq(number_leading(bytes), digits);
			char prefix[9] = {0};
			memcpy(prefix, text, digits);
			if (digits > 0)
				cr_assert_eq(number_of_eight(bytes << 8 * (8 - digits)),
					     strtoul(prefix, NULL, 10));
		}
}
