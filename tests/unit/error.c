/* SPDX-License-Identifier: BSD-2-Clause */
/* The error of a handle and the escaping of foreign text. */
#include <criterion/criterion.h>

#include <errno.h>
#include <string.h>

#include "lib/base/error.h"

Test(error, the_first_one_stays)
{
	struct error e = {0};

	cr_assert_eq(error_set(&e, IOT_EFORMAT, "%s:%d: first", "a", 7), IOT_EFORMAT);
	cr_assert_eq(error_set(&e, IOT_EIO, "second"), IOT_EFORMAT);
	cr_assert_eq(error_system(&e, EIO, "third"), IOT_EFORMAT);
	cr_assert_eq(e.status, IOT_EFORMAT);
	cr_assert_str_eq(e.text, "a:7: first");
}

Test(error, the_reason_of_the_system_follows_the_sentence)
{
	struct error e = {0};

	cr_assert_eq(error_system(&e, ENOSPC, "%s: cannot be written", "out"), IOT_EIO);
	cr_assert_str_eq(e.text, "out: cannot be written: No space left on device");
}

Test(error, long_sentences_are_cut_and_say_so)
{
	struct error e = {0};
	char name[3000];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	error_set(&e, IOT_EFORMAT, "%s", name);
	cr_assert_eq(strlen(e.text), sizeof(e.text) - 1);
	cr_assert_str_eq(e.text + strlen(e.text) - 4, "x...");
}

Test(error, a_long_name_does_not_displace_the_reason)
{
	struct error e = {0};
	char name[3000];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	error_system(&e, ENOSPC, "%s", name);
	cr_assert_not_null(strstr(e.text, "x...: No space left on device"));
}

Test(error, every_status_has_a_name_of_its_own)
{
	for (int a = IOT_ETRUNCATED; a <= IOT_OK; a++) {
		cr_assert_str_neq(iot_status_name(a), "unknown status");
		for (int b = IOT_ETRUNCATED; b < a; b++)
			cr_assert_str_neq(iot_status_name(a), iot_status_name(b));
	}
	cr_assert_str_eq(iot_status_name(-1000), "unknown status");
}

Test(escape, printable_text_stays)
{
	char out[32];

	cr_assert_str_eq(escape_text(out, sizeof(out), "a b~", 4), "a b~");
	cr_assert_str_eq(escape_text(out, sizeof(out), "", 0), "");
}

Test(escape, other_bytes_are_written_in_hex)
{
	char out[64];

	cr_assert_str_eq(escape_text(out, sizeof(out), "\033[0m\\\n\0\xff", 8),
			 "\\x1b[0m\\\\\\x0a\\x00\\xff");
}

Test(escape, what_fits_exactly_is_whole)
{
	char out[6];

	cr_assert_str_eq(escape_text(out, sizeof(out), "abcde", 5), "abcde");
	cr_assert_str_eq(escape_text(out, sizeof(out), "a\n", 2), "a\\x0a");
}

Test(escape, dots_mark_a_cut_between_two_bytes)
{
	char out[6];

	cr_assert_str_eq(escape_text(out, sizeof(out), "abcdef", 6), "ab...");
	cr_assert_str_eq(escape_text(out, sizeof(out), "a\nb", 3), "a...");
	cr_assert_str_eq(escape_text(out, sizeof(out), "\n\n", 2), "...");
	cr_assert_str_eq(escape_text(out, 4, "abcd", 4), "...");
}

Test(escape, every_buffer_ends_in_nul_and_is_never_exceeded)
{
	const char text[] = "a\\b\nc\x80"
			    "defgh";

	for (size_t capacity = 4; capacity < 40; capacity++) {
		char out[48];

		memset(out, '#', sizeof(out));
		escape_text(out, capacity, text, sizeof(text) - 1);
		cr_assert_lt(strlen(out), capacity);
		cr_assert_eq(out[capacity], '#');
	}
}
