/* SPDX-License-Identifier: BSD-2-Clause */
/* Hexadecimal or decimal. */
#include <criterion/criterion.h>

#include <string.h>

#include "lib/reader/detect_base.h"

static unsigned vote_in_blocks(const char *text, size_t size, size_t read_size, bool *tie)
{
	const struct bufreader_options options = {.read_size = read_size};
	struct bufreader *w = bufreader_new("t", &options);
	cr_assert_not_null(w);
	cr_assert_eq(bufreader_open_memory(w, text, size), IOT_OK);
	unsigned base = base_find(w, tie);
	bufreader_free(w);
	return base;
}

static unsigned vote(const char *text, bool *tie)
{
	bool tie_by_1;
	unsigned by_1 = vote_in_blocks(text, strlen(text), 1, &tie_by_1);
	unsigned base = vote_in_blocks(text, strlen(text), 0, tie);
	cr_assert_eq(base, by_1);
	cr_assert_eq(*tie, tie_by_1);
	return base;
}

Test(detect_base, comment_reports)
{
	bool tie;
	cr_assert_eq(vote("192 34 0 8 0 500 3 7 0\nff x\n", &tie), 16);
	cr_assert_eq(vote("c0 22 0 8 0 1f4 3 7 0\n255\n", &tie), 10);
	cr_assert_eq(vote("FF", &tie), 16);
	cr_assert_eq(vote("  255 x", &tie), 10);
	cr_assert_not(tie);
}

Test(detect_base, records_vote)
{
	bool tie;
	cr_assert_eq(vote("c0 22 0 8 0 1f4 3 7 0\nc0 ec 3e8 1f5 3e8\n", &tie), 16);
	cr_assert_not(tie);
	cr_assert_eq(vote("192 34 0 8 0 500 3 7 0\n192 236 1000 501 1000\n", &tie), 10);
	cr_assert_not(tie);
}

Test(detect_base, numbers_too_large_vote_as_their_digits_do)
{
	static const char line[] = "192 236 100000000000000000000 501 -1000";
	cr_assert(base_fits(line, sizeof(line) - 1, 10));
	cr_assert_not(base_fits("192 236 1 - 1", 13, 10));
}

/* 0x80 is 128 and drops one field; decimal 80 = 0x50 has the undefined flag. */
Test(detect_base, fields_must_agree_with_the_flags)
{
	cr_assert(base_fits("80 80 0 1 2 3 4 5 6", 19, 16));
	cr_assert_not(base_fits("80 80 0 1 2 3 4 5 6", 19, 10));
	cr_assert(base_fits("80 128 0 1 2 3 4 5 6", 20, 10));
	cr_assert_not(base_fits("80 128 0 1 2 3 4 5 6", 20, 16));
	cr_assert_not(base_fits("80 80 0 1 2 3 4 5", 17, 16));
	cr_assert_not(base_fits("80", 2, 16));
	cr_assert_not(base_fits("", 0, 16));
	cr_assert(base_fits("0 0 1 2 -3 4 5 6 7 -8", 21, 10));
	cr_assert_not(base_fits("0 0 1 -2 3 4 5 6 7 8", 20, 10));
	cr_assert_not(base_fits("0 0 1 2 3 4 5 6 7 8 9", 21, 10));
}

Test(detect_base, tie_is_hexadecimal)
{
	bool tie;
	cr_assert_eq(vote("0 0 1 2 3 4 5 6 7 8\n", &tie), 16);
	cr_assert(tie);
	cr_assert_eq(vote("zz\n", &tie), 16);
	cr_assert_not(tie);
	cr_assert_eq(vote("", &tie), 16);
	cr_assert_not(tie);
}

Test(detect_base, last_line_without_its_end_votes)
{
	bool tie;
	cr_assert_eq(vote("0 0 1 2 3 4 5 6 7 8\n192 34 0 8 0 500 3 7 0", &tie), 10);
}

Test(detect_base, only_the_first_64_lines_vote)
{
	char text[64 * 32 + 100] = "";
	bool tie;
	for (int i = 0; i < 64; i++)
		strcat(text, "c0 22 0 8 0 1f4 3 7 0\n\n");
	strcat(text, "255 x\n");
	cr_assert_eq(vote(text, &tie), 16);
}

Test(detect_base, nothing_is_consumed)
{
	bool tie;
	size_t have;
	struct bufreader *w = bufreader_new("t", NULL);
	cr_assert_eq(bufreader_open_memory(w, "ff x\n", 5), IOT_OK);
	cr_assert_eq(base_find(w, &tie), 16);
	cr_assert_arr_eq(bufreader_peek(w, 5, &have), "ff x\n", 5);
	bufreader_free(w);
}
