/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes: all units, and texts that are not sizes. */
#include <criterion/criterion.h>

#include <string.h>

#include "lib/base/size.h"

static void expect(const char *text, uint64_t bytes)
{
	uint64_t value = 0;
	cr_expect_eq(size_parse(text, strlen(text), &value), SIZE_VALID, "%s", text);
	cr_expect_eq(value, bytes, "%s", text);
}

static void expect_not(const char *text, enum size_status status)
{
	uint64_t value = 7;
	cr_expect_eq(size_parse(text, strlen(text), &value), status, "%s", text);
	cr_expect_eq(value, 7, "%s", text);
}

Test(size, units_are_those_of_gnu)
{
	expect("0", 0);
	expect("4096", 4096);
	expect("64K", 65536);
	expect("64k", 65536);
	expect("64KiB", 65536);
	expect("64KB", 64000);
	expect("64MB", 64000000);
	expect("3G", 3ULL << 30);
	expect("2TiB", 2ULL << 40);
	expect("1P", 1ULL << 50);
	expect("15EiB", 15ULL << 60);
	expect("18446744073709551615", UINT64_MAX);
}

Test(size, other_texts_are_invalid)
{
	static const char *const texts[] = {"",     "K",    "1X", "1b", "1B",  "1KX",  "1Ki",
					    "1KIB", "1.5G", "-1", " 1", "1 K", "1KBB", "0x10"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		expect_not(texts[i], SIZE_INVALID);
}

Test(size, large_sizes_are_not_cut)
{
	expect_not("18446744073709551616", SIZE_TOO_LARGE);
	expect_not("16E", SIZE_TOO_LARGE);
	expect_not("18014398509481984K", SIZE_TOO_LARGE);
	expect_not("99999999999999999999KB", SIZE_TOO_LARGE);
}

Test(size, only_n_characters_are_read)
{
	uint64_t value;
	cr_expect_eq(size_parse("64K,1M", 3, &value), SIZE_VALID);
	cr_expect_eq(value, 65536);
}
